//! Classifies provider errors: from status, headers and body to an actionable [`Error`].
//!
//! Pure. Bodies are judged by content, never by content type: servers send JSON as `text/plain`, gateways send HTML. The first matching
//! rule wins, so their order matters.

use super::catalog::ReasoningBack;
use super::endpoint::Endpoint;
use super::error::{CHECK_ADDRESS, Error, ErrorKind, is_about_tools};
use super::wire::header;
use pintle_base::ambient::{MIN_SECRET_BYTES, REDACTED};
use pintle_base::text::credentials;
use serde_json::Value;
use std::time::Duration;

/// Maximum length of a provider's text in a message.
const MAX_TEXT_CHARS: usize = 600;

/// Returns the error for a response without a success status, or that is not an event stream.
pub(super) fn answer(
    endpoint: &Endpoint,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> Error {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let json = serde_json::from_str::<Value>(text).ok();
    let is_page = json.is_none() && text.starts_with('<');
    let mut facts = match &json {
        Some(json) => Facts::from_body(json),
        None if is_page => Facts::default(),
        None => Facts { text: text.to_owned(), ..Facts::default() },
    };
    // Amazon names the error in a header, followed by a colon and a URL.
    let amazon = header(headers, "x-amzn-errortype").and_then(|name| name.split(':').next());
    facts.codes.extend(amazon.map(str::to_ascii_lowercase));
    let is_success = (200..300).contains(&status);
    let kind = match (is_success, text.is_empty()) {
        (false, is_empty) => kind(Some(status), &facts, is_empty),
        (true, true) => ErrorKind::Protocol,
        // An error with a successful status.
        (true, false) if json.is_some() && !facts.text.is_empty() => {
            kind(facts.status, &facts, false)
        }
        // Not a stream: a retry would return the same.
        (true, false) => ErrorKind::InvalidRequest,
    };
    let said = match facts.text.as_str() {
        _ if is_page => "a web page, not a model API response",
        "" if text.is_empty() => "no further word",
        "" => text,
        said => said,
    };
    let name = &endpoint.name;
    let said = scrub(endpoint, said);
    let message = format!("{name} answered {status}: {}", shorten(&said));
    let location = header(headers, "location");
    let mut error = Error::new(kind, message);
    error.hint = hint(endpoint, kind, status, &facts, json.is_none(), location);
    error.is_guess = kind == ErrorKind::Overflow && !is_overflow(Some(status), &facts);
    error.status = Some(status);
    error.provider_code = facts.codes.first().cloned();
    error.request_id = ["request-id", "x-request-id", "x-amzn-requestid"]
        .iter()
        .find_map(|name| header(headers, name))
        .map(str::to_owned)
        .or(facts.request_id.clone())
        .map(String::into_boxed_str);
    error.retry_after = facts.wait.or_else(|| retry_after(headers, &facts.text));
    error.should_retry = match header(headers, "x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => facts.is_used_up.then_some(false),
    };
    error
}

/// Returns the error in a stream with status 200.
pub(super) fn in_stream(endpoint: &Endpoint, json: &Value) -> Error {
    let facts = Facts::from_body(json);
    let kind = kind(facts.status, &facts, false);
    let said = if facts.text.is_empty() { json.to_string() } else { facts.text.clone() };
    let said = scrub(endpoint, &said);
    let message = format!("{} broke off: {}", endpoint.name, shorten(&said));
    let mut error = Error::new(kind, message);
    error.is_guess = kind == ErrorKind::Overflow && !is_overflow(facts.status, &facts);
    error.hint = hint(endpoint, kind, 200, &facts, false, None);
    error.status = facts.status;
    error.provider_code = facts.codes.first().cloned();
    error.retry_after = facts.wait.or_else(|| retry_after(&[], &facts.text));
    error.should_retry = facts.is_used_up.then_some(false);
    error.request_id = facts.request_id.map(String::into_boxed_str);
    error
}

/// Returns true if a server refuses the encrypted reasoning sent back to it. Source: error bodies quoted in public
/// issues, 2026-11.
pub(super) fn refuses_reasoning(error: &Error) -> bool {
    let is_named = error.provider_code.as_deref() == Some("invalid_encrypted_content");
    let is_refusal =
        error.kind == ErrorKind::InvalidRequest && error.message.contains("encrypted_content");
    is_named || is_refusal
}

/// Returns the form in which a server requires reasoning to be sent back, if its error is about that. Source: error bodies quoted in public
/// issues, 2026-11.
pub(super) fn wanted_reasoning(error: &Error) -> Option<ReasoningBack> {
    // After the provider's name.
    let (_, text) = error.message.split_once(": ")?;
    let text = text.to_ascii_lowercase();
    if error.kind != ErrorKind::InvalidRequest || !text.contains("reasoning_content") {
        return None;
    }
    // A server that checks its input against a schema.
    let refusals =
        ["support", "permitted", "allowed", "unexpected", "unknown", "unrecognized", "extra"];
    let is_refused = refusals.iter().any(|word| text.contains(word));
    Some(if is_refused { ReasoningBack::Drop } else { ReasoningBack::Always })
}

/// The facts in an error body, in whichever format.
#[derive(Debug, Default)]
struct Facts {
    text: String,
    /// All types and codes, in lower case.
    codes: Vec<String>,
    status: Option<u16>,
    request_id: Option<String>,
    /// Delay that Google requests.
    wait: Option<Duration>,
    /// True if Google's daily quota is used up.
    is_used_up: bool,
}

impl Facts {
    fn from_body(json: &Value) -> Self {
        let json = json.get(0).unwrap_or(json);
        let nested = || json.pointer("/response/error").filter(|error| error.is_object());
        let error = json.get("error").or_else(nested).unwrap_or(json);
        let mut facts = Self::default();
        for value in [error, json] {
            for path in ["/code", "/type", "/error_type", "/status", "/details/error_code"] {
                match value.pointer(path) {
                    Some(Value::String(code)) => facts.codes.push(code.to_ascii_lowercase()),
                    Some(Value::Number(code)) => facts.codes.push(code.to_string()),
                    _ => {}
                }
            }
        }
        facts.status = [error.get("status_code"), error.get("code"), error.get("status")]
            .into_iter()
            .flatten()
            .filter_map(Value::as_u64)
            .find(|code| (400..600).contains(code))
            .and_then(|code| u16::try_from(code).ok());
        let texts = [error.get("message"), Some(error), json.get("message"), json.get("detail")];
        let text = texts.into_iter().flatten().find_map(Value::as_str);
        text.unwrap_or_default().clone_into(&mut facts.text);
        if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
            facts.text.push_str(": ");
            facts.text.push_str(raw);
        }
        facts.request_id = json.get("request_id").and_then(Value::as_str).map(str::to_owned);
        let details = error.get("details").and_then(Value::as_array);
        for detail in details.into_iter().flatten() {
            if let Some(wait) = detail.get("retryDelay").and_then(Value::as_str) {
                facts.wait = duration(wait);
            }
            let violations = detail.get("violations").and_then(Value::as_array);
            facts.is_used_up |= violations.into_iter().flatten().any(|violation| {
                let id = violation.get("quotaId").and_then(Value::as_str);
                id.is_some_and(|id| id.contains("PerDay"))
            });
        }
        facts
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }
}

