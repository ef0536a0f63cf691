//! Methods: every request and notification with its params and result.

use crate::approval::{Approval, ApprovalAnswer, ApprovalAnswerParams, ApprovalOutcome};
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
    ItemReadParams, SessionAnchorsParams, SessionAnchorsResult, SessionForkParams,
    SessionItemsParams, SessionItemsResult, SessionLabelParams, SessionLabelResult,
    SessionMergeParams, SessionMergeResult, SessionRewindParams, SessionRewindResult,
    SessionTreeResult,
};
use crate::hook::{
    HookAnswer, HookRegisterParams, HookRun, ToolCallParams, ToolCallResult, ToolRegisterParams,
};
use crate::ids::{JobId, SessionId};
use crate::item::Item;
use crate::models::ModelsListResult;
use crate::question::{Question, QuestionAnswer, QuestionAnswerParams, QuestionOutcome};
use crate::queue::{QueueRemoveParams, QueueRemoveResult, QueueResult, QueueUpdateParams};
use crate::review::{
    ReviewBaselineParams, ReviewBaselineResult, ReviewDecideParams, ReviewDecideResult,
    ReviewListParams, ReviewListResult, ReviewPatchParams, ReviewPatchResult,
};
use crate::search::{
    SessionDeleteParams, SessionDeleteResult, SessionSearchParams, SessionSearchResult,
};
pub use crate::session::{
    SessionConfig, SessionCreateParams, SessionEventsParams, SessionEventsResult,
    SessionListParams, SessionListResult, SessionOpenParams, SessionParams, SessionResult,
    SessionSubscribeParams, SessionSummary,
};
use crate::session::{SessionUpdateParams, SessionUpdateResult};
pub use crate::turn::{
    Disposition, QueuePolicy, SteerOutcome, TurnInterruptParams, TurnInterruptResult,
    TurnStartParams, TurnStartResult, TurnSteerParams, TurnSteerResult, WhenBusy,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A request: its name on the wire and the types that travel.
pub trait Request {
    /// The method's name.
    const METHOD: &'static str;
    /// What is sent.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// What comes back.
    type Result: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// A notification: its name on the wire and what it carries.
pub trait Notification {
    /// The method's name.
    const METHOD: &'static str;
    /// What is sent.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// Who may send a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// Clients.
    Client,
    /// The engine.
    Engine,
}

/// A row of the method table, from which schema, client types and reference are generated.
#[derive(Debug)]
pub struct MethodRow {
    /// The name on the wire.
    pub method: &'static str,
    /// Who sends it.
    pub sender: Sender,
    /// What it is for, in a sentence or two.
    pub doc: &'static str,
    /// The schema of its params.
    pub params: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of its result; a notification has none.
    pub result: Option<fn(&mut SchemaGenerator) -> Schema>,
}

macro_rules! methods {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident $sender:ident $method:literal $name:ident($params:ty $(, $result:ty)?);
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;
            methods!(@impl $kind $method $name $params $(, $result)?);
        )+

        /// Every method of the protocol, in the order of the reference.
        pub const METHODS: &[MethodRow] = &[$(
            MethodRow {
                method: $method,
                sender: Sender::$sender,
                doc: concat!($($doc),+),
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
    (@result) => { None };
    (@result $result:ty) => { Some(|generator| generator.subschema_for::<$result>()) };
}

methods! {
    /// Opens the connection: versions, names, capabilities. It must be the first request.
    request Client "initialize" Initialize(InitializeParams, InitializeResult);
    /// Answers at once; for liveness.
    request Client "ping" Ping(Empty, Empty);
    /// Interrupts what runs, closes every session of this engine in order, then answers. Send `exit` next.
    request Client "shutdown" Shutdown(Empty, Empty);
    /// Ends the process: with code 0 after `shutdown`, with 1 without.
    notification Client "exit" Exit(Empty);
    /// Withdraws a request that has not begun; it is answered with the error `cancelled`. A request that
    /// has begun is answered as usual.
    notification Client "$/cancelRequest" CancelRequest(CancelParams);
    /// Makes a session and, unless told otherwise, subscribes this connection to it.
    request Client "session/create" SessionCreate(SessionCreateParams, SessionResult);
    /// Opens a stored session, also after a crash, and, unless told otherwise, subscribes this connection to it.
    request Client "session/open" SessionOpen(SessionOpenParams, SessionResult);
    /// Lists stored sessions, newest first.
    request Client "session/list" SessionList(SessionListParams, SessionListResult);
    /// Gives a session another title, or takes it away.
    request Client "session/update" SessionUpdate(SessionUpdateParams, SessionUpdateResult);
    /// Searches what people and models said, and what tools were called, ran and touched, in all stored sessions.
    request Client "session/search" SessionSearch(SessionSearchParams, SessionSearchResult);
    /// Makes a page, Markdown or JSON lines of a session, open or not, as the answer or into a file of its working directory.
    request Client "session/export" SessionExport(SessionExportParams, SessionExportResult);
    /// Deletes a stored session for good, with those of its sub-agents. One that is open anywhere is refused.
    request Client "session/delete" SessionDelete(SessionDeleteParams, SessionDeleteResult);
    /// Goes back, or forward again, to another place of an idle session's history.
    request Client "session/rewind" SessionRewind(SessionRewindParams, SessionRewindResult);
    /// Makes a session that begins with another one's history.
    request Client "session/fork" SessionFork(SessionForkParams, SessionResult);
    /// Takes what was said and done in a fork back into the session that it was made of, as a way of its own. Files stay as they are.
    request Client "session/merge" SessionMerge(SessionMergeParams, SessionMergeResult);
    /// Names a place of a session's history.
    request Client "session/label" SessionLabel(SessionLabelParams, SessionLabelResult);
    /// Shows the ways that a session's history has taken.
    request Client "session/tree" SessionTree(SessionParams, SessionTreeResult);
    /// Lists the points of a session between which its items can be listed and searched.
    request Client "session/anchors" SessionAnchors(SessionAnchorsParams, SessionAnchorsResult);
    /// Lists what the agent changed and nobody has decided about.
    request Client "review/list" ReviewList(ReviewListParams, ReviewListResult);
    /// Keeps, undoes, comments, or undoes a verdict. While a turn runs, what changes files waits for the next gap between two of its calls.
    request Client "review/decide" ReviewDecide(ReviewDecideParams, ReviewDecideResult);
    /// Reads what a file held at the last accepted point.
    request Client "review/baseline" ReviewBaseline(ReviewBaselineParams, ReviewBaselineResult);
    /// Makes a patch of what the agent did.
    request Client "review/patch" ReviewPatch(ReviewPatchParams, ReviewPatchResult);
    /// Interrupts the session's turn, closes its journal in order and lets go of it.
    request Client "session/close" SessionClose(SessionParams, Empty);
    /// Sends the session's events to this connection from now on, or from a `seq` on, without a gap.
    request Client "session/subscribe" SessionSubscribe(SessionSubscribeParams, SessionResult);
    /// Stops sending the session's events to this connection.
    request Client "session/unsubscribe" SessionUnsubscribe(SessionParams, Empty);
    /// Reads durable events again, a page at a time.
    request Client "session/events" SessionEvents(SessionEventsParams, SessionEventsResult);
    /// Reads a piece of a long output that an item names in `details.fullOutput`.
    request Client "blob/read" BlobRead(BlobReadParams, BlobReadResult);
    /// Starts a turn with a prompt, or queues it as a follow-up.
    request Client "turn/start" TurnStart(TurnStartParams, TurnStartResult);
    /// Puts a message into the running turn at its next gap between tool calls.
    request Client "turn/steer" TurnSteer(TurnSteerParams, TurnSteerResult);
    /// Stops the running turn. The answer comes at once; the end is the event `turn.completed`.
    request Client "turn/interrupt" TurnInterrupt(TurnInterruptParams, TurnInterruptResult);
    /// Sums up the conversation of an idle session. The answer comes at once; the summing up is a turn with a `compaction` item.
    request Client "session/compact" SessionCompact(SessionCompactParams, SessionCompactResult);
    /// Reads what exactly the model was sent last, and how full its window is.
    request Client "context/read" ContextRead(ContextReadParams, ContextReadResult);
    /// Lists what can be set in a session, with the values that hold.
    request Client "config/list" ConfigList(SessionParams, ConfigResult);
    /// Changes how a session works from the next turn on. What cannot be set is rejected with a reason, and the rest holds.
    request Client "config/set" ConfigSet(ConfigSetParams, ConfigResult);
    /// Lists the messages that the model has not read yet.
    request Client "queue/list" QueueList(SessionParams, QueueResult);
    /// Edits, moves or redirects a message that waits.
    request Client "queue/update" QueueUpdateRequest(QueueUpdateParams, QueueResult);
    /// Takes messages out of the queue and hands them back.
    request Client "queue/remove" QueueRemove(QueueRemoveParams, QueueRemoveResult);
    /// Answers a question of permission that was not asked of this client, or asked before it came. The first answer holds: a
    /// later one gets the error `conflict`, which says what became of the question.
    request Client "approval/answer" ApprovalAnswerRequest(ApprovalAnswerParams, ApprovalOutcome);
    /// Answers a question of the model, as `approval/answer` does one of permission.
    request Client "question/answer" QuestionAnswerRequest(QuestionAnswerParams, QuestionOutcome);
    /// Tells what an editor finds wrong in a file now. After the model has changed that file, it reads what is new; clients send it
    /// for files in the session's folder whenever it changes.
    request Client "editor/diagnostics" EditorDiagnostics(EditorDiagnosticsParams, Empty);
    /// Tells the text of a document that the editor has open. As long as it is open and not saved, every tool reads this text instead of the
    /// file, and changes of it come back as `workspace/applyEdit`. Documents belong to the connection and end with it.
    request Client "document/open" DocumentOpen(DocumentOpenParams, Empty);
    /// Tells how the text of an open document has changed. The error `conflict` means that the version does not rise: open it again.
    request Client "document/change" DocumentChanged(DocumentChangeParams, Empty);
    /// Tells that an open document was saved.
    request Client "document/save" DocumentSave(DocumentSaveParams, Empty);
    /// Tells that a document is not open any more.
    request Client "document/close" DocumentClose(DocumentCloseParams, Empty);
    /// Reads the items of a session as they are now, the last ones first asked for, for clients that do not put them together from events.
    request Client "session/items" SessionItems(SessionItemsParams, SessionItemsResult);
    /// Reads one item as it is now, also one that lies beside the way that the model knows.
    request Client "item/read" ItemRead(ItemReadParams, ItemAt);
    /// Lists the places to which files can go back with `session/rewind`, and what changed between them.
    request Client "checkpoint/list" CheckpointList(CheckpointListParams, CheckpointListResult);
    /// Compares what files were at two places, as a patch.
    request Client "checkpoint/diff" CheckpointDiff(CheckpointDiffParams, CheckpointDiffResult);
    /// Lists the background jobs of a session that run, and those that ended lately.
    request Client "job/list" JobList(SessionParams, JobListResult);
    /// Stops a background job. The answer comes when nothing of it runs any more; one that has ended stays as it is.
    request Client "job/stop" JobStop(JobStopParams, JobStopResult);
    /// Lists the providers and models that are known by name, as the settings files say now.
    request Client "models/list" ModelsList(Empty, ModelsListResult);
    /// Lists the prompts that can be called with `/name`, as the files say now.
    request Client "command/list" CommandList(SessionParams, CommandListResult);
    /// Has this client asked at points of the engine's work, in all sessions that it is subscribed to, from their next turn on, after the
    /// hooks of the config file. It ends with the connection.
    request Client "hook/register" HookRegister(HookRegisterParams, Empty);
    /// Gives the model a tool of this client, in all sessions that it is subscribed to, from their next turn on. It ends with the connection.
    request Client "tool/register" ToolRegister(ToolRegisterParams, Empty);
    /// Something happened in a session.
    notification Engine "session/event" SessionEvent(AnyRecord);
    /// This connection read too slowly: the durable events between the two numbers were not sent.
    /// Read them with `session/events`; what comes after `headSeq` is sent as usual.
    notification Engine "session/lagged" SessionLagged(SessionLaggedParams);
    /// Asks for permission. It is sent to every subscribed client that declared `approvals`; the
    /// first answer wins and the others get `$/cancelRequest`.
    request Engine "approval/request" ApprovalRequest(Approval, ApprovalAnswer);
    /// Asks a person what the model wants to know. It is sent to every subscribed client that declared `questions`; the
    /// first answer wins and the others get `$/cancelRequest`.
    request Engine "question/request" QuestionRequest(Question, QuestionAnswer);
    /// Runs a hook that this client registered. `$/cancelRequest` says that the answer is not waited for any more.
    request Engine "hook/run" HookRunRequest(HookRun, HookAnswer);
    /// Calls a tool that this client registered. `$/cancelRequest` says that the result is not waited for any more.
    request Engine "tool/call" ToolCallRequest(ToolCallParams, ToolCallResult);
    /// Has a client with the capability `applyEdit` change documents that it has open. A document whose version is another by now stays as it is.
    request Engine "workspace/applyEdit" ApplyEdit(ApplyEditParams, ApplyEditResult);
}

/// No params, or nothing to say: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}

/// Which piece of a long output to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlobReadParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The output's name, as `details.fullOutput` gives it.
    pub r#ref: String,
    /// The first byte, from 0; default 0. Go on with the `end` of the piece before.
    #[serde(default)]
    pub offset: u64,
    /// The most bytes, 1 to 1,048,576; default 65,536.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

/// A piece of a long output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlobReadResult {
    /// The text; it may be a few bytes shorter than asked, so that no character is cut.
    pub text: String,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Where it ends, in bytes; the next piece begins here.
    pub end: u64,
    /// The size of the whole output, in bytes.
    pub size: u64,
}

/// A session's background jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobListResult {
    /// Their items, oldest first.
    pub jobs: Vec<Item>,
}

/// Which background job to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStopParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The job.
    pub job_id: JobId,
}

/// A background job that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStopResult {
    /// Its item, with its end.
    pub job: Item,
}

/// The prompts that can be called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandListResult {
    /// The prompts, by name.
    pub commands: Vec<PromptCommand>,
    /// Files that could not be understood, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A prompt in a file. A message that begins with `/` and its name becomes that prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What may be written behind the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// Its file.
    pub path: String,
}

/// The events a slow connection was not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLaggedParams {
    /// The session.
    pub session_id: SessionId,
    /// The last durable event that was sent.
    pub last_sent_seq: u64,
    /// The last durable event that was not.
    pub head_seq: u64,
}
