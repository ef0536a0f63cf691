//! Sub-agents at the engine's border: what each model reads, what clients see, and that nothing outlives whom it works for.

mod ends;

use crate::scenarios::{ask, check_with, full, told_with};
use crate::support::stage::Setup;
use expect_test::expect;
use pintle_protocol::approval::PermissionMode;
use pintle_tools::Profile;

#[test]
fn a_sub_agent_works_at_its_task_and_its_answer_comes_back() {
    full(
        "spawn look at a\ncall wait {}\nsay it has two lines\n@look at a: read a.txt\n@look at a: say two lines",
        "prompt how long is a | idle",
        expect![[r#"
            > prompt how long is a: Started
            accepted Prompt "how long is a"
            turn started
            completed #1 user "how long is a"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: look at a pending
            step 1 ToolUse
            updated   #2 call spawn_agent: look at a running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: look at a completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            updated   #3 agent-1 running, done = "two lines"
            completed #4 call wait: all completed = "agent-1 finished with (turns used: 2):\ntwo lines"
            started   #5 message running ""
            completed #5 message completed "it has two lines"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- agent 1
            accepted Prompt "look at a"
            turn started
            completed #1 user "look at a"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            started   #3 message running ""
            completed #3 message completed "two lines"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "how long is a"
            assistant spawn_agent {"task":"look at a"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait "agent-1 finished with (turns used: 2):\ntwo lines""#]],
    );
}

#[test]
fn two_work_side_by_side_and_are_told_more() {
    full(
        "spawn first + spawn second\ncall wait {\"ids\":[\"agent-2\",\"agent-1\"]}\ncall send_input {\"agent_id\":\"agent-1\",\"message\":\"once more\"}\ncall wait {}\ncall close_agent {\"agent_id\":\"agent-1\"}\ncall wait {\"ids\":[\"agent-1\"]}\nsay ok\n@first: gate a + say one\n@second: gate b + say two\n@first: gate c + say one again",
        "prompt go | gate a | gate b | open b | until agent-2 running, done | open a | gate c | until call wait: all running | open c | until-agents 1 session closed | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: first pending
            started   #3 call spawn_agent pending
            updated   #3 call spawn_agent: second pending
            step 1 ToolUse
            updated   #2 call spawn_agent: first running
            updated   #3 call spawn_agent: second running
            started   #4 agent-1 running, working
            started   #5 agent-2 running, working
            completed #2 call spawn_agent: first completed = "agent-1 works at it now. `wait` returns what it says at the end."
            completed #3 call spawn_agent: second completed = "agent-2 works at it now. `wait` returns what it says at the end."
            started   #6 call wait pending
            updated   #6 call wait: agent-2, agent-1 pending
            step 2 ToolUse
            updated   #6 call wait: agent-2, agent-1 running
            updated   #5 agent-2 running, done = "two"
            updated   #4 agent-1 running, done = "one"
            completed #6 call wait: agent-2, agent-1 completed = "agent-2 finished with (turns used: 1):\ntwo\n\nagent-1 finished with (turns used: 1):\none"
            started   #7 call send_input pending
            updated   #7 call send_input: agent-1: once more pending
            step 3 ToolUse
            updated   #7 call send_input: agent-1: once more running
            updated   #4 agent-1 running, working = "one"
            completed #7 call send_input: agent-1: once more completed = "agent-1 was told and works at it."
            started   #8 call wait pending
            updated   #8 call wait: all pending
            step 4 ToolUse
            updated   #8 call wait: all running
            updated   #4 agent-1 running, done = "one again"
            completed #8 call wait: all completed = "agent-1 finished with (turns used: 2):\none again"
            started   #9 call close_agent pending
            updated   #9 call close_agent: agent-1 pending
            step 5 ToolUse
            updated   #9 call close_agent: agent-1 running
            completed #4 agent-1 completed, closed = "one again"
            completed #9 call close_agent: agent-1 completed = "agent-1 is closed."
            started   #10 call wait pending
            updated   #10 call wait: agent-1 pending
            step 6 ToolUse
            updated   #10 call wait: agent-1 running
            completed #10 call wait: agent-1 failed = error "There is no sub-agent `agent-1`. The call that starts one tells its id."
            started   #11 message running ""
            completed #11 message completed "ok"
            step 7 EndTurn
            turn Completed EndTurn after 7 steps
            --- agent 1
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "one"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            accepted Prompt "once more"
            turn started
            completed #3 user "once more"
            started   #4 message running ""
            completed #4 message completed "one again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            session closed
            --- agent 2
            accepted Prompt "second"
            turn started
            completed #1 user "second"
            started   #2 message running ""
            completed #2 message completed "two"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant spawn_agent {"task":"first"} spawn_agent {"task":"second"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            result of spawn_agent "agent-2 works at it now. `wait` returns what it says at the end."
            assistant wait {"ids":["agent-2","agent-1"]}
            result of wait "agent-2 finished with (turns used: 1):\ntwo\n\nagent-1 finished with (turns used: 1):\none"
            assistant send_input {"agent_id":"agent-1","message":"once more"}
            result of send_input "agent-1 was told and works at it."
            assistant wait {}
            result of wait "agent-1 finished with (turns used: 2):\none again"
            assistant close_agent {"agent_id":"agent-1"}
            result of close_agent "agent-1 is closed."
            assistant wait {"ids":["agent-1"]}
            result of wait error "There is no sub-agent `agent-1`. The call that starts one tells its id.""#]],
    );
}

#[test]
fn a_sub_agent_never_outlives_the_abort_of_whom_it_works_for() {
    full(
        "spawn slow\ncall wait {}\n@slow: bash wait\n@slow: say never\nsay later\n",
        "prompt go | until wait: all running | until-agents 1 bash: wait running | stop | idle | until agent-1 running, failed | prompt and now | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: slow pending
            step 1 ToolUse
            updated   #2 call spawn_agent: slow running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: slow completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            > stop: stopping, 0 returned
            completed #4 call wait: all cancelled = error "Operation aborted"
            turn Interrupted after 2 steps
            updated   #3 agent-1 running, failed = "It was stopped. It said last: "
            > prompt and now: Started
            accepted Prompt "and now"
            turn started
            completed #5 engine "From the engine, not from the user: agent-1 failed (turns used: 1):\nIt was stopped. It said last: "
            completed #6 user "and now"
            started   #7 message running ""
            completed #7 message completed "later"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- agent 1
            accepted Prompt "slow"
            turn started
            completed #1 user "slow"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            completed #2 call bash: wait cancelled = error "waiting\n\nCommand aborted"
            turn Interrupted after 1 steps
            --- the model read
            user "go"
            assistant spawn_agent {"task":"slow"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait error "Operation aborted"
            user "From the engine, not from the user: agent-1 failed (turns used: 1):\nIt was stopped. It said last: "
            user "and now""#]],
    );
}

#[test]
fn a_sub_agent_that_fails_says_why() {
    full(
        "spawn hard\ncall wait {}\nsay well\n@hard: fail auth no key",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: hard pending
            step 1 ToolUse
            updated   #2 call spawn_agent: hard running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: hard completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            updated   #3 agent-1 running, failed = "no key"
            completed #4 call wait: all completed = "agent-1 failed (turns used: 1):\nno key"
            started   #5 message running ""
            completed #5 message completed "well"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- agent 1
            accepted Prompt "hard"
            turn started
            completed #1 user "hard"
            turn Failed after 1 steps auth: no key
            --- the model read
            user "go"
            assistant spawn_agent {"task":"hard"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait "agent-1 failed (turns used: 1):\nno key""#]],
    );
}

#[test]
fn a_sub_agent_makes_none_of_its_own_and_asks_its_parents_client() {
    ask(
        "spawn deep\ncall wait {}\nsay ok\n@deep: spawn deeper\n@deep: bash make\n@deep: say made",
        "prompt go | until wait: all running | until-agents 1 asked | allow | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: deep pending
            step 1 ToolUse
            updated   #2 call spawn_agent: deep running
            started   #3 agent-1 running, working
            completed #2 call spawn_agent: deep completed = "agent-1 works at it now. `wait` returns what it says at the end."
            started   #4 call wait pending
            updated   #4 call wait: all pending
            step 2 ToolUse
            updated   #4 call wait: all running
            updated   #3 agent-1 running, done = "made"
            completed #4 call wait: all completed = "agent-1 finished with (turns used: 3):\nmade"
            started   #5 message running ""
            completed #5 message completed "ok"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- agent 1
            accepted Prompt "deep"
            turn started
            completed #1 user "deep"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent pending
            step 1 ToolUse
            completed #2 call spawn_agent failed = error "Unknown tool `spawn_agent`. Available tools: read, bash, job, edit, write, grep, find, ls, todo_write, recall."
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 2 ToolUse
            asked bash: make: runs a command
            answered Allow for Once by Client
            updated   #3 call bash: make running
            completed #3 call bash: make completed = "made\n"
            started   #4 message running ""
            completed #4 message completed "made"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "go"
            assistant spawn_agent {"task":"deep"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            assistant wait {}
            result of wait "agent-1 finished with (turns used: 3):\nmade""#]],
    );
}

#[test]
fn what_cannot_be_is_told_to_the_model() {
    full(
        "call spawn_agent {}\ncall spawn_agent {\"task\":\" \"}\ncall spawn_agent {\"task\":\"a\",\"agent\":\"nobody\"}\ncall spawn_agent {\"task\":\"a\",\"working_dir\":\"none\"}\ncall spawn_agent {\"task\":\"a\",\"model\":\"x\"}\ncall wait {\"ids\":[\"agent-9\"]}\ncall send_input {\"agent_id\":\"agent-9\",\"message\":\"x\"}\ncall close_agent {\"agent_id\":\"agent-9\"}\ncall wait {}\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent pending
            step 1 ToolUse
            completed #2 call spawn_agent failed = error "`task` is missing: it must be a string"
            started   #3 call spawn_agent pending
            updated   #3 call spawn_agent pending
            step 2 ToolUse
            completed #3 call spawn_agent failed = error "`task` must not be empty"
            started   #4 call spawn_agent pending
            updated   #4 call spawn_agent: a pending
            step 3 ToolUse
            updated   #4 call spawn_agent: a running
            completed #4 call spawn_agent: a failed = error "There is no agent `nobody`. (No named agents are defined here; or name none and say in the task how it is to work)"
            started   #5 call spawn_agent pending
            updated   #5 call spawn_agent: a pending
            step 4 ToolUse
            updated   #5 call spawn_agent: a running
            completed #5 call spawn_agent: a failed = error "the working directory `/w/none` cannot be used: no such file or folder: /w/none (specify an existing directory by its absolute path)"
            started   #6 call spawn_agent pending
            updated   #6 call spawn_agent: a pending
            step 5 ToolUse
            updated   #6 call spawn_agent: a running
            completed #6 call spawn_agent: a failed = error "`x` is not a model: write PROVIDER/ID or PROVIDER/ID:EFFORT, such as anthropic/claude-sonnet-4-6:high"
            started   #7 call wait pending
            updated   #7 call wait: agent-9 pending
            step 6 ToolUse
            updated   #7 call wait: agent-9 running
            completed #7 call wait: agent-9 failed = error "There is no sub-agent `agent-9`. The call that starts one tells its id."
            started   #8 call send_input pending
            updated   #8 call send_input: agent-9: x pending
            step 7 ToolUse
            updated   #8 call send_input: agent-9: x running
            completed #8 call send_input: agent-9: x failed = error "There is no sub-agent `agent-9`. The call that starts one tells its id."
            started   #9 call close_agent pending
            updated   #9 call close_agent: agent-9 pending
            step 8 ToolUse
            updated   #9 call close_agent: agent-9 running
            completed #9 call close_agent: agent-9 failed = error "There is no sub-agent `agent-9`. The call that starts one tells its id."
            started   #10 call wait pending
            updated   #10 call wait: all pending
            step 9 ToolUse
            updated   #10 call wait: all running
            completed #10 call wait: all completed = "No sub-agent is working, and you have received all results."
            started   #11 message running ""
            completed #11 message completed "ok"
            step 10 EndTurn
            turn Completed EndTurn after 10 steps
            --- the model read
            user "go"
            assistant spawn_agent {}
            result of spawn_agent error "`task` is missing: it must be a string"
            assistant spawn_agent {"task":" "}
            result of spawn_agent error "`task` must not be empty"
            assistant spawn_agent {"task":"a","agent":"nobody"}
            result of spawn_agent error "There is no agent `nobody`. (No named agents are defined here; or name none and say in the task how it is to work)"
            assistant spawn_agent {"task":"a","working_dir":"none"}
            result of spawn_agent error "the working directory `/w/none` cannot be used: no such file or folder: /w/none (specify an existing directory by its absolute path)"
            assistant spawn_agent {"task":"a","model":"x"}
            result of spawn_agent error "`x` is not a model: write PROVIDER/ID or PROVIDER/ID:EFFORT, such as anthropic/claude-sonnet-4-6:high"
            assistant wait {"ids":["agent-9"]}
            result of wait error "There is no sub-agent `agent-9`. The call that starts one tells its id."
            assistant send_input {"agent_id":"agent-9","message":"x"}
            result of send_input error "There is no sub-agent `agent-9`. The call that starts one tells its id."
            assistant close_agent {"agent_id":"agent-9"}
            result of close_agent error "There is no sub-agent `agent-9`. The call that starts one tells its id."
            assistant wait {}
            result of wait "No sub-agent is working, and you have received all results.""#]],
    );
}

#[test]
fn four_work_at_a_time() {
    full(
        "spawn t1 + spawn t2 + spawn t3 + spawn t4 + spawn t5\ngate g + say enough\n@t1: hang\n@t2: hang\n@t3: hang\n@t4: hang",
        "prompt go | until-agents 4 completed #1 user | open g | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call spawn_agent pending
            updated   #2 call spawn_agent: t1 pending
            started   #3 call spawn_agent pending
            updated   #3 call spawn_agent: t2 pending
            started   #4 call spawn_agent pending
            updated   #4 call spawn_agent: t3 pending
            started   #5 call spawn_agent pending
            updated   #5 call spawn_agent: t4 pending
            started   #6 call spawn_agent pending
            updated   #6 call spawn_agent: t5 pending
            step 1 ToolUse
            updated   #2 call spawn_agent: t1 running
            updated   #3 call spawn_agent: t2 running
            updated   #4 call spawn_agent: t3 running
            updated   #5 call spawn_agent: t4 running
            updated   #6 call spawn_agent: t5 running
            started   #7 agent-1 running, working
            started   #8 agent-2 running, working
            started   #9 agent-3 running, working
            started   #10 agent-4 running, working
            completed #6 call spawn_agent: t5 failed = error "4 sub-agents work already. Wait until one is done."
            completed #2 call spawn_agent: t1 completed = "agent-1 works at it now. `wait` returns what it says at the end."
            completed #3 call spawn_agent: t2 completed = "agent-2 works at it now. `wait` returns what it says at the end."
            completed #4 call spawn_agent: t3 completed = "agent-3 works at it now. `wait` returns what it says at the end."
            completed #5 call spawn_agent: t4 completed = "agent-4 works at it now. `wait` returns what it says at the end."
            started   #11 message running ""
            completed #11 message completed "enough"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- agent 1
            accepted Prompt "t2"
            turn started
            completed #1 user "t2"
            --- agent 2
            accepted Prompt "t3"
            turn started
            completed #1 user "t3"
            --- agent 3
            accepted Prompt "t4"
            turn started
            completed #1 user "t4"
            --- agent 4
            accepted Prompt "t1"
            turn started
            completed #1 user "t1"
            --- the model read
            user "go"
            assistant spawn_agent {"task":"t1"} spawn_agent {"task":"t2"} spawn_agent {"task":"t3"} spawn_agent {"task":"t4"} spawn_agent {"task":"t5"}
            result of spawn_agent "agent-1 works at it now. `wait` returns what it says at the end."
            result of spawn_agent "agent-2 works at it now. `wait` returns what it says at the end."
            result of spawn_agent "agent-3 works at it now. `wait` returns what it says at the end."
            result of spawn_agent "agent-4 works at it now. `wait` returns what it says at the end."
            result of spawn_agent error "4 sub-agents work already. Wait until one is done.""#]],
    );
}

/// Families that know a sub-agent as one call.
fn in_one_call(model: &str, steps: &str, want: &expect_test::Expect) {
    let setup = Setup { profile: Profile::Anthropic, ..Setup::default() };
    check_with(setup, PermissionMode::Full, model, steps, want);
}

#[test]
fn a_call_waits_for_its_sub_agent_and_closes_it() {
    in_one_call(
        "call Agent {\"description\":\"d\",\"prompt\":\"look at a\",\"subagent_type\":\"general-purpose\",\"model\":\"haiku\"} + call Agent {\"description\":\"d\",\"prompt\":\"other\",\"subagent_type\":\"nobody\"}\nsay ok\n@look at a: call Read {\"file_path\":\"a.txt\"}\n@look at a: say two lines",
        "prompt go | until-agents 1 session closed | idle",
        &expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call Agent pending
            updated   #2 call Agent: look at a pending
            started   #3 call Agent pending
            updated   #3 call Agent: other pending
            step 1 ToolUse
            updated   #2 call Agent: look at a running
            updated   #3 call Agent: other running
            started   #4 agent-1 running, working
            completed #3 call Agent: other failed = error "There is no agent `nobody`. (No named agents are defined here; or name none and say in the task how it is to work)"
            updated   #4 agent-1 running, done = "two lines"
            completed #4 agent-1 completed, closed = "two lines"
            completed #2 call Agent: look at a completed = "agent-1 finished with (turns used: 2):\ntwo lines"
            started   #5 message running ""
            completed #5 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- agent 1
            accepted Prompt "look at a"
            turn started
            completed #1 user "look at a"
            started   #2 call Read pending
            updated   #2 call Read: a.txt pending
            step 1 ToolUse
            updated   #2 call Read: a.txt running
            completed #2 call Read: a.txt completed = "     1\tone\n     2\ttwo"
            started   #3 message running ""
            completed #3 message completed "two lines"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            session closed"#]],
    );
}

#[test]
fn agents_that_explore_and_plan_change_nothing() {
    for kind in ["Explore", "Plan", "explore"] {
        let model = format!(
            "call Agent {{\"description\":\"d\",\"prompt\":\"look at a\",\"subagent_type\":\"{kind}\"}}\nsay ok\n@look at a: call Read {{\"file_path\":\"a.txt\"}} + call Write {{\"file_path\":\"b.txt\",\"content\":\"x\"}} + call Bash {{\"command\":\"touch c.txt\"}}\n@look at a: say two lines"
        );
        let setup = Setup { profile: Profile::Anthropic, ..Setup::default() };
        let steps = "prompt go | until-agents 1 session closed | idle";
        let told = told_with(setup, PermissionMode::Full, &model, steps);
        assert!(told.contains("two lines"), "{told}");
        assert!(told.contains("call Read: a.txt completed"), "{told}");
        assert!(!told.contains("call Write: b.txt completed"), "{told}");
        assert!(told.contains("touch c.txt declined"), "{told}");
    }
}

#[test]
fn a_call_that_is_stopped_leaves_no_sub_agent_at_work() {
    in_one_call(
        "call Agent {\"description\":\"d\",\"prompt\":\"slow\"}\nsay ok\n@slow: call Bash {\"command\":\"wait\"}\n@slow: say never",
        "prompt go | until-agents 1 Bash: wait running | stop | until-agents 1 session closed | idle",
        &expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call Agent pending
            updated   #2 call Agent: slow pending
            step 1 ToolUse
            updated   #2 call Agent: slow running
            started   #3 agent-1 running, working
            > stop: stopping, 0 returned
            completed #3 agent-1 cancelled, closed
            completed #2 call Agent: slow cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            --- agent 1
            accepted Prompt "slow"
            turn started
            completed #1 user "slow"
            started   #2 call Bash pending
            updated   #2 call Bash: wait pending
            step 1 ToolUse
            updated   #2 call Bash: wait running
            completed #2 call Bash: wait cancelled = error "waiting\n\nCommand aborted"
            turn Interrupted after 1 steps
            session closed"#]],
    );
}
