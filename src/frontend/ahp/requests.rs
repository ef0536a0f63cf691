//! Client requests: params are read here, and slow work runs outside the host.

use super::host::{AhpHost, Done, Then, Waiting};
use super::outlet::ConnectionId;
use super::session::Open;
use super::state::{Channel, Channels, PROVIDER};
use super::wire::{self, Refusal, failed, invalid};
use super::{config, contents, files, quirks, review};
use ahp_types::ROOT_RESOURCE_URI;
use ahp_types::actions::{
    ActionEnvelope, SessionActiveClientSetAction, SessionReadyAction, StateAction,
};
use ahp_types::commands::{
    CompletionItem, CompletionsParams, CompletionsResult, CreateSessionParams,
    DispatchActionParams, DisposeSessionParams, Implementation, InitializeParams, InitializeResult,
    InvokeChangesetOperationParams, ListSessionsParams, ListSessionsResult, ReconnectParams,
    ReconnectReplayResult, ReconnectResult, ResolveSessionConfigParams, ResolveSessionConfigResult,
    ResourceListParams, ResourceReadParams, SubscribeParams, UnsubscribeParams,
};
use ahp_types::errors::{ahp_error_codes, json_rpc_error_codes};
use ahp_types::notifications::SessionRemovedParams;
use ahp_types::state::{MessageAttachment, SessionStatus, SessionSummary, SimpleMessageAttachment};
use ahp_types::version::{SUPPORTED_PROTOCOL_VERSIONS, negotiate_protocol_version};
use futures_util::future::{BoxFuture, FutureExt};
use pintle_agent::{Command, EngineHandle, Filter, SessionHandle};
use pintle_base::transport::envelope::Id;
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::SessionSummary as Stored;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Default limit for session lists.
const LISTED: usize = 100;