/// The entries after the first two are Amazon's, with its words "retry your request". Source: docs.aws.amazon.com/bedrock, API reference of
/// the runtime, read 2026-11.
const OVERLOADED_CODES: &[&str] = &[
    "overloaded_error",
    "engine_overloaded_error",
    "internalserverexception",
    "modelerrorexception",
    "modelnotreadyexception",
    "modelstreamerrorexception",
    "serviceunavailableexception",
];
const RATE_CODES: &[&str] = &[
    "rate_limit_error",
    "rate_limit_exceeded",
    "throttlingexception",
    "servicequotaexceededexception",
];
const TIMEOUT_CODES: &[&str] = &["timeout_error", "modeltimeoutexception"];
const INVALID_CODES: &[&str] = &[
    "invalid_request_error",
    "not_found_error",
    "resourcenotfoundexception",
    "validationexception",
];
const OVERLOADED_TEXTS: &[&str] = &["at capacity", "capacity exceeded"];
const BILLING_CODES: &[&str] = &[
    "insufficient_quota",
    "billing_error",
    "enforced_spend_limit_reached",
    "contract_spend_limit_reached",
    "1308",
    "1113",
];
const BILLING_TEXTS: &[&str] =
    &["credit balance is too low", "usage limit", "payment is past due", "your plan and billing"];
