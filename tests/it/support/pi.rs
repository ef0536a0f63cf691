//! `pintle rpc`, spoken to as clients of Pi do.

use super::HANG;
use super::launch::{Engine, Launch, Running};
use super::program::Place;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

pub(crate) struct Pi {
    pub(crate) child: Running,
    stdin: Option<File>,
    lines: Receiver<Value>,
    pub(crate) seen: Vec<Value>,
    ids: u64,
}

impl Drop for Pi {
    fn drop(&mut self) {
        self.child.end();
    }
}

impl Pi {
    pub(crate) fn start(launch: impl Into<Launch>) -> Self {
        let (child, stdin, stdout) = launch.into().start();
        let (stdin, stdout) = (Some(stdin), BufReader::new(stdout));
        let (tx, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if tx.send(value).is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, lines, seen: Vec::new(), ids: 0 }
    }

    /// On a script of replies, where nothing asks for permission.
    pub(crate) fn on_script(place: &Place, script: &Value, more: &[&str]) -> Self {
        Self::start(engine(place, script, &[&["--permission", "full"], more].concat()))
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a command and returns its id.
    pub(crate) fn command(&mut self, mut fields: Value) -> String {
        self.ids += 1;
        let id = format!("c{}", self.ids);
        fields["id"] = json!(id);
        self.send(&fields);
        id
    }

    /// Sends a command and returns its answer.
    pub(crate) fn ask(&mut self, fields: Value) -> Value {
        let id = self.command(fields);
        self.until(|line| line["type"] == "response" && line["id"] == id)
    }

    /// Sends a command and returns the data of its answer, which must be a success.
    pub(crate) fn data(&mut self, fields: Value) -> Value {
        let mut answer = self.ask(fields);
        assert_eq!(answer["success"], true, "{answer}");
        answer["data"].take()
    }

    pub(crate) fn next(&mut self) -> Value {
        match self.lines.recv_timeout(HANG) {
            Ok(line) => {
                self.seen.push(line.clone());
                line
            }
            Err(RecvTimeoutError::Timeout) => panic!("nothing came; seen:\n{}", tell(&self.seen)),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the program ended; seen:\n{}", tell(&self.seen))
            }
        }
    }

    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.next();
            if is_wanted(&line) {
                return line;
            }
        }
    }

    pub(crate) fn until_type(&mut self, kind: &str) -> Value {
        self.until(|line| line["type"] == kind)
    }

    /// Says something and waits until the run is over.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.data(json!({"type": "prompt", "message": text}));
        self.until_type("agent_settled");
    }

    pub(crate) fn end_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Takes what is left to read.
    pub(crate) fn rest(&mut self) {
        loop {
            match self.lines.recv_timeout(HANG) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => panic!("no end; seen:\n{}", tell(&self.seen)),
            }
        }
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait()
    }
}

pub(crate) fn engine(place: &Place, script: &Value, more: &[&str]) -> Engine {
    let script = place.script(script);
    let mut engine = place.engine(&[&["rpc", "--script", &script], more].concat());
    engine.env("PI_CODING_AGENT_DIR", place.home().join("pi"));
    engine
}

/// A script of one reply.
pub(crate) fn hello() -> Value {
    json!({"replies": [{"blocks": [{"text": "hello there"}]}]})
}

/// A script whose replies are these words.
pub(crate) fn words(words: &[&str]) -> Value {
    let replies: Vec<Value> =
        words.iter().map(|word| json!({"blocks": [{"text": word}]})).collect();
    json!({ "replies": replies })
}

/// Who said the messages of an answer.
pub(crate) fn roles(messages: &Value) -> Vec<&str> {
    messages["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect()
}

/// Lines in short, neighbouring deltas joined.
pub(crate) fn tell(lines: &[Value]) -> String {
    let mut told = String::new();
    let mut delta = String::new();
    for line in lines {
        let event = &line["assistantMessageEvent"];
        if let (Some(kind), Some(piece)) = (event["type"].as_str(), event["delta"].as_str()) {
            if delta.is_empty() {
                told.extend([format!("  {kind} {}", event["contentIndex"])]);
            }
            delta.push_str(piece);
            continue;
        }
        if !delta.is_empty() {
            told.extend([format!(" {:?}\n", std::mem::take(&mut delta))]);
        }
        told.push_str(&short(line));
        told.push('\n');
    }
    told
}

fn short(line: &Value) -> String {
    let kind = line["type"].as_str().unwrap_or("?");
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    match kind {
        "response" => {
            let command = text("command");
            match line["success"].as_bool() {
                Some(true) if line.get("data").is_some() => format!("= {command} {}", line["data"]),
                Some(true) => format!("= {command}"),
                _ => format!("= {command} FAILED: {}", text("error")),
            }
        }
        "message_start" => format!("{kind} {}", message(&line["message"], false)),
        "message_end" => format!("{kind} {}", message(&line["message"], true)),
        "message_update" => {
            let event = &line["assistantMessageEvent"];
            let kind = event["type"].as_str().unwrap_or_default();
            let tool = event["toolName"].as_str().map(|name| format!(" {name}"));
            let call = event.get("toolCall").map(|call| format!(" {}", call["arguments"]));
            let (tool, call) = (tool.unwrap_or_default(), call.unwrap_or_default());
            format!("  {kind} {}{tool}{call}", event["contentIndex"])
        }
        "tool_execution_start" => format!("{kind} {} {}", text("toolName"), line["args"]),
        "tool_execution_update" => {
            format!("{kind} {} {}", text("toolName"), line["partialResult"]["content"][0]["text"])
        }
        "tool_execution_end" => {
            let (result, is_error) = (&line["result"]["content"][0]["text"], &line["isError"]);
            format!("{kind} {} {result} isError={is_error}", text("toolName"))
        }
        "turn_end" => format!(
            "{kind} {} results={}",
            line["message"]["stopReason"],
            line["toolResults"].as_array().unwrap().len()
        ),
        "agent_end" => format!(
            "{kind} messages={} willRetry={}",
            line["messages"].as_array().unwrap().len(),
            line["willRetry"]
        ),
        _ => {
            let mut rest = line.clone();
            let fields = rest.as_object_mut().unwrap();
            fields.shift_remove("type");
            fields.shift_remove("id");
            if fields.is_empty() { kind.to_owned() } else { format!("{kind} {rest}") }
        }
    }
}

fn message(message: &Value, is_whole: bool) -> String {
    let role = message["role"].as_str().unwrap_or_default();
    let mut told = role.to_owned();
    for block in message["content"].as_array().into_iter().flatten() {
        let text = match block["type"].as_str() {
            Some("text") => block["text"].to_string(),
            Some("thinking") => format!("thinking {}", block["thinking"]),
            Some("toolCall") => {
                format!("call {} {}", block["name"].as_str().unwrap(), block["arguments"])
            }
            _ => block.to_string(),
        };
        told.extend([format!(" {text}")]);
    }
    if let (Some(stop), true) = (message["stopReason"].as_str(), is_whole) {
        told.extend([format!(" ({stop})")]);
    }
    if let Some(error) = message["errorMessage"].as_str() {
        told.extend([format!(" {error}")]);
    }
    told
}
