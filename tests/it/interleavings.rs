//! A model check: whatever people, models, tools and crashes do in whatever order, what must hold of a session holds.
//!
//! Each case is a script of replies, some of which stop at gates, fail or hang, and a list of what a client and the machine
//! do meanwhile. [`Truth`] folds the events and fails at the first one that breaks a rule.

mod truth;

use crate::support::HANG;
use crate::support::props::engine_on;
use crate::support::replies::replies;
use crate::support::stage::Setup;
use pintle_agent::{
    Answer, Command, CreateSession, EngineHandle, Error, EventSelection, Feed, OpenConfig,
    SessionHandle, Subscriber, SubscriberId, SubscriptionCommand, TurnCommand,
};
use pintle_exec::memory::{Answer as Ran, Memory};
use pintle_llm::Script;
use pintle_llm::script::Reply;
use pintle_protocol::approval::{ApprovalAnswer, PermissionMode};
use pintle_protocol::content::Input;
use pintle_protocol::context::SessionCompactParams;
use pintle_protocol::history::{HistoryPoint, SessionRewindParams};
use pintle_protocol::ids::ItemId;
use pintle_protocol::methods::{
    QueueList, QueuePolicy, QueueRemove, SessionCompact, SessionRewind, TurnInterrupt, TurnStart,
    TurnSteer, WhenBusy,
};
use pintle_protocol::question::QuestionAnswer;
use pintle_protocol::queue::QueueRemoveParams;
use pintle_protocol::session::SessionParams;
use pintle_protocol::turn::{
    TurnInterruptParams, TurnStartParams, TurnSteerParams, TurnSteerResult,
};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use truth::Truth;

/// As many gates and hanging commands there are.
const PLACES: usize = 3;

/// What happens next.
#[derive(Debug, Clone)]
enum Act {
    Prompt(WhenBusy),
    Steer,
    Stop(QueuePolicy),
    Compact,
    /// Hands the message back that waits longest, or all.
    TakeBack {
        all: bool,
    },
    /// Answers the question of permission that is open longest.
    Permit(&'static str),
    /// Answers the question of the model that is open longest.
    Tell,
    OpenGate(usize),
    EndCommand(usize),
    /// Goes to another place of the history, in so many hundredths of it.
    Rewind(u64),
    /// Compares the snapshot with what the events say.
    Look,
    /// Closes the session and opens it again.
    Reopen,
    /// The engine is gone in the middle of whatever it does, and another one opens the session.
    Crash,
    /// Everybody else goes on for so many steps.
    Wait(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => select(vec![WhenBusy::Queue, WhenBusy::Reject]).prop_map(Act::Prompt),
        3 => Just(Act::Steer),
        2 => select(vec![QueuePolicy::Keep, QueuePolicy::Return]).prop_map(Act::Stop),
        1 => Just(Act::Compact),
        1 => any::<bool>().prop_map(|all| Act::TakeBack { all }),
        3 => select(vec!["allow", "allow-session", "deny", "abort"]).prop_map(Act::Permit),
        1 => Just(Act::Tell),
        3 => (0..PLACES).prop_map(Act::OpenGate),
        2 => (0..PLACES).prop_map(Act::EndCommand),
        2 => (0..100u64).prop_map(Act::Rewind),
        2 => Just(Act::Look),
        1 => Just(Act::Reopen),
        1 => Just(Act::Crash),
        6 => (0..40usize).prop_map(Act::Wait),
    ]
}

/// A line of the script; see [`replies`].
fn reply() -> impl Strategy<Value = String> {
    let fixed = select(vec![
        "say well",
        "think hm + say well",
        "read a.txt",
        "read a.txt + read b.txt + read gone.txt",
        "edit a.txt one -> won + read a.txt",
        "write c.txt new",
        "call no_such_tool {}",
        "call read broken",
        "say cut off + cut",
        "fail overloaded later",
        "say half + fail network gone",
        "read a.txt + fail network gone",
        "fail auth no",
        "fail overflow too long",
        "say much + used 95000",
        "bash make + bash fail",
        "spawn dig",
        "call wait {}",
        r#"call todo_write {"items":[{"content":"x","status":"pending"}]}"#,
        r#"call ask_user {"question":"which?","options":["red","blue"]}"#,
        "hang",
    ]);
    let placed = (
        select(vec![
            "gate G + say through",
            "say be + gate G + say hind",
            "read a.txt + gate G + bash make",
            "bash wait G + bash make",
            "read a.txt + bash wait G + read b.txt",
            "background wait G",
        ]),
        0..PLACES,
    );
    let placed = placed.prop_map(|(line, place)| {
        line.replace("gate G", &format!("gate {place}")).replace("wait G", &format!("wait {place}"))
    });
    prop_oneof![2 => fixed.prop_map(str::to_owned), 1 => placed]
}

/// A client at a session that somebody keeps killing.
struct Case<'a> {
    data: &'a Path,
    script: Script,
    env: Arc<Memory>,
    setup: Setup,
    mode: PermissionMode,
    engine: EngineHandle,
    task: JoinSet<()>,
    session: SessionHandle,
    feed: mpsc::Receiver<Feed>,
    truth: Truth,
    /// What was accepted: the texts by the ids of their items.
    accepted: BTreeMap<ItemId, String>,
    said: usize,
}

