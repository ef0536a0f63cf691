//! Client actions: each is either passed to the engine, which decides, or changes only the state that clients see.

use super::host::AhpHost;
use super::outlet::ConnectionId;
use super::session::{Key, Open, Origin, Work, key_of};
use super::state::Channel;
use super::translator::{InputRequest, key};
use super::wire::reason;
use super::{config, input, quirks, wire};
use crate::client::Subagents;
use ahp_types::actions::{
    ChatInputCompletedAction, ChatPendingMessageSetAction, ChatToolCallCompleteAction,
    ChatToolCallConfirmedAction, ChatTurnStartedAction, StateAction,
};
use ahp_types::commands::DispatchActionParams;
use ahp_types::state::{PendingMessageKind, ToolDefinition, ToolResultContent};
use futures_util::future::FutureExt;
use pintle_agent::{
    Answer, ClientCommand, ClientTool, EngineHandle, Error, Extensions, OpenConfig, QueueCommand,
    SessionHandle, SessionRequest, TurnCommand,
};
use pintle_protocol::approval::{Approval, ApprovalAnswer, ApprovalAnswerParams, Decision, Scope};
use pintle_protocol::content::{Content, Input};
use pintle_protocol::files::RewindScope;
use pintle_protocol::history::{HistoryPoint, SessionRewindParams};
use pintle_protocol::hook::{ToolCallResult, ToolRegisterParams};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::methods::{
    ApprovalAnswerRequest, ConfigResult, ConfigSet, ConfigSetParams, QuestionAnswerRequest,
    QueueRemove, SessionRewind, SessionUpdate, TurnInterrupt, TurnInterruptParams, TurnStart,
    TurnStartParams, TurnSteerParams, WhenBusy,
};
use pintle_protocol::question::QuestionAnswerParams;
use pintle_protocol::queue::QueueRemoveParams;
use pintle_protocol::session::SessionUpdateParams;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The decision about an action.
enum ActionOutcome {
    /// The engine is asked; the event that follows is the client's action. An action that no event follows is shown once it is done.
    Ask(super::session::Make),
    /// Changes only the state that clients see.
    Show,
    Refuse(String),
}

impl ActionOutcome {
    fn refuse(reason: impl Into<String>) -> Self {
        Self::Refuse(reason.into())
    }
}

impl AhpHost {
    /// Takes an action of a client.
    pub(super) fn dispatched(&mut self, connection: ConnectionId, params: DispatchActionParams) {
        let DispatchActionParams { channel: uri, client_seq, action } = params;
        let Some(client_id) = self.clients.get(&connection).and_then(|client| client.name.clone())
        else {
            return;
        };
        if quirks::is_advice(&action) {
            return;
        }
        let origin = Origin { connection, client_id, client_seq, uri, action };
        let Some((session, channel)) = Channel::read(&origin.uri) else {
            return self.reject(origin, "unknown channel".to_owned());
        };
        // A draft that is being made is known to its clients.
        let is_known = |open: &&mut Open| open.loading.is_none() || open.is_draft;
        let Some(open) = self.sessions.get_mut(&session).filter(is_known) else {
            return self.reject(origin, "subscribe to the channel first".to_owned());
        };
        match decide(open, &channel, &origin, &self.subagents, &self.engine) {
            ActionOutcome::Refuse(reason) => self.reject(origin, reason),
            ActionOutcome::Show => {
                let (action, sent) = (origin.action.clone(), Some(origin.as_action_origin()));
                self.emit_one(&session, &channel, action, sent);
                self.shown(&session, &origin.action);
            }
            ActionOutcome::Ask(make) => {
                if let Some(key) = key_of(&origin.action) {
                    open.expected.push((key, origin.clone()));
                }
                self.work(&session, Work { origin: Some(origin), make });
            }
        }
    }

    /// Does what follows from an action that changed what clients see.
    fn shown(&mut self, session: &SessionId, action: &StateAction) {
        match action {
            StateAction::SessionActiveClientSet(_) | StateAction::SessionActiveClientRemoved(_) => {
                self.extend(session);
            }
            StateAction::SessionIsReadChanged(_) => self.status_changed(session),
            StateAction::SessionIsArchivedChanged(changed) => {
                let (engine, id) = (self.engine.clone(), session.clone());
                let archived = changed.is_archived;
                let archive = async move {
                    if let Err(error) = engine.archive(id, archived).await {
                        tracing::warn!("failed to archive a session: {error}");
                    }
                    super::host::Done::Nothing
                };
                self.running.push(archive.boxed());
                self.status_changed(session);
            }
            _ => {}
        }
    }

