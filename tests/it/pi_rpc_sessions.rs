//! Pi's RPC through the program: sessions and their files, retries, summing up, slow clients.

use crate::support::pi::{Pi, engine, roles, tell, words};
use crate::support::program::Place;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::path::PathBuf;

fn file_of(pi: &mut Pi) -> PathBuf {
    PathBuf::from(pi.data(json!({"type": "get_state"}))["sessionFile"].as_str().unwrap())
}

fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_file_says_what_the_commands_say() {
    let place = Place::new(&[("a.txt", "content\n")]);
    let script = json!({"replies": [
        {"blocks": [{"text": "I look"}, {"tool": "read", "arguments": {"path": "a.txt"}}], "usage": {"inputTokens": 10, "outputTokens": 2}},
        {"blocks": [{"text": "done"}], "usage": {"inputTokens": 20, "outputTokens": 3}},
    ]});
    let mut pi = Pi::on_script(&place, &script, &[]);
    let path = file_of(&mut pi);
    assert!(!path.exists(), "there is a file before anything was said");
    pi.prompt("look");
    let file = lines(&path);
    let entries = pi.data(json!({"type": "get_entries"}));
    assert_eq!(file[0]["type"], "session");
    assert_eq!(Value::from(file[1..].to_vec()), entries["entries"]);
    assert_eq!(entries["leafId"], file.last().unwrap()["id"]);
    // What was told of calls names them as the file does.
    let call = pi.seen.iter().find(|line| line["type"] == "tool_execution_end").unwrap();
    let result = file.iter().find(|line| line["message"]["role"] == "toolResult").unwrap();
    assert_eq!(call["toolCallId"], result["message"]["toolCallId"]);
    let ended = pi.seen.iter().filter(|line| line["type"] == "message_end");
    let told: Vec<Value> = ended.map(|line| line["message"].clone()).collect();
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(Value::from(told), messages["messages"]);
    assert_eq!(roles(&messages), ["system", "user", "assistant", "toolResult", "assistant"]);
    let since = pi.data(json!({"type": "get_entries", "since": file[1]["id"]}));
    assert_eq!(since["entries"].as_array().unwrap().len(), file.len() - 2);
    let stats = pi.data(json!({"type": "get_session_stats"}));
    assert_eq!(
        stats["tokens"],
        json!({"input": 30, "output": 5, "cacheRead": 0, "cacheWrite": 0, "total": 35})
    );
    assert_eq!((&stats["toolCalls"], &stats["totalMessages"]), (&json!(1), &json!(5)));
    let tree = pi.data(json!({"type": "get_tree"}));
    let mut depth = 0;
    let mut node = &tree["tree"][0];
    while !node["entry"].is_null() {
        depth += 1;
        node = &node["children"][0];
    }
    assert_eq!(depth, file.len() - 1);
    assert_eq!(pi.data(json!({"type": "get_last_assistant_text"})), json!({"text": "done"}));
    let page = pi.data(json!({"type": "export_html", "outputPath": "out.html"}));
    assert_eq!(page["path"], place.path("out.html").to_str().unwrap());
    assert!(place.read("out.html").contains("I look"));
}

#[test]
fn sessions_are_made_switched_forked_and_copied() {
    let place = Place::new(&[]);
    let mut pi = Pi::on_script(&place, &words(&["one", "two", "three", "four"]), &[]);
    pi.prompt("first");
    pi.prompt("second");
    let first = file_of(&mut pi);
    let said = pi.data(json!({"type": "get_fork_messages"}))["messages"].clone();
    assert_eq!(said.as_array().unwrap().len(), 2);
    assert_eq!(said[1]["text"], "second");
    let forked = pi.data(json!({"type": "fork", "entryId": said[1]["entryId"]}));
    assert_eq!(forked, json!({"text": "second", "cancelled": false}));
    assert_eq!(roles(&pi.data(json!({"type": "get_messages"}))), ["system", "user", "assistant"]);
    pi.prompt("other");
    let second = file_of(&mut pi);
    assert_ne!(first, second);
    let head = &lines(&second)[0];
    assert_eq!(head["parentSession"], first.to_str().unwrap());
    assert_eq!(pi.data(json!({"type": "clone"})), json!({"cancelled": false}));
    assert_eq!(roles(&pi.data(json!({"type": "get_messages"}))).len(), 5);
    pi.data(json!({"type": "new_session"}));
    assert_eq!(pi.data(json!({"type": "get_state"}))["messageCount"], 0);
    pi.data(json!({"type": "switch_session", "sessionPath": first.to_str().unwrap()}));
    assert_eq!(file_of(&mut pi), first);
    let texts = pi.data(json!({"type": "get_messages"}));
    assert_eq!(texts["messages"][4]["content"][0]["text"], "two");
    let before = lines(&first).len();
    pi.prompt("again");
    assert!(lines(&first).len() > before, "the file does not grow");
}

