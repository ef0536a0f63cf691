//! A stage for the engine: a scripted model, an environment in memory, and one client that steers and writes down
//! what it sees as a transcript.

mod settings;
mod words;
pub(crate) use settings::{Setup, client_hook, hook};

use super::render::{content, message, strings, text_of};
use super::replies::replies;
use pintle::agent::{
    Adopt, Answer, CallId, Command, CreateSession, Engine, EngineHandle, Feed, Limits, Models,
    OpenConfig, Patience, Services, SessionHandle, Subscriber, SubscriberId,
};
use pintle::ambient::Ambient;
use pintle::exec::memory::{Answer as Ran, Memory};
use pintle::llm::script::Reply;
use pintle::llm::{Error, Message, ModelRef, Provider, Script};
use pintle::store::Store;
use pintle_protocol::approval::{Approval, ApprovalAnswer, PermissionMode};
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, TransientEvent};
use pintle_protocol::ids::{JobId, SessionId};
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::methods::{QueuePolicy, WhenBusy};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::question::Question;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The sub-agents that the client was handed.
type Adopted = Arc<Mutex<BTreeMap<SessionId, SessionHandle>>>;

/// The engine on a stage.
pub(crate) struct Stage {
    pub(crate) script: Script,
    pub(crate) env: Arc<Memory>,
    engine: EngineHandle,
    session: SessionHandle,
    feed: mpsc::Receiver<Feed>,
    seen: Vec<String>,
    /// What came of sub-agents; their sessions run beside the other.
    seen_of_agents: BTreeMap<SessionId, Vec<String>>,
    /// How much of what was seen earlier steps have waited for.
    passed: usize,
    /// The first prompt.
    first: Option<String>,
    /// Short names of ids, counted in each session by itself.
    names: BTreeMap<SessionId, BTreeMap<String, String>>,
    /// The session whose ids are being named.
    naming: SessionId,
    streamed: BTreeMap<String, String>,
    asked: Vec<Approval>,
    questions: Vec<Question>,
    /// The question that was answered last.
    answered: Option<Question>,
    /// Calls of this client that wait.
    calls: Vec<CallId>,
    /// What other clients are handed.
    others: Vec<mpsc::Receiver<Feed>>,
    adopted: Adopted,
    setup: Setup,
    _task: JoinSet<()>,
}

fn engine_on(
    data: &Path,
    script: &Script,
    env: &Arc<Memory>,
    setup: &Setup,
) -> (EngineHandle, JoinSet<()>) {
    let provider: Arc<dyn Provider> = Arc::new(script.clone());
    let (engine, handle) = Engine::new(Services {
        ambient: Ambient::fixed([]),
        store: Store::new(data),
        env: Arc::<Memory>::clone(env),
        here: Arc::<Memory>::clone(env),
        hooks: setup.hooks.clone().into(),
        tools: setup.tools(),
        tool_settings: Arc::default(),
        models: Models::new(move |_: &ModelRef| -> Result<Arc<dyn Provider>, Error> {
            Ok(Arc::clone(&provider))
        }),
        patience: Patience { first: Duration::ZERO, ..Patience::default() },
        limits: Limits::default(),
        default_model: Some("script/test".to_owned()),
        default_permission_mode: PermissionMode::Full,
        lint: setup.lint.clone(),
        question_timeout: setup.question_timeout,
    });
    let mut task = JoinSet::new();
    task.spawn(engine.run());
    (handle, task)
}

