//! One handler per request: params in, a command or a query of the store, result out.

use super::connection::Connection;
use super::filter;
use super::keys::{check_key, check_length};
use super::refused;
use crate::client::{self, Scope, leave, snapshot};
use crate::rpc::{HandlerResult, MAX_IN_FLIGHT, error_object, invalid};
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::{
    self as agent, CreateSession, EventSelection, ForkSession, JobCommand, NewFolder, OpenConfig,
    ServerDefinition, ServerOrigin, ServersCommand, SessionHandle, SessionRequest,
    SubscriptionCommand,
};
use pintle_base::transport::MAX_MESSAGE_BYTES;
use pintle_protocol::capability::{EngineCapabilities, Supported};
use pintle_protocol::error::{self, ErrorData};
use pintle_protocol::history::SessionForkParams;
use pintle_protocol::ids::SessionId;
use pintle_protocol::mcp::McpServer;
use pintle_protocol::methods::{
    Empty, EngineInfo, InitializeParams, InitializeResult, JobStopParams, JobStopResult, Limits,
    PromptListResult, ProtocolChoice, SessionConfig, SessionCreateParams, SessionOpenParams,
    SessionParams, SessionResult, SessionSubscribeParams, SkillListResult,
};
use pintle_protocol::models::ModelsListResult;
use pintle_protocol::permission::{PermissionListResult, PermissionRemoveParams};
use pintle_protocol::subscription::EventFilter;
use pintle_protocol::to_session::ToSession;
use pintle_protocol::trust::{TrustAgreeParams, TrustResult};
use pintle_protocol::{PROTOCOL_NAME, PROTOCOL_VERSION, schema};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) async fn initialize(
    connection: Arc<Connection>,
    params: InitializeParams,
) -> HandlerResult<InitializeResult> {
    let InitializeParams { protocol, client, capabilities } = params;
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    let is_supported = protocol.versions.iter().any(|v| major(v) == major(PROTOCOL_VERSION));
    if protocol.name != PROTOCOL_NAME || !is_supported {
        let data = ErrorData {
            code: "unsupportedProtocol".to_owned(),
            hint: Some("use an engine and a client of matching versions".to_owned()),
            supported: vec![PROTOCOL_VERSION.to_owned()],
            path: Some("/protocol".to_owned()),
            ..ErrorData::default()
        };
        let offered = protocol.versions.join(", ");
        let message = format!(
            "this engine supports {PROTOCOL_NAME} {PROTOCOL_VERSION}, not {} {offered}",
            protocol.name
        );
        return Err(ErrorObjectOwned::owned(error::UNSUPPORTED_PROTOCOL, message, Some(data)));
    }
    tracing::info!("client {} {}", client.name, client.version.unwrap_or_default());
    let id = client.id.unwrap_or(client.name);
    check_length("/client/id", &id)?;
    filter::check(capabilities.deltas.as_ref())?;
    connection.initialize((!id.is_empty()).then_some(id), capabilities);
    connection.client.engine.prepare();
    Ok(InitializeResult {
        protocol: ProtocolChoice {
            name: PROTOCOL_NAME.to_owned(),
            version: PROTOCOL_VERSION.to_owned(),
        },
        engine: EngineInfo {
            name: "pintle".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            schema_hash: schema::schema_hash(),
        },
        capabilities: EngineCapabilities {
            documents: connection.client.engine.editors().map(|_| Supported {}),
            steer: Some(Supported {}),
            queue: Some(Supported {}),
            replay: Some(Supported {}),
            filters: Some(Supported {}),
            history: Some(Supported {}),
            review: Some(Supported {}),
            search: Some(Supported {}),
        },
        limits: Limits {
            max_message_bytes: MAX_MESSAGE_BYTES as u64,
            max_in_flight: MAX_IN_FLIGHT as u64,
        },
    })
}

pub(super) async fn ping(_: Arc<Connection>, _: Empty) -> HandlerResult<Empty> {
    Ok(Empty {})
}

pub(super) async fn shutdown(connection: Arc<Connection>, _: Empty) -> HandlerResult<Empty> {
    match connection.client.scope {
        Scope::Alone => connection.client.engine.shutdown().await,
        Scope::Shared => leave(connection.sessions(), connection.client.id).await,
    }
    connection.shut_down();
    Ok(Empty {})
}

pub(super) async fn session_create(
    connection: Arc<Connection>,
    params: SessionCreateParams,
) -> HandlerResult<SessionResult> {
    let SessionCreateParams { cwd, title, isolation, config, subscribe, filter, key } = params;
    let subscription = Subscription::new(&connection, subscribe, &filter)?;
    let cwd = cwd.unwrap_or_else(|| connection.cwd.to_string_lossy().into_owned());
    check_model(&connection, &config)?;
    let (config, cause) = (open_config(config)?, connection.cause(key)?);
    let create = CreateSession { cwd, title, isolation, config, cause, ..CreateSession::default() };
    let session = connection.client.engine.create(create).await.map_err(refused)?;
    let session = connection.add(session);
    attach(&connection, &session, subscription, Some(0)).await.map_err(refused)
}

