//! The host: the only owner of the state that clients see, and its loop.

use super::config;
use super::outlet::{ConnectionId, Outlet};
use super::ring::Ring;
use super::session::{Loaded, Open, Origin};
use super::state::{Channel, Channels};
use super::translator::Actions;
use super::wire::{self, Refusal};
use crate::client::{self, Events, Scope, Subagents, leave, until_idle};
use crate::connection;
use ahp::reducers::{ReduceOutcome, apply_action_to_root};
use ahp_types::ROOT_RESOURCE_URI;
use ahp_types::actions::{
    ActionEnvelope, ActionOrigin, PartialChatSummary, RootActiveSessionsChangedAction,
    RootAgentsChangedAction, RootTerminalsChangedAction, SessionChatUpdatedAction, StateAction,
};
use ahp_types::commands::ReconnectParams;
use ahp_types::notifications::{
    PartialSessionSummary, SessionAddedParams, SessionSummaryChangedParams,
};
use ahp_types::state::{RootState, SnapshotState};
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use pintle_agent::{EngineHandle, Error, Feed};
use pintle_base::transport::Incoming;
use pintle_base::transport::envelope::{self, Envelope, Id};
use pintle_protocol::ids::SessionId;
use pintle_protocol::review::ReviewListResult;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Capacity of the channel to the host. A message is handled within microseconds; a connection that finds the channel full waits.
const CAPACITY: usize = 64;

/// The time for which a client that lost its connection is expected back: VS Code tries again after 1, 2, 4 … seconds.
const GRACE: Duration = Duration::from_secs(60);

/// A message to the host.
pub(super) enum HostMessage {
    /// A client has connected.
    Joined { id: ConnectionId, out: Outlet, hangup: CancellationToken },
    /// A client's message.
    Message { id: ConnectionId, message: Incoming },
    /// Reply when all earlier messages are handled, and optionally every running turn has ended.
    Finish { waits_for_turns: bool, reply: oneshot::Sender<()> },
    /// A client has gone.
    Left { id: ConnectionId },
}

/// A handle to a host. Cheap to clone.
#[derive(Debug, Clone)]
pub struct HostHandle(mpsc::Sender<HostMessage>);

impl HostHandle {
    pub(super) async fn tell(&self, message: HostMessage) {
        // A host ends after its connections.
        let _ = self.0.send(message).await;
    }
}

/// A client.
pub(super) struct Client {
    /// The name that it gave itself; `None` before `initialize`.
    pub(super) name: Option<String>,
    pub(super) subscriptions: BTreeSet<String>,
    out: Outlet,
    hangup: CancellationToken,
}

/// A client that lost its connection.
struct Absent {
    subscriptions: BTreeSet<String>,
    until: Instant,
}

/// A request that waits for sessions to be opened.
pub(super) struct Waiting {
    pub(super) connection: ConnectionId,
    pub(super) id: Id,
    pub(super) sessions: BTreeSet<SessionId>,
    pub(super) then: Then,
}

/// The request itself.
pub(super) enum Then {
    Subscribe(String),
    Reconnect(ReconnectParams),
}

/// A result of work that the host started.
pub(super) enum Done {
    /// A request was answered.
    Responded { connection: ConnectionId, id: Id, outcome: Result<Value, Refusal> },
    /// A request that changed files was answered.
    Written { connection: ConnectionId, id: Id, outcome: Result<Value, Refusal> },
    /// A session was opened and read.
    Loaded { session: SessionId, loaded: Result<Box<Loaded>, Error> },
    /// A client's action was carried out, or refused with the reason.
    Worked { session: SessionId, origin: Option<Box<Origin>>, outcome: Result<(), String> },
    /// A session's review was read.
    Reviewed { session: SessionId, list: Result<ReviewListResult, Error> },
    /// A session was disposed of.
    Disposed { connection: ConnectionId, id: Id, session: SessionId, outcome: Result<(), Refusal> },
    /// Nothing more to do.
    Nothing,
}

