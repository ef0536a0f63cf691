// A client of pintle: types, requests, events, and session state, in one file without dependencies.
//
// Generated from protocol/src and protocol/bin/generate/client.ts by `cargo run -p pintle-protocol --bin generate`; copy it into your project.
// It imports nothing and runs in Node 20.16 or later; all but `Client.spawn` also runs in a browser.
//
//     const engine = Client.spawn(["pintle", "serve"]);
//     await engine.initialize("my-client", "1.0", { approvals: {} });
//     engine.on("approval/request", async () => ({ optionId: "allow" }));
//     const session = await engine.create();
//     await engine.request("turn/start", { input: [{ type: "text", text: "Fix the typo." }] });
//     for await (const record of engine.records()) {
//       session.apply(record);
//       if (session.turn !== undefined && session.turn.status !== "running") break;
//     }

export const PROTOCOL_NAME = "pintle";
export const PROTOCOL_VERSION = "1.1";

/** The params of `initialize`. */
export type InitializeParams = {
  /** The protocol and the versions that the client supports. */
  protocol: ProtocolOffer;
  /** The client. */
  client?: PeerInfo;
  /** The client's capabilities. */
  capabilities?: ClientCapabilities;
};

/** The protocol versions that a client supports. */
export type ProtocolOffer = {
  /** Always `pintle`. */
  name: string;
  /** Versions, such as `1.0`; the engine takes the newest whose major part it supports. */
  versions: string[];
};

/** A program and its version. */
export type PeerInfo = {
  /** The name. */
  name: string;
  /** The version. */
  version?: string;
  /** Of a client: its id, at most 200 characters, which tells it from others of the same name. Events that its requests cause carry it as `cause.clientId`; default: its name. */
  id?: string;
};

/** The capabilities of a client. */
export type ClientCapabilities = {
  /** The client answers `approval/request`. Otherwise calls that would ask are denied, and the model is told. */
  approvals?: Supported;
  /** The client answers `question/request`. Otherwise the model is told that nobody can answer. */
  questions?: Supported;
  /** The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed. */
  applyEdit?: Supported;
  /** The deltas that the client wants. Otherwise it receives all of them, each at once. */
  deltas?: DeltaCapability;
};

/** A capability with nothing to configure: `{}`. */
export type Supported = Record<string, never>;

/** The deltas that a client wants in all of its subscriptions. */
export type DeltaCapability = {
  /** The fields whose deltas are sent; none if it is empty. Default: all of them. */
  types?: DeltaField[];
  /** The `maxLatencyMs` of subscriptions that name none. */
  coalesceMs?: number;
};

/** The fields that stream. */
export type DeltaField = 
  | /** The text of a message or of reasoning. */ "text"
  | /** The arguments of a tool call, as JSON text. */ "args"
  | /** One string of a tool call's arguments, named by `path`, without JSON's quotes and escapes: a file while it is being written. */ "input"
  | /** The output of a running tool. */ "output";

/** The result of `initialize`. */
export type InitializeResult = {
  /** The protocol version of this connection. */
  protocol: ProtocolChoice;
  /** The engine. */
  engine: EngineInfo;
  /** The engine's capabilities. */
  capabilities: EngineCapabilities;
  /** Limits of this connection. */
  limits: Limits;
};

/** The protocol version of a connection. */
export type ProtocolChoice = {
  /** Always `pintle`. */
  name: string;
  /** The version. */
  version: string;
};

/** The engine's name, version and schema. */
export type EngineInfo = {
  /** Always `pintle`. */
  name: string;
  /** The program's version. */
  version: string;
  /** A hash that changes whenever the protocol's schema does. */
  schemaHash: string;
};

/** The capabilities of this engine. */
export type EngineCapabilities = {
  /** Running turns can be steered. */
  steer?: Supported;
  /** Follow-ups wait in a queue. */
  queue?: Supported;
  /** Durable events can be read again from any `seq`. */
  replay?: Supported;
  /** Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`. */
  filters?: Supported;
  /** Documents that an editor has open are read and changed through the editor. Absent where files are on another machine. */
  documents?: Supported;
  /** Sessions can be rewound, forked and merged: `session/rewind`, `session/fork`, `session/merge`, `session/tree`. */
  history?: Supported;
  /** Changes of the agent can be reviewed hunk by hunk: `review/…`. */
  review?: Supported;
  /** Stored sessions can be searched, read, exported and deleted: `session/search` and related methods. */
  search?: Supported;
};

/** Limits of a connection. */
export type Limits = {
  /** The maximum size of a message, in bytes. */
  maxMessageBytes: number;
  /** The maximum number of unanswered requests. */
  maxInFlight: number;
};

/** An empty object, `{}`. */
export type Empty = Record<string, never>;

/** The request to withdraw. */
export type CancelParams = {
  /** The id of the request: a number or a string. */
  id: unknown;
};

/** The params of `session/create`. */
export type SessionCreateParams = {
  /** The working directory, absolute; default: the directory in which the engine was started. */
  cwd?: string;
  /** The session's title. */
  title?: string;
  /** The settings. */
  config?: SessionConfig;
  /** Subscribe this connection; default true. */
  subscribe?: boolean;
  /** The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key opens the session that the first one made, for a month and also after the engine was restarted. */
  key?: string;
};

/** The settings of a session. Those left out come from the user's settings. */
export type SessionConfig = {
  /** The model, as `provider/id` or `provider/id:effort`. */
  model?: string;
  /** The permission mode. */
  permissionMode?: PermissionMode;
  /** Instructions for this session alone, appended to the system prompt; only when the session is created. */
  systemPrompt?: string;
  /** The tools that the model sees, by name, with `*` for any text; only when the session is created. A name stands for every tool with the same purpose, so `bash` includes `shell`. Tools of clients are not limited by it. Default: all of them. */
  tools?: string[];
  /** The work mode. */
  mode?: WorkMode;
  /** Further directories that belong to the work, absolute: changes there need the same permission as in the working directory, and changes that commands make there are tracked. The session does not keep them: pass them again when you open it. Absent: unchanged. */
  additionalDirectories?: string[];
  /** Servers of the Model Context Protocol for this session, by name, beside those of the user's settings; one of the same name is used in place of theirs. The session does not keep them: pass them again when you open it. Absent: unchanged. */
  mcpServers?: Record<string, McpServer>;
};

/** The permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest. */
export type PermissionMode = 
  | /** Reading in the workspace and harmless commands run; changes and other commands are denied. */ "readOnly"
  | /** Reading in the workspace and harmless commands run; everything else asks. */ "ask"
  | /** Changes of files in the workspace run too, and commands in the sandbox. Where there is no sandbox, commands ask. */ "autoEdit"
  | /** Nothing asks, except where a rule says so. */ "full";

/** The work mode: act or plan only. */
export type WorkMode = 
  | /** The model acts. */ "act"
  | /** The model reads and plans: calls that would change something are denied until a person accepts its plan. */ "plan";

/** A server of the Model Context Protocol, for one session: a program that speaks on its streams (`command`), or an address (`url`). Its values stand for themselves: nothing in them is expanded. */
export type McpServer = {
  /** The program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory. */
  command?: string;
  /** Its arguments. */
  args?: string[];
  /** The variables that it is given. */
  env?: Record<string, string>;
  /** Its working directory, where it is not the session's. */
  cwd?: string;
  /** The address of a server that speaks streamable HTTP. */
  url?: string;
  /** The headers of each request to it. */
  headers?: Record<string, string>;
};

/** A snapshot of a session at `seq`. Every later event is sent if the connection is subscribed. */
export type SessionResult = {
  /** The session. */
  sessionId: SessionId;
  /** The number of its last durable event. */
  seq: number;
  /** The working directory. */
  cwd: string;
  /** The title. */
  title?: string;
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** The permission mode. */
  permissionMode: PermissionMode;
  /** The sandbox for its commands; absent where there is none, such as on another machine. In the mode `full`, commands run outside of it, unless it is required. */
  sandbox?: SandboxState;
  /** The work mode. */
  mode?: WorkMode;
  /** The current state. */
  state: SessionState;
  /** The running turn. */
  activeTurnId?: TurnId;
  /** The queued messages. Those that an engine accepted and did not live to have read wait here too: they begin no turn by themselves, and are read with the next prompt, before it. */
  queue?: QueuedInput[];
  /** The pending approvals. */
  approvals?: Approval[];
  /** The open questions to a person. */
  questions?: Question[];
  /** The model's plan. */
  plan?: Plan;
  /** The usage of all its turns, including sub-agents. */
  usage?: Usage;
  /** The cost of that usage, in billionths of a US dollar; absent where no price is known. */
  costNanoUsd?: number;
  /** The estimated fill level of the model's context window. */
  context?: ContextUsage;
  /** There are too many events after `fromSeq` to send at once: read them with `session/events`. */
  gap?: boolean;
};

/** The id of a session: a UUIDv7, so ids sort by creation time. */
export type SessionId = string;

/** The sandbox that confines commands which run unasked. */
export type SandboxState = {
  /** The grade that this machine enforces. */
  grade: SandboxGrade;
  /** The same in words: `full: Landlock 7, seccomp, namespaces`. */
  level: string;
  /** The parts of the confinement that this machine does not enforce, in words. */
  gaps?: string[];
  /** Every command runs in it or not at all, in each permission mode. */
  required?: boolean;
};

/** The grade to which a sandbox is enforced. */
export type SandboxGrade = 
  | /** Too little to rely on: commands ask as if there were none. */ "none"
  | /** Commands that run unasked are confined, but none runs unasked for the sandbox's sake. */ "partial"
  | /** Everything is enforced. */ "full";

/** The current state of a session. A reader never takes an unknown value for idle. */
export type SessionState = {
  /** The state. */
  value: StateValue;
  /** The ids of the approvals and questions that it waits for, when it is blocked. */
  blockedOn?: string[];
  /** The items of background jobs that run, also while the session is idle. */
  background?: ItemId[];
};

/** The state of a session. */
export type StateValue = 
  | /** Waiting for a prompt. */ "idle"
  | /** A turn runs. */ "running"
  | /** A turn waits for a person. */ "blocked"
  | /** A request to the provider failed and will be retried. */ "retrying"
  | /** A compaction runs. */ "compacting";

/** The id of an item: a message, a tool call or another thing that a client can draw. */
export type ItemId = string;

/** The id of a turn, unique over all sessions. */
export type TurnId = string;

/** A person's message that is accepted and not yet read by the model. */
export type QueuedInput = {
  /** The id that the `userMessage` item will have. */
  itemId: ItemId;
  /** The turn it belongs to: the running turn for a steer, a turn of its own for a prompt or a follow-up. */
  turnId: TurnId;
  /** The way it is delivered. */
  delivery: Delivery;
  /** The blocks, as sent. */
  content: Input[];
  /** The budget of the turn that it starts. */
  limits?: TurnLimits;
  /** The JSON Schema that the final message of the turn that it starts must satisfy. */
  outputSchema?: unknown;
};

/** The way in which a person's message reaches the model. */
export type Delivery = 
  | /** Starts a turn at once. */ "prompt"
  | /** Goes into the running turn at its next gap. */ "steer"
  | /** Starts a turn after the running turn and the earlier messages of the queue. */ "followUp";

/** One block of a prompt, a steer or a follow-up. */
export type Input = 
  | /** Plain text, as typed. `@path` mentions a file, whose content the model then reads with the message. A text that begins with `/name` calls the prompt of that name, if there is one. */ {
    type: "text";
    /** The text. */
    text: string;
  }
  | /** A file, read when the model reads the message. */ {
    type: "file";
    /** The path, absolute or relative to the working directory. */
    path: string;
    /** The lines; absent for the whole file. */
    range?: LineRange;
  }
  | /** A selected part of a file in an editor, saved or not. */ {
    type: "selection";
    /** The file's path. */
    path: string;
    /** The selected lines. */
    range: LineRange;
    /** The selected text. */
    text: string;
  }
  | /** Problems that an editor reports in a file. */ {
    type: "diagnostics";
    /** The file's path. */
    path: string;
    /** The problems. */
    items: Diagnostic[];
  }
  | /** An image. */ {
    type: "image";
    /** The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    mimeType: string;
    /** The image's bytes in base64. */
    data: string;
  };

/** A range of lines in a file, counted from 1, both ends included. */
export type LineRange = {
  /** The first line. */
  start: number;
  /** The last line. */
  end: number;
};

/** A problem in a file. */
export type Diagnostic = {
  /** The line, 1-based. */
  line: number;
  /** The severity. */
  severity: Severity;
  /** The message. */
  message: string;
  /** The tool that reported it, such as `rustc`. */
  source?: string;
};

/** The severity of a diagnostic. */
export type Severity = 
  | /** An error. */ "error"
  | /** A warning. */ "warning"
  | /** Information. */ "information"
  | /** A hint. */ "hint";

/** The budget of a turn. Reaching a limit ends the turn in order, with the stop reason `limit` and a notice. The user's settings may be stricter. */
export type TurnLimits = {
  /** The maximum number of model replies. */
  steps?: number;
  /** The maximum number of tool calls, checked between replies; those of sub-agents are not counted. */
  toolCalls?: number;
  /** The maximum number of tokens, input and output together. */
  tokens?: number;
  /** The maximum cost, in billionths of a US dollar; never reached where no price is known. */
  costNanoUsd?: number;
  /** The maximum duration in milliseconds, checked between replies. */
  durationMs?: number;
};

/** A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`. */
export type Approval = {
  /** The approval's id. */
  approvalId: ApprovalId;
  /** The session it belongs to. */
  sessionId: SessionId;
  /** The turn that waits. */
  turnId: TurnId;
  /** The tool call that waits. */
  itemId: ItemId;
  /** The tool's name. */
  toolName: string;
  /** The kind of tool. */
  kind: ToolKind;
  /** One line for a person: `bash: rm -r build`. */
  title: string;
  /** The reason why permission is needed, in a sentence. */
  reason: string;
  /** The tool's arguments, whole: the command, or the text to write. */
  input: unknown;
  /** The files concerned. */
  locations?: Location[];
  /** The rule or default that asks, in words. */
  decidedBy?: string;
  /** All that is asked about, whole, for a person to read: the command, the paths, the content. A client shows every part, or denies the call. */
  details?: ApprovalDetail[];
  /** The changes of files that the call would make, computed from the files as they are now. Left out where a call changes no file, and where its changes are not known beforehand. */
  changes?: FileChange[];
  /** The options to choose from. */
  options: ApprovalOption[];
  /** The deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none. */
  deadlineMs?: number;
};

/** The id of an approval, pending until it is answered or cancelled. */
export type ApprovalId = string;

/** The kind of a tool call; the names are those of the Agent Client Protocol. */
export type ToolKind = 
  | /** Reads files or folders. */ "read"
  | /** Changes files. */ "edit"
  | /** Deletes files. */ "delete"
  | /** Moves files. */ "move"
  | /** Searches. */ "search"
  | /** Runs a command. */ "execute"
  | /** Fetches from the network. */ "fetch"
  | /** Reasons or plans. */ "think"
  | /** Anything else. */ "other";

/** A position in a file. */
export type Location = {
  /** The absolute path. */
  path: string;
  /** The line, 1-based. */
  line?: number;
};

/** A part of a call that a person is asked about. Control characters, and characters that are invisible or change the direction of text, are drawn as signs. */
export type ApprovalDetail = {
  /** The kind of text. */
  kind: DetailKind;
  /** The text, whole, with its line ends. */
  text: string;
};

/** The kind of a text that a person is asked about. */
export type DetailKind = 
  | /** A command of the shell. */ "command"
  | /** The path of a file, resolved. */ "path"
  | /** The text that is written or inserted. */ "content"
  | /** A change of a file, as a diff or a patch. */ "diff"
  | /** An address on the network. */ "address"
  | /** The arguments of a tool as JSON. */ "arguments"
  | /** A description by the model itself, which may be wrong. */ "modelText";

/** The change of one file. */
export type FileChange = {
  /** The operation. */
  op: FileOp;
  /** The file's absolute path (the new one after a move). */
  path: string;
  /** The path before a move. */
  oldPath?: string;
  /** The change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file. */
  diff: string;
  /** The number of lines added. */
  added: number;
  /** The number of lines removed. */
  removed: number;
  /** The first line that differs, 1-based, counted in the new text: the line to which an editor jumps. */
  firstChangedLine?: number;
  /** The parts that differ within changed lines, for highlighting words; at most 1,000. */
  words?: WordSpan[];
};

/** The kind of a file change. */
export type FileOp = 
  | /** The file is new. */ "add"
  | /** The file existed, and its content changed. */ "modify"
  | /** The file was deleted. */ "delete"
  | /** The file has a new path. */ "move";

/** A part of a line that differs from its counterpart. */
export type WordSpan = {
  /** The text it belongs to. */
  side: Side;
  /** The line in that text, 1-based. */
  line: number;
  /** Its first byte in the line as UTF-8, from 0. */
  start: number;
  /** The byte after it. */
  end: number;
};

/** One of the two texts of a change. */
export type Side = 
  | /** The text before the change. */ "old"
  | /** The text after it. */ "new";

/** An option that a person can choose. */
export type ApprovalOption = {
  /** The id to send back. */
  optionId: string;
  /** The label to show. */
  label: string;
  /** The decision that it stands for. */
  decision: Decision;
  /** The scope in which the decision holds. */
  scope: Scope;
  /** The rules that the option adds, in words. */
  rules?: string[];
};

/** A decision about a tool call. A reader never takes an unknown value as permission. */
export type Decision = 
  | /** The call may run. */ "allow"
  | /** The call does not run; the turn continues and the model is told. */ "deny"
  | /** The call does not run and the turn ends. */ "abort";

/** The scope of a decision. */
export type Scope = 
  | /** This call. */ "once"
  | /** Calls like this one until the turn ends. */ "turn"
  | /** Calls like this one until the session is closed. */ "session"
  | /** Calls like this one in this project, also in later sessions. */ "project"
  | /** Calls like this one everywhere. */ "user";

/** A question to a person. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, whatever the options. */
export type Question = {
  /** The question's id. */
  questionId: QuestionId;
  /** The session it belongs to. */
  sessionId: SessionId;
  /** The turn that waits. */
  turnId: TurnId;
  /** The tool call that waits. */
  itemId: ItemId;
  /** The kind of question. */
  kind: QuestionKind;
  /** The question. */
  text: string;
  /** The plan to be accepted, as Markdown; only with the kind `plan`. */
  plan?: string;
  /** The options to choose from; without any, the answer is a text. */
  options?: QuestionOption[];
  /** Several options may be chosen. */
  multiple?: boolean;
  /** The deadline after which the default answer applies, in milliseconds since 1970. */
  deadlineMs: number;
};

