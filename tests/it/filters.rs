//! Subscriptions that leave out events or hold deltas back: what is sent keeps its numbers, and what is asked is asked.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One turn with text of ten words, which do not come at once, a command that asks for permission, and an end.
fn start(place: &Place, capabilities: &Value) -> Program {
    let script = place.script(&json!({"replies": [
        {"blocks": [
            {"text": "one two three four five six seven eight nine ten"},
            {"tool": "bash", "arguments": {"command": "touch made.txt"}},
        ]},
        {"blocks": [{"text": "the end"}]},
    ], "delayMs": 3}));
    let command = place.engine(&["serve", "--permission", "ask", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    let protocol = json!({"name": "pintle", "versions": ["2.0"]});
    let ready =
        program.ask("initialize", json!({"protocol": protocol, "capabilities": capabilities}));
    assert!(ready.get("protocol").is_some(), "{ready}");
    program
}

/// Makes a session with this filter, runs the turn, allows its command, and returns the events that were sent.
fn run(capabilities: Value, filter: Value) -> Vec<Value> {
    let place = Place::new(&[]);
    let mut capabilities = capabilities;
    capabilities["approvals"] = json!({});
    let mut program = start(&place, &capabilities);
    let made = program.ask("session/create", filter);
    let session = made["sessionId"].as_str().unwrap().to_owned();
    program.prompt("go");
    let request = program.until(|message| message["method"] == "approval/request");
    program.send(&json!({"id": request["id"], "result": {"optionId": "allow"}}));
    // Whatever is sent of it, the turn ends, and the journal has every event.
    let mut all: Vec<Value> = Vec::new();
    while all.last().is_none_or(|event| event["event"]["type"] != "turn.completed") {
        let mut page = program.ask("session/events", json!({"sessionId": session, "limit": 500}));
        all = serde_json::from_value(page["events"].take()).unwrap();
    }
    program.end_input();
    program.rest().into_iter().for_each(|message| program.seen.push(message));
    let sent: Vec<Value> = program
        .seen
        .iter()
        .filter(|message| message["method"] == "session/event")
        .map(|message| message["params"].clone())
        .collect();
    // What is sent is what is stored, with the same number.
    for event in sent.iter().filter(|event| event.get("seq").is_some()) {
        let seq = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
        if let Some(stored) = all.get(seq - 1) {
            assert_eq!(event, stored);
        }
    }
    let numbers: Vec<u64> = sent.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    sent
}

fn types(events: &[Value]) -> BTreeSet<&str> {
    events.iter().map(|event| event["event"]["type"].as_str().unwrap()).collect()
}

fn deltas<'a>(events: &'a [Value], field: &str) -> Vec<&'a Value> {
    let events = events.iter().map(|event| &event["event"]);
    events.filter(|event| event["type"] == "item.delta" && event["field"] == field).collect()
}

#[test]
fn only_wanted_events_are_sent_and_questions_are_asked_in_any_case() {
    let all = run(json!({}), json!({}));
    let every = types(&all);
    let want = |wanted: &dyn Fn(&str) -> bool| -> BTreeSet<&str> {
        every.iter().copied().filter(|kind| wanted(kind)).collect()
    };
    for (filter, wanted) in [
        (json!({"include": ["turn.*"]}), want(&|kind| kind.starts_with("turn."))),
        (
            json!({"include": ["turn.completed", "session.state"]}),
            BTreeSet::from(["session.state", "turn.completed"]),
        ),
        (json!({"exclude": ["item.delta"]}), want(&|kind| kind != "item.delta")),
        (
            json!({"include": ["item.*"], "exclude": ["item.delta", "item.started"]}),
            want(&|kind| {
                kind.starts_with("item.") && kind != "item.delta" && kind != "item.started"
            }),
        ),
    ] {
        assert_eq!(types(&run(json!({}), filter.clone())), wanted, "{filter}");
    }
    // Each type by its own name: the names of the filter are those of the events.
    for kind in &every {
        assert_eq!(types(&run(json!({}), json!({"include": [kind]}))), BTreeSet::from([*kind]));
    }
}

