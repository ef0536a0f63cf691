//! A client of `pintle acp` over pipes. Every message that the engine sends is held against the published schema.

use super::launch::Launch;
use super::program::{Framing, Place, Program};
use jsonschema::{Registry, Validator};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../fixtures/acp/schema.json");
    serde_json::from_str(text).unwrap()
});

/// The schema name used in references.
const NAME: &str = "https://agentclientprotocol.invalid/schema.json";

/// Prepared once: a validator of a definition only refers to it.
static REGISTRY: LazyLock<Registry<'static>> =
    LazyLock::new(|| Registry::new().add(NAME, &*SCHEMA).unwrap().prepare().unwrap());

static VALIDATORS: LazyLock<Mutex<BTreeMap<&'static str, Validator>>> =
    LazyLock::new(Mutex::default);

/// Holds a value against a definition of the published schema.
pub(crate) fn check(definition: &'static str, value: &Value) {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(definition).or_insert_with(|| {
        assert!(SCHEMA["$defs"].get(definition).is_some(), "no {definition} in the schema");
        let schema = json!({"$ref": format!("{NAME}#/$defs/{definition}")});
        let options = jsonschema::draft202012::options().with_registry(&REGISTRY);
        options.build(&schema).unwrap()
    });
    let errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "no {definition}: {errors:#?}\n{value:#}");
}

/// What the schema calls the result of a method.
fn result_of(method: &str) -> Option<&'static str> {
    Some(match method {
        "initialize" => "InitializeResponse",
        "authenticate" => "AuthenticateResponse",
        "logout" => "LogoutResponse",
        "session/new" => "NewSessionResponse",
        "session/load" => "LoadSessionResponse",
        "session/resume" => "ResumeSessionResponse",
        "session/list" => "ListSessionsResponse",
        "session/close" => "CloseSessionResponse",
        "session/delete" => "DeleteSessionResponse",
        "session/prompt" => "PromptResponse",
        "session/set_mode" => "SetSessionModeResponse",
        "session/set_config_option" => "SetSessionConfigOptionResponse",
        _ => return None,
    })
}

/// What the schema calls the params of what an agent sends.
fn params_of(method: &str) -> &'static str {
    match method {
        "session/update" => "SessionNotification",
        "session/request_permission" => "RequestPermissionRequest",
        "elicitation/create" => "CreateElicitationRequest",
        "fs/read_text_file" => "ReadTextFileRequest",
        "fs/write_text_file" => "WriteTextFileRequest",
        "terminal/create" => "CreateTerminalRequest",
        "terminal/output" => "TerminalOutputRequest",
        "terminal/wait_for_exit" => "WaitForTerminalExitRequest",
        "terminal/kill" => "KillTerminalRequest",
        "terminal/release" => "ReleaseTerminalRequest",
        "$/cancel_request" => "CancelRequestNotification",
        _ => panic!("the engine sent {method}"),
    }
}

/// Everything that clients offer.
pub(crate) fn everything() -> Value {
    json!({
        "fs": {"readTextFile": false, "writeTextFile": false},
        "terminal": true,
        "elicitation": {"form": {}, "url": {}},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "_meta": {"terminal_output": true},
    })
}

/// A reply that runs a command.
pub(crate) fn bash(command: &str) -> Value {
    json!({"blocks": [{"tool": "bash", "arguments": {"command": command}}]})
}

/// A reply that calls a tool.
pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

