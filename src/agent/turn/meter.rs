//! A conversation's size in tokens: the provider's last count, plus an estimate for later messages.
//!
//! A provider's count takes precedence over the estimate. Later messages are estimated, and if the two differ, the amount to keep shrinks
//! proportionally.

use pintle_llm::{BuiltIn, Message, ToolSpec};
use pintle_protocol::content::Usage;
use pintle_session::context::estimate;
use pintle_tools::{Builtin, Declaration, Settings, Tool, declarations};
use std::sync::Arc;

/// A conversation's size: the provider's count, plus an estimate for later messages.
///
/// Each message is estimated once, so that measuring a long conversation costs no more than a short one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meter {
    /// The provider's count, and how many messages it is of.
    pub(crate) counted: Option<(u64, usize)>,
    /// The estimate of so many messages from the first on, and how many they are.
    pub(crate) estimated: (u64, usize),
    /// The estimate of system prompt and tools in this turn.
    frame: Option<u64>,
    /// True if the user was warned that the window is nearly full.
    pub(crate) is_warned: bool,
}

impl Meter {
    /// Starts a turn: system prompt and tools may have changed.
    pub(crate) fn begin(&mut self) {
        self.frame = None;
    }

    /// Takes the provider's count of a conversation with its reply.
    pub(crate) fn count(&mut self, usage: &Usage, messages: usize) {
        if let Some(tokens) = estimate::counted(usage) {
            self.counted = Some((tokens, messages));
        }
    }

    /// Estimates the next request's tokens.
    pub(crate) fn tokens(
        &mut self,
        system: &str,
        tools: &[ToolSpec],
        messages: &[Arc<Message>],
    ) -> u64 {
        if let Some((tokens, counted)) = self.counted {
            return tokens + sum(messages.get(counted..).unwrap_or_default());
        }
        let (so_far, of) = self.estimated;
        let all = so_far + sum(messages.get(of..).unwrap_or_default());
        self.estimated = (all, messages.len().max(of));
        let frame = || estimate::text(system) + estimate::tools(tools);
        all + *self.frame.get_or_insert_with(frame)
    }
}

/// Returns the messages' estimated tokens.
pub(crate) fn sum(messages: &[Arc<Message>]) -> u64 {
    messages.iter().map(|message| estimate::message(message)).sum()
}

/// Returns the tool specifications for a session's requests.
pub(crate) fn specs(tools: &[Arc<dyn Tool>], settings: &Settings) -> Arc<[ToolSpec]> {
    let declared = tools.iter().zip(declarations(tools, settings));
    let spec = |(tool, declaration): (&Arc<dyn Tool>, Declaration)| {
        let Declaration { description, parameters, grammar } = declaration;
        let is_search = tool.does() == Some(Builtin::WebSearch);
        let built_in = is_search.then_some(BuiltIn::WebSearch);
        ToolSpec { name: tool.name().to_owned(), description, parameters, grammar, built_in }
    };
    declared.map(spec).collect()
}
