//! Turns session events into actions on the session's channels. Pure, and the only place that does.
//!
//! Clients name turns and messages; the journal keeps these names as request keys, so that a session that is read again has the same ones.
//! Invariant: the sent part of a text is a prefix of it, whatever deltas were lost.

use super::calls::{self, Call};
use super::input;
use super::state::{Channel, Channels, Worker};
use super::terminals::{self, Output};
use super::{config, customizations, wire};
use ahp_types::actions::{
    ChatActivityChangedAction, ChatDeltaAction, ChatErrorAction, ChatInputCompletedAction,
    ChatInputRequestedAction, ChatPendingMessageRemovedAction, ChatPendingMessageSetAction,
    ChatQueuedMessagesReorderedAction, ChatReasoningAction, ChatResponsePartAction,
    ChatTruncatedAction, ChatTurnCancelledAction, ChatTurnCompleteAction, ChatTurnStartedAction,
    ChatTurnsLoadedAction, ChatUsageAction, SessionConfigChangedAction,
    SessionCustomizationsChangedAction, SessionInputNeededRemovedAction,
    SessionInputNeededSetAction, SessionReadyAction, SessionTitleChangedAction, StateAction,
};
use ahp_types::state::{
    ErrorInfo, ErrorResponsePart, MarkdownResponsePart, Message, MessageKind, MessageOrigin,
    PendingMessageKind, ReasoningResponsePart, ResponsePart, SessionChatInputRequest,
    SessionInputRequest, SessionLifecycle, SystemNotificationResponsePart, Turn, UsageInfo,
};
use pintle_agent::Feed;
use pintle_protocol::approval::{Approval, ApprovalOutcome};
use pintle_protocol::content::Input;
use pintle_protocol::event::{
    Delivery, DeltaField, Event, EventRecord, ItemDelta, Notice, NoticeLevel, QueuedInput,
    StepCompleted, TransientEvent, TransientRecord, TurnCompleted, TurnStatus,
};
use pintle_protocol::files::{ChangedBy, FileRecord};
use pintle_protocol::history::HistoryRewound;
use pintle_protocol::ids::{ApprovalId, ItemId, QuestionId, SessionId, TurnId};
use pintle_protocol::item::{Item, ItemStatus, Job};
use pintle_protocol::plan::PlanStatus;
use pintle_protocol::question::{Question, QuestionOutcome};
use pintle_session::history::Streamed;
use pintle_session::presentation::Form;
use std::collections::{BTreeMap, BTreeSet};

/// Before the names that clients give to turns and messages, in the keys of requests.
const KEY: &str = "ahp/";

/// Returns the key for the request that starts a client's turn or queues its message.
pub(super) fn key(id: &str) -> String {
    format!("{KEY}{id}")
}

/// Actions on channels, in order.
pub(super) type Actions = Vec<(Channel, StateAction)>;

/// A session's state between its events, as far as translation needs it.
#[derive(Debug, Default)]
pub(super) struct Translator {
    /// The chat's address.
    chat: String,
    /// The names of turns by their ids, for turns that clients began.
    names: BTreeMap<TurnId, String>,
    /// The messages that no model has read.
    queue: Vec<Queued>,
    active: Option<ActiveTurn>,
    /// The running turn's model.
    model: String,
    /// The plan step that the model works on.
    activity: Option<String>,
    texts: BTreeMap<ItemId, Text>,
    calls: BTreeMap<ItemId, Call>,
    /// The output of jobs that run.
    jobs: BTreeMap<ItemId, Output>,
    /// The requests for input that are open, by their names in the protocol.
    open: BTreeMap<String, InputRequest>,
    /// Items of ended turns, for rewinds.
    over: BTreeMap<String, EndedTurn>,
    /// Turns that a rewind left behind.
    aside: Vec<Turn>,
    /// File contents before and after calls.
    files: BTreeMap<ItemId, Vec<FileRecord>>,
    /// The review has changed since it was looked at.
    pub(super) is_review_stale: bool,
}

#[derive(Debug)]
struct Queued {
    /// The name that the message has in the protocol.
    name: String,
    input: QueuedInput,
}

#[derive(Debug)]
struct ActiveTurn {
    id: TurnId,
    name: String,
    items: BTreeSet<ItemId>,
    seq: u64,
}

#[derive(Debug)]
struct EndedTurn {
    id: TurnId,
    seq: u64,
    items: BTreeSet<ItemId>,
}

