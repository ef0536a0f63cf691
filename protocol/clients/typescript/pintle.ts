// A client of pintle: types, requests, events, and session state, in one file without dependencies.
//
// Generated from protocol/src and protocol/bin/generate/typescript by `cargo run -p pintle-protocol --bin generate`; copy it into your project.
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
export const PROTOCOL_VERSION = "2.0";

/** Params of `initialize`. */
export type InitializeParams = {
  /** Protocol and the versions that the client supports. */
  protocol: ProtocolOffer;
  /** Client. */
  client?: PeerInfo;
  /** Client capabilities. */
  capabilities?: ClientCapabilities;
};

/** Protocol versions that a client supports. */
export type ProtocolOffer = {
  /** Always `pintle`. */
  name: string;
  /** Versions, such as `1.0`; the engine takes the newest whose major part it supports. */
  versions: string[];
};

/** A program and its version. */
export type PeerInfo = {
  /** Name. */
  name: string;
  /** Version. */
  version?: string;
  /** For a client: its id, at most 200 characters, which distinguishes it from others of the same name. Events caused by its requests carry it as `cause.clientId`; default: its name. */
  id?: string;
};

/** Client capabilities. */
export type ClientCapabilities = {
  /** The client answers `approval/request`. Otherwise calls that require approval are denied, and the model is informed. */
  approvals?: Supported;
  /** The client answers `question/request`. Otherwise the model is informed that questions cannot be answered. */
  questions?: Supported;
  /** The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed. */
  applyEdit?: Supported;
  /** Deltas that the client wants. Otherwise it receives all of them, each at once. */
  deltas?: DeltaCapability;
};

/** A capability with nothing to configure: `{}`. */
export type Supported = Record<string, never>;

/** Deltas that a client wants in all of its subscriptions. */
export type DeltaCapability = {
  /** Fields whose deltas are sent; none if it is empty. Default: all of them. */
  types?: DeltaField[];
  /** Default `maxLatencyMs` of subscriptions. */
  coalesceMs?: number;
};

/** Fields that stream. */
export type DeltaField = 
  | /** Text of a message or of reasoning. */ "text"
  | /** Tool call arguments, as JSON text. */ "args"
  | /** One string of a tool call's arguments, named by `path`, without JSON's quotes and escapes: a file while it is being written. */ "input"
  | /** Output of a running tool. */ "output";

/** Result of `initialize`. */
export type InitializeResult = {
  /** Protocol version of this connection. */
  protocol: ProtocolChoice;
  /** Engine. */
  engine: EngineInfo;
  /** Engine capabilities. */
  capabilities: EngineCapabilities;
  /** Limits of this connection. */
  limits: Limits;
};

/** Protocol version of a connection. */
export type ProtocolChoice = {
  /** Always `pintle`. */
  name: string;
  /** Version. */
  version: string;
};

/** Engine name, version and schema. */
export type EngineInfo = {
  /** Always `pintle`. */
  name: string;
  /** Program version. */
  version: string;
  /** A hash that changes whenever the protocol's schema does. */
  schemaHash: string;
};

/** Capabilities of this engine. */
export type EngineCapabilities = {
  /** Running turns can be steered. */
  steer?: Supported;
  /** Follow-ups wait in a queue. */
  queue?: Supported;
  /** Durable events can be read again from any `seq`. */
  replay?: Supported;
  /** Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`. */
  filters?: Supported;
  /** Documents that an editor has open are read and changed through the editor. Absent if the files are on another machine. */
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
  /** Maximum size of a message, in bytes. */
  maxMessageBytes: number;
  /** Maximum number of unanswered requests. */
  maxInFlight: number;
};

/** An empty object, `{}`. */
export type Empty = Record<string, never>;

/** Request to withdraw. */
export type CancelParams = {
  /** Request id: a number or a string. */
  id: unknown;
};

/** Params of `session/create`. */
export type SessionCreateParams = {
  /** Working directory, absolute; default: the directory in which the engine was started. */
  cwd?: string;
  /** Session title. */
  title?: string;
  /** Work in a copy of the project. `isolation/apply` merges the changes into the user's files. */
  isolation?: IsolationRequest;
  /** Settings. */
  config?: SessionConfig;
  /** Subscribe this connection; default true. */
  subscribe?: boolean;
  /** Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
  /** Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first one created, for a month and also after an engine restart. */
  key?: string;
};

/** Isolation of a new session. */
export type IsolationRequest = {
  /** Kind of copy. */
  kind: IsolationKind;
  /** Start a worktree with uncommitted changes and untracked files; default: from the last commit. A copy always contains them. */
  uncommitted?: boolean;
};

/** Kind of copy that an isolated session works in. Files that git ignores are in neither. */
export type IsolationKind = 
  | /** A git worktree with a detached `HEAD`: it shares commits and branches with the project's repository. */ "worktree"
  | /** A copy of the project, with its repository if it has one. */ "copy";

/** Session settings. Omitted ones come from the user's settings. */
export type SessionConfig = {
  /** Model, as `provider/id` or `provider/id:effort`. */
  model?: string;
  /** Permission mode. */
  permissionMode?: PermissionMode;
  /** Instructions for this session alone, appended to the system prompt; only when the session is created. */
  systemPrompt?: string;
  /** Tools visible to the model, by name, with `*` for any text; only when the session is created. A name includes every tool with the same purpose, so `bash` includes `shell`. Client tools are not limited by it. Default: all of them. */
  tools?: string[];
  /** Work mode. */
  mode?: WorkMode;
  /** Further directories that belong to the work, absolute: changes there need the same permission as in the working directory, and changes that commands make there are tracked. The session does not keep them: pass them again when you open it. Absent: unchanged. */
  additionalDirectories?: string[];
  /** MCP (Model Context Protocol) servers for this session, by name, in addition to those in the user's settings; one with the same name replaces theirs. The session does not keep them: pass them again when you open it. Absent: unchanged. */
  mcpServers?: Record<string, McpServer>;
};

/** Permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest. */
export type PermissionMode = 
  | /** Reading in the workspace and harmless commands run; changes and other commands are denied. */ "readOnly"
  | /** Reading in the workspace and harmless commands run; everything else requires approval. */ "ask"
  | /** File changes in the workspace also run without approval, as do commands in the sandbox. Without a sandbox, commands require approval. */ "autoEdit"
  | /** Nothing requires approval unless a rule demands it. */ "full";

/** Work mode: act or plan only. */
export type WorkMode = 
  | /** The model acts. */ "act"
  | /** The model reads and plans: calls that would change something are denied until the user accepts its plan. */ "plan";

/** MCP (Model Context Protocol) server for one session: a program that communicates over its standard streams (`command`), or an address (`url`). Its values are literal: nothing in them is expanded. */
export type McpServer = {
  /** Program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory. */
  command?: string;
  /** Its arguments. */
  args?: string[];
  /** Variables that it is given. */
  env?: Record<string, string>;
  /** Its working directory, if it differs from the session's. */
  cwd?: string;
  /** Address of a streamable HTTP server. */
  url?: string;
  /** Headers of each request to it. */
  headers?: Record<string, string>;
};

/** A snapshot of a session at `seq`. If the connection is subscribed, every later event is sent, and after `session/create` and `session/fork` also those up to `seq`. */
export type SessionResult = {
  /** Session. */
  sessionId: SessionId;
  /** Number of its last durable event. */
  seq: number;
  /** Working directory. */
  cwd: string;
  /** Copy of the project in which it works; absent if it works on the user's files. */
  isolation?: Isolation;
  /** Title. */
  title?: string;
  /** Model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** Permission mode. */
  permissionMode: PermissionMode;
  /** Sandbox for its commands; absent if there is none, such as on another machine. In `full` mode, commands run outside of it, unless it is required. */
  sandbox?: SandboxState;
  /** Work mode. */
  mode?: WorkMode;
  /** Current state. */
  state: SessionState;
  /** Running turn. */
  activeTurnId?: TurnId;
  /** Queued messages. Messages that an earlier engine accepted but the model has not read wait here too: they do not start a turn, and are read before the next prompt. */
  queue?: QueuedInput[];
  /** Pending approvals. */
  approvals?: Approval[];
  /** Open questions to the user. */
  questions?: Question[];
  /** The model's plan. */
  plan?: Plan;
  /** Usage of all its turns, including sub-agents. */
  usage?: Usage;
  /** Cost of that usage, in billionths of a US dollar; absent if no price is known. */
  costNanoUsd?: number;
  /** Estimated fill level of the model's context window. */
  context?: ContextUsage;
  /** True if there are too many events after `fromSeq` to send at once. None of them is sent: read them with `session/events`. */
  gap?: boolean;
};

/** Session id: a UUIDv7, so ids sort by creation time. */
export type SessionId = string;

/** A session's isolation. */
export type Isolation = {
  /** Kind of copy. */
  kind: IsolationKind;
  /** Directory of the copy. */
  root: string;
  /** Directory that was copied: the repository's, or without one the working directory. */
  original: string;
  /** The user's working directory, of which the session's is the copy. */
  cwd: string;
};

/** Sandbox that confines commands which run unasked. */
export type SandboxState = {
  /** Grade that this machine enforces. */
  grade: SandboxGrade;
  /** Same in human-readable form: `full: Landlock 7, seccomp, namespaces`. */
  level: string;
  /** Human-readable parts of the confinement that this machine does not enforce. */
  gaps?: string[];
  /** True if every command runs in it or not at all, in each permission mode. */
  required?: boolean;
};

/** Grade to which a sandbox is enforced. */
export type SandboxGrade = 
  | /** Too little to rely on: commands require approval as if there were none. */ "none"
  | /** Commands that run unasked are confined, but none runs unasked for the sandbox's sake. */ "partial"
  | /** Everything is enforced. */ "full";

/** Current state of a session. A reader never takes an unknown value for idle. */
export type SessionState = {
  /** State. */
  value: StateValue;
  /** Ids of the approvals and questions that it is waiting for, when it is blocked. */
  blockedOn?: string[];
  /** Items of background jobs that run, also while the session is idle. */
  background?: ItemId[];
};

/** Session state. */
export type StateValue = 
  | /** Waiting for a prompt. */ "idle"
  | /** A turn runs. */ "running"
  | /** A turn waits for the user. */ "blocked"
  | /** A request to the provider failed and will be retried. */ "retrying"
  | /** A compaction runs. */ "compacting";

/** Item id: a message, a tool call or anything else that a client can draw. */
export type ItemId = string;

/** Turn id, unique across all sessions. */
export type TurnId = string;

/** User message that is accepted and not yet read by the model. */
export type QueuedInput = {
  /** Id that the `userMessage` item will have. */
  itemId: ItemId;
  /** Turn that it belongs to: the running turn for a steer, a separate turn for a prompt or a follow-up. */
  turnId: TurnId;
  /** The way it is delivered. */
  delivery: Delivery;
  /** Blocks, as sent. */
  content: Input[];
  /** Budget of the turn that it starts. */
  limits?: TurnLimits;
  /** JSON Schema that the final message of the turn that it starts must satisfy. */
  outputSchema?: unknown;
};

/** Delivery of a user message to the model. */
export type Delivery = 
  | /** Starts a turn at once. */ "prompt"
  | /** Goes into the running turn at its next gap. */ "steer"
  | /** Starts a turn after the running turn and the earlier messages of the queue. */ "followUp";

/** One block of a prompt, a steer or a follow-up. */
export type Input = 
  | /** Plain text, as typed. `@path` mentions a file, whose content the model then reads with the message. Text that begins with `/name` invokes the prompt of that name, if one exists. */ {
    type: "text";
    /** The text. */
    text: string;
    /** True for text that the user has not typed, such as a terminal's output: `@path` and `/name` have no meaning in it. Older engines ignore this. */
    verbatim?: boolean;
  }
  | /** A file, read when the model reads the message. */ {
    type: "file";
    /** The path, absolute or relative to the working directory. */
    path: string;
    /** Lines; absent for the entire file. */
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
  }
  | /** A document. Models that do not accept it read its text. */ {
    type: "document";
    /** The media type: `application/pdf`. */
    mimeType: string;
    /** The document's bytes in base64. */
    data: string;
    /** The document's name, such as its file name. */
    name: string;
  };

/** A range of lines in a file, counted from 1, both ends included. */
export type LineRange = {
  /** First line. */
  start: number;
  /** Last line. */
  end: number;
};

/** A problem in a file. */
export type Diagnostic = {
  /** Line, 1-based. */
  line: number;
  /** Severity. */
  severity: Severity;
  /** Message. */
  message: string;
  /** Tool that reported it, such as `rustc`. */
  source?: string;
};

/** Diagnostic severity. */
export type Severity = 
  | /** An error. */ "error"
  | /** A warning. */ "warning"
  | /** Information. */ "information"
  | /** A hint. */ "hint";

/** Turn budget. Reaching a limit ends the turn cleanly, with the stop reason `limit` and a notice. The user's settings may be stricter. */
export type TurnLimits = {
  /** Maximum number of model replies. */
  steps?: number;
  /** Maximum number of tool calls, checked between replies; those of sub-agents are not counted. */
  toolCalls?: number;
  /** Maximum number of tokens, input and output together. */
  tokens?: number;
  /** Maximum cost, in billionths of a US dollar; never reached if no price is known. */
  costNanoUsd?: number;
  /** Maximum duration in milliseconds, checked between replies. */
  durationMs?: number;
};

/** A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`. */
export type Approval = {
  /** Approval id. */
  approvalId: ApprovalId;
  /** Session it belongs to. */
  sessionId: SessionId;
  /** Turn that waits. */
  turnId: TurnId;
  /** Tool call that waits. */
  itemId: ItemId;
  /** Tool name. */
  toolName: string;
  /** Kind of tool. */
  kind: ToolKind;
  /** One line for the user: `bash: rm -r build`. */
  title: string;
  /** Reason why permission is needed, in a sentence. */
  reason: string;
  /** The tool's complete arguments: the command, or the text to write. */
  input: unknown;
  /** The files concerned. */
  locations?: Location[];
  /** Human-readable rule or default that requires approval. */
  decidedBy?: string;
  /** Everything to be approved, in full, for the user to read: the command, the paths, the content. A client shows every part, or denies the call. */
  details?: ApprovalDetail[];
  /** File changes that the call would make, computed from the current files. Omitted if the call changes no file or its changes are not known in advance. */
  changes?: FileChange[];
  /** True if the answer may contain `edits`. Older engines ignore them. */
  editable?: boolean;
  /** Options to choose from. */
  options: ApprovalOption[];
  /** Deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none. */
  deadlineMs?: number;
};

/** Approval id, pending until the approval is answered or cancelled. */
export type ApprovalId = string;

/** Tool call kind; the names are those of the Agent Client Protocol. */
export type ToolKind = 
  | /** Reads files or directories. */ "read"
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
  /** Absolute path. */
  path: string;
  /** Line, 1-based. */
  line?: number;
};

/** Part of a call that requires the user's approval. Control characters, and characters that are invisible or change the text direction, are drawn as signs. */
export type ApprovalDetail = {
  /** Kind of text. */
  kind: DetailKind;
  /** Complete text, with its line ends. */
  text: string;
};

/** Kind of text shown with an approval request. */
export type DetailKind = 
  | /** A command of the shell. */ "command"
  | /** Resolved file path. */ "path"
  | /** The text that is written or inserted. */ "content"
  | /** A change of a file, as a diff or a patch. */ "diff"
  | /** An address on the network. */ "address"
  | /** Tool arguments as JSON. */ "arguments"
  | /** A description by the model itself, which may be wrong. */ "modelText";

