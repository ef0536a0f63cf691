//! Verdicts that change files while a turn runs: they wait for a gap between two of its calls, and for its end at the latest.
//!
//! Invariant: a pending verdict is in the journal, and so is its end: applied, refused or withdrawn.
//!
//! A gap is before each call and after each batch ([`TurnHost::gap`](crate::host::TurnHost::gap)), so that no call sees a file change while it
//! runs. A pending verdict is decided again when it is applied.

use crate::command::Record;
use crate::error::Error;
use crate::session::{Phase, Session};
use pintle_protocol::event::Event;
use pintle_protocol::review::{
    Hunk, RefusedVerdict, ReviewAction, ReviewDecideResult, ReviewQueue, Verdict, WaitingVerdict,
};
use std::sync::Arc;

impl Session {
    /// Resumes the review from a previous run of the session.
    pub(in crate::session) async fn resume_review(&mut self) {
        if self.review.verdicts.has_earlier
            && let Err(error) = self.reviewed().await
        {
            tracing::warn!("failed to report earlier review decisions to the model: {error}");
        }
        self.apply_pending_verdicts().await;
    }

    /// Lets a verdict wait.
    pub(in crate::session) fn queue_verdict(
        &mut self,
        action: ReviewAction,
        verdict: Verdict,
    ) -> Result<(ReviewDecideResult, Arc<Record>), Error> {
        let seq = self.log.journal.last_seq() + 1;
        let mut waiting = self.review.verdicts.waiting.clone();
        waiting.push(WaitingVerdict { id: seq, action });
        let record = self.set_waiting(waiting, None)?;
        Ok((ReviewDecideResult { seq, verdict, is_queued: true }, record))
    }

    /// Withdraws the verdict that an action would undo, if it is still pending.
    pub(in crate::session) fn withdraw(
        &mut self,
        action: &ReviewAction,
    ) -> Option<Result<(ReviewDecideResult, Arc<Record>), Error>> {
        let ReviewAction::Revert { verdict: id } = *action else { return None };
        self.review.verdicts.waiting.iter().find(|waiting| waiting.id == id)?;
        let waiting = self.without(id);
        let refused = RefusedVerdict { id, reason: "it was withdrawn".to_owned() };
        Some(self.set_waiting(waiting, Some(refused)).map(|record| {
            let verdict = Verdict { action: action.clone(), parts: Vec::new(), waited: None };
            let seq = record.value.seq;
            (ReviewDecideResult { seq, verdict, is_queued: false }, record)
        }))
    }

    fn without(&self, id: u64) -> Vec<WaitingVerdict> {
        self.review.verdicts.waiting.iter().filter(|waiting| waiting.id != id).cloned().collect()
    }

    fn set_waiting(
        &mut self,
        waiting: Vec<WaitingVerdict>,
        refused: Option<RefusedVerdict>,
    ) -> Result<Arc<Record>, Error> {
        let turn = match &self.phase {
            Phase::Running(running) => Some(running.turn_id.clone()),
            Phase::Idle(_) => None,
        };
        let queue = ReviewQueue { waiting: waiting.clone(), refused };
        let record = self.log.append(turn, Event::ReviewQueued(queue), None)?;
        self.review.verdicts.waiting = waiting;
        Ok(record)
    }

    /// Adds their pending verdicts to hunks.
    pub(in crate::session) async fn mark_waiting(
        &mut self,
        hunks: &mut [Hunk],
    ) -> Result<(), Error> {
        let waiting = self.review.verdicts.waiting.clone();
        let review = self.reviewed().await?;
        for WaitingVerdict { id, action } in waiting {
            let seen = |path: &str| review.now(path).flatten().cloned();
            // A verdict that is no longer valid is refused when it is applied.
            let parts = review.plan(&action, &seen).map(|plan| plan.verdict.parts);
            for part in parts.unwrap_or_default() {
                let hunk = hunks.iter_mut().find(|hunk| hunk.id == part.hunk);
                if let Some(hunk) = hunk {
                    hunk.waiting = Some(id);
                }
            }
        }
        Ok(())
    }

    /// Applies pending verdicts. At its next gap, a running turn receives the file changes made by these and earlier ones.
    pub(in crate::session) async fn apply_pending_verdicts(&mut self) {
        while let Some(WaitingVerdict { id, action }) =
            self.review.verdicts.waiting.first().cloned()
        {
            let mut records = self.look_at_files().await;
            match self.try_decide(action, Some(id), &mut records).await {
                Ok(_) => self.review.verdicts.waiting.retain(|waiting| waiting.id != id),
                Err(error) => {
                    let refused = RefusedVerdict { id, reason: error.message };
                    match self.set_waiting(self.without(id), Some(refused)) {
                        Ok(record) => records.push(record),
                        // The journal has it as pending, for the session's next run.
                        Err(error) => {
                            self.warn_transiently(&error);
                            self.review.verdicts.waiting.clear();
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
