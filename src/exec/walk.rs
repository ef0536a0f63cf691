//! Walking the folders of this machine, and searching the files found on the way.
//!
//! Blocking. Hidden files take part, `.git` never does, `.gitignore` is obeyed, links are not followed. The walk is in path order;
//! files are searched on several threads and put back into that order.

use crate::exec::search::{Collector, FileLines, LineSearch, PathGlob};
use crate::exec::{Error, FileKind, Find, Found, FoundPath, Grep, Grepped, files};
use ignore::{Walk, WalkBuilder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use tokio_util::sync::CancellationToken;

/// Threads that search. More compete with the editor for the disk.
const MAX_THREADS: usize = 8;

/// Files the walk may be ahead of the search: enough that nobody waits, few enough to stop soon.
const AHEAD: usize = 256;

fn walk(root: &Path) -> Walk {
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build()
}

pub(super) fn find(find: &Find, cancel: &CancellationToken) -> Result<Found, Error> {
    let glob = PathGlob::new(&find.glob)?;
    if files::stat(&find.root)?.kind != FileKind::Folder {
        return Err(Error::NotFolder(find.root.clone()));
    }
    let mut found = Found::default();
    for entry in walk(&find.root).flatten().filter(|entry| entry.depth() > 0) {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let path = entry.path().strip_prefix(&find.root).unwrap_or(entry.path());
        if !glob.is_match(path) {
            continue;
        }
        if found.paths.len() == find.max_paths {
            found.has_more = true;
            break;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        found.paths.push(FoundPath { path: path.to_path_buf(), is_folder });
    }
    Ok(found)
}

pub(super) fn grep(grep: &Grep, cancel: &CancellationToken) -> Result<Grepped, Error> {
    let mut search = LineSearch::new(grep)?;
    let glob = grep.glob.as_deref().map(PathGlob::new).transpose()?;
    match files::stat(&grep.root)?.kind {
        FileKind::Folder => {}
        FileKind::File | FileKind::Other => {
            let mut collector = Collector::new(grep);
            let name = grep.root.file_name().map(PathBuf::from).unwrap_or_default();
            collector.add(name, search.path(&grep.root));
            return Ok(collector.finish());
        }
    }
    let files = walk(&grep.root)
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let relative = entry.path().strip_prefix(&grep.root).ok()?.to_path_buf();
            let is_wanted = glob.as_ref().is_none_or(|glob| glob.is_match(&relative));
            is_wanted.then(|| (entry.into_path(), relative))
        });
    let ordered = search_all(files, &search, grep, cancel);
    if cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(ordered) }
}

/// One file's place in the walk, where it is, and what it is called in the answer.
type Job = (usize, PathBuf, PathBuf);

fn search_all(
    files: impl Iterator<Item = (PathBuf, PathBuf)>,
    search: &LineSearch,
    grep: &Grep,
    cancel: &CancellationToken,
) -> Grepped {
    let order =
        Mutex::new(Order { collector: Collector::new(grep), next: 0, waiting: BTreeMap::new() });
    let is_over = || cancel.is_cancelled() || lock(&order).collector.is_full();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let (tx, rx) = mpsc::sync_channel::<Job>(AHEAD);
    let rx = Mutex::new(rx);
    std::thread::scope(|scope| {
        let (rx, order, is_over) = (&rx, &order, &is_over);
        let searchers: Vec<_> = (0..threads)
            .map(|_| {
                let mut search = search.clone();
                scope.spawn(move || {
                    loop {
                        let job = lock(rx).recv();
                        let Ok((place, path, relative)) = job else { return };
                        // After the end jobs are only taken off, so that the walk never waits.
                        if !is_over() {
                            let found = search.path(&path);
                            lock(order).put(place, relative, found);
                        }
                    }
                })
            })
            .collect();
        for (place, (path, relative)) in files.enumerate() {
            if is_over() || tx.send((place, path, relative)).is_err() {
                break;
            }
        }
        drop(tx);
        for searcher in searchers {
            // A searcher that panicked has found nothing; the others go on.
            let _ = searcher.join();
        }
    });
    order.into_inner().unwrap_or_else(PoisonError::into_inner).collector.finish()
}

/// Answers that come in any order and leave in the order of the walk.
struct Order {
    collector: Collector,
    next: usize,
    waiting: BTreeMap<usize, (PathBuf, FileLines)>,
}

impl Order {
    fn put(&mut self, place: usize, path: PathBuf, found: FileLines) {
        self.waiting.insert(place, (path, found));
        while let Some((path, found)) = self.waiting.remove(&self.next) {
            self.collector.add(path, found);
            self.next += 1;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
