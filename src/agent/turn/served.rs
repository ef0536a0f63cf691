//! A warning about a local server whose context is smaller than the request.

use crate::host::{TurnHost, uncancelled};
use crate::turn::context::TurnContext;
use crate::turn::meter::Meter;
use pintle_llm::{Messages, ModelRef, ServedWindow, ToolSpec};
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use pintle_session::context::estimate;
use std::sync::atomic::Ordering;

/// The number of replies after which a server that does not report its context is no longer queried.
const MAX_QUESTIONS: u8 = 3;

/// The smallest context, in tokens, for which a conversation is compacted: less has no room for the engine's prompt and a summary.
const SMALLEST_WINDOW: u64 = 10_000;

/// What is known of the context that a local server gives the session's model.
#[derive(Debug, Default)]
pub(crate) struct ServedContext {
    model: Option<ModelRef>,
    questions: u8,
    window: Option<ServedWindow>,
    /// The last request's messages, and their estimated tokens.
    estimated: (u64, Messages),
    is_told: bool,
}

impl ServedContext {
    /// Estimates the messages' tokens; those of the previous request are known.
    fn estimate(&mut self, messages: &Messages) -> u64 {
        let (known, before) = Some(&self.estimated)
            .filter(|(_, before)| messages.begin_with(before))
            .map_or((0, 0), |(tokens, before)| (*tokens, before.len()));
        let new = messages.skip(before).map(|message| estimate::message(message));
        let tokens = known + new.sum::<u64>();
        self.estimated = (tokens, messages.clone());
        tokens
    }
}

/// Tells a turn the context size that is known from earlier replies of its session's model.
pub(super) fn begin(ctx: &TurnContext, served: &ServedContext) {
    let is_of_session = served.model.as_ref() == Some(&ctx.llm.session.model);
    let window = served.window.filter(|window| is_of_session && window.tokens >= SMALLEST_WINDOW);
    if let Some(window) = window {
        ctx.llm.served_window.store(window.tokens, Ordering::Relaxed);
    }
}

/// Compares the request's size with a local server's context, and warns once if it was longer. The server is queried after its reply, since
/// most report only a loaded model's context.
pub(super) async fn check<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    served: &mut ServedContext,
    tools: &[ToolSpec],
    messages: &Messages,
) {
    let model = &ctx.llm.current().model;
    if served.model.as_ref() != Some(model) {
        *served = ServedContext { model: Some(model.clone()), ..ServedContext::default() };
    }
    if served.is_told {
        return;
    }
    if served.window.is_none() && served.questions < MAX_QUESTIONS {
        served.questions += 1;
        let asking = uncancelled(&ctx.cancel, ctx.llm.current().provider.served_window(&model.id));
        served.window = host.wait(asking).await.flatten();
    }
    begin(ctx, served);
    let Some(ServedWindow { tokens: window, server, remedy }) = served.window else { return };
    // The server's count is useless here, since it covers only the part that it kept.
    let sent = Meter::default().tokens(&ctx.system, tools, &[]) + served.estimate(messages);
    if sent <= window {
        return;
    }
    served.is_told = true;
    host.record(Event::Notice(Notice {
        level: NoticeLevel::Warning,
        code: "servedContextTooSmall".to_owned(),
        message: format!(
            "{server} limits {} to a context of {window} tokens, but the prompt has about {sent}: the model may not see all of it",
            model.id
        ),
        hint: Some(remedy.to_owned()),
    }));
}
