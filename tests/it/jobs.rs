//! Background jobs: scenarios at the engine's border, and jobs of the real program that end with it.

use crate::scenarios::{full, told_with};
use crate::support::program::{Framing, Place, Program, is_running};
use crate::support::stage::Setup;
use expect_test::expect;
use nix::sys::signal::Signal;
use pintle_protocol::approval::PermissionMode;
use pintle_testing::waiting::until;
use serde_json::{Value, json};

#[test]
fn a_job_goes_on_and_its_end_is_told_at_the_next_gap() {
    full(
        "background wait\ngate ready + bash make\nsay done",
        "prompt go | gate ready | end wait | until completed #3 | open ready | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            started   #3 job-1 bash: wait running
            completed #2 call bash: wait completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            completed #3 job-1 bash: wait completed = Exited "waiting\n"
            started   #4 call bash pending
            updated   #4 call bash: make pending
            step 2 ToolUse
            updated   #4 call bash: make running
            completed #4 call bash: make completed = "made\n"
            completed #5 engine "From the engine, not from the user: background job job-1 (bash: wait) has ended: exited with code 0, after 0 seconds. Output since you last read it:\nwaiting"
            started   #6 message running ""
            completed #6 message completed "done"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            assistant bash {"command":"make"}
            result of bash "made\n"
            user "From the engine, not from the user: background job job-1 (bash: wait) has ended: exited with code 0, after 0 seconds. Output since you last read it:\nwaiting""#]],
    );
}

#[test]
fn a_job_that_ends_between_turns_is_told_before_the_next_prompt() {
    full(
        "background wait\nsay started\nsay seen",
        "prompt go | idle | end wait | until Exited | prompt and now? | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            started   #3 job-1 bash: wait running
            completed #2 call bash: wait completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            started   #4 message running ""
            completed #4 message completed "started"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            completed #3 job-1 bash: wait completed = Exited "waiting\n"
            > prompt and now?: Started
            accepted Prompt "and now?"
            turn started
            completed #5 engine "From the engine, not from the user: background job job-1 (bash: wait) has ended: exited with code 0, after 0 seconds. Output since you last read it:\nwaiting"
            completed #6 user "and now?"
            started   #7 message running ""
            completed #7 message completed "seen"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            assistant "started"
            user "From the engine, not from the user: background job job-1 (bash: wait) has ended: exited with code 0, after 0 seconds. Output since you last read it:\nwaiting"
            user "and now?""#]],
    );
}

#[test]
fn a_job_is_read_on_and_what_was_read_is_not_told_again() {
    full(
        "background wait\njob read job-1\njob read job-1\njob list\njob stop job-1\njob read job-1\nsay done",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            started   #3 job-1 bash: wait running
            completed #2 call bash: wait completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            started   #4 call job pending
            updated   #4 call job: read job-1 pending
            step 2 ToolUse
            updated   #4 call job: read job-1 running
            completed #4 call job: read job-1 completed = "waiting\n\n[job-1: running for 0 seconds]"
            started   #5 call job pending
            updated   #5 call job: read job-1 pending
            step 3 ToolUse
            updated   #5 call job: read job-1 running
            completed #5 call job: read job-1 completed = "[job-1: nothing new, running for 0 seconds]"
            started   #6 call job pending
            updated   #6 call job: list pending
            step 4 ToolUse
            updated   #6 call job: list running
            completed #6 call job: list completed = "job-1: bash: wait (running for 0 seconds, nothing new)"
            started   #7 call job pending
            updated   #7 call job: stop job-1 pending
            step 5 ToolUse
            updated   #7 call job: stop job-1 running
            completed #3 job-1 bash: wait cancelled = Stopped "waiting\n"
            completed #7 call job: stop job-1 completed = "[job-1: nothing new, stopped after 0 seconds]"
            started   #8 call job pending
            updated   #8 call job: read job-1 pending
            step 6 ToolUse
            updated   #8 call job: read job-1 running
            completed #8 call job: read job-1 completed = "[job-1: nothing new, stopped after 0 seconds]"
            started   #9 message running ""
            completed #9 message completed "done"
            step 7 EndTurn
            turn Completed EndTurn after 7 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            assistant job {"action":"read","id":"job-1"}
            result of job "waiting\n\n[job-1: running for 0 seconds]"
            assistant job {"action":"read","id":"job-1"}
            result of job "[job-1: nothing new, running for 0 seconds]"
            assistant job {"action":"list","id":null}
            result of job "job-1: bash: wait (running for 0 seconds, nothing new)"
            assistant job {"action":"stop","id":"job-1"}
            result of job "[job-1: nothing new, stopped after 0 seconds]"
            assistant job {"action":"read","id":"job-1"}
            result of job "[job-1: nothing new, stopped after 0 seconds]""#]],
    );
}

