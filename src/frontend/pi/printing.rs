//! The output of running calls: Pi's clients receive the tail of the whole output with each update. Pure, except for the clock.
//!
//! Invariant: a call's updates are sent at intervals of at least [`PAUSE`], and output printed before a call's end is sent before its end.

use super::line::put;
use super::message;
use pintle_base::text::truncate::border_after;
use pintle_protocol::event::ItemDelta;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody, ToolKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The minimum time between two updates of a call, as in Pi.
const PAUSE: Duration = Duration::from_millis(100);

/// The maximum length of the output that an update repeats, in bytes.
const MAX_TAIL_BYTES: usize = 50 * 1024;

/// The running calls.
#[derive(Debug, Default)]
pub(super) struct Printing(BTreeMap<ItemId, Call>);

#[derive(Debug)]
struct Call {
    /// The update without its output.
    update: Value,
    text: String,
    /// Output was printed that was not sent.
    has_unsent: bool,
    /// When the next update is due.
    due: Instant,
}

impl Printing {
    /// Begins a call. For a command, an update without output is sent.
    pub(super) fn begin(&mut self, item: &Item, now: Instant, out: &mut Vec<Vec<u8>>) {
        let ItemBody::ToolCall(call) = &item.body else { return };
        let update = json!({
            "type": "tool_execution_update",
            "toolCallId": item.id,
            "toolName": call.tool_name,
            "args": message::arguments(call),
        });
        let (text, has_unsent, due) = (String::new(), false, now);
        let printing = Call { update, text, has_unsent, due };
        if call.kind == ToolKind::Execute {
            out.push(printing.update(&json!([])));
        }
        self.0.insert(item.id.clone(), printing);
    }

    /// Adds output of a call.
    pub(super) fn add(&mut self, delta: &ItemDelta, now: Instant, out: &mut Vec<Vec<u8>>) {
        let Some(call) = self.0.get_mut(&delta.item_id) else { return };
        call.text.push_str(&delta.text);
        if call.text.len() > 2 * MAX_TAIL_BYTES {
            let from = border_after(&call.text, call.text.len() - MAX_TAIL_BYTES);
            call.text.drain(..from);
        }
        call.has_unsent = true;
        call.send_if_due(now, out);
    }

    /// Ends a call, and sends its remaining output.
    pub(super) fn end(&mut self, id: &ItemId, out: &mut Vec<Vec<u8>>) {
        if let Some(mut call) = self.0.remove(id) {
            call.send_if_due(call.due, out);
        }
    }

    /// Returns when the next update is due, if there is anything to send.
    pub(super) fn due(&self) -> Option<Instant> {
        self.0.values().filter(|call| call.has_unsent).map(|call| call.due).min()
    }

    /// Sends the updates that are due.
    pub(super) fn send(&mut self, now: Instant, out: &mut Vec<Vec<u8>>) {
        for call in self.0.values_mut() {
            call.send_if_due(now, out);
        }
    }
}

impl Call {
    fn send_if_due(&mut self, now: Instant, out: &mut Vec<Vec<u8>>) {
        if now < self.due || !std::mem::take(&mut self.has_unsent) {
            return;
        }
        self.due = now + PAUSE;
        let from = border_after(&self.text, self.text.len().saturating_sub(MAX_TAIL_BYTES));
        let tail = self.text.get(from..).unwrap_or_default();
        out.push(self.update(&json!([{ "type": "text", "text": tail }])));
    }

    fn update(&self, content: &Value) -> Vec<u8> {
        let mut update = self.update.clone();
        put(&mut update, "partialResult", json!({ "content": content }));
        update.to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::DeltaField;
    use pintle_protocol::item::{ItemStatus, ToolCall};

    fn running(kind: ToolKind) -> Item {
        Item {
            id: ItemId::new("i"),
            turn_id: None,
            step: None,
            status: ItemStatus::Running,
            started_ms: 0,
            duration_ms: None,
            body: ItemBody::ToolCall(Box::new(ToolCall {
                title: String::new(),
                kind,
                by_provider: false,
                tool_name: "t".to_owned(),
                locations: Vec::new(),
                input: None,
                changed_input: None,
                output: None,
            })),
        }
    }

    fn piece(text: &str) -> ItemDelta {
        ItemDelta {
            item_id: ItemId::new("i"),
            field: DeltaField::Output,
            path: None,
            n: 0,
            to: None,
            text: text.to_owned(),
        }
    }

    fn printed(out: &[Vec<u8>]) -> Vec<String> {
        out.iter()
            .map(|line| {
                let line: Value = serde_json::from_slice(line).unwrap();
                let text = line.pointer("/partialResult/content/0/text");
                text.and_then(Value::as_str).unwrap_or("nothing yet").to_owned()
            })
            .collect()
    }

    /// The pieces, each with its arrival time, then the updates if the call ends right after the last piece.
    type Row = (&'static str, ToolKind, &'static [(u64, &'static str)], &'static [&'static str]);

    #[test]
    fn a_call_is_told_of_at_most_every_so_often_and_wholly_before_its_end() {
        let rows: [Row; 5] = [
            ("nothing", ToolKind::Execute, &[], &["nothing yet"]),
            ("no command", ToolKind::Read, &[(0, "a")], &["a"]),
            ("slow", ToolKind::Execute, &[(0, "a"), (100, "b")], &["nothing yet", "a", "ab"]),
            (
                "fast",
                ToolKind::Execute,
                &[(0, "a"), (9, "b"), (99, "c")],
                &["nothing yet", "a", "abc"],
            ),
            (
                "with a pause",
                ToolKind::Execute,
                &[(0, "a"), (9, "b"), (250, "c")],
                &["nothing yet", "a", "ab", "abc"],
            ),
        ];
        for (name, kind, pieces, want) in rows {
            let (mut printing, mut out) = (Printing::default(), Vec::new());
            let began = Instant::now();
            printing.begin(&running(kind), began, &mut out);
            for (ms, text) in pieces {
                let now = began + Duration::from_millis(*ms);
                if let Some(due) = printing.due().filter(|due| *due < now) {
                    printing.send(due, &mut out);
                }
                printing.add(&piece(text), now, &mut out);
            }
            printing.end(&ItemId::new("i"), &mut out);
            assert_eq!(printed(&out), want, "{name}");
            assert_eq!(printing.due(), None, "{name}");
        }
    }

    #[test]
    fn of_much_the_end_is_told() {
        let (mut printing, mut out) = (Printing::default(), Vec::new());
        let now = Instant::now();
        printing.begin(&running(ToolKind::Read), now, &mut out);
        printing.add(&piece(&"é".repeat(200_000)), now, &mut out);
        printing.add(&piece("end"), now, &mut out);
        printing.end(&ItemId::new("i"), &mut out);
        for text in printed(&out) {
            assert!(
                text.len() <= MAX_TAIL_BYTES && text.len() > MAX_TAIL_BYTES - 2,
                "{}",
                text.len()
            );
        }
        assert!(printed(&out)[1].ends_with("end"));
    }
}
