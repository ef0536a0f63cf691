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
fn a_session_that_goes_on_is_replayed_too() {
    let tapes = tempfile::tempdir().unwrap();
    let folder = format!("{}/", tapes.path().display());
    let (url, served) =
        serve((0..2).map(|at| (200, messages(&(["One.", "Two."][at], None)))).collect());
    let variables = [("ANTHROPIC_BASE_URL", &*url), ("ANTHROPIC_API_KEY", "sk-not-to-be-seen")];
    let both = |place: &Place, option: &str, variables: &[(&str, &str)]| {
        let begun = events(&run(place, &["begin", option, &folder], variables));
        let task = ["go on", "--session", "last", option, &folder];
        (begun, events(&run(place, &task, variables)))
    };
    let recorded = both(&place(), "--record", &variables);
    served.join().unwrap();
    assert_eq!(recorded, ("One.\n".to_owned(), "Two.\n".to_owned()));
    assert_eq!(both(&place(), "--replay", &[]), recorded);
}

#[test]
fn several_runs_record_into_one_new_folder_at_once() {
    let tapes = tempfile::tempdir().unwrap();
    let folder = format!("{}/new/", tapes.path().display());
    let runs: Vec<_> = (0..6)
        .map(|number| {
            let folder = folder.clone();
            std::thread::spawn(move || {
                let (url, served) = serve(vec![(200, messages(&("Done.", None)))]);
                let variables = [("ANTHROPIC_BASE_URL", &*url), ("ANTHROPIC_API_KEY", "sk-x")];
                let task = format!("task {number}");
                let said = events(&run(&place(), &[&task, "--record", &folder], &variables));
                served.join().unwrap();
                said
            })
        })
        .collect();
    assert!(runs.into_iter().all(|run| run.join().unwrap() == "Done.\n"));
    for number in 0..6 {
        let task = format!("task {number}");
        assert_eq!(events(&run(&place(), &[&task, "--replay", &folder], &[])), "Done.\n");
    }
}

#[test]
fn a_hostile_folder_of_recordings_neither_hangs_nor_panics() {
    let place = place();
    let line = "{\"request\":{\"path\":\"/v1/messages\"},\"response\":{\"body\":\"x\"}}\n";
    let make = |name: &str, fill: &dyn Fn(&Path)| {
        let folder = place.path(name);
        std::fs::create_dir(&folder).unwrap();
        let facts = "{\"version\":1,\"createdMs\":18446744073709551615}";
        std::fs::write(folder.join("recording.json"), facts).unwrap();
        fill(&folder.join("0123.jsonl"));
        folder
    };
    let pipe = |path: &Path| {
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    };
    for (name, fill, code, wanted) in [
        ("pipe", &pipe as &dyn Fn(&Path), 2, "not a regular file"),
        ("folder", &|path| std::fs::create_dir(path).unwrap(), 2, "is a directory"),
        ("cut", &|path| std::fs::write(path, &line[..40]).unwrap(), 2, "line 1"),
        ("bytes", &|path| std::fs::write(path, b"\xff\xfe").unwrap(), 2, "not UTF-8"),
        ("other", &|path| std::fs::write(path, line).unwrap(), 3, "no recorded request"),
        ("empty", &|path| std::fs::write(path, "").unwrap(), 3, "no recorded requests"),
    ] {
        let folder = make(name, fill);
        let out = run(&place, &["x", "--replay", folder.to_str().unwrap()], &[]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(code) && said.contains(wanted), "{name}: {said}");
    }
}

#[test]
fn a_recording_on_a_full_disk_is_told_and_ends_no_task() {
    const LIMIT_KIB: u32 = 1024;
    let (url, served) = serve(vec![(200, messages(&("Done.", None)))]);
    let place = place();
    // A file that can grow no more.
    std::fs::write(place.path("tape.jsonl"), vec![b'\n'; LIMIT_KIB as usize * 1024]).unwrap();
    let args = ["run", "x", "--model", "anthropic/m", "--record", "tape.jsonl"];
    let mut command = place.limited_command(LIMIT_KIB, &args);
    command.env("ANTHROPIC_BASE_URL", &url).env("ANTHROPIC_API_KEY", "sk-x");
    let out = command.output().unwrap();
    served.join().unwrap();
    let said = String::from_utf8(out.stderr.clone()).unwrap();
    assert_eq!(events(&out), "Done.\n");
    assert!(said.contains("cannot record to tape.jsonl"), "{said}");
}

#[test]
fn a_folder_that_is_no_recording_is_told() {
    let place = place();
    let empty = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("recording.json"), "{\"version\":9,\"createdMs\":1}").unwrap();
    for (folder, wanted) in [
        (empty.path().to_str().unwrap(), "is not a recording directory"),
        (other.path().to_str().unwrap(), "version is 9"),
        ("/dev/null/there/", "is not a recording directory"),
    ] {
        let out = run(&place, &["x", "--replay", folder], &[]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains(wanted), "{folder}: {said}");
    }
}
