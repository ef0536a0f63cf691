//! Request handlers: each request becomes a future, and its outcome a value that the driver applies.
//!
//! Handlers do not change the connection's state. Engine methods, under `_pintle/`, are answered by the native protocol's table, so both
//! protocols return the same.

use super::content;
use super::replay::{Page, replay};
use super::translator::{Offers, Translator};
use super::wire;
use crate::client::{self, Client};
use crate::methods::refused;
use crate::rpc::{invalid_params, refusal};
use agent_client_protocol_schema::v1 as acp;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::{
    Command, CreateSession, Editors, Error, ErrorKind, EventSelection, Filter, Hint, NewFolder,
    OpenConfig, ServerDefinition, ServerOrigin, ServersCommand, SessionHandle, SettingsCommand,
    Trace, parse_servers,
};
use pintle_base::transport::envelope::Id;
use pintle_protocol::content::Input;
use pintle_protocol::context::SessionCompactParams;
use pintle_protocol::error;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{
    ConfigResult, ConfigSet, ConfigSetParams, NamedPrompt, SessionCompact, TurnInterrupt,
    TurnInterruptParams, TurnStart, TurnStartParams, TurnStartResult, TurnSteerParams, WhenBusy,
};
use pintle_protocol::session::SessionResult;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Sessions per list page.
const PAGE: usize = 50;

/// The context of request handlers. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct RequestContext {
    pub(super) client: Client,
    /// Receives a replay's pages.
    pub(super) pages: mpsc::Sender<Page>,
    pub(super) offers: Offers,
}

/// The request that opened a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    New,
    Loaded,
    Resumed,
}

/// The response to a request that sets an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// All options.
    Option,
    /// Nothing.
    Other,
}

/// A session that was created, loaded or resumed.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) handle: SessionHandle,
    pub(super) snapshot: SessionResult,
    pub(super) config: ConfigResult,
    pub(super) commands: Vec<NamedPrompt>,
    /// Problems with MCP servers that the client named.
    pub(super) unusable: Vec<String>,
    /// The translator after the replay, with the last event that it sent, when the session was loaded.
    pub(super) replayed: Option<(Translator, u64)>,
}

/// A request handler's outcome.
#[derive(Debug)]
pub(super) enum Outcome {
    Response(Id, Vec<u8>),
    Refused(Id, ErrorObjectOwned),
    Opened(Id, Opening, Box<Opened>),
    Prompted(Id, SessionId, TurnStartResult),
    /// A turn that compacts the conversation has begun.
    Compacting(Id, SessionId, pintle_protocol::ids::TurnId),
    Configured(Id, SessionId, Setting, ConfigResult),
    Closed(Id, SessionId, Vec<u8>),
    /// The message needs no response.
    NoResponse,
}

pub(super) type HandlerResult<T> = Result<T, ErrorObjectOwned>;

/// Reads params; missing params count as an empty object.
pub(super) fn read<P: DeserializeOwned>(params: Option<&RawValue>) -> HandlerResult<P> {
    let text = params.map_or("{}", RawValue::get);
    if text.starts_with('[') {
        return Err(invalid_params("params must be an object"));
    }
    serde_json::from_str(text).map_err(|error| invalid_params(&error.to_string()))
}

/// Like [`read`], for params that open a session: some clients omit the server list.
fn read_start<P: DeserializeOwned>(params: Option<&RawValue>) -> HandlerResult<P> {
    let mut value: Value = read(params)?;
    if let Some(map) = value.as_object_mut()
        && !map.contains_key("mcpServers")
    {
        map.insert("mcpServers".to_owned(), json!([]));
    }
    serde_json::from_value(value).map_err(|error| invalid_params(&error.to_string()))
}

pub(super) fn auth_required(message: &str, hint: &str) -> ErrorObjectOwned {
    refusal(error::AUTH_REQUIRED, message, "authRequired", hint)
}