/** Change of one file. */
export type FileChange = {
  /** Operation. */
  op: FileOp;
  /** The file's absolute path (the new one after a move). */
  path: string;
  /** Path before a move. */
  oldPath?: string;
  /** Change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file. */
  diff: string;
  /** Number of lines added. */
  added: number;
  /** Number of lines removed. */
  removed: number;
  /** First line that differs, 1-based, counted in the new text: the line to which an editor jumps. */
  firstChangedLine?: number;
  /** Parts that differ within changed lines, for highlighting words; at most 1,000. */
  words?: WordSpan[];
};

/** File change kind. */
export type FileOp = 
  | /** The file is new. */ "add"
  | /** The file existed, and its content changed. */ "modify"
  | /** The file was deleted. */ "delete"
  | /** The file has a new path. */ "move";

/** A part of a line that differs from its counterpart. */
export type WordSpan = {
  /** Text it belongs to. */
  side: Side;
  /** Line in that text, 1-based. */
  line: number;
  /** Its first byte in the line as UTF-8, from 0. */
  start: number;
  /** Byte after it. */
  end: number;
};

/** One of the two texts of a change. */
export type Side = 
  | /** The text before the change. */ "old"
  | /** The text after it. */ "new";

/** Option offered to the user. */
export type ApprovalOption = {
  /** Id to send back. */
  optionId: string;
  /** Label to show. */
  label: string;
  /** Decision that this option represents. */
  decision: Decision;
  /** Scope in which the decision holds. */
  scope: Scope;
  /** Human-readable rules that the option adds. */
  rules?: string[];
};

/** A decision about a tool call. A reader never takes an unknown value as permission. */
export type Decision = 
  | /** The call may run. */ "allow"
  | /** The call does not run; the turn continues and the model is informed. */ "deny"
  | /** The call does not run and the turn ends. */ "abort";

/** Decision scope. */
export type Scope = 
  | /** This call. */ "once"
  | /** Calls like this one until the turn ends. */ "turn"
  | /** Calls like this one until the session is closed. */ "session"
  | /** Calls like this one in this project, also in later sessions. */ "project"
  | /** Calls like this one everywhere. */ "user";

/** Question to the user. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, regardless of the options. */
export type Question = {
  /** Question id. */
  questionId: QuestionId;
  /** Session it belongs to. */
  sessionId: SessionId;
  /** Turn that waits. */
  turnId: TurnId;
  /** Tool call that waits. */
  itemId: ItemId;
  /** Kind of question. */
  kind: QuestionKind;
  /** Question. */
  text: string;
  /** Plan to be accepted, as Markdown; only with the kind `plan`. */
  plan?: string;
  /** Options to choose from; without any, the answer is a text. */
  options?: QuestionOption[];
  /** True if several options may be chosen. */
  multiple?: boolean;
  /** Deadline after which the default answer applies, in milliseconds since 1970. */
  deadlineMs: number;
};

/** Id of a question to the user, pending until the question is answered or its deadline passes. */
export type QuestionId = string;

/** Kind of a question. A reader treats an unknown kind as `choice`. */
export type QuestionKind = 
  | /** The model needs information. Without an answer, the first option applies. */ "choice"
  | /** The model requests acceptance of its plan. The first option accepts it and switches the session to mode `act`. Any other answer, or none, leaves the session in mode `plan`. */ "plan";

/** Option offered to the user. */
export type QuestionOption = {
  /** Id to send back. */
  optionId: string;
  /** Label to show. */
  label: string;
};

/** The model's plan. Each plan replaces the one before. */
export type Plan = {
  /** Plan steps, in order. */
  items: PlanItem[];
};

/** One step of a plan. */
export type PlanItem = {
  /** Step description. */
  content: string;
  /** Status. */
  status: PlanStatus;
};

/** Step status. */
export type PlanStatus = 
  | /** Not begun. */ "pending"
  | /** In progress. */ "inProgress"
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
  /** Output tokens spent on reasoning, if the provider reports them. */
  reasoningTokens?: number;
  /** Web searches run by the provider, which it charges for in addition to the tokens. */
  webSearches?: number;
};

/** Fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of later additions. */
export type ContextUsage = {
  /** Estimated tokens of the next request. */
  tokens: number;
  /** Size of the context window; absent if unknown. */
  window?: number;
};

/** Params of `session/open`. */
export type SessionOpenParams = {
  /** Session. */
  sessionId: SessionId;
  /** Subscribe this connection; default true. */
  subscribe?: boolean;
  /** Send the events after this number first. */
  fromSeq?: number;
  /** Number of last events to send first, if `fromSeq` is omitted. */
  tail?: number;
  /** Another working directory from now on, absolute: for a session whose directory was moved or deleted. Refused with `conflict` while the session is open elsewhere in another directory. */
  cwd?: string;
  /** Settings from now on. */
  config?: SessionConfig;
  /** Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
};

/** Params of `session/list`. */
export type SessionListParams = {
  /** Only sessions with this working directory. */
  cwd?: string;
  /** If true, include sub-agents' sessions; default false. */
  subagents?: boolean;
  /** Only sessions with this text in their title or working directory, ignoring case. */
  query?: string;
  /** The `nextCursor` of the page before. */
  cursor?: string;
  /** If true, only archived sessions; default false: only the others. */
  archived?: boolean;
  /** Maximum number of sessions, 1 to 1000; default 50. */
  limit?: number;
};

/** Page of sessions. */
export type SessionListResult = {
  /** Sessions, the last created first. */
  sessions: SessionSummary[];
  /** Cursor of the next page; absent on the last one. */
  nextCursor?: string;
};

/** A stored session, as shown in lists. */
export type SessionSummary = {
  /** Session. */
  sessionId: SessionId;
  /** Working directory. */
  cwd: string;
  /** Its title, or the beginning of its first prompt. */
  title?: string;
  /** Creation time, in milliseconds since 1970. */
  createdMs: number;
  /** Time of the last write to its journal, in milliseconds since 1970. */
  updatedMs: number;
  /** Directory that contains its journal. */
  path: string;
  /** Parent, if the session is a sub-agent. */
  parent?: Parent;
  /** Session that it was forked from, which may have been deleted since. */
  forkedFrom?: SessionId;
  /** True if it is archived. */
  archived?: boolean;
};

/** Parent of a sub-agent's session. */
export type Parent = {
  /** Parent session. */
  sessionId: SessionId;
  /** Sub-agent id in the parent's session. */
  agentId: AgentId;
};

/** Sub-agent id within its session: `agent-1`, `agent-2` …, short because a model writes it. */
export type AgentId = string;

/** Params of `session/update`; omitted fields do not change. */
export type SessionUpdateParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again. */
  title?: 
    | string
    | null;
};

/** Result of `session/update`. */
export type SessionUpdateResult = {
  /** Title; absent when there is none. */
  title?: string;
};

/** Params of `session/archive`. */
export type SessionArchiveParams = {
  /** Session, open or not. */
  sessionId: SessionId;
  /** True archives it, false returns it to the lists; default true. */
  archived?: boolean;
};

/** Params of `session/search`. */
export type SessionSearchParams = {
  /** Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the filters. */
  query?: string;
  /** Only in sessions with this working directory. */
  cwd?: string;
  /** Only in this session. */
  sessionId?: SessionId;
  /** Only after this event of that session, such as an entry of `session/outline`. */
  afterSeq?: number;
  /** Only before this event of that session. */
  beforeSeq?: number;
  /** Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search for one of these two reads journals, so it takes longer, and its hits are not ranked: the newest session comes first. */
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
  /** Maximum number of hits, 1 to 200; default 20. */
  limit?: number;
};

/** Kind of a searchable entry. */
export type EntryKind = 
  | /** User message. */ "userMessage"
  | /** A message of the model. */ "agentMessage"
  | /** A tool call: its title, command and paths. */ "toolCall"
  | /** Output of a tool call. Found only if `kinds` lists it. */ "toolOutput"
  | /** Reasoning of the model. Found only if `kinds` names it. */ "reasoning";

/** Role of a searchable entry. */
export type EntryRole = 
  | /** The user, or a program in the user's place. */ "user"
  | /** The model. */ "assistant"
  | /** A tool. */ "tool";

/** Result of `session/search`. */
export type SessionSearchResult = {
  /** Hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked. */
  hits: SearchHit[];
  /** Cursor of the next page; absent on the last one. */
  nextCursor?: string;
  /** Number of sessions whose text is not indexed yet; indexing continues, so search again. */
  behind?: number;
};

/** An entry that matches. */
export type SearchHit = {
  /** Session. */
  sessionId: SessionId;
  /** Number of its event, around which `session/events` reads. */
  seq: number;
  /** Item. */
  itemId?: ItemId;
  /** Time, in milliseconds since 1970. */
  tsMs: number;
  /** Kind of entry. */
  kind: EntryKind;
  /** Role. */
  role: EntryRole;
  /** Session title, as in lists. */
  title?: string;
  /** The session's working directory. */
  cwd: string;
  /** Text around the first match, in pieces, without line ends. */
  snippet: SnippetPiece[];
};

/** A piece of a snippet. */
export type SnippetPiece = {
  /** Text. */
  text: string;
  /** True if it matches the query. */
  match?: boolean;
};

/** Params of `session/export`. */
export type SessionExportParams = {
  /** Session, open or not; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Format. */
  format: ExportFormat;
  /** File to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text. */
  path?: string;
  /** If true, overwrite an existing file. */
  overwrite?: boolean;
};

/** Export format. */
export type ExportFormat = 
  | /** One HTML page with everything in it and without scripts. */ "html"
  | /** Markdown. */ "md"
  | /** The events as in the journal, one a line. */ "json"
  | /** A Pi session file, version 3. */ "pi";

/** Exported session. */
export type SessionExportResult = {
  /** Text; absent if a file was written. */
  text?: string;
  /** Absolute path of the written file. */
  path?: string;
  /** Text size in bytes. */
  bytes: number;
};

/** Params of `session/delete`. */
export type SessionDeleteParams = {
  /** Session. It must be named, and must not be open anywhere. */
  sessionId: SessionId;
};

/** Result of `session/delete`. */
export type SessionDeleteResult = {
  /** Deleted sessions: the sub-agents' first, then the requested one. */
  deleted: SessionId[];
};

/** Params of `session/rewind`. */
export type SessionRewindParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Point to return to. */
  to: HistoryPoint;
  /** Scope: the conversation, the files, or both. */
  scope?: RewindScope;
  /** Absolute paths of files to restore even if they were changed by others. */
  overwrite?: string[];
  /** If true, the model summarizes the part of the history that it loses, and the summary stays in its context. This takes a separate turn, whose reply is nothing but the summary. */
  summarize?: boolean;
  /** If true, only report the effect, without changing anything. */
  dryRun?: boolean;
};

/** A point in a session's history: exactly one of its fields is set. */
export type HistoryPoint = {
  /** Before this user message. */
  itemId?: ItemId;
  /** After the end of this turn. */
  turnId?: TurnId;
  /** After the event with this number, which may be off the current path; 0 is the beginning. */
  seq?: number;
};

/** Rewind scope. */
export type RewindScope = 
  | /** The model's context. */ "conversation"
  | /** The files. */ "files"
  | /** Both. */ "both";

/** Rewind result. */
export type SessionRewindResult = {
  /** Event after which the session continues. */
  toSeq: number;
  /** Last event before the rewind: rewinding to it undoes this rewind. */
  fromSeq: number;
  /** Items that leave the model's context. */
  dropped: ItemId[];
  /** Items that return to the model's context. */
  restored: ItemId[];
  /** Message before which the session was rewound, to be edited and sent again. */
  input?: Input[];
  /** Turn that writes the summary, if one was requested and there is something to summarize. */
  summaryTurnId?: TurnId;
  /** Effect on the files that were changed since; empty when only the conversation is rewound. */
  files?: FileFate[];
};

/** Effect of a rewind on one file. */
export type FileFate = {
  /** Path, absolute. */
  path: string;
  /** Author of the later changes. */
  owner: FileOwner;
  /** Action. */
  action: FileAction;
};

/** Author of a file's changes since the rewind target. */
export type FileOwner = 
  | /** The model alone. */ "agent"
  | /** Somebody else alone; the file is left. */ "other"
  | /** Both. The file is left unless `overwrite` names it. */ "conflict";

/** Action of a rewind on a file. */
export type FileAction = 
  | /** The old content is restored. */ "restore"
  | /** The file did not exist and is removed. */ "remove"
  | /** The file does not change. */ "leave"
  | /** The file does not change, because its old content was not kept, or its current content cannot be. */ "lost"
  | /** The file could not be restored. `files.changed` holds its present state, if it changed at all. */ "failed";

/** Params of `session/fork`. */
export type SessionForkParams = {
  /** Session to fork; it does not change, and need not be open. */
  sessionId: SessionId;
  /** Point up to which its history is copied; all of it by default. */
  at?: HistoryPoint;
  /** Title of the new session. */
  title?: string;
  /** Working directory of the new session, absolute; that of the other one by default. */
  cwd?: string;
  /** Settings of the new session; omitted settings are copied. */
  config?: SessionConfig;
  /** Subscribe this connection to the new session; default true. */
  subscribe?: boolean;
  /** Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
  /** Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first one created, for a month and also after an engine restart. */
  key?: string;
};

/** Params of `session/merge`. (Experimental.) */
export type SessionMergeParams = {
  /** Session that receives the events; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Fork, created from that session by `session/fork`; it does not change, and need not be open. */
  forkId: SessionId;
};

/** Merge result. The copied events follow as `session/event`, after a `history.rewound`. (Experimental.) */
export type SessionMergeResult = {
  /** Event after which the copied events are inserted. */
  toSeq: number;
  /** Last event before the merge: rewinding to it undoes the merge. */
  fromSeq: number;
  /** Number of the last copied event, now the session's current position. */
  copiedSeq: number;
  /** Items that leave the model's context. */
  dropped: ItemId[];
  /** Items that return to the model's context. */
  restored: ItemId[];
  /** Items copied from the fork. */
  added: ItemId[];
};

/** Params of `session/label`. */
export type SessionLabelParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Point. */
  at: HistoryPoint;
  /** Label, at most 200 characters; absent to remove it. */
  label?: string;
  /** Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it. */
  metadata?: unknown;
};

/** Point whose label changed. */
export type SessionLabelResult = {
  /** Event of the point. */
  seq: number;
};

/** Params of `session/note`. */
export type SessionNoteParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Text, at most 64 KB. May be empty if there is data and the model does not read the note. */
  text?: string;
  /** Client-chosen name for this kind of note, at most 64 characters. */
  kind?: string;
  /** Any data, at most 64 KB of JSON. The model does not read it. */
  data?: unknown;
  /** True if the model reads the text at its next turn; default false. */
  toModel?: boolean;
  /** True if clients do not show it to the user; default false. */
  hidden?: boolean;
  /** A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more. */
  key?: string;
};

/** Params of a request about one session. */
export type SessionParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
};

/** History tree of a session. */
export type SessionTreeResult = {
  /** User messages and labelled points, oldest first. */
  nodes: HistoryNode[];
  /** Last event. */
  leafSeq: number;
};

/** A node of the history tree. */
export type HistoryNode = {
  /** Event. */
  seq: number;
  /** Event of the parent node; absent for the first. */
  parentSeq?: number;
  /** Message item, if the node is a message. */
  itemId?: ItemId;
  /** Turn. */
  turnId?: TurnId;
  /** Beginning of the message. */
  text: string;
  /** Time, in milliseconds since 1970. */
  tsMs: number;
  /** Label. */
  label?: string;
  /** True if it is on the current path. */
  current: boolean;
};

