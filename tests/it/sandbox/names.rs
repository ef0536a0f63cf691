//! Files that confined commands are kept from by their names: each row is a command that tries to get at one.

use super::{Namespaces, Scene, can};
use pintle_exec::sandbox::{Confinement, JudgeNames, Names};
use pintle_exec::{Command, Environment};
use pintle_tools::permissions::{Places, Zone};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

struct ByName(Places);

impl JudgeNames for ByName {
    fn is_secret(&self, path: &Path) -> bool {
        matches!(self.0.zone(path), Zone::Secret(_))
    }

    fn is_obeyed(&self, path: &Path) -> bool {
        self.0.is_kept_from_commands(path)
    }
}

/// The workspace before each command, and what a file holds.
const FILES: [(&str, &str); 15] = [
    ("CLAUDE.md", "kept"),
    (".eslintrc.json", "kept"),
    (".prettierrc", "kept"),
    ("eslint.config.js", "kept"),
    ("docs/agents.md", "kept"),
    ("sub/.prettierrc", "kept"),
    ("sub/deep/QWEN.md", "kept"),
    ("pkg/.github/workflows/ci.yml", "kept"),
    (".env", "secret"),
    (".env.example", "shown"),
    ("sub/.env.local", "secret"),
    ("sub/server.key", "secret"),
    ("evil", "evil"),
    ("tree/workflows/ci.yml", "evil"),
    ("node_modules/evil/.envrc", "evil"),
];

const LINKS: [(&str, &str); 2] = [("AGENTS.md", "CLAUDE.md"), ("GEMINI.md", "docs/agents.md")];

fn fill(work: &Path) {
    for (name, text) in FILES {
        fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
        fs::write(work.join(name), text).unwrap();
    }
    for (name, target) in LINKS {
        symlink(target, work.join(name)).unwrap();
    }
}

fn confinement(scene: &Scene) -> Confinement {
    let work = scene.path("work");
    let home = scene.path("home");
    let places = Places { roots: vec![work], home: Some(home), ..Places::default() };
    let names = Names::new(ByName(places.clone()), places.hidden(), places.listed());
    Confinement { names, protected: Vec::new(), ..scene.confinement() }
}

/// What a command may change: everything that is not kept by its name.
fn is_kept(path: &Path, work: &Path) -> bool {
    let places = Places { roots: vec![work.to_owned()], ..Places::default() };
    places.is_kept_from_commands(path)
}

