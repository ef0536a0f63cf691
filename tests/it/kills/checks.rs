//! What must be so after the program was killed, whenever that was.

use super::scenes::{Scene, content};
use crate::support::program::{Framing, Place, Program};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Opens what is left with a new process and looks at all of it. `seen` is what the client of the killed one was told.
pub(super) fn all_is_well(scene: &Scene, place: &Place, seen: &[Value]) {
    // What its commands do goes on without it.
    let project = place.project();
    until(|| !works_in(&project));

    let again: Vec<Value> =
        (0..4).map(|n| json!({"blocks": [{"text": format!("here again {n}")}]})).collect();
    let script = place.script(&json!({ "replies": again }));
    let args = ["serve", "--permission", "full", "--model", scene.model, "--script", &script];
    let mut program = Program::start(place.command(&args), Framing::Lines);
    program.initialize();
    let made = seen.iter().find_map(|message| message["result"]["sessionId"].as_str()).unwrap();
    let opened = program.ask("session/open", json!({"sessionId": made}));
    assert_eq!(opened["sessionId"], made, "it opens: {opened}");
    let before = events(&mut program);
    what_was_seen_still_stands(made, seen, &before);
    each_accepted_message_is_there_once(seen, &before, &opened["queue"]);
    no_call_ran_twice(place, &before);
    files_are_whole(scene, place);

    let input = json!([{"type": "text", "text": "giraffe goes on"}]);
    program.ask("turn/start", json!({"input": input}));
    let end = program.until_event("turn.completed");
    assert_eq!(end["status"], "completed", "it goes on: {end}");
    // The prompt had what waited read too.
    each_accepted_message_is_there_once(seen, &events(&mut program), &Value::Null);
    (scene.after)(&mut program, place, seen);

    lists_agree_with_journals(&mut program, place);
    let shutdown = program.ask("shutdown", json!({}));
    assert_eq!(shutdown, json!({}));
    program.end_input();
    program.rest();
    program.wait();
    nothing_is_left_over(place);
    let out = place.command(&["sessions", "doctor"]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && said.contains("0 damaged"), "{said}");
}

/// Whether a process works in this folder.
fn works_in(folder: &Path) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    })
}

fn events(program: &mut Program) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let page = program.ask("session/events", json!({"after": events.len()}));
        events.extend(page["events"].as_array().unwrap().iter().cloned());
        if page["more"] != true {
            break;
        }
    }
    for (place, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], place + 1, "numbers have no gap: {event}");
    }
    events
}

fn what_was_seen_still_stands(session: &str, seen: &[Value], events: &[Value]) {
    let durable = seen.iter().map(|message| &message["params"]).filter(|params| {
        params["sessionId"] == session && params["seq"].is_u64() && params["event"].is_object()
    });
    for params in durable {
        let place = usize::try_from(params["seq"].as_u64().unwrap()).unwrap() - 1;
        assert_eq!(events.get(place), Some(params), "what was seen has changed");
    }
}

/// Each message that was accepted was read by the model, handed back, or waits in the queue.
fn each_accepted_message_is_there_once(seen: &[Value], events: &[Value], queue: &Value) {
    let session = &events[0]["sessionId"];
    let accepted = |event: &Value| event["event"]["type"] == "input.accepted";
    let told = seen.iter().map(|message| &message["params"]);
    let mut ids: BTreeMap<&str, usize> = told
        .filter(|params| params["sessionId"] == *session)
        .chain(events)
        .filter(|event| accepted(event))
        .map(|event| (event["event"]["itemId"].as_str().unwrap(), 0))
        .collect();
    // Answers that came count as well where the event did not come any more; those of other sessions are not in this journal.
    let answers = seen.iter().map(|message| &message["result"]);
    let is_input = |answer: &&Value| answer["itemId"].is_string() && answer["turnId"].is_string();
    let others: Vec<&str> = seen
        .iter()
        .map(|message| &message["params"])
        .filter(|params| params["sessionId"] != *session && accepted(params))
        .filter_map(|params| params["event"]["itemId"].as_str())
        .collect();
    let answered: Vec<&str> =
        answers.filter(is_input).filter_map(|answer| answer["itemId"].as_str()).collect();
    let is_alone = !seen.iter().any(|message| {
        message["params"]["sessionId"].is_string() && message["params"]["sessionId"] != *session
    });
    for id in answered.into_iter().filter(|id| is_alone && !others.contains(id)) {
        ids.entry(id).or_default();
    }
    let mut count = |id: &Value| {
        if let Some(count) = id.as_str().and_then(|id| ids.get_mut(id)) {
            *count += 1;
        }
    };
    for event in events.iter().map(|event| &event["event"]) {
        if event["type"] == "item.completed" && event["item"]["type"] == "userMessage" {
            count(&event["item"]["id"]);
        }
        for input in event["inputs"].as_array().into_iter().flatten() {
            count(&input["itemId"]);
        }
    }
    for input in queue.as_array().into_iter().flatten() {
        count(&input["itemId"]);
    }
    let wrong: Vec<_> = ids.iter().filter(|(_, count)| **count != 1).collect();
    assert!(
        wrong.is_empty(),
        "accepted, but not read, handed back or waiting just once: {wrong:?}"
    );
}

