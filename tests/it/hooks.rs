//! Hooks of the settings: scenarios at the engine's border.

use crate::questions::row;
use crate::scenarios::{requests, told_with};
use crate::support::stage::{Setup, hook};
use expect_test::expect;
use pintle_agent::{Hook, ToolNames};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::hook::HookPoint::{
    AfterModelResponse, AfterToolCall, BeforeAgent, BeforeModelRequest, BeforeToolCall,
    ContextBuilt, InputReceived, SessionCompact, SessionEnd, SessionFork, SessionStart,
    SessionSwitch,
};
use pintle_protocol::hook::OnFailure;
use std::time::Duration;

/// A session whose hooks deny what opening it again would say.
fn deaf() -> Setup {
    Setup { is_reopened: false, ..Setup::default() }
}

#[test]
fn a_hook_blocks_a_call_and_the_first_block_wins() {
    row(
        Setup::default()
            .hook(hook(BeforeToolCall, "yes"), "{}")
            .hook(hook(BeforeToolCall, "no"), r#"{"decision":"deny","reason":"not on Sundays"}"#)
            .hook(hook(BeforeToolCall, "never asked"), r#"{"decision":"deny"}"#),
        "bash make\nsay ok",
        "prompt go | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            completed #2 call bash: make declined = error "Denied by a hook: not on Sundays. The call did not run."
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            yes: "beforeToolCall" call {"command":"make"}
            no: "beforeToolCall" call {"command":"make"}
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: not on Sundays. The call did not run.""#]],
    );
}

#[test]
fn a_hook_changes_arguments_and_the_next_one_sees_them() {
    row(
        Setup::default()
            .hook(hook(BeforeToolCall, "first"), r#"{"arguments":{"path":"b.txt"}}"#)
            .hook(hook(BeforeToolCall, "second"), ""),
        "read a.txt\nsay ok",
        "prompt go | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: b.txt running
            completed #2 call read: b.txt completed = "bee"
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            first: "beforeToolCall" call {"path":"a.txt"}
            second: "beforeToolCall" call {"path":"b.txt"}
            --- the model read
            user "go"
            assistant read {"path":"a.txt"}
            result of read "bee""#]],
    );
}

#[test]
fn arguments_that_a_hook_broke_do_not_run() {
    row(
        Setup::default().hook(hook(BeforeToolCall, "break"), r#"{"arguments":{"path":5}}"#),
        "read a.txt + read b.txt\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            started   #3 call read pending
            updated   #3 call read: b.txt pending
            step 1 ToolUse
            completed #2 call read: a.txt failed = error "A hook changed the arguments, and they are now invalid: `path` must be a string, not 5"
            completed #3 call read: b.txt failed = error "A hook changed the arguments, and they are now invalid: `path` must be a string, not 5"
            started   #4 message running ""
            completed #4 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant read {"path":"a.txt"} read {"path":"b.txt"}
            result of read error "A hook changed the arguments, and they are now invalid: `path` must be a string, not 5"
            result of read error "A hook changed the arguments, and they are now invalid: `path` must be a string, not 5""#]],
    );
}

#[test]
fn a_hook_changes_a_result() {
    row(
        Setup::default().hook(
            hook(AfterToolCall, "redact"),
            r#"{"result":{"text":"(nothing to see)","failed":true}}"#,
        ),
        "read a.txt\nsay ok",
        "prompt go | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt failed = error "(nothing to see)"
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            redact: "afterToolCall" call {"path":"a.txt"} result {"text":"one\ntwo"}
            --- the model read
            user "go"
            assistant read {"path":"a.txt"}
            result of read error "(nothing to see)""#]],
    );
}

#[test]
fn a_hook_is_for_the_tools_that_it_names() {
    let tools = ToolNames::new(&["*sh".to_owned()]).ok();
    let no = Hook { tools, ..hook(BeforeToolCall, "no") };
    row(
        Setup::default().hook(no, r#"{"decision":"deny","reason":"no shell"}"#),
        "read a.txt + bash make\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            completed #3 call bash: make declined = error "Denied by a hook: no shell. The call did not run."
            started   #4 message running ""
            completed #4 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "go"
            assistant read {"path":"a.txt"} bash {"command":"make"}
            result of read "one\ntwo"
            result of bash error "Denied by a hook: no shell. The call did not run.""#]],
    );
}

#[test]
fn a_hook_that_crashes_closes_its_gate() {
    row(
        Setup::default().hook(hook(BeforeToolCall, "crash"), "exit 3"),
        "bash make\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            notice hookFailed: the hook `crash` at BeforeToolCall failed with exit code 3
            completed #2 call bash: make declined = error "Denied by a hook: the hook `crash` failed with exit code 3, and the hook must succeed. The call did not run."
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: the hook `crash` failed with exit code 3, and the hook must succeed. The call did not run.""#]],
    );
}

#[test]
fn a_hook_that_crashes_and_is_set_open_holds_nothing_up() {
    let open = Hook { on_failure: OnFailure::Open, ..hook(BeforeToolCall, "crash") };
    row(
        Setup::default().hook(open, "not JSON"),
        "bash make\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            notice hookFailed: the hook `crash` at BeforeToolCall did not print a JSON document with an answer: expected ident at line 1 column 2
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn a_hook_that_hangs_is_given_up() {
    let slow = Hook { timeout: Duration::from_millis(1), ..hook(BeforeToolCall, "slow") };
    row(
        Setup::default().hook(slow, "hang"),
        "bash make\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            notice hookFailed: the hook `slow` at BeforeToolCall took longer than 0.001 s
            completed #2 call bash: make declined = error "Denied by a hook: the hook `slow` took longer than 0.001 s, and the hook must succeed. The call did not run."
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash error "Denied by a hook: the hook `slow` took longer than 0.001 s, and the hook must succeed. The call did not run.""#]],
    );
}

#[test]
fn an_interrupt_reaches_a_hook_that_hangs() {
    row(
        Setup::default().hook(hook(BeforeToolCall, "slow"), "hang"),
        "bash make\nsay ok",
        "prompt go | until step 1 | stop | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            > stop: stopping, 0 returned
            completed #2 call bash: make cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            --- the model read
            user "go""#]],
    );
}

#[test]
fn a_message_that_a_hook_denies_is_handed_back() {
    row(
        deaf().hook(hook(InputReceived, "no"), r#"{"decision":"deny","reason":"too short"}"#),
        "say never said",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            handed back "go"
            notice hookDenied: a hook denied the message: too short
            turn Failed after 0 steps hookDenied: too short"#]],
    );
}

#[test]
fn a_message_that_waits_for_a_hook_is_handed_back_when_the_turn_is_stopped() {
    row(
        deaf().hook(hook(InputReceived, "slow"), "hang"),
        "say never said",
        "prompt go | until turn started | stop | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            > stop: stopping, 0 returned
            handed back "go"
            turn Interrupted after 0 steps"#]],
    );
}

#[test]
fn hooks_change_a_message_and_add_what_the_model_is_to_know() {
    row(
        deaf()
            .hook(hook(InputReceived, "polite"), r#"{"input":"go, please"}"#)
            .hook(hook(BeforeAgent, "weather"), r#"{"context":"It rains."}"#)
            .hook(hook(ContextBuilt, "time"), r#"{"context":"It is noon."}"#)
            .hook(hook(BeforeModelRequest, "count"), "{}")
            .hook(hook(AfterModelResponse, "listen"), "{}"),
        "say ok",
        "prompt go | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go, please"
            completed #2 engine "It rains."
            started   #3 message running ""
            completed #3 message completed "ok"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            polite: "inputReceived" input "go"
            weather: "beforeAgent" input "go, please"
            time: "contextBuilt"
            count: "beforeModelRequest"
            listen: "afterModelResponse" response {"text":"ok"}
            --- the model read
            user "go, please"
            user "It rains."
            user "It is noon.""#]],
    );
}

#[test]
fn a_hook_ends_a_turn_before_the_model_is_asked() {
    row(
        deaf().hook(hook(BeforeModelRequest, "budget"), r#"{"decision":"deny","reason":"spent"}"#),
        "say never said",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            turn Failed after 0 steps hookDenied: spent"#]],
    );
}

#[test]
fn what_a_watching_hook_does_wrong_is_told_and_changes_nothing() {
    row(
        Setup::default()
            .hook(hook(SessionStart, "hello"), "exit 3")
            .hook(hook(AfterModelResponse, "listen"), r#"{"decision":"deny"}"#),
        "say ok",
        "until hookFailed | prompt go | idle",
        expect![[r#"
            notice hookFailed: the hook `hello` at SessionStart failed with exit code 3
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            completed #2 message completed "ok"
            step 1 EndTurn
            notice hookFailed: the hook `listen` at AfterModelResponse returned `decision`, which is not valid at this hook point
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go""#]],
    );
}

#[test]
fn the_begin_of_a_session_is_told_to_hooks() {
    row(
        Setup::default().hook(hook(SessionStart, "hello"), "").hook(hook(SessionEnd, "bye"), ""),
        "say ok",
        "prompt go | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            completed #2 message completed "ok"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            hello: "sessionStart"
            --- the model read
            user "go""#]],
    );
}

#[test]
fn a_hook_is_asked_before_the_conversation_is_summed_up() {
    let deny = r#"{"decision":"deny","reason":"not now"}"#;
    let asked = "say old news + used 1000\nsay ## Goal all";
    let automatic = "bash long\nbash long\nbash make + used 95000\nsay done";
    let denied = "notice hookDenied: a hook denied the summary: not now";
    for (name, answer, model, steps, seen, unseen) in [
        (
            "let through",
            "{}",
            asked,
            "prompt go | idle | compact | idle",
            "compaction Requested completed",
            "hookDenied",
        ),
        (
            "denied",
            deny,
            "say old news",
            "prompt go | idle | compact | idle",
            denied,
            "compaction Requested completed",
        ),
        (
            "denied where it was not asked for",
            deny,
            automatic,
            "prompt go | idle",
            "pruned 2 results",
            "Threshold completed",
        ),
        (
            "broken",
            "exit 3",
            "say old news",
            "prompt go | idle | compact | idle",
            "the hook `look` failed with exit code 3",
            "compaction Requested completed",
        ),
    ] {
        let setup = Setup::default().hook(hook(SessionCompact, "look"), answer);
        let told = told_with(setup, PermissionMode::Full, model, steps);
        assert!(told.contains(seen) && !told.contains(unseen), "{name}:\n{told}");
        assert!(told.contains("turn Completed"), "{name}:\n{told}");
        assert_eq!(told.contains(denied), answer == deny, "{name}:\n{told}");
    }
}

#[test]
fn what_a_hook_adds_to_the_context_holds_for_one_request() {
    let told = told_with(
        deaf().hook(hook(ContextBuilt, "time"), r#"{"context":"It is noon."}"#),
        PermissionMode::Full,
        "read a.txt\nread b.txt\nsay ok",
        "prompt go | idle",
    );
    assert_eq!(told.matches("It is noon.").count(), 1, "{told}");
    assert!(told.ends_with("result of read \"bee\"\nuser \"It is noon.\""), "{told}");
}

#[test]
fn a_hook_replaces_the_messages_of_one_request() {
    let shorter =
        r#"{"conversation":[{"role":"user","content":[{"type":"text","text":"all in short"}]}]}"#;
    let broken =
        r#"{"conversation":[{"role":"toolResult","callId":"c","toolName":"read","content":[]}]}"#;
    row(
        deaf().hook(hook(ContextBuilt, "shorten"), shorter),
        "read a.txt\nsay ok",
        "prompt go | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            shorten: "contextBuilt"
            shorten: "contextBuilt"
            --- the model read
            user "all in short""#]],
    );
    let setup = deaf().hook(hook(ContextBuilt, "break"), broken);
    let told = told_with(setup, PermissionMode::Full, "say ok", "prompt go | idle");
    assert!(
        told.contains(
            "notice hookFailed: ignored the messages from the ContextBuilt hooks: message 0: "
        ),
        "{told}"
    );
    assert!(told.ends_with("--- the model read\nuser \"go\""), "{told}");
}

#[test]
fn a_hook_changes_the_prompt_and_the_system_prompt_of_a_turn() {
    let answer = r#"{"input":"go in one line","system":"Be brief.","context":"It rains."}"#;
    let setup = || deaf().hook(hook(BeforeAgent, "brief"), answer);
    row(
        setup(),
        "say ok",
        "prompt go | idle",
        expect![[r#"
        > prompt go: Started
        accepted Prompt "go"
        turn started
        completed #1 user "go in one line"
        completed #2 engine "It rains."
        started   #3 message running ""
        completed #3 message completed "ok"
        step 1 EndTurn
        turn Completed EndTurn after 1 steps
        --- the model read
        user "go in one line"
        user "It rains.""#]],
    );
    let requests = requests(setup(), "say ok", "prompt go | idle");
    assert_eq!(&*requests[0].system, "Be brief.");
}

#[test]
fn a_hook_handles_a_message_in_the_place_of_the_model() {
    row(
        deaf().hook(hook(InputReceived, "deploy"), r#"{"decision":"handled","reason":"deployed"}"#),
        "say never said",
        "prompt /deploy | idle",
        expect![[r#"
            > prompt /deploy: Started
            accepted Prompt "/deploy"
            turn started
            handled "/deploy"
            notice hookHandled: deployed
            turn Completed EndTurn after 0 steps"#]],
    );
}

#[test]
fn a_hook_refuses_another_place_of_the_history_and_a_fork() {
    let no = r#"{"decision":"deny","reason":"not now"}"#;
    let setup =
        Setup::default().hook(hook(SessionSwitch, "stay"), no).hook(hook(SessionFork, "one"), no);
    row(
        setup,
        "say ok\nsay again",
        "prompt go | idle | back #1 | fork | prompt on | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            completed #2 message completed "ok"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > back #1: refused: a hook denied it: not now
            > fork: refused: a hook denied it: not now
            > prompt on: Started
            accepted Prompt "on"
            turn started
            completed #3 user "on"
            started   #4 message running ""
            completed #4 message completed "again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant "ok"
            user "on""#]],
    );
}
