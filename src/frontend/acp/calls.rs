//! Calls, jobs and sub-agents: this protocol knows only calls, so each is shown as one. Pure.

use super::tool::text_content;
use super::translator::terminal_text;
use super::{tool, wire};
use agent_client_protocol_schema::v1 as acp;
use pintle_protocol::item::{
    Item, ItemBody, ItemStatus, Job, Subagent, SubagentState, ToolCall, ToolDetails, ToolKind,
};
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

/// The parts that a call, a job and a sub-agent have in common.
pub(super) struct Call<'a> {
    pub(super) name: Option<String>,
    pub(super) title: String,
    pub(super) kind: ToolKind,
    pub(super) status: ItemStatus,
    pub(super) locations: Vec<acp::ToolCallLocation>,
    pub(super) input: Option<Value>,
    pub(super) content: Vec<acp::ToolCallContent>,
    pub(super) tool: Option<&'a ToolCall>,
    /// Its output and its end, once it has ended.
    pub(super) end: Option<(String, &'a ToolDetails)>,
}

impl<'a> Call<'a> {
    pub(super) fn from_item(item: &'a Item) -> Option<Self> {
        match &item.body {
            ItemBody::ToolCall(call) => Some(Self::tool(item, call)),
            ItemBody::Job(job) => Some(Self::job(item, job)),
            ItemBody::Subagent(agent) => Some(Self::subagent(item, agent)),
            _ => None,
        }
    }

    fn tool(item: &Item, call: &'a ToolCall) -> Self {
        let input = call.arguments();
        Self {
            name: Some(call.tool_name.clone()),
            title: call.title.clone(),
            kind: call.kind,
            status: item.status,
            locations: tool::locations(&call.locations),
            input: input.map(wire::cut_value),
            content: tool::requested_edits(call.kind, input, &call.locations),
            tool: Some(call),
            end: call.output.as_ref().map(|output| (call.text(), &output.details)),
        }
    }

    fn job(item: &Item, job: &'a Job) -> Self {
        let text = job.output.as_ref().map(|output| tool::fenced(&wire::cut(output)));
        Self {
            name: None,
            title: job.title.clone(),
            kind: ToolKind::Execute,
            status: item.status,
            locations: Vec::new(),
            input: Some(json!({"command": wire::cut(&job.command)})),
            content: text.map(text_content).into_iter().collect(),
            tool: None,
            end: job.output.clone().map(|output| (output, &job.details)),
        }
    }

    fn subagent(item: &Item, agent: &Subagent) -> Self {
        let state = match agent.state {
            SubagentState::Working => "works",
            SubagentState::Done => "done",
            SubagentState::Failed => "failed",
            SubagentState::Closed => "closed",
        };
        let task = agent.task.lines().next().unwrap_or_default();
        Self {
            name: None,
            title: format!("agent {} ({state}): {}", agent.agent_id, wire::cut(task)),
            kind: ToolKind::Other,
            status: item.status,
            locations: Vec::new(),
            input: Some(json!({"task": wire::cut(&agent.task), "model": agent.model})),
            content: agent
                .result
                .as_ref()
                .map(|text| text_content(wire::cut(text)))
                .into_iter()
                .collect(),
            tool: None,
            end: None,
        }
    }

    pub(super) fn announced(self, item: &Item, terminal: bool, sent: &mut Sent) -> acp::ToolCall {
        let id = item.id.as_str();
        let content = if terminal { vec![drawn(id)] } else { self.content };
        sent.show(&content);
        let mut call = acp::ToolCall::new(id.to_owned(), self.title)
            .name(self.name)
            .kind(tool::kind(self.kind))
            .status(tool::status(self.status))
            .locations(self.locations)
            .raw_input(sent.new_input(self.input))
            .content(content);
        if terminal {
            call = call.meta(wire::meta("terminal_info", json!({"terminal_id": id})));
        }
        call
    }

    /// Returns a call's last update. `is_sent` is true if the client has received the output as it came.
    pub(super) fn ended(
        self,
        item: &Item,
        screen: &Screen,
        is_sent: bool,
        sent: &mut Sent,
    ) -> acp::SessionUpdate {
        let id = item.id.as_str();
        let terminal = match screen {
            Screen::Text => None,
            Screen::Meta => Some(id),
            Screen::Terminal(terminal) => Some(terminal.as_str()),
        };
        let mut fields = acp::ToolCallUpdateFields::new()
            .title(self.title)
            .kind(tool::kind(self.kind))
            .status(tool::status(self.status))
            .raw_input(sent.new_input(self.input));
        fields = match self.tool {
            Some(call) => fields
                .content(sent.new_content(tool::content(call, item.status, terminal)))
                .locations(tool::ended_at(call))
                .raw_output(call.output.as_ref().map(tool::raw_output)),
            None => match terminal {
                Some(terminal) => fields.content(sent.new_content(vec![drawn(terminal)])),
                None => fields.content(sent.new_content(self.content)).locations(self.locations),
            },
        };
        let mut update = acp::ToolCallUpdate::new(id.to_owned(), fields);
        if let (Screen::Meta, Some((printed, details))) = (screen, self.end) {
            let exit = json!({
                "terminal_id": id,
                "exit_code": details.exit_code,
                "signal": details.signal,
            });
            let mut meta = wire::meta("terminal_exit", exit);
            if !is_sent {
                // No output was sent while it ran, or only a part of it.
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
