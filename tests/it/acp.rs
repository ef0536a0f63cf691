//! The Agent Client Protocol through the program: what goes over the wire, in which order.

use crate::support::acp::{Client, bash, call, everything, said, script};
use crate::support::program::{Framing, Place, Program};
use expect_test::expect;
use serde_json::{Value, json};

fn hello() -> Value {
    json!({"replies": [{"blocks": [{"reasoning": "let me see"}, {"text": "hello there"}]}]})
}

#[test]
fn the_handshake_tells_what_there_is() {
    let place = Place::new(&[]);
    let mut client = Client::start(&place, &hello(), json!({}));
    let answer: Value = serde_json::from_str(&client.program.seen[0].to_string()).unwrap();
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(result["agentInfo"]["name"], "pintle");
    assert_eq!(result["_meta"]["steering"]["supported"], true);
    assert_eq!(result["agentCapabilities"]["loadSession"], true);
    let sessions = result["agentCapabilities"]["sessionCapabilities"].as_object().unwrap();
    let names: Vec<&String> = sessions.keys().collect();
    assert_eq!(names, ["list", "delete", "additionalDirectories", "resume", "close"]);
    let methods = result["authMethods"].as_array().unwrap();
    assert!(!methods.is_empty() && methods[0]["id"].is_string() && methods[0]["name"].is_string());
    // It is no secret that a script needs no key.
    assert_eq!(client.ask("authenticate", json!({"methodId": methods[0]["id"]})), json!({}));
    assert_eq!(client.ask("authenticate", json!({"methodId": "magic"}))["code"], -32602);
    assert_eq!(client.ask("_unknown/method", json!({}))["code"], -32601);
}

#[test]
fn who_has_logged_out_opens_sessions_after_authenticating_again() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &hello(), json!({}));
    assert_eq!(client.ask("logout", json!({})), json!({}));
    let new = json!({"cwd": place.project(), "mcpServers": []});
    assert_eq!(client.ask("session/new", new.clone())["code"], -32000);
    let hint = client.ask("session/load", new.clone())["data"]["hint"].take();
    assert_eq!(hint, "send `authenticate` first");
    // What is open goes on.
    assert_eq!(client.say("hi"), "end_turn");
    assert_eq!(client.ask("authenticate", json!({"methodId": "pintle-keys"})), json!({}));
    assert!(client.ask("session/new", new)["sessionId"].is_string());
}

