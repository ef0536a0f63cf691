//! Replaces text that a model quoted, matching it exactly or approximately.
//!
//! Exact matches come first; only if there are none is the text compared in folded form (see [`crate::text::fold`]). In both cases only the
//! matched region changes, and in it only the lines that differ: every other byte stays.
//!
//! Folding a whole file costs more than reading it. A run of plain characters in the old text therefore selects windows with possible
//! matches, and only those are folded. The diff is built from the edits rather than computed again.

use crate::text::fold::{Folded, Level};
use crate::text::lines::{Ending, to_lf};
use crate::text::splice::{self, Splice};
use crate::text::truncate::border_before;
use std::ops::Range;
use windows::Window;

pub use closest::Closest;

mod closest;
mod windows;

/// A text to find and what to put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text to find.
    pub old: String,
    /// The text to put there.
    pub new: String,
}

/// The number of occurrences that an edit replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly one; more are a [`Miss::Many`].
    One,
    /// All there are.
    All,
}

/// The result of edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The replacements, in order.
    pub splices: Vec<Splice<'static>>,
    /// Some text was found only by folding.
    pub is_fuzzy: bool,
}

/// The reason why nothing was replaced. `edit` counts from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Miss {
    /// The text to find is empty.
    Empty {
        /// The edit's index.
        edit: usize,
    },
    /// The text is not there.
    Absent {
        /// The edit's index.
        edit: usize,
        /// The most similar region, if there is one.
        closest: Option<Closest>,
    },
    /// The text is there more than once.
    Many {
        /// The edit's index.
        edit: usize,
        /// The number of occurrences.
        count: usize,
        /// The first lines of the first few occurrences, 1-based.
        lines: Vec<u64>,
    },
    /// Two edits want the same text.
    Overlap {
        /// The one that begins first.
        first: usize,
        /// The other.
        second: usize,
    },
    /// The edits would not change the text.
    Identical,
}

/// The maximum number of line numbers listed for a text with many occurrences.
const MAX_LINES_TOLD: usize = 10;

/// Returns the region of `text` that is most similar to `piece`.
pub fn closest(text: &str, piece: &str) -> Option<Closest> {
    let text = Folded::new(text, Level::Full);
    closest::find(&text.text, &to_lf(piece))
}

/// Applies all edits or none. Every edit is matched against the original text.
///
/// New lines get the line ending of the lines they replace.
///
/// # Errors
/// The first edit that cannot be applied, and why.
///
/// # Example
///
/// The model typed straight quotes, the file has curly ones. Only the changed line is replaced:
///
/// ```
/// use pintle_base::text::fuzzy::{Edit, Occurrences, replace};
/// use pintle_base::text::splice;
///
/// let text = "greeting = “hello”\nname = “world”\n";
/// let edit = Edit { old: "greeting = \"hello\"".into(), new: "greeting = \"hi\"".into() };
/// let replaced = replace(text, &[edit], Occurrences::One).unwrap();
/// assert!(replaced.is_fuzzy);
/// assert_eq!(splice::apply(text, &replaced.splices), "greeting = \"hi\"\nname = “world”\n");
/// ```
pub fn replace(text: &str, edits: &[Edit], occurrences: Occurrences) -> Result<Replaced, Miss> {
    let mut patches = Vec::new();
    let mut is_fuzzy = false;
    for (edit, Edit { old, new }) in edits.iter().enumerate() {
        if old.is_empty() {
            return Err(Miss::Empty { edit });
        }
        let old = to_lf(old);
        let haystack = Haystack { text, windows: windows::find(text, &old) };
        let found = haystack.find(&old);
        if found.all.is_empty() {
            return Err(Miss::Absent { edit, closest: closest(text, &old) });
        }
        if occurrences == Occurrences::One && found.count > 1 {
            return Err(Miss::Many { edit, count: found.count, lines: found.lines });
        }
        is_fuzzy |= found.is_fuzzy;
        let new = to_lf(new);
        patches.extend(found.all.iter().map(|found| haystack.patch(edit, found, &old, &new)));
    }
    patches.sort_by_key(|patch| (patch.claimed.start, patch.claimed.end));
    for pair in patches.windows(2) {
        if let [first, second] = pair
            && second.claimed.start < first.claimed.end
        {
            return Err(Miss::Overlap { first: first.edit, second: second.edit });
        }
    }
    let splices: Vec<Splice<'static>> = patches
        .into_iter()
        .map(|patch| Splice { old: patch.changed, new: patch.new.into() })
        .collect();
    if splice::is_identity(text, &splices) {
        return Err(Miss::Identical);
    }
    Ok(Replaced { splices, is_fuzzy })
}

struct Patch {
    edit: usize,
    /// The matched text.
    claimed: Range<usize>,
    /// The part of it that differs from the new text.
    changed: Range<usize>,
    new: String,
}

/// A text, and the parts of it where something may be found.
struct Haystack<'a> {
    text: &'a str,
    windows: Vec<Window<'a>>,
}

/// A match, in offsets of the folded window that contains it.
struct Match {
    window: usize,
    level: Level,
    folded: Range<usize>,
    /// In the whole text.
    original: Range<usize>,
}