/// The response to a request, now or later.
enum Outcome {
    Now(Result<Value, Refusal>),
    Later(BoxFuture<'static, Result<Value, Refusal>>),
    /// The same, of a request that changes files.
    Written(BoxFuture<'static, Result<Value, Refusal>>),
    /// The response is sent elsewhere.
    Elsewhere,
}

type RequestResult = Result<Outcome, Refusal>;

impl AhpHost {
    pub(super) fn request(
        &mut self,
        connection: ConnectionId,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
    ) {
        let is_known = self.clients.get(&connection).is_some_and(|client| client.name.is_some());
        let outcome = if is_known || matches!(method, "initialize" | "reconnect" | "ping") {
            self.answer(connection, &id, method, params)
        } else {
            let message =
                "the connection is not initialized; send `initialize` or `reconnect` first";
            Err(Refusal::new(json_rpc_error_codes::INVALID_REQUEST, message))
        };
        match outcome {
            Ok(Outcome::Now(outcome)) => self.respond(connection, &id, &outcome),
            Ok(Outcome::Later(work)) => {
                let responded = move |outcome| Done::Responded { connection, id, outcome };
                self.running.push(work.map(responded).boxed());
            }
            Ok(Outcome::Written(work)) => self.running.push(files::written(connection, id, work)),
            Ok(Outcome::Elsewhere) => {}
            Err(refusal) => self.respond(connection, &id, &Err(refusal)),
        }
    }

    fn answer(
        &mut self,
        connection: ConnectionId,
        id: &Id,
        method: &str,
        params: Option<&RawValue>,
    ) -> RequestResult {
        match method {
            "initialize" => self.initialize(connection, read(params)?),
            "reconnect" => {
                let mut params: Value = read(params)?;
                quirks::complete_reconnect(&mut params);
                self.reconnect(connection, id, read_value(params)?)
            }
            "ping" | "fetchTurns" => Ok(Outcome::Now(Ok(json!({})))),
            "subscribe" => self.subscribe(connection, id, read(params)?),
            "listSessions" => Ok(self.list_sessions(read(params)?)),
            "resolveSessionConfig" => self.resolve_config(&read(params)?),
            "sessionConfigCompletions" => Ok(Outcome::Now(Ok(json!({ "items": [] })))),
            "createSession" => self.create_session(read(params)?),
            "disposeSession" => self.dispose_session(connection, id, &read(params)?),
            "completions" => self.completions(read(params)?),
            "resourceRead" => {
                let ResourceReadParams { uri, encoding, .. } = read(params)?;
                Ok(Outcome::Later(contents::read(self, &uri, encoding)?))
            }
            "resourceList" => {
                let ResourceListParams { uri, .. } = read(params)?;
                Ok(Outcome::Later(contents::list(self, &uri)?))
            }
            "resourceResolve" => Ok(Outcome::Later(files::resolve(self, &read(params)?)?)),
            "resourceWrite" => Ok(Outcome::Written(files::write(self, read(params)?)?)),
            "resourceMkdir" => Ok(Outcome::Written(files::make_folder(self, read(params)?)?)),
            "resourceDelete" => Ok(Outcome::Written(files::remove(self, read(params)?)?)),
            "resourceMove" => Ok(Outcome::Written(files::rename(self, read(params)?)?)),
            "resourceCopy" => Ok(Outcome::Written(files::copy(self, read(params)?)?)),
            "invokeChangesetOperation" => {
                let params: InvokeChangesetOperationParams = read(params)?;
                let handle = self.open_session(&params.channel, &Channel::Changeset)?;
                Ok(Outcome::Later(review::invoke(handle, params)))
            }
            _ => {
                let message = format!("unknown method `{method}`");
                Err(Refusal::new(json_rpc_error_codes::METHOD_NOT_FOUND, message))
            }
        }
    }

    pub(super) fn notified(
        &mut self,
        connection: ConnectionId,
        method: &str,
        params: Option<&RawValue>,
    ) {
        match method {
            "dispatchAction" => match read::<DispatchActionParams>(params) {
                Ok(params) => self.dispatched(connection, params),
                Err(refusal) => tracing::warn!("ignored an action: {}", refusal.message),
            },
            "unsubscribe" => {
                let Ok(UnsubscribeParams { channel }) = read(params) else { return };
                if let Some(client) = self.clients.get_mut(&connection) {
                    client.subscriptions.remove(&channel);
                }
                self.tidy_later();
            }
            _ => tracing::debug!("unknown notification {method}"),
        }
    }

    fn initialize(&mut self, connection: ConnectionId, params: InitializeParams) -> RequestResult {
        let InitializeParams { protocol_versions, client_id, initial_subscriptions, .. } = params;
        let negotiated = negotiate_protocol_version(&protocol_versions);
        let version = negotiated
            .map_err(|why| Refusal::new(json_rpc_error_codes::INVALID_PARAMS, why))?
            .ok_or_else(|| {
                let message = format!(
                    "this host speaks {}, not {}",
                    SUPPORTED_PROTOCOL_VERSIONS.join(", "),
                    protocol_versions.join(", ")
                );
                Refusal::new(ahp_error_codes::UNSUPPORTED_PROTOCOL_VERSION, message)
                    .with(json!({ "supportedVersions": SUPPORTED_PROTOCOL_VERSIONS }))
            })?;
        self.welcome(connection, &client_id)?;
        let uris = initial_subscriptions.unwrap_or_default();
        let mut snapshots = Vec::new();
        for uri in uris {
            if let Some(snapshot) = self.snapshot(&uri) {
                self.subscribed(connection, uri);
                snapshots.push(snapshot);
            }
        }
        let result = InitializeResult {
            protocol_version: version.to_owned(),
            server_seq: wire::count(self.ring.seq()),
            server_info: Some(Implementation {
                name: PROVIDER.to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                title: None,
            }),
            meta: None,
            snapshots: Vec::new(),
            default_directory: Some(wire::file_uri(&self.cwd.to_string_lossy())),
            completion_trigger_characters: Some(vec!["/".to_owned()]),
            terminal_command_prefix: None,
            telemetry: None,
            automations: None,
        };
        let mut result = wire::value(&result);
        if let Some(fields) = result.as_object_mut() {
            fields.insert("snapshots".to_owned(), Value::Array(snapshots));
        }
        Ok(Outcome::Now(Ok(result)))
    }

    /// Takes note of a client's name.
    fn welcome(&mut self, connection: ConnectionId, name: &str) -> Result<(), Refusal> {
        /// Several times a UUID's length, since it is written into journals.
        const MAX_CHARS: usize = 200;
        if name.is_empty() || name.len() > MAX_CHARS {
            let message = format!("`clientId` must have between 1 and {MAX_CHARS} characters");
            return Err(Refusal::new(json_rpc_error_codes::INVALID_PARAMS, message));
        }
        self.returned(name);
        if let Some(client) = self.clients.get_mut(&connection) {
            client.name = Some(name.to_owned());
        }
        Ok(())
    }

    fn subscribed(&mut self, connection: ConnectionId, uri: String) {
        if let Some(client) = self.clients.get_mut(&connection) {
            client.subscriptions.insert(uri);
        }
    }

    fn reconnect(
        &mut self,
        connection: ConnectionId,
        id: &Id,
        params: ReconnectParams,
    ) -> RequestResult {
        self.welcome(connection, &params.client_id)?;
        let sessions: BTreeSet<SessionId> = params
            .subscriptions
            .iter()
            .filter_map(|uri| Channel::read(uri))
            .map(|(session, _)| session)
            .collect();
        self.wait_for(connection, id, sessions, Then::Reconnect(params));
        Ok(Outcome::Elsewhere)
    }

    fn subscribe(
        &mut self,
        connection: ConnectionId,
        id: &Id,
        params: SubscribeParams,
    ) -> RequestResult {
        let uri = params.channel;
        let sessions = if uri == ROOT_RESOURCE_URI {
            BTreeSet::new()
        } else {
            let (session, _) = Channel::read(&uri).ok_or_else(|| not_found(&uri))?;
            BTreeSet::from([session])
        };
        self.wait_for(connection, id, sessions, Then::Subscribe(uri));
        Ok(Outcome::Elsewhere)
    }

    /// Opens the sessions that are not open, and responds once all are.
    fn wait_for(
        &mut self,
        connection: ConnectionId,
        id: &Id,
        mut sessions: BTreeSet<SessionId>,
        then: Then,
    ) {
        sessions.retain(|session| {
            let open = self.sessions.entry(session.clone());
            let open = open.or_insert_with(|| Open::unread(session.clone()));
            let is_ready = open.is_draft || (open.handle.is_some() && open.loading.is_none());
            !is_ready
        });
        for session in &sessions {
            self.load(session);
        }
        let waiting = Waiting { connection, id: id.clone(), sessions, then };
        if waiting.sessions.is_empty() {
            self.ready(waiting);
        } else {
            self.waiting.push(waiting);
        }
    }

    /// Handles a session that has been opened, or cannot be opened.
    pub(super) fn waited_for(&mut self, session: &SessionId) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for request in &mut waiting {
            request.sessions.remove(session);
        }
        let (ready, waiting) =
            waiting.into_iter().partition(|request: &Waiting| request.sessions.is_empty());
        self.waiting = waiting;
        let ready: Vec<Waiting> = ready;
        for request in ready {
            self.ready(request);
        }
    }

    fn ready(&mut self, Waiting { connection, id, then, .. }: Waiting) {
        let outcome = match then {
            Then::Subscribe(uri) => match self.snapshot(&uri) {
                Some(snapshot) => {
                    self.subscribed(connection, uri);
                    Ok(json!({ "snapshot": snapshot }))
                }
                None => Err(not_found(&uri)),
            },
            Then::Reconnect(params) => Ok(self.reconnected(connection, params)),
        };
        self.respond(connection, &id, &outcome);
    }

    fn reconnected(&mut self, connection: ConnectionId, params: ReconnectParams) -> Value {
        let (mut snapshots, mut missing) = (Vec::new(), Vec::new());
        let mut channels = BTreeSet::new();
        for uri in params.subscriptions {
            match self.snapshot(&uri) {
                Some(snapshot) => {
                    snapshots.push(snapshot);
                    channels.insert(uri);
                }
                None => missing.push(uri),
            }
        }
        let seen = u64::try_from(params.last_seen_server_seq).ok();
        let actions: Option<Vec<ActionEnvelope>> =
            seen.and_then(|seen| self.ring.after(seen, &channels));
        for uri in channels {
            self.subscribed(connection, uri);
        }
        match actions {
            Some(actions) => {
                wire::value(&ReconnectResult::Replay(ReconnectReplayResult { actions, missing }))
            }
            None => json!({ "type": "snapshot", "snapshots": snapshots }),
        }
    }

    fn list_sessions(&self, params: ListSessionsParams) -> Outcome {
        let engine = self.engine.clone();
        let limit = params.limit.and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.unwrap_or(LISTED).clamp(1, LISTED);
        let open = self.sessions.iter().filter(|(_, open)| open.is_announced);
        let open: std::collections::BTreeMap<SessionId, SessionSummary> =
            open.map(|(id, open)| (id.clone(), open.summary())).collect();
        Outcome::Later(
            async move {
                let filter =
                    Filter { cwd: None, subagents: false, query: None, archived: Some(false) };
                let listed = engine.list(filter, params.cursor, limit).await;
                let (stored, next_cursor) = listed.map_err(|error| failed(&error))?;
                let items = stored.into_iter().map(|stored| {
                    open.get(&stored.session_id).cloned().unwrap_or_else(|| summary(stored))
                });
                let items = items.collect();
                Ok(wire::value(&ListSessionsResult { next_cursor, items }))
            }
            .boxed(),
        )
    }

    fn resolve_config(&self, params: &ResolveSessionConfigParams) -> RequestResult {
        check_provider(params.provider.as_deref())?;
        let asked = params.config.clone().unwrap_or_default();
        let (permission_mode, mode) = config::read(&asked).map_err(invalid)?;
        let permission_mode =
            permission_mode.unwrap_or_else(|| self.engine.default_permission_mode());
        let values = config::values(permission_mode, mode.unwrap_or_default());
        let result = ResolveSessionConfigResult { schema: config::schema(), values };
        Ok(Outcome::Now(Ok(wire::value(&result))))
    }

    /// Takes note of a session. The engine learns of it with its first turn: clients make spare ones.
    fn create_session(&mut self, params: CreateSessionParams) -> RequestResult {
        check_provider(params.provider.as_deref())?;
        let Some((id, Channel::Session)) = Channel::read(&params.channel) else {
            return Err(invalid(format!("invalid session address `{}`", params.channel)));
        };
        if self.sessions.contains_key(&id) || self.engine.store().folder(&id).is_ok() {
            let message = format!("session {id} already exists");
            return Err(Refusal::new(ahp_error_codes::SESSION_ALREADY_EXISTS, message));
        }
        let uris = params.working_directories.unwrap_or_default();
        let folder = |uri: &String| {
            let not_here = || invalid(format!("`{uri}` is not a directory on this machine"));
            wire::path_of(uri).ok_or_else(not_here)
        };
        let mut folders = uris.iter().map(folder).collect::<Result<Vec<PathBuf>, _>>()?.into_iter();
        let cwd = folders.next().unwrap_or_else(|| self.cwd.clone());
        let additional = folders.filter(|folder| *folder != cwd).collect();
        let asked = params.config.unwrap_or_default();
        let (permission_mode, mode) = config::read(&asked).map_err(invalid)?;
        let permission_mode =
            permission_mode.unwrap_or_else(|| self.engine.default_permission_mode());
        let mode = mode.unwrap_or_default();
        let settings = config::state(permission_mode, mode);
        let (cwd, now) = (cwd.to_string_lossy(), self.engine.now_ms());
        let channels = Channels::new(id.clone(), &cwd, "", now, settings);
        let mut open = Open::new(channels, permission_mode, mode);
        open.is_draft = true;
        open.settings.additional = additional;
        open.show_directories();
        self.sessions.insert(id.clone(), open);
        let ready = StateAction::SessionReady(SessionReadyAction {});
        self.emit_one(&id, &Channel::Session, ready, None);
        if let Some(active_client) = params.active_client {
            let action = SessionActiveClientSetAction { active_client };
            let action = StateAction::SessionActiveClientSet(action);
            self.emit_one(&id, &Channel::Session, action, None);
        }
        // A client that is lost before it subscribes leaves it to be forgotten.
        self.tidy_later();
        Ok(Outcome::Now(Ok(Value::Null)))
    }

    fn dispose_session(
        &mut self,
        connection: ConnectionId,
        id: &Id,
        params: &DisposeSessionParams,
    ) -> RequestResult {
        let Some((session, Channel::Session)) = Channel::read(&params.channel) else {
            return Err(not_found(&params.channel));
        };
        let open = self.sessions.get(&session);
        if open.is_some_and(|open| open.is_draft && open.loading.is_none()) {
            self.sessions.remove(&session);
            return Ok(Outcome::Now(Ok(Value::Null)));
        }
        let handle = open.and_then(|open| open.handle.clone());
        let (engine, subscriber) = (self.engine.clone(), self.subscriber.id);
        let (id, archived) = (id.clone(), session.clone());
        let disposal = async move {
            if let Some(handle) = handle {
                // Other watchers keep the session open; without watchers it is closed.
                let leave = |reply| Command::Leave { id: subscriber, finishes: false, reply };
                let _ = handle.ask(leave).await;
            }
            let outcome = engine.archive(archived, true).await.map_err(|error| failed(&error));
            Done::Disposed { connection, id, session, outcome }
        };
        self.running.push(disposal.boxed());
        Ok(Outcome::Elsewhere)
    }

    /// Handles a session's removal from lists.
    pub(super) fn removed(&mut self, session: &SessionId) {
        self.sessions.remove(session);
        self.subagents.forget(session);
        self.tell_terminals();
        let params = SessionRemovedParams {
            channel: ROOT_RESOURCE_URI.to_owned(),
            session: Channel::Session.uri(session),
        };
        self.notify_root("root/sessionRemoved", &params);
    }

    fn completions(&self, params: CompletionsParams) -> RequestResult {
        let (session, _) =
            Channel::read(&params.channel).ok_or_else(|| not_found(&params.channel))?;
        let open = self.sessions.get(&session).ok_or_else(|| not_found(&params.channel))?;
        let (engine, cwd) = (self.engine.clone(), open.channels.cwd.clone());
        Ok(Outcome::Later(
            async move { Ok(wire::value(&completions(&engine, &cwd, &params).await)) }.boxed(),
        ))
    }

    /// Returns a channel's session handle.
    pub(super) fn open_session(
        &self,
        uri: &str,
        wanted: &Channel,
    ) -> Result<SessionHandle, Refusal> {
        let (session, channel) = Channel::read(uri).ok_or_else(|| not_found(uri))?;
        let open = self.sessions.get(&session).filter(|_| channel == *wanted);
        open.and_then(|open| open.handle.clone()).ok_or_else(|| not_found(uri))
    }

    /// Returns the open sessions' directories.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let folders: BTreeSet<PathBuf> = self.sessions.values().flat_map(Open::folders).collect();
        folders.into_iter().collect()
    }
}

