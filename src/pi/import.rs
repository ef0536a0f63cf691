//! A session of Pi's as events of ours.
//!
//! Invariant: what comes out replays to a conversation that any provider accepts, whatever the file holds.
//!
//! Branches come in the order of Pi's file: its lines name their parents, as ours follow from `history.rewound`, and its leaf is the
//! last line, as ours is. Each jump in the file becomes one event. A turn that a branch leaves in its middle ends there; what follows
//! on another branch is a turn of its own.

use super::read::{Line, Session};
use super::turns::{Stop, Turns};
use super::{blocks, keeping};
use crate::context::compact;
use crate::llm::Effort;
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

/// An event that is to be written.
#[derive(Debug)]
pub struct Draft {
    /// When it happened, in milliseconds since 1970.
    pub ts_ms: u64,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
    /// What happened.
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
    /// When it was made, in milliseconds since 1970.
    pub created_ms: u64,
    /// Its events, in order.
    pub drafts: Vec<Draft>,
    /// What is not as it was.
    pub warnings: Vec<String>,
}

/// What no model of Pi's is called where the file names none.
const NO_MODEL: &str = "pi/unknown";

/// The longest name of a place, in characters.
const MOST_LABEL_CHARS: usize = 200;

/// Makes events of a session. Its working directory is the one that is given, else its own; `new_id` makes ids that nobody
/// else has.
pub fn import(
    session: &Session,
    cwd: Option<&str>,
    new_id: &mut dyn FnMut() -> String,
) -> Imported {
    let head = &session.head;
    let cwd = cwd.or(head.text("cwd")).filter(|cwd| cwd.starts_with('/')).unwrap_or("/").to_owned();
    let created_ms = head.ms().or_else(|| session.entries.first()?.ms()).unwrap_or(0);
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
        forked_from: None,
    };
    importer.turns.push(Event::SessionCreated(created), keeping("{}", &head.raw));
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

