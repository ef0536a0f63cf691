//! A scan of a directory's files, so that a command's effect on them can be reported and undone.
//!
//! Blocking. `.git` is skipped, `.gitignore` is obeyed, links are not followed. Every file is checked, by several threads. A file with
//! unchanged time, size and inode number is not read again, so a scan that was cut short by a limit continues from there. If no file has
//! changed, the known files themselves are returned, so that the caller sees at once that there is nothing to compare.
//!
//! A large directory is watched between two scans if the system can do that (`watched`).
//!
//! Invariant: the caller gets all files, or learns that there are more.
#![expect(clippy::disallowed_methods, reason = "exec is where files are touched")]

mod watched;

pub(super) use watched::WatchedTrees;

use super::file_mark::{is_fresh, mark};
use super::files::Cancellable;
use super::walk::{self, Fact};
use super::{Error, beneath};
use pintle_base::private_files;
use pintle_os::file::{self, Facts};
use pintle_protocol::files::FileState;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use watched::{Tree, Watched};

/// Keeps a content. Its hash is returned even if there is no space for it.
pub type Keep = Arc<dyn Fn(&[u8]) -> StoredContent + Send + Sync>;

/// The result of keeping a content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredContent {
    /// The content's hash, in hex.
    pub sha256: String,
    /// True if the content could not be kept.
    pub is_lost: bool,
}

/// Scan limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of files to scan.
    pub files: usize,
    /// The maximum number of bytes read of new or changed files.
    pub bytes: u64,
    /// The maximum duration of finding the files, and that of reading them.
    pub time: Duration,
    /// The maximum size of a file whose content is kept, in bytes.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 20_000,
            bytes: 200 * 1024 * 1024,
            time: Duration::from_secs(1),
            file_bytes: 16 * 1024 * 1024,
        }
    }
}

/// A scan to run.
pub struct Scan {
    /// The directory.
    pub root: PathBuf,
    /// The last scan's result.
    pub known: Arc<Files>,
    /// The store of contents.
    pub keep: Keep,
    /// The limits.
    pub limits: Limits,
    /// How the known files are compared.
    pub care: Care,
}

/// How the known files are compared with those in a watched directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Only files reported by the watch. It misses files written through an open memory mapping, or through a hard link that was made
    /// elsewhere since the last scan; the next scan with [`Care::Metadata`] finds them.
    Watch,
    /// The metadata of each.
    Metadata,
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("root", &self.root).finish_non_exhaustive()
    }
}

/// A scan's result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scanned {
    /// The files found; for parts that the scan did not reach, those known before. The known ones themselves, if nothing has changed.
    pub files: Arc<Files>,
    /// The limit that ended the scan early, if one did.
    pub over: Option<ScanLimit>,
}

/// The limit that ended a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanLimit {
    /// The limit, as text.
    pub why: String,
    /// The next scan, which knows these results, continues from there. Otherwise there are too many files.
    pub can_go_on: bool,
}

/// A directory's files, by path.
pub type Files = BTreeMap<PathBuf, ScannedFile>;

/// A file found by a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannedFile {
    /// Metadata that distinguishes contents without reading them.
    pub mark: u128,
    /// The file's state.
    pub state: FileState,
}

/// A directory with fewer files is not worth several threads.
const FEW_FILES: usize = 1000;

/// Marks a file whose metadata does not distinguish its contents; no real file has this mark.
const UNTRUSTED: u128 = 0;

/// Scans a local directory, skipping unreadable parts and the files and directories in `except`.
///
/// # Errors
/// [`Error::Cancelled`].
pub(super) fn scan(
    scan: &Scan,
    except: &[PathBuf],
    trees: &WatchedTrees,
    cancel: &CancellationToken,
) -> Result<Scanned, Error> {
    let &Scan { ref root, ref known, limits, care, .. } = scan;
    let mut tree = trees.take(root);
    let compared = tree.as_mut().and_then(|tree| tree.compare(known, care, except, limits.files));
    let watched = tree.map(Tree::into_watched);
    let (compared, watched) = match compared {
        Some(compared) => (compared, watched),
        None => match walk(scan, except, trees, watched, cancel)? {
            Walked::All { compared, watched } => (compared, watched),
            Walked::Over(over) => {
                return Ok(Scanned { files: Arc::clone(known), over: Some(over) });
            }
        },
    };
    let scanned = read(scan, compared, cancel)?;
    if let (None, Some(watched)) = (&scanned.over, watched) {
        trees.put(&scanned.files, watched);
    }
    Ok(scanned)
}

