//! Walking local directories, and searching the files found on the way.
//!
//! Blocking. Hidden files are included, `.git` never is, `.gitignore` is obeyed, links are not followed. If everything in the searched
//! directory is ignored, the search was intended, and runs anyway. Several threads walk and search in no order; their results are sorted by
//! path, and once there are more than the limit, paths beyond the last one are skipped. So a limit ends the work early, and the result is
//! deterministic.

mod facts;
mod ignored;
mod lines;
mod paths;

pub(super) use facts::{Fact, Folder};
pub(super) use ignored::{Ignored, OuterIgnoreFile};
pub(super) use lines::grep;
pub(super) use paths::find;

use crate::Error;
use crate::search::{PathGlob, PathKey};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Threads that search. More compete with the editor for the disk.
const MAX_THREADS: usize = 8;

/// A directory walk on several threads.
struct Walk<'a> {
    root: &'a Path,
    cancel: &'a CancellationToken,
    /// Files and directories below the root to skip.
    except: Vec<PathBuf>,
    /// The number of unreadable files and directories.
    unread: AtomicUsize,
    /// Grows when there is a new bound.
    bounds: AtomicUsize,
    /// True if ignored paths are walked too.
    is_bare: bool,
    /// Selects the ignored paths to note.
    glob: Option<PathGlob>,
    noted: Arc<Noted>,
    ignored: Arc<Ignored>,
}

/// Paths that a walk left out because the project ignores them.
#[derive(Default)]
struct Noted {
    /// True if any file was not ignored.
    has_files: AtomicBool,
    has_ignored: AtomicBool,
    /// The first ignored path in path order that the glob matches.
    named: Mutex<Option<PathBuf>>,
}

/// A walking thread's action on a path below the root.
trait Visit: Send {
    /// Returns the path beyond which nothing is needed, as known to this thread.
    fn bound(&mut self) -> Option<&mut Bound>;

    /// Returns the current bound.
    fn latest_bound(&self) -> Option<PathKey>;

    /// Visits an entry.
    ///
    /// # Errors
    /// The path could not be read.
    fn visit(&mut self, walk: &Walk<'_>, entry: &DirEntry, relative: &Path) -> io::Result<()>;

    /// Called when the thread has no more entries.
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
            is_bare: false,
            glob: None,
            noted: Arc::default(),
            ignored: Arc::new(Ignored::new(root)),
        }
    }

    /// Searches a directory, and once more if everything in it is ignored. Returns the result with a path that the glob matches and that
    /// was left out.
    fn search<T>(
        root: &'a Path,
        glob: Option<&PathGlob>,
        cancel: &'a CancellationToken,
        search: impl Fn(&Self) -> Result<T, Error>,
    ) -> Result<(T, Option<PathBuf>), Error> {
        let walk = Self { glob: glob.cloned(), ..Self::new(root, cancel) };
        let found = search(&walk)?;
        let Noted { has_files, has_ignored, named } = &*walk.noted;
        if has_ignored.load(Ordering::Relaxed) && !has_files.load(Ordering::Relaxed) {
            return Ok((search(&Self { is_bare: true, ..Self::new(root, cancel) })?, None));
        }
        let named = lock(named).take();
        Ok((found, named))
    }

    /// Skips these files and directories too. Their paths are canonical.
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
        let ignored = (!self.is_bare).then(|| Arc::clone(&self.ignored));
        let except = self.except.clone();
        let (noted, glob, root) =
            (Arc::clone(&self.noted), self.glob.clone(), self.root.to_owned());
        let mut builder = WalkBuilder::new(self.root);
        builder.standard_filters(false).follow_links(false).max_depth(max_depth).filter_entry(
            move |entry| {
                let is_git = entry.depth() > 0 && entry.file_name() == ".git";
                let is_excepted = except.iter().any(|path| path == entry.path());
                if is_git || is_excepted {
                    return false;
                }
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                let is_ignored = entry.depth() > 0
                    && ignored
                        .as_ref()
                        .is_some_and(|ignored| ignored.is_ignored(entry.path(), is_folder));
                noted.record(entry, &root, glob.as_ref(), is_ignored);
                !is_ignored
            },
        );
        builder
    }

    /// Counts unreadable paths.
    fn miss(&self, count: usize) {
        self.unread.fetch_add(count, Ordering::Relaxed);
    }

    /// Announces a new bound.
    fn bound_changed(&self) {
        self.bounds.fetch_add(1, Ordering::Release);
    }

    fn unread(&self, has_more: bool) -> usize {
        // How much of the rest was visited depends on timing.
        if has_more { 0 } else { self.unread.load(Ordering::Relaxed) }
    }
}

impl Noted {
    fn record(&self, entry: &DirEntry, root: &Path, glob: Option<&PathGlob>, is_ignored: bool) {
        let set = |flag: &AtomicBool| {
            // Threads share the flag, and reading costs them less than writing.
            if !flag.load(Ordering::Relaxed) {
                flag.store(true, Ordering::Relaxed);
            }
        };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if !is_ignored {
            if !is_folder {
                set(&self.has_files);
            }
            return;
        }
        set(&self.has_ignored);
        let (Some(glob), Ok(path)) = (glob, entry.path().strip_prefix(root)) else { return };
        if glob.is_match(path, is_folder) || (is_folder && glob.names(path)) {
            let mut named = lock(&self.named);
            if named.as_deref().is_none_or(|known| path < known) {
                *named = Some(path.to_owned());
            }
        }
    }
}

/// Returns the number of threads for a directory with many files.
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
