//! How long sessions are kept, through the real program.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

fn pintle(place: &Place, args: &[&str]) -> (i32, String, String) {
    let out = place.command(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

/// A session that was last changed so many days ago.
fn made(place: &Place, days: u64) -> String {
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "done"}]}]}));
    let task = format!("{days} days old");
    let (_, out, err) = pintle(place, &["run", &task, "--format", "json", "--script", &script]);
    let result: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let id = result["sessionId"].as_str().unwrap().to_owned();
    age(place, &id, days);
    id
}

fn journal(place: &Place, id: &str) -> String {
    let (_, out, _) = pintle(place, &["sessions", "list", "--json"]);
    let all = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let one = all.into_iter().find(|one| one["sessionId"] == id).unwrap();
    assert!(one["bytes"].as_u64().unwrap() > 1000, "{one}");
    format!("{}/journal.jsonl", one["path"].as_str().unwrap())
}

fn age(place: &Place, id: &str, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 86_400);
    File::options().append(true).open(journal(place, id)).unwrap().set_modified(then).unwrap();
}

fn ids(place: &Place) -> Vec<String> {
    let (_, out, _) = pintle(place, &["sessions", "list", "--json"]);
    let all = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut ids: Vec<String> =
        all.map(|one| one["sessionId"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

fn set(place: &Place, text: &str) {
    fs::create_dir_all(place.home()).unwrap();
    fs::write(place.home().join("config.toml"), text).unwrap();
}

#[test]
fn what_outlived_the_settings_is_shown_first_and_deleted_when_told_to() {
    let place = Place::new(&[]);
    let [old, named, open, young] = [40, 50, 60, 0].map(|days| made(&place, days));
    let label = json!({"sessionId": named, "seq": 99, "tsMs": 1, "event": {"type": "label.changed", "seq": 2, "label": "keep"}});
    let path = journal(&place, &named);
    fs::write(&path, format!("{}{label}\n", fs::read_to_string(&path).unwrap())).unwrap();
    age(&place, &named, 50);
    let mut program = Program::start(place.engine(&["serve"]), Framing::Lines);
    program.initialize();
    program.ask("session/open", json!({"sessionId": open}));
    age(&place, &open, 60);

    let (code, _, err) = pintle(&place, &["sessions", "prune", "--yes"]);
    assert!(code == 1 && err.contains("[sessions]") && err.contains("config.toml"), "{err}");
    set(&place, "[sessions]\nkeep_days = 30\n");
    for args in [&["sessions", "prune", "--dry-run"][..], &["sessions", "prune"]] {
        let (_, out, err) = pintle(&place, args);
        assert!(
            out.starts_with(&old) && out.contains("40 days old") && out.contains("keep_days"),
            "{out}{err}"
        );
        assert_eq!(out.lines().count(), 1, "{out}");
        assert_eq!(ids(&place).len(), 4, "{args:?} deletes nothing");
    }
    let (code, out, _) = pintle(&place, &["sessions", "prune", "--yes"]);
    assert!(code == 0 && out.contains(&format!("deleted {old}")), "{out}");
    let mut left = [named, open, young];
    left.sort();
    assert_eq!(ids(&place), left, "neither what is open, nor what is named, nor what is young");
    let (code, out, err) = pintle(&place, &["sessions", "prune", "--yes"]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    let (_, out, _) = pintle(&place, &["sessions", "doctor"]);
    assert!(out.contains("data      ") && out.contains("iB"), "{out}");
}

#[test]
fn it_happens_by_itself_once_a_day_and_is_told() {
    let place = Place::new(&[]);
    let first = made(&place, 40);
    set(&place, "[sessions]\nkeep_count = 1\n");
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "done"}]}]}));
    let run = || pintle(&place, &["run", "x", "--script", &script, "--quiet"]);
    let (code, _, err) = run();
    assert!(code == 0 && err.contains(&format!("deleted {first}")), "{err}");
    let second = made(&place, 40);
    let (_, _, err) = run();
    assert!(!err.contains("deleted") && ids(&place).contains(&second), "not twice a day: {err}");
    // Tomorrow.
    fs::write(place.home().join("pruned"), "0\n").unwrap();
    let (_, _, err) = run();
    assert!(err.contains(&format!("deleted {second}")), "{err}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (text, said) in [
        ("sessions = 1", "[sessions]"),
        ("[sessions]\nkeep_days = 0", "`sessions.keep_days` must be a whole number of at least 1"),
        ("[sessions]\nmax_mb = 1.5", "`sessions.max_mb` must be a whole number of at least 1"),
        ("[sessions]\nkeep_count = -1", "`sessions.keep_count` must be"),
    ] {
        let place = Place::new(&[]);
        set(&place, text);
        let (code, _, err) = pintle(&place, &["sessions", "prune", "--dry-run"]);
        assert!(code == 2 && err.contains(said), "{text}: {err}");
    }
}
