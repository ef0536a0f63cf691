//! Context commands: the last request to the model, window usage, compaction on request.

use super::{Phase, Session};
use crate::background::in_background;
use crate::command::Reply;
use crate::error::{Error, ErrorKind};
use crate::turn::context::{TurnState, Work};
use crate::turn::meter::specs;
use pintle_llm::{Messages, ToolSpec};
use pintle_protocol::context::{
    ContextReadResult, ContextUsage, SessionCompactParams, SessionCompactResult,
};
use pintle_protocol::ids::TurnId;
use pintle_session::context::inspect::RequestParts;
use pintle_session::history::keys::Effect;
use pintle_session::history::replay;

impl Session {
    /// Starts a compaction.
    pub(super) fn compact(
        &mut self,
        params: SessionCompactParams,
        reply: Reply<SessionCompactResult>,
    ) {
        if let Some(earlier) = self.begun_before() {
            let _ = reply.send(earlier.map(|turn_id| SessionCompactResult { turn_id }));
            return;
        }
        if let Phase::Running(running) = &self.phase {
            let busy = ErrorKind::Busy(running.turn_id.clone());
            let _ = reply.send(Err(Error::new(busy, "a turn is running").hint(
                "compact after it ends; this happens automatically when the context window is nearly full",
            )));
            return;
        }
        match self.services.models.provider(&self.settings.model) {
            Ok(provider) => {
                let turn_id = TurnId::new(self.services.ambient.new_id());
                let _ = reply.send(Ok(SessionCompactResult { turn_id: turn_id.clone() }));
                self.begin_turn(turn_id, Work::Compact(params.instructions), provider);
            }
            Err(error) => {
                let _ = reply.send(Err(error.into()));
            }
        }
    }

    /// Returns the turn that an earlier request with the same key started, if any.
    fn begun_before(&self) -> Option<Result<TurnId, Error>> {
        let key = self.log.cause.as_ref()?.key.as_ref()?;
        Some(match self.log.keys.effect(key)? {
            Effect::Began(turn_id) => Ok(turn_id.clone()),
            Effect::Accepted { .. } | Effect::Noted { .. } | Effect::Ran { .. } => {
                Err(Error::other_request(key))
            }
        })
    }

    /// Reads a stored session's conversation, unless that has been done.
    pub(super) async fn read_conversation(&mut self, state: &mut TurnState) -> Result<(), Error> {
        if state.is_unread {
            let (store, id) = (self.services.store.clone(), self.log.id.clone());
            state.conversation = in_background(move || replay::stored(&store, &id)).await?;
            state.is_unread = false;
        }
        Ok(())
    }

    /// Like [`Self::read_conversation`], for a session in which no turn runs.
    pub(super) async fn read_own_conversation(&mut self) -> Result<(), Error> {
        let Phase::Idle(state) = &mut self.phase else { return Ok(()) };
        let mut state = std::mem::take(state);
        let read = self.read_conversation(&mut state).await;
        self.phase = Phase::Idle(state);
        read
    }

    /// Returns the last request to the model, or the next one if none was sent. A summary omits the texts.
    pub(super) async fn read_context(
        &mut self,
        is_summary: bool,
    ) -> Result<ContextReadResult, Error> {
        if self.view.sent.is_none() {
            self.read_own_conversation().await?;
        }
        Ok(self.context(is_summary))
    }

    fn context(&self, is_summary: bool) -> ContextReadResult {
        let would_be;
        let sent = match (&self.view.sent, &self.phase) {
            (Some(sent), _) => &**sent,
            (None, Phase::Idle(state)) => {
                let messages = state.conversation.messages.clone().into();
                let system = state.prompt_state.system().into();
                would_be = RequestParts { system, tools: self.tool_specs(), messages };
                &would_be
            }
            (None, Phase::Running(_)) => {
                let (system, tools) = ("".into(), self.tool_specs());
                would_be = RequestParts { system, tools, messages: Messages::default() };
                &would_be
            }
        };
        let (usage, sources) = (self.context_usage(), sent.sources());
        if is_summary {
            return ContextReadResult { usage, sources, ..ContextReadResult::default() };
        }
        ContextReadResult {
            usage,
            sources,
            system: Some(sent.system.to_string()),
            tools: sent.tools(),
            messages: sent.messages(),
        }
    }

    /// Returns the window usage.
    pub(super) fn context_usage(&self) -> ContextUsage {
        if let Some(usage) = &self.view.usage {
            return usage.clone();
        }
        let known = self.services.models.model(&self.settings.model);
        let tokens = match &self.phase {
            Phase::Idle(state) => {
                let mut meter = state.meter;
                let messages = &state.conversation.messages;
                meter.tokens(state.prompt_state.system(), &self.tool_specs(), messages)
            }
            // Reported with the first reply.
            Phase::Running(_) => 0,
        };
        ContextUsage { tokens, window: known.and_then(|known| known.window) }
    }

    fn tool_specs(&self) -> std::sync::Arc<[ToolSpec]> {
        specs(&self.tools(), &self.services.tools.settings)
    }
}
