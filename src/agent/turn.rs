//! The loop: one turn, from a prompt until the model stops by itself, is stopped, or cannot go on.
//!
//! The conversation is moved in and comes back in [`Finished`]. A turn knows its session as a [`Host`] alone: it records events, takes
//! waiting messages, asks for permission. Every await that can wait on the outside races the turn's cancellation.

use super::approval::Grants;
use super::briefing::{self, Brief, Briefing};
use super::diagnostics::{Reports, Watched};
use super::files::FileHistory;
use super::hooks::{Hooks, points};
use super::host::Host;
use super::inputs::{self, Rendered};
use super::limits::{Limits, Purse};
use super::lint::{self, Lint};
use super::loop_guard::{Judgement, LoopGuard};
use super::retry::Patience;
use super::room::{self as make_room, Meter, Wanted};
use super::step::{self, Reply};
use super::tool_calls::{self, Batch};
use super::workspace::{self, Additional};
use crate::ambient::Ambient;
use crate::context::conversation::{Conversation, engine_message};
use crate::context::room;
use crate::exec::Environment;
use crate::exec::variables::Given;
use crate::llm::catalog::Price;
use crate::llm::{Assistant, AssistantBlock, Message, ModelRef, Provider, Trace};
use crate::store::announced::Announcements;
use crate::store::blobs::Blobs;
use crate::tools::{self, ClientRequest, Folders, Ledger, Tool};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::{Input, Usage};
use pintle_protocol::event::{
    Event, Notice, NoticeLevel, QueuedInput, StopReason, TransientEvent, TurnError, TurnStatus,
};
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::item::{
    CompactionReason, EngineMessage, Item, ItemBody, ItemStatus, UserMessage,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The code of a provider's refusal because the conversation is too long.
const OVERFLOW: &str = "overflow";

/// What a model reads whose reply reached its length limit.
const GO_ON: &str = "From the engine, not from the user: your reply reached its length limit and was cut there. Go on \
    exactly where it stopped, and repeat nothing.";

/// What a turn needs and does not change.
#[derive(Debug)]
pub(super) struct TurnContext {
    pub(super) session_id: SessionId,
    pub(super) turn_id: TurnId,
    pub(super) ambient: Ambient,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) model: ModelRef,
    /// What the model costs, where that is known.
    pub(super) price: Option<Price>,
    /// How patient to be with the provider.
    pub(super) patience: Patience,
    /// How much it may take.
    pub(super) limits: Limits,
    /// What it and its sub-agents may spend together; a sub-agent spends from that of the turn that made it.
    pub(super) purse: Purse,
    /// How room is made in the conversation.
    pub(super) room: room::Policy,
    /// The most tokens of input that the model takes, where that is known.
    pub(super) window: Option<u64>,
    /// What the system prompt is made of.
    pub(super) brief: Brief,
    /// The system prompt; the turn makes it when it begins.
    pub(super) system: Arc<str>,
    pub(super) tools: Arc<[Arc<dyn Tool>]>,
    pub(super) tool_settings: Arc<tools::Settings>,
    pub(super) env: Arc<dyn Environment>,
    pub(super) variables: Given,
    pub(super) trace: Trace,
    pub(super) folders: Folders,
    /// The directories of the work beside the working directory.
    pub(super) additional: Additional,
    /// What the session knows of which file.
    pub(super) ledger: Ledger,
    /// Where the contents of files are kept.
    pub(super) blobs: Blobs,
    /// Where changes of files are announced.
    pub(super) announcements: Announcements,
    /// Where long outputs are kept.
    pub(super) artifacts: PathBuf,
    pub(super) permission_mode: PermissionMode,
    /// What is run after changes.
    pub(super) lint: Option<Lint>,
    /// What an editor finds wrong in files.
    pub(super) reports: watch::Receiver<Reports>,
    /// How long its report of a changed file is waited for.
    pub(super) report_wait: Duration,
    /// What is asked at points of the turn.
    pub(super) hooks: Hooks,
    /// What of the plan was not done when the turn began.
    pub(super) open_todos: Option<String>,
    /// The way for tools to whoever steers the session.
    pub(super) client: mpsc::Sender<ClientRequest>,
    /// The way to the session's background jobs.
    pub(super) jobs: crate::tools::Jobs,
    /// The way to the session's sub-agents.
    pub(super) agents: crate::tools::Agents,
    pub(super) cancel: CancellationToken,
}

