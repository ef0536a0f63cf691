//! A session as one HTML page: no script, no external resources, light and dark.
//!
//! Invariant: all text of a session reaches the page through [`text::push`] or [`markdown`], so no markup gets through, and no addresses
//! but http and https. The page is also well-formed XML, and its policy permits only its own style sheet and inline images.

mod code;
mod markdown;
mod text;

use super::phrases::{self, end_of_item, end_of_turn};
use super::timeline::{EntryKind, TimelineEntry, Totals, duration, iso, moment};
use super::{Head, Renderer};
use crate::presentation::{Form, Part, Work};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_base::text::money::usd;
use pintle_protocol::content::{Content, Input};
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{StepCompleted, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Item, ItemStatus, ToolKind};
use pintle_protocol::plan::Plan;
use serde_json::Value;
use std::fmt::Write;
use text::push;

const STYLE: &str = include_str!("style.css");

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its depth below the outermost session. Only events of the outermost session have an id.
    depth: usize,
}

impl Renderer for Page {
    fn begin(&mut self, head: &Head, out: &mut String) {
        // The policy identifies the style sheet by its digest, so that no other style applies.
        let digest = ring::digest::digest(&ring::digest::SHA256, STYLE.as_bytes());
        let digest = STANDARD.encode(digest);
        out.push_str(
            "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n",
        );
        out.push_str("<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'sha256-");
        out.push_str(&digest);
        out.push_str("'; base-uri 'none'; form-action 'none'\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>");
        push(out, head.title());
        out.push_str("</title>\n<style>");
        out.push_str(STYLE);
        out.push_str("</style>\n</head>\n<body>\n<header>\n<h1>");
        push(out, head.title());
        out.push_str("</h1>\n<dl>\n");
        fact(out, "Session", head.session.as_str());
        fact(out, "Folder", &head.cwd);
        fact(out, "Created", &moment(head.created_ms));
        out.push_str("</dl>\n</header>\n<main>\n");
    }

    fn entry(&mut self, entry: &TimelineEntry, out: &mut String) {
        match &entry.kind {
            EntryKind::Created(created) => {
                write_note(out, "", &format!("Model: {}", created.model));
            }
            EntryKind::Item(item) => self.item(entry, item, out),
            EntryKind::Step(step) => tokens(out, step),
            EntryKind::HandedBack(inputs) => {
                for input in *inputs {
                    write_note(out, "", "Handed back, never read by the model:");
                    person(out, &input.content);
                }
            }
            EntryKind::Asked(question) => {
                write_note(out, "", "The model asks:");
                markdown::push(out, question.plan.as_deref().unwrap_or_default());
                markdown::push(out, &question.text);
            }
            EntryKind::Plan(plan) => self::plan(out, plan),
            EntryKind::Note { text, is_bad } => {
                write_note(out, if *is_bad { " bad" } else { "" }, text);
            }
            EntryKind::TurnEnded(end) => turn(out, end),
        }
    }

    fn begin_nested(&mut self, head: &Head, out: &mut String) {
        self.depth += 1;
        out.push_str("<details class=\"agent\"><summary>Session: ");
        push(out, head.title());
        out.push_str(" <span class=\"took\">");
        push(out, head.session.as_str());
        out.push_str("</span></summary>\n");
    }

    fn end_nested(&mut self, totals: &Totals, out: &mut String) {
        self.depth = self.depth.saturating_sub(1);
        write_note(out, "", &totals.counts());
        out.push_str("</details>\n");
    }

    fn end(&mut self, totals: &Totals, out: &mut String) {
        out.push_str("</main>\n<footer>");
        push(out, &totals.counts());
        out.push_str(". Last event: ");
        push(out, &moment(totals.last_ms));
        out.push_str("</footer>\n</body>\n</html>\n");
    }
}

impl Page {
    /// Returns an event's id within the page.
    fn id(&self, entry: &TimelineEntry) -> String {
        match entry.seq {
            Some(seq) if self.depth == 0 => format!(" id=\"e{seq}\""),
            Some(_) | None => String::new(),
        }
    }

    fn item(&self, entry: &TimelineEntry, item: &Item, out: &mut String) {
        match Form::from(&item.body) {
            Form::UserMessage(content) => {
                self.article(out, "person", "User", entry);
                person(out, content);
                out.push_str("</article>\n");
            }
            Form::Message(text) | Form::Reasoning(text) if text.trim().is_empty() => {}
            Form::Message(text) => {
                self.article(out, "model", "Model", entry);
                markdown::push(out, text);
                out.push_str("</article>\n");
            }
            Form::Reasoning(text) => {
                self.fold(out, "reasoning", "Reasoning", entry, item);
                markdown::push(out, text);
                out.push_str("</details>\n");
            }
            Form::Work(work) => {
                self.fold(out, work.class, &work.heading, entry, item);
                self::work(out, &work);
                out.push_str("</details>\n");
            }
            Form::Compaction(summary) => {
                self.fold(out, "compaction", &phrases::compaction(summary), entry, item);
                markdown::push(out, summary.summary.as_deref().unwrap_or_default());
                out.push_str("</details>\n");
            }
            Form::Note(note) if note.is_hidden => {}
            Form::Note(note) => {
                self.fold(out, "engine", note.heading, entry, item);
                out.push_str("<div class=\"said\">");
                push(out, note.text);
                out.push_str("</div>\n</details>\n");
            }
        }
    }

