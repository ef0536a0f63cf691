//! A connection through the SDK, `rmcp`. Only this module, `login` and `frontend/mcp` use its types.
//!
//! The protocol version is negotiated: `server/discover` for 2026-07-28, else the handshake of 2025-11-25 and before.

mod http;
mod lines;
mod repair;
mod task;

use super::client::{
    Answer, CallRequest, Elicitation, McpClient, McpClientError, Outcome, PromptShape,
    ResourceShape, ResourceText, ToolShape,
};
use super::convert;
use http::HttpClient;
use lines::{Lines, MAX_LINE_BYTES};
use pintle_base::network::{Network, Reach, SetupError, TLS_HINT, is_tls_error};
use pintle_protocol::content::Content;
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelTaskParams, CancelledNotificationParam,
    ClientCapabilities, ClientConfig, ClientRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ErrorData, FormElicitationCapability,
    GetPromptRequestParams, Implementation, InputRequest, InputRequests, InputResponses,
    JsonObject, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ReadResourceRequestParams, RequestId, ServerResult, SubscriptionFilter, TASKS_EXTENSION_ID,
    UrlElicitationCapability,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, Peer,
    PeerRequestOptions, RequestContext, RequestHandle, RoleClient, RunningService,
    RunningServiceCancellationToken, ServiceError,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::auth::{AuthClient, AuthorizationManager};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, mpsc, oneshot, watch};

/// The timeout for a list, a resource or a prompt.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of pages in a list: a server could link to a next page endlessly.
const MAX_PAGES: usize = 50;

/// The maximum number of entries of a list.
const MAX_ENTRIES: usize = 2000;

/// The maximum number of times that one call may ask back.
const MAX_ROUNDS: usize = 20;

/// A connection.
pub(super) struct Sdk {
    peer: Peer<RoleClient>,
    calls: Calls,
    changes: Arc<Notify>,
    closed: watch::Receiver<bool>,
    left_out: LeftOut,
    cancels: mpsc::Sender<Abandoned>,
    cancel: Option<RunningServiceCancellationToken>,
}

impl std::fmt::Debug for Sdk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sdk").field("about", &self.about()).finish_non_exhaustive()
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        if let Some(cancel) = self.cancel.take() {
            cancel.cancel();
        }
    }
}

/// What was left out of a server's messages, for users; each once.
#[derive(Debug, Clone, Default)]
struct LeftOut(Arc<Mutex<BTreeSet<String>>>);

impl LeftOut {
    fn add(&self, texts: Vec<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(texts);
    }

    fn texts(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Drives a connection, and ends with it.
pub(super) type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The running calls, the oldest first.
#[derive(Debug, Clone, Default)]
struct Calls(Arc<Mutex<Vec<RunningCall>>>);

#[derive(Debug, Clone)]
struct RunningCall {
    token: ProgressToken,
    progress: mpsc::Sender<String>,
    questions: mpsc::Sender<Elicitation>,
}

/// Removes a call from the list when it ends.
struct Registered {
    calls: Calls,
    token: ProgressToken,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.calls.with(|calls| calls.retain(|call| call.token != self.token));
    }
}

impl Calls {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<RunningCall>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn register(&self, call: RunningCall) -> Registered {
        let token = call.token.clone();
        self.with(|calls| calls.push(call));
        Registered { calls: self.clone(), token }
    }
}

/// The engine's side of a connection: handles the server's requests and notifications.
struct Handler {
    config: ClientConfig,
    root: Option<String>,
    calls: Calls,
    changes: Arc<Notify>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // Older versions do not identify the call: the newest is the likeliest.
        let newest = self.calls.with(|calls| calls.last().map(|call| call.questions.clone()));
        let Some(questions) = newest else { return Ok(result_of(Answer::Cancel)) };
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Ok(result_of(Answer::Cancel)),
            answer = ask(&questions, request) => Ok(result_of(answer)),
        }
    }

    #[expect(deprecated, reason = "servers of older versions ask for it")]
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        let roots = self.root.iter().map(|root| rmcp::model::Root::new(root.clone())).collect();
        Ok(rmcp::model::ListRootsResult::new(roots))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let of = |call: &&RunningCall| call.token == progress.progress_token;
        let to = self.calls.with(|calls| calls.iter().find(of).map(|call| call.progress.clone()));
        if let Some(to) = to {
            // A full channel drops it: progress is transient.
            let _ = to.try_send(convert::progress(
                progress.progress,
                progress.total,
                progress.message.as_deref(),
            ));
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.notify_one();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.notify_one();
    }
}

