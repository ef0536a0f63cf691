//! Files of a stranger where the engine looks by itself: none hangs it, none fills its memory.

use crate::support::HANG;
use crate::support::program::Place;
use serde_json::json;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The most memory that the program may take. It takes 30 to 40 MB in a debug build without any hostile file.
const MAX_KIB: u64 = 100 * 1024;

/// Runs a program to its end; returns its exit code, its output, and the most memory that it had.
fn measured(mut command: Command) -> (Option<i32>, String, u64) {
    let output = tempfile::tempfile().unwrap();
    command.stdin(Stdio::null());
    command.stdout(output.try_clone().unwrap()).stderr(output.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    let (began, mut most) = (Instant::now(), 0);
    let status = loop {
        let facts = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let peak = facts.unwrap_or_default().lines().find_map(|line| {
            line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok()
        });
        most = most.max(peak.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > HANG {
            child.kill().unwrap();
            child.wait().unwrap();
            return (None, "it did not end".to_owned(), most);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (mut text, mut output) = (Vec::new(), output);
    output.rewind().unwrap();
    output.read_to_end(&mut text).unwrap();
    (status.code(), String::from_utf8_lossy(&text).into_owned(), most)
}

fn pipe(path: &Path) {
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
}

fn zeros(path: &Path) {
    std::os::unix::fs::symlink("/dev/zero", path).unwrap();
}

/// A gigabyte that takes no room on the disk.
fn gigabyte(path: &Path) {
    File::create(path).unwrap().set_len(1 << 30).unwrap();
}

fn patterns(path: &Path) {
    let mut text = String::new();
    while text.len() < 20 * 1024 * 1024 {
        let number = text.len();
        let _ = writeln!(text, "**/a{number}?b*c[d-z]/**/e*");
    }
    std::fs::write(path, text).unwrap();
}

/// A model that looks at the project in each way.
fn curious(place: &Place) -> String {
    place.script(&json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]},
        {"blocks": [{"tool": "find", "arguments": {"pattern": "*.txt"}}]},
        {"blocks": [{"tool": "grep", "arguments": {"pattern": "made"}}]},
        {"blocks": [{"tool": "read", "arguments": {"path": "sub/b.txt"}}]},
        {"blocks": [{"text": "That is all."}]},
    ]}))
}

#[test]
fn no_file_of_a_project_hangs_a_turn_or_fills_the_memory() {
    for name in [
        ".gitignore",
        ".ignore",
        "sub/.gitignore",
        ".git",
        ".git/info/exclude",
        ".git/HEAD",
        ".git/config",
        "AGENTS.md",
        "sub/b.txt",
        "link.txt",
        ".pintle/skills/one/SKILL.md",
        ".pintle/prompts/one.md",
        ".pintle/rules/one.md",
        ".pintle/agents/one.md",
    ] {
        for (kind, plant) in [
            ("pipe", pipe as fn(&Path)),
            ("zeros", zeros),
            ("gigabyte", gigabyte),
            ("patterns", patterns),
        ] {
            if kind == "patterns" && !name.ends_with("ignore") {
                continue;
            }
            let place = Place::new(&[("a.txt", "a\n"), ("sub/a.txt", "b\n")]);
            std::fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
            plant(&place.path(name));
            let script = curious(&place);
            let base =
                ["run", "go", "--permission", "full", "--script", &script, "--max-seconds", "20"];
            let (code, text, most) = measured(place.command(&base));
            assert_eq!(code, Some(0), "{kind} as {name}: {text}");
            assert!(text.contains("\nThat is all.\n"), "{kind} as {name}: {text}");
            assert!(most < MAX_KIB, "{kind} as {name}: {most} KiB");
            assert_eq!(place.read("made.txt"), "made\n", "{kind} as {name}");
        }
    }
}

#[test]
fn no_file_in_the_data_folder_hangs_a_command_or_fills_the_memory() {
    for (name, may_fail) in [
        ("config.toml", true),
        ("models.json", true),
        ("AGENTS.md", false),
        ("index.sqlite", true),
        ("pruned", false),
        ("sessions/-w/2026_x/journal.jsonl", false),
        ("sessions/-w/2026_x/title", false),
        ("sessions/-w/2026_x/lock", false),
        ("sessions/-w/2026_x/announced", false),
    ] {
        for (kind, plant) in [("pipe", pipe as fn(&Path)), ("zeros", zeros), ("gigabyte", gigabyte)]
        {
            let place = Place::new(&[("a.txt", "a\n")]);
            let path = place.home().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            plant(&path);
            let journal = path.with_file_name("journal.jsonl");
            if name.starts_with("sessions") && !journal.exists() && !journal.is_symlink() {
                let head = json!({"journal": "pintle", "version": 1, "sessionId": "x", "cwd": "/w", "createdMs": 1});
                std::fs::write(journal, format!("{head}\n")).unwrap();
            }
            let script = curious(&place);
            let run = ["run", "go", "--permission", "full", "--script", &script];
            for (args, may_fail) in [
                // Without a session that can be shown the exit code is 1.
                (&["sessions", "list"][..], true),
                (&["sessions", "doctor"], true),
                (&["sessions", "search", "made"], true),
                (&["sessions", "show", "x"], true),
                (&["doctor"], true),
                (&run, may_fail),
            ] {
                let (code, text, most) = measured(place.command(args));
                let ended = code.is_some_and(|code| code == 0 || may_fail);
                assert!(ended, "{kind} as {name}: {args:?} ended with {code:?}: {text}");
                // A journal's line may have 256 MiB, and to find its end it is read.
                let max = if name.ends_with("journal.jsonl") { 10 * MAX_KIB } else { MAX_KIB };
                assert!(most < max, "{kind} as {name}: {args:?} took {most} KiB");
            }
        }
    }
}

/// How much the engine may use to compare two versions of a file. It compares texts of up to 8 MiB, and uses up to 142 MiB for that in a
/// debug build. How large the growing file is when it is compared depends on the machine.
const MAX_COMPARING_KIB: u64 = 200 * 1024;

#[test]
fn a_file_that_somebody_appends_to_is_read_as_far_as_it_was() {
    let place = Place::new(&[("a.txt", "a\n"), ("grows.txt", "begun\n")]);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = OpenOptions::new().append(true).open(place.path("grows.txt")).unwrap();
            let block = "a line of a log\n".repeat(4096);
            // As fast as a reader is, and no more than the disk can take.
            for _ in 0..16 * 1024 {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                file.write_all(block.as_bytes()).unwrap();
            }
        });
        let script = curious(&place);
        let (code, text, most) =
            measured(place.command(&["run", "go", "--permission", "full", "--script", &script]));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(code, Some(0), "{text}");
        assert!(most < MAX_COMPARING_KIB, "{most} KiB");
    });
}
