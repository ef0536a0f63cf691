//! `pintle sessions`, through the real program.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// Output of the program: exit code, stdout, stderr.
fn pintle(place: &Place, args: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = std::iter::once("sessions").chain(args.iter().copied()).collect();
    said(&place.command(&args).stdin(Stdio::null()).output().unwrap())
}

fn said(out: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

/// Makes a session with one prompt, one call and one answer; returns its id.
fn made(place: &Place, prompt: &str, answer: &str) -> String {
    let script = place.script(&json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo made"}}]},
        {"blocks": [{"text": answer}]},
    ]}));
    let args = ["run", prompt, "--format", "json", "--permission", "full", "--script", &script];
    let out = place.command(&args).output().unwrap();
    let result: Value = serde_json::from_slice(&out.stdout).unwrap();
    result["sessionId"].as_str().unwrap().to_owned()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder(place: &Place, id: &str) -> PathBuf {
    let mut folders = vec![place.home().join("sessions")];
    while let Some(folder) = folders.pop() {
        if folder.to_string_lossy().ends_with(id) {
            return folder;
        }
        folders.extend(
            fs::read_dir(folder)
                .unwrap()
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_dir()),
        );
    }
    panic!("no folder of {id}");
}

#[test]
fn what_is_stored_is_listed_shown_and_found() {
    let place = Place::untrusted(&[]);
    let (code, out, err) = pintle(&place, &["list"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("no matching sessions"), "{err}");
    assert!(!place.home().exists(), "looking makes nothing");

    let first = made(&place, "Why does the login flicker?", "A hook runs twice.");
    let second = made(&place, "修复解析器的错误\u{1b}[31m", "Parser mended.");

    let (code, out, _) = pintle(&place, &["list", "--json"]);
    let listed = json_lines(&out);
    let ids: Vec<&str> = listed.iter().map(|one| one["sessionId"].as_str().unwrap()).collect();
    assert_eq!((code, ids), (0, vec![second.as_str(), first.as_str()]));
    assert_eq!(
        (&listed[1]["turns"], &listed[1]["entries"], &listed[1]["state"]),
        (&json!(1), &json!(3), &json!("closed"))
    );
    let (_, out, _) = pintle(&place, &["list"]);
    assert!(out.contains("Why does the login flicker?") && out.contains("(1 turn)"), "{out}");
    assert!(!out.contains('\u{1b}'), "{out:?}");
    for (args, want) in [
        (&["list", "LOGIN", "--json"][..], 1),
        (&["list", "project", "--json"], 2),
        (&["list", "-C", ".", "--json"], 2),
        (&["list", "-C", "/", "--json"], 0),
        (&["list", "-n", "1", "--json"], 1),
        (&["list", "nowhere", "--json"], 0),
    ] {
        let (code, out, err) = pintle(&place, args);
        assert_eq!((code, out.lines().count()), (0, want), "{args:?}: {err}");
    }

    let (code, out, _) = pintle(&place, &["show", &first]);
    assert_eq!(code, 0);
    let told = out.split_once("\n\n").unwrap().1;
    assert_eq!(told, "> Why does the login flicker?\n* bash: echo made\nA hook runs twice.\n");
    let (_, out, _) = pintle(&place, &["show", &first, "--json", "--all"]);
    let seqs: Vec<u64> =
        json_lines(&out).iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    let (_, out, _) = pintle(&place, &["show", &first, "--json", "-n", "2"]);
    assert_eq!(json_lines(&out).last().unwrap()["seq"], json!(seqs.len()));
    assert_eq!(out.lines().count(), 2);
    let (_, out, _) = pintle(&place, &["show", &first, "--json", "--at", "3", "-n", "2"]);
    assert_eq!(json_lines(&out).iter().map(|e| e["seq"].clone()).collect::<Vec<_>>(), [2, 3]);

    for (args, want) in [
        (&["search", "flick"][..], vec![&first]),
        (&["search", "解析", "--role", "user"], vec![&second]),
        (&["search", "echo made"], vec![&second, &first]),
        (&["search", "made", "echo", "--kind", "tool"], vec![&second, &first]),
        (&["search", "made", "--session", &first], vec![&first]),
        (&["search", "made", "--since", "1h", "-n", "1"], vec![&second]),
        (&["search", "made", "--until", "2001-01-01"], vec![]),
        (&["search", "hook", "--kind", "user,tool"], vec![]),
        (&["search", "\"", "*", "AND"], vec![]),
    ] {
        let args = [args, &["--json"]].concat();
        let (code, out, err) = pintle(&place, &args);
        let hits = json_lines(&out);
        let ids: Vec<&str> = hits.iter().map(|hit| hit["sessionId"].as_str().unwrap()).collect();
        assert_eq!(ids, want, "{args:?}: {err}");
        assert_eq!(code, i32::from(want.is_empty()), "{args:?}");
    }
    let (code, out, _) = pintle(&place, &["search", "twice"]);
    assert!(code == 0 && out.contains("A hook runs twice."), "{out}");
    let (code, _, err) = pintle(&place, &["search", "x", "--since", "soon"]);
    assert!(code == 2 && err.contains("2026-11-22"), "{err}");
}

#[test]
fn a_session_is_named_by_the_beginning_of_its_id_and_deleted_when_told_to() {
    let place = Place::new(&[]);
    let (one, two) = (made(&place, "one", "done"), made(&place, "two", "done"));
    let shared = one.chars().zip(two.chars()).take_while(|(a, b)| a == b).count();
    let unique = &one[..=shared];
    for (name, args, code, said) in [
        ("not unique", vec!["show", &one[..shared]], 2, "2 session ids start with"),
        ("of nobody", vec!["show", "nobody"], 2, "pintle sessions list"),
        ("empty", vec!["show", ""], 2, "missing session"),
        ("nobody to ask", vec!["delete", unique], 2, "--yes"),
        ("one of several of nobody", vec!["delete", "--yes", &two, "nobody"], 2, "nobody"),
    ] {
        let (got, _, err) = pintle(&place, &args);
        assert!(got == code && err.contains(said), "{name}: {got} {err}");
    }
    assert_eq!(pintle(&place, &["show", unique]).0, 0);
    assert_eq!(pintle(&place, &["list", "--json"]).1.lines().count(), 2, "nothing deleted");

    let (code, out, _) = pintle(&place, &["delete", "--yes", unique, &one]);
    assert_eq!((code, out), (0, format!("deleted {one}\n")));
    assert_eq!(json_lines(&pintle(&place, &["list", "--json"]).1)[0]["sessionId"], two.as_str());
    let (_, out, _) = pintle(&place, &["search", "done", "--json"]);
    assert!(out.contains(&two) && !out.contains(&one), "{out}");
}

#[test]
fn a_session_that_another_process_has_open_is_not_deleted() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &json!({"replies": []}), Framing::Lines);
    let (_, out, _) = pintle(&place, &["list", "--json"]);
    let id = json_lines(&out)[0]["sessionId"].as_str().unwrap().to_owned();
    let (code, _, err) = pintle(&place, &["delete", "--yes", &id]);
    assert!(code == 2 && err.contains("open in another process"), "{err}");
    program.end_input();
    program.wait();
    assert_eq!(pintle(&place, &["delete", "--yes", &id]).0, 0);
    assert_eq!(pintle(&place, &["list", "--json"]).1, "");
}

