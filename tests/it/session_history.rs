//! What is done in a stored session's history from the command line, through the real program: ways, going back, forks, labels, review.

use crate::support::program::{Framing, Place, Program};
use expect_test::expect;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::Stdio;

pub(crate) fn pintle(place: &Place, args: &[&str]) -> (i32, String, String) {
    let out = place.command(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

pub(crate) fn sessions(place: &Place, args: &[&str]) -> (i32, String, String) {
    pintle(place, &[&["sessions"], args].concat())
}

pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

/// Runs a task with these replies, in a session if one is named; returns its id.
pub(crate) fn ran(place: &Place, task: &str, session: Option<&str>, replies: Value) -> String {
    let script = place.script(&json!({"replies": replies}));
    let mut args =
        vec!["run", task, "--permission", "full", "--format", "json", "--script", &script];
    args.extend(session.iter().flat_map(|id| ["--session", id]));
    let (code, out, err) = pintle(place, &args);
    assert_eq!(code, 0, "{out}{err}");
    serde_json::from_str::<Value>(&out).unwrap()["sessionId"].as_str().unwrap().to_owned()
}

pub(crate) fn edit(old: &str, new: &str) -> Value {
    call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
}

pub(crate) fn say(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

#[test]
fn last_is_the_newest_session_of_the_folder() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = ran(&place, "Edit a", None, json!([edit("one", "won"), say("edited")]));
    let (code, out, err) = pintle(&place, &["policy", "replay", "last"]);
    assert!(code == 0 && out.contains("edit: a.txt"), "{out}{err}");
    let (code, out, err) = pintle(&place, &["policy", "replay", &id[..13]]);
    assert!(code == 0 && out.contains("edit: a.txt"), "{out}{err}");
    let (_, out, _) = sessions(&place, &["archive", "last"]);
    assert!(out.contains(&id), "{out}");
    for args in [&["policy", "replay", "last"], &["sessions", "show", "last"][..]] {
        let (code, out, err) = pintle(&place, args);
        assert!(code == 2 && err.contains("are archived"), "{args:?}: {out}{err}");
    }
}

/// A session of two turns: `a.txt` edited, then `b.txt` made.
pub(crate) fn made(place: &Place) -> String {
    let id = ran(place, "Edit a", None, json!([edit("one", "won"), say("edited")]));
    let write = call("write", json!({"path": "b.txt", "content": "new\n"}));
    ran(place, "Then make b", Some(&id), json!([write, say("made")]));
    id
}

/// What was typed and said, with the session as ID, a fork as FORK and the folder as DIR.
pub(crate) struct Terminal<'a> {
    pub(crate) place: &'a Place,
    pub(crate) id: &'a str,
    pub(crate) text: String,
}

impl Terminal<'_> {
    pub(crate) fn types(&mut self, args: &str) {
        let words: Vec<String> =
            args.split(' ').map(|word| word.replace("ID", &self.id[..13])).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, out, err) = sessions(self.place, &words);
        let root = self.place.project();
        let said = format!("{out}{err}").replace(self.id, "ID");
        let said = said.replace(root.to_str().unwrap(), "DIR");
        let said = said.replace(root.parent().unwrap().to_str().unwrap(), "OUTSIDE");
        let code = if code == 0 { String::new() } else { format!("({code})\n") };
        self.text.push_str(&["$ ", args, "\n", &said, &code].concat());
    }
}

