//! The Agent Host Protocol, part by part: settings, plans, files, queues, jobs, sub-agents, and clients that do not read.

use super::{alone, begin, call, confirm, fresh, is_asked, other, said};
use crate::support::ahp::Mirror;
use crate::support::ahp::{CHANGES, CHAT, SESSION, Window, submitted};
use crate::support::program::Place;
use crate::support::shared::Shared;
use crate::support::websocket::Web;
use ahp_types::state::{ResponsePart, SnapshotState, TerminalLifecycleState};
use expect_test::expect;
use serde_json::{Value, json};

fn list(window: &mut Window) -> Vec<Value> {
    let listed = window.ask("listSessions", json!({"channel": "ahp-root://"}));
    listed["items"].as_array().unwrap().clone()
}

/// Waits for the outcome of the last action of a client: its echo, or the reason against it.
fn outcome(window: &mut Window, number: u64) -> Option<String> {
    let name = window.name.clone();
    let origin = json!({"clientId": name, "clientSeq": number});
    let told = window.until(|message| message["params"]["origin"] == origin);
    told["params"]["rejectionReason"].as_str().map(str::to_owned)
}

fn journal(shared: &Shared) -> String {
    std::fs::read_to_string(shared.place.journal()).unwrap()
}

#[test]
fn a_plan_is_shown_and_accepted_and_its_progress_is_told() {
    let items = |status: &str| json!({"items": [{"content": "Write it", "status": status}]});
    let shared = Shared::new(json!([
        call("exit_plan", json!({"plan": "1. Write **it**"})),
        call("todo_write", items("in_progress")),
        call("todo_write", items("completed")),
        said("done"),
    ]));
    let mut window = begin(&shared);
    window.dispatch(SESSION, &json!({"type": "session/configChanged", "config": {"mode": "plan"}}));
    window.prompt("request_1", "plan it");
    let asked = window.until_action("chat/inputRequested");
    let request = &asked["action"]["request"];
    assert_eq!(request["message"], "1. Write **it**");
    let first = request["questions"][0]["options"][0]["label"].as_str().unwrap().to_owned();
    let needed = window.until_action("session/inputNeededSet");
    assert_eq!(needed["action"]["request"]["kind"], "chatInput");
    let answer = submitted(request, &first);
    window.dispatch(CHAT, &answer);
    let config = window.until_action("session/configChanged");
    assert_eq!(config["action"]["config"]["mode"], "interactive");
    let doing = window.until_action("chat/activityChanged");
    assert_eq!(doing["action"]["activity"], "Write it");
    let over = window.until_action("chat/activityChanged");
    assert_eq!(over["action"].get("activity").unwrap_or(&Value::Null), &Value::Null);
    window.until_told("chat/turnComplete");
    // What follows from the end of the turn comes before this.
    window.ask("ping", json!({"channel": "ahp-root://"}));
    assert_eq!(fresh(&shared).0[SESSION], window.mirror.0[SESSION]);
}

