//! Directory of recorded exchanges: a file for each canonical request, so that replays need no order, and several sessions share it.
//!
//! ```text
//! DIR/recording.json   {"version":1,"createdMs":…}: when the recording began, which is the time of its replays
//! DIR/KEY.jsonl        the exchanges of the request with this key, each a line as in a cassette; sent again, the next one answers
//! ```

use super::canonical::{self, Canonical};
use super::exchange::{self, Exchange};
use super::{Replay, difference, read};
use crate::error::{Error, ErrorKind};
use crate::wire::{Wire, WireRequest, WireResponse};
use pintle_base::private_files;
use pintle_os::replace;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// File that identifies a recording directory.
const FACTS: &str = "recording.json";

/// Version of the directory layout and of the canonical form.
const VERSION: u32 = 1;

/// Facts about a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    version: u32,
    created_ms: u64,
}

/// Creates a directory for recordings if it does not exist.
///
/// # Errors
/// [`ErrorKind::Replay`]: it cannot be created, or is one of another version.
pub fn create(folder: &Path, now_ms: u64) -> Result<(), Error> {
    let failed = |error: &io::Error| {
        Error::new(ErrorKind::Replay, format!("cannot record to {}: {error}", folder.display()))
    };
    private_files::create_private_folder(folder).map_err(|error| failed(&error))?;
    if folder.join(FACTS).exists() {
        return facts(folder).map(|_| ());
    }
    // Complete or missing, since other processes may begin to record at the same time: the first one's time applies.
    let text = serde_json::to_string(&Facts { version: VERSION, created_ms: now_ms });
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    writeln!(file, "{}", text.unwrap_or_default()).map_err(|error| failed(&error))?;
    match replace::put_new(file, &folder.join(FACTS)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(&error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns when the recording in a directory began, in milliseconds since 1970.
///
/// # Errors
/// [`ErrorKind::Replay`]: the directory is not a recording, or is one of another version.
pub fn recorded_at(folder: &Path) -> Result<u64, Error> {
    facts(folder).map(|facts| facts.created_ms)
}

fn facts(folder: &Path) -> Result<Facts, Error> {
    let path = folder.join(FACTS);
    let wrong = |why: String| {
        let message = format!("{} is not a recording directory: {why}", folder.display());
        Error::new(ErrorKind::Replay, message).hint("record one with --record DIR/")
    };
    let text = read(&path).map_err(|error| wrong(error.message))?;
    let facts: Facts = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    if facts.version == VERSION {
        return Ok(facts);
    }
    let other = facts.version;
    Err(wrong(format!("its layout version is {other}, but this program supports {VERSION}")))
}

/// Returns a request's file.
pub(super) fn file(folder: &Path, path: &str, body: &Value) -> PathBuf {
    folder.join(canonical::key(path, body)).with_extension("jsonl")
}

/// Answers requests from a directory.
#[derive(Debug)]
pub struct ReplayFolder {
    folder: PathBuf,
    canonical: Canonical,
    recordings: BTreeMap<String, Recording>,
}

/// Exchanges of one request.
#[derive(Debug)]
struct Recording {
    exchanges: Vec<Exchange>,
    /// Number of times the request was sent.
    sent: AtomicUsize,
}

impl ReplayFolder {
    /// Reads a directory.
    ///
    /// # Errors
    /// [`ErrorKind::Replay`] with the invalid line, or the file that cannot be read.
    pub fn load(folder: &Path, canonical: Canonical) -> Result<Self, Error> {
        facts(folder)?;
        let failed = |error: io::Error| {
            Error::new(ErrorKind::Replay, format!("cannot read {}: {error}", folder.display()))
        };
        let mut recordings = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let is_recording = path.extension().is_some_and(|extension| extension == "jsonl");
            if !is_recording {
                continue;
            }
            let exchanges = Replay::load(&path)?.exchanges;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !exchanges.is_empty() {
                recordings.insert(name, Recording { exchanges, sent: AtomicUsize::new(0) });
            }
        }
        Ok(Self { folder: folder.to_owned(), canonical, recordings })
    }

    /// Returns the error for a request that was not recorded, with its difference from the nearest recorded one.
    fn miss(&self, path: &str, body: &Value) -> Error {
        let sent = difference::lines(path, body);
        let recorded = self.recordings.iter().filter_map(|(name, recording)| {
            let request = recording.exchanges.first()?.request.as_ref()?;
            let lines = difference::lines(&request.path, request.body.as_ref()?);
            // Among equally similar requests, the one with the nearest length.
            let alike =
                (difference::alike(&lines, &sent), Reverse(lines.len().abs_diff(sent.len())));
            Some((alike, name, lines))
        });
        let nearest = recorded.max_by_key(|(alike, ..)| *alike);
        let place = self.folder.display();
        let message = match nearest {
            Some((_, name, lines)) => format!(
                "no recorded request in {place} matches; the most similar one, {name}.jsonl, differs (- recorded, + sent):\n{}",
                difference::shown(&lines, &sent)
            ),
            None => format!("there are no recorded requests in {place}"),
        };
        Error::new(ErrorKind::Replay, message).hint("record it again")
    }
}

#[async_trait::async_trait]
impl Wire for ReplayFolder {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        let path = exchange::path(&request.url);
        let body = self.canonical.canonicalize(&request.body);
        let Some(recording) = self.recordings.get(&canonical::key(path, &body)) else {
            return Err(self.miss(path, &body));
        };
        // A request sent more often than it was recorded gets its last response again.
        let at = recording.sent.fetch_add(1, Ordering::Relaxed);
        match recording.exchanges.get(at).or(recording.exchanges.last()) {
            Some(exchange) => Ok(exchange.response.answer()),
            None => Err(self.miss(path, &body)),
        }
    }
}
