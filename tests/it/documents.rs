//! Documents with unsaved text, over the wire: tools read what is on the screen, edits come back to it, and nothing that was typed is lost.

use crate::support::program::{Framing, Place, Program};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::PathBuf;

const DISK: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";
const TYPED: &str = "one\ntwo\nthree\nfour\nfive\nsix typed\n";

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn edit(old: &str, new: &str) -> Value {
    call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
}

/// An editor with one document, on a connection.
struct Editor {
    program: Program,
    path: PathBuf,
    text: String,
    version: i64,
    is_dirty: bool,
    /// The disk is full.
    cannot_save: bool,
    /// Closes the document after an edit, saved or not, without reporting the change.
    closes: Option<bool>,
    /// What is typed in the moment in which edits come, one after the other: a text and what takes its place.
    typing: VecDeque<Option<(&'static str, &'static str)>>,
}

impl Editor {
    fn new(place: &Place, replies: &[Value], capabilities: Value) -> Self {
        Self::with(place, replies, capabilities, "full")
    }

    fn with(place: &Place, replies: &[Value], capabilities: Value, permission: &str) -> Self {
        let mut replies = replies.to_vec();
        replies.push(json!({"blocks": [{"text": "done"}]}));
        let script = place.script(&json!({"replies": replies}));
        let args = ["serve", "--permission", permission, "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        let protocol = json!({"name": "pintle", "versions": ["2.0"]});
        let said =
            program.ask("initialize", json!({"protocol": protocol, "capabilities": capabilities}));
        assert_eq!(said["capabilities"]["documents"], json!({}));
        program.ask("session/create", json!({}));
        let path = place.path("a.txt");
        let typing = VecDeque::new();
        let (text, version, is_dirty, cannot_save) = (String::new(), 0, false, false);
        Self { program, path, text, version, is_dirty, cannot_save, closes: None, typing }
    }

    fn open(&mut self, text: &str, is_dirty: bool) {
        (self.text, self.is_dirty) = (text.to_owned(), is_dirty);
        self.version += 1;
        let params =
            json!({"path": self.path, "version": self.version, "text": text, "dirty": is_dirty});
        assert_eq!(self.program.ask("document/open", params), json!({}));
    }

    /// Replaces a text, as a person does.
    fn type_over(&mut self, old: &str, new: &str) {
        let at = self.text.find(old).unwrap_or_else(|| panic!("{old} is not in {}", self.text));
        let position = |offset: usize| {
            let before = &self.text[..offset];
            let line = before.matches('\n').count();
            let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
            json!({"line": line, "character": character})
        };
        let range = json!({"start": position(at), "end": position(at + old.len())});
        self.text.replace_range(at..at + old.len(), new);
        self.changed(json!([{"range": range, "text": new}]));
    }

    fn changed(&mut self, changes: Value) {
        (self.version, self.is_dirty) = (self.version + 1, true);
        let params =
            json!({"path": self.path, "version": self.version, "changes": changes, "dirty": true});
        self.program.request("document/change", params);
    }

    /// Reads the file again, as an editor does when another program has changed it.
    fn reads_again(&mut self) {
        (self.version, self.text) = (self.version + 1, self.disk());
        let changes = json!([{"text": self.text}]);
        let params =
            json!({"path": self.path, "version": self.version, "changes": changes, "dirty": false});
        self.program.request("document/change", params);
    }

    fn save(&mut self) {
        std::fs::write(&self.path, &self.text).unwrap();
        self.is_dirty = false;
        let params = json!({"path": self.path, "version": self.version});
        self.program.request("document/save", params);
    }

    fn close(&mut self, is_saved: bool) {
        if is_saved {
            std::fs::write(&self.path, &self.text).unwrap();
        }
        self.program.request("document/close", json!({"path": self.path}));
    }

    fn apply(&mut self, request: &Value) {
        if let Some(Some((old, new))) = self.typing.pop_front() {
            self.type_over(old, new);
        }
        let edit = &request["params"]["edits"][0];
        assert_eq!(edit["path"], self.path.to_str().unwrap());
        let result = if edit["version"] == self.version {
            for change in edit["changes"].as_array().unwrap().iter().rev() {
                let [start, end] = ["start", "end"].map(|end| {
                    let place = &change["range"][end];
                    let line = usize::try_from(place["line"].as_u64().unwrap()).unwrap();
                    let lines = self.text.split_inclusive('\n').take(line);
                    let start: usize = lines.map(str::len).sum();
                    start + usize::try_from(place["character"].as_u64().unwrap()).unwrap()
                });
                self.text.replace_range(start..end, change["text"].as_str().unwrap());
            }
            match self.closes {
                Some(is_saved) => self.close(is_saved),
                None => self.changed(json!([{"text": self.text}])),
            }
            if edit["save"] == true && !self.cannot_save && self.closes.is_none() {
                self.save();
            }
            json!({"applied": true, "versions": [{"path": self.path, "version": self.version}]})
        } else {
            json!({"applied": false, "failureReason": "it was typed in"})
        };
        self.program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// Makes edits until the answer to a request comes.
    fn answer_to(&mut self, id: u64) -> Value {
        self.serve(|message| message["id"] == id && message.get("method").is_none())
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.program.request(method, params);
        self.answer_to(id)["result"].take()
    }

    fn serve(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.program.next();
            if is_wanted(&message) {
                return message;
            }
            if message["method"] == "workspace/applyEdit" {
                self.apply(&message);
            }
        }
    }

    /// A turn to its end; what its calls told the model.
    fn turn(&mut self) -> Vec<String> {
        let begun = self.program.seen.len();
        self.program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
        self.serve(|message| message["params"]["event"]["type"] == "turn.completed");
        let events = self.program.seen[begun..].iter().map(|message| &message["params"]["event"]);
        let calls = events.filter(|event| {
            event["type"] == "item.completed" && event["item"]["type"] == "toolCall"
        });
        let text = |call: &Value| -> String {
            let parts = call["item"]["output"]["content"].as_array().unwrap().iter();
            parts.map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
        };
        calls.map(text).collect()
    }

    fn disk(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap()
    }

    /// Who changed the file, as events say.
    fn changers(&self) -> Vec<&str> {
        let events = self.program.seen.iter().map(|message| &message["params"]["event"]);
        let changes = events.filter(|event| event["type"] == "files.changed");
        changes.map(|event| event["by"]["type"].as_str().unwrap()).collect()
    }

    fn hunks(&mut self) -> Vec<Value> {
        self.ask("review/list", json!({}))["hunks"].as_array().unwrap().clone()
    }
}

fn edits() -> Value {
    json!({"applyEdit": {}})
}

#[test]
fn every_tool_reads_what_is_on_the_screen_and_commands_are_told_to_be_blind() {
    let place = Place::new(&[("a.txt", DISK)]);
    let replies = [
        call("read", json!({"path": "a.txt"})),
        call("grep", json!({"pattern": "typed"})),
        call("bash", json!({"command": "grep -c typed a.txt || true"})),
    ];
    let mut editor = Editor::new(&place, &replies, json!({}));
    editor.open(TYPED, true);
    let said = editor.turn();
    assert!(said[0].contains("six typed"), "{said:?}");
    assert!(said[1].contains("six typed"), "{said:?}");
    let path = editor.path.display();
    let note = format!("0\n\n[Unsaved changes in the editor, which commands do not see: {path}]");
    assert_eq!(said[2], note);
}

#[test]
fn edits_go_to_the_screen_and_are_told_apart_from_what_is_typed() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[edit("two", "TWO"), edit("four", "FOUR")], edits());
    editor.open(TYPED, true);
    // Each edit comes too late once.
    editor.typing = [Some(("one", "ONE")), None, Some(("typed", "typed on"))].into();
    let said = editor.turn();
    assert!(said[0].contains("unsaved text by the user"), "{said:?}");
    assert_eq!(editor.text, "ONE\nTWO\nthree\nFOUR\nfive\nsix typed on\n");
    assert_eq!(editor.disk(), DISK);
    assert_eq!(editor.changers(), ["other", "call", "other", "call"]);
    let hunks: Vec<_> = editor
        .hunks()
        .iter()
        .map(|hunk| format!("{} -> {}", hunk["oldText"], hunk["newText"]))
        .collect();
    assert_eq!(hunks, [r#""two\n" -> "TWO\n""#, r#""four\n" -> "FOUR\n""#], "the model's alone");
    // A decision goes to the screen too.
    let hunk = editor.hunks()[0]["id"].clone();
    let target = json!({"type": "hunk", "hunk": hunk});
    let done = editor.ask("review/decide", json!({"action": {"type": "undo", "target": target}}));
    assert!(done["seq"].is_u64(), "{done}");
    assert_eq!(editor.text, "ONE\ntwo\nthree\nFOUR\nfive\nsix typed on\n");
    assert_eq!(editor.disk(), DISK);
    // What was saved is the same text, so nothing is new.
    editor.save();
    assert_eq!(editor.hunks().len(), 1);
    assert_eq!(editor.disk(), editor.text);
}

#[test]
fn a_document_that_is_saved_is_changed_on_the_screen_and_saved() {
    let place = Place::new(&[("a.txt", DISK)]);
    let replies = [edit("two", "TWO"), call("bash", json!({"command": "grep -c TWO a.txt"}))];
    let mut editor = Editor::new(&place, &replies, edits());
    editor.open(DISK, false);
    let said = editor.turn();
    assert_eq!(said, ["Successfully replaced text in a.txt.", "1\n"]);
    assert_eq!((editor.disk(), editor.is_dirty), (editor.text.clone(), false));
    assert_eq!(editor.changers(), ["call"]);
    let back = editor.ask("session/rewind", json!({"to": {"seq": 1}, "scope": "files"}));
    assert_eq!((editor.disk().as_str(), editor.text.as_str()), (DISK, DISK), "{back}");
}

#[test]
fn a_failed_undo_says_which_files_it_could_not_restore() {
    for (typed, hint, text) in [
        (None, "no decision was applied; list the hunks again", "TWO"),
        (
            Some(("two", "two and a half")),
            "the decision was not recorded, but these files keep its changes; list the hunks again: PATH is being edited by the user: the same \
             lines (2) have changed in the editor. Nothing was changed. Read the file again before you decide.",
            "two and a half",
        ),
    ] {
        let place = Place::new(&[("a.txt", DISK), ("b.txt", DISK)]);
        let other = call("edit", json!({"path": "b.txt", "oldText": "two", "newText": "TWO"}));
        let mut editor = Editor::new(&place, &[edit("two", "TWO"), other], edits());
        editor.open(TYPED, true);
        editor.turn();
        let undo = json!({"action": {"type": "undo", "target": {"type": "all"}}});
        let id = editor.program.request("review/decide", undo);
        let request = editor.serve(|message| message["method"] == "workspace/applyEdit");
        // Another program writes the second file meanwhile.
        std::fs::write(place.path("b.txt"), "other\n").unwrap();
        editor.apply(&request);
        editor.typing = [typed].into();
        let error = editor.answer_to(id)["error"].take();
        assert!(error["message"].as_str().unwrap().contains("b.txt"), "{error}");
        let path = editor.path.to_str().unwrap();
        assert_eq!(error["data"]["hint"].as_str().unwrap().replace(path, "PATH"), hint);
        assert_eq!(editor.text, TYPED.replace("two", text));
        assert_eq!(place.read("b.txt"), "other\n");
    }
}

#[test]
fn an_edit_whose_document_is_closed_instead_counts_only_if_it_was_saved() {
    for (is_saved, said, hunks) in [
        (true, "Successfully replaced text in a.txt.", 1),
        (false, "a.txt was closed in the editor, and the change was not saved.", 0),
    ] {
        let place = Place::new(&[("a.txt", DISK)]);
        let mut editor = Editor::new(&place, &[edit("two", "TWO")], edits());
        editor.open(DISK, false);
        editor.closes = Some(is_saved);
        let told = editor.turn();
        assert!(told[0].contains(said), "{told:?}");
        assert_eq!(editor.disk(), if is_saved { editor.text.clone() } else { DISK.to_owned() });
        assert_eq!(editor.hunks().len(), hunks);
    }
}

#[test]
fn an_edited_proposal_goes_to_the_screen_with_what_is_typed_meanwhile() {
    let place = Place::new(&[("a.txt", DISK)]);
    let capabilities = json!({"applyEdit": {}, "approvals": {}});
    let mut editor = Editor::with(&place, &[edit("two", "TWO")], capabilities, "ask");
    editor.open(TYPED, true);
    editor.program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
    let request = editor.serve(|message| message["method"] == "approval/request");
    // The user types into the file after the proposal was shown.
    editor.type_over("one", "ONE");
    let proposed = TYPED.replace("two", "TWO");
    let text = proposed.replace("four", "FOUR");
    let edits = json!([{"path": editor.path, "proposed": proposed, "text": text}]);
    let result = json!({"optionId": "allow", "edits": edits});
    editor.program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    editor.serve(|message| message["params"]["event"]["type"] == "turn.completed");
    assert_eq!(editor.text, "ONE\nTWO\nthree\nFOUR\nfive\nsix typed\n");
    assert_eq!(editor.disk(), DISK, "unsaved text is not saved");
    let hunks = editor.hunks();
    let hunks: Vec<_> = hunks.iter().map(|hunk| hunk["newText"].as_str().unwrap()).collect();
    assert_eq!(hunks, ["TWO\n"], "the rest is the user's");
}

#[test]
fn an_edit_of_lines_that_are_being_typed_in_is_not_made() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[edit("two", "TWO")], edits());
    editor.open(TYPED, true);
    editor.typing = [Some(("two", "two and a half"))].into();
    let said = editor.turn();
    assert!(said[0].contains("is being edited by the user"), "{said:?}");
    assert_eq!(editor.text, TYPED.replace("two", "two and a half"));
    assert_eq!(editor.disk(), DISK);
    assert!(editor.hunks().is_empty());
}

