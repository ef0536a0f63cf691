//! The demo's events as a story: pure, an event in, lines of text out.
//!
//! It prints whole lines only, so words appear when their message is complete and output when its command is.

use pintle_protocol::approval::Approval;
use pintle_protocol::content::Content;
use pintle_protocol::event::{AnyRecord, Event, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, ToolCall};
use std::fmt::Write;
use std::path::PathBuf;

/// The lines of a tool's output that are shown.
const SHOWN_LINES: usize = 12;

/// The state of the translation so far.
#[derive(Debug)]
pub(super) struct Story {
    project: PathBuf,
    tool_calls: usize,
    changed: Vec<String>,
    added: u64,
    removed: u64,
}

impl Story {
    pub(super) fn new(project: PathBuf) -> Self {
        Self { project, tool_calls: 0, changed: Vec::new(), added: 0, removed: 0 }
    }

    pub(super) fn opening(prompt: &str) -> String {
        format!("A project with a failing test, an agent, and this prompt:\n\n> {prompt}\n\n")
    }

    pub(super) fn approval(approval: &Approval) -> String {
        format!("? may it run `{}`: {}; the demo answers yes\n", approval.title, approval.reason)
    }

    pub(super) fn event(&mut self, record: &AnyRecord) -> String {
        let AnyRecord::Durable(record) = record else { return String::new() };
        match &record.event {
            Event::ItemCompleted { item } => self.item(item),
            Event::TurnCompleted(end) => self.ending(end),
            _ => String::new(),
        }
    }

    fn item(&mut self, item: &Item) -> String {
        match &item.body {
            ItemBody::AgentMessage(body) => format!("{}\n\n", body.text),
            ItemBody::ToolCall(call) => self.tool_call(call, item.status),
            _ => String::new(),
        }
    }

    fn tool_call(&mut self, call: &ToolCall, status: ItemStatus) -> String {
        self.tool_calls += 1;
        let mark = if status == ItemStatus::Completed { '+' } else { '!' };
        let mut told = format!("{mark} {}\n", call.title);
        let Some(output) = &call.output else { return told };
        let shown = if output.details.changes.is_empty() {
            let texts = output.content.iter().filter_map(|block| match block {
                Content::Text { text } => Some(text.as_str()),
                Content::Image { .. } => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        } else {
            let diffs = output.details.changes.iter().map(|change| change.diff.as_str());
            diffs.collect::<Vec<_>>().join("\n")
        };
        for change in &output.details.changes {
            if !self.changed.contains(&change.path) {
                self.changed.push(change.path.clone());
            }
            self.added += change.added;
            self.removed += change.removed;
        }
        let lines: Vec<&str> = shown.trim_end().lines().collect();
        for line in lines.iter().take(SHOWN_LINES) {
            let _ = writeln!(told, "{}", format!("    {line}").trim_end());
        }
        if lines.len() > SHOWN_LINES {
            let _ = writeln!(told, "    ... {} more lines", lines.len() - SHOWN_LINES);
        }
        told.push('\n');
        told
    }

    fn ending(&self, end: &TurnCompleted) -> String {
        let status = match end.status {
            TurnStatus::Completed => "completed",
            TurnStatus::Interrupted => "interrupted",
            TurnStatus::Failed => "failed",
        };
        let mut told = format!(
            "Turn {status}: {} replies, {} tool calls, {} file changed (+{} -{}).\n",
            end.steps,
            self.tool_calls,
            self.changed.len(),
            self.added,
            self.removed
        );
        if let Some(error) = &end.error {
            let _ = writeln!(told, "{}", error.message);
        }
        for path in &self.changed {
            let name = path.strip_prefix(&*self.project.to_string_lossy()).unwrap_or(path);
            let _ = writeln!(told, "  {}", name.trim_start_matches('/'));
        }
        told.push_str(
            "\nNo model was called: the replies came from a script, everything else was real.\n\
             With a real one: export ANTHROPIC_API_KEY=..., then\n  \
             pintle run --model anthropic/MODEL --permission full \"what should be done\"\n",
        );
        told
    }
}