/// How a walk ended.
enum Walked {
    All { compared: Compared, watched: Option<Watched> },
    Over(ScanLimit),
}

/// Walks a directory, and watches it from then on if it is large.
fn walk(
    scan: &Scan,
    except: &[PathBuf],
    trees: &WatchedTrees,
    watched: Option<Watched>,
    cancel: &CancellationToken,
) -> Result<Walked, Error> {
    let Scan { root, known, limits, .. } = scan;
    let began = Instant::now();
    let is_late = || began.elapsed() > limits.time;
    let is_large = known.len() >= FEW_FILES;
    // Threads that run out of work pause before they end.
    let is_deep = is_large || (known.is_empty() && has_folders(root));
    let threads = if is_deep { walk::all_threads() } else { 1 };
    let is_enough = |count: usize| count > limits.files || (count % 64 == 1 && is_late());
    let is_worth_it = is_large || watched.is_some();
    let adding = if is_worth_it { trees.adding(root, watched) } else { None };
    let entering = |folder: &Path| {
        if let Some(adding) = &adding {
            adding.add(folder);
        }
    };
    let walk = walk::Folder { root, except, threads, entering: &entering };
    let (found, outside) = walk.facts(&is_enough, cancel)?;
    if found.len() > limits.files {
        let why = format!("there are more than {} files", limits.files);
        return Ok(Walked::Over(ScanLimit { why, can_go_on: false }));
    }
    if is_late() {
        return Ok(Walked::Over(late(limits)));
    }
    let watched = match adding {
        None => None,
        Some(adding) => {
            let watched = adding.finish(&found, outside);
            if watched.is_none() {
                trees.give_up(root);
            }
            watched
        }
    };
    Ok(Walked::All { compared: compare(known, found), watched })
}

/// Returns true if a directory contains others.
fn has_folders(root: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(root) else { return false };
    let mut entries = entries.flatten();
    entries
        .any(|entry| entry.file_name() != ".git" && entry.file_type().is_ok_and(|is| is.is_dir()))
}

fn late(limits: &Limits) -> ScanLimit {
    let why = format!("scanning them takes longer than {} s", limits.time.as_secs_f32());
    ScanLimit { why, can_go_on: true }
}

/// Reads the files that differ from the known ones.
fn read(
    scan: &Scan,
    Compared { mut changed, gone }: Compared,
    cancel: &CancellationToken,
) -> Result<Scanned, Error> {
    let Scan { known, keep, limits, .. } = scan;
    if changed.is_empty() && gone.is_empty() {
        return Ok(Scanned { files: Arc::clone(known), over: None });
    }
    // Reading has its own time, so that each scan gets further than the one before.
    let began = Instant::now();
    let over = |files, over| Ok(Scanned { files: Arc::new(files), over: Some(over) });
    changed.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut files = Files::clone(known);
    let mut read = 0;
    for (path, facts) in changed {
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let mark = mark(&facts);
        let seen = if facts.len() > limits.file_bytes {
            lost(&facts, mark)
        } else {
            read += facts.len();
            match state(&path, &facts, keep, cancel) {
                Ok(state) => {
                    let mark = if is_fresh(&facts) { UNTRUSTED } else { mark };
                    ScannedFile { mark, state }
                }
                Err(_) if cancel.is_cancelled() => return Err(Error::Cancelled),
                // The file was removed meanwhile, or is not readable.
                Err(_) => {
                    files.remove(&path);
                    continue;
                }
            }
        };
        files.insert(path, seen);
        if read > limits.bytes {
            let why = format!("more than {} MB have changed", limits.bytes / 1024 / 1024);
            return over(files, ScanLimit { why, can_go_on: true });
        }
        if began.elapsed() > limits.time {
            return over(files, late(limits));
        }
    }
    for path in gone {
        files.remove(&path);
    }
    Ok(Scanned { files: Arc::new(files), over: None })
}

/// The difference between the known files and those found.
struct Compared {
    /// The new ones, and those whose metadata has changed.
    changed: Vec<Fact>,
    gone: Vec<PathBuf>,
}

fn compare(known: &Files, found: Vec<Fact>) -> Compared {
    // Bytes are compared faster than the parts of paths.
    let mut left: HashMap<&OsStr, &ScannedFile> =
        known.iter().map(|(path, seen)| (path.as_os_str(), seen)).collect();
    let mut changed = found;
    changed.retain(|(path, facts)| {
        let seen = left.remove(path.as_os_str());
        !seen.is_some_and(|seen| is_same(seen, facts))
    });
    Compared { changed, gone: left.into_keys().map(PathBuf::from).collect() }
}

