//! A session: one task that owns the journal, the queues and the subscribers, and runs the turns.
//!
//! While a turn runs, the conversation is inside it, and whenever it waits, the session answers commands ([`TurnHost::wait`](crate::host::TurnHost::wait)).
//! Invariants: this task is the journal's only writer, and nothing is handed on before it is in the
//! journal. A command's response is sent before any event that it causes.

mod agents;
mod answers;
pub(super) mod clients;
mod context;
mod contributions;
mod history;
mod host;
mod inbox;
mod isolation;
mod jobs;
mod log;
mod merge;
mod model_view;
mod naming;
mod notes;
mod open_questions;
mod options;
mod phase;
mod question_rules;
mod questions;
mod queue;
mod requests;
mod restore;
mod review;
mod rules;
mod seen;
mod servers;
mod settings;
mod streaming;
mod subscribers;
mod subscriptions;
mod title;
mod turns;

pub(super) use settings::{Lineage, Settings};
pub(crate) use title::given_title;

use crate::clients::{CallRequest, SubscriberId};
use crate::command::{Command, Record, Reply, Sent, commands_ended, messages_held};
use crate::error::{Error, ErrorKind};
use crate::grants::Grants;
use crate::jobs::Jobs;
use crate::models::Extras;
use crate::requests::SessionFactory;
use crate::services::Services;
use crate::session::contributions::Contributions;
use crate::session::inbox::Inbox;
use crate::session::log::Log;
use crate::session::model_view::ModelView;
use crate::session::naming::{Answered, Naming};
use crate::session::open_questions::{OpenQuestions, QuestionEvent};
use crate::session::phase::{DueTurn, Phase};
use crate::session::review::ReviewState;
use crate::subagents::{self, Subagents};
use crate::turn;
use crate::turn::context::{Finished, TurnState};
use futures_util::stream::StreamExt;
use pintle_base::text::tool_names::{allows, names_tool};
use pintle_llm::ModelRef;
use pintle_protocol::event::{Event, Notice};
use pintle_protocol::ids::SessionId;
use pintle_session::history::recovery::{Earlier, Total};
use pintle_session::store::Journal;
use pintle_tools::Tool;
use pintle_tools::mcp::SessionServers;
use std::sync::Arc;
use tokio::sync::mpsc;

/// A session: parts that own their state, and the task that lets them work together.
#[derive(Debug)]
pub(super) struct Session {
    services: Arc<Services>,
    log: Log,
    settings: Settings,
    phase: Phase,
    inbox: Inbox,
    questions: OpenQuestions,
    view: ModelView,
    contributions: Contributions,
    review: ReviewState,
    jobs: Jobs,
    subagents: Subagents,
    servers: SessionServers,
    naming: Naming,
    grants: Arc<Grants>,
    consumed: Consumed,
    lifecycle: Lifecycle,
}

/// The session's consumption so far.
#[derive(Debug)]
struct Consumed {
    /// The number of turns.
    turns: u64,
    /// The tokens and the money, including those of its sub-agents.
    total: Total,
}

/// The session's entry and exit: its commands and how it closes.
#[derive(Debug)]
struct Lifecycle {
    commands: mpsc::Receiver<Sent>,
    /// Receive a response when the session is idle.
    idle_waiters: Vec<Reply<()>>,
    /// The session is to end.
    closing: Option<Closing>,
    /// The last client has left: the session ends once nothing runs, unless another comes.
    is_left: bool,
}

impl Lifecycle {
    /// Waits for a command; `None` once every handle is gone, and on every later call. Cancel-safe.
    async fn next(&mut self) -> Option<Sent> {
        if self.closing.as_ref().is_some_and(|closing| closing.is_abandoned) {
            std::future::pending::<()>().await;
        }
        self.commands.recv().await
    }
}

/// The session is to end.
#[derive(Debug)]
struct Closing {
    /// Receives the command's response when everything is done; `None` if no command requested it.
    reply: Option<Reply<()>>,
    /// Every handle is gone, so no command comes any more.
    is_abandoned: bool,
}

/// Something that the task wakes up for.
enum Wake {
    Command(Sent),
    /// Every handle is gone.
    Abandoned,
    Job(Box<crate::jobs::JobEvent>),
    Subagent(Box<subagents::SubagentEvent>),
    Question(Box<QuestionEvent>),
    /// A hook calls its client.
    Call(CallRequest),
    /// A session-start hook has ended, with its problems.
    Hooked(Vec<Notice>),
    /// A model has named the session, or could not.
    Named(Answered),
    /// A subscriber that was behind may have room again.
    Room,
    /// Text that streams is to be saved.
    SaveDue,
}

