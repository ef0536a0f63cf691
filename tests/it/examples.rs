//! The scripts in `protocol/examples`, and the examples of the typed clients, run with the real program.

use crate::support::frames::check_logs;
use crate::support::program::Place;
use expect_test::{Expect, expect};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const WANT: &str = "engine> pintle
read> fix the greeting
text> I will make it a greeting.
asked> edit: note.txt: changes files
diff> note.txt +1 -1
@@ -1 +1 @@
-helo world
+hello world
read> be brief
text> Done, and briefly, as you said.
turn> completed
read> now something long
text> This will take long.
asked> bash: echo begun; sleep 1000; touch done: runs a command
output> begun
turn> interrupted
resumed> idle, 0 waiting
";

/// Most examples fit a screen.
const MAX_LINES: usize = 60;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("protocol/examples")
}

/// Runs an example in a small project with the model's script of this name, and returns what it prints.
fn run(interpreter: &str, file: &str, script: &str, args: &[&str]) -> (Place, String) {
    let path = folder().join(file);
    let lines = std::fs::read_to_string(&path).unwrap().lines().count();
    assert!(lines <= MAX_LINES, "{file} has {lines} lines");
    // A recorder would survive the kill in place of the engine.
    let is_killed = file == "resume-after-kill.mjs";
    let place = Place::new(&[
        ("note.txt", "helo world\n"),
        ("other.txt", "colour\n"),
        ("src/main.txt", "helo\n"),
        ("docs/a.txt", "a\n"),
        ("build/a.o", "a\n"),
    ]);
    // All that goes in and out is written down, and held against the schema.
    let recorder = place.home().join("record.sh");
    let record = format!(
        "#!/bin/sh\ntee -a '{0}/sent' | '{1}' \"$@\" | tee -a '{0}/received'\n",
        place.home().display(),
        env!("CARGO_BIN_EXE_pintle")
    );
    std::fs::write(&recorder, record).unwrap();
    std::fs::set_permissions(&recorder, std::fs::Permissions::from_mode(0o700)).unwrap();
    let program = if is_killed { Path::new(env!("CARGO_BIN_EXE_pintle")) } else { &recorder };
    let out = Command::new(interpreter)
        .arg(path)
        .args(args)
        .arg(program)
        .args(["serve", "--script"])
        .arg(folder().join(script))
        .current_dir(place.project())
        .env("PINTLE_HOME", place.home())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "{file}: {said}{}", String::from_utf8_lossy(&out.stderr));
    if !is_killed {
        let log = |name| std::fs::read_to_string(place.home().join(name)).unwrap();
        check_logs(&log("sent"), &log("received"));
    }
    (place, said)
}

fn round(interpreter: &str, file: &str) {
    let (place, said) = run(interpreter, file, "script.json", &[]);
    let said: String =
        said.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    // A text may come in one piece or in several.
    let joined = |text: &str| text.replace("\ntext> ", "").replace(' ', "");
    assert_eq!(joined(&said), joined(WANT), "{file}");
    assert_eq!(place.read("note.txt"), "hello world\n");
}

/// Runs an example with its own script of the model; what it prints is in the row.
fn example(interpreter: &str, file: &str, args: &[&str], want: Expect) -> Place {
    let (name, _) = file.split_once('.').unwrap();
    let (place, said) = run(interpreter, file, &format!("{name}.json"), args);
    want.assert_eq(&said);
    place
}

