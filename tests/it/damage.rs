//! A journal of which any one line is damaged: the session opens, says so, and the model is asked with a history that is legal.

use crate::support::program::Place;
use serde_json::{Value, json};
use std::fs;

#[test]
fn whichever_line_is_damaged_the_session_goes_on() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let replies = json!({"replies": [
        {"blocks": [
            {"text": "I look."},
            {"tool": "read", "arguments": {"path": "a.txt"}},
            {"tool": "read", "arguments": {"path": "gone.txt"}},
        ]},
        {"blocks": [{"tool": "write", "arguments": {"path": "b.txt", "content": "two\n"}}]},
        {"blocks": [{"text": "Done."}]},
    ]});
    let run = |script: &Value, args: &[&str]| {
        let script = place.script(script);
        let shown = ["run", "--format", "json", "--permission", "full", "--script", &script];
        let mut command = place.command(&[&shown[..], args].concat());
        let out = command.stdin(std::process::Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        let result: Value =
            serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{told}"));
        (result, told)
    };
    let (first, _) = run(&replies, &["look"]);
    let session = first["sessionId"].as_str().unwrap().to_owned();
    let whole = fs::read_to_string(place.journal()).unwrap();
    let count = whole.lines().count();
    assert!(count > 15, "{whole}");
    let again = json!({"replies": [{"blocks": [{"text": "Here again."}]}]});
    // The first line is the journal's own; without it there is none.
    for damaged in 1..count {
        let lines = whole.lines().enumerate().map(|(at, line)| {
            let end = if at == damaged { line.len() / 2 } else { line.len() };
            format!("{}\n", line.get(..end).unwrap_or_default())
        });
        fs::write(place.journal(), lines.collect::<String>()).unwrap();
        let (result, told) = run(&again, &["go on", "--session", &session]);
        let line = whole.lines().nth(damaged).unwrap();
        assert_eq!(result["text"], "Here again.", "without {line}: {result} {told}");
        let journal = fs::read_to_string(place.journal()).unwrap();
        let says = format!("line {} of", damaged + 1);
        assert!(journal.contains("journalDamaged") && journal.contains(&says), "without {line}");
    }
}
