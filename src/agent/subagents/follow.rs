//! Follows a sub-agent's session until it stops working.
//!
//! Invariant: events lost by a full channel are read from the journal, so an end is never missed.

use crate::clients::SubscriberId;
use crate::command::{EventSelection, Feed, SessionHandle, Subscriber, SubscriptionCommand};
use crate::error::Error;
use pintle_protocol::event::{Event, EventRecord, StopReason, TurnCompleted, TurnStatus};
use pintle_protocol::files::{ChangedBy, FileRecord};
use pintle_protocol::item::ItemBody;
use pintle_session::history::recovery::Total;
use tokio::sync::mpsc;

/// The feed's capacity. When it is full, further events are read from the journal.
const FEED_CAPACITY: usize = 64;

/// Events per journal page.
const PAGE: usize = 200;

/// No client has this number: they count from 0.
const PARENT: SubscriberId = SubscriberId(u64::MAX);

/// What a sub-agent did to files; first the command that ran, if it is not known whether that changed them.
pub(crate) type Changes = (Option<String>, Vec<FileRecord>);

/// News of a sub-agent.
#[derive(Debug)]
pub(crate) enum News {
    /// The sub-agent started to work, on any client's prompt.
    Began,
    /// The sub-agent stopped: its last message, whether it failed, its turns' usage, and their file changes.
    Stopped { said: String, is_error: bool, spent: Total, steps: u64, changes: Vec<Changes> },
    /// Its session has ended.
    Gone,
}

impl News {
    /// Reports that a sub-agent failed to start.
    pub(crate) fn failed(error: &Error) -> Self {
        let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let said = format!("{}{hint}", error.message);
        Self::Stopped {
            said,
            is_error: true,
            spent: Total::default(),
            steps: 0,
            changes: Vec::new(),
        }
    }
}

/// Follows one session.
#[derive(Debug)]
pub(crate) struct Follower {
    handle: SessionHandle,
    feed: mpsc::Receiver<Feed>,
    last_seq: u64,
    said: String,
    spent: Total,
    /// The steps of turns that ended since the last report.
    steps: u64,
    changes: Vec<Changes>,
}

impl Follower {
    /// Returns a follower, and the subscriber that feeds it.
    pub(crate) fn new(handle: SessionHandle) -> (Self, Subscriber) {
        let (tx, feed) = mpsc::channel(FEED_CAPACITY);
        let subscriber = Subscriber {
            id: PARENT,
            feed: tx,
            filter: EventSelection::default(),
            can_approve: false,
            can_answer: false,
            extensions: std::sync::Arc::default(),
            adopt: None,
        };
        let (said, spent) = (String::new(), Total::default());
        (Self { handle, feed, last_seq: 0, said, spent, steps: 0, changes: Vec::new() }, subscriber)
    }

    /// Waits for the next news for the parent.
    pub(crate) async fn next(&mut self) -> News {
        loop {
            let news = match self.feed.recv().await {
                None => return News::Gone,
                Some(
                    Feed::Transient(_)
                    | Feed::Held(..)
                    | Feed::Questions(_)
                    | Feed::Call(_)
                    | Feed::CallWithdrawn(_),
                ) => None,
                Some(Feed::Durable(record)) => self.take(&record.value).await,
                Some(Feed::Lagged { head_seq, .. }) => self.read_missed(head_seq).await,
            };
            if let Some(news) = news {
                return news;
            }
        }
    }

    /// Reads on in the journal. What comes after an end is read again with the next one.
    async fn read_missed(&mut self, head_seq: u64) -> Option<News> {
        let mut last_news = None;
        while self.last_seq < head_seq {
            let Ok((page, _)) = self.handle.events(self.last_seq, PAGE).await else {
                return Some(News::Gone);
            };
            if page.events.is_empty() {
                break;
            }
            for json in page.events {
                match serde_json::from_str::<EventRecord>(json.get()) {
                    Ok(record) => last_news = self.take(&record).await.or(last_news),
                    Err(_) => self.last_seq += 1,
                }
            }
        }
        last_news
    }

    async fn take(&mut self, record: &EventRecord) -> Option<News> {
        if record.seq <= self.last_seq {
            return None;
        }
        self.last_seq = record.seq;
        match &record.event {
            Event::TurnStarted { .. } => Some(News::Began),
            Event::ItemCompleted { item } => {
                if let ItemBody::AgentMessage(body) = &item.body {
                    self.said.clone_from(&body.text);
                }
                None
            }
            Event::FilesChanged(changed) => {
                if let ChangedBy::Call { while_ran, .. } = &changed.by {
                    let changes = changed.changes.iter().cloned();
                    match self.changes.last_mut() {
                        Some((same, known)) if same == while_ran => known.extend(changes),
                        _ => self.changes.push((while_ran.clone(), changes.collect())),
                    }
                }
                None
            }
            Event::TurnCompleted(end) => self.ended(end).await,
            Event::SessionCreated(_)
            | Event::SessionClosed {}
            | Event::SessionMoved(_)
            | Event::SessionUpdated(_)
            | Event::PromptMade(_)
            | Event::InputAccepted(_)
            | Event::InputRemoved { .. }
            | Event::ItemStarted { .. }
            | Event::ItemUpdated { .. }
            | Event::ApprovalRequested(_)
            | Event::ApprovalResolved(_)
            | Event::StepCompleted(_)
            | Event::RetryScheduled(_)
            | Event::QuestionRequested(_)
            | Event::QuestionResolved(_)
            | Event::PlanUpdated(_)
            | Event::ConfigChanged(_)
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::HistoryRewound(_)
            | Event::LabelChanged(_)
            | Event::ContextPruned(_)
            | Event::QueueChanged { .. }
            | Event::Notice(_) => None,
        }
    }

    /// A turn ended. The sub-agent stopped working only if no other one has started.
    async fn ended(&mut self, end: &TurnCompleted) -> Option<News> {
        self.spent.add(end.usage, end.cost_nano_usd);
        self.steps += u64::from(end.steps);
        let stands = self.handle.ask(|reply| SubscriptionCommand::Snapshot { reply }).await;
        if stands.is_ok_and(|snapshot| snapshot.active_turn_id.is_some()) {
            return None;
        }
        let said = std::mem::take(&mut self.said);
        let is_limit = end.stop == Some(StopReason::Limit);
        let said = match (end.status, &end.error) {
            (TurnStatus::Completed, _) if is_limit => {
                format!("It was stopped at a limit before it finished. Its last message: {said}")
            }
            (TurnStatus::Completed, _) => said,
            (TurnStatus::Interrupted, _) => format!("It was stopped. Its last message: {said}"),
            (TurnStatus::Failed, None) => format!("It failed. Its last message: {said}"),
            (TurnStatus::Failed, Some(error)) => match &error.hint {
                Some(hint) => format!("{} ({hint})", error.message),
                None => error.message.clone(),
            },
        };
        let is_error = end.status != TurnStatus::Completed || is_limit;
        let (spent, changes) = (std::mem::take(&mut self.spent), std::mem::take(&mut self.changes));
        let steps = std::mem::take(&mut self.steps);
        Some(News::Stopped { said, is_error, spent, steps, changes })
    }
}
