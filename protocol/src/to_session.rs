//! Common properties of the params of all requests to a session.

use crate::approval::ApprovalAnswerParams;
use crate::config::ConfigSetParams;
use crate::context::{ContextReadParams, SessionCompactParams};
use crate::history::{
    ItemCancelParams, SessionLabelParams, SessionMergeParams, SessionNoteParams,
    SessionRewindParams,
};
use crate::ids::SessionId;
use crate::isolation::IsolationApplyParams;
use crate::mcp::McpUpdateParams;
use crate::methods::JobStopParams;
use crate::question::QuestionAnswerParams;
use crate::queue::{QueueRemoveParams, QueueUpdateParams};
use crate::review::{
    ReviewBaselineParams, ReviewDecideParams, ReviewListParams, ReviewPatchParams,
};
use crate::session::{SessionParams, SessionUpdateParams};
use crate::turn::{TurnInterruptParams, TurnStartParams, TurnSteerParams};

/// Params of a request to a session.
pub trait ToSession {
    /// The session; `None` for the only one of a connection.
    fn session_id(&self) -> Option<&SessionId>;

    /// The key that makes a repeated request have no second effect.
    fn key(&self) -> Option<&str>;
}

macro_rules! to_session {
    ($($params:ident $($key:ident)?),+ $(,)?) => {$(
        impl ToSession for $params {
            fn session_id(&self) -> Option<&SessionId> {
                self.session_id.as_ref()
            }

            fn key(&self) -> Option<&str> {
                to_session!(@key self $($key)?)
            }
        }
    )+};
    (@key $self:ident) => { None };
    (@key $self:ident $key:ident) => { $self.$key.as_deref() };
}

to_session!(
    ApprovalAnswerParams,
    ConfigSetParams,
    ContextReadParams,
    IsolationApplyParams,
    ItemCancelParams,
    JobStopParams,
    McpUpdateParams,
    QuestionAnswerParams,
    QueueRemoveParams,
    QueueUpdateParams,
    ReviewBaselineParams,
    ReviewDecideParams,
    ReviewListParams,
    ReviewPatchParams,
    SessionCompactParams key,
    SessionLabelParams,
    SessionMergeParams,
    SessionNoteParams key,
    SessionParams,
    SessionRewindParams,
    SessionUpdateParams,
    TurnInterruptParams,
    TurnStartParams key,
    TurnSteerParams key,
);