impl TurnContext {
    /// The canonical paths of the directories that it works in.
    pub(super) async fn roots(&self) -> Vec<PathBuf> {
        workspace::roots(self.env.as_ref(), &self.folders.cwd, &self.additional).await
    }
}

/// The state that a turn takes over from its session and gives back in [`Finished`].
#[derive(Debug, Default)]
pub(super) struct TurnState {
    pub(super) conversation: Conversation,
    pub(super) grants: Grants,
    pub(super) meter: Meter,
    pub(super) briefing: Box<Briefing>,
    pub(super) files: Box<FileHistory>,
}

/// What a turn is to do.
#[derive(Debug)]
pub(super) enum Work {
    /// Answer these messages.
    Answer(Vec<QueuedInput>),
    /// Sum up the conversation, and take care of this.
    Compact(Option<String>),
    /// Sum up these messages, which the conversation has left.
    SumUpLeft(Vec<Arc<Message>>),
}

/// A turn that is over.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) state: TurnState,
    pub(super) end: End,
    pub(super) tally: Tally,
}

/// How a turn ended.
#[derive(Debug)]
pub(super) enum End {
    /// The model stopped.
    Completed(StopReason),
    /// Somebody stopped it.
    Interrupted,
    /// It could not go on.
    Failed(TurnError),
}

impl End {
    pub(super) fn status(&self) -> TurnStatus {
        match self {
            Self::Completed(_) => TurnStatus::Completed,
            Self::Interrupted => TurnStatus::Interrupted,
            Self::Failed(_) => TurnStatus::Failed,
        }
    }
}

/// What a turn counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) usage: Usage,
    /// What is known of the cost, in billionths of a dollar.
    pub(super) cost_nano_usd: Option<u64>,
    pub(super) steps: u32,
    pub(super) denials: u32,
}

impl Tally {
    /// Counts a reply; returns what it cost.
    fn count(&mut self, usage: Usage, price: Option<Price>) -> Option<u64> {
        self.usage += usage;
        let cost = price.map(|price| price.nano_usd(&usage));
        if let Some(cost) = cost {
            self.cost_nano_usd = Some(self.cost_nano_usd.unwrap_or(0).saturating_add(cost));
        }
        cost
    }
}

impl TurnContext {
    /// Counts a reply, here and in the purse; returns what it cost.
    pub(super) fn count(
        &self,
        tally: &mut Tally,
        usage: Usage,
        price: Option<Price>,
    ) -> Option<u64> {
        let cost = tally.count(usage, price);
        self.purse.spend(&usage, cost);
        cost
    }

    /// A new item of this turn.
    pub(super) fn item(
        &self,
        id: ItemId,
        step: Option<u32>,
        status: ItemStatus,
        body: ItemBody,
    ) -> Item {
        Item {
            id,
            turn_id: Some(self.turn_id.clone()),
            step,
            status,
            started_ms: self.ambient.now_ms(),
            duration_ms: None,
            body,
        }
    }

    /// Ends an item.
    pub(super) fn complete(&self, item: &mut Item, status: ItemStatus) {
        item.status = status;
        item.duration_ms = Some(self.ambient.now_ms().saturating_sub(item.started_ms));
    }
}

/// Runs a turn. It always ends with a conversation that any provider accepts.
pub(super) async fn run<H: Host>(
    host: &mut H,
    mut ctx: TurnContext,
    mut state: TurnState,
    work: Work,
) -> Finished {
    let mut tally = Tally::default();
    state.meter.begin();
    briefing::begin(host, &mut ctx, &mut state).await;
    let done = match work {
        Work::Answer(inputs) => drive(host, &ctx, &mut state, inputs, &mut tally).await,
        Work::Compact(instructions) => {
            sum_up(host, &ctx, &mut state, instructions.as_deref(), &mut tally).await
        }
        Work::SumUpLeft(left) => sum_up_left(host, &ctx, &mut state, &left, &mut tally).await,
    };
    let end = match done {
        Ok(stop) => End::Completed(stop),
        Err(end) => end,
    };
    Finished { state, end, tally }
}

