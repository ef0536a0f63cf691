//! Reads a Pi session file: parses its lines, converts them to one version, and builds their tree.
//!
//! Invariant: an entry's parent precedes it in the file, and the last entry is the leaf.

use super::VERSION;
use serde::{Deserialize, Deserializer};
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
pub struct Session<'t> {
    /// The first line.
    pub(super) head: Parsed<'t>,
    /// The entries, in file order.
    pub(super) entries: Vec<Line<'t>>,
    /// The index of each entry's parent.
    parents: Vec<Option<usize>>,
    /// The first index of each id.
    index_by_id: HashMap<String, usize>,
    /// The problems with the file.
    pub(super) warnings: Vec<String>,
}

/// A line of the file. A long session has many, so only the fields that link them are kept.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// The line, unchanged from the file.
    raw: &'t str,
    pub(super) kind: String,
    pub(super) id: String,
    parent: Option<String>,
    /// In version 1, the first kept message's position, including the header.
    first_kept_index: Option<u64>,
    /// The id of that message.
    first_kept_id: Option<String>,
}

impl<'t> Line<'t> {
    /// Parses all fields.
    pub(super) fn parse(&self) -> Parsed<'t> {
        let mut fields: Map<String, Value> = serde_json::from_str(self.raw).unwrap_or_default();
        if let Some(id) = &self.first_kept_id {
            fields.insert("firstKeptEntryId".to_owned(), Value::from(id.as_str()));
        }
        Parsed { raw: self.raw, fields }
    }
}

/// The fields that link a line to others.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Links {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<String>,
    #[serde(deserialize_with = "parent_id")]
    parent_id: ParentId,
    first_kept_entry_index: Option<u64>,
}

/// A line's field with its parent.
#[derive(Debug, Default, PartialEq, Eq)]
enum ParentId {
    #[default]
    Missing,
    Null,
    Id(String),
}

fn parent_id<'de, D: Deserializer<'de>>(field: D) -> Result<ParentId, D::Error> {
    Ok(Option::<String>::deserialize(field)?.map_or(ParentId::Null, ParentId::Id))
}

impl Links {
    /// Reads a line; `None` if it is not a JSON object.
    fn read(raw: &str) -> Option<Self> {
        let links = if is_plain(raw) { serde_json::from_str(raw).ok() } else { None };
        links.or_else(|| Self::from_fields(raw))
    }

    /// Like [`Self::read`], but parses all fields: slower, and fields of other types are ignored.
    fn from_fields(raw: &str) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_str(raw).ok()?;
        let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            kind: text("type"),
            id: text("id"),
            parent_id: match fields.get("parentId") {
                Some(Value::String(parent)) => ParentId::Id(parent.clone()),
                Some(Value::Null) => ParentId::Null,
                Some(_) | None => ParentId::Missing,
            },
            first_kept_entry_index: fields.get("firstKeptEntryIndex").and_then(Value::as_u64),
        })
    }
}

/// Returns false if a JSON text may be an array, which serde takes for an object, or have values that are valid when they are skipped, but
/// not when they are parsed: surrogates, very large numbers, and deep nesting.
fn is_plain(raw: &str) -> bool {
    /// No number with fewer digits is too large.
    const MAX_DIGITS: usize = 100;
    /// Fewer than serde's limit.
    const MAX_DEPTH: usize = 100;
    if !raw.starts_with('{') {
        return false;
    }
    let (mut digits, mut depth, mut last) = (0, 0, b' ');
    for byte in raw.bytes() {
        let is_digit = byte.is_ascii_digit();
        if last == b'\\' && byte == b'u' || digits > 0 && matches!(byte, b'e' | b'E') {
            return false;
        }
        digits = if is_digit { digits + 1 } else { 0 };
        depth += usize::from(matches!(byte, b'{' | b'['));
        if digits > MAX_DIGITS || depth > MAX_DEPTH {
            return false;
        }
        last = byte;
    }
    true
}

/// A line with all its fields.
#[derive(Debug)]
pub(super) struct Parsed<'t> {
    /// The line, unchanged from the file.
    pub(super) raw: &'t str,
    pub(super) fields: Map<String, Value>,
}

