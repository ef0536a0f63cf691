//! `spawn_agent`, `send_input`, `wait`, `close_agent`: parts of a task given to sub-agents.

use super::{AgentRequest, AgentView, GUARD, Spawn};
use crate::text::truncate::Guard;
use crate::tools::arguments::Arguments;
use crate::tools::{Access, Folders, Prepared, Tool, ToolContext, failure, success};
use pintle_protocol::ids::AgentId;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The default maximum of replies of a sub-agent for one task.
const MAX_TURNS: u32 = 50;

/// The maximum time to wait in one call.
const MAX_WAIT_SECONDS: f64 = 3600.0;

/// Gives a part of the task to a new sub-agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpawnAgent;

/// Tells a sub-agent something.
#[derive(Debug, Clone, Copy, Default)]
pub struct SendInput;

/// Waits until sub-agents have nothing to do any more.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitAgents;

/// Stops a sub-agent and lets go of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct CloseAgent;

impl Tool for SpawnAgent {
    fn name(&self) -> &'static str {
        "spawn_agent"
    }

    fn description(&self) -> &'static str {
        include_str!("../descriptions/spawn_agent.md")
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "task": {"type": "string", "description": "What it is to do, with all it needs to know: it sees nothing of this conversation"},
                "working_dir": {"type": "string", "description": "The folder it works in; default: this one"},
                "model": {"type": "string", "description": "PROVIDER/ID of another model; default: the same as yours"},
                "max_turns": {"type": "integer", "minimum": 1, "description": "The most replies it may take (default 50)"},
                "agent": {"type": "string", "description": "The name of an agent whose instructions it is to follow"},
            },
            "required": ["task"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let task = arguments.filled_text("task")?;
        let cwd = arguments.optional_text("working_dir")?;
        let max_turns = arguments.optional_count("max_turns", 1)?;
        Ok(Box::new(Call::Spawn(Spawn {
            task,
            cwd: cwd.map(|cwd| folders.cwd.join(Path::new(&cwd))),
            model: arguments.optional_text("model")?.filter(|model| !model.trim().is_empty()),
            max_turns: max_turns
                .map_or(MAX_TURNS, |count| u32::try_from(count).unwrap_or(u32::MAX)),
            agent: arguments.optional_text("agent")?.filter(|agent| !agent.trim().is_empty()),
        })))
    }
}

impl Tool for SendInput {
    fn name(&self) -> &'static str {
        "send_input"
    }

    fn description(&self) -> &'static str {
        "Tells a sub-agent something: while it works it reads it at its next step, else it is its next task. Wait for it with `wait`."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "agent_id": {"type": "string", "description": "The sub-agent, such as agent-1"},
                "message": {"type": "string", "description": "What to tell it"},
            },
            "required": ["agent_id", "message"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let id = AgentId::new(arguments.text("agent_id")?);
        let text = arguments.filled_text("message")?;
        Ok(Box::new(Call::Send(id, text)))
    }
}

impl Tool for WaitAgents {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn description(&self) -> &'static str {
        "Waits until sub-agents have done their tasks, and returns what each said last. Without ids it waits for all that work, and also returns what you have not read yet."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "ids": {"type": "array", "items": {"type": "string"}, "description": "The sub-agents, such as agent-1; default: all that work or that you have not heard"},
                "timeout": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds to wait at most (default and most: 3600)"},
            },
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn guard(&self) -> Guard {
        // Each result is shortened separately; together they may still be long.
        Guard { max_chars: 8 * GUARD.max_chars, ..GUARD }
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let ids = arguments.optional_texts("ids")?;
        let timeout = arguments.optional_seconds("timeout")?.unwrap_or(MAX_WAIT_SECONDS);
        Ok(Box::new(Call::Wait(
            ids.into_iter().map(AgentId::new).collect(),
            Duration::from_secs_f64(timeout.min(MAX_WAIT_SECONDS)),
        )))
    }
}

impl Tool for CloseAgent {
    fn name(&self) -> &'static str {
        "close_agent"
    }

    fn description(&self) -> &'static str {
        "Stops a sub-agent, if it works, and lets go of it. What it did to files stays."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"agent_id": {"type": "string", "description": "The sub-agent, such as agent-1"}},
            "required": ["agent_id"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        Ok(Box::new(Call::Close(AgentId::new(arguments.text("agent_id")?))))
    }
}

#[derive(Debug)]
enum Call {
    Spawn(Spawn),
    Send(AgentId, String),
    Wait(Vec<AgentId>, Duration),
    Close(AgentId),
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let line = |text: &str| -> String {
            text.lines().next().unwrap_or_default().chars().take(80).collect()
        };
        match self {
            Self::Spawn(spawn) => format!("spawn_agent: {}", line(&spawn.task)),
            Self::Send(id, text) => format!("send_input: {id}: {}", line(text)),
            Self::Wait(ids, _) if ids.is_empty() => "wait: all".to_owned(),
            Self::Wait(ids, _) => {
                let ids: Vec<&str> = ids.iter().map(AgentId::as_str).collect();
                format!("wait: {}", ids.join(", "))
            }
            Self::Close(id) => format!("close_agent: {id}"),
        }
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    /// A sub-agent asks for itself whatever it does.
    fn access(&self) -> Access {
        Access::Engine
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let agents = &ctx.agents;
        let mut started = None;
        let work = async {
            match *self {
                Self::Spawn(spawn) => {
                    let agent = agents.ask(|reply| AgentRequest::Spawn { spawn, reply }).await?;
                    let id = started.insert(agent.id);
                    Ok(format!("{id} works at it now. `wait` returns what it says at the end."))
                }
                Self::Send(id, text) => {
                    let agent = agents.ask(|reply| AgentRequest::Send { id, text, reply }).await?;
                    Ok(format!("{} was told and works at it.", agent.id))
                }
                Self::Wait(ids, timeout) => {
                    let waited = agents.ask(|reply| AgentRequest::Wait { ids, reply });
                    match tokio::time::timeout(timeout, waited).await {
                        Ok(agents) => Ok(told(&agents?)),
                        Err(_) => Err(format!(
                            "After {} seconds they still work. Wait again, or stop them with `close_agent`.",
                            timeout.as_secs()
                        )),
                    }
                }
                Self::Close(id) => {
                    let agent = agents.ask(|reply| AgentRequest::Close { id, reply }).await?;
                    Ok(format!("{} is closed.", agent.id))
                }
            }
        };
        let mut result = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => failure("Operation aborted"),
            done = work => done.map_or_else(failure, success),
        };
        result.details.agent = started;
        result
    }
}

fn told(agents: &[AgentView]) -> String {
    if agents.is_empty() {
        return "No sub-agent works, and you know what each said.".to_owned();
    }
    agents.iter().map(AgentView::told).collect::<Vec<_>>().join("\n\n")
}