impl Stage {
    pub(crate) async fn set_up(
        data: &Path,
        model: &str,
        mode: PermissionMode,
        setup: Setup,
    ) -> Self {
        let script = Script::new(replies(model));
        let env = Memory::new([("/w/a.txt", "one\ntwo\n"), ("/w/b.txt", "bee\n")])
            .with_command("make", Ran::Exits("made\n".to_owned(), 0))
            .with_command("fail", Ran::Exits("oh no\n".to_owned(), 3))
            .with_command("wait", Ran::Hangs("waiting\n".to_owned()));
        let env = Arc::new(setup.commands(env));
        let (engine, task) = engine_on(data, &script, &env, &setup);
        let config = OpenConfig { permission_mode: Some(mode), ..OpenConfig::default() };
        let create = CreateSession { cwd: "/w".to_owned(), config, ..CreateSession::default() };
        let session = engine.create(create).await.unwrap();
        let (tx, feed) = mpsc::channel(4096);
        let adopted = Adopted::default();
        let take = Arc::clone(&adopted);
        let adopt = Adopt::new(move |agent| {
            take.lock().unwrap().insert(agent.id.clone(), agent);
        });
        let subscriber = Subscriber {
            id: SubscriberId(1),
            feed: tx,
            can_approve: mode == PermissionMode::Ask,
            can_answer: setup.can_answer,
            extensions: setup.extensions(),
            adopt: Some(adopt),
        };
        session
            .ask(|reply| Command::Subscribe { subscriber, from_seq: Some(0), reply })
            .await
            .unwrap();
        Self {
            naming: session.id.clone(),
            script,
            env,
            engine,
            session,
            feed,
            seen: Vec::new(),
            seen_of_agents: BTreeMap::new(),
            passed: 0,
            first: None,
            names: BTreeMap::new(),
            streamed: BTreeMap::new(),
            asked: Vec::new(),
            questions: Vec::new(),
            answered: None,
            calls: Vec::new(),
            others: Vec::new(),
            adopted,
            setup,
            _task: task,
        }
    }

    /// Does one step: `prompt TEXT`, `queue TEXT`, `steer TEXT`, `stop`, `stop keep`, `allow`, `allow-session`,
    /// `deny TEXT`, `abort`, `dismiss`, `leave` (nobody answers any more), `until-agents N TEXT` (wait for lines of N sub-agents with it), `gate NAME` (wait until the model stands
    /// there), `open NAME`, `end CMD` (a hanging command ends), `jobs`, `stop-job ID`, `set ID=VALUE …`, `until TEXT` (wait for a line with it), `idle`.
    pub(crate) async fn act(&mut self, step: &str) {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let input = vec![Input::text(rest)];
        self.take_what_came();
        match verb {
            "prompt" | "queue" => {
                self.first.get_or_insert(rest.to_owned());
                let when_busy = if verb == "queue" { WhenBusy::Queue } else { WhenBusy::Reject };
                let answer = self
                    .session
                    .ask(|reply| Command::Start { input, when_busy, limits: None, reply })
                    .await;
                self.note(answer.map(|accepted| format!("{:?}", accepted.disposition)), step);
            }
            "steer" => {
                let answer =
                    self.session.ask(|reply| Command::Steer { expected: None, input, reply }).await;
                let told = |accepted: Option<_>| accepted.map_or("no active turn", |_| "accepted");
                self.note(answer.map(|accepted| told(accepted).to_owned()), step);
            }
            "stop" => {
                let queue = if rest == "keep" { QueuePolicy::Keep } else { QueuePolicy::Return };
                let answer = self
                    .session
                    .ask(|reply| Command::Interrupt { expected: None, queue, reply })
                    .await;
                let told = |stopped: pintle::agent::Interrupted| {
                    let turn = stopped.turn_id.map_or("no active turn", |_| "stopping");
                    format!("{turn}, {} returned", stopped.returned.len())
                };
                self.note(answer.map(told), step);
            }
            "until-agents" => {
                let (count, text) = rest.split_once(' ').unwrap();
                let count: usize = count.parse().unwrap();
                let has = |seen: &&Vec<String>| seen.iter().any(|line| line.contains(text));
                while self.seen_of_agents.values().filter(has).count() < count {
                    match self.feed.recv().await {
                        Some(feed) => self.take(feed),
                        None => panic!("the session ended before {count} agents' `{text}`"),
                    }
                }
            }
            "allow" | "allow-session" | "deny" | "abort" | "dismiss" => {
                let question = self.asked.remove(0);
                let answer = ApprovalAnswer {
                    option_id: Some(verb.to_owned()),
                    feedback: (!rest.is_empty()).then(|| rest.to_owned()),
                    dismissed: verb == "dismiss",
                };
                let approval_id = question.approval_id;
                let answer = Command::Answer(Answer::Approval { approval_id, answer });
                let session = self.adopted.lock().unwrap().get(&question.session_id).cloned();
                session.as_ref().unwrap_or(&self.session).tell(answer).await.unwrap();
            }
            "leave" => {
                let id = SubscriberId(1);
                self.session.tell(Command::NoMoreAnswers { id }).await.unwrap();
            }
            "gate" => self.script.reached(rest).await,
            "open" => self.script.open(rest),
            "end" => self.env.end(rest),
            "jobs" => {
                let jobs = self.session.ask(|reply| Command::ListJobs { reply }).await;
                let told = jobs.map(|jobs| {
                    let jobs = jobs.iter().map(|job| self.item(job));
                    jobs.collect::<Vec<_>>().join("; ")
                });
                self.note(told, step);
            }
            "stop-job" => {
                let id = JobId::new(rest);
                let told = self.session.ask(|reply| Command::StopJob { id, reply }).await;
                let told = told.map(|job| self.item(&job));
                self.note(told, step);
            }
            "set" => {
                let values = rest.split(' ').filter_map(|pair| pair.split_once('='));
                let values = values.map(|(id, value)| (id.to_owned(), value.to_owned())).collect();
                let told = self.session.ask(|reply| Command::SetOptions { values, reply }).await;
                let told = told.map(|result| {
                    let options = result.options.iter();
                    let options: Vec<_> =
                        options.map(|option| format!("{}={}", option.id, option.value)).collect();
                    let reasons = result.rejected.iter();
                    let reasons: Vec<_> =
                        reasons.map(|no| format!("; {}: {}", no.id, no.reason)).collect();
                    format!("{}{}", options.join(" "), reasons.concat())
                });
                self.note(told, step);
            }
            "until" => self.until(rest).await,
            "idle" => {
                self.session.ask(|reply| Command::WhenIdle { reply }).await.unwrap();
                self.take_what_came();
            }
            other => self.act_on_questions(other, rest).await,
        }
    }

