//! The ignore files that a walk obeys: `.ignore`, `.gitignore` and `.git/info/exclude` of each directory and of those above the root.
//!
//! The crate `ignore` could read them itself, but opens any file type at the path and reads all of it: a named pipe blocks the thread
//! forever, and each megabyte of patterns takes hundreds of megabytes of memory. Here they are opened by `private_files`, which follows no link at
//! such a path (git follows none either), and only then passed to the crate, line by line and within limits. A file over a limit is ignored
//! entirely and logged, since half of its lines may have another meaning.
//!
//! Precedence is the crate's: `.ignore` before `.gitignore` before `.git/info/exclude`, and of each kind the file of the deepest directory
//! that has a matching line.

#![expect(clippy::disallowed_methods, reason = "exec is where files are touched")]

use crate::file_mark::{is_fresh, mark};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use pintle_base::private_files::{self, Links};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The maximum size of a file of patterns.
const MAX_BYTES: u64 = 256 * 1024;

/// The maximum size of a file that points to a worktree's or submodule's git directory.
const MAX_LINK_BYTES: u64 = 16 * 1024;

/// The maximum number of plain patterns of one file; a pattern that takes a regular expression counts [`GLOB_COST`] times, as it takes
/// that much more memory (11 KB, measured).
const MAX_PATTERNS: usize = 15_000;

/// The maximum for all files of a walk, counted the same way: 40 MB.
const MAX_ALL_PATTERNS: usize = 40_000;

/// The number of plain patterns that a glob counts for.
const GLOB_COST: usize = 10;

/// The patterns by which a walk leaves files out. Shared by its threads.
#[derive(Debug)]
pub(crate) struct Ignored {
    root: PathBuf,
    /// The files outside of the root that decide, whether they exist or not.
    outside: Mutex<Vec<OuterIgnoreFile>>,
    /// The rules that apply in a directory. A directory without ignore files shares those of its parent.
    folders: RwLock<HashMap<OsString, Option<Arc<Rules>>>>,
    /// The number of patterns taken so far.
    patterns: AtomicUsize,
}

/// A file outside of a walked directory that has ignore rules for it, in the state in which it was read.
#[derive(Debug, Clone)]
pub(crate) struct OuterIgnoreFile {
    path: PathBuf,
    was: Kind,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    None,
    /// Whatever is in it.
    Folder,
    File {
        mark: u128,
    },
    /// A file whose metadata does not distinguish its contents.
    Fresh,
}

impl OuterIgnoreFile {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), was: Kind::read(path) }
    }

    /// Returns true if the file is as it was.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.was != Kind::Fresh && Kind::read(&self.path) == self.was
    }
}

impl Kind {
    fn read(path: &Path) -> Self {
        match path.symlink_metadata() {
            Err(_) => Self::None,
            Ok(facts) if facts.is_dir() => Self::Folder,
            Ok(facts) if is_fresh(&facts) => Self::Fresh,
            Ok(facts) => Self::File { mark: mark(&facts) },
        }
    }
}

/// A directory's rules.
#[derive(Debug)]
struct Rules {
    /// Rules from the nearest directory above that has any.
    above: Option<Arc<Rules>>,
    /// By kind, the strongest first.
    kinds: [Gitignore; KINDS],
}

const KINDS: usize = 3;

