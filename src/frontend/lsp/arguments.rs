//! Command names of `workspace/executeCommand`, and their arguments. Pure.

use crate::rpc::HandlerResult;
use crate::rpc::invalid_params;
use ls_types as lsp;
use pintle_protocol::ids::{HunkId, SessionId};
use serde::Deserialize;
use serde_json::Value;

pub(super) const PROMPT: &str = "pintle.prompt";
pub(super) const STEER: &str = "pintle.steer";
pub(super) const QUEUE: &str = "pintle.queue";
pub(super) const STOP: &str = "pintle.stop";
pub(super) const ANSWER: &str = "pintle.answer";
pub(super) const NEW: &str = "pintle.new";
pub(super) const SESSIONS: &str = "pintle.sessions";

pub(super) const KEEP: &str = "pintle.keep";
pub(super) const UNDO: &str = "pintle.undo";
pub(super) const REVERT: &str = "pintle.revert";
pub(super) const REWIND: &str = "pintle.rewind";
pub(super) const TRANSCRIPT: &str = "pintle.transcript";
pub(super) const ASK: &str = "pintle.ask";
pub(super) const SEND: &str = "pintle.send";

/// The commands that the server offers.
pub(super) const NAMES: [&str; 14] = [
    PROMPT, STEER, QUEUE, STOP, ANSWER, NEW, SESSIONS, KEEP, UNDO, REVERT, REWIND, TRANSCRIPT, ASK,
    SEND,
];

/// A message in a command's arguments: its text alone, or with the place that it is about.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    Placed(Message),
}

/// A message with the place that it is about.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) text: String,
    #[serde(default)]
    pub(super) uri: Option<lsp::Uri>,
    #[serde(default)]
    pub(super) range: Option<lsp::Range>,
    #[serde(default)]
    pub(super) diagnostics: Vec<lsp::Diagnostic>,
}

/// Reads a command's message: its words, given as one argument or several, or an object with the place that they are about.
pub(super) fn message(command: &str, arguments: &[Value]) -> HandlerResult<Message> {
    let usage = || {
        invalid_params(&format!(
            "`{command}` takes the message as its argument, such as \"fix the failing test\""
        ))
    };
    let words = |value: &Value| serde_json::from_value::<Words>(value.clone()).ok();
    let message = match arguments {
        [one] => match words(one) {
            Some(Words::Placed(message)) => message,
            Some(Words::Text(text)) => plain(text),
            None => return Err(usage()),
        },
        several => {
            let words: Option<Vec<&str>> = several.iter().map(Value::as_str).collect();
            plain(words.ok_or_else(usage)?.join(" "))
        }
    };
    if message.text.trim().is_empty() { Err(usage()) } else { Ok(message) }
}

fn plain(text: String) -> Message {
    Message { text, uri: None, range: None, diagnostics: Vec::new() }
}

/// Reads the session of [`SESSIONS`], if one is named.
pub(super) fn named_session(arguments: &[Value]) -> HandlerResult<Option<SessionId>> {
    match arguments {
        [] | [Value::Null] => Ok(None),
        [Value::String(id)] => Ok(Some(SessionId::new(id.as_str()))),
        _ => Err(invalid_params("`pintle.sessions` takes a session id, or nothing")),
    }
}

/// The changes that a command decides about.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Target {
    #[serde(rename_all = "camelCase")]
    Hunk {
        hunk: HunkId,
        #[serde(default)]
        changed_seq: Option<u64>,
    },
    File {
        uri: lsp::Uri,
    },
    #[serde(skip)]
    All,
}

/// Reads the changes that [`KEEP`] or [`UNDO`] decides about.
pub(super) fn target(command: &str, arguments: &[Value]) -> HandlerResult<Target> {
    let usage = || {
        invalid_params(&format!(
            "`{command}` takes {{\"hunk\": ID}}, {{\"uri\": FILE}}, or nothing for all changes"
        ))
    };
    match arguments {
        [] | [Value::Null] => Ok(Target::All),
        [one] => serde_json::from_value(one.clone()).map_err(|_| usage()),
        _ => Err(usage()),
    }
}

/// Reads a command's number, which may be left out.
pub(super) fn number(command: &str, what: &str, arguments: &[Value]) -> HandlerResult<Option<u64>> {
    let number = match arguments {
        [] | [Value::Null] => return Ok(None),
        [Value::String(text)] => text.parse().ok(),
        [one] => one.as_u64(),
        _ => None,
    };
    let usage = || invalid_params(&format!("`{command}` takes {what}, or nothing"));
    number.filter(|number| *number > 0).map(Some).ok_or_else(usage)
}

/// The place of [`ASK`], or the document of [`SEND`].
#[derive(Debug, Deserialize)]
pub(super) struct Place {
    pub(super) uri: lsp::Uri,
    #[serde(default)]
    pub(super) range: Option<lsp::Range>,
}

/// Reads a place, which may be left out.
pub(super) fn place(command: &str, arguments: &[Value]) -> HandlerResult<Option<Place>> {
    match arguments {
        [] | [Value::Null] => Ok(None),
        [one] => serde_json::from_value(one.clone()).map(Some).map_err(|_| {
            invalid_params(&format!("`{command}` takes {{\"uri\": FILE}}, or nothing"))
        }),
        _ => Err(invalid_params(&format!("`{command}` takes one argument, or none"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_words_or_an_object_with_a_place() {
        for (name, arguments, want) in [
            ("one text", json!(["fix it"]), Ok("fix it")),
            ("words", json!(["fix", "it"]), Ok("fix it")),
            ("an object", json!([{"text": "fix it", "uri": "file:///a"}]), Ok("fix it")),
            ("nothing", json!([]), Err(())),
            ("an empty text", json!([" "]), Err(())),
            ("a number", json!([1]), Err(())),
            ("a place that is none", json!([{"text": "x", "uri": 1}]), Err(())),
        ] {
            let Value::Array(arguments) = arguments else { continue };
            let read = message(PROMPT, &arguments);
            let read = read.as_ref().map(|message| message.text.as_str()).map_err(|_| ());
            assert_eq!(read, want, "{name}");
        }
    }
}
