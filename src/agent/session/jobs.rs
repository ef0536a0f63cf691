//! Background jobs: they begin, print and end, and clients ask about them.
//!
//! Invariant: a job's item is in the journal before its command runs, and its end before anyone is told.

use super::{Phase, Session};
use crate::agent::command::JobCommand;
use crate::agent::jobs::JobEvent;
use crate::exec::{Command, Error};
use crate::store::blobs::Blobs;
use crate::tools::{JobRequest, JobView};
use pintle_protocol::event::{DeltaField, Event, ItemDelta, TransientEvent};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody, ItemStatus};
use std::sync::Arc;
use std::time::Duration;

/// The time that jobs have to stop when the session ends, before they are dropped, which kills them.
const STOP_GRACE: Duration = Duration::from_secs(6);

impl Session {
    pub(super) fn job_command(&mut self, command: JobCommand) {
        match command {
            JobCommand::List { reply } => {
                let _ = reply.send(Ok(self.jobs.items()));
            }
            JobCommand::Stop { id, reply } => self.jobs.stop_for_client(&id, reply),
        }
    }

    pub(super) fn job_event(&mut self, event: JobEvent) {
        match event {
            JobEvent::Printed(item_id, text) => {
                let Some(n) = self.jobs.next_piece(&item_id) else { return };
                let delta =
                    ItemDelta { item_id, field: DeltaField::Output, path: None, n, to: None, text };
                self.log.publish_transient(None, TransientEvent::ItemDelta(delta));
            }
            JobEvent::Ended(item, ran) => self.job_ended(&item, ran),
            JobEvent::Requested(JobRequest::Start { command, title, reply }) => {
                let _ = reply.send(self.start_job(command, &title));
            }
            JobEvent::Requested(request) => {
                self.jobs.answer(request, self.services.ambient.now_ms());
            }
        }
    }

    fn start_job(&mut self, command: Command, title: &str) -> Result<JobView, String> {
        if let Some(refusal) = self.jobs.refusal() {
            return Err(refusal);
        }
        let turn_id = match &self.phase {
            Phase::Running(running) if !running.cancel.is_cancelled() => running.turn_id.clone(),
            Phase::Running(_) | Phase::Idle(_) => return Err("Operation aborted".to_owned()),
        };
        let body = self.jobs.body(&command.line, title);
        let id = body.job_id.clone();
        let item = Item {
            id: ItemId::new(self.services.ambient.new_id()),
            turn_id: Some(turn_id.clone()),
            step: None,
            status: ItemStatus::Running,
            started_ms: self.services.ambient.now_ms(),
            duration_ms: None,
            body: ItemBody::Job(Box::new(body)),
        };
        let started = Event::ItemStarted { item: item.clone() };
        let record = self.log.append(Some(turn_id), started, None).map_err(|error| {
            format!("The job was not started, because the journal could not be written: {error}")
        })?;
        self.publish(&record);
        let view = self.jobs.begin(Arc::clone(&self.services.env), command, item, id);
        self.publish_state();
        Ok(view)
    }

    pub(super) fn blobs(&self) -> Blobs {
        let own = || Blobs::of(self.log.journal.folder());
        self.settings.blobs.clone().unwrap_or_else(own)
    }

    fn job_ended(&mut self, item: &ItemId, ran: Result<crate::exec::Ran, Error>) {
        let (now_ms, artifacts) = (self.services.ambient.now_ms(), self.log.artifacts());
        let Some(ended) = self.jobs.ended(item, ran, now_ms, &artifacts) else {
            return;
        };
        // It may end after its turn, so the record belongs to none.
        match self.log.append(None, Event::ItemCompleted { item: ended.item.clone() }, None) {
            Ok(record) => {
                ended.answer();
                self.publish(&record);
            }
            Err(error) => {
                ended.answer();
                self.warn_transiently(&error);
            }
        }
        self.publish_state();
    }

    /// Waits until the jobs that are being stopped have ended.
    pub(super) async fn end_jobs(&mut self) {
        let deadline = tokio::time::Instant::now() + STOP_GRACE;
        while !self.jobs.is_idle() {
            match tokio::time::timeout_at(deadline, self.next()).await {
                Ok(wake) => self.handle(wake).await,
                Err(_) => {
                    for item in self.jobs.abandon() {
                        self.job_ended(&item, Err(Error::Cancelled));
                    }
                }
            }
        }
    }
}