#[test]
fn an_interrupt_leaves_jobs_alone() {
    full(
        "background wait\nhang\nsay still here",
        "prompt go | until step 1 | until completed #2 | stop | idle | jobs | prompt go on | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            started   #3 job-1 bash: wait running
            completed #2 call bash: wait completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            > stop: stopping, 0 returned
            turn Interrupted after 2 steps
            > jobs: #3 job-1 bash: wait running
            > prompt go on: Started
            accepted Prompt "go on"
            turn started
            completed #4 user "go on"
            started   #5 message running ""
            completed #5 message completed "still here"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            user "go on""#]],
    );
}

#[test]
fn a_client_lists_and_stops_jobs() {
    full(
        "background wait\nsay started\nsay I see",
        "prompt go | idle | jobs | stop-job job-1 | stop-job job-1 | stop-job job-7 | prompt next | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            started   #3 job-1 bash: wait running
            completed #2 call bash: wait completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            started   #4 message running ""
            completed #4 message completed "started"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > jobs: #3 job-1 bash: wait running
            > stop-job job-1: #3 job-1 bash: wait cancelled = Stopped "waiting\n"
            completed #3 job-1 bash: wait cancelled = Stopped "waiting\n"
            > stop-job job-1: #3 job-1 bash: wait cancelled = Stopped "waiting\n"
            > stop-job job-7: refused: unknown job job-7
            > prompt next: Started
            accepted Prompt "next"
            turn started
            completed #5 engine "From the engine, not from the user: background job job-1 (bash: wait) has ended: stopped, after 0 seconds. Output since you last read it:\nwaiting"
            completed #6 user "next"
            started   #7 message running ""
            completed #7 message completed "I see"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            assistant "started"
            user "From the engine, not from the user: background job job-1 (bash: wait) has ended: stopped, after 0 seconds. Output since you last read it:\nwaiting"
            user "next""#]],
    );
}

#[test]
fn a_failing_job_says_how_it_failed() {
    full(
        "background fail\nsay started\nsay oh",
        "prompt go | idle | until = Exited | prompt next | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: fail pending
            step 1 ToolUse
            updated   #2 call bash: fail running
            started   #3 job-1 bash: fail running
            completed #3 job-1 bash: fail failed = Exited "oh no\n"
            completed #2 call bash: fail completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            completed #4 engine "From the engine, not from the user: background job job-1 (bash: fail) has ended: exited with code 3, after 0 seconds. Output since you last read it:\noh no"
            started   #5 message running ""
            completed #5 message completed "started"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt next: Started
            accepted Prompt "next"
            turn started
            completed #6 user "next"
            started   #7 message running ""
            completed #7 message completed "oh"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant bash {"command":"fail","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            user "From the engine, not from the user: background job job-1 (bash: fail) has ended: exited with code 3, after 0 seconds. Output since you last read it:\noh no"
            assistant "started"
            user "next""#]],
    );
}

