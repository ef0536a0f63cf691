//! What the events of a session say, and what must hold of them.

use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::{ApprovalId, ItemId, QuestionId, SessionId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus};
use pintle_protocol::methods::SessionResult;
use pintle_protocol::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};

/// A fold of a session's events.
#[derive(Debug)]
pub(super) struct Truth {
    session: SessionId,
    /// The number of the last event of this session.
    seq: u64,
    /// Events up to here were seen before; they come again in the same words.
    known: Vec<String>,
    turn: Option<TurnId>,
    queue: BTreeSet<ItemId>,
    accepted: BTreeSet<ItemId>,
    read: BTreeSet<ItemId>,
    /// What of it the model still knows.
    known_items: BTreeSet<ItemId>,
    removed: BTreeSet<ItemId>,
    approvals: Vec<ApprovalId>,
    questions: Vec<QuestionId>,
    plan: Option<Plan>,
    open: BTreeMap<ItemId, Item>,
    over: BTreeSet<ItemId>,
    ran: BTreeSet<ItemId>,
    is_summed_up: bool,
}

impl Truth {
    pub(super) fn new(session: SessionId) -> Self {
        Self {
            session,
            seq: 0,
            known: Vec::new(),
            turn: None,
            queue: BTreeSet::new(),
            accepted: BTreeSet::new(),
            read: BTreeSet::new(),
            known_items: BTreeSet::new(),
            removed: BTreeSet::new(),
            approvals: Vec::new(),
            questions: Vec::new(),
            plan: None,
            open: BTreeMap::new(),
            over: BTreeSet::new(),
            ran: BTreeSet::new(),
            is_summed_up: false,
        }
    }

    /// The events come again from the first one on.
    pub(super) fn watch_anew(&mut self) {
        self.seq = 0;
    }