/// A text that streams.
#[derive(Debug)]
struct Text {
    is_reasoning: bool,
    has_begun: bool,
    streamed: Streamed,
}

/// A request for input that waits for an answer.
#[derive(Debug, Clone)]
pub(super) enum InputRequest {
    /// The model's question.
    Question(QuestionId),
    /// A sub-agent call's approval, which is in no chat.
    Approval(SessionId, Box<Approval>),
}

impl Translator {
    /// Creates a session's translator, positioned at the first event.
    pub(super) fn new(session: &SessionId) -> Self {
        Self { chat: Channel::Chat.uri(session), ..Self::default() }
    }

    /// Returns the running turn's name and id.
    pub(super) fn active(&self) -> Option<(&str, &TurnId)> {
        self.active.as_ref().map(|active| (active.name.as_str(), &active.id))
    }

    /// Returns an ended turn's id.
    pub(super) fn ended(&self, name: &str) -> Option<&TurnId> {
        self.over.get(name).map(|over| &over.id)
    }

    /// Returns the approval that a call waits for.
    pub(super) fn approval_of(&self, item: &ItemId) -> Option<&Approval> {
        self.calls.get(item)?.approval.as_ref()
    }

    /// Returns the client whose tool a call runs.
    pub(super) fn client_of(&self, item: &ItemId) -> Option<&str> {
        self.calls.get(item)?.client()
    }

    /// Returns the open request for input of this name.
    pub(super) fn asked(&self, request: &str) -> Option<&InputRequest> {
        self.open.get(request)
    }

    /// Creates an item for a message that no model has read yet.
    pub(super) fn queued(&self, name: &str) -> Option<&ItemId> {
        self.queue.iter().find(|queued| queued.name == name).map(|queued| &queued.input.item_id)
    }

    /// Returns a file's states before and after a call.
    pub(super) fn file_of(&self, item: &ItemId, path: &str) -> Option<&FileRecord> {
        self.files.get(item)?.iter().find(|file| file.path == path)
    }

    /// Returns the changes that a call proposes.
    pub(super) fn proposed(&self, item: &ItemId) -> Option<&Approval> {
        self.calls.get(item)?.proposal.as_ref()
    }

    /// Translates a durable event of the session itself.
    pub(super) fn durable(&mut self, record: &EventRecord, channels: &mut Channels) -> Actions {
        let EventRecord { seq, ts_ms, turn_id, cause, event, .. } = record;
        let name = cause
            .as_ref()
            .and_then(|cause| cause.key.as_deref())
            .and_then(|key| key.strip_prefix(KEY))
            .map(str::to_owned);
        let mut out = Actions::new();
        match event {
            Event::SessionCreated(created) => {
                if channels.session.lifecycle == SessionLifecycle::Creating {
                    let ready = StateAction::SessionReady(SessionReadyAction {});
                    out.push((Channel::Session, ready));
                }
                let values = config::values(created.permission_mode, created.mode);
                config_changed(values, channels, &mut out);
            }
            Event::ConfigChanged(changed) => {
                let values = config::values(changed.permission_mode, changed.mode);
                config_changed(values, channels, &mut out);
            }
            Event::SessionUpdated(updated) => {
                let title = updated.title.clone().unwrap_or_default();
                if title != channels.session.title {
                    let action = SessionTitleChangedAction { title };
                    out.push((Channel::Session, StateAction::SessionTitleChanged(action)));
                }
            }
            Event::InputAccepted(input) => self.accepted(input, name, &mut out),
            Event::InputRemoved { inputs, .. } => {
                for input in inputs {
                    self.unqueue(&input.item_id, &mut out);
                }
            }
            Event::QueueChanged { queue } => self.queue_changed(queue, &mut out),
            Event::TurnStarted { model } => {
                if let Some(turn) = turn_id {
                    self.model.clone_from(model);
                    self.turn_started(turn, *seq, *ts_ms, &channels.session.title, &mut out);
                }
            }
            Event::TurnCompleted(end) => self.turn_completed(end, &mut out),
            Event::ItemStarted { item } | Event::ItemUpdated { item } => {
                self.item(item, false, channels, &mut out);
            }
            Event::ItemCompleted { item } => self.item(item, true, channels, &mut out),
            Event::ApprovalRequested(approval) => self.approval_requested(approval, &mut out),
            Event::ApprovalResolved(outcome) => self.approval_resolved(outcome, &mut out),
            Event::QuestionRequested(question) => self.question_requested(question, &mut out),
            Event::QuestionResolved(outcome) => self.question_resolved(outcome, &mut out),
            Event::PlanUpdated(plan) => {
                let current = plan.items.iter().find(|item| item.status == PlanStatus::InProgress);
                self.activity(current.map(|item| item.content.clone()), &mut out);
            }
            Event::StepCompleted(step) => self.usage(step, &mut out),
            Event::RetryScheduled(retry) => {
                let text = format!(
                    "{} Retrying ({} of {}).",
                    sentence(&retry.message),
                    retry.attempt,
                    retry.of
                );
                self.notify(&text, &mut out);
            }
            Event::Notice(notice) => self.notice(notice, &mut out),
            Event::FilesChanged(changed) => {
                self.is_review_stale = true;
                if let ChangedBy::Call { item_id, .. } = &changed.by {
                    self.files.entry(item_id.clone()).or_default().extend(changed.changes.clone());
                }
            }
            Event::PromptMade(made) => {
                let customizations = customizations::from_prompt(made);
                if customizations != channels.session.customizations.as_deref().unwrap_or_default()
                {
                    let action = SessionCustomizationsChangedAction { customizations };
                    out.push((Channel::Session, StateAction::SessionCustomizationsChanged(action)));
                }
            }
            Event::IsolationApplied(_) | Event::ReviewDecided(_) => self.is_review_stale = true,
            Event::HistoryRewound(rewound) => {
                self.is_review_stale = true;
                self.rewound(rewound, channels, &mut out);
            }
            Event::SessionClosed {}
            | Event::SessionMoved(_)
            | Event::ContextPruned(_)
            | Event::ReviewQueued(_)
            | Event::LabelChanged(_) => {}
        }
        out
    }

