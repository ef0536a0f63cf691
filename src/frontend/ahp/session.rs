//! An open session: its channels, the clients' requests to it, and the one piece of work in progress for them.

use super::outlet::ConnectionId;
use super::state::{Channel, Channels};
use super::translator::Translator;
use super::{config, quirks, wire};
use ahp_types::actions::{ActionOrigin, ChatTurnStartedAction, StateAction};
use ahp_types::state::{ChangesSummary, SessionStatus, SessionSummary};
use futures_util::future::BoxFuture;
use pintle_agent::{Additional, CallBody, CallId, ClientCall, Feed, OpenConfig, SessionHandle};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::session::SessionResult;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

/// A client's action.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) connection: ConnectionId,
    pub(super) client_id: String,
    pub(super) client_seq: i64,
    /// The channel's address.
    pub(super) uri: String,
    pub(super) action: StateAction,
}

impl Origin {
    pub(super) fn as_action_origin(&self) -> ActionOrigin {
        ActionOrigin { client_id: self.client_id.clone(), client_seq: self.client_seq }
    }

    /// Returns true for the same action of the same client.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.client_id == other.client_id && self.client_seq == other.client_seq
    }
}

/// A session that was opened, and its history.
pub(super) struct Loaded {
    pub(super) handle: SessionHandle,
    pub(super) snapshot: SessionResult,
    pub(super) records: Vec<EventRecord>,
}

/// Something that a client asked for, to be done in the order in which it was asked for.
pub(super) struct Work {
    pub(super) origin: Option<Origin>,
    pub(super) make: Make,
}

/// Begins work with the way to the session.
pub(super) type Make =
    Box<dyn FnOnce(SessionHandle) -> BoxFuture<'static, Result<(), String>> + Send>;

/// An open session.
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(super) struct Open {
    pub(super) channels: Channels,
    pub(super) translator: Translator,
    /// The session's handle; `None` if the engine does not know the session yet, or if it is being opened.
    pub(super) handle: Option<SessionHandle>,
    /// The engine does not know it: it is made with its first turn.
    pub(super) is_draft: bool,
    /// The events that came while its history is read; `None` once that is done.
    pub(super) loading: Option<Vec<Feed>>,
    /// The last event that is in the channels.
    pub(super) seen: u64,
    pub(super) works: VecDeque<Work>,
    pub(super) is_working: bool,
    /// Client actions whose events have not arrived yet.
    pub(super) expected: Vec<(Key, Origin)>,
    /// Calls of client tools that wait for their results.
    pub(super) calls: BTreeMap<ItemId, CallId>,
    pub(super) settings: Settings,
    /// Lists show it.
    pub(super) is_announced: bool,
    pub(super) is_reading_review: bool,
}

/// A session's settings: those of a draft as its client chose them, those of another session as its events report them.
pub(super) struct Settings {
    /// The model, as `provider/id` or `provider/id:effort`; empty for the default.
    pub(super) model: String,
    pub(super) permission_mode: PermissionMode,
    pub(super) mode: WorkMode,
    /// Working directories in addition to the main one.
    pub(super) additional: Vec<PathBuf>,
}

impl Settings {
    /// Returns the configuration with which a session is created.
    pub(super) fn configuration(&self) -> OpenConfig {
        OpenConfig {
            model: (!self.model.is_empty()).then(|| self.model.clone()),
            permission_mode: Some(self.permission_mode),
            mode: Some(self.mode),
            additional: self.directories(),
            ..OpenConfig::default()
        }
    }

    /// Returns the additional working directories, if any.
    pub(super) fn directories(&self) -> Option<Additional> {
        (!self.additional.is_empty()).then(|| self.additional.clone().into())
    }

    /// Records changes from an event.
    pub(super) fn apply(&mut self, record: &EventRecord) {
        match &record.event {
            Event::SessionCreated(created) => {
                self.model.clone_from(&created.model);
                (self.permission_mode, self.mode) = (created.permission_mode, created.mode);
            }
            Event::ConfigChanged(changed) => {
                self.model.clone_from(&changed.model);
                (self.permission_mode, self.mode) = (changed.permission_mode, changed.mode);
            }
            _ => {}
        }
    }
}

