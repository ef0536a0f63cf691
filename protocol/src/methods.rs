//! Methods: every request and notification with its params and result.
//!
//! # Example
//!
//! ```
//! use pintle_protocol::content::Input;
//! use pintle_protocol::methods::{Request, TurnStart};
//! use serde_json::json;
//!
//! let params = json!({ "sessionId": "s1", "input": [{ "type": "text", "text": "Fix the test." }] });
//! let params: <TurnStart as Request>::Params = serde_json::from_value(params)?;
//! assert_eq!(TurnStart::METHOD, "turn/start");
//! assert_eq!(params.input, [Input::text("Fix the test.")]);
//! # Ok::<(), serde_json::Error>(())
//! ```

use crate::approval::{Approval, ApprovalAnswer, ApprovalAnswerParams, ApprovalOutcome};
use crate::auth::{
    AuthLoginParams, AuthLoginResult, AuthLogoutParams, AuthLogoutResult, AuthOpenUrlParams,
    AuthStatusResult,
};
pub use crate::config::{ConfigOption, ConfigResult, ConfigSetParams, Rejected};
use crate::context::{
    ContextReadParams, ContextReadResult, SessionCompactParams, SessionCompactResult,
};
use crate::diagnostics::EditorDiagnosticsParams;
use crate::document::{
    ApplyEditParams, ApplyEditResult, DocumentChangeParams, DocumentCloseParams,
    DocumentOpenParams, DocumentSaveParams,
};
use crate::event::AnyRecord;
use crate::export::{SessionExportParams, SessionExportResult};
pub use crate::handshake::{
    CancelParams, EngineInfo, InitializeParams, InitializeResult, Limits, PeerInfo, ProtocolChoice,
    ProtocolOffer,
};
use crate::history::{
    CheckpointDiffParams, CheckpointDiffResult, CheckpointListParams, CheckpointListResult, ItemAt,
    ItemCancelParams, ItemReadParams, SessionForkParams, SessionItemsParams, SessionItemsResult,
    SessionLabelParams, SessionLabelResult, SessionMergeParams, SessionMergeResult,
    SessionNoteParams, SessionOutlineParams, SessionOutlineResult, SessionRewindParams,
    SessionRewindResult, SessionTreeResult,
};
use crate::hook::{
    HookAnswer, HookRegisterParams, HookRun, ToolCallParams, ToolCallResult, ToolRegisterParams,
    ToolUnregisterParams,
};
use crate::ids::{JobId, SessionId};
use crate::isolation::{IsolationApplyParams, IsolationApplyResult, IsolationDiscardParams};
use crate::item::Item;
use crate::mcp::{
    McpListResult, McpLoginParams, McpLogoutParams, McpLogoutResult, McpUpdateParams,
};
use crate::models::ModelsListResult;
use crate::permission::{PermissionListResult, PermissionRemoveParams};
use crate::question::{Question, QuestionAnswer, QuestionAnswerParams, QuestionOutcome};
use crate::queue::{QueueRemoveParams, QueueRemoveResult, QueueResult, QueueUpdateParams};
use crate::review::{
    ReviewBaselineParams, ReviewBaselineResult, ReviewDecideParams, ReviewDecideResult,
    ReviewListParams, ReviewListResult, ReviewPatchParams, ReviewPatchResult,
};
use crate::search::{
    SessionDeleteParams, SessionDeleteResult, SessionSearchParams, SessionSearchResult,
};
use crate::session::{SessionArchiveParams, SessionUpdateParams, SessionUpdateResult};
pub use crate::session::{
    SessionConfig, SessionCreateParams, SessionEventsParams, SessionEventsResult,
    SessionListParams, SessionListResult, SessionOpenParams, SessionParams, SessionResult,
    SessionSubscribeParams, SessionSummary,
};
use crate::shell::{
    ShellRunParams, ShellRunResult, ShellScreenParams, ShellScreenResult, ShellWriteParams,
    ShellWriteResult,
};
use crate::trust::{TrustAgreeParams, TrustResult};
pub use crate::turn::{
    Disposition, QueuePolicy, SteerOutcome, TurnInterruptParams, TurnInterruptResult,
    TurnStartParams, TurnStartResult, TurnSteerParams, TurnSteerResult, WhenBusy,
};
use crate::usage::UsageReadResult;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A request: its method name, params and result.
pub trait Request {
    /// The method's name.
    const METHOD: &'static str;
    /// Type of the params.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// Type of the result.
    type Result: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// A notification: its method name and params.
pub trait Notification {
    /// The method's name.
    const METHOD: &'static str;
    /// Type of the params.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// Side that sends a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// Clients.
    Client,
    /// The engine.
    Engine,
    /// Clients and the engine.
    Both,
}

/// Promise that a method keeps from version to version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// A minor version only adds to it.
    Stable,
    /// Any version may change it, for this reason.
    Experimental(&'static str),
}

/// A row of the method table, from which schema, client types and reference are generated.
#[derive(Debug)]
pub struct MethodRow {
    /// Name on the wire.
    pub method: &'static str,
    /// Side that sends it.
    pub sender: Sender,
    /// Its purpose, in a sentence or two.
    pub doc: &'static str,
    /// Its promise from version to version.
    pub stability: Stability,
    /// Schema of its params.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// Schema of its result; a notification has none.
    pub result: Option<fn(&mut SchemaGenerator) -> Schema>,
}

macro_rules! methods {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident $sender:ident $method:literal $name:ident($params:ty $(, $result:ty)?)
            $(experimental $reason:literal)?;
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;
            methods!(@impl $kind $method $name $params $(, $result)?);
        )+

