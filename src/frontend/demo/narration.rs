//! Narrates the demo's events: pure, an event in, lines of text out.
//!
//! Only whole lines are printed: a message appears when it is complete, and output when its command has ended.

use pintle_protocol::approval::Approval;
use pintle_protocol::event::{AnyRecord, Event, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Item, ItemStatus, ToolCall};
use std::fmt::Write;
use std::path::PathBuf;

/// The maximum number of lines shown of a tool's output.
const SHOWN_LINES: usize = 12;

/// The narration's state.
#[derive(Debug)]
pub(super) struct Narration {
    project: PathBuf,
    tool_calls: usize,
    changed: Vec<String>,
    added: u64,
    removed: u64,
}

impl Narration {
    pub(super) fn new(project: PathBuf) -> Self {
        Self { project, tool_calls: 0, changed: Vec::new(), added: 0, removed: 0 }
    }

    pub(super) fn opening(prompt: &str) -> String {
        format!("A project with a failing test, an agent, and this prompt:\n\n> {prompt}\n\n")
    }

    pub(super) fn approval(approval: &Approval) -> String {
        format!("Allow `{}`? ({}) → yes, answered by the demo\n", approval.title, approval.reason)
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
        let call = item.body.as_tool_call().map(|call| self.tool_call(call, item.status));
        let message = item.body.as_agent_message().map(|body| format!("{}\n\n", body.text));
        call.or(message).unwrap_or_default()
    }

    fn tool_call(&mut self, call: &ToolCall, status: ItemStatus) -> String {
        self.tool_calls += 1;
        let mark = if status == ItemStatus::Completed { '+' } else { '!' };
        let mut text = format!("{mark} {}\n", call.title);
        if call.output.is_none() {
            return text;
        }
        let diffs: Vec<&str> = call.changes().iter().map(|change| change.diff.as_str()).collect();
        let shown = if diffs.is_empty() { call.text() } else { diffs.join("\n") };
        for change in call.changes() {
            if !self.changed.contains(&change.path) {
                self.changed.push(change.path.clone());
            }
            self.added += change.added;
            self.removed += change.removed;
        }
        let lines: Vec<&str> = shown.trim_end().lines().collect();
        for line in lines.iter().take(SHOWN_LINES) {
            let _ = writeln!(text, "{}", format!("    {line}").trim_end());
        }
        if lines.len() > SHOWN_LINES {
            let _ = writeln!(text, "    ... {} more lines", lines.len() - SHOWN_LINES);
        }
        text.push('\n');
        text
    }

    fn ending(&self, end: &TurnCompleted) -> String {
        let status = match end.status {
            TurnStatus::Completed => "completed",
            TurnStatus::Interrupted => "interrupted",
            TurnStatus::Failed => "failed",
        };
        let mut text = format!(
            "Turn {status}: {} replies, {} tool calls, {} file changed (+{} -{}).\n",
            end.steps,
            self.tool_calls,
            self.changed.len(),
            self.added,
            self.removed
        );
        if let Some(error) = &end.error {
            let _ = writeln!(text, "{}", error.message);
        }
        for path in &self.changed {
            let name = path.strip_prefix(&*self.project.to_string_lossy()).unwrap_or(path);
            let _ = writeln!(text, "  {}", name.trim_start_matches('/'));
        }
        text.push_str(
            "\nThe replies came from a script instead of a model; everything else was real.\n\
             To use a real model:\n  \
             export ANTHROPIC_API_KEY=...\n  \
             pintle run --model anthropic/MODEL --permission full \"TASK\"\n",
        );
        text
    }
}
