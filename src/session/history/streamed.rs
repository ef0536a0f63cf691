//! Streamed text of an item, for clients that show it while it grows. Pure.

use pintle_protocol::event::ItemDelta;

/// Deltas received so far for a text. Slow clients miss some; the completed item has the full text.
#[derive(Debug, Clone, Default)]
pub struct Streamed {
    /// The next delta's number.
    next: u64,
    has_gap: bool,
    /// The text's length before the gap, if there is one.
    bytes: usize,
}

impl Streamed {
    /// Takes a piece and returns its text, unless it is a repetition.
    pub fn take<'a>(&mut self, piece: &'a ItemDelta) -> Option<&'a str> {
        let last = piece.to.unwrap_or(piece.n);
        if last < self.next {
            return None;
        }
        self.has_gap |= piece.n != self.next;
        self.next = last + 1;
        if !self.has_gap {
            self.bytes += piece.text.len();
        }
        Some(&piece.text)
    }

    /// Takes a piece and returns its text, unless it is a repetition or an earlier piece is missing.
    pub fn take_next<'a>(&mut self, piece: &'a ItemDelta) -> Option<&'a str> {
        self.take(piece).filter(|_| !self.has_gap)
    }

    /// Returns true if text was received and no piece is missing.
    pub fn is_whole(&self) -> bool {
        !self.has_gap && self.bytes > 0
    }

    /// Returns the part of the full text after the deltas that [`Self::take_next`] returned.
    pub fn rest<'a>(&self, whole: &'a str) -> &'a str {
        whole.get(self.bytes..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::DeltaField;
    use pintle_protocol::ids::ItemId;

    #[test]
    fn the_pieces_and_the_rest_are_the_whole_whatever_was_dropped() {
        const PIECES: [&str; 4] = ["one ", "two ", "three ", "four"];
        for (name, numbers, want) in [
            ("all", vec![(0, 0), (1, 1), (2, 2), (3, 3)], PIECES.concat()),
            ("none", vec![], String::new()),
            ("without the first", vec![(1, 1), (2, 2)], String::new()),
            ("without one in the middle", vec![(0, 0), (2, 2), (3, 3)], "one ".to_owned()),
            ("merged", vec![(0, 1), (2, 3)], PIECES.concat()),
            ("again", vec![(0, 0), (0, 0), (1, 1)], "one two ".to_owned()),
        ] {
            let mut streamed = Streamed::default();
            let mut text = String::new();
            for (n, to) in numbers {
                let range = usize::try_from(n).unwrap()..=usize::try_from(to).unwrap();
                let piece = ItemDelta {
                    item_id: ItemId::new("i"),
                    field: DeltaField::Text,
                    path: None,
                    n,
                    to: (to > n).then_some(to),
                    text: PIECES[range].concat(),
                };
                text.push_str(streamed.take_next(&piece).unwrap_or_default());
            }
            assert_eq!(text, want, "{name}");
            let rest = streamed.rest("one two three four");
            assert_eq!(format!("{text}{rest}"), "one two three four", "{name}");
        }
    }
}
