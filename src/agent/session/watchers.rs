//! Who watches, what they are handed, and whom a question goes to.

use super::{Open, Phase, Session};
use crate::agent::approval;
use crate::agent::command::{Answer, Command, Reply, Snapshot};
use crate::agent::engine::in_background;
use crate::agent::error::Error;
use crate::agent::feed::{Feed, Record, Served, Subscriber, SubscriberId};
use crate::agent::subagents;
use crate::agent::turn::Doing;
use pintle_protocol::approval::{Approval, ApprovalOutcome, DecidedBy};
use pintle_protocol::event::{
    Event, EventRecord, Notice, NoticeLevel, SessionState, StateValue, TransientEvent,
    TransientRecord,
};
use pintle_protocol::ids::TurnId;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::oneshot;

/// How many events may be sent to a new subscriber at once; with more it pages.
const REPLAY_LIMIT: usize = 1000;

impl Session {
    /// Puts an event into the journal. It is to be handed on next, and nothing in between.
    pub(super) fn append(
        &mut self,
        turn_id: Option<TurnId>,
        event: Event,
        private: Option<&RawValue>,
    ) -> Result<Arc<Record>, Error> {
        let value = EventRecord {
            session_id: self.id.clone(),
            seq: self.journal.last_seq() + 1,
            ts_ms: self.services.ambient.now_ms(),
            turn_id,
            event,
        };
        let json = self.journal.append(&value, private)?;
        Ok(Arc::new(Record { value, json }))
    }

    /// Puts an event into the journal and hands it on; says so when it cannot.
    pub(super) fn record(&mut self, turn_id: Option<TurnId>, event: Event) {
        match self.append(turn_id, event, None) {
            Ok(record) => self.hand_on(&record),
            Err(error) => self.warn_transiently(&error),
        }
    }

    pub(super) fn hand_on(&mut self, record: &Arc<Record>) {
        let before = self.subscribers.len();
        self.subscribers.retain_mut(|served| served.durable(record));
        if self.subscribers.len() != before {
            self.deny_if_nobody_answers();
        }
    }

    pub(super) fn hand_on_transient(&mut self, turn_id: Option<TurnId>, event: TransientEvent) {
        if self.subscribers.is_empty() {
            return;
        }
        let record = Arc::new(TransientRecord {
            session_id: self.id.clone(),
            after: self.journal.last_seq(),
            turn_id,
            event,
        });
        for served in &mut self.subscribers {
            served.transient(&record);
        }
    }

    pub(super) fn hand_on_state(&mut self) {
        self.hand_on_transient(None, TransientEvent::State(self.state()));
    }

    /// Says what could not be said in the journal.
    pub(super) fn warn_transiently(&mut self, error: &Error) {
        tracing::error!("session {}: {error}", self.id);
        let notice = Notice {
            level: NoticeLevel::Error,
            code: "journal".to_owned(),
            message: error.message.clone(),
            hint: error.hint.clone(),
        };
        self.hand_on_transient(None, TransientEvent::Notice(notice));
    }

    pub(super) fn catch_up(&mut self) {
        let head = self.journal.last_seq();
        for served in &mut self.subscribers {
            served.catch_up(&self.id, head);
        }
    }

    pub(super) async fn subscribe(
        &mut self,
        subscriber: Subscriber,
        from_seq: Option<u64>,
        reply: Reply<Snapshot>,
    ) {
        let seq = self.journal.last_seq();
        let missed = match from_seq.filter(|from| *from < seq) {
            None => Vec::new(),
            Some(from) => match in_background(self.journal.pager(from, REPLAY_LIMIT)).await {
                Ok(page) => page.events.iter().filter_map(|json| reread(json)).collect(),
                Err(error) => {
                    let _ = reply.send(Err(error));
                    return;
                }
            },
        };
        // Half of the channel stays free for what happens next.
        let fits = missed.len() <= REPLAY_LIMIT.min(subscriber.feed.capacity() / 2);
        let whole = from_seq.is_none_or(|from| from + missed.len() as u64 >= seq);
        let has_gap = !(fits && whole);
        let _ = reply.send(Ok(self.snapshot(has_gap)));
        if !has_gap {
            for record in missed {
                let _ = subscriber.feed.try_send(Feed::Durable(record));
            }
        }
        self.subscribers.retain(|served| served.subscriber.id != subscriber.id);
        self.subscribers.push(Served::new(subscriber.clone(), seq));
        for handle in self.subagents.handles() {
            subagents::watch(&handle, subscriber.clone()).await;
        }
    }

