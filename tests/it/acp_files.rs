//! Files of an editor that speaks the Agent Client Protocol: tools read and change what it shows, where it offers both ways.

use crate::support::acp::{Client, call, said, script};
use crate::support::program::Place;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An editor: what it shows, and how it behaves.
#[derive(Default)]
struct Editor {
    /// Texts that differ from their files.
    buffers: BTreeMap<String, String>,
    no_reads: bool,
    /// Files that cannot be written.
    locked: Vec<&'static str>,
    /// What a person makes of the text when it was read so often.
    typed: Option<(usize, &'static str, &'static str)>,
    log: Vec<String>,
}

impl Editor {
    /// Answers until the prompt is answered; returns what was told.
    fn serve(&mut self, client: &mut Client, place: &Place, prompt: u64) -> String {
        let mut told = String::new();
        loop {
            let message = client.next();
            let params = &message["params"];
            let path = params["path"].as_str().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap().to_owned();
            match message["method"].as_str() {
                Some("session/request_permission") => client.choose(&message, "allow"),
                Some("fs/read_text_file") => {
                    assert!(std::path::Path::new(path).is_absolute());
                    self.log.push(format!("read {name}"));
                    if self.no_reads {
                        client.refuse(&message, "the disk is on fire");
                        continue;
                    }
                    let shown = match self.buffers.get(&name) {
                        Some(text) => text.clone(),
                        None => std::fs::read_to_string(path).unwrap().replace("\r\n", "\n"),
                    };
                    client.reply(&message, json!({"content": shown}));
                    if let Some((times, old, new)) = &mut self.typed {
                        *times -= 1;
                        if *times == 0 {
                            self.buffers.insert(name, shown.replace(*old, new));
                            self.typed = None;
                        }
                    }
                }
                Some("fs/write_text_file") => {
                    let text = params["content"].as_str().unwrap().to_owned();
                    self.log.push(format!("write {name} {text:?}"));
                    if self.locked.contains(&name.as_str()) {
                        client.refuse(&message, "the buffer is locked");
                        continue;
                    }
                    std::fs::write(place.path(&name), &text).unwrap();
                    self.buffers.remove(&name);
                    client.reply(&message, Value::Null);
                }
                Some("session/update") => told.push_str(&params["update"].to_string()),
                None if message["id"] == prompt => {
                    assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
                    return told;
                }
                _ => {}
            }
        }
    }
}