#[test]
fn approvals_are_answered_by_a_policy() {
    let place = example(
        "python3",
        "approve-by-policy.py",
        &[],
        expect![[r"
        allow> edit: src/main.txt
        deny> bash: make test; touch done
        text> I would run `make test`.
        turn> completed
    "]],
    );
    assert_eq!(place.read("src/main.txt"), "hello\n");
    assert!(!place.path("done").exists(), "a denied command does not run");
}

#[test]
fn a_reply_is_streamed_to_a_file() {
    let place = example(
        "bash",
        "stream-to-file.sh",
        &["out.txt"],
        expect![[r"
        18 words in out.txt
    "]],
    );
    let text =
        "A pintle is the pin that a rudder turns on.\nIt stays where it is; the rudder moves.\n";
    assert_eq!(place.read("out.txt"), text);
}

#[test]
fn a_task_is_given_to_several_folders() {
    example(
        "python3",
        "fan-out.py",
        &["Look.", "src", "docs", ".", "--"],
        expect![[r"
        src: completed: Nothing to do.
        docs: completed: Nothing to do.
        .: completed: Nothing to do.
    "]],
    );
}

#[test]
fn two_sessions_are_watched() {
    example(
        "node",
        "watch.mjs",
        &[],
        expect![[r"
        first> works with script/script
        first> read: note.txt: completed
        first> says: A note.
        first> completed after 2 steps
        second> works with script/script
        second> ls: .: completed
        second> says: One file.
        second> completed after 2 steps
    "]],
    );
}

#[test]
fn changes_are_reviewed_and_become_a_patch() {
    let place = example(
        "bash",
        "review-and-patch.sh",
        &[],
        expect![[r"
        --- a/note.txt
        +++ b/note.txt
        -helo world
        +hello world
        --- a/other.txt
        +++ b/other.txt
        -colour
        +color
        pending> note.txt
        pending> other.txt
        keep> note.txt
        undo> other.txt
        open> 0
    "]],
    );
    let files = (place.read("note.txt"), place.read("other.txt"));
    assert_eq!(files, ("hello world\n".to_owned(), "colour\n".to_owned()));
}

#[test]
fn a_session_is_rewound() {
    let place = example(
        "python3",
        "rewind.py",
        &[],
        expect![[r"
        Fix the typo.
          note.txt: hello world
        Make it loud.
          note.txt: HELLO world
        would change 1 file, and drop 3 items
        went back
          note.txt: hello world
        Make it polite.
          note.txt: dear world
          * Fix the typo.
            Make it loud.
          * Make it polite.
          * Fix the typo.
          * Make it loud.
            Make it polite.
    "]],
    );
    assert_eq!(place.read("note.txt"), "dear world\n");
}

#[test]
fn a_session_is_resumed_after_a_kill() {
    let place = example(
        "node",
        "resume-after-kill.mjs",
        &[],
        expect![[r"
        killed after event 11
        event 12: bash: sleep 1000; touch done was cancelled
        event 13: the turn is failed: engineRestarted
    "]],
    );
    assert!(!place.path("done").exists());
}

#[test]
fn a_client_has_a_hook() {
    let place = example(
        "python3",
        "hooks.py",
        &[],
        expect![[r"
        hook> make all: allow
        completed> pretending: make all
        hook> rm -r build: deny
        declined> Denied by a hook: nothing is removed here. The call did not run.
    "]],
    );
    assert!(place.path("build/a.o").exists(), "what the hook denied did not run");
}

#[test]
fn a_client_has_a_tool() {
    example(
        "node",
        "client-tools.mjs",
        &[],
        expect![[r"
        asked for> pintle
        completed> the pin that a rudder turns on
        asked for> rowlock
        failed> no entry for rowlock
    "]],
    );
}

#[test]
fn a_dashboard_shows_all_sessions() {
    example(
        "node",
        "dashboard.mjs",
        &[],
        expect![[r"
        docs     completed
        tests    running    bash: make test; touch done
        website  idle
    "]],
    );
}

#[test]
fn a_round_with_the_python_client() {
    round("python3", "../clients/python/example.py");
}

#[test]
fn a_round_in_a_shell_with_jq() {
    round("bash", "round.sh");
}

#[test]
fn a_round_in_python() {
    round("python3", "round.py");
}

#[test]
fn a_round_in_node() {
    round("node", "round.mjs");
}
