//! Finds the events that a fork has and its parent session lacks, and their position there. Pure.
//!
//! Nothing is copied twice: the fork's path is compared with all branches of the other session, and the new part starts where it leaves the
//! branch with the longest common path. So a fork may be merged repeatedly, also after a rewind in it.

use super::fork::{belongs_to_history, is_copy};
use super::tree;
use crate::store::Entry;

/// The point at which a fork's path leaves all branches of another session, and the entries that follow.
#[derive(Debug)]
pub struct Branch<'a> {
    /// The event of the other session after which the branch starts; 0 is the session's start.
    pub after: u64,
    /// The entries that the other session lacks, in order.
    pub new: Vec<&'a Entry>,
}

/// Finds the point at which the path to a fork's last entry leaves the branches of another session.
pub fn branch<'a>(parent: &[Entry], fork: &'a [Entry]) -> Branch<'a> {
    let path = tree::path(fork, fork.last().map_or(0, |entry| entry.seq));
    let on_path = fork.iter().filter(|entry| path.contains(&entry.seq));
    let mut history: Vec<&Entry> = on_path.filter(|entry| belongs_to_history(entry)).collect();
    let (mut after, mut longest) = (0, 0);
    // How many of the path's events lead to each entry; `None` for an entry on another branch.
    let mut followed: Vec<Option<usize>> = Vec::with_capacity(parent.len());
    for (at, entry) in parent.iter().enumerate() {
        let before = match tree::rewound_to(entry) {
            Some(to) if to < entry.seq => parent.partition_point(|other| other.seq <= to),
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
            history.get(count).filter(|other| is_same(entry, other)).map(|_| count + 1)
        });
        if let Some(count) = count.filter(|count| *count > longest) {
            (after, longest) = (entry.seq, count);
        }
        followed.push(count);
    }
    Branch { after, new: history.split_off(longest) }
}

/// Returns true if one is a copy of the other.
fn is_same(a: &Entry, b: &Entry) -> bool {
    let [a, b] = [a, b].map(|entry| entry.record.as_ref());
    a.zip(b).is_some_and(|(a, b)| {
        a.ts_ms == b.ts_ms && a.turn_id == b.turn_id && is_copy(&a.event, &b.event)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::{Event, EventRecord, Notice, NoticeLevel};
    use pintle_protocol::history::{HistoryRewound, LabelChanged};
    use pintle_protocol::ids::SessionId;

    /// Builds entries from words: `a` is a message, `<3` rewinds to event 3, `-` is not part of the history.
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
                ("-", None) => {
                    (seq, Event::LabelChanged(LabelChanged { seq: 1, label: None, metadata: None }))
                }
                (said, None) => {
                    let (level, code) = (NoticeLevel::Info, said.to_owned());
                    (7, Event::Notice(Notice { level, code, message: String::new(), hint: None }))
                }
            };
            let record = EventRecord {
                session_id: SessionId::new("s"),
                seq,
                ts_ms,
                turn_id: None,
                cause: None,
                event,
            };
            Entry::written(record)
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
