//! Messages that a turn adds to the conversation, from the user and from the engine.

use crate::host::{TurnHost, uncancelled};
use crate::turn::context::{TurnContext, TurnState};
use crate::turn::inputs::{self, Rendered};
use crate::turn::prompt;
use pintle_llm::Message;
use pintle_os::names;
use pintle_protocol::event::{Event, QueuedInput};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{EngineMessage, ItemBody, ItemStatus, UserMessage};
use pintle_session::context::conversation::{Conversation, engine_message, from_engine};
use std::path::PathBuf;

/// The maximum number of changed files to list; the rest are only counted.
const MAX_CHANGED_FILES: usize = 20;

/// Adds an engine message with this text.
pub(super) fn add_text<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    text: String,
) {
    add(host, ctx, conversation, EngineMessage { text, ..EngineMessage::default() });
}

/// Adds an engine message and records it as a completed item.
pub(super) fn add<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    message: EngineMessage,
) {
    conversation.push(engine_message(&message));
    let id = ItemId::new(ctx.ambient.new_id());
    let mut item = ctx.item(id, None, ItemStatus::Completed, ItemBody::EngineMessage(message));
    item.end(ItemStatus::Completed, ctx.ambient.now_ms());
    host.record(Event::ItemCompleted { item });
}

/// Adds the host's pending news, such as review decisions and finished jobs.
pub(super) fn add_news<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
) {
    if let Some(message) = host.take_news() {
        add(host, ctx, conversation, message);
    }
}

/// Lists the files known to the model that the user or another program has changed since. Each change is reported once.
pub(super) async fn add_changed_files<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
) {
    let look = ctx.tools.read_tracker.changed(ctx.workspace.env.as_ref());
    let Some(mut changed) = host.wait(uncancelled(&ctx.cancel, look)).await else { return };
    changed.retain(|file| !state.files.is_of_session(file));
    if changed.is_empty() {
        return;
    }
    let listed = changed.iter().take(MAX_CHANGED_FILES).map(|file| {
        let gone = if file.digest.is_none() { " (removed)" } else { "" };
        format!("{}{gone}", names::shown(&file.path))
    });
    let mut lines: Vec<String> = listed.collect();
    if changed.len() > MAX_CHANGED_FILES {
        lines.push(format!("and {} more", changed.len() - MAX_CHANGED_FILES));
    }
    let text = from_engine(format_args!(
        "these files were changed by the user or another program since you last read or wrote them. Read them again before you \
        rely on their content.\n{}",
        lines.join("\n")
    ));
    add_text(host, ctx, &mut state.conversation, text);
}

/// Adds user messages, after which they count as read. Returns the files that they mention.
pub(super) async fn add_inputs<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    inputs: Vec<QueuedInput>,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for QueuedInput { item_id, content, .. } in inputs {
        let rendered = host.wait(inputs::render(ctx, &content)).await;
        let notice = rendered.notice();
        let Rendered { content: read, private, files: mentioned, .. } = rendered;
        files.extend(mentioned);
        conversation.push(Message::User(read));
        let body = ItemBody::UserMessage(UserMessage { content });
        let mut item = ctx.item(item_id, None, ItemStatus::Completed, body);
        item.end(ItemStatus::Completed, ctx.ambient.now_ms());
        host.record_with(Event::ItemCompleted { item }, private);
        if let Some(notice) = notice {
            host.record(Event::Notice(notice));
        }
    }
    files
}

/// Adds the rules and nested documents that apply to these files.
pub(super) async fn add_rules_for<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    files: &[PathBuf],
) {
    if !files.is_empty() {
        prompt::tell_rules(host, ctx, state, files).await;
        prompt::tell_documents_below(host, ctx, state, files).await;
    }
}