struct Matches {
    all: Vec<Match>,
    is_fuzzy: bool,
    /// The number of occurrences in the folded text, which may exceed the number of exact ones.
    count: usize,
    lines: Vec<u64>,
}

impl Haystack<'_> {
    fn find(&self, old: &str) -> Matches {
        let exact = self.matches(old, Level::Endings);
        let mut folded = self.matches(old, Level::FullOpenEnd);
        if old.ends_with(|last: char| last.is_whitespace() && last != '\n') {
            folded.extend(self.matches(old, Level::Full));
        }
        let most = if folded.len() > exact.len() { &folded } else { &exact };
        let count = most.len();
        let lines = most.iter().take(MAX_LINES_TOLD).map(|found| self.line_of(found)).collect();
        let is_fuzzy = exact.is_empty();
        Matches { all: if is_fuzzy { folded } else { exact }, is_fuzzy, count, lines }
    }

    fn matches(&self, old: &str, level: Level) -> Vec<Match> {
        let needle = Folded::new(old, level);
        let needle = needle.text.as_ref();
        if needle.is_empty() {
            return Vec::new();
        }
        let windows = self.windows.iter().enumerate();
        windows.flat_map(|(at, window)| window_matches(window, at, old, needle, level)).collect()
    }

    fn line_of(&self, found: &Match) -> u64 {
        let before = self.text.as_bytes().get(..found.original.start).unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count() as u64 + 1
    }

    /// Leaves alone the lines at either end of a match that the new text only repeats.
    fn patch(&self, edit: usize, found: &Match, old: &str, new: &str) -> Patch {
        let (prefix, suffix) = shared_lines(old, new);
        let folded_len =
            |part: Option<&str>, level| Folded::new(part.unwrap_or_default(), level).text.len();
        let start = found.folded.start + folded_len(old.get(..prefix), found.level);
        let end_len = folded_len(old.get(old.len() - suffix..), found.level);
        let end = found.folded.end.saturating_sub(end_len);
        // White space after the last line belongs to the match, unless the line stays unchanged.
        let level =
            if suffix > 0 && found.level == Level::Full { Level::FullOpenEnd } else { found.level };
        let window = self.windows.get(found.window);
        let (changed, new) = match window.and_then(|window| window.original(&(start..end), level)) {
            Some(changed) if start <= end => {
                (changed, new.get(prefix..new.len() - suffix).unwrap_or_default())
            }
            _ => (found.original.clone(), new),
        };
        let nearby = [&changed, &found.original].map(|part| self.text.get(part.clone()));
        let nearby = nearby.into_iter().flatten().find(|part| part.contains('\n'));
        let ending = Ending::first_of(nearby.unwrap_or(self.text));
        Patch {
            edit,
            claimed: found.original.clone(),
            changed,
            new: ending.applied_to(new).into_owned(),
        }
    }
}

/// Returns the positions of `needle` in a window folded at the same level.
fn window_matches(
    window: &Window<'_>,
    at: usize,
    old: &str,
    needle: &str,
    level: Level,
) -> Vec<Match> {
    let text = window.folded(level);
    // A line of white space must not match the end of another line.
    let at_line_start = needle.starts_with('\n') && !old.starts_with('\n');
    let is_whole = |start: usize, end: usize| {
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        (!at_line_start || before.is_empty() || before.ends_with('\n'))
            && (level != Level::Full || after.is_empty() || after.starts_with('\n'))
    };
    let to_match = |start: usize| {
        let folded = start..start + needle.len();
        let original = window.original(&folded, level)?;
        let is_whole = is_whole(folded.start, folded.end);
        is_whole.then_some(Match { window: at, level, folded, original })
    };
    let starts = memchr::memmem::find_iter(text.as_bytes(), needle.as_bytes());
    let mut found: Vec<Match> = starts.filter_map(to_match).collect();
    // A match that overlaps the only other one still makes it ambiguous.
    if let [only] = found.as_slice() {
        let next = only.folded.start + needle.chars().next().map_or(1, char::len_utf8);
        let reach = border_before(text, only.folded.end.saturating_add(needle.len()));
        let overlapping =
            text.get(next..reach).and_then(|rest| rest.find(needle)).map(|at| next + at);
        found.extend(overlapping.and_then(to_match));
    }
    found
}

/// The bytes of whole lines that two texts have in common at their start and, after those, at their end.
fn shared_lines(old: &str, new: &str) -> (usize, usize) {
    let prefix = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .take_while(|(a, b)| a == b && a.ends_with('\n'))
        .map(|(line, _)| line.len())
        .sum();
    let old = old.get(prefix..).unwrap_or_default();
    let new = new.get(prefix..).unwrap_or_default();
    let mut suffix = 0;
    let mut at = 0;
    // Each step adds one line's text, then the newline before it.
    for (a, b) in old.rsplit('\n').zip(new.rsplit('\n')) {
        if a != b {
            break;
        }
        at += a.len();
        if at >= old.len() || at >= new.len() {
            // One of the two is used up: a line begins here in both only if the whole text does.
            suffix = at;
            break;
        }
        suffix = at;
        at += 1;
    }
    (prefix, suffix)
}

#[cfg(test)]
mod tests;