    fn article(&self, out: &mut String, class: &str, who: &str, entry: &TimelineEntry) {
        let id = self.id(entry);
        let _ = write!(out, "<article class=\"{class}\"{id}>\n<p class=\"who\">{who} · ");
        time(out, entry.ts_ms);
        out.push_str("</p>\n");
    }

    fn fold(&self, out: &mut String, class: &str, title: &str, entry: &TimelineEntry, item: &Item) {
        let is_bad = matches!(item.status, ItemStatus::Failed | ItemStatus::Declined);
        let bad = if is_bad { " bad" } else { "" };
        let id = self.id(entry);
        let _ = write!(out, "<details class=\"{class}{bad}\"{id}>\n<summary>");
        push(out, title.trim());
        out.push_str(end_of_item(item.status));
        if let Some(ms) = item.duration_ms {
            let _ = write!(out, " <span class=\"took\">{}</span>", duration(ms));
        }
        out.push_str("</summary>\n");
    }
}

fn fact(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, "<dt>{name}</dt><dd>");
    push(out, value);
    out.push_str("</dd>\n");
}

fn time(out: &mut String, ms: u64) {
    let _ = write!(out, "<time datetime=\"{}\">{}</time>", iso(ms), moment(ms));
}

fn write_note(out: &mut String, class: &str, note: &str) {
    let _ = write!(out, "<p class=\"note{class}\">");
    push(out, note);
    out.push_str("</p>\n");
}

fn tokens(out: &mut String, step: &StepCompleted) {
    let usage = &step.usage;
    let read = usage.read_tokens();
    if read + usage.output_tokens == 0 {
        return;
    }
    let cost = step.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
    write_note(out, "", &format!("{read} tokens read, {} written{cost}", usage.output_tokens));
}

fn turn(out: &mut String, end: &TurnCompleted) {
    let class = if end.status == TurnStatus::Failed { " bad" } else { "" };
    let cost = end.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
    let _ = write!(out, "<p class=\"turn{class}\">");
    push(out, &end_of_turn(end));
    push(out, &format!(" after {}{cost}", duration(end.duration_ms)));
    out.push_str("</p>\n");
}

fn plan(out: &mut String, plan: &Plan) {
    out.push_str("<div class=\"note\">Plan<br/>");
    for item in &plan.items {
        push(out, &format!("{} {}", phrases::plan_mark(item.status), item.content));
        out.push_str("<br/>");
    }
    out.push_str("</div>\n");
}

fn person(out: &mut String, content: &[Input]) {
    for block in content {
        if let Input::Image { mime_type, data } = block {
            image(out, mime_type, data);
            continue;
        }
        out.push_str("<div class=\"said\">");
        push(out, &phrases::input(block));
        out.push_str("</div>\n");
    }
}

fn image(out: &mut String, mime_type: &str, data: &str) {
    let is_known = matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let is_base64 =
        data.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    if is_known && is_base64 {
        let _ = writeln!(out, "<img alt=\"image\" src=\"data:{mime_type};base64,{data}\"/>");
    } else {
        write_note(out, "", &format!("An image that cannot be shown, {mime_type}"));
    }
}

fn work(out: &mut String, work: &Work) {
    for change in work.changes() {
        self::change(out, change);
    }
    let path = work.locations.first().map(|place| place.path.as_str()).unwrap_or_default();
    for part in work.input.into_iter().chain(work.output) {
        match part {
            // A diff shows them.
            Part::Arguments(_) if !work.changes().is_empty() => {}
            Part::Arguments(input) => arguments(out, path, input),
            Part::Content(content) => {
                let language = if work.kind == ToolKind::Read { code::ending(path) } else { "" };
                for content in content {
                    match content {
                        Content::Text { text } => code::block(out, language, text),
                        Content::Document { text, .. } => code::block(out, "", text),
                        Content::Image { mime_type, data } => image(out, mime_type, data),
                    }
                }
            }
            Part::Command(command) => code::block(out, "sh", command),
            Part::Printed(text) => code::block(out, "", text),
            Part::Instructions(text) => markdown::push(out, text),
            Part::Message(text) => {
                write_note(out, "", "Result:");
                markdown::push(out, text);
            }
        }
    }
}

/// Writes arguments: long strings as texts, the others as JSON.
fn arguments(out: &mut String, path: &str, input: &Value) {
    let Value::Object(fields) = input else {
        code::block(out, "json", &input.to_string());
        return;
    };
    let mut short = serde_json::Map::new();
    let mut long = Vec::new();
    for (name, value) in fields {
        match value {
            Value::String(text) if name == "command" || name == "cmd" => {
                long.push((name, "sh", text));
            }
            Value::String(text) if text.contains('\n') => {
                long.push((name, code::ending(path), text));
            }
            _ => {
                short.insert(name.clone(), value.clone());
            }
        }
    }
    if !short.is_empty() {
        let text = serde_json::to_string_pretty(&Value::Object(short)).unwrap_or_default();
        code::block(out, "json", &text);
    }
    for (name, language, text) in long {
        write_note(out, "", name);
        code::block(out, language, text);
    }
}

fn change(out: &mut String, change: &FileChange) {
    write_note(out, "", &phrases::change(change));
    if change.diff.is_empty() {
        return;
    }
    out.push_str("<pre class=\"diff\"><code>");
    for line in change.diff.lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "cut",
            Some(b'@') => "at",
            Some(_) | None => "same",
        };
        let _ = write!(out, "<span class=\"{class}\">");
        push(out, if line.is_empty() { " " } else { line });
        out.push_str("</span>");
    }
    out.push_str("</code></pre>\n");
}