/// Owns the state that clients see.
pub struct AhpHost {
    pub(super) engine: EngineHandle,
    pub(super) subscriber: client::Client,
    pub(super) cwd: PathBuf,
    requests: mpsc::Receiver<HostMessage>,
    events: Events,
    pub(super) clients: BTreeMap<ConnectionId, Client>,
    absent: BTreeMap<String, Absent>,
    pub(super) ring: Ring,
    root: RootState,
    pub(super) sessions: BTreeMap<SessionId, Open>,
    pub(super) subagents: Subagents,
    pub(super) waiting: Vec<Waiting>,
    pub(super) running: FuturesUnordered<BoxFuture<'static, Done>>,
    /// Waiters for the time when no turn runs.
    finishing: Vec<oneshot::Sender<()>>,
    next_tidy: Option<Instant>,
}

impl std::fmt::Debug for AhpHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("sessions", &self.sessions.len()).finish_non_exhaustive()
    }
}

/// The next thing for the host to handle.
enum Next {
    Asked(Option<HostMessage>),
    Events,
    Done(Done),
    Tidy,
}

impl AhpHost {
    /// Creates a host without clients, and its handle.
    pub fn new(engine: EngineHandle, cwd: PathBuf) -> (Self, HostHandle) {
        let (tx, requests) = mpsc::channel(CAPACITY);
        let (subscriber, events, subagents) = client::Client::new(engine.clone(), Scope::Shared);
        let host = Self {
            events,
            root: config::root(&engine),
            engine,
            subscriber,
            cwd,
            requests,
            clients: BTreeMap::new(),
            absent: BTreeMap::new(),
            ring: Ring::default(),
            sessions: BTreeMap::new(),
            subagents,
            waiting: Vec::new(),
            running: FuturesUnordered::new(),
            finishing: Vec::new(),
            next_tidy: None,
        };
        (host, HostHandle(tx))
    }

    /// Serves until every way to it is gone.
    pub async fn run(mut self) {
        loop {
            let tidy = self.next_tidy;
            let next = tokio::select! {
                biased;
                true = self.events.wait() => Next::Events,
                done = connection::first_ready(&mut self.running) => Next::Done(done),
                asked = self.requests.recv() => Next::Asked(asked),
                () = async { sleep_until(tidy.unwrap_or_else(Instant::now)).await }, if tidy.is_some() => Next::Tidy,
            };
            match next {
                Next::Events => {
                    let events = self.events.take();
                    self.take_events(events);
                }
                Next::Done(done) => self.done(done),
                Next::Asked(Some(asked)) => self.asked(asked).await,
                Next::Asked(None) => break,
                Next::Tidy => self.tidy(),
            }
            self.finish();
        }
    }

    async fn asked(&mut self, asked: HostMessage) {
        match asked {
            HostMessage::Joined { id, out, hangup } => {
                let subscriptions = BTreeSet::new();
                self.clients.insert(id, Client { name: None, subscriptions, out, hangup });
            }
            HostMessage::Message { id, message } => match envelope::read(message) {
                Ok(Envelope::Request { id: request, method, params }) => {
                    self.request(id, request, &method, params.as_deref());
                }
                Ok(Envelope::Notification { method, params }) => {
                    self.notified(id, &method, params.as_deref());
                }
                // The host asks its clients nothing.
                Ok(Envelope::Response { .. }) => {}
                Err(invalid) => {
                    let refusal = Refusal::new(invalid.code, invalid.message);
                    self.respond(id, &invalid.id, &Err(refusal));
                }
            },
            HostMessage::Finish { waits_for_turns, reply } => {
                let rest = self.events.rest().await;
                self.take_events(rest);
                if waits_for_turns {
                    self.finishing.push(reply);
                } else {
                    let _ = reply.send(());
                }
            }
            HostMessage::Left { id } => self.left(id),
        }
    }

    /// Notifies the waiting connections when no turn runs, after everything that clients asked for has reached its session.
    fn finish(&mut self) {
        if self.finishing.is_empty() || self.sessions.values().any(Open::has_work) {
            return;
        }
        let handles = self.sessions.values().filter_map(|open| open.handle.clone()).collect();
        let idle = until_idle(handles, self.subscriber.id);
        let waiting = std::mem::take(&mut self.finishing);
        let finished = async move {
            idle.await;
            for reply in waiting {
                let _ = reply.send(());
            }
            Done::Nothing
        };
        self.running.push(finished.boxed());
    }

