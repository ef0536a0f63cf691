"""A client of pintle: types, requests, events, and the state of a session, in one file without dependencies.

Generated from protocol/src and protocol/bin/generate/client.py by `cargo run -p pintle-protocol --bin generate`; copy it into your
project. Python 3.10 or later.

    with Client.spawn(["pintle", "serve"]) as engine:
        engine.initialize("my-client", "1.0", {"approvals": {}})
        engine.on("approval/request", lambda asked: {"optionId": "allow"})
        session = engine.create()
        engine.request("turn/start", {"input": [{"type": "text", "text": "Fix the typo."}]})
        for record in engine.records():
            session.apply(record)
            if session.turn and session.turn["status"] != "running":
                break

The client has no thread: a request reads until its response, and keeps the events that come meanwhile for `records`. A handler is
called as soon as the engine's request is read.
"""

from __future__ import annotations

import json
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, Literal, TypedDict, Union, cast, overload

try:
    from typing import TypeAlias
except ImportError as error:
    raise ImportError("pintle.py needs Python 3.10 or later") from error

PROTOCOL_VERSION = "2.0"

class _InitializeParams(TypedDict):
    # Protocol and the versions that the client supports.
    protocol: "ProtocolOffer"


class InitializeParams(_InitializeParams, total=False):
    """Params of `initialize`."""

    # Client.
    client: "PeerInfo"
    # Client capabilities.
    capabilities: "ClientCapabilities"


class ProtocolOffer(TypedDict):
    """Protocol versions that a client supports."""

    # Always `pintle`.
    name: str
    # Versions, such as `1.0`; the engine takes the newest whose major part it supports.
    versions: list[str]


class _PeerInfo(TypedDict):
    # Name.
    name: str


class PeerInfo(_PeerInfo, total=False):
    """A program and its version."""

    # Version.
    version: str
    # For a client: its id, at most 200 characters, which distinguishes it from others of the same name. Events caused by its requests carry it as `cause.clientId`; default: its name.
    id: str


class ClientCapabilities(TypedDict, total=False):
    """Client capabilities."""

    # The client answers `approval/request`. Otherwise calls that require approval are denied, and the model is informed.
    approvals: "Supported"
    # The client answers `question/request`. Otherwise the model is informed that questions cannot be answered.
    questions: "Supported"
    # The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed.
    applyEdit: "Supported"
    # Deltas that the client wants. Otherwise it receives all of them, each at once.
    deltas: "DeltaCapability"


class Supported(TypedDict, total=False):
    """A capability with nothing to configure: `{}`."""



class DeltaCapability(TypedDict, total=False):
    """Deltas that a client wants in all of its subscriptions."""

    # Fields whose deltas are sent; none if it is empty. Default: all of them.
    types: list["DeltaField"]
    # Default `maxLatencyMs` of subscriptions.
    coalesceMs: int


# Fields that stream.
DeltaField: TypeAlias = Union[Literal["text"], Literal["args"], Literal["input"], Literal["output"]]

class InitializeResult(TypedDict):
    """Result of `initialize`."""

    # Protocol version of this connection.
    protocol: "ProtocolChoice"
    # Engine.
    engine: "EngineInfo"
    # Engine capabilities.
    capabilities: "EngineCapabilities"
    # Limits of this connection.
    limits: "Limits"


class ProtocolChoice(TypedDict):
    """Protocol version of a connection."""

    # Always `pintle`.
    name: str
    # Version.
    version: str


class EngineInfo(TypedDict):
    """Engine name, version and schema."""

    # Always `pintle`.
    name: str
    # Program version.
    version: str
    # A hash that changes whenever the protocol's schema does.
    schemaHash: str


class EngineCapabilities(TypedDict, total=False):
    """Capabilities of this engine."""

    # Running turns can be steered.
    steer: "Supported"
    # Follow-ups wait in a queue.
    queue: "Supported"
    # Durable events can be read again from any `seq`.
    replay: "Supported"
    # Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`.
    filters: "Supported"
    # Documents that an editor has open are read and changed through the editor. Absent if the files are on another machine.
    documents: "Supported"
    # Sessions can be rewound, forked and merged: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
    history: "Supported"
    # Changes of the agent can be reviewed hunk by hunk: `review/…`.
    review: "Supported"
    # Stored sessions can be searched, read, exported and deleted: `session/search` and related methods.
    search: "Supported"


class Limits(TypedDict):
    """Limits of a connection."""

    # Maximum size of a message, in bytes.
    maxMessageBytes: int
    # Maximum number of unanswered requests.
    maxInFlight: int


class Empty(TypedDict, total=False):
    """An empty object, `{}`."""



class CancelParams(TypedDict):
    """Request to withdraw."""

    # Request id: a number or a string.
    id: Any


class SessionCreateParams(TypedDict, total=False):
    """Params of `session/create`."""

    # Working directory, absolute; default: the directory in which the engine was started.
    cwd: str
    # Session title.
    title: str
    # Work in a copy of the project. `isolation/apply` merges the changes into the user's files.
    isolation: "IsolationRequest"
    # Settings.
    config: "SessionConfig"
    # Subscribe this connection; default true.
    subscribe: bool
    # Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int
    # Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first one created, for a month and also after an engine restart.
    key: str


class _IsolationRequest(TypedDict):
    # Kind of copy.
    kind: "IsolationKind"


class IsolationRequest(_IsolationRequest, total=False):
    """Isolation of a new session."""

    # Start a worktree with uncommitted changes and untracked files; default: from the last commit. A copy always contains them.
    uncommitted: bool


# Kind of copy that an isolated session works in. Files that git ignores are in neither.
IsolationKind: TypeAlias = Union[Literal["worktree"], Literal["copy"]]

class SessionConfig(TypedDict, total=False):
    """Session settings. Omitted ones come from the user's settings."""

    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Permission mode.
    permissionMode: "PermissionMode"
    # Instructions for this session alone, appended to the system prompt; only when the session is created.
    systemPrompt: str
    # Tools visible to the model, by name, with `*` for any text; only when the session is created. A name includes every tool with the same purpose, so `bash` includes `shell`. Client tools are not limited by it. Default: all of them.
    tools: list[str]
    # Work mode.
    mode: "WorkMode"
    # Further directories that belong to the work, absolute: changes there need the same permission as in the working directory, and changes that commands make there are tracked. The session does not keep them: pass them again when you open it. Absent: unchanged.
    additionalDirectories: list[str]
    # MCP (Model Context Protocol) servers for this session, by name, in addition to those in the user's settings; one with the same name replaces theirs. The session does not keep them: pass them again when you open it. Absent: unchanged.
    mcpServers: dict[str, "McpServer"]


# Permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest.
PermissionMode: TypeAlias = Union[Literal["readOnly"], Literal["ask"], Literal["autoEdit"], Literal["full"]]

# Work mode: act or plan only.
WorkMode: TypeAlias = Union[Literal["act"], Literal["plan"]]

class McpServer(TypedDict, total=False):
    """MCP (Model Context Protocol) server for one session: a program that communicates over its standard streams (`command`), or an address (`url`). Its values are literal: nothing in them is expanded."""

    # Program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory.
    command: str
    # Its arguments.
    args: list[str]
    # Variables that it is given.
    env: dict[str, str]
    # Its working directory, if it differs from the session's.
    cwd: str
    # Address of a streamable HTTP server.
    url: str
    # Headers of each request to it.
    headers: dict[str, str]


class _SessionResult(TypedDict):
    # Session.
    sessionId: "SessionId"
    # Number of its last durable event.
    seq: int
    # Working directory.
    cwd: str
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Permission mode.
    permissionMode: "PermissionMode"
    # Current state.
    state: "SessionState"


class SessionResult(_SessionResult, total=False):
    """A snapshot of a session at `seq`. If the connection is subscribed, every later event is sent, and after `session/create` and `session/fork` also those up to `seq`."""

    # Copy of the project in which it works; absent if it works on the user's files.
    isolation: "Isolation"
    # Title.
    title: str
    # Sandbox for its commands; absent if there is none, such as on another machine. In `full` mode, commands run outside of it, unless it is required.
    sandbox: "SandboxState"
    # Work mode.
    mode: "WorkMode"
    # Running turn.
    activeTurnId: "TurnId"
    # Queued messages. Messages that an earlier engine accepted but the model has not read wait here too: they do not start a turn, and are read before the next prompt.
    queue: list["QueuedInput"]
    # Pending approvals.
    approvals: list["Approval"]
    # Open questions to the user.
    questions: list["Question"]
    # The model's plan.
    plan: "Plan"
    # Usage of all its turns, including sub-agents.
    usage: "Usage"
    # Cost of that usage, in billionths of a US dollar; absent if no price is known.
    costNanoUsd: int
    # Estimated fill level of the model's context window.
    context: "ContextUsage"
    # True if there are too many events after `fromSeq` to send at once. None of them is sent: read them with `session/events`.
    gap: bool


# Session id: a UUIDv7, so ids sort by creation time.
SessionId: TypeAlias = str

class Isolation(TypedDict):
    """A session's isolation."""

    # Kind of copy.
    kind: "IsolationKind"
    # Directory of the copy.
    root: str
    # Directory that was copied: the repository's, or without one the working directory.
    original: str
    # The user's working directory, of which the session's is the copy.
    cwd: str


class _SandboxState(TypedDict):
    # Grade that this machine enforces.
    grade: "SandboxGrade"
    # Same in human-readable form: `full: Landlock 7, seccomp, namespaces`.
    level: str


class SandboxState(_SandboxState, total=False):
    """Sandbox that confines commands which run unasked."""

    # Human-readable parts of the confinement that this machine does not enforce.
    gaps: list[str]
    # True if every command runs in it or not at all, in each permission mode.
    required: bool


# Grade to which a sandbox is enforced.
SandboxGrade: TypeAlias = Union[Literal["none"], Literal["partial"], Literal["full"]]

class _SessionState(TypedDict):
    # State.
    value: "StateValue"


class SessionState(_SessionState, total=False):
    """Current state of a session. A reader never takes an unknown value for idle."""

    # Ids of the approvals and questions that it is waiting for, when it is blocked.
    blockedOn: list[str]
    # Items of background jobs that run, also while the session is idle.
    background: list["ItemId"]


# Session state.
StateValue: TypeAlias = Union[Literal["idle"], Literal["running"], Literal["blocked"], Literal["retrying"], Literal["compacting"]]

# Item id: a message, a tool call or anything else that a client can draw.
ItemId: TypeAlias = str

# Turn id, unique across all sessions.
TurnId: TypeAlias = str

class _QueuedInput(TypedDict):
    # Id that the `userMessage` item will have.
    itemId: "ItemId"
    # Turn that it belongs to: the running turn for a steer, a separate turn for a prompt or a follow-up.
    turnId: "TurnId"
    # The way it is delivered.
    delivery: "Delivery"
    # Blocks, as sent.
    content: list["Input"]


class QueuedInput(_QueuedInput, total=False):
    """User message that is accepted and not yet read by the model."""

    # Budget of the turn that it starts.
    limits: "TurnLimits"
    # JSON Schema that the final message of the turn that it starts must satisfy.
    outputSchema: Any


# Delivery of a user message to the model.
Delivery: TypeAlias = Union[Literal["prompt"], Literal["steer"], Literal["followUp"]]

class _InputText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class InputText(_InputText, total=False):
    # True for text that the user has not typed, such as a terminal's output: `@path` and `/name` have no meaning in it. Older engines ignore this.
    verbatim: bool


class _InputFile(TypedDict):
    type: Literal["file"]
    # The path, absolute or relative to the working directory.
    path: str


class InputFile(_InputFile, total=False):
    # Lines; absent for the entire file.
    range: "LineRange"


class InputSelection(TypedDict):
    type: Literal["selection"]
    # The file's path.
    path: str
    # The selected lines.
    range: "LineRange"
    # The selected text.
    text: str


class InputDiagnostics(TypedDict):
    type: Literal["diagnostics"]
    # The file's path.
    path: str
    # The problems.
    items: list["Diagnostic"]


class InputImage(TypedDict):
    type: Literal["image"]
    # The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    mimeType: str
    # The image's bytes in base64.
    data: str


class InputDocument(TypedDict):
    type: Literal["document"]
    # The media type: `application/pdf`.
    mimeType: str
    # The document's bytes in base64.
    data: str
    # The document's name, such as its file name.
    name: str


# One block of a prompt, a steer or a follow-up.
Input: TypeAlias = Union["InputText", "InputFile", "InputSelection", "InputDiagnostics", "InputImage", "InputDocument"]

class LineRange(TypedDict):
    """A range of lines in a file, counted from 1, both ends included."""

    # First line.
    start: int
    # Last line.
    end: int


class _Diagnostic(TypedDict):
    # Line, 1-based.
    line: int
    # Severity.
    severity: "Severity"
    # Message.
    message: str


class Diagnostic(_Diagnostic, total=False):
    """A problem in a file."""

    # Tool that reported it, such as `rustc`.
    source: str


# Diagnostic severity.
Severity: TypeAlias = Union[Literal["error"], Literal["warning"], Literal["information"], Literal["hint"]]

class TurnLimits(TypedDict, total=False):
    """Turn budget. Reaching a limit ends the turn cleanly, with the stop reason `limit` and a notice. The user's settings may be stricter."""

    # Maximum number of model replies.
    steps: int
    # Maximum number of tool calls, checked between replies; those of sub-agents are not counted.
    toolCalls: int
    # Maximum number of tokens, input and output together.
    tokens: int
    # Maximum cost, in billionths of a US dollar; never reached if no price is known.
    costNanoUsd: int
    # Maximum duration in milliseconds, checked between replies.
    durationMs: int


class _Approval(TypedDict):
    # Approval id.
    approvalId: "ApprovalId"
    # Session it belongs to.
    sessionId: "SessionId"
    # Turn that waits.
    turnId: "TurnId"
    # Tool call that waits.
    itemId: "ItemId"
    # Tool name.
    toolName: str
    # Kind of tool.
    kind: "ToolKind"
    # One line for the user: `bash: rm -r build`.
    title: str
    # Reason why permission is needed, in a sentence.
    reason: str
    # The tool's complete arguments: the command, or the text to write.
    input: Any
    # Options to choose from.
    options: list["ApprovalOption"]


class Approval(_Approval, total=False):
    """A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`."""

    # The files concerned.
    locations: list["Location"]
    # Human-readable rule or default that requires approval.
    decidedBy: str
    # Everything to be approved, in full, for the user to read: the command, the paths, the content. A client shows every part, or denies the call.
    details: list["ApprovalDetail"]
    # File changes that the call would make, computed from the current files. Omitted if the call changes no file or its changes are not known in advance.
    changes: list["FileChange"]
    # True if the answer may contain `edits`. Older engines ignore them.
    editable: bool
    # Deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.
    deadlineMs: int


# Approval id, pending until the approval is answered or cancelled.
ApprovalId: TypeAlias = str

# Tool call kind; the names are those of the Agent Client Protocol.
ToolKind: TypeAlias = Union[Literal["read"], Literal["edit"], Literal["delete"], Literal["move"], Literal["search"], Literal["execute"], Literal["fetch"], Literal["think"], Literal["other"]]

class _Location(TypedDict):
    # Absolute path.
    path: str


class Location(_Location, total=False):
    """A position in a file."""

    # Line, 1-based.
    line: int


class ApprovalDetail(TypedDict):
    """Part of a call that requires the user's approval. Control characters, and characters that are invisible or change the text direction, are drawn as signs."""

    # Kind of text.
    kind: "DetailKind"
    # Complete text, with its line ends.
    text: str


# Kind of text shown with an approval request.
DetailKind: TypeAlias = Union[Literal["command"], Literal["path"], Literal["content"], Literal["diff"], Literal["address"], Literal["arguments"], Literal["modelText"]]

class _FileChange(TypedDict):
    # Operation.
    op: "FileOp"
    # The file's absolute path (the new one after a move).
    path: str
    # Change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
    diff: str
    # Number of lines added.
    added: int
    # Number of lines removed.
    removed: int


class FileChange(_FileChange, total=False):
    """Change of one file."""

    # Path before a move.
    oldPath: str
    # First line that differs, 1-based, counted in the new text: the line to which an editor jumps.
    firstChangedLine: int
    # Parts that differ within changed lines, for highlighting words; at most 1,000.
    words: list["WordSpan"]


# File change kind.
FileOp: TypeAlias = Union[Literal["add"], Literal["modify"], Literal["delete"], Literal["move"]]

class WordSpan(TypedDict):
    """A part of a line that differs from its counterpart."""

    # Text it belongs to.
    side: "Side"
    # Line in that text, 1-based.
    line: int
    # Its first byte in the line as UTF-8, from 0.
    start: int
    # Byte after it.
    end: int


# One of the two texts of a change.
Side: TypeAlias = Union[Literal["old"], Literal["new"]]

class _ApprovalOption(TypedDict):
    # Id to send back.
    optionId: str
    # Label to show.
    label: str
    # Decision that this option represents.
    decision: "Decision"
    # Scope in which the decision holds.
    scope: "Scope"


class ApprovalOption(_ApprovalOption, total=False):
    """Option offered to the user."""

    # Human-readable rules that the option adds.
    rules: list[str]


# A decision about a tool call. A reader never takes an unknown value as permission.
Decision: TypeAlias = Union[Literal["allow"], Literal["deny"], Literal["abort"]]

# Decision scope.
Scope: TypeAlias = Union[Literal["once"], Literal["turn"], Literal["session"], Literal["project"], Literal["user"]]

class _Question(TypedDict):
    # Question id.
    questionId: "QuestionId"
    # Session it belongs to.
    sessionId: "SessionId"
    # Turn that waits.
    turnId: "TurnId"
    # Tool call that waits.
    itemId: "ItemId"
    # Kind of question.
    kind: "QuestionKind"
    # Question.
    text: str
    # Deadline after which the default answer applies, in milliseconds since 1970.
    deadlineMs: int


class Question(_Question, total=False):
    """Question to the user. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, regardless of the options."""

    # Plan to be accepted, as Markdown; only with the kind `plan`.
    plan: str
    # Options to choose from; without any, the answer is a text.
    options: list["QuestionOption"]
    # True if several options may be chosen.
    multiple: bool


