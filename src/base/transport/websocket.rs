//! Links over WebSockets, one text frame per message.
//!
//! The caller polls one future alongside the frontend; it reads and writes in turn, and neither waits for the other. The library handles
//! fragments, masks, pings and closing handshakes. A frame that cannot be a message closes the connection with a code and a reason.

use super::{Frame, INCOMING_CAPACITY, Incoming, MAX_MESSAGE_BYTES, Outgoing, Transport};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes, error::ProtocolError};
use tokio_util::sync::CancellationToken;

/// The number of bytes gathered into one write.
const CHUNK_BYTES: usize = 64 * 1024;

/// The time in which a client can read the last frames and close its side.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The read buffer's size. Large messages grow it temporarily.
const READ_BUFFER_BYTES: usize = 16 * 1024;

/// Opens a link over a stream after its handshake. `begun` holds the bytes already read. The future serves the link until it ends; `stop`
/// reports whether the engine ends or only this connection.
pub async fn open<S>(
    stream: S,
    begun: Vec<u8>,
    stop: CancellationToken,
) -> (Transport, impl Future<Output = ()> + Send)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(CHUNK_BYTES)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let socket =
        WebSocketStream::from_partially_read(stream, begun, Role::Server, Some(config)).await;
    let (incoming_tx, incoming) = mpsc::channel(INCOMING_CAPACITY);
    let (outgoing, frames) = Outgoing::channel();
    let hangup = CancellationToken::new();
    let transport = Transport { incoming, outgoing, hangup: hangup.clone() };
    let served = async move {
        let (mut sink, mut stream) = socket.split();
        let farewell = tokio::select! {
            farewell = read(&mut stream, incoming_tx) => farewell,
            () = write(&mut sink, frames) => Some(end_of(&stop)),
        };
        hangup.cancel();
        let Ok(socket) = sink.reunite(stream) else { return };
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, close(socket, farewell)).await;
    };
    (transport, served)
}

fn end_of(stop: &CancellationToken) -> CloseFrame {
    if stop.is_cancelled() {
        goodbye(CloseCode::Away, "the engine ends")
    } else {
        goodbye(CloseCode::Normal, "")
    }
}

fn goodbye(code: CloseCode, reason: impl Into<Utf8Bytes>) -> CloseFrame {
    CloseFrame { code, reason: reason.into() }
}

/// Forwards a client's messages until the client is gone. Returns the close frame if the client must be disconnected.
async fn read<S>(
    stream: &mut SplitStream<WebSocketStream<S>>,
    incoming: mpsc::Sender<Incoming>,
) -> Option<CloseFrame>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match stream.next().await? {
            Ok(Message::Text(text)) => {
                let message = Incoming::Message(text.as_bytes().to_vec());
                if incoming.send(message).await.is_err() {
                    // The frontend has ended; the writer closes the connection.
                    std::future::pending::<()>().await;
                }
            }
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Ok(Message::Binary(_)) => {
                return Some(goodbye(CloseCode::Unsupported, "send each message as a text frame"));
            }
            Ok(Message::Close(_) | Message::Frame(_)) => return None,
            Err(error) => return refusal(&error),
        }
    }
}

/// Returns the close frame for unreadable frames, or `None` if the client can no longer receive it.
fn refusal(error: &Error) -> Option<CloseFrame> {
    Some(match error {
        Error::Capacity(_) => {
            goodbye(CloseCode::Size, format!("the message exceeds {MAX_MESSAGE_BYTES} bytes"))
        }
        Error::Utf8(_) => goodbye(CloseCode::Invalid, "the message is not valid UTF-8"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => return None,
        Error::Protocol(problem) => goodbye(CloseCode::Protocol, problem.to_string()),
        _ => return None,
    })
}

/// Writes messages until the frontend has ended.
async fn write<S>(
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
    mut frames: mpsc::Receiver<Frame>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // A batch's frames release their permits only once they are written.
    let mut batch = Vec::new();
    while let Some(first) = frames.recv().await {
        let mut bytes = 0;
        let mut next = Some(first);
        while let Some(frame) = next {
            bytes += frame.message.len();
            // Every message is made by serde_json, and so is UTF-8.
            if let Ok(text) = Utf8Bytes::try_from(frame.message.clone())
                && sink.feed(Message::Text(text)).await.is_err()
            {
                // Nobody is there; the reader sees it too, and knows more.
                return std::future::pending().await;
            }
            batch.push(frame);
            next = if bytes < CHUNK_BYTES { frames.try_recv().ok() } else { None };
        }
        if sink.flush().await.is_err() {
            return std::future::pending().await;
        }
        batch.clear();
    }
}

/// Closes a connection in order, and reads what still comes: a socket that is closed with bytes unread takes the last words with it.
async fn close<S>(mut socket: WebSocketStream<S>, farewell: Option<CloseFrame>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let _ = socket.close(farewell).await;
    while let Some(Ok(_)) = socket.next().await {}
    let stream = socket.get_mut();
    let _ = stream.shutdown().await;
    let mut scrap = vec![0; CHUNK_BYTES];
    while let Ok(1..) = stream.read(&mut scrap).await {}
}
