//! Notes: what belongs into the history and was not said in a turn.
//!
//! Invariant: a note stands between turns. One that comes while a turn runs waits for its end, and comes before the next begins.
//!
//! A note, such as a command that a person ran, is written between turns: at once, or when the running turn is over.

use super::{Phase, Session};
use crate::agent::command::{Note, NoteBody, Reply};
use crate::context::conversation::{engine_message, from_engine};
use pintle_protocol::event::Event;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{EngineMessage, Item, ItemBody, ItemStatus};

impl Session {
    pub(super) fn take_note(&mut self, note: Note, reply: Reply<()>) {
        let _ = reply.send(Ok(()));
        self.inbox.notes.push(note);
        self.write_notes();
    }

    /// Puts the notes that wait into the history, unless a turn runs.
    pub(super) fn write_notes(&mut self) {
        if !matches!(self.phase, Phase::Idle(_)) {
            return;
        }
        for Note { body, private } in std::mem::take(&mut self.inbox.notes) {
            let (event, message) = match body {
                NoteBody::Unread(notice) => (Event::Notice(notice), None),
                NoteBody::Read(text) => {
                    let message = EngineMessage { text, ..EngineMessage::default() };
                    (self.told(&message), Some(message))
                }
                NoteBody::Client(note, text) => {
                    let is_read = !note.is_unread;
                    let text = if is_read {
                        from_engine(format_args!("a note of the user's client.\n\n{text}"))
                    } else {
                        text
                    };
                    let message =
                        EngineMessage { text, note: Some(note), ..EngineMessage::default() };
                    (self.told(&message), is_read.then_some(message))
                }
            };
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
