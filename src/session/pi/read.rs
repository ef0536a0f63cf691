//! Reads a Pi session file: parses its lines, converts them to one version, and builds their tree.
//!
//! Invariant: an entry's parent precedes it in the file, and the last entry is the leaf.

use super::VERSION;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The reason why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file has no lines.
    #[error("the file is empty")]
    Empty,
    /// The first line is not a session header.
    #[error("line {line} is not a Pi session header; expected {{\"type\":\"session\", …}}")]
    NoSession {
        /// The line, from 1.
        line: usize,
    },
    /// The version is not supported yet.
    #[error("line {line} has version {version}; supported are versions up to {VERSION}")]
    TooNew {
        /// The line, from 1.
        line: usize,
        /// Its version.
        version: u64,
    },
}

/// The characters that are ignored around a line.
const BLANK: [char; 5] = ['\u{feff}', '\r', ' ', '\t', '\n'];

/// A parsed session file.
#[derive(Debug)]
pub struct Session {
    /// The first line.
    pub(super) head: Line,
    /// The entries, in file order.
    pub(super) entries: Vec<Line>,
    /// The index of each entry's parent.
    parents: Vec<Option<usize>>,
    /// The first index of each id.
    index_by_id: HashMap<String, usize>,
    /// The problems with the file.
    pub(super) warnings: Vec<String>,
}

/// A line of the file.
#[derive(Debug)]
pub(super) struct Line {
    /// The line, unchanged from the file.
    pub(super) raw: String,
    pub(super) fields: Map<String, Value>,
    pub(super) id: String,
    pub(super) parent: Option<String>,
}

impl Line {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key).and_then(Value::as_str)
    }

    pub(super) fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    /// Returns the line's time, in milliseconds since 1970.
    pub(super) fn ms(&self) -> Option<u64> {
        let stamp: jiff::Timestamp = self.text("timestamp")?.parse().ok()?;
        u64::try_from(stamp.as_millisecond()).ok()
    }
}

/// Checks that a text is a session file that can be read, without reading its entries.
///
/// # Errors
/// The text is not a session, or has a later version.
pub fn check(text: &str) -> Result<(), Error> {
    let start = text.len() - text.trim_start_matches(BLANK).len();
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.find('\n').map_or(text.len(), |end| start + end);
    read(text.get(..end).unwrap_or_default()).map(drop)
}

/// Parses a session file's text. Lines that are not JSON are skipped and reported.
///
/// # Errors
/// The text is not a session, or has a later version.
pub fn read(text: &str) -> Result<Session, Error> {
    let mut lines = Vec::new();
    let mut warnings = Vec::new();
    for (number, raw) in text.split('\n').enumerate() {
        let raw = raw.trim_matches(BLANK);
        if raw.is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(raw) {
            Ok(Value::Object(fields)) => lines.push((number + 1, raw, fields)),
            Ok(_) | Err(_) if lines.is_empty() => {
                return Err(Error::NoSession { line: number + 1 });
            }
            Ok(_) | Err(_) => {
                warnings.push(format!("line {} is damaged and was skipped", number + 1));
            }
        }
    }
    let mut lines = lines.into_iter();
    let (number, raw, head) = lines.next().ok_or(Error::Empty)?;
    let is_head = head.get("type").and_then(Value::as_str) == Some("session")
        && head.get("id").is_some_and(Value::is_string);
    if !is_head {
        return Err(Error::NoSession { line: number });
    }
    let version = head.get("version").and_then(Value::as_u64).unwrap_or(1);
    if version > VERSION {
        return Err(Error::TooNew { line: number, version });
    }
    let head = Line { raw: raw.to_owned(), fields: head, id: String::new(), parent: None };
    let mut entries: Vec<Line> = Vec::new();
    for (_, raw, fields) in lines {
        let id = match fields.get("id").and_then(Value::as_str) {
            Some(id) if version > 1 => id.to_owned(),
            Some(_) | None => format!("{:08x}", entries.len() + 1),
        };
        let parent = match fields.get("parentId") {
            Some(Value::String(parent)) if version > 1 => Some(parent.clone()),
            Some(Value::Null) if version > 1 => None,
            Some(_) | None => entries.last().map(|line: &Line| line.id.clone()),
        };
        entries.push(Line { raw: raw.to_owned(), fields, id, parent });
    }
    let mut index_by_id = HashMap::new();
    for (index, line) in entries.iter().enumerate() {
        index_by_id.entry(line.id.clone()).or_insert(index);
    }
    let parents = entries.iter().enumerate().map(|(index, line)| parent(index, line, &index_by_id));
    let parents = parents.collect();
    let mut session = Session { head, entries, parents, index_by_id, warnings };
    session.keep_by_id();
    Ok(session)
}

/// Returns an entry's parent. If it is missing or follows the entry, the previous line counts as its parent.
fn parent(index: usize, line: &Line, index_by_id: &HashMap<String, usize>) -> Option<usize> {
    match index_by_id.get(line.parent.as_ref()?) {
        Some(earlier) if *earlier < index => Some(*earlier),
        Some(_) | None => index.checked_sub(1),
    }
}

impl Session {
    /// Version 1 refers to the first kept message by its index in the file, including the header.
    fn keep_by_id(&mut self) {
        let ids: Vec<String> = self.entries.iter().map(|line| line.id.clone()).collect();
        for line in &mut self.entries {
            let index = line.fields.get("firstKeptEntryIndex").and_then(Value::as_u64);
            let index = index.and_then(|index| usize::try_from(index).ok()?.checked_sub(1));
            if let Some(id) = index.and_then(|index| ids.get(index)) {
                line.fields.insert("firstKeptEntryId".to_owned(), Value::from(id.as_str()));
            }
        }
    }

    /// Returns the index of an entry's parent; `None` for a first entry.
    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().flatten()
    }

    /// Returns the first entry with this id.
    pub(super) fn index_of(&self, id: &str) -> Option<usize> {
        self.index_by_id.get(id).copied()
    }

    /// Returns the indexes from an entry back to the session's start.
    pub(super) fn back(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |index| self.parent(*index))
    }

    /// Returns the entries on the path to the leaf, in order.
    pub(super) fn current(&self) -> impl Iterator<Item = &Line> {
        let mut path: Vec<usize> = self.back(self.entries.len().checked_sub(1)).collect();
        path.reverse();
        path.into_iter().filter_map(|index| self.entries.get(index))
    }
}
