//! A confined command's file system, built from mounts in a separate namespace.
//!
//! Everything becomes read-only; then the plan's directories are mounted over it. Paths that stay visible are cloned before anything is
//! hidden, so that a workspace below `/tmp` survives the new `/tmp`.

use super::plan::{self, RUN, Step, TEMPORARY};
use super::wire::Failure;
use super::{Confinement, ResourceLimits};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};
use nix::libc;
use nix::mount::{MsFlags, mount};
use nix::sys::stat::Mode;
use std::ffi::CString;
use std::fs::DirBuilder;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

/// Devices that do nothing to the machine.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Names below `/dev` that lead into `/proc`.
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// The file mounted over hidden files.
const UNREADABLE: &str = "/dev/.unreadable";

const TMPFS: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV);

/// Builds the file system. `supervisor` is the process whose socket table is the machine's.
pub(super) fn make(confinement: &Confinement, supervisor: u32) -> Result<(), Failure> {
    make_private()?;
    let table = read(&format!("/proc/{supervisor}/net/unix"));
    let sockets: Vec<PathBuf> = plan::sockets(&table, confinement)
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let steps = plan::steps(confinement, &sockets);
    let mut cloned = Vec::new();
    for (path, step) in steps {
        let tree = match step {
            Step::Write | Step::Pin | Step::Read => match clone(&path) {
                Err(error) if is_missing(&error) => continue,
                tree => Some(tree.map_err(|error| at("open_tree", &path, error))?),
            },
            // Where the kernel makes no mount of a link, `watch` still keeps it by its name.
            Step::Link => clone_link(&path).ok(),
            Step::Empty | Step::Hide => None,
        };
        cloned.push((path, step, tree));
    }
    let temporary = confinement
        .temporary
        .folder()
        .map(|path| clone(path).map_err(|error| at("open_tree", path, error)));
    let temporary = temporary.transpose()?;
    let devices = DEVICES.map(|name| (name, clone(&Path::new("/dev").join(name))));
    set_read_only(Path::new("/"))?;

    devices_folder(&devices)?;
    processes(confinement.limits.processes)?;
    // These are filled first and closed afterwards.
    let mut closed = Vec::new();
    let is_above = |path: &Path, other: &(PathBuf, Step, Option<OwnedFd>)| {
        other.0 != path && other.0.starts_with(path) && other.1 != Step::Hide
    };
    for (index, (path, step, tree)) in cloned.iter().enumerate() {
        match (step, tree) {
            (Step::Write | Step::Pin | Step::Read, Some(tree)) => {
                make_target(path, tree)?;
                attach(tree, path).map_err(|error| at("move_mount", path, error))?;
                if *step == Step::Read {
                    set_read_only(path)?;
                }
            }
            (Step::Empty, _) => match (&temporary, path == Path::new(TEMPORARY[0])) {
                (Some(tree), true) => {
                    attach(tree, path).map_err(|error| at("move_mount", path, error))?;
                }
                _ => empty(path, &confinement.limits)?,
            },
            (Step::Hide, _) => {
                let has_exception = cloned
                    .get(index..)
                    .unwrap_or_default()
                    .iter()
                    .any(|other| is_above(path, other));
                if hide(path, has_exception)? {
                    closed.push(path.clone());
                }
            }
            (Step::Link, Some(tree)) => {
                let _ = attach_over_link(tree, path);
            }
            (Step::Write | Step::Pin | Step::Read | Step::Link, None) => {}
        }
    }
    nix::unistd::unlink(UNREADABLE).map_err(|error| Failure::new("unlink", error))?;
    closed.push(PathBuf::from("/dev"));
    // Not every system has it.
    if Path::new(RUN).is_dir() {
        closed.push(PathBuf::from(RUN));
    }
    for path in closed {
        set_read_only_alone(&path).map_err(|error| at("mount_setattr", &path, error))?;
    }
    Ok(())
}

fn at(step: &str, path: &Path, error: io::Error) -> Failure {
    Failure::new(format!("{step} {}", path.display()), error)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES))
}

#[expect(clippy::disallowed_methods, reason = "exec reads /proc")]
fn read(path: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Keeps the mounts that follow from being seen outside.
fn make_private() -> Result<(), Failure> {
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, flags, None::<&str>)
        .map_err(|error| Failure::new("mount private", error))
}