pub(super) async fn session_open(
    connection: Arc<Connection>,
    params: SessionOpenParams,
) -> HandlerResult<SessionResult> {
    let SessionOpenParams { session_id, subscribe, from_seq, tail, cwd, config, filter } = params;
    let subscription = Subscription::new(&connection, subscribe, &filter)?;
    let cwd = cwd.map(|cwd| NewFolder::Move(cwd.into()));
    let config = OpenConfig { cwd, ..open_config(config)? };
    let begin = |session| {
        let (connection, subscription) = (Arc::clone(&connection), subscription.clone());
        async move {
            let session = connection.add(session);
            let from_seq = first_of(&session, from_seq, tail).await?;
            attach(&connection, &session, subscription, from_seq).await
        }
    };
    let opened = client::open(&connection.client.engine, session_id, config, begin).await;
    opened.map(|(_, result)| result).map_err(refused)
}

pub(super) async fn session_fork(
    connection: Arc<Connection>,
    params: SessionForkParams,
) -> HandlerResult<SessionResult> {
    let SessionForkParams { session_id: of, at, title, cwd, config, subscribe, filter, key } =
        params;
    let subscription = Subscription::new(&connection, subscribe, &filter)?;
    check_model(&connection, &config)?;
    let (config, cause) = (open_config(config)?, connection.cause(key)?);
    let config = OpenConfig { cwd: cwd.map(|cwd| NewFolder::Move(cwd.into())), ..config };
    let fork = ForkSession { of, at, title, config, cause };
    let session = connection.client.engine.fork(fork).await.map_err(refused)?;
    let session = connection.add(session);
    attach(&connection, &session, subscription, Some(0)).await.map_err(refused)
}