/// Returns the files that differ, in path order, with what both sides know of them.
pub fn differences<'a>(
    before: &'a Files,
    after: &'a Files,
) -> impl Iterator<Item = (&'a PathBuf, Option<&'a ScannedFile>, Option<&'a ScannedFile>)> {
    let (mut olds, mut news) = (before.iter().peekable(), after.iter().peekable());
    let next = move || {
        let order = match (olds.peek(), news.peek()) {
            (Some((old, _)), Some((new, _))) => old.cmp(new),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let old = if order.is_le() { olds.next() } else { None };
        let new = if order.is_ge() { news.next() } else { None };
        let (path, _) = old.or(new)?;
        Some((path, old.map(|(_, seen)| seen), new.map(|(_, seen)| seen)))
    };
    std::iter::from_fn(next).filter(|(_, old, new)| old != new)
}

/// Returns true if a file has the metadata that it had when it was read.
fn is_same(seen: &ScannedFile, facts: &Metadata) -> bool {
    seen.mark == mark(facts) && seen.state.mode == Some(facts.mode())
}

/// Returns a local file's state and keeps its content unless it is too large. Returns `None` if there is no file.
pub(super) fn remember(
    path: &Path,
    keep: &Keep,
    max_bytes: u64,
    cancel: &CancellationToken,
) -> Result<Option<FileState>, Error> {
    let failed = |error: &io::Error| Error::from_io(path, error);
    let facts = match std::fs::metadata(path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    if !facts.is_file() {
        return Err(Error::IsFolder(path.to_path_buf()));
    }
    if facts.len() > max_bytes {
        return Ok(Some(lost(&facts, mark(&facts)).state));
    }
    state(path, &facts, keep, cancel).map(Some).map_err(|error| failed(&error))
}

/// Gives the file at a canonical path its permission bits back.
pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    let failed = |error: io::Error| beneath::failed(path, &error);
    let held = beneath::open_to_name(path).map_err(failed)?;
    let at = beneath::by_descriptor(&held);
    file::set_mode(at.as_deref().unwrap_or(path), mode).map_err(failed)
}

fn state(
    path: &Path,
    facts: &Metadata,
    keep: &Keep,
    cancel: &CancellationToken,
) -> io::Result<FileState> {
    let file = private_files::open(path)?;
    // Another process may append to the file endlessly; the size when it was checked is what counts.
    let mut file = Cancellable { file: file.take(facts.len()), cancel };
    let mut content = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or_default());
    file.read_to_end(&mut content)?;
    let StoredContent { sha256, is_lost } = keep(&content);
    let (size, mode) = (content.len() as u64, Some(facts.mode()));
    Ok(FileState { sha256, size, mode, is_lost })
}

