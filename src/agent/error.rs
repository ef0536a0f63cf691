//! Command errors, grouped by who can fix them.

use pintle_llm as llm;
use pintle_llm::error::LogIn;
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_session::history::tree::NoPoint;
use pintle_session::store;
use std::io;

/// A refused command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The class.
    pub kind: ErrorKind,
    /// The message: lower case, no full stop.
    pub message: String,
    /// The next step for the reader.
    pub hint: Option<Hint>,
    /// The field of the params that is at fault, as a JSON pointer.
    pub field: Option<&'static str>,
}

/// A remedy for a refused command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Something to do with the engine; each frontend words it for its users.
    Action(Action),
    /// Text for every frontend.
    Text(String),
}

/// Something that a client can ask of the engine after a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Steer the running turn, queue the message, or interrupt the turn.
    SteerOrQueue,
    /// Start a turn with the message.
    StartTurn,
    /// Open the session again.
    OpenSession,
    /// Open this session in the shared engine, as one of its clients.
    Attach(SessionId),
    /// Name a model.
    NameModel,
    /// Give the system prompt and the tools when a session is created.
    SetAtCreation,
    /// Fork this session; only its own forks can be merged into it.
    Fork,
    /// Go to this event of the history.
    GoTo(u64),
    /// List the history's points.
    ListHistory,
    /// List the checkpoints.
    ListCheckpoints,
    /// List the session's items.
    ListItems,
    /// List the background jobs.
    ListJobs,
    /// List the rules that answers added.
    ListRules,
    /// List the questions that are open.
    ListQuestions,
    /// List the files under review.
    ListChangedFiles,
    /// List the open hunks.
    ListHunks,
    /// List the queued messages.
    ListQueue,
    /// Remove a message from the queue.
    RemoveQueued,
    /// Log in to this provider.
    LogIn {
        /// The provider.
        provider: String,
        /// The other remedies.
        otherwise: Option<String>,
    },
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Action(action) => action.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Text for users, without method names.
impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::SteerOrQueue => {
                "steer the running turn, queue the message, or interrupt the turn"
            }
            Self::StartTurn => "send the message as a prompt, or hold it for the next one",
            Self::OpenSession => "open the session again",
            Self::Attach(session) => {
                return write!(
                    f,
                    "join it there with `pintle attach {session}`, or from an editor that shares the engine"
                );
            }
            Self::NameModel => {
                "choose one with --model PROVIDER/ID, or `model = \"PROVIDER/ID\"` in the config file"
            }
            Self::SetAtCreation => "set the system prompt and the tools when you create a session",
            Self::Fork => "only forks of this session can be merged into it",
            Self::GoTo(seq) => return write!(f, "go to event {seq} to continue there"),
            Self::ListHistory => "choose a point in this session's history",
            Self::ListCheckpoints => "choose one of this session's checkpoints",
            Self::ListItems => "choose one of this session's items",
            Self::ListJobs => "choose one of this session's background jobs",
            Self::ListRules => "choose one of the rules that answers added",
            Self::ListQuestions => "choose one of this session's open questions",
            Self::ListChangedFiles => "choose a file that the agent has changed",
            Self::ListHunks => "choose an open hunk",
            Self::ListQueue => "it was already read or returned; choose a message that is still queued",
            Self::RemoveQueued => "remove the message from the queue instead",
            Self::LogIn { provider, otherwise } => {
                otherwise.iter().try_for_each(|other| write!(f, "{other}, or "))?;
                return write!(f, "log in with `pintle login {provider}`");
            }
        })
    }
}

impl From<Action> for Hint {
    fn from(action: Action) -> Self {
        Self::Action(action)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The classes of refusal. Frontends map them to codes, the program (`cli`) to exit codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is invalid; the message explains why.
    Invalid,
    /// The session does not exist.
    NotFound,
    /// A turn is running.
    Busy(TurnId),
    /// No turn is running.
    NoActiveTurn,
    /// The expected turn is not the running one.
    Conflict,
    /// The session is open in another process.
    OpenElsewhere {
        /// True for the engine shared by clients of `pintle attach`.
        is_shared: bool,
    },
    /// The settings name something that does not exist.
    Config,
    /// There are no credentials for the provider.
    Auth,
    /// The engine could not do its job.
    Internal,
}

impl Error {
    /// Returns an error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, field: None }
    }

