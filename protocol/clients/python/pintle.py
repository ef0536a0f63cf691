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

PROTOCOL_VERSION = "1.1"

class _InitializeParams(TypedDict):
    # The protocol and the versions that the client supports.
    protocol: "ProtocolOffer"


class InitializeParams(_InitializeParams, total=False):
    """The params of `initialize`."""

    # The client.
    client: "PeerInfo"
    # The client's capabilities.
    capabilities: "ClientCapabilities"


class ProtocolOffer(TypedDict):
    """The protocol versions that a client supports."""

    # Always `pintle`.
    name: str
    # Versions, such as `1.0`; the engine takes the newest whose major part it supports.
    versions: list[str]


class _PeerInfo(TypedDict):
    # The name.
    name: str


class PeerInfo(_PeerInfo, total=False):
    """A program and its version."""

    # The version.
    version: str
    # Of a client: its id, at most 200 characters, which tells it from others of the same name. Events that its requests cause carry it as `cause.clientId`; default: its name.
    id: str


class ClientCapabilities(TypedDict, total=False):
    """The capabilities of a client."""

    # The client answers `approval/request`. Otherwise calls that would ask are denied, and the model is told.
    approvals: "Supported"
    # The client answers `question/request`. Otherwise the model is told that nobody can answer.
    questions: "Supported"
    # The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed.
    applyEdit: "Supported"
    # The deltas that the client wants. Otherwise it receives all of them, each at once.
    deltas: "DeltaCapability"


class Supported(TypedDict, total=False):
    """A capability with nothing to configure: `{}`."""



class DeltaCapability(TypedDict, total=False):
    """The deltas that a client wants in all of its subscriptions."""

    # The fields whose deltas are sent; none if it is empty. Default: all of them.
    types: list["DeltaField"]
    # The `maxLatencyMs` of subscriptions that name none.
    coalesceMs: int


# The fields that stream.
DeltaField: TypeAlias = Union[Literal["text"], Literal["args"], Literal["input"], Literal["output"]]

class InitializeResult(TypedDict):
    """The result of `initialize`."""

    # The protocol version of this connection.
    protocol: "ProtocolChoice"
    # The engine.
    engine: "EngineInfo"
    # The engine's capabilities.
    capabilities: "EngineCapabilities"
    # Limits of this connection.
    limits: "Limits"


class ProtocolChoice(TypedDict):
    """The protocol version of a connection."""

    # Always `pintle`.
    name: str
    # The version.
    version: str


class EngineInfo(TypedDict):
    """The engine's name, version and schema."""

    # Always `pintle`.
    name: str
    # The program's version.
    version: str
    # A hash that changes whenever the protocol's schema does.
    schemaHash: str


class EngineCapabilities(TypedDict, total=False):
    """The capabilities of this engine."""

    # Running turns can be steered.
    steer: "Supported"
    # Follow-ups wait in a queue.
    queue: "Supported"
    # Durable events can be read again from any `seq`.
    replay: "Supported"
    # Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`.
    filters: "Supported"
    # Documents that an editor has open are read and changed through the editor. Absent where files are on another machine.
    documents: "Supported"
    # Sessions can be rewound, forked and merged: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
    history: "Supported"
    # Changes of the agent can be reviewed hunk by hunk: `review/…`.
    review: "Supported"
    # Stored sessions can be searched, read, exported and deleted: `session/search` and related methods.
    search: "Supported"


class Limits(TypedDict):
    """Limits of a connection."""

    # The maximum size of a message, in bytes.
    maxMessageBytes: int
    # The maximum number of unanswered requests.
    maxInFlight: int


class Empty(TypedDict, total=False):
    """An empty object, `{}`."""



class CancelParams(TypedDict):
    """The request to withdraw."""

    # The id of the request: a number or a string.
    id: Any


class SessionCreateParams(TypedDict, total=False):
    """The params of `session/create`."""

    # The working directory, absolute; default: the directory in which the engine was started.
    cwd: str
    # The session's title.
    title: str
    # The settings.
    config: "SessionConfig"
    # Subscribe this connection; default true.
    subscribe: bool
    # The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key opens the session that the first one made, for a month and also after the engine was restarted.
    key: str


class SessionConfig(TypedDict, total=False):
    """The settings of a session. Those left out come from the user's settings."""

    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The permission mode.
    permissionMode: "PermissionMode"
    # Instructions for this session alone, appended to the system prompt; only when the session is created.
    systemPrompt: str
    # The tools that the model sees, by name, with `*` for any text; only when the session is created. A name stands for every tool with the same purpose, so `bash` includes `shell`. Tools of clients are not limited by it. Default: all of them.
    tools: list[str]
    # The work mode.
    mode: "WorkMode"
    # Further directories that belong to the work, absolute: changes there need the same permission as in the working directory, and changes that commands make there are tracked. The session does not keep them: pass them again when you open it. Absent: unchanged.
    additionalDirectories: list[str]
    # Servers of the Model Context Protocol for this session, by name, beside those of the user's settings; one of the same name is used in place of theirs. The session does not keep them: pass them again when you open it. Absent: unchanged.
    mcpServers: dict[str, "McpServer"]


# The permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest.
PermissionMode: TypeAlias = Union[Literal["readOnly"], Literal["ask"], Literal["autoEdit"], Literal["full"]]

# The work mode: act or plan only.
WorkMode: TypeAlias = Union[Literal["act"], Literal["plan"]]

class McpServer(TypedDict, total=False):
    """A server of the Model Context Protocol, for one session: a program that speaks on its streams (`command`), or an address (`url`). Its values stand for themselves: nothing in them is expanded."""

    # The program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory.
    command: str
    # Its arguments.
    args: list[str]
    # The variables that it is given.
    env: dict[str, str]
    # Its working directory, where it is not the session's.
    cwd: str
    # The address of a server that speaks streamable HTTP.
    url: str
    # The headers of each request to it.
    headers: dict[str, str]


class _SessionResult(TypedDict):
    # The session.
    sessionId: "SessionId"
    # The number of its last durable event.
    seq: int
    # The working directory.
    cwd: str
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The permission mode.
    permissionMode: "PermissionMode"
    # The current state.
    state: "SessionState"


class SessionResult(_SessionResult, total=False):
    """A snapshot of a session at `seq`. Every later event is sent if the connection is subscribed."""

    # The title.
    title: str
    # The sandbox for its commands; absent where there is none, such as on another machine. In the mode `full`, commands run outside of it, unless it is required.
    sandbox: "SandboxState"
    # The work mode.
    mode: "WorkMode"
    # The running turn.
    activeTurnId: "TurnId"
    # The queued messages. Those that an engine accepted and did not live to have read wait here too: they begin no turn by themselves, and are read with the next prompt, before it.
    queue: list["QueuedInput"]
    # The pending approvals.
    approvals: list["Approval"]
    # The open questions to a person.
    questions: list["Question"]
    # The model's plan.
    plan: "Plan"
    # The usage of all its turns, including sub-agents.
    usage: "Usage"
    # The cost of that usage, in billionths of a US dollar; absent where no price is known.
    costNanoUsd: int
    # The estimated fill level of the model's context window.
    context: "ContextUsage"
    # There are too many events after `fromSeq` to send at once: read them with `session/events`.
    gap: bool


# The id of a session: a UUIDv7, so ids sort by creation time.
SessionId: TypeAlias = str

class _SandboxState(TypedDict):
    # The grade that this machine enforces.
    grade: "SandboxGrade"
    # The same in words: `full: Landlock 7, seccomp, namespaces`.
    level: str


class SandboxState(_SandboxState, total=False):
    """The sandbox that confines commands which run unasked."""

    # The parts of the confinement that this machine does not enforce, in words.
    gaps: list[str]
    # Every command runs in it or not at all, in each permission mode.
    required: bool


# The grade to which a sandbox is enforced.
SandboxGrade: TypeAlias = Union[Literal["none"], Literal["partial"], Literal["full"]]

class _SessionState(TypedDict):
    # The state.
    value: "StateValue"


class SessionState(_SessionState, total=False):
    """The current state of a session. A reader never takes an unknown value for idle."""

    # The ids of the approvals and questions that it waits for, when it is blocked.
    blockedOn: list[str]
    # The items of background jobs that run, also while the session is idle.
    background: list["ItemId"]


# The state of a session.
StateValue: TypeAlias = Union[Literal["idle"], Literal["running"], Literal["blocked"], Literal["retrying"], Literal["compacting"]]

# The id of an item: a message, a tool call or another thing that a client can draw.
ItemId: TypeAlias = str

# The id of a turn, unique over all sessions.
TurnId: TypeAlias = str

class _QueuedInput(TypedDict):
    # The id that the `userMessage` item will have.
    itemId: "ItemId"
    # The turn it belongs to: the running turn for a steer, a turn of its own for a prompt or a follow-up.
    turnId: "TurnId"
    # The way it is delivered.
    delivery: "Delivery"
    # The blocks, as sent.
    content: list["Input"]


class QueuedInput(_QueuedInput, total=False):
    """A person's message that is accepted and not yet read by the model."""

    # The budget of the turn that it starts.
    limits: "TurnLimits"
    # The JSON Schema that the final message of the turn that it starts must satisfy.
    outputSchema: Any


# The way in which a person's message reaches the model.
Delivery: TypeAlias = Union[Literal["prompt"], Literal["steer"], Literal["followUp"]]

class InputText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class _InputFile(TypedDict):
    type: Literal["file"]
    # The path, absolute or relative to the working directory.
    path: str


class InputFile(_InputFile, total=False):
    # The lines; absent for the whole file.
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


# One block of a prompt, a steer or a follow-up.
Input: TypeAlias = Union["InputText", "InputFile", "InputSelection", "InputDiagnostics", "InputImage"]

class LineRange(TypedDict):
    """A range of lines in a file, counted from 1, both ends included."""

    # The first line.
    start: int
    # The last line.
    end: int


class _Diagnostic(TypedDict):
    # The line, 1-based.
    line: int
    # The severity.
    severity: "Severity"
    # The message.
    message: str


class Diagnostic(_Diagnostic, total=False):
    """A problem in a file."""

    # The tool that reported it, such as `rustc`.
    source: str


# The severity of a diagnostic.
Severity: TypeAlias = Union[Literal["error"], Literal["warning"], Literal["information"], Literal["hint"]]

class TurnLimits(TypedDict, total=False):
    """The budget of a turn. Reaching a limit ends the turn in order, with the stop reason `limit` and a notice. The user's settings may be stricter."""

    # The maximum number of model replies.
    steps: int
    # The maximum number of tool calls, checked between replies; those of sub-agents are not counted.
    toolCalls: int
    # The maximum number of tokens, input and output together.
    tokens: int
    # The maximum cost, in billionths of a US dollar; never reached where no price is known.
    costNanoUsd: int
    # The maximum duration in milliseconds, checked between replies.
    durationMs: int


class _Approval(TypedDict):
    # The approval's id.
    approvalId: "ApprovalId"
    # The session it belongs to.
    sessionId: "SessionId"
    # The turn that waits.
    turnId: "TurnId"
    # The tool call that waits.
    itemId: "ItemId"
    # The tool's name.
    toolName: str
    # The kind of tool.
    kind: "ToolKind"
    # One line for a person: `bash: rm -r build`.
    title: str
    # The reason why permission is needed, in a sentence.
    reason: str
    # The tool's arguments, whole: the command, or the text to write.
    input: Any
    # The options to choose from.
    options: list["ApprovalOption"]


class Approval(_Approval, total=False):
    """A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`."""

    # The files concerned.
    locations: list["Location"]
    # The rule or default that asks, in words.
    decidedBy: str
    # All that is asked about, whole, for a person to read: the command, the paths, the content. A client shows every part, or denies the call.
    details: list["ApprovalDetail"]
    # The changes of files that the call would make, computed from the files as they are now. Left out where a call changes no file, and where its changes are not known beforehand.
    changes: list["FileChange"]
    # The deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.
    deadlineMs: int


# The id of an approval, pending until it is answered or cancelled.
ApprovalId: TypeAlias = str

# The kind of a tool call; the names are those of the Agent Client Protocol.
ToolKind: TypeAlias = Union[Literal["read"], Literal["edit"], Literal["delete"], Literal["move"], Literal["search"], Literal["execute"], Literal["fetch"], Literal["think"], Literal["other"]]

class _Location(TypedDict):
    # The absolute path.
    path: str


class Location(_Location, total=False):
    """A position in a file."""

    # The line, 1-based.
    line: int


class ApprovalDetail(TypedDict):
    """A part of a call that a person is asked about. Control characters, and characters that are invisible or change the direction of text, are drawn as signs."""

    # The kind of text.
    kind: "DetailKind"
    # The text, whole, with its line ends.
    text: str


# The kind of a text that a person is asked about.
DetailKind: TypeAlias = Union[Literal["command"], Literal["path"], Literal["content"], Literal["diff"], Literal["address"], Literal["arguments"], Literal["modelText"]]

class _FileChange(TypedDict):
    # The operation.
    op: "FileOp"
    # The file's absolute path (the new one after a move).
    path: str
    # The change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
    diff: str
    # The number of lines added.
    added: int
    # The number of lines removed.
    removed: int


class FileChange(_FileChange, total=False):
    """The change of one file."""

    # The path before a move.
    oldPath: str
    # The first line that differs, 1-based, counted in the new text: the line to which an editor jumps.
    firstChangedLine: int
    # The parts that differ within changed lines, for highlighting words; at most 1,000.
    words: list["WordSpan"]


# The kind of a file change.
FileOp: TypeAlias = Union[Literal["add"], Literal["modify"], Literal["delete"], Literal["move"]]

class WordSpan(TypedDict):
    """A part of a line that differs from its counterpart."""

    # The text it belongs to.
    side: "Side"
    # The line in that text, 1-based.
    line: int
    # Its first byte in the line as UTF-8, from 0.
    start: int
    # The byte after it.
    end: int


