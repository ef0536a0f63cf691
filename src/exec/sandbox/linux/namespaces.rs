//! Forks, with or without separate namespaces, and the operations that a process can only perform from inside them.

use super::wire::{Failure, Kind};
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use nix::unistd::{ForkResult, Gid, Pid, Uid};
use std::io;
use std::os::fd::AsRawFd;

/// Returns a kind's namespaces, as flags of `clone`.
const fn flags(kind: Kind) -> libc::c_int {
    let own = libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP;
    match kind {
        Kind::Plain => 0,
        Kind::Networked => own,
        Kind::Confined | Kind::Probe => own | libc::CLONE_NEWNET,
    }
}

/// Forks. The caller has one thread.
#[expect(unsafe_code, reason = "a fork, by a call that can make namespaces too")]
pub(super) fn fork(kind: Kind) -> Result<ForkResult, Errno> {
    let flags = libc::c_long::from(flags(kind) | libc::SIGCHLD);
    // Safety: without a separate stack the child continues on a copy of this one, as after fork; the supervisor has a single thread, so no
    // lock is held by another.
    let made = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    Ok(match Errno::result(made)? {
        0 => ForkResult::Child,
        pid => ForkResult::Parent { child: Pid::from_raw(i32::try_from(pid).unwrap_or_default()) },
    })
}

/// Maps the user and group to the same ids inside. `user` and `group` are the ids outside.
pub(super) fn map_ids(user: Uid, group: Gid) -> Result<(), Failure> {
    for (path, text) in [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
    ] {
        write(path, &text).map_err(|error| Failure::new(format!("write {path}"), error))?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a file of the kernel's")]
fn write(path: &str, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}

/// `SIOCSIFFLAGS`, whose type in libc is not everywhere that of a request.
const SET_FLAGS: libc::Ioctl = 0x8914;

/// Starts a new network's loopback.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn start_loopback() -> Result<(), Failure> {
    let failed = |error: Errno| Failure::new("start the loopback", error);
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
        .map_err(failed)?;
    // Safety: all bytes zero is a request without a name and flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = libc::c_char::from_ne_bytes([from]);
    }
    let up = libc::IFF_UP | libc::IFF_RUNNING;
    request.ifr_ifru.ifru_flags = libc::c_short::try_from(up).unwrap_or_default();
    // Safety: the request is of the kind that this call takes, and lives until it returns.
    let set = unsafe { libc::ioctl(socket.as_raw_fd(), SET_FLAGS, &raw mut request) };
    Errno::result(set).map(drop).map_err(failed)
}

/// Drops every capability permanently, including the ones root would regain.
#[expect(unsafe_code, reason = "system calls without a wrapper")]
pub(super) fn drop_capabilities() -> Result<(), Failure> {
    /// NOROOT, NO_SETUID_FIXUP, KEEP_CAPS off and NO_CAP_AMBIENT_RAISE, each with its lock.
    const SECURE: libc::c_ulong = 0b1110_1111;
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const VERSION: u32 = 0x2008_0522;
    let failed = |error: Errno| Failure::new("drop capabilities", error);
    // Safety: these calls take numbers, and the last one two structures that live until it returns.
    unsafe {
        for capability in 0..64 {
            // A process without capabilities cannot drop any from the set either, and need not: `no_new_privs` applies.
            if libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 {
                break;
            }
        }
        libc::prctl(libc::PR_SET_SECUREBITS, SECURE, 0, 0, 0);
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        let header = Header { version: VERSION, pid: 0 };
        let none = [[0_u32; 3]; 2];
        let set = libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr());
        Errno::result(set).map_err(failed)?;
    }
    nix::sys::prctl::set_no_new_privs().map_err(failed)
}

/// Ends this process immediately, without cleaning up memory inherited from its parent.
#[expect(unsafe_code, reason = "an end without the clean-up of a copied process")]
pub(super) fn exit(code: i32) -> ! {
    // Safety: ends the process.
    unsafe { libc::_exit(code) }
}

/// Closes all descriptors from 3 on but these.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn close_all_but(mut kept: Vec<i32>) {
    kept.sort_unstable();
    let mut first = 3;
    for next in kept.into_iter().map(i32::unsigned_abs).chain([u32::MAX]) {
        let last = next.saturating_sub(1);
        if first <= last {
            // Safety: nothing of this process uses the descriptors that are closed; it executes another program or ends.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
        first = first.max(next.saturating_add(1));
    }
}
