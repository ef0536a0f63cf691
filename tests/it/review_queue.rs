//! Decisions that change files while a turn runs: they wait for a gap between two calls, and are carried out, refused or withdrawn, once.

use crate::support::program::{Framing, Place, Program};
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;

const BEFORE: &str = "one\ntwo\nthree\nfour\n";

/// A turn that stands still in a command, after it changed a file.
struct Halted {
    program: Program,
    place: Place,
    script: String,
    session: Value,
}

impl Drop for Halted {
    /// What a killed engine has left behind ends as well.
    fn drop(&mut self) {
        let without_waiting = nix::fcntl::OFlag::O_NONBLOCK.bits();
        let gate = self.place.path("../gate");
        let _ = OpenOptions::new().write(true).custom_flags(without_waiting).open(gate);
    }
}

impl Halted {
    /// Behind the gate the command does something.
    fn new(behind: &str) -> Self {
        Self::at(Place::new(&[("a.txt", BEFORE)]), behind)
    }

    fn at(place: Place, behind: &str) -> Self {
        nix::unistd::mkfifo(&place.path("../gate"), Mode::S_IRWXU).unwrap();
        let call = |tool: &str, arguments: Value| json!({"blocks": [{"tool": tool, "arguments": arguments}]});
        let script = place.script(&json!({"replies": [
            call("edit", json!({"path": "a.txt", "oldText": "two", "newText": "TWO"})),
            call("bash", json!({"command": format!("cat ../gate; {behind}")})),
            call("read", json!({"path": "a.txt"})),
            {"blocks": [{"text": "done"}]},
        ]}));
        let args = ["serve", "--permission", "full", "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        let session = program.ask("session/create", json!({}))["sessionId"].clone();
        program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
        program.until(|message| {
            let item = &message["params"]["event"]["item"];
            item["toolName"] == "bash" && item["status"] == "running"
        });
        Self { program, place, script, session }
    }

    fn hunk(&mut self) -> Value {
        let listed = self.program.ask("review/list", json!({}));
        listed["hunks"][0].clone()
    }

    fn decide(&mut self, action: Value) -> Value {
        self.program.ask("review/decide", json!({"action": action}))
    }

    fn undo(&mut self) -> Value {
        let hunk = self.hunk()["id"].clone();
        self.decide(json!({"type": "undo", "target": {"type": "hunk", "hunk": hunk}}))
    }

    /// Lets the command go on; returns the types of the events about the review, and what the model read then.
    fn go_on(&mut self) -> (Vec<String>, String) {
        std::fs::write(self.place.path("../gate"), "").unwrap();
        self.program.until_event("turn.completed");
        (self.told(), self.read())
    }

    fn told(&self) -> Vec<String> {
        let events = self.program.seen.iter().map(|message| &message["params"]["event"]);
        let told = events.filter_map(|event| {
            let waiting = event["waiting"].as_array().map(Vec::len);
            Some(match event["type"].as_str()? {
                "review.queued" => match event["refused"]["reason"].as_str() {
                    Some(reason) => format!("refused: {reason}"),
                    None => format!("{} wait", waiting?),
                },
                "review.decided" => format!("decided, waited {}", event["waited"].is_u64()),
                _ => return None,
            })
        });
        told.collect()
    }

    fn read(&self) -> String {
        let mut events = self.program.seen.iter().map(|message| &message["params"]["event"]);
        let read = events
            .find(|event| event["type"] == "item.completed" && event["item"]["toolName"] == "read");
        let text = read.map(|event| event["item"]["output"]["content"][0]["text"].to_string());
        text.unwrap_or_default()
    }
}

#[test]
fn an_undo_waits_for_the_next_gap_and_the_model_sees_it_then() {
    let mut halted = Halted::new("true");
    let answer = halted.undo();
    assert_eq!(answer["queued"], true, "{answer}");
    assert_eq!(halted.hunk()["waiting"], answer["seq"]);
    assert_eq!(
        halted.place.read("a.txt"),
        BEFORE.replace("two", "TWO"),
        "the call is not disturbed"
    );
    let (told, read) = halted.go_on();
    assert_eq!(told, ["1 wait", "decided, waited true"]);
    assert!(read.contains("two"), "{read}");
    assert_eq!(halted.place.read("a.txt"), BEFORE);
    assert_eq!(halted.hunk(), Value::Null);
}

#[test]
fn one_that_is_withdrawn_is_not_carried_out() {
    let mut halted = Halted::new("true");
    let answer = halted.undo();
    let withdrawn = halted.decide(json!({"type": "revert", "decision": answer["seq"]}));
    assert!(withdrawn["seq"].is_u64(), "{withdrawn}");
    let (told, read) = halted.go_on();
    assert_eq!(told, ["1 wait", "refused: it was withdrawn"]);
    assert!(read.contains("TWO"), "{read}");
    assert_eq!(halted.hunk()["state"], "pending");
}

#[test]
fn one_about_lines_that_the_running_call_changes_is_refused() {
    let mut halted = Halted::new("sed -i s/TWO/other/ a.txt");
    let hunk = halted.hunk();
    let target = json!({"type": "hunk", "hunk": hunk["id"], "changedSeq": hunk["changedSeq"]});
    let answer = halted.decide(json!({"type": "undo", "target": target}));
    assert_eq!(answer["queued"], true, "{answer}");
    let (told, read) = halted.go_on();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].starts_with("refused: "), "{told:?}");
    assert!(read.contains("other"), "{read}");
}

#[test]
fn what_a_person_writes_meanwhile_stays() {
    let mut halted = Halted::new("true");
    halted.undo();
    let by_hand = BEFORE.replace("two", "TWO").replace("four", "four by hand");
    std::fs::write(halted.place.path("a.txt"), by_hand).unwrap();
    halted.go_on();
    assert_eq!(halted.place.read("a.txt"), BEFORE.replace("four", "four by hand"));
}

#[test]
fn one_that_waits_is_carried_out_when_the_turn_is_stopped() {
    let mut halted = Halted::new("true");
    halted.undo();
    halted.program.ask("turn/interrupt", json!({}));
    halted.program.until_event("review.decided");
    assert_eq!(halted.place.read("a.txt"), BEFORE);
}

#[test]
fn one_that_waits_when_the_engine_is_killed_is_carried_out_when_the_session_is_opened() {
    let place = Place::new(&[("a.txt", BEFORE)]).with_processes();
    let mut halted = Halted::at(place, "true");
    halted.undo();
    halted.program.signal(Signal::SIGKILL);
    halted.program.wait();
    let script = halted.script.clone();
    let args = ["serve", "--permission", "full", "--script", &script];
    for wait in [1, 0] {
        halted.program = Program::start(halted.place.engine(&args), Framing::Lines);
        halted.program.initialize();
        halted.program.ask("session/open", json!({"sessionId": halted.session}));
        assert_eq!(halted.hunk(), Value::Null);
        assert_eq!(halted.place.read("a.txt"), BEFORE);
        let events = halted.program.ask("session/events", json!({"after": 0}));
        let waited = events["events"].as_array().unwrap().iter();
        let waited = waited.filter(|event| event["event"]["waited"].is_u64()).count();
        assert_eq!(waited, 1, "once, not {wait} times more");
        halted.program.signal(Signal::SIGKILL);
        halted.program.wait();
    }
}
