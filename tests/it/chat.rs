//! `pintle chat` in a terminal: what a person types, and what the screen shows.

use crate::support::person::Person;
use crate::support::program::{Framing, Place, Program};
use crate::support::shared::{Shared, create};
use pintle_testing::waiting::until;
use serde_json::{Value, json};

/// Starts a chat in a terminal that has colours.
fn chat(shared: &Shared, more: &[&str]) -> Person {
    let mut command = shared.command(&[&["chat"], more].concat());
    command.env("TERM", "xterm-256color");
    Person::at(command)
}

fn text(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

fn calls(name: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": name, "arguments": arguments}]})
}

/// A reply that takes until it is stopped.
fn endless() -> Value {
    json!({"blocks": [{"text": "Counting.\n\n"}], "hang": true})
}

/// Another client with the chat's session, which makes the session print.
fn beside(shared: &Shared) -> Program {
    let mut editor = Program::start(shared.command(&["attach"]), Framing::Lines);
    let protocol = json!({"name": "pintle", "versions": ["2.0"]});
    editor.ask("initialize", json!({"protocol": protocol, "client": {"name": "editor"}}));
    let listed = editor.ask("session/list", json!({}));
    let session = listed["sessions"][0]["sessionId"].clone();
    editor.ask("session/open", json!({"sessionId": session}));
    editor
}

#[test]
fn a_person_chats_allows_reviews_and_leaves() {
    let place = Place::new(&[("src/main.rs", "fn main() {}\n")]);
    let edit = json!({"path": "src/main.rs", "edits": [{"oldText": "{}", "newText": "{ run() }"}]});
    let shared = Shared::at(
        place,
        json!([
            {"blocks": [
                {"text": "# Plan\n\nI **edit** the file and make another one.\n\n- `one`\n"},
                {"tool": "bash", "arguments": {"command": "echo made > made.txt; cat made.txt"}},
            ]},
            calls("edit", edit),
            text("It is **made**."),
        ]),
    );
    let mut person = chat(&shared, &[]);
    let greeting = person.shows("· script/script · ask\n/help for commands and keys");
    assert!(greeting.starts_with("new session\n"), "{greeting}");
    // Completed by Tab.
    person.types("make it @src/ma\t");
    person.shows("> make it @src/main.rs\nscript/script · ask");
    person.types("\r");
    person.shows(
        "Plan\n\nI edit the file and make another one.\n\n- one\n\n? bash: echo made > made.txt; cat made.txt",
    );
    person.shows("  | echo made > made.txt; cat made.txt\n  y  Allow\n");
    person.shows("\n?\nwaiting for y/n/x · script/script · ask");
    person.types("y\r");
    person.shows("  | -fn main() {}\n  | +fn main() { run() }\n  y  Allow");
    // No other answer than the keys is taken, and the text comes back to be corrected.
    person.types("sure\r");
    person.shows("! answer the request above with y, t, s, p, u, n, x;");
    person.shows("\n? sure\nwaiting for");
    person.types("\u{15}y\r");
    let after = person.shows("It is made.\n");
    assert!(after.contains("-fn main() {}\n  +fn main() { run() }\n"), "{after}");
    assert_eq!(shared.place.read("src/main.rs"), "fn main() { run() }\n");
    assert_eq!(shared.place.read("made.txt"), "made\n");
    // Markup is coloured, not printed.
    let output = person.output();
    assert!(output.contains("\u{1b}[1mmade\u{1b}[0m"), "{output}");

    person.types("/review\r");
    person.shows(
        "made.txt\n  1  whole file\n     +made\nsrc/main.rs\n  2  line 1\n     -fn main() {}",
    );
    person.types("/undo 2\r");
    person.shows("* undid 1 change\n* changed src/main.rs\n");
    assert_eq!(shared.place.read("src/main.rs"), "fn main() {}\n");
    person.types("!cat made.txt\r");
    person.shows("> !cat made.txt\nmade\n");
    // The history has what was typed, but no answers.
    person.types("\u{1b}[A\u{1b}[A\u{1b}[A\u{1b}[A");
    person.shows("> make it @src/main.rs\nscript/script");
    person.types("\u{3}\u{4}");
    assert!(person.left().success());
    let history = shared.place.home().join("chat-history");
    let history = std::fs::read_to_string(history).unwrap();
    assert_eq!(history, "#V2\nmake it @src/main.rs\n/review\n/undo 2\n!cat made.txt\n");

    // The newest session of this directory, as it is now.
    let mut again = chat(&shared, &["last"]);
    again.shows("It is made.");
    again.types("\u{4}");
    assert!(again.left().success());
}

#[test]
fn an_answer_is_listed_and_taken_back() {
    let touch = |name: &str| calls("bash", json!({"command": format!("touch {name}")}));
    let replies = [touch("a"), touch("b"), text("Done."), touch("c"), text("Not done.")];
    let shared = Shared::at(Place::new(&[]), json!(replies));
    let mut person = chat(&shared, &[]);
    person.types("go\r");
    person.shows("  s  Allow `touch **` for this session");
    person.types("s\r");
    person.shows("Done.\n");
    assert!(shared.place.path("b").exists());
    person.types("/rules\r");
    person.shows("  1  allow `touch **`  for this session\n/forget N…");
    person.types("/forget 2\r");
    person.shows("! there is no rule 2 in the last list; run /rules again");
    person.types("\u{15}/forget 1\r");
    person.shows("removed allow `touch **`");
    person.shows("\n>\nscript/script");
    person.types("/forget 1\r");
    person.shows("! no rule from an answer has the id");
    person.shows("\n>\nscript/script");
    person.types("again\r");
    person.shows("? bash: touch c");
    person.types("n\r");
    person.shows("Not done.\n");
    assert!(!shared.place.path("c").exists());
    person.types("\u{4}");
    assert!(person.left().success());
}

#[test]
fn output_does_not_tear_the_line_that_is_being_typed() {
    let shared = Shared::new(json!([text("First."), text("Second.")]));
    let mut person = chat(&shared, &[]);
    person.shows("\n>\nscript/script · ask");
    person.types("漢字 half a lin");
    person.shows("> 漢字 half a lin\nscript/script · ask");
    let mut editor = beside(&shared);
    editor.prompt("hello\nthere");
    editor.until_event("turn.completed");
    let screen = person.shows("> 漢字 half a lin\nscript/script · ask");
    let screen = if screen.contains("First.") { screen } else { person.shows("First.") };
    assert!(screen.contains("[editor]\n> hello\n> there\nFirst.\n"), "{screen}");
    assert_eq!(screen.matches("漢字").count(), 1, "{screen}");
    person.types("e\r");
    person.shows("> 漢字 half a line\nSecond.\n");
    person.types("\u{4}");
    assert!(person.left().success());
}

#[test]
fn output_and_lists_of_candidates_do_not_block_each_other() {
    let files: Vec<String> = (0..120).map(|number| format!("src/f{number:03}.rs")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), "")).collect();
    let shared = Shared::at(Place::new(&files), json!([text("First."), text("Second.")]));
    let mut person = chat(&shared, &[]);
    person.shows("\n>\nscript/script · ask");
    let mut editor = beside(&shared);
    for reply in ["First.", "Second."] {
        // The session prints while the candidates are listed, or behind them.
        editor.request("turn/start", json!({"input": [{"type": "text", "text": "hello"}]}));
        person.types("@src/f\t\t");
        person.sees("src/f000.rs");
        editor.until_event("turn.completed");
        person.shows(reply);
        person.shows("> @src/f0\nscript/script · ask");
        person.types("\u{15}");
        person.shows("\n>\nscript/script · ask");
    }
    person.types("/quit\r");
    assert!(person.left().success());
}

