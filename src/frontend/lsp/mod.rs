//! The Language Server Protocol, version 3.17: JSON-RPC 2.0 behind Content-Length headers, for editors without an agent protocol.
//!
//! A thin translator. The editor's open documents become those that tools read; commands and code actions become turns of one session in
//! the editor's directory; approvals, edits and open hunks become requests and notifications to the editor.
//!
//! The types are those of `tower-lsp-server`, from its crate `ls-types`. Its runtime is not used: the connection loop that all frontends
//! share already puts responses before the events that they cause, holds events back while the client does not read, and closes sessions in
//! order when the client hangs up, whereas that runtime runs handlers concurrently and would need all this in addition.
//!
//! Invariants: messages about documents take effect in order of arrival; no response waits for a turn; positions are counted in UTF-16, the
//! encoding that every client knows, so none is converted.

mod actions;
mod arguments;
mod commands;
mod dispatch;
mod documents;
mod driver;
mod edits;
mod effects;
mod events;
mod hunks;
mod progress;
mod questions;
mod review;
mod rewind;
mod session;
mod start;
mod views;
mod wire;

pub use crate::connection::Options;

use crate::client::Client;
use crate::connection::{Ended, Inputs, serve as serve_connection};
use driver::Driver;
use pintle_agent::EngineHandle;
use pintle_base::transport::Transport;
use session::Opener;

/// Serves one connection to its end, then closes the engine's sessions in order.
pub async fn serve(transport: Transport, engine: EngineHandle, options: Options) -> Ended {
    let Transport { incoming, outgoing, hangup } = transport;
    let Options { cwd, stop, scope } = options;
    let (client, events, subagents) = Client::new(engine.clone(), scope);
    let opener = Opener { client, name: None, folder: cwd };
    let mut driver = Driver::new(opener, subagents, outgoing);
    let inputs = Inputs { incoming, events, hangup, stop, scope };
    serve_connection(&mut driver, inputs, &engine).await
}
