//! The anchors of a session as text.

use super::super::transcript::one_line;
use super::super::when;
use pintle::agent::EngineHandle;
use pintle::history::anchors;
use pintle::store::Entry;
use pintle_protocol::history::{Anchor, AnchorKind};
use pintle_protocol::ids::SessionId;
use std::io::{self, Write};

/// Prints the anchors of a session, which may be open in another process.
pub(super) fn tell(engine: &EngineHandle, id: &SessionId, is_json: bool) -> anyhow::Result<u8> {
    let entries = engine.services().store.entries(id)?;
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    let width = entries.last().map_or(1, |entry| entry.seq.to_string().len());
    let mut out = io::stdout().lock();
    for anchor in anchors::anchors(&entries) {
        if is_json {
            writeln!(out, "{}", serde_json::to_string(&anchor)?)?;
        } else {
            let way = if anchor.is_current { '*' } else { ' ' };
            let time = when::shown(anchor.ts_ms);
            writeln!(out, "{way} {:>width$}  {time}  {}", anchor.seq, said(&anchor))?;
        }
    }
    Ok(0)
}

fn said(anchor: &Anchor) -> String {
    let Anchor { kind, text, from, .. } = anchor;
    let text = text.as_deref().map(one_line).unwrap_or_default();
    match (kind, from) {
        (AnchorKind::Start, _) => "the beginning".to_owned(),
        (AnchorKind::Copied, from) => {
            let from = from.as_ref().map_or("another session", SessionId::as_str);
            format!("the end of what came from {from}")
        }
        (AnchorKind::Compaction, _) => format!("summed up to make room: {text}"),
        (AnchorKind::HandOver, _) => format!("what was left, summed up: {text}"),
        (AnchorKind::Label, _) => format!("[{text}]"),
    }
}
