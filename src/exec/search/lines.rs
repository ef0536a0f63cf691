//! Matching the lines of one file.
//!
//! A file is read, never mapped: it may change meanwhile. Text in UTF-16 with a byte order mark is decoded. A file is binary, and has no
//! matches, if its first bytes are not text, as judged by the tool `read`; a later NUL is an ordinary character. The returned text contains
//! no NUL and no terminal escape.

use super::{FirstInOrder, Grep, GrepOutput, Grepped, MatchLine, MatchedFile, PathKey};
use crate::{Error, Lines};
use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use pintle_base::text::sniff;
use pintle_base::text::terminal::Cleaner;
use pintle_base::text::truncate;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum length of a searched line, and of a file when lines are matched together.
const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;

/// The prefix of invalid-pattern messages.
pub const WRONG_PATTERN: &str = "invalid regular expression";

/// The bytes read at once. Most files are shorter, and are then matched in place.
const BUFFER_BYTES: usize = 64 * 1024;

/// A compiled search for lines, which runs on one file after the other. Each thread needs its own clone.
#[derive(Debug, Clone)]
pub struct LineSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    buffer: Vec<u8>,
    wanted: LineLimits,
    unsaved: Arc<BTreeMap<PathBuf, Arc<String>>>,
}

#[derive(Debug, Clone, Copy)]
struct LineLimits {
    lines: bool,
    max_matches: usize,
    max_line_chars: usize,
    /// The lines shown after a match.
    after: u64,
}

impl LineSearch {
    /// Compiles the pattern.
    ///
    /// # Errors
    /// [`Error::Pattern`] reports the position in the pattern.
    pub fn new(grep: &Grep) -> Result<Self, Error> {
        Self::holding(grep, MAX_HELD_BYTES)
    }

    fn holding(grep: &Grep, max_bytes: usize) -> Result<Self, Error> {
        let is_multi_line =
            grep.pattern.contains('\n') || (!grep.is_literal && grep.pattern.contains("\\n"));
        let mut builder = RegexMatcherBuilder::new();
        builder.case_insensitive(grep.ignore_case).fixed_strings(grep.is_literal).multi_line(true);
        if !is_multi_line {
            builder.line_terminator(Some(b'\n'));
        }
        // Without it, `$` would not match before CRLF.
        let has_anchor = !grep.is_literal && grep.pattern.contains('$');
        builder.crlf(has_anchor);
        let matcher =
            builder.build(&grep.pattern).map_err(|error| wrong_pattern(&grep.pattern, &error))?;
        let terminator =
            if has_anchor { LineTerminator::crlf() } else { LineTerminator::byte(b'\n') };
        let shows_lines = grep.output == GrepOutput::Lines;
        let (before, after) = if shows_lines { (grep.before, grep.after) } else { (0, 0) };
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::none())
            .line_terminator(terminator)
            .line_number(grep.output == GrepOutput::Lines)
            .multi_line(is_multi_line)
            .heap_limit(Some(max_bytes))
            .before_context(before)
            .after_context(after)
            .build();
        let wanted = LineLimits {
            lines: grep.output == GrepOutput::Lines,
            max_matches: match grep.output {
                GrepOutput::Lines => grep.max_matches,
                GrepOutput::Files => 1,
                GrepOutput::Counts => usize::MAX,
            },
            max_line_chars: grep.max_line_chars,
            after: after as u64,
        };
        let unsaved = Arc::clone(&grep.unsaved);
        Ok(Self { matcher, searcher, buffer: vec![0; BUFFER_BYTES], wanted, unsaved })
    }

    /// Returns the text that is searched instead of a file, if there is one; the path is canonical.
    pub fn unsaved(&self, path: &Path) -> Option<Arc<String>> {
        self.unsaved.get(path).cloned()
    }

    /// Searches a file's content. A binary file has no matches.
    ///
    /// # Errors
    /// The file cannot be read, or a line exceeds the memory limit.
    pub fn read(&mut self, file: impl Read) -> io::Result<FileLines> {
        self.search(file).map_err(|error| {
            // The searcher's message describes its memory.
            if error.to_string().starts_with("configured allocation limit") {
                let limit = truncate::size(MAX_HELD_BYTES as u64);
                io::Error::other(format!(
                    "it has a line over {limit}, or is that large in a multi-line search: search it with a shell command"
                ))
            } else {
                error
            }
        })
    }

    fn search(&mut self, mut file: impl Read) -> io::Result<FileLines> {
        let mut length = 0;
        while let Some(free) = self.buffer.get_mut(length..).filter(|free| !free.is_empty()) {
            match file.read(free) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let held = self.buffer.get(..length).unwrap_or_default();
        let head = held.get(..Lines::HEAD_BYTES).unwrap_or(held);
        if matches!(sniff::kind(head), sniff::Kind::Binary(_)) {
            return Ok(FileLines::default());
        }
        let mut taker = Taker::new(&self.matcher, self.wanted);
        if length < self.buffer.len() {
            self.searcher.search_slice(&self.matcher, held, &mut taker)?;
            return Ok(taker.found);
        }
        let whole = self.buffer.as_slice().chain(file);
        self.searcher.search_reader(&self.matcher, whole, &mut taker)?;
        Ok(taker.found)
    }
}

