//! The one fake model: it answers from a script, for tests and for the demo.
//!
//! Unlike a cassette, a script consists of deltas and knows no wire format. Each request is first checked for the
//! invariants of a conversation, so an agent that builds a broken one fails loudly.
//!
//! # Example
//!
//! ```
//! use futures_util::TryStreamExt;
//! use pintle_llm::one_shot::{self, Answer};
//! use pintle_llm::script::{Reply, Script};
//! use pintle_llm::{ErrorKind, ModelRef, Provider};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let script = Script::new([
//!     Reply::new().text("Fix the parser"),
//!     Reply::failing(ErrorKind::RateLimit, "slow down"),
//! ]);
//! let model: ModelRef = "script/test".parse()?;
//! let request = one_shot::request(&model, "Write a title.", "The parser fails.", 100);
//!
//! let mut answer = Answer::default();
//! let mut deltas = script.stream(request.clone()).await?;
//! while let Some(delta) = deltas.try_next().await? {
//!     answer.push(delta);
//! }
//! assert_eq!(answer.text, "Fix the parser");
//! assert!(answer.is_whole);
//!
//! let error = script.stream(request).await.err().unwrap();
//! assert!(error.is_retryable());
//! # Ok(())
//! # }
//! ```
#![expect(clippy::disallowed_methods, reason = "a script is read from a file that the user names")]

mod reply;

pub use reply::{Block, Failure, Reply};

/// Hint for a file that is not a script.
const HINT: &str = "a script is {\"replies\":[{\"blocks\":[{\"text\":\"…\"}]}]}; `pintle help scripting` describes it";

/// JSON Schema of a script file.
pub const SCHEMA: &str = include_str!("script/schema.json");

use super::{
    BlockStart, Delta, DeltaStream, Error, ErrorKind, Message, Messages, Opaque, Provider, Request,
    invariants::Checked,
};
use futures_util::StreamExt;
use futures_util::stream;
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// A model that answers from a script, one reply for each request, in order. Clones share everything.
#[derive(Debug, Clone)]
pub struct Script(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    gates: watch::Sender<Gates>,
    delay: Duration,
}

#[derive(Debug)]
struct State {
    replies: VecDeque<Reply>,
    requests: Vec<Request>,
    /// Conversation of the last request; `None` if it broke a rule.
    checked: Option<Checked>,
    calls: u64,
}

#[derive(Debug, Default)]
struct Gates {
    open: BTreeSet<String>,
    reached: BTreeSet<String>,
}

/// The next step of a stream.
#[derive(Debug)]
enum Step {
    Delta(Delta),
    Gate(String),
    Fail(Error),
    Hang,
}

