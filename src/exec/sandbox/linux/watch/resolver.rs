//! Paths as another process sees them: below its root, through its links and its `/proc`.
#![expect(clippy::disallowed_methods, reason = "exec is where files are looked at")]

use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2, readlinkat};
use nix::sys::stat::{Mode, SFlag, fstat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// A path as the kernel will resolve it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    /// With its last name as given, and everything before it resolved.
    pub(super) named: PathBuf,
    /// The target, if that is a link.
    pub(super) target: Option<PathBuf>,
}

impl Resolved {
    /// Returns the file itself.
    pub(super) fn file(&self) -> &Path {
        self.target.as_deref().unwrap_or(&self.named)
    }
}

/// Resolves paths as a process sees them.
pub(super) struct Resolver<'a> {
    pub(super) thread: i32,
    /// Its root directory.
    pub(super) root: &'a OwnedFd,
}

impl Resolver<'_> {
    /// As many links as the kernel follows.
    const MAX_LINKS: usize = 40;

    /// Resolves an absolute path; `None` if a directory of it cannot be resolved.
    pub(super) fn resolve(&self, path: &Path) -> Option<Resolved> {
        let named = self.named(path, 0)?;
        let mut target: Option<PathBuf> = None;
        let mut links = 0;
        while let Some(link) = self.link(target.as_ref().unwrap_or(&named)) {
            links += 1;
            if links > Self::MAX_LINKS {
                break;
            }
            let at = target.as_ref().unwrap_or(&named);
            let next = at.parent().unwrap_or(Path::new("/")).join(link);
            // A descriptor without a file has a text such as `pipe:[1]`.
            target = Some(self.named(&next, links)?);
            if !next.is_absolute() {
                break;
            }
        }
        Some(Resolved { named, target })
    }

    /// Opens a regular file as the process sees it.
    pub(super) fn open(&self, path: &Resolved) -> Option<File> {
        // A file that is open and may have no name: `/proc/self/fd/3`.
        let mut parts = path.named.iter().skip(1).map(OsStr::to_string_lossy);
        let is_open =
            parts.next().as_deref() == Some("proc") && parts.nth(1).as_deref() == Some("fd");
        if let Some(descriptor) = parts.next().filter(|_| is_open) {
            return self.open_descriptor(&descriptor);
        }
        let relative = path.file().strip_prefix("/").ok()?;
        regular(&nix::fcntl::openat(self.root, relative, PATH_ONLY, Mode::empty()).ok()?)
    }

    /// Opens the regular file behind one of the process's descriptors.
    pub(super) fn open_descriptor(&self, descriptor: &str) -> Option<File> {
        let path = format!("/proc/{}/fd/{descriptor}", self.thread);
        regular(&nix::fcntl::open(path.as_str(), PATH_ONLY, Mode::empty()).ok()?)
    }

    /// Resolves all of a path but its last name.
    fn named(&self, path: &Path, links: usize) -> Option<PathBuf> {
        let path = self.own(path);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            // The path ends with `..`, or is the root.
            return self.folder(&path, links);
        };
        Some(self.folder(parent, links)?.join(name))
    }

    /// Resolves a directory. One that does not exist is returned unchanged, without `..`.
    fn folder(&self, path: &Path, links: usize) -> Option<PathBuf> {
        let how = OpenHow::new()
            .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
            .mode(Mode::empty())
            .resolve(ResolveFlag::RESOLVE_IN_ROOT);
        if let Ok(folder) = openat2(self.root, path, how) {
            let found = std::fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd())).ok()?;
            // In `/proc`, links such as `self` lead elsewhere for this process.
            if !found.starts_with("/proc") {
                return Some(found);
            }
        }
        self.by_names(path, links)
    }

    /// Resolves a path name by name. It follows the links of `/proc` to files that a process has open, which `openat2` does not.
    fn by_names(&self, path: &Path, mut links: usize) -> Option<PathBuf> {
        let mut clean = PathBuf::from("/");
        let parts = |path: &Path| -> Vec<OsString> {
            path.components().rev().map(|part| part.as_os_str().to_owned()).collect()
        };
        let mut rest = parts(path);
        while let Some(part) = rest.pop() {
            match Path::new(&part).components().next() {
                Some(Component::RootDir) => clean = PathBuf::from("/"),
                Some(Component::ParentDir) => {
                    clean.pop();
                }
                Some(Component::Normal(name)) => {
                    let at = self.own(&clean.join(name)).into_owned();
                    match self.link(&at) {
                        Some(link) => {
                            links += 1;
                            if links > Self::MAX_LINKS {
                                return None;
                            }
                            rest.extend(parts(&link));
                        }
                        None => clean = at,
                    }
                }
                Some(Component::CurDir | Component::Prefix(_)) | None => {}
            }
        }
        Some(clean)
    }

    /// Replaces the names in `/proc` that refer to the asking process.
    fn own<'p>(&self, path: &'p Path) -> std::borrow::Cow<'p, Path> {
        let below =
            ["/proc/self", "/proc/thread-self"].iter().find_map(|own| path.strip_prefix(own).ok());
        let Some(rest) = below else { return path.into() };
        // The last number of the line is that in the innermost namespace.
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.thread)).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NStgid:"));
        let number =
            numbers.and_then(|numbers| numbers.split_whitespace().last()).unwrap_or("self");
        let own = Path::new("/proc").join(number);
        let path = if rest.as_os_str().is_empty() { own } else { own.join(rest) };
        path.into()
    }

    /// Returns a link's target.
    fn link(&self, path: &Path) -> Option<PathBuf> {
        let relative = path.strip_prefix("/").unwrap_or(path);
        if relative.as_os_str().is_empty() {
            return None;
        }
        readlinkat(self.root, relative).ok().map(PathBuf::from)
    }
}

/// Identifies a file without opening it.
const PATH_ONLY: OFlag = OFlag::O_PATH.union(OFlag::O_CLOEXEC);

/// Opens a file for reading if it is a regular one: opening a pipe may block, and opening a device may have effects.
fn regular(file: &OwnedFd) -> Option<File> {
    let kind = SFlag::from_bits_truncate(fstat(file).ok()?.st_mode) & SFlag::S_IFMT;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    (kind == SFlag::S_IFREG).then(|| File::open(path).ok())?
}

/// Opens a process's root directory.
pub(super) fn open_root(thread: i32) -> Option<OwnedFd> {
    nix::fcntl::open(format!("/proc/{thread}/root").as_str(), PATH_ONLY, Mode::empty()).ok()
}

/// Returns a process's path as an absolute one. `link` is the name in its `/proc` of the directory to which a relative path is relative:
/// `cwd` or `fd/3`.
pub(super) fn absolute(thread: i32, link: &str, path: PathBuf) -> Option<PathBuf> {
    if path.is_absolute() {
        return Some(path);
    }
    let folder = std::fs::read_link(format!("/proc/{thread}/{link}")).ok()?;
    // An empty path refers to the descriptor's file itself.
    Some(if path.as_os_str().is_empty() { folder } else { folder.join(path) })
}