#[test]
fn where_a_client_takes_no_edits_unsaved_text_is_left_alone() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[edit("two", "TWO")], json!({}));
    editor.open(TYPED, true);
    let said = editor.turn();
    assert!(said[0].contains("an editor that accepts no edits"), "{said:?}");
    assert_eq!((editor.disk().as_str(), editor.text.as_str()), (DISK, TYPED));
}

#[test]
fn unsaved_text_that_appears_is_a_change_of_the_file_whatever_the_client_can_do() {
    for capabilities in [json!({}), edits()] {
        let read = || call("read", json!({"path": "a.txt"}));
        let said = json!({"blocks": [{"text": "read"}]});
        let place = Place::new(&[("a.txt", DISK)]);
        let mut editor = Editor::new(&place, &[read(), said, read()], capabilities.clone());
        editor.turn();
        editor.open(TYPED, true);
        let shown = editor.turn();
        assert!(shown[0].contains("six typed"), "{capabilities}: {shown:?}");
        let told = editor.program.seen.iter().map(|message| &message["params"]["event"]["item"]);
        let told: Vec<&str> = told.filter_map(|item| item["text"].as_str()).collect();
        let told = told.iter().find(|text| text.contains("were changed by the user")).unwrap();
        assert!(told.ends_with("a.txt"), "{capabilities}: {told}");
    }
}

