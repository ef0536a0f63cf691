//! Files that somebody changes after the model read them: named once, here and behind a command prefix, in one process and in the next.

use crate::support::program::{Framing, Place, Program};
use crate::tasks::{ended, text, tool};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

const NOTICE: &str = "these files were changed by the user or another program";

/// Where the tools act: on this machine, or behind a prefix that leads to it.
const PLACES: [(&str, &[&str]); 2] = [("here", &[]), ("behind a prefix", &["--wrap", "env"])];

/// The numbers of times that the model was told of these files, by the journal.
fn named(journal: &Path, files: &[&Path]) -> Vec<usize> {
    let journal = std::fs::read_to_string(journal).unwrap();
    let told: Vec<Value> = journal
        .lines()
        .filter(|line| line.contains("item.completed") && line.contains(NOTICE))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |file: &&Path| {
        let file = file.to_str().unwrap();
        let texts = told.iter().map(|line| line["event"]["item"]["text"].as_str().unwrap());
        texts.filter(|text| text.contains(file)).count()
    };
    files.iter().map(count).collect()
}

/// A change of the files `a.txt`, `b.txt` and `c.txt`.
type Change = fn(&Path);

#[test]
fn what_changed_between_two_turns_is_named_once() {
    let write = |path: &Path, text: &str| std::fs::write(path, text).unwrap();
    let rows: [(&str, Change, [usize; 3]); 6] = [
        ("another content", |at| std::fs::write(at.join("a.txt"), "two\n").unwrap(), [1, 0, 0]),
        ("the same content", |at| std::fs::write(at.join("a.txt"), "one\n").unwrap(), [0, 0, 0]),
        ("removed", |at| std::fs::remove_file(at.join("b.txt")).unwrap(), [0, 1, 0]),
        (
            "a folder in its place",
            |at| {
                std::fs::remove_file(at.join("b.txt")).unwrap();
                std::fs::create_dir(at.join("b.txt")).unwrap();
            },
            [0, 1, 0],
        ),
        ("not read", |at| std::fs::write(at.join("c.txt"), "two\n").unwrap(), [0, 0, 0]),
        ("nothing", |_| {}, [0, 0, 0]),
    ];
    for (place_name, prefix) in PLACES {
        for (name, change, want) in rows {
            let name = format!("{name}, {place_name}");
            let place = Place::new(&[]);
            let files = ["a.txt", "b.txt", "c.txt"].map(|file| place.project().join(file));
            for file in &files {
                write(file, "one\n");
            }
            let read = |file: &str| tool("read", json!({ "path": file }));
            // The command changes a file that the model knows; that is no news to it.
            let command = tool("bash", json!({"command": "echo x >> d.txt"}));
            write(&place.project().join("d.txt"), "d\n");
            let replies = [read("a.txt"), read("b.txt"), read("d.txt"), command, text("one")];
            let replies = [&replies[..], &[text("two"), text("three")]].concat();
            let script = place.script(&json!({ "replies": replies }));
            let args = [
                &["serve", "--script", &script, "--sandbox", "off", "--permission", "full"],
                prefix,
            ]
            .concat();
            let mut program = Program::start(place.engine(&args), Framing::Lines);
            program.initialize();
            program.ask("session/create", json!({}));
            for turn in 0..3 {
                if turn == 1 {
                    change(&place.project());
                }
                let input = json!([{"type": "text", "text": "go"}]);
                program.ask("turn/start", json!({ "input": input }));
                program.until(|message| message["params"]["event"]["type"] == "turn.completed");
            }
            let own = place.project().join("d.txt");
            let [a, b, c] = &files;
            let got = named(&place.journal(), &[a, b, c, &own]);
            assert_eq!(got, [&want[..], &[0]].concat(), "{name}");
        }
    }
}

#[test]
fn what_changed_between_two_processes_is_named_once() {
    for (place_name, prefix) in PLACES {
        let place = Place::new(&[]);
        let file = place.project().join("a.txt");
        std::fs::write(&file, "one\n").unwrap();
        let run = |replies: Value, args: &[&str]| {
            let script = place.script(&json!({ "replies": replies }));
            let args = [
                &["run", "--format", "json", "--permission", "full", "--script", &script],
                prefix,
                args,
            ]
            .concat();
            let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
            let (code, _, said) = ended(&out);
            assert_eq!(code, 0, "{place_name}: {said}");
        };
        let again = ["again", "--session", "last"];
        run(json!([tool("read", json!({"path": "a.txt"})), text("one")]), &["first"]);
        run(json!([text("two")]), &again);
        assert_eq!(named(&place.journal(), &[&file]), [0], "{place_name}: nothing changed");
        std::fs::write(&file, "two\n").unwrap();
        for reply in ["three", "four"] {
            run(json!([text(reply)]), &again);
            assert_eq!(named(&place.journal(), &[&file]), [1], "{place_name}: {reply}");
        }
        // What the model knows may be replaced, and nothing else.
        let replaced = tool("write", json!({"path": "a.txt", "content": "three\n"}));
        run(json!([replaced.clone(), text("five")]), &again);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two\n", "{place_name}");
        run(json!([tool("read", json!({"path": "a.txt"})), text("six")]), &again);
        run(json!([replaced, text("seven")]), &again);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "three\n", "{place_name}");
    }
}