# One of the two texts of a change.
Side: TypeAlias = Union[Literal["old"], Literal["new"]]

class _ApprovalOption(TypedDict):
    # The id to send back.
    optionId: str
    # The label to show.
    label: str
    # The decision that it stands for.
    decision: "Decision"
    # The scope in which the decision holds.
    scope: "Scope"


class ApprovalOption(_ApprovalOption, total=False):
    """An option that a person can choose."""

    # The rules that the option adds, in words.
    rules: list[str]


# A decision about a tool call. A reader never takes an unknown value as permission.
Decision: TypeAlias = Union[Literal["allow"], Literal["deny"], Literal["abort"]]

# The scope of a decision.
Scope: TypeAlias = Union[Literal["once"], Literal["turn"], Literal["session"], Literal["project"], Literal["user"]]

class _Question(TypedDict):
    # The question's id.
    questionId: "QuestionId"
    # The session it belongs to.
    sessionId: "SessionId"
    # The turn that waits.
    turnId: "TurnId"
    # The tool call that waits.
    itemId: "ItemId"
    # The kind of question.
    kind: "QuestionKind"
    # The question.
    text: str
    # The deadline after which the default answer applies, in milliseconds since 1970.
    deadlineMs: int


class Question(_Question, total=False):
    """A question to a person. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, whatever the options."""

    # The plan to be accepted, as Markdown; only with the kind `plan`.
    plan: str
    # The options to choose from; without any, the answer is a text.
    options: list["QuestionOption"]
    # Several options may be chosen.
    multiple: bool


# The id of a question to a person, pending until it is answered or its deadline passes.
QuestionId: TypeAlias = str

# The kind of a question. A reader treats an unknown kind as `choice`.
QuestionKind: TypeAlias = Union[Literal["choice"], Literal["plan"]]

class QuestionOption(TypedDict):
    """An option that a person can choose."""

    # The id to send back.
    optionId: str
    # The label to show.
    label: str


class Plan(TypedDict):
    """The model's plan. Each plan replaces the one before."""

    # The steps of the plan, in order.
    items: list["PlanItem"]


class PlanItem(TypedDict):
    """One step of a plan."""

    # The description of the step.
    content: str
    # The status.
    status: "PlanStatus"


# The status of a step.
PlanStatus: TypeAlias = Union[Literal["pending"], Literal["in_progress"], Literal["completed"]]

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
    # The part of the output tokens spent on reasoning, where the provider reports it.
    reasoningTokens: int
    # The searches of the web that the provider ran, which it charges for beside the tokens.
    webSearches: int


class _ContextUsage(TypedDict):
    # The estimated tokens of the next request.
    tokens: int


class ContextUsage(_ContextUsage, total=False):
    """The fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of what was added since."""

    # The size of the context window; absent where it is not known.
    window: int


class _SessionOpenParams(TypedDict):
    # The session.
    sessionId: "SessionId"


class SessionOpenParams(_SessionOpenParams, total=False):
    """The params of `session/open`."""

    # Subscribe this connection; default true.
    subscribe: bool
    # Send the events after this number first.
    fromSeq: int
    # Send this many of the last events first, if `fromSeq` is left out.
    tail: int
    # Another working directory from now on, absolute: for a session whose folder was moved or deleted. Refused with `conflict` while the session is open elsewhere in another folder.
    cwd: str
    # The settings from now on.
    config: "SessionConfig"
    # The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int


class SessionListParams(TypedDict, total=False):
    """The params of `session/list`."""

    # Only sessions with this working directory.
    cwd: str
    # Include the sessions of sub-agents; default false.
    subagents: bool
    # Only sessions with this text in their title or working directory, ignoring case.
    query: str
    # The `nextCursor` of the page before.
    cursor: str
    # Only archived sessions; default false: only the others.
    archived: bool
    # The maximum number of sessions, 1 to 1000; default 50.
    limit: int


class _SessionListResult(TypedDict):
    # The sessions, newest first.
    sessions: list["SessionSummary"]


class SessionListResult(_SessionListResult, total=False):
    """A page of sessions."""

    # The cursor of the next page; absent on the last one.
    nextCursor: str


class _SessionSummary(TypedDict):
    # The session.
    sessionId: "SessionId"
    # The working directory.
    cwd: str
    # The creation time, in milliseconds since 1970.
    createdMs: int
    # The time of the last write to its journal, in milliseconds since 1970.
    updatedMs: int
    # The folder that holds its journal.
    path: str


class SessionSummary(_SessionSummary, total=False):
    """A stored session, as shown in lists."""

    # The title that it was given, or the beginning of its first prompt.
    title: str
    # The parent, if the session is a sub-agent.
    parent: "Parent"
    # It is archived.
    archived: bool


class Parent(TypedDict):
    """The parent of a sub-agent's session."""

    # The parent's session.
    sessionId: "SessionId"
    # The sub-agent's id in the parent's session.
    agentId: "AgentId"


# The id of a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it.
AgentId: TypeAlias = str

class SessionUpdateParams(TypedDict, total=False):
    """The params of `session/update`; fields left out do not change."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again.
    title: Union[str, None]


class SessionUpdateResult(TypedDict, total=False):
    """The result of `session/update`."""

    # The title; absent when there is none.
    title: str


class _SessionArchiveParams(TypedDict):
    # The session, open or not.
    sessionId: "SessionId"


class SessionArchiveParams(_SessionArchiveParams, total=False):
    """The params of `session/archive`."""

    # False takes it back into the lists; default true.
    archived: bool


class SessionSearchParams(TypedDict, total=False):
    """The params of `session/search`."""

    # Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the filters.
    query: str
    # Only in sessions with this working directory.
    cwd: str
    # Only in this session.
    sessionId: "SessionId"
    # Only after this event of that session, such as an anchor.
    afterSeq: int
    # Only before this event of that session.
    beforeSeq: int
    # Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search that names one of these two reads journals, so it takes longer, and its hits are not ranked: the newest session comes first.
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
    # The maximum number of hits, 1 to 200; default 20.
    limit: int


# The kind of a searchable entry.
EntryKind: TypeAlias = Union[Literal["userMessage"], Literal["agentMessage"], Literal["toolCall"], Literal["toolOutput"], Literal["reasoning"]]

# The role of a searchable entry.
EntryRole: TypeAlias = Union[Literal["user"], Literal["assistant"], Literal["tool"]]

class _SessionSearchResult(TypedDict):
    # The hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked.
    hits: list["SearchHit"]


class SessionSearchResult(_SessionSearchResult, total=False):
    """The result of `session/search`."""

    # The cursor of the next page; absent on the last one.
    nextCursor: str
    # The number of sessions whose text is not indexed yet; indexing continues, so search again.
    behind: int


class _SearchHit(TypedDict):
    # The session.
    sessionId: "SessionId"
    # The number of its event, around which `session/events` reads.
    seq: int
    # The time, in milliseconds since 1970.
    tsMs: int
    # The kind of entry.
    kind: "EntryKind"
    # The role.
    role: "EntryRole"
    # The session's working directory.
    cwd: str
    # The text around the first match, in pieces, without line ends.
    snippet: list["SnippetPiece"]


class SearchHit(_SearchHit, total=False):
    """An entry that matches."""

    # The item.
    itemId: "ItemId"
    # The session's title, as in lists.
    title: str


class _SnippetPiece(TypedDict):
    # The text.
    text: str


class SnippetPiece(_SnippetPiece, total=False):
    """A piece of a snippet."""

    # It matches the query.
    match: bool


class _SessionExportParams(TypedDict):
    # The format.
    format: "ExportFormat"


class SessionExportParams(_SessionExportParams, total=False):
    """The params of `session/export`."""

    # The session, open or not; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The file to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text.
    path: str
    # Overwrite an existing file.
    overwrite: bool


# The format of an export.
ExportFormat: TypeAlias = Union[Literal["html"], Literal["md"], Literal["json"], Literal["pi"]]

class _SessionExportResult(TypedDict):
    # The size of the text in bytes.
    bytes: int


class SessionExportResult(_SessionExportResult, total=False):
    """The exported session."""

    # The text; absent where a file was written.
    text: str
    # The path of the written file, absolute.
    path: str


class SessionDeleteParams(TypedDict):
    """The params of `session/delete`."""

    # The session. It must be named, and must not be open anywhere.
    sessionId: "SessionId"


class SessionDeleteResult(TypedDict):
    """The result of `session/delete`."""

    # The deleted sessions: the sub-agents' first, then the one that was named.
    deleted: list["SessionId"]


class _SessionRewindParams(TypedDict):
    # The point to return to.
    to: "HistoryPoint"


class SessionRewindParams(_SessionRewindParams, total=False):
    """The params of `session/rewind`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The scope: the conversation, the files, or both.
    scope: "RewindScope"
    # Files to restore although somebody else has changed them, by their absolute paths.
    overwrite: list[str]
    # Have the model summarize the part of the history that it loses, and keep the summary in its context. This takes a turn of its own, whose reply is nothing but the summary.
    summarize: bool
    # Only report the effect, without changing anything.
    dryRun: bool


class HistoryPoint(TypedDict, total=False):
    """A point in a session's history: exactly one of its fields is set."""

    # Before this message of a person.
    itemId: "ItemId"
    # After the end of this turn.
    turnId: "TurnId"
    # After the event with this number, which may lie beside the current path; 0 is the beginning.
    seq: int


# The scope of a rewind.
RewindScope: TypeAlias = Union[Literal["conversation"], Literal["files"], Literal["both"]]

class _SessionRewindResult(TypedDict):
    # The event after which the session continues.
    toSeq: int
    # The last event before the rewind: rewinding to it undoes this rewind.
    fromSeq: int
    # Items that leave the model's context.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]


class SessionRewindResult(_SessionRewindResult, total=False):
    """The effect of a rewind."""

    # The message before which the session was rewound, to be edited and sent again.
    input: list["Input"]
    # The turn that writes the summary, if one was requested and there is something to summarize.
    summaryTurnId: "TurnId"
    # The effect on the files that were changed since; empty when only the conversation is rewound.
    files: list["FileFate"]


class FileFate(TypedDict):
    """The effect of a rewind on one file."""

    # The path, absolute.
    path: str
    # The author of the later changes.
    owner: "FileOwner"
    # The action.
    action: "FileAction"


# The author of a file's changes since the target of a rewind.
FileOwner: TypeAlias = Union[Literal["agent"], Literal["other"], Literal["conflict"]]

# The action of a rewind on a file.
FileAction: TypeAlias = Union[Literal["restore"], Literal["remove"], Literal["leave"], Literal["lost"], Literal["failed"]]

class _SessionForkParams(TypedDict):
    # The session to fork; it does not change, and need not be open.
    sessionId: "SessionId"


class SessionForkParams(_SessionForkParams, total=False):
    """The params of `session/fork`."""

    # The point up to which its history is copied; all of it by default.
    at: "HistoryPoint"
    # The title of the new session.
    title: str
    # The working directory of the new session, absolute; that of the other one by default.
    cwd: str
    # The settings of the new session; those left out are copied.
    config: "SessionConfig"
    # Subscribe this connection to the new session; default true.
    subscribe: bool
    # The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key opens the session that the first one made, for a month and also after the engine was restarted.
    key: str


class _SessionMergeParams(TypedDict):
    # The fork, made of that session by `session/fork`; it does not change, and need not be open.
    forkId: "SessionId"


class SessionMergeParams(_SessionMergeParams, total=False):
    """The params of `session/merge`. (Experimental.)"""

    # The session that receives the events; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class SessionMergeResult(TypedDict):
    """The effect of a merge. The copied events follow as `session/event`, after a `history.rewound`. (Experimental.)"""

    # The event after which the copied events are inserted.
    toSeq: int
    # The last event before the merge: rewinding to it undoes the merge.
    fromSeq: int
    # The number of the last copied event, at which the session now stands.
    copiedSeq: int
    # Items that leave the model's context.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]
    # Items copied from the fork.
    added: list["ItemId"]


class _SessionLabelParams(TypedDict):
    # The point.
    at: "HistoryPoint"


class SessionLabelParams(_SessionLabelParams, total=False):
    """The params of `session/label`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The label, at most 200 characters; absent to remove it.
    label: str
    # Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it.
    metadata: Any


class SessionLabelResult(TypedDict):
    """The point whose label changed."""

    # The event of the point.
    seq: int


class SessionNoteParams(TypedDict, total=False):
    """The params of `session/note`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The text, at most 64 KB. May be empty if there is data and the model does not read the note.
    text: str
    # The client's name for this kind of note, at most 64 characters.
    kind: str
    # Any data, at most 64 KB of JSON. The model does not read it.
    data: Any
    # The model reads the text at its next turn; default false.
    toModel: bool
    # Clients do not show it to people; default false.
    hidden: bool
    # A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more.
    key: str


class SessionParams(TypedDict, total=False):
    """The params of a request about one session."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class SessionTreeResult(TypedDict):
    """The history tree of a session."""

    # Messages of people and labelled points, oldest first.
    nodes: list["HistoryNode"]
    # The last event.
    leafSeq: int


class _HistoryNode(TypedDict):
    # The event.
    seq: int
    # The beginning of the message.
    text: str
    # The time, in milliseconds since 1970.
    tsMs: int
    # It lies on the current path.
    isCurrent: bool


class HistoryNode(_HistoryNode, total=False):
    """A node of the history tree."""

    # The event of the parent node; absent for the first.
    parentSeq: int
    # The message's item, if the node is a message.
    itemId: "ItemId"
    # The turn.
    turnId: "TurnId"
    # The label.
    label: str


class SessionAnchorsParams(TypedDict, total=False):
    """The params of `session/anchors`. (Experimental.)"""

    # The session, open or not; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class SessionAnchorsResult(TypedDict):
    """The anchors, between which a session's items can be listed and searched. (Experimental.)"""

    # The anchors, in the order of their events.
    anchors: list["Anchor"]


