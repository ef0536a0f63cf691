//! Sessions whose folder was moved, renamed or deleted: opened, forked and found by the folder's new path.

use crate::support::program::{Framing, Place, Program};
use crate::support::shared::Shared;
use crate::tasks::{ended, text, tool};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

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

/// Rows: the session's folder, the renaming, the current folder and arguments of the next run, and the session's folder after it.
#[test]
fn a_session_follows_its_folder_below_the_one_that_was_moved() {
    const BELOW: (&str, &str) = ("a", "new");
    for (name, own, renamed, at, args, want) in [
        ("from its folder", "a/b/sub", BELOW, "new/b/sub", vec![], "new/b/sub"),
        ("from the folder above", "a/b/sub", BELOW, "new", vec![], "new/b/sub"),
        (
            "the folder above by name",
            "a/b/sub",
            BELOW,
            "project",
            vec!["-C", "../new"],
            "new/b/sub",
        ),
        ("a folder between", "a/b/sub", BELOW, "project", vec!["-C", "../new/b"], "new/b/sub"),
        (
            "its folder by name",
            "a/b/sub",
            BELOW,
            "project",
            vec!["-C", "../new/b/sub"],
            "new/b/sub",
        ),
        ("another folder by name", "a/b/sub", BELOW, "project", vec!["-C", "."], "project"),
        ("the folder of the project", "a", BELOW, "project", vec!["-C", "../new"], "new"),
    ] {
        let place = Place::new(&[]);
        folder(&place, "project");
        for file in ["a/b/sub/in.txt", "a/b/next.txt"] {
            folder(&place, "a/b/sub");
            std::fs::write(place.path(file), "one\n").unwrap();
        }
        let edit = |path: &str| {
            let path = place.path(path);
            [
                tool("read", json!({"path": path})),
                tool("edit", json!({"path": path, "oldText": "one", "newText": "two"})),
            ]
        };
        let replies =
            [edit("a/b/sub/in.txt").to_vec(), edit("a/b/next.txt").to_vec(), vec![text("one")]];
        let args_of_first = ["first", "--permission", "full"];
        let (code, result, said) = run(&place, own, json!(replies.concat()), &args_of_first);
        assert_eq!(code, 0, "{name}: {said}");
        let id = result["sessionId"].as_str().unwrap().to_owned();
        std::fs::rename(place.path(renamed.0), place.path(renamed.1)).unwrap();
        let args = [&["second", "--session", &id], &args[..]].concat();
        let (code, _, said) = run(&place, at, json!([text("two")]), &args);
        assert_eq!(code, 0, "{name}: {said}");
        let shown = place.command(&["sessions", "show", &id, "--json"]).output().unwrap();
        let shown = String::from_utf8(shown.stdout).unwrap();
        let want = place.path(want).to_string_lossy().into_owned();
        assert!(shown.contains(&format!("\"cwd\":\"{want}\"")), "{name}: {want}: {shown}");
        if want.ends_with("project") {
            continue;
        }
        // Undoing finds both files, including the one outside the session's folder.
        let mut undo = place.command(&["sessions", "undo", &id, "--all"]);
        let undone = undo.current_dir(&want).stdin(Stdio::null()).output().unwrap();
        assert!(undone.status.success(), "{name}: {undone:?}");
        let now = place.path(&"a/b".replacen(renamed.0, renamed.1, 1));
        for file in ["sub/in.txt", "next.txt"] {
            let text = std::fs::read_to_string(now.join(file)).unwrap();
            assert_eq!(text, "one\n", "{name}: {file}");
        }
    }
}

#[test]
fn a_session_follows_its_folder_when_another_one_takes_its_path() {
    for (name, args) in [("the last one", None), ("by its id", Some(()))] {
        let place = Place::new(&[]);
        folder(&place, "a");
        let (code, result, said) =
            run(&place, "a", json!([text("one")]), &["first", "--permission", "full"]);
        assert_eq!(code, 0, "{name}: {said}");
        let id = result["sessionId"].as_str().unwrap().to_owned();
        std::fs::rename(place.path("a"), place.path("b")).unwrap();
        folder(&place, "a");
        let session = args.map_or("last", |()| id.as_str());
        let write = tool("write", json!({"path": "made.txt", "content": "made"}));
        let args = ["second", "--permission", "full", "--session", session];
        let (code, result, said) = run(&place, "b", json!([write, text("two")]), &args);
        assert_eq!((code, result["sessionId"].as_str()), (0, Some(id.as_str())), "{name}: {said}");
        let made = ["a", "b"].map(|at| place.path(at).join("made.txt").exists());
        assert_eq!(made, [false, true], "{name}");
    }
}

