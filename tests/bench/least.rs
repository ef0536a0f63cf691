//! The least engine: it keeps a conversation in memory, asks the provider over one connection, runs `read` and `bash`, and tells each delta.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "it stands for the least that any program has to do"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// Serves on stdin and stdout, with the provider at this address.
pub(crate) fn run(url: &str) {
    let host = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let mut engine = Engine { host, stream: None, messages: Vec::new() };
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let result = match message["method"].as_str().unwrap() {
            "session/create" => json!({"sessionId": "s"}),
            _ => json!({}),
        };
        tell(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
        if message["method"] == "turn/start" {
            engine
                .messages
                .push(json!({"role": "user", "content": message["params"]["input"][0]["text"]}));
            engine.turn();
        }
    }
}

fn tell(message: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}").unwrap();
    out.flush().unwrap();
}

fn event(event: &Value) {
    tell(
        &json!({"jsonrpc": "2.0", "method": "session/event", "params": {"sessionId": "s", "event": event}}),
    );
}

struct Engine {
    host: String,
    stream: Option<BufReader<TcpStream>>,
    messages: Vec<Value>,
}

impl Engine {
    fn turn(&mut self) {
        loop {
            let (text, call) = self.ask();
            let Some((id, name, arguments)) = call else {
                self.messages.push(json!({"role": "assistant", "content": text}));
                break;
            };
            let parsed: Value = serde_json::from_str(&arguments).unwrap();
            let function = json!({"name": name, "arguments": arguments});
            self.messages.push(json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": function}]}));
            let output = if name == "read" {
                let limit = usize::try_from(parsed["limit"].as_u64().unwrap()).unwrap();
                let text = std::fs::read_to_string(parsed["path"].as_str().unwrap()).unwrap();
                text.lines().take(limit).collect::<Vec<_>>().join("\n")
            } else {
                let out = Command::new("bash")
                    .arg("-c")
                    .arg(parsed["command"].as_str().unwrap())
                    .output()
                    .unwrap();
                String::from_utf8(out.stdout).unwrap()
            };
            event(&json!({"type": "item.completed", "output": output}));
            self.messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
        }
        event(&json!({"type": "turn.completed"}));
        event(&json!({"type": "session.state", "state": "idle"}));
    }

    /// Sends the conversation, and tells what comes. Returns the text, and the call where there is one.
    fn ask(&mut self) -> (String, Option<(String, String, String)>) {
        let body = json!({"model": "m", "stream": true, "messages": self.messages}).to_string();
        let mut stream = self.stream.take().unwrap_or_else(|| {
            let stream = TcpStream::connect(&self.host).unwrap();
            stream.set_nodelay(true).unwrap();
            BufReader::new(stream)
        });
        let (host, length) = (&self.host, body.len());
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.get_mut().write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut left = None;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            if let Some(value) = line.strip_prefix("content-length:") {
                left = Some(value.trim().parse::<u64>().unwrap());
            }
            if line == "\r\n" {
                break;
            }
        }
        let (mut text, mut call) = (String::new(), None);
        let mut lines = (&mut stream).take(left.unwrap_or(u64::MAX));
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap() == 0 {
                break;
            }
            let Some(data) = line.strip_prefix("data: ").filter(|data| !data.starts_with("[DONE]"))
            else {
                continue;
            };
            let chunk: Value = serde_json::from_str(data).unwrap();
            let delta = &chunk["choices"][0]["delta"];
            if let Some(piece) = delta["content"].as_str() {
                text.push_str(piece);
                event(&json!({"type": "item.delta", "text": piece}));
            }
            if let Some(made) = delta["tool_calls"].get(0) {
                let part = |value: &Value| value.as_str().unwrap().to_owned();
                call = Some((
                    part(&made["id"]),
                    part(&made["function"]["name"]),
                    part(&made["function"]["arguments"]),
                ));
            }
        }
        if left.is_some() {
            self.stream = Some(stream);
        }
        (text, call)
    }
}
