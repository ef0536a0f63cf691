//! Finding files and lines: the questions, the answers, and the matching that every environment shares.
//!
//! Answers come in path order and line order, so the same question always gets the same answer.

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