    /// Shows an action that no event follows, once it is done.
    pub(super) fn show_done(&mut self, session: &SessionId, origin: &Origin) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        match &origin.action {
            StateAction::SessionWorkingDirectorySet(action) => {
                open.settings.additional.extend(wire::path_of(&action.directory));
            }
            StateAction::SessionWorkingDirectoryRemoved(action) => {
                let path = wire::path_of(&action.directory);
                open.settings.additional.retain(|known| Some(known) != path.as_ref());
            }
            _ => {}
        }
        let (action, sent) = (origin.action.clone(), Some(origin.as_action_origin()));
        self.emit_one(session, &Channel::Session, action, sent);
    }

    fn status_changed(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get(session).filter(|open| open.is_announced) else {
            return;
        };
        let status = Some(open.summary().status);
        let changes = ahp_types::notifications::PartialSessionSummary {
            status,
            ..ahp_types::notifications::PartialSessionSummary::default()
        };
        self.summary_changed(session, changes);
    }

    /// Gives the model the session clients' tools.
    pub(super) fn extend(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get_mut(session).filter(|open| open.handle.is_some()) else {
            return;
        };
        let clients = &open.channels.session.active_clients;
        let tools = clients.iter().flat_map(|client| &client.tools).filter_map(client_tool);
        let extensions =
            Arc::new(Extensions { hooks: Vec::new(), tools: tools.map(Arc::new).collect() });
        let id = self.subscriber.id;
        let make: super::session::Make = Box::new(move |handle: SessionHandle| {
            async move {
                let extend = |reply| ClientCommand::Extend { id, extensions, reply };
                handle.ask(extend).await.map_err(|error| reason(&error))
            }
            .boxed()
        });
        // Before a prompt that waits: its turn is to have them.
        open.works.push_front(Work { origin: None, make });
        self.go_on(session);
    }
}

/// Converts a client's tool, if models accept its name and its parameters.
fn client_tool(tool: &ToolDefinition) -> Option<ClientTool> {
    /// The maximum length of a tool's name that every provider accepts.
    const MAX_NAME_CHARS: usize = 64;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_name = !tool.name.is_empty()
        && tool.name.len() <= MAX_NAME_CHARS
        && tool.name.chars().all(is_plain);
    let parameters = tool.input_schema.clone().unwrap_or_else(|| json!({ "type": "object" }));
    let is_object = parameters.get("type").and_then(|kind| kind.as_str()) == Some("object");
    if !is_name || !is_object {
        tracing::warn!("ignored the client tool `{}`", tool.name);
        return None;
    }
    let title = tool.title.clone().unwrap_or_else(|| tool.name.clone());
    let shape = ToolRegisterParams {
        name: tool.name.clone(),
        description: tool.description.clone().unwrap_or(title),
        parameters,
    };
    let made = ClientTool::new(shape, NEXT.fetch_add(1, Ordering::Relaxed));
    made.inspect_err(|error| tracing::warn!("ignored the tool `{}`: {error}", tool.name)).ok()
}

