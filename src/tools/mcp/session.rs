//! A session's MCP servers, and the tools that its model sees of them.
//!
//! The tool list is settled at the first turn and then fixed, since a change would invalidate the provider's cache: later tools are found
//! with `mcp_find` and called with `mcp_call`, as are tools that are too many to list. A first turn waits for servers that start, but not
//! for long.

use super::client::PromptShape;
use super::definition::{self, Definition, Origin};
use super::generic::{CALL_TOOL, CallTool, FindTool, ResourceTool, find_description};
use super::names::public_name;
use super::selection::{Candidate, Relevance, choose};
use super::server::{self, LaunchContext, Pool, Server, Status};
use super::tool::{ServerTool, Switches, report, tools_of};
use crate::Tool;
use pintle_protocol::content::Content;
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::mcp::{McpServerState, McpStatus};
use pintle_protocol::methods::NamedPrompt;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// How long a first turn waits for servers to start.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// Maximum number of tools to list individually with their schemas; more are found with `mcp_find`.
const MAX_LISTED: usize = 40;

/// Maximum number of tools that a search returns.
const MAX_FOUND: usize = 8;

/// The servers that every session has.
#[derive(Debug, Clone)]
pub struct SharedServers {
    /// The running servers.
    pub pool: Arc<Pool>,
    /// Those of the user's settings.
    pub definitions: Arc<[Definition]>,
    /// The names of the tools that models may see, with `*` for any text; all if `None`.
    pub only: Option<Arc<[String]>>,
}

/// The servers of one session. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct SessionServers(Arc<Mutex<State>>);

/// Specifies which tools a model may see.
#[derive(Clone)]
pub struct AllowedTools(pub Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl std::fmt::Debug for AllowedTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AllowedTools")
    }
}

/// A weak handle for objects owned by the session, which must not keep it alive.
#[derive(Debug, Clone)]
pub(super) struct WeakServers(Weak<Mutex<State>>);

impl WeakServers {
    /// Returns the servers.
    ///
    /// # Errors
    /// A message for the model: the session has ended.
    pub(super) fn get(&self) -> Result<SessionServers, String> {
        let servers = self.0.upgrade().map(SessionServers);
        servers.ok_or_else(|| "the session has ended".to_owned())
    }
}

#[derive(Debug, Default)]
struct State {
    servers: Vec<Arc<Server>>,
    /// The session's other tool names.
    taken: BTreeSet<String>,
    /// The tools that the model may see.
    allowed: Option<AllowedTools>,
    /// True if the tool list is settled.
    is_settled: bool,
    /// The tools that the model's list has.
    listed: Vec<Arc<ServerTool>>,
    /// All tools so far, which `mcp_call` can call.
    all: Vec<Arc<ServerTool>>,
    /// Tools announced to the model, by name.
    known: BTreeSet<String>,
    /// The tools that serve the rest, if there is one.
    generic: Vec<Arc<dyn Tool>>,
    /// The servers that are switched off.
    switches: Switches,
    /// The failures already reported.
    told: Vec<String>,
    /// Shows whether a server has changed since its tools were read.
    seen: Vec<watch::Receiver<server::State>>,
}

/// Where a session's servers come from.
#[derive(Debug)]
pub struct Sources<'a> {
    /// Those that every session has.
    pub shared: &'a SharedServers,
    /// The definitions in the project's files, if the user trusts it.
    pub project: Vec<(PathBuf, String)>,
    /// Those that the session's client named.
    pub given: &'a [Definition],
    /// Where they run.
    pub launch: LaunchContext,
    /// The session's other tool names.
    pub taken: BTreeSet<String>,
    /// The tools that the model may see.
    pub allowed: AllowedTools,
    /// Decides which tools are listed if there are too many.
    pub relevance: Relevance,
}

/// The result of checking the servers when a turn starts.
#[derive(Debug, Default)]
pub struct Looked {
    /// The tools to add to the model's list.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Notices for the session's clients.
    pub notices: Vec<Notice>,
    /// A message for the model.
    pub news: Option<String>,
}

