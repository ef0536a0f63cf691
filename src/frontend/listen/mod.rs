//! Several clients over one engine: each connection to a socket gets a frontend of its own.
//!
//! A connection leaves its sessions when it ends, and what runs in them goes on. Invariant: nobody is served who has not shown the
//! engine's token, since a command of a model may reach the socket, but not the file that holds the token.

mod greeting;

pub use greeting::{Greeting, Speaks};

use super::{Ended, Scope, acp, native};
use crate::agent::EngineHandle;
use crate::transport::{Link, stdio};
use greeting::{Greeted, greeted};
use std::fs::File;
use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The time in which a client must show the token.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that an engine waits for its first client at least.
const FIRST_CLIENT_TIMEOUT: Duration = Duration::from_secs(30);

/// The options of a listening engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The token that clients show.
    pub token: String,
    /// The time without clients and open sessions after which the engine ends; `None` for never.
    pub linger: Option<Duration>,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
}

/// Serves every client that connects, until the engine is stopped, or nobody has needed it for a while.
pub async fn serve(listener: UnixListener, engine: EngineHandle, options: Options) -> Ended {
    let mut connections = JoinSet::new();
    let leaving = CancellationToken::new();
    let mut linger = options.linger.map(|linger| linger.max(FIRST_CLIENT_TIMEOUT));
    let ended = loop {
        let unused = until_unused(&engine, connections.is_empty(), linger);
        tokio::select! {
            biased;
            () = options.stop.cancelled() => break Ended::Stopped,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    linger = options.linger;
                    let (engine, token) = (engine.clone(), options.token.clone());
                    connections.spawn(serve_one(stream, engine, token, leaving.clone()));
                }
                Err(error) => {
                    // Out of descriptors, perhaps: others may end.
                    tracing::warn!("a client could not be accepted: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            () = unused => break Ended::EndOfInput,
        }
    };
    drop(listener);
    // Clients that are there see how their sessions end.
    engine.shutdown().await;
    leaving.cancel();
    while connections.join_next().await.is_some() {}
    ended
}

/// Waits until there is neither a client nor an open session, and then for as long as an engine lingers.
async fn until_unused(engine: &EngineHandle, has_no_clients: bool, linger: Option<Duration>) {
    match linger {
        Some(linger) if has_no_clients => {
            engine.when_empty().await;
            tokio::time::sleep(linger).await;
        }
        Some(_) | None => std::future::pending().await,
    }
}

/// Serves one client to its end.
async fn serve_one(
    stream: UnixStream,
    engine: EngineHandle,
    token: String,
    stop: CancellationToken,
) {
    let greeted = tokio::time::timeout(GREETING_TIMEOUT, greeted(&stream, &token)).await;
    let Greeted { greeting, rest } = match greeted {
        Ok(Ok(greeted)) => greeted,
        Ok(Err(error)) => {
            tracing::info!("a client was refused: {error}");
            greeting::refuse(&stream, &error).await;
            return;
        }
        Err(_) => return tracing::info!("a client said nothing, and was let go"),
    };
    let (link, socket) = match open(stream, rest) {
        Ok(opened) => opened,
        Err(error) => return tracing::warn!("a client could not be served: {error}"),
    };
    let (cwd, scope) = (greeting.cwd, Scope::Shared);
    match greeting.speaks {
        Speaks::Native => native::serve(link, engine, native::Options { cwd, stop, scope }).await,
        Speaks::Acp { client_terminals } => {
            acp::serve(link, engine, acp::Options { cwd, stop, client_terminals, scope }).await
        }
    };
    // The reader's thread waits for this.
    let _ = socket.shutdown(Shutdown::Both);
}

/// Opens a link over a socket, from which `rest` was read. The second value closes it.
fn open(stream: UnixStream, rest: Vec<u8>) -> io::Result<(Link, std::os::unix::net::UnixStream)> {
    let stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    let (input, output) = (stream.try_clone()?, stream.try_clone()?);
    let [input, output] = [input, output].map(|end| File::from(OwnedFd::from(end)));
    Ok((stdio::open_begun(input, output, None, rest)?, stream))
}
