//! A stage for the engine: a scripted model, an environment in memory, and one client that steers and writes down
//! what it sees as a transcript.

mod settings;
mod words;
pub(crate) use settings::{Setup, client_hook, hook};

use super::props::{Props, engine_on};
use super::render::{message, prompt_parts, strings};
use super::replies::replies;
use pintle_agent::{
    Adopt, Answer, CallId, CreateSession, EngineHandle, EventSelection, Feed, JobCommand,
    OpenConfig, SessionHandle, Subscriber, SubscriberId, SubscriptionCommand, TurnCommand,
};
use pintle_exec::Environment;
use pintle_exec::memory::{Answer as Ran, Memory};
use pintle_llm::script::Reply;
use pintle_llm::{Messages, Request, Script};
use pintle_protocol::approval::{Approval, ApprovalAnswer, PermissionMode};
use pintle_protocol::config::ConfigSetParams;
use pintle_protocol::content::Input;
use pintle_protocol::context::{ContextReadParams, SessionCompactParams};
use pintle_protocol::event::{Event, TransientEvent, TurnLimits};
use pintle_protocol::ids::{JobId, SessionId};
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::methods::{
    ConfigSet, ContextRead, JobList, QueuePolicy, SessionCompact, TurnInterrupt, TurnStart,
    TurnSteer, WhenBusy,
};
use pintle_protocol::question::Question;
use pintle_protocol::session::SessionParams;
use pintle_protocol::turn::{
    TurnInterruptParams, TurnInterruptResult, TurnStartParams, TurnSteerParams,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

mod history;
mod lines;
mod queue;

/// The client.
const SUBSCRIBED: SubscriberId = SubscriberId(1);

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
    mode: PermissionMode,
    /// Where the last going back began.
    left: u64,
    /// The sessions that forks were made of.
    forked: Vec<SessionHandle>,
}

impl Stage {
    pub(crate) async fn with(
        data: &Path,
        model: &str,
        mode: PermissionMode,
        props: Props<'_>,
    ) -> Self {
        let setup = Setup { instructions: props.instructions, ..Setup::default() };
        Self::build(data, model, mode, setup, props).await
    }

    pub(crate) async fn set_up(
        data: &Path,
        model: &str,
        mode: PermissionMode,
        setup: Setup,
    ) -> Self {
        Self::build(data, model, mode, setup, Props::default()).await
    }

    async fn build(
        data: &Path,
        model: &str,
        mode: PermissionMode,
        setup: Setup,
        props: Props<'_>,
    ) -> Self {
        let script = Script::new(replies(model));
        let small = [("/w/a.txt", "one\ntwo\n"), ("/w/b.txt", "bee\n")];
        let mut env = Memory::new(small.iter().chain(props.files).copied());
        for (line, prints) in props.commands {
            env = env.with_command(line, Ran::Exits((*prints).to_owned(), 0));
        }
        let env = env
            .with_command("long", Ran::Exits("a long line of words\n".repeat(1500), 0))
            .with_command("make", Ran::Exits("made\n".to_owned(), 0))
            .with_command("fail", Ran::Exits("oh no\n".to_owned(), 3))
            .with_command("wait", Ran::Hangs("waiting\n".to_owned()));
        let env = Arc::new(setup.commands(env));
        let (engine, task) = engine_on(data, &script, &env, &setup);
        let config = OpenConfig {
            permission_mode: Some(mode),
            system_prompt: props.system_prompt.map(str::to_owned),
            ..OpenConfig::default()
        };
        let cwd = if props.cwd.is_empty() { "/w" } else { props.cwd };
        let create = CreateSession { cwd: cwd.to_owned(), config, ..CreateSession::default() };
        let session = engine.create(create).await.unwrap();
        let (_, feed) = mpsc::channel(1);
        let mut stage = Self {
            naming: session.id.clone(),
            script,
            env,
            engine,
            session,
            feed,
            seen: Vec::new(),
            seen_of_agents: BTreeMap::new(),
            passed: 0,
            names: BTreeMap::new(),
            streamed: BTreeMap::new(),
            asked: Vec::new(),
            questions: Vec::new(),
            answered: None,
            calls: Vec::new(),
            others: Vec::new(),
            adopted: Adopted::default(),
            setup,
            _task: task,
            mode,
            left: 0,
            forked: Vec::new(),
        };
        stage.subscribe(SUBSCRIBED).await;
        stage
    }

    /// Watches the session from its first event on.
    async fn subscribe(&mut self, id: SubscriberId) {
        self.subscribe_from(id, Some(0)).await;
    }

    /// Watches the session, with its events from a number on, or only with those that come.
    async fn subscribe_from(&mut self, id: SubscriberId, from_seq: Option<u64>) {
        let (tx, feed) = mpsc::channel(4096);
        let take = Arc::clone(&self.adopted);
        let adopt = Adopt::new(move |_, agent| {
            take.lock().unwrap().insert(agent.id.clone(), agent);
        });
        let subscriber = Subscriber {
            id,
            feed: tx,
            filter: EventSelection::default(),
            can_approve: self.mode == PermissionMode::Ask,
            can_answer: self.setup.can_answer,
            extensions: self.setup.extensions(),
            adopt: Some(adopt),
        };
        let subscribe = |reply| SubscriptionCommand::Subscribe { subscriber, from_seq, reply };
        self.session.ask(subscribe).await.unwrap();
        self.feed = feed;
    }

