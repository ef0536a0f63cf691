//! The errors of commands, by who can do something about them.

use crate::llm;
use crate::store;
use pintle_protocol::ids::{SessionId, TurnId};

/// A refused command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The class.
    pub kind: ErrorKind,
    /// The message: lower case, no full stop.
    pub message: String,
    /// The next step for the reader.
    pub hint: Option<String>,
}

/// The classes of refusal. Frontends map them to codes, the program (`cli/main`) to exit codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is invalid; the message says why.
    Invalid,
    /// There is no such session.
    NotFound,
    /// A turn is running.
    Busy(TurnId),
    /// The expected turn is not the running one.
    Conflict,
    /// The session is open in another process.
    OpenElsewhere,
    /// The settings name something that does not exist.
    Config,
    /// There are no credentials for the provider.
    Auth,
    /// The engine could not do its job.
    Internal,
}

impl Error {
    /// An error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// The engine could not do its job.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The session was closed, or its task has ended.
    pub(super) fn closed(session: &SessionId) -> Self {
        Self::new(ErrorKind::NotFound, format!("session {session} is closed"))
            .hint("open it again with session/open")
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        let kind = match &error {
            store::Error::NotFound(_) | store::Error::NoOutput(_) => ErrorKind::NotFound,
            store::Error::Locked { .. } => ErrorKind::OpenElsewhere,
            store::Error::NoCursor(_) => ErrorKind::Invalid,
            store::Error::TooNew { .. }
            | store::Error::Upgrade { .. }
            | store::Error::NoJournal(_)
            | store::Error::Gone(_)
            | store::Error::Index { .. }
            | store::Error::IndexHeld(_)
            | store::Error::Io { .. } => ErrorKind::Internal,
        };
        let refused = Self::new(kind, error.to_string());
        if matches!(error, store::Error::Locked { .. }) {
            return refused.hint("close it there first, or do it there");
        }
        refused
    }
}

impl From<llm::Error> for Error {
    fn from(error: llm::Error) -> Self {
        let kind =
            if error.kind == llm::ErrorKind::Auth { ErrorKind::Auth } else { ErrorKind::Config };
        Self { kind, message: error.message, hint: error.hint }
    }
}