/** The id of a question to a person, pending until it is answered or its deadline passes. */
export type QuestionId = string;

/** The kind of a question. A reader treats an unknown kind as `choice`. */
export type QuestionKind = 
  | /** The model needs information. Without an answer, the first option applies. */ "choice"
  | /** The model asks for its plan to be accepted. The first option accepts it and switches the session to mode `act`. Any other answer, or none, leaves the session in mode `plan`. */ "plan";

/** An option that a person can choose. */
export type QuestionOption = {
  /** The id to send back. */
  optionId: string;
  /** The label to show. */
  label: string;
};

/** The model's plan. Each plan replaces the one before. */
export type Plan = {
  /** The steps of the plan, in order. */
  items: PlanItem[];
};

/** One step of a plan. */
export type PlanItem = {
  /** The description of the step. */
  content: string;
  /** The status. */
  status: PlanStatus;
};

/** The status of a step. */
export type PlanStatus = 
  | /** Not begun. */ "pending"
  | /** In progress. */ "in_progress"
  | /** Done. */ "completed";

/** Token usage of one model reply, of a turn, or of a session. All counts are cumulative for their span. */
export type Usage = {
  /** Input tokens that were not read from a cache. */
  inputTokens: number;
  /** Output tokens, reasoning included. */
  outputTokens: number;
  /** Input tokens read from the provider's cache. */
  cacheReadTokens?: number;
  /** Input tokens written to the provider's cache. */
  cacheWriteTokens?: number;
  /** The part of the output tokens spent on reasoning, where the provider reports it. */
  reasoningTokens?: number;
  /** The searches of the web that the provider ran, which it charges for beside the tokens. */
  webSearches?: number;
};

/** The fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of what was added since. */
export type ContextUsage = {
  /** The estimated tokens of the next request. */
  tokens: number;
  /** The size of the context window; absent where it is not known. */
  window?: number;
};

/** The params of `session/open`. */
export type SessionOpenParams = {
  /** The session. */
  sessionId: SessionId;
  /** Subscribe this connection; default true. */
  subscribe?: boolean;
  /** Send the events after this number first. */
  fromSeq?: number;
  /** Send this many of the last events first, if `fromSeq` is left out. */
  tail?: number;
  /** Another working directory from now on, absolute: for a session whose folder was moved or deleted. Refused with `conflict` while the session is open elsewhere in another folder. */
  cwd?: string;
  /** The settings from now on. */
  config?: SessionConfig;
  /** The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
};

/** The params of `session/list`. */
export type SessionListParams = {
  /** Only sessions with this working directory. */
  cwd?: string;
  /** Include the sessions of sub-agents; default false. */
  subagents?: boolean;
  /** Only sessions with this text in their title or working directory, ignoring case. */
  query?: string;
  /** The `nextCursor` of the page before. */
  cursor?: string;
  /** Only archived sessions; default false: only the others. */
  archived?: boolean;
  /** The maximum number of sessions, 1 to 1000; default 50. */
  limit?: number;
};

/** A page of sessions. */
export type SessionListResult = {
  /** The sessions, newest first. */
  sessions: SessionSummary[];
  /** The cursor of the next page; absent on the last one. */
  nextCursor?: string;
};

/** A stored session, as shown in lists. */
export type SessionSummary = {
  /** The session. */
  sessionId: SessionId;
  /** The working directory. */
  cwd: string;
  /** The title that it was given, or the beginning of its first prompt. */
  title?: string;
  /** The creation time, in milliseconds since 1970. */
  createdMs: number;
  /** The time of the last write to its journal, in milliseconds since 1970. */
  updatedMs: number;
  /** The folder that holds its journal. */
  path: string;
  /** The parent, if the session is a sub-agent. */
  parent?: Parent;
  /** It is archived. */
  archived?: boolean;
};

/** The parent of a sub-agent's session. */
export type Parent = {
  /** The parent's session. */
  sessionId: SessionId;
  /** The sub-agent's id in the parent's session. */
  agentId: AgentId;
};

/** The id of a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it. */
export type AgentId = string;

/** The params of `session/update`; fields left out do not change. */
export type SessionUpdateParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again. */
  title?: 
    | string
    | null;
};

/** The result of `session/update`. */
export type SessionUpdateResult = {
  /** The title; absent when there is none. */
  title?: string;
};

/** The params of `session/archive`. */
export type SessionArchiveParams = {
  /** The session, open or not. */
  sessionId: SessionId;
  /** False takes it back into the lists; default true. */
  archived?: boolean;
};

/** The params of `session/search`. */
export type SessionSearchParams = {
  /** Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the filters. */
  query?: string;
  /** Only in sessions with this working directory. */
  cwd?: string;
  /** Only in this session. */
  sessionId?: SessionId;
  /** Only after this event of that session, such as an anchor. */
  afterSeq?: number;
  /** Only before this event of that session. */
  beforeSeq?: number;
  /** Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search that names one of these two reads journals, so it takes longer, and its hits are not ranked: the newest session comes first. */
  kinds?: EntryKind[];
  /** Only entries of these roles; empty for all. */
  roles?: EntryRole[];
  /** Only calls that concern a file with this in its path. */
  path?: string;
  /** Only entries of this time or later, in milliseconds since 1970. */
  afterMs?: number;
  /** Only entries before this time, in milliseconds since 1970. */
  beforeMs?: number;
  /** The `nextCursor` of the page before. */
  cursor?: string;
  /** The maximum number of hits, 1 to 200; default 20. */
  limit?: number;
};

/** The kind of a searchable entry. */
export type EntryKind = 
  | /** A message of a person. */ "userMessage"
  | /** A message of the model. */ "agentMessage"
  | /** A tool call: its title, command and paths. */ "toolCall"
  | /** The output of a tool call. Found only if `kinds` names it. */ "toolOutput"
  | /** Reasoning of the model. Found only if `kinds` names it. */ "reasoning";

/** The role of a searchable entry. */
export type EntryRole = 
  | /** A person, or a program in the place of one. */ "user"
  | /** The model. */ "assistant"
  | /** A tool. */ "tool";

/** The result of `session/search`. */
export type SessionSearchResult = {
  /** The hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked. */
  hits: SearchHit[];
  /** The cursor of the next page; absent on the last one. */
  nextCursor?: string;
  /** The number of sessions whose text is not indexed yet; indexing continues, so search again. */
  behind?: number;
};

/** An entry that matches. */
export type SearchHit = {
  /** The session. */
  sessionId: SessionId;
  /** The number of its event, around which `session/events` reads. */
  seq: number;
  /** The item. */
  itemId?: ItemId;
  /** The time, in milliseconds since 1970. */
  tsMs: number;
  /** The kind of entry. */
  kind: EntryKind;
  /** The role. */
  role: EntryRole;
  /** The session's title, as in lists. */
  title?: string;
  /** The session's working directory. */
  cwd: string;
  /** The text around the first match, in pieces, without line ends. */
  snippet: SnippetPiece[];
};

/** A piece of a snippet. */
export type SnippetPiece = {
  /** The text. */
  text: string;
  /** It matches the query. */
  match?: boolean;
};

/** The params of `session/export`. */
export type SessionExportParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The format. */
  format: ExportFormat;
  /** The file to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text. */
  path?: string;
  /** Overwrite an existing file. */
  overwrite?: boolean;
};

/** The format of an export. */
export type ExportFormat = 
  | /** One HTML page with everything in it and without scripts. */ "html"
  | /** Markdown. */ "md"
  | /** The events as in the journal, one a line. */ "json"
  | /** A Pi session file, version 3. */ "pi";

/** The exported session. */
export type SessionExportResult = {
  /** The text; absent where a file was written. */
  text?: string;
  /** The path of the written file, absolute. */
  path?: string;
  /** The size of the text in bytes. */
  bytes: number;
};

/** The params of `session/delete`. */
export type SessionDeleteParams = {
  /** The session. It must be named, and must not be open anywhere. */
  sessionId: SessionId;
};

/** The result of `session/delete`. */
export type SessionDeleteResult = {
  /** The deleted sessions: the sub-agents' first, then the one that was named. */
  deleted: SessionId[];
};

/** The params of `session/rewind`. */
export type SessionRewindParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The point to return to. */
  to: HistoryPoint;
  /** The scope: the conversation, the files, or both. */
  scope?: RewindScope;
  /** Files to restore although somebody else has changed them, by their absolute paths. */
  overwrite?: string[];
  /** Have the model summarize the part of the history that it loses, and keep the summary in its context. This takes a turn of its own, whose reply is nothing but the summary. */
  summarize?: boolean;
  /** Only report the effect, without changing anything. */
  dryRun?: boolean;
};

/** A point in a session's history: exactly one of its fields is set. */
export type HistoryPoint = {
  /** Before this message of a person. */
  itemId?: ItemId;
  /** After the end of this turn. */
  turnId?: TurnId;
  /** After the event with this number, which may lie beside the current path; 0 is the beginning. */
  seq?: number;
};

/** The scope of a rewind. */
export type RewindScope = 
  | /** The model's context. */ "conversation"
  | /** The files. */ "files"
  | /** Both. */ "both";

/** The effect of a rewind. */
export type SessionRewindResult = {
  /** The event after which the session continues. */
  toSeq: number;
  /** The last event before the rewind: rewinding to it undoes this rewind. */
  fromSeq: number;
  /** Items that leave the model's context. */
  dropped: ItemId[];
  /** Items that return to the model's context. */
  restored: ItemId[];
  /** The message before which the session was rewound, to be edited and sent again. */
  input?: Input[];
  /** The turn that writes the summary, if one was requested and there is something to summarize. */
  summaryTurnId?: TurnId;
  /** The effect on the files that were changed since; empty when only the conversation is rewound. */
  files?: FileFate[];
};

/** The effect of a rewind on one file. */
export type FileFate = {
  /** The path, absolute. */
  path: string;
  /** The author of the later changes. */
  owner: FileOwner;
  /** The action. */
  action: FileAction;
};

/** The author of a file's changes since the target of a rewind. */
export type FileOwner = 
  | /** The model alone. */ "agent"
  | /** Somebody else alone; the file is left. */ "other"
  | /** Both. The file is left unless `overwrite` names it. */ "conflict";

/** The action of a rewind on a file. */
export type FileAction = 
  | /** The old content is restored. */ "restore"
  | /** The file did not exist and is removed. */ "remove"
  | /** The file stays as it is. */ "leave"
  | /** The file stays as it is, because its old content was not kept, or its present content cannot be. */ "lost"
  | /** The file could not be restored. `files.changed` holds its present state, if it changed at all. */ "failed";

/** The params of `session/fork`. */
export type SessionForkParams = {
  /** The session to fork; it does not change, and need not be open. */
  sessionId: SessionId;
  /** The point up to which its history is copied; all of it by default. */
  at?: HistoryPoint;
  /** The title of the new session. */
  title?: string;
  /** The working directory of the new session, absolute; that of the other one by default. */
  cwd?: string;
  /** The settings of the new session; those left out are copied. */
  config?: SessionConfig;
  /** Subscribe this connection to the new session; default true. */
  subscribe?: boolean;
  /** The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key opens the session that the first one made, for a month and also after the engine was restarted. */
  key?: string;
};

/** The params of `session/merge`. (Experimental.) */
export type SessionMergeParams = {
  /** The session that receives the events; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The fork, made of that session by `session/fork`; it does not change, and need not be open. */
  forkId: SessionId;
};

/** The effect of a merge. The copied events follow as `session/event`, after a `history.rewound`. (Experimental.) */
export type SessionMergeResult = {
  /** The event after which the copied events are inserted. */
  toSeq: number;
  /** The last event before the merge: rewinding to it undoes the merge. */
  fromSeq: number;
  /** The number of the last copied event, at which the session now stands. */
  copiedSeq: number;
  /** Items that leave the model's context. */
  dropped: ItemId[];
  /** Items that return to the model's context. */
  restored: ItemId[];
  /** Items copied from the fork. */
  added: ItemId[];
};

/** The params of `session/label`. */
export type SessionLabelParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The point. */
  at: HistoryPoint;
  /** The label, at most 200 characters; absent to remove it. */
  label?: string;
  /** Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it. */
  metadata?: unknown;
};

/** The point whose label changed. */
export type SessionLabelResult = {
  /** The event of the point. */
  seq: number;
};

/** The params of `session/note`. */
export type SessionNoteParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The text, at most 64 KB. May be empty if there is data and the model does not read the note. */
  text?: string;
  /** The client's name for this kind of note, at most 64 characters. */
  kind?: string;
  /** Any data, at most 64 KB of JSON. The model does not read it. */
  data?: unknown;
  /** The model reads the text at its next turn; default false. */
  toModel?: boolean;
  /** Clients do not show it to people; default false. */
  hidden?: boolean;
  /** A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more. */
  key?: string;
};

/** The params of a request about one session. */
export type SessionParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
};

/** The history tree of a session. */
export type SessionTreeResult = {
  /** Messages of people and labelled points, oldest first. */
  nodes: HistoryNode[];
  /** The last event. */
  leafSeq: number;
};

/** A node of the history tree. */
export type HistoryNode = {
  /** The event. */
  seq: number;
  /** The event of the parent node; absent for the first. */
  parentSeq?: number;
  /** The message's item, if the node is a message. */
  itemId?: ItemId;
  /** The turn. */
  turnId?: TurnId;
  /** The beginning of the message. */
  text: string;
  /** The time, in milliseconds since 1970. */
  tsMs: number;
  /** The label. */
  label?: string;
  /** It lies on the current path. */
  isCurrent: boolean;
};

/** The params of `session/anchors`. (Experimental.) */
export type SessionAnchorsParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
};

/** The anchors, between which a session's items can be listed and searched. (Experimental.) */
export type SessionAnchorsResult = {
  /** The anchors, in the order of their events. */
  anchors: Anchor[];
};

/** A point of a session at which a section begins. (Experimental.) */
export type Anchor = {
  /** The event. */
  seq: number;
  /** The kind. */
  kind: AnchorKind;
  /** The label, or the beginning of the summary. */
  text?: string;
  /** The client's data about a labelled point. */
  metadata?: unknown;
  /** The session from which events were copied. */
  from?: SessionId;
  /** The time, in milliseconds since 1970. */
  tsMs: number;
  /** It lies on the current path. */
  isCurrent: boolean;
};

/** The kind of an anchor. (Experimental.) */
export type AnchorKind = 
  | /** The session begins. */ "start"
  | /** The end of the events copied into a fork or merged from one. */ "copied"
  | /** A compaction of the conversation. */ "compaction"
  | /** A summary of the history that a rewind left behind. */ "handOver"
  | /** A label. */ "label";

/** The params of `review/list`. */
export type ReviewListParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Only hunks of this file, by its absolute path. */
  path?: string;
  /** Only hunks that this turn made or changed. */
  turnId?: TurnId;
  /** Include closed hunks. */
  closed?: boolean;
};

/** The hunks by path and line, followed by closed ones, oldest first. */
export type ReviewListResult = {
  /** The hunks. */
  hunks: Hunk[];
  /** The last event that the list takes into account. */
  seq: number;
};

/** A run of changed lines: its text in the baseline (at the last accepted point) and its text now. */
export type Hunk = {
  /** The hunk's id, stable while the file changes elsewhere and never reused. */
  id: HunkId;
  /** The file's absolute path. */
  path: string;
  /** The kind: lines, or the file as a whole. */
  kind: HunkKind;
  /** The state. */
  state: HunkState;
  /** The lines in the baseline. */
  before: LineSpan;
  /** The lines in the present file. */
  after: LineSpan;
  /** The text of those lines in the baseline, with line ends; empty where the file is not text. */
  oldText: string;
  /** The text of those lines in the present file. */
  newText: string;
  /** The last event that changed its text. A decision that names an older one is refused. */
  changedSeq: number;
  /** The calls that made or changed it, in order. */
  madeBy: Maker[];
  /** Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be a person's work, undoing a turn or everything skips it; undo the hunk or its file instead. */
  cause?: string;
  /** The comments on it. */
  comments?: Comment[];
  /** The verdict that closed it. */
  verdict?: number;
  /** The number of a queued verdict about it. */
  waiting?: number;
  /** The hunk that absorbed it. */
  absorbedBy?: HunkId;
  /** The hunk that it was split from, when a decision covered only some of its lines. */
  partOf?: HunkId;
};

/** The id of a hunk within its session: the number of the event that made it, a dot, and a count. */
export type HunkId = string;

/** The kind of a hunk. */
export type HunkKind = 
  | /** Lines of a text. */ "lines"
  | /** The file as a whole: created, deleted, not text, or too large for lines. */ "file"
  | /** The file's mode bits alone. */ "mode";

/** The state of a hunk. */
export type HunkState = 
  | /** Undecided. */ "pending"
  | /** Undecided, and edited by a person. */ "modified"
  | /** An undo was refused because it would have removed lines that a person wrote. */ "conflict"
  | /** Accepted. */ "kept"
  | /** Undone. */ "undone"
  | /** Absorbed by another hunk. */ "absorbed"
  | /** Reverted by the agent or by a rewind. */ "gone";

/** A span of lines in a text. */
export type LineSpan = {
  /** The first line, from 1. For an empty span: the line before which it lies. */
  start: number;
  /** The number of lines. */
  count: number;
};

/** A call that made or changed a hunk. */
export type Maker = {
  /** The turn. */
  turnId: TurnId;
  /** The tool call. */
  itemId: ItemId;
  /** Set if the call may not have made the change: the command that ran while the file changed. */
  whileRan?: string;
};

/** A comment of a person on a hunk. */
export type Comment = {
  /** The event that added it. */
  seq: number;
  /** The side: the baseline or the present file. */
  side: Side;
  /** The lines within the hunk; absent for all. */
  lines?: LineSpan;
  /** The comment's text. */
  text: string;
};

/** The params of `review/decide`. */
export type ReviewDecideParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The requested action. */
  action: ReviewAction;
};

