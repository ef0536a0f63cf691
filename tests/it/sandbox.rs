//! The sandbox tried from inside: each row is a command that tries what it should not be able to do.
//!
//! Each runs with namespaces and without, as this user and as nobody. A row that a machine cannot try is told on stderr.

mod hosts;
mod names;

use crate::support::program::{Framing, Place, Program, is_running};
use crate::support::server::always;
use crate::support::skipped;
use nix::libc;
use nix::sys::signal::Signal;
use pintle_base::ambient::Ambient;
use pintle_exec::local::{Local, Options};
use pintle_exec::sandbox::{
    Confinement, Denial, Grade, Hosts, Level, Network, Refusal, RefusedHost, ResourceLimits,
    Temporary, probe,
};
use pintle_exec::write_log::{Changed, WriteLog};
use pintle_exec::{Command, End, Environment, Error, Filter, Ran};
use pintle_testing::waiting::{until, until_async};
use serde_json::json;
use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The user `nobody` of most systems.
const NOBODY: u32 = 65534;

/// The variables that tell the tests run as nobody where the program is and where files may be made.
const PROGRAM: &str = "PINTLE_TEST_PROGRAM";
const FOLDER: &str = "PINTLE_TEST_FOLDER";

fn program() -> PathBuf {
    let given = std::env::var_os(PROGRAM).map(PathBuf::from);
    given.unwrap_or_else(|| env!("CARGO_BIN_EXE_pintle").into())
}

