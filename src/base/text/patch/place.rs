//! Finding where hunks go, and putting them there.

use super::{Hunk, Line};
use crate::text::fold::{Folded, Level};
use crate::text::lines::Ending;
use crate::text::splice::{self, Splice};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// The level of fuzziness at which a hunk's lines matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fuzz {
    /// Exact.
    #[default]
    None,
    /// In trailing white space.
    TrailingSpace,
    /// In white space around lines.
    EdgeSpace,
    /// In quotes, dashes, spaces or accents that look alike.
    Folded,
}

/// The result of applying hunks to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The replacements, in order.
    pub splices: Vec<Splice<'static>>,
    /// For each hunk how much its lines differed.
    pub fuzz: Vec<Fuzz>,
}

/// A hunk that has no place. Hunks count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misplaced {
    /// A hint is not there.
    NoHint {
        /// The hunk's index.
        hunk: usize,
        /// The hint.
        hint: String,
        /// The line, 1-based, below which it was searched; 0 is the beginning.
        below: usize,
    },
    /// The lines are not there.
    NoLines {
        /// The hunk's index.
        hunk: usize,
        /// The lines.
        lines: Vec<String>,
        /// The line, 1-based, below which they were searched; 0 is the beginning.
        below: usize,
    },
    /// The lines occur more than once, and the patch does not identify one occurrence.
    Ambiguous {
        /// The hunk's index.
        hunk: usize,
        /// The first lines of the first few occurrences, 1-based.
        lines: Vec<usize>,
    },
    /// The hunks would not change the text.
    Identical,
}

/// The maximum number of positions that are listed for an ambiguous hunk.
const MAX_PLACES_TOLD: usize = 10;

/// Applies hunks from top to bottom.
///
/// # Errors
/// The first hunk that has no place.
///
/// # Example
///
/// ```
/// use pintle_base::text::patch::{self, FilePatch};
/// use pintle_base::text::splice;
///
/// let patch = "\
/// *** Begin Patch
/// *** Update File: main.py
/// @@ def greet():
/// -    print(\"Hi\")
/// +    print(\"Hello\")
/// *** End Patch
/// ";
/// let text = "def greet():\n    print(\"Hi\")\n";
/// let [FilePatch::Update { path, hunks, .. }] = &patch::parse(patch).unwrap()[..] else {
///     panic!("the patch updates one file");
/// };
/// let placed = patch::apply(text, hunks).unwrap();
/// assert_eq!(path, "main.py");
/// assert_eq!(splice::apply(text, &placed.splices), "def greet():\n    print(\"Hello\")\n");
/// ```
pub fn apply(text: &str, hunks: &[Hunk]) -> Result<Placed, Misplaced> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let file = File::new(&lines);
    let mut edits: Vec<Edit> = Vec::new();
    let mut fuzz = Vec::new();
    let mut cursor = 0;
    for (number, hunk) in (1..).zip(hunks) {
        let (at, how) = file.find(hunk, number, cursor)?;
        fuzz.push(how);
        // If indentation differs, the file's wins.
        let is_indented = how >= Fuzz::EdgeSpace;
        let indents = is_indented.then(|| Indents::new(hunk, lines.get(at..).unwrap_or_default()));
        let behind = edits_of(hunk, at, indents.as_ref(), &mut edits);
        // Lines appended at the file's end leave the rest to later hunks.
        if !hunk.old().is_empty() || !hunk.hints.is_empty() {
            cursor = behind;
        }
    }
    edits.sort_by_key(|edit| edit.lines.start);
    let splices = splices_of(text, &lines, &edits);
    if splice::is_identity(text, &splices) {
        return Err(Misplaced::Identical);
    }
    Ok(Placed { splices, fuzz })
}

/// Lines that go, and lines that come in their place.
struct Edit {
    lines: Range<usize>,
    new: Vec<String>,
}

/// Adds a hunk's edits; returns the line after the hunk.
fn edits_of(hunk: &Hunk, at: usize, indents: Option<&Indents<'_>>, edits: &mut Vec<Edit>) -> usize {
    let mut at = at;
    let mut open: Option<Edit> = None;
    for (place, line) in hunk.lines.iter().enumerate() {
        match line {
            Line::Context(_) => {
                edits.extend(open.take());
                at += 1;
            }
            Line::Remove(_) => {
                let edit = open.get_or_insert_with(|| Edit { lines: at..at, new: Vec::new() });
                at += 1;
                edit.lines.end = at;
            }
            Line::Add(text) => {
                let edit = open.get_or_insert_with(|| Edit { lines: at..at, new: Vec::new() });
                let seen =
                    hunk.lines.iter().take(place).filter(|line| !matches!(line, Line::Add(_)));
                let text = match indents {
                    Some(indents) => indents.of_file(text, seen.count()),
                    None => text.clone(),
                };
                edit.new.push(text);
            }
        }
    }
    edits.extend(open);
    at
}

