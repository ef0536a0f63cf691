//! What models say that nobody asked for: ids and names of calls that are missing, empty, repeated, too long or strange, and floods,
//! through the whole program. The history that goes back is legal on every wire, also after the session was opened again.

use crate::providers::serve;
use crate::support::program::Place;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A call as a model makes it: its id, or none, and the tool's name. Each reads `a.txt`.
type Call = (Option<String>, &'static str);

const ARGUMENTS: &str = "{\"path\":\"a.txt\"}";

fn chat(calls: &[Call]) -> String {
    let deltas = calls.iter().enumerate().map(|(index, (id, name))| {
        let mut call = json!({"index": index, "type": "function", "function": {"name": name, "arguments": ARGUMENTS}});
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        json!({"tool_calls": [call]})
    });
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let said = calls.is_empty().then(|| json!({"content": "done"}));
    let choice = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]});
    let chunks = deltas.chain(said).map(choice).chain([end]);
    chunks.map(|chunk| format!("data: {chunk}\n\n")).collect::<String>() + "data: [DONE]\n\n"
}

fn messages(calls: &[Call]) -> String {
    let mut events = vec![
        json!({"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    ];
    let mut block = |index: usize, start: Value, delta: Value| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    };
    for (index, (id, name)) in calls.iter().enumerate() {
        let mut start = json!({"type": "tool_use", "name": name, "input": {}});
        if let Some(id) = id {
            start["id"] = json!(id);
        }
        block(index, start, json!({"type": "input_json_delta", "partial_json": ARGUMENTS}));
    }
    if calls.is_empty() {
        let start = json!({"type": "text", "text": ""});
        block(0, start, json!({"type": "text_delta", "text": "done"}));
    }
    let stop = if calls.is_empty() { "end_turn" } else { "tool_use" };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    let line =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(line).collect()
}

fn responses(calls: &[Call]) -> String {
    let mut events = Vec::new();
    let mut item = |index: usize, item: Value| {
        events.push(
            json!({"type": "response.output_item.added", "output_index": index, "item": item}),
        );
        events.push(
            json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        );
    };
    for (index, (id, name)) in calls.iter().enumerate() {
        let mut call = json!({"type": "function_call", "name": name, "arguments": ARGUMENTS});
        if let Some(id) = id {
            call["call_id"] = json!(id);
        }
        item(index, call);
    }
    if calls.is_empty() {
        item(0, json!({"type": "message", "content": [{"type": "output_text", "text": "done"}]}));
    }
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    events.push(json!({"type": "response.completed", "response": {"usage": usage}}));
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// What one reply called, by id and name, and the ids of the results.
type Made = (Vec<(String, String)>, Vec<String>);

/// The calls and results of a request, reply by reply.
fn said(request: &Value) -> Vec<Made> {
    let text = |value: &Value| value.as_str().unwrap_or("(none)").to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut parts = Vec::new();
    for message in list(&request["messages"]).into_iter().chain(list(&request["input"])) {
        parts.extend(list(&message["tool_calls"]));
        parts.extend(list(&message["content"]));
        parts.push(message);
    }
    let mut replies: Vec<Made> = Vec::new();
    for part in parts {
        let call = match part["type"].as_str() {
            Some("function") => Some((&part["id"], &part["function"]["name"])),
            Some("tool_use") => Some((&part["id"], &part["name"])),
            Some("function_call") => Some((&part["call_id"], &part["name"])),
            _ => None,
        };
        let output = &part["call_id"];
        let is_output = part["type"] == "function_call_output";
        let results = [&part["tool_use_id"], &part["tool_call_id"]];
        let results = results.into_iter().chain(is_output.then_some(output));
        if let Some((id, name)) = call {
            if replies.last().is_none_or(|(_, results)| !results.is_empty()) {
                replies.push(Made::default());
            }
            replies.last_mut().unwrap().0.push((text(id), text(name)));
        }
        let results = results.filter(|id| id.is_string()).map(text);
        match replies.last_mut() {
            Some((_, own)) => own.extend(results),
            None => assert_eq!(results.count(), 0, "a result without a call in {request}"),
        }
    }
    replies
}

fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&text.len()) && text.chars().all(plain)
}

#[test]
fn whatever_models_call_things_by_what_is_sent_back_is_legal() {
    type Wire = (&'static str, fn(&[Call]) -> String);
    let wires: [Wire; 3] = [("chat", chat), ("messages", messages), ("responses", responses)];
    let id = |id: &str| Some(id.to_owned());
    let long = |end: &str| Some("x".repeat(300) + end);
    let rows: [(&str, Vec<Call>); 7] = [
        ("empty ids", vec![(id(""), "read"), (id(""), "read")]),
        ("no ids", vec![(None, "read"), (None, "read")]),
        ("the same id twice", vec![(id("a"), "read"), (id("a"), "read")]),
        ("ids that differ behind any limit", vec![(long("1"), "read"), (long("2"), "read")]),
        ("odd signs", vec![(id("functions.read:0"), "read"), (id("✓\n\"<"), "read")]),
        (
            "empty and strange names",
            vec![(id("a"), ""), (id("b"), "no such/tool ✓"), (id("c"), "read")],
        ),
        (
            "a name of 200 signs",
            vec![(
                id("a"),
                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
            )],
        ),
    ];
    for (api, write) in wires {
        for (name, calls) in &rows {
            let row = format!("{name}, {api}");
            // The model repeats itself, and the session is opened again.
            let bodies = [write(calls), write(calls), write(&[]), write(&[])];
            let (url, served) = serve(bodies.into_iter().map(|body| (200, body)).collect());
            let place = Place::new(&[("a.txt", "one\n")]);
            let run = |args: &[&str]| {
                let shown = ["run", "--format", "json", "--permission", "full", "--profile", "pi"];
                let model = ["--model", "own/m", "--api", api, "--base-url", &url];
                let mut command = place.command(&[&shown[..], &model, args].concat());
                let out = command.stdin(std::process::Stdio::null()).output().unwrap();
                let result: Value = serde_json::from_slice(&out.stdout)
                    .unwrap_or_else(|_| panic!("{row}: {}", String::from_utf8_lossy(&out.stderr)));
                assert_eq!(result["status"], "success", "{row}: {result}");
                result["sessionId"].as_str().unwrap().to_owned()
            };
            let session = run(&["look"]);
            run(&["and now", "--session", &session]);

            let requests = served.join().unwrap();
            let histories: Vec<_> = requests.iter().map(|request| said(&request.json())).collect();
            assert_eq!(histories[2].len(), 2, "{row}");
            assert_eq!(histories[3], histories[2], "{row}: opened again");
            assert_eq!(histories[1], histories[2][..1], "{row}: what was sent stays");
            let mut seen = BTreeSet::new();
            for (made, results) in &histories[2] {
                assert_eq!(made.len(), calls.len(), "{row}");
                let ids: Vec<&String> = made.iter().map(|(id, _)| id).collect();
                assert_eq!(ids, results.iter().collect::<Vec<_>>(), "{row}: each has its result");
                for (id, name) in made {
                    assert!(is_plain(id) && is_plain(name), "{row}: {id:?} {name:?}");
                    assert!(seen.insert(id.clone()), "{row}: {id} stands for two calls");
                }
            }
        }
    }
}

#[test]
fn a_reply_of_five_megabytes_in_small_pieces_arrives_whole() {
    let piece = "It goes on and on, “quoted” and \\escaped\\ 🙂 …\n";
    let pieces = 5 * 1024 * 1024 / piece.len();
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let body = format!("data: {chunk}\n\n").repeat(pieces) + &format!("data: {end}\n\n");
    let (url, served) = serve(vec![(200, body + "data: [DONE]\n\n")]);
    let place = Place::new(&[]);
    let shown = ["run", "--format", "json", "--model", "own/m", "--api", "chat"];
    let mut command = place.command(&[&shown[..], &["--base-url", &url, "talk"]].concat());
    let out = command.stdin(std::process::Stdio::null()).output().unwrap();
    served.join().unwrap();
    let result: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(result["text"] == piece.repeat(pieces), "{} bytes", out.stdout.len());
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    assert_eq!(journal.matches("\"agentMessage\"").count(), 2, "it began and it ended");
}
