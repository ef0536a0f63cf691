//! How sub-agents end, and how much they may take.

use crate::scenarios::full;
use expect_test::expect;

#[test]
fn a_sub_agent_stops_at_its_most_turns() {
    full(
        "call spawn_agent {\"task\":\"count\",\"max_turns\":2}\ncall wait {}\nsay ok\n@count: call ls {}\n@count: say so far + read a.txt\n@count: say never",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: count pending
            step 1 ToolUse
            updated   #2 call spawn_agent: count running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: count completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            updated   #3 agent-1 running, failed = "It was stopped at a limit before it was done. It said last: so far"
            completed #4 call wait: all completed = "agent-1 failed (turns used: 2):\nIt was stopped at a limit before it was done. It said last: so far"
            started   #5 message running ""
            completed #5 message completed "ok"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- agent 1
            accepted Prompt "count"
            turn started
            completed #1 user "count"
            started   #2 call ls pending
            updated   #2 call ls: . pending
            step 1 ToolUse
            updated   #2 call ls: . running
            completed #2 call ls: . completed = "a.txt\nb.txt"
            started   #3 message running ""
            completed #3 message completed "so far"
            started   #4 call read pending
            updated   #4 call read: a.txt pending
            step 2 ToolUse
            updated   #4 call read: a.txt running
            completed #4 call read: a.txt completed = "one\ntwo"
            notice stepLimit: the turn was ended after 2 model replies
            turn Completed Limit after 2 steps
            --- the model read
            user "go"
            assistant spawn_agent {"task":"count","max_turns":2}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait "agent-1 failed (turns used: 2):\nIt was stopped at a limit before it was done. It said last: so far""#]],
    );
}

