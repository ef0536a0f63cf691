//! Finding files and lines: the questions, the answers, and the matching that every environment shares.
//!
//! Answers come in path order and line order, so the same question always gets the same answer.

use crate::exec::Error;
use crate::text::truncate;
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use std::io;
use std::path::Path;
use std::path::PathBuf;

/// A search for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// Where to begin.
    pub root: PathBuf,
    /// A glob; without `/` it is matched with names at any depth, with one against the path below the root.
    pub glob: String,
    /// At most so many paths.
    pub max_paths: usize,
}

/// Paths that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// In path order.
    pub paths: Vec<FoundPath>,
    /// There are more.
    pub has_more: bool,
}

/// A path that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPath {
    /// Relative to the root.
    pub path: PathBuf,
    /// It is a folder.
    pub is_folder: bool,
}

/// A search for lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grep {
    /// A file, or the folder to search.
    pub root: PathBuf,
    /// A regular expression; with a newline in it (also written `\n`) it may match across lines.
    pub pattern: String,
    /// Only files whose name, or path below the root, matches.
    pub glob: Option<String>,
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// The pattern is plain text.
    pub is_literal: bool,
    /// Lines shown before and after each match.
    pub context: usize,
    /// At most so many matching lines.
    pub max_matches: usize,
    /// Longer lines are cut around the match.
    pub max_line_chars: usize,
}

/// Lines that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grepped {
    /// In path order.
    pub files: Vec<MatchedFile>,
    /// There are more matches.
    pub has_more: bool,
}

/// The lines found in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedFile {
    /// Relative to the root; the file's name when the root is a file.
    pub path: PathBuf,
    /// In order, context included.
    pub lines: Vec<MatchLine>,
}

/// One line of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchLine {
    /// 1-based.
    pub number: u64,
    /// The text, without its newline.
    pub text: String,
    /// It matches; otherwise it is context.
    pub is_match: bool,
    /// The text was cut.
    pub is_cut: bool,
}

/// A glob that is ready: without `/` it is for names at any depth.
#[derive(Debug, Clone)]
pub struct PathGlob {
    matcher: GlobMatcher,
    is_for_name: bool,
}

impl PathGlob {
    /// Reads a glob.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(glob: &str) -> Result<Self, Error> {
        let matcher = GlobBuilder::new(glob.trim_start_matches("./").trim_start_matches('/'))
            .literal_separator(true)
            .build()
            .map_err(|error| Error::Pattern(format!("invalid glob: {error}")))?
            .compile_matcher();
        Ok(Self { matcher, is_for_name: !glob.contains('/') })
    }

    /// Whether it matches a path relative to the root.
    pub fn is_match(&self, relative: &Path) -> bool {
        if self.is_for_name {
            relative.file_name().is_some_and(|name| self.matcher.is_match(name))
        } else {
            self.matcher.is_match(relative)
        }
    }
}

/// A search for lines that is ready, to be run on one file after the other.
#[derive(Debug, Clone)]
pub struct LineSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    max_matches: usize,
    max_line_chars: usize,
    context: u64,
}

impl LineSearch {
    /// Reads the pattern.
    ///
    /// # Errors
    /// [`Error::Pattern`] says where the pattern is wrong.
    pub fn new(grep: &Grep) -> Result<Self, Error> {
        let is_multi_line =
            grep.pattern.contains('\n') || (!grep.is_literal && grep.pattern.contains("\\n"));
        let mut builder = RegexMatcherBuilder::new();
        builder.case_insensitive(grep.ignore_case).fixed_strings(grep.is_literal).multi_line(true);
        if !is_multi_line {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder.build(&grep.pattern).map_err(|error| {
            Error::Pattern(format!(
                "invalid regular expression: {error}\nEscape special characters, or set literal to \
                 true to search for plain text."
            ))
        })?;
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .multi_line(is_multi_line)
            .before_context(grep.context)
            .after_context(grep.context)
            .build();
        let (max_matches, max_line_chars) = (grep.max_matches, grep.max_line_chars);
        let context = grep.context as u64;
        Ok(Self { matcher, searcher, max_matches, max_line_chars, context })
    }

    /// Searches a file of this machine. A file that cannot be read, or is binary, has no matches.
    pub(super) fn path(&mut self, path: &Path) -> FileLines {
        let mut taker = self.taker();
        match self.searcher.search_path(self.matcher.clone(), path, &mut taker) {
            Ok(()) => taker.done(),
            Err(_) => FileLines::default(),
        }
    }

    /// Searches bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> FileLines {
        let mut taker = self.taker();
        match self.searcher.search_slice(self.matcher.clone(), bytes, &mut taker) {
            Ok(()) => taker.done(),
            Err(_) => FileLines::default(),
        }
    }