#[test]
fn a_stop_does_not_wait_for_an_editor_that_does_not_answer_and_the_edit_is_withdrawn() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[edit("two", "TWO")], edits());
    editor.open(TYPED, true);
    editor.program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
    let asked = editor.program.until(|message| message["method"] == "workspace/applyEdit");
    editor.program.request("turn/interrupt", json!({}));
    let withdrawn = editor.program.until(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], asked["id"]);
    let ended = editor.program.until_event("turn.completed");
    assert_eq!(ended["status"], "interrupted", "{ended}");
    assert_eq!((editor.text.as_str(), editor.disk().as_str()), (TYPED, DISK));
}

#[test]
fn where_the_client_s_input_has_ended_an_edit_of_unsaved_text_is_refused_at_once() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[edit("two", "TWO")], edits());
    editor.open(TYPED, true);
    editor.program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
    editor.program.end_input();
    let rest = editor.program.rest();
    let refused = rest.iter().filter(|message| {
        message.to_string().contains("an editor that accepts no edits")
            || message.to_string().contains("the editor disconnected")
    });
    assert!(refused.count() > 0, "{rest:?}");
    assert_eq!(editor.disk(), DISK);
}

#[test]
fn what_could_not_be_saved_counts_to_the_agent_all_the_same() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[edit("two", "TWO")], edits());
    editor.open(DISK, false);
    editor.cannot_save = true;
    let said = editor.turn();
    assert!(said[0].contains("Commands do not see it"), "{said:?}");
    assert_eq!((editor.disk().as_str(), editor.is_dirty), (DISK, true));
    assert_eq!(editor.changers(), ["call"]);
    assert_eq!(editor.hunks().len(), 1);
}

