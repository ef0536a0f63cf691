//! The results directory: which batch may write to it, which tasks are finished, and how much has been used.
//!
//! ```text
//! OUT/batch.json          the list: its digest, its tasks, the shard
//! OUT/usage.jsonl         the usage of each reply; read again when the batch is started again
//! OUT/summary.json        the rows of the table, written at every end
//! OUT/ID/result.json      the result line of `pintle run`, with `task`; there once the task is over
//! OUT/ID/changes.patch    the agent's changes
//! OUT/ID/journal.jsonl    the session's journal, as it was then
//! OUT/ID/findings.*       its findings, if --report asks for them
//! OUT/ID/log.txt          stderr of the task
//! ```
//!
//! Invariant: a file that marks something as finished (`result.json`) is written under a temporary name and renamed, after all others.
#![expect(clippy::disallowed_methods, reason = "the batch owns the results directory")]

use super::list::{Mark, list_digest};
use crate::cli::args::batch::{FindingsFile, Shard};
use anyhow::Context;
use pintle_base::private_files;
use pintle_os::{lock, replace};
use pintle_protocol::run::{RunLine, RunResult, RunStatus};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(super) const RESULT: &str = "result.json";
pub(super) const PATCH: &str = "changes.patch";
pub(super) const JOURNAL: &str = "journal.jsonl";
pub(super) const LOG: &str = "log.txt";
pub(super) const LIST: &str = "batch.json";
pub(super) const SUMMARY: &str = "summary.json";
pub(super) const USAGE: &str = "usage.jsonl";
/// Held by the batch.
const LOCK: &str = ".lock";
/// Held by its workers, which may outlive a batch that is killed by the time that a task needs to end.
const WORKERS: &str = ".workers.lock";

/// The maximum size of a file that is read as a whole. An answer is far smaller.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// A task died with its worker: the reason in its result.
pub(super) const DIED: &str = "workerDied";
/// The reason in a task's result if the whole batch's limits ended it.
pub(super) const BATCH_LIMIT: &str = "batchLimit";
/// The time for the whole batch ended a task: the reason in its result.
pub(super) const BATCH_WALL: &str = "batchWall";
/// A signal ended a task: the reason in its result.
pub(super) const SIGNAL: &str = "signal";

/// `result.json`: the output of `pintle run --format json`, and its task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskResult {
    #[serde(flatten)]
    pub(super) line: RunLine,
    pub(super) task: Mark,
}

impl TaskResult {
    pub(super) fn new(result: RunResult, task: Mark) -> Self {
        Self { line: RunLine::Result(Box::new(result)), task }
    }

    /// Returns the result; a file with another line has none.
    pub(super) fn result(&self) -> Option<&RunResult> {
        match &self.line {
            RunLine::Result(result) => Some(result),
            RunLine::Header(_) => None,
        }
    }
}

/// Returns true for a task that has been carried out, successfully or not; a task that only the batch's end cut short has not.
pub(super) fn is_finished(result: &RunResult) -> bool {
    ![DIED, BATCH_LIMIT, BATCH_WALL, SIGNAL].contains(&result.stop.as_str())
}

/// Returns true for a task that was completed as it should be.
pub(super) fn is_done(result: &RunResult) -> bool {
    result.status == RunStatus::Success
}

/// `batch.json`: the list that a results directory belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    /// The layout version: 1.
    pub(super) version: u32,
    /// The list's digest.
    pub(super) list: String,
    /// The list's shard, as `I/N`; absent for the whole list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<String>,
    /// All tasks of the list, in order.
    pub(super) tasks: Vec<Mark>,
}

impl Manifest {
    pub(super) fn new(tasks: Vec<Mark>, shard: Option<Shard>) -> Self {
        let list = list_digest(&tasks);
        Self { version: 1, list, shard: shard.map(|shard| shard.to_string()), tasks }
    }
}

/// A line of `usage.jsonl`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Used {
    pub(super) tokens: u64,
    /// In billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cost_nano_usd: Option<u64>,
}

/// The results directory.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) path: PathBuf,
}

/// The exclusive right to write to a results directory, until it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    _lock: File,
}

/// Marks that a worker is running for a results directory, until it is dropped.
#[derive(Debug)]
pub(super) struct AtWork {
    _lock: File,
}

impl Results {
    /// Returns the directory at an absolute path.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Creates the directory if it does not exist, and keeps other batches out of it until the lock is dropped.
    ///
    /// # Errors
    /// Fails if it cannot be created, or another batch uses it.
    pub(super) fn hold(&self) -> anyhow::Result<Held> {
        let shown = self.path.display();
        std::fs::create_dir_all(&self.path).with_context(|| format!("--out {shown}"))?;
        self.lock(&format!("--out {shown}"))
    }

    /// Like [`Results::hold`], for an existing directory.
    ///
    /// # Errors
    /// Fails if it does not exist, or a batch writes to it.
    pub(super) fn hold_existing(&self) -> anyhow::Result<Held> {
        let shown = self.path.display();
        anyhow::ensure!(
            self.path.join(LIST).is_file(),
            "{shown}: not a results directory of a batch"
        );
        self.lock(&shown.to_string())
    }

