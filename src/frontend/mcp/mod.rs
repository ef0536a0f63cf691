//! The Model Context Protocol: the engine as a tool of other agents.
//!
//! A client starts tasks, follows them, answers their questions, steers and stops them, and gets their results and patches. The SDK
//! negotiates the protocol version and orders requests; it reads and writes over a [`Transport`] as every other frontend does. A task is a turn
//! of a session. Invariants: an approval that the user is not asked for is denied; a cancelled call stops the turn that it started; when
//! the connection ends, so do its tasks.

mod forms;
mod pipe;
mod server;
mod tasks;
mod tools;

use crate::connection::Ended;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_agent::EngineHandle;
use pintle_base::transport::{Outgoing, Transport};
use pipe::Pipe;
use rmcp::ServiceExt;
use server::Server;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Capacity of the channel of new tasks. The connection takes them at once.
const BEGUN_CAPACITY: usize = 8;

/// The time for the last messages to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Connection options.
#[derive(Debug, Clone)]
pub struct Options {
    /// The default working directory for tasks.
    pub cwd: PathBuf,
    /// Cancel it to interrupt what runs and close in order.
    pub stop: CancellationToken,
}

/// Serves one connection to its end, then closes the engine's sessions in order.
pub async fn serve(transport: Transport, engine: EngineHandle, options: Options) -> Ended {
    let Transport { incoming, outgoing, hangup } = transport;
    let (begun, tasks) = mpsc::channel(BEGUN_CAPACITY);
    let server = Server::new(engine.clone(), options.cwd, begun);
    // The SDK waits for the calls that run when the input ends; they are to end then.
    let end_of_input = CancellationToken::new();
    let pipe = Pipe::new(incoming, outgoing.clone(), end_of_input.clone());
    let serving = async {
        // A client that disconnects before identifying itself has asked for nothing.
        if let Ok(running) = server.serve(pipe).await {
            let _ = running.waiting().await;
        }
    };
    let ended = tokio::select! {
        biased;
        () = hangup.cancelled() => Ended::HungUp,
        () = options.stop.cancelled() => Ended::Stopped,
        () = end_of_input.cancelled() => Ended::EndOfInput,
        () = serving => Ended::EndOfInput,
        () = follow(tasks) => Ended::EndOfInput,
    };
    engine.shutdown().await;
    flush(&outgoing, &hangup).await;
    ended
}

/// Follows tasks until the server is gone.
async fn follow(mut begun: mpsc::Receiver<BoxFuture<'static, ()>>) {
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            task = begun.recv() => match task {
                Some(task) => running.push(task),
                None => return,
            },
            Some(()) = running.next(), if !running.is_empty() => {}
        }
    }
}

async fn flush(outgoing: &Outgoing, hangup: &CancellationToken) {
    tokio::select! {
        () = hangup.cancelled() => {}
        _ = tokio::time::timeout(FLUSH_TIMEOUT, outgoing.flushed()) => {}
    }
}
