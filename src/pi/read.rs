//! The lines of a session file of Pi's: parsed, brought to one form whatever their version, and the tree that they are.
//!
//! Invariant: an entry's parent stands before it in the file, and the last entry is the leaf.

use super::VERSION;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing is in it.
    #[error("the file is empty")]
    Empty,
    /// The first line is not the head of a session.
    #[error("line {line} is no head of a Pi session: it must be {{\"type\":\"session\", …}}")]
    NoSession {
        /// The line, from 1.
        line: usize,
    },
    /// It is of a later version.
    #[error("line {line} says version {version}; up to {VERSION} can be read")]
    TooNew {
        /// The line, from 1.
        line: usize,
        /// Its version.
        version: u64,
    },
}

/// A session as its file says it.
#[derive(Debug)]
pub struct Session {
    /// The first line.
    pub(super) head: Line,
    /// The entries, in the order of the file.
    pub(super) entries: Vec<Line>,
    /// The place of each entry's parent.
    parents: Vec<Option<usize>>,
    /// The first place of each id.
    places: HashMap<String, usize>,
    /// What was wrong with the file.
    pub(super) warnings: Vec<String>,
}

/// A line of the file.
#[derive(Debug)]
pub(super) struct Line {
    /// The line as it stands there.
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

    /// When it was written, in milliseconds since 1970.
    pub(super) fn ms(&self) -> Option<u64> {
        let stamp: jiff::Timestamp = self.text("timestamp")?.parse().ok()?;
        u64::try_from(stamp.as_millisecond()).ok()
    }
}

/// Reads the text of a session file. Lines that are no JSON are left out and named.
///
/// # Errors
/// It is not a session's, or of a later version.
pub fn read(text: &str) -> Result<Session, Error> {
    let mut lines = Vec::new();
    let mut warnings = Vec::new();
    for (number, raw) in text.split('\n').enumerate() {
        let raw = raw.trim_matches(['\u{feff}', '\r', ' ', '\t']);
        if raw.is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(raw) {
            Ok(Value::Object(fields)) => lines.push((number + 1, raw, fields)),
            Ok(_) | Err(_) if lines.is_empty() => {
                return Err(Error::NoSession { line: number + 1 });
            }
            Ok(_) | Err(_) => {
                warnings.push(format!("line {} is damaged and was left out", number + 1));
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
    let mut places = HashMap::new();
    for (place, line) in entries.iter().enumerate() {
        places.entry(line.id.clone()).or_insert(place);
    }
    let parents = entries.iter().enumerate().map(|(place, line)| parent(place, line, &places));
    let parents = parents.collect();
    let mut session = Session { head, entries, parents, places, warnings };
    session.keep_by_id();
    Ok(session)
}

/// An entry's parent. One that is not there, or that comes later, is taken to be the line before.
fn parent(place: usize, line: &Line, places: &HashMap<String, usize>) -> Option<usize> {
    match places.get(line.parent.as_ref()?) {
        Some(earlier) if *earlier < place => Some(*earlier),
        Some(_) | None => place.checked_sub(1),
    }
}

impl Session {
    /// Version 1 names the first message that stays by its place in the file, the head counted.
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

    /// The place of an entry's parent; none for one that the session begins with.
    pub(super) fn parent(&self, place: usize) -> Option<usize> {
        self.parents.get(place).copied().flatten()
    }

    /// The first entry with this id.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The places from an entry back to where the session begins.
    pub(super) fn back(&self, from: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |place| self.parent(*place))
    }

    /// The entries on the way to the leaf, in order.
    pub(super) fn current(&self) -> impl Iterator<Item = &Line> {
        let mut path: Vec<usize> = self.back(self.entries.len().checked_sub(1)).collect();
        path.reverse();
        path.into_iter().filter_map(|place| self.entries.get(place))
    }
}