/** Params of `session/outline`. (Experimental.) */
export type SessionOutlineParams = {
  /** Session, open or not; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
};

/** A session's outline. (Experimental.) */
export type SessionOutlineResult = {
  /** Entries, in the order of their events. */
  entries: OutlineEntry[];
};

/** A point at which a section of a session begins. (Experimental.) */
export type OutlineEntry = {
  /** Event. */
  seq: number;
  /** Kind. */
  kind: OutlineKind;
  /** Label, or the beginning of the summary. */
  text?: string;
  /** The client's data about a labelled point. */
  metadata?: unknown;
  /** Session from which events were copied. */
  from?: SessionId;
  /** Time, in milliseconds since 1970. */
  tsMs: number;
  /** True if it is on the current path. */
  current: boolean;
};

/** Kind of an outline entry. (Experimental.) */
export type OutlineKind = 
  | /** The session begins. */ "start"
  | /** End of the events copied into a fork or merged from one. */ "copied"
  | /** A compaction of the conversation. */ "compaction"
  | /** A summary of the history that a rewind left behind. */ "rewindSummary"
  | /** A label. */ "label";

/** Params of `review/list`. */
export type ReviewListParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Only hunks of this file, by its absolute path. */
  path?: string;
  /** Only hunks that this turn created or changed. */
  turnId?: TurnId;
  /** If true, include closed hunks. */
  closed?: boolean;
};

/** Hunks by path and line, followed by closed ones, oldest first. */
export type ReviewListResult = {
  /** Hunks. */
  hunks: Hunk[];
  /** Last event that the list takes into account. */
  seq: number;
};

/** A run of changed lines: its text in the baseline (at the last accepted point) and its text now. */
export type Hunk = {
  /** Hunk id, stable while the file changes elsewhere and never reused. */
  id: HunkId;
  /** The file's absolute path. */
  path: string;
  /** Kind: lines, or the entire file. */
  kind: HunkKind;
  /** State. */
  state: HunkState;
  /** Lines in the baseline. */
  before: LineSpan;
  /** Lines in the present file. */
  after: LineSpan;
  /** Text of those lines in the baseline, with line ends; empty if the file is not text. */
  oldText: string;
  /** Text of those lines in the present file. */
  newText: string;
  /** Last event that changed its text. A decision that refers to an older one is refused. */
  changedSeq: number;
  /** Calls that created or changed it, in order. */
  madeBy: Maker[];
  /** Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be the user's work, undoing a turn or everything skips it; undo the hunk or its file instead. */
  cause?: string;
  /** Comments on it. */
  comments?: Comment[];
  /** Decision that closed it. */
  decision?: number;
  /** Number of a queued decision about it. */
  waiting?: number;
  /** Hunk that absorbed it. */
  absorbedBy?: HunkId;
  /** Hunk that it was split from, when a decision covered only some of its lines. */
  partOf?: HunkId;
};

/** Hunk id within its session: the number of the event that made it, a dot, and a count. */
export type HunkId = string;

/** Hunk kind. */
export type HunkKind = 
  | /** Lines of a text. */ "lines"
  | /** The entire file: created, deleted, not text, or too large for lines. */ "file"
  | /** The file's mode bits alone. */ "mode";

/** Hunk state. */
export type HunkState = 
  | /** Undecided. */ "pending"
  | /** Undecided, and edited by the user. */ "modified"
  | /** An undo was refused because it would have removed lines that the user wrote. */ "conflict"
  | /** Accepted. */ "kept"
  | /** Undone. */ "undone"
  | /** Absorbed by another hunk. */ "absorbed"
  | /** Reverted by the agent or by a rewind. */ "gone";

/** A span of lines in a text. */
export type LineSpan = {
  /** First line, from 1. For an empty span: the line before which it lies. */
  start: number;
  /** Number of lines. */
  count: number;
};

/** Call that created or changed a hunk. */
export type Maker = {
  /** Turn. */
  turnId: TurnId;
  /** Tool call. */
  itemId: ItemId;
  /** Set if the change may not be the call's: the command that ran while the file changed. */
  whileRan?: string;
};

/** User comment on a hunk. */
export type Comment = {
  /** Event that added it. */
  seq: number;
  /** Side: the baseline or the present file. */
  side: Side;
  /** Lines within the hunk; absent for all. */
  lines?: LineSpan;
  /** Comment text. */
  text: string;
};

/** Params of `review/decide`. */
export type ReviewDecideParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Requested action. */
  action: ReviewAction;
};

/** User action. */
export type ReviewAction = 
  | /** Accept the hunks: the baseline takes their lines. The file does not change. */ {
    type: "keep";
    /** The hunks concerned. */
    target: ReviewTarget;
  }
  | /** Undo the hunks: the file gets the baseline's lines again. */ {
    type: "undo";
    /** The hunks concerned. */
    target: ReviewTarget;
    /** If true, also remove lines that the user wrote into a hunk; otherwise such a hunk is a conflict. */
    discardEdits?: boolean;
  }
  | /** Revert a decision, or withdraw a queued one. */ {
    type: "revert";
    /** Event of the decision. */
    decision: number;
  }
  | /** Comment on a hunk. */ {
    type: "comment";
    /** The hunk. */
    hunk: HunkId;
    /** The side: the baseline or the present file. */
    side: Side;
    /** Lines within the hunk; absent for all. */
    lines?: LineSpan;
    /** The comment's text. */
    text: string;
  };

/** Hunks that a decision concerns. */
export type ReviewTarget = 
  | /** One hunk. */ {
    type: "hunk";
    /** Its id. */
    hunk: HunkId;
    /** The `changedSeq` that was shown; the decision is refused when it has changed since. */
    changedSeq?: number;
  }
  | /** Some lines of a hunk. */ {
    type: "lines";
    /** Its id. */
    hunk: HunkId;
    /** The `changedSeq` that was shown; the lines are counted in that text. */
    changedSeq: number;
    /** The selected lines. */
    lines: LineSelection;
  }
  | /** All open hunks of a file. */ {
    type: "file";
    /** Its absolute path. */
    path: string;
  }
  | /** All open hunks that a turn created or changed. */ {
    type: "turn";
    /** The turn. */
    turnId: TurnId;
  }
  | /** All open hunks. */ {
    type: "all";
  };

/** A selection of lines of a hunk, counted within it. */
export type LineSelection = {
  /** Lines of the baseline's text. */
  old?: LineSpan;
  /** Lines of the present text. */
  new?: LineSpan;
};

/** Result of `review/decide`. */
export type ReviewDecideResult = {
  /** Event of the decision, by which it can be reverted. For a queued decision, its number: reverting that withdraws it. */
  seq: number;
  /** Effect on each hunk; for a queued decision, the effect that it would have now. */
  decision: ReviewDecision;
  /** True if the decision is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it was applied, or `review.queued` why not. */
  queued?: boolean;
};

/** Decision with its effect, complete enough to serve as an entire event. */
export type ReviewDecision = {
  /** Requested action. */
  action: ReviewAction;
  /** Effect on each hunk. */
  parts: DecisionPart[];
  /** Number under which it was queued, if it was. */
  waited?: number;
};

/** Effect of a decision on one hunk. */
export type DecisionPart = {
  /** Hunk. */
  hunk: HunkId;
  /** Its file's absolute path. */
  path: string;
  /** Effect. */
  effect: Effect;
  /** Affected lines; absent for the entire hunk. */
  lines?: LineSelection;
  /** Outcome. */
  outcome: Outcome;
  /** For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers. */
  conflict?: string;
  /** Set if the hunk was skipped because the change's author is unknown (`cause` of the hunk). */
  cause?: string;
};

/** Effect of a decision on a hunk. */
export type Effect = 
  | /** The baseline takes its lines. */ "keep"
  | /** The file gets the baseline's lines. */ "undo"
  | /** A kept or undone hunk is open again. */ "reopen"
  | /** A comment is added. */ "comment"
  | /** A comment is removed. */ "withdraw";

/** Outcome of a decision for a hunk. */
export type Outcome = 
  | /** Applied. */ "applied"
  | /** Not applied: the lines have changed. */ "conflict";

/** Params of `review/baseline`. */
export type ReviewBaselineParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** File, by its absolute path. */
  path: string;
};

/** A file at its last accepted point. */
export type ReviewBaselineResult = {
  /** True if the file existed. */
  exists: boolean;
  /** Text; absent if there was no file or it was not UTF-8. */
  text?: string;
};

/** Params of `review/patch`. */
export type ReviewPatchParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** If true, only open hunks; otherwise all agent changes that were not undone. */
  open?: boolean;
};

/** A patch for `git apply` in the session's working directory. */
export type ReviewPatchResult = {
  /** Patch; empty when nothing was changed. */
  text: string;
  /** Changed files outside of the working directory, which the patch leaves out. */
  leftOut?: string[];
};

/** Params of `isolation/apply`. (Experimental.) */
export type IsolationApplyParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Handling of conflicts. */
  onConflict?: OnConflict;
};

/** Handling of lines changed by both the user and the agent. (Experimental.) */
export type OnConflict = 
  | /** Write both versions between conflict markers, as git does. A file that cannot hold markers does not change. */ "mark"
  | /** Change nothing. */ "refuse";

/** Result of `isolation/apply`. (Experimental.) */
export type IsolationApplyResult = {
  /** False if no file was changed, because of a conflict or because all changes are applied already. */
  applied: boolean;
  /** Files with unapplied changes, by path. */
  files: AppliedFile[];
};

/** File changed in an isolated session. */
export type AppliedFile = {
  /** Path of the user's file, absolute. */
  path: string;
  /** Path of the isolated file, absolute. */
  isolated: string;
  /** Outcome; after a refusal, the expected one. */
  outcome: ApplyOutcome;
};

/** Outcome for a file. */
export type ApplyOutcome = 
  | /** The agent's changes were merged into the user's file. */ "applied"
  | /** The user's file already contained the changes. */ "unchanged"
  | /** Both have changed the same lines: the user's file contains both versions between conflict markers. */ "conflict"
  | /** Both have changed a file that cannot hold conflict markers, such as a binary or deleted one: the user's file did not change, and the agent's version stays in the copy. */ "kept";

/** Params of `isolation/discard`. (Experimental.) */
export type IsolationDiscardParams = {
  /** Session. */
  sessionId: SessionId;
};

/** Params of `session/subscribe`. */
export type SessionSubscribeParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Send the events after this number first; default: only new ones. */
  fromSeq?: number;
  /** Number of last events to send first, if `fromSeq` is omitted. */
  tail?: number;
  /** Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them. */
  include?: string[];
  /** Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas. */
  exclude?: string[];
  /** Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0. */
  maxLatencyMs?: number;
};

/** Params of `session/events`. */
export type SessionEventsParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Read the events after this number; default 0, from the start. */
  after?: number;
  /** Read the last events before this number instead; a number beyond the end selects the session's end. Not together with `after`. */
  before?: number;
  /** Maximum number of events, 1 to 1000; default 200. */
  limit?: number;
};

/** A page of events. */
export type SessionEventsResult = {
  /** Events, in order. */
  events: EventRecord[];
  /** Number of the session's last durable event. */
  lastSeq: number;
  /** True if there are more events after the last one here; with `before`, before the first one. */
  more: boolean;
};

/** A durable event with its position in the session's log. It was written to the journal before it was sent anywhere. */
export type EventRecord = {
  /** Session. */
  sessionId: SessionId;
  /** The event's sequence number in its session, from 1, without gaps. */
  seq: number;
  /** Time, in milliseconds since 1970. */
  tsMs: number;
  /** Turn it belongs to. */
  turnId?: TurnId;
  /** Client request that directly caused the event; absent for actions initiated by the engine. */
  cause?: Cause;
  /** Event. */
  event: Event;
};

/** Request that an event follows from. */
export type Cause = {
  /** Client that sent it: its `id` of `initialize`, or else its name. */
  clientId?: string;
  /** The `key` of the request. */
  key?: string;
};

