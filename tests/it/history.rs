//! Going back in a session's history, forward again, and on from elsewhere, at the engine's border. After each row the session is
//! opened again from its journal and must tell the model the same.

use crate::questions::{person, row};
use crate::scenarios::full;
use crate::support::stage::{Setup, hook};
use expect_test::expect;
use pintle_protocol::hook::HookPoint::{SessionFork, SessionSwitch};

#[test]
fn a_message_is_gone_back_before_and_said_otherwise() {
    full(
        "say one\nsay two\nread a.txt\nsay other two\nsay three",
        "prompt first | idle | prompt second | idle | look-back #3 | back #3 | prompt second, but otherwise | idle | tree",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > look-back #3: without #3 #4; 0 again; "second".
            > back #3: without #3 #4; 0 again; "second".
            back: 2 items dropped, 0 restored
            > prompt second, but otherwise: Started
            accepted Prompt "second, but otherwise"
            turn started
            completed #5 user "second, but otherwise"
            started   #6 call read pending
            updated   #6 call read: a.txt pending
            step 1 ToolUse
            updated   #6 call read: a.txt running
            completed #6 call read: a.txt completed = "one\ntwo"
            started   #7 message running ""
            completed #7 message completed "other two"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            node "first" first
            node "second" after another (beside)
            node "second, but otherwise" after another
            --- the model read
            user "first"
            assistant "one"
            user "second, but otherwise"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo""#]],
    );
}

#[test]
fn what_was_left_is_summed_up_for_the_model_where_that_is_wanted() {
    full(
        "say one\nread a.txt\nsay two\nsay tried a.txt\nsay three",
        "prompt first | idle | prompt second | idle | back-told #3 | idle | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 call read pending
            updated   #4 call read: a.txt pending
            step 1 ToolUse
            updated   #4 call read: a.txt running
            completed #4 call read: a.txt completed = "one\ntwo"
            started   #5 message running ""
            completed #5 message completed "two"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > back-told #3: without #3 #4 #5; 0 again; "second".
            back: 3 items dropped, 0 restored
            turn started
            completed #6 engine "From the engine, not from the user: the user went back to this point of the conversation. This is what happened on the way that was left.\n\ntried a.txt"
            turn Completed EndTurn after 0 steps
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #7 user "third"
            started   #8 message running ""
            completed #8 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant "one"
            user "From the engine, not from the user: the user went back to this point of the conversation. This is what happened on the way that was left.\n\ntried a.txt"
            user "third""#]],
    );
}

#[test]
fn where_the_summing_up_fails_or_there_is_nothing_to_sum_up_the_session_goes_on_without() {
    full(
        "say one\nsay two\nfail invalidRequest no\nsay three",
        "prompt first | idle | prompt second | idle | back-told #3 | idle | back-told #3 | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > back-told #3: without #3 #4; 0 again; "second".
            back: 2 items dropped, 0 restored
            turn started
            notice notSummedUp: what was left is not summed up: no
            turn Completed EndTurn after 0 steps
            > back-told #3: without ; 0 again; "second".
            back: 0 items dropped, 0 restored
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #5 user "third"
            started   #6 message running ""
            completed #6 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant "one"
            user "third""#]],
    );
}

#[test]
fn going_back_is_undone_by_going_to_where_it_began() {
    full(
        "say one\nsay two\nsay three",
        "prompt first | idle | prompt second | idle | back #1 | forth | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 message running ""
            completed #4 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > back #1: without #1 #2 #3 #4; 0 again; "first".
            back: 4 items dropped, 0 restored
            > forth: without ; 4 again; .
            back: 0 items dropped, 4 restored
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #5 user "third"
            started   #6 message running ""
            completed #6 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant "one"
            user "second"
            assistant "two"
            user "third""#]],
    );
}

#[test]
fn a_steer_can_be_gone_back_before_in_the_middle_of_its_turn() {
    full(
        "read a.txt + gate g\nsay steered\nsay anew",
        "prompt first | gate g | steer quick | open g | idle | back #3 | prompt slow | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 call read pending
            > steer quick: accepted
            accepted Steer "quick"
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            completed #3 user "quick"
            started   #4 message running ""
            completed #4 message completed "steered"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > back #3: without #3 #4; 0 again; "quick".
            back: 2 items dropped, 0 restored
            > prompt slow: Started
            accepted Prompt "slow"
            turn started
            completed #5 user "slow"
            started   #6 message running ""
            completed #6 message completed "anew"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo"
            user "slow""#]],
    );
}

#[test]
fn while_a_turn_runs_or_to_nowhere_nobody_goes_back() {
    full(
        "say so + gate g + say it is",
        "prompt first | gate g | back #1 | open g | idle | back #2 | to 99 | label #1 start | tree | label #1",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            > back #1: refused: a turn is running
            completed #2 message completed "soit is"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > back #2: refused: id-4 is no message of a person that was read in this session
            > to 99: refused: there is no event 99; the last one is 9
            > label #1 start: named
            label start
            node "first" first [start]
            > label #1: named
            label none
            --- the model read
            user "first""#]],
    );
}

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
        "prompt first | idle | prompt second | idle | fork #4 | prompt otherwise | idle | merge | prompt on | idle | tree | forth | prompt third | idle",
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
            > merge-into-self: refused: session id-1 is no fork of session id-1
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
            completed #4 call bash: wait cancelled = error "Interrupted, outcome unknown: the engine ended while this call ran. Check what it did before you go on."
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
            result of bash error "Interrupted, outcome unknown: the engine ended while this call ran. Check what it did before you go on."
            result of bash error "Not run: the engine ended before this call began."
            user "and here""#]],
    );
}

#[test]
fn the_plan_goes_back_as_well() {
    row(
        person(),
        r#"call todo_write {"items":[{"content":"x","status":"pending"}]}
        say planned
        call todo_write {"items":[{"content":"x","status":"completed"}]}
        say done"#,
        "prompt plan | idle | prompt do | idle | back #4 | look",
        expect![[r#"
            > prompt plan: Started
            accepted Prompt "plan"
            turn started
            completed #1 user "plan"
            started   #2 call todo_write pending
            updated   #2 call todo_write: 0 of 1 done pending
            step 1 ToolUse
            updated   #2 call todo_write: 0 of 1 done running
            plan [ ] x
            completed #2 call todo_write: 0 of 1 done completed = "The list is now:\n[ ] x"
            started   #3 message running ""
            completed #3 message completed "planned"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt do: Started
            accepted Prompt "do"
            turn started
            completed #4 user "do"
            started   #5 call todo_write pending
            updated   #5 call todo_write: 1 of 1 done pending
            step 1 ToolUse
            updated   #5 call todo_write: 1 of 1 done running
            plan [x] x
            completed #5 call todo_write: 1 of 1 done completed = "The list is now:\n[x] x"
            started   #6 message running ""
            completed #6 message completed "done"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > back #4: without #4 #5 #6; 0 again; "do".
            back: 3 items dropped, 0 restored
            plan [ ] x
            > look: Idle, waits for 0; ; plan [ ] x; mode Act
            --- the model read
            user "plan"
            assistant todo_write {"items":[{"content":"x","status":"pending"}]}
            result of todo_write "The list is now:\n[ ] x"
            assistant "planned"
            user "do"
            assistant todo_write {"items":[{"content":"x","status":"completed"}]}
            result of todo_write "The list is now:\n[x] x""#]],
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