    /// Translates a transient event.
    pub(super) fn transient(&mut self, record: &TransientRecord) -> Actions {
        let mut out = Actions::new();
        match &record.event {
            TransientEvent::ItemDelta(delta) => self.delta(delta, &mut out),
            TransientEvent::Notice(notice) => self.notice(notice, &mut out),
            TransientEvent::State(_)
            | TransientEvent::Context(_)
            | TransientEvent::StepUsage(_) => {}
        }
        out
    }

    /// Translates a sub-agent's feed: its requests for permission are asked here while they are open, so events that are sent again ask
    /// nothing.
    pub(super) fn of_subagent(&mut self, feed: &Feed) -> Actions {
        let mut out = Actions::new();
        match feed {
            Feed::Questions(now) => {
                for approval in &now.approvals {
                    let name = request_name(&approval.approval_id);
                    if !self.open.contains_key(&name) {
                        let (session, asked) = (now.session_id.clone(), approval.clone());
                        let asked = InputRequest::Approval(session, Box::new(asked));
                        self.ask(name, asked, input::approval_request(approval), &mut out);
                    }
                }
            }
            Feed::Durable(record) => {
                if let Event::ApprovalResolved(outcome) = &record.value.event {
                    let (response, answers) = input::approval_answers(outcome);
                    let name = request_name(&outcome.approval_id);
                    self.answered(&name, response, answers, &mut out);
                }
            }
            _ => {}
        }
        out
    }

    fn accepted(&mut self, input: &QueuedInput, name: Option<String>, out: &mut Actions) {
        let name = name.unwrap_or_else(|| match input.delivery {
            Delivery::Prompt => input.turn_id.to_string(),
            Delivery::Steer | Delivery::FollowUp => input.item_id.to_string(),
        });
        let kind = match input.delivery {
            Delivery::Prompt => None,
            Delivery::Steer => Some(PendingMessageKind::Steering),
            Delivery::FollowUp => Some(PendingMessageKind::Queued),
        };
        if input.delivery != Delivery::Steer {
            self.names.insert(input.turn_id.clone(), name.clone());
        }
        if let Some(kind) = kind {
            let message = input::message(&input.content);
            let action = ChatPendingMessageSetAction { kind, id: name.clone(), message };
            out.push((Channel::Chat, StateAction::ChatPendingMessageSet(action)));
        }
        self.queue.push(Queued { name, input: input.clone() });
    }

