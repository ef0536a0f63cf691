//! Clients of the Agent Host Protocol over pipes, which keep their state with the protocol's own reducers.

use super::HANG;
use super::launch::Launch;
use super::program::{Framing, Program};
use ahp::reducers::{
    apply_action_to_changeset, apply_action_to_chat, apply_action_to_root, apply_action_to_session,
    apply_action_to_terminal,
};
use ahp::{Transport, TransportError, TransportMessage};
use ahp_types::actions::{ActionEnvelope, StateAction};
use ahp_types::state::{Snapshot, SnapshotState};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

/// The program's pipes as a transport of the protocol's own client.
pub(crate) struct Pipes {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Pipes {
    pub(crate) fn start(command: Command) -> Self {
        let mut command = tokio::process::Command::from(command);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = piped.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { _child: child, stdin, lines: BufReader::new(stdout).lines() }
    }
}

impl Transport for Pipes {
    async fn send(&mut self, message: TransportMessage) -> Result<(), TransportError> {
        let mut line = serde_json::to_string(&message.into_parsed()?).unwrap();
        line.push('\n');
        let sent = self.stdin.write_all(line.as_bytes()).await;
        sent.map_err(|error| TransportError::Io(error.to_string()))
    }

    async fn recv(&mut self) -> Result<Option<TransportMessage>, TransportError> {
        let line = self.lines.next_line().await;
        let line = line.map_err(|error| TransportError::Io(error.to_string()))?;
        Ok(line.map(TransportMessage::Text))
    }
}

/// The state of channels, as a client has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Mirror(pub(crate) BTreeMap<String, SnapshotState>);

impl Mirror {
    pub(crate) fn take(&mut self, snapshot: &Value) {
        let snapshot: Snapshot = serde_json::from_value(snapshot.clone()).unwrap();
        self.0.insert(snapshot.resource, snapshot.state);
    }

    pub(crate) fn apply(&mut self, envelope: &ActionEnvelope) {
        assert!(
            !matches!(envelope.action, StateAction::Unknown(_)),
            "no action of the protocol: {envelope:?}"
        );
        if envelope.rejection_reason.is_some() {
            return;
        }
        let action = &envelope.action;
        match self.0.get_mut(&envelope.channel) {
            Some(SnapshotState::Root(state)) => drop(apply_action_to_root(state, action)),
            Some(SnapshotState::Session(state)) => drop(apply_action_to_session(state, action)),
            Some(SnapshotState::Chat(state)) => drop(apply_action_to_chat(state, action)),
            Some(SnapshotState::Changeset(state)) => drop(apply_action_to_changeset(state, action)),
            Some(SnapshotState::Terminal(state)) => drop(apply_action_to_terminal(state, action)),
            other => panic!("an action on {}, which is {other:?}", envelope.channel),
        }
        // As VS Code does: a session's title is its chat's.
        if let StateAction::SessionTitleChanged(changed) = action {
            for state in self.0.values_mut() {
                if let SnapshotState::Chat(chat) = state {
                    chat.title.clone_from(&changed.title);
                }
            }
        }
    }
}

/// A client that waits for each message.
pub(crate) struct Window {
    pub(crate) program: Program,
    pub(crate) name: String,
    pub(crate) mirror: Mirror,
    /// The number of the last action.
    pub(crate) seen: u64,
    dispatched: u64,
    /// What came, in short.
    pub(crate) told: Vec<String>,
}

pub(crate) const SESSION: &str = "pintle:/8a6cc7c3-8e66-4c2a-a63f-c69204644951";
pub(crate) const CHAT: &str = "ahp-chat:/8a6cc7c3-8e66-4c2a-a63f-c69204644951/default";
pub(crate) const CHANGES: &str = "ahp-changeset:/8a6cc7c3-8e66-4c2a-a63f-c69204644951/session";

/// Returns the action that answers a request for input with one of its options.
pub(crate) fn submitted(request: &Value, label: &str) -> Value {
    let options = request["questions"][0]["options"].as_array().unwrap();
    let chosen = options.iter().find(|option| option["label"] == label);
    let chosen = chosen.unwrap_or_else(|| panic!("no {label} in {options:?}"));
    let value = json!({"kind": "selected", "value": chosen["id"]});
    let answers = json!({"answer": {"state": "submitted", "value": value}});
    json!({"type": "chat/inputCompleted", "requestId": request["id"], "response": "accept", "answers": answers})
}

impl Window {
    /// Starts a client that has said nothing.
    pub(crate) fn start(launch: impl Into<Launch>, name: &str) -> Self {
        Self {
            program: Program::start(launch, Framing::Lines),
            name: name.to_owned(),
            mirror: Mirror::default(),
            seen: 0,
            dispatched: 0,
            told: Vec::new(),
        }
    }

    /// Shakes hands as VS Code does.
    pub(crate) fn initialize(&mut self) -> Value {
        let result = self.ask(
            "initialize",
            json!({
                "channel": "ahp-root://", "protocolVersions": ["0.9.0", "0.7.0", "0.6.0"],
                "clientId": self.name, "initialSubscriptions": ["ahp-root://"],
            }),
        );
        self.mirror.take(&result["snapshots"][0]);
        result
    }

