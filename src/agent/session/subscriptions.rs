//! Commands about subscriptions, and the session's state as subscribers see it.

use super::{Phase, Session};
use crate::background::in_background;
use crate::clients::SubscriberId;
use crate::command::{DiagnosticsReport, Feed, Record, Reply, Subscriber, SubscriptionCommand};
use crate::error::Error;
use crate::host::Activity;
use crate::subagents;
use crate::turn::diagnostics::{self, Reports};
use pintle_protocol::event::{
    Event, Notice, NoticeLevel, SessionState, StateValue, TransientEvent,
};
use pintle_protocol::ids::TurnId;
use pintle_protocol::session::{SandboxState, SessionResult};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::watch;

/// The most events that are sent to a new subscriber at once; with more it pages.
const REPLAY_LIMIT: usize = 1000;

impl Session {
    /// Appends and publishes an event; reports a failure.
    pub(super) fn record(&mut self, turn_id: Option<TurnId>, event: Event) {
        match self.log.append(turn_id, event, None) {
            Ok(record) => self.publish(&record),
            Err(error) => self.warn_transiently(&error),
        }
    }

    /// Hands on a record. Where a subscriber was found gone, nothing waits for its answers any more.
    pub(super) fn publish(&mut self, record: &Arc<Record>) {
        if !self.log.publish(record) {
            self.close_if_nobody_answers();
        }
    }

    pub(super) fn publish_state(&mut self) {
        let state = self.state();
        self.log.publish_transient(None, TransientEvent::State(state));
    }

    /// Reports a problem that could not be journaled.
    pub(super) fn warn_transiently(&mut self, error: &Error) {
        tracing::error!("session {}: {error}", self.log.id);
        let notice = Notice {
            level: NoticeLevel::Error,
            code: "journal".to_owned(),
            message: error.message.clone(),
            hint: error.hint.as_ref().map(ToString::to_string),
        };
        self.log.publish_transient(None, TransientEvent::Notice(notice));
    }

    pub(super) async fn subscription_command(&mut self, command: SubscriptionCommand) {
        match command {
            SubscriptionCommand::Subscribe { subscriber, from_seq, reply } => {
                self.subscribe(subscriber, from_seq, reply).await;
            }
            SubscriptionCommand::Snapshot { reply } => {
                let _ = reply.send(Ok(self.snapshot(false)));
            }
            SubscriptionCommand::Unsubscribe { id, reply } => self.unsubscribe(id, reply).await,
            SubscriptionCommand::StopAnswering { id } => self.stop_answering(id).await,
        }
    }

    pub(super) async fn subscribe(
        &mut self,
        subscriber: Subscriber,
        from_seq: Option<u64>,
        reply: Reply<SessionResult>,
    ) {
        let seq = self.log.journal.last_seq();
        let mut missed = match from_seq.filter(|from| *from < seq) {
            None => Vec::new(),
            Some(from) => match in_background(self.log.journal.pager(from, REPLAY_LIMIT)).await {
                Ok(page) => page.events.iter().filter_map(|json| reread(json)).collect(),
                Err(error) => {
                    let _ = reply.send(Err(error));
                    return;
                }
            },
        };
        let whole = from_seq.is_none_or(|from| from + missed.len() as u64 >= seq);
        missed.retain(|record: &Arc<Record>| subscriber.filter.takes(&record.value.event));
        // Half of the channel stays free for what happens next.
        let fits = missed.len() <= REPLAY_LIMIT.min(subscriber.feed.capacity() / 2);
        let has_gap = !(fits && whole);
        let _ = reply.send(Ok(self.snapshot(has_gap)));
        if !has_gap {
            for record in missed {
                let _ = subscriber.feed.try_send(Feed::Durable(record));
            }
        }
        self.lifecycle.is_left = false;
        self.log.add(subscriber.clone(), seq);
        self.close_if_nobody_answers();
        for notice in std::mem::take(&mut self.log.unseen) {
            self.record(None, Event::Notice(notice));
        }
        for handle in self.subagents.handles() {
            subagents::watch(&self.log.id, &handle, subscriber.clone()).await;
        }
    }

