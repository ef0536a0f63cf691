//! A session as Markdown: messages unchanged, tool output in fences.
//!
//! Invariant: a fence is longer than any run of its marks inside, so no tool output can end it.

use super::phrases::{self, end_of_item, end_of_turn};
use super::timeline::{EntryKind, TimelineEntry, Totals, duration, moment};
use super::{Head, Renderer};
use crate::presentation::{Form, Part, Work};
use pintle_base::text::money::usd;
use pintle_base::text::terminal::shown;
use pintle_protocol::content::{Content, Input};
use pintle_protocol::diff::FileChange;
use pintle_protocol::item::{Item, command_in};
use serde_json::Value;
use std::fmt::Write;

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its depth below the outermost session.
    depth: usize,
}

impl Renderer for Page {
    fn begin(&mut self, head: &Head, text: &mut String) {
        let _ = writeln!(text, "# {}\n", one_line(head.title()));
        let _ = writeln!(text, "- session: `{}`", one_line(head.session.as_str()));
        let _ = writeln!(text, "- directory: `{}`", one_line(&head.cwd));
        let _ = writeln!(text, "- created: {}\n", moment(head.created_ms));
    }

    fn entry(&mut self, entry: &TimelineEntry, text: &mut String) {
        match &entry.kind {
            EntryKind::Created(created) => {
                let _ = writeln!(text, "Model: `{}`\n", one_line(&created.model));
            }
            EntryKind::Item(item) => self.item(entry, item, text),
            EntryKind::Step(_) => {}
            EntryKind::HandedBack(inputs) => {
                for input in *inputs {
                    write_note(text, "Handed back, never read by the model");
                    quote(text, &input_text(&input.content));
                }
            }
            EntryKind::Asked(question) => {
                write_note(text, "The model asks");
                quote(text, &question.text);
            }
            EntryKind::Plan(plan) => {
                write_note(text, "Plan");
                for item in &plan.items {
                    let _ = writeln!(
                        text,
                        "- {} {}",
                        phrases::plan_mark(item.status),
                        one_line(&item.content)
                    );
                }
                text.push('\n');
            }
            EntryKind::Note { text: phrase, .. } => write_note(text, phrase),
            EntryKind::TurnEnded(end) => {
                let cost =
                    end.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
                let outcome = end_of_turn(end);
                write_note(text, &format!("{outcome} after {}{cost}", duration(end.duration_ms)));
            }
        }
    }

    fn begin_nested(&mut self, head: &Head, text: &mut String) {
        self.depth += 1;
        let _ = writeln!(text, "---\n\nSub-agent's session `{}` begins.\n", head.session);
    }

    fn end_nested(&mut self, totals: &Totals, text: &mut String) {
        self.depth = self.depth.saturating_sub(1);
        let _ = writeln!(text, "Sub-agent's session ends: {}.\n\n---\n", totals.counts());
    }

    fn end(&mut self, totals: &Totals, text: &mut String) {
        let _ = writeln!(text, "---\n\n{}.", totals.counts());
    }
}

impl Page {
    fn heading(&self, text: &mut String, who: &str, entry: &TimelineEntry) {
        let marks = "#".repeat((2 + self.depth).min(6));
        let _ = writeln!(text, "{marks} {who} · {}\n", moment(entry.ts_ms));
    }

    fn item(&self, entry: &TimelineEntry, item: &Item, text: &mut String) {
        match Form::from(&item.body) {
            Form::UserMessage(content) => {
                self.heading(text, "User", entry);
                block(text, &input_text(content));
            }
            Form::Message(shown) | Form::Reasoning(shown) if shown.trim().is_empty() => {}
            Form::Message(message) => {
                self.heading(text, "Model", entry);
                block(text, message);
            }
            Form::Reasoning(reasoning) => {
                write_note(text, "Reasoning");
                quote(text, reasoning);
            }
            Form::Work(work) => {
                let session = work.session.map(|session| format!(" ({session})"));
                let heading = format!("{}{}", work.heading, session.unwrap_or_default());
                title(text, &heading, item);
                self::work(text, &work);
            }
            Form::Compaction(summary) => {
                title(text, &phrases::compaction(summary), item);
                if let Some(summary) = &summary.summary {
                    quote(text, summary);
                }
            }
            Form::Note(note) if note.is_hidden => {}
            Form::Note(note) => {
                write_note(text, note.heading);
                quote(text, note.text);
            }
        }
    }
}

fn work(text: &mut String, work: &Work) {
    for change in work.changes() {
        let _ = writeln!(text, "{}:\n", one_line(&phrases::change(change)));
        diff(text, change);
    }
    for part in work.input.into_iter().chain(work.output) {
        match part {
            // A diff shows them.
            Part::Arguments(_) if !work.changes().is_empty() => {}
            Part::Arguments(input) => arguments(text, input),
            Part::Content(content) => {
                for content in content {
                    match content {
                        Content::Text { text: output } | Content::Document { text: output, .. } => {
                            fence(text, "", output);
                        }
                        Content::Image { mime_type, .. } => {
                            write_note(text, &format!("An image, {mime_type}"));
                        }
                    }
                }
            }
            // The heading names it.
            Part::Command(_) => {}
            Part::Printed(output) => fence(text, "", output),
            Part::Instructions(task) => quote(text, task),
            Part::Message(message) => block(text, message),
        }
    }
}

fn arguments(text: &mut String, input: &Value) {
    if input.as_object().is_some_and(serde_json::Map::is_empty) {
        return;
    }
    match command_in(input) {
        Some(command) => fence(text, "sh", &command),
        None => fence(text, "json", &format!("{input:#}")),
    }
}

fn diff(text: &mut String, change: &FileChange) {
    if change.diff.is_empty() {
        return;
    }
    fence(text, "diff", &change.diff);
}

fn title(text: &mut String, title: &str, item: &Item) {
    let took = item.duration_ms.map(|ms| format!(" · {}", duration(ms))).unwrap_or_default();
    let _ = writeln!(text, "**{}**{}{took}\n", escaped(&one_line(title)), end_of_item(item.status));
}

fn write_note(text: &mut String, note: &str) {
    let _ = writeln!(text, "*{}*\n", escaped(&one_line(note)));
}

fn block(text: &mut String, content: &str) {
    let _ = writeln!(text, "{}\n", shown(content.trim_end()));
}

fn quote(text: &mut String, content: &str) {
    for line in shown(content.trim_end()).lines() {
        let _ = writeln!(text, "{}", format!("> {line}").trim_end());
    }
    text.push('\n');
}

fn fence(text: &mut String, language: &str, content: &str) {
    let content = shown(content.trim_end_matches('\n'));
    let mut longest = 0;
    let mut run = 0;
    for c in content.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let marks = "`".repeat((longest + 1).max(3));
    let _ = writeln!(text, "{marks}{language}\n{content}\n{marks}\n");
}

/// Returns a text on one line.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown(&text).into_owned()
}

/// Escapes the characters that Markdown interprets.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '_' | '`' | '[' | ']' | '<' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn input_text(content: &[Input]) -> String {
    let blocks: Vec<String> = content.iter().map(phrases::input).collect();
    blocks.join("\n\n")
}
