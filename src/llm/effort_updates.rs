//! Changes of the effort within a conversation. Pure.
//!
//! An effort in a request's parameters is part of the cached prefix: changing it makes the whole conversation uncached. Some models accept
//! the change as an item of the conversation instead. The parameters then keep the first effort, and each change stays at its position, so
//! that every request continues the previous one.
//!
//! Source: platform.claude.com/docs/en/build-with-claude/effort-per-message; developers.openai.com/api/docs/guides/reasoning, "change
//! reasoning mid-conversation"; read 2026-11.

use crate::{Effort, Message, Request};
use std::ops::Range;

/// A conversation's efforts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EffortUpdates<L> {
    /// The level in the request's parameters; `None` if no effort was ever set.
    pub(super) base: Option<L>,
    /// The changes, in order.
    pub(super) changes: Vec<Change<L>>,
}

impl<L> Default for EffortUpdates<L> {
    fn default() -> Self {
        Self { base: None, changes: Vec::new() }
    }
}

/// A change of the level.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change<L> {
    /// Positions of user messages whose reply is the first at this level.
    pub(super) asked: Range<usize>,
    /// The new level.
    pub(super) level: L,
}

/// Returns the efforts of a conversation with this model. `level` returns the level of an effort, or of the model's default for `None`; if
/// it returns `None`, the reply leaves the level as it is.
///
/// A change takes effect with a user message. Efforts that change while tools are running wait for the next one.
pub(super) fn collect<L: Copy + PartialEq>(
    request: &Request,
    level: impl Fn(Option<Effort>) -> Option<L>,
) -> EffortUpdates<L> {
    let mut updates = EffortUpdates { base: None, changes: Vec::new() };
    let mut current = None;
    let mut asked = 0..0;
    let mut apply = |effort: Option<Effort>, asked: &Range<usize>| {
        let Some(next) = level(effort) else { return };
        match current {
            // Before the first effort, the level was not known.
            None if effort.is_none() => {}
            None => (updates.base, current) = (Some(next), Some(next)),
            Some(now) if now == next || asked.is_empty() => {}
            Some(_) => {
                updates.changes.push(Change { asked: asked.clone(), level: next });
                current = Some(next);
            }
        }
    };
    for (index, message) in request.messages.iter().enumerate() {
        match &**message {
            Message::User(_) if asked.end == index && !asked.is_empty() => asked.end = index + 1,
            Message::User(_) => asked = index..index + 1,
            Message::ToolResult(_) => asked = 0..0,
            Message::Assistant(reply) => {
                if reply.origin == request.origin {
                    apply(reply.effort, &asked);
                }
                asked = 0..0;
            }
        }
    }
    apply(request.effort, &asked);
    updates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assistant, ToolResult};
    use pintle_protocol::content::Content;
    use pintle_protocol::event::StopReason;
    use std::sync::Arc;

    /// Builds a conversation: `u` user, `t` tool result, `h` and `l` replies at high and low, `d` at the default, `x` of another model.
    fn conversation(script: &str, effort: Option<Effort>) -> Request {
        let reply = |effort, model: &str| {
            Message::Assistant(Assistant {
                blocks: Vec::new(),
                origin: format!("p/{model}"),
                stop: StopReason::EndTurn,
                effort,
            })
        };
        let messages = script.chars().map(|kind| match kind {
            'u' => Message::User(vec![Content::text("a")]),
            't' => Message::ToolResult(ToolResult {
                call_id: "c".to_owned(),
                tool_name: "t".to_owned(),
                content: Vec::new(),
                is_error: false,
            }),
            'h' => reply(Some(Effort::High), "m"),
            'l' => reply(Some(Effort::Low), "m"),
            'd' => reply(None, "m"),
            'x' => reply(Some(Effort::Max), "other"),
            kind => panic!("{kind}"),
        });
        Request {
            model: "m".to_owned(),
            origin: "p/m".to_owned(),
            system: "s".into(),
            messages: messages.map(Arc::new).collect(),
            tools: Vec::new().into(),
            effort,
            max_output_tokens: None,
            cache_key: None,
            output_schema: None,
            trace: crate::Trace::default(),
        }
    }

    #[test]
    fn the_parameters_keep_the_first_effort_and_changes_their_positions() {
        let (high, low) = (Some(Effort::High), Some(Effort::Low));
        for (script, effort, want) in [
            ("u", None, "none"),
            ("u", high, "high"),
            ("uhu", high, "high"),
            ("uhu", low, "high, low before 2..3"),
            ("uhuu", low, "high, low before 2..4"),
            ("uhuluhu", low, "high, low before 2..3, high before 4..5, low before 6..7"),
            // An effort that is set later rewrites the parameters once.
            ("udu", low, "low"),
            ("uduhu", high, "high"),
            // The default counts as a separate level.
            ("uhu", None, "high, medium before 2..3"),
            ("uhudu", low, "high, medium before 2..3, low before 4..5"),
            // A change while tools run waits for the next message.
            ("uht", low, "high"),
            ("uhtltu", low, "high, low before 5..6"),
            ("uhtu", low, "high, low before 3..4"),
            // The efforts of other models do not count.
            ("uhuxu", high, "high"),
            ("uxu", low, "low"),
        ] {
            let level = |effort: Option<Effort>| Some(effort.unwrap_or(Effort::Medium));
            let EffortUpdates { base, changes } = collect(&conversation(script, effort), level);
            let base = base.map_or("none", Effort::name).to_owned();
            let changes = changes
                .iter()
                .map(|change| format!(", {} before {:?}", change.level.name(), change.asked));
            assert_eq!(base + &changes.collect::<String>(), want, "{script} {effort:?}");
        }
    }
}
