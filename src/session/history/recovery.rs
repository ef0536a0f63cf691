//! Recovers a session after a crash, from the journal's entries. Pure.
//!
//! Accepted messages that were never read wait in the queue, held for the next prompt: it is unknown whether they are still relevant, and
//! none is lost.

use super::keys::Keys;
use super::outcome::{accepts_plan, closed, without_answer, without_client};
use super::touched::TouchedFiles;
use super::tree;
use crate::store::Entry;
use crate::store::seen::Seen;
use crate::store::streaming::StreamedText;
use pintle_base::text::truncate::border_after;
use pintle_llm::ModelRef;
use pintle_protocol::approval::{Approval, DecidedBy};
use pintle_protocol::content::{Content, Usage, add_cost};
use pintle_protocol::event::{
    DeltaField, Event, EventRecord, QueuedInput, SessionCreated, TurnCompleted, TurnError,
    TurnStatus,
};
use pintle_protocol::ids::TurnId;
use pintle_protocol::item::{
    Item, ItemBody, ItemStatus, JobEnd, Subagent, SubagentState, ToolResult,
};
use pintle_protocol::plan::{Plan, WorkMode};
use pintle_protocol::question::{AnsweredBy, Question, QuestionKind};
use pintle_protocol::review::QueuedDecision;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Notice code: the turn's model gets its tools as text for the rest of the session.
pub const TEXT_TOOLS: &str = "textTools";

/// Unfinished work at a journal's end.
#[derive(Debug, Default)]
pub struct Recovery {
    /// The session's configuration, with its last model and mode.
    pub created: Option<SessionCreated>,
    /// Events to append, each with its turn, so that everything that began has ended.
    pub closing: Vec<(Option<TurnId>, Event)>,
    /// Other state, outside the conversation.
    pub earlier: Earlier,
}

/// The state that a session leaves to the next time it is opened.
#[derive(Debug, Default)]
pub struct Earlier {
    /// Its background jobs.
    pub jobs: EarlierJobs,
    /// The number of turns.
    pub turns: u64,
    /// The number of sub-agents.
    pub agents: u64,
    /// The tokens and money used.
    pub total: Total,
    /// The decisions about hunks.
    pub decisions: Decisions,
    /// The model's plan.
    pub plan: Plan,
    /// True if its title was changed or removed after its creation.
    pub is_retitled: bool,
    /// The models that get their tools as text because the user chose it, as `provider/id`.
    pub text_tools: BTreeSet<String>,
    /// The mode that was last reported to the model.
    pub reported_mode: WorkMode,
    /// The files that the model has read and changed on the current path; set by the code that opens the session.
    pub touched: TouchedFiles,
    /// The files that the model has seen; filled in by the opening engine.
    pub seen: Vec<Seen>,
    /// The messages that were accepted and that no model has read, oldest first.
    pub unread: Vec<QueuedInput>,
    /// The effects of requests with a key.
    pub keys: Keys,
    /// The command lines of processes that the engine left running and that were stopped; set by the code that opens the session.
    pub ended: Vec<String>,
}

/// The background jobs of a session that was open before.
#[derive(Debug, Default)]
pub struct EarlierJobs {
    /// Their number.
    pub count: u64,
    /// Ended jobs whose end was not reported to the model.
    pub unreported: Vec<Item>,
}

/// The tokens and the money that a session and its sub-agents have used so far.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Total {
    /// The tokens.
    pub usage: Usage,
    /// The cost in billionths of a dollar, as far as prices are known.
    pub cost_nano_usd: Option<u64>,
}

impl Total {
    /// Adds usage.
    pub fn add(&mut self, usage: Usage, cost_nano_usd: Option<u64>) {
        self.usage += usage;
        add_cost(&mut self.cost_nano_usd, cost_nano_usd);
    }
}

/// Decisions that the review has not applied yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Decisions {
    /// True if the journal contains decisions.
    pub has_earlier: bool,
    /// The waiting decisions, oldest first.
    pub waiting: Vec<QueuedDecision>,
}

