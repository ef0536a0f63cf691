//! Sub-agents: created, steered, followed and closed.
//!
//! Invariant: a sub-agent's item is journaled before it starts, and its end before it is reported.

use super::{Phase, Session};
use crate::command::OpenConfig;
use crate::error::{Error, ErrorKind};
use crate::models::Models;
use crate::project::{Owner, ProjectFiles};
use crate::requests::CreateSession;
use crate::services::Services;
use crate::subagents::{AgentReply, Made, News, SubagentEvent};
use crate::turn::limits::Limits;
use pintle_llm::ModelRef;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::add_cost;
use pintle_protocol::event::{AgentRole, Event, Parent};
use pintle_protocol::files::{ChangedBy, FileRecord, FilesChanged};
use pintle_protocol::ids::{AgentId, ItemId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, Subagent, SubagentState};
use pintle_session::context::agents::NamedAgent;
use pintle_session::history::outcome::closed;
use pintle_tools::{AgentRequest, AgentView, Spawn};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The time that sub-agents have to stop when the session ends, before they are abandoned.
const STOP_GRACE: Duration = Duration::from_secs(8);

impl Session {
    pub(super) fn subagent_event(&mut self, event: SubagentEvent) {
        match event {
            SubagentEvent::Requested(AgentRequest::Spawn { spawn, reply }) => {
                self.spawn_agent(spawn, reply);
            }
            SubagentEvent::Requested(AgentRequest::Send { id, text, reply }) => {
                self.subagents.send(id, text, reply);
            }
            SubagentEvent::Requested(AgentRequest::Wait { ids, reply }) => {
                self.subagents.wait(ids, reply);
            }
            SubagentEvent::Requested(AgentRequest::Close { id, reply }) => {
                let view = self.subagents.view(&id);
                if let Some(item) = self.subagents.close(&id) {
                    self.agent_closed(&id, item);
                }
                let _ = reply.send(view);
            }
            SubagentEvent::Made { id, task, made, reply } => {
                let begun = made
                    .map_err(|error| describe_error(&error))
                    .and_then(|made| self.agent_made(&id, made, task));
                if begun.is_err() {
                    self.subagents.forget(&id);
                }
                let _ = reply.send(begun);
            }
            SubagentEvent::Sent { id, sent: Ok(()), reply } => {
                self.change_agent(&id, |agent| agent.state = SubagentState::Working);
                let _ = reply.send(self.subagents.view(&id));
            }
            SubagentEvent::Sent { sent: Err(error), reply, .. } => {
                let _ = reply.send(Err(describe_error(&error)));
            }
            SubagentEvent::News { id, news, follower } => {
                let is_gone = matches!(news, News::Gone);
                self.agent_news(&id, news);
                if !is_gone {
                    self.subagents.follow(id, follower);
                }
            }
            SubagentEvent::Nothing => {}
        }
    }

    fn spawn_agent(&mut self, spawn: Spawn, reply: AgentReply) {
        if !self.phase.is_working() {
            let _ = reply.send(Err("Operation aborted".to_owned()));
            return;
        }
        let Spawn { task, cwd, model, max_turns, agent } = spawn;
        let settings = &self.settings;
        let own_folder = self.log.cwd().to_owned();
        let cwd = cwd.unwrap_or_else(|| own_folder.clone()).to_string_lossy().into_owned();
        let config = OpenConfig {
            model: Some(model.clone().unwrap_or_else(|| settings.model.to_string())),
            permission_mode: Some(settings.permission_mode),
            system_prompt: None,
            tools: settings.tools.clone(),
            servers: Some(Arc::clone(&settings.servers)),
            mode: Some(self.work_mode()),
            cwd: None,
            variables: Some(settings.variables.clone()),
            additional: Some(settings.additional.clone()),
            trace: Some(settings.trace.clone()),
        };
        let limits = Limits {
            steps: max_turns,
            subagent_depth: settings.limits.subagent_depth.saturating_sub(1),
            turns: None,
            ..settings.limits
        };
        let title = task
            .lines()
            .find(|line| !line.trim().is_empty())
            .map(|line| line.trim().chars().take(80).collect());
        let (budget, blobs) = (Some(settings.lineage.budget.clone()), Some(self.blobs()));
        let (session_id, own_model) = (self.log.id.clone(), settings.model.clone());
        let services = Arc::clone(&self.services);
        let create = move |agent_id| async move {
            let parent = Some(Parent { session_id, agent_id });
            let mut create = CreateSession {
                id: None,
                cwd,
                title,
                isolation: None,
                config,
                parent,
                role: None,
                limits: Some(limits),
                budget,
                blobs,
                cause: None,
            };
            let found = match agent {
                Some(name) => named(&services, &own_folder, &name, &own_model).await?,
                None => None,
            };
            if let Some(found) = found {
                create.role = Some(found.role);
                // The call's options take precedence over the file's.
                if let (None, Some(its_model)) = (model, found.model) {
                    create.config.model = Some(its_model.to_string());
                }
                if found.is_read_only {
                    create.config.permission_mode = Some(PermissionMode::ReadOnly);
                }
            }
            Ok(create)
        };
        self.subagents.make(create, task, reply);
    }