    fn left(&mut self, id: ConnectionId) {
        let Some(client) = self.clients.remove(&id) else { return };
        let until = Instant::now() + GRACE;
        if let Some(name) = client.name {
            let subscriptions = client.subscriptions;
            self.absent.insert(name, Absent { subscriptions, until });
        }
        self.next_tidy = Some(until);
    }

    /// Handles a client's return, which ends the wait for it.
    pub(super) fn returned(&mut self, name: &str) {
        self.absent.remove(name);
    }

    /// Schedules a search for sessions without watchers.
    pub(super) fn tidy_later(&mut self) {
        self.next_tidy = Some(Instant::now() + GRACE);
    }

    /// Leaves the sessions that no client watches and in which nothing runs.
    fn tidy(&mut self) {
        let now = Instant::now();
        self.absent.retain(|_, absent| absent.until > now);
        let watched = self.clients.values().map(|client| &client.subscriptions);
        let expected = self.absent.values().map(|absent| &absent.subscriptions);
        let needed: BTreeSet<SessionId> = watched
            .chain(expected)
            .flatten()
            .filter_map(|uri| Channel::read(uri))
            .map(|(session, _)| session)
            .collect();
        let (idle, busy): (Vec<_>, Vec<_>) = self
            .sessions
            .iter()
            .filter(|(id, _)| !needed.contains(*id))
            .map(|(id, open)| (id.clone(), open.is_busy() || self.is_child(id)))
            .partition(|(_, is_busy)| !is_busy);
        for (id, _) in idle {
            let left = self.sessions.remove(&id).and_then(|open| open.handle);
            self.subagents.forget(&id);
            if let Some(handle) = left {
                let left = leave(vec![handle], self.subscriber.id);
                self.running.push(left.map(|()| Done::Nothing).boxed());
            }
        }
        self.next_tidy = (!busy.is_empty() || !self.absent.is_empty()).then(|| now + GRACE);
    }