/** Durable events, distinguished by `type`. A reader skips unknown types. */
export type Event = 
  | /** The session was created. */ SessionCreated & {
    type: "session.created";
  }
  | /** The session was closed cleanly; it can be opened again. */ {
    type: "session.closed";
  }
  | /** The session works in another directory from now on. Earlier events keep their original paths. */ SessionMoved & {
    type: "session.moved";
  }
  | /** The session's title changed or was removed. */ SessionUpdated & {
    type: "session.updated";
  }
  | /** A user message was accepted and is on disk. It stays in the queue until its turn starts, a `userMessage` item with the same id is completed, or `input.removed` lists it. */ QueuedInput & {
    type: "input.accepted";
  }
  | /** Messages left the queue unread by the model. They are returned here in full. */ {
    type: "input.removed";
    /** The messages. */
    inputs: QueuedInput[];
    /** True if a hook has handled them, so they must not be sent again. */
    handled?: boolean;
  }
  | /** Messages in the queue were edited or reordered. This is the full queue. */ {
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
  | /** An item changed; this is its full new value. */ {
    type: "item.updated";
    /** The item's current value. */
    item: Item;
  }
  | /** An item ended; this is its full final value. */ {
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
  | /** The user is asked a question. */ Question & {
    type: "question.requested";
  }
  | /** A question was answered or withdrawn. */ QuestionOutcome & {
    type: "question.resolved";
  }
  | /** The model changed its plan; this is the full plan. */ Plan & {
    type: "plan.updated";
  }
  | /** A model reply ended, complete or cut off; its tool calls, if any, run now. */ StepCompleted & {
    type: "step.completed";
  }
  | /** The provider failed, and the request is retried after a delay. The part of the interrupted reply that was shown stays, its open items are cancelled, and the model replies again. */ RetryScheduled & {
    type: "retry.scheduled";
  }
  | /** Old results were removed from the model's context to make room. The journal keeps them. */ ContextPruned & {
    type: "context.pruned";
  }
  | /** The session's settings changed, with effect from the next turn. */ ConfigChanged & {
    type: "config.changed";
  }
  | /** Files were changed. The event is emitted after the call that changed them has ended. */ FilesChanged & {
    type: "files.changed";
  }
  | /** An isolated session's changes were applied to the user's files, as the preceding `files.changed` report. */ IsolationApplied & {
    type: "isolation.applied";
  }
  | /** The user decided about hunks. */ ReviewDecision & {
    type: "review.decided";
  }
  | /** The queue of decisions that wait for the next gap between two calls changed. */ ReviewQueue & {
    type: "review.queued";
  }
  | /** The session continues from another point of its history. Later events stay in the journal, but no longer in the model's context. */ HistoryRewound & {
    type: "history.rewound";
  }
  | /** Label of a point in the history changed. */ LabelChanged & {
    type: "label.changed";
  }
  | /** Notice for the user. */ Notice & {
    type: "session.notice";
  };

/** Instructions of a named agent. */
export type AgentRole = {
  /** Name. */
  name: string;
  /** Instructions. */
  instructions: string;
  /** Tools that it may use, as listed in its file; absent for all. */
  tools?: string[];
};

/** Origin of a forked session. */
export type ForkedFrom = {
  /** Session that was forked. */
  sessionId: SessionId;
  /** Last event of that session that is part of this session's history. */
  seq: number;
  /** Number of the last copied event in this session. */
  copiedSeq: number;
};

/** Settings that the session was created with. */
export type SessionCreated = {
  /** Working directory, absolute. */
  cwd: string;
  /** Model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** Permission mode. */
  permissionMode: PermissionMode;
  /** Work mode. */
  mode?: WorkMode;
  /** Title, if one was given. */
  title?: string;
  /** Parent, if the session is a sub-agent. */
  parent?: Parent;
  /** Named agent whose instructions it follows, if any. */
  role?: AgentRole;
  /** Instructions for this session alone. */
  systemPrompt?: string;
  /** Names of the tools visible to its model; all tools if absent. */
  tools?: string[];
  /** Origin of its initial history, if it is a fork. */
  forkedFrom?: ForkedFrom;
};

/** The session works in another directory. */
export type SessionMoved = {
  /** Working directory until now. */
  from: string;
  /** Working directory from now on. */
  cwd: string;
  /** True if the previous directory was a discarded copy, whose files were not moved. */
  discarded?: boolean;
};

/** Author of a session's title. */
export type TitledBy = 
  | /** The user. A model never replaces such a title. */ "user"
  | /** A model, once, after the first turn. */ "model";

/** The session's title changed. */
export type SessionUpdated = {
  /** Title; absent when it was removed. */
  title?: string;
  /** Author of the title. */
  by: TitledBy;
  /** Usage of the request that generated it, if a model did; it belongs to no turn. */
  usage?: Usage;
  /** Cost of that usage, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
};

/** A file that a system prompt contains or names. */
export type PromptSource = {
  /** Kind of file. */
  kind: PromptSourceKind;
  /** Its absolute path. */
  path: string;
};

/** Kind of a file in a system prompt. */
export type PromptSourceKind = 
  | /** Instructions for agents: `AGENTS.md` and similar files. */ "document"
  | /** A rule. */ "rule"
  | /** A skill. */ "skill"
  | /** A named agent. */ "agent";

/** Sources of a system prompt. */
export type PromptMade = {
  /** Files that it contains or names, in order. */
  sources?: PromptSource[];
};

/** Final status of a turn. */
export type TurnStatus = 
  | /** The model stopped by itself. */ "completed"
  | /** The turn was interrupted. */ "interrupted"
  | /** The turn could not continue; `error` gives the reason. */ "failed";

/** Reason why a model stopped. */
export type StopReason = 
  | /** The model finished. */ "endTurn"
  | /** The model called tools. */ "toolUse"
  | /** The model reached its output limit. */ "maxTokens"
  | /** The model declined to answer. */ "refusal"
  | /** The provider paused a long reply; the engine then requests its continuation. */ "paused"
  | /** The engine ended the turn at a limit or because the model repeated itself; a notice identifies which. */ "limit"
  | /** A reason that this engine does not know; treated as finished. */ "other";

/** Error that ended a turn. */
export type TurnError = {
  /** A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may be added. */
  code: string;
  /** User-facing message. */
  message: string;
  /** Suggested next step. */
  hint?: string;
  /** True if a retry may succeed. */
  retryable?: boolean;
  /** The provider's HTTP status. */
  httpStatus?: number;
};

/** Turn outcome. */
export type TurnCompleted = {
  /** Final status. */
  status: TurnStatus;
  /** Reason why the model stopped, when the model ended the turn. */
  stop?: StopReason;
  /** Error, when the turn failed. */
  error?: TurnError;
  /** The turn's usage, including that of sub-agents whose turns ended meanwhile. */
  usage: Usage;
  /** Cost of that usage, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
  /** Number of model replies. */
  steps: number;
  /** Number of denied tool calls. */
  denials?: number;
  /** Final message as a JSON value that satisfies the turn's `outputSchema`; absent without a schema, and if a limit or the user ended the turn. */
  structured?: unknown;
  /** Duration in milliseconds. */
  durationMs: number;
};

/** Unit that a client can draw. The event that completes an item carries its full value, so the deltas before it are never needed for correctness. */
export type Item = {
  /** Item id. */
  id: ItemId;
  /** Turn it belongs to. */
  turnId?: TurnId;
  /** Step (model reply) within the turn, from 1; absent for items that do not come from a model. */
  step?: number;
  /** Item status. */
  status: ItemStatus;
  /** Start time, in milliseconds since 1970; of a call that runs, when it began to run. */
  startedMs: number;
  /** Duration in milliseconds; present once the item has ended, unless a crash ended it. */
  durationMs?: number;
} & (
  | /** User message (a prompt, a steer or a follow-up), placed at the point at which the model reads it. */ UserMessage & {
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
  | /** Engine message to the model, placed at the point at which the model reads it. */ EngineMessage & {
    type: "engineMessage";
  });

/** Item status. A reader treats an unknown value as still running. */
export type ItemStatus = 
  | /** Announced but not begun; a tool call whose arguments still stream. */ "pending"
  | /** In progress. */ "running"
  | /** Completed successfully. */ "completed"
  | /** Failed; the output gives the reason. */ "failed"
  | /** Denied by the user or by the policy; it never ran. */ "declined"
  | /** Stopped before its end, or never begun because the turn was stopped. */ "cancelled";

/** User message in the conversation. */
export type UserMessage = {
  /** Blocks, as sent. */
  content: Input[];
};

/** A text that grows while it streams. */
export type TextBody = {
  /** Full text so far; empty in `item.started`. */
  text: string;
};

/** Tool result: content for the model, and details that a client may draw. */
export type ToolResult = {
  /** Content for the model. */
  content: Content[];
  /** True if the tool failed, was declined or was cancelled; the content gives the reason. */
  failed?: boolean;
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
  }
  | /** A document, and its text for models that accept no documents. */ {
    type: "document";
    /** The media type: `application/pdf`. */
    mimeType: string;
    /** The document's bytes in base64. */
    data: string;
    /** The file's name. */
    name: string;
    /** The number of pages. */
    pages: number;
    /** The document's text, within the limits of the tool that read it. */
    text: string;
  };

/** Details of a tool's result that only clients need. */
export type ToolDetails = {
  /** Files it changed. */
  changes?: FileChange[];
  /** A command's exit code. */
  exitCode?: number;
  /** Name of the signal that ended a command, such as `SIGKILL`. */
  signal?: string;
  /** Record of the output's truncation, if it was truncated. */
  truncation?: Truncation;
  /** File with the full output, if it was truncated. */
  fullOutputPath?: string;
  /** Full output for `blob/read`, if it was truncated. */
  fullOutput?: FullOutput;
  /** Background jobs concerned. */
  jobs?: JobRef[];
  /** Sub-agent that it started. */
  agent?: AgentId;
  /** Sandbox that the command ran in; absent if it was not confined. */
  sandbox?: SandboxReport;
  /** Reason why the permissions denied the call; absent if they did not. */
  denial?: Denial;
};

/** Record of a tool output's truncation, made before the model saw the output. */
export type Truncation = {
  /** The limit that was exceeded; absent when nothing was cut. */
  truncatedBy?: TruncatedBy;
  /** Lines of the full output; a trailing newline does not count as one more. */
  totalLines: number;
  /** Bytes of the full output. */
  totalBytes: number;
  /** Lines that remain. */
  outputLines: number;
  /** Bytes that remain. */
  outputBytes: number;
  /** True if the last remaining line was itself cut at its start. */
  lastLinePartial?: boolean;
  /** True if nothing remains because the first line alone exceeds the byte limit. */
  firstLineExceedsLimit?: boolean;
  /** Limit in lines. */
  maxLines: number;
  /** Limit in bytes. */
  maxBytes: number;
};

/** Limit that truncated an output. */
export type TruncatedBy = 
  | /** The limit in lines. */ "lines"
  | /** The limit in bytes. */ "bytes";

/** Reference to a full output that the session keeps. */
export type FullOutput = {
  /** Its name for `blob/read`. */
  ref: string;
  /** Its size in bytes. */
  bytes: number;
};

/** A reference from a tool call to a background job. */
export type JobRef = {
  /** Job id. */
  jobId: JobId;
  /** Job item. */
  itemId: ItemId;
  /** True if the result reports how the job ended. */
  ended?: boolean;
};

/** Background job id within its session: `job-1`, `job-2` …, short because a model writes it. */
export type JobId = string;

/** Sandbox of a command that ran confined. */
export type SandboxReport = {
  /** Human-readable level that the kernel enforced: `full: Landlock 7, seccomp, namespaces`. */
  level: string;
  /** True if the sandbox is the likely cause of the command's failure. Repeating the same command requests approval to run outside of it. */
  denied?: boolean;
  /** Protected files that the command created. */
  created?: string[];
  /** Hosts that a failed command was refused, in rule syntax: `docs.rs`, `localhost:8080`. */
  refusedHosts?: string[];
};

/** Denial by the permissions, and the mode and rules that would have allowed the call. */
export type Denial = {
  /** Human-readable rule, mode or list that decided. */
  decidedBy: string;
  /** Narrowest permission mode in which the call would have run, together with `rules` if any are given; absent if no mode is enough. */
  mode?: PermissionMode;
  /** Human-readable rules that would have allowed it; with `mode`, both are needed. */
  rules?: string[];
};

/** A tool call, from the first byte of its arguments to its result. */
export type ToolCall = {
  /** Tool name, as the model calls it. */
  toolName: string;
  /** One line for the user: `bash: cargo test`. */
  title: string;
  /** Kind of tool, for icons and rules. */
  kind: ToolKind;
  /** True if the model's provider runs the tool itself: no approval is requested, and `item/cancel` does not stop it. */
  byProvider?: boolean;
  /** Files and lines concerned. */
  locations?: Location[];
  /** Arguments; absent until they are complete. */
  input?: unknown;
  /** Arguments that a hook put in their place; the call ran with these. */
  changedInput?: unknown;
  /** Result; absent until the call has ended. */
  output?: ToolResult;
};

/** The way a background job ended. */
export type JobEnd = 
  | /** The command exited; `details.exitCode` holds the code. */ "exited"
  | /** A signal that the engine did not send ended it; `details.signal` names it. */ "signalled"
  | /** Its timeout expired. */ "timedOut"
  | /** Stopped by the user or the model. */ "stopped"
  | /** Stopped because the session ended. */ "sessionEnded"
  | /** Failed to start; `output` gives the reason. */ "failed";

/** A background job, from its start to its end. */
export type Job = {
  /** Id that the model and clients use. */
  jobId: JobId;
  /** One line for the user. */
  title: string;
  /** Command, as the shell reads it. */
  command: string;
  /** True if it runs in a terminal, into which `shell/write` types. */
  inTerminal?: boolean;
  /** True if the user ran it with `shell/run`. The model learns of it only from a note, if at all. */
  byUser?: boolean;
  /** End of the job; absent while it runs. */
  end?: JobEnd;
  /** Last part of the output; absent while the job runs, when deltas of the field `output` carry it. */
  output?: string;
  /** Exit code, signal, and the output's truncation with a reference to the full output. */
  details?: ToolDetails;
};

/** Sub-agent state. */
export type SubagentState = 
  | /** A turn runs. */ "working"
  | /** Its last turn completed, and it waits for input. */ "done"
  | /** Its last turn was interrupted or failed; `result` gives the reason. */ "failed"
  | /** Closed. */ "closed";

/** Sub-agent: a separate session that works on a part of the task. Its events carry that session's id. */
export type Subagent = {
  /** Id that the model and clients use. */
  agentId: AgentId;
  /** Sub-agent session. */
  sessionId: SessionId;
  /** Task it was given. */
  task: string;
  /** Model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** Sub-agent state. */
  state: SubagentState;
  /** Its last message, as the parent's model reads it; absent until its first turn has ended. */
  result?: string;
  /** Number of its replies so far. */
  turnsUsed?: number;
  /** The tokens used so far. */
  usage?: Usage;
  /** Cost so far, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
};

/** Reason for a compaction. */
export type CompactionReason = 
  | /** The conversation approaches the model's context window. */ "threshold"
  | /** The provider refused the conversation as too long. */ "overflow"
  | /** Requested by the user. */ "requested";

/** Files that a session's model has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed. */
export type CompactionFiles = {
  /** Files that it has read and not changed. */
  read?: string[];
  /** Files that its calls have changed, created or deleted. */
  changed?: string[];
  /** Number of omitted files. */
  omitted?: number;
};

/** A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps them all. */
export type Compaction = {
  /** Reason for the compaction. */
  reason: CompactionReason;
  /** Estimated tokens of the conversation before. */
  tokensBefore: number;
  /** Estimated tokens afterwards; absent until the compaction is completed. */
  tokensAfter?: number;
  /** Summary. While the compaction runs, deltas of the field `text` carry it. */
  summary?: string;
  /** Files that the model has read and changed so far, which the summary lists; absent if there are none. */
  files?: CompactionFiles;
  /** Reason for a failure, which leaves the conversation unchanged. */
  error?: string;
};

/** A note that a client has put into the history with `session/note`. */
export type ClientNote = {
  /** Client-chosen name for this kind of note. */
  kind?: string;
  /** The client's data. */
  data?: unknown;
  /** True if the model does not read it. */
  unread?: boolean;
  /** True if clients do not show it to the user. */
  hidden?: boolean;
};

/** A message of the engine to the model. */
export type EngineMessage = {
  /** Text, as the model reads it. */
  text: string;
  /** Items of the jobs whose end it reports. */
  jobs?: ItemId[];
  /** Mode that it announces. */
  mode?: WorkMode;
  /** Review events that it reports. */
  reviewed?: number[];
  /** True if it summarizes the history that a rewind left behind. */
  summarizesRewound?: boolean;
  /** Client note that it carries. */
  note?: ClientNote;
};

/** Origin of an approval decision. */
export type DecidedBy = 
  | /** A client. */ "client"
  | /** No client could answer. */ "noApprover"
  | /** The deadline passed. */ "deadline"
  | /** The turn was interrupted while it waited. */ "interrupt";

/** Approval outcome. */
export type ApprovalOutcome = {
  /** Approval. */
  approvalId: ApprovalId;
  /** Tool call. */
  itemId: ItemId;
  /** Decision. */
  decision: Decision;
  /** Scope in which the decision holds. */
  scope: Scope;
  /** Origin of the decision. */
  by: DecidedBy;
  /** The user's message to the model. */
  feedback?: string;
  /** Paths of the proposed files that the user edited. */
  edited?: string[];
};

/** Origin of an answer to a question. */
export type AnsweredBy = 
  | /** A client answered. */ "client"
  | /** A client dismissed the question. */ "dismissed"
  | /** The deadline passed: the default applies. */ "deadline"
  | /** No client could answer. */ "noClient"
  | /** The turn was interrupted while it waited. */ "interrupt";

/** Question outcome. */
export type QuestionOutcome = {
  /** Question. */
  questionId: QuestionId;
  /** Tool call. */
  itemId: ItemId;
  /** Chosen options. */
  optionIds?: string[];
  /** Text entered by the user. */
  text?: string;
  /** Origin of the answer. */
  by: AnsweredBy;
};

/** End of a model reply, with its usage and cost. */
export type StepCompleted = {
  /** Step within the turn, from 1. */
  step: number;
  /** Reason why the model stopped; absent when it was interrupted. */
  stop?: StopReason;
  /** Usage of this reply. */
  usage: Usage;
  /** Usage of the turn so far. */
  turnUsage: Usage;
  /** Cost of this reply, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
  /** Cost of the turn so far, in billionths of a US dollar; absent if no price is known. */
  turnCostNanoUsd?: number;
};

/** A retry of a failed request to a provider. */
export type RetryScheduled = {
  /** Number of this retry, from 1. */
  attempt: number;
  /** Maximum number of retries. */
  of: number;
  /** Delay in milliseconds, counted from this event. */
  delayMs: number;
  /** Error code, as in `TurnError`. */
  code: string;
  /** User-facing message. */
  message: string;
};

/** Old results, and long arguments of old calls, that were removed from the model's context. */
export type ContextPruned = {
  /** Number of results. */
  results: number;
  /** Number of calls whose long arguments were shortened. */
  calls?: number;
  /** Estimated tokens before. */
  tokensBefore: number;
  /** Estimated tokens afterwards. */
  tokensAfter: number;
};

/** A session's settings from the next turn on. */
export type ConfigChanged = {
  /** Model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** Permission mode. */
  permissionMode: PermissionMode;
  /** Work mode. */
  mode?: WorkMode;
};

/** File change. */
export type FileRecord = {
  /** Path, absolute. */
  path: string;
  /** The state before; absent when there was no file. */
  before?: FileState;
  /** The state afterwards; absent when the file was deleted. */
  after?: FileState;
};

/** File state at some time. The session keeps the content under its hash. */
export type FileState = {
  /** SHA-256 of the content, in hex. */
  sha256: string;
  /** Size in bytes. */
  size: number;
  /** Permission bits, if any. */
  mode?: number;
  /** True if the content was too large to be kept, so it cannot be restored. */
  lost?: boolean;
};

/** Author of changes. */
export type ChangedBy = 
  | /** A tool call of the model, or later the background job that it started. */ {
    type: "call";
    /** The call's item. */
    itemId: ItemId;
    /** Set if the changes may not be the command's: the command that ran while the files changed. */
    whileRan?: string;
  }
  | /** Another author, before the next call: the user, another program, or a background job whose changes are not logged. */ {
    type: "other";
  }
  | /** A rewind. */ {
    type: "rewind";
    /** Event that it went to; absent in journals of older versions. */
    toSeq?: number;
  }
  | /** A user decision, logged in the preceding `review.decided`. */ {
    type: "review";
  };

/** Files were changed. */
export type FilesChanged = {
  /** Files. */
  changes: FileRecord[];
  /** Author. */
  by: ChangedBy;
};

/** An isolated session's changes were applied to the user's files. The preceding `files.changed` contain the new states. */
export type IsolationApplied = {
  /** Files, by path. */
  files: AppliedFile[];
};

/** A queued decision. */
export type QueuedDecision = {
  /** Its number: the event that queued it. */
  id: number;
  /** Requested action. */
  action: ReviewAction;
};

/** A decision that was not applied. */
export type RefusedDecision = {
  /** Its number. */
  id: number;
  /** User-facing reason. */
  reason: string;
};

/** Queue of decisions that wait for a gap between two calls of the running turn. */
export type ReviewQueue = {
  /** Queued decisions, in order. */
  waiting: QueuedDecision[];
  /** A decision that left the queue without being applied. */
  refused?: RefusedDecision;
};

/** Origin of merged events. */
export type MergedFrom = {
  /** Fork. Its usage is not counted in this session. */
  sessionId: SessionId;
  /** Last event of the fork that is now part of this session's history. */
  seq: number;
  /** Number of the last copied event in this session. */
  copiedSeq: number;
};

/** The session continues from another point of its history. */
export type HistoryRewound = {
  /** Event after which it continues; 0 is the beginning. */
  toSeq: number;
  /** Items that leave the model's context; a client removes them from its view. */
  dropped?: ItemId[];
  /** Items that return to the model's context. */
  restored?: ItemId[];
  /** Origin of the next events, when they are merged from a fork. */
  merged?: MergedFrom;
};

/** Change of a history point's label. */
export type LabelChanged = {
  /** Event of the point. */
  seq: number;
  /** Label; absent when it was removed. */
  label?: string;
  /** The client's data about the point. */
  metadata?: unknown;
};

/** Notice severity. */
export type NoticeLevel = 
  | /** For information. */ "info"
  | /** A problem that does not stop the work. */ "warning"
  | /** Something failed. */ "error";

/** Notice for the user. */
export type Notice = {
  /** Severity. */
  level: NoticeLevel;
  /** A stable code. */
  code: string;
  /** Message. */
  message: string;
  /** Suggested next step. */
  hint?: string;
};

/** Params of `blob/read`. */
export type BlobReadParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** The output's name, as `details.fullOutput` gives it. */
  ref: string;
  /** First byte, from 0; default 0. Continue with the `end` of the part before. */
  offset?: number;
  /** Maximum number of bytes, 1 to 1,048,576; default 65,536. */
  length?: number;
};

/** A part of a long output. */
export type BlobReadResult = {
  /** Text; it may be a few bytes shorter than requested, so that no character is cut. */
  text: string;
  /** Offset of its first byte. */
  offset: number;
  /** Offset after its last byte, where the next part begins. */
  end: number;
  /** Size of the full output, in bytes. */
  size: number;
};

/** Params of `turn/start`. */
export type TurnStartParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Prompt. */
  input: Input[];
  /** Action while a turn runs; default `reject`. */
  whenBusy?: WhenBusy;
  /** Turn budget. */
  limits?: TurnLimits;
  /** JSON Schema that the turn's final message must satisfy. The model receives it, and a message that does not satisfy it is requested again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`. */
  outputSchema?: unknown;
  /** Trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty value ends the trace that was set before. */
  traceparent?: string;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`. */
  key?: string;
};

/** Handling of a prompt while a turn runs. */
export type WhenBusy = 
  | /** Refuse it with the error `busy`. If the turn has been interrupted and has not ended yet, the prompt is queued instead. */ "reject"
  | /** Queue it as a follow-up. */ "queue";

/** A prompt was accepted; it is on disk. */
export type TurnStartResult = {
  /** Turn that it starts, now or later. */
  turnId: TurnId;
  /** Id of its `userMessage` item. */
  itemId: ItemId;
  /** Disposition of the prompt. */
  disposition: Disposition;
};

/** Disposition of an accepted prompt. */
export type Disposition = 
  | /** Its turn starts now. */ "started"
  | /** Its turn starts when the earlier ones have ended. */ "queued";

/** Params of `turn/steer`. */
export type TurnSteerParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Refuse with `conflict` unless this turn is the running one. */
  expectedTurnId?: TurnId;
  /** Message. */
  input: Input[];
  /** Action while no turn runs; default `reject`. */
  whenIdle?: WhenIdle;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`. */
  key?: string;
};

/** Handling of a steer while no turn runs. */
export type WhenIdle = 
  | /** Refuse it with the error `noActiveTurn`. */ "reject"
  | /** Keep it in the queue; it is read with the next prompt, before it. */ "hold";

/** A steer was accepted; it is on disk. */
export type TurnSteerResult = {
  /** Outcome. */
  outcome: SteerOutcome;
  /** Id of its `userMessage` item. */
  itemId: ItemId;
  /** The turn that receives it: the running turn, or the next one to start. */
  turnId: TurnId;
};

/** Steer outcome. */
export type SteerOutcome = 
  | /** Accepted for the running turn. If the turn ends before its next gap, the message starts a separate turn. */ "accepted"
  | /** No turn runs; the message waits in the queue for the next prompt. */ "held";

/** Params of `turn/interrupt`. */
export type TurnInterruptParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Refuse with `conflict` unless this turn is the running one. */
  expectedTurnId?: TurnId;
  /** Handling of queued messages; default `return`. */
  queue?: QueuePolicy;
};

/** Handling of queued messages when a turn is interrupted. */
export type QueuePolicy = 
  | /** Remove them from the queue and return them in `input.removed`. */ "return"
  | /** Let them start their turns after this one has ended. */ "keep";

/** Result of `turn/interrupt`. */
export type TurnInterruptResult = {
  /** Interrupted turn; absent when none runs. */
  turnId?: TurnId;
  /** Returned messages. */
  returned?: QueuedInput[];
};

/** Params of `session/compact`. */
export type SessionCompactParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Instructions for the summary. */
  instructions?: string;
  /** A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted. */
  key?: string;
};

/** The compaction has started. */
export type SessionCompactResult = {
  /** Turn that performs it. */
  turnId: TurnId;
};

/** Params of `context/read`. (Experimental.) */
export type ContextReadParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** If true, omit the messages and return only the token counts. */
  summary?: boolean;
};

