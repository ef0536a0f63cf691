//! The native methods: a table of every request and its handler. `native` serves all of them, `acp` some of them under `_pintle/`.

mod auth;
pub(crate) mod connection;
mod diagnostics;
mod documents;
mod extend;
mod filter;
mod handlers;
mod hints;
mod keys;
mod shape;
mod shell;
mod stored;

use crate::rpc::{error_object, error_response, unknown_method};
use connection::{Connection, Phase};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jsonrpsee::RpcModule;
use jsonrpsee::core::server::{MethodCallback, MethodResponse};
use jsonrpsee::types::{ErrorObjectOwned, Params};
use jsonrpsee::{ConnectionId, Extensions, ResponsePayload};
use pintle_agent as agent;
use pintle_base::transport::envelope::Id;
use pintle_protocol::error::{self, ErrorData};
use pintle_protocol::methods::{
    AuthLogin, AuthLogout, AuthStatus, BlobRead, CheckpointDiff, CheckpointList, DocumentChanged,
    DocumentClose, DocumentOpen, DocumentSave, EditorDiagnostics, HookRegister, Initialize,
    IsolationDiscard, ItemRead, JobList, JobStop, McpLogin, McpLogout, ModelsList, PermissionList,
    PermissionRemove, Ping, PromptList, Request, SessionArchive, SessionClose, SessionCreate,
    SessionDelete, SessionEvents, SessionExport, SessionFork, SessionItems, SessionList,
    SessionOpen, SessionOutline, SessionSearch, SessionSubscribe, SessionTree, SessionUnsubscribe,
    ShellRun, ShellScreen, ShellWrite, Shutdown, SkillList, ToolRegister, ToolUnregister,
    TrustAgree, TrustRead, UsageRead,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_path_to_error::Segment;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// When a request runs relative to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The next request begins after this one's response.
    Serial,
    /// As `Serial`, and the response follows the events that the request causes, because it ends the sessions that send them.
    Closing,
    /// A request that changes nothing and may overlap with other requests.
    Read,
    /// A request that waits for the user or a user's command, and that no other request waits for. It can be cancelled.
    Person,
    /// As `Person`, but cancelled when the input ends.
    Watch,
    /// A request about a document: it begins after the response to the previous one of its kind, independently of other requests. Later
    /// requests wait for it.
    Document,
}

impl Order {
    pub(crate) fn for_method(method: &str) -> Self {
        match method {
            SessionList::METHOD
            | SessionSearch::METHOD
            | SessionEvents::METHOD
            | SessionItems::METHOD
            | ItemRead::METHOD
            | CheckpointList::METHOD
            | CheckpointDiff::METHOD
            | BlobRead::METHOD
            | PromptList::METHOD
            | SkillList::METHOD
            | JobList::METHOD
            | ModelsList::METHOD
            | UsageRead::METHOD
            | TrustRead::METHOD
            | PermissionList::METHOD
            | AuthStatus::METHOD => Self::Read,
            AuthLogin::METHOD | McpLogin::METHOD | ShellRun::METHOD => Self::Person,
            ShellScreen::METHOD => Self::Watch,
            DocumentOpen::METHOD
            | DocumentChanged::METHOD
            | DocumentSave::METHOD
            | DocumentClose::METHOD => Self::Document,
            SessionClose::METHOD | Shutdown::METHOD => Self::Closing,
            _ => Self::Serial,
        }
    }
}

/// The method table of one connection.
pub(crate) struct Table {
    module: RpcModule<Connection>,
    pub(crate) connection: Arc<Connection>,
}