fn notice(code: &str, message: String) -> Notice {
    let hint =
        Some("the MCP server list shows its output; `pintle mcp test NAME` tests it".to_owned());
    Notice { level: NoticeLevel::Warning, code: code.to_owned(), message, hint }
}

/// Returns the servers for these definitions, not started yet, and the problems with others.
pub fn found(
    shared: &SharedServers,
    project: &[(PathBuf, String)],
    launch: &LaunchContext,
) -> (Vec<Arc<Server>>, Vec<String>) {
    let (definitions, problems) = definitions(&Known { shared, given: &[], project });
    let server = |definition| shared.pool.server(definition, launch.clone());
    (definitions.into_iter().map(server).collect(), problems)
}

/// Where definitions come from.
struct Known<'a> {
    shared: &'a SharedServers,
    given: &'a [Definition],
    project: &'a [(PathBuf, String)],
}

/// Returns a session's definitions, and the problems with others. Those of the client come first, then the user's, then the project's: a
/// repository cannot replace a server that rules are about.
fn definitions(sources: &Known<'_>) -> (Vec<Definition>, Vec<String>) {
    let mut found: Vec<Definition> = sources.given.to_vec();
    let mut problems = Vec::new();
    let users = sources.shared.definitions.iter();
    let is_new = |found: &[Definition], name: &str| !found.iter().any(|known| known.name == name);
    for definition in users {
        if is_new(&found, &definition.name) {
            found.push(definition.clone());
        }
    }
    for (path, text) in sources.project {
        let shown = path.display();
        let parsed = serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
        let servers = parsed.and_then(|file| {
            let servers = file.get("mcpServers").and_then(Value::as_object).cloned();
            servers.ok_or_else(|| "it has no `mcpServers` object".to_owned())
        });
        match servers {
            Ok(servers) => {
                let (of_file, wrong) = definition::parse(&servers, &Origin::Project(path.clone()));
                problems.extend(wrong.into_iter().map(|wrong| format!("{shown}: {wrong}")));
                for definition in of_file {
                    if is_new(&found, &definition.name) {
                        found.push(definition);
                    } else {
                        let name = &definition.name;
                        problems.push(format!(
                            "{shown}: ignored the server `{name}`: the name is already in use"
                        ));
                    }
                }
            }
            Err(wrong) => problems.push(format!("ignored {shown}: {wrong}")),
        }
    }
    found.retain(|definition| definition.is_enabled);
    (found, problems)
}

/// Splits tools into listed and unlisted ones.
fn split(
    tools: &[Arc<ServerTool>],
    relevance: &Relevance,
) -> (Vec<Arc<ServerTool>>, Vec<Arc<ServerTool>>) {
    let candidates: Vec<Candidate<'_>> = tools.iter().map(|tool| tool.candidate()).collect();
    let chosen = choose(&candidates, relevance, MAX_LISTED);
    let (mut listed, mut unlisted) = (Vec::new(), Vec::new());
    for (at, tool) in tools.iter().enumerate() {
        let list = if chosen.contains(&at) { &mut listed } else { &mut unlisted };
        list.push(Arc::clone(tool));
    }
    (listed, unlisted)
}

impl SessionServers {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the servers that are switched off.
    pub(super) fn switches(&self) -> Switches {
        self.with(|state| state.switches.clone())
    }

    fn weak(&self) -> WeakServers {
        WeakServers(Arc::downgrade(&self.0))
    }

    /// Returns true if the tool list is settled.
    pub fn is_settled(&self) -> bool {
        self.with(|state| state.is_settled)
    }

    /// Returns the session's servers, once a turn has looked for them.
    pub fn servers(&self) -> Vec<Arc<Server>> {
        self.with(|state| state.servers.clone())
    }

    /// Returns the servers that are not switched off.
    fn used(&self) -> Vec<Arc<Server>> {
        let switches = self.with(|state| state.switches.clone());
        let mut servers = self.servers();
        servers.retain(|server| !switches.is_off(&server.definition().name));
        servers
    }