    fn agent_made(
        &mut self,
        id: &AgentId,
        Made { handle, model }: Made,
        task: String,
    ) -> Result<AgentView, String> {
        let turn_id = match &self.phase {
            Phase::Running(running) => Some(running.turn_id.clone()),
            Phase::Idle(_) => None,
        };
        if self.subagents.is_unwanted(id) || !self.phase.is_working() {
            self.subagents.drop_session(handle);
            return Err("Operation aborted".to_owned());
        }
        let body = Subagent {
            agent_id: id.clone(),
            session_id: handle.id.clone(),
            task: task.clone(),
            model,
            state: SubagentState::Working,
            result: None,
            turns_used: 0,
            usage: pintle_protocol::content::Usage::default(),
            cost_nano_usd: None,
        };
        let ambient = &self.services.ambient;
        let (item, body) = (ItemId::new(ambient.new_id()), ItemBody::Subagent(Box::new(body)));
        let item = Item::new(item, ItemStatus::Running, ambient.now_ms(), body);
        let item = Item { turn_id: turn_id.clone(), ..item };
        match self.log.append(turn_id, Event::ItemStarted { item: item.clone() }, None) {
            Ok(record) => self.publish(&record),
            Err(error) => {
                self.subagents.drop_session(handle);
                return Err(describe_error(&error));
            }
        }
        let watchers =
            self.log.subscribers.iter().map(|served| served.subscriber.clone()).collect();
        self.subagents
            .begin(id, item, handle, task, (self.log.id.clone(), watchers))
            .ok_or_else(|| "The sub-agent was closed.".to_owned())
    }

    fn agent_news(&mut self, id: &AgentId, news: News) {
        match news {
            News::Began => self.change_agent(id, |agent| agent.state = SubagentState::Working),
            News::Stopped { said, is_error, spent, steps, changes } => {
                for (while_ran, changes) in changes {
                    self.agent_changed(id, while_ran, changes);
                }
                self.consumed.total.add(spent.usage, spent.cost_nano_usd);
                self.change_agent(id, |agent| {
                    agent.state =
                        if is_error { SubagentState::Failed } else { SubagentState::Done };
                    agent.result = Some(said);
                    agent.turns_used += steps;
                    agent.usage += spent.usage;
                    add_cost(&mut agent.cost_nano_usd, spent.cost_nano_usd);
                });
            }
            News::Gone => {
                // Its session was closed from outside, or its task failed.
                if let Some(item) = self.subagents.close(id) {
                    self.agent_closed(id, item);
                }
            }
        }
    }

    /// Also records a sub-agent's file changes here: its work belongs to the session.
    fn agent_changed(&mut self, id: &AgentId, while_ran: Option<String>, changes: Vec<FileRecord>) {
        let Some(item_id) = self.subagents.item_id(id).filter(|_| !changes.is_empty()) else {
            return;
        };
        match &mut self.phase {
            Phase::Idle(state) => state.files.record(&changes),
            Phase::Running(running) => running.foreign_changes.extend(changes.iter().cloned()),
        }
        let turn_id = match &self.phase {
            Phase::Running(running) => Some(running.turn_id.clone()),
            Phase::Idle(_) => None,
        };
        let by = ChangedBy::Call { item_id, while_ran };
        self.record(turn_id, Event::FilesChanged(FilesChanged { changes, by }));
    }

    fn change_agent(&mut self, id: &AgentId, change: impl FnOnce(&mut Subagent)) {
        let before = self.subagents.view(id).ok();
        if let Some(item) = self.subagents.change(id, change)
            && self.subagents.view(id).ok() != before
        {
            self.record(None, Event::ItemUpdated { item });
        }
        self.subagents.settle();
    }

    fn agent_closed(&mut self, id: &AgentId, mut item: Item) {
        let agent = item.body.as_subagent();
        let status =
            agent.map_or(item.status, |agent| closed(agent.state, agent.result.as_deref()));
        item.end(status, self.services.ambient.now_ms());
        self.record(None, Event::ItemCompleted { item });
        self.subagents.forget(id);
    }

    /// Closes the sub-agents and waits until they have ended.
    pub(super) async fn end_agents(&mut self) {
        for (id, item) in self.subagents.close_all() {
            self.agent_closed(&id, item);
        }
        let deadline = tokio::time::Instant::now() + STOP_GRACE;
        while !self.subagents.is_idle() {
            match tokio::time::timeout_at(deadline, self.next()).await {
                Ok(wake) => self.handle(wake).await,
                Err(_) => self.subagents.abandon(),
            }
        }
    }
}

/// The names that models use for a sub-agent without special instructions. Source: the built-in agents of Claude Code, codex, gemini-cli,
/// Kimi Code and Qwen Code, checked 2026-11.
const GENERAL: [&str; 6] =
    ["default", "worker", "general", "general-purpose", "generalist", "coder"];

