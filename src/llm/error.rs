//! Provider errors, classified by the remedies available to the user or the agent.

use std::fmt;
use std::time::Duration;

/// Hint for a wrong URL: the two places where a user can set it.
pub(super) const CHECK_ADDRESS: &str = "check the provider's base URL";

/// Provider failure. It never contains a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The class, which determines how the error is handled.
    pub kind: ErrorKind,
    /// The message, in the provider's words if there are any; lower case, no full stop.
    pub message: String,
    /// The suggested next step, such as the variable to set or the URL to check.
    pub hint: Option<String>,
    /// The login that would help; the hint gives the command for it.
    pub log_in: Option<Box<LogIn>>,
    /// True if the kind is a guess: the server refused the request without an explanation, as some do if a conversation is too long.
    pub is_guess: bool,
    /// HTTP status, if a response arrived.
    pub status: Option<u16>,
    /// The provider's error code.
    pub provider_code: Option<String>,
    /// Provider's request id.
    pub request_id: Option<Box<str>>,
    /// Delay that the provider requests.
    pub retry_after: Option<Duration>,
    /// Whether the provider asked for a retry; takes precedence over the kind.
    pub should_retry: Option<bool>,
}

/// A login that would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogIn {
    /// The provider.
    pub provider: String,
    /// The other remedies.
    pub otherwise: Option<String>,
}

/// The classes of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// No key, or a key that is refused.
    Auth,
    /// The account is empty or over its plan.
    Billing,
    /// Too many requests at this time.
    RateLimit,
    /// The provider is overloaded or broken, or this machine has no file descriptor or memory left; a later attempt may succeed.
    Overloaded,
    /// The conversation does not fit into the model's window.
    Overflow,
    /// The provider does not accept the request as it is, or does not know the model.
    InvalidRequest,
    /// A content filter refused.
    ContentFilter,
    /// No connection, or it broke.
    Network,
    /// The timeout expired.
    Timeout,
    /// The response violates the wire format, or the stream was cut.
    Protocol,
    /// A cassette or script has no reply for this request.
    Replay,
}

impl ErrorKind {
    /// Returns the stable name on the wire.
    pub fn code(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Billing => "billing",
            Self::RateLimit => "rateLimit",
            Self::Overloaded => "overloaded",
            Self::Overflow => "overflow",
            Self::InvalidRequest => "invalidRequest",
            Self::ContentFilter => "contentFilter",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol",
            Self::Replay => "replay",
        }
    }

    pub(super) const ALL: [Self; 11] = [
        Self::Auth,
        Self::Billing,
        Self::RateLimit,
        Self::Overloaded,
        Self::Overflow,
        Self::InvalidRequest,
        Self::ContentFilter,
        Self::Network,
        Self::Timeout,
        Self::Protocol,
        Self::Replay,
    ];

    /// Returns the kind with this stable name.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Returns true if a retry may succeed, judging by the kind alone.
    pub fn is_retryable(self) -> bool {
        match self {
            Self::RateLimit | Self::Overloaded | Self::Network | Self::Timeout | Self::Protocol => {
                true
            }
            Self::Auth
            | Self::Billing
            | Self::Overflow
            | Self::InvalidRequest
            | Self::ContentFilter
            | Self::Replay => false,
        }
    }
}

impl Error {
    /// Returns true if the model was refused because it cannot call tools.
    pub fn refuses_tools(&self) -> bool {
        self.kind == ErrorKind::InvalidRequest && is_about_tools(&self.message)
    }

    /// Creates an error with only a message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            log_in: None,
            is_guess: false,
            status: None,
            provider_code: None,
            request_id: None,
            retry_after: None,
            should_retry: None,
        }
    }

    /// Creates an error of the file or program that provides a key. If the machine has run out of a resource, neither a key nor a login
    /// helps.
    pub fn of_key(error: &(impl fmt::Display + ?Sized), message: impl Into<String>) -> Self {
        // `SecretFile` wraps errors and keeps only their text.
        let text = error.to_string();
        let mut lacking = pintle_os::errors::OUT_OF_RESOURCES.iter();
        if lacking.any(|number| text.contains(&format!("(os error {number})"))) {
            return Self::new(ErrorKind::Overloaded, message)
                .hint("close sessions, or raise the limit (`ulimit -n` for open files)");
        }
        Self::new(ErrorKind::Auth, message)
    }

    /// Returns true if a retry may succeed.
    pub fn is_retryable(&self) -> bool {
        self.should_retry.unwrap_or_else(|| self.kind.is_retryable())
    }

    /// Returns true if another model may answer the same request: this one is overloaded, unreachable, or does not exist any more.
    pub fn is_unavailable(&self) -> bool {
        let is_gone = || {
            let codes = ["model_not_found", "invalid_model", "model_decommissioned", "model_gone"];
            let code = self.provider_code.as_deref().unwrap_or_default();
            matches!(self.status, Some(404 | 410)) || codes.contains(&code)
        };
        match self.kind {
            ErrorKind::RateLimit
            | ErrorKind::Overloaded
            | ErrorKind::Network
            | ErrorKind::Timeout => true,
            ErrorKind::InvalidRequest => is_gone(),
            ErrorKind::Auth
            | ErrorKind::Billing
            | ErrorKind::Overflow
            | ErrorKind::ContentFilter
            | ErrorKind::Protocol
            | ErrorKind::Replay => false,
        }
    }

    /// Adds the hint to do something else, or to log in to a provider.
    #[must_use]
    pub fn log_in(self, provider: &str, otherwise: Option<String>) -> Self {
        let either = otherwise.as_ref().map(|other| format!("{other}, or ")).unwrap_or_default();
        let hint = format!("{either}log in with `pintle login {provider}`");
        let log_in = LogIn { provider: provider.to_owned(), otherwise };
        Self { log_in: Some(Box::new(log_in)), ..self.hint(hint) }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Returns true if a model cannot call tools. Source: Ollama, OpenRouter and vLLM, as quoted in public issues, up to 2026-11.
pub(super) fn is_about_tools(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let says = [
        "does not support tools",
        "support tool use",
        "tool use is not supported",
        "tool calling is not supported",
        "does not support function calling",
    ];
    says.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_machine_that_has_run_out_of_something_wants_no_login() {
        let lacks = pintle_os::errors::OUT_OF_RESOURCES.map(io::Error::from_raw_os_error);
        // In the form of errors that include a file.
        let of_file = io::Error::other(format!("/f: {}", lacks[0]));
        let busy = lacks.into_iter().chain([of_file]).map(|error| (error, ErrorKind::Overloaded));
        let others = [io::ErrorKind::PermissionDenied, io::ErrorKind::NotFound]
            .map(|kind| (io::Error::from(kind), ErrorKind::Auth));
        for (error, want) in busy.chain(others) {
            let text = error.to_string();
            let failed = Error::of_key(&error, "the stored logins cannot be used");
            assert_eq!(failed.kind, want, "{text}");
            assert_eq!(failed.hint.is_some(), want == ErrorKind::Overloaded, "{text}");
        }
    }
}
