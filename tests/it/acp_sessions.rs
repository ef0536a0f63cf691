//! Sessions over the Agent Client Protocol: listed, loaded, resumed, closed, deleted, steered, and what this engine has beyond the protocol.

use crate::support::acp::{Client, bash, everything, said, script};
use crate::support::program::{Framing, Place, Program};
use expect_test::expect;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn a_message_for_the_running_turn_goes_into_it() {
    let replies = script(&[bash("tee /dev/null"), said("heard"), said("new turn")]);
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &replies, json!({}));
    let words = json!([{"type": "text", "text": "also this"}]);
    let asks = json!({"prompt": words, "_meta": {"steering": {"idleBehavior": "promptRequired"}}});
    assert_eq!(client.ask("_session/steering", asks)["outcome"], "promptRequired");
    let prompt = client.prompt("go");
    let request = client.asked_for("session/request_permission");
    assert_eq!(client.ask("_session/steering", json!({"prompt": words}))["outcome"], "injected");
    client.choose(&request, "allow");
    assert_eq!(client.stop_of(prompt), "end_turn");
    client.told();
    assert_eq!(
        client.ask("_session/steering", json!({"prompt": words}))["outcome"],
        "startedNewTurn"
    );
    client.until(|message| {
        message["params"]["update"]["content"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("turn"))
    });
}

