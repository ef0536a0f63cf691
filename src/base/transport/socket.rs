//! Links over a shared engine's sockets.
//!
//! As with stdio, threads read and watch for hang-up, and cost nothing while a client is silent. Writing is a future that the caller polls
//! alongside the frontend, so an event reaches several clients without a thread switch.

use super::codec::Framing;
use super::stdio::{Batch, open_reader, watch};
use super::{Frame, Outgoing, Transport};
use pintle_os::socket::{Served, Writer};
use std::io;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Opens a link over a socket, from which `begun` was read already. The future writes for as long as it is polled, and never ends. Shut the
/// socket down when the frontend has ended: the threads wait for this.
///
/// # Errors
/// A thread could not be started.
pub fn open(
    stream: &Served,
    begun: Vec<u8>,
) -> io::Result<(Transport, impl Future<Output = ()> + Send + use<>)> {
    let known_framing = Arc::new(OnceLock::new());
    let incoming = open_reader(stream.reader()?, begun, Arc::clone(&known_framing))?;
    let hangup = CancellationToken::new();
    watch(stream.watched()?, hangup.clone())?;
    let (outgoing, frames) = Outgoing::channel();
    let transport = Transport { incoming, outgoing, hangup: hangup.clone() };
    let socket = stream.writer()?;
    let writing = async move {
        if let Err(error) = write(&socket, frames, &known_framing).await {
            tracing::info!("socket: {error}");
        }
        hangup.cancel();
        std::future::pending::<()>().await;
    };
    Ok((transport, writing))
}

/// Writes messages until the frontend has ended.
async fn write(
    socket: &Writer,
    mut frames: mpsc::Receiver<Frame>,
    framing: &OnceLock<Framing>,
) -> io::Result<()> {
    let mut batch = Batch::default();
    while let Some(first) = frames.recv().await {
        batch.fill(first, &mut frames, framing.get().copied());
        socket.write_all(&batch.bytes).await?;
        batch.written();
    }
    Ok(())
}
