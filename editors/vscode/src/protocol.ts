// Generated from protocol/src by `cargo run -p pintle-protocol --bin generate`. Do not edit.

export const PROTOCOL_NAME = "pintle";
export const PROTOCOL_VERSION = "1.0";

/** Who opens the connection and what it can do. */
export type InitializeParams = {
  /** The protocol and the versions the client speaks. */
  protocol: ProtocolOffer;
  /** The client. */
  client?: PeerInfo;
  /** What the client can do. */
  capabilities?: ClientCapabilities;
};

/** The protocol versions a client speaks. */
export type ProtocolOffer = {
  /** Always `pintle`. */
  name: string;
  /** Versions, such as `1.0`; the engine takes the newest with a major part it shares. */
  versions: string[];
};

/** A program and its version. */
export type PeerInfo = {
  /** The name. */
  name: string;
  /** The version. */
  version?: string;
};

/** What a client can do. */
export type ClientCapabilities = {
  /** The client answers `approval/request`. Without it what would ask is denied, and the model is told. */
  approvals?: Supported;
  /** The client answers `question/request`. Without it the model is told that nobody can answer. */
  questions?: Supported;
  /** The client answers `workspace/applyEdit`. Without it a document with unsaved text is read, and never changed. */
  applyEdit?: Supported;
};

/** A capability with nothing to configure: `{}`. */
export type Supported = Record<string, never>;

/** What the engine is and can do. */
export type InitializeResult = {
  /** The protocol version that holds for this connection. */
  protocol: ProtocolChoice;
  /** The engine. */
  engine: EngineInfo;
  /** What the engine can do. */
  capabilities: EngineCapabilities;
  /** Limits of this connection. */
  limits: Limits;
};

/** The protocol version that holds for a connection. */
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
  /** Changes whenever the protocol's schema does. */
  schemaHash: string;
};

/** What this engine can do. */
export type EngineCapabilities = {
  /** Running turns can be steered. */
  steer?: Supported;
  /** Follow-ups wait in a queue. */
  queue?: Supported;
  /** Durable events can be read again from any `seq`. */
  replay?: Supported;
  /** Documents that an editor has open are read and changed through it. Absent where files are on another machine. */
  documents?: Supported;
  /** Sessions go back, fork and merge: `session/rewind`, `session/fork`, `session/merge`, `session/tree`. */
  history?: Supported;
  /** What the agent changed is decided about hunk by hunk: `review/…`. */
  review?: Supported;
  /** Stored sessions are searched, read, exported and deleted: `session/search` and its neighbours. */
  search?: Supported;
};

/** Limits of a connection. */
export type Limits = {
  /** The largest message taken, in bytes. */
  maxMessageBytes: number;
  /** The most requests that may wait for an answer at once. */
  maxInFlight: number;
};

/** No params, or nothing to say: `{}`. */
export type Empty = Record<string, never>;

/** The request to withdraw. */
export type CancelParams = {
  /** The id of the request: a number or a string. */
  id: unknown;
};

/** What to make a session with. */
export type SessionCreateParams = {
  /** The working directory, absolute; default: where the engine was started. */
  cwd?: string;
  /** A title for lists. */
  title?: string;
  /** How it is to work. */
  config?: SessionConfig;
  /** Whether to subscribe; default true. */
  subscribe?: boolean;
};

/** How a session is to work. What is left out comes from the user's settings. */
export type SessionConfig = {
  /** The model, as `provider/id` or `provider/id:effort`. */
  model?: string;
  /** What needs no question. */
  permissionMode?: PermissionMode;
  /** Instructions for this session alone, told behind all others; only when it is made. */
  systemPrompt?: string;
  /** Whether it plans only. */
  mode?: WorkMode;
  /** Directories that belong to the work beside the working directory, absolute: changes there need no other permission than in it, and what commands change there is followed. The session does not keep them: say them again when you open it. Absent: as they are. */
  additionalDirectories?: string[];
};

/** What needs no question. Finer rules come on top of these. */
export type PermissionMode = 
  | /** Reading is free; writing and running ask. */ "ask"
  | /** Nothing asks. */ "full";

/** Whether the model does things or only plans them. */
export type WorkMode = 
  | /** It works. */ "act"
  | /** It reads and plans: what would change something is denied until a person accepts its plan. */ "plan";

/** A session as it stands at `seq`; every event after that is sent if the connection is subscribed. */
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
  /** What needs no question. */
  permissionMode: PermissionMode;
  /** Whether it plans only. */
  mode?: WorkMode;
  /** What it does at the moment. */
  state: SessionState;
  /** The running turn. */
  activeTurnId?: TurnId;
  /** Messages that the model has not read yet. */
  queue?: QueuedInput[];
  /** Questions of permission that are open. */
  approvals?: Approval[];
  /** Questions to a person that are open. */
  questions?: Question[];
  /** What the model means to do. */
  plan?: Plan;
  /** The tokens of all its turns, and of its sub-agents'. */
  usage?: Usage;
  /** What all that cost, in billionths of a US dollar; absent where no price is known. */
  costNanoUsd?: number;
  /** How full the model's window is, about. */
  context?: ContextUsage;
  /** The events after `fromSeq` were too many to send at once: read them with `session/events`. */
  gap?: boolean;
};

/** Names a session: a UUIDv7, so that ids sort by creation. */
export type SessionId = string;

/** What a session does at the moment. A reader never takes a value it does not know for idle. */
export type SessionState = {
  /** The state. */
  value: StateValue;
  /** The questions it waits for, when it is blocked: ids of approvals and of questions. */
  blockedOn?: string[];
  /** The items of jobs that run in the background, also while the session is idle. */
  background?: ItemId[];
};

/** What a session does at the moment, in a word. */
export type StateValue = 
  | /** Waits for a prompt. */ "idle"
  | /** A turn runs. */ "running"
  | /** A turn waits for a person. */ "blocked"
  | /** The provider failed, and the turn waits until it asks again. */ "retrying"
  | /** The conversation is being summed up. */ "compacting";

/** Names an item: a message, a tool call, something a client can draw. */
export type ItemId = string;

/** Names a turn, unique over all sessions. */
export type TurnId = string;

/** A person's message, accepted and not yet read by the model. */
export type QueuedInput = {
  /** The id that the `userMessage` item will have. */
  itemId: ItemId;
  /** The turn it belongs to: the running one for a steer, its own for a prompt or a follow-up. */
  turnId: TurnId;
  /** How it is to be delivered. */
  delivery: Delivery;
  /** The blocks, as sent. */
  content: Input[];
  /** How much the turn that it starts may take. */
  limits?: TurnLimits;
};

/** How a person's message reaches the model. */
export type Delivery = 
  | /** Starts a turn at once. */ "prompt"
  | /** Goes into the running turn at its next gap. */ "steer"
  | /** Starts a turn when the running one and those before it in the queue are over. */ "followUp";

/** One block of what a person sends with a prompt, a steer or a follow-up. */
export type Input = 
  | /** Plain text, as typed. `@path` in it mentions a file, which the model then reads with it; a text that begins with `/name` calls the prompt of that name, if there is one. */ {
    type: "text";
    /** The text. */
    text: string;
  }
  | /** A file, read when the model reads the message. */ {
    type: "file";
    /** The path, absolute or from the working directory. */
    path: string;
    /** The lines; absent for all. */
    range?: LineRange;
  }
  | /** A part of a file, as it stands in an editor, saved or not. */ {
    type: "selection";
    /** The file's path. */
    path: string;
    /** The lines that it is from. */
    range: LineRange;
    /** The text that is selected. */
    text: string;
  }
  | /** What an editor knows to be wrong in a file. */ {
    type: "diagnostics";
    /** The file's path. */
    path: string;
    /** What is wrong. */
    items: Diagnostic[];
  }
  | /** A picture. */ {
    type: "image";
    /** The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    mimeType: string;
    /** The bytes in base64. */
    data: string;
  };

/** Lines of a file, the first being 1, both ends included. */
export type LineRange = {
  /** The first line. */
  start: number;
  /** The last line. */
  end: number;
};

/** Something that is wrong in a file. */
export type Diagnostic = {
  /** The line, 1-based. */
  line: number;
  /** How bad it is. */
  severity: Severity;
  /** What is wrong. */
  message: string;
  /** What found it, such as `rustc`. */
  source?: string;
};

/** How bad something is that is wrong in a file. */
export type Severity = 
  | /** It must be put right. */ "error"
  | /** It should be looked at. */ "warning"
  | /** It is good to know. */ "information"
  | /** It could be better. */ "hint";

/** How much a turn may take. A limit that is reached ends the turn in order, with the stop reason `limit` and a notice. The user's settings may be stricter. */
export type TurnLimits = {
  /** The most model replies. */
  steps?: number;
  /** The most tokens, of input and output together. */
  tokens?: number;
  /** The most it may cost, in billionths of a US dollar; never reached where no price is known. */
  costNanoUsd?: number;
  /** The longest it may take, in milliseconds; looked at between replies. */
  durationMs?: number;
};

/** A question of permission about one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`. */
export type Approval = {
  /** The question's id. */
  approvalId: ApprovalId;
  /** The session it stands in. */
  sessionId: SessionId;
  /** The turn that waits. */
  turnId: TurnId;
  /** The tool call that waits. */
  itemId: ItemId;
  /** The tool's name. */
  toolName: string;
  /** What kind of act it is. */
  kind: ToolKind;
  /** One line for a person: `bash: rm -r build`. */
  title: string;
  /** Why it is asked, in a sentence. */
  reason: string;
  /** The tool's arguments, whole: the command, or the text to write. */
  input: unknown;
  /** Files it is about. */
  locations?: Location[];
  /** The answers to choose from. */
  options: ApprovalOption[];
};

/** Names a question of permission, open until it is answered or cancelled. */
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
  | /** Thinks or plans. */ "think"
  | /** Anything else. */ "other";

/** A place in a file. */
export type Location = {
  /** The absolute path. */
  path: string;
  /** The line, 1-based. */
  line?: number;
};

/** One answer a person can choose. */
export type ApprovalOption = {
  /** What to send back. */
  optionId: string;
  /** What to show. */
  label: string;
  /** What it decides. */
  decision: Decision;
  /** How long it holds. */
  scope: Scope;
};

/** What an answer decides. A reader never takes a value it does not know for a yes. */
export type Decision = 
  | /** The call may run. */ "allow"
  | /** The call does not run; the turn goes on and the model is told. */ "deny"
  | /** The call does not run and the turn ends. */ "abort";

/** How long a decision holds. */
export type Scope = 
  | /** For this call. */ "once"
  | /** For calls like this until the session is closed. */ "session";

/** A question to a person. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, whatever the options. */
export type Question = {
  /** The question's id. */
  questionId: QuestionId;
  /** The session it stands in. */
  sessionId: SessionId;
  /** The turn that waits. */
  turnId: TurnId;
  /** The tool call that waits. */
  itemId: ItemId;
  /** What it is about. */
  kind: QuestionKind;
  /** The question. */
  text: string;
  /** The plan that is to be accepted, as Markdown; only with the kind `plan`. */
  plan?: string;
  /** Answers to choose from; with none only a text answers. */
  options?: QuestionOption[];
  /** Several options may be chosen. */
  multiple?: boolean;
  /** When it is answered by itself with its default, in milliseconds since 1970. */
  deadlineMs: number;
};

