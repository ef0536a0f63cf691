//! Points of a session between which its entries can be listed and searched. Pure.

use super::tree;
use crate::context::conversation::without_engine_prefix;
use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::history::{Anchor, AnchorKind};
use pintle_protocol::item::{ItemBody, ItemStatus};
use std::collections::BTreeMap;

/// The summary length in an anchor.
const TEXT_CHARS: usize = 120;

/// Returns a session's anchors, in event order.
pub fn anchors(entries: &[Entry]) -> Vec<Anchor> {
    let is_on_path = tree::current(entries);
    let mut labels = tree::labels(entries);
    let mut copied = BTreeMap::new();
    let mut anchors = Vec::new();
    for entry in entries {
        let Some(record) = &entry.record else { continue };
        let mut add = |kind, text, from, metadata| {
            let is_current = is_on_path(entry);
            anchors.push(Anchor {
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
            add(AnchorKind::Start, None, None, None);
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
                add(AnchorKind::Compaction, text, None, None);
            }
            if let ItemBody::EngineMessage(message) = &item.body
                && message.sums_up_left
            {
                add(AnchorKind::HandOver, beginning(&message.text), None, None);
            }
        }
        if let Some(from) = copied.remove(&entry.seq) {
            add(AnchorKind::Copied, None, Some(from), None);
        }
        if let Some((label, metadata)) = labels.remove(&entry.seq) {
            add(AnchorKind::Label, Some(label.to_owned()), None, metadata.cloned());
        }
    }
    anchors
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