class _Anchor(TypedDict):
    # The event.
    seq: int
    # The kind.
    kind: "AnchorKind"
    # The time, in milliseconds since 1970.
    tsMs: int
    # It lies on the current path.
    isCurrent: bool


Anchor = TypedDict("Anchor", {"text": str, "metadata": Any, "from": "SessionId"})

# The kind of an anchor. (Experimental.)
AnchorKind: TypeAlias = Union[Literal["start"], Literal["copied"], Literal["compaction"], Literal["handOver"], Literal["label"]]

class ReviewListParams(TypedDict, total=False):
    """The params of `review/list`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Only hunks of this file, by its absolute path.
    path: str
    # Only hunks that this turn made or changed.
    turnId: "TurnId"
    # Include closed hunks.
    closed: bool


class ReviewListResult(TypedDict):
    """The hunks by path and line, followed by closed ones, oldest first."""

    # The hunks.
    hunks: list["Hunk"]
    # The last event that the list takes into account.
    seq: int


class _Hunk(TypedDict):
    # The hunk's id, stable while the file changes elsewhere and never reused.
    id: "HunkId"
    # The file's absolute path.
    path: str
    # The kind: lines, or the file as a whole.
    kind: "HunkKind"
    # The state.
    state: "HunkState"
    # The lines in the baseline.
    before: "LineSpan"
    # The lines in the present file.
    after: "LineSpan"
    # The text of those lines in the baseline, with line ends; empty where the file is not text.
    oldText: str
    # The text of those lines in the present file.
    newText: str
    # The last event that changed its text. A decision that names an older one is refused.
    changedSeq: int
    # The calls that made or changed it, in order.
    madeBy: list["Maker"]


class Hunk(_Hunk, total=False):
    """A run of changed lines: its text in the baseline (at the last accepted point) and its text now."""

    # Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be a person's work, undoing a turn or everything skips it; undo the hunk or its file instead.
    cause: str
    # The comments on it.
    comments: list["Comment"]
    # The verdict that closed it.
    verdict: int
    # The number of a queued verdict about it.
    waiting: int
    # The hunk that absorbed it.
    absorbedBy: "HunkId"
    # The hunk that it was split from, when a decision covered only some of its lines.
    partOf: "HunkId"


# The id of a hunk within its session: the number of the event that made it, a dot, and a count.
HunkId: TypeAlias = str

# The kind of a hunk.
HunkKind: TypeAlias = Union[Literal["lines"], Literal["file"], Literal["mode"]]

# The state of a hunk.
HunkState: TypeAlias = Union[Literal["pending"], Literal["modified"], Literal["conflict"], Literal["kept"], Literal["undone"], Literal["absorbed"], Literal["gone"]]

class LineSpan(TypedDict):
    """A span of lines in a text."""

    # The first line, from 1. For an empty span: the line before which it lies.
    start: int
    # The number of lines.
    count: int


class _Maker(TypedDict):
    # The turn.
    turnId: "TurnId"
    # The tool call.
    itemId: "ItemId"


class Maker(_Maker, total=False):
    """A call that made or changed a hunk."""

    # Set if the call may not have made the change: the command that ran while the file changed.
    whileRan: str


class _Comment(TypedDict):
    # The event that added it.
    seq: int
    # The side: the baseline or the present file.
    side: "Side"
    # The comment's text.
    text: str


class Comment(_Comment, total=False):
    """A comment of a person on a hunk."""

    # The lines within the hunk; absent for all.
    lines: "LineSpan"


class _ReviewDecideParams(TypedDict):
    # The requested action.
    action: "ReviewAction"


class ReviewDecideParams(_ReviewDecideParams, total=False):
    """The params of `review/decide`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class ReviewActionKeep(TypedDict):
    action: Literal["keep"]
    # The hunks concerned.
    target: "ReviewTarget"


class _ReviewActionUndo(TypedDict):
    action: Literal["undo"]
    # The hunks concerned.
    target: "ReviewTarget"


class ReviewActionUndo(_ReviewActionUndo, total=False):
    # Also remove lines that a person wrote into a hunk; otherwise such a hunk is a conflict.
    discardEdits: bool


class ReviewActionRevert(TypedDict):
    action: Literal["revert"]
    # The event of the verdict.
    verdict: int


class _ReviewActionComment(TypedDict):
    action: Literal["comment"]
    # The hunk.
    hunk: "HunkId"
    # The side: the baseline or the present file.
    side: "Side"
    # The comment's text.
    text: str


class ReviewActionComment(_ReviewActionComment, total=False):
    # The lines within the hunk; absent for all.
    lines: "LineSpan"


# An action of a person.
ReviewAction: TypeAlias = Union["ReviewActionKeep", "ReviewActionUndo", "ReviewActionRevert", "ReviewActionComment"]

class _ReviewTargetHunk(TypedDict):
    of: Literal["hunk"]
    # Its id.
    hunk: "HunkId"


class ReviewTargetHunk(_ReviewTargetHunk, total=False):
    # The `changedSeq` that was shown; the decision is refused when it has changed since.
    changedSeq: int


class ReviewTargetLines(TypedDict):
    of: Literal["lines"]
    # Its id.
    hunk: "HunkId"
    # The `changedSeq` that was shown; the lines are counted in that text.
    changedSeq: int
    # The selected lines.
    lines: "LineSelection"


class ReviewTargetFile(TypedDict):
    of: Literal["file"]
    # Its absolute path.
    path: str


class ReviewTargetTurn(TypedDict):
    of: Literal["turn"]
    # The turn.
    turnId: "TurnId"


class ReviewTargetAll(TypedDict):
    of: Literal["all"]


# The hunks that a decision concerns.
ReviewTarget: TypeAlias = Union["ReviewTargetHunk", "ReviewTargetLines", "ReviewTargetFile", "ReviewTargetTurn", "ReviewTargetAll"]

class LineSelection(TypedDict, total=False):
    """A selection of lines of a hunk, counted within it."""

    # Lines of the baseline's text.
    old: "LineSpan"
    # Lines of the present text.
    new: "LineSpan"


class _ReviewDecideResult(TypedDict):
    # The event of the verdict, by which it can be reverted. For a queued verdict, its number: reverting that withdraws it.
    seq: int
    # The effect on each hunk; for a queued verdict, the effect that it would have now.
    verdict: "Verdict"


class ReviewDecideResult(_ReviewDecideResult, total=False):
    """The result of `review/decide`."""

    # The verdict is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it was applied, or `review.queued` why not.
    isQueued: bool


class _Verdict(TypedDict):
    # The requested action.
    action: "ReviewAction"
    # The effect on each hunk.
    parts: list["VerdictPart"]


class Verdict(_Verdict, total=False):
    """A decision with its effect, complete enough to be the whole of an event."""

    # The number under which it was queued, if it was.
    waited: int


class _VerdictPart(TypedDict):
    # The hunk.
    hunk: "HunkId"
    # Its file's absolute path.
    path: str
    # The effect.
    effect: "Effect"
    # The outcome.
    outcome: "Outcome"


class VerdictPart(_VerdictPart, total=False):
    """The effect of a verdict on one hunk."""

    # The lines concerned; absent for the whole hunk.
    lines: "LineSelection"
    # For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers.
    conflict: str
    # Set if the hunk was skipped because the author of the change is unknown ([`Hunk::cause`]).
    cause: str


# The effect of a verdict on a hunk.
Effect: TypeAlias = Union[Literal["keep"], Literal["undo"], Literal["reopen"], Literal["comment"], Literal["withdraw"]]

# The outcome of a verdict for a hunk.
Outcome: TypeAlias = Union[Literal["applied"], Literal["conflict"]]

class _ReviewBaselineParams(TypedDict):
    # The file, by its absolute path.
    path: str


class ReviewBaselineParams(_ReviewBaselineParams, total=False):
    """The params of `review/baseline`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class _ReviewBaselineResult(TypedDict):
    # The file existed.
    exists: bool


class ReviewBaselineResult(_ReviewBaselineResult, total=False):
    """A file at its last accepted point."""

    # The text; absent where there was no file or it was not UTF-8.
    text: str


class ReviewPatchParams(TypedDict, total=False):
    """The params of `review/patch`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Only open hunks; otherwise everything that the agent did and that was not undone.
    open: bool


class _ReviewPatchResult(TypedDict):
    # The patch; empty when nothing was changed.
    text: str


class ReviewPatchResult(_ReviewPatchResult, total=False):
    """A patch for `git apply` in the session's working directory."""

    # Changed files outside of the working directory, which the patch leaves out.
    leftOut: list[str]


class SessionSubscribeParams(TypedDict, total=False):
    """The params of `session/subscribe`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Send the events after this number first; default: only new ones.
    fromSeq: int
    # Send this many of the last events first, if `fromSeq` is left out.
    tail: int
    # The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
    include: list[str]
    # The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
    exclude: list[str]
    # Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    maxLatencyMs: int


class SessionEventsParams(TypedDict, total=False):
    """The params of `session/events`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Read the events after this number; default 0, from the start.
    after: int
    # Read the last events before this number instead; a number beyond the end gives the end of the session. Not together with `after`.
    before: int
    # The maximum number of events, 1 to 1000; default 200.
    limit: int


class SessionEventsResult(TypedDict):
    """A page of events."""

    # The events, in order.
    events: list["EventRecord"]
    # The number of the session's last durable event.
    lastSeq: int
    # There are more events after the last one here; with `before`, before the first one.
    more: bool


class _EventRecord(TypedDict):
    # The session.
    sessionId: "SessionId"
    # The event's sequence number in its session, from 1, without gaps.
    seq: int
    # The time, in milliseconds since 1970.
    tsMs: int
    # The event.
    event: "Event"


class EventRecord(_EventRecord, total=False):
    """A durable event with its position in the session's log. It was written to the journal before it was sent anywhere."""

    # The turn it belongs to.
    turnId: "TurnId"
    # The request of a client that it follows from at once; absent for what the engine does by itself.
    cause: "Cause"


class Cause(TypedDict, total=False):
    """The request that an event follows from."""

    # The client that sent it: its `id` of `initialize`, or else its name.
    clientId: str
    # The `key` of the request.
    key: str


class _EventSessionCreated(TypedDict):
    # The working directory, absolute.
    cwd: str
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The permission mode.
    permissionMode: "PermissionMode"
    type: Literal["session.created"]


class EventSessionCreated(_EventSessionCreated, total=False):
    # The work mode.
    mode: "WorkMode"
    # The title, if one was given.
    title: str
    # The parent, if the session is a sub-agent.
    parent: "Parent"
    # The named agent whose instructions it follows, if any.
    role: "AgentRole"
    # Instructions for this session alone.
    systemPrompt: str
    # The names of the tools that its model sees; all of them if absent.
    tools: list[str]
    # The origin of the history it began with, if it is a fork.
    forkedFrom: "ForkedFrom"


class EventSessionClosed(TypedDict):
    type: Literal["session.closed"]


_EventSessionMoved = TypedDict("_EventSessionMoved", {"from": str, "cwd": str, "type": Literal["session.moved"]})

class EventSessionMoved(_EventSessionMoved, total=False):
    pass


class _EventSessionUpdated(TypedDict):
    # The author of the title.
    by: "TitledBy"
    type: Literal["session.updated"]


class EventSessionUpdated(_EventSessionUpdated, total=False):
    # The title; absent when it was removed.
    title: str
    # The usage of the request that made it, where a model did; it belongs to no turn.
    usage: "Usage"
    # The cost of that usage, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int


class _EventInputAccepted(TypedDict):
    # The id that the `userMessage` item will have.
    itemId: "ItemId"
    # The turn it belongs to: the running turn for a steer, a turn of its own for a prompt or a follow-up.
    turnId: "TurnId"
    # The way it is delivered.
    delivery: "Delivery"
    # The blocks, as sent.
    content: list["Input"]
    type: Literal["input.accepted"]


class EventInputAccepted(_EventInputAccepted, total=False):
    # The budget of the turn that it starts.
    limits: "TurnLimits"
    # The JSON Schema that the final message of the turn that it starts must satisfy.
    outputSchema: Any


class _EventInputRemoved(TypedDict):
    type: Literal["input.removed"]
    # The messages.
    inputs: list["QueuedInput"]


class EventInputRemoved(_EventInputRemoved, total=False):
    # A hook has done what they ask for, so they are not to be sent again.
    isHandled: bool


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
    # The files that it contains or names, in order.
    sources: list["PromptSource"]


class _EventTurnCompleted(TypedDict):
    # The final status.
    status: "TurnStatus"
    # The turn's usage, including that of sub-agents whose turns ended meanwhile.
    usage: "Usage"
    # The number of model replies.
    steps: int
    # The duration in milliseconds.
    durationMs: int
    type: Literal["turn.completed"]


class EventTurnCompleted(_EventTurnCompleted, total=False):
    # The reason why the model stopped, when the model ended the turn.
    stop: "StopReason"
    # The error, when the turn failed.
    error: "TurnError"
    # The cost of that usage, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int
    # The number of denied tool calls.
    denials: int
    # The final message as a JSON value that satisfies the turn's `outputSchema`; absent without one, and where a limit or a person ended the turn.
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
    # The approval's id.
    approvalId: "ApprovalId"
    # The session it belongs to.
    sessionId: "SessionId"
    # The turn that waits.
    turnId: "TurnId"
    # The tool call that waits.
    itemId: "ItemId"
    # The tool's name.
    toolName: str
    # The kind of tool.
    kind: "ToolKind"
    # One line for a person: `bash: rm -r build`.
    title: str
    # The reason why permission is needed, in a sentence.
    reason: str
    # The tool's arguments, whole: the command, or the text to write.
    input: Any
    # The options to choose from.
    options: list["ApprovalOption"]
    type: Literal["approval.requested"]


