//! The standard streams of `pintle run`: what is piped into it, and what it writes where.

use crate::support::program::Place;
use crate::tasks::{Task, ended, text, tool};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// A picture of one dot.
const PNG: &[u8] = b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde\x00\x00\x00\x0c\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

/// Runs a command with these bytes on stdin.
fn fed(mut command: Command, bytes: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may end without reading it.
    let _ = stdin.write_all(bytes);
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// The texts that the model read with the first message.
fn read(result: &Value) -> String {
    let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
    let line = journal.lines().find(|line| line.contains("\"userMessage\"")).unwrap();
    line.to_owned()
}

#[test]
fn what_is_piped_is_attached() {
    let long = "a line of a log\n".repeat(20_000);
    for (name, args, input, want) in [
        ("beside a task", &["look"][..], b"ZEBRA\n".as_slice(), Some("ZEBRA")),
        ("by name", &["look", "--file", "-"], b"ZEBRA", Some("ZEBRA")),
        (
            "by name, with a file",
            &["look", "--file", "notes.txt", "--file", "-"],
            b"ZEBRA",
            Some("ZEBRA"),
        ),
        ("a mention in it", &["look"], b"@notes.txt\n", Some("@notes.txt")),
        ("a long one", &["look"], long.as_bytes(), Some("a line of a log")),
        ("nothing", &["look"], b"", None),
        ("as the task", &["-"], b"look", None),
    ] {
        let task = Task::new(json!([text("seen")]));
        let (code, result, said) = ended(&fed(task.command(args), input));
        assert_eq!((code, said.as_str()), (0, ""), "{name}: {result}");
        let message = read(&result);
        assert_eq!(message.contains("/stdin-"), want.is_some(), "{name}: {message}");
        assert!(want.is_none_or(|want| message.contains(want)), "{name}: {message}");
        assert!(message.len() < 200_000, "{name}: the model reads {} bytes", message.len());
        assert_eq!(message.contains("three"), args.contains(&"notes.txt"), "{name}: {message}");
    }
}

#[test]
fn a_picture_is_attached_as_one() {
    let task = Task::new(json!([text("seen")]));
    let (code, result, said) = ended(&fed(task.command(&["look", "--file", "-"]), PNG));
    assert_eq!(code, 0, "{said}");
    assert!(read(&result).contains("image/png"), "{result}");
}

#[test]
fn stdin_that_makes_no_sense_is_refused() {
    for (name, args, input, want) in [
        ("twice", &["-", "--file", "-"][..], b"x".as_slice(), "stdin can be read only once"),
        (
            "attached twice",
            &["x", "--file", "-", "--file", "-"],
            b"x",
            "stdin can be read only once",
        ),
        ("no text", &["-"], b"\xff\xfe", "not UTF-8"),
        ("an empty task", &["-"], b"\n", "the task is empty"),
    ] {
        let task = Task::new(json!([text("seen")]));
        let (code, _, said) = ended(&fed(task.command(args), input));
        assert_eq!(code, 2, "{name}: {said}");
        assert!(said.contains(want), "{name}: {said}");
    }
}

#[test]
fn a_closed_stdin_is_an_empty_one() {
    let task = Task::new(json!([text("seen")]));
    let program = task.place.command(&[]);
    let run = format!(
        "exec {} run --format json --script {} look <&-",
        program.get_program().display(),
        task.script
    );
    let mut command = Command::new("sh");
    command.args(["-c", &run]).current_dir(task.place.project()).env_clear();
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let (code, result, said) = ended(&command.output().unwrap());
    assert_eq!(code, 0, "{result} {said}");
}

/// A run in the format `text`: the exit code, stdout and stderr.
fn plain(place: &Place, replies: &Value, args: &[&str]) -> (i32, String, String) {
    let script = place.script(&json!({ "replies": replies }));
    let args = [&["run", "--script", &script, "--permission", "full"], args].concat();
    let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
    let [stdout, stderr] = [out.stdout, out.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out.status.code().unwrap(), stdout, stderr)
}

#[test]
fn a_patch_or_a_report_on_stdout_takes_the_place_of_the_answer() {
    let edit = tool("write", json!({"path": "made.txt", "content": "made\n"}));
    let replies = json!([edit, text("The answer.")]);
    for (name, args, begins) in [
        ("a patch", &["go", "--patch", "-"][..], "diff --git a/made.txt b/made.txt\n"),
        (
            "without the files",
            &["go", "--patch", "-", "--no-apply", "--permission", "auto-edit"],
            "diff --git a/made.txt b/made.txt\n",
        ),
        ("a report", &["go", "--report", "markdown=-"], "## pintle\n"),
        ("the answer", &["go"], "The answer.\n"),
    ] {
        let place = Place::new(&[("a.txt", "a\n")]);
        let args: Vec<&str> = args.to_vec();
        let script = place.script(&json!({ "replies": replies }));
        let permission: &[&str] =
            if args.contains(&"--permission") { &[] } else { &["--permission", "full"] };
        let all = [&["run", "--script", &script][..], &args, permission].concat();
        let out = place.command(&all).stdin(Stdio::null()).output().unwrap();
        let [stdout, stderr] = [out.stdout, out.stderr].map(|b| String::from_utf8(b).unwrap());
        assert_eq!(out.status.code(), Some(0), "{name}: {stderr}");
        assert!(stdout.starts_with(begins), "{name}: {stdout}");
        assert_eq!(stderr.contains("The answer."), begins != "The answer.\n", "{name}: {stderr}");
        assert!(!place.path("-").exists(), "{name}");
    }
    let place = Place::new(&[]);
    for args in [
        &["go", "--patch", "-", "--report", "sarif=-"][..],
        &["go", "--patch", "-", "--format", "json"],
        &["go", "--report", "junit=-", "--format", "events"],
    ] {
        let (code, stdout, stderr) = plain(&place, &json!([text("x")]), args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains("stdout"), "{args:?}: {stderr}");
    }
}

#[test]
fn the_last_line_on_stderr_has_the_model_the_tokens_and_the_session() {
    let place = Place::new(&[]);
    let reply = json!([{"blocks": [{"text": "yes"}], "usage": {"inputTokens": 12, "outputTokens": 3, "cacheReadTokens": 5}}]);
    let last = |stderr: &str| stderr.lines().last().unwrap_or_default().to_owned();
    let (_, _, said) = plain(&place, &reply, &["go"]);
    let line = last(&said);
    let begins = "pintle: script/script, 17 tokens in, 3 out, cost unknown, session 0";
    assert!(line.starts_with(begins), "{said}");
    let (_, _, said) = plain(&place, &reply, &["go", "--no-session"]);
    assert!(last(&said).ends_with(", session not stored"), "{said}");
    let (_, _, said) = plain(&place, &reply, &["go", "--quiet"]);
    assert_eq!(said, "");
}

#[test]
fn a_run_without_a_session_stores_nothing() {
    let place = Place::new(&[]);
    let temporary = tempfile::tempdir().unwrap();
    for replies in [json!([text("yes")]), json!([{"error": {"kind": "auth", "message": "no"}}])] {
        let script = place.script(&json!({ "replies": replies }));
        let args = ["run", "go", "--no-session", "--format", "json", "--script", &script];
        let mut command = place.command(&args);
        command.env("TMPDIR", temporary.path()).stdin(Stdio::null());
        let (_, result, _) = ended(&command.output().unwrap());
        assert_eq!(result["journal"], Value::Null, "{result}");
        assert_eq!(place.journal_if_any(), None);
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
    }
    let listed = place.command(&["sessions", "list", "--json"]).output().unwrap();
    assert!(listed.stdout.is_empty(), "{listed:?}");
    let args = ["run", "go", "--no-session", "--session", "last"];
    assert_eq!(place.command(&args).output().unwrap().status.code(), Some(2));
}

#[test]
fn last_is_a_session_everywhere_and_archiving_takes_it_from_the_list() {
    let place = Place::new(&[]);
    let (_, _, said) = plain(&place, &json!([text("yes")]), &["look at this"]);
    let id = said.trim_end().rsplit(' ').next().unwrap().to_owned();
    let sessions = |args: &[&str]| {
        let out = place.command(&[&["sessions"], args].concat()).output().unwrap();
        (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap())
    };
    for args in [
        &["show", "last"][..],
        &["tree", "last"],
        &["export", "last", "--format", "md", "-o", "-"],
        &["search", "look", "--session", "last"],
        &["review", "last", "--json"],
        &["label", "last", "--to=#1", "here"],
    ] {
        let (code, out) = sessions(args);
        assert!(code == 0 || (code == 1 && args[0] == "review"), "{args:?}: {out}");
    }
    assert_eq!(sessions(&["archive", "last"]), (0, format!("archived {id}\n")));
    assert_eq!(sessions(&["list"]).0, 1);
    assert!(sessions(&["list", "--archived"]).1.contains("look at this"));
    assert_eq!(sessions(&["archive", "--undo", &id]), (0, format!("unarchived {id}\n")));
    assert_eq!(sessions(&["list"]).0, 0);
    assert_eq!(sessions(&["archive", "nothing"]).0, 2);
}
