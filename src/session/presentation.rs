//! The forms in which items are shown, the same in exports, terminals, searches and protocols. Pure.
//!
//! A presentation matches on the form, so it also shows a new kind of item that has one of these forms. It reaches details of a single
//! kind through the item's body, as with [`ItemBody::as_tool_call`].

use pintle_protocol::content::{Content, Input};
use pintle_protocol::diff::FileChange;
use pintle_protocol::ids::SessionId;
use pintle_protocol::item::{Compaction, EngineMessage, ItemBody, Location, ToolDetails, ToolKind};
use serde_json::Value;
use std::borrow::Cow;

/// An item's form.
#[derive(Debug)]
pub enum Form<'a> {
    /// A user's message.
    UserMessage(&'a [Input]),
    /// A message of the model.
    Message(&'a str),
    /// The model's reasoning.
    Reasoning(&'a str),
    /// Work with a beginning and an end.
    Work(Work<'a>),
    /// A compaction.
    Compaction(&'a Compaction),
    /// A message to the model from the engine or a client.
    Note(Note<'a>),
}

impl<'a> From<&'a ItemBody> for Form<'a> {
    fn from(body: &'a ItemBody) -> Self {
        match body {
            ItemBody::UserMessage(message) => Self::UserMessage(&message.content),
            ItemBody::AgentMessage(body) => Self::Message(&body.text),
            ItemBody::Reasoning(body) => Self::Reasoning(&body.text),
            ItemBody::ToolCall(call) => Self::Work(Work {
                class: "call",
                title: Cow::Borrowed(&call.title),
                heading: Cow::Borrowed(&call.title),
                kind: call.kind,
                session: None,
                locations: &call.locations,
                input: call.arguments().map(Part::Arguments),
                output: call.output.as_ref().map(|output| Part::Content(&output.content)),
                details: call.output.as_ref().map(|output| &output.details),
            }),
            ItemBody::Job(job) => Self::Work(Work {
                class: "job",
                title: Cow::Borrowed(&job.title),
                heading: Cow::Owned(format!("In the background: {}", job.title)),
                kind: ToolKind::Execute,
                session: None,
                locations: &[],
                input: Some(Part::Command(&job.command)),
                output: job.output.as_deref().map(Part::Printed),
                details: Some(&job.details),
            }),
            ItemBody::Subagent(agent) => Self::Work(Work {
                class: "agent",
                title: Cow::Owned(format!("sub-agent {}", agent.agent_id)),
                heading: Cow::Owned(format!("Sub-agent {}", agent.agent_id)),
                kind: ToolKind::Other,
                session: Some(&agent.session_id),
                locations: &[],
                input: Some(Part::Instructions(&agent.task)),
                output: agent.result.as_deref().map(Part::Message),
                details: None,
            }),
            ItemBody::Compaction(compaction) => Self::Compaction(compaction),
            ItemBody::EngineMessage(EngineMessage { text, note, .. }) => Self::Note(Note {
                heading: match note {
                    None => "The engine to the model",
                    Some(note) if note.is_unread => {
                        "A note of a client, which the model does not read"
                    }
                    Some(_) => "A note of a client to the model",
                },
                text,
                is_hidden: note.as_ref().is_some_and(|note| note.is_hidden),
            }),
        }
    }
}

/// A tool call, a background job or a sub-agent.
#[derive(Debug)]
pub struct Work<'a> {
    /// Class of work for style sheets: `job`.
    pub class: &'static str,
    /// One line for lists.
    pub title: Cow<'a, str>,
    /// One line above its details.
    pub heading: Cow<'a, str>,
    /// Kind of tool that does such work.
    pub kind: ToolKind,
    /// Session in which it is done, if it has its own.
    pub session: Option<&'a SessionId>,
    /// Files and lines concerned.
    pub locations: &'a [Location],
    /// The task; absent until it is known.
    pub input: Option<Part<'a>>,
    /// The result; absent until there is one.
    pub output: Option<Part<'a>>,
    /// Details of the result.
    pub details: Option<&'a ToolDetails>,
}

/// A task or a result.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// Arguments of a tool.
    Arguments(&'a Value),
    /// Content from a tool.
    Content(&'a [Content]),
    /// A command for a shell.
    Command(&'a str),
    /// Output of a command.
    Printed(&'a str),
    /// Instructions for a model.
    Instructions(&'a str),
    /// A message of a model.
    Message(&'a str),
}

impl<'a> Work<'a> {
    /// Returns the files that it changed.
    pub fn changes(&self) -> &'a [FileChange] {
        self.details.map_or(&[], |details| &details.changes)
    }
}

/// A message of the engine or of a client.
#[derive(Debug)]
pub struct Note<'a> {
    /// A description of its origin.
    pub heading: &'static str,
    /// The text, as the model reads it.
    pub text: &'a str,
    /// True if its client hides it from users.
    pub is_hidden: bool,
}
