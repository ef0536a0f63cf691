//! Notes: what belongs into the history and was not said in a turn.
//!
//! Invariant: a note stands between turns. One that comes while a turn runs waits for its end, and comes before the next begins.
//!
//! A note, such as a command that a person ran, is written between turns: at once, or when the running turn is over.

use super::turns::other_request;
use super::{Phase, Session};
use crate::command::{Note, NoteBody, Reply};
use crate::error::Error;
use pintle_protocol::event::{Cause, Event};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{EngineMessage, Item, ItemBody, ItemStatus};
use pintle_session::context::conversation::{engine_message, from_engine};
use pintle_session::history::keys::{Effect, digest, message_json};

impl Session {
    pub(super) fn take_note(&mut self, note: Note, reply: Reply<()>) {
        let is_new = self.is_new_note(&note);
        let is_taken = matches!(is_new, Ok(true));
        let _ = reply.send(is_new.map(|_| ()));
        if is_taken {
            self.inbox.notes.push((note, self.log.cause.clone()));
            self.write_notes();
        }
    }

    /// Returns false where an earlier request with the key of this one added the note.
    ///
    /// # Errors
    /// The key was used by another request.
    fn is_new_note(&self, note: &Note) -> Result<bool, Error> {
        let Some(key) = self.log.cause.as_ref().and_then(|cause| cause.key.as_ref()) else {
            return Ok(true);
        };
        let asked = message_of(&note.body).map(|message| self.digest_of(&message));
        let is_key = |cause: &Option<Cause>| {
            cause.as_ref().and_then(|cause| cause.key.as_ref()) == Some(key)
        };
        let waiting = self.inbox.notes.iter().find(|(_, cause)| is_key(cause));
        let earlier = match (waiting, self.log.keys.effect(key)) {
            (Some((note, _)), _) => message_of(&note.body).map(|message| self.digest_of(&message)),
            (None, Some(Effect::Noted { content })) => Some(*content),
            (None, Some(Effect::Accepted { .. } | Effect::Began(_) | Effect::Ran { .. })) => None,
            (None, None) => return Ok(true),
        };
        if earlier.is_some() && earlier == asked { Ok(false) } else { Err(other_request(key)) }
    }

    fn digest_of(&self, message: &EngineMessage) -> u64 {
        digest(&self.services.ambient.secrets().redact(&message_json(message)))
    }

    /// Puts the notes that wait into the history, unless a turn runs.
    pub(super) fn write_notes(&mut self) {
        if !matches!(self.phase, Phase::Idle(_)) {
            return;
        }
        // While a note is written, the cause is its own, and not that of what made room for it.
        let cause = self.log.cause.take();
        for (Note { body, private }, cause) in std::mem::take(&mut self.inbox.notes) {
            let message = message_of(&body);
            let event = match (&message, body) {
                (Some(message), _) => self.told(message),
                (None, NoteBody::Unread(notice)) => Event::Notice(notice),
                (None, NoteBody::Read(_) | NoteBody::Client(..)) => continue,
            };
            let message =
                message.filter(|message| message.note.as_ref().is_none_or(|note| !note.is_unread));
            self.log.cause = cause;
            match self.log.append(None, event, private.as_deref()) {
                Ok(record) => {
                    // What is on disk is what the model reads.
                    if let (Phase::Idle(state), Some(message)) = (&mut self.phase, message) {
                        state.conversation.push(engine_message(&message));
                    }
                    self.publish(&record);
                }
                Err(error) => self.warn_transiently(&error),
            }
        }
        self.log.cause = cause;
    }

    /// The event of a message that stands between turns.
    fn told(&self, message: &EngineMessage) -> Event {
        let item = Item {
            id: ItemId::new(self.services.ambient.new_id()),
            turn_id: None,
            step: None,
            status: ItemStatus::Completed,
            started_ms: self.services.ambient.now_ms(),
            duration_ms: Some(0),
            body: ItemBody::EngineMessage(message.clone()),
        };
        Event::ItemCompleted { item }
    }
}

/// The message of the engine that carries a note; none for words that only people read.
fn message_of(body: &NoteBody) -> Option<EngineMessage> {
    match body {
        NoteBody::Unread(_) => None,
        NoteBody::Read(text) => {
            Some(EngineMessage { text: text.clone(), ..EngineMessage::default() })
        }
        NoteBody::Client(note, text) => {
            let text = if note.is_unread {
                text.clone()
            } else {
                from_engine(format_args!("a note of the user's client.\n\n{text}"))
            };
            Some(EngineMessage { text, note: Some(note.clone()), ..EngineMessage::default() })
        }
    }
}