#[test]
fn whoever_ends_while_nobody_waits_is_told_of_at_the_next_turn() {
    full(
        "spawn look at a\nsay begun\nsay thanks\n@look at a: gate end + say two lines",
        "prompt begin | idle | open end | until done | prompt and now | idle",
        expect![[r#"
            > prompt begin: Started
            accepted Prompt "begin"
            turn started
            completed #1 user "begin"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: look at a pending
            step 1 ToolUse
            updated   #2 call spawn_agent: look at a running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: look at a completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 message running ""
            completed #4 message completed "begun"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            updated   #3 agent-1 running, done = "two lines"
            > prompt and now: Started
            accepted Prompt "and now"
            turn started
            completed #5 engine "From the engine, not from the user: agent-1 finished with (turns used: 1):\ntwo lines"
            completed #6 user "and now"
            started   #7 message running ""
            completed #7 message completed "thanks"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- agent 1
            accepted Prompt "look at a"
            turn started
            completed #1 user "look at a"
            started   #2 message running ""
            completed #2 message completed "two lines"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "begin"
            assistant spawn_agent {"task":"look at a"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant "begun"
            user "From the engine, not from the user: agent-1 finished with (turns used: 1):\ntwo lines"
            user "and now""#]],
    );
}

#[test]
fn a_turn_and_its_sub_agents_spend_from_one_purse() {
    full(
        "spawn dig\ncall wait {}\nsay never said\n@dig: read a.txt + used 600\n@dig: say never said",
        "within 500 begin | idle",
        expect![[r#"
            > within 500 begin: Started
            accepted Prompt "begin"
            turn started
            completed #1 user "begin"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: dig pending
            step 1 ToolUse
            updated   #2 call spawn_agent: dig running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: dig completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            updated   #3 agent-1 running, failed = "It was stopped at a limit before it was done. It said last: "
            completed #4 call wait: all completed = "agent-1 failed (turns used: 1):\nIt was stopped at a limit before it was done. It said last: "
            notice tokenLimit: the turn was ended: it took 600 tokens of 500
            turn Completed Limit after 2 steps
            --- agent 1
            accepted Prompt "dig"
            turn started
            completed #1 user "dig"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            notice tokenLimit: the turn was ended: it took 600 tokens of 500
            turn Completed Limit after 1 steps
            --- the model read
            user "begin"
            assistant spawn_agent {"task":"dig"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end.""#]],
    );
}

#[test]
fn what_a_sub_agent_did_to_files_goes_back_with_its_parent() {
    full(
        "spawn fix it\ncall wait {}\nedit a.txt won -> two\nsay fixed\n@fix it: edit a.txt one -> won\n@fix it: write new.txt hi\n@fix it: say done",
        "prompt begin | idle | cat /w/a.txt | back-both #1 | cat /w/a.txt | cat /w/new.txt",
        expect![[r#"
            > prompt begin: Started
            accepted Prompt "begin"
            turn started
            completed #1 user "begin"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: fix it pending
            step 1 ToolUse
            updated   #2 call spawn_agent: fix it running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: fix it completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            files: /w/a.txt changed, /w/new.txt new by a call
            updated   #3 agent-1 running, done = "done"
            completed #4 call wait: all completed = "agent-1 finished with (turns used: 3):\ndone"
            started   #5 call edit pending
            updated   #5 call edit: a.txt pending
            step 3 ToolUse
            updated   #5 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #5 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #6 message running ""
            completed #6 message completed "fixed"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            /w/a.txt is Some("two\ntwo\n")
            > back-both #1: without #1 #2 #4 #5 #6; 0 again; "begin".
            files: /w/a.txt changed, /w/new.txt gone by going back
            back: 5 items dropped, 0 restored
            /w/a.txt is Some("one\ntwo\n")
            /w/new.txt is None
            --- agent 1
            accepted Prompt "fix it"
            turn started
            completed #1 user "fix it"
            started   #2 call edit pending
            updated   #2 call edit: a.txt pending
            step 1 ToolUse
            updated   #2 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #2 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #3 call write pending
            updated   #3 call write: new.txt pending
            step 2 ToolUse
            updated   #3 call write: new.txt running
            files: /w/new.txt new by a call
            completed #3 call write: new.txt completed = "Successfully wrote 2 bytes to new.txt"
            started   #4 message running ""
            completed #4 message completed "done"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "begin"
            assistant spawn_agent {"task":"fix it"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait "agent-1 finished with (turns used: 3):\ndone"
            assistant edit {"path":"a.txt","oldText":"won","newText":"two"}
            result of edit "Successfully replaced text in a.txt.""#]],
    );
}

#[test]
fn the_last_changes_of_a_sub_agent_are_known_to_the_next_turn() {
    full(
        "edit a.txt two -> 2\nspawn fix it\ncall wait {}\nsay fixed\nedit a.txt won -> three\nsay done\n@fix it: edit a.txt one -> won\n@fix it: say done",
        "prompt begin | idle | prompt again | idle | cat /w/a.txt",
        expect![[r#"
            > prompt begin: Started
            accepted Prompt "begin"
            turn started
            completed #1 user "begin"
            started   #2 call edit pending
            updated   #2 call edit: a.txt pending
            step 1 ToolUse
            updated   #2 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #2 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #3 call spawn_agent pending
            updated   #3 call spawn_agent: fix it pending
            step 2 ToolUse
            updated   #3 call spawn_agent: fix it running
            started   #4 agent-1 running, working
            completed #3 call spawn_agent: fix it completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #5 call wait pending
            updated   #5 call wait: all pending
            step 3 ToolUse
            updated   #5 call wait: all running
            files: /w/a.txt changed by a call
            updated   #4 agent-1 running, done = "done"
            completed #5 call wait: all completed = "agent-1 finished with (turns used: 2):\ndone"
            started   #6 message running ""
            completed #6 message completed "fixed"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            > prompt again: Started
            accepted Prompt "again"
            turn started
            completed #7 user "again"
            started   #8 call edit pending
            updated   #8 call edit: a.txt pending
            step 1 ToolUse
            updated   #8 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #8 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #9 message running ""
            completed #9 message completed "done"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            /w/a.txt is Some("three\n2\n")
            --- agent 1
            accepted Prompt "fix it"
            turn started
            completed #1 user "fix it"
            started   #2 call edit pending
            updated   #2 call edit: a.txt pending
            step 1 ToolUse
            updated   #2 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #2 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #3 message running ""
            completed #3 message completed "done"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "begin"
            assistant edit {"path":"a.txt","oldText":"two","newText":"2"}
            result of edit "Successfully replaced text in a.txt."
            assistant spawn_agent {"task":"fix it"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait "agent-1 finished with (turns used: 2):\ndone"
            assistant "fixed"
            user "again"
            assistant edit {"path":"a.txt","oldText":"won","newText":"three"}
            result of edit "Successfully replaced text in a.txt.""#]],
    );
}