#[test]
fn a_session_goes_back_and_forward_and_its_ways_are_shown() {
    let place = Place::new(&[("a.txt", "one\n"), ("mine.txt", "mine\n")]);
    let id = made(&place);
    let mut terminal = Terminal { place: &place, id: &id, text: String::new() };
    let journal = place.journal();
    let before = fs::read(&journal).unwrap();
    terminal.types("tree ID");
    assert!(fs::read(&journal).unwrap() == before, "a look at the tree writes nothing");
    terminal.types("label ID --to 29 both_done");
    terminal.types("rewind ID --to=#2 --scope both --dry-run");
    terminal.types("rewind ID --to=#2 --scope both");
    assert_eq!(place.read("b.txt"), "new\n", "shown, and not done");
    terminal.types("rewind ID --to=#2 --scope both --yes");
    assert!(!place.path("b.txt").exists());
    ran(&place, "Another way\u{1b}[31m", Some(&id), json!([say("other")]));
    terminal.types("tree ID");
    terminal.types("rewind ID --to both_done --yes");
    assert!(!place.path("b.txt").exists(), "only the conversation went");
    terminal.types("tree ID");
    expect![[r"
        $ tree ID
        *  0  start
        *  5  #1 Edit a
        * 15    end of the turn
        * 19  #2 Then make b  <- here
        * 29    end of the turn
        $ label ID --to 29 both_done
        labeled event 29: both_done
        $ rewind ID --to=#2 --scope both --dry-run
        from event 32 to event 17
        the model forgets 3 items
        changed only by the agent:
          remove   DIR/b.txt
        $ rewind ID --to=#2 --scope both
        from event 33 to event 17
        the model forgets 3 items
        changed only by the agent:
          remove   DIR/b.txt
        pintle: nothing changed: cannot ask for confirmation; pass --yes
        (2)
        $ rewind ID --to=#2 --scope both --yes
        from event 34 to event 17
        the model forgets 3 items
        changed only by the agent:
          remove   DIR/b.txt
        rewound to event 17
        the prompt after this point, to send again:
        > Then make b
        to undo: pintle sessions rewind ID --to 34 --scope both
        $ tree ID
        *  0  start
        *  5  #1 Edit a
        * 15    end of the turn
          ├─ 19  #2 Then make b
          │  29  end of the turn  [both_done]
        * └─ 40  #3 Another way␛[31m  <- here
        *    44    end of the turn
        $ rewind ID --to both_done --yes
        from event 45 to event 29
        the model forgets 2 items
        the model recalls 3 items
        rewound to event 29
        to undo: pintle sessions rewind ID --to 45 --scope conversation
        $ tree ID
        *  0  start
        *  5  #1 Edit a
        * 15    end of the turn
        * ├─ 19  #2 Then make b
        * │  29  end of the turn  [both_done]  <- here
          └─ 40  #3 Another way␛[31m
             44    end of the turn
    "]]
    .assert_eq(&terminal.text);
}

#[test]
fn what_a_person_wrote_is_left_unless_it_is_named() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = made(&place);
    fs::write(place.path("a.txt"), "won\nby hand\n").unwrap();
    fs::write(place.path("b.txt"), "by hand\n").unwrap();
    let mut terminal = Terminal { place: &place, id: &id, text: String::new() };
    terminal.types("rewind ID --to=#1 --scope files --overwrite c.txt --yes");
    terminal.types("rewind ID --to=#1 --scope files --yes");
    terminal.types("rewind ID --to=#1 --scope files --overwrite a.txt b.txt --yes");
    expect![[r"
        $ rewind ID --to=#1 --scope files --overwrite c.txt --yes
        pintle: invalid --overwrite DIR/c.txt: not one of the files to restore
          use --dry-run with --scope files or both to list them
        (2)
        $ rewind ID --to=#1 --scope files --yes
        from event 31 to event 2
        conflict, changed by both, kept unless listed after --overwrite:
          keep     DIR/a.txt
          keep     DIR/b.txt
        pintle: nothing to change
        (1)
        $ rewind ID --to=#1 --scope files --overwrite a.txt b.txt --yes
        from event 32 to event 2
        conflict, changed by both, kept unless listed after --overwrite:
          restore  DIR/a.txt
          remove   DIR/b.txt
        restored the files to event 2, except those kept
        to undo: pintle sessions rewind ID --to 32 --scope files
    "]]
    .assert_eq(&terminal.text);
    assert_eq!(place.read("a.txt"), "one\n");
    assert!(!place.path("b.txt").exists());
}

#[test]
fn hunks_are_listed_kept_undone_and_taken_back() {
    let place = Place::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let elsewhere = place.home().with_file_name("away.txt");
    let outside = call("write", json!({"path": elsewhere, "content": "away\n"}));
    let id = ran(
        &place,
        "Edit",
        None,
        json!([edit("one", "won"), edit("three", "3"), outside, say("done")]),
    );
    let mut terminal = Terminal { place: &place, id: &id, text: String::new() };
    terminal.types("review ID");
    terminal.types("keep ID --hunk 10.1");
    terminal.types("patch ID --open");
    terminal.types("undo ID --file a.txt");
    assert_eq!(place.read("a.txt"), "won\ntwo\nthree\n");
    terminal.types("revert ID 33");
    assert_eq!(place.read("a.txt"), "won\ntwo\n3\n");
    terminal.types("undo ID --hunk 16.1");
    terminal.types("patch ID");
    expect![[r"
        $ review ID
        22.1  OUTSIDE/away.txt (whole file)
        +away

        10.1  a.txt:1
        -one
        +won

        16.1  a.txt:3
        -three
        +3
        $ keep ID --hunk 10.1
        kept  10.1  a.txt
        to revert: pintle sessions revert ID 30
        $ patch ID --open
        diff --git a/a.txt b/a.txt
        index 0af5ed032af52775fd5e1d5700e34a179edce8ab..e480a688e080715ad6fb1d917503c50d2c09fa36 100644
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
         won
         two
        -three
        +3
        pintle: not in the patch, since outside the session's directory: OUTSIDE/away.txt
        $ undo ID --file a.txt
        undone  16.1  a.txt
        to revert: pintle sessions revert ID 33
        $ revert ID 33
        reopened  16.1  a.txt
        to revert: pintle sessions revert ID 36
        $ undo ID --hunk 16.1
        undone  16.1  a.txt
        to revert: pintle sessions revert ID 39
        $ patch ID
        diff --git a/a.txt b/a.txt
        index 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402..0af5ed032af52775fd5e1d5700e34a179edce8ab 100644
        --- a/a.txt
        +++ b/a.txt
        @@ -1,3 +1,3 @@
        -one
        +won
         two
         three
        pintle: not in the patch, since outside the session's directory: OUTSIDE/away.txt
    "]].assert_eq(&terminal.text);
}

#[test]
fn lines_that_a_person_wrote_into_a_hunk_are_a_conflict() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = ran(&place, "Edit", None, json!([edit("one\n", "won\nand more\n"), say("done")]));
    fs::write(place.path("a.txt"), "won\nby hand\nand more\n").unwrap();
    let mut terminal = Terminal { place: &place, id: &id, text: String::new() };
    terminal.types("undo ID --all");
    assert_eq!(place.read("a.txt"), "won\nby hand\nand more\n");
    terminal.types("undo ID --all --discard-edits");
    assert_eq!(place.read("a.txt"), "one\n");
    terminal.types("review ID");
    terminal.types("patch ID");
    expect![[r"
        $ undo ID --all
        pintle: conflict, kept: 10.1  a.txt
        <<<<<<< present
        won
        by hand
        and more
        ||||||| agent
        won
        and more
        =======
        one
        >>>>>>> before
        (1)
        $ undo ID --all --discard-edits
        undone  10.1  a.txt
        to revert: pintle sessions revert ID 20
        $ review ID
        pintle: no open hunks
        (1)
        $ patch ID
        pintle: the patch is empty: no changes by the agent remain in the session's directory
        (1)
    "]]
    .assert_eq(&terminal.text);
}

#[test]
fn a_patch_applies_where_the_changes_are_not() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = made(&place);
    let (code, patch, err) = sessions(&place, &["patch", &id]);
    assert_eq!((code, err.as_str()), (0, ""));
    let fresh = Place::new(&[("a.txt", "one\n"), ("p.patch", &patch)]);
    let mut git = std::process::Command::new("git");
    let out = git.args(["apply", "p.patch"]).current_dir(fresh.project()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!((fresh.read("a.txt"), fresh.read("b.txt")), ("won\n".into(), "new\n".into()));
}

#[test]
fn bad_input_is_told_what_to_do_and_changes_nothing() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let id = made(&place);
    for to in ["15", "29"] {
        assert_eq!(sessions(&place, &["label", &id, "--to", to, "twice"]).0, 0);
    }
    let (_, before, _) = sessions(&place, &["tree", &id]);
    for (args, code, said) in [
        (&["tree", "nobody"][..], 2, "`pintle sessions list` lists"),
        (&["rewind", &id], 2, "--to <SEQ|LABEL|#N>"),
        (&["rewind", &id, "--to=#9", "--yes"], 2, "no prompt #9: the session has 2"),
        (&["rewind", &id, "--to=#0"], 2, "expected a prompt number"),
        (&["rewind", &id, "--to", "nowhere", "--yes"], 2, "unknown label `nowhere`"),
        (&["rewind", &id, "--to", "twice", "--yes"], 2, "use one of their numbers: 15, 29"),
        (
            &["rewind", &id, "--to", "99999", "--yes"],
            2,
            "event 99999 does not exist; the last one is",
        ),
        (&["rewind", &id, "--to", "99999", "--yes"], 2, "`pintle sessions tree"),
        (&["rewind", &id, "--to", "1", "--scope", "all"], 2, "conversation, files, both"),
        (&["fork", &id, "--to=#9"], 2, "no prompt #9"),
        (&["fork", &id, "--to", "99999"], 2, "event 99999 does not exist"),
        (&["label", &id, "--to", "3"], 2, "<NAME|--remove>"),
        (&["label", &id, "--to", "3", "12"], 2, "use a name with a letter"),
        (&["label", &id, "--to", "3", &"x".repeat(201)], 2, "use at most 200"),
        (&["keep", &id], 2, "--file <PATH>|--hunk <HUNK>|--all"),
        (&["keep", &id, "--all", "--hunk", "1.1"], 2, "cannot be used with"),
        (&["undo", &id, "--hunk", "1.1"], 2, "hunk 1.1 does not exist"),
        (&["undo", &id, "--hunk", "1.1"], 2, "`pintle sessions review"),
        (&["undo", &id, "--file", "other.txt"], 2, "specify a file that has hunks"),
        (&["revert", &id, "3"], 2, "event 3 is not a decision"),
        (&["tree", &id, "--wrap", ""], 2, "--wrap"),
    ] {
        let (got, out, err) = sessions(&place, args);
        assert!(got == code && out.is_empty() && err.contains(said), "{args:?}: {got} {out}{err}");
    }
    assert_eq!(sessions(&place, &["tree", &id]).1, before);
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("won\n".into(), "new\n".into()));
    let empty = Place::new(&[]);
    let id = ran(&empty, "Nothing", None, json!([say("done")]));
    for (args, said) in [
        (&["review", &id[..]][..], "no open hunks"),
        (&["patch", &id], "no changes by the agent remain"),
        (&["rewind", &id, "--to", "9", "--yes"], "nothing to change"),
    ] {
        let (code, _, err) = sessions(&empty, args);
        assert!(code == 1 && err.contains(said), "{args:?}: {code} {err}");
    }
}

#[test]
fn a_session_that_is_open_elsewhere_is_told_with_its_holder_and_can_be_read_and_forked() {
    let place = Place::new(&[]).with_processes();
    let mut program = Program::on_script(&place, &json!({"replies": []}), Framing::Lines);
    let (_, out, _) = sessions(&place, &["list", "--json"]);
    let id = serde_json::from_str::<Value>(out.trim()).unwrap()["sessionId"].clone();
    let id = id.as_str().unwrap();
    let holder = program.child.id().to_string();
    for args in [
        &["rewind", id, "--to", "0", "--yes"][..],
        &["label", id, "--to", "1", "x"],
        &["patch", id],
        &["review", id],
        &["keep", id, "--all"],
        &["undo", id, "--all"],
        &["revert", id, "1"],
    ] {
        let (code, _, err) = sessions(&place, args);
        let is_told = err.contains("is open in another process") && err.contains(&holder);
        assert!(code == 2 && is_told && err.contains("close it there first"), "{args:?}: {err}");
    }
    assert_eq!(
        sessions(&place, &["tree", id]),
        (0, "* 0  start  <- here\n".to_owned(), String::new())
    );
    let (code, out, err) = sessions(&place, &["fork", id]);
    assert!(code == 0 && !out.contains(id), "{err}");
    // Lists distinguish the two.
    let (_, listed, _) = sessions(&place, &["list", "--json"]);
    let listed = listed.lines().map(|line| serde_json::from_str(line).unwrap());
    let from: Vec<Value> = listed.map(|row: Value| row["forkedFrom"].clone()).collect();
    assert_eq!(from, [json!(id), Value::Null]);
    program.end_input();
    program.wait();
}

#[test]
fn at_a_terminal_it_is_asked_before_anything_is_changed() {
    for (answer, code, is_done) in [("y\n", 0, true), ("\n", 1, false), ("no\n", 1, false)] {
        let place = Place::new(&[("a.txt", "one\n")]);
        let id = made(&place);
        let terminal = nix::pty::openpty(None, None).unwrap();
        let mut master = fs::File::from(terminal.master);
        let args = ["sessions", "rewind", &id, "--to=#2", "--scope", "both"];
        let mut command = place.command(&args);
        command.stdin(Stdio::from(terminal.slave)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        // What is typed early waits in the terminal.
        master.write_all(answer.as_bytes()).unwrap();
        let out = child.wait_with_output().unwrap();
        let err = String::from_utf8(out.stderr).unwrap();
        assert!(err.contains("Rewind? [y/N]"), "{err}");
        assert_eq!(err.contains("Nothing changed."), !is_done, "{err}");
        assert_eq!((out.status.code(), place.path("b.txt").exists()), (Some(code), !is_done));
    }
}
