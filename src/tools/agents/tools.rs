//! Delegating parts of a task to sub-agents: started and messaged through separate tools, or run to completion in one.

use super::{AgentRequest, AgentView, GUARD, Spawn};
use crate::arguments::Arguments;
use crate::profile::CEILING;
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::truncate::Guard;
use pintle_protocol::ids::AgentId;
use pintle_protocol::item::{Location, SubagentState, ToolKind, ToolResult};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// The default limit on a sub-agent's replies for one task.
const MAX_TURNS: u32 = 50;

/// Model names in Claude Code, which are unknown to other providers: the sub-agent then has the session's model.
const SHORT_NAMES: [&str; 5] = ["sonnet", "opus", "haiku", "fable", "inherit"];

/// The maximum time to wait in one call.
const MAX_WAIT_SECONDS: f64 = 3600.0;

/// A tool of sub-agents, by its purpose.
#[derive(Debug, Clone, Copy)]
pub struct AgentTool(pub Profile, pub Builtin);

impl Tool for AgentTool {
    shaped!(|tool| tool.1);

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn guard(&self) -> Guard {
        match self.1 {
            // Each result is shortened separately; together they may still be long.
            Builtin::WaitAgents => Guard { max_chars: 8 * GUARD.max_chars, ..GUARD },
            _ => CEILING,
        }
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(self.1), arguments)?;
        let act = match self.1 {
            Builtin::SendInput => {
                let id = AgentId::new(arguments.text("id")?);
                Act::Send(id, arguments.filled_text("message")?)
            }
            Builtin::WaitAgents => {
                let ids = arguments.optional_texts("ids")?;
                let seconds = arguments.optional_seconds("timeout")?.unwrap_or(MAX_WAIT_SECONDS);
                let seconds = Duration::from_secs_f64(seconds.min(MAX_WAIT_SECONDS));
                let most = Duration::from_secs_f64(MAX_WAIT_SECONDS);
                let given = arguments.optional_milliseconds("timeoutMs")?;
                let timeout = given.map_or(seconds, |given| given.min(most));
                Act::Wait(ids.into_iter().map(AgentId::new).collect(), timeout)
            }
            Builtin::CloseAgent => Act::Close(AgentId::new(arguments.text("id")?)),
            Builtin::RunAgent => {
                let spawn = spawn(arguments, folders)?;
                return Ok(Box::new(Run { tool: *self, spawn }));
            }
            _ => Act::Spawn(spawn(arguments, folders)?),
        };
        Ok(Box::new(Call { tool: *self, act }))
    }
}

/// Parses the arguments that describe a sub-agent to start.
fn spawn(mut arguments: Arguments, folders: &Folders) -> Result<Spawn, String> {
    let task = arguments.filled_text("task")?;
    let cwd = arguments.optional_text("cwd")?;
    let max_turns = arguments.optional_count("maxTurns", 1)?;
    Ok(Spawn {
        task,
        cwd: cwd.map(|cwd| folders.cwd.join(Path::new(&cwd))),
        model: arguments
            .optional_text("model")?
            .filter(|model| !model.trim().is_empty() && !SHORT_NAMES.contains(&model.as_str())),
        max_turns: max_turns.map_or(MAX_TURNS, |count| u32::try_from(count).unwrap_or(u32::MAX)),
        agent: arguments.optional_text("agent")?.filter(|agent| !agent.trim().is_empty()),
    })
}

#[derive(Debug)]
struct Call {
    tool: AgentTool,
    act: Act,
}

#[derive(Debug)]
enum Act {
    Spawn(Spawn),
    Send(AgentId, String),
    Wait(Vec<AgentId>, Duration),
    Close(AgentId),
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let what = match &self.act {
            Act::Spawn(spawn) => line(&spawn.task),
            Act::Send(id, text) => format!("{id}: {}", line(text)),
            Act::Wait(ids, _) if ids.is_empty() => "all".to_owned(),
            Act::Wait(ids, _) => {
                let ids: Vec<&str> = ids.iter().map(AgentId::as_str).collect();
                ids.join(", ")
            }
            Act::Close(id) => id.to_string(),
        };
        format!("{}: {what}", self.tool.name())
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    /// A sub-agent asks for itself whatever it does.
    fn access(&self) -> Access {
        Access::Engine
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let (agents, profile) = (&ctx.agents, self.tool.0);
        let mut started = None;
        let work = async {
            match self.act {
                Act::Spawn(spawn) => {
                    let agent = agents.ask(|reply| AgentRequest::Spawn { spawn, reply }).await?;
                    let id = started.insert(agent.id);
                    Ok(format!(
                        "{id} is working on it. `{}` returns its final message.",
                        profile.row(Builtin::WaitAgents).name
                    ))
                }
                Act::Send(id, text) => {
                    let agent = agents.ask(|reply| AgentRequest::Send { id, text, reply }).await?;
                    Ok(format!("{} received the message and is working on it.", agent.id))
                }
                Act::Wait(ids, timeout) => {
                    let waited = agents.ask(|reply| AgentRequest::Wait { ids, reply });
                    match tokio::time::timeout(timeout, waited).await {
                        Ok(agents) => Ok(describe(&agents?)),
                        Err(_) => Err(format!(
                            "They are still working after {} seconds. Wait again, or stop them with `{}`.",
                            timeout.as_secs(),
                            profile.row(Builtin::CloseAgent).name
                        )),
                    }
                }
                Act::Close(id) => {
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

/// Returns the first line of a text, for a title.
fn line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

/// A sub-agent's task, for which the call waits.
#[derive(Debug)]
struct Run {
    tool: AgentTool,
    spawn: Spawn,
}

#[async_trait::async_trait]
impl Prepared for Run {
    fn title(&self) -> String {
        format!("{}: {}", self.tool.name(), line(&self.spawn.task))
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    /// A sub-agent asks for itself whatever it does.
    fn access(&self) -> Access {
        Access::Engine
    }

    /// Closes the sub-agent in every case: one that kept working after its call was stopped would go unnoticed.
    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        if ctx.cancel.is_cancelled() {
            return failure("Operation aborted");
        }
        let (agents, spawn) = (&ctx.agents, self.spawn);
        // Making it is not raced with the stop, so that it can be closed.
        let id = match agents.ask(|reply| AgentRequest::Spawn { spawn, reply }).await {
            Ok(agent) => agent.id,
            Err(why) => return failure(why),
        };
        let ids = vec![id.clone()];
        let waited = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Err("Operation aborted".to_owned()),
            waited = agents.ask(|reply| AgentRequest::Wait { ids, reply }) => waited,
        };
        let of = id.clone();
        let closed = agents.ask(|reply| AgentRequest::Close { id: of, reply }).await;
        let done = waited.and_then(|agents| agents.into_iter().next().map_or(closed, Ok));
        let mut result = match done {
            Ok(agent) if agent.state == SubagentState::Failed => failure(agent.describe()),
            Ok(agent) => success(agent.describe()),
            Err(why) => failure(why),
        };
        result.details.agent = Some(id);
        result
    }
}

fn describe(agents: &[AgentView]) -> String {
    if agents.is_empty() {
        return "No sub-agent is working, and you have received all results.".to_owned();
    }
    agents.iter().map(AgentView::describe).collect::<Vec<_>>().join("\n\n")
}
