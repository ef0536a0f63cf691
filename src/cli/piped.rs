//! Stdin as an attachment of `pintle run`.
//!
//! Invariant: an open pipe that stays silent delays a task by the times of [`PATIENCE`] and never blocks it for good, unless the command
//! line asks for stdin by name (`-`).

use anyhow::{Context, ensure};
use pintle_os::errors;
use std::io::{self, IsTerminal};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// The waiting times for a program that a user started.
const PATIENCE: Patience =
    Patience { first_byte: Duration::from_secs(2), idle: Duration::from_secs(30) };

/// The largest input, in bytes: that of any other file which a session keeps.
pub(crate) const MAX_BYTES: usize = 64 * 1024 * 1024;

/// How the command line uses stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The input is the task: `pintle run -`.
    Task,
    /// The input is attached by name: `--file -`.
    Attached,
    /// The input is not named, and attached if any arrives.
    Offered,
}

/// The waits for a stdin that the command line does not name.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// The time for the first byte.
    first_byte: Duration,
    /// The time between two bytes, after which the input counts as complete.
    idle: Duration,
}

/// The bytes of stdin, and a remark for the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Piped {
    /// `None` if there is nothing to attach.
    pub(crate) bytes: Option<Vec<u8>>,
    /// A remark that input is missing or incomplete.
    pub(crate) remark: Option<String>,
}

/// Reads stdin. Cancel-safe only in that the bytes read so far are dropped.
///
/// # Errors
/// Stdin is a terminal although it is named, cannot be read, or is too large.
pub(crate) async fn read(wanted: Use) -> anyhow::Result<Piped> {
    if io::stdin().is_terminal() {
        return match wanted {
            Use::Offered => Ok(Piped::default()),
            Use::Attached => {
                anyhow::bail!("--file -: stdin is a terminal; pipe data into it")
            }
            Use::Task => anyhow::bail!(
                "no task: stdin is a terminal; pipe the task into it, or pass it as an argument"
            ),
        };
    }
    read_from(tokio::io::stdin(), wanted, PATIENCE).await
}

async fn read_from(
    mut input: impl AsyncRead + Unpin,
    wanted: Use,
    patience: Patience,
) -> anyhow::Result<Piped> {
    let mut piped = Piped::default();
    let mut bytes = Vec::new();
    loop {
        // One byte more than is allowed, to notice that there are more.
        let room = (MAX_BYTES + 1 - bytes.len()) as u64;
        let mut limited = (&mut input).take(room);
        let wait = match wanted {
            Use::Task | Use::Attached => Duration::MAX,
            Use::Offered if bytes.is_empty() => patience.first_byte,
            Use::Offered => patience.idle,
        };
        let read = timeout(wait, limited.read_buf(&mut bytes)).await;
        match read {
            Ok(Ok(0)) => break,
            Ok(Ok(_)) => {}
            // A closed stdin is an empty one.
            Ok(Err(error)) if errors::is_closed(&error) => break,
            Ok(Err(error)) => return Err(error).context("failed to read stdin"),
            Err(_) if bytes.is_empty() => {
                piped.remark = Some(format!(
                    "no input on stdin for {} s; continuing without it (use `< /dev/null` to avoid the wait)",
                    wait.as_secs()
                ));
                break;
            }
            Err(_) => {
                piped.remark = Some(format!(
                    "no more input on stdin for {} s, although it is still open; continuing with the {} bytes read so far",
                    wait.as_secs(),
                    bytes.len()
                ));
                break;
            }
        }
        ensure!(
            bytes.len() <= MAX_BYTES,
            "stdin exceeds {} MB; save it to a file and mention the file in the task",
            MAX_BYTES / 1024 / 1024
        );
    }
    piped.bytes = match wanted {
        Use::Task | Use::Attached => Some(bytes),
        Use::Offered => Some(bytes).filter(|bytes| !bytes.is_empty()),
    };
    Ok(piped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(1);

    #[tokio::test]
    async fn a_pipe_is_read_to_its_end_and_a_silent_one_is_left() {
        let some = |text: &str| Some(text.as_bytes().to_vec());
        let (none, first_byte) = ((LONG, LONG), (SHORT, LONG));
        for (name, wanted, sent, is_closed, (first_byte, idle), bytes, remark) in [
            ("nothing", Use::Offered, "", true, none, None, None),
            ("text", Use::Offered, "log\n", true, none, some("log\n"), None),
            ("silent", Use::Offered, "", false, first_byte, None, Some("continuing without it")),
            (
                "stalled",
                Use::Offered,
                "log",
                false,
                (LONG, SHORT),
                some("log"),
                Some("the 3 bytes read so far"),
            ),
            ("named, nothing", Use::Attached, "", true, none, some(""), None),
            ("named, text", Use::Attached, "log", true, none, some("log"), None),
            ("task", Use::Task, "do it", true, none, some("do it"), None),
        ] {
            let (mut writer, reader) = tokio::io::duplex(64);
            writer.write_all(sent.as_bytes()).await.unwrap();
            if is_closed {
                writer.shutdown().await.unwrap();
            }
            let piped = read_from(reader, wanted, Patience { first_byte, idle }).await.unwrap();
            assert_eq!(piped.bytes, bytes, "{name}");
            match remark {
                None => assert_eq!(piped.remark, None, "{name}"),
                Some(words) => assert!(piped.remark.unwrap().contains(words), "{name}"),
            }
        }
    }

    #[tokio::test]
    async fn an_endless_pipe_is_refused() {
        let patience = Patience { first_byte: LONG, idle: LONG };
        for wanted in [Use::Task, Use::Attached, Use::Offered] {
            let error = read_from(tokio::io::repeat(b'x'), wanted, patience).await.unwrap_err();
            assert!(error.to_string().contains("exceeds 64 MB"), "{error}");
        }
    }
}
