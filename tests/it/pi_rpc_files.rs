//! Pi's RPC through the program: what session files say beside what was said — prompts, failures — and what copies keep.

use crate::support::pi::{Pi, engine, roles, words};
use crate::support::program::Place;
use serde_json::{Value, json};

fn entries(pi: &mut Pi) -> Vec<Value> {
    pi.data(json!({"type": "get_entries"}))["entries"].as_array().unwrap().clone()
}

fn ids(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["id"].as_str().unwrap()).collect()
}

fn of_role<'a>(entries: &'a [Value], role: &str) -> Vec<&'a Value> {
    let messages = entries.iter().map(|entry| &entry["message"]);
    messages.filter(|message| message["role"] == role).collect()
}

#[test]
fn the_prompt_is_the_first_message_and_what_changes_in_it_another() {
    let place = Place::new(&[("AGENTS.md", "Be kind.\n")]);
    let args = ["--system-prompt", "Be brief.", "--append-system-prompt", "Be exact."];
    let mut pi = Pi::on_script(&place, &words(&["one", "two", "three"]), &args);
    pi.prompt("first");
    let told: Vec<&Value> = pi
        .seen
        .iter()
        .filter(|line| line["message"]["role"] == "system" || line["message"]["role"] == "user")
        .collect();
    let kinds: Vec<(&str, &str)> = told
        .iter()
        .map(|line| (line["type"].as_str().unwrap(), line["message"]["role"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("message_start", "system"),
            ("message_end", "system"),
            ("message_start", "user"),
            ("message_end", "user")
        ]
    );
    let prompt = told[0]["message"].clone();
    assert_eq!((&prompt["content"], prompt["timestamp"].is_u64()), (&json!(""), true));
    let sections = prompt["sections"].as_object().unwrap();
    for (name, part) in [
        ("preamble", "Be brief."),
        ("environment", "working directory"),
        ("documents", "Be kind."),
        ("user_instructions", "Be exact."),
    ] {
        assert!(sections[name].as_str().unwrap().contains(part), "{name}: {sections:?}");
    }
    let tools = prompt["toolsAdded"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "bash"
        && tool["description"].is_string()
        && tool["parameters"]["type"] == "object"));
    // It is what was sent.
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    let made = journal.lines().find(|line| line.contains("prompt.made")).unwrap();
    let made: Value = serde_json::from_str(made).unwrap();
    let sent = made["private"]["system"].as_str().unwrap();
    let whole: Vec<&str> = sections.values().map(|text| text.as_str().unwrap()).collect();
    assert_eq!(sent, format!("{}\n", whole.join("\n\n")));
    let all = entries(&mut pi);
    assert_eq!(of_role(&all, "system"), [&prompt]);
    assert_eq!(of_role(&all, "user").len(), 1);
    // Another model is told of itself, and of nothing else.
    pi.data(json!({"type": "set_model", "provider": "script", "modelId": "other"}));
    pi.seen.clear();
    pi.prompt("second");
    let all = entries(&mut pi);
    let changed = of_role(&all, "system")[1];
    let names: Vec<&String> = changed["sections"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["environment"]);
    assert!(changed.get("toolsAdded").is_none() && changed.get("toolsRemoved").is_none());
    assert!(pi.seen.iter().any(|line| line["message"] == *changed), "it was not told");
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(roles(&messages), ["system", "user", "assistant", "system", "user", "assistant"]);
}

#[test]
fn after_a_summing_up_the_prompt_comes_first() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &words(&["one", "two", "SUMMARY"]), &[]);
    pi.prompt(&"first ".repeat(20_000));
    pi.prompt("second");
    let before = of_role(&entries(&mut pi), "system")[0].clone();
    let compacted = pi.data(json!({"type": "compact"}));
    // Only the summary: clients of Pi, and Pi itself, put their own words before it.
    let summary = compacted["summary"].as_str().unwrap();
    assert!(summary.starts_with("SUMMARY"), "{summary}");
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(roles(&messages)[..2], ["system", "compactionSummary"]);
    assert_eq!(roles(&messages).iter().filter(|role| **role == "system").count(), 1);
    assert_eq!(messages["messages"][1]["summary"], summary);
    for key in ["sections", "toolsAdded"] {
        assert_eq!(messages["messages"][0][key], before[key], "{key}");
    }
}

#[test]
fn the_legacy_dialect_knows_of_no_prompt() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &words(&["one"]), &["--pi-dialect", "legacy"]);
    pi.data(json!({"type": "prompt", "message": "first"}));
    let end = pi.until_type("agent_end");
    assert_eq!(roles(&end), ["user", "assistant"]);
    assert!(!pi.seen.iter().any(|line| line["message"]["role"] == "system"));
    assert_eq!(roles(&pi.data(json!({"type": "get_messages"}))), ["user", "assistant"]);
    assert_eq!(pi.data(json!({"type": "get_state"}))["messageCount"], 2);
    assert_eq!(pi.data(json!({"type": "get_session_stats"}))["totalMessages"], 2);
    let id = pi.data(json!({"type": "get_state"}))["sessionId"].as_str().unwrap().to_owned();
    pi.end_input();
    pi.wait();
    // The file is the same for both.
    let mut pi = Pi::on_script(&place, &words(&["two"]), &["--session-id", &id]);
    assert_eq!(roles(&pi.data(json!({"type": "get_messages"}))), ["system", "user", "assistant"]);
    assert_eq!(pi.data(json!({"type": "get_state"}))["sessionId"], id.as_str());
}