impl Table {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        let mut module = RpcModule::from_arc(Arc::clone(&connection));
        add::<Initialize, _, _>(&mut module, handlers::initialize);
        add::<Ping, _, _>(&mut module, handlers::ping);
        add::<Shutdown, _, _>(&mut module, handlers::shutdown);
        add::<SessionCreate, _, _>(&mut module, handlers::session_create);
        add::<SessionOpen, _, _>(&mut module, handlers::session_open);
        add::<SessionList, _, _>(&mut module, stored::session_list);
        add::<SessionSearch, _, _>(&mut module, stored::session_search);
        add::<SessionItems, _, _>(&mut module, stored::session_items);
        add::<ItemRead, _, _>(&mut module, stored::item_read);
        add::<CheckpointList, _, _>(&mut module, stored::checkpoint_list);
        add::<CheckpointDiff, _, _>(&mut module, stored::checkpoint_diff);
        add::<SessionExport, _, _>(&mut module, stored::session_export);
        add::<SessionDelete, _, _>(&mut module, stored::session_delete);
        add::<IsolationDiscard, _, _>(&mut module, stored::isolation_discard);
        add::<SessionFork, _, _>(&mut module, handlers::session_fork);
        add::<SessionOutline, _, _>(&mut module, stored::session_outline);
        add::<SessionTree, _, _>(&mut module, stored::session_tree);
        add::<SessionClose, _, _>(&mut module, handlers::session_close);
        add::<SessionSubscribe, _, _>(&mut module, handlers::session_subscribe);
        add::<SessionUnsubscribe, _, _>(&mut module, handlers::session_unsubscribe);
        add_as::<SessionEvents, stored::RawEvents, _, _>(&mut module, stored::session_events);
        add::<BlobRead, _, _>(&mut module, stored::blob_read);
        add::<PromptList, _, _>(&mut module, handlers::prompt_list);
        add::<SkillList, _, _>(&mut module, handlers::skill_list);
        add::<PermissionList, _, _>(&mut module, handlers::permission_list);
        add::<PermissionRemove, _, _>(&mut module, handlers::permission_remove);
        add::<TrustRead, _, _>(&mut module, handlers::trust_read);
        add::<TrustAgree, _, _>(&mut module, handlers::trust_agree);
        add::<HookRegister, _, _>(&mut module, extend::hook_register);
        add::<ToolRegister, _, _>(&mut module, extend::tool_register);
        add::<ToolUnregister, _, _>(&mut module, extend::tool_unregister);
        add::<EditorDiagnostics, _, _>(&mut module, diagnostics::editor_diagnostics);
        add::<DocumentOpen, _, _>(&mut module, documents::open);
        add::<DocumentChanged, _, _>(&mut module, documents::change);
        add::<DocumentSave, _, _>(&mut module, documents::save);
        add::<DocumentClose, _, _>(&mut module, documents::close);
        add_cancellable::<ShellRun, _, _>(&mut module, shell::shell_run);
        add::<ShellWrite, _, _>(&mut module, shell::shell_write);
        add_cancellable::<ShellScreen, _, _>(&mut module, shell::shell_screen);
        add::<UsageRead, _, _>(&mut module, stored::usage_read);
        add::<SessionArchive, _, _>(&mut module, stored::session_archive);
        add::<JobStop, _, _>(&mut module, handlers::job_stop);
        add_cancellable::<McpLogin, _, _>(&mut module, auth::mcp_login);
        add::<McpLogout, _, _>(&mut module, auth::mcp_logout);
        add::<ModelsList, _, _>(&mut module, handlers::models_list);
        add::<AuthStatus, _, _>(&mut module, auth::auth_status);
        add_cancellable::<AuthLogin, _, _>(&mut module, auth::auth_login);
        add::<AuthLogout, _, _>(&mut module, auth::auth_logout);
        agent::each_session_request(&mut Forwarded(&mut module));
        Self { module, connection }
    }

    /// Returns the reason why a method cannot be called now, if any.
    pub(crate) fn refusal(&self, method: &str) -> Option<ErrorObjectOwned> {
        if self.module.method(method).is_none() {
            let message = unknown_method(method, self.module.method_names());
            let hint = "`pintle schema` prints every method";
            return Some(error_object(
                error::METHOD_NOT_FOUND,
                &message,
                "methodNotFound",
                Some(hint),
            ));
        }
        match self.connection.phase() {
            Phase::New if method != Initialize::METHOD && method != Ping::METHOD => {
                Some(error_object(
                    error::INVALID_REQUEST,
                    "the connection is not initialized",
                    "notInitialized",
                    Some(
                        "send first: {\"id\":1,\"method\":\"initialize\",\"params\":{\"protocol\":{\"name\":\"pintle\",\"versions\":[\"2.0\"]}}}",
                    ),
                ))
            }
            Phase::Ready if method == Initialize::METHOD => Some(error_object(
                error::INVALID_REQUEST,
                "the connection is already initialized",
                "alreadyInitialized",
                None,
            )),
            Phase::ShutDown => Some(error_object(
                error::INVALID_REQUEST,
                "the engine is shut down",
                "shutDown",
                Some("send `exit`"),
            )),
            Phase::New | Phase::Ready => None,
        }
    }

    /// Starts the handler for a request that [`Table::refusal`] accepts.
    pub(crate) fn call(
        &self,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
        cancel: CancellationToken,
    ) -> (Order, BoxFuture<'static, Vec<u8>>) {
        let order = Order::for_method(method);
        let Some(MethodCallback::Async(callback)) = self.module.method(method) else {
            let error =
                error_object(error::METHOD_NOT_FOUND, "unknown method", "methodNotFound", None);
            return (order, std::future::ready(error_response(&id, &error)).boxed());
        };
        let params = Params::new(params.map(RawValue::get)).into_owned();
        let mut extensions = Extensions::new();
        extensions.insert(cancel);
        let no_id = jsonrpsee::types::Id::Null;
        let response = callback(no_id, params, ConnectionId(0), usize::MAX, extensions);
        let response = AssertUnwindSafe(response).catch_unwind().map(move |result| match result {
            Ok(response) => to_bytes(&id, response),
            Err(_) => error_response(
                &id,
                &error_object(
                    error::INTERNAL_ERROR,
                    "the handler panicked",
                    "internal",
                    Some("please report this with the log from stderr"),
                ),
            ),
        });
        (order, response.boxed())
    }
}

