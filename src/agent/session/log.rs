//! The session's journal and its subscribers: an event is appended, then published.
//!
//! Known keys are redacted here, which every event passes before anyone receives it: so no journal, index, export or message contains them.
//! In the text of tool results they are redacted earlier, so that the model and the journal read the same.
//!
//! Invariant: this is the journal's only writer, numbers have no gaps, and nothing is published before it is in the journal.

use super::streaming::Streaming;
use super::subscribers::Subscription;
use crate::clients::SubscriberId;
use crate::command::{Record, SessionQuestions, Subscriber, Transient};
use crate::error::Error;
use crate::requests::SessionFactory;
use futures_util::future::select_all;
use pintle_base::ambient::{Ambient, Secrets};
use pintle_protocol::event::{Cause, Event, EventRecord, Notice, TransientEvent, TransientRecord};
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_session::history::keys::Keys;
use pintle_session::store::announced::Announcements;
use pintle_session::store::streaming::StreamingFile;
use pintle_session::store::{Journal, artifacts};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session's journal, with the receivers of its events.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) id: SessionId,
    pub(super) journal: Journal,
    pub(super) subscribers: Vec<Subscription>,
    /// The open questions, as the subscribers know them.
    questions: Arc<SessionQuestions>,
    /// Notices about opening the session, for the client that opens it: recorded at the next subscription.
    pub(super) unseen: Vec<Notice>,
    /// The cause of the events being appended.
    pub(super) cause: Option<Cause>,
    /// The effects of requests with a key.
    pub(super) keys: Keys,
    /// The streaming text and its file.
    streaming: Streaming,
    streaming_file: StreamingFile,
    /// A turn's end that was published but is not in the journal, because the disk write failed.
    owed: Option<EventRecord>,
    ambient: Ambient,
    engine: SessionFactory,
}

impl Log {
    pub(super) fn new(
        journal: Journal,
        ambient: Ambient,
        engine: SessionFactory,
        keys: Keys,
    ) -> Self {
        let id = journal.header().session_id.clone();
        let session_id = id.clone();
        let (approvals, questions) = (Vec::new(), Vec::new());
        Self {
            id,
            subscribers: Vec::new(),
            questions: Arc::new(SessionQuestions { session_id, approvals, questions }),
            unseen: Vec::new(),
            cause: None,
            keys,
            streaming: Streaming::default(),
            streaming_file: StreamingFile::new(journal.folder()),
            owed: None,
            journal,
            ambient,
            engine,
        }
    }

    /// Returns the session's working directory.
    pub(super) fn cwd(&self) -> &Path {
        Path::new(&self.journal.header().cwd)
    }

    /// Returns the directory for long outputs.
    pub(super) fn artifacts(&self) -> PathBuf {
        self.journal.folder().join(artifacts::FOLDER)
    }

    /// Returns where file changes are announced before they are made.
    pub(super) fn announcements(&self) -> Announcements {
        Announcements::new(self.journal.folder())
    }

    /// Appends an event. It is to be handed on next, and nothing in between.
    pub(super) fn append(
        &mut self,
        turn_id: Option<TurnId>,
        event: Event,
        private: Option<&RawValue>,
    ) -> Result<Arc<Record>, Error> {
        self.settle()?;
        let value = self.next(turn_id, event);
        let private = private.map(|private| redacted_part(self.ambient.secrets(), private));
        let json = self.journal.append(&value, private.as_deref())?;
        self.note_appended(&value);
        Ok(Arc::new(Record::new(value, json)))
    }

    /// Appends the end of a turn. If the disk write fails, returns the error with the record, which must be published anyway: it is written
    /// before the next event, and if the session is reopened without it, recovery ends the turn.
    pub(super) fn append_end(
        &mut self,
        turn_id: TurnId,
        event: Event,
    ) -> (Arc<Record>, Option<Error>) {
        let value = self.next(Some(turn_id), event);
        self.owed = Some(value.clone());
        let failure = self.settle().err();
        let json = serde_json::to_string(&value).unwrap_or_default().into_boxed_str();
        (Arc::new(Record::new(value, json)), failure)
    }

    /// Writes the event that is owed.
    fn settle(&mut self) -> Result<(), Error> {
        let Some(owed) = &self.owed else { return Ok(()) };
        self.journal.append(owed, None)?;
        if let Some(owed) = self.owed.take() {
            self.note_appended(&owed);
        }
        Ok(())
    }

    fn note_appended(&mut self, value: &EventRecord) {
        self.keys.record(value);
        if self.streaming.forget_completed(&value.event) {
            self.streaming_file.clear();
        }
    }

    /// Returns the next event's record.
    fn next(&self, turn_id: Option<TurnId>, event: Event) -> EventRecord {
        let value = EventRecord {
            session_id: self.id.clone(),
            seq: self.journal.last_seq() + 1,
            ts_ms: self.ambient.now_ms(),
            turn_id,
            cause: self.cause.clone(),
            event,
        };
        redacted(self.ambient.secrets(), value)
    }

    /// Hands on a record. False when a subscriber was found gone.
    pub(super) fn publish(&mut self, record: &Arc<Record>) -> bool {
        let before = self.subscribers.len();
        self.subscribers.retain_mut(|subscription| subscription.durable(record));
        self.subscribers.len() == before
    }

