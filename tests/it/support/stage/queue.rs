//! The client edits the messages that wait.

use super::Stage;
use crate::support::render::text_of;
use pintle_agent::{QueueCommand, QueueEdit};
use pintle_protocol::content::Input;
use pintle_protocol::event::Delivery;
use pintle_protocol::ids::ItemId;
use pintle_protocol::queue::QueueUpdate;

impl Stage {
    /// Edits the queue: `say OLD NEW`, `steer OLD`, `queue OLD`, `first OLD BEFORE`, `last OLD`, `drop OLD`, `clear`.
    pub(super) async fn edit_queue(&mut self, what: &str, step: &str) {
        let list = |reply| QueueCommand::Edit { edit: QueueEdit::List, reply };
        let queue = self.session.ask(list).await.unwrap();
        let words: Vec<&str> = what.split(' ').collect();
        let id = |text: &str| {
            let it = queue.iter().find(|input| text_of(&input.content) == format!("{text:?}"));
            it.map_or_else(|| ItemId::new("nobody"), |input| input.item_id.clone())
        };
        let update = |text: &str| QueueUpdate {
            item_id: id(text),
            input: None,
            delivery: None,
            before: None,
            to_end: false,
        };
        let change = |update| QueueEdit::Update(Box::new(update));
        let edit = match words.as_slice() {
            ["say", old, new] => {
                change(QueueUpdate { input: Some(vec![Input::text(*new)]), ..update(old) })
            }
            ["steer", old] => {
                change(QueueUpdate { delivery: Some(Delivery::Steer), ..update(old) })
            }
            ["queue", old] => {
                change(QueueUpdate { delivery: Some(Delivery::FollowUp), ..update(old) })
            }
            ["first", old, next] => change(QueueUpdate { before: Some(id(next)), ..update(old) }),
            ["last", old] => change(QueueUpdate { to_end: true, ..update(old) }),
            ["drop", old] => QueueEdit::Remove(Some(vec![id(old)])),
            _ => QueueEdit::Remove(None),
        };
        let told = self.session.ask(|reply| QueueCommand::Edit { edit, reply }).await;
        self.note(told.map(|queue| format!("{} messages", queue.len())), step);
    }
}
