//! The session as its running turn sees it.
//!
//! A turn runs inside its session's task and calls it directly: an event is in the journal when [`Host::record`] returns, and no
//! channel lies between the two. Whatever a turn waits for outside, it waits for through [`Host::wait`], so that the session goes on
//! answering commands. Invariant: nothing that is waited for borrows the session.

use pintle_protocol::approval::{Approval, ApprovalOutcome};
use pintle_protocol::event::{Event, QueuedInput, TransientEvent};
use pintle_protocol::files::FileRecord;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{CompactionFiles, EngineMessage};
use pintle_protocol::plan::WorkMode;
use pintle_session::context::inspect::RequestParts;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The phase of a turn that clients are shown while nobody is asked anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    Working,
    Retrying,
    Compacting,
}

/// The journal could not be written, so the turn must not go on.
#[derive(Debug)]
pub(super) struct JournalLost;

/// The services of a session for its running turn.
pub(super) trait Host: Send {
    /// Appends an event to the journal and hands it to subscribers. A failure cancels the turn and is returned by [`Self::check`].
    fn record(&mut self, event: Event) {
        self.record_with(event, None);
    }

    /// The same, with the part of the journal's line that no client sees.
    fn record_with(&mut self, event: Event, private: Option<Box<RawValue>>);

    /// Fails once an event could not be appended. To be called before anything that acts.
    fn check(&self) -> Result<(), JournalLost>;

    /// Hands an event to subscribers without keeping it.
    fn transient(&mut self, event: TransientEvent);

    /// Keeps what is sent to the model, for clients that ask.
    fn set_sent(&mut self, sent: RequestParts);

    /// Shows clients what the turn does now.
    fn set_activity(&mut self, activity: Activity);

    /// The mode in which the turn works.
    fn mode(&self) -> WorkMode;

    /// The tasks of the plan that are not done, as text.
    fn open_todos(&self) -> Option<String>;

    /// The files that the model has read and changed.
    fn touched_files(&self) -> Option<CompactionFiles>;

    /// Takes the messages that wait for this turn; they count as read. Also a gap, see [`Self::gap`].
    fn take_steers(&mut self) -> impl Future<Output = Vec<QueuedInput>> + Send;

    /// Takes what the model is to be told of jobs, sub-agents, verdicts and modes; it counts as told.
    fn take_news(&mut self) -> Option<EngineMessage>;

    /// Returns true while there is something to wait for: a job that runs, or a sub-agent that works.
    fn has_work_behind(&self) -> bool;

    /// Says that no call is touching files: verdicts that wait are carried out. Returns what they and sub-agents did to files since the last gap.
    fn gap(&mut self) -> impl Future<Output = Vec<FileRecord>> + Send;

    /// Says that a call runs, which clients may cancel from now on. Returns what cancels it.
    fn call_begins(&mut self, item: &ItemId) -> CancellationToken;

    /// Says that a call is over.
    fn call_ends(&mut self, item: &ItemId);

    /// Asks a person for permission.
    fn ask(&mut self, approval: Approval) -> oneshot::Receiver<ApprovalOutcome>;

    /// Does this work, and meanwhile all that the session is asked to do.
    fn wait<F>(&mut self, work: F) -> impl Future<Output = F::Output> + Send
    where
        F: Future + Send,
        F::Output: Send;
}

/// The outcome of this work, or `None` where it was cancelled first.
pub(super) async fn uncancelled<F: Future>(
    cancel: &CancellationToken,
    work: F,
) -> Option<F::Output> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        done = work => Some(done),
    }
}
