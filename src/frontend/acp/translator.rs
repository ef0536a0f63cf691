//! Translates a session's events into updates of this protocol. Pure.
//!
//! Invariant: the chunks of a message, joined, are its text, even if deltas were dropped: the event that completes an item supplies the
//! rest.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new form of items and a new transient event must be shown in this protocol"
)]

use super::calls::{self, Call, Screen, Sent};
use super::{notices, tool, wire};
use agent_client_protocol_schema::v1 as acp;
use pintle_base::text::truncate::{border_after, border_before};
use pintle_protocol::context::ContextUsage;
use pintle_protocol::event::{DeltaField, Event, ItemDelta, NoticeLevel, TransientEvent};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Compaction, Item, ItemStatus, ToolKind};
use pintle_protocol::plan::{Plan, PlanStatus};
use pintle_session::history::Streamed;
use pintle_session::presentation::Form;
use serde_json::json;
use std::collections::BTreeMap;

/// Limit for a running command's output, as shown to clients without terminals; the last characters are kept.
const TAIL_BYTES: usize = 8 * 1024;

/// The client's capabilities for showing events.
#[expect(clippy::struct_excessive_bools, reason = "each is a capability by its name")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Offers {
    /// True if command output is sent in `_meta`, as it arrives.
    pub(super) terminal_output: bool,
    /// Notices.
    pub(super) notices: bool,
    /// Compaction.
    pub(super) compaction: bool,
    /// Forms.
    pub(super) form: bool,
}

/// A session's translation state.
#[derive(Debug, Clone, Default)]
pub(super) struct Translator {
    offers: Offers,
    /// Items that have not ended.
    open: BTreeMap<ItemId, OpenItem>,
    /// The cost of earlier turns, in billionths of a US dollar.
    cost_before: Option<u64>,
    cost: Option<u64>,
}

/// An unfinished item's state.
#[derive(Debug, Clone)]
struct OpenItem {
    kind: ItemKind,
    streamed: Streamed,
    /// A command's last output.
    tail: String,
    sent: Sent,
}

#[derive(Debug, Clone)]
enum ItemKind {
    Message,
    Thought,
    Compaction,
    /// A call, a job or a sub-agent.
    Call(Screen),
}

type Updates = Vec<acp::SessionUpdate>;

impl Translator {
    pub(super) fn new(offers: Offers, cost: Option<u64>) -> Self {
        Self { offers, cost_before: cost, cost, ..Self::default() }
    }

    /// Returns a durable event's updates. Events about a session as a whole are handled in `events`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most events are not displayed")]
    pub(super) fn durable(&mut self, event: &Event, seq: u64) -> Updates {
        let mut updates = Updates::new();
        match event {
            Event::ItemStarted { item } | Event::ItemUpdated { item } => {
                self.open_item(item, &mut updates);
            }
            Event::ItemCompleted { item } => self.end_item(item, &mut updates),
            Event::PlanUpdated(plan) => updates.push(plan_update(plan)),
            Event::StepCompleted(step) => {
                let turn = step.turn_cost_nano_usd;
                self.cost = sum(self.cost_before, turn);
            }
            Event::TurnCompleted(end) => {
                self.cost_before = sum(self.cost_before, end.cost_nano_usd);
                self.cost = self.cost_before;
            }
            Event::RetryScheduled(retry) => updates.push(notices::retries(self.offers, retry, seq)),
            Event::Notice(notice) => updates.push(notices::notice(self.offers, notice, seq)),
            Event::ContextPruned(pruned) if self.offers.notices => {
                let calls = match pruned.calls {
                    0 => String::new(),
                    calls => format!(" and the long arguments of {calls} calls"),
                };
                let text =
                    format!("{} old results{calls} were removed to free context", pruned.results);
                updates.push(acp::SessionUpdate::Notice(acp::Notice::new(
                    acp::NoticeSeverity::Info,
                    text,
                )));
            }
            _ => {}
        }
        updates
    }

