//! One journal line: the event record as sent over the wire, with a private field.
//!
//! Opening a session reads every line, so frequent events bypass serde's handling of tagged enums, which buffers all fields before it looks
//! at the tag. `quick` is that bypass; its tests compare it with the regular path.

mod quick;

use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::{SessionId, TurnId};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The private field's name. It comes last in a line.
const PRIVATE: &str = "private";

/// A line of a journal, read.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The event's number.
    pub seq: u64,
    /// The record, or `None` for a kind of event that this engine does not know.
    pub record: Option<EventRecord>,
    /// The private part, such as reply parts that a provider requires back verbatim.
    pub private: Option<Box<RawValue>>,
}

impl Entry {
    /// Returns the entry for an event that was just appended without a private part.
    pub fn written(record: EventRecord) -> Self {
        Self { seq: record.seq, record: Some(record), private: None }
    }
}

/// What is read of a line. A line that is damaged gives nothing.
pub trait FromLine: Sized {
    /// Reads a line; returns the event's number with it.
    fn from_line(line: &str) -> Option<(u64, Self)>;
}

impl FromLine for Entry {
    fn from_line(line: &str) -> Option<(u64, Self)> {
        parse(line).ok().map(|entry| (entry.seq, entry))
    }
}

/// The record as JSON text, as it goes over the wire.
impl FromLine for Box<RawValue> {
    fn from_line(line: &str) -> Option<(u64, Self)> {
        #[derive(Deserialize)]
        struct Line<'a> {
            seq: u64,
            #[serde(borrow)]
            private: Option<&'a RawValue>,
        }
        let line = without_return(line);
        let Line { seq, private } = serde_json::from_str(line).ok()?;
        let wire = wire(line, private);
        Some((seq, RawValue::from_string(wire.into_owned()).ok()?))
    }
}

/// Returns a line's number.
pub(super) fn number_of(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Head {
        seq: u64,
    }
    serde_json::from_slice::<Head>(line).ok().map(|head| head.seq)
}

/// Writes a record's line.
pub(super) fn line(wire: &str, private: Option<&RawValue>) -> String {
    match private {
        None => format!("{wire}\n"),
        Some(private) => {
            let body = wire.strip_suffix('}').unwrap_or(wire);
            format!("{body},\"{PRIVATE}\":{private}}}\n")
        }
    }
}

/// Strips a carriage return: a journal that passed through another system may have other line endings.
fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns a line without its private part.
fn wire<'a>(line: &'a str, private: Option<&RawValue>) -> Cow<'a, str> {
    let Some(private) = private else { return line.into() };
    let tail = format!(",\"{PRIVATE}\":{private}}}");
    let body = line.strip_suffix(tail.as_str()).unwrap_or(line);
    format!("{body}}}").into()
}

/// Reads a line.
pub(crate) fn parse(line: &str) -> Result<Entry, serde_json::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        seq: u64,
        #[serde(borrow)]
        session_id: Option<&'a RawValue>,
        #[serde(borrow)]
        ts_ms: Option<&'a RawValue>,
        #[serde(borrow)]
        turn_id: Option<&'a RawValue>,
        #[serde(borrow)]
        cause: Option<&'a RawValue>,
        #[serde(borrow)]
        event: Option<&'a RawValue>,
        private: Option<Box<RawValue>>,
    }

    let line: Line<'_> = serde_json::from_str(without_return(line))?;
    let record = || {
        fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
            serde_json::from_str(raw.get()).ok()
        }
        Some(EventRecord {
            session_id: read::<SessionId>(line.session_id?)?,
            seq: line.seq,
            ts_ms: read(line.ts_ms?)?,
            turn_id: line.turn_id.map_or(Some(None), read::<Option<TurnId>>)?,
            cause: line.cause.map_or(Some(None), read::<Option<_>>)?,
            event: quick::event(line.event?.get())?,
        })
    };
    Ok(Entry { seq: line.seq, record: record(), private: line.private })
}