# Id of a question to the user, pending until the question is answered or its deadline passes.
QuestionId: TypeAlias = str

# Kind of a question. A reader treats an unknown kind as `choice`.
QuestionKind: TypeAlias = Union[Literal["choice"], Literal["plan"]]

class QuestionOption(TypedDict):
    """Option offered to the user."""

    # Id to send back.
    optionId: str
    # Label to show.
    label: str


class Plan(TypedDict):
    """The model's plan. Each plan replaces the one before."""

    # Plan steps, in order.
    items: list["PlanItem"]


class PlanItem(TypedDict):
    """One step of a plan."""

    # Step description.
    content: str
    # Status.
    status: "PlanStatus"


# Step status.
PlanStatus: TypeAlias = Union[Literal["pending"], Literal["inProgress"], Literal["completed"]]

class _Usage(TypedDict):
    # Input tokens that were not read from a cache.
    inputTokens: int
    # Output tokens, reasoning included.
    outputTokens: int


class Usage(_Usage, total=False):
    """Token usage of one model reply, of a turn, or of a session. All counts are cumulative for their span."""

    # Input tokens read from the provider's cache.
    cacheReadTokens: int
    # Input tokens written to the provider's cache.
    cacheWriteTokens: int
    # Output tokens spent on reasoning, if the provider reports them.
    reasoningTokens: int
    # Web searches run by the provider, which it charges for in addition to the tokens.
    webSearches: int


class _ContextUsage(TypedDict):
    # Estimated tokens of the next request.
    tokens: int


class ContextUsage(_ContextUsage, total=False):
    """Fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of later additions."""

    # Size of the context window; absent if unknown.
    window: int


class _SessionOpenParams(TypedDict):
    # Session.
    sessionId: "SessionId"


class SessionOpenParams(_SessionOpenParams, total=False):
    """Params of `session/open`."""

    # Subscribe this connection; default true.
    subscribe: bool
    # Send the events after this number first.
    fromSeq: int
    # Number of last events to send first, if `fromSeq` is omitted.
    tail: int
    # Another working directory from now on, absolute: for a session whose directory was moved or deleted. Refused with `conflict` while the session is open elsewhere in another directory.
    cwd: str
    # Settings from now on.
    config: "SessionConfig"
    # Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int


class SessionListParams(TypedDict, total=False):
    """Params of `session/list`."""

    # Only sessions with this working directory.
    cwd: str
    # If true, include sub-agents' sessions; default false.
    subagents: bool
    # Only sessions with this text in their title or working directory, ignoring case.
    query: str
    # The `nextCursor` of the page before.
    cursor: str
    # If true, only archived sessions; default false: only the others.
    archived: bool
    # Maximum number of sessions, 1 to 1000; default 50.
    limit: int


class _SessionListResult(TypedDict):
    # Sessions, the last created first.
    sessions: list["SessionSummary"]


class SessionListResult(_SessionListResult, total=False):
    """Page of sessions."""

    # Cursor of the next page; absent on the last one.
    nextCursor: str


class _SessionSummary(TypedDict):
    # Session.
    sessionId: "SessionId"
    # Working directory.
    cwd: str
    # Creation time, in milliseconds since 1970.
    createdMs: int
    # Time of the last write to its journal, in milliseconds since 1970.
    updatedMs: int
    # Directory that contains its journal.
    path: str


class SessionSummary(_SessionSummary, total=False):
    """A stored session, as shown in lists."""

    # Its title, or the beginning of its first prompt.
    title: str
    # Parent, if the session is a sub-agent.
    parent: "Parent"
    # Session that it was forked from, which may have been deleted since.
    forkedFrom: "SessionId"
    # True if it is archived.
    archived: bool


class Parent(TypedDict):
    """Parent of a sub-agent's session."""

    # Parent session.
    sessionId: "SessionId"
    # Sub-agent id in the parent's session.
    agentId: "AgentId"


# Sub-agent id within its session: `agent-1`, `agent-2` …, short because a model writes it.
AgentId: TypeAlias = str

class SessionUpdateParams(TypedDict, total=False):
    """Params of `session/update`; omitted fields do not change."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again.
    title: Union[str, None]


class SessionUpdateResult(TypedDict, total=False):
    """Result of `session/update`."""

    # Title; absent when there is none.
    title: str


class _SessionArchiveParams(TypedDict):
    # Session, open or not.
    sessionId: "SessionId"


class SessionArchiveParams(_SessionArchiveParams, total=False):
    """Params of `session/archive`."""

    # True archives it, false returns it to the lists; default true.
    archived: bool


class SessionSearchParams(TypedDict, total=False):
    """Params of `session/search`."""

    # Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the filters.
    query: str
    # Only in sessions with this working directory.
    cwd: str
    # Only in this session.
    sessionId: "SessionId"
    # Only after this event of that session, such as an entry of `session/outline`.
    afterSeq: int
    # Only before this event of that session.
    beforeSeq: int
    # Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search for one of these two reads journals, so it takes longer, and its hits are not ranked: the newest session comes first.
    kinds: list["EntryKind"]
    # Only entries of these roles; empty for all.
    roles: list["EntryRole"]
    # Only calls that concern a file with this in its path.
    path: str
    # Only entries of this time or later, in milliseconds since 1970.
    afterMs: int
    # Only entries before this time, in milliseconds since 1970.
    beforeMs: int
    # The `nextCursor` of the page before.
    cursor: str
    # Maximum number of hits, 1 to 200; default 20.
    limit: int


# Kind of a searchable entry.
EntryKind: TypeAlias = Union[Literal["userMessage"], Literal["agentMessage"], Literal["toolCall"], Literal["toolOutput"], Literal["reasoning"]]

# Role of a searchable entry.
EntryRole: TypeAlias = Union[Literal["user"], Literal["assistant"], Literal["tool"]]

class _SessionSearchResult(TypedDict):
    # Hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked.
    hits: list["SearchHit"]


class SessionSearchResult(_SessionSearchResult, total=False):
    """Result of `session/search`."""

    # Cursor of the next page; absent on the last one.
    nextCursor: str
    # Number of sessions whose text is not indexed yet; indexing continues, so search again.
    behind: int


class _SearchHit(TypedDict):
    # Session.
    sessionId: "SessionId"
    # Number of its event, around which `session/events` reads.
    seq: int
    # Time, in milliseconds since 1970.
    tsMs: int
    # Kind of entry.
    kind: "EntryKind"
    # Role.
    role: "EntryRole"
    # The session's working directory.
    cwd: str
    # Text around the first match, in pieces, without line ends.
    snippet: list["SnippetPiece"]


class SearchHit(_SearchHit, total=False):
    """An entry that matches."""

    # Item.
    itemId: "ItemId"
    # Session title, as in lists.
    title: str


class _SnippetPiece(TypedDict):
    # Text.
    text: str


class SnippetPiece(_SnippetPiece, total=False):
    """A piece of a snippet."""

    # True if it matches the query.
    match: bool


class _SessionExportParams(TypedDict):
    # Format.
    format: "ExportFormat"


class SessionExportParams(_SessionExportParams, total=False):
    """Params of `session/export`."""

    # Session, open or not; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # File to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text.
    path: str
    # If true, overwrite an existing file.
    overwrite: bool


# Export format.
ExportFormat: TypeAlias = Union[Literal["html"], Literal["md"], Literal["json"], Literal["pi"]]

class _SessionExportResult(TypedDict):
    # Text size in bytes.
    bytes: int


class SessionExportResult(_SessionExportResult, total=False):
    """Exported session."""

    # Text; absent if a file was written.
    text: str
    # Absolute path of the written file.
    path: str


class SessionDeleteParams(TypedDict):
    """Params of `session/delete`."""

    # Session. It must be named, and must not be open anywhere.
    sessionId: "SessionId"


class SessionDeleteResult(TypedDict):
    """Result of `session/delete`."""

    # Deleted sessions: the sub-agents' first, then the requested one.
    deleted: list["SessionId"]


class _SessionRewindParams(TypedDict):
    # Point to return to.
    to: "HistoryPoint"


class SessionRewindParams(_SessionRewindParams, total=False):
    """Params of `session/rewind`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Scope: the conversation, the files, or both.
    scope: "RewindScope"
    # Absolute paths of files to restore even if they were changed by others.
    overwrite: list[str]
    # If true, the model summarizes the part of the history that it loses, and the summary stays in its context. This takes a separate turn, whose reply is nothing but the summary.
    summarize: bool
    # If true, only report the effect, without changing anything.
    dryRun: bool


class HistoryPoint(TypedDict, total=False):
    """A point in a session's history: exactly one of its fields is set."""

    # Before this user message.
    itemId: "ItemId"
    # After the end of this turn.
    turnId: "TurnId"
    # After the event with this number, which may be off the current path; 0 is the beginning.
    seq: int


# Rewind scope.
RewindScope: TypeAlias = Union[Literal["conversation"], Literal["files"], Literal["both"]]

class _SessionRewindResult(TypedDict):
    # Event after which the session continues.
    toSeq: int
    # Last event before the rewind: rewinding to it undoes this rewind.
    fromSeq: int
    # Items that leave the model's context.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]


class SessionRewindResult(_SessionRewindResult, total=False):
    """Rewind result."""

    # Message before which the session was rewound, to be edited and sent again.
    input: list["Input"]
    # Turn that writes the summary, if one was requested and there is something to summarize.
    summaryTurnId: "TurnId"
    # Effect on the files that were changed since; empty when only the conversation is rewound.
    files: list["FileFate"]


class FileFate(TypedDict):
    """Effect of a rewind on one file."""

    # Path, absolute.
    path: str
    # Author of the later changes.
    owner: "FileOwner"
    # Action.
    action: "FileAction"


# Author of a file's changes since the rewind target.
FileOwner: TypeAlias = Union[Literal["agent"], Literal["other"], Literal["conflict"]]

# Action of a rewind on a file.
FileAction: TypeAlias = Union[Literal["restore"], Literal["remove"], Literal["leave"], Literal["lost"], Literal["failed"]]

class _SessionForkParams(TypedDict):
    # Session to fork; it does not change, and need not be open.
    sessionId: "SessionId"


class SessionForkParams(_SessionForkParams, total=False):
    """Params of `session/fork`."""

    # Point up to which its history is copied; all of it by default.
    at: "HistoryPoint"
    # Title of the new session.
    title: str
    # Working directory of the new session, absolute; that of the other one by default.
    cwd: str
    # Settings of the new session; omitted settings are copied.
    config: "SessionConfig"
    # Subscribe this connection to the new session; default true.
    subscribe: bool
    # Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int
    # Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first one created, for a month and also after an engine restart.
    key: str


class _SessionMergeParams(TypedDict):
    # Fork, created from that session by `session/fork`; it does not change, and need not be open.
    forkId: "SessionId"


class SessionMergeParams(_SessionMergeParams, total=False):
    """Params of `session/merge`. (Experimental.)"""

    # Session that receives the events; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class SessionMergeResult(TypedDict):
    """Merge result. The copied events follow as `session/event`, after a `history.rewound`. (Experimental.)"""

    # Event after which the copied events are inserted.
    toSeq: int
    # Last event before the merge: rewinding to it undoes the merge.
    fromSeq: int
    # Number of the last copied event, now the session's current position.
    copiedSeq: int
    # Items that leave the model's context.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]
    # Items copied from the fork.
    added: list["ItemId"]


class _SessionLabelParams(TypedDict):
    # Point.
    at: "HistoryPoint"


class SessionLabelParams(_SessionLabelParams, total=False):
    """Params of `session/label`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Label, at most 200 characters; absent to remove it.
    label: str
    # Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it.
    metadata: Any


class SessionLabelResult(TypedDict):
    """Point whose label changed."""

    # Event of the point.
    seq: int


class SessionNoteParams(TypedDict, total=False):
    """Params of `session/note`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Text, at most 64 KB. May be empty if there is data and the model does not read the note.
    text: str
    # Client-chosen name for this kind of note, at most 64 characters.
    kind: str
    # Any data, at most 64 KB of JSON. The model does not read it.
    data: Any
    # True if the model reads the text at its next turn; default false.
    toModel: bool
    # True if clients do not show it to the user; default false.
    hidden: bool
    # A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more.
    key: str


class SessionParams(TypedDict, total=False):
    """Params of a request about one session."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class SessionTreeResult(TypedDict):
    """History tree of a session."""

    # User messages and labelled points, oldest first.
    nodes: list["HistoryNode"]
    # Last event.
    leafSeq: int


class _HistoryNode(TypedDict):
    # Event.
    seq: int
    # Beginning of the message.
    text: str
    # Time, in milliseconds since 1970.
    tsMs: int
    # True if it is on the current path.
    current: bool


class HistoryNode(_HistoryNode, total=False):
    """A node of the history tree."""

    # Event of the parent node; absent for the first.
    parentSeq: int
    # Message item, if the node is a message.
    itemId: "ItemId"
    # Turn.
    turnId: "TurnId"
    # Label.
    label: str


class SessionOutlineParams(TypedDict, total=False):
    """Params of `session/outline`. (Experimental.)"""

    # Session, open or not; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class SessionOutlineResult(TypedDict):
    """A session's outline. (Experimental.)"""

    # Entries, in the order of their events.
    entries: list["OutlineEntry"]


class _OutlineEntry(TypedDict):
    # Event.
    seq: int
    # Kind.
    kind: "OutlineKind"
    # Time, in milliseconds since 1970.
    tsMs: int
    # True if it is on the current path.
    current: bool


OutlineEntry = TypedDict("OutlineEntry", {"text": str, "metadata": Any, "from": "SessionId"})

# Kind of an outline entry. (Experimental.)
OutlineKind: TypeAlias = Union[Literal["start"], Literal["copied"], Literal["compaction"], Literal["rewindSummary"], Literal["label"]]

class ReviewListParams(TypedDict, total=False):
    """Params of `review/list`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Only hunks of this file, by its absolute path.
    path: str
    # Only hunks that this turn created or changed.
    turnId: "TurnId"
    # If true, include closed hunks.
    closed: bool


class ReviewListResult(TypedDict):
    """Hunks by path and line, followed by closed ones, oldest first."""

    # Hunks.
    hunks: list["Hunk"]
    # Last event that the list takes into account.
    seq: int


class _Hunk(TypedDict):
    # Hunk id, stable while the file changes elsewhere and never reused.
    id: "HunkId"
    # The file's absolute path.
    path: str
    # Kind: lines, or the entire file.
    kind: "HunkKind"
    # State.
    state: "HunkState"
    # Lines in the baseline.
    before: "LineSpan"
    # Lines in the present file.
    after: "LineSpan"
    # Text of those lines in the baseline, with line ends; empty if the file is not text.
    oldText: str
    # Text of those lines in the present file.
    newText: str
    # Last event that changed its text. A decision that refers to an older one is refused.
    changedSeq: int
    # Calls that created or changed it, in order.
    madeBy: list["Maker"]


class Hunk(_Hunk, total=False):
    """A run of changed lines: its text in the baseline (at the last accepted point) and its text now."""

    # Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be the user's work, undoing a turn or everything skips it; undo the hunk or its file instead.
    cause: str
    # Comments on it.
    comments: list["Comment"]
    # Decision that closed it.
    decision: int
    # Number of a queued decision about it.
    waiting: int
    # Hunk that absorbed it.
    absorbedBy: "HunkId"
    # Hunk that it was split from, when a decision covered only some of its lines.
    partOf: "HunkId"


# Hunk id within its session: the number of the event that made it, a dot, and a count.
HunkId: TypeAlias = str

# Hunk kind.
HunkKind: TypeAlias = Union[Literal["lines"], Literal["file"], Literal["mode"]]

# Hunk state.
HunkState: TypeAlias = Union[Literal["pending"], Literal["modified"], Literal["conflict"], Literal["kept"], Literal["undone"], Literal["absorbed"], Literal["gone"]]

class LineSpan(TypedDict):
    """A span of lines in a text."""

    # First line, from 1. For an empty span: the line before which it lies.
    start: int
    # Number of lines.
    count: int


class _Maker(TypedDict):
    # Turn.
    turnId: "TurnId"
    # Tool call.
    itemId: "ItemId"


class Maker(_Maker, total=False):
    """Call that created or changed a hunk."""

    # Set if the change may not be the call's: the command that ran while the file changed.
    whileRan: str


class _Comment(TypedDict):
    # Event that added it.
    seq: int
    # Side: the baseline or the present file.
    side: "Side"
    # Comment text.
    text: str


class Comment(_Comment, total=False):
    """User comment on a hunk."""

    # Lines within the hunk; absent for all.
    lines: "LineSpan"


class _ReviewDecideParams(TypedDict):
    # Requested action.
    action: "ReviewAction"


class ReviewDecideParams(_ReviewDecideParams, total=False):
    """Params of `review/decide`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class ReviewActionKeep(TypedDict):
    type: Literal["keep"]
    # The hunks concerned.
    target: "ReviewTarget"


class _ReviewActionUndo(TypedDict):
    type: Literal["undo"]
    # The hunks concerned.
    target: "ReviewTarget"


class ReviewActionUndo(_ReviewActionUndo, total=False):
    # If true, also remove lines that the user wrote into a hunk; otherwise such a hunk is a conflict.
    discardEdits: bool


class ReviewActionRevert(TypedDict):
    type: Literal["revert"]
    # Event of the decision.
    decision: int


class _ReviewActionComment(TypedDict):
    type: Literal["comment"]
    # The hunk.
    hunk: "HunkId"
    # The side: the baseline or the present file.
    side: "Side"
    # The comment's text.
    text: str


class ReviewActionComment(_ReviewActionComment, total=False):
    # Lines within the hunk; absent for all.
    lines: "LineSpan"


# User action.
ReviewAction: TypeAlias = Union["ReviewActionKeep", "ReviewActionUndo", "ReviewActionRevert", "ReviewActionComment"]

class _ReviewTargetHunk(TypedDict):
    type: Literal["hunk"]
    # Its id.
    hunk: "HunkId"


class ReviewTargetHunk(_ReviewTargetHunk, total=False):
    # The `changedSeq` that was shown; the decision is refused when it has changed since.
    changedSeq: int


