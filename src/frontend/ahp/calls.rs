//! A tool call through its life: its arguments stream, it is asked about, runs, prints, ends. Pure.

use super::state::{Channel, Channels, Worker};
use super::terminals::{self, Output};
use super::translator::Actions;
use super::wire;
use ahp_types::actions::{
    ChatToolCallCompleteAction, ChatToolCallConfirmedAction, ChatToolCallContentChangedAction,
    ChatToolCallDeltaAction, ChatToolCallReadyAction, ChatToolCallStartAction,
    SessionInputNeededRemovedAction, SessionInputNeededSetAction, StateAction,
};
use ahp_types::common::{JsonObject, StringOrMarkdown};
use ahp_types::state::{
    ConfirmationOption, ConfirmationOptionKind, ContentRef, FileEdit, FileEditCollection,
    FileEditDiffStats, FileEditSide, SessionActiveClient, SessionInputRequest,
    SessionToolClientExecutionRequest, SessionToolConfirmationRequest, TerminalCommandResult,
    ToolCallCancellationReason, ToolCallClientContributor, ToolCallConfirmationReason,
    ToolCallConfirmationState, ToolCallContributor, ToolCallPendingConfirmationState,
    ToolCallResult, ToolCallRunningState, ToolInput, ToolResultContent, ToolResultFileEditContent,
    ToolResultTextContent,
};
use pintle_base::text::truncate::border_after;
use pintle_protocol::approval::{Approval, ApprovalOption, ApprovalOutcome, DecidedBy, Decision};
use pintle_protocol::content::Content;
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_protocol::event::{DeltaField, ItemDelta};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemStatus, ToolCall, ToolKind, command_in};
use pintle_session::history::Streamed;
use serde_json::{Value, json};

/// The schemes of contents that only this host has: before and after a call, as a call proposes it, and the session's baseline.
pub(super) const BEFORE: &str = "pintle-before";
pub(super) const AFTER: &str = "pintle-after";
pub(super) const CURRENT: &str = "pintle-current";
pub(super) const PROPOSED: &str = "pintle-proposed";
pub(super) const BASELINE: &str = "pintle-baseline";

/// Maximum length of a result's text for clients, in bytes. The journal has the rest.
const MAX_TEXT_BYTES: usize = 128 * 1024;

/// A tool call.
#[derive(Debug, Default)]
pub(super) struct Call {
    id: String,
    stage: Stage,
    /// The approval that it waits for.
    pub(super) approval: Option<Approval>,
    /// The last approval that was asked for, with the changes that it proposed.
    pub(super) proposal: Option<Approval>,
    /// The client whose tool it is.
    client: Option<String>,
    tool_name: String,
    title: String,
    kind: Option<ToolKind>,
    input: Option<Value>,
    arguments: Streamed,
    /// A command's terminal.
    output: Option<Output>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The arguments stream.
    #[default]
    Streaming,
    /// Waits for the user's approval.
    Asked,
    /// Allowed to run.
    Allowed,
    /// Its end was sent.
    Over,
}

/// Returns the client that offers a tool.
pub(super) fn client_of(clients: &[SessionActiveClient], tool: &str) -> Option<String> {
    let offers = |client: &&SessionActiveClient| client.tools.iter().any(|own| own.name == tool);
    clients.iter().rev().find(offers).map(|client| client.client_id.clone())
}

impl Call {
    /// Returns the client whose tool it is.
    pub(super) fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    pub(super) fn start(
        &mut self,
        item: &Item,
        body: &ToolCall,
        turn: &str,
        client: Option<String>,
        out: &mut Actions,
    ) {
        self.id = item.id.to_string();
        self.client = client;
        self.kind = Some(body.kind);
        self.tool_name.clone_from(&body.tool_name);
        let action = ChatToolCallStartAction {
            turn_id: turn.to_owned(),
            tool_call_id: self.id.clone(),
            meta: self.meta(),
            tool_name: body.tool_name.clone(),
            display_name: body.tool_name.clone(),
            intention: None,
            contributor: self.contributor(),
        };
        out.push((Channel::Chat, StateAction::ChatToolCallStart(action)));
    }

