//! Isolated sessions: they work in a copy of the project, and their changes are merged into the user's files on request.

use crate::login::Provider;
use crate::providers::chat;
use crate::support::program::{Framing, Place, Program};
use crate::tasks::ended;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn edit(old: &str, new: &str) -> Value {
    call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
}

fn say(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

fn git(place: &Place, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"]);
    git.args(args).current_dir(place.project()).env_clear();
    git.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", place.home());
    let out = git.output().unwrap();
    assert!(out.status.success(), "{args:?}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

/// A project with `a.txt`, in a repository if it is to have one, and files that are not committed.
fn project(has_git: bool) -> Place {
    let place = Place::new(&[("a.txt", BEFORE), ("b.txt", "b\n"), (".gitignore", "ignored/\n")]);
    if has_git {
        git(&place, &["init", "-q", "-b", "trunk"]);
        git(&place, &["add", "."]);
        git(&place, &["commit", "-q", "-m", "First"]);
    }
    std::fs::write(place.path("b.txt"), "changed\n").unwrap();
    std::fs::write(place.path("untracked.txt"), "untracked\n").unwrap();
    std::fs::create_dir(place.path("ignored")).unwrap();
    std::fs::write(place.path("ignored/big"), "big\n").unwrap();
    place
}

fn started(place: &Place, replies: &[Value]) -> Program {
    let script = place.script(&json!({"replies": replies}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program
}

fn turn(program: &mut Program) {
    program.prompt("go on");
    let ended = program.until_event("turn.completed");
    assert_eq!(ended["status"], "completed", "{ended}");
}

/// The outcomes of applying, by file name.
fn outcomes(answer: &Value) -> String {
    let files = answer["files"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let line = |file: &Value| {
        let path = Path::new(file["path"].as_str().unwrap());
        let name = path.file_name().unwrap().to_str().unwrap();
        format!("{name} {}", file["outcome"].as_str().unwrap())
    };
    files.iter().map(line).collect::<Vec<_>>().join(", ")
}

fn hunks(program: &mut Program) -> Vec<(PathBuf, Value, Value)> {
    let listed = program.ask("review/list", json!({}));
    let hunks = listed["hunks"].as_array().unwrap_or_else(|| panic!("{listed}"));
    let hunk = |hunk: &Value| {
        (hunk["path"].as_str().unwrap().into(), hunk["id"].clone(), hunk["newText"].clone())
    };
    hunks.iter().map(hunk).collect()
}

#[test]
fn changes_stay_in_the_copy_until_they_are_applied() {
    let worktree = json!({"kind": "worktree"});
    let uncommitted = json!({"kind": "worktree", "uncommitted": true});
    for (name, has_git, isolation, b, has_untracked) in [
        ("a copy without git", false, json!({"kind": "copy"}), "changed\n", true),
        ("a copy of a repository", true, json!({"kind": "copy"}), "changed\n", true),
        ("a worktree", true, worktree, "b\n", false),
        ("a worktree with what is not committed", true, uncommitted, "changed\n", true),
    ] {
        let place = project(has_git);
        let mut program = started(
            &place,
            &[
                edit("two", "TWO"),
                call("write", json!({"path": "deep/er/new.txt", "content": "new\n"})),
                call("bash", json!({"command": "printf 'made\\n' > made.txt; cat b.txt"})),
                say("done"),
                edit("three", "THREE"),
                say("done"),
            ],
        );
        let created = program.ask("session/create", json!({"isolation": isolation}));
        let root =
            PathBuf::from(created["cwd"].as_str().unwrap_or_else(|| panic!("{name}: {created}")));
        let shown = &created["isolation"];
        assert_eq!(shown["kind"], isolation["kind"], "{name}: {created}");
        assert_eq!(shown["cwd"].as_str(), place.project().to_str(), "{name}");
        assert!(
            root.ends_with(format!("isolated/{}/project", created["sessionId"].as_str().unwrap()))
        );
        assert_eq!(std::fs::read_to_string(root.join("b.txt")).unwrap(), b, "{name}");
        assert_eq!(root.join("untracked.txt").exists(), has_untracked, "{name}");
        assert_eq!(root.join("ignored").exists(), !has_git, "{name}");

        turn(&mut program);
        assert_eq!(place.read("a.txt"), BEFORE, "{name}");
        assert!(!place.path("deep").exists() && !place.path("made.txt").exists(), "{name}");
        std::fs::write(place.path("a.txt"), BEFORE.replace("six", "the user's")).unwrap();

        let applied = program.ask("isolation/apply", json!({}));
        let all = "a.txt applied, new.txt applied, made.txt applied";
        assert_eq!(
            (outcomes(&applied), &applied["applied"]),
            (all.to_owned(), &json!(true)),
            "{name}"
        );
        let merged = BEFORE.replace("six", "the user's").replace("two", "TWO");
        assert_eq!(
            (place.read("a.txt"), place.read("deep/er/new.txt")),
            (merged.clone(), "new\n".to_owned()),
            "{name}"
        );
        assert_eq!(place.read("b.txt"), "changed\n", "{name}");
        let open = hunks(&mut program);
        let paths: Vec<PathBuf> = open.iter().map(|(path, ..)| path.clone()).collect();
        assert_eq!(
            paths,
            ["a.txt", "deep/er/new.txt", "made.txt"].map(|file| place.path(file)),
            "{name}"
        );

        // Each is undone for itself, in the user's files.
        let undo = json!({"type": "undo", "target": {"type": "hunk", "hunk": open[0].1}});
        program.ask("review/decide", json!({"action": undo}));
        assert_eq!(place.read("a.txt"), BEFORE.replace("six", "the user's"), "{name}");

        let again = program.ask("isolation/apply", json!({}));
        assert_eq!((outcomes(&again), &again["applied"]), (String::new(), &json!(false)), "{name}");
        turn(&mut program);
        let again = program.ask("isolation/apply", json!({}));
        assert_eq!(outcomes(&again), "a.txt applied", "{name}");
        let want = BEFORE.replace("six", "the user's").replace("three", "THREE");
        assert_eq!(place.read("a.txt"), want, "{name}");
    }
}

#[test]
fn lines_that_both_have_changed_are_marked_or_refused() {
    let place = project(false);
    std::fs::write(place.path("gone.txt"), "gone\n").unwrap();
    // A file that is too large to be kept, and a directory that its owner cannot change.
    let command = "rm gone.txt; head -c 17000000 /dev/zero > big; mkdir -p closed/in && chmod 500 closed/in closed";
    let mut program = started(
        &place,
        &[edit("two", "TWO"), call("bash", json!({"command": command})), say("done")],
    );
    let created = program.ask("session/create", json!({"isolation": {"kind": "copy"}}));
    turn(&mut program);
    let theirs = BEFORE.replace("two", "zwei");
    std::fs::write(place.path("a.txt"), &theirs).unwrap();
    std::fs::write(place.path("gone.txt"), "edited\n").unwrap();
    let refused = program.ask("isolation/apply", json!({"onConflict": "refuse"}));
    let both = "a.txt conflict, big applied, gone.txt kept";
    assert_eq!((outcomes(&refused), &refused["applied"]), (both.to_owned(), &json!(false)));
    assert_eq!(
        (place.read("a.txt"), place.read("gone.txt")),
        (theirs.clone(), "edited\n".to_owned())
    );

    let marked = program.ask("isolation/apply", json!({}));
    assert_eq!((outcomes(&marked), &marked["applied"]), (both.to_owned(), &json!(true)));
    let conflict = "<<<<<<< current\nzwei\n||||||| before\ntwo\n=======\nTWO\n>>>>>>> agent\n";
    assert_eq!(place.read("a.txt"), BEFORE.replace("two\n", conflict));
    assert_eq!(place.read("gone.txt"), "edited\n");
    assert_eq!(std::fs::metadata(place.path("big")).unwrap().len(), 17_000_000);
    // What was left out is still pending, and all of the rest is undone at once.
    let left = program.ask("isolation/apply", json!({"onConflict": "refuse"}));
    assert_eq!(outcomes(&left), "gone.txt kept");
    let open = hunks(&mut program);
    assert!(open.iter().any(|(path, ..)| *path == place.path("a.txt")), "{open:?}");
    let file = json!({"type": "file", "path": place.path("a.txt")});
    program.ask("review/decide", json!({"action": {"type": "undo", "target": file}}));
    assert_eq!(place.read("a.txt"), theirs);
    // A copy is forgotten with its session.
    let id = &created["sessionId"];
    program.ask("session/close", json!({"sessionId": id}));
    program.ask("session/delete", json!({"sessionId": id}));
    assert_eq!(std::fs::read_dir(place.home().join("isolated")).unwrap().count(), 0);
}

#[test]
fn a_discarded_copy_leaves_the_session_in_the_users_files() {
    let place = project(true);
    let mut program = started(
        &place,
        &[
            edit("two", "TWO"),
            say("done"),
            call("read", json!({"path": "a.txt"})),
            edit("three", "THREE"),
            say("done"),
        ],
    );
    let isolation = json!({"kind": "worktree"});
    let created = program.ask("session/create", json!({"isolation": isolation, "key": "k"}));
    let id = created["sessionId"].clone();
    let again = program.ask("session/create", json!({"isolation": isolation, "key": "k"}));
    assert_eq!(again["sessionId"], id, "{again}");
    let other = program.ask_refused("session/create", json!({"key": "k"}));
    assert_eq!(other["data"]["code"], "conflict", "{other}");
    turn(&mut program);
    assert_eq!(git(&place, &["worktree", "list"]).lines().count(), 2);
    let listed = program.ask("session/list", json!({"cwd": place.project()}));
    assert_eq!(listed["sessions"][0]["sessionId"], id, "{listed}");

    let refused = program.ask_refused("isolation/discard", json!({"sessionId": id}));
    assert_eq!(refused["data"]["code"], "conflict", "{refused}");
    program.ask("session/close", json!({"sessionId": id}));
    assert_eq!(program.ask("isolation/discard", json!({"sessionId": id})), json!({}));
    assert!(!PathBuf::from(created["cwd"].as_str().unwrap()).exists());
    assert_eq!(git(&place, &["worktree", "list"]).lines().count(), 1);
    let opened = program.ask("session/open", json!({"sessionId": id}));
    assert_eq!(opened["cwd"].as_str(), place.project().to_str(), "{opened}");
    assert!(opened.get("isolation").is_none(), "{opened}");
    turn(&mut program);
    assert_eq!(place.read("a.txt"), BEFORE.replace("three", "THREE"));
    let open = hunks(&mut program);
    assert_eq!(open.len(), 1, "{open:?}");
    let refused = program.ask_refused("isolation/apply", json!({}));
    assert!(
        refused["message"].as_str().unwrap().contains("works on the user's files"),
        "{refused}"
    );
}

#[test]
fn what_cannot_be_isolated_is_refused_and_leaves_nothing() {
    for (name, has_git, cwd, kind, want) in [
        ("a worktree without git", false, "", "worktree", "is not a git repository"),
        ("a copy of what git ignores", true, "ignored", "copy", "git ignores"),
        (
            "a worktree of what is not committed",
            true,
            "ignored",
            "worktree",
            "is not in the last commit",
        ),
        ("nothing", true, "missing", "copy", "cannot be used"),
        ("what contains all data", false, "..", "copy", "contains pintle's data directory"),
    ] {
        let place = project(has_git);
        let mut program = started(&place, &[]);
        let params = json!({"cwd": place.path(cwd), "isolation": {"kind": kind}});
        let refused = program.ask_refused("session/create", params);
        assert!(refused["message"].as_str().unwrap().contains(want), "{name}: {refused}");
        let left = std::fs::read_dir(place.home().join("isolated"));
        assert_eq!(left.map_or(0, Iterator::count), 0, "{name}");
        if has_git {
            assert_eq!(git(&place, &["worktree", "list"]).lines().count(), 1, "{name}");
        }
    }
}

/// Runs a task in a copy of this kind: the exit code, the result, and what stderr said.
fn run(place: &Place, replies: &[Value], more: &[&str]) -> (i32, Value, String) {
    let script = place.script(&json!({"replies": replies}));
    let args = ["run", "go", "--script", &script, "--format", "json"];
    ended(&place.command(&[&args, more].concat()).stdin(Stdio::null()).output().unwrap())
}

/// Runs another command: the exit code and stdout.
fn sessions(place: &Place, args: &[&str]) -> (i32, String) {
    let mut command = place.command(&[&["sessions"], args].concat());
    let out = command.stdin(Stdio::null()).output().unwrap();
    (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn a_task_applies_its_changes_at_its_end() {
    for isolation in ["worktree", "copy"] {
        let place = project(true);
        // What a command cannot know beforehand, the sandbox refuses: all but the copy is out of reach.
        let command = "echo made > made.txt; env sh -c 'echo x > $(pwd)/../x'; ls $(pwd)/..";
        let replies = [edit("two", "TWO"), call("bash", json!({"command": command})), say("done")];
        let (code, result, said) = run(&place, &replies, &["--isolation", isolation]);
        assert_eq!((code, &result["stop"]), (0, &json!("done")), "{isolation}: {result} {said}");
        let files = ["a.txt", "made.txt"].map(|file| place.path(file));
        assert_eq!(result["isolation"], json!({"applied": files}), "{isolation}");
        assert_eq!(result["changes"]["files"], json!(files), "{isolation}");
        assert_eq!(place.read("a.txt"), BEFORE.replace("two", "TWO"), "{isolation}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(journal.contains("Read-only file system"), "{isolation}: {journal}");
        assert_eq!(git(&place, &["worktree", "list"]).lines().count(), 1, "{isolation}");
        let id = result["sessionId"].as_str().unwrap();
        assert!(!place.home().join("isolated").join(id).join("project").exists(), "{isolation}");
        assert_eq!(sessions(&place, &["undo", id, "--all"]).0, 0, "{isolation}");
        assert_eq!(place.read("a.txt"), BEFORE, "{isolation}");
        assert!(!place.path("made.txt").exists(), "{isolation}");
    }
}

#[test]
fn a_task_applies_nothing_over_a_conflict_or_after_a_failure() {
    let place = project(false);
    let theirs = BEFORE.replace("two", "zwei");
    let write =
        format!("printf '{}' > '{}'", theirs.replace('\n', "\\n"), place.path("a.txt").display());
    let replies = [edit("two", "TWO"), call("bash", json!({"command": write})), say("done")];
    let full = ["--isolation", "copy", "--permission", "full"];
    let (code, result, said) = run(&place, &replies, &full);
    assert_eq!((code, &result["stop"]), (8, &json!("applyConflict")), "{result} {said}");
    let copy = place.home().join("isolated").join(result["sessionId"].as_str().unwrap());
    let left = json!({"applied": [], "conflicts": [place.path("a.txt")], "copy": std::fs::canonicalize(copy).unwrap().join("project")});
    assert_eq!((&result["isolation"], place.read("a.txt")), (&left, theirs.clone()));
    let id = result["sessionId"].as_str().unwrap();
    let (code, out) = sessions(&place, &["apply", id, "--on-conflict", "refuse"]);
    assert_eq!((code, place.read("a.txt")), (8, theirs.clone()), "{out}");
    let (code, out) = sessions(&place, &["apply", id]);
    assert_eq!((code, out), (8, format!("conflict   {}\n", place.path("a.txt").display())));
    assert!(place.read("a.txt").contains("\nzwei\n||||||| before\ntwo\n=======\nTWO\n"));
    assert_eq!(sessions(&place, &["apply", id]).0, 1);
    assert_eq!(sessions(&place, &["undo", id, "--all"]).0, 0);
    assert_eq!(place.read("a.txt"), theirs);
    assert!(sessions(&place, &["doctor"]).1.contains("copies    1 project of isolated sessions"));
    assert_eq!(sessions(&place, &["discard", id]).0, 0);
    assert!(!sessions(&place, &["doctor"]).1.contains("copies"));

    let place = project(false);
    let (code, result, _) = run(&place, &[edit("two", "TWO")], &full);
    assert_ne!(code, 0, "{result}");
    assert!(result["isolation"]["copy"].is_string(), "{result}");
    assert_eq!(
        (&result["isolation"]["applied"], place.read("a.txt")),
        (&json!([]), BEFORE.to_owned())
    );
}

/// A provider whose models write their names, one each time over, to `made.txt`.
fn writers(place: &Place) -> Provider {
    let provider = Provider::start(|request| {
        let request = request.json();
        let messages = request["messages"].as_array().unwrap();
        if messages.iter().any(|message| message["role"] == "tool") {
            return (200, chat(&("done", None)));
        }
        let name = request["model"].as_str().unwrap();
        let content = format!("{name}\n").repeat(name.len());
        let write = json!({"path": "made.txt", "content": content});
        (200, chat(&("", Some(("write", write)))))
    });
    let settings = format!("[providers.own]\nbase_url = \"{}/v1\"\napi = \"chat\"\n", provider.url);
    std::fs::write(place.home().join("config.toml"), settings).unwrap();
    provider
}

#[test]
fn the_best_of_several_attempts_is_applied() {
    let models = ["--attempt-model", "own/a", "--attempt-model", "own/bb", "--model", "own/a"];
    let common = ["run", "go", "--format", "json", "--isolation", "copy", "--attempts", "3"];
    for (name, judge, code, want, verdicts) in [
        ("the highest score", "wc -l < made.txt", 0, Some("bb\nbb\n"), "yes 1, yes 2, yes 1"),
        ("the accepted one", "grep -q b made.txt", 0, Some("bb\nbb\n"), "no -, yes -, no -"),
        ("the first of two equals", "grep -q a made.txt", 0, Some("a\n"), "yes -, no -, yes -"),
        ("none", "echo 3; false", 1, None, "no 3, no 3, no 3"),
    ] {
        let place = project(false);
        let _provider = writers(&place);
        let args = [&common[..], &models, &["--judge", judge]].concat();
        let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
        let (got, result, said) = ended(&out);
        assert_eq!(got, code, "{name}: {result} {said}");
        let made = std::fs::read_to_string(place.path("made.txt")).ok();
        assert_eq!(made.as_deref(), want, "{name}: {said}");
        let attempts = result["attempts"].as_array().unwrap();
        let word = |attempt: &Value| {
            let verdict = &attempt["verdict"];
            let accepted = if verdict["accepted"] == true { "yes" } else { "no" };
            format!(
                "{accepted} {}",
                verdict["score"].as_f64().map_or("-".to_owned(), |it| it.to_string())
            )
        };
        let words: Vec<String> = attempts.iter().map(word).collect();
        assert_eq!(words.join(", "), verdicts, "{name}: {said}");
        // The copies are kept only if the user may still want one.
        let left = attempts.iter().filter(|attempt| attempt["copy"].is_string()).count();
        assert_eq!(left, if want.is_some() { 0 } else { 3 }, "{name}: {result}");
        let chosen = attempts.iter().filter(|attempt| attempt["chosen"] == true).count();
        assert_eq!(chosen, usize::from(want.is_some()), "{name}");
    }

    let place = project(false);
    let _provider = writers(&place);
    let args = [&common[..], &models].concat();
    let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
    let (code, result, said) = ended(&out);
    assert_eq!((code, place.path("made.txt").exists()), (0, false), "{result} {said}");
    let id = result["attempts"][1]["sessionId"].as_str().unwrap();
    assert!(said.contains(&format!("to apply attempt 2: pintle sessions apply {id}")), "{said}");
    assert_eq!(sessions(&place, &["apply", id]).0, 0);
    assert_eq!(place.read("made.txt"), "bb\nbb\n");
}

#[test]
fn tasks_of_a_batch_work_side_by_side_and_apply_their_changes() {
    let place = project(true);
    let write = |name: &str| {
        let block = json!({"tool": "write", "arguments": {"path": name, "content": "made\n"}});
        let of = format!("make {name}");
        [json!({"of": of, "blocks": [block]}), json!({"of": of, "blocks": [{"text": "done"}]})]
    };
    let replies = [write("one.txt"), write("two.txt")].concat();
    let script = place.script(&json!({"replies": replies}));
    let list = "{\"id\": \"one\", \"prompt\": \"make one.txt\"}\n\
                {\"id\": \"two\", \"prompt\": \"make two.txt\", \"isolation\": \"copy\"}\n";
    let (tasks, out) = (place.folder().join("tasks.jsonl"), place.folder().join("results"));
    std::fs::write(&tasks, list).unwrap();
    let args = ["batch", tasks.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let more = ["--script", &script, "--jobs", "2", "--isolation", "worktree"];
    let ran = place.command(&[&args[..], &more].concat()).stdin(Stdio::null()).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    for name in ["one", "two"] {
        let result = std::fs::read_to_string(out.join(name).join("result.json")).unwrap();
        let result: Value = serde_json::from_str(&result).unwrap();
        let file = place.path(&format!("{name}.txt"));
        let isolation = result.pointer("/isolation").or(result.pointer("/result/isolation"));
        assert_eq!(isolation, Some(&json!({"applied": [file]})), "{result}");
        assert!(file.exists(), "{name}");
    }
    assert_eq!(git(&place, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_copy_that_a_fork_works_in_is_kept() {
    let place = project(false);
    let mut program = started(&place, &[edit("two", "TWO"), say("done")]);
    let created = program.ask("session/create", json!({"isolation": {"kind": "copy"}}));
    turn(&mut program);
    let id = created["sessionId"].clone();
    let fork = program.ask("session/fork", json!({"sessionId": id}));
    assert_eq!((&fork["cwd"], &fork["isolation"]), (&created["cwd"], &created["isolation"]));
    // A fork has the conversation, and the changes stay with the session that made them.
    let applied = program.ask("isolation/apply", json!({"sessionId": fork["sessionId"]}));
    assert_eq!(outcomes(&applied), "");
    let applied = program.ask("isolation/apply", json!({"sessionId": id}));
    assert_eq!(outcomes(&applied), "a.txt applied");
    let copies = || {
        let folder = place.home().join("isolated");
        std::fs::read_dir(folder).unwrap().count()
    };
    program.ask("session/close", json!({"sessionId": id}));
    let refused = program.ask_refused("isolation/discard", json!({"sessionId": id}));
    assert!(refused["message"].as_str().unwrap().contains("works in the same copy"), "{refused}");
    program.ask("session/delete", json!({"sessionId": id}));
    assert_eq!(copies(), 1);
    program.ask("session/close", json!({"sessionId": fork["sessionId"]}));
    program.ask("session/delete", json!({"sessionId": fork["sessionId"]}));
    assert_eq!(copies(), 0);
}