impl Decisions {
    fn add(&mut self, event: &Event) {
        if let Event::ReviewQueued(queue) = event {
            self.waiting.clone_from(&queue.waiting);
        }
        if let Event::ReviewDecided(decision) = event {
            self.has_earlier = true;
            self.waiting.retain(|waiting| Some(waiting.id) != decision.waited);
        }
    }
}

/// Finds unfinished work at a journal's end.
pub fn read(entries: &[Entry], now_ms: u64) -> Recovery {
    let mut fold = Fold::default();
    let is_current = tree::current(entries);
    for entry in entries {
        let Some(record) = &entry.record else { continue };
        fold.add(record);
        if is_current(entry) {
            fold.add_to_path(record);
        }
    }
    fold.finish(now_ms)
}

/// The state after the entries read so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Fold {
    created: Option<SessionCreated>,
    open: Open,
    unread: Vec<QueuedInput>,
    jobs: OpenJobs,
    agents: OpenAgents,
    total: Total,
    is_retitled: bool,
    keys: Keys,
    turns: u64,
    copies: Copies,
    decisions: Decisions,
    text_tools: TextTools,
    plan: Plan,
    reported_mode: ReportedMode,
}

/// The entries that were copied from another session, whose turns and costs were counted there.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Copies {
    /// The last entry that a fork copied, and the fork's time.
    copied_seq: u64,
    forked_ms: u64,
    /// The last entry that a merge copied.
    merged_seq: u64,
}

impl Fold {
    /// Takes in the next event.
    pub fn add(&mut self, record: &EventRecord) {
        self.decisions.add(&record.event);
        self.text_tools.add(&record.event);
        // Everything in a merged fork has ended.
        if record.seq <= self.copies.merged_seq {
            return;
        }
        self.keys.record(record);
        if self.jobs.takes(&record.event) || self.agents.takes(&record.event) {
            return;
        }
        let open = &mut self.open;
        match &record.event {
            Event::SessionCreated(created) => {
                if let Some(from) = &created.forked_from {
                    self.copies.copied_seq = from.copied_seq;
                    self.copies.forked_ms = record.ts_ms;
                }
                self.created = Some(created.clone());
            }
            Event::SessionMoved(moved) => {
                self.update(|created| created.cwd.clone_from(&moved.cwd));
            }
            Event::SessionUpdated(updated) => {
                self.total.add(updated.usage.unwrap_or_default(), updated.cost_nano_usd);
                self.is_retitled = true;
                self.update(|created| created.title.clone_from(&updated.title));
            }
            Event::ConfigChanged(changed) => self.update(|created| {
                created.model.clone_from(&changed.model);
                created.permission_mode = changed.permission_mode;
                created.mode = changed.mode;
            }),
            Event::HistoryRewound(rewound) => {
                if let Some(from) = &rewound.merged {
                    self.copies.merged_seq = from.copied_seq;
                }
            }
            Event::InputAccepted(input) => self.unread.push(input.clone()),
            Event::InputRemoved { inputs, .. } => {
                self.unread.retain(|waiting| !inputs.contains(waiting));
            }
            Event::QueueChanged { queue } => {
                // A message that is missing from it was read, or belongs to a turn that has started.
                let ids: Vec<_> = queue.iter().map(|input| &input.item_id).collect();
                self.unread.retain(|waiting| !ids.contains(&&waiting.item_id));
                self.unread.extend(queue.iter().cloned());
            }
            Event::TurnStarted { .. } => {
                let Some(turn) = record.turn_id.clone() else { return };
                self.turns += u64::from(record.seq > self.copies.copied_seq);
                *open = Open { turn: Some((turn, record.ts_ms)), ..Open::default() };
            }
            Event::TurnCompleted(end) => {
                if record.seq > self.copies.copied_seq {
                    self.total.add(end.usage, end.cost_nano_usd);
                }
                *open = Open::default();
            }
            Event::StepCompleted(step) => {
                open.usage = step.turn_usage;
                open.cost_nano_usd = step.turn_cost_nano_usd;
                open.steps = step.step;
            }
            Event::ItemStarted { item } | Event::ItemUpdated { item } => {
                open.items.retain(|other| other.id != item.id);
                open.items.push(item.clone());
            }
            Event::ItemCompleted { item } => {
                open.items.retain(|other| other.id != item.id);
                self.unread.retain(|waiting| waiting.item_id != item.id);
            }
            Event::QuestionRequested(question) => open.questions.push(question.clone()),
            Event::QuestionResolved(outcome) => {
                open.questions.retain(|question| question.question_id != outcome.question_id);
            }
            Event::ApprovalRequested(approval) => open.approvals.push(approval.clone()),
            Event::ApprovalResolved(outcome) => {
                open.approvals.retain(|approval| approval.approval_id != outcome.approval_id);
            }
            Event::SessionClosed {}
            | Event::PlanUpdated(_)
            | Event::FilesChanged(_)
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::LabelChanged(_)
            | Event::RetryScheduled(_)
            | Event::ContextPruned(_)
            | Event::PromptMade(_)
            | Event::Notice(_) => {}
        }
    }

