//! A journal's header, and the session's current working directory.
//!
//! A session's working directory is in its journal's header; `place.json` next to the journal replaces it once the session has moved.

use super::{Error, FORMAT_VERSION, Header, place};
use pintle_base::private_files;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The journal's file name in a session's directory.
pub(super) const FILE: &str = "journal.jsonl";

/// The file with the working directory of a moved session.
pub(super) const PLACE_FILE: &str = "place.json";

/// The maximum size of that file.
const MAX_PLACE_BYTES: u64 = 1024 * 1024;

/// The current working directory of a session that was moved.
#[derive(Debug, Serialize, Deserialize)]
struct Moved {
    cwd: String,
}

/// Reads a journal's header line, with its session's current working directory.
pub(super) fn read_header(path: &Path) -> Result<Header, Error> {
    /// The maximum size of a header; a longer first line is not a journal's.
    const MAX_HEADER_BYTES: u64 = 64 * 1024;
    let file = private_files::open(path).map_err(Error::io(path))?;
    let mut line = String::new();
    let mut reader = BufReader::new(file.take(MAX_HEADER_BYTES));
    reader.read_line(&mut line).map_err(Error::io(path))?;
    let header: Header =
        serde_json::from_str(&line).map_err(|_| Error::NoJournal(path.to_owned()))?;
    if header.journal != "pintle" {
        return Err(Error::NoJournal(path.to_owned()));
    }
    if header.version > FORMAT_VERSION {
        return Err(Error::TooNew { path: path.to_owned(), version: header.version });
    }
    Ok(path.parent().map_or(header.clone(), |folder| present(folder, header)))
}

/// Returns a header with its session's current working directory.
pub(super) fn present(folder: &Path, header: Header) -> Header {
    match moved(folder) {
        Some(cwd) => Header { cwd, ..header },
        None => header,
    }
}

/// Returns the current working directory of a session that was moved.
pub(super) fn moved(folder: &Path) -> Option<String> {
    let text = private_files::read(&folder.join(PLACE_FILE), MAX_PLACE_BYTES).ok()?;
    serde_json::from_slice(&text).ok().map(|Moved { cwd }| cwd)
}

/// Records the working directory of a session that moves.
pub(super) fn record_move(path: &Path, cwd: &str) -> io::Result<()> {
    place::replace(path, &serde_json::to_vec(&Moved { cwd: cwd.to_owned() })?)
}
