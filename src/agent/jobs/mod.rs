//! A session's background jobs: the running ones, their output, and the news that the model has not read.
//!
//! The session's task owns and polls this object, which starts no task and has no lock. It does not write to the journal: it returns
//! events, which the session appends. Invariant: each job's future is stored here, so dropping this object kills every job.
//!
//! A background job is an item that may end after its turn, so it gets deltas, a durable end and replay like any item. The model learns of
//! the end through an `engineMessage` in the conversation, which is journaled at the point where the model read it.

use crate::command::TerminalAccess;
use crate::full_output::name_full_output;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_base::text::truncate::{self, Limits};
use pintle_exec::{CommandEvent, End, Error, Mark, OutputBuffer, Ran, RunningCommand, Terminal};
use pintle_os::names;
use pintle_protocol::ids::{ItemId, JobId};
use pintle_protocol::item::{EngineMessage, Item, ItemBody, ItemStatus, Job, JobEnd, ToolDetails};
use pintle_session::context::conversation::from_engine;
use pintle_session::history::recovery::EarlierJobs;
use pintle_tools::{JobRequest, JobView, ended};
use std::path::Path;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The channel capacity for tool requests. A tool waits for its response, so there are never more requests than parallel calls.
const REQUEST_CAPACITY: usize = 16;

/// The channel capacity for output while the session is busy. Further chunks are dropped; the job's end contains the full output.
const PRINTED_CAPACITY: usize = 16;

/// A session with more jobs than this has lost track of them.
const MAX_RUNNING: usize = 16;

/// The maximum number of ended jobs to keep, with their output, for a late reader.
const MAX_ENDED: usize = 16;

/// Limits for output in the report of a finished job.
const NOTE_OUTPUT: Limits = Limits { max_lines: 20, max_bytes: 2048 };

type Running = BoxFuture<'static, (ItemId, Result<Ran, Error>)>;

/// A session's jobs.
#[derive(Debug)]
pub(super) struct Jobs {
    entries: Vec<Entry>,
    running: FuturesUnordered<Running>,
    /// The next job's number.
    next: u64,
    /// Jobs from a previous run of the session, not yet reported.
    untold: Vec<Item>,
    requests: mpsc::Receiver<JobRequest>,
    requests_tx: mpsc::Sender<JobRequest>,
    printed: mpsc::Receiver<(ItemId, String)>,
    printed_tx: mpsc::Sender<(ItemId, String)>,
}

#[derive(Debug)]
struct Entry {
    item: Item,
    id: JobId,
    output: OutputBuffer,
    /// How far the model has read.
    mark: Mark,
    terminal: Option<Terminal>,
    is_confined: bool,
    cancel: CancellationToken,
    /// The reason for stopping it, once it is being stopped.
    stopping: Option<JobEnd>,
    waiting: Vec<Waiting>,
    /// True if the model knows how the job ended, or will learn it in another way.
    is_told: bool,
    /// Set for a user's command, with whether its output is for the model.
    by_user: Option<ToModel>,
    /// The next output chunk's number.
    n: u64,
}

/// True if a user command's output is shown to the model.
type ToModel = bool;

/// A waiter for a job's end.
#[derive(Debug)]
enum Waiting {
    Model(oneshot::Sender<Result<JobView, String>>),
    Client(crate::command::Reply<Item>),
}

/// An event of the background.
#[derive(Debug)]
pub(super) enum JobEvent {
    /// A job ended.
    Ended(ItemId, Result<Ran, Error>),
    /// A tool asks for something.
    Requested(JobRequest),
    /// A job printed something.
    Printed(ItemId, String),
}

/// A job that has ended: its item and its waiters.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) item: Item,
    waiting: Vec<Waiting>,
    view: Option<JobView>,
    /// True if the job was a user's command and the model should read about it.
    pub(super) is_for_model: bool,
}

impl Ended {
    /// Answers the waiters.
    pub(super) fn answer(self) {
        for waiting in self.waiting {
            match (waiting, &self.view) {
                (Waiting::Model(reply), Some(view)) => drop(reply.send(Ok(view.clone()))),
                (Waiting::Client(reply), _) => drop(reply.send(Ok(self.item.clone()))),
                (Waiting::Model(reply), None) => drop(reply),
            }
        }
    }
}

impl Jobs {
    pub(super) fn new(earlier: EarlierJobs) -> Self {
        let (requests_tx, requests) = mpsc::channel(REQUEST_CAPACITY);
        let (printed_tx, printed) = mpsc::channel(PRINTED_CAPACITY);
        Self {
            entries: Vec::new(),
            running: FuturesUnordered::new(),
            next: earlier.count + 1,
            untold: earlier.unreported,
            requests,
            requests_tx,
            printed,
            printed_tx,
        }
    }