/** An action of a person. */
export type ReviewAction = 
  | /** Accept the hunks: the baseline takes their lines. The file stays as it is. */ {
    action: "keep";
    /** The hunks concerned. */
    target: ReviewTarget;
  }
  | /** Undo the hunks: the file gets the lines of the baseline again. */ {
    action: "undo";
    /** The hunks concerned. */
    target: ReviewTarget;
    /** Also remove lines that a person wrote into a hunk; otherwise such a hunk is a conflict. */
    discardEdits?: boolean;
  }
  | /** Revert a verdict, or withdraw a queued one. */ {
    action: "revert";
    /** The event of the verdict. */
    verdict: number;
  }
  | /** Comment on a hunk. */ {
    action: "comment";
    /** The hunk. */
    hunk: HunkId;
    /** The side: the baseline or the present file. */
    side: Side;
    /** The lines within the hunk; absent for all. */
    lines?: LineSpan;
    /** The comment's text. */
    text: string;
  };

/** The hunks that a decision concerns. */
export type ReviewTarget = 
  | /** One hunk. */ {
    of: "hunk";
    /** Its id. */
    hunk: HunkId;
    /** The `changedSeq` that was shown; the decision is refused when it has changed since. */
    changedSeq?: number;
  }
  | /** Some lines of a hunk. */ {
    of: "lines";
    /** Its id. */
    hunk: HunkId;
    /** The `changedSeq` that was shown; the lines are counted in that text. */
    changedSeq: number;
    /** The selected lines. */
    lines: LineSelection;
  }
  | /** All open hunks of a file. */ {
    of: "file";
    /** Its absolute path. */
    path: string;
  }
  | /** All open hunks that a turn made or changed. */ {
    of: "turn";
    /** The turn. */
    turnId: TurnId;
  }
  | /** All open hunks. */ {
    of: "all";
  };

/** A selection of lines of a hunk, counted within it. */
export type LineSelection = {
  /** Lines of the baseline's text. */
  old?: LineSpan;
  /** Lines of the present text. */
  new?: LineSpan;
};

/** The result of `review/decide`. */
export type ReviewDecideResult = {
  /** The event of the verdict, by which it can be reverted. For a queued verdict, its number: reverting that withdraws it. */
  seq: number;
  /** The effect on each hunk; for a queued verdict, the effect that it would have now. */
  verdict: Verdict;
  /** The verdict is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it was applied, or `review.queued` why not. */
  isQueued?: boolean;
};

/** A decision with its effect, complete enough to be the whole of an event. */
export type Verdict = {
  /** The requested action. */
  action: ReviewAction;
  /** The effect on each hunk. */
  parts: VerdictPart[];
  /** The number under which it was queued, if it was. */
  waited?: number;
};

/** The effect of a verdict on one hunk. */
export type VerdictPart = {
  /** The hunk. */
  hunk: HunkId;
  /** Its file's absolute path. */
  path: string;
  /** The effect. */
  effect: Effect;
  /** The lines concerned; absent for the whole hunk. */
  lines?: LineSelection;
  /** The outcome. */
  outcome: Outcome;
  /** For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers. */
  conflict?: string;
  /** Set if the hunk was skipped because the author of the change is unknown ([`Hunk::cause`]). */
  cause?: string;
};

/** The effect of a verdict on a hunk. */
export type Effect = 
  | /** The baseline takes its lines. */ "keep"
  | /** The file gets the lines of the baseline. */ "undo"
  | /** A kept or undone hunk is open again. */ "reopen"
  | /** A comment is added. */ "comment"
  | /** A comment is removed. */ "withdraw";

/** The outcome of a verdict for a hunk. */
export type Outcome = 
  | /** Applied. */ "applied"
  | /** Not applied: the lines have changed. */ "conflict";

/** The params of `review/baseline`. */
export type ReviewBaselineParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The file, by its absolute path. */
  path: string;
};

/** A file at its last accepted point. */
export type ReviewBaselineResult = {
  /** The file existed. */
  exists: boolean;
  /** The text; absent where there was no file or it was not UTF-8. */
  text?: string;
};

/** The params of `review/patch`. */
export type ReviewPatchParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Only open hunks; otherwise everything that the agent did and that was not undone. */
  open?: boolean;
};

/** A patch for `git apply` in the session's working directory. */
export type ReviewPatchResult = {
  /** The patch; empty when nothing was changed. */
  text: string;
  /** Changed files outside of the working directory, which the patch leaves out. */
  leftOut?: string[];
};

/** The params of `session/subscribe`. */
export type SessionSubscribeParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Send the events after this number first; default: only new ones. */
  fromSeq?: number;
  /** Send this many of the last events first, if `fromSeq` is left out. */
  tail?: number;
  /** The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
};

/** The params of `session/events`. */
export type SessionEventsParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Read the events after this number; default 0, from the start. */
  after?: number;
  /** Read the last events before this number instead; a number beyond the end gives the end of the session. Not together with `after`. */
  before?: number;
  /** The maximum number of events, 1 to 1000; default 200. */
  limit?: number;
};

/** A page of events. */
export type SessionEventsResult = {
  /** The events, in order. */
  events: EventRecord[];
  /** The number of the session's last durable event. */
  lastSeq: number;
  /** There are more events after the last one here; with `before`, before the first one. */
  more: boolean;
};

/** A durable event with its position in the session's log. It was written to the journal before it was sent anywhere. */
export type EventRecord = {
  /** The session. */
  sessionId: SessionId;
  /** The event's sequence number in its session, from 1, without gaps. */
  seq: number;
  /** The time, in milliseconds since 1970. */
  tsMs: number;
  /** The turn it belongs to. */
  turnId?: TurnId;
  /** The request of a client that it follows from at once; absent for what the engine does by itself. */
  cause?: Cause;
  /** The event. */
  event: Event;
};

/** The request that an event follows from. */
export type Cause = {
  /** The client that sent it: its `id` of `initialize`, or else its name. */
  clientId?: string;
  /** The `key` of the request. */
  key?: string;
};

/** Durable events, told apart by `type`. A reader skips a type that it does not know. */
export type Event = 
  | /** The session was created. */ SessionCreated & {
    type: "session.created";
  }
  | /** The session was closed in order; it can be opened again. */ {
    type: "session.closed";
  }
  | /** The session works in another folder from now on. Earlier events keep the paths that they had. */ SessionMoved & {
    type: "session.moved";
  }
  | /** The session's title changed or was removed. */ SessionUpdated & {
    type: "session.updated";
  }
  | /** A person's message was accepted and is on disk. It stays in the queue until a `userMessage` item with the same id is completed, or `input.removed` names it. */ QueuedInput & {
    type: "input.accepted";
  }
  | /** Messages left the queue unread by the model. They are handed back here, whole. */ {
    type: "input.removed";
    /** The messages. */
    inputs: QueuedInput[];
    /** A hook has done what they ask for, so they are not to be sent again. */
    isHandled?: boolean;
  }
  | /** Messages in the queue were edited or reordered. This is the whole queue. */ {
    type: "queue.changed";
    /** The messages, in the order in which the model will read them. */
    queue: QueuedInput[];
  }
  | /** A turn began. */ {
    type: "turn.started";
    /** The turn's model, as `provider/id`. */
    model: string;
  }
  | /** The system prompt was built. It stays the same, byte for byte, until the session's model changes; later changes of the files that it was built from are announced in an `engineMessage`. */ PromptMade & {
    type: "prompt.made";
  }
  | /** A turn ended. This is the turn's last event, and there is exactly one for each turn, also after a crash. A job that the turn started may continue; its later events belong to no turn. */ TurnCompleted & {
    type: "turn.completed";
  }
  | /** An item started. */ {
    type: "item.started";
    /** The item's current value. */
    item: Item;
  }
  | /** An item changed; this is its whole new value. */ {
    type: "item.updated";
    /** The item's current value. */
    item: Item;
  }
  | /** An item ended; this is its whole final value. */ {
    type: "item.completed";
    /** The item's final value. */
    item: Item;
  }
  | /** An approval is requested. */ Approval & {
    type: "approval.requested";
  }
  | /** An approval was answered or withdrawn. */ ApprovalOutcome & {
    type: "approval.resolved";
  }
  | /** A question is put to a person. */ Question & {
    type: "question.requested";
  }
  | /** A question was answered or withdrawn. */ QuestionOutcome & {
    type: "question.resolved";
  }
  | /** The model changed its plan; this is the whole plan. */ Plan & {
    type: "plan.updated";
  }
  | /** A model reply ended, complete or cut off; its tool calls, if any, run now. */ StepCompleted & {
    type: "step.completed";
  }
  | /** The provider failed, and the request is retried after a delay. What was shown of the interrupted reply stays, its open items are cancelled, and the model replies anew. */ RetryScheduled & {
    type: "retry.scheduled";
  }
  | /** Old results were removed from the model's context to make room. The journal keeps them. */ ContextPruned & {
    type: "context.pruned";
  }
  | /** The session's settings changed, with effect from the next turn. */ ConfigChanged & {
    type: "config.changed";
  }
  | /** Files were changed. The event follows the end of the call that changed them. */ FilesChanged & {
    type: "files.changed";
  }
  | /** A person decided about hunks. */ Verdict & {
    type: "review.decided";
  }
  | /** The queue of verdicts that wait for the next gap between two calls changed. */ ReviewQueue & {
    type: "review.queued";
  }
  | /** The session continues from another point of its history. Later events stay in the journal, but no longer in the model's context. */ HistoryRewound & {
    type: "history.rewound";
  }
  | /** The label of a point in the history changed. */ LabelChanged & {
    type: "label.changed";
  }
  | /** A notice for a person. */ Notice & {
    type: "notice";
  };

/** The instructions of a named agent. */
export type AgentRole = {
  /** The name. */
  name: string;
  /** The instructions. */
  instructions: string;
  /** The tools that it may use, as its file names them; absent for all. */
  tools?: string[];
};

/** The origin of a forked session. */
export type ForkedFrom = {
  /** The session that was forked. */
  sessionId: SessionId;
  /** The last event of that session that is part of this session's history. */
  seq: number;
  /** The number of the last copied event in this session. */
  copiedSeq: number;
};

/** The settings that the session was created with. */
export type SessionCreated = {
  /** The working directory, absolute. */
  cwd: string;
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** The permission mode. */
  permissionMode: PermissionMode;
  /** The work mode. */
  mode?: WorkMode;
  /** The title, if one was given. */
  title?: string;
  /** The parent, if the session is a sub-agent. */
  parent?: Parent;
  /** The named agent whose instructions it follows, if any. */
  role?: AgentRole;
  /** Instructions for this session alone. */
  systemPrompt?: string;
  /** The names of the tools that its model sees; all of them if absent. */
  tools?: string[];
  /** The origin of the history it began with, if it is a fork. */
  forkedFrom?: ForkedFrom;
};

/** The session works in another folder. */
export type SessionMoved = {
  /** The working directory until now. */
  from: string;
  /** The working directory from now on. */
  cwd: string;
};

/** The author of a session's title. */
export type TitledBy = 
  | /** A person. A model never replaces such a title. */ "person"
  | /** A model, once, after the first turn. */ "model";

