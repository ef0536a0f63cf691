//! The client edits the messages that wait.

use super::Stage;
use crate::support::render::text_of;
use pintle_protocol::content::Input;
use pintle_protocol::event::Delivery;
use pintle_protocol::ids::ItemId;
use pintle_protocol::methods::{QueueList, QueueRemove, QueueUpdateRequest};
use pintle_protocol::queue::{QueueRemoveParams, QueueUpdate, QueueUpdateParams};
use pintle_protocol::session::SessionParams;

impl Stage {
    /// Edits the queue: `say OLD NEW`, `steer OLD`, `queue OLD`, `first OLD BEFORE`, `last OLD`, `drop OLD`, `clear`.
    pub(super) async fn edit_queue(&mut self, what: &str, step: &str) {
        let queue = self.session.call::<QueueList>(SessionParams::default()).await.unwrap().queue;
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
        let edit = match words.as_slice() {
            ["say", old, new] => {
                Ok(QueueUpdate { input: Some(vec![Input::text(*new)]), ..update(old) })
            }
            ["steer", old] => Ok(QueueUpdate { delivery: Some(Delivery::Steer), ..update(old) }),
            ["queue", old] => Ok(QueueUpdate { delivery: Some(Delivery::FollowUp), ..update(old) }),
            ["first", old, next] => Ok(QueueUpdate { before: Some(id(next)), ..update(old) }),
            ["last", old] => Ok(QueueUpdate { to_end: true, ..update(old) }),
            ["drop", old] => Err(Some(vec![id(old)])),
            _ => Err(None),
        };
        let count = match edit {
            Ok(update) => {
                let params = QueueUpdateParams { session_id: None, update };
                self.session.call::<QueueUpdateRequest>(params).await.map(|done| done.queue.len())
            }
            Err(item_ids) => {
                let params = QueueRemoveParams { session_id: None, item_ids };
                self.session.call::<QueueRemove>(params).await.map(|done| done.removed.len())
            }
        };
        self.note(count.map(|count| format!("{count} messages")), step);
    }
}
