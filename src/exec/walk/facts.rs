//! The metadata of all plain files below a directory.

use super::ignored::OuterIgnoreFile;
use super::{Bound, Visit, Walk, lock};
use crate::Error;
use crate::search::PathKey;
use ignore::DirEntry;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

/// A file with its metadata.
pub(crate) type Fact = (PathBuf, Metadata);

/// A directory whose files are wanted.
pub(crate) struct Folder<'a> {
    pub root: &'a Path,
    /// The files and directories to skip.
    pub except: &'a [PathBuf],
    pub threads: usize,
    /// Called for each directory below, before its entries are read.
    pub entering: &'a (dyn Fn(&Path) + Sync),
}

impl Folder<'_> {
    /// Returns the plain files, unordered, without unreadable ones, and the ignore files outside of the directory that were obeyed. Ends
    /// early with a part of the files when `is_enough` returns true for their number.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn facts(
        &self,
        is_enough: &(dyn Fn(usize) -> bool + Sync),
        cancel: &CancellationToken,
    ) -> Result<(Vec<Fact>, Vec<OuterIgnoreFile>), Error> {
        let enough = cancel.child_token();
        let walk = Walk::new(self.root, &enough).without(self.except);
        let (count, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let ended = walk.run_on(self.threads, None, || Collector {
            count: &count,
            is_enough,
            enough: &enough,
            all: &all,
            found: Vec::new(),
            entering: self.entering,
        });
        match ended {
            Err(error) if cancel.is_cancelled() => Err(error),
            _ => {
                let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok((all, walk.ignored.outside()))
            }
        }
    }
}

struct Collector<'a> {
    count: &'a AtomicUsize,
    is_enough: &'a (dyn Fn(usize) -> bool + Sync),
    enough: &'a CancellationToken,
    all: &'a Mutex<Vec<Fact>>,
    found: Vec<Fact>,
    entering: &'a (dyn Fn(&Path) + Sync),
}

impl Visit for Collector<'_> {
    fn bound(&mut self) -> Option<&mut Bound> {
        None
    }

    fn latest_bound(&self) -> Option<PathKey> {
        None
    }

    fn visit(&mut self, _walk: &Walk<'_>, entry: &DirEntry, _relative: &Path) -> io::Result<()> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                (self.entering)(entry.path());
            }
            return Ok(());
        }
        let facts = entry.metadata().map_err(io::Error::other)?;
        self.found.push((entry.path().to_path_buf(), facts));
        if (self.is_enough)(self.count.fetch_add(1, Ordering::Relaxed) + 1) {
            self.enough.cancel();
        }
        Ok(())
    }

    fn finish(&mut self, _walk: &Walk<'_>) {
        lock(self.all).append(&mut self.found);
    }
}