/// What a person does while a command runs.
#[derive(Debug, Clone, Copy)]
enum Meanwhile {
    /// Types and saves in the editor.
    Saves,
    /// Types and saves twice, as autosave does.
    SavesTwice,
    /// The editor reads what the command wrote; then as `Saves`.
    ReadsAndSaves,
    /// Writes the file with another program.
    WritesByHand,
}

/// Rows: the command (`wait` is a pause), whether it is confined and so recorded, what a person does during the pause, and the expected
/// hunks with their causes.
#[test]
fn what_a_person_saves_while_a_command_runs_is_theirs() {
    use Meanwhile::{ReadsAndSaves, Saves, SavesTwice, WritesByHand};
    const NOTHING: &[(&str, Option<&str>)] = &[];
    let unknown = Some("unknown, while `COMMAND` ran");
    for (name, command, is_confined, meanwhile, want) in [
        ("it only waits", "wait", true, Saves, NOTHING),
        ("it only waits, autosave", "wait", true, SavesTwice, NOTHING),
        ("it only waits, by hand", "wait", true, WritesByHand, NOTHING),
        ("unwatched, it waits", "wait", false, Saves, NOTHING),
        ("unwatched, it waits, autosave", "wait", false, SavesTwice, NOTHING),
        ("unwatched, it waits, by hand", "wait", false, WritesByHand, &[("six saved", unknown)]),
        ("it changes another line", "wait; sed -i s/one/ONE/ a.txt", true, Saves, &[("ONE", None)]),
        (
            "unwatched, it changes another line",
            "wait; sed -i s/one/ONE/ a.txt",
            false,
            Saves,
            &[("ONE", unknown)],
        ),
        (
            "it changes another line, by hand",
            "wait; sed -i s/one/ONE/ a.txt",
            true,
            WritesByHand,
            &[("ONE", None)],
        ),
        (
            "it changes another line before",
            "sed -i s/one/ONE/ a.txt; wait",
            true,
            ReadsAndSaves,
            &[("ONE", None)],
        ),
        ("it changes another file", "wait; echo x > b.txt", true, WritesByHand, &[("x", None)]),
        (
            "unwatched, it changes another file",
            "wait; echo x > b.txt",
            false,
            WritesByHand,
            &[("six saved", unknown), ("x", unknown)],
        ),
        (
            "unwatched, something else changes another file",
            "wait; ./script",
            false,
            Saves,
            &[("x", Some("unknown, while `COMMAND` ran"))],
        ),
        ("something else changes another file", "wait; ./script", true, Saves, &[("x", None)]),
    ] {
        let place = Place::new(&[("a.txt", DISK), ("script", "#!/bin/sh\necho x > b.txt\n")]);
        let script = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(place.path("script"), script).unwrap();
        let command = command.replace("wait", "touch waits; until [ -e go ]; do sleep 0.01; done");
        let replies = [call("bash", json!({"command": command}))];
        let permission = if is_confined { "auto-edit" } else { "full" };
        let mut editor = Editor::with(&place, &replies, json!({}), permission);
        editor.open(DISK, false);
        let input = json!([{"type": "text", "text": "go"}]);
        editor.program.request("turn/start", json!({"input": input}));
        until(|| place.path("waits").exists());
        match meanwhile {
            Saves | SavesTwice => {}
            ReadsAndSaves => editor.reads_again(),
            WritesByHand => {
                let text = editor.disk().replace("six", "six saved");
                std::fs::write(place.path("a.txt"), text).unwrap();
            }
        }
        if !matches!(meanwhile, WritesByHand) {
            editor.type_over("six", "six s");
            if matches!(meanwhile, SavesTwice) {
                editor.save();
            }
            editor.type_over("six s", "six saved");
            editor.save();
            editor.ask("session/list", json!({}));
        }
        std::fs::write(place.path("go"), "").unwrap();
        editor.serve(|message| message["params"]["event"]["type"] == "turn.completed");

        let hunks = editor.hunks();
        let shown = |hunk: &Value| {
            let cause = hunk["cause"].as_str().map(|cause| cause.replace(&command, "COMMAND"));
            (hunk["newText"].as_str().unwrap().trim_end().to_owned(), cause)
        };
        let is_mark = |hunk: &&Value| {
            ["/waits", "/go"].iter().any(|mark| hunk["path"].as_str().unwrap().ends_with(mark))
        };
        let mut got: Vec<_> = hunks.iter().filter(|hunk| !is_mark(hunk)).map(shown).collect();
        got.sort();
        let mut want: Vec<_> = want
            .iter()
            .map(|(text, cause)| ((*text).to_owned(), cause.map(str::to_owned)))
            .collect();
        want.sort();
        assert_eq!(got, want, "{name}");
        // Undoing all takes nothing that is, or may be, the person's.
        let all = json!({"action": {"type": "undo", "target": {"type": "all"}}});
        editor.ask("review/decide", all);
        assert!(editor.disk().contains("six saved"), "{name}: {}", editor.disk());
        assert_eq!(
            editor.disk().contains("ONE"),
            want.iter().any(|(text, _)| text == "ONE") && !is_confined,
            "{name}"
        );
        // One that is named goes.
        for hunk in editor.hunks() {
            let target = json!({"type": "hunk", "hunk": hunk["id"]});
            let undo = json!({"action": {"type": "undo", "target": target}});
            let done = editor.ask("review/decide", undo);
            assert_eq!(done["decision"]["parts"][0]["outcome"], "applied", "{name}: {done}");
        }
    }
}

