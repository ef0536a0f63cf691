//! An open session: prompts that await a response, and the order of updates.
//!
//! Invariant: updates of a turn are sent between the turn's start and the response to its prompt. Clients treat any other as an error, so
//! updates between turns wait for the next turn.

use super::settings::Settings;
use super::translator::Translator;
use super::wire;
use crate::rpc;
use agent_client_protocol_schema::v1 as acp;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::SessionHandle;
use pintle_base::transport::envelope::Id;
use pintle_protocol::error::{AUTH_REQUIRED, INTERNAL_ERROR};
use pintle_protocol::event::{QueuedInput, StopReason, TurnCompleted, TurnError, TurnStatus};
use pintle_protocol::ids::{ItemId, TurnId};
use serde_json::json;

/// The maximum number of updates that wait for a turn; the oldest are dropped first.
const MAX_HELD: usize = 256;

/// A prompt without a response.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) id: Id,
    pub(super) turn: TurnId,
    /// Its message; `None` for `/compact`.
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
    /// The last event that was sent when the session was loaded.
    pub(super) sent_to: u64,
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
        let (prompts, held) = (Vec::new(), Vec::new());
        Self { handle, id, cwd, translator, settings, prompts, sent_to: 0, running: None, held }
    }

    /// Takes over the prompts and updates of the same session, opened before.
    pub(super) fn take_over(&mut self, before: Self) {
        let Self { prompts, running, mut held, .. } = before;
        held.append(&mut self.held);
        (self.prompts, self.running, self.held) = (prompts, running, held);
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Returns the message for an update that may be sent at any time.
    pub(super) fn message(&self, update: acp::SessionUpdate, seq: Option<u64>) -> Vec<u8> {
        wire::update(&self.id, update, seq)
    }

    /// Returns the messages of updates that belong to a turn; none while they have to wait.
    pub(super) fn in_turn(
        &mut self,
        updates: Vec<acp::SessionUpdate>,
        seq: Option<u64>,
    ) -> Vec<Vec<u8>> {
        if self.is_running() {
            return updates.into_iter().map(|update| self.message(update, seq)).collect();
        }
        // A transient update between turns is dropped.
        if seq.is_some() {
            self.hold(updates, seq);
        }
        Vec::new()
    }

    /// Holds updates until the next turn.
    pub(super) fn hold(&mut self, updates: Vec<acp::SessionUpdate>, seq: Option<u64>) {
        self.held.extend(updates.into_iter().map(|update| (update, seq)));
        if let Some(over) = self.held.len().checked_sub(MAX_HELD) {
            self.held.drain(..over);
        }
    }

    /// Begins a turn and returns the messages that waited for it.
    pub(super) fn begin(&mut self, turn: TurnId) -> Vec<Vec<u8>> {
        self.running = Some(turn);
        let held = std::mem::take(&mut self.held);
        held.into_iter().map(|(update, seq)| self.message(update, seq)).collect()
    }

    /// Ends a turn and returns the responses to its prompts.
    pub(super) fn end(&mut self, turn: Option<&TurnId>, end: &TurnCompleted) -> Vec<(Id, Vec<u8>)> {
        self.running = None;
        let (ended, open) = std::mem::take(&mut self.prompts)
            .into_iter()
            .partition(|prompt| Some(&prompt.turn) == turn);
        self.prompts = open;
        ended
            .into_iter()
            .map(|prompt: Prompt| (prompt.id.clone(), response(&prompt.id, end)))
            .collect()
    }

    /// Notes that a message is read in this turn, which may differ from the turn it was sent for.
    pub(super) fn read(&mut self, item: &ItemId, turn: Option<&TurnId>) {
        let Some(turn) = turn else { return };
        for prompt in self.prompts.iter_mut().filter(|prompt| prompt.item.as_ref() == Some(item)) {
            prompt.turn = turn.clone();
        }
    }

    /// Returns the responses to prompts whose messages were handed back.
    pub(super) fn removed(&mut self, inputs: &[QueuedInput]) -> Vec<(Id, Vec<u8>)> {
        let is_removed = |prompt: &Prompt| {
            inputs.iter().any(|input| prompt.item.as_ref() == Some(&input.item_id))
        };
        self.cancelled(is_removed)
    }

    /// Returns the responses to all prompts of a closed session.
    pub(super) fn closed(&mut self) -> Vec<(Id, Vec<u8>)> {
        self.cancelled(|_| true)
    }

    fn cancelled(&mut self, is_cancelled: impl Fn(&Prompt) -> bool) -> Vec<(Id, Vec<u8>)> {
        let (cancelled, open) =
            std::mem::take(&mut self.prompts).into_iter().partition(is_cancelled);
        self.prompts = open;
        let stopped = acp::PromptResponse::new(acp::StopReason::Cancelled);
        let responses = cancelled.into_iter().map(|prompt: Prompt| {
            let message = rpc::response(&prompt.id, &stopped);
            (prompt.id, message)
        });
        responses.collect()
    }
}

/// Returns the response to a prompt whose turn has ended.
fn response(id: &Id, end: &TurnCompleted) -> Vec<u8> {
    let stop = match (end.status, end.stop, &end.error) {
        (TurnStatus::Failed, _, Some(error)) if error.code == "contentFilter" => {
            acp::StopReason::Refusal
        }
        // A failed turn has no stop reason: the request fails.
        (TurnStatus::Failed, _, Some(error)) => return rpc::error_response(id, &failed(error)),
        (TurnStatus::Interrupted, ..) => acp::StopReason::Cancelled,
        (_, Some(StopReason::MaxTokens), _) => acp::StopReason::MaxTokens,
        (_, Some(StopReason::Refusal), _) => acp::StopReason::Refusal,
        (_, Some(StopReason::Limit | StopReason::Paused), _) => acp::StopReason::MaxTurnRequests,
        (_, Some(StopReason::EndTurn | StopReason::ToolUse | StopReason::Other) | None, _) => {
            acp::StopReason::EndTurn
        }
    };
    let spent = json!({
        "usage": end.usage,
        "steps": end.steps,
        "durationMs": end.duration_ms,
    });
    rpc::response(id, &acp::PromptResponse::new(stop).meta(wire::meta("pintle", spent)))
}

fn failed(error: &TurnError) -> ErrorObjectOwned {
    let TurnError { code, message, hint, retryable, http_status } = error;
    let number = if code == "auth" { AUTH_REQUIRED } else { INTERNAL_ERROR };
    let text = match hint {
        Some(hint) => format!("{message} ({hint})"),
        None => message.clone(),
    };
    let data =
        json!({"code": code, "hint": hint, "retryable": retryable, "httpStatus": http_status});
    ErrorObjectOwned::owned(number, text, Some(data))
}
