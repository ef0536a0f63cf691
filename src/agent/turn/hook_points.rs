//! A turn's hook points: the hooks' inputs, and the effects of their answers.
//!
//! Invariant: a message denied by a hook is returned to the client, never lost, and a permanent change made by a hook is journaled as the
//! text that the model read.

use crate::hooks::{Ran, Ruling};
use crate::host::TurnHost;
use crate::turn::call::{self, Call};
use crate::turn::context::{End, TurnContext};
use crate::turn::hook_context;
use pintle_base::text::tool_names::is_same;
use pintle_llm::{Assistant, AssistantBlock, Message};
use pintle_protocol::content::{Content, Input};
use pintle_protocol::event::{Event, Notice, NoticeLevel, QueuedInput, StopReason, TurnError};
use pintle_protocol::hook::{HookCall, HookPoint, HookResponse, HookResult, HookRun};
use pintle_protocol::item::{ItemBody, ToolResult};
use serde_json::Value;
use std::sync::Arc;

/// Builds a hook run for a point, without the engine's location yet.
fn hook_run(ctx: &TurnContext, point: HookPoint) -> HookRun {
    HookRun {
        point,
        session_id: ctx.session_id.clone(),
        turn_id: Some(ctx.turn_id.clone()),
        cwd: ctx.workspace.folders.cwd.to_string_lossy().into_owned(),
        input: None,
        images: Vec::new(),
        system: None,
        conversation: None,
        to_seq: None,
        call: None,
        result: None,
        response: None,
        messages: None,
        open_todos: None,
    }
}

/// Runs a point's hooks, and reports their problems.
async fn run<H: TurnHost>(host: &mut H, ctx: &TurnContext, run: HookRun) -> (HookRun, Ruling) {
    let Ran { run, ruling, notices } = host.wait(ctx.hooks.run(run, &ctx.cancel)).await;
    for notice in notices {
        host.record(Event::Notice(notice));
    }
    (run, ruling)
}

fn denied(reason: String) -> End {
    End::Failed(TurnError {
        code: "hookDenied".to_owned(),
        message: reason,
        hint: Some("a hook from the settings or a client decided this".to_owned()),
        retryable: false,
        http_status: None,
    })
}

/// Runs hooks on user messages before the model reads them. A denied message is returned to the client, a handled one is finished; returns
/// how the turn ends if no message remains.
pub(crate) async fn inputs<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    inputs: Vec<QueuedInput>,
) -> (Vec<QueuedInput>, Option<End>) {
    let point = HookPoint::InputReceived;
    if !ctx.hooks.has(point, None) {
        return (inputs, None);
    }
    let (mut kept, mut end) = (Vec::new(), None);
    for mut input in inputs {
        let text = text_of(&input);
        let images = images_of(&input);
        let about = HookRun { input: Some(text.clone()), images, ..hook_run(ctx, point) };
        let (about, ruling) = run(host, ctx, about).await;
        if let Some(reason) = ruling.denied {
            host.record(Event::InputRemoved { inputs: vec![input], is_handled: false });
            if ctx.cancel.is_cancelled() {
                end = Some(End::Interrupted);
                continue;
            }
            let message = format!("a hook denied the message: {reason}");
            host.record(notice(NoticeLevel::Warning, "hookDenied", message));
            end = Some(denied(reason));
            continue;
        }
        if let Some(message) = ruling.handled {
            host.record(Event::InputRemoved { inputs: vec![input], is_handled: true });
            host.record(notice(NoticeLevel::Info, "hookHandled", message));
            end.get_or_insert(End::Completed(StopReason::EndTurn));
            continue;
        }
        change_text(&mut input, &text, about.input);
        kept.push(input);
    }
    (kept, end)
}

fn notice(level: NoticeLevel, code: &str, message: String) -> Event {
    Event::Notice(Notice { level, code: code.to_owned(), message, hint: None })
}

fn text_of(input: &QueuedInput) -> String {
    Input::texts(&input.content)
}

fn images_of(input: &QueuedInput) -> Vec<Content> {
    let image = |block: &Input| match block {
        Input::Image { mime_type, data } => {
            Some(Content::Image { mime_type: mime_type.clone(), data: data.clone() })
        }
        Input::Text { .. }
        | Input::File { .. }
        | Input::Selection { .. }
        | Input::Diagnostics { .. }
        | Input::Document { .. } => None,
    };
    input.content.iter().filter_map(image).collect()
}

