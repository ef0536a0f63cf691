//! The session's interface for its running turn.
//!
//! A turn runs inside its session's task and calls it directly: an event is in the journal when [`TurnHost::record`] returns, and no channel is
//! between the two. Every external wait of a turn goes through [`TurnHost::wait`], so that the session keeps answering commands. Invariant: no
//! awaited future borrows the session.

use crate::grants::Grants;
use crate::kept_edits::KeptEdit;
use pintle_protocol::approval::{Approval, ApprovalOutcome};
use pintle_protocol::event::{Event, QueuedInput, TransientEvent};
use pintle_protocol::files::FileRecord;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{CompactionFiles, EngineMessage};
use pintle_protocol::plan::WorkMode;
use pintle_session::context::inspect::RequestParts;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A turn's phase as shown to clients while no question is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    Working,
    Retrying,
    Compacting,
}

/// The journal could not be written, so the turn must stop.
#[derive(Debug)]
pub(super) struct JournalLost;

/// The reply to a question of permission.
#[derive(Debug)]
pub(super) struct ApprovalReply {
    pub(super) outcome: ApprovalOutcome,
    /// The user's edits to the proposed files.
    pub(super) edits: Vec<KeptEdit>,
}

/// The services that a session provides to its running turn.
pub(super) trait TurnHost: Send {
    /// Appends an event to the journal and hands it to subscribers. A failure cancels the turn and is returned by [`Self::check`].
    fn record(&mut self, event: Event) {
        self.record_with(event, None);
    }

    /// Like `record`, with the journal line's private part, which clients never see.
    fn record_with(&mut self, event: Event, private: Option<Box<RawValue>>);

    /// Fails once an event could not be appended. To be called before anything that acts.
    fn check(&self) -> Result<(), JournalLost>;

    /// Hands an event to subscribers without keeping it.
    fn transient(&mut self, event: TransientEvent);

    /// Keeps the last request, in parts, for clients that ask for it.
    fn set_sent(&mut self, sent: RequestParts);

    /// Shows clients the turn's current activity.
    fn set_activity(&mut self, activity: Activity);

    /// Returns the turn's current mode.
    fn mode(&self) -> WorkMode;

    /// Returns the rules that answers have added and taken back so far.
    fn grants(&self) -> Arc<Grants>;

    /// Returns the same, to change it.
    fn grants_mut(&mut self) -> &mut Grants;

    /// Returns the unfinished tasks of the plan, as text.
    fn open_todos(&self) -> Option<String>;

    /// Returns the files that the model has read and changed.
    fn touched_files(&self) -> Option<CompactionFiles>;

    /// Takes the messages that wait for this turn; they count as read. Also a gap, see [`Self::gap`].
    fn take_steers(&mut self) -> impl Future<Output = Vec<QueuedInput>> + Send;

    /// Takes the news about jobs, sub-agents, decisions and modes for the model; they count as reported.
    fn take_news(&mut self) -> Option<EngineMessage>;

    /// Returns true while there is something to wait for: a job that runs, or a sub-agent that works.
    fn has_work_behind(&self) -> bool;

    /// Marks a gap between tool calls, and applies pending decisions. Returns file changes made by these and by sub-agents since the last
    /// gap.
    fn gap(&mut self) -> impl Future<Output = Vec<FileRecord>> + Send;

    /// Marks a call as running, which clients may cancel from now on. Returns its cancellation token.
    fn call_begins(&mut self, item: &ItemId) -> CancellationToken;

    /// Marks a call as ended.
    fn call_ends(&mut self, item: &ItemId);

    /// Returns true if a client can answer questions and was not asked yet whether this model, as `provider/id`, gets its tools as text.
    /// It counts as asked from now on.
    fn offer_text_tools(&mut self, model: &str) -> bool;

    /// From now on, describes tools in this model's prompt.
    fn use_text_tools(&mut self, model: &str);

    /// Asks the user for approval.
    fn ask(&mut self, approval: Approval) -> oneshot::Receiver<ApprovalReply>;

    /// Awaits this work, while the session handles its other events and commands.
    fn wait<F>(&mut self, work: F) -> impl Future<Output = F::Output> + Send
    where
        F: Future + Send,
        F::Output: Send;
}

/// Returns the work's result, or `None` if it was cancelled first.
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
