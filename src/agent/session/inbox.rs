//! Messages that the model has not read, and notes that wait for the running turn to end. Pure.
//!
//! Messages that an earlier engine accepted but never processed are held: they start nothing by themselves, and are read with the next
//! prompt.
//!
//! Invariant: a message leaves only by being read or by being returned, complete.

use crate::command::Note;
use crate::error::{Action, Error, ErrorKind};
use crate::turn::inputs::is_blank;
use pintle_protocol::event::{Cause, Delivery, QueuedInput};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::queue::{QueueMode, QueueUpdate};
use std::collections::VecDeque;

/// The messages and notes that wait to get into the conversation.
#[derive(Debug)]
pub(super) struct Inbox {
    queue: Queue,
    /// The number of steers that are read at once.
    pub(super) steer_mode: QueueMode,
    /// How many follow-ups a turn starts with.
    pub(super) follow_up_mode: QueueMode,
    /// Notes, in order, each with the cause that it is recorded with.
    pub(super) notes: Vec<(Note, Option<Cause>)>,
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            queue: Queue::default(),
            steer_mode: QueueMode::All,
            follow_up_mode: QueueMode::One,
            notes: Vec::new(),
        }
    }
}

/// Messages in the order in which they are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue {
    /// Messages for the next prompt.
    held: VecDeque<QueuedInput>,
    /// Messages for the running turn.
    steers: VecDeque<QueuedInput>,
    /// Messages that start separate turns.
    follow_ups: VecDeque<QueuedInput>,
}

impl Queue {
    /// Returns all messages: the held ones, those for the running turn, then those for separate turns.
    pub(super) fn all(&self) -> Vec<QueuedInput> {
        self.lists().into_iter().flatten().cloned().collect()
    }

    fn lists(&self) -> [&VecDeque<QueuedInput>; 3] {
        [&self.held, &self.steers, &self.follow_ups]
    }

    fn lists_mut(&mut self) -> [&mut VecDeque<QueuedInput>; 3] {
        [&mut self.held, &mut self.steers, &mut self.follow_ups]
    }

    fn has(&self, id: &ItemId) -> bool {
        self.lists().into_iter().flatten().any(|input| input.item_id == *id)
    }

    fn list_for(&mut self, delivery: Delivery) -> &mut VecDeque<QueuedInput> {
        match delivery {
            Delivery::Steer => &mut self.steers,
            Delivery::Prompt | Delivery::FollowUp => &mut self.follow_ups,
        }
    }
}

impl Inbox {
    /// Returns an inbox with these messages held for the next prompt.
    pub(super) fn holding(held: Vec<QueuedInput>) -> Self {
        let queue = Queue { held: held.into(), ..Queue::default() };
        Self { queue, ..Self::default() }
    }

    /// Keeps a message for the next prompt.
    pub(super) fn hold(&mut self, input: QueuedInput) {
        self.queue.held.push_back(input);
    }

    /// Takes the messages that are held for the next prompt, which has come.
    pub(super) fn take_held(&mut self) -> Vec<QueuedInput> {
        std::mem::take(&mut self.queue.held).into()
    }

    /// Returns the messages that the model has not read.
    pub(super) fn unread(&self) -> Vec<QueuedInput> {
        self.queue.all()
    }

    /// Appends a message to its queue.
    pub(super) fn push(&mut self, input: QueuedInput) {
        self.queue.list_for(input.delivery).push_back(input);
    }

    /// Takes the steers to read now.
    pub(super) fn take_steers(&mut self) -> Vec<QueuedInput> {
        take(&mut self.queue.steers, self.steer_mode)
    }

    /// Takes the messages that start the next turn: steers that came too late for the last one, else follow-ups.
    pub(super) fn take_next(&mut self) -> Vec<QueuedInput> {
        if self.queue.steers.is_empty() {
            take(&mut self.queue.follow_ups, self.follow_up_mode)
        } else {
            self.take_steers()
        }
    }

    /// Takes the messages that wait for the turn to read or to end, to hand them back.
    pub(super) fn take_all(&mut self) -> Vec<QueuedInput> {
        let Queue { steers, follow_ups, .. } = &mut self.queue;
        steers.drain(..).chain(follow_ups.drain(..)).collect()
    }

    /// Returns the messages with these ids, or all of them.
    ///
    /// # Errors
    /// One of the ids is not in the queue.
    pub(super) fn find(&self, ids: Option<&[ItemId]>) -> Result<Vec<QueuedInput>, Error> {
        if let Some(missing) = ids.into_iter().flatten().find(|id| !self.queue.has(id)) {
            return Err(unknown(missing));
        }
        let mut found = self.queue.all();
        found.retain(|input| ids.is_none_or(|ids| ids.contains(&input.item_id)));
        Ok(found)
    }