    pub(super) async fn unsubscribe(&mut self, id: SubscriberId, reply: Reply<()>) {
        self.subscribers.retain(|served| served.subscriber.id != id);
        let _ = reply.send(Ok(()));
        self.deny_if_nobody_answers();
        for handle in self.subagents.handles() {
            let _ = handle.ask(|reply| Command::Unsubscribe { id, reply }).await;
        }
    }

    pub(super) async fn no_more_answers(&mut self, id: SubscriberId) {
        if let Some(served) = self.subscribers.iter_mut().find(|s| s.subscriber.id == id) {
            served.subscriber.can_approve = false;
        }
        self.deny_if_nobody_answers();
        for handle in self.subagents.handles() {
            let _ = handle.tell(Command::NoMoreAnswers { id }).await;
        }
    }

    pub(super) fn snapshot(&self, has_gap: bool) -> Snapshot {
        Snapshot {
            seq: self.journal.last_seq(),
            cwd: self.journal.header().cwd.clone(),
            title: self.settings.title.clone(),
            model: self.settings.model.to_string(),
            permission_mode: self.settings.permission_mode,
            state: self.state(),
            active_turn_id: match &self.phase {
                Phase::Idle(_) => None,
                Phase::Running(running) => Some(running.turn_id.clone()),
            },
            queue: self.unread(),
            approvals: self.approvals.iter().map(|open| open.approval.clone()).collect(),
            usage: self.total.usage,
            cost_nano_usd: self.total.cost_nano_usd,
            context: self.context_usage(),
            has_gap,
        }
    }

    fn state(&self) -> SessionState {
        let value = match &self.phase {
            Phase::Idle(_) => StateValue::Idle,
            Phase::Running(_) if !self.approvals.is_empty() => StateValue::Blocked,
            Phase::Running(running) => match running.doing {
                Doing::Working => StateValue::Running,
                Doing::Retrying => StateValue::Retrying,
                Doing::Compacting => StateValue::Compacting,
            },
        };
        let blocked_on =
            self.approvals.iter().map(|open| open.approval.approval_id.clone()).collect();
        SessionState { value, blocked_on, background: self.jobs.background() }
    }

    // ----- questions

    pub(super) fn ask(&mut self, approval: Approval, answer: oneshot::Sender<ApprovalOutcome>) {
        let turn_id = Some(approval.turn_id.clone());
        self.record(turn_id, Event::ApprovalRequested(approval.clone()));
        self.approvals.push(Open { approval, answer });
        self.hand_on_state();
        self.deny_if_nobody_answers();
        let is_stopping = match &self.phase {
            Phase::Idle(_) => true,
            Phase::Running(running) => running.cancel.is_cancelled(),
        };
        if is_stopping {
            self.withdraw_approvals();
        }
    }

    pub(super) fn answer(&mut self, answer: &Answer) {
        let place =
            self.approvals.iter().position(|open| open.approval.approval_id == answer.approval_id);
        if let Some(place) = place {
            let open = self.approvals.remove(place);
            let outcome = approval::outcome(&open.approval, &answer.answer);
            self.resolve(open, outcome);
        }
    }

    pub(super) fn deny_if_nobody_answers(&mut self) {
        if !self.subscribers.iter().any(|served| served.subscriber.can_approve) {
            self.deny_all(DecidedBy::NoApprover);
        }
    }

    pub(super) fn withdraw_approvals(&mut self) {
        self.deny_all(DecidedBy::Interrupt);
    }

    fn deny_all(&mut self, by: DecidedBy) {
        for open in std::mem::take(&mut self.approvals) {
            let outcome = approval::without_client(&open.approval, by);
            self.resolve(open, outcome);
        }
    }

    fn resolve(&mut self, open: Open, outcome: ApprovalOutcome) {
        let turn_id = Some(open.approval.turn_id);
        self.record(turn_id, Event::ApprovalResolved(outcome.clone()));
        let _ = open.answer.send(outcome);
        self.hand_on_state();
    }
}

/// An event as it was read from the journal.
fn reread(json: &RawValue) -> Option<Arc<Record>> {
    let value = serde_json::from_str(json.get()).ok()?;
    Some(Arc::new(Record { value, json: json.get().into() }))
}
