//! Scenarios at the engine's border: a script of model replies and a client's steps in, a transcript out. After each,
//! the session is opened again from its journal and must tell the model the same story.

use crate::support::stage::{Setup, Stage};
use expect_test::{Expect, expect};
use pintle_protocol::approval::PermissionMode;
use std::time::Duration;

/// Far more than any scenario takes; a loop that hangs fails here instead of for ever.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn check(mode: PermissionMode, model: &str, steps: &str, want: &Expect) {
    check_with(Setup::default(), mode, model, steps, want);
}

pub(crate) fn check_with(
    setup: Setup,
    mode: PermissionMode,
    model: &str,
    steps: &str,
    want: &Expect,
) {
    want.assert_eq(&told_with(setup, mode, model, steps));
}

/// Plays the steps and opens the session again; the transcript.
pub(crate) fn told_with(setup: Setup, mode: PermissionMode, model: &str, steps: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let data = tempfile::tempdir().unwrap();
    let is_reopened = setup.is_reopened;
    let played = async {
        let mut stage = Stage::set_up(data.path(), model, mode, setup).await;
        for step in steps.split(" | ") {
            let done = tokio::time::timeout(PATIENCE, stage.act(step.trim())).await;
            assert!(done.is_ok(), "`{step}` hangs after:\n{}", stage.transcript());
        }
        let transcript = stage.transcript();
        if is_reopened {
            stage.check_reopening(data.path()).await;
        }
        transcript
    };
    let played = async { tokio::time::timeout(PATIENCE, played).await };
    runtime.block_on(played).unwrap_or_else(|_| panic!("the scenario hangs"))
}

pub(crate) fn full(model: &str, steps: &str, want: Expect) {
    check(PermissionMode::Full, model, steps, &want);
}

pub(crate) fn ask(model: &str, steps: &str, want: Expect) {
    check(PermissionMode::Ask, model, steps, &want);
}

#[test]
fn a_prompt_is_answered() {
    full(
        "think hm + say hello there",
        "prompt hi | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            started   #2 reasoning running ""
            completed #2 reasoning completed "hm"
            started   #3 message running ""
            completed #3 message completed "hello there"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi""#]],
    );
}