/// Asks the user a server's question.
async fn ask(questions: &mpsc::Sender<Elicitation>, request: ElicitRequestParams) -> Answer {
    let (reply, answer) = oneshot::channel();
    let elicitation = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            let schema = schema.as_object().cloned().unwrap_or_default();
            Elicitation { message, schema: Some(schema), url: None, reply }
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            Elicitation { message, schema: None, url: Some(url), reply }
        }
        _ => return Answer::Decline,
    };
    if questions.send(elicitation).await.is_err() {
        return Answer::Cancel;
    }
    answer.await.unwrap_or(Answer::Cancel)
}

fn result_of(answer: Answer) -> ElicitResult {
    match answer {
        Answer::Accept(Some(value)) => {
            ElicitResult::new(ElicitationAction::Accept).with_content(value)
        }
        Answer::Accept(None) => ElicitResult::new(ElicitationAction::Accept),
        Answer::Decline => ElicitResult::new(ElicitationAction::Decline),
        Answer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// Connects over streams.
///
/// # Errors
/// The server does not speak the protocol, or refuses.
pub(super) async fn over_streams(
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    root: Option<&Path>,
    versions: Versions,
) -> Result<(Sdk, Driver), McpClientError> {
    let handler = handler(root, versions);
    let (calls, changes) = (handler.calls.clone(), Arc::clone(&handler.changes));
    let left_out = LeftOut::default();
    let lines = Lines::new(read, MAX_LINE_BYTES, left_out.clone());
    let transport = AsyncRwTransport::new(lines, write)
        // With the line end.
        .with_max_line_length(MAX_LINE_BYTES + 1);
    let service = handler.serve_with_lifecycle(transport, lifecycle(versions)).await;
    Ok(connected(service.map_err(|error| refused(&error))?, calls, changes, left_out))
}

/// Connects over HTTP, with the login if there is one.
///
/// # Errors
/// The server cannot be reached, does not speak the protocol, or refuses.
pub(super) async fn over_http(
    url: &str,
    headers: &[(String, String)],
    login: Option<AuthorizationManager>,
    versions: Versions,
    network: &Network,
) -> Result<(Sdk, Driver), McpClientError> {
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let wrong = |what: &str| {
            McpClientError::Failed(format!("the {what} of header `{name}` cannot be sent"))
        };
        let header = name.parse().map_err(|_| wrong("name"))?;
        custom.insert(header, value.parse().map_err(|_| wrong("value"))?);
    }
    let of_setup = |error: SetupError| McpClientError::Failed(format!("{error}: {}", error.hint));
    let client = network
        .builder(Reach::classify(url))
        .map_err(of_setup)?
        .redirect(reqwest::redirect::Policy::custom(|attempt| {
            let is_same = |other: &reqwest::Url| other.origin() == attempt.url().origin();
            if attempt.previous().len() < 5 && attempt.previous().iter().all(is_same) {
                attempt.follow()
            } else {
                // Headers may contain keys, which are for this server alone.
                attempt.stop()
            }
        }))
        .build()
        .map_err(|error| of_setup(SetupError::of_build(&error)))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    let handler = handler(None, versions);
    let (calls, changes) = (handler.calls.clone(), Arc::clone(&handler.changes));
    // If nothing listens, the SDK waits until its first request times out.
    let unreachable = async {
        match client.head(url).send().await {
            Err(error) if is_tls_error(&error) => {
                McpClientError::Failed(format!("{} ({TLS_HINT})", with_sources(&error)))
            }
            Err(error) if error.is_connect() => McpClientError::Failed(with_sources(&error)),
            Ok(_) | Err(_) => std::future::pending().await,
        }
    };
    let left_out = LeftOut::default();
    let serving = async {
        let (mode, client) =
            (lifecycle(versions), HttpClient::new(client.clone(), left_out.clone()));
        if let Some(login) = login {
            let client = AuthClient::new(client, login);
            let transport = StreamableHttpClientTransport::with_client(client, config);
            handler.serve_with_lifecycle(transport, mode).await
        } else {
            let transport = StreamableHttpClientTransport::with_client(client, config);
            handler.serve_with_lifecycle(transport, mode).await
        }
    };
    let service = tokio::select! {
        service = serving => service,
        error = unreachable => return Err(error),
    };
    let service = service.map_err(|error| refused(&error))?;
    Ok(connected(service, calls, changes, left_out))
}

/// The protocol versions to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Versions {
    /// All, the newest first.
    All,
    /// Only those with a handshake, for a server that the newest versions' request confuses.
    WithHandshake,
}

