//! The state of a session's channels, kept by the protocol's own reducers, so that a snapshot with the actions after it equals the client's
//! state. Pure.

use super::wire;
use ahp::reducers::{
    ReduceOutcome, apply_action_to_changeset, apply_action_to_chat, apply_action_to_session,
    apply_action_to_terminal,
};
use ahp_types::actions::StateAction;
use ahp_types::state::{
    Changeset, ChangesetState, ChangesetStatus, ChatState, ChatSummary, SessionConfigState,
    SessionLifecycle, SessionState, SessionStatus, SnapshotState, TerminalClaim, TerminalInfo,
    TerminalLifecycleState, TerminalRunningLifecycleState, TerminalSessionClaim, TerminalState,
    ToolResultContent, ToolResultSubagentContent,
};
use pintle_protocol::ids::{AgentId, ItemId, SessionId};
use std::collections::{BTreeMap, BTreeSet};

/// The engine's name as a provider of sessions, also used as the scheme of their addresses.
pub(super) const PROVIDER: &str = "pintle";

/// Maximum number of a session's kept terminals: each has at most 1 MiB.
const MAX_TERMINALS: usize = 64;

/// A channel of a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Channel {
    Session,
    Chat,
    Changeset,
    /// A command's output, by its call.
    Terminal(ItemId),
}

impl Channel {
    /// Returns the channel's address.
    pub(super) fn uri(&self, session: &SessionId) -> String {
        match self {
            Self::Session => format!("{PROVIDER}:/{session}"),
            Self::Chat => format!("ahp-chat:/{session}/default"),
            Self::Changeset => format!("ahp-changeset:/{session}/session"),
            Self::Terminal(item) => format!("ahp-terminal:/{session}/{item}"),
        }
    }

    /// Reads an address.
    pub(super) fn read(uri: &str) -> Option<(SessionId, Self)> {
        let (scheme, path) = uri.split_once(":/")?;
        let (session, rest) = path.split_once('/').unwrap_or((path, ""));
        let channel = match (scheme, rest) {
            (PROVIDER, "") => Self::Session,
            ("ahp-chat", "default") => Self::Chat,
            ("ahp-changeset", "session") => Self::Changeset,
            ("ahp-terminal", item) if !item.is_empty() => Self::Terminal(ItemId::new(item)),
            _ => return None,
        };
        is_name(session).then(|| (SessionId::new(session), channel))
    }
}

/// Returns true for an id that clients may choose, since it names a directory.
fn is_name(id: &str) -> bool {
    /// Twice a UUID's length.
    const MAX_CHARS: usize = 72;
    !id.is_empty()
        && id.len() <= MAX_CHARS
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A session's channels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Channels {
    pub(super) id: SessionId,
    pub(super) cwd: String,
    pub(super) created_ms: u64,
    pub(super) session: SessionState,
    pub(super) chat: ChatState,
    pub(super) changeset: ChangesetState,
    pub(super) terminals: BTreeMap<ItemId, TerminalState>,
    /// The terminals of jobs that run.
    pub(super) jobs: BTreeSet<ItemId>,
    /// The sub-agents.
    pub(super) workers: BTreeMap<AgentId, Worker>,
}

/// A sub-agent, whose chat belongs to a separate session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Worker {
    pub(super) session: SessionId,
    pub(super) task: String,
}

impl Worker {
    /// Returns the call content that links to the chat.
    pub(super) fn content(&self) -> ToolResultContent {
        let title = self.task.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        ToolResultContent::Subagent(ToolResultSubagentContent {
            resource: Channel::Chat.uri(&self.session),
            title: title.trim().chars().take(80).collect(),
            agent_name: None,
            description: Some(self.task.clone()),
        })
    }
}

impl Channels {
    /// Returns an empty session's channels.
    pub(super) fn new(
        id: SessionId,
        cwd: &str,
        title: &str,
        created_ms: u64,
        config: SessionConfigState,
    ) -> Self {
        let chat_uri = Channel::Chat.uri(&id);
        let (modified_at, folder) = (wire::time(created_ms), wire::file_uri(cwd));
        let status = SessionStatus::Idle.bits();
        let summary = ChatSummary {
            resource: chat_uri.clone(),
            title: title.to_owned(),
            status,
            activity: None,
            modified_at: modified_at.clone(),
            changes: None,
            origin: None,
            movable: None,
            interactivity: None,
            working_directories: None,
        };
        let session = SessionState {
            provider: PROVIDER.to_owned(),
            title: title.to_owned(),
            status,
            activity: None,
            origin: None,
            project: None,
            working_directories: Some(vec![folder]),
            annotations: None,
            lifecycle: SessionLifecycle::Creating,
            creation_error: None,
            server_tools: None,
            active_clients: Vec::new(),
            chats: vec![summary],
            default_chat: Some(chat_uri.clone()),
            config: Some(config),
            customizations: None,
            changesets: Some(vec![Changeset {
                label: "Session changes".to_owned(),
                uri_template: Channel::Changeset.uri(&id),
                description: None,
                change_kind: "session".to_owned(),
                capabilities: None,
            }]),
            input_needed: None,
            meta: None,
        };
        let chat = ChatState {
            resource: chat_uri,
            title: title.to_owned(),
            status,
            activity: None,
            modified_at,
            changes: None,
            origin: None,
            movable: None,
            interactivity: None,
            working_directories: None,
            changesets: None,
            background_work: None,
            canvases: None,
            turns: Vec::new(),
            turns_next_cursor: None,
            active_turn: None,
            steering_message: None,
            queued_messages: None,
            draft: None,
            meta: None,
        };
        let changeset = ChangesetState {
            status: ChangesetStatus::Ready,
            error: None,
            files: Vec::new(),
            operations: None,
        };
        Self {
            id,
            cwd: cwd.to_owned(),
            created_ms,
            session,
            chat,
            changeset,
            terminals: BTreeMap::new(),
            jobs: BTreeSet::new(),
            workers: BTreeMap::new(),
        }
    }