    /// Does one step: `prompt TEXT`, `within TOKENS TEXT` (a prompt with a limit), `queue TEXT`, `steer TEXT`, `stop`, `stop keep`, `stop twice`, `allow`, `allow-session`, `send BLOCKS`, `change PATH TEXT` (a file, or its end without a text), `commands FOLDER`,
    /// `deny TEXT`, `abort`, `dismiss`, `leave` (nobody answers any more), `until-agents N TEXT` (wait for lines of N sub-agents with it), `gate NAME` (wait until the model stands
    /// there), `open NAME`, `end CMD` (a hanging command ends), `edit WHAT` (see [`Stage::edit_queue`]), `compact TEXT`, `context`, `jobs`, `stop-job ID`, `set ID=VALUE …`, `until TEXT` (wait for a line with it), `idle`.
    pub(crate) async fn act(&mut self, step: &str) {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let (limits, rest) = match rest.split_once(' ') {
            Some((tokens, rest)) if verb == "within" => {
                let tokens = Some(tokens.parse().unwrap());
                (Some(TurnLimits { tokens, ..TurnLimits::default() }), rest)
            }
            _ => (None, rest),
        };
        // Blocks are written as JSON.
        let input = match verb {
            "send" => serde_json::from_str(rest).unwrap(),
            _ => vec![Input::text(rest)],
        };
        self.take_what_came();
        match verb {
            "prompt" | "within" | "queue" | "send" => {
                let when_busy = if verb == "queue" { WhenBusy::Queue } else { WhenBusy::Reject };
                let start =
                    TurnStartParams { input, when_busy, limits, ..TurnStartParams::default() };
                let answer = self.session.call::<TurnStart>(start).await;
                self.note(answer.map(|accepted| format!("{:?}", accepted.disposition)), step);
            }
            "steer" => {
                let steer = TurnSteerParams { input, ..TurnSteerParams::default() };
                let answer = self.session.call::<TurnSteer>(steer).await;
                self.note(answer.map(|_| "accepted".to_owned()), step);
            }
            "stop" => {
                let queue = if rest == "keep" { QueuePolicy::Keep } else { QueuePolicy::Return };
                // Twice: both before what follows from the first is taken.
                for _ in 0..if rest == "twice" { 2 } else { 1 } {
                    let stop = TurnInterruptParams { queue, ..TurnInterruptParams::default() };
                    let answer = self.session.call::<TurnInterrupt>(stop).await;
                    let told = |stopped: TurnInterruptResult| {
                        let turn = stopped.turn_id.map_or("no active turn", |_| "stopping");
                        format!("{turn}, {} returned", stopped.returned.len())
                    };
                    self.note(answer.map(told), step);
                }
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
                    ..ApprovalAnswer::default()
                };
                let approval_id = question.approval_id;
                let answer = Answer::Approval { approval_id, answer };
                let session = self.adopted.lock().unwrap().get(&question.session_id).cloned();
                session.as_ref().unwrap_or(&self.session).tell(answer).await.unwrap();
            }
            "compact" => {
                let instructions = (!rest.is_empty()).then(|| rest.to_owned());
                let compact =
                    SessionCompactParams { instructions, ..SessionCompactParams::default() };
                let told = self.session.call::<SessionCompact>(compact).await;
                self.note(told.map(|_| "begun".to_owned()), step);
            }
            "edit" => self.edit_queue(rest, step).await,
            "context" => {
                let told = self.session.call::<ContextRead>(ContextReadParams::default()).await;
                let told = told.map(|read| {
                    let sources = read.sources.iter().skip(2);
                    let sources = sources.map(|from| format!("{} {}", from.count, from.source));
                    sources.collect::<Vec<_>>().join(", ")
                });
                self.note(told, step);
            }
            "leave" => {
                let id = SubscriberId(1);
                self.session.tell(SubscriptionCommand::StopAnswering { id }).await.unwrap();
            }
            "change" => {
                let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
                let path = Path::new(path);
                if text.is_empty() {
                    self.env.remove(path).await.unwrap();
                } else {
                    self.env.write(path, text.as_bytes().to_vec()).await.unwrap();
                }
            }
            "commands" => {
                let listed = self.engine.prompts(rest).await;
                for one in listed.prompts {
                    let hint = one.argument_hint.unwrap_or_default();
                    let description = one.description.unwrap_or_default();
                    self.seen.push(format!("/{} {hint}: {description} ({})", one.name, one.path));
                }
                self.seen.extend(listed.problems);
            }
            "gate" => self.script.reached(rest).await,
            "open" => self.script.open(rest),
            "end" => self.env.end(rest),
            "jobs" => {
                let jobs = self.session.call::<JobList>(SessionParams::default()).await;
                let told = jobs.map(|listed| {
                    let jobs = listed.jobs.iter().map(|job| self.item(job));
                    jobs.collect::<Vec<_>>().join("; ")
                });
                self.note(told, step);
            }
            "stop-job" => {
                let id = JobId::new(rest);
                let told = self.session.ask(|reply| JobCommand::Stop { id, reply }).await;
                let told = told.map(|job| self.item(&job));
                self.note(told, step);
            }
            "set" => {
                let values = rest.split(' ').filter_map(|pair| pair.split_once('='));
                let values = values.map(|(id, value)| (id.to_owned(), value.to_owned())).collect();
                let set = ConfigSetParams { session_id: None, values };
                let told = self.session.call::<ConfigSet>(set).await;
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
                self.session.ask(|reply| TurnCommand::WhenIdle { reply }).await.unwrap();
                self.take_what_came();
            }
            other => {
                if !self.act_on_history(other, rest, step).await {
                    self.act_on_questions(other, rest).await;
                }
            }
        }
    }

    /// An answer comes before the events that it causes.
    fn note(&mut self, answer: Result<String, pintle_agent::Error>, step: &str) {
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
                if let TransientEvent::ItemDelta(delta) = &record.value.event {
                    let path = delta.path.as_deref().unwrap_or_default();
                    let key = format!("{} {:?}{path}", delta.item_id, delta.field);
                    self.streamed.entry(key).or_default().push_str(&delta.text);
                }
                if let TransientEvent::Notice(notice) = &record.value.event {
                    self.seen.push(format!("told {}: {}", notice.code, notice.message));
                }
            }
            Feed::Call(call) => self.called(&call),
            Feed::CallWithdrawn(_) => self.seen.push("withdrawn".to_owned()),
            Feed::Lagged { .. } => self.seen.push("lagged".to_owned()),
            Feed::Questions(_) => {}
            Feed::Held(..) => unreachable!("nothing is held back here"),
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

    /// What happened, and at the end what the model was last asked.
    pub(crate) fn transcript(&mut self) -> String {
        self.take_what_came();
        let mut lines = self.seen.clone();
        for (number, seen) in self.seen_of_agents.values().enumerate() {
            lines.push(format!("--- agent {}", number + 1));
            lines.extend(seen.iter().cloned());
        }
        let requests = self.script.requests();
        // Sub-agents have no tools for sub-agents, and who sums up has none at all.
        let is_own =
            |request: &&Request| request.tools.iter().any(|tool| tool.name == "spawn_agent");
        let last = requests.iter().rev().find(is_own);
        if let Some(request) = last {
            lines.push("--- the model read".to_owned());
            lines.extend(request.messages.iter().map(|said| message(said)));
        }
        lines.join("\n")
    }

    /// What came from files and people in the system prompt of each request; of a sub-agent's also its task.
    pub(crate) fn told(&self) -> Vec<String> {
        let requests = self.script.requests();
        let told = |request: &Request| {
            let task = request.messages.first().filter(|_| is_of_agent(request));
            let task = task.map(|task| format!("\n{}", message(task))).unwrap_or_default();
            format!("{}{task}", prompt_parts(&request.system))
        };
        requests.iter().map(told).collect()
    }

    /// Checks that the session, opened again from its journal, asks the model what the living one would have asked.
    pub(crate) async fn check_reopening(self, data: &Path) {
        let Self { script, env, engine, session, setup, .. } = self;
        let history = |script: &Script, said: &str| -> String {
            let is_it = |messages: &Messages| {
                let last = messages.last().map(|last| message(last));
                last.is_some_and(|last| last.ends_with(&format!("{said:?}")))
            };
            let requests = script.requests();
            let last = requests.iter().rev().find(|request| is_it(&request.messages));
            let last = last.unwrap_or_else(|| panic!("nobody was asked {said}"));
            format!("{}\n{:?}", last.system, last.messages)
        };
        script.push(Reply::new().text("alive"));
        prompt_and_wait(&session, "to the living").await;
        let living = history(&script, "to the living");
        engine.shutdown().await;

        // The first time from all entries, then from the state that was saved and the entries after it.
        let mut before = living;
        for said in ["to the opened", "to the one opened from a saved state"] {
            let (engine, _task) = engine_on(data, &script, &env, &setup);
            let opened = engine.open(session.id.clone(), OpenConfig::default()).await.unwrap();
            script.push(Reply::new().text("again"));
            prompt_and_wait(&opened, said).await;
            let opened = history(&script, said);
            let start = before.strip_suffix(']').unwrap();
            assert!(opened.starts_with(start), "{said}:\n{opened}\ninstead of\n{start}");
            engine.shutdown().await;
            before = opened;
        }
    }
}

fn is_of_agent(request: &Request) -> bool {
    request.system.contains("Another agent gave you this task")
}

async fn prompt_and_wait(session: &SessionHandle, text: &str) {
    let input = vec![Input::text(text)];
    let start = TurnStartParams { input, ..TurnStartParams::default() };
    session.call::<TurnStart>(start).await.unwrap();
    session.ask(|reply| TurnCommand::WhenIdle { reply }).await.unwrap();
}