#[test]
fn a_killed_engine_lost_nothing_and_goes_on() {
    let place = Place::new(&[]).with_processes();
    let mut pi = Pi::on_script(&place, &words(&["one"]), &[]);
    pi.prompt("first");
    let path = file_of(&mut pi);
    let id = pi.data(json!({"type": "get_state"}))["sessionId"].as_str().unwrap().to_owned();
    let messages = pi.data(json!({"type": "get_messages"}));
    pi.child.kill();
    pi.wait();
    for flags in [
        ["--session", path.to_str().unwrap()],
        ["--session", &id[..13]],
        ["--session-id", &id],
        ["--continue", "--verbose"],
    ] {
        let mut pi = Pi::on_script(&place, &words(&["two"]), &flags);
        assert_eq!(pi.data(json!({"type": "get_messages"})), messages, "{flags:?}");
        assert_eq!(file_of(&mut pi), path, "{flags:?}");
        pi.end_input();
        pi.wait();
    }
    let mut pi = Pi::on_script(&place, &words(&["two"]), &["--session", path.to_str().unwrap()]);
    pi.prompt("second");
    assert_eq!(
        roles(&pi.data(json!({"type": "get_messages"}))),
        ["system", "user", "assistant", "user", "assistant"]
    );
    assert_eq!(lines(&path).iter().filter(|line| line["type"] == "message").count(), 5);
}

#[test]
fn a_session_is_made_under_the_id_that_a_client_chose() {
    let place = Place::new(&[]);
    for text in ["first", "second"] {
        let mut pi = Pi::on_script(&place, &words(&["one"]), &["--session-id", "chosen-1"]);
        assert_eq!(pi.data(json!({"type": "get_state"}))["sessionId"], "chosen-1");
        pi.prompt(text);
        pi.end_input();
        pi.wait();
    }
    let mut pi = Pi::on_script(&place, &words(&["one"]), &["--session-id", "chosen-1"]);
    let said = pi.data(json!({"type": "get_fork_messages"}))["messages"].clone();
    assert_eq!((&said[0]["text"], &said[1]["text"]), (&json!("first"), &json!("second")));
}

