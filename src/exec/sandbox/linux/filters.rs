//! Seccomp: the system calls denied to a command.
//!
//! Denied calls fail with an ordinary error, so that a program can continue or report the failure. Only calls for another architecture,
//! whose numbers the filter cannot judge, end the program.

use super::bpf::{self, ALLOW, Assembler, Is, KILL, Word};
use super::watch;
use super::wire::{Failure, Watched};
use nix::errno::Errno;
use nix::libc::{self, sock_filter};
use std::os::fd::OwnedFd;

/// Calls that trace or read other processes, change mounts and namespaces, reach the kernel's keys or large parts of its
/// code, or set the machine's clock and modules.
const DENIED: [libc::c_long; 52] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_vhangup,
    KEXEC_FILE_LOAD,
];

/// `kexec_file_load`, which libc does not name for musl on arm64.
const KEXEC_FILE_LOAD: libc::c_long = if cfg!(target_arch = "x86_64") { 320 } else { 294 };

/// The new namespaces that `clone` may not make.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Requests that put input into a terminal.
const TERMINAL_INPUT: [libc::Ioctl; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Whether a command may create internet sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inet {
    /// Allowed in a separate network, or in an open one.
    Allowed,
    Denied,
}

/// The kernel programs, by their internet permission.
#[derive(Debug)]
pub(super) struct Programs {
    allowed: Vec<sock_filter>,
    denied: Vec<sock_filter>,
    watching: Vec<(Watched, Option<Vec<sock_filter>>)>,
}

impl Programs {
    /// Assembles them, which takes longer than installing them.
    pub(super) fn compile() -> Result<Self, Failure> {
        let failed = |message: String| Failure { step: STEP.to_owned(), errno: None, message };
        let arch = std::env::consts::ARCH;
        let number = architecture(arch);
        let number = number.ok_or_else(|| failed(format!("no filter for {arch}")))?;
        let program =
            |inet| program(number, inet).ok_or_else(|| failed("the filter is too long".to_owned()));
        let (allowed, denied) = (program(Inet::Allowed)?, program(Inet::Denied)?);
        let both = [false, true];
        let wanted = both.into_iter().flat_map(|files| {
            let rest =
                both.into_iter().flat_map(move |programs| both.map(|sockets| (programs, sockets)));
            rest.map(move |(programs, sockets)| Watched { files, programs, sockets })
        });
        let watching = wanted.map(|wanted| (wanted, watch::compile(wanted))).collect();
        Ok(Self { allowed, denied, watching })
    }

    /// Reports these calls of this process from now on. Returns the descriptor to read them from, or `None` if the kernel refuses.
    pub(super) fn watch(&self, wanted: Watched) -> Option<OwnedFd> {
        let (_, program) = self.watching.iter().find(|(known, _)| *known == wanted)?;
        watch::install(program.as_deref()?)
    }

    /// Installs the one for this permission in this process, for good.
    pub(super) fn install(&self, inet: Inet) -> Result<(), Failure> {
        let program = match inet {
            Inet::Allowed => &self.allowed,
            Inet::Denied => &self.denied,
        };
        install(program, 0).map(drop).map_err(|error| Failure::new(STEP, error))
    }
}

/// Installs a program in this process, which can get no new privileges by then. Returns the call's result: with
/// `SECCOMP_FILTER_FLAG_NEW_LISTENER` a new descriptor.
#[expect(unsafe_code, reason = "a system call without a wrapper")]
pub(super) fn install(program: &[sock_filter], flags: libc::c_ulong) -> Result<i32, Errno> {
    let len = u16::try_from(program.len()).map_err(|_| Errno::E2BIG)?;
    // The kernel only reads it.
    let program = libc::sock_fprog { len, filter: program.as_ptr().cast_mut() };
    // Safety: the program lives until the call returns.
    let set = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
    };
    Errno::result(set).map(|set| i32::try_from(set).unwrap_or_default())
}

/// The name of this step of a confinement.
const STEP: &str = "seccomp";

/// The kernel's numbers of architectures (`AUDIT_ARCH_…`).
const X86_64: u32 = 0xc000_003e;
const AARCH64: u32 = 0xc000_00b7;
const RISCV64: u32 = 0xc000_00f3;

pub(super) fn architecture(name: &str) -> Option<u32> {
    match name {
        "x86_64" => Some(X86_64),
        "aarch64" => Some(AARCH64),
        "riscv64" => Some(RISCV64),
        _ => None,
    }
}

/// The numbers of x32, which has the architecture of x86-64 and other numbers, have this bit.
const X32: u32 = 0x4000_0000;

