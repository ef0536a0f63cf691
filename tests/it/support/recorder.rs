//! A client for the native protocol that records messages in both directions.

use super::program::Program;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A message's receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    Client,
    Engine,
}

impl To {
    /// The name used in transcripts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Engine => "engine",
        }
    }
}

/// Returns the result for a request from the engine, or `None` if the test answers it.
pub(crate) type Answers = fn(&mut Recorder, &Value) -> Option<Value>;

pub(crate) struct Recorder {
    pub(crate) program: Program,
    pub(crate) said: Vec<(To, Value)>,
    pub(crate) answers: Answers,
    ids: u64,
}

impl Recorder {
    pub(crate) fn new(program: Program, answers: Answers) -> Self {
        Self { program, said: Vec::new(), answers, ids: 0 }
    }

    pub(crate) fn send(&mut self, message: Value) {
        self.program.send(&message);
        self.said.push((To::Engine, message));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.ids += 1;
        let id = self.ids;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and returns its result.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let message = self.until(|message| message["id"] == id && message.get("method").is_none());
        assert!(message.get("error").is_none(), "{method}: {message}");
        message["result"].clone()
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Value {
        self.ask("turn/start", json!({"input": [{"type": "text", "text": text}]}))
    }

    /// Returns the next message, after answering it if it is a request with a known answer.
    pub(crate) fn next(&mut self) -> Value {
        let message = self.program.next();
        self.said.push((To::Client, message.clone()));
        if message.get("method").is_some()
            && let Some(result) = (self.answers)(self, &message)
        {
            self.reply(&message, result);
        }
        message
    }

    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    pub(crate) fn until_event(&mut self, kind: &str) -> Value {
        self.until(|message| message["params"]["event"]["type"] == kind)["params"]["event"].clone()
    }

    /// Waits for a request from the engine and answers it.
    pub(crate) fn answer(&mut self, method: &str, result: Value) {
        let asked = self.until(|message| message["method"] == method);
        self.reply(&asked, result);
    }

    pub(crate) fn reply(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// Returns the first exchange for each method: its `params` and, for requests, its `result`.
    pub(crate) fn exchanges(&self) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        for (place, (to, message)) in self.said.iter().enumerate() {
            let Some(method) = message["method"].as_str() else { continue };
            let mut example = json!({"params": message["params"]});
            if let Some(id) = message.get("id") {
                let answer = self.said[place..].iter().find(|(answered, answer)| {
                    answered != to && answer["id"] == *id && answer.get("method").is_none()
                });
                let Some(result) = answer.and_then(|(_, answer)| answer.get("result")) else {
                    continue;
                };
                example["result"] = result.clone();
            }
            found.entry(method.to_owned()).or_insert(example);
        }
        found
    }
}
