//! `pintle lsp`: changes of the agent shown and decided about, going back, and files that the editor shows.

use crate::support::acp::{call, said};
use crate::support::lsp::{Client, everything};
use crate::support::program::Place;
use serde_json::{Value, json};

const SONG: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

fn edit(old: &str, new: &str) -> Value {
    call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
}

/// Two changes of one file, in a client without the file open.
fn changed(place: &Place, capabilities: Value) -> Client {
    let replies = [edit("two", "2\n2b"), edit("eight\n", ""), said("done")];
    let mut client = Client::start(place, &replies, capabilities, &["--permission", "full"]);
    client.command("pintle.prompt", json!(["edit it"]));
    while client.diagnostics(place, "a.txt").len() < 2 {}
    client
}

fn at(place: &Place, line: u32) -> Value {
    let position = json!({"line": line, "character": 0});
    json!({
        "textDocument": {"uri": format!("file://{}", place.path("a.txt").display())},
        "range": {"start": position, "end": position},
        "context": {"diagnostics": []},
    })
}

/// The commands of code lenses or code actions by title.
fn titled(found: &Value, title: &str) -> Value {
    let found = found.as_array().unwrap().iter();
    let mut titled = found.filter(|it| it["title"] == title || it["command"]["title"] == title);
    let command = titled.next().unwrap_or_else(|| panic!("no {title}"))["command"].clone();
    json!({"command": command["command"], "arguments": command["arguments"]})
}

#[test]
fn changes_are_diagnostics_that_follow_their_text_until_they_are_decided() {
    let place = Place::new(&[("a.txt", SONG)]);
    let replies = [edit("two", "2\n2b"), edit("eight\n", ""), said("done")];
    let mut client = Client::start(&place, &replies, everything(), &["--permission", "full"]);
    client.command("pintle.prompt", json!(["edit it"]));
    let edited = (1, 3, "pintle changed this: +2 \u{2212}1\nbefore:\ntwo".to_owned());
    // The second edit may be there before the first one has been published.
    let both = loop {
        let found = client.diagnostics(&place, "a.txt");
        assert_eq!(found[0], edited);
        if found.len() == 2 {
            break found;
        }
    };
    let removed = "pintle changed this: +0 \u{2212}1\nbefore:\neight".to_owned();
    assert_eq!(both[1], (8, 8, removed.clone()));
    let text = place.read("a.txt");
    client.open(&place, "a.txt", 1, &text);
    assert_eq!(client.diagnostics(&place, "a.txt"), both);
    client.change("a.txt", 2, Some([0, 0, 0, 0]), "typed\ntyped\n");
    let moved = client.diagnostics(&place, "a.txt");
    assert_eq!((moved[0].0, moved[0].1), (3, 5));
    client.change("a.txt", 3, Some([0, 0, 2, 0]), "");
    // The end of the turn may publish the same diagnostics again, and the review of the first change moves the place of the removed line,
    // which no text shows.
    let back = loop {
        let found = client.diagnostics(&place, "a.txt");
        if found[0] != moved[0] {
            break found;
        }
    };
    assert_eq!(back, both);
    let lenses = client.ask("textDocument/codeLens", at(&place, 0));
    let keep = titled(&lenses, "Keep +2 \u{2212}1");
    let kept = client.ask("workspace/executeCommand", keep);
    assert_eq!((&kept["applied"], &kept["conflicts"]), (&json!(1), &json!(0)));
    assert_eq!(client.diagnostics(&place, "a.txt"), [(8, 8, removed)]);
}

#[test]
fn each_change_is_kept_or_undone_where_the_editor_is() {
    for (name, line, title, want) in [
        ("one", 1, "Undo pintle's change here", SONG.replace("eight\n", "")),
        ("where lines were removed", 8, "Undo pintle's change here", SONG.replace("two", "2\n2b")),
        ("all", 2, "Undo all 2 of pintle's changes in this file", SONG.to_owned()),
        (
            "keeping",
            1,
            "Keep pintle's change here",
            SONG.replace("eight\n", "").replace("two", "2\n2b"),
        ),
    ] {
        let place = Place::new(&[("a.txt", SONG)]);
        let mut client = changed(&place, everything());
        let found = client.ask("textDocument/codeAction", at(&place, line));
        let done = client.ask("workspace/executeCommand", titled(&found, title));
        assert_eq!(done["conflicts"], 0, "{name}: {done}");
        let left = client.diagnostics(&place, "a.txt");
        assert_eq!(left.len(), usize::from(!title.contains("all")), "{name}: {left:?}");
        assert_eq!(place.read("a.txt"), want, "{name}");
        let reverted = client.command("pintle.revert", json!([]));
        assert_eq!(reverted["conflicts"], 0, "{name}: {reverted}");
        assert_eq!(client.diagnostics(&place, "a.txt").len(), 2, "{name}");
        let all = SONG.replace("eight\n", "").replace("two", "2\n2b");
        assert_eq!(place.read("a.txt"), all, "{name}");
    }
}