/// Sums up the conversation because a person asked for it.
async fn sum_up<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    instructions: Option<&str>,
    tally: &mut Tally,
) -> Result<StopReason, End> {
    let tools = make_room::specs(&ctx.tools);
    let wanted = Wanted { reason: CompactionReason::Requested, instructions };
    make_room::compact(host, ctx, state, &tools, tally, wanted).await?;
    let usage = make_room::usage(ctx, &mut state.meter, &tools, &state.conversation.messages);
    host.transient(TransientEvent::Context(usage));
    Ok(StopReason::EndTurn)
}

/// Sums up what was left behind, and tells the model.
async fn sum_up_left<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    left: &[Arc<Message>],
    tally: &mut Tally,
) -> Result<StopReason, End> {
    if let Some(text) = make_room::sum_up_left(host, ctx, left, tally).await? {
        let message = EngineMessage { text, sums_up_left: true, ..EngineMessage::default() };
        tell_of(host, ctx, &mut state.conversation, message);
        host.check()?;
    }
    Ok(StopReason::EndTurn)
}

async fn drive<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    inputs: Vec<QueuedInput>,
    tally: &mut Tally,
) -> Result<StopReason, End> {
    let tools = make_room::specs(&ctx.tools);
    read_news(host, ctx, &mut state.conversation);
    let (inputs, denied) = points::inputs(host, ctx, inputs).await;
    if let (Some(denied), true) = (denied, inputs.is_empty()) {
        return Err(denied);
    }
    read_inputs(host, ctx, &mut state.conversation, inputs).await;
    host.check()?;
    for text in points::begin(host, ctx).await? {
        tell(host, ctx, &mut state.conversation, text);
    }
    let began_ms = ctx.ambient.now_ms();
    let mut circles = LoopGuard::default();
    let mut continuations = 0;
    let mut is_shortened = false;
    let mut linted = String::new();
    let mut watched = Watched::default();
    loop {
        let elapsed_ms = ctx.ambient.now_ms().saturating_sub(began_ms);
        if let Some(notice) = ctx.limits.reached(tally, &ctx.purse, elapsed_ms) {
            host.record(Event::Notice(notice));
            return Ok(StopReason::Limit);
        }
        if make_room::before_request(host, ctx, state, &tools, tally).await? {
            let steers = host.take_steers().await;
            read_inputs(host, ctx, &mut state.conversation, steers).await;
        }
        let conversation = &mut state.conversation;
        for text in points::context(host, ctx, conversation.messages.len()).await {
            tell(host, ctx, conversation, text);
        }
        points::request(host, ctx, conversation.messages.len()).await?;
        let reply = match step::run(host, ctx, conversation, &tools, tally).await {
            // The provider finds it too long: make room, and ask once more.
            Err(End::Failed(error)) if error.code == OVERFLOW && !is_shortened => {
                is_shortened = true;
                let wanted = Wanted { reason: CompactionReason::Overflow, instructions: None };
                let is_shorter =
                    make_room::compact(host, ctx, state, &tools, tally, wanted).await?;
                if is_shorter {
                    continue;
                }
                return Err(End::Failed(error));
            }
            reply => reply?,
        };
        is_shortened = false;
        let Reply { assistant, calls, usage, cut } = reply;
        let stop = assistant.stop;
        points::response(host, ctx, &assistant).await;
        let judgement = judge(&mut circles, &assistant);
        if !assistant.blocks.is_empty() {
            state.conversation.push(Message::Assistant(assistant));
            state.meter.count(&usage, state.conversation.messages.len());
        }
        let usage = make_room::usage(ctx, &mut state.meter, &tools, &state.conversation.messages);
        host.transient(TransientEvent::Context(usage));
        if let Some(end) = cut {
            return Err(end);
        }
        let touched = tool_calls::touched(&calls);
        let Batch { steers, changes, ended } = if calls.is_empty() {
            let steers = host.take_steers().await;
            let is_cut = stop == StopReason::MaxTokens && continuations < ctx.limits.continuations;
            match (steers.is_empty(), is_cut) {
                (true, true) => {
                    continuations += 1;
                    tell(host, ctx, &mut state.conversation, GO_ON.to_owned());
                }
                (true, false) => return Ok(stop),
                (false, _) => {}
            }
            Batch { steers, ..Batch::default() }
        } else {
            watched.begin(ctx);
            tool_calls::run(host, ctx, state, calls, tally).await
        };
        let (steers, _) = points::inputs(host, ctx, steers).await;
        read_inputs(host, ctx, &mut state.conversation, steers).await;
        if let Some(end) = ended {
            return Err(end);
        }
        briefing::tell_rules(host, ctx, state, &touched).await;
        if let Some(text) = lint::run(host, ctx, &changes, &mut linted).await {
            tell(host, ctx, &mut state.conversation, text);
        }
        if let Some(text) = host.wait(watched.end(ctx, &changes)).await {
            tell(host, ctx, &mut state.conversation, text);
        }
        read_news(host, ctx, &mut state.conversation);
        host.check()?;
        if warn_of_circles(host, ctx, &mut state.conversation, judgement) {
            return Ok(StopReason::Limit);
        }
    }
}

