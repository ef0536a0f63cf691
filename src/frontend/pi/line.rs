//! A line from the client: parsed into a command with typed fields, or rejected with a specific error. Pure.
//!
//! Invariant: every line gets a response. Unknown fields are ignored, as in Pi.

use pintle_protocol::content::Input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A command with the id that its response repeats.
#[derive(Debug)]
pub(super) struct CommandLine {
    pub(super) head: Head,
    pub(super) command: Command,
}

/// Fields that are repeated in the response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    /// The id as it was given, if any.
    pub(super) id: Option<Value>,
    /// The command's name; `None` if it was not a string.
    pub(super) command: Option<String>,
}

/// A command.
#[derive(Debug)]
pub(super) enum Command {
    Prompt(Prompt),
    Steer(Message),
    FollowUp(Message),
    Abort,
    ClearQueue,
    NewSession(NewSession),
    GetState,
    GetMessages,
    SetModel(SetModel),
    CycleModel,
    GetAvailableModels,
    SetThinkingLevel(String),
    CycleThinkingLevel,
    GetAvailableThinkingLevels,
    SetSteeringMode(QueueMode),
    SetFollowUpMode(QueueMode),
    Compact(Option<String>),
    SetAutoCompaction(bool),
    SetAutoRetry(bool),
    AbortRetry,
    Bash(Bash),
    AbortBash,
    GetSessionStats,
    ExportHtml(Option<String>),
    SwitchSession(String),
    Fork(String),
    Clone,
    GetForkMessages,
    GetEntries(Option<String>),
    GetTree,
    GetLastAssistantText,
    SetSessionName(String),
    GetCommands,
    /// A dialog's answer, which has no response.
    UiResponse(UiResponse),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Prompt {
    #[serde(flatten)]
    pub(super) message: Message,
    #[serde(default)]
    pub(super) streaming_behavior: Option<StreamingBehavior>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Message {
    pub(super) message: String,
    #[serde(default)]
    pub(super) images: Option<Vec<Image>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image {
    data: String,
    mime_type: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum StreamingBehavior {
    Steer,
    FollowUp,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NewSession {
    #[serde(default)]
    pub(super) parent_session: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetModel {
    pub(super) provider: String,
    pub(super) model_id: String,
}

/// The number of messages that are read at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// All waiting messages.
    All,
    /// One message.
    #[default]
    OneAtATime,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bash {
    pub(super) command: String,
    #[serde(default)]
    pub(super) exclude_from_context: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct UiResponse {
    pub(super) id: String,
    #[serde(default)]
    pub(super) value: Option<String>,
    #[serde(default)]
    pub(super) confirmed: Option<bool>,
    #[serde(default)]
    pub(super) cancelled: bool,
}

impl QueueMode {
    /// Returns its name in the engine.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::OneAtATime => "one",
        }
    }

    /// Reads its name in the engine.
    pub(super) fn read(name: &str) -> Self {
        if name == Self::All.name() { Self::All } else { Self::OneAtATime }
    }

    /// Returns its name in Pi.
    pub(super) fn pi_name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::OneAtATime => "one-at-a-time",
        }
    }
}

impl Message {
    /// Converts the message into the engine's input.
    pub(super) fn into_input(self) -> Vec<Input> {
        let images = self.images.into_iter().flatten();
        let image = |image: Image| Input::Image { mime_type: image.mime_type, data: image.data };
        [Input::text(self.message)].into_iter().chain(images.map(image)).collect()
    }
}

/// Reads a line. The error is the complete response.
pub(super) fn read(line: &[u8]) -> Result<CommandLine, Value> {
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        json!({
            "type": "response",
            "command": "parse",
            "success": false,
            "error": format!("Failed to parse command: {error}"),
        })
    })?;
    let Value::Object(mut fields) = value else {
        return Err(Head { id: None, command: None }.failed("Unknown command: undefined"));
    };
    let id = fields.get("id").cloned();
    let kind = fields.remove("type");
    let Some(Value::String(kind)) = kind else {
        let shown = kind.map_or("undefined".to_owned(), |kind| kind.to_string());
        let head = Head { id, command: None };
        return Err(head.failed(&format!("Unknown command: {shown}")));
    };
    let head = Head { id, command: Some(kind.clone()) };
    match command(&kind, fields) {
        Some(Ok(command)) => Ok(CommandLine { head, command }),
        Some(Err(error)) => Err(head.failed(&format!("{kind}: {error}"))),
        None => Err(head.failed(&format!("Unknown command: {kind}"))),
    }
}

fn command(kind: &str, fields: Map<String, Value>) -> Option<Result<Command, String>> {
    Some(match kind {
        "prompt" => parse(fields).map(Command::Prompt),
        "steer" => parse(fields).map(Command::Steer),
        "follow_up" => parse(fields).map(Command::FollowUp),
        "abort" => Ok(Command::Abort),
        "clear_queue" => Ok(Command::ClearQueue),
        "new_session" => parse(fields).map(Command::NewSession),
        "get_state" => Ok(Command::GetState),
        "get_messages" => Ok(Command::GetMessages),
        "set_model" => parse(fields).map(Command::SetModel),
        "cycle_model" => Ok(Command::CycleModel),
        "get_available_models" => Ok(Command::GetAvailableModels),
        "set_thinking_level" => field(fields, "level").map(Command::SetThinkingLevel),
        "cycle_thinking_level" => Ok(Command::CycleThinkingLevel),
        "get_available_thinking_levels" => Ok(Command::GetAvailableThinkingLevels),
        "set_steering_mode" => field(fields, "mode").map(Command::SetSteeringMode),
        "set_follow_up_mode" => field(fields, "mode").map(Command::SetFollowUpMode),
        "compact" => optional(fields, "customInstructions").map(Command::Compact),
        "set_auto_compaction" => field(fields, "enabled").map(Command::SetAutoCompaction),
        "set_auto_retry" => field(fields, "enabled").map(Command::SetAutoRetry),
        "abort_retry" => Ok(Command::AbortRetry),
        "bash" => parse(fields).map(Command::Bash),
        "abort_bash" => Ok(Command::AbortBash),
        "get_session_stats" => Ok(Command::GetSessionStats),
        "export_html" => optional(fields, "outputPath").map(Command::ExportHtml),
        "switch_session" => field(fields, "sessionPath").map(Command::SwitchSession),
        "fork" => field(fields, "entryId").map(Command::Fork),
        "clone" => Ok(Command::Clone),
        "get_fork_messages" => Ok(Command::GetForkMessages),
        "get_entries" => optional(fields, "since").map(Command::GetEntries),
        "get_tree" => Ok(Command::GetTree),
        "get_last_assistant_text" => Ok(Command::GetLastAssistantText),
        "set_session_name" => field(fields, "name").map(Command::SetSessionName),
        "get_commands" => Ok(Command::GetCommands),
        "extension_ui_response" => parse(fields).map(Command::UiResponse),
        _ => return None,
    })
}

fn parse<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => error.into_inner().to_string(),
            _ => format!("`{path}`: {}", error.into_inner()),
        }
    })
}

