//! A session's sub-agents: their list, their state, and the calls that wait for them.
//!
//! The session's task owns and polls this object, which starts no task and has no lock. A sub-agent is a separate session, created by the
//! engine like any other; this object has its handle and follows its events. It does not write to the journal: it returns events, which the
//! session appends. Invariant: a waiting call is answered when the last of its sub-agents stops working.
//!
//! A sub-agent is a session like any other, created by the engine with its parent's id in the first entry, so that journal, questions,
//! steering and recovery work unchanged. Its parent's session owns a future that follows its events, and keeps only its item. The parent's
//! subscribers are subscribed to it as well.

mod follow;

pub(super) use follow::News;

use crate::command::{Command, SessionHandle, Subscriber, SubscriptionCommand};
use crate::error::Error;
use crate::requests::{CreateSession, SessionFactory};
use follow::Follower;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_protocol::content::Input;
use pintle_protocol::ids::{AgentId, ItemId, SessionId};
use pintle_protocol::item::{EngineMessage, Item, ItemBody, Subagent, SubagentState};
use pintle_protocol::methods::{
    TurnInterrupt, TurnInterruptParams, TurnStart, TurnStartParams, TurnSteerParams, WhenBusy,
};
use pintle_session::context::conversation::from_engine;
use pintle_tools::{AgentRequest, AgentView};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The channel capacity for tool requests. A tool waits for its response, so there are never more requests than parallel calls.
const REQUEST_CAPACITY: usize = 16;

/// The maximum number of working sub-agents: each uses a model that costs money.
const MAX_WORKING: usize = 4;

/// A session with more open ones than this has lost track of them.
const MAX_OPEN: usize = 32;

/// Where the answer to a tool goes.
pub(super) type AgentReply = oneshot::Sender<Result<AgentView, String>>;

/// The sub-agents of a session.
#[derive(Debug)]
pub(super) struct Subagents {
    entries: Vec<Entry>,
    going: FuturesUnordered<BoxFuture<'static, SubagentEvent>>,
    waiting: Vec<Waiting>,
    /// The next sub-agent's number.
    next: u64,
    sessions: SessionFactory,
    /// The session ends: nothing is made any more.
    closing: CancellationToken,
    requests: mpsc::Receiver<AgentRequest>,
    requests_tx: mpsc::Sender<AgentRequest>,
}

#[derive(Debug)]
struct Entry {
    id: AgentId,
    /// None while its session is being made.
    open: Option<Open>,
    /// The turn that wanted it was stopped before it was made.
    is_unwanted: bool,
}

#[derive(Debug)]
struct Open {
    item: Item,
    handle: SessionHandle,
    is_closing: bool,
    /// True if the model has read the sub-agent's last message.
    is_told: bool,
}

/// A tool that waits.
#[derive(Debug)]
struct Waiting {
    ids: Vec<AgentId>,
    reply: oneshot::Sender<Result<Vec<AgentView>, String>>,
}

/// A session that was made for a sub-agent.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) handle: SessionHandle,
    /// Its model.
    pub(super) model: String,
}

/// An event of a sub-agent.
pub(super) enum SubagentEvent {
    /// A tool asks for something.
    Requested(AgentRequest),
    /// The sub-agent's session was created, or could not be.
    Made { id: AgentId, task: String, made: Result<Made, Error>, reply: AgentReply },
    /// A message was sent to the sub-agent, or could not be.
    Sent { id: AgentId, sent: Result<(), Error>, reply: AgentReply },
    /// The sub-agent's session has news.
    News { id: AgentId, news: News, follower: Box<Follower> },
    /// Nothing of interest.
    Nothing,
}

impl std::fmt::Debug for SubagentEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Requested(request) => write!(f, "Requested({request:?})"),
            Self::Made { id, .. } => write!(f, "Made({id})"),
            Self::Sent { id, .. } => write!(f, "Sent({id})"),
            Self::News { id, news, .. } => write!(f, "News({id}, {news:?})"),
            Self::Nothing => f.write_str("Nothing"),
        }
    }
}