    /// Finds and starts the servers, waits for them briefly, and settles the tool list.
    pub async fn settle(&self, sources: Sources<'_>) -> Looked {
        let known =
            Known { shared: sources.shared, given: sources.given, project: &sources.project };
        let (definitions, problems) = definitions(&known);
        let mut looked = Looked::default();
        let told = problems.into_iter().map(|problem| notice("mcpServerIgnored", problem));
        looked.notices.extend(told);
        let servers: Vec<Arc<Server>> = definitions
            .into_iter()
            .map(|definition| sources.shared.pool.server(definition, sources.launch.clone()))
            .collect();
        let Sources { taken, allowed, relevance, .. } = sources;
        self.with(|state| {
            state.servers.clone_from(&servers);
            state.taken.clone_from(&taken);
            state.allowed = Some(allowed.clone());
        });
        let deadline = Instant::now() + FIRST_WAIT;
        let used = self.used();
        for server in &used {
            server.start();
        }
        for server in &used {
            let mut changes = server.changes();
            let is_over = |state: &server::State| !matches!(state, server::State::Starting);
            let _ = timeout_at(deadline, changes.wait_for(is_over)).await;
        }
        let (all, problems) = self.read_tools();
        looked
            .notices
            .extend(problems.into_iter().map(|problem| notice("mcpToolIgnored", problem)));
        let is_whole = used.iter().all(|server| {
            matches!(server.state(), server::State::Ready { link, .. } if !link.tells_changes())
        });
        let has_resources = servers.iter().any(|server| {
            matches!(server.state(), server::State::Ready { link, .. } if link.has_resources())
        });
        let (listed, unlisted) = split(&all, &relevance);
        let mut generic: Vec<Arc<dyn Tool>> = Vec::new();
        if !servers.is_empty() && (!is_whole || !unlisted.is_empty()) {
            let description = find_description(&servers, &unlisted);
            generic.push(Arc::new(FindTool { description, servers: self.weak() }));
            generic.push(Arc::new(CallTool(self.weak())));
        }
        if has_resources {
            generic.push(Arc::new(ResourceTool(self.weak())));
        }
        generic.retain(|tool| (allowed.0)(tool.name()) && !taken.contains(tool.name()));
        self.with(|state| {
            state.is_settled = true;
            state.known = state.all.iter().map(|tool| tool.name().to_owned()).collect();
            state.listed = listed;
            state.generic = generic;
        });
        looked.tools = self.tools();
        looked.notices.extend(self.failures());
        looked
    }

    /// Returns true if a server has changed since its tools were read.
    pub fn has_changed(&self) -> bool {
        self.with(|state| state.seen.iter().any(|seen| seen.has_changed().unwrap_or_default()))
    }

    /// Checks the servers again for new tools and failures, without waiting.
    pub fn look_again(&self) -> Looked {
        for server in self.used() {
            server.start();
        }
        if self.has_changed() {
            self.read_tools();
        }
        let (all, before) = self.with(|state| {
            let names = state.all.iter().map(|tool| tool.name().to_owned()).collect();
            (state.all.clone(), std::mem::replace(&mut state.known, names))
        });
        let has_generic = self.with(|state| !state.generic.is_empty());
        let is_new = |tool: &&Arc<ServerTool>| !before.contains(tool.name());
        let new: Vec<&str> =
            all.iter().filter(is_new).map(|tool| tool.name()).take(MAX_LISTED).collect();
        let news = (has_generic && !new.is_empty()).then(|| {
            format!(
                "these MCP tools are now available through `mcp_find` and `mcp_call`: {}",
                new.join(", ")
            )
        });
        Looked { tools: self.tools(), notices: self.failures(), news }
    }

    /// Switches a server off or on for this session.
    pub fn switch(&self, server: &str, is_on: bool) {
        self.with(|state| state.switches.clone()).set(server, is_on);
    }

    /// Starts a server that failed at once.
    pub fn restart(&self, server: &str) {
        let found = self.servers().into_iter().find(|known| known.definition().name == server);
        if let Some(known) = found {
            known.forget_failure();
            known.start();
        }
    }