/// Mounts an empty directory that the command may fill, up to its limit.
fn empty(path: &Path, limits: &ResourceLimits) -> Result<(), Failure> {
    let size = limits.temporary_bytes.map(|bytes| format!(",size={bytes}")).unwrap_or_default();
    let mode =
        if TEMPORARY.iter().any(|folder| Path::new(folder) == path) { "1777" } else { "0755" };
    let options = format!("mode={mode}{size}");
    match mount(Some("tmpfs"), path, Some("tmpfs"), TMPFS, Some(options.as_str())) {
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(error) => Err(at("mount", path, error.into())),
    }
}

/// Hides a path. Returns true for a directory, which is open until it is closed.
fn hide(path: &Path, has_exception: bool) -> Result<bool, Failure> {
    // The path was removed meanwhile, or is not visible.
    let Ok(found) = path.symlink_metadata() else { return Ok(false) };
    if found.is_dir() {
        // If a directory below is readable, the path to it can be traversed by a process that knows the name.
        let options = if has_exception { "mode=0111" } else { "mode=0000" };
        mount(Some("tmpfs"), path, Some("tmpfs"), TMPFS, Some(options))
            .map_err(|error| at("mount", path, error.into()))?;
        return Ok(true);
    }
    let nothing = clone(Path::new(UNREADABLE));
    let hidden = nothing.and_then(|nothing| {
        set_read_only_of(nothing.as_raw_fd(), c"", libc::AT_EMPTY_PATH)?;
        attach(&nothing, path)
    });
    match hidden {
        // The path was removed meanwhile, as other programs' sockets are.
        Err(error) if is_missing(&error) && path.symlink_metadata().is_err() => Ok(false),
        hidden => hidden.map(|()| false).map_err(|error| at("hide", path, error)),
    }
}

/// Creates a tree's mount point, if a hidden or empty directory has replaced it.
fn make_target(path: &Path, tree: &OwnedFd) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let is_folder =
        nix::sys::stat::fstat(tree).is_ok_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFDIR);
    let folder = if is_folder { Some(path) } else { path.parent() };
    let made = folder
        .map_or(Ok(()), |folder| DirBuilder::new().recursive(true).mode(0o755).create(folder));
    let made =
        made.and_then(|()| if is_folder { Ok(()) } else { make_file(path, 0o644).map(drop) });
    made.map_err(|error| at("mkdir", path, error))
}

fn make_file(path: &Path, mode: u32) -> io::Result<std::fs::File> {
    std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(mode).open(path)
}

/// Creates a `/dev` with harmless devices and separate terminals and shared memory, and the unreadable file that covers hidden files; it is
/// unlinked once they are covered.
fn devices_folder(devices: &[(&str, io::Result<OwnedFd>)]) -> Result<(), Failure> {
    let dev = Path::new("/dev");
    let failed = |error: io::Error| Failure::new("make /dev", error);
    mount(Some("tmpfs"), dev, Some("tmpfs"), MsFlags::MS_NOSUID, Some("mode=0755"))
        .map_err(|error| failed(error.into()))?;
    for (name, tree) in devices {
        if let Ok(tree) = tree {
            let path = dev.join(name);
            make_file(&path, 0o666).map_err(failed)?;
            attach(tree, &path).map_err(failed)?;
        }
    }
    for (name, target) in DEVICE_LINKS {
        symlink(target, dev.join(name)).map_err(failed)?;
    }
    let folder = |name: &str, mode: u32| DirBuilder::new().mode(mode).create(dev.join(name));
    folder("shm", 0o1777).and_then(|()| folder("pts", 0o755)).map_err(failed)?;
    mount(Some("tmpfs"), "/dev/shm", Some("tmpfs"), TMPFS, Some("mode=1777"))
        .map_err(|error| failed(error.into()))?;
    let terminals = "newinstance,ptmxmode=0666,mode=620";
    // Without separate terminals, only programs that need one fail.
    if mount(Some("devpts"), "/dev/pts", Some("devpts"), MsFlags::MS_NOSUID, Some(terminals))
        .is_ok()
    {
        symlink("pts/ptmx", dev.join("ptmx")).map_err(failed)?;
    }
    make_file(Path::new(UNREADABLE), 0).map(drop).map_err(failed)
}