/** Last request to the model; before the first one, the request that would be sent. (Experimental.) */
export type ContextReadResult = {
  /** Fill level of the window. */
  usage: ContextUsage;
  /** Estimated tokens by source. */
  sources: ContextSource[];
  /** System prompt. */
  system?: string;
  /** Tools. */
  tools?: ContextTool[];
  /** Messages, in order. */
  messages?: ContextMessage[];
};

/** Share of one source in the context. (Experimental.) */
export type ContextSource = {
  /** Source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added. */
  source: string;
  /** Number of messages or tools. */
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

/** Message as sent to the model, independent of the provider's wire format. (Experimental.) */
export type ContextMessage = {
  /** Role: `user`, `assistant` or `result`. */
  role: string;
  /** For a result: id of its call. */
  callId?: string;
  /** For a result: true if the call failed. */
  failed?: boolean;
  /** Its blocks. */
  blocks: ContextBlock[];
};

/** A block of a message, distinguished by `type`. (Experimental.) */
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

/** Session settings, and the outcome of a change. */
export type ConfigResult = {
  /** Every option, with its current value. */
  options: ConfigOption[];
  /** Ids of the options that were set. */
  applied?: string[];
  /** Values that were rejected, with the reasons. */
  rejected?: Rejected[];
};

/** An option of a session. */
export type ConfigOption = {
  /** Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be added. */
  id: string;
  /** Its display name. */
  name: string;
  /** Value, effective from the next turn. */
  value: string;
  /** Possible values; empty if any text is accepted. */
  choices?: string[];
};

/** A rejected value. */
export type Rejected = {
  /** Option id, as sent. */
  id: string;
  /** Reason, and the next step. */
  reason: string;
};

/** Params of `config/set`. */
export type ConfigSetParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** New values, by the option's id. */
  values: Record<string, string>;
};

/** Queued messages, in the order in which the model will read them. */
export type QueueResult = {
  /** Messages. */
  queue: QueuedInput[];
};

/** Params of `queue/update`. */
export type QueueUpdateParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Message. */
  itemId: ItemId;
  /** New content. */
  input?: Input[];
  /** New delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a separate turn. */
  delivery?: Delivery;
  /** Move it before this message of the same delivery. */
  before?: ItemId;
  /** If true, move it behind all messages of the same delivery. */
  toEnd?: boolean;
};

/** Params of `queue/remove`. */
export type QueueRemoveParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Messages to remove; all by default. */
  itemIds?: ItemId[];
};

/** Removed messages. */
export type QueueRemoveResult = {
  /** Complete messages. */
  removed: QueuedInput[];
};

/** Answer to an approval, sent as a client request. If it selects no offered option, it is refused, and the approval stays pending. */
export type ApprovalAnswerParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Approval. */
  approvalId: ApprovalId;
  /** Chosen option. */
  optionId?: string;
  /** A message for the model, sent with a denial. */
  feedback?: string;
  /** True if the dialog was closed without a choice, which denies this one call. */
  dismissed?: boolean;
  /** The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text. */
  edits?: ProposalEdit[];
};

/** The user's edit to a proposed file. */
export type ProposalEdit = {
  /** Path of one of the approval's `changes`. Deleted files cannot be edited. */
  path: string;
  /** The complete text that the call would have written, as shown to the user. If the file turns out different, the edit is merged. */
  proposed: string;
  /** The complete text to write instead. */
  text: string;
};

/** Answer to a question, sent as a client request. If it selects an option that was not offered, or is empty, it is refused, and the question stays open. */
export type QuestionAnswerParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Question. */
  questionId: QuestionId;
  /** Chosen options. */
  optionIds?: string[];
  /** Text entered by the user. */
  text?: string;
  /** True if the dialog was closed without an answer; the model is then instructed to decide by itself. */
  dismissed?: boolean;
};

/** All current diagnostics of a file; they replace the earlier ones of that file. */
export type EditorDiagnosticsParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** File, absolute or relative to the session's working directory. */
  path: string;
  /** Version of the checked text, as counted by the editor; a report for an older version is ignored. */
  version?: number;
  /** Diagnostics; empty when there are none. */
  items: EditorDiagnostic[];
};

/** One diagnostic. */
export type EditorDiagnostic = {
  /** The lines concerned. */
  range: LineRange;
  /** Severity. The model receives errors and warnings. */
  severity: Severity;
  /** Message. */
  message: string;
  /** Tool that reported it, such as `rustc`. */
  source?: string;
  /** The tool's code for it, such as `E0308`. */
  code?: string;
};

/** Params of `document/open`. Opening a document again replaces its earlier state. */
export type DocumentOpenParams = {
  /** File, absolute. It need not exist yet. */
  path: string;
  /** Version of the text; it increases with every change. */
  version: number;
  /** Full text as it would be saved, with its line ends, without a byte order mark. */
  text: string;
  /** True if the text has unsaved changes, so tools read it instead of the file. */
  dirty: boolean;
};

/** Params of `document/change`. */
export type DocumentChangeParams = {
  /** File, as it was opened. */
  path: string;
  /** Version after the changes. */
  version: number;
  /** Changes; each applies to the previous one's result. */
  changes: DocumentChange[];
  /** True if the text differs from the last saved one. */
  dirty: boolean;
};

/** A change of a text. */
export type DocumentChange = {
  /** Range to replace; absent for the full text. */
  range?: TextRange;
  /** Replacement. */
  text: string;
};

/** Text range. Positions past a line's or the text's end are clamped to that end. */
export type TextRange = {
  /** Start. */
  start: Position;
  /** End, exclusive. */
  end: Position;
};

/** A position in a text. */
export type Position = {
  /** Line, from 0; lines end with `\n` or `\r\n`. */
  line: number;
  /** Offset from the start of the line in UTF-16 code units, as in LSP. */
  character: number;
};

/** Params of `document/save`: the file now holds the text of this version. */
export type DocumentSaveParams = {
  /** File, as it was opened. */
  path: string;
  /** Version that was saved. */
  version: number;
};

/** Params of `document/close`. Unsaved text is discarded; tools read the file again. */
export type DocumentCloseParams = {
  /** File, as it was opened. */
  path: string;
};

/** Params of `session/items`. */
export type SessionItemsParams = {
  /** Session, open or not; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Only items before this event; the last items by default. */
  before?: number;
  /** Only items after this event, such as an entry of `session/outline`. */
  after?: number;
  /** Maximum number of items, 1 to 1,000; default 100. */
  limit?: number;
};

/** Current values of items. */
export type SessionItemsResult = {
  /** Items of the current path, ordered by their last events. Items that have not ended are in the newest page. */
  items: ItemAt[];
  /** True if there are more items; request those before the first one's `seq`. */
  more: boolean;
};

/** An item with the last event that concerns it. */
export type ItemAt = {
  /** Event. */
  seq: number;
  /** Item. */
  item: Item;
};

/** Params of `item/read`. */
export type ItemReadParams = {
  /** Session, open or not; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Item. */
  itemId: ItemId;
};

/** Params of `item/cancel`. */
export type ItemCancelParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** The `toolCall` item. */
  itemId: ItemId;
};

