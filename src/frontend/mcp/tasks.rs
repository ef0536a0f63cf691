//! Tasks: turns that a client has started, each followed by a separate future, which publishes its state.
//!
//! The state has one owner, that future; all others read it from a channel. The future ends with the turn.

use super::forms;
use crate::client::{Client, Events, Scope, Subagents, UserQuestion, subscribe};
use crate::outcome::{FailureConditions, Watch, count_lines};
use pintle_agent::{
    EngineHandle, Error, ErrorKind, EventSelection, Feed, SessionHandle, SessionQuestions,
    Subscriber, SubscriptionCommand, TurnCommand,
};
use pintle_protocol::content::Input;
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::TurnId;
use pintle_protocol::methods::{TurnInterrupt, TurnInterruptParams, TurnStart, TurnStartParams};
use pintle_protocol::run::RunResult;
use std::sync::Arc;
use tokio::sync::watch;

/// A task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) session: SessionHandle,
    pub(super) turn: TurnId,
    /// The time at which it began, in milliseconds since 1970.
    pub(super) began_ms: u64,
    state: watch::Receiver<State>,
}

/// A task's state.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// The number of lines of progress so far.
    pub(super) lines: u64,
    /// The newest of them.
    pub(super) line: String,
    /// When it last changed, in milliseconds since 1970.
    pub(super) changed_ms: u64,
    /// The open questions, each with the session that asks: the task's or a sub-agent's.
    pub(super) asked: Vec<(SessionHandle, UserQuestion)>,
    /// The result, once it has ended.
    pub(super) result: Option<Arc<RunResult>>,
}

/// Starts a turn in a session. Returns the task, and the future that follows it.
///
/// # Errors
/// Fails if a turn runs already, no model can answer, or the journal cannot be written.
pub(super) async fn start(
    engine: &EngineHandle,
    session: SessionHandle,
    prompt: String,
    can_ask: bool,
) -> Result<(Task, impl Future<Output = ()> + Send + 'static), Error> {
    let (client, events, subagents) = Client::new(engine.clone(), Scope::Shared);
    let id = client.id;
    let subscriber = Subscriber {
        can_approve: can_ask,
        can_answer: can_ask,
        ..client.subscriber(EventSelection::default())
    };
    let snapshot = subscribe(&session, subscriber, None).await?;
    let mut watch = Watch::new(FailureConditions {
        fail_on_denied: false,
        require_changes: false,
        is_untrusted: false,
    });
    (watch.first_seq, watch.last_seq) = (snapshot.seq, snapshot.seq);
    watch.begin(engine, &session);
    let start = TurnStartParams { input: vec![Input::text(prompt)], ..TurnStartParams::default() };
    let started = session.call::<TurnStart>(start).await;
    let unsubscribe = move |reply| SubscriptionCommand::Unsubscribe { id, reply };
    let turn = match started {
        Ok(accepted) => accepted.turn_id,
        Err(error) => {
            // A session that is closed has no subscribers.
            let _ = session.ask(unsubscribe).await;
            return Err(error);
        }
    };
    watch.outcome.turn_id = Some(turn.clone());
    let began_ms = engine.now_ms();
    let (publish, state) = watch::channel(State { changed_ms: began_ms, ..State::default() });
    let task = Task { session: session.clone(), turn, began_ms, state };
    let mut follower = Follower { engine: engine.clone(), session, watch, publish, subagents };
    let following = async move {
        follower.follow(events).await;
        let _ = follower.session.ask(unsubscribe).await;
    };
    Ok((task, following))
}

impl Task {
    /// Its id, for clients.
    pub(super) fn id(&self) -> &str {
        self.session.id.as_str()
    }

    /// Its state, and each change of it.
    pub(super) fn state(&self) -> watch::Receiver<State> {
        self.state.clone()
    }

    /// Stops the task. An ended task is left unchanged.
    ///
    /// # Errors
    /// Fails if its session is closed.
    pub(super) async fn stop(&self) -> Result<(), Error> {
        let expected_turn_id = Some(self.turn.clone());
        let interrupt = TurnInterruptParams { expected_turn_id, ..TurnInterruptParams::default() };
        match self.session.call::<TurnInterrupt>(interrupt).await {
            Err(Error { kind: ErrorKind::Conflict | ErrorKind::NoActiveTurn, .. }) => Ok(()),
            stopped => stopped.map(drop),
        }
    }
}

/// Passes an answer on to the session that asked.
pub(super) async fn answer(
    session: &SessionHandle,
    asked: &UserQuestion,
    content: Option<&serde_json::Value>,
) {
    // The question may be resolved already.
    let _ = session.tell(forms::answer(asked, content)).await;
}

/// Follows a task from event to event.
struct Follower {
    engine: EngineHandle,
    session: SessionHandle,
    watch: Watch,
    publish: watch::Sender<State>,
    subagents: Subagents,
}

impl Follower {
    async fn follow(&mut self, mut events: Events) {
        let mut idle = std::pin::pin!({
            let session = self.session.clone();
            async move { session.ask(|reply| TurnCommand::WhenIdle { reply }).await }
        });
        while !self.watch.is_over {
            let batch = tokio::select! {
                biased;
                has_events = events.wait() => {
                    if !has_events {
                        break;
                    }
                    events.take()
                }
                _ = &mut idle => {
                    let rest = events.rest().await;
                    self.take(rest);
                    break;
                }
            };
            self.take(batch);
        }
        if !self.watch.is_over {
            let message = "the session was closed, or the turn's end could not be written";
            self.watch.refused(Error::new(ErrorKind::Internal, message));
        } else if let Err(error) = count_lines(&self.engine, &self.session, &mut self.watch).await {
            tracing::warn!("failed to count the changed lines: {}", error.message);
        }
        let result = Arc::new(self.watch.outcome.clone());
        self.change(|state| {
            state.asked.clear();
            state.result = Some(result);
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let now = self.engine.now_ms();
        self.publish.send_modify(|state| {
            change(state);
            state.changed_ms = now;
        });
    }

    fn take(&mut self, events: Vec<Feed>) {
        self.subagents.adopt();
        for feed in events {
            match feed {
                Feed::Durable(record) => self.record(&record.value),
                Feed::Questions(now) => self.questions_changed(&now),
                _ => {}
            }
        }
    }

    fn questions_changed(&mut self, now: &SessionQuestions) {
        let own = Some(&self.session).filter(|session| session.id == now.session_id);
        let Some(session) = own.or_else(|| self.subagents.get(&now.session_id)) else { return };
        let mut asked = UserQuestion::open_in(now);
        let known = |state: &State| {
            let own = state.asked.iter().filter(|(of, _)| of.id == session.id);
            own.map(|(_, known)| known).eq(&asked)
        };
        if known(&self.publish.borrow()) {
            return;
        }
        self.change(|state| {
            state.asked.retain(|(of, known)| of.id != session.id || asked.contains(known));
            asked.retain(|new| {
                !state.asked.iter().any(|(of, known)| of.id == session.id && known == new)
            });
            state.asked.extend(asked.into_iter().map(|new| (session.clone(), new)));
        });
    }

    fn record(&mut self, record: &EventRecord) {
        if !self.watch.is_new(record) {
            return;
        }
        if let Some(line) = self.watch.take(record) {
            self.change(|state| {
                state.lines += 1;
                state.line = line;
            });
        }
    }
}
