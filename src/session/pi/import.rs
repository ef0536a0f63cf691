//! Converts a Pi session into events.
//!
//! Invariant: the result replays to a conversation that any provider accepts, whatever the file contains.
//!
//! Branches keep the order of Pi's file: its lines refer to their parents, as events follow `history.rewound`, and its leaf is the last
//! line, as it is here. Each jump in the file becomes one event. A turn that a branch leaves midway ends there; its continuation on another
//! branch is a separate turn.

use super::compaction::files_of;
use super::read::{Line, Parsed, Session};
use super::turns::{SavedState, Turns};
use super::{blocks, private_with};
use crate::context::compact;
use crate::context::conversation::from_engine;
use pintle_llm::Effort;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::Input;
use pintle_protocol::event::{
    ConfigChanged, Delivery, Event, Notice, NoticeLevel, QueuedInput, SessionCreated, TurnStatus,
};
use pintle_protocol::history::LabelChanged;
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{
    Compaction, CompactionReason, EngineMessage, ItemBody, ItemStatus, UserMessage,
};
use pintle_protocol::plan::WorkMode;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// An event to be written.
#[derive(Debug)]
pub struct Draft {
    /// The event's time, in milliseconds since 1970.
    pub ts_ms: u64,
    /// The turn that it belongs to.
    pub turn_id: Option<TurnId>,
    /// The event.
    pub event: Event,
    /// The private part.
    pub private: Option<Box<RawValue>>,
}

/// A session that can be stored.
#[derive(Debug)]
pub struct Imported {
    /// Its id in Pi.
    pub pi_id: String,
    /// The working directory.
    pub cwd: String,
    /// The creation time, in milliseconds since 1970.
    pub created_ms: u64,
    /// Its events, in order.
    pub drafts: Vec<Draft>,
    /// The differences from the original.
    pub warnings: Vec<String>,
}

/// The fallback model, for a file that specifies none.
const NO_MODEL: &str = "pi/unknown";

/// The maximum length of a label, in characters.
const MAX_LABEL_CHARS: usize = 200;

/// Converts a session. Its working directory is `cwd`, or else its own; `new_id` returns unique ids.
pub fn import(
    session: &Session<'_>,
    cwd: Option<&str>,
    new_id: &mut dyn FnMut() -> String,
) -> Imported {
    let head = &session.head;
    let cwd = cwd
        .or(head.text("cwd"))
        .filter(|cwd| cwd.starts_with('/') || Path::new(cwd).is_absolute())
        .unwrap_or("/")
        .to_owned();
    let created_ms = head.ms().or_else(|| session.entries.first()?.parse().ms()).unwrap_or(0);
    let model = first_model(session);
    let mut importer = Importer {
        turns: Turns::new(new_id, model.clone(), cwd.clone()),
        effort: None,
        ends: Vec::new(),
    };
    importer.turns.at(0, Some(created_ms));
    importer.effort = head.text("thinkingLevel").and_then(effort);
    let created = SessionCreated {
        cwd: cwd.clone(),
        model: importer.model(&model),
        permission_mode: PermissionMode::Ask,
        mode: WorkMode::Act,
        title: title(session),
        parent: None,
        role: None,
        system_prompt: None,
        tools: None,
        forked_from: None,
    };
    importer.turns.push(Event::SessionCreated(created), private_with("{}", head.raw));
    importer.turns.model = importer.model(&model);
    importer.all(session);
    importer.turns.end(TurnStatus::Completed, None, None);
    importer.turns.push(Event::SessionClosed {}, None);
    let pi_id = head.text("id").unwrap_or_default().to_owned();
    Imported {
        pi_id,
        cwd,
        created_ms,
        drafts: importer.turns.drafts,
        warnings: session.warnings.clone(),
    }
}

/// Returns its last name.
fn title(session: &Session<'_>) -> Option<String> {
    let names = session.current().filter(|line| line.kind == "session_info");
    let line = names.last()?.parse();
    let name = line.text("name")?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the model that the session began with, as `provider/id`.
fn first_model(session: &Session<'_>) -> String {
    let model = |provider: Option<&str>, id: Option<&str>| {
        let (provider, id) = (provider?, id?);
        (!provider.is_empty() && !provider.contains('/') && !id.is_empty())
            .then(|| format!("{provider}/{id}"))
    };
    let model_of = |line: &Line<'_>| match line.kind.as_str() {
        "model_change" => {
            let line = line.parse();
            model(line.text("provider"), line.text("modelId"))
        }
        "message" => {
            let line = line.parse();
            let message = line.fields.get("message")?;
            let text = |key: &str| message.get(key).and_then(Value::as_str);
            model(text("provider"), text("model"))
        }
        _ => None,
    };
    model(session.head.text("provider"), session.head.text("modelId"))
        .or_else(|| session.current().find_map(model_of))
        .unwrap_or_else(|| NO_MODEL.to_owned())
}

