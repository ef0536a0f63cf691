//! Sessions whose folder was moved, renamed or deleted: opened, forked and found by the folder's new path.

use crate::support::program::{Framing, Place, Program};
use crate::tasks::{ended, text, tool};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;

/// A run in a folder of the place, with its exit code, result and stderr.
fn run(place: &Place, folder: &str, replies: Value, args: &[&str]) -> (i32, Value, String) {
    let script = place.script(&json!({ "replies": replies }));
    let args = [&["run", "--format", "json", "--script", &script], args].concat();
    let mut command = place.command(&args);
    command.current_dir(place.path(folder)).stdin(Stdio::null());
    ended(&command.output().unwrap())
}

fn folder(place: &Place, name: &str) -> PathBuf {
    let path = place.path(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Makes a session in the folder `a`, which is then renamed to `b`. Returns its id.
fn renamed(place: &Place) -> String {
    folder(place, "a");
    let (code, result, said) = run(place, "a", json!([text("one")]), &["first"]);
    assert_eq!(code, 0, "{said}");
    std::fs::rename(place.path("a"), place.path("b")).unwrap();
    result["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_continues_a_session_whose_folder_has_another_path() {
    for (name, args, is_told) in [
        ("by its id", vec!["second", "--session", "ID"], true),
        ("the newest of the folder", vec!["second", "--session", "last"], true),
        ("a folder by name", vec!["second", "--session", "ID", "-C", "."], true),
    ] {
        let place = Place::new(&[]);
        let id = renamed(&place);
        let args: Vec<&str> =
            args.iter().map(|arg| if *arg == "ID" { id.as_str() } else { arg }).collect();
        let write = tool("write", json!({"path": "made.txt", "content": "x\n"}));
        let (code, result, said) = run(
            &place,
            "b",
            json!([write, text("two")]),
            &[&args[..], &["--permission", "full"]].concat(),
        );
        assert_eq!((code, &result["sessionId"]), (0, &json!(id)), "{name}: {result} {said}");
        assert_eq!(said.contains("the session moved to"), is_told, "{name}: {said}");
        assert!(place.path("b/made.txt").is_file() && !place.path("a").exists(), "{name}");
        let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
        assert_eq!(journal.matches("\"session.moved\"").count(), 1, "{name}");
        assert!(journal.contains("the project has moved from"), "{name}: the model is told");
        // From now on it belongs to the folder by its path, too.
        let listed =
            place.command(&["sessions", "list", "--json", "-C"]).arg(place.path("b")).output();
        let listed: Value = serde_json::from_slice(&listed.unwrap().stdout).unwrap();
        assert_eq!(listed["cwd"], json!(place.path("b")), "{name}");
        let (code, _, said) =
            run(&place, "b", json!([text("three")]), &["third", "--session", "last"]);
        assert_eq!(code, 0, "{name}: {said}");
        assert!(!said.contains("moved"), "{name}: {said}");
    }
}

#[test]
fn a_session_whose_folder_exists_stays_there_unless_another_one_is_named() {
    let place = Place::new(&[]);
    folder(&place, "a");
    folder(&place, "other");
    let (_, result, _) = run(&place, "a", json!([text("one")]), &["first"]);
    let id = result["sessionId"].as_str().unwrap();
    let pwd = || json!([tool("bash", json!({"command": "pwd"})), text("two")]);
    for (args, want) in [(vec![], "a"), (vec!["-C", "."], "other"), (vec![], "other")] {
        let args = [&["go", "--session", id, "--permission", "full"], &args[..]].concat();
        let (code, result, said) = run(&place, "other", pwd(), &args);
        assert_eq!(code, 0, "{said}");
        let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
        let last = journal.lines().rfind(|line| line.contains("\"toolCall\"")).unwrap();
        assert!(last.contains(place.path(want).to_str().unwrap()), "{args:?}: {last}");
    }
}

#[test]
fn a_fork_works_in_a_folder_that_exists_or_leaves_nothing() {
    let place = Place::new(&[]);
    let id = renamed(&place);
    let sessions = || {
        let out = place.command(&["sessions", "list", "--json"]).output().unwrap();
        String::from_utf8(out.stdout).unwrap().lines().count()
    };
    for (name, args, is_made) in [
        ("the current one", vec![], true),
        ("one that is named", vec!["-C", "b"], true),
        ("none", vec!["-C", "nowhere"], false),
        ("a file", vec!["-C", "file"], false),
    ] {
        std::fs::write(place.path("file"), "x").unwrap();
        let before = sessions();
        let out =
            place.command(&[&["sessions", "fork", &id], &args[..]].concat()).output().unwrap();
        assert_eq!(out.status.success(), is_made, "{name}: {out:?}");
        assert_eq!(sessions() - before, usize::from(is_made), "{name}");
    }
}

#[test]
fn clients_name_the_new_folder() {
    let place = Place::new(&[]);
    let id = renamed(&place);
    let script = place.script(&json!({"replies": [text("two")]}));
    let start = || {
        let mut program =
            Program::start(place.engine(&["serve", "--script", &script]), Framing::Lines);
        program.initialize();
        program
    };
    let mut program = start();
    let refused = program.ask("session/open", json!({"sessionId": id}));
    assert!(refused["message"].as_str().unwrap().contains("cannot be used"), "{refused}");
    assert!(refused["data"]["hint"].as_str().unwrap().contains("cwd"), "{refused}");
    let refused = program.ask("session/fork", json!({"sessionId": id}));
    assert!(refused["data"]["hint"].as_str().unwrap().contains("cwd"), "{refused}");
    let forked = program.ask("session/fork", json!({"sessionId": id, "cwd": place.path("b")}));
    assert_eq!(forked["cwd"], json!(place.path("b")), "{forked}");
    let opened = program.ask("session/open", json!({"sessionId": id, "cwd": place.path("b")}));
    assert_eq!(opened["cwd"], json!(place.path("b")), "{opened}");
    // It is open and works there.
    let elsewhere = program.ask("session/open", json!({"sessionId": id, "cwd": place.project()}));
    assert_eq!(elsewhere["data"]["code"], "conflict", "{elsewhere}");
    let again = program.ask("session/open", json!({"sessionId": id, "cwd": place.path("b")}));
    assert_eq!(again["cwd"], json!(place.path("b")), "{again}");
    program.end_input();
    program.rest();
    let mut program = start();
    let opened = program.ask("session/open", json!({"sessionId": id}));
    assert_eq!(opened["cwd"], json!(place.path("b")), "{opened}");
}
