//! Commands about the queue: listed, edited, moved and handed back.
//!
//! Invariant: the journal knows the queue as it is.

use super::Session;
use super::inbox::Queue;
use crate::command::{QueueCommand, QueueEdit, Record};
use crate::error::Error;
use pintle_protocol::event::{Event, QueuedInput};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::queue::QueueUpdate;
use std::sync::Arc;

/// The response to an edit, and the record to be handed on after it.
type Edited = (Vec<QueuedInput>, Option<Arc<Record>>);

impl Session {
    pub(super) fn queue_command(&mut self, command: QueueCommand) {
        let QueueCommand::Edit { edit, reply } = command;
        let done = match edit {
            QueueEdit::List => Ok((self.inbox.unread(), None)),
            QueueEdit::Remove(ids) => self.remove_queued(ids.as_deref()),
            QueueEdit::Update(update) => self.update_queued(*update),
            QueueEdit::Order(ids) => self.change_queue(self.inbox.ordered(&ids)),
        };
        self.respond(reply, done);
    }

    fn remove_queued(&mut self, ids: Option<&[ItemId]>) -> Result<Edited, Error> {
        let inputs = self.inbox.find(ids)?;
        if inputs.is_empty() {
            return Ok((inputs, None));
        }
        let removed = Event::InputRemoved { inputs: inputs.clone(), is_handled: false };
        let record = self.log.append(None, removed, None)?;
        self.inbox.remove(&inputs);
        Ok((inputs, Some(record)))
    }

    fn update_queued(&mut self, update: QueueUpdate) -> Result<Edited, Error> {
        let running = self.phase.turn_id();
        let new_turn = || TurnId::new(self.services.ambient.new_id());
        let queue = self.inbox.updated(update, running.as_ref(), new_turn)?;
        self.change_queue(queue)
    }

    fn change_queue(&mut self, queue: Queue) -> Result<Edited, Error> {
        let all = queue.all();
        let record = self.log.append(None, Event::QueueChanged { queue: all.clone() }, None)?;
        self.inbox.replace(queue);
        Ok((all, Some(record)))
    }
}
