//! What sessions hand on, and what becomes of it: updates, questions, answers to prompts. Also what was missed while the client
//! was slow: this protocol has no word for that, so it is read from the journal before anything else is told.

use super::driver::Driver;
use crate::agent::{EngineHandle, Feed, PageRange, SessionHandle};
use crate::frontend::native::feed::merge_deltas;
use agent_client_protocol_schema::v1 as acp;
use futures_util::FutureExt;
use jsonrpsee::types::Id;
use pintle_protocol::approval::Approval;
use pintle_protocol::event::{Event, EventRecord, TransientRecord};
use pintle_protocol::ids::SessionId;
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::question::Question;
use tokio::sync::mpsc;

/// How many missed events are read at once.
const PAGE: usize = 64;

/// A page of events that were missed.
#[derive(Debug)]
pub(super) struct Missed {
    session: SessionId,
    events: Vec<EventRecord>,
    /// What is to be read after these, if anything is.
    rest: Option<(u64, u64)>,
}

/// Reads the events after a number, up to another.
pub(super) async fn missed(
    engine: EngineHandle,
    session: SessionId,
    after: u64,
    head: u64,
) -> Missed {
    let page = engine.page(session.clone(), PageRange::After(after), PAGE).await;
    let (events, last) = match page {
        Ok((page, _)) => {
            let raw = page.events.iter();
            let events: Vec<EventRecord> =
                raw.filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect();
            (events, page.last)
        }
        Err(error) => {
            tracing::error!("events that a slow client missed cannot be read: {error}");
            (Vec::new(), head)
        }
    };
    let rest = (last > after && last < head).then_some((last, head));
    let events = events.into_iter().filter(|record| record.seq <= head).collect();
    Missed { session, events, rest }
}

impl Driver {
    /// Takes what sessions hand on. Answers that are ready go first: they were sent before the events that they cause.
    pub(super) fn feed(&mut self, batch: &mut Vec<Feed>, feed: &mut mpsc::Receiver<Feed>) {
        self.backlog.extend(batch.drain(..));
        self.answers_first(feed);
        self.work_off();
    }

    /// Takes what is there now, to the last.
    pub(super) fn feed_rest(&mut self, feed: &mut mpsc::Receiver<Feed>) {
        while let Ok(next) = feed.try_recv() {
            self.backlog.push_back(next);
        }
        self.work_off();
    }

    /// Tells what waits, until something was missed.
    fn work_off(&mut self) {
        while let Ok(handle) = self.adopted.try_recv() {
            self.children.insert(handle.id.clone(), handle);
        }
        let mut batch: Vec<Feed> = self.backlog.drain(..).collect();
        merge_deltas(&mut batch);
        self.backlog.extend(batch);
        while self.missed.is_none()
            && let Some(feed) = self.backlog.pop_front()
        {
            match feed {
                Feed::Durable(record) => self.durable(&record.value),
                Feed::Transient(record) => self.transient(&record),
                Feed::Lagged { session_id, last_sent_seq, head_seq } => {
                    self.read_missed(session_id, last_sent_seq, head_seq);
                }
                // This client gives no hooks and no tools.
                Feed::Call(_) | Feed::CallWithdrawn(_) => {}
            }
        }
    }

    fn read_missed(&mut self, session: SessionId, after: u64, head: u64) {
        let engine = self.desk.engine.clone();
        self.missed = Some(missed(engine, session, after, head).boxed());
    }

    /// Tells what was missed, and goes on.
    pub(super) fn caught_up(&mut self, missed: Missed) {
        self.missed = None;
        for record in &missed.events {
            self.durable(record);
        }
        if let Some((after, head)) = missed.rest {
            self.read_missed(missed.session, after, head);
        }
        self.work_off();
    }

    fn transient(&mut self, record: &TransientRecord) {
        let Some(open) = self.sessions.get_mut(&record.session_id) else { return };
        let updates = open.story.transient(&record.event);
        let messages = open.in_turn(updates, None);
        self.send_all(messages);
    }

