//! A session's history tree and its outline as text: a line for each prompt, end of a turn and labelled place, with branches indented; and
//! names for places.

use super::super::terminal::{one_line, time};
use super::{OpenSession, place, refused};
use crate::cli::args::history::Place;
use pintle_agent::EngineHandle;
use pintle_base::text::screen;
use pintle_protocol::event::{Event, EventRecord, TurnStatus};
use pintle_protocol::history::{HistoryNode, OutlineEntry, OutlineKind, SessionLabelParams};
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::methods::SessionLabel;
use pintle_session::history::{outline, tree as ways};
use pintle_session::store::Entry;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;

/// A node with facts that the node list lacks.
struct Row {
    node: HistoryNode,
    /// The prompt's number, from 1.
    number: Option<usize>,
    /// The end of its turn, if that is not a separate node.
    end: Option<End>,
    /// Its own event ends a turn.
    is_end: Option<TurnStatus>,
}

#[derive(Clone, Copy)]
struct End {
    seq: u64,
    status: TurnStatus,
}

/// Prints a session's tree. The session may be open in another process.
pub(super) fn tell(engine: &EngineHandle, id: &SessionId, is_json: bool) -> anyhow::Result<u8> {
    let entries = engine.store().entries(id)?;
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    let rows = rows(ways::nodes(&entries), &turn_ends(&entries));
    let here = rows.iter().filter(|row| row.node.is_current).map(|row| row.node.seq).max();
    let mut out = screen::out();
    if is_json {
        for row in &rows {
            writeln!(out, "{}", screen::escaped(&as_json(row, here)?))?;
        }
    } else {
        let leaf_seq = entries.last().map_or(0, |entry| entry.seq);
        for line in drawn(&rows, here, leaf_seq.to_string().len()) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(0)
}

/// Returns the event with which each turn ended.
fn turn_ends(entries: &[Entry]) -> HashMap<TurnId, End> {
    let records = entries.iter().filter_map(|entry| entry.record.as_ref());
    let end = |record: &EventRecord| match (&record.event, &record.turn_id) {
        (Event::TurnCompleted(end), Some(turn)) => {
            Some((turn.clone(), End { seq: record.seq, status: end.status }))
        }
        _ => None,
    };
    records.filter_map(end).collect()
}

impl OpenSession<'_> {
    pub(super) async fn nodes(&self) -> anyhow::Result<Vec<HistoryNode>> {
        let told = self.engine.tree(self.session.id.clone()).await;
        Ok(told.map_err(|error| refused(error, &self.session.id))?.nodes)
    }

    pub(super) async fn label(&self, to: &Place, label: Option<String>) -> anyhow::Result<u8> {
        let at = place::find(&self.nodes().await?, to, &self.session.id)?;
        let named =
            SessionLabelParams { at, label: label.clone(), ..SessionLabelParams::default() };
        let seq = self.call::<SessionLabel>(named).await?.seq;
        let mut out = screen::out();
        match label {
            Some(label) => writeln!(out, "labeled event {seq}: {}", one_line(&label))?,
            None => writeln!(out, "removed the label of event {seq}")?,
        }
        Ok(0)
    }
}

fn rows(nodes: Vec<HistoryNode>, ends: &HashMap<TurnId, End>) -> Vec<Row> {
    let by_seq: HashMap<u64, TurnStatus> = ends.values().map(|end| (end.seq, end.status)).collect();
    // A turn is shown to end below the last message that went into it.
    let mut last: HashMap<TurnId, u64> = HashMap::new();
    let shown: HashSet<u64> = nodes.iter().map(|node| node.seq).collect();
    for node in &nodes {
        if let Some(turn) = node.turn_id.as_ref().filter(|_| node.item_id.is_some()) {
            last.insert(turn.clone(), node.seq);
        }
    }
    let mut count = 0;
    nodes
        .into_iter()
        .map(|node| {
            count += usize::from(node.item_id.is_some());
            let number = node.item_id.is_some().then_some(count);
            let turn = node.turn_id.as_ref();
            let end = turn
                .filter(|turn| last.get(turn) == Some(&node.seq))
                .and_then(|turn| ends.get(turn))
                .filter(|end| !shown.contains(&end.seq))
                .copied();
            Row { number, end, is_end: by_seq.get(&node.seq).copied(), node }
        })
        .collect()
}