fn field<T: DeserializeOwned>(fields: Map<String, Value>, name: &str) -> Result<T, String> {
    optional(fields, name)?.ok_or_else(|| format!("missing field `{name}`"))
}

fn optional<T: DeserializeOwned>(
    mut fields: Map<String, Value>,
    name: &str,
) -> Result<Option<T>, String> {
    match fields.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            serde_json::from_value(value).map(Some).map_err(|error| format!("`{name}`: {error}"))
        }
    }
}

impl Head {
    /// Returns the response to a command that succeeded.
    pub(super) fn done(&self) -> Value {
        self.response(true)
    }

    /// Returns the response to a command that succeeded, with its result.
    pub(super) fn data(&self, data: impl Into<Value>) -> Value {
        let mut response = self.response(true);
        put(&mut response, "data", data.into());
        response
    }

    /// Returns the response to a command that failed.
    pub(super) fn failed(&self, error: &str) -> Value {
        let mut response = self.response(false);
        put(&mut response, "error", Value::from(error));
        response
    }

    fn response(&self, is_done: bool) -> Value {
        let mut fields = Map::new();
        fields.extend(self.id.clone().map(|id| ("id".to_owned(), id)));
        fields.insert("type".to_owned(), Value::from("response"));
        let command = self.command.clone();
        fields.extend(command.map(|command| ("command".to_owned(), Value::from(command))));
        fields.insert("success".to_owned(), Value::from(is_done));
        Value::Object(fields)
    }
}