/// The name it was given last.
fn title(session: &Session) -> Option<String> {
    let names = session.current().filter(|line| line.kind() == "session_info");
    let name = names.last()?.text("name")?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The model that the session began with, as `provider/id`.
fn first_model(session: &Session) -> String {
    let named = |provider: Option<&str>, id: Option<&str>| {
        let (provider, id) = (provider?, id?);
        (!provider.is_empty() && !provider.contains('/') && !id.is_empty())
            .then(|| format!("{provider}/{id}"))
    };
    let of = |line: &Line| match line.kind() {
        "model_change" => named(line.text("provider"), line.text("modelId")),
        "message" => {
            let message = line.fields.get("message")?;
            let text = |key: &str| message.get(key).and_then(Value::as_str);
            named(text("provider"), text("model"))
        }
        _ => None,
    };
    named(session.head.text("provider"), session.head.text("modelId"))
        .or_else(|| session.current().find_map(of))
        .unwrap_or_else(|| NO_MODEL.to_owned())
}

fn effort(level: &str) -> Option<Effort> {
    // Pi's `off` asks for nothing.
    level.parse().ok().filter(|effort| *effort != Effort::None)
}

/// The entries that something else than the next line goes on from.
fn left(session: &Session) -> HashSet<usize> {
    let places = 0..session.entries.len();
    let jumps = places.filter_map(|place| {
        session.parent(place).filter(|parent| Some(*parent) != place.checked_sub(1))
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
    /// All entries in the order of the file, each branch behind the event where it leaves. So the last one is the leaf, as in the file.
    fn all(&mut self, session: &Session) {
        let is_left = left(session);
        let begin = (self.turns.stop(), self.effort);
        let mut stops: HashMap<usize, (Stop, Option<Effort>)> = HashMap::new();
        let mut at = None;
        for (place, line) in session.entries.iter().enumerate() {
            let parent = session.parent(place);
            if parent != at {
                let stop = parent.map_or(Some(&begin), |parent| stops.get(&parent));
                if let Some((stop, effort)) = stop {
                    let model = self.turns.model.clone();
                    self.turns.go_on_from(stop, line.ms());
                    self.effort = *effort;
                    if self.turns.model != model {
                        self.configured(keeping("{}", "null"));
                    }
                }
            }
            self.turns.at(place + 1, line.ms());
            self.entry(session, place, line);
            self.ends.push(self.turns.last_seq());
            if is_left.contains(&place) {
                stops.insert(place, (self.turns.stop(), self.effort));
            }
            at = Some(place);
        }
    }

    /// A model with the effort that holds.
    fn model(&self, model: &str) -> String {
        match self.effort {
            Some(effort) => format!("{model}:{}", effort.name()),
            None => model.to_owned(),
        }
    }

    fn entry(&mut self, session: &Session, place: usize, line: &Line) {
        match line.kind() {
            "message" => match line.fields.get("message").and_then(Value::as_object) {
                Some(message) => self.message(message, line),
                None => self.kept("a message without content", line),
            },
            "model_change" => {
                let (provider, id) = (line.text("provider"), line.text("modelId"));
                let (Some(provider), Some(id)) = (provider, id) else {
                    return self.kept("a change of the model without its name", line);
                };
                let model = format!("{provider}/{id}");
                self.config(&model, keeping("{}", &line.raw));
            }
            "thinking_level_change" => {
                self.effort = line.text("thinkingLevel").and_then(effort);
                let model = self.plain_model();
                self.config(&model, keeping("{}", &line.raw));
            }
            "compaction" => self.compaction(session, place, line),
            "branch_summary" => {
                let summary = line.text("summary").unwrap_or_default();
                self.left(summary, line);
            }
            "custom_message" => {
                let text = plain(line.fields.get("content"));
                self.engine(&text, line);
            }
            "label" => self.label(session, line),
            "session_info" => {
                let name = line.text("name").unwrap_or_default();
                self.kept(&format!("the session was named `{name}`"), line);
            }
            kind => {
                let custom = line.text("customType").map(|custom| format!(" `{custom}`"));
                let what = format!("an entry of the kind {kind}{}", custom.unwrap_or_default());
                self.kept(&what, line);
            }
        }
    }

    fn message(&mut self, message: &Map<String, Value>, line: &Line) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("role") {
            "user" => self.person(message, line),
            "assistant" => {
                self.begin_with_a_person();
                let origin = format!("{}/{}", text("provider"), text("model"));
                let is_named = !text("provider").is_empty() && !text("model").is_empty();
                if is_named && origin != self.plain_model() {
                    self.config(&origin, keeping("{}", "null"));
                }
                self.turns.reply(message, &line.raw);
            }
            "toolResult" => {
                if !self.turns.result(message, &line.raw) {
                    self.kept("a result that no call waits for", line);
                }
            }
            "bashExecution" => {
                let is_hidden = message.get("excludeFromContext").and_then(Value::as_bool);
                let text = bash(message);
                if is_hidden == Some(true) {
                    self.kept("a command of the person, not for the model", line);
                } else {
                    self.engine(&text, line);
                }
            }
            "custom" | "hookMessage" => self.engine(&plain(message.get("content")), line),
            "branchSummary" => self.left(text("summary"), line),
            "compactionSummary" => self.engine(text("summary"), line),
            role => self.kept(&format!("a message of the role {role}"), line),
        }
    }

    fn person(&mut self, message: &Map<String, Value>, line: &Line) {
        let mut content = blocks::inputs(blocks::content(message.get("content")));
        let is_empty = |block: &Input| matches!(block, Input::Text { text } if text.is_empty());
        let mut fields = "{}";
        if content.iter().all(is_empty) {
            content = vec![Input::text("")];
            // No provider takes a message without content.
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
        };
        self.turns.push(Event::InputAccepted(queued), None);
        let model = self.turns.model.clone();
        self.turns.push(Event::TurnStarted { model }, None);
        self.turns.told(Event::ItemCompleted { item }, keeping(fields, &line.raw));
    }

    /// The first message of a conversation is a person's, or says why it is not.
    fn begin_with_a_person(&mut self) {
        if self.turns.messages.is_empty() {
            let text =
                "From the engine, not from the user: this session was imported, and begins here.";
            self.tell(text, keeping("{}", "null"));
        }
    }

    fn engine(&mut self, text: &str, line: &Line) {
        if text.trim().is_empty() {
            return self.kept("a message without text", line);
        }
        self.tell(text, keeping("{}", &line.raw));
    }

    /// The summary of a branch that was left.
    fn left(&mut self, summary: &str, line: &Line) {
        let text = branch(summary);
        if text.is_empty() {
            return self.kept("a message without text", line);
        }
        let message = EngineMessage { text, sums_up_left: true, ..EngineMessage::default() };
        self.tell_of(message, keeping("{}", &line.raw));
    }

    fn tell(&mut self, text: &str, private: Option<Box<RawValue>>) {
        let message = EngineMessage { text: text.to_owned(), ..EngineMessage::default() };
        self.tell_of(message, private);
    }

    fn tell_of(&mut self, message: EngineMessage, private: Option<Box<RawValue>>) {
        let item = self.turns.item(ItemBody::EngineMessage(message), ItemStatus::Completed);
        self.turns.told(Event::ItemCompleted { item }, private);
    }

    fn label(&mut self, session: &Session, line: &Line) {
        let label = line.text("label").map(str::trim).filter(|label| !label.is_empty());
        let target = line.text("targetId").and_then(|id| session.place(id));
        let Some(seq) = target.and_then(|place| self.ends.get(place).copied()) else {
            let label = label.unwrap_or_default();
            return self.kept(&format!("the label `{label}` of an entry that is not there"), line);
        };
        let label = label.map(|label| label.chars().take(MOST_LABEL_CHARS).collect());
        let private = keeping("{}", &line.raw);
        self.turns.push(Event::LabelChanged(LabelChanged { seq, label }), private);
    }

    fn compaction(&mut self, session: &Session, place: usize, line: &Line) {
        self.turns.settle();
        let first = line.text("firstKeptEntryId").unwrap_or_default();
        let is_first = |place: &usize| session.entries.get(*place).is_some_and(|it| it.id == first);
        let first = session.back(session.parent(place)).filter(is_first).last();
        let first = first.map(|place| place + 1);
        let messages: Vec<(usize, bool)> = self.turns.messages.back().copied().collect();
        let messages: Vec<_> = messages.into_iter().rev().collect();
        // The summary of before is never kept; this one takes its place.
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
            summary: Some(format!("{}\n\n{}\n", compact::HEADING, summary.trim())),
            error: None,
        };
        let item = self.turns.item(ItemBody::Compaction(Box::new(body)), ItemStatus::Completed);
        let private = keeping(&format!("{{\"kept\":{kept}}}"), &line.raw);
        self.turns.push(Event::ItemCompleted { item }, private);
    }

    /// The model without its effort.
    fn plain_model(&self) -> String {
        let model = &self.turns.model;
        match model.rsplit_once(':') {
            Some((plain, level)) if level.parse::<Effort>().is_ok() => plain.to_owned(),
            Some(_) | None => model.clone(),
        }
    }

    fn config(&mut self, model: &str, private: Option<Box<RawValue>>) {
        self.turns.model = self.model(model);
        self.configured(private);
    }

    /// Says what the model is.
    fn configured(&mut self, private: Option<Box<RawValue>>) {
        let model = self.turns.model.clone();
        let permission_mode = PermissionMode::Ask;
        let config = ConfigChanged { model, permission_mode, mode: WorkMode::Act };
        self.turns.push(Event::ConfigChanged(config), private);
    }

    /// Something that stays in the file and is never sent to a model.
    fn kept(&mut self, what: &str, line: &Line) {
        let text = format!("imported, not for the model: {what}");
        self.notice(NoticeLevel::Info, &text, keeping("{}", &line.raw));
    }

    fn notice(&mut self, level: NoticeLevel, text: &str, private: Option<Box<RawValue>>) {
        let notice =
            Notice { level, code: "imported".to_owned(), message: text.to_owned(), hint: None };
        self.turns.push(Event::Notice(notice), private);
    }
}

/// The text of a content without its pictures, which are named.
fn plain(content: Option<&Value>) -> String {
    let blocks = blocks::inputs(blocks::content(content));
    let text = |block: &Input| match block {
        Input::Text { text } => text.clone(),
        Input::Image { mime_type, .. } => format!("[a picture of the type {mime_type}]"),
        Input::File { .. } | Input::Selection { .. } | Input::Diagnostics { .. } => String::new(),
    };
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn branch(summary: &str) -> String {
    if summary.trim().is_empty() {
        return String::new();
    }
    format!(
        "From the engine, not from the user: what happened on a branch of this conversation that was left.\n\n<summary>\n{}\n</summary>",
        summary.trim()
    )
}

/// A command that the person ran, as the model reads it; from a message of Pi's.
pub fn bash(message: &Map<String, Value>) -> String {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut said = format!("The person ran `{}`", text("command"));
    let output = text("output").trim_end();
    if output.is_empty() {
        said.push_str(" (no output)");
    } else {
        let fence = if output.contains("```") { "`````" } else { "```" };
        said.push_str(&format_args!("\n{fence}\n{output}\n{fence}").to_string());
    }
    if message.get("cancelled").and_then(Value::as_bool) == Some(true) {
        said.push_str("\nIt was stopped.");
    }
    match message.get("exitCode").and_then(Value::as_i64) {
        Some(code) if code != 0 => said.push_str(&format_args!("\nExit code {code}.").to_string()),
        Some(_) | None => {}
    }
    if message.get("truncated").and_then(Value::as_bool) == Some(true) {
        said.push_str("\nThe output was cut.");
    }
    said
}