impl Script {
    /// Creates a script with these replies.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with_delay(replies, Duration::ZERO)
    }

    /// Creates a script that waits between deltas, so that a viewer can follow.
    pub fn with_delay(replies: impl IntoIterator<Item = Reply>, delay: Duration) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                replies: replies.into_iter().collect(),
                requests: Vec::new(),
                checked: None,
                calls: 0,
            }),
            gates: watch::Sender::new(Gates::default()),
            delay,
        }))
    }

    /// Parses a script: `{"replies":[{"blocks":[{"text":"…"}]}],"delayMs":0}`; see [`Reply`].
    ///
    /// # Errors
    /// [`ErrorKind::Replay`] with the first error's position.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let file = Self::parse(text).map_err(|why| {
            Error::new(ErrorKind::Replay, format!("not a script: {why}")).hint(HINT)
        })?;
        Ok(Self::with_delay(file.replies, Duration::from_millis(file.delay_ms)))
    }

    fn parse(text: &str) -> Result<reply::File, String> {
        // Some editors and shells write a byte order mark first.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('[') {
            return Err("expected an object with `replies`, not a list".to_owned());
        }
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// [`ErrorKind::Replay`] when the file cannot be read or is not a script.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::new(
                ErrorKind::Replay,
                format!("cannot read the script {}: {error}", path.display()),
            )
        })?;
        Self::from_json(&text).map_err(|error| {
            let message = format!("{}: {}", path.display(), error.message);
            Error { message, ..error }
        })
    }

    /// Adds a reply at the end.
    pub fn push(&self, reply: Reply) {
        self.state().replies.push_back(reply);
    }

    /// Removes the unused replies.
    pub fn clear(&self) {
        self.state().replies.clear();
    }

    /// Returns the requests so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// Returns the number of unused replies.
    pub fn remaining(&self) -> usize {
        self.state().replies.len()
    }

    /// Opens the gate for all replies, now and later.
    pub fn open(&self, gate: &str) {
        self.0.gates.send_modify(|gates| {
            gates.open.insert(gate.to_owned());
        });
    }

    /// Waits until a reply has reached the gate. Cancel-safe.
    pub async fn reached(&self, gate: &str) {
        let mut gates = self.0.gates.subscribe();
        // The sender lives in `self`, so this cannot fail.
        let _ = gates.wait_for(|gates| gates.reached.contains(gate)).await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pass(&self, gate: String) {
        let mut gates = self.0.gates.subscribe();
        self.0.gates.send_modify(|gates| {
            gates.reached.insert(gate.clone());
        });
        let _ = gates.wait_for(|gates| gates.open.contains(&gate)).await;
    }

    /// Takes the next reply and plays it out as steps.
    fn answer(&self, request: Request) -> Result<VecDeque<Step>, Error> {
        let mut state = self.state();
        // A request usually extends the last one; only the extension is checked.
        let before = state.requests.last();
        let is_extended = before.is_some_and(|last| request.messages.begin_with(&last.messages));
        let mut checked = state.checked.take().filter(|_| is_extended).unwrap_or_default();
        let is_legal = checked.go_on(request.messages.skip(checked.count()));
        let is_legal = is_legal.and_then(|()| checked.end());
        let place = place_of(&state.replies, &request.messages);
        state.requests.push(request);
        let number = state.requests.len();
        is_legal.map_err(|broken| {
            Error::new(ErrorKind::Replay, format!("request {number} breaks a rule: {broken}"))
        })?;
        let reply = place.and_then(|place| state.replies.remove(place)).ok_or_else(|| {
            Error::new(ErrorKind::Replay, format!("the script has no reply for request {number}"))
                .hint("add one to its `replies`")
        })?;
        let mut new_id = || loop {
            state.calls += 1;
            let id = format!("call_{}", state.calls);
            if !checked.ids().contains(&id) {
                return id;
            }
        };
        let steps = steps(reply, &mut new_id);
        state.checked = Some(checked);
        Ok(steps)
    }
}

#[async_trait::async_trait]
impl Provider for Script {
    async fn stream(&self, request: Request) -> Result<DeltaStream, Error> {
        let steps = self.answer(request)?;
        match steps.front() {
            Some(Step::Fail(error)) => return Err(error.clone()),
            Some(Step::Hang) => std::future::pending().await,
            Some(Step::Delta(_) | Step::Gate(_)) | None => {}
        }
        let script = self.clone();
        Ok(stream::unfold((script, steps), |(script, mut steps)| async move {
            loop {
                let delta = match steps.pop_front()? {
                    Step::Delta(delta) => Ok(delta),
                    Step::Fail(error) => Err(error),
                    Step::Hang => std::future::pending().await,
                    Step::Gate(gate) => {
                        script.pass(gate).await;
                        continue;
                    }
                };
                if !script.0.delay.is_zero() {
                    tokio::time::sleep(script.0.delay).await;
                }
                return Some((delta, (script, steps)));
            }
        })
        .boxed())
    }
}

