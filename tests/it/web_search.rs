//! Searches of the web that the provider runs: who has them, what a person sees of them, and what goes back.

use crate::peers::aimock_with;
use crate::support::pi::{Pi, tell};
use crate::support::program::{Framing, Place, Program};
use crate::support::server::{begins_to_stream, streams};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

/// The beginning of a reply of Claude that searches.
macro_rules! begun {
    () => {
        concat!(
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,\"output_tokens\":0}}}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\": \\\"rust edition\\\"}\"}}\n\n",
        )
    };
}

/// A reply whose search has not ended.
const BEGUN: &str = begun!();

/// A reply that searches once, and finds a page.
const SEARCHED: &str = concat!(
    begun!(),
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":\"web_search_result\",\"title\":\"Editions\\u001b[2J\",\"url\":\"https://doc.test/editions\",\"encrypted_content\":\"e\"}]}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"It is 2024.\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"input_tokens\":10,\"output_tokens\":5,\"server_tool_use\":{\"web_search_requests\":1}}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

/// The settings of a server of one's own that can search.
fn settings(port: u16, more: &str) -> String {
    format!(
        "{more}\n[providers.own]\nbase_url = \"http://127.0.0.1:{port}\"\napi = \"messages\"\nweb_search = true\n"
    )
}

/// The bodies of the requests with tools in a cassette.
fn requests(cassette: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(cassette).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let bodies = lines.filter_map(|mut line| Some(line.pointer_mut("/request/body")?.take()));
    bodies.filter(|body| body.get("tools").is_some()).collect()
}

#[test]
fn a_provider_searches_where_a_person_and_the_rules_let_it() {
    let on = "[tools]\nweb_search = true\n";
    let rule = |rule: &str| format!("[[rules]]\n{rule}\n\n{on}");
    let project = ("decision = 'deny'\nkind = 'network'", &["--trust"][..]);
    for (name, config, of_project, args, want) in [
        ("by default", String::new(), "", &[][..], false),
        ("the flag", String::new(), "", &["--web-search"], true),
        ("the setting", on.to_owned(), "", &[], true),
        ("in the mode that asks", on.to_owned(), "", &["--permission", "ask"], true),
        ("code from strangers", on.to_owned(), "", &["--untrusted"], false),
        ("tools that do not name it", on.to_owned(), "", &["--tools", "read"], false),
        ("tools that name it", on.to_owned(), "", &["--tools", "read,web_*"], true),
        ("denied by a rule", rule("decision = 'deny'\ntool = 'web_search'"), "", &[], false),
        ("a rule requires approval", rule("decision = 'ask'\ntool = 'WebSearch'"), "", &[], false),
        ("a rule denies the network", rule("decision = 'deny'\nkind = 'network'"), "", &[], false),
        ("a rule denies one host", rule("decision = 'deny'\nhost = 'a.b'"), "", &[], true),
        ("a rule denies all hosts", rule("decision = 'deny'\nhost = '*'"), "", &[], false),
        ("the project's rules", on.to_owned(), project.0, project.1, false),
    ] {
        let place =
            Place::new(&[(".pintle/permissions.toml", &format!("[[rules]]\n{of_project}"))]);
        if of_project.is_empty() {
            std::fs::remove_file(place.path(".pintle/permissions.toml")).unwrap();
        }
        let config = settings(streams(SEARCHED), &config);
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        let cassette = place.folder().join("cassette.jsonl");
        let all = ["run", "go", "--quiet", "--model", "own/claude-sonnet-5", "--record"];
        let all = [&all[..], &[cassette.to_str().unwrap()], args].concat();
        let out = place.command(&all).stdin(Stdio::null()).output().unwrap();
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        let requests = requests(&cassette);
        let declared = requests.iter().map(|body| body["tools"].to_string());
        let has_search = declared.map(|tools| tools.contains("web_search_20250305"));
        assert_eq!(has_search.collect::<Vec<_>>(), [want], "{name}");
    }
}

#[test]
fn a_search_is_shown_its_price_counts_and_it_goes_back_as_it_came() {
    let place = Place::new(&[]);
    let mut config = settings(streams(SEARCHED), "[tools]\nweb_search = true\n");
    config += "models.claude-sonnet-5.price = { input = 1, output = 2, web_search = 10 }\n";
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let cassette = place.folder().join("cassette.jsonl");
    let model = ["serve", "--model", "own/claude-sonnet-5", "--record", cassette.to_str().unwrap()];
    let mut program = Program::start(place.engine(&model), Framing::Lines);
    program.initialize();
    let session = program.ask("session/create", json!({}))["sessionId"].take();
    for prompt in ["look", "go on"] {
        program.prompt(prompt);
        program.until_event("turn.completed");
    }
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let calls = events.filter(|event| event["item"]["type"] == "toolCall").map(|event| {
        let item = &event["item"];
        let said = &item["output"]["content"][0]["text"];
        format!("{} {} {} {said}", event["type"], item["status"], item["title"])
    });
    let seen: Vec<String> = calls.collect();
    let once = [
        r#""item.started" "pending" "web_search" null"#,
        r#""item.updated" "running" "web_search: rust edition" null"#,
        r#""item.completed" "completed" "web_search: rust edition" "Editions␛[2J\n  https://doc.test/editions""#,
    ];
    assert_eq!(seen, [once, once].concat());
    let usage = program.ask("usage/read", json!({ "sessionId": session }));
    assert_eq!(usage["total"]["usage"]["webSearches"], 2, "{usage}");
    // Each turn: 10 tokens in, 5 out, and a search for a cent.
    assert_eq!(usage["total"]["costNanoUsd"], 2 * (10_000 + 10_000 + 10_000_000), "{usage}");
    let requests = requests(&cassette);
    let [_, second] = requests.as_slice() else { panic!("{requests:?}") };
    let reply = &second["messages"][1]["content"];
    let kinds: Vec<_> = reply.as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["server_tool_use", "web_search_tool_result", "text"], "{second}");
    assert_eq!(reply[1]["content"][0]["encrypted_content"], "e");
}