/// Assembles the program; `None` if its jumps are too far.
fn program(architecture: u32, inet: Inet) -> Option<Vec<sock_filter>> {
    let mut code = Assembler::default();
    let (clone, ioctl, socket) = (code.label(), code.label(), code.label());
    let denied = bpf::fail(libc::EPERM);
    // Without it, programs use `clone`, whose flags can be judged.
    let unknown = bpf::fail(libc::ENOSYS);

    code.load(Word::Architecture);
    let known = code.label();
    code.jump(Is::Equal(architecture), known, KILL);
    code.place(known);
    code.load(Word::Number);
    if architecture == X86_64 {
        code.jump_if(Is::AtLeast(X32), KILL);
    }
    let judged = [
        (libc::SYS_clone3, unknown),
        (libc::SYS_clone, clone),
        (libc::SYS_ioctl, ioctl),
        (libc::SYS_socket, socket),
    ];
    let numbers = DENIED.iter().map(|number| (*number, denied)).chain(judged);
    let numbers = numbers.map(|(number, label)| Some((u32::try_from(number).ok()?, label)));
    let mut numbers: Vec<_> = numbers.collect::<Option<_>>()?;
    numbers.sort_unstable();
    code.search(&numbers, ALLOW);

    code.place(clone);
    code.load(Word::Argument(0));
    let namespaces = NAMESPACES.iter().fold(0, |all, flag| all | flag.cast_unsigned());
    code.jump(Is::AnyOf(namespaces), denied, ALLOW);

    code.place(ioctl);
    code.load(Word::Argument(1));
    for request in TERMINAL_INPUT {
        code.jump_if(Is::Equal(u32::try_from(request).ok()?), denied);
    }
    code.jump(Is::AtLeast(0), ALLOW, ALLOW);

    code.place(socket);
    code.load(Word::Argument(0));
    let families = match inet {
        Inet::Allowed => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6][..],
        Inet::Denied => &[libc::AF_UNIX],
    };
    for family in families {
        code.jump_if(Is::Equal(family.cast_unsigned()), ALLOW);
    }
    let netlink = code.label();
    code.jump(Is::Equal(libc::AF_NETLINK.cast_unsigned()), netlink, denied);
    // Of the kernel's netlink interfaces, only the one for addresses and routes.
    code.place(netlink);
    code.load(Word::Argument(2));
    code.jump(Is::Equal(libc::NETLINK_ROUTE.cast_unsigned()), ALLOW, denied);
    code.assemble()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    const ALLOWED: u32 = libc::SECCOMP_RET_ALLOW;
    const KILLED: u32 = libc::SECCOMP_RET_KILL_PROCESS;

    #[test]
    fn each_call_number_gets_its_answer() {
        let number = |call: libc::c_long| u32::try_from(call).unwrap();
        let judged = [libc::SYS_clone, libc::SYS_ioctl, libc::SYS_socket].map(number);
        let denied: Vec<u32> = DENIED.into_iter().map(number).collect();
        for inet in [Inet::Allowed, Inet::Denied] {
            let program = program(X86_64, inet).unwrap();
            let answer = |number| bpf::run(&program, X86_64, number, [0; 6]);
            for call in (0..2000).filter(|call| !judged.contains(call)) {
                let want = match call {
                    call if denied.contains(&call) => EPERM,
                    call if call == number(libc::SYS_clone3) => ENOSYS,
                    _ => ALLOWED,
                };
                assert_eq!(answer(call), want, "{call}");
            }
            assert_eq!((answer(X32), answer(u32::MAX)), (KILLED, KILLED));
            assert_eq!(bpf::run(&program, 0x4000_0003, 1, [0; 6]), KILLED, "32-bit calls");
            assert_eq!(bpf::run(&program, AARCH64, 1, [0; 6]), KILLED);
        }
    }

    #[test]
    fn arguments_are_judged() {
        let flags = |flags: libc::c_int| [u64::from(flags.unsigned_abs()), 0, 0, 0, 0, 0];
        let bits = |request: libc::Ioctl| u64::from(u32::try_from(request).unwrap());
        let request = |request: libc::Ioctl| [0, bits(request), 0, 0, 0, 0];
        let socket = |family: libc::c_int, protocol: u64| {
            [u64::from(family.unsigned_abs()), 3, protocol, 0, 0, 0]
        };
        let (clone, ioctl) = (libc::SYS_clone, libc::SYS_ioctl);
        // Name, call, arguments, the answer with the internet, and without.
        for (name, call, arguments, with, without) in [
            ("a process", clone, flags(libc::SIGCHLD), ALLOWED, ALLOWED),
            ("a thread", clone, flags(libc::CLONE_VM | libc::CLONE_THREAD), ALLOWED, ALLOWED),
            ("a user namespace", clone, flags(libc::CLONE_NEWUSER | libc::SIGCHLD), EPERM, EPERM),
            ("a network namespace", clone, flags(libc::CLONE_NEWNET), EPERM, EPERM),
            ("a mount namespace", clone, flags(libc::CLONE_NEWNS), EPERM, EPERM),
            ("a cgroup namespace", clone, flags(libc::CLONE_NEWCGROUP), EPERM, EPERM),
            ("the size of a terminal", ioctl, request(libc::TIOCGWINSZ), ALLOWED, ALLOWED),
            ("input into a terminal", ioctl, request(libc::TIOCSTI), EPERM, EPERM),
            // The kernel reads 32 bits of a request.
            (
                "and in more bits",
                ioctl,
                [0, (1 << 32) | bits(libc::TIOCSTI), 0, 0, 0, 0],
                EPERM,
                EPERM,
            ),
            ("input into a console", ioctl, request(libc::TIOCLINUX), EPERM, EPERM),
            ("a local socket", libc::SYS_socket, socket(libc::AF_UNIX, 0), ALLOWED, ALLOWED),
            ("the internet", libc::SYS_socket, socket(libc::AF_INET, 6), ALLOWED, EPERM),
            ("the newer internet", libc::SYS_socket, socket(libc::AF_INET6, 17), ALLOWED, EPERM),
            ("routes", libc::SYS_socket, socket(libc::AF_NETLINK, 0), ALLOWED, ALLOWED),
            ("audit", libc::SYS_socket, socket(libc::AF_NETLINK, 9), EPERM, EPERM),
            ("packets", libc::SYS_socket, socket(libc::AF_PACKET, 0), EPERM, EPERM),
            ("virtual machines", libc::SYS_socket, socket(libc::AF_VSOCK, 0), EPERM, EPERM),
        ] {
            let call = u32::try_from(call).unwrap();
            for (inet, want) in [(Inet::Allowed, with), (Inet::Denied, without)] {
                let program = program(X86_64, inet).unwrap();
                assert_eq!(bpf::run(&program, X86_64, call, arguments), want, "{name}, {inet:?}");
            }
        }
    }
}