#[test]
fn a_turn_is_steered_and_stopped_while_the_line_stays() {
    let shared = Shared::new(json!([endless(), text("Again.")]));
    let mut person = chat(&shared, &[]);
    person.types("count\r");
    person.shows("Counting.\n");
    person.shows("working · script/script");
    person.types("/queue then stop\r");
    person.shows("1 queued");
    person.types("half");
    person.shows("> half\nworking");
    // The text stays; what was queued comes back.
    person.types("\u{3}");
    let screen = person.shows("! interrupted");
    assert!(screen.contains("! not read by the model: then stop"), "{screen}");
    person.shows("> half\nscript/script");
    person.types(" more\r");
    person.shows("> half more\nAgain.\n");
    person.shows("\n>\nscript/script");
    // Ctrl-C clears a line; twice without one, it leaves.
    person.types("text\u{3}");
    person.shows("\n>\nscript/script");
    person.types("\u{3}");
    person.shows("! press Ctrl-C again, or Ctrl-D, to leave");
    person.types("\u{3}");
    assert!(person.left().success());
}

#[test]
fn a_password_is_typed_into_a_job_and_stays_out_of_the_history() {
    let asks = "read -s -p 'Password: ' p; echo; echo \"${#p} letters\"; sleep 1000";
    let started = calls("bash", json!({"command": asks, "tty": true}));
    let shared = Shared::new(json!([started, text("It asks for a password.")]));
    let mut person = chat(&shared, &[]);
    person.shows("script/script · ask");
    person.types("go\r");
    person.shows("  y  Allow");
    person.types("y\r");
    person.shows("It asks for a password.\n");
    person.types("/jobs\r");
    person.shows("  job-1  read -s -p 'Password: ' p;");
    person.shows("(terminal)\n/type JOB TEXT types into a terminal; /type JOB shows its screen.\n");
    person.types("/type 1\r");
    person.shows("  | Password:\n");
    person.types("/type 1 planted\r");
    person.shows("7 letters\n");
    person.types("/quit\r");
    assert!(person.left().success());
    assert!(!shared.place.home_contains("planted"));
}

