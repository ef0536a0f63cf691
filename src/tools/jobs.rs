//! Background job requests from tools: a tool sends a request, and the jobs' owner answers.
//!
//! This module runs nothing and keeps no state. Invariant: a request without an answer is an error result, never an endless wait.

use pintle_exec::{Mark, OutputBuffer, RunningCommand, Terminal};
use pintle_protocol::ids::{ItemId, JobId};
use pintle_protocol::item::{JobEnd, ToolDetails};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The channel to the background jobs' owner.
#[derive(Debug, Clone)]
pub struct Jobs(Option<mpsc::Sender<JobRequest>>);

/// The message to the model where background jobs are not available.
const NONE: &str = "Background jobs are not available here. Run the command in the foreground.";

/// A request to the background jobs' owner. An error is a message for the model.
#[derive(Debug)]
pub enum JobRequest {
    /// Run this in the background. It may have begun in the foreground.
    Start {
        /// The command.
        command: Box<RunningCommand>,
        /// A one-line title for the user.
        title: String,
        /// The running job.
        reply: oneshot::Sender<Result<JobView, String>>,
    },
    /// List the jobs.
    List {
        /// The running jobs and those that ended recently, oldest first.
        reply: oneshot::Sender<Vec<JobView>>,
    },
    /// Show a job, without counting anything as read.
    Look {
        /// The job.
        id: JobId,
        /// The job.
        reply: oneshot::Sender<Result<JobView, String>>,
    },
    /// Everything up to this mark was read, and the end as well if there was one.
    Seen {
        /// The job.
        id: JobId,
        /// The mark from which to continue.
        mark: Mark,
        /// True if the model knows how the job ended.
        has_ended: bool,
    },
    /// Stop a job.
    Stop {
        /// The job.
        id: JobId,
        /// The job, once none of its processes is running.
        reply: oneshot::Sender<Result<JobView, String>>,
    },
}

/// A background job's current state.
#[derive(Debug, Clone)]
pub struct JobView {
    /// The job's id.
    pub id: JobId,
    /// The job's item.
    pub item_id: ItemId,
    /// A one-line title for the user.
    pub title: String,
    /// How the job ended, with its exit code or signal.
    pub end: Option<(JobEnd, ToolDetails)>,
    /// The job's duration.
    pub ran: Duration,
    /// The job's output.
    pub output: OutputBuffer,
    /// How far the output was read.
    pub mark: Mark,
    /// The job's terminal, if it has one.
    pub terminal: Option<Terminal>,
    /// True if it runs in the sandbox.
    pub is_confined: bool,
}

impl Jobs {
    /// Requests go into this channel.
    pub fn new(tx: mpsc::Sender<JobRequest>) -> Self {
        Self(Some(tx))
    }

    /// Every request is refused.
    pub fn none() -> Self {
        Self(None)
    }

    /// Runs a command in the background.
    pub(super) async fn start(
        &self,
        command: RunningCommand,
        title: String,
    ) -> Result<JobView, String> {
        let command = Box::new(command);
        self.ask(|reply| JobRequest::Start { command, title, reply }).await?
    }

    pub(super) async fn list(&self) -> Result<Vec<JobView>, String> {
        self.ask(|reply| JobRequest::List { reply }).await
    }

    /// Returns a job's state, without counting anything as read.
    ///
    /// # Errors
    /// The job is unknown; the error is a message for the model.
    pub async fn look(&self, id: &JobId) -> Result<JobView, String> {
        self.ask(|reply| JobRequest::Look { id: id.clone(), reply }).await?
    }

    pub(super) async fn seen(&self, id: &JobId, mark: Mark, has_ended: bool) {
        if let Some(tx) = &self.0 {
            // A dropped receiver needs no response.
            let _ = tx.send(JobRequest::Seen { id: id.clone(), mark, has_ended }).await;
        }
    }

    pub(super) async fn stop(&self, id: &JobId) -> Result<JobView, String> {
        self.ask(|reply| JobRequest::Stop { id: id.clone(), reply }).await?
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> JobRequest,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        let tx = self.0.as_ref().ok_or(NONE)?;
        tx.send(request(reply)).await.map_err(|_| NONE)?;
        answer.await.map_err(|_| NONE.to_owned())
    }
}