/// Indentation of a hunk's lines, as pairs of the patch's and the file's, in line order.
struct Indents<'a>(Vec<(&'a str, &'a str)>);

/// The white space before a line.
fn indent(line: &str) -> &str {
    let text = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - text.len()).unwrap_or_default()
}

impl<'a> Indents<'a> {
    /// `lines` starts at the hunk.
    fn new(hunk: &'a Hunk, lines: &[&'a str]) -> Self {
        let pairs = hunk.old().into_iter().zip(lines);
        Self(pairs.map(|(old, line)| (indent(old), indent(line))).collect())
    }

    /// A line that comes, behind that many of the hunk's others, indented as the file is.
    fn of_file(&self, line: &str, seen: usize) -> String {
        let own = indent(line);
        let text = line.get(own.len()..).unwrap_or_default();
        if text.trim().is_empty() {
            return line.to_owned();
        }
        let (before, after) = self.0.split_at_checked(seen).unwrap_or((&self.0, &[]));
        // The nearest lines first.
        let near = || before.iter().rev().chain(after);
        if let Some((_, in_file)) = near().find(|(in_patch, _)| *in_patch == own) {
            return format!("{in_file}{text}");
        }
        let inside =
            near().filter_map(|(in_patch, in_file)| Some((own.strip_prefix(in_patch)?, in_file)));
        match inside.min_by_key(|(deeper, _)| deeper.len()) {
            Some((deeper, in_file)) => format!("{in_file}{}{text}", self.converted(deeper)),
            None => format!("{}{text}", self.converted(own)),
        }
    }

    /// Converts spaces to tabs or the reverse, if the patch and the file differ.
    fn converted(&self, indent: &str) -> String {
        let (spaces, tabs) = (
            |text: &str| text.bytes().all(|byte| byte == b' '),
            |text: &str| text.bytes().all(|byte| byte == b'\t'),
        );
        let width = |long: &str, short: &str| {
            let is_multiple = !short.is_empty() && long.len().is_multiple_of(short.len());
            (is_multiple && long.len() > short.len()).then(|| long.len() / short.len())
        };
        let pairs = || self.0.iter().filter(|(a, b)| !a.is_empty() && !b.is_empty());
        let as_tabs = pairs().filter(|(a, b)| spaces(a) && tabs(b)).find_map(|(a, b)| width(a, b));
        let as_spaces =
            pairs().filter(|(a, b)| tabs(a) && spaces(b)).find_map(|(a, b)| width(b, a));
        match (as_tabs, as_spaces) {
            (Some(width), _) if spaces(indent) => {
                "\t".repeat(indent.len() / width) + &" ".repeat(indent.len() % width)
            }
            (None, Some(width)) if tabs(indent) => " ".repeat(indent.len() * width),
            _ => indent.to_owned(),
        }
    }
}

fn splices_of(text: &str, lines: &[&str], edits: &[Edit]) -> Vec<Splice<'static>> {
    let mut splices = Vec::with_capacity(edits.len());
    let (mut line, mut at) = (0, 0);
    let length = |part: Range<usize>| -> usize {
        lines.get(part).unwrap_or_default().iter().map(|line| line.len()).sum()
    };
    for edit in edits {
        let start = at + length(line..edit.lines.start);
        let end = start + length(edit.lines.clone());
        (line, at) = (edit.lines.end, end);
        let ending = ending_near(lines, &edit.lines).unwrap_or_else(|| Ending::first_of(text));
        let mut new = String::new();
        // Lines appended after a last line without a newline need one before them.
        let before = text.get(..start).unwrap_or_default();
        if !edit.new.is_empty() && !before.is_empty() && !before.ends_with('\n') {
            new.push_str(newline(ending));
        }
        for line in &edit.new {
            new.push_str(line);
            new.push_str(newline(ending));
        }
        splices.push(Splice { old: start..end, new: new.into() });
    }
    splices
}

fn newline(ending: Ending) -> &'static str {
    match ending {
        Ending::Lf => "\n",
        Ending::CrLf => "\r\n",
    }
}

/// Returns the line ending of the removed lines, or else of an adjacent line.
fn ending_near(lines: &[&str], part: &Range<usize>) -> Option<Ending> {
    let gone = lines.get(part.clone()).unwrap_or_default().iter();
    let before = part.start.checked_sub(1).and_then(|before| lines.get(before));
    let mut near = gone.chain(before).chain(lines.get(part.end));
    near.find(|line| line.ends_with('\n')).map(|line| Ending::first_of(line))
}

