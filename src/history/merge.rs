//! The part of a fork that the session it was made of does not have, and its place there: pure.
//!
//! Nothing that was copied once is copied again: the way of the fork is laid beside all ways of the other session, and goes on where it
//! leaves the one that it follows longest. So a fork may be merged again and again, also after going back in it.

use super::fork::belongs_to_history;
use super::tree;
use crate::store::Entry;

/// Where a fork's way leaves all ways of another session, and what comes then.
#[derive(Debug)]
pub struct Branch<'a> {
    /// The event of the other session after which it begins; 0 is the beginning.
    pub after: u64,
    /// The entries that are not there yet, in order.
    pub new: Vec<&'a Entry>,
}

/// Finds where the way to the last of a fork's entries leaves those of another session.
pub fn branch<'a>(here: &[Entry], fork: &'a [Entry]) -> Branch<'a> {
    let path = tree::path(fork, fork.last().map_or(0, |entry| entry.seq));
    let on_path = fork.iter().filter(|entry| path.contains(&entry.seq));
    let mut way: Vec<&Entry> = on_path.filter(|entry| belongs_to_history(entry)).collect();
    let (mut after, mut longest) = (0, 0);
    // How many events of the way lead to each entry; none where it lies on another way.
    let mut followed: Vec<Option<usize>> = Vec::with_capacity(here.len());
    for (at, entry) in here.iter().enumerate() {
        let before = match tree::rewound_to(entry) {
            Some(to) if to < entry.seq => here.partition_point(|other| other.seq <= to),
            Some(_) | None => at,
        };
        let count = match before.checked_sub(1) {
            None => Some(0),
            Some(before) => followed.get(before).copied().flatten(),
        };
        let count = count.and_then(|count| {
            if !belongs_to_history(entry) {
                return Some(count);
            }
            way.get(count).filter(|other| is_same(entry, other)).map(|_| count + 1)
        });
        if let Some(count) = count.filter(|count| *count > longest) {
            (after, longest) = (entry.seq, count);
        }
        followed.push(count);
    }
    Branch { after, new: way.split_off(longest) }
}

/// True when one is a copy of the other.
fn is_same(one: &Entry, other: &Entry) -> bool {
    let [one, other] = [one, other].map(|entry| entry.record.as_ref());
    one.zip(other).is_some_and(|(one, other)| {
        one.ts_ms == other.ts_ms && one.turn_id == other.turn_id && one.event == other.event
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::{Event, EventRecord, Notice, NoticeLevel};
    use pintle_protocol::history::{HistoryRewound, LabelChanged};
    use pintle_protocol::ids::SessionId;

    /// Entries from words: `a` is something that was said, `<3` goes back after event 3, `-` is no part of the history.
    fn entries(words: &str) -> Vec<Entry> {
        let entry = |(at, word): (usize, &str)| {
            let seq = at as u64 + 1;
            let (ts_ms, event) = match (word, word.strip_prefix('<')) {
                (_, Some(to)) => {
                    let to_seq = to.parse().unwrap();
                    (
                        seq,
                        Event::HistoryRewound(HistoryRewound {
                            to_seq,
                            ..HistoryRewound::default()
                        }),
                    )
                }
                ("-", None) => (seq, Event::LabelChanged(LabelChanged { seq: 1, label: None })),
                (said, None) => {
                    let (level, code) = (NoticeLevel::Info, said.to_owned());
                    (7, Event::Notice(Notice { level, code, message: String::new(), hint: None }))
                }
            };
            let record =
                EventRecord { session_id: SessionId::new("s"), seq, ts_ms, turn_id: None, event };
            Entry::written(record, "null")
        };
        words.split_whitespace().enumerate().map(entry).collect()
    }

    #[test]
    fn a_fork_goes_on_where_its_way_leaves_the_other_session() {
        let rows = [
            // (what, there, fork, after, new)
            ("nothing new", "- a b c", "- a b c", 4, ""),
            ("on from the end", "- a b", "- a b c d", 3, "c d"),
            ("on from the middle", "- a b c", "- a x", 2, "x"),
            ("the other one went on as well", "- a b - c d", "- a b x y", 3, "x y"),
            ("merged once", "- a b c <2 x y", "- a x y z", 7, "z"),
            ("merged once, and gone elsewhere", "- a b <2 x y <2 q", "- a x y z", 6, "z"),
            ("merged once, gone back in the fork", "- a b <2 x y", "- a x y <3 z", 5, "z"),
            ("gone back to what was copied", "- a b", "- a b x <2 y", 2, "y"),
            ("from the beginning", "- a b", "- x", 0, "x"),
            ("a place that names what comes later", "- a <9 b", "- a b c", 4, "c"),
            ("nothing there", "", "- a", 0, "a"),
            ("an empty fork", "- a", "-", 0, ""),
        ];
        for (what, here, fork, after, new) in rows {
            let (here, fork) = (entries(here), entries(fork));
            let found = branch(&here, &fork);
            let said = |entry: &&Entry| {
                let Event::Notice(notice) = &entry.record.as_ref().unwrap().event else { panic!() };
                notice.code.clone()
            };
            let told = found.new.iter().map(said).collect::<Vec<_>>().join(" ");
            assert_eq!((found.after, told.as_str()), (after, new), "{what}");
        }
    }
}