class ReviewTargetLines(TypedDict):
    type: Literal["lines"]
    # Its id.
    hunk: "HunkId"
    # The `changedSeq` that was shown; the lines are counted in that text.
    changedSeq: int
    # The selected lines.
    lines: "LineSelection"


class ReviewTargetFile(TypedDict):
    type: Literal["file"]
    # Its absolute path.
    path: str


class ReviewTargetTurn(TypedDict):
    type: Literal["turn"]
    # The turn.
    turnId: "TurnId"


class ReviewTargetAll(TypedDict):
    type: Literal["all"]


# Hunks that a decision concerns.
ReviewTarget: TypeAlias = Union["ReviewTargetHunk", "ReviewTargetLines", "ReviewTargetFile", "ReviewTargetTurn", "ReviewTargetAll"]

class LineSelection(TypedDict, total=False):
    """A selection of lines of a hunk, counted within it."""

    # Lines of the baseline's text.
    old: "LineSpan"
    # Lines of the present text.
    new: "LineSpan"


class _ReviewDecideResult(TypedDict):
    # Event of the decision, by which it can be reverted. For a queued decision, its number: reverting that withdraws it.
    seq: int
    # Effect on each hunk; for a queued decision, the effect that it would have now.
    decision: "ReviewDecision"


class ReviewDecideResult(_ReviewDecideResult, total=False):
    """Result of `review/decide`."""

    # True if the decision is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it was applied, or `review.queued` why not.
    queued: bool


class _ReviewDecision(TypedDict):
    # Requested action.
    action: "ReviewAction"
    # Effect on each hunk.
    parts: list["DecisionPart"]


class ReviewDecision(_ReviewDecision, total=False):
    """Decision with its effect, complete enough to serve as an entire event."""

    # Number under which it was queued, if it was.
    waited: int


class _DecisionPart(TypedDict):
    # Hunk.
    hunk: "HunkId"
    # Its file's absolute path.
    path: str
    # Effect.
    effect: "Effect"
    # Outcome.
    outcome: "Outcome"


class DecisionPart(_DecisionPart, total=False):
    """Effect of a decision on one hunk."""

    # Affected lines; absent for the entire hunk.
    lines: "LineSelection"
    # For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers.
    conflict: str
    # Set if the hunk was skipped because the change's author is unknown (`cause` of the hunk).
    cause: str


# Effect of a decision on a hunk.
Effect: TypeAlias = Union[Literal["keep"], Literal["undo"], Literal["reopen"], Literal["comment"], Literal["withdraw"]]

# Outcome of a decision for a hunk.
Outcome: TypeAlias = Union[Literal["applied"], Literal["conflict"]]

class _ReviewBaselineParams(TypedDict):
    # File, by its absolute path.
    path: str


class ReviewBaselineParams(_ReviewBaselineParams, total=False):
    """Params of `review/baseline`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class _ReviewBaselineResult(TypedDict):
    # True if the file existed.
    exists: bool


class ReviewBaselineResult(_ReviewBaselineResult, total=False):
    """A file at its last accepted point."""

    # Text; absent if there was no file or it was not UTF-8.
    text: str


class ReviewPatchParams(TypedDict, total=False):
    """Params of `review/patch`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # If true, only open hunks; otherwise all agent changes that were not undone.
    open: bool


class _ReviewPatchResult(TypedDict):
    # Patch; empty when nothing was changed.
    text: str


class ReviewPatchResult(_ReviewPatchResult, total=False):
    """A patch for `git apply` in the session's working directory."""

    # Changed files outside of the working directory, which the patch leaves out.
    leftOut: list[str]


class IsolationApplyParams(TypedDict, total=False):
    """Params of `isolation/apply`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Handling of conflicts.
    onConflict: "OnConflict"


# Handling of lines changed by both the user and the agent. (Experimental.)
OnConflict: TypeAlias = Union[Literal["mark"], Literal["refuse"]]

class IsolationApplyResult(TypedDict):
    """Result of `isolation/apply`. (Experimental.)"""

    # False if no file was changed, because of a conflict or because all changes are applied already.
    applied: bool
    # Files with unapplied changes, by path.
    files: list["AppliedFile"]


class AppliedFile(TypedDict):
    """File changed in an isolated session."""

    # Path of the user's file, absolute.
    path: str
    # Path of the isolated file, absolute.
    isolated: str
    # Outcome; after a refusal, the expected one.
    outcome: "ApplyOutcome"


# Outcome for a file.
ApplyOutcome: TypeAlias = Union[Literal["applied"], Literal["unchanged"], Literal["conflict"], Literal["kept"]]

class IsolationDiscardParams(TypedDict):
    """Params of `isolation/discard`. (Experimental.)"""

    # Session.
    sessionId: "SessionId"


class SessionSubscribeParams(TypedDict, total=False):
    """Params of `session/subscribe`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Send the events after this number first; default: only new ones.
    fromSeq: int
    # Number of last events to send first, if `fromSeq` is omitted.
    tail: int
    # Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int


class SessionEventsParams(TypedDict, total=False):
    """Params of `session/events`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Read the events after this number; default 0, from the start.
    after: int
    # Read the last events before this number instead; a number beyond the end selects the session's end. Not together with `after`.
    before: int
    # Maximum number of events, 1 to 1000; default 200.
    limit: int


class SessionEventsResult(TypedDict):
    """A page of events."""

    # Events, in order.
    events: list["EventRecord"]
    # Number of the session's last durable event.
    lastSeq: int
    # True if there are more events after the last one here; with `before`, before the first one.
    more: bool


class _EventRecord(TypedDict):
    # Session.
    sessionId: "SessionId"
    # The event's sequence number in its session, from 1, without gaps.
    seq: int
    # Time, in milliseconds since 1970.
    tsMs: int
    # Event.
    event: "Event"


class EventRecord(_EventRecord, total=False):
    """A durable event with its position in the session's log. It was written to the journal before it was sent anywhere."""

    # Turn it belongs to.
    turnId: "TurnId"
    # Client request that directly caused the event; absent for actions initiated by the engine.
    cause: "Cause"


class Cause(TypedDict, total=False):
    """Request that an event follows from."""

    # Client that sent it: its `id` of `initialize`, or else its name.
    clientId: str
    # The `key` of the request.
    key: str


class _EventSessionCreated(TypedDict):
    # Working directory, absolute.
    cwd: str
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Permission mode.
    permissionMode: "PermissionMode"
    type: Literal["session.created"]


class EventSessionCreated(_EventSessionCreated, total=False):
    # Work mode.
    mode: "WorkMode"
    # Title, if one was given.
    title: str
    # Parent, if the session is a sub-agent.
    parent: "Parent"
    # Named agent whose instructions it follows, if any.
    role: "AgentRole"
    # Instructions for this session alone.
    systemPrompt: str
    # Names of the tools visible to its model; all tools if absent.
    tools: list[str]
    # Origin of its initial history, if it is a fork.
    forkedFrom: "ForkedFrom"


class EventSessionClosed(TypedDict):
    type: Literal["session.closed"]


_EventSessionMoved = TypedDict("_EventSessionMoved", {"from": str, "cwd": str, "type": Literal["session.moved"]})

class EventSessionMoved(_EventSessionMoved, total=False):
    # True if the previous directory was a discarded copy, whose files were not moved.
    discarded: bool


class _EventSessionUpdated(TypedDict):
    # Author of the title.
    by: "TitledBy"
    type: Literal["session.updated"]


class EventSessionUpdated(_EventSessionUpdated, total=False):
    # Title; absent when it was removed.
    title: str
    # Usage of the request that generated it, if a model did; it belongs to no turn.
    usage: "Usage"
    # Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int


class _EventInputAccepted(TypedDict):
    # Id that the `userMessage` item will have.
    itemId: "ItemId"
    # Turn that it belongs to: the running turn for a steer, a separate turn for a prompt or a follow-up.
    turnId: "TurnId"
    # The way it is delivered.
    delivery: "Delivery"
    # Blocks, as sent.
    content: list["Input"]
    type: Literal["input.accepted"]


class EventInputAccepted(_EventInputAccepted, total=False):
    # Budget of the turn that it starts.
    limits: "TurnLimits"
    # JSON Schema that the final message of the turn that it starts must satisfy.
    outputSchema: Any


class _EventInputRemoved(TypedDict):
    type: Literal["input.removed"]
    # The messages.
    inputs: list["QueuedInput"]


class EventInputRemoved(_EventInputRemoved, total=False):
    # True if a hook has handled them, so they must not be sent again.
    handled: bool


class EventQueueChanged(TypedDict):
    type: Literal["queue.changed"]
    # The messages, in the order in which the model will read them.
    queue: list["QueuedInput"]


class EventTurnStarted(TypedDict):
    type: Literal["turn.started"]
    # The turn's model, as `provider/id`.
    model: str


class _EventPromptMade(TypedDict):
    type: Literal["prompt.made"]


class EventPromptMade(_EventPromptMade, total=False):
    # Files that it contains or names, in order.
    sources: list["PromptSource"]


class _EventTurnCompleted(TypedDict):
    # Final status.
    status: "TurnStatus"
    # The turn's usage, including that of sub-agents whose turns ended meanwhile.
    usage: "Usage"
    # Number of model replies.
    steps: int
    # Duration in milliseconds.
    durationMs: int
    type: Literal["turn.completed"]


class EventTurnCompleted(_EventTurnCompleted, total=False):
    # Reason why the model stopped, when the model ended the turn.
    stop: "StopReason"
    # Error, when the turn failed.
    error: "TurnError"
    # Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # Number of denied tool calls.
    denials: int
    # Final message as a JSON value that satisfies the turn's `outputSchema`; absent without a schema, and if a limit or the user ended the turn.
    structured: Any


class EventItemStarted(TypedDict):
    type: Literal["item.started"]
    # The item's current value.
    item: "Item"


class EventItemUpdated(TypedDict):
    type: Literal["item.updated"]
    # The item's current value.
    item: "Item"


class EventItemCompleted(TypedDict):
    type: Literal["item.completed"]
    # The item's final value.
    item: "Item"


class _EventApprovalRequested(TypedDict):
    # Approval id.
    approvalId: "ApprovalId"
    # Session it belongs to.
    sessionId: "SessionId"
    # Turn that waits.
    turnId: "TurnId"
    # Tool call that waits.
    itemId: "ItemId"
    # Tool name.
    toolName: str
    # Kind of tool.
    kind: "ToolKind"
    # One line for the user: `bash: rm -r build`.
    title: str
    # Reason why permission is needed, in a sentence.
    reason: str
    # The tool's complete arguments: the command, or the text to write.
    input: Any
    # Options to choose from.
    options: list["ApprovalOption"]
    type: Literal["approval.requested"]


class EventApprovalRequested(_EventApprovalRequested, total=False):
    # The files concerned.
    locations: list["Location"]
    # Human-readable rule or default that requires approval.
    decidedBy: str
    # Everything to be approved, in full, for the user to read: the command, the paths, the content. A client shows every part, or denies the call.
    details: list["ApprovalDetail"]
    # File changes that the call would make, computed from the current files. Omitted if the call changes no file or its changes are not known in advance.
    changes: list["FileChange"]
    # True if the answer may contain `edits`. Older engines ignore them.
    editable: bool
    # Deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.
    deadlineMs: int


class _EventApprovalResolved(TypedDict):
    # Approval.
    approvalId: "ApprovalId"
    # Tool call.
    itemId: "ItemId"
    # Decision.
    decision: "Decision"
    # Scope in which the decision holds.
    scope: "Scope"
    # Origin of the decision.
    by: "DecidedBy"
    type: Literal["approval.resolved"]


class EventApprovalResolved(_EventApprovalResolved, total=False):
    # The user's message to the model.
    feedback: str
    # Paths of the proposed files that the user edited.
    edited: list[str]


class _EventQuestionRequested(TypedDict):
    # Question id.
    questionId: "QuestionId"
    # Session it belongs to.
    sessionId: "SessionId"
    # Turn that waits.
    turnId: "TurnId"
    # Tool call that waits.
    itemId: "ItemId"
    # Kind of question.
    kind: "QuestionKind"
    # Question.
    text: str
    # Deadline after which the default answer applies, in milliseconds since 1970.
    deadlineMs: int
    type: Literal["question.requested"]


class EventQuestionRequested(_EventQuestionRequested, total=False):
    # Plan to be accepted, as Markdown; only with the kind `plan`.
    plan: str
    # Options to choose from; without any, the answer is a text.
    options: list["QuestionOption"]
    # True if several options may be chosen.
    multiple: bool


class _EventQuestionResolved(TypedDict):
    # Question.
    questionId: "QuestionId"
    # Tool call.
    itemId: "ItemId"
    # Origin of the answer.
    by: "AnsweredBy"
    type: Literal["question.resolved"]


class EventQuestionResolved(_EventQuestionResolved, total=False):
    # Chosen options.
    optionIds: list[str]
    # Text entered by the user.
    text: str


class EventPlanUpdated(TypedDict):
    # Plan steps, in order.
    items: list["PlanItem"]
    type: Literal["plan.updated"]


class _EventStepCompleted(TypedDict):
    # Step within the turn, from 1.
    step: int
    # Usage of this reply.
    usage: "Usage"
    # Usage of the turn so far.
    turnUsage: "Usage"
    type: Literal["step.completed"]


class EventStepCompleted(_EventStepCompleted, total=False):
    # Reason why the model stopped; absent when it was interrupted.
    stop: "StopReason"
    # Cost of this reply, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # Cost of the turn so far, in billionths of a US dollar; absent if no price is known.
    turnCostNanoUsd: int


class EventRetryScheduled(TypedDict):
    # Number of this retry, from 1.
    attempt: int
    # Maximum number of retries.
    of: int
    # Delay in milliseconds, counted from this event.
    delayMs: int
    # Error code, as in `TurnError`.
    code: str
    # User-facing message.
    message: str
    type: Literal["retry.scheduled"]


class _EventContextPruned(TypedDict):
    # Number of results.
    results: int
    # Estimated tokens before.
    tokensBefore: int
    # Estimated tokens afterwards.
    tokensAfter: int
    type: Literal["context.pruned"]


class EventContextPruned(_EventContextPruned, total=False):
    # Number of calls whose long arguments were shortened.
    calls: int


class _EventConfigChanged(TypedDict):
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Permission mode.
    permissionMode: "PermissionMode"
    type: Literal["config.changed"]


class EventConfigChanged(_EventConfigChanged, total=False):
    # Work mode.
    mode: "WorkMode"


class EventFilesChanged(TypedDict):
    # Files.
    changes: list["FileRecord"]
    # Author.
    by: "ChangedBy"
    type: Literal["files.changed"]


class EventIsolationApplied(TypedDict):
    # Files, by path.
    files: list["AppliedFile"]
    type: Literal["isolation.applied"]


class _EventReviewDecided(TypedDict):
    # Requested action.
    action: "ReviewAction"
    # Effect on each hunk.
    parts: list["DecisionPart"]
    type: Literal["review.decided"]


class EventReviewDecided(_EventReviewDecided, total=False):
    # Number under which it was queued, if it was.
    waited: int


class _EventReviewQueued(TypedDict):
    # Queued decisions, in order.
    waiting: list["QueuedDecision"]
    type: Literal["review.queued"]


class EventReviewQueued(_EventReviewQueued, total=False):
    # A decision that left the queue without being applied.
    refused: "RefusedDecision"


class _EventHistoryRewound(TypedDict):
    # Event after which it continues; 0 is the beginning.
    toSeq: int
    type: Literal["history.rewound"]


class EventHistoryRewound(_EventHistoryRewound, total=False):
    # Items that leave the model's context; a client removes them from its view.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]
    # Origin of the next events, when they are merged from a fork.
    merged: "MergedFrom"


class _EventLabelChanged(TypedDict):
    # Event of the point.
    seq: int
    type: Literal["label.changed"]


class EventLabelChanged(_EventLabelChanged, total=False):
    # Label; absent when it was removed.
    label: str
    # The client's data about the point.
    metadata: Any


class _EventSessionNotice(TypedDict):
    # Severity.
    level: "NoticeLevel"
    # A stable code.
    code: str
    # Message.
    message: str
    type: Literal["session.notice"]


class EventSessionNotice(_EventSessionNotice, total=False):
    # Suggested next step.
    hint: str


# Durable events, distinguished by `type`. A reader skips unknown types.
Event: TypeAlias = Union["EventSessionCreated", "EventSessionClosed", "EventSessionMoved", "EventSessionUpdated", "EventInputAccepted", "EventInputRemoved", "EventQueueChanged", "EventTurnStarted", "EventPromptMade", "EventTurnCompleted", "EventItemStarted", "EventItemUpdated", "EventItemCompleted", "EventApprovalRequested", "EventApprovalResolved", "EventQuestionRequested", "EventQuestionResolved", "EventPlanUpdated", "EventStepCompleted", "EventRetryScheduled", "EventContextPruned", "EventConfigChanged", "EventFilesChanged", "EventIsolationApplied", "EventReviewDecided", "EventReviewQueued", "EventHistoryRewound", "EventLabelChanged", "EventSessionNotice"]

class _AgentRole(TypedDict):
    # Name.
    name: str
    # Instructions.
    instructions: str


class AgentRole(_AgentRole, total=False):
    """Instructions of a named agent."""

    # Tools that it may use, as listed in its file; absent for all.
    tools: list[str]


class ForkedFrom(TypedDict):
    """Origin of a forked session."""

    # Session that was forked.
    sessionId: "SessionId"
    # Last event of that session that is part of this session's history.
    seq: int
    # Number of the last copied event in this session.
    copiedSeq: int


class _SessionCreated(TypedDict):
    # Working directory, absolute.
    cwd: str
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Permission mode.
    permissionMode: "PermissionMode"


class SessionCreated(_SessionCreated, total=False):
    """Settings that the session was created with."""

    # Work mode.
    mode: "WorkMode"
    # Title, if one was given.
    title: str
    # Parent, if the session is a sub-agent.
    parent: "Parent"
    # Named agent whose instructions it follows, if any.
    role: "AgentRole"
    # Instructions for this session alone.
    systemPrompt: str
    # Names of the tools visible to its model; all tools if absent.
    tools: list[str]
    # Origin of its initial history, if it is a fork.
    forkedFrom: "ForkedFrom"


