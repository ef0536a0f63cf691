//! How room is made in a long conversation, at the engine's border: what is pruned, when it is summed up, and that nothing is lost on
//! the way. The model's window holds 100,000 tokens; what a reply reports as used brings a conversation near its end.

use crate::questions::{person, row};
use crate::scenarios::{full, requests, told_with};
use crate::support::program::{Framing, Place, Program};
use crate::support::stage::Setup;
use expect_test::expect;
use pintle_agent::CompactionPolicy;
use pintle_protocol::approval::PermissionMode;
use serde_json::{Value, json};

#[test]
fn old_results_go_before_anything_is_summed_up() {
    full(
        "bash long\nbash long\nbash make + used 62000\nsay done",
        "prompt go | idle | context",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            updated   #2 call bash: long pending
            step 1 ToolUse
            updated   #2 call bash: long running
            completed #2 call bash: long completed = "(a long text)"
            started   #3 call bash pending
            updated   #3 call bash: long pending
            step 2 ToolUse
            updated   #3 call bash: long running
            completed #3 call bash: long completed = "(a long text)"
            started   #4 call bash pending
            updated   #4 call bash: make pending
            step 3 ToolUse
            updated   #4 call bash: make running
            completed #4 call bash: make completed = "made\n"
            pruned 2 results, 62006 to 46312 tokens
            started   #5 message running ""
            completed #5 message completed "done"
            step 4 EndTurn
            turn Completed EndTurn after 4 steps
            > context: 1 user, 3 assistant, 3 result of bash
            --- the model read
            user "go"
            assistant bash {"command":"long"}
            result of bash "[This result was removed to make room: `recall` with the call `call_1` brings it back, or run the call again.]"
            assistant bash {"command":"long"}
            result of bash "[This result was removed to make room: `recall` with the call `call_2` brings it back, or run the call again.]"
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn a_full_window_is_summed_up_and_the_turn_goes_on() {
    full(
        "say old news + used 1000\nread a.txt + used 90000\nsay ## Goal all of it + used 500\nsay and on",
        "prompt first | idle | prompt second | idle | context",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "old news"
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
            started   #5 compaction Threshold running
            completed #5 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal all of it\n\n## Files\nRead: a.txt\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            started   #6 message running ""
            completed #6 message completed "and on"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > context: 1 summary, 1 assistant, 1 result of read
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal all of it\n\n## Files\nRead: a.txt\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo""#]],
    );
}

#[test]
fn a_second_summary_updates_the_first() {
    full(
        "say a + used 90000\nsay ## Goal one\nsay b + used 90000\nsay ## Goal one and two\nsay c",
        "prompt first | idle | prompt second | idle | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 compaction Threshold running
            completed #4 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal one\n\n## The user's messages, verbatim\n> first\n"
            started   #5 message running ""
            completed #5 message completed "b"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #6 user "third"
            started   #7 compaction Threshold running
            completed #7 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal one and two\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            started   #8 message running ""
            completed #8 message completed "c"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal one and two\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            assistant "b"
            user "third""#]],
    );
}

#[test]
fn an_overflow_is_summed_up_and_asked_once_more() {
    full(
        "say a\nfail overflow too long\nsay ## Goal short\nsay b",
        "prompt first | idle | prompt second | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 compaction Overflow running
            completed #4 compaction Overflow completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal short\n\n## The user's messages, verbatim\n> first\n"
            started   #5 message running ""
            completed #5 message completed "b"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal short\n\n## The user's messages, verbatim\n> first\n"
            user "second""#]],
    );
}

#[test]
fn a_second_overflow_ends_the_turn() {
    full(
        "say a\nfail overflow too long\nsay ## Goal short\nfail overflow still too long\nsay b",
        "prompt first | idle | prompt second | idle | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 compaction Overflow running
            completed #4 compaction Overflow completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal short\n\n## The user's messages, verbatim\n> first\n"
            turn Failed after 2 steps overflow: still too long
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #5 user "third"
            started   #6 message running ""
            completed #6 message completed "b"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal short\n\n## The user's messages, verbatim\n> first\n"
            user "second"
            user "third""#]],
    );
}

#[test]
fn too_many_requests_are_no_overflow() {
    full(
        "say a\nfail rateLimit slow down\nsay b",
        "prompt first | idle | prompt second | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            retry 1 of 3 in 0 ms, rateLimit: slow down
            started   #4 message running ""
            completed #4 message completed "b"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant "a"
            user "second""#]],
    );
}

#[test]
fn an_empty_summary_changes_nothing() {
    full(
        "say a + used 90000\nthink hm\nsay b",
        "prompt first | idle | prompt second | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 compaction Threshold running
            completed #4 compaction Threshold failed = "the model's summary was empty"
            started   #5 message running ""
            completed #5 message completed "b"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "first"
            assistant "a"
            user "second""#]],
    );
}

#[test]
fn without_a_summary_all_old_results_go_and_the_newest_stays() {
    full(
        "bash long\nbash long\nbash long\nfail overflow too long\nfail auth no\nsay on it goes",
        "prompt first | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 call bash pending
            updated   #2 call bash: long pending
            step 1 ToolUse
            updated   #2 call bash: long running
            completed #2 call bash: long completed = "(a long text)"
            started   #3 call bash pending
            updated   #3 call bash: long pending
            step 2 ToolUse
            updated   #3 call bash: long running
            completed #3 call bash: long completed = "(a long text)"
            started   #4 call bash pending
            updated   #4 call bash: long pending
            step 3 ToolUse
            updated   #4 call bash: long running
            completed #4 call bash: long completed = "(a long text)"
            started   #5 compaction Overflow running
            completed #5 compaction Overflow failed = "no"
            pruned 2 results, 27888 to 12194 tokens
            started   #6 message running ""
            completed #6 message completed "on it goes"
            step 5 EndTurn
            turn Completed EndTurn after 5 steps
            --- the model read
            user "first"
            assistant bash {"command":"long"}
            result of bash "[This result was removed to make room: `recall` with the call `call_1` brings it back, or run the call again.]"
            assistant bash {"command":"long"}
            result of bash "[This result was removed to make room: `recall` with the call `call_2` brings it back, or run the call again.]"
            assistant bash {"command":"long"}
            result of bash "(a long text)""#]],
    );
}

#[test]
fn a_stop_while_it_is_summed_up_changes_nothing() {
    full(
        "say a + used 90000\nsay ## Go + gate g\nsay ## Goal b\nsay c",
        "prompt first | idle | prompt second | gate g | stop | idle | prompt third | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 compaction Threshold running
            > stop: stopping, 0 returned
            completed #4 compaction Threshold cancelled
            turn Interrupted after 0 steps
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #5 user "third"
            started   #6 compaction Threshold running
            completed #6 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal b\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            started   #7 message running ""
            completed #7 message completed "c"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal b\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            user "third""#]],
    );
}

#[test]
fn messages_that_come_while_it_is_summed_up_are_kept() {
    full(
        "say a + used 90000\nsay ## Goal + gate g\nsay b\nsay c\nsay d",
        "prompt first | idle | prompt second | gate g | queue third | steer quick | open g | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 compaction Threshold running
            > queue third: Queued
            accepted FollowUp "third"
            > steer quick: accepted
            accepted Steer "quick"
            completed #4 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal\n\n## The user's messages, verbatim\n> first\n"
            completed #5 user "quick"
            started   #6 message running ""
            completed #6 message completed "b"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            turn started
            completed #7 user "third"
            started   #8 message running ""
            completed #8 message completed "c"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal\n\n## The user's messages, verbatim\n> first\n"
            user "second"
            user "quick"
            assistant "b"
            user "third""#]],
    );
}

#[test]
fn a_person_can_ask_for_it() {
    full(
        "say a\nsay b\nsay ## Goal both\nsay c + gate g",
        "compact | idle | prompt first | idle | prompt second | idle | compact keep names | idle | prompt third | gate g | compact | open g | idle",
        expect![[r#"
            > compact: begun
            turn started
            started   #1 compaction Requested running
            completed #1 compaction Requested failed = "there is nothing to summarize yet"
            turn Failed after 0 steps compaction: there is nothing to summarize yet
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #2 user "first"
            started   #3 message running ""
            completed #3 message completed "a"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #4 user "second"
            started   #5 message running ""
            completed #5 message completed "b"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > compact keep names: begun
            turn started
            started   #6 compaction Requested running
            completed #6 compaction Requested completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal both\n\n## The user's messages, verbatim\n> first\n"
            turn Completed EndTurn after 0 steps
            > prompt third: Started
            accepted Prompt "third"
            turn started
            completed #7 user "third"
            started   #8 message running ""
            > compact: refused: a turn is running
            completed #8 message completed "c"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal both\n\n## The user's messages, verbatim\n> first\n"
            user "second"
            assistant "b"
            user "third""#]],
    );
}

#[test]
fn open_todos_stand_in_the_summary() {
    row(
        person(),
        "call todo_write {\"items\":[{\"content\":\"look\",\"status\":\"completed\"},{\"content\":\"mend\",\"status\":\"pending\"}]} + used 90000\nsay ## Goal mend it\nsay on",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call todo_write pending
            updated   #2 call todo_write: 1 of 2 done pending
            step 1 ToolUse
            updated   #2 call todo_write: 1 of 2 done running
            plan [x] look [ ] mend
            completed #2 call todo_write: 1 of 2 done completed = "The list is now:\n[x] look\n[ ] mend"
            started   #3 compaction Threshold running
            completed #3 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal mend it\n\n## Open todos\n[ ] mend\n\n## The user's messages, verbatim\n> go\n"
            started   #4 message running ""
            completed #4 message completed "on"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal mend it\n\n## Open todos\n[ ] mend\n\n## The user's messages, verbatim\n> go\n"
            assistant todo_write {"items":[{"content":"look","status":"completed"},{"content":"mend","status":"pending"}]}
            result of todo_write "The list is now:\n[x] look\n[ ] mend""#]],
    );
}

#[test]
fn a_result_that_was_removed_is_brought_back_whole() {
    let model = "bash long\nbash long\nbash make + used 62000\ncall recall {\"call\":\"call_1\"}\n\
        call recall {\"call\":\"call_3\"}\nsay done";
    let told = told_with(Setup::default(), PermissionMode::Full, model, "prompt go | idle");
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("recall")).collect();
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has("call recall: call_1 completed = \"(a long text)\""), "{told}");
    assert!(has("`recall` with the call `call_2` brings it back"), "{told}");
    assert!(
        has("call recall: call_3 failed = error \"No result of a call `call_3` was removed"),
        "{told}"
    );
}

#[test]
fn a_summary_names_the_files_that_were_read_and_changed() {
    let model = "read a.txt\nread b.txt\nedit a.txt one -> uno\ncall ls {}\nread none.txt\nsay ok\nsay sure + used 90000\nsay ## Goal A + used 50\nread b.txt + used 90000\n\
        say ## Goal B\nsay done";
    let steps = "prompt go | idle | prompt more | idle | prompt on | idle";
    let told = told_with(Setup::default(), PermissionMode::Full, model, steps);
    let summaries: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("completed #") && line.contains("compaction"))
        .collect();
    expect![[r#"
        completed #11 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal A\n\n## Files\nRead: b.txt\nChanged: a.txt\n\n## The user's messages, verbatim\n> go\n"
        completed #13 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal B\n\n## Files\nRead: b.txt\nChanged: a.txt\n\n## The user's messages, verbatim\n> go\n\n> more\n\n> on\n""#]].assert_eq(&summaries.join("\n"));
}

#[test]
fn a_turn_that_the_cut_divides_is_summed_up_apart() {
    full(
        "say old news + used 1000\nbash make\nread a.txt + used 90000\nsay ## Goal all of it\nsay ### Request second\nsay on",
        "prompt first | idle | prompt second | idle",
        expect![[r#"
            > prompt first: Started
            accepted Prompt "first"
            turn started
            completed #1 user "first"
            started   #2 message running ""
            completed #2 message completed "old news"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt second: Started
            accepted Prompt "second"
            turn started
            completed #3 user "second"
            started   #4 call bash pending
            updated   #4 call bash: make pending
            step 1 ToolUse
            updated   #4 call bash: make running
            completed #4 call bash: make completed = "made\n"
            started   #5 call read pending
            updated   #5 call read: a.txt pending
            step 2 ToolUse
            updated   #5 call read: a.txt running
            completed #5 call read: a.txt completed = "one\ntwo"
            started   #6 compaction Threshold running
            completed #6 compaction Threshold completed = "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal all of it\n\n## The task in progress\n### Request second\n\n## Files\nRead: a.txt\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            started   #7 message running ""
            completed #7 message completed "on"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "From the engine, not from the user: the conversation so far was too long; this is a summary.\n\n## Goal all of it\n\n## The task in progress\n### Request second\n\n## Files\nRead: a.txt\n\n## The user's messages, verbatim\n> first\n\n> second\n"
            assistant read {"path":"a.txt"}
            result of read "one\ntwo""#]],
    );
}

#[test]
fn long_arguments_of_old_calls_go_like_old_results() {
    let long = "word ".repeat(800);
    let model = format!(
        "write new.txt {long}\nbash long\nbash long\nbash make + used 62000\ncall recall {{\"call\":\"call_1\"}}\nsay done"
    );
    let told = told_with(Setup::default(), PermissionMode::Full, &model, "prompt go | idle");
    let has = |text: &str| assert!(told.contains(text), "{text}\n{told}");
    has("pruned 2 results and arguments of 1 calls");
    has("characters were removed to make room: `recall` with the call `call_1` brings them back.]");
    has("call recall: call_1 completed = \"(a long text)\"");
}

#[test]
fn a_model_of_its_own_writes_summaries() {
    let setup = Setup { summary_model: Some("script/small:low"), ..Setup::default() };
    let model = "say a + used 90000\nsay ## Goal short\nsay b";
    let asked = requests(setup, model, "prompt first | idle | prompt second | idle");
    let asked: Vec<&str> = asked.iter().map(|request| request.origin.as_str()).collect();
    assert_eq!(asked, ["script/test", "script/small", "script/test"]);
}

#[test]
fn a_warning_is_an_event_when_four_fifths_of_the_window_are_used() {
    let model = "bash make + used 79000\nbash make + used 81000\nsay done";
    let told = told_with(Setup::default(), PermissionMode::Full, model, "prompt go | idle");
    let warning = "notice contextNearlyFull: the conversation takes about 810";
    assert_eq!(told.matches("contextNearlyFull").count(), 1, "{told}");
    assert!(told.contains(warning), "{told}");
    // Nothing makes room by itself then, which makes the warning matter more.
    let compaction = CompactionPolicy { is_automatic: false, ..CompactionPolicy::default() };
    let setup = Setup { compaction, ..Setup::default() };
    let told = told_with(setup, PermissionMode::Full, model, "prompt go | idle");
    assert_eq!(told.matches(warning).count(), 1, "{told}");
}

#[test]
fn a_message_that_is_too_long_by_itself_says_what_to_do() {
    let too_long = json!({"blocks": [], "error": {"kind": "overflow", "message": "too long"}});
    let answer = json!({"blocks": [{"text": "done"}]});
    for (replies, want) in [
        (json!([too_long]), "this message alone exceeds the model's context window: attach less"),
        (json!([answer, too_long, too_long]), "choose a model with a larger context window, or"),
    ] {
        let place = Place::new(&[]);
        let script = place.script(&json!({ "replies": replies }));
        let mut program = Program::start(
            place.engine(&["serve", "--permission", "full", "--script", &script]),
            Framing::Lines,
        );
        program.initialize();
        program.ask("session/create", json!({}));
        let mut end = Value::Null;
        for _ in 0..replies.as_array().unwrap().len().min(2) {
            program.prompt("go");
            end = program.until_event("turn.completed");
        }
        let error = &end["error"];
        assert_eq!(error["message"], "too long", "{end}");
        assert!(error["hint"].as_str().unwrap_or_default().starts_with(want), "{end}");
    }
}