/// The files below a folder that are kept by their names, with their contents, and where links lead.
fn kept_files(folder: &Path, work: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if is_kept(&path, work) {
                let link =
                    fs::read_link(&path).map(|to| to.display().to_string()).unwrap_or_default();
                // A pipe would be waited for.
                let is_read = path.metadata().is_ok_and(|found| found.is_file());
                let text = if is_read { fs::read_to_string(&path).unwrap() } else { String::new() };
                found.push((path.clone(), format!("{kind:?} {link} {text}")));
            }
            if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn script(text: &str) -> String {
    format!("cat > s.sh <<'E'\n{text}\nE\nsh s.sh")
}

#[tokio::test]
async fn files_that_others_obey_are_neither_changed_nor_made() {
    for namespaces in [Namespaces::Made, Namespaces::Denied] {
        let Some(scene) = Scene::new(namespaces).await else { continue };
        let work = scene.path("work");
        // Each command tries to change, replace or make a file of the kind.
        let rows = [
            "for f in .eslintrc.json .prettierrc eslint.config.js sub/.prettierrc; do echo evil > $f; done",
            "rm AGENTS.md; echo evil > AGENTS.md",
            "rm -f AGENTS.md; ln -s evil AGENTS.md",
            "mv evil AGENTS.md",
            "ln -sfn evil AGENTS.md",
            "echo evil > docs/agents.md",
            "echo evil > GEMINI.md",
            "cp evil sub/deep/QWEN.md",
            "sed -i s/kept/evil/ sub/deep/QWEN.md",
            "rm sub/deep/QWEN.md",
            "mv sub/deep/QWEN.md sub/other",
            "mv sub/deep/QWEN.md sub/other && echo evil > sub/deep/QWEN.md",
            "ln sub/deep/QWEN.md hard && echo evil > hard",
            "chmod 777 sub/deep/QWEN.md",
            "truncate -s 0 pkg/.github/workflows/ci.yml",
            "echo evil > .envrc",
            "echo evil > .ENVRC",
            "echo evil > sub/.Envrc",
            "mv evil lefthook.yaml",
            "ln evil x.code-workspace",
            "ln -s evil .devcontainer.json",
            "ln -s evil l; ln -s .envrc l2; echo evil > l2",
            "ln -s $PWD/.envrc /tmp/l; echo evil > /tmp/l",
            "mkdir -p .windsurf/rules && echo evil > .windsurf/rules/x.md",
            "mkdir .vscode; ln -s .vscode v; echo evil > v/tasks.json",
            "mkdir .pintle; cp evil .pintle/permissions.toml",
            "mkdir -p v; echo evil > v/tasks.json; mv v .vscode",
            "mv tree .github",
            "mv tree sub/.github",
            "cp -r tree .github",
            "mv node_modules/evil sub/evil",
            "mkdir n; mv node_modules/evil/.envrc n/.envrc",
            "exec 3< .eslintrc.json; echo evil > /proc/self/fd/3",
            "exec 3< sub/.prettierrc; echo evil > /dev/fd/3",
            "exec 3< sub/.prettierrc; echo evil > /proc/$$/fd/3",
            "cd sub; echo evil > /proc/self/cwd/.envrc",
            "echo evil > /proc/self/root$PWD/.envrc",
            "echo evil > /proc/thread-self/cwd/.envrc",
            "perl -e 'open(F, \">\", \"sub/../.envrc\") and print F \"evil\"'",
            "perl -e 'rename(\"evil\", \"opencode.json\")'",
            "perl -e 'chdir(\"sub\"); link(\"../evil\", \".envrc\")'",
            "python3 -c 'import os; d = os.open(\"sub\", os.O_RDONLY); os.open(\".envrc\", os.O_CREAT | os.O_WRONLY, dir_fd=d)'",
            "python3 -c 'import os; f = os.open(\".\", os.O_TMPFILE | os.O_RDWR); os.write(f, b\"evil\"); os.link(f\"/proc/self/fd/{f}\", \".envrc\", follow_symlinks=True)'",
            "(echo evil > .envrc) & wait",
            "setsid sh -c 'echo evil > .envrc'",
            "git init -q sub/repository",
            "mkfifo .envrc",
            "mknod sub/AGENTS.md p",
            "python3 -c 'import os; os.mknod(\"sub/.envrc\", 0o100644)'",
            "python3 -c 'import os; os.mknod(\".envrc\", 0o100644, dir_fd=os.open(\"sub\", 0))'",
            "mkdir .claude",
            "mkdir -p sub/.pintle/agents",
            "cd sub; mkdir .git .vscode",
            "mkdir AGENTS.local.md",
            "mv pkg/.github moved",
            "mv pkg/.github moved; mkdir pkg/.github",
            "tar c tree | (mkdir t; cd t; tar x --transform s/tree/.github/)",
        ];
        for row in rows {
            for line in [row.to_owned(), script(row)] {
                fs::remove_dir_all(&work).unwrap();
                fs::create_dir_all(&work).unwrap();
                fill(&work);
                let before = kept_files(&work, &work);
                let ran = scene.run(&line, confinement(&scene)).await;
                let after = kept_files(&work, &work);
                assert_eq!(after, before, "{row}: {}", ran.tail);
            }
        }
        scene.local.release("sandbox").await;
    }
}

#[tokio::test]
async fn a_command_is_told_what_it_was_kept_from_and_goes_on() {
    for namespaces in [Namespaces::Made, Namespaces::Denied] {
        let Some(scene) = Scene::new(namespaces).await else { continue };
        fill(&scene.path("work"));
        let ran =
            scene.run("echo x > sub/.envrc; echo x > free; cat free", confinement(&scene)).await;
        assert!(
            ran.tail.contains("Read-only file system") && ran.tail.ends_with("x\n"),
            "{}",
            ran.tail
        );
        let report = ran.sandbox.unwrap();
        assert_eq!(report.kept, [scene.path("work/sub/.envrc")]);
        assert!(!report.level.is_unwatched);
        assert_eq!(report.created, [] as [PathBuf; 0]);
        // Work as usual is not in the way of it.
        for line in [
            "mkdir -p src/a && echo x > src/a/main.rs && mv src/a src/b && rm -r src",
            "mkdir -p node_modules/p/.github/workflows && echo x > node_modules/p/.github/workflows/ci.yml",
            "mkdir -p target && echo x > target/.envrc && rm -r target node_modules",
            "cat .eslintrc.json AGENTS.md sub/deep/QWEN.md",
            "python3 -c 'open(\"sub/deep/QWEN.md\").read()'",
            "echo x > package.json; echo x > Makefile; echo x > README.md",
            "echo x >> .env.example; touch .gitignore",
            "mv sub moved && mv moved sub",
            "mkdir -p pkg/.github/workflows pkg/.github/other && rmdir pkg/.github/other",
            "mkfifo pipe && rm pipe",
            "echo x > /tmp/AGENTS.md",
            "echo x > /dev/stderr; echo x > /dev/null",
        ] {
            let line = if line.contains("/tmp/") && namespaces == Namespaces::Denied {
                "true"
            } else {
                line
            };
            let ran = scene.run(&can(line), confinement(&scene)).await;
            assert_eq!(ran.tail, "done\n", "{line}");
        }
    }
}

#[tokio::test]
async fn secret_files_of_the_workspace_and_of_the_home_folder_are_not_read() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    fill(&scene.path("work"));
    for name in [
        ".gemini/oauth_creds.json",
        ".config/github-copilot/apps.json",
        ".config/containers/auth.json",
        ".m2/settings.xml",
        ".cache/huggingface/token",
        ".config/sops/age/keys.txt",
        ".bash_history",
        ".local/share/fish/fish_history",
        ".netrc",
        ".docker/config.json",
        ".kube/config",
    ] {
        let path = scene.path("home").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "secret").unwrap();
        let ran = scene.run(&can(&format!("cat {}", path.display())), confinement(&scene)).await;
        assert_eq!(ran.tail, "denied\n", "{name}");
    }
    for (name, want) in [
        (".env", "denied\n"),
        ("sub/.env.local", "denied\n"),
        ("sub/server.key", "denied\n"),
        (".env.example", "done\n"),
        ("evil", "done\n"),
    ] {
        let ran = scene.run(&can(&format!("cat {name}")), confinement(&scene)).await;
        assert_eq!(ran.tail, want, "{name}");
        let ran = scene
            .run(
                &can(&format!("mv {name} seen && cat seen && mv seen {name}")),
                confinement(&scene),
            )
            .await;
        assert_eq!(ran.tail, want, "{name}");
    }
    // Nor is one whose folder makes it a secret moved out of it, for a later command to read.
    let keys = scene.path("work/sub/.docker/config.json");
    fs::create_dir_all(keys.parent().unwrap()).unwrap();
    fs::write(&keys, "secret").unwrap();
    let ran = scene.run(&can("mv sub/.docker sub/seen"), confinement(&scene)).await;
    assert_eq!(ran.tail, "denied\n");
    assert!(keys.exists());
    // One that appears while a command runs is hidden from a later one.
    let limits = confinement(&scene);
    scene.run("true", limits.clone()).await;
    fs::write(scene.path("work/sub/.env.new"), "secret").unwrap();
    scene.run("true", limits.clone()).await;
    let line = can("cat sub/.env.new");
    // The look behind the command is not waited for, and is over after a few more.
    let mut tail = String::new();
    for _ in 0..200 {
        tail = scene.run(&line, limits.clone()).await.tail;
        if tail == "denied\n" {
            break;
        }
    }
    assert_eq!(tail, "denied\n");
}