/// Converts an engine error into an error with this protocol's hints.
pub(super) fn error_response(error: Error) -> ErrorObjectOwned {
    if error.kind == ErrorKind::NotFound {
        let hint = "session/list lists the stored sessions";
        return refusal(error::NOT_FOUND, &error.message, "notFound", hint);
    }
    let hint = error.hint.as_ref().map(ToString::to_string);
    let message = match &hint {
        Some(hint) => format!("{} ({hint})", error.message),
        None => error.message.clone(),
    };
    refused(Error { message, hint: hint.map(Hint::Text), ..error })
}

/// Returns the configuration for opening a session; it always names all directories and servers.
fn config(additional: &[PathBuf], servers: &[ServerDefinition]) -> OpenConfig {
    OpenConfig {
        additional: Some(additional.into()),
        servers: Some(servers.into()),
        ..OpenConfig::default()
    }
}

/// Returns the servers that a client names, and the problems with the unusable ones.
fn servers(wanted: &[acp::McpServer]) -> (Vec<ServerDefinition>, Vec<String>) {
    let pairs = |named: &mut dyn Iterator<Item = (&String, &String)>| -> Value {
        named.map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>().into()
    };
    let (mut tables, mut unknown) = (Map::new(), Vec::new());
    for server in wanted {
        let (name, table) = match server {
            acp::McpServer::Http(server) => {
                let headers =
                    &mut server.headers.iter().map(|header| (&header.name, &header.value));
                (&server.name, json!({"url": server.url, "headers": pairs(headers)}))
            }
            acp::McpServer::Sse(server) => {
                (&server.name, json!({"type": "sse", "url": server.url}))
            }
            acp::McpServer::Stdio(server) => {
                let env = &mut server.env.iter().map(|variable| (&variable.name, &variable.value));
                (
                    &server.name,
                    json!({"command": server.command, "args": server.args, "env": pairs(env)}),
                )
            }
            _ => {
                unknown.push("ignored a server of an unknown kind".to_owned());
                continue;
            }
        };
        tables.insert(name.clone(), table);
    }
    let (servers, problems) = parse_servers(&tables, &ServerOrigin::Client);
    (servers, problems.into_iter().chain(unknown).collect())
}

impl RequestContext {
    pub(super) async fn new_session(
        self,
        params: Option<Box<RawValue>>,
    ) -> HandlerResult<Box<Opened>> {
        let params: acp::NewSessionRequest = read_start(params.as_deref())?;
        let cwd = params.cwd.to_string_lossy().into_owned();
        let (servers, problems) = servers(&params.mcp_servers);
        let config = config(&params.additional_directories, &servers);
        let create = CreateSession { cwd, config, ..CreateSession::default() };
        let handle = self.client.engine.create(create).await.map_err(error_response)?;
        let snapshot = self.subscribe(&handle).await.map_err(error_response)?;
        self.finish((handle, snapshot), problems, &params.additional_directories).await
    }

    pub(super) async fn load_session(
        self,
        params: Option<Box<RawValue>>,
    ) -> HandlerResult<Box<Opened>> {
        let params: acp::LoadSessionRequest = read_start(params.as_deref())?;
        let (servers, problems) = servers(&params.mcp_servers);
        let additional = params.additional_directories;
        let (handle, snapshot) =
            self.open(&params.session_id, params.cwd, &additional, &servers).await?;
        // Later events follow: the session is subscribed to already.
        let translator =
            replay(&self.client.engine, &handle, &snapshot, self.offers, &self.pages).await;
        let replayed = Some((translator.map_err(error_response)?, snapshot.seq));
        let opened = self.finish((handle, snapshot), problems, &additional).await?;
        Ok(Box::new(Opened { replayed, ..*opened }))
    }

