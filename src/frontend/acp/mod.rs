//! The Agent Client Protocol, version 1: JSON-RPC 2.0, a message a line, driven over any [`Transport`].
//!
//! A thin translator between this protocol's messages and the agent's commands and events.
//!
//! Invariants: requests begin in the order in which they came; all updates of a turn precede the response to its prompt.

mod calls;
mod content;
mod dispatch;
mod driver;
mod editor;
mod events;
mod files;
mod handlers;
mod notices;
mod questions;
mod replay;
mod responses;
mod session;
mod sessions;
mod settings;
mod start;
mod terminals;
mod tool;
mod translator;
mod wire;

use crate::client::{Client, Scope};
use crate::connection::{Ended, Inputs, serve as serve_connection};
use driver::Driver;
use handlers::RequestContext;
use pintle_agent::EngineHandle;
use pintle_base::transport::Transport;
use std::path::PathBuf;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use translator::Offers;

/// The name of this agent's only login method.
const KEYS: &str = "pintle-keys";

/// Capacity of the channel of replayed pages: the next page is read while one is sent.
const PAGES_CAPACITY: usize = 1;

/// Connection options.
#[derive(Debug, Clone)]
pub struct Options {
    /// The default working directory for sessions.
    pub cwd: PathBuf,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
    /// Runs commands in the client's terminals, if it offers them.
    pub client_terminals: bool,
    /// Which sessions the connection's end affects.
    pub scope: Scope,
}

/// Serves one connection to its end, then closes the engine's sessions in order, or leaves them.
pub async fn serve(transport: Transport, engine: EngineHandle, options: Options) -> Ended {
    let Transport { incoming, outgoing, hangup } = transport;
    let (client, events, subagents) = Client::new(engine.clone(), options.scope);
    let (pages_tx, pages) = mpsc::channel(PAGES_CAPACITY);
    let ctx = RequestContext { client, pages: pages_tx, offers: Offers::default() };
    let mut driver = Driver::new(ctx, outgoing, subagents, pages, &options);
    let Options { stop, scope, .. } = options;
    let inputs = Inputs { incoming, events, hangup, stop, scope };
    serve_connection(&mut driver, inputs, &engine).await
}
