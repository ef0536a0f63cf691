//! Model Context Protocol servers, whose tools, resources and prompts a session uses.
//!
//! A [`Definition`] describes how a server is reached. A [`Server`] starts it at its first use, tracks its state, and reconnects after a
//! failure, not sooner than its back-off allows. A [`Pool`] lets sessions that mean the same server share one. [`McpClient`] is a connection,
//! and only `sdk` behind it uses the SDK. [`ServerLogins`] keeps the logins of servers that require one.
//!
//! A server is not trusted: it may be slow, dead, wrong or hostile. Everything it sends is limited in size and time, its tools have names
//! that shadow no other, and its annotations about them only decide if calls may run concurrently. Invariant: no call here waits longer
//! than the definition's timeouts, and a connection that is dropped leaves no process.

mod client;
mod convert;
mod definition;
mod expand;
mod form;
mod generic;
mod login;
mod names;
mod schema;
mod sdk;
mod selection;
mod server;
mod session;
mod tool;

pub use client::{
    Answer, CallRequest, Elicitation, McpClient, McpClientError, Outcome, PromptShape,
    ResourceShape, ResourceText, ToolShape,
};
pub use definition::{
    Definition, OAuthClient, Origin, Problem, Table, Transport, parse, parse_named,
};
pub use expand::expand;
pub use login::{
    Agreement, FILE_NAME as LOGINS_FILE_NAME, LoginPage, LoginTarget, Nobody, ServerLogins,
};
pub use names::public_name;
pub use selection::Relevance;
pub use server::{LaunchContext, Pool, Server, State, Status, Values};
pub use session::{AllowedTools, Looked, SessionServers, SharedServers, Sources, found};
pub use tool::{Call, ServerTool, marked, report};