/// Completes the command that a message starts with.
async fn completions(
    engine: &EngineHandle,
    cwd: &str,
    params: &CompletionsParams,
) -> CompletionsResult {
    let offset = usize::try_from(params.offset).unwrap_or_default();
    // Offsets of the protocol count UTF-16; a command's name is plain.
    let typed = params.text.get(..offset).unwrap_or(&params.text);
    let Some(start) = typed.strip_prefix('/').filter(|name| !name.contains(char::is_whitespace))
    else {
        return CompletionsResult { items: Vec::new() };
    };
    let commands = engine.prompts(cwd).await.prompts;
    let items = commands.into_iter().filter(|command| command.name.starts_with(start));
    let items = items.map(|command| {
        let label = format!("/{}", command.name);
        let description = command.description.or(command.argument_hint);
        let meta = json!({ "command": command.name, "description": description });
        CompletionItem {
            insert_text: format!("{label} "),
            range_start: Some(0),
            range_end: Some(params.offset),
            attachment: MessageAttachment::Simple(SimpleMessageAttachment {
                label,
                range: None,
                display_kind: None,
                meta: meta.as_object().cloned(),
                model_representation: None,
            }),
        }
    });
    CompletionsResult { items: items.collect() }
}

/// Converts a stored session for a list.
fn summary(stored: Stored) -> SessionSummary {
    SessionSummary {
        provider: PROVIDER.to_owned(),
        title: stored.title.unwrap_or_else(|| "Untitled session".to_owned()),
        status: SessionStatus::Idle.bits() | SessionStatus::IsRead.bits(),
        activity: None,
        origin: None,
        project: None,
        working_directories: Some(vec![wire::file_uri(&stored.cwd)]),
        annotations: None,
        resource: Channel::Session.uri(&stored.session_id),
        created_at: wire::time(stored.created_ms),
        modified_at: wire::time(stored.updated_ms),
        changes: None,
        meta: None,
        chats: None,
        default_chat: None,
    }
}

fn check_provider(provider: Option<&str>) -> Result<(), Refusal> {
    match provider {
        None | Some(PROVIDER) => Ok(()),
        Some(other) => {
            let message = format!("unknown provider `{other}`; expected `{PROVIDER}`");
            Err(Refusal::new(ahp_error_codes::PROVIDER_NOT_FOUND, message))
        }
    }
}

fn not_found(uri: &str) -> Refusal {
    let message = format!("`{uri}` does not exist");
    Refusal::new(ahp_error_codes::SESSION_NOT_FOUND, message)
}

fn read<T: DeserializeOwned>(params: Option<&RawValue>) -> Result<T, Refusal> {
    let text = params.map_or("{}", RawValue::get);
    serde_json::from_str(text).map_err(|error| invalid(error.to_string()))
}

fn read_value<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| invalid(error.to_string()))
}