impl Ignored {
    /// Reads the ignore files above a root, whose path is canonical.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            outside: Mutex::default(),
            folders: RwLock::new(HashMap::new()),
            patterns: AtomicUsize::new(0),
        }
    }

    /// Returns true if a walk leaves out this path below the root.
    pub(crate) fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        let Some(folder) = path.parent() else { return false };
        let rules = self.rules_of(folder);
        (0..KINDS)
            .map(|kind| decision(rules.as_deref(), kind, path, is_folder))
            .find_map(|found| match found {
                Match::None => None,
                Match::Ignore(()) => Some(true),
                Match::Whitelist(()) => Some(false),
            })
            .unwrap_or(false)
    }

    fn rules_of(&self, folder: &Path) -> Option<Arc<Rules>> {
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(folder.as_os_str()) {
            return rules.clone();
        }
        drop(known);
        // A walk reaches a directory after its parent; those above the root are read on the way to the first entry.
        let above = folder.parent().and_then(|above| self.rules_of(above));
        let rules = self.read(folder, above);
        let mut known = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(folder.as_os_str().to_owned(), rules.clone());
        rules
    }

    fn read(&self, folder: &Path, above: Option<Arc<Rules>>) -> Option<Arc<Rules>> {
        let (local, shared) = (folder.join(".ignore"), folder.join(".gitignore"));
        if !folder.starts_with(&self.root) {
            self.note_outside([&local, &shared, &folder.join(".git")]);
        }
        let exclude = git_folder(folder).map(|git| git.join("info/exclude"));
        self.note_outside(&exclude);
        let files = [Some(local), Some(shared), exclude];
        let kinds = files.map(|file| match file {
            Some(file) => self.matcher(folder, &file).unwrap_or_else(Gitignore::empty),
            None => Gitignore::empty(),
        });
        if kinds.iter().all(Gitignore::is_empty) {
            return above;
        }
        Some(Arc::new(Rules { above, kinds }))
    }

    fn note_outside<'a>(&self, paths: impl IntoIterator<Item = &'a PathBuf>) {
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        outside.extend(paths.into_iter().map(|path| OuterIgnoreFile::new(path)));
    }

    /// Returns the files outside of the root that have decided so far.
    pub(super) fn outside(&self) -> Vec<OuterIgnoreFile> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn matcher(&self, folder: &Path, file: &Path) -> Option<Gitignore> {
        let not_obeyed = |why: &dyn std::fmt::Display| {
            if is_first_time(file) {
                tracing::warn!("{} is not obeyed: {why}", file.display());
            }
        };
        let content = match private_files::read_with(file, MAX_BYTES, Links::Refused) {
            Ok(content) => content,
            Err(error) => {
                let is_usual =
                    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                if !is_usual {
                    not_obeyed(&error);
                }
                return None;
            }
        };
        let text = String::from_utf8_lossy(&content);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_pattern = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let count = text.lines().filter(is_pattern).map(cost).sum();
        if count > MAX_PATTERNS {
            not_obeyed(&format!("{count} patterns, over the limit of {MAX_PATTERNS} for a file"));
            return None;
        }
        let all = self.patterns.fetch_add(count, Ordering::Relaxed) + count;
        if all > MAX_ALL_PATTERNS {
            let root = self.root.display();
            not_obeyed(&format!("over the limit of {MAX_ALL_PATTERNS} patterns below {root}"));
            return None;
        }
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines().filter(is_pattern) {
            if let Err(error) = builder.add_line(None, line) {
                tracing::debug!("{}: {error}", file.display());
            }
        }
        builder.build().map_err(|error| not_obeyed(&error)).ok()
    }
}

/// Returns true for a file not reported before, as long as there are few: each command walks the directory twice.
fn is_first_time(file: &Path) -> bool {
    const MAX_TOLD: usize = 32;
    /// The files reported by this process. Locked only for a lookup.
    static TOLD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    told.len() < MAX_TOLD && told.insert(file.to_owned())
}

/// Returns the number of plain patterns that a line counts for. Names and endings (`*.o`) are looked up and not matched.
fn cost(pattern: &str) -> usize {
    let rest = pattern.strip_prefix("*.").unwrap_or(pattern);
    if rest.contains(['*', '?', '[', '{']) { GLOB_COST } else { 1 }
}

/// Returns what the deepest file of a kind with a matching line decides.
fn decision(mut rules: Option<&Rules>, kind: usize, path: &Path, is_folder: bool) -> Match<()> {
    while let Some(here) = rules {
        let found = here.kinds.get(kind).map(|rules| rules.matched(path, is_folder).map(|_| ()));
        if let Some(found @ (Match::Ignore(()) | Match::Whitelist(()))) = found {
            return found;
        }
        rules = here.above.as_deref();
    }
    Match::None
}