    fn unqueue(&mut self, item: &ItemId, out: &mut Actions) {
        let Some(at) = self.queue.iter().position(|queued| queued.input.item_id == *item) else {
            return;
        };
        let Queued { name: id, input } = self.queue.remove(at);
        let kind = match input.delivery {
            Delivery::Prompt => return,
            Delivery::Steer => PendingMessageKind::Steering,
            Delivery::FollowUp => PendingMessageKind::Queued,
        };
        let action = ChatPendingMessageRemovedAction { kind, id };
        out.push((Channel::Chat, StateAction::ChatPendingMessageRemoved(action)));
    }

    fn queue_changed(&mut self, queue: &[QueuedInput], out: &mut Actions) {
        let mut order = Vec::new();
        for input in queue {
            let Some(queued) =
                self.queue.iter_mut().find(|queued| queued.input.item_id == input.item_id)
            else {
                continue;
            };
            let kind = match input.delivery {
                Delivery::Prompt => continue,
                Delivery::Steer => PendingMessageKind::Steering,
                Delivery::FollowUp => PendingMessageKind::Queued,
            };
            if queued.input.content != input.content {
                let message = input::message(&input.content);
                let id = queued.name.clone();
                let action = ChatPendingMessageSetAction { kind, id, message };
                out.push((Channel::Chat, StateAction::ChatPendingMessageSet(action)));
            }
            queued.input.clone_from(input);
            if kind == PendingMessageKind::Queued {
                order.push(queued.name.clone());
            }
        }
        let action = ChatQueuedMessagesReorderedAction { order };
        out.push((Channel::Chat, StateAction::ChatQueuedMessagesReordered(action)));
    }

    fn turn_started(
        &mut self,
        turn: &TurnId,
        seq: u64,
        ts_ms: u64,
        title: &str,
        out: &mut Actions,
    ) {
        let begins = |queued: &&Queued| {
            queued.input.turn_id == *turn && queued.input.delivery != Delivery::Steer
        };
        let first = self.queue.iter().find(begins);
        let queued_message_id = first
            .filter(|queued| queued.input.delivery == Delivery::FollowUp)
            .map(|queued| queued.name.clone());
        let message = first.map_or_else(own_turn, |queued| input::message(&queued.input.content));
        let name = self.names.get(turn).cloned().unwrap_or_else(|| turn.to_string());
        self.active =
            Some(ActiveTurn { id: turn.clone(), name: name.clone(), items: BTreeSet::new(), seq });
        // A session without a title is shown under its first words.
        let first_words = title_of(&message.text).filter(|_| title.is_empty());
        if let Some(title) = first_words {
            let action = SessionTitleChangedAction { title };
            out.push((Channel::Session, StateAction::SessionTitleChanged(action)));
        }
        let action = ChatTurnStartedAction {
            turn_id: name,
            started_at: wire::time(ts_ms),
            message,
            queued_message_id,
            meta: None,
        };
        out.push((Channel::Chat, StateAction::ChatTurnStarted(action)));
    }

    fn turn_completed(&mut self, end: &TurnCompleted, out: &mut Actions) {
        // Requests that can no longer be answered are closed.
        for name in self.open.keys().cloned().collect::<Vec<_>>() {
            let (response, answers) = input::withdrawn();
            self.answered(&name, response, answers, out);
        }
        for call in self.calls.values_mut() {
            call.turn_over(out);
        }
        let Some(ActiveTurn { id, name: turn_id, items, seq }) = self.active.take() else { return };
        self.over.insert(turn_id.clone(), EndedTurn { id, seq, items });
        self.texts.clear();
        let duration = wire::count(end.duration_ms);
        let action = match (end.status, &end.error) {
            (TurnStatus::Completed, _) => StateAction::ChatTurnComplete(ChatTurnCompleteAction {
                turn_id,
                duration,
                meta: None,
            }),
            (TurnStatus::Interrupted, _) => {
                StateAction::ChatTurnCancelled(ChatTurnCancelledAction {
                    turn_id,
                    duration,
                    meta: None,
                })
            }
            (TurnStatus::Failed, error) => {
                let (error_type, message) = match error {
                    Some(error) => (error.code.clone(), said(&error.message, error.hint.as_ref())),
                    None => ("other".to_owned(), "The turn failed.".to_owned()),
                };
                let error = ErrorInfo { error_type, message, stack: None, meta: None };
                let part = ErrorResponsePart { error, resumable: None };
                StateAction::ChatError(ChatErrorAction { turn_id, duration, part, meta: None })
            }
        };
        out.push((Channel::Chat, action));
        self.activity(None, out);
    }