    pub(crate) fn create(&mut self, folder: &std::path::Path) {
        let directories = [format!("file://{}", folder.display())];
        let config =
            json!({"isolation": "folder", "autoApprove": "default", "mode": "interactive"});
        let params = json!({"channel": SESSION, "provider": "pintle", "workingDirectories": directories, "config": config});
        assert_eq!(self.ask("createSession", params), Value::Null);
    }

    pub(crate) fn subscribe(&mut self, channel: &str) {
        let result = self.ask("subscribe", json!({"channel": channel}));
        self.mirror.take(&result["snapshot"]);
    }

    pub(crate) fn subscribe_all(&mut self) {
        for channel in [SESSION, CHAT, CHANGES] {
            self.subscribe(channel);
        }
    }

    /// Comes back as a client that has seen what another one had.
    pub(crate) fn reconnect(&mut self, before: &Self) -> String {
        (self.mirror, self.seen) = (before.mirror.clone(), before.seen);
        self.dispatched = before.dispatched;
        let subscriptions: Vec<&String> = before.mirror.0.keys().collect();
        let params = json!({"clientId": self.name, "lastSeenServerSeq": before.seen, "subscriptions": subscriptions});
        let result = self.ask("reconnect", params);
        let kind = result["type"].as_str().unwrap().to_owned();
        if kind == "snapshot" {
            self.seen = 0;
            for snapshot in result["snapshots"].as_array().unwrap() {
                self.mirror.take(snapshot);
                self.seen = self.seen.max(snapshot["fromSeq"].as_u64().unwrap());
            }
        } else {
            for action in result["actions"].as_array().unwrap() {
                self.act(action);
            }
        }
        kind
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.program.request(method, params)
    }

    /// Returns the result or the error of a request, and takes what comes before.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer_to(id)
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let mut answer = self.until(|message| message["id"] == id && message["method"].is_null());
        let key = if answer.get("error").is_some() { "error" } else { "result" };
        answer[key].take()
    }

    /// Dispatches an action; returns its number.
    pub(crate) fn dispatch(&mut self, channel: &str, action: &Value) -> u64 {
        self.dispatched += 1;
        let params = json!({"channel": channel, "clientSeq": self.dispatched, "action": action});
        let message = json!({"jsonrpc": "2.0", "method": "dispatchAction", "params": params});
        self.program.send(&message);
        self.dispatched
    }

    pub(crate) fn prompt(&mut self, turn: &str, text: &str) -> u64 {
        let message = json!({"text": text, "origin": {"kind": "user"}});
        let started = "2026-11-22T23:26:07.581Z";
        let action = json!({"type": "chat/turnStarted", "turnId": turn, "startedAt": started, "message": message});
        self.dispatch(CHAT, &action)
    }

    pub(crate) fn next(&mut self) -> Value {
        let message = self.program.next();
        if message["method"] == "action" {
            self.act(&message["params"]);
        } else if let Some(method) = message["method"].as_str() {
            self.told.push(method.to_owned());
        }
        message
    }

    fn act(&mut self, params: &Value) {
        let envelope: ActionEnvelope = serde_json::from_value(params.clone()).unwrap();
        if envelope.rejection_reason.is_none() {
            assert!(envelope.server_seq > self.seen, "{} after {}", envelope.server_seq, self.seen);
            self.seen = envelope.server_seq;
        }
        let own = params["origin"]["clientId"] == self.name.as_str();
        let kind = params["action"]["type"].as_str().unwrap();
        let refused = params["rejectionReason"].as_str().map(|why| format!(" refused: {why}"));
        let own = if own { " (own)" } else { "" };
        self.told.push(format!("{kind}{own}{}", refused.unwrap_or_default()));
        self.mirror.apply(&envelope);
    }

    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let end = std::time::Instant::now() + HANG;
        loop {
            assert!(std::time::Instant::now() < end, "waited in vain: {:#?}", self.told);
            let message = self.next();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// Returns the next action of this type.
    pub(crate) fn until_action(&mut self, kind: &str) -> Value {
        let is_it = |message: &Value| message["params"]["action"]["type"] == kind;
        self.until(is_it)["params"].take()
    }

    /// Reads on until both have seen the same action.
    pub(crate) fn catch_up(&mut self, other: &mut Self) {
        while self.seen != other.seen {
            let behind = if self.seen < other.seen { &mut *self } else { &mut *other };
            behind.next();
        }
    }

    /// Waits for an action of this type, unless one came.
    pub(crate) fn until_told(&mut self, kind: &str) {
        if !self.told.iter().any(|told| told == kind) {
            self.until_action(kind);
        }
    }

    /// The chat as it is in the mirror.
    pub(crate) fn chat(&self) -> &ahp_types::state::ChatState {
        let Some(SnapshotState::Chat(chat)) = self.mirror.0.get(CHAT) else { panic!("no chat") };
        chat
    }
}