impl Subagents {
    /// `earlier` is how many there were in earlier lives of the session.
    pub(super) fn new(earlier: u64, sessions: SessionFactory) -> Self {
        let (requests_tx, requests) = mpsc::channel(REQUEST_CAPACITY);
        Self {
            entries: Vec::new(),
            going: FuturesUnordered::new(),
            waiting: Vec::new(),
            next: earlier + 1,
            sessions,
            closing: CancellationToken::new(),
            requests,
            requests_tx,
        }
    }

    /// Returns the interface for tools.
    pub(super) fn requests(&self) -> pintle_tools::Agents {
        pintle_tools::Agents::new(self.requests_tx.clone())
    }

    /// Waits for what happens next. Cancel-safe.
    pub(super) async fn next(&mut self) -> SubagentEvent {
        tokio::select! {
            biased;
            Some(event) = self.going.next() => event,
            // Never `None`, since a sender is kept here.
            Some(request) = self.requests.recv() => SubagentEvent::Requested(request),
        }
    }

    /// Creates a sub-agent; `create` returns its parameters once its id is known.
    pub(super) fn make<F>(
        &mut self,
        create: impl FnOnce(AgentId) -> F,
        task: String,
        reply: AgentReply,
    ) where
        F: Future<Output = Result<CreateSession, Error>> + Send + 'static,
    {
        let working = self.entries.iter().filter(|entry| entry.is_working()).count();
        if working >= MAX_WORKING {
            let full =
                format!("{MAX_WORKING} sub-agents are already working. Wait until one finishes.");
            let _ = reply.send(Err(full));
            return;
        }
        if self.entries.len() >= MAX_OPEN {
            let full = format!("{MAX_OPEN} sub-agents are already open. Close one first.");
            let _ = reply.send(Err(full));
            return;
        }
        let id = AgentId::new(format!("agent-{}", self.next));
        self.next += 1;
        let create = create(id.clone());
        self.entries.push(Entry { id: id.clone(), open: None, is_unwanted: false });
        let (sessions, closing) = (self.sessions.clone(), self.closing.clone());
        let make = async move {
            let create = create.await?;
            let model = create.config.model.clone().unwrap_or_default();
            Ok(Made { handle: sessions.create(create).await?, model })
        };
        self.going.push(Box::pin(async move {
            // The engine may be waiting for this session to close.
            let made = tokio::select! {
                biased;
                () = closing.cancelled() => Err(Error::internal("the session was closed")),
                made = make => made,
            };
            SubagentEvent::Made { id, task, made, reply }
        }));
    }

    /// Returns true if the turn that asked for it was stopped meanwhile.
    pub(super) fn is_unwanted(&self, id: &AgentId) -> bool {
        self.closing.is_cancelled()
            || self.entries.iter().any(|entry| entry.id == *id && entry.is_unwanted)
    }

    /// Forgets one that was not made.
    pub(super) fn forget(&mut self, id: &AgentId) {
        self.entries.retain(|entry| entry.id != *id);
        self.settle();
    }

    /// Closes a session that is no longer needed.
    pub(super) fn drop_session(&mut self, handle: SessionHandle) {
        self.going.push(Box::pin(async move {
            let _ = handle.ask(|reply| Command::Close { reply }).await;
            SubagentEvent::Nothing
        }));
    }

    /// Starts a sub-agent whose item is in the journal; its parent's subscribers watch it as well.
    pub(super) fn begin(
        &mut self,
        id: &AgentId,
        item: Item,
        handle: SessionHandle,
        task: String,
        (parent, watchers): (SessionId, Vec<Subscriber>),
    ) -> Option<AgentView> {
        let entry = self.entries.iter_mut().find(|entry| entry.id == *id)?;
        entry.open = Some(Open { item, handle: handle.clone(), is_closing: false, is_told: false });
        let view = entry.view();
        let id = id.clone();
        self.going.push(Box::pin(async move {
            for subscriber in watchers {
                watch(&parent, &handle, subscriber).await;
            }
            let (mut follower, from) = Follower::new(handle.clone());
            watch(&parent, &handle, from).await;
            let news = match start(&handle, task).await {
                Ok(()) => follower.next().await,
                Err(error) => News::failed(&error),
            };
            SubagentEvent::News { id, news, follower: Box::new(follower) }
        }));
        Some(view)
    }

