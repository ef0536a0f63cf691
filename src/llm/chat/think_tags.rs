//! Reasoning between `<think>` and `</think>` in a reply's text, as sent by servers without a reasoning parser.
//!
//! Only a tag that opens a text counts, so that an answer may mention the tag. White space around reasoning is dropped, as is reasoning
//! that contains nothing else. Pure, and linear in the text's length: at most [`MAX_HELD`] bytes wait for the next piece.

use super::decode::Kind;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Maximum size of the white space before a tag, including the tag.
const MAX_HELD: usize = 64;

/// The state of one text.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    place: Place,
    /// End of the text so far, which may be part of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first letter: a tag may follow.
    #[default]
    Start,
    /// After the opening tag, before the first letter.
    Opened,
    Reasoning,
    /// After the closing tag, before the first letter.
    Closed,
    Text,
}

impl ThinkTags {
    /// Takes the text's next piece and emits the part that is certain.
    pub(super) fn push(&mut self, piece: String, mut out: impl FnMut(Kind, String)) {
        if self.place == Place::Text {
            return out(Kind::Text, piece);
        }
        let whole = std::mem::take(&mut self.held) + &piece;
        let mut rest = whole.as_str();
        let mut hand_out = |kind, text: &str| {
            if !text.is_empty() {
                out(kind, text.to_owned());
            }
        };
        loop {
            match self.place {
                Place::Text => return hand_out(Kind::Text, rest),
                Place::Start => {
                    let begun = rest.trim_start();
                    if let Some(inside) = begun.strip_prefix(OPEN) {
                        self.place = Place::Opened;
                        rest = inside;
                    } else if OPEN.starts_with(begun) && rest.len() <= MAX_HELD {
                        rest.clone_into(&mut self.held);
                        return;
                    } else {
                        self.place = Place::Text;
                    }
                }
                Place::Opened | Place::Closed => {
                    rest = rest.trim_start();
                    if rest.is_empty() {
                        return;
                    }
                    let is_opened = self.place == Place::Opened;
                    self.place = if is_opened { Place::Reasoning } else { Place::Text };
                }
                Place::Reasoning => {
                    if let Some((inside, behind)) = rest.split_once(CLOSE) {
                        hand_out(Kind::Reasoning, inside.trim_end());
                        rest = behind;
                        self.place = Place::Closed;
                    } else {
                        let (certain, held) = rest.split_at(certain(rest));
                        held.clone_into(&mut self.held);
                        return hand_out(Kind::Reasoning, certain);
                    }
                }
            }
        }
    }

    /// Emits the pending text, since no next piece will come, and resets the state.
    pub(super) fn end(&mut self, out: impl FnOnce(Kind, String)) {
        let Self { place, held } = std::mem::take(self);
        let kind = match place {
            Place::Reasoning => Kind::Reasoning,
            Place::Start | Place::Opened | Place::Closed | Place::Text => Kind::Text,
        };
        // White space before a missing tag carries no content.
        if !held.trim().is_empty() {
            out(kind, held);
        }
    }
}

/// Returns the length of the text before a possible start of the closing tag, with white space before it.
fn certain(text: &str) -> usize {
    let mut starts = (1..CLOSE.len()).rev().filter_map(|length| CLOSE.get(..length));
    let before = starts.find_map(|start| text.strip_suffix(start)).unwrap_or(text);
    let trimmed = before.trim_end().len();
    if text.len() - trimmed <= MAX_HELD { trimmed } else { before.len() }
}