/// The names that models use for a sub-agent that explores code, and for one that plans. Source: the built-in agents of Claude Code, codex,
/// gemini-cli, Kimi Code, Qwen Code and Mistral Vibe, checked 2026-11.
const EXPLORERS: [&str; 3] = ["explore", "explorer", "codebase_investigator"];
const PLANNERS: [&str; 1] = ["plan"];

/// Instructions for the sub-agents that models know by these names.
const EXPLORE: &str = "You explore code for another agent and do not change anything. Search broadly first, then read the relevant places. Answer the task with the facts you found, each with its file and line, and list what you searched for without success.";
const PLAN: &str = "You plan a change for another agent and do not change anything. Read the relevant code, and how the project does similar things. Answer with the steps in order, the files and functions that each step touches, what could go wrong, and how to verify the result.";

/// The tools of these sub-agents; each name covers the equivalent tools of every family.
const READING: [&str; 7] =
    ["read", "grep", "find", "bash", "web_fetch", "web_search", "todo_write"];

/// A named agent that a sub-agent follows.
struct Found {
    role: AgentRole,
    /// Its own model.
    model: Option<ModelRef>,
    /// True if it changes nothing, whatever the session's permissions.
    is_read_only: bool,
}

/// Returns the built-in agent with a name, unless the project or the user defines one.
fn built_in(name: &str) -> Option<Found> {
    let is = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let instructions = match (is(&EXPLORERS), is(&PLANNERS)) {
        (true, _) => EXPLORE,
        (_, true) => PLAN,
        (false, false) => return None,
    };
    let role = AgentRole {
        name: name.to_owned(),
        instructions: instructions.to_owned(),
        tools: Some(READING.map(str::to_owned).into()),
    };
    Some(Found { role, model: None, is_read_only: true })
}

/// Returns the project's or the user's agent with a name, and its model if it may choose one; `None` for a general name that no agent file
/// uses.
async fn named(
    services: &Services,
    cwd: &Path,
    name: &str,
    own_model: &ModelRef,
) -> Result<Option<Found>, Error> {
    let place = ProjectFiles::load(services.env.as_ref(), &services.personal, cwd).await;
    let mut found = place.agents().await.all;
    let Some(at) = found.iter().position(|(agent, ..)| agent.name == name) else {
        if GENERAL.contains(&name) {
            return Ok(None);
        }
        if let Some(found) = built_in(name) {
            return Ok(Some(found));
        }
        let names: Vec<&str> = found.iter().map(|(agent, ..)| agent.name.as_str()).collect();
        let there = if names.is_empty() {
            "No named agents are defined here".to_owned()
        } else {
            format!("Available agents: {}", names.join(", "))
        };
        return Err(Error::new(ErrorKind::Invalid, format!("Unknown agent `{name}`."))
            .hint(format!("{there}; or omit the name and describe the role in the task")));
    };
    let (agent, _, owner) = found.swap_remove(at);
    let model = agent.model.and_then(|named| model_of(&services.models, &named, owner, own_model));
    let NamedAgent { name, instructions, tools, .. } = agent;
    let role = AgentRole { name, instructions, tools };
    Ok(Some(Found { role, model, is_read_only: false }))
}

/// Returns the model from an agent file. A project must not choose where requests are sent: its agents stay with the session's provider. An
/// unknown name, such as another program's short name, is ignored.
fn model_of(models: &Models, named: &str, owner: Owner, own_model: &ModelRef) -> Option<ModelRef> {
    let model: ModelRef = if named.contains('/') {
        named.parse().ok()?
    } else {
        format!("{}/{named}", own_model.provider).parse().ok()?
    };
    let is_allowed = owner == Owner::User || model.provider == own_model.provider;
    (is_allowed && models.model(&model).is_some()).then_some(model)
}

/// Formats an error for a model.
fn describe_error(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_llm::{ErrorKind, Provider};

    #[test]
    fn a_project_s_agent_stays_at_the_provider_of_the_session() {
        let models = Models::new(|_: &ModelRef| -> Result<Arc<dyn Provider>, pintle_llm::Error> {
            Err(pintle_llm::Error::new(ErrorKind::Replay, "nobody answers here"))
        });
        let own = "anthropic/claude-opus-4-8".parse().unwrap();
        let sonnet = Some("anthropic/claude-sonnet-5");
        for (name, named, owner, want) in [
            ("the same provider", "anthropic/claude-sonnet-5", Owner::Project, sonnet),
            ("no provider", "claude-sonnet-5", Owner::Project, sonnet),
            ("another provider", "openai/gpt-5.4", Owner::Project, None),
            ("another, for the user", "openai/gpt-5.4", Owner::User, Some("openai/gpt-5.4")),
            ("a short name", "sonnet", Owner::User, None),
            ("nonsense", "/", Owner::User, None),
        ] {
            let got = model_of(&models, named, owner, &own).map(|model| model.origin());
            assert_eq!(got.as_deref(), want, "{name}");
        }
    }
}
