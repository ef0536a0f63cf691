//! Messages that wait, at the engine's border: they are edited, moved, redirected and handed back, and never lost or read twice.

use crate::scenarios::full;
use expect_test::expect;

#[test]
fn what_waits_is_edited_moved_and_taken_back() {
    full(
        "say one + gate g\nsay two\nsay three",
        "prompt go | gate g | queue a | queue b | queue c | edit say a A | edit first c A | edit last A | edit drop b | open g | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > queue a: Queued
            accepted FollowUp "a"
            > queue b: Queued
            accepted FollowUp "b"
            > queue c: Queued
            accepted FollowUp "c"
            > edit say a A: 3 messages
            queue FollowUp "A", FollowUp "b", FollowUp "c"
            > edit first c A: 3 messages
            queue FollowUp "c", FollowUp "A", FollowUp "b"
            > edit last A: 3 messages
            queue FollowUp "c", FollowUp "b", FollowUp "A"
            > edit drop b: 1 messages
            handed back "b"
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #3 user "c"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #5 user "A"
            started   #6 message running ""
            completed #6 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant "one"
            user "c"
            assistant "two"
            user "A""#]],
    );
}

#[test]
fn a_queued_prompt_can_be_sent_now_and_a_steer_can_wait() {
    full(
        "say one + gate g\nsay two\nsay three",
        "prompt go | gate g | queue later | steer now | edit steer later | edit queue now | open g | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > queue later: Queued
            accepted FollowUp "later"
            > steer now: accepted
            accepted Steer "now"
            > edit steer later: 2 messages
            queue Steer "now", Steer "later"
            > edit queue now: 2 messages
            queue Steer "later", FollowUp "now"
            completed #2 message completed "one"
            step 1 EndTurn
            completed #3 user "later"
            started   #4 message running ""
            completed #4 message completed "two"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            turn started
            completed #5 user "now"
            started   #6 message running ""
            completed #6 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant "one"
            user "later"
            assistant "two"
            user "now""#]],
    );
}

#[test]
fn a_queue_that_is_cleared_is_handed_back() {
    full(
        "say one + gate g",
        "prompt go | gate g | queue a | steer b | edit clear | edit clear | open g | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > queue a: Queued
            accepted FollowUp "a"
            > steer b: accepted
            accepted Steer "b"
            > edit clear: 2 messages
            handed back "b", "a"
            > edit clear: 0 messages
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go""#]],
    );
}

#[test]
fn what_was_read_or_makes_no_sense_is_refused() {
    full(
        "say one + gate g\nsay two",
        "prompt go | gate g | queue a | edit say go x | edit first a nobody | edit drop b | open g | idle | edit say a x",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > queue a: Queued
            accepted FollowUp "a"
            > edit say go x: refused: message nobody is not in the queue
            > edit first a nobody: refused: message nobody is not in the queue
            > edit drop b: refused: message nobody is not in the queue
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #3 user "a"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > edit say a x: refused: message nobody is not in the queue
            --- the model read
            user "go"
            assistant "one"
            user "a""#]],
    );
}

#[test]
fn steers_go_one_by_one_where_that_is_set() {
    full(
        "say one + gate g\nsay two\nsay three",
        "set steerMode=one | prompt go | gate g | steer a | steer b | open g | idle",
        expect![[r#"
            > set steerMode=one: model=script/test effort=default permissionMode=full mode=act steerMode=one followUpMode=one autoCompact=on
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > steer a: accepted
            accepted Steer "a"
            > steer b: accepted
            accepted Steer "b"
            completed #2 message completed "one"
            step 1 EndTurn
            completed #3 user "a"
            started   #4 message running ""
            completed #4 message completed "two"
            step 2 EndTurn
            completed #5 user "b"
            started   #6 message running ""
            completed #6 message completed "three"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "go"
            assistant "one"
            user "a"
            assistant "two"
            user "b""#]],
    );
}

#[test]
fn follow_ups_go_all_at_once_where_that_is_set() {
    full(
        "say one + gate g\nsay two",
        "set followUpMode=all | prompt go | gate g | queue a | queue b | open g | idle | set followUpMode=some",
        expect![[r#"
            > set followUpMode=all: model=script/test effort=default permissionMode=full mode=act steerMode=all followUpMode=all autoCompact=on
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            > queue a: Queued
            accepted FollowUp "a"
            > queue b: Queued
            accepted FollowUp "b"
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #3 user "a"
            completed #4 user "b"
            started   #5 message running ""
            completed #5 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > set followUpMode=some: model=script/test effort=default permissionMode=full mode=act steerMode=all followUpMode=all autoCompact=on; followUpMode: unknown followUpMode `some`; expected one of all, one
            --- the model read
            user "go"
            assistant "one"
            user "a"
            user "b""#]],
    );
}