/// Replaces a message's text with a hook's text. Attachments stay.
fn change_text(input: &mut QueuedInput, text: &str, changed: Option<String>) {
    if let Some(changed) = changed.filter(|changed| changed != text) {
        input.content.retain(|block| block.as_text().is_none());
        input.content.insert(0, Input::text(changed));
    }
}

/// Changes by hooks when a turn starts.
#[derive(Default)]
pub(crate) struct Begun {
    /// The system prompt of this turn, if a hook changed it.
    pub(crate) system: Option<Arc<str>>,
    /// Texts that the model is to read besides.
    pub(crate) context: Vec<String>,
}

/// Runs hooks when a turn starts. A hook may change the last message's text and the system prompt.
pub(crate) async fn begin<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    inputs: &mut [QueuedInput],
) -> Result<Begun, End> {
    let point = HookPoint::BeforeAgent;
    if !ctx.hooks.has(point, None) {
        return Ok(Begun::default());
    }
    let text = inputs.last().map(text_of);
    let about = HookRun {
        input: text.clone(),
        images: inputs.last().map(images_of).unwrap_or_default(),
        system: Some(ctx.system.to_string()),
        open_todos: host.open_todos(),
        ..hook_run(ctx, point)
    };
    let (about, ruling) = run(host, ctx, about).await;
    if let (Some(input), Some(text), None) = (inputs.last_mut(), text, &ruling.denied) {
        change_text(input, &text, about.input);
    }
    let context = pass(ctx, ruling)?;
    let system = about.system.filter(|system| **system != *ctx.system).map(Arc::from);
    Ok(Begun { system, context })
}

/// Runs hooks when the next request's context is complete. Returns the messages of that request if a hook changed them.
pub(crate) async fn context<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    messages: &[Arc<Message>],
) -> Option<Vec<Arc<Message>>> {
    let point = HookPoint::ContextBuilt;
    if !ctx.hooks.has(point, None) {
        return None;
    }
    let shown = hook_context::shown(messages);
    let about = HookRun {
        messages: Some(messages.len() as u64),
        conversation: Some(shown.clone()),
        ..hook_run(ctx, point)
    };
    let (about, ruling) = run(host, ctx, about).await;
    let wanted = about.conversation.filter(|wanted| *wanted != shown);
    let wanted = wanted
        .map(|wanted| hook_context::replaced(messages, wanted, &ctx.llm.current().model.origin()));
    let mut list = match wanted {
        Some(Ok(list)) => list,
        Some(Err(why)) => {
            let message = format!("ignored the messages from the {point:?} hooks: {why}");
            host.record(notice(NoticeLevel::Warning, "hookFailed", message));
            messages.to_vec()
        }
        None if ruling.context.is_empty() => return None,
        None => messages.to_vec(),
    };
    let added = ruling.context.into_iter();
    list.extend(added.map(|text| Arc::new(Message::User(vec![Content::text(text)]))));
    Some(list)
}

/// Runs hooks before a request to the model.
pub(crate) async fn request<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    messages: usize,
) -> Result<(), End> {
    let point = HookPoint::BeforeModelRequest;
    if !ctx.hooks.has(point, None) {
        return Ok(());
    }
    let about = HookRun { messages: Some(messages as u64), ..hook_run(ctx, point) };
    let (_, ruling) = run(host, ctx, about).await;
    pass(ctx, ruling).map(drop)
}

/// Runs hooks before a compaction. Returns the reason if a hook denied it.
pub(crate) async fn compact<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    messages: usize,
) -> Option<String> {
    let point = HookPoint::SessionCompact;
    if !ctx.hooks.has(point, None) {
        return None;
    }
    let about = HookRun { messages: Some(messages as u64), ..hook_run(ctx, point) };
    let (_, ruling) = run(host, ctx, about).await;
    if let Some(reason) = ruling.denied.as_ref().filter(|_| !ctx.cancel.is_cancelled()) {
        let notice = Notice {
            level: NoticeLevel::Warning,
            code: "hookDenied".to_owned(),
            message: format!("a hook denied the summary: {reason}"),
            hint: None,
        };
        host.record(Event::Notice(notice));
    }
    ruling.denied
}

fn pass(ctx: &TurnContext, ruling: Ruling) -> Result<Vec<String>, End> {
    match ruling.denied {
        Some(_) if ctx.cancel.is_cancelled() => Err(End::Interrupted),
        Some(reason) => Err(denied(reason)),
        None => Ok(ruling.context),
    }
}