const AUTH_CODES: &[&str] = &[
    "authentication_error",
    "invalid_api_key",
    "permission_error",
    "accessdeniedexception",
    "expiredtokenexception",
    "invalidsignatureexception",
    "unrecognizedclientexception",
];
const AUTH_TEXTS: &[&str] = &["incorrect api key", "invalid api key", "api key not valid"];
const FILTER_CODES: &[&str] = &["content_filter", "content_policy_violation"];
const OVERFLOW_CODES: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size_error",
    "model_max_prompt_tokens_exceeded",
    "too_many_tokens",
    "too_many_prompt_tokens",
    "request_too_large",
    "request_body_too_large_after_decoding",
    // z.ai's number.
    "1261",
];
/// Texts about a conversation that is too long, with the servers that send them, in lower case. Source: recorded error bodies, and those
/// quoted in the public issues of these servers and of their clients, 2025-04 to 2026-11.
const OVERFLOW_TEXTS: &[(&str, &str)] = &[
    ("Anthropic", "prompt is too long"),
    ("Anthropic", "exceed context limit"),
    ("OpenAI", "exceeds the context window"),
    ("OpenAI, OpenRouter, vLLM, SGLang, DeepSeek", "maximum context length"),
    ("vLLM", "longer than the maximum model length"),
    ("vLLM", "max_tokens must be at least 1, got -"),
    ("SGLang", "longer than the model's context length"),
    ("SGLang", "exceeds the maximum allowed length"),
    ("xAI", "maximum prompt length"),
    ("Google", "input token count"),
    ("Google", "input tokens exceeded"),
    ("GitHub Copilot", "prompt token count of"),
    ("Groq", "reduce the length"),
    ("Ollama, z.ai", "prompt too long"),
    ("Cohere", "too many tokens: size limit"),
    ("unknown", "total length of all messages is too long"),
    ("Amazon", "input is too long for requested model"),
    ("llama.cpp", "exceeds the available context size"),
    ("llama.cpp", "context size has been exceeded"),
    ("LM Studio", "greater than the context length"),
    ("LM Studio", "cannot truncate prompt with n_keep"),
    ("LM Studio", "does not fit in context length"),
    ("LM Studio", "context length of only"),
    ("Ollama", "exceeded max context length"),
    ("MiniMax", "context window exceeds limit"),
    ("Kimi", "exceeded model token limit"),
    ("SiliconFlow", "must be less than max_seq_len"),
    ("Together and other servers of TGI", "tokens + `max_new_tokens` must be"),
    ("z.ai", "prompt exceeds max length"),
    ("unknown", "model max length exceeded"),
    ("Qwen", "range of input length"),
];
/// llama.cpp returns these as 500 although the request is at fault.
const INVALID_TEXTS: &[&str] = &["--jinja", "mmproj", "cannot use both", "cannot make get request"];