    /// Listens on.
    pub(super) fn follow(&mut self, id: AgentId, mut follower: Box<Follower>) {
        self.going.push(Box::pin(async move {
            let news = follower.next().await;
            SubagentEvent::News { id, news, follower }
        }));
    }

    /// Sends a sub-agent a message.
    pub(super) fn send(&mut self, id: AgentId, text: String, reply: AgentReply) {
        let Some(open) = self.open_one(&id) else {
            let _ = reply.send(Err(unknown(&id)));
            return;
        };
        let handle = open.handle.clone();
        self.going.push(Box::pin(async move {
            let sent = tell(&handle, text).await;
            SubagentEvent::Sent { id, sent, reply }
        }));
    }

    /// Answers when these have nothing to do any more.
    pub(super) fn wait(
        &mut self,
        ids: Vec<AgentId>,
        reply: oneshot::Sender<Result<Vec<AgentView>, String>>,
    ) {
        let missing = ids.iter().find(|id| !self.entries.iter().any(|entry| entry.id == **id));
        if let Some(missing) = missing {
            let _ = reply.send(Err(unknown(missing)));
            return;
        }
        let ids = if ids.is_empty() {
            let news = self.entries.iter().filter(|entry| entry.is_working() || entry.is_untold());
            news.map(|entry| entry.id.clone()).collect()
        } else {
            ids
        };
        self.waiting.push(Waiting { ids, reply });
        self.settle();
    }

    /// Stops one and lets go of it; returns its item as it stays.
    pub(super) fn close(&mut self, id: &AgentId) -> Option<Item> {
        let open = self.open_one(id)?;
        open.is_closing = true;
        let handle = open.handle.clone();
        let mut item = open.item.clone();
        if let ItemBody::Subagent(agent) = &mut item.body {
            agent.state = SubagentState::Closed;
        }
        self.drop_session(handle);
        Some(item)
    }

    /// Returns true while one of them works.
    pub(super) fn are_working(&self) -> bool {
        self.entries.iter().any(Entry::is_working)
    }

    /// Stops what works, since the turn is stopped.
    pub(super) fn interrupt(&mut self) {
        for entry in &mut self.entries {
            match &entry.open {
                None => entry.is_unwanted = true,
                Some(open) => {
                    let handle = open.handle.clone();
                    self.going.push(Box::pin(async move {
                        let _ = handle.call::<TurnInterrupt>(TurnInterruptParams::default()).await;
                        SubagentEvent::Nothing
                    }));
                }
            }
        }
    }

    /// Closes all, since the session ends; returns their items as they stay.
    pub(super) fn close_all(&mut self) -> Vec<(AgentId, Item)> {
        self.closing.cancel();
        let ids: Vec<AgentId> = self.entries.iter().map(|entry| entry.id.clone()).collect();
        self.waiting.clear();
        ids.into_iter().filter_map(|id| self.close(&id).map(|item| (id, item))).collect()
    }

    /// Returns true if nothing is in progress.
    pub(super) fn is_idle(&self) -> bool {
        self.going.is_empty()
    }

    /// Gives up on what does not end.
    pub(super) fn abandon(&mut self) {
        self.going = FuturesUnordered::new();
    }

    /// Returns the handles of open sub-agents.
    pub(super) fn handles(&self) -> Vec<SessionHandle> {
        self.entries.iter().filter_map(|entry| Some(entry.open.as_ref()?.handle.clone())).collect()
    }

    /// Returns an open sub-agent's item.
    pub(super) fn item_id(&self, id: &AgentId) -> Option<ItemId> {
        let entry = self.entries.iter().find(|entry| entry.id == *id)?;
        Some(entry.open.as_ref()?.item.id.clone())
    }