    pub(super) async fn unsubscribe(&mut self, id: SubscriberId, reply: Reply<()>) {
        self.log.subscribers.retain(|served| served.subscriber.id != id);
        let _ = reply.send(Ok(()));
        self.close_if_nobody_answers();
        for handle in self.subagents.handles() {
            let _ = handle.ask(|reply| SubscriptionCommand::Unsubscribe { id, reply }).await;
        }
    }

    pub(super) async fn stop_answering(&mut self, id: SubscriberId) {
        if let Some(served) = self.log.subscription_mut(id) {
            served.subscriber.can_approve = false;
            served.subscriber.can_answer = false;
            served.subscriber.extensions = Arc::default();
        }
        self.close_if_nobody_answers();
        for handle in self.subagents.handles() {
            let _ = handle.tell(SubscriptionCommand::StopAnswering { id }).await;
        }
    }

    /// Takes what an editor finds wrong in a file.
    pub(super) fn take_report(
        &mut self,
        id: SubscriberId,
        report: DiagnosticsReport,
    ) -> Result<(), Error> {
        diagnostics::check(&report)?;
        let cwd = self.log.cwd();
        self.contributions.reports.send_modify(|reports| reports.take(id, cwd, report));
        Ok(())
    }

    /// Returns editor diagnostics for a starting turn. Those of a disconnected client are dropped.
    pub(super) fn reports(&self) -> watch::Receiver<Reports> {
        let is_there = |id| self.log.subscribers.iter().any(|served| served.subscriber.id == id);
        self.contributions.reports.send_modify(|reports| reports.keep_if(is_there));
        self.contributions.reports.subscribe()
    }

    pub(super) fn snapshot(&self, gap: bool) -> SessionResult {
        let (approvals, questions) = self.questions.open();
        SessionResult {
            session_id: self.log.id.clone(),
            seq: self.log.journal.last_seq(),
            cwd: self.log.journal.header().cwd.clone(),
            isolation: self.settings.isolation.as_ref().map(|isolated| isolated.shown()),
            title: self.settings.title.clone(),
            model: self.settings.model.to_string(),
            permission_mode: self.settings.permission_mode,
            sandbox: self.sandbox(),
            mode: self.settings.mode,
            state: self.state(),
            active_turn_id: match &self.phase {
                Phase::Idle(_) => None,
                Phase::Running(running) => Some(running.turn_id.clone()),
            },
            queue: self.inbox.unread(),
            approvals,
            questions,
            plan: (!self.view.plan.items.is_empty()).then(|| self.view.plan.clone()),
            usage: self.consumed.total.usage,
            cost_nano_usd: self.consumed.total.cost_nano_usd,
            context: self.context_usage(),
            gap,
        }
    }

    /// Returns the sandbox for commands on this machine. The engine queried the kernel before it created the session.
    fn sandbox(&self) -> Option<SandboxState> {
        let is_here = self.services.env.is_this_machine();
        self.services.permissions.sandbox.shown().filter(|_| is_here)
    }

    fn state(&self) -> SessionState {
        let blocked_on = self.questions.ids();
        let value = match &self.phase {
            Phase::Idle(_) => StateValue::Idle,
            Phase::Running(_) if !blocked_on.is_empty() => StateValue::Blocked,
            Phase::Running(running) => match running.activity {
                Activity::Working => StateValue::Running,
                Activity::Retrying => StateValue::Retrying,
                Activity::Compacting => StateValue::Compacting,
            },
        };
        SessionState { value, blocked_on, background: self.jobs.background() }
    }
}

/// Returns an event as read from the journal.
fn reread(json: &RawValue) -> Option<Arc<Record>> {
    let value = serde_json::from_str(json.get()).ok()?;
    Some(Arc::new(Record::new(value, json.get().into())))
}