impl<'a> Case<'a> {
    async fn begin(data: &'a Path, script: &[String], mode: PermissionMode) -> Self {
        let script = Script::new(replies(&script.join("\n")));
        let mut env = Memory::new([("/w/a.txt", "one\n"), ("/w/b.txt", "bee\n")])
            .with_command("make", Ran::Exits("made\n".to_owned(), 0))
            .with_command("fail", Ran::Exits("oh no\n".to_owned(), 3));
        for place in 0..PLACES {
            env = env.with_command(&format!("wait {place}"), Ran::Hangs(String::new()));
        }
        let env = Arc::new(env);
        let setup = Setup { can_answer: true, has_person: true, ..Setup::default() };
        let (engine, task) = engine_on(data, &script, &env, &setup);
        let config = OpenConfig { permission_mode: Some(mode), ..OpenConfig::default() };
        let create = CreateSession { cwd: "/w".to_owned(), config, ..CreateSession::default() };
        let session = engine.create(create).await.unwrap();
        let feed = watch(&session, mode).await;
        let truth = Truth::new(session.id.clone());
        let (accepted, said) = (BTreeMap::new(), 0);
        Self { data, script, env, setup, mode, engine, task, session, feed, truth, accepted, said }
    }

    fn take_what_came(&mut self) {
        while let Ok(feed) = self.feed.try_recv() {
            if let Feed::Durable(record) = feed {
                self.truth.take(&record.value);
            }
        }
    }

    /// Opens the session with another engine, or the same one, and reads its events from the start.
    async fn open_again(&mut self) {
        self.session =
            self.engine.open(self.session.id.clone(), OpenConfig::default()).await.unwrap();
        self.truth.watch_anew();
        self.feed = watch(&self.session, self.mode).await;
    }

    fn next_text(&mut self) -> String {
        self.said += 1;
        format!("<said {}>", self.said)
    }

    async fn act(&mut self, act: &Act) {
        match act {
            Act::Prompt(when_busy) => {
                let text = self.next_text();
                let (input, when_busy) = (vec![Input::text(&text)], *when_busy);
                let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
                if let Ok(accepted) = self.session.call::<TurnStart>(start).await {
                    self.accepted.insert(accepted.item_id, text);
                }
            }
            Act::Steer => {
                let text = self.next_text();
                let input = vec![Input::text(&text)];
                let steer = TurnSteerParams { input, ..TurnSteerParams::default() };
                let steered = self.session.call::<TurnSteer>(steer).await;
                if let Ok(TurnSteerResult { item_id, .. }) = steered {
                    self.accepted.insert(item_id, text);
                }
            }
            Act::Stop(queue) => {
                let stop = TurnInterruptParams { queue: *queue, ..TurnInterruptParams::default() };
                self.session.call::<TurnInterrupt>(stop).await.unwrap();
            }
            Act::Compact => {
                let compact = SessionCompactParams::default();
                let _: Result<_, Error> = self.session.call::<SessionCompact>(compact).await;
            }
            Act::TakeBack { all } => {
                let waiting = self.session.call::<QueueList>(SessionParams::default()).await;
                let first = waiting.unwrap().queue.into_iter().next().map(|input| input.item_id);
                let item_ids = (!*all).then(|| first.into_iter().collect());
                let remove = QueueRemoveParams { session_id: None, item_ids };
                // Refused where the message was read meanwhile.
                let _: Result<_, Error> = self.session.call::<QueueRemove>(remove).await;
            }
            Act::Permit(option) => {
                self.take_what_came();
                let Some(approval_id) = self.truth.approvals().next().cloned() else { return };
                let option_id = Some((*option).to_owned());
                let answer = ApprovalAnswer { option_id, ..ApprovalAnswer::default() };
                let answer = Answer::Approval { approval_id, answer };
                self.session.tell(answer).await.unwrap();
            }
            Act::Tell => {
                self.take_what_came();
                let Some(question_id) = self.truth.questions().next().cloned() else { return };
                let text = Some("green".to_owned());
                let answer = QuestionAnswer { text, ..QuestionAnswer::default() };
                let answer = Answer::Question { question_id, answer };
                self.session.tell(answer).await.unwrap();
            }
            Act::OpenGate(place) => self.script.open(&place.to_string()),
            Act::EndCommand(place) => self.env.end(&format!("wait {place}")),
            Act::Rewind(place) => {
                self.take_what_came();
                let seq = Some(self.truth.seq() * place / 100);
                let to = HistoryPoint { seq, ..HistoryPoint::default() };
                let rewind = SessionRewindParams { to, ..SessionRewindParams::default() };
                // While a turn runs it is refused.
                let _: Result<_, Error> = self.session.call::<SessionRewind>(rewind).await;
            }
            Act::Look => self.look().await,
            Act::Reopen => {
                self.session.ask(|reply| Command::Close { reply }).await.unwrap();
                self.take_what_came();
                self.open_again().await;
            }
            Act::Crash => {
                self.task.shutdown().await;
                self.take_what_came();
                (self.engine, self.task) =
                    engine_on(self.data, &self.script, &self.env, &self.setup);
                self.open_again().await;
            }
            Act::Wait(steps) => {
                for _ in 0..*steps {
                    tokio::task::yield_now().await;
                }
            }
        }
        self.take_what_came();
    }

