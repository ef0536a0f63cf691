//! A session as one HTML page: no script, nothing from elsewhere, light and dark.
//!
//! Invariant: whatever a session holds, its text reaches the page through [`text::push`] or the Markdown of
//! [`said`], so that no markup and no address but http and https comes through. The page is well-formed XML as well, and its
//! policy allows nothing but the one style sheet in it and pictures in it.

mod code;
mod said;
mod text;

use super::story::{Story, Told, What, duration, iso, moment, usd};
use super::words::{self, end_of_item, end_of_turn};
use super::{Drawing, Head};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_protocol::content::{Content, Input};
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{NoticeLevel, StepCompleted, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, ToolCall};
use pintle_protocol::plan::Plan;
use serde_json::Value;
use std::fmt::Write;
use text::push;

const STYLE: &str = include_str!("style.css");

/// A page in the making.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its depth below the outermost session. Only the outermost events get an address of their own.
    depth: usize,
}

impl Drawing for Page {
    fn begin(&mut self, head: &Head, out: &mut String) {
        // The policy names the style sheet by its digest, so that no other style holds either.
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
        fact(out, "Made", &moment(head.created_ms));
        out.push_str("</dl>\n</header>\n<main>\n");
    }

    fn told(&mut self, told: &Told, out: &mut String) {
        match told.what {
            What::Made(created) => note(out, "", &format!("Model: {}", created.model)),
            What::Item(item) => self.item(told, item, out),
            What::Step(step) => tokens(out, step),
            What::Handed(inputs) => {
                for input in inputs {
                    note(out, "", "Never read by the model, handed back:");
                    person(out, &input.content);
                }
            }
            What::Asked(question) => {
                note(out, "", "The model asks:");
                said::markdown(out, question.plan.as_deref().unwrap_or_default());
                said::markdown(out, &question.text);
            }
            What::Answered(outcome) => note(out, "", &words::answer(outcome)),
            What::Plan(plan) => self::plan(out, plan),
            What::Retry(retry) => note(out, "", &words::retry(retry)),
            What::Pruned { results } => note(out, "", &words::pruned(results)),
            What::Config(config) => note(out, "", &words::config(config)),
            What::Notice(notice) => {
                let class = if notice.level == NoticeLevel::Info { "" } else { " bad" };
                note(out, class, &words::notice(notice));
            }
            What::TurnEnded(end) => turn(out, end),
        }
    }

    fn begin_nested(&mut self, head: &Head, out: &mut String) {
        self.depth += 1;
        out.push_str("<details class=\"agent\"><summary>Its session: ");
        push(out, head.title());
        out.push_str(" <span class=\"took\">");
        push(out, head.session.as_str());
        out.push_str("</span></summary>\n");
    }

    fn end_nested(&mut self, story: &Story, out: &mut String) {
        self.depth = self.depth.saturating_sub(1);
        note(out, "", &story.counts());
        out.push_str("</details>\n");
    }

    fn end(&mut self, story: &Story, out: &mut String) {
        out.push_str("</main>\n<footer>");
        push(out, &story.counts());
        out.push_str(". Last event: ");
        push(out, &moment(story.last_ms));
        out.push_str("</footer>\n</body>\n</html>\n");
    }
}

impl Page {
    /// The address of an event within the page.
    fn id(&self, told: &Told) -> String {
        match told.seq {
            Some(seq) if self.depth == 0 => format!(" id=\"e{seq}\""),
            Some(_) | None => String::new(),
        }
    }