#[test]
fn a_job_that_is_not_there_is_an_error_that_says_what_to_do() {
    full(
        "job read job-9\nsay ok",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call job pending
            updated   #2 call job: read job-9 pending
            step 1 ToolUse
            updated   #2 call job: read job-9 running
            completed #2 call job: read job-9 failed = error "Unknown job `job-9`. The action \"list\" shows all jobs."
            started   #3 message running ""
            completed #3 message completed "ok"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant job {"action":"read","id":"job-9"}
            result of job error "Unknown job `job-9`. The action \"list\" shows all jobs.""#]],
    );
}

#[test]
fn a_reader_waits_for_news() {
    full(
        "background wait\njob read job-1\ncall job {\"action\":\"read\",\"id\":\"job-1\",\"wait\":100}\nsay done",
        "prompt go | until step 3 | until read job-1 running | end wait | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: wait pending
            step 1 ToolUse
            updated   #2 call bash: wait running
            started   #3 job-1 bash: wait running
            completed #2 call bash: wait completed = "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            started   #4 call job pending
            updated   #4 call job: read job-1 pending
            step 2 ToolUse
            updated   #4 call job: read job-1 running
            completed #4 call job: read job-1 completed = "waiting\n\n[job-1: running for 0 seconds]"
            started   #5 call job pending
            updated   #5 call job: read job-1 pending
            step 3 ToolUse
            updated   #5 call job: read job-1 running
            completed #3 job-1 bash: wait completed = Exited "waiting\n"
            completed #5 call job: read job-1 completed = "[job-1: nothing new, exited with code 0 after 0 seconds]"
            started   #6 message running ""
            completed #6 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            --- the model read
            user "go"
            assistant bash {"command":"wait","background":true}
            result of bash "Running in the background as job-1. Read its output with the tool `job` (action \"read\", id \"job-1\"), stop it with action \"stop\". You will be notified when it ends."
            assistant job {"action":"read","id":"job-1"}
            result of job "waiting\n\n[job-1: running for 0 seconds]"
            assistant job {"action":"read","id":"job-1","wait":100}
            result of job "[job-1: nothing new, exited with code 0 after 0 seconds]""#]],
    );
}

#[test]
fn too_many_jobs_are_refused_with_what_to_do() {
    let place = Place::new(&[]);
    let commands: Vec<Value> =
        (0..17).map(|_| json!({"command": "sleep 1000", "background": true})).collect();
    let mut program = program(&place, &commands);
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until_event("turn.completed");
    let refused =
        |message: &&Value| message.to_string().contains("16 jobs are already running. Stop one");
    let refusals = program.seen.iter().filter(refused).count();
    assert_eq!(refusals, 1);
    let jobs = program.ask("job/list", json!({}))["jobs"].clone();
    assert_eq!(jobs.as_array().map(Vec::len), Some(16));
    program.end_input();
    program.wait();
}