/** Names a question to a person, open until it is answered or its time is over. */
export type QuestionId = string;

/** What a question is about. A reader treats a kind it does not know as `choice`. */
export type QuestionKind = 
  | /** The model wants to know something. Nobody's answer counts as its first option. */ "choice"
  | /** The model wants its plan accepted: the first option does, and the session works in mode `act` from then on. Any other answer, and none, leaves it in mode `plan`. */ "plan";

/** One answer a person can choose. */
export type QuestionOption = {
  /** What to send back. */
  optionId: string;
  /** What to show. */
  label: string;
};

/** What the model means to do. Each one replaces the one before. */
export type Plan = {
  /** Its parts, in order. */
  items: PlanItem[];
};

/** One part of a plan. */
export type PlanItem = {
  /** What is to be done. */
  content: string;
  /** How far it is. */
  status: PlanStatus;
};

/** How far a part of a plan is. */
export type PlanStatus = 
  | /** Not begun. */ "pending"
  | /** Being worked at. */ "in_progress"
  | /** Done. */ "completed";

/** Tokens of one model reply, of a turn, or of a session. All counts are cumulative for their span. */
export type Usage = {
  /** Input tokens that were not read from a cache. */
  inputTokens: number;
  /** Output tokens, reasoning included. */
  outputTokens: number;
  /** Input tokens read from the provider's cache. */
  cacheReadTokens?: number;
  /** Input tokens written to the provider's cache. */
  cacheWriteTokens?: number;
  /** The part of the output that was reasoning, where the provider says. */
  reasoningTokens?: number;
};

/** How full the model's window is. Tokens are the provider's own count of its last reply, and an estimate of what came since. */
export type ContextUsage = {
  /** The tokens of the next request, about. */
  tokens: number;
  /** The most the model takes; absent where that is not known. */
  window?: number;
};

/** Which session to open. */
export type SessionOpenParams = {
  /** The session. */
  sessionId: SessionId;
  /** Whether to subscribe; default true. */
  subscribe?: boolean;
  /** Send the events after this number first. */
  fromSeq?: number;
  /** Send so many of the last events first, if `fromSeq` is left out. */
  tail?: number;
  /** How it is to work from now on. */
  config?: SessionConfig;
};

/** Which sessions to list. */
export type SessionListParams = {
  /** Only those with this working directory. */
  cwd?: string;
  /** Also those of sub-agents; default: not. */
  subagents?: boolean;
  /** Only those with this in their title or working directory, in any case. */
  query?: string;
  /** Where the last page ended. */
  cursor?: string;
  /** The most to return, 1 to 1000; default 50. */
  limit?: number;
};

/** A page of sessions. */
export type SessionListResult = {
  /** The sessions, newest first. */
  sessions: SessionSummary[];
  /** Send it back to get the next page; absent on the last one. */
  nextCursor?: string;
};

/** A stored session, as a list shows it. */
export type SessionSummary = {
  /** The session. */
  sessionId: SessionId;
  /** The working directory. */
  cwd: string;
  /** The title it was given, else the beginning of its first prompt. */
  title?: string;
  /** When it was made, in milliseconds since 1970. */
  createdMs: number;
  /** When its journal was last written, in milliseconds since 1970. */
  updatedMs: number;
  /** The folder that holds its journal. */
  path: string;
  /** Whose sub-agent it is, if it is one. */
  parent?: Parent;
};

/** Whose sub-agent a session is. */
export type Parent = {
  /** The session that made it. */
  sessionId: SessionId;
  /** The name by which the model there speaks of it. */
  agentId: AgentId;
};

/** Names a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it. */
export type AgentId = string;

/** What to change of a session; what is left out stays. */
export type SessionUpdateParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Its title: one line, at most 200 characters; null or an empty text takes it away, and lists show the beginning of the first prompt again. */
  title?: string;
};

/** A session as it is called now. */
export type SessionUpdateResult = {
  /** Its title; absent when it has none. */
  title?: string;
};

/** What to look for. */
export type SessionSearchParams = {
  /** Words; an entry must hold all of them. `"several words"` in quotes stand together. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents do not count. Empty: the newest entries that pass the filters. */
  query?: string;
  /** Only in sessions with this working directory. */
  cwd?: string;
  /** Only in this session. */
  sessionId?: SessionId;
  /** Only after this event of that session, such as an anchor. */
  afterSeq?: number;
  /** Only before this event of that session. */
  beforeSeq?: number;
  /** Only these kinds; empty for all. */
  kinds?: EntryKind[];
  /** Only from these; empty for all. */
  roles?: EntryRole[];
  /** Only calls that are about a file with this in its path. */
  path?: string;
  /** Only what happened then or later, in milliseconds since 1970. */
  afterMs?: number;
  /** Only what happened before, in milliseconds since 1970. */
  beforeMs?: number;
  /** Where the last page ended. */
  cursor?: string;
  /** The most to return, 1 to 200; default 20. */
  limit?: number;
};

/** What an entry is that can be found. */
export type EntryKind = 
  | /** What a person said. */ "userMessage"
  | /** What the model said. */ "agentMessage"
  | /** A call of a tool: its title, command and paths. */ "toolCall";

/** Whose an entry is. */
export type EntryRole = 
  | /** A person's, or of whoever stands in for one. */ "user"
  | /** The model's. */ "assistant"
  | /** A tool's. */ "tool";

/** What was found. */
export type SessionSearchResult = {
  /** The best first; among equals the newest. Of words that stand in very many entries, the newest thousands are ranked. */
  hits: SearchHit[];
  /** Send it back to get the next page; absent on the last one. */
  nextCursor?: string;
  /** So many sessions have text that could not be looked at yet; it is being read, so ask again. */
  behind?: number;
};

/** An entry that was found. */
export type SearchHit = {
  /** The session. */
  sessionId: SessionId;
  /** The number of its event: read around it with `session/events`. */
  seq: number;
  /** The item. */
  itemId?: ItemId;
  /** When it happened, in milliseconds since 1970. */
  tsMs: number;
  /** What it is. */
  kind: EntryKind;
  /** Whose it is. */
  role: EntryRole;
  /** The session's title, as in lists. */
  title?: string;
  /** The session's working directory. */
  cwd: string;
  /** The text around the first place that was found, in pieces, without line ends. */
  snippet: SnippetPiece[];
};

/** A piece of a snippet. */
export type SnippetPiece = {
  /** The text. */
  text: string;
  /** It is what was looked for. */
  match?: boolean;
};

/** Which session to export, as what, and to where. */
export type SessionExportParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** What to make of it. */
  format: ExportFormat;
  /** A file to write, within the session's working directory; absolute or from there. Absent: the text is the answer. */
  path?: string;
  /** Write over a file that is there. */
  overwrite?: boolean;
};

/** What a session is exported as. */
export type ExportFormat = 
  | /** One page for a browser, with everything in it and without scripts. */ "html"
  | /** Markdown. */ "md"
  | /** The events as the journal has them, one a line. */ "json"
  | /** A session file of Pi's, version 3. */ "pi";

/** The exported session. */
export type SessionExportResult = {
  /** The text; absent where a file was written. */
  text?: string;
  /** The file that was written, absolute. */
  path?: string;
  /** The size of the text in bytes. */
  bytes: number;
};

/** Which session to delete. */
export type SessionDeleteParams = {
  /** The session. It must be named, and open nowhere. */
  sessionId: SessionId;
};

/** What was deleted. */
export type SessionDeleteResult = {
  /** The sessions: first the sub-agents', then the one that was named. */
  deleted: SessionId[];
};

/** Where to go back to. */
export type SessionRewindParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The place. */
  to: HistoryPoint;
  /** Whether the conversation goes there, the files, or both. */
  scope?: RewindScope;
  /** Files that are put back although somebody else has changed them, by their absolute paths. */
  overwrite?: string[];
  /** Have the model sum up what it will not know any more, and tell it that. It takes a turn of its own, whose answer is nothing but the summary. */
  summarize?: boolean;
  /** Only say what would happen. */
  dryRun?: boolean;
};

/** A place in a session's history: exactly one of its fields. */
export type HistoryPoint = {
  /** Before this message of a person. */
  itemId?: ItemId;
  /** After the end of this turn. */
  turnId?: TurnId;
  /** After the event with this number, also one on a way that was left; 0 is the beginning. */
  seq?: number;
};

/** What going back is about. */
export type RewindScope = 
  | /** What the model knows. */ "conversation"
  | /** What the files are. */ "files"
  | /** Both. */ "both";

/** What became of it, or would. */
export type SessionRewindResult = {
  /** The event after which the session goes on. */
  toSeq: number;
  /** Where it stood before: going there undoes this. */
  fromSeq: number;
  /** Items that the model does not know any more. */
  dropped: ItemId[];
  /** Items that it knows again. */
  restored: ItemId[];
  /** The message that was gone back before, to be edited and sent again. */
  input?: Input[];
  /** The turn that sums up what was left, where that was wanted and there is something. */
  summaryTurnId?: TurnId;
  /** What became of the files that were changed since; empty where only the conversation goes back. */
  files?: FileFate[];
};

/** What becomes of a file by going back. */
export type FileFate = {
  /** The path, absolute. */
  path: string;
  /** Whose work since then would be undone. */
  owner: FileOwner;
  /** What is done. */
  action: FileAction;
};

/** Whose work stands in a file. */
export type FileOwner = 
  | /** The model's alone. */ "agent"
  | /** Somebody else's alone; it is left. */ "other"
  | /** Both have changed it. It is left unless `overwrite` names it. */ "conflict";

/** What is done to a file. */
export type FileAction = 
  | /** It is written as it was. */ "restore"
  | /** It was not there, and goes. */ "remove"
  | /** It stays as it is. */ "leave"
  | /** It stays as it is, since what was there then is not kept, or what is there now cannot be. */ "lost"
  | /** It could not be written as it was. `files.changed` says what it is now, if it was changed at all. */ "failed";

/** Which session to go on from. */
export type SessionForkParams = {
  /** The session; it stays as it is, and need not be open. */
  sessionId: SessionId;
  /** How far its history is taken over; all of it when left out. */
  at?: HistoryPoint;
  /** A title for lists. */
  title?: string;
  /** How the new session is to work; what is left out is as in the other one. */
  config?: SessionConfig;
  /** Whether to subscribe to the new session; default true. */
  subscribe?: boolean;
};

/** Which fork comes back. */
export type SessionMergeParams = {
  /** The session that takes it; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The fork, made of that session by `session/fork`; it stays as it is, and need not be open. */
  forkId: SessionId;
};

/** What became of it. The events that were copied follow as `session/event`, behind a `history.rewound`. */
export type SessionMergeResult = {
  /** The event after which what was copied begins. */
  toSeq: number;
  /** Where the session stood before: going there undoes this. */
  fromSeq: number;
  /** The number of the last event that was copied; the session stands there now. */
  copiedSeq: number;
  /** Items that the model does not know any more. */
  dropped: ItemId[];
  /** Items that it knows again. */
  restored: ItemId[];
  /** Items that came from the fork. */
  added: ItemId[];
};