fn kind(status: Option<u16>, facts: &Facts, is_empty: bool) -> ErrorKind {
    let text = facts.text.to_ascii_lowercase();
    let says = |texts: &[&str]| texts.iter().any(|part| text.contains(part));
    if status == Some(529) || facts.has_code(OVERLOADED_CODES) || says(OVERLOADED_TEXTS) {
        return ErrorKind::Overloaded;
    }
    // Google mentions plan and billing even if a minute's wait is enough.
    let is_googles = facts.is_used_up || facts.wait.is_some();
    if status == Some(429) && (is_googles || says(&["please retry in"])) {
        return ErrorKind::RateLimit;
    }
    if status == Some(402) || facts.has_code(BILLING_CODES) || says(BILLING_TEXTS) {
        return ErrorKind::Billing;
    }
    // Google answers 403 for an expired cache.
    if says(&["cachedcontent not found"]) {
        return ErrorKind::InvalidRequest;
    }
    if matches!(status, Some(401 | 403)) || facts.has_code(AUTH_CODES) || says(AUTH_TEXTS) {
        return ErrorKind::Auth;
    }
    // This precedes the check for overflow, because a limit of tokens per minute also mentions tokens.
    if status == Some(429) || (status.is_none() && facts.has_code(RATE_CODES)) {
        return ErrorKind::RateLimit;
    }
    if is_overflow(status, facts) || (is_empty && status == Some(400)) {
        return ErrorKind::Overflow;
    }
    if facts.has_code(FILTER_CODES) || says(&["content management policy"]) {
        return ErrorKind::ContentFilter;
    }
    // The model wrote a call that the server rejects: a retry may succeed.
    if facts.has_code(&["tool_use_failed"]) {
        return ErrorKind::Protocol;
    }
    if says(INVALID_TEXTS) {
        return ErrorKind::InvalidRequest;
    }
    if matches!(status, None | Some(400 | 422 | 500)) && mentions_overflow(&text) {
        return ErrorKind::Overflow;
    }
    match status {
        Some(408 | 504) => ErrorKind::Timeout,
        Some(409 | 424 | 500..) => ErrorKind::Overloaded,
        Some(_) => ErrorKind::InvalidRequest,
        None if facts.has_code(TIMEOUT_CODES) => ErrorKind::Timeout,
        None if facts.has_code(INVALID_CODES) => ErrorKind::InvalidRequest,
        None => ErrorKind::Overloaded,
    }
}

/// Returns true if the server clearly refuses the conversation as too long. An intermediate proxy answers 413 for that reason, too.
fn is_overflow(status: Option<u16>, facts: &Facts) -> bool {
    let text = facts.text.to_ascii_lowercase();
    let says = OVERFLOW_TEXTS.iter().any(|(_, part)| text.contains(part));
    facts.has_code(OVERFLOW_CODES) || says || status == Some(413)
}

/// Returns true if an unknown text may mean that the conversation is too long: it mentions the context, or the input's length, and a
/// limit. `text` is in lower case.
fn mentions_overflow(text: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is_about_input = has(&["prompt", "input", "message"]) && has(&["token", "length", "long"]);
    let is_about_context = has(&["context length", "context size", "context window", "n_ctx"]);
    let is_about_limit = has(&[
        "exceed",
        "too long",
        "too large",
        "longer than",
        "larger than",
        "greater than",
        "maximum",
        "limit",
        "not fit",
    ]);
    (is_about_context || is_about_input) && is_about_limit
}

