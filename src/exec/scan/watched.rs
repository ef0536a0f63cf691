//! Watches large trees between two scans, so that the second scan reads only changes.
//!
//! A tree is watched from its second scan on. A directory is watched before its files are read, and each change is reported by the time
//! that the system call which made it returns. The watch does not cover everything, so each scan also checks the root itself, mounts below
//! it, files with several names, and ignore files outside of the tree; with [`Care::Metadata`], it checks all known files. If directories
//! or ignore files have changed, or very many files, the whole tree is walked again, and the watch renewed.
//!
//! A tree is not watched if other machines may change it, or if it spans several file systems. Watches are scarce, and other programs need
//! them too: few trees are watched, each with a fraction of the user's watches.

use super::{Care, Compared, Files, ScannedFile, differences, is_same};
use crate::walk::{self, Fact, Ignored, OuterIgnoreFile};
use pintle_os::file::{self, Identity};
use pintle_os::watch::{Change, Folder, Watch};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::iter;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of trees that are watched at a time.
const MAX_TREES: usize = 4;

/// One tree may use this fraction of the user's watches.
const SHARE: usize = 16;

/// A walk is faster than looking at more files one by one.
const MAX_CHANGES: usize = 1000;

/// Files with these names contain ignore rules, or lead to them.
const RULES: [&str; 3] = [".ignore", ".gitignore", ".git"];

/// The watched trees of an environment.
#[derive(Debug)]
pub(crate) struct WatchedTrees {
    /// The maximum number of directories in a tree.
    max_folders: usize,
    state: Mutex<State>,
}

impl Default for WatchedTrees {
    fn default() -> Self {
        Self { max_folders: Watch::max_folders() / SHARE, state: Mutex::default() }
    }
}

#[derive(Debug, Default)]
struct State {
    /// The last used one comes last.
    trees: Vec<Tree>,
    /// Directories that cannot be watched, for instance because they have too many others.
    unwatchable: BTreeSet<PathBuf>,
}

/// A tree that has been watched since these files were found in it.
#[derive(Debug)]
pub(super) struct Tree {
    files: Arc<Files>,
    watched: Watched,
}

/// A directory's watch, and the state needed to find changes that it does not report.
#[derive(Debug)]
pub(super) struct Watched {
    root: PathBuf,
    identity: Identity,
    watch: Watch,
    folders: HashMap<Folder, PathBuf>,
    /// The files with several names.
    linked: BTreeSet<PathBuf>,
    /// The ignore files outside of the tree.
    outside: Vec<OuterIgnoreFile>,
}

/// The watches that a walk adds.
pub(super) struct Adding {
    root: PathBuf,
    identity: Identity,
    watch: Watch,
    /// The directories watched by the walk before.
    old: HashMap<Folder, PathBuf>,
    folders: Mutex<HashMap<Folder, PathBuf>>,
    max_folders: usize,
    has_failed: AtomicBool,
}

impl WatchedTrees {
    /// Removes and returns a watched tree.
    pub(super) fn take(&self, root: &Path) -> Option<Tree> {
        self.with(|State { trees, .. }| {
            let at = trees.iter().position(|tree| tree.watched.root == root)?;
            Some(trees.remove(at))
        })
    }

    /// Keeps a watch, and the files found when it was renewed.
    pub(super) fn put(&self, files: &Arc<Files>, watched: Watched) {
        let tree = Tree { files: Arc::clone(files), watched };
        // Another scan may have put one there.
        drop(self.take(&tree.watched.root));
        let oldest = self.with(|State { trees, .. }| {
            trees.push(tree);
            (trees.len() > MAX_TREES).then(|| trees.remove(0))
        });
        drop(oldest);
    }

    /// Prepares to watch a directory during a walk; `None` if that is not possible, or has failed before.
    pub(super) fn adding(&self, root: &Path, old: Option<Watched>) -> Option<Adding> {
        let has_failed = self.with(|state| state.unwatchable.contains(root));
        if has_failed { None } else { Adding::new(root, old, self.max_folders) }
    }

