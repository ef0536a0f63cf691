//! One line of a journal: the event record as it is sent over the wire, and a private field beside it.

use pintle_protocol::event::EventRecord;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The private field's name. It comes last in a line.
const PRIVATE: &str = "private";

/// A line of a journal, read.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The event's number.
    pub seq: u64,
    /// The record as JSON text, as it goes over the wire.
    pub wire: Box<RawValue>,
    /// The record, or `None` for a kind of event that this engine does not know.
    pub record: Option<EventRecord>,
    /// The private part, such as the parts of a reply that a provider wants back verbatim.
    pub private: Option<Box<RawValue>>,
}

impl Entry {
    /// The entry of an event that was just appended without a private part.
    pub fn written(record: EventRecord, json: &str) -> Self {
        let wire =
            RawValue::from_string(json.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self { seq: record.seq, wire, record: Some(record), private: None }
    }
}

/// Writes the line of a record.
pub(super) fn line(wire: &str, private: Option<&RawValue>) -> String {
    match private {
        None => format!("{wire}\n"),
        Some(private) => {
            let body = wire.strip_suffix('}').unwrap_or(wire);
            format!("{body},\"{PRIVATE}\":{private}}}\n")
        }
    }
}

/// Reads a line.
pub(crate) fn parse(line: &str) -> Result<Entry, serde_json::Error> {
    #[derive(Deserialize)]
    struct Line {
        seq: u64,
        private: Option<Box<RawValue>>,
    }
    // A journal that passed through another system may have other line ends.
    let line = line.strip_suffix('\r').unwrap_or(line);
    let Line { seq, private } = serde_json::from_str(line)?;
    let wire = match &private {
        None => line.to_owned(),
        Some(private) => {
            let tail = format!(",\"{PRIVATE}\":{private}}}");
            let body = line.strip_suffix(tail.as_str()).unwrap_or(line);
            format!("{body}}}")
        }
    };
    Ok(Entry {
        seq,
        record: serde_json::from_str(&wire).ok(),
        wire: RawValue::from_string(wire)?,
        private,
    })
}