/// Takes note of a reply's calls.
fn judge(circles: &mut LoopGuard, assistant: &Assistant) -> Judgement {
    let calls = assistant.blocks.iter().filter_map(|block| match block {
        AssistantBlock::ToolCall { name, arguments, .. } => Some(circles.judge(name, arguments)),
        AssistantBlock::Text { .. }
        | AssistantBlock::Reasoning { .. }
        | AssistantBlock::Unknown(_) => None,
    });
    calls.fold(Judgement::Fine, |all, one| if one == Judgement::Fine { all } else { one })
}

/// Tells a model that goes in circles, and whoever watches. True when the turn is to end.
fn warn_of_circles<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    judgement: Judgement,
) -> bool {
    let (message, hint, is_over) = match judgement {
        Judgement::Fine => return false,
        Judgement::Warn(1) => ("the model makes the same call again and again", None, false),
        Judgement::Warn(_) => ("the model makes the same calls over and over", None, false),
        Judgement::Stop => (
            "the turn was ended: the model went on with the same calls after two warnings",
            Some("send a prompt that says what it is to do instead"),
            true,
        ),
    };
    host.record(Event::Notice(Notice {
        level: NoticeLevel::Warning,
        code: "loopDetected".to_owned(),
        message: message.to_owned(),
        hint: hint.map(str::to_owned),
    }));
    if !is_over {
        let text = format!(
            "From the engine, not from the user: you make the same {} over and over, with the same arguments. \
            Their results will not change. Try something else, or say what keeps you from going on.",
            if judgement == Judgement::Warn(1) { "call" } else { "calls" }
        );
        tell(host, ctx, conversation, text);
    }
    is_over
}

/// Tells the model something by itself.
fn tell<H: Host>(host: &mut H, ctx: &TurnContext, conversation: &mut Conversation, text: String) {
    tell_of(host, ctx, conversation, EngineMessage { text, ..EngineMessage::default() });
}

/// Tells the model what happened beside its calls.
fn read_news<H: Host>(host: &mut H, ctx: &TurnContext, conversation: &mut Conversation) {
    if let Some(message) = host.take_news() {
        tell_of(host, ctx, conversation, message);
    }
}

fn tell_of<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    message: EngineMessage,
) {
    conversation.push(engine_message(&message));
    let id = ItemId::new(ctx.ambient.new_id());
    let mut item = ctx.item(id, None, ItemStatus::Completed, ItemBody::EngineMessage(message));
    ctx.complete(&mut item, ItemStatus::Completed);
    host.record(Event::ItemCompleted { item });
}

/// Puts messages of a person into the conversation; from here on they are read.
async fn read_inputs<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    inputs: Vec<QueuedInput>,
) {
    for QueuedInput { item_id, content, .. } in inputs {
        let rendered = inputs::render(ctx, &content);
        let Rendered { content: read, private } = host.wait(rendered).await;
        conversation.push(Message::User(read));
        let body = ItemBody::UserMessage(UserMessage { content });
        let mut item = ctx.item(item_id, None, ItemStatus::Completed, body);
        ctx.complete(&mut item, ItemStatus::Completed);
        host.record_with(Event::ItemCompleted { item }, private);
    }
}

/// Whether there is anything to read in a message.
pub(super) fn is_blank(input: &[Input]) -> bool {
    input.iter().all(|block| match block {
        Input::Text { text } => text.trim().is_empty(),
        Input::File { .. }
        | Input::Selection { .. }
        | Input::Diagnostics { .. }
        | Input::Image { .. } => false,
    })
}