#[test]
fn a_race_with_somebody_who_types_all_the_time_loses_nothing() {
    let names: Vec<String> = (0..12).map(|n| format!("line {n}\n\n")).collect();
    let disk = names.concat();
    let replies: Vec<Value> =
        (0..12).map(|n| edit(&format!("line {n}\n"), &format!("changed {n}\n"))).collect();
    let place = Place::new(&[("a.txt", &disk)]);
    let mut editor = Editor::new(&place, &replies, edits());
    editor.open(&disk, false);
    editor.program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
    let mut typed = String::from("typed: ");
    editor.type_over("line 0\n\n", "line 0\n\ntyped: \n\n");
    let mut letters = ('a'..='z').cycle();
    let mut attempts = 0;
    loop {
        let message = editor.program.next();
        // A letter for each event, wherever the engine is just then, and for every other edit, just before it comes.
        let is_edit = message["method"] == "workspace/applyEdit";
        attempts += usize::from(is_edit);
        if message["method"] == "session/event" || (is_edit && attempts % 2 == 1) {
            let longer = format!("{typed}{}", letters.next().unwrap());
            editor.type_over(&typed, &longer);
            typed = longer;
        }
        match message["method"].as_str() {
            Some("workspace/applyEdit") => editor.apply(&message),
            _ if message["params"]["event"]["type"] == "turn.completed" => break,
            _ => {}
        }
    }
    let changed = disk.replace("line", "changed");
    let want = changed.replace("changed 0\n\n", &format!("changed 0\n\n{typed}\n\n"));
    assert_eq!(editor.text, want);
    assert_eq!(editor.disk(), disk, "nobody saved");
    assert!(attempts >= 24, "each edit met a letter at least once: {attempts}");
}