#[tokio::test]
async fn a_socket_of_another_program_is_hidden_however_it_was_named() {
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let socket = scene.path("work/deep/relative.sock");
    fs::create_dir_all(socket.parent().unwrap()).unwrap();
    // A path that is not the socket's own, as a program gives that binds it from its folder.
    let listening = std::process::Command::new("perl")
        .args(["-e", "use Socket; socket(my $l, AF_UNIX, SOCK_STREAM, 0); bind($l, pack_sockaddr_un(\"relative.sock\")); listen($l, 1); print \"x\\n\"; $| = 1; print \"\\n\"; sleep 1000"])
        .current_dir(socket.parent().unwrap())
        .stdout(std::process::Stdio::piped())
        .spawn();
    let mut listening = listening.unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(listening.stdout.as_mut().unwrap(), &mut first).unwrap();
    let _other = UnixListener::bind(scene.path("work/absolute.sock")).unwrap();
    for name in ["deep/relative.sock", "absolute.sock"] {
        let line = can(&format!(
            "perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or exit 1; connect($s, pack_sockaddr_un(\"{name}\")) or exit 1'"
        ));
        let ran = scene.run(&line, confinement(&scene)).await;
        assert_eq!(ran.tail, "denied\n", "{name}");
    }
    listening.kill().unwrap();
    listening.wait().unwrap();
}