/// Each command left a mark when it ran.
fn no_call_ran_twice(place: &Place, events: &[Value]) {
    let marks = fs::read_to_string(place.project().with_file_name("marks")).unwrap();
    let count = |mark: &str| marks.lines().filter(|line| *line == mark).count();
    for mark in marks.lines() {
        assert_eq!(count(mark), 1, "{mark} ran more than once");
        let is_its = |event: &Value| {
            event["event"]["item"]["input"]["command"]
                .as_str()
                .is_some_and(|command| command.starts_with(&format!("echo {mark} >>")))
        };
        let states: Vec<&Value> = events
            .iter()
            .filter(|event| is_its(event))
            .map(|event| &event["event"]["item"]["status"])
            .collect();
        assert!(states.contains(&&json!("running")), "{mark} ran, which nobody wrote down");
    }
    let completed = events.iter().map(|event| &event["event"]).filter(|event| {
        event["type"] == "item.completed" && event["item"]["status"] == "completed"
    });
    for command in completed.filter_map(|event| event["item"]["input"]["command"].as_str()) {
        let mark = command.split_whitespace().nth(1).unwrap();
        assert_eq!(count(mark), 1, "{mark} has ended, and left no mark");
    }
}

fn files_are_whole(scene: &Scene, place: &Place) {
    for (name, versions) in scene.later {
        let is = fs::read_to_string(place.path(name)).ok();
        let may = |version: &u32| (*version > 0).then(|| content(name, *version));
        let is_whole = versions.iter().any(|version| may(version) == is);
        assert!(is_whole, "{name} is in no version that it ever had: {is:?}");
    }
}

/// What the index says is what the journals say.
fn lists_agree_with_journals(program: &mut Program, place: &Place) {
    let mut journals = Vec::new();
    crate::support::program::collect(&place.home().join("sessions"), &mut journals);
    // One that was being made is nobody's, and shown to nobody.
    journals.retain(|path| !path.to_string_lossy().contains("/.new-"));
    let listed = program.ask("session/list", json!({"limit": 1000}));
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), journals.len(), "{listed}");
    for word in ["zebra", "giraffe"] {
        let mut want = Vec::new();
        for journal in &journals {
            let text = fs::read_to_string(journal).unwrap();
            // A line that the kill cut is none: the next to open the session takes it away.
            let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            for line in whole.skip(1) {
                let line: Value = serde_json::from_str(line).unwrap();
                let item = &line["event"]["item"];
                let is_said = line["event"]["type"] == "item.completed"
                    && item["type"] == "userMessage"
                    && item["content"].to_string().contains(word);
                if is_said {
                    want.push((line["sessionId"].to_string(), line["seq"].as_u64().unwrap()));
                }
            }
        }
        let query = json!({"query": word, "kinds": ["userMessage"], "limit": 100});
        let found = program.ask("session/search", query);
        let mut hits: Vec<_> = found["hits"]
            .as_array()
            .unwrap_or_else(|| panic!("{found}"))
            .iter()
            .map(|hit| (hit["sessionId"].to_string(), hit["seq"].as_u64().unwrap()))
            .collect();
        hits.sort();
        want.sort();
        assert_eq!(hits, want, "{word} is found where it was said");
    }
}

/// Files that were to take another name and never did.
fn nothing_is_left_over(place: &Place) {
    let mut folders = vec![place.project(), place.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(
                !name.starts_with(".pintle-") && !name.starts_with("new-"),
                "{} is left over",
                entry.path().display()
            );
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
}
