//! Finding files and lines: the questions and the answers.
//!
//! Answers come in path order and line order, so the same question always gets the same answer. How a path and a line
//! are matched, and which answers count when there are too many, is the same in every environment: [`PathGlob`],
//! [`LineSearch`] and `FirstInOrder`.

mod first;
mod glob;
mod lines;

pub(super) use first::{FirstInOrder, PathKey};
pub use glob::PathGlob;
pub(super) use lines::Matched;
pub use lines::{FileLines, LineSearch, WRONG_PATTERN};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A search for paths.
#[derive(Debug, Clone)]
pub struct Find {
    /// The directory in which to search.
    pub root: PathBuf,
    /// The directories below the root whose entries are not listed.
    pub left_out: LeftOut,
    /// A glob; without `/` it is matched with names at any depth, with one against the path below the root.
    pub glob: String,
    /// The maximum number of paths.
    pub max_paths: usize,
    /// The maximum depth below the root; 1 means only the root's direct entries.
    pub max_depth: Option<usize>,
    /// The path order.
    pub order: FindOrder,
}

/// The path order, which determines the paths kept if there are too many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FindOrder {
    /// Files and directories in path order.
    #[default]
    Path,
    /// Files without directories, the last modified first; equal times are in path order.
    NewestFile,
}

/// Paths that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundPaths {
    /// In the order that was asked for.
    pub paths: Vec<FoundPath>,
    /// True if there are more paths.
    pub has_more: bool,
    /// Folders that could not be read; zero when there are more paths.
    pub unreadable: usize,
    /// A path, relative to the root, that the glob matches and that was left out since the project ignores it; `None` if anything was
    /// found.
    pub ignored: Option<PathBuf>,
}

/// A path that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPath {
    /// Relative to the root.
    pub path: PathBuf,
    /// True for a directory.
    pub is_folder: bool,
}

/// The files and directories that a search leaves out, by canonical path. None by default.
#[derive(Clone, Default)]
pub struct LeftOut(Option<Arc<LeftOutFiles>>);

struct LeftOutFiles {
    is_left_out: Box<dyn Fn(&Path) -> bool + Send + Sync>,
    /// True once such a file was encountered.
    was_met: AtomicBool,
}

impl LeftOut {
    /// Leaves out the files and directories for which `is_left_out` is true.
    pub fn new(is_left_out: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        let is_left_out = Box::new(is_left_out);
        Self(Some(Arc::new(LeftOutFiles { is_left_out, was_met: AtomicBool::new(false) })))
    }

    /// Returns true for an excluded file. Called before the file is read, so that no result reveals its content.
    pub fn contains(&self, path: &Path) -> bool {
        let Some(files) = &self.0 else { return false };
        let is_left_out = (files.is_left_out)(path);
        if is_left_out {
            files.was_met.store(true, Ordering::Relaxed);
        }
        is_left_out
    }

    /// Returns true for a path whose name is not listed, since it lies in an excluded directory below the root.
    pub(crate) fn hides(&self, root: &Path, relative: &Path) -> bool {
        self.0.is_some()
            && relative
                .ancestors()
                .skip(1)
                .take_while(|folder| !folder.as_os_str().is_empty())
                .any(|folder| self.contains(&root.join(folder)))
    }

    /// Returns true once a file was left out.
    pub fn was_met(&self) -> bool {
        self.0.as_ref().is_some_and(|files| files.was_met.load(Ordering::Relaxed))
    }
}

impl std::fmt::Debug for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeftOut").field("was_met", &self.was_met()).finish_non_exhaustive()
    }
}

/// A search for lines.
#[derive(Debug, Clone)]
pub struct Grep {
    /// A file, or the directory to search.
    pub root: PathBuf,
    /// The name under which a root that is a file is shown; by default the file's name.
    pub named: Option<PathBuf>,
    /// The files below the root that are not searched.
    pub left_out: LeftOut,
    /// A regular expression; with a newline in it (also written `\n`) it may match across lines.
    pub pattern: String,
    /// Only files whose name, or path below the root, matches.
    pub glob: Option<String>,
    /// Ignore case.
    pub ignore_case: bool,
    /// The pattern is plain text.
    pub is_literal: bool,
    /// Lines to show before each match.
    pub before: usize,
    /// Lines to show after each match.
    pub after: usize,
    /// The output form.
    pub output: GrepOutput,
    /// Maximum number of matching lines, or of files if lines are not requested.
    pub max_matches: usize,
    /// Longer lines are cut around the match.
    pub max_line_chars: usize,
    /// Texts to search instead of files, by canonical path.
    pub unsaved: Arc<BTreeMap<PathBuf, Arc<String>>>,
}

impl Grep {
    /// Returns the name under which a root that is a file is shown.
    pub(crate) fn file_name(&self) -> &Path {
        let own = || Path::new(self.root.file_name().unwrap_or_default());
        self.named.as_deref().unwrap_or_else(own)
    }
}

/// The output form of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GrepOutput {
    /// The lines.
    #[default]
    Lines,
    /// The files; each is searched up to its first match.
    Files,
    /// The number of matching lines of each file.
    Counts,
}

/// Lines that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grepped {
    /// In path order.
    pub files: Vec<MatchedFile>,
    /// True if there are more matches.
    pub has_more: bool,
    /// The number of files and directories that could not be searched: no permission, or a line too long for the memory limit. Zero if
    /// there are more matches.
    pub unsearched: usize,
    /// A path, relative to the root, that the glob matches and that was not searched since the project ignores it; `None` if anything was
    /// found.
    pub ignored: Option<PathBuf>,
}

/// The matches in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedFile {
    /// Relative to the root; the file's name when the root is a file.
    pub path: PathBuf,
    /// In order, context included; empty where lines are not wanted.
    pub lines: Vec<MatchLine>,
    /// The number of matching lines, as far as they were counted.
    pub matches: usize,
}

/// A line of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchLine {
    /// 1-based.
    pub number: u64,
    /// The text, without its newline, NULs and terminal escapes.
    pub text: String,
    /// True for a match, false for context.
    pub is_match: bool,
    /// True if the text was cut.
    pub is_cut: bool,
}

#[cfg(test)]
mod tests;