    /// Changes a sub-agent's item, and returns it. Waiting calls must then be answered with [`Self::settle`].
    pub(super) fn change(
        &mut self,
        id: &AgentId,
        change: impl FnOnce(&mut Subagent),
    ) -> Option<Item> {
        let open = self.open_one(id)?;
        if let ItemBody::Subagent(agent) = &mut open.item.body {
            change(agent);
            open.is_told &= agent.state != SubagentState::Working;
        }
        Some(open.item.clone())
    }

    /// Takes the news about sub-agents that stopped working while no call waited for them; they count as reported.
    pub(super) fn take_news(&mut self) -> Option<EngineMessage> {
        let mut news = Vec::new();
        for entry in &mut self.entries {
            let view = entry.view();
            if view.state == SubagentState::Working || !entry.is_untold() {
                continue;
            }
            if let Some(open) = &mut entry.open {
                open.is_told = true;
                news.push(view.describe());
            }
        }
        let text = from_engine(news.join("\n\n"));
        (!news.is_empty()).then(|| EngineMessage { text, ..EngineMessage::default() })
    }

    /// Returns the sub-agent's current state.
    pub(super) fn view(&self, id: &AgentId) -> Result<AgentView, String> {
        let entry = self.entries.iter().find(|entry| entry.id == *id);
        entry.map(Entry::view).ok_or_else(|| unknown(id))
    }

    fn open_one(&mut self, id: &AgentId) -> Option<&mut Open> {
        let entry = self.entries.iter_mut().find(|entry| entry.id == *id)?;
        entry.open.as_mut().filter(|open| !open.is_closing)
    }

    /// Answers calls whose sub-agents have all stopped.
    pub(super) fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        for Waiting { ids, reply } in waiting {
            let of = |id: &AgentId| self.entries.iter().find(|entry| entry.id == *id);
            if ids.iter().filter_map(of).any(Entry::is_working) {
                self.waiting.push(Waiting { ids, reply });
            } else {
                let told = reply.send(Ok(ids.iter().filter_map(of).map(Entry::view).collect()));
                let entries = self.entries.iter_mut().filter(|entry| ids.contains(&entry.id));
                for open in entries.filter_map(|entry| entry.open.as_mut()) {
                    open.is_told |= told.is_ok();
                }
            }
        }
    }
}

impl Entry {
    fn is_untold(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.is_told && !open.is_closing)
    }

    fn is_working(&self) -> bool {
        self.view().state == SubagentState::Working
    }

    fn view(&self) -> AgentView {
        let agent = self.open.as_ref().and_then(|open| open.item.body.as_subagent());
        AgentView {
            id: self.id.clone(),
            state: agent.map_or(SubagentState::Working, |agent| agent.state),
            result: agent.and_then(|agent| agent.result.clone()),
            turns_used: agent.map_or(0, |agent| agent.turns_used),
        }
    }
}

fn unknown(id: &AgentId) -> String {
    format!("Unknown sub-agent `{id}`. The call that starts one returns its id.")
}

/// Subscribes a client of the parent to a sub-agent's session. A closed session has nothing to show.
pub(super) async fn watch(parent: &SessionId, handle: &SessionHandle, subscriber: Subscriber) {
    if let Some(adopt) = &subscriber.adopt {
        adopt.call(parent, handle.clone());
    }
    let from_seq = Some(0);
    let _ =
        handle.ask(|reply| SubscriptionCommand::Subscribe { subscriber, from_seq, reply }).await;
}

/// Steers a running turn, else starts one.
async fn tell(handle: &SessionHandle, text: String) -> Result<(), Error> {
    let input = vec![Input::text(text.clone())];
    let steer = TurnSteerParams { input, ..TurnSteerParams::default() };
    if handle.steer(steer).await?.is_none() {
        start(handle, text).await?;
    }
    Ok(())
}

/// Starts a turn with a message, or queues it.
async fn start(handle: &SessionHandle, text: String) -> Result<(), Error> {
    let (input, when_busy) = (vec![Input::text(text)], WhenBusy::Queue);
    let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
    handle.call::<TurnStart>(start).await.map(|_| ())
}