/// A program whose model runs these commands, one a reply, and then says `done`.
fn program(place: &Place, calls: &[Value]) -> Program {
    let call = |arguments: &Value| json!({"blocks": [{"tool": "bash", "arguments": arguments}]});
    let mut replies: Vec<Value> = calls.iter().map(call).collect();
    replies.extend([json!({"blocks": [{"text": "done"}]}), json!({"blocks": [{"text": "again"}]})]);
    let script = place.script(&json!({"replies": replies}));
    let command = place.engine(&["serve", "--permission", "full", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program
}

#[test]
fn jobs_and_what_commands_left_behind_end_with_the_session() {
    // What ends it, in a word.
    for end in ["close", "shutdown", "end of input", "a signal"] {
        let place = Place::new(&[]).with_processes();
        let mark = format!("mark-job-{}-{}", end.replace(' ', "-"), std::process::id());
        let job = format!(
            "setsid bash -c 'exec -a {mark}-far sleep 1000' & exec -a {mark}-job sleep 1000"
        );
        // It goes on after its command, with nothing open.
        let left = format!(
            "(setsid bash -c 'exec -a {mark}-left sleep 1000' </dev/null >/dev/null 2>&1 &); echo ok"
        );
        let mut program = program(
            &place,
            &[json!({"command": job, "background": true}), json!({"command": left})],
        );
        program.ask("session/create", json!({}));
        program.prompt("go");
        program.until_event("turn.completed");
        for part in ["far", "job", "left"] {
            until(|| is_running(&format!("{mark}-{part}")));
        }
        match end {
            "close" => {
                program.ask("session/close", json!({}));
                assert!(!is_running(&mark), "{end}");
                program.end_input();
            }
            "shutdown" => {
                program.ask("shutdown", json!({}));
                program.send(&json!({"method": "exit"}));
            }
            "end of input" => program.end_input(),
            _ => program.signal(Signal::SIGTERM),
        }
        program.wait();
        assert!(!is_running(&mark), "{end}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(journal.contains(r#""end":"sessionEnded""#), "{end}: {journal}");
    }
}

#[test]
fn an_opened_session_tells_the_model_which_jobs_ended_with_it() {
    let place = Place::new(&[]).with_processes();
    let command = json!({"command": "echo up; sleep 1000", "background": true});
    let mut first = program(&place, &[command]);
    let session = first.ask("session/create", json!({}))["sessionId"].clone();
    first.prompt("go");
    first.until_event("turn.completed");
    // It has no time to end anything in order.
    first.signal(Signal::SIGKILL);
    first.wait();

    let mut second = program(&place, &[]);
    second.ask("session/open", json!({"sessionId": session}));
    assert_eq!(second.ask("job/list", json!({}))["jobs"], json!([]));
    second.prompt("and now?");
    let told =
        second.until(|message| message["params"]["event"]["item"]["type"] == "engineMessage");
    let text = told["params"]["event"]["item"]["text"].as_str().unwrap();
    assert!(text.contains("job-1") && text.contains("the engine exited"), "{text}");
    second.until_event("turn.completed");
    second.end_input();
    second.wait();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let variables = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let home = place.home();
        let is_ours = String::from_utf8_lossy(&variables).contains(home.to_str().unwrap());
        if is_ours && let Ok(pid) = entry.file_name().to_string_lossy().parse() {
            // What a killed engine leaves behind is ended by the test.
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

#[test]
fn a_client_sees_what_a_job_prints_and_stops_it() {
    let place = Place::new(&[]);
    let command = json!({"command": "echo up; sleep 1000", "background": true});
    let mut program = program(&place, &[command]);
    program.ask("session/create", json!({}));
    program.prompt("go");
    let started = program.until(|message| message["params"]["event"]["item"]["type"] == "job");
    let id = started["params"]["event"]["item"]["id"].clone();
    // What it prints and the end of the turn come in any order.
    let (mut printed, mut background) = (String::new(), Value::Null);
    while printed != "up\n" || background != json!([id]) {
        let event = program.next()["params"]["event"].take();
        if event["itemId"] == id {
            printed.push_str(event["text"].as_str().unwrap());
        }
        if event["value"] == "idle" {
            background = event["background"].clone();
        }
    }
    let stopped = program.ask("job/stop", json!({"jobId": "job-1"}))["job"].clone();
    assert_eq!((&stopped["end"], &stopped["output"]), (&json!("stopped"), &json!("up\n")));
    let listed = program.ask("job/list", json!({}))["jobs"].clone();
    assert_eq!(listed, json!([stopped]));
    program.end_input();
    program.wait();
}

#[test]
fn who_looks_again_and_again_is_told_how_to_wait() {
    let looks = "bash make\n".repeat(10);
    let model = format!("background wait\n{looks}gate ready + bash make\nsay done");
    let steps = "prompt go | gate ready | end wait | open ready | idle";
    let told = told_with(Setup::default(), PermissionMode::Full, &model, steps);
    let told = told.replace('\n', " ");
    assert!(told.contains("call `job`, which returns when there is something new"), "{told}");
}