        /// Every protocol method, in reference order.
        pub const METHODS: &[MethodRow] = &[$(
            MethodRow {
                method: $method,
                sender: Sender::$sender,
                doc: concat!($($doc),+),
                stability: methods!(@stability $($reason)?),
                params: |generator| generator.subschema_for::<$params>(),
                result: methods!(@result $($result)?),
            },
        )+];
    };
    (@impl request $method:literal $name:ident $params:ty, $result:ty) => {
        impl Request for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
            type Result = $result;
        }
    };
    (@impl notification $method:literal $name:ident $params:ty) => {
        impl Notification for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
        }
    };
    (@stability) => { Stability::Stable };
    (@stability $reason:literal) => { Stability::Experimental($reason) };
    (@result) => { None };
    (@result $result:ty) => { Some(|generator| generator.subschema_for::<$result>()) };
}

methods! {
    /// Opens the connection: versions, names, capabilities. It must be the first request.
    request Client "initialize" Initialize(InitializeParams, InitializeResult);
    /// Answers at once; for liveness checks.
    request Client "ping" Ping(Empty, Empty);
    /// Interrupts running work, closes every session of this engine in order, then answers. Send `exit` next. With an engine that several
    /// clients share, this client leaves its sessions, and running work continues.
    request Client "shutdown" Shutdown(Empty, Empty);
    /// Ends the process: with code 0 after `shutdown`, with 1 without.
    notification Client "exit" Exit(Empty);
    /// Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is
    /// stopped, and its result reports that. Any other request that has begun is answered as usual. The engine uses it to withdraw its own
    /// requests.
    notification Both "$/cancelRequest" CancelRequest(CancelParams);
    /// Creates a session and, by default, subscribes this connection to it.
    request Client "session/create" SessionCreate(SessionCreateParams, SessionResult);
    /// Opens a stored session, also after a crash, and, by default, subscribes this connection to it.
    request Client "session/open" SessionOpen(SessionOpenParams, SessionResult);
    /// Lists stored sessions, the last created first.
    request Client "session/list" SessionList(SessionListParams, SessionListResult);
    /// Sets or removes a session's title.
    request Client "session/update" SessionUpdate(SessionUpdateParams, SessionUpdateResult);
    /// Archives a stored session, or restores it: lists omit archived sessions unless they are requested. Nothing else changes.
    request Client "session/archive" SessionArchive(SessionArchiveParams, Empty);
    /// Searches user and model messages and the tool calls of all stored sessions.
    request Client "session/search" SessionSearch(SessionSearchParams, SessionSearchResult);
    /// Exports a session, open or not, as a page, Markdown or JSON lines, in the result or to a file in its working
    /// directory.
    request Client "session/export" SessionExport(SessionExportParams, SessionExportResult);
    /// Permanently deletes a stored session, with its sub-agents' sessions. A session that is open anywhere is refused.
    request Client "session/delete" SessionDelete(SessionDeleteParams, SessionDeleteResult);
    /// Moves an idle session to another point of its history, earlier or later.
    request Client "session/rewind" SessionRewind(SessionRewindParams, SessionRewindResult);
    /// Creates a session that begins with another session's history.
    request Client "session/fork" SessionFork(SessionForkParams, SessionResult);
    /// Merges a fork's events into the session that it was forked from, as a separate branch. Files do not change.
    request Client "session/merge" SessionMerge(SessionMergeParams, SessionMergeResult)
        experimental "which parts of a fork are merged may change";
    /// Sets the label of a point in a session's history.
    request Client "session/label" SessionLabel(SessionLabelParams, SessionLabelResult);
    /// Adds a client note to a session's history: at once, or after the running turn. An `engineMessage` item carries it.
    request Client "session/note" SessionNote(SessionNoteParams, Empty);
    /// Returns the history tree of a session.
    request Client "session/tree" SessionTree(SessionParams, SessionTreeResult);
    /// Returns a session's outline: the points between which its items can be listed and searched.
    request Client "session/outline" SessionOutline(SessionOutlineParams, SessionOutlineResult)
        experimental "its kinds depend on forks and merges, which are being tried";
    /// Lists the open hunks: agent changes without a decision.
    request Client "review/list" ReviewList(ReviewListParams, ReviewListResult);
    /// Keeps, undoes or comments on hunks, or reverts a decision. While a turn runs, a decision that changes files
    /// waits for the next gap between two calls.
    request Client "review/decide" ReviewDecide(ReviewDecideParams, ReviewDecideResult);
    /// Reads a file's content at the last accepted point.
    request Client "review/baseline" ReviewBaseline(ReviewBaselineParams, ReviewBaselineResult);
    /// Returns the agent's changes as a patch.
    request Client "review/patch" ReviewPatch(ReviewPatchParams, ReviewPatchResult);
    /// Merges an isolated session's changes into the user's files, including unsaved text. There they become open hunks, which can be kept or
    /// undone. The session stays isolated, and later changes can be applied in the same way. While a turn runs, the request fails with `busy`.
    request Client "isolation/apply" IsolationApply(IsolationApplyParams, IsolationApplyResult)
        experimental "isolated sessions are new";
    /// Removes an isolated session's copy, with all unapplied changes. When the session is reopened, it works on the user's files. A session
    /// that is open anywhere is refused.
    request Client "isolation/discard" IsolationDiscard(IsolationDiscardParams, Empty)
        experimental "isolated sessions are new";
    /// Interrupts the session's turn and closes its journal in order. The response follows the session's last event. A session that other
    /// clients of a shared engine have open stays open; this client leaves it.
    request Client "session/close" SessionClose(SessionParams, Empty);
    /// Subscribes this connection to the session's events, from now on or from a `seq` on, without a gap.
    request Client "session/subscribe" SessionSubscribe(SessionSubscribeParams, SessionResult);
    /// Unsubscribes this connection from the session's events. Its open requests for answers are withdrawn; a later subscription sends them again.
    request Client "session/unsubscribe" SessionUnsubscribe(SessionParams, Empty);
    /// Reads durable events, a page at a time.
    request Client "session/events" SessionEvents(SessionEventsParams, SessionEventsResult);
    /// Reads a part of a long output that an item names in `details.fullOutput`.
    request Client "blob/read" BlobRead(BlobReadParams, BlobReadResult);
    /// Starts a turn with a prompt, or queues it as a follow-up.
    request Client "turn/start" TurnStart(TurnStartParams, TurnStartResult);
    /// Puts a message into the running turn at its next gap between tool calls.
    request Client "turn/steer" TurnSteer(TurnSteerParams, TurnSteerResult);
    /// Interrupts the running turn. The response is sent at once; the turn ends with the event `turn.completed`.
    request Client "turn/interrupt" TurnInterrupt(TurnInterruptParams, TurnInterruptResult);
    /// Compacts an idle session's conversation. The response is sent at once; the compaction is a turn with a `compaction` item.
    request Client "session/compact" SessionCompact(SessionCompactParams, SessionCompactResult);
    /// Returns the last request to the model and the fill level of its context window.
    request Client "context/read" ContextRead(ContextReadParams, ContextReadResult)
        experimental "it shows the request to the model as the engine makes it today";
    /// Lists a session's settings with their values.
    request Client "config/list" ConfigList(SessionParams, ConfigResult);
    /// Changes settings of a session from the next turn on. Invalid values are rejected with a reason, and the others
    /// take effect.
    request Client "config/set" ConfigSet(ConfigSetParams, ConfigResult);
    /// Lists the queued messages.
    request Client "queue/list" QueueList(SessionParams, QueueResult);
    /// Edits or moves a queued message, or changes its delivery.
    request Client "queue/update" QueueUpdateRequest(QueueUpdateParams, QueueResult);
    /// Removes messages from the queue and returns them.
    request Client "queue/remove" QueueRemove(QueueRemoveParams, QueueRemoveResult);
    /// Answers an approval that was not requested of this client, such as one without the capability `approvals`. The first
    /// answer counts: a later one gets the error `conflict` with the outcome.
    request Client "approval/answer" ApprovalAnswerRequest(ApprovalAnswerParams, ApprovalOutcome);
    /// Answers a question of the model, in the same way as `approval/answer`.
    request Client "question/answer" QuestionAnswerRequest(QuestionAnswerParams, QuestionOutcome);
    /// Reports the current diagnostics of a file. After the model has changed that file, it reads the new ones in an `engineMessage`.
    /// Clients send this for files in the session's directory whenever they change.
    request Client "editor/diagnostics" EditorDiagnostics(EditorDiagnosticsParams, Empty);
    /// Announces a document that the editor has open. While it has unsaved changes, tools read its text instead of the
    /// file, and commands the file; changes of it are sent back as `workspace/applyEdit`. Documents belong to the connection and
    /// end with it.
    request Client "document/open" DocumentOpen(DocumentOpenParams, Empty);
    /// Sends changes of an open document. The error `conflict` means that the version did not rise: open the document
    /// again.
    request Client "document/change" DocumentChanged(DocumentChangeParams, Empty);
    /// Announces that an open document was saved.
    request Client "document/save" DocumentSave(DocumentSaveParams, Empty);
    /// Announces that a document was closed.
    request Client "document/close" DocumentClose(DocumentCloseParams, Empty);
    /// Reads the current items of a session, the last ones by default, for clients that do not build them from
    /// events.
    request Client "session/items" SessionItems(SessionItemsParams, SessionItemsResult);
    /// Reads the current value of one item, which may be off the current path.
    request Client "item/read" ItemRead(ItemReadParams, ItemAt);
    /// Cancels one tool call of the running turn, which continues without it. The response is sent at once; the call ends with
    /// `item.completed`. A call that waits for an approval is denied.
    request Client "item/cancel" ItemCancel(ItemCancelParams, Empty);
    /// Lists the points to which files can be restored with `session/rewind`, and the changes between them.
    request Client "checkpoint/list" CheckpointList(CheckpointListParams, CheckpointListResult);
    /// Returns the file difference between two points as a patch.
    request Client "checkpoint/diff" CheckpointDiff(CheckpointDiffParams, CheckpointDiffResult);
    /// Runs a command for the user, in the session's directory, as a job with `byUser`, and responds when it has ended. No permission is
    /// requested; in `readOnly` mode it is refused. The model reads it in a note of the kind `shell`. `$/cancelRequest` stops it; a
    /// client that disconnects leaves it running.
    request Client "shell/run" ShellRun(ShellRunParams, ShellRunResult);
    /// Types the user's text, such as a password, into a running job's terminal, and returns the screen. The engine does not store the text.
    /// The model learns that the user has typed, but sees only the program's output. Refused in `readOnly` mode.
    request Client "shell/write" ShellWrite(ShellWriteParams, ShellWriteResult);
    /// Returns a job's screen with its colors, for display in a terminal. With `after`, it waits up to 25 s for a change first, so repeating it
    /// follows the program. Other requests do not wait for it, and `$/cancelRequest` cancels it.
    request Client "shell/screen" ShellScreen(ShellScreenParams, ShellScreenResult);
    /// Reads the tokens and the money that a session, open or not, has used, by model.
    request Client "usage/read" UsageRead(SessionParams, UsageReadResult);
    /// Lists the running and recently ended background jobs of a session.
    request Client "job/list" JobList(SessionParams, JobListResult);
    /// Stops a background job. The response is sent when none of its processes is running; a job that has ended does not change.
    request Client "job/stop" JobStop(JobStopParams, JobStopResult);
    /// Lists the session's servers of the Model Context Protocol with their state and tools.
    request Client "mcp/list" McpList(SessionParams, McpListResult)
        experimental "servers of the Model Context Protocol are new here";
    /// Switches a server off or on for the session, or starts it again. The result is that of `mcp/list`.
    request Client "mcp/update" McpUpdate(McpUpdateParams, McpListResult)
        experimental "servers of the Model Context Protocol are new here";
    /// Logs in to a server with an address, and stores the login, which every session uses. The client gets `auth/openUrl`, and the
    /// response, that of `mcp/list`, is sent when the user has finished there. Other requests do not wait for it; `$/cancelRequest` ends
    /// it.
    request Client "mcp/login" McpLogin(McpLoginParams, McpListResult)
        experimental "servers of the Model Context Protocol are new here";
    /// Removes the stored login to a server. An existing connection to it continues until the server is restarted.
    request Client "mcp/logout" McpLogout(McpLogoutParams, McpLogoutResult)
        experimental "servers of the Model Context Protocol are new here";
    /// Lists the providers and models that are known by name, from the current settings files.
    request Client "models/list" ModelsList(Empty, ModelsListResult);
    /// Lists the providers that support login, and the current logins.
    request Client "auth/status" AuthStatus(Empty, AuthStatusResult)
        experimental "provider login flows may still change";
    /// Logs in to a provider and stores the login. For the methods `device` and `browser` the client gets `auth/openUrl`, and the response
    /// is sent when the user has finished there. Other requests do not wait for it; `$/cancelRequest` ends it.
    request Client "auth/login" AuthLogin(AuthLoginParams, AuthLoginResult)
        experimental "provider login flows may still change";
    /// Removes the stored login of a provider.
    request Client "auth/logout" AuthLogout(AuthLogoutParams, AuthLogoutResult)
        experimental "provider login flows may still change";
    /// Lists the project files that configure the engine, each with the user's agreement to its current content. The notice `notAgreed`
    /// lists the files that are ignored until then.
    request Client "trust/read" TrustRead(SessionParams, TrustResult)
        experimental "more file kinds may be added";
    /// Agrees to project files as the user saw them. They take effect with the next turn, MCP servers with the next session. Fails with
    /// `conflict`, and agrees to nothing, if a file has changed since or the project is not trusted.
    request Client "trust/agree" TrustAgree(TrustAgreeParams, TrustResult)
        experimental "more file kinds may be added";
    /// Lists a session's permission rules, including those added by the user's answers.
    request Client "permission/list" PermissionList(SessionParams, PermissionListResult)
        experimental "rules may get more parts";
    /// Removes a permission rule added by an answer. The next call is decided without it, even in a running turn; other sessions stop
    /// using it with their next turn. Fails with `notFound` if no such rule is in force.
    request Client "permission/remove" PermissionRemove(PermissionRemoveParams, PermissionListResult)
        experimental "rules may get more parts";
    /// Lists the prompts that can be called with `/name`, from the current files.
    request Client "prompt/list" PromptList(SessionParams, PromptListResult);
    /// Lists the skills that can be called with `/` and their name, from the current files.
    request Client "skill/list" SkillList(SessionParams, SkillListResult);
    /// Registers this client's hook at hook points, in all sessions that it is subscribed to, from their next turn on. It runs after the
    /// config file hooks and ends with the connection.
    request Client "hook/register" HookRegister(HookRegisterParams, Empty)
        experimental "its points depend on turn internals";
    /// Registers a tool of this client for the model, in all sessions that it is subscribed to, from their next turn
    /// on. It ends with the connection.
    request Client "tool/register" ToolRegister(ToolRegisterParams, Empty);
    /// Unregisters a tool of this connection, from the next turn on.
    request Client "tool/unregister" ToolUnregister(ToolUnregisterParams, Empty);
    /// Delivers an event of a session.
    notification Engine "session/event" SessionEvent(AnyRecord);
    /// Announces that this connection read too slowly and the durable events between the two numbers were not sent.
    /// Read them with `session/events`; events after `headSeq` are sent as usual.
    notification Engine "session/eventsMissed" SessionEventsMissed(SessionEventsMissedParams);
    /// Asks the client to show a page, and a code to enter there, to the user during `auth/login` or `mcp/login`.
    notification Engine "auth/openUrl" AuthOpenUrl(AuthOpenUrlParams)
        experimental "provider login flows may still change";
    /// Requests permission. It is sent to every subscribed client that declared `approvals`; the first answer wins
    /// and the others get `$/cancelRequest`.
    request Engine "approval/request" ApprovalRequest(Approval, ApprovalAnswer);
    /// Asks the user a question from the model. It is sent to every subscribed client that declared `questions`; the first answer wins and
    /// the others get `$/cancelRequest`.
    request Engine "question/request" QuestionRequest(Question, QuestionAnswer);
    /// Runs a hook that this client registered. `$/cancelRequest` means that the answer is no longer awaited.
    request Engine "hook/run" HookRunRequest(HookRun, HookAnswer)
        experimental "its points depend on turn internals";
    /// Calls a tool that this client registered. `$/cancelRequest` means that the result is no longer awaited.
    request Engine "tool/call" ToolCallRequest(ToolCallParams, ToolCallResult);
    /// Asks a client with the capability `applyEdit` to change its open documents. A document whose version has changed in the meantime is
    /// not changed.
    request Engine "workspace/applyEdit" ApplyEdit(ApplyEditParams, ApplyEditResult);
}