#[test]
fn a_change_with_lines_of_a_person_is_not_undone() {
    let place = Place::new(&[("a.txt", SONG)]);
    let mut client = changed(&place, everything());
    let text = place.read("a.txt").replace("2b", "2b, mine");
    // At once, as editors do it: the turn may still look at the file, which must not find it empty.
    std::fs::write(place.path("new.txt"), text).unwrap();
    std::fs::rename(place.path("new.txt"), place.path("a.txt")).unwrap();
    let done = client.command("pintle.undo", json!([]));
    assert_eq!((&done["applied"], &done["conflicts"]), (&json!(1), &json!(1)), "{done}");
    let told = client.until(|message| {
        message["method"] == "window/showMessage" && message["params"]["type"] == 2
    });
    let told = told["params"]["message"].as_str().unwrap();
    assert_eq!(told, "pintle kept a change that contains your lines");
    assert!(place.read("a.txt").contains("2b, mine"));
}

#[test]
fn commands_without_their_subject_say_what_to_do() {
    let place = Place::new(&[]);
    let mut client = Client::start(&place, &[], everything(), &[]);
    for (command, arguments, want) in [
        ("pintle.keep", json!([]), "no session yet"),
        ("pintle.undo", json!([{"file": "a"}]), "takes {\"hunk\": ID}"),
        ("pintle.undo", json!([{"uri": "untitled:1"}]), "is not a file on this machine"),
        ("pintle.revert", json!([]), "no decisions in this session"),
        ("pintle.rewind", json!([]), "no session yet"),
        ("pintle.rewind", json!([0]), "takes a number of messages"),
        ("pintle.transcript", json!([]), "no session yet"),
        ("pintle.send", json!([]), "no message is being written there"),
        ("pintle.ask", json!(["x"]), "takes {\"uri\": FILE}"),
    ] {
        let error = client.command(command, arguments);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(want), "{command}: {message}");
    }
}

#[test]
fn a_person_chooses_what_goes_back_and_gets_the_message_again() {
    for (title, file, dropped) in [
        ("Conversation and files", SONG.replace("two", "2"), true),
        ("Only the files", SONG.replace("two", "2"), false),
        ("Only the conversation", SONG.replace("two", "2").replace("six", "6"), true),
        ("", SONG.replace("two", "2").replace("six", "6"), false),
    ] {
        let place = Place::new(&[("a.txt", SONG)]);
        let replies = [edit("two", "2"), said("first done"), edit("six", "6"), said("second done")];
        let mut client = Client::start(&place, &replies, everything(), &["--permission", "full"]);
        for (message, done) in [("first", "first done"), ("second", "second done")] {
            client.command("pintle.prompt", json!([message]));
            assert_eq!(client.shown(), done);
        }
        let too_far = client.command("pintle.rewind", json!([3]));
        assert_eq!(too_far["message"], "the session has only 2 messages (use a smaller number)");
        client.command("pintle.rewind", json!([]));
        let (params, request) = client.told("window/showMessageRequest");
        let text = params["message"].as_str().unwrap();
        let path = place.path("a.txt").display().to_string();
        assert!(text.contains("\n\nsecond\n\nFiles that will be restored:"), "{text}");
        assert!(text.ends_with(&path), "{text}");
        let answer = if title.is_empty() { Value::Null } else { json!({"title": title}) };
        client.reply(&request, answer);
        if !title.is_empty() {
            assert!(client.shown().starts_with("pintle rewound the session"), "{title}");
        }
        if dropped {
            let (draft, _) = client.document();
            assert!(draft.starts_with("second\n\n<!-- This message goes to pintle."), "{draft}");
        }
        // One message only is left where the conversation went back.
        let again = client.command("pintle.rewind", json!([2]));
        assert_eq!(again.is_null(), !dropped, "{title}: {again}");
        assert_eq!(place.read("a.txt"), file, "{title}");
    }
}