    /// Returns a transient event's updates.
    pub(super) fn transient(&mut self, event: &TransientEvent) -> Updates {
        match event {
            TransientEvent::ItemDelta(delta) => self.item_delta(delta),
            TransientEvent::Context(context) => self.used(context).into_iter().collect(),
            TransientEvent::Notice(notice) => vec![notices::notice(self.offers, notice, 0)],
            TransientEvent::State(_) | TransientEvent::StepUsage(_) => Updates::new(),
        }
    }

    /// Returns the context window usage, if the window's size is known.
    pub(super) fn used(&self, context: &ContextUsage) -> Option<acp::SessionUpdate> {
        let update = acp::UsageUpdate::new(context.tokens, context.window?);
        #[expect(clippy::cast_precision_loss, reason = "an amount for display")]
        let cost = self.cost.map(|nano| acp::Cost::new(nano as f64 / 1e9, "USD"));
        Some(acp::SessionUpdate::UsageUpdate(update.cost(cost)))
    }

    /// Returns the updates for an item of a loaded session.
    pub(super) fn replayed(&mut self, item: &Item) -> Updates {
        let mut updates = Updates::new();
        if let Some(message) = item.body.as_user_message() {
            let id = acp::MessageId::new(item.id.as_str().to_owned());
            for input in &message.content {
                let chunk =
                    acp::ContentChunk::new(super::content::shown(input)).message_id(id.clone());
                updates.push(acp::SessionUpdate::UserMessageChunk(chunk));
            }
        } else if item.duration_ms.is_some() {
            self.end_item(item, &mut updates);
        } else {
            self.open_item(item, &mut updates);
        }
        updates
    }

    /// Shows a call's command in the terminal that the client has created for it.
    pub(super) fn runs_in(&mut self, item: &ItemId, terminal: &str) -> Updates {
        let Some(open) = self.open.get_mut(item) else { return Updates::new() };
        open.kind = ItemKind::Call(Screen::Terminal(terminal.to_owned()));
        let content = vec![calls::drawn(terminal)];
        open.sent.show(&content);
        let fields = acp::ToolCallUpdateFields::new().content(content);
        let update = acp::ToolCallUpdate::new(item.as_str().to_owned(), fields);
        vec![acp::SessionUpdate::ToolCallUpdate(update)]
    }

    fn entry(&mut self, item: &Item, kind: ItemKind) -> &mut OpenItem {
        self.open.entry(item.id.clone()).or_insert(OpenItem {
            kind,
            streamed: Streamed::default(),
            tail: String::new(),
            sent: Sent::default(),
        })
    }

    fn open_item(&mut self, item: &Item, updates: &mut Updates) {
        match Form::from(&item.body) {
            Form::Message(_) => {
                self.entry(item, ItemKind::Message);
            }
            Form::Reasoning(_) => {
                self.entry(item, ItemKind::Thought);
            }
            Form::Work(work) => self.update_call(&Call { item, work }, updates),
            Form::Compaction(_) => {
                if self.open.contains_key(&item.id) {
                    return;
                }
                self.entry(item, ItemKind::Compaction);
                if self.offers.compaction {
                    let update = acp::CompactionUpdate::new(
                        item.id.as_str().to_owned(),
                        acp::CompactionStatus::InProgress,
                    );
                    updates.push(acp::SessionUpdate::CompactionUpdate(update));
                }
            }
            Form::UserMessage(_) | Form::Note(_) => {}
        }
    }

    /// Announces a call, or updates it.
    fn update_call(&mut self, call: &Call, updates: &mut Updates) {
        let is_known = self.open.contains_key(&call.item.id);
        let is_drawn = self.offers.terminal_output && call.work.kind == ToolKind::Execute;
        let screen = if is_drawn { Screen::Meta } else { Screen::Text };
        let sent = &mut self.entry(call.item, ItemKind::Call(screen)).sent;
        updates.push(if is_known { call.updated(sent) } else { call.announced(is_drawn, sent) });
    }