impl Session {
    /// Runs a session's task: serves until the session is closed or every handle is gone. Returns its id.
    pub(super) fn serve(
        services: Arc<Services>,
        sessions: SessionFactory,
        journal: Journal,
        settings: Settings,
        state: TurnState,
        earlier: Earlier,
        commands: mpsc::Receiver<Sent>,
    ) -> impl Future<Output = SessionId> + Send {
        let is_named =
            settings.title.is_some() || earlier.is_retitled || settings.lineage.is_subagent;
        let view = ModelView {
            reported_mode: earlier.reported_mode,
            plan: earlier.plan,
            text_tools: earlier.text_tools.into_iter().map(|model| (model, true)).collect(),
            touched: earlier.touched,
            has_saved: !earlier.seen.is_empty(),
            read_tracker: seen::restore(earlier.seen),
            ..ModelView::default()
        };
        let mut log = Log::new(journal, services.ambient.clone(), sessions.clone(), earlier.keys);
        let inbox = Inbox::holding(earlier.unread);
        log.unseen.extend(commands_ended(&earlier.ended));
        log.unseen.extend(messages_held(&inbox.unread()));
        let lifecycle =
            Lifecycle { commands, idle_waiters: Vec::new(), closing: None, is_left: false };
        let session = Self {
            log,
            services,
            settings,
            phase: Phase::Idle(state),
            inbox,
            questions: OpenQuestions::default(),
            view,
            contributions: Contributions::default(),
            review: ReviewState::new(earlier.decisions),
            jobs: Jobs::new(earlier.jobs),
            subagents: Subagents::new(earlier.agents, sessions),
            servers: SessionServers::default(),
            naming: Naming::new(!is_named),
            grants: Arc::default(),
            consumed: Consumed { turns: earlier.turns, total: earlier.total },
            lifecycle,
        };
        session.run()
    }

    async fn run(mut self) -> SessionId {
        self.run_start_hooks();
        self.resume_review().await;
        loop {
            if let Some(DueTurn { ctx, mut state, work }) = self.phase.due_turn() {
                let finished = match self.read_conversation(&mut state).await {
                    Ok(()) => Box::pin(turn::run(&mut self, ctx, state, work)).await,
                    Err(error) => {
                        self.hand_back(work);
                        Finished::unread(state, &error)
                    }
                };
                self.finished(finished).await;
            } else if self.lifecycle.closing.is_some() {
                return self.close().await;
            } else if self.is_over() {
                self.begin_to_close(Closing { reply: None, is_abandoned: false });
            } else {
                let wake = self.next().await;
                self.handle(wake).await;
            }
        }
    }

    /// Waits for the next thing to do. Cancel-safe.
    async fn next(&mut self) -> Wake {
        let is_running = matches!(self.phase, Phase::Running(_));
        // Job reports from tools come first, so that the turn does not repeat news that its model has just read.
        tokio::select! {
            biased;
            event = self.jobs.next() => Wake::Job(Box::new(event)),
            event = self.subagents.next() => Wake::Subagent(Box::new(event)),
            event = self.questions.next(), if is_running => Wake::Question(Box::new(event)),
            call = self.contributions.calls.next(), if is_running => Wake::Call(call),
            command = self.lifecycle.next() => command.map_or(Wake::Abandoned, Wake::Command),
            Some(notices) = self.contributions.watching_hooks.next() => Wake::Hooked(notices),
            answered = self.naming.next() => Wake::Named(answered),
            () = self.log.room() => Wake::Room,
            () = self.log.save_due() => Wake::SaveDue,
        }
    }

