//! Going back in a session's history, forward again, and on from elsewhere, at the engine's border. After each row the session is
//! opened again from its journal and must tell the model the same.

use crate::questions::{person, row};
use crate::scenarios::full;
use expect_test::expect;

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
            completed #6 engine "From the engine, not from the user: the user went back to this point of the conversation. This is a summary of the abandoned branch.\n\ntried a.txt"
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
            user "From the engine, not from the user: the user went back to this point of the conversation. This is a summary of the abandoned branch.\n\ntried a.txt"
            user "third""#]],
    );
}

#[test]
fn outlines_are_beginnings_summaries_and_names() {
    full(
        "say one\nsay two\nsay tried a.txt\nsay all in all\nsay three",
        "prompt first | idle | prompt second | idle | back-told #3 | idle | label #1 start | compact | idle | prompt third | idle | outline",
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
            completed #5 engine "From the engine, not from the user: the user went back to this point of the conversation. This is a summary of the abandoned branch.\n\ntried a.txt"
            turn Completed EndTurn after 0 steps
            > label #1 start: named
            label start
            > compact: begun
            turn started
            started   #6 compaction Requested running
            completed #6 compaction Requested completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\nall in all\n\n## The user's messages, verbatim\n> first\n"
            turn Completed EndTurn after 0 steps
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #7 user "third"
            started   #8 message running ""
            completed #8 message completed "three"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            section 1 Start ""
            section 5 Label "start"
            section 19 RewindSummary "tried a.txt"
            section 24 Compaction "all in all"
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\nall in all\n\n## The user's messages, verbatim\n> first\n"
            user "From the engine, not from the user: the user went back to this point of the conversation. This is a summary of the abandoned branch.\n\ntried a.txt"
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
            notice notSummedUp: the abandoned branch was not summarized: no
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
            > back #2: refused: the model has read no user message id-4 in this session
            > to 99: refused: event 99 does not exist; the last one is 9
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
