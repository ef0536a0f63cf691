//! Notes: history entries from outside any turn.
//!
//! Invariant: a note is placed between turns. A note added while a turn runs waits for its end, and precedes the next turn.
//!
//! A note, such as a command that the user ran, is written between turns: immediately, or when the running turn has ended.

use super::{Phase, Session};
use crate::command::{Note, NoteBody, Reply};
use crate::error::{Error, ErrorKind};
use pintle_protocol::event::{Cause, Event};
use pintle_protocol::history::SessionNoteParams;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{ClientNote, EngineMessage, Item, ItemBody, ItemStatus};
use pintle_protocol::methods::Empty;
use pintle_session::context::conversation::{engine_message, from_engine};
use pintle_session::history::keys::{Effect, digest, message_json};

/// The maximum length of a note's kind, in characters.
const MAX_KIND_CHARS: usize = 64;

/// The maximum size of a note's text, and of its data as JSON, in bytes.
const MAX_NOTE_BYTES: usize = 64 * 1024;

impl Session {
    /// Takes a note of a client.
    pub(super) fn note_of_client(&mut self, params: SessionNoteParams, reply: Reply<Empty>) {
        if let Err(error) = check_note(&params) {
            let _ = reply.send(Err(error));
            return;
        }
        let SessionNoteParams { text, kind, data, to_model, hidden, .. } = params;
        let note = ClientNote { kind, data, is_unread: !to_model, is_hidden: hidden };
        let note = Note { body: NoteBody::Client(note, text), private: None };
        let is_new = self.is_new_note(&note);
        let is_taken = matches!(is_new, Ok(true));
        let _ = reply.send(is_new.map(|_| Empty {}));
        if is_taken {
            self.keep_note(note);
        }
    }

    pub(super) fn take_note(&mut self, note: Note, reply: Reply<()>) {
        let is_new = self.is_new_note(&note);
        let is_taken = matches!(is_new, Ok(true));
        let _ = reply.send(is_new.map(|_| ()));
        if is_taken {
            self.keep_note(note);
        }
    }

    fn keep_note(&mut self, note: Note) {
        self.inbox.notes.push((note, self.log.cause.clone()));
        self.write_notes();
    }

    /// Returns false if an earlier request with the same key added the note.
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
        if earlier.is_some() && earlier == asked {
            Ok(false)
        } else {
            Err(Error::other_request(key))
        }
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
                (Some(message), _) => self.message_event(message),
                (None, NoteBody::Unread(notice)) => Event::Notice(notice),
                (None, NoteBody::Read(_) | NoteBody::Client(..)) => continue,
            };
            let message =
                message.filter(|message| message.note.as_ref().is_none_or(|note| !note.is_unread));
            self.log.cause = cause;
            match self.log.append(None, event, private.as_deref()) {
                Ok(record) => {
                    // The model reads exactly the text stored on disk.
                    if let (Phase::Idle(state), Some(message)) = (&mut self.phase, message) {
                        state.push(engine_message(&message));
                    }
                    self.publish(&record);
                }
                Err(error) => self.warn_transiently(&error),
            }
        }
        self.log.cause = cause;
    }

    /// Returns the event for a message between turns.
    fn message_event(&self, message: &EngineMessage) -> Event {
        let ambient = &self.services.ambient;
        let (id, body) = (ItemId::new(ambient.new_id()), ItemBody::EngineMessage(message.clone()));
        let item = Item::new(id, ItemStatus::Completed, ambient.now_ms(), body);
        let item = Item { duration_ms: Some(0), ..item };
        Event::ItemCompleted { item }
    }
}

/// Returns the engine message for a note, or `None` for text that only users read.
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
                from_engine(format_args!("a note from the user's client.\n\n{text}"))
            };
            Some(EngineMessage { text, note: Some(note.clone()), ..EngineMessage::default() })
        }
    }
}

/// Refuses a note that is too large, or empty.
fn check_note(params: &SessionNoteParams) -> Result<(), Error> {
    let SessionNoteParams { text, kind, data, to_model, .. } = params;
    let invalid = |field: &'static str, message: &str, hint: String| {
        Err(Error::new(ErrorKind::Invalid, message.to_owned()).hint(hint).at(field))
    };
    let data_bytes = data.as_ref().map_or(0, |data| data.to_string().len());
    let bytes = data_bytes.max(text.len());
    if bytes > MAX_NOTE_BYTES {
        let field = if data_bytes > text.len() { "/data" } else { "/text" };
        let hint = format!("use at most {MAX_NOTE_BYTES} for text and for data");
        return invalid(field, &format!("the note has {bytes} bytes"), hint);
    }
    if text.trim().is_empty() && (*to_model || data.is_none()) {
        let hint = "set `text`, or `data` that the model does not read";
        return invalid("/text", "`text` is empty", hint.to_owned());
    }
    if kind.as_ref().is_some_and(|kind| kind.chars().count() > MAX_KIND_CHARS) {
        let hint = format!("use at most {MAX_KIND_CHARS} characters");
        return invalid("/kind", "`kind` is too long", hint);
    }
    Ok(())
}