    /// Takes in an event that is on the history's current path, after [`Self::add`].
    pub fn add_to_path(&mut self, record: &EventRecord) {
        if let Event::PlanUpdated(plan) = &record.event {
            self.plan.clone_from(plan);
        }
        self.reported_mode.add(&record.event);
    }

    /// Ends unfinished work.
    pub fn finish(self, now_ms: u64) -> Recovery {
        let Self { created, open, unread, keys, is_retitled, turns, copies, .. } = self;
        let (mut jobs, mut agents, mut total) = (self.jobs, self.agents, self.total);
        total.add(open.usage, open.cost_nano_usd);
        let mut closing = open.close(now_ms);
        let work = jobs.items.iter_mut().chain(&mut agents.items);
        for item in work.filter(|item| item.duration_ms.is_none()) {
            end_work(item, now_ms);
            closing.push((None, Event::ItemCompleted { item: item.clone() }));
        }
        for agent in agents.since(copies.forked_ms) {
            total.add(agent.usage, agent.cost_nano_usd);
        }
        let earlier = Earlier {
            jobs: EarlierJobs { count: jobs.count, unreported: jobs.unreported() },
            turns,
            agents: agents.items.len() as u64,
            total,
            decisions: self.decisions,
            plan: self.plan,
            is_retitled,
            text_tools: self.text_tools.chosen,
            reported_mode: self.reported_mode.mode,
            touched: TouchedFiles::default(),
            seen: Vec::new(),
            unread,
            keys,
            ended: Vec::new(),
        };
        Recovery { created, closing, earlier }
    }

    /// Returns true if a turn has not ended.
    pub fn is_in_turn(&self) -> bool {
        self.open.turn.is_some()
    }

    /// Returns the unfinished turn's unfinished items.
    pub fn open_items(&self) -> &[Item] {
        &self.open.items
    }

    /// Changes the session's configuration, if the journal has started with one.
    fn update(&mut self, change: impl FnOnce(&mut SessionCreated)) {
        if let Some(created) = &mut self.created {
            change(created);
        }
    }
}

/// The models for which the user chose tools as text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct TextTools {
    /// The model that was asked last, as `provider/id`.
    asked: Option<String>,
    chosen: BTreeSet<String>,
}

impl TextTools {
    fn add(&mut self, event: &Event) {
        if let Event::TurnStarted { model } = event {
            self.asked = model.parse::<ModelRef>().ok().map(|model| model.origin());
        } else if let Event::Notice(notice) = event
            && notice.code == TEXT_TOOLS
        {
            self.chosen.extend(self.asked.clone());
        }
    }
}

/// Returns the model's plan from these entries.
pub fn plan<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Plan {
    let records = entries.into_iter().filter_map(|entry| entry.record.as_ref());
    let plans = records.filter_map(|record| {
        let Event::PlanUpdated(plan) = &record.event else { return None };
        Some(plan)
    });
    plans.last().cloned().unwrap_or_default()
}