/** The session's title changed. */
export type SessionUpdated = {
  /** The title; absent when it was removed. */
  title?: string;
  /** The author of the title. */
  by: TitledBy;
  /** The usage of the request that made it, where a model did; it belongs to no turn. */
  usage?: Usage;
  /** The cost of that usage, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
};

/** A file that a system prompt contains or names. */
export type PromptSource = {
  /** The kind of file. */
  kind: PromptSourceKind;
  /** Its absolute path. */
  path: string;
};

/** The kind of a file in a system prompt. */
export type PromptSourceKind = 
  | /** Instructions for agents: `AGENTS.md` and similar files. */ "document"
  | /** A rule. */ "rule"
  | /** A skill. */ "skill"
  | /** A named agent. */ "agent";

/** The sources of a system prompt. */
export type PromptMade = {
  /** The files that it contains or names, in order. */
  sources?: PromptSource[];
};

/** The final status of a turn. */
export type TurnStatus = 
  | /** The model stopped by itself. */ "completed"
  | /** The turn was interrupted. */ "interrupted"
  | /** The turn could not continue; `error` says why. */ "failed";

/** The reason why a model stopped. */
export type StopReason = 
  | /** It finished. */ "endTurn"
  | /** It called tools. */ "toolUse"
  | /** It reached its output limit. */ "maxTokens"
  | /** It declined to answer. */ "refusal"
  | /** The provider paused a long reply, which the engine then asks it to continue. */ "paused"
  | /** The engine ended the turn at a limit or because the model repeated itself; a notice says which. */ "limit"
  | /** A reason that this engine does not know; treated as finished. */ "other";

/** The error that ended a turn. */
export type TurnError = {
  /** A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may be added. */
  code: string;
  /** The message, for a person. */
  message: string;
  /** The suggested next step. */
  hint?: string;
  /** A retry may succeed. */
  retryable?: boolean;
  /** The provider's HTTP status. */
  httpStatus?: number;
};

/** The outcome of a turn. */
export type TurnCompleted = {
  /** The final status. */
  status: TurnStatus;
  /** The reason why the model stopped, when the model ended the turn. */
  stop?: StopReason;
  /** The error, when the turn failed. */
  error?: TurnError;
  /** The turn's usage, including that of sub-agents whose turns ended meanwhile. */
  usage: Usage;
  /** The cost of that usage, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
  /** The number of model replies. */
  steps: number;
  /** The number of denied tool calls. */
  denials?: number;
  /** The final message as a JSON value that satisfies the turn's `outputSchema`; absent without one, and where a limit or a person ended the turn. */
  structured?: unknown;
  /** The duration in milliseconds. */
  durationMs: number;
};

/** A unit that a client can draw. The event that completes an item carries its whole value, so the deltas before it are never needed for correctness. */
export type Item = {
  /** The item's id. */
  id: ItemId;
  /** The turn it belongs to. */
  turnId?: TurnId;
  /** The step (model reply) within the turn, from 1; absent for items that no model made. */
  step?: number;
  /** The item's status. */
  status: ItemStatus;
  /** The start time, in milliseconds since 1970; of a call that runs, when it began to run. */
  startedMs: number;
  /** The duration in milliseconds; present once the item has ended. */
  durationMs?: number;
} & (
  | /** A person's message (a prompt, a steer or a follow-up) at the position where the model reads it. */ UserMessage & {
    type: "userMessage";
  }
  | /** A message of the model. */ TextBody & {
    type: "agentMessage";
  }
  | /** The model's reasoning, as far as its provider shows it. */ TextBody & {
    type: "reasoning";
  }
  | /** A tool call. */ ToolCall & {
    type: "toolCall";
  }
  | /** A background job. It may outlive the turn that started it. */ Job & {
    type: "job";
  }
  | /** A sub-agent, from its start until it is closed. It may outlive the turn that started it. */ Subagent & {
    type: "subagent";
  }
  | /** A compaction of the conversation. */ Compaction & {
    type: "compaction";
  }
  | /** A message of the engine to the model, at the position where the model reads it. */ EngineMessage & {
    type: "engineMessage";
  });

/** The status of an item. A reader treats an unknown value as still running. */
export type ItemStatus = 
  | /** Announced but not begun; a tool call whose arguments still stream. */ "pending"
  | /** In progress. */ "running"
  | /** Completed successfully. */ "completed"
  | /** Failed; the output says why. */ "failed"
  | /** Denied by a person or by the policy; it never ran. */ "declined"
  | /** Stopped before its end, or never begun because the turn was stopped. */ "cancelled";

/** A person's message in the conversation. */
export type UserMessage = {
  /** The blocks, as sent. */
  content: Input[];
};

/** A text that grows while it streams. */
export type TextBody = {
  /** The whole text so far; empty in `item.started`. */
  text: string;
};

/** The result of a tool: content for the model, and details that a client may draw. */
export type ToolResult = {
  /** The content for the model. */
  content: Content[];
  /** The tool failed, was declined or was cancelled; the content says why. */
  isError?: boolean;
  /** Details for clients. */
  details?: ToolDetails;
};

/** One block of a tool's result, as the model sees it. */
export type Content = 
  | /** Text. */ {
    type: "text";
    /** The text. */
    text: string;
  }
  | /** An image. */ {
    type: "image";
    /** The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    mimeType: string;
    /** The image's bytes in base64. */
    data: string;
  };

/** Details of a tool's result that only clients need. */
export type ToolDetails = {
  /** The files it changed. */
  changes?: FileChange[];
  /** A command's exit code. */
  exitCode?: number;
  /** The name of the signal that ended a command, such as `SIGKILL`. */
  signal?: string;
  /** The record of the output's truncation, if it was truncated. */
  truncation?: Truncation;
  /** A file that holds the whole output, when it was truncated. */
  fullOutputPath?: string;
  /** The whole output for `blob/read`, when it was truncated. */
  fullOutput?: FullOutput;
  /** The background jobs concerned. */
  jobs?: JobRef[];
  /** The sub-agent that it started. */
  agent?: AgentId;
  /** The sandbox that the command ran in; absent if it was not confined. */
  sandbox?: SandboxReport;
  /** The reason why the permissions denied the call; absent if they did not. */
  denial?: Denial;
};

/** A record of the truncation of a tool's output, made before the model saw it. */
export type Truncation = {
  /** The limit that was exceeded; absent when nothing was cut. */
  truncatedBy?: TruncatedBy;
  /** Lines of the whole output; a trailing newline does not count as one more. */
  totalLines: number;
  /** Bytes of the whole output. */
  totalBytes: number;
  /** Lines that remain. */
  outputLines: number;
  /** Bytes that remain. */
  outputBytes: number;
  /** The last remaining line was itself cut at its start. */
  lastLinePartial?: boolean;
  /** Nothing remains because the first line alone exceeds the byte limit. */
  firstLineExceedsLimit?: boolean;
  /** The limit in lines. */
  maxLines: number;
  /** The limit in bytes. */
  maxBytes: number;
};

/** The limit that truncated an output. */
export type TruncatedBy = 
  | /** The limit in lines. */ "lines"
  | /** The limit in bytes. */ "bytes";

/** A reference to a whole output that the session keeps. */
export type FullOutput = {
  /** Its name for `blob/read`. */
  ref: string;
  /** Its size in bytes. */
  bytes: number;
};

/** A reference from a tool call to a background job. */
export type JobRef = {
  /** The job's id. */
  jobId: JobId;
  /** The job's item. */
  itemId: ItemId;
  /** The result reports how the job ended. */
  hasEnded?: boolean;
};

/** The id of a background job within its session: `job-1`, `job-2` …, short because a model writes it. */
export type JobId = string;

/** The sandbox of a command that ran confined. */
export type SandboxReport = {
  /** The level that the kernel enforced, in words: `full: Landlock 7, seccomp, namespaces`. */
  level: string;
  /** The sandbox is the likely cause of the command's failure. The same command again asks to run outside of it. */
  denied?: boolean;
  /** Protected files that the command created. */
  created?: string[];
  /** Hosts that a command which failed was refused, as a rule names them: `docs.rs`, `localhost:8080`. */
  refusedHosts?: string[];
};

/** A denial by the permissions, and what would have allowed the call. */
export type Denial = {
  /** The rule, mode or list that decided, in words. */
  decidedBy: string;
  /** The narrowest permission mode in which the call would have run, with the rules if there are some; absent where no mode is enough. */
  mode?: PermissionMode;
  /** The rules that would have allowed it, in words; with `mode`, both are needed. */
  rules?: string[];
};

/** A tool call, from the first byte of its arguments to its result. */
export type ToolCall = {
  /** The tool's name, as the model calls it. */
  toolName: string;
  /** One line for a person: `bash: cargo test`. */
  title: string;
  /** The kind of tool, for icons and rules. */
  kind: ToolKind;
  /** The model's provider runs the tool itself: nobody is asked, and `item/cancel` does not stop it. */
  byProvider?: boolean;
  /** The files and lines concerned. */
  locations?: Location[];
  /** The arguments; absent until they are complete. */
  input?: unknown;
  /** The arguments that a hook put in their place; the call ran with these. */
  changedInput?: unknown;
  /** The result; absent until the call has ended. */
  output?: ToolResult;
};

/** The way a background job ended. */
export type JobEnd = 
  | /** The command exited; `details.exitCode` holds the code. */ "exited"
  | /** A signal that the engine did not send ended it; `details.signal` names it. */ "signalled"
  | /** Its timeout expired. */ "timedOut"
  | /** A person or the model stopped it. */ "stopped"
  | /** It was stopped because the session ended. */ "sessionEnded"
  | /** It could not be started; `output` says why. */ "failed";

/** A background job, from its start to its end. */
export type Job = {
  /** The id that the model and clients use. */
  jobId: JobId;
  /** One line for a person. */
  title: string;
  /** The command, as the shell reads it. */
  command: string;
  /** A person ran it with `shell/run`. The model reads of it in a note, if at all. */
  byUser?: boolean;
  /** The end of the job; absent while it runs. */
  end?: JobEnd;
  /** The last part of the output; absent while the job runs, when deltas of the field `output` carry it. */
  output?: string;
  /** Exit code, signal, and the truncation of the output with a reference to the whole. */
  details?: ToolDetails;
};

/** The state of a sub-agent. */
export type SubagentState = 
  | /** A turn runs. */ "working"
  | /** Its last turn completed, and it waits for input. */ "done"
  | /** Its last turn was interrupted or failed; `result` says why. */ "failed"
  | /** It was closed. */ "closed";

/** A sub-agent: a session of its own that works on a part of the task. Its events carry that session's id. */
export type Subagent = {
  /** The id that the model and clients use. */
  agentId: AgentId;
  /** The sub-agent's session. */
  sessionId: SessionId;
  /** The task it was given. */
  task: string;
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** The sub-agent's state. */
  state: SubagentState;
  /** Its last message, as the parent's model reads it; absent until its first turn has ended. */
  result?: string;
  /** The number of its replies so far. */
  turnsUsed?: number;
  /** The tokens used so far. */
  usage?: Usage;
  /** The cost so far, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
};

/** The reason for a compaction. */
export type CompactionReason = 
  | /** The conversation approaches the model's context window. */ "threshold"
  | /** The provider refused the conversation as too long. */ "overflow"
  | /** A person requested it. */ "requested";

/** The files that the model of a session has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed. */
export type CompactionFiles = {
  /** The files that it has read and not changed. */
  read?: string[];
  /** The files that its calls have changed, created or deleted. */
  changed?: string[];
  /** The number of files that are left out. */
  omitted?: number;
};

/** A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps them all. */
export type Compaction = {
  /** The reason for the compaction. */
  reason: CompactionReason;
  /** The estimated tokens of the conversation before. */
  tokensBefore: number;
  /** The estimated tokens afterwards; absent until the compaction is completed. */
  tokensAfter?: number;
  /** The summary. While the compaction runs, deltas of the field `text` carry it. */
  summary?: string;
  /** The files that the model has read and changed so far, which the summary lists; absent if there are none. */
  files?: CompactionFiles;
  /** The reason for a failure, which leaves the conversation as it was. */
  error?: string;
};

/** A note that a client has put into the history with `session/note`. */
export type ClientNote = {
  /** The client's name for this kind of note. */
  kind?: string;
  /** The client's data. */
  data?: unknown;
  /** The model does not read it. */
  isUnread?: boolean;
  /** Clients do not show it to people. */
  isHidden?: boolean;
};

/** A message of the engine to the model. */
export type EngineMessage = {
  /** The text, as the model reads it. */
  text: string;
  /** The items of the jobs whose end it reports. */
  jobs?: ItemId[];
  /** The mode that it announces. */
  mode?: WorkMode;
  /** The review events that it reports. */
  reviewed?: number[];
  /** It summarizes the part of the history that a rewind left behind. */
  sumsUpLeft?: boolean;
  /** The note of a client that it carries. */
  note?: ClientNote;
};

/** The origin of a decision about an approval. */
export type DecidedBy = 
  | /** A client. */ "client"
  | /** No client could answer. */ "noApprover"
  | /** The deadline passed. */ "deadline"
  | /** The turn was interrupted while it waited. */ "interrupt";

/** The outcome of an approval. */
export type ApprovalOutcome = {
  /** The approval. */
  approvalId: ApprovalId;
  /** The tool call. */
  itemId: ItemId;
  /** The decision. */
  decision: Decision;
  /** The scope in which the decision holds. */
  scope: Scope;
  /** The origin of the decision. */
  by: DecidedBy;
  /** The person's message to the model. */
  feedback?: string;
};

/** The origin of an answer to a question. */
export type AnsweredBy = 
  | /** A client answered. */ "client"
  | /** A client dismissed the question. */ "dismissed"
  | /** The deadline passed: the default applies. */ "deadline"
  | /** No client could answer. */ "noClient"
  | /** The turn was interrupted while it waited. */ "interrupt";

/** The outcome of a question. */
export type QuestionOutcome = {
  /** The question. */
  questionId: QuestionId;
  /** The tool call. */
  itemId: ItemId;
  /** The chosen options. */
  optionIds?: string[];
  /** The person's text. */
  text?: string;
  /** The origin of the answer. */
  by: AnsweredBy;
};

/** The end of a model reply, with its usage and cost. */
export type StepCompleted = {
  /** The step within the turn, from 1. */
  step: number;
  /** The reason why the model stopped; absent when it was interrupted. */
  stop?: StopReason;
  /** The usage of this reply. */
  usage: Usage;
  /** The usage of the turn so far. */
  turnUsage: Usage;
  /** The cost of this reply, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
  /** The cost of the turn so far, in billionths of a US dollar; absent where no price is known. */
  turnCostNanoUsd?: number;
};

/** A retry of a failed request to a provider. */
export type RetryScheduled = {
  /** The number of this retry, from 1. */
  attempt: number;
  /** The maximum number of retries. */
  of: number;
  /** The delay in milliseconds, counted from this event. */
  delayMs: number;
  /** The error code, as in [`TurnError`]. */
  code: string;
  /** The message, for a person. */
  message: string;
};

/** Old results, and long arguments of old calls, that were removed from the model's context. */
export type ContextPruned = {
  /** The number of results. */
  results: number;
  /** The number of calls whose long arguments were shortened. */
  calls?: number;
  /** The estimated tokens before. */
  tokensBefore: number;
  /** The estimated tokens afterwards. */
  tokensAfter: number;
};

/** A session's settings from the next turn on. */
export type ConfigChanged = {
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** The permission mode. */
  permissionMode: PermissionMode;
  /** The work mode. */
  mode?: WorkMode;
};

/** The change of a file. */
export type FileRecord = {
  /** The path, absolute. */
  path: string;
  /** The state before; absent when there was no file. */
  before?: FileState;
  /** The state afterwards; absent when the file was deleted. */
  after?: FileState;
};

/** The state of a file at some time. The session keeps its content under its hash. */
export type FileState = {
  /** SHA-256 of the content, in hex. */
  sha256: string;
  /** The size in bytes. */
  size: number;
  /** The permission bits, if any. */
  mode?: number;
  /** The content was too large to be kept, so it cannot be restored. */
  isLost?: boolean;
};

/** The author of changes. */
export type ChangedBy = 
  | /** A tool call of the model. */ {
    type: "call";
    /** The call's item. */
    itemId: ItemId;
    /** Set if the command may not have made the changes: the command that ran while the files changed. */
    whileRan?: string;
  }
  | /** Somebody else, before the next call: a person, another program, a background job. */ {
    type: "other";
  }
  | /** A rewind. */ {
    type: "rewind";
  }
  | /** A person's verdict, logged in the `review.decided` before it. */ {
    type: "review";
  };

/** Files were changed. */
export type FilesChanged = {
  /** The files. */
  changes: FileRecord[];
  /** The author. */
  by: ChangedBy;
};

/** A queued verdict. */
export type WaitingVerdict = {
  /** Its number: the event that queued it. */
  id: number;
  /** The requested action. */
  action: ReviewAction;
};

/** A verdict that was not applied. */
export type RefusedVerdict = {
  /** Its number. */
  id: number;
  /** The reason, for people. */
  reason: string;
};

/** The queue of verdicts that wait for a gap between two calls of the running turn. */
export type ReviewQueue = {
  /** The queued verdicts, in order. */
  waiting: WaitingVerdict[];
  /** A verdict that left the queue without being applied. */
  refused?: RefusedVerdict;
};

/** The origin of merged events. */
export type MergedFrom = {
  /** The fork. Its usage is not counted in this session. */
  sessionId: SessionId;
  /** The last event of the fork that is now part of this session's history. */
  seq: number;
  /** The number of the last copied event in this session. */
  copiedSeq: number;
};

/** The session continues from another point of its history. */
export type HistoryRewound = {
  /** The event after which it continues; 0 is the beginning. */
  toSeq: number;
  /** Items that leave the model's context; a client removes them from its view. */
  dropped?: ItemId[];
  /** Items that return to the model's context. */
  restored?: ItemId[];
  /** The origin of the next events, when they are merged from a fork. */
  merged?: MergedFrom;
};

/** The label of a point in the history changed. */
export type LabelChanged = {
  /** The event of the point. */
  seq: number;
  /** The label; absent when it was removed. */
  label?: string;
  /** The client's data about the point. */
  metadata?: unknown;
};

/** The severity of a notice. */
export type NoticeLevel = 
  | /** For information. */ "info"
  | /** A problem that does not stop the work. */ "warning"
  | /** Something failed. */ "error";

/** A notice for a person. */
export type Notice = {
  /** The severity. */
  level: NoticeLevel;
  /** A stable code. */
  code: string;
  /** The message. */
  message: string;
  /** The suggested next step. */
  hint?: string;
};

/** The params of `blob/read`. */
export type BlobReadParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The output's name, as `details.fullOutput` gives it. */
  ref: string;
  /** The first byte, from 0; default 0. Continue with the `end` of the part before. */
  offset?: number;
  /** The maximum number of bytes, 1 to 1,048,576; default 65,536. */
  length?: number;
};

/** A part of a long output. */
export type BlobReadResult = {
  /** The text; it may be a few bytes shorter than requested, so that no character is cut. */
  text: string;
  /** The offset of its first byte. */
  offset: number;
  /** The offset after its last byte, where the next part begins. */
  end: number;
  /** The size of the whole output, in bytes. */
  size: number;
};

/** The params of `turn/start`. */
export type TurnStartParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The prompt. */
  input: Input[];
  /** The action while a turn runs; default `reject`. */
  whenBusy?: WhenBusy;
  /** The turn's budget. */
  limits?: TurnLimits;
  /** The JSON Schema that the turn's final message must satisfy. The model is told it, and a message that does not is asked for again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`. */
  outputSchema?: unknown;
  /** The trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty value ends the trace that was set before. */
  traceparent?: string;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`. */
  key?: string;
};

/** The handling of a prompt while a turn runs. */
export type WhenBusy = 
  | /** Refuse it with the error `busy`. */ "reject"
  | /** Queue it as a follow-up. */ "queue";

/** A prompt was accepted; it is on disk. */
export type TurnStartResult = {
  /** The turn that it starts, now or later. */
  turnId: TurnId;
  /** The id of its `userMessage` item. */
  itemId: ItemId;
  /** The disposition of the prompt. */
  disposition: Disposition;
};

/** The disposition of an accepted prompt. */
export type Disposition = 
  | /** Its turn starts now. */ "started"
  | /** Its turn starts when the earlier ones have ended. */ "queued";

/** The params of `turn/steer`. */
export type TurnSteerParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Refuse with `conflict` unless this turn is the running one. */
  expectedTurnId?: TurnId;
  /** The message. */
  input: Input[];
  /** The action while no turn runs; default `reject`. */
  whenIdle?: WhenIdle;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`. */
  key?: string;
};

/** The handling of a steer while no turn runs. */
export type WhenIdle = 
  | /** Do not keep it; the outcome is `noActiveTurn`. */ "reject"
  | /** Keep it in the queue; it is read with the next prompt, before it. */ "hold";

/** The result of `turn/steer`. */
export type TurnSteerResult = {
  /** The outcome. */
  outcome: SteerOutcome;
  /** The id of its `userMessage` item, when it was accepted. */
  itemId?: ItemId;
  /** The turn it goes into, when it was accepted. */
  turnId?: TurnId;
};

/** The outcome of a steer. */
export type SteerOutcome = 
  | /** Accepted for the running turn. If the turn ends before its next gap, the message starts a turn of its own. */ "accepted"
  | /** No turn runs; the message waits in the queue for the next prompt. */ "held"
  | /** No turn runs, and the message was not kept. Send it with `turn/start`. */ "noActiveTurn";

/** The params of `turn/interrupt`. */
export type TurnInterruptParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Refuse with `conflict` unless this turn is the running one. */
  turnId?: TurnId;
  /** The handling of queued messages; default `return`. */
  queue?: QueuePolicy;
};

/** The handling of queued messages when a turn is interrupted. */
export type QueuePolicy = 
  | /** Remove them from the queue and return them in `input.removed`. */ "return"
  | /** Let them start their turns after this one has ended. */ "keep";

/** The result of `turn/interrupt`. */
export type TurnInterruptResult = {
  /** The interrupted turn; absent when none runs. */
  turnId?: TurnId;
  /** The returned messages. */
  returned?: QueuedInput[];
};

/** The params of `session/compact`. */
export type SessionCompactParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Instructions for the summary. */
  instructions?: string;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted. */
  key?: string;
};

/** The compaction has started. */
export type SessionCompactResult = {
  /** The turn that performs it. */
  turnId: TurnId;
};

/** The params of `context/read`. (Experimental.) */
export type ContextReadParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Leave out the messages and return only the token counts. */
  summary?: boolean;
};

/** The last request to the model; before the first one, the request that would be sent. (Experimental.) */
export type ContextReadResult = {
  /** The fill level of the window. */
  usage: ContextUsage;
  /** The estimated tokens by source. */
  sources: ContextSource[];
  /** The system prompt. */
  system?: string;
  /** The tools. */
  tools?: ContextTool[];
  /** The messages, in order. */
  messages?: ContextMessage[];
};

/** The share of one source in the context. (Experimental.) */
export type ContextSource = {
  /** The source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added. */
  source: string;
  /** The number of messages or tools. */
  count: number;
  /** Their estimated tokens. */
  tokens: number;
};

/** A tool as described to the model. (Experimental.) */
export type ContextTool = {
  /** Its name. */
  name: string;
  /** Its description. */
  description: string;
  /** JSON Schema of its arguments. */
  parameters: unknown;
};

/** A message as it is sent to the model, independent of the provider's wire format. (Experimental.) */
export type ContextMessage = {
  /** The role: `user`, `assistant` or `result`. */
  role: string;
  /** Of a result: the id of its call. */
  callId?: string;
  /** Of a result: the call failed. */
  isError?: boolean;
  /** Its blocks. */
  blocks: ContextBlock[];
};

/** A block of a message, told apart by `type`. (Experimental.) */
export type ContextBlock = 
  | /** Text. */ {
    type: "text";
    /** The text. */
    text: string;
  }
  | /** Reasoning of the model. */ {
    type: "reasoning";
    /** The text, as far as its provider shows it. */
    text: string;
  }
  | /** A tool call. */ {
    type: "toolCall";
    /** The call's id. */
    callId: string;
    /** The tool's name. */
    name: string;
    /** The arguments, as the model wrote them. */
    arguments: string;
  }
  | /** An image. */ {
    type: "image";
    /** Its media type. */
    mimeType: string;
    /** Its size in base64, in bytes. */
    bytes: number;
  }
  | /** A block that only the provider understands, sent back to it verbatim. */ {
    type: "opaque";
    /** Its size in bytes. */
    bytes: number;
  };

/** A session's settings, and the outcome of a change. */
export type ConfigResult = {
  /** Every option, with its current value. */
  options: ConfigOption[];
  /** The ids of the options that were set. */
  applied?: string[];
  /** The values that were rejected, with the reasons. */
  rejected?: Rejected[];
};

/** An option of a session. */
export type ConfigOption = {
  /** Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be added. */
  id: string;
  /** Its display name. */
  name: string;
  /** The value, effective from the next turn. */
  value: string;
  /** The possible values; empty where any text is accepted. */
  choices?: string[];
};

/** A rejected value. */
export type Rejected = {
  /** The option's id, as it was sent. */
  id: string;
  /** The reason, and the next step. */
  reason: string;
};

/** The params of `config/set`. */
export type ConfigSetParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** New values, by the option's id. */
  values: Record<string, string>;
};

/** The queued messages, in the order in which the model will read them. */
export type QueueResult = {
  /** The messages. */
  queue: QueuedInput[];
};

/** The params of `queue/update`. */
export type QueueUpdateParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The message. */
  itemId: ItemId;
  /** The new content. */
  input?: Input[];
  /** The new delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a turn of its own. */
  delivery?: Delivery;
  /** Move it before this message of the same delivery. */
  before?: ItemId;
  /** Move it behind all messages of the same delivery. */
  toEnd?: boolean;
};