#[test]
fn tools_run_and_their_results_go_back() {
    full(
        "say look + read a.txt\nedit a.txt one -> 1\nbash make\nsay done",
        "prompt fix it | idle",
        expect![[r#"
            > prompt fix it: Started
            accepted Prompt "fix it"
            turn started
            completed #1 user "fix it"
            started   #2 message running ""
            completed #2 message completed "look"
            started   #3 call read pending
            updated   #3 call read: a.txt pending
            step 1 ToolUse
            updated   #3 call read: a.txt running
            completed #3 call read: a.txt completed = "one\ntwo"
            started   #4 call edit pending
            updated   #4 call edit: a.txt pending
            step 2 ToolUse
            updated   #4 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #4 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #5 call bash pending
            updated   #5 call bash: make pending
            step 3 ToolUse
            updated   #5 call bash: make running
            completed #5 call bash: make completed = "made\n"
            started   #6 message running ""
            completed #6 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            --- the model read
            user "fix it"
            assistant "look" read {"path":"a.txt"}
            result of read "one\ntwo"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit "Successfully replaced text in a.txt."
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn reading_calls_run_side_by_side_and_keep_their_order() {
    full(
        "read a.txt + read b.txt + read none.txt\nsay ok",
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
            started   #4 call read pending
            updated   #4 call read: none.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            updated   #3 call read: b.txt running
            updated   #4 call read: none.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            completed #3 call read: b.txt completed = "bee"
            completed #4 call read: none.txt failed = error "File not found: none.txt (ENOENT)"
            started   #5 message running ""
            completed #5 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant read {"path":"a.txt"} read {"path":"b.txt"} read {"path":"none.txt"}
            result of read "one\ntwo"
            result of read "bee"
            result of read error "File not found: none.txt (ENOENT)""#]],
    );
}

#[test]
fn a_failing_command_is_data_for_the_model() {
    full(
        "bash fail\nsay it failed",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: fail pending
            step 1 ToolUse
            updated   #2 call bash: fail running
            completed #2 call bash: fail failed = error "oh no\n\nCommand exited with code 3"
            started   #3 message running ""
            completed #3 message completed "it failed"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant bash {"command":"fail"}
            result of bash error "oh no\n\nCommand exited with code 3""#]],
    );
}

#[test]
fn an_unknown_tool_and_broken_arguments_teach() {
    full(
        "call fly {\"to\":\"the moon\"} + call read {\"path\":5} + call bash {broken\nsay sorry",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call fly pending
            updated   #2 call fly pending
            started   #3 call read pending
            updated   #3 call read pending
            started   #4 call bash pending
            updated   #4 call bash pending
            step 1 ToolUse
            completed #2 call fly failed = error "There is no tool `fly`. The tools are: read, bash, job, edit, write, grep, find, ls, todo_write, recall, spawn_agent, send_input, wait, close_agent."
            completed #3 call read failed = error "`path` must be a string, not 5"
            completed #4 call bash failed = error "The arguments are not valid JSON (key must be a string at line 1 column 2). Send the call again with a JSON object."
            started   #5 message running ""
            completed #5 message completed "sorry"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant fly {"to":"the moon"} read {"path":5} bash {broken
            result of fly error "There is no tool `fly`. The tools are: read, bash, job, edit, write, grep, find, ls, todo_write, recall, spawn_agent, send_input, wait, close_agent."
            result of read error "`path` must be a string, not 5"
            result of bash error "The arguments are not valid JSON (key must be a string at line 1 column 2). Send the call again with a JSON object.""#]],
    );
}

#[test]
fn a_steer_between_calls_skips_what_has_not_begun() {
    full(
        "bash wait + bash make + edit a.txt one -> 1\nsay as you wish",
        "prompt go | until call bash: wait running | steer stop that | stop keep | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            started   #3 call bash pending
            updated   #3 call bash: make pending
            started   #4 call edit pending
            updated   #4 call edit: a.txt pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            > steer stop that: accepted
            accepted Steer "stop that"
            > stop keep: stopping, 0 returned
            completed #2 call bash: wait cancelled = error "waiting\n\nCommand aborted"
            completed #3 call bash: make cancelled = error "Operation aborted"
            completed #4 call edit: a.txt cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            turn started
            completed #5 user "stop that"
            started   #6 message running ""
            completed #6 message completed "as you wish"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait"} bash {"command":"make"} edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of bash error "waiting\n\nCommand aborted"
            result of bash error "Operation aborted"
            result of edit error "Operation aborted"
            user "stop that""#]],
    );
}

#[test]
fn a_steer_while_the_model_streams_is_read_before_its_next_reply() {
    full(
        "say let me + gate g + say  see\nsay all right",
        "prompt go | gate g | steer be brief | open g | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > steer be brief: accepted
            accepted Steer "be brief"
            completed #2 message completed "let me see"
            step 1 EndTurn
            completed #3 user "be brief"
            started   #4 message running ""
            completed #4 message completed "all right"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant "let me see"
            user "be brief""#]],
    );
}

#[test]
fn a_steer_while_a_call_runs_skips_the_rest() {
    full(
        "say a + gate g + bash make + bash fail\nsay changed",
        "prompt go | gate g | steer do not | open g | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > steer do not: accepted
            accepted Steer "do not"
            completed #2 message completed "a"
            started   #3 call bash pending
            updated   #3 call bash: make pending
            started   #4 call bash pending
            updated   #4 call bash: fail pending
            step 1 ToolUse
            updated   #3 call bash: make running
            completed #3 call bash: make completed = "made\n"
            completed #4 call bash: fail cancelled = error "Skipped due to queued user message"
            completed #5 user "do not"
            started   #6 message running ""
            completed #6 message completed "changed"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant "a" bash {"command":"make"} bash {"command":"fail"}
            result of bash "made\n"
            result of bash error "Skipped due to queued user message"
            user "do not""#]],
    );
}

#[test]
fn a_steer_without_a_turn_is_told_so() {
    full(
        "say hello",
        "steer hi | prompt hi | idle",
        expect![[r#"
            > steer hi: no active turn
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            started   #2 message running ""
            completed #2 message completed "hello"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi""#]],
    );
}

#[test]
fn a_follow_up_gets_a_turn_of_its_own() {
    full(
        "say one + gate g\nsay two\nsay three",
        "prompt a | gate g | queue b | queue c | open g | idle",
        expect![[r#"
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
            turn started
            completed #5 user "c"
            started   #6 message running ""
            completed #6 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "a"
            assistant "one"
            user "b"
            assistant "two"
            user "c""#]],
    );
}

#[test]
fn a_prompt_while_a_turn_runs_is_refused() {
    full(
        "say one + gate g",
        "prompt a | gate g | prompt b | open g | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            > prompt b: refused: a turn is running
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn an_empty_prompt_is_refused() {
    full(
        "say one",
        "prompt   | prompt hi | idle",
        expect![[r#"
            > prompt: refused: the input is empty
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi""#]],
    );
}

#[test]
fn a_stop_while_the_model_streams_keeps_what_was_said() {
    full(
        "say so far + gate g + say  and no further",
        "prompt a | gate g | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            > stop: stopping, 0 returned
            completed #2 message cancelled "so far"
            step 1 cut
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_stop_before_the_first_word_leaves_nothing() {
    full(
        "hang",
        "prompt a | until turn started | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            > stop: stopping, 0 returned
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_stop_in_a_half_made_call_never_runs_it() {
    full(
        "say x + call bash {\"command\":\"make\"} + gate g",
        "prompt a | gate g | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            completed #2 message completed "x"
            started   #3 call bash pending
            > stop: stopping, 0 returned
            completed #3 call bash cancelled
            step 1 cut
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_stop_while_a_command_runs_ends_it() {
    full(
        "bash wait + bash make",
        "prompt a | until bash: wait running | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            > stop: stopping, 0 returned
            completed #2 call bash: wait cancelled = error "waiting\n\nCommand aborted"
            completed #3 call bash: make cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_stop_hands_unread_messages_back() {
    full(
        "say one + gate g",
        "prompt a | gate g | steer s | queue q | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            > steer s: accepted
            accepted Steer "s"
            > queue q: Queued
            accepted FollowUp "q"
            > stop: stopping, 2 returned
            handed back "s", "q"
            completed #2 message cancelled "one"
            step 1 cut
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_stop_can_keep_the_queue() {
    full(
        "say one + gate g\nsay two",
        "prompt a | gate g | queue q | stop keep | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            > queue q: Queued
            accepted FollowUp "q"
            > stop keep: stopping, 0 returned
            completed #2 message cancelled "one"
            step 1 cut
            turn Interrupted after 1 steps
            turn started
            completed #3 user "q"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "a"
            assistant "one"
            user "q""#]],
    );
}

#[test]
fn a_second_stop_is_harmless() {
    full(
        "hang",
        "prompt a | until turn started | stop | stop | idle | stop",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            > stop: stopping, 0 returned
            > stop: no active turn, 0 returned
            turn Interrupted after 1 steps
            > stop: no active turn, 0 returned
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_provider_that_fails_ends_the_turn_and_not_the_session() {
    full(
        "say half a + fail invalidRequest not like this\nsay now it works",
        "prompt a | idle | prompt b | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            completed #2 message cancelled "half a"
            step 1 cut
            turn Failed after 1 steps invalidRequest: not like this
            > prompt b: Started
            accepted Prompt "b"
            turn started
            completed #3 user "b"
            started   #4 message running ""
            completed #4 message completed "now it works"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "a"
            assistant "half a"
            user "b""#]],
    );
}

#[test]
fn a_reply_at_its_limit_goes_on_by_itself() {
    full(
        "say very long + cut\nsay and its end",
        "prompt a | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            completed #2 message completed "very long"
            step 1 MaxTokens
            completed #3 engine "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing."
            started   #4 message running ""
            completed #4 message completed "and its end"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant "very long"
            user "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing.""#]],
    );
}

#[test]
fn a_reply_that_its_provider_paused_goes_on_as_it_stands() {
    full(
        "say so far + pause\nsay and its end",
        "prompt a | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            completed #2 message completed "so far"
            step 1 Paused
            started   #3 message running ""
            completed #3 message completed "and its end"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant "so far""#]],
    );
}

#[test]
fn a_reply_that_is_always_at_its_limit_ends_after_three_continuations() {
    full(
        "say a + cut\nsay b + cut\nsay c + cut\nsay d + cut",
        "prompt x | idle",
        expect![[r#"
        > prompt x: Started
        accepted Prompt "x"
        turn started
        completed #1 user "x"
        started   #2 message running ""
        completed #2 message completed "a"
        step 1 MaxTokens
        completed #3 engine "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing."
        started   #4 message running ""
        completed #4 message completed "b"
        step 2 MaxTokens
        completed #5 engine "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing."
        started   #6 message running ""
        completed #6 message completed "c"
        step 3 MaxTokens
        completed #7 engine "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing."
        started   #8 message running ""
        completed #8 message completed "d"
        step 4 MaxTokens
        turn Completed MaxTokens after 4 steps
        --- the model read
        user "x"
        assistant "a"
        user "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing."
        assistant "b"
        user "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing."
        assistant "c"
        user "From the engine, not from the user: your reply reached its length limit and was cut there. Go on exactly where it stopped, and repeat nothing.""#]],
    );
}

#[test]
fn a_steer_goes_before_a_continuation() {
    full(
        "say a + gate g + cut\nsay b",
        "prompt x | gate g | steer no more | open g | idle",
        expect![[r#"
            > prompt x: Started
            accepted Prompt "x"
            turn started
            completed #1 user "x"
            started   #2 message running ""
            > steer no more: accepted
            accepted Steer "no more"
            completed #2 message completed "a"
            step 1 MaxTokens
            completed #3 user "no more"
            started   #4 message running ""
            completed #4 message completed "b"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "x"
            assistant "a"
            user "no more""#]],
    );
}

#[test]
fn a_model_that_goes_in_circles_is_warned_twice_and_then_stopped() {
    let model = ["call ls {}\n".repeat(9), "call ls {} + call ls {}\n".repeat(8)].concat();
    check(
        PermissionMode::Full,
        &model,
        "prompt x | idle",
        &expect![[r#"
        > prompt x: Started
        accepted Prompt "x"
        turn started
        completed #1 user "x"
        started   #2 call ls pending
        updated   #2 call ls: . pending
        step 1 ToolUse
        updated   #2 call ls: . running
        completed #2 call ls: . completed = "a.txt\nb.txt"
        started   #3 call ls pending
        updated   #3 call ls: . pending
        step 2 ToolUse
        updated   #3 call ls: . running
        completed #3 call ls: . completed = "a.txt\nb.txt"
        started   #4 call ls pending
        updated   #4 call ls: . pending
        step 3 ToolUse
        updated   #4 call ls: . running
        completed #4 call ls: . completed = "a.txt\nb.txt"
        started   #5 call ls pending
        updated   #5 call ls: . pending
        step 4 ToolUse
        updated   #5 call ls: . running
        completed #5 call ls: . completed = "a.txt\nb.txt"
        started   #6 call ls pending
        updated   #6 call ls: . pending
        step 5 ToolUse
        updated   #6 call ls: . running
        completed #6 call ls: . completed = "a.txt\nb.txt"
        started   #7 call ls pending
        updated   #7 call ls: . pending
        step 6 ToolUse
        updated   #7 call ls: . running
        completed #7 call ls: . completed = "a.txt\nb.txt"
        started   #8 call ls pending
        updated   #8 call ls: . pending
        step 7 ToolUse
        updated   #8 call ls: . running
        completed #8 call ls: . completed = "a.txt\nb.txt"
        started   #9 call ls pending
        updated   #9 call ls: . pending
        step 8 ToolUse
        updated   #9 call ls: . running
        completed #9 call ls: . completed = "a.txt\nb.txt"
        started   #10 call ls pending
        updated   #10 call ls: . pending
        step 9 ToolUse
        updated   #10 call ls: . running
        completed #10 call ls: . completed = "a.txt\nb.txt"
        started   #11 call ls pending
        updated   #11 call ls: . pending
        started   #12 call ls pending
        updated   #12 call ls: . pending
        step 10 ToolUse
        updated   #11 call ls: . running
        updated   #12 call ls: . running
        completed #11 call ls: . completed = "a.txt\nb.txt"
        completed #12 call ls: . completed = "a.txt\nb.txt"
        notice loopDetected: the model makes the same call again and again
        completed #13 engine "From the engine, not from the user: you make the same call over and over, with the same arguments. Their results will not change. Try something else, or say what keeps you from going on."
        started   #14 call ls pending
        updated   #14 call ls: . pending
        started   #15 call ls pending
        updated   #15 call ls: . pending
        step 11 ToolUse
        updated   #14 call ls: . running
        updated   #15 call ls: . running
        completed #14 call ls: . completed = "a.txt\nb.txt"
        completed #15 call ls: . completed = "a.txt\nb.txt"
        started   #16 call ls pending
        updated   #16 call ls: . pending
        started   #17 call ls pending
        updated   #17 call ls: . pending
        step 12 ToolUse
        updated   #16 call ls: . running
        updated   #17 call ls: . running
        completed #16 call ls: . completed = "a.txt\nb.txt"
        completed #17 call ls: . completed = "a.txt\nb.txt"
        notice loopDetected: the model makes the same call again and again
        completed #18 engine "From the engine, not from the user: you make the same call over and over, with the same arguments. Their results will not change. Try something else, or say what keeps you from going on."
        started   #19 call ls pending
        updated   #19 call ls: . pending
        started   #20 call ls pending
        updated   #20 call ls: . pending
        step 13 ToolUse
        updated   #19 call ls: . running
        updated   #20 call ls: . running
        completed #19 call ls: . completed = "a.txt\nb.txt"
        completed #20 call ls: . completed = "a.txt\nb.txt"
        started   #21 call ls pending
        updated   #21 call ls: . pending
        started   #22 call ls pending
        updated   #22 call ls: . pending
        step 14 ToolUse
        updated   #21 call ls: . running
        updated   #22 call ls: . running
        completed #21 call ls: . completed = "a.txt\nb.txt"
        completed #22 call ls: . completed = "a.txt\nb.txt"
        started   #23 call ls pending
        updated   #23 call ls: . pending
        started   #24 call ls pending
        updated   #24 call ls: . pending
        step 15 ToolUse
        updated   #23 call ls: . running
        updated   #24 call ls: . running
        completed #23 call ls: . completed = "a.txt\nb.txt"
        completed #24 call ls: . completed = "a.txt\nb.txt"
        notice loopDetected: the turn was ended: the model went on with the same calls after two warnings
        turn Completed Limit after 15 steps
        --- the model read
        user "x"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {}
        result of ls "a.txt\nb.txt"
        assistant ls {} ls {}
        result of ls "a.txt\nb.txt"
        result of ls "a.txt\nb.txt"
        user "From the engine, not from the user: you make the same call over and over, with the same arguments. Their results will not change. Try something else, or say what keeps you from going on."
        assistant ls {} ls {}
        result of ls "a.txt\nb.txt"
        result of ls "a.txt\nb.txt"
        assistant ls {} ls {}
        result of ls "a.txt\nb.txt"
        result of ls "a.txt\nb.txt"
        user "From the engine, not from the user: you make the same call over and over, with the same arguments. Their results will not change. Try something else, or say what keeps you from going on."
        assistant ls {} ls {}
        result of ls "a.txt\nb.txt"
        result of ls "a.txt\nb.txt"
        assistant ls {} ls {}
        result of ls "a.txt\nb.txt"
        result of ls "a.txt\nb.txt""#]],
    );
}

#[test]
fn options_hold_from_the_next_turn_on_and_are_never_ignored() {
    full(
        "say one + gate g\nsay two",
        "prompt a | gate g | set effort=high permissionMode=ask colour=red effort2=x | set effort=enormous model=none | open g | idle | prompt b | idle | set model=script/other effort=default | set model=script/third:low",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 message running ""
            > set effort=high permissionMode=ask colour=red effort2=x: model=script/test effort=high permissionMode=ask mode=act steerMode=all followUpMode=one autoCompact=on; colour: there is no option `colour`; there are model, effort, permissionMode, mode, steerMode, followUpMode, autoCompact; effort2: there is no option `effort2`; there are model, effort, permissionMode, mode, steerMode, followUpMode, autoCompact
            config script/test:high Ask
            > set effort=enormous model=none: model=script/test effort=high permissionMode=ask mode=act steerMode=all followUpMode=one autoCompact=on; model: `none` is not a model: write PROVIDER/ID or PROVIDER/ID:EFFORT, such as anthropic/claude-sonnet-4-6:high; effort: unknown effort `enormous`; expected one of default, none, minimal, low, medium, high, xhigh, max
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt b: Started
            accepted Prompt "b"
            turn started
            completed #3 user "b"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > set model=script/other effort=default: model=script/other effort=default permissionMode=ask mode=act steerMode=all followUpMode=one autoCompact=on
            config script/other Ask
            > set model=script/third:low: model=script/third effort=low permissionMode=ask mode=act steerMode=all followUpMode=one autoCompact=on
            config script/third:low Ask
            --- the model read
            user "a"
            assistant "one"
            user "b""#]],
    );
}

#[test]
fn reading_needs_no_question() {
    ask(
        "read a.txt\nsay read it",
        "prompt a | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            started   #3 message running ""
            completed #3 message completed "read it"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo""#]],
    );
}

#[test]
fn a_command_runs_after_a_yes() {
    ask(
        "bash make\nsay made",
        "prompt a | until asked | allow | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: it runs a command
            answered Allow for Once by Client
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "made"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn a_no_goes_to_the_model_with_what_was_said() {
    ask(
        "bash make\nsay then not",
        "prompt a | until asked | deny use cargo instead | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: it runs a command
            answered Deny for Once by Client
            completed #2 call bash: make declined = error "The user declined this call. It did not run. The user said: use cargo instead"
            started   #3 message running ""
            completed #3 message completed "then not"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "The user declined this call. It did not run. The user said: use cargo instead""#]],
    );
}

#[test]
fn a_question_closed_without_a_choice_is_a_no() {
    ask(
        "bash make\nsay then not",
        "prompt a | until asked | dismiss | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: it runs a command
            answered Deny for Once by Client
            completed #2 call bash: make declined = error "The user declined this call. It did not run."
            started   #3 message running ""
            completed #3 message completed "then not"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "The user declined this call. It did not run.""#]],
    );
}

#[test]
fn an_abort_ends_the_turn_with_every_call_answered() {
    ask(
        "bash make + bash fail",
        "prompt a | until asked | abort | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            started   #3 call bash pending
            updated   #3 call bash: fail pending
            step 1 ToolUse
            asked bash: make: it runs a command
            answered Abort for Once by Client
            completed #2 call bash: make declined = error "The user declined this call. It did not run."
            completed #3 call bash: fail cancelled = error "Operation aborted"
            turn Interrupted denials 1 after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_yes_for_the_session_is_asked_once() {
    ask(
        "bash make\nbash make\nbash fail\nsay done",
        "prompt a | until asked | allow-session | until asked bash: fail | deny | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: it runs a command
            answered Allow for Session by Client
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 2 ToolUse
            updated   #3 call bash: make running
            completed #3 call bash: make completed = "made\n"
            started   #4 call bash pending
            updated   #4 call bash: fail pending
            step 3 ToolUse
            asked bash: fail: it runs a command
            answered Deny for Once by Client
            completed #4 call bash: fail declined = error "The user declined this call. It did not run."
            started   #5 message running ""
            completed #5 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn denials 1 after 4 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant bash {"command":"fail"}
            result of bash error "The user declined this call. It did not run.""#]],
    );
}

#[test]
fn edits_inside_are_granted_and_outside_still_ask() {
    ask(
        "edit a.txt one -> 1\nwrite new.txt new\nwrite /etc/passwd x\nsay done",
        "prompt a | until asked | allow-session | until asked write: /etc/passwd | deny | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call edit pending
            updated   #2 call edit: a.txt pending
            step 1 ToolUse
            asked edit: a.txt: it changes files
            answered Allow for Session by Client
            updated   #2 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #2 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #3 call write pending
            updated   #3 call write: new.txt pending
            step 2 ToolUse
            updated   #3 call write: new.txt running
            files: /w/new.txt new by a call
            completed #3 call write: new.txt completed = "Successfully wrote 3 bytes to new.txt"
            started   #4 call write pending
            updated   #4 call write: /etc/passwd pending
            step 3 ToolUse
            asked write: /etc/passwd: it changes files outside the working directory
            answered Deny for Once by Client
            completed #4 call write: /etc/passwd declined = error "The user declined this call. It did not run."
            started   #5 message running ""
            completed #5 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn denials 1 after 4 steps
            --- the model read
            user "a"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit "Successfully replaced text in a.txt."
            assistant write {"path":"new.txt","content":"new"}
            result of write "Successfully wrote 3 bytes to new.txt"
            assistant write {"path":"/etc/passwd","content":"x"}
            result of write error "The user declined this call. It did not run.""#]],
    );
}

#[test]
fn a_stop_while_a_question_is_open_withdraws_it() {
    ask(
        "bash make",
        "prompt a | until asked | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: it runs a command
            > stop: stopping, 0 returned
            answered Deny for Once by Interrupt
            completed #2 call bash: make cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn nobody_there_means_no() {
    ask(
        "bash make\nsay nobody answered",
        "prompt a | until asked | leave | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: it runs a command
            answered Deny for Once by NoApprover
            completed #2 call bash: make declined = error "Denied: this call needs permission and nobody is there to give it (noApprover). It did not run. Do not try to reach the same end by another way. A rule of the user would allow it: allow `make`."
            started   #3 message running ""
            completed #3 message completed "nobody answered"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "Denied: this call needs permission and nobody is there to give it (noApprover). It did not run. Do not try to reach the same end by another way. A rule of the user would allow it: allow `make`.""#]],
    );
}
