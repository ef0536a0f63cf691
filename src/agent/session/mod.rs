//! A session: one task that owns the journal, the queues and the subscribers, and runs the turns.
//!
//! While a turn runs, the conversation is inside it, and whenever it waits, the session answers commands ([`Host::wait`]).
//! Invariants: this task is the journal's only writer, and nothing is handed on before it is in the
//! journal. A command's response is sent before any event that it causes.

mod agents;
mod answers;
mod clients;
mod context;
mod history;
mod host;
mod jobs;
mod merge;
mod notes;
mod options;
mod question_rules;
mod questions;
mod queue;
mod restore;
mod review;
mod settings;
mod subscribers;
mod subscriptions;
mod title;
mod turns;

pub use question_rules::QUESTION_TIMEOUT;
pub(super) use settings::Settings;

use crate::agent::clients::CallRequest;
use crate::agent::command::{Command, Note, Record, Reply};
use crate::agent::error::{Error, ErrorKind};
use crate::agent::host::Activity;
use crate::agent::jobs::Jobs;
use crate::agent::requests::SessionFactory;
use crate::agent::services::Services;
use crate::agent::session::review::fold::Reviewed;
use crate::agent::session::subscribers::Served;
use crate::agent::subagents::{self, Subagents};
use crate::agent::turn;
use crate::agent::turn::context::{TurnContext, TurnState, Work};
use crate::agent::turn::diagnostics::Reports;
use crate::context::agents::allows;
use crate::context::inspect::Sent;
use crate::history::recovery::{Earlier, Total, Verdicts};
use crate::llm::ModelRef;
use crate::store::Journal;
use crate::tools::{Ledger, Tool};
use futures_util::future::{BoxFuture, select_all};
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_protocol::context::ContextUsage;
use pintle_protocol::event::{Event, Notice, QueuedInput};
use pintle_protocol::files::FileRecord;
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::plan::{Plan, WorkMode};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The session task's state.
#[derive(Debug)]
pub(super) struct Session {
    services: Arc<Services>,
    id: SessionId,
    journal: Journal,
    settings: Settings,
    tools: Arc<[Arc<dyn Tool>]>,
    phase: Phase,
    /// Messages for the running turn, in order.
    steers: VecDeque<QueuedInput>,
    /// Messages that start turns of their own, in order.
    follow_ups: VecDeque<QueuedInput>,
    asked: questions::Asked,
    /// The mode that the model was last told of.
    told_mode: WorkMode,
    plan: Plan,
    calls: clients::Calls,
    /// Hooks of the session's begin that still run.
    start_hooks: FuturesUnordered<BoxFuture<'static, Vec<Notice>>>,
    naming: title::Naming,
    /// What an editor finds wrong in files; the running turn looks at it.
    reports: watch::Sender<Reports>,
    ledger: Ledger,
    subscribers: Vec<Served>,
    waiting_for_idle: Vec<Reply<()>>,
    notes: Vec<Note>,
    jobs: Jobs,
    subagents: Subagents,
    /// What they and verdicts did to files that the running turn does not know of.
    agent_changes: Vec<FileRecord>,
    /// Empty until somebody asks for it.
    review: Reviewed,
    /// There were verdicts in an earlier life, of which the model may not know.
    verdicts: Verdicts,
    /// It was made of another session's history just now.
    is_new_fork: bool,
    engine: SessionFactory,
    total: Total,
    /// What the model was sent last.
    sent: Option<Box<Sent>>,
    /// How full its window was then.
    context: Option<ContextUsage>,
    commands: mpsc::Receiver<Command>,
    /// The session is to end.
    closing: Option<Closing>,
}

enum Phase {
    Idle(TurnState),
    Running(Box<Running>),
}

/// A running turn, as its session knows it.
struct Running {
    turn_id: TurnId,
    began_ms: u64,
    cancel: CancellationToken,
    mode: WorkMode,
    activity: Activity,
    /// It has asked for news before.
    has_news: bool,
    /// The journal failed while this turn ran.
    is_lost: bool,
    /// All that it needs, until it begins.
    due: Option<Box<Due>>,
}

/// A turn that begins next.
struct Due {
    ctx: TurnContext,
    state: TurnState,
    work: Work,
}

/// The session is to end.
#[derive(Debug)]
struct Closing {
    /// Where the response to the command goes when all is done; none where no command asked for it.
    reply: Option<Reply<()>>,
    /// Every handle is gone, so no command comes any more.
    is_abandoned: bool,
}

