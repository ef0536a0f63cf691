//! Merges adjacent deltas while the client is slow.

use pintle_agent::{Feed, Transient};
use pintle_protocol::event::{ItemDelta, TransientEvent};
use pintle_protocol::ids::SessionId;

/// Merges adjacent deltas of the same field of the same item; those of other sessions in between do not count. A call's arguments are sent twice, raw and as the texts in them; deltas of
/// one do not separate those of the other.
pub(super) fn merge_deltas(batch: &mut Vec<Feed>) {
    if batch.len() < 2 {
        return;
    }
    let mut merged: Vec<Feed> = Vec::with_capacity(batch.len());
    for feed in batch.drain(..) {
        let Feed::Transient(record) = &feed else {
            merged.push(feed);
            continue;
        };
        let TransientEvent::ItemDelta(more) = &record.value.event else {
            merged.push(feed);
            continue;
        };
        let session = &record.value.session_id;
        match position_to_join(&merged, session, more) {
            Some(position) => join(&mut merged, position, &feed),
            None => merged.push(feed),
        }
    }
    *batch = merged;
}

/// Finds the preceding delta: the last one for its field among its item's last deltas.
fn position_to_join(merged: &[Feed], session: &SessionId, more: &ItemDelta) -> Option<usize> {
    for (position, feed) in merged.iter().enumerate().rev() {
        let Feed::Transient(record) = feed else { return None };
        let TransientEvent::ItemDelta(so_far) = &record.value.event else { return None };
        if record.value.session_id != *session {
            continue;
        }
        if so_far.item_id != more.item_id {
            return None;
        }
        if so_far.field == more.field {
            let continues = so_far.to.unwrap_or(so_far.n) + 1 == more.n && so_far.path == more.path;
            return continues.then_some(position);
        }
    }
    None
}

fn join(merged: &mut [Feed], position: usize, next: &Feed) {
    if let (Some(Feed::Transient(last)), Feed::Transient(next)) = (merged.get_mut(position), next) {
        let (last, next) = (Transient::change(last), &next.value);
        last.after = next.after;
        if let (TransientEvent::ItemDelta(so_far), TransientEvent::ItemDelta(more)) =
            (&mut last.event, &next.event)
        {
            so_far.text.push_str(&more.text);
            so_far.to = Some(more.to.unwrap_or(more.n));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::{DeltaField, TransientRecord};
    use pintle_protocol::ids::ItemId;
    use std::sync::Arc;

    fn delta(session: &str, item: &str, field: DeltaField, n: u64) -> Feed {
        Feed::Transient(Arc::new(Transient::new(TransientRecord {
            session_id: SessionId::new(session),
            after: n,
            turn_id: None,
            event: TransientEvent::ItemDelta(ItemDelta {
                item_id: ItemId::new(item),
                field,
                path: (field == DeltaField::Input).then(|| "/content".to_owned()),
                n,
                to: None,
                text: format!("{n} "),
            }),
        })))
    }

    #[test]
    fn only_neighbours_of_one_field_are_joined() {
        use DeltaField::{Args, Input, Text};
        let mut batch = vec![
            delta("s", "i", Text, 0),
            delta("s", "i", Text, 1),
            delta("s", "i", Text, 2),
            delta("s", "i", Args, 3),
            delta("s", "j", Args, 4),
            delta("t", "j", Args, 5),
            delta("s", "j", Args, 5),
            delta("t", "j", Args, 7),
            Feed::Lagged { session_id: SessionId::new("t"), last_sent_seq: 1, head_seq: 2 },
            delta("t", "j", Args, 8),
            delta("t", "j", Input, 0),
            delta("t", "j", Args, 9),
            delta("t", "j", Input, 1),
            delta("t", "k", Input, 2),
        ];
        merge_deltas(&mut batch);
        let shown: Vec<String> = batch
            .iter()
            .map(|feed| match feed {
                Feed::Transient(record) => match &record.value.event {
                    TransientEvent::ItemDelta(d) => format!("{}-{:?} {}", d.n, d.to, d.text.trim()),
                    _ => String::new(),
                },
                Feed::Durable(_)
                | Feed::Questions(_)
                | Feed::Held(..)
                | Feed::Lagged { .. }
                | Feed::Call(_)
                | Feed::CallWithdrawn(_) => "lagged".to_owned(),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "0-Some(2) 0 1 2",
                "3-None 3",
                "4-Some(5) 4 5",
                "5-None 5",
                "7-None 7",
                "lagged",
                "8-Some(9) 8 9",
                "0-Some(1) 0 1",
                "2-None 2"
            ]
        );
    }
}