    fn lock(&self, shown: &str) -> anyhow::Result<Held> {
        let lock = self.lock_file(LOCK).with_context(|| shown.to_owned())?;
        match lock::try_lock(&lock) {
            Ok(()) => Ok(Held { _lock: lock }),
            Err(TryLockError::WouldBlock) => anyhow::bail!(
                "{shown}: in use by another batch; wait until it ends, or choose another directory (each shard needs its own)"
            ),
            Err(TryLockError::Error(error)) => {
                Err(error).context(format!("{shown}: failed to lock"))
            }
        }
    }

    /// Returns true if no worker of a killed batch is still running.
    pub(super) fn is_idle(&self) -> io::Result<bool> {
        match lock::try_lock(&self.lock_file(WORKERS)?) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Marks that a worker is running.
    pub(super) fn work(&self) -> io::Result<AtWork> {
        let lock = self.lock_file(WORKERS)?;
        lock.lock_shared()?;
        Ok(AtWork { _lock: lock })
    }

    fn lock_file(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        private_files::open_private(&self.path.join(name), &mut options)
    }

    pub(super) fn folder(&self, id: &str) -> PathBuf {
        self.path.join(id)
    }

    /// Returns a task's result; `None` if it is missing or incomplete.
    pub(super) fn result(&self, id: &str) -> Option<TaskResult> {
        let text = private_files::read(&self.folder(id).join(RESULT), MAX_FILE_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Creates a task's directory, and removes an earlier attempt's files.
    pub(super) fn begin(&self, id: &str) -> io::Result<()> {
        let folder = self.folder(id);
        std::fs::create_dir_all(&folder)?;
        let findings = FindingsFile::ALL.map(FindingsFile::name);
        for name in [RESULT, PATCH, JOURNAL, LOG].into_iter().chain(findings) {
            match std::fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Writes a task's result, with a copy of its journal.
    pub(super) fn finish(&self, result: &TaskResult) -> io::Result<()> {
        let folder = self.folder(&result.task.id);
        if let Some(journal) = result.result().and_then(|result| result.journal.as_ref())
            && let Err(error) = std::fs::copy(journal, folder.join(JOURNAL))
        {
            tracing::warn!("{}: failed to copy the journal: {error}", result.task.id);
        }
        write_json(&folder.join(RESULT), result)
    }

    pub(super) fn manifest(&self) -> anyhow::Result<Manifest> {
        let path = self.path.join(LIST);
        let text = private_files::read(&path, MAX_FILE_BYTES).with_context(|| {
            format!("{}: not a results directory of a batch", self.path.display())
        })?;
        serde_json::from_slice(&text).with_context(|| path.display().to_string())
    }

    /// Returns the usage of a batch's earlier runs, ignoring a line that was cut by a kill.
    pub(super) fn used(&self) -> Vec<Used> {
        let text = private_files::read(&self.path.join(USAGE), MAX_FILE_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Opens the usage list for appending.
    pub(super) fn ledger(&self) -> io::Result<File> {
        let path = self.path.join(USAGE);
        let is_cut = private_files::read(&path, MAX_FILE_BYTES)
            .is_ok_and(|text| !text.is_empty() && !text.ends_with(b"\n"));
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        if is_cut {
            file.write_all(b"\n")?;
        }
        Ok(file)
    }
}

/// Appends usage.
pub(super) fn append_usage(ledger: &mut File, used: Used) -> io::Result<()> {
    let mut line = serde_json::to_vec(&used)?;
    line.push(b'\n');
    ledger.write_all(&line)
}

/// Replaces a file as a whole. It is as readable for others as its directory.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(value)?;
    text.push(b'\n');
    let beside = path.with_extension("json.new");
    std::fs::write(&beside, text)?;
    replace::rename(beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_frontend::run::unstarted;

    #[test]
    fn a_result_is_the_line_of_run_and_half_of_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::at(folder.path().to_owned());
        let task = Mark { id: "a".to_owned(), line: 1, digest: "d".to_owned() };
        let result = TaskResult::new(unstarted("usage", 2, "no".to_owned(), None), task);
        results.begin("a").unwrap();
        assert_eq!(results.result("a"), None);
        results.finish(&result).unwrap();
        assert_eq!(results.result("a"), Some(result));
        let path = results.folder("a").join(RESULT);
        let text = std::fs::read(&path).unwrap();
        assert!(text.starts_with(b"{\"type\":\"result\",\"status\":\"failed\","));
        for cut in 1..text.len() - 1 {
            std::fs::write(&path, &text[..cut]).unwrap();
            assert_eq!(results.result("a"), None, "{cut}");
        }
    }

    #[test]
    fn what_was_used_is_read_again_though_a_kill_cut_its_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::at(folder.path().to_owned());
        let [one, two] =
            [(3, None), (4, Some(5))].map(|(tokens, cost_nano_usd)| Used { tokens, cost_nano_usd });
        append_usage(&mut results.ledger().unwrap(), one).unwrap();
        results.ledger().unwrap().write_all(b"{\"tokens\":9").unwrap();
        append_usage(&mut results.ledger().unwrap(), two).unwrap();
        assert_eq!(results.used(), [one, two]);
    }
}