impl std::fmt::Debug for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Idle(_) => f.write_str("Idle"),
            Self::Running(running) => write!(f, "Running({})", running.turn_id),
        }
    }
}

/// Something that the task wakes up for.
enum Wake {
    Command(Command),
    /// Every handle is gone.
    Abandoned,
    Job(Box<crate::agent::jobs::Happened>),
    Agent(Box<subagents::Happened>),
    Asked(Box<questions::Happened>),
    /// A hook calls its client.
    Call(CallRequest),
    /// A hook of the session's begin has ended; with what went wrong.
    Hooked(Vec<Notice>),
    /// A model has named the session, or could not.
    Named(title::Answered),
    /// A subscriber that was behind may have room again.
    Room,
}

impl Session {
    pub(super) fn new(
        services: Arc<Services>,
        sessions: SessionFactory,
        journal: Journal,
        settings: Settings,
        state: TurnState,
        earlier: Earlier,
        commands: mpsc::Receiver<Command>,
    ) -> Self {
        let tools = tools_of(&services, &settings);
        let is_due = settings.title.is_none() && !earlier.is_retitled;
        let is_due = is_due && !settings.is_subagent;
        Self {
            id: journal.header().session_id.clone(),
            services,
            journal,
            settings,
            tools,
            phase: Phase::Idle(state),
            steers: VecDeque::new(),
            follow_ups: VecDeque::new(),
            asked: questions::Asked::default(),
            told_mode: earlier.told_mode,
            plan: earlier.plan,
            calls: clients::Calls::default(),
            start_hooks: FuturesUnordered::new(),
            naming: title::Naming { is_due, ..title::Naming::default() },
            reports: watch::Sender::default(),
            ledger: Ledger::default(),
            subscribers: Vec::new(),
            waiting_for_idle: Vec::new(),
            notes: Vec::new(),
            jobs: Jobs::new(earlier.jobs),
            subagents: Subagents::new(earlier.agents, sessions.clone()),
            agent_changes: Vec::new(),
            review: Reviewed::default(),
            verdicts: earlier.verdicts,
            is_new_fork: earlier.is_new_fork,
            engine: sessions,
            total: earlier.total,
            sent: None,
            context: None,
            commands,
            closing: None,
        }
    }

    /// Serves until it is closed or every handle is gone. Returns its id.
    pub(super) async fn run(mut self) -> SessionId {
        self.run_start_hooks();
        self.take_up_review().await;
        loop {
            if let Some(Due { ctx, state, work }) = self.due_turn() {
                let finished = turn::run(&mut self, ctx, state, work).await;
                self.finished(finished).await;
            } else if self.closing.is_some() {
                return self.close().await;
            } else {
                let wake = self.next().await;
                self.handle(wake).await;
            }
        }
    }

    /// Waits for the next thing to do. Cancel-safe.
    async fn next(&mut self) -> Wake {
        let behind = self.subscribers.iter().map(|served| Box::pin(served.has_room()));
        let behind: Vec<_> = behind.collect();
        let room = async {
            if behind.is_empty() {
                std::future::pending::<()>().await;
            }
            select_all(behind).await;
        };
        let is_running = matches!(self.phase, Phase::Running(_));
        let is_abandoned = self.closing.as_ref().is_some_and(|closing| closing.is_abandoned);
        // What a tool said of a job comes first of all, so that the turn is not told what its model has just read.
        tokio::select! {
            biased;
            happened = self.jobs.next() => Wake::Job(Box::new(happened)),
            happened = self.subagents.next() => Wake::Agent(Box::new(happened)),
            happened = self.asked.next(), if is_running => Wake::Asked(Box::new(happened)),
            call = self.calls.next(), if is_running => Wake::Call(call),
            command = self.commands.recv(), if !is_abandoned => {
                command.map_or(Wake::Abandoned, Wake::Command)
            }
            Some(notices) = self.start_hooks.next() => Wake::Hooked(notices),
            Some(answered) = self.naming.asked.next() => Wake::Named(answered),
            () = room => Wake::Room,
        }
    }