/** Which place to name. */
export type SessionLabelParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The place. */
  at: HistoryPoint;
  /** The name, at most 200 characters; left out, the place has none any more. */
  label?: string;
};

/** The place that has another name. */
export type SessionLabelResult = {
  /** The event that is the place. */
  seq: number;
};

/** Names a session. */
export type SessionParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
};

/** The ways that a session's history has taken. */
export type SessionTreeResult = {
  /** Messages of people and named places, oldest first. */
  nodes: HistoryNode[];
  /** The last event. */
  leafSeq: number;
};

/** A place where the history may branch. */
export type HistoryNode = {
  /** The event. */
  seq: number;
  /** The node before it on its way; absent for the first. */
  parentSeq?: number;
  /** The message, where it is one. */
  itemId?: ItemId;
  /** The turn. */
  turnId?: TurnId;
  /** The beginning of the message. */
  text: string;
  /** When it was, in milliseconds since 1970. */
  tsMs: number;
  /** Its name. */
  label?: string;
  /** It lies on the way that the model knows. */
  isCurrent: boolean;
};

/** A session. */
export type SessionAnchorsParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
};

/** The points between which a session's items can be listed and searched. */
export type SessionAnchorsResult = {
  /** In the order of their events. */
  anchors: Anchor[];
};

/** A point of a session at which something begins or is handed over. */
export type Anchor = {
  /** The event. */
  seq: number;
  /** What it is. */
  kind: AnchorKind;
  /** The name that a place was given, or the beginning of the summary. */
  text?: string;
  /** The session that what was copied came from. */
  from?: SessionId;
  /** When it was, in milliseconds since 1970. */
  tsMs: number;
  /** It lies on the way that the model knows. */
  isCurrent: boolean;
};

/** What an anchor is. */
export type AnchorKind = 
  | /** The session begins. */ "start"
  | /** What a fork took over ends, or what came back from a fork. */ "copied"
  | /** The conversation was summed up to make room. */ "compaction"
  | /** What going back has left was summed up and told. */ "handOver"
  | /** It was named by hand. */ "label";

/** Which hunks to list. */
export type ReviewListParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Only those of this file, by its absolute path. */
  path?: string;
  /** Only those that this turn made or changed. */
  turnId?: TurnId;
  /** Also those that were decided about, or are no more. */
  closed?: boolean;
};

/** The hunks, by path and line; closed ones behind them, oldest first. */
export type ReviewListResult = {
  /** The hunks. */
  hunks: Hunk[];
  /** The last event that this takes into account. */
  seq: number;
};

/** A run of changed lines: what stood there at the last accepted point, and what stands there now. */
export type Hunk = {
  /** Stays the same while the file changes elsewhere, and never names another hunk. */
  id: HunkId;
  /** The file's absolute path. */
  path: string;
  /** Whether it is about lines or about the file. */
  kind: HunkKind;
  /** What became of it. */
  state: HunkState;
  /** Its lines in the baseline. */
  before: LineSpan;
  /** Its lines in the file now. */
  after: LineSpan;
  /** Those lines in the baseline, with their line ends; empty where the file is no text. */
  oldText: string;
  /** Those lines in the file now. */
  newText: string;
  /** The last event that changed its text: a decision that names it is refused when the hunk has changed since. */
  changedSeq: number;
  /** Who made it, the first one first. */
  madeBy: Maker[];
  /** What was said about it. */
  comments?: Comment[];
  /** The verdict that closed it. */
  verdict?: number;
  /** A verdict about it waits, under this number. */
  waiting?: number;
  /** The hunk that it became a part of. */
  absorbedBy?: HunkId;
  /** The hunk that it was a part of, when only some lines were decided about. */
  partOf?: HunkId;
};

/** Names a hunk within its session: the number of the event that made it, a dot, and a count. */
export type HunkId = string;

/** What a hunk is about. */
export type HunkKind = 
  | /** Lines of a text. */ "lines"
  | /** The whole file: it came, it went, or it is no text, or too large for lines. */ "file"
  | /** The file's mode bits alone. */ "mode";

/** What became of a hunk. */
export type HunkState = 
  | /** Nobody has decided. */ "pending"
  | /** Nobody has decided, and a person has edited it. */ "modified"
  | /** It was to be undone, and that would have taken lines that a person wrote. */ "conflict"
  | /** Accepted. */ "kept"
  | /** Taken back. */ "undone"
  | /** It has become a part of another one. */ "absorbed"
  | /** The agent or a rewind has taken it back. */ "gone";

/** Some lines of a text. */
export type LineSpan = {
  /** The first line, from 1. Of no lines: the line that they stand before. */
  start: number;
  /** How many. */
  count: number;
};

/** A call that made or changed a hunk. */
export type Maker = {
  /** The turn. */
  turnId: TurnId;
  /** The tool call. */
  itemId: ItemId;
};

/** What a person says about a hunk. */
export type Comment = {
  /** The event that brought it. */
  seq: number;
  /** About the lines before or now. */
  side: Side;
  /** About these lines of the hunk; absent: about all. */
  lines?: LineSpan;
  /** What is said. */
  text: string;
};

/** One of the two texts of a change. */
export type Side = 
  | /** The text before the change. */ "old"
  | /** The text after it. */ "new";

/** What to decide. */
export type ReviewDecideParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** What is wanted. */
  action: ReviewAction;
};

/** What a person wants done. */
export type ReviewAction = 
  | /** Accept: the baseline takes the lines. The disk stays as it is. */ {
    action: "keep";
    /** What. */
    target: ReviewTarget;
  }
  | /** Take back: the file gets the lines of the baseline again. */ {
    action: "undo";
    /** What. */
    target: ReviewTarget;
    /** Take lines back that a person wrote into a hunk as well; without it such a hunk is a conflict. */
    discardEdits?: boolean;
  }
  | /** Undo a verdict, or withdraw one that waits. */ {
    action: "revert";
    /** The event of the verdict. */
    verdict: number;
  }
  | /** Say something about a hunk. */ {
    action: "comment";
    /** The hunk. */
    hunk: HunkId;
    /** About the lines before or now. */
    side: Side;
    /** About these lines of the hunk; absent: about all. */
    lines?: LineSpan;
    /** What. */
    text: string;
  };

/** What a decision is about. */
export type ReviewTarget = 
  | /** One hunk. */ {
    of: "hunk";
    /** Its id. */
    hunk: HunkId;
    /** Its `changedSeq` as it was shown; the decision is refused when it is another one by now. */
    changedSeq?: number;
  }
  | /** Some lines of a hunk. */ {
    of: "lines";
    /** Its id. */
    hunk: HunkId;
    /** Its `changedSeq` as it was shown; the lines are counted in that text. */
    changedSeq: number;
    /** Which lines. */
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

/** Lines of a hunk, counted within it. */
export type LineSelection = {
  /** Of the lines before. */
  old?: LineSpan;
  /** Of the lines now. */
  new?: LineSpan;
};

/** What came of it. */
export type ReviewDecideResult = {
  /** The event of the verdict, by which it can be undone. Of one that waits, its number: to revert that is to withdraw it. */
  seq: number;
  /** What was done to which hunk; of one that waits, what would be done now. */
  verdict: Verdict;
  /** It waits for the next gap between two calls, or for the end of the turn. Then `review.decided` says that it was carried out, or `review.queued` why not. */
  isQueued?: boolean;
};

/** What was decided and what came of it: all that an event has to hold. */
export type Verdict = {
  /** What was asked. */
  action: ReviewAction;
  /** What it does to each hunk. */
  parts: VerdictPart[];
  /** It had waited, under this number. */
  waited?: number;
};

/** What a verdict does to one hunk. */
export type VerdictPart = {
  /** The hunk. */
  hunk: HunkId;
  /** Its file's absolute path. */
  path: string;
  /** What is done to it. */
  effect: Effect;
  /** Only to these lines. */
  lines?: LineSelection;
  /** Whether it was done. */
  outcome: Outcome;
  /** For a conflict in text: what the agent wrote, what stands there and what should, between conflict markers. */
  conflict?: string;
};

/** What is done to a hunk. */
export type Effect = 
  | /** The baseline takes its lines. */ "keep"
  | /** The file gets the lines of the baseline. */ "undo"
  | /** A hunk that was kept or undone is open again. */ "reopen"
  | /** A comment is added. */ "comment"
  | /** A comment is taken away. */ "withdraw";

/** Whether something was done. */
export type Outcome = 
  | /** It was. */ "applied"
  | /** It was not: the lines are others by now. */ "conflict";

/** Which file's baseline to read. */
export type ReviewBaselineParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The file, by its absolute path. */
  path: string;
};

/** What the file held at the last accepted point. */
export type ReviewBaselineResult = {
  /** Whether there was a file. */
  exists: boolean;
  /** Its text; absent where there was no file or it was no UTF-8. */
  text?: string;
};

/** Which patch to make. */
export type ReviewPatchParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Only what is still open; otherwise all that the agent did and that was not taken back. */
  open?: boolean;
};

/** A patch for `git apply` in the session's working directory. */
export type ReviewPatchResult = {
  /** The patch; empty when nothing was changed. */
  text: string;
  /** Changed files outside of the working directory: they are not in the patch. */
  leftOut?: string[];
};

/** From where to send events. */
export type SessionSubscribeParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Send the events after this number first; default: only new ones. */
  fromSeq?: number;
  /** Send so many of the last events first, if `fromSeq` is left out. */
  tail?: number;
};

/** Which events to read. */
export type SessionEventsParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Read the events after this number; default 0, from the start. */
  after?: number;
  /** Read the last events before this number instead; a number beyond the end gives the end of the session. Not together with `after`. */
  before?: number;
  /** The most to return, 1 to 1000; default 200. */
  limit?: number;
};

/** A page of events. */
export type SessionEventsResult = {
  /** The events, in order. */
  events: EventRecord[];
  /** The number of the session's last durable event. */
  lastSeq: number;
  /** There are more after the last one here; with `before`, more before the first one. */
  more: boolean;
};

/** A durable event with its place in the session's log. It was written to the journal before it was sent anywhere. */
export type EventRecord = {
  /** The session. */
  sessionId: SessionId;
  /** The event's number in its session: from 1, each one more than the last, no gaps. */
  seq: number;
  /** When it happened, in milliseconds since 1970. */
  tsMs: number;
  /** The turn it belongs to. */
  turnId?: TurnId;
  /** What happened. */
  event: Event;
};