/// Decides how an action is handled.
fn decide(
    open: &mut Open,
    channel: &Channel,
    origin: &Origin,
    subagents: &Subagents,
    engine: &EngineHandle,
) -> ActionOutcome {
    match (channel, &origin.action) {
        (Channel::Session | Channel::Chat, StateAction::SessionTitleChanged(changed)) => {
            rename(open, changed.title.clone())
        }
        (Channel::Session, StateAction::SessionConfigChanged(changed)) => {
            configure(open, &changed.config)
        }
        (
            Channel::Session,
            StateAction::SessionIsReadChanged(_)
            | StateAction::SessionActiveClientSet(_)
            | StateAction::SessionActiveClientRemoved(_),
        )
        | (
            Channel::Chat,
            StateAction::ChatDraftChanged(_) | StateAction::ChatInputAnswerChanged(_),
        ) => ActionOutcome::Show,
        (Channel::Session, StateAction::SessionIsArchivedChanged(_)) => {
            if open.is_draft {
                ActionOutcome::refuse("it has no messages yet")
            } else {
                ActionOutcome::Show
            }
        }
        (Channel::Chat, StateAction::ChatTurnStarted(action)) => start(open, action),
        (Channel::Chat, StateAction::ChatTurnCancelled(action)) => cancel(open, &action.turn_id),
        (Channel::Chat, StateAction::ChatToolCallConfirmed(action)) => {
            confirm(open, action, &origin.client_id)
        }
        (Channel::Chat, StateAction::ChatToolCallComplete(action)) => complete(open, action),
        (Channel::Chat, StateAction::ChatPendingMessageSet(action)) => say(open, action),
        (Channel::Chat, StateAction::ChatPendingMessageRemoved(action)) => unsay(open, &action.id),
        (Channel::Chat, StateAction::ChatInputCompleted(action)) => answer(open, action, subagents),
        (Channel::Chat, StateAction::ChatQueuedMessagesReordered(action)) => {
            reorder(open, &action.order)
        }
        (Channel::Chat, StateAction::ChatTruncated(action)) => {
            truncate(open, action.turn_id.as_deref())
        }
        (Channel::Session, StateAction::SessionWorkingDirectorySet(action)) => {
            add_directory(open, &action.directory, engine)
        }
        (Channel::Session, StateAction::SessionWorkingDirectoryRemoved(action)) => {
            remove_directory(open, &action.directory, engine)
        }
        _ => ActionOutcome::refuse("pintle does not accept this action from clients"),
    }
}

/// Work of one command, whose result does not matter.
fn ask<T: Send + 'static, C: Into<pintle_agent::Command> + Send + 'static>(
    command: impl FnOnce(pintle_agent::Reply<T>) -> C + Send + 'static,
) -> super::session::Make {
    Box::new(move |handle: SessionHandle| {
        async move { handle.ask(command).await.map(drop).map_err(|error| reason(&error)) }.boxed()
    })
}

/// Returns a request to the session whose result is ignored.
fn call<R: SessionRequest>(params: R::Params) -> super::session::Make
where
    R::Params: Send + 'static,
{
    Box::new(move |handle: SessionHandle| {
        async move { handle.call::<R>(params).await.map(drop).map_err(|error| reason(&error)) }
            .boxed()
    })
}

fn rename(open: &mut Open, title: String) -> ActionOutcome {
    let is_unsaid = open.is_draft && !open.has_work();
    if is_unsaid || open.channels.session.title == title.trim() {
        return ActionOutcome::refuse("the session already has this title, or has no messages yet");
    }
    let params = SessionUpdateParams { session_id: None, title: Some(Some(title)) };
    ActionOutcome::Ask(call::<SessionUpdate>(params))
}

fn configure(open: &mut Open, changed: &ahp_types::common::JsonObject) -> ActionOutcome {
    let (permission_mode, mode) = match config::read(changed) {
        Ok(read) => read,
        Err(reason) => return ActionOutcome::Refuse(reason),
    };
    let is_new = permission_mode.is_some_and(|wanted| wanted != open.settings.permission_mode)
        || mode.is_some_and(|wanted| wanted != open.settings.mode);
    if open.is_draft {
        open.settings.permission_mode = permission_mode.unwrap_or(open.settings.permission_mode);
        open.settings.mode = mode.unwrap_or(open.settings.mode);
    }
    if open.is_draft || !is_new {
        return ActionOutcome::Show;
    }
    let values = config::options(permission_mode, mode);
    ActionOutcome::Ask(Box::new(move |handle| {
        async move { set_options(&handle, values).await }.boxed()
    }))
}

async fn set_options(
    handle: &SessionHandle,
    values: BTreeMap<String, String>,
) -> Result<(), String> {
    let set = handle.call::<ConfigSet>(ConfigSetParams { session_id: None, values }).await;
    let ConfigResult { rejected, .. } = set.map_err(|error| reason(&error))?;
    match rejected.first() {
        None => Ok(()),
        Some(rejected) => Err(rejected.reason.clone()),
    }
}