fn lifecycle(versions: Versions) -> ClientLifecycleMode {
    match versions {
        Versions::All => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
        Versions::WithHandshake => ClientLifecycleMode::Initialize,
    }
}

fn handler(root: Option<&Path>, versions: Versions) -> Handler {
    let mut capabilities = ClientCapabilities::default();
    let elicitation = ElicitationCapability::new();
    capabilities.elicitation = Some(
        elicitation
            .with_form(FormElicitationCapability::default())
            .with_url(UrlElicitationCapability::default()),
    );
    let root = root.and_then(|root| reqwest::Url::from_directory_path(root).ok());
    capabilities.extensions =
        Some([(TASKS_EXTENSION_ID.to_owned(), JsonObject::new())].into_iter().collect());
    capabilities.roots = root.as_ref().map(|_| rmcp::model::RootsCapabilities::default());
    let about = Implementation::new("pintle", env!("CARGO_PKG_VERSION"));
    let config = match versions {
        Versions::All => ClientConfig::new(capabilities, about),
        Versions::WithHandshake => ClientConfig::new(capabilities, about)
            .with_protocol_version(ProtocolVersion::V_2025_11_25),
    };
    Handler {
        config,
        root: root.map(|root| root.to_string()),
        calls: Calls::default(),
        changes: Arc::default(),
    }
}

fn refused(error: &ClientInitializeError) -> McpClientError {
    if let Some(challenge) = error.auth_challenge() {
        return McpClientError::Login(challenge.to_owned());
    }
    if error.is_authorization_required() {
        return McpClientError::Login(String::new());
    }
    match error {
        ClientInitializeError::ConnectionClosed(_) => McpClientError::Closed,
        ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ExpectedInitResponse(_) => McpClientError::Old,
        ClientInitializeError::JsonRpcError(error) => {
            McpClientError::Said(convert::said(&error.message))
        }
        other => {
            let text = with_sources(other);
            // Some servers omit the header that describes how to log in, without which the SDK sees only a status.
            if text.contains("unexpected server response: HTTP 401") {
                return McpClientError::Login(String::new());
            }
            McpClientError::Failed(convert::said(&text))
        }
    }
}

/// Returns an error with its causes, without the SDK's description of the transport, which contains Rust types.
pub(super) fn with_sources(error: &(dyn std::error::Error + 'static)) -> String {
    let mut chain = std::iter::successors(Some(error), |error| error.source());
    let transport = chain.find_map(|error| error.downcast_ref::<DynamicTransportError>());
    let error = match transport {
        Some(transport) => &*transport.error,
        None => error,
    };
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        source = cause.source();
    }
    text
}

fn connected(
    service: RunningService<RoleClient, Handler>,
    calls: Calls,
    changes: Arc<Notify>,
    left_out: LeftOut,
) -> (Sdk, Driver) {
    let peer = service.peer().clone();
    let cancel = service.cancellation_token();
    let (is_closed, closed) = watch::channel(false);
    let (listener, told) = (peer.clone(), Arc::clone(&changes));
    let (cancels, abandoned) = mpsc::channel(64);
    let driver = async move {
        let beside = async {
            tokio::join!(listen(&listener, &told), cancel_abandoned(&listener, abandoned));
            std::future::pending::<()>().await;
        };
        tokio::select! {
            _ = service.waiting() => {}
            () = beside => {}
        }
        let _ = is_closed.send(true);
    };
    let sdk = Sdk { peer, calls, changes, closed, left_out, cancels, cancel: Some(cancel) };
    (sdk, Box::pin(driver))
}

/// Listens for list changes, as announced by the versions from 2026-07-28 on.
async fn listen(peer: &Peer<RoleClient>, changes: &Notify) {
    let Some(info) = peer.peer_info() else { return };
    let (tools, prompts) = (&info.capabilities.tools, &info.capabilities.prompts);
    let tools = tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
    let prompts = prompts.as_ref().is_some_and(|prompts| prompts.list_changed == Some(true));
    if info.protocol_version < ProtocolVersion::V_2026_07_28 || !(tools || prompts) {
        return;
    }
    let filter = match (tools, prompts) {
        (true, true) => {
            SubscriptionFilter::builder().tools_list_changed().prompts_list_changed().build()
        }
        (true, false) => SubscriptionFilter::builder().tools_list_changed().build(),
        (false, _) => SubscriptionFilter::builder().prompts_list_changed().build(),
    };
    let Ok(mut subscription) = peer.listen(filter).await else { return };
    while let Ok(Some(_)) = subscription.next().await {
        changes.notify_one();
    }
}