pub(super) async fn session_close(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<Empty> {
    let session = session(&connection, params.session_id)?;
    connection.client.close(&session).await.map_err(refused)?;
    connection.leave(&session.id);
    connection.remove(&session.id);
    Ok(Empty {})
}

pub(super) async fn session_subscribe(
    connection: Arc<Connection>,
    params: SessionSubscribeParams,
) -> HandlerResult<SessionResult> {
    let subscription = Subscription::new(&connection, Some(true), &params.filter)?;
    let session = session(&connection, params.session_id)?;
    let from_seq = first_of(&session, params.from_seq, params.tail).await.map_err(refused)?;
    attach(&connection, &session, subscription, from_seq).await.map_err(refused)
}

pub(super) async fn session_unsubscribe(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<Empty> {
    let session = session(&connection, params.session_id)?;
    let id = connection.client.id;
    session.ask(|reply| SubscriptionCommand::Unsubscribe { id, reply }).await.map_err(refused)?;
    connection.leave(&session.id);
    Ok(Empty {})
}

/// Forwards a request to its session.
pub(super) async fn forward<R: SessionRequest>(
    connection: Arc<Connection>,
    params: R::Params,
) -> HandlerResult<R::Result> {
    let session = session(&connection, params.session_id().cloned())?;
    check_key(params.key())?;
    session.call::<R>(params).await.map_err(refused)
}

pub(super) async fn prompt_list(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<PromptListResult> {
    let session = session(&connection, params.session_id)?;
    let snapshot = snapshot(&session).await.map_err(refused)?;
    let mut found = connection.client.engine.prompts(&snapshot.cwd).await;
    let prompts = session.ask(|reply| ServersCommand::Prompts { reply }).await.map_err(refused)?;
    found.prompts.extend(prompts);
    Ok(found)
}

pub(super) async fn skill_list(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<SkillListResult> {
    let cwd = folder(&connection, params.session_id).await?;
    Ok(SkillListResult { skills: connection.client.engine.skills(&cwd).await })
}

pub(super) async fn trust_read(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<TrustResult> {
    let cwd = folder(&connection, params.session_id).await?;
    Ok(connection.client.engine.orders(&cwd).await)
}

pub(super) async fn trust_agree(
    connection: Arc<Connection>,
    params: TrustAgreeParams,
) -> HandlerResult<TrustResult> {
    let cwd = folder(&connection, params.session_id).await?;
    connection.client.engine.agree(&cwd, params.files).await.map_err(refused)
}

pub(super) async fn permission_list(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<PermissionListResult> {
    session(&connection, params.session_id)?.rules().await.map_err(refused)
}

pub(super) async fn permission_remove(
    connection: Arc<Connection>,
    params: PermissionRemoveParams,
) -> HandlerResult<PermissionListResult> {
    let PermissionRemoveParams { session_id, rule_id } = params;
    session(&connection, session_id)?.remove_rule(rule_id).await.map_err(refused)
}

/// Returns a session's working directory.
async fn folder(
    connection: &Arc<Connection>,
    session_id: Option<SessionId>,
) -> HandlerResult<String> {
    let session = session(connection, session_id)?;
    Ok(snapshot(&session).await.map_err(refused)?.cwd)
}

pub(super) async fn job_stop(
    connection: Arc<Connection>,
    params: JobStopParams,
) -> HandlerResult<JobStopResult> {
    let JobStopParams { session_id, job_id: id } = params;
    let session = session(&connection, session_id)?;
    let job = session.ask(|reply| JobCommand::Stop { id, reply }).await.map_err(refused)?;
    Ok(JobStopResult { job })
}

pub(super) async fn models_list(
    connection: Arc<Connection>,
    _: Empty,
) -> HandlerResult<ModelsListResult> {
    Ok(connection.client.engine.models())
}

pub(super) fn session(
    connection: &Connection,
    id: Option<SessionId>,
) -> HandlerResult<SessionHandle> {
    let missing =
        |message: &str, hint: &str| error_object(error::NOT_FOUND, message, "notFound", Some(hint));
    if let Some(id) = id {
        return connection.find(&id).ok_or_else(|| {
            missing(
                &format!("session {id} is not open on this connection"),
                "open it with session/open",
            )
        });
    }
    let mut sessions = connection.sessions();
    match (sessions.pop(), sessions.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(missing(
            "no session is open on this connection",
            "create one with session/create or open one with session/open",
        )),
        (Some(_), false) => Err(invalid(
            "/sessionId",
            "several sessions are open on this connection",
            "select one with `sessionId`".to_owned(),
        )),
    }
}

/// Returns the number after which events are sent first. Events between this snapshot and the subscription are sent as well.
async fn first_of(
    session: &SessionHandle,
    from_seq: Option<u64>,
    tail: Option<u64>,
) -> Result<Option<u64>, agent::Error> {
    let Some(tail) = tail.filter(|_| from_seq.is_none()) else { return Ok(from_seq) };
    let snapshot = snapshot(session).await?;
    Ok(Some(snapshot.seq.saturating_sub(tail)))
}

/// A connection's wish to receive a session's events, or not to.
#[derive(Debug, Clone)]
pub(super) enum Subscription {
    Wanted(EventSelection),
    Unwanted,
}

impl Subscription {
    /// Reads the requested subscription from params; a session's events are wanted by default.
    ///
    /// # Errors
    /// Fails if the filter contradicts itself, the client's capabilities, or `subscribe`.
    pub(super) fn new(
        connection: &Connection,
        subscribe: Option<bool>,
        filter: &EventFilter,
    ) -> HandlerResult<Self> {
        if subscribe != Some(false) {
            return connection.filter(filter).map(Self::Wanted);
        }
        if *filter == EventFilter::default() {
            return Ok(Self::Unwanted);
        }
        let why = "a filter cannot be combined with `subscribe: false`";
        let hint = "remove one of them, or send the filter with session/subscribe";
        Err(invalid("/subscribe", why, hint.to_owned()))
    }
}

/// Subscribes if that is wanted, and returns the session's state.
pub(super) async fn attach(
    connection: &Arc<Connection>,
    session: &SessionHandle,
    subscription: Subscription,
    from_seq: Option<u64>,
) -> Result<SessionResult, agent::Error> {
    match subscription {
        Subscription::Unwanted => snapshot(session).await,
        Subscription::Wanted(filter) => {
            let subscriber = connection.as_subscriber(filter);
            client::subscribe(session, subscriber, from_seq).await
        }
    }
}

/// Refuses a model that does not exist, for a new session: stored ones stay readable. One whose key is missing is accepted, since a login can
/// follow.
fn check_model(connection: &Connection, config: &SessionConfig) -> HandlerResult<()> {
    let Some(model) = &config.model else { return Ok(()) };
    match connection.client.engine.check_model(model) {
        Err(error) if error.kind == agent::ErrorKind::Config => {
            Err(refused(agent::Error { field: Some("/config/model"), ..error }))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns the servers that a client names for its session.
fn servers(named: &BTreeMap<String, McpServer>) -> HandlerResult<Arc<[ServerDefinition]>> {
    let value = serde_json::to_value(named).unwrap_or_default();
    let table = value.as_object().cloned().unwrap_or_default();
    let (servers, problems) = agent::parse_servers(&table, &ServerOrigin::Client);
    if problems.is_empty() {
        return Ok(servers.into());
    }
    let hint = "each server has a `command` with `args` and `env`, or a `url` with `headers`";
    Err(invalid("/config/mcpServers", &problems.join("; "), hint.to_owned()))
}

pub(super) fn open_config(config: SessionConfig) -> HandlerResult<OpenConfig> {
    let SessionConfig {
        model,
        permission_mode,
        system_prompt,
        tools,
        mode,
        additional_directories,
        mcp_servers,
    } = config;
    let additional = additional_directories.map(|all| all.into_iter().map(Into::into).collect());
    Ok(OpenConfig {
        model,
        permission_mode,
        system_prompt,
        tools,
        mode,
        additional,
        servers: mcp_servers.as_ref().map(servers).transpose()?,
        ..OpenConfig::default()
    })
}