/// Draws the tree. A path without branches stays in its column.
fn drawn(rows: &[Row], here: Option<u64>, width: usize) -> Vec<String> {
    let mut children: BTreeMap<Option<u64>, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        children.entry(row.node.parent_seq).or_default().push(row);
    }
    let mark = |is_here: bool| if is_here { "  <- here" } else { "" };
    let mut lines = vec![format!("* {:>width$}  start{}", 0, mark(here.is_none()))];
    // Rows still to draw: a row, its prefix, and the prefix for its own lines below.
    let mut left: Vec<(&Row, String, String)> = Vec::new();
    branch(&mut left, children.remove(&None), "");
    while let Some((row, before, below)) = left.pop() {
        let Row { node, number, end, is_end } = row;
        let way = if node.is_current { '*' } else { ' ' };
        let what = match (number, is_end) {
            (Some(number), _) => format!("#{number} {}", one_line(&node.text)),
            (None, Some(status)) => ended(*status).to_owned(),
            (None, None) => "event".to_owned(),
        };
        let label = node.label.as_ref().map(|label| format!("  [{}]", one_line(label)));
        let (label, here) = (label.unwrap_or_default(), mark(here == Some(node.seq)));
        lines.push(format!("{way} {before}{:>width$}  {what}{label}{here}", node.seq));
        if let Some(End { seq, status }) = end {
            lines.push(format!("{way} {below}{seq:>width$}    {}", ended(*status)));
        }
        branch(&mut left, children.remove(&Some(node.seq)), &below);
    }
    lines
}

/// Pushes the next rows on the stack, the first one on top, with their prefixes.
fn branch<'a>(left: &mut Vec<(&'a Row, String, String)>, rows: Option<Vec<&'a Row>>, before: &str) {
    let rows = rows.unwrap_or_default();
    let count = rows.len();
    for (at, row) in rows.into_iter().enumerate().rev() {
        let (own, below) = match (count, at + 1 == count) {
            (1, _) => ("", ""),
            (_, false) => ("├─ ", "│  "),
            (_, true) => ("└─ ", "   "),
        };
        left.push((row, format!("{before}{own}"), format!("{before}{below}")));
    }
}

fn ended(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Completed => "end of the turn",
        TurnStatus::Interrupted => "end of the turn, interrupted",
        TurnStatus::Failed => "end of the turn, failed",
    }
}

fn as_json(row: &Row, here: Option<u64>) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(&row.node)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("isHere".to_owned(), json!(here == Some(row.node.seq)));
        if let Some(number) = row.number {
            fields.insert("prompt".to_owned(), json!(number));
        }
        if let Some(End { seq, status }) = row.end {
            fields.insert("turnEnd".to_owned(), json!({ "seq": seq, "status": status }));
        }
    }
    Ok(value.to_string())
}

/// Prints a session's outline. The session may be open in another process.
pub(super) fn tell_outline(
    engine: &EngineHandle,
    id: &SessionId,
    is_json: bool,
) -> anyhow::Result<u8> {
    let entries = engine.store().entries(id)?;
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    let width = entries.last().map_or(1, |entry| entry.seq.to_string().len());
    let mut out = screen::out();
    for entry in outline::outline(&entries) {
        if is_json {
            writeln!(out, "{}", screen::escaped(&serde_json::to_string(&entry)?))?;
        } else {
            let way = if entry.is_current { '*' } else { ' ' };
            let ts = time(entry.ts_ms);
            writeln!(out, "{way} {:>width$}  {ts}  {}", entry.seq, described(&entry))?;
        }
    }
    Ok(0)
}

fn described(entry: &OutlineEntry) -> String {
    let OutlineEntry { kind, text, from, .. } = entry;
    let text = text.as_deref().map(one_line).unwrap_or_default();
    match (kind, from) {
        (OutlineKind::Start, _) => "start".to_owned(),
        (OutlineKind::Copied, from) => {
            let from = from.as_ref().map_or("another session", SessionId::as_str);
            format!("end of the history copied from {from}")
        }
        (OutlineKind::Compaction, _) => format!("summarized to free context: {text}"),
        (OutlineKind::RewindSummary, _) => format!("summary of the abandoned branch: {text}"),
        (OutlineKind::Label, _) => format!("[{text}]"),
    }
}
