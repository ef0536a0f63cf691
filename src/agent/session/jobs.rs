//! Background jobs: start, output, end, and client requests about them.
//!
//! Invariant: a job's item is journaled before its command runs in the background, and its end before it is reported.

use super::{Phase, Session};
use crate::command::{JobCommand, Note, NoteBody, Record, TerminalAccess, UserJob};
use crate::error::{Action, Error, ErrorKind};
use crate::jobs::{JobEvent, words_for_model};
use pintle_base::text::truncate::Limits;
use pintle_exec::{self as exec, Command, RunningCommand};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{DeltaField, Event, ItemDelta, TransientEvent};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{ClientNote, Item, ItemBody, ItemStatus, Job};
use pintle_session::history::keys::{Effect, digest};
use pintle_session::store::blobs::Blobs;
use pintle_tools::{JobRequest, JobView};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// The time that jobs have to stop when the session ends, before they are dropped, which kills them.
const STOP_GRACE: Duration = Duration::from_secs(6);

/// How much output the item of a user's command keeps; longer output is in a file.
const OUTPUT: Limits = Limits { max_lines: 2000, max_bytes: 50 * 1024 };

/// The note kind for a user's command.
const USER_COMMAND: &str = "shell";

impl Session {
    pub(super) fn job_command(&mut self, command: JobCommand) {
        match command {
            JobCommand::Stop { id, reply } => self.jobs.stop_for_client(&id, reply),
            JobCommand::Wait { id, reply } => self.jobs.wait_for_client(&id, reply),
            JobCommand::Terminal { id, access, reply } => {
                let allowed = match access {
                    TerminalAccess::Type => self.may_run(),
                    TerminalAccess::Read => Ok(()),
                };
                let _ = reply.send(allowed.and_then(|()| self.jobs.terminal(&id, access)));
            }
            JobCommand::Run { line, to_model, reply } => {
                let begun = self.run_for_user(line, to_model);
                let (job, record) = match begun {
                    Ok((job, record)) => (Ok(job), record),
                    Err(error) => (Err(error), None),
                };
                let _ = reply.send(job);
                if let Some(record) = record {
                    self.publish(&record);
                    self.publish_state();
                }
            }
        }
    }

    /// Runs a user's command as a job, unless an earlier request with the same key did.
    fn run_for_user(
        &mut self,
        line: String,
        to_model: bool,
    ) -> Result<(UserJob, Option<Arc<Record>>), Error> {
        if let Some(earlier) = self.run_before(&line) {
            return earlier.map(|job| (job, None));
        }
        self.may_run()?;
        if self.jobs.refusal().is_some() {
            let what = "too many background jobs are already running";
            return Err(Error::new(ErrorKind::Conflict, what).hint(Action::ListJobs));
        }
        let command = Command {
            spill_lines: OUTPUT.max_lines as u64,
            spill_bytes: OUTPUT.max_bytes as u64,
            artifacts: Some(self.log.artifacts()),
            ..Command::new(line, self.log.cwd(), self.log.id.as_str())
        };
        let command = RunningCommand::new(Arc::clone(&self.services.env), command);
        let body = self.jobs.body(&command, &command.line, true);
        let id = body.job_id.clone();
        let item = self.job_item(body, None, Duration::ZERO);
        let record = self.log.append(None, Event::ItemStarted { item: item.clone() }, None)?;
        let job = UserJob::Running(id.clone());
        self.jobs.begin(command, item, id, Some(to_model));
        Ok((job, Some(record)))
    }

    /// Refuses in read-only mode: a client acts within the ceiling that the engine's user has set.
    fn may_run(&self) -> Result<(), Error> {
        if self.settings.permission_mode == PermissionMode::ReadOnly {
            let what = "the session's permission mode is readOnly, which does not run commands";
            let hint = "set another permission mode, if the engine allows it";
            return Err(Error::new(ErrorKind::Conflict, what).hint(hint));
        }
        Ok(())
    }

    /// Returns the job that an earlier request with the same key started, if any.
    fn run_before(&self, line: &str) -> Option<Result<UserJob, Error>> {
        let key = self.log.cause.as_ref()?.key.as_ref()?;
        let asked = digest(&self.services.ambient.secrets().redact(line));
        Some(match self.log.keys.effect(key)? {
            Effect::Ran { job_id, content, ended, .. } if *content == asked => {
                Ok(ended.map_or_else(|| UserJob::Running(job_id.clone()), UserJob::Ended))
            }
            Effect::Ran { .. }
            | Effect::Accepted { .. }
            | Effect::Began(_)
            | Effect::Noted { .. } => Err(Error::other_request(key)),
        })
    }

    /// Returns the item for a new job, whose command has run for this long.
    fn job_item(&self, body: Job, turn_id: Option<TurnId>, ran: Duration) -> Item {
        let ambient = &self.services.ambient;
        let (id, body) = (ItemId::new(ambient.new_id()), ItemBody::Job(Box::new(body)));
        let ran_ms = u64::try_from(ran.as_millis()).unwrap_or(u64::MAX);
        let started_ms = ambient.now_ms().saturating_sub(ran_ms);
        Item { turn_id, ..Item::new(id, ItemStatus::Running, started_ms, body) }
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
                let _ = reply.send(self.start_job(*command, &title));
            }
            JobEvent::Requested(request) => {
                self.jobs.answer(request, self.services.ambient.now_ms());
            }
        }
    }

    fn start_job(&mut self, command: RunningCommand, title: &str) -> Result<JobView, String> {
        if let Some(refusal) = self.jobs.refusal() {
            return Err(refusal);
        }
        let turn_id = match &self.phase {
            Phase::Running(running) if !running.cancel.is_cancelled() => running.turn_id.clone(),
            Phase::Running(_) | Phase::Idle(_) => return Err("Operation aborted".to_owned()),
        };
        let body = self.jobs.body(&command, title, false);
        let id = body.job_id.clone();
        let item = self.job_item(body, Some(turn_id.clone()), command.ran());
        let started = Event::ItemStarted { item: item.clone() };
        let record = self.log.append(Some(turn_id), started, None).map_err(|error| {
            format!("The job was not started: failed to write the session journal: {error}")
        })?;
        self.publish(&record);
        let view = self.jobs.begin(command, item, id, None);
        self.publish_state();
        Ok(view)
    }

    pub(super) fn blobs(&self) -> Blobs {
        let own = || Blobs::new(self.log.journal.folder());
        self.settings.lineage.blobs.clone().unwrap_or_else(own)
    }

    fn job_ended(&mut self, item: &ItemId, ran: Result<exec::Ran, exec::Error>) {
        let (now_ms, artifacts) = (self.services.ambient.now_ms(), self.log.artifacts());
        let Some(ended) = self.jobs.ended(item, ran, now_ms, &artifacts) else {
            return;
        };
        if ended.is_for_model
            && let ItemBody::Job(job) = &ended.item.body
        {
            self.inbox.notes.push((note_about(job), None));
        }
        // A job may end after its turn, so the record has no turn.
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
        self.write_notes();
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
                        self.job_ended(&item, Err(exec::Error::Cancelled));
                    }
                }
            }
        }
    }
}

/// Returns the note for the model about a user's command. Users see its job.
fn note_about(job: &Job) -> Note {
    let data = json!({"command": job.command, "jobId": job.job_id});
    let kind = Some(USER_COMMAND.to_owned());
    let note = ClientNote { kind, data: Some(data), is_unread: false, is_hidden: true };
    Note { body: NoteBody::Client(note, words_for_model(job)), private: None }
}
