//! What can be asked of a session, and how to ask.

mod wishes;

pub use wishes::{ReviewWish, Rewind};

use super::client_calls::{CallId, Extensions};
use super::diagnostics::DiagnosticsReport;
use super::engine::in_background;
use super::error::{Error, ErrorKind};
use super::feed::{Subscriber, SubscriberId};
use super::persons::Note;
use super::workspace::Additional;
use crate::exec::variables::Given;
use crate::llm::Trace;
use crate::store::Page;
use pintle_protocol::approval::{Approval, ApprovalAnswer, ApprovalOutcome, PermissionMode};
use pintle_protocol::content::{Input, Usage};
use pintle_protocol::context::{ContextReadResult, ContextUsage};
use pintle_protocol::event::{QueuedInput, SessionCreated, SessionState, TurnLimits};
use pintle_protocol::history::{HistoryPoint, SessionMergeResult, SessionRewindResult};
use pintle_protocol::ids::{ApprovalId, ItemId, JobId, QuestionId, SessionId, TurnId};
use pintle_protocol::item::Item;
use pintle_protocol::methods::{ConfigResult, Disposition, QueuePolicy, WhenBusy};
use pintle_protocol::plan::{Plan, WorkMode};
use pintle_protocol::question::{Question, QuestionAnswer, QuestionOutcome};
use pintle_protocol::queue::QueueUpdate;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// How many commands may wait for a session. A session answers within microseconds; a sender that finds this
/// full waits.
pub(super) const COMMAND_CAPACITY: usize = 32;