fn start(open: &mut Open, action: &ChatTurnStartedAction) -> ActionOutcome {
    let input = match input::blocks(&action.message) {
        Ok(input) => input,
        Err(reason) => return ActionOutcome::Refuse(reason),
    };
    let activity = Activity::of_chat(open);
    if activity == Activity::Running {
        return ActionOutcome::refuse("a turn is running; send a pending message instead");
    }
    let values = model_options(open, action.message.model.as_ref());
    let key = key(&action.turn_id);
    ActionOutcome::Ask(Box::new(move |handle| {
        async move {
            activity.end(&handle).await?;
            if let Some(values) = values {
                set_options(&handle, values).await?;
            }
            begin(handle.keyed(Some(key)), input).await.map_err(|error| reason(&error))
        }
        .boxed()
    }))
}

/// A chat's current activity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Activity {
    Idle,
    Running,
    /// A client has stopped the turn, and the engine has not ended it yet. Clients treat it as ended.
    Stopping,
}

impl Activity {
    fn of_chat(open: &Open) -> Self {
        let Some(turn) = &open.channels.chat.active_turn else { return Self::Idle };
        let stop = Key::Cancel(turn.id.clone());
        let is_stopping = open.expected.iter().any(|(key, _)| *key == stop);
        if is_stopping { Self::Stopping } else { Self::Running }
    }

    /// Waits until a turn that is being stopped has ended.
    async fn end(self, handle: &SessionHandle) -> Result<(), String> {
        if self != Self::Stopping {
            return Ok(());
        }
        let idle = handle.ask(|reply| TurnCommand::WhenIdle { reply }).await;
        idle.map_err(|error| reason(&error))
    }
}

async fn begin(handle: SessionHandle, input: Vec<Input>) -> Result<(), Error> {
    let when_busy = WhenBusy::Queue;
    let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
    handle.call::<TurnStart>(start).await.map(drop)
}

/// Returns the options that set the session's model to the message's, if they differ.
fn model_options(
    open: &mut Open,
    selection: Option<&ahp_types::state::ModelSelection>,
) -> Option<BTreeMap<String, String>> {
    let chosen = config::chosen_model(selection?);
    if chosen == open.settings.model {
        return None;
    }
    if open.is_draft {
        open.settings.model = chosen;
        return None;
    }
    let id = selection?.id.clone();
    let effort = chosen.strip_prefix(&format!("{id}:")).unwrap_or("default").to_owned();
    Some(BTreeMap::from([("model".to_owned(), id), ("effort".to_owned(), effort)]))
}

fn cancel(open: &Open, turn: &str) -> ActionOutcome {
    let active = open.translator.active().filter(|(name, _)| *name == turn);
    let Some((_, id)) = active else {
        return ActionOutcome::refuse("this turn is not running");
    };
    let expected_turn_id = Some(id.clone());
    ActionOutcome::Ask(call::<TurnInterrupt>(TurnInterruptParams {
        expected_turn_id,
        ..TurnInterruptParams::default()
    }))
}

/// Sends a message to the running turn, or as a separate turn.
fn say(open: &Open, action: &ChatPendingMessageSetAction) -> ActionOutcome {
    if open.translator.queued(&action.id).is_some() {
        return ActionOutcome::refuse("the message is already queued; remove it to send another");
    }
    let input = match input::blocks(&action.message) {
        Ok(input) => input,
        Err(reason) => return ActionOutcome::Refuse(reason),
    };
    let (key, kind) = (key(&action.id), action.kind);
    ActionOutcome::Ask(Box::new(move |handle| {
        async move {
            let handle = handle.keyed(Some(key));
            let refused = |error: Error| reason(&error);
            if kind == PendingMessageKind::Steering {
                let steer = TurnSteerParams { input: input.clone(), ..TurnSteerParams::default() };
                if handle.steer(steer).await.map_err(refused)?.is_some() {
                    return Ok(());
                }
            }
            begin(handle, input).await.map_err(refused)
        }
        .boxed()
    }))
}

fn unsay(open: &Open, id: &str) -> ActionOutcome {
    let Some(item) = open.translator.queued(id).cloned() else {
        return ActionOutcome::refuse("the model has read this message");
    };
    let params = QueueRemoveParams { session_id: None, item_ids: Some(vec![item]) };
    ActionOutcome::Ask(call::<QueueRemove>(params))
}