/// Perl that connects to a socket, and sends a datagram to it.
fn reach(name: &str) -> [String; 2] {
    let stream = format!(
        "perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or exit 1; connect($s, pack_sockaddr_un(\"{name}\")) or exit 1'"
    );
    let datagram = format!(
        "perl -e 'use Socket; socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or exit 1; send($s, \"x\", 0, pack_sockaddr_un(\"{name}\")) or exit 1'"
    );
    [stream, datagram]
}

#[tokio::test]
async fn a_socket_of_another_program_is_reached_by_no_other_name_and_no_later_one() {
    use std::os::unix::net::UnixDatagram;
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let work = scene.path("work");
    for folder in ["node_modules/p", "target", "folder", "sub"] {
        fs::create_dir_all(work.join(folder)).unwrap();
    }
    let bind = |name: &str| UnixListener::bind(work.join(name)).unwrap();
    let _renamed = bind("a.sock");
    fs::rename(work.join("a.sock"), work.join("renamed.sock")).unwrap();
    let _linked = bind("b.sock");
    fs::hard_link(work.join("b.sock"), work.join("linked.sock")).unwrap();
    let _moved = bind("folder/c.sock");
    fs::rename(work.join("folder"), work.join("moved")).unwrap();
    let _deep = [bind("node_modules/p/d.sock"), bind("target/e.sock")];
    let _datagrams = UnixDatagram::bind(work.join("f.sock")).unwrap();
    fs::rename(work.join("f.sock"), work.join("datagrams.sock")).unwrap();
    symlink("renamed.sock", work.join("link.sock")).unwrap();
    let limits = confinement(&scene);
    // The look at the workspace is over before this one appears.
    scene.run("true", limits.clone()).await;
    let _late = bind("sub/late.sock");
    for name in [
        "renamed.sock",
        "./sub/../renamed.sock",
        "link.sock",
        "linked.sock",
        "moved/c.sock",
        "node_modules/p/d.sock",
        "target/e.sock",
        "datagrams.sock",
        "sub/late.sock",
    ] {
        for line in reach(name) {
            let ran = scene.run(&can(&line), limits.clone()).await;
            assert_eq!(ran.tail, "denied\n", "{line}");
        }
    }
    // Its own are not in the way of it, nor are those of other kinds.
    let own = "perl -e 'use Socket; socket(my $l, AF_UNIX, SOCK_STREAM, 0); bind($l, pack_sockaddr_un(\"own.sock\")) or exit 1; listen($l, 1); \
        socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un(\"own.sock\")) or exit 1; \
        socket(my $a, AF_UNIX, SOCK_STREAM, 0); bind($a, pack_sockaddr_un(\"\\0own\")) or exit 1; listen($a, 1); \
        socket(my $b, AF_UNIX, SOCK_STREAM, 0); connect($b, pack_sockaddr_un(\"\\0own\")) or exit 1; \
        socket(my $t, AF_INET, SOCK_STREAM, 0); bind($t, pack_sockaddr_in(0, INADDR_LOOPBACK)) or exit 1; listen($t, 1); \
        socket(my $c, AF_INET, SOCK_STREAM, 0); connect($c, getsockname($t)) or exit 1'";
    let ran = scene.run(&can(own), limits.clone()).await;
    assert_eq!(ran.tail, "done\n");
    let reading = Confinement { writable: Vec::new(), readable: limits.writable.clone(), ..limits };
    let [line, _] = reach("renamed.sock");
    assert_eq!(scene.run(&can(&line), reading).await.tail, "denied\n");
}

#[tokio::test]
async fn the_folder_for_temporary_files_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let Some(scene) = Scene::new(Namespaces::Made).await else { return };
    let temporary = scene.path("all");
    fs::create_dir(&temporary).unwrap();
    let old = nix::sys::stat::umask(nix::sys::stat::Mode::empty());
    let folder = pintle_base::private_files::temporary_folder_in("pintle-", &temporary).unwrap();
    nix::sys::stat::umask(old);
    let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // That of a confined command, as it sees it.
    let limits =
        Confinement { temporary: pintle_exec::sandbox::Temporary::Owner, ..confinement(&scene) };
    let command = Command {
        confinement: Some(Arc::new(limits)),
        ..Command::new("umask 0; stat -c %a /tmp", scene.path("work"), "sandbox")
    };
    let ran = scene.local.exec(command, &CancellationToken::new(), &mut |_| {}).await.unwrap();
    assert_eq!(ran.tail, "700\n");
    scene.local.release("sandbox").await;
}