impl Parsed<'_> {
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
pub fn read(text: &str) -> Result<Session<'_>, Error> {
    let lines = text.split('\n').enumerate().map(|(at, raw)| (at + 1, raw.trim_matches(BLANK)));
    let mut lines = lines.filter(|(_, raw)| !raw.is_empty());
    let (number, raw) = lines.next().ok_or(Error::Empty)?;
    let head: Map<String, Value> =
        serde_json::from_str(raw).map_err(|_| Error::NoSession { line: number })?;
    let is_head = head.get("type").and_then(Value::as_str) == Some("session")
        && head.get("id").is_some_and(Value::is_string);
    if !is_head {
        return Err(Error::NoSession { line: number });
    }
    let version = head.get("version").and_then(Value::as_u64).unwrap_or(1);
    if version > VERSION {
        return Err(Error::TooNew { line: number, version });
    }
    let head = Parsed { raw, fields: head };
    let mut entries: Vec<Line<'_>> = Vec::new();
    let mut warnings = Vec::new();
    for (number, raw) in lines {
        let Some(links) = Links::read(raw) else {
            warnings.push(format!("line {number} is damaged and was skipped"));
            continue;
        };
        let id = match links.id {
            Some(id) if version > 1 => id,
            Some(_) | None => format!("{:08x}", entries.len() + 1),
        };
        let parent = match links.parent_id {
            ParentId::Id(parent) if version > 1 => Some(parent),
            ParentId::Null if version > 1 => None,
            ParentId::Id(_) | ParentId::Null | ParentId::Missing => {
                entries.last().map(|line| line.id.clone())
            }
        };
        entries.push(Line {
            raw,
            kind: links.kind.unwrap_or_default(),
            id,
            parent,
            first_kept_index: links.first_kept_entry_index,
            first_kept_id: None,
        });
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
fn parent(index: usize, line: &Line<'_>, index_by_id: &HashMap<String, usize>) -> Option<usize> {
    match index_by_id.get(line.parent.as_ref()?) {
        Some(earlier) if *earlier < index => Some(*earlier),
        Some(_) | None => index.checked_sub(1),
    }
}

impl<'t> Session<'t> {
    /// Version 1 refers to the first kept message by its index in the file, including the header.
    fn keep_by_id(&mut self) {
        if self.entries.iter().all(|line| line.first_kept_index.is_none()) {
            return;
        }
        let ids: Vec<String> = self.entries.iter().map(|line| line.id.clone()).collect();
        for line in &mut self.entries {
            let index = line.first_kept_index;
            let index = index.and_then(|index| usize::try_from(index).ok()?.checked_sub(1));
            line.first_kept_id = index.and_then(|index| ids.get(index)).cloned();
        }
    }

    /// Returns an entry's parent, by index; `None` for a first entry.
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
    pub(super) fn current(&self) -> impl Iterator<Item = &Line<'t>> {
        let mut path: Vec<usize> = self.back(self.entries.len().checked_sub(1)).collect();
        path.reverse();
        path.into_iter().filter_map(|index| self.entries.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_way_to_link_lines_finds_what_all_fields_say() {
        let nested =
            |depth| format!(r#"{{"id":"a","x":{}1{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let long = |digits| format!(r#"{{"id":"a","x":{}}}"#, "9".repeat(digits));
        let (deep, long) = ([50, 90, 120, 200].map(nested), [20, 99, 110, 400].map(long));
        let rows = [
            r#"{"type":"message","id":"a","parentId":"b","message":{"role":"user","content":"x"}}"#,
            r#"{"type":"message","id":"a","parentId":null}"#,
            r#"{"type":"compaction","id":"a","firstKeptEntryIndex":3}"#,
            r#"{"firstKeptEntryIndex":-3}"#,
            r#"{"firstKeptEntryIndex":null,"id":null,"type":null}"#,
            r#"{"id":1,"parentId":2,"type":3}"#,
            r#"{"id":"a","id":"b"}"#,
            r#"{"x":1,"x":2}"#,
            r#"{"id":"a","x":"\ud800"}"#,
            r#"{"id":"\u0061","x":"\ud83d\ude00"}"#,
            r#"{"id":"a","x":1e999}"#,
            r#"{"id":"a","x":1E5}"#,
            r#"{"id":"a","x":01}"#,
            r#"{"id":"a"} x"#,
            r#"{"id":"a""#,
            r#"{"id":"a","x":"	"}"#,
            "{}",
            "[]",
            r#"["message","a","b",1]"#,
            "7",
        ];
        let (deep, long) = (deep.iter().map(String::as_str), long.iter().map(String::as_str));
        for raw in rows.into_iter().chain(deep).chain(long) {
            assert_eq!(Links::read(raw), Links::from_fields(raw), "{raw}");
        }
    }
}