#[test]
fn a_session_of_pi_is_taken_over_and_its_file_grows() {
    let place = Place::new(&[]);
    let cwd = place.project();
    let theirs = [
        json!({"type": "session", "version": 3, "id": "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0000", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd}),
        json!({"type": "message", "id": "aaaaaaaa", "parentId": null, "timestamp": "2026-01-01T00:00:01.000Z", "message": {"role": "user", "content": "hi", "timestamp": 1}}),
        json!({"type": "message", "id": "bbbbbbbb", "parentId": "aaaaaaaa", "timestamp": "2026-01-01T00:00:02.000Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "hello"}], "api": "openai-completions", "provider": "script", "model": "old", "usage": {}, "stopReason": "stop", "timestamp": 2}}),
    ];
    let text: String = theirs.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(place.path("theirs.jsonl"), &text).unwrap();
    std::fs::write(place.path("notes.txt"), "not a session\n").unwrap();
    let mut pi = Pi::on_script(&place, &words(&["two"]), &["--session", "theirs.jsonl"]);
    assert_eq!(roles(&pi.data(json!({"type": "get_messages"}))), ["user", "assistant"]);
    pi.prompt("more");
    let grown = place.read("theirs.jsonl");
    assert!(grown.starts_with(&text), "what was there has changed:\n{grown}");
    assert_eq!(
        roles(&pi.data(json!({"type": "get_messages"}))),
        ["user", "assistant", "system", "user", "assistant"]
    );
    // Another program goes on with the file meanwhile: its lines stay, and what they say is a session of its own.
    pi.data(json!({"type": "new_session"}));
    let leaf = lines(&place.path("theirs.jsonl")).last().unwrap()["id"].clone();
    let more = json!({"type": "message", "id": "cccccccc", "parentId": leaf, "timestamp": "2026-01-01T00:00:09.000Z", "message": {"role": "user", "content": "from elsewhere", "timestamp": 9}});
    std::fs::write(place.path("theirs.jsonl"), format!("{grown}{more}\n")).unwrap();
    pi.data(json!({"type": "switch_session", "sessionPath": "theirs.jsonl"}));
    assert_ne!(file_of(&mut pi), place.path("theirs.jsonl"));
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(
        messages["messages"].as_array().unwrap().last().unwrap()["content"],
        "from elsewhere"
    );
    assert_eq!(place.read("theirs.jsonl"), format!("{grown}{more}\n"));
    let refused = pi.ask(json!({"type": "switch_session", "sessionPath": "notes.txt"}));
    assert_eq!(refused["success"], false);
    assert_eq!(place.read("notes.txt"), "not a session\n");
}

#[test]
fn a_provider_that_fails_is_asked_again_unless_that_is_off() {
    let script = json!({"replies": [
        {"blocks": [{"text": "half"}], "error": {"kind": "overloaded", "message": "503 busy", "retryAfterMs": 1}},
        {"blocks": [{"text": "whole"}]},
    ]});
    let place = Place::new(&[]);
    let mut process = engine(&place, &script, &[]);
    process.env("PINTLE_RETRIES", "2");
    let mut pi = Pi::start(process);
    pi.prompt("go");
    let told = tell(&pi.seen);
    let at = told.find("auto_retry_start").unwrap();
    let (before, after) = told.split_at(at);
    assert!(
        before.ends_with("turn_end \"error\" results=0\nagent_end messages=3 willRetry=true\n"),
        "{told}"
    );
    assert!(after.contains("\nagent_start\nturn_start\nmessage_start assistant\n"), "{told}");
    assert!(after.contains("auto_retry_end {\"success\":true,\"attempt\":1}"), "{told}");

    let place = Place::new(&[]);
    let mut process = engine(&place, &script, &[]);
    process.env("PINTLE_RETRIES", "2");
    let mut pi = Pi::start(process);
    pi.data(json!({"type": "set_auto_retry", "enabled": false}));
    pi.prompt("go");
    let told = tell(&pi.seen);
    assert!(!told.contains("auto_retry_"), "{told}");
    assert!(told.contains("message_end assistant \"half\" (error) 503 busy"), "{told}");
}

#[test]
fn a_conversation_is_summed_up() {
    let place = Place::new(&[]);
    let script = words(&["one", "two", "SUMMARY", "three"]);
    let mut pi = Pi::on_script(&place, &script, &[]);
    pi.prompt(&"first ".repeat(20_000));
    pi.prompt("second");
    pi.seen.clear();
    let result = pi.data(json!({"type": "compact", "customInstructions": "keep names"}));
    let kinds: Vec<&str> = pi.seen.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["compaction_start", "compaction_end", "response"], "{}", tell(&pi.seen));
    assert_eq!(pi.seen[1]["result"], result);
    assert!(result["summary"].as_str().unwrap().contains("SUMMARY"), "{result}");
    let entries = pi.data(json!({"type": "get_entries"}));
    let ids: Vec<&Value> =
        entries["entries"].as_array().unwrap().iter().map(|e| &e["id"]).collect();
    assert!(ids.contains(&&result["firstKeptEntryId"]), "{result}");
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(roles(&messages)[1], "compactionSummary");
    let again = pi.ask(json!({"type": "compact"}));
    assert_eq!(again["error"], "Already compacted");
    pi.prompt("third");
    assert_eq!(roles(&pi.data(json!({"type": "get_messages"}))).last(), Some(&"assistant"));
}

#[test]
fn a_compaction_names_the_files_that_were_read_and_changed() {
    let place = Place::new(&[("a.txt", "content\n"), ("b.txt", "one\n")]);
    let script = json!({"replies": [
        {"blocks": [
            {"tool": "read", "arguments": {"path": "a.txt"}},
            {"tool": "edit", "arguments": {"path": "b.txt", "edits": [{"oldText": "one", "newText": "two"}]}},
        ]},
        {"blocks": [{"text": "done"}]},
        {"blocks": [{"text": "two"}]},
        {"blocks": [{"text": "SUMMARY"}]},
    ]});
    let mut pi = Pi::on_script(&place, &script, &[]);
    let path = file_of(&mut pi);
    pi.prompt(&"first ".repeat(20_000));
    pi.prompt("second");
    let result = pi.data(json!({"type": "compact"}));
    let [a, b] = ["a.txt", "b.txt"].map(|name| place.path(name));
    let want = json!({"readFiles": [a], "modifiedFiles": [b]});
    assert_eq!(result["details"], want);
    let file = lines(&path);
    let entry = file.iter().find(|line| line["type"] == "compaction").unwrap();
    assert_eq!(entry["details"], want);
}

#[test]
fn a_client_that_reads_late_gets_every_message() {
    let place = Place::new(&[]);
    let long = "word ".repeat(40_000);
    let replies: Vec<Value> = (0..6).map(|_| json!({"blocks": [{"text": long}]})).collect();
    let script = json!({ "replies": replies });
    let mut process = engine(&place, &script, &[]).command();
    let piped = process.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for n in 0..6 {
        let line =
            json!({"type": "prompt", "message": format!("p{n}"), "streamingBehavior": "followUp"});
        std::io::Write::write_all(&mut stdin, format!("{line}\n").as_bytes()).unwrap();
    }
    // The engine is done with its work before anything is read.
    until(|| {
        let text =
            place.journal_if_any().map(std::fs::read_to_string).transpose().unwrap_or_default();
        text.unwrap_or_default().matches("turn.completed").count() == 6
    });
    drop(stdin);
    let said = child.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(0));
    let lines = String::from_utf8(said.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let replies = lines
        .iter()
        .filter(|line| line["type"] == "message_end" && line["message"]["role"] == "assistant");
    let replies: Vec<&Value> = replies.collect();
    assert_eq!(replies.len(), 6);
    let mut told = vec![String::new()];
    for line in &lines {
        let event = &line["assistantMessageEvent"];
        if event["type"] == "text_delta" {
            told.last_mut().unwrap().push_str(event["delta"].as_str().unwrap());
        } else if event["type"] == "text_end" {
            assert_eq!(
                event["content"].as_str().unwrap(),
                told.last().unwrap(),
                "the pieces are not the whole"
            );
            told.push(String::new());
        }
    }
    assert_eq!(lines.last().unwrap()["type"], "agent_settled");
}

/// A hook keeps the prompt from being read, so that the engine is killed between the two, before there is a file.
#[test]
fn a_prompt_that_a_killed_engine_accepted_waits_for_the_next_one() {
    let place = Place::new(&[]).with_processes();
    let config = place.home().join("config.toml");
    std::fs::create_dir_all(place.home()).unwrap();
    let hook = "[[hooks]]\npoint = \"beforeAgent\"\ncommand = \"sleep 1000\"\n";
    std::fs::write(&config, hook).unwrap();
    let mut pi = Pi::on_script(&place, &words(&["one"]), &[]);
    let path = file_of(&mut pi);
    pi.send(&json!({"type": "prompt", "message": "first"}));
    until(|| {
        let journal = place.journal_if_any().map(std::fs::read_to_string);
        journal.is_some_and(|text| text.unwrap().contains("input.accepted"))
    });
    pi.child.kill();
    pi.wait();
    assert!(!path.exists());
    std::fs::remove_file(&config).unwrap();

    let flags = ["--session", path.to_str().unwrap()];
    for _ in 0..2 {
        // Opening and closing it changes nothing.
        let mut pi = Pi::on_script(&place, &words(&["both"]), &flags);
        assert_eq!(pi.data(json!({"type": "get_state"}))["pendingMessageCount"], 1);
        assert_eq!(file_of(&mut pi), path);
        pi.end_input();
        pi.wait();
    }
    let mut pi = Pi::on_script(&place, &words(&["both"]), &flags);
    pi.prompt("second");
    let messages = pi.data(json!({"type": "get_messages"}));
    assert_eq!(roles(&messages), ["system", "user", "user", "assistant"]);
    assert!(messages["messages"][1].to_string().contains("first"), "{messages}");
    assert_eq!(pi.data(json!({"type": "get_state"}))["pendingMessageCount"], 0);
    assert_eq!(lines(&path).iter().filter(|line| line["type"] == "message").count(), 4);
}

#[test]
fn a_last_line_that_a_kill_cut_is_completed() {
    let place = Place::new(&[]).with_processes();
    let mut pi = Pi::on_script(&place, &words(&["one"]), &[]);
    pi.prompt("first");
    let path = file_of(&mut pi);
    let messages = pi.data(json!({"type": "get_messages"}));
    pi.child.kill();
    pi.wait();
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    for flags in [&["--session", path.to_str().unwrap()][..], &["--continue"]] {
        let mut pi = Pi::on_script(&place, &words(&["two"]), flags);
        assert_eq!(pi.data(json!({"type": "get_messages"})), messages, "{flags:?}");
        assert_eq!(file_of(&mut pi), path, "{flags:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{flags:?}");
        pi.end_input();
        pi.wait();
    }
}