    /// Hands on the open questions.
    pub(super) fn publish_questions(&mut self, questions: SessionQuestions) {
        self.questions = Arc::new(questions);
        for subscription in &mut self.subscribers {
            subscription.questions(&self.questions);
        }
    }

    /// Hands on an event without keeping it.
    pub(super) fn publish_transient(&mut self, turn_id: Option<TurnId>, event: TransientEvent) {
        if let TransientEvent::ItemDelta(delta) = &event {
            self.streaming.grow(turn_id.as_ref(), delta);
        }
        if self.subscribers.is_empty() {
            return;
        }
        let secrets = self.ambient.secrets();
        let event = match event {
            // The most frequent by far, of which only one field is text.
            TransientEvent::ItemDelta(mut delta) => {
                if let Cow::Owned(text) = secrets.redact(&delta.text) {
                    delta.text = text;
                }
                TransientEvent::ItemDelta(delta)
            }
            event @ (TransientEvent::State(_)
            | TransientEvent::Context(_)
            | TransientEvent::StepUsage(_)
            | TransientEvent::Notice(_)) => redacted(secrets, event),
        };
        let record = self.transient_record(turn_id, event);
        for subscription in &mut self.subscribers {
            subscription.transient(&record);
        }
    }

    fn transient_record(&self, turn_id: Option<TurnId>, event: TransientEvent) -> Arc<Transient> {
        let (session_id, after) = (self.id.clone(), self.journal.last_seq());
        Arc::new(Transient::new(TransientRecord { session_id, after, turn_id, event }))
    }

    /// Adds a subscriber, which receives the open questions and the text streamed so far.
    pub(super) fn add(&mut self, subscriber: Subscriber, seq: u64) {
        self.subscribers.retain(|served| served.subscriber.id != subscriber.id);
        let mut subscription = Subscription::new(subscriber, seq);
        subscription.questions(&self.questions);
        for (turn_id, delta) in self.streaming.pieces(self.ambient.secrets()) {
            let event = TransientEvent::ItemDelta(delta);
            subscription.transient(&self.transient_record(turn_id, event));
        }
        self.subscribers.push(subscription);
    }

    /// Waits until streaming text is due to be saved; never completes if nothing streams. Cancel-safe.
    pub(super) async fn save_due(&self) {
        self.streaming.due().await;
    }

    /// Saves what streams.
    pub(super) fn save_streaming(&mut self) {
        let texts = self.streaming.take_due(self.ambient.secrets());
        if let Err(error) = self.streaming_file.put(&texts) {
            tracing::warn!("session {}: failed to save streamed text: {error}", self.id);
        }
    }

    /// Sends lagging subscribers the missed parts, if there is room.
    pub(super) fn catch_up(&mut self) {
        let head = self.journal.last_seq();
        for subscription in &mut self.subscribers {
            subscription.catch_up(&self.questions, head);
        }
    }

    /// Sends lagging subscribers the missed parts before the session ends.
    pub(super) async fn tell_at_the_end(&mut self) {
        let head = self.journal.last_seq();
        for subscription in &mut self.subscribers {
            subscription.tell_at_the_end(&self.questions, head).await;
        }
    }

    /// Waits until a lagging subscriber has room again; never completes if none lags. Cancel-safe.
    pub(super) async fn room(&self) {
        let behind = self.subscribers.iter().filter(|subscription| subscription.is_behind());
        let behind: Vec<_> = behind.map(|behind| Box::pin(behind.has_room())).collect();
        if behind.is_empty() {
            std::future::pending::<()>().await;
        }
        select_all(behind).await;
    }

    /// Returns a client's subscription.
    pub(super) fn subscription(&self, id: SubscriberId) -> Option<&Subscription> {
        self.subscribers.iter().find(|subscription| subscription.subscriber.id == id)
    }

    pub(super) fn subscription_mut(&mut self, id: SubscriberId) -> Option<&mut Subscription> {
        self.subscribers.iter_mut().find(|subscription| subscription.subscriber.id == id)
    }

    /// Syncs a turn's events to disk, and notifies the index.
    pub(super) async fn sync(&mut self) -> Result<(), Error> {
        let synced = self.journal.sync().await;
        self.engine.index_due();
        Ok(synced?)
    }
}

/// Returns a record without known keys.
fn redacted<T: Serialize + DeserializeOwned>(secrets: &Secrets, record: T) -> T {
    if secrets.are_unknown() {
        return record;
    }
    let Ok(text) = serde_json::to_string(&record) else { return record };
    let Cow::Owned(text) = secrets.redact(&text) else { return record };
    serde_json::from_str(&text).unwrap_or_else(|error| {
        tracing::warn!("failed to redact a key in an event: {error}");
        record
    })
}

/// Returns the private part of a journal line, with known keys redacted.
fn redacted_part<'a>(secrets: &Secrets, part: &'a RawValue) -> Cow<'a, RawValue> {
    match secrets.redact(part.get()) {
        Cow::Borrowed(_) => Cow::Borrowed(part),
        Cow::Owned(text) => RawValue::from_string(text).map_or(Cow::Borrowed(part), Cow::Owned),
    }
}