fn effort(level: &str) -> Option<Effort> {
    // Pi's `off` requests no reasoning.
    level.parse().ok().filter(|effort| *effort != Effort::None)
}

/// Returns the entries that have a child other than the next line.
fn branch_points(session: &Session<'_>) -> HashSet<usize> {
    let indexes = 0..session.entries.len();
    let jumps = indexes.filter_map(|index| {
        session.parent(index).filter(|parent| Some(*parent) != index.checked_sub(1))
    });
    jumps.collect()
}

struct Importer<'a> {
    turns: Turns<'a>,
    effort: Option<Effort>,
    /// The last event of each entry.
    ends: Vec<u64>,
}

impl Importer<'_> {
    /// Converts all entries in file order, each branch after the event where it starts. So the last one is the leaf, as in the file.
    fn all(&mut self, session: &Session<'_>) {
        let branch_points = branch_points(session);
        let begin = (self.turns.save(), self.effort);
        let mut saved: HashMap<usize, (SavedState, Option<Effort>)> = HashMap::new();
        let mut at = None;
        for (index, line) in session.entries.iter().enumerate() {
            let line = line.parse();
            let parent = session.parent(index);
            if parent != at {
                let state = parent.map_or(Some(&begin), |parent| saved.get(&parent));
                if let Some((state, effort)) = state {
                    let model = self.turns.model.clone();
                    self.turns.resume_from(state, line.ms());
                    self.effort = *effort;
                    if self.turns.model != model {
                        self.push_config(private_with("{}", "null"));
                    }
                }
            }
            self.turns.at(index + 1, line.ms());
            self.entry(session, index, &line);
            self.ends.push(self.turns.last_seq());
            if branch_points.contains(&index) {
                saved.insert(index, (self.turns.save(), self.effort));
            }
            at = Some(index);
        }
    }

    /// Returns a model with the current effort.
    fn model(&self, model: &str) -> String {
        match self.effort {
            Some(effort) => format!("{model}:{}", effort.name()),
            None => model.to_owned(),
        }
    }

    fn entry(&mut self, session: &Session<'_>, index: usize, line: &Parsed<'_>) {
        match line.kind() {
            "message" => match line.fields.get("message").and_then(Value::as_object) {
                Some(message) => self.message(message, line),
                None => self.unmapped("a message without content", line),
            },
            "model_change" => {
                let (provider, id) = (line.text("provider"), line.text("modelId"));
                let (Some(provider), Some(id)) = (provider, id) else {
                    return self.unmapped("a change of the model without its name", line);
                };
                let model = format!("{provider}/{id}");
                self.config(&model, private_with("{}", line.raw));
            }
            "thinking_level_change" => {
                self.effort = line.text("thinkingLevel").and_then(effort);
                let model = self.plain_model();
                self.config(&model, private_with("{}", line.raw));
            }
            "compaction" => self.compaction(session, index, line),
            "branch_summary" => {
                let summary = line.text("summary").unwrap_or_default();
                self.branch_summary(summary, line);
            }
            "custom_message" => {
                let text = plain(line.fields.get("content"));
                self.custom_message(&text, line);
            }
            "label" => self.label(session, line),
            "session_info" => {
                let name = line.text("name").unwrap_or_default();
                self.unmapped(&format!("the session was named `{name}`"), line);
            }
            kind => {
                let custom = line.text("customType").map(|custom| format!(" `{custom}`"));
                let what = format!("an entry of kind {kind}{}", custom.unwrap_or_default());
                self.unmapped(&what, line);
            }
        }
    }

    fn message(&mut self, message: &Map<String, Value>, line: &Parsed<'_>) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("role") {
            "user" => self.user_message(message, line),
            "assistant" => {
                self.ensure_first_message();
                let origin = format!("{}/{}", text("provider"), text("model"));
                let is_named = !text("provider").is_empty() && !text("model").is_empty();
                if is_named && origin != self.plain_model() {
                    self.config(&origin, private_with("{}", "null"));
                }
                self.turns.reply(message, line.raw);
            }
            "toolResult" => {
                if !self.turns.result(message, line.raw) {
                    self.unmapped("a result without a call", line);
                }
            }
            "bashExecution" => {
                let is_hidden = message.get("excludeFromContext").and_then(Value::as_bool);
                let text = bash(message);
                if is_hidden == Some(true) {
                    self.unmapped("a command of the user that is hidden from the model", line);
                } else {
                    self.custom_message(&text, line);
                }
            }
            "custom" | "hookMessage" => self.custom_message(&plain(message.get("content")), line),
            "branchSummary" => self.branch_summary(text("summary"), line),
            "compactionSummary" => self.custom_message(text("summary"), line),
            role => self.unmapped(&format!("a message of role {role}"), line),
        }
    }

    fn user_message(&mut self, message: &Map<String, Value>, line: &Parsed<'_>) {
        let mut content = blocks::inputs(blocks::content(message.get("content")));
        let is_empty = |block: &Input| matches!(block, Input::Text { text, .. } if text.is_empty());
        let mut fields = "{}";
        if content.iter().all(is_empty) {
            content = vec![Input::text("")];
            // No provider accepts a message without content.
            fields = r#"{"read":[{"type":"text","text":"(an empty message)"}]}"#;
        }
        let turn_id = self.turns.begin();
        let body = ItemBody::UserMessage(UserMessage { content: content.clone() });
        let item = self.turns.item(body, ItemStatus::Completed);
        let queued = QueuedInput {
            item_id: ItemId::new(item.id.as_str()),
            turn_id,
            delivery: Delivery::Prompt,
            content,
            limits: None,
            output_schema: None,
        };
        self.turns.push(Event::InputAccepted(queued), None);
        let model = self.turns.model.clone();
        self.turns.push(Event::TurnStarted { model }, None);
        self.turns.message(Event::ItemCompleted { item }, private_with(fields, line.raw));
    }

    /// Ensures that the conversation starts with a user message, or with an engine note.
    fn ensure_first_message(&mut self) {
        if self.turns.messages.is_empty() {
            let text = from_engine("this session was imported, and begins here.");
            self.engine_message(&text, private_with("{}", "null"));
        }
    }

    fn custom_message(&mut self, text: &str, line: &Parsed<'_>) {
        if text.trim().is_empty() {
            return self.unmapped("a message without text", line);
        }
        self.engine_message(text, private_with("{}", line.raw));
    }

    /// Adds an abandoned branch's summary.
    fn branch_summary(&mut self, summary: &str, line: &Parsed<'_>) {
        let text = branch(summary);
        if text.is_empty() {
            return self.unmapped("a message without text", line);
        }
        let message = EngineMessage { text, summarizes_rewound: true, ..EngineMessage::default() };
        self.push_engine_message(message, private_with("{}", line.raw));
    }

    fn engine_message(&mut self, text: &str, private: Option<Box<RawValue>>) {
        let message = EngineMessage { text: text.to_owned(), ..EngineMessage::default() };
        self.push_engine_message(message, private);
    }

    fn push_engine_message(&mut self, message: EngineMessage, private: Option<Box<RawValue>>) {
        let item = self.turns.item(ItemBody::EngineMessage(message), ItemStatus::Completed);
        self.turns.message(Event::ItemCompleted { item }, private);
    }

    fn label(&mut self, session: &Session<'_>, line: &Parsed<'_>) {
        let label = line.text("label").map(str::trim).filter(|label| !label.is_empty());
        let target = line.text("targetId").and_then(|id| session.index_of(id));
        let Some(seq) = target.and_then(|index| self.ends.get(index).copied()) else {
            let label = label.unwrap_or_default();
            return self.unmapped(&format!("the label `{label}` of a missing entry"), line);
        };
        let label = label.map(|label| label.chars().take(MAX_LABEL_CHARS).collect());
        let private = private_with("{}", line.raw);
        self.turns.push(Event::LabelChanged(LabelChanged { seq, label, metadata: None }), private);
    }

    fn compaction(&mut self, session: &Session<'_>, index: usize, line: &Parsed<'_>) {
        self.turns.settle();
        let first = line.text("firstKeptEntryId").unwrap_or_default();
        let is_first = |index: &usize| session.entries.get(*index).is_some_and(|it| it.id == first);
        let first = session.back(session.parent(index)).filter(is_first).last();
        let first = first.map(|index| index + 1);
        let messages: Vec<(usize, bool)> = self.turns.messages.back().copied().collect();
        let messages: Vec<_> = messages.into_iter().rev().collect();
        // An earlier summary is never kept; this one replaces it.
        let mut cut = first.map_or(messages.len(), |first| {
            let is_kept = |(at, _): &(usize, bool)| *at >= first;
            messages.iter().position(is_kept).unwrap_or(messages.len())
        });
        // A result stays with its call.
        while cut > 0 && messages.get(cut).is_some_and(|(_, is_result)| *is_result) {
            cut -= 1;
        }
        let kept = messages.len() - cut;
        self.turns.messages.cut(kept, (0, false));
        let summary = line.text("summary").unwrap_or_default();
        let body = Compaction {
            reason: CompactionReason::Requested,
            tokens_before: line.fields.get("tokensBefore").and_then(Value::as_u64).unwrap_or(0),
            tokens_after: None,
            summary: Some(compact::titled(compact::untitled(summary))),
            files: files_of(line.fields.get("details")),
            error: None,
        };
        let item = self.turns.item(ItemBody::Compaction(Box::new(body)), ItemStatus::Completed);
        let private = private_with(&format!("{{\"kept\":{kept}}}"), line.raw);
        self.turns.push(Event::ItemCompleted { item }, private);
    }

    /// Returns the model without its effort.
    fn plain_model(&self) -> String {
        let model = &self.turns.model;
        match model.rsplit_once(':') {
            Some((plain, level)) if level.parse::<Effort>().is_ok() => plain.to_owned(),
            Some(_) | None => model.clone(),
        }
    }

    fn config(&mut self, model: &str, private: Option<Box<RawValue>>) {
        self.turns.model = self.model(model);
        self.push_config(private);
    }

    /// Records the current model.
    fn push_config(&mut self, private: Option<Box<RawValue>>) {
        let model = self.turns.model.clone();
        let permission_mode = PermissionMode::Ask;
        let config = ConfigChanged { model, permission_mode, mode: WorkMode::Act };
        self.turns.push(Event::ConfigChanged(config), private);
    }

    /// Notes an entry that the journal keeps and no model reads.
    fn unmapped(&mut self, what: &str, line: &Parsed<'_>) {
        let text = format!("imported, not for the model: {what}");
        self.notice(NoticeLevel::Info, &text, private_with("{}", line.raw));
    }

    fn notice(&mut self, level: NoticeLevel, text: &str, private: Option<Box<RawValue>>) {
        let notice =
            Notice { level, code: "imported".to_owned(), message: text.to_owned(), hint: None };
        self.turns.push(Event::Notice(notice), private);
    }
}