/// Reorders the messages that wait for separate turns.
fn reorder(open: &Open, order: &[String]) -> ActionOutcome {
    let item_ids: Vec<ItemId> =
        order.iter().filter_map(|name| open.translator.queued(name)).cloned().collect();
    if item_ids.is_empty() {
        return ActionOutcome::refuse("the model has read these messages");
    }
    ActionOutcome::Ask(ask(|reply| QueueCommand::Order { item_ids, reply }))
}

/// Removes the turns after one, so that the user can continue differently from there. Files are left unchanged: clients restore them.
fn truncate(open: &Open, turn: Option<&str>) -> ActionOutcome {
    let turns = &open.channels.chat.turns;
    let activity = Activity::of_chat(open);
    if activity == Activity::Running {
        return ActionOutcome::refuse("a turn is running; stop it first");
    }
    if activity == Activity::Idle && turn == turns.last().map(|turn| turn.id.as_str()) {
        return ActionOutcome::Show;
    }
    let to = match turn {
        None => HistoryPoint { seq: Some(0), ..HistoryPoint::default() },
        Some(name) => {
            let is_shown = turns.iter().any(|turn| turn.id == name);
            let Some(id) = open.translator.ended(name).filter(|_| is_shown) else {
                return ActionOutcome::refuse("the chat has no such turn");
            };
            HistoryPoint { turn_id: Some(id.clone()), ..HistoryPoint::default() }
        }
    };
    let scope = RewindScope::Conversation;
    let params = SessionRewindParams { to, scope, ..SessionRewindParams::default() };
    ActionOutcome::Ask(Box::new(move |handle| {
        async move {
            activity.end(&handle).await?;
            let rewound = handle.call::<SessionRewind>(params).await;
            rewound.map(drop).map_err(|error| reason(&error))
        }
        .boxed()
    }))
}

fn add_directory(open: &mut Open, uri: &str, engine: &EngineHandle) -> ActionOutcome {
    let Some(path) = wire::path_of(uri) else {
        return ActionOutcome::Refuse(format!("`{uri}` is not a directory on this machine"));
    };
    if open.folders().contains(&path) {
        return ActionOutcome::Show;
    }
    let mut additional = open.settings.additional.clone();
    additional.push(path);
    work_in(open, additional, engine)
}

fn remove_directory(open: &mut Open, uri: &str, engine: &EngineHandle) -> ActionOutcome {
    let path = wire::path_of(uri).unwrap_or_default();
    if Path::new(&open.channels.cwd) == path {
        return ActionOutcome::refuse("the first directory cannot be removed from a session");
    }
    let mut additional = open.settings.additional.clone();
    additional.retain(|known| *known != path);
    if additional == open.settings.additional {
        return ActionOutcome::refuse("this is not a directory of the session");
    }
    work_in(open, additional, engine)
}

/// Sets a session's additional working directories.
fn work_in(open: &mut Open, additional: Vec<PathBuf>, engine: &EngineHandle) -> ActionOutcome {
    if open.is_draft {
        // It is looked at when the session is made.
        open.settings.additional = additional;
        return ActionOutcome::Show;
    }
    let (engine, id) = (engine.clone(), open.channels.id.clone());
    ActionOutcome::Ask(Box::new(move |_| {
        async move {
            let config =
                OpenConfig { additional: Some(additional.into()), ..OpenConfig::default() };
            engine.open(id, config).await.map(drop).map_err(|error| reason(&error))
        }
        .boxed()
    }))
}

fn confirm(open: &mut Open, action: &ChatToolCallConfirmedAction, client: &str) -> ActionOutcome {
    let item = ItemId::new(action.tool_call_id.clone());
    let Some(approval) = open.translator.approval_of(&item) else {
        let tool_client = open.translator.client_of(&item);
        return if quirks::is_of_client_tool(tool_client, client) {
            ActionOutcome::Show
        } else {
            ActionOutcome::refuse("the call has already been decided")
        };
    };
    if open.expected.iter().any(|(key, _)| *key == Key::Confirm(action.tool_call_id.clone())) {
        return ActionOutcome::refuse("the call is being decided");
    }
    let answer = match approval_answer(approval, action) {
        Ok(answer) => answer,
        Err(reason) => return ActionOutcome::Refuse(reason),
    };
    let approval_id = approval.approval_id.clone();
    let params = ApprovalAnswerParams { session_id: None, approval_id, answer };
    ActionOutcome::Ask(call::<ApprovalAnswerRequest>(params))
}

