//! The session as the [`TurnHost`] of its running turn.

use super::Session;
use crate::grants::Grants;
use crate::host::{Activity, ApprovalReply, JournalLost, TurnHost};
use crate::turn::mode;
use pintle_protocol::approval::Approval;
use pintle_protocol::event::{Event, QueuedInput, TransientEvent};
use pintle_protocol::files::FileRecord;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{CompactionFiles, EngineMessage, ItemBody, ItemStatus};
use pintle_protocol::plan::WorkMode;
use pintle_session::context::inspect::RequestParts;
use serde_json::value::RawValue;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

impl TurnHost for Session {
    fn record_with(&mut self, event: Event, private: Option<Box<RawValue>>) {
        let Some(running) = self.phase.running() else { return };
        // The events before this one are lost, so the call does not run: it must not appear as running.
        if running.is_lost && begins_call(&event) {
            return;
        }
        let turn_id = Some(running.turn_id.clone());
        match self.log.append(turn_id, event, private.as_deref()) {
            Ok(record) => {
                self.view.touched.record(&record.value.event);
                self.publish(&record);
            }
            Err(error) => self.journal_lost(&error),
        }
    }

    fn check(&self) -> Result<(), JournalLost> {
        match self.phase.running() {
            Some(running) if !running.is_lost => Ok(()),
            Some(_) | None => Err(JournalLost),
        }
    }

    fn transient(&mut self, event: TransientEvent) {
        if let TransientEvent::Context(usage) = &event {
            self.view.usage = Some(usage.clone());
        }
        let turn_id = self.phase.running().map(|running| running.turn_id.clone());
        self.log.publish_transient(turn_id, event);
    }

    fn set_sent(&mut self, sent: RequestParts) {
        self.view.sent = Some(Box::new(sent));
    }

    fn set_activity(&mut self, activity: Activity) {
        if let Some(running) = self.phase.running_mut() {
            running.activity = activity;
        }
        self.publish_state();
    }

    fn mode(&self) -> WorkMode {
        self.work_mode()
    }

    fn grants(&self) -> Arc<Grants> {
        Arc::clone(&self.grants)
    }

    fn grants_mut(&mut self) -> &mut Grants {
        Arc::make_mut(&mut self.grants)
    }

    fn open_todos(&self) -> Option<String> {
        self.view.open_todos()
    }

    fn touched_files(&self) -> Option<CompactionFiles> {
        self.view.touched.list()
    }

    fn has_work_behind(&self) -> bool {
        !self.jobs.is_idle() || self.subagents.are_working()
    }

    async fn take_steers(&mut self) -> Vec<QueuedInput> {
        self.apply_pending_decisions().await;
        // A turn that is being stopped reads nothing more.
        if self.phase.is_working() { self.inbox.take_steers() } else { Vec::new() }
    }

    fn take_news(&mut self) -> Option<EngineMessage> {
        if !self.phase.is_working() {
            return None;
        }
        let mode = self.work_mode();
        let told = std::mem::replace(&mut self.view.reported_mode, mode);
        // During a turn, `wait` delivers reports of sub-agents; reports from before it come with the first request.
        let running = self.phase.running_mut()?;
        let is_first = !std::mem::replace(&mut running.has_news, true);
        let agents = is_first.then(|| self.subagents.take_news()).flatten();
        let news = [agents, self.take_review_news(), self.jobs.take_news()];
        news.into_iter().fold(mode::news(mode, told), mode::join)
    }

    async fn gap(&mut self) -> Vec<FileRecord> {
        self.apply_pending_decisions().await;
        let running = self.phase.running_mut();
        running.map(|running| std::mem::take(&mut running.foreign_changes)).unwrap_or_default()
    }

    fn call_begins(&mut self, item: &ItemId) -> CancellationToken {
        let Some(running) = self.phase.running_mut() else { return CancellationToken::new() };
        let cancel = running.cancel.child_token();
        running.calls.push((item.clone(), cancel.clone()));
        cancel
    }

    fn call_ends(&mut self, item: &ItemId) {
        if let Some(running) = self.phase.running_mut() {
            running.calls.retain(|(id, _)| id != item);
        }
    }

    fn offer_text_tools(&mut self, model: &str) -> bool {
        let can_answer = self.log.subscribers.iter().any(|served| served.subscriber.can_answer);
        if !can_answer || self.view.text_tools.contains_key(model) {
            return false;
        }
        self.view.text_tools.insert(model.to_owned(), false);
        true
    }

    fn use_text_tools(&mut self, model: &str) {
        self.view.text_tools.insert(model.to_owned(), true);
    }

    fn ask(&mut self, approval: Approval) -> oneshot::Receiver<ApprovalReply> {
        let (answer, outcome) = oneshot::channel();
        self.ask_approval(approval, answer);
        outcome
    }

    async fn wait<F>(&mut self, work: F) -> F::Output
    where
        F: Future + Send,
        F::Output: Send,
    {
        let mut work = pin!(work);
        loop {
            let wake = tokio::select! {
                biased;
                wake = self.next() => wake,
                done = &mut work => return done,
            };
            self.handle(wake).await;
        }
    }
}

/// Returns true for the event that marks a call as running.
fn begins_call(event: &Event) -> bool {
    matches!(event, Event::ItemUpdated { item } if item.status == ItemStatus::Running
        && matches!(item.body, ItemBody::ToolCall(_)))
}
