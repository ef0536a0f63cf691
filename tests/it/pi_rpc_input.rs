//! Pi's RPC through the program: bad lines, bad arguments, lines without an end.

use crate::support::pi::{Pi, engine, hello, tell, words};
use crate::support::program::Place;
use serde_json::json;

#[test]
fn bad_lines_get_their_answer_and_the_engine_lives_on() {
    let rows: &[(&str, &str)] = &[
        ("not json", "= parse FAILED: Failed to parse command: expected ident at line 1 column 2"),
        (
            "",
            "= parse FAILED: Failed to parse command: EOF while parsing a value at line 1 column 0",
        ),
        ("\u{2028}", "= parse FAILED: Failed to parse command: expected value at line 1 column 1"),
        ("null", "=  FAILED: Unknown command: undefined"),
        ("{}", "=  FAILED: Unknown command: undefined"),
        ("[1,2]", "=  FAILED: Unknown command: undefined"),
        (r#"{"type":"nope"}"#, "= nope FAILED: Unknown command: nope"),
        (r#"{"type":"prompt"}"#, "= prompt FAILED: prompt: missing field `message`"),
        (
            r#"{"type":"prompt","message":" "}"#,
            "= prompt FAILED: the input is empty\nsend at least one non-blank block",
        ),
        (r#"{"type":"set_thinking_level","level":"bogus"}"#, "= set_thinking_level"),
        (
            r#"{"type":"set_model","provider":"x"}"#,
            "= set_model FAILED: set_model: missing field `modelId`",
        ),
        (r#"{"type":"fork","entryId":"nope"}"#, "= fork FAILED: Invalid entry ID for forking"),
        (r#"{"type":"clone"}"#, "= clone FAILED: Cannot clone session: no current entry selected"),
        (r#"{"type":"get_entries","since":"nope"}"#, "= get_entries FAILED: Entry not found: nope"),
        (
            r#"{"type":"set_session_name","name":"  "}"#,
            "= set_session_name FAILED: Session name cannot be empty",
        ),
        (r#"{"type":"compact"}"#, "= compact FAILED: Nothing to compact (session too small)"),
        (
            r#"{"type":"export_html"}"#,
            "= export_html FAILED: Nothing to export yet - start a conversation first",
        ),
        (
            r#"{"type":"switch_session","sessionPath":"nope/x.jsonl"}"#,
            "= switch_session FAILED: Session file not found: PROJECT/nope/x.jsonl",
        ),
        (
            r#"{"type":"switch_session","sessionPath":"a.txt"}"#,
            "= switch_session FAILED: Session file is not a valid pi session: PROJECT/a.txt",
        ),
        (r#"{"type":"get_last_assistant_text"}"#, "= get_last_assistant_text {}"),
        (r#"{"type":"abort"}"#, "= abort"),
        (r#"{"type":"abort_bash"}"#, "= abort_bash"),
        (r#"{"type":"abort_retry"}"#, "= abort_retry"),
        (
            r#"{"type":"clear_queue"}"#,
            "queue_update {\"steering\":[],\"followUp\":[]}\n= clear_queue {\"steering\":[],\"followUp\":[]}",
        ),
        (r#"{"type":"extension_ui_response","id":"nobody","confirmed":true}"#, ""),
    ];
    let place = Place::new(&[("a.txt", "content\n")]);
    let mut pi = Pi::on_script(&place, &hello(), &[]);
    for (line, want) in rows {
        pi.seen.clear();
        pi.send_line(line.as_bytes());
        let id = pi.command(json!({"type": "get_commands"}));
        pi.until(|line| line["id"] == id);
        pi.seen.pop();
        let got = tell(&pi.seen).replace(place.project().to_str().unwrap(), "PROJECT");
        assert_eq!(got.trim_end(), *want, "{line}");
    }
    assert_eq!(place.read("a.txt"), "content\n");
    assert!(!place.path("nope").exists(), "a folder was made");
}

#[test]
fn what_cannot_be_started_says_why() {
    for (args, want) in [
        ("@file", "@file arguments are not supported in RPC mode"),
        ("--model nonsense-x", "unknown model `nonsense-x`"),
        ("--model script/x --session nobody", "No session found matching 'nobody'"),
        ("--model script/x --session gone.jsonl", "Session file not found: "),
        ("--model script/x --session-id a/b", "Invalid session id: a/b"),
        ("--model script/x --session x --continue", "cannot be used with"),
        ("--provider nobody", "no known models for `nobody`"),
        (
            "--provider nobody --model x --api-key k",
            "`nobody` accepts no key from the command line",
        ),
        ("", "no model is set"),
    ] {
        let place = Place::new(&[]);
        let args: Vec<&str> =
            ["--mode", "rpc"].into_iter().chain(args.split_whitespace()).collect();
        let mut command = place.command(&args);
        command.env("PI_CODING_AGENT_DIR", place.home().join("pi"));
        let done = command.stdin(std::process::Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.contains(want), "{args:?} said {said:?} and not {want:?}");
        assert_eq!((done.status.code(), done.stdout.len()), (Some(2), 0), "{args:?}");
    }
}

#[test]
fn a_last_line_without_an_end_is_answered() {
    let place = Place::new(&[]);
    let mut child = engine(&place, &hello(), &[])
        .command()
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), br#"{"type":"get_commands"}"#)
        .unwrap();
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(
        said.starts_with(r#"{"type":"response","command":"get_commands","success":true"#),
        "{said}"
    );
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn the_command_line_names_the_model_and_its_level() {
    for (args, want) in [
        ("--model script/x --thinking high", ["script", "x", "high"]),
        ("--model script/x:low --thinking high", ["script", "x", "high"]),
        ("--provider script --model x:low", ["script", "x", "low"]),
        ("--provider script --model x:free", ["script", "x:free", "off"]),
        ("--model script/x --thinking off", ["script", "x", "off"]),
        ("--model script/x:low --thinking bogus", ["script", "x", "low"]),
    ] {
        let place = Place::new(&[]);
        let mut pi = Pi::on_script(&place, &hello(), &args.split(' ').collect::<Vec<_>>());
        let state = pi.data(json!({"type": "get_state"}));
        let got = [&state["model"]["provider"], &state["model"]["id"], &state["thinkingLevel"]];
        assert_eq!(got, want, "{args}");
    }
}

/// A message for a run that ends at this moment begins one of its own; an aborted run, or another command in between, has it wait.
#[test]
fn a_message_that_crosses_the_end_of_its_run_is_read() {
    // Name, the kind, what the client sends in between, whether a run begins.
    for (name, kind, between, begins) in [
        ("a steer", "steer", None, true),
        ("a follow-up", "follow_up", None, true),
        ("a steer after a look", "steer", Some("get_state"), false),
        ("a follow-up after a look", "follow_up", Some("get_state"), false),
    ] {
        let place = Place::new(&[]);
        let mut pi = Pi::on_script(&place, &words(&["one", "two"]), &[]);
        pi.prompt("first");
        if let Some(between) = between {
            pi.data(json!({"type": between}));
        }
        let sent = pi.data(json!({"type": kind, "message": "second"}));
        assert_eq!(sent["disposition"], if begins { "started" } else { "queued" }, "{name}");
        if begins {
            pi.until_type("agent_settled");
            assert_eq!(
                pi.data(json!({"type": "get_last_assistant_text"}))["text"],
                "two",
                "{name}"
            );
        } else {
            assert_eq!(pi.data(json!({"type": "get_state"}))["pendingMessageCount"], 1, "{name}");
        }
    }
}