/** The params of `queue/remove`. */
export type QueueRemoveParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The messages to remove; all by default. */
  itemIds?: ItemId[];
};

/** The removed messages. */
export type QueueRemoveResult = {
  /** The messages, whole. */
  removed: QueuedInput[];
};

/** An answer to an approval, sent as a request of the client. One that names no offered option is refused, and the approval stays pending. */
export type ApprovalAnswerParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The approval. */
  approvalId: ApprovalId;
  /** The chosen option. */
  optionId?: string;
  /** A message for the model, sent with a denial. */
  feedback?: string;
  /** The dialog was closed without a choice, which denies this one call. */
  dismissed?: boolean;
};

/** An answer to a question, sent as a request of the client. One that names an option that was not offered, or is empty, is refused, and the question stays open. */
export type QuestionAnswerParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The question. */
  questionId: QuestionId;
  /** The chosen options. */
  optionIds?: string[];
  /** A text of the person. */
  text?: string;
  /** The dialog was closed without an answer; the model is told to decide by itself. */
  dismissed?: boolean;
};

/** All current diagnostics of a file; they replace the earlier ones of that file. */
export type EditorDiagnosticsParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The file, absolute or relative to the session's working directory. */
  path: string;
  /** The version of the text that was checked, as the editor counts; a report for an older version is ignored. */
  version?: number;
  /** The diagnostics; empty when there are none. */
  items: EditorDiagnostic[];
};

/** One diagnostic. */
export type EditorDiagnostic = {
  /** The lines concerned. */
  range: LineRange;
  /** The severity. The model is told of errors and warnings. */
  severity: Severity;
  /** The message. */
  message: string;
  /** The tool that reported it, such as `rustc`. */
  source?: string;
  /** The tool's code for it, such as `E0308`. */
  code?: string;
};

/** The params of `document/open`. Opening a document again replaces its earlier state. */
export type DocumentOpenParams = {
  /** The file, absolute. It need not exist yet. */
  path: string;
  /** The version of the text; it rises with every change. */
  version: number;
  /** The whole text as it would be saved, with its line ends, without a byte order mark. */
  text: string;
  /** The text has unsaved changes, so tools read it instead of the file. */
  isDirty: boolean;
};

/** The params of `document/change`. */
export type DocumentChangeParams = {
  /** The file, as it was opened. */
  path: string;
  /** The version after the changes. */
  version: number;
  /** The changes; each applies to the result of the one before. */
  changes: DocumentChange[];
  /** The text differs from the last saved one. */
  isDirty: boolean;
};

/** A change of a text. */
export type DocumentChange = {
  /** The range to replace; absent for the whole text. */
  range?: TextRange;
  /** The replacement. */
  text: string;
};

/** A range in a text. Positions beyond the end of a line or of the text mean that end. */
export type TextRange = {
  /** The start. */
  start: Position;
  /** The end, exclusive. */
  end: Position;
};

/** A position in a text. */
export type Position = {
  /** The line, from 0; lines end with `\n` or `\r\n`. */
  line: number;
  /** UTF-16 code units from the start of the line, as in LSP. */
  character: number;
};

/** The params of `document/save`: the file now holds the text of this version. */
export type DocumentSaveParams = {
  /** The file, as it was opened. */
  path: string;
  /** The version that was saved. */
  version: number;
};

/** The params of `document/close`. Unsaved text is discarded; tools read the file again. */
export type DocumentCloseParams = {
  /** The file, as it was opened. */
  path: string;
};

/** The params of `session/items`. */
export type SessionItemsParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Only items before this event; the last items by default. */
  before?: number;
  /** Only items after this event, such as an anchor. */
  after?: number;
  /** The maximum number of items, 1 to 1,000; default 100. */
  limit?: number;
};

/** The current values of items. */
export type SessionItemsResult = {
  /** The items of the current path, in the order of their last events. Items that have not ended are in the newest page. */
  items: ItemAt[];
  /** There are more items; request those before the first one's `seq`. */
  more: boolean;
};

/** An item with the last event that concerns it. */
export type ItemAt = {
  /** The event. */
  seq: number;
  /** The item. */
  item: Item;
};

/** The params of `item/read`. */
export type ItemReadParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The item. */
  itemId: ItemId;
};

/** The params of `item/cancel`. */
export type ItemCancelParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The `toolCall` item. */
  itemId: ItemId;
};

/** The params of `checkpoint/list`. */
export type CheckpointListParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
};

/** The points to which files can be restored: the start and the end of each turn. */
export type CheckpointListResult = {
  /** The checkpoints, oldest first. */
  checkpoints: Checkpoint[];
};

/** A point to which files can be restored. */
export type Checkpoint = {
  /** The event after which the checkpoint lies; 0 is the beginning. */
  seq: number;
  /** The turn that ended there. */
  turnId?: TurnId;
  /** The time, in milliseconds since 1970. */
  tsMs: number;
  /** The paths that changed since the checkpoint before, absolute. */
  changed: string[];
  /** The label of the point. */
  label?: string;
};

/** The params of `checkpoint/diff`. */
export type CheckpointDiffParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The first point. */
  from: HistoryPoint;
  /** The second point; the journal's present state by default. */
  to?: HistoryPoint;
};

/** The difference of files between two points. */
export type CheckpointDiffResult = {
  /** A patch for `git apply` in the session's working directory, with the changes of everybody. */
  text: string;
  /** Changed files that the patch leaves out: outside of that directory, or with a content that was not kept. */
  leftOut?: string[];
};

/** The params of `shell/run`. */
export type ShellRunParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The command line, as a shell reads it. */
  command: string;
  /** The model reads the command and its output with the next prompt; default true. */
  toModel?: boolean;
  /** A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its response is the one to the first. */
  key?: string;
};

/** The result of a command. */
export type ShellRunResult = {
  /** The job that ran it. Its item shows the command; deltas of the field `output` carry what it prints. */
  jobId: JobId;
  /** The end of its output, at most 2,000 lines and 50 KB. */
  output: string;
  /** Its exit code; absent where it was cancelled or ended by a signal. */
  exitCode?: number;
  /** It was cancelled. */
  cancelled?: boolean;
  /** `output` is not the whole output. */
  truncated?: boolean;
  /** The file with the whole output, if it was truncated. */
  fullOutputPath?: string;
};

/** The usage of a session. */
export type UsageReadResult = {
  /** The usage of all turns, sub-agents included, and of the titles that models made. */
  total: UsageCount;
  /** The part of each model of the session's turns, in the order of their first use. A turn's sub-agents count for the model of the turn. */
  models: ModelUsage[];
  /** The part of titles, which belong to no turn. */
  titles: UsageCount;
};

/** Counted tokens and money. */
export type UsageCount = {
  /** The number of turns. */
  turns: number;
  /** The number of model replies in these turns. */
  steps: number;
  /** The tokens. */
  usage: Usage;
  /** The cost, in billionths of a US dollar, as far as prices are known; absent where none is. */
  costNanoUsd?: number;
  /** The cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent where a price is not known, and for titles. */
  uncachedCostNanoUsd?: number;
  /** The duration of the turns in milliseconds. */
  durationMs: number;
};

/** The usage of a model. */
export type ModelUsage = {
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** The number of turns. */
  turns: number;
  /** The number of model replies in these turns. */
  steps: number;
  /** The tokens. */
  usage: Usage;
  /** The cost, in billionths of a US dollar, as far as prices are known; absent where none is. */
  costNanoUsd?: number;
  /** The cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent where a price is not known, and for titles. */
  uncachedCostNanoUsd?: number;
  /** The duration of the turns in milliseconds. */
  durationMs: number;
};

/** A session's background jobs. */
export type JobListResult = {
  /** Their items, oldest first. */
  jobs: Item[];
};

/** The params of `job/stop`. */
export type JobStopParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The job. */
  jobId: JobId;
};

/** The result of `job/stop`. */
export type JobStopResult = {
  /** The ended job's item. */
  job: Item;
};

/** The result of `mcp/list`. (Experimental.) */
export type McpListResult = {
  /** The session's servers. Those of a project's file are known once a turn has begun. */
  servers: McpServerState[];
};

/** The state of a session's server. (Experimental.) */
export type McpServerState = {
  /** Its name, unique in the session. */
  name: string;
  /** The command line or address, as it was configured. */
  target: string;
  /** Where it was configured, in words. */
  origin: string;
  /** Its status. */
  status: McpStatus;
  /** The reason of a failure, in words. */
  message?: string;
  /** The login to it; absent where it has none: a program, or an address whose settings have an `Authorization`. */
  login?: McpLoginState;
  /** Its own name and version, and the protocol's; once it is connected. */
  about?: string;
  /** Its tools, once it is connected. */
  tools?: McpTool[];
  /** The last lines that it wrote to its error output. */
  stderr?: string[];
};

/** The status of a server. (Experimental.) */
export type McpStatus = 
  | /** Nothing has used it yet. */ "idle"
  | /** It is being started. */ "starting"
  | /** It is connected. */ "ready"
  | /** It could not be started, or the connection was closed. The next use tries again. */ "failed"
  | /** It was switched off for this session. */ "off";

/** The login to a server. (Experimental.) */
export type McpLoginState = 
  | /** A person can log in with `mcp/login`; most servers need none. */ "possible"
  | /** The server refused for want of a login. */ "wanted";

/** A tool of a server. (Experimental.) */
export type McpTool = {
  /** Its name at the server. */
  name: string;
  /** The server's description of it. */
  description: string;
  /** The server says that it changes nothing. Permissions do not depend on it. */
  saysReadOnly?: boolean;
};

/** The params of `mcp/update`. (Experimental.) */
export type McpUpdateParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The server's name. */
  server: string;
  /** Switches it off or on for this session. The tools of one that is off stay in the model's list, and their calls fail. */
  enabled?: boolean;
  /** Starts one that failed at once, without waiting for its next use. */
  restart?: boolean;
};

/** The params of `mcp/login`. (Experimental.) */
export type McpLoginParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The server's name. */
  server: string;
  /** The scopes to ask for, in place of those of its settings and of those that the server names. */
  scopes?: string[];
};

/** The params of `mcp/logout`. (Experimental.) */
export type McpLogoutParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The server's name. */
  server: string;
};

/** The result of `mcp/logout`. (Experimental.) */
export type McpLogoutResult = {
  /** There was a stored login. */
  removed: boolean;
};

/** The providers and models known by name. Any other `provider/id` of a known provider works as well. */
export type ModelsListResult = {
  /** The providers: built-in ones, then the user's own. */
  providers: ProviderInfo[];
  /** The models: built-in ones, then the user's own. */
  models: ModelInfo[];
  /** Problems in the settings files. When a file cannot be used, the list is the one from before. */
  problems?: string[];
};

/** A provider. */
export type ProviderInfo = {
  /** The name in `provider/id`. */
  name: string;
  /** The wire API: `chat`, `messages`, `responses` or `gemini`; absent where it differs by model. */
  api?: string;
  /** The URL of requests, without secret parts. Names in braces or after a dollar sign stand for variables. */
  url?: string;
  /** The availability of the key. */
  key: KeyState;
  /** The environment variable for the key. */
  keyVar?: string;
  /** The source of this entry: files of the user, or where it was read. */
  source: string;
};

/** The availability of a provider's key. */
export type KeyState = 
  | /** Set. */ "set"
  | /** A command prints it on demand. */ "command"
  | /** A stored login takes its place. */ "login"
  | /** No key is needed. */ "notNeeded"
  | /** Missing: no model of this provider can answer. */ "missing";

/** A model. */
export type ModelInfo = {
  /** `provider/id`, as `config.model` takes it. */
  model: string;
  /** The display name, where it differs from the id. */
  name?: string;
  /** The maximum number of input tokens. */
  window?: number;
  /** The maximum number of output tokens. */
  maxOutput?: number;
  /** The price. */
  price?: ModelPrice;
  /** The model accepts images; absent where that is not known. */
  vision?: boolean;
  /** The model can reason before it answers; absent where that is not known. */
  reasoning?: boolean;
  /** The tool profile, unless the settings choose another. */
  profile: string;
  /** The source of this entry: files of the user, or where it was read. */
  source: string;
  /** The date of that source, as year and month. */
  checked?: string;
};

/** The price of a model, in US dollars per million tokens. */
export type ModelPrice = {
  /** Input that is not cached. */
  inputUsdPerMtok: number;
  /** Output, reasoning included. */
  outputUsdPerMtok: number;
  /** Input read from a cache; absent where it costs as much as other input. */
  cacheReadUsdPerMtok?: number;
  /** Input written to a cache; absent where it costs as much as other input. */
  cacheWriteUsdPerMtok?: number;
};

/** The result of `auth/status`. (Experimental.) */
export type AuthStatusResult = {
  /** The providers that a person can log in to. */
  providers: ProviderAuth[];
  /** The reason why the stored logins cannot be used. */
  problem?: string;
};

/** A provider that a person can log in to. (Experimental.) */
export type ProviderAuth = {
  /** The provider's name. */
  provider: string;
  /** The ways to log in, the preferred one first. */
  methods: AuthMethod[];
  /** The way in which the stored login was made; absent without one. */
  stored?: AuthMethod;
  /** The source of the key in use: settings and variables precede a stored login. */
  key: KeyState;
  /** The environment variable in use, or to set. */
  keyVar?: string;
};

/** A way to log in. (Experimental.) */
export type AuthMethod = 
  | /** A code that a person enters on a page, with any device. */ "device"
  | /** A page in a browser on the machine of the engine. */ "browser"
  | /** A key that a person types. */ "key";

/** The params of `auth/login`. (Experimental.) */
export type AuthLoginParams = {
  /** The provider. */
  provider: string;
  /** The way to log in; default the first one of `auth/status`. */
  method?: AuthMethod;
  /** The key that the person typed, for the method `key`. */
  key?: string;
};

/** The result of `auth/login`. (Experimental.) */
export type AuthLoginResult = {
  /** The provider. */
  provider: string;
  /** The way in which the person logged in. */
  method: AuthMethod;
};

/** The params of `auth/logout`. (Experimental.) */
export type AuthLogoutParams = {
  /** The provider. */
  provider: string;
};

/** The result of `auth/logout`. (Experimental.) */
export type AuthLogoutResult = {
  /** There was a stored login. */
  removed: boolean;
};

/** The result of `trust/read` and `trust/agree`. (Experimental.) */
export type TrustResult = {
  /** The project's root: the root of the git repository, or the session's working directory outside one. */
  root: string;
  /** Whether the user trusts the project. If not, the engine uses none of the files. */
  isTrusted: boolean;
  /** The files, sorted by path: permissions, rules, MCP servers, skills, and agents. */
  files: ProjectFile[];
};

/** A project file that configures the engine. (Experimental.) */
export type ProjectFile = {
  /** The path relative to the project's root, separated by `/`. */
  path: string;
  /** The SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing. */
  sha256: string;
  /** Whether the user agreed to this content. */
  standing: Standing;
};

/** Whether the user agreed to the content of a project file. (Experimental.) */
export type Standing = 
  | /** The user agreed to the current content. The file is in use if the project is trusted. */ "agreed"
  | /** The file did not exist when the user agreed to the others. It is ignored. */ "new"
  | /** The file has changed since the user agreed to it. It is ignored. */ "changed"
  | /** The user agreed to this permissions file, and it is gone or cannot be read. Every call asks until the user agrees to that. */ "missing";

/** The params of `trust/agree`. (Experimental.) */
export type TrustAgreeParams = {
  /** The session. Optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** The files to use, with the content the user saw. */
  files: SeenFile[];
};

/** A project file as the user saw it. (Experimental.) */
export type SeenFile = {
  /** The path from `trust/read`. */
  path: string;
  /** The SHA-256 from `trust/read`. */
  sha256: string;
};

/** The result of `command/list`. */
export type CommandListResult = {
  /** The prompts, by name. */
  commands: PromptCommand[];
  /** Files that could not be read, each with the reason. */
  problems?: string[];
};

/** A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt. */
export type PromptCommand = {
  /** Its name, without the slash. */
  name: string;
  /** Its description. */
  description?: string;
  /** The arguments that may follow the name. */
  argumentHint?: string;
  /** Its file; `mcp:SERVER` for the prompt of a server. */
  path: string;
};

/** The result of `skill/list`. */
export type SkillListResult = {
  /** The skills, by name. */
  skills: PromptCommand[];
};

/** A hook of a client. (Experimental.) */
export type HookRegisterParams = {
  /** The points at which it runs. */
  points: HookPoint[];
  /** The tools whose calls it sees: names, with `*` for any text. Default: all. */
  tools?: string[];
  /** The timeout in milliseconds; default 60000. */
  timeoutMs?: number;
  /** The effect of a failure; default `closed`. */
  onFailure?: OnFailure;
};

/** A point of the engine's work at which hooks run. (Experimental.) */
export type HookPoint = 
  | /** A person's message, before the model reads it. A hook may deny it, handle it in the model's place, or change its text. */ "inputReceived"
  | /** The start of a turn. A hook may deny it, add context, and change the prompt and the system prompt. */ "beforeAgent"
  | /** The model's context is complete. A hook may add to it or replace its messages, for the next request alone. */ "contextBuilt"
  | /** Before a request to the model. A hook may deny it, which ends the turn. */ "beforeModelRequest"
  | /** After a reply of the model. A hook changes nothing. */ "afterModelResponse"
  | /** A tool call, before permission is requested and before it runs. A hook may deny it or change its arguments. */ "beforeToolCall"
  | /** A tool call that ran. A hook may change its result. */ "afterToolCall"
  | /** Before a compaction. A hook may deny it; an automatic compaction then removes old results instead. */ "sessionCompact"
  | /** A session was created or opened. A hook changes nothing; not for clients. */ "sessionStart"
  | /** Before a fork of this session is made. A hook may deny it; not for clients. */ "sessionFork"
  | /** Before the session continues from another point of its history, or takes a fork back. A hook may deny it; not for clients. */ "sessionSwitch"
  | /** A session is being closed. A hook changes nothing; not for clients. */ "sessionEnd";

/** The effect of a hook's failure at a point where it may deny. (Experimental.) */
export type OnFailure = 
  | /** The failure counts as a denial. */ "closed"
  | /** The failure is ignored. */ "open";

/** A tool of a client. */
export type ToolRegisterParams = {
  /** Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest tool of a name wins, also over a built-in one. */
  name: string;
  /** Its purpose and usage, for the model. */
  description: string;
  /** JSON Schema of the arguments, an object schema. */
  parameters: unknown;
};