/** Durable events, told apart by `type`. A reader skips a type it does not know. */
export type Event = 
  | /** The session was made. */ SessionCreated & {
    type: "session.created";
  }
  | /** The session was closed in order; it can be opened again. */ {
    type: "session.closed";
  }
  | /** The session has another title, or none any more. */ SessionUpdated & {
    type: "session.updated";
  }
  | /** A person's message was taken and is on disk. It is in the queue until a `userMessage` item with the same id is completed, or `input.removed` names it. */ QueuedInput & {
    type: "input.accepted";
  }
  | /** Messages left the queue without being read by the model; they are handed back here, whole. */ {
    type: "input.removed";
    /** The messages. */
    inputs: QueuedInput[];
  }
  | /** Messages in the queue were edited or put in another order. This is the whole queue. */ {
    type: "queue.changed";
    /** The messages, in the order in which the model will read them. */
    queue: QueuedInput[];
  }
  | /** A turn began. */ {
    type: "turn.started";
    /** The model that answers, as `provider/id`. */
    model: string;
  }
  | /** The model was given its system prompt. It stays the same, byte for byte, until the model of the session is another one; what changes meanwhile in the files that it was made of is told in an `engineMessage`. */ PromptMade & {
    type: "prompt.made";
  }
  | /** A turn ended. It is the turn's last event and there is exactly one for each turn, also after a crash. A job that it began may go on; what happens to that belongs to no turn. */ TurnCompleted & {
    type: "turn.completed";
  }
  | /** An item began. */ {
    type: "item.started";
    /** The item as it is now. */
    item: Item;
  }
  | /** An item changed; this is its whole new value. */ {
    type: "item.updated";
    /** The item as it is now. */
    item: Item;
  }
  | /** An item ended; this is its whole final value. */ {
    type: "item.completed";
    /** The item as it stays. */
    item: Item;
  }
  | /** A question of permission is open. */ Approval & {
    type: "approval.requested";
  }
  | /** A question of permission was answered or withdrawn. */ ApprovalOutcome & {
    type: "approval.resolved";
  }
  | /** A question to a person is open. */ Question & {
    type: "question.requested";
  }
  | /** A question to a person was answered, or is not asked any more. */ QuestionOutcome & {
    type: "question.resolved";
  }
  | /** The model changed its plan; this is the whole of it. */ Plan & {
    type: "plan.updated";
  }
  | /** A model reply is over, whole or cut; its tool calls, if any, run now. */ StepCompleted & {
    type: "step.completed";
  }
  | /** The provider failed and is asked again after a wait. What was shown of a cut reply stays as it is, its open items are cancelled, and the model says it anew. */ RetryScheduled & {
    type: "retry.scheduled";
  }
  | /** Old results were taken out of what the model reads, to make room. The journal keeps them. */ ContextPruned & {
    type: "context.pruned";
  }
  | /** The session works in another way from the next turn on. */ ConfigChanged & {
    type: "config.changed";
  }
  | /** Files were changed. It comes with the end of the call that did it. */ FilesChanged & {
    type: "files.changed";
  }
  | /** A person decided about hunks. */ Verdict & {
    type: "review.decided";
  }
  | /** A verdict waits for the next gap between two calls, or one waits no more. */ ReviewQueue & {
    type: "review.queued";
  }
  | /** The session goes on from another place of its history. What came since stays in the journal; the model knows it no more. */ HistoryRewound & {
    type: "history.rewound";
  }
  | /** A place of the history has another name. */ LabelChanged & {
    type: "label.changed";
  }
  | /** Something a person should know. */ Notice & {
    type: "notice";
  };

/** Instructions that make a sub-agent a named one. */
export type AgentRole = {
  /** The name. */
  name: string;
  /** How it is to work. */
  instructions: string;
  /** The tools that it may use, as its file names them; absent for all. */
  tools?: string[];
};

/** Where a session that began with a part of another one's history comes from. */
export type ForkedFrom = {
  /** The other session. */
  sessionId: SessionId;
  /** The last event there that is part of this session's history. */
  seq: number;
  /** The number of the last event here that was copied from there. */
  copiedSeq: number;
};

/** What the session was made with. */
export type SessionCreated = {
  /** The working directory, absolute. */
  cwd: string;
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** What needs no question. */
  permissionMode: PermissionMode;
  /** Whether it plans only. */
  mode?: WorkMode;
  /** The title, if it was given one. */
  title?: string;
  /** Whose sub-agent it is, if it is one. */
  parent?: Parent;
  /** Which named agent it is, if it is one. */
  role?: AgentRole;
  /** Instructions for this session alone. */
  systemPrompt?: string;
  /** Whose history it began with, if it is a fork. */
  forkedFrom?: ForkedFrom;
};

/** Who gave a session its title. */
export type TitledBy = 
  | /** A person. A model never changes such a title. */ "person"
  | /** A model, once, after the first turn. */ "model";