    /// Does what woke the task.
    async fn handle(&mut self, wake: Wake) {
        match wake {
            // Dropping a command's reply signals to its sender that the session is closed.
            Wake::Command(sent) if self.lifecycle.closing.is_some() => drop(sent),
            Wake::Command(Sent { command: Command::Close { reply }, .. }) => {
                self.begin_to_close(Closing { reply: Some(reply), is_abandoned: false });
            }
            Wake::Command(Sent { command: Command::Leave { id, finishes, reply }, .. }) => {
                self.leave(id, finishes, reply).await;
            }
            Wake::Abandoned => match &mut self.lifecycle.closing {
                Some(closing) => closing.is_abandoned = true,
                None => self.begin_to_close(Closing { reply: None, is_abandoned: true }),
            },
            Wake::Command(Sent { command, cause }) => {
                self.log.cause = cause;
                self.command(command).await;
                self.log.cause = None;
            }
            Wake::Job(event) => self.job_event(*event),
            Wake::Subagent(event) => self.subagent_event(*event),
            Wake::Question(event) => self.question_event(*event),
            Wake::Call(CallRequest { to, body, reply }) => self.call_client(to, body, reply),
            Wake::Hooked(notices) => self.hooks_failed(notices),
            Wake::Named(answered) => self.named(answered),
            Wake::Room => self.log.catch_up(),
            Wake::SaveDue => self.log.save_streaming(),
        }
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::Request(call) => self.request(*call).await,
            Command::Turn(command) => self.turn_command(command),
            Command::Queue(command) => self.queue_command(command),
            Command::Subscription(command) => self.subscription_command(command).await,
            Command::Answer(answer) => self.answer(&answer),
            Command::Client(command) => self.client_command(command).await,
            Command::Settings(command) => self.settings_command(command),
            Command::History(command) => self.history_command(command),
            Command::Job(command) => self.job_command(command),
            Command::Servers(command) => self.servers_command(command),
            Command::Rules(command) => self.rules_command(command),
            // `handle` takes these, since the session ends with them.
            Command::Close { reply } | Command::Leave { reply, .. } => drop(reply),
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
            self.publish(&record);
        }
    }

    /// Resolves pending requests that wait until nothing runs.
    fn answer_idle_waiters(&mut self) {
        if matches!(self.phase, Phase::Idle(_)) && self.naming.is_idle() {
            for reply in self.lifecycle.idle_waiters.drain(..) {
                let _ = reply.send(Ok(()));
            }
        }
    }

    /// Returns the tools that the session's model sees.
    fn tools(&self) -> Arc<[Arc<dyn Tool>]> {
        tools_of(&self.services, &self.settings)
    }

    /// Returns the tools excluded by the user who started the session.
    fn withheld_tools(&self) -> Vec<Arc<dyn Tool>> {
        let (services, settings) = (&self.services, &self.settings);
        let extras = extras(settings);
        let mut withheld = services.tools.toolbox.withheld(&settings.model, extras);
        if let Some(named) = &settings.tools {
            let all = services.tools.toolbox.tools(&settings.model, extras);
            withheld.extend(all.iter().filter(|tool| !names_tool(named, tool.name())).cloned());
        }
        withheld
    }

    /// Removes a client. If it was the last one, the session closes: immediately, or when nothing runs. A session that closes at once
    /// responds after that, so its journal is free then.
    async fn leave(&mut self, id: SubscriberId, finishes: bool, reply: Reply<()>) {
        let is_last = self
            .log
            .subscribers
            .iter()
            .all(|served| served.subscriber.id == id || served.subscriber.feed.is_closed());
        self.lifecycle.is_left = is_last;
        if is_last && (!finishes || self.is_over()) {
            self.begin_to_close(Closing { reply: Some(reply), is_abandoned: false });
            return;
        }
        self.unsubscribe(id, reply).await;
    }

    /// Returns true if the last client has left and nothing runs.
    fn is_over(&self) -> bool {
        self.lifecycle.is_left
            && matches!(self.phase, Phase::Idle(_))
            && self.jobs.background().is_empty()
            && self.naming.is_idle()
    }

    /// Stops running work. Closing continues when the running turn has ended.
    fn begin_to_close(&mut self, closing: Closing) {
        self.lifecycle.closing = Some(closing);
        self.naming = Naming::default();
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
        let reply = self.lifecycle.closing.as_mut().and_then(|closing| closing.reply.take());
        let id = self.log.id.clone();
        // The lock goes with the journal, so the response comes after it.
        drop(self);
        if let Some(reply) = reply {
            let _ = reply.send(closed);
        }
        id
    }

    async fn wind_up(&mut self) -> Result<(), Error> {
        self.apply_pending_decisions().await;
        self.end_agents().await;
        self.end_jobs().await;
        self.run_end_hooks().await;
        self.services.env.release(self.log.id.as_str()).await;
        self.services.here.release(self.log.id.as_str()).await;
        let appended = self.log.append(None, Event::SessionClosed {}, None).map(|record| {
            self.publish(&record);
        });
        self.log.tell_at_the_end().await;
        self.prune_blobs().await;
        self.log.journal.sync().await?;
        appended
    }
}

pub(super) fn parse_model(model: &str) -> Result<ModelRef, Error> {
    model.parse().map_err(|message: String| Error::new(ErrorKind::Config, message))
}

/// Returns the tools that the session's model sees: a named agent's are those listed in its file, and a session may be limited to some.
fn tools_of(services: &Services, settings: &Settings) -> Arc<[Arc<dyn Tool>]> {
    let tools = services.tools.toolbox.tools(&settings.model, extras(settings));
    let role = settings.role.as_ref().and_then(|role| role.tools.as_ref());
    if role.is_none() && settings.tools.is_none() {
        return tools;
    }
    let is_allowed = |tool: &&Arc<dyn Tool>| {
        role.is_none_or(|named| allows(named, tool.name()))
            && settings.tools.as_ref().is_none_or(|named| names_tool(named, tool.name()))
    };
    tools.iter().filter(is_allowed).cloned().collect()
}

/// Returns the additional tool groups of a session.
fn extras(settings: &Settings) -> Extras {
    Extras { person: !settings.lineage.is_subagent, agents: settings.limits.subagent_depth > 0 }
}

/// Rejects names that match no tool of a session.
pub(super) fn check_tools(
    services: &Services,
    settings: &Settings,
    named: &[String],
) -> Result<(), Error> {
    let tools = services.tools.toolbox.tools(&settings.model, extras(settings));
    let stands_for_none = |name: &&String| {
        // The tools of MCP servers are not known before these are asked.
        !name.starts_with("mcp_")
            && !tools.iter().any(|tool| names_tool(std::slice::from_ref(name), tool.name()))
    };
    let Some(unknown) = named.iter().find(stands_for_none) else { return Ok(()) };
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    Err(Error::new(ErrorKind::Invalid, format!("unknown tool `{unknown}`"))
        .hint(format!("the tools are {}", names.join(", ")))
        .at("/config/tools"))
}
