//! Stored sessions over the native protocol: search, lists, the end of a long session, deletion; and what a kill leaves.

use crate::support::program::{Framing, Place, Program};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// A script that answers the same whenever it is asked.
fn script(answer: &str) -> Value {
    let reply = json!({"blocks": [{"text": answer}]});
    json!({"replies": [reply.clone(), reply.clone(), reply]})
}

fn seqs(page: &Value) -> Vec<u64> {
    page["events"].as_array().unwrap().iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

#[test]
fn a_client_searches_lists_and_deletes() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &script("Mended the parser."), Framing::Lines);
    program.prompt("Where is 解析 broken?");
    program.until_event("turn.completed");
    let listed = program.ask("session/list", json!({"query": "BROKEN"}));
    let id = listed["sessions"][0]["sessionId"].clone();
    assert_eq!(program.ask("session/list", json!({"query": "other"}))["sessions"], json!([]));

    for (name, params, want) in [
        ("a piece of a word", json!({"query": "arse"}), vec!["assistant"]),
        ("Chinese", json!({"query": "解析"}), vec!["user"]),
        ("a filter", json!({"query": "", "roles": ["user"]}), vec!["user"]),
        ("an odd query", json!({"query": "\"( OR"}), vec![]),
    ] {
        let found = program.ask("session/search", params);
        let roles: Vec<&str> = found["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, want, "{name}: {found}");
    }
    let hit = program.ask("session/search", json!({"query": "parser"}))["hits"][0].take();
    assert_eq!(
        hit["snippet"],
        json!([{"text": "Mended the "}, {"text": "parser", "match": true}, {"text": "."}])
    );
    assert_eq!(
        (&hit["sessionId"], &hit["title"], &hit["kind"]),
        (&id, &json!("Where is 解析 broken?"), &json!("agentMessage"))
    );
    let opened = program
        .ask("session/events", json!({"after": hit["seq"].as_u64().unwrap() - 1, "limit": 1}));
    assert_eq!(opened["events"][0]["event"]["item"]["id"], hit["itemId"]);

    for (name, method, params, code) in [
        ("no such kind", "session/search", json!({"kinds": ["dream"]}), -32602),
        ("a page too large", "session/search", json!({"limit": 1000}), -32602),
        ("a cursor of nobody", "session/search", json!({"cursor": "x"}), -32602),
        ("no such session", "session/search", json!({"query": "", "sessionId": "x"}), -32002),
        ("both ends", "session/events", json!({"after": 1, "before": 3}), -32602),
        ("open here", "session/delete", json!({"sessionId": id}), -32041),
        ("not there", "session/delete", json!({"sessionId": "x"}), -32002),
        ("not named", "session/delete", json!({}), -32602),
    ] {
        let error = program.ask_refused(method, params);
        assert_eq!(error["code"], code, "{name}: {error}");
    }
    program.ask("session/close", json!({}));
    assert_eq!(program.ask("session/delete", json!({"sessionId": id}))["deleted"], json!([id]));
    assert_eq!(program.ask("session/list", json!({}))["sessions"], json!([]));
    assert_eq!(program.ask("session/search", json!({"query": "parser"}))["hits"], json!([]));
}

#[test]
fn the_last_screen_is_read_alone_of_an_open_session_and_of_a_stored_one() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &script("said"), Framing::Lines);
    for _ in 0..3 {
        program.prompt("go");
        program.until_event("turn.completed");
    }
    let whole = program.ask("session/events", json!({"limit": 1000}));
    let id = program.ask("session/list", json!({}))["sessions"][0]["sessionId"].clone();
    let last = whole["lastSeq"].as_u64().unwrap();
    let mut other = Program::start(place.engine(&["serve"]), Framing::Lines);
    other.initialize();
    for client in [&mut program, &mut other] {
        let mut read = Vec::new();
        let mut before = 9_007_199_254_740_991;
        loop {
            let page = client
                .ask("session/events", json!({"sessionId": id, "before": before, "limit": 4}));
            assert_eq!(page["lastSeq"], last);
            let mut seqs = seqs(&page);
            before = seqs[0];
            seqs.append(&mut read);
            read = seqs;
            if page["more"] == false {
                break;
            }
        }
        assert_eq!(read, (1..=last).collect::<Vec<_>>());
        let first = client.ask("session/events", json!({"sessionId": id, "limit": 2}));
        assert_eq!((seqs(&first), &first["lastSeq"]), (vec![1, 2], &json!(last)));
    }

    let subscribed = program.ask("session/subscribe", json!({"tail": 3}));
    assert_eq!(subscribed["seq"], last);
    program.ask("ping", json!({}));
    let sent: Vec<u64> = program
        .seen
        .iter()
        .rev()
        .take_while(|message| message["result"]["seq"] != last)
        .filter_map(|message| message["params"]["seq"].as_u64())
        .collect();
    assert_eq!(sent, [last, last - 1, last - 2]);
}

