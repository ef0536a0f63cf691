//! JSON-RPC for the frontends that use it: responses, error objects and the order of requests. It knows no methods.

mod queue;

pub(crate) use queue::{InFlight, Lane, MAX_IN_FLIGHT, is_id};

use jsonrpsee::types::ErrorObjectOwned;
use pintle_base::transport::envelope::{Id, Invalid};
use pintle_protocol::error::{self, ErrorData};
use serde::Serialize;

/// The result of a request, or the error for its response.
pub(crate) type HandlerResult<T> = Result<T, ErrorObjectOwned>;

/// Writes the response to a request.
pub(crate) fn response(id: &Id, result: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Out<'a, R> {
        jsonrpc: &'static str,
        id: &'a Id,
        result: &'a R,
    }
    // The types of protocols hold only string keys and plain values, so writing them cannot fail.
    serde_json::to_vec(&Out { jsonrpc: "2.0", id, result }).unwrap_or_default()
}

/// Writes the error response to a request.
pub(crate) fn error_response(id: &Id, error: &ErrorObjectOwned) -> Vec<u8> {
    #[derive(Serialize)]
    struct Out<'a> {
        jsonrpc: &'static str,
        id: &'a Id,
        error: &'a ErrorObjectOwned,
    }
    serde_json::to_vec(&Out { jsonrpc: "2.0", id, error }).unwrap_or_default()
}

/// Writes the response to a malformed message.
pub(crate) fn rejection(invalid: &Invalid) -> Vec<u8> {
    let name = if invalid.code == error::PARSE_ERROR { "parseError" } else { "invalidRequest" };
    error_response(&invalid.id, &error_object(invalid.code, &invalid.message, name, None))
}

/// Creates the error for a cancelled request, for protocols without a specific code.
pub(crate) fn cancelled() -> ErrorObjectOwned {
    let message = "the request was cancelled before it started";
    error_object(error::CANCELLED, message, "cancelled", None)
}

/// Minimum similarity of a method name that is treated as a typing error, from 0 to 1.
const MIN_LIKENESS: f64 = 0.8;

/// The longest name that is compared with known ones, in bytes; all of those are shorter.
const MAX_NAME_BYTES: usize = 64;

/// Returns the message about an unknown method, with the nearest known one.
pub(crate) fn unknown_method<'a>(method: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(method, known, MIN_LIKENESS) {
        Some(nearest) => format!("unknown method `{method}`; did you mean `{nearest}`?"),
        None => format!("unknown method `{method}`"),
    }
}

/// Returns the known name that is nearest to a mistyped one, if it is at least this like it.
pub(crate) fn nearest<'a>(
    wanted: &str,
    known: impl Iterator<Item = &'a str>,
    min_likeness: f64,
) -> Option<&'a str> {
    // The comparison takes as many steps as the lengths multiplied: a name of megabytes would block all clients.
    if wanted.len() > MAX_NAME_BYTES {
        return None;
    }
    let wanted = wanted.to_lowercase();
    let alike = known.map(|name| (strsim::jaro_winkler(&wanted, &name.to_lowercase()), name));
    let nearest = alike.max_by(|(one, _), (other, _)| one.total_cmp(other));
    nearest.filter(|(likeness, _)| *likeness >= min_likeness).map(|(_, name)| name)
}

/// Returns an error object with its data.
pub(crate) fn error_object(
    code: i32,
    message: &str,
    name: &str,
    hint: Option<&str>,
) -> ErrorObjectOwned {
    let data =
        ErrorData { code: name.to_owned(), hint: hint.map(str::to_owned), ..ErrorData::default() };
    ErrorObjectOwned::owned(code, message, Some(data))
}

/// Returns the error object for params that cannot be read or carried out.
pub(crate) fn invalid_params(message: &str) -> ErrorObjectOwned {
    error_object(error::INVALID_PARAMS, message, "invalidParams", None)
}

/// Returns an error object with its hint in the message too, for clients that show nothing else.
pub(crate) fn refusal(code: i32, message: &str, name: &str, hint: &str) -> ErrorObjectOwned {
    error_object(code, &format!("{message} ({hint})"), name, Some(hint))
}

/// Returns the error object for a parameter, which `path` names.
pub(crate) fn invalid(path: &str, message: &str, hint: String) -> ErrorObjectOwned {
    let data = ErrorData {
        code: "invalidParams".to_owned(),
        path: Some(path.to_owned()),
        hint: Some(hint),
        ..ErrorData::default()
    };
    ErrorObjectOwned::owned(error::INVALID_PARAMS, message, Some(data))
}
