//! Command and job output, as terminals without input. Pure.

use super::state::{Channel, Channels};
use super::translator::Actions;
use ahp_types::actions::{
    StateAction, TerminalClearedAction, TerminalDataAction, TerminalExitedAction,
};
use ahp_types::state::{TerminalCommandResult, ToolResultContent, ToolResultTerminalContent};
use pintle_protocol::event::{DeltaField, ItemDelta};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::Job;
use pintle_session::history::Streamed;

/// Maximum output that a terminal shows, in bytes; earlier output is cleared.
const MAX_SHOWN_BYTES: usize = 1024 * 1024;

/// A running command's output.
#[derive(Debug)]
pub(super) struct Output {
    item: ItemId,
    streamed: Streamed,
    /// The text that the terminal shows.
    shown: String,
    has_ended: bool,
}

impl Output {
    /// Opens a terminal.
    pub(super) fn open(
        item: &ItemId,
        title: &str,
        turn: Option<String>,
        channels: &mut Channels,
    ) -> Self {
        channels.open_terminal(item, title, turn);
        Self {
            item: item.clone(),
            streamed: Streamed::default(),
            shown: String::new(),
            has_ended: false,
        }
    }

    /// Takes a piece of the output.
    pub(super) fn delta(&mut self, delta: &ItemDelta, out: &mut Actions) {
        if delta.field == DeltaField::Output
            && let Some(text) = self.streamed.take(delta)
        {
            self.print(text, out);
        }
    }

    /// Ends the terminal. The text is the result's whole output: if it continues the shown output, the rest was not streamed.
    pub(super) fn end(&mut self, text: &str, exit_code: Option<i64>, out: &mut Actions) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        if let Some(rest) = text.strip_prefix(self.shown.as_str()) {
            self.print(rest, out);
        }
        let exited = StateAction::TerminalExited(TerminalExitedAction { exit_code });
        out.push((self.channel(), exited));
    }

    fn print(&mut self, text: &str, out: &mut Actions) {
        if text.is_empty() {
            return;
        }
        if self.shown.len() + text.len() > MAX_SHOWN_BYTES {
            self.clear(out);
        }
        self.shown.push_str(text);
        // A terminal keeps the column at a line feed alone.
        let data = text.replace("\r\n", "\n").replace('\n', "\r\n");
        out.push((self.channel(), StateAction::TerminalData(TerminalDataAction { data })));
    }

    fn clear(&mut self, out: &mut Actions) {
        self.shown.clear();
        let cleared = StateAction::TerminalCleared(TerminalClearedAction {});
        out.push((self.channel(), cleared));
    }

    fn channel(&self) -> Channel {
        Channel::Terminal(self.item.clone())
    }
}

/// Ends a job's terminal.
pub(super) fn end_job(output: &mut Output, job: &Job, out: &mut Actions) {
    let exit_code = job.details.exit_code.map(i64::from);
    let text = job.output.as_deref().unwrap_or_default();
    // The last part of a long output, which replaces the shown output if its end was not streamed.
    if !text.starts_with(output.shown.as_str()) && !output.shown.ends_with(text) {
        output.clear(out);
    }
    output.end(text, exit_code, out);
}

/// Returns a terminal as a part of a call's result.
pub(super) fn content(
    item: &ItemId,
    title: &str,
    result: Option<TerminalCommandResult>,
    channels: &Channels,
) -> ToolResultContent {
    ToolResultContent::Terminal(ToolResultTerminalContent {
        resource: Channel::Terminal(item.clone()).uri(&channels.id),
        title: title.to_owned(),
        is_pty: Some(false),
        result,
    })
}
