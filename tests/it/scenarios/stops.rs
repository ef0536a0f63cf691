//! Stops at each point of a turn.

use super::*;

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
        "prompt a | until turn started | stop twice | idle | stop",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            > stop twice: stopping, 0 returned
            > stop twice: no active turn, 0 returned
            turn Interrupted after 1 steps
            > stop: no active turn, 0 returned
            --- the model read
            user "a""#]],
    );
}