#[test]
fn settings_and_lines_of_several_lines() {
    let shared = Shared::new(json!([text("Done.")]));
    let mut person = chat(&shared, &[]);
    person.shows("\n>\nscript/script · ask");
    person.types("/mode \t\t");
    person.shows("read-only");
    person.types("read\t\r");
    person.shows("script/script · read-only");
    person.types("/mode full\r");
    person.shows("! `full` allows more than `ask`");
    person.types("one\\\rtwo\u{1b}\rthree\r");
    person.shows("> one\\\ntwo\nthree\nDone.\n");
    person.types("/nothing\r");
    person.shows("! unknown command /nothing; /help lists the commands");
    person.types("\u{15}/quit\r");
    assert!(person.left().success());
    let session = json!({"text": "one\ntwo\nthree"});
    assert!(shared.place.home_contains(&session.to_string()[1..24]));
}

#[test]
fn lines_that_arrive_together_are_all_read() {
    let shared = Shared::new(json!([text("First."), text("Second.")]));
    let mut person = chat(&shared, &[]);
    person.shows("\n>\nscript/script · ask");
    person.types("/mode read-only\rone\r");
    person.shows("script/script · read-only");
    person.shows("First.\n");
    person.shows("\n>\nscript/script · read-only");
    person.types("two\r/quit\r");
    assert!(person.left().success());
    // The engine reads it after the chat has left.
    until(|| shared.place.home_contains("\"two\""));
}

#[test]
fn without_an_editor_lines_are_read_and_printed_as_they_come() {
    for (variable, value) in [("TERM", "dumb"), ("NO_COLOR", "1")] {
        let shared = Shared::new(json!([text("It is **done**, `now`.")]));
        let mut command = shared.command(&["chat"]);
        command.env("TERM", "xterm").env(variable, value);
        let mut person = Person::at(command);
        person.shows("/help for commands and keys");
        person.types("go\r");
        person.shows("It is done, `now`.\n");
        let output = person.output();
        assert!(!output.contains("\u{1b}[1m") && !output.contains("\u{1b}[2m"), "{output}");
        person.types("\u{4}");
        assert!(person.left().success());
    }
}

#[test]
fn a_conversation_without_messages_is_not_called_summarized() {
    let shared = Shared::new(json!([text("Hello."), text("A summary.")]));
    let mut person = chat(&shared, &[]);
    person.shows("/help for commands and keys");
    person.types("/compact\r");
    let refused = person.shows("! failed: there is nothing to summarize yet\n");
    assert!(!refused.contains("summarized"), "{refused}");
    person.types("hello\r");
    person.shows("Hello.\n");
    // The turn has ended.
    person.shows("\n>\nscript/script · ask · ");
    person.types("/compact\r");
    person.shows("* conversation summarized\n");
}

#[test]
fn the_terminal_is_given_back_when_the_engine_is_gone() {
    let shared = Shared::new(json!([]));
    let mut person = chat(&shared, &[]);
    person.shows("\n>\nscript/script · ask");
    person.types("typed");
    person.shows("> typed\nscript/script · ask");
    let engine = shared.engine().unwrap();
    nix::sys::signal::kill(engine, nix::sys::signal::Signal::SIGKILL).unwrap();
    person.shows("! the engine exited; attach again to continue");
    assert_eq!(person.left().code(), Some(1));
    std::fs::remove_file(shared.place.home().join("engine.json")).unwrap();
    // Pasted texts are not marked any more.
    assert!(person.output().contains("\u{1b}[?2004l"));
}

#[test]
fn a_session_is_started_with_its_own_model_beside_a_shared_engine() {
    let shared = Shared::new(json!([text("Hello.")]));
    let mut editor = shared.attach();
    create(&mut editor);
    // The engine runs without `--model`: the option is the session's.
    let mut person = chat(&shared, &["--model", "script/other"]);
    person.shows("· script/other · ask");
    person.types("/quit\r");
    assert!(person.left().success());
}