#[test]
fn a_folder_that_was_renamed_twice_is_found() {
    let place = Place::new(&[]);
    let id = renamed(&place);
    for (from, to) in [("", "b"), ("b", "c"), ("c", "d")] {
        if !from.is_empty() {
            std::fs::rename(place.path(from), place.path(to)).unwrap();
        }
        let (code, result, said) =
            run(&place, to, json!([text("again")]), &["again", "--session", "last"]);
        assert_eq!((code, &result["sessionId"]), (0, &json!(id)), "{to}: {said}");
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

/// Makes a session that edits `old.txt` and makes `new.txt` in the folder `a`, which is then renamed to `b`. Returns its id.
fn edited(place: &Place) -> String {
    std::fs::write(folder(place, "a").join("old.txt"), "one\n").unwrap();
    let edit = tool("edit", json!({"path": "old.txt", "oldText": "one", "newText": "two"}));
    let write = tool("write", json!({"path": "new.txt", "content": "x\n"}));
    let replies = json!([tool("read", json!({"path": "old.txt"})), edit, write, text("done")]);
    let (code, result, said) = run(place, "a", replies, &["first", "--permission", "full"]);
    assert_eq!(code, 0, "{said}");
    std::fs::rename(place.path("a"), place.path("b")).unwrap();
    result["sessionId"].as_str().unwrap().to_owned()
}

/// What is done to a session after its folder was moved.
type Act = Box<dyn Fn(&Place, &str)>;

#[test]
fn what_was_done_before_a_move_is_undone_in_the_new_folder() {
    /// `old.txt` and `new.txt` afterwards.
    const UNDONE: [Option<&str>; 2] = [Some("one\n"), None];
    const KEPT: [Option<&str>; 2] = [Some("two\n"), Some("x\n")];
    let all = || json!({"type": "all"});
    let cli = |args: &'static str| {
        move |place: &Place, id: &str| {
            let args: Vec<&str> =
                args.split(' ').map(|arg| if arg == "ID" { id } else { arg }).collect();
            let mut command = place.command(&args);
            let out = command.current_dir(place.path("b")).stdin(Stdio::null()).output().unwrap();
            let said = String::from_utf8(out.stderr).unwrap();
            assert!(out.status.success(), "{args:?}: {said}");
            assert!(said.contains("the session moved to"), "{args:?}: {said}");
        }
    };
    let client = |method: &'static str, params: Value| {
        move |place: &Place, id: &str| {
            let mut program = Program::start(place.engine(&["serve"]), Framing::Lines);
            program.initialize();
            program.ask("session/open", json!({"sessionId": id, "cwd": place.path("b")}));
            let (method, mut params) = (method, params.clone());
            let file = place.path("b/old.txt");
            if params["action"]["target"]["type"] == "file" {
                params["action"]["target"]["path"] = json!(file);
            }
            params["sessionId"] = json!(id);
            let done = program.ask(method, params);
            assert!(done.get("message").is_none(), "{done}");
            let left = place.path("a").to_string_lossy().into_owned();
            assert!(!done.to_string().contains(&left), "an old path is shown: {done}");
            program.end_input();
            program.rest();
        }
    };
    let rows: [(&str, Act, [Option<&str>; 2]); 9] = [
        ("undo", Box::new(cli("sessions undo ID --all")), UNDONE),
        ("undo of a file", Box::new(cli("sessions undo ID --file old.txt")), [UNDONE[0], KEPT[1]]),
        ("rewind", Box::new(cli("sessions rewind ID --to=#1 --scope both --yes")), UNDONE),
        ("a label", Box::new(cli("sessions label ID --to=#1 mark")), KEPT),
        ("keep", Box::new(cli("sessions keep ID --all")), KEPT),
        (
            "undo of a client",
            Box::new(client("review/decide", json!({"action": {"type": "undo", "target": all()}}))),
            UNDONE,
        ),
        (
            "undo of a file by a client",
            Box::new(client(
                "review/decide",
                json!({"action": {"type": "undo", "target": {"type": "file", "path": ""}}}),
            )),
            [UNDONE[0], KEPT[1]],
        ),
        (
            "rewind by a client",
            Box::new(client("session/rewind", json!({"to": {"seq": 1}, "scope": "files"}))),
            UNDONE,
        ),
        ("a client looks", Box::new(client("review/list", json!({}))), KEPT),
    ];
    for (name, act, want) in rows {
        let place = Place::new(&[]);
        let id = edited(&place);
        act(&place, &id);
        let read = |path: &str| std::fs::read_to_string(place.path(path)).ok();
        let found = [read("b/old.txt"), read("b/new.txt")];
        assert_eq!(found.each_ref().map(Option::as_deref), want, "{name}");
        assert!(!place.path("a").exists(), "{name}: nothing is written at the old path");
    }
}

#[test]
fn searches_in_a_folder_find_the_sessions_that_it_had_before_it_was_moved() {
    let place = Place::new(&[]);
    let id = renamed(&place);
    for (name, args) in [
        ("the index", &["sessions", "search", "one", "-C", "b"][..]),
        ("its path", &["sessions", "search", "one", "--json", "-C", "b"]),
    ] {
        let out = place.command(args).output().unwrap();
        let found = String::from_utf8(out.stdout).unwrap();
        assert!(found.contains(&id[..8]), "{name}: {found}");
    }
}