/// Adds the requests that sessions answer.
struct Forwarded<'a>(&'a mut RpcModule<Connection>);

impl agent::ForEachRequest for Forwarded<'_> {
    fn request<R: agent::SessionRequest>(&mut self) {
        add::<R, _, _>(self.0, handlers::forward::<R>);
    }
}

/// Adds a method whose handler returns the protocol's result type.
fn add<M, F, Fut>(module: &mut RpcModule<Connection>, handler: F)
where
    M: Request,
    M::Result: Clone,
    F: Fn(Arc<Connection>, M::Params) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Result, ErrorObjectOwned>> + Send,
{
    add_as::<M, M::Result, F, Fut>(module, handler);
}

/// Adds a method whose handler returns a type that serializes like the protocol's result type.
fn add_as<M, R, F, Fut>(module: &mut RpcModule<Connection>, handler: F)
where
    M: Request,
    R: Serialize + Clone + Send + 'static,
    F: Fn(Arc<Connection>, M::Params) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ErrorObjectOwned>> + Send,
{
    add_with::<M, R, _, _>(module, move |connection, params, _| handler(connection, params));
}

/// Adds a method whose handler ends when its token fires.
fn add_cancellable<M, F, Fut>(module: &mut RpcModule<Connection>, handler: F)
where
    M: Request,
    M::Result: Clone,
    F: Fn(Arc<Connection>, M::Params, CancellationToken) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<M::Result, ErrorObjectOwned>> + Send,
{
    add_with::<M, M::Result, F, Fut>(module, handler);
}

fn add_with<M, R, F, Fut>(module: &mut RpcModule<Connection>, handler: F)
where
    M: Request,
    R: Serialize + Clone + Send + 'static,
    F: Fn(Arc<Connection>, M::Params, CancellationToken) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ErrorObjectOwned>> + Send,
{
    let added = module.register_async_method(M::METHOD, move |params, connection, extensions| {
        let handler = handler.clone();
        let cancel = extensions.get::<CancellationToken>().cloned().unwrap_or_default();
        async move {
            match parse::<M>(params.as_str()) {
                Ok(params) => match handler(connection, params, cancel).await {
                    Ok(result) => ResponsePayload::success(result),
                    Err(error) => ResponsePayload::error(error),
                },
                Err(error) => ResponsePayload::error(error),
            }
        }
    });
    debug_assert!(added.is_ok(), "{} is in the table twice", M::METHOD);
}

