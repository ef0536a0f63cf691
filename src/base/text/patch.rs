//! Patches in the V4A format: parsing and applying. Pure.
//!
//! A patch lists files and, for updated ones, hunks without line numbers, which are located by their context. Invariant: only the lines
//! that a hunk removes or adds change, byte for byte.

use std::fmt;

mod parse;
mod place;

pub use parse::parse;
pub use place::{Fuzz, Misplaced, Placed, apply};

/// A patch's changes to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilePatch {
    /// Makes a file, or replaces one.
    Add {
        /// The path as written.
        path: String,
        /// The whole content.
        content: String,
    },
    /// Removes a file.
    Delete {
        /// The path as written.
        path: String,
    },
    /// Changes a file.
    Update {
        /// The path as written.
        path: String,
        /// The file's new path, if it gets one.
        move_to: Option<String>,
        /// The hunks, from top to bottom. Empty only for a move.
        hunks: Vec<Hunk>,
    },
}

/// A change of some lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that stand somewhere above, each below the one before: `@@ fn main()`.
    pub hints: Vec<String>,
    /// The lines, in order.
    pub lines: Vec<Line>,
    /// True if the last line of the hunk is the last line of the file.
    pub is_at_end: bool,
}

/// A line of a hunk, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Stays.
    Context(String),
    /// Goes.
    Remove(String),
    /// Comes.
    Add(String),
}

/// A malformed patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line number in the patch, 1-based.
    pub line: usize,
    /// The problem, and the expected form.
    pub message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the patch: {}", self.line, self.message)
    }
}

impl Hunk {
    /// The lines that are looked for.
    fn old(&self) -> Vec<&str> {
        let old = self.lines.iter().filter_map(|line| match line {
            Line::Context(text) | Line::Remove(text) => Some(text.as_str()),
            Line::Add(_) => None,
        });
        old.collect()
    }
}

#[cfg(test)]
mod tests;
