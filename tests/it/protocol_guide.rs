//! The exchanges of `protocol/README.md`, replayed as one conversation with the real program.
//!
//! A line `→` is sent, a line `←` has to come, after the one before it; others may come between. `…` stands for anything,
//! and `<name>` for a value that is the same wherever the name stands.

use crate::support::program::{Framing, Place, Program};
use serde_json::Value;
use std::collections::BTreeMap;

const GUIDE: &str = include_str!("../../protocol/README.md");
const SCRIPT: &str = include_str!("../../protocol/examples/guide.json");

/// The mark of what is left out, as a value and as a member.
const LEFT_OUT: &str = "…";

/// The exchanges' lines, in order.
fn lines() -> Vec<&'static str> {
    let blocks = GUIDE.split("```exchange\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap().lines()).collect()
}

/// A line of the guide as JSON, with strings for what is left out.
fn parse(line: &str) -> Value {
    let line =
        line.replace(", …}", ",\"…\":0}").replace("{…}", "{\"…\":0}").replace(": …", ":\"…\"");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// The name in `<name>`.
fn name(text: &str) -> Option<&str> {
    text.strip_prefix('<')?.strip_suffix('>')
}

/// Puts the values of names in their places, and the folder in the place of `/project`.
fn filled(value: &mut Value, names: &BTreeMap<String, Value>, project: &str) {
    match value {
        Value::String(text) => match name(text) {
            Some(name) => *value = names.get(name).unwrap_or_else(|| panic!("<{name}>")).clone(),
            None => *text = text.replace("/project", project),
        },
        Value::Array(items) => items.iter_mut().for_each(|item| filled(item, names, project)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| filled(member, names, project));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Compares what came with what the guide shows, and takes the values of new names.
fn fits(got: &Value, want: &Value, names: &mut BTreeMap<String, Value>, project: &str) -> bool {
    match (got, want) {
        (_, Value::String(text)) if text == LEFT_OUT => true,
        (got, Value::String(text)) if name(text).is_some() => {
            names.entry(name(text).unwrap().to_owned()).or_insert_with(|| got.clone()) == got
        }
        (Value::String(got), Value::String(want)) => *got == want.replace("/project", project),
        (Value::Array(got), Value::Array(want)) => {
            got.len() == want.len()
                && got.iter().zip(want).all(|(got, want)| fits(got, want, names, project))
        }
        (Value::Object(got), Value::Object(want)) => {
            let is_whole = !want.contains_key(LEFT_OUT);
            let count = got.keys().filter(|key| *key != "jsonrpc").count();
            (!is_whole || count == want.len())
                && want.iter().filter(|(key, _)| *key != LEFT_OUT).all(|(key, want)| {
                    got.get(key).is_some_and(|got| fits(got, want, names, project))
                })
        }
        (got, want) => got == want,
    }
}

#[test]
fn the_exchanges_of_the_guide_are_those_of_the_program() {
    let place = Place::new(&[("note.txt", "helo world\n")]);
    let script = place.script(&serde_json::from_str(SCRIPT).unwrap());
    let project = place.project().to_str().unwrap().to_owned();
    let mut names = BTreeMap::new();
    let mut program: Option<Program> = None;
    let mut lines = lines().into_iter().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("$ pintle serve") {
            if let Some(mut before) = program.take() {
                before.end_input();
                before.wait();
            }
            let command = place.command(&["serve", "--script", &script]);
            program = Some(Program::start(command, Framing::Lines));
            continue;
        }
        let program = program.as_mut().unwrap();
        if let Some(sent) = line.strip_prefix("→ ") {
            let mut message = parse(sent);
            filled(&mut message, &names, &project);
            // What is refused may be wrong by the schema too.
            match lines.peek() {
                Some(answer) if answer.contains("\"error\":{") => {
                    program.send_bytes(message.to_string().as_bytes());
                }
                _ => program.send(&message),
            }
            continue;
        }
        let want = parse(line.strip_prefix("← ").unwrap_or_else(|| panic!("{line}")));
        loop {
            let got = program.next();
            let mut known = names.clone();
            if fits(&got, &want, &mut known, &project) {
                names = known;
                break;
            }
            let is_answer = |message: &Value| message.get("method").is_none();
            assert!(
                !(is_answer(&want) && is_answer(&got) && got["id"] == want["id"]),
                "the guide says: {line}\nthe program: {got}"
            );
        }
    }
    assert_eq!(place.read("note.txt"), "hello world\n", "the rest is in the editor");
}

#[test]
fn the_guide_is_in_the_order_of_a_clients_work() {
    let headings: Vec<&str> = GUIDE.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let want = [
        "Connect",
        "Create a session",
        "Start a turn",
        "Stream",
        "Answer permission requests",
        "Steer, queue, stop",
        "Jobs and sub-agents",
        "Review changes",
        "Share unsaved text",
        "Rewind",
        "Reconnect",
        "Filter events",
        "Errors",
        "Conventions",
        "Versions",
        "Shut down",
        "Build a client",
        "More features",
    ];
    assert_eq!(headings, want);
}
