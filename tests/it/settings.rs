//! Settings of the limits, tools and prompts of sessions: that each of them holds.

use crate::scenarios::{check_with, told_with};
use crate::support::program::{Framing, Place, Program};
use crate::support::stage::Setup;
use expect_test::expect;
use pintle_agent::Limits;
use pintle_protocol::approval::PermissionMode;
use serde_json::{Value, json};
use std::process::{Output, Stdio};

fn limited(limits: Limits) -> Setup {
    Setup { limits, is_reopened: false, ..Setup::default() }
}

#[test]
fn a_session_takes_no_more_turns_than_its_limit() {
    check_with(
        limited(Limits { turns: Some(2), ..Limits::default() }),
        PermissionMode::Full,
        "say one + gate g\nsay two\nsay three",
        "prompt a | gate g | queue b | queue c | open g | idle | prompt d | idle",
        &expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            > queue b: Queued
            accepted FollowUp "b"
            > queue c: Queued
            accepted FollowUp "c"
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #3 user "b"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            notice messagesHandedBack: the queued messages were returned: the session reached its limit of 2 turns
            handed back "c"
            > prompt d: refused: the session reached its limit of 2 turns
            --- the model read
            user "a"
            assistant "one"
            user "b""#]],
    );
}

#[test]
fn sub_agents_start_others_as_deep_as_the_settings_say() {
    let model = "spawn alpha\ncall wait {}\nsay done\n@alpha: spawn beta\n@alpha: call wait {}\n@alpha: say so they say\n@beta: spawn gamma\n@beta: say alone";
    let told = |subagent_depth| {
        let limits = Limits { subagent_depth, ..Limits::default() };
        told_with(limited(limits), PermissionMode::Full, model, "prompt go | idle")
    };
    let has = |told: &str, text: &str| assert!(told.contains(text), "{text}\n{told}");
    has(&told(0), "Unknown tool `spawn_agent`");
    has(&told(1), "agent-1 finished with (turns used: 3):\\nso they say");
    assert_eq!(told(1).matches("spawn_agent failed = error \"Unknown tool").count(), 1);
    let two = told(2);
    has(&two, "agent-1 finished with (turns used: 3):\\nso they say");
    has(&two, "agent-1 finished with (turns used: 2):\\nalone");
}

#[test]
fn the_window_of_loop_detection_is_a_setting() {
    let model = "bash make\n".repeat(6) + "say ok";
    for (loop_window, want) in [(10, false), (4, true), (0, false)] {
        let setup = limited(Limits { loop_window, ..Limits::default() });
        let told = told_with(setup, PermissionMode::Full, &model, "prompt go | idle");
        assert_eq!(told.contains("loopDetected"), want, "{loop_window}\n{told}");
    }
}

/// A place whose config file says this.
fn place_with(config: &str) -> Place {
    let place = Place::new(&[("a.txt", "one\ntwo\nthree\n")]);
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    place
}

fn run(place: &Place, replies: &Value, args: &[&str]) -> Output {
    let script = place.script(&json!({ "replies": replies }));
    let mut all = vec!["run", "go", "--permission", "full", "--script", &script];
    all.extend(args);
    place.command(&all).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Two calls: one of `bash`, one of `read`.
fn calls() -> Value {
    json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "seq 30"}}, {"tool": "read", "arguments": {"path": "a.txt"}}]},
        {"blocks": [{"text": "done"}]},
    ])
}

#[test]
fn a_sub_agent_that_is_opened_again_starts_others_as_deep_as_before() {
    let spawn = |task: &str| json!({"tool": "spawn_agent", "arguments": {"task": task}});
    let wait = json!({"tool": "wait", "arguments": {}});
    for (depth, may_start) in [(1, false), (2, true)] {
        let place = place_with(&format!("[limits]\nsubagent_depth = {depth}\n"));
        let start = |replies: Value| {
            let script = place.script(&json!({ "replies": replies }));
            let args = ["serve", "--permission", "full", "--script", &script];
            let mut program = Program::start(place.engine(&args), Framing::Lines);
            program.initialize();
            program
        };
        let mut program = start(json!([
            {"blocks": [spawn("alpha")]},
            {"blocks": [wait]},
            {"blocks": [{"text": "done"}]},
            {"of": "alpha", "blocks": [{"text": "mine"}]},
        ]));
        program.ask("session/create", json!({}));
        program.prompt("go");
        let item =
            program.until(|message| message["params"]["event"]["item"]["type"] == "subagent");
        let agent = item["params"]["event"]["item"]["sessionId"].clone();
        program.until_event("turn.completed");
        program.end_input();
        program.wait();

        let mut program = start(json!([
            {"blocks": [spawn("beta")]},
            {"blocks": [{"text": "done"}]},
            {"of": "beta", "blocks": [{"text": "its own"}]},
        ]));
        program.ask("session/open", json!({"sessionId": agent}));
        program.prompt("go on");
        let call = program.until(|message| {
            message["params"]["event"]["type"] == "item.completed"
                && message["params"]["event"]["item"]["toolName"] == "spawn_agent"
        });
        let item = &call["params"]["event"]["item"];
        assert_eq!(item["status"] == "completed", may_start, "{depth}: {item}");
    }
}