/** Params of `checkpoint/list`. */
export type CheckpointListParams = {
  /** Session, open or not; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
};

/** Points to which files can be restored: the start and the end of each turn. */
export type CheckpointListResult = {
  /** Checkpoints, oldest first. */
  checkpoints: Checkpoint[];
};

/** A point to which files can be restored. */
export type Checkpoint = {
  /** Event after which the checkpoint lies; 0 is the beginning. */
  seq: number;
  /** Turn that ended there. */
  turnId?: TurnId;
  /** Time, in milliseconds since 1970. */
  tsMs: number;
  /** Paths that changed since the checkpoint before, absolute. */
  changed: string[];
  /** Label of the point. */
  label?: string;
};

/** Params of `checkpoint/diff`. */
export type CheckpointDiffParams = {
  /** Session, open or not; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** First point. */
  from: HistoryPoint;
  /** Second point; the journal's present state by default. */
  to?: HistoryPoint;
};

/** Difference of files between two points. */
export type CheckpointDiffResult = {
  /** Patch for `git apply` in the session's working directory, with the changes of all authors. */
  text: string;
  /** Changed files that the patch leaves out: outside of that directory, or with a content that was not kept. */
  leftOut?: string[];
};

/** Params of `shell/run`. */
export type ShellRunParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Command line, as a shell reads it. */
  command: string;
  /** True if the model reads the command and its output with the next prompt; default true. */
  toModel?: boolean;
  /** A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its response is the one to the first. */
  key?: string;
};

/** Result of a command. */
export type ShellRunResult = {
  /** Job that ran it. Its item shows the command; deltas of the field `output` carry its output. */
  jobId: JobId;
  /** End of its output, at most 2,000 lines and 50 KB. */
  output: string;
  /** Its exit code; absent if it was cancelled or ended by a signal. */
  exitCode?: number;
  /** True if it was cancelled. */
  cancelled?: boolean;
  /** True if `output` is not the full output. */
  truncated?: boolean;
  /** File with the full output, if it was truncated. */
  fullOutputPath?: string;
};

/** Params of `shell/write`. */
export type ShellWriteParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Job with a terminal (`inTerminal`). */
  jobId: JobId;
  /** Text to type: a line feed presses Enter, and control characters are keys, such as U+0003 for Ctrl-C. Nothing is typed if it is empty. */
  text: string;
  /** False if the response need not wait for the screen, which is empty then, as for a client that follows it with `shell/screen`; default true. */
  wantsScreen?: boolean;
};

/** Result of `shell/write`. */
export type ShellWriteResult = {
  /** Screen of 120 columns and 30 rows as text, when it had not changed for 100 ms, and after 1 s at the latest; empty if the command has ended. */
  screen: string;
};

/** Params of `shell/screen`. */
export type ShellScreenParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Job with a terminal (`inTerminal`). */
  jobId: JobId;
  /** `mark` of an earlier response: waits until the screen has changed since, up to 25 s. Absent: responds at once. */
  after?: string;
};

/** Result of `shell/screen`. */
export type ShellScreenResult = {
  /** Current screen; absent once the job has ended. */
  screen?: TerminalScreen;
  /** Lines scrolled off the top since `after`, without colors; of very many, the last 100 KB or more. Once the job has ended, they include the last screen. */
  lines: string;
  /** `after` for the next request. */
  mark: string;
  /** True once the job has ended. */
  ended?: boolean;
};

/** Screen of a terminal. */
export type TerminalScreen = {
  /** Width. */
  columns: number;
  /** All rows, from the top, without trailing spaces. Colors and styles are SGR sequences, as a terminal reads them, and end with their row; other control sequences of the program are left out. */
  rows: string[];
  /** Cursor; absent if it is hidden. */
  cursor?: ScreenCursor;
};

/** Position of the cursor on a screen. */
export type ScreenCursor = {
  /** Row, from 0 at the top. */
  row: number;
  /** Column, from 0 at the left; a wide character takes two. */
  column: number;
};

/** Usage of a session. */
export type UsageReadResult = {
  /** Usage of all turns, including sub-agents, and of generated titles. */
  total: UsageCount;
  /** Usage of each model in the session's turns, in order of first use. A turn's sub-agents count for the turn's model. */
  models: ModelUsage[];
  /** Part of titles, which belong to no turn. */
  titles: UsageCount;
};

/** Counted tokens and money. */
export type UsageCount = {
  /** Number of turns. */
  turns: number;
  /** Number of model replies in these turns. */
  steps: number;
  /** Tokens. */
  usage: Usage;
  /** Cost, in billionths of a US dollar, as far as prices are known; absent if none is. */
  costNanoUsd?: number;
  /** Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a price is not known, and for titles. */
  uncachedCostNanoUsd?: number;
  /** Duration of the turns in milliseconds. */
  durationMs: number;
};

/** Usage of a model. */
export type ModelUsage = {
  /** Model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** Number of turns. */
  turns: number;
  /** Number of model replies in these turns. */
  steps: number;
  /** Tokens. */
  usage: Usage;
  /** Cost, in billionths of a US dollar, as far as prices are known; absent if none is. */
  costNanoUsd?: number;
  /** Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a price is not known, and for titles. */
  uncachedCostNanoUsd?: number;
  /** Duration of the turns in milliseconds. */
  durationMs: number;
};

/** A session's background jobs. */
export type JobListResult = {
  /** Their items, oldest first. */
  jobs: Item[];
};

/** Params of `job/stop`. */
export type JobStopParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Job. */
  jobId: JobId;
};

/** Result of `job/stop`. */
export type JobStopResult = {
  /** Ended job's item. */
  job: Item;
};

/** Result of `mcp/list`. (Experimental.) */
export type McpListResult = {
  /** The session's servers. Those of a project's file are known once a turn has begun. */
  servers: McpServerState[];
};

/** State of a session's server. (Experimental.) */
export type McpServerState = {
  /** Its name, unique in the session. */
  name: string;
  /** Command line or address, as configured. */
  target: string;
  /** Human-readable location of its configuration. */
  origin: string;
  /** Its status. */
  status: McpStatus;
  /** Human-readable failure reason. */
  message?: string;
  /** Login to it; absent if it has none: a program, or an address whose settings have an `Authorization`. */
  login?: McpLoginState;
  /** Its own name and version, and the protocol's; once it is connected. */
  about?: string;
  /** Its tools, once it is connected. */
  tools?: McpTool[];
  /** Human-readable parts of it that are not used, each with the reason, such as a tool with an invalid schema; once it is connected. */
  problems?: string[];
  /** Last lines that it wrote to its error output. */
  stderr?: string[];
};

/** Server status. (Experimental.) */
export type McpStatus = 
  | /** Nothing has used it yet. */ "idle"
  | /** Starting. */ "starting"
  | /** Connected. */ "ready"
  | /** Failed to start, or the connection was closed. The next use tries again. */ "failed"
  | /** Disabled for this session. */ "off";

/** Login to a server. (Experimental.) */
export type McpLoginState = 
  | /** True if the server supports `mcp/login`; most servers need no login. */ "possible"
  | /** The server refused for want of a login. */ "wanted";

/** A tool of a server. (Experimental.) */
export type McpTool = {
  /** Its name at the server. */
  name: string;
  /** The server's description of it. */
  description: string;
  /** True if the server declares that it changes nothing. Permissions do not depend on it. */
  readOnlyHint?: boolean;
};

/** Params of `mcp/update`. (Experimental.) */
export type McpUpdateParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Server name. */
  server: string;
  /** Enables or disables it for this session. The tools of a disabled server stay in the model's list, and their calls fail. */
  enabled?: boolean;
  /** If true, restart a failed server at once, without waiting for its next use. */
  restart?: boolean;
};

/** Params of `mcp/login`. (Experimental.) */
export type McpLoginParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Server name. */
  server: string;
  /** Scopes to request, instead of those in its settings and those that the server lists. */
  scopes?: string[];
};

/** Params of `mcp/logout`. (Experimental.) */
export type McpLogoutParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Server name. */
  server: string;
};

/** Result of `mcp/logout`. (Experimental.) */
export type McpLogoutResult = {
  /** True if there was a stored login. */
  removed: boolean;
};

/** Providers and models known by name. Any other `provider/id` of a known provider works as well. */
export type ModelsListResult = {
  /** Providers: built-in ones, then user-defined ones. */
  providers: ProviderInfo[];
  /** Models: built-in ones, for each provider the newest first, then user-defined ones. */
  models: ModelInfo[];
  /** Effort levels, lowest first. `config.model` takes one after the id, as in `provider/id:high`. */
  efforts?: string[];
  /** Problems in the settings files. When a file cannot be used, the list is the one from before. */
  problems?: string[];
};

/** A provider. */
export type ProviderInfo = {
  /** Name in `provider/id`. */
  name: string;
  /** Display name, if it is known. */
  title?: string;
  /** Wire API: `chat`, `messages`, `responses` or `gemini`; absent if it differs by model. */
  api?: string;
  /** Request URL, without secret parts. Names in braces or after a dollar sign are variables. */
  url?: string;
  /** Key availability. */
  key: KeyState;
  /** Environment variable for the key. */
  keyVar?: string;
  /** Source of this entry: the user's files, or the location it was read from. */
  source: string;
};

/** Availability of a provider's key. */
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
  /** Display name, if it differs from the id. */
  name?: string;
  /** Maximum number of input tokens. */
  window?: number;
  /** Maximum number of output tokens. */
  maxOutput?: number;
  /** Price. */
  price?: ModelPrice;
  /** The model accepts images; absent if unknown. */
  vision?: boolean;
  /** The model can reason before it answers; absent if unknown. */
  reasoning?: boolean;
  /** Tool profile, unless the settings choose another. */
  profile: string;
  /** Source of this entry: the user's files, or the location it was read from. */
  source: string;
  /** Date of that source, as year and month. */
  checked?: string;
};

/** Price of a model, in US dollars per million tokens. */
export type ModelPrice = {
  /** Input that is not cached. */
  inputUsdPerMtok: number;
  /** Output, reasoning included. */
  outputUsdPerMtok: number;
  /** Input read from a cache; absent if it costs as much as other input. */
  cacheReadUsdPerMtok?: number;
  /** Input written to a cache; absent if it costs as much as other input. */
  cacheWriteUsdPerMtok?: number;
};

/** Result of `auth/status`. (Experimental.) */
export type AuthStatusResult = {
  /** Providers that support login. */
  providers: ProviderAuth[];
  /** Reason why the stored logins cannot be used. */
  problem?: string;
};

/** Provider that supports login. (Experimental.) */
export type ProviderAuth = {
  /** Provider name. */
  provider: string;
  /** Ways to log in, the preferred one first. */
  methods: AuthMethod[];
  /** Method of the stored login; absent without one. */
  stored?: AuthMethod;
  /** Source of the key in use: settings and variables take precedence over a stored login. */
  key: KeyState;
  /** Environment variable in use, or to set. */
  keyVar?: string;
};

/** A way to log in. (Experimental.) */
export type AuthMethod = 
  | /** A code that the user enters on a page, with any device. */ "device"
  | /** A browser page on the engine's machine. */ "browser"
  | /** A key that the user types. */ "key";

/** Params of `auth/login`. (Experimental.) */
export type AuthLoginParams = {
  /** Provider. */
  provider: string;
  /** Way to log in; default the first one of `auth/status`. */
  method?: AuthMethod;
  /** Key that the user typed, for the method `key`. */
  key?: string;
};

/** Result of `auth/login`. (Experimental.) */
export type AuthLoginResult = {
  /** Provider. */
  provider: string;
  /** Method of the login. */
  method: AuthMethod;
};

/** Params of `auth/logout`. (Experimental.) */
export type AuthLogoutParams = {
  /** Provider. */
  provider: string;
};

/** Result of `auth/logout`. (Experimental.) */
export type AuthLogoutResult = {
  /** True if there was a stored login. */
  removed: boolean;
};

/** Result of `trust/read` and `trust/agree`. (Experimental.) */
export type TrustResult = {
  /** Project root: the root of the git repository, or the session's working directory outside one. */
  root: string;
  /** True if the user trusts the project. If not, the engine uses none of the files. */
  trusted: boolean;
  /** Files, sorted by path: permissions, rules, MCP servers, skills, and agents. */
  files: ProjectFile[];
};

/** A project file that configures the engine. (Experimental.) */
export type ProjectFile = {
  /** Path relative to the project's root, separated by `/`. */
  path: string;
  /** SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing. */
  sha256: string;
  /** The user's agreement to this content. */
  standing: Standing;
};

/** User's agreement to a project file's content. (Experimental.) */
export type Standing = 
  | /** The user agreed to the current content. The file is in use if the project is trusted. */ "agreed"
  | /** The file did not exist when the user agreed to the others. It is ignored. */ "new"
  | /** The file has changed since the user agreed to it. It is ignored. */ "changed"
  | /** The user agreed to this permissions file, and it is missing or unreadable. Every call requires approval until the user agrees to that. */ "missing";

/** Params of `trust/agree`. (Experimental.) */
export type TrustAgreeParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Files to use, with the content the user saw. */
  files: SeenFile[];
};

/** A project file as the user saw it. (Experimental.) */
export type SeenFile = {
  /** Path from `trust/read`. */
  path: string;
  /** SHA-256 from `trust/read`. */
  sha256: string;
};

/** Result of `permission/list` and `permission/remove`. (Experimental.) */
export type PermissionListResult = {
  /** Rules in force, from the widest source to the narrowest. */
  rules: PermissionRule[];
  /** Problems with rules, in sentences. A project file with invalid rules adds rules that ask about every call. */
  problems?: string[];
};

/** A rule that allows, asks about or denies calls. (Experimental.) */
export type PermissionRule = {
  /** Human-readable rule: ``allow `cargo test **` ``. Invisible characters are drawn as signs. */
  text: string;
  /** What happens to calls that match. */
  decision: RuleDecision;
  /** Where the rule comes from. */
  source: RuleSource;
  /** How long the answer holds. Only rules from answers have one. */
  scope?: Scope;
  /** Id for `permission/remove`. Only rules from answers have one. */
  ruleId?: string;
};

/** What a rule does with a call. `deny` overrides `ask`, and `ask` overrides `allow`. (Experimental.) */
export type RuleDecision = 
  | /** Runs the call. */ "allow"
  | /** Asks the user about the call. */ "ask"
  | /** Denies the call. */ "deny";

/** Where a rule is defined. (Experimental.) */
export type RuleSource = 
  | /** The user's `config.toml`. */ "config"
  | /** The policy that the engine was started with. */ "policy"
  | /** A trusted project's `.pintle/permissions.toml`. */ "project"
  | /** The user's answer to an approval. */ "answer";

/** Params of `permission/remove`. (Experimental.) */
export type PermissionRemoveParams = {
  /** Session; optional if this connection has created or opened exactly one. */
  sessionId?: SessionId;
  /** Id from `permission/list`. */
  ruleId: string;
};

/** Result of `prompt/list`. */
export type PromptListResult = {
  /** Prompts, by name. */
  prompts: NamedPrompt[];
  /** Files that could not be read, each with the reason. */
  problems?: string[];
};

/** A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt. */
export type NamedPrompt = {
  /** Its name, without the slash. */
  name: string;
  /** Its description. */
  description?: string;
  /** Arguments that may follow the name. */
  argumentHint?: string;
  /** Its file; `mcp:SERVER` for a server's prompt. */
  path: string;
};

/** Result of `skill/list`. */
export type SkillListResult = {
  /** Skills, by name. */
  skills: NamedPrompt[];
};