    /// What the session says of itself is what its events say.
    async fn look(&mut self) {
        let snapshot =
            self.session.ask(|reply| SubscriptionCommand::Snapshot { reply }).await.unwrap();
        self.take_what_came();
        self.truth.check(&snapshot);
    }

    /// Lets everything come to its end, and looks at what is left.
    async fn end(mut self) {
        for place in 0..PLACES {
            self.act(&Act::OpenGate(place)).await;
            self.act(&Act::EndCommand(place)).await;
        }
        // A provider that hangs is stopped by hand; what waits behind it then gets its turn, and may hang as well.
        loop {
            for _ in 0..50 {
                self.act(&Act::Wait(1)).await;
                self.act(&Act::Permit("allow")).await;
                self.act(&Act::Tell).await;
            }
            let idle = self.session.ask(|reply| TurnCommand::WhenIdle { reply });
            if tokio::time::timeout(Duration::from_millis(20), idle).await.is_ok() {
                break;
            }
            self.act(&Act::Stop(QueuePolicy::Keep)).await;
        }
        self.look().await;
        self.probe().await;
        self.act(&Act::Reopen).await;
        self.look().await;
        self.probe().await;
        self.engine.shutdown().await;
        self.take_what_came();
        self.truth.is_over(&self.accepted);
    }

    /// The model is asked once more, and reads each message that it was given, once.
    async fn probe(&mut self) {
        self.script.clear();
        self.script.push(Reply::new().text("alive"));
        let text = self.next_text();
        let input = vec![Input::text(&text)];
        let start = TurnStartParams { input, ..TurnStartParams::default() };
        let probe = self.session.call::<TurnStart>(start).await.unwrap();
        self.session.ask(|reply| TurnCommand::WhenIdle { reply }).await.unwrap();
        self.take_what_came();
        // Sub-agents may ask as well.
        let requests = self.script.requests();
        let mut read = requests.iter().rev().map(|request| format!("{:?}", request.messages));
        let read = read.find(|read| read.contains(&text)).unwrap();
        self.accepted.insert(probe.item_id, text);
        self.truth.check_read(&read, &self.accepted);
    }
}

async fn watch(session: &SessionHandle, mode: PermissionMode) -> mpsc::Receiver<Feed> {
    let (tx, feed) = mpsc::channel(8192);
    let subscriber = Subscriber {
        id: SubscriberId(1),
        feed: tx,
        filter: EventSelection::default(),
        can_approve: mode == PermissionMode::Ask,
        can_answer: true,
        extensions: Arc::default(),
        adopt: None,
    };
    let subscribe = |reply| SubscriptionCommand::Subscribe { subscriber, from_seq: Some(0), reply };
    session.ask(subscribe).await.unwrap();
    feed
}

proptest! {
    // Recorded failures from tests/proptest-regressions run first.
    #![proptest_config(ProptestConfig {
        failure_persistence: ProptestConfig::default().failure_persistence,
        ..pintle_testing::chance::cases(60)
    })]
    #[test]
    fn whatever_happens_in_whatever_order_what_must_hold_holds(
        script in proptest::collection::vec(reply(), 1..12),
        acts in proptest::collection::vec(act(), 1..24),
        asks in any::<bool>(),
    ) {
        let mode = if asks { PermissionMode::Ask } else { PermissionMode::Full };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let data = tempfile::tempdir().unwrap();
        let played = async {
            let mut case = Case::begin(data.path(), &script, mode).await;
            case.act(&Act::Prompt(WhenBusy::Queue)).await;
            for act in &acts {
                let done = tokio::time::timeout(HANG, case.act(act)).await;
                assert!(done.is_ok(), "{act:?} hangs");
            }
            case.end().await;
        };
        let ended = runtime.block_on(async { tokio::time::timeout(HANG, played).await });
        assert!(ended.is_ok(), "the case does not end");
    }
}
