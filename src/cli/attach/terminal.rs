//! `attach SESSION`: a session in this terminal, for a user, or for lines that a program writes.

use super::ENGINE_GONE;
use super::view::{Out, View};
use anyhow::Context;
use pintle_base::text::screen;
use pintle_os::signals::Interrupts;
use pintle_os::socket::Client;
use pintle_protocol::ids::SessionId;
use serde_json::Value;
use std::io::{self, BufRead, IsTerminal, Write};
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

/// Capacity for lines that were typed and not yet taken: a user types one, a pipe waits.
const LINES: usize = 16;

/// Shows a session until the user leaves, the input ends, or the engine goes away.
///
/// # Errors
/// Fails if the engine goes away while a message is being sent.
pub(crate) async fn run(socket: Client, session: SessionId) -> anyhow::Result<u8> {
    let (read, mut write) = socket.into_split()?;
    let mut messages = BufReader::new(read);
    let mut interrupts = Interrupts::new()?;
    let client = format!("terminal-{}", std::process::id());
    let (mut view, first) = View::new(session, client, io::stdin().is_terminal());
    let mut lines = lines()?;
    let mut has_lines = true;
    let mut message = Vec::new();
    let mut out = first;
    loop {
        for out in out {
            match out {
                Out::Print(text) => {
                    let mut stdout = screen::out();
                    // The output's reader is gone.
                    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
                        return Ok(0);
                    }
                }
                Out::Send(message) => send(&mut write, &message).await?,
                Out::Leave(code) => return Ok(code),
            }
        }
        out = tokio::select! {
            read = messages.read_until(b'\n', &mut message) => {
                if read.unwrap_or_default() == 0 {
                    writeln!(screen::err(), "pintle: the engine exited; attach again to continue")?;
                    return Ok(ENGINE_GONE);
                }
                let taken = serde_json::from_slice::<Value>(&message);
                message.clear();
                taken.map(|message| view.message(&message)).unwrap_or_default()
            }
            line = lines.recv(), if has_lines => {
                has_lines = line.is_some();
                if let Some(line) = line { view.typed(&line) } else { view.ended() }
            }
            () = interrupts.next() => view.interrupted(),
        };
    }
}

async fn send(write: &mut (impl AsyncWrite + Unpin), message: &Value) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    write.write_all(&line).await.context("lost the connection to the engine")
}

/// Reads stdin on a separate thread, since reading a terminal blocks.
fn lines() -> io::Result<mpsc::Receiver<String>> {
    let (tx, lines) = mpsc::channel(LINES);
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if tx.blocking_send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}
