//! Finding lines on a walk.
//!
//! The first few files are searched in path order before threads are started: a common word is found there often enough, and a small
//! directory has no more files.

use super::{Bound, Visit, Walk, lock};
use crate::files::{self, Cancellable};
use crate::search::{FileLines, LineSearch, Matched, PathGlob, PathKey};
use crate::{Error, FileKind, Grep, Grepped, LeftOut};
use ignore::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// How many files are searched in order before threads are started, which costs more.
const MAX_PROBED_FILES: usize = 32;

/// How many directory entries are read to find them.
const MAX_PROBED_ENTRIES: usize = 256;

/// A larger file is excluded: all threads should be busy while it is read.
const MAX_PROBED_BYTES: u64 = 1024 * 1024;

pub(crate) fn grep(grep: &Grep, cancel: &CancellationToken) -> Result<Grepped, Error> {
    files::must_be_canonical(&grep.root)?;
    let mut search = LineSearch::new(grep)?;
    let glob = grep.glob.as_deref().map(|glob| PathGlob::new(glob, &grep.root)).transpose()?;
    let mut matched = Matched::new(grep);
    match files::stat(&grep.root)?.kind {
        FileKind::Folder => {}
        FileKind::File => {
            let file = search_file(cancel, &mut search, &grep.root);
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let found = file.map_err(|error| Error::from_io(&grep.root, &error))?;
            matched.add(PathKey::new(grep.file_name()), found);
            return Ok(matched.finish(0));
        }
        FileKind::Other => {
            let message = "not a regular file (a device, pipe or socket)".to_owned();
            return Err(Error::Io { path: grep.root.clone(), message });
        }
    }
    let (mut grepped, ignored) = Walk::search(&grep.root, glob.as_ref(), cancel, |walk| {
        grep_on(walk, grep, glob.as_ref(), search.clone())
    })?;
    let is_shown = |path: &PathBuf| !grep.left_out.hides(&grep.root, path);
    grepped.ignored = ignored.filter(|path| grepped.files.is_empty() && is_shown(path));
    Ok(grepped)
}

fn grep_on(
    walk: &Walk<'_>,
    grep: &Grep,
    glob: Option<&PathGlob>,
    mut search: LineSearch,
) -> Result<Grepped, Error> {
    let mut matched = Matched::new(grep);
    let searched = match probe(walk, grep, glob, &mut search, &mut matched)? {
        Probed::Enough => return Ok(matched.finish(walk.unread(false))),
        Probed::Until(key) => key,
    };
    let matched = Mutex::new(matched);
    walk.run(None, || Grepper {
        left_out: &grep.left_out,
        glob,
        search: search.clone(),
        searched: &searched,
        current: PathKey::default(),
        matched: &matched,
        bound: Bound::default(),
    })?;
    let matched = matched.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(matched.finish(walk.unread(false)))
}

/// The result of searching the first few files.
enum Probed {
    /// All files, or more matches than are needed.
    Enough,
    /// Up to this path, every file was searched.
    Until(PathKey),
}

/// Searches the first few files in path order.
fn probe(
    walk: &Walk<'_>,
    grep: &Grep,
    glob: Option<&PathGlob>,
    search: &mut LineSearch,
    matched: &mut Matched,
) -> Result<Probed, Error> {
    let mut until = PathKey::default();
    let mut unread_folders = 0;
    let mut files = 0;
    let mut entries = walk.builder(None).sort_by_file_name(Ord::cmp).build();
    for entry in entries.by_ref().take(MAX_PROBED_ENTRIES) {
        if walk.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let Ok(entry) = entry else {
            unread_folders += 1;
            continue;
        };
        let Ok(relative) = entry.path().strip_prefix(walk.root) else { continue };
        if !is_wanted(&entry, relative, glob) || grep.left_out.contains(entry.path()) {
            continue;
        }
        files += 1;
        let is_large = entry.metadata().is_ok_and(|facts| facts.len() > MAX_PROBED_BYTES);
        if files > MAX_PROBED_FILES || is_large {
            return Ok(Probed::Until(until));
        }
        match search_file(walk.cancel, search, entry.path()) {
            Ok(found) => matched.add(PathKey::new(relative), found),
            Err(_) => walk.miss(1),
        }
        if matched.bound().is_some() {
            return Ok(Probed::Enough);
        }
        until.set(relative);
    }
    if entries.next().is_some() {
        return Ok(Probed::Until(until));
    }
    walk.miss(unread_folders);
    Ok(Probed::Enough)
}

/// Returns true if a file is to be searched.
fn is_wanted(entry: &DirEntry, relative: &Path, glob: Option<&PathGlob>) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
        && glob.is_none_or(|glob| glob.is_match(relative, false))
}

fn search_file(
    cancel: &CancellationToken,
    search: &mut LineSearch,
    path: &Path,
) -> io::Result<FileLines> {
    if let Some(text) = search.unsaved(path) {
        return search.read(text.as_bytes());
    }
    match files::open_to_search(path) {
        Ok(file) => search.read(Cancellable { file, cancel }),
        // The file was removed meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FileLines::default()),
        Err(error) => Err(error),
    }
}

/// Searches files.
struct Grepper<'a> {
    left_out: &'a LeftOut,
    glob: Option<&'a PathGlob>,
    search: LineSearch,
    /// Files up to this one were searched before.
    searched: &'a PathKey,
    /// Kept for its memory.
    current: PathKey,
    matched: &'a Mutex<Matched>,
    bound: Bound,
}

impl Visit for Grepper<'_> {
    fn bound(&mut self) -> Option<&mut Bound> {
        Some(&mut self.bound)
    }

    fn latest_bound(&self) -> Option<PathKey> {
        lock(self.matched).bound().cloned()
    }

    fn visit(&mut self, walk: &Walk<'_>, entry: &DirEntry, relative: &Path) -> io::Result<()> {
        self.current.set(relative);
        if self.current <= *self.searched
            || !is_wanted(entry, relative, self.glob)
            || self.left_out.contains(entry.path())
        {
            return Ok(());
        }
        let found = search_file(walk.cancel, &mut self.search, entry.path())?;
        if found.matches > 0 {
            let mut matched = lock(self.matched);
            matched.add(self.current.clone(), found);
            if matched.bound().is_some() {
                walk.bound_changed();
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &Walk<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// Endless text. Cancels the search at the third read.
    struct Endless<'a>(usize, &'a CancellationToken);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            if self.0 == 3 {
                self.1.cancel();
            }
            buffer.fill(b'\n');
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_search_is_cancelled_in_the_middle_of_a_file() {
        let cancel = CancellationToken::new();
        let grep = Grep {
            root: "/".into(),
            named: None,
            left_out: LeftOut::default(),
            pattern: "x".to_owned(),
            glob: None,
            ignore_case: false,
            is_literal: false,
            before: 0,
            after: 0,
            output: crate::GrepOutput::Lines,
            max_matches: 1,
            max_line_chars: 500,
            unsaved: std::sync::Arc::default(),
        };
        let mut file = Cancellable { file: Endless(0, &cancel), cancel: &cancel };
        assert!(LineSearch::new(&grep).unwrap().read(&mut file).is_err());
        assert_eq!(file.file.0, 3);
    }
}