/// A machine to break out of: a workspace, and things beside it.
struct Scene {
    folder: tempfile::TempDir,
    local: Local,
    level: Level,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Namespaces {
    Made,
    Denied,
}

impl Scene {
    /// None, with a word on stderr, where this machine makes no namespaces.
    async fn new(namespaces: Namespaces) -> Option<Self> {
        // Not below the temporary folder, which the sandbox replaces.
        let given = std::env::var_os(FOLDER).map(PathBuf::from);
        let folder = given.unwrap_or_else(visible);
        let folder = tempfile::tempdir_in(fs::canonicalize(folder).unwrap()).unwrap();
        let options = Options {
            supervisor: Some(program()),
            without_namespaces: namespaces == Namespaces::Denied,
            ..Options::default()
        };
        let local = Local::new(&Ambient::system(), options);
        let mut scene = Self { folder, local, level: Level::default() };
        for path in ["work/.git/hooks", "keys/open", "other", "temporary"] {
            fs::create_dir_all(scene.path(path)).unwrap();
        }
        for path in [
            "work/file",
            "work/.git/hooks/old",
            "keys/id",
            "keys/open/file",
            "other/file",
            "other/key",
        ] {
            fs::write(scene.path(path), "content").unwrap();
        }
        scene.level = scene.run("true", scene.confinement()).await.sandbox.unwrap().level;
        if namespaces == Namespaces::Made && !scene.level.namespaces {
            skipped(&scene.level.summary());
            return None;
        }
        Some(scene)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn confinement(&self) -> Confinement {
        Confinement {
            writable: vec![self.path("work")],
            protected: vec![self.path("work/.git/hooks"), self.path("work/.envrc")],
            hidden: vec![self.path("keys"), self.path("other/key"), self.path("no-such")],
            readable: vec![self.path("keys/open")],
            temporary: Temporary::Folder(self.path("temporary")),
            ..Confinement::default()
        }
    }

    async fn try_run(&self, line: &str, confinement: Option<Confinement>) -> Result<Ran, Error> {
        let timeout = Some(Duration::from_secs(30));
        let cwd = self.path("work");
        let confinement = confinement.map(Arc::new);
        let command = Command { confinement, timeout, ..Command::new(line, cwd, "sandbox") };
        self.local.exec(command, &CancellationToken::new(), &mut |_| {}).await
    }

    async fn run(&self, line: &str, confinement: Confinement) -> Ran {
        self.try_run(line, Some(confinement)).await.unwrap()
    }
}

/// A command that makes a system call, and prints the number of its error.
fn call(number: libc::c_long, arguments: &str) -> String {
    let program = "$n = shift() + 0; $r = syscall($n, map { $_ + 0 } @ARGV); $e = $! + 0; print $r == -1 ? $e : \"done\"";
    format!("perl -e '{program}' {number} {arguments}")
}

/// The numbers of errors that the filter gives.
const EPERM: &str = "1";
const ENOSYS: &str = "38";

/// A command that prints `done` or `denied`.
fn can(line: &str) -> String {
    format!("if {{ {line}; }} >/dev/null 2>&1 </dev/null; then echo done; else echo denied; fi")
}

/// Perl that makes a connection: the family, the type, the packed address.
fn connect(family: &str, kind: &str, address: &str) -> String {
    let program = format!(
        "use Socket; socket(my $s, {family}, {kind}, 0) or exit 1; connect($s, {address}) or exit 1; send($s, \"x\", 0) or exit 1"
    );
    can(&format!("perl -e '{program}'"))
}

const TCP: &str = "pack_sockaddr_in($ARGV[0], inet_aton(\"127.0.0.1\"))";

/// Tries all rows. `denied_by_both` and so on are what a row expects: with namespaces, without.
async fn attack(namespaces: Namespaces) {
    let Some(scene) = Scene::new(namespaces).await else { return };
    let (done, denied) = ("done", "denied");
    let is_root = nix::unistd::geteuid().is_root();
    let path = |name: &str| scene.path(name).display().to_string();
    let me = std::process::id();
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let (tcp, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let name = format!("pintle-test-{me}-{}", namespaces == Namespaces::Made);
    let _abstract =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let _socket = UnixListener::bind(scene.path("other/socket")).unwrap();
    let _in_workspace = UnixListener::bind(scene.path("work/socket")).unwrap();
    let port = |line: String, port: u16| line.replace("$ARGV[0]", &port.to_string());
    let own_server = "use Socket; socket(my $l, AF_INET, SOCK_STREAM, 0) or exit 1; bind($l, pack_sockaddr_in(0, INADDR_LOOPBACK)) or exit 1; \
        listen($l, 1) or exit 1; my ($p) = unpack_sockaddr_in(getsockname($l)); socket(my $s, AF_INET, SOCK_STREAM, 0) or exit 1; \
        connect($s, pack_sockaddr_in($p, INADDR_LOOPBACK)) or exit 1";
    let datagram = connect("AF_INET", "SOCK_DGRAM", TCP);
    let socket = |family: i32, kind: i32| call(libc::SYS_socket, &format!("{family} {kind} 0"));

    // The name, the command, and what it prints with namespaces and without.
    let rows: Vec<(&str, String, [&str; 2])> = vec![
        ("a change in the workspace", can("echo x > file && mkdir new && mv file new"), [done; 2]),
        ("a new file outside", can(&format!("touch {}/new", path("other"))), [denied; 2]),
        ("a change outside", can(&format!("echo x >> {}", path("other/file"))), [denied; 2]),
        (
            "a change through a link",
            can(&format!("ln -sf {} link && echo x >> link", path("other/file"))),
            [denied; 2],
        ),
        (
            "a change through a hard link",
            can(&format!("ln {} hard && echo x >> hard", path("other/file"))),
            [denied; 2],
        ),
        ("a removal outside", can(&format!("rm -f {}", path("other/file"))), [denied; 2]),
        (
            "moving out",
            can(&format!("touch moved && mv moved {}/moved", path("other"))),
            [denied; 2],
        ),
        (
            "moving the workspace",
            can(&format!("mv {} {}", path("work"), path("gone"))),
            [denied; 2],
        ),
        ("a mode outside", can(&format!("chmod 600 {}", path("other/file"))), [denied, done]),
        (
            "a time outside",
            can(&format!("touch -d 2001-01-01 {}", path("other/file"))),
            [denied, done],
        ),
        ("reading outside", can(&format!("cat {}", path("other/file"))), [done; 2]),
        ("reading a key", can(&format!("cat {}", path("keys/id"))), [denied; 2]),
        ("reading a hidden file", can(&format!("cat {}", path("other/key"))), [denied; 2]),
        ("listing keys", can(&format!("ls {}", path("keys"))), [denied, done]),
        (
            "opening the folder of keys",
            can(&format!("chmod 755 {0} && ls {0}", path("keys"))),
            [denied, done],
        ),
        (
            "reading what is open among keys",
            can(&format!("cat {}", path("keys/open/file"))),
            [done; 2],
        ),
        (
            "writing what is open among keys",
            can(&format!("echo x > {}", path("keys/open/file"))),
            [denied; 2],
        ),
        ("a protected file", can("echo x > .git/hooks/pre-commit"), [denied, done]),
        ("beside a protected folder", can("echo x > .git/index"), [done; 2]),
        (
            "another folder in its place",
            can("mv .git old && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit"),
            [denied, done],
        ),
        ("a temporary file", can("echo x > $(mktemp)"), [done; 2]),
        ("a fixed temporary file", can("echo x > /tmp/fixed-name"), [done, denied]),
        ("shared memory", can("echo x > /dev/shm/x"), [done, denied]),
        ("a device", can("echo x > /dev/null && head -c 9 /dev/urandom"), [done; 2]),
        ("a setting of the kernel's", can("echo x > /proc/sys/kernel/core_pattern"), [denied; 2]),
        (
            "a disk",
            can(
                "(for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem; do head -c 1 $d && exit 0; done; exit 1)",
            ),
            [denied; 2],
        ),
        (
            "capabilities",
            "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -d '\\n\\t'".to_owned(),
            [
                "CapEff:0000000000000000CapBnd:0000000000000000NoNewPrivs:1",
                if is_root {
                    "CapEff:0000000000000000CapBnd:0000000000000000NoNewPrivs:1"
                } else {
                    ""
                },
            ],
        ),
        (
            "the loopback of the machine",
            port(connect("AF_INET", "SOCK_STREAM", TCP), tcp),
            [denied; 2],
        ),
        ("a loopback of its own", can(&format!("perl -e '{own_server}'")), [done, denied]),
        (
            "out by TCP",
            connect("AF_INET", "SOCK_STREAM", "pack_sockaddr_in(53, inet_aton(\"192.0.2.1\"))"),
            [denied; 2],
        ),
        (
            "out by UDP",
            connect("AF_INET", "SOCK_DGRAM", "pack_sockaddr_in(53, inet_aton(\"192.0.2.1\"))"),
            [denied; 2],
        ),
        (
            "an abstract socket",
            connect("AF_UNIX", "SOCK_STREAM", &format!("pack_sockaddr_un(\"\\0{name}\")")),
            [denied, if scene.level.landlock >= 6 { denied } else { done }],
        ),
        (
            "a socket that is a file",
            connect(
                "AF_UNIX",
                "SOCK_STREAM",
                &format!("pack_sockaddr_un(\"{}\")", path("other/socket")),
            ),
            [denied, done],
        ),
        (
            "another's socket in the workspace",
            connect(
                "AF_UNIX",
                "SOCK_STREAM",
                &format!("pack_sockaddr_un(\"{}\")", path("work/socket")),
            ),
            [denied, done],
        ),
        (
            "a socket of its own in the workspace",
            can(&format!(
                "perl -e 'use Socket; socket(my $l, AF_UNIX, SOCK_STREAM, 0) or exit 1; my $a = pack_sockaddr_un(\"{0}\"); \
                 bind($l, $a) or exit 1; listen($l, 1) or exit 1; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or exit 1; connect($s, $a) or exit 1'",
                path("work/own")
            )),
            [done; 2],
        ),
        (
            "a pair of sockets",
            can(
                "perl -e 'use Socket; socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or exit 1'",
            ),
            [done; 2],
        ),
        ("packets", socket(libc::AF_PACKET, libc::SOCK_RAW), [EPERM; 2]),
        ("the host of a virtual machine", socket(libc::AF_VSOCK, libc::SOCK_STREAM), [EPERM; 2]),
        ("the kernel's ciphers", socket(libc::AF_ALG, libc::SOCK_SEQPACKET), [EPERM; 2]),
        (
            "a signal",
            can(&format!("kill -0 {me}")),
            [denied, if scene.level.landlock >= 6 { denied } else { done }],
        ),
        ("tracing", call(libc::SYS_ptrace, &format!("16 {me} 0 0")), [EPERM; 2]),
        (
            "memory by a call",
            call(libc::SYS_process_vm_readv, &format!("{me} 0 0 0 0 0")),
            [EPERM; 2],
        ),
        ("memory by a file", can(&format!("head -c 1 /proc/{me}/mem")), [denied; 2]),
        ("variables", can(&format!("cat /proc/{me}/environ")), [denied; 2]),
        ("variables of the supervisor", can("cat /proc/$PPID/environ"), [denied; 2]),
        ("descriptors", can(&format!("readlink /proc/{me}/fd/0")), [denied; 2]),
        ("new namespaces", can("unshare -Ur true"), [denied; 2]),
        (
            "new namespaces by clone",
            call(libc::SYS_clone, &format!("{} 0 0 0 0", libc::CLONE_NEWUSER | libc::SIGCHLD)),
            [EPERM; 2],
        ),
        ("clone3", call(libc::SYS_clone3, "0 0"), [ENOSYS; 2]),
        ("another's namespaces", call(libc::SYS_setns, "0 0"), [EPERM; 2]),
        ("a mount", call(libc::SYS_mount, "0 0 0 0 0"), [EPERM; 2]),
        ("a new root", call(libc::SYS_chroot, "0"), [EPERM; 2]),
        ("keys of the kernel", call(libc::SYS_keyctl, "0 0 0 0 0"), [EPERM; 2]),
        ("adding a key", call(libc::SYS_add_key, "0 0 0 0 0"), [EPERM; 2]),
        ("io_uring", call(libc::SYS_io_uring_setup, "1 0"), [EPERM; 2]),
        ("programs in the kernel", call(libc::SYS_bpf, "0 0 0"), [EPERM; 2]),
        ("performance counters", call(libc::SYS_perf_event_open, "0 0 0 0 0"), [EPERM; 2]),
        ("page faults", call(libc::SYS_userfaultfd, "0"), [EPERM; 2]),
        ("a descriptor of another process", call(libc::SYS_pidfd_getfd, "0 0 0"), [EPERM; 2]),
        (
            "input for a terminal",
            call(libc::SYS_ioctl, &format!("0 {} 0", libc::TIOCSTI)),
            [EPERM; 2],
        ),
    ];
    let column = usize::from(namespaces == Namespaces::Denied);
    let mut wrong = Vec::new();
    for (name, line, want) in rows {
        let want = want[column];
        let ran = scene.run(&line, scene.confinement()).await;
        if !want.is_empty() && ran.tail.trim() != want {
            wrong.push(format!("{name}: {:?} instead of {want:?}, by {line}", ran.tail));
        }
    }
    let _ = scene.run(&port(datagram, udp_port), scene.confinement()).await;
    if udp.recv(&mut [0; 1]).is_ok() {
        wrong.push("a datagram came out".to_owned());
    }
    assert!(wrong.is_empty(), "{}\n{}", scene.level.summary(), wrong.join("\n"));
    assert!(!Path::new("/tmp/fixed-name").exists());
}

#[tokio::test]
async fn nothing_gets_out_with_namespaces() {
    attack(Namespaces::Made).await;
}

#[tokio::test]
async fn what_gets_out_without_namespaces_is_listed() {
    attack(Namespaces::Denied).await;
}

/// Returns a folder that the sandbox does not hide. In a clone below `/tmp`, the build folder is hidden.
fn visible() -> PathBuf {
    let home = std::env::var_os("HOME").unwrap_or_default();
    let folders = [env!("CARGO_TARGET_TMPDIR").into(), "/var/cache".into(), PathBuf::from(home)];
    let is_visible = |folder: &PathBuf| {
        let is_hidden = folder.starts_with("/tmp") || folder.starts_with("/var/tmp");
        !is_hidden && nix::unistd::access(folder, nix::unistd::AccessFlags::W_OK).is_ok()
    };
    folders.into_iter().find(is_visible).unwrap()
}

/// Runs tests of this file as nobody.
fn as_nobody(tests: &[&str]) {
    if !nix::unistd::geteuid().is_root() {
        skipped("only root can become another user, and this user is none");
        return;
    }
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    open(folder.path());
    let place = folder.path().join("place");
    fs::create_dir(&place).unwrap();
    std::os::unix::fs::chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
    // The sandbox hides this folder, so the test's own files are elsewhere, if that can be reached.
    let elsewhere = tempfile::tempdir_in(visible()).unwrap();
    std::os::unix::fs::chown(elsewhere.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::hard_link(from, &to).or_else(|_| fs::copy(from, &to).map(drop)).unwrap();
        to
    };
    let program = copy(&program(), "pintle");
    let tests_program = copy(&std::env::current_exe().unwrap(), "it");
    let mut command = std::process::Command::new(tests_program);
    command.args(["--exact", "--nocapture", "--test-threads=1"]).args(tests);
    command.env(PROGRAM, program).env(FOLDER, elsewhere.path()).env("HOME", &place);
    command.current_dir("/");
    std::os::unix::process::CommandExt::uid(&mut command, NOBODY);
    std::os::unix::process::CommandExt::gid(&mut command, NOBODY);
    let reaches = std::process::Command::new("ls").arg(elsewhere.path()).uid_gid(NOBODY).status();
    if !reaches.is_ok_and(|status| status.success()) {
        skipped(&format!("nobody cannot reach {}", elsewhere.path().display()));
        return;
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let passed = format!("{} passed", tests.len());
    assert!(said.contains(&passed), "{said}");
}

trait AsUser {
    fn uid_gid(&mut self, id: u32) -> &mut Self;
}

impl AsUser for std::process::Command {
    fn uid_gid(&mut self, id: u32) -> &mut Self {
        use std::os::unix::process::CommandExt;
        self.uid(id).gid(id)
    }
}

#[test]
fn nobody_gets_out_with_namespaces() {
    as_nobody(&["sandbox::nothing_gets_out_with_namespaces"]);
}

#[test]
fn what_nobody_gets_out_without_namespaces_is_listed() {
    as_nobody(&["sandbox::what_gets_out_without_namespaces_is_listed"]);
}

#[tokio::test]
async fn limits_hold() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let limits = ResourceLimits {
        processes: Some(320),
        file_bytes: Some(1 << 20),
        temporary_bytes: Some(1 << 20),
        ..ResourceLimits::default()
    };
    let confinement = Confinement { limits, temporary: Temporary::Command, ..scene.confinement() };
    let fill =
        |path: &str| format!("head -c 3000000 /dev/zero > {path} 2>/dev/null; stat -c %s {path}");
    let ran = scene.run(&fill("big"), confinement.clone()).await;
    assert!(ran.tail.ends_with("1048576\n"), "{}", ran.tail);
    let ran = scene
        .run(
            "head -c 600000 /dev/zero > /tmp/a; head -c 600000 /dev/zero > /tmp/b",
            confinement.clone(),
        )
        .await;
    assert_eq!(ran.sandbox.unwrap().denied, Some(Denial::Limit), "{}", ran.tail);
    // Processes that start others as long as they can; the number of processes is that of the entries.
    let bomb = "bomb() { while :; do bomb & done; }; (bomb) 2>/dev/null & \
        for i in {1..200}; do n=0; for d in /proc/[0-9]*; do n=$((n + 1)); done; [ $n -gt 320 ] && exit 9; done; exit 0";
    let ran = scene.run(bomb, confinement).await;
    assert!(matches!(ran.end, End::Exited(0 | 254)), "{ran:?}");
    scene.local.release("sandbox").await;
}

#[tokio::test]
async fn a_confined_command_reports_its_level_and_denials() {
    for namespaces in [Namespaces::Made, Namespaces::Denied] {
        let Some(scene) = Scene::new(namespaces).await else { continue };
        let ran = scene.run("touch .envrc; cat no-such", scene.confinement()).await;
        let report = ran.sandbox.unwrap();
        assert_eq!((report.denied, report.created), (None, vec![scene.path("work/.envrc")]));
        assert_eq!(report.level.namespaces, namespaces == Namespaces::Made);
        assert_eq!(report.level.gaps(&Network::None).is_empty(), report.level.is_full());

        let line = format!("touch {}", scene.path("other/new").display());
        let ran = scene.run(&line, scene.confinement()).await;
        let denied = ran.sandbox.unwrap().denied;
        assert!(matches!(denied, Some(Denial::Write | Denial::Access)), "{denied:?}");

        let strict = Confinement { minimum: Grade::Full, ..scene.confinement() };
        let ran = scene.try_run("touch strict", Some(strict)).await;
        match namespaces {
            Namespaces::Made => assert!(ran.is_ok(), "{ran:?}"),
            Namespaces::Denied => {
                assert!(matches!(ran, Err(Error::NotConfined(_))), "{ran:?}");
                assert!(!scene.path("work/strict").exists(), "it did not run");
            }
        }
        let shared = || Confinement { temporary: Temporary::Owner, ..scene.confinement() };
        scene.run("echo kept > $TMPDIR/note", shared()).await;
        assert_eq!(scene.run("cat $TMPDIR/note", shared()).await.tail, "kept\n");
        scene.local.release("sandbox").await;
        assert_eq!(scene.run("ls $TMPDIR", shared()).await.tail, "");

        let free = scene.try_run("exit 3", None).await.unwrap();
        assert_eq!((free.end, free.sandbox), (End::Exited(3), None));
    }
}

/// Each row: a command, and the files of the workspace that it changes.
#[tokio::test]
async fn what_a_confined_command_changes_is_logged() {
    const FILES: [&str; 4] = ["file", "other", "folder/a", "folder/b"];
    for namespaces in [Namespaces::Made, Namespaces::Denied] {
        let Some(scene) = Scene::new(namespaces).await else { continue };
        for (line, want) in [
            ("cat file; ls folder; sleep 0", &[][..]),
            ("echo x > file", &["file"]),
            ("echo x >> folder/../folder/a", &["folder/a"]),
            ("cd folder && sed -i s/a/b/ a", &["folder/a"]),
            ("mv file other", &["file", "other"]),
            ("rm folder/b", &["folder/b"]),
            ("ln -s folder link; echo x > link/a", &["folder/a"]),
            ("ln -s file link; echo x > link", &["file"]),
            ("chmod 600 other", &["other"]),
            ("mv folder moved; mv moved folder", &["folder/a", "folder/b"]),
            ("cp file other", &["other"]),
            ("truncate -s 1 file", &["file"]),
            ("(exec 3<>other; echo x >&3) & wait", &["other"]),
            (
                "python3 -c 'import os; os.chmod(\"file\", 0o600); open(\"other\", \"a\").close()'",
                &["file", "other"],
            ),
        ] {
            let work = scene.path("work");
            fs::remove_dir_all(&work).unwrap();
            fs::create_dir_all(work.join("folder")).unwrap();
            for file in FILES {
                fs::write(work.join(file), "a\n").unwrap();
            }
            let log = WriteLog::default();
            let (confinement, writes) = (Some(Arc::new(scene.confinement())), Some(log.clone()));
            let command = Command { confinement, writes, ..Command::new(line, &work, "sandbox") };
            let ran = scene.local.exec(command, &CancellationToken::new(), &mut |_| {}).await;
            assert_eq!(ran.unwrap().end, End::Exited(0), "{line}");
            for file in FILES {
                let changed = if want.contains(&file) { Changed::Yes } else { Changed::No };
                assert_eq!(log.changed(&work.join(file)), changed, "{line}: {file}");
            }
        }
    }
}

#[tokio::test]
async fn without_a_supervisor_nothing_runs_confined() {
    let local = Local::new(&Ambient::system(), Options::default());
    let confinement = Some(Arc::new(Confinement::default()));
    let command = Command { confinement, ..Command::new("true", "/", "sandbox") };
    let ran = local.exec(command, &CancellationToken::new(), &mut |_| {}).await;
    assert!(matches!(ran, Err(Error::NotConfined(_))), "{ran:?}");
    let level = probe(Path::new("/no/such/program")).await;
    assert!(level.is_none() && level.namespaces_failed.is_some(), "{level:?}");
}

#[tokio::test]
async fn ends_and_errors_are_those_of_the_command() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let confined = || Some(scene.confinement());
    for confinement in [None, confined()] {
        for (line, output, end) in [
            ("echo a; echo b >&2; exit 3", "a\nb\n", End::Exited(3)),
            ("kill -SEGV $$", "", End::Signalled("SIGSEGV".to_owned())),
            ("cat; read x || echo none", "none\n", End::Exited(0)),
            ("test $(ps -o sid= -p $$) = $$ && echo own", "own\n", End::Exited(0)),
            ("yes | head -2", "y\ny\n", End::Exited(0)),
            ("sleep 100 & echo started", "started\n", End::Exited(0)),
            ("ls /proc/self/fd | wc -l", "4\n", End::Exited(0)),
            ("trap -p; echo $PWD | grep -o 'work$'", "work\n", End::Exited(0)),
        ] {
            let ran = scene.try_run(line, confinement.clone()).await.unwrap();
            assert_eq!((ran.tail.as_str(), ran.end), (output, end), "{line}");
        }
        if confinement.is_none() {
            // The command's keeper, which takes the shell with it.
            let ran = scene.try_run("kill -9 $PPID; sleep 100", None).await.unwrap();
            assert_eq!(ran.end, End::Signalled("SIGKILL".to_owned()));
        }
        let gone = Command {
            confinement: confinement.clone().map(Arc::new),
            ..Command::new("true", scene.path("gone"), "sandbox")
        };
        let ran = scene.local.exec(gone, &CancellationToken::new(), &mut |_| {}).await.unwrap();
        assert_eq!((ran.end, ran.is_displaced), (End::Exited(0), true), "it ran elsewhere");
    }
    scene.local.release("sandbox").await;
}

/// A command that leaves its session and its environment behind, and bears this name.
fn stray(name: &str) -> String {
    format!("env -i setsid -f /bin/bash -c 'trap \"\" TERM HUP; exec -a {name} sleep 1000'")
}

/// A name that no other process has.
fn unique(name: &str) -> String {
    format!("stray-{name}-{}", std::process::id())
}

#[test]
fn what_left_its_session_ends_with_an_engine_that_is_killed() {
    let (place, name) = (Place::new(&[]), unique("killed"));
    let line = format!("{}; echo begun; sleep 1000", stray(&name));
    let call = json!([{"tool": "bash", "arguments": {"command": line}}]);
    let script = place.script(&json!({"replies": [{"blocks": call}]}));
    let command = place.command(&["serve", "--permission", "full", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until(|message| message["params"]["event"]["field"] == "output");
    until(|| is_running(&name));
    program.signal(Signal::SIGKILL);
    program.wait();
    until(|| !is_running(&name));
}

#[tokio::test]
async fn nothing_is_left_of_a_command_that_is_stopped_or_released() {
    for namespaces in [Namespaces::Made, Namespaces::Denied] {
        let Some(scene) = Scene::new(namespaces).await else { continue };
        let column = usize::from(namespaces == Namespaces::Denied);
        for (kind, confinement) in [("free", None), ("confined", Some(scene.confinement()))] {
            let name = unique(&format!("stopped-{kind}-{column}"));
            let line = format!(
                "{0}; (setsid {1} &); trap '' TERM; sleep 1000; sleep 1000",
                stray(&name),
                "sleep 1000"
            );
            let timeout = Some(Duration::from_millis(300));
            let command = Command {
                confinement: confinement.clone().map(Arc::new),
                timeout,
                ..Command::new(line, scene.path("work"), "sandbox")
            };
            let ran = scene.local.exec(command, &CancellationToken::new(), &mut |_| {}).await;
            assert_eq!(ran.unwrap().end, End::TimedOut, "{kind}");
            assert!(!is_running(&name), "{kind} {column}");
            let name = unique(&format!("released-{kind}-{column}"));
            let ran = scene.try_run(&format!("{}; sleep 0", stray(&name)), confinement).await;
            assert_eq!(ran.unwrap().end, End::Exited(0), "{kind} {column}");
            until(|| is_running(&name));
            scene.local.release("somebody else").await;
            assert!(is_running(&name), "{kind} {column}: it is not theirs");
            scene.local.release("sandbox").await;
            assert!(!is_running(&name), "{kind} {column}");
        }
        let name = unique(&format!("dropped-{column}"));
        let ran = scene.try_run(&stray(&name), None).await.unwrap();
        assert_eq!(ran.end, End::Exited(0), "{}", ran.tail);
        until(|| is_running(&name));
        drop(scene);
        assert!(!is_running(&name), "{column}");
    }
}

#[tokio::test]
async fn a_session_shows_the_sandbox_of_its_commands() {
    let shown = |sandbox: &str| {
        let place = Place::new(&[]);
        let script = place.script(&json!({"replies": []}));
        let args = ["serve", "--sandbox", sandbox, "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        let shown = program.ask("session/create", json!({}))["sandbox"].clone();
        program.end_input();
        program.rest();
        shown
    };
    let level = probe(&program()).await;
    let grade = serde_json::to_value(level.grade()).unwrap();
    let state = shown("auto");
    assert_eq!((&state["grade"], &state["level"]), (&grade, &json!(level.summary())));
    assert_eq!(state["gaps"].is_null(), level.is_full());
    assert!(shown("off").is_null());
    if level.is_full() {
        assert_eq!(shown("required")["required"], true);
    }
}

#[test]
fn a_level_without_namespaces_has_the_reason() {
    // The limits of a user namespace do not affect other tests.
    let deny = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";
    let denied = |command: &std::process::Command| {
        let mut within = std::process::Command::new("unshare");
        within.args(["-Ur", "sh", "-c", deny, "sh"]);
        within.arg(command.get_program()).args(command.get_args());
        let set = |(name, value): (_, Option<_>)| value.map(|value: &_| (name, value));
        within.envs(command.get_envs().filter_map(set)).output()
    };
    if !denied(&std::process::Command::new("true")).is_ok_and(|out| out.status.success()) {
        return skipped("user namespaces cannot be made here");
    }
    let place = Place::new(&[]);
    let out = denied(&place.command(&["doctor"])).unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let sandbox = text.lines().find(|line| line.starts_with("sandbox")).unwrap_or_default();
    assert!(sandbox.contains("no namespaces (clone: "), "{text}");
}

/// A server that a command starts with `&` dies of its first line if nobody reads it.
#[tokio::test]
async fn what_a_confined_command_leaves_in_the_background_may_print() {
    for namespaces in [Namespaces::Made, Namespaces::Denied] {
        let Some(scene) = Scene::new(namespaces).await else { continue };
        let line = "mkfifo go; (read x < go; echo later; touch printed) & echo started";
        let ran = scene.run(line, scene.confinement()).await;
        assert_eq!((ran.tail.as_str(), ran.end), ("started\n", End::Exited(0)));
        let output = ran.background_output.unwrap();
        let (go, printed) = (scene.path("work/go"), scene.path("work/printed"));
        tokio::task::spawn_blocking(move || fs::write(go, "go\n").unwrap()).await.unwrap();
        until_async(|| printed.exists()).await;
        scene.local.release("sandbox").await;
        assert_eq!(fs::read_to_string(&output).unwrap(), "started\nlater\n");
        fs::remove_file(output).unwrap();
    }
}

#[test]
fn an_ordinary_users_commands_cannot_look_into_the_engine() {
    let place = Place::new(&[]);
    // The engine is the parent of the supervisor, the supervisor that of the keeper, and the keeper that of the shell.
    let line = "supervisor=$(ps -o ppid= -p $PPID | tr -d ' '); engine=$(ps -o ppid= -p $supervisor | tr -d ' '); cat /proc/$PPID/environ /proc/$supervisor/environ | grep -c KEY; \
        cat /proc/$engine/environ; head -c 1 /proc/$engine/mem; readlink /proc/$engine/fd/0; ps -o args= -p $engine | grep -o serve";
    let call = json!([{"tool": "bash", "arguments": {"command": line}}]);
    let script =
        place.script(&json!({"replies": [{"blocks": call}, {"blocks": [{"text": "done"}]}]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut command = place.unprivileged_command(&args);
    command.env("ANTHROPIC_API_KEY", "very-secret");
    let reaches = std::process::Command::new(program()).arg("schema").uid_gid(NOBODY).output();
    if !reaches.is_ok_and(|output| output.status.success()) {
        skipped(&format!("nobody cannot execute {}", program().display()));
        return;
    }
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    let done = program.until(|message| !message["params"]["event"]["item"]["output"].is_null());
    let said = done["params"]["event"]["item"]["output"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(said.matches("Permission denied").count(), 2, "{said}");
    assert!(said.starts_with("0\n") && said.contains("serve\n"), "{said}");
    assert!(!said.contains("very-secret"), "{said}");
}