    /// An answer comes before the events that it causes.
    fn note(&mut self, answer: Result<String, pintle::agent::Error>, step: &str) {
        let answer = answer.unwrap_or_else(|error| format!("refused: {error}"));
        self.seen.push(format!("> {step}: {answer}"));
    }

    fn take_what_came(&mut self) {
        while let Ok(feed) = self.feed.try_recv() {
            self.take(feed);
        }
    }

    async fn until(&mut self, text: &str) {
        loop {
            let fresh = self.seen.iter().skip(self.passed);
            if let Some(place) = fresh.clone().position(|line| line.contains(text)) {
                self.passed += place + 1;
                return;
            }
            match self.feed.recv().await {
                Some(feed) => self.take(feed),
                None => panic!("the session ended before `{text}`:\n{}", self.seen.join("\n")),
            }
        }
    }

    fn take(&mut self, feed: Feed) {
        match feed {
            Feed::Durable(record) => {
                if let Event::ApprovalRequested(approval) = &record.value.event {
                    self.asked.push(approval.clone());
                }
                if let Event::QuestionRequested(question) = &record.value.event {
                    self.questions.push(question.clone());
                }
                if let Event::ItemCompleted { item } = &record.value.event {
                    self.check_streamed(item);
                }
                self.naming = record.value.session_id.clone();
                let line = self.event(&record.value.event);
                self.naming = self.session.id.clone();
                if record.value.session_id == self.session.id {
                    self.seen.extend(line);
                } else {
                    let id = record.value.session_id.clone();
                    self.seen_of_agents.entry(id).or_default().extend(line);
                }
            }
            Feed::Transient(record) => {
                if let TransientEvent::ItemDelta(delta) = &record.event {
                    let path = delta.path.as_deref().unwrap_or_default();
                    let key = format!("{} {:?}{path}", delta.item_id, delta.field);
                    self.streamed.entry(key).or_default().push_str(&delta.text);
                }
            }
            Feed::Call(call) => self.called(&call),
            Feed::CallWithdrawn(_) => self.seen.push("withdrawn".to_owned()),
            Feed::Lagged { .. } => self.seen.push("lagged".to_owned()),
        }
    }

