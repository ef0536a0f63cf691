//! Verifies journals: read-only, line by line, also while others write. It reports problems and repairs nothing.

use super::header::{self, FILE};
use super::{Error, Store, entry, list};
use pintle_base::private_files;
use pintle_protocol::ids::SessionId;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The maximum number of damaged lines that are listed; further ones are counted.
const MAX_LISTED: usize = 20;

/// The result of verifying a stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalReport {
    /// The session, by its directory's name.
    pub session_id: SessionId,
    /// The directory.
    pub folder: PathBuf,
    /// The events that can be read.
    pub events: u64,
    /// The problems, each with the next step; empty if there are none.
    pub problems: Vec<String>,
}

impl Store {
    /// Verifies every journal, newest first.
    ///
    /// # Errors
    /// The sessions directory exists and cannot be read.
    pub fn verify(&self) -> Result<Vec<JournalReport>, Error> {
        let mut folders = list::folders(self.path())?;
        folders.sort_unstable_by(|a, b| b.file_name().cmp(&a.file_name()));
        let reports = folders.into_iter().filter_map(|folder| {
            let session_id = list::session_of(&folder)?;
            let (events, problems) = verify(&folder);
            Some(JournalReport { session_id, folder, events, problems })
        });
        Ok(reports.collect())
    }
}

fn verify(folder: &Path) -> (u64, Vec<String>) {
    let path = folder.join(FILE);
    let file = match private_files::open(&path) {
        Ok(file) => file,
        Err(error) => {
            let problem = format!(
                "the journal cannot be read ({error}); `pintle sessions delete` removes the directory"
            );
            return (0, vec![problem]);
        }
    };
    if let Err(error) = header::read_header(&path) {
        let is_damaged = matches!(error, Error::NoJournal(_));
        let hint = if is_damaged { "; restore its first line from a backup" } else { "" };
        return (0, vec![format!("{error}{hint}")]);
    }
    let mut reader = BufReader::new(file);
    let (mut events, mut last_seq, mut number) = (0, 0, 0u64);
    let mut problems = Vec::new();
    let mut damaged = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        match private_files::read_line(&mut reader, &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                problems.push(format!("it cannot be read after line {number}: {error}"));
                break;
            }
        }
        number += 1;
        if number == 1 {
            continue;
        }
        let Some(text) = line.strip_suffix(b"\n") else {
            problems.push(format!(
                "the last line, {number}, is incomplete; it is moved aside when the session is opened, unless it is being written"
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
                if damaged <= MAX_LISTED {
                    problems.push(format!(
                        "line {number} repeats the number {seq} after {last_seq}; it is skipped"
                    ));
                }
            }
            None => {
                damaged += 1;
                if damaged <= MAX_LISTED {
                    problems
                        .push(format!("line {number} is damaged; it is skipped, the rest is read"));
                }
            }
        }
    }
    if damaged > MAX_LISTED {
        problems.push(format!("{} more lines are damaged", damaged - MAX_LISTED));
    }
    (events, problems)
}