fn failed(error: ServiceError) -> McpClientError {
    if let Some(challenge) = error.auth_challenge() {
        return McpClientError::Login(challenge.to_owned());
    }
    match error {
        ServiceError::McpError(error) => McpClientError::Said(convert::said(&error.message)),
        ServiceError::TransportClosed => McpClientError::Closed,
        ServiceError::Timeout { timeout } => McpClientError::Timeout(timeout),
        ServiceError::Cancelled { reason } => McpClientError::Said(convert::said(
            reason.as_deref().unwrap_or("it cancelled the request"),
        )),
        ServiceError::UnexpectedResponse => {
            McpClientError::Failed("its response does not match the protocol".to_owned())
        }
        other => McpClientError::Failed(convert::said(&with_sources(&other))),
    }
}

/// A request or task whose result is no longer awaited.
#[derive(Debug)]
enum Abandoned {
    Request(RequestId),
    Task(String),
}

/// Notifies the server on drop that a result is no longer awaited, unless it has arrived by then.
struct Waiting<'a> {
    cancels: &'a mpsc::Sender<Abandoned>,
    on: Option<Abandoned>,
}

impl Waiting<'_> {
    fn end(mut self) {
        self.on = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(on) = self.on.take() {
            // If the channel is full, the server does not read either.
            let _ = self.cancels.try_send(on);
        }
    }
}

/// Cancels abandoned requests and tasks on the server.
async fn cancel_abandoned(peer: &Peer<RoleClient>, mut abandoned: mpsc::Receiver<Abandoned>) {
    while let Some(abandoned) = abandoned.recv().await {
        match abandoned {
            Abandoned::Request(id) => {
                let reason = Some("the call was stopped".to_owned());
                let params = CancelledNotificationParam::new(Some(id), reason);
                let _ = peer.notify_cancelled(params).await;
            }
            Abandoned::Task(id) => {
                let _ = in_time(async {
                    peer.cancel_task(CancelTaskParams::new(id)).await.map_err(failed)
                })
                .await;
            }
        }
    }
}

impl Sdk {
    /// Collects a list's pages.
    async fn pages<T, F>(
        &self,
        mut page: impl FnMut(PaginatedRequestParams) -> F,
    ) -> Result<Vec<T>, McpClientError>
    where
        F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
    {
        let collect = async {
            let (mut all, mut cursor) = (Vec::new(), None);
            let mut seen = HashSet::new();
            for _ in 0..MAX_PAGES {
                let wanted = PaginatedRequestParams::default().with_cursor(cursor);
                let (entries, next) = page(wanted).await.map_err(failed)?;
                all.extend(entries);
                // A cursor that does not advance ends the list.
                let is_new = next.as_ref().is_some_and(|next| seen.insert(next.clone()));
                if !is_new || all.len() >= MAX_ENTRIES {
                    break;
                }
                cursor = next;
            }
            all.truncate(MAX_ENTRIES);
            Ok(all)
        };
        in_time(collect).await
    }

    /// Sends a call, and waits for the server's answer.
    async fn round(
        &self,
        call: &CallRequest,
        params: CallToolRequestParams,
    ) -> Result<ServerResult, McpClientError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::with_timeout(call.timeout).reset_timeout_on_progress();
        let sent = self.peer.send_request_with_option(request, options).await;
        let handle: RequestHandle<RoleClient> = sent.map_err(failed)?;
        let on = Some(Abandoned::Request(handle.id.clone()));
        let waiting = Waiting { cancels: &self.cancels, on };
        let _registered = self.calls.register(RunningCall {
            token: handle.progress_token.clone(),
            progress: call.progress.clone(),
            questions: call.questions.clone(),
        });
        let result = handle.await_response().await;
        waiting.end();
        result.map_err(failed)
    }
}

/// Answers the requests that a call sends back, as in the versions from 2026-07-28 on and in tasks.
async fn answers(call: &CallRequest, asked: InputRequests) -> InputResponses {
    let mut responses = InputResponses::new();
    for (key, request) in asked {
        let answer = match request {
            InputRequest::Elicitation(request) => ask(&call.questions, request.params).await,
            // Nothing else is offered to servers.
            _ => Answer::Decline,
        };
        let value = serde_json::to_value(result_of(answer)).unwrap_or_default();
        responses.insert(key, value);
    }
    responses
}

fn asked_too_often() -> McpClientError {
    McpClientError::Failed(format!("it asked {MAX_ROUNDS} follow-up questions"))
}

