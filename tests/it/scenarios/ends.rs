//! Failures, limits and loops: ways in which a turn ends or goes on by itself; and options.

use super::*;

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
            completed #3 engine "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything."
            started   #4 message running ""
            completed #4 message completed "and its end"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant "very long"
            user "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything.""#]],
    );
}

#[test]
fn a_model_that_says_nothing_is_asked_once_more() {
    full(
        "used 5\nsay here I am\nthink hm\nthink hm again\nsay   \nbash make\nthink hm\nsay made",
        "prompt a | idle | prompt b | idle | prompt c | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            step 1 EndTurn
            completed #2 engine "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            started   #3 message running ""
            completed #3 message completed "here I am"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt b: Started
            accepted Prompt "b"
            turn started
            completed #4 user "b"
            started   #5 reasoning running ""
            completed #5 reasoning completed "hm"
            step 1 EndTurn
            completed #6 engine "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            started   #7 reasoning running ""
            completed #7 reasoning completed "hm again"
            step 2 EndTurn
            notice emptyReply: the model returned neither text nor a tool call, twice in a row
            turn Completed EndTurn after 2 steps
            > prompt c: Started
            accepted Prompt "c"
            turn started
            completed #8 user "c"
            step 1 EndTurn
            completed #9 engine "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            started   #10 call bash pending
            updated   #10 call bash: make pending
            step 2 ToolUse
            updated   #10 call bash: make running
            completed #10 call bash: make completed = "made\n"
            started   #11 reasoning running ""
            completed #11 reasoning completed "hm"
            step 3 EndTurn
            completed #12 engine "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            started   #13 message running ""
            completed #13 message completed "made"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            --- the model read
            user "a"
            user "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            assistant "here I am"
            user "b"
            assistant (thinks "hm")
            user "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            assistant (thinks "hm again")
            user "c"
            user "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call."
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant (thinks "hm")
            user "From the engine, not from the user: your reply contained neither text nor a tool call. Answer now, or make the next tool call.""#]],
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
        completed #3 engine "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything."
        started   #4 message running ""
        completed #4 message completed "b"
        step 2 MaxTokens
        completed #5 engine "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything."
        started   #6 message running ""
        completed #6 message completed "c"
        step 3 MaxTokens
        completed #7 engine "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything."
        started   #8 message running ""
        completed #8 message completed "d"
        step 4 MaxTokens
        turn Completed MaxTokens after 4 steps
        --- the model read
        user "x"
        assistant "a"
        user "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything."
        assistant "b"
        user "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything."
        assistant "c"
        user "From the engine, not from the user: your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything.""#]],
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
        notice loopDetected: the model is repeating the same call
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
        notice loopDetected: the model is repeating the same call
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
        notice loopDetected: the turn was stopped: the model kept repeating the same calls after two warnings
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
            completed #3 engine "From the engine, not from the user: what you may do has changed.\n- Mode: ask. Reading in the working directory and commands known to change nothing run without approval. Every other call is denied, since no user can be asked.\n- Commands run without a sandbox."
            completed #4 user "b"
            started   #5 message running ""
            completed #5 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > set model=script/other effort=default: model=script/other effort=default permissionMode=ask mode=act steerMode=all followUpMode=one autoCompact=on
            config script/other Ask
            > set model=script/third:low: model=script/third effort=low permissionMode=ask mode=act steerMode=all followUpMode=one autoCompact=on
            config script/third:low Ask
            --- the model read
            user "a"
            assistant "one"
            user "From the engine, not from the user: what you may do has changed.\n- Mode: ask. Reading in the working directory and commands known to change nothing run without approval. Every other call is denied, since no user can be asked.\n- Commands run without a sandbox."
            user "b""#]],
    );
}
