//! Background jobs.

use super::Reply;
use pintle_protocol::ids::JobId;
use pintle_protocol::item::Item;

/// Commands about background jobs.
#[derive(Debug)]
pub enum JobCommand {
    /// Stop one.
    Stop {
        /// The job.
        id: JobId,
        /// Receives its item when it has ended.
        reply: Reply<Item>,
    },
    /// Run a user's command as a job.
    Run {
        /// The command line.
        line: String,
        /// The model reads of it at its end, with the next prompt.
        to_model: bool,
        /// Receives the job when it runs.
        reply: Reply<UserJob>,
    },
    /// Wait for a job's end.
    Wait {
        /// The job.
        id: JobId,
        /// Receives its item when it has ended.
        reply: Reply<Item>,
    },
}

/// A user command's job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserJob {
    /// The job is running, or has just ended.
    Running(JobId),
    /// An earlier request with the same key ran it; the event with this number records its end.
    Ended(u64),
}