/// Where the answer to a command goes. Invariant: it is sent before any event that the command causes.
pub type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// Something asked of a session.
#[derive(Debug)]
pub enum Command {
    /// Start a turn with a prompt, or queue it.
    Start {
        /// The prompt.
        input: Vec<Input>,
        /// What to do while a turn runs.
        when_busy: WhenBusy,
        /// How much it may take, beside what the settings say.
        limits: Option<TurnLimits>,
        /// The answer.
        reply: Reply<Accepted>,
    },
    /// Put a message into the running turn; answered with `None` when none runs.
    Steer {
        /// Refuse unless this turn runs.
        expected: Option<TurnId>,
        /// The message.
        input: Vec<Input>,
        /// The answer.
        reply: Reply<Option<Accepted>>,
    },
    /// Stop the running turn.
    Interrupt {
        /// Refuse unless this turn runs.
        expected: Option<TurnId>,
        /// What to do with messages the model has not read.
        queue: QueuePolicy,
        /// The answer.
        reply: Reply<Interrupted>,
    },
    /// Hand events to this subscriber from now on.
    Subscribe {
        /// Who and where to; one with the same id is replaced.
        subscriber: Subscriber,
        /// Hand on the events after this number first.
        from_seq: Option<u64>,
        /// The answer.
        reply: Reply<Snapshot>,
    },
    /// Say how things stand.
    Look {
        /// The answer.
        reply: Reply<Snapshot>,
    },
    /// Hand no more events to this subscriber.
    Unsubscribe {
        /// Who.
        id: SubscriberId,
        /// The answer.
        reply: Reply<()>,
    },
    /// This subscriber can answer no questions any more.
    NoMoreAnswers {
        /// Who.
        id: SubscriberId,
    },
    /// Answer a question; one that is not open is ignored.
    Answer(Answer),
    /// Answer a question of permission by a request of its own.
    AnswerApproval {
        /// The question.
        id: ApprovalId,
        /// The answer to it.
        answer: ApprovalAnswer,
        /// What came of it; an error when it is not open, or the answer makes no sense.
        reply: Reply<ApprovalOutcome>,
    },
    /// Answer a question of the model by a request of its own.
    AnswerQuestion {
        /// The question.
        id: QuestionId,
        /// The answer to it.
        answer: QuestionAnswer,
        /// What came of it; an error when it is not open, or the answer makes no sense.
        reply: Reply<QuestionOutcome>,
    },
    /// An editor says what is wrong in a file.
    Report {
        /// Who.
        id: SubscriberId,
        /// What it finds.
        report: DiagnosticsReport,
        /// The answer.
        reply: Reply<()>,
    },
    /// This subscriber gives these hooks and tools, in place of those before.
    Extend {
        /// Who.
        id: SubscriberId,
        /// What it gives.
        extensions: Arc<Extensions>,
        /// The answer.
        reply: Reply<()>,
    },
    /// Read durable events.
    Events {
        /// Those after this number.
        after: u64,
        /// The most to return.
        limit: usize,
        /// The answer: what reads them, and the number of the last event.
        reply: Reply<(Pager, u64)>,
    },
    /// Change how it works from the next turn on.
    Configure {
        /// The changes.
        config: OpenConfig,
        /// The answer.
        reply: Reply<()>,
    },
    /// Sum up the conversation of an idle session.
    Compact {
        /// What the summary is to take care of.
        instructions: Option<String>,
        /// The answer: the turn that does it.
        reply: Reply<TurnId>,
    },
    /// Go on from another place of the history of an idle session.
    Rewind {
        /// Where to, and what of it.
        rewind: Rewind,
        /// The answer.
        reply: Reply<SessionRewindResult>,
    },
    /// Take what was said and done in a fork of an idle session back, as a way of its own.
    Merge {
        /// The fork.
        fork: SessionId,
        /// The answer.
        reply: Reply<SessionMergeResult>,
    },
    /// List hunks, decide about them, or read what they start from.
    Review(ReviewWish),
    /// Name a place of the history.
    Label {
        /// The place.
        at: HistoryPoint,
        /// The name; none takes it away.
        label: Option<String>,
        /// The answer: the event that is the place.
        reply: Reply<u64>,
    },
    /// Edit the messages that the model has not read yet.
    EditQueue {
        /// What to do.
        edit: QueueEdit,
        /// The answer: the queue as it is then; for messages that were removed, those.
        reply: Reply<Vec<QueuedInput>>,
    },
    /// Say what the model was sent last.
    ReadContext {
        /// The answer.
        reply: Reply<ContextReadResult>,
    },
    /// Set options of the session by their ids; none only lists them.
    SetOptions {
        /// The new values.
        values: BTreeMap<String, String>,
        /// The answer.
        reply: Reply<ConfigResult>,
    },
    /// Say which background jobs there are.
    ListJobs {
        /// The answer: their items, oldest first.
        reply: Reply<Vec<Item>>,
    },
    /// Stop a background job.
    StopJob {
        /// The job.
        id: JobId,
        /// The answer, sent when it has ended: its item.
        reply: Reply<Item>,
    },
    /// Give the session another title.
    UpdateTitle {
        /// The title; an empty one takes it away.
        title: String,
        /// The answer: the title as it is then.
        reply: Reply<Option<String>>,
    },
    /// Put something into the history that was not said in a turn; at once, or when the running turn is over.
    Note {
        /// What.
        note: Note,
        /// The answer.
        reply: Reply<()>,
    },
    /// Answer when no turn runs, nothing waits and no title is being made.
    WhenIdle {
        /// The answer.
        reply: Reply<()>,
    },
    /// Stop what runs, close the journal in order, end.
    Close {
        /// The answer, sent when all that is done.
        reply: Reply<()>,
    },
}

/// Reads a page of the journal, on a thread where that may take its time.
pub struct Pager(Box<dyn FnOnce() -> Result<Page, crate::store::Error> + Send>);

impl Pager {
    /// Reads with this.
    pub(super) fn new(
        read: impl FnOnce() -> Result<Page, crate::store::Error> + Send + 'static,
    ) -> Self {
        Self(Box::new(read))
    }
}

impl std::fmt::Debug for Pager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pager")
    }
}

/// An answer to a question, or to a call.
#[derive(Debug, Clone)]
pub enum Answer {
    /// To a question of permission.
    Approval {
        /// The question.
        approval_id: ApprovalId,
        /// The answer.
        answer: ApprovalAnswer,
    },
    /// To a call of a hook or a tool.
    Call {
        /// The call.
        call_id: CallId,
        /// The result; an error is what went wrong, in words.
        outcome: Result<Value, String>,
    },
    /// To a question of the model.
    Question {
        /// The question.
        question_id: QuestionId,
        /// The answer.
        answer: QuestionAnswer,
    },
}

/// What to do with the messages that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueEdit {
    /// Only list them.
    List,
    /// Change one.
    Update(Box<QueueUpdate>),
    /// Hand these back; all when `None`.
    Remove(Option<Vec<ItemId>>),
}