    /// Returns the server of this name; before a turn has searched for servers, one of the known servers, in this launch context.
    pub fn find_server(
        &self,
        name: &str,
        shared: &SharedServers,
        given: &[Definition],
        launch: LaunchContext,
    ) -> Option<Arc<Server>> {
        if self.is_settled() {
            return self.servers().into_iter().find(|server| server.definition().name == name);
        }
        let known = definitions(&Known { shared, given, project: &[] }).0;
        let definition = known.into_iter().find(|definition| definition.name == name)?;
        Some(shared.pool.server(definition, launch))
    }

    /// Returns the servers' states, for clients; before a turn has searched for servers, those of the known ones.
    pub fn states(&self, shared: &SharedServers, given: &[Definition]) -> Vec<McpServerState> {
        let (servers, switches) =
            self.with(|state| (state.servers.clone(), state.switches.clone()));
        let mut states: Vec<McpServerState> = servers.iter().map(report).collect();
        if !self.is_settled() {
            let known = definitions(&Known { shared, given, project: &[] }).0;
            states = known.iter().map(server::idle).collect();
        }
        for state in states.iter_mut().filter(|state| switches.is_off(&state.name)) {
            state.status = McpStatus::Off;
        }
        states
    }

    /// Returns the servers' prompts, as messages call them.
    pub fn prompts(&self) -> Vec<NamedPrompt> {
        let mut commands = Vec::new();
        for server in self.used() {
            let server::State::Ready { prompts, .. } = server.state() else { continue };
            let of = &server.definition().name;
            for prompt in prompts.iter() {
                let arguments = prompt.arguments.iter().map(|(name, is_required)| {
                    if *is_required { format!("<{name}>") } else { format!("[{name}]") }
                });
                let hint = arguments.collect::<Vec<_>>().join(" ");
                commands.push(NamedPrompt {
                    name: public_name(of, &prompt.name, |_| false),
                    description: prompt.description.clone(),
                    argument_hint: Some(hint).filter(|hint| !hint.is_empty()),
                    path: format!("mcp:{of}"),
                });
            }
        }
        commands
    }

    /// Fills in the prompt of this name, with its arguments in order; `None` if no server has one. The result comes with the server's name.
    pub async fn prompt(
        &self,
        name: &str,
        words: &[String],
    ) -> Option<Result<(String, Vec<Content>), String>> {
        let (server, prompt) = self.used().into_iter().find_map(|server| {
            let server::State::Ready { prompts, .. } = server.state() else { return None };
            let of = server.definition().name.clone();
            let is_meant =
                |prompt: &&PromptShape| public_name(&of, &prompt.name, |_| false) == name;
            let prompt = prompts.iter().find(is_meant).cloned();
            prompt.map(|prompt| (server, prompt))
        })?;
        let mut arguments = Map::new();
        let count = prompt.arguments.len();
        for (at, (argument, is_required)) in prompt.arguments.iter().enumerate() {
            let rest = words.get(at..).unwrap_or_default();
            // The last argument takes the rest.
            let value = if at + 1 == count {
                rest.join(" ")
            } else {
                rest.first().cloned().unwrap_or_default()
            };
            if !value.is_empty() {
                arguments.insert(argument.clone(), json!(value));
            } else if *is_required {
                return Some(Err(format!("the prompt {name} requires `{argument}`")));
            }
        }
        let link = server.link(Instant::now() + FIRST_WAIT);
        let filled = async { link.await?.prompt(&prompt.name, arguments).await };
        let of = server.definition().name.clone();
        Some(filled.await.map(|blocks| (of, blocks)).map_err(|error| server.explain(&error)))
    }

    /// Reads the resource that the user mentions, as `SERVER:URI`; `None` if no server has this name. The result comes with the server's
    /// name.
    pub async fn mentioned(&self, mention: &str) -> Option<Result<(String, Vec<Content>), String>> {
        let (name, uri) = mention.split_once(':')?;
        let server = self.used().into_iter().find(|server| server.definition().name == name)?;
        let link = server.link(Instant::now() + FIRST_WAIT);
        let read = async { link.await?.read(uri).await };
        let parts = read.await.map_err(|error| server.explain(&error));
        let blocks = parts.map(|parts| parts.into_iter().map(|part| part.content).collect());
        Some(blocks.map(|blocks| (name.to_owned(), blocks)))
    }

