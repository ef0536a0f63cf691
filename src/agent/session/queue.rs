//! Queue commands: list, edit, move and return messages.
//!
//! Invariant: the journal always matches the queue.

use super::Session;
use super::inbox::Queue;
use crate::command::{QueueCommand, Record, Reply};
use crate::error::Error;
use pintle_protocol::event::{Event, QueuedInput};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::queue::{
    QueueRemoveParams, QueueRemoveResult, QueueResult, QueueUpdateParams,
};
use std::sync::Arc;

impl Session {
    pub(super) fn queue_command(&mut self, command: QueueCommand) {
        let QueueCommand::Order { item_ids, reply } = command;
        let done = self.change_queue(self.inbox.ordered(&item_ids));
        self.respond(reply, done);
    }

    pub(super) fn list_queue(&self, reply: Reply<QueueResult>) {
        let _ = reply.send(Ok(QueueResult { queue: self.inbox.unread() }));
    }

    pub(super) fn remove_queued(
        &mut self,
        params: &QueueRemoveParams,
        reply: Reply<QueueRemoveResult>,
    ) {
        let done = self.try_remove(params.item_ids.as_deref());
        self.respond(reply, done);
    }

    fn try_remove(
        &mut self,
        ids: Option<&[ItemId]>,
    ) -> Result<(QueueRemoveResult, Option<Arc<Record>>), Error> {
        let inputs = self.inbox.find(ids)?;
        if inputs.is_empty() {
            return Ok((QueueRemoveResult { removed: inputs }, None));
        }
        let removed = Event::InputRemoved { inputs: inputs.clone(), is_handled: false };
        let record = self.log.append(None, removed, None)?;
        self.inbox.remove(&inputs);
        Ok((QueueRemoveResult { removed: inputs }, Some(record)))
    }

    pub(super) fn update_queued(&mut self, params: QueueUpdateParams, reply: Reply<QueueResult>) {
        let running = self.phase.turn_id();
        let new_turn = || TurnId::new(self.services.ambient.new_id());
        let updated = self.inbox.updated(params.update, running.as_ref(), new_turn);
        let done = updated.and_then(|queue| self.change_queue(queue));
        self.respond(reply, done.map(|(queue, record)| (QueueResult { queue }, record)));
    }

    /// Returns the changed queue, and the record to publish after it.
    fn change_queue(
        &mut self,
        queue: Queue,
    ) -> Result<(Vec<QueuedInput>, Option<Arc<Record>>), Error> {
        let all = queue.all();
        let record = self.log.append(None, Event::QueueChanged { queue: all.clone() }, None)?;
        self.inbox.replace(queue);
        Ok((all, Some(record)))
    }
}
