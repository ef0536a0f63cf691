//! Keys and headers printed by commands: run on first use, cached for their lifetime, and run once more if a server refuses them.
//!
//! A [`Printer`] runs the commands. Invariant: of concurrent requests that need the same command, one runs it and all use its output; an
//! error includes the command and never its output.

use super::endpoint::Endpoint;
use super::error::{Error, ErrorKind};
use super::local;
use super::wire::Wire;
use super::{DeltaStream, Omission, Provider, Request, ServedWindow, connect};
use pintle_base::ambient::Secret;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Runs a command and returns its output.
#[async_trait::async_trait]
pub trait Printer: Send + Sync + fmt::Debug {
    /// Returns the first line of the output that is not blank.
    ///
    /// # Errors
    /// [`ErrorKind::Auth`] when it fails, prints nothing or takes too long.
    async fn print(&self, command: &str) -> Result<Secret, Error>;
}

/// The commands that print keys, each with its cached output.
#[derive(Debug)]
pub struct Commands {
    printer: Arc<dyn Printer>,
    /// Keyed by the command, so reloaded settings find the cached output. Locked for a lookup only.
    known: Mutex<BTreeMap<String, Arc<CommandOutput>>>,
}

impl Commands {
    /// Creates a cache that runs commands with `printer`.
    pub fn new(printer: Arc<dyn Printer>) -> Self {
        Self { printer, known: Mutex::default() }
    }

    /// Returns a command's output.
    pub fn get(&self, command: &str) -> Arc<CommandOutput> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = known.entry(command.to_owned()).or_insert_with(|| {
            Arc::new(CommandOutput {
                command: command.to_owned(),
                printer: Arc::clone(&self.printer),
                runs: AtomicU64::new(0),
                cached: tokio::sync::Mutex::default(),
            })
        });
        Arc::clone(printed)
    }
}

/// The output of one command.
#[derive(Debug)]
pub struct CommandOutput {
    command: String,
    printer: Arc<dyn Printer>,
    /// The number of completed runs.
    runs: AtomicU64,
    /// Locked while the command runs, so concurrent callers wait for its output.
    cached: tokio::sync::Mutex<Option<CachedRun>>,
}

/// Output of the last run.
#[derive(Debug, Clone)]
struct CachedRun {
    run: u64,
    at: Instant,
    printed: Result<Secret, Error>,
}

impl CommandOutput {
    /// Returns the output, of a run that is recent enough.
    ///
    /// # Errors
    /// The command failed.
    pub async fn secret(&self, max_age: Option<Duration>) -> Result<Secret, Error> {
        self.get(max_age, None).await.map(|(secret, _)| secret)
    }

    /// Returns the output and number of a run that is recent enough and is not the `refused` one, running the command if necessary. A run
    /// that ends during this wait counts, whatever its result.
    async fn get(
        &self,
        max_age: Option<Duration>,
        refused: Option<u64>,
    ) -> Result<(Secret, u64), Error> {
        let seen = self.runs.load(Ordering::Relaxed);
        let mut cached = self.cached.lock().await;
        if let Some(CachedRun { run, at, printed }) = &*cached {
            let is_fresh = max_age.is_none_or(|age| at.elapsed() < age);
            let is_good = printed.is_ok() && is_fresh && refused != Some(*run);
            if is_good || *run > seen {
                return printed.clone().map(|secret| (secret, *run));
            }
        }
        let printed = self.printer.print(&self.command).await;
        let run = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        *cached = Some(CachedRun { run, at: Instant::now(), printed: printed.clone() });
        printed.map(|secret| (secret, run))
    }
}

/// A part of an endpoint that is filled in before use.
#[derive(Debug, Clone)]
pub enum Slot {
    /// The key.
    Key,
    /// A header of this name.
    Header(String),
}

/// A provider whose key or headers commands print.
#[derive(Debug)]
pub struct Commanded {
    endpoint: Endpoint,
    wire: Arc<dyn Wire>,
    slots: Vec<(Slot, Arc<CommandOutput>)>,
    max_age: Option<Duration>,
    /// The provider connected with the latest output, and the number of each run.
    connected: Mutex<Option<Connected>>,
}

/// A provider connected with the output of certain runs.
#[derive(Debug, Clone)]
struct Connected {
    runs: Vec<u64>,
    headers: Vec<(String, Secret)>,
    provider: Arc<dyn Provider>,
}

impl Commanded {
    /// Creates a provider whose endpoint has these slots for command output, and which accepts output up to this age.
    pub fn new(
        endpoint: Endpoint,
        wire: Arc<dyn Wire>,
        slots: Vec<(Slot, Arc<CommandOutput>)>,
        max_age: Option<Duration>,
    ) -> Self {
        Self { endpoint, wire, slots, max_age, connected: Mutex::default() }
    }

    /// Connects with the commands' output.
    async fn connected(&self, refused: Option<&[u64]>) -> Result<Connected, Error> {
        let mut endpoint = self.endpoint.clone();
        let mut runs = Vec::new();
        for (index, (slot, printed)) in self.slots.iter().enumerate() {
            let refused = refused.and_then(|runs| runs.get(index)).copied();
            let (secret, run) = printed.get(self.max_age, refused).await?;
            runs.push(run);
            match slot {
                Slot::Key => endpoint.key = Some(secret),
                Slot::Header(name) => endpoint.headers.push((name.clone(), secret)),
            }
        }
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = connected.as_ref().filter(|connected| connected.runs == runs) {
            return Ok(same.clone());
        }
        let headers = endpoint.request_headers();
        let provider = connect(endpoint, Arc::clone(&self.wire));
        Ok(connected.insert(Connected { runs, headers, provider }).clone())
    }
}

#[async_trait::async_trait]
impl Provider for Commanded {
    async fn stream(&self, request: Request) -> Result<DeltaStream, Error> {
        let first = self.connected(None).await?;
        let answer = first.provider.stream(request.clone()).await;
        let Err(error) = answer else { return answer };
        if error.kind != ErrorKind::Auth || !matches!(error.status, Some(401 | 403)) {
            return Err(error);
        }
        // It may have expired.
        let second = self.connected(Some(&first.runs)).await?;
        if second.headers == first.headers {
            let commands: Vec<_> =
                self.slots.iter().map(|(_, printed)| printed.command.as_str()).collect();
            let hint = error.hint.clone().map(|hint| format!("; {hint}")).unwrap_or_default();
            return Err(error.hint(format!(
                "the key command printed the same key again: {}{hint}",
                commands.join("; ")
            )));
        }
        second.provider.stream(request).await
    }

    fn take_omissions(&self) -> Vec<Omission> {
        self.endpoint.omissions.take_untold()
    }

    async fn served_window(&self, model: &str) -> Option<ServedWindow> {
        if !local::is_asked(&self.endpoint) {
            return None;
        }
        self.connected(None).await.ok()?.provider.served_window(model).await
    }
}

#[cfg(test)]
mod tests;