_SessionMoved = TypedDict("_SessionMoved", {"from": str, "cwd": str})

class SessionMoved(_SessionMoved, total=False):
    """The session works in another directory."""

    # True if the previous directory was a discarded copy, whose files were not moved.
    discarded: bool


# Author of a session's title.
TitledBy: TypeAlias = Union[Literal["user"], Literal["model"]]

class _SessionUpdated(TypedDict):
    # Author of the title.
    by: "TitledBy"


class SessionUpdated(_SessionUpdated, total=False):
    """The session's title changed."""

    # Title; absent when it was removed.
    title: str
    # Usage of the request that generated it, if a model did; it belongs to no turn.
    usage: "Usage"
    # Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int


class PromptSource(TypedDict):
    """A file that a system prompt contains or names."""

    # Kind of file.
    kind: "PromptSourceKind"
    # Its absolute path.
    path: str


# Kind of a file in a system prompt.
PromptSourceKind: TypeAlias = Union[Literal["document"], Literal["rule"], Literal["skill"], Literal["agent"]]

class PromptMade(TypedDict, total=False):
    """Sources of a system prompt."""

    # Files that it contains or names, in order.
    sources: list["PromptSource"]


# Final status of a turn.
TurnStatus: TypeAlias = Union[Literal["completed"], Literal["interrupted"], Literal["failed"]]

# Reason why a model stopped.
StopReason: TypeAlias = Union[Literal["endTurn"], Literal["toolUse"], Literal["maxTokens"], Literal["refusal"], Literal["paused"], Literal["limit"], Literal["other"]]

class _TurnError(TypedDict):
    # A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may be added.
    code: str
    # User-facing message.
    message: str


class TurnError(_TurnError, total=False):
    """Error that ended a turn."""

    # Suggested next step.
    hint: str
    # True if a retry may succeed.
    retryable: bool
    # The provider's HTTP status.
    httpStatus: int


class _TurnCompleted(TypedDict):
    # Final status.
    status: "TurnStatus"
    # The turn's usage, including that of sub-agents whose turns ended meanwhile.
    usage: "Usage"
    # Number of model replies.
    steps: int
    # Duration in milliseconds.
    durationMs: int


class TurnCompleted(_TurnCompleted, total=False):
    """Turn outcome."""

    # Reason why the model stopped, when the model ended the turn.
    stop: "StopReason"
    # Error, when the turn failed.
    error: "TurnError"
    # Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # Number of denied tool calls.
    denials: int
    # Final message as a JSON value that satisfies the turn's `outputSchema`; absent without a schema, and if a limit or the user ended the turn.
    structured: Any


