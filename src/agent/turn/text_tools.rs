//! Offers tools as text when a model turns out to be unable to call them.
//!
//! The question is asked once per model and session, and only if a client can answer it: unattended turns fail with the provider's error.

use crate::host::TurnHost;
use crate::turn::context::TurnContext;
use pintle_llm::Error;
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use pintle_protocol::ids::ItemId;
use pintle_protocol::question::QuestionKind;
use pintle_session::history::recovery::TEXT_TOOLS;
use pintle_tools::{Ask, Client};
use std::sync::atomic::Ordering;

const YES: &str = "Yes, in this session";
const NO: &str = "No";

/// Asks whether the model gets its tools as text if the provider's error is about tools. Returns true if the request is to be sent
/// again.
pub(super) async fn offer<H: TurnHost>(host: &mut H, ctx: &TurnContext, error: &Error) -> bool {
    let model = &ctx.llm.current().model;
    let name = model.origin();
    let is_open = error.refuses_tools() && ctx.llm.is_session_model();
    if !is_open || !host.offer_text_tools(&name) {
        return false;
    }
    let ask = Ask {
        kind: QuestionKind::Choice,
        text: format!(
            "{name} cannot call tools. Describe the tools in its prompt and read calls from its text?"
        ),
        plan: None,
        options: vec![YES.to_owned(), NO.to_owned()],
        multiple: false,
    };
    let client = Client::new(ctx.tools.client.clone(), ItemId::new(ctx.ambient.new_id()));
    let is_accepted = match host.wait(client.ask(ask)).await {
        Ok(outcome) => outcome.chosen.first().is_some_and(|chosen| chosen == YES),
        Err(_) => false,
    };
    if !is_accepted {
        return false;
    }
    host.use_text_tools(&name);
    ctx.llm.as_text.store(true, Ordering::Relaxed);
    host.record(Event::Notice(Notice {
        level: NoticeLevel::Info,
        code: TEXT_TOOLS.to_owned(),
        message: format!("{name} gets its tools as text in this session"),
        hint: Some(format!(
            "set `models.\"{}\".text_tools = true` in [providers.{}] to use them from the start",
            model.id, model.provider
        )),
    }));
    true
}