/// Mounts a `/proc` that shows only the command's processes, and limits their number if the kernel has a limit per namespace.
fn processes(limit: Option<u64>) -> Result<(), Failure> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>)
        .map_err(|error| Failure::new("mount /proc", error))?;
    if let Some(limit) = limit.filter(|_| limits_pids()) {
        /// The minimum that the kernel accepts.
        const LEAST: u64 = 301;
        write_file("/proc/sys/kernel/pid_max", &limit.max(LEAST).to_string());
    }
    // Files in it are changed by name as root, without any capability: `core_pattern`, `sysrq-trigger`.
    set_read_only_alone(Path::new("/proc")).map_err(|error| Failure::new("mount /proc", error))
}

/// Writes a kernel limit. Errors are ignored: if an ordinary user may not set it, another limit applies.
#[expect(clippy::disallowed_methods, reason = "a file of the kernel's")]
fn write_file(path: &str, text: &str) {
    let _ = std::fs::write(path, text);
}

/// The kernel's limit of process numbers is one for each namespace: from 6.14 on. Before, it is the whole machine's.
fn limits_pids() -> bool {
    let Ok(name) = nix::sys::utsname::uname() else { return false };
    let release = name.release().to_string_lossy();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|n| n.parse().ok());
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= (6, 14)
}

/// Clones the mounts from a path on.
fn clone(path: &Path) -> io::Result<OwnedFd> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    clone_of(libc::AT_FDCWD, &path, 0)
}

/// Clones a symbolic link's mount, not that of its target.
fn clone_link(path: &Path) -> io::Result<OwnedFd> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    clone_of(libc::AT_FDCWD, &path, libc::AT_SYMLINK_NOFOLLOW.unsigned_abs())
}

#[expect(unsafe_code, reason = "a system call without a wrapper")]
fn clone_of(folder: RawFd, path: &std::ffi::CStr, flags: u32) -> io::Result<OwnedFd> {
    let flags =
        flags | libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE.unsigned_abs();
    // Safety: the path lives until the call returns, and no other owner has the new descriptor.
    unsafe {
        let made = libc::syscall(libc::SYS_open_tree, folder, path.as_ptr(), flags);
        let made = RawFd::try_from(Errno::result(made)?).map_err(io::Error::other)?;
        Ok(OwnedFd::from_raw_fd(made))
    }
}

/// Attaches cloned mounts at a path. No component may be a symbolic link, which another process could redirect.
fn attach(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .mode(Mode::empty())
        .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    attach_at(tree, &openat2(AT_FDCWD, path, how)?)
}

/// Attaches a symbolic link's mount over the link.
fn attach_over_link(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    let (parent, name) = path.parent().zip(path.file_name()).ok_or(io::ErrorKind::InvalidInput)?;
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .mode(Mode::empty())
        .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    let parent = openat2(AT_FDCWD, parent, how)?;
    let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    attach_at(tree, &nix::fcntl::openat(&parent, name, flags, Mode::empty())?)
}

#[expect(unsafe_code, reason = "a system call without a wrapper")]
fn attach_at(tree: &OwnedFd, target: &OwnedFd) -> io::Result<()> {
    let flags = libc::MOVE_MOUNT_F_EMPTY_PATH | libc::MOVE_MOUNT_T_EMPTY_PATH;
    // Safety: both descriptors and the empty paths live until the call returns.
    let moved = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            target.as_raw_fd(),
            c"".as_ptr(),
            flags,
        )
    };
    Errno::result(moved)?;
    Ok(())
}

/// Makes a mount and all below it read-only.
fn set_read_only(path: &Path) -> Result<(), Failure> {
    let raw = CString::new(path.as_os_str().as_bytes())
        .map_err(|error| at("mount", path, error.into()))?;
    set_read_only_of(libc::AT_FDCWD, &raw, libc::AT_RECURSIVE)
        .map_err(|error| at("mount_setattr", path, error))
}

/// Makes one mount read-only.
fn set_read_only_alone(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    set_read_only_of(libc::AT_FDCWD, &path, 0)
}

#[expect(unsafe_code, reason = "a system call without a wrapper")]
fn set_read_only_of(folder: RawFd, path: &std::ffi::CStr, flags: i32) -> io::Result<()> {
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // Safety: path and attributes live until the call returns, and the size passed is that of the attributes.
    let set = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    Errno::result(set)?;
    Ok(())
}