/** A session has another title. */
export type SessionUpdated = {
  /** The title; absent when it was taken away. */
  title?: string;
  /** Who gave it. */
  by: TitledBy;
  /** The tokens that it took to make, where a model made it; they belong to no turn. */
  usage?: Usage;
  /** What that cost, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
};

/** A file that a system prompt holds or names. */
export type PromptSource = {
  /** What it is. */
  kind: PromptSourceKind;
  /** Its absolute path. */
  path: string;
};

/** What a file is that a system prompt holds or names. */
export type PromptSourceKind = 
  | /** What people wrote for agents: `AGENTS.md` and its kin. */ "document"
  | /** A rule. */ "rule"
  | /** A skill. */ "skill"
  | /** A named agent. */ "agent";

/** Of what a system prompt was made. */
export type PromptMade = {
  /** The files in it or named by it, in the order in which they stand there. */
  sources?: PromptSource[];
};

/** Whether a turn reached its end. */
export type TurnStatus = 
  | /** The model stopped by itself. */ "completed"
  | /** Somebody stopped it. */ "interrupted"
  | /** It could not go on; `error` says why. */ "failed";

/** Why a model stopped. */
export type StopReason = 
  | /** It was done. */ "endTurn"
  | /** It asked for tools. */ "toolUse"
  | /** It reached its output limit. */ "maxTokens"
  | /** It declined to answer. */ "refusal"
  | /** The engine ended the turn at a limit or because the model went in circles; a notice says which. */ "limit"
  | /** It said something this engine does not know; taken as done. */ "other";

/** Why a turn failed. */
export type TurnError = {
  /** A stable name. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may come. */
  code: string;
  /** What happened, for a person. */
  message: string;
  /** What to do about it. */
  hint?: string;
  /** Trying the same again may help. */
  retryable?: boolean;
  /** The provider's HTTP status. */
  httpStatus?: number;
};

/** How a turn ended. */
export type TurnCompleted = {
  /** Whether it reached its end. */
  status: TurnStatus;
  /** Why the model stopped, when it was the model that ended the turn. */
  stop?: StopReason;
  /** What went wrong, when something did. */
  error?: TurnError;
  /** The turn's tokens, those of sub-agents that ended a turn meanwhile among them. */
  usage: Usage;
  /** What all that cost, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
  /** How many model replies it took. */
  steps: number;
  /** Tool calls that were denied. */
  denials?: number;
  /** How long it took, in milliseconds. */
  durationMs: number;
};

/** Something a client can draw. The event that completes an item carries its whole value, so the deltas in between are never needed for correctness. */
export type Item = {
  /** The item's id. */
  id: ItemId;
  /** The turn it belongs to. */
  turnId?: TurnId;
  /** The step (model reply) within the turn, from 1; absent for what no model made. */
  step?: number;
  /** Where the item stands. */
  status: ItemStatus;
  /** When it began, in milliseconds since 1970. */
  startedMs: number;
  /** How long it took, in milliseconds; present once it is over. */
  durationMs?: number;
} & (
  | /** What a person said: a prompt, a steer or a follow-up, at the place where the model reads it. */ UserMessage & {
    type: "userMessage";
  }
  | /** What the model said. */ TextBody & {
    type: "agentMessage";
  }
  | /** What the model thought, as far as its provider shows it. */ TextBody & {
    type: "reasoning";
  }
  | /** A call of a tool. */ ToolCall & {
    type: "toolCall";
  }
  | /** A command in the background. It may end after the turn that began it. */ Job & {
    type: "job";
  }
  | /** A sub-agent, from its start until it is closed. It may outlive the turn that began it. */ Subagent & {
    type: "subagent";
  }
  | /** A conversation that became too long is summed up. */ Compaction & {
    type: "compaction";
  }
  | /** What the engine told the model, at the place where the model reads it. */ EngineMessage & {
    type: "engineMessage";
  });

/** Where an item stands. A reader treats a value it does not know as still running. */
export type ItemStatus = 
  | /** Announced, not begun; a tool call whose arguments still stream. */ "pending"
  | /** Going on. */ "running"
  | /** Ended well. */ "completed"
  | /** Ended badly; the output says why. */ "failed"
  | /** A person or the policy said no; it never ran. */ "declined"
  | /** Stopped before its end, or never begun because the turn was. */ "cancelled";

/** A person's message in the conversation. */
export type UserMessage = {
  /** The blocks, as sent. */
  content: Input[];
};

/** Text that grew while it streamed. */
export type TextBody = {
  /** The whole text so far; empty in `item.started`. */
  text: string;
};

/** What a tool returned: what the model reads, and what a client may draw besides. */
export type ToolResult = {
  /** What the model reads. */
  content: Content[];
  /** The tool failed, was declined or was cancelled; the content says why. */
  isError?: boolean;
  /** Facts for a client. */
  details?: ToolDetails;
};

/** One block of a tool's result, as the model sees it. */
export type Content = 
  | /** Text. */ {
    type: "text";
    /** The text. */
    text: string;
  }
  | /** A picture. */ {
    type: "image";
    /** The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    mimeType: string;
    /** The bytes in base64. */
    data: string;
  };

/** Facts about a tool's result that only a client needs. */
export type ToolDetails = {
  /** Files it changed. */
  changes?: FileChange[];
  /** A command's exit code. */
  exitCode?: number;
  /** The name of the signal that ended a command, such as `SIGKILL`. */
  signal?: string;
  /** What was cut from the output, when something was. */
  truncation?: Truncation;
  /** A file that holds the whole output, when it was cut. */
  fullOutputPath?: string;
  /** The whole output for `blob/read`, when it was cut. */
  fullOutput?: FullOutput;
  /** The background jobs it was about. */
  jobs?: JobRef[];
};

/** What happened to one file. */
export type FileChange = {
  /** What was done. */
  op: FileOp;
  /** The file's absolute path (the new one after a move). */
  path: string;
  /** The path before a move. */
  oldPath?: string;
  /** The change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file. */
  diff: string;
  /** Lines added. */
  added: number;
  /** Lines removed. */
  removed: number;
  /** The first line that differs, 1-based, counted in the new text: where an editor should jump. */
  firstChangedLine?: number;
  /** What differs within lines that were changed rather than replaced, for marking words; at most 1,000. */
  words?: WordSpan[];
};

/** The kind of a file change. */
export type FileOp = 
  | /** The file is new. */ "add"
  | /** The file existed and its content differs now. */ "modify"
  | /** The file is gone. */ "delete"
  | /** The file has another path now. */ "move";

/** A part of a line that differs from its counterpart. */
export type WordSpan = {
  /** Of which text. */
  side: Side;
  /** The line in that text, 1-based. */
  line: number;
  /** Its first byte in the line as UTF-8, from 0. */
  start: number;
  /** The byte behind it. */
  end: number;
};

/** What was cut from a tool's output before the model saw it, and by which limit. */
export type Truncation = {
  /** Which limit cut; absent when nothing was cut. */
  truncatedBy?: TruncatedBy;
  /** Lines of the whole output; a trailing newline does not count as one more. */
  totalLines: number;
  /** Bytes of the whole output. */
  totalBytes: number;
  /** Lines that are left. */
  outputLines: number;
  /** Bytes that are left. */
  outputBytes: number;
  /** The last line that is left was itself cut at its front. */
  lastLinePartial?: boolean;
  /** Nothing is left because the first line alone is over the byte limit. */
  firstLineExceedsLimit?: boolean;
  /** The limit in lines. */
  maxLines: number;
  /** The limit in bytes. */
  maxBytes: number;
};

/** The limit that cut an output. */
export type TruncatedBy = 
  | /** The limit in lines. */ "lines"
  | /** The limit in bytes. */ "bytes";

/** A whole output that is kept with the session. */
export type FullOutput = {
  /** Its name for `blob/read`. */
  ref: string;
  /** Its size in bytes. */
  bytes: number;
};

/** Which background job a call was about. */
export type JobRef = {
  /** The job. */
  jobId: JobId;
  /** Its item. */
  itemId: ItemId;
  /** The result tells how it ended. */
  hasEnded?: boolean;
};

/** Names a background job within its session: `job-1`, `job-2` …, short because a model writes it. */
export type JobId = string;

/** A tool call from its first argument byte to its result. */
export type ToolCall = {
  /** The tool's name, as the model calls it. */
  toolName: string;
  /** One line for a person: `bash: cargo test`. */
  title: string;
  /** What kind of act it is, for icons and rules. */
  kind: ToolKind;
  /** Files and lines it is about. */
  locations?: Location[];
  /** The arguments; absent until they have arrived whole. */
  input?: unknown;
  /** The arguments that a hook put in their place; these ran. */
  changedInput?: unknown;
  /** The result; absent until there is one. */
  output?: ToolResult;
};

/** How a background job ended. */
export type JobEnd = 
  | /** By itself; `details.exitCode` says how. */ "exited"
  | /** By a signal that did not come from the engine; `details.signal` names it. */ "signalled"
  | /** Its time was over. */ "timedOut"
  | /** A person or the model stopped it. */ "stopped"
  | /** It was stopped because the session ended. */ "sessionEnded"
  | /** It could not be started; `output` says why. */ "failed";

/** A command in the background, from its start to its end. */
export type Job = {
  /** The id by which model and client speak of it. */
  jobId: JobId;
  /** One line for a person. */
  title: string;
  /** The command, as the shell reads it. */
  command: string;
  /** How it ended; absent while it runs. */
  end?: JobEnd;
  /** The end of what it printed; absent while it runs. Deltas of the field `output` come before. */
  output?: string;
  /** Exit code, signal, what was cut from the output and where all of it is. */
  details?: ToolDetails;
};

/** What a sub-agent does. */
export type SubagentState = 
  | /** It works. */ "working"
  | /** Its last turn reached its end, and it waits for input. */ "done"
  | /** Its last turn was stopped or could not go on; `result` says why. */ "failed"
  | /** It was closed. */ "closed";

/** A sub-agent: a session of its own that works at a part of the task. Its events come under its own session's id. */
export type Subagent = {
  /** The name by which model and client speak of it. */
  agentId: AgentId;
  /** Its session. */
  sessionId: SessionId;
  /** What it was told first. */
  task: string;
  /** Its model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** Whether it works. */
  state: SubagentState;
  /** What it said last, as the model reads it; absent until its first turn has ended. */
  result?: string;
  /** Its tokens so far. */
  usage?: Usage;
  /** What it has cost so far, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
};

/** Why a conversation is summed up. */
export type CompactionReason = 
  | /** It comes near the end of the model's window. */ "threshold"
  | /** The provider refused it as too long. */ "overflow"
  | /** A person asked for it. */ "requested";

/** A summing up. Once it is completed, the model reads the summary in the place of what was before; the journal keeps all. */
export type Compaction = {
  /** Why. */
  reason: CompactionReason;
  /** The tokens of the conversation before, about. */
  tokensBefore: number;
  /** And after; absent until it is completed. */
  tokensAfter?: number;
  /** What the model reads in the place of what was before; while it runs, deltas of the field `text` come. */
  summary?: string;
  /** Why it failed, when it did: the conversation is then as it was. */
  error?: string;
};

/** What the engine told the model. */
export type EngineMessage = {
  /** The text, as the model reads it. */
  text: string;
  /** The items of the jobs whose end it tells. */
  jobs?: ItemId[];
  /** The mode that it tells of. */
  mode?: WorkMode;
  /** The events about the review that it tells of. */
  reviewed?: number[];
  /** It sums up what a conversation that went back has left. */
  sumsUpLeft?: boolean;
};

/** Who answered a question of permission. */
export type DecidedBy = 
  | /** A client. */ "client"
  | /** Nobody was there who could answer. */ "noApprover"
  | /** The turn was interrupted while it waited. */ "interrupt";

/** How a question of permission ended. */
export type ApprovalOutcome = {
  /** The question. */
  approvalId: ApprovalId;
  /** The tool call. */
  itemId: ItemId;
  /** What was decided. */
  decision: Decision;
  /** How long it holds. */
  scope: Scope;
  /** Who decided. */
  by: DecidedBy;
  /** What the person said with it. */
  feedback?: string;
};

/** Who or what ended a question. */
export type AnsweredBy = 
  | /** A client answered. */ "client"
  | /** A client closed it without an answer. */ "dismissed"
  | /** Its time was over: the default holds. */ "deadline"
  | /** Nobody was there who could answer. */ "noClient"
  | /** The turn was interrupted while it waited. */ "interrupt";

/** How a question ended. */
export type QuestionOutcome = {
  /** The question. */
  questionId: QuestionId;
  /** The tool call. */
  itemId: ItemId;
  /** The options that hold. */
  optionIds?: string[];
  /** What the person said in own words. */
  text?: string;
  /** Who or what ended it. */
  by: AnsweredBy;
};

/** How a model reply ended and what it cost. */
export type StepCompleted = {
  /** The step within the turn, from 1. */
  step: number;
  /** Why the model stopped; absent when it was stopped. */
  stop?: StopReason;
  /** The tokens of this reply. */
  usage: Usage;
  /** The tokens of the turn so far. */
  turnUsage: Usage;
  /** What this reply cost, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
  /** What the turn has cost so far, in billionths of a US dollar; absent where no price is known. */
  turnCostNanoUsd?: number;
};

/** A provider that failed is asked again. */
export type RetryScheduled = {
  /** Which retry this is, from 1. */
  attempt: number;
  /** How many there are at most. */
  of: number;
  /** How long the wait is, from this event on, in milliseconds. */
  delayMs: number;
  /** Why, as in [`TurnError`]. */
  code: string;
  /** What happened, for a person. */
  message: string;
};

/** Old results that the model reads no longer. */
export type ContextPruned = {
  /** How many results. */
  results: number;
  /** The tokens before, about. */
  tokensBefore: number;
  /** And after. */
  tokensAfter: number;
};

/** How a session works from the next turn on. */
export type ConfigChanged = {
  /** The model, as `provider/id` or `provider/id:effort`. */
  model: string;
  /** What needs no question. */
  permissionMode: PermissionMode;
  /** Whether it plans only. */
  mode?: WorkMode;
};

/** A file that was changed. */
export type FileRecord = {
  /** The path, absolute. */
  path: string;
  /** What was there; absent when nothing was. */
  before?: FileState;
  /** What is there now; absent when it is gone. */
  after?: FileState;
};

/** The state of a file at some time. Its content is kept in the session under its hash. */
export type FileState = {
  /** SHA-256 of the content, in hex. */
  sha256: string;
  /** The size in bytes. */
  size: number;
  /** The permission bits, where there are any. */
  mode?: number;
  /** The content was too large to be kept, so nothing can bring it back. */
  isLost?: boolean;
};

/** Who changed files. */
export type ChangedBy = 
  | /** A call of the model. */ {
    type: "call";
    /** Its item. */
    itemId: ItemId;
  }
  | /** Somebody else, before the next call was made: a person, another program, a job in the background. */ {
    type: "other";
  }
  | /** Going back in the history. */ {
    type: "rewind";
  }
  | /** A verdict of a person, told by the `review.decided` before it. */ {
    type: "review";
  };

/** Files were changed. */
export type FilesChanged = {
  /** The files. */
  changes: FileRecord[];
  /** Who did it. */
  by: ChangedBy;
};

/** A verdict that waits. */
export type WaitingVerdict = {
  /** Its number: the event with which it began to wait. */
  id: number;
  /** What is wanted. */
  action: ReviewAction;
};

/** A verdict that was not carried out. */
export type RefusedVerdict = {
  /** Its number. */
  id: number;
  /** Why, for people. */
  reason: string;
};

/** The verdicts that wait for a gap between two calls of the running turn. */
export type ReviewQueue = {
  /** All of them, in order. */
  waiting: WaitingVerdict[];
  /** One that waits no more and was not carried out. */
  refused?: RefusedVerdict;
};

/** Where the next events come from. */
export type MergedFrom = {
  /** The fork. What was used there is not counted here. */
  sessionId: SessionId;
  /** The last event there that is part of this session's history now. */
  seq: number;
  /** The number of the last event here that was copied from there. */
  copiedSeq: number;
};

/** The session goes on from another place of its history. */
export type HistoryRewound = {
  /** The event after which it goes on; 0 is the beginning. */
  toSeq: number;
  /** Items that the model does not know any more; a client takes them out of its view. */
  dropped?: ItemId[];
  /** Items that it knows again. */
  restored?: ItemId[];
  /** The next events come from a fork. */
  merged?: MergedFrom;
};

/** A place of the history has another name. */
export type LabelChanged = {
  /** The event that is the place. */
  seq: number;
  /** The name; absent when it was taken away. */
  label?: string;
};

/** How bad a notice is. */
export type NoticeLevel = 
  | /** Good to know. */ "info"
  | /** Something is not as it should be. */ "warning"
  | /** Something failed. */ "error";

/** Something a person should know. */
export type Notice = {
  /** How bad it is. */
  level: NoticeLevel;
  /** A stable name. */
  code: string;
  /** What happened. */
  message: string;
  /** What to do about it. */
  hint?: string;
};

/** Which piece of a long output to read. */
export type BlobReadParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The output's name, as `details.fullOutput` gives it. */
  ref: string;
  /** The first byte, from 0; default 0. Go on with the `end` of the piece before. */
  offset?: number;
  /** The most bytes, 1 to 1,048,576; default 65,536. */
  length?: number;
};

/** A piece of a long output. */
export type BlobReadResult = {
  /** The text; it may be a few bytes shorter than asked, so that no character is cut. */
  text: string;
  /** Where it begins, in bytes. */
  offset: number;
  /** Where it ends, in bytes; the next piece begins here. */
  end: number;
  /** The size of the whole output, in bytes. */
  size: number;
};

/** A prompt. */
export type TurnStartParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The prompt. */
  input: Input[];
  /** What to do while a turn runs; default `reject`. */
  whenBusy?: WhenBusy;
  /** How much the turn may take. */
  limits?: TurnLimits;
};

/** What to do with a prompt while a turn runs. */
export type WhenBusy = 
  | /** Answer with the error `busy`. */ "reject"
  | /** Queue it as a follow-up. */ "queue";