    /// Returns the error for an engine failure.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Names the field of the params that is at fault, as a JSON pointer.
    #[must_use]
    pub(crate) fn at(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// Returns the error for a request whose key belongs to another one.
    pub(crate) fn other_request(key: &str) -> Self {
        let what = format!("the key `{key}` was already used by another request");
        Self::new(ErrorKind::Conflict, what).hint("use a unique key for each request").at("/key")
    }

    /// Returns the error for a point in the history that `field` names; `list` lists the points.
    pub(crate) fn no_point(refused: &NoPoint, list: Action, field: &'static str) -> Self {
        let error = match refused {
            NoPoint::Unclear => {
                Self::new(ErrorKind::Invalid, refused.to_string()).hint("send one of them")
            }
            NoPoint::Missing(_) => Self::new(ErrorKind::NotFound, refused.to_string()).hint(list),
        };
        error.at(field)
    }

    /// Adds a remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the error for a session that was closed, or whose task has ended.
    pub(super) fn closed(session: &SessionId) -> Self {
        Self::new(ErrorKind::NotFound, format!("session {session} is closed"))
            .hint(Action::OpenSession)
    }

    /// Returns true if a session refused because it is closing or closed. Opening it then reads its journal.
    pub fn is_closed_session(&self) -> bool {
        self.hint == Some(Hint::Action(Action::OpenSession))
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        let kind = match &error {
            store::Error::NotFound(_) | store::Error::NoOutput(_) => ErrorKind::NotFound,
            store::Error::Locked { .. } if error.is_open_here() => ErrorKind::Conflict,
            store::Error::Locked { .. } => {
                ErrorKind::OpenElsewhere { is_shared: error.is_open_in_shared_engine() }
            }
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
        if error.is_open_here() {
            return refused.hint("close it first");
        }
        match &error {
            store::Error::NoCursor(_) => refused.at("/cursor"),
            store::Error::Locked { session, .. } if error.is_open_in_shared_engine() => {
                refused.hint(Action::Attach(session.clone()))
            }
            store::Error::Io { source, .. } if is_forbidden(source) => refused.hint(
                "sessions cannot be stored there: set PINTLE_HOME to a writable directory, or run with --no-session",
            ),
            store::Error::Locked { .. } => refused.hint(
                "close it there first, or do this there; clients of `pintle attach` share sessions",
            ),
            _ => refused,
        }
    }
}

/// Returns true if a path is not a directory, or is not writable for this user.
fn is_forbidden(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), NotADirectory | PermissionDenied | ReadOnlyFilesystem)
}

impl From<llm::Error> for Error {
    fn from(error: llm::Error) -> Self {
        let kind = match error.kind {
            llm::ErrorKind::Auth => ErrorKind::Auth,
            llm::ErrorKind::Overloaded => ErrorKind::Internal,
            _ => ErrorKind::Config,
        };
        let hint = match error.log_in {
            Some(log_in) => {
                let LogIn { provider, otherwise } = *log_in;
                Some(Action::LogIn { provider, otherwise }.into())
            }
            None => error.hint.map(Hint::Text),
        };
        Self { kind, message: error.message, hint, field: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_no_method_of_any_protocol() {
        for action in [
            Action::SteerOrQueue,
            Action::StartTurn,
            Action::OpenSession,
            Action::Attach(SessionId::new("s")),
            Action::SetAtCreation,
            Action::Fork,
            Action::GoTo(1),
            Action::ListHistory,
            Action::ListCheckpoints,
            Action::ListItems,
            Action::ListJobs,
            Action::ListRules,
            Action::ListQuestions,
            Action::ListChangedFiles,
            Action::ListHunks,
            Action::ListQueue,
            Action::RemoveQueued,
            Action::LogIn { provider: "x".to_owned(), otherwise: None },
        ] {
            let text = action.to_string();
            assert!(!text.contains('/') && !text.contains("config."), "{text}");
        }
    }
}