    /// Notes that a directory cannot be watched.
    pub(super) fn give_up(&self, root: &Path) {
        self.with(|state| state.unwatchable.insert(root.to_owned()));
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tree {
    /// Returns the differences to the files that a session knows, or `None` if that takes a walk. More than `max_files` need a walk too.
    pub(super) fn compare(
        &mut self,
        known: &Arc<Files>,
        care: Care,
        except: &[PathBuf],
        max_files: usize,
    ) -> Option<Compared> {
        let Self { files, watched } = self;
        // Another session may know other files, and an editor's unsaved text is not that of the file.
        let mut paths: BTreeSet<PathBuf> = if Arc::ptr_eq(files, known) {
            BTreeSet::new()
        } else {
            let different = differences(files, known);
            different.take(MAX_CHANGES + 1).map(|(path, ..)| path.clone()).collect()
        };
        if paths.len() > MAX_CHANGES {
            return None;
        }
        let unseen: BTreeSet<PathBuf> =
            paths.iter().filter(|path| !files.contains_key(*path)).cloned().collect();
        if care == Care::Metadata {
            paths.extend(altered(known));
        }
        let compared = watched.compare(known, paths, &unseen, except)?;
        (known.len() + compared.changed.len() <= max_files).then_some(compared)
    }

    pub(super) fn into_watched(self) -> Watched {
        self.watched
    }
}

impl Watched {
    /// Compares the changed files, and these `paths`, with the known files. Ignored ones may be among the `unseen`, which the last scan did
    /// not find. Returns `None` if a walk is needed.
    fn compare(
        &mut self,
        known: &Files,
        mut paths: BTreeSet<PathBuf>,
        unseen: &BTreeSet<PathBuf>,
        except: &[PathBuf],
    ) -> Option<Compared> {
        let changes = self.changes()?;
        let ignored = Ignored::new(&self.root);
        // So is everything in a directory that is left out.
        let is_left_out = |path: &Path, is_folder: bool| {
            let within = path.ancestors().take_while(|above| *above != self.root);
            let mut within = within.zip(iter::once(is_folder).chain(iter::repeat(true)));
            within.any(|(path, is_folder)| {
                except.iter().any(|each| each == path) || ignored.is_ignored(path, is_folder)
            })
        };
        paths.extend(self.linked.iter().cloned());
        for (path, is_folder) in changes {
            if is_folder && !is_left_out(&path, true) {
                return None;
            }
            paths.insert(path);
        }
        let mut compared = Compared { changed: Vec::new(), gone: Vec::new() };
        for path in paths {
            let facts = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file);
            let seen = known.get(&path);
            match (facts, seen) {
                (None, None) => {}
                (None, Some(_)) => compared.gone.push(path),
                (Some(_), None) if is_left_out(&path, false) => {}
                (Some(_), Some(_)) if unseen.contains(&path) && is_left_out(&path, false) => {
                    compared.gone.push(path);
                }
                (Some(facts), Some(seen)) if is_same(seen, &facts) => {}
                (Some(facts), _) => compared.changed.push((path, facts)),
            }
        }
        let mut differing = compared.changed.iter().map(|(path, _)| path).chain(&compared.gone);
        // It may have been changed under another name.
        if differing.any(|path| is_rule(path.file_name())) {
            return None;
        }
        self.note_linked(&compared.changed);
        for path in &compared.gone {
            self.linked.remove(path);
        }
        Some(compared)
    }

    /// Returns the changed entries of the tree, each with whether it is a directory; `None` if some are unknown, or affect ignore rules.
    fn changes(&self) -> Option<BTreeSet<(PathBuf, bool)>> {
        let changes = self.watch.changes().ok()?;
        let is_at_its_place = Identity::at(&self.root).is_ok_and(|found| found == self.identity);
        let is_whole = Watch::is_whole(&self.root).unwrap_or_default();
        if !is_at_its_place || !is_whole || !self.outside.iter().all(OuterIgnoreFile::is_unchanged)
        {
            return None;
        }
        let mut entries = BTreeSet::new();
        for change in changes {
            let Change::Entry { folder, name, is_folder } = change else { return None };
            // The directory may have been moved out of the tree.
            let Some(folder) = self.folders.get(&folder) else { continue };
            if is_rule(Some(&name)) {
                return None;
            }
            entries.insert((folder.join(name), is_folder));
            if entries.len() > MAX_CHANGES {
                return None;
            }
        }
        Some(entries)
    }

    /// Notes the files with several names among these.
    fn note_linked(&mut self, facts: &[Fact]) {
        for (path, facts) in facts {
            if file::links(path, facts) > 1 {
                self.linked.insert(path.clone());
            } else {
                self.linked.remove(path);
            }
        }
    }
}

/// Returns true if changing an entry with this name may affect ignore rules.
fn is_rule(name: Option<&OsStr>) -> bool {
    name.is_some_and(|name| RULES.iter().any(|rule| name == *rule))
}

/// Returns the files whose metadata differs, found by several threads.
fn altered(known: &Files) -> BTreeSet<PathBuf> {
    let files: Vec<_> = known.iter().collect();
    let part = files.len().div_ceil(walk::all_threads()).max(1);
    let is_altered = |&(path, seen): &(&PathBuf, &ScannedFile)| {
        !path.symlink_metadata().is_ok_and(|facts| facts.is_file() && is_same(seen, &facts))
    };
    let of_part = |files: &[(&PathBuf, &ScannedFile)]| -> Vec<PathBuf> {
        let altered = files.iter().copied().filter(is_altered);
        altered.map(|(path, _)| path.clone()).collect()
    };
    std::thread::scope(|scope| {
        let mut parts = files.chunks(part);
        let first = parts.next().unwrap_or_default();
        let threads: Vec<_> = parts.map(|files| scope.spawn(move || of_part(files))).collect();
        let mut altered: BTreeSet<PathBuf> = of_part(first).into_iter().collect();
        for thread in threads {
            altered.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        altered
    })
}

impl Adding {
    /// Prepares to watch a directory, if that is possible: with the old watch, if there is one.
    fn new(root: &Path, old: Option<Watched>, max_folders: usize) -> Option<Self> {
        let identity = Identity::at(root).ok()?;
        if !Watch::is_whole(root).ok()? {
            return None;
        }
        let (watch, folders) = match old {
            Some(old) => (old.watch, old.folders),
            None => (Watch::on(root).ok()??, HashMap::new()),
        };
        // Changes up to here are found by the walk.
        watch.changes().ok()?;
        let adding = Self {
            root: root.to_owned(),
            identity,
            watch,
            old: folders,
            folders: Mutex::default(),
            max_folders,
            has_failed: AtomicBool::new(false),
        };
        adding.add(root);
        Some(adding)
    }

    /// Watches a directory of the tree, whose entries were not read yet.
    pub(super) fn add(&self, folder: &Path) {
        if self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        let added = Identity::at(folder).and_then(|found| {
            let is_here = found.device == self.identity.device;
            if is_here { self.watch.add(folder) } else { Err(io::ErrorKind::CrossesDevices.into()) }
        });
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        match added {
            Ok(added) if folders.len() < self.max_folders => {
                folders.insert(added, folder.to_owned());
            }
            // Its removal is reported for the directory above.
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {}
            Ok(_) | Err(_) => self.has_failed.store(true, Ordering::Relaxed),
        }
    }

    /// Returns the watch after a walk that found these files and obeyed these ignore files outside of the tree.
    pub(super) fn finish(self, found: &[Fact], outside: Vec<OuterIgnoreFile>) -> Option<Watched> {
        if self.has_failed.into_inner() {
            return None;
        }
        let folders = self.folders.into_inner().unwrap_or_else(PoisonError::into_inner);
        for folder in self.old.into_keys().filter(|folder| !folders.contains_key(folder)) {
            self.watch.remove(folder);
        }
        let mut watched = Watched {
            root: self.root,
            identity: self.identity,
            watch: self.watch,
            folders,
            linked: BTreeSet::new(),
            outside,
        };
        watched.note_linked(found);
        (watched.linked.len() <= MAX_CHANGES).then_some(watched)
    }
}

#[cfg(test)]
mod tests;