/// Returns the mode that was last reported to the model, from these entries.
pub fn reported_mode<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> WorkMode {
    let mut reported = ReportedMode::default();
    for record in entries.into_iter().filter_map(|entry| entry.record.as_ref()) {
        reported.add(&record.event);
    }
    reported.mode
}

/// The mode that was last reported to the model.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct ReportedMode {
    mode: WorkMode,
    /// The plans that the user was asked about.
    plans: Vec<Question>,
}

impl ReportedMode {
    fn add(&mut self, event: &Event) {
        if let Event::ItemCompleted { item } = event
            && let ItemBody::EngineMessage(message) = &item.body
        {
            self.mode = message.mode.unwrap_or(self.mode);
        }
        if let Event::QuestionRequested(question) = event
            && question.kind == QuestionKind::Plan
        {
            self.plans.push(question.clone());
        }
        if let Event::QuestionResolved(outcome) = event {
            let is_it = |question: &&Question| question.question_id == outcome.question_id;
            let question = self.plans.iter().find(is_it);
            if question.is_some_and(|question| accepts_plan(question, outcome)) {
                self.mode = WorkMode::Act;
            }
        }
    }
}

/// The background jobs in a journal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OpenJobs {
    count: u64,
    items: Vec<Item>,
}

impl OpenJobs {
    /// Handles an event; returns true if it is about a job alone.
    fn takes(&mut self, event: &Event) -> bool {
        let Some(item) = event.item() else { return false };
        if item.body.as_job().is_some() {
            self.count += u64::from(matches!(event, Event::ItemStarted { .. }));
            self.items.retain(|other| other.id != item.id);
            self.items.push(item.clone());
            return true;
        }
        if let ItemBody::EngineMessage(message) = &item.body {
            self.items.retain(|job| !message.jobs.contains(&job.id));
        }
        // A call's result may report the end as well.
        let output = item.body.as_tool_call().and_then(|call| call.output.as_ref());
        let reported = output.iter().flat_map(|output| &output.details.jobs);
        for job in reported.filter(|job| job.has_ended) {
            self.items.retain(|other| other.id != job.item_id);
        }
        false
    }

    /// Returns the jobs whose end no model has read. The end of a user's command is reported in notes instead.
    fn unreported(mut self) -> Vec<Item> {
        self.items.retain(|item| !matches!(&item.body, ItemBody::Job(job) if job.by_user));
        self.items
    }
}

/// The sub-agents in a journal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OpenAgents {
    items: Vec<Item>,
}

impl OpenAgents {
    /// Handles an event; returns true if it is about a sub-agent alone.
    fn takes(&mut self, event: &Event) -> bool {
        let Some(item) = event.item() else { return false };
        if item.body.as_subagent().is_none() {
            return false;
        }
        match self.items.iter_mut().find(|other| other.id == item.id) {
            Some(other) => other.clone_from(item),
            None => self.items.push(item.clone()),
        }
        true
    }

    /// Returns the sub-agents that started at this time or later.
    fn since(&self, ms: u64) -> impl Iterator<Item = &Subagent> {
        let began = self.items.iter().filter(move |item| item.started_ms >= ms);
        began.filter_map(|item| item.body.as_subagent())
    }
}

/// Ends a job or a sub-agent that ended with the engine.
fn end_work(item: &mut Item, now_ms: u64) {
    item.end(ItemStatus::Cancelled, now_ms);
    if let ItemBody::Job(job) = &mut item.body {
        job.end = Some(JobEnd::SessionEnded);
    }
    if let ItemBody::Subagent(agent) = &mut item.body {
        agent.state = SubagentState::Closed;
        item.status = closed(agent.state, agent.result.as_deref());
    }
}

/// Everything that has started and not ended.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Open {
    turn: Option<(TurnId, u64)>,
    items: Vec<Item>,
    approvals: Vec<Approval>,
    questions: Vec<Question>,
    usage: Usage,
    cost_nano_usd: Option<u64>,
    steps: u32,
}

