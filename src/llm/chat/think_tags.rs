//! Reasoning between `<think>` and `</think>` in the text of a reply, as servers without a reasoning parser send it.
//!
//! Only a tag that opens a text counts, so that an answer may speak of the tag. White space around reasoning is dropped, and
//! reasoning that is nothing else. Pure, and linear in the length of the text: at most [`MAX_HELD`] bytes wait for the next piece.

use super::decode::Kind;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The maximum size of the white space before a tag, the tag included.
const MAX_HELD: usize = 64;

/// The state of one text.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    place: Place,
    /// The end of the text so far, which may be part of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first letter: a tag may follow.
    #[default]
    Start,
    /// Behind the opening tag, before the first letter.
    Opened,
    Reasoning,
    /// Behind the closing tag, before the first letter.
    Closed,
    Text,
}

impl ThinkTags {
    /// Takes the next piece of the text and hands out what is certain of it.
    pub(super) fn push(&mut self, piece: String, mut out: impl FnMut(Kind, String)) {
        let mut rest =
            if self.held.is_empty() { piece } else { std::mem::take(&mut self.held) + &piece };
        loop {
            match self.place {
                Place::Text => break out_text(Kind::Text, rest, &mut out),
                Place::Start => {
                    let begun = rest.trim_start();
                    if let Some(inside) = begun.strip_prefix(OPEN) {
                        self.place = Place::Opened;
                        rest = inside.to_owned();
                    } else if OPEN.starts_with(begun) && rest.len() <= MAX_HELD {
                        break self.held = rest;
                    } else {
                        self.place = Place::Text;
                    }
                }
                Place::Opened | Place::Closed => {
                    let begun = rest.trim_start();
                    if begun.is_empty() {
                        break;
                    }
                    if begun.len() < rest.len() {
                        rest = begun.to_owned();
                    }
                    self.place = match self.place {
                        Place::Opened => Place::Reasoning,
                        Place::Start | Place::Reasoning | Place::Closed | Place::Text => {
                            Place::Text
                        }
                    };
                }
                Place::Reasoning => {
                    if let Some((inside, behind)) = rest.split_once(CLOSE) {
                        let inside = inside.trim_end().to_owned();
                        rest = behind.to_owned();
                        out_text(Kind::Reasoning, inside, &mut out);
                        self.place = Place::Closed;
                    } else {
                        self.held = rest.split_off(certain(&rest));
                        break out_text(Kind::Reasoning, rest, &mut out);
                    }
                }
            }
        }
    }

    /// Hands out what waits for a next piece that will not come, and begins anew.
    pub(super) fn end(&mut self, out: impl FnOnce(Kind, String)) {
        let Self { place, held } = std::mem::take(self);
        let kind = match place {
            Place::Reasoning => Kind::Reasoning,
            Place::Start | Place::Opened | Place::Closed | Place::Text => Kind::Text,
        };
        // White space before a tag that did not come says nothing.
        if !held.trim().is_empty() {
            out(kind, held);
        }
    }
}

fn out_text(kind: Kind, text: String, out: &mut impl FnMut(Kind, String)) {
    if !text.is_empty() {
        out(kind, text);
    }
}

/// The length of the text before what may be the start of the closing tag, with white space before it.
fn certain(text: &str) -> usize {
    let starts = (1..CLOSE.len()).rev().filter_map(|length| CLOSE.get(..length));
    let before = starts.filter_map(|start| text.strip_suffix(start)).next().unwrap_or(text);
    let trimmed = before.trim_end().len();
    if text.len() - trimmed <= MAX_HELD { trimmed } else { before.len() }
}
