//! A model's message while it streams: Markdown becomes lines as soon as later text cannot change them. Pure.
//!
//! The open block, such as a list or a code block, is laid out again with each piece; only new lines are returned. A block's lines are
//! complete once it has ended. If later text does change a line after all, the block is repeated from that line on, so nothing is lost.

use super::look::Look;
use crate::cli::layout::Layout;
use pintle_base::text::visible::visible;
use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// A message that streams.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// The source from the open block on.
    source: String,
    /// The open block's lines that were returned.
    printed: Vec<String>,
    /// True if the open block is code, of which whole lines are printed.
    is_in_code: bool,
    /// True if anything was returned, so that a blank line precedes the next block.
    has_begun: bool,
}

/// The part of a block that later text may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// The last line: words may follow, and wrap.
    LastLine,
    /// Nothing of its complete lines: code.
    Nothing,
    /// Everything: a table, whose columns get wider, or markup that is not closed yet.
    All,
}

impl Reply {
    /// Adds text. Returns the lines that are complete.
    pub(super) fn push(&mut self, text: &str, look: Look) -> String {
        self.source.push_str(&visible(text));
        let mut out = String::new();
        if self.is_in_code && !text.contains('\n') {
            return out;
        }
        // An incomplete line may look as if it ended the block, such as a table's next row.
        let complete = self.source.rfind('\n').map_or(0, |end| end + 1);
        let whole = blocks(self.source.get(..complete).unwrap_or_default());
        let is_blank = self.source.get(..complete).is_some_and(|text| text.ends_with("\n\n"));
        let is_ended = |block: &Block| block.ends_at_blank_line && is_blank;
        let count = whole.len() - usize::from(whole.last().is_some_and(|last| !is_ended(last)));
        for block in whole.iter().take(count) {
            let source = self.part(&block.range);
            self.print(&source, None, look, &mut out);
            self.printed.clear();
        }
        let rest = match whole.get(count) {
            Some(open) => open.range.start,
            None if count > 0 => complete,
            None => 0,
        };
        self.source.drain(..rest);
        if let Some(block) = blocks(&self.source).into_iter().next() {
            self.is_in_code = block.open == Open::Nothing;
            let source = self.part(&block.range);
            self.print(&source, Some(block.open), look, &mut out);
        }
        out
    }

    /// Ends the message. Returns the remaining lines.
    pub(super) fn end(mut self, look: Look) -> String {
        let mut out = String::new();
        let ranges: Vec<_> = blocks(&self.source).into_iter().map(|block| block.range).collect();
        for range in ranges {
            let source = self.part(&range);
            self.print(&source, None, look, &mut out);
            self.printed.clear();
        }
        out
    }

    fn part(&self, range: &Range<usize>) -> String {
        self.source.get(range.clone()).unwrap_or_default().to_owned()
    }

    /// Prints a block's new lines: all of them if it has ended, otherwise those that stay.
    fn print(&mut self, source: &str, open: Option<Open>, look: Look, out: &mut String) {
        let mut source = source;
        if open == Some(Open::Nothing) {
            // An incomplete line of code may still be the closing fence.
            source = source.rfind('\n').and_then(|end| source.get(..=end)).unwrap_or_default();
        }
        let page = look.layout().page(source);
        let mut lines: Vec<&str> = page.lines().collect();
        match open {
            Some(Open::All) => lines.clear(),
            Some(Open::LastLine) => drop(lines.pop()),
            Some(Open::Nothing) | None => {}
        }
        let known = self.printed.iter().zip(&lines).take_while(|(a, b)| a == b).count();
        if known < self.printed.len() && open.is_some() {
            // Shorter than before: the block's end will show what has changed.
            return;
        }
        for line in lines.iter().skip(known) {
            if self.printed.is_empty() && self.has_begun {
                out.push('\n');
            }
            self.has_begun = true;
            self.printed.push((*line).to_owned());
            out.push_str(line);
            out.push('\n');
        }
    }
}

/// A top-level block.
struct Block {
    range: Range<usize>,
    open: Open,
    /// True if nothing behind a blank line belongs to it.
    ends_at_blank_line: bool,
}

