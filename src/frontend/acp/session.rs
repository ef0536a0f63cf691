//! A session that this connection has open: its prompts that wait for an answer, and when its updates may be sent.
//!
//! Invariant: what belongs to a turn is sent between the turn's begin and the answer to its prompt. Clients take anything else
//! for a mistake, so what happens between turns waits for the next one.

use super::settings::Settings;
use super::translator::Translator;
use super::wire;
use crate::agent::SessionHandle;
use agent_client_protocol_schema::v1 as acp;
use jsonrpsee::types::{ErrorObjectOwned, Id};
use pintle_protocol::error::{AUTH_REQUIRED, INTERNAL_ERROR};
use pintle_protocol::event::{QueuedInput, StopReason, TurnCompleted, TurnError, TurnStatus};
use pintle_protocol::ids::{ItemId, TurnId};
use serde_json::json;

/// The most updates that wait for a turn; the oldest go first.
const MAX_HELD: usize = 256;

/// A prompt that is not answered yet.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) id: Id<'static>,
    pub(super) turn: TurnId,
    /// Its message; none where it asked for something else than an answer of the model.
    pub(super) item: Option<ItemId>,
}

/// An open session.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) handle: SessionHandle,
    pub(super) id: acp::SessionId,
    /// The working directory.
    pub(super) cwd: String,
    pub(super) translator: Translator,
    pub(super) settings: Settings,
    pub(super) prompts: Vec<Prompt>,
    /// The names of the MCP servers that the client wants in this session.
    pub(super) servers: Vec<String>,
    /// The last event that was told when the session was loaded.
    pub(super) told_to: u64,
    running: Option<TurnId>,
    held: Vec<(acp::SessionUpdate, Option<u64>)>,
}

impl OpenSession {
    pub(super) fn new(
        handle: SessionHandle,
        cwd: String,
        translator: Translator,
        settings: Settings,
    ) -> Self {
        let id = acp::SessionId::new(handle.id.as_str());
        let (prompts, servers, held) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            handle,
            id,
            cwd,
            translator,
            settings,
            prompts,
            servers,
            told_to: 0,
            running: None,
            held,
        }
    }

    /// Goes on from the same session as it was open before.
    pub(super) fn take_over(&mut self, before: Self) {
        let Self { prompts, running, mut held, .. } = before;
        held.append(&mut self.held);
        (self.prompts, self.running, self.held) = (prompts, running, held);
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// An update that may be sent at any time.
    pub(super) fn message(&self, update: acp::SessionUpdate, seq: Option<u64>) -> Vec<u8> {
        wire::update(&self.id, update, seq)
    }

    /// The messages of updates that belong to a turn; none when they have to wait.
    pub(super) fn in_turn(
        &mut self,
        updates: Vec<acp::SessionUpdate>,
        seq: Option<u64>,
    ) -> Vec<Vec<u8>> {
        if self.is_running() {
            return updates.into_iter().map(|update| self.message(update, seq)).collect();
        }
        // What may be lost between turns is lost there.
        if seq.is_some() {
            self.hold(updates, seq);
        }
        Vec::new()
    }

    /// Keeps updates until the next turn.
    pub(super) fn hold(&mut self, updates: Vec<acp::SessionUpdate>, seq: Option<u64>) {
        self.held.extend(updates.into_iter().map(|update| (update, seq)));
        if let Some(over) = self.held.len().checked_sub(MAX_HELD) {
            self.held.drain(..over);
        }
    }

    /// A turn has begun: what waited for it.
    pub(super) fn begin(&mut self, turn: TurnId) -> Vec<Vec<u8>> {
        self.running = Some(turn);
        let held = std::mem::take(&mut self.held);
        held.into_iter().map(|(update, seq)| self.message(update, seq)).collect()
    }

    /// A turn has ended: the answers to its prompts.
    pub(super) fn end(
        &mut self,
        turn: Option<&TurnId>,
        end: &TurnCompleted,
    ) -> Vec<(Id<'static>, Vec<u8>)> {
        self.running = None;
        let (ended, open) = std::mem::take(&mut self.prompts)
            .into_iter()
            .partition(|prompt| Some(&prompt.turn) == turn);
        self.prompts = open;
        ended
            .into_iter()
            .map(|prompt: Prompt| (prompt.id.clone(), answer(&prompt.id, end)))
            .collect()
    }

    /// A message is read in this turn, which need not be the one that it was meant for.
    pub(super) fn read(&mut self, item: &ItemId, turn: Option<&TurnId>) {
        let Some(turn) = turn else { return };
        for prompt in self.prompts.iter_mut().filter(|prompt| prompt.item.as_ref() == Some(item)) {
            prompt.turn = turn.clone();
        }
    }

    /// Messages were handed back: the answers to their prompts.
    pub(super) fn removed(&mut self, inputs: &[QueuedInput]) -> Vec<(Id<'static>, Vec<u8>)> {
        let is_removed = |prompt: &Prompt| {
            inputs.iter().any(|input| prompt.item.as_ref() == Some(&input.item_id))
        };
        self.cancelled(is_removed)
    }

    /// The answers to all prompts of a session that is closed.
    pub(super) fn closed(&mut self) -> Vec<(Id<'static>, Vec<u8>)> {
        self.cancelled(|_| true)
    }

    fn cancelled(&mut self, is_meant: impl Fn(&Prompt) -> bool) -> Vec<(Id<'static>, Vec<u8>)> {
        let (meant, open) = std::mem::take(&mut self.prompts).into_iter().partition(is_meant);
        self.prompts = open;
        let stopped = acp::PromptResponse::new(acp::StopReason::Cancelled);
        let answers = meant.into_iter().map(|prompt: Prompt| {
            let message = wire::response(&prompt.id, &stopped);
            (prompt.id, message)
        });
        answers.collect()
    }
}

/// The answer to a prompt whose turn has ended.
fn answer(id: &Id<'static>, end: &TurnCompleted) -> Vec<u8> {
    let stop = match (end.status, end.stop, &end.error) {
        (TurnStatus::Failed, _, Some(error)) if error.code == "contentFilter" => {
            acp::StopReason::Refusal
        }
        // There is no stop reason for a turn that failed: the request has.
        (TurnStatus::Failed, _, Some(error)) => return wire::refusal(id, &failed(error)),
        (TurnStatus::Interrupted, ..) => acp::StopReason::Cancelled,
        (_, Some(StopReason::MaxTokens), _) => acp::StopReason::MaxTokens,
        (_, Some(StopReason::Refusal), _) => acp::StopReason::Refusal,
        (_, Some(StopReason::Limit), _) => acp::StopReason::MaxTurnRequests,
        (_, Some(StopReason::EndTurn | StopReason::ToolUse | StopReason::Other) | None, _) => {
            acp::StopReason::EndTurn
        }
    };
    let spent = json!({
        "usage": end.usage,
        "steps": end.steps,
        "durationMs": end.duration_ms,
    });
    wire::response(id, &acp::PromptResponse::new(stop).meta(wire::meta("pintle", spent)))
}

fn failed(error: &TurnError) -> ErrorObjectOwned {
    let TurnError { code, message, hint, retryable, http_status } = error;
    let number = if code == "auth" { AUTH_REQUIRED } else { INTERNAL_ERROR };
    let words = match hint {
        Some(hint) => format!("{message} ({hint})"),
        None => message.clone(),
    };
    let data =
        json!({"code": code, "hint": hint, "retryable": retryable, "httpStatus": http_status});
    ErrorObjectOwned::owned(number, words, Some(data))
}