    /// Returns true for a sub-agent's session if the session to which it belongs is open: its questions are asked there.
    fn is_child(&self, session: &SessionId) -> bool {
        self.subagents.root(session).is_some_and(|root| self.sessions.contains_key(root))
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Responded { connection, id, outcome } => self.respond(connection, &id, &outcome),
            Done::Written { connection, id, outcome } => {
                self.respond(connection, &id, &outcome);
                self.files_written();
            }
            Done::Loaded { session, loaded } => self.loaded(&session, loaded),
            Done::Worked { session, origin, outcome } => {
                self.worked(&session, origin.map(|origin| *origin), outcome);
            }
            Done::Reviewed { session, list } => self.reviewed(&session, list),
            Done::Disposed { connection, id, session, outcome } => {
                self.respond(connection, &id, &outcome.clone().map(|()| Value::Null));
                if outcome.is_ok() {
                    self.removed(&session);
                }
            }
            Done::Nothing => {}
        }
    }

    /// Passes on session events.
    fn take_events(&mut self, events: Vec<Feed>) {
        self.subagents.adopt();
        for feed in events {
            if let Feed::CallWithdrawn(id) = &feed {
                self.sessions.values_mut().for_each(|open| open.calls.retain(|_, call| call != id));
            }
            let Some(session) = session_of(&feed) else { continue };
            if let Some(root) = self.subagents.root(&session).cloned()
                && let Some(open) = self.sessions.get_mut(&root)
            {
                match &mut open.loading {
                    Some(later) => later.push(feed.clone()),
                    None => self.take_subagent_event(&root, &feed),
                }
            }
            if let Some(open) = self.sessions.get_mut(&session) {
                if let Some(later) = &mut open.loading {
                    later.push(feed);
                } else {
                    self.take_event(&session, &feed);
                }
            }
        }
    }

    /// Asks a sub-agent's questions in its session.
    pub(super) fn take_subagent_event(&mut self, root: &SessionId, feed: &Feed) {
        let Some(open) = self.sessions.get_mut(root) else { return };
        let actions = open.translator.of_subagent(feed);
        self.emit(root, actions);
    }

    /// Hands on an event of a session that is open and read.
    pub(super) fn take_event(&mut self, session: &SessionId, feed: &Feed) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let actions = match feed {
            Feed::Durable(record) => {
                if record.value.seq <= open.seen {
                    return;
                }
                open.seen = record.value.seq;
                open.settings.apply(&record.value);
                open.translator.durable(&record.value, &mut open.channels)
            }
            Feed::Transient(record) => open.translator.transient(&record.value),
            Feed::Call(call) => {
                open.called(call);
                Actions::new()
            }
            Feed::CallWithdrawn(_) | Feed::Held(..) | Feed::Questions(_) | Feed::Lagged { .. } => {
                Actions::new()
            }
        };
        self.emit(session, actions);
        self.tell_terminals();
        self.look_at_review(session);
    }

    /// Lists the terminals of background jobs.
    pub(super) fn tell_terminals(&mut self) {
        let sessions = self.sessions.values();
        let terminals: Vec<_> = sessions.flat_map(|open| open.channels.running_jobs()).collect();
        if self.root.terminals.as_deref() != Some(terminals.as_slice()) {
            let action = RootTerminalsChangedAction { terminals };
            self.emit_root(StateAction::RootTerminalsChanged(action));
        }
    }

    /// Applies actions and sends them; an action that a client asked for is sent as that client's.
    pub(super) fn emit(&mut self, session: &SessionId, actions: Actions) {
        for (channel, action) in actions {
            let Some(open) = self.sessions.get_mut(session) else { return };
            let settled = open.settle(&channel, action);
            for (channel, action, origin) in settled {
                self.emit_one(session, &channel, action, origin);
            }
        }
        self.summarize(session);
    }

    /// Applies an action and sends it.
    pub(super) fn emit_one(
        &mut self,
        session: &SessionId,
        channel: &Channel,
        action: StateAction,
        origin: Option<ActionOrigin>,
    ) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let outcome = open.channels.apply(channel, &action);
        match outcome {
            ReduceOutcome::Applied => {}
            ReduceOutcome::NoOp | ReduceOutcome::OutOfScope if origin.is_some() => {}
            ReduceOutcome::NoOp | ReduceOutcome::OutOfScope => return,
            ReduceOutcome::Invalid(error) => {
                return tracing::error!("failed to send an action: {error}");
            }
        }
        self.send_action(&channel.uri(session), action, origin);
    }

    fn send_action(&mut self, channel: &str, action: StateAction, origin: Option<ActionOrigin>) {
        let message = self.ring.push(channel.to_owned(), action, origin);
        self.broadcast(channel, &message);
    }

    /// Sends a message to a channel's subscribers.
    fn broadcast(&mut self, channel: &str, message: &Bytes) {
        for client in self.clients.values() {
            if client.subscriptions.contains(channel) {
                client.send(message.clone());
            }
        }
    }

    pub(super) fn notify_root(&mut self, method: &str, params: &impl Serialize) {
        let message = wire::notification(method, params);
        self.broadcast(ROOT_RESOURCE_URI, &message);
    }

    pub(super) fn respond(
        &mut self,
        connection: ConnectionId,
        id: &Id,
        outcome: &Result<Value, Refusal>,
    ) {
        if let Some(client) = self.clients.get(&connection) {
            client.send(wire::response(id, outcome));
        }
    }

    /// Refuses a client's action: it takes its prediction back.
    pub(super) fn reject(&mut self, origin: Origin, reason: String) {
        let Origin { connection, client_id, client_seq, uri: channel, action } = origin;
        let origin = Some(ActionOrigin { client_id, client_seq });
        let rejection_reason = Some(reason);
        let server_seq = self.ring.seq();
        let envelope = ActionEnvelope { channel, action, server_seq, origin, rejection_reason };
        if let Some(client) = self.clients.get(&connection) {
            client.send(wire::action(&envelope));
        }
    }

    /// Returns a channel's state, with the number of the last action included in it.
    pub(super) fn snapshot(&mut self, uri: &str) -> Option<Value> {
        let state = if uri == ROOT_RESOURCE_URI {
            self.refresh_root();
            SnapshotState::Root(Box::new(self.root.clone()))
        } else {
            let (session, channel) = Channel::read(uri)?;
            self.sessions.get(&session)?.channels.snapshot(&channel)?
        };
        let (resource, from_seq) = (uri.to_owned(), wire::count(self.ring.seq()));
        Some(wire::value(&ahp_types::state::Snapshot { resource, state, from_seq }))
    }

    /// Reads the settings again, since models may have been added or removed.
    fn refresh_root(&mut self) {
        let now = config::root(&self.engine);
        if now.agents != self.root.agents {
            let action = RootAgentsChangedAction { agents: now.agents };
            self.emit_root(StateAction::RootAgentsChanged(action));
        }
    }

    fn emit_root(&mut self, action: StateAction) {
        if apply_action_to_root(&mut self.root, &action) == ReduceOutcome::Applied {
            self.send_action(ROOT_RESOURCE_URI, action, None);
        }
    }

    /// Sends the changed parts of a session's list entry.
    fn summarize(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let Channels { chat, session: state, .. } = &open.channels;
        let Some(shown) = state.chats.first() else { return };
        let changes = PartialChatSummary {
            resource: None,
            title: (shown.title != state.title).then(|| state.title.clone()),
            status: (shown.status != chat.status).then_some(chat.status),
            activity: None,
            modified_at: (shown.modified_at != chat.modified_at).then(|| chat.modified_at.clone()),
            changes: None,
            origin: None,
            movable: None,
            interactivity: None,
            working_directories: None,
        };
        let (title, status) = (changes.title.clone(), changes.status);
        let modified_at = changes.modified_at.clone();
        if title.is_none() && status.is_none() && modified_at.is_none() {
            return;
        }
        let action = SessionChatUpdatedAction { chat: chat.resource.clone(), changes };
        let action = StateAction::SessionChatUpdated(action);
        let has_begun = chat.active_turn.is_some() || !chat.turns.is_empty();
        let is_new = !open.is_announced && has_begun;
        open.is_announced |= has_begun;
        let (is_announced, summary) = (open.is_announced, open.summary());
        self.emit_one(session, &Channel::Session, action, None);
        if is_new {
            let params = SessionAddedParams { channel: ROOT_RESOURCE_URI.to_owned(), summary };
            self.notify_root("root/sessionAdded", &params);
        } else if is_announced {
            let changes = PartialSessionSummary {
                title,
                status: status.map(|_| summary.status),
                modified_at,
                ..PartialSessionSummary::default()
            };
            self.summary_changed(session, changes);
        }
        let active = self.sessions.values().filter(|open| open.is_busy()).count();
        let active_sessions = i64::try_from(active).unwrap_or(i64::MAX);
        if self.root.active_sessions != Some(active_sessions) {
            let action = RootActiveSessionsChangedAction { active_sessions };
            self.emit_root(StateAction::RootActiveSessionsChanged(action));
        }
    }

    pub(super) fn summary_changed(&mut self, session: &SessionId, changes: PartialSessionSummary) {
        let params = SessionSummaryChangedParams {
            channel: ROOT_RESOURCE_URI.to_owned(),
            session: Channel::Session.uri(session),
            changes,
        };
        self.notify_root("root/sessionSummaryChanged", &params);
    }
}

impl Client {
    /// Sends a message. A client that does not keep up is disconnected: a replay, or a snapshot, costs it less than the backlog.
    pub(super) fn send(&self, message: Bytes) {
        if !self.out.take(message) && !self.hangup.is_cancelled() {
            tracing::warn!("a client that reads too slowly was disconnected");
            self.hangup.cancel();
        }
    }
}

/// Returns the session that a feed item is about.
pub(super) fn session_of(feed: &Feed) -> Option<SessionId> {
    match feed {
        Feed::Durable(record) => Some(record.value.session_id.clone()),
        Feed::Transient(record) => Some(record.value.session_id.clone()),
        Feed::Call(call) => Some(call.session_id.clone()),
        Feed::Questions(now) => Some(now.session_id.clone()),
        // Missed events have been read again and are among these.
        Feed::CallWithdrawn(_) | Feed::Held(..) | Feed::Lagged { .. } => None,
    }
}