/** A tool that the client takes back. */
export type ToolUnregisterParams = {
  /** Its name. */
  name: string;
};

/** The params of `session/event`: durable if `seq` is present, transient if `after` is. */
export type AnyRecord = 
  | /** A durable event. */ EventRecord
  | /** A transient event. */ TransientRecord;

/** A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness. */
export type TransientRecord = {
  /** The session. */
  sessionId: SessionId;
  /** The sequence number of the last durable event before it. */
  after: number;
  /** The turn it belongs to. */
  turnId?: TurnId;
  /** The event. */
  event: TransientEvent;
};

/** Transient events, told apart by `type`. */
export type TransientEvent = 
  | /** A field of an item grew. */ ItemDelta & {
    type: "item.delta";
  }
  | /** The session's state changed. */ SessionState & {
    type: "state";
  }
  | /** The fill level of the model's context window, sent after each reply. */ ContextUsage & {
    type: "context";
  }
  | /** The usage so far of the reply that streams, where its provider reports it on the way. */ StepUsage & {
    type: "step.usage";
  }
  | /** A notice for a person that could not be written to the journal. */ Notice & {
    type: "notice";
  };

/** A piece of text to append to a field of an item. */
export type ItemDelta = {
  /** The item. */
  itemId: ItemId;
  /** The field that grew. */
  field: DeltaField;
  /** The string of the arguments that grew, as a JSON Pointer such as `/content`; only with the field `input`. */
  path?: string;
  /** The piece's number within item and field, from 0. */
  n: number;
  /** The number of the last piece merged into this one, if any. */
  to?: number;
  /** The text to append. */
  text: string;
};

/** The usage of a reply that streams. `step.completed` has the final count. */
export type StepUsage = {
  /** The step within the turn, from 1. */
  step: number;
  /** The usage so far. */
  usage: Usage;
  /** The cost so far, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
};

/** The durable events that were not sent to a slow connection. */
export type SessionLaggedParams = {
  /** The session. */
  sessionId: SessionId;
  /** The last durable event that was sent. */
  lastSentSeq: number;
  /** The last durable event that was not sent. */
  headSeq: number;
};

/** The params of `auth/openUrl`. (Experimental.) */
export type AuthOpenUrlParams = {
  /** The provider, for `auth/login`. */
  provider?: string;
  /** The server, for `mcp/login`. */
  mcpServer?: string;
  /** The page to open. */
  url: string;
  /** The code to enter there. */
  userCode?: string;
  /** The time that is left, in milliseconds. */
  expiresInMs?: number;
};

/** The answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one call. */
export type ApprovalAnswer = {
  /** The chosen option. */
  optionId?: string;
  /** A message for the model, sent with a denial. */
  feedback?: string;
  /** The dialog was closed without a choice, which denies this one call. */
  dismissed?: boolean;
};

/** The answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first where only one may be chosen; an answer with nothing left counts as dismissed. */
export type QuestionAnswer = {
  /** The chosen options. */
  optionIds?: string[];
  /** A text of the person. */
  text?: string;
  /** The dialog was closed without an answer; the model is told to decide by itself. */
  dismissed?: boolean;
};

/** The input of a hook. (Experimental.) */
export type HookRun = {
  /** The point. */
  point: HookPoint;
  /** The session. */
  sessionId: SessionId;
  /** The turn; absent at points of the session. */
  turnId?: TurnId;
  /** The session's working directory. */
  cwd: string;
  /** The text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`. */
  input?: string;
  /** The images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They stay whatever the answer. */
  images?: Content[];
  /** The system prompt, at `beforeAgent`. */
  system?: string;
  /** The messages of the model's context, at `contextBuilt`. */
  conversation?: HookMessage[];
  /** The event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the present state, and where a fork is taken back. */
  toSeq?: number;
  /** The tool call, at `beforeToolCall` and `afterToolCall`. */
  call?: HookCall;
  /** The call's result, at `afterToolCall`. */
  result?: HookResult;
  /** The model's reply, at `afterModelResponse`. */
  response?: HookResponse;
  /** The number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`. */
  messages?: number;
  /** The unfinished parts of the model's plan, at `beforeAgent`. */
  openTodos?: string;
};

/** A message of the model's context, for a hook. (Experimental.) */
export type HookMessage = 
  | /** A message of a person or of the engine. */ {
    role: "user";
    /** The position in the context, from 0. A message that is returned unchanged with its position keeps what hooks do not see, such as reasoning. */
    index?: number;
    /** The content. */
    content: Content[];
  }
  | /** A reply of the model. */ {
    role: "assistant";
    /** The position in the context, from 0. */
    index?: number;
    /** The text. */
    text?: string;
    /** The calls. */
    calls?: HookMessageCall[];
  }
  | /** The result of a call. */ {
    role: "toolResult";
    /** The position in the context, from 0. */
    index?: number;
    /** The call. */
    callId: string;
    /** The tool's name. */
    toolName: string;
    /** The content. */
    content: Content[];
    /** The call failed. */
    isError?: boolean;
  };

/** A call in a message of the model's context. (Experimental.) */
export type HookMessageCall = {
  /** The id, which the result of the call repeats. */
  id: string;
  /** The tool's name. */
  name: string;
  /** The arguments, as the model wrote them: JSON text. */
  arguments: string;
};

/** A tool call, for a hook. (Experimental.) */
export type HookCall = {
  /** Its item. */
  itemId: ItemId;
  /** The tool's name. */
  toolName: string;
  /** The kind of tool. */
  kind: ToolKind;
  /** One line for a person. */
  title: string;
  /** The arguments, as hooks before this one left them. */
  arguments: unknown;
  /** The files concerned. */
  locations?: Location[];
};

/** The result of a tool call, for a hook. (Experimental.) */
export type HookResult = {
  /** The text for the model. */
  text: string;
  /** The call failed. */
  isError?: boolean;
};

/** A reply of the model, for a hook. (Experimental.) */
export type HookResponse = {
  /** Its text. */
  text: string;
  /** The names of the tools that it calls, in order. */
  tools?: string[];
};

/** The answer of a hook. `{}` and an empty output change nothing. (Experimental.) */
export type HookAnswer = {
  /** The decision; default `allow`. Permission is still requested where it is needed. */
  decision?: HookDecision;
  /** The reason for a denial, for the model or the person. */
  reason?: string;
  /** The new text of the message, at `inputReceived` and `beforeAgent`. */
  input?: string;
  /** The new system prompt of the turn, at `beforeAgent`. */
  system?: string;
  /** The messages of the next request, at `contextBuilt`. They hold for that request alone. */
  conversation?: HookMessage[];
  /** The new arguments of the call, whole. */
  arguments?: unknown;
  /** The new result of the call. */
  result?: HookResult;
  /** Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`. */
  context?: string;
};

/** The decision of a hook. (Experimental.) */
export type HookDecision = 
  | /** Continue. */ "allow"
  | /** Do not continue. */ "deny"
  | /** The hook has done what the message asks for, at `inputReceived`: the model does not read it, and it is not handed back to be sent again. `reason` is shown to the person. */ "handled";

/** A call of a tool that the client registered. */
export type ToolCallParams = {
  /** The session. */
  sessionId: SessionId;
  /** The call's item. */
  itemId: ItemId;
  /** The tool's name. */
  toolName: string;
  /** The arguments, as the model wrote them. They match the schema; other calls are refused. */
  arguments: unknown;
};

/** The result of a tool that the client registered. */
export type ToolCallResult = {
  /** The content for the model. */
  content: Content[];
  /** The call failed; the content says why. */
  isError?: boolean;
};

/** The params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none. */
export type ApplyEditParams = {
  /** A description of the edit, for people. */
  label: string;
  /** The documents. */
  edits: DocumentEdit[];
};

/** The edit of one document. */
export type DocumentEdit = {
  /** The file, as it was opened. */
  path: string;
  /** The version that the edit was made for. If the document has another version by now, nothing is changed. */
  version: number;
  /** The changes, in order; their ranges refer to the text of `version` and do not overlap. */
  changes: TextEdit[];
  /** The document had no unsaved changes and must be saved again, so that commands see the edit. */
  save: boolean;
};

/** The replacement of a range of text. */
export type TextEdit = {
  /** The range to replace. */
  range: TextRange;
  /** The replacement. */
  text: string;
};

/** The result of `workspace/applyEdit`. The client sends the changes that it made by `document/change` before its response. */
export type ApplyEditResult = {
  /** All edits were applied; otherwise none was. */
  isApplied: boolean;
  /** The reason why none was applied, or why a document could not be saved. */
  failureReason?: string;
  /** The current versions of the documents. */
  versions?: DocumentVersion[];
};

/** The version of a document. */
export type DocumentVersion = {
  /** The file, as it was opened. */
  path: string;
  /** The version. */
  version: number;
};

/** The data of an error response. */
export type ErrorData = {
  /** A stable code of the failure: the name of the error, or one that says more. */
  code: string;
  /** The position in the params, as a JSON Pointer. */
  path?: string;
  /** The suggested next step. */
  hint?: string;
  /** The values that would have been accepted. */
  supported?: string[];
  /** Of `openElsewhere`: the session is open in the engine that clients of `pintle attach` share, and any of them can open it there. */
  isSharedEngine?: boolean;
};

/** The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone. (Experimental.) */
export type RunLine = 
  | /** The first line. */ RunHeader & {
    type: "header";
  }
  | /** The last line, at every end. */ RunResult & {
    type: "result";
  };

/** The first line of `pintle run --format events`. (Experimental.) */
export type RunHeader = {
  /** The version of the protocol that the events belong to. */
  protocol: string;
  /** The hash of its schema. */
  schemaHash: string;
  /** The engine. */
  engine: PeerInfo;
  /** The session. */
  sessionId: SessionId;
  /** The working directory. */
  cwd: string;
};

/** The kind of end of a task. (Experimental.) */
export type RunStatus = 
  | /** The task was completed. */ "success"
  | /** Something was denied. */ "denied"
  | /** Nothing was changed, though changes were required. */ "unchanged"
  | /** A limit ended it. */ "limit"
  | /** A signal, or the time for the whole task, ended it. */ "interrupted"
  | /** It failed; `error` says why. */ "failed";

/** The files that differ from before the task. (Experimental.) */
export type RunChanges = {
  /** Their absolute paths, sorted. */
  files: string[];
  /** The lines added. */
  added: number;
  /** The lines removed. */
  removed: number;
};

/** A command that ran. (Experimental.) */
export type RunCommand = {
  /** The command, whole. */
  command: string;
  /** Its end: `cancelled` where the task ended first. */
  status: ItemStatus;
  /** Its exit code. */
  exitCode?: number;
};

/** A call that was denied. (Experimental.) */
export type RunDenial = {
  /** The tool. */
  tool: string;
  /** The call, in words. */
  title: string;
  /** The reason, as the model was told. */
  reason: string;
  /** The option or rule that would have allowed it; absent where none would, or where a person's rule denied it. */
  hint?: string;
};

/** Something wrong at a place in a file. (Experimental.) */
export type Finding = {
  /** The file, relative to the working directory. */
  path: string;
  /** The first line, 1-based; absent where the finding is about the whole file. */
  line?: number;
  /** The last line, which is part of it. */
  endLine?: number;
  /** Its weight. */
  severity: Severity2;
  /** The name for its kind. */
  rule: string;
  /** The model's words about it. */
  message: string;
  /** The text that is to stand in place of these lines. */
  fix?: string;
};

/** The weight of a finding. Ordered from the least to the most severe. (Experimental.) */
export type Severity2 = 
  | /** Worth knowing. */ "note"
  | /** To be looked at. */ "warning"
  | /** To be mended. */ "error";

/** The result of `pintle run`. (Experimental.) */
export type RunResult = {
  /** The kind of end. */
  status: RunStatus;
  /** The reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added. */
  stop: string;
  /** The exit code of the program. */
  exitCode: number;
  /** The session; absent where none could be made or opened. */
  sessionId?: SessionId;
  /** The turn. */
  turnId?: TurnId;
  /** The path of the session's journal. */
  journal?: string;
  /** The last message of the model. */
  text: string;
  /** The answer that satisfies `--output-schema`. */
  structured?: unknown;
  /** The number of replies of the model. */
  steps: number;
  /** The duration of the turn, in milliseconds. */
  durationMs: number;
  /** The tokens of the task, with those of sub-agents and of the title. */
  usage: Usage;
  /** Their cost, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
  /** The same cost in US dollars. */
  costUsd?: number;
  /** The model that answered last, as `provider/id`. */
  model?: string;
  /** The files that the agent changed. */
  changes: RunChanges;
  /** The commands that ran, in order. */
  commands: RunCommand[];
  /** The calls that were denied. */
  denials: RunDenial[];
  /** The findings that the model reported, in order, each once; only where a report was asked for. */
  findings?: Finding[];
  /** Changed files that the patch leaves out, since they are outside of the session's folder. */
  notInPatch?: string[];
  /** The error, where the task failed. */
  error?: TurnError;
};

/** Requests a client sends. */
export interface ClientRequests {
  /** Opens the connection: versions, names, capabilities. It must be the first request. */
  "initialize": { params: InitializeParams; result: InitializeResult };
  /** Answers at once; for liveness checks. */
  "ping": { params: Empty; result: Empty };
  /** Interrupts what runs, closes every session of this engine in order, then answers. Send `exit` next. With an engine that several clients share, this client leaves its sessions, and what runs goes on. */
  "shutdown": { params: Empty; result: Empty };
  /** Creates a session and, by default, subscribes this connection to it. */
  "session/create": { params: SessionCreateParams; result: SessionResult };
  /** Opens a stored session, also after a crash, and, by default, subscribes this connection to it. */
  "session/open": { params: SessionOpenParams; result: SessionResult };
  /** Lists stored sessions, newest first. */
  "session/list": { params: SessionListParams; result: SessionListResult };
  /** Sets or removes a session's title. */
  "session/update": { params: SessionUpdateParams; result: SessionUpdateResult };
  /** Archives a stored session, or takes it back: lists leave archived sessions out unless they are asked for. Nothing else changes. */
  "session/archive": { params: SessionArchiveParams; result: Empty };
  /** Searches the messages of people and models and the tool calls of all stored sessions. */
  "session/search": { params: SessionSearchParams; result: SessionSearchResult };
  /** Exports a session, open or not, as a page, Markdown or JSON lines, in the result or to a file in its working directory. */
  "session/export": { params: SessionExportParams; result: SessionExportResult };
  /** Deletes a stored session for good, with the sessions of its sub-agents. A session that is open anywhere is refused. */
  "session/delete": { params: SessionDeleteParams; result: SessionDeleteResult };
  /** Returns an idle session to another point of its history, earlier or later. */
  "session/rewind": { params: SessionRewindParams; result: SessionRewindResult };
  /** Creates a session that begins with another session's history. */
  "session/fork": { params: SessionForkParams; result: SessionResult };
  /** Merges the events of a fork into the session that it was made of, as a branch of its own. Files do not change. (Experimental: it is being tried which parts of a fork come back.) */
  "session/merge": { params: SessionMergeParams; result: SessionMergeResult };
  /** Sets the label of a point in a session's history. */
  "session/label": { params: SessionLabelParams; result: SessionLabelResult };
  /** Puts a note of the client into a session's history: at once, or when the running turn is over. An `engineMessage` item carries it. */
  "session/note": { params: SessionNoteParams; result: Empty };
  /** Returns the history tree of a session. */
  "session/tree": { params: SessionParams; result: SessionTreeResult };
  /** Lists the anchors of a session, between which its items can be listed and searched. (Experimental: anchors are named for forks and merges, which are being tried.) */
  "session/anchors": { params: SessionAnchorsParams; result: SessionAnchorsResult };
  /** Lists the open hunks: changes of the agent that nobody has decided about. */
  "review/list": { params: ReviewListParams; result: ReviewListResult };
  /** Keeps, undoes or comments on hunks, or reverts a verdict. While a turn runs, a verdict that changes files waits for the next gap between two calls. */
  "review/decide": { params: ReviewDecideParams; result: ReviewDecideResult };
  /** Reads a file's content at the last accepted point. */
  "review/baseline": { params: ReviewBaselineParams; result: ReviewBaselineResult };
  /** Returns the agent's changes as a patch. */
  "review/patch": { params: ReviewPatchParams; result: ReviewPatchResult };
  /** Interrupts the session's turn and closes its journal in order. The response follows the session's last event. A session that other clients of a shared engine have open stays open; this client leaves it. */
  "session/close": { params: SessionParams; result: Empty };
  /** Subscribes this connection to the session's events, from now on or from a `seq` on, without a gap. */
  "session/subscribe": { params: SessionSubscribeParams; result: SessionResult };
  /** Unsubscribes this connection from the session's events. Its open requests for answers are withdrawn; a later subscription sends them again. */
  "session/unsubscribe": { params: SessionParams; result: Empty };
  /** Reads durable events, a page at a time. */
  "session/events": { params: SessionEventsParams; result: SessionEventsResult };
  /** Reads a part of a long output that an item names in `details.fullOutput`. */
  "blob/read": { params: BlobReadParams; result: BlobReadResult };
  /** Starts a turn with a prompt, or queues it as a follow-up. */
  "turn/start": { params: TurnStartParams; result: TurnStartResult };
  /** Puts a message into the running turn at its next gap between tool calls. */
  "turn/steer": { params: TurnSteerParams; result: TurnSteerResult };
  /** Interrupts the running turn. The response comes at once; the turn ends with the event `turn.completed`. */
  "turn/interrupt": { params: TurnInterruptParams; result: TurnInterruptResult };
  /** Compacts the conversation of an idle session. The response comes at once; the compaction is a turn with a `compaction` item. */
  "session/compact": { params: SessionCompactParams; result: SessionCompactResult };
  /** Returns the last request to the model and the fill level of its context window. (Experimental: it shows the request to the model as the engine makes it today.) */
  "context/read": { params: ContextReadParams; result: ContextReadResult };
  /** Lists the settings of a session with their values. */
  "config/list": { params: SessionParams; result: ConfigResult };
  /** Changes settings of a session from the next turn on. Invalid values are rejected with a reason, and the others take effect. */
  "config/set": { params: ConfigSetParams; result: ConfigResult };
  /** Lists the queued messages. */
  "queue/list": { params: SessionParams; result: QueueResult };
  /** Edits or moves a queued message, or changes its delivery. */
  "queue/update": { params: QueueUpdateParams; result: QueueResult };
  /** Removes messages from the queue and returns them. */
  "queue/remove": { params: QueueRemoveParams; result: QueueRemoveResult };
  /** Answers an approval that was not requested of this client, or was requested before it connected. The first answer holds: a later one gets the error `conflict` with the outcome. */
  "approval/answer": { params: ApprovalAnswerParams; result: ApprovalOutcome };
  /** Answers a question of the model, in the same way as `approval/answer`. */
  "question/answer": { params: QuestionAnswerParams; result: QuestionOutcome };
  /** Reports the current diagnostics of a file. After the model has changed that file, it reads the new ones. Clients send this for files in the session's directory whenever they change. */
  "editor/diagnostics": { params: EditorDiagnosticsParams; result: Empty };
  /** Announces a document that the editor has open. While it has unsaved changes, every tool reads its text instead of the file, and changes of it are sent back as `workspace/applyEdit`. Documents belong to the connection and end with it. */
  "document/open": { params: DocumentOpenParams; result: Empty };
  /** Sends changes of an open document. The error `conflict` means that the version did not rise: open the document again. */
  "document/change": { params: DocumentChangeParams; result: Empty };
  /** Announces that an open document was saved. */
  "document/save": { params: DocumentSaveParams; result: Empty };
  /** Announces that a document was closed. */
  "document/close": { params: DocumentCloseParams; result: Empty };
  /** Reads the current items of a session, the last ones by default, for clients that do not build them from events. */
  "session/items": { params: SessionItemsParams; result: SessionItemsResult };
  /** Reads the current value of one item, also of one beside the current path. */
  "item/read": { params: ItemReadParams; result: ItemAt };
  /** Cancels one tool call of the running turn, which goes on without it. The response comes at once; the call ends with `item.completed`. A call that waits for an approval is denied. */
  "item/cancel": { params: ItemCancelParams; result: Empty };
  /** Lists the points to which files can be restored with `session/rewind`, and the changes between them. */
  "checkpoint/list": { params: CheckpointListParams; result: CheckpointListResult };
  /** Returns the difference of files between two points as a patch. */
  "checkpoint/diff": { params: CheckpointDiffParams; result: CheckpointDiffResult };
  /** Runs a command that a person asks for, in the session's directory, as a job with `byUser`, and responds when it has ended. No permission is asked; in the mode `readOnly` it is refused. The model reads it in a note of the kind `shell`. `$/cancelRequest` stops it; a client that goes leaves it running. */
  "shell/run": { params: ShellRunParams; result: ShellRunResult };
  /** Reads the tokens and the money that a session, open or not, has used, by model. */
  "usage/read": { params: SessionParams; result: UsageReadResult };
  /** Lists the background jobs of a session that run or ended lately. */
  "job/list": { params: SessionParams; result: JobListResult };
  /** Stops a background job. The response comes when none of its processes runs any more; a job that has ended does not change. */
  "job/stop": { params: JobStopParams; result: JobStopResult };
  /** Lists the session's servers of the Model Context Protocol with their state and tools. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/list": { params: SessionParams; result: McpListResult };
  /** Switches a server off or on for the session, or starts it again. The result is that of `mcp/list`. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/update": { params: McpUpdateParams; result: McpListResult };
  /** Logs in to a server that is reached by an address, and stores the login, which every session uses. The client gets `auth/openUrl`, and the response, that of `mcp/list`, comes when the person has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/login": { params: McpLoginParams; result: McpListResult };
  /** Removes the stored login to a server. A connection to it that stands goes on until the server is started again. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/logout": { params: McpLogoutParams; result: McpLogoutResult };
  /** Lists the providers and models that are known by name, from the current settings files. */
  "models/list": { params: Empty; result: ModelsListResult };
  /** Lists the providers that a person can log in to, and who is logged in. (Experimental: the ways in which providers log people in still change.) */
  "auth/status": { params: Empty; result: AuthStatusResult };
  /** Logs in to a provider and stores the login. For the methods `device` and `browser` the client gets `auth/openUrl`, and the response comes when the person has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: the ways in which providers log people in still change.) */
  "auth/login": { params: AuthLoginParams; result: AuthLoginResult };
  /** Removes the stored login of a provider. (Experimental: the ways in which providers log people in still change.) */
  "auth/logout": { params: AuthLogoutParams; result: AuthLogoutResult };
  /** Lists the project files that configure the engine, and whether the user agreed to their current content. The notice `notAgreed` names the files that are ignored until then. (Experimental: more kinds of files may follow.) */
  "trust/read": { params: SessionParams; result: TrustResult };
  /** Agrees to project files as the user saw them. They take effect with the next turn, MCP servers with the next session. Fails with `conflict`, and agrees to nothing, if a file has changed since or the project is not trusted. (Experimental: more kinds of files may follow.) */
  "trust/agree": { params: TrustAgreeParams; result: TrustResult };
  /** Lists the prompts that can be called with `/name`, from the current files. */
  "command/list": { params: SessionParams; result: CommandListResult };
  /** Lists the skills that can be called with `/` and their name, from the current files. */
  "skill/list": { params: SessionParams; result: SkillListResult };
  /** Registers this client's hook at points of the engine's work, in all sessions that it is subscribed to, from their next turn on. It runs after the hooks of the config file and ends with the connection. (Experimental: its points follow the inside of a turn.) */
  "hook/register": { params: HookRegisterParams; result: Empty };
  /** Registers a tool of this client for the model, in all sessions that it is subscribed to, from their next turn on. It ends with the connection. */
  "tool/register": { params: ToolRegisterParams; result: Empty };
  /** Takes a tool of this connection back. Holds from the next turn on. */
  "tool/unregister": { params: ToolUnregisterParams; result: Empty };
}

/** Notifications a client sends. */
export interface ClientNotifications {
  /** Ends the process: with code 0 after `shutdown`, with 1 without. */
  "exit": { params: Empty };
  /** Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is stopped, and its result says so. Any other request that has begun is answered as usual. The engine withdraws its own requests with it. */
  "$/cancelRequest": { params: CancelParams };
}

/** Requests the engine sends. */
export interface EngineRequests {
  /** Requests permission. It is sent to every subscribed client that declared `approvals`; the first answer wins and the others get `$/cancelRequest`. */
  "approval/request": { params: Approval; result: ApprovalAnswer };
  /** Puts a question of the model to a person. It is sent to every subscribed client that declared `questions`; the first answer wins and the others get `$/cancelRequest`. */
  "question/request": { params: Question; result: QuestionAnswer };
  /** Runs a hook that this client registered. `$/cancelRequest` means that the answer is no longer awaited. (Experimental: its points follow the inside of a turn.) */
  "hook/run": { params: HookRun; result: HookAnswer };
  /** Calls a tool that this client registered. `$/cancelRequest` means that the result is no longer awaited. */
  "tool/call": { params: ToolCallParams; result: ToolCallResult };
  /** Asks a client with the capability `applyEdit` to change documents that it has open. A document that has another version by now stays as it is. */
  "workspace/applyEdit": { params: ApplyEditParams; result: ApplyEditResult };
}

/** Notifications the engine sends. */
export interface EngineNotifications {
  /** Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is stopped, and its result says so. Any other request that has begun is answered as usual. The engine withdraws its own requests with it. */
  "$/cancelRequest": { params: CancelParams };
  /** Delivers an event of a session. */
  "session/event": { params: AnyRecord };
  /** Announces that this connection read too slowly and the durable events between the two numbers were not sent. Read them with `session/events`; events after `headSeq` are sent as usual. */
  "session/lagged": { params: SessionLaggedParams };
  /** Asks the client to show a page, and a code to enter there, to the person who logs in with `auth/login` or `mcp/login`. (Experimental: the ways in which providers log people in still change.) */
  "auth/openUrl": { params: AuthOpenUrlParams };
}

/** The codes of failed requests. */
export const ErrorCode = {
  /** Broken JSON or invalid UTF-8; `id` is null. */
  parseError: -32700,
  /** Not a request: a batch, a bare value, an id in use, a message over the limit, a method before `initialize`. */
  invalidRequest: -32600,
  /** No such method; `data.hint` names the nearest. */
  methodNotFound: -32601,
  /** Params of the wrong shape or value; `data.path` points at the field. */
  invalidParams: -32602,
  /** The engine could not do its job; the message says what failed. */
  internal: -32603,
  /** The request was cancelled before it had an effect. */
  cancelled: -32800,
  /** No credentials for the provider; `data.hint` names the variable to set. */
  authRequired: -32000,
  /** The named session does not exist. */
  notFound: -32002,
  /** The engine supports none of the offered versions; `data.supported` lists those that it does. */
  unsupportedProtocol: -32022,
  /** Too many requests in flight on this connection; wait for responses. */
  overloaded: -32040,
  /** The expected turn is not the running one, the question is no longer open, the hunk has changed or was decided, or the session is open in another process. */
  conflict: -32041,
  /** A turn is running; steer it, queue a follow-up or interrupt it. */
  busy: -32042,
  /** Too many documents, or too much text in them. */
  limitExceeded: -32047,
} as const;

type Params<M extends keyof ClientRequests> = ClientRequests[M]["params"];
type Result<M extends keyof ClientRequests> = ClientRequests[M]["result"];
/** Answers a request of the engine. The signal aborts when the answer is no longer awaited. */
export type Handler<M extends keyof EngineRequests> = (
  params: EngineRequests[M]["params"],
  signal: AbortSignal,
) => Promise<EngineRequests[M]["result"]>;
type RequestId = number | string;

interface Message {
  id?: RequestId | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Partial<ErrorData> };
}