class EventApprovalRequested(_EventApprovalRequested, total=False):
    # The files concerned.
    locations: list["Location"]
    # The rule or default that asks, in words.
    decidedBy: str
    # All that is asked about, whole, for a person to read: the command, the paths, the content. A client shows every part, or denies the call.
    details: list["ApprovalDetail"]
    # The changes of files that the call would make, computed from the files as they are now. Left out where a call changes no file, and where its changes are not known beforehand.
    changes: list["FileChange"]
    # The deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.
    deadlineMs: int


class _EventApprovalResolved(TypedDict):
    # The approval.
    approvalId: "ApprovalId"
    # The tool call.
    itemId: "ItemId"
    # The decision.
    decision: "Decision"
    # The scope in which the decision holds.
    scope: "Scope"
    # The origin of the decision.
    by: "DecidedBy"
    type: Literal["approval.resolved"]


class EventApprovalResolved(_EventApprovalResolved, total=False):
    # The person's message to the model.
    feedback: str


class _EventQuestionRequested(TypedDict):
    # The question's id.
    questionId: "QuestionId"
    # The session it belongs to.
    sessionId: "SessionId"
    # The turn that waits.
    turnId: "TurnId"
    # The tool call that waits.
    itemId: "ItemId"
    # The kind of question.
    kind: "QuestionKind"
    # The question.
    text: str
    # The deadline after which the default answer applies, in milliseconds since 1970.
    deadlineMs: int
    type: Literal["question.requested"]


class EventQuestionRequested(_EventQuestionRequested, total=False):
    # The plan to be accepted, as Markdown; only with the kind `plan`.
    plan: str
    # The options to choose from; without any, the answer is a text.
    options: list["QuestionOption"]
    # Several options may be chosen.
    multiple: bool


class _EventQuestionResolved(TypedDict):
    # The question.
    questionId: "QuestionId"
    # The tool call.
    itemId: "ItemId"
    # The origin of the answer.
    by: "AnsweredBy"
    type: Literal["question.resolved"]


class EventQuestionResolved(_EventQuestionResolved, total=False):
    # The chosen options.
    optionIds: list[str]
    # The person's text.
    text: str


class EventPlanUpdated(TypedDict):
    # The steps of the plan, in order.
    items: list["PlanItem"]
    type: Literal["plan.updated"]


class _EventStepCompleted(TypedDict):
    # The step within the turn, from 1.
    step: int
    # The usage of this reply.
    usage: "Usage"
    # The usage of the turn so far.
    turnUsage: "Usage"
    type: Literal["step.completed"]


class EventStepCompleted(_EventStepCompleted, total=False):
    # The reason why the model stopped; absent when it was interrupted.
    stop: "StopReason"
    # The cost of this reply, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int
    # The cost of the turn so far, in billionths of a US dollar; absent where no price is known.
    turnCostNanoUsd: int


class EventRetryScheduled(TypedDict):
    # The number of this retry, from 1.
    attempt: int
    # The maximum number of retries.
    of: int
    # The delay in milliseconds, counted from this event.
    delayMs: int
    # The error code, as in [`TurnError`].
    code: str
    # The message, for a person.
    message: str
    type: Literal["retry.scheduled"]


class _EventContextPruned(TypedDict):
    # The number of results.
    results: int
    # The estimated tokens before.
    tokensBefore: int
    # The estimated tokens afterwards.
    tokensAfter: int
    type: Literal["context.pruned"]


class EventContextPruned(_EventContextPruned, total=False):
    # The number of calls whose long arguments were shortened.
    calls: int


class _EventConfigChanged(TypedDict):
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The permission mode.
    permissionMode: "PermissionMode"
    type: Literal["config.changed"]


class EventConfigChanged(_EventConfigChanged, total=False):
    # The work mode.
    mode: "WorkMode"


class EventFilesChanged(TypedDict):
    # The files.
    changes: list["FileRecord"]
    # The author.
    by: "ChangedBy"
    type: Literal["files.changed"]


class _EventReviewDecided(TypedDict):
    # The requested action.
    action: "ReviewAction"
    # The effect on each hunk.
    parts: list["VerdictPart"]
    type: Literal["review.decided"]


class EventReviewDecided(_EventReviewDecided, total=False):
    # The number under which it was queued, if it was.
    waited: int


class _EventReviewQueued(TypedDict):
    # The queued verdicts, in order.
    waiting: list["WaitingVerdict"]
    type: Literal["review.queued"]


class EventReviewQueued(_EventReviewQueued, total=False):
    # A verdict that left the queue without being applied.
    refused: "RefusedVerdict"


class _EventHistoryRewound(TypedDict):
    # The event after which it continues; 0 is the beginning.
    toSeq: int
    type: Literal["history.rewound"]


class EventHistoryRewound(_EventHistoryRewound, total=False):
    # Items that leave the model's context; a client removes them from its view.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]
    # The origin of the next events, when they are merged from a fork.
    merged: "MergedFrom"


class _EventLabelChanged(TypedDict):
    # The event of the point.
    seq: int
    type: Literal["label.changed"]


class EventLabelChanged(_EventLabelChanged, total=False):
    # The label; absent when it was removed.
    label: str
    # The client's data about the point.
    metadata: Any


class _EventNotice(TypedDict):
    # The severity.
    level: "NoticeLevel"
    # A stable code.
    code: str
    # The message.
    message: str
    type: Literal["notice"]


class EventNotice(_EventNotice, total=False):
    # The suggested next step.
    hint: str


# Durable events, told apart by `type`. A reader skips a type that it does not know.
Event: TypeAlias = Union["EventSessionCreated", "EventSessionClosed", "EventSessionMoved", "EventSessionUpdated", "EventInputAccepted", "EventInputRemoved", "EventQueueChanged", "EventTurnStarted", "EventPromptMade", "EventTurnCompleted", "EventItemStarted", "EventItemUpdated", "EventItemCompleted", "EventApprovalRequested", "EventApprovalResolved", "EventQuestionRequested", "EventQuestionResolved", "EventPlanUpdated", "EventStepCompleted", "EventRetryScheduled", "EventContextPruned", "EventConfigChanged", "EventFilesChanged", "EventReviewDecided", "EventReviewQueued", "EventHistoryRewound", "EventLabelChanged", "EventNotice"]

class _AgentRole(TypedDict):
    # The name.
    name: str
    # The instructions.
    instructions: str


class AgentRole(_AgentRole, total=False):
    """The instructions of a named agent."""

    # The tools that it may use, as its file names them; absent for all.
    tools: list[str]


class ForkedFrom(TypedDict):
    """The origin of a forked session."""

    # The session that was forked.
    sessionId: "SessionId"
    # The last event of that session that is part of this session's history.
    seq: int
    # The number of the last copied event in this session.
    copiedSeq: int


class _SessionCreated(TypedDict):
    # The working directory, absolute.
    cwd: str
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The permission mode.
    permissionMode: "PermissionMode"


class SessionCreated(_SessionCreated, total=False):
    """The settings that the session was created with."""

    # The work mode.
    mode: "WorkMode"
    # The title, if one was given.
    title: str
    # The parent, if the session is a sub-agent.
    parent: "Parent"
    # The named agent whose instructions it follows, if any.
    role: "AgentRole"
    # Instructions for this session alone.
    systemPrompt: str
    # The names of the tools that its model sees; all of them if absent.
    tools: list[str]
    # The origin of the history it began with, if it is a fork.
    forkedFrom: "ForkedFrom"


_SessionMoved = TypedDict("_SessionMoved", {"from": str, "cwd": str})

class SessionMoved(_SessionMoved, total=False):
    """The session works in another folder."""



# The author of a session's title.
TitledBy: TypeAlias = Union[Literal["person"], Literal["model"]]

class _SessionUpdated(TypedDict):
    # The author of the title.
    by: "TitledBy"


class SessionUpdated(_SessionUpdated, total=False):
    """The session's title changed."""

    # The title; absent when it was removed.
    title: str
    # The usage of the request that made it, where a model did; it belongs to no turn.
    usage: "Usage"
    # The cost of that usage, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int


class PromptSource(TypedDict):
    """A file that a system prompt contains or names."""

    # The kind of file.
    kind: "PromptSourceKind"
    # Its absolute path.
    path: str


# The kind of a file in a system prompt.
PromptSourceKind: TypeAlias = Union[Literal["document"], Literal["rule"], Literal["skill"], Literal["agent"]]

class PromptMade(TypedDict, total=False):
    """The sources of a system prompt."""

    # The files that it contains or names, in order.
    sources: list["PromptSource"]


# The final status of a turn.
TurnStatus: TypeAlias = Union[Literal["completed"], Literal["interrupted"], Literal["failed"]]

# The reason why a model stopped.
StopReason: TypeAlias = Union[Literal["endTurn"], Literal["toolUse"], Literal["maxTokens"], Literal["refusal"], Literal["paused"], Literal["limit"], Literal["other"]]

class _TurnError(TypedDict):
    # A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may be added.
    code: str
    # The message, for a person.
    message: str


class TurnError(_TurnError, total=False):
    """The error that ended a turn."""

    # The suggested next step.
    hint: str
    # A retry may succeed.
    retryable: bool
    # The provider's HTTP status.
    httpStatus: int


class _TurnCompleted(TypedDict):
    # The final status.
    status: "TurnStatus"
    # The turn's usage, including that of sub-agents whose turns ended meanwhile.
    usage: "Usage"
    # The number of model replies.
    steps: int
    # The duration in milliseconds.
    durationMs: int


class TurnCompleted(_TurnCompleted, total=False):
    """The outcome of a turn."""

    # The reason why the model stopped, when the model ended the turn.
    stop: "StopReason"
    # The error, when the turn failed.
    error: "TurnError"
    # The cost of that usage, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int
    # The number of denied tool calls.
    denials: int
    # The final message as a JSON value that satisfies the turn's `outputSchema`; absent without one, and where a limit or a person ended the turn.
    structured: Any


