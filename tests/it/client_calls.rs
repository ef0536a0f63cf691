//! Hooks and tools that a client gives: scenarios at the engine's border.

use crate::questions::row;
use crate::scenarios::check_with;
use crate::support::program::{Framing, Place, Program};
use crate::support::stage::{Setup, client_hook};
use expect_test::expect;
use nix::sys::signal::Signal;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::hook::HookPoint::BeforeToolCall;
use serde_json::{Value, json};

fn client() -> Setup {
    Setup { client_hooks: vec![client_hook(BeforeToolCall)], ..Setup::default() }
}

#[test]
fn a_client_is_asked_like_any_hook() {
    row(
        client(),
        "bash make\nbash make\nsay ok",
        r#"prompt go | until asks | reply {"decision":"deny","reason":"not now"} | until asks | reply {} | idle"#,
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asks the client's hook at BeforeToolCall
            completed #2 call bash: make declined = error "Denied by a hook: not now. The call did not run."
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 2 ToolUse
            asks the client's hook at BeforeToolCall
            updated   #3 call bash: make running
            completed #3 call bash: make completed = "made\n"
            started   #4 message running ""
            completed #4 message completed "ok"
            step 3 EndTurn
            turn Completed EndTurn denials 1 after 3 steps
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: not now. The call did not run."
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn a_client_that_answers_with_an_error_or_goes_closes_its_gate() {
    row(
        client(),
        "bash make\nbash make\nbash make\nsay ok",
        "prompt go | until asks | refuse no idea | until asks | leave | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asks the client's hook at BeforeToolCall
            notice hookFailed: the hook `of a client` at BeforeToolCall answered with an error: no idea
            completed #2 call bash: make declined = error "Denied by a hook: the hook `of a client` answered with an error: no idea, and the hook must succeed. The call did not run."
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 2 ToolUse
            asks the client's hook at BeforeToolCall
            notice hookFailed: the hook `of a client` at BeforeToolCall belongs to a client that has disconnected
            completed #3 call bash: make declined = error "Denied by a hook: the hook `of a client` belongs to a client that has disconnected, and the hook must succeed. The call did not run."
            started   #4 call bash pending
            updated   #4 call bash: make pending
            step 3 ToolUse
            notice hookFailed: the hook `of a client` at BeforeToolCall belongs to a client that has disconnected
            completed #4 call bash: make declined = error "Denied by a hook: the hook `of a client` belongs to a client that has disconnected, and the hook must succeed. The call did not run."
            started   #5 message running ""
            completed #5 message completed "ok"
            step 4 EndTurn
            turn Completed EndTurn denials 3 after 4 steps
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: the hook `of a client` answered with an error: no idea, and the hook must succeed. The call did not run."
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: the hook `of a client` belongs to a client that has disconnected, and the hook must succeed. The call did not run."
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: the hook `of a client` belongs to a client that has disconnected, and the hook must succeed. The call did not run.""#]],
    );
}

#[test]
fn a_call_that_is_not_waited_for_any_more_is_withdrawn() {
    row(
        client(),
        "bash make\nsay ok",
        "prompt go | until asks | stop | idle",
        expect![[r#"
        > prompt go: Started
        accepted Prompt "go"
        turn started
        completed #1 user "go"
        started   #2 call bash pending
        updated   #2 call bash: make pending
        step 1 ToolUse
        asks the client's hook at BeforeToolCall
        > stop: stopping, 0 returned
        completed #2 call bash: make cancelled = error "Operation aborted"
        withdrawn
        turn Interrupted after 1 steps
        --- the model read
        user "go""#]],
    );
}

#[test]
fn a_tool_of_the_client_is_called_and_gone_with_it() {
    row(
        Setup { client_tools: vec!["lookup", "ls"], ..Setup::default() },
        "call lookup {\"word\":\"pintle\"}\ncall ls {}\ncall lookup {}\nsay ok",
        r#"prompt go | until calls | reply {"content":[{"type":"text","text":"a pin"}]} | until calls | reply {"content":"?"} | until calls | leave | idle"#,
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call lookup pending
            updated   #2 call lookup pending
            step 1 ToolUse
            updated   #2 call lookup running
            calls the client's lookup {"word":"pintle"}
            completed #2 call lookup completed = "a pin"
            started   #3 call ls pending
            updated   #3 call ls pending
            step 2 ToolUse
            updated   #3 call ls running
            calls the client's ls {}
            completed #3 call ls failed = error "The tool `ls` returned an invalid result: invalid type: string \"?\", expected a sequence"
            started   #4 call lookup pending
            updated   #4 call lookup pending
            step 3 ToolUse
            updated   #4 call lookup running
            calls the client's lookup {}
            completed #4 call lookup failed = error "The tool `lookup` belongs to a client that has disconnected. Continue without it."
            started   #5 message running ""
            completed #5 message completed "ok"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            --- the model read
            user "go"
            assistant lookup {"word":"pintle"}
            result of lookup "a pin"
            assistant ls {}
            result of ls error "The tool `ls` returned an invalid result: invalid type: string \"?\", expected a sequence"
            assistant lookup {}
            result of lookup error "The tool `lookup` belongs to a client that has disconnected. Continue without it.""#]],
    );
}

#[test]
fn a_tool_of_the_client_asks_for_permission() {
    check_with(
        Setup { client_tools: vec!["lookup"], ..Setup::default() },
        PermissionMode::Ask,
        "call lookup {}\ncall lookup {}\nsay ok",
        r#"prompt go | until asked | allow-session | until calls | reply {"content":[]} | until calls | reply {"content":[],"failed":true} | idle"#,
        &expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call lookup pending
            updated   #2 call lookup pending
            step 1 ToolUse
            asked lookup: calls a client tool
            answered Allow for Session by Client
            updated   #2 call lookup running
            calls the client's lookup {}
            completed #2 call lookup completed = ""
            started   #3 call lookup pending
            updated   #3 call lookup pending
            step 2 ToolUse
            updated   #3 call lookup running
            calls the client's lookup {}
            completed #3 call lookup failed = error ""
            started   #4 message running ""
            completed #4 message completed "ok"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "go"
            assistant lookup {}
            result of lookup ""
            assistant lookup {}
            result of lookup error """#]],
    );
}

/// The program, with a client that answers questions.
fn program(place: &Place, script: &Value) -> Program {
    let script = place.script(script);
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.ask(
        "initialize",
        json!({"protocol": {"name": "pintle", "versions": ["2.0"]}, "capabilities": {"questions": {}}}),
    );
    program
}

fn text_of(event: &Value) -> &str {
    event["params"]["event"]["item"]["output"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn questions_hooks_and_tools_go_over_the_wire() {
    let place = Place::new(&[]);
    let call =
        |tool: &str, arguments: Value| json!({"blocks": [{"tool": tool, "arguments": arguments}]});
    let script = json!({"replies": [
        call("ask_user", json!({"question": "which?", "options": ["red", "blue"]})),
        call("lookup", json!({"word": "pintle"})),
        {"blocks": [{"text": "ok"}]},
    ]});
    let mut program = program(&place, &script);
    let wrong = [
        ("no points", "hook/register", json!({"points": []})),
        ("an odd point", "hook/register", json!({"points": ["never"]})),
        ("a point of the session", "hook/register", json!({"points": ["sessionEnd"]})),
        (
            "an odd name",
            "tool/register",
            json!({"name": "a b", "description": "x", "parameters": {"type": "object"}}),
        ),
        (
            "no description",
            "tool/register",
            json!({"name": "a", "description": "", "parameters": {"type": "object"}}),
        ),
        ("no schema", "tool/register", json!({"name": "a", "description": "x", "parameters": {}})),
    ];
    for (name, method, params) in wrong {
        assert_eq!(program.ask_refused(method, params)["data"]["code"], "invalidParams", "{name}");
    }
    let shape = json!({"name": "lookup", "description": "Looks a word up.", "parameters": {"type": "object"}});
    assert_eq!(program.ask("tool/register", shape), json!({}));
    program.ask("session/create", json!({}));
    let hook = json!({"points": ["afterToolCall"], "tools": ["look*"]});
    assert_eq!(program.ask("hook/register", hook), json!({}));

    program.prompt("go");
    let asked = program.until(|message| message["method"] == "question/request");
    assert_eq!(asked["params"]["options"][1], json!({"optionId": "2", "label": "blue"}));
    program.send(&json!({"id": asked["id"], "result": {"optionIds": ["2"]}}));
    assert_eq!(program.until_event("question.resolved")["optionIds"], json!(["2"]));
    let called = program.until(|message| message["method"] == "tool/call");
    assert_eq!(called["params"]["arguments"], json!({"word": "pintle"}));
    let result = json!({"content": [{"type": "text", "text": "a pin"}]});
    program.send(&json!({"id": called["id"], "result": result}));
    let hooked = program.until(|message| message["method"] == "hook/run");
    assert_eq!(hooked["params"]["result"]["text"], "a pin");
    program
        .send(&json!({"id": hooked["id"], "result": {"result": {"text": "a pin, of a rudder"}}}));
    let done = program.until(|message| message["params"]["event"]["item"]["output"].is_object());
    assert_eq!(text_of(&done), "a pin, of a rudder");
    assert_eq!(program.until_event("turn.completed")["status"], "completed");
}

#[test]
fn a_question_that_a_kill_left_open_is_closed() {
    let place = Place::new(&[]).with_processes();
    let ask = json!({"tool": "ask_user", "arguments": {"question": "which?"}});
    let mut first = program(&place, &json!({"replies": [{"blocks": [ask]}]}));
    let session = first.ask("session/create", json!({}))["sessionId"].clone();
    first.prompt("go");
    first.until_event("question.requested");
    first.signal(Signal::SIGKILL);
    first.wait();

    let mut again = program(&place, &json!({"replies": []}));
    let opened = again.ask("session/open", json!({"sessionId": session, "fromSeq": 0}));
    assert_eq!((&opened["state"]["value"], opened.get("questions")), (&json!("idle"), None));
    assert_eq!(again.until_event("question.resolved")["by"], "interrupt");
    assert_eq!(again.until_event("turn.completed")["error"]["code"], "engineRestarted");
}

#[test]
fn a_hook_of_the_config_file_is_a_real_process() {
    let place = Place::new(&[]);
    std::fs::create_dir_all(place.home()).unwrap();
    let hook = r#"
        [[hooks]]
        point = "beforeToolCall"
        tools = ["bash"]
        command = "cat > told.json; echo complaining >&2; echo '{\"arguments\": {\"command\": \"echo tamed\"}}'"

        [[hooks]]
        point = "sessionEnd"
        command = "cat > ended.json"
    "#;
    std::fs::write(place.home().join("config.toml"), hook).unwrap();
    let bash = json!({"tool": "bash", "arguments": {"command": "echo wild"}});
    let script = json!({"replies": [{"blocks": [bash]}, {"blocks": [{"text": "ok"}]}]});
    let mut program = program(&place, &script);
    program.ask("session/create", json!({}));
    program.prompt("go");
    let done = program.until(|message| message["params"]["event"]["item"]["output"].is_object());
    assert_eq!(text_of(&done), "tamed\n");
    program.until_event("turn.completed");
    program.ask("session/close", json!({}));
    let told: Value = serde_json::from_str(&place.read("told.json")).unwrap();
    assert_eq!(told["call"]["arguments"]["command"], "echo wild");
    let ended: Value = serde_json::from_str(&place.read("ended.json")).unwrap();
    assert_eq!(ended["point"], "sessionEnd");
}

#[test]
fn a_clients_tool_gets_the_arguments_that_its_schema_allows_until_it_is_taken_back() {
    let place = Place::new(&[]);
    let call = |arguments: Value| json!({"blocks": [{"tool": "lookup", "arguments": arguments}]});
    let script = json!({"replies": [
        call(json!({"word": 5})),
        call(json!({"word": "pintle", "more": true})),
        {"blocks": [{"text": "ok"}]},
        call(json!({"word": "pintle"})),
        {"blocks": [{"text": "ok"}]},
    ]});
    let mut program = program(&place, &script);
    let shape = |parameters: Value| json!({"name": "lookup", "description": "Looks a word up.", "parameters": parameters});
    let broken = program.ask("tool/register", shape(json!({"type": "object", "properties": 5})));
    assert!(
        broken["message"]
            .as_str()
            .unwrap()
            .starts_with("`parameters` is not a valid JSON Schema: "),
        "{broken}"
    );
    let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"], "additionalProperties": false});
    assert_eq!(program.ask("tool/register", shape(schema)), json!({}));
    program.ask("session/create", json!({"config": {"permissionMode": "full"}}));
    program.prompt("go");
    let said = |program: &mut Program| {
        let failed =
            program.until(|message| message["params"]["event"]["item"]["status"] == "failed");
        failed["params"]["event"]["item"]["output"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        said(&mut program),
        "The arguments do not match the schema at `/word`: 5 is not of type \"string\""
    );
    assert!(
        said(&mut program)
            .starts_with("The arguments do not match the schema: Additional properties")
    );
    program.until_event("turn.completed");
    let unknown = program.ask("tool/unregister", json!({"name": "look"}));
    assert_eq!(
        (&unknown["message"], &unknown["data"]["hint"]),
        (&json!("unknown tool `look`"), &json!("the tools of this connection are lookup"))
    );
    assert_eq!(program.ask("tool/unregister", json!({"name": "lookup"})), json!({}));
    program.prompt("again");
    assert!(said(&mut program).starts_with("Unknown tool `lookup`."));
}