    /// The number of the last event.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    pub(super) fn approvals(&self) -> impl Iterator<Item = &ApprovalId> {
        self.approvals.iter()
    }

    pub(super) fn questions(&self) -> impl Iterator<Item = &QuestionId> {
        self.questions.iter()
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, record: &EventRecord) {
        if record.session_id != self.session {
            return;
        }
        assert_eq!(record.seq, self.seq + 1, "numbers have no gap and none comes twice");
        self.seq = record.seq;
        let words = serde_json::to_string(record).unwrap();
        let at = usize::try_from(record.seq).unwrap() - 1;
        if let Some(known) = self.known.get(at) {
            assert_eq!(&words, known, "what was said stays said");
            return;
        }
        self.known.push(words);
        self.fold(record);
    }

    fn fold(&mut self, record: &EventRecord) {
        let turn = record.turn_id.as_ref();
        match &record.event {
            Event::InputAccepted(input) => {
                assert!(self.accepted.insert(input.item_id.clone()), "accepted twice");
                self.queue.insert(input.item_id.clone());
            }
            Event::InputRemoved { inputs, .. } => {
                for input in inputs {
                    assert!(self.queue.remove(&input.item_id), "handed back what did not wait");
                    self.removed.insert(input.item_id.clone());
                }
            }
            Event::TurnStarted { .. } => {
                assert_eq!(self.turn, None, "a turn began in another one");
                self.turn = turn.cloned();
            }
            Event::TurnCompleted(end) => {
                assert_eq!(
                    self.turn.take().as_ref(),
                    turn,
                    "the turn that ended is the one that ran"
                );
                assert!(
                    self.approvals.is_empty() && self.questions.is_empty(),
                    "a question outlived its turn"
                );
                let error = end.error.as_ref().map_or("", |error| &error.message);
                assert!(
                    !error.contains("breaks a rule"),
                    "the model was sent a broken history: {error}"
                );
                let left = self
                    .open
                    .values()
                    .find(|item| is_of_turn(item) && item.turn_id.as_ref() == turn);
                assert!(left.is_none(), "the turn ended before its item {left:?}");
            }
            Event::ItemStarted { item } => {
                assert!(!self.over.contains(&item.id), "an item began after its end: {item:?}");
                assert!(
                    self.open.insert(item.id.clone(), item.clone()).is_none(),
                    "began twice: {item:?}"
                );
            }
            Event::ItemUpdated { item } => {
                assert!(self.open.contains_key(&item.id), "changed, and is not open: {item:?}");
                if matches!(item.body, ItemBody::ToolCall(_)) && item.status == ItemStatus::Running
                {
                    assert!(self.ran.insert(item.id.clone()), "a call ran twice: {item:?}");
                }
                self.open.insert(item.id.clone(), item.clone());
            }
            Event::ItemCompleted { item } => self.ended(item),
            Event::ApprovalRequested(approval) => self.approvals.push(approval.approval_id.clone()),
            Event::ApprovalResolved(outcome) => {
                let before = self.approvals.len();
                self.approvals.retain(|id| *id != outcome.approval_id);
                assert_eq!(self.approvals.len() + 1, before, "an answer to no question");
            }
            Event::QuestionRequested(question) => self.questions.push(question.question_id.clone()),
            Event::QuestionResolved(outcome) => {
                let before = self.questions.len();
                self.questions.retain(|id| *id != outcome.question_id);
                assert_eq!(self.questions.len() + 1, before, "an answer to no question");
            }
            Event::HistoryRewound(rewound) => {
                assert_eq!(self.turn, None, "gone back while a turn runs");
                assert!(rewound.to_seq < record.seq);
                self.known_items.retain(|id| !rewound.dropped.contains(id));
                let restored = rewound.restored.iter().filter(|id| self.read.contains(*id));
                self.known_items.extend(restored.cloned());
            }
            // One without items is none.
            Event::PlanUpdated(plan) => {
                self.plan = Some(plan.clone()).filter(|plan| !plan.items.is_empty());
            }
            Event::QueueChanged { queue } => {
                let queue: BTreeSet<_> = queue.iter().map(|input| input.item_id.clone()).collect();
                assert_eq!(queue, self.queue, "an edit loses and adds nothing");
            }
            Event::SessionCreated(_)
            | Event::SessionMoved(_)
            | Event::SessionClosed {}
            | Event::SessionUpdated(_)
            | Event::PromptMade(_)
            | Event::StepCompleted(_)
            | Event::RetryScheduled(_)
            | Event::ContextPruned(_)
            | Event::ConfigChanged(_)
            | Event::FilesChanged(_)
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::LabelChanged(_)
            | Event::Notice(_) => {}
        }
    }

    fn ended(&mut self, item: &Item) {
        assert!(self.over.insert(item.id.clone()), "ended twice: {item:?}");
        self.open.remove(&item.id);
        assert!(
            !matches!(item.status, ItemStatus::Pending | ItemStatus::Running),
            "ended and goes on: {item:?}"
        );
        if let Some(call) = item.body.as_tool_call() {
            // A call of a reply that was cut goes with it: it never ran, and the model does not know of it.
            let is_cut = item.status == ItemStatus::Cancelled && !self.ran.contains(&item.id);
            assert!(call.output.is_some() || is_cut, "a call without a result: {item:?}");
        } else if item.body.as_user_message().is_some() {
            assert!(self.queue.remove(&item.id), "read what did not wait: {item:?}");
            self.read.insert(item.id.clone());
            self.known_items.insert(item.id.clone());
        } else if item.body.as_compaction().is_some() {
            self.is_summed_up |= item.status == ItemStatus::Completed;
        }
    }

    /// The snapshot says what the events say.
    pub(super) fn check(&self, snapshot: &SessionResult) {
        if snapshot.seq != self.seq {
            // More came meanwhile; the next look compares.
            return;
        }
        let queue: BTreeSet<_> = snapshot.queue.iter().map(|input| input.item_id.clone()).collect();
        assert_eq!(queue, self.queue, "what waits");
        assert_eq!(snapshot.active_turn_id, self.turn, "the running turn");
        let approvals: Vec<_> =
            snapshot.approvals.iter().map(|open| open.approval_id.clone()).collect();
        assert_eq!(approvals, self.approvals, "open questions of permission");
        let questions: Vec<_> =
            snapshot.questions.iter().map(|open| open.question_id.clone()).collect();
        assert_eq!(questions, self.questions, "open questions");
        assert_eq!(snapshot.plan, self.plan, "the plan");
    }

    /// The model reads each message that it was given, once and in order, and none that was handed back.
    pub(super) fn check_read(&self, read: &str, accepted: &BTreeMap<ItemId, String>) {
        for (id, text) in accepted {
            let count = read.matches(text.as_str()).count();
            if self.removed.contains(id) || !self.known_items.contains(id) {
                assert_eq!(count, 0, "{text} was handed back or left, and the model reads it");
            } else if self.is_summed_up {
                assert!(count <= 1, "{text} stands {count} times in what the model reads");
            } else {
                assert_eq!(count, 1, "{text} stands {count} times in what the model reads");
            }
        }
    }

    /// All is over: nothing is open, and each message that was accepted was read or handed back.
    pub(super) fn is_over(&self, accepted: &BTreeMap<ItemId, String>) {
        assert_eq!(self.turn, None);
        assert!(self.open.is_empty(), "never ended: {:?}", self.open.values());
        assert!(self.queue.is_empty(), "still waits: {:?}", self.queue);
        for (id, text) in accepted {
            assert!(self.accepted.contains(id), "{text} was accepted and no event says so");
            let fates =
                usize::from(self.read.contains(id)) + usize::from(self.removed.contains(id));
            assert_eq!(fates, 1, "{text} was read or handed back, one of them");
        }
    }
}

/// Whether an item must end with its turn.
fn is_of_turn(item: &Item) -> bool {
    !matches!(item.body, ItemBody::Job(_) | ItemBody::Subagent(_))
}