    fn taker(&self) -> Taker {
        Taker {
            matcher: self.matcher.clone(),
            max_matches: self.max_matches,
            max_line_chars: self.max_line_chars,
            context: self.context,
            last: 0,
            found: FileLines::default(),
            is_binary: false,
        }
    }
}

/// What one file had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLines {
    /// In order, context included.
    pub lines: Vec<MatchLine>,
    /// How many of them match.
    pub matches: usize,
    /// The file has more matches.
    pub has_more: bool,
}

/// Puts the answers of files together, in the order they are given, up to a limit.
#[derive(Debug)]
pub(super) struct Collector {
    grepped: Grepped,
    left: usize,
    context: u64,
}

impl Collector {
    pub(super) fn new(grep: &Grep) -> Self {
        Self { grepped: Grepped::default(), left: grep.max_matches, context: grep.context as u64 }
    }

    /// Whether nothing more is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.grepped.has_more
    }

    pub(super) fn add(&mut self, path: PathBuf, mut found: FileLines) {
        if found.matches == 0 || self.is_full() {
            return;
        }
        if found.matches > self.left {
            self.grepped.has_more = true;
            found.keep(self.left, self.context);
        }
        self.grepped.has_more |= found.has_more;
        self.left -= found.matches;
        if !found.lines.is_empty() {
            self.grepped.files.push(MatchedFile { path, lines: found.lines });
        }
    }

    pub(super) fn finish(self) -> Grepped {
        self.grepped
    }
}

impl FileLines {
    /// Keeps the first so many matches and the context of the last.
    fn keep(&mut self, matches: usize, context: u64) {
        let kept = matches.checked_sub(1);
        let last = kept.and_then(|last| self.lines.iter().filter(|line| line.is_match).nth(last));
        match last.map(|line| line.number) {
            None => self.lines.clear(),
            Some(last) => {
                self.lines.retain(|line| line.number <= last + context);
                for line in self.lines.iter_mut().filter(|line| line.number > last) {
                    line.is_match = false;
                }
            }
        }
        self.matches = matches;
    }
}

struct Taker {
    matcher: RegexMatcher,
    max_matches: usize,
    max_line_chars: usize,
    context: u64,
    /// The line of the last match that counts.
    last: u64,
    found: FileLines,
    is_binary: bool,
}

impl Taker {
    fn line(&mut self, number: u64, bytes: &[u8], is_match: bool) {
        let is_full = self.found.matches == self.max_matches;
        if is_full && number > self.last + self.context {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        let part = if is_match { self.matcher.find(text.as_bytes()).ok().flatten() } else { None };
        let part = part.map_or(0..0, |part| part.start()..part.end());
        let cut = truncate::around(text, &part, self.max_line_chars);
        let is_cut = cut.len() != text.len() || cut != text;
        let text = cut.into_owned();
        self.found.lines.push(MatchLine { number, text, is_match, is_cut });
    }

    fn done(self) -> FileLines {
        if self.is_binary { FileLines::default() } else { self.found }
    }
}

impl Sink for &mut Taker {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let first = found.line_number().unwrap_or_default();
        // A match too many is still shown where it is context of the last that counts.
        let counts = self.found.matches < self.max_matches;
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
        Ok(counts || first < self.last + self.context)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.line(context.line_number().unwrap_or_default(), context.bytes(), false);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}

#[cfg(test)]
mod tests;