#[test]
fn a_message_chooses_model_and_effort_for_it_and_what_follows() {
    let shared = Shared::new(json!([said("one"), said("two"), said("three")]));
    let mut window = alone(&shared);
    let prompt = |window: &mut Window, turn: &str, model: Value| {
        let message = json!({"text": turn, "origin": {"kind": "user"}, "model": model});
        let started = "2026-11-22T23:26:07.581Z";
        let action = json!({"type": "chat/turnStarted", "turnId": turn, "startedAt": started, "message": message});
        let number = window.dispatch(CHAT, &action);
        outcome(window, number)
    };
    let high = json!({"id": "script/script", "config": {"thinkingLevel": "high"}});
    assert_eq!(prompt(&mut window, "request_1", high), None);
    window.until_action("chat/turnComplete");
    assert!(journal(&shared).contains(r#""model":"script/script:high""#));
    let low = json!({"id": "script/script", "config": {"thinkingLevel": "low"}});
    assert_eq!(prompt(&mut window, "request_2", low), None);
    window.until_action("chat/turnComplete");
    assert!(journal(&shared).contains(r#""model":"script/script:low""#));
    let odd = json!({"id": "script/script", "config": {"thinkingLevel": "endless"}});
    let why = prompt(&mut window, "request_3", odd).unwrap();
    assert!(why.contains("endless"), "{why}");
    // A message that names no model has the one before.
    assert_eq!(prompt(&mut window, "request_4", Value::Null), None);
    window.until_action("chat/turnComplete");
    let usage = window.chat().turns.last().unwrap().usage.clone().unwrap();
    assert_eq!(usage.model.as_deref(), Some("script/script:low"));
}

#[test]
fn an_archived_session_leaves_the_lists_and_comes_back() {
    let shared = Shared::new(json!([said("hi")]));
    let mut window = alone(&shared);
    let archive = |window: &mut Window, is_archived: bool| {
        let action = json!({"type": "session/isArchivedChanged", "isArchived": is_archived});
        let number = window.dispatch(SESSION, &action);
        outcome(window, number)
    };
    assert_eq!(archive(&mut window, true).as_deref(), Some("it has no messages yet"));
    window.prompt("request_1", "hello");
    window.until_action("chat/turnComplete");
    assert_eq!(archive(&mut window, true), None);
    // The list is read beside the archiving.
    while !list(&mut window).is_empty() {}
    assert_eq!(archive(&mut window, false), None);
    while list(&mut window).len() != 1 {}
}

#[test]
fn prompts_are_completed_and_taken() {
    let shared = Shared::new(json!([said("hi")]));
    let prompts = shared.place.path(".pintle/prompts");
    std::fs::create_dir_all(&prompts).unwrap();
    std::fs::write(prompts.join("greet.md"), "Greet $1 warmly.\n").unwrap();
    let mut window = alone(&shared);
    let mut complete = |text: &str, offset: usize| {
        let params =
            json!({"kind": "userMessage", "channel": SESSION, "text": text, "offset": offset});
        let items = window.ask("completions", params)["items"].take();
        let shown = |item: &Value| {
            let (label, end) = (&item["attachment"]["label"], &item["rangeEnd"]);
            format!(
                "{} {end} {}",
                label.as_str().unwrap(),
                item["attachment"]["_meta"]["description"]
            )
        };
        items.as_array().unwrap().iter().map(shown).collect::<Vec<_>>().join(", ")
    };
    for (text, offset, want) in [
        ("/gre", 4, "/greet 4 \"Greet $1 warmly.\""),
        ("/g and more", 2, "/greet 2 \"Greet $1 warmly.\""),
        ("/nothing", 8, ""),
        ("hello /gre", 10, ""),
        ("/greet you", 10, ""),
        ("", 0, ""),
        ("/gre", 99, "/greet 99 \"Greet $1 warmly.\""),
    ] {
        assert_eq!(complete(text, offset), want, "{text} at {offset}");
    }
    window.prompt("request_1", "/greet everybody");
    window.until_action("chat/turnComplete");
    assert_eq!(window.chat().turns[0].message.text, "/greet everybody");
    assert!(journal(&shared).contains("Greet everybody warmly."));
}

#[test]
fn attachments_reach_the_model_or_are_refused_with_the_reason() {
    const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    let shared = Shared::new(json!([said("seen"), said("more")]));
    std::fs::write(shared.place.path("a.txt"), "one\ntwo\nthree\n").unwrap();
    let mut window = begin(&shared);
    let uri = format!("vscode-remote://127.0.0.1%3A80{}/a.txt", shared.place.project().display());
    let at = |line: u32| json!({"line": line, "character": 0});
    let range = json!({"start": at(1), "end": at(2)});
    let prompt = |window: &mut Window, attachments: Value| {
        let message =
            json!({"text": "look", "origin": {"kind": "user"}, "attachments": attachments});
        let action = json!({"type": "chat/turnStarted", "turnId": "request_1", "startedAt": "2026-11-22T23:26:07.581Z", "message": message});
        let number = window.dispatch(CHAT, &action);
        outcome(window, number)
    };
    for (attachment, why) in [
        (
            json!({"type": "resource", "label": "page", "uri": "https://example.org/"}),
            "is not a file on this machine",
        ),
        (
            json!({"type": "embeddedResource", "label": "tune", "contentType": "audio/wav", "data": "AAAA"}),
            "only images and PDF documents can be embedded",
        ),
        (json!({"type": "hologram", "label": "x"}), "this kind of attachment"),
    ] {
        let refused = prompt(&mut window, json!([attachment])).unwrap();
        assert!(refused.contains(why), "{refused}");
    }
    let file =
        json!({"type": "resource", "label": "a.txt", "uri": uri, "selection": {"range": range}});
    let picture = json!({"type": "embeddedResource", "label": "dot", "contentType": "image/png", "data": PIXEL});
    assert_eq!(prompt(&mut window, json!([file, picture])), None);
    window.until_action("chat/turnComplete");
    let accepted = journal(&shared);
    let input = accepted.lines().find(|line| line.contains("input.accepted")).unwrap();
    assert!(input.contains(r#""range":{"start":2,"end":2}"#), "{input}");
    assert!(input.contains(r#""mimeType":"image/png""#), "{input}");
    // The client has what it sent; one that comes later has the same files.
    let shown = fresh(&shared);
    let Some(SnapshotState::Chat(chat)) = shown.0.get(CHAT) else { panic!("no chat") };
    assert_eq!(chat.turns[0].message.attachments.as_ref().map(Vec::len), Some(2));
}

/// The call that starts a sub-agent leads to its chat, which whoever looks can follow, also later; what it asks is still asked in its parent's.
#[test]
fn a_sub_agent_has_a_chat_of_its_own() {
    let of = |mut reply: Value| {
        reply["of"] = json!("touch it");
        reply
    };
    let shared = Shared::new(json!([
        call("spawn_agent", json!({"task": "touch it"})),
        call("wait", json!({})),
        said("all done"),
        of(call("bash", json!({"command": "touch ran"}))),
        of(said("over")),
    ]));
    let mut window = begin(&shared);
    window.prompt("request_1", "go");
    let started = window.until_action("chat/toolCallComplete");
    let link = &started["action"]["result"]["content"][0];
    assert_eq!((&link["type"], &link["title"]), (&json!("subagent"), &json!("touch it")));
    let chat = link["resource"].as_str().unwrap().to_owned();
    let asked = window.until_action("chat/inputRequested");
    window.subscribe(&chat);
    let answer = submitted(&asked["action"]["request"], "Allow");
    window.dispatch(CHAT, &answer);
    let mut ended = Vec::new();
    while ended.len() < 2 {
        ended.push(window.until_action("chat/turnComplete")["channel"].take());
    }
    assert_eq!(ended, [json!(chat), json!(CHAT)]);
    assert!(shared.place.path("ran").exists());
    let later = {
        let mut other = other(&shared, "later");
        other.subscribe(&chat);
        other.mirror
    };
    let texts = |mirror: &Mirror| {
        let Some(SnapshotState::Chat(chat)) = mirror.0.get(&chat) else { panic!("no chat") };
        serde_json::to_value(&chat.turns[0]).unwrap()
    };
    assert_eq!(texts(&window.mirror), texts(&later));
    let turn = texts(&later);
    assert_eq!(turn["message"]["text"], "touch it");
    assert_eq!(turn["responseParts"].as_array().unwrap().last().unwrap()["content"], "over");
}

/// Clients list the files that the prompt contains or names, by folder and kind, from the first turn on.
#[test]
fn the_files_of_the_prompt_are_listed() {
    let shared = Shared::new(json!([said("hi")]));
    for (name, text) in [
        ("AGENTS.md", "Be kind.\n"),
        (".pintle/skills/weave/SKILL.md", "---\ndescription: weaves\n---\nWeave.\n"),
        (".pintle/skills/knit/SKILL.md", "---\ndescription: knits\n---\nKnit.\n"),
        (".pintle/agents/tailor.md", "---\ndescription: sews\n---\nSew.\n"),
    ] {
        let path = shared.place.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut window = begin(&shared);
    window.prompt("request_1", "hello");
    window.until_action("chat/turnComplete");
    let listed = |mirror: &Mirror| -> Vec<String> {
        let Some(SnapshotState::Session(session)) = mirror.0.get(SESSION) else {
            panic!("no session")
        };
        let listed = serde_json::to_value(session.customizations.as_ref().unwrap()).unwrap();
        let own = shared.place.project();
        let below =
            |uri: &Value| uri.as_str().unwrap().replace(&format!("file://{}", own.display()), "");
        listed
            .as_array()
            .unwrap()
            .iter()
            .map(|folder| {
                let files = folder["children"].as_array().unwrap().iter();
                let files: Vec<String> = files.map(|file| below(&file["uri"])).collect();
                format!("{} {}", folder["contents"].as_str().unwrap(), files.join(" "))
            })
            .collect()
    };
    let want = [
        "rule /AGENTS.md",
        "skill /.pintle/skills/knit/SKILL.md /.pintle/skills/weave/SKILL.md",
        "agent /.pintle/agents/tailor.md",
    ];
    assert_eq!(listed(&window.mirror), want);
    assert_eq!(listed(&fresh(&shared)), want);
}

#[test]
fn a_sub_agent_asks_in_the_chat_of_its_parent() {
    let of = |mut reply: Value| {
        reply["of"] = json!("touch it");
        reply
    };
    for (label, is_there) in [("Allow", true), ("Deny", false)] {
        let place = Place::new(&[]);
        let replies = json!({"replies": [
            call("spawn_agent", json!({"task": "touch it"})),
            call("wait", json!({})),
            said("all done"),
            of(call("bash", json!({"command": "touch ran"}))),
            of(said("over")),
        ]});
        let script = place.script(&replies);
        let engine = ["ahp", "--permission", "ask", "--profile", "pi", "--script", &script];
        let mut window = Window::start(place.engine(&engine), "one");
        window.initialize();
        window.create(&place.project());
        window.subscribe_all();
        window.prompt("request_1", "go");
        let asked = window.until_action("chat/inputRequested");
        let request = &asked["action"]["request"];
        let text = request["questions"][0]["message"].as_str().unwrap();
        assert!(text.starts_with("A sub-agent asks: bash: touch ran"), "{text}");
        assert!(request.get("message").is_none());
        let answer = submitted(request, label);
        window.dispatch(CHAT, &answer);
        window.until_action("chat/inputCompleted");
        window.until_action("chat/turnComplete");
        assert_eq!(place.path("ran").exists(), is_there, "{label}");
    }
}

/// A client that does not read is let go before it costs more memory than a bound, and nobody waits for it.
#[test]
fn a_client_that_does_not_read_is_disconnected_and_comes_back() {
    let shared = Shared::new(json!([said("hi")]));
    let port = shared.listen(&[]);
    let mut window = begin(&shared);
    let mut slow = Web::try_ahp(port, &shared.token()).unwrap();
    let hello =
        json!({"channel": "ahp-root://", "protocolVersions": ["0.9.0"], "clientId": "slow"});
    slow.ask("initialize", hello);
    slow.ask("subscribe", json!({"channel": CHAT}));
    // 60 MB: more than may wait, and what the sockets hold besides.
    let text = "x".repeat(200_000);
    for _ in 0..300 {
        let draft = json!({"text": text, "origin": {"kind": "user"}});
        let number = window.dispatch(CHAT, &json!({"type": "chat/draftChanged", "draft": draft}));
        assert_eq!(outcome(&mut window, number), None);
    }
    let mut read = 0;
    while slow.next().is_some() {
        read += 1;
    }
    assert!(read < 300, "it was never disconnected");
    let mut back = Web::try_ahp(port, &shared.token()).unwrap();
    let params = json!({"clientId": "slow", "lastSeenServerSeq": 1, "subscriptions": [CHAT]});
    let result = back.ask("reconnect", params);
    assert_eq!(result["type"], "snapshot");
    assert_eq!(result["snapshots"][0]["state"]["draft"]["text"], text.as_str());
}

#[test]
fn queued_messages_are_put_into_another_order() {
    let wait = call("bash", json!({"command": "while [ ! -e go ]; do sleep 0.01; done"}));
    let shared = Shared::new(json!([wait, said("1"), said("2"), said("3"), said("4")]));
    let mut window = begin(&shared);
    let mut two = other(&shared, "two");
    window.prompt("request_1", "go");
    window.until_action("chat/toolCallContentChanged");
    for id in ["m1", "m2", "m3"] {
        let message = json!({"text": id, "origin": {"kind": "user"}});
        let action = json!({"type": "chat/pendingMessageSet", "kind": "queued", "id": id, "message": message});
        window.dispatch(CHAT, &action);
        window.until_action("chat/pendingMessageSet");
    }
    let order = |window: &mut Window, order: Value| {
        let action = json!({"type": "chat/queuedMessagesReordered", "order": order});
        let number = window.dispatch(CHAT, &action);
        outcome(window, number)
    };
    assert_eq!(order(&mut window, json!(["m3", "m1"])), None);
    let names = |window: &Window| -> Vec<String> {
        window.chat().queued_messages.iter().flatten().map(|message| message.id.clone()).collect()
    };
    assert_eq!(names(&window), ["m3", "m1", "m2"]);
    window.catch_up(&mut two);
    assert_eq!(names(&two), ["m3", "m1", "m2"]);
    let refused = order(&mut window, json!(["gone"]));
    assert_eq!(refused.as_deref(), Some("the model has read these messages"));
    std::fs::write(shared.place.path("go"), "").unwrap();
    while window.chat().turns.len() < 4 {
        window.next();
    }
    let said: Vec<&str> =
        window.chat().turns.iter().map(|turn| turn.message.text.as_str()).collect();
    assert_eq!(said, ["go", "m3", "m1", "m2"]);
}

/// As VS Code does when a person edits what was said before.
#[test]
fn the_last_turns_are_taken_back_and_something_else_is_said() {
    let shared = Shared::new(json!([said("1"), said("2"), said("3"), said("4"), said("5")]));
    let mut window = begin(&shared);
    for turn in ["request_1", "request_2", "request_3"] {
        window.prompt(turn, turn);
        window.until_action("chat/turnComplete");
    }
    let turns = |window: &Window| -> Vec<String> {
        window.chat().turns.iter().map(|turn| turn.id.clone()).collect()
    };
    window.dispatch(CHAT, &json!({"type": "chat/truncated", "turnId": "request_1"}));
    window.prompt("request_4", "another");
    let truncated = window.until_action("chat/truncated");
    assert_eq!(truncated["origin"]["clientId"], "one");
    assert_eq!(truncated["action"]["turnId"], "request_1");
    window.until_action("chat/turnComplete");
    assert_eq!(turns(&window), ["request_1", "request_4"]);
    assert_eq!(fresh(&shared).0[CHAT], window.mirror.0[CHAT]);
    let number = window.dispatch(CHAT, &json!({"type": "chat/truncated", "turnId": "request_3"}));
    assert_eq!(outcome(&mut window, number).as_deref(), Some("the chat has no such turn"));
    // All of it.
    let number = window.dispatch(CHAT, &json!({"type": "chat/truncated"}));
    assert_eq!(outcome(&mut window, number), None);
    assert_eq!(turns(&window), Vec::<String>::new());
    window.prompt("request_5", "from the beginning");
    window.until_action("chat/turnComplete");
    assert_eq!(turns(&window), ["request_5"]);
    assert_eq!(fresh(&shared).0[CHAT], window.mirror.0[CHAT]);
}

#[test]
fn a_session_works_in_several_directories() {
    let shared = Shared::new(json!([
        call("write", json!({"path": "../second/b.txt", "content": "made\n"})),
        said("done"),
        said("more")
    ]));
    let second = shared.place.project().parent().unwrap().join("second");
    let third = shared.place.project().parent().unwrap().join("third");
    for folder in [&second, &third] {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("a.txt"), "there").unwrap();
    }
    let uri = |folder: &std::path::Path| format!("file://{}", folder.display());
    let mut window = Window::start(shared.alone(&["ahp"]), "one");
    let hello = window.initialize();
    let capabilities = &hello["snapshots"][0]["state"]["agents"][0]["capabilities"];
    assert_eq!(capabilities["multipleWorkingDirectories"]["immutablePrimary"], true);
    let directories = [uri(&shared.place.project()), uri(&second)];
    let params =
        json!({"channel": SESSION, "provider": "pintle", "workingDirectories": directories});
    assert_eq!(window.ask("createSession", params), Value::Null);
    window.subscribe_all();
    let read = |window: &mut Window, folder: &std::path::Path| {
        let uri = format!("{}/a.txt", uri(folder));
        window.ask("resourceRead", json!({"channel": "ahp-root://", "uri": uri}))["code"].as_i64()
    };
    assert_eq!(read(&mut window, &second), None);
    assert_eq!(read(&mut window, &third), Some(-32009));
    window.prompt("request_1", "go");
    let ready = window.until(is_asked)["params"].take();
    confirm(&mut window, &ready, true);
    window.until_action("chat/turnComplete");
    assert_eq!(std::fs::read_to_string(second.join("b.txt")).unwrap(), "made\n");
    let change = |window: &mut Window, kind: &str, directory: &str| {
        let number = window.dispatch(SESSION, &json!({"type": kind, "directory": directory}));
        outcome(window, number)
    };
    let (set, removed) = ("session/workingDirectorySet", "session/workingDirectoryRemoved");
    assert_eq!(change(&mut window, set, &uri(&third)), None);
    assert_eq!(read(&mut window, &third), None);
    assert_eq!(change(&mut window, removed, &uri(&second)), None);
    assert_eq!(read(&mut window, &second), Some(-32009));
    let Some(SnapshotState::Session(state)) = window.mirror.0.get(SESSION) else { panic!() };
    let now = [uri(&shared.place.project()), uri(&third)];
    assert_eq!(state.working_directories.as_deref(), Some(now.as_slice()));
    for (kind, directory, why) in [
        (set, "https://x/y".to_owned(), "`https://x/y` is not a directory on this machine"),
        (set, "file:///none/of/these".to_owned(), "additional directory"),
        (removed, uri(&shared.place.project()), "the first directory cannot be removed"),
        (removed, uri(&second), "not a directory of the session"),
    ] {
        let refused = change(&mut window, kind, &directory).unwrap();
        assert!(refused.contains(why), "{refused}");
    }
}

/// As VS Code puts files back when a person returns to a checkpoint.
#[test]
fn files_of_a_session_are_written_and_nothing_else() {
    let edit = json!({"path": "a.txt", "edits": [{"oldText": "helo", "newText": "hello"}]});
    let shared = Shared::new(json!([call("edit", edit), said("done")]));
    let project = shared.place.project();
    std::fs::write(project.join("a.txt"), "helo\n").unwrap();
    std::fs::create_dir_all(project.join("full/sub")).unwrap();
    std::fs::create_dir_all(project.join(".git/hooks")).unwrap();
    std::os::unix::fs::symlink(shared.place.home(), project.join("link")).unwrap();
    let mut window = alone(&shared);
    window.prompt("request_1", "fix it");
    let ready = window.until(is_asked)["params"].take();
    confirm(&mut window, &ready, true);
    window.until_action("chat/turnComplete");
    window.until_told("changeset/contentChanged");
    let Some(SnapshotState::Changeset(changes)) = window.mirror.0.get(CHANGES) else { panic!() };
    assert_eq!(changes.files.len(), 1);
    let uri = |name: &str| format!("file://{}/{name}", project.display());
    let ask = |window: &mut Window, method: &str, mut params: Value| {
        params["channel"] = json!("ahp-root://");
        let answer = window.ask(method, params);
        answer["code"].as_i64().map_or_else(|| "ok".to_owned(), |code| code.to_string())
    };
    let text =
        |name: &str, data: &str| json!({"uri": uri(name), "data": data, "encoding": "utf-8"});
    let with = |mut params: Value, key: &str, value: Value| {
        params[key] = value;
        params
    };
    let two = |from: &str, to: &str| json!({"source": uri(from), "destination": uri(to), "failIfExists": true});
    let rows = [
        ("resourceWrite", text("b.txt", "new"), "ok"),
        ("resourceWrite", with(text("b.txt", "x"), "createOnly", json!(true)), "-32011"),
        ("resourceWrite", with(text("b.txt", "er"), "mode", json!("append")), "ok"),
        ("resourceWrite", with(text("b.txt", "x"), "position", json!(-1)), "-32602"),
        ("resourceWrite", with(text("b.txt", "x"), "ifMatch", json!("1")), "-32011"),
        ("resourceWrite", with(text("b.txt", "%"), "encoding", json!("base64")), "-32602"),
        ("resourceWrite", text("link/trust.toml", "x"), "-32009"),
        ("resourceWrite", text("../out.txt", "x"), "-32009"),
        ("resourceWrite", text(".git/hooks/pre-commit", "x"), "-32009"),
        ("resourceWrite", text("full", "x"), "-32602"),
        ("resourceMkdir", json!({"uri": uri("made/deep")}), "ok"),
        ("resourceMkdir", json!({"uri": "file:///etc/made"}), "-32009"),
        ("resourceCopy", two("b.txt", "c.txt"), "ok"),
        ("resourceCopy", two("b.txt", "c.txt"), "-32011"),
        ("resourceMove", two("c.txt", "made/d.txt"), "ok"),
        ("resourceMove", two("b.txt", "made/d.txt"), "-32011"),
        ("resourceMove", two("full", "moved"), "-32602"),
        ("resourceMove", two("b.txt", "../out.txt"), "-32009"),
        (
            "resourceMove",
            json!({"source": "file:///etc/hostname", "destination": uri("e.txt")}),
            "-32009",
        ),
        ("resourceDelete", json!({"uri": uri("link")}), "-32009"),
        ("resourceDelete", json!({"uri": uri("full"), "recursive": true}), "-32602"),
        ("resourceDelete", json!({"uri": uri("made/deep")}), "ok"),
        ("resourceDelete", json!({"uri": uri("nothing")}), "-32008"),
        ("resourceDelete", json!({"uri": uri("")}), "-32009"),
    ];
    let mut wrong = Vec::new();
    for (method, params, want) in rows {
        let got = ask(&mut window, method, params.clone());
        if got != want {
            wrong.push(format!("{method} {params}: {got}, not {want}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(shared.place.read("b.txt"), "newer");
    assert_eq!(shared.place.read("made/d.txt"), "newer");
    assert!(shared.place.home().exists() && shared.place.path("full/sub").exists());
    let stat = json!({"channel": "ahp-root://", "uri": uri("b.txt")});
    let stat = window.ask("resourceResolve", stat);
    assert_eq!((&stat["type"], &stat["size"]), (&json!("file"), &json!(5)));
    let outside = json!({"uri": "file:///etc/hostname"});
    assert_eq!(ask(&mut window, "resourceResolve", outside), "-32009");
    // The change is undone by hand: nothing is left to decide about.
    assert_eq!(ask(&mut window, "resourceWrite", text("a.txt", "helo\n")), "ok");
    window.until(|message| message["params"]["action"]["files"] == json!([]));
}

#[test]
fn a_background_job_has_a_terminal_until_it_ends() {
    let command = "echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over; exit 3";
    let shared = Shared::new(json!([
        call("bash", json!({"command": command, "background": true})),
        said("it runs"),
        said("it has ended"),
    ]));
    let mut window = alone(&shared);
    window.prompt("request_1", "run it");
    let ready = window.until(|message| {
        is_asked(message) || message["params"]["action"]["type"] == "root/terminalsChanged"
    });
    if is_asked(&ready) {
        confirm(&mut window, &ready["params"], true);
        window.until_action("root/terminalsChanged");
    }
    let Some(SnapshotState::Root(root)) = window.mirror.0.get("ahp-root://") else { panic!() };
    let terminals = root.terminals.clone().unwrap();
    let [terminal] = terminals.as_slice() else { panic!("{terminals:?}") };
    window.until_action("chat/turnComplete");
    let shown = window.chat().turns[0].response_parts.iter().find_map(|part| match part {
        ResponsePart::ToolCall(call) => Some(serde_json::to_value(&call.tool_call).unwrap()),
        _ => None,
    });
    let resource = &shown.unwrap()["content"][0]["resource"];
    assert_eq!(resource, terminal.resource.as_str());
    window.subscribe(&terminal.resource);
    std::fs::write(shared.place.path("go"), "").unwrap();
    window.until_action("terminal/exited");
    let Some(SnapshotState::Terminal(state)) = window.mirror.0.get(&terminal.resource) else {
        panic!("no terminal")
    };
    let text = serde_json::to_string(&state.content).unwrap();
    assert!(text.contains("begun") && text.contains("over"), "{text}");
    let TerminalLifecycleState::Exited(end) = &state.lifecycle else { panic!("{state:?}") };
    assert_eq!(end.exit_code, Some(3));
    let is_listed = |window: &Window| {
        let Some(SnapshotState::Root(root)) = window.mirror.0.get("ahp-root://") else { panic!() };
        root.terminals.as_ref().is_some_and(|listed| !listed.is_empty())
    };
    while is_listed(&window) {
        window.next();
    }
}

/// The Unix socket takes WebSockets too, as VS Code opens them with `--agent-host-bridge-path`.
#[test]
fn the_unix_socket_takes_websockets_with_the_token() {
    let shared = Shared::new(json!([said("hi")]));
    begin(&shared);
    let path = shared.file().unwrap()["socket"].as_str().unwrap().to_owned();
    let connect = |token: &str| {
        let stream = std::os::unix::net::UnixStream::connect(&path).unwrap();
        let address = format!("ws://localhost/?tkn={token}");
        tokio_tungstenite::tungstenite::client(address, stream).map_err(|error| error.to_string())
    };
    let refused = connect("wrong").unwrap_err();
    expect!["HTTP error: 401 Unauthorized"].assert_eq(&refused);
    let (mut socket, _) = connect(&shared.token()).unwrap();
    let params = json!({"channel": "ahp-root://", "protocolVersions": ["0.9.0"], "clientId": "u", "initialSubscriptions": ["ahp-root://"]});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    socket.send(hello.to_string().into()).unwrap();
    let answer: Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
    assert_eq!(answer["result"]["snapshots"][0]["state"]["agents"][0]["provider"], "pintle");
}
