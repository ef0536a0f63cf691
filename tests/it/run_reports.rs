//! The reports of `pintle run`: findings of the model, checked, merged, and written in four formats. `tests/clients/ci` has programs that nobody
//! here wrote read them.

use crate::support::program::Place;
use crate::tasks::{Task, ended, text, tool};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Stdio;

fn finding(path: &str, line: u64, rest: Value) -> Value {
    let mut finding = json!({"path": path, "line": line, "severity": "warning", "rule": "unused", "message": "nobody reads it"});
    for (key, value) in rest.as_object().unwrap() {
        finding[key] = value.clone();
    }
    finding
}

fn report(finding: Value) -> Value {
    tool("report_finding", finding)
}

#[test]
fn findings_are_checked_and_merged_and_stand_in_the_result() {
    let outside = tempfile::tempdir().unwrap();
    let task = Task::new(json!([
        report(finding("notes.txt", 2, json!({"endLine": 3, "fix": "zwei\ndrei"}))),
        report(finding("./notes.txt", 2, json!({"endLine": 3, "severity": "error"}))),
        report(
            json!({"path": "notes.txt", "severity": "note", "rule": "style", "message": "no newline at the end"})
        ),
        report(finding("notes.txt", 4, json!({}))),
        report(finding("nowhere.txt", 1, json!({}))),
        report(finding("../home/trust.toml", 1, json!({}))),
        report(finding("link.txt", 1, json!({}))),
        report(finding(".", 1, json!({}))),
        report(finding("notes.txt", 3, json!({"endLine": 2}))),
        report(finding("notes.txt", 1, json!({"severity": "fatal"}))),
        report(json!({"path": "notes.txt", "severity": "note", "rule": "a\nb", "message": "x"})),
        text("done"),
    ]));
    std::fs::write(outside.path().join("target.txt"), "x\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("target.txt"), task.place.path("link.txt"))
        .unwrap();
    let markdown = task.place.path("report.md");
    let (code, result, said) = task.run(&[
        "go",
        "--fail-on-denied=false",
        "--report",
        &format!("markdown={}", markdown.display()),
    ]);
    assert_eq!(code, 0, "{result} {said}");
    assert_eq!(
        result["findings"],
        json!([
            {"path": "notes.txt", "line": 2, "endLine": 3, "severity": "error", "rule": "unused", "message": "nobody reads it", "fix": "zwei\ndrei"},
            {"path": "notes.txt", "severity": "note", "rule": "style", "message": "no newline at the end"},
        ])
    );
    let text = std::fs::read_to_string(markdown).unwrap();
    assert!(text.contains("1 error, 0 warnings, 1 note."), "{text}");
    assert!(text.contains("```suggestion\nzwei\ndrei\n```"), "{text}");
}

#[test]
fn the_tool_is_there_only_where_a_report_is_wanted() {
    for (args, is_there) in [
        (&[][..], false),
        (&["--report", "github"], true),
        (&["--report", "github", "--untrusted"], true),
    ] {
        let task = Task::new(json!([text("done")]));
        let (_, result, _) = task.run(&[&["go"], args].concat());
        let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
        assert_eq!(journal.contains("\"report_finding\""), is_there, "{args:?}");
    }
}

#[test]
fn a_report_that_makes_no_sense_or_cannot_be_written_is_an_error() {
    let task = Task::new(json!([text("done")]));
    for (wanted, code) in [
        ("html=a", 2),
        ("sarif", 2),
        ("github=a", 2),
        ("sarif=notes.txt/a.sarif", 2),
        ("junit=.", 2),
    ] {
        let (got, result, said) = task.run(&["go", "--report", wanted]);
        assert_eq!(got, code, "{wanted}: {result} {said}");
    }
}

#[test]
fn reports_are_written_at_every_end() {
    let place = Place::new(&[("a.txt", "a\n")]);
    let fails = json!({"error": {"kind": "auth", "message": "who are you? <&\u{1b}>"}});
    let script = place.script(&json!({"replies": [report(finding("a.txt", 1, json!({}))), fails]}));
    let args = [
        "run",
        "go",
        "--quiet",
        "--format",
        "json",
        "--script",
        &script,
        "--report",
        "sarif=a.sarif",
        "--report",
        "junit=a.xml",
    ];
    let (code, result, _) = ended(&place.command(&args).stdin(Stdio::null()).output().unwrap());
    assert_eq!((code, result["findings"].as_array().map(Vec::len)), (3, Some(1)), "{result}");
    let sarif: Value = serde_json::from_str(&place.read("a.sarif")).unwrap();
    assert_eq!(
        sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"],
        1
    );
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert!(
        place.read("a.xml").contains("<error message=\"who are you? &lt;&amp;\u{fffd}&gt;\""),
        "{}",
        place.read("a.xml")
    );
}

/// An annotation, as a runner reads it.
#[derive(Debug, PartialEq, Eq)]
struct Annotation {
    level: String,
    properties: BTreeMap<String, String>,
    message: String,
}

/// Reads a line as the runner of GitHub Actions does: `::name key=value,key=value::message`, each part unescaped by itself. Written from the
/// runner's documentation, apart from the code that escapes.
fn annotation(line: &str) -> Option<Annotation> {
    let unescape = |text: &str, codes: &[(&str, &str)]| {
        let mut text = text.to_owned();
        for (code, char) in codes {
            text = text.replace(code, char);
        }
        text.replace("%25", "%")
    };
    let of_data = [("%0D", "\r"), ("%0A", "\n")];
    let of_property = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")];
    let rest = line.strip_prefix("::")?;
    let (head, message) = rest.split_once("::")?;
    let (level, properties) = head.split_once(' ').unwrap_or((head, ""));
    let pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
    let properties = pairs.map(|(key, value)| (key.to_owned(), unescape(value, &of_property)));
    Some(Annotation {
        level: level.to_owned(),
        properties: properties.collect(),
        message: unescape(message, &of_data),
    })
}

#[test]
fn annotations_are_escaped_and_capped_and_nothing_else_is_a_command() {
    let place = Place::new(&[("a,b:c%.txt", "1\n2\n3\n")]);
    let message = "50%25 off,\r\n::error::not this one: 100 %0A";
    let mut replies = vec![report(finding(
        "a,b:c%.txt",
        1,
        json!({"endLine": 2, "severity": "error", "rule": "x:y,z%", "message": message}),
    ))];
    replies.extend(
        (0..12).map(|at| report(finding("a,b:c%.txt", 3, json!({"message": format!("w{at}")})))),
    );
    // The titles of calls are the model's words.
    replies.push(tool("bash", json!({"command": "true\n::error::injected"})));
    replies.push(text("done\n::error::in the answer"));
    let script = place.script(&json!({ "replies": replies }));
    let summary = place.path("summary.md");
    std::fs::write(&summary, "before\n").unwrap();
    let args = [
        "run",
        "go",
        "--format",
        "json",
        "--script",
        &script,
        "--report",
        "github",
        "--fail-on-denied=false",
    ];
    let out = place
        .command(&args)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (_, result, said) = ended(&out);
    assert_eq!(result["findings"].as_array().map(Vec::len), Some(13), "{result}");
    let annotations: Vec<Annotation> = said.lines().filter_map(annotation).collect();
    assert_eq!(annotations.len(), 11, "{said}");
    let wanted = [("file", "a,b:c%.txt"), ("line", "1"), ("endLine", "2"), ("title", "x:y,z%")];
    let properties = wanted.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    // A carriage return would move a terminal's cursor and ends no line of the message: it is kept, escaped.
    let first = Annotation { level: "error".to_owned(), properties, message: message.to_owned() };
    assert_eq!(annotations.first(), Some(&first), "{said}");
    assert!(annotations[1..].iter().all(|one| one.level == "warning"), "{said}");
    assert!(said.contains("2 more findings are not annotated"), "{said}");
    let text = std::fs::read_to_string(summary).unwrap();
    assert!(text.starts_with("before\n## pintle"), "{text}");
    // Without the variable there is no summary, and no error.
    let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
    assert_eq!(out.status.code(), Some(0));
}