/// Returns a content's text, with a placeholder for each image.
fn plain(content: Option<&Value>) -> String {
    let blocks = blocks::inputs(blocks::content(content));
    let text = |block: &Input| match block {
        Input::Text { text, .. } => text.clone(),
        Input::Image { mime_type, .. } => format!("[an image of type {mime_type}]"),
        Input::Document { name, .. } => format!("[the document {name}]"),
        Input::File { .. } | Input::Selection { .. } | Input::Diagnostics { .. } => String::new(),
    };
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn branch(summary: &str) -> String {
    if summary.trim().is_empty() {
        return String::new();
    }
    from_engine(format_args!(
        "what happened on a branch of this conversation that was left.\n\n<summary>\n{}\n</summary>",
        summary.trim()
    ))
}

/// Returns a command that the user ran, as the model reads it, from a message of Pi's.
pub fn bash(message: &Map<String, Value>) -> String {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut report = format!("The person ran `{}`", text("command"));
    let output = text("output").trim_end();
    if output.is_empty() {
        report.push_str(" (no output)");
    } else {
        let fence = if output.contains("```") { "`````" } else { "```" };
        report.push_str(&format_args!("\n{fence}\n{output}\n{fence}").to_string());
    }
    if message.get("cancelled").and_then(Value::as_bool) == Some(true) {
        report.push_str("\nIt was stopped.");
    }
    match message.get("exitCode").and_then(Value::as_i64) {
        Some(code) if code != 0 => {
            report.push_str(&format_args!("\nExit code {code}.").to_string());
        }
        Some(_) | None => {}
    }
    if message.get("truncated").and_then(Value::as_bool) == Some(true) {
        report.push_str("\nThe output was cut.");
    }
    report
}
