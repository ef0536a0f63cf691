//! Prompts, tools, steers and follow-ups.

use super::*;

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
            completed #2 call fly failed = error "Unknown tool `fly`. Available tools: read, bash, job, edit, write, grep, find, ls, todo_write, recall, spawn_agent, send_input, wait, close_agent."
            completed #3 call read failed = error "`path` must be a string, not 5"
            completed #4 call bash failed = error "The arguments are not valid JSON (key must be a string at line 1 column 2). Send the call again with a JSON object."
            started   #5 message running ""
            completed #5 message completed "sorry"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant fly {"to":"the moon"} read {"path":5} bash {broken
            result of fly error "Unknown tool `fly`. Available tools: read, bash, job, edit, write, grep, find, ls, todo_write, recall, spawn_agent, send_input, wait, close_agent."
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
            > steer hi: refused: no turn is running
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
