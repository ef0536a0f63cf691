//! A link in memory: a client in the same process talks to a frontend as over a pipe.

use super::{Frame, INCOMING_CAPACITY, Incoming, Outgoing, Transport};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The client's end.
#[derive(Debug)]
pub struct Client {
    /// Messages for the frontend; drop it to end the input.
    pub to_engine: mpsc::Sender<Incoming>,
    /// Messages from the frontend.
    pub from_engine: mpsc::Receiver<Frame>,
}

/// A link and the client's end of it.
pub fn pair() -> (Transport, Client) {
    let (to_engine, incoming) = mpsc::channel(INCOMING_CAPACITY);
    let (outgoing, from_engine) = Outgoing::channel();
    (
        Transport { incoming, outgoing, hangup: CancellationToken::new() },
        Client { to_engine, from_engine },
    )
}
