//! Terminals of an editor that speaks the Agent Client Protocol: what the model runs is run there, by the engine's rules.

use crate::support::acp::{Client, bash, call, said, script};
use crate::support::program::{Place, is_running};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::process::{Child, Command};

/// An editor with terminals: it really runs what it is asked to.
#[derive(Default)]
struct Editor {
    running: BTreeMap<String, Child>,
    /// What waits for a command's end.
    waiting: BTreeMap<String, Value>,
    /// What it runs does not end by itself.
    sleeps: bool,
    /// It does not answer when it is to stop a command, nor after that.
    is_stuck: bool,
    /// It makes no terminal, and says this.
    refuses: Option<&'static str>,
    /// It keeps so much of an output, whatever it is asked to keep.
    keeps: Option<usize>,
    log: Vec<String>,
    /// The updates of calls.
    updates: Vec<Value>,
}

impl Editor {
    /// Answers until this holds of a message, which is returned.
    fn serve(
        &mut self,
        client: &mut Client,
        place: &Place,
        is_last: impl Fn(&Value) -> bool,
    ) -> Value {
        loop {
            let message = client.next();
            self.take(client, place, &message);
            if is_last(&message) {
                return message;
            }
        }
    }

    fn take(&mut self, client: &mut Client, place: &Place, message: &Value) {
        let params = &message["params"];
        let terminal = params["terminalId"].as_str().unwrap_or_default().to_owned();
        let Some(method) = message["method"].as_str() else { return };
        if let Some(what) = method.strip_prefix("terminal/") {
            assert_eq!(params["sessionId"], client.session);
            self.log.push(what.to_owned());
        }
        match method {
            "terminal/kill" | "terminal/output" if self.is_stuck => {}
            "session/request_permission" => client.choose(message, "allow"),
            "session/update" if params["update"]["toolCallId"].is_string() => {
                self.updates.push(params["update"].clone());
            }
            "terminal/create" => match self.refuses {
                Some(why) => client.refuse(message, why),
                None => self.create(client, place, message),
            },
            "terminal/wait_for_exit" => {
                self.waiting.insert(terminal.clone(), message.clone());
                if !self.sleeps {
                    self.end(client, &terminal);
                }
            }
            "terminal/output" => {
                let text = std::fs::read_to_string(place.path(&format!("../{terminal}"))).unwrap();
                let kept = self.keeps.unwrap_or(text.len()).min(text.len());
                let output = &text[text.len() - kept..];
                client.reply(
                    message,
                    json!({"output": output, "truncated": output.len() < text.len()}),
                );
            }
            "terminal/kill" => {
                self.running.get_mut(&terminal).unwrap().kill().unwrap();
                client.reply(message, json!({}));
                self.end(client, &terminal);
            }
            "terminal/release" => {
                assert!(self.running.contains_key(&terminal), "{terminal} is no terminal");
                client.reply(message, Value::Null);
            }
            _ => {}
        }
    }