/// File states are written once; later announcements contain only changes.
#[test]
fn what_a_command_changed_before_a_kill_is_told_apart_from_earlier_changes() {
    let place = Place::new(&[("a.txt", "zero\n"), ("b.txt", "zero\n"), ("c.txt", "zero\n")]);
    let commands = ["echo one > a.txt", "rm c.txt", "echo two > b.txt; touch began; sleep 100"];
    let calls = commands.map(|command| tool("bash", json!({"command": command})));
    let script = place.script(&json!({"replies": calls}));
    let args = ["run", "go", "--script", &script, "--permission", "full", "--sandbox", "off"];
    let mut child = place.command(&args).stdin(Stdio::null()).spawn().unwrap();
    until(|| place.path("began").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let out = place.command(&["sessions", "review", "last", "--json"]).output();
    let found = String::from_utf8(out.unwrap().stdout).unwrap();
    let told = found.lines().map(|line| {
        let hunk: Value = serde_json::from_str(line).unwrap();
        let name = hunk["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (name, hunk["cause"].is_string())
    });
    let told: std::collections::BTreeSet<_> = told.collect();
    let want = [("a.txt", false), ("b.txt", true), ("began", true), ("c.txt", false)];
    assert_eq!(told, want.map(|(name, is_unknown)| (name.to_owned(), is_unknown)).into());
}

#[test]
fn a_command_that_a_kill_cut_before_the_move_is_told_in_the_new_folder() {
    let place = Place::new(&[]);
    folder(&place, "a");
    std::fs::write(place.path("a/old.txt"), "one\n").unwrap();
    let command = "echo two > old.txt; touch began; sleep 100";
    let script = place.script(&json!({"replies": [tool("bash", json!({"command": command}))]}));
    let args = ["run", "go", "--script", &script, "--permission", "full", "--sandbox", "off"];
    let mut command = place.command(&args);
    let mut child = command.current_dir(place.path("a")).stdin(Stdio::null()).spawn().unwrap();
    until(|| place.path("a/began").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::rename(place.path("a"), place.path("b")).unwrap();
    let out = place
        .command(&["sessions", "review", "last", "--json"])
        .current_dir(place.path("b"))
        .output();
    let found = String::from_utf8(out.unwrap().stdout).unwrap();
    let hunks: Vec<Value> = found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(hunks.len(), 2, "{found}");
    for hunk in hunks {
        let path = hunk["path"].as_str().unwrap();
        assert!(path.starts_with(place.path("b").to_str().unwrap()), "{hunk}");
        assert!(hunk["cause"].as_str().unwrap().starts_with("unknown, while "), "{hunk}");
    }
}

/// A command in a directory that is deleted before the program starts.
fn in_deleted(place: &Place, program: &Command) -> Command {
    let gone = folder(place, "gone");
    let mut command = Command::new("sh");
    command.args(["-c", "cd \"$1\" && rmdir \"$1\" && shift && exec \"$@\"", "sh"]);
    command.arg(&gone).arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The program can be started in a deleted directory if another one is specified.
#[test]
fn a_program_started_in_a_deleted_directory_works_in_another_one() {
    let place = Place::new(&[]);
    let script = place.script(&json!({"replies": [text("done")]}));
    let there = folder(&place, "there").to_string_lossy().into_owned();
    let run = |args: &[&str], input: &str| {
        let mut command = in_deleted(&place, &place.command(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses to start reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, said) = run(&["run", "--script", &script, "-C", &there, "go"], "");
    assert_eq!((code, out.as_str()), (Some(0), "done\n"), "{said}");
    let (code, _, said) = run(&["policy", "explain", "ls", "-C", &there], "");
    assert_eq!(code, Some(0), "{said}");
    let (code, out, said) = run(&["trust", &there], "");
    assert!(code == Some(0) && out.contains(&there), "{out} {said}");
    for args in [&["run", "--script", &script, "go"][..], &["policy", "explain", "ls"]] {
        let (code, _, said) = run(args, "");
        assert!(code != Some(0) && said.contains("gone no longer exists"), "{args:?}: {said}");
    }
    // A server works in the directories that its clients name.
    let params = json!({"protocol": {"name": "pintle", "versions": ["2.0"]}});
    let requests = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/create", "params": {"cwd": there}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "session/create"}),
    ];
    let input = requests.map(|request| format!("{request}\n")).concat();
    let (code, out, said) = run(&["serve", "--script", &script], &input);
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answer = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert!(code == Some(0) && said.contains("gone no longer exists"), "{said}");
    assert!(answer(2)["result"]["sessionId"].is_string(), "{out}");
    let error = answer(3)["error"]["message"].as_str().unwrap();
    assert!(error.contains("gone` cannot be used"), "{error}");
}

#[test]
fn a_client_of_the_shared_engine_may_start_in_a_deleted_directory() {
    let shared = Shared::new(json!([]));
    let there = folder(&shared.place, "there");
    let command = in_deleted(&shared.place, &shared.command(&["attach"]));
    let mut client = Program::start(command, Framing::Lines);
    client.initialize();
    let error = client.ask_refused("session/create", json!({}));
    assert!(error["message"].as_str().unwrap().contains("gone` cannot be used"), "{error}");
    let created = client.ask("session/create", json!({"cwd": there}));
    assert!(created["sessionId"].is_string(), "{created}");
}