class _ItemUserMessage(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Blocks, as sent.
    content: list["Input"]
    type: Literal["userMessage"]


class ItemUserMessage(_ItemUserMessage, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int


class _ItemAgentMessage(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Full text so far; empty in `item.started`.
    text: str
    type: Literal["agentMessage"]


class ItemAgentMessage(_ItemAgentMessage, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int


class _ItemReasoning(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Full text so far; empty in `item.started`.
    text: str
    type: Literal["reasoning"]


class ItemReasoning(_ItemReasoning, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int


class _ItemToolCall(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Tool name, as the model calls it.
    toolName: str
    # One line for the user: `bash: cargo test`.
    title: str
    # Kind of tool, for icons and rules.
    kind: "ToolKind"
    type: Literal["toolCall"]


class ItemToolCall(_ItemToolCall, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int
    # True if the model's provider runs the tool itself: no approval is requested, and `item/cancel` does not stop it.
    byProvider: bool
    # Files and lines concerned.
    locations: list["Location"]
    # Arguments; absent until they are complete.
    input: Any
    # Arguments that a hook put in their place; the call ran with these.
    changedInput: Any
    # Result; absent until the call has ended.
    output: "ToolResult"


class _ItemJob(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Id that the model and clients use.
    jobId: "JobId"
    # One line for the user.
    title: str
    # Command, as the shell reads it.
    command: str
    type: Literal["job"]


class ItemJob(_ItemJob, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int
    # True if it runs in a terminal, into which `shell/write` types.
    inTerminal: bool
    # True if the user ran it with `shell/run`. The model learns of it only from a note, if at all.
    byUser: bool
    # End of the job; absent while it runs.
    end: "JobEnd"
    # Last part of the output; absent while the job runs, when deltas of the field `output` carry it.
    output: str
    # Exit code, signal, and the output's truncation with a reference to the full output.
    details: "ToolDetails"


class _ItemSubagent(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Id that the model and clients use.
    agentId: "AgentId"
    # Sub-agent session.
    sessionId: "SessionId"
    # Task it was given.
    task: str
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Sub-agent state.
    state: "SubagentState"
    type: Literal["subagent"]


class ItemSubagent(_ItemSubagent, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int
    # Its last message, as the parent's model reads it; absent until its first turn has ended.
    result: str
    # Number of its replies so far.
    turnsUsed: int
    # The tokens used so far.
    usage: "Usage"
    # Cost so far, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int


class _ItemCompaction(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Reason for the compaction.
    reason: "CompactionReason"
    # Estimated tokens of the conversation before.
    tokensBefore: int
    type: Literal["compaction"]


class ItemCompaction(_ItemCompaction, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int
    # Estimated tokens afterwards; absent until the compaction is completed.
    tokensAfter: int
    # Summary. While the compaction runs, deltas of the field `text` carry it.
    summary: str
    # Files that the model has read and changed so far, which the summary lists; absent if there are none.
    files: "CompactionFiles"
    # Reason for a failure, which leaves the conversation unchanged.
    error: str


class _ItemEngineMessage(TypedDict):
    # Item id.
    id: "ItemId"
    # Item status.
    status: "ItemStatus"
    # Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # Text, as the model reads it.
    text: str
    type: Literal["engineMessage"]


class ItemEngineMessage(_ItemEngineMessage, total=False):
    # Turn it belongs to.
    turnId: "TurnId"
    # Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    step: int
    # Duration in milliseconds; present once the item has ended, unless a crash ended it.
    durationMs: int
    # Items of the jobs whose end it reports.
    jobs: list["ItemId"]
    # Mode that it announces.
    mode: "WorkMode"
    # Review events that it reports.
    reviewed: list[int]
    # True if it summarizes the history that a rewind left behind.
    summarizesRewound: bool
    # Client note that it carries.
    note: "ClientNote"


# Unit that a client can draw. The event that completes an item carries its full value, so the deltas before it are never needed for correctness.
Item: TypeAlias = Union["ItemUserMessage", "ItemAgentMessage", "ItemReasoning", "ItemToolCall", "ItemJob", "ItemSubagent", "ItemCompaction", "ItemEngineMessage"]

# Item status. A reader treats an unknown value as still running.
ItemStatus: TypeAlias = Union[Literal["pending"], Literal["running"], Literal["completed"], Literal["failed"], Literal["declined"], Literal["cancelled"]]

class UserMessage(TypedDict):
    """User message in the conversation."""

    # Blocks, as sent.
    content: list["Input"]


class TextBody(TypedDict):
    """A text that grows while it streams."""

    # Full text so far; empty in `item.started`.
    text: str


class _ToolResult(TypedDict):
    # Content for the model.
    content: list["Content"]


class ToolResult(_ToolResult, total=False):
    """Tool result: content for the model, and details that a client may draw."""

    # True if the tool failed, was declined or was cancelled; the content gives the reason.
    failed: bool
    # Details for clients.
    details: "ToolDetails"


class ContentText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class ContentImage(TypedDict):
    type: Literal["image"]
    # The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    mimeType: str
    # The image's bytes in base64.
    data: str


class ContentDocument(TypedDict):
    type: Literal["document"]
    # The media type: `application/pdf`.
    mimeType: str
    # The document's bytes in base64.
    data: str
    # The file's name.
    name: str
    # The number of pages.
    pages: int
    # The document's text, within the limits of the tool that read it.
    text: str


# One block of a tool's result, as the model sees it.
Content: TypeAlias = Union["ContentText", "ContentImage", "ContentDocument"]

class ToolDetails(TypedDict, total=False):
    """Details of a tool's result that only clients need."""

    # Files it changed.
    changes: list["FileChange"]
    # A command's exit code.
    exitCode: int
    # Name of the signal that ended a command, such as `SIGKILL`.
    signal: str
    # Record of the output's truncation, if it was truncated.
    truncation: "Truncation"
    # File with the full output, if it was truncated.
    fullOutputPath: str
    # Full output for `blob/read`, if it was truncated.
    fullOutput: "FullOutput"
    # Background jobs concerned.
    jobs: list["JobRef"]
    # Sub-agent that it started.
    agent: "AgentId"
    # Sandbox that the command ran in; absent if it was not confined.
    sandbox: "SandboxReport"
    # Reason why the permissions denied the call; absent if they did not.
    denial: "Denial"


class _Truncation(TypedDict):
    # Lines of the full output; a trailing newline does not count as one more.
    totalLines: int
    # Bytes of the full output.
    totalBytes: int
    # Lines that remain.
    outputLines: int
    # Bytes that remain.
    outputBytes: int
    # Limit in lines.
    maxLines: int
    # Limit in bytes.
    maxBytes: int


class Truncation(_Truncation, total=False):
    """Record of a tool output's truncation, made before the model saw the output."""

    # The limit that was exceeded; absent when nothing was cut.
    truncatedBy: "TruncatedBy"
    # True if the last remaining line was itself cut at its start.
    lastLinePartial: bool
    # True if nothing remains because the first line alone exceeds the byte limit.
    firstLineExceedsLimit: bool


# Limit that truncated an output.
TruncatedBy: TypeAlias = Union[Literal["lines"], Literal["bytes"]]

class FullOutput(TypedDict):
    """Reference to a full output that the session keeps."""

    # Its name for `blob/read`.
    ref: str
    # Its size in bytes.
    bytes: int


class _JobRef(TypedDict):
    # Job id.
    jobId: "JobId"
    # Job item.
    itemId: "ItemId"


class JobRef(_JobRef, total=False):
    """A reference from a tool call to a background job."""

    # True if the result reports how the job ended.
    ended: bool


# Background job id within its session: `job-1`, `job-2` …, short because a model writes it.
JobId: TypeAlias = str

class _SandboxReport(TypedDict):
    # Human-readable level that the kernel enforced: `full: Landlock 7, seccomp, namespaces`.
    level: str


class SandboxReport(_SandboxReport, total=False):
    """Sandbox of a command that ran confined."""

    # True if the sandbox is the likely cause of the command's failure. Repeating the same command requests approval to run outside of it.
    denied: bool
    # Protected files that the command created.
    created: list[str]
    # Hosts that a failed command was refused, in rule syntax: `docs.rs`, `localhost:8080`.
    refusedHosts: list[str]


class _Denial(TypedDict):
    # Human-readable rule, mode or list that decided.
    decidedBy: str


class Denial(_Denial, total=False):
    """Denial by the permissions, and the mode and rules that would have allowed the call."""

    # Narrowest permission mode in which the call would have run, together with `rules` if any are given; absent if no mode is enough.
    mode: "PermissionMode"
    # Human-readable rules that would have allowed it; with `mode`, both are needed.
    rules: list[str]


class _ToolCall(TypedDict):
    # Tool name, as the model calls it.
    toolName: str
    # One line for the user: `bash: cargo test`.
    title: str
    # Kind of tool, for icons and rules.
    kind: "ToolKind"


class ToolCall(_ToolCall, total=False):
    """A tool call, from the first byte of its arguments to its result."""

    # True if the model's provider runs the tool itself: no approval is requested, and `item/cancel` does not stop it.
    byProvider: bool
    # Files and lines concerned.
    locations: list["Location"]
    # Arguments; absent until they are complete.
    input: Any
    # Arguments that a hook put in their place; the call ran with these.
    changedInput: Any
    # Result; absent until the call has ended.
    output: "ToolResult"


# The way a background job ended.
JobEnd: TypeAlias = Union[Literal["exited"], Literal["signalled"], Literal["timedOut"], Literal["stopped"], Literal["sessionEnded"], Literal["failed"]]

class _Job(TypedDict):
    # Id that the model and clients use.
    jobId: "JobId"
    # One line for the user.
    title: str
    # Command, as the shell reads it.
    command: str


class Job(_Job, total=False):
    """A background job, from its start to its end."""

    # True if it runs in a terminal, into which `shell/write` types.
    inTerminal: bool
    # True if the user ran it with `shell/run`. The model learns of it only from a note, if at all.
    byUser: bool
    # End of the job; absent while it runs.
    end: "JobEnd"
    # Last part of the output; absent while the job runs, when deltas of the field `output` carry it.
    output: str
    # Exit code, signal, and the output's truncation with a reference to the full output.
    details: "ToolDetails"


# Sub-agent state.
SubagentState: TypeAlias = Union[Literal["working"], Literal["done"], Literal["failed"], Literal["closed"]]

class _Subagent(TypedDict):
    # Id that the model and clients use.
    agentId: "AgentId"
    # Sub-agent session.
    sessionId: "SessionId"
    # Task it was given.
    task: str
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Sub-agent state.
    state: "SubagentState"


class Subagent(_Subagent, total=False):
    """Sub-agent: a separate session that works on a part of the task. Its events carry that session's id."""

    # Its last message, as the parent's model reads it; absent until its first turn has ended.
    result: str
    # Number of its replies so far.
    turnsUsed: int
    # The tokens used so far.
    usage: "Usage"
    # Cost so far, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int


# Reason for a compaction.
CompactionReason: TypeAlias = Union[Literal["threshold"], Literal["overflow"], Literal["requested"]]

class CompactionFiles(TypedDict, total=False):
    """Files that a session's model has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed."""

    # Files that it has read and not changed.
    read: list[str]
    # Files that its calls have changed, created or deleted.
    changed: list[str]
    # Number of omitted files.
    omitted: int


class _Compaction(TypedDict):
    # Reason for the compaction.
    reason: "CompactionReason"
    # Estimated tokens of the conversation before.
    tokensBefore: int


class Compaction(_Compaction, total=False):
    """A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps them all."""

    # Estimated tokens afterwards; absent until the compaction is completed.
    tokensAfter: int
    # Summary. While the compaction runs, deltas of the field `text` carry it.
    summary: str
    # Files that the model has read and changed so far, which the summary lists; absent if there are none.
    files: "CompactionFiles"
    # Reason for a failure, which leaves the conversation unchanged.
    error: str


class ClientNote(TypedDict, total=False):
    """A note that a client has put into the history with `session/note`."""

    # Client-chosen name for this kind of note.
    kind: str
    # The client's data.
    data: Any
    # True if the model does not read it.
    unread: bool
    # True if clients do not show it to the user.
    hidden: bool


class _EngineMessage(TypedDict):
    # Text, as the model reads it.
    text: str


class EngineMessage(_EngineMessage, total=False):
    """A message of the engine to the model."""

    # Items of the jobs whose end it reports.
    jobs: list["ItemId"]
    # Mode that it announces.
    mode: "WorkMode"
    # Review events that it reports.
    reviewed: list[int]
    # True if it summarizes the history that a rewind left behind.
    summarizesRewound: bool
    # Client note that it carries.
    note: "ClientNote"


# Origin of an approval decision.
DecidedBy: TypeAlias = Union[Literal["client"], Literal["noApprover"], Literal["deadline"], Literal["interrupt"]]

class _ApprovalOutcome(TypedDict):
    # Approval.
    approvalId: "ApprovalId"
    # Tool call.
    itemId: "ItemId"
    # Decision.
    decision: "Decision"
    # Scope in which the decision holds.
    scope: "Scope"
    # Origin of the decision.
    by: "DecidedBy"


class ApprovalOutcome(_ApprovalOutcome, total=False):
    """Approval outcome."""

    # The user's message to the model.
    feedback: str
    # Paths of the proposed files that the user edited.
    edited: list[str]


# Origin of an answer to a question.
AnsweredBy: TypeAlias = Union[Literal["client"], Literal["dismissed"], Literal["deadline"], Literal["noClient"], Literal["interrupt"]]

class _QuestionOutcome(TypedDict):
    # Question.
    questionId: "QuestionId"
    # Tool call.
    itemId: "ItemId"
    # Origin of the answer.
    by: "AnsweredBy"


class QuestionOutcome(_QuestionOutcome, total=False):
    """Question outcome."""

    # Chosen options.
    optionIds: list[str]
    # Text entered by the user.
    text: str


class _StepCompleted(TypedDict):
    # Step within the turn, from 1.
    step: int
    # Usage of this reply.
    usage: "Usage"
    # Usage of the turn so far.
    turnUsage: "Usage"


class StepCompleted(_StepCompleted, total=False):
    """End of a model reply, with its usage and cost."""

    # Reason why the model stopped; absent when it was interrupted.
    stop: "StopReason"
    # Cost of this reply, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # Cost of the turn so far, in billionths of a US dollar; absent if no price is known.
    turnCostNanoUsd: int


class RetryScheduled(TypedDict):
    """A retry of a failed request to a provider."""

    # Number of this retry, from 1.
    attempt: int
    # Maximum number of retries.
    of: int
    # Delay in milliseconds, counted from this event.
    delayMs: int
    # Error code, as in `TurnError`.
    code: str
    # User-facing message.
    message: str


class _ContextPruned(TypedDict):
    # Number of results.
    results: int
    # Estimated tokens before.
    tokensBefore: int
    # Estimated tokens afterwards.
    tokensAfter: int


class ContextPruned(_ContextPruned, total=False):
    """Old results, and long arguments of old calls, that were removed from the model's context."""

    # Number of calls whose long arguments were shortened.
    calls: int


class _ConfigChanged(TypedDict):
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Permission mode.
    permissionMode: "PermissionMode"


class ConfigChanged(_ConfigChanged, total=False):
    """A session's settings from the next turn on."""

    # Work mode.
    mode: "WorkMode"


class _FileRecord(TypedDict):
    # Path, absolute.
    path: str


class FileRecord(_FileRecord, total=False):
    """File change."""

    # The state before; absent when there was no file.
    before: "FileState"
    # The state afterwards; absent when the file was deleted.
    after: "FileState"


class _FileState(TypedDict):
    # SHA-256 of the content, in hex.
    sha256: str
    # Size in bytes.
    size: int


class FileState(_FileState, total=False):
    """File state at some time. The session keeps the content under its hash."""

    # Permission bits, if any.
    mode: int
    # True if the content was too large to be kept, so it cannot be restored.
    lost: bool


class _ChangedByCall(TypedDict):
    type: Literal["call"]
    # The call's item.
    itemId: "ItemId"


class ChangedByCall(_ChangedByCall, total=False):
    # Set if the changes may not be the command's: the command that ran while the files changed.
    whileRan: str


class ChangedByOther(TypedDict):
    type: Literal["other"]


class _ChangedByRewind(TypedDict):
    type: Literal["rewind"]


class ChangedByRewind(_ChangedByRewind, total=False):
    # Event that it went to; absent in journals of older versions.
    toSeq: int


class ChangedByReview(TypedDict):
    type: Literal["review"]


# Author of changes.
ChangedBy: TypeAlias = Union["ChangedByCall", "ChangedByOther", "ChangedByRewind", "ChangedByReview"]

class FilesChanged(TypedDict):
    """Files were changed."""

    # Files.
    changes: list["FileRecord"]
    # Author.
    by: "ChangedBy"


class IsolationApplied(TypedDict):
    """An isolated session's changes were applied to the user's files. The preceding `files.changed` contain the new states."""

    # Files, by path.
    files: list["AppliedFile"]


class QueuedDecision(TypedDict):
    """A queued decision."""

    # Its number: the event that queued it.
    id: int
    # Requested action.
    action: "ReviewAction"


class RefusedDecision(TypedDict):
    """A decision that was not applied."""

    # Its number.
    id: int
    # User-facing reason.
    reason: str


class _ReviewQueue(TypedDict):
    # Queued decisions, in order.
    waiting: list["QueuedDecision"]


class ReviewQueue(_ReviewQueue, total=False):
    """Queue of decisions that wait for a gap between two calls of the running turn."""

    # A decision that left the queue without being applied.
    refused: "RefusedDecision"


class MergedFrom(TypedDict):
    """Origin of merged events."""

    # Fork. Its usage is not counted in this session.
    sessionId: "SessionId"
    # Last event of the fork that is now part of this session's history.
    seq: int
    # Number of the last copied event in this session.
    copiedSeq: int


class _HistoryRewound(TypedDict):
    # Event after which it continues; 0 is the beginning.
    toSeq: int


class HistoryRewound(_HistoryRewound, total=False):
    """The session continues from another point of its history."""

    # Items that leave the model's context; a client removes them from its view.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]
    # Origin of the next events, when they are merged from a fork.
    merged: "MergedFrom"


class _LabelChanged(TypedDict):
    # Event of the point.
    seq: int


class LabelChanged(_LabelChanged, total=False):
    """Change of a history point's label."""

    # Label; absent when it was removed.
    label: str
    # The client's data about the point.
    metadata: Any


# Notice severity.
NoticeLevel: TypeAlias = Union[Literal["info"], Literal["warning"], Literal["error"]]

class _Notice(TypedDict):
    # Severity.
    level: "NoticeLevel"
    # A stable code.
    code: str
    # Message.
    message: str


class Notice(_Notice, total=False):
    """Notice for the user."""

    # Suggested next step.
    hint: str


class _BlobReadParams(TypedDict):
    # The output's name, as `details.fullOutput` gives it.
    ref: str


class BlobReadParams(_BlobReadParams, total=False):
    """Params of `blob/read`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # First byte, from 0; default 0. Continue with the `end` of the part before.
    offset: int
    # Maximum number of bytes, 1 to 1,048,576; default 65,536.
    length: int


class BlobReadResult(TypedDict):
    """A part of a long output."""

    # Text; it may be a few bytes shorter than requested, so that no character is cut.
    text: str
    # Offset of its first byte.
    offset: int
    # Offset after its last byte, where the next part begins.
    end: int
    # Size of the full output, in bytes.
    size: int


class _TurnStartParams(TypedDict):
    # Prompt.
    input: list["Input"]


class TurnStartParams(_TurnStartParams, total=False):
    """Params of `turn/start`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Action while a turn runs; default `reject`.
    whenBusy: "WhenBusy"
    # Turn budget.
    limits: "TurnLimits"
    # JSON Schema that the turn's final message must satisfy. The model receives it, and a message that does not satisfy it is requested again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`.
    outputSchema: Any
    # Trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty value ends the trace that was set before.
    traceparent: str
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.
    key: str


# Handling of a prompt while a turn runs.
WhenBusy: TypeAlias = Union[Literal["reject"], Literal["queue"]]

class TurnStartResult(TypedDict):
    """A prompt was accepted; it is on disk."""

    # Turn that it starts, now or later.
    turnId: "TurnId"
    # Id of its `userMessage` item.
    itemId: "ItemId"
    # Disposition of the prompt.
    disposition: "Disposition"


# Disposition of an accepted prompt.
Disposition: TypeAlias = Union[Literal["started"], Literal["queued"]]

class _TurnSteerParams(TypedDict):
    # Message.
    input: list["Input"]


class TurnSteerParams(_TurnSteerParams, total=False):
    """Params of `turn/steer`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Refuse with `conflict` unless this turn is the running one.
    expectedTurnId: "TurnId"
    # Action while no turn runs; default `reject`.
    whenIdle: "WhenIdle"
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.
    key: str


# Handling of a steer while no turn runs.
WhenIdle: TypeAlias = Union[Literal["reject"], Literal["hold"]]

class TurnSteerResult(TypedDict):
    """A steer was accepted; it is on disk."""

    # Outcome.
    outcome: "SteerOutcome"
    # Id of its `userMessage` item.
    itemId: "ItemId"
    # The turn that receives it: the running turn, or the next one to start.
    turnId: "TurnId"


# Steer outcome.
SteerOutcome: TypeAlias = Union[Literal["accepted"], Literal["held"]]

class TurnInterruptParams(TypedDict, total=False):
    """Params of `turn/interrupt`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Refuse with `conflict` unless this turn is the running one.
    expectedTurnId: "TurnId"
    # Handling of queued messages; default `return`.
    queue: "QueuePolicy"


# Handling of queued messages when a turn is interrupted.
QueuePolicy: TypeAlias = Union[Literal["return"], Literal["keep"]]

class TurnInterruptResult(TypedDict, total=False):
    """Result of `turn/interrupt`."""

    # Interrupted turn; absent when none runs.
    turnId: "TurnId"
    # Returned messages.
    returned: list["QueuedInput"]


class SessionCompactParams(TypedDict, total=False):
    """Params of `session/compact`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Instructions for the summary.
    instructions: str
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted.
    key: str


class SessionCompactResult(TypedDict):
    """The compaction has started."""

    # Turn that performs it.
    turnId: "TurnId"


class ContextReadParams(TypedDict, total=False):
    """Params of `context/read`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # If true, omit the messages and return only the token counts.
    summary: bool


class _ContextReadResult(TypedDict):
    # Fill level of the window.
    usage: "ContextUsage"
    # Estimated tokens by source.
    sources: list["ContextSource"]


class ContextReadResult(_ContextReadResult, total=False):
    """Last request to the model; before the first one, the request that would be sent. (Experimental.)"""

    # System prompt.
    system: str
    # Tools.
    tools: list["ContextTool"]
    # Messages, in order.
    messages: list["ContextMessage"]


class ContextSource(TypedDict):
    """Share of one source in the context. (Experimental.)"""

    # Source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added.
    source: str
    # Number of messages or tools.
    count: int
    # Their estimated tokens.
    tokens: int


class ContextTool(TypedDict):
    """A tool as described to the model. (Experimental.)"""

    # Its name.
    name: str
    # Its description.
    description: str
    # JSON Schema of its arguments.
    parameters: Any


class _ContextMessage(TypedDict):
    # Role: `user`, `assistant` or `result`.
    role: str
    # Its blocks.
    blocks: list["ContextBlock"]


class ContextMessage(_ContextMessage, total=False):
    """Message as sent to the model, independent of the provider's wire format. (Experimental.)"""

    # For a result: id of its call.
    callId: str
    # For a result: true if the call failed.
    failed: bool


class ContextBlockText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class ContextBlockReasoning(TypedDict):
    type: Literal["reasoning"]
    # The text, as far as its provider shows it.
    text: str


class ContextBlockToolCall(TypedDict):
    type: Literal["toolCall"]
    # The call's id.
    callId: str
    # The tool's name.
    name: str
    # The arguments, as the model wrote them.
    arguments: str


class ContextBlockImage(TypedDict):
    type: Literal["image"]
    # Its media type.
    mimeType: str
    # Its size in base64, in bytes.
    bytes: int


class ContextBlockOpaque(TypedDict):
    type: Literal["opaque"]
    # Its size in bytes.
    bytes: int


# A block of a message, distinguished by `type`. (Experimental.)
ContextBlock: TypeAlias = Union["ContextBlockText", "ContextBlockReasoning", "ContextBlockToolCall", "ContextBlockImage", "ContextBlockOpaque"]

class _ConfigResult(TypedDict):
    # Every option, with its current value.
    options: list["ConfigOption"]


class ConfigResult(_ConfigResult, total=False):
    """Session settings, and the outcome of a change."""

    # Ids of the options that were set.
    applied: list[str]
    # Values that were rejected, with the reasons.
    rejected: list["Rejected"]


class _ConfigOption(TypedDict):
    # Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be added.
    id: str
    # Its display name.
    name: str
    # Value, effective from the next turn.
    value: str


class ConfigOption(_ConfigOption, total=False):
    """An option of a session."""

    # Possible values; empty if any text is accepted.
    choices: list[str]


class Rejected(TypedDict):
    """A rejected value."""

    # Option id, as sent.
    id: str
    # Reason, and the next step.
    reason: str


class _ConfigSetParams(TypedDict):
    # New values, by the option's id.
    values: dict[str, str]


class ConfigSetParams(_ConfigSetParams, total=False):
    """Params of `config/set`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class QueueResult(TypedDict):
    """Queued messages, in the order in which the model will read them."""

    # Messages.
    queue: list["QueuedInput"]


class _QueueUpdateParams(TypedDict):
    # Message.
    itemId: "ItemId"


class QueueUpdateParams(_QueueUpdateParams, total=False):
    """Params of `queue/update`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # New content.
    input: list["Input"]
    # New delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a separate turn.
    delivery: "Delivery"
    # Move it before this message of the same delivery.
    before: "ItemId"
    # If true, move it behind all messages of the same delivery.
    toEnd: bool


class QueueRemoveParams(TypedDict, total=False):
    """Params of `queue/remove`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Messages to remove; all by default.
    itemIds: list["ItemId"]


class QueueRemoveResult(TypedDict):
    """Removed messages."""

    # Complete messages.
    removed: list["QueuedInput"]


class _ApprovalAnswerParams(TypedDict):
    # Approval.
    approvalId: "ApprovalId"


class ApprovalAnswerParams(_ApprovalAnswerParams, total=False):
    """Answer to an approval, sent as a client request. If it selects no offered option, it is refused, and the approval stays pending."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Chosen option.
    optionId: str
    # A message for the model, sent with a denial.
    feedback: str
    # True if the dialog was closed without a choice, which denies this one call.
    dismissed: bool
    # The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text.
    edits: list["ProposalEdit"]


class ProposalEdit(TypedDict):
    """The user's edit to a proposed file."""

    # Path of one of the approval's `changes`. Deleted files cannot be edited.
    path: str
    # The complete text that the call would have written, as shown to the user. If the file turns out different, the edit is merged.
    proposed: str
    # The complete text to write instead.
    text: str


class _QuestionAnswerParams(TypedDict):
    # Question.
    questionId: "QuestionId"


class QuestionAnswerParams(_QuestionAnswerParams, total=False):
    """Answer to a question, sent as a client request. If it selects an option that was not offered, or is empty, it is refused, and the question stays open."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Chosen options.
    optionIds: list[str]
    # Text entered by the user.
    text: str
    # True if the dialog was closed without an answer; the model is then instructed to decide by itself.
    dismissed: bool


class _EditorDiagnosticsParams(TypedDict):
    # File, absolute or relative to the session's working directory.
    path: str
    # Diagnostics; empty when there are none.
    items: list["EditorDiagnostic"]


class EditorDiagnosticsParams(_EditorDiagnosticsParams, total=False):
    """All current diagnostics of a file; they replace the earlier ones of that file."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Version of the checked text, as counted by the editor; a report for an older version is ignored.
    version: int


class _EditorDiagnostic(TypedDict):
    # The lines concerned.
    range: "LineRange"
    # Severity. The model receives errors and warnings.
    severity: "Severity"
    # Message.
    message: str


class EditorDiagnostic(_EditorDiagnostic, total=False):
    """One diagnostic."""

    # Tool that reported it, such as `rustc`.
    source: str
    # The tool's code for it, such as `E0308`.
    code: str


class DocumentOpenParams(TypedDict):
    """Params of `document/open`. Opening a document again replaces its earlier state."""

    # File, absolute. It need not exist yet.
    path: str
    # Version of the text; it increases with every change.
    version: int
    # Full text as it would be saved, with its line ends, without a byte order mark.
    text: str
    # True if the text has unsaved changes, so tools read it instead of the file.
    dirty: bool


class DocumentChangeParams(TypedDict):
    """Params of `document/change`."""

    # File, as it was opened.
    path: str
    # Version after the changes.
    version: int
    # Changes; each applies to the previous one's result.
    changes: list["DocumentChange"]
    # True if the text differs from the last saved one.
    dirty: bool


class _DocumentChange(TypedDict):
    # Replacement.
    text: str


class DocumentChange(_DocumentChange, total=False):
    """A change of a text."""

    # Range to replace; absent for the full text.
    range: "TextRange"


class TextRange(TypedDict):
    """Text range. Positions past a line's or the text's end are clamped to that end."""

    # Start.
    start: "Position"
    # End, exclusive.
    end: "Position"


class Position(TypedDict):
    """A position in a text."""

    # Line, from 0; lines end with `\n` or `\r\n`.
    line: int
    # Offset from the start of the line in UTF-16 code units, as in LSP.
    character: int


class DocumentSaveParams(TypedDict):
    """Params of `document/save`: the file now holds the text of this version."""

    # File, as it was opened.
    path: str
    # Version that was saved.
    version: int


class DocumentCloseParams(TypedDict):
    """Params of `document/close`. Unsaved text is discarded; tools read the file again."""

    # File, as it was opened.
    path: str


class SessionItemsParams(TypedDict, total=False):
    """Params of `session/items`."""

    # Session, open or not; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Only items before this event; the last items by default.
    before: int
    # Only items after this event, such as an entry of `session/outline`.
    after: int
    # Maximum number of items, 1 to 1,000; default 100.
    limit: int


class SessionItemsResult(TypedDict):
    """Current values of items."""

    # Items of the current path, ordered by their last events. Items that have not ended are in the newest page.
    items: list["ItemAt"]
    # True if there are more items; request those before the first one's `seq`.
    more: bool


class ItemAt(TypedDict):
    """An item with the last event that concerns it."""

    # Event.
    seq: int
    # Item.
    item: "Item"


class _ItemReadParams(TypedDict):
    # Item.
    itemId: "ItemId"


class ItemReadParams(_ItemReadParams, total=False):
    """Params of `item/read`."""

    # Session, open or not; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class _ItemCancelParams(TypedDict):
    # The `toolCall` item.
    itemId: "ItemId"


class ItemCancelParams(_ItemCancelParams, total=False):
    """Params of `item/cancel`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class CheckpointListParams(TypedDict, total=False):
    """Params of `checkpoint/list`."""

    # Session, open or not; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class CheckpointListResult(TypedDict):
    """Points to which files can be restored: the start and the end of each turn."""

    # Checkpoints, oldest first.
    checkpoints: list["Checkpoint"]


class _Checkpoint(TypedDict):
    # Event after which the checkpoint lies; 0 is the beginning.
    seq: int
    # Time, in milliseconds since 1970.
    tsMs: int
    # Paths that changed since the checkpoint before, absolute.
    changed: list[str]


class Checkpoint(_Checkpoint, total=False):
    """A point to which files can be restored."""

    # Turn that ended there.
    turnId: "TurnId"
    # Label of the point.
    label: str


_CheckpointDiffParams = TypedDict("_CheckpointDiffParams", {"from": "HistoryPoint"})

class CheckpointDiffParams(_CheckpointDiffParams, total=False):
    """Params of `checkpoint/diff`."""

    # Session, open or not; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Second point; the journal's present state by default.
    to: "HistoryPoint"


class _CheckpointDiffResult(TypedDict):
    # Patch for `git apply` in the session's working directory, with the changes of all authors.
    text: str


class CheckpointDiffResult(_CheckpointDiffResult, total=False):
    """Difference of files between two points."""

    # Changed files that the patch leaves out: outside of that directory, or with a content that was not kept.
    leftOut: list[str]


class _ShellRunParams(TypedDict):
    # Command line, as a shell reads it.
    command: str


class ShellRunParams(_ShellRunParams, total=False):
    """Params of `shell/run`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # True if the model reads the command and its output with the next prompt; default true.
    toModel: bool
    # A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its response is the one to the first.
    key: str


class _ShellRunResult(TypedDict):
    # Job that ran it. Its item shows the command; deltas of the field `output` carry its output.
    jobId: "JobId"
    # End of its output, at most 2,000 lines and 50 KB.
    output: str


class ShellRunResult(_ShellRunResult, total=False):
    """Result of a command."""

    # Its exit code; absent if it was cancelled or ended by a signal.
    exitCode: int
    # True if it was cancelled.
    cancelled: bool
    # True if `output` is not the full output.
    truncated: bool
    # File with the full output, if it was truncated.
    fullOutputPath: str


class _ShellWriteParams(TypedDict):
    # Job with a terminal (`inTerminal`).
    jobId: "JobId"
    # Text to type: a line feed presses Enter, and control characters are keys, such as U+0003 for Ctrl-C. Nothing is typed if it is empty.
    text: str


class ShellWriteParams(_ShellWriteParams, total=False):
    """Params of `shell/write`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # False if the response need not wait for the screen, which is empty then, as for a client that follows it with `shell/screen`; default true.
    wantsScreen: bool


class ShellWriteResult(TypedDict):
    """Result of `shell/write`."""

    # Screen of 120 columns and 30 rows as text, when it had not changed for 100 ms, and after 1 s at the latest; empty if the command has ended.
    screen: str


class _ShellScreenParams(TypedDict):
    # Job with a terminal (`inTerminal`).
    jobId: "JobId"


class ShellScreenParams(_ShellScreenParams, total=False):
    """Params of `shell/screen`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # `mark` of an earlier response: waits until the screen has changed since, up to 25 s. Absent: responds at once.
    after: str


class _ShellScreenResult(TypedDict):
    # Lines scrolled off the top since `after`, without colors; of very many, the last 100 KB or more. Once the job has ended, they include the last screen.
    lines: str
    # `after` for the next request.
    mark: str


class ShellScreenResult(_ShellScreenResult, total=False):
    """Result of `shell/screen`."""

    # Current screen; absent once the job has ended.
    screen: "TerminalScreen"
    # True once the job has ended.
    ended: bool


class _TerminalScreen(TypedDict):
    # Width.
    columns: int
    # All rows, from the top, without trailing spaces. Colors and styles are SGR sequences, as a terminal reads them, and end with their row; other control sequences of the program are left out.
    rows: list[str]


class TerminalScreen(_TerminalScreen, total=False):
    """Screen of a terminal."""

    # Cursor; absent if it is hidden.
    cursor: "ScreenCursor"


class ScreenCursor(TypedDict):
    """Position of the cursor on a screen."""

    # Row, from 0 at the top.
    row: int
    # Column, from 0 at the left; a wide character takes two.
    column: int


class UsageReadResult(TypedDict):
    """Usage of a session."""

    # Usage of all turns, including sub-agents, and of generated titles.
    total: "UsageCount"
    # Usage of each model in the session's turns, in order of first use. A turn's sub-agents count for the turn's model.
    models: list["ModelUsage"]
    # Part of titles, which belong to no turn.
    titles: "UsageCount"


class _UsageCount(TypedDict):
    # Number of turns.
    turns: int
    # Number of model replies in these turns.
    steps: int
    # Tokens.
    usage: "Usage"
    # Duration of the turns in milliseconds.
    durationMs: int


class UsageCount(_UsageCount, total=False):
    """Counted tokens and money."""

    # Cost, in billionths of a US dollar, as far as prices are known; absent if none is.
    costNanoUsd: int
    # Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a price is not known, and for titles.
    uncachedCostNanoUsd: int


class _ModelUsage(TypedDict):
    # Model, as `provider/id` or `provider/id:effort`.
    model: str
    # Number of turns.
    turns: int
    # Number of model replies in these turns.
    steps: int
    # Tokens.
    usage: "Usage"
    # Duration of the turns in milliseconds.
    durationMs: int


class ModelUsage(_ModelUsage, total=False):
    """Usage of a model."""

    # Cost, in billionths of a US dollar, as far as prices are known; absent if none is.
    costNanoUsd: int
    # Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a price is not known, and for titles.
    uncachedCostNanoUsd: int


class JobListResult(TypedDict):
    """A session's background jobs."""

    # Their items, oldest first.
    jobs: list["Item"]


class _JobStopParams(TypedDict):
    # Job.
    jobId: "JobId"


class JobStopParams(_JobStopParams, total=False):
    """Params of `job/stop`."""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class JobStopResult(TypedDict):
    """Result of `job/stop`."""

    # Ended job's item.
    job: "Item"


class McpListResult(TypedDict):
    """Result of `mcp/list`. (Experimental.)"""

    # The session's servers. Those of a project's file are known once a turn has begun.
    servers: list["McpServerState"]


class _McpServerState(TypedDict):
    # Its name, unique in the session.
    name: str
    # Command line or address, as configured.
    target: str
    # Human-readable location of its configuration.
    origin: str
    # Its status.
    status: "McpStatus"


class McpServerState(_McpServerState, total=False):
    """State of a session's server. (Experimental.)"""

    # Human-readable failure reason.
    message: str
    # Login to it; absent if it has none: a program, or an address whose settings have an `Authorization`.
    login: "McpLoginState"
    # Its own name and version, and the protocol's; once it is connected.
    about: str
    # Its tools, once it is connected.
    tools: list["McpTool"]
    # Human-readable parts of it that are not used, each with the reason, such as a tool with an invalid schema; once it is connected.
    problems: list[str]
    # Last lines that it wrote to its error output.
    stderr: list[str]


# Server status. (Experimental.)
McpStatus: TypeAlias = Union[Literal["idle"], Literal["starting"], Literal["ready"], Literal["failed"], Literal["off"]]

# Login to a server. (Experimental.)
McpLoginState: TypeAlias = Union[Literal["possible"], Literal["wanted"]]

class _McpTool(TypedDict):
    # Its name at the server.
    name: str
    # The server's description of it.
    description: str


class McpTool(_McpTool, total=False):
    """A tool of a server. (Experimental.)"""

    # True if the server declares that it changes nothing. Permissions do not depend on it.
    readOnlyHint: bool


class _McpUpdateParams(TypedDict):
    # Server name.
    server: str


class McpUpdateParams(_McpUpdateParams, total=False):
    """Params of `mcp/update`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Enables or disables it for this session. The tools of a disabled server stay in the model's list, and their calls fail.
    enabled: bool
    # If true, restart a failed server at once, without waiting for its next use.
    restart: bool


class _McpLoginParams(TypedDict):
    # Server name.
    server: str


class McpLoginParams(_McpLoginParams, total=False):
    """Params of `mcp/login`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"
    # Scopes to request, instead of those in its settings and those that the server lists.
    scopes: list[str]


class _McpLogoutParams(TypedDict):
    # Server name.
    server: str


class McpLogoutParams(_McpLogoutParams, total=False):
    """Params of `mcp/logout`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class McpLogoutResult(TypedDict):
    """Result of `mcp/logout`. (Experimental.)"""

    # True if there was a stored login.
    removed: bool


class _ModelsListResult(TypedDict):
    # Providers: built-in ones, then user-defined ones.
    providers: list["ProviderInfo"]
    # Models: built-in ones, for each provider the newest first, then user-defined ones.
    models: list["ModelInfo"]


class ModelsListResult(_ModelsListResult, total=False):
    """Providers and models known by name. Any other `provider/id` of a known provider works as well."""

    # Effort levels, lowest first. `config.model` takes one after the id, as in `provider/id:high`.
    efforts: list[str]
    # Problems in the settings files. When a file cannot be used, the list is the one from before.
    problems: list[str]


class _ProviderInfo(TypedDict):
    # Name in `provider/id`.
    name: str
    # Key availability.
    key: "KeyState"
    # Source of this entry: the user's files, or the location it was read from.
    source: str


class ProviderInfo(_ProviderInfo, total=False):
    """A provider."""

    # Display name, if it is known.
    title: str
    # Wire API: `chat`, `messages`, `responses` or `gemini`; absent if it differs by model.
    api: str
    # Request URL, without secret parts. Names in braces or after a dollar sign are variables.
    url: str
    # Environment variable for the key.
    keyVar: str


# Availability of a provider's key.
KeyState: TypeAlias = Union[Literal["set"], Literal["command"], Literal["login"], Literal["notNeeded"], Literal["missing"]]

class _ModelInfo(TypedDict):
    # `provider/id`, as `config.model` takes it.
    model: str
    # Tool profile, unless the settings choose another.
    profile: str
    # Source of this entry: the user's files, or the location it was read from.
    source: str


class ModelInfo(_ModelInfo, total=False):
    """A model."""

    # Display name, if it differs from the id.
    name: str
    # Maximum number of input tokens.
    window: int
    # Maximum number of output tokens.
    maxOutput: int
    # Price.
    price: "ModelPrice"
    # The model accepts images; absent if unknown.
    vision: bool
    # The model can reason before it answers; absent if unknown.
    reasoning: bool
    # Date of that source, as year and month.
    checked: str


class _ModelPrice(TypedDict):
    # Input that is not cached.
    inputUsdPerMtok: float
    # Output, reasoning included.
    outputUsdPerMtok: float


class ModelPrice(_ModelPrice, total=False):
    """Price of a model, in US dollars per million tokens."""

    # Input read from a cache; absent if it costs as much as other input.
    cacheReadUsdPerMtok: float
    # Input written to a cache; absent if it costs as much as other input.
    cacheWriteUsdPerMtok: float


class _AuthStatusResult(TypedDict):
    # Providers that support login.
    providers: list["ProviderAuth"]


class AuthStatusResult(_AuthStatusResult, total=False):
    """Result of `auth/status`. (Experimental.)"""

    # Reason why the stored logins cannot be used.
    problem: str


class _ProviderAuth(TypedDict):
    # Provider name.
    provider: str
    # Ways to log in, the preferred one first.
    methods: list["AuthMethod"]
    # Source of the key in use: settings and variables take precedence over a stored login.
    key: "KeyState"


class ProviderAuth(_ProviderAuth, total=False):
    """Provider that supports login. (Experimental.)"""

    # Method of the stored login; absent without one.
    stored: "AuthMethod"
    # Environment variable in use, or to set.
    keyVar: str


# A way to log in. (Experimental.)
AuthMethod: TypeAlias = Union[Literal["device"], Literal["browser"], Literal["key"]]

class _AuthLoginParams(TypedDict):
    # Provider.
    provider: str


class AuthLoginParams(_AuthLoginParams, total=False):
    """Params of `auth/login`. (Experimental.)"""

    # Way to log in; default the first one of `auth/status`.
    method: "AuthMethod"
    # Key that the user typed, for the method `key`.
    key: str


class AuthLoginResult(TypedDict):
    """Result of `auth/login`. (Experimental.)"""

    # Provider.
    provider: str
    # Method of the login.
    method: "AuthMethod"


class AuthLogoutParams(TypedDict):
    """Params of `auth/logout`. (Experimental.)"""

    # Provider.
    provider: str


class AuthLogoutResult(TypedDict):
    """Result of `auth/logout`. (Experimental.)"""

    # True if there was a stored login.
    removed: bool


class TrustResult(TypedDict):
    """Result of `trust/read` and `trust/agree`. (Experimental.)"""

    # Project root: the root of the git repository, or the session's working directory outside one.
    root: str
    # True if the user trusts the project. If not, the engine uses none of the files.
    trusted: bool
    # Files, sorted by path: permissions, rules, MCP servers, skills, and agents.
    files: list["ProjectFile"]


class ProjectFile(TypedDict):
    """A project file that configures the engine. (Experimental.)"""

    # Path relative to the project's root, separated by `/`.
    path: str
    # SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing.
    sha256: str
    # The user's agreement to this content.
    standing: "Standing"


# User's agreement to a project file's content. (Experimental.)
Standing: TypeAlias = Union[Literal["agreed"], Literal["new"], Literal["changed"], Literal["missing"]]

class _TrustAgreeParams(TypedDict):
    # Files to use, with the content the user saw.
    files: list["SeenFile"]


class TrustAgreeParams(_TrustAgreeParams, total=False):
    """Params of `trust/agree`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class SeenFile(TypedDict):
    """A project file as the user saw it. (Experimental.)"""

    # Path from `trust/read`.
    path: str
    # SHA-256 from `trust/read`.
    sha256: str


class _PermissionListResult(TypedDict):
    # Rules in force, from the widest source to the narrowest.
    rules: list["PermissionRule"]


class PermissionListResult(_PermissionListResult, total=False):
    """Result of `permission/list` and `permission/remove`. (Experimental.)"""

    # Problems with rules, in sentences. A project file with invalid rules adds rules that ask about every call.
    problems: list[str]


class _PermissionRule(TypedDict):
    # Human-readable rule: ``allow `cargo test **` ``. Invisible characters are drawn as signs.
    text: str
    # What happens to calls that match.
    decision: "RuleDecision"
    # Where the rule comes from.
    source: "RuleSource"


class PermissionRule(_PermissionRule, total=False):
    """A rule that allows, asks about or denies calls. (Experimental.)"""

    # How long the answer holds. Only rules from answers have one.
    scope: "Scope"
    # Id for `permission/remove`. Only rules from answers have one.
    ruleId: str


# What a rule does with a call. `deny` overrides `ask`, and `ask` overrides `allow`. (Experimental.)
RuleDecision: TypeAlias = Union[Literal["allow"], Literal["ask"], Literal["deny"]]

# Where a rule is defined. (Experimental.)
RuleSource: TypeAlias = Union[Literal["config"], Literal["policy"], Literal["project"], Literal["answer"]]

class _PermissionRemoveParams(TypedDict):
    # Id from `permission/list`.
    ruleId: str


class PermissionRemoveParams(_PermissionRemoveParams, total=False):
    """Params of `permission/remove`. (Experimental.)"""

    # Session; optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class _PromptListResult(TypedDict):
    # Prompts, by name.
    prompts: list["NamedPrompt"]


class PromptListResult(_PromptListResult, total=False):
    """Result of `prompt/list`."""

    # Files that could not be read, each with the reason.
    problems: list[str]


class _NamedPrompt(TypedDict):
    # Its name, without the slash.
    name: str
    # Its file; `mcp:SERVER` for a server's prompt.
    path: str


class NamedPrompt(_NamedPrompt, total=False):
    """A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt."""

    # Its description.
    description: str
    # Arguments that may follow the name.
    argumentHint: str


class SkillListResult(TypedDict):
    """Result of `skill/list`."""

    # Skills, by name.
    skills: list["NamedPrompt"]


class _HookRegisterParams(TypedDict):
    # Points at which it runs.
    points: list["HookPoint"]


class HookRegisterParams(_HookRegisterParams, total=False):
    """A hook of a client. (Experimental.)"""

    # Tools whose calls it sees: names, with `*` for any text. Default: all.
    tools: list[str]
    # Timeout in milliseconds; default 60000.
    timeoutMs: int
    # Effect of a failure; default `closed`.
    onFailure: "OnFailure"


# A point of the engine's work at which hooks run. (Experimental.)
HookPoint: TypeAlias = Union[Literal["inputReceived"], Literal["beforeAgent"], Literal["contextBuilt"], Literal["beforeModelRequest"], Literal["afterModelResponse"], Literal["beforeToolCall"], Literal["afterToolCall"], Literal["sessionCompact"], Literal["sessionStart"], Literal["sessionFork"], Literal["sessionSwitch"], Literal["sessionEnd"]]

# Effect of a hook's failure at a point that allows denial. (Experimental.)
OnFailure: TypeAlias = Union[Literal["closed"], Literal["open"]]

class ToolRegisterParams(TypedDict):
    """A tool of a client."""

    # Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest tool of a name wins, also over a built-in one.
    name: str
    # Its purpose and usage, for the model.
    description: str
    # JSON Schema of the arguments, an object schema.
    parameters: Any


class ToolUnregisterParams(TypedDict):
    """A tool that the client takes back."""

    # Its name.
    name: str


# Params of `session/event`: durable if `seq` is present, transient if `after` is.
AnyRecord: TypeAlias = Union["EventRecord", "TransientRecord"]

class _TransientRecord(TypedDict):
    # Session.
    sessionId: "SessionId"
    # Sequence number of the last durable event before it.
    after: int
    # Event.
    event: "TransientEvent"


class TransientRecord(_TransientRecord, total=False):
    """A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness."""

    # Turn it belongs to.
    turnId: "TurnId"


class _TransientEventItemDelta(TypedDict):
    # Item.
    itemId: "ItemId"
    # Field that grew.
    field: "DeltaField"
    # The piece's number within item and field, from 0. All paths of the field `input` share one sequence: 0 discards the text of each.
    n: int
    # Text to append.
    text: str
    type: Literal["item.delta"]


class TransientEventItemDelta(_TransientEventItemDelta, total=False):
    # Argument string that grew, as a JSON Pointer such as `/content`; only with the field `input`.
    path: str
    # Number of the last piece merged into this one, if any.
    to: int


class _TransientEventSessionState(TypedDict):
    # State.
    value: "StateValue"
    type: Literal["session.state"]


class TransientEventSessionState(_TransientEventSessionState, total=False):
    # Ids of the approvals and questions that it is waiting for, when it is blocked.
    blockedOn: list[str]
    # Items of background jobs that run, also while the session is idle.
    background: list["ItemId"]


class _TransientEventSessionContext(TypedDict):
    # Estimated tokens of the next request.
    tokens: int
    type: Literal["session.context"]


class TransientEventSessionContext(_TransientEventSessionContext, total=False):
    # Size of the context window; absent if unknown.
    window: int


class _TransientEventStepUsage(TypedDict):
    # Step within the turn, from 1.
    step: int
    # Usage so far.
    usage: "Usage"
    type: Literal["step.usage"]


class TransientEventStepUsage(_TransientEventStepUsage, total=False):
    # Cost so far, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int


class _TransientEventSessionNotice(TypedDict):
    # Severity.
    level: "NoticeLevel"
    # A stable code.
    code: str
    # Message.
    message: str
    type: Literal["session.notice"]


class TransientEventSessionNotice(_TransientEventSessionNotice, total=False):
    # Suggested next step.
    hint: str


# Transient events, distinguished by `type`.
TransientEvent: TypeAlias = Union["TransientEventItemDelta", "TransientEventSessionState", "TransientEventSessionContext", "TransientEventStepUsage", "TransientEventSessionNotice"]

class _ItemDelta(TypedDict):
    # Item.
    itemId: "ItemId"
    # Field that grew.
    field: "DeltaField"
    # The piece's number within item and field, from 0. All paths of the field `input` share one sequence: 0 discards the text of each.
    n: int
    # Text to append.
    text: str


class ItemDelta(_ItemDelta, total=False):
    """A piece of text to append to a field of an item."""

    # Argument string that grew, as a JSON Pointer such as `/content`; only with the field `input`.
    path: str
    # Number of the last piece merged into this one, if any.
    to: int


class _StepUsage(TypedDict):
    # Step within the turn, from 1.
    step: int
    # Usage so far.
    usage: "Usage"


class StepUsage(_StepUsage, total=False):
    """Usage of a streaming reply. `step.completed` has the final count."""

    # Cost so far, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int


class SessionEventsMissedParams(TypedDict):
    """Durable events that were not sent to a slow connection."""

    # Session.
    sessionId: "SessionId"
    # Last durable event that was sent.
    lastSentSeq: int
    # Last durable event that was not sent.
    headSeq: int


class _AuthOpenUrlParams(TypedDict):
    # Page to open.
    url: str


class AuthOpenUrlParams(_AuthOpenUrlParams, total=False):
    """Params of `auth/openUrl`. (Experimental.)"""

    # Provider, for `auth/login`.
    provider: str
    # Server, for `mcp/login`.
    mcpServer: str
    # Code to enter there.
    userCode: str
    # Time that is left, in milliseconds.
    expiresInMs: int


class ApprovalAnswer(TypedDict, total=False):
    """Answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one call."""

    # Chosen option.
    optionId: str
    # A message for the model, sent with a denial.
    feedback: str
    # True if the dialog was closed without a choice, which denies this one call.
    dismissed: bool
    # The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text.
    edits: list["ProposalEdit"]


class QuestionAnswer(TypedDict, total=False):
    """Answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first if only one may be chosen; an answer with nothing left counts as dismissed."""

    # Chosen options.
    optionIds: list[str]
    # Text entered by the user.
    text: str
    # True if the dialog was closed without an answer; the model is then instructed to decide by itself.
    dismissed: bool


class _HookRun(TypedDict):
    # Point.
    point: "HookPoint"
    # Session.
    sessionId: "SessionId"
    # The session's working directory.
    cwd: str


class HookRun(_HookRun, total=False):
    """Hook input. (Experimental.)"""

    # Turn; absent at points of the session.
    turnId: "TurnId"
    # Text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`.
    input: str
    # Images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They are kept regardless of the answer.
    images: list["Content"]
    # System prompt, at `beforeAgent`.
    system: str
    # Messages of the model's context, at `contextBuilt`.
    conversation: list["HookMessage"]
    # Event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the current state, and when a fork is merged back.
    toSeq: int
    # Tool call, at `beforeToolCall` and `afterToolCall`.
    call: "HookCall"
    # The call's result, at `afterToolCall`.
    result: "HookResult"
    # The model's reply, at `afterModelResponse`.
    response: "HookResponse"
    # Number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`.
    messages: int
    # Unfinished parts of the model's plan, at `beforeAgent`.
    openTodos: str


class _HookMessageUser(TypedDict):
    role: Literal["user"]
    # The content.
    content: list["Content"]


class HookMessageUser(_HookMessageUser, total=False):
    # Position in the context, from 0. A message that is returned unchanged with its position keeps data that hooks do not see, such as reasoning.
    index: int


class _HookMessageAssistant(TypedDict):
    role: Literal["assistant"]


class HookMessageAssistant(_HookMessageAssistant, total=False):
    # Position in the context, from 0.
    index: int
    # Text.
    text: str
    # Calls.
    calls: list["HookMessageCall"]


class _HookMessageToolResult(TypedDict):
    role: Literal["toolResult"]
    # The call.
    callId: str
    # The tool's name.
    toolName: str
    # The content.
    content: list["Content"]


class HookMessageToolResult(_HookMessageToolResult, total=False):
    # Position in the context, from 0.
    index: int
    # True if the call failed.
    failed: bool


# A message of the model's context, for a hook. (Experimental.)
HookMessage: TypeAlias = Union["HookMessageUser", "HookMessageAssistant", "HookMessageToolResult"]

class HookMessageCall(TypedDict):
    """A call in a message of the model's context. (Experimental.)"""

    # Id, which the call's result repeats.
    id: str
    # Tool name.
    name: str
    # Arguments, as the model wrote them: JSON text.
    arguments: str


class _HookCall(TypedDict):
    # Its item.
    itemId: "ItemId"
    # Tool name.
    toolName: str
    # Kind of tool.
    kind: "ToolKind"
    # One line for the user.
    title: str
    # Arguments, as hooks before this one left them. A shell's command line is always `command`.
    arguments: Any


class HookCall(_HookCall, total=False):
    """A tool call, for a hook. (Experimental.)"""

    # The files concerned.
    locations: list["Location"]


class _HookResult(TypedDict):
    # Text for the model.
    text: str


class HookResult(_HookResult, total=False):
    """Tool call result, for a hook. (Experimental.)"""

    # True if the call failed.
    failed: bool


class _HookResponse(TypedDict):
    # Its text.
    text: str


class HookResponse(_HookResponse, total=False):
    """A reply of the model, for a hook. (Experimental.)"""

    # Names of the tools that it calls, in order.
    tools: list[str]


class HookAnswer(TypedDict, total=False):
    """Hook answer. `{}` and an empty output change nothing. (Experimental.)"""

    # Decision; default `allow`. Permission is still requested if required.
    decision: "HookDecision"
    # Reason for a denial, for the model or the user.
    reason: str
    # New text of the message, at `inputReceived` and `beforeAgent`.
    input: str
    # New system prompt of the turn, at `beforeAgent`.
    system: str
    # Messages of the next request, at `contextBuilt`. They apply to that request only.
    conversation: list["HookMessage"]
    # The call's complete new arguments.
    arguments: Any
    # New result of the call.
    result: "HookResult"
    # Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`.
    context: str


# Hook decision. (Experimental.)
HookDecision: TypeAlias = Union[Literal["allow"], Literal["deny"], Literal["handled"]]

class ToolCallParams(TypedDict):
    """A call of a tool that the client registered."""

    # Session.
    sessionId: "SessionId"
    # Call item.
    itemId: "ItemId"
    # Tool name.
    toolName: str
    # Arguments, as the model wrote them. They match the schema; other calls are refused.
    arguments: Any


class _ToolCallResult(TypedDict):
    # Content for the model.
    content: list["Content"]


class ToolCallResult(_ToolCallResult, total=False):
    """Result of a client-registered tool."""

    # True if the call failed; the content gives the reason.
    failed: bool


class ApplyEditParams(TypedDict):
    """Params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none."""

    # User-facing description of the edit.
    label: str
    # Documents.
    edits: list["DocumentEdit"]


class DocumentEdit(TypedDict):
    """Edit of one document."""

    # File, as it was opened.
    path: str
    # Version that the edit was made for. If the document's version has changed since, nothing is changed.
    version: int
    # Changes, in order; their ranges refer to the text of `version` and do not overlap.
    changes: list["TextEdit"]
    # True if the document had no unsaved changes and must be saved again, so that commands see the edit.
    save: bool


class TextEdit(TypedDict):
    """Replacement of a text range."""

    # Range to replace.
    range: "TextRange"
    # Replacement.
    text: str


class _ApplyEditResult(TypedDict):
    # True if all edits were applied; otherwise none was.
    applied: bool


class ApplyEditResult(_ApplyEditResult, total=False):
    """Result of `workspace/applyEdit`. Before its response, the client sends its changes with `document/change`. The engine waits 15 seconds."""

    # Reason why none was applied, or why a document could not be saved.
    failureReason: str
    # Current versions of the documents.
    versions: list["DocumentVersion"]


class DocumentVersion(TypedDict):
    """Document version."""

    # File, as it was opened.
    path: str
    # Version.
    version: int


class _ErrorData(TypedDict):
    # Stable failure code: the error's name, or a more specific one.
    code: str


class ErrorData(_ErrorData, total=False):
    """Data of an error response."""

    # Position in the params, as a JSON Pointer.
    path: str
    # Suggested next step.
    hint: str
    # Values that would have been accepted.
    supported: list[str]
    # For `openElsewhere`: true if the session is open in the engine that clients of `pintle attach` share, and any of them can open it there.
    sharedEngine: bool


class RunLineHeader(TypedDict):
    # Protocol version of the events.
    protocol: str
    # Hash of the protocol's schema.
    schemaHash: str
    # Engine.
    engine: "PeerInfo"
    # Session.
    sessionId: "SessionId"
    # Working directory.
    cwd: str
    type: Literal["header"]


class _RunLineResult(TypedDict):
    # Kind of end.
    status: "RunStatus"
    # Reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
    stop: str
    # Exit code of the program.
    exitCode: int
    # Last message of the model.
    text: str
    # Number of replies of the model.
    steps: int
    # Duration of the turn, in milliseconds.
    durationMs: int
    # Token usage of the task, including sub-agents and the title.
    usage: "Usage"
    # Files that the agent changed.
    changes: "RunChanges"
    # Commands that ran, in order.
    commands: list["RunCommand"]
    # Calls that were denied.
    denials: list["RunDenial"]
    type: Literal["result"]


class RunLineResult(_RunLineResult, total=False):
    # Session; absent if none could be created or opened.
    sessionId: "SessionId"
    # Turn.
    turnId: "TurnId"
    # Path of the session's journal.
    journal: str
    # Answer that satisfies `--output-schema`.
    structured: Any
    # Their cost, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # The same cost in US dollars.
    costUsd: float
    # Model that answered last, as `provider/id`.
    model: str
    # Findings that the model reported, in order, each once; only if a report was requested.
    findings: list["Finding"]
    # Changes in the task's copy; only with `--isolation`.
    isolation: "RunIsolation"
    # The attempts, in their order; only with `--attempts`. The other fields describe the attempt that was chosen, or else the first.
    attempts: list["RunAttempt"]
    # Changed files that the patch omits because they are outside the session's directory.
    notInPatch: list[str]
    # Error, if the task failed.
    error: "TurnError"


# The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone. (Experimental.)
RunLine: TypeAlias = Union["RunLineHeader", "RunLineResult"]

class RunHeader(TypedDict):
    """First line of `pintle run --format events`. (Experimental.)"""

    # Protocol version of the events.
    protocol: str
    # Hash of the protocol's schema.
    schemaHash: str
    # Engine.
    engine: "PeerInfo"
    # Session.
    sessionId: "SessionId"
    # Working directory.
    cwd: str


# Kind of end of a task. (Experimental.)
RunStatus: TypeAlias = Union[Literal["success"], Literal["denied"], Literal["unchanged"], Literal["limit"], Literal["interrupted"], Literal["failed"]]

class RunChanges(TypedDict):
    """Files that differ from before the task. (Experimental.)"""

    # Their absolute paths, sorted.
    files: list[str]
    # The lines added.
    added: int
    # The lines removed.
    removed: int


class _RunCommand(TypedDict):
    # Complete command.
    command: str
    # Its end: `cancelled` if the task ended first.
    status: "ItemStatus"


class RunCommand(_RunCommand, total=False):
    """A command that ran. (Experimental.)"""

    # Its exit code.
    exitCode: int


class _RunDenial(TypedDict):
    # Tool.
    tool: str
    # Human-readable call.
    title: str
    # Reason, as reported to the model.
    reason: str


class RunDenial(_RunDenial, total=False):
    """A call that was denied. (Experimental.)"""

    # Option or rule that would have allowed it; absent if none would, or if a user's rule denied it.
    hint: str


class _Finding(TypedDict):
    # File, relative to the working directory.
    path: str
    # Its weight.
    severity: "FindingSeverity"
    # Name for its kind.
    rule: str
    # The model's words about it.
    message: str


class Finding(_Finding, total=False):
    """Something wrong at a place in a file. (Experimental.)"""

    # First line, 1-based; absent if the finding applies to the entire file.
    line: int
    # Last line, which is part of it.
    endLine: int
    # Replacement text for these lines.
    fix: str


# Severity of a finding. Ordered from the least to the most severe. (Experimental.)
FindingSeverity: TypeAlias = Union[Literal["note"], Literal["warning"], Literal["error"]]

class _RunIsolation(TypedDict):
    # Changed files of the project, absolute; empty if there were conflicts or the task failed.
    applied: list[str]


class RunIsolation(_RunIsolation, total=False):
    """Changes in a task's copy, and whether they were applied. (Experimental.)"""

    # Files of the project with conflicting changes, absolute.
    conflicts: list[str]
    # Directory of the copy with the unapplied changes; absent if there are none, in which case the copy was removed.
    copy: str


class _RunAttempt(TypedDict):
    # Reason for the end, as in `stop` of the result.
    stop: str
    # Files that the agent changed, under their paths in the project.
    changes: "RunChanges"


class RunAttempt(_RunAttempt, total=False):
    """One of several attempts at a task. (Experimental.)"""

    # Session; absent if none could be created.
    sessionId: "SessionId"
    # Model that answered last, as `provider/id`.
    model: str
    # Cost, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # Verdict of the judge; absent without a judge, or if the attempt was not completed.
    verdict: "RunVerdict"
    # True for the attempt whose changes were applied.
    chosen: bool
    # Directory of the copy with the unapplied changes; absent if it was removed.
    copy: str


class _RunVerdict(TypedDict):
    # True if the judge exited with 0.
    accepted: bool
    # End of its output.
    output: str


class RunVerdict(_RunVerdict, total=False):
    """Verdict of a judge about an attempt. (Experimental.)"""

    # Number in the last line of its output, if there is one; higher is better.
    score: float


class _RunResult(TypedDict):
    # Kind of end.
    status: "RunStatus"
    # Reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
    stop: str
    # Exit code of the program.
    exitCode: int
    # Last message of the model.
    text: str
    # Number of replies of the model.
    steps: int
    # Duration of the turn, in milliseconds.
    durationMs: int
    # Token usage of the task, including sub-agents and the title.
    usage: "Usage"
    # Files that the agent changed.
    changes: "RunChanges"
    # Commands that ran, in order.
    commands: list["RunCommand"]
    # Calls that were denied.
    denials: list["RunDenial"]


class RunResult(_RunResult, total=False):
    """Result of `pintle run`. (Experimental.)"""

    # Session; absent if none could be created or opened.
    sessionId: "SessionId"
    # Turn.
    turnId: "TurnId"
    # Path of the session's journal.
    journal: str
    # Answer that satisfies `--output-schema`.
    structured: Any
    # Their cost, in billionths of a US dollar; absent if the price is unknown.
    costNanoUsd: int
    # The same cost in US dollars.
    costUsd: float
    # Model that answered last, as `provider/id`.
    model: str
    # Findings that the model reported, in order, each once; only if a report was requested.
    findings: list["Finding"]
    # Changes in the task's copy; only with `--isolation`.
    isolation: "RunIsolation"
    # The attempts, in their order; only with `--attempts`. The other fields describe the attempt that was chosen, or else the first.
    attempts: list["RunAttempt"]
    # Changed files that the patch omits because they are outside the session's directory.
    notInPatch: list[str]
    # Error, if the task failed.
    error: "TurnError"


ClientRequest: TypeAlias = Literal[
    "initialize",
    "ping",
    "shutdown",
    "session/create",
    "session/open",
    "session/list",
    "session/update",
    "session/archive",
    "session/search",
    "session/export",
    "session/delete",
    "session/rewind",
    "session/fork",
    "session/merge",
    "session/label",
    "session/note",
    "session/tree",
    "session/outline",
    "review/list",
    "review/decide",
    "review/baseline",
    "review/patch",
    "isolation/apply",
    "isolation/discard",
    "session/close",
    "session/subscribe",
    "session/unsubscribe",
    "session/events",
    "blob/read",
    "turn/start",
    "turn/steer",
    "turn/interrupt",
    "session/compact",
    "context/read",
    "config/list",
    "config/set",
    "queue/list",
    "queue/update",
    "queue/remove",
    "approval/answer",
    "question/answer",
    "editor/diagnostics",
    "document/open",
    "document/change",
    "document/save",
    "document/close",
    "session/items",
    "item/read",
    "item/cancel",
    "checkpoint/list",
    "checkpoint/diff",
    "shell/run",
    "shell/write",
    "shell/screen",
    "usage/read",
    "job/list",
    "job/stop",
    "mcp/list",
    "mcp/update",
    "mcp/login",
    "mcp/logout",
    "models/list",
    "auth/status",
    "auth/login",
    "auth/logout",
    "trust/read",
    "trust/agree",
    "permission/list",
    "permission/remove",
    "prompt/list",
    "skill/list",
    "hook/register",
    "tool/register",
    "tool/unregister",
]

EngineRequest: TypeAlias = Literal[
    "approval/request",
    "question/request",
    "hook/run",
    "tool/call",
    "workspace/applyEdit",
]


# The codes of failed requests.
# Broken JSON or invalid UTF-8; `id` is null.
PARSE_ERROR = -32700
# Not a request: a batch, a bare value, an id in use, a message over the limit, a method before `initialize`.
INVALID_REQUEST = -32600
# No such method; the message suggests the nearest one.
METHOD_NOT_FOUND = -32601
# Params of the wrong shape or value; `data.path` points at the field.
INVALID_PARAMS = -32602
# An internal failure of the engine; see the message for the cause.
INTERNAL = -32603
# The request was cancelled before it had an effect.
CANCELLED = -32800
# No credentials for the provider; `data.hint` names the variable to set.
AUTH_REQUIRED = -32000
# A session, item, hunk or other subject of the request does not exist.
NOT_FOUND = -32002
# The engine supports none of the offered versions; `data.supported` lists the supported ones.
UNSUPPORTED_PROTOCOL = -32022
# Too many requests in flight on this connection; wait for responses.
OVERLOADED = -32040
# The expected turn is not the running one, the question is no longer open, the hunk has changed or was decided, or the session is open in another process.
CONFLICT = -32041
# A turn is running; steer it, queue a follow-up or interrupt it.
BUSY = -32042
# Too many documents, or too much text in them.
LIMIT_EXCEEDED = -32047


class RequestFailed(Exception):
    """The engine answered a request with an error."""

    def __init__(self, method: str, code: int, message: str, data: ErrorData | None) -> None:
        hint = data.get("hint") if data else None
        super().__init__(f"{method}: {message}" + (f"\n  {hint}" if hint else ""))
        self.code = code
        self.data = data


class Disconnected(Exception):
    """The engine is gone."""


class Turn(TypedDict):
    """The last turn of a session."""

    id: str
    # `running`, or the status with which it ended.
    status: str


def _no_usage() -> Usage:
    return {
        "inputTokens": 0,
        "outputTokens": 0,
        "cacheReadTokens": 0,
        "cacheWriteTokens": 0,
        "reasoningTokens": 0,
    }


class Session:
    """The state of a session, folded from its events. After a reconnection, `Client.open` sends it what it missed."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.seq = 0
        self.title: str | None = None
        self.model = ""
        self.permission_mode: str = ""
        self.mode: str = ""
        self.turn: Turn | None = None
        self.queue: list[QueuedInput] = []
        self.approvals: list[Approval] = []
        self.questions: list[Question] = []
        self.plan: Plan | None = None
        self.usage: Usage = _no_usage()
        self.cost_nano_usd: int | None = None
        self._items: dict[str, Item] = {}
        self._hidden: set[str] = set()

    @property
    def items(self) -> list[Item]:
        """The items on the current path, in the order in which they appeared."""
        return [item for key, item in self._items.items() if key not in self._hidden]

    def apply(self, record: AnyRecord) -> bool:
        """Folds an event into the state. Returns false for one of another session, or one that is known already."""
        if record["sessionId"] != self.id:
            return False
        if "after" in record:
            event = cast(TransientRecord, record)["event"]
            if event["type"] == "item.delta":
                self._grow(event)
            return True
        if record["seq"] <= self.seq:
            return False
        self.seq = record["seq"]
        self._fold(record["event"], record.get("turnId", ""))
        return True

    def _grow(self, delta: TransientEventItemDelta) -> None:
        item = cast("dict[str, Any] | None", self._items.get(delta["itemId"]))
        if item is not None and delta["field"] == "text" and "text" in item:
            # The first piece replaces: after a new subscription all of it comes again.
            before = "" if delta["n"] == 0 else item["text"]
            item["text"] = before + delta["text"]

    def _fold(self, event: Event, turn: str) -> None:
        if event["type"] == "session.created":
            self.model, self.permission_mode = event["model"], event["permissionMode"]
            self.mode, self.title = event.get("mode", "act"), event.get("title")
        elif event["type"] == "config.changed":
            self.model, self.permission_mode = event["model"], event["permissionMode"]
            self.mode = event.get("mode", "act")
        elif event["type"] == "session.updated":
            self.title = event.get("title")
            self._spend(event.get("usage"), event.get("costNanoUsd"))
        elif event["type"] == "input.accepted":
            self.queue.append(cast(QueuedInput, {k: v for k, v in event.items() if k != "type"}))
            self.queue.sort(key=lambda waiting: waiting["delivery"] == "followUp")
        elif event["type"] == "input.removed":
            gone = {removed["itemId"] for removed in event["inputs"]}
            self.queue = [waiting for waiting in self.queue if waiting["itemId"] not in gone]
        elif event["type"] == "queue.changed":
            self.queue = event["queue"]
        elif event["type"] == "turn.started":
            self.turn = {"id": turn, "status": "running"}
        elif event["type"] == "turn.completed":
            self.turn = {"id": turn, "status": event["status"]}
            self._spend(event["usage"], event.get("costNanoUsd"))
        elif event["type"] in ("item.started", "item.updated", "item.completed"):
            item = cast(EventItemStarted, event)["item"]
            self._items[item["id"]] = cast(Item, dict(item))
            self.queue = [waiting for waiting in self.queue if waiting["itemId"] != item["id"]]
        elif event["type"] == "approval.requested":
            self.approvals.append(cast(Approval, {k: v for k, v in event.items() if k != "type"}))
        elif event["type"] == "approval.resolved":
            answered = event["approvalId"]
            self.approvals = [one for one in self.approvals if one["approvalId"] != answered]
        elif event["type"] == "question.requested":
            self.questions.append(cast(Question, {k: v for k, v in event.items() if k != "type"}))
        elif event["type"] == "question.resolved":
            settled = event["questionId"]
            self.questions = [one for one in self.questions if one["questionId"] != settled]
        elif event["type"] == "plan.updated":
            plan = cast(Plan, {k: v for k, v in event.items() if k != "type"})
            self.plan = plan if plan.get("items") else None
        elif event["type"] == "history.rewound":
            self._hidden |= set(event.get("dropped", []))
            self._hidden -= set(event.get("restored", []))

    def _spend(self, usage: Usage | None, cost: int | None) -> None:
        counts = cast("dict[str, int]", self.usage)
        for key, count in cast("dict[str, int]", usage or {}).items():
            counts[key] = counts.get(key, 0) + count
        if cost is not None:
            self.cost_nano_usd = (self.cost_nano_usd or 0) + cost

    def snapshot(self) -> dict[str, Any]:
        """The state as JSON, as the fixtures of the conformance kit write it."""
        state: dict[str, Any] = {
            "seq": self.seq,
            "title": self.title,
            "model": self.model,
            "permissionMode": self.permission_mode,
            "mode": self.mode,
            "turn": self.turn,
            "items": self.items,
            "queue": self.queue,
            "approvals": self.approvals,
            "questions": self.questions,
            "plan": self.plan,
            "usage": self.usage,
            "costNanoUsd": self.cost_nano_usd,
        }
        return {key: value for key, value in state.items() if value is not None}


class Client:
    """A connection to an engine, over any two streams of bytes, one message a line."""

    def __init__(
        self,
        reader: IO[bytes],
        writer: IO[bytes],
        process: subprocess.Popen[bytes] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._process = process
        self._last_id = 0
        self._records: deque[AnyRecord] = deque()
        self._responses: dict[Any, dict[str, Any]] = {}
        self._handlers: dict[str, Callable[[Any], Any]] = {}

    @classmethod
    def spawn(cls, command: Sequence[str], cwd: str | None = None) -> Client:
        """Starts an engine."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(list(command), cwd=cwd, stdin=pipe, stdout=pipe)
        assert process.stdin and process.stdout
        return cls(process.stdout, process.stdin, process)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. An engine that this client started ends with it."""
        self._writer.close()
        if self._process:
            self._process.wait()
        self._reader.close()

    def initialize(
        self, name: str, version: str, capabilities: ClientCapabilities | None = None
    ) -> InitializeResult:
        """Opens the connection; it must be the first request."""
        return self.request(
            "initialize",
            {
                "protocol": {"name": "pintle", "versions": [PROTOCOL_VERSION]},
                "client": {"name": name, "version": version},
                "capabilities": capabilities or {},
            },
        )

    def create(self, params: SessionCreateParams | None = None) -> Session:
        """Creates a session."""
        return Session(self.request("session/create", params or {})["sessionId"])

    def open(self, session: Session | str) -> Session:
        """Opens a stored session. One that is known gets the events that it missed; they come in `records`."""
        if isinstance(session, str):
            session = Session(session)
        asked: SessionOpenParams = {"sessionId": session.id, "fromSeq": session.seq}
        earlier, self._records = self._records, deque()
        opened = self.request("session/open", asked)
        if opened.get("gap"):
            earlier.extend(self._pages(session.id, session.seq, opened["seq"]))
        self._records.extendleft(reversed(earlier))
        return session

    @overload
    def request(
        self, method: Literal["initialize"], params: "InitializeParams"
    ) -> "InitializeResult": ...

    @overload
    def request(
        self, method: Literal["ping"], params: "Empty" = ...
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["shutdown"], params: "Empty" = ...
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/create"], params: "SessionCreateParams" = ...
    ) -> "SessionResult": ...

    @overload
    def request(
        self, method: Literal["session/open"], params: "SessionOpenParams"
    ) -> "SessionResult": ...

    @overload
    def request(
        self, method: Literal["session/list"], params: "SessionListParams" = ...
    ) -> "SessionListResult": ...

    @overload
    def request(
        self, method: Literal["session/update"], params: "SessionUpdateParams" = ...
    ) -> "SessionUpdateResult": ...

    @overload
    def request(
        self, method: Literal["session/archive"], params: "SessionArchiveParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/search"], params: "SessionSearchParams" = ...
    ) -> "SessionSearchResult": ...

    @overload
    def request(
        self, method: Literal["session/export"], params: "SessionExportParams"
    ) -> "SessionExportResult": ...

    @overload
    def request(
        self, method: Literal["session/delete"], params: "SessionDeleteParams"
    ) -> "SessionDeleteResult": ...

    @overload
    def request(
        self, method: Literal["session/rewind"], params: "SessionRewindParams"
    ) -> "SessionRewindResult": ...

    @overload
    def request(
        self, method: Literal["session/fork"], params: "SessionForkParams"
    ) -> "SessionResult": ...

    @overload
    def request(
        self, method: Literal["session/merge"], params: "SessionMergeParams"
    ) -> "SessionMergeResult": ...

    @overload
    def request(
        self, method: Literal["session/label"], params: "SessionLabelParams"
    ) -> "SessionLabelResult": ...

    @overload
    def request(
        self, method: Literal["session/note"], params: "SessionNoteParams" = ...
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/tree"], params: "SessionParams" = ...
    ) -> "SessionTreeResult": ...

    @overload
    def request(
        self, method: Literal["session/outline"], params: "SessionOutlineParams" = ...
    ) -> "SessionOutlineResult": ...

    @overload
    def request(
        self, method: Literal["review/list"], params: "ReviewListParams" = ...
    ) -> "ReviewListResult": ...

    @overload
    def request(
        self, method: Literal["review/decide"], params: "ReviewDecideParams"
    ) -> "ReviewDecideResult": ...

    @overload
    def request(
        self, method: Literal["review/baseline"], params: "ReviewBaselineParams"
    ) -> "ReviewBaselineResult": ...

    @overload
    def request(
        self, method: Literal["review/patch"], params: "ReviewPatchParams" = ...
    ) -> "ReviewPatchResult": ...

    @overload
    def request(
        self, method: Literal["isolation/apply"], params: "IsolationApplyParams" = ...
    ) -> "IsolationApplyResult": ...

    @overload
    def request(
        self, method: Literal["isolation/discard"], params: "IsolationDiscardParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/close"], params: "SessionParams" = ...
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/subscribe"], params: "SessionSubscribeParams" = ...
    ) -> "SessionResult": ...

    @overload
    def request(
        self, method: Literal["session/unsubscribe"], params: "SessionParams" = ...
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/events"], params: "SessionEventsParams" = ...
    ) -> "SessionEventsResult": ...

    @overload
    def request(
        self, method: Literal["blob/read"], params: "BlobReadParams"
    ) -> "BlobReadResult": ...

    @overload
    def request(
        self, method: Literal["turn/start"], params: "TurnStartParams"
    ) -> "TurnStartResult": ...

    @overload
    def request(
        self, method: Literal["turn/steer"], params: "TurnSteerParams"
    ) -> "TurnSteerResult": ...

    @overload
    def request(
        self, method: Literal["turn/interrupt"], params: "TurnInterruptParams" = ...
    ) -> "TurnInterruptResult": ...

    @overload
    def request(
        self, method: Literal["session/compact"], params: "SessionCompactParams" = ...
    ) -> "SessionCompactResult": ...

    @overload
    def request(
        self, method: Literal["context/read"], params: "ContextReadParams" = ...
    ) -> "ContextReadResult": ...

    @overload
    def request(
        self, method: Literal["config/list"], params: "SessionParams" = ...
    ) -> "ConfigResult": ...

    @overload
    def request(
        self, method: Literal["config/set"], params: "ConfigSetParams"
    ) -> "ConfigResult": ...

    @overload
    def request(
        self, method: Literal["queue/list"], params: "SessionParams" = ...
    ) -> "QueueResult": ...

    @overload
    def request(
        self, method: Literal["queue/update"], params: "QueueUpdateParams"
    ) -> "QueueResult": ...

    @overload
    def request(
        self, method: Literal["queue/remove"], params: "QueueRemoveParams" = ...
    ) -> "QueueRemoveResult": ...

    @overload
    def request(
        self, method: Literal["approval/answer"], params: "ApprovalAnswerParams"
    ) -> "ApprovalOutcome": ...

    @overload
    def request(
        self, method: Literal["question/answer"], params: "QuestionAnswerParams"
    ) -> "QuestionOutcome": ...

    @overload
    def request(
        self, method: Literal["editor/diagnostics"], params: "EditorDiagnosticsParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["document/open"], params: "DocumentOpenParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["document/change"], params: "DocumentChangeParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["document/save"], params: "DocumentSaveParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["document/close"], params: "DocumentCloseParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["session/items"], params: "SessionItemsParams" = ...
    ) -> "SessionItemsResult": ...

    @overload
    def request(
        self, method: Literal["item/read"], params: "ItemReadParams"
    ) -> "ItemAt": ...

    @overload
    def request(
        self, method: Literal["item/cancel"], params: "ItemCancelParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["checkpoint/list"], params: "CheckpointListParams" = ...
    ) -> "CheckpointListResult": ...

    @overload
    def request(
        self, method: Literal["checkpoint/diff"], params: "CheckpointDiffParams"
    ) -> "CheckpointDiffResult": ...

    @overload
    def request(
        self, method: Literal["shell/run"], params: "ShellRunParams"
    ) -> "ShellRunResult": ...

    @overload
    def request(
        self, method: Literal["shell/write"], params: "ShellWriteParams"
    ) -> "ShellWriteResult": ...

    @overload
    def request(
        self, method: Literal["shell/screen"], params: "ShellScreenParams"
    ) -> "ShellScreenResult": ...

    @overload
    def request(
        self, method: Literal["usage/read"], params: "SessionParams" = ...
    ) -> "UsageReadResult": ...

    @overload
    def request(
        self, method: Literal["job/list"], params: "SessionParams" = ...
    ) -> "JobListResult": ...

    @overload
    def request(
        self, method: Literal["job/stop"], params: "JobStopParams"
    ) -> "JobStopResult": ...

    @overload
    def request(
        self, method: Literal["mcp/list"], params: "SessionParams" = ...
    ) -> "McpListResult": ...

    @overload
    def request(
        self, method: Literal["mcp/update"], params: "McpUpdateParams"
    ) -> "McpListResult": ...

    @overload
    def request(
        self, method: Literal["mcp/login"], params: "McpLoginParams"
    ) -> "McpListResult": ...

    @overload
    def request(
        self, method: Literal["mcp/logout"], params: "McpLogoutParams"
    ) -> "McpLogoutResult": ...

    @overload
    def request(
        self, method: Literal["models/list"], params: "Empty" = ...
    ) -> "ModelsListResult": ...

    @overload
    def request(
        self, method: Literal["auth/status"], params: "Empty" = ...
    ) -> "AuthStatusResult": ...

    @overload
    def request(
        self, method: Literal["auth/login"], params: "AuthLoginParams"
    ) -> "AuthLoginResult": ...

    @overload
    def request(
        self, method: Literal["auth/logout"], params: "AuthLogoutParams"
    ) -> "AuthLogoutResult": ...

    @overload
    def request(
        self, method: Literal["trust/read"], params: "SessionParams" = ...
    ) -> "TrustResult": ...

    @overload
    def request(
        self, method: Literal["trust/agree"], params: "TrustAgreeParams"
    ) -> "TrustResult": ...

    @overload
    def request(
        self, method: Literal["permission/list"], params: "SessionParams" = ...
    ) -> "PermissionListResult": ...

    @overload
    def request(
        self, method: Literal["permission/remove"], params: "PermissionRemoveParams"
    ) -> "PermissionListResult": ...

    @overload
    def request(
        self, method: Literal["prompt/list"], params: "SessionParams" = ...
    ) -> "PromptListResult": ...

    @overload
    def request(
        self, method: Literal["skill/list"], params: "SessionParams" = ...
    ) -> "SkillListResult": ...

    @overload
    def request(
        self, method: Literal["hook/register"], params: "HookRegisterParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["tool/register"], params: "ToolRegisterParams"
    ) -> "Empty": ...

    @overload
    def request(
        self, method: Literal["tool/unregister"], params: "ToolUnregisterParams"
    ) -> "Empty": ...

    def request(self, method: Any, params: Any = None) -> Any:
        """Sends a request and returns its result."""
        number = self.send(method, params)
        while number not in self._responses:
            self._read()
        response = self._responses.pop(number)
        if "error" in response:
            error = response["error"]
            raise RequestFailed(method, error["code"], error["message"], error.get("data"))
        return response["result"]

    def send(self, method: ClientRequest, params: Any = None) -> int:
        """Sends a request whose response is not awaited, and returns its id."""
        self._last_id += 1
        self._write({"id": self._last_id, "method": method, "params": params or {}})
        return self._last_id

    def notify(self, method: Literal["exit", "$/cancelRequest"], params: Any = None) -> None:
        """Sends a notification."""
        self._write({"method": method, "params": params or {}})

    def on(self, method: EngineRequest, handler: Callable[[Any], Any]) -> None:
        """Answers a request of the engine with what the handler returns."""
        self._handlers[method] = handler

    def records(self) -> Iterator[AnyRecord]:
        """The events of all sessions, until the connection ends."""
        while True:
            while self._records:
                yield self._records.popleft()
            try:
                self._read()
            except Disconnected:
                return

    def _write(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._writer.flush()

    def _read(self) -> None:
        line = self._reader.readline()
        if not line:
            raise Disconnected("the engine has closed the connection")
        message = json.loads(line)
        method = message.get("method")
        if method is None:
            self._responses[message["id"]] = message
        elif method == "session/event":
            self._records.append(message["params"])
        elif method == "session/eventsMissed":
            self._read_missed(message["params"])
        elif "id" in message:
            self._answer(message)

    def _read_missed(self, lagged: SessionEventsMissedParams) -> None:
        # What comes while the missed events are read is later than they are.
        earlier, self._records = self._records, deque()
        earlier.extend(self._pages(lagged["sessionId"], lagged["lastSentSeq"], lagged["headSeq"]))
        self._records.extendleft(reversed(earlier))

    def _pages(self, session: str, after: int, head: int) -> Iterator[EventRecord]:
        """Reads the events between two numbers."""
        while after < head:
            asked: SessionEventsParams = {"sessionId": session, "after": after}
            events = self.request("session/events", asked)["events"]
            if not events:
                return
            yield from (event for event in events if event["seq"] <= head)
            after = events[-1]["seq"]

    def _answer(self, message: dict[str, Any]) -> None:
        handler = self._handlers.get(message["method"])
        if handler is None:
            error = {"code": METHOD_NOT_FOUND, "message": f"no handler for {message['method']}"}
            self._write({"id": message["id"], "error": error})
            return
        self._write({"id": message["id"], "result": handler(message["params"])})