/// A reply of words.
pub(crate) fn said(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

pub(crate) fn script(replies: &[Value]) -> Value {
    json!({"replies": replies})
}

pub(crate) struct Client {
    pub(crate) program: Program,
    pub(crate) session: String,
    asked: BTreeMap<u64, String>,
    /// Everything that came, in short.
    pub(crate) transcript: Vec<String>,
}

impl Client {
    /// Starts the program on a script and shakes hands.
    pub(crate) fn start(place: &Place, script: &Value, capabilities: Value) -> Self {
        Self::start_with(place, script, capabilities, &[])
    }

    pub(crate) fn start_with(
        place: &Place,
        script: &Value,
        capabilities: Value,
        more: &[&str],
    ) -> Self {
        let script = place.script(script);
        let mut args = vec!["acp", "--script", &script];
        args.extend(more);
        Self::over(place.engine(&args), capabilities)
    }

    /// Starts the program so and shakes hands.
    pub(crate) fn over(launch: impl Into<Launch>, capabilities: Value) -> Self {
        let program = Program::start(launch, Framing::Lines);
        let mut client = Self {
            program,
            session: String::new(),
            asked: BTreeMap::new(),
            transcript: Vec::new(),
        };
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        client.ask("initialize", params);
        client
    }

    /// As [`Client::start`], with a session.
    pub(crate) fn open(place: &Place, script: &Value, capabilities: Value) -> Self {
        let mut client = Self::start(place, script, capabilities);
        client.new_session(place);
        client
    }

    pub(crate) fn new_session(&mut self, place: &Place) -> Value {
        let made = self.ask("session/new", json!({"cwd": place.project(), "mcpServers": []}));
        made["sessionId"].as_str().unwrap_or_default().clone_into(&mut self.session);
        made
    }

    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        if let (Some(map), false) = (params.as_object_mut(), self.session.is_empty())
            && !matches!(
                method,
                "session/new" | "session/list" | "initialize" | "authenticate" | "logout"
            )
        {
            map.entry("sessionId").or_insert(json!(self.session));
        }
        let id = self.program.request(method, params);
        self.asked.insert(id, method.to_owned());
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.program.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer_to(id)
    }

    pub(crate) fn prompt(&mut self, text: &str) -> u64 {
        self.send("session/prompt", json!({"prompt": [{"type": "text", "text": text}]}))
    }

    /// Prompts, and returns why the turn stopped.
    pub(crate) fn say(&mut self, text: &str) -> String {
        let id = self.prompt(text);
        self.stop_of(id)
    }

    pub(crate) fn stop_of(&mut self, id: u64) -> String {
        let answer = self.answer_to(id);
        match answer["stopReason"].as_str() {
            Some(stop) => stop.to_owned(),
            None => format!("{} {}", answer["code"], answer["message"].as_str().unwrap()),
        }
    }

    pub(crate) fn cancel(&mut self) {
        let session = self.session.clone();
        self.notify("session/cancel", json!({"sessionId": session}));
    }

    /// The next message, checked.
    pub(crate) fn next(&mut self) -> Value {
        let message = self.program.next();
        self.checked(&message);
        message
    }

    fn checked(&mut self, message: &Value) {
        if let Some(method) = message["method"].as_str() {
            check(params_of(method), &message["params"]);
        } else if let Some(result) = message.get("result") {
            let id = message["id"].as_u64().unwrap();
            if let Some(definition) = result_of(&self.asked[&id]) {
                check(definition, result);
            }
        } else {
            check("Error", &message["error"]);
        }
        let bytes = message.to_string().len();
        assert!(bytes < 4 * 1024 * 1024, "a message of {bytes} bytes");
        // What is shown of an output on its way depends on who is faster.
        let update = &message["params"]["update"];
        if update["sessionUpdate"] != "tool_call_update" || update["status"].is_string() {
            self.transcript.push(self.short(message));
        }
    }

    /// A message in short.
    fn short(&self, message: &Value) -> String {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("session/update") => short_update(&params["update"]),
            Some("session/request_permission") => {
                let options = params["options"].as_array().unwrap();
                let kinds: Vec<&str> =
                    options.iter().map(|option| option["kind"].as_str().unwrap()).collect();
                format!("? {} [{}]", text(&params["toolCall"]["title"]), kinds.join(" "))
            }
            Some("elicitation/create") => format!("? form: {}", text(&params["message"])),
            Some("$/cancel_request") => format!("withdrawn {}", text(&params["requestId"])),
            Some(method) => format!("? {method} {}", text(&params["path"])),
            None => {
                let method = message["id"].as_u64().and_then(|id| self.asked.get(&id));
                let method = method.map_or("", String::as_str);
                match message.get("error") {
                    Some(error) => format!("= {method} error {}", error["code"]),
                    None => format!("= {method} {}", text(&message["result"]["stopReason"]))
                        .trim_end()
                        .to_owned(),
                }
            }
        }
    }

    /// Takes messages until one is as wanted, and returns that.
    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let mut answer =
            self.until(|message| message["id"] == id && message.get("method").is_none());
        let key = if answer.get("error").is_some() { "error" } else { "result" };
        answer[key].take()
    }

    /// The next request of the engine's.
    pub(crate) fn asked_for(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method && message.get("id").is_some())
    }

    /// The next update of this kind.
    pub(crate) fn update(&mut self, kind: &str) -> Value {
        self.until(|message| message["params"]["update"]["sessionUpdate"] == kind)["params"]["update"].take()
    }

    pub(crate) fn reply(&mut self, request: &Value, result: Value) {
        self.program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    pub(crate) fn refuse(&mut self, request: &Value, message: &str) {
        let error = json!({"code": -32603, "message": message});
        self.program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error}));
    }

    /// Answers a request for permission.
    pub(crate) fn choose(&mut self, request: &Value, option: &str) {
        self.reply(request, json!({"outcome": {"outcome": "selected", "optionId": option}}));
    }

    /// The transcript since this was asked last.
    pub(crate) fn told(&mut self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for line in std::mem::take(&mut self.transcript) {
            // How a text is cut into chunks is nobody's business.
            let (kind, said) = line.split_once(": ").unwrap_or((&line, ""));
            match lines.last_mut() {
                Some(last)
                    if kind.ends_with("_chunk") && last.starts_with(&format!("{kind}: ")) =>
                {
                    last.push_str(said);
                }
                _ => lines.push(line),
            }
        }
        lines.join("\n")
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(String::new, |text| text.replace('\n', "⏎"))
}

