//! Tasks: turns that a client has started, each followed by a future of its own, which publishes its state.
//!
//! State has one owner, that future; everybody else reads it from a channel. It ends with the turn.

use super::forms::Asked;
use crate::connection::{Events, FEED_CAPACITY};
use crate::outcome::{Terms, Watch, count_lines};
use pintle_agent::{
    Adopt, EngineHandle, Error, ErrorKind, Feed, Record, SessionHandle, Subscriber, SubscriberId,
    SubscriptionCommand, TurnCommand, Wanted,
};
use pintle_protocol::content::Input;
use pintle_protocol::event::Event;
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::methods::{TurnInterrupt, TurnInterruptParams, TurnStart, TurnStartParams};
use pintle_protocol::run::RunResult;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The capacity of the channel of new sub-agents.
const ADOPTED_CAPACITY: usize = 256;

/// A task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) session: SessionHandle,
    pub(super) turn: TurnId,
    /// The time at which it began, in milliseconds since 1970.
    pub(super) began_ms: u64,
    state: watch::Receiver<State>,
}

/// The state of a task.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// The number of lines of progress so far.
    pub(super) lines: u64,
    /// The newest of them.
    pub(super) line: String,
    /// The time of the last change, in milliseconds since 1970.
    pub(super) changed_ms: u64,
    /// What a person is asked and nobody has answered yet.
    pub(super) asked: Vec<(SessionId, Asked)>,
    /// The sessions of its sub-agents, which ask for themselves.
    children: BTreeMap<SessionId, SessionHandle>,
    /// The result, once it is over.
    pub(super) result: Option<Arc<RunResult>>,
}

/// Starts a turn in a session. Returns the task, and the future that follows it.
///
/// # Errors
/// A turn runs already, no model can answer, or the journal cannot be written.
pub(super) async fn start(
    engine: &EngineHandle,
    session: SessionHandle,
    prompt: String,
    can_ask: bool,
) -> Result<(Task, impl Future<Output = ()> + Send + 'static), Error> {
    let (adopted, children_rx) = mpsc::channel(ADOPTED_CAPACITY);
    let (tx, feed) = mpsc::channel(FEED_CAPACITY);
    let id = SubscriberId::next();
    let subscriber = Subscriber {
        id,
        feed: tx,
        filter: Wanted::default(),
        can_approve: can_ask,
        can_answer: can_ask,
        extensions: Arc::default(),
        // A session that does not fit is one of some hundred sub-agents, whose questions wait for their deadline.
        adopt: Some(Adopt::new(move |handle| drop(adopted.try_send(handle)))),
    };
    let subscribe = |reply| SubscriptionCommand::Subscribe { subscriber, from_seq: None, reply };
    let snapshot = session.ask(subscribe).await?;
    let mut watch =
        Watch::new(Terms { fail_on_denied: false, require_changes: false, is_untrusted: false });
    (watch.first_seq, watch.last_seq) = (snapshot.seq, snapshot.seq);
    watch.outcome.session_id = Some(session.id.clone());
    let journal = engine.store().journal(&session.id).ok();
    watch.outcome.journal = journal.map(|path| path.to_string_lossy().into_owned());
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
    let events = Events::complete(feed, engine.clone());
    let mut follower =
        Follower { engine: engine.clone(), session, watch, publish, adopted: children_rx };
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

    /// Stops it. One that is over is left as it is.
    ///
    /// # Errors
    /// Its session is closed.
    pub(super) async fn stop(&self) -> Result<(), Error> {
        let turn_id = Some(self.turn.clone());
        let interrupt = TurnInterruptParams { turn_id, ..TurnInterruptParams::default() };
        match self.session.call::<TurnInterrupt>(interrupt).await {
            Err(error) if error.kind == ErrorKind::Conflict => Ok(()),
            stopped => stopped.map(drop),
        }
    }

    /// Passes on what a person answered.
    pub(super) async fn answer(
        &self,
        of: &SessionId,
        asked: &Asked,
        content: Option<&serde_json::Value>,
    ) {
        let session = if *of == self.session.id {
            Some(self.session.clone())
        } else {
            self.state.borrow().children.get(of).cloned()
        };
        if let Some(session) = session {
            // A question that nobody waits for any more is answered in vain.
            let _ = session.tell(asked.answer(content)).await;
        }
    }
}

/// Follows a task from event to event.
struct Follower {
    engine: EngineHandle,
    session: SessionHandle,
    watch: Watch,
    publish: watch::Sender<State>,
    adopted: mpsc::Receiver<SessionHandle>,
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
            let message = "the session was closed, or writing the end of the turn failed";
            self.watch.refused(Error::new(ErrorKind::Internal, message));
        } else if let Err(error) = count_lines(&self.engine, &self.session, &mut self.watch).await {
            tracing::warn!("failed to count the changed lines: {}", error.message);
        }
        let result = Arc::new(self.watch.outcome.clone());
        self.change(|state| {
            state.asked.clear();
            state.children.clear();
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
        while let Ok(child) = self.adopted.try_recv() {
            self.change(|state| drop(state.children.insert(child.id.clone(), child)));
        }
        for feed in events {
            match feed {
                Feed::Durable(record) | Feed::Question(record) => self.record(&record),
                Feed::Transient(_)
                | Feed::Held(..)
                | Feed::Call(_)
                | Feed::CallWithdrawn(_)
                | Feed::Lagged { .. } => {}
            }
        }
    }

    fn record(&mut self, Record { value: record, .. }: &Record) {
        let is_main = record.session_id == self.session.id;
        if is_main {
            if record.seq <= self.watch.last_seq {
                return;
            }
            self.watch.last_seq = record.seq;
        }
        let of = &record.session_id;
        match &record.event {
            Event::ApprovalRequested(approval) => {
                self.ask(of, Asked::Approval(Box::new(approval.clone())));
            }
            Event::QuestionRequested(question) => {
                self.ask(of, Asked::Question(Box::new(question.clone())));
            }
            Event::ApprovalResolved(outcome) => self.resolved(outcome.approval_id.as_str()),
            Event::QuestionResolved(outcome) => self.resolved(outcome.question_id.as_str()),
            _ => {}
        }
        let line = if is_main {
            self.watch.take(&record.event)
        } else {
            self.watch.take_from_subagent(&record.event)
        };
        if let Some(line) = line {
            self.change(|state| {
                state.lines += 1;
                state.line = line;
            });
        }
    }

    fn ask(&self, of: &SessionId, asked: Asked) {
        self.change(|state| {
            if !state.asked.iter().any(|(_, known)| known.id() == asked.id()) {
                state.asked.push((of.clone(), asked));
            }
        });
    }

    fn resolved(&self, id: &str) {
        self.change(|state| state.asked.retain(|(_, known)| known.id() != id));
    }
}