/** A hook of a client. (Experimental.) */
export type HookRegisterParams = {
  /** Points at which it runs. */
  points: HookPoint[];
  /** Tools whose calls it sees: names, with `*` for any text. Default: all. */
  tools?: string[];
  /** Timeout in milliseconds; default 60000. */
  timeoutMs?: number;
  /** Effect of a failure; default `closed`. */
  onFailure?: OnFailure;
};

/** A point of the engine's work at which hooks run. (Experimental.) */
export type HookPoint = 
  | /** A user message, before the model reads it. A hook may deny it, handle it in the model's place, or change its text. */ "inputReceived"
  | /** Start of a turn. A hook may deny it, add context, and change the prompt and the system prompt. */ "beforeAgent"
  | /** The model's context is complete. A hook may add to it or replace its messages, for the next request alone. */ "contextBuilt"
  | /** Before a request to the model. A hook may deny it, which ends the turn. */ "beforeModelRequest"
  | /** After a reply of the model. A hook changes nothing. */ "afterModelResponse"
  | /** A tool call, before permission is requested and before it runs. A hook may deny it or change its arguments. */ "beforeToolCall"
  | /** A tool call that ran. A hook may change its result. */ "afterToolCall"
  | /** Before a compaction. A hook may deny it; an automatic compaction then removes old results instead. */ "sessionCompact"
  | /** A session was created or opened. A hook changes nothing; not for clients. */ "sessionStart"
  | /** Before a fork of this session is created. A hook may deny it; not for clients. */ "sessionFork"
  | /** Before the session continues from another point of its history, or a fork is merged into it. A hook may deny it; not for clients. */ "sessionSwitch"
  | /** A session is being closed. A hook changes nothing; not for clients. */ "sessionEnd";

/** Effect of a hook's failure at a point that allows denial. (Experimental.) */
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

/** Params of `session/event`: durable if `seq` is present, transient if `after` is. */
export type AnyRecord = 
  | /** A durable event. */ EventRecord
  | /** A transient event. */ TransientRecord;

/** A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness. */
export type TransientRecord = {
  /** Session. */
  sessionId: SessionId;
  /** Sequence number of the last durable event before it. */
  after: number;
  /** Turn it belongs to. */
  turnId?: TurnId;
  /** Event. */
  event: TransientEvent;
};

/** Transient events, distinguished by `type`. */
export type TransientEvent = 
  | /** A field of an item grew. */ ItemDelta & {
    type: "item.delta";
  }
  | /** The session's state changed. */ SessionState & {
    type: "session.state";
  }
  | /** The fill level of the model's context window, sent after each reply. */ ContextUsage & {
    type: "session.context";
  }
  | /** Usage so far of the streaming reply, if its provider reports it before the end. */ StepUsage & {
    type: "step.usage";
  }
  | /** Notice for the user that could not be written to the journal. */ Notice & {
    type: "session.notice";
  };

/** A piece of text to append to a field of an item. */
export type ItemDelta = {
  /** Item. */
  itemId: ItemId;
  /** Field that grew. */
  field: DeltaField;
  /** Argument string that grew, as a JSON Pointer such as `/content`; only with the field `input`. */
  path?: string;
  /** The piece's number within item and field, from 0. All paths of the field `input` share one sequence: 0 discards the text of each. */
  n: number;
  /** Number of the last piece merged into this one, if any. */
  to?: number;
  /** Text to append. */
  text: string;
};

/** Usage of a streaming reply. `step.completed` has the final count. */
export type StepUsage = {
  /** Step within the turn, from 1. */
  step: number;
  /** Usage so far. */
  usage: Usage;
  /** Cost so far, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
};

/** Durable events that were not sent to a slow connection. */
export type SessionEventsMissedParams = {
  /** Session. */
  sessionId: SessionId;
  /** Last durable event that was sent. */
  lastSentSeq: number;
  /** Last durable event that was not sent. */
  headSeq: number;
};

/** Params of `auth/openUrl`. (Experimental.) */
export type AuthOpenUrlParams = {
  /** Provider, for `auth/login`. */
  provider?: string;
  /** Server, for `mcp/login`. */
  mcpServer?: string;
  /** Page to open. */
  url: string;
  /** Code to enter there. */
  userCode?: string;
  /** Time that is left, in milliseconds. */
  expiresInMs?: number;
};

/** Answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one call. */
export type ApprovalAnswer = {
  /** Chosen option. */
  optionId?: string;
  /** A message for the model, sent with a denial. */
  feedback?: string;
  /** True if the dialog was closed without a choice, which denies this one call. */
  dismissed?: boolean;
  /** The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text. */
  edits?: ProposalEdit[];
};

/** Answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first if only one may be chosen; an answer with nothing left counts as dismissed. */
export type QuestionAnswer = {
  /** Chosen options. */
  optionIds?: string[];
  /** Text entered by the user. */
  text?: string;
  /** True if the dialog was closed without an answer; the model is then instructed to decide by itself. */
  dismissed?: boolean;
};

/** Hook input. (Experimental.) */
export type HookRun = {
  /** Point. */
  point: HookPoint;
  /** Session. */
  sessionId: SessionId;
  /** Turn; absent at points of the session. */
  turnId?: TurnId;
  /** The session's working directory. */
  cwd: string;
  /** Text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`. */
  input?: string;
  /** Images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They are kept regardless of the answer. */
  images?: Content[];
  /** System prompt, at `beforeAgent`. */
  system?: string;
  /** Messages of the model's context, at `contextBuilt`. */
  conversation?: HookMessage[];
  /** Event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the current state, and when a fork is merged back. */
  toSeq?: number;
  /** Tool call, at `beforeToolCall` and `afterToolCall`. */
  call?: HookCall;
  /** The call's result, at `afterToolCall`. */
  result?: HookResult;
  /** The model's reply, at `afterModelResponse`. */
  response?: HookResponse;
  /** Number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`. */
  messages?: number;
  /** Unfinished parts of the model's plan, at `beforeAgent`. */
  openTodos?: string;
};

/** A message of the model's context, for a hook. (Experimental.) */
export type HookMessage = 
  | /** Message of the user or the engine. */ {
    role: "user";
    /** Position in the context, from 0. A message that is returned unchanged with its position keeps data that hooks do not see, such as reasoning. */
    index?: number;
    /** The content. */
    content: Content[];
  }
  | /** A reply of the model. */ {
    role: "assistant";
    /** Position in the context, from 0. */
    index?: number;
    /** Text. */
    text?: string;
    /** Calls. */
    calls?: HookMessageCall[];
  }
  | /** Result of a call. */ {
    role: "toolResult";
    /** Position in the context, from 0. */
    index?: number;
    /** The call. */
    callId: string;
    /** The tool's name. */
    toolName: string;
    /** The content. */
    content: Content[];
    /** True if the call failed. */
    failed?: boolean;
  };

/** A call in a message of the model's context. (Experimental.) */
export type HookMessageCall = {
  /** Id, which the call's result repeats. */
  id: string;
  /** Tool name. */
  name: string;
  /** Arguments, as the model wrote them: JSON text. */
  arguments: string;
};

/** A tool call, for a hook. (Experimental.) */
export type HookCall = {
  /** Its item. */
  itemId: ItemId;
  /** Tool name. */
  toolName: string;
  /** Kind of tool. */
  kind: ToolKind;
  /** One line for the user. */
  title: string;
  /** Arguments, as hooks before this one left them. A shell's command line is always `command`. */
  arguments: unknown;
  /** The files concerned. */
  locations?: Location[];
};

/** Tool call result, for a hook. (Experimental.) */
export type HookResult = {
  /** Text for the model. */
  text: string;
  /** True if the call failed. */
  failed?: boolean;
};

/** A reply of the model, for a hook. (Experimental.) */
export type HookResponse = {
  /** Its text. */
  text: string;
  /** Names of the tools that it calls, in order. */
  tools?: string[];
};

/** Hook answer. `{}` and an empty output change nothing. (Experimental.) */
export type HookAnswer = {
  /** Decision; default `allow`. Permission is still requested if required. */
  decision?: HookDecision;
  /** Reason for a denial, for the model or the user. */
  reason?: string;
  /** New text of the message, at `inputReceived` and `beforeAgent`. */
  input?: string;
  /** New system prompt of the turn, at `beforeAgent`. */
  system?: string;
  /** Messages of the next request, at `contextBuilt`. They apply to that request only. */
  conversation?: HookMessage[];
  /** The call's complete new arguments. */
  arguments?: unknown;
  /** New result of the call. */
  result?: HookResult;
  /** Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`. */
  context?: string;
};

/** Hook decision. (Experimental.) */
export type HookDecision = 
  | /** Continue. */ "allow"
  | /** Do not continue. */ "deny"
  | /** The hook has handled the message, at `inputReceived`: the model does not read it, and it is not returned for resending. `reason` is shown to the user. */ "handled";

/** A call of a tool that the client registered. */
export type ToolCallParams = {
  /** Session. */
  sessionId: SessionId;
  /** Call item. */
  itemId: ItemId;
  /** Tool name. */
  toolName: string;
  /** Arguments, as the model wrote them. They match the schema; other calls are refused. */
  arguments: unknown;
};

/** Result of a client-registered tool. */
export type ToolCallResult = {
  /** Content for the model. */
  content: Content[];
  /** True if the call failed; the content gives the reason. */
  failed?: boolean;
};

/** Params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none. */
export type ApplyEditParams = {
  /** User-facing description of the edit. */
  label: string;
  /** Documents. */
  edits: DocumentEdit[];
};

/** Edit of one document. */
export type DocumentEdit = {
  /** File, as it was opened. */
  path: string;
  /** Version that the edit was made for. If the document's version has changed since, nothing is changed. */
  version: number;
  /** Changes, in order; their ranges refer to the text of `version` and do not overlap. */
  changes: TextEdit[];
  /** True if the document had no unsaved changes and must be saved again, so that commands see the edit. */
  save: boolean;
};

/** Replacement of a text range. */
export type TextEdit = {
  /** Range to replace. */
  range: TextRange;
  /** Replacement. */
  text: string;
};

/** Result of `workspace/applyEdit`. Before its response, the client sends its changes with `document/change`. The engine waits 15 seconds. */
export type ApplyEditResult = {
  /** True if all edits were applied; otherwise none was. */
  applied: boolean;
  /** Reason why none was applied, or why a document could not be saved. */
  failureReason?: string;
  /** Current versions of the documents. */
  versions?: DocumentVersion[];
};

/** Document version. */
export type DocumentVersion = {
  /** File, as it was opened. */
  path: string;
  /** Version. */
  version: number;
};

/** Data of an error response. */
export type ErrorData = {
  /** Stable failure code: the error's name, or a more specific one. */
  code: string;
  /** Position in the params, as a JSON Pointer. */
  path?: string;
  /** Suggested next step. */
  hint?: string;
  /** Values that would have been accepted. */
  supported?: string[];
  /** For `openElsewhere`: true if the session is open in the engine that clients of `pintle attach` share, and any of them can open it there. */
  sharedEngine?: boolean;
};

/** The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone. (Experimental.) */
export type RunLine = 
  | /** The first line. */ RunHeader & {
    type: "header";
  }
  | /** The last line, at every end. */ RunResult & {
    type: "result";
  };

/** First line of `pintle run --format events`. (Experimental.) */
export type RunHeader = {
  /** Protocol version of the events. */
  protocol: string;
  /** Hash of the protocol's schema. */
  schemaHash: string;
  /** Engine. */
  engine: PeerInfo;
  /** Session. */
  sessionId: SessionId;
  /** Working directory. */
  cwd: string;
};

/** Kind of end of a task. (Experimental.) */
export type RunStatus = 
  | /** The task was completed. */ "success"
  | /** Something was denied. */ "denied"
  | /** Nothing was changed, though changes were required. */ "unchanged"
  | /** A limit ended it. */ "limit"
  | /** Ended by a signal, or by the time limit of the entire task. */ "interrupted"
  | /** Failed; `error` gives the reason. */ "failed";

/** Files that differ from before the task. (Experimental.) */
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
  /** Complete command. */
  command: string;
  /** Its end: `cancelled` if the task ended first. */
  status: ItemStatus;
  /** Its exit code. */
  exitCode?: number;
};

/** A call that was denied. (Experimental.) */
export type RunDenial = {
  /** Tool. */
  tool: string;
  /** Human-readable call. */
  title: string;
  /** Reason, as reported to the model. */
  reason: string;
  /** Option or rule that would have allowed it; absent if none would, or if a user's rule denied it. */
  hint?: string;
};

/** Something wrong at a place in a file. (Experimental.) */
export type Finding = {
  /** File, relative to the working directory. */
  path: string;
  /** First line, 1-based; absent if the finding applies to the entire file. */
  line?: number;
  /** Last line, which is part of it. */
  endLine?: number;
  /** Its weight. */
  severity: FindingSeverity;
  /** Name for its kind. */
  rule: string;
  /** The model's words about it. */
  message: string;
  /** Replacement text for these lines. */
  fix?: string;
};

/** Severity of a finding. Ordered from the least to the most severe. (Experimental.) */
export type FindingSeverity = 
  | /** Worth knowing. */ "note"
  | /** To be looked at. */ "warning"
  | /** Must be fixed. */ "error";

/** Changes in a task's copy, and whether they were applied. (Experimental.) */
export type RunIsolation = {
  /** Changed files of the project, absolute; empty if there were conflicts or the task failed. */
  applied: string[];
  /** Files of the project with conflicting changes, absolute. */
  conflicts?: string[];
  /** Directory of the copy with the unapplied changes; absent if there are none, in which case the copy was removed. */
  copy?: string;
};

/** One of several attempts at a task. (Experimental.) */
export type RunAttempt = {
  /** Session; absent if none could be created. */
  sessionId?: SessionId;
  /** Model that answered last, as `provider/id`. */
  model?: string;
  /** Reason for the end, as in `stop` of the result. */
  stop: string;
  /** Files that the agent changed, under their paths in the project. */
  changes: RunChanges;
  /** Cost, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
  /** Verdict of the judge; absent without a judge, or if the attempt was not completed. */
  verdict?: RunVerdict;
  /** True for the attempt whose changes were applied. */
  chosen?: boolean;
  /** Directory of the copy with the unapplied changes; absent if it was removed. */
  copy?: string;
};

/** Verdict of a judge about an attempt. (Experimental.) */
export type RunVerdict = {
  /** True if the judge exited with 0. */
  accepted: boolean;
  /** Number in the last line of its output, if there is one; higher is better. */
  score?: number;
  /** End of its output. */
  output: string;
};

/** Result of `pintle run`. (Experimental.) */
export type RunResult = {
  /** Kind of end. */
  status: RunStatus;
  /** Reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added. */
  stop: string;
  /** Exit code of the program. */
  exitCode: number;
  /** Session; absent if none could be created or opened. */
  sessionId?: SessionId;
  /** Turn. */
  turnId?: TurnId;
  /** Path of the session's journal. */
  journal?: string;
  /** Last message of the model. */
  text: string;
  /** Answer that satisfies `--output-schema`. */
  structured?: unknown;
  /** Number of replies of the model. */
  steps: number;
  /** Duration of the turn, in milliseconds. */
  durationMs: number;
  /** Token usage of the task, including sub-agents and the title. */
  usage: Usage;
  /** Their cost, in billionths of a US dollar; absent if the price is unknown. */
  costNanoUsd?: number;
  /** The same cost in US dollars. */
  costUsd?: number;
  /** Model that answered last, as `provider/id`. */
  model?: string;
  /** Files that the agent changed. */
  changes: RunChanges;
  /** Commands that ran, in order. */
  commands: RunCommand[];
  /** Calls that were denied. */
  denials: RunDenial[];
  /** Findings that the model reported, in order, each once; only if a report was requested. */
  findings?: Finding[];
  /** Changes in the task's copy; only with `--isolation`. */
  isolation?: RunIsolation;
  /** The attempts, in their order; only with `--attempts`. The other fields describe the attempt that was chosen, or else the first. */
  attempts?: RunAttempt[];
  /** Changed files that the patch omits because they are outside the session's directory. */
  notInPatch?: string[];
  /** Error, if the task failed. */
  error?: TurnError;
};

