//! Decisions that change files while a turn runs: they wait for a gap between two of its calls, and for its end at the latest.
//!
//! Invariant: a pending decision is in the journal, and so is its end: applied, refused or withdrawn.
//!
//! A gap is before each call and after each batch ([`TurnHost::gap`](crate::host::TurnHost::gap)), so that no call sees a file change while it
//! runs. A pending decision is decided again when it is applied.

use crate::command::Record;
use crate::error::Error;
use crate::session::{Phase, Session};
use pintle_protocol::event::Event;
use pintle_protocol::review::{
    Hunk, QueuedDecision, RefusedDecision, ReviewAction, ReviewDecideResult, ReviewDecision,
    ReviewQueue,
};
use std::sync::Arc;

impl Session {
    /// Resumes the review from a previous run of the session.
    pub(in crate::session) async fn resume_review(&mut self) {
        if self.review.decisions.has_earlier
            && let Err(error) = self.reviewed().await
        {
            tracing::warn!("failed to report earlier review decisions to the model: {error}");
        }
        self.apply_pending_decisions().await;
    }

    /// Lets a decision wait.
    pub(in crate::session) fn queue_decision(
        &mut self,
        action: ReviewAction,
        decision: ReviewDecision,
    ) -> Result<(ReviewDecideResult, Arc<Record>), Error> {
        let seq = self.log.journal.last_seq() + 1;
        let mut waiting = self.review.decisions.waiting.clone();
        waiting.push(QueuedDecision { id: seq, action });
        let record = self.set_waiting(waiting, None)?;
        Ok((ReviewDecideResult { seq, decision, is_queued: true }, record))
    }

    /// Withdraws the decision that an action would undo, if it is still pending.
    pub(in crate::session) fn withdraw(
        &mut self,
        action: &ReviewAction,
    ) -> Option<Result<(ReviewDecideResult, Arc<Record>), Error>> {
        let ReviewAction::Revert { decision: id } = *action else { return None };
        self.review.decisions.waiting.iter().find(|waiting| waiting.id == id)?;
        let waiting = self.without(id);
        let refused = RefusedDecision { id, reason: "it was withdrawn".to_owned() };
        Some(self.set_waiting(waiting, Some(refused)).map(|record| {
            let decision =
                ReviewDecision { action: action.clone(), parts: Vec::new(), waited: None };
            let seq = record.value.seq;
            (ReviewDecideResult { seq, decision, is_queued: false }, record)
        }))
    }

    fn without(&self, id: u64) -> Vec<QueuedDecision> {
        self.review.decisions.waiting.iter().filter(|waiting| waiting.id != id).cloned().collect()
    }

    fn set_waiting(
        &mut self,
        waiting: Vec<QueuedDecision>,
        refused: Option<RefusedDecision>,
    ) -> Result<Arc<Record>, Error> {
        let turn = match &self.phase {
            Phase::Running(running) => Some(running.turn_id.clone()),
            Phase::Idle(_) => None,
        };
        let queue = ReviewQueue { waiting: waiting.clone(), refused };
        let record = self.log.append(turn, Event::ReviewQueued(queue), None)?;
        self.review.decisions.waiting = waiting;
        Ok(record)
    }

    /// Adds their pending decisions to hunks.
    pub(in crate::session) async fn mark_waiting(
        &mut self,
        hunks: &mut [Hunk],
    ) -> Result<(), Error> {
        let waiting = self.review.decisions.waiting.clone();
        let review = self.reviewed().await?;
        for QueuedDecision { id, action } in waiting {
            let seen = |path: &str| review.now(path).flatten().cloned();
            // A decision that is no longer valid is refused when it is applied.
            let parts = review.plan(&action, &seen).map(|plan| plan.decision.parts);
            for part in parts.unwrap_or_default() {
                let hunk = hunks.iter_mut().find(|hunk| hunk.id == part.hunk);
                if let Some(hunk) = hunk {
                    hunk.waiting = Some(id);
                }
            }
        }
        Ok(())
    }

    /// Applies pending decisions. At its next gap, a running turn receives the file changes made by these and earlier ones.
    pub(in crate::session) async fn apply_pending_decisions(&mut self) {
        while let Some(QueuedDecision { id, action }) =
            self.review.decisions.waiting.first().cloned()
        {
            let mut records = self.look_at_files().await;
            match self.try_decide(action, Some(id), &mut records).await {
                Ok(_) => self.review.decisions.waiting.retain(|waiting| waiting.id != id),
                Err(error) => {
                    let refused = RefusedDecision { id, reason: error.message };
                    match self.set_waiting(self.without(id), Some(refused)) {
                        Ok(record) => records.push(record),
                        // The journal has it as pending, for the session's next run.
                        Err(error) => {
                            self.warn_transiently(&error);
                            self.review.decisions.waiting.clear();
                        }
                    }
                }
            }
            for record in &records {
                if let (Event::FilesChanged(changed), Phase::Running(running)) =
                    (&record.value.event, &mut self.phase)
                {
                    running.foreign_changes.extend(changed.changes.iter().cloned());
                }
                self.publish(record);
            }
        }
    }
}
