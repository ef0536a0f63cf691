//! The messages that wait: listed, edited, moved and handed back.
//!
//! Invariant: what leaves the queue without being read is handed back whole, and the journal knows the queue as it is.

use super::Phase;
use super::Session;
use crate::agent::command::{QueueCommand, QueueEdit, Record};
use crate::agent::error::{Error, ErrorKind};
use crate::agent::turn::inputs::is_blank;
use pintle_protocol::event::{Delivery, Event, QueuedInput};
use pintle_protocol::ids::ItemId;
use pintle_protocol::queue::{QueueMode, QueueUpdate};
use std::collections::VecDeque;
use std::sync::Arc;

/// What became of the queue, and the record to be handed on once the answer is out.
type Edited = (Vec<QueuedInput>, Option<Arc<Record>>);

impl Session {
    pub(super) fn queue_command(&mut self, command: QueueCommand) {
        let QueueCommand::Edit { edit, reply } = command;
        let done = self.edit_queue(edit);
        self.respond(reply, done);
    }

    /// Edits the queue. The answer is the queue as it is then, or, for messages that were removed, those.
    pub(super) fn edit_queue(&mut self, edit: QueueEdit) -> Result<Edited, Error> {
        match edit {
            QueueEdit::List => Ok((self.unread(), None)),
            QueueEdit::Remove(ids) => self.remove_queued(ids.as_deref()),
            QueueEdit::Update(update) => self.update_queued(*update),
        }
    }

    fn remove_queued(&mut self, ids: Option<&[ItemId]>) -> Result<Edited, Error> {
        if let Some(missing) = ids.into_iter().flatten().find(|id| !self.is_queued(id)) {
            return Err(unknown(missing));
        }
        let is_meant = |input: &QueuedInput| ids.is_none_or(|ids| ids.contains(&input.item_id));
        let removed: Vec<QueuedInput> = self.unread().into_iter().filter(is_meant).collect();
        if removed.is_empty() {
            return Ok((removed, None));
        }
        let record = self.append(None, Event::InputRemoved { inputs: removed.clone() }, None)?;
        self.steers.retain(|input| !is_meant(input));
        self.follow_ups.retain(|input| !is_meant(input));
        Ok((removed, Some(record)))
    }

    fn update_queued(&mut self, update: QueueUpdate) -> Result<Edited, Error> {
        let QueueUpdate { item_id, input, delivery, before, to_end } = update;
        if !self.is_queued(&item_id) {
            return Err(unknown(&item_id));
        }
        if let Some(missing) = before.as_ref().filter(|id| !self.is_queued(id)) {
            return Err(unknown(missing));
        }
        if input.as_deref().is_some_and(is_blank) {
            return Err(Error::new(ErrorKind::Invalid, "the input is empty")
                .hint("queue/remove takes a message out of the queue"));
        }
        let (mut steers, mut follow_ups) = (self.steers.clone(), self.follow_ups.clone());
        let place = |queue: &VecDeque<QueuedInput>, id: &ItemId| {
            queue.iter().position(|input| input.item_id == *id)
        };
        let taken = match (place(&steers, &item_id), place(&follow_ups, &item_id)) {
            (Some(at), _) => steers.remove(at).map(|input| (input, at)),
            (None, Some(at)) => follow_ups.remove(at).map(|input| (input, at)),
            (None, None) => None,
        };
        let Some((mut changed, was_at)) = taken else { return Err(unknown(&item_id)) };
        changed.content = input.unwrap_or(changed.content);
        let moved = delivery.filter(|delivery| *delivery != changed.delivery);
        if let (Some(delivery), Phase::Running(running)) = (moved, &self.phase) {
            changed.delivery = delivery;
            changed.turn_id = match delivery {
                Delivery::Steer => running.turn_id.clone(),
                Delivery::Prompt | Delivery::FollowUp => {
                    pintle_protocol::ids::TurnId::new(self.services.ambient.new_id())
                }
            };
        }
        let queue = match changed.delivery {
            Delivery::Steer => &mut steers,
            Delivery::Prompt | Delivery::FollowUp => &mut follow_ups,
        };
        let at = match before.and_then(|id| place(queue, &id)) {
            Some(at) => at,
            None if to_end || moved.is_some() => queue.len(),
            None => was_at,
        };
        queue.insert(at.min(queue.len()), changed);
        let all: Vec<QueuedInput> = steers.iter().chain(&follow_ups).cloned().collect();
        let record = self.append(None, Event::QueueChanged { queue: all.clone() }, None)?;
        (self.steers, self.follow_ups) = (steers, follow_ups);
        Ok((all, Some(record)))
    }

    fn is_queued(&self, id: &ItemId) -> bool {
        self.steers.iter().chain(&self.follow_ups).any(|input| input.item_id == *id)
    }

    /// The steers to read now.
    pub(super) fn next_steers(&mut self) -> Vec<QueuedInput> {
        match self.settings.steer_mode {
            QueueMode::All => self.steers.drain(..).collect(),
            QueueMode::One => self.steers.pop_front().into_iter().collect(),
        }
    }

    /// The messages that the next turn begins with: those that came too late for the last one, else follow-ups.
    pub(super) fn take_next(&mut self) -> Vec<QueuedInput> {
        if !self.steers.is_empty() {
            return self.next_steers();
        }
        match self.settings.follow_up_mode {
            QueueMode::All => self.follow_ups.drain(..).collect(),
            QueueMode::One => self.follow_ups.pop_front().into_iter().collect(),
        }
    }
}

fn unknown(id: &ItemId) -> Error {
    Error::new(ErrorKind::NotFound, format!("no message {id} waits in the queue"))
        .hint("it was read or handed back; queue/list shows those that wait")
}