    /// Opens a terminal for a command or job; later actions fill it. The oldest ended terminals are dropped.
    pub(super) fn open_terminal(&mut self, item: &ItemId, title: &str, turn_id: Option<String>) {
        let is_over = |terminal: &TerminalState| {
            matches!(terminal.lifecycle, TerminalLifecycleState::Exited(_))
        };
        while self.terminals.len() >= MAX_TERMINALS {
            let oldest = self.terminals.iter().find(|(_, terminal)| is_over(terminal));
            let Some(id) = oldest.map(|(id, _)| id.clone()) else { break };
            self.terminals.remove(&id);
        }
        let claim = TerminalClaim::Session(TerminalSessionClaim {
            session: Channel::Session.uri(&self.id),
            chat: Channel::Chat.uri(&self.id),
            turn_id,
            tool_call_id: Some(item.to_string()),
        });
        let terminal = TerminalState {
            title: title.to_owned(),
            cwd: Some(wire::file_uri(&self.cwd)),
            cols: None,
            rows: None,
            content: Vec::new(),
            lifecycle: TerminalLifecycleState::Running(TerminalRunningLifecycleState {}),
            claim,
            supports_command_detection: None,
            is_pty: Some(false),
        };
        self.terminals.insert(item.clone(), terminal);
    }

    /// Applies an action.
    pub(super) fn apply(&mut self, channel: &Channel, action: &StateAction) -> ReduceOutcome {
        match channel {
            Channel::Session => {
                let outcome = apply_action_to_session(&mut self.session, action);
                // No action renames a chat: its title follows the session's.
                if let StateAction::SessionTitleChanged(changed) = action {
                    self.chat.title.clone_from(&changed.title);
                }
                outcome
            }
            Channel::Chat => apply_action_to_chat(&mut self.chat, action),
            Channel::Changeset => apply_action_to_changeset(&mut self.changeset, action),
            Channel::Terminal(item) => match self.terminals.get_mut(item) {
                Some(terminal) => apply_action_to_terminal(terminal, action),
                None => ReduceOutcome::NoOp,
            },
        }
    }

    /// Returns the terminals of running jobs, as lists show them.
    pub(super) fn running_jobs(&self) -> impl Iterator<Item = TerminalInfo> {
        let terminals = self.jobs.iter().filter_map(|item| Some((item, self.terminals.get(item)?)));
        terminals.map(|(item, terminal)| TerminalInfo {
            resource: Channel::Terminal(item.clone()).uri(&self.id),
            title: terminal.title.clone(),
            claim: terminal.claim.clone(),
            lifecycle: terminal.lifecycle.clone(),
        })
    }

    /// Returns a channel's state.
    pub(super) fn snapshot(&self, channel: &Channel) -> Option<SnapshotState> {
        Some(match channel {
            Channel::Session => SnapshotState::Session(Box::new(self.session.clone())),
            Channel::Chat => SnapshotState::Chat(Box::new(self.chat.clone())),
            Channel::Changeset => SnapshotState::Changeset(Box::new(self.changeset.clone())),
            Channel::Terminal(item) => {
                SnapshotState::Terminal(Box::new(self.terminals.get(item)?.clone()))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_channels_are_read_as_they_are_written_and_no_others() {
        let id = SessionId::new("8a6cc7c3-8e66-4c2a-a63f-c69204644951");
        let terminal = Channel::Terminal(ItemId::new("i1"));
        for channel in [Channel::Session, Channel::Chat, Channel::Changeset, terminal] {
            assert_eq!(Channel::read(&channel.uri(&id)), Some((id.clone(), channel)));
        }
        for other in [
            "pintle:/",
            "pintle:/../x",
            "pintle:/a/b",
            "pintle://a",
            "copilot:/a",
            "ahp-chat:/a",
            "ahp-chat:/a/second",
            "ahp-terminal:/a/",
            "ahp-root://",
            "a",
        ] {
            assert_eq!(Channel::read(other), None, "{other}");
        }
    }
}