    /// Does what woke the task.
    async fn handle(&mut self, wake: Wake) {
        match wake {
            // Dropping a command's reply tells who asked that the session is closed.
            Wake::Command(command) if self.closing.is_some() => drop(command),
            Wake::Command(Command::Close { reply }) => {
                self.begin_to_close(Closing { reply: Some(reply), is_abandoned: false });
            }
            Wake::Abandoned => match &mut self.closing {
                Some(closing) => closing.is_abandoned = true,
                None => self.begin_to_close(Closing { reply: None, is_abandoned: true }),
            },
            Wake::Command(command) => self.command(command).await,
            Wake::Job(happened) => self.job(*happened),
            Wake::Agent(happened) => self.agent(*happened),
            Wake::Asked(happened) => self.asked(*happened),
            Wake::Call(CallRequest { to, body, reply }) => self.call_client(to, body, reply),
            Wake::Hooked(notices) => self.hooks_failed(notices),
            Wake::Named(answered) => self.named(answered),
            Wake::Room => self.catch_up(),
        }
    }

    /// The running turn, if one runs.
    fn running(&self) -> Option<&Running> {
        match &self.phase {
            Phase::Running(running) => Some(running),
            Phase::Idle(_) => None,
        }
    }

    fn running_mut(&mut self) -> Option<&mut Running> {
        match &mut self.phase {
            Phase::Running(running) => Some(running),
            Phase::Idle(_) => None,
        }
    }

    fn due_turn(&mut self) -> Option<Due> {
        Some(*self.running_mut()?.due.take()?)
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::Turn(command) => self.turn_command(command),
            Command::Queue(command) => self.queue_command(command),
            Command::Subscription(command) => self.subscription_command(command).await,
            Command::Answer(command) => self.answer_command(command),
            Command::Client(command) => self.client_command(command).await,
            Command::Settings(command) => self.settings_command(command),
            Command::History(command) => self.history_command(command).await,
            Command::Context(command) => self.context_command(command),
            Command::Review(command) => self.review_command(command).await,
            Command::Job(command) => self.job_command(command),
            // `handle` takes it, since the session ends with it.
            Command::Close { reply } => drop(reply),
        }
    }

    /// Sends the response to a command, then hands on the record that it caused.
    fn respond<T>(&mut self, reply: Reply<T>, done: Result<(T, Option<Arc<Record>>), Error>) {
        let (response, record) = match done {
            Ok((response, record)) => (Ok(response), record),
            Err(error) => (Err(error), None),
        };
        let _ = reply.send(response);
        if let Some(record) = record {
            self.hand_on(&record);
        }
    }

    /// Tells who waits for it that nothing runs any more.
    fn tell_if_idle(&mut self) {
        if matches!(self.phase, Phase::Idle(_)) && self.naming.asked.is_empty() {
            for reply in self.waiting_for_idle.drain(..) {
                let _ = reply.send(Ok(()));
            }
        }
    }

    /// Stops what runs. The rest follows when the running turn is over.
    fn begin_to_close(&mut self, closing: Closing) {
        self.closing = Some(closing);
        self.naming = title::Naming::default();
        if let Phase::Running(running) = &self.phase {
            running.cancel.cancel();
            self.withdraw_questions();
        }
        self.jobs.stop_all();
        self.subagents.interrupt();
    }

    /// Ends the journal in order. Commands that come meanwhile are dropped, see `handle`.
    async fn close(mut self) -> SessionId {
        let closed = self.wind_up().await;
        let reply = self.closing.as_mut().and_then(|closing| closing.reply.take());
        let id = self.id.clone();
        // The lock goes with the journal, so the response comes after it.
        drop(self);
        if let Some(reply) = reply {
            let _ = reply.send(closed);
        }
        id
    }

    async fn wind_up(&mut self) -> Result<(), Error> {
        self.carry_out_waiting().await;
        self.end_agents().await;
        self.end_jobs().await;
        self.run_end_hooks().await;
        self.services.env.release(self.id.as_str()).await;
        self.services.here.release(self.id.as_str()).await;
        let appended = self.append(None, Event::SessionClosed {}, None).map(|record| {
            self.hand_on(&record);
        });
        let head = self.journal.last_seq();
        for served in &mut self.subscribers {
            served.tell_at_the_end(&self.id, head).await;
        }
        self.let_go_of_blobs().await;
        self.journal.sync().await?;
        appended
    }
}

pub(super) fn parse_model(model: &str) -> Result<ModelRef, Error> {
    model.parse().map_err(|message: String| Error::new(ErrorKind::Config, message))
}

/// The tools that the session's model sees: a named agent's are those that its file names.
pub(super) fn tools_of(services: &Services, settings: &Settings) -> Arc<[Arc<dyn Tool>]> {
    let tools = services.tools.tools(&settings.model, settings.is_subagent);
    match settings.role.as_ref().and_then(|role| role.tools.as_ref()) {
        None => tools,
        Some(named) => tools.iter().filter(|tool| allows(named, tool.name())).cloned().collect(),
    }
}
