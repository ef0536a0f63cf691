//! Calls, jobs and sub-agents: this protocol knows only calls, so each is shown as one. Pure.

use super::tool::text_content;
use super::translator::terminal_text;
use super::{tool, wire};
use agent_client_protocol_schema::v1 as acp;
use pintle_protocol::item::{Item, SubagentState, ToolCall};
use pintle_session::presentation::{Part, Work};
use serde_json::{Value, json};

/// Where a command's output is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Screen {
    /// In the call, as text.
    Text,
    /// In a terminal of the client's that is fed from `_meta`.
    Meta,
    /// In the client's terminal that runs the command.
    Terminal(String),
}

/// The large parts of a call that the client has received, so that none is sent again.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    input: Option<Value>,
    content: Vec<acp::ToolCallContent>,
}

impl Sent {
    /// Records content that replaces the shown content.
    pub(super) fn show(&mut self, content: &[acp::ToolCallContent]) {
        self.content = content.to_vec();
    }

    /// Returns the arguments, if they are new.
    pub(super) fn new_input(&mut self, input: Option<Value>) -> Option<Value> {
        let input = input.filter(|input| self.input.as_ref() != Some(input))?;
        self.input = Some(input.clone());
        Some(input)
    }

    /// Returns the content if it has changed. A terminal is small, and clients draw it only if the last update contains it.
    pub(super) fn new_content(
        &mut self,
        content: Vec<acp::ToolCallContent>,
    ) -> Option<Vec<acp::ToolCallContent>> {
        let is_terminal =
            |part: &acp::ToolCallContent| matches!(part, acp::ToolCallContent::Terminal(_));
        (self.content != content || content.iter().any(is_terminal)).then(|| {
            self.show(&content);
            content
        })
    }
}

/// Work as a call of this protocol.
pub(super) struct Call<'a> {
    pub(super) item: &'a Item,
    pub(super) work: Work<'a>,
}

impl Call<'_> {
    fn title(&self) -> String {
        let Some(agent) = self.item.body.as_subagent() else { return self.work.title.to_string() };
        let state = match agent.state {
            SubagentState::Working => "works",
            SubagentState::Done => "done",
            SubagentState::Failed => "failed",
            SubagentState::Closed => "closed",
        };
        let task = agent.task.lines().next().unwrap_or_default();
        format!("agent {} ({state}): {}", agent.agent_id, wire::cut(task))
    }

    fn input(&self) -> Option<Value> {
        match self.work.input? {
            Part::Arguments(input) => Some(wire::cut_value(input)),
            Part::Command(command) => Some(json!({"command": wire::cut(command)})),
            Part::Instructions(task) => {
                let model = self.item.body.as_subagent().map(|agent| &agent.model);
                Some(json!({"task": wire::cut(task), "model": model}))
            }
            Part::Content(_) | Part::Printed(_) | Part::Message(_) => None,
        }
    }

    /// Returns the content, except for an ended tool's.
    fn content(&self) -> Vec<acp::ToolCallContent> {
        let Work { kind, input, output, locations, .. } = self.work;
        match (output, input) {
            (Some(Part::Printed(text)), _) => vec![text_content(tool::fenced(&wire::cut(text)))],
            (Some(Part::Message(text)), _) => vec![text_content(wire::cut(text))],
            (_, Some(Part::Arguments(input))) => {
                tool::requested_edits(kind, Some(input), locations)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn announced(&self, terminal: bool, sent: &mut Sent) -> acp::SessionUpdate {
        let id = self.item.id.as_str();
        let content = if terminal { vec![drawn(id)] } else { self.content() };
        sent.show(&content);
        let mut call = acp::ToolCall::new(id.to_owned(), self.title())
            .name(self.item.body.as_tool_call().map(|call| call.tool_name.clone()))
            .kind(tool::kind(self.work.kind))
            .status(tool::status(self.item.status))
            .locations(tool::locations(self.work.locations))
            .raw_input(sent.new_input(self.input()))
            .content(content);
        if terminal {
            call = call.meta(wire::meta("terminal_info", json!({"terminal_id": id})));
        }
        acp::SessionUpdate::ToolCall(call)
    }

    pub(super) fn updated(&self, sent: &mut Sent) -> acp::SessionUpdate {
        let mut fields = self.fields(sent).locations(tool::locations(self.work.locations));
        let content = self.content();
        if !content.is_empty() {
            fields = fields.content(sent.new_content(content));
        }
        let update = acp::ToolCallUpdate::new(self.item.id.as_str().to_owned(), fields);
        acp::SessionUpdate::ToolCallUpdate(update)
    }

    fn fields(&self, sent: &mut Sent) -> acp::ToolCallUpdateFields {
        acp::ToolCallUpdateFields::new()
            .title(self.title())
            .kind(tool::kind(self.work.kind))
            .status(tool::status(self.item.status))
            .raw_input(sent.new_input(self.input()))
    }

    /// Returns a call's last update. `is_sent` is true if the client has received the output as it came.
    pub(super) fn ended(
        &self,
        screen: &Screen,
        is_sent: bool,
        sent: &mut Sent,
    ) -> acp::SessionUpdate {
        let Self { item, work } = self;
        let id = item.id.as_str();
        let terminal = match screen {
            Screen::Text => None,
            Screen::Meta => Some(id),
            Screen::Terminal(terminal) => Some(terminal.as_str()),
        };
        let mut fields = self.fields(sent);
        fields = match (item.body.as_tool_call(), terminal) {
            (Some(call), _) => fields
                .content(sent.new_content(tool::content(call, item.status, terminal)))
                .locations(tool::ended_at(call))
                .raw_output(call.output.as_ref().map(tool::raw_output)),
            (None, Some(terminal)) => fields.content(sent.new_content(vec![drawn(terminal)])),
            (None, None) => fields
                .content(sent.new_content(self.content()))
                .locations(tool::locations(work.locations)),
        };
        let mut update = acp::ToolCallUpdate::new(id.to_owned(), fields);
        if let (Screen::Meta, Some(output), Some(details)) = (screen, work.output, work.details) {
            let exit = json!({
                "terminal_id": id,
                "exit_code": details.exit_code,
                "signal": details.signal,
            });
            let mut meta = wire::meta("terminal_exit", exit);
            if !is_sent {
                // No output was sent while it ran, or only a part of it.
                let result = || item.body.as_tool_call().map(ToolCall::text).unwrap_or_default();
                let printed =
                    if let Part::Printed(text) = output { text.to_owned() } else { result() };
                let data = terminal_text(&wire::cut(&printed));
                meta.insert("terminal_output".to_owned(), json!({"terminal_id": id, "data": data}));
            }
            update = update.meta(meta);
        }
        acp::SessionUpdate::ToolCallUpdate(update)
    }
}

/// Returns the terminal in which a client shows a command's output.
pub(super) fn drawn(id: &str) -> acp::ToolCallContent {
    acp::ToolCallContent::Terminal(acp::Terminal::new(id.to_owned()))
}