    /// The deltas of a text make up its final value, or are its beginning when it was cut; those of a call's arguments make
    /// up the texts in them.
    fn check_streamed(&self, item: &Item) {
        if let ItemBody::ToolCall(call) = &item.body
            && let Some(input) = &call.input
        {
            let mut texts = Vec::new();
            strings(input, "", &mut texts);
            for (path, text) in texts {
                let streamed = self.streamed.get(&format!("{} Input{path}", item.id));
                assert_eq!(streamed.map_or("", String::as_str), text, "{path} of {}", item.id);
            }
        }
        if let ItemBody::AgentMessage(body) | ItemBody::Reasoning(body) = &item.body {
            let streamed = self.streamed.get(&format!("{} Text", item.id));
            assert_eq!(streamed, Some(&body.text), "the deltas of {}", item.id);
        }
    }

    /// A short name for an id, by order of appearance.
    fn name(&mut self, id: &str) -> String {
        let names = self.names.entry(self.naming.clone()).or_default();
        let next = format!("#{}", names.len() + 1);
        names.entry(id.to_owned()).or_insert(next).clone()
    }

    fn event(&mut self, event: &Event) -> Option<String> {
        Some(match event {
            Event::SessionCreated(_) => return None,
            Event::SessionClosed {} => "session closed".to_owned(),
            Event::InputAccepted(input) => {
                format!("accepted {:?} {}", input.delivery, text_of(&input.content))
            }
            Event::InputRemoved { inputs } => {
                let texts: Vec<_> = inputs.iter().map(|input| text_of(&input.content)).collect();
                format!("handed back {}", texts.join(", "))
            }
            Event::TurnStarted { .. } => "turn started".to_owned(),
            Event::TurnCompleted(end) => {
                let stop = end.stop.map(|stop| format!(" {stop:?}")).unwrap_or_default();
                let error = end.error.as_ref().map(|e| format!(" {}: {}", e.code, e.message));
                let denials = if end.denials == 0 {
                    String::new()
                } else {
                    format!(" denials {}", end.denials)
                };
                format!(
                    "turn {:?}{stop}{denials} after {} steps{}",
                    end.status,
                    end.steps,
                    error.unwrap_or_default()
                )
            }
            Event::StepCompleted(step) => {
                let stop = step.stop.map_or("cut".to_owned(), |stop| format!("{stop:?}"));
                format!("step {} {stop}", step.step)
            }
            Event::ItemStarted { item } => {
                let line = self.item(item);
                format!("started   {line}")
            }
            Event::ItemUpdated { item } => {
                let line = self.item(item);
                format!("updated   {line}")
            }
            Event::ItemCompleted { item } => {
                let line = self.item(item);
                format!("completed {line}")
            }
            Event::ApprovalRequested(approval) => {
                format!("asked {}: {}", approval.title, approval.reason)
            }
            Event::ApprovalResolved(outcome) => {
                format!(
                    "answered {:?} for {:?} by {:?}",
                    outcome.decision, outcome.scope, outcome.by
                )
            }
            Event::ConfigChanged(config) => {
                let plan = if config.mode == WorkMode::Plan { " plan" } else { "" };
                format!("config {} {:?}{plan}", config.model, config.permission_mode)
            }
            Event::QuestionRequested(question) => words::question(question),
            Event::QuestionResolved(outcome) => words::outcome(outcome),
            Event::PlanUpdated(plan) => words::plan(plan),
            Event::RetryScheduled(retry) => format!(
                "retry {} of {} in {} ms, {}: {}",
                retry.attempt, retry.of, retry.delay_ms, retry.code, retry.message
            ),
            Event::Notice(notice) => format!("notice {}: {}", notice.code, notice.message),
        })
    }