/// An empty object, `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}

/// Params of `blob/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlobReadParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The output's name, as `details.fullOutput` gives it.
    pub r#ref: String,
    /// First byte, from 0; default 0. Continue with the `end` of the part before.
    #[serde(default)]
    pub offset: u64,
    /// Maximum number of bytes, 1 to 1,048,576; default 65,536.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

/// A part of a long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlobReadResult {
    /// Text; it may be a few bytes shorter than requested, so that no character is cut.
    pub text: String,
    /// Offset of its first byte.
    pub offset: u64,
    /// Offset after its last byte, where the next part begins.
    pub end: u64,
    /// Size of the full output, in bytes.
    pub size: u64,
}

/// A session's background jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobListResult {
    /// Their items, oldest first.
    pub jobs: Vec<Item>,
}

/// Params of `job/stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStopParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Job.
    pub job_id: JobId,
}

/// Result of `job/stop`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStopResult {
    /// Ended job's item.
    pub job: Item,
}

/// Result of `prompt/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptListResult {
    /// Prompts, by name.
    pub prompts: Vec<NamedPrompt>,
    /// Files that could not be read, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Result of `skill/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillListResult {
    /// Skills, by name.
    pub skills: Vec<NamedPrompt>,
}

/// A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamedPrompt {
    /// Its name, without the slash.
    pub name: String,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Arguments that may follow the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// Its file; `mcp:SERVER` for a server's prompt.
    pub path: String,
}

/// Durable events that were not sent to a slow connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEventsMissedParams {
    /// Session.
    pub session_id: SessionId,
    /// Last durable event that was sent.
    pub last_sent_seq: u64,
    /// Last durable event that was not sent.
    pub head_seq: u64,
}