    /// Reports the model's current activity.
    fn activity(&mut self, activity: Option<String>, out: &mut Actions) {
        if self.activity != activity {
            self.activity.clone_from(&activity);
            let action = ChatActivityChangedAction { activity };
            out.push((Channel::Chat, StateAction::ChatActivityChanged(action)));
        }
    }

    fn item(&mut self, item: &Item, is_over: bool, channels: &mut Channels, out: &mut Actions) {
        if let Some(job) = item.body.as_job() {
            return self.job(item, job, is_over, channels, out);
        }
        if let Some(agent) = item.body.as_subagent() {
            let worker = Worker { session: agent.session_id.clone(), task: agent.task.clone() };
            channels.workers.insert(agent.agent_id.clone(), worker);
        }
        let Some(active) = &mut self.active else { return };
        active.items.insert(item.id.clone());
        let turn = active.name.clone();
        let chat = &self.chat;
        match Form::from(&item.body) {
            Form::UserMessage(content) if is_over => self.read(&item.id, content, out),
            Form::Message(text) => self.text(item, text, false, is_over, out),
            Form::Reasoning(text) => self.text(item, text, true, is_over, out),
            Form::Work(_) => {
                // Jobs and sub-agents are shown by their calls, the latter with their chats.
                let Some(body) = item.body.as_tool_call() else { return };
                let tools = &channels.session.active_clients;
                let is_new = !self.calls.contains_key(&item.id);
                let call = self.calls.entry(item.id.clone()).or_default();
                if is_new {
                    call.start(item, body, &turn, calls::client_of(tools, &body.tool_name), out);
                }
                call.update(item, body, is_over, (chat, &turn), channels, out);
            }
            Form::Compaction(compaction) => {
                if is_over && item.status == ItemStatus::Completed {
                    let text = format!(
                        "The conversation was summarized from about {} to {} tokens.",
                        compaction.tokens_before,
                        compaction.tokens_after.unwrap_or_default()
                    );
                    self.notify(&text, out);
                } else if let (true, Some(error)) = (is_over, &compaction.error) {
                    let text = format!("The conversation could not be summarized: {error}");
                    self.notify(&text, out);
                }
            }
            Form::UserMessage(_) | Form::Note(_) => {}
        }
    }

    /// Translates a background job, which may outlive its turn.
    fn job(
        &mut self,
        item: &Item,
        job: &Job,
        is_over: bool,
        channels: &mut Channels,
        out: &mut Actions,
    ) {
        if !self.jobs.contains_key(&item.id) {
            let turn = item.turn_id.as_ref();
            let turn = turn.map(|id| self.names.get(id).cloned().unwrap_or_else(|| id.to_string()));
            let output = Output::open(&item.id, &job.title, turn, channels);
            self.jobs.insert(item.id.clone(), output);
            channels.jobs.insert(item.id.clone());
        }
        if is_over {
            channels.jobs.remove(&item.id);
            if let Some(mut output) = self.jobs.remove(&item.id) {
                terminals::end_job(&mut output, job, out);
            }
        }
    }

    /// Handles a message that the model has read.
    fn read(&mut self, item: &ItemId, content: &[Input], out: &mut Actions) {
        let Some(queued) = self.queue.iter().find(|queued| queued.input.item_id == *item) else {
            return;
        };
        match queued.input.delivery {
            Delivery::Steer => {
                self.unqueue(item, out);
                let text = input::message(content).text;
                self.notify(&format!("You said: {text}"), out);
            }
            Delivery::Prompt | Delivery::FollowUp => {
                self.queue.retain(|queued| queued.input.item_id != *item);
            }
        }
    }

    /// Begins or ends a text. The end supplies what no delta did.
    fn text(
        &mut self,
        item: &Item,
        text: &str,
        is_reasoning: bool,
        is_over: bool,
        out: &mut Actions,
    ) {
        let open = self.texts.entry(item.id.clone()).or_insert_with(|| Text {
            is_reasoning,
            has_begun: false,
            streamed: Streamed::default(),
        });
        if !is_over {
            return;
        }
        let rest = open.streamed.rest(text);
        self.grow(&item.id, rest, out);
        self.texts.remove(&item.id);
    }