    /// Removes messages.
    pub(super) fn remove(&mut self, inputs: &[QueuedInput]) {
        let is_removed =
            |input: &QueuedInput| inputs.iter().any(|other| other.item_id == input.item_id);
        for list in self.queue.lists_mut() {
            list.retain(|input| !is_removed(input));
        }
    }

    /// Returns the queue with a message changed or moved; [`Self::replace`] installs it. `running` is the running turn, and `new_turn` the
    /// turn for a message that gets a separate one.
    ///
    /// # Errors
    /// A message is not in the queue, or its new text is empty.
    pub(super) fn updated(
        &self,
        update: QueueUpdate,
        running: Option<&TurnId>,
        new_turn: impl FnOnce() -> TurnId,
    ) -> Result<Queue, Error> {
        let QueueUpdate { item_id, input, delivery, before, to_end } = update;
        if !self.queue.has(&item_id) {
            return Err(unknown(&item_id));
        }
        if let Some(missing) = before.as_ref().filter(|id| !self.queue.has(id)) {
            return Err(unknown(missing));
        }
        if delivery == Some(Delivery::Prompt) {
            let wrong = Error::new(ErrorKind::Invalid, "a queued message cannot become a prompt");
            return Err(wrong.hint("choose `steer` or `followUp`").at("/delivery"));
        }
        if to_end && before.is_some() {
            let both = Error::new(ErrorKind::Invalid, "`before` and `toEnd` exclude each other");
            return Err(both.hint("omit one of them").at("/toEnd"));
        }
        if input.as_deref().is_some_and(is_blank) {
            let empty = Error::new(ErrorKind::Invalid, "the input is empty");
            return Err(empty.hint(Action::RemoveQueued).at("/input"));
        }
        let mut queue = self.queue.clone();
        let taken = queue.lists_mut().into_iter().enumerate().find_map(|(list, queue)| {
            let at = place(queue, &item_id)?;
            Some((queue.remove(at)?, at, list))
        });
        let Some((mut changed, was_at, list)) = taken else { return Err(unknown(&item_id)) };
        changed.content = input.unwrap_or(changed.content);
        let moved = delivery.filter(|delivery| *delivery != changed.delivery);
        if let (Some(delivery), Some(running)) = (moved, running) {
            changed.delivery = delivery;
            changed.turn_id = match delivery {
                Delivery::Steer => running.clone(),
                Delivery::Prompt | Delivery::FollowUp => new_turn(),
            };
        }
        let stays = queue.lists_mut().into_iter().nth(list).filter(|_| moved.is_none());
        let into = match stays {
            Some(list) => list,
            None => queue.list_for(changed.delivery),
        };
        let at = match before.and_then(|id| place(into, &id)) {
            Some(at) => at,
            None if to_end || moved.is_some() => into.len(),
            None => was_at,
        };
        into.insert(at.min(into.len()), changed);
        Ok(queue)
    }

    /// Returns the queue with its messages for separate turns in this order. Unlisted messages follow the listed ones; ids of messages read
    /// meanwhile are ignored.
    pub(super) fn ordered(&self, ids: &[ItemId]) -> Queue {
        let mut queue = self.queue.clone();
        let rank = |input: &QueuedInput| place_in(ids, &input.item_id);
        queue.follow_ups.make_contiguous().sort_by_key(rank);
        queue
    }

    /// Takes over a queue that [`Self::updated`] or [`Self::ordered`] returned.
    pub(super) fn replace(&mut self, queue: Queue) {
        self.queue = queue;
    }
}

fn take(queue: &mut VecDeque<QueuedInput>, mode: QueueMode) -> Vec<QueuedInput> {
    match mode {
        QueueMode::All => queue.drain(..).collect(),
        QueueMode::One => queue.pop_front().into_iter().collect(),
    }
}

fn place(queue: &VecDeque<QueuedInput>, id: &ItemId) -> Option<usize> {
    queue.iter().position(|input| input.item_id == *id)
}

fn place_in(ids: &[ItemId], id: &ItemId) -> usize {
    ids.iter().position(|named| named == id).unwrap_or(ids.len())
}