/** Requests a client sends. */
export interface ClientRequests {
  /** Opens the connection: versions, names, capabilities. It must be the first request. */
  "initialize": { params: InitializeParams; result: InitializeResult };
  /** Answers at once; for liveness checks. */
  "ping": { params: Empty; result: Empty };
  /** Interrupts running work, closes every session of this engine in order, then answers. Send `exit` next. With an engine that several clients share, this client leaves its sessions, and running work continues. */
  "shutdown": { params: Empty; result: Empty };
  /** Creates a session and, by default, subscribes this connection to it. */
  "session/create": { params: SessionCreateParams; result: SessionResult };
  /** Opens a stored session, also after a crash, and, by default, subscribes this connection to it. */
  "session/open": { params: SessionOpenParams; result: SessionResult };
  /** Lists stored sessions, the last created first. */
  "session/list": { params: SessionListParams; result: SessionListResult };
  /** Sets or removes a session's title. */
  "session/update": { params: SessionUpdateParams; result: SessionUpdateResult };
  /** Archives a stored session, or restores it: lists omit archived sessions unless they are requested. Nothing else changes. */
  "session/archive": { params: SessionArchiveParams; result: Empty };
  /** Searches user and model messages and the tool calls of all stored sessions. */
  "session/search": { params: SessionSearchParams; result: SessionSearchResult };
  /** Exports a session, open or not, as a page, Markdown or JSON lines, in the result or to a file in its working directory. */
  "session/export": { params: SessionExportParams; result: SessionExportResult };
  /** Permanently deletes a stored session, with its sub-agents' sessions. A session that is open anywhere is refused. */
  "session/delete": { params: SessionDeleteParams; result: SessionDeleteResult };
  /** Moves an idle session to another point of its history, earlier or later. */
  "session/rewind": { params: SessionRewindParams; result: SessionRewindResult };
  /** Creates a session that begins with another session's history. */
  "session/fork": { params: SessionForkParams; result: SessionResult };
  /** Merges a fork's events into the session that it was forked from, as a separate branch. Files do not change. (Experimental: which parts of a fork are merged may change.) */
  "session/merge": { params: SessionMergeParams; result: SessionMergeResult };
  /** Sets the label of a point in a session's history. */
  "session/label": { params: SessionLabelParams; result: SessionLabelResult };
  /** Adds a client note to a session's history: at once, or after the running turn. An `engineMessage` item carries it. */
  "session/note": { params: SessionNoteParams; result: Empty };
  /** Returns the history tree of a session. */
  "session/tree": { params: SessionParams; result: SessionTreeResult };
  /** Returns a session's outline: the points between which its items can be listed and searched. (Experimental: its kinds depend on forks and merges, which are being tried.) */
  "session/outline": { params: SessionOutlineParams; result: SessionOutlineResult };
  /** Lists the open hunks: agent changes without a decision. */
  "review/list": { params: ReviewListParams; result: ReviewListResult };
  /** Keeps, undoes or comments on hunks, or reverts a decision. While a turn runs, a decision that changes files waits for the next gap between two calls. */
  "review/decide": { params: ReviewDecideParams; result: ReviewDecideResult };
  /** Reads a file's content at the last accepted point. */
  "review/baseline": { params: ReviewBaselineParams; result: ReviewBaselineResult };
  /** Returns the agent's changes as a patch. */
  "review/patch": { params: ReviewPatchParams; result: ReviewPatchResult };
  /** Merges an isolated session's changes into the user's files, including unsaved text. There they become open hunks, which can be kept or undone. The session stays isolated, and later changes can be applied in the same way. While a turn runs, the request fails with `busy`. (Experimental: isolated sessions are new.) */
  "isolation/apply": { params: IsolationApplyParams; result: IsolationApplyResult };
  /** Removes an isolated session's copy, with all unapplied changes. When the session is reopened, it works on the user's files. A session that is open anywhere is refused. (Experimental: isolated sessions are new.) */
  "isolation/discard": { params: IsolationDiscardParams; result: Empty };
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
  /** Interrupts the running turn. The response is sent at once; the turn ends with the event `turn.completed`. */
  "turn/interrupt": { params: TurnInterruptParams; result: TurnInterruptResult };
  /** Compacts an idle session's conversation. The response is sent at once; the compaction is a turn with a `compaction` item. */
  "session/compact": { params: SessionCompactParams; result: SessionCompactResult };
  /** Returns the last request to the model and the fill level of its context window. (Experimental: it shows the request to the model as the engine makes it today.) */
  "context/read": { params: ContextReadParams; result: ContextReadResult };
  /** Lists a session's settings with their values. */
  "config/list": { params: SessionParams; result: ConfigResult };
  /** Changes settings of a session from the next turn on. Invalid values are rejected with a reason, and the others take effect. */
  "config/set": { params: ConfigSetParams; result: ConfigResult };
  /** Lists the queued messages. */
  "queue/list": { params: SessionParams; result: QueueResult };
  /** Edits or moves a queued message, or changes its delivery. */
  "queue/update": { params: QueueUpdateParams; result: QueueResult };
  /** Removes messages from the queue and returns them. */
  "queue/remove": { params: QueueRemoveParams; result: QueueRemoveResult };
  /** Answers an approval that was not requested of this client, such as one without the capability `approvals`. The first answer counts: a later one gets the error `conflict` with the outcome. */
  "approval/answer": { params: ApprovalAnswerParams; result: ApprovalOutcome };
  /** Answers a question of the model, in the same way as `approval/answer`. */
  "question/answer": { params: QuestionAnswerParams; result: QuestionOutcome };
  /** Reports the current diagnostics of a file. After the model has changed that file, it reads the new ones in an `engineMessage`. Clients send this for files in the session's directory whenever they change. */
  "editor/diagnostics": { params: EditorDiagnosticsParams; result: Empty };
  /** Announces a document that the editor has open. While it has unsaved changes, tools read its text instead of the file, and commands the file; changes of it are sent back as `workspace/applyEdit`. Documents belong to the connection and end with it. */
  "document/open": { params: DocumentOpenParams; result: Empty };
  /** Sends changes of an open document. The error `conflict` means that the version did not rise: open the document again. */
  "document/change": { params: DocumentChangeParams; result: Empty };
  /** Announces that an open document was saved. */
  "document/save": { params: DocumentSaveParams; result: Empty };
  /** Announces that a document was closed. */
  "document/close": { params: DocumentCloseParams; result: Empty };
  /** Reads the current items of a session, the last ones by default, for clients that do not build them from events. */
  "session/items": { params: SessionItemsParams; result: SessionItemsResult };
  /** Reads the current value of one item, which may be off the current path. */
  "item/read": { params: ItemReadParams; result: ItemAt };
  /** Cancels one tool call of the running turn, which continues without it. The response is sent at once; the call ends with `item.completed`. A call that waits for an approval is denied. */
  "item/cancel": { params: ItemCancelParams; result: Empty };
  /** Lists the points to which files can be restored with `session/rewind`, and the changes between them. */
  "checkpoint/list": { params: CheckpointListParams; result: CheckpointListResult };
  /** Returns the file difference between two points as a patch. */
  "checkpoint/diff": { params: CheckpointDiffParams; result: CheckpointDiffResult };
  /** Runs a command for the user, in the session's directory, as a job with `byUser`, and responds when it has ended. No permission is requested; in `readOnly` mode it is refused. The model reads it in a note of the kind `shell`. `$/cancelRequest` stops it; a client that disconnects leaves it running. */
  "shell/run": { params: ShellRunParams; result: ShellRunResult };
  /** Types the user's text, such as a password, into a running job's terminal, and returns the screen. The engine does not store the text. The model learns that the user has typed, but sees only the program's output. Refused in `readOnly` mode. */
  "shell/write": { params: ShellWriteParams; result: ShellWriteResult };
  /** Returns a job's screen with its colors, for display in a terminal. With `after`, it waits up to 25 s for a change first, so repeating it follows the program. Other requests do not wait for it, and `$/cancelRequest` cancels it. */
  "shell/screen": { params: ShellScreenParams; result: ShellScreenResult };
  /** Reads the tokens and the money that a session, open or not, has used, by model. */
  "usage/read": { params: SessionParams; result: UsageReadResult };
  /** Lists the running and recently ended background jobs of a session. */
  "job/list": { params: SessionParams; result: JobListResult };
  /** Stops a background job. The response is sent when none of its processes is running; a job that has ended does not change. */
  "job/stop": { params: JobStopParams; result: JobStopResult };
  /** Lists the session's servers of the Model Context Protocol with their state and tools. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/list": { params: SessionParams; result: McpListResult };
  /** Switches a server off or on for the session, or starts it again. The result is that of `mcp/list`. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/update": { params: McpUpdateParams; result: McpListResult };
  /** Logs in to a server with an address, and stores the login, which every session uses. The client gets `auth/openUrl`, and the response, that of `mcp/list`, is sent when the user has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/login": { params: McpLoginParams; result: McpListResult };
  /** Removes the stored login to a server. An existing connection to it continues until the server is restarted. (Experimental: servers of the Model Context Protocol are new here.) */
  "mcp/logout": { params: McpLogoutParams; result: McpLogoutResult };
  /** Lists the providers and models that are known by name, from the current settings files. */
  "models/list": { params: Empty; result: ModelsListResult };
  /** Lists the providers that support login, and the current logins. (Experimental: provider login flows may still change.) */
  "auth/status": { params: Empty; result: AuthStatusResult };
  /** Logs in to a provider and stores the login. For the methods `device` and `browser` the client gets `auth/openUrl`, and the response is sent when the user has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: provider login flows may still change.) */
  "auth/login": { params: AuthLoginParams; result: AuthLoginResult };
  /** Removes the stored login of a provider. (Experimental: provider login flows may still change.) */
  "auth/logout": { params: AuthLogoutParams; result: AuthLogoutResult };
  /** Lists the project files that configure the engine, each with the user's agreement to its current content. The notice `notAgreed` lists the files that are ignored until then. (Experimental: more file kinds may be added.) */
  "trust/read": { params: SessionParams; result: TrustResult };
  /** Agrees to project files as the user saw them. They take effect with the next turn, MCP servers with the next session. Fails with `conflict`, and agrees to nothing, if a file has changed since or the project is not trusted. (Experimental: more file kinds may be added.) */
  "trust/agree": { params: TrustAgreeParams; result: TrustResult };
  /** Lists a session's permission rules, including those added by the user's answers. (Experimental: rules may get more parts.) */
  "permission/list": { params: SessionParams; result: PermissionListResult };
  /** Removes a permission rule added by an answer. The next call is decided without it, even in a running turn; other sessions stop using it with their next turn. Fails with `notFound` if no such rule is in force. (Experimental: rules may get more parts.) */
  "permission/remove": { params: PermissionRemoveParams; result: PermissionListResult };
  /** Lists the prompts that can be called with `/name`, from the current files. */
  "prompt/list": { params: SessionParams; result: PromptListResult };
  /** Lists the skills that can be called with `/` and their name, from the current files. */
  "skill/list": { params: SessionParams; result: SkillListResult };
  /** Registers this client's hook at hook points, in all sessions that it is subscribed to, from their next turn on. It runs after the config file hooks and ends with the connection. (Experimental: its points depend on turn internals.) */
  "hook/register": { params: HookRegisterParams; result: Empty };
  /** Registers a tool of this client for the model, in all sessions that it is subscribed to, from their next turn on. It ends with the connection. */
  "tool/register": { params: ToolRegisterParams; result: Empty };
  /** Unregisters a tool of this connection, from the next turn on. */
  "tool/unregister": { params: ToolUnregisterParams; result: Empty };
}

/** Notifications a client sends. */
export interface ClientNotifications {
  /** Ends the process: with code 0 after `shutdown`, with 1 without. */
  "exit": { params: Empty };
  /** Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is stopped, and its result reports that. Any other request that has begun is answered as usual. The engine uses it to withdraw its own requests. */
  "$/cancelRequest": { params: CancelParams };
}

/** Requests the engine sends. */
export interface EngineRequests {
  /** Requests permission. It is sent to every subscribed client that declared `approvals`; the first answer wins and the others get `$/cancelRequest`. */
  "approval/request": { params: Approval; result: ApprovalAnswer };
  /** Asks the user a question from the model. It is sent to every subscribed client that declared `questions`; the first answer wins and the others get `$/cancelRequest`. */
  "question/request": { params: Question; result: QuestionAnswer };
  /** Runs a hook that this client registered. `$/cancelRequest` means that the answer is no longer awaited. (Experimental: its points depend on turn internals.) */
  "hook/run": { params: HookRun; result: HookAnswer };
  /** Calls a tool that this client registered. `$/cancelRequest` means that the result is no longer awaited. */
  "tool/call": { params: ToolCallParams; result: ToolCallResult };
  /** Asks a client with the capability `applyEdit` to change its open documents. A document whose version has changed in the meantime is not changed. */
  "workspace/applyEdit": { params: ApplyEditParams; result: ApplyEditResult };
}

/** Notifications the engine sends. */
export interface EngineNotifications {
  /** Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is stopped, and its result reports that. Any other request that has begun is answered as usual. The engine uses it to withdraw its own requests. */
  "$/cancelRequest": { params: CancelParams };
  /** Delivers an event of a session. */
  "session/event": { params: AnyRecord };
  /** Announces that this connection read too slowly and the durable events between the two numbers were not sent. Read them with `session/events`; events after `headSeq` are sent as usual. */
  "session/eventsMissed": { params: SessionEventsMissedParams };
  /** Asks the client to show a page, and a code to enter there, to the user during `auth/login` or `mcp/login`. (Experimental: provider login flows may still change.) */
  "auth/openUrl": { params: AuthOpenUrlParams };
}

/** The codes of failed requests. */
export const ErrorCode = {
  /** Broken JSON or invalid UTF-8; `id` is null. */
  parseError: -32700,
  /** Not a request: a batch, a bare value, an id in use, a message over the limit, a method before `initialize`. */
  invalidRequest: -32600,
  /** No such method; the message suggests the nearest one. */
  methodNotFound: -32601,
  /** Params of the wrong shape or value; `data.path` points at the field. */
  invalidParams: -32602,
  /** An internal failure of the engine; see the message for the cause. */
  internal: -32603,
  /** The request was cancelled before it had an effect. */
  cancelled: -32800,
  /** No credentials for the provider; `data.hint` names the variable to set. */
  authRequired: -32000,
  /** A session, item, hunk or other subject of the request does not exist. */
  notFound: -32002,
  /** The engine supports none of the offered versions; `data.supported` lists the supported ones. */
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
      case "session.state":
        this.state = event.value;
        return true;
      case "session.context":
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
  onNotification<M extends Exclude<keyof EngineNotifications, "session/event" | "session/eventsMissed" | "$/cancelRequest">>(
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
    } else if (method === "session/eventsMissed") {
      const { sessionId, lastSentSeq, headSeq } = params as SessionEventsMissedParams;
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