/// Builds an object from the fields that have a value.
pub(super) fn fields(pairs: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    let present = pairs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

/// Adds a field to an object.
pub(super) fn put(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_done_is_told_with_its_field() {
        for (line, want) in [
            (
                "not json",
                r#"{"type":"response","command":"parse","success":false,"error":"Failed to parse command: expected ident at line 1 column 2"}"#,
            ),
            (
                "",
                r#"{"type":"response","command":"parse","success":false,"error":"Failed to parse command: EOF while parsing a value at line 1 column 0"}"#,
            ),
            ("null", r#"{"type":"response","success":false,"error":"Unknown command: undefined"}"#),
            (
                "[1,2]",
                r#"{"type":"response","success":false,"error":"Unknown command: undefined"}"#,
            ),
            (
                r#""str""#,
                r#"{"type":"response","success":false,"error":"Unknown command: undefined"}"#,
            ),
            ("{}", r#"{"type":"response","success":false,"error":"Unknown command: undefined"}"#),
            (
                r#"{"id":1,"type":7}"#,
                r#"{"id":1,"type":"response","success":false,"error":"Unknown command: 7"}"#,
            ),
            (
                r#"{"id":"x","type":"nope"}"#,
                r#"{"id":"x","type":"response","command":"nope","success":false,"error":"Unknown command: nope"}"#,
            ),
            (
                r#"{"type":"prompt"}"#,
                r#"{"type":"response","command":"prompt","success":false,"error":"prompt: missing field `message`"}"#,
            ),
            (
                r#"{"type":"prompt","message":5}"#,
                r#"{"type":"response","command":"prompt","success":false,"error":"prompt: invalid type: integer `5`, expected a string"}"#,
            ),
            (
                r#"{"type":"prompt","message":"a","images":[{"data":""}]}"#,
                r#"{"type":"response","command":"prompt","success":false,"error":"prompt: missing field `mimeType`"}"#,
            ),
            (
                r#"{"type":"prompt","message":"a","streamingBehavior":"later"}"#,
                r#"{"type":"response","command":"prompt","success":false,"error":"prompt: `streamingBehavior`: unknown variant `later`, expected `steer` or `followUp`"}"#,
            ),
            (
                r#"{"id":2,"type":"set_steering_mode","mode":"some"}"#,
                r#"{"id":2,"type":"response","command":"set_steering_mode","success":false,"error":"set_steering_mode: `mode`: unknown variant `some`, expected `all` or `one-at-a-time`"}"#,
            ),
            (
                r#"{"type":"bash","command":null}"#,
                r#"{"type":"response","command":"bash","success":false,"error":"bash: `command`: invalid type: null, expected a string"}"#,
            ),
            (
                r#"{"type":"set_auto_retry","enabled":"yes"}"#,
                r#"{"type":"response","command":"set_auto_retry","success":false,"error":"set_auto_retry: `enabled`: invalid type: string \"yes\", expected a boolean"}"#,
            ),
            (
                r#"{"type":"fork"}"#,
                r#"{"type":"response","command":"fork","success":false,"error":"fork: missing field `entryId`"}"#,
            ),
            (
                r#"{"type":"extension_ui_response"}"#,
                r#"{"type":"response","command":"extension_ui_response","success":false,"error":"extension_ui_response: missing field `id`"}"#,
            ),
        ] {
            let response = read(line.as_bytes()).expect_err(line);
            assert_eq!(response.to_string(), want, "{line}");
        }
    }

    #[test]
    fn an_id_comes_back_as_it_was_given() {
        for (id, want) in [
            ("", r#"{"type":"response","command":"abort","success":true}"#),
            (r#""id":1,"#, r#"{"id":1,"type":"response","command":"abort","success":true}"#),
            (r#""id":"1","#, r#"{"id":"1","type":"response","command":"abort","success":true}"#),
            (r#""id":null,"#, r#"{"id":null,"type":"response","command":"abort","success":true}"#),
            (r#""id":[{}],"#, r#"{"id":[{}],"type":"response","command":"abort","success":true}"#),
        ] {
            let asked = read(format!(r#"{{{id}"type":"abort","more":1}}"#).as_bytes()).unwrap();
            assert_eq!(asked.head.done().to_string(), want);
        }
    }
}