#[test]
fn the_tools_of_a_session_are_those_that_are_named() {
    for (name, config, args) in [
        ("the file", "[tools]\nallow = [\"r*\", \"grep\"]\n", &[][..]),
        ("the flag", "", &["--tools", "read,grep"]),
        ("both", "[tools]\nallow = [\"read\", \"bash\"]\n", &["--tools", "read,grep"]),
    ] {
        let place = place_with(config);
        let args = [args, &["--format", "events"]].concat();
        let out = text(&run(&place, &calls(), &args).stdout);
        assert!(out.contains("Unknown tool `bash`"), "{name}: {out}");
        assert!(out.contains("one\\ntwo\\nthree"), "{name}: {out}");
    }
    for (config, want) in [
        (
            "allow = ['rede']",
            "`tools.allow`: unknown tool `rede`; expected one of Agent, AskUserQuestion, ",
        ),
        ("profile = 'nothing'", "unknown tools.profile `nothing`; expected one of pi, anthropic, "),
    ] {
        let place = place_with(&format!("[tools]\n{config}\n"));
        let out = run(&place, &calls(), &[]);
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(want), "{out:?}");
    }
    let place = place_with("");
    let out = run(&place, &calls(), &["--tools", "rede"]);
    assert!(text(&out.stderr).contains("--tools: unknown tool `rede`"), "{out:?}");
}

#[test]
fn a_session_is_made_with_the_tools_that_its_client_names() {
    let place = place_with("");
    let script = json!({ "replies": calls() });
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.initialize();
    let config = json!({"tools": ["rede"]});
    let refused = program.ask("session/create", json!({"config": config}));
    assert_eq!(refused["message"], "unknown tool `rede`");
    let config = json!({"tools": ["read", "find"], "permissionMode": "full"});
    let made = program.ask("session/create", json!({"config": config}));
    let id = made["sessionId"].clone();
    assert!(id.is_string(), "{made}");
    let input = json!([{"type": "text", "text": "go"}]);
    program.ask("turn/start", json!({"sessionId": id, "input": input}));
    let ended = program.until(|message| {
        let item = &message["params"]["event"]["item"];
        item["toolName"] == "bash" && item["status"] == "declined"
    });
    let said = ended["params"]["event"]["item"]["output"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        said,
        "Unknown tool `bash`. Available tools: read, find, ls. The user excluded it from this session: do not try to achieve the same result another way."
    );
    let again =
        program.ask("session/open", json!({"sessionId": id, "config": {"tools": ["read"]}}));
    assert_eq!(again["message"], "a session's tools cannot be changed");
}

#[test]
fn outputs_and_times_are_limited_by_the_settings() {
    let place = place_with("[tools]\nmax_output_lines = 2\ncommand_timeout_s = 1\n");
    let replies = json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "seq 30"}}, {"tool": "read", "arguments": {"path": "a.txt"}}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": "sleep 30"}}]},
        {"blocks": [{"text": "done"}]},
    ]);
    let out = text(&run(&place, &replies, &["--format", "events"]).stdout);
    for want in [
        "29\\n30\\n\\n[Showing lines 29-30 of 30.",
        "one\\ntwo\\n\\n[Showing lines 1-2 of 3. Use offset=3 to continue.]",
        "Command timed out after 1 seconds, the default.",
    ] {
        assert!(out.contains(want), "{want}: {out}");
    }
}

#[test]
fn a_text_of_the_users_takes_the_place_of_the_engines_instructions() {
    let file = "system_prompt_file = \"prompt.md\"\n";
    for (name, config, args, want) in [
        ("the flag", "", &["--system-prompt", "You are a poet."][..], "You are a poet."),
        ("a file by the flag", "", &["--system-prompt", "a.txt"], "one\\ntwo\\nthree"),
        ("the config file", file, &[], "From the file."),
        (
            "the flag over the config file",
            file,
            &["--system-prompt", "You are a poet."],
            "You are a poet.",
        ),
        ("nothing", "", &[], "pintle"),
    ] {
        let place = place_with(config);
        std::fs::write(place.home().join("prompt.md"), "From the file.\n").unwrap();
        let out = run(&place, &json!([{"blocks": [{"text": "done"}]}]), args);
        assert!(out.status.success(), "{name}: {out:?}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        let prompt = journal.lines().find(|line| line.contains("\"prompt.made\"")).unwrap();
        assert!(
            prompt.contains(&format!("\"system\":\"{want}")) || name == "nothing",
            "{name}: {prompt}"
        );
        assert_eq!(
            prompt.contains("You are a coding agent"),
            name == "nothing",
            "{name}: {prompt}"
        );
    }
}
