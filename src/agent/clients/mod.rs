//! Hooks and tools that clients provide to a session, and calls of them.
//!
//! A call is sent to its client as `Feed::Call` and returns as an `Answer`. Invariant: a call to a disconnected client fails immediately.
//!
//! A client is called through its feed and answers with a command, as users do: client hooks and tools need no separate channel.

mod hook;

pub use hook::{HOOK_TIMEOUT, Hook, Runner, ToolNames, globs_of};

use jsonschema::Validator;
use pintle_protocol::content::Content;
use pintle_protocol::hook::{HookRun, ToolCallParams, ToolCallResult, ToolRegisterParams};
use pintle_protocol::ids::SessionId;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use pintle_tools::{Access, Declaration, Facts, Folders, Prepared, Tool, ToolContext};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot};

/// Identifies a subscriber, unique in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubscriberId(pub u64);

impl SubscriberId {
    /// Returns an id that no other connection of this process has.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The hooks and tools of a client.
#[derive(Debug, Clone, Default)]
pub struct Extensions {
    /// Its hooks, in order.
    pub hooks: Vec<Hook>,
    /// Its tools.
    pub tools: Vec<Arc<ClientTool>>,
}

/// A tool of a client.
#[derive(Debug)]
pub struct ClientTool {
    /// Its name, description and parameters.
    pub shape: ToolRegisterParams,
    /// Higher than that of any tool that was registered before.
    pub serial: u64,
    validator: Validator,
}

impl ClientTool {
    /// Compiles a tool's schema.
    ///
    /// # Errors
    /// The schema is invalid; the message gives the position.
    pub fn new(shape: ToolRegisterParams, serial: u64) -> Result<Self, String> {
        let validator =
            jsonschema::validator_for(&shape.parameters).map_err(|error| error.to_string())?;
        Ok(Self { shape, serial, validator })
    }
}

/// Identifies a client call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub(super) String);

/// Something a client is to do.
#[derive(Debug)]
pub struct ClientCall {
    /// Which call this is.
    pub id: CallId,
    /// The session that asks.
    pub session_id: SessionId,
    /// The hook or tool to run.
    pub body: CallBody,
}

/// The hook or tool that a client runs.
#[derive(Debug)]
pub enum CallBody {
    /// Run its hook.
    Hook(Box<HookRun>),
    /// Run its tool.
    Tool(ToolCallParams),
}

/// Receives the answer, or an error message.
pub(super) type CallReply = oneshot::Sender<Result<Value, String>>;

/// A call of a client's hook, on its way to the session.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) to: SubscriberId,
    pub(super) body: CallBody,
    pub(super) reply: CallReply,
}

/// Lets a turn's hooks call their clients.
#[derive(Debug, Clone)]
pub(super) struct ClientCalls(pub(super) mpsc::Sender<CallRequest>);

impl ClientCalls {
    /// Asks a client's hook.
    pub(super) async fn hook(&self, to: SubscriberId, run: HookRun) -> Result<Value, String> {
        let (reply, answer) = oneshot::channel();
        let body = CallBody::Hook(Box::new(run));
        let gone = || "is gone".to_owned();
        self.0.send(CallRequest { to, body, reply }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Tool for ClientTool {
    fn name(&self) -> &str {
        &self.shape.name
    }

    fn declare(&self, _told: &Facts<'_>) -> Declaration {
        let parameters = self.shape.parameters.clone();
        Declaration { description: self.shape.description.clone(), parameters, grammar: None }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        let Some(error) = self.validator.iter_errors(arguments).next() else { return Ok(()) };
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
        Err(format!("The arguments do not match the schema{place}: {error}"))
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        if !arguments.is_object() {
            return Err("the arguments must be an object".to_owned());
        }
        Ok(Box::new(Call { tool: self.shape.name.clone(), arguments }))
    }
}

#[derive(Debug)]
struct Call {
    tool: String,
    arguments: Value,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        self.tool.clone()
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        Access::Other(self.tool.clone())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let Self { tool, arguments } = *self;
        let said = tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => Err("Operation aborted".to_owned()),
            said = ctx.client.call(tool.clone(), arguments) => {
                said.map_err(|what| format!("The tool `{tool}` {what}. Continue without it."))
            }
        };
        let result = said.and_then(|said| {
            serde_json::from_value::<ToolCallResult>(said)
                .map_err(|error| format!("The tool `{tool}` returned an invalid result: {error}"))
        });
        match result {
            Ok(ToolCallResult { content, is_error }) => {
                ToolResult { content, is_error, ..ToolResult::default() }
            }
            Err(message) => ToolResult {
                content: vec![Content::text(message)],
                is_error: true,
                ..ToolResult::default()
            },
        }
    }
}

/// Returns a turn's tools: of several with one name, the newest wins.
pub(super) fn tools<'a>(
    own: &Arc<[Arc<dyn Tool>]>,
    clients: impl Iterator<Item = &'a Extensions>,
) -> Arc<[Arc<dyn Tool>]> {
    let mut given: Vec<&Arc<ClientTool>> = clients.flat_map(|client| &client.tools).collect();
    if given.is_empty() {
        return Arc::clone(own);
    }
    given.sort_by_key(|tool| std::cmp::Reverse(tool.serial));
    let mut newest: Vec<Arc<dyn Tool>> = Vec::new();
    for tool in given {
        if !newest.iter().any(|newer| newer.name() == tool.name()) {
            newest.push(Arc::<ClientTool>::clone(tool));
        }
    }
    // In the order in which they came, so that the list grows at its end.
    newest.reverse();
    let is_replaced = |tool: &&Arc<dyn Tool>| !newest.iter().any(|new| new.name() == tool.name());
    own.iter().filter(is_replaced).chain(&newest).cloned().collect()
}