/** A prompt was accepted; it is on disk. */
export type TurnStartResult = {
  /** The turn it starts, or will start. */
  turnId: TurnId;
  /** The id of its `userMessage` item. */
  itemId: ItemId;
  /** What became of it. */
  disposition: Disposition;
};

/** What became of an accepted prompt. */
export type Disposition = 
  | /** Its turn begins now. */ "started"
  | /** Its turn begins when those before it are over. */ "queued";

/** A message for the running turn. */
export type TurnSteerParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Refuse with `conflict` unless this turn is the running one. */
  expectedTurnId?: TurnId;
  /** The message. */
  input: Input[];
};

/** What became of a steer. */
export type TurnSteerResult = {
  /** What became of it. */
  outcome: SteerOutcome;
  /** The id of its `userMessage` item, when it was accepted. */
  itemId?: ItemId;
  /** The turn it goes into, when it was accepted. */
  turnId?: TurnId;
};

/** What became of a steer. */
export type SteerOutcome = 
  | /** Accepted for the running turn. Should the turn end before its next gap, it starts a turn of its own. */ "accepted"
  | /** No turn runs; nothing was kept. Send it with `turn/start`. */ "noActiveTurn";

/** Which turn to stop. */
export type TurnInterruptParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Refuse with `conflict` unless this turn is the running one. */
  turnId?: TurnId;
  /** What to do with messages that the model has not read yet; default `return`. */
  queue?: QueuePolicy;
};

/** What an interrupt does with messages that the model has not read yet. */
export type QueuePolicy = 
  | /** Takes them out of the queue and hands them back in `input.removed`. */ "return"
  | /** Lets them start their turns after this one has ended. */ "keep";

/** What became of an interrupt. */
export type TurnInterruptResult = {
  /** The turn that is being stopped; absent when none runs. */
  turnId?: TurnId;
  /** The messages that were handed back. */
  returned?: QueuedInput[];
};

/** What to make short. */
export type SessionCompactParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** What the summary is to take care of. */
  instructions?: string;
};

/** The summing up has begun. */
export type SessionCompactResult = {
  /** The turn that does it. */
  turnId: TurnId;
};

/** The context of which session. */
export type ContextReadParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** Leave out the messages, and tell only how much of what there is. */
  summary?: boolean;
};

/** What the model was sent last; before the first request, what it would be sent. */
export type ContextReadResult = {
  /** How full the window is. */
  usage: ContextUsage;
  /** The tokens by source, about. */
  sources: ContextSource[];
  /** The system prompt. */
  system?: string;
  /** The tools. */
  tools?: ContextTool[];
  /** The messages, in order. */
  messages?: ContextMessage[];
};

/** How much of the context is from where. */
export type ContextSource = {
  /** From where: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may come. */
  source: string;
  /** How many messages or tools. */
  count: number;
  /** Their tokens, about. */
  tokens: number;
};

/** A tool as the model is told of it. */
export type ContextTool = {
  /** Its name. */
  name: string;
  /** What it does. */
  description: string;
  /** JSON Schema of its arguments. */
  parameters: unknown;
};

/** A message as the model is sent it, whatever its provider's wire format. */
export type ContextMessage = {
  /** Who says it: `user`, `assistant` or `result`. */
  role: string;
  /** Of a result: the id of its call. */
  callId?: string;
  /** Of a result: the call failed. */
  isError?: boolean;
  /** Its blocks. */
  blocks: ContextBlock[];
};

/** A block of a message, told apart by `type`. */
export type ContextBlock = 
  | /** Text. */ {
    type: "text";
    /** The text. */
    text: string;
  }
  | /** What the model thought. */ {
    type: "reasoning";
    /** The text, as far as its provider shows it. */
    text: string;
  }
  | /** A call of a tool. */ {
    type: "toolCall";
    /** The call's id. */
    callId: string;
    /** The tool's name. */
    name: string;
    /** The arguments, as the model wrote them. */
    arguments: string;
  }
  | /** A picture. */ {
    type: "image";
    /** Its kind. */
    mimeType: string;
    /** Its size in base64, in bytes. */
    bytes: number;
  }
  | /** Something only the provider understands, sent back to it as it is. */ {
    type: "opaque";
    /** Its size in bytes. */
    bytes: number;
  };

/** What can be set in a session, and what became of a change. */
export type ConfigResult = {
  /** Every option, with the value that holds. */
  options: ConfigOption[];
  /** The ids of those that were set. */
  applied?: string[];
  /** Those that were not, and why. */
  rejected?: Rejected[];
};

/** Something that can be set in a session. */
export type ConfigOption = {
  /** Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may come. */
  id: string;
  /** Its name for a person. */
  name: string;
  /** The value that holds from the next turn on. */
  value: string;
  /** The values it can have; empty where any text may do. */
  choices?: string[];
};

/** A value that was not set. */
export type Rejected = {
  /** The option's id, as it was sent. */
  id: string;
  /** Why, and what to do. */
  reason: string;
};

/** What to change in a session. */
export type ConfigSetParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** New values, by the option's id. */
  values: Record<string, never>;
};

/** The messages that wait, in the order in which the model will read them. */
export type QueueResult = {
  /** The messages. */
  queue: QueuedInput[];
};

/** A change of one waiting message in a session. */
export type QueueUpdateParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The message. */
  itemId: ItemId;
  /** Its new blocks. */
  input?: Input[];
  /** How it is to be delivered: `steer` goes into the running turn at its next gap, `followUp` starts a turn of its own. */
  delivery?: Delivery;
  /** Put it before this one of the same delivery. */
  before?: ItemId;
  /** Put it behind all of the same delivery. */
  toEnd?: boolean;
};

/** Which waiting messages to hand back. */
export type QueueRemoveParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The messages; all when left out. */
  itemIds?: ItemId[];
};

/** The messages that were handed back. */
export type QueueRemoveResult = {
  /** The messages, whole. */
  removed: QueuedInput[];
};

/** An answer to a question of permission that is sent by itself. One that names no offered option is refused, and the question stays open. */
export type ApprovalAnswerParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The question. */
  approvalId: ApprovalId;
  /** The chosen option. */
  optionId?: string;
  /** What the model should read with a denial. */
  feedback?: string;
  /** The question was closed without a choice: deny once. */
  dismissed?: boolean;
};

/** An answer to a question that is sent by itself. One that names an option that was not offered, or says nothing, is refused, and the question stays open. */
export type QuestionAnswerParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The question. */
  questionId: QuestionId;
  /** The chosen options. */
  optionIds?: string[];
  /** What the person says in own words. */
  text?: string;
  /** The question was closed without an answer; the model is told to decide by itself. */
  dismissed?: boolean;
};

/** All that an editor finds wrong in a file now; it takes the place of what was said of that file before. */
export type EditorDiagnosticsParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The file, absolute or from the session's working directory. */
  path: string;
  /** The version of the text that was looked at, as the editor counts; a report of an older one is left aside. */
  version?: number;
  /** What is wrong; empty when nothing is. */
  items: EditorDiagnostic[];
};

/** One thing that an editor finds wrong. */
export type EditorDiagnostic = {
  /** Where it is. */
  range: LineRange;
  /** How bad it is. The model is told of errors and warnings. */
  severity: Severity;
  /** What is wrong. */
  message: string;
  /** What found it, such as `rustc`. */
  source?: string;
  /** How what found it calls it, such as `E0308`. */
  code?: string;
};

/** What `document/open` takes. Opening a document again replaces all that was known of it. */
export type DocumentOpenParams = {
  /** The file, absolute. It need not exist yet. */
  path: string;
  /** Which version of the text this is; it rises with every change. */
  version: number;
  /** The whole text as it would be written, with its line ends, without a byte order mark. */
  text: string;
  /** The text has not been saved. Tools then read it instead of the file. */
  isDirty: boolean;
};

/** What `document/change` takes. */
export type DocumentChangeParams = {
  /** The file, as it was opened. */
  path: string;
  /** The version after the changes. */
  version: number;
  /** The changes, each made to the text that the one before has left. */
  changes: DocumentChange[];
  /** The text differs from what was saved last. */
  isDirty: boolean;
};

/** A change of a text. */
export type DocumentChange = {
  /** What goes; without it the whole text does. */
  range?: TextRange;
  /** What comes in its place. */
  text: string;
};

/** A part of a text. What lies beyond the end of a line or of the text means that end. */
export type TextRange = {
  /** Where it begins. */
  start: Position;
  /** Where it ends; what stands there is not part of it. */
  end: Position;
};

/** A place in a text. */
export type Position = {
  /** The line, from 0; lines end with `\n` or `\r\n`. */
  line: number;
  /** Units of UTF-16 from the beginning of the line, as in LSP. */
  character: number;
};

/** What `document/save` takes: the text of this version is what the file holds now. */
export type DocumentSaveParams = {
  /** The file, as it was opened. */
  path: string;
  /** The version that was saved. */
  version: number;
};

/** What `document/close` takes. What was not saved is gone for tools: they read the file again. */
export type DocumentCloseParams = {
  /** The file, as it was opened. */
  path: string;
};

/** Which items of a session. */
export type SessionItemsParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The items before this event; the last ones when left out. */
  before?: number;
  /** Only items after this event, such as an anchor. */
  after?: number;
  /** At most so many, 1 to 1,000; default 100. */
  limit?: number;
};

/** Items as they are now. */
export type SessionItemsResult = {
  /** In the order of their last events, on the way that the model knows. What has not ended is in the newest page. */
  items: ItemAt[];
  /** There are more; ask for those before the first one's `seq`. */
  more: boolean;
};

/** An item, and the last event that told of it. */
export type ItemAt = {
  /** The event. */
  seq: number;
  /** The item. */
  item: Item;
};

/** Which item to read. */
export type ItemReadParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The item. */
  itemId: ItemId;
};

/** A session. */
export type CheckpointListParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
};

/** The places to which files can go back: the beginning and the end of each turn. */
export type CheckpointListResult = {
  /** Oldest first. */
  checkpoints: Checkpoint[];
};

/** A place to which files can go back. */
export type Checkpoint = {
  /** The event after which it is; 0 is the beginning. */
  seq: number;
  /** The turn that ended there. */
  turnId?: TurnId;
  /** When it was, in milliseconds since 1970. */
  tsMs: number;
  /** The paths that have changed since the checkpoint before, absolute. */
  changed: string[];
  /** The name of the place. */
  label?: string;
};

/** Which places to compare. */
export type CheckpointDiffParams = {
  /** The session, open or not; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The one place. */
  from: HistoryPoint;
  /** The other; what the journal says of now when left out. */
  to?: HistoryPoint;
};

/** What differs in files between two places. */
export type CheckpointDiffResult = {
  /** A patch for `git apply` in the session's working directory, with everybody's changes. */
  text: string;
  /** Changed files that are not in it: outside of that folder, or with a content that was not kept. */
  leftOut?: string[];
};

/** A session's background jobs. */
export type JobListResult = {
  /** Their items, oldest first. */
  jobs: Item[];
};

/** Which background job to stop. */
export type JobStopParams = {
  /** The session; may be left out where this connection has made or opened exactly one. */
  sessionId?: SessionId;
  /** The job. */
  jobId: JobId;
};