/// A file's lines with their normalized forms for each level of fuzz, computed on first use.
struct File<'a> {
    lines: &'a [&'a str],
    levels: [(Fuzz, OnceCell<Vec<Cow<'a, str>>>); 4],
}

fn level(fuzz: Fuzz, line: &str) -> Cow<'_, str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match fuzz {
        Fuzz::None => line.into(),
        Fuzz::TrailingSpace => line.trim_end().into(),
        Fuzz::EdgeSpace => line.trim().into(),
        Fuzz::Folded => Folded::new(line.trim(), Level::Full).text.trim().to_owned().into(),
    }
}

impl<'a> File<'a> {
    fn new(lines: &'a [&'a str]) -> Self {
        let fuzz = [Fuzz::None, Fuzz::TrailingSpace, Fuzz::EdgeSpace, Fuzz::Folded];
        Self { lines, levels: fuzz.map(|fuzz| (fuzz, OnceCell::new())) }
    }

    fn levels(&self) -> impl Iterator<Item = (Fuzz, &[Cow<'a, str>])> {
        self.levels.iter().map(|(fuzz, lines)| {
            let make = || self.lines.iter().map(|line| level(*fuzz, line)).collect();
            (*fuzz, lines.get_or_init(make).as_slice())
        })
    }

    /// Searches for the start line of a hunk, beginning at `from`.
    fn find(&self, hunk: &Hunk, number: usize, from: usize) -> Result<(usize, Fuzz), Misplaced> {
        let mut cursor = from;
        let mut fuzz = Fuzz::None;
        for hint in &hunk.hints {
            let (at, how) = self.find_hint(hint, cursor).ok_or_else(|| Misplaced::NoHint {
                hunk: number,
                hint: hint.clone(),
                below: cursor,
            })?;
            cursor = at;
            fuzz = fuzz.max(how);
        }
        let old = hunk.old();
        if old.is_empty() {
            let behind = if hunk.hints.is_empty() { self.lines.len() } else { cursor };
            return Ok((behind, fuzz));
        }
        let absent = || Misplaced::NoLines {
            hunk: number,
            lines: old.iter().map(|&line| line.to_owned()).collect(),
            below: cursor,
        };
        if hunk.is_at_end {
            let at = self.lines.len().checked_sub(old.len()).filter(|at| *at >= cursor);
            let at = at.ok_or_else(absent)?;
            let (places, how) = self.places(&old, at).ok_or_else(absent)?;
            return Ok((places.first().copied().unwrap_or(at), fuzz.max(how)));
        }
        // A hint may itself be the first line.
        let from = if hunk.hints.is_empty() { cursor } else { cursor.saturating_sub(1).max(from) };
        let (places, how) = self.places(&old, from).ok_or_else(absent)?;
        match places.as_slice() {
            [first, ..] if !hunk.hints.is_empty() => Ok((*first, fuzz.max(how))),
            [only] => Ok((*only, fuzz.max(how))),
            several => Err(Misplaced::Ambiguous {
                hunk: number,
                lines: several.iter().take(MAX_PLACES_TOLD).map(|at| at + 1).collect(),
            }),
        }
    }

    /// Returns the line after the first that equals the hint, or begins with it.
    fn find_hint(&self, hint: &str, from: usize) -> Option<(usize, Fuzz)> {
        let by = |is_it: fn(&str, &str) -> bool| {
            self.levels().find_map(|(fuzz, lines)| {
                let hint = level(fuzz, hint);
                let at = lines.iter().skip(from).position(|line| is_it(line, &hint))?;
                Some((from + at + 1, fuzz))
            })
        };
        by(|line, hint| line == hint)
            .or_else(|| by(|line, hint| line.trim_start().starts_with(hint)))
    }

    /// All places of some lines from a line on, at the least fuzz that finds one.
    fn places(&self, old: &[&str], from: usize) -> Option<(Vec<usize>, Fuzz)> {
        self.levels().find_map(|(fuzz, lines)| {
            let wanted: Vec<Cow<'_, str>> = old.iter().map(|line| level(fuzz, line)).collect();
            let rest = lines.get(from..)?;
            let places = rest.windows(wanted.len()).enumerate();
            let places: Vec<usize> = places
                .filter(|(_, lines)| *lines == wanted.as_slice())
                .map(|(at, _)| from + at)
                .collect();
            (!places.is_empty()).then_some((places, fuzz))
        })
    }
}