#[test]
fn a_mock_that_searches_is_understood() {
    let found = json!({ "content": "It is 2024.", "webSearches": ["rust edition"] });
    let fixtures =
        json!({ "fixtures": [{ "match": { "userMessage": "look" }, "response": found }] });
    let Some(server) = aimock_with(&fixtures) else { return };
    let place = Place::new(&[]);
    let config = format!(
        "[providers.own]\nbase_url = \"{}/v1\"\napi = \"responses\"\nweb_search = true\n",
        server.url
    );
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let args =
        ["run", "look", "--quiet", "--format", "json", "--web-search", "--model", "own/gpt-5.4"];
    let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
    let result: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
    assert!(journal.contains("web_search: rust edition"), "{journal}");
    assert_eq!(result["usage"]["webSearches"], 1, "{result}");
}

// Pi has no tools that a provider runs: a call without a result would be an open one to its clients.
#[test]
fn clients_of_pi_read_a_reply_without_the_search() {
    let place = Place::new(&[]);
    let config = settings(streams(SEARCHED), "[tools]\nweb_search = true\n");
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let mut pi = Pi::start(place.engine(&["rpc", "--model", "own/claude-sonnet-5"]));
    pi.command(json!({"type": "prompt", "message": "look"}));
    pi.until_type("agent_settled");
    let seen = tell(&pi.seen);
    assert!(!seen.contains("tool"), "{seen}");
    assert!(seen.contains("message_end assistant \"It is 2024.\" (stop)"), "{seen}");
}

/// What a client sees of the calls, and the blocks of the last reply that the next request holds.
fn ended_early(port: u16, end: impl Fn(&mut Program)) -> (Vec<String>, String) {
    let place = Place::new(&[]);
    let config = settings(port, "retries = 0\n[tools]\nweb_search = true\n");
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let cassette = place.folder().join("cassette.jsonl");
    let args = ["serve", "--model", "own/claude-sonnet-5", "--record", cassette.to_str().unwrap()];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    for prompt in ["look", "go on"] {
        program.prompt(prompt);
        program.until(|message| message["params"]["event"]["item"]["status"] == "pending");
        end(&mut program);
        program.until_event("turn.completed");
    }
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let ends = events
        .filter(|event| event["type"] == "item.completed" && event["item"]["type"] == "toolCall");
    let ends: Vec<String> = ends.map(|event| event["item"]["status"].to_string()).collect();
    drop(program);
    let requests = requests(&cassette);
    (ends, requests.last().unwrap()["messages"].to_string())
}

// A search without its result would be refused by the provider.
#[test]
fn a_search_that_is_stopped_or_cut_is_cancelled_and_does_not_go_back() {
    let stop = |program: &mut Program| {
        program.ask("turn/interrupt", json!({}));
    };
    for (name, (ends, sent)) in [
        ("a cut connection", ended_early(streams(BEGUN), |_| {})),
        ("a person's stop", ended_early(begins_to_stream(BEGUN), stop)),
    ] {
        assert_eq!(ends, [r#""cancelled""#, r#""cancelled""#], "{name}");
        assert!(sent.contains("go on") && !sent.contains("server_tool_use"), "{name}: {sent}");
    }
}

#[test]
fn a_flag_that_changes_nothing_says_so() {
    for (model, args, is_told) in [
        ("own/claude-sonnet-5", &["--web-search"][..], false),
        ("other/any", &["--web-search"], true),
        ("other/any", &[], false),
    ] {
        let place = Place::new(&[]);
        let other = "[providers.other]\nbase_url = \"http://127.0.0.1:9\"\napi = \"chat\"\n";
        let config = settings(streams(SEARCHED), "retries = 0\n") + other;
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        let all = [&["run", "go", "--model", model], args].concat();
        let out = place.command(&all).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(said.contains("--web-search has no effect for other/any"), is_told, "{said}");
    }
}
