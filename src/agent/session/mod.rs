//! A session: one task that owns the journal, the queues and the subscribers, and runs the turns.
//!
//! While a turn runs, the conversation is inside it, and whenever it waits, the session answers commands ([`Host::wait`]).
//! Invariants: this task is the journal's only writer, and nothing is handed on before it is in the
//! journal. A command's response is sent before any event that it causes.

mod agents;
mod answers;
mod background;
mod client_calls;
mod context;
mod history;
mod host;
mod merge;
mod notes;
mod options;
mod questions;
mod queue;
mod review;
mod review_queue;
mod rewind_files;
mod settings;
mod title;
mod turns;
mod watchers;

pub(super) use settings::Settings;

use super::client_calls::CallRequest;
use super::command::{Command, OpenConfig, Pager, Reply};
use super::diagnostics::Reports;
use super::engine::{Services, Sessions};
use super::error::{Error, ErrorKind};
use super::feed::{Record, Served};
use super::host::Activity;
use super::jobs::{self, Jobs};
use super::persons::Note;
use super::review::Reviewed;
use super::subagents::{self, Subagents};
use super::turn::{self, TurnContext, TurnState, Work};
use crate::context::agents::allows;
use crate::context::inspect::Sent;
use crate::history::recovery::{Earlier, Total, Verdicts};
use crate::llm::ModelRef;
use crate::store::Journal;
use crate::tools::{Ledger, Tool};
use futures_util::future::{BoxFuture, select_all};
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_protocol::context::ContextUsage;
use pintle_protocol::event::{ConfigChanged, Event, Notice, QueuedInput};
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
    calls: client_calls::Calls,
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
    engine: Sessions,
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
    Job(Box<jobs::Happened>),
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
        sessions: Sessions,
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
            calls: client_calls::Calls::default(),
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
            Command::Start { input, when_busy, limits, reply } => {
                self.start(input, when_busy, limits, reply);
            }
            Command::Steer { expected, input, reply } => {
                self.steer(expected.as_ref(), input, reply);
            }
            Command::Interrupt { expected, queue, reply } => {
                self.interrupt(expected.as_ref(), queue, reply);
            }
            Command::Subscribe { subscriber, from_seq, reply } => {
                self.subscribe(subscriber, from_seq, reply).await;
            }
            Command::Look { reply } => {
                let _ = reply.send(Ok(self.snapshot(false)));
            }
            Command::Unsubscribe { id, reply } => self.unsubscribe(id, reply).await,
            Command::NoMoreAnswers { id } => self.no_more_answers(id).await,
            Command::Answer(answer) => self.answer(&answer),
            Command::Report { id, report, reply } => {
                let _ = reply.send(self.take_report(id, report));
            }
            Command::AnswerApproval { id, answer, reply } => {
                self.answer_approval(&id, &answer, reply);
            }
            Command::AnswerQuestion { id, answer, reply } => {
                self.answer_question(&id, &answer, reply);
            }
            Command::Extend { id, extensions, reply } => self.extend(id, extensions, reply).await,
            Command::Events { after, limit, reply } => {
                let pager = self.journal.pager(after, limit);
                let _ = reply.send(Ok((Pager::new(pager), self.journal.last_seq())));
            }
            Command::Configure { config, reply } => {
                let (answer, record) = match self.configure(config) {
                    Ok(record) => (Ok(()), record),
                    Err(error) => (Err(error), None),
                };
                let _ = reply.send(answer);
                if let Some(record) = record {
                    self.hand_on(&record);
                }
            }
            Command::Compact { instructions, reply } => self.compact(instructions, reply),
            Command::Rewind { rewind, reply } => self.rewind(rewind, reply).await,
            Command::Merge { fork, reply } => self.merge(fork, reply).await,
            Command::Review(wish) => self.review(wish).await,
            Command::Label { at, label, reply } => self.label(&at, label, reply).await,
            Command::EditQueue { edit, reply } => {
                let (answer, record) = match self.edit_queue(edit) {
                    Ok((queue, record)) => (Ok(queue), record),
                    Err(error) => (Err(error), None),
                };
                let _ = reply.send(answer);
                if let Some(record) = record {
                    self.hand_on(&record);
                }
            }
            Command::ReadContext { reply } => {
                let _ = reply.send(Ok(self.read_context()));
            }
            Command::SetOptions { values, reply } => {
                let (answer, record) = match self.set_options(values) {
                    Ok((result, record)) => (Ok(result), record),
                    Err(error) => (Err(error), None),
                };
                let _ = reply.send(answer);
                if let Some(record) = record {
                    self.hand_on(&record);
                }
            }
            Command::ListJobs { reply } => {
                let _ = reply.send(Ok(self.jobs.items()));
            }
            Command::StopJob { id, reply } => self.jobs.stop_for_client(&id, reply),
            Command::UpdateTitle { title, reply } => self.update_title(&title, reply),
            Command::Note { note, reply } => self.take_note(note, reply),
            Command::WhenIdle { reply } => {
                self.waiting_for_idle.push(reply);
                self.tell_if_idle();
            }
            // `handle` takes it, since the session ends with it.
            Command::Close { reply } => drop(reply),
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

    /// Changes how the session works. The record is to be handed on once the answer is out.
    fn configure(&mut self, config: OpenConfig) -> Result<Option<Arc<Record>>, Error> {
        config.check_open()?;
        let before = self.config_changed();
        let model = config.model.map(|model| parse_model(&model)).transpose()?;
        if let Some(model) = model.filter(|model| *model != self.settings.model) {
            self.settings.model = model;
            self.context = None;
            self.tools = tools_of(&self.services, &self.settings);
        }
        if let Some(mode) = config.permission_mode {
            self.settings.permission_mode = mode;
        }
        self.settings.mode = config.mode.unwrap_or(self.settings.mode);
        if let Some(variables) = config.variables {
            self.settings.variables = variables;
        }
        if let Some(trace) = config.trace {
            self.settings.trace = trace;
        }
        if let Some(additional) = config.additional {
            self.settings.additional = additional;
        }
        let changed = self.config_changed();
        if before == changed {
            return Ok(None);
        }
        self.append(None, Event::ConfigChanged(changed), None).map(Some)
    }

    /// How the session works, as its journal says.
    fn config_changed(&self) -> ConfigChanged {
        ConfigChanged {
            model: self.settings.model.to_string(),
            permission_mode: self.settings.permission_mode,
            mode: self.settings.mode,
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
fn tools_of(services: &Services, settings: &Settings) -> Arc<[Arc<dyn Tool>]> {
    let tools = services.tools.tools(&settings.model, settings.is_subagent);
    match settings.role.as_ref().and_then(|role| role.tools.as_ref()) {
        None => tools,
        Some(named) => tools.iter().filter(|tool| allows(named, tool.name())).cloned().collect(),
    }
}
