//! Forks: sessions that begin with another one's history, and how they come back, at the engine's border. After each row the session is
//! opened again from its journal and must tell the model the same.

use crate::questions::row;
use crate::scenarios::full;
use crate::support::stage::{Setup, hook};
use expect_test::expect;
use pintle_protocol::hook::HookPoint::{SessionFork, SessionSwitch};

#[test]
fn a_fork_goes_on_from_the_middle_and_leaves_the_other_as_it_is() {
    full(
        "bash make\nsay one\nsay two\nsay forked",
        "prompt first | idle | prompt second | idle | fork #4 | prompt otherwise | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "one"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #4 user "second"
            started   #5 message running ""
            completed #5 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > fork #4: made
            turn started
            completed #1 user "first"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "one"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt otherwise: Started
            accepted Prompt "otherwise"
            turn started
            completed #4 user "otherwise"
            started   #5 message running ""
            completed #5 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant "one"
            user "otherwise""#]],
    );
}

#[test]
fn a_fork_comes_back_as_a_way_of_its_own_and_is_gone_back_from() {
    full(
        "bash make\nsay one\nsay two\nsay forked\nsay merged\nsay three",
        "prompt first | idle | prompt second | idle | fork #4 | prompt otherwise | idle | merge | prompt on | idle | tree | outline | forth | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "one"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #4 user "second"
            started   #5 message running ""
            completed #5 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > fork #4: made
            turn started
            completed #1 user "first"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "one"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt otherwise: Started
            accepted Prompt "otherwise"
            turn started
            completed #4 user "otherwise"
            started   #5 message running ""
            completed #5 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > merge: 2 items dropped, 2 added
            back: 2 items dropped, 0 restored
            turn started
            completed #6 user "otherwise"
            started   #7 message running ""
            completed #7 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt on: Started
            accepted Prompt "on"
            turn started
            completed #8 user "on"
            started   #9 message running ""
            completed #9 message completed "merged"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            node "first" first
            node "second" after another (beside)
            node "otherwise" after another
            node "on" after another
            section 1 Start ""
            section 28 Copied "" from another session
            > forth: without #6 #7 #8 #9; 2 again; .
            back: 4 items dropped, 2 restored
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #10 user "third"
            started   #11 message running ""
            completed #11 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant "one"
            user "second"
            assistant "two"
            user "third""#]],
    );
}

#[test]
fn what_a_fork_did_later_comes_back_later() {
    full(
        "say one\nsay forked\nsay more",
        "prompt first | idle | fork | prompt otherwise | idle | merge | fork | prompt more | idle | merge | merge-into-self",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > fork: made
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt otherwise: Started
            accepted Prompt "otherwise"
            turn started
            completed #3 user "otherwise"
            started   #4 message running ""
            completed #4 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > merge: 0 items dropped, 2 added
            back: 0 items dropped, 0 restored
            turn started
            completed #3 user "otherwise"
            started   #4 message running ""
            completed #4 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > fork: made
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #3 user "otherwise"
            started   #4 message running ""
            completed #4 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt more: Started
            accepted Prompt "more"
            turn started
            completed #5 user "more"
            started   #6 message running ""
            completed #6 message completed "more"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > merge: 0 items dropped, 2 added
            back: 0 items dropped, 0 restored
            turn started
            completed #5 user "more"
            started   #6 message running ""
            completed #6 message completed "more"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > merge-into-self: refused: session id-1 is not a fork of session id-1
            --- the model read
            user "first"
            assistant "one"
            user "otherwise"
            assistant "forked"
            user "more""#]],
    );
}

#[test]
fn a_fork_of_a_running_session_ends_its_turn() {
    full(
        "say well\nbash wait + bash make\nsay forked",
        "prompt first | idle | prompt second | until bash: wait running | fork | prompt and here | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "well"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 call bash pending
            updated   #4 call bash: wait pending
            started   #5 call bash pending
            updated   #5 call bash: make pending
            step 1 ToolUse
            updated   #4 call bash: wait running
            > fork: made
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "well"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #3 user "second"
            started   #4 call bash pending
            updated   #4 call bash: wait pending
            started   #5 call bash pending
            updated   #5 call bash: make pending
            step 1 ToolUse
            updated   #4 call bash: wait running
            completed #5 call bash: make cancelled = error "Not run: the engine ended before this call began."
            completed #4 call bash: wait cancelled = error "Interrupted, outcome unknown: the engine ended while this call ran. Check its effects before you continue."
            turn Interrupted after 1 steps
            > prompt and here: Started
            accepted Prompt "and here"
            turn started
            completed #6 user "and here"
            started   #7 message running ""
            completed #7 message completed "forked"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant "well"
            user "second"
            assistant bash {"command":"wait"} bash {"command":"make"}
            result of bash error "Interrupted, outcome unknown: the engine ended while this call ran. Check its effects before you continue."
            result of bash error "Not run: the engine ended before this call began."
            user "and here""#]],
    );
}

#[test]
fn a_fork_and_another_place_of_the_history_are_told_to_hooks() {
    row(
        Setup::default()
            .hook(hook(SessionFork, "forked"), "")
            .hook(hook(SessionSwitch, "gone"), ""),
        "say ok\nsay again\nsay there",
        "prompt go | idle | back #1 | prompt otherwise | idle | hooks | fork | prompt on | idle | hooks",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            completed #2 message completed "ok"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > back #1: without #1 #2; 0 again; "go".
            back: 2 items dropped, 0 restored
            > prompt otherwise: Started
            accepted Prompt "otherwise"
            turn started
            completed #3 user "otherwise"
            started   #4 message running ""
            completed #4 message completed "again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            gone: "sessionSwitch"
            > fork: made
            turn started
            completed #1 user "otherwise"
            started   #2 message running ""
            completed #2 message completed "again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt on: Started
            accepted Prompt "on"
            turn started
            completed #3 user "on"
            started   #4 message running ""
            completed #4 message completed "there"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            gone: "sessionSwitch"
            forked: "sessionFork"
            --- the model read
            user "otherwise"
            assistant "again"
            user "on""#]],
    );
}