    fn delta(&mut self, delta: &ItemDelta, out: &mut Actions) {
        if let Some(output) = self.jobs.get_mut(&delta.item_id) {
            return output.delta(delta, out);
        }
        let turn = match &self.active {
            Some(active) => active.name.clone(),
            None => return,
        };
        if let Some(call) = self.calls.get_mut(&delta.item_id) {
            return call.delta(delta, &turn, out);
        }
        let Some(open) = self.texts.get_mut(&delta.item_id) else { return };
        if delta.field == DeltaField::Text
            && let Some(text) = open.streamed.take_next(delta)
        {
            self.grow(&delta.item_id, text, out);
        }
    }

    /// Appends to a text, whose part begins with its first piece.
    fn grow(&mut self, item: &ItemId, more: &str, out: &mut Actions) {
        let (Some(active), Some(open)) = (&self.active, self.texts.get_mut(item)) else { return };
        if more.is_empty() {
            return;
        }
        let (turn_id, part_id) = (active.name.clone(), item.to_string());
        if !std::mem::replace(&mut open.has_begun, true) {
            let (id, content) = (part_id.clone(), String::new());
            let part = if open.is_reasoning {
                ResponsePart::Reasoning(ReasoningResponsePart { id, content })
            } else {
                ResponsePart::Markdown(MarkdownResponsePart { id, content })
            };
            let action = ChatResponsePartAction { turn_id: turn_id.clone(), part, meta: None };
            out.push((Channel::Chat, StateAction::ChatResponsePart(action)));
        }
        let (content, meta) = (more.to_owned(), None);
        let action = if open.is_reasoning {
            StateAction::ChatReasoning(ChatReasoningAction { turn_id, part_id, content, meta })
        } else {
            StateAction::ChatDelta(ChatDeltaAction { turn_id, part_id, content, meta })
        };
        out.push((Channel::Chat, action));
    }

    fn usage(&mut self, step: &StepCompleted, out: &mut Actions) {
        let Some(active) = &self.active else { return };
        let usage = &step.usage;
        let input = usage.read_tokens();
        let usage = UsageInfo {
            input_tokens: Some(wire::count(input)),
            output_tokens: Some(wire::count(usage.output_tokens)),
            model: Some(self.model.clone()),
            cache_read_tokens: Some(wire::count(usage.cache_read_tokens)),
            meta: None,
        };
        let action = ChatUsageAction { turn_id: active.name.clone(), usage, meta: None };
        out.push((Channel::Chat, StateAction::ChatUsage(action)));
    }

    fn approval_requested(&mut self, approval: &Approval, out: &mut Actions) {
        if let (Some(active), Some(call)) = (&self.active, self.calls.get_mut(&approval.item_id)) {
            call.ask(approval, (&self.chat, &active.name), out);
        }
    }

    fn approval_resolved(&mut self, outcome: &ApprovalOutcome, out: &mut Actions) {
        if let (Some(active), Some(call)) = (&self.active, self.calls.get_mut(&outcome.item_id)) {
            call.resolve(outcome, &active.name, out);
        }
    }

    fn question_requested(&mut self, question: &Question, out: &mut Actions) {
        let name = question.question_id.to_string();
        let asked = InputRequest::Question(question.question_id.clone());
        self.ask(name, asked, input::question_request(question), out);
    }

    fn question_resolved(&mut self, outcome: &QuestionOutcome, out: &mut Actions) {
        let (response, answers) = input::question_answers(outcome);
        self.answered(outcome.question_id.as_str(), response, answers, out);
    }

    fn ask(
        &mut self,
        name: String,
        asked: InputRequest,
        request: ahp_types::state::ChatInputRequest,
        out: &mut Actions,
    ) {
        if self.active.is_none() {
            return;
        }
        self.open.insert(name, asked);
        let action = ChatInputRequestedAction { request: request.clone() };
        out.push((Channel::Chat, StateAction::ChatInputRequested(action)));
        let (id, chat) = (request.id.clone(), self.chat.clone());
        let request = SessionChatInputRequest { id, chat, request };
        let request = SessionInputRequest::ChatInput(request);
        let action = Box::new(SessionInputNeededSetAction { request });
        out.push((Channel::Session, StateAction::SessionInputNeededSet(action)));
    }