async fn in_time<T>(
    work: impl Future<Output = Result<T, McpClientError>>,
) -> Result<T, McpClientError> {
    let done = tokio::time::timeout(ANSWER_TIMEOUT, work).await;
    done.unwrap_or(Err(McpClientError::Timeout(ANSWER_TIMEOUT)))
}

#[async_trait::async_trait]
impl McpClient for Sdk {
    fn about(&self) -> String {
        let Some(info) = self.peer.peer_info() else { return String::new() };
        let version = info.protocol_version.to_string();
        match &info.server_info {
            Some(about) => {
                convert::line(&format!("{} {}, MCP {version}", about.name, about.version))
            }
            None => format!("MCP {version}"),
        }
    }

    fn left_out(&self) -> Vec<String> {
        self.left_out.texts()
    }

    fn instructions(&self) -> Option<String> {
        self.peer.peer_info()?.instructions.clone()
    }

    fn tells_changes(&self) -> bool {
        let tools = self.peer.peer_info().and_then(|info| info.capabilities.tools.clone());
        tools.and_then(|tools| tools.list_changed).unwrap_or_default()
    }

    fn has_resources(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| info.capabilities.resources.is_some())
    }

    async fn tools(&self) -> Result<Vec<ToolShape>, McpClientError> {
        let has = self.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        if !has {
            return Ok(Vec::new());
        }
        let tools = self.pages(|page| async move {
            let listed = self.peer.list_tools(Some(page)).await?;
            Ok((listed.tools, listed.next_cursor))
        });
        Ok(tools.await?.into_iter().map(convert::tool).collect())
    }

    async fn call(&self, call: CallRequest) -> Result<Outcome, McpClientError> {
        let arguments: JsonObject = call.arguments.clone();
        let mut params = CallToolRequestParams::new(call.tool.clone()).with_arguments(arguments);
        for _ in 0..MAX_ROUNDS {
            match self.round(&call, params.clone()).await? {
                ServerResult::CallToolResult(result) => return Ok(convert::outcome(result)),
                ServerResult::InputRequiredResult(asked) => {
                    params.request_state = asked.request_state.clone();
                    let asked = asked.input_requests.unwrap_or_default();
                    params.input_responses = Some(answers(&call, asked).await);
                }
                ServerResult::CreateTaskResult(created) => {
                    return self.follow(&call, created.task).await;
                }
                // A result without content is one that went well.
                ServerResult::EmptyResult(_) => return Ok(convert::nothing()),
                _ => return Err(failed(ServiceError::UnexpectedResponse)),
            }
        }
        Err(asked_too_often())
    }

    async fn resources(&self) -> Result<Vec<ResourceShape>, McpClientError> {
        let has = self.peer.peer_info().is_none_or(|info| info.capabilities.resources.is_some());
        if !has {
            return Ok(Vec::new());
        }
        let plain = self.pages(|page| async move {
            let listed = self.peer.list_resources(Some(page)).await?;
            Ok((listed.resources, listed.next_cursor))
        });
        let templates = self.pages(|page| async move {
            let listed = self.peer.list_resource_templates(Some(page)).await?;
            Ok((listed.resource_templates, listed.next_cursor))
        });
        let mut all: Vec<ResourceShape> = plain.await?.into_iter().map(convert::resource).collect();
        // Many servers know no templates and answer with an error.
        all.extend(templates.await.unwrap_or_default().into_iter().map(convert::template));
        Ok(all)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceText>, McpClientError> {
        let params = ReadResourceRequestParams::new(uri);
        let read = async { self.peer.read_resource(params).await.map_err(failed) };
        let read = in_time(read).await?;
        Ok(read.contents.into_iter().map(convert::content_of_resource).collect())
    }

    async fn prompts(&self) -> Result<Vec<PromptShape>, McpClientError> {
        let has = self.peer.peer_info().is_none_or(|info| info.capabilities.prompts.is_some());
        if !has {
            return Ok(Vec::new());
        }
        let prompts = self.pages(|page| async move {
            let listed = self.peer.list_prompts(Some(page)).await?;
            Ok((listed.prompts, listed.next_cursor))
        });
        Ok(prompts.await?.into_iter().map(convert::prompt).collect())
    }

    async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<Content>, McpClientError> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let got = async { self.peer.get_prompt(params).await.map_err(failed) };
        let got = in_time(got).await?;
        Ok(got.messages.into_iter().flat_map(|message| convert::content(message.content)).collect())
    }

    fn is_closed(&self) -> bool {
        *self.closed.borrow() || self.peer.is_transport_closed()
    }

    async fn changed(&self) -> bool {
        let mut closed = self.closed.clone();
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => false,
            () = self.changes.notified() => true,
        }
    }
}