fn offers(read: bool, write: bool) -> Value {
    json!({"fs": {"readTextFile": read, "writeTextFile": write}})
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    call("edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
}

/// What happens when a model makes these calls beside an editor: the disk afterwards, what the editor was asked, what was told.
fn run(
    place: &Place,
    editor: &mut Editor,
    offers: Value,
    calls: &[Value],
    more: &[&str],
) -> String {
    let mut replies = calls.to_vec();
    replies.push(said("done"));
    let mut client = Client::start_with(place, &script(&replies), offers, more);
    client.new_session(place);
    let prompt = client.prompt("go");
    editor.serve(&mut client, place, prompt)
}

fn buffers(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
    texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn what_is_on_the_screen_is_read_and_changed() {
    let read = call("read", json!({"path": "a.txt"}));
    let write = |text: &str| call("write", json!({"path": "new/b.txt", "content": text}));
    let rows: Vec<(&str, &[(&str, &str)], Vec<Value>, &[&str], &str)> = vec![
        ("a saved file is read", &[], vec![read.clone()], &["read a.txt"], "one\n"),
        (
            "unsaved text is read",
            &[("a.txt", "typed\n")],
            vec![read.clone()],
            &["read a.txt"],
            "one\n",
        ),
        (
            "a saved file is changed by the editor",
            &[],
            vec![edit("a.txt", "one", "two")],
            &["write a.txt \"two\\n\""],
            "two\n",
        ),
        (
            "unsaved text is changed by the editor",
            &[("a.txt", "one\ntyped\n")],
            vec![read, edit("a.txt", "one", "two")],
            &["write a.txt \"two\\ntyped\\n\""],
            "two\ntyped\n",
        ),
        (
            "a new file is made by the editor",
            &[],
            vec![write("new\n")],
            &["write b.txt \"new\\n\""],
            "one\n",
        ),
        ("so is an empty one", &[], vec![write("")], &["write b.txt \"\""], "one\n"),
    ];
    for (name, shown, calls, want, disk) in rows {
        let place = Place::new(&[("a.txt", "one\n")]);
        let mut editor = Editor { buffers: buffers(shown), ..Editor::default() };
        let told = run(&place, &mut editor, offers(true, true), &calls, &[]);
        for line in want {
            assert!(
                editor.log.iter().any(|logged| logged == line),
                "{name}: {:?}\n{told}",
                editor.log
            );
        }
        assert_eq!(place.read("a.txt"), disk, "{name}");
        assert!(!told.contains("\"failed\""), "{name}: {told}");
        for (_, text) in shown.iter().filter(|(_, text)| !text.contains("one")) {
            assert!(told.contains(text.trim()), "{name}: {told}");
        }
    }
}

#[test]
fn an_editor_is_not_asked_for_the_files_of_git() {
    let place = Place::new(&[
        ("a.txt", "one\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[core]\n"),
    ]);
    let mut editor = Editor::default();
    let read = call("read", json!({"path": "a.txt"}));
    run(&place, &mut editor, offers(true, true), &[read], &[]);
    assert_eq!(editor.log, ["read a.txt"]);
}

#[test]
fn an_editor_that_offers_one_way_is_asked_nothing() {
    for (read, write) in [(false, false), (true, false), (false, true)] {
        let place = Place::new(&[("a.txt", "one\n")]);
        let mut editor = Editor::default();
        run(&place, &mut editor, offers(read, write), &[edit("a.txt", "one", "two")], &[]);
        assert!(editor.log.is_empty(), "{:?}", editor.log);
        assert_eq!(place.read("a.txt"), "two\n");
    }
}

#[test]
fn what_the_editor_refuses_fails_with_its_words_and_changes_nothing() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let mut editor = Editor { no_reads: true, ..Editor::default() };
    let calls = [call("read", json!({"path": "a.txt"})), edit("a.txt", "one", "two")];
    let told = run(&place, &mut editor, offers(true, true), &calls, &[]);
    assert!(told.contains("the disk is on fire") && told.contains("\"failed\""), "{told}");
    assert_eq!(place.read("a.txt"), "one\n");
    let mut editor = Editor { locked: vec!["a.txt"], ..Editor::default() };
    let told = run(&place, &mut editor, offers(true, true), &calls[1..], &[]);
    assert!(told.contains("the buffer is locked") && told.contains("\"failed\""), "{told}");
    assert_eq!(place.read("a.txt"), "one\n");
}

#[test]
fn of_several_files_all_are_changed_or_none() {
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: b.txt\n@@\n-one\n+two\n*** End Patch";
    let calls = [call("apply_patch", json!({"patch": patch}))];
    for (locked, want) in [(vec![], "two\n"), (vec!["b.txt"], "one\n")] {
        let place = Place::new(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
        let mut editor = Editor { locked, ..Editor::default() };
        let told = run(&place, &mut editor, offers(true, true), &calls, &["--profile", "openai"]);
        assert_eq!(
            (place.read("a.txt"), place.read("b.txt")),
            (want.to_owned(), want.to_owned()),
            "{told}"
        );
        assert!(
            editor.log.iter().any(|line| line.starts_with("write a.txt")),
            "{:?}\n{told}",
            editor.log
        );
    }
}

#[test]
fn what_is_typed_meanwhile_is_kept() {
    let all = "one\n2\n3\n4\nfive\n";
    let mut outcomes = Vec::new();
    // What is typed between the last look and the writing is nobody's to see: the protocol has no versions.
    for times in 1..=3 {
        let place = Place::new(&[("a.txt", all)]);
        let mut editor = Editor { typed: Some((times, "five", "FIVE")), ..Editor::default() };
        let calls = [edit("a.txt", "one", "ONE")];
        let told = run(&place, &mut editor, offers(true, true), &calls, &[]);
        assert!(place.read("a.txt").starts_with("ONE"), "{times}: {told}");
        let is_kept = editor.typed.is_some()
            || place.read("a.txt").ends_with("FIVE\n")
            || editor.buffers.get("a.txt").is_some_and(|text| text.ends_with("FIVE\n"));
        assert!(is_kept, "{times}: {:?}\n{told}", editor.log);
        // The same lines: nothing is written over.
        let place = Place::new(&[("a.txt", all)]);
        let mut editor = Editor { typed: Some((times, "one", "mine")), ..Editor::default() };
        let told = run(&place, &mut editor, offers(true, true), &calls, &[]);
        if editor.typed.is_none() && !editor.log.iter().any(|line| line.starts_with("write")) {
            assert_eq!(editor.buffers["a.txt"], all.replace("one", "mine"), "{times}");
            outcomes.push(told.contains("being edited by the user"));
        }
    }
    // Both ways of being told are met: it was typed before the change was made, or while.
    assert!(outcomes.contains(&true) && outcomes.contains(&false), "{outcomes:?}");
}

#[test]
fn files_keep_their_line_ends_and_those_elsewhere_are_the_disk_s() {
    let place = Place::new(&[("a.txt", "one\r\ntwo\r\n")]);
    let mut editor = Editor::default();
    run(&place, &mut editor, offers(true, true), &[edit("a.txt", "one", "ONE")], &[]);
    assert_eq!(place.read("a.txt"), "ONE\r\ntwo\r\n");
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("c.txt");
    std::fs::write(&path, "far away\n").unwrap();
    let mut editor = Editor::default();
    let told =
        run(&place, &mut editor, offers(true, true), &[call("read", json!({"path": path}))], &[]);
    assert!(editor.log.is_empty() && told.contains("far away"), "{:?}\n{told}", editor.log);
}

#[test]
fn a_turn_is_stopped_while_the_editor_is_asked_for_a_text() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let replies = script(&[edit("a.txt", "one", "two"), said("done")]);
    let mut client = Client::start_with(&place, &replies, offers(true, true), &[]);
    client.new_session(&place);
    let prompt = client.prompt("go");
    // It never answers.
    client.asked_for("fs/read_text_file");
    client.cancel();
    assert_eq!(client.stop_of(prompt), "cancelled");
    assert_eq!(place.read("a.txt"), "one\n");
}

#[test]
fn an_editor_that_is_gone_leaves_nothing_waiting() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let replies = script(&[edit("a.txt", "one", "two"), said("done")]);
    let mut client =
        Client::start_with(&place, &replies, offers(true, true), &["--permission", "full"]);
    client.new_session(&place);
    client.prompt("go");
    client.asked_for("fs/read_text_file");
    client.program.end_input();
    let rest = client.program.rest();
    assert!(rest.iter().any(|message| message["result"]["stopReason"] == "end_turn"), "{rest:#?}");
    assert!(client.program.wait().success());
    assert_eq!(place.read("a.txt"), "one\n");
}