    pub(super) fn update(
        &mut self,
        item: &Item,
        body: &ToolCall,
        is_over: bool,
        (chat, turn): (&str, &str),
        channels: &mut Channels,
        out: &mut Actions,
    ) {
        self.title.clone_from(&body.title);
        self.input = body.arguments().cloned();
        let runs = item.status == ItemStatus::Running;
        if self.stage == Stage::Streaming && (runs || is_over) {
            self.stage = Stage::Allowed;
            let confirmed = Some(ToolCallConfirmationReason::NotNeeded);
            out.push((Channel::Chat, self.ready(turn, confirmed, None)));
        }
        if runs && self.stage == Stage::Allowed {
            self.run(turn, chat, channels, out);
        }
        if is_over && self.stage != Stage::Over {
            self.complete(item, body, turn, channels, out);
        }
    }

    /// Applies a piece of the arguments or of the output.
    pub(super) fn delta(&mut self, delta: &ItemDelta, turn: &str, out: &mut Actions) {
        match delta.field {
            DeltaField::Args if self.stage == Stage::Streaming => {
                let Some(text) = self.arguments.take_next(delta) else { return };
                let action = ChatToolCallDeltaAction {
                    turn_id: turn.to_owned(),
                    tool_call_id: self.id.clone(),
                    meta: None,
                    content: Some(text.to_owned()),
                    invocation_message: None,
                };
                out.push((Channel::Chat, StateAction::ChatToolCallDelta(action)));
            }
            DeltaField::Output => {
                if let Some(output) = &mut self.output {
                    output.delta(delta, out);
                }
            }
            DeltaField::Args | DeltaField::Input | DeltaField::Text => {}
        }
    }

    /// Asks the user for approval.
    pub(super) fn ask(
        &mut self,
        approval: &Approval,
        (chat, turn): (&str, &str),
        out: &mut Actions,
    ) {
        self.title.clone_from(&approval.title);
        self.input = Some(approval.input.clone());
        self.stage = Stage::Asked;
        self.approval = Some(approval.clone());
        self.proposal = Some(approval.clone());
        out.push((Channel::Chat, self.ready(turn, None, Some(approval))));
        let pending = ToolCallPendingConfirmationState {
            tool_call_id: self.id.clone(),
            tool_name: self.tool_name.clone(),
            display_name: self.tool_name.clone(),
            intention: None,
            contributor: self.contributor(),
            meta: self.meta(),
            invocation_message: self.invocation(),
            tool_input: self.tool_input(),
            confirmation_title: Some(confirmation_title(approval)),
            risk_assessment: None,
            edits: proposed_edits(approval),
            editable: None,
            options: Some(options(approval)),
        };
        let request = SessionInputRequest::ToolConfirmation(SessionToolConfirmationRequest {
            id: self.id.clone(),
            chat: chat.to_owned(),
            turn_id: turn.to_owned(),
            tool_call: ToolCallConfirmationState::PendingConfirmation(pending),
        });
        let action = Box::new(SessionInputNeededSetAction { request });
        out.push((Channel::Session, StateAction::SessionInputNeededSet(action)));
    }

    /// Reports the decision, made by a client or by the engine.
    pub(super) fn resolve(&mut self, outcome: &ApprovalOutcome, turn: &str, out: &mut Actions) {
        let Some(approval) = self.approval.take() else { return };
        self.withdraw(out);
        let approved = outcome.decision == Decision::Allow;
        self.stage = if approved { Stage::Allowed } else { Stage::Over };
        let is_chosen = |option: &&ApprovalOption| {
            option.decision == outcome.decision && option.scope == outcome.scope
        };
        let reason = match outcome.by {
            DecidedBy::Client => ToolCallCancellationReason::Denied,
            DecidedBy::NoApprover | DecidedBy::Deadline | DecidedBy::Interrupt => {
                ToolCallCancellationReason::Skipped
            }
        };
        let action = ChatToolCallConfirmedAction {
            turn_id: turn.to_owned(),
            tool_call_id: self.id.clone(),
            meta: None,
            approved,
            confirmed: approved.then_some(ToolCallConfirmationReason::UserAction),
            reason: (!approved).then_some(reason),
            edited_tool_input: None,
            user_suggestion: None,
            reason_message: outcome.feedback.as_deref().map(wire::literal),
            selected_option_id: approval
                .options
                .iter()
                .find(is_chosen)
                .map(|option| option.option_id.clone()),
        };
        out.push((Channel::Chat, StateAction::ChatToolCallConfirmed(action)));
    }

    /// Ends the call with its turn: a pending approval is withdrawn.
    pub(super) fn turn_over(&mut self, out: &mut Actions) {
        if self.approval.take().is_some() {
            self.withdraw(out);
        }
        self.stage = Stage::Over;
    }

