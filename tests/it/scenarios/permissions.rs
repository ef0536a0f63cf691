//! Questions about calls, and their answers.

use super::*;
use pintle_exec::memory::Answer;

#[test]
fn reading_needs_no_question() {
    ask(
        "read a.txt\nsay read it",
        "prompt a | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call read pending
            updated   #2 call read: a.txt pending
            step 1 ToolUse
            updated   #2 call read: a.txt running
            completed #2 call read: a.txt completed = "one\ntwo"
            started   #3 message running ""
            completed #3 message completed "read it"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo""#]],
    );
}

#[test]
fn a_command_runs_after_a_yes() {
    ask(
        "bash make\nsay made",
        "prompt a | until asked | allow | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Allow for Once by Client
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 message running ""
            completed #3 message completed "made"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn a_call_that_nobody_decides_about_in_time_is_denied() {
    let setup = Setup { approval_timeout: std::time::Duration::from_millis(1), ..Setup::default() };
    check_with(
        setup,
        PermissionMode::Ask,
        "bash make\nsay then not",
        "prompt a | until answered | allow | idle",
        &expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Deny for Once by Deadline
            completed #2 call bash: make declined = error "Denied: the approval timed out. This call did not run."
            started   #3 message running ""
            completed #3 message completed "then not"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "Denied: the approval timed out. This call did not run.""#]],
    );
}

#[test]
fn a_no_goes_to_the_model_with_what_was_said() {
    ask(
        "bash make\nsay then not",
        "prompt a | until asked | deny use cargo instead | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Deny for Once by Client
            completed #2 call bash: make declined = error "The user declined this call. It did not run. The user said: use cargo instead"
            started   #3 message running ""
            completed #3 message completed "then not"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "The user declined this call. It did not run. The user said: use cargo instead""#]],
    );
}

#[test]
fn a_question_closed_without_a_choice_is_a_no() {
    ask(
        "bash make\nsay then not",
        "prompt a | until asked | dismiss | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Deny for Once by Client
            completed #2 call bash: make declined = error "The user declined this call. It did not run."
            started   #3 message running ""
            completed #3 message completed "then not"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "The user declined this call. It did not run.""#]],
    );
}

#[test]
fn an_abort_ends_the_turn_with_every_call_answered() {
    ask(
        "bash make + bash fail",
        "prompt a | until asked | abort | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            started   #3 call bash pending
            updated   #3 call bash: fail pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Abort for Once by Client
            completed #2 call bash: make declined = error "The user declined this call. It did not run."
            completed #3 call bash: fail cancelled = error "Operation aborted"
            turn Interrupted denials 1 after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn a_yes_for_the_session_is_asked_once() {
    ask(
        "bash make\nbash make\nbash fail\nsay done",
        "prompt a | until asked | allow-session | until asked bash: fail | deny | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Allow for Session by Client
            updated   #2 call bash: make running
            completed #2 call bash: make completed = "made\n"
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 2 ToolUse
            updated   #3 call bash: make running
            completed #3 call bash: make completed = "made\n"
            started   #4 call bash pending
            updated   #4 call bash: fail pending
            step 3 ToolUse
            asked bash: fail: runs a command
            answered Deny for Once by Client
            completed #4 call bash: fail declined = error "The user declined this call. It did not run."
            started   #5 message running ""
            completed #5 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn denials 1 after 4 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant bash {"command":"make"}
            result of bash "made\n"
            assistant bash {"command":"fail"}
            result of bash error "The user declined this call. It did not run.""#]],
    );
}

#[test]
fn edits_inside_are_granted_and_outside_still_ask() {
    ask(
        "edit a.txt one -> 1\nwrite new.txt new\nwrite /etc/passwd x\nsay done",
        "prompt a | until asked | allow-session | until asked write: /etc/passwd | deny | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call edit pending
            updated   #2 call edit: a.txt pending
            step 1 ToolUse
            asked edit: a.txt: changes files
            answered Allow for Session by Client
            updated   #2 call edit: a.txt running
            files: /w/a.txt changed by a call
            completed #2 call edit: a.txt completed = "Successfully replaced text in a.txt."
            started   #3 call write pending
            updated   #3 call write: new.txt pending
            step 2 ToolUse
            updated   #3 call write: new.txt running
            files: /w/new.txt new by a call
            completed #3 call write: new.txt completed = "Successfully wrote 3 bytes to new.txt"
            started   #4 call write pending
            updated   #4 call write: /etc/passwd pending
            step 3 ToolUse
            asked write: /etc/passwd: changes files outside the working directory
            answered Deny for Once by Client
            completed #4 call write: /etc/passwd declined = error "The user declined this call. It did not run."
            started   #5 message running ""
            completed #5 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn denials 1 after 4 steps
            --- the model read
            user "a"
            assistant edit {"path":"a.txt","oldText":"one","newText":"1"}
            result of edit "Successfully replaced text in a.txt."
            assistant write {"path":"new.txt","content":"new"}
            result of write "Successfully wrote 3 bytes to new.txt"
            assistant write {"path":"/etc/passwd","content":"x"}
            result of write error "The user declined this call. It did not run.""#]],
    );
}

#[test]
fn a_stop_while_a_question_is_open_withdraws_it() {
    ask(
        "bash make",
        "prompt a | until asked | stop | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            > stop: stopping, 0 returned
            answered Deny for Once by Interrupt
            completed #2 call bash: make cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            --- the model read
            user "a""#]],
    );
}

#[test]
fn nobody_there_means_no() {
    ask(
        "bash make\nsay nobody answered",
        "prompt a | until asked | leave | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            started   #2 call bash pending
            updated   #2 call bash: make pending
            step 1 ToolUse
            asked bash: make: runs a command
            answered Deny for Once by NoApprover
            completed #2 call bash: make declined = error "Denied: this call requires permission, and no user is available to grant it (noApprover). It did not run. Do not try to achieve the same result another way. The user has a rule that would allow it: allow `make`."
            started   #3 message running ""
            completed #3 message completed "nobody answered"
            step 2 EndTurn
            turn Completed EndTurn denials 1 after 2 steps
            --- the model read
            user "a"
            assistant bash {"command":"make"}
            result of bash error "Denied: this call requires permission, and no user is available to grant it (noApprover). It did not run. Do not try to achieve the same result another way. The user has a rule that would allow it: allow `make`.""#]],
    );
}

#[test]
fn neighbouring_calls_that_only_read_run_side_by_side() {
    let call = |command: &str| format!("call bash {{\"command\":\"{command}\"}}");
    let commands = ["pwd", "sleep 1", "touch x", "sleep 2", "echo b"];
    let setup = Setup {
        commands: commands.map(|line| (line, Answer::Exits(String::new(), 0))).into(),
        ..Setup::default()
    };
    let model = format!("{}\nsay done", commands.map(call).join(" + "));
    let told = told_with(setup, PermissionMode::Full, &model, "prompt go | idle");
    let at = |text: &str| told.find(text).unwrap_or_else(|| panic!("{text}\n{told}"));
    for (first, second) in [("pwd", "sleep 1"), ("sleep 2", "echo b")] {
        assert!(
            at(&format!("bash: {second} running")) < at(&format!("bash: {first} completed")),
            "{told}"
        );
    }
    for (before, behind) in [("sleep 1", "touch x"), ("touch x", "sleep 2")] {
        assert!(
            at(&format!("bash: {before} completed")) < at(&format!("bash: {behind} running")),
            "{told}"
        );
    }
}