/// Rows: the command (`wait` is a pause, in which a person saves), whether it is confined and so recorded, the client's capabilities, and
/// the file after all was undone.
#[test]
fn what_a_person_saves_while_a_command_runs_stays() {
    const DISK: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";
    let (plain, files) = (json!({}), json!({"fs": {"readTextFile": true, "writeTextFile": true}}));
    for (name, command, is_confined, capabilities, want) in [
        ("it only waits", "wait", true, &plain, "one\n"),
        ("it changes another line", "wait; sed -i s/one/ONE/ a.txt", true, &plain, "one\n"),
        ("the editor serves files", "wait; sed -i s/one/ONE/ a.txt", true, &files, "one\n"),
        ("unwatched, it waits", "wait", false, &plain, "one\n"),
        ("unwatched, another line", "wait; sed -i s/one/ONE/ a.txt", false, &plain, "ONE\n"),
    ] {
        let place = Place::new(&[("a.txt", DISK)]);
        let command = command.replace("wait", "touch waits; until [ -e go ]; do sleep 0.01; done");
        let replies = [call("bash", json!({"command": command})), said("done")];
        let mode = if is_confined { "auto-edit" } else { "full" };
        let options = ["--permission", mode];
        let (script, capabilities) = (script(&replies), capabilities.clone());
        let mut client = Client::start_with(&place, &script, capabilities, &options);
        client.new_session(&place);
        let prompt = client.prompt("go");
        until(|| place.path("waits").exists());
        let saved = place.read("a.txt").replace("six", "six saved");
        std::fs::write(place.path("a.txt"), saved).unwrap();
        std::fs::write(place.path("go"), "").unwrap();
        assert_eq!(client.stop_of(prompt), "end_turn", "{name}");
        drop(client);
        let undone = place.command(&["sessions", "undo", "last", "--all"]).output().unwrap();
        let text = place.read("a.txt");
        assert!(text.ends_with("six saved\n"), "{name}: {text} {undone:?}");
        assert!(text.starts_with(want), "{name}: {text} {undone:?}");
    }
}