#[test]
fn after_a_kill_between_journal_and_index_everything_is_found() {
    let place = Place::new(&[]).with_processes();
    for round in 0..3 {
        let mut program = Program::on_script(&place, &script("said"), Framing::Lines);
        program.prompt(&format!("needle{round}"));
        // The event is in the journal, and the index learns of it only now.
        program.until_event("turn.completed");
        program.signal(Signal::SIGKILL);
        program.wait();
        let mut next = Program::start(place.engine(&["serve"]), Framing::Lines);
        next.initialize();
        let found = next.ask("session/search", json!({"query": format!("needle{round}")}));
        assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
        let all = next.ask("session/search", json!({"query": "needle", "roles": ["user"]}));
        assert_eq!(all["hits"].as_array().unwrap().len(), round + 1, "{all}");
    }
}

#[test]
fn two_engines_find_what_either_said() {
    let place = Place::new(&[]);
    let mut one = Program::on_script(&place, &script("said"), Framing::Lines);
    let mut two = Program::on_script(&place, &script("said"), Framing::Headers);
    for round in 0..3 {
        one.prompt(&format!("from one in round{round}"));
        two.prompt(&format!("from two in round{round}"));
        one.until_event("turn.completed");
        two.until_event("turn.completed");
        for (name, engine) in [("one", &mut one), ("two", &mut two)] {
            let found = engine.ask("session/search", json!({"query": format!("round{round}")}));
            assert_eq!(found["hits"].as_array().unwrap().len(), 2, "{name}: {found}");
        }
    }
}

/// A long session is opened from its saved state, and its conversation is read by the first turn. If that fails, the prompt is returned.
#[test]
fn a_turn_whose_conversation_cannot_be_read_returns_its_prompt() {
    let place = Place::new(&[]);
    let long = "x".repeat(300_000);
    let mut program = Program::on_script(&place, &script(&long), Framing::Lines);
    program.prompt("prompt one");
    program.until_event("turn.completed");
    let id = program.ask("session/list", json!({}))["sessions"][0]["sessionId"].clone();
    program.end_input();
    program.wait();
    let journal = place.journal();
    let state = journal.with_file_name("folded.json");
    let aside = journal.with_file_name("aside");
    let serve = || {
        let path = place.script(&script("again"));
        let args = ["serve", "--permission", "full", "--script", &path];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        program.ask("session/open", json!({"sessionId": id}));
        program
    };
    let open_and_close = || {
        let mut program = serve();
        program.end_input();
        program.wait();
    };
    open_and_close();
    assert!(state.exists(), "opening it saves its state");

    // What cannot be written is not needed.
    std::fs::remove_file(&state).unwrap();
    std::fs::create_dir(&state).unwrap();
    open_and_close();
    std::fs::remove_dir(&state).unwrap();
    open_and_close();

    let mut program = serve();
    std::fs::rename(&journal, &aside).unwrap();
    program.prompt("prompt two");
    let returned = program.until_event("input.removed");
    assert_eq!(returned["inputs"][0]["content"][0]["text"], "prompt two");
    let ended = program.until_event("turn.completed");
    assert_eq!(ended["error"]["code"], "journal", "{ended}");
    std::fs::rename(&aside, &journal).unwrap();
    program.prompt("prompt three");
    let ended = program.until_event("turn.completed");
    assert_eq!(ended["status"], "completed", "{ended}");
    program.end_input();
    program.wait();

    // The returned prompt does not come back.
    let mut program = serve();
    program.prompt("prompt four");
    program.until_event("turn.completed");
    let sent = program.ask("context/read", json!({"summary": false})).to_string();
    for (prompt, is_sent) in
        [("prompt one", true), ("prompt two", false), ("prompt three", true), ("prompt four", true)]
    {
        assert_eq!(sent.contains(prompt), is_sent, "{prompt}");
    }
}
