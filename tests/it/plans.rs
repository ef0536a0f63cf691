//! The plan that the model shows, and plan mode: scenarios at the engine's border.

use crate::questions::{person, row};
use crate::support::program::Place;
use crate::support::stage::Setup;
use expect_test::expect;
use serde_json::json;
use std::time::Duration;

const PLAN: &str = r#"call exit_plan {"plan":"1. edit a.txt"}"#;

#[test]
fn a_plan_is_written_down_and_kept() {
    row(
        person(),
        r#"call todo_write {"items":[{"content":"look","status":"completed"},{"content":"fix","status":"pending"}]}
        call todo_write {"items":[{"content":"fix","status":"soon"}]}
        say on it"#,
        "prompt go | idle | look",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call todo_write pending
            updated   #2 call todo_write: 1 of 2 done pending
            step 1 ToolUse
            updated   #2 call todo_write: 1 of 2 done running
            plan [x] look [ ] fix
            completed #2 call todo_write: 1 of 2 done completed = "The list is now:\n[x] look\n[ ] fix"
            started   #3 call todo_write pending
            updated   #3 call todo_write pending
            step 2 ToolUse
            completed #3 call todo_write failed = error "`items[0].status` is `soon`: it must be pending, in_progress or completed"
            started   #4 message running ""
            completed #4 message completed "on it"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            > look: Idle, waits for 0; ; plan [x] look [ ] fix; mode Act
            --- the model read
            user "go"
            assistant todo_write {"items":[{"content":"look","status":"completed"},{"content":"fix","status":"pending"}]}
            result of todo_write "The list is now:\n[x] look\n[ ] fix"
            assistant todo_write {"items":[{"content":"fix","status":"soon"}]}
            result of todo_write error "`items[0].status` is `soon`: it must be pending, in_progress or completed""#]],
    );
}

