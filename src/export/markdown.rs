//! A session as Markdown: what was said stands as it was said, what tools printed in fences.
//!
//! Invariant: a fence is longer than any run of its marks inside, so nothing that a tool printed ends it.

use super::story::{Story, Told, What, duration, moment, usd};
use super::words::{self, end_of_item, end_of_turn};
use super::{Drawing, Head};
use crate::text::terminal::shown;
use pintle_protocol::content::{Content, Input};
use pintle_protocol::diff::FileChange;
use pintle_protocol::item::{Item, ItemBody, ToolCall};
use std::fmt::Write;

/// A page in the making.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its depth below the outermost session.
    depth: usize,
}

impl Drawing for Page {
    fn begin(&mut self, head: &Head, text: &mut String) {
        let _ = writeln!(text, "# {}\n", one_line(head.title()));
        let _ = writeln!(text, "- session: `{}`", one_line(head.session.as_str()));
        let _ = writeln!(text, "- folder: `{}`", one_line(&head.cwd));
        let _ = writeln!(text, "- made: {}\n", moment(head.created_ms));
    }

    fn told(&mut self, told: &Told, text: &mut String) {
        match told.what {
            What::Made(created) => {
                let _ = writeln!(text, "Model: `{}`\n", one_line(&created.model));
            }
            What::Item(item) => self.item(told, item, text),
            What::Step(_) => {}
            What::Handed(inputs) => {
                for input in inputs {
                    note(text, "Never read by the model, handed back");
                    quote(text, &said(&input.content));
                }
            }
            What::Asked(question) => {
                note(text, "The model asks");
                quote(text, &question.text);
            }
            What::Answered(outcome) => note(text, &words::answer(outcome)),
            What::Plan(plan) => {
                note(text, "Plan");
                for item in &plan.items {
                    let _ = writeln!(
                        text,
                        "- {} {}",
                        words::plan_mark(item.status),
                        one_line(&item.content)
                    );
                }
                text.push('\n');
            }
            What::Retry(retry) => note(text, &words::retry(retry)),
            What::Pruned { results } => note(text, &words::pruned(results)),
            What::Config(config) => note(text, &words::config(config)),
            What::Notice(notice) => note(text, &words::notice(notice)),
            What::TurnEnded(end) => {
                let cost =
                    end.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
                let how = end_of_turn(end);
                note(text, &format!("{how} after {}{cost}", duration(end.duration_ms)));
            }
        }
    }

    fn begin_nested(&mut self, head: &Head, text: &mut String) {
        self.depth += 1;
        let _ = writeln!(text, "---\n\nSub-agent's session `{}` begins.\n", head.session);
    }

    fn end_nested(&mut self, story: &Story, text: &mut String) {
        self.depth = self.depth.saturating_sub(1);
        let _ = writeln!(text, "Sub-agent's session ends: {}.\n\n---\n", story.counts());
    }

    fn end(&mut self, story: &Story, text: &mut String) {
        let _ = writeln!(text, "---\n\n{}.", story.counts());
    }
}

impl Page {
    fn heading(&self, text: &mut String, who: &str, told: &Told) {
        let marks = "#".repeat((2 + self.depth).min(6));
        let _ = writeln!(text, "{marks} {who} · {}\n", moment(told.ts_ms));
    }

    fn item(&self, told: &Told, item: &Item, text: &mut String) {
        match &item.body {
            ItemBody::UserMessage(message) => {
                self.heading(text, "Person", told);
                block(text, &said(&message.content));
            }
            ItemBody::AgentMessage(body) => {
                if !body.text.trim().is_empty() {
                    self.heading(text, "Model", told);
                    block(text, &body.text);
                }
            }
            ItemBody::Reasoning(body) => {
                if !body.text.trim().is_empty() {
                    note(text, "Reasoning");
                    quote(text, &body.text);
                }
            }
            ItemBody::ToolCall(tool) => call(item, tool, text),
            ItemBody::Job(job) => {
                title(text, &format!("In the background: {}", job.title), item);
                if let Some(output) = &job.output {
                    fence(text, "", output);
                }
            }
            ItemBody::Subagent(agent) => {
                title(text, &format!("Sub-agent {} ({})", agent.agent_id, agent.session_id), item);
                quote(text, &agent.task);
                if let Some(result) = &agent.result {
                    block(text, result);
                }
            }
            ItemBody::Compaction(summary) => {
                title(text, &words::compaction(summary), item);
                if let Some(summary) = &summary.summary {
                    quote(text, summary);
                }
            }
            ItemBody::EngineMessage(message) => {
                note(text, "The engine to the model");
                quote(text, &message.text);
            }
        }
    }
}

fn call(item: &Item, call: &ToolCall, text: &mut String) {
    title(text, &call.title, item);
    let changes = call.output.iter().flat_map(|output| &output.details.changes);
    let mut is_shown = false;
    for change in changes {
        is_shown = true;
        let _ = writeln!(text, "{}:\n", one_line(&words::change(change)));
        diff(text, change);
    }
    if !is_shown && let Some(input) = words::input(call) {
        match input.as_object().and_then(|fields| fields.get("command")).and_then(|c| c.as_str()) {
            Some(command) => fence(text, "sh", command),
            None => fence(
                text,
                "json",
                &serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string()),
            ),
        }
    }
    for content in call.output.iter().flat_map(|output| &output.content) {
        match content {
            Content::Text { text: said } => fence(text, "", said),
            Content::Image { mime_type, .. } => note(text, &format!("A picture, {mime_type}")),
        }
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

fn note(text: &mut String, note: &str) {
    let _ = writeln!(text, "*{}*\n", escaped(&one_line(note)));
}

fn block(text: &mut String, said: &str) {
    let _ = writeln!(text, "{}\n", shown(said.trim_end()));
}

fn quote(text: &mut String, said: &str) {
    for line in shown(said.trim_end()).lines() {
        let _ = writeln!(text, "{}", format!("> {line}").trim_end());
    }
    text.push('\n');
}

fn fence(text: &mut String, language: &str, said: &str) {
    let said = shown(said.trim_end_matches('\n'));
    let mut longest = 0;
    let mut run = 0;
    for c in said.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let marks = "`".repeat((longest + 1).max(3));
    let _ = writeln!(text, "{marks}{language}\n{said}\n{marks}\n");
}

/// A text in one line.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown(&text).into_owned()
}

/// What would mark a text up, made plain.
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

fn said(content: &[Input]) -> String {
    let blocks: Vec<String> = content.iter().map(words::said).collect();
    blocks.join("\n\n")
}
