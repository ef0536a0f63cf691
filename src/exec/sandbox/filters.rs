//! Seccomp: the system calls that a command is denied.
//!
//! They get an ordinary error, so that a program can go on or say what failed. Only calls of another architecture's kind,
//! whose numbers the filter cannot judge, end the program.

use super::wire::Failure;
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

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
    libc::SYS_kexec_file_load,
];

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
const TERMINAL_INPUT: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// The permission of a command to make sockets of the internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inet {
    /// In a network of its own, or in an open one.
    Allowed,
    Denied,
}

/// The programs for the kernel by what they say of the internet, each list in the order in which it is installed.
#[derive(Debug)]
pub(super) struct Programs {
    allowed: Vec<BpfProgram>,
    denied: Vec<BpfProgram>,
}

impl Programs {
    /// Compiles them, which takes longer than installing them.
    pub(super) fn compile() -> Result<Self, Failure> {
        Ok(Self { allowed: programs(Inet::Allowed)?, denied: programs(Inet::Denied)? })
    }

    /// Installs them in this process, for good.
    pub(super) fn install(&self, inet: Inet) -> Result<(), Failure> {
        install(match inet {
            Inet::Allowed => &self.allowed,
            Inet::Denied => &self.denied,
        })
    }
}

/// The programs, in the order in which they are installed.
fn programs(inet: Inet) -> Result<Vec<BpfProgram>, Failure> {
    let failed = |error: seccompiler::Error| Failure {
        step: "seccomp".to_owned(),
        errno: None,
        message: error.to_string(),
    };
    let target = std::env::consts::ARCH
        .try_into()
        .map_err(|error| failed(seccompiler::Error::Backend(error)))?;
    let denied = denied(inet).map_err(failed)?;
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    // Without it, programs use `clone`, whose flags can be judged.
    let mut programs = vec![
        compile(unknown, libc::ENOSYS, target).map_err(failed)?,
        compile(denied, libc::EPERM, target).map_err(failed)?,
    ];
    programs.extend(other_numbers(target));
    Ok(programs)
}

fn install(programs: &[BpfProgram]) -> Result<(), Failure> {
    for program in programs {
        seccompiler::apply_filter(program).map_err(|error| Failure {
            step: "seccomp".to_owned(),
            errno: None,
            message: error.to_string(),
        })?;
    }
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn compile(
    rules: Rules,
    errno: libc::c_int,
    target: TargetArch,
) -> Result<BpfProgram, seccompiler::Error> {
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, target);
    Ok(filter?.try_into()?)
}

fn denied(inet: Inet) -> Result<Rules, seccompiler::Error> {
    let mut rules: Rules = DENIED.iter().map(|number| (*number, Vec::new())).collect();
    let flag = |flag: libc::c_int| {
        let flag = u64::from(flag.unsigned_abs());
        rule([condition(0, SeccompCmpOp::MaskedEq(flag), flag)])
    };
    let clones = NAMESPACES.into_iter().map(flag).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_clone, clones);
    let requests = TERMINAL_INPUT.map(|request| rule([condition(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_ioctl, requests.into_iter().collect::<Result<_, _>>()?);

    let family = |family: libc::c_int| u64::from(family.unsigned_abs());
    let netlink = family(libc::AF_NETLINK);
    let mut families = vec![family(libc::AF_UNIX), netlink];
    if inet == Inet::Allowed {
        families.extend([family(libc::AF_INET), family(libc::AF_INET6)]);
    }
    let others = families.iter().map(|family| condition(0, SeccompCmpOp::Ne, *family));
    let sockets = vec![
        rule(others)?,
        // Of the kernel's own interfaces only the one that lists addresses and routes.
        rule([condition(0, SeccompCmpOp::Eq, netlink), condition(2, SeccompCmpOp::Ne, 0)])?,
    ];
    rules.insert(libc::SYS_socket, sockets);
    Ok(rules)
}

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

fn rule(
    conditions: impl IntoIterator<Item = Result<SeccompCondition, seccompiler::BackendError>>,
) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)
}

/// Ends a program that calls by the numbers of x32, which has the same architecture and other numbers.
fn other_numbers(target: TargetArch) -> Option<BpfProgram> {
    use seccompiler::sock_filter;
    /// Set in each number of x32.
    const X32: u32 = 0x4000_0000;
    const LOAD: u16 = 0x20;
    const JUMP_GE: u16 = 0x35;
    const RETURN: u16 = 0x06;
    (target == TargetArch::x86_64).then(|| {
        vec![
            // The number is the first word of what a filter sees.
            sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
            sock_filter { code: JUMP_GE, jt: 0, jf: 1, k: X32 },
            sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_KILL_PROCESS },
            sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
        ]
    })
}
