//! The warning about a local server whose context is smaller than what it was sent.

use crate::host::{Host, uncancelled};
use crate::turn::context::TurnContext;
use crate::turn::meter::Meter;
use pintle_llm::{Message, ModelRef, ServedWindow, ToolSpec};
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use std::sync::Arc;

/// The number of replies after which a server that tells nothing is not asked again.
const MAX_QUESTIONS: u8 = 3;

/// What is known of the context that a local server gives the session's model.
#[derive(Debug, Default)]
pub(crate) struct ServedContext {
    model: Option<ModelRef>,
    questions: u8,
    window: Option<ServedWindow>,
    is_told: bool,
}

/// Compares what was sent with the context of a local server, and warns once if it was longer. The server is asked after its reply, since
/// most tell the context of a loaded model alone.
pub(super) async fn check<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    served: &mut ServedContext,
    tools: &[ToolSpec],
    messages: &[Arc<Message>],
) {
    let model = &ctx.llm.model;
    if served.model.as_ref() != Some(model) {
        *served = ServedContext { model: Some(model.clone()), ..ServedContext::default() };
    }
    if served.is_told {
        return;
    }
    if served.window.is_none() && served.questions < MAX_QUESTIONS {
        served.questions += 1;
        let asking = uncancelled(&ctx.cancel, ctx.llm.provider.served_window(&model.id));
        served.window = host.wait(asking).await.flatten();
    }
    let Some(ServedWindow { tokens: window, server, remedy }) = served.window else { return };
    // Not what the server counted, which is no more than it kept.
    let sent = Meter::default().tokens(&ctx.system, tools, messages);
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