    fn create(&mut self, client: &mut Client, place: &Place, message: &Value) {
        let params = &message["params"];
        let terminal = format!("term-{}", self.running.len() + 1);
        self.sleeps = params["args"].to_string().contains("sleep");
        let file = File::create(place.path(&format!("../{terminal}"))).unwrap();
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned()).collect()
        };
        let of = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
        let set = params["env"].as_array().unwrap().iter();
        let child = Command::new(params["command"].as_str().unwrap())
            .args(texts(&params["args"]))
            .current_dir(params["cwd"].as_str().unwrap())
            .env("EDITORS_API_KEY", "secret")
            .envs(set.map(|set| (of(set, "name"), of(set, "value"))))
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn()
            .unwrap();
        self.running.insert(terminal.clone(), child);
        client.reply(message, json!({"terminalId": terminal}));
    }

    fn end(&mut self, client: &mut Client, terminal: &str) {
        let status = self.running.get_mut(terminal).unwrap().wait().unwrap();
        let Some(request) = self.waiting.remove(terminal) else { return };
        let end = match status.code() {
            Some(code) => json!({"exitCode": code}),
            None => json!({"exitCode": null, "signal": "SIGKILL"}),
        };
        client.reply(&request, end);
    }

    /// What the model got in the end.
    fn result(&self) -> &str {
        let ended = self.updates.iter().rev().find(|update| update["rawOutput"].is_object());
        ended.unwrap()["rawOutput"]["output"].as_str().unwrap()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        for child in self.running.values_mut() {
            // Most have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn terminals() -> Value {
    json!({"terminal": true})
}

/// A turn in which the model runs something, to its end.
fn open(place: &Place, replies: &Value) -> Client {
    let mut client = Client::start_with(place, replies, terminals(), &["--sandbox", "off"]);
    client.new_session(place);
    client
}

fn run(place: &Place, editor: &mut Editor, offers: Value, reply: Value, more: &[&str]) -> Client {
    let replies = script(&[reply, said("done")]);
    let script = place.script(&replies);
    // A confined command never leaves the engine for a terminal.
    let mut args = vec!["acp", "--sandbox", "off", "--script", &script];
    args.extend(more);
    let mut command = place.engine(&args);
    command.env("EDITORS_API_KEY", "secret");
    let mut client = Client::over(command, offers);
    client.new_session(place);
    let prompt = client.prompt("go");
    let answer = editor.serve(&mut client, place, |message| {
        message["id"] == prompt && message.get("method").is_none()
    });
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    client
}

#[test]
fn what_the_model_runs_is_run_there() {
    let whole: &[&str] = &["create", "wait_for_exit", "output", "release"];
    let rows: Vec<(&str, Value, &[&str], &str)> = vec![
        ("it ends well", bash("echo one; echo two >&2"), whole, "one\ntwo\n"),
        ("it fails", bash("echo one; exit 3"), whole, "one\n\nCommand exited with code 3"),
        (
            "it is killed",
            bash("kill -9 $$"),
            whole,
            "(no output)\n\nCommand was killed by signal SIGKILL",
        ),
        (
            "secrets of ours stay here",
            bash("echo \"[$EDITORS_API_KEY] $PAGER\""),
            whole,
            "[] cat\n",
        ),
        ("nobody is waited for", bash("read line; echo over"), whole, "over\n"),
        ("colours are left out", bash("printf '\\033[31mred\\033[0m\\r\\n'"), whole, "red\n"),
        (
            "one that takes too long is stopped, with all that it started",
            call("bash", json!({"command": "sleep 4712 & wait", "timeout": 0.3})),
            &["create", "wait_for_exit", "kill", "output", "release"],
            "(no output)\n\nCommand timed out after 0.3 seconds",
        ),
    ];
    for (name, reply, want, text) in rows {
        let place = Place::new(&[]);
        let mut editor = Editor::default();
        let client = run(&place, &mut editor, terminals(), reply, &[]);
        assert!(editor.result().starts_with(text), "{name}: {}", editor.result());
        drop(client);
        assert_eq!(editor.log, want, "{name}");
        let drawn = json!([{"type": "terminal", "terminalId": "term-1"}]);
        let with = editor.updates.iter().filter(|update| update["content"] == drawn);
        assert_eq!(with.count(), 2, "{name}: while it runs and when it has ended");
        assert!(!is_running("sleep 4712"), "{name}");
    }
}

#[test]
fn what_comes_of_it_is_told_also_where_the_editor_fails() {
    let all: &[&str] = &["create", "wait_for_exit", "output", "release"];
    let rows: Vec<(&str, (Option<&'static str>, Option<usize>), &[&str], &str)> = vec![
        (
            "it makes no terminal",
            (Some("not today"), None),
            &["create"],
            "The editor did not run the command: not today",
        ),
        (
            "it keeps the end of the output only",
            (None, Some(4)),
            all,
            "[the editor discarded the beginning of the output]\ntwo\n",
        ),
    ];
    for (name, (refuses, keeps), want, text) in rows {
        let place = Place::new(&[]);
        let mut editor = Editor::default();
        (editor.refuses, editor.keeps) = (refuses, keeps);
        drop(run(&place, &mut editor, terminals(), bash("echo one; echo two"), &[]));
        assert_eq!(editor.result(), text, "{name}");
        assert_eq!(editor.log, want, "{name}");
    }
}

#[test]
fn commands_stay_here_where_that_is_better() {
    let drawn = json!({"terminal": true, "_meta": {"terminal_output": true}});
    let rows: Vec<(&str, Value, Value, &[&str])> = vec![
        ("the client draws our output", drawn, bash("echo one"), &[]),
        ("it has no terminals", json!({}), bash("echo one"), &[]),
        ("it is not wanted", terminals(), bash("echo one"), &["--no-client-terminals"]),
        (
            "in the background",
            terminals(),
            call("bash", json!({"command": "echo one", "background": true})),
            &[],
        ),
    ];
    for (name, offers, reply, more) in rows {
        let place = Place::new(&[]);
        let mut editor = Editor::default();
        drop(run(&place, &mut editor, offers, reply, more));
        assert!(editor.log.is_empty(), "{name}: {:?}", editor.log);
    }
}

#[test]
fn what_a_command_changed_there_can_be_reviewed() {
    let place = Place::new(&[("a.txt", "old\n")]);
    let mut editor = Editor::default();
    let mut client = run(&place, &mut editor, terminals(), bash("echo new > a.txt"), &[]);
    let review = client.ask("_pintle/review/list", json!({}));
    assert_eq!(review["hunks"][0]["path"], place.path("a.txt").to_str().unwrap(), "{review}");
}

#[test]
fn a_turn_that_is_stopped_stops_the_command() {
    for (name, is_stuck, sleep) in
        [("the editor helps", false, "sleep 4713"), ("it is stuck", true, "sleep 4715")]
    {
        let place = Place::new(&[]);
        let mut editor = Editor::default();
        editor.is_stuck = is_stuck;
        let replies = script(&[bash(&format!("{sleep} & wait"))]);
        let mut client = open(&place, &replies);
        let prompt = client.prompt("go");
        editor.serve(&mut client, &place, |message| message["method"] == "terminal/wait_for_exit");
        client.cancel();
        let answer = editor.serve(&mut client, &place, |message| {
            message["id"] == prompt && message.get("method").is_none()
        });
        assert_eq!(answer["result"]["stopReason"], "cancelled", "{name}");
        assert_eq!(editor.log, ["create", "wait_for_exit", "kill", "output", "release"], "{name}");
        assert!(!is_running(sleep), "{name}");
    }
}

#[test]
fn nothing_runs_on_when_the_editor_is_gone() {
    let place = Place::new(&[]);
    let mut editor = Editor::default();
    let replies = script(&[bash("sleep 4714 & wait"), said("done")]);
    let mut client = open(&place, &replies);
    client.prompt("go");
    editor.serve(&mut client, &place, |message| message["method"] == "terminal/wait_for_exit");
    client.program.end_input();
    client.program.wait();
    until(|| !is_running("sleep 4714"));
}