/// The event that an action of a client leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Turn(String),
    Cancel(String),
    Confirm(String),
    Complete(String),
    Pending(String),
    Unpending(String),
    Input(String),
    Order,
    Truncate,
    Title,
    Config,
}

/// Returns an action's key, by which the resulting event is recognized; `None` for an action without a resulting event.
pub(super) fn key_of(action: &StateAction) -> Option<Key> {
    Some(match action {
        StateAction::ChatTurnStarted(action) => Key::Turn(action.turn_id.clone()),
        StateAction::ChatTurnCancelled(action) => Key::Cancel(action.turn_id.clone()),
        StateAction::ChatToolCallConfirmed(action) => Key::Confirm(action.tool_call_id.clone()),
        StateAction::ChatToolCallComplete(action) => Key::Complete(action.tool_call_id.clone()),
        StateAction::ChatPendingMessageSet(action) => Key::Pending(action.id.clone()),
        StateAction::ChatPendingMessageRemoved(action) => Key::Unpending(action.id.clone()),
        StateAction::ChatInputCompleted(action) => Key::Input(action.request_id.clone()),
        StateAction::ChatQueuedMessagesReordered(_) => Key::Order,
        StateAction::ChatTruncated(_) => Key::Truncate,
        StateAction::SessionTitleChanged(_) => Key::Title,
        StateAction::SessionConfigChanged(_) => Key::Config,
        _ => return None,
    })
}

/// An action on its way to clients.
type Settled = (Channel, StateAction, Option<ActionOrigin>);

impl Open {
    /// Creates a session without events.
    pub(super) fn new(channels: Channels, permission_mode: PermissionMode, mode: WorkMode) -> Self {
        Self {
            translator: Translator::new(&channels.id),
            channels,
            handle: None,
            is_draft: false,
            loading: None,
            seen: 0,
            works: VecDeque::new(),
            is_working: false,
            expected: Vec::new(),
            calls: BTreeMap::new(),
            settings: Settings {
                model: String::new(),
                permission_mode,
                mode,
                additional: Vec::new(),
            },
            is_announced: false,
            is_reading_review: false,
        }
    }

    /// Creates a session of which only the id is known.
    pub(super) fn unread(id: SessionId) -> Self {
        let (permission_mode, mode) = (PermissionMode::default(), WorkMode::default());
        let settings = config::state(permission_mode, mode);
        Self::new(Channels::new(id, "", "", 0, settings), permission_mode, mode)
    }

    /// Returns true while the session has work in progress.
    pub(super) fn is_busy(&self) -> bool {
        self.channels.chat.active_turn.is_some()
            || self.channels.chat.queued_messages.is_some()
            || self.has_work()
    }

    /// Returns true while something that a client asked for has not reached the session.
    pub(super) fn has_work(&self) -> bool {
        self.loading.is_some() || self.is_working || !self.works.is_empty()
    }