#[test]
fn authenticating_succeeds_only_where_the_next_prompt_has_a_model() {
    let model = "model = \"anthropic/claude-opus-4-5\"\n";
    for (name, config, key, want) in [
        ("no key", model, "", Some("ANTHROPIC_API_KEY")),
        ("the key of another provider", model, "OPENAI_API_KEY", Some("ANTHROPIC_API_KEY")),
        ("its key", model, "ANTHROPIC_API_KEY", None),
        ("no model", "", "ANTHROPIC_API_KEY", Some("config.toml")),
    ] {
        let place = Place::new(&[]);
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        let mut command = place.engine(&["acp"]);
        if !key.is_empty() {
            command.env(key, "sk-0123456789");
        }
        let mut client = Client::over(command, json!({}));
        let answer = client.ask("authenticate", json!({"methodId": "pintle-keys"}));
        let Some(want) = want else {
            assert_eq!(answer, json!({}), "{name}");
            continue;
        };
        assert_eq!(answer["code"], -32000, "{name}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains(want), "{name}: {answer}");
        if !config.is_empty() {
            client.new_session(&place);
            let refused = client.say("hi");
            assert!(refused.starts_with("-32000") && refused.contains(want), "{name}: {refused}");
        }
    }
}

#[test]
fn a_later_version_of_the_protocol_is_answered_with_ours() {
    let place = Place::new(&[]);
    let script = place.script(&hello());
    let mut program = Program::start(place.engine(&["acp", "--script", &script]), Framing::Lines);
    assert_eq!(program.ask("session/new", json!({"cwd": place.project()}))["code"], -32600);
    assert_eq!(program.ask("initialize", json!({"protocolVersion": 2}))["protocolVersion"], 1);
    assert_eq!(program.ask("initialize", json!({"protocolVersion": 1}))["code"], -32600);
}

#[test]
fn a_turn_is_told_before_its_prompt_is_answered() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &hello(), json!({}));
    assert_eq!(client.say("hi"), "end_turn");
    expect![[r"
        = initialize
        = session/new
        available_commands_update compact
        agent_thought_chunk: let me see
        agent_message_chunk: hello there
        = session/prompt end_turn"]]
    .assert_eq(&client.told());
}

/// What was told, without the pieces of output that a slow machine shows before a command's end.
fn without_pieces(told: &str) -> String {
    let is_piece = |line: &&str| line.contains(" in_progress ") && line.ends_with(']');
    let mut lines: Vec<&str> = told.lines().filter(|line| !is_piece(line)).collect();
    lines.dedup();
    lines.join("\n")
}

#[test]
fn a_command_asks_runs_and_shows_what_it_prints() {
    let replies = script(&[bash("echo one; echo two | tee /dev/null"), said("done")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    let prompt = client.prompt("run it");
    let request = client.asked_for("session/request_permission");
    client.choose(&request, "allow");
    assert_eq!(client.stop_of(prompt), "end_turn");
    // The end repeats no output that a piece before it held whole, and the transcript has no pieces.
    let (told, output) = (client.told(), " [```⏎one⏎two⏎```]");
    let is_shown = |message: &Value| message.to_string().contains("```\\none\\ntwo\\n```");
    assert!(client.program.seen.iter().any(is_shown), "{told}");
    expect![[r"
        = initialize
        = session/new
        available_commands_update compact
        tool_call execute bash
        tool_call_update execute pending bash: echo one; echo two | tee /dev/null
        ? bash: echo one; echo two | tee /dev/null [allow_once allow_always allow_always allow_always allow_always reject_once reject_once]
        tool_call_update execute in_progress bash: echo one; echo two | tee /dev/null
        tool_call_update execute completed bash: echo one; echo two | tee /dev/null
        agent_message_chunk: done
        = session/prompt end_turn"]]
    .assert_eq(&without_pieces(&told.replace(output, "")));
}

#[test]
fn what_a_failed_command_printed_is_fenced_and_a_denial_is_not() {
    let replies =
        script(&[bash("touch made; echo '# no title'; exit 3"), bash("touch ran"), said("so")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    let prompt = client.prompt("run it");
    for answer in ["allow", "deny"] {
        let request = client.asked_for("session/request_permission");
        client.choose(&request, answer);
    }
    assert_eq!(client.stop_of(prompt), "end_turn");
    let told = client.told();
    let failed: Vec<&str> = told.lines().filter(|line| line.contains("failed bash")).collect();
    assert!(failed[0].contains("[```⏎# no title⏎"), "{told}");
    assert!(failed[1].contains("[The user declined"), "{told}");
}

#[test]
fn a_call_that_a_broken_stream_cut_says_so() {
    let cut = json!({"blocks": [{"tool": "bash", "arguments": {"command": "ls"}}],
        "error": {"kind": "network", "message": "broken", "retryAfterMs": 0}});
    let place = Place::new(&[]);
    let path = place.script(&script(&[cut, said("so")]));
    let mut command = place.engine(&["acp", "--script", &path]);
    command.env("PINTLE_RETRIES", "1");
    let mut client = Client::over(command, json!({}));
    client.new_session(&place);
    assert_eq!(client.say("run it"), "end_turn");
    let told = client.told();
    assert!(
        told.contains("[The call was cut off before it was complete and did not run.]"),
        "{told}"
    );
}

#[test]
fn the_text_of_a_new_file_is_sent_once_in_the_arguments_and_once_as_a_diff() {
    let text = "0123456789\n".repeat(20_000);
    let replies = script(&[call("write", json!({"path": "a", "content": text})), said("so")]);
    let place = Place::new(&[]);
    let mut client = Client::start_with(&place, &replies, json!({}), &["--permission", "full"]);
    client.new_session(&place);
    let from = client.program.seen.len();
    assert_eq!(client.say("write it"), "end_turn");
    let sent: usize = client.program.seen[from..].iter().map(|seen| seen.to_string().len()).sum();
    // A line end is written as two characters.
    let written = text.len() + text.lines().count();
    assert!(sent < 2 * written + 10_000, "{sent} bytes for {written}");
    assert_eq!(place.read("a"), text);
}

#[test]
fn cancelling_ends_the_prompt_with_its_reason() {
    let replies = script(&[json!({"blocks": [{"text": "wait"}], "hang": true}), said("again")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, everything());
    let prompt = client.prompt("hang");
    client.update("agent_message_chunk");
    client.cancel();
    assert_eq!(client.stop_of(prompt), "cancelled");
    assert_eq!(client.say("go on"), "end_turn");
}

#[test]
fn a_second_prompt_waits_and_has_its_own_answer() {
    let replies = script(&[bash("tee /dev/null"), said("first"), said("second")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    let first = client.prompt("one");
    let request = client.asked_for("session/request_permission");
    let second = client.prompt("two");
    // It is refused nothing and answered later: a list in between shows that it was taken.
    client.ask("session/list", json!({}));
    client.told();
    client.choose(&request, "allow");
    assert_eq!(client.stop_of(first), "end_turn");
    assert_eq!(client.stop_of(second), "end_turn");
    let told = client.told();
    let at = |what: &str| told.find(what).unwrap_or_else(|| panic!("{what} in {told}"));
    assert!(
        at("first") < at("= session/prompt") && at("= session/prompt") < at("second"),
        "{told}"
    );
}

#[test]
fn cancelling_answers_every_prompt_of_the_session() {
    let replies = script(&[json!({"blocks": [{"text": "wait"}], "hang": true})]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    let first = client.prompt("one");
    client.update("agent_message_chunk");
    let second = client.prompt("two");
    client.cancel();
    // What has not begun is answered first.
    assert_eq!([client.stop_of(second), client.stop_of(first)], ["cancelled", "cancelled"]);
}

#[test]
fn a_request_is_withdrawn_by_its_id() {
    let replies = script(&[json!({"blocks": [{"text": "wait"}], "hang": true}), said("after")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    let first = client.prompt("one");
    client.update("agent_message_chunk");
    let second = client.prompt("two");
    client.ask("session/list", json!({}));
    client.notify("$/cancel_request", json!({"requestId": second}));
    assert_eq!(client.stop_of(second), "cancelled");
    client.notify("$/cancel_request", json!({"requestId": first}));
    assert_eq!(client.stop_of(first), "cancelled");
    client.notify("$/cancel_request", json!({"requestId": 4711}));
    assert_eq!(client.say("three"), "end_turn");
}

#[test]
fn why_a_turn_ended_is_told_in_the_words_of_the_protocol() {
    let rows = [
        ("done", json!({"blocks": [{"text": "a"}]}), "end_turn"),
        ("declined", json!({"blocks": [{"text": "a"}], "stop": "refusal"}), "refusal"),
        ("too long", json!({"blocks": [{"text": "a"}], "stop": "maxTokens"}), "max_tokens"),
        (
            "a broken key",
            json!({"error": {"kind": "auth", "message": "bad key"}}),
            "-32000 bad key",
        ),
        (
            "a provider in trouble",
            json!({"error": {"kind": "overloaded", "message": "busy"}}),
            "-32603 busy",
        ),
        ("filtered", json!({"error": {"kind": "contentFilter", "message": "no"}}), "refusal"),
    ];
    for (name, reply, want) in rows {
        let place = Place::new(&[]);
        // A reply that is too long is gone on with a few times.
        let mut client = Client::open(&place, &script(&vec![reply; 6]), json!({}));
        let got = client.say("go");
        assert!(got.starts_with(want), "{name}: {got}");
    }
}

#[test]
fn every_answer_to_a_permission_is_taken_for_what_it_is() {
    let rows = [
        (
            "allow",
            json!({"outcome": {"outcome": "selected", "optionId": "allow"}}),
            "completed",
            "end_turn",
        ),
        (
            "for the session",
            json!({"outcome": {"outcome": "selected", "optionId": "allow-session"}}),
            "completed",
            "end_turn",
        ),
        (
            "deny",
            json!({"outcome": {"outcome": "selected", "optionId": "deny"}}),
            "failed",
            "end_turn",
        ),
        (
            "stop",
            json!({"outcome": {"outcome": "selected", "optionId": "abort"}}),
            "failed",
            "cancelled",
        ),
        ("closed", json!({"outcome": {"outcome": "cancelled"}}), "failed", "end_turn"),
        (
            "an option that was not offered",
            json!({"outcome": {"outcome": "selected", "optionId": "yes!"}}),
            "failed",
            "end_turn",
        ),
        ("rubbish", json!({"yes": true}), "failed", "end_turn"),
        ("nothing", Value::Null, "failed", "end_turn"),
    ];
    for (name, answer, status, stop) in rows {
        let place = Place::new(&[]);
        let mut client = Client::open(&place, &script(&[bash("touch ran"), said("so")]), json!({}));
        let prompt = client.prompt("go");
        let request = client.asked_for("session/request_permission");
        client.reply(&request, answer);
        let last = client.until(|message| {
            let status = &message["params"]["update"]["status"];
            status == "completed" || status == "failed"
        });
        assert_eq!(last["params"]["update"]["status"], status, "{name}");
        assert_eq!(client.stop_of(prompt), stop, "{name}");
        assert_eq!(place.path("ran").exists(), status == "completed", "{name}");
    }
}

#[test]
fn a_permission_that_comes_too_late_changes_nothing() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &script(&[bash("touch ran"), said("so")]), json!({}));
    let prompt = client.prompt("go");
    let request = client.asked_for("session/request_permission");
    client.cancel();
    assert_eq!(client.stop_of(prompt), "cancelled");
    assert!(client.told().contains("withdrawn a1"));
    client.choose(&request, "allow");
    assert_eq!(client.say("and?"), "end_turn");
    assert!(!place.path("ran").exists());
}

#[test]
fn a_denial_can_be_given_words_where_forms_are_shown() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &script(&[bash("touch ran"), said("so")]), everything());
    let prompt = client.prompt("go");
    let request = client.asked_for("session/request_permission");
    client.choose(&request, "_pintle/deny-with-words");
    let form = client.asked_for("elicitation/create");
    client.reply(&form, json!({"action": "accept", "content": {"text": "use the other folder"}}));
    assert_eq!(client.stop_of(prompt), "end_turn");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    assert!(journal.contains("use the other folder"));
    assert!(!place.path("ran").exists());
}

fn question(multiple: bool) -> Value {
    json!({"blocks": [{"tool": "ask_user", "arguments": {
        "question": "Which one?", "options": ["red", "blue"], "multiple": multiple,
    }}]})
}

#[test]
fn a_question_is_a_form_or_a_menu() {
    let form = |content: Value| json!({"action": "accept", "content": content});
    let menu = |option: &str| json!({"outcome": {"outcome": "selected", "optionId": option}});
    let forms = json!({"elicitation": {"form": {}}});
    let rows = [
        (
            "a form, an option",
            forms.clone(),
            false,
            "elicitation/create",
            form(json!({"choice": "2"})),
            "blue",
        ),
        (
            "a form, own words",
            forms.clone(),
            false,
            "elicitation/create",
            form(json!({"text": "green"})),
            "green",
        ),
        (
            "a form, two",
            forms.clone(),
            true,
            "elicitation/create",
            form(json!({"choice": ["1", "2"]})),
            "red",
        ),
        ("a form, declined", forms, false, "elicitation/create", json!({"action": "decline"}), ""),
        (
            "a capability without forms",
            json!({"elicitation": {}}),
            false,
            "session/request_permission",
            menu("1"),
            "red",
        ),
        ("no capability", json!({}), false, "session/request_permission", menu("2"), "blue"),
        (
            "a menu, skipped",
            json!({}),
            false,
            "session/request_permission",
            menu("_pintle/skip"),
            "",
        ),
    ];
    for (name, offers, multiple, method, answer, want) in rows {
        let place = Place::new(&[]);
        let mut client = Client::open(&place, &script(&[question(multiple), said("so")]), offers);
        let prompt = client.prompt("ask me");
        let request =
            client.until(|message| message.get("id").is_some() && message.get("method").is_some());
        assert_eq!(request["method"], method, "{name}");
        client.reply(&request, answer);
        assert_eq!(client.stop_of(prompt), "end_turn", "{name}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        let resolved = journal.lines().find(|line| line.contains("question.resolved")).unwrap();
        let completed = journal
            .lines()
            .rfind(|line| line.contains("ask_user") && line.contains("item.completed"))
            .unwrap();
        assert!(completed.contains(want) && resolved.contains("by"), "{name}: {completed}");
    }
}

#[test]
fn modes_options_and_models_are_one_thing() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &hello(), json!({}));
    client.told();
    let mode = |client: &mut Client| {
        let update = client.update("config_option_update");
        let options = update["configOptions"].as_array().unwrap();
        let mode = options.iter().find(|option| option["id"] == "mode").unwrap();
        mode["currentValue"].as_str().unwrap().to_owned()
    };
    for wanted in ["read-only", "ask", "auto-edit", "plan", "full"] {
        assert_eq!(client.ask("session/set_mode", json!({"modeId": wanted})), json!({}));
        assert_eq!(client.update("current_mode_update")["currentModeId"], wanted);
        assert_eq!(mode(&mut client), wanted);
    }
    let set = |id: &str, value: Value| json!({"configId": id, "value": value});
    let answer = client.ask("session/set_config_option", set("mode", json!("plan")));
    assert_eq!(answer["configOptions"][0]["currentValue"], "plan");
    assert_eq!(client.update("current_mode_update")["currentModeId"], "plan");
    assert_eq!(mode(&mut client), "plan");
    assert_eq!(client.ask("session/set_model", json!({"modelId": "script/other"})), json!({}));
    let update = client.update("config_option_update");
    assert_eq!(update["configOptions"][1]["currentValue"], "script/other");
    let answer = client.ask("session/set_config_option", set("effort", json!("high")));
    assert_eq!(answer["configOptions"][2]["currentValue"], "high");
    for (what, params) in [
        ("session/set_mode", json!({"modeId": "yolo"})),
        ("session/set_model", json!({"modelId": "nothing"})),
        ("session/set_config_option", set("mode", json!("yolo"))),
        ("session/set_config_option", set("smell", json!("rose"))),
        (
            "session/set_config_option",
            json!({"configId": "mode", "type": "boolean", "value": true}),
        ),
    ] {
        assert_eq!(client.ask(what, params.clone())["code"], -32602, "{what} {params}");
    }
}

#[test]
fn what_cannot_be_taken_is_refused_with_a_reason() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &hello(), json!({}));
    let text = json!([{"type": "text", "text": "hi"}]);
    let rows: Vec<(&str, Value, i64)> = vec![
        ("session/prompt", json!({"sessionId": "nope", "prompt": text}), -32002),
        ("session/prompt", json!({"prompt": []}), -32602),
        ("session/prompt", json!({"prompt": "hi"}), -32602),
        (
            "session/prompt",
            json!({"prompt": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]}),
            -32602,
        ),
        ("session/load", json!({"sessionId": "nope", "cwd": "/", "mcpServers": []}), -32002),
        ("session/resume", json!({"sessionId": "../..", "cwd": "/", "mcpServers": []}), -32002),
        ("session/new", json!({"cwd": "here", "mcpServers": []}), -32602),
        ("session/new", json!({"cwd": "/none/of/this", "mcpServers": []}), -32602),
        ("session/new", json!({"mcpServers": []}), -32602),
        ("session/close", json!({"sessionId": "nope"}), -32002),
        ("session/delete", json!({"sessionId": "nope"}), -32002),
        ("session/fork", json!({}), -32601),
        ("_pintle/session/create", json!({}), -32601),
        ("_pintle/review/list", json!({"sessionId": "nope"}), -32002),
    ];
    for (method, params, want) in rows {
        let error = client.ask(method, params.clone());
        assert_eq!(error["code"], want, "{method} {params}: {error}");
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    let unknown = client.ask("session/promt", json!({}));
    let message = unknown["message"].as_str().unwrap();
    assert!(message.contains("did you mean `session/prompt`?"), "{message}");
    for bytes in [
        &b"{\"id\":1,"[..],
        b"rubbish",
        b"[]",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"a1\",\"result\":1}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\"}",
    ] {
        client.program.send_bytes(bytes);
    }
    assert_eq!(client.say("after all that"), "end_turn");
}
