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
    /// The id of a session: a UUIDv7, so ids sort by creation time.
    SessionId
);
id!(
    /// The id of a turn, unique over all sessions.
    TurnId
);
id!(
    /// The id of an item: a message, a tool call or another thing that a client can draw.
    ItemId
);
id!(
    /// The id of an approval, pending until it is answered or cancelled.
    ApprovalId
);
id!(
    /// The id of a question to a person, pending until it is answered or its deadline passes.
    QuestionId
);
id!(
    /// The id of a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it.
    AgentId
);
id!(
    /// The id of a background job within its session: `job-1`, `job-2` …, short because a model writes it.
    JobId
);
id!(
    /// The id of a hunk within its session: the number of the event that made it, a dot, and a count.
    HunkId
);