/** A request failed: the engine answered with an error, or the request was cancelled before it was sent. */
export class RequestFailed extends Error {
  readonly method: string;
  /** One of `ErrorCode`. */
  readonly code: number;
  /** The engine's message alone; `message` also names the method and the hint. */
  readonly reason: string;
  readonly data: Partial<ErrorData>;

  constructor(method: string, code: number, reason: string, data: Partial<ErrorData> = {}) {
    super(`${method}: ${reason}${data.hint === undefined ? "" : `\n  ${data.hint}`}`);
    this.name = "RequestFailed";
    this.method = method;
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}

/** The connection ended before the request was answered. */
export class Disconnected extends Error {
  constructor(message = "the engine is gone") {
    super(message);
    this.name = "Disconnected";
  }
}

/** True for a durable event: a line of the journal, with a number. */
export function isDurable(record: AnyRecord): record is EventRecord {
  return "seq" in record;
}

/** True if an item has ended. An unknown status counts as still running. */
export function hasEnded(item: Pick<Item, "status">): boolean {
  return ["completed", "failed", "declined", "cancelled"].includes(item.status);
}

/** Text of an item, until it has ended, that its value does not carry. */
export interface Streamed {
  /** The strings of its arguments while the model writes them, by JSON Pointer. */
  inputs: Map<string, string>;
  /** The end of its output, at most 256 Ki characters. */
  output: string;
}

/** A change that a delta made. */
export interface Growth {
  itemId: ItemId;
  field: "text" | "input" | "output";
  /** The string of the arguments, as a JSON Pointer; only with the field `input`. */
  path?: string;
  /** The appended text, with `…` in front if pieces before it are missing. */
  text: string;
  /** True if `text` replaces the field; of `input`, all its strings. */
  isWhole: boolean;
}

/** Characters of a running call's output that are kept once there are twice as many. */
const MOST_OUTPUT = 128 * 1024;

function endOf(output: string): string {
  if (output.length <= 2 * MOST_OUTPUT) return output;
  return `…\n${output.slice(output.indexOf("\n", output.length - MOST_OUTPUT) + 1)}`;
}

/**
 * The state of a session, folded from its events. After a reconnection, `Client.open` sends it the events that it missed.
 *
 * It begins with the first event. To begin in the middle, set `seq` to the number before that of the first event to apply, and pass the
 * response that opened the session to `opened`.
 */
export class Session {
  readonly id: SessionId;
  /** The number of the last durable event that was applied. */
  seq = 0;
  cwd = "";
  title: string | undefined;
  model = "";
  permissionMode = "";
  mode = "act";
  /** `idle`, `running`, `blocked` and so on; the engine may add values. */
  state = "idle";
  /** The last turn; its status is `running`, or that with which it ended. */
  turn: { id: TurnId; status: string } | undefined;
  queue: QueuedInput[] = [];
  approvals: Approval[] = [];
  questions: Question[] = [];
  plan: Plan | undefined;
  /** The estimated fill level of the model's context window. */
  context: ContextUsage | undefined;
  usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  /** In billionths of a US dollar; undefined if no price is known. */
  costNanoUsd: number | undefined;
  #items = new Map<ItemId, Item>();
  #hidden = new Set<ItemId>();
  /** Items that were hidden once and are shown again; none of `#hidden`. */
  #restored = new Set<ItemId>();
  #streamed = new Map<ItemId, Streamed>();
  /** The next piece that is expected, by item and field. */
  #pieces = new Map<ItemId, Map<string, number>>();
  /** The response that opened the session, until the events up to its `seq` are applied. */
  #response: SessionResult | undefined;
  /** `usage` and `costNanoUsd` hold what was spent up to this event already. */
  #spentTo = 0;

  constructor(id: SessionId) {
    this.id = id;
  }

  /** The items on the current path, in the order in which they appeared. */
  get items(): Item[] {
    return [...this.#items.values()].filter((item) => !this.#hidden.has(item.id));
  }

  /** An item, also one that is not on the current path. */
  item(id: ItemId): Item | undefined {
    return this.#items.get(id);
  }

  /** True if an item is not on the current path. */
  isHidden(id: ItemId): boolean {
    return this.#hidden.has(id);
  }

  /** The streamed text of an item that has not ended. It is the same object until then, and grows. */
  streamed(id: ItemId): Streamed | undefined {
    return this.#streamed.get(id);
  }

  /** True for an event with others missing before it; `Client.catchUp` reads them. Do not ask if the subscription leaves out types of events. */
  isEarly(record: AnyRecord): boolean {
    return record.sessionId === this.id && isDurable(record) && record.seq > this.seq + 1;
  }

  /** Folds an event into the state. Returns false if it changes nothing: it is another session's, or was applied already. */
  apply(record: AnyRecord): boolean {
    if (record.sessionId !== this.id) return false;
    if (!isDurable(record)) return this.#pass(record.event);
    if (record.seq <= this.seq) return false;
    this.seq = record.seq;
    this.#fold(record.event, record.turnId ?? "");
    this.#settle();
    return true;
  }

  /** Appends a piece of text, as `apply` does. Returns the change to draw; undefined if the piece brings nothing new. */
  grow(delta: ItemDelta): Growth | undefined {
    const { itemId, field } = delta;
    const item = this.#items.get(itemId);
    if (item === undefined || hasEnded(item)) return undefined;
    const pieces = this.#pieces.get(itemId) ?? new Map<string, number>();
    const expected = pieces.get(field) ?? 0;
    const next = (delta.to ?? delta.n) + 1;
    if (next <= expected || (delta.n < expected && delta.n > 0)) return undefined;
    pieces.set(field, next);
    this.#pieces.set(itemId, pieces);
    // The first piece replaces: after a new subscription all of the text comes again.
    const isWhole = delta.n === 0 && expected > 0;
    const text = delta.n > expected ? `…${delta.text}` : delta.text;
    if (field === "text") {
      if (!("text" in item)) return undefined;
      item.text = (isWhole ? "" : item.text) + text;
      return { itemId, field, text, isWhole };
    }
    const streamed = this.#streamed.get(itemId);
    if (streamed === undefined) return undefined;
    if (field === "output") {
      streamed.output = endOf((isWhole ? "" : streamed.output) + text);
      return { itemId, field, text, isWhole };
    }
    if (field !== "input") return undefined;
    const path = delta.path ?? "";
    if (isWhole) streamed.inputs.clear();
    streamed.inputs.set(path, (streamed.inputs.get(path) ?? "") + text);
    return { itemId, field, path, text, isWhole };
  }

  /**
   * Takes the response to `session/create`, `session/open` or `session/subscribe`. The settings hold at once; what is open and what runs is
   * taken once the events up to the response's `seq` are applied.
   */
  opened(result: SessionResult): void {
    this.cwd = result.cwd;
    this.title = result.title ?? this.title;
    this.model = result.model;
    this.permissionMode = result.permissionMode;
    this.mode = result.mode ?? this.mode;
    this.context = result.context ?? this.context;
    if (result.usage !== undefined) this.usage = { ...result.usage };
    this.costNanoUsd = result.costNanoUsd;
    this.#spentTo = result.seq;
    this.#response = result;
    this.#settle();
  }

  /**
   * Puts earlier items, which another `Session` of the same id has folded from the events before the first one here, in front of those
   * that are known. Everything else stays.
   */
  prepend(earlier: Session): void {
    const items = [...earlier.#items].filter(([id]) => !this.#items.has(id));
    this.#items = new Map([...items, ...this.#items]);
    for (const [id] of items) {
      const streamed = earlier.#streamed.get(id);
      if (streamed !== undefined) this.#streamed.set(id, streamed);
    }
    for (const id of earlier.#hidden) if (!this.#restored.has(id)) this.#hidden.add(id);
    for (const id of earlier.#restored) if (!this.#hidden.has(id)) this.#restored.add(id);
  }

  #settle(): void {
    const result = this.#response;
    if (result === undefined || this.seq < result.seq) return;
    this.#response = undefined;
    // What was applied after it is newer.
    if (this.seq > result.seq) return;
    this.state = result.state.value;
    if (result.activeTurnId !== undefined) this.turn = { id: result.activeTurnId, status: "running" };
    else if (this.turn?.status === "running") this.turn = undefined;
    this.queue = result.queue ?? [];
    this.approvals = result.approvals ?? [];
    this.questions = result.questions ?? [];
    this.plan = result.plan;
  }

  #pass(event: TransientEvent): boolean {
    switch (event.type) {
      case "item.delta":
        return this.grow(event) !== undefined;
      case "state":
        this.state = event.value;
        return true;
      case "context":
        this.context = untagged(event);
        return true;
      default:
        return true;
    }
  }

  #put(item: Item): void {
    const before = this.#items.get(item.id);
    const put = { ...item };
    if (hasEnded(put)) {
      this.#streamed.delete(put.id);
      this.#pieces.delete(put.id);
    } else {
      if (!this.#streamed.has(put.id)) this.#streamed.set(put.id, { inputs: new Map(), output: "" });
      // An item that still streams may lag behind its deltas.
      const isBehind = before !== undefined && "text" in before && "text" in put && before.text.length > put.text.length;
      if (isBehind) put.text = before.text;
    }
    this.#items.set(put.id, put);
    this.queue = this.queue.filter((waiting) => waiting.itemId !== put.id);
  }

  #configure(event: { model: string; permissionMode: string; mode?: string }): void {
    this.model = event.model;
    this.permissionMode = event.permissionMode;
    this.mode = event.mode ?? "act";
  }

  #fold(event: Event, turn: TurnId): void {
    switch (event.type) {
      case "session.created":
        this.cwd = event.cwd;
        this.title = event.title;
        this.#configure(event);
        break;
      case "config.changed":
        this.#configure(event);
        break;
      case "session.updated":
        this.title = event.title;
        this.#spend(event.usage, event.costNanoUsd);
        break;
      case "session.moved":
        this.cwd = event.cwd;
        break;
      case "session.closed":
        this.state = "idle";
        break;
      case "input.accepted":
        this.queue.push(untagged(event));
        this.queue.sort((a, b) => Number(a.delivery === "followUp") - Number(b.delivery === "followUp"));
        break;
      case "input.removed": {
        const gone = new Set(event.inputs.map((input) => input.itemId));
        this.queue = this.queue.filter((waiting) => !gone.has(waiting.itemId));
        break;
      }
      case "queue.changed":
        this.queue = event.queue;
        break;
      case "turn.started":
        this.turn = { id: turn, status: "running" };
        this.state = "running";
        break;
      case "turn.completed":
        this.turn = { id: turn, status: event.status };
        this.state = "idle";
        this.#spend(event.usage, event.costNanoUsd);
        break;
      case "item.started":
      case "item.updated":
      case "item.completed":
        this.#put(event.item);
        break;
      case "approval.requested":
        this.approvals = [...this.approvals, untagged(event)];
        break;
      case "approval.resolved":
        this.approvals = this.approvals.filter((open) => open.approvalId !== event.approvalId);
        break;
      case "question.requested":
        this.questions = [...this.questions, untagged(event)];
        break;
      case "question.resolved":
        this.questions = this.questions.filter((open) => open.questionId !== event.questionId);
        break;
      case "plan.updated":
        this.plan = event.items.length > 0 ? untagged(event) : undefined;
        break;
      case "history.rewound":
        for (const id of event.dropped ?? []) {
          this.#hidden.add(id);
          this.#restored.delete(id);
        }
        for (const id of event.restored ?? []) {
          this.#hidden.delete(id);
          this.#restored.add(id);
        }
        break;
      default:
        break;
    }
  }