#[test]
fn plan_mode_denies_what_changes_something_and_is_left_by_an_accepted_plan() {
    row(
        person(),
        &format!(
            "edit a.txt one -> 1\nbash make\nread a.txt\n{PLAN} + edit a.txt one -> 1\nbash make\nsay done"
        ),
        "set mode=plan | prompt go | until question | choose 1 | idle | look",
        expect![[r#"
            > set mode=plan: model=script/test effort=default permissionMode=full mode=plan steerMode=all followUpMode=one autoCompact=on
            config script/test Full plan
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 engine "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            completed #2 user "go"
            started   #3 call edit pending
            updated   #3 call edit: a.txt pending
            step 1 ToolUse
            completed #3 call edit: a.txt declined = error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            started   #4 call bash pending
            updated   #4 call bash: make pending
            step 2 ToolUse
            completed #4 call bash: make declined = error "Denied: this call runs a command, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            started   #5 call read pending
            updated   #5 call read: a.txt pending
            step 3 ToolUse
            updated   #5 call read: a.txt running
            completed #5 call read: a.txt completed = "one\ntwo"
            started   #6 call exit_plan pending
            updated   #6 call exit_plan: 1. edit a.txt pending
            started   #7 call edit pending
            updated   #7 call edit: a.txt pending
            step 4 ToolUse
            updated   #6 call exit_plan: 1. edit a.txt running
            question "Accept this plan?" "1. edit a.txt" 1=Accept and start 2=Keep planning
            resolved Client [1]
            config script/test Full
            completed #6 call exit_plan: 1. edit a.txt completed = "The user accepted the plan. Plan mode has ended: carry it out."
            updated   #7 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #7 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #8 call bash pending
            updated   #8 call bash: make pending
            step 5 ToolUse
            updated   #8 call bash: make running
            completed #8 call bash: make completed = "made\n"
            started   #9 message running ""
            completed #9 message completed "done"
            step 6 EndTurn
            turn Completed EndTurn denials 2 after 6 steps
            > look: Idle, waits for 0; ; ; mode Act
            --- the model read
            user "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            user "go"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            assistant bash {"command":"make"}
            result of bash error "Denied: this call runs a command, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            assistant read {"path":"a.txt"}
            result of read "one\ntwo"
            assistant exit_plan {"plan":"1. edit a.txt"} edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of exit_plan "The user accepted the plan. Plan mode has ended: carry it out."
            result of edit "Successfully replaced text in a.txt."
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn a_plan_that_is_sent_back_leaves_plan_mode_on() {
    row(
        person(),
        &format!("{PLAN}\nedit a.txt one -> 1\nsay hm"),
        "set mode=plan | prompt go | until question | say tests first | idle | look",
        expect![[r#"
            > set mode=plan: model=script/test effort=default permissionMode=full mode=plan steerMode=all followUpMode=one autoCompact=on
            config script/test Full plan
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 engine "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            completed #2 user "go"
            started   #3 call exit_plan pending
            updated   #3 call exit_plan: 1. edit a.txt pending
            step 1 ToolUse
            updated   #3 call exit_plan: 1. edit a.txt running
            question "Accept this plan?" "1. edit a.txt" 1=Accept and start 2=Keep planning
            resolved Client [] "tests first"
            completed #3 call exit_plan: 1. edit a.txt completed = "The user has not accepted the plan. You are still in plan mode: revise it and submit it again. The user said: tests first"
            started   #4 call edit pending
            updated   #4 call edit: a.txt pending
            step 2 ToolUse
            completed #4 call edit: a.txt declined = error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            started   #5 message running ""
            completed #5 message completed "hm"
            step 3 EndTurn
            turn Completed EndTurn denials 1 after 3 steps
            > look: Idle, waits for 0; ; ; mode Plan
            --- the model read
            user "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            user "go"
            assistant exit_plan {"plan":"1. edit a.txt"}
            result of exit_plan "The user has not accepted the plan. You are still in plan mode: revise it and submit it again. The user said: tests first"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in.""#]],
    );
}

#[test]
fn a_plan_that_nobody_can_accept_is_not_accepted() {
    row(
        Setup { question_timeout: Duration::from_millis(1), ..person() },
        &format!("{PLAN}\nedit a.txt one -> 1\nsay here it is"),
        "set mode=plan | prompt go | idle | look",
        expect![[r#"
            > set mode=plan: model=script/test effort=default permissionMode=full mode=plan steerMode=all followUpMode=one autoCompact=on
            config script/test Full plan
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 engine "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            completed #2 user "go"
            started   #3 call exit_plan pending
            updated   #3 call exit_plan: 1. edit a.txt pending
            step 1 ToolUse
            updated   #3 call exit_plan: 1. edit a.txt running
            question "Accept this plan?" "1. edit a.txt" 1=Accept and start 2=Keep planning
            resolved Deadline []
            completed #3 call exit_plan: 1. edit a.txt completed = "The plan was not accepted, so plan mode continues. Reply with the plan, then stop."
            started   #4 call edit pending
            updated   #4 call edit: a.txt pending
            step 2 ToolUse
            completed #4 call edit: a.txt declined = error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            started   #5 message running ""
            completed #5 message completed "here it is"
            step 3 EndTurn
            turn Completed EndTurn denials 1 after 3 steps
            > look: Idle, waits for 0; ; ; mode Plan
            --- the model read
            user "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            user "go"
            assistant exit_plan {"plan":"1. edit a.txt"}
            result of exit_plan "The plan was not accepted, so plan mode continues. Reply with the plan, then stop."
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in.""#]],
    );
}

#[test]
fn plan_mode_ends_by_hand_from_the_next_turn_on() {
    row(
        person(),
        "edit a.txt one -> 1 + gate g\nsay hm\nedit a.txt one -> 1\nsay done",
        "set mode=plan | prompt go | gate g | set mode=act | open g | idle | prompt now | idle",
        expect![[r#"
            > set mode=plan: model=script/test effort=default permissionMode=full mode=plan steerMode=all followUpMode=one autoCompact=on
            config script/test Full plan
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 engine "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            completed #2 user "go"
            started   #3 call edit pending
            > set mode=act: model=script/test effort=default permissionMode=full mode=act steerMode=all followUpMode=one autoCompact=on
            config script/test Full
            updated   #3 call edit: a.txt pending
            step 1 ToolUse
            completed #3 call edit: a.txt declined = error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            started   #4 message running ""
            completed #4 message completed "hm"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            > prompt now: Started
            accepted Prompt "now"
            turn started
            completed #5 engine "From the engine, not from the user: plan mode has ended. You may change files and run commands again."
            completed #6 user "now"
            started   #7 call edit pending
            updated   #7 call edit: a.txt pending
            step 1 ToolUse
            updated   #7 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #7 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #8 message running ""
            completed #8 message completed "done"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "From the engine, not from the user: you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer."
            user "go"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit error "Denied: this call changes files, and you are in plan mode. It did not run. Read and search, and put it into the plan that you hand in."
            assistant "hm"
            user "From the engine, not from the user: plan mode has ended. You may change files and run commands again."
            user "now"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit "Successfully replaced text in a.txt.""#]],
    );
}

#[test]
fn a_plan_in_act_mode_is_carried_out_at_once() {
    row(
        person(),
        &format!("{PLAN}\nsay done"),
        "prompt go | idle",
        expect![[r#"
        > prompt go: Started
        accepted Prompt "go"
        turn started
        completed #1 user "go"
        started   #2 call exit_plan pending
        updated   #2 call exit_plan: 1. edit a.txt pending
        step 1 ToolUse
        updated   #2 call exit_plan: 1. edit a.txt running
        completed #2 call exit_plan: 1. edit a.txt failed = error "You are not in plan mode, so no acceptance is needed. Carry out the plan."
        started   #3 message running ""
        completed #3 message completed "done"
        step 2 EndTurn
        turn Completed EndTurn after 2 steps
        --- the model read
        user "go"
        assistant exit_plan {"plan":"1. edit a.txt"}
        result of exit_plan error "You are not in plan mode, so no acceptance is needed. Carry out the plan.""#]],
    );
}

#[test]
fn a_mode_that_there_is_not_is_rejected() {
    row(
        person(),
        "say hi",
        "set mode=dream | prompt go | idle",
        expect![[r#"
            > set mode=dream: model=script/test effort=default permissionMode=full mode=act steerMode=all followUpMode=one autoCompact=on; mode: unknown mode `dream`; expected one of act, plan
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 message running ""
            completed #2 message completed "hi"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go""#]],
    );
}

#[test]
fn run_plans_only_where_it_is_told_to() {
    for (mode, is_made) in [("plan", false), ("act", true)] {
        let place = Place::new(&[]);
        let script = place.script(&json!({"replies": [
            {"blocks": [{"tool": "bash", "arguments": {"command": "touch made"}}]},
            {"blocks": [{"text": "1. make it"}]},
        ]}));
        let args = ["run", "go", "--permission", "full", "--mode", mode, "--script", &script];
        let out = place.command(&args).output().unwrap();
        assert_eq!(String::from_utf8(out.stdout).unwrap(), "1. make it\n", "{mode}");
        assert_eq!(place.path("made").exists(), is_made, "{mode}");
    }
}