fn hint(
    endpoint: &Endpoint,
    kind: ErrorKind,
    status: u16,
    facts: &Facts,
    is_foreign: bool,
    location: Option<&str>,
) -> Option<String> {
    let url = endpoint.shown_url();
    match kind {
        ErrorKind::Auth if endpoint.signing.is_some() => {
            let keys = "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the profile in AWS_PROFILE";
            Some(format!("{keys}: they may be out of date, or may not invoke this model"))
        }
        ErrorKind::Auth => Some(match (&endpoint.key, &endpoint.key_var) {
            (Some(_), Some(var)) => format!("check the key in {var} and its permissions"),
            (None, Some(var)) => format!("set {var}"),
            (Some(_), None) => "check the key and its permissions".to_owned(),
            (None, None) => "the server requires a key; set one in its configuration".to_owned(),
        }),
        ErrorKind::Billing => Some("check the account's credit and plan".to_owned()),
        ErrorKind::RateLimit if facts.is_used_up => Some(
            "the day's quota is used up: try tomorrow, another model or another plan".to_owned(),
        ),
        ErrorKind::InvalidRequest if is_about_tools(&facts.text) => Some(format!(
            "this model cannot call tools: set `text_tools = true` in [providers.{}] to describe them in the prompt, or choose another model",
            endpoint.name
        )),
        ErrorKind::InvalidRequest if facts.text.contains("on-demand throughput") => Some(
            "use an inference profile id, which most models require, such as us.anthropic.…"
                .to_owned(),
        ),
        ErrorKind::InvalidRequest if (300..400).contains(&status) => Some(format!(
            "{url} redirects to {}; set the provider's base URL to that of the API",
            location.unwrap_or("another place")
        )),
        ErrorKind::InvalidRequest if (200..300).contains(&status) && facts.text.is_empty() => {
            Some(format!("no streaming model API at {url}; {CHECK_ADDRESS}"))
        }
        ErrorKind::InvalidRequest if matches!(status, 404 | 405) && is_foreign => {
            Some(format!("no model API at {url}; {CHECK_ADDRESS}"))
        }
        ErrorKind::InvalidRequest if status == 404 && is_about_path(&facts.text) => {
            Some(format!("no such path as {url}; {CHECK_ADDRESS}"))
        }
        ErrorKind::InvalidRequest
            if status == 404 || facts.has_code(&["model_not_found", "invalid_model"]) =>
        {
            Some("check the model's name".to_owned())
        }
        ErrorKind::RateLimit
        | ErrorKind::Overloaded
        | ErrorKind::Overflow
        | ErrorKind::InvalidRequest
        | ErrorKind::ContentFilter
        | ErrorKind::Network
        | ErrorKind::Timeout
        | ErrorKind::Protocol
        | ErrorKind::Replay => None,
    }
}

/// Returns true if a 404 refers to the request path rather than the model.
fn is_about_path(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.').to_ascii_lowercase();
    let says =
        ["invalid url", "route", "path", "cannot post", "resource not found", "page not found"];
    let is_bare = matches!(text.as_str(), "" | "not found" | "404 not found");
    is_bare || (!text.contains("model") && says.iter().any(|part| text.contains(part)))
}

/// Returns the retry delay: from the headers, or else from words such as `try again in 9m38.016s`.
fn retry_after(headers: &[(String, String)], text: &str) -> Option<Duration> {
    let seconds = |text: &str, unit: f64| {
        let number: f64 = text.trim().parse().ok()?;
        Duration::try_from_secs_f64(number * unit).ok()
    };
    header(headers, "retry-after-ms")
        .and_then(|text| seconds(text, 0.001))
        .filter(|wait| !wait.is_zero())
        .or_else(|| seconds(header(headers, "retry-after")?, 1.0))
        .or_else(|| until(header(headers, "retry-after")?, header(headers, "date")?))
        .or_else(|| {
            let words = ["try again in ", "retry in "];
            let (_, rest) = words.iter().find_map(|words| text.split_once(words))?;
            duration(rest.split_whitespace().next()?)
        })
}

/// Returns the duration from the server's clock to a date that it sent; its clock may differ from ours.
fn until(date: &str, now: &str) -> Option<Duration> {
    let parse = |text: &str| jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    Some(Duration::try_from(parse(date)?.duration_since(parse(now)?)).unwrap_or_default())
}

/// Reads `3.89s`, `174ms`, `9m38.016s`, `1h2m`; a full stop may follow.
fn duration(text: &str) -> Option<Duration> {
    let mut total = 0.0;
    let mut rest = text.trim_end_matches(['.', ',']);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let units = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(units)?;
        let number: f64 = number.parse().ok()?;
        total += number
            * match unit {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = tail;
    }
    Duration::try_from_secs_f64(total).ok()
}

/// Some servers repeat the refused key, or a part of the request that contains another one.
fn scrub(endpoint: &Endpoint, message: &str) -> String {
    let message = credentials::redact(message);
    match &endpoint.key {
        Some(key) if key.expose().len() >= MIN_SECRET_BYTES => {
            message.replace(key.expose(), REDACTED)
        }
        Some(_) | None => message.into_owned(),
    }
}

pub(super) fn shorten(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
    }
}

#[cfg(test)]
mod tests;
