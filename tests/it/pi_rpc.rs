//! Pi's RPC through the program: orders of events, both dialects, the end of input.

use crate::support::pi::{Pi, hello, tell};
use crate::support::program::Place;
use expect_test::{Expect, expect};
use pintle_testing::waiting::until;
use serde_json::{Value, json};

fn tools() -> Value {
    json!({"replies": [
        {"blocks": [
            {"reasoning": "let me see"},
            {"text": "I look"},
            {"tool": "read", "arguments": {"path": "a.txt"}},
            // It may change files, so it does not run beside the other call.
            {"tool": "bash", "arguments": {"command": "touch made"}},
        ]},
        {"blocks": [{"text": "done"}]},
    ]})
}

/// What a client sees of one prompt.
fn check(script: &Value, more: &[&str], last: &str, want: Expect) {
    let place = Place::new(&[("a.txt", "content\n")]);
    let mut pi = Pi::on_script(&place, script, more);
    pi.command(json!({"type": "prompt", "message": "do it"}));
    pi.until_type(last);
    want.assert_eq(&tell(&pi.seen));
}

#[test]
fn a_plain_turn() {
    check(
        &hello(),
        &[],
        "agent_settled",
        expect![[r#"
        = prompt {"disposition":"started"}
        agent_start
        turn_start
        message_start system
        message_end system
        message_start user "do it"
        message_end user "do it"
        message_start assistant
          text_start 0
          text_delta 0 "hello there"
          text_end 0
        message_end assistant "hello there" (stop)
        turn_end "stop" results=0
        agent_end messages=3 willRetry=false
        agent_settled {"aborted":false}
    "#]],
    );
}

#[test]
fn a_turn_with_tools() {
    check(
        &tools(),
        &[],
        "agent_settled",
        expect![[r#"
            = prompt {"disposition":"started"}
            agent_start
            turn_start
            message_start system
            message_end system
            message_start user "do it"
            message_end user "do it"
            message_start assistant
              thinking_start 0
              thinking_delta 0 "let me see"
              thinking_end 0
              text_start 1
              text_delta 1 "I look"
              text_end 1
              toolcall_start 2 read
              toolcall_delta 2 "{\"path\":\"a.txt\"}"
              toolcall_end 2 {"path":"a.txt"}
              toolcall_start 3 bash
              toolcall_delta 3 "{\"command\":\"touch made\"}"
              toolcall_end 3 {"command":"touch made"}
            message_end assistant thinking "let me see" "I look" call read {"path":"a.txt"} call bash {"command":"touch made"} (toolUse)
            tool_execution_start read {"path":"a.txt"}
            tool_execution_end read "content" isError=false
            tool_execution_start bash {"command":"touch made"}
            tool_execution_update bash null
            tool_execution_end bash "(no output)" isError=false
            message_start toolResult "content"
            message_end toolResult "content"
            message_start toolResult "(no output)"
            message_end toolResult "(no output)"
            turn_end "toolUse" results=2
            turn_start
            message_start assistant
              text_start 0
              text_delta 0 "done"
              text_end 0
            message_end assistant "done" (stop)
            turn_end "stop" results=0
            agent_end messages=6 willRetry=false
            agent_settled {"aborted":false}
        "#]],
    );
}

#[test]
fn a_call_is_told_to_start_when_it_starts() {
    let call = |command: &str| json!({"tool": "bash", "arguments": {"command": command}});
    let script = json!({"replies": [{"blocks": [call("touch a"), call("touch b")]}, {"blocks": [{"text": "so"}]}]});
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.prompt("go");
    let told = tell(&pi.seen);
    let calls: Vec<&str> = told
        .lines()
        .filter(|line| {
            line.starts_with("tool_execution_start") || line.starts_with("tool_execution_end")
        })
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let one = ["tool_execution_start", "tool_execution_end"];
    assert_eq!(calls, [one, one].concat(), "{told}");
}

#[test]
fn a_turn_of_the_legacy_dialect() {
    check(
        &hello(),
        &["--pi-dialect", "legacy"],
        "agent_end",
        expect![[r#"
        = prompt
        agent_start
        turn_start
        message_start user "do it"
        message_end user "do it"
        message_start assistant
          text_start 0
          text_delta 0 "hello there"
          text_end 0
        message_end assistant "hello there" (stop)
        turn_end "stop" results=0
        agent_end messages=2 willRetry=null
    "#]],
    );
}

#[test]
fn a_legacy_update_repeats_the_message() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &hello(), &["--pi-dialect", "legacy"]);
    pi.command(json!({"type": "prompt", "message": "do it"}));
    let start = pi.until_type("message_start");
    assert_eq!(start["message"]["role"], "user");
    let start = pi.until_type("message_start");
    assert_eq!(start["message"]["stopReason"], "stop");
    let last = pi.until(|line| line["assistantMessageEvent"]["type"] == "text_end");
    assert_eq!(last["message"]["content"], json!([{"type": "text", "text": "hello there"}]));
    assert_eq!(last["assistantMessageEvent"]["partial"], last["message"]);
}

#[test]
fn an_update_says_what_the_reply_has_taken_so_far() {
    let zeros = json!({"input": 0, "output": 0, "totalTokens": 0, "cost": 0});
    for (name, first, want) in [
        ("nothing is told on the way", Value::Null, zeros),
        (
            "what was read is told first",
            json!({"inputTokens": 9, "outputTokens": 1, "cacheReadTokens": 2}),
            json!({"input": 9, "output": 1, "totalTokens": 12, "cost": 0}),
        ),
    ] {
        let script = json!({"replies": [
            {"blocks": [{"text": "one two"}], "usageFirst": first, "usage": {"inputTokens": 9, "outputTokens": 7}},
        ]});
        let place = Place::new(&[]);
        let mut pi = Pi::on_script(&place, &script, &[]);
        pi.prompt("do it");
        let short = |usage: &Value| {
            json!({
                "input": usage["input"], "output": usage["output"], "totalTokens": usage["totalTokens"],
                "cost": i64::from(usage["cost"]["total"] != 0.0 && usage["cost"]["total"] != 0),
            })
        };
        let mut updates = 0;
        for line in pi.seen.iter().filter(|line| line["type"] == "message_update") {
            assert_eq!(short(&line["usage"]), want, "{name}: {line}");
            updates += 1;
        }
        assert!(updates >= 3, "{name}");
        let end = pi.seen.iter().rfind(|line| line["type"] == "message_end").unwrap();
        assert_eq!(end["message"]["usage"]["output"], 7, "{name}");
    }
}

#[test]
fn a_reply_that_is_stopped() {
    let script = json!({"replies": [{"blocks": [{"text": "begin"}], "hang": true}]});
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.command(json!({"type": "prompt", "message": "do it"}));
    pi.until(|line| line["assistantMessageEvent"]["type"] == "text_delta");
    pi.ask(json!({"type": "abort"}));
    expect![[r#"
        = prompt {"disposition":"started"}
        agent_start
        turn_start
        message_start system
        message_end system
        message_start user "do it"
        message_end user "do it"
        message_start assistant
          text_start 0
          text_delta 0 "begin"
          text_end 0
        message_end assistant "begin" (aborted) Request was aborted
        turn_end "aborted" results=0
        agent_end messages=3 willRetry=false
        agent_settled {"aborted":true}
        = abort
    "#]]
    .assert_eq(&tell(&pi.seen));
}

#[test]
fn a_tool_that_is_stopped() {
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo begun; sleep 100"}}]},
    ]});
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.command(json!({"type": "prompt", "message": "do it"}));
    pi.until(|line| line["partialResult"]["content"][0]["text"] == "begun\n");
    pi.ask(json!({"type": "abort"}));
    expect![[r#"
        = prompt {"disposition":"started"}
        agent_start
        turn_start
        message_start system
        message_end system
        message_start user "do it"
        message_end user "do it"
        message_start assistant
          toolcall_start 0 bash
          toolcall_delta 0 "{\"command\":\"echo begun; sleep 100\"}"
          toolcall_end 0 {"command":"echo begun; sleep 100"}
        message_end assistant call bash {"command":"echo begun; sleep 100"} (toolUse)
        tool_execution_start bash {"command":"echo begun; sleep 100"}
        tool_execution_update bash null
        tool_execution_update bash "begun\n"
        tool_execution_end bash "begun\n\nCommand aborted" isError=true
        message_start toolResult "begun\n\nCommand aborted"
        message_end toolResult "begun\n\nCommand aborted"
        turn_end "toolUse" results=1
        turn_start
        message_start assistant Request was aborted
        message_end assistant (aborted) Request was aborted
        turn_end "aborted" results=0
        agent_end messages=5 willRetry=false
        agent_settled {"aborted":true}
        = abort
    "#]]
    .assert_eq(&tell(&pi.seen));
}

#[test]
fn what_waits_when_a_run_is_aborted_goes_with_the_next_prompt() {
    let script = json!({"replies": [
        {"blocks": [{"text": "begin"}], "hang": true},
        {"blocks": [{"text": "one"}]},
        {"blocks": [{"text": "two"}]},
    ]});
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.command(json!({"type": "prompt", "message": "first"}));
    pi.until(|line| line["assistantMessageEvent"]["type"] == "text_delta");
    pi.data(json!({"type": "follow_up", "message": "later"}));
    pi.ask(json!({"type": "abort"}));
    assert_eq!(pi.data(json!({"type": "get_state"}))["pendingMessageCount"], 1);
    pi.seen.clear();
    pi.prompt("second");
    expect![[r#"
        queue_update {"steering":[],"followUp":["later"]}
        = prompt {"disposition":"started"}
        agent_start
        turn_start
        message_start user "second"
        message_end user "second"
        message_start assistant
          text_start 0
          text_delta 0 "one"
          text_end 0
        message_end assistant "one" (stop)
        turn_end "stop" results=0
        turn_start
        queue_update {"steering":[],"followUp":[]}
        message_start user "later"
        message_end user "later"
        message_start assistant
          text_start 0
          text_delta 0 "two"
          text_end 0
        message_end assistant "two" (stop)
        turn_end "stop" results=0
        agent_end messages=4 willRetry=false
        agent_settled {"aborted":false}
    "#]]
    .assert_eq(&tell(&pi.seen));
    assert_eq!(pi.data(json!({"type": "get_state"}))["pendingMessageCount"], 0);
}

#[test]
fn a_prompt_that_was_accepted_runs_to_its_end_though_the_input_ends() {
    let place = Place::new(&[("a.txt", "content\n")]);
    let mut pi = Pi::on_script(&place, &tools(), &[]);
    pi.command(json!({"type": "prompt", "message": "do it"}));
    pi.command(json!({"type": "get_state"}));
    pi.end_input();
    pi.rest();
    assert_eq!(pi.wait().code(), Some(0));
    let kinds: Vec<&str> = pi.seen.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(kinds.last(), Some(&"agent_settled"));
    assert_eq!(pi.seen.last().unwrap()["aborted"], false);
    assert_eq!(kinds.iter().filter(|kind| **kind == "response").count(), 2);
}

#[test]
fn two_prompts_at_once() {
    let place = Place::new(&[]);
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "until [ -e go ]; do sleep 0.01; done"}}]},
        {"blocks": [{"text": "one"}]},
        {"blocks": [{"text": "two"}]},
    ]});
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.command(json!({"type": "prompt", "message": "first"}));
    pi.command(json!({"type": "prompt", "message": "refused"}));
    pi.until_type("tool_execution_update");
    pi.data(json!({"type": "prompt", "message": "wait", "streamingBehavior": "followUp"}));
    pi.data(json!({"type": "prompt", "message": "now", "streamingBehavior": "steer"}));
    let state = pi.data(json!({"type": "get_state"}));
    assert_eq!((&state["isStreaming"], &state["pendingMessageCount"]), (&json!(true), &json!(2)));
    std::fs::write(place.path("go"), "").unwrap();
    pi.until_type("agent_settled");
    let told = tell(&pi.seen);
    let without_state: Vec<&str> =
        told.lines().filter(|line| !line.starts_with("= get_state")).collect();
    // The answers come among the first events of the run.
    let (answers, events): (Vec<&str>, Vec<&str>) =
        without_state.into_iter().partition(|line| line.starts_with("= "));
    expect![[r#"
        = prompt {"disposition":"started"}
        = prompt FAILED: Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.
        = prompt {"disposition":"queued"}
        = prompt {"disposition":"queued"}
        --
        agent_start
        turn_start
        message_start system
        message_end system
        message_start user "first"
        message_end user "first"
        message_start assistant
          toolcall_start 0 bash
          toolcall_delta 0 "{\"command\":\"until [ -e go ]; do sleep 0.01; done\"}"
          toolcall_end 0 {"command":"until [ -e go ]; do sleep 0.01; done"}
        message_end assistant call bash {"command":"until [ -e go ]; do sleep 0.01; done"} (toolUse)
        tool_execution_start bash {"command":"until [ -e go ]; do sleep 0.01; done"}
        tool_execution_update bash null
        queue_update {"steering":[],"followUp":["wait"]}
        queue_update {"steering":["now"],"followUp":["wait"]}
        tool_execution_end bash "(no output)" isError=false
        message_start toolResult "(no output)"
        message_end toolResult "(no output)"
        turn_end "toolUse" results=1
        turn_start
        queue_update {"steering":[],"followUp":["wait"]}
        message_start user "now"
        message_end user "now"
        message_start assistant
          text_start 0
          text_delta 0 "one"
          text_end 0
        message_end assistant "one" (stop)
        turn_end "stop" results=0
        turn_start
        queue_update {"steering":[],"followUp":[]}
        message_start user "wait"
        message_end user "wait"
        message_start assistant
          text_start 0
          text_delta 0 "two"
          text_end 0
        message_end assistant "two" (stop)
        turn_end "stop" results=0
        agent_end messages=8 willRetry=false
        agent_settled {"aborted":false}
    "#]].assert_eq(&format!("{}\n--\n{}\n", answers.join("\n"), events.join("\n")));
}

#[test]
fn a_client_that_dies_leaves_nothing_running() {
    let place = Place::new(&[]).with_processes();
    let script = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo begun > begun; sleep 777.125"}}]},
    ]});
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.command(json!({"type": "prompt", "message": "do it"}));
    until(|| place.path("begun").exists());
    pi.child.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(pi.wait().code(), Some(143));
    until(|| !crate::support::program::is_running("sleep 777.125"));
}