/// Runs hooks after the model's reply.
pub(crate) async fn response<H: TurnHost>(host: &mut H, ctx: &TurnContext, assistant: &Assistant) {
    let point = HookPoint::AfterModelResponse;
    if !ctx.hooks.has(point, None) {
        return;
    }
    let mut said = HookResponse { text: String::new(), tools: Vec::new() };
    for block in &assistant.blocks {
        match block {
            AssistantBlock::Text { text, .. } => said.text.push_str(text),
            AssistantBlock::ToolCall { name, .. } => said.tools.push(name.clone()),
            AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => {}
        }
    }
    run(host, ctx, HookRun { response: Some(said), ..hook_run(ctx, point) }).await;
}

/// Runs hooks before a call. Returns why the call must not run, as text for the model, and the hooks' problems.
///
/// This borrows no session, so that a reply's calls can be checked in parallel.
pub(crate) async fn call(ctx: &TurnContext, call: &mut Call) -> (Option<String>, Vec<Notice>) {
    let point = HookPoint::BeforeToolCall;
    if call.prepared.is_err() || !ctx.hooks.has(point, Some(call.acting_tool())) {
        return (None, Vec::new());
    }
    let Some(about) = about(call) else { return (None, Vec::new()) };
    let before = about.arguments.clone();
    let run = HookRun { call: Some(about), ..hook_run(ctx, point) };
    let Ran { run, ruling, notices } = ctx.hooks.run(run, &ctx.cancel).await;
    if let Some(reason) = ruling.denied {
        return (Some(format!("Denied by a hook: {reason}. The call did not run.")), notices);
    }
    let arguments = run.call.map(|call| call.arguments).filter(|changed| *changed != before);
    if let (ItemBody::ToolCall(body), Some(arguments)) = (&mut call.item.body, arguments) {
        let arguments = match &call.acting {
            Some((acting, _)) => passing_on(ctx, &call.tool_name, acting, arguments),
            None => arguments,
        };
        let prepared = call::prepare(ctx, body, &arguments.to_string());
        call.acting = prepared.as_ref().ok().and_then(|prepared| prepared.acting());
        call.prepared = prepared.map_err(|error| {
            format!("A hook changed the arguments, and they are now invalid: {error}")
        });
        body.changed_input = Some(arguments);
    }
    (None, notices)
}

/// Runs hooks on an executed call's result. Returns the hooks' problems.
pub(crate) async fn result(ctx: &TurnContext, call: &Call, result: &mut ToolResult) -> Vec<Notice> {
    let point = HookPoint::AfterToolCall;
    if !ctx.hooks.has(point, Some(call.acting_tool())) || ctx.cancel.is_cancelled() {
        return Vec::new();
    }
    let text = Content::texts(&result.content);
    let images = result.content.iter().filter(|content| matches!(content, Content::Image { .. }));
    let images = images.cloned().collect();
    let before = HookResult { text, is_error: result.is_error };
    let about =
        HookRun { call: about(call), result: Some(before.clone()), images, ..hook_run(ctx, point) };
    let Ran { run, notices, .. } = ctx.hooks.run(about, &ctx.cancel).await;
    if let Some(changed) = run.result.filter(|changed| *changed != before) {
        result.content.retain(|content| matches!(content, Content::Image { .. }));
        result.content.insert(0, Content::text(changed.text));
        result.is_error = changed.is_error;
    }
    notices
}

/// Returns the arguments that make the called tool forward these to another tool.
fn passing_on(ctx: &TurnContext, called: &str, acting: &str, arguments: Value) -> Value {
    let tool = ctx.tools.find(called);
    tool.map_or(arguments.clone(), |tool| tool.passing_on(acting, arguments))
}

fn about(call: &Call) -> Option<HookCall> {
    let body = call.item.body.as_tool_call()?;
    let arguments = body.arguments();
    let arguments = call.acting.as_ref().map(|(_, arguments)| arguments).or(arguments);
    Some(HookCall {
        item_id: call.item.id.clone(),
        tool_name: call.acting_tool().to_owned(),
        kind: body.kind,
        title: body.title.clone(),
        arguments: named_command(call.acting_tool(), arguments.cloned().unwrap_or_default()),
        locations: body.locations.clone(),
    })
}

/// Returns a shell's arguments with the command line under the name `command`, whatever the model called it, so that one hook is enough for
/// all families.
fn named_command(tool: &str, mut arguments: Value) -> Value {
    if is_same(tool, "bash")
        && let Some(fields) = arguments.as_object_mut()
        && !fields.contains_key("command")
        && let Some(command) = fields.remove("cmd")
    {
        fields.insert("command".to_owned(), command);
    }
    arguments
}