/// A message was accepted and is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// The id of its item.
    pub item_id: ItemId,
    /// What became of it.
    pub disposition: Disposition,
}

/// The running turn is being stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// The turn; `None` when none ran.
    pub turn_id: Option<TurnId>,
    /// The messages that were taken out of the queue.
    pub returned: Vec<QueuedInput>,
}

/// Changes of how a session works; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenConfig {
    /// The model, as `provider/id[:effort]`.
    pub model: Option<String>,
    /// What needs no question.
    pub permission_mode: Option<PermissionMode>,
    /// Instructions for this session alone; only when it is made.
    pub system_prompt: Option<String>,
    /// Whether it plans only.
    pub mode: Option<WorkMode>,
    /// Variables that its commands and those of its sub-agents see besides. No journal keeps them.
    pub variables: Option<Given>,
    /// Directories that belong to the work beside the working directory. No journal keeps them.
    pub additional: Option<Additional>,
    /// The trace that requests to models belong to, of the turns that begin from now on and of their sub-agents. No journal keeps it.
    pub trace: Option<Trace>,
}

impl OpenConfig {
    /// This, and for what it leaves open what a session was made with.
    pub(super) fn over(self, created: Option<&SessionCreated>) -> Self {
        Self {
            model: self.model.or_else(|| created.map(|created| created.model.clone())),
            permission_mode: self.permission_mode.or(created.map(|made| made.permission_mode)),
            system_prompt: created.and_then(|created| created.system_prompt.clone()),
            mode: self.mode.or(created.map(|created| created.mode)),
            variables: self.variables,
            additional: self.additional,
            trace: self.trace,
        }
    }

    /// Refuses what can only be said when a session is made.
    pub(super) fn check_open(&self) -> Result<(), Error> {
        if self.system_prompt.is_none() {
            return Ok(());
        }
        let what = "the system prompt of a session cannot be changed";
        Err(Error::new(ErrorKind::Invalid, what).hint("send `systemPrompt` with session/create"))
    }
}

/// A session as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The number of the last durable event.
    pub seq: u64,
    /// The working directory.
    pub cwd: String,
    /// The title.
    pub title: Option<String>,
    /// The model.
    pub model: String,
    /// What needs no question.
    pub permission_mode: PermissionMode,
    /// Whether it plans only.
    pub mode: WorkMode,
    /// What it does.
    pub state: SessionState,
    /// The running turn.
    pub active_turn_id: Option<TurnId>,
    /// Messages the model has not read.
    pub queue: Vec<QueuedInput>,
    /// Open questions of permission.
    pub approvals: Vec<Approval>,
    /// Open questions of the model.
    pub questions: Vec<Question>,
    /// What the model means to do.
    pub plan: Option<Plan>,
    /// The tokens of all its turns and of its sub-agents'.
    pub usage: Usage,
    /// What all that cost, where prices are known, in billionths of a US dollar.
    pub cost_nano_usd: Option<u64>,
    /// How full the model's window is.
    pub context: ContextUsage,
    /// The events asked for were too many for the subscriber's channel.
    pub has_gap: bool,
}

/// The way to a session. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    /// The session.
    pub id: SessionId,
    pub(super) commands: mpsc::Sender<Command>,
}

impl SessionHandle {
    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The session refused, or is closed.
    pub async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.tell(command(reply)).await?;
        answer.await.unwrap_or_else(|_| Err(Error::closed(&self.id)))
    }

    /// Whether its task has ended.
    pub fn is_closed(&self) -> bool {
        self.commands.is_closed()
    }

    /// Asks without waiting for an answer.
    ///
    /// # Errors
    /// The session is closed.
    pub async fn tell(&self, command: Command) -> Result<(), Error> {
        self.commands.send(command).await.map_err(|_| Error::closed(&self.id))
    }

    /// Reads durable events after `after`, and says the number of the last one there is.
    ///
    /// # Errors
    /// The session is closed or its journal cannot be read.
    pub async fn events(&self, after: u64, limit: usize) -> Result<(Page, u64), Error> {
        let (read, last) = self.ask(|reply| Command::Events { after, limit, reply }).await?;
        Ok((in_background(read.0).await?, last))
    }
}
