//! Points of a session between which its entries can be listed and searched. Pure.

use super::tree;
use crate::context::conversation::without_engine_prefix;
use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::history::{OutlineEntry, OutlineKind};
use pintle_protocol::item::{ItemBody, ItemStatus};
use std::collections::BTreeMap;

/// Maximum length of a summary, in characters.
const TEXT_CHARS: usize = 120;

/// Returns a session's outline, in event order.
pub fn outline(entries: &[Entry]) -> Vec<OutlineEntry> {
    let is_on_path = tree::current(entries);
    let mut labels = tree::labels(entries);
    let mut copied = BTreeMap::new();
    let mut outline = Vec::new();
    for entry in entries {
        let Some(record) = &entry.record else { continue };
        let mut add = |kind, text, from, metadata| {
            let is_current = is_on_path(entry);
            outline.push(OutlineEntry {
                seq: entry.seq,
                kind,
                text,
                metadata,
                from,
                ts_ms: record.ts_ms,
                is_current,
            });
        };
        if let Event::SessionCreated(created) = &record.event {
            add(OutlineKind::Start, None, None, None);
            copied.extend(
                created.forked_from.as_ref().map(|from| (from.copied_seq, from.session_id.clone())),
            );
        }
        if let Event::HistoryRewound(rewound) = &record.event {
            copied.extend(
                rewound.merged.as_ref().map(|from| (from.copied_seq, from.session_id.clone())),
            );
        }
        if let Event::ItemCompleted { item } = &record.event
            && item.status == ItemStatus::Completed
        {
            if let ItemBody::Compaction(compaction) = &item.body {
                let text = compaction.summary.as_deref().and_then(beginning);
                add(OutlineKind::Compaction, text, None, None);
            }
            if let ItemBody::EngineMessage(message) = &item.body
                && message.summarizes_rewound
            {
                add(OutlineKind::RewindSummary, beginning(&message.text), None, None);
            }
        }
        if let Some(from) = copied.remove(&entry.seq) {
            add(OutlineKind::Copied, None, Some(from), None);
        }
        if let Some((label, metadata)) = labels.remove(&entry.seq) {
            add(OutlineKind::Label, Some(label.to_owned()), None, metadata.cloned());
        }
    }
    outline
}

/// Returns the first line of content in a summary: not the engine's introduction, a heading or a list mark.
fn beginning(text: &str) -> Option<String> {
    let body = match text.split_once("\n\n") {
        Some((heading, body)) if without_engine_prefix(heading).is_some() => body,
        Some(_) | None => text,
    };
    let is_content =
        |line: &&str| line.chars().any(char::is_alphanumeric) && !line.starts_with('#');
    let line = body.lines().map(str::trim).find(is_content)?;
    Some(line.chars().take(TEXT_CHARS).collect())
}
