//! Ids: opaque strings on the wire, distinct types in code, so that one cannot be used as another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a string as this kind of id; any text is a valid id.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// Session id: a UUIDv7, so ids sort by creation time.
    SessionId
);
id!(
    /// Turn id, unique across all sessions.
    TurnId
);
id!(
    /// Item id: a message, a tool call or anything else that a client can draw.
    ItemId
);
id!(
    /// Approval id, pending until the approval is answered or cancelled.
    ApprovalId
);
id!(
    /// Id of a question to the user, pending until the question is answered or its deadline passes.
    QuestionId
);
id!(
    /// Sub-agent id within its session: `agent-1`, `agent-2` …, short because a model writes it.
    AgentId
);
id!(
    /// Background job id within its session: `job-1`, `job-2` …, short because a model writes it.
    JobId
);
id!(
    /// Hunk id within its session: the number of the event that made it, a dot, and a count.
    HunkId
);