#[test]
fn a_reply_that_failed_is_in_the_file_as_it_was_told() {
    let error = json!({"kind": "overloaded", "message": "503 busy", "retryAfterMs": 1});
    let half = json!([{"text": "half"}, {"tool": "bash", "arguments": {"command": "true"}}]);
    let fails = |blocks: &Value| json!({"blocks": blocks, "error": error});
    // The replies, how often a failure is tried again, then each reply in the file: its blocks, its stop, its error.
    for (name, replies, retries, want) in [
        ("at once", vec![fails(&json!([]))], "0", vec![(0, "error", "503 busy")]),
        ("with content", vec![fails(&half)], "0", vec![(2, "error", "503 busy")]),
        (
            "and tried again",
            vec![fails(&json!([])), fails(&half), json!({"blocks": [{"text": "whole"}]})],
            "3",
            vec![(0, "error", "503 busy"), (2, "error", "503 busy"), (1, "stop", "")],
        ),
        (
            "and tried again for nothing",
            vec![fails(&json!([])), fails(&json!([]))],
            "1",
            vec![(0, "error", "503 busy"), (0, "error", "503 busy")],
        ),
        (
            "stopped with content",
            vec![json!({"blocks": [{"text": "half"}], "hang": true})],
            "0",
            vec![(1, "aborted", "Request was aborted")],
        ),
        (
            "stopped at once",
            vec![json!({"hang": true})],
            "0",
            vec![(0, "aborted", "Request was aborted")],
        ),
    ] {
        let place = Place::new(&[]);
        let mut process = engine(&place, &json!({"replies": replies}), &["--permission", "full"]);
        process.env("PINTLE_RETRIES", retries);
        let mut pi = Pi::start(process);
        pi.data(json!({"type": "prompt", "message": "go"}));
        if name.starts_with("stopped with") {
            pi.until(|line| line["assistantMessageEvent"]["type"] == "text_delta");
        } else if name.starts_with("stopped") {
            pi.until(|line| line["message"]["role"] == "user" && line["type"] == "message_end");
        }
        if name.starts_with("stopped") {
            pi.ask(json!({"type": "abort"}));
        } else {
            pi.until_type("agent_settled");
        }
        let all = entries(&mut pi);
        let replies = of_role(&all, "assistant");
        let got: Vec<(usize, &str, &str)> = replies
            .iter()
            .map(|reply| {
                let blocks = reply["content"].as_array().unwrap().len();
                let error = reply["errorMessage"].as_str().unwrap_or_default();
                (blocks, reply["stopReason"].as_str().unwrap(), error)
            })
            .collect();
        assert_eq!(got, want, "{name}");
        let ended = pi.seen.iter().filter(|line| line["type"] == "message_end");
        let told: Vec<&Value> = ended.map(|line| &line["message"]).collect();
        let told: Vec<&Value> =
            told.into_iter().filter(|message| message["role"] == "assistant").collect();
        assert_eq!(told, replies, "{name}");
        // Of those that were tried again the model reads the last.
        let read = pi.data(json!({"type": "get_messages"}));
        let last = replies.last().unwrap();
        assert_eq!(read["messages"].as_array().unwrap().last().unwrap(), *last, "{name}");
        assert_eq!(roles(&read), ["system", "user", "assistant"], "{name}");
        let file = pi.data(json!({"type": "get_state"}))["sessionFile"].clone();
        let text = std::fs::read_to_string(file.as_str().unwrap()).unwrap();
        let lines: Vec<Value> =
            text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines, all, "{name}");
        // A later life says the same.
        pi.end_input();
        pi.wait();
        let mut pi = Pi::on_script(&place, &words(&["x"]), &["--session", file.as_str().unwrap()]);
        assert_eq!(entries(&mut pi), all, "{name}");
        assert_eq!(pi.data(json!({"type": "get_state"}))["sessionFile"], file, "{name}");
    }
}