    /// Returns all directories that it works in.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let cwd = Some(&self.channels.cwd).filter(|cwd| !cwd.is_empty());
        cwd.map(PathBuf::from).into_iter().chain(self.settings.additional.iter().cloned()).collect()
    }

    /// Sends the additional working directories to clients.
    pub(super) fn show_directories(&mut self) {
        let uris =
            self.folders().iter().map(|folder| wire::file_uri(&folder.to_string_lossy())).collect();
        self.channels.session.working_directories = Some(uris);
    }

    /// Records a client tool's call.
    pub(super) fn called(&mut self, call: &ClientCall) {
        if let CallBody::Tool(params) = &call.body {
            self.calls.insert(params.item_id.clone(), call.id.clone());
        }
    }

    /// Returns the session's summary for lists.
    pub(super) fn summary(&self) -> SessionSummary {
        let Channels { session, chat, changeset, .. } = &self.channels;
        let activity = chat.status & ACTIVITY;
        let flags = session.status & !ACTIVITY;
        let mut changes = ChangesSummary { additions: None, deletions: None, files: None };
        if !changeset.files.is_empty() {
            let diffs = changeset.files.iter().filter_map(|file| file.edit.diff.as_ref());
            let (mut added, mut removed) = (0, 0);
            for diff in diffs {
                added += diff.added.unwrap_or_default();
                removed += diff.removed.unwrap_or_default();
            }
            changes.additions = Some(added);
            changes.deletions = Some(removed);
            changes.files = i64::try_from(changeset.files.len()).ok();
        }
        SessionSummary {
            provider: session.provider.clone(),
            title: session.title.clone(),
            status: activity | flags,
            activity: None,
            origin: None,
            project: None,
            working_directories: session.working_directories.clone(),
            annotations: None,
            resource: Channel::Session.uri(&self.channels.id),
            created_at: wire::time(self.channels.created_ms),
            modified_at: chat.modified_at.clone(),
            changes: changes.files.is_some().then_some(changes),
            meta: None,
            chats: None,
            default_chat: None,
        }
    }

    /// Returns the actions that clients receive for an action caused by an event: if a client asked for it, that client's action, under the
    /// client's name.
    pub(super) fn settle(&mut self, channel: &Channel, action: StateAction) -> Vec<Settled> {
        let own = |action| vec![(channel.clone(), action, None)];
        let Some(key) = key_of(&action) else { return own(action) };
        if let Some(origin) = self.take_expected(&key) {
            return settled(channel, action, origin);
        }
        // A message for the running turn arrived after the turn ended, and began a new turn.
        if let StateAction::ChatTurnStarted(started) = &action
            && let Some(origin) = self.take_expected(&Key::Pending(started.turn_id.clone()))
        {
            let queued_message_id = Some(started.turn_id.clone());
            let started = ChatTurnStartedAction { queued_message_id, ..started.clone() };
            let asked = (channel.clone(), origin.action.clone(), Some(origin.as_action_origin()));
            return vec![asked, (channel.clone(), StateAction::ChatTurnStarted(started), None)];
        }
        own(action)
    }

    pub(super) fn take_expected(&mut self, key: &Key) -> Option<Origin> {
        let at = self.expected.iter().position(|(expected, _)| expected == key)?;
        Some(self.expected.remove(at).1)
    }
}

/// The status bits for activity.
const ACTIVITY: u32 = SessionStatus::IsRead.bits() - 1;

fn settled(channel: &Channel, action: StateAction, origin: Origin) -> Vec<Settled> {
    let sent = Some(origin.as_action_origin());
    if quirks::is_rename_on_chat(&Channel::Chat, &origin.action)
        && origin.uri.starts_with("ahp-chat:")
    {
        return vec![(channel.clone(), action, None), (Channel::Chat, origin.action, sent)];
    }
    let action = match (origin.action, action) {
        // With a start time that cannot be parsed, the elapsed time would never end.
        (StateAction::ChatTurnStarted(theirs), StateAction::ChatTurnStarted(ours)) => {
            let is_time = theirs.started_at.parse::<jiff::Timestamp>().is_ok();
            let started_at = if is_time { theirs.started_at } else { ours.started_at };
            // A turn ran already: the prompt was queued.
            let queued_message_id = ours.queued_message_id.or(theirs.queued_message_id);
            StateAction::ChatTurnStarted(ChatTurnStartedAction {
                started_at,
                queued_message_id,
                ..theirs
            })
        }
        // The engine may have queued a steering message.
        (StateAction::ChatPendingMessageSet(theirs), StateAction::ChatPendingMessageSet(ours))
            if theirs.kind != ours.kind =>
        {
            StateAction::ChatPendingMessageSet(ours)
        }
        // The values that hold now, all of them; and the messages and turns that there were by then.
        (
            StateAction::SessionConfigChanged(_)
            | StateAction::ChatQueuedMessagesReordered(_)
            | StateAction::ChatTruncated(_),
            ours,
        ) => ours,
        (theirs, _) => theirs,
    };
    vec![(channel.clone(), action, sent)]
}
