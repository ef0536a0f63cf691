//! Stdio as a link: a thread that reads, a thread that writes, a thread that watches for the hang-up.
//!
//! Threads, because stdin and stdout may be pipes, sockets, files or terminals, and only blocking calls treat
//! them all alike. They hold no state that anyone waits for; the process ends without joining them.
//!
//! Invariant: nothing else writes to the client. [`streams::take_stdout`] sets stdout aside before anything
//! runs, so that a stray print, ours or a child's, lands on stderr.
//!
//! Why threads: stdin and stdout may be pipes, sockets, files or terminals, and blocking calls treat them all alike.

use super::codec::{Decoder, Framing};
use super::{Frame, INCOMING_CAPACITY, Incoming, MAX_MESSAGE_BYTES, Outgoing, Transport};
use pintle_os::streams;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The number of bytes read at once, and gathered into one write.
const CHUNK_BYTES: usize = 64 * 1024;

/// Opens a link over a reader and a writer.
///
/// # Errors
/// A thread could not be started.
pub fn open(stdin: File, stdout: File, framing: Option<Framing>) -> io::Result<Transport> {
    let known_framing = Arc::new(OnceLock::new());
    if let Some(framing) = framing {
        let _ = known_framing.set(framing);
    }
    let incoming = open_reader(stdin, Vec::new(), Arc::clone(&known_framing))?;
    let (outgoing, hangup) = open_writer(stdout, known_framing)?;
    Ok(Transport { incoming, outgoing, hangup })
}

/// Starts the reader thread when the first bytes have already been read.
pub(super) fn open_reader(
    stdin: impl Read + Send + 'static,
    begun: Vec<u8>,
    known_framing: Arc<OnceLock<Framing>>,
) -> io::Result<mpsc::Receiver<Incoming>> {
    let (incoming_tx, incoming) = mpsc::channel(INCOMING_CAPACITY);
    spawn("stdin", move || read(begun, stdin, &incoming_tx, &known_framing))?;
    Ok(incoming)
}

/// Opens only the way out: each message becomes a line.
///
/// # Errors
/// A thread could not be started.
pub fn open_lines(stdout: File) -> io::Result<(Outgoing, CancellationToken)> {
    open_writer(stdout, Arc::new(OnceLock::from(Framing::Ndjson)))
}

fn open_writer(
    stdout: File,
    known_framing: Arc<OnceLock<Framing>>,
) -> io::Result<(Outgoing, CancellationToken)> {
    let (outgoing, frames) = Outgoing::channel();
    let hangup = CancellationToken::new();
    let watched = stdout.try_clone()?;
    spawn("stdout", {
        let hangup = hangup.clone();
        move || {
            if let Err(error) = write(stdout, frames, &known_framing) {
                tracing::info!("stdout: {error}");
            }
            hangup.cancel();
        }
    })?;
    watch(watched, hangup.clone())?;
    Ok((outgoing, hangup))
}

/// Starts the thread that watches for the hang-up.
pub(super) fn watch(stdout: File, hangup: CancellationToken) -> io::Result<()> {
    spawn("hangup", move || {
        if streams::wait_for_hangup(&stdout) {
            hangup.cancel();
        }
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // 128 KiB is plenty for loops over a buffer on the heap, and three default stacks are not small.
    std::thread::Builder::new().name(name.to_owned()).stack_size(128 * 1024).spawn(work)?;
    Ok(())
}

fn read(
    begun: Vec<u8>,
    mut stdin: impl Read,
    incoming: &mpsc::Sender<Incoming>,
    framing: &OnceLock<Framing>,
) {
    let mut decoder = Decoder::new(framing.get().copied(), MAX_MESSAGE_BYTES);
    let mut chunk = begun;
    let mut count = chunk.len();
    loop {
        decoder.push(chunk.get(..count).unwrap_or_default());
        while let Some(message) = decoder.next_message() {
            if let Some(known) = decoder.framing() {
                let _ = framing.set(known);
            }
            if incoming.blocking_send(message).is_err() {
                return;
            }
        }
        chunk.resize(CHUNK_BYTES, 0);
        count = match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => {
                tracing::warn!("stdin: {error}");
                break;
            }
        };
    }
    if let Some(message) = decoder.finish() {
        let _ = incoming.blocking_send(message);
    }
}

fn write(
    mut stdout: File,
    mut frames: mpsc::Receiver<Frame>,
    framing: &OnceLock<Framing>,
) -> io::Result<()> {
    let mut batch = Batch::default();
    while let Some(first) = frames.blocking_recv() {
        batch.fill(first, &mut frames, framing.get().copied());
        write_all(&mut stdout, &batch.bytes)?;
        batch.written();
    }
    Ok(())
}

/// Messages that are written at once.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    /// They release their room only once they are written.
    frames: Vec<Frame>,
}

impl Batch {
    /// Takes this message, and what else waits.
    pub(super) fn fill(
        &mut self,
        first: Frame,
        waiting: &mut mpsc::Receiver<Frame>,
        framing: Option<Framing>,
    ) {
        let framing = framing.unwrap_or(Framing::Ndjson);
        let mut next = Some(first);
        while let Some(frame) = next {
            framing.encode(&frame.message, &mut self.bytes);
            self.frames.push(frame);
            let has_room = self.bytes.len() < CHUNK_BYTES;
            next = if has_room { waiting.try_recv().ok() } else { None };
        }
    }

    pub(super) fn written(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(CHUNK_BYTES);
        self.frames.clear();
    }
}

/// Like `Write::write_all`, but also correct if the other side made our end non-blocking, as Node does.
fn write_all(stdout: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stdout.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                streams::wait_until_writable(stdout)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