/// Returns the top-level blocks of a text.
fn blocks(source: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(source, Layout::OPTIONS).into_offset_iter() {
        let (is_start, is_end) = (matches!(event, Event::Start(_)), matches!(event, Event::End(_)));
        if depth == 0 && !is_end {
            let is_closed = source.get(range.clone()).is_some_and(is_balanced);
            let open = match &event {
                Event::Start(Tag::CodeBlock(_)) => Open::Nothing,
                Event::Start(Tag::Paragraph | Tag::List(_) | Tag::BlockQuote(_)) if is_closed => {
                    Open::LastLine
                }
                _ => Open::All,
            };
            let ends_at_blank_line =
                !matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::List(_)));
            found.push(Block { range, open, ends_at_blank_line });
        }
        depth = (depth + usize::from(is_start)).saturating_sub(usize::from(is_end));
    }
    found
}

/// Returns true if no inline markup seems to be open, so that text behind it does not change how it looks.
fn is_balanced(text: &str) -> bool {
    let is_even = |c: char| text.matches(c).count().is_multiple_of(2);
    let is_as_many =
        |open: char, close: char| text.matches(open).count() == text.matches(close).count();
    // The bullets of lists.
    let bullets = text.lines().filter(|line| line.trim_start().starts_with("* ")).count();
    let (strong, all) = (text.matches("**").count(), text.matches('*').count());
    strong.is_multiple_of(2)
        && all.saturating_sub(2 * strong + bullets).is_multiple_of(2)
        && ['`', '_', '~'].into_iter().all(is_even)
        && is_as_many('[', ']')
        && is_as_many('(', ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look { columns: 40, is_styled: false };

    /// Streams a text in pieces of this many characters, and returns the printed lines.
    fn streamed(text: &str, size: usize) -> String {
        let mut reply = Reply::default();
        let chars: Vec<char> = text.chars().collect();
        let mut all = String::new();
        for piece in chars.chunks(size) {
            all += &reply.push(&piece.iter().collect::<String>(), LOOK);
        }
        all + &reply.end(LOOK)
    }

    #[test]
    fn a_message_looks_the_same_in_whatever_pieces_it_comes() {
        for text in [
            "One line.",
            "# Title\n\nA paragraph that is long enough to be wrapped at forty columns, and goes on.\nStill the same.\n\nAnother.",
            "- one\n- two with *emphasis* and `code` that wraps around the end\n  - nested\n- three\n\nafter",
            "```rust\nfn main() {\n\n    1 * 2\n}\n```\nText right after.\n\n    indented\n",
            "| a | b |\n|---|---|\n| one | **two** |\n| 三 | 4 |\n\nend",
            "> quoted text that is long enough for a second line of it\n\n---\n1. first\n2. second\n",
            "Setext\n======\n\ntext 5 * 3 and snake_case and [a](http://x.example) end",
            "- [x] done\n- [ ] open\n\n~~gone~~",
            "An unclosed ```\n fence and *star",
        ] {
            let whole = LOOK.layout().page(text);
            for size in [1, 2, 3, 7, 1000] {
                assert_eq!(streamed(text, size), whole, "{size}: {text}");
            }
        }
    }

    #[test]
    fn lines_are_printed_as_soon_as_they_are_complete() {
        for (text, want) in [
            // The wrapped first line of a paragraph.
            (
                "A paragraph that is long enough to be wrapped, and",
                "A paragraph that is long enough to be\n",
            ),
            ("A paragraph that is **long enough to be wrapped, and", ""),
            ("one\n\ntwo", "one\n"),
            ("```\nfirst\nsec", "first\n"),
            ("- one\n- two", "- one\n"),
            ("| a |\n|---|\n| b |\n", ""),
            ("# Title\n\ntext", "Title\n=====\n"),
        ] {
            let text = text.replace("second", "sec");
            assert_eq!(Reply::default().push(&text, LOOK), want, "{text}");
        }
    }

    #[test]
    fn words_stay_whole_in_a_narrow_terminal() {
        let narrow = Look { columns: 20, is_styled: false };
        let lines = Reply::default().push("one two three four five six\n\n", narrow);
        assert_eq!(lines, "one two three four\nfive six\n");
    }

    #[test]
    fn a_message_obeys_nothing() {
        assert_eq!(streamed("a\u{1b}[2Jb `\u{202e}`", 1), "a␛[2Jb `⟨U+202E⟩`\n");
    }
}
