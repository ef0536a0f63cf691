//! Walking the folders of this machine, and searching the files found on the way.
//!
//! Blocking. Hidden files are included, `.git` never is, `.gitignore` is obeyed, links are not followed. Several
//! threads walk and search in no order; their results are sorted by path, and once there are more than the limit,
//! paths beyond the last one are skipped. So a limit ends the work early, and the result is deterministic.

mod facts;
mod ignored;
mod lines;
mod paths;

pub(super) use facts::{Fact, facts};
pub(super) use lines::grep;
pub(super) use paths::find;

use crate::exec::Error;
use crate::exec::search::PathKey;
use crate::exec::walk::ignored::Ignored;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Threads that search. More compete with the editor for the disk.
const MAX_THREADS: usize = 8;

/// A walk of a folder on several threads.
struct Walk<'a> {
    root: &'a Path,
    cancel: &'a CancellationToken,
    /// Files and folders below the root that are passed over.
    except: Vec<PathBuf>,
    /// Files and folders that could not be read.
    unread: AtomicUsize,
    /// Grows when there is a new bound.
    bounds: AtomicUsize,
}

/// The action of a walking thread on a path below the root.
trait Visit: Send {
    /// The path beyond which nothing is needed, as known to this thread.
    fn bound(&mut self) -> Option<&mut Bound>;

    /// Asks for the bound that holds now.
    fn latest_bound(&self) -> Option<PathKey>;

    /// Takes an entry.
    ///
    /// # Errors
    /// The path could not be read.
    fn visit(&mut self, walk: &Walk<'_>, entry: &DirEntry, relative: &Path) -> io::Result<()>;

    /// The thread has nothing more.
    fn finish(&mut self, walk: &Walk<'_>);
}

/// The path beyond which nothing is needed, as known to a thread.
#[derive(Default)]
struct Bound {
    /// The paths seen, of [`Walk::bounds`].
    seen: usize,
    key: Option<PathKey>,
    /// Kept for its memory.
    current: PathKey,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path, cancel: &'a CancellationToken) -> Self {
        Self {
            root,
            cancel,
            except: Vec::new(),
            unread: AtomicUsize::new(0),
            bounds: AtomicUsize::new(0),
        }
    }

    /// Passes over these files and folders too. Their paths are canonical.
    fn without(self, paths: &[PathBuf]) -> Self {
        let below = paths.iter().filter(|path| path.starts_with(self.root) && *path != self.root);
        Self { except: below.cloned().collect(), ..self }
    }

    fn run<V: Visit>(&self, max_depth: Option<usize>, visit: impl Fn() -> V) -> Result<(), Error> {
        self.run_on(all_threads(), max_depth, visit)
    }

    fn run_on<V: Visit>(
        &self,
        threads: usize,
        max_depth: Option<usize>,
        visit: impl Fn() -> V,
    ) -> Result<(), Error> {
        let walk = self.builder(max_depth).threads(threads).build_parallel();
        walk.visit(&mut Threads { walk: self, visit });
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn builder(&self, max_depth: Option<usize>) -> WalkBuilder {
        let ignored = Ignored::new(self.root);
        let except = self.except.clone();
        let mut builder = WalkBuilder::new(self.root);
        builder.standard_filters(false).follow_links(false).max_depth(max_depth).filter_entry(
            move |entry| {
                let is_git = entry.depth() > 0 && entry.file_name() == ".git";
                let is_excepted = except.iter().any(|path| path == entry.path());
                !is_git && !is_excepted && !ignored.is_ignored(entry)
            },
        );
        builder
    }

    /// Counts what could not be read.
    fn miss(&self, count: usize) {
        self.unread.fetch_add(count, Ordering::Relaxed);
    }

    /// Says that there is a new bound.
    fn bound_changed(&self) {
        self.bounds.fetch_add(1, Ordering::Release);
    }

    fn unread(&self, has_more: bool) -> usize {
        // The part of the rest that was visited depends on timing.
        if has_more { 0 } else { self.unread.load(Ordering::Relaxed) }
    }
}

/// The number of threads for a folder of many files.
pub(super) fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

struct Threads<'a, F> {
    walk: &'a Walk<'a>,
    visit: F,
}

impl<'a, V: Visit + 'a, F: Fn() -> V> ParallelVisitorBuilder<'a> for Threads<'a, F> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(Thread { walk: self.walk, visit: (self.visit)() })
    }
}

struct Thread<'a, V: Visit> {
    walk: &'a Walk<'a>,
    visit: V,
}

impl<V: Visit> ParallelVisitor for Thread<'_, V> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let walk = self.walk;
        if walk.cancel.is_cancelled() {
            return WalkState::Quit;
        }
        let Ok(entry) = entry else {
            walk.miss(1);
            return WalkState::Continue;
        };
        let Ok(relative) = entry.path().strip_prefix(walk.root) else { return WalkState::Continue };
        if entry.depth() == 0 {
            return WalkState::Continue;
        }
        let bounds = walk.bounds.load(Ordering::Acquire);
        if bounds > 0 {
            let is_old = self.visit.bound().is_some_and(|bound| bound.seen != bounds);
            let latest = if is_old { self.visit.latest_bound() } else { None };
            if let Some(bound) = self.visit.bound() {
                if is_old {
                    bound.seen = bounds;
                    bound.key = latest;
                }
                bound.current.set(relative);
                if bound.key.as_ref().is_some_and(|last| *last < bound.current) {
                    return WalkState::Skip;
                }
            }
        }
        if self.visit.visit(walk, &entry, relative).is_err() && !walk.cancel.is_cancelled() {
            walk.miss(1);
        }
        WalkState::Continue
    }
}

impl<V: Visit> Drop for Thread<'_, V> {
    fn drop(&mut self) {
        self.visit.finish(self.walk);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