/// Returns the git directory that contains `info/exclude` for a repository in this directory. A worktree's or submodule's `.git` is a file
/// that points to it.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let line = |path: &Path| {
        let content = private_files::read_with(path, MAX_LINK_BYTES, Links::Refused).ok()?;
        Some(String::from_utf8_lossy(&content).lines().next()?.to_owned())
    };
    let facts = std::fs::metadata(&git).ok()?;
    if facts.is_dir() {
        return Some(git);
    }
    let named = line(&git)?;
    let real = folder.join(named.strip_prefix("gitdir: ")?);
    let common = line(&real.join("commondir"))?;
    Some(real.join(common))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::Folder;
    use std::fmt::Write;
    use tokio_util::sync::CancellationToken;

    fn found(root: &Path) -> Vec<String> {
        let folder = Folder { root, except: &[], threads: 2, entering: &|_| {} };
        let (found, _) = folder.facts(&|_| false, &CancellationToken::new()).unwrap();
        let mut found: Vec<String> = found
            .iter()
            .map(|(path, _)| path.strip_prefix(root).unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort();
        found
    }

    /// Returns how much the program's memory grew through some work, in KiB.
    fn grown(work: impl FnOnce()) -> i64 {
        let held = || -> i64 {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        let before = held();
        work();
        held() - before
    }

    #[test]
    fn files_of_patterns_are_obeyed_as_the_crate_does() {
        let folder = tempfile::tempdir().unwrap();
        let top = pintle_os::names::canonicalize(folder.path()).unwrap();
        let root = top.join("root");
        let write = |path: &str, text: &str| {
            let path = top.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(".gitignore", "above.txt\nkept.txt\n");
        write("root/.gitignore", "\u{feff}# a comment\n*.log\n/out/\n!kept.txt\n \nboth\n");
        write("root/.ignore", "!seen.log\n");
        write("root/sub/.gitignore", "!inner.log\nonly\n");
        write("root/.git/info/exclude", "excluded\nkept.txt\n");
        write("root/tree/.git", "gitdir: ../.git/worktrees/tree\n");
        write("root/.git/worktrees/tree/commondir", "../..\n");
        for path in [
            "above.txt",
            "kept.txt",
            "a.log",
            "seen.log",
            "out/x",
            "sub/out/x",
            "sub/inner.log",
            "sub/only",
            "only",
            "excluded",
            "sub/excluded",
            "tree/excluded",
            "both/x",
            "plain",
        ] {
            write(&format!("root/{path}"), "");
        }
        let ours = found(&root);
        let mut crates = ignore::WalkBuilder::new(&root);
        crates.hidden(false).require_git(false).git_global(false);
        crates.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
        let mut theirs: Vec<String> = crates
            .build()
            .flatten()
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
            .collect();
        theirs.sort();
        assert_eq!(ours, theirs);
        assert!(ours.contains(&"seen.log".to_owned()) && !ours.contains(&"a.log".to_owned()));
    }

    #[test]
    fn odd_files_of_patterns_end_no_walk_and_take_little_memory() {
        let many = |line: &dyn Fn(usize) -> String, count: usize| {
            (0..count).fold(String::new(), |mut text, index| {
                let _ = writeln!(text, "{}", line(index));
                text
            })
        };
        let globs = |index: usize| format!("**/a{index}?b*c[d-z]/**/e*");
        for (name, content, is_obeyed) in [
            ("plain", "*.o\n".to_owned(), true),
            ("too large", format!("*.o\n{}", "x".repeat(300_000)), false),
            ("one long line", "x".repeat(20_000_000), false),
            ("many names", many(&|index| format!("name{index}"), MAX_PATTERNS - 1) + "*.o\n", true),
            ("too many", many(&|index| format!("n{index}"), MAX_PATTERNS) + "*.o\n", false),
            ("many globs", many(&globs, MAX_PATTERNS / GLOB_COST - 1) + "*.o\n", true),
            ("too many globs", many(&globs, MAX_PATTERNS / GLOB_COST) + "*.o\n", false),
            ("invalid", "[\n**a\\\n*.o\n".to_owned(), true),
        ] {
            for file in [".gitignore", ".ignore"] {
                let folder = tempfile::tempdir().unwrap();
                let root = pintle_os::names::canonicalize(folder.path()).unwrap();
                std::fs::write(root.join(file), &content).unwrap();
                std::fs::write(root.join("a.o"), "").unwrap();
                let grown = grown(|| {
                    let found = found(&root).contains(&"a.o".to_owned());
                    assert_eq!(found, !is_obeyed, "{name}");
                });
                assert!(grown < 40_000, "{name}: {grown} KiB");
            }
        }
        for file in [".gitignore", ".ignore", ".git"] {
            let folder = tempfile::tempdir().unwrap();
            let root = pintle_os::names::canonicalize(folder.path()).unwrap();
            std::fs::write(root.join("a.o"), "").unwrap();
            pintle_testing::files::fifo(root.join(file));
            assert_eq!(found(&root), ["a.o"], "a pipe as {file}");
            std::fs::remove_file(root.join(file)).unwrap();
            pintle_testing::files::symlink("/dev/zero", root.join(file));
            assert_eq!(found(&root), ["a.o"], "a link to a device as {file}");
        }
    }
}
