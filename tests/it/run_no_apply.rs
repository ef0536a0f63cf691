//! `pintle run --no-apply`: the work is done in a copy, the tree stays as it is, however the run ends.

use crate::support::program::Place;
use crate::tasks::{Task, ended, text, tool};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of a folder, with their content.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The copies that a run with this folder for temporary files has left.
fn copies(temporary: &Path) -> usize {
    std::fs::read_dir(temporary).unwrap().flatten().count()
}

fn in_temporary(mut command: Command, temporary: &Path) -> Command {
    command.env("TMPDIR", temporary).stdin(Stdio::null());
    command
}

#[test]
fn the_tree_stays_as_it_is_and_the_patch_has_the_changes() {
    for with_git in [true, false] {
        let task = Task::new(json!([
            tool("read", json!({"path": "notes.txt"})),
            tool("edit", json!({"path": "notes.txt", "oldText": "two", "newText": "zwei"})),
            tool("write", json!({"path": "made/new.txt", "content": "new\n"})),
            text("done"),
        ]));
        let project = task.place.project();
        if with_git {
            let git = |args: &[&str]| {
                assert!(
                    Command::new("git")
                        .args(args)
                        .current_dir(&project)
                        .status()
                        .unwrap()
                        .success()
                );
            };
            git(&["init", "-q"]);
            std::fs::write(project.join(".gitignore"), "ignored/\n").unwrap();
            std::fs::create_dir(project.join("ignored")).unwrap();
            std::fs::write(project.join("ignored/big"), "big").unwrap();
        }
        let before = tree(&project);
        let (elsewhere, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let patch = elsewhere.path().join("agent.patch");
        let args = ["go", "--no-apply", "--patch", patch.to_str().unwrap(), "--require-changes"];
        let out = in_temporary(task.command(&args), temporary.path()).output().unwrap();
        let (code, result, said) = ended(&out);
        assert_eq!(code, 0, "{result} {said}");
        assert_eq!(tree(&project), before);
        assert_eq!(copies(temporary.path()), 0);
        // The files are named as they are in the tree.
        let names = ["made/new.txt", "notes.txt"].map(|name| json!(project.join(name)));
        let mut files = result["changes"]["files"].as_array().unwrap().clone();
        files.sort_by_key(Value::to_string);
        assert_eq!(files, names, "{result}");
        // The patch makes the changes when somebody wants them.
        let applied = Command::new("git").arg("apply").arg(&patch).current_dir(&project).status();
        assert!(applied.unwrap().success(), "{}", std::fs::read_to_string(&patch).unwrap());
        assert_eq!(task.place.read("notes.txt"), "one\nzwei\nthree");
        assert_eq!(task.place.read("made/new.txt"), "new\n");
    }
}

#[test]
fn the_tree_is_out_of_reach_by_its_own_path_too() {
    let place = Place::new(&[("notes.txt", "one\n")]);
    let there = place.path("notes.txt");
    let there = there.to_str().unwrap();
    // A rule of the user's own would allow it.
    let allow = format!(
        "[[rules]]\ndecision = \"allow\"\nkind = \"write\"\npath = '{}/**'\n",
        place.project().display()
    );
    std::fs::write(place.home().join("config.toml"), allow).unwrap();
    let script = place.script(&json!({"replies": [
        tool("write", json!({"path": there, "content": "x"})),
        tool("bash", json!({"command": format!("echo x > {there}")})),
        text("done"),
    ]}));
    let args = ["run", "go", "--quiet", "--format", "json", "--script", &script, "--no-apply"];
    let (code, result, said) = ended(&place.command(&args).stdin(Stdio::null()).output().unwrap());
    assert_eq!(code, 4, "{result} {said}");
    assert_eq!(place.read("notes.txt"), "one\n");
    for (args, want) in [
        (&["--permission", "full"][..], "--no-apply conflicts with full mode"),
        (&["--wrap", "sh -c"], "--wrap"),
        (&["--session", "last"], "--session"),
        (&["--add-dir", "."], "--add-dir"),
    ] {
        let all = [&["run", "go", "--script", &script, "--no-apply"], args].concat();
        let out = place.command(&all).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && said.contains(want), "{args:?}: {said}");
    }
}

#[test]
fn a_project_is_trusted_in_its_copy_as_it_is_itself() {
    for (place, is_trusted) in [
        (Place::new(&[("AGENTS.md", "Say zanzibar.\n")]), true),
        (Place::untrusted(&[("AGENTS.md", "Say zanzibar.\n")]), false),
    ] {
        let script = place.script(&json!({"replies": [text("done")]}));
        let args = ["run", "go", "--quiet", "--format", "json", "--script", &script, "--no-apply"];
        let (_, result, _) = ended(&place.command(&args).stdin(Stdio::null()).output().unwrap());
        let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
        assert_eq!(journal.contains("zanzibar"), is_trusted, "{journal}");
    }
}

#[test]
fn a_run_that_is_killed_leaves_the_tree_as_it_is() {
    let temporary = tempfile::tempdir().unwrap();
    let marker = temporary.path().join("marker");
    let task = Task::new(json!([
        tool("write", json!({"path": "made.txt", "content": "x"})),
        // Its output is seen in the journal while it runs.
        tool("bash", json!({"command": "echo begun > begun.txt; sleep 1000"})),
    ]));
    let before = tree(&task.place.project());
    let mut command = in_temporary(task.command(&["go", "--no-apply"]), temporary.path());
    command.env("MARKER", &marker);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let has_begun = || {
        let Some(journal) = task.place.journal_if_any() else { return false };
        std::fs::read_to_string(journal).unwrap_or_default().contains("sleep 1000")
    };
    until(has_begun);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(tree(&task.place.project()), before);
}
