//! `--record DIR/` and `--replay DIR/`: a task that was recorded is replayed elsewhere, without a server, to the same events.

use crate::providers::{Said, messages, serve};
use crate::support::program::Place;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

const GREET: &str = "echo helo world\n";

fn place() -> Place {
    Place::new(&[("greet.sh", GREET), ("AGENTS.md", "Be polite.\nSay hello.\n")])
}

fn said() -> Vec<Said> {
    vec![
        ("I read it first.", Some(("read", json!({"path": "greet.sh"})))),
        ("", Some(("edit", json!({"path": "greet.sh", "oldText": "helo", "newText": "hello"})))),
        ("", Some(("bash", json!({"command": "pwd; sh greet.sh"})))),
        ("It says hello now.", None),
    ]
}

fn run(place: &Place, task: &[&str], variables: &[(&str, &str)]) -> Output {
    let args = [&["run", "--permission", "full", "--model", "anthropic/m"], task].concat();
    std::fs::write(place.path("greet.sh"), GREET).unwrap();
    place.command(&args).envs(variables.iter().copied()).output().unwrap()
}

fn events(out: &Output) -> String {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout.clone()).unwrap()
}

/// The events without what differs between two runs: ids, times, the place.
fn alike(events: &str, place: &Place) -> Vec<Value> {
    let mut ids = BTreeMap::new();
    let root = place.path("..").canonicalize().unwrap();
    let lines = events.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.map(|line| normal(line, &root, &mut ids)).collect()
}

fn normal(value: Value, root: &Path, ids: &mut BTreeMap<String, usize>) -> Value {
    match value {
        Value::Object(fields) => {
            let is_time = |name: &str| name.ends_with("Ms") || name == "journal";
            let fields = fields.into_iter().filter(|(name, _)| !is_time(name));
            Value::Object(fields.map(|(name, field)| (name, normal(field, root, ids))).collect())
        }
        Value::Array(items) => items.into_iter().map(|item| normal(item, root, ids)).collect(),
        Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => {
            let next = ids.len();
            json!(ids.entry(text).or_insert(next))
        }
        Value::String(text) => {
            let root = root.to_str().unwrap();
            json!(text.replace(&root.replace('/', "-")[1..], "PLACE").replace(root, "PLACE"))
        }
        other => other,
    }
}

/// A folder of recordings of one task, and the place in which it was recorded, with its events.
fn recorded() -> (tempfile::TempDir, Place, String) {
    let tapes = tempfile::tempdir().unwrap();
    let folder = format!("{}/new/", tapes.path().display());
    let (url, served) = serve(said().iter().map(|said| (200, messages(said))).collect());
    let first = place();
    let variables = [("ANTHROPIC_BASE_URL", &*url), ("ANTHROPIC_API_KEY", "sk-not-to-be-seen")];
    let task = ["make it say hello", "--format", "events", "--record", &folder];
    let events = events(&run(&first, &task, &variables));
    served.join().unwrap();
    (tapes, first, events)
}

#[test]
fn a_recorded_task_is_replayed_elsewhere_to_the_same_events() {
    let (tapes, first, recorded) = recorded();
    let folder = tapes.path().join("new");
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 1 + said().len());
    for file in files {
        let text = std::fs::read_to_string(file.path()).unwrap();
        let root = first.path("..").canonicalize().unwrap();
        assert!(
            !text.contains("sk-not-to-be-seen") && !text.contains(root.to_str().unwrap()),
            "{text}"
        );
    }

    let second = place();
    let folder = folder.to_str().unwrap();
    let task = ["make it say hello", "--format", "events", "--replay", folder];
    let replay = || events(&run(&second, &task, &[]));
    let replayed = replay();
    assert_eq!(alike(&replayed, &second), alike(&recorded, &first));
    assert_eq!(second.read("greet.sh"), "echo hello world\n");
    // Beside the first one, the session is another; without it, every byte is the same.
    assert_ne!(replay(), replayed);
    std::fs::remove_dir_all(second.home().join("sessions")).unwrap();
    assert_eq!(replay(), replayed);
}

#[test]
fn a_changed_line_of_a_prompt_is_a_miss_that_names_the_line() {
    let (tapes, ..) = recorded();
    let second = place();
    let folder = tapes.path().join("new");
    let folder = folder.to_str().unwrap();
    std::fs::write(second.path("AGENTS.md"), "Be rude.\nSay hello.\n").unwrap();
    let rows: [(&str, &[&str]); 2] = [
        ("make it say hello", &["- system/0/text: Be polite.\n", "+ system/0/text: Be rude."]),
        (
            "make it say goodbye",
            &["- system/0/text: Be polite.\n", "+ messages/0/content/0/text: make it say goodbye"],
        ),
    ];
    for (prompt, wanted) in rows {
        let out = run(&second, &[prompt, "--replay", folder], &[]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(3), "{said}");
        for wanted in wanted {
            assert!(said.contains(wanted), "{wanted:?} in {said}");
        }
    }
}

#[test]
fn a_folder_that_is_no_recording_is_told() {
    let place = place();
    let empty = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("recording.json"), "{\"version\":9,\"createdMs\":1}").unwrap();
    for (folder, wanted) in [
        (empty.path().to_str().unwrap(), "is no folder of recordings"),
        (other.path().to_str().unwrap(), "version 9"),
        ("/dev/null/there/", "is no folder of recordings"),
    ] {
        let out = run(&place, &["x", "--replay", folder], &[]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains(wanted), "{folder}: {said}");
    }
}