#[test]
fn deltas_are_left_out_or_merged_as_the_client_can_take_them() {
    let one_by_one = run(json!({}), json!({}));
    assert!(!deltas(&one_by_one, "text").is_empty());
    let none = run(json!({"deltas": {"types": []}}), json!({}));
    assert!(!types(&none).contains("item.delta"));
    let text = run(json!({"deltas": {"types": ["text"]}}), json!({}));
    assert!(!deltas(&text, "text").is_empty());
    for field in ["args", "input", "output"] {
        assert!(!deltas(&one_by_one, field).is_empty() || field == "output");
        assert_eq!(deltas(&text, field).len(), 0, "{field}");
    }
    // Held back for longer than anything takes here: the event that completes an item sends what was held back, in one piece. Events
    // that are left out send nothing.
    for (capabilities, filter) in [
        (json!({}), json!({"include": ["item.*"], "maxLatencyMs": 10_000})),
        (json!({"deltas": {"coalesceMs": 10_000}}), json!({"include": ["item.*"]})),
        (
            json!({"deltas": {"coalesceMs": 1}}),
            json!({"include": ["item.*"], "maxLatencyMs": 10_000}),
        ),
    ] {
        let held = run(capabilities, filter);
        let pieces = deltas(&held, "text");
        let words: Vec<&str> = pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect();
        assert_eq!(words, ["one two three four five six seven eight nine ten", "the end"]);
        assert_eq!((&pieces[0]["n"], &pieces[0]["to"]), (&json!(0), &json!(9)));
    }
}

#[test]
fn a_filter_holds_for_what_is_read_again_and_can_be_changed() {
    let place = Place::new(&[]);
    let mut program = start(&place, &json!({}));
    let made = program.ask("session/create", json!({"include": ["turn.completed"]}));
    let session = made["sessionId"].clone();
    program.prompt("go");
    program.until_event("turn.completed");
    assert_eq!(types(&sent(&program)), BTreeSet::from(["turn.completed"]));
    program.seen.clear();
    // Another filter in place of the first, from the beginning.
    let opened = program.ask(
        "session/subscribe",
        json!({"sessionId": session, "fromSeq": 0, "include": ["session.created", "turn.started"]}),
    );
    assert_eq!(opened["gap"], Value::Null);
    program.until_event("turn.started");
    assert_eq!(types(&sent(&program)), BTreeSet::from(["session.created", "turn.started"]));
    program.seen.clear();
    let fork = program.ask(
        "session/fork",
        json!({"sessionId": session, "include": ["session.*", "session.notice"]}),
    );
    assert!(fork["sessionId"].is_string(), "{fork}");
    program.ask("session/close", json!({"sessionId": fork["sessionId"]}));
    assert_eq!(types(&sent(&program)), BTreeSet::from(["session.closed", "session.created"]));
}

fn sent(program: &Program) -> Vec<Value> {
    let events = program.seen.iter().filter(|message| message["method"] == "session/event");
    events.map(|message| message["params"].clone()).collect()
}

#[test]
fn filters_that_make_no_sense_are_refused_before_anything_happens() {
    let place = Place::new(&[]);
    let mut program = start(&place, &json!({"deltas": {"types": []}}));
    let made = program.ask("session/create", json!({"subscribe": false}));
    let session = made["sessionId"].clone();
    for (method, filter, path, words) in [
        (
            "session/create",
            json!({"include": ["turn.start"]}),
            "/include/0",
            "did you mean `turn.started`",
        ),
        (
            "session/create",
            json!({"subscribe": false, "exclude": ["session.state"]}),
            "/subscribe",
            "cannot be combined with `subscribe: false`",
        ),
        ("session/open", json!({"exclude": ["*"]}), "/exclude", "excludes all events"),
        ("session/fork", json!({"include": ["item.delta"]}), "/include", "has no types"),
        ("session/subscribe", json!({"maxLatencyMs": 5}), "/maxLatencyMs", "excludes them"),
        ("session/subscribe", json!({"maxLatencyMs": 60_000}), "/maxLatencyMs", "excludes them"),
    ] {
        let mut params = filter.clone();
        if method != "session/create" {
            params["sessionId"] = session.clone();
        }
        let refused = program.ask(method, params);
        assert_eq!(refused["data"]["path"], path, "{method} {filter}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(words), "{refused}");
    }
    let listed = program.ask("session/list", json!({}));
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed}");
    let mut other = Program::start(place.engine(&["serve"]), Framing::Lines);
    let protocol = json!({"name": "pintle", "versions": ["2.0"]});
    let refused = other.ask(
        "initialize",
        json!({"protocol": protocol, "capabilities": {"deltas": {"coalesceMs": 10_001}}}),
    );
    assert_eq!(refused["data"]["path"], "/capabilities/deltas/coalesceMs", "{refused}");
}