    /// Returns the interface for tools.
    pub(super) fn requests(&self) -> pintle_tools::Jobs {
        pintle_tools::Jobs::new(self.requests_tx.clone())
    }

    /// Waits for the next event, and drives the jobs meanwhile. Cancel-safe.
    pub(super) async fn next(&mut self) -> JobEvent {
        tokio::select! {
            biased;
            Some((item, ran)) = self.running.next() => JobEvent::Ended(item, ran),
            Some((item, text)) = self.printed.recv() => JobEvent::Printed(item, text),
            // Both channels have a sender in here, so they never end.
            Some(request) = self.requests.recv() => JobEvent::Requested(request),
        }
    }

    /// Returns the reason why no job can be added, if any.
    pub(super) fn refusal(&self) -> Option<String> {
        (self.running.len() >= MAX_RUNNING).then(|| {
            format!("{MAX_RUNNING} jobs are already running. Stop one before you start another.")
        })
    }

    /// Returns the next job's item body.
    pub(super) fn body(&self, command: &RunningCommand, title: &str, by_user: bool) -> Job {
        Job {
            job_id: JobId::new(format!("job-{}", self.next)),
            title: title.to_owned(),
            command: command.line.clone(),
            in_terminal: command.terminal.is_some(),
            by_user,
            end: None,
            output: None,
            details: ToolDetails::default(),
        }
    }

    /// Starts a job whose item is in the journal.
    pub(super) fn begin(
        &mut self,
        mut command: RunningCommand,
        item: Item,
        id: JobId,
        by_user: Option<ToModel>,
    ) -> JobView {
        self.next += 1;
        let (item_id, printed) = (item.id.clone(), self.printed_tx.clone());
        let entry = Entry {
            item,
            id,
            output: command.output.clone(),
            mark: Mark::default(),
            terminal: command.terminal.clone(),
            is_confined: command.is_confined,
            cancel: command.cancel.clone(),
            stopping: None,
            waiting: Vec::new(),
            is_told: by_user.is_some(),
            by_user,
            n: 0,
        };
        let view = entry.view(entry.item.started_ms);
        self.entries.push(entry);
        self.running.push(Box::pin(async move {
            loop {
                match command.next().await {
                    // A full channel drops the chunk; the job's end contains the full output.
                    CommandEvent::Printed(text) => {
                        drop(printed.try_send((item_id.clone(), text)));
                    }
                    CommandEvent::Ended(ran) => return (item_id, ran),
                }
            }
        }));
        view
    }

    /// Takes note of a job's end.
    pub(super) fn ended(
        &mut self,
        item: &ItemId,
        ran: Result<Ran, Error>,
        now_ms: u64,
        artifacts: &Path,
    ) -> Option<Ended> {
        let entry = self.entries.iter_mut().find(|entry| entry.item.id == *item)?;
        let (end, output, mut details) = outcome(ran, entry.stopping);
        name_full_output(&mut details, artifacts);
        entry.item.end(status(end, &details), now_ms);
        if let ItemBody::Job(job) = &mut entry.item.body {
            (job.end, job.output, job.details) = (Some(end), Some(output), details);
        }
        let (item, view) = (entry.item.clone(), Some(entry.view(now_ms)));
        let (waiting, is_for_model) =
            (std::mem::take(&mut entry.waiting), entry.by_user == Some(true));
        let ended = Ended { item, waiting, view, is_for_model };
        self.forget_old();
        Some(ended)
    }

    /// Forgets the oldest ended job of which the model knows, when there are too many.
    fn forget_old(&mut self) {
        let ended = self.entries.iter().filter(|entry| !entry.is_running()).count();
        let old = self.entries.iter().position(|entry| !entry.is_running() && entry.is_told);
        if ended > MAX_ENDED
            && let Some(old) = old
        {
            self.entries.remove(old);
        }
    }

