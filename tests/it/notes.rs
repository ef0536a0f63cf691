//! Notes and labels of clients: kept with their data, read by the model only when they are meant for it.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

fn script(count: usize) -> Value {
    json!({ "replies": vec![json!({"blocks": [{"text": "ok"}]}); count] })
}

/// The messages of the model's context, each in one line.
fn known(program: &mut Program) -> Vec<String> {
    let context = program.ask("context/read", json!({}));
    let messages = context["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| message["blocks"][0]["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_note_is_kept_and_the_model_reads_only_what_is_meant_for_it() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &script(2), Framing::Lines);
    program.prompt("first");
    program.until_event("turn.completed");
    let data = json!({"ticket": 7});
    let note = json!({"text": "the build is green", "kind": "ci", "data": data, "toModel": true});
    assert_eq!(program.ask("session/note", note), json!({}));
    let hidden = json!({"text": "seen by nobody", "hidden": true});
    assert_eq!(program.ask("session/note", hidden), json!({}));
    assert_eq!(program.ask("session/note", json!({"kind": "mark", "data": data})), json!({}));
    program.prompt("second");
    program.until_event("turn.completed");
    let note =
        "From the engine, not from the user: a note from the user's client.\n\nthe build is green";
    assert_eq!(known(&mut program), ["first", "ok", note, "second"]);

    let items = program.ask("session/items", json!({"limit": 20}));
    let items = items["items"].as_array().unwrap();
    let notes: Vec<&Value> =
        items.iter().map(|item| &item["item"]["note"]).filter(|note| !note.is_null()).collect();
    assert_eq!(
        notes,
        [
            &json!({"kind": "ci", "data": data}),
            &json!({"unread": true, "hidden": true}),
            &json!({"kind": "mark", "data": data, "unread": true}),
        ]
    );
    let page = program.ask("session/export", json!({"format": "md"})).to_string();
    assert!(
        page.contains("A note of a client to the model") && !page.contains("seen by nobody"),
        "{page}"
    );

    for (name, params, want) in [
        ("nothing", json!({}), "`text` is empty"),
        ("nothing for the model", json!({"data": 1, "toModel": true}), "`text` is empty"),
        ("too long a kind", json!({"text": "x", "kind": "k".repeat(65)}), "`kind` is too long"),
        ("too much", json!({"text": "x".repeat(70_000)}), "the note has 70000 bytes"),
    ] {
        assert_eq!(program.ask("session/note", params)["message"], want, "{name}");
    }

    // The session opened again gives the same conversation.
    program.end_input();
    program.wait();
    let mut program = Program::on_script(&place, &script(1), Framing::Lines);
    let listed = program.ask("session/list", json!({}));
    let ids = listed["sessions"].as_array().unwrap();
    let id =
        ids.iter().map(|one| &one["sessionId"]).find(|id| place_has(&place, id)).unwrap().clone();
    program.ask("session/open", json!({"sessionId": id}));
    let input = json!([{"type": "text", "text": "third"}]);
    program.ask("turn/start", json!({"sessionId": id, "input": input}));
    program.until_event("turn.completed");
    let context = program.ask("context/read", json!({"sessionId": id}));
    assert!(context.to_string().contains("the build is green"));
    assert!(!context.to_string().contains("seen by nobody"));
}

/// Returns true for the session that holds the notes.
fn place_has(place: &Place, id: &Value) -> bool {
    let mut found = Vec::new();
    crate::support::program::collect(&place.home().join("sessions"), &mut found);
    found.iter().any(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.contains(id.as_str().unwrap()) && text.contains("the build is green")
    })
}

#[test]
fn a_label_carries_the_data_of_its_client() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &script(1), Framing::Lines);
    let turn = program.prompt("go")["turnId"].clone();
    program.until_event("turn.completed");
    let label = |label: Value, metadata: Value| json!({"at": {"turnId": turn}, "label": label, "metadata": metadata});
    program.ask("session/label", label(json!("works"), json!({"commit": "abc"})));
    let changed = program.until_event("label.changed");
    assert_eq!(
        (&changed["label"], &changed["metadata"]),
        (&json!("works"), &json!({"commit": "abc"}))
    );
    let outline = program.ask("session/outline", json!({}));
    let entries = outline["entries"].as_array().unwrap();
    let found = entries.iter().find(|entry| entry["kind"] == "label").unwrap();
    assert_eq!((&found["text"], &found["metadata"]), (&json!("works"), &json!({"commit": "abc"})));
    let refused = program.ask("session/label", label(json!("works"), json!("x".repeat(20_000))));
    assert_eq!(refused["message"], "the metadata has 20002 bytes");
    let unlabelled = json!({"at": {"turnId": turn}, "metadata": {"commit": "abc"}});
    program.ask("session/label", unlabelled);
    assert!(program.until_event("label.changed")["metadata"].is_null());
}