/// Returns the reply for this conversation: the first that is reserved for it, else the first without a restriction.
fn place_of(replies: &VecDeque<Reply>, messages: &Messages) -> Option<usize> {
    let begins_with = |beginning: &str| match messages.first().map(|first| &**first) {
        Some(Message::User(content)) => content.iter().any(|block| match block {
            Content::Text { text } | Content::Document { text, .. } => text.contains(beginning),
            Content::Image { .. } => false,
        }),
        Some(Message::Assistant(_) | Message::ToolResult(_)) | None => false,
    };
    let own = |reply: &Reply| reply.of.as_deref().is_some_and(begins_with);
    let place = replies.iter().position(own);
    place.or_else(|| replies.iter().position(|reply| reply.of.is_none()))
}

/// A block ends when the next one begins or the reply stops, so a gate, a failure or a hang after it cuts it in the
/// middle; text after a gate continues the text before it.
fn steps(reply: Reply, new_id: &mut dyn FnMut() -> String) -> VecDeque<Step> {
    let mut steps = VecDeque::new();
    let mut stop = StopReason::EndTurn;
    let mut next = 0;
    let mut open: Option<(usize, BlockStart)> = None;
    let mut is_gated = false;
    steps.extend(reply.usage_first.map(|usage| Step::Delta(Delta::Usage(usage))));
    for block in reply.blocks {
        let (start, deltas) = match block {
            Block::Gate(name) => {
                is_gated = true;
                steps.push_back(Step::Gate(name));
                continue;
            }
            Block::Text(text) => (BlockStart::Text, split_words(&text)),
            Block::Reasoning { text, opaque } => {
                let raw = opaque.and_then(|json| serde_json::value::to_raw_value(&json).ok());
                let raw = raw.map(|raw| Piece::Opaque(Opaque(raw)));
                (BlockStart::Reasoning, split_words(&text).into_iter().chain(raw).collect())
            }
            Block::Tool { name, arguments } => {
                stop = StopReason::ToolUse;
                (BlockStart::ToolCall { id: new_id(), name }, pieces(&arguments))
            }
        };
        let goes_on = is_gated
            && matches!(
                (&open, &start),
                (Some((_, BlockStart::Text)), BlockStart::Text)
                    | (Some((_, BlockStart::Reasoning)), BlockStart::Reasoning)
            );
        is_gated = false;
        if !goes_on {
            steps.extend(open.take().map(|(index, _)| Step::Delta(Delta::End { index })));
            steps.push_back(Step::Delta(Delta::Start { index: next, block: start.clone() }));
            open = Some((next, start));
            next += 1;
        }
        let index = next - 1;
        steps.extend(deltas.into_iter().map(|piece| {
            Step::Delta(match piece {
                Piece::Text(text) => Delta::Text { index, text },
                Piece::Arguments(json) => Delta::Arguments { index, json },
                Piece::Opaque(raw) => Delta::Opaque { index, raw },
            })
        }));
    }
    if let Some(failure) = reply.error {
        steps.push_back(Step::Fail(failure.into()));
    } else if reply.hang {
        steps.push_back(Step::Hang);
    } else {
        steps.extend(open.map(|(index, _)| Step::Delta(Delta::End { index })));
        steps.extend(reply.usage.map(|usage| Step::Delta(Delta::Usage(usage))));
        steps.push_back(Step::Delta(Delta::Stop(reply.stop.unwrap_or(stop))));
    }
    steps
}

/// An addition to a block.
enum Piece {
    Text(String),
    Arguments(String),
    Opaque(Opaque),
}

/// Splits a text into one piece for each word, with the space after it.
fn split_words(text: &str) -> Vec<Piece> {
    text.split_inclusive(char::is_whitespace).map(|word| Piece::Text(word.to_owned())).collect()
}

/// Arguments in pieces of about this many bytes, so that they break inside names and strings.
const PIECE_BYTES: usize = 7;

fn pieces(text: &str) -> Vec<Piece> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let border = |at: &usize| rest.is_char_boundary(*at);
        let at = (PIECE_BYTES..rest.len()).find(border).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(at);
        pieces.push(Piece::Arguments(piece.to_owned()));
        rest = tail;
    }
    pieces
}

#[cfg(test)]
mod tests;