class _ItemUserMessage(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The blocks, as sent.
    content: list["Input"]
    type: Literal["userMessage"]


class ItemUserMessage(_ItemUserMessage, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int


class _ItemAgentMessage(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The whole text so far; empty in `item.started`.
    text: str
    type: Literal["agentMessage"]


class ItemAgentMessage(_ItemAgentMessage, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int


class _ItemReasoning(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The whole text so far; empty in `item.started`.
    text: str
    type: Literal["reasoning"]


class ItemReasoning(_ItemReasoning, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int


class _ItemToolCall(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The tool's name, as the model calls it.
    toolName: str
    # One line for a person: `bash: cargo test`.
    title: str
    # The kind of tool, for icons and rules.
    kind: "ToolKind"
    type: Literal["toolCall"]


class ItemToolCall(_ItemToolCall, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int
    # The model's provider runs the tool itself: nobody is asked, and `item/cancel` does not stop it.
    byProvider: bool
    # The files and lines concerned.
    locations: list["Location"]
    # The arguments; absent until they are complete.
    input: Any
    # The arguments that a hook put in their place; the call ran with these.
    changedInput: Any
    # The result; absent until the call has ended.
    output: "ToolResult"


class _ItemJob(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The id that the model and clients use.
    jobId: "JobId"
    # One line for a person.
    title: str
    # The command, as the shell reads it.
    command: str
    type: Literal["job"]


class ItemJob(_ItemJob, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int
    # A person ran it with `shell/run`. The model reads of it in a note, if at all.
    byUser: bool
    # The end of the job; absent while it runs.
    end: "JobEnd"
    # The last part of the output; absent while the job runs, when deltas of the field `output` carry it.
    output: str
    # Exit code, signal, and the truncation of the output with a reference to the whole.
    details: "ToolDetails"


class _ItemSubagent(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The id that the model and clients use.
    agentId: "AgentId"
    # The sub-agent's session.
    sessionId: "SessionId"
    # The task it was given.
    task: str
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The sub-agent's state.
    state: "SubagentState"
    type: Literal["subagent"]


class ItemSubagent(_ItemSubagent, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int
    # Its last message, as the parent's model reads it; absent until its first turn has ended.
    result: str
    # The number of its replies so far.
    turnsUsed: int
    # The tokens used so far.
    usage: "Usage"
    # The cost so far, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int


class _ItemCompaction(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The reason for the compaction.
    reason: "CompactionReason"
    # The estimated tokens of the conversation before.
    tokensBefore: int
    type: Literal["compaction"]


class ItemCompaction(_ItemCompaction, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int
    # The estimated tokens afterwards; absent until the compaction is completed.
    tokensAfter: int
    # The summary. While the compaction runs, deltas of the field `text` carry it.
    summary: str
    # The files that the model has read and changed so far, which the summary lists; absent if there are none.
    files: "CompactionFiles"
    # The reason for a failure, which leaves the conversation as it was.
    error: str


class _ItemEngineMessage(TypedDict):
    # The item's id.
    id: "ItemId"
    # The item's status.
    status: "ItemStatus"
    # The start time, in milliseconds since 1970; of a call that runs, when it began to run.
    startedMs: int
    # The text, as the model reads it.
    text: str
    type: Literal["engineMessage"]


class ItemEngineMessage(_ItemEngineMessage, total=False):
    # The turn it belongs to.
    turnId: "TurnId"
    # The step (model reply) within the turn, from 1; absent for items that no model made.
    step: int
    # The duration in milliseconds; present once the item has ended.
    durationMs: int
    # The items of the jobs whose end it reports.
    jobs: list["ItemId"]
    # The mode that it announces.
    mode: "WorkMode"
    # The review events that it reports.
    reviewed: list[int]
    # It summarizes the part of the history that a rewind left behind.
    sumsUpLeft: bool
    # The note of a client that it carries.
    note: "ClientNote"


# A unit that a client can draw. The event that completes an item carries its whole value, so the deltas before it are never needed for correctness.
Item: TypeAlias = Union["ItemUserMessage", "ItemAgentMessage", "ItemReasoning", "ItemToolCall", "ItemJob", "ItemSubagent", "ItemCompaction", "ItemEngineMessage"]

# The status of an item. A reader treats an unknown value as still running.
ItemStatus: TypeAlias = Union[Literal["pending"], Literal["running"], Literal["completed"], Literal["failed"], Literal["declined"], Literal["cancelled"]]

class UserMessage(TypedDict):
    """A person's message in the conversation."""

    # The blocks, as sent.
    content: list["Input"]


class TextBody(TypedDict):
    """A text that grows while it streams."""

    # The whole text so far; empty in `item.started`.
    text: str


class _ToolResult(TypedDict):
    # The content for the model.
    content: list["Content"]


class ToolResult(_ToolResult, total=False):
    """The result of a tool: content for the model, and details that a client may draw."""

    # The tool failed, was declined or was cancelled; the content says why.
    isError: bool
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


# One block of a tool's result, as the model sees it.
Content: TypeAlias = Union["ContentText", "ContentImage"]

class ToolDetails(TypedDict, total=False):
    """Details of a tool's result that only clients need."""

    # The files it changed.
    changes: list["FileChange"]
    # A command's exit code.
    exitCode: int
    # The name of the signal that ended a command, such as `SIGKILL`.
    signal: str
    # The record of the output's truncation, if it was truncated.
    truncation: "Truncation"
    # A file that holds the whole output, when it was truncated.
    fullOutputPath: str
    # The whole output for `blob/read`, when it was truncated.
    fullOutput: "FullOutput"
    # The background jobs concerned.
    jobs: list["JobRef"]
    # The sub-agent that it started.
    agent: "AgentId"
    # The sandbox that the command ran in; absent if it was not confined.
    sandbox: "SandboxReport"
    # The reason why the permissions denied the call; absent if they did not.
    denial: "Denial"


class _Truncation(TypedDict):
    # Lines of the whole output; a trailing newline does not count as one more.
    totalLines: int
    # Bytes of the whole output.
    totalBytes: int
    # Lines that remain.
    outputLines: int
    # Bytes that remain.
    outputBytes: int
    # The limit in lines.
    maxLines: int
    # The limit in bytes.
    maxBytes: int


class Truncation(_Truncation, total=False):
    """A record of the truncation of a tool's output, made before the model saw it."""

    # The limit that was exceeded; absent when nothing was cut.
    truncatedBy: "TruncatedBy"
    # The last remaining line was itself cut at its start.
    lastLinePartial: bool
    # Nothing remains because the first line alone exceeds the byte limit.
    firstLineExceedsLimit: bool


# The limit that truncated an output.
TruncatedBy: TypeAlias = Union[Literal["lines"], Literal["bytes"]]

class FullOutput(TypedDict):
    """A reference to a whole output that the session keeps."""

    # Its name for `blob/read`.
    ref: str
    # Its size in bytes.
    bytes: int


class _JobRef(TypedDict):
    # The job's id.
    jobId: "JobId"
    # The job's item.
    itemId: "ItemId"


class JobRef(_JobRef, total=False):
    """A reference from a tool call to a background job."""

    # The result reports how the job ended.
    hasEnded: bool


# The id of a background job within its session: `job-1`, `job-2` …, short because a model writes it.
JobId: TypeAlias = str

class _SandboxReport(TypedDict):
    # The level that the kernel enforced, in words: `full: Landlock 7, seccomp, namespaces`.
    level: str


class SandboxReport(_SandboxReport, total=False):
    """The sandbox of a command that ran confined."""

    # The sandbox is the likely cause of the command's failure. The same command again asks to run outside of it.
    denied: bool
    # Protected files that the command created.
    created: list[str]
    # Hosts that a command which failed was refused, as a rule names them: `docs.rs`, `localhost:8080`.
    refusedHosts: list[str]


class _Denial(TypedDict):
    # The rule, mode or list that decided, in words.
    decidedBy: str


class Denial(_Denial, total=False):
    """A denial by the permissions, and what would have allowed the call."""

    # The narrowest permission mode in which the call would have run, with the rules if there are some; absent where no mode is enough.
    mode: "PermissionMode"
    # The rules that would have allowed it, in words; with `mode`, both are needed.
    rules: list[str]


class _ToolCall(TypedDict):
    # The tool's name, as the model calls it.
    toolName: str
    # One line for a person: `bash: cargo test`.
    title: str
    # The kind of tool, for icons and rules.
    kind: "ToolKind"


class ToolCall(_ToolCall, total=False):
    """A tool call, from the first byte of its arguments to its result."""

    # The model's provider runs the tool itself: nobody is asked, and `item/cancel` does not stop it.
    byProvider: bool
    # The files and lines concerned.
    locations: list["Location"]
    # The arguments; absent until they are complete.
    input: Any
    # The arguments that a hook put in their place; the call ran with these.
    changedInput: Any
    # The result; absent until the call has ended.
    output: "ToolResult"


# The way a background job ended.
JobEnd: TypeAlias = Union[Literal["exited"], Literal["signalled"], Literal["timedOut"], Literal["stopped"], Literal["sessionEnded"], Literal["failed"]]

class _Job(TypedDict):
    # The id that the model and clients use.
    jobId: "JobId"
    # One line for a person.
    title: str
    # The command, as the shell reads it.
    command: str


class Job(_Job, total=False):
    """A background job, from its start to its end."""

    # A person ran it with `shell/run`. The model reads of it in a note, if at all.
    byUser: bool
    # The end of the job; absent while it runs.
    end: "JobEnd"
    # The last part of the output; absent while the job runs, when deltas of the field `output` carry it.
    output: str
    # Exit code, signal, and the truncation of the output with a reference to the whole.
    details: "ToolDetails"


# The state of a sub-agent.
SubagentState: TypeAlias = Union[Literal["working"], Literal["done"], Literal["failed"], Literal["closed"]]

class _Subagent(TypedDict):
    # The id that the model and clients use.
    agentId: "AgentId"
    # The sub-agent's session.
    sessionId: "SessionId"
    # The task it was given.
    task: str
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The sub-agent's state.
    state: "SubagentState"


class Subagent(_Subagent, total=False):
    """A sub-agent: a session of its own that works on a part of the task. Its events carry that session's id."""

    # Its last message, as the parent's model reads it; absent until its first turn has ended.
    result: str
    # The number of its replies so far.
    turnsUsed: int
    # The tokens used so far.
    usage: "Usage"
    # The cost so far, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int


# The reason for a compaction.
CompactionReason: TypeAlias = Union[Literal["threshold"], Literal["overflow"], Literal["requested"]]

class CompactionFiles(TypedDict, total=False):
    """The files that the model of a session has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed."""

    # The files that it has read and not changed.
    read: list[str]
    # The files that its calls have changed, created or deleted.
    changed: list[str]
    # The number of files that are left out.
    omitted: int


class _Compaction(TypedDict):
    # The reason for the compaction.
    reason: "CompactionReason"
    # The estimated tokens of the conversation before.
    tokensBefore: int


class Compaction(_Compaction, total=False):
    """A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps them all."""

    # The estimated tokens afterwards; absent until the compaction is completed.
    tokensAfter: int
    # The summary. While the compaction runs, deltas of the field `text` carry it.
    summary: str
    # The files that the model has read and changed so far, which the summary lists; absent if there are none.
    files: "CompactionFiles"
    # The reason for a failure, which leaves the conversation as it was.
    error: str


class ClientNote(TypedDict, total=False):
    """A note that a client has put into the history with `session/note`."""

    # The client's name for this kind of note.
    kind: str
    # The client's data.
    data: Any
    # The model does not read it.
    isUnread: bool
    # Clients do not show it to people.
    isHidden: bool


class _EngineMessage(TypedDict):
    # The text, as the model reads it.
    text: str


class EngineMessage(_EngineMessage, total=False):
    """A message of the engine to the model."""

    # The items of the jobs whose end it reports.
    jobs: list["ItemId"]
    # The mode that it announces.
    mode: "WorkMode"
    # The review events that it reports.
    reviewed: list[int]
    # It summarizes the part of the history that a rewind left behind.
    sumsUpLeft: bool
    # The note of a client that it carries.
    note: "ClientNote"


# The origin of a decision about an approval.
DecidedBy: TypeAlias = Union[Literal["client"], Literal["noApprover"], Literal["deadline"], Literal["interrupt"]]

class _ApprovalOutcome(TypedDict):
    # The approval.
    approvalId: "ApprovalId"
    # The tool call.
    itemId: "ItemId"
    # The decision.
    decision: "Decision"
    # The scope in which the decision holds.
    scope: "Scope"
    # The origin of the decision.
    by: "DecidedBy"


class ApprovalOutcome(_ApprovalOutcome, total=False):
    """The outcome of an approval."""

    # The person's message to the model.
    feedback: str


# The origin of an answer to a question.
AnsweredBy: TypeAlias = Union[Literal["client"], Literal["dismissed"], Literal["deadline"], Literal["noClient"], Literal["interrupt"]]

class _QuestionOutcome(TypedDict):
    # The question.
    questionId: "QuestionId"
    # The tool call.
    itemId: "ItemId"
    # The origin of the answer.
    by: "AnsweredBy"


class QuestionOutcome(_QuestionOutcome, total=False):
    """The outcome of a question."""

    # The chosen options.
    optionIds: list[str]
    # The person's text.
    text: str


class _StepCompleted(TypedDict):
    # The step within the turn, from 1.
    step: int
    # The usage of this reply.
    usage: "Usage"
    # The usage of the turn so far.
    turnUsage: "Usage"


class StepCompleted(_StepCompleted, total=False):
    """The end of a model reply, with its usage and cost."""

    # The reason why the model stopped; absent when it was interrupted.
    stop: "StopReason"
    # The cost of this reply, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int
    # The cost of the turn so far, in billionths of a US dollar; absent where no price is known.
    turnCostNanoUsd: int


class RetryScheduled(TypedDict):
    """A retry of a failed request to a provider."""

    # The number of this retry, from 1.
    attempt: int
    # The maximum number of retries.
    of: int
    # The delay in milliseconds, counted from this event.
    delayMs: int
    # The error code, as in [`TurnError`].
    code: str
    # The message, for a person.
    message: str


class _ContextPruned(TypedDict):
    # The number of results.
    results: int
    # The estimated tokens before.
    tokensBefore: int
    # The estimated tokens afterwards.
    tokensAfter: int


class ContextPruned(_ContextPruned, total=False):
    """Old results, and long arguments of old calls, that were removed from the model's context."""

    # The number of calls whose long arguments were shortened.
    calls: int


class _ConfigChanged(TypedDict):
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The permission mode.
    permissionMode: "PermissionMode"


class ConfigChanged(_ConfigChanged, total=False):
    """A session's settings from the next turn on."""

    # The work mode.
    mode: "WorkMode"


class _FileRecord(TypedDict):
    # The path, absolute.
    path: str


class FileRecord(_FileRecord, total=False):
    """The change of a file."""

    # The state before; absent when there was no file.
    before: "FileState"
    # The state afterwards; absent when the file was deleted.
    after: "FileState"


class _FileState(TypedDict):
    # SHA-256 of the content, in hex.
    sha256: str
    # The size in bytes.
    size: int


class FileState(_FileState, total=False):
    """The state of a file at some time. The session keeps its content under its hash."""

    # The permission bits, if any.
    mode: int
    # The content was too large to be kept, so it cannot be restored.
    isLost: bool


class _ChangedByCall(TypedDict):
    type: Literal["call"]
    # The call's item.
    itemId: "ItemId"


class ChangedByCall(_ChangedByCall, total=False):
    # Set if the command may not have made the changes: the command that ran while the files changed.
    whileRan: str


class ChangedByOther(TypedDict):
    type: Literal["other"]


class ChangedByRewind(TypedDict):
    type: Literal["rewind"]


class ChangedByReview(TypedDict):
    type: Literal["review"]


# The author of changes.
ChangedBy: TypeAlias = Union["ChangedByCall", "ChangedByOther", "ChangedByRewind", "ChangedByReview"]

class FilesChanged(TypedDict):
    """Files were changed."""

    # The files.
    changes: list["FileRecord"]
    # The author.
    by: "ChangedBy"


class WaitingVerdict(TypedDict):
    """A queued verdict."""

    # Its number: the event that queued it.
    id: int
    # The requested action.
    action: "ReviewAction"


class RefusedVerdict(TypedDict):
    """A verdict that was not applied."""

    # Its number.
    id: int
    # The reason, for people.
    reason: str


class _ReviewQueue(TypedDict):
    # The queued verdicts, in order.
    waiting: list["WaitingVerdict"]


class ReviewQueue(_ReviewQueue, total=False):
    """The queue of verdicts that wait for a gap between two calls of the running turn."""

    # A verdict that left the queue without being applied.
    refused: "RefusedVerdict"


class MergedFrom(TypedDict):
    """The origin of merged events."""

    # The fork. Its usage is not counted in this session.
    sessionId: "SessionId"
    # The last event of the fork that is now part of this session's history.
    seq: int
    # The number of the last copied event in this session.
    copiedSeq: int


class _HistoryRewound(TypedDict):
    # The event after which it continues; 0 is the beginning.
    toSeq: int


class HistoryRewound(_HistoryRewound, total=False):
    """The session continues from another point of its history."""

    # Items that leave the model's context; a client removes them from its view.
    dropped: list["ItemId"]
    # Items that return to the model's context.
    restored: list["ItemId"]
    # The origin of the next events, when they are merged from a fork.
    merged: "MergedFrom"


class _LabelChanged(TypedDict):
    # The event of the point.
    seq: int


class LabelChanged(_LabelChanged, total=False):
    """The label of a point in the history changed."""

    # The label; absent when it was removed.
    label: str
    # The client's data about the point.
    metadata: Any


# The severity of a notice.
NoticeLevel: TypeAlias = Union[Literal["info"], Literal["warning"], Literal["error"]]

class _Notice(TypedDict):
    # The severity.
    level: "NoticeLevel"
    # A stable code.
    code: str
    # The message.
    message: str


class Notice(_Notice, total=False):
    """A notice for a person."""

    # The suggested next step.
    hint: str


class _BlobReadParams(TypedDict):
    # The output's name, as `details.fullOutput` gives it.
    ref: str


class BlobReadParams(_BlobReadParams, total=False):
    """The params of `blob/read`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The first byte, from 0; default 0. Continue with the `end` of the part before.
    offset: int
    # The maximum number of bytes, 1 to 1,048,576; default 65,536.
    length: int


class BlobReadResult(TypedDict):
    """A part of a long output."""

    # The text; it may be a few bytes shorter than requested, so that no character is cut.
    text: str
    # The offset of its first byte.
    offset: int
    # The offset after its last byte, where the next part begins.
    end: int
    # The size of the whole output, in bytes.
    size: int


class _TurnStartParams(TypedDict):
    # The prompt.
    input: list["Input"]


class TurnStartParams(_TurnStartParams, total=False):
    """The params of `turn/start`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The action while a turn runs; default `reject`.
    whenBusy: "WhenBusy"
    # The turn's budget.
    limits: "TurnLimits"
    # The JSON Schema that the turn's final message must satisfy. The model is told it, and a message that does not is asked for again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`.
    outputSchema: Any
    # The trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty value ends the trace that was set before.
    traceparent: str
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.
    key: str


# The handling of a prompt while a turn runs.
WhenBusy: TypeAlias = Union[Literal["reject"], Literal["queue"]]

class TurnStartResult(TypedDict):
    """A prompt was accepted; it is on disk."""

    # The turn that it starts, now or later.
    turnId: "TurnId"
    # The id of its `userMessage` item.
    itemId: "ItemId"
    # The disposition of the prompt.
    disposition: "Disposition"


# The disposition of an accepted prompt.
Disposition: TypeAlias = Union[Literal["started"], Literal["queued"]]

class _TurnSteerParams(TypedDict):
    # The message.
    input: list["Input"]


class TurnSteerParams(_TurnSteerParams, total=False):
    """The params of `turn/steer`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Refuse with `conflict` unless this turn is the running one.
    expectedTurnId: "TurnId"
    # The action while no turn runs; default `reject`.
    whenIdle: "WhenIdle"
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.
    key: str


# The handling of a steer while no turn runs.
WhenIdle: TypeAlias = Union[Literal["reject"], Literal["hold"]]

class _TurnSteerResult(TypedDict):
    # The outcome.
    outcome: "SteerOutcome"


class TurnSteerResult(_TurnSteerResult, total=False):
    """The result of `turn/steer`."""

    # The id of its `userMessage` item, when it was accepted.
    itemId: "ItemId"
    # The turn it goes into, when it was accepted.
    turnId: "TurnId"


# The outcome of a steer.
SteerOutcome: TypeAlias = Union[Literal["accepted"], Literal["held"], Literal["noActiveTurn"]]

class TurnInterruptParams(TypedDict, total=False):
    """The params of `turn/interrupt`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Refuse with `conflict` unless this turn is the running one.
    turnId: "TurnId"
    # The handling of queued messages; default `return`.
    queue: "QueuePolicy"


# The handling of queued messages when a turn is interrupted.
QueuePolicy: TypeAlias = Union[Literal["return"], Literal["keep"]]

class TurnInterruptResult(TypedDict, total=False):
    """The result of `turn/interrupt`."""

    # The interrupted turn; absent when none runs.
    turnId: "TurnId"
    # The returned messages.
    returned: list["QueuedInput"]


class SessionCompactParams(TypedDict, total=False):
    """The params of `session/compact`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Instructions for the summary.
    instructions: str
    # A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted.
    key: str


class SessionCompactResult(TypedDict):
    """The compaction has started."""

    # The turn that performs it.
    turnId: "TurnId"


class ContextReadParams(TypedDict, total=False):
    """The params of `context/read`. (Experimental.)"""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Leave out the messages and return only the token counts.
    summary: bool


class _ContextReadResult(TypedDict):
    # The fill level of the window.
    usage: "ContextUsage"
    # The estimated tokens by source.
    sources: list["ContextSource"]


class ContextReadResult(_ContextReadResult, total=False):
    """The last request to the model; before the first one, the request that would be sent. (Experimental.)"""

    # The system prompt.
    system: str
    # The tools.
    tools: list["ContextTool"]
    # The messages, in order.
    messages: list["ContextMessage"]


class ContextSource(TypedDict):
    """The share of one source in the context. (Experimental.)"""

    # The source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added.
    source: str
    # The number of messages or tools.
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
    # The role: `user`, `assistant` or `result`.
    role: str
    # Its blocks.
    blocks: list["ContextBlock"]


class ContextMessage(_ContextMessage, total=False):
    """A message as it is sent to the model, independent of the provider's wire format. (Experimental.)"""

    # Of a result: the id of its call.
    callId: str
    # Of a result: the call failed.
    isError: bool


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


# A block of a message, told apart by `type`. (Experimental.)
ContextBlock: TypeAlias = Union["ContextBlockText", "ContextBlockReasoning", "ContextBlockToolCall", "ContextBlockImage", "ContextBlockOpaque"]

class _ConfigResult(TypedDict):
    # Every option, with its current value.
    options: list["ConfigOption"]


class ConfigResult(_ConfigResult, total=False):
    """A session's settings, and the outcome of a change."""

    # The ids of the options that were set.
    applied: list[str]
    # The values that were rejected, with the reasons.
    rejected: list["Rejected"]


class _ConfigOption(TypedDict):
    # Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be added.
    id: str
    # Its display name.
    name: str
    # The value, effective from the next turn.
    value: str


class ConfigOption(_ConfigOption, total=False):
    """An option of a session."""

    # The possible values; empty where any text is accepted.
    choices: list[str]


class Rejected(TypedDict):
    """A rejected value."""

    # The option's id, as it was sent.
    id: str
    # The reason, and the next step.
    reason: str


class _ConfigSetParams(TypedDict):
    # New values, by the option's id.
    values: dict[str, str]


class ConfigSetParams(_ConfigSetParams, total=False):
    """The params of `config/set`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class QueueResult(TypedDict):
    """The queued messages, in the order in which the model will read them."""

    # The messages.
    queue: list["QueuedInput"]


class _QueueUpdateParams(TypedDict):
    # The message.
    itemId: "ItemId"


class QueueUpdateParams(_QueueUpdateParams, total=False):
    """The params of `queue/update`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The new content.
    input: list["Input"]
    # The new delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a turn of its own.
    delivery: "Delivery"
    # Move it before this message of the same delivery.
    before: "ItemId"
    # Move it behind all messages of the same delivery.
    toEnd: bool


class QueueRemoveParams(TypedDict, total=False):
    """The params of `queue/remove`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The messages to remove; all by default.
    itemIds: list["ItemId"]


class QueueRemoveResult(TypedDict):
    """The removed messages."""

    # The messages, whole.
    removed: list["QueuedInput"]


class _ApprovalAnswerParams(TypedDict):
    # The approval.
    approvalId: "ApprovalId"


class ApprovalAnswerParams(_ApprovalAnswerParams, total=False):
    """An answer to an approval, sent as a request of the client. One that names no offered option is refused, and the approval stays pending."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The chosen option.
    optionId: str
    # A message for the model, sent with a denial.
    feedback: str
    # The dialog was closed without a choice, which denies this one call.
    dismissed: bool


class _QuestionAnswerParams(TypedDict):
    # The question.
    questionId: "QuestionId"


class QuestionAnswerParams(_QuestionAnswerParams, total=False):
    """An answer to a question, sent as a request of the client. One that names an option that was not offered, or is empty, is refused, and the question stays open."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The chosen options.
    optionIds: list[str]
    # A text of the person.
    text: str
    # The dialog was closed without an answer; the model is told to decide by itself.
    dismissed: bool


class _EditorDiagnosticsParams(TypedDict):
    # The file, absolute or relative to the session's working directory.
    path: str
    # The diagnostics; empty when there are none.
    items: list["EditorDiagnostic"]


class EditorDiagnosticsParams(_EditorDiagnosticsParams, total=False):
    """All current diagnostics of a file; they replace the earlier ones of that file."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The version of the text that was checked, as the editor counts; a report for an older version is ignored.
    version: int


class _EditorDiagnostic(TypedDict):
    # The lines concerned.
    range: "LineRange"
    # The severity. The model is told of errors and warnings.
    severity: "Severity"
    # The message.
    message: str


class EditorDiagnostic(_EditorDiagnostic, total=False):
    """One diagnostic."""

    # The tool that reported it, such as `rustc`.
    source: str
    # The tool's code for it, such as `E0308`.
    code: str


class DocumentOpenParams(TypedDict):
    """The params of `document/open`. Opening a document again replaces its earlier state."""

    # The file, absolute. It need not exist yet.
    path: str
    # The version of the text; it rises with every change.
    version: int
    # The whole text as it would be saved, with its line ends, without a byte order mark.
    text: str
    # The text has unsaved changes, so tools read it instead of the file.
    isDirty: bool


class DocumentChangeParams(TypedDict):
    """The params of `document/change`."""

    # The file, as it was opened.
    path: str
    # The version after the changes.
    version: int
    # The changes; each applies to the result of the one before.
    changes: list["DocumentChange"]
    # The text differs from the last saved one.
    isDirty: bool


class _DocumentChange(TypedDict):
    # The replacement.
    text: str


class DocumentChange(_DocumentChange, total=False):
    """A change of a text."""

    # The range to replace; absent for the whole text.
    range: "TextRange"


class TextRange(TypedDict):
    """A range in a text. Positions beyond the end of a line or of the text mean that end."""

    # The start.
    start: "Position"
    # The end, exclusive.
    end: "Position"


class Position(TypedDict):
    """A position in a text."""

    # The line, from 0; lines end with `\n` or `\r\n`.
    line: int
    # UTF-16 code units from the start of the line, as in LSP.
    character: int


class DocumentSaveParams(TypedDict):
    """The params of `document/save`: the file now holds the text of this version."""

    # The file, as it was opened.
    path: str
    # The version that was saved.
    version: int


class DocumentCloseParams(TypedDict):
    """The params of `document/close`. Unsaved text is discarded; tools read the file again."""

    # The file, as it was opened.
    path: str


class SessionItemsParams(TypedDict, total=False):
    """The params of `session/items`."""

    # The session, open or not; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Only items before this event; the last items by default.
    before: int
    # Only items after this event, such as an anchor.
    after: int
    # The maximum number of items, 1 to 1,000; default 100.
    limit: int


class SessionItemsResult(TypedDict):
    """The current values of items."""

    # The items of the current path, in the order of their last events. Items that have not ended are in the newest page.
    items: list["ItemAt"]
    # There are more items; request those before the first one's `seq`.
    more: bool


class ItemAt(TypedDict):
    """An item with the last event that concerns it."""

    # The event.
    seq: int
    # The item.
    item: "Item"


class _ItemReadParams(TypedDict):
    # The item.
    itemId: "ItemId"


class ItemReadParams(_ItemReadParams, total=False):
    """The params of `item/read`."""

    # The session, open or not; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class _ItemCancelParams(TypedDict):
    # The `toolCall` item.
    itemId: "ItemId"


class ItemCancelParams(_ItemCancelParams, total=False):
    """The params of `item/cancel`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class CheckpointListParams(TypedDict, total=False):
    """The params of `checkpoint/list`."""

    # The session, open or not; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class CheckpointListResult(TypedDict):
    """The points to which files can be restored: the start and the end of each turn."""

    # The checkpoints, oldest first.
    checkpoints: list["Checkpoint"]


class _Checkpoint(TypedDict):
    # The event after which the checkpoint lies; 0 is the beginning.
    seq: int
    # The time, in milliseconds since 1970.
    tsMs: int
    # The paths that changed since the checkpoint before, absolute.
    changed: list[str]


class Checkpoint(_Checkpoint, total=False):
    """A point to which files can be restored."""

    # The turn that ended there.
    turnId: "TurnId"
    # The label of the point.
    label: str


_CheckpointDiffParams = TypedDict("_CheckpointDiffParams", {"from": "HistoryPoint"})

class CheckpointDiffParams(_CheckpointDiffParams, total=False):
    """The params of `checkpoint/diff`."""

    # The session, open or not; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The second point; the journal's present state by default.
    to: "HistoryPoint"


class _CheckpointDiffResult(TypedDict):
    # A patch for `git apply` in the session's working directory, with the changes of everybody.
    text: str


class CheckpointDiffResult(_CheckpointDiffResult, total=False):
    """The difference of files between two points."""

    # Changed files that the patch leaves out: outside of that directory, or with a content that was not kept.
    leftOut: list[str]


class _ShellRunParams(TypedDict):
    # The command line, as a shell reads it.
    command: str


class ShellRunParams(_ShellRunParams, total=False):
    """The params of `shell/run`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The model reads the command and its output with the next prompt; default true.
    toModel: bool
    # A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its response is the one to the first.
    key: str


class _ShellRunResult(TypedDict):
    # The job that ran it. Its item shows the command; deltas of the field `output` carry what it prints.
    jobId: "JobId"
    # The end of its output, at most 2,000 lines and 50 KB.
    output: str


class ShellRunResult(_ShellRunResult, total=False):
    """The result of a command."""

    # Its exit code; absent where it was cancelled or ended by a signal.
    exitCode: int
    # It was cancelled.
    cancelled: bool
    # `output` is not the whole output.
    truncated: bool
    # The file with the whole output, if it was truncated.
    fullOutputPath: str


class UsageReadResult(TypedDict):
    """The usage of a session."""

    # The usage of all turns, sub-agents included, and of the titles that models made.
    total: "UsageCount"
    # The part of each model of the session's turns, in the order of their first use. A turn's sub-agents count for the model of the turn.
    models: list["ModelUsage"]
    # The part of titles, which belong to no turn.
    titles: "UsageCount"


class _UsageCount(TypedDict):
    # The number of turns.
    turns: int
    # The number of model replies in these turns.
    steps: int
    # The tokens.
    usage: "Usage"
    # The duration of the turns in milliseconds.
    durationMs: int


class UsageCount(_UsageCount, total=False):
    """Counted tokens and money."""

    # The cost, in billionths of a US dollar, as far as prices are known; absent where none is.
    costNanoUsd: int
    # The cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent where a price is not known, and for titles.
    uncachedCostNanoUsd: int


class _ModelUsage(TypedDict):
    # The model, as `provider/id` or `provider/id:effort`.
    model: str
    # The number of turns.
    turns: int
    # The number of model replies in these turns.
    steps: int
    # The tokens.
    usage: "Usage"
    # The duration of the turns in milliseconds.
    durationMs: int


class ModelUsage(_ModelUsage, total=False):
    """The usage of a model."""

    # The cost, in billionths of a US dollar, as far as prices are known; absent where none is.
    costNanoUsd: int
    # The cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent where a price is not known, and for titles.
    uncachedCostNanoUsd: int


class JobListResult(TypedDict):
    """A session's background jobs."""

    # Their items, oldest first.
    jobs: list["Item"]


class _JobStopParams(TypedDict):
    # The job.
    jobId: "JobId"


class JobStopParams(_JobStopParams, total=False):
    """The params of `job/stop`."""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class JobStopResult(TypedDict):
    """The result of `job/stop`."""

    # The ended job's item.
    job: "Item"


class McpListResult(TypedDict):
    """The result of `mcp/list`. (Experimental.)"""

    # The session's servers. Those of a project's file are known once a turn has begun.
    servers: list["McpServerState"]


class _McpServerState(TypedDict):
    # Its name, unique in the session.
    name: str
    # The command line or address, as it was configured.
    target: str
    # Where it was configured, in words.
    origin: str
    # Its status.
    status: "McpStatus"


class McpServerState(_McpServerState, total=False):
    """The state of a session's server. (Experimental.)"""

    # The reason of a failure, in words.
    message: str
    # The login to it; absent where it has none: a program, or an address whose settings have an `Authorization`.
    login: "McpLoginState"
    # Its own name and version, and the protocol's; once it is connected.
    about: str
    # Its tools, once it is connected.
    tools: list["McpTool"]
    # The last lines that it wrote to its error output.
    stderr: list[str]


# The status of a server. (Experimental.)
McpStatus: TypeAlias = Union[Literal["idle"], Literal["starting"], Literal["ready"], Literal["failed"], Literal["off"]]

# The login to a server. (Experimental.)
McpLoginState: TypeAlias = Union[Literal["possible"], Literal["wanted"]]

class _McpTool(TypedDict):
    # Its name at the server.
    name: str
    # The server's description of it.
    description: str


class McpTool(_McpTool, total=False):
    """A tool of a server. (Experimental.)"""

    # The server says that it changes nothing. Permissions do not depend on it.
    saysReadOnly: bool


class _McpUpdateParams(TypedDict):
    # The server's name.
    server: str


class McpUpdateParams(_McpUpdateParams, total=False):
    """The params of `mcp/update`. (Experimental.)"""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # Switches it off or on for this session. The tools of one that is off stay in the model's list, and their calls fail.
    enabled: bool
    # Starts one that failed at once, without waiting for its next use.
    restart: bool


class _McpLoginParams(TypedDict):
    # The server's name.
    server: str


class McpLoginParams(_McpLoginParams, total=False):
    """The params of `mcp/login`. (Experimental.)"""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"
    # The scopes to ask for, in place of those of its settings and of those that the server names.
    scopes: list[str]


class _McpLogoutParams(TypedDict):
    # The server's name.
    server: str


class McpLogoutParams(_McpLogoutParams, total=False):
    """The params of `mcp/logout`. (Experimental.)"""

    # The session; may be left out where this connection has made or opened exactly one.
    sessionId: "SessionId"


class McpLogoutResult(TypedDict):
    """The result of `mcp/logout`. (Experimental.)"""

    # There was a stored login.
    removed: bool


class _ModelsListResult(TypedDict):
    # The providers: built-in ones, then the user's own.
    providers: list["ProviderInfo"]
    # The models: built-in ones, then the user's own.
    models: list["ModelInfo"]


class ModelsListResult(_ModelsListResult, total=False):
    """The providers and models known by name. Any other `provider/id` of a known provider works as well."""

    # Problems in the settings files. When a file cannot be used, the list is the one from before.
    problems: list[str]


class _ProviderInfo(TypedDict):
    # The name in `provider/id`.
    name: str
    # The availability of the key.
    key: "KeyState"
    # The source of this entry: files of the user, or where it was read.
    source: str


class ProviderInfo(_ProviderInfo, total=False):
    """A provider."""

    # The wire API: `chat`, `messages`, `responses` or `gemini`; absent where it differs by model.
    api: str
    # The URL of requests, without secret parts. Names in braces or after a dollar sign stand for variables.
    url: str
    # The environment variable for the key.
    keyVar: str


# The availability of a provider's key.
KeyState: TypeAlias = Union[Literal["set"], Literal["command"], Literal["login"], Literal["notNeeded"], Literal["missing"]]

class _ModelInfo(TypedDict):
    # `provider/id`, as `config.model` takes it.
    model: str
    # The tool profile, unless the settings choose another.
    profile: str
    # The source of this entry: files of the user, or where it was read.
    source: str


class ModelInfo(_ModelInfo, total=False):
    """A model."""

    # The display name, where it differs from the id.
    name: str
    # The maximum number of input tokens.
    window: int
    # The maximum number of output tokens.
    maxOutput: int
    # The price.
    price: "ModelPrice"
    # The model accepts images; absent where that is not known.
    vision: bool
    # The model can reason before it answers; absent where that is not known.
    reasoning: bool
    # The date of that source, as year and month.
    checked: str


class _ModelPrice(TypedDict):
    # Input that is not cached.
    inputUsdPerMtok: float
    # Output, reasoning included.
    outputUsdPerMtok: float


class ModelPrice(_ModelPrice, total=False):
    """The price of a model, in US dollars per million tokens."""

    # Input read from a cache; absent where it costs as much as other input.
    cacheReadUsdPerMtok: float
    # Input written to a cache; absent where it costs as much as other input.
    cacheWriteUsdPerMtok: float


class _AuthStatusResult(TypedDict):
    # The providers that a person can log in to.
    providers: list["ProviderAuth"]


class AuthStatusResult(_AuthStatusResult, total=False):
    """The result of `auth/status`. (Experimental.)"""

    # The reason why the stored logins cannot be used.
    problem: str


class _ProviderAuth(TypedDict):
    # The provider's name.
    provider: str
    # The ways to log in, the preferred one first.
    methods: list["AuthMethod"]
    # The source of the key in use: settings and variables precede a stored login.
    key: "KeyState"


class ProviderAuth(_ProviderAuth, total=False):
    """A provider that a person can log in to. (Experimental.)"""

    # The way in which the stored login was made; absent without one.
    stored: "AuthMethod"
    # The environment variable in use, or to set.
    keyVar: str


# A way to log in. (Experimental.)
AuthMethod: TypeAlias = Union[Literal["device"], Literal["browser"], Literal["key"]]

class _AuthLoginParams(TypedDict):
    # The provider.
    provider: str


class AuthLoginParams(_AuthLoginParams, total=False):
    """The params of `auth/login`. (Experimental.)"""

    # The way to log in; default the first one of `auth/status`.
    method: "AuthMethod"
    # The key that the person typed, for the method `key`.
    key: str


class AuthLoginResult(TypedDict):
    """The result of `auth/login`. (Experimental.)"""

    # The provider.
    provider: str
    # The way in which the person logged in.
    method: "AuthMethod"


class AuthLogoutParams(TypedDict):
    """The params of `auth/logout`. (Experimental.)"""

    # The provider.
    provider: str


class AuthLogoutResult(TypedDict):
    """The result of `auth/logout`. (Experimental.)"""

    # There was a stored login.
    removed: bool


class TrustResult(TypedDict):
    """The result of `trust/read` and `trust/agree`. (Experimental.)"""

    # The project's root: the root of the git repository, or the session's working directory outside one.
    root: str
    # Whether the user trusts the project. If not, the engine uses none of the files.
    isTrusted: bool
    # The files, sorted by path: permissions, rules, MCP servers, skills, and agents.
    files: list["ProjectFile"]


class ProjectFile(TypedDict):
    """A project file that configures the engine. (Experimental.)"""

    # The path relative to the project's root, separated by `/`.
    path: str
    # The SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing.
    sha256: str
    # Whether the user agreed to this content.
    standing: "Standing"


# Whether the user agreed to the content of a project file. (Experimental.)
Standing: TypeAlias = Union[Literal["agreed"], Literal["new"], Literal["changed"], Literal["missing"]]

class _TrustAgreeParams(TypedDict):
    # The files to use, with the content the user saw.
    files: list["SeenFile"]


class TrustAgreeParams(_TrustAgreeParams, total=False):
    """The params of `trust/agree`. (Experimental.)"""

    # The session. Optional if this connection has created or opened exactly one.
    sessionId: "SessionId"


class SeenFile(TypedDict):
    """A project file as the user saw it. (Experimental.)"""

    # The path from `trust/read`.
    path: str
    # The SHA-256 from `trust/read`.
    sha256: str


class _CommandListResult(TypedDict):
    # The prompts, by name.
    commands: list["PromptCommand"]


class CommandListResult(_CommandListResult, total=False):
    """The result of `command/list`."""

    # Files that could not be read, each with the reason.
    problems: list[str]


class _PromptCommand(TypedDict):
    # Its name, without the slash.
    name: str
    # Its file; `mcp:SERVER` for the prompt of a server.
    path: str


class PromptCommand(_PromptCommand, total=False):
    """A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt."""

    # Its description.
    description: str
    # The arguments that may follow the name.
    argumentHint: str


class SkillListResult(TypedDict):
    """The result of `skill/list`."""

    # The skills, by name.
    skills: list["PromptCommand"]


class _HookRegisterParams(TypedDict):
    # The points at which it runs.
    points: list["HookPoint"]


class HookRegisterParams(_HookRegisterParams, total=False):
    """A hook of a client. (Experimental.)"""

    # The tools whose calls it sees: names, with `*` for any text. Default: all.
    tools: list[str]
    # The timeout in milliseconds; default 60000.
    timeoutMs: int
    # The effect of a failure; default `closed`.
    onFailure: "OnFailure"


# A point of the engine's work at which hooks run. (Experimental.)
HookPoint: TypeAlias = Union[Literal["inputReceived"], Literal["beforeAgent"], Literal["contextBuilt"], Literal["beforeModelRequest"], Literal["afterModelResponse"], Literal["beforeToolCall"], Literal["afterToolCall"], Literal["sessionCompact"], Literal["sessionStart"], Literal["sessionFork"], Literal["sessionSwitch"], Literal["sessionEnd"]]

# The effect of a hook's failure at a point where it may deny. (Experimental.)
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


# The params of `session/event`: durable if `seq` is present, transient if `after` is.
AnyRecord: TypeAlias = Union["EventRecord", "TransientRecord"]

class _TransientRecord(TypedDict):
    # The session.
    sessionId: "SessionId"
    # The sequence number of the last durable event before it.
    after: int
    # The event.
    event: "TransientEvent"


class TransientRecord(_TransientRecord, total=False):
    """A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness."""

    # The turn it belongs to.
    turnId: "TurnId"


class _TransientEventItemDelta(TypedDict):
    # The item.
    itemId: "ItemId"
    # The field that grew.
    field: "DeltaField"
    # The piece's number within item and field, from 0.
    n: int
    # The text to append.
    text: str
    type: Literal["item.delta"]


class TransientEventItemDelta(_TransientEventItemDelta, total=False):
    # The string of the arguments that grew, as a JSON Pointer such as `/content`; only with the field `input`.
    path: str
    # The number of the last piece merged into this one, if any.
    to: int


class _TransientEventState(TypedDict):
    # The state.
    value: "StateValue"
    type: Literal["state"]


class TransientEventState(_TransientEventState, total=False):
    # The ids of the approvals and questions that it waits for, when it is blocked.
    blockedOn: list[str]
    # The items of background jobs that run, also while the session is idle.
    background: list["ItemId"]


class _TransientEventContext(TypedDict):
    # The estimated tokens of the next request.
    tokens: int
    type: Literal["context"]


class TransientEventContext(_TransientEventContext, total=False):
    # The size of the context window; absent where it is not known.
    window: int


class _TransientEventStepUsage(TypedDict):
    # The step within the turn, from 1.
    step: int
    # The usage so far.
    usage: "Usage"
    type: Literal["step.usage"]


class TransientEventStepUsage(_TransientEventStepUsage, total=False):
    # The cost so far, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int


class _TransientEventNotice(TypedDict):
    # The severity.
    level: "NoticeLevel"
    # A stable code.
    code: str
    # The message.
    message: str
    type: Literal["notice"]


class TransientEventNotice(_TransientEventNotice, total=False):
    # The suggested next step.
    hint: str


# Transient events, told apart by `type`.
TransientEvent: TypeAlias = Union["TransientEventItemDelta", "TransientEventState", "TransientEventContext", "TransientEventStepUsage", "TransientEventNotice"]

class _ItemDelta(TypedDict):
    # The item.
    itemId: "ItemId"
    # The field that grew.
    field: "DeltaField"
    # The piece's number within item and field, from 0.
    n: int
    # The text to append.
    text: str


class ItemDelta(_ItemDelta, total=False):
    """A piece of text to append to a field of an item."""

    # The string of the arguments that grew, as a JSON Pointer such as `/content`; only with the field `input`.
    path: str
    # The number of the last piece merged into this one, if any.
    to: int


class _StepUsage(TypedDict):
    # The step within the turn, from 1.
    step: int
    # The usage so far.
    usage: "Usage"


class StepUsage(_StepUsage, total=False):
    """The usage of a reply that streams. `step.completed` has the final count."""

    # The cost so far, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int


class SessionLaggedParams(TypedDict):
    """The durable events that were not sent to a slow connection."""

    # The session.
    sessionId: "SessionId"
    # The last durable event that was sent.
    lastSentSeq: int
    # The last durable event that was not sent.
    headSeq: int


class _AuthOpenUrlParams(TypedDict):
    # The page to open.
    url: str


class AuthOpenUrlParams(_AuthOpenUrlParams, total=False):
    """The params of `auth/openUrl`. (Experimental.)"""

    # The provider, for `auth/login`.
    provider: str
    # The server, for `mcp/login`.
    mcpServer: str
    # The code to enter there.
    userCode: str
    # The time that is left, in milliseconds.
    expiresInMs: int


class ApprovalAnswer(TypedDict, total=False):
    """The answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one call."""

    # The chosen option.
    optionId: str
    # A message for the model, sent with a denial.
    feedback: str
    # The dialog was closed without a choice, which denies this one call.
    dismissed: bool


class QuestionAnswer(TypedDict, total=False):
    """The answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first where only one may be chosen; an answer with nothing left counts as dismissed."""

    # The chosen options.
    optionIds: list[str]
    # A text of the person.
    text: str
    # The dialog was closed without an answer; the model is told to decide by itself.
    dismissed: bool


class _HookRun(TypedDict):
    # The point.
    point: "HookPoint"
    # The session.
    sessionId: "SessionId"
    # The session's working directory.
    cwd: str


class HookRun(_HookRun, total=False):
    """The input of a hook. (Experimental.)"""

    # The turn; absent at points of the session.
    turnId: "TurnId"
    # The text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`.
    input: str
    # The images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They stay whatever the answer.
    images: list["Content"]
    # The system prompt, at `beforeAgent`.
    system: str
    # The messages of the model's context, at `contextBuilt`.
    conversation: list["HookMessage"]
    # The event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the present state, and where a fork is taken back.
    toSeq: int
    # The tool call, at `beforeToolCall` and `afterToolCall`.
    call: "HookCall"
    # The call's result, at `afterToolCall`.
    result: "HookResult"
    # The model's reply, at `afterModelResponse`.
    response: "HookResponse"
    # The number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`.
    messages: int
    # The unfinished parts of the model's plan, at `beforeAgent`.
    openTodos: str


class _HookMessageUser(TypedDict):
    role: Literal["user"]
    # The content.
    content: list["Content"]


class HookMessageUser(_HookMessageUser, total=False):
    # The position in the context, from 0. A message that is returned unchanged with its position keeps what hooks do not see, such as reasoning.
    index: int


class _HookMessageAssistant(TypedDict):
    role: Literal["assistant"]


class HookMessageAssistant(_HookMessageAssistant, total=False):
    # The position in the context, from 0.
    index: int
    # The text.
    text: str
    # The calls.
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
    # The position in the context, from 0.
    index: int
    # The call failed.
    isError: bool


# A message of the model's context, for a hook. (Experimental.)
HookMessage: TypeAlias = Union["HookMessageUser", "HookMessageAssistant", "HookMessageToolResult"]

class HookMessageCall(TypedDict):
    """A call in a message of the model's context. (Experimental.)"""

    # The id, which the result of the call repeats.
    id: str
    # The tool's name.
    name: str
    # The arguments, as the model wrote them: JSON text.
    arguments: str


class _HookCall(TypedDict):
    # Its item.
    itemId: "ItemId"
    # The tool's name.
    toolName: str
    # The kind of tool.
    kind: "ToolKind"
    # One line for a person.
    title: str
    # The arguments, as hooks before this one left them.
    arguments: Any


class HookCall(_HookCall, total=False):
    """A tool call, for a hook. (Experimental.)"""

    # The files concerned.
    locations: list["Location"]


class _HookResult(TypedDict):
    # The text for the model.
    text: str


class HookResult(_HookResult, total=False):
    """The result of a tool call, for a hook. (Experimental.)"""

    # The call failed.
    isError: bool


class _HookResponse(TypedDict):
    # Its text.
    text: str


class HookResponse(_HookResponse, total=False):
    """A reply of the model, for a hook. (Experimental.)"""

    # The names of the tools that it calls, in order.
    tools: list[str]


class HookAnswer(TypedDict, total=False):
    """The answer of a hook. `{}` and an empty output change nothing. (Experimental.)"""

    # The decision; default `allow`. Permission is still requested where it is needed.
    decision: "HookDecision"
    # The reason for a denial, for the model or the person.
    reason: str
    # The new text of the message, at `inputReceived` and `beforeAgent`.
    input: str
    # The new system prompt of the turn, at `beforeAgent`.
    system: str
    # The messages of the next request, at `contextBuilt`. They hold for that request alone.
    conversation: list["HookMessage"]
    # The new arguments of the call, whole.
    arguments: Any
    # The new result of the call.
    result: "HookResult"
    # Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`.
    context: str


# The decision of a hook. (Experimental.)
HookDecision: TypeAlias = Union[Literal["allow"], Literal["deny"], Literal["handled"]]

class ToolCallParams(TypedDict):
    """A call of a tool that the client registered."""

    # The session.
    sessionId: "SessionId"
    # The call's item.
    itemId: "ItemId"
    # The tool's name.
    toolName: str
    # The arguments, as the model wrote them. They match the schema; other calls are refused.
    arguments: Any


class _ToolCallResult(TypedDict):
    # The content for the model.
    content: list["Content"]


class ToolCallResult(_ToolCallResult, total=False):
    """The result of a tool that the client registered."""

    # The call failed; the content says why.
    isError: bool


class ApplyEditParams(TypedDict):
    """The params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none."""

    # A description of the edit, for people.
    label: str
    # The documents.
    edits: list["DocumentEdit"]


class DocumentEdit(TypedDict):
    """The edit of one document."""

    # The file, as it was opened.
    path: str
    # The version that the edit was made for. If the document has another version by now, nothing is changed.
    version: int
    # The changes, in order; their ranges refer to the text of `version` and do not overlap.
    changes: list["TextEdit"]
    # The document had no unsaved changes and must be saved again, so that commands see the edit.
    save: bool


class TextEdit(TypedDict):
    """The replacement of a range of text."""

    # The range to replace.
    range: "TextRange"
    # The replacement.
    text: str


class _ApplyEditResult(TypedDict):
    # All edits were applied; otherwise none was.
    isApplied: bool


class ApplyEditResult(_ApplyEditResult, total=False):
    """The result of `workspace/applyEdit`. The client sends the changes that it made by `document/change` before its response."""

    # The reason why none was applied, or why a document could not be saved.
    failureReason: str
    # The current versions of the documents.
    versions: list["DocumentVersion"]


class DocumentVersion(TypedDict):
    """The version of a document."""

    # The file, as it was opened.
    path: str
    # The version.
    version: int


class _ErrorData(TypedDict):
    # A stable code of the failure: the name of the error, or one that says more.
    code: str


class ErrorData(_ErrorData, total=False):
    """The data of an error response."""

    # The position in the params, as a JSON Pointer.
    path: str
    # The suggested next step.
    hint: str
    # The values that would have been accepted.
    supported: list[str]
    # Of `openElsewhere`: the session is open in the engine that clients of `pintle attach` share, and any of them can open it there.
    isSharedEngine: bool


class RunLineHeader(TypedDict):
    # The version of the protocol that the events belong to.
    protocol: str
    # The hash of its schema.
    schemaHash: str
    # The engine.
    engine: "PeerInfo"
    # The session.
    sessionId: "SessionId"
    # The working directory.
    cwd: str
    type: Literal["header"]


class _RunLineResult(TypedDict):
    # The kind of end.
    status: "RunStatus"
    # The reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
    stop: str
    # The exit code of the program.
    exitCode: int
    # The last message of the model.
    text: str
    # The number of replies of the model.
    steps: int
    # The duration of the turn, in milliseconds.
    durationMs: int
    # The tokens of the task, with those of sub-agents and of the title.
    usage: "Usage"
    # The files that the agent changed.
    changes: "RunChanges"
    # The commands that ran, in order.
    commands: list["RunCommand"]
    # The calls that were denied.
    denials: list["RunDenial"]
    type: Literal["result"]


class RunLineResult(_RunLineResult, total=False):
    # The session; absent where none could be made or opened.
    sessionId: "SessionId"
    # The turn.
    turnId: "TurnId"
    # The path of the session's journal.
    journal: str
    # The answer that satisfies `--output-schema`.
    structured: Any
    # Their cost, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int
    # The same cost in US dollars.
    costUsd: float
    # The model that answered last, as `provider/id`.
    model: str
    # The findings that the model reported, in order, each once; only where a report was asked for.
    findings: list["Finding"]
    # Changed files that the patch leaves out, since they are outside of the session's folder.
    notInPatch: list[str]
    # The error, where the task failed.
    error: "TurnError"


# The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone. (Experimental.)
RunLine: TypeAlias = Union["RunLineHeader", "RunLineResult"]

class RunHeader(TypedDict):
    """The first line of `pintle run --format events`. (Experimental.)"""

    # The version of the protocol that the events belong to.
    protocol: str
    # The hash of its schema.
    schemaHash: str
    # The engine.
    engine: "PeerInfo"
    # The session.
    sessionId: "SessionId"
    # The working directory.
    cwd: str


# The kind of end of a task. (Experimental.)
RunStatus: TypeAlias = Union[Literal["success"], Literal["denied"], Literal["unchanged"], Literal["limit"], Literal["interrupted"], Literal["failed"]]

class RunChanges(TypedDict):
    """The files that differ from before the task. (Experimental.)"""

    # Their absolute paths, sorted.
    files: list[str]
    # The lines added.
    added: int
    # The lines removed.
    removed: int


class _RunCommand(TypedDict):
    # The command, whole.
    command: str
    # Its end: `cancelled` where the task ended first.
    status: "ItemStatus"


class RunCommand(_RunCommand, total=False):
    """A command that ran. (Experimental.)"""

    # Its exit code.
    exitCode: int


class _RunDenial(TypedDict):
    # The tool.
    tool: str
    # The call, in words.
    title: str
    # The reason, as the model was told.
    reason: str


class RunDenial(_RunDenial, total=False):
    """A call that was denied. (Experimental.)"""

    # The option or rule that would have allowed it; absent where none would, or where a person's rule denied it.
    hint: str


class _Finding(TypedDict):
    # The file, relative to the working directory.
    path: str
    # Its weight.
    severity: "Severity2"
    # The name for its kind.
    rule: str
    # The model's words about it.
    message: str


class Finding(_Finding, total=False):
    """Something wrong at a place in a file. (Experimental.)"""

    # The first line, 1-based; absent where the finding is about the whole file.
    line: int
    # The last line, which is part of it.
    endLine: int
    # The text that is to stand in place of these lines.
    fix: str


# The weight of a finding. Ordered from the least to the most severe. (Experimental.)
Severity2: TypeAlias = Union[Literal["note"], Literal["warning"], Literal["error"]]

class _RunResult(TypedDict):
    # The kind of end.
    status: "RunStatus"
    # The reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
    stop: str
    # The exit code of the program.
    exitCode: int
    # The last message of the model.
    text: str
    # The number of replies of the model.
    steps: int
    # The duration of the turn, in milliseconds.
    durationMs: int
    # The tokens of the task, with those of sub-agents and of the title.
    usage: "Usage"
    # The files that the agent changed.
    changes: "RunChanges"
    # The commands that ran, in order.
    commands: list["RunCommand"]
    # The calls that were denied.
    denials: list["RunDenial"]


class RunResult(_RunResult, total=False):
    """The result of `pintle run`. (Experimental.)"""

    # The session; absent where none could be made or opened.
    sessionId: "SessionId"
    # The turn.
    turnId: "TurnId"
    # The path of the session's journal.
    journal: str
    # The answer that satisfies `--output-schema`.
    structured: Any
    # Their cost, in billionths of a US dollar; absent where the price is not known.
    costNanoUsd: int
    # The same cost in US dollars.
    costUsd: float
    # The model that answered last, as `provider/id`.
    model: str
    # The findings that the model reported, in order, each once; only where a report was asked for.
    findings: list["Finding"]
    # Changed files that the patch leaves out, since they are outside of the session's folder.
    notInPatch: list[str]
    # The error, where the task failed.
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
    "session/anchors",
    "review/list",
    "review/decide",
    "review/baseline",
    "review/patch",
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
    "command/list",
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
# No such method; `data.hint` names the nearest.
METHOD_NOT_FOUND = -32601
# Params of the wrong shape or value; `data.path` points at the field.
INVALID_PARAMS = -32602
# The engine could not do its job; the message says what failed.
INTERNAL = -32603
# The request was cancelled before it had an effect.
CANCELLED = -32800
# No credentials for the provider; `data.hint` names the variable to set.
AUTH_REQUIRED = -32000
# The named session does not exist.
NOT_FOUND = -32002
# The engine supports none of the offered versions; `data.supported` lists those that it does.
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
        self, method: Literal["session/anchors"], params: "SessionAnchorsParams" = ...
    ) -> "SessionAnchorsResult": ...

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
        self, method: Literal["command/list"], params: "SessionParams" = ...
    ) -> "CommandListResult": ...

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
        elif method == "session/lagged":
            self._read_missed(message["params"])
        elif "id" in message:
            self._answer(message)

    def _read_missed(self, lagged: SessionLaggedParams) -> None:
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
