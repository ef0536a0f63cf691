//! The Agent Host Protocol, which VS Code speaks to agents: JSON-RPC 2.0 over any [`Transport`], for several clients that share one state.
//!
//! [`AhpHost`] owns that state: one for all clients of an engine, since actions have one order and one count for all of them, and a client
//! that reconnects resumes reading. Each client has a connection, which passes messages on. The translator turns
//! session events into actions; the engine decides client requests, and the events that follow report the decision to all clients.
//!
//! Invariants: an action is applied to the state before it is sent, by the protocol's own reducers; the host waits for no client, and one
//! that does not keep up is disconnected; a session without messages leaves nothing behind.

mod calls;
mod config;
mod connection;
mod contents;
mod customizations;
mod dispatch;
mod files;
mod host;
mod input;
mod loading;
mod outlet;
mod quirks;
mod requests;
mod review;
mod ring;
mod session;
mod state;
mod terminals;
mod translator;
mod wire;

pub use host::{AhpHost, HostHandle};

use crate::client::{Client, Scope};
use crate::connection::{Ended, Inputs, serve as serve_connection};
use connection::Connection;
use pintle_agent::EngineHandle;
use pintle_base::transport::Transport;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Connection options.
#[derive(Debug, Clone)]
pub struct Options {
    /// The default working directory for sessions.
    pub cwd: PathBuf,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
}

/// Serves one client to its end, then closes the engine's sessions in order.
pub async fn serve(transport: Transport, engine: EngineHandle, options: Options) -> Ended {
    let (host, handle) = AhpHost::new(engine.clone(), options.cwd);
    let served = serve_client(transport, engine, handle, options.stop, Scope::Alone);
    tokio::select! {
        ended = served => ended,
        () = host.run() => Ended::HungUp,
    }
}

/// Serves one of a host's clients.
pub async fn serve_client(
    transport: Transport,
    engine: EngineHandle,
    host: HostHandle,
    stop: CancellationToken,
    scope: Scope,
) -> Ended {
    let Transport { incoming, outgoing, hangup } = transport;
    // Events go to the host: this connection has none.
    let (_client, events, _) = Client::new(engine.clone(), scope);
    let mut connection = Connection::join(host, outgoing, hangup.clone(), scope).await;
    let inputs = Inputs { incoming, events, hangup, stop, scope };
    serve_connection(&mut connection, inputs, &engine).await
}