fn parse<M: Request>(params: Option<&str>) -> Result<M::Params, ErrorObjectOwned> {
    let text = params.unwrap_or("{}");
    if text.trim_start().starts_with('[') {
        return Err(error_object(
            error::INVALID_PARAMS,
            "params must be an object",
            "invalidParams",
            None,
        ));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let error = match serde_path_to_error::deserialize(&mut json) {
        Ok(params) => return Ok(params),
        Err(error) => error,
    };
    // Only now, since params can be long.
    let mut params = serde_json::from_str(text).unwrap_or_default();
    shape::remove_nulls(M::METHOD, &mut params);
    if let Ok(params) = serde_json::from_value(params.clone()) {
        return Ok(params);
    }
    let (path, message) = match shape::first_break(M::METHOD, &params) {
        Some(found) => (Some(found.path).filter(|path| !path.is_empty()), found.message),
        None => (pointer(error.path()), error.inner().to_string()),
    };
    let data = ErrorData { code: "invalidParams".to_owned(), path, ..ErrorData::default() };
    Err(ErrorObjectOwned::owned(error::INVALID_PARAMS, message, Some(data)))
}

/// Returns a place in params as a JSON pointer (RFC 6901); none for the params as a whole.
fn pointer(path: &serde_path_to_error::Path) -> Option<String> {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.extend(["/", &index.to_string()]),
            Segment::Map { key } => {
                pointer.extend(["/", &key.replace('~', "~0").replace('/', "~1")]);
            }
            // An enum variant is not a place in the JSON.
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    (!pointer.is_empty()).then_some(pointer)
}

/// Converts an engine error to an error object.
pub(crate) fn refused(refusal: agent::Error) -> ErrorObjectOwned {
    use agent::ErrorKind;
    let is_shared_engine = matches!(refusal.kind, ErrorKind::OpenElsewhere { is_shared: true });
    let (code, name) = match &refusal.kind {
        ErrorKind::Invalid => (error::INVALID_PARAMS, "invalidParams"),
        ErrorKind::NotFound => (error::NOT_FOUND, "notFound"),
        ErrorKind::Busy(_) => (error::BUSY, "busy"),
        ErrorKind::NoActiveTurn => (error::CONFLICT, "noActiveTurn"),
        ErrorKind::Conflict => (error::CONFLICT, "conflict"),
        ErrorKind::OpenElsewhere { .. } => (error::CONFLICT, "openElsewhere"),
        ErrorKind::Config => (error::INVALID_PARAMS, "config"),
        ErrorKind::Auth => (error::AUTH_REQUIRED, "authRequired"),
        ErrorKind::Internal => (error::INTERNAL_ERROR, "internal"),
    };
    let data = ErrorData {
        code: name.to_owned(),
        hint: refusal.hint.map(hints::text),
        path: refusal.field.map(str::to_owned),
        is_shared_engine,
        ..ErrorData::default()
    };
    ErrorObjectOwned::owned(code, &refusal.message, Some(data))
}

/// Writes a response with the client's id, in place of the `null` that was passed to jsonrpsee, whose ids are only whole numbers and
/// strings.
fn to_bytes(id: &Id, response: MethodResponse) -> Vec<u8> {
    const HEAD: &str = r#"{"jsonrpc":"2.0","id":"#;
    let text = Box::<str>::from(response.into_json());
    let rest = text.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix("null"));
    debug_assert!(rest.is_some(), "jsonrpsee writes another head: {text}");
    let id = serde_json::to_string(id).unwrap_or_default();
    [HEAD, &id, rest.unwrap_or_default()].concat().into_bytes()
}