    fn withdraw(&self, out: &mut Actions) {
        let action = SessionInputNeededRemovedAction { id: self.id.clone() };
        out.push((Channel::Session, StateAction::SessionInputNeededRemoved(action)));
    }

    /// Marks the call as running: a command gets a terminal, and a client is asked to run its tool.
    fn run(&mut self, turn: &str, chat: &str, channels: &mut Channels, out: &mut Actions) {
        if let Some(client_id) = &self.client {
            let tool_call = ToolCallRunningState {
                tool_call_id: self.id.clone(),
                tool_name: self.tool_name.clone(),
                display_name: self.tool_name.clone(),
                intention: None,
                contributor: self.contributor(),
                meta: None,
                invocation_message: self.invocation(),
                tool_input: self.tool_input(),
                confirmed: ToolCallConfirmationReason::NotNeeded,
                selected_option: None,
                content: None,
            };
            let request =
                SessionInputRequest::ToolClientExecution(SessionToolClientExecutionRequest {
                    id: self.id.clone(),
                    chat: chat.to_owned(),
                    turn_id: turn.to_owned(),
                    client_id: client_id.clone(),
                    tool_call,
                });
            let action = Box::new(SessionInputNeededSetAction { request });
            out.push((Channel::Session, StateAction::SessionInputNeededSet(action)));
        }
        if self.kind == Some(ToolKind::Execute) && self.output.is_none() {
            let item = ItemId::new(self.id.clone());
            let turn_id = Some(turn.to_owned());
            self.output = Some(Output::open(&item, &self.tool_name, turn_id, channels));
            let content = vec![terminals::content(&item, &self.tool_name, None, channels)];
            let action = ChatToolCallContentChangedAction {
                turn_id: turn.to_owned(),
                tool_call_id: self.id.clone(),
                meta: None,
                content,
            };
            out.push((Channel::Chat, StateAction::ChatToolCallContentChanged(action)));
        }
    }

    fn complete(
        &mut self,
        item: &Item,
        body: &ToolCall,
        turn: &str,
        channels: &Channels,
        out: &mut Actions,
    ) {
        if self.approval.take().is_some() || self.client.is_some() {
            self.withdraw(out);
        }
        self.stage = Stage::Over;
        let text = body.output.as_ref().map(|output| texts(&output.content)).unwrap_or_default();
        let details = body.output.as_ref().map(|output| &output.details);
        let mut content = Vec::new();
        let jobs = details.iter().flat_map(|details| &details.jobs).filter(|job| !job.has_ended);
        for job in jobs {
            if let Some(terminal) = channels.terminals.get(&job.item_id) {
                content.push(terminals::content(&job.item_id, &terminal.title, None, channels));
            }
        }
        if let Some(output) = &mut self.output {
            let exit_code = details.and_then(|details| details.exit_code).map(i64::from);
            output.end(&text, exit_code, out);
            let result = TerminalCommandResult {
                exit_code,
                preview: Some(cut(&text)),
                truncated: Some(details.is_some_and(|details| details.truncation.is_some())),
            };
            // A command that continues as a job is shown in the job's terminal.
            if content.is_empty() {
                content.push(terminals::content(&item.id, &self.tool_name, Some(result), channels));
            }
        }
        let worker = details.and_then(|details| channels.workers.get(details.agent.as_ref()?));
        content.extend(worker.map(Worker::content));
        for change in body.changes() {
            let FileEdit { before, after, diff } =
                file_edit(change, (BEFORE, AFTER), item.id.as_str());
            let edit = ToolResultFileEditContent { before, after, diff };
            content.push(ToolResultContent::FileEdit(edit));
        }
        if content.is_empty() && !text.is_empty() {
            content.push(ToolResultContent::Text(ToolResultTextContent { text: cut(&text) }));
        }
        let success = item.status == ItemStatus::Completed
            && !body.output.as_ref().is_some_and(|output| output.is_error);
        let result = ToolCallResult {
            success,
            past_tense_message: self.invocation(),
            content: Some(content),
            structured_content: None,
            error: (!success).then(|| json!({ "message": cut(&text) })),
        };
        let action = ChatToolCallCompleteAction {
            turn_id: turn.to_owned(),
            tool_call_id: self.id.clone(),
            meta: None,
            result,
            requires_result_confirmation: None,
        };
        out.push((Channel::Chat, StateAction::ChatToolCallComplete(action)));
    }

