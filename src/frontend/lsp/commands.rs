//! The commands of `workspace/executeCommand`: read from their arguments, and carried out by the session.

use super::review;
use super::rewind::{self, Proposal};
use super::session::{Opened, Opener};
use super::wire::{self, HandlerResult};
use crate::client::snapshot;
use crate::rpc::invalid_params;
use jsonrpsee::types::ErrorObjectOwned;
use ls_types as lsp;
use pintle_agent::{Filter, SessionHandle};
use pintle_protocol::content::Input;
use pintle_protocol::event::{QueuedInput, StateValue};
use pintle_protocol::ids::{HunkId, SessionId, TurnId};
use pintle_protocol::methods::{Disposition, TurnInterrupt, TurnStart, WhenBusy};
use pintle_protocol::review::ReviewAction;
use pintle_protocol::turn::{TurnInterruptParams, TurnStartParams, TurnSteerParams};
use serde::Deserialize;
use serde_json::{Value, json};

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

/// Session limit for the answer to [`SESSIONS`].
const MAX_SESSIONS: usize = 50;

/// A command that the session carries out.
#[derive(Debug)]
pub(super) enum SessionCommand {
    /// Begin a turn with this message, or steer the running one.
    Prompt(Vec<Input>),
    /// Steer the running turn.
    Steer(Vec<Input>),
    /// Begin a turn with this message once the earlier ones have ended.
    Queue(Vec<Input>),
    /// Stop the running turn, and remove queued messages.
    Stop,
    /// Leave the session; the next message begins another.
    New,
    /// Continue a stored session.
    Open(SessionId),
    /// Decide about changes.
    Decide(ReviewAction),
    /// Remove the last messages, if the user agrees.
    Rewind(usize),
}

/// A command's outcome.
#[derive(Debug)]
pub(super) struct Carried {
    /// The session that it has created or opened.
    pub(super) opened: Option<Opened>,
    /// The session that was there before is closed.
    pub(super) is_left: bool,
    /// The messages that were taken back.
    pub(super) returned: Vec<QueuedInput>,
    /// A text for the user.
    pub(super) told: Option<String>,
    /// A proposal that needs the user's consent.
    pub(super) proposal: Option<Proposal>,
    pub(super) result: HandlerResult<Value>,
}

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

pub(super) fn no_session() -> ErrorObjectOwned {
    let hint = "start one with the command `pintle.prompt`, or continue one with `pintle.sessions`";
    wire::failed("no session yet", hint)
}

/// Lists the directory's stored sessions, newest first.
pub(super) async fn list(opener: Opener, current: Option<SessionId>) -> HandlerResult<Value> {
    let cwd = Some(opener.folder.to_string_lossy().into_owned());
    let filter = Filter { cwd, archived: Some(false), ..Filter::default() };
    let listed = opener.client.engine.list(filter, None, MAX_SESSIONS).await;
    let (found, _) = listed.map_err(|error| wire::refused(&error))?;
    let each = found.into_iter().map(|summary| {
        json!({
            "sessionId": summary.session_id,
            "title": summary.title,
            "updatedMs": summary.updated_ms,
            "current": current.as_ref() == Some(&summary.session_id),
        })
    });
    Ok(Value::Array(each.collect()))
}

impl SessionCommand {
    /// Carries the command out. A message's response reports that it was accepted: its turn continues.
    pub(super) async fn run(self, opener: Opener, session: Option<SessionHandle>) -> Carried {
        let mut carried = Carried {
            opened: None,
            is_left: false,
            returned: Vec::new(),
            told: None,
            proposal: None,
            result: Ok(Value::Null),
        };
        carried.result = self.carry_out(&opener, session, &mut carried).await;
        carried
    }

    async fn carry_out(
        self,
        opener: &Opener,
        session: Option<SessionHandle>,
        carried: &mut Carried,
    ) -> HandlerResult<Value> {
        let (input, may_steer) = match self {
            Self::Prompt(input) => (input, true),
            Self::Queue(input) => (input, false),
            Self::Steer(input) => {
                let accepted = match session {
                    Some(session) => steer(&session, input).await?.map(|it| (session, it)),
                    None => None,
                };
                let idle =
                    || wire::failed("no turn runs", "start one with the command `pintle.prompt`");
                let (session, accepted) = accepted.ok_or_else(idle)?;
                return Ok(turn_response(&session, &accepted, "steered"));
            }
            Self::Stop => {
                let Some(session) = session else { return Ok(json!({"stopped": false})) };
                let stop = TurnInterruptParams::default();
                let stopped = session
                    .call::<TurnInterrupt>(stop)
                    .await
                    .map_err(|error| wire::refused(&error))?;
                carried.returned = stopped.returned;
                return Ok(json!({"stopped": stopped.turn_id.is_some()}));
            }
            Self::Decide(action) => {
                let session = session.ok_or_else(no_session)?;
                let (result, told) = review::decide(&session, action).await?;
                carried.told = told;
                return Ok(result);
            }
            Self::Rewind(count) => {
                let session = session.ok_or_else(no_session)?;
                carried.proposal = Some(rewind::look(&opener.client.engine, session, count).await?);
                return Ok(Value::Null);
            }
            Self::New => {
                if let Some(session) = session {
                    leave(&session, opener).await?;
                    carried.is_left = true;
                }
                return Ok(Value::Null);
            }
            Self::Open(id) => {
                if session.as_ref().is_some_and(|session| session.id == id) {
                    return Ok(json!({"sessionId": id}));
                }
                if let Some(session) = session {
                    leave(&session, opener).await?;
                    carried.is_left = true;
                }
                carried.opened = Some(opener.open(id.clone()).await?);
                return Ok(json!({"sessionId": id}));
            }
        };
        let session = match session {
            Some(session) => session,
            None => carried.opened.insert(opener.create().await?).session.clone(),
        };
        if may_steer && let Some(turn) = steer(&session, input.clone()).await? {
            return Ok(turn_response(&session, &turn, "steered"));
        }
        let when_busy = WhenBusy::Queue;
        let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
        let accepted =
            session.call::<TurnStart>(start).await.map_err(|error| wire::refused(&error))?;
        let disposition = match accepted.disposition {
            Disposition::Started => "started",
            Disposition::Queued => "queued",
        };
        Ok(turn_response(&session, &accepted.turn_id, disposition))
    }
}

/// Puts a message into the running turn, and returns that turn; `None` if none runs.
async fn steer(session: &SessionHandle, input: Vec<Input>) -> HandlerResult<Option<TurnId>> {
    let steer = TurnSteerParams { input, ..TurnSteerParams::default() };
    let steered = session.steer(steer).await.map_err(|error| wire::refused(&error))?;
    Ok(steered.map(|steered| steered.turn_id))
}

fn turn_response(session: &SessionHandle, turn: &TurnId, disposition: &str) -> Value {
    json!({"sessionId": session.id, "turnId": turn, "disposition": disposition})
}

/// Closes the session, unless a turn runs in it.
async fn leave(session: &SessionHandle, opener: &Opener) -> HandlerResult<()> {
    let failed = |error: pintle_agent::Error| -> ErrorObjectOwned { wire::refused(&error) };
    if snapshot(session).await.map_err(failed)?.state.value != StateValue::Idle {
        let hint = "stop it with the command `pintle.stop`";
        return Err(wire::failed("a turn is running in the session", hint));
    }
    opener.client.close(session).await.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

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