    fn durable(&mut self, record: &EventRecord) {
        let EventRecord { session_id, seq, turn_id, event, .. } = record;
        match event {
            Event::ApprovalRequested(approval) => return self.ask_permission(session_id, approval),
            Event::QuestionRequested(question) => return self.ask_question(session_id, question),
            Event::ApprovalResolved(outcome) => {
                let withdrawn = self.asks.resolved(&outcome.approval_id);
                return self.send_all(withdrawn);
            }
            Event::QuestionResolved(outcome) => {
                let withdrawn = self.asks.answered(&outcome.question_id);
                return self.send_all(withdrawn);
            }
            _ => {}
        }
        if let Some(child) = child_of(event) {
            let root = self.root(session_id);
            self.parents.insert(child.clone(), root);
        }
        let Some(open) = self.sessions.get_mut(session_id) else { return };
        let is_told = *seq <= open.told_to;
        let mut messages = Vec::new();
        let mut answers: Vec<(Id<'static>, Vec<u8>)> = Vec::new();
        match event {
            Event::TurnStarted { .. } => {
                if let Some(turn) = turn_id {
                    messages = open.begin(turn.clone());
                }
            }
            Event::TurnCompleted(end) => {
                if !is_told {
                    open.story.durable(event, *seq);
                }
                answers = open.end(turn_id.as_ref(), end);
            }
            Event::InputRemoved { inputs } => answers = open.removed(inputs),
            Event::SessionUpdated(_) | Event::ConfigChanged(_) if is_told => {}
            Event::SessionUpdated(updated) => {
                let info = acp::SessionInfoUpdate::new().title(updated.title.clone());
                messages
                    .push(open.message(acp::SessionUpdate::SessionInfoUpdate(info), Some(*seq)));
            }
            Event::ConfigChanged(changed) => {
                let before = open.settings.mode();
                open.settings.apply(changed);
                let mode = open.settings.mode();
                if mode != before {
                    let update = acp::CurrentModeUpdate::new(mode);
                    messages.push(
                        open.message(acp::SessionUpdate::CurrentModeUpdate(update), Some(*seq)),
                    );
                }
                let update = acp::ConfigOptionUpdate::new(open.settings.options());
                messages
                    .push(open.message(acp::SessionUpdate::ConfigOptionUpdate(update), Some(*seq)));
            }
            _ => {
                if let Some(Item { id, body: ItemBody::UserMessage(_), .. }) = item_of(event) {
                    open.read(id, turn_id.as_ref());
                }
                if !is_told {
                    let updates = open.story.durable(event, *seq);
                    messages = open.in_turn(updates, Some(*seq));
                }
            }
        }
        self.send_all(messages);
        for (id, answer) in answers {
            self.answer(&id, answer);
        }
    }

    /// The session that the client knows, for one of its own or of its sub-agents.
    fn root(&self, session: &SessionId) -> SessionId {
        self.parents.get(session).unwrap_or(session).clone()
    }

    fn asked_of(&self, session: &SessionId) -> Option<(acp::SessionId, SessionHandle)> {
        let root = self.sessions.get(&self.root(session))?;
        let handle = match self.children.get(session) {
            Some(child) => child.clone(),
            None => root.handle.clone(),
        };
        Some((root.id.clone(), handle))
    }

    pub(super) fn ask_permission(&mut self, session: &SessionId, approval: &Approval) {
        if let Some((id, handle)) = self.asked_of(session) {
            let request = self.asks.permission(&id, handle, approval);
            self.send_all(request);
        }
    }

    pub(super) fn ask_question(&mut self, session: &SessionId, question: &Question) {
        if let Some((id, handle)) = self.asked_of(session) {
            let request = self.asks.question(&id, handle, question);
            self.send_all(request);
        }
    }
}

fn item_of(event: &Event) -> Option<&Item> {
    match event {
        Event::ItemStarted { item }
        | Event::ItemUpdated { item }
        | Event::ItemCompleted { item } => Some(item),
        _ => None,
    }
}

/// The sub-agent's session that an event tells of.
fn child_of(event: &Event) -> Option<&SessionId> {
    let ItemBody::Subagent(agent) = &item_of(event)?.body else { return None };
    Some(&agent.session_id)
}