    pub(super) async fn resume_session(
        self,
        params: Option<Box<RawValue>>,
    ) -> HandlerResult<Box<Opened>> {
        let params: acp::ResumeSessionRequest = read_start(params.as_deref())?;
        let (servers, problems) = servers(&params.mcp_servers);
        let additional = params.additional_directories;
        let opened = self.open(&params.session_id, params.cwd, &additional, &servers).await?;
        self.finish(opened, problems, &additional).await
    }

    /// Opens a session and subscribes to it. Clients name their window's directory, which is not always the session's.
    async fn open(
        &self,
        id: &acp::SessionId,
        cwd: PathBuf,
        additional: &[PathBuf],
        servers: &[ServerDefinition],
    ) -> HandlerResult<(SessionHandle, SessionResult)> {
        let id = SessionId::new(&*id.0);
        let config =
            OpenConfig { cwd: Some(NewFolder::IfGone(cwd)), ..config(additional, servers) };
        let begin = |handle: SessionHandle| async move { self.subscribe(&handle).await };
        client::open(&self.client.engine, id, config, begin).await.map_err(error_response)
    }

    async fn subscribe(&self, handle: &SessionHandle) -> Result<SessionResult, Error> {
        let subscriber = self.client.subscriber(EventSelection::default());
        client::subscribe(handle, subscriber, None).await
    }

    /// Collects the other parts of the response about a session.
    async fn finish(
        self,
        (handle, snapshot): (SessionHandle, SessionResult),
        unusable: Vec<String>,
        additional: &[PathBuf],
    ) -> HandlerResult<Box<Opened>> {
        if let Some(Editors { documents, .. }) = self.client.engine.editors() {
            let folders = additional.iter().map(PathBuf::as_path);
            for folder in [Path::new(&snapshot.cwd)].into_iter().chain(folders) {
                let folder =
                    self.client.engine.canonicalize(folder).await.map_err(error_response)?;
                documents.ask_below(self.client.id.0, folder);
            }
        }
        let config = set(&handle, BTreeMap::new()).await?;
        let mut commands = self.client.engine.prompts(&snapshot.cwd).await.prompts;
        commands.extend(self.client.engine.skills(&snapshot.cwd).await);
        let prompts = handle.ask(|reply| ServersCommand::Prompts { reply }).await;
        commands.extend(prompts.map_err(error_response)?);
        Ok(Box::new(Opened { handle, snapshot, config, commands, unusable, replayed: None }))
    }

    pub(super) async fn list(
        self,
        params: Option<Box<RawValue>>,
    ) -> HandlerResult<acp::ListSessionsResponse> {
        let params: acp::ListSessionsRequest = read(params.as_deref())?;
        let cwd = params.cwd.map(|cwd| cwd.to_string_lossy().into_owned());
        let filter = Filter { cwd, archived: Some(false), ..Filter::default() };
        let (found, next) =
            self.client.engine.list(filter, params.cursor, PAGE).await.map_err(error_response)?;
        let sessions = found.into_iter().map(|summary| {
            acp::SessionInfo::new(summary.session_id.as_str().to_owned(), summary.cwd)
                .title(summary.title)
                .updated_at(wire::time(summary.updated_ms))
        });
        Ok(acp::ListSessionsResponse::new(sessions.collect()).next_cursor(next))
    }

    pub(super) async fn delete(
        self,
        id: SessionId,
        open: Option<SessionHandle>,
    ) -> HandlerResult<()> {
        if let Some(handle) = open {
            // Deleted for every client.
            handle.ask(|reply| Command::Close { reply }).await.map_err(error_response)?;
        }
        self.client.engine.delete(id).await.map(drop).map_err(error_response)
    }

