//! A request's messages.
//!
//! Each request repeats all messages before it. Requests of one conversation share them in pieces, so that building one late in a long turn
//! costs as little as at its beginning. Invariant: all pieces but the last have the same number of messages, and none is empty.

use super::message::Message;
use std::fmt;
use std::sync::Arc;

/// The number of messages in a piece. A request copies half of one on average, and one pointer to each of the others.
const PIECE: usize = 64;

type Piece = Arc<[Arc<Message>]>;

/// A request's messages, oldest first. A clone shares them.
#[derive(Clone, Default)]
pub struct Messages(Arc<[Piece]>);

impl Messages {
    /// Returns these messages, which usually continue the ones of this request. Both share the pieces in which they agree.
    #[must_use]
    pub fn continued(&self, all: &[Arc<Message>]) -> Self {
        let is_same = |old: &Piece, new: &[Arc<Message>]| {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| Arc::ptr_eq(old, new))
        };
        let pieces = all.chunks(PIECE).enumerate().map(|(at, new)| {
            let known = self.0.get(at).filter(|old| is_same(old, new));
            known.map_or_else(|| new.into(), Arc::clone)
        });
        Self(pieces.collect())
    }

    /// Returns the messages in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Message>> {
        self.0.iter().flat_map(|piece| piece.iter())
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * PIECE + last.len())
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first message.
    pub fn first(&self) -> Option<&Arc<Message>> {
        self.0.first()?.first()
    }

    /// Returns the last message.
    pub fn last(&self) -> Option<&Arc<Message>> {
        self.0.last()?.last()
    }

    /// Returns the messages after the first `count`, in order.
    pub fn skip(&self, count: usize) -> impl Iterator<Item = &Arc<Message>> {
        let pieces = self.0.get(count / PIECE..).unwrap_or_default();
        pieces.iter().flat_map(|piece| piece.iter()).skip(count % PIECE)
    }

    /// Returns true if these messages begin with exactly the others.
    pub fn begin_with(&self, others: &Self) -> bool {
        let Some((last, whole)) = others.0.split_last() else { return true };
        let is_whole = |(at, piece): (usize, &Piece)| {
            self.0.get(at).is_some_and(|own| Arc::ptr_eq(own, piece) || begins(own, piece))
        };
        whole.iter().enumerate().all(is_whole)
            && self.0.get(whole.len()).is_some_and(|own| begins(own, last))
    }

    /// Returns them as a list.
    pub fn to_vec(&self) -> Vec<Arc<Message>> {
        self.0.concat()
    }
}

/// Returns true if the messages begin with exactly the others.
fn begins(messages: &[Arc<Message>], others: &[Arc<Message>]) -> bool {
    messages
        .get(..others.len())
        .is_some_and(|own| own.iter().zip(others).all(|(own, other)| Arc::ptr_eq(own, other)))
}

impl From<Vec<Arc<Message>>> for Messages {
    fn from(messages: Vec<Arc<Message>>) -> Self {
        Self::default().continued(&messages)
    }
}

impl FromIterator<Arc<Message>> for Messages {
    fn from_iter<I: IntoIterator<Item = Arc<Message>>>(messages: I) -> Self {
        Self::from(messages.into_iter().collect::<Vec<_>>())
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::content::Content;

    fn said(text: &impl ToString) -> Arc<Message> {
        Arc::new(Message::User(vec![Content::text(text.to_string())]))
    }

    #[test]
    fn a_request_contains_its_messages_whatever_the_one_before_contained() {
        let all: Vec<_> = (0..=3 * PIECE).map(|number| said(&number)).collect();
        let mut changed = all.clone();
        changed[PIECE + 3] = said(&"changed");
        for (name, before) in [
            ("nothing", &all[..0]),
            ("a part of the first piece", &all[..7]),
            ("a whole piece", &all[..PIECE]),
            ("two pieces and a part", &all[..2 * PIECE + 5]),
            ("the same", &all[..]),
            ("a message that was replaced", &changed[..]),
            ("another conversation", &changed[PIECE..]),
        ] {
            let before = Messages::default().continued(before);
            for count in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 1] {
                let now = before.continued(&all[..count]);
                let is_same = |(a, b): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(a, b);
                assert_eq!(now.len(), count, "{name}, {count}");
                assert_eq!(now.is_empty(), count == 0, "{name}, {count}");
                assert!(now.iter().zip(&all).all(is_same), "{name}, {count}");
                assert_eq!(now.iter().count(), count, "{name}, {count}");
                assert!(now.to_vec().iter().zip(&all).all(is_same), "{name}, {count}");
                let at = |at: usize| all[..count].get(at);
                assert!(now.first().into_iter().zip(at(0)).all(is_same), "{name}, {count}");
                let last = now.last().map(Arc::as_ptr);
                assert_eq!(last, count.checked_sub(1).map(|last| Arc::as_ptr(&all[last])));
                for from in [0, 1, PIECE, PIECE + 2, count, count + 1] {
                    let rest: Vec<_> = now.skip(from).map(Arc::as_ptr).collect();
                    let want = all[..count].iter().skip(from).map(Arc::as_ptr);
                    assert_eq!(rest, want.collect::<Vec<_>>(), "{name}, {count}, after {from}");
                }
            }
        }
    }

    #[test]
    fn the_beginning_counts_message_by_message() {
        let all: Vec<_> = (0..2 * PIECE + 9).map(|number| said(&number)).collect();
        let (mut first, mut last) = (all.clone(), all.clone());
        first[0] = said(&"other");
        last[2 * PIECE + 8] = said(&"other");
        let of = |messages: &[Arc<Message>]| Messages::default().continued(messages);
        for (name, now, before, want) in [
            ("nothing before", &all[..], &all[..0], true),
            ("the same", &all[..], &all[..], true),
            ("less than a piece", &all[..], &all[..5], true),
            ("whole pieces", &all[..], &all[..2 * PIECE], true),
            ("less than before", &all[..PIECE], &all[..=PIECE], false),
            ("nothing now", &all[..0], &all[..1], false),
            ("the first one differs", &all[..], &first[..], false),
            ("the last one differs", &all[..], &last[..], false),
            ("the last one is not there yet", &all[..], &last[..2 * PIECE + 8], true),
        ] {
            assert_eq!(of(now).begin_with(&of(before)), want, "{name}");
            let before = of(before);
            assert_eq!(
                before.continued(now).begin_with(&before),
                want,
                "{name}, with shared pieces"
            );
        }
    }

    #[test]
    fn requests_share_the_messages_of_the_conversation_in_pieces() {
        let all: Vec<_> = (0..2 * PIECE + 9).map(|number| said(&number)).collect();
        let before = Messages::default().continued(&all[..2 * PIECE + 3]);
        let now = before.continued(&all);
        let shared = |at: usize| Arc::ptr_eq(&before.0[at], &now.0[at]);
        assert_eq!([0, 1, 2].map(shared), [true, true, false]);
    }
}