  #spend(usage?: Usage, cost?: number): void {
    if (this.seq <= this.#spentTo) return;
    const counts = this.usage as unknown as Record<string, number>;
    for (const [key, count] of Object.entries(usage ?? {})) counts[key] = (counts[key] ?? 0) + count;
    if (cost !== undefined) this.costNanoUsd = (this.costNanoUsd ?? 0) + cost;
  }

  /** The state as JSON, as the fixtures of the conformance kit write it. */
  snapshot(): Record<string, unknown> {
    const { seq, title, model, permissionMode, mode, turn, items } = this;
    const { queue, approvals, questions, plan, usage, costNanoUsd } = this;
    const state = { seq, title, model, permissionMode, mode, turn, items, queue, approvals, questions, plan, usage, costNanoUsd };
    return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
  }
}

/** An event's fields without its type. */
function untagged<E extends { type: string }>(event: E): Omit<E, "type"> {
  const { type: _type, ...fields } = event;
  return fields;
}

/** The engine's output: a Node stream, a web stream, or any other iterable of chunks. */
export type EngineOutput = AsyncIterable<Uint8Array | string>;

/** The engine's input: a Node stream, or anything else that takes text. */
export interface EngineInput {
  /** Takes a line. Returns false if the next one should wait for `drain`. */
  write(text: string): boolean;
  end(): unknown;
  on(event: "drain" | "error", listener: () => void): unknown;
}

/** The parts of Node that `Client.spawn` uses; with declarations here, the file needs none of Node's. */
interface ChildProcess {
  stdin: EngineInput;
  stdout: EngineOutput;
  exitCode: number | null;
  signalCode: string | null;
  once(event: "exit", listener: () => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
}
declare const process: {
  getBuiltinModule(name: "node:child_process"): {
    spawn(program: string, args: string[], options: object): ChildProcess;
  };
};

/** Unanswered requests at a time. The engine takes 256 of a client; further requests wait here, in order. */
export const MOST_IN_FLIGHT = 200;

/** Events that wait for a reader. The journal keeps those beyond, and they are read from there in time. */
export const MOST_WAITING = 2048;

/** Events in a page of `session/events`; the engine's maximum. */
const PAGE = 1000;

/** Events of a session that were not sent or not kept: those after one number, up to another. */
interface Gap {
  sessionId: SessionId;
  after: number;
  to: number;
}

interface Waiting {
  method: string;
  /** Of a request that opens a session: the last event that the client has. */
  after: number;
  resolve(result: never): void;
  reject(error: Error): void;
  /** Forgets the signal that would cancel it. */
  release(): void;
}

/**
 * A connection to an engine, over any two streams, one message a line.
 *
 * Every request settles exactly once, at the latest when the connection ends. A line that is no message is skipped. Memory stays bounded
 * if the reader of `records` is slow: responses and requests of the engine are handled meanwhile, and events beyond `MOST_WAITING` are read
 * from the journal when the reader gets there. If the engine is slow to read, requests wait until its input drains.
 */
export class Client {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #input: EngineInput;
  readonly #child: ChildProcess | undefined;
  #lastId = 0;
  #mostInFlight = MOST_IN_FLIGHT;
  /** Requests without an answer, also those in `#queue`. */
  readonly #waiting = new Map<RequestId, Waiting>();
  /** Requests that were not sent yet. */
  #queue: { id: number; method: string; params: unknown }[] = [];
  /** Other lines that wait for the engine's input to drain. */
  readonly #unsent: string[] = [];
  #isFull = false;
  readonly #handlers = new Map<string, (params: never, signal: AbortSignal) => Promise<unknown>>();
  readonly #listeners = new Map<string, (params: never) => void>();
  readonly #answering = new Map<RequestId, AbortController>();
  /** Events as they come, and gaps at the places of those that are to be read. */
  readonly #events: (AnyRecord | Gap)[] = [];
  /** The last gap of each session since the events became too many. It grows. */
  readonly #overflow = new Map<SessionId, Gap>();
  /** Sessions with a gap that is being read: their other events come later. */
  readonly #reading = new Set<SessionId>();
  #wakes: (() => void)[] = [];
  #parts: string[] = [];
  #isClosed = false;
  #end: () => void = () => undefined;
  #skipped: (line: string, why: string) => void = () => undefined;

  /** Begins to read. The streams belong to the caller. */
  constructor(output: EngineOutput, input: EngineInput, child?: ChildProcess) {
    this.#input = input;
    this.#child = child;
    this.closed = new Promise((resolve) => (this.#end = resolve));
    input.on("drain", () => this.#drained());
    // A broken pipe means that the engine is gone.
    input.on("error", () => this.disconnect());
    child?.once("error", (error) => this.disconnect(`the engine could not be started: ${error.message}`));
    void this.#read(output);
  }

  /** Starts an engine, in the folder `cwd` or that of this process. Its stderr is that of this process. */
  static spawn(command: [string, ...string[]], cwd?: string): Client {
    const [program, ...args] = command;
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    return new Client(child.stdout, child.stdin, child);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends the engine's input, and waits for an engine that this client started to exit. */
  async close(): Promise<void> {
    const child = this.#child;
    const ended = new Promise<void>((resolve) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) resolve();
      child?.once("exit", resolve);
      // A program that could not be started never exits.
      child?.once("error", () => resolve());
    });
    this.#input.end();
    await ended;
  }

  /** Ends the connection at once and leaves the streams as they are: requests reject with `Disconnected`, signals of handlers abort. */
  disconnect(why?: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const waiting = [...this.#waiting.values()];
    const answering = [...this.#answering.values()];
    this.#waiting.clear();
    this.#answering.clear();
    this.#queue = [];
    this.#unsent.length = 0;
    this.#parts = [];
    for (const { reject, release } of waiting) {
      release();
      reject(new Disconnected(why));
    }
    for (const each of answering) each.abort();
    this.#end();
    this.#wake();
  }

  /** Opens the connection; it must be the first request. `id` tells this client from others of the same name in the causes of events. */
  async initialize(
    name: string,
    version: string,
    capabilities: ClientCapabilities = {},
    id?: string,
  ): Promise<InitializeResult> {
    const protocol = { name: PROTOCOL_NAME, versions: [PROTOCOL_VERSION] };
    const client = { name, version, ...(id === undefined ? {} : { id }) };
    const result = await this.request("initialize", { protocol, client, capabilities });
    this.#mostInFlight = Math.min(MOST_IN_FLIGHT, result.limits.maxInFlight);
    return result;
  }

  /** Creates a session. */
  async create(params: SessionCreateParams = {}): Promise<Session> {
    const result = await this.request("session/create", params);
    const session = new Session(result.sessionId);
    session.opened(result);
    return session;
  }

  /** Opens a stored session. One that is known gets the events that it missed; they come in `records`. */
  async open(
    session: Session | SessionId,
    params: Omit<SessionOpenParams, "sessionId" | "fromSeq" | "tail"> = {},
  ): Promise<Session> {
    const known = typeof session === "string" ? new Session(session) : session;
    known.opened(await this.request("session/open", { ...params, sessionId: known.id, fromSeq: known.seq }));
    return known;
  }

  /**
   * Sends a request and returns its result. Rejects with `RequestFailed` or `Disconnected`. When `signal` aborts, a request that was not
   * sent yet rejects with the code `cancelled`; for any other the engine is asked to cancel it, and its answer decides.
   */
  request<M extends keyof ClientRequests>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    if (this.#isClosed) return Promise.reject(new Disconnected());
    if (signal?.aborted === true) return Promise.reject(cancelled(method));
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => this.#cancel(id);
    signal?.addEventListener("abort", cancel, { once: true });
    const { fromSeq } = params as { fromSeq?: number };
    return new Promise<Result<M>>((resolve, reject) => {
      const release = (): void => signal?.removeEventListener("abort", cancel);
      this.#waiting.set(id, { method, after: fromSeq ?? 0, resolve, reject, release });
      this.#queue.push({ id, method, params });
      this.#sendQueued();
    });
  }

  /** Sends a notification. */
  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]["params"]): void {
    this.#write({ method, params });
  }

  /**
   * Answers a request of the engine with what the handler returns. When the engine withdraws the request or the connection ends, the signal
   * aborts, and the handler's result is dropped.
   */
  on<M extends keyof EngineRequests>(method: M, handler: Handler<M>): void {
    this.#handlers.set(method, handler as (params: never, signal: AbortSignal) => Promise<unknown>);
  }

  /** Calls the listener for each notification of a method. Events come in `records` instead. */
  onNotification<M extends Exclude<keyof EngineNotifications, "session/event" | "session/lagged" | "$/cancelRequest">>(
    method: M,
    listener: (params: EngineNotifications[M]["params"]) => void,
  ): void {
    this.#listeners.set(method, listener as (params: never) => void);
  }

  /** Calls the listener for each line of the engine that is skipped, with the reason: it is no message, or nothing here is for it. */
  onSkipped(listener: (line: string, why: string) => void): void {
    this.#skipped = listener;
  }

  /**
   * The events of all sessions, until the connection ends; those of a session in order and without a gap. Events that the engine did not
   * send, or that came faster than they were read, are read from the journal at their place; deltas among them are left out.
   */
  async *records(): AsyncGenerator<AnyRecord, void, void> {
    for (;;) {
      const at = this.#events.findIndex(({ sessionId }) => !this.#reading.has(sessionId));
      const [next] = at < 0 ? [] : this.#events.splice(at, 1);
      if (next === undefined) {
        if (this.#isClosed && this.#events.length === 0) return;
        await new Promise<void>((resolve) => this.#wakes.push(resolve));
      } else if ("to" in next) {
        void this.#fill(next);
      } else {
        yield next;
      }
    }
  }

  /** Reads the events of a session after one number, up to another. They come in `records`, before all others of the session. */
  catchUp(sessionId: SessionId, after: number, to: number): void {
    if (after >= to) return;
    this.#events.unshift({ sessionId, after, to });
    this.#wake();
  }

  #wake(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const each of wakes) each();
  }

  // ----- the engine's input

  #cancel(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const queued = this.#queue.findIndex((each) => each.id === id);
    if (queued < 0) {
      this.notify("$/cancelRequest", { id });
      return;
    }
    this.#queue.splice(queued, 1);
    this.#waiting.delete(id);
    waiting.reject(cancelled(waiting.method));
  }

  #sendQueued(): void {
    while (!this.#isFull && this.#waiting.size - this.#queue.length < this.#mostInFlight) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      this.#write(message);
    }
  }

  #write(message: object): void {
    if (this.#isClosed) return;
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    if (this.#isFull) this.#unsent.push(line);
    else this.#isFull = !this.#input.write(line);
  }

  #drained(): void {
    this.#isFull = false;
    while (!this.#isFull) {
      const line = this.#unsent.shift();
      if (line === undefined) break;
      this.#isFull = !this.#input.write(line);
    }
    this.#sendQueued();
  }

  // ----- the engine's output

  async #read(output: EngineOutput): Promise<void> {
    const decoder = new TextDecoder();
    const chunks = output[Symbol.asyncIterator]();
    for (;;) {
      // A stream that breaks has ended.
      const next = await chunks.next().catch(() => undefined);
      if (next === undefined || next.done === true) break;
      // What comes after the end is read too, so that the engine does not wait for room.
      if (this.#isClosed) continue;
      const { value } = next;
      this.#chunk(typeof value === "string" ? value : decoder.decode(value, { stream: true }));
    }
    this.disconnect();
  }

  /** Cuts text into lines. They end at LF alone, since texts may hold U+2028. */
  #chunk(text: string): void {
    const [first = "", ...lines] = text.split("\n");
    this.#parts.push(first);
    for (const start of lines) {
      const line = this.#parts.join("");
      this.#parts = [start];
      this.#line(line);
    }
  }

  #line(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    let message: Message;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error();
      message = value;
    } catch {
      call(() => this.#skipped(line, "not a JSON object"));
      return;
    }
    const { id, method } = message;
    if (typeof method !== "string") this.#settle(message, line);
    else if (id === undefined || id === null) this.#notified(method, message.params, line);
    else void this.#answer(id, method, message.params);
  }

  #notified(method: string, params: unknown, line: string): void {
    if (method === "session/event") {
      this.#enqueue(params as AnyRecord);
    } else if (method === "session/lagged") {
      const { sessionId, lastSentSeq, headSeq } = params as SessionLaggedParams;
      this.#events.push({ sessionId, after: lastSentSeq, to: headSeq });
      this.#wake();
    } else if (method === "$/cancelRequest") {
      const id = (params as { id?: RequestId } | undefined)?.id ?? "";
      const answering = this.#answering.get(id);
      this.#answering.delete(id);
      answering?.abort();
    } else {
      const listener = this.#listeners.get(method);
      if (listener === undefined) call(() => this.#skipped(line, "an unknown notification"));
      else call(() => listener(params as never));
    }
  }

  /** Keeps an event for the reader. If too many wait, deltas are dropped, and a gap stands for the others. */
  #enqueue(record: AnyRecord): void {
    const { sessionId } = record;
    if (this.#events.length < MOST_WAITING) {
      this.#overflow.clear();
      this.#events.push(record);
    } else if (isDurable(record)) {
      const gap = this.#overflow.get(sessionId) ?? { sessionId, after: record.seq - 1, to: record.seq };
      gap.to = record.seq;
      if (!this.#overflow.has(sessionId)) this.#events.push(gap);
      this.#overflow.set(sessionId, gap);
    }
    this.#wake();
  }

  /** Reads a page of a gap, and puts it and the rest of the gap in front of the session's other events. */
  async #fill(gap: Gap): Promise<void> {
    const { sessionId, after, to } = gap;
    this.#reading.add(sessionId);
    if (this.#overflow.get(sessionId) === gap) this.#overflow.delete(sessionId);
    // If they cannot be read, the events that follow are worth having without them.
    const page = await this.request("session/events", { sessionId, after, limit: PAGE }).catch(() => undefined);
    const events = page?.events ?? [];
    const last = events.at(-1)?.seq ?? 0;
    // A page that brings nothing would be asked for again and again.
    if (last > after && last < to) this.#events.unshift({ sessionId, after: last, to });
    this.#events.unshift(...events.filter((event) => event.seq <= to));
    this.#reading.delete(sessionId);
    this.#wake();
  }

  #settle({ id, result, error }: Message, line: string): void {
    const isAnswer = result !== undefined || error !== undefined;
    const waiting = id === undefined || id === null ? undefined : this.#waiting.get(id);
    if (!isAnswer || waiting === undefined) {
      const why = isAnswer ? "an answer to no request" : "neither a request nor an answer";
      call(() => this.#skipped(line, error?.message ?? why));
      return;
    }
    this.#waiting.delete(id as RequestId);
    waiting.release();
    this.#sendQueued();
    if (error !== undefined) {
      waiting.reject(new RequestFailed(waiting.method, error.code, error.message, error.data));
      return;
    }
    const opened = result as Partial<SessionResult> | null;
    if (opened?.gap === true && opened.sessionId !== undefined && opened.seq !== undefined) {
      // Events that follow in the same read are later ones.
      this.#events.push({ sessionId: opened.sessionId, after: waiting.after, to: opened.seq });
      this.#wake();
    }
    waiting.resolve(result as never);
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      this.#write({ id, error: { code: ErrorCode.methodNotFound, message: `no handler for ${method}` } });
      return;
    }
    const withdrawn = new AbortController();
    this.#answering.set(id, withdrawn);
    let answer: object;
    try {
      answer = { result: await handler(params as never, withdrawn.signal) };
    } catch (error) {
      answer = { error: { code: ErrorCode.internal, message: String(error) } };
    }
    if (this.#answering.get(id) !== withdrawn) return;
    this.#answering.delete(id);
    this.#write({ id, ...answer });
  }
}

function cancelled(method: string): RequestFailed {
  return new RequestFailed(method, ErrorCode.cancelled, "the request was cancelled");
}

/** Calls a listener. An error that it throws is reported as uncaught and does not end the connection. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