    fn end_item(&mut self, item: &Item, updates: &mut Updates) {
        match Form::from(&item.body) {
            Form::Message(text) | Form::Reasoning(text) => {
                self.open_item(item, updates);
                let Some(open) = self.open.remove(&item.id) else { return };
                let rest = open.streamed.rest(text);
                updates.extend(pieces(rest).map(|piece| open.kind.chunk(&item.id, piece)));
            }
            Form::Work(work) => {
                let call = Call { item, work };
                if !self.open.contains_key(&item.id) {
                    self.update_call(&call, updates);
                }
                let Some(mut open) = self.open.remove(&item.id) else { return };
                let ItemKind::Call(screen) = open.kind else { return };
                updates.push(call.ended(&screen, open.streamed.is_whole(), &mut open.sent));
            }
            Form::Compaction(compaction) => {
                self.open_item(item, updates);
                self.open.remove(&item.id);
                updates.push(self.compacted(item, compaction));
            }
            Form::UserMessage(_) | Form::Note(_) => {}
        }
    }

    fn compacted(&self, item: &Item, compaction: &Compaction) -> acp::SessionUpdate {
        if !self.offers.compaction {
            let Compaction { tokens_before, tokens_after, error, .. } = compaction;
            let title = match (error, tokens_after) {
                (None, Some(after)) => {
                    format!(
                        "The conversation was compacted from about {tokens_before} to {after} tokens"
                    )
                }
                (Some(error), _) => format!("The conversation could not be compacted: {error}"),
                (None, None) => "The compaction was cancelled".to_owned(),
            };
            return notices::update(self.offers, NoticeLevel::Info, &title, None, item.id.as_str());
        }
        let status = match item.status {
            ItemStatus::Completed => acp::CompactionStatus::Completed,
            ItemStatus::Cancelled | ItemStatus::Declined => acp::CompactionStatus::Cancelled,
            ItemStatus::Failed => acp::CompactionStatus::Failed,
            ItemStatus::Pending | ItemStatus::Running => acp::CompactionStatus::InProgress,
        };
        let mut update = acp::CompactionUpdate::new(item.id.as_str().to_owned(), status);
        if let Some(summary) = &compaction.summary {
            let block = acp::ContentBlock::Text(acp::TextContent::new(wire::cut(summary)));
            update = update.summary(vec![block]);
        }
        if let Some(error) = &compaction.error {
            update = update.error(error.clone());
        }
        acp::SessionUpdate::CompactionUpdate(update)
    }

    fn item_delta(&mut self, delta: &ItemDelta) -> Updates {
        let Some(open) = self.open.get_mut(&delta.item_id) else { return Updates::new() };
        match (&open.kind, delta.field) {
            (ItemKind::Message | ItemKind::Thought, DeltaField::Text) => {
                // The item's end supplies the rest.
                let text = open.streamed.take_next(delta).unwrap_or_default();
                pieces(text).map(|piece| open.kind.chunk(&delta.item_id, piece)).collect()
            }
            (ItemKind::Compaction, DeltaField::Text) if self.offers.compaction => {
                let Some(text) = open.streamed.take(delta) else { return Updates::new() };
                let block = acp::ContentBlock::Text(acp::TextContent::new(wire::cut(text)));
                let id = delta.item_id.as_str().to_owned();
                let chunk = acp::CompactionSummaryChunk::new(id, block);
                vec![acp::SessionUpdate::CompactionSummaryChunk(chunk)]
            }
            (ItemKind::Call(screen), DeltaField::Output) => {
                let Some(text) = open.streamed.take(delta) else { return Updates::new() };
                let id = delta.item_id.as_str();
                let fields = acp::ToolCallUpdateFields::new();
                let update = match screen {
                    // The client shows command output in its terminals.
                    Screen::Terminal(_) => return Updates::new(),
                    Screen::Meta => {
                        let output = json!({"terminal_id": id, "data": terminal_text(text)});
                        acp::ToolCallUpdate::new(id.to_owned(), fields)
                            .meta(wire::meta("terminal_output", output))
                    }
                    Screen::Text => {
                        open.tail.push_str(text);
                        let over = open.tail.len().saturating_sub(TAIL_BYTES);
                        open.tail.drain(..border_after(&open.tail, over));
                        let content = vec![tool::text_content(tool::fenced(&open.tail))];
                        open.sent.show(&content);
                        acp::ToolCallUpdate::new(id.to_owned(), fields.content(content))
                    }
                };
                vec![acp::SessionUpdate::ToolCallUpdate(update)]
            }
            _ => Updates::new(),
        }
    }
}