    fn ready(
        &self,
        turn: &str,
        confirmed: Option<ToolCallConfirmationReason>,
        approval: Option<&Approval>,
    ) -> StateAction {
        StateAction::ChatToolCallReady(ChatToolCallReadyAction {
            turn_id: turn.to_owned(),
            tool_call_id: self.id.clone(),
            meta: self.meta(),
            contributor: self.contributor(),
            intention: None,
            invocation_message: self.invocation(),
            tool_input: self.tool_input(),
            confirmation_title: approval.map(confirmation_title),
            risk_assessment: None,
            edits: approval.and_then(proposed_edits),
            editable: None,
            confirmed,
            options: approval.map(options),
        })
    }

    fn meta(&self) -> Option<JsonObject> {
        if self.kind != Some(ToolKind::Execute) {
            return None;
        }
        let meta = json!({ "toolKind": "terminal", "language": "shellscript" });
        meta.as_object().cloned()
    }

    fn contributor(&self) -> Option<ToolCallContributor> {
        let client_id = self.client.clone()?;
        Some(ToolCallContributor::Client(ToolCallClientContributor { client_id }))
    }

    fn invocation(&self) -> StringOrMarkdown {
        let title = if self.title.is_empty() { &self.tool_name } else { &self.title };
        wire::literal(title)
    }

    fn tool_input(&self) -> Option<ToolInput> {
        let input = self.input.as_ref()?;
        let command = command_in(input).filter(|_| self.kind == Some(ToolKind::Execute));
        let text = match command {
            Some(command) => command.into_owned(),
            None => input.to_string(),
        };
        Some(ToolInput::Inline(text))
    }
}

/// Returns the tool and the reason for the approval. VS Code reads this text as Markdown twice, so it contains no names; they follow in the
/// message below.
fn confirmation_title(approval: &Approval) -> StringOrMarkdown {
    wire::literal(&format!("{}: {}", approval.tool_name, approval.reason))
}

/// Returns the answers that the user can choose from, in groups of approval and denial.
fn options(approval: &Approval) -> Vec<ConfirmationOption> {
    let option = |option: &ApprovalOption| {
        let (kind, group) = match option.decision {
            Decision::Allow => (ConfirmationOptionKind::Approve, 0),
            Decision::Deny | Decision::Abort => (ConfirmationOptionKind::Deny, 1),
        };
        let (id, label) = (option.option_id.clone(), option.label.clone());
        ConfirmationOption { id, label, kind, group: Some(group) }
    };
    approval.options.iter().map(option).collect()
}

fn proposed_edits(approval: &Approval) -> Option<FileEditCollection> {
    let edit = |change| file_edit(change, (CURRENT, PROPOSED), approval.item_id.as_str());
    let items: Vec<FileEdit> = approval.changes.iter().map(edit).collect();
    (!items.is_empty()).then_some(FileEditCollection { items })
}

/// Converts a file's change, with the addresses of its contents.
pub(super) fn file_edit(
    change: &FileChange,
    (before, after): (&str, &str),
    authority: &str,
) -> FileEdit {
    let old_path = change.old_path.as_deref().unwrap_or(&change.path);
    let before = (change.op != FileOp::Add).then(|| side(before, authority, old_path));
    let after = (change.op != FileOp::Delete).then(|| side(after, authority, &change.path));
    let diff = FileEditDiffStats {
        added: Some(wire::count(change.added)),
        removed: Some(wire::count(change.removed)),
    };
    FileEdit { before, after, diff: Some(diff) }
}

/// One side of a change.
pub(super) fn side(scheme: &str, authority: &str, path: &str) -> FileEditSide {
    let uri = wire::uri(scheme, authority, path);
    let content = ContentRef { uri, size_hint: None, content_type: None, nonce: None };
    FileEditSide { uri: wire::file_uri(path), content }
}

fn texts(content: &[Content]) -> String {
    let texts = content.iter().map(|block| match block {
        Content::Text { text } | Content::Document { text, .. } => text.as_str(),
        Content::Image { .. } => "[image]",
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the tail of a text, which is the part users look at, up to a limit.
fn cut(text: &str) -> String {
    let Some(over) = text.len().checked_sub(MAX_TEXT_BYTES).filter(|over| *over > 0) else {
        return text.to_owned();
    };
    let at = border_after(text, over);
    format!("[{at} bytes omitted]\n{}", text.get(at..).unwrap_or_default())
}