#[test]
fn what_makes_no_sense_is_refused_and_says_what_to_do() {
    let place = Place::new(&[("a.txt", DISK)]);
    let mut editor = Editor::new(&place, &[], edits());
    editor.open(DISK, false);
    let path = editor.path.clone();
    let changes = json!([{"text": ""}]);
    for (name, method, params, want) in [
        (
            "a relative path",
            "document/open",
            json!({"path": "a.txt", "version": 1, "text": "", "dirty": false}),
            "-32602 `a.txt` is not an absolute path: send an absolute path",
        ),
        (
            "a version that does not rise",
            "document/change",
            json!({"path": path, "version": 1, "changes": changes, "dirty": true}),
            "-32041 the known version of PATH is 1: send `document/open` with the whole text",
        ),
        (
            "a file that is not open",
            "document/change",
            json!({"path": "/b", "version": 1, "changes": changes, "dirty": true}),
            "-32041 /b is not open: send `document/open` with the whole text",
        ),
        (
            "a version that was never told",
            "document/save",
            json!({"path": path, "version": 7}),
            "-32041 the known version of PATH is 1: send `document/open` with the whole text",
        ),
    ] {
        let error = editor.program.ask(method, params);
        let hint = error["data"]["hint"].as_str().unwrap();
        let told = format!("{} {}: {hint}", error["code"], error["message"].as_str().unwrap());
        assert_eq!(told.replace(path.to_str().unwrap(), "PATH"), want, "{name}");
    }
    let closed = editor.program.ask("document/close", json!({"path": path}));
    let again = editor.program.ask("document/close", json!({"path": path}));
    assert_eq!([closed, again], [json!({}), json!({})]);
}