    fn answered(
        &mut self,
        name: &str,
        response: ahp_types::state::ChatInputResponseKind,
        answers: Option<input::Answers>,
        out: &mut Actions,
    ) {
        if self.open.remove(name).is_none() {
            return;
        }
        let request_id = name.to_owned();
        let action = ChatInputCompletedAction { request_id, response, answers };
        out.push((Channel::Chat, StateAction::ChatInputCompleted(action)));
        let action = SessionInputNeededRemovedAction { id: name.to_owned() };
        out.push((Channel::Session, StateAction::SessionInputNeededRemoved(action)));
    }

    fn notice(&mut self, notice: &Notice, out: &mut Actions) {
        if notice.level != NoticeLevel::Info {
            self.notify(&said(&notice.message, notice.hint.as_ref()), out);
        }
    }

    /// Shows a line that does not come from the model.
    fn notify(&mut self, text: &str, out: &mut Actions) {
        let Some(active) = &self.active else { return };
        let content = wire::literal(text);
        let part = SystemNotificationResponsePart { content, meta: None };
        let part = ResponsePart::SystemNotification(part);
        let action = ChatResponsePartAction { turn_id: active.name.clone(), part, meta: None };
        out.push((Channel::Chat, StateAction::ChatResponsePart(action)));
    }

    /// Gives the chat the turns of another path: the last turns, or all, are removed, and the path's turns are restored.
    fn rewound(&mut self, rewound: &HistoryRewound, channels: &Channels, out: &mut Actions) {
        let mut turns: Vec<Turn> = channels.chat.turns.clone();
        turns.append(&mut self.aside);
        turns.sort_by_key(|turn| self.over.get(&turn.id).map_or(0, |over| over.seq));
        let is_left = |turn: &Turn| {
            let Some(over) = self.over.get(&turn.id) else { return false };
            let is_dropped = over.items.iter().any(|item| rewound.dropped.contains(item));
            let is_restored = over.items.iter().any(|item| rewound.restored.contains(item));
            let was_aside = !channels.chat.turns.iter().any(|shown| shown.id == turn.id);
            is_dropped || (was_aside && !is_restored)
        };
        let (aside, shown) = turns.into_iter().partition(is_left);
        self.aside = aside;
        let shown: Vec<Turn> = shown;
        let had = channels.chat.turns.iter().map(|turn| &turn.id);
        if shown.len() <= channels.chat.turns.len()
            && shown.iter().zip(had).all(|(turn, had)| turn.id == *had)
        {
            let action = ChatTruncatedAction { turn_id: shown.last().map(|turn| turn.id.clone()) };
            return out.push((Channel::Chat, StateAction::ChatTruncated(action)));
        }
        let action = ChatTruncatedAction { turn_id: None };
        out.push((Channel::Chat, StateAction::ChatTruncated(action)));
        let action = ChatTurnsLoadedAction { turns: shown, turns_next_cursor: None };
        out.push((Channel::Chat, StateAction::ChatTurnsLoaded(action)));
    }
}

fn config_changed(values: ahp_types::common::JsonObject, channels: &Channels, out: &mut Actions) {
    let known = channels.session.config.as_ref().map(|config| &config.values);
    let is_new =
        values.iter().any(|(name, value)| known.and_then(|known| known.get(name)) != Some(value));
    if is_new {
        let action = SessionConfigChangedAction { config: values, replace: None };
        out.push((Channel::Session, StateAction::SessionConfigChanged(action)));
    }
}

/// Returns a message's beginning, as a title.
fn title_of(text: &str) -> Option<String> {
    /// The maximum length of a title in a list, in characters.
    const MAX_CHARS: usize = 60;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let title: String = line.chars().take(MAX_CHARS).collect();
    Some(if title.len() < line.len() { format!("{title}…") } else { title })
}

/// Returns the message for a turn not started by the user.
fn own_turn() -> Message {
    Message {
        text: String::new(),
        origin: MessageOrigin { kind: MessageKind::SystemNotification },
        attachments: None,
        model: None,
        agent: None,
        meta: None,
    }
}

/// Returns the id of the input request for a sub-agent's call.
fn request_name(approval: &ApprovalId) -> String {
    approval.to_string()
}

fn said(message: &str, hint: Option<&String>) -> String {
    match hint {
        Some(hint) => format!("{} {}", sentence(message), sentence(hint)),
        None => sentence(message),
    }
}

/// Formats an engine fragment as a sentence.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase).into_iter().flatten();
    let mut sentence: String = first.chain(chars).collect();
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}