#[test]
fn entries_of_a_copy_have_the_ids_that_they_had() {
    let script = json!({"replies": [
        {"blocks": [{"text": "I look"}, {"tool": "read", "arguments": {"path": "a.txt"}}]},
        {"blocks": [{"text": "one"}]},
        {"blocks": [{"text": "two"}]},
        {"blocks": [{"text": "three"}]},
    ]});
    let place = Place::new(&[("a.txt", "content\n")]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.prompt("first");
    pi.data(json!({"type": "bash", "command": "echo by hand"}));
    pi.prompt("second");
    let parents = entries(&mut pi);
    let said = pi.data(json!({"type": "get_fork_messages"}))["messages"].clone();
    pi.data(json!({"type": "fork", "entryId": said[1]["entryId"]}));
    let forks = entries(&mut pi);
    assert!(forks.len() > 6, "{forks:?}");
    assert_eq!(ids(&forks), ids(&parents[..forks.len()]));
    for (fork, parent) in forks.iter().zip(&parents) {
        let of = |entry: &Value| [entry["parentId"].clone(), entry["message"].clone()];
        assert_eq!(of(fork), of(parent));
    }
    pi.prompt("other");
    let grown = entries(&mut pi);
    assert_eq!(grown[..forks.len()], forks);
    pi.data(json!({"type": "clone"}));
    assert_eq!(ids(&entries(&mut pi)), ids(&grown));
    // The first message is still where a fork may begin.
    let again = pi.data(json!({"type": "fork", "entryId": said[0]["entryId"]}));
    assert_eq!(again["text"], "first");
}

#[test]
fn a_copy_of_a_run_that_goes_on_has_no_failure_of_its_own() {
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "until [ -e go ]; do sleep 0.01; done"}}]},
        {"blocks": [{"text": "done"}]},
    ]});
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.data(json!({"type": "prompt", "message": "first"}));
    pi.until_type("tool_execution_update");
    pi.data(json!({"type": "steer", "message": "aside"}));
    std::fs::write(place.path("go"), "").unwrap();
    pi.until_type("agent_settled");
    let said = pi.data(json!({"type": "get_fork_messages"}))["messages"].clone();
    assert_eq!(said[1]["text"], "aside");
    pi.data(json!({"type": "fork", "entryId": said[1]["entryId"]}));
    assert_eq!(
        roles(&pi.data(json!({"type": "get_messages"}))),
        ["system", "user", "assistant", "toolResult"]
    );
}

#[test]
fn a_session_keeps_its_model_when_it_is_copied_or_opened_again() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &words(&["one", "two"]), &["--model", "script/given"]);
    let model = |pi: &mut Pi| pi.data(json!({"type": "get_state"}))["model"]["id"].clone();
    assert_eq!(model(&mut pi), "given");
    pi.data(json!({"type": "set_model", "provider": "script", "modelId": "chosen"}));
    pi.prompt("first");
    let file = pi.data(json!({"type": "get_state"}))["sessionFile"].clone();
    let said = pi.data(json!({"type": "get_fork_messages"}))["messages"].clone();
    pi.data(json!({"type": "clone"}));
    assert_eq!(model(&mut pi), "chosen", "a clone");
    pi.data(json!({"type": "fork", "entryId": said[0]["entryId"]}));
    assert_eq!(model(&mut pi), "chosen", "a fork");
    pi.data(json!({"type": "set_model", "provider": "script", "modelId": "third"}));
    pi.data(json!({"type": "switch_session", "sessionPath": file}));
    assert_eq!(model(&mut pi), "chosen", "the session before");
}

#[test]
fn the_wire_of_a_model_is_the_same_wherever_it_is_told() {
    let place = Place::new(&[]);
    let folder = place.home().join("pi");
    std::fs::create_dir_all(&folder).unwrap();
    let models = json!({"providers": {"mine": {"baseUrl": "http://127.0.0.1:9", "api": "anthropic-messages", "apiKey": "k", "models": [{"id": "big"}]}}});
    std::fs::write(folder.join("models.json"), models.to_string()).unwrap();
    let mut process = place.engine(&["rpc", "--provider", "mine", "--model", "big"]);
    process.env("PI_CODING_AGENT_DIR", &folder).env("PINTLE_RETRIES", "0");
    let mut pi = Pi::start(process);
    assert_eq!(pi.data(json!({"type": "get_state"}))["model"]["api"], "anthropic-messages");
    pi.prompt("hello");
    let told = pi.seen.iter().rfind(|line| line["message"]["role"] == "assistant").unwrap().clone();
    assert_eq!(
        (&told["message"]["api"], &told["message"]["model"]),
        (&json!("anthropic-messages"), &json!("big"))
    );
    let all = entries(&mut pi);
    assert_eq!(of_role(&all, "assistant"), [&told["message"]]);
}

/// A session made by another frontend has no file until it is opened here.
#[test]
fn a_session_without_a_file_is_opened_and_forked_by_its_id() {
    let place = Place::new(&[]);
    let script = place.script(&words(&["hi"]));
    let made = place.command(&["run", "--format", "json", "--script", &script, "go"]).output();
    let made: Value = serde_json::from_slice(&made.unwrap().stdout).unwrap();
    let id = made["sessionId"].as_str().unwrap();
    for (flag, name) in [("--fork", id), ("--session", id), ("--session", &id[..30])] {
        let mut pi = Pi::on_script(&place, &words(&["hi"]), &[flag, name]);
        let state = pi.data(json!({"type": "get_state"}));
        assert_eq!(state["sessionId"] == id, flag == "--session", "{flag} {name}: {state}");
        let messages = pi.data(json!({"type": "get_messages"}))["messages"].clone();
        let mut messages = messages.as_array().unwrap().iter();
        let asked = messages.find(|message| message["role"] == "user").unwrap();
        assert_eq!(asked["content"][0]["text"], "go", "{flag} {name}");
    }
}
