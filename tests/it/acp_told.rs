//! What a client of the Agent Client Protocol is told beside messages and calls: usage, retries, plans, titles, sub-agents.

use crate::support::acp::{Client, call, everything, said, script};
use crate::support::program::Place;
use expect_test::expect;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

#[test]
fn usage_is_told_where_the_window_is_known() {
    let reply =
        json!({"blocks": [{"text": "hi"}], "usage": {"inputTokens": 1000, "outputTokens": 10}});
    let place = Place::new(&[]);
    let model = ["--model", "anthropic/claude-opus-4-5"];
    let mut client = Client::start_with(&place, &script(&[reply]), json!({}), &model);
    client.new_session(&place);
    client.prompt("go");
    let update = client.update("usage_update");
    assert_eq!((&update["used"], &update["size"]), (&json!(1010), &json!(200_000)));
    assert_eq!(update["cost"], json!({"amount": 0.00525, "currency": "USD"}));
    client.ask("session/list", json!({}));
    client.ask("session/close", json!({}));
    client.told();
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    assert!(client.told().contains("usage_update"));
}

#[test]
fn a_provider_that_fails_is_told_as_a_notice_or_a_thought() {
    let failure = json!({"error": {"kind": "overloaded", "message": "busy", "retryAfterMs": 0}});
    for (offers, want) in [
        (everything(), "notice warning The provider failed"),
        (json!({}), "agent_thought_chunk: ⏎[The provider failed"),
    ] {
        let place = Place::new(&[]);
        let path = place.script(&script(&[failure.clone(), said("here")]));
        let mut command = place.engine(&["acp", "--script", &path]);
        command.env("PINTLE_RETRIES", "1");
        let mut client = Client::over(command, offers);
        client.new_session(&place);
        assert_eq!(client.say("go"), "end_turn");
        let told = client.told();
        assert!(told.contains(want), "{told}");
    }
}

#[test]
fn a_plan_is_accepted_in_the_menu_of_permissions_and_changes_the_mode() {
    let replies = script(&[call("exit_plan", json!({"plan": "1. edit a.txt"})), said("on it")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, everything());
    client.ask("session/set_mode", json!({"modeId": "plan"}));
    let prompt = client.prompt("go");
    let request = client.asked_for("session/request_permission");
    let asked = &request["params"];
    assert_eq!(asked["toolCall"]["kind"], "switch_mode");
    assert_eq!(asked["toolCall"]["content"][0]["content"]["text"], "1. edit a.txt");
    assert_eq!(asked["options"][0]["kind"], "allow_once");
    let option = asked["options"][0]["optionId"].as_str().unwrap().to_owned();
    client.told();
    client.choose(&request, &option);
    assert_eq!(client.stop_of(prompt), "end_turn");
    assert!(client.told().contains("current_mode_update ask"));
}

#[test]
fn a_list_of_things_to_do_is_a_plan() {
    let items = json!([{"content": "look", "status": "completed"}, {"content": "fix", "status": "in_progress"}]);
    let replies = script(&[call("todo_write", json!({"items": items})), said("so")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    assert_eq!(client.say("go"), "end_turn");
    assert!(client.told().contains("plan completed look, in_progress fix"));
}

#[test]
fn a_question_about_a_change_shows_it_in_place() {
    let lines: Vec<String> = (1..=20).map(|n| format!("line {n}\n")).collect();
    let edit = |old: &str| call("edit", json!({"path": "a.txt", "oldText": old, "newText": "new"}));
    let replies = script(&[
        edit("line 12"),
        edit("line 30"),
        call("write", json!({"path": "a.txt", "content": "all new\n"})),
        said("so"),
    ]);
    let place = Place::new(&[("a.txt", &lines.concat())]);
    let mut client = Client::open(&place, &replies, json!({}));
    client.ask("_pintle/session/update", json!({"title": "t"}));
    let prompt = client.prompt("@a.txt change it");
    let mut shown = Vec::new();
    for _ in 0..2 {
        let request = client.asked_for("session/request_permission");
        let call = &request["params"]["toolCall"];
        shown.push(json!([call["content"][0], call["locations"][0]["line"]]));
        client.choose(&request, "allow");
    }
    assert_eq!(client.stop_of(prompt), "end_turn");
    let path = place.path("a.txt");
    let around = |changed: &str| {
        let numbered = |n: u32| if n == 12 { changed.to_owned() } else { format!("line {n}\n") };
        (8..=16).map(numbered).collect::<String>()
    };
    let after_edit = lines.concat().replace("line 12", "new");
    let diff = |old: &str, new: &str| json!({"type": "diff", "path": path, "oldText": old, "newText": new});
    assert_eq!(
        shown,
        [
            json!([diff(&around("line 12\n"), &around("new\n")), 12]),
            json!([diff(&after_edit, "all new\n"), 1]),
        ]
    );
    // The edit that matches nothing has failed without a question.
    assert!(client.told().contains("failed edit: a.txt"));
}

#[test]
fn a_title_is_told_when_it_changes() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &script(&[said("a")]), json!({}));
    client.ask("_pintle/session/update", json!({"title": "A better name"}));
    assert_eq!(client.update("session_info_update")["title"], "A better name");
    assert_eq!(client.ask("session/list", json!({}))["sessions"][0]["title"], "A better name");
}

#[test]
fn a_session_is_named_after_the_prompt_and_not_after_a_rule_before_it() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &script(&[said("a")]), json!({}));
    // What it mentions is not read.
    let rule = json!({"uri": "zed:///agent/rule/1", "text": "Always be brief, as in @brief.md."});
    let prompt =
        json!([{"type": "resource", "resource": rule}, {"type": "text", "text": " fix it"}]);
    client.ask("session/prompt", json!({"prompt": prompt}));
    assert_eq!(client.ask("session/list", json!({}))["sessions"][0]["title"], "fix it");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    assert!(journal.contains("Always be brief, as in @brief.md."));
    assert!(!journal.contains("unknownMention"), "{journal}");
}

