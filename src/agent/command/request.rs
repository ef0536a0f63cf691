//! Protocol requests that a session answers, in the protocol's types.
//!
//! A new one needs its name in the list below and an arm in `session/requests`.

use super::Reply;
use pintle_protocol::methods::{
    ApprovalAnswerRequest, ConfigList, ConfigSet, ContextRead, IsolationApply, ItemCancel, JobList,
    McpList, McpUpdate, QuestionAnswerRequest, QueueList, QueueRemove, QueueUpdateRequest, Request,
    ReviewBaseline, ReviewDecide, ReviewList, ReviewPatch, SessionCompact, SessionLabel,
    SessionMerge, SessionNote, SessionRewind, SessionUpdate, TurnInterrupt, TurnStart, TurnSteer,
};
use pintle_protocol::to_session::ToSession;

/// A request of the protocol that a session answers.
pub trait SessionRequest: Request<Params: ToSession, Result: Clone> + 'static {
    /// Returns the request as a session's task receives it.
    fn into_call(params: Self::Params, reply: Reply<Self::Result>) -> SessionCall;
}

/// Does something for each request that a session answers.
pub trait ForEachRequest {
    /// Does it for one.
    fn request<R: SessionRequest>(&mut self);
}

macro_rules! session_requests {
    ($($name:ident),+ $(,)?) => {
        /// A protocol request to a session: its params, and the result's receiver.
        #[derive(Debug)]
        pub enum SessionCall {$(
            #[doc = concat!("See [`", stringify!($name), "`].")]
            $name(<$name as Request>::Params, Reply<<$name as Request>::Result>),
        )+}

        $(impl SessionRequest for $name {
            fn into_call(params: Self::Params, reply: Reply<Self::Result>) -> SessionCall {
                SessionCall::$name(params, reply)
            }
        })+

        /// Visits every request that a session answers.
        pub fn each_session_request(visitor: &mut impl ForEachRequest) {
            $(visitor.request::<$name>();)+
        }
    };
}

session_requests!(
    ApprovalAnswerRequest,
    ConfigList,
    ConfigSet,
    ContextRead,
    IsolationApply,
    ItemCancel,
    JobList,
    McpList,
    McpUpdate,
    QuestionAnswerRequest,
    QueueList,
    QueueRemove,
    QueueUpdateRequest,
    ReviewBaseline,
    ReviewDecide,
    ReviewList,
    ReviewPatch,
    SessionCompact,
    SessionLabel,
    SessionMerge,
    SessionNote,
    SessionRewind,
    SessionUpdate,
    TurnInterrupt,
    TurnStart,
    TurnSteer,
);