/** A background job that has ended. */
export type JobStopResult = {
  /** Its item, with its end. */
  job: Item;
};

/** What is known by name. Any other `provider/id` of a known provider works all the same. */
export type ModelsListResult = {
  /** The providers: those that are built in, then the user's own. */
  providers: ProviderInfo[];
  /** The models: those that are built in, then the user's own. */
  models: ModelInfo[];
  /** What is wrong with the settings files. When one cannot be used, this is the list from before. */
  problems?: string[];
};

/** A provider. */
export type ProviderInfo = {
  /** The name in `provider/id`. */
  name: string;
  /** The wire API it speaks: `chat`, `messages`, `responses` or `gemini`; absent where only its models say. */
  api?: string;
  /** Where requests go, without what may be secret. Names in braces or behind a dollar stand for variables. */
  url?: string;
  /** Whether its key is there. */
  key: KeyState;
  /** The variable that holds the key, or would. */
  keyVar?: string;
  /** Where this is from: files of the user's, or where it was read. */
  source: string;
};

/** Whether a provider's key is there. */
export type KeyState = 
  | /** It is there. */ "set"
  | /** A command prints it when it is needed. */ "command"
  | /** None is needed. */ "notNeeded"
  | /** It is not there: no model of this provider can answer. */ "missing";

/** A model. */
export type ModelInfo = {
  /** `provider/id`, as `config.model` takes it. */
  model: string;
  /** What people call it, where that is not the id. */
  name?: string;
  /** The most tokens of input. */
  window?: number;
  /** The most tokens of an answer. */
  maxOutput?: number;
  /** What it costs. */
  price?: ModelPrice;
  /** It takes pictures; absent where that is not known. */
  vision?: boolean;
  /** It can think before it answers; absent where that is not known. */
  reasoning?: boolean;
  /** The profile under which it sees the tools, unless one is set. */
  profile: string;
  /** Where this is from: files of the user's, or where it was read. */
  source: string;
  /** When that was read, as year and month. */
  checked?: string;
};

/** What a model costs, in US dollars for a million tokens. */
export type ModelPrice = {
  /** Input that comes from no cache. */
  inputUsdPerMtok: number;
  /** Output, reasoning included. */
  outputUsdPerMtok: number;
  /** Input read from a cache; absent where that costs like any input. */
  cacheReadUsdPerMtok?: number;
  /** Input written to a cache; absent where that costs like any input. */
  cacheWriteUsdPerMtok?: number;
};

/** The prompts that can be called. */
export type CommandListResult = {
  /** The prompts, by name. */
  commands: PromptCommand[];
  /** Files that could not be understood, each with the reason. */
  problems?: string[];
};

/** A prompt in a file. A message that begins with `/` and its name becomes that prompt. */
export type PromptCommand = {
  /** Its name, without the slash. */
  name: string;
  /** What it is for. */
  description?: string;
  /** What may be written behind the name. */
  argumentHint?: string;
  /** Its file. */
  path: string;
};

/** A hook of a client. */
export type HookRegisterParams = {
  /** Where it runs. */
  points: HookPoint[];
  /** Only for calls of these tools: names, with `*` for any text. Default: all. */
  tools?: string[];
  /** How long it may take, in milliseconds; default 60000. */
  timeoutMs?: number;
  /** What holds when it fails; default `closed`. */
  onFailure?: OnFailure;
};

/** A point of the engine's work at which hooks run. */
export type HookPoint = 
  | /** A person's message, before the model reads it. May deny it or change its text. */ "inputReceived"
  | /** A turn begins; its messages are read. May deny it or add context. */ "beforeAgent"
  | /** What the model is to read next is complete. May add context. */ "contextBuilt"
  | /** The model is asked next. May deny it, which ends the turn. */ "beforeModelRequest"
  | /** The model replied. Changes nothing. */ "afterModelResponse"
  | /** A tool call, before permission is asked and before it runs. May deny it or change its arguments. */ "beforeToolCall"
  | /** A tool call that ran. May change its result. */ "afterToolCall"
  | /** The conversation is summed up next. May deny it; where that was not asked for, old results are taken out instead. */ "sessionCompact"
  | /** A session was made or opened. Changes nothing; not for clients. */ "sessionStart"
  | /** A session was made of another one's history. Comes beside `sessionStart`. Changes nothing; not for clients. */ "sessionFork"
  | /** A session goes on from another place of its history. Changes nothing; not for clients. */ "sessionSwitch"
  | /** A session is being closed. Changes nothing; not for clients. */ "sessionEnd";

/** What holds when a hook fails at a point where it may deny. */
export type OnFailure = 
  | /** It counts as a denial. */ "closed"
  | /** It counts as no answer. */ "open";

/** A tool of a client. */
export type ToolRegisterParams = {
  /** Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest of a name wins, also over a built-in tool. */
  name: string;
  /** What it does and how to use it, for the model. */
  description: string;
  /** JSON Schema of the arguments, an object schema. */
  parameters: unknown;
};

/** The params of `session/event`: durable if there is a `seq`, transient if there is an `after`. */
export type AnyRecord = 
  | /** A durable event. */ EventRecord
  | /** A transient event. */ TransientRecord;

/** A transient event: never in the journal, may be merged with its neighbours or left out, never needed for correctness. */
export type TransientRecord = {
  /** The session. */
  sessionId: SessionId;
  /** The number of the last durable event before it. */
  after: number;
  /** The turn it belongs to. */
  turnId?: TurnId;
  /** What happened. */
  event: TransientEvent;
};

/** Transient events, told apart by `type`. */
export type TransientEvent = 
  | /** A field of an item grew. */ ItemDelta & {
    type: "item.delta";
  }
  | /** The session does something else now. */ SessionState & {
    type: "state";
  }
  | /** How full the model's window is, after each reply. */ ContextUsage & {
    type: "context";
  }
  | /** What the reply that streams has taken so far, where its provider tells it on the way. */ StepUsage & {
    type: "step.usage";
  }
  | /** Something a person should know that could not be written to the journal. */ Notice & {
    type: "notice";
  };

/** The fields that stream. */
export type DeltaField = 
  | /** The text of a message or of reasoning. */ "text"
  | /** The arguments of a tool call, as JSON text. */ "args"
  | /** One text of a tool call's arguments, named by `path`, without JSON's quotes and escapes: a file while it is being written. */ "input"
  | /** What a running tool prints. */ "output";

/** A piece of text for the end of an item's field. */
export type ItemDelta = {
  /** The item. */
  itemId: ItemId;
  /** The field that grew. */
  field: DeltaField;
  /** Which text of the arguments grew, as a JSON Pointer such as `/content`; only with the field `input`. */
  path?: string;
  /** The piece's number within item and field, from 0. */
  n: number;
  /** The last piece's number where neighbours were merged into this one. */
  to?: number;
  /** The text to append. */
  text: string;
};

/** What a reply has taken so far. `step.completed` has the final count. */
export type StepUsage = {
  /** The step within the turn, from 1. */
  step: number;
  /** Its tokens so far. */
  usage: Usage;
  /** What they cost, in billionths of a US dollar; absent where the price is not known. */
  costNanoUsd?: number;
};

/** The events a slow connection was not sent. */
export type SessionLaggedParams = {
  /** The session. */
  sessionId: SessionId;
  /** The last durable event that was sent. */
  lastSentSeq: number;
  /** The last durable event that was not. */
  headSeq: number;
};

/** The answer to `approval/request`. One of `optionId` and `dismissed` is expected; an answer with neither, or with an option that was not offered, counts as a denial of this one call. */
export type ApprovalAnswer = {
  /** The chosen option. */
  optionId?: string;
  /** What the model should read with a denial. */
  feedback?: string;
  /** The question was closed without a choice: deny once. */
  dismissed?: boolean;
};

/** The answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are left out, and so are all but the first where only one may be chosen; an answer with nothing left counts as dismissed. */
export type QuestionAnswer = {
  /** The chosen options. */
  optionIds?: string[];
  /** What the person says in own words. */
  text?: string;
  /** The question was closed without an answer; the model is told to decide by itself. */
  dismissed?: boolean;
};

/** What a hook is told. */
export type HookRun = {
  /** Where the engine is. */
  point: HookPoint;
  /** The session. */
  sessionId: SessionId;
  /** The turn; absent at points of the session. */
  turnId?: TurnId;
  /** The session's working directory. */
  cwd: string;
  /** The message, at `inputReceived`. */
  input?: string;
  /** The tool call, at `beforeToolCall` and `afterToolCall`. */
  call?: HookCall;
  /** What the call returned, at `afterToolCall`. */
  result?: HookResult;
  /** What the model said, at `afterModelResponse`. */
  response?: HookResponse;
  /** How many messages the model is to read, at `contextBuilt` and `beforeModelRequest`. */
  messages?: number;
  /** What of the model's plan is not done, at `beforeAgent`. */
  openTodos?: string;
};

/** A tool call, for a hook. */
export type HookCall = {
  /** Its item. */
  itemId: ItemId;
  /** The tool's name. */
  toolName: string;
  /** What kind of act it is. */
  kind: ToolKind;
  /** One line for a person. */
  title: string;
  /** The arguments, as hooks before this one left them. */
  arguments: unknown;
  /** Files it is about. */
  locations?: Location[];
};

/** What a call returned, for a hook. */
export type HookResult = {
  /** What the model is to read. Pictures are not shown to hooks, and stay. */
  text: string;
  /** The call failed. */
  isError?: boolean;
};

/** What the model said, for a hook. */
export type HookResponse = {
  /** Its text. */
  text: string;
  /** The tools that it calls, in order. */
  tools?: string[];
};

/** What a hook answers. `{}`, and nothing at all, leaves everything as it is. */
export type HookAnswer = {
  /** Whether it may go on; default `allow`. Permission is asked for all the same. */
  decision?: HookDecision;
  /** Why not, as the model or the person reads it. */
  reason?: string;
  /** Another text of the message. */
  input?: string;
  /** Other arguments of the call, whole. */
  arguments?: unknown;
  /** Another result of the call. */
  result?: HookResult;
  /** What the model is to read besides. */
  context?: string;
};

/** Whether something may go on. */
export type HookDecision = 
  | /** It may. */ "allow"
  | /** It may not. */ "deny";

/** A call of a tool of this client. */
export type ToolCallParams = {
  /** The session. */
  sessionId: SessionId;
  /** The call's item. */
  itemId: ItemId;
  /** The tool's name. */
  toolName: string;
  /** The arguments, as the model wrote them; nobody checked them against the schema. */
  arguments: unknown;
};

/** What a tool of a client returned. */
export type ToolCallResult = {
  /** What the model reads. */
  content: Content[];
  /** The call failed; the content says why. */
  isError?: boolean;
};

/** What `workspace/applyEdit` asks of a client: to change documents that it has open, all of them or none. */
export type ApplyEditParams = {
  /** What the edit is, for people. */
  label: string;
  /** The documents. */
  edits: DocumentEdit[];
};

