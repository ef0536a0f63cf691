//! A client of `pintle lsp` over pipes: an editor with documents, which answers as a test says.

use super::launch::Launch;
use super::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Everything that editors offer.
pub(crate) fn everything() -> Value {
    json!({
        "window": {"workDoneProgress": true, "showDocument": {"support": true}},
        "workspace": {"applyEdit": true, "codeLens": {"refreshSupport": true}, "workspaceEdit": {"documentChanges": true}},
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
    })
}

pub(crate) struct Client {
    pub(crate) program: Program,
    uris: BTreeMap<String, String>,
}

impl Client {
    /// Starts the program on these replies of the model and shakes hands, with the place's project as the folder.
    pub(crate) fn start(
        place: &Place,
        replies: &[Value],
        capabilities: Value,
        more: &[&str],
    ) -> Self {
        let mut client = Self::new(place, replies, more);
        client.shake_hands(place, capabilities);
        client
    }

    /// Initializes the connection, with the place's project as the folder.
    pub(crate) fn shake_hands(&mut self, place: &Place, capabilities: Value) {
        let folder = format!("file://{}", place.project().display());
        let params = json!({"processId": null, "rootUri": folder, "capabilities": capabilities});
        self.ask("initialize", params);
        self.notify("initialized", json!({}));
    }

    /// Starts the program without a handshake.
    pub(crate) fn new(place: &Place, replies: &[Value], more: &[&str]) -> Self {
        let script = place.script(&json!({"replies": replies}));
        let mut args = vec!["lsp", "--script", &script];
        args.extend(more);
        Self::over(place.engine(&args))
    }

    /// Starts the program so, without a handshake.
    pub(crate) fn over(launch: impl Into<Launch>) -> Self {
        Self { program: Program::start(launch, Framing::Headers), uris: BTreeMap::new() }
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.program.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its result or error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.program.request(method, params);
        self.answer_to(id)
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let mut answer =
            self.until(|message| message["id"] == id && message.get("method").is_none());
        let key = if answer.get("error").is_some() { "error" } else { "result" };
        answer[key].take()
    }

    /// Carries out a command and returns its result or error.
    pub(crate) fn command(&mut self, command: &str, arguments: Value) -> Value {
        let params = json!({"command": command, "arguments": arguments});
        self.ask("workspace/executeCommand", params)
    }

    /// Takes messages until one is as wanted, and returns that. A progress is accepted.
    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.program.next();
            if message["method"] == "window/workDoneProgress/create" {
                self.reply(&message, Value::Null);
            }
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// The params of the next message with this method, and its id.
    pub(crate) fn told(&mut self, method: &str) -> (Value, Value) {
        let mut message = self.until(|message| message["method"] == method);
        (message["params"].take(), message)
    }

    /// The text of the next message that is shown.
    pub(crate) fn shown(&mut self) -> String {
        let (params, _) = self.told("window/showMessage");
        params["message"].as_str().unwrap().to_owned()
    }

    /// Takes messages until a progress of this kind, and returns its value.
    pub(crate) fn progress(&mut self, kind: &str) -> (Value, Value) {
        let mut message = self.until(|message| {
            message["method"] == "$/progress" && message["params"]["value"]["kind"] == kind
        });
        (message["params"]["token"].take(), message["params"]["value"].take())
    }

    pub(crate) fn reply(&mut self, request: &Value, result: Value) {
        self.program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// The text of the next document that the client is to show, and its URI.
    pub(crate) fn document(&mut self) -> (String, String) {
        let (params, request) = self.told("window/showDocument");
        self.reply(&request, json!({"success": true}));
        let uri = params["uri"].as_str().unwrap().to_owned();
        (std::fs::read_to_string(uri.strip_prefix("file://").unwrap()).unwrap(), uri)
    }

    /// The next diagnostics of a file: for each, its first line, the line behind its last, and its message.
    pub(crate) fn diagnostics(&mut self, place: &Place, name: &str) -> Vec<(u64, u64, String)> {
        let uri = format!("file://{}", place.path(name).display());
        let is_it = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri.as_str()
        };
        let message = self.until(is_it);
        let line =
            |diagnostic: &Value, end: &str| diagnostic["range"][end]["line"].as_u64().unwrap();
        let diagnostics = message["params"]["diagnostics"].as_array().unwrap().iter();
        let text = |diagnostic: &Value| diagnostic["message"].as_str().unwrap().to_owned();
        diagnostics.map(|it| (line(it, "start"), line(it, "end"), text(it))).collect()
    }

    pub(crate) fn uri(&self, name: &str) -> &str {
        &self.uris[name]
    }

    pub(crate) fn open(&mut self, place: &Place, name: &str, version: i64, text: &str) {
        let uri = format!("file://{}", place.path(name).display());
        self.uris.insert(name.to_owned(), uri.clone());
        let document = json!({"uri": uri, "languageId": "text", "version": version, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Tells of a change: of a range, as line and UTF-16 unit of its start and its end, or of everything.
    pub(crate) fn change(&mut self, name: &str, version: i64, range: Option<[u32; 4]>, text: &str) {
        let mut change = json!({"text": text});
        if let Some([line, character, to_line, to_character]) = range {
            change["range"] = json!({"start": {"line": line, "character": character}, "end": {"line": to_line, "character": to_character}});
        }
        let document = json!({"uri": self.uri(name), "version": version});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        self.notify("textDocument/didChange", params);
    }

    pub(crate) fn about(&mut self, method: &str, name: &str) {
        let document = json!({"uri": self.uri(name)});
        self.notify(method, json!({"textDocument": document}));
    }
}