fn short_update(update: &Value) -> String {
    let kind = update["sessionUpdate"].as_str().unwrap();
    match kind {
        "tool_call" | "tool_call_update" => {
            let content = update["content"].as_array().map(|content| {
                let each = content.iter().map(|part| match part["type"].as_str().unwrap() {
                    "diff" => format!("diff {}→{}", text(&part["oldText"]), text(&part["newText"])),
                    "terminal" => "terminal".to_owned(),
                    _ => text(&part["content"]["text"]),
                });
                format!(" [{}]", each.collect::<Vec<_>>().join(" | "))
            });
            let meta = update["_meta"].as_object().map(|meta| {
                format!(" {}", meta.keys().map(String::as_str).collect::<Vec<_>>().join(" "))
            });
            let words = [&update["kind"], &update["status"], &update["title"]].map(text);
            let words: Vec<&str> =
                words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
            format!(
                "{kind} {}{}{}",
                words.join(" "),
                content.unwrap_or_default(),
                meta.unwrap_or_default()
            )
        }
        "plan" => {
            let entries = update["entries"].as_array().unwrap();
            let entries = entries
                .iter()
                .map(|entry| format!("{} {}", text(&entry["status"]), text(&entry["content"])));
            format!("plan {}", entries.collect::<Vec<_>>().join(", "))
        }
        "available_commands_update" => {
            let names = update["availableCommands"].as_array().unwrap().iter();
            format!(
                "{kind} {}",
                names.map(|command| text(&command["name"])).collect::<Vec<_>>().join(" ")
            )
        }
        "current_mode_update" => format!("{kind} {}", text(&update["currentModeId"])),
        "session_info_update" => format!("{kind} {}", text(&update["title"])),
        "notice" => format!("{kind} {} {}", text(&update["severity"]), text(&update["title"])),
        "compaction_update" => format!("{kind} {}", text(&update["status"])),
        "config_option_update" | "usage_update" => kind.to_owned(),
        _ => format!("{kind}: {}", text(&update["content"]["text"])),
    }
}