impl ItemKind {
    fn chunk(&self, item: &ItemId, text: &str) -> acp::SessionUpdate {
        let chunk = chunk(text.to_owned(), item.as_str());
        match self {
            Self::Thought => acp::SessionUpdate::AgentThoughtChunk(chunk),
            Self::Message | Self::Compaction | Self::Call(_) => {
                acp::SessionUpdate::AgentMessageChunk(chunk)
            }
        }
    }
}

pub(super) fn chunk(text: String, id: &str) -> acp::ContentChunk {
    let block = acp::ContentBlock::Text(acp::TextContent::new(text));
    acp::ContentChunk::new(block).message_id(acp::MessageId::new(id.to_owned()))
}

/// Splits a text into pieces that each fit into a message.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = border_before(rest, wire::MAX_TEXT_BYTES);
        let (piece, more) = rest.split_at_checked(end)?;
        rest = more;
        Some(piece)
    })
}

/// Converts a text for a terminal, which keeps the column at a line feed alone.
pub(super) fn terminal_text(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

/// Converts a plan to an update.
pub(super) fn plan_update(plan: &Plan) -> acp::SessionUpdate {
    let entries = plan.items.iter().map(|item| {
        let status = match item.status {
            PlanStatus::Pending => acp::PlanEntryStatus::Pending,
            PlanStatus::InProgress => acp::PlanEntryStatus::InProgress,
            PlanStatus::Completed => acp::PlanEntryStatus::Completed,
        };
        // The engine's plans have no priorities.
        acp::PlanEntry::new(wire::cut(&item.content), acp::PlanEntryPriority::Medium, status)
    });
    acp::SessionUpdate::Plan(acp::Plan::new(entries.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::item::{ItemBody, TextBody};

    fn item(text: &str, status: ItemStatus) -> Item {
        let body = ItemBody::AgentMessage(TextBody { text: text.to_owned() });
        let duration_ms = (status == ItemStatus::Completed).then_some(1);
        let id = ItemId::new("i");
        Item { id, turn_id: None, step: None, status, started_ms: 0, duration_ms, body }
    }

    /// The first and the last number of a piece, and its text.
    type Piece = (u64, Option<u64>, &'static str);

    fn delta(n: u64, to: Option<u64>, text: &str) -> TransientEvent {
        let (item_id, field) = (ItemId::new("i"), DeltaField::Text);
        TransientEvent::ItemDelta(ItemDelta {
            item_id,
            field,
            path: None,
            n,
            to,
            text: text.to_owned(),
        })
    }

    #[test]
    fn whatever_was_lost_the_chunks_are_the_text() {
        let whole = "one zwei drei vier";
        let rows: [(&str, &[Piece]); 7] = [
            ("nothing came", &[]),
            (
                "all came",
                &[(0, None, "one "), (1, None, "zwei "), (2, None, "drei "), (3, None, "vier")],
            ),
            ("joined ones came", &[(0, Some(1), "one zwei "), (2, Some(3), "drei vier")]),
            ("the first is missing", &[(1, None, "zwei "), (2, None, "drei ")]),
            (
                "one in the middle is missing",
                &[(0, None, "one "), (2, None, "drei "), (3, None, "vier")],
            ),
            ("the last is missing", &[(0, None, "one "), (1, None, "zwei ")]),
            ("one came twice", &[(0, None, "one "), (0, None, "one "), (1, None, "zwei ")]),
        ];
        for (name, deltas) in rows {
            let mut translator = Translator::new(Offers::default(), None);
            let started = Event::ItemStarted { item: item("", ItemStatus::Running) };
            let mut updates = translator.durable(&started, 1);
            for (n, to, text) in deltas {
                updates.extend(translator.transient(&delta(*n, *to, text)));
            }
            let completed = Event::ItemCompleted { item: item(whole, ItemStatus::Completed) };
            updates.extend(translator.durable(&completed, 2));
            let texts = updates.iter().map(|update| serde_json::to_value(update).unwrap());
            let said: String = texts
                .map(|update| update.pointer("/content/text").unwrap().as_str().unwrap().to_owned())
                .collect();
            assert_eq!(said, whole, "{name}");
        }
    }
}