    /// Returns the tools for the model's list.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.with(|state| {
            let listed = state.listed.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>);
            listed.chain(state.generic.iter().cloned()).collect()
        })
    }

    /// Reads the tools of all servers. An existing tool keeps its name.
    fn read_tools(&self) -> (Vec<Arc<ServerTool>>, Vec<String>) {
        let (servers, taken, allowed, switches) = self.with(|state| {
            state.seen = state.servers.iter().map(|server| server.changes()).collect();
            (
                state.servers.clone(),
                state.taken.clone(),
                state.allowed.clone(),
                state.switches.clone(),
            )
        });
        let is_allowed = |name: &str| allowed.as_ref().is_none_or(|allowed| (allowed.0)(name));
        let (mut all, mut problems): (Vec<Arc<ServerTool>>, Vec<String>) = <_>::default();
        for server in &servers {
            let is_taken =
                |name: &str| taken.contains(name) || all.iter().any(|tool| tool.name() == name);
            let (tools, wrong) = tools_of(server, &switches, is_taken);
            problems.extend(wrong);
            all.extend(tools.into_iter().filter(|tool| is_allowed(tool.name())));
        }
        self.with(|state| {
            // A disconnected server is called by its last known tools.
            let is_gone =
                |tool: &&Arc<ServerTool>| !all.iter().any(|new| new.name() == tool.name());
            let away: Vec<Arc<ServerTool>> = state.all.iter().filter(is_gone).cloned().collect();
            let is_away = |tool: &Arc<ServerTool>| tool.server().status() != Status::Ready;
            state.all = all.iter().cloned().chain(away.into_iter().filter(is_away)).collect();
        });
        (all, problems)
    }

    /// Returns the failures not reported yet.
    fn failures(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for server in self.used() {
            let message = match server.status() {
                Status::Failed(message) => message,
                Status::Starting => {
                    let name = &server.definition().name;
                    format!(
                        "the MCP server `{name}` is still starting; its tools become available when it is ready"
                    )
                }
                Status::Idle | Status::Ready => continue,
            };
            let is_new = self.with(|state| {
                let is_new = !state.told.contains(&message);
                if is_new {
                    state.told.push(message.clone());
                }
                is_new
            });
            if is_new {
                notices.push(notice("mcpServerFailed", message));
            }
        }
        notices
    }

    /// Returns the unlisted tool of this name, if the model may call it: one that it found may be called like a listed one.
    pub fn unlisted(&self, name: &str) -> Option<Arc<ServerTool>> {
        let can_call = self.with(|state| state.generic.iter().any(|tool| tool.name() == CALL_TOOL));
        self.tool(name).filter(|_| can_call)
    }

    pub(super) fn tool(&self, name: &str) -> Option<Arc<ServerTool>> {
        self.with(|state| state.all.iter().find(|tool| tool.name() == name).cloned())
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.with(|state| state.all.iter().map(|tool| tool.name().to_owned()).collect())
    }

    /// Returns the tools that match words best, the best first.
    pub(super) fn find(&self, query: &str) -> Vec<Arc<ServerTool>> {
        if self.has_changed() {
            self.read_tools();
        }
        let all = self.with(|state| state.all.clone());
        if let Some(tool) = all.iter().find(|tool| tool.name() == query.trim()) {
            return vec![Arc::clone(tool)];
        }
        let query = query.to_lowercase();
        let words: Vec<&str> =
            query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let score = |tool: &ServerTool| -> usize {
            let (name, about) = (tool.name().to_lowercase(), tool.description().to_lowercase());
            let of_word = |word: &&str| {
                usize::from(name.contains(word)) * 3 + usize::from(about.contains(word))
            };
            words.iter().map(of_word).sum()
        };
        let mut scored: Vec<(usize, Arc<ServerTool>)> = all
            .into_iter()
            .map(|tool| (score(&tool), tool))
            .filter(|(score, _)| *score > 0)
            .collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, tool)| tool).take(MAX_FOUND).collect()
    }
}
