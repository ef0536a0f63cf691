//! Finding paths on a walk: the first in path order, or the newest.

use super::{Bound, Visit, Walk, lock};
use crate::search::{FirstInOrder, PathGlob, PathKey};
use crate::{Error, FileKind, Find, FindOrder, FoundPath, FoundPaths, files};
use ignore::DirEntry;
use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use tokio_util::sync::CancellationToken;

/// Paths that a thread keeps before it hands them over: few enough that a limit is noticed soon.
const PATHS_AT_ONCE: usize = 128;

pub(crate) fn find(find: &Find, cancel: &CancellationToken) -> Result<FoundPaths, Error> {
    let glob = PathGlob::new(&find.glob, &find.root)?;
    if files::stat(&find.root)?.kind != FileKind::Folder {
        return Err(Error::NotFolder(find.root.clone()));
    }
    files::must_be_canonical(&find.root)?;
    let (mut found, ignored) =
        Walk::search(&find.root, Some(&glob), cancel, |walk| find_on(walk, find, &glob))?;
    let is_shown = |path: &PathBuf| !find.left_out.hides(&find.root, path);
    found.ignored = ignored.filter(|path| found.paths.is_empty() && is_shown(path));
    Ok(found)
}

fn find_on(walk: &Walk<'_>, find: &Find, glob: &PathGlob) -> Result<FoundPaths, Error> {
    let ignored = None;
    match find.order {
        FindOrder::Path => {
            let first = Mutex::new(FirstInOrder::new(find.max_paths));
            walk.run(find.max_depth, || PathFinder {
                find,
                glob,
                first: &first,
                found: Vec::new(),
                bound: Bound::default(),
            })?;
            let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
            let has_more = first.has_more();
            let paths = first.into_answers().take(find.max_paths).map(|(key, is_folder)| {
                let path = key.into_path();
                FoundPath { path, is_folder }
            });
            let (paths, unreadable) = (paths.collect(), walk.unread(has_more));
            Ok(FoundPaths { paths, has_more, unreadable, ignored })
        }
        FindOrder::NewestFile => {
            let all = Mutex::new(Vec::new());
            walk.run(find.max_depth, || AgeFinder { find, glob, all: &all, found: Vec::new() })?;
            let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
            all.sort_unstable();
            let has_more = all.len() > find.max_paths;
            let paths = all
                .into_iter()
                .take(find.max_paths)
                .map(|(_, key)| FoundPath { path: key.into_path(), is_folder: false });
            let (paths, unreadable) = (paths.collect(), walk.unread(has_more));
            Ok(FoundPaths { paths, has_more, unreadable, ignored })
        }
    }
}

/// Collects paths that match.
struct PathFinder<'a> {
    find: &'a Find,
    glob: &'a PathGlob,
    first: &'a Mutex<FirstInOrder<bool>>,
    found: Vec<(PathKey, bool)>,
    bound: Bound,
}

impl Visit for PathFinder<'_> {
    fn bound(&mut self) -> Option<&mut Bound> {
        Some(&mut self.bound)
    }

    fn latest_bound(&self) -> Option<PathKey> {
        lock(self.first).bound().cloned()
    }

    fn visit(&mut self, walk: &Walk<'_>, entry: &DirEntry, relative: &Path) -> io::Result<()> {
        let is_folder = is_folder(entry);
        let Find { root, left_out, .. } = self.find;
        if self.glob.is_match(relative, is_folder) && !left_out.hides(root, relative) {
            self.found.push((PathKey::new(relative), is_folder));
            if self.found.len() == PATHS_AT_ONCE {
                self.finish(walk);
            }
        }
        Ok(())
    }

    fn finish(&mut self, walk: &Walk<'_>) {
        let mut first = lock(self.first);
        for (key, is_folder) in self.found.drain(..) {
            first.add(key, 1, is_folder);
        }
        if first.bound().is_some() {
            walk.bound_changed();
        }
    }
}

/// Collects files that match with their age.
struct AgeFinder<'a> {
    find: &'a Find,
    glob: &'a PathGlob,
    all: &'a Mutex<Vec<(Reverse<u128>, PathKey)>>,
    found: Vec<(Reverse<u128>, PathKey)>,
}

impl Visit for AgeFinder<'_> {
    fn bound(&mut self) -> Option<&mut Bound> {
        None
    }

    fn latest_bound(&self) -> Option<PathKey> {
        None
    }

    fn visit(&mut self, _: &Walk<'_>, entry: &DirEntry, relative: &Path) -> io::Result<()> {
        let Find { root, left_out, .. } = self.find;
        if is_folder(entry)
            || !self.glob.is_match(relative, false)
            || left_out.hides(root, relative)
        {
            return Ok(());
        }
        // A file that was removed meanwhile is skipped.
        let Ok(modified) = entry.metadata().map(|facts| facts.modified()) else { return Ok(()) };
        let since = modified?.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.found.push((Reverse(since.as_nanos()), PathKey::new(relative)));
        Ok(())
    }

    fn finish(&mut self, _: &Walk<'_>) {
        lock(self.all).append(&mut self.found);
    }
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}
