//! Ids: opaque strings on the wire, distinct types in code, so that one cannot stand for another.

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
    /// Names a session: a UUIDv7, so that ids sort by creation.
    SessionId
);
id!(
    /// Names a turn, unique over all sessions.
    TurnId
);
id!(
    /// Names an item: a message, a tool call, something a client can draw.
    ItemId
);
id!(
    /// Names a question of permission, open until it is answered or cancelled.
    ApprovalId
);
id!(
    /// Names a question to a person, open until it is answered or its time is over.
    QuestionId
);
id!(
    /// Names a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it.
    AgentId
);
id!(
    /// Names a background job within its session: `job-1`, `job-2` …, short because a model writes it.
    JobId
);
id!(
    /// Names a hunk within its session: the number of the event that made it, a dot, and a count.
    HunkId
);