/// Explains an invalid pattern. The matcher puts a pattern into a group, and would report a position in that.
fn wrong_pattern(pattern: &str, error: &grep_regex::Error) -> Error {
    let error = match regex_syntax::parse(pattern) {
        Err(error) => error.to_string(),
        Ok(_) => error.to_string(),
    };
    Error::Pattern(format!("{WRONG_PATTERN}: {error}"))
}

/// One file's matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLines {
    /// In order, context included; empty where lines are not wanted.
    pub lines: Vec<MatchLine>,
    /// The number of matching lines, as far as they were counted.
    pub matches: usize,
    /// True if the file has more matches.
    pub has_more: bool,
}

impl FileLines {
    /// Keeps the first matches, up to a number, and the context after the last.
    fn truncate(&mut self, matches: usize, after: u64) {
        let kept = matches.checked_sub(1);
        let last = kept.and_then(|last| self.lines.iter().filter(|line| line.is_match).nth(last));
        match last.map(|line| line.number) {
            None => self.lines.clear(),
            Some(last) => {
                self.lines.retain(|line| line.number <= last + after);
                for line in self.lines.iter_mut().filter(|line| line.number > last) {
                    line.is_match = false;
                }
            }
        }
        self.matches = matches;
    }
}

/// The first matching files, put together from files that come in any order.
#[derive(Debug)]
pub(crate) struct Matched {
    first: FirstInOrder<FileLines>,
    output: GrepOutput,
    max_matches: usize,
    /// The lines shown after a match.
    after: u64,
}

impl Matched {
    pub(crate) fn new(grep: &Grep) -> Self {
        Self {
            first: FirstInOrder::new(grep.max_matches),
            output: grep.output,
            max_matches: grep.max_matches,
            after: grep.after as u64,
        }
    }

    /// Returns the last path that may still matter, once there is more than is wanted.
    pub(crate) fn bound(&self) -> Option<&PathKey> {
        self.first.bound()
    }

    pub(crate) fn add(&mut self, key: PathKey, found: FileLines) {
        let weight = match self.output {
            GrepOutput::Lines => found.matches + usize::from(found.has_more),
            GrepOutput::Files | GrepOutput::Counts => 1,
        };
        if found.matches > 0 {
            self.first.add(key, weight, found);
        }
    }

    /// Returns the answer, with as many matches as are wanted.
    pub(crate) fn finish(self, unsearched: usize) -> Grepped {
        let has_more = self.first.has_more();
        let unsearched = if has_more { 0 } else { unsearched };
        let mut grepped = Grepped { files: Vec::new(), has_more, unsearched, ignored: None };
        let mut left = self.max_matches;
        for (key, mut found) in self.first.into_answers() {
            match self.output {
                GrepOutput::Lines if found.matches > left => found.truncate(left, self.after),
                GrepOutput::Lines | GrepOutput::Files | GrepOutput::Counts => {}
            }
            let is_wanted = left > 0;
            left -= match self.output {
                GrepOutput::Lines => found.matches,
                GrepOutput::Files | GrepOutput::Counts => usize::from(is_wanted),
            };
            if is_wanted {
                let FileLines { lines, matches, .. } = found;
                grepped.files.push(MatchedFile { path: key.into_path(), lines, matches });
            }
        }
        grepped
    }
}

struct Taker<'a> {
    matcher: &'a RegexMatcher,
    wanted: LineLimits,
    /// The line number of the last match that counts.
    last: u64,
    found: FileLines,
}

impl<'a> Taker<'a> {
    fn new(matcher: &'a RegexMatcher, wanted: LineLimits) -> Self {
        Self { matcher, wanted, last: 0, found: FileLines::default() }
    }