#[test]
fn a_transcript_is_a_file_that_grows() {
    let place = Place::new(&[]);
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let replies = [said("first answer"), said(&format!("the token is {token}"))];
    let mut client = Client::start(&place, &replies, everything(), &[]);
    client.command("pintle.prompt", json!(["first question"]));
    assert_eq!(client.shown(), "first answer");
    let shown = client.command("pintle.transcript", json!([]));
    let path = shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    let read = || std::fs::read_to_string(&path).unwrap();
    let before = read();
    assert!(before.contains("first question") && before.contains("first answer"), "{before}");
    client.command("pintle.prompt", json!(["second question"]));
    client.shown();
    // Asking for it again waits until it is written.
    assert_eq!(client.command("pintle.transcript", json!([])), shown);
    let after = read();
    assert!(after.starts_with(&before), "{after}");
    assert_eq!(after.matches("second question").count(), 1, "{after}");
    assert!(after.contains("the token is") && !after.contains(&token), "{after}");
    client.ask("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    client.program.wait();
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn an_editor_that_shows_no_documents_is_told_the_path() {
    let place = Place::new(&[]);
    let mut client = Client::start(&place, &[said("an answer")], json!({}), &[]);
    client.command("pintle.prompt", json!(["a question"]));
    assert_eq!(client.shown(), "an answer");
    let params = json!({"command": "pintle.transcript", "arguments": []});
    let id = client.program.request("workspace/executeCommand", params);
    let told = client.shown();
    let path = told.strip_prefix("pintle: see the file ").unwrap();
    assert!(std::fs::read_to_string(path).unwrap().contains("an answer"));
    client.answer_to(id);
}

#[test]
fn a_message_is_written_in_a_document_and_sent_with_its_place() {
    for (name, is_open, sent) in
        [("from the document", true, "why is this so?"), ("from its file", false, "why is it so?")]
    {
        let place = Place::new(&[("a.txt", SONG)]);
        let mut client = Client::start(&place, &[said("because")], everything(), &[]);
        client.open(&place, "a.txt", 1, SONG);
        let found = client.ask("textDocument/codeAction", at(&place, 2));
        let params = titled(&found, "Ask pintle about this…");
        let id = client.program.request("workspace/executeCommand", params);
        let (text, uri) = client.document();
        client.answer_to(id);
        assert!(text.contains("goes to pintle with line 3 of a.txt. "), "{name}: {text}");
        let empty = client.command("pintle.send", json!([]));
        assert!(empty["message"].as_str().unwrap().contains("the message is empty"), "{empty}");
        if is_open {
            let document = json!({"uri": uri, "languageId": "markdown", "version": 1,
                "text": format!("why is this so?\n{text}")});
            client.notify("textDocument/didOpen", json!({"textDocument": document}));
            let params = json!({"textDocument": {"uri": uri}});
            let lenses = client.ask("textDocument/codeLens", params);
            client.ask("workspace/executeCommand", titled(&lenses, "Send to pintle"));
        } else {
            let path = uri.strip_prefix("file://").unwrap();
            std::fs::write(path, format!("why is it so?\n{text}")).unwrap();
            client.command("pintle.send", json!([]));
        }
        assert_eq!(client.shown(), "because", "{name}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(journal.contains(&format!(r#""text":"{sent}""#)), "{name}: {journal}");
        assert!(journal.contains(r#""range":{"start":3,"end":3}"#), "{name}: {journal}");
        assert!(!journal.contains("This message goes"), "{name}: {journal}");
    }
}

#[test]
fn a_long_change_is_shown_before_it_is_decided_about() {
    let long: String =
        (0..80).flat_map(|line| ["line ".to_owned(), line.to_string(), "\n".to_owned()]).collect();
    let place = Place::new(&[]);
    let replies = [call("write", json!({"path": "long.txt", "content": long})), said("done")];
    let mut client = Client::start(&place, &replies, everything(), &["--permission", "ask"]);
    client.command("pintle.prompt", json!(["write it"]));
    let (params, request) = client.told("window/showMessageRequest");
    assert!(!params["message"].as_str().unwrap().contains("line 40"));
    client.reply(&request, json!({"title": "Show the change"}));
    let (text, uri) = client.document();
    assert!(
        uri.contains("/change-") && text.contains("line 0\n") && text.contains("line 79"),
        "{text}"
    );
    let (again, request) = client.told("window/showMessageRequest");
    assert_eq!(again, params);
    assert!(!place.path("long.txt").exists());
    client.reply(&request, params["actions"][0].clone());
    assert_eq!(client.shown(), "done");
    assert_eq!(place.read("long.txt"), long);
}