/// Returns a file too large to be kept. Its mark represents its content.
fn lost(facts: &Metadata, mark: u128) -> ScannedFile {
    let (size, mode) = (facts.len(), Some(facts.mode()));
    ScannedFile {
        mark,
        state: FileState { sha256: format!("{mark:064x}"), size, mode, is_lost: true },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(files: &Files) -> BTreeSet<&str> {
        files.keys().filter_map(|path| path.file_name()?.to_str()).collect()
    }

    #[test]
    fn every_change_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = pintle_os::names::canonicalize(folder.path()).unwrap();
        let keep: Keep = Arc::new(|content: &[u8]| StoredContent {
            sha256: String::from_utf8_lossy(content).into_owned(),
            is_lost: false,
        });
        let trees = WatchedTrees::default();
        let look = |known: &Arc<Files>| {
            let (root, known, keep) = (root.clone(), Arc::clone(known), Arc::clone(&keep));
            let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
            let scan_now = Scan { root, known, keep, limits, care: Care::Watch };
            let found = scan(&scan_now, &[], &trees, &CancellationToken::new()).unwrap();
            assert_eq!(found.over, None);
            found.files
        };
        let texts = |files: &Files| -> Vec<(String, String)> {
            let text = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
            files.iter().map(|(path, seen)| (text(path), seen.state.sha256.clone())).collect()
        };
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        // A directory with this many files is scanned by several threads, and watched.
        for number in 0..FEW_FILES + 10 {
            write(&format!("many/{}/{number}", number % 7), "same");
        }
        write("a", "one");
        let mut known = look(&Arc::default());
        assert_eq!(known.len(), FEW_FILES + 11);
        // Each change falls in the tick of the preceding check, and keeps the file's size.
        for (name, change) in [
            ("a file written in place", (&|| write("a", "two")) as &dyn Fn()),
            ("one in a folder", &|| write("many/3/3", "SAME")),
            ("a new file", &|| write("many/3/new", "new")),
            ("a new folder", &|| write("deep/er/new", "new")),
            ("a renamed file", &|| std::fs::rename(root.join("a"), root.join("b")).unwrap()),
            ("another in its place", &|| {
                std::fs::rename(root.join("many/4/4"), root.join("b")).unwrap();
            }),
            ("a removed file", &|| std::fs::remove_file(root.join("b")).unwrap()),
            ("a removed folder", &|| std::fs::remove_dir_all(root.join("deep")).unwrap()),
            ("another time", &|| {
                // As `touch` and `tar` do: the content is another, the time of change an old one.
                write("many/5/5", "SAME");
                let old = std::fs::metadata(root.join("many/6/6")).unwrap().modified().unwrap();
                let file =
                    std::fs::File::options().append(true).open(root.join("many/5/5")).unwrap();
                file.set_modified(old).unwrap();
            }),
            ("files that are to be ignored", &|| write(".gitignore", "many\n")),
        ] {
            change();
            let found = look(&known);
            assert_ne!(texts(&found), texts(&known), "{name}");
            assert_eq!(texts(&found), texts(&look(&Arc::default())), "{name}");
            known = found;
        }
        assert_eq!(known.len(), 1);
    }

    #[test]
    fn files_are_found_once_and_limits_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (path, content) in [
            ("a.txt", "one"),
            (".hidden", "two"),
            ("sub/b.txt", "three"),
            (".gitignore", "out/\n"),
            ("out/c.o", "four"),
            (".git/config", "five"),
            ("large", &"x".repeat(100)),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), content).unwrap();
        }
        pintle_testing::files::symlink(root.join("a.txt"), root.join("link"));
        let kept = Arc::new(std::sync::Mutex::new(Vec::new()));
        let keep: Keep = {
            let kept = Arc::clone(&kept);
            Arc::new(move |content: &[u8]| {
                kept.lock().unwrap().push(content.to_vec());
                let sha256 = String::from_utf8_lossy(content).into_owned();
                StoredContent { sha256, is_lost: false }
            })
        };
        let with = |known: &Arc<Files>, limits| {
            let (root, known, keep) = (root.to_path_buf(), Arc::clone(known), Arc::clone(&keep));
            let scan_now = Scan { root, known, keep, limits, care: Care::Metadata };
            scan(&scan_now, &[], &WatchedTrees::default(), &CancellationToken::new())
        };
        // Long enough for file times to reveal later changes.
        let settle = || std::thread::sleep(Duration::from_millis(30));
        settle();
        let limits = Limits { file_bytes: 50, time: Duration::from_secs(60), ..Limits::default() };
        let Scanned { files: first, over } = with(&Arc::default(), limits).unwrap();
        assert_eq!(over, None);
        let want = BTreeSet::from(["a.txt", ".hidden", "b.txt", ".gitignore", "large"]);
        assert_eq!(names(&first), want);
        assert_eq!(kept.lock().unwrap().len(), 4);
        assert!(first[&root.join("large")].state.is_lost);

        std::fs::write(root.join("a.txt"), "another one").unwrap();
        set_mode(&root.join(".hidden"), 0o755).unwrap();
        settle();
        let whole = with(&first, limits).unwrap();
        let changed = whole.files.iter().filter(|(path, seen)| first.get(*path) != Some(seen));
        assert_eq!(changed.count(), 2);
        assert_eq!(kept.lock().unwrap().len(), 6, "only what changed was read");
        let again = with(&whole.files, limits).unwrap();
        assert!(Arc::ptr_eq(&again.files, &whole.files), "nothing has changed");

        for (name, limits, want, scans) in [
            ("files", Limits { files: 2, ..limits }, "more than 2 files", 1),
            ("bytes", Limits { bytes: 2, ..limits }, "more than 0 MB", 4),
            ("time", Limits { time: Duration::ZERO, ..limits }, "longer than 0 s", 1),
        ] {
            // A file that was read once is not read again, so repeated scans reach the end.
            let mut known = Arc::default();
            for _ in 0..scans {
                let Scanned { files, over } = with(&known, limits).unwrap();
                let ScanLimit { why, can_go_on } = over.unwrap();
                assert!(why.contains(want), "{name}: {why}");
                assert_eq!(can_go_on, name != "files", "{name}");
                known = files;
            }
            let last = with(&known, limits).unwrap();
            assert_eq!(last == whole, name == "bytes", "{name}");
        }
    }
}