    fn item(&mut self, item: &Item) -> String {
        let name = self.name(item.id.as_str());
        let status = format!("{:?}", item.status).to_lowercase();
        match &item.body {
            ItemBody::UserMessage(message) => format!("{name} user {}", text_of(&message.content)),
            ItemBody::AgentMessage(body) => format!("{name} message {status} {:?}", body.text),
            ItemBody::Reasoning(body) => format!("{name} reasoning {status} {:?}", body.text),
            ItemBody::ToolCall(call) => {
                let output = call.output.as_ref().map(|output| {
                    let mark = if output.is_error { " error" } else { "" };
                    format!(" ={mark} {:?}", content(&output.content))
                });
                format!("{name} call {} {status}{}", call.title, output.unwrap_or_default())
            }
            ItemBody::Job(job) => {
                let end = job.end.map(|end| format!(" = {end:?}")).unwrap_or_default();
                let output = job.output.as_ref().map(|output| format!(" {output:?}"));
                let output = output.unwrap_or_default();
                format!("{name} {} {} {status}{end}{output}", job.job_id, job.title)
            }
            ItemBody::Subagent(agent) => {
                let result = agent.result.as_ref().map(|result| format!(" = {result:?}"));
                let (id, state) = (&agent.agent_id, format!("{:?}", agent.state).to_lowercase());
                format!("{name} {id} {status}, {state}{}", result.unwrap_or_default())
            }
            ItemBody::EngineMessage(message) => format!("{name} engine {:?}", message.text),
        }
    }

    /// What happened, and at the end what the model was last asked.
    pub(crate) fn transcript(&mut self) -> String {
        self.take_what_came();
        let mut lines = self.seen.clone();
        for (number, seen) in self.seen_of_agents.values().enumerate() {
            lines.push(format!("--- agent {}", number + 1));
            lines.extend(seen.iter().cloned());
        }
        let requests = self.script.requests();
        // Sub-agents ask as well; what their conversations begin with is their task.
        let is_own = |first: Option<&Arc<Message>>| {
            first.map(|first| message(first))
                == self.first.as_ref().map(|first| format!("user {first:?}"))
        };
        let first = |messages: &[Arc<Message>]| messages.iter().any(|first| is_own(Some(first)));
        let last = requests.iter().rev().find(|request| first(&request.messages));
        if let Some(request) = last {
            lines.push("--- the model read".to_owned());
            lines.extend(request.messages.iter().map(|said| message(said)));
        }
        lines.join("\n")
    }

    /// Checks that the session, opened again from its journal, asks the model what the living one would have asked.
    pub(crate) async fn check_reopening(self, data: &Path) {
        let Self { script, env, engine, session, setup, .. } = self;
        let history = |script: &Script, said: &str| -> String {
            let is_it = |messages: &[Arc<Message>]| {
                let last = messages.last().map(|last| message(last));
                last.is_some_and(|last| last.ends_with(&format!("{said:?}")))
            };
            let requests = script.requests();
            let last = requests.iter().rev().find(|request| is_it(&request.messages));
            format!("{:?}", last.unwrap_or_else(|| panic!("nobody was asked {said}")).messages)
        };
        script.push(Reply::new().text("alive"));
        prompt_and_wait(&session, "to the living").await;
        let living = history(&script, "to the living");
        engine.shutdown().await;

        let (engine, _task) = engine_on(data, &script, &env, &setup);
        let opened = engine.open(session.id.clone(), OpenConfig::default()).await.unwrap();
        script.push(Reply::new().text("again"));
        prompt_and_wait(&opened, "to the opened").await;
        let opened = history(&script, "to the opened");
        let living = living.strip_suffix(']').unwrap();
        assert!(opened.starts_with(living), "after opening again:\n{opened}\ninstead of\n{living}");
        engine.shutdown().await;
    }
}

async fn prompt_and_wait(session: &SessionHandle, text: &str) {
    let input = vec![Input::text(text)];
    let when_busy = WhenBusy::Reject;
    session.ask(|reply| Command::Start { input, when_busy, limits: None, reply }).await.unwrap();
    session.ask(|reply| Command::WhenIdle { reply }).await.unwrap();
}