/// A journal's line with this number, changed.
fn change_line(path: &Path, number: usize, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| if at + 1 == number { change(line) } else { line.to_owned() })
        .collect();
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn doctor_names_what_is_wrong_and_reindex_mends_the_index() {
    let place = Place::untrusted(&[]);
    let (code, out, _) = pintle(&place, &["doctor"]);
    assert!(code == 0 && out.contains("0 sessions"), "{out}");
    assert!(!place.home().exists());

    let [whole, damaged, torn, headless, empty] =
        ["a", "b", "c", "d", "e"].map(|name| made(&place, name, "done"));
    let (code, out, _) = pintle(&place, &["list"]);
    assert_eq!(code, 0, "{out}");
    let (code, out, err) = pintle(&place, &["doctor"]);
    assert!(code == 0 && out.contains("index     up to date: 15 entries"), "{out}{err}");

    let journal = |id: &str| folder(&place, id).join("journal.jsonl");
    change_line(&journal(&damaged), 4, |line| line[..line.len() / 2].to_owned());
    change_line(&journal(&damaged), 6, |line| line.replace("\"seq\":5", "\"seq\":2"));
    fs::OpenOptions::new()
        .append(true)
        .open(journal(&torn))
        .unwrap()
        .write_all(b"{\"seq\":")
        .unwrap();
    change_line(&journal(&headless), 1, |_| "{}".to_owned());
    fs::remove_file(journal(&empty)).unwrap();

    let (code, out, err) = pintle(&place, &["doctor"]);
    assert_eq!(code, 2, "{out}{err}");
    for (id, says) in [
        (&damaged, "line 4 is damaged; it is skipped"),
        (&damaged, "line 6 repeats the number 2 after 4"),
        (&torn, "is incomplete; it is moved aside"),
        (&headless, "is not a pintle journal; restore its first line"),
        (&empty, "`pintle sessions delete` removes the directory"),
    ] {
        // The folder's name may stand in what is said of it.
        let is_said = out.split(id.as_str()).skip(1).any(|about| about.contains(says));
        assert!(is_said, "{says}: {out}");
    }
    assert!(!out.contains(&whole) && out.contains("4 damaged"), "{out}");
    assert!(out.contains("at the next list or search"), "{out}");
    let (_, out, _) = pintle(&place, &["doctor", "--json"]);
    let told = json_lines(&out);
    assert_eq!(told.len(), 5);
    let problems = |id: &str| {
        told.iter().find(|one| one["sessionId"] == id).unwrap()["problems"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!([&whole, &damaged, &torn].map(|id| problems(id)), [0, 2, 1]);

    assert_eq!(pintle(&place, &["delete", "--yes", &empty, &headless]).0, 0);
    fs::write(place.home().join("index.sqlite"), "no database".repeat(1000)).unwrap();
    let (code, out, err) = pintle(&place, &["reindex"]);
    assert!(code == 0 && out.contains("3 sessions with"), "{out}{err}");
    assert!(err.contains("index.sqlite.damaged"), "{err}");
    let (_, out, _) = pintle(&place, &["search", "done", "--json"]);
    assert_eq!(out.lines().count(), 3, "{out}");
}

#[test]
fn whoever_reads_may_stop_reading() {
    let place = Place::new(&[]);
    let id = made(&place, "a long one", &"word ".repeat(100_000));
    let mut child = place
        .command(&["sessions", "show", &id, "--all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let (code, _, err) = said(&child.wait_with_output().unwrap());
    assert_eq!((code, err.as_str()), (0, ""));
}