    /// Succeeds when the next prompt finds a model that can answer: the model of each open session, or the default one.
    pub(super) fn authenticate<'a>(
        &'a self,
        params: Option<&RawValue>,
        in_use: impl Iterator<Item = &'a str>,
    ) -> HandlerResult<acp::AuthenticateResponse> {
        let params: acp::AuthenticateRequest = read(params)?;
        if *params.method_id.0 != *super::KEYS {
            return Err(invalid_params(&format!(
                "unknown login method `{}`; expected `{}`",
                params.method_id,
                super::KEYS
            )));
        }
        let models: BTreeSet<&str> = in_use.chain(self.client.engine.default_model()).collect();
        if models.is_empty() {
            return Err(auth_required(
                "no model is set",
                "set `model = \"PROVIDER/ID\"` in config.toml; `pintle models` lists models",
            ));
        }
        for model in models {
            self.client
                .engine
                .check_model(model)
                .map_err(|error| error_response(Error { kind: ErrorKind::Auth, ..error }))?;
        }
        Ok(acp::AuthenticateResponse::new())
    }
}

/// Returns the trace that a request belongs to.
pub(super) fn trace(meta: Option<&acp::Meta>) -> Trace {
    let field = |name: &str| meta?.get(name)?.as_str();
    Trace::new(field("traceparent"), field("tracestate"))
}

/// Starts a turn, or queues the prompt.
pub(super) async fn prompt(
    handle: SessionHandle,
    input: Vec<Input>,
    trace: Trace,
) -> HandlerResult<TurnStartResult> {
    let config = OpenConfig { trace: Some(trace), ..OpenConfig::default() };
    handle
        .ask(|reply| SettingsCommand::Configure { config, reply })
        .await
        .map_err(error_response)?;
    let when_busy = WhenBusy::Queue;
    let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
    handle.call::<TurnStart>(start).await.map_err(error_response)
}

pub(super) async fn compact(
    handle: SessionHandle,
    instructions: Option<String>,
) -> HandlerResult<pintle_protocol::ids::TurnId> {
    let compact = SessionCompactParams { instructions, ..SessionCompactParams::default() };
    let begun = handle.call::<SessionCompact>(compact).await.map_err(error_response)?;
    Ok(begun.turn_id)
}

/// Stops the running turn and hands queued messages back.
pub(super) async fn interrupt(handle: SessionHandle) {
    // A closed session has nothing to stop.
    let _ = handle.call::<TurnInterrupt>(TurnInterruptParams::default()).await;
}

pub(super) async fn set(
    handle: &SessionHandle,
    values: BTreeMap<String, String>,
) -> HandlerResult<ConfigResult> {
    let set = ConfigSetParams { session_id: None, values };
    let result = handle.call::<ConfigSet>(set).await.map_err(error_response)?;
    match result.rejected.first() {
        Some(rejected) => Err(invalid_params(&rejected.reason)),
        None => Ok(result),
    }
}

/// How a message for the running turn was handled.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub(super) enum Steered {
    Injected,
    #[serde(rename = "startedNewTurn")]
    Started,
    PromptRequired,
    Failed {
        reason: String,
    },
}

/// Sends a message to the running turn. If none runs, it starts one, unless the client wants to do so itself.
pub(super) async fn steer(
    handle: SessionHandle,
    params: Option<Box<RawValue>>,
) -> HandlerResult<Steered> {
    let params: acp::PromptRequest = read(params.as_deref())?;
    let idle =
        params.meta.as_ref().and_then(|meta| meta.get("steering")?.get("idleBehavior")?.as_str());
    let needs_prompt = idle == Some("promptRequired");
    let trace = trace(params.meta.as_ref());
    let input = content::input(params.prompt).map_err(|reason| invalid_params(&reason))?;
    let steer = TurnSteerParams { input: input.clone(), ..TurnSteerParams::default() };
    Ok(match handle.steer(steer).await {
        Ok(Some(_)) => Steered::Injected,
        Ok(None) if needs_prompt => Steered::PromptRequired,
        Ok(None) => match prompt(handle, input, trace).await {
            Ok(_) => Steered::Started,
            Err(error) => Steered::Failed { reason: error.message().to_owned() },
        },
        Err(error) => Steered::Failed { reason: error.message },
    })
}