/** What becomes of one document. */
export type DocumentEdit = {
  /** The file, as it was opened. */
  path: string;
  /** The version that the edit is made for. Where the document has got another, nothing is changed. */
  version: number;
  /** The changes, in order; their ranges all mean the text of `version`, and do not overlap. */
  changes: TextEdit[];
  /** The document was saved before and is to be saved again, so that commands see the change. */
  save: boolean;
};

/** A change of a part of a text. */
export type TextEdit = {
  /** What goes. */
  range: TextRange;
  /** What comes in its place. */
  text: string;
};

/** What the client answers. It sends the changes that it made, by `document/change`, before its answer. */
export type ApplyEditResult = {
  /** All changes were made. Otherwise none was. */
  isApplied: boolean;
  /** Why none was made, or why a document could not be saved. */
  failureReason?: string;
  /** The versions that the documents have now. */
  versions?: DocumentVersion[];
};

/** Which version a document has. */
export type DocumentVersion = {
  /** The file, as it was opened. */
  path: string;
  /** The version. */
  version: number;
};

/** What comes with a failed request besides code and message. */
export type ErrorData = {
  /** A stable name of the failure. */
  code: string;
  /** Where in the params it is, as a JSON pointer. */
  path?: string;
  /** What to do about it. */
  hint?: string;
  /** What would have been accepted. */
  supported?: string[];
};

/** Requests a client sends. */
export interface ClientRequests {
  /** Opens the connection: versions, names, capabilities. It must be the first request. */
  "initialize": { params: InitializeParams; result: InitializeResult };
  /** Answers at once; for liveness. */
  "ping": { params: Empty; result: Empty };
  /** Interrupts what runs, closes every session of this engine in order, then answers. Send `exit` next. */
  "shutdown": { params: Empty; result: Empty };
  /** Makes a session and, unless told otherwise, subscribes this connection to it. */
  "session/create": { params: SessionCreateParams; result: SessionResult };
  /** Opens a stored session, also after a crash, and, unless told otherwise, subscribes this connection to it. */
  "session/open": { params: SessionOpenParams; result: SessionResult };
  /** Lists stored sessions, newest first. */
  "session/list": { params: SessionListParams; result: SessionListResult };
  /** Gives a session another title, or takes it away. */
  "session/update": { params: SessionUpdateParams; result: SessionUpdateResult };
  /** Searches what people and models said, and what tools were called, ran and touched, in all stored sessions. */
  "session/search": { params: SessionSearchParams; result: SessionSearchResult };
  /** Makes a page, Markdown or JSON lines of a session, open or not, as the answer or into a file of its working directory. */
  "session/export": { params: SessionExportParams; result: SessionExportResult };
  /** Deletes a stored session for good, with those of its sub-agents. One that is open anywhere is refused. */
  "session/delete": { params: SessionDeleteParams; result: SessionDeleteResult };
  /** Goes back, or forward again, to another place of an idle session's history. */
  "session/rewind": { params: SessionRewindParams; result: SessionRewindResult };
  /** Makes a session that begins with another one's history. */
  "session/fork": { params: SessionForkParams; result: SessionResult };
  /** Takes what was said and done in a fork back into the session that it was made of, as a way of its own. Files stay as they are. */
  "session/merge": { params: SessionMergeParams; result: SessionMergeResult };
  /** Names a place of a session's history. */
  "session/label": { params: SessionLabelParams; result: SessionLabelResult };
  /** Shows the ways that a session's history has taken. */
  "session/tree": { params: SessionParams; result: SessionTreeResult };
  /** Lists the points of a session between which its items can be listed and searched. */
  "session/anchors": { params: SessionAnchorsParams; result: SessionAnchorsResult };
  /** Lists what the agent changed and nobody has decided about. */
  "review/list": { params: ReviewListParams; result: ReviewListResult };
  /** Keeps, undoes, comments, or undoes a verdict. While a turn runs, what changes files waits for the next gap between two of its calls. */
  "review/decide": { params: ReviewDecideParams; result: ReviewDecideResult };
  /** Reads what a file held at the last accepted point. */
  "review/baseline": { params: ReviewBaselineParams; result: ReviewBaselineResult };
  /** Makes a patch of what the agent did. */
  "review/patch": { params: ReviewPatchParams; result: ReviewPatchResult };
  /** Interrupts the session's turn, closes its journal in order and lets go of it. */
  "session/close": { params: SessionParams; result: Empty };
  /** Sends the session's events to this connection from now on, or from a `seq` on, without a gap. */
  "session/subscribe": { params: SessionSubscribeParams; result: SessionResult };
  /** Stops sending the session's events to this connection. */
  "session/unsubscribe": { params: SessionParams; result: Empty };
  /** Reads durable events again, a page at a time. */
  "session/events": { params: SessionEventsParams; result: SessionEventsResult };
  /** Reads a piece of a long output that an item names in `details.fullOutput`. */
  "blob/read": { params: BlobReadParams; result: BlobReadResult };
  /** Starts a turn with a prompt, or queues it as a follow-up. */
  "turn/start": { params: TurnStartParams; result: TurnStartResult };
  /** Puts a message into the running turn at its next gap between tool calls. */
  "turn/steer": { params: TurnSteerParams; result: TurnSteerResult };
  /** Stops the running turn. The answer comes at once; the end is the event `turn.completed`. */
  "turn/interrupt": { params: TurnInterruptParams; result: TurnInterruptResult };
  /** Sums up the conversation of an idle session. The answer comes at once; the summing up is a turn with a `compaction` item. */
  "session/compact": { params: SessionCompactParams; result: SessionCompactResult };
  /** Reads what exactly the model was sent last, and how full its window is. */
  "context/read": { params: ContextReadParams; result: ContextReadResult };
  /** Lists what can be set in a session, with the values that hold. */
  "config/list": { params: SessionParams; result: ConfigResult };
  /** Changes how a session works from the next turn on. What cannot be set is rejected with a reason, and the rest holds. */
  "config/set": { params: ConfigSetParams; result: ConfigResult };
  /** Lists the messages that the model has not read yet. */
  "queue/list": { params: SessionParams; result: QueueResult };
  /** Edits, moves or redirects a message that waits. */
  "queue/update": { params: QueueUpdateParams; result: QueueResult };
  /** Takes messages out of the queue and hands them back. */
  "queue/remove": { params: QueueRemoveParams; result: QueueRemoveResult };
  /** Answers a question of permission that was not asked of this client, or asked before it came. The first answer holds: a later one gets the error `conflict`, which says what became of the question. */
  "approval/answer": { params: ApprovalAnswerParams; result: ApprovalOutcome };
  /** Answers a question of the model, as `approval/answer` does one of permission. */
  "question/answer": { params: QuestionAnswerParams; result: QuestionOutcome };
  /** Tells what an editor finds wrong in a file now. After the model has changed that file, it reads what is new; clients send it for files in the session's folder whenever it changes. */
  "editor/diagnostics": { params: EditorDiagnosticsParams; result: Empty };
  /** Tells the text of a document that the editor has open. As long as it is open and not saved, every tool reads this text instead of the file, and changes of it come back as `workspace/applyEdit`. Documents belong to the connection and end with it. */
  "document/open": { params: DocumentOpenParams; result: Empty };
  /** Tells how the text of an open document has changed. The error `conflict` means that the version does not rise: open it again. */
  "document/change": { params: DocumentChangeParams; result: Empty };
  /** Tells that an open document was saved. */
  "document/save": { params: DocumentSaveParams; result: Empty };
  /** Tells that a document is not open any more. */
  "document/close": { params: DocumentCloseParams; result: Empty };
  /** Reads the items of a session as they are now, the last ones first asked for, for clients that do not put them together from events. */
  "session/items": { params: SessionItemsParams; result: SessionItemsResult };
  /** Reads one item as it is now, also one that lies beside the way that the model knows. */
  "item/read": { params: ItemReadParams; result: ItemAt };
  /** Lists the places to which files can go back with `session/rewind`, and what changed between them. */
  "checkpoint/list": { params: CheckpointListParams; result: CheckpointListResult };
  /** Compares what files were at two places, as a patch. */
  "checkpoint/diff": { params: CheckpointDiffParams; result: CheckpointDiffResult };
  /** Lists the background jobs of a session that run, and those that ended lately. */
  "job/list": { params: SessionParams; result: JobListResult };
  /** Stops a background job. The answer comes when nothing of it runs any more; one that has ended stays as it is. */
  "job/stop": { params: JobStopParams; result: JobStopResult };
  /** Lists the providers and models that are known by name, as the settings files say now. */
  "models/list": { params: Empty; result: ModelsListResult };
  /** Lists the prompts that can be called with `/name`, as the files say now. */
  "command/list": { params: SessionParams; result: CommandListResult };
  /** Has this client asked at points of the engine's work, in all sessions that it is subscribed to, from their next turn on, after the hooks of the config file. It ends with the connection. */
  "hook/register": { params: HookRegisterParams; result: Empty };
  /** Gives the model a tool of this client, in all sessions that it is subscribed to, from their next turn on. It ends with the connection. */
  "tool/register": { params: ToolRegisterParams; result: Empty };
}

/** Notifications a client sends. */
export interface ClientNotifications {
  /** Ends the process: with code 0 after `shutdown`, with 1 without. */
  "exit": { params: Empty };
  /** Withdraws a request that has not begun; it is answered with the error `cancelled`. A request that has begun is answered as usual. */
  "$/cancelRequest": { params: CancelParams };
}

/** Requests the engine sends. */
export interface EngineRequests {
  /** Asks for permission. It is sent to every subscribed client that declared `approvals`; the first answer wins and the others get `$/cancelRequest`. */
  "approval/request": { params: Approval; result: ApprovalAnswer };
  /** Asks a person what the model wants to know. It is sent to every subscribed client that declared `questions`; the first answer wins and the others get `$/cancelRequest`. */
  "question/request": { params: Question; result: QuestionAnswer };
  /** Runs a hook that this client registered. `$/cancelRequest` says that the answer is not waited for any more. */
  "hook/run": { params: HookRun; result: HookAnswer };
  /** Calls a tool that this client registered. `$/cancelRequest` says that the result is not waited for any more. */
  "tool/call": { params: ToolCallParams; result: ToolCallResult };
  /** Has a client with the capability `applyEdit` change documents that it has open. A document whose version is another by now stays as it is. */
  "workspace/applyEdit": { params: ApplyEditParams; result: ApplyEditResult };
}

/** Notifications the engine sends. */
export interface EngineNotifications {
  /** Something happened in a session. */
  "session/event": { params: AnyRecord };
  /** This connection read too slowly: the durable events between the two numbers were not sent. Read them with `session/events`; what comes after `headSeq` is sent as usual. */
  "session/lagged": { params: SessionLaggedParams };
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
  /** None of the offered versions is spoken here; `data.supported` lists those that are. */
  unsupportedProtocol: -32022,
  /** Too many requests in flight on this connection; wait for answers. */
  overloaded: -32040,
  /** The expected turn is not the running one, or the question is not open any more; with `data.code` `openElsewhere`, the session is open in another process. */
  conflict: -32041,
  /** A turn is running; steer it, queue a follow-up or interrupt it. */
  busy: -32042,
  /** There are more documents, or more text in them, than the engine takes. */
  limitExceeded: -32047,
} as const;