#[test]
fn sessions_are_listed_loaded_resumed_closed_and_deleted() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let replies = script(&[
        json!({"blocks": [{"reasoning": "hm"}, {"tool": "read", "arguments": {"path": "a.txt"}}]}),
        json!({"blocks": [{"tool": "todo_write", "arguments": {"items": [{"content": "look", "status": "completed"}]}}]}),
        said("it says one"),
        said("more"),
    ]);
    let mut client = Client::open(&place, &replies, json!({}));
    assert_eq!(client.say("what is in a.txt?"), "end_turn");
    let listed = client.ask("session/list", json!({"cwd": place.project()}));
    let session = &listed["sessions"][0];
    assert_eq!(
        (&session["sessionId"], &session["title"]),
        (&json!(client.session), &json!("what is in a.txt?"))
    );
    assert!(session["updatedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(client.ask("session/close", json!({})), json!({}));
    let id = client.prompt("anyone?");
    assert!(client.stop_of(id).starts_with("-32002"));
    client.told();
    let params = json!({"cwd": place.project(), "mcpServers": []});
    assert!(client.ask("session/load", params.clone())["configOptions"].is_array());
    client.ask("session/list", json!({}));
    expect![[r"
        user_message_chunk: what is in a.txt?
        agent_thought_chunk: hm
        tool_call read completed read: a.txt
        tool_call_update read completed read: a.txt [```⏎one⏎```]
        tool_call think completed todo_write: 1 of 1 done
        tool_call_update think completed todo_write: 1 of 1 done [The list is now:⏎[x] look]
        agent_message_chunk: it says one
        plan completed look
        = session/load
        available_commands_update compact
        = session/list"]]
    .assert_eq(&client.told());
    assert_eq!(client.say("go on"), "end_turn");
    assert_eq!(client.ask("session/close", json!({})), json!({}));
    client.told();
    assert!(client.ask("session/resume", params)["modes"].is_object());
    client.ask("session/list", json!({}));
    expect![[r"
        = session/resume
        available_commands_update compact
        = session/list"]]
    .assert_eq(&client.told());
    assert_eq!(client.ask("session/delete", json!({})), json!({}));
    assert_eq!(client.ask("session/list", json!({}))["sessions"], json!([]));
}

#[test]
fn a_session_of_another_frontend_is_loaded_along_the_way_that_its_history_took() {
    let place = Place::new(&[]);
    let replies = script(&[said("one"), said("two"), said("three")]);
    let mut native = Program::on_script(&place, &replies, Framing::Lines);
    for text in ["first", "second"] {
        native.prompt(text);
        native.until_event("turn.completed");
    }
    let events = native.ask("session/events", json!({"after": 0}))["events"].clone();
    let asked = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["event"]["type"] == "input.accepted")
        .nth(1);
    let item = asked.unwrap()["event"]["itemId"].clone();
    native.ask("session/rewind", json!({"to": {"itemId": item}, "scope": "conversation"}));
    native.prompt("instead");
    native.until_event("turn.completed");
    let session = events[0]["sessionId"].as_str().unwrap().to_owned();
    native.end_input();
    native.wait();
    let mut client = Client::start(&place, &replies, json!({}));
    client.session = session;
    client.told();
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    expect![[r"
        user_message_chunk: first
        agent_message_chunk: one
        user_message_chunk: instead
        agent_message_chunk: three
        = session/load"]]
    .assert_eq(&client.told());
    let seqs: Vec<u64> = client
        .program
        .seen
        .iter()
        .filter_map(|m| m["params"]["_meta"]["pintle"]["seq"].as_u64())
        .collect();
    assert!(!seqs.is_empty() && seqs.is_sorted(), "{seqs:?}");
}

#[test]
fn the_engine_s_own_methods_are_answered_under_its_name() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let edit = json!({"blocks": [{"tool": "edit", "arguments": {"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}}]});
    let mut client = Client::start_with(
        &place,
        &script(&[edit, said("done")]),
        json!({}),
        &["--permission", "full"],
    );
    client.new_session(&place);
    assert_eq!(client.say("change it"), "end_turn");
    let hunks = client.ask("_pintle/review/list", json!({}));
    assert_eq!(hunks["hunks"].as_array().map(Vec::len), Some(1), "{hunks}");
    let events = client.ask("_pintle/session/events", json!({"after": 0, "limit": 5}));
    assert_eq!(events["events"][0]["seq"], 1);
    assert_eq!(client.ask("_pintle/queue/list", json!({}))["queue"], json!([]));
    assert_eq!(client.ask("_pintle/permission/list", json!({}))["rules"], json!([]));
    let tree = client.ask("_pintle/session/tree", json!({}));
    assert!(tree["nodes"].is_array(), "{tree}");
    let rewound = client.ask("_pintle/session/rewind", json!({"to": {"seq": 1}, "scope": "files"}));
    assert!(rewound.get("code").is_none(), "{rewound}");
    assert_eq!(place.read("a.txt"), "one\n");
}

#[test]
fn a_fork_is_made_loaded_and_merged() {
    let place = Place::new(&[]);
    let replies = script(&[said("one"), said("two"), said("three")]);
    let mut client = Client::open(&place, &replies, json!({}));
    client.say("first");
    let parent = client.session.clone();
    let fork = client.ask("_pintle/session/fork", json!({}));
    fork["sessionId"].as_str().unwrap().clone_into(&mut client.session);
    assert_ne!(client.session, parent);
    client.told();
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    let told = client.told();
    assert!(told.starts_with("user_message_chunk: first\nagent_message_chunk: one\n"), "{told}");
    client.say("second");
    let outline = client.ask("_pintle/session/outline", json!({}));
    assert!(outline["entries"].as_array().is_some_and(|all| all.len() >= 2), "{outline}");
    let merge = json!({"sessionId": parent, "forkId": client.session});
    let merged = client.ask("_pintle/session/merge", merge);
    assert!(merged.get("code").is_none(), "{merged}");
    client.session = parent;
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    let told = client.told();
    assert!(told.contains("agent_message_chunk: two"), "{told}");
}

#[test]
fn a_conversation_is_summed_up_on_demand() {
    for (offers, want) in
        [(everything(), "compaction_update completed"), (json!({}), "was compacted")]
    {
        let place = Place::new(&[]);
        let replies = script(&[said("one"), said("two"), said("SUMMARY"), said("after")]);
        let mut client = Client::open(&place, &replies, offers);
        client.say("first");
        client.say("second");
        client.told();
        assert_eq!(client.say("/compact keep the names"), "end_turn");
        let told = client.told();
        assert!(told.contains(want), "{told}");
    }
}

#[test]
fn a_session_that_works_is_told_once_when_it_is_loaded() {
    let place = Place::new(&[]);
    let replies = script(&[bash("tee /dev/null"), said("done")]);
    let mut client = Client::open(&place, &replies, json!({}));
    let prompt = client.prompt("go");
    let request = client.asked_for("session/request_permission");
    client.told();
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    client.choose(&request, "allow");
    assert_eq!(client.stop_of(prompt), "end_turn");
    expect![[r"
        user_message_chunk: go
        tool_call execute bash: tee /dev/null
        = session/load
        available_commands_update compact
        tool_call_update execute in_progress bash: tee /dev/null
        tool_call_update execute completed bash: tee /dev/null [```⏎(no output)⏎```]
        agent_message_chunk: done
        = session/prompt end_turn"]]
    .assert_eq(&client.told());
}

#[test]
fn whatever_happens_while_a_session_is_loaded_is_told_once() {
    const CALLS: usize = 40;
    let place = Place::new(&[("a.txt", "one\n")]);
    let read = |limit: usize| {
        let arguments = json!({"path": "a.txt", "limit": limit});
        json!({"blocks": [{"text": "I look"}, {"tool": "read", "arguments": arguments}]})
    };
    let mut replies: Vec<_> = (1..=CALLS).map(read).collect();
    replies.push(said("done"));
    let mut client = Client::open(&place, &script(&replies), json!({}));
    let prompt = client.prompt("go");
    client.update("tool_call");
    let load = client.send("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    let mut announced: BTreeMap<String, usize> = BTreeMap::new();
    let mut words = String::new();
    let (mut is_loaded, mut is_over) = (false, false);
    while !(is_loaded && is_over) {
        let message = client.next();
        let update = &message["params"]["update"];
        match update["sessionUpdate"].as_str() {
            // The client begins anew with what it asked for.
            Some("user_message_chunk") => (announced, words) = (BTreeMap::new(), String::new()),
            Some("tool_call") => {
                let id = update["toolCallId"].as_str().unwrap().to_owned();
                *announced.entry(id).or_default() += 1;
            }
            Some("agent_message_chunk") => {
                words.push_str(update["content"]["text"].as_str().unwrap());
            }
            _ => {}
        }
        is_loaded |= message["id"] == load;
        is_over |= message["id"] == prompt && message.get("method").is_none();
    }
    assert_eq!(announced.len(), CALLS);
    assert!(announced.values().all(|times| *times == 1), "{announced:?}");
    assert_eq!(words, format!("{}done", "I look".repeat(CALLS)));
}

#[test]
fn directories_beside_the_working_directory_belong_to_the_work() {
    let place = Place::new(&[]);
    let beside = place.project().parent().unwrap().join("beside");
    std::fs::create_dir(&beside).unwrap();
    std::fs::write(beside.join("a.txt"), "one\n").unwrap();
    let command = format!("echo two > {}/a.txt", beside.display());
    let write = |name: &str| {
        let path = beside.join(name);
        json!({"blocks": [{"tool": "write", "arguments": {"path": path, "content": "x\n"}}]})
    };
    let replies =
        script(&[write("b.txt"), bash(&command), said("done"), write("c.txt"), said("again")]);
    let mut client = Client::start(&place, &replies, json!({}));
    let (cwd, none) = (place.project(), json!([]));
    let params = |additional: &Value| json!({"cwd": cwd, "mcpServers": none, "additionalDirectories": additional});
    for (additional, want) in [
        (json!(["beside"]), "the additional directory `beside` is not absolute"),
        (json!(["/no/such"]), "the additional directory `/no/such` cannot be used"),
    ] {
        let refused = client.ask("session/new", params(&additional));
        assert!(refused["message"].as_str().unwrap().starts_with(want), "{refused}");
    }
    let made = client.ask("session/new", params(&json!([beside])));
    made["sessionId"].as_str().unwrap().clone_into(&mut client.session);
    let reason = |request: &Value| request["params"]["_meta"]["pintle"]["reason"].clone();
    let prompt = client.prompt("go");
    for want in ["changes files", "changes files"] {
        let request = client.asked_for("session/request_permission");
        assert_eq!(reason(&request), want);
        client.choose(&request, "allow");
    }
    assert_eq!(client.stop_of(prompt), "end_turn");
    let review = client.ask("_pintle/review/list", json!({}));
    assert_eq!(review["hunks"].as_array().map(Vec::len), Some(2), "{review}");
    let context = client.ask("_pintle/context/read", json!({})).to_string();
    let told = format!("additional directory: {}", beside.display());
    assert!(context.contains(&told), "{context}");
    // A client says all of them whenever it opens a session.
    client.ask("session/close", json!({}));
    client.ask("session/load", params(&none));
    let prompt = client.prompt("go on");
    let request = client.asked_for("session/request_permission");
    assert_eq!(reason(&request), "changes files outside the working directory");
    client.choose(&request, "allow");
    assert_eq!(client.stop_of(prompt), "end_turn");
    let context = client.ask("_pintle/context/read", json!({})).to_string();
    assert!(context.contains("the workspace is now only the working directory"), "{context}");
}

#[test]
fn what_a_command_did_beside_the_working_directory_is_told_after_a_kill() {
    let place = Place::new(&[]).with_processes();
    let beside = place.project().parent().unwrap().join("beside");
    std::fs::create_dir(&beside).unwrap();
    let file = beside.join("a.txt");
    std::fs::write(&file, "one\n").unwrap();
    // Above the shell are its keeper, the supervisor of commands, and the engine.
    let kill = "kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $PPID))";
    let replies = script(&[bash(&format!("echo two > {}; {kill}", file.display()))]);
    let mut client = Client::start_with(&place, &replies, json!({}), &["--permission", "full"]);
    let cwd = place.project();
    let params = json!({"cwd": cwd, "mcpServers": [], "additionalDirectories": [beside]});
    let made = client.ask("session/new", params.clone());
    made["sessionId"].as_str().unwrap().clone_into(&mut client.session);
    client.prompt("go");
    client.program.wait();
    let session = client.session.clone();
    let mut client = Client::start(&place, &script(&[]), json!({}));
    client.session = session;
    client.ask("session/load", params);
    let review = client.ask("_pintle/review/list", json!({}));
    assert_eq!(review["hunks"][0]["path"], file.to_str().unwrap(), "{review}");
}

#[test]
fn a_session_that_another_process_has_open_is_left_to_it() {
    let place = Place::new(&[]).with_processes();
    let mut holder = Client::open(&place, &script(&[said("one"), said("two")]), json!({}));
    assert_eq!(holder.say("hi"), "end_turn");
    let mut client = Client::start(&place, &script(&[]), json!({}));
    client.session.clone_from(&holder.session);
    let params = json!({"cwd": place.project(), "mcpServers": []});
    for method in ["session/load", "session/resume", "session/delete"] {
        let refused = client.ask(method, params.clone());
        assert_eq!(refused["data"]["code"], "openElsewhere", "{method}: {refused}");
        assert_eq!(
            refused["data"]["hint"],
            "close it there first, or do this there; clients of `pintle attach` share sessions",
            "{method}"
        );
    }
    assert_eq!(holder.say("go on"), "end_turn");
}

#[test]
fn a_prompt_that_a_killed_engine_accepted_is_told_and_read_with_the_next() {
    let place = Place::new(&[]).with_processes();
    let mut client =
        Client::open(&place, &script(&[bash("tee /dev/null"), said("both")]), json!({}));
    client.prompt("go");
    let request = client.asked_for("session/request_permission");
    let words = json!([{"type": "text", "text": "also this"}]);
    assert_eq!(client.ask("_session/steering", json!({"prompt": words}))["outcome"], "injected");
    assert!(request["id"].is_number() || request["id"].is_string());
    let session = client.session.clone();
    client.program.signal(nix::sys::signal::Signal::SIGKILL);
    client.program.wait();

    let mut client = Client::start(&place, &script(&[said("both")]), json!({}));
    client.session = session;
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    let told = client.told();
    assert!(told.contains("a message was still queued"), "{told}");
    assert!(told.contains("\u{201c}also this\u{201d}"), "{told}");
    assert_eq!(client.say("go on"), "end_turn");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    let read = journal
        .lines()
        .filter(|line| line.contains("item.completed") && line.contains("\"userMessage\""));
    let read: Vec<&str> = read.collect();
    assert!(
        read.len() == 3 && read[1].contains("also this") && read[2].contains("go on"),
        "{read:?}"
    );
}