    fn line(&mut self, number: u64, bytes: &[u8], is_match: bool) {
        let is_full = self.found.matches == self.wanted.max_matches;
        if is_full && number > self.last + self.wanted.after {
            return;
        }
        let mut cleaner = Cleaner::default();
        let text = cleaner.push(bytes) + cleaner.finish();
        let text = text.trim_end_matches(['\n', '\r']);
        let part = if is_match { self.matcher.find(text.as_bytes()).ok().flatten() } else { None };
        let part = part.map_or(0..0, |part| part.start()..part.end());
        let cut = truncate::around(text, &part, self.wanted.max_line_chars);
        let is_cut = cut.len() != text.len() || cut != text;
        let text = cut.into_owned();
        self.found.lines.push(MatchLine { number, text, is_match, is_cut });
    }
}

impl Sink for &mut Taker<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if !self.wanted.lines {
            self.found.matches += found.lines().count();
            return Ok(self.found.matches < self.wanted.max_matches);
        }
        let first = found.line_number().unwrap_or_default();
        // A match beyond the limit is still shown as context of the last match within it.
        let counts = self.found.matches < self.wanted.max_matches;
        if counts {
            self.found.matches += 1;
        } else {
            self.found.has_more = true;
        }
        for (number, line) in (first..).zip(found.lines()) {
            if counts {
                self.last = number;
            }
            self.line(number, line, counts);
        }
        Ok(counts || first < self.last + self.wanted.after)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.line(context.line_number().unwrap_or_default(), context.bytes(), false);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Endless text, in chunks; counts the reads.
    struct Endless<'a> {
        piece: &'a [u8],
        reads: &'a mut usize,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            *self.reads += 1;
            for (place, byte) in buffer.iter_mut().zip(self.piece.iter().cycle()) {
                *place = *byte;
            }
            Ok(buffer.len())
        }
    }

    fn grep(pattern: &str, output: GrepOutput) -> Grep {
        Grep {
            root: "/".into(),
            named: None,
            left_out: crate::LeftOut::default(),
            pattern: pattern.to_owned(),
            glob: None,
            ignore_case: false,
            is_literal: false,
            before: 0,
            after: 0,
            output,
            max_matches: 3,
            max_line_chars: 500,
            unsaved: Arc::default(),
        }
    }

    #[test]
    fn a_file_is_read_no_further_than_needed() {
        for (name, output, matches) in [
            ("lines up to the limit", GrepOutput::Lines, 3),
            ("one for a file", GrepOutput::Files, 1),
        ] {
            let mut reads = 0;
            let file = Endless { piece: b"a line\n", reads: &mut reads };
            let found = LineSearch::new(&grep("line", output)).unwrap().read(file).unwrap();
            assert_eq!(found.matches, matches, "{name}");
            assert!(reads < 8, "{name}: {reads}");
        }
    }

    #[test]
    fn a_nul_far_behind_the_beginning_makes_no_file_binary() {
        let text = |before: usize, after: usize| {
            let lines = |count| b"a line\n".repeat(count);
            [lines(before), b"\0\n".to_vec(), lines(after)].concat()
        };
        // Name, lines before and behind the NUL, matches.
        for (name, before, after, matches) in [
            ("at the beginning", 2, 2, 0),
            ("at the end of a small file", 1000, 0, 1000),
            ("in the middle of a small file", 1000, 10, 1010),
            ("in a file that is not held whole", 20_000, 5, 20_005),
        ] {
            let mut search = LineSearch::new(&grep("line", GrepOutput::Counts)).unwrap();
            let found = search.read(text(before, after).as_slice()).unwrap();
            assert_eq!(found.matches, matches, "{name}");
        }
    }

    #[test]
    fn a_line_over_the_memory_limit_is_an_error() {
        for (name, pattern, piece) in [
            ("a line without end", "b", &b"aaaaaaaaaaaaaaaa"[..]),
            ("a file without end for matches across lines", "b\\nb", b"aaaaaaaaaaaaaaa\n"),
        ] {
            let mut reads = 0;
            let file = Endless { piece, reads: &mut reads };
            let search = LineSearch::holding(&grep(pattern, GrepOutput::Lines), 1024 * 1024);
            let error = search.unwrap().read(file).unwrap_err().to_string();
            assert!(error.starts_with("it has a line over 64.0MB"), "{name}: {error}");
        }
    }
}