impl Open {
    fn close(self, now_ms: u64) -> Vec<(Option<TurnId>, Event)> {
        let Some((turn, began_ms)) = self.turn else { return Vec::new() };
        let approvals = self.approvals.iter().map(|approval| {
            Event::ApprovalResolved(without_client(approval, DecidedBy::Interrupt))
        });
        let questions = self.questions.iter().map(|question| {
            Event::QuestionResolved(without_answer(question, AnsweredBy::Interrupt))
        });
        let items = self.items.into_iter().map(|item| Event::ItemCompleted { item: ended(item) });
        let completed = Event::TurnCompleted(TurnCompleted {
            status: TurnStatus::Failed,
            stop: None,
            error: Some(TurnError {
                code: "engineRestarted".to_owned(),
                message: "the engine ended while this turn ran".to_owned(),
                hint: Some("completed work is kept; send a prompt to continue".to_owned()),
                retryable: true,
                http_status: None,
            }),
            usage: self.usage,
            cost_nano_usd: self.cost_nano_usd,
            steps: self.steps,
            denials: 0,
            structured: None,
            duration_ms: now_ms.saturating_sub(began_ms),
        });
        let events = approvals.chain(questions).chain(items).chain([completed]);
        events.map(|event| (Some(turn.clone()), event)).collect()
    }
}

/// The maximum output in an interrupted call's result, in bytes: enough to see how far it came.
const OUTPUT_TAIL_BYTES: usize = 8 * 1024;

impl Recovery {
    /// Adds the text that an engine had streamed before it was killed to the items that are closed now, since users have read it.
    pub fn restore_streamed(&mut self, streamed: Vec<StreamedText>) {
        for StreamedText { item_id, field, text } in streamed {
            let completed = self.closing.iter_mut().filter_map(|(_, event)| {
                if let Event::ItemCompleted { item } = event { Some(item) } else { None }
            });
            let Some(item) = completed.into_iter().find(|item| item.id == item_id) else {
                continue;
            };
            restore(&mut item.body, field, text);
        }
    }
}

/// Puts streamed text into an item that a crash left open.
fn restore(body: &mut ItemBody, streamed: DeltaField, text: String) {
    match (body, streamed) {
        (ItemBody::AgentMessage(body) | ItemBody::Reasoning(body), DeltaField::Text) => {
            body.text = text;
        }
        (ItemBody::ToolCall(call), DeltaField::Output) => {
            let first = call.output.as_mut().and_then(|output| output.content.first_mut());
            if let Some(Content::Text { text: said }) = first {
                let shown = tail(&text);
                let which = if shown.len() < text.len() { "The end of its" } else { "Its" };
                *said = format!("{said}\n{which} output until then:\n{shown}");
            }
        }
        (ItemBody::Job(job), DeltaField::Output) => job.output = Some(tail(&text).to_owned()),
        // None of these has been read beyond its start.
        (_, DeltaField::Text | DeltaField::Output | DeltaField::Args | DeltaField::Input) => {}
    }
}

/// Returns an output's tail, from a line start if possible.
fn tail(text: &str) -> &str {
    let from = border_after(text, text.len().saturating_sub(OUTPUT_TAIL_BYTES));
    let end = text.get(from..).unwrap_or_default();
    match end.split_once('\n') {
        Some((_, lines)) if from > 0 && !lines.is_empty() => lines,
        Some(_) | None => end,
    }
}

/// Ends an item that a crash left open. A call that ran may have had any effect, and is never run again.
fn ended(mut item: Item) -> Item {
    let had_started = item.status == ItemStatus::Running;
    item.status = ItemStatus::Cancelled;
    if let Some(call) = item.body.as_tool_call_mut() {
        let text = if had_started {
            "Interrupted, outcome unknown: the engine ended while this call ran. Check its effects before you continue."
        } else {
            "Not run: the engine ended before this call began."
        };
        let content = vec![Content::text(text)];
        call.output = Some(ToolResult { content, is_error: true, ..ToolResult::default() });
    }
    item
}