    fn item(&self, told: &Told, item: &Item, out: &mut String) {
        match &item.body {
            ItemBody::UserMessage(message) => {
                self.article(out, "person", "Person", told);
                person(out, &message.content);
                out.push_str("</article>\n");
            }
            ItemBody::AgentMessage(body) => {
                if !body.text.trim().is_empty() {
                    self.article(out, "model", "Model", told);
                    said::markdown(out, &body.text);
                    out.push_str("</article>\n");
                }
            }
            ItemBody::Reasoning(body) => {
                if !body.text.trim().is_empty() {
                    self.fold(out, "reasoning", "Reasoning", told, item);
                    said::markdown(out, &body.text);
                    out.push_str("</details>\n");
                }
            }
            ItemBody::ToolCall(tool) => {
                self.fold(out, "call", &tool.title, told, item);
                call(out, tool);
                out.push_str("</details>\n");
            }
            ItemBody::Job(job) => {
                let title = format!("In the background: {}", job.title);
                self.fold(out, "job", &title, told, item);
                code::block(out, "sh", &job.command);
                code::block(out, "", job.output.as_deref().unwrap_or_default());
                out.push_str("</details>\n");
            }
            ItemBody::Subagent(agent) => {
                let title = format!("Sub-agent {}", agent.agent_id);
                self.fold(out, "agent", &title, told, item);
                said::markdown(out, &agent.task);
                if let Some(result) = &agent.result {
                    note(out, "", "It said last:");
                    said::markdown(out, result);
                }
                out.push_str("</details>\n");
            }
            ItemBody::Compaction(summary) => {
                self.fold(out, "compaction", &words::compaction(summary), told, item);
                said::markdown(out, summary.summary.as_deref().unwrap_or_default());
                out.push_str("</details>\n");
            }
            ItemBody::EngineMessage(message) => {
                self.fold(out, "engine", "The engine to the model", told, item);
                out.push_str("<div class=\"said\">");
                push(out, &message.text);
                out.push_str("</div>\n</details>\n");
            }
        }
    }

    fn article(&self, out: &mut String, class: &str, who: &str, told: &Told) {
        let id = self.id(told);
        let _ = write!(out, "<article class=\"{class}\"{id}>\n<p class=\"who\">{who} · ");
        time(out, told.ts_ms);
        out.push_str("</p>\n");
    }

    fn fold(&self, out: &mut String, class: &str, title: &str, told: &Told, item: &Item) {
        let is_bad = matches!(item.status, ItemStatus::Failed | ItemStatus::Declined);
        let bad = if is_bad { " bad" } else { "" };
        let id = self.id(told);
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

fn note(out: &mut String, class: &str, note: &str) {
    let _ = write!(out, "<p class=\"note{class}\">");
    push(out, note);
    out.push_str("</p>\n");
}

fn tokens(out: &mut String, step: &StepCompleted) {
    let usage = &step.usage;
    let read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
    if read + usage.output_tokens == 0 {
        return;
    }
    let cost = step.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
    note(out, "", &format!("{read} tokens read, {} written{cost}", usage.output_tokens));
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
        push(out, &format!("{} {}", words::plan_mark(item.status), item.content));
        out.push_str("<br/>");
    }
    out.push_str("</div>\n");
}

fn person(out: &mut String, content: &[Input]) {
    for block in content {
        if let Input::Image { mime_type, data } = block {
            picture(out, mime_type, data);
            continue;
        }
        out.push_str("<div class=\"said\">");
        push(out, &words::said(block));
        out.push_str("</div>\n");
    }
}

fn picture(out: &mut String, mime_type: &str, data: &str) {
    let is_known = matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let is_base64 =
        data.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    if is_known && is_base64 {
        let _ = writeln!(out, "<img alt=\"picture\" src=\"data:{mime_type};base64,{data}\"/>");
    } else {
        note(out, "", &format!("A picture that cannot be shown, {mime_type}"));
    }
}

fn call(out: &mut String, call: &ToolCall) {
    let mut is_shown = false;
    for change in call.output.iter().flat_map(|output| &output.details.changes) {
        is_shown = true;
        self::change(out, change);
    }
    if !is_shown && let Some(input) = words::input(call) {
        arguments(out, call, input);
    }
    let path = call.locations.first().map(|place| place.path.as_str()).unwrap_or_default();
    for content in call.output.iter().flat_map(|output| &output.content) {
        match content {
            Content::Text { text } => {
                let is_file = call.kind == pintle_protocol::item::ToolKind::Read;
                code::block(out, if is_file { code::ending(path) } else { "" }, text);
            }
            Content::Image { mime_type, data } => picture(out, mime_type, data),
        }
    }
}

/// Arguments with long texts as texts, the others as they are.
fn arguments(out: &mut String, call: &ToolCall, input: &Value) {
    let path = call.locations.first().map(|place| place.path.as_str()).unwrap_or_default();
    let Value::Object(fields) = input else {
        code::block(out, "json", &input.to_string());
        return;
    };
    let mut short = serde_json::Map::new();
    let mut long = Vec::new();
    for (name, value) in fields {
        match value {
            Value::String(text) if name == "command" => long.push((name, "sh", text)),
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
        note(out, "", name);
        code::block(out, language, text);
    }
}

fn change(out: &mut String, change: &FileChange) {
    note(out, "", &words::change(change));
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
