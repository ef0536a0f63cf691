//! Looks whether the journals are whole: read-only, line by line, while others may write.
//!
//! It says what a person would want to know before and after opening a session; it mends nothing.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::journal::{self, FILE};
use super::{Error, Store, entry, list};
use pintle_protocol::ids::SessionId;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// More damaged lines than this are counted, not named.
const MOST_NAMED: usize = 20;

/// What is to be said of a stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The session, by its folder's name.
    pub session_id: SessionId,
    /// Its folder.
    pub folder: PathBuf,
    /// The events that can be read.
    pub events: u64,
    /// The problems, each with the next step; empty when all is well.
    pub problems: Vec<String>,
}

impl Store {
    /// Verifies every journal, newest first.
    ///
    /// # Errors
    /// The folder of sessions exists and cannot be read.
    pub fn verify(&self) -> Result<Vec<Verdict>, Error> {
        let mut folders = list::folders(self.path())?;
        folders.sort_unstable_by(|a, b| b.file_name().cmp(&a.file_name()));
        let verdicts = folders.into_iter().filter_map(|folder| {
            let session_id = list::session_of(&folder)?;
            let (events, problems) = verify(&folder);
            Some(Verdict { session_id, folder, events, problems })
        });
        Ok(verdicts.collect())
    }
}

fn verify(folder: &Path) -> (u64, Vec<String>) {
    let path = folder.join(FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) => {
            let what = format!(
                "no journal can be read ({error}); `pintle sessions delete` takes the folder away"
            );
            return (0, vec![what]);
        }
    };
    if let Err(error) = journal::read_header(&path) {
        let is_damaged = matches!(error, Error::NoJournal(_));
        let hint = if is_damaged { "; put its first line back from a backup" } else { "" };
        return (0, vec![format!("{error}{hint}")]);
    }
    let mut reader = BufReader::new(file);
    let (mut events, mut last_seq, mut number) = (0, 0, 0u64);
    let mut problems = Vec::new();
    let mut damaged = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                problems.push(format!("behind line {number} it cannot be read: {error}"));
                break;
            }
        }
        number += 1;
        if number == 1 {
            continue;
        }
        let Some(text) = line.strip_suffix(b"\n") else {
            problems.push(format!(
                "the last line, {number}, is not whole; it is set aside when the session is opened, unless it is being written"
            ));
            break;
        };
        let parsed = std::str::from_utf8(text).ok().and_then(|text| entry::parse(text).ok());
        match parsed.map(|entry| entry.seq) {
            Some(seq) if seq > last_seq => {
                events += 1;
                last_seq = seq;
            }
            Some(seq) => {
                damaged += 1;
                if damaged <= MOST_NAMED {
                    problems.push(format!(
                        "line {number} has the number {seq} again, behind {last_seq}; it is passed over"
                    ));
                }
            }
            None => {
                damaged += 1;
                if damaged <= MOST_NAMED {
                    problems.push(format!(
                        "line {number} is damaged; it is passed over, the rest is read"
                    ));
                }
            }
        }
    }
    if damaged > MOST_NAMED {
        problems.push(format!("{} more lines are damaged", damaged - MOST_NAMED));
    }
    (events, problems)
}
