//! Errors: the codes of failed requests and the data that accompanies them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Broken JSON or invalid UTF-8 (JSON-RPC 2.0).
pub const PARSE_ERROR: i32 = -32700;
/// Valid JSON that is not a request, a batch, a duplicate id, a message over the limit (JSON-RPC 2.0).
pub const INVALID_REQUEST: i32 = -32600;
/// No such method (JSON-RPC 2.0).
pub const METHOD_NOT_FOUND: i32 = -32601;
/// Params of the wrong shape (JSON-RPC 2.0).
pub const INVALID_PARAMS: i32 = -32602;
/// The engine could not do its job (JSON-RPC 2.0).
pub const INTERNAL_ERROR: i32 = -32603;
/// The request was cancelled by `$/cancelRequest`.
pub const CANCELLED: i32 = -32800;
/// No credentials for the provider.
pub const AUTH_REQUIRED: i32 = -32000;
/// A session, item, hunk or other subject of the request does not exist.
pub const NOT_FOUND: i32 = -32002;
/// The engine supports none of the offered protocol versions.
pub const UNSUPPORTED_PROTOCOL: i32 = -32022;
/// Too many requests in flight on this connection.
pub const OVERLOADED: i32 = -32040;
/// The expected turn is not the running one, the question is no longer open, the hunk has changed or was decided, the
/// session is open in another process, or the document has another version.
pub const CONFLICT: i32 = -32041;
/// A turn is running.
pub const BUSY: i32 = -32042;
/// The request exceeds a limit of the engine.
pub const LIMIT_EXCEEDED: i32 = -32047;

/// Every code with its name and meaning, for the reference page.
pub const CODES: &[(i32, &str, &str)] = &[
    (PARSE_ERROR, "parseError", "Broken JSON or invalid UTF-8; `id` is null."),
    (
        INVALID_REQUEST,
        "invalidRequest",
        "Not a request: a batch, a bare value, an id in use, a message over the limit, a method before `initialize`.",
    ),
    (METHOD_NOT_FOUND, "methodNotFound", "No such method; the message suggests the nearest one."),
    (
        INVALID_PARAMS,
        "invalidParams",
        "Params of the wrong shape or value; `data.path` points at the field.",
    ),
    (
        INTERNAL_ERROR,
        "internal",
        "An internal failure of the engine; see the message for the cause.",
    ),
    (CANCELLED, "cancelled", "The request was cancelled before it had an effect."),
    (
        AUTH_REQUIRED,
        "authRequired",
        "No credentials for the provider; `data.hint` names the variable to set.",
    ),
    (
        NOT_FOUND,
        "notFound",
        "A session, item, hunk or other subject of the request does not exist.",
    ),
    (
        UNSUPPORTED_PROTOCOL,
        "unsupportedProtocol",
        "The engine supports none of the offered versions; `data.supported` lists the supported ones.",
    ),
    (
        OVERLOADED,
        "overloaded",
        "Too many requests in flight on this connection; wait for responses.",
    ),
    (
        CONFLICT,
        "conflict",
        "The expected turn is not the running one, the question is no longer open, the hunk has changed or was decided, or the session is open in another process.",
    ),
    (BUSY, "busy", "A turn is running; steer it, queue a follow-up or interrupt it."),
    (LIMIT_EXCEEDED, "limitExceeded", "Too many documents, or too much text in them."),
];

/// Names in `data.code` that are more specific than the code's name, each with its code and meaning.
pub const NARROWER: &[(i32, &str, &str)] = &[
    (INVALID_REQUEST, "notInitialized", "A method came before `initialize`."),
    (INVALID_REQUEST, "alreadyInitialized", "`initialize` came twice."),
    (INVALID_REQUEST, "shutDown", "A method came after `shutdown`."),
    (INVALID_REQUEST, "duplicateId", "A request with this id waits for its response."),
    (
        INVALID_REQUEST,
        "noDocuments",
        "The files are on another machine, so no editor has them open.",
    ),
    (
        INVALID_PARAMS,
        "config",
        "A setting has no meaning: an unknown model, a mode that the user's settings forbid.",
    ),
    (CONFLICT, "noActiveTurn", "No turn is running; send the message with `turn/start`."),
    (CONFLICT, "openElsewhere", "The session is open in another process."),
];

/// Data of an error response.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// Stable failure code: the error's name, or a more specific one.
    pub code: String,
    /// Position in the params, as a JSON Pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Suggested next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Values that would have been accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supported: Vec<String>,
    /// For `openElsewhere`: true if the session is open in the engine that clients of `pintle attach` share, and any of them can open it
    /// there.
    #[serde(default, rename = "sharedEngine", skip_serializing_if = "std::ops::Not::not")]
    pub is_shared_engine: bool,
}