fn unknown(id: &ItemId) -> Error {
    Error::new(ErrorKind::NotFound, format!("message {id} is not in the queue"))
        .hint(Action::ListQueue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::content::Input;

    /// Builds an inbox from words: `s1` is a steer with the id 1, `f2` a follow-up with the id 2.
    fn inbox(words: &str) -> Inbox {
        let mut inbox = Inbox::default();
        for word in words.split_whitespace() {
            let (kind, id) = word.split_at(1);
            let delivery = if kind == "s" { Delivery::Steer } else { Delivery::FollowUp };
            inbox.push(QueuedInput {
                item_id: ItemId::new(id),
                turn_id: TurnId::new("t"),
                delivery,
                content: vec![Input::text("x")],
                limits: None,
                output_schema: None,
            });
        }
        inbox
    }

    fn summarize(inputs: &[QueuedInput]) -> String {
        let word = |input: &QueuedInput| {
            let kind = if input.delivery == Delivery::Steer { 's' } else { 'f' };
            format!("{kind}{}", input.item_id)
        };
        inputs.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn steers_are_read_before_follow_ups_and_as_many_as_the_mode_says() {
        for (waiting, steer_mode, follow_up_mode, next, left) in [
            ("", QueueMode::All, QueueMode::One, "", ""),
            ("f1 f2", QueueMode::All, QueueMode::One, "f1", "f2"),
            ("f1 f2", QueueMode::All, QueueMode::All, "f1 f2", ""),
            ("f1 s2 s3", QueueMode::All, QueueMode::One, "s2 s3", "f1"),
            ("f1 s2 s3", QueueMode::One, QueueMode::One, "s2", "s3 f1"),
        ] {
            let mut inbox = Inbox { steer_mode, follow_up_mode, ..inbox(waiting) };
            let got = summarize(&inbox.take_next());
            assert_eq!(
                (got.as_str(), summarize(&inbox.unread()).as_str()),
                (next, left),
                "{waiting}"
            );
        }
    }

    #[test]
    fn a_message_is_moved_within_and_between_the_queues() {
        let running = TurnId::new("running");
        let update = |id: &str| QueueUpdate {
            item_id: ItemId::new(id),
            input: None,
            delivery: None,
            before: None,
            to_end: false,
        };
        let before = |id: &str| Some(ItemId::new(id));
        let rows = [
            ("unchanged", "f1 f2", update("1"), Some(&running), Ok("f1 f2")),
            ("to the end", "f1 f2", QueueUpdate { to_end: true, ..update("1") }, None, Ok("f2 f1")),
            (
                "before",
                "f1 f2 f3",
                QueueUpdate { before: before("1"), ..update("3") },
                None,
                Ok("f3 f1 f2"),
            ),
            (
                "to the running turn",
                "s1 f2",
                QueueUpdate { delivery: Some(Delivery::Steer), ..update("2") },
                Some(&running),
                Ok("s1 s2"),
            ),
            (
                "no turn runs",
                "f1 f2",
                QueueUpdate { delivery: Some(Delivery::Steer), ..update("2") },
                None,
                Ok("f1 f2"),
            ),
            ("unknown", "f1", update("9"), None, Err("message 9 is not in the queue")),
            (
                "before an unknown one",
                "f1",
                QueueUpdate { before: before("9"), ..update("1") },
                None,
                Err("message 9 is not in the queue"),
            ),
            (
                "empty",
                "f1",
                QueueUpdate { input: Some(vec![Input::text(" ")]), ..update("1") },
                None,
                Err("the input is empty"),
            ),
        ];
        for (name, waiting, update, running, want) in rows {
            let got = inbox(waiting).updated(update, running, || TurnId::new("new"));
            let got = got.map(|queue| summarize(&queue.all())).map_err(|error| error.message);
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{name}");
        }
    }

    #[test]
    fn an_order_moves_messages_for_turns_of_their_own_alone() {
        for (before, ids, after) in [
            ("s1 f2 f3 f4", "4 2 3", "s1 f4 f2 f3"),
            ("s1 f2 f3 f4", "4", "s1 f4 f2 f3"),
            ("s1 f2 f3", "3 1 9 2", "s1 f3 f2"),
            ("s1 f2", "", "s1 f2"),
        ] {
            let inbox = inbox(before);
            let ids: Vec<ItemId> = ids.split_whitespace().map(ItemId::new).collect();
            assert_eq!(summarize(&inbox.ordered(&ids).all()), after, "{before} by {ids:?}");
        }
    }

    #[test]
    fn all_ids_must_be_known_before_any_message_is_removed() {
        let mut inbox = inbox("s1 f2 f3");
        let ids = |ids: &[&str]| ids.iter().map(|id| ItemId::new(*id)).collect::<Vec<_>>();
        assert!(inbox.find(Some(&ids(&["2", "9"]))).is_err());
        let found = inbox.find(Some(&ids(&["1", "3"]))).unwrap();
        inbox.remove(&found);
        assert_eq!(
            (summarize(&found).as_str(), summarize(&inbox.unread()).as_str()),
            ("s1 f3", "f2")
        );
        assert_eq!(summarize(&inbox.find(None).unwrap()), "f2");
    }
}