#[test]
fn a_project_s_prompts_and_skills_are_commands() {
    let skill = "---\ndescription: Makes PDFs\n---\nSteps.";
    let place = Place::new(&[(".pintle/skills/pdf/SKILL.md", skill)]);
    let folder = place.path(".pintle/prompts");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "---\ndescription: Look at it\nargument-hint: WHAT\n---\nReview $ARGUMENTS\n";
    std::fs::write(folder.join("review.md"), text).unwrap();
    let mut client = Client::open(&place, &script(&[said("a")]), json!({}));
    let commands = client.update("available_commands_update")["availableCommands"].clone();
    assert_eq!(commands[0]["name"], "review", "{commands}");
    assert_eq!(commands[0]["description"], "Look at it");
    assert_eq!(commands[0]["input"]["hint"], "WHAT");
    assert_eq!(commands[1]["name"], "skill:pdf", "{commands}");
    assert_eq!(commands[1]["description"], "Makes PDFs");
    assert_eq!(commands[1]["input"]["hint"], "arguments");
    client.say("/review the tests");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    assert!(journal.contains("/review the tests"));
}

#[test]
fn a_sub_agent_asks_in_the_session_that_the_client_knows() {
    let mut child = call("bash", json!({"command": "touch ran"}));
    child["of"] = json!("touch it");
    let mut over = said("touched");
    over["of"] = json!("touch it");
    let replies = script(&[
        call("spawn_agent", json!({"task": "touch it"})),
        call("wait", json!({})),
        said("all done"),
        child,
        over,
    ]);
    let place = Place::new(&[]);
    let profile = ["--profile", "pi"];
    let mut client = Client::start_with(&place, &replies, json!({}), &profile);
    client.new_session(&place);
    let prompt = client.prompt("go");
    let request = client.asked_for("session/request_permission");
    assert_eq!(request["params"]["sessionId"], client.session.as_str());
    client.choose(&request, "allow");
    assert_eq!(client.stop_of(prompt), "end_turn");
    assert!(place.path("ran").exists());
    expect![[r"
        = initialize
        = session/new
        available_commands_update compact
        tool_call think spawn_agent
        tool_call_update think pending spawn_agent: touch it
        tool_call_update think in_progress spawn_agent: touch it
        tool_call in_progress agent agent-1 (works): touch it
        tool_call_update think completed spawn_agent: touch it [agent-1 is working on it. `wait` returns its final message.]
        tool_call think wait
        tool_call_update think pending wait: all
        tool_call_update think in_progress wait: all
        ? bash: touch ran [allow_once allow_always allow_always allow_always allow_always reject_once reject_once]
        tool_call_update other in_progress agent agent-1 (done): touch it [touched]
        tool_call_update think completed wait: all [agent-1 finished with (turns used: 2):⏎touched]
        agent_message_chunk: all done
        = session/prompt end_turn"]].assert_eq(&client.told());
}

/// Answers so many requests to a model, and returns the trace that each named.
fn traces(listener: &TcpListener, requests: usize) -> Vec<Option<String>> {
    let one = |_| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut trace, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim().split_once(": ") {
                Some(("traceparent", value)) => trace = Some(value.to_owned()),
                Some(("content-length", value)) => length = value.parse().unwrap(),
                None if line == "\r\n" => break,
                Some(_) | None => {}
            }
        }
        reader.read_exact(&mut vec![0; length]).unwrap();
        let body = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        trace
    };
    (0..requests).map(one).collect()
}

#[test]
fn requests_to_models_belong_to_the_trace_of_their_prompt() {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let prompts = [json!({"traceparent": trace}), json!({"traceparent": "nonsense"}), json!({})];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = prompts.len();
    let server = std::thread::spawn(move || traces(&listener, count));
    let place = Place::new(&[]);
    let args = ["acp", "--model", "own/none", "--api", "chat", "--base-url", &url];
    let mut client = Client::over(place.engine(&args), json!({}));
    client.new_session(&place);
    for meta in prompts {
        let prompt = json!({"prompt": [{"type": "text", "text": "go"}], "_meta": meta});
        assert_eq!(client.ask("session/prompt", prompt)["stopReason"], "end_turn");
    }
    assert_eq!(server.join().unwrap(), [Some(trace.to_owned()), None, None]);
}