    /// Stops every job, since the session ends.
    pub(super) fn stop_all(&mut self) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_running()) {
            entry.stopping.get_or_insert(JobEnd::SessionEnded);
            entry.cancel.cancel();
        }
    }

    /// Gives up on what does not stop; dropping its future kills it.
    pub(super) fn abandon(&mut self) -> Vec<ItemId> {
        self.running = FuturesUnordered::new();
        let running = self.entries.iter().filter(|entry| entry.is_running());
        running.map(|entry| entry.item.id.clone()).collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Stops a job for a client, who is answered when it has ended.
    pub(super) fn stop_for_client(&mut self, id: &JobId, reply: crate::command::Reply<Item>) {
        if let Some((entry, reply)) = self.running_for_client(id, reply) {
            entry.stop(Waiting::Client(reply));
        }
    }

    /// Registers a client as a waiter for a job's end.
    pub(super) fn wait_for_client(&mut self, id: &JobId, reply: crate::command::Reply<Item>) {
        if let Some((entry, reply)) = self.running_for_client(id, reply) {
            entry.waiting.push(Waiting::Client(reply));
        }
    }

    /// Returns a job's terminal and its output.
    pub(super) fn terminal(
        &self,
        id: &JobId,
        access: TerminalAccess,
    ) -> Result<(Terminal, OutputBuffer), super::Error> {
        let entry = self.entries.iter().find(|entry| entry.id == *id);
        let entry = entry.ok_or_else(|| unknown(id))?;
        let conflict = |what: String| super::Error::new(super::ErrorKind::Conflict, what);
        if access == TerminalAccess::Type && !entry.is_running() {
            return Err(conflict(format!("{id} has ended")));
        }
        let terminal = entry.terminal.clone().ok_or_else(|| {
            conflict(format!(
                "{id} does not run in a terminal; only jobs with `inTerminal` have a screen"
            ))
        })?;
        Ok((terminal, entry.output.clone()))
    }

    /// Returns a job that runs; a client who asks for another is answered.
    fn running_for_client(
        &mut self,
        id: &JobId,
        reply: crate::command::Reply<Item>,
    ) -> Option<(&mut Entry, crate::command::Reply<Item>)> {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == *id) else {
            let _ = reply.send(Err(unknown(id)));
            return None;
        };
        if entry.is_running() {
            return Some((entry, reply));
        }
        let _ = reply.send(Ok(entry.item.clone()));
        None
    }

    /// Answers a tool. The session handles `Start`, since it has the journal.
    pub(super) fn answer(&mut self, request: JobRequest, now_ms: u64) {
        let unknown =
            |id: &JobId| format!("Unknown job `{id}`. The action \"list\" shows all jobs.");
        match request {
            JobRequest::Start { reply, .. } => drop(reply),
            JobRequest::List { reply } => {
                let views = self.of_model().map(|entry| entry.view(now_ms));
                let _ = reply.send(views.collect());
            }
            JobRequest::Look { id, reply } => {
                let entry = self.of_model().find(|entry| entry.id == id);
                let _ =
                    reply.send(entry.map(|entry| entry.view(now_ms)).ok_or_else(|| unknown(&id)));
            }
            JobRequest::Seen { id, mark, has_ended } => {
                if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
                    entry.mark = entry.mark.latest(mark);
                    entry.is_told |= has_ended;
                }
            }
            JobRequest::Stop { id, reply } => {
                let entry =
                    self.entries.iter_mut().find(|entry| entry.id == id && entry.is_models());
                match entry {
                    None => drop(reply.send(Err(unknown(&id)))),
                    Some(entry) if entry.is_running() => entry.stop(Waiting::Model(reply)),
                    Some(entry) => drop(reply.send(Ok(entry.view(now_ms)))),
                }
            }
        }
    }

    /// Returns the jobs started by the model.
    fn of_model(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.is_models())
    }

    /// Returns a job's next chunk number.
    pub(super) fn next_piece(&mut self, item: &ItemId) -> Option<u64> {
        let entry = self.entries.iter_mut().find(|entry| entry.item.id == *item)?;
        entry.n += 1;
        Some(entry.n - 1)
    }

    /// Returns the items of all jobs, oldest first.
    pub(super) fn items(&self) -> Vec<Item> {
        self.entries.iter().map(|entry| entry.item.clone()).collect()
    }

    /// Returns the items of running background jobs.
    pub(super) fn background(&self) -> Vec<ItemId> {
        let running = self.entries.iter().filter(|entry| entry.is_running());
        running.map(|entry| entry.item.id.clone()).collect()
    }

    /// Takes the news for the model; it counts as reported.
    pub(super) fn take_news(&mut self) -> Option<EngineMessage> {
        let mut news = Vec::new();
        let mut jobs = Vec::new();
        for item in self.untold.drain(..) {
            news.extend(line(&item));
            jobs.push(item.id);
        }
        for entry in self.entries.iter_mut().filter(|entry| !entry.is_running()) {
            if std::mem::replace(&mut entry.is_told, true) {
                continue;
            }
            let fresh = entry.output.after(entry.mark);
            let shown = truncate::tail(&fresh.text, NOTE_OUTPUT);
            let output = shown.text.trim_end_matches('\n');
            let line = line(&entry.item).unwrap_or_default();
            news.push(match (output.is_empty(), shown.is_cut() || fresh.missed_bytes > 0) {
                (true, _) => line,
                (false, false) => format!("{line} Output since you last read it:\n{output}"),
                (false, true) => {
                    format!("{line} The end of its output; read the job for all of it:\n{output}")
                }
            });
            jobs.push(entry.item.id.clone());
        }
        let text = from_engine(news.join("\n"));
        (!jobs.is_empty()).then_some(EngineMessage { text, jobs, ..EngineMessage::default() })
    }
}