/// Returns the option that the user chose, or the narrowest with that decision.
fn approval_answer(
    approval: &Approval,
    action: &ChatToolCallConfirmedAction,
) -> Result<ApprovalAnswer, String> {
    if action.edited_tool_input.is_some() {
        return Err("call arguments cannot be changed; deny the call with a reason".to_owned());
    }
    let wanted = if action.approved { Decision::Allow } else { Decision::Deny };
    let chosen = action.selected_option_id.as_deref();
    let is_chosen = |id: &str| chosen.is_none_or(|chosen| chosen == id);
    let mut options = approval.options.iter().filter(|option| {
        let fits = option.decision == wanted
            || (!action.approved && option.decision == Decision::Abort && chosen.is_some());
        fits && is_chosen(&option.option_id)
    });
    let narrowest = options.clone().find(|option| option.scope == Scope::Once);
    let Some(option) = narrowest.or_else(|| options.next()) else {
        return Err("this is not an option of the approval".to_owned());
    };
    let said = action.user_suggestion.as_ref().map(|message| message.text.clone());
    let reason = action.reason_message.as_ref().map(|reason| reason.as_text().to_owned());
    Ok(ApprovalAnswer {
        option_id: Some(option.option_id.clone()),
        feedback: said.or(reason).filter(|text| !text.trim().is_empty()),
        ..ApprovalAnswer::default()
    })
}

/// Passes on a client tool's result.
fn complete(open: &mut Open, action: &ChatToolCallCompleteAction) -> ActionOutcome {
    let item = ItemId::new(action.tool_call_id.clone());
    let Some(call_id) = open.calls.remove(&item) else {
        return ActionOutcome::refuse("the call is not waiting for a result");
    };
    let content = action.result.content.iter().flatten().filter_map(|block| match block {
        ToolResultContent::Text(text) => Some(Content::text(text.text.clone())),
        ToolResultContent::EmbeddedResource(resource)
            if resource.content_type.starts_with("image/") =>
        {
            let (mime_type, data) = (resource.content_type.clone(), resource.data.clone());
            Some(Content::Image { mime_type, data })
        }
        _ => None,
    });
    let mut content: Vec<Content> = content.collect();
    if content.is_empty() {
        content.push(Content::text(action.result.past_tense_message.as_text().to_owned()));
    }
    let result = ToolCallResult { content, is_error: !action.result.success };
    let outcome = serde_json::to_value(result).map_err(|error| error.to_string());
    ActionOutcome::Ask(Box::new(move |handle| {
        async move {
            let answer = Answer::Call { call_id, outcome };
            handle.tell(answer).await.map_err(|error| reason(&error))
        }
        .boxed()
    }))
}

fn answer(open: &Open, action: &ChatInputCompletedAction, subagents: &Subagents) -> ActionOutcome {
    let answers = action.answers.as_ref();
    match open.translator.asked(&action.request_id) {
        None => ActionOutcome::refuse("the question has already been answered"),
        Some(InputRequest::Question(id)) => {
            let answer = input::question_answer(action.response, answers);
            let question_id = id.clone();
            let params = QuestionAnswerParams { session_id: None, question_id, answer };
            ActionOutcome::Ask(call::<QuestionAnswerRequest>(params))
        }
        Some(InputRequest::Approval(session, approval)) => {
            let Some(child) = subagents.get(session).cloned() else {
                return ActionOutcome::refuse("the sub-agent no longer exists");
            };
            let approval_id = approval.approval_id.clone();
            let answer = input::approval_answer(action.response, answers);
            let params = ApprovalAnswerParams { session_id: None, approval_id, answer };
            ActionOutcome::Ask(Box::new(move |_| {
                async move {
                    let asked = child.call::<ApprovalAnswerRequest>(params);
                    asked.await.map(drop).map_err(|error| reason(&error))
                }
                .boxed()
            }))
        }
    }
}
