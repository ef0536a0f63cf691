//! `attach`: stdin and stdout of this process become a client of the shared engine, which is started if none listens.

#![expect(
    clippy::disallowed_methods,
    reason = "starts the engine, which is no command of a model, and reads its log"
)]

use crate::cli::shared::{self, Address};
use anyhow::Context;
use pintle_base::ambient::Ambient;
use pintle_frontend::listen::{Greeting, Speaks};
use pintle_os::process;
use pintle_os::socket::Client;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long an unused engine stays after a client started it, in seconds.
const IDLE_EXIT_S: &str = "30";

/// The number of bytes that are passed on at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// How much of the log is quoted if the engine does not start, in bytes.
const MAX_LOG_BYTES: u64 = 4096;

/// The exit code if the engine ended and the client did not.
pub(crate) const ENGINE_GONE: u8 = 1;

/// Connects to a data directory's engine as a client, for which the engine trusts these projects.
///
/// # Errors
/// Fails if no engine can be reached or started, or if it runs with options other than these.
pub(crate) fn open(
    data: &Path,
    options: &[String],
    speaks: Speaks,
    trust: Vec<PathBuf>,
    ambient: &Ambient,
) -> anyhow::Result<Client> {
    let (socket, address) = connect(data, options)?;
    let cwd = ambient.start_dir()?;
    let greeting = Greeting { token: address.token, speaks, cwd, trust };
    (&socket).write_all(&greeting.line()).context("lost the connection to the engine")?;
    Ok(socket)
}

/// Connects to the engine that listens, or starts one.
fn connect(data: &Path, options: &[String]) -> anyhow::Result<(Client, Address)> {
    // Two clients that begin at once start one engine.
    let _starting = shared::start_lock(data)?;
    if let Some(found) = reach(data) {
        let (_, address) = &found;
        if !options.is_empty() && address.options != options {
            anyhow::bail!(
                "the shared engine runs with other options: {}\n  omit the options, or stop that engine first: kill {}",
                join_options(&address.options),
                address.pid
            );
        }
        return Ok(found);
    }
    start(data, options)?;
    reach(data).context("cannot connect to the started engine")
}

fn join_options(options: &[String]) -> String {
    if options.is_empty() { "none".to_owned() } else { options.join(" ") }
}

fn reach(data: &Path) -> Option<(Client, Address)> {
    let address = Address::read(data)?;
    let socket = Client::connect(&address.socket).ok()?;
    // The token is not sent to another user's process.
    socket.is_own().then_some((socket, address))
}

/// Starts an engine that outlives this process, and waits until it listens.
fn start(data: &Path, options: &[String]) -> anyhow::Result<()> {
    let (log, log_path) = shared::log(data)?;
    let program = std::env::current_exe().context("cannot locate this program")?;
    let mut command = Command::new(program);
    command.args(["serve", "--listen", "--idle-exit", IDLE_EXIT_S]).args(options);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    // A terminal's Ctrl-C is for this client alone.
    process::ignore_interrupts(&mut command);
    let mut engine = command.spawn().context("cannot start the engine")?;
    let mut ready = String::new();
    if let Some(stdout) = engine.stdout.take() {
        BufReader::new(stdout).read_line(&mut ready)?;
    }
    if ready.is_empty() {
        let mut said = String::new();
        if let Ok(file) = File::open(&log_path) {
            let _ = file.take(MAX_LOG_BYTES).read_to_string(&mut said);
        }
        anyhow::bail!("the engine did not start:\n{}", said.trim_end());
    }
    Ok(())
}

/// Passes bytes on in both directions until the engine closes the connection.
///
/// # Errors
/// Fails if no thread can be started.
pub(crate) fn pass_on(mut socket: &Client) -> anyhow::Result<u8> {
    let is_over = Arc::new(AtomicBool::new(false));
    let to_engine = socket.try_clone()?;
    let input = std::thread::Builder::new().name("input".to_owned());
    input.spawn({
        let is_over = Arc::clone(&is_over);
        move || {
            let mut stdin = std::io::stdin().lock();
            let mut chunk = vec![0; CHUNK_BYTES];
            loop {
                let count = match stdin.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                let bytes = chunk.get(..count).unwrap_or_default();
                if asks_to_exit(bytes) {
                    is_over.store(true, Ordering::Release);
                }
                if (&to_engine).write_all(bytes).is_err() {
                    return;
                }
            }
            is_over.store(true, Ordering::Release);
            // Running work finishes, and its end is reported.
            let _ = to_engine.end_input();
        }
    })?;
    let mut stdout = std::io::stdout().lock();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match socket.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // The client is gone: the engine detects it when the connection ends.
        if stdout.write_all(chunk.get(..count).unwrap_or_default()).is_err()
            || stdout.flush().is_err()
        {
            return Ok(0);
        }
    }
    Ok(if is_over.load(Ordering::Acquire) { 0 } else { ENGINE_GONE })
}

/// Returns true if the client announces its end to the engine.
fn asks_to_exit(bytes: &[u8]) -> bool {
    const EXIT: &[u8] = b"\"exit\"";
    bytes.windows(EXIT.len()).any(|window| window == EXIT)
}