fn unknown(id: &JobId) -> super::Error {
    let missing = super::Error::new(super::ErrorKind::NotFound, format!("unknown job {id}"));
    missing.hint(super::error::Action::ListJobs)
}

impl Entry {
    fn is_running(&self) -> bool {
        self.item.duration_ms.is_none()
    }

    /// Returns true if the model started the job.
    fn is_models(&self) -> bool {
        self.by_user.is_none()
    }

    fn stop(&mut self, waiting: Waiting) {
        self.stopping.get_or_insert(JobEnd::Stopped);
        self.waiting.push(waiting);
        self.cancel.cancel();
    }

    fn view(&self, now_ms: u64) -> JobView {
        let job = self.item.body.as_job();
        let title = job.map(|job| job.title.clone()).unwrap_or_default();
        let end = job.and_then(|job| job.end.map(|end| (end, job.details.clone())));
        let ran = now_ms.saturating_sub(self.item.started_ms);
        JobView {
            id: self.id.clone(),
            item_id: self.item.id.clone(),
            title,
            end,
            ran: Duration::from_millis(self.item.duration_ms.unwrap_or(ran)),
            output: self.output.clone(),
            mark: self.mark,
            terminal: self.terminal.clone(),
            is_confined: self.is_confined,
        }
    }
}

/// Returns how a job ended, its last output, and details for clients.
fn outcome(ran: Result<Ran, Error>, stopping: Option<JobEnd>) -> (JobEnd, String, ToolDetails) {
    let mut details = ToolDetails::default();
    let ran = match ran {
        Ok(ran) => ran,
        Err(Error::Cancelled) => {
            return (stopping.unwrap_or(JobEnd::Stopped), String::new(), details);
        }
        Err(error) => return (JobEnd::Failed, error.to_string(), details),
    };
    let mut shown = truncate::tail(&ran.tail, Limits::default());
    if shown.is_cut() {
        shown.record.total_lines = ran.total_lines;
        shown.record.total_bytes = ran.total_bytes;
        details.truncation = Some(shown.record);
    }
    details.full_output_path = ran.full_output_path.map(|path| names::shown(&path).into_owned());
    let end = match ran.end {
        End::Exited(code) => {
            details.exit_code = Some(code);
            JobEnd::Exited
        }
        End::Signalled(signal) => {
            details.signal = Some(signal);
            JobEnd::Signalled
        }
        End::TimedOut => JobEnd::TimedOut,
        End::Cancelled => stopping.unwrap_or(JobEnd::Stopped),
    };
    (end, shown.text, details)
}

fn status(end: JobEnd, details: &ToolDetails) -> ItemStatus {
    match end {
        JobEnd::Exited if details.exit_code == Some(0) => ItemStatus::Completed,
        JobEnd::Exited | JobEnd::Signalled | JobEnd::TimedOut | JobEnd::Failed => {
            ItemStatus::Failed
        }
        JobEnd::Stopped | JobEnd::SessionEnded => ItemStatus::Cancelled,
    }
}

/// Returns the text for the model about a user's command that has ended.
pub(super) fn words_for_model(job: &Job) -> String {
    let how = ended(job.end.unwrap_or(JobEnd::SessionEnded), &job.details);
    let cut = if job.details.truncation.is_some() { "the end of the output:\n" } else { "" };
    let output = job.output.as_deref().unwrap_or_default().trim_end_matches('\n');
    let gap = if output.is_empty() { "" } else { "\n" };
    format!("The user ran a command:\n$ {}\n{cut}{output}{gap}({how})", job.command)
}

/// Describes a job's end in one sentence.
fn line(item: &Item) -> Option<String> {
    let job = item.body.as_job()?;
    let how = ended(job.end?, &job.details);
    let seconds = item.duration_ms.unwrap_or_default() / 1000;
    Some(format!(
        "background job {} ({}) has ended: {how}, after {seconds} seconds.",
        job.job_id, job.title
    ))
}
