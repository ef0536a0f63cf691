-- Generated from protocol/src by `cargo run -p pintle-protocol --bin generate`. Do not edit.

---Params of `initialize`.
---@class pintle.InitializeParams
---@field protocol pintle.ProtocolOffer Protocol and the versions that the client supports.
---@field client? pintle.PeerInfo Client.
---@field capabilities? pintle.ClientCapabilities Client capabilities.

---Protocol versions that a client supports.
---@class pintle.ProtocolOffer
---@field name string Always `pintle`.
---@field versions (string)[] Versions, such as `1.0`; the engine takes the newest whose major part it supports.

---A program and its version.
---@class pintle.PeerInfo
---@field name string Name.
---@field version? string Version.
---@field id? string For a client: its id, at most 200 characters, which distinguishes it from others of the same name. Events caused by its requests carry it as `cause.clientId`; default: its name.

---Client capabilities.
---@class pintle.ClientCapabilities
---@field approvals? pintle.Supported The client answers `approval/request`. Otherwise calls that require approval are denied, and the model is informed.
---@field questions? pintle.Supported The client answers `question/request`. Otherwise the model is informed that questions cannot be answered.
---@field applyEdit? pintle.Supported The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed.
---@field deltas? pintle.DeltaCapability Deltas that the client wants. Otherwise it receives all of them, each at once.

---A capability with nothing to configure: `{}`.
---@class pintle.Supported

---Deltas that a client wants in all of its subscriptions.
---@class pintle.DeltaCapability
---@field types? (pintle.DeltaField)[] Fields whose deltas are sent; none if it is empty. Default: all of them.
---@field coalesceMs? integer Default `maxLatencyMs` of subscriptions.

---Fields that stream.
---@alias pintle.DeltaField "text"|"args"|"input"|"output"

---Result of `initialize`.
---@class pintle.InitializeResult
---@field protocol pintle.ProtocolChoice Protocol version of this connection.
---@field engine pintle.EngineInfo Engine.
---@field capabilities pintle.EngineCapabilities Engine capabilities.
---@field limits pintle.Limits Limits of this connection.

---Protocol version of a connection.
---@class pintle.ProtocolChoice
---@field name string Always `pintle`.
---@field version string Version.

---Engine name, version and schema.
---@class pintle.EngineInfo
---@field name string Always `pintle`.
---@field version string Program version.
---@field schemaHash string A hash that changes whenever the protocol's schema does.

---Capabilities of this engine.
---@class pintle.EngineCapabilities
---@field steer? pintle.Supported Running turns can be steered.
---@field queue? pintle.Supported Follow-ups wait in a queue.
---@field replay? pintle.Supported Durable events can be read again from any `seq`.
---@field filters? pintle.Supported Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`.
---@field documents? pintle.Supported Documents that an editor has open are read and changed through the editor. Absent if the files are on another machine.
---@field history? pintle.Supported Sessions can be rewound, forked and merged: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
---@field review? pintle.Supported Changes of the agent can be reviewed hunk by hunk: `review/…`.
---@field search? pintle.Supported Stored sessions can be searched, read, exported and deleted: `session/search` and related methods.

---Limits of a connection.
---@class pintle.Limits
---@field maxMessageBytes integer Maximum size of a message, in bytes.
---@field maxInFlight integer Maximum number of unanswered requests.

---An empty object, `{}`.
---@class pintle.Empty

---Request to withdraw.
---@class pintle.CancelParams
---@field id any Request id: a number or a string.

---Params of `session/create`.
---@class pintle.SessionCreateParams
---@field cwd? string Working directory, absolute; default: the directory in which the engine was started.
---@field title? string Session title.
---@field isolation? pintle.IsolationRequest Work in a copy of the project. `isolation/apply` merges the changes into the user's files.
---@field config? pintle.SessionConfig Settings.
---@field subscribe? boolean Subscribe this connection; default true.
---@field include? (string)[] Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
---@field key? string Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first one created, for a month and also after an engine restart.

---Isolation of a new session.
---@class pintle.IsolationRequest
---@field kind pintle.IsolationKind Kind of copy.
---@field uncommitted? boolean Start a worktree with uncommitted changes and untracked files; default: from the last commit. A copy always contains them.

---Kind of copy that an isolated session works in. Files that git ignores are in neither.
---@alias pintle.IsolationKind "worktree"|"copy"

---Session settings. Omitted ones come from the user's settings.
---@class pintle.SessionConfig
---@field model? string Model, as `provider/id` or `provider/id:effort`.
---@field permissionMode? pintle.PermissionMode Permission mode.
---@field systemPrompt? string Instructions for this session alone, appended to the system prompt; only when the session is created.
---@field tools? (string)[] Tools visible to the model, by name, with `*` for any text; only when the session is created. A name includes every tool with the same purpose, so `bash` includes `shell`. Client tools are not limited by it. Default: all of them.
---@field mode? pintle.WorkMode Work mode.
---@field additionalDirectories? (string)[] Further directories that belong to the work, absolute: changes there need the same permission as in the working directory, and changes that commands make there are tracked. The session does not keep them: pass them again when you open it. Absent: unchanged.
---@field mcpServers? table<string, pintle.McpServer> MCP (Model Context Protocol) servers for this session, by name, in addition to those in the user's settings; one with the same name replaces theirs. The session does not keep them: pass them again when you open it. Absent: unchanged.

---Permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest.
---@alias pintle.PermissionMode "readOnly"|"ask"|"autoEdit"|"full"

---Work mode: act or plan only.
---@alias pintle.WorkMode "act"|"plan"

---MCP (Model Context Protocol) server for one session: a program that communicates over its standard streams (`command`), or an address (`url`). Its values are literal: nothing in them is expanded.
---@class pintle.McpServer
---@field command? string Program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory.
---@field args? (string)[] Its arguments.
---@field env? table<string, string> Variables that it is given.
---@field cwd? string Its working directory, if it differs from the session's.
---@field url? string Address of a streamable HTTP server.
---@field headers? table<string, string> Headers of each request to it.

---A snapshot of a session at `seq`. If the connection is subscribed, every later event is sent, and after `session/create` and `session/fork` also those up to `seq`.
---@class pintle.SessionResult
---@field sessionId pintle.SessionId Session.
---@field seq integer Number of its last durable event.
---@field cwd string Working directory.
---@field isolation? pintle.Isolation Copy of the project in which it works; absent if it works on the user's files.
---@field title? string Title.
---@field model string Model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode Permission mode.
---@field sandbox? pintle.SandboxState Sandbox for its commands; absent if there is none, such as on another machine. In `full` mode, commands run outside of it, unless it is required.
---@field mode? pintle.WorkMode Work mode.
---@field state pintle.SessionState Current state.
---@field activeTurnId? pintle.TurnId Running turn.
---@field queue? (pintle.QueuedInput)[] Queued messages. Messages that an earlier engine accepted but the model has not read wait here too: they do not start a turn, and are read before the next prompt.
---@field approvals? (pintle.Approval)[] Pending approvals.
---@field questions? (pintle.Question)[] Open questions to the user.
---@field plan? pintle.Plan The model's plan.
---@field usage? pintle.Usage Usage of all its turns, including sub-agents.
---@field costNanoUsd? integer Cost of that usage, in billionths of a US dollar; absent if no price is known.
---@field context? pintle.ContextUsage Estimated fill level of the model's context window.
---@field gap? boolean True if there are too many events after `fromSeq` to send at once. None of them is sent: read them with `session/events`.

---Session id: a UUIDv7, so ids sort by creation time.
---@alias pintle.SessionId string

---A session's isolation.
---@class pintle.Isolation
---@field kind pintle.IsolationKind Kind of copy.
---@field root string Directory of the copy.
---@field original string Directory that was copied: the repository's, or without one the working directory.
---@field cwd string The user's working directory, of which the session's is the copy.

---Sandbox that confines commands which run unasked.
---@class pintle.SandboxState
---@field grade pintle.SandboxGrade Grade that this machine enforces.
---@field level string Same in human-readable form: `full: Landlock 7, seccomp, namespaces`.
---@field gaps? (string)[] Human-readable parts of the confinement that this machine does not enforce.
---@field required? boolean True if every command runs in it or not at all, in each permission mode.

---Grade to which a sandbox is enforced.
---@alias pintle.SandboxGrade "none"|"partial"|"full"

---Current state of a session. A reader never takes an unknown value for idle.
---@class pintle.SessionState
---@field value pintle.StateValue State.
---@field blockedOn? (string)[] Ids of the approvals and questions that it is waiting for, when it is blocked.
---@field background? (pintle.ItemId)[] Items of background jobs that run, also while the session is idle.

---Session state.
---@alias pintle.StateValue "idle"|"running"|"blocked"|"retrying"|"compacting"

---Item id: a message, a tool call or anything else that a client can draw.
---@alias pintle.ItemId string

---Turn id, unique across all sessions.
---@alias pintle.TurnId string

---User message that is accepted and not yet read by the model.
---@class pintle.QueuedInput
---@field itemId pintle.ItemId Id that the `userMessage` item will have.
---@field turnId pintle.TurnId Turn that it belongs to: the running turn for a steer, a separate turn for a prompt or a follow-up.
---@field delivery pintle.Delivery The way it is delivered.
---@field content (pintle.Input)[] Blocks, as sent.
---@field limits? pintle.TurnLimits Budget of the turn that it starts.
---@field outputSchema? any JSON Schema that the final message of the turn that it starts must satisfy.

---Delivery of a user message to the model.
---@alias pintle.Delivery "prompt"|"steer"|"followUp"

---One block of a prompt, a steer or a follow-up.
---@alias pintle.Input pintle.Input.text|pintle.Input.file|pintle.Input.selection|pintle.Input.diagnostics|pintle.Input.image|pintle.Input.document

---Plain text, as typed. `@path` mentions a file, whose content the model then reads with the message. Text that begins with `/name` invokes the prompt of that name, if one exists.
---@class pintle.Input.text
---@field type "text" 
---@field text string The text.
---@field verbatim? boolean True for text that the user has not typed, such as a terminal's output: `@path` and `/name` have no meaning in it. Older engines ignore this.

---A file, read when the model reads the message.
---@class pintle.Input.file
---@field type "file" 
---@field path string The path, absolute or relative to the working directory.
---@field range? pintle.LineRange Lines; absent for the entire file.

---A selected part of a file in an editor, saved or not.
---@class pintle.Input.selection
---@field type "selection" 
---@field path string The file's path.
---@field range pintle.LineRange The selected lines.
---@field text string The selected text.

---Problems that an editor reports in a file.
---@class pintle.Input.diagnostics
---@field type "diagnostics" 
---@field path string The file's path.
---@field items (pintle.Diagnostic)[] The problems.

---An image.
---@class pintle.Input.image
---@field type "image" 
---@field mimeType string The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
---@field data string The image's bytes in base64.

---A document. Models that do not accept it read its text.
---@class pintle.Input.document
---@field type "document" 
---@field mimeType string The media type: `application/pdf`.
---@field data string The document's bytes in base64.
---@field name string The document's name, such as its file name.

---A range of lines in a file, counted from 1, both ends included.
---@class pintle.LineRange
---@field start integer First line.
---@field end integer Last line.

---A problem in a file.
---@class pintle.Diagnostic
---@field line integer Line, 1-based.
---@field severity pintle.Severity Severity.
---@field message string Message.
---@field source? string Tool that reported it, such as `rustc`.

---Diagnostic severity.
---@alias pintle.Severity "error"|"warning"|"information"|"hint"

---Turn budget. Reaching a limit ends the turn cleanly, with the stop reason `limit` and a notice. The user's settings may be stricter.
---@class pintle.TurnLimits
---@field steps? integer Maximum number of model replies.
---@field toolCalls? integer Maximum number of tool calls, checked between replies; those of sub-agents are not counted.
---@field tokens? integer Maximum number of tokens, input and output together.
---@field costNanoUsd? integer Maximum cost, in billionths of a US dollar; never reached if no price is known.
---@field durationMs? integer Maximum duration in milliseconds, checked between replies.

---A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`.
---@class pintle.Approval
---@field approvalId pintle.ApprovalId Approval id.
---@field sessionId pintle.SessionId Session it belongs to.
---@field turnId pintle.TurnId Turn that waits.
---@field itemId pintle.ItemId Tool call that waits.
---@field toolName string Tool name.
---@field kind pintle.ToolKind Kind of tool.
---@field title string One line for the user: `bash: rm -r build`.
---@field reason string Reason why permission is needed, in a sentence.
---@field input any The tool's complete arguments: the command, or the text to write.
---@field locations? (pintle.Location)[] The files concerned.
---@field decidedBy? string Human-readable rule or default that requires approval.
---@field details? (pintle.ApprovalDetail)[] Everything to be approved, in full, for the user to read: the command, the paths, the content. A client shows every part, or denies the call.
---@field changes? (pintle.FileChange)[] File changes that the call would make, computed from the current files. Omitted if the call changes no file or its changes are not known in advance.
---@field editable? boolean True if the answer may contain `edits`. Older engines ignore them.
---@field options (pintle.ApprovalOption)[] Options to choose from.
---@field deadlineMs? integer Deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.

---Approval id, pending until the approval is answered or cancelled.
---@alias pintle.ApprovalId string

---Tool call kind; the names are those of the Agent Client Protocol.
---@alias pintle.ToolKind "read"|"edit"|"delete"|"move"|"search"|"execute"|"fetch"|"think"|"other"

---A position in a file.
---@class pintle.Location
---@field path string Absolute path.
---@field line? integer Line, 1-based.

---Part of a call that requires the user's approval. Control characters, and characters that are invisible or change the text direction, are drawn as signs.
---@class pintle.ApprovalDetail
---@field kind pintle.DetailKind Kind of text.
---@field text string Complete text, with its line ends.

---Kind of text shown with an approval request.
---@alias pintle.DetailKind "command"|"path"|"content"|"diff"|"address"|"arguments"|"modelText"

---Change of one file.
---@class pintle.FileChange
---@field op pintle.FileOp Operation.
---@field path string The file's absolute path (the new one after a move).
---@field oldPath? string Path before a move.
---@field diff string Change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
---@field added integer Number of lines added.
---@field removed integer Number of lines removed.
---@field firstChangedLine? integer First line that differs, 1-based, counted in the new text: the line to which an editor jumps.
---@field words? (pintle.WordSpan)[] Parts that differ within changed lines, for highlighting words; at most 1,000.

---File change kind.
---@alias pintle.FileOp "add"|"modify"|"delete"|"move"

---A part of a line that differs from its counterpart.
---@class pintle.WordSpan
---@field side pintle.Side Text it belongs to.
---@field line integer Line in that text, 1-based.
---@field start integer Its first byte in the line as UTF-8, from 0.
---@field end integer Byte after it.

---One of the two texts of a change.
---@alias pintle.Side "old"|"new"

---Option offered to the user.
---@class pintle.ApprovalOption
---@field optionId string Id to send back.
---@field label string Label to show.
---@field decision pintle.Decision Decision that this option represents.
---@field scope pintle.Scope Scope in which the decision holds.
---@field rules? (string)[] Human-readable rules that the option adds.

---A decision about a tool call. A reader never takes an unknown value as permission.
---@alias pintle.Decision "allow"|"deny"|"abort"

---Decision scope.
---@alias pintle.Scope "once"|"turn"|"session"|"project"|"user"

---Question to the user. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, regardless of the options.
---@class pintle.Question
---@field questionId pintle.QuestionId Question id.
---@field sessionId pintle.SessionId Session it belongs to.
---@field turnId pintle.TurnId Turn that waits.
---@field itemId pintle.ItemId Tool call that waits.
---@field kind pintle.QuestionKind Kind of question.
---@field text string Question.
---@field plan? string Plan to be accepted, as Markdown; only with the kind `plan`.
---@field options? (pintle.QuestionOption)[] Options to choose from; without any, the answer is a text.
---@field multiple? boolean True if several options may be chosen.
---@field deadlineMs integer Deadline after which the default answer applies, in milliseconds since 1970.

---Id of a question to the user, pending until the question is answered or its deadline passes.
---@alias pintle.QuestionId string

---Kind of a question. A reader treats an unknown kind as `choice`.
---@alias pintle.QuestionKind "choice"|"plan"

---Option offered to the user.
---@class pintle.QuestionOption
---@field optionId string Id to send back.
---@field label string Label to show.

---The model's plan. Each plan replaces the one before.
---@class pintle.Plan
---@field items (pintle.PlanItem)[] Plan steps, in order.

---One step of a plan.
---@class pintle.PlanItem
---@field content string Step description.
---@field status pintle.PlanStatus Status.

---Step status.
---@alias pintle.PlanStatus "pending"|"inProgress"|"completed"

---Token usage of one model reply, of a turn, or of a session. All counts are cumulative for their span.
---@class pintle.Usage
---@field inputTokens integer Input tokens that were not read from a cache.
---@field outputTokens integer Output tokens, reasoning included.
---@field cacheReadTokens? integer Input tokens read from the provider's cache.
---@field cacheWriteTokens? integer Input tokens written to the provider's cache.
---@field reasoningTokens? integer Output tokens spent on reasoning, if the provider reports them.
---@field webSearches? integer Web searches run by the provider, which it charges for in addition to the tokens.

---Fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of later additions.
---@class pintle.ContextUsage
---@field tokens integer Estimated tokens of the next request.
---@field window? integer Size of the context window; absent if unknown.

---Params of `session/open`.
---@class pintle.SessionOpenParams
---@field sessionId pintle.SessionId Session.
---@field subscribe? boolean Subscribe this connection; default true.
---@field fromSeq? integer Send the events after this number first.
---@field tail? integer Number of last events to send first, if `fromSeq` is omitted.
---@field cwd? string Another working directory from now on, absolute: for a session whose directory was moved or deleted. Refused with `conflict` while the session is open elsewhere in another directory.
---@field config? pintle.SessionConfig Settings from now on.
---@field include? (string)[] Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.

---Params of `session/list`.
---@class pintle.SessionListParams
---@field cwd? string Only sessions with this working directory.
---@field subagents? boolean If true, include sub-agents' sessions; default false.
---@field query? string Only sessions with this text in their title or working directory, ignoring case.
---@field cursor? string The `nextCursor` of the page before.
---@field archived? boolean If true, only archived sessions; default false: only the others.
---@field limit? integer Maximum number of sessions, 1 to 1000; default 50.

---Page of sessions.
---@class pintle.SessionListResult
---@field sessions (pintle.SessionSummary)[] Sessions, the last created first.
---@field nextCursor? string Cursor of the next page; absent on the last one.

---A stored session, as shown in lists.
---@class pintle.SessionSummary
---@field sessionId pintle.SessionId Session.
---@field cwd string Working directory.
---@field title? string Its title, or the beginning of its first prompt.
---@field createdMs integer Creation time, in milliseconds since 1970.
---@field updatedMs integer Time of the last write to its journal, in milliseconds since 1970.
---@field path string Directory that contains its journal.
---@field parent? pintle.Parent Parent, if the session is a sub-agent.
---@field forkedFrom? pintle.SessionId Session that it was forked from, which may have been deleted since.
---@field archived? boolean True if it is archived.

---Parent of a sub-agent's session.
---@class pintle.Parent
---@field sessionId pintle.SessionId Parent session.
---@field agentId pintle.AgentId Sub-agent id in the parent's session.

---Sub-agent id within its session: `agent-1`, `agent-2` …, short because a model writes it.
---@alias pintle.AgentId string

---Params of `session/update`; omitted fields do not change.
---@class pintle.SessionUpdateParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field title? string|userdata Title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again.

---Result of `session/update`.
---@class pintle.SessionUpdateResult
---@field title? string Title; absent when there is none.

---Params of `session/archive`.
---@class pintle.SessionArchiveParams
---@field sessionId pintle.SessionId Session, open or not.
---@field archived? boolean True archives it, false returns it to the lists; default true.

---Params of `session/search`.
---@class pintle.SessionSearchParams
---@field query? string Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the filters.
---@field cwd? string Only in sessions with this working directory.
---@field sessionId? pintle.SessionId Only in this session.
---@field afterSeq? integer Only after this event of that session, such as an entry of `session/outline`.
---@field beforeSeq? integer Only before this event of that session.
---@field kinds? (pintle.EntryKind)[] Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search for one of these two reads journals, so it takes longer, and its hits are not ranked: the newest session comes first.
---@field roles? (pintle.EntryRole)[] Only entries of these roles; empty for all.
---@field path? string Only calls that concern a file with this in its path.
---@field afterMs? integer Only entries of this time or later, in milliseconds since 1970.
---@field beforeMs? integer Only entries before this time, in milliseconds since 1970.
---@field cursor? string The `nextCursor` of the page before.
---@field limit? integer Maximum number of hits, 1 to 200; default 20.

---Kind of a searchable entry.
---@alias pintle.EntryKind "userMessage"|"agentMessage"|"toolCall"|"toolOutput"|"reasoning"

---Role of a searchable entry.
---@alias pintle.EntryRole "user"|"assistant"|"tool"

---Result of `session/search`.
---@class pintle.SessionSearchResult
---@field hits (pintle.SearchHit)[] Hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked.
---@field nextCursor? string Cursor of the next page; absent on the last one.
---@field behind? integer Number of sessions whose text is not indexed yet; indexing continues, so search again.

---An entry that matches.
---@class pintle.SearchHit
---@field sessionId pintle.SessionId Session.
---@field seq integer Number of its event, around which `session/events` reads.
---@field itemId? pintle.ItemId Item.
---@field tsMs integer Time, in milliseconds since 1970.
---@field kind pintle.EntryKind Kind of entry.
---@field role pintle.EntryRole Role.
---@field title? string Session title, as in lists.
---@field cwd string The session's working directory.
---@field snippet (pintle.SnippetPiece)[] Text around the first match, in pieces, without line ends.

---A piece of a snippet.
---@class pintle.SnippetPiece
---@field text string Text.
---@field match? boolean True if it matches the query.

---Params of `session/export`.
---@class pintle.SessionExportParams
---@field sessionId? pintle.SessionId Session, open or not; optional if this connection has created or opened exactly one.
---@field format pintle.ExportFormat Format.
---@field path? string File to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text.
---@field overwrite? boolean If true, overwrite an existing file.

---Export format.
---@alias pintle.ExportFormat "html"|"md"|"json"|"pi"

---Exported session.
---@class pintle.SessionExportResult
---@field text? string Text; absent if a file was written.
---@field path? string Absolute path of the written file.
---@field bytes integer Text size in bytes.

---Params of `session/delete`.
---@class pintle.SessionDeleteParams
---@field sessionId pintle.SessionId Session. It must be named, and must not be open anywhere.

---Result of `session/delete`.
---@class pintle.SessionDeleteResult
---@field deleted (pintle.SessionId)[] Deleted sessions: the sub-agents' first, then the requested one.

---Params of `session/rewind`.
---@class pintle.SessionRewindParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field to pintle.HistoryPoint Point to return to.
---@field scope? pintle.RewindScope Scope: the conversation, the files, or both.
---@field overwrite? (string)[] Absolute paths of files to restore even if they were changed by others.
---@field summarize? boolean If true, the model summarizes the part of the history that it loses, and the summary stays in its context. This takes a separate turn, whose reply is nothing but the summary.
---@field dryRun? boolean If true, only report the effect, without changing anything.

---A point in a session's history: exactly one of its fields is set.
---@class pintle.HistoryPoint
---@field itemId? pintle.ItemId Before this user message.
---@field turnId? pintle.TurnId After the end of this turn.
---@field seq? integer After the event with this number, which may be off the current path; 0 is the beginning.

---Rewind scope.
---@alias pintle.RewindScope "conversation"|"files"|"both"

---Rewind result.
---@class pintle.SessionRewindResult
---@field toSeq integer Event after which the session continues.
---@field fromSeq integer Last event before the rewind: rewinding to it undoes this rewind.
---@field dropped (pintle.ItemId)[] Items that leave the model's context.
---@field restored (pintle.ItemId)[] Items that return to the model's context.
---@field input? (pintle.Input)[] Message before which the session was rewound, to be edited and sent again.
---@field summaryTurnId? pintle.TurnId Turn that writes the summary, if one was requested and there is something to summarize.
---@field files? (pintle.FileFate)[] Effect on the files that were changed since; empty when only the conversation is rewound.

---Effect of a rewind on one file.
---@class pintle.FileFate
---@field path string Path, absolute.
---@field owner pintle.FileOwner Author of the later changes.
---@field action pintle.FileAction Action.

---Author of a file's changes since the rewind target.
---@alias pintle.FileOwner "agent"|"other"|"conflict"

---Action of a rewind on a file.
---@alias pintle.FileAction "restore"|"remove"|"leave"|"lost"|"failed"

---Params of `session/fork`.
---@class pintle.SessionForkParams
---@field sessionId pintle.SessionId Session to fork; it does not change, and need not be open.
---@field at? pintle.HistoryPoint Point up to which its history is copied; all of it by default.
---@field title? string Title of the new session.
---@field cwd? string Working directory of the new session, absolute; that of the other one by default.
---@field config? pintle.SessionConfig Settings of the new session; omitted settings are copied.
---@field subscribe? boolean Subscribe this connection to the new session; default true.
---@field include? (string)[] Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
---@field key? string Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first one created, for a month and also after an engine restart.

---Params of `session/merge`. (Experimental.)
---@class pintle.SessionMergeParams
---@field sessionId? pintle.SessionId Session that receives the events; optional if this connection has created or opened exactly one.
---@field forkId pintle.SessionId Fork, created from that session by `session/fork`; it does not change, and need not be open.

---Merge result. The copied events follow as `session/event`, after a `history.rewound`. (Experimental.)
---@class pintle.SessionMergeResult
---@field toSeq integer Event after which the copied events are inserted.
---@field fromSeq integer Last event before the merge: rewinding to it undoes the merge.
---@field copiedSeq integer Number of the last copied event, now the session's current position.
---@field dropped (pintle.ItemId)[] Items that leave the model's context.
---@field restored (pintle.ItemId)[] Items that return to the model's context.
---@field added (pintle.ItemId)[] Items copied from the fork.

---Params of `session/label`.
---@class pintle.SessionLabelParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field at pintle.HistoryPoint Point.
---@field label? string Label, at most 200 characters; absent to remove it.
---@field metadata? any Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it.

---Point whose label changed.
---@class pintle.SessionLabelResult
---@field seq integer Event of the point.

---Params of `session/note`.
---@class pintle.SessionNoteParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field text? string Text, at most 64 KB. May be empty if there is data and the model does not read the note.
---@field kind? string Client-chosen name for this kind of note, at most 64 characters.
---@field data? any Any data, at most 64 KB of JSON. The model does not read it.
---@field toModel? boolean True if the model reads the text at its next turn; default false.
---@field hidden? boolean True if clients do not show it to the user; default false.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more.

---Params of a request about one session.
---@class pintle.SessionParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.

---History tree of a session.
---@class pintle.SessionTreeResult
---@field nodes (pintle.HistoryNode)[] User messages and labelled points, oldest first.
---@field leafSeq integer Last event.

---A node of the history tree.
---@class pintle.HistoryNode
---@field seq integer Event.
---@field parentSeq? integer Event of the parent node; absent for the first.
---@field itemId? pintle.ItemId Message item, if the node is a message.
---@field turnId? pintle.TurnId Turn.
---@field text string Beginning of the message.
---@field tsMs integer Time, in milliseconds since 1970.
---@field label? string Label.
---@field current boolean True if it is on the current path.

---Params of `session/outline`. (Experimental.)
---@class pintle.SessionOutlineParams
---@field sessionId? pintle.SessionId Session, open or not; optional if this connection has created or opened exactly one.

---A session's outline. (Experimental.)
---@class pintle.SessionOutlineResult
---@field entries (pintle.OutlineEntry)[] Entries, in the order of their events.

---A point at which a section of a session begins. (Experimental.)
---@class pintle.OutlineEntry
---@field seq integer Event.
---@field kind pintle.OutlineKind Kind.
---@field text? string Label, or the beginning of the summary.
---@field metadata? any The client's data about a labelled point.
---@field from? pintle.SessionId Session from which events were copied.
---@field tsMs integer Time, in milliseconds since 1970.
---@field current boolean True if it is on the current path.

---Kind of an outline entry. (Experimental.)
---@alias pintle.OutlineKind "start"|"copied"|"compaction"|"rewindSummary"|"label"

---Params of `review/list`.
---@class pintle.ReviewListParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field path? string Only hunks of this file, by its absolute path.
---@field turnId? pintle.TurnId Only hunks that this turn created or changed.
---@field closed? boolean If true, include closed hunks.

---Hunks by path and line, followed by closed ones, oldest first.
---@class pintle.ReviewListResult
---@field hunks (pintle.Hunk)[] Hunks.
---@field seq integer Last event that the list takes into account.

---A run of changed lines: its text in the baseline (at the last accepted point) and its text now.
---@class pintle.Hunk
---@field id pintle.HunkId Hunk id, stable while the file changes elsewhere and never reused.
---@field path string The file's absolute path.
---@field kind pintle.HunkKind Kind: lines, or the entire file.
---@field state pintle.HunkState State.
---@field before pintle.LineSpan Lines in the baseline.
---@field after pintle.LineSpan Lines in the present file.
---@field oldText string Text of those lines in the baseline, with line ends; empty if the file is not text.
---@field newText string Text of those lines in the present file.
---@field changedSeq integer Last event that changed its text. A decision that refers to an older one is refused.
---@field madeBy (pintle.Maker)[] Calls that created or changed it, in order.
---@field cause? string Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be the user's work, undoing a turn or everything skips it; undo the hunk or its file instead.
---@field comments? (pintle.Comment)[] Comments on it.
---@field decision? integer Decision that closed it.
---@field waiting? integer Number of a queued decision about it.
---@field absorbedBy? pintle.HunkId Hunk that absorbed it.
---@field partOf? pintle.HunkId Hunk that it was split from, when a decision covered only some of its lines.

---Hunk id within its session: the number of the event that made it, a dot, and a count.
---@alias pintle.HunkId string

---Hunk kind.
---@alias pintle.HunkKind "lines"|"file"|"mode"

---Hunk state.
---@alias pintle.HunkState "pending"|"modified"|"conflict"|"kept"|"undone"|"absorbed"|"gone"

---A span of lines in a text.
---@class pintle.LineSpan
---@field start integer First line, from 1. For an empty span: the line before which it lies.
---@field count integer Number of lines.

---Call that created or changed a hunk.
---@class pintle.Maker
---@field turnId pintle.TurnId Turn.
---@field itemId pintle.ItemId Tool call.
---@field whileRan? string Set if the change may not be the call's: the command that ran while the file changed.

---User comment on a hunk.
---@class pintle.Comment
---@field seq integer Event that added it.
---@field side pintle.Side Side: the baseline or the present file.
---@field lines? pintle.LineSpan Lines within the hunk; absent for all.
---@field text string Comment text.

---Params of `review/decide`.
---@class pintle.ReviewDecideParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field action pintle.ReviewAction Requested action.

---User action.
---@alias pintle.ReviewAction pintle.ReviewAction.keep|pintle.ReviewAction.undo|pintle.ReviewAction.revert|pintle.ReviewAction.comment

---Accept the hunks: the baseline takes their lines. The file does not change.
---@class pintle.ReviewAction.keep
---@field type "keep" 
---@field target pintle.ReviewTarget The hunks concerned.

---Undo the hunks: the file gets the baseline's lines again.
---@class pintle.ReviewAction.undo
---@field type "undo" 
---@field target pintle.ReviewTarget The hunks concerned.
---@field discardEdits? boolean If true, also remove lines that the user wrote into a hunk; otherwise such a hunk is a conflict.

---Revert a decision, or withdraw a queued one.
---@class pintle.ReviewAction.revert
---@field type "revert" 
---@field decision integer Event of the decision.

---Comment on a hunk.
---@class pintle.ReviewAction.comment
---@field type "comment" 
---@field hunk pintle.HunkId The hunk.
---@field side pintle.Side The side: the baseline or the present file.
---@field lines? pintle.LineSpan Lines within the hunk; absent for all.
---@field text string The comment's text.

---Hunks that a decision concerns.
---@alias pintle.ReviewTarget pintle.ReviewTarget.hunk|pintle.ReviewTarget.lines|pintle.ReviewTarget.file|pintle.ReviewTarget.turn|pintle.ReviewTarget.all

---One hunk.
---@class pintle.ReviewTarget.hunk
---@field type "hunk" 
---@field hunk pintle.HunkId Its id.
---@field changedSeq? integer The `changedSeq` that was shown; the decision is refused when it has changed since.

---Some lines of a hunk.
---@class pintle.ReviewTarget.lines
---@field type "lines" 
---@field hunk pintle.HunkId Its id.
---@field changedSeq integer The `changedSeq` that was shown; the lines are counted in that text.
---@field lines pintle.LineSelection The selected lines.

---All open hunks of a file.
---@class pintle.ReviewTarget.file
---@field type "file" 
---@field path string Its absolute path.

---All open hunks that a turn created or changed.
---@class pintle.ReviewTarget.turn
---@field type "turn" 
---@field turnId pintle.TurnId The turn.

---All open hunks.
---@class pintle.ReviewTarget.all
---@field type "all" 

---A selection of lines of a hunk, counted within it.
---@class pintle.LineSelection
---@field old? pintle.LineSpan Lines of the baseline's text.
---@field new? pintle.LineSpan Lines of the present text.

---Result of `review/decide`.
---@class pintle.ReviewDecideResult
---@field seq integer Event of the decision, by which it can be reverted. For a queued decision, its number: reverting that withdraws it.
---@field decision pintle.ReviewDecision Effect on each hunk; for a queued decision, the effect that it would have now.
---@field queued? boolean True if the decision is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it was applied, or `review.queued` why not.

---Decision with its effect, complete enough to serve as an entire event.
---@class pintle.ReviewDecision
---@field action pintle.ReviewAction Requested action.
---@field parts (pintle.DecisionPart)[] Effect on each hunk.
---@field waited? integer Number under which it was queued, if it was.

---Effect of a decision on one hunk.
---@class pintle.DecisionPart
---@field hunk pintle.HunkId Hunk.
---@field path string Its file's absolute path.
---@field effect pintle.Effect Effect.
---@field lines? pintle.LineSelection Affected lines; absent for the entire hunk.
---@field outcome pintle.Outcome Outcome.
---@field conflict? string For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers.
---@field cause? string Set if the hunk was skipped because the change's author is unknown (`cause` of the hunk).

---Effect of a decision on a hunk.
---@alias pintle.Effect "keep"|"undo"|"reopen"|"comment"|"withdraw"

---Outcome of a decision for a hunk.
---@alias pintle.Outcome "applied"|"conflict"

---Params of `review/baseline`.
---@class pintle.ReviewBaselineParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field path string File, by its absolute path.

---A file at its last accepted point.
---@class pintle.ReviewBaselineResult
---@field exists boolean True if the file existed.
---@field text? string Text; absent if there was no file or it was not UTF-8.

---Params of `review/patch`.
---@class pintle.ReviewPatchParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field open? boolean If true, only open hunks; otherwise all agent changes that were not undone.

---A patch for `git apply` in the session's working directory.
---@class pintle.ReviewPatchResult
---@field text string Patch; empty when nothing was changed.
---@field leftOut? (string)[] Changed files outside of the working directory, which the patch leaves out.

---Params of `isolation/apply`. (Experimental.)
---@class pintle.IsolationApplyParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field onConflict? pintle.OnConflict Handling of conflicts.

---Handling of lines changed by both the user and the agent. (Experimental.)
---@alias pintle.OnConflict "mark"|"refuse"

---Result of `isolation/apply`. (Experimental.)
---@class pintle.IsolationApplyResult
---@field applied boolean False if no file was changed, because of a conflict or because all changes are applied already.
---@field files (pintle.AppliedFile)[] Files with unapplied changes, by path.

---File changed in an isolated session.
---@class pintle.AppliedFile
---@field path string Path of the user's file, absolute.
---@field isolated string Path of the isolated file, absolute.
---@field outcome pintle.ApplyOutcome Outcome; after a refusal, the expected one.

---Outcome for a file.
---@alias pintle.ApplyOutcome "applied"|"unchanged"|"conflict"|"kept"

---Params of `isolation/discard`. (Experimental.)
---@class pintle.IsolationDiscardParams
---@field sessionId pintle.SessionId Session.

---Params of `session/subscribe`.
---@class pintle.SessionSubscribeParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field fromSeq? integer Send the events after this number first; default: only new ones.
---@field tail? integer Number of last events to send first, if `fromSeq` is omitted.
---@field include? (string)[] Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.

---Params of `session/events`.
---@class pintle.SessionEventsParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field after? integer Read the events after this number; default 0, from the start.
---@field before? integer Read the last events before this number instead; a number beyond the end selects the session's end. Not together with `after`.
---@field limit? integer Maximum number of events, 1 to 1000; default 200.

---A page of events.
---@class pintle.SessionEventsResult
---@field events (pintle.EventRecord)[] Events, in order.
---@field lastSeq integer Number of the session's last durable event.
---@field more boolean True if there are more events after the last one here; with `before`, before the first one.

---A durable event with its position in the session's log. It was written to the journal before it was sent anywhere.
---@class pintle.EventRecord
---@field sessionId pintle.SessionId Session.
---@field seq integer The event's sequence number in its session, from 1, without gaps.
---@field tsMs integer Time, in milliseconds since 1970.
---@field turnId? pintle.TurnId Turn it belongs to.
---@field cause? pintle.Cause Client request that directly caused the event; absent for actions initiated by the engine.
---@field event pintle.Event Event.

---Request that an event follows from.
---@class pintle.Cause
---@field clientId? string Client that sent it: its `id` of `initialize`, or else its name.
---@field key? string The `key` of the request.

---Durable events, distinguished by `type`. A reader skips unknown types.
---@alias pintle.Event pintle.Event.session.created|pintle.Event.session.closed|pintle.Event.session.moved|pintle.Event.session.updated|pintle.Event.input.accepted|pintle.Event.input.removed|pintle.Event.queue.changed|pintle.Event.turn.started|pintle.Event.prompt.made|pintle.Event.turn.completed|pintle.Event.item.started|pintle.Event.item.updated|pintle.Event.item.completed|pintle.Event.approval.requested|pintle.Event.approval.resolved|pintle.Event.question.requested|pintle.Event.question.resolved|pintle.Event.plan.updated|pintle.Event.step.completed|pintle.Event.retry.scheduled|pintle.Event.context.pruned|pintle.Event.config.changed|pintle.Event.files.changed|pintle.Event.isolation.applied|pintle.Event.review.decided|pintle.Event.review.queued|pintle.Event.history.rewound|pintle.Event.label.changed|pintle.Event.session.notice

---The session was created.
---@class pintle.Event.session.created: pintle.SessionCreated
---@field type "session.created" 

---The session was closed cleanly; it can be opened again.
---@class pintle.Event.session.closed
---@field type "session.closed" 

---The session works in another directory from now on. Earlier events keep their original paths.
---@class pintle.Event.session.moved: pintle.SessionMoved
---@field type "session.moved" 

---The session's title changed or was removed.
---@class pintle.Event.session.updated: pintle.SessionUpdated
---@field type "session.updated" 

---A user message was accepted and is on disk. It stays in the queue until its turn starts, a `userMessage` item with the same id is completed, or `input.removed` lists it.
---@class pintle.Event.input.accepted: pintle.QueuedInput
---@field type "input.accepted" 

---Messages left the queue unread by the model. They are returned here in full.
---@class pintle.Event.input.removed
---@field type "input.removed" 
---@field inputs (pintle.QueuedInput)[] The messages.
---@field handled? boolean True if a hook has handled them, so they must not be sent again.

---Messages in the queue were edited or reordered. This is the full queue.
---@class pintle.Event.queue.changed
---@field type "queue.changed" 
---@field queue (pintle.QueuedInput)[] The messages, in the order in which the model will read them.

---A turn began.
---@class pintle.Event.turn.started
---@field type "turn.started" 
---@field model string The turn's model, as `provider/id`.

---The system prompt was built. It stays the same, byte for byte, until the session's model changes; later changes of the files that it was built from are announced in an `engineMessage`.
---@class pintle.Event.prompt.made: pintle.PromptMade
---@field type "prompt.made" 

---A turn ended. This is the turn's last event, and there is exactly one for each turn, also after a crash. A job that the turn started may continue; its later events belong to no turn.
---@class pintle.Event.turn.completed: pintle.TurnCompleted
---@field type "turn.completed" 

---An item started.
---@class pintle.Event.item.started
---@field type "item.started" 
---@field item pintle.Item The item's current value.

---An item changed; this is its full new value.
---@class pintle.Event.item.updated
---@field type "item.updated" 
---@field item pintle.Item The item's current value.

---An item ended; this is its full final value.
---@class pintle.Event.item.completed
---@field type "item.completed" 
---@field item pintle.Item The item's final value.

---An approval is requested.
---@class pintle.Event.approval.requested: pintle.Approval
---@field type "approval.requested" 

---An approval was answered or withdrawn.
---@class pintle.Event.approval.resolved: pintle.ApprovalOutcome
---@field type "approval.resolved" 

---The user is asked a question.
---@class pintle.Event.question.requested: pintle.Question
---@field type "question.requested" 

---A question was answered or withdrawn.
---@class pintle.Event.question.resolved: pintle.QuestionOutcome
---@field type "question.resolved" 

---The model changed its plan; this is the full plan.
---@class pintle.Event.plan.updated: pintle.Plan
---@field type "plan.updated" 

---A model reply ended, complete or cut off; its tool calls, if any, run now.
---@class pintle.Event.step.completed: pintle.StepCompleted
---@field type "step.completed" 

---The provider failed, and the request is retried after a delay. The part of the interrupted reply that was shown stays, its open items are cancelled, and the model replies again.
---@class pintle.Event.retry.scheduled: pintle.RetryScheduled
---@field type "retry.scheduled" 

---Old results were removed from the model's context to make room. The journal keeps them.
---@class pintle.Event.context.pruned: pintle.ContextPruned
---@field type "context.pruned" 

---The session's settings changed, with effect from the next turn.
---@class pintle.Event.config.changed: pintle.ConfigChanged
---@field type "config.changed" 

---Files were changed. The event is emitted after the call that changed them has ended.
---@class pintle.Event.files.changed: pintle.FilesChanged
---@field type "files.changed" 

---An isolated session's changes were applied to the user's files, as the preceding `files.changed` report.
---@class pintle.Event.isolation.applied: pintle.IsolationApplied
---@field type "isolation.applied" 

---The user decided about hunks.
---@class pintle.Event.review.decided: pintle.ReviewDecision
---@field type "review.decided" 

---The queue of decisions that wait for the next gap between two calls changed.
---@class pintle.Event.review.queued: pintle.ReviewQueue
---@field type "review.queued" 

---The session continues from another point of its history. Later events stay in the journal, but no longer in the model's context.
---@class pintle.Event.history.rewound: pintle.HistoryRewound
---@field type "history.rewound" 

---Label of a point in the history changed.
---@class pintle.Event.label.changed: pintle.LabelChanged
---@field type "label.changed" 

---Notice for the user.
---@class pintle.Event.session.notice: pintle.Notice
---@field type "session.notice" 

---Instructions of a named agent.
---@class pintle.AgentRole
---@field name string Name.
---@field instructions string Instructions.
---@field tools? (string)[] Tools that it may use, as listed in its file; absent for all.

---Origin of a forked session.
---@class pintle.ForkedFrom
---@field sessionId pintle.SessionId Session that was forked.
---@field seq integer Last event of that session that is part of this session's history.
---@field copiedSeq integer Number of the last copied event in this session.

---Settings that the session was created with.
---@class pintle.SessionCreated
---@field cwd string Working directory, absolute.
---@field model string Model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode Permission mode.
---@field mode? pintle.WorkMode Work mode.
---@field title? string Title, if one was given.
---@field parent? pintle.Parent Parent, if the session is a sub-agent.
---@field role? pintle.AgentRole Named agent whose instructions it follows, if any.
---@field systemPrompt? string Instructions for this session alone.
---@field tools? (string)[] Names of the tools visible to its model; all tools if absent.
---@field forkedFrom? pintle.ForkedFrom Origin of its initial history, if it is a fork.

---The session works in another directory.
---@class pintle.SessionMoved
---@field from string Working directory until now.
---@field cwd string Working directory from now on.
---@field discarded? boolean True if the previous directory was a discarded copy, whose files were not moved.

---Author of a session's title.
---@alias pintle.TitledBy "user"|"model"

---The session's title changed.
---@class pintle.SessionUpdated
---@field title? string Title; absent when it was removed.
---@field by pintle.TitledBy Author of the title.
---@field usage? pintle.Usage Usage of the request that generated it, if a model did; it belongs to no turn.
---@field costNanoUsd? integer Cost of that usage, in billionths of a US dollar; absent if the price is unknown.

---A file that a system prompt contains or names.
---@class pintle.PromptSource
---@field kind pintle.PromptSourceKind Kind of file.
---@field path string Its absolute path.

---Kind of a file in a system prompt.
---@alias pintle.PromptSourceKind "document"|"rule"|"skill"|"agent"

---Sources of a system prompt.
---@class pintle.PromptMade
---@field sources? (pintle.PromptSource)[] Files that it contains or names, in order.

---Final status of a turn.
---@alias pintle.TurnStatus "completed"|"interrupted"|"failed"

---Reason why a model stopped.
---@alias pintle.StopReason "endTurn"|"toolUse"|"maxTokens"|"refusal"|"paused"|"limit"|"other"

---Error that ended a turn.
---@class pintle.TurnError
---@field code string A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may be added.
---@field message string User-facing message.
---@field hint? string Suggested next step.
---@field retryable? boolean True if a retry may succeed.
---@field httpStatus? integer The provider's HTTP status.

---Turn outcome.
---@class pintle.TurnCompleted
---@field status pintle.TurnStatus Final status.
---@field stop? pintle.StopReason Reason why the model stopped, when the model ended the turn.
---@field error? pintle.TurnError Error, when the turn failed.
---@field usage pintle.Usage The turn's usage, including that of sub-agents whose turns ended meanwhile.
---@field costNanoUsd? integer Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
---@field steps integer Number of model replies.
---@field denials? integer Number of denied tool calls.
---@field structured? any Final message as a JSON value that satisfies the turn's `outputSchema`; absent without a schema, and if a limit or the user ended the turn.
---@field durationMs integer Duration in milliseconds.

---Unit that a client can draw. The event that completes an item carries its full value, so the deltas before it are never needed for correctness.
---@class pintle.Item: pintle.UserMessage, pintle.TextBody, pintle.TextBody, pintle.ToolCall, pintle.Job, pintle.Subagent, pintle.Compaction, pintle.EngineMessage
---@field id pintle.ItemId Item id.
---@field turnId? pintle.TurnId Turn it belongs to.
---@field step? integer Step (model reply) within the turn, from 1; absent for items that do not come from a model.
---@field status pintle.ItemStatus Item status.
---@field startedMs integer Start time, in milliseconds since 1970; of a call that runs, when it began to run.
---@field durationMs? integer Duration in milliseconds; present once the item has ended, unless a crash ended it.
---@field type "userMessage" 

---Item status. A reader treats an unknown value as still running.
---@alias pintle.ItemStatus "pending"|"running"|"completed"|"failed"|"declined"|"cancelled"

---User message in the conversation.
---@class pintle.UserMessage
---@field content (pintle.Input)[] Blocks, as sent.

---A text that grows while it streams.
---@class pintle.TextBody
---@field text string Full text so far; empty in `item.started`.

---Tool result: content for the model, and details that a client may draw.
---@class pintle.ToolResult
---@field content (pintle.Content)[] Content for the model.
---@field failed? boolean True if the tool failed, was declined or was cancelled; the content gives the reason.
---@field details? pintle.ToolDetails Details for clients.

---One block of a tool's result, as the model sees it.
---@alias pintle.Content pintle.Content.text|pintle.Content.image|pintle.Content.document

---Text.
---@class pintle.Content.text
---@field type "text" 
---@field text string The text.

---An image.
---@class pintle.Content.image
---@field type "image" 
---@field mimeType string The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
---@field data string The image's bytes in base64.

---A document, and its text for models that accept no documents.
---@class pintle.Content.document
---@field type "document" 
---@field mimeType string The media type: `application/pdf`.
---@field data string The document's bytes in base64.
---@field name string The file's name.
---@field pages integer The number of pages.
---@field text string The document's text, within the limits of the tool that read it.

---Details of a tool's result that only clients need.
---@class pintle.ToolDetails
---@field changes? (pintle.FileChange)[] Files it changed.
---@field exitCode? integer A command's exit code.
---@field signal? string Name of the signal that ended a command, such as `SIGKILL`.
---@field truncation? pintle.Truncation Record of the output's truncation, if it was truncated.
---@field fullOutputPath? string File with the full output, if it was truncated.
---@field fullOutput? pintle.FullOutput Full output for `blob/read`, if it was truncated.
---@field jobs? (pintle.JobRef)[] Background jobs concerned.
---@field agent? pintle.AgentId Sub-agent that it started.
---@field sandbox? pintle.SandboxReport Sandbox that the command ran in; absent if it was not confined.
---@field denial? pintle.Denial Reason why the permissions denied the call; absent if they did not.

---Record of a tool output's truncation, made before the model saw the output.
---@class pintle.Truncation
---@field truncatedBy? pintle.TruncatedBy The limit that was exceeded; absent when nothing was cut.
---@field totalLines integer Lines of the full output; a trailing newline does not count as one more.
---@field totalBytes integer Bytes of the full output.
---@field outputLines integer Lines that remain.
---@field outputBytes integer Bytes that remain.
---@field lastLinePartial? boolean True if the last remaining line was itself cut at its start.
---@field firstLineExceedsLimit? boolean True if nothing remains because the first line alone exceeds the byte limit.
---@field maxLines integer Limit in lines.
---@field maxBytes integer Limit in bytes.

---Limit that truncated an output.
---@alias pintle.TruncatedBy "lines"|"bytes"

---Reference to a full output that the session keeps.
---@class pintle.FullOutput
---@field ref string Its name for `blob/read`.
---@field bytes integer Its size in bytes.

---A reference from a tool call to a background job.
---@class pintle.JobRef
---@field jobId pintle.JobId Job id.
---@field itemId pintle.ItemId Job item.
---@field ended? boolean True if the result reports how the job ended.

---Background job id within its session: `job-1`, `job-2` …, short because a model writes it.
---@alias pintle.JobId string

---Sandbox of a command that ran confined.
---@class pintle.SandboxReport
---@field level string Human-readable level that the kernel enforced: `full: Landlock 7, seccomp, namespaces`.
---@field denied? boolean True if the sandbox is the likely cause of the command's failure. Repeating the same command requests approval to run outside of it.
---@field created? (string)[] Protected files that the command created.
---@field refusedHosts? (string)[] Hosts that a failed command was refused, in rule syntax: `docs.rs`, `localhost:8080`.

---Denial by the permissions, and the mode and rules that would have allowed the call.
---@class pintle.Denial
---@field decidedBy string Human-readable rule, mode or list that decided.
---@field mode? pintle.PermissionMode Narrowest permission mode in which the call would have run, together with `rules` if any are given; absent if no mode is enough.
---@field rules? (string)[] Human-readable rules that would have allowed it; with `mode`, both are needed.

---A tool call, from the first byte of its arguments to its result.
---@class pintle.ToolCall
---@field toolName string Tool name, as the model calls it.
---@field title string One line for the user: `bash: cargo test`.
---@field kind pintle.ToolKind Kind of tool, for icons and rules.
---@field byProvider? boolean True if the model's provider runs the tool itself: no approval is requested, and `item/cancel` does not stop it.
---@field locations? (pintle.Location)[] Files and lines concerned.
---@field input? any Arguments; absent until they are complete.
---@field changedInput? any Arguments that a hook put in their place; the call ran with these.
---@field output? pintle.ToolResult Result; absent until the call has ended.

---The way a background job ended.
---@alias pintle.JobEnd "exited"|"signalled"|"timedOut"|"stopped"|"sessionEnded"|"failed"

---A background job, from its start to its end.
---@class pintle.Job
---@field jobId pintle.JobId Id that the model and clients use.
---@field title string One line for the user.
---@field command string Command, as the shell reads it.
---@field inTerminal? boolean True if it runs in a terminal, into which `shell/write` types.
---@field byUser? boolean True if the user ran it with `shell/run`. The model learns of it only from a note, if at all.
---@field end? pintle.JobEnd End of the job; absent while it runs.
---@field output? string Last part of the output; absent while the job runs, when deltas of the field `output` carry it.
---@field details? pintle.ToolDetails Exit code, signal, and the output's truncation with a reference to the full output.

---Sub-agent state.
---@alias pintle.SubagentState "working"|"done"|"failed"|"closed"

---Sub-agent: a separate session that works on a part of the task. Its events carry that session's id.
---@class pintle.Subagent
---@field agentId pintle.AgentId Id that the model and clients use.
---@field sessionId pintle.SessionId Sub-agent session.
---@field task string Task it was given.
---@field model string Model, as `provider/id` or `provider/id:effort`.
---@field state pintle.SubagentState Sub-agent state.
---@field result? string Its last message, as the parent's model reads it; absent until its first turn has ended.
---@field turnsUsed? integer Number of its replies so far.
---@field usage? pintle.Usage The tokens used so far.
---@field costNanoUsd? integer Cost so far, in billionths of a US dollar; absent if the price is unknown.

---Reason for a compaction.
---@alias pintle.CompactionReason "threshold"|"overflow"|"requested"

---Files that a session's model has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed.
---@class pintle.CompactionFiles
---@field read? (string)[] Files that it has read and not changed.
---@field changed? (string)[] Files that its calls have changed, created or deleted.
---@field omitted? integer Number of omitted files.

---A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps them all.
---@class pintle.Compaction
---@field reason pintle.CompactionReason Reason for the compaction.
---@field tokensBefore integer Estimated tokens of the conversation before.
---@field tokensAfter? integer Estimated tokens afterwards; absent until the compaction is completed.
---@field summary? string Summary. While the compaction runs, deltas of the field `text` carry it.
---@field files? pintle.CompactionFiles Files that the model has read and changed so far, which the summary lists; absent if there are none.
---@field error? string Reason for a failure, which leaves the conversation unchanged.

---A note that a client has put into the history with `session/note`.
---@class pintle.ClientNote
---@field kind? string Client-chosen name for this kind of note.
---@field data? any The client's data.
---@field unread? boolean True if the model does not read it.
---@field hidden? boolean True if clients do not show it to the user.

---A message of the engine to the model.
---@class pintle.EngineMessage
---@field text string Text, as the model reads it.
---@field jobs? (pintle.ItemId)[] Items of the jobs whose end it reports.
---@field mode? pintle.WorkMode Mode that it announces.
---@field reviewed? (integer)[] Review events that it reports.
---@field summarizesRewound? boolean True if it summarizes the history that a rewind left behind.
---@field note? pintle.ClientNote Client note that it carries.

---Origin of an approval decision.
---@alias pintle.DecidedBy "client"|"noApprover"|"deadline"|"interrupt"

---Approval outcome.
---@class pintle.ApprovalOutcome
---@field approvalId pintle.ApprovalId Approval.
---@field itemId pintle.ItemId Tool call.
---@field decision pintle.Decision Decision.
---@field scope pintle.Scope Scope in which the decision holds.
---@field by pintle.DecidedBy Origin of the decision.
---@field feedback? string The user's message to the model.
---@field edited? (string)[] Paths of the proposed files that the user edited.

---Origin of an answer to a question.
---@alias pintle.AnsweredBy "client"|"dismissed"|"deadline"|"noClient"|"interrupt"

---Question outcome.
---@class pintle.QuestionOutcome
---@field questionId pintle.QuestionId Question.
---@field itemId pintle.ItemId Tool call.
---@field optionIds? (string)[] Chosen options.
---@field text? string Text entered by the user.
---@field by pintle.AnsweredBy Origin of the answer.

---End of a model reply, with its usage and cost.
---@class pintle.StepCompleted
---@field step integer Step within the turn, from 1.
---@field stop? pintle.StopReason Reason why the model stopped; absent when it was interrupted.
---@field usage pintle.Usage Usage of this reply.
---@field turnUsage pintle.Usage Usage of the turn so far.
---@field costNanoUsd? integer Cost of this reply, in billionths of a US dollar; absent if the price is unknown.
---@field turnCostNanoUsd? integer Cost of the turn so far, in billionths of a US dollar; absent if no price is known.

---A retry of a failed request to a provider.
---@class pintle.RetryScheduled
---@field attempt integer Number of this retry, from 1.
---@field of integer Maximum number of retries.
---@field delayMs integer Delay in milliseconds, counted from this event.
---@field code string Error code, as in `TurnError`.
---@field message string User-facing message.

---Old results, and long arguments of old calls, that were removed from the model's context.
---@class pintle.ContextPruned
---@field results integer Number of results.
---@field calls? integer Number of calls whose long arguments were shortened.
---@field tokensBefore integer Estimated tokens before.
---@field tokensAfter integer Estimated tokens afterwards.

---A session's settings from the next turn on.
---@class pintle.ConfigChanged
---@field model string Model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode Permission mode.
---@field mode? pintle.WorkMode Work mode.

---File change.
---@class pintle.FileRecord
---@field path string Path, absolute.
---@field before? pintle.FileState The state before; absent when there was no file.
---@field after? pintle.FileState The state afterwards; absent when the file was deleted.

---File state at some time. The session keeps the content under its hash.
---@class pintle.FileState
---@field sha256 string SHA-256 of the content, in hex.
---@field size integer Size in bytes.
---@field mode? integer Permission bits, if any.
---@field lost? boolean True if the content was too large to be kept, so it cannot be restored.

---Author of changes.
---@alias pintle.ChangedBy pintle.ChangedBy.call|pintle.ChangedBy.other|pintle.ChangedBy.rewind|pintle.ChangedBy.review

---A tool call of the model, or later the background job that it started.
---@class pintle.ChangedBy.call
---@field type "call" 
---@field itemId pintle.ItemId The call's item.
---@field whileRan? string Set if the changes may not be the command's: the command that ran while the files changed.

---Another author, before the next call: the user, another program, or a background job whose changes are not logged.
---@class pintle.ChangedBy.other
---@field type "other" 

---A rewind.
---@class pintle.ChangedBy.rewind
---@field type "rewind" 
---@field toSeq? integer Event that it went to; absent in journals of older versions.

---A user decision, logged in the preceding `review.decided`.
---@class pintle.ChangedBy.review
---@field type "review" 

---Files were changed.
---@class pintle.FilesChanged
---@field changes (pintle.FileRecord)[] Files.
---@field by pintle.ChangedBy Author.

---An isolated session's changes were applied to the user's files. The preceding `files.changed` contain the new states.
---@class pintle.IsolationApplied
---@field files (pintle.AppliedFile)[] Files, by path.

---A queued decision.
---@class pintle.QueuedDecision
---@field id integer Its number: the event that queued it.
---@field action pintle.ReviewAction Requested action.

---A decision that was not applied.
---@class pintle.RefusedDecision
---@field id integer Its number.
---@field reason string User-facing reason.

---Queue of decisions that wait for a gap between two calls of the running turn.
---@class pintle.ReviewQueue
---@field waiting (pintle.QueuedDecision)[] Queued decisions, in order.
---@field refused? pintle.RefusedDecision A decision that left the queue without being applied.

---Origin of merged events.
---@class pintle.MergedFrom
---@field sessionId pintle.SessionId Fork. Its usage is not counted in this session.
---@field seq integer Last event of the fork that is now part of this session's history.
---@field copiedSeq integer Number of the last copied event in this session.

---The session continues from another point of its history.
---@class pintle.HistoryRewound
---@field toSeq integer Event after which it continues; 0 is the beginning.
---@field dropped? (pintle.ItemId)[] Items that leave the model's context; a client removes them from its view.
---@field restored? (pintle.ItemId)[] Items that return to the model's context.
---@field merged? pintle.MergedFrom Origin of the next events, when they are merged from a fork.

---Change of a history point's label.
---@class pintle.LabelChanged
---@field seq integer Event of the point.
---@field label? string Label; absent when it was removed.
---@field metadata? any The client's data about the point.

---Notice severity.
---@alias pintle.NoticeLevel "info"|"warning"|"error"

---Notice for the user.
---@class pintle.Notice
---@field level pintle.NoticeLevel Severity.
---@field code string A stable code.
---@field message string Message.
---@field hint? string Suggested next step.

---Params of `blob/read`.
---@class pintle.BlobReadParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field ref string The output's name, as `details.fullOutput` gives it.
---@field offset? integer First byte, from 0; default 0. Continue with the `end` of the part before.
---@field length? integer Maximum number of bytes, 1 to 1,048,576; default 65,536.

---A part of a long output.
---@class pintle.BlobReadResult
---@field text string Text; it may be a few bytes shorter than requested, so that no character is cut.
---@field offset integer Offset of its first byte.
---@field end integer Offset after its last byte, where the next part begins.
---@field size integer Size of the full output, in bytes.

---Params of `turn/start`.
---@class pintle.TurnStartParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field input (pintle.Input)[] Prompt.
---@field whenBusy? pintle.WhenBusy Action while a turn runs; default `reject`.
---@field limits? pintle.TurnLimits Turn budget.
---@field outputSchema? any JSON Schema that the turn's final message must satisfy. The model receives it, and a message that does not satisfy it is requested again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`.
---@field traceparent? string Trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty value ends the trace that was set before.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.

---Handling of a prompt while a turn runs.
---@alias pintle.WhenBusy "reject"|"queue"

---A prompt was accepted; it is on disk.
---@class pintle.TurnStartResult
---@field turnId pintle.TurnId Turn that it starts, now or later.
---@field itemId pintle.ItemId Id of its `userMessage` item.
---@field disposition pintle.Disposition Disposition of the prompt.

---Disposition of an accepted prompt.
---@alias pintle.Disposition "started"|"queued"

---Params of `turn/steer`.
---@class pintle.TurnSteerParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field expectedTurnId? pintle.TurnId Refuse with `conflict` unless this turn is the running one.
---@field input (pintle.Input)[] Message.
---@field whenIdle? pintle.WhenIdle Action while no turn runs; default `reject`.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.

---Handling of a steer while no turn runs.
---@alias pintle.WhenIdle "reject"|"hold"

---A steer was accepted; it is on disk.
---@class pintle.TurnSteerResult
---@field outcome pintle.SteerOutcome Outcome.
---@field itemId pintle.ItemId Id of its `userMessage` item.
---@field turnId pintle.TurnId The turn that receives it: the running turn, or the next one to start.

---Steer outcome.
---@alias pintle.SteerOutcome "accepted"|"held"

---Params of `turn/interrupt`.
---@class pintle.TurnInterruptParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field expectedTurnId? pintle.TurnId Refuse with `conflict` unless this turn is the running one.
---@field queue? pintle.QueuePolicy Handling of queued messages; default `return`.

---Handling of queued messages when a turn is interrupted.
---@alias pintle.QueuePolicy "return"|"keep"

---Result of `turn/interrupt`.
---@class pintle.TurnInterruptResult
---@field turnId? pintle.TurnId Interrupted turn; absent when none runs.
---@field returned? (pintle.QueuedInput)[] Returned messages.

---Params of `session/compact`.
---@class pintle.SessionCompactParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field instructions? string Instructions for the summary.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted.

---The compaction has started.
---@class pintle.SessionCompactResult
---@field turnId pintle.TurnId Turn that performs it.

---Params of `context/read`. (Experimental.)
---@class pintle.ContextReadParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field summary? boolean If true, omit the messages and return only the token counts.

---Last request to the model; before the first one, the request that would be sent. (Experimental.)
---@class pintle.ContextReadResult
---@field usage pintle.ContextUsage Fill level of the window.
---@field sources (pintle.ContextSource)[] Estimated tokens by source.
---@field system? string System prompt.
---@field tools? (pintle.ContextTool)[] Tools.
---@field messages? (pintle.ContextMessage)[] Messages, in order.

---Share of one source in the context. (Experimental.)
---@class pintle.ContextSource
---@field source string Source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added.
---@field count integer Number of messages or tools.
---@field tokens integer Their estimated tokens.

---A tool as described to the model. (Experimental.)
---@class pintle.ContextTool
---@field name string Its name.
---@field description string Its description.
---@field parameters any JSON Schema of its arguments.

---Message as sent to the model, independent of the provider's wire format. (Experimental.)
---@class pintle.ContextMessage
---@field role string Role: `user`, `assistant` or `result`.
---@field callId? string For a result: id of its call.
---@field failed? boolean For a result: true if the call failed.
---@field blocks (pintle.ContextBlock)[] Its blocks.

---A block of a message, distinguished by `type`. (Experimental.)
---@alias pintle.ContextBlock pintle.ContextBlock.text|pintle.ContextBlock.reasoning|pintle.ContextBlock.toolCall|pintle.ContextBlock.image|pintle.ContextBlock.opaque

---Text.
---@class pintle.ContextBlock.text
---@field type "text" 
---@field text string The text.

---Reasoning of the model.
---@class pintle.ContextBlock.reasoning
---@field type "reasoning" 
---@field text string The text, as far as its provider shows it.

---A tool call.
---@class pintle.ContextBlock.toolCall
---@field type "toolCall" 
---@field callId string The call's id.
---@field name string The tool's name.
---@field arguments string The arguments, as the model wrote them.

---An image.
---@class pintle.ContextBlock.image
---@field type "image" 
---@field mimeType string Its media type.
---@field bytes integer Its size in base64, in bytes.

---A block that only the provider understands, sent back to it verbatim.
---@class pintle.ContextBlock.opaque
---@field type "opaque" 
---@field bytes integer Its size in bytes.

---Session settings, and the outcome of a change.
---@class pintle.ConfigResult
---@field options (pintle.ConfigOption)[] Every option, with its current value.
---@field applied? (string)[] Ids of the options that were set.
---@field rejected? (pintle.Rejected)[] Values that were rejected, with the reasons.

---An option of a session.
---@class pintle.ConfigOption
---@field id string Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be added.
---@field name string Its display name.
---@field value string Value, effective from the next turn.
---@field choices? (string)[] Possible values; empty if any text is accepted.

---A rejected value.
---@class pintle.Rejected
---@field id string Option id, as sent.
---@field reason string Reason, and the next step.

---Params of `config/set`.
---@class pintle.ConfigSetParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field values table<string, string> New values, by the option's id.

---Queued messages, in the order in which the model will read them.
---@class pintle.QueueResult
---@field queue (pintle.QueuedInput)[] Messages.

---Params of `queue/update`.
---@class pintle.QueueUpdateParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field itemId pintle.ItemId Message.
---@field input? (pintle.Input)[] New content.
---@field delivery? pintle.Delivery New delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a separate turn.
---@field before? pintle.ItemId Move it before this message of the same delivery.
---@field toEnd? boolean If true, move it behind all messages of the same delivery.

---Params of `queue/remove`.
---@class pintle.QueueRemoveParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field itemIds? (pintle.ItemId)[] Messages to remove; all by default.

---Removed messages.
---@class pintle.QueueRemoveResult
---@field removed (pintle.QueuedInput)[] Complete messages.

---Answer to an approval, sent as a client request. If it selects no offered option, it is refused, and the approval stays pending.
---@class pintle.ApprovalAnswerParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field approvalId pintle.ApprovalId Approval.
---@field optionId? string Chosen option.
---@field feedback? string A message for the model, sent with a denial.
---@field dismissed? boolean True if the dialog was closed without a choice, which denies this one call.
---@field edits? (pintle.ProposalEdit)[] The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text.

---The user's edit to a proposed file.
---@class pintle.ProposalEdit
---@field path string Path of one of the approval's `changes`. Deleted files cannot be edited.
---@field proposed string The complete text that the call would have written, as shown to the user. If the file turns out different, the edit is merged.
---@field text string The complete text to write instead.

---Answer to a question, sent as a client request. If it selects an option that was not offered, or is empty, it is refused, and the question stays open.
---@class pintle.QuestionAnswerParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field questionId pintle.QuestionId Question.
---@field optionIds? (string)[] Chosen options.
---@field text? string Text entered by the user.
---@field dismissed? boolean True if the dialog was closed without an answer; the model is then instructed to decide by itself.

---All current diagnostics of a file; they replace the earlier ones of that file.
---@class pintle.EditorDiagnosticsParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field path string File, absolute or relative to the session's working directory.
---@field version? integer Version of the checked text, as counted by the editor; a report for an older version is ignored.
---@field items (pintle.EditorDiagnostic)[] Diagnostics; empty when there are none.

---One diagnostic.
---@class pintle.EditorDiagnostic
---@field range pintle.LineRange The lines concerned.
---@field severity pintle.Severity Severity. The model receives errors and warnings.
---@field message string Message.
---@field source? string Tool that reported it, such as `rustc`.
---@field code? string The tool's code for it, such as `E0308`.

---Params of `document/open`. Opening a document again replaces its earlier state.
---@class pintle.DocumentOpenParams
---@field path string File, absolute. It need not exist yet.
---@field version integer Version of the text; it increases with every change.
---@field text string Full text as it would be saved, with its line ends, without a byte order mark.
---@field dirty boolean True if the text has unsaved changes, so tools read it instead of the file.

---Params of `document/change`.
---@class pintle.DocumentChangeParams
---@field path string File, as it was opened.
---@field version integer Version after the changes.
---@field changes (pintle.DocumentChange)[] Changes; each applies to the previous one's result.
---@field dirty boolean True if the text differs from the last saved one.

---A change of a text.
---@class pintle.DocumentChange
---@field range? pintle.TextRange Range to replace; absent for the full text.
---@field text string Replacement.

---Text range. Positions past a line's or the text's end are clamped to that end.
---@class pintle.TextRange
---@field start pintle.Position Start.
---@field end pintle.Position End, exclusive.

---A position in a text.
---@class pintle.Position
---@field line integer Line, from 0; lines end with `\n` or `\r\n`.
---@field character integer Offset from the start of the line in UTF-16 code units, as in LSP.

---Params of `document/save`: the file now holds the text of this version.
---@class pintle.DocumentSaveParams
---@field path string File, as it was opened.
---@field version integer Version that was saved.

---Params of `document/close`. Unsaved text is discarded; tools read the file again.
---@class pintle.DocumentCloseParams
---@field path string File, as it was opened.

---Params of `session/items`.
---@class pintle.SessionItemsParams
---@field sessionId? pintle.SessionId Session, open or not; optional if this connection has created or opened exactly one.
---@field before? integer Only items before this event; the last items by default.
---@field after? integer Only items after this event, such as an entry of `session/outline`.
---@field limit? integer Maximum number of items, 1 to 1,000; default 100.

---Current values of items.
---@class pintle.SessionItemsResult
---@field items (pintle.ItemAt)[] Items of the current path, ordered by their last events. Items that have not ended are in the newest page.
---@field more boolean True if there are more items; request those before the first one's `seq`.

---An item with the last event that concerns it.
---@class pintle.ItemAt
---@field seq integer Event.
---@field item pintle.Item Item.

---Params of `item/read`.
---@class pintle.ItemReadParams
---@field sessionId? pintle.SessionId Session, open or not; optional if this connection has created or opened exactly one.
---@field itemId pintle.ItemId Item.

---Params of `item/cancel`.
---@class pintle.ItemCancelParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field itemId pintle.ItemId The `toolCall` item.

---Params of `checkpoint/list`.
---@class pintle.CheckpointListParams
---@field sessionId? pintle.SessionId Session, open or not; optional if this connection has created or opened exactly one.

---Points to which files can be restored: the start and the end of each turn.
---@class pintle.CheckpointListResult
---@field checkpoints (pintle.Checkpoint)[] Checkpoints, oldest first.

---A point to which files can be restored.
---@class pintle.Checkpoint
---@field seq integer Event after which the checkpoint lies; 0 is the beginning.
---@field turnId? pintle.TurnId Turn that ended there.
---@field tsMs integer Time, in milliseconds since 1970.
---@field changed (string)[] Paths that changed since the checkpoint before, absolute.
---@field label? string Label of the point.

---Params of `checkpoint/diff`.
---@class pintle.CheckpointDiffParams
---@field sessionId? pintle.SessionId Session, open or not; optional if this connection has created or opened exactly one.
---@field from pintle.HistoryPoint First point.
---@field to? pintle.HistoryPoint Second point; the journal's present state by default.

---Difference of files between two points.
---@class pintle.CheckpointDiffResult
---@field text string Patch for `git apply` in the session's working directory, with the changes of all authors.
---@field leftOut? (string)[] Changed files that the patch leaves out: outside of that directory, or with a content that was not kept.

---Params of `shell/run`.
---@class pintle.ShellRunParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field command string Command line, as a shell reads it.
---@field toModel? boolean True if the model reads the command and its output with the next prompt; default true.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its response is the one to the first.

---Result of a command.
---@class pintle.ShellRunResult
---@field jobId pintle.JobId Job that ran it. Its item shows the command; deltas of the field `output` carry its output.
---@field output string End of its output, at most 2,000 lines and 50 KB.
---@field exitCode? integer Its exit code; absent if it was cancelled or ended by a signal.
---@field cancelled? boolean True if it was cancelled.
---@field truncated? boolean True if `output` is not the full output.
---@field fullOutputPath? string File with the full output, if it was truncated.

---Params of `shell/write`.
---@class pintle.ShellWriteParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field jobId pintle.JobId Job with a terminal (`inTerminal`).
---@field text string Text to type: a line feed presses Enter, and control characters are keys, such as U+0003 for Ctrl-C. Nothing is typed if it is empty.
---@field wantsScreen? boolean False if the response need not wait for the screen, which is empty then, as for a client that follows it with `shell/screen`; default true.

---Result of `shell/write`.
---@class pintle.ShellWriteResult
---@field screen string Screen of 120 columns and 30 rows as text, when it had not changed for 100 ms, and after 1 s at the latest; empty if the command has ended.

---Params of `shell/screen`.
---@class pintle.ShellScreenParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field jobId pintle.JobId Job with a terminal (`inTerminal`).
---@field after? string `mark` of an earlier response: waits until the screen has changed since, up to 25 s. Absent: responds at once.

---Result of `shell/screen`.
---@class pintle.ShellScreenResult
---@field screen? pintle.TerminalScreen Current screen; absent once the job has ended.
---@field lines string Lines scrolled off the top since `after`, without colors; of very many, the last 100 KB or more. Once the job has ended, they include the last screen.
---@field mark string `after` for the next request.
---@field ended? boolean True once the job has ended.

---Screen of a terminal.
---@class pintle.TerminalScreen
---@field columns integer Width.
---@field rows (string)[] All rows, from the top, without trailing spaces. Colors and styles are SGR sequences, as a terminal reads them, and end with their row; other control sequences of the program are left out.
---@field cursor? pintle.ScreenCursor Cursor; absent if it is hidden.

---Position of the cursor on a screen.
---@class pintle.ScreenCursor
---@field row integer Row, from 0 at the top.
---@field column integer Column, from 0 at the left; a wide character takes two.

---Usage of a session.
---@class pintle.UsageReadResult
---@field total pintle.UsageCount Usage of all turns, including sub-agents, and of generated titles.
---@field models (pintle.ModelUsage)[] Usage of each model in the session's turns, in order of first use. A turn's sub-agents count for the turn's model.
---@field titles pintle.UsageCount Part of titles, which belong to no turn.

---Counted tokens and money.
---@class pintle.UsageCount
---@field turns integer Number of turns.
---@field steps integer Number of model replies in these turns.
---@field usage pintle.Usage Tokens.
---@field costNanoUsd? integer Cost, in billionths of a US dollar, as far as prices are known; absent if none is.
---@field uncachedCostNanoUsd? integer Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a price is not known, and for titles.
---@field durationMs integer Duration of the turns in milliseconds.

---Usage of a model.
---@class pintle.ModelUsage
---@field model string Model, as `provider/id` or `provider/id:effort`.
---@field turns integer Number of turns.
---@field steps integer Number of model replies in these turns.
---@field usage pintle.Usage Tokens.
---@field costNanoUsd? integer Cost, in billionths of a US dollar, as far as prices are known; absent if none is.
---@field uncachedCostNanoUsd? integer Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a price is not known, and for titles.
---@field durationMs integer Duration of the turns in milliseconds.

---A session's background jobs.
---@class pintle.JobListResult
---@field jobs (pintle.Item)[] Their items, oldest first.

---Params of `job/stop`.
---@class pintle.JobStopParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field jobId pintle.JobId Job.

---Result of `job/stop`.
---@class pintle.JobStopResult
---@field job pintle.Item Ended job's item.

---Result of `mcp/list`. (Experimental.)
---@class pintle.McpListResult
---@field servers (pintle.McpServerState)[] The session's servers. Those of a project's file are known once a turn has begun.

---State of a session's server. (Experimental.)
---@class pintle.McpServerState
---@field name string Its name, unique in the session.
---@field target string Command line or address, as configured.
---@field origin string Human-readable location of its configuration.
---@field status pintle.McpStatus Its status.
---@field message? string Human-readable failure reason.
---@field login? pintle.McpLoginState Login to it; absent if it has none: a program, or an address whose settings have an `Authorization`.
---@field about? string Its own name and version, and the protocol's; once it is connected.
---@field tools? (pintle.McpTool)[] Its tools, once it is connected.
---@field problems? (string)[] Human-readable parts of it that are not used, each with the reason, such as a tool with an invalid schema; once it is connected.
---@field stderr? (string)[] Last lines that it wrote to its error output.

---Server status. (Experimental.)
---@alias pintle.McpStatus "idle"|"starting"|"ready"|"failed"|"off"

---Login to a server. (Experimental.)
---@alias pintle.McpLoginState "possible"|"wanted"

---A tool of a server. (Experimental.)
---@class pintle.McpTool
---@field name string Its name at the server.
---@field description string The server's description of it.
---@field readOnlyHint? boolean True if the server declares that it changes nothing. Permissions do not depend on it.

---Params of `mcp/update`. (Experimental.)
---@class pintle.McpUpdateParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field server string Server name.
---@field enabled? boolean Enables or disables it for this session. The tools of a disabled server stay in the model's list, and their calls fail.
---@field restart? boolean If true, restart a failed server at once, without waiting for its next use.

---Params of `mcp/login`. (Experimental.)
---@class pintle.McpLoginParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field server string Server name.
---@field scopes? (string)[] Scopes to request, instead of those in its settings and those that the server lists.

---Params of `mcp/logout`. (Experimental.)
---@class pintle.McpLogoutParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field server string Server name.

---Result of `mcp/logout`. (Experimental.)
---@class pintle.McpLogoutResult
---@field removed boolean True if there was a stored login.

---Providers and models known by name. Any other `provider/id` of a known provider works as well.
---@class pintle.ModelsListResult
---@field providers (pintle.ProviderInfo)[] Providers: built-in ones, then user-defined ones.
---@field models (pintle.ModelInfo)[] Models: built-in ones, for each provider the newest first, then user-defined ones.
---@field efforts? (string)[] Effort levels, lowest first. `config.model` takes one after the id, as in `provider/id:high`.
---@field problems? (string)[] Problems in the settings files. When a file cannot be used, the list is the one from before.

---A provider.
---@class pintle.ProviderInfo
---@field name string Name in `provider/id`.
---@field title? string Display name, if it is known.
---@field api? string Wire API: `chat`, `messages`, `responses` or `gemini`; absent if it differs by model.
---@field url? string Request URL, without secret parts. Names in braces or after a dollar sign are variables.
---@field key pintle.KeyState Key availability.
---@field keyVar? string Environment variable for the key.
---@field source string Source of this entry: the user's files, or the location it was read from.

---Availability of a provider's key.
---@alias pintle.KeyState "set"|"command"|"login"|"notNeeded"|"missing"

---A model.
---@class pintle.ModelInfo
---@field model string `provider/id`, as `config.model` takes it.
---@field name? string Display name, if it differs from the id.
---@field window? integer Maximum number of input tokens.
---@field maxOutput? integer Maximum number of output tokens.
---@field price? pintle.ModelPrice Price.
---@field vision? boolean The model accepts images; absent if unknown.
---@field reasoning? boolean The model can reason before it answers; absent if unknown.
---@field profile string Tool profile, unless the settings choose another.
---@field source string Source of this entry: the user's files, or the location it was read from.
---@field checked? string Date of that source, as year and month.

---Price of a model, in US dollars per million tokens.
---@class pintle.ModelPrice
---@field inputUsdPerMtok number Input that is not cached.
---@field outputUsdPerMtok number Output, reasoning included.
---@field cacheReadUsdPerMtok? number Input read from a cache; absent if it costs as much as other input.
---@field cacheWriteUsdPerMtok? number Input written to a cache; absent if it costs as much as other input.

---Result of `auth/status`. (Experimental.)
---@class pintle.AuthStatusResult
---@field providers (pintle.ProviderAuth)[] Providers that support login.
---@field problem? string Reason why the stored logins cannot be used.

---Provider that supports login. (Experimental.)
---@class pintle.ProviderAuth
---@field provider string Provider name.
---@field methods (pintle.AuthMethod)[] Ways to log in, the preferred one first.
---@field stored? pintle.AuthMethod Method of the stored login; absent without one.
---@field key pintle.KeyState Source of the key in use: settings and variables take precedence over a stored login.
---@field keyVar? string Environment variable in use, or to set.

---A way to log in. (Experimental.)
---@alias pintle.AuthMethod "device"|"browser"|"key"

---Params of `auth/login`. (Experimental.)
---@class pintle.AuthLoginParams
---@field provider string Provider.
---@field method? pintle.AuthMethod Way to log in; default the first one of `auth/status`.
---@field key? string Key that the user typed, for the method `key`.

---Result of `auth/login`. (Experimental.)
---@class pintle.AuthLoginResult
---@field provider string Provider.
---@field method pintle.AuthMethod Method of the login.

---Params of `auth/logout`. (Experimental.)
---@class pintle.AuthLogoutParams
---@field provider string Provider.

---Result of `auth/logout`. (Experimental.)
---@class pintle.AuthLogoutResult
---@field removed boolean True if there was a stored login.

---Result of `trust/read` and `trust/agree`. (Experimental.)
---@class pintle.TrustResult
---@field root string Project root: the root of the git repository, or the session's working directory outside one.
---@field trusted boolean True if the user trusts the project. If not, the engine uses none of the files.
---@field files (pintle.ProjectFile)[] Files, sorted by path: permissions, rules, MCP servers, skills, and agents.

---A project file that configures the engine. (Experimental.)
---@class pintle.ProjectFile
---@field path string Path relative to the project's root, separated by `/`.
---@field sha256 string SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing.
---@field standing pintle.Standing The user's agreement to this content.

---User's agreement to a project file's content. (Experimental.)
---@alias pintle.Standing "agreed"|"new"|"changed"|"missing"

---Params of `trust/agree`. (Experimental.)
---@class pintle.TrustAgreeParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field files (pintle.SeenFile)[] Files to use, with the content the user saw.

---A project file as the user saw it. (Experimental.)
---@class pintle.SeenFile
---@field path string Path from `trust/read`.
---@field sha256 string SHA-256 from `trust/read`.

---Result of `permission/list` and `permission/remove`. (Experimental.)
---@class pintle.PermissionListResult
---@field rules (pintle.PermissionRule)[] Rules in force, from the widest source to the narrowest.
---@field problems? (string)[] Problems with rules, in sentences. A project file with invalid rules adds rules that ask about every call.

---A rule that allows, asks about or denies calls. (Experimental.)
---@class pintle.PermissionRule
---@field text string Human-readable rule: ``allow `cargo test **` ``. Invisible characters are drawn as signs.
---@field decision pintle.RuleDecision What happens to calls that match.
---@field source pintle.RuleSource Where the rule comes from.
---@field scope? pintle.Scope How long the answer holds. Only rules from answers have one.
---@field ruleId? string Id for `permission/remove`. Only rules from answers have one.

---What a rule does with a call. `deny` overrides `ask`, and `ask` overrides `allow`. (Experimental.)
---@alias pintle.RuleDecision "allow"|"ask"|"deny"

---Where a rule is defined. (Experimental.)
---@alias pintle.RuleSource "config"|"policy"|"project"|"answer"

---Params of `permission/remove`. (Experimental.)
---@class pintle.PermissionRemoveParams
---@field sessionId? pintle.SessionId Session; optional if this connection has created or opened exactly one.
---@field ruleId string Id from `permission/list`.

---Result of `prompt/list`.
---@class pintle.PromptListResult
---@field prompts (pintle.NamedPrompt)[] Prompts, by name.
---@field problems? (string)[] Files that could not be read, each with the reason.

---A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt.
---@class pintle.NamedPrompt
---@field name string Its name, without the slash.
---@field description? string Its description.
---@field argumentHint? string Arguments that may follow the name.
---@field path string Its file; `mcp:SERVER` for a server's prompt.

---Result of `skill/list`.
---@class pintle.SkillListResult
---@field skills (pintle.NamedPrompt)[] Skills, by name.

---A hook of a client. (Experimental.)
---@class pintle.HookRegisterParams
---@field points (pintle.HookPoint)[] Points at which it runs.
---@field tools? (string)[] Tools whose calls it sees: names, with `*` for any text. Default: all.
---@field timeoutMs? integer Timeout in milliseconds; default 60000.
---@field onFailure? pintle.OnFailure Effect of a failure; default `closed`.

---A point of the engine's work at which hooks run. (Experimental.)
---@alias pintle.HookPoint "inputReceived"|"beforeAgent"|"contextBuilt"|"beforeModelRequest"|"afterModelResponse"|"beforeToolCall"|"afterToolCall"|"sessionCompact"|"sessionStart"|"sessionFork"|"sessionSwitch"|"sessionEnd"

---Effect of a hook's failure at a point that allows denial. (Experimental.)
---@alias pintle.OnFailure "closed"|"open"

---A tool of a client.
---@class pintle.ToolRegisterParams
---@field name string Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest tool of a name wins, also over a built-in one.
---@field description string Its purpose and usage, for the model.
---@field parameters any JSON Schema of the arguments, an object schema.

---A tool that the client takes back.
---@class pintle.ToolUnregisterParams
---@field name string Its name.

---Params of `session/event`: durable if `seq` is present, transient if `after` is.
---@alias pintle.AnyRecord pintle.EventRecord|pintle.TransientRecord

---A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness.
---@class pintle.TransientRecord
---@field sessionId pintle.SessionId Session.
---@field after integer Sequence number of the last durable event before it.
---@field turnId? pintle.TurnId Turn it belongs to.
---@field event pintle.TransientEvent Event.

---Transient events, distinguished by `type`.
---@alias pintle.TransientEvent pintle.TransientEvent.item.delta|pintle.TransientEvent.session.state|pintle.TransientEvent.session.context|pintle.TransientEvent.step.usage|pintle.TransientEvent.session.notice

---A field of an item grew.
---@class pintle.TransientEvent.item.delta: pintle.ItemDelta
---@field type "item.delta" 

---The session's state changed.
---@class pintle.TransientEvent.session.state: pintle.SessionState
---@field type "session.state" 

---The fill level of the model's context window, sent after each reply.
---@class pintle.TransientEvent.session.context: pintle.ContextUsage
---@field type "session.context" 

---Usage so far of the streaming reply, if its provider reports it before the end.
---@class pintle.TransientEvent.step.usage: pintle.StepUsage
---@field type "step.usage" 

---Notice for the user that could not be written to the journal.
---@class pintle.TransientEvent.session.notice: pintle.Notice
---@field type "session.notice" 

---A piece of text to append to a field of an item.
---@class pintle.ItemDelta
---@field itemId pintle.ItemId Item.
---@field field pintle.DeltaField Field that grew.
---@field path? string Argument string that grew, as a JSON Pointer such as `/content`; only with the field `input`.
---@field n integer The piece's number within item and field, from 0. All paths of the field `input` share one sequence: 0 discards the text of each.
---@field to? integer Number of the last piece merged into this one, if any.
---@field text string Text to append.

---Usage of a streaming reply. `step.completed` has the final count.
---@class pintle.StepUsage
---@field step integer Step within the turn, from 1.
---@field usage pintle.Usage Usage so far.
---@field costNanoUsd? integer Cost so far, in billionths of a US dollar; absent if the price is unknown.

---Durable events that were not sent to a slow connection.
---@class pintle.SessionEventsMissedParams
---@field sessionId pintle.SessionId Session.
---@field lastSentSeq integer Last durable event that was sent.
---@field headSeq integer Last durable event that was not sent.

---Params of `auth/openUrl`. (Experimental.)
---@class pintle.AuthOpenUrlParams
---@field provider? string Provider, for `auth/login`.
---@field mcpServer? string Server, for `mcp/login`.
---@field url string Page to open.
---@field userCode? string Code to enter there.
---@field expiresInMs? integer Time that is left, in milliseconds.

---Answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one call.
---@class pintle.ApprovalAnswer
---@field optionId? string Chosen option.
---@field feedback? string A message for the model, sent with a denial.
---@field dismissed? boolean True if the dialog was closed without a choice, which denies this one call.
---@field edits? (pintle.ProposalEdit)[] The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text.

---Answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first if only one may be chosen; an answer with nothing left counts as dismissed.
---@class pintle.QuestionAnswer
---@field optionIds? (string)[] Chosen options.
---@field text? string Text entered by the user.
---@field dismissed? boolean True if the dialog was closed without an answer; the model is then instructed to decide by itself.

---Hook input. (Experimental.)
---@class pintle.HookRun
---@field point pintle.HookPoint Point.
---@field sessionId pintle.SessionId Session.
---@field turnId? pintle.TurnId Turn; absent at points of the session.
---@field cwd string The session's working directory.
---@field input? string Text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`.
---@field images? (pintle.Content)[] Images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They are kept regardless of the answer.
---@field system? string System prompt, at `beforeAgent`.
---@field conversation? (pintle.HookMessage)[] Messages of the model's context, at `contextBuilt`.
---@field toSeq? integer Event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the current state, and when a fork is merged back.
---@field call? pintle.HookCall Tool call, at `beforeToolCall` and `afterToolCall`.
---@field result? pintle.HookResult The call's result, at `afterToolCall`.
---@field response? pintle.HookResponse The model's reply, at `afterModelResponse`.
---@field messages? integer Number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`.
---@field openTodos? string Unfinished parts of the model's plan, at `beforeAgent`.

---A message of the model's context, for a hook. (Experimental.)
---@alias pintle.HookMessage pintle.HookMessage.user|pintle.HookMessage.assistant|pintle.HookMessage.toolResult

---Message of the user or the engine.
---@class pintle.HookMessage.user
---@field role "user" 
---@field index? integer Position in the context, from 0. A message that is returned unchanged with its position keeps data that hooks do not see, such as reasoning.
---@field content (pintle.Content)[] The content.

---A reply of the model.
---@class pintle.HookMessage.assistant
---@field role "assistant" 
---@field index? integer Position in the context, from 0.
---@field text? string Text.
---@field calls? (pintle.HookMessageCall)[] Calls.

---Result of a call.
---@class pintle.HookMessage.toolResult
---@field role "toolResult" 
---@field index? integer Position in the context, from 0.
---@field callId string The call.
---@field toolName string The tool's name.
---@field content (pintle.Content)[] The content.
---@field failed? boolean True if the call failed.

---A call in a message of the model's context. (Experimental.)
---@class pintle.HookMessageCall
---@field id string Id, which the call's result repeats.
---@field name string Tool name.
---@field arguments string Arguments, as the model wrote them: JSON text.

---A tool call, for a hook. (Experimental.)
---@class pintle.HookCall
---@field itemId pintle.ItemId Its item.
---@field toolName string Tool name.
---@field kind pintle.ToolKind Kind of tool.
---@field title string One line for the user.
---@field arguments any Arguments, as hooks before this one left them. A shell's command line is always `command`.
---@field locations? (pintle.Location)[] The files concerned.

---Tool call result, for a hook. (Experimental.)
---@class pintle.HookResult
---@field text string Text for the model.
---@field failed? boolean True if the call failed.

---A reply of the model, for a hook. (Experimental.)
---@class pintle.HookResponse
---@field text string Its text.
---@field tools? (string)[] Names of the tools that it calls, in order.

---Hook answer. `{}` and an empty output change nothing. (Experimental.)
---@class pintle.HookAnswer
---@field decision? pintle.HookDecision Decision; default `allow`. Permission is still requested if required.
---@field reason? string Reason for a denial, for the model or the user.
---@field input? string New text of the message, at `inputReceived` and `beforeAgent`.
---@field system? string New system prompt of the turn, at `beforeAgent`.
---@field conversation? (pintle.HookMessage)[] Messages of the next request, at `contextBuilt`. They apply to that request only.
---@field arguments? any The call's complete new arguments.
---@field result? pintle.HookResult New result of the call.
---@field context? string Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`.

---Hook decision. (Experimental.)
---@alias pintle.HookDecision "allow"|"deny"|"handled"

---A call of a tool that the client registered.
---@class pintle.ToolCallParams
---@field sessionId pintle.SessionId Session.
---@field itemId pintle.ItemId Call item.
---@field toolName string Tool name.
---@field arguments any Arguments, as the model wrote them. They match the schema; other calls are refused.

---Result of a client-registered tool.
---@class pintle.ToolCallResult
---@field content (pintle.Content)[] Content for the model.
---@field failed? boolean True if the call failed; the content gives the reason.

---Params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none.
---@class pintle.ApplyEditParams
---@field label string User-facing description of the edit.
---@field edits (pintle.DocumentEdit)[] Documents.

---Edit of one document.
---@class pintle.DocumentEdit
---@field path string File, as it was opened.
---@field version integer Version that the edit was made for. If the document's version has changed since, nothing is changed.
---@field changes (pintle.TextEdit)[] Changes, in order; their ranges refer to the text of `version` and do not overlap.
---@field save boolean True if the document had no unsaved changes and must be saved again, so that commands see the edit.

---Replacement of a text range.
---@class pintle.TextEdit
---@field range pintle.TextRange Range to replace.
---@field text string Replacement.

---Result of `workspace/applyEdit`. Before its response, the client sends its changes with `document/change`. The engine waits 15 seconds.
---@class pintle.ApplyEditResult
---@field applied boolean True if all edits were applied; otherwise none was.
---@field failureReason? string Reason why none was applied, or why a document could not be saved.
---@field versions? (pintle.DocumentVersion)[] Current versions of the documents.

---Document version.
---@class pintle.DocumentVersion
---@field path string File, as it was opened.
---@field version integer Version.

---Data of an error response.
---@class pintle.ErrorData
---@field code string Stable failure code: the error's name, or a more specific one.
---@field path? string Position in the params, as a JSON Pointer.
---@field hint? string Suggested next step.
---@field supported? (string)[] Values that would have been accepted.
---@field sharedEngine? boolean For `openElsewhere`: true if the session is open in the engine that clients of `pintle attach` share, and any of them can open it there.

---The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone. (Experimental.)
---@alias pintle.RunLine pintle.RunLine.header|pintle.RunLine.result

---The first line.
---@class pintle.RunLine.header: pintle.RunHeader
---@field type "header" 

---The last line, at every end.
---@class pintle.RunLine.result: pintle.RunResult
---@field type "result" 

---First line of `pintle run --format events`. (Experimental.)
---@class pintle.RunHeader
---@field protocol string Protocol version of the events.
---@field schemaHash string Hash of the protocol's schema.
---@field engine pintle.PeerInfo Engine.
---@field sessionId pintle.SessionId Session.
---@field cwd string Working directory.

---Kind of end of a task. (Experimental.)
---@alias pintle.RunStatus "success"|"denied"|"unchanged"|"limit"|"interrupted"|"failed"

---Files that differ from before the task. (Experimental.)
---@class pintle.RunChanges
---@field files (string)[] Their absolute paths, sorted.
---@field added integer The lines added.
---@field removed integer The lines removed.

---A command that ran. (Experimental.)
---@class pintle.RunCommand
---@field command string Complete command.
---@field status pintle.ItemStatus Its end: `cancelled` if the task ended first.
---@field exitCode? integer Its exit code.

---A call that was denied. (Experimental.)
---@class pintle.RunDenial
---@field tool string Tool.
---@field title string Human-readable call.
---@field reason string Reason, as reported to the model.
---@field hint? string Option or rule that would have allowed it; absent if none would, or if a user's rule denied it.

---Something wrong at a place in a file. (Experimental.)
---@class pintle.Finding
---@field path string File, relative to the working directory.
---@field line? integer First line, 1-based; absent if the finding applies to the entire file.
---@field endLine? integer Last line, which is part of it.
---@field severity pintle.FindingSeverity Its weight.
---@field rule string Name for its kind.
---@field message string The model's words about it.
---@field fix? string Replacement text for these lines.

---Severity of a finding. Ordered from the least to the most severe. (Experimental.)
---@alias pintle.FindingSeverity "note"|"warning"|"error"

---Changes in a task's copy, and whether they were applied. (Experimental.)
---@class pintle.RunIsolation
---@field applied (string)[] Changed files of the project, absolute; empty if there were conflicts or the task failed.
---@field conflicts? (string)[] Files of the project with conflicting changes, absolute.
---@field copy? string Directory of the copy with the unapplied changes; absent if there are none, in which case the copy was removed.

---One of several attempts at a task. (Experimental.)
---@class pintle.RunAttempt
---@field sessionId? pintle.SessionId Session; absent if none could be created.
---@field model? string Model that answered last, as `provider/id`.
---@field stop string Reason for the end, as in `stop` of the result.
---@field changes pintle.RunChanges Files that the agent changed, under their paths in the project.
---@field costNanoUsd? integer Cost, in billionths of a US dollar; absent if the price is unknown.
---@field verdict? pintle.RunVerdict Verdict of the judge; absent without a judge, or if the attempt was not completed.
---@field chosen? boolean True for the attempt whose changes were applied.
---@field copy? string Directory of the copy with the unapplied changes; absent if it was removed.

---Verdict of a judge about an attempt. (Experimental.)
---@class pintle.RunVerdict
---@field accepted boolean True if the judge exited with 0.
---@field score? number Number in the last line of its output, if there is one; higher is better.
---@field output string End of its output.

---Result of `pintle run`. (Experimental.)
---@class pintle.RunResult
---@field status pintle.RunStatus Kind of end.
---@field stop string Reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
---@field exitCode integer Exit code of the program.
---@field sessionId? pintle.SessionId Session; absent if none could be created or opened.
---@field turnId? pintle.TurnId Turn.
---@field journal? string Path of the session's journal.
---@field text string Last message of the model.
---@field structured? any Answer that satisfies `--output-schema`.
---@field steps integer Number of replies of the model.
---@field durationMs integer Duration of the turn, in milliseconds.
---@field usage pintle.Usage Token usage of the task, including sub-agents and the title.
---@field costNanoUsd? integer Their cost, in billionths of a US dollar; absent if the price is unknown.
---@field costUsd? number The same cost in US dollars.
---@field model? string Model that answered last, as `provider/id`.
---@field changes pintle.RunChanges Files that the agent changed.
---@field commands (pintle.RunCommand)[] Commands that ran, in order.
---@field denials (pintle.RunDenial)[] Calls that were denied.
---@field findings? (pintle.Finding)[] Findings that the model reported, in order, each once; only if a report was requested.
---@field isolation? pintle.RunIsolation Changes in the task's copy; only with `--isolation`.
---@field attempts? (pintle.RunAttempt)[] The attempts, in their order; only with `--attempts`. The other fields describe the attempt that was chosen, or else the first.
---@field notInPatch? (string)[] Changed files that the patch omits because they are outside the session's directory.
---@field error? pintle.TurnError Error, if the task failed.

local M = {}

M.name = "pintle"
M.version = "2.0"

---Method names.
M.method = {
  ---Opens the connection: versions, names, capabilities. It must be the first request.
  ---Params: `pintle.InitializeParams`; result: `pintle.InitializeResult`.
  initialize = "initialize",
  ---Answers at once; for liveness checks.
  ---Params: `pintle.Empty`; result: `pintle.Empty`.
  ping = "ping",
  ---Interrupts running work, closes every session of this engine in order, then answers. Send `exit` next. With an engine that several clients share, this client leaves its sessions, and running work continues.
  ---Params: `pintle.Empty`; result: `pintle.Empty`.
  shutdown = "shutdown",
  ---Ends the process: with code 0 after `shutdown`, with 1 without.
  ---Params: `pintle.Empty`.
  exit = "exit",
  ---Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is stopped, and its result reports that. Any other request that has begun is answered as usual. The engine uses it to withdraw its own requests.
  ---Params: `pintle.CancelParams`.
  cancelRequest = "$/cancelRequest",
  ---Creates a session and, by default, subscribes this connection to it.
  ---Params: `pintle.SessionCreateParams`; result: `pintle.SessionResult`.
  session_create = "session/create",
  ---Opens a stored session, also after a crash, and, by default, subscribes this connection to it.
  ---Params: `pintle.SessionOpenParams`; result: `pintle.SessionResult`.
  session_open = "session/open",
  ---Lists stored sessions, the last created first.
  ---Params: `pintle.SessionListParams`; result: `pintle.SessionListResult`.
  session_list = "session/list",
  ---Sets or removes a session's title.
  ---Params: `pintle.SessionUpdateParams`; result: `pintle.SessionUpdateResult`.
  session_update = "session/update",
  ---Archives a stored session, or restores it: lists omit archived sessions unless they are requested. Nothing else changes.
  ---Params: `pintle.SessionArchiveParams`; result: `pintle.Empty`.
  session_archive = "session/archive",
  ---Searches user and model messages and the tool calls of all stored sessions.
  ---Params: `pintle.SessionSearchParams`; result: `pintle.SessionSearchResult`.
  session_search = "session/search",
  ---Exports a session, open or not, as a page, Markdown or JSON lines, in the result or to a file in its working directory.
  ---Params: `pintle.SessionExportParams`; result: `pintle.SessionExportResult`.
  session_export = "session/export",
  ---Permanently deletes a stored session, with its sub-agents' sessions. A session that is open anywhere is refused.
  ---Params: `pintle.SessionDeleteParams`; result: `pintle.SessionDeleteResult`.
  session_delete = "session/delete",
  ---Moves an idle session to another point of its history, earlier or later.
  ---Params: `pintle.SessionRewindParams`; result: `pintle.SessionRewindResult`.
  session_rewind = "session/rewind",
  ---Creates a session that begins with another session's history.
  ---Params: `pintle.SessionForkParams`; result: `pintle.SessionResult`.
  session_fork = "session/fork",
  ---Merges a fork's events into the session that it was forked from, as a separate branch. Files do not change. (Experimental: which parts of a fork are merged may change.)
  ---Params: `pintle.SessionMergeParams`; result: `pintle.SessionMergeResult`.
  session_merge = "session/merge",
  ---Sets the label of a point in a session's history.
  ---Params: `pintle.SessionLabelParams`; result: `pintle.SessionLabelResult`.
  session_label = "session/label",
  ---Adds a client note to a session's history: at once, or after the running turn. An `engineMessage` item carries it.
  ---Params: `pintle.SessionNoteParams`; result: `pintle.Empty`.
  session_note = "session/note",
  ---Returns the history tree of a session.
  ---Params: `pintle.SessionParams`; result: `pintle.SessionTreeResult`.
  session_tree = "session/tree",
  ---Returns a session's outline: the points between which its items can be listed and searched. (Experimental: its kinds depend on forks and merges, which are being tried.)
  ---Params: `pintle.SessionOutlineParams`; result: `pintle.SessionOutlineResult`.
  session_outline = "session/outline",
  ---Lists the open hunks: agent changes without a decision.
  ---Params: `pintle.ReviewListParams`; result: `pintle.ReviewListResult`.
  review_list = "review/list",
  ---Keeps, undoes or comments on hunks, or reverts a decision. While a turn runs, a decision that changes files waits for the next gap between two calls.
  ---Params: `pintle.ReviewDecideParams`; result: `pintle.ReviewDecideResult`.
  review_decide = "review/decide",
  ---Reads a file's content at the last accepted point.
  ---Params: `pintle.ReviewBaselineParams`; result: `pintle.ReviewBaselineResult`.
  review_baseline = "review/baseline",
  ---Returns the agent's changes as a patch.
  ---Params: `pintle.ReviewPatchParams`; result: `pintle.ReviewPatchResult`.
  review_patch = "review/patch",
  ---Merges an isolated session's changes into the user's files, including unsaved text. There they become open hunks, which can be kept or undone. The session stays isolated, and later changes can be applied in the same way. While a turn runs, the request fails with `busy`. (Experimental: isolated sessions are new.)
  ---Params: `pintle.IsolationApplyParams`; result: `pintle.IsolationApplyResult`.
  isolation_apply = "isolation/apply",
  ---Removes an isolated session's copy, with all unapplied changes. When the session is reopened, it works on the user's files. A session that is open anywhere is refused. (Experimental: isolated sessions are new.)
  ---Params: `pintle.IsolationDiscardParams`; result: `pintle.Empty`.
  isolation_discard = "isolation/discard",
  ---Interrupts the session's turn and closes its journal in order. The response follows the session's last event. A session that other clients of a shared engine have open stays open; this client leaves it.
  ---Params: `pintle.SessionParams`; result: `pintle.Empty`.
  session_close = "session/close",
  ---Subscribes this connection to the session's events, from now on or from a `seq` on, without a gap.
  ---Params: `pintle.SessionSubscribeParams`; result: `pintle.SessionResult`.
  session_subscribe = "session/subscribe",
  ---Unsubscribes this connection from the session's events. Its open requests for answers are withdrawn; a later subscription sends them again.
  ---Params: `pintle.SessionParams`; result: `pintle.Empty`.
  session_unsubscribe = "session/unsubscribe",
  ---Reads durable events, a page at a time.
  ---Params: `pintle.SessionEventsParams`; result: `pintle.SessionEventsResult`.
  session_events = "session/events",
  ---Reads a part of a long output that an item names in `details.fullOutput`.
  ---Params: `pintle.BlobReadParams`; result: `pintle.BlobReadResult`.
  blob_read = "blob/read",
  ---Starts a turn with a prompt, or queues it as a follow-up.
  ---Params: `pintle.TurnStartParams`; result: `pintle.TurnStartResult`.
  turn_start = "turn/start",
  ---Puts a message into the running turn at its next gap between tool calls.
  ---Params: `pintle.TurnSteerParams`; result: `pintle.TurnSteerResult`.
  turn_steer = "turn/steer",
  ---Interrupts the running turn. The response is sent at once; the turn ends with the event `turn.completed`.
  ---Params: `pintle.TurnInterruptParams`; result: `pintle.TurnInterruptResult`.
  turn_interrupt = "turn/interrupt",
  ---Compacts an idle session's conversation. The response is sent at once; the compaction is a turn with a `compaction` item.
  ---Params: `pintle.SessionCompactParams`; result: `pintle.SessionCompactResult`.
  session_compact = "session/compact",
  ---Returns the last request to the model and the fill level of its context window. (Experimental: it shows the request to the model as the engine makes it today.)
  ---Params: `pintle.ContextReadParams`; result: `pintle.ContextReadResult`.
  context_read = "context/read",
  ---Lists a session's settings with their values.
  ---Params: `pintle.SessionParams`; result: `pintle.ConfigResult`.
  config_list = "config/list",
  ---Changes settings of a session from the next turn on. Invalid values are rejected with a reason, and the others take effect.
  ---Params: `pintle.ConfigSetParams`; result: `pintle.ConfigResult`.
  config_set = "config/set",
  ---Lists the queued messages.
  ---Params: `pintle.SessionParams`; result: `pintle.QueueResult`.
  queue_list = "queue/list",
  ---Edits or moves a queued message, or changes its delivery.
  ---Params: `pintle.QueueUpdateParams`; result: `pintle.QueueResult`.
  queue_update = "queue/update",
  ---Removes messages from the queue and returns them.
  ---Params: `pintle.QueueRemoveParams`; result: `pintle.QueueRemoveResult`.
  queue_remove = "queue/remove",
  ---Answers an approval that was not requested of this client, such as one without the capability `approvals`. The first answer counts: a later one gets the error `conflict` with the outcome.
  ---Params: `pintle.ApprovalAnswerParams`; result: `pintle.ApprovalOutcome`.
  approval_answer = "approval/answer",
  ---Answers a question of the model, in the same way as `approval/answer`.
  ---Params: `pintle.QuestionAnswerParams`; result: `pintle.QuestionOutcome`.
  question_answer = "question/answer",
  ---Reports the current diagnostics of a file. After the model has changed that file, it reads the new ones in an `engineMessage`. Clients send this for files in the session's directory whenever they change.
  ---Params: `pintle.EditorDiagnosticsParams`; result: `pintle.Empty`.
  editor_diagnostics = "editor/diagnostics",
  ---Announces a document that the editor has open. While it has unsaved changes, tools read its text instead of the file, and commands the file; changes of it are sent back as `workspace/applyEdit`. Documents belong to the connection and end with it.
  ---Params: `pintle.DocumentOpenParams`; result: `pintle.Empty`.
  document_open = "document/open",
  ---Sends changes of an open document. The error `conflict` means that the version did not rise: open the document again.
  ---Params: `pintle.DocumentChangeParams`; result: `pintle.Empty`.
  document_change = "document/change",
  ---Announces that an open document was saved.
  ---Params: `pintle.DocumentSaveParams`; result: `pintle.Empty`.
  document_save = "document/save",
  ---Announces that a document was closed.
  ---Params: `pintle.DocumentCloseParams`; result: `pintle.Empty`.
  document_close = "document/close",
  ---Reads the current items of a session, the last ones by default, for clients that do not build them from events.
  ---Params: `pintle.SessionItemsParams`; result: `pintle.SessionItemsResult`.
  session_items = "session/items",
  ---Reads the current value of one item, which may be off the current path.
  ---Params: `pintle.ItemReadParams`; result: `pintle.ItemAt`.
  item_read = "item/read",
  ---Cancels one tool call of the running turn, which continues without it. The response is sent at once; the call ends with `item.completed`. A call that waits for an approval is denied.
  ---Params: `pintle.ItemCancelParams`; result: `pintle.Empty`.
  item_cancel = "item/cancel",
  ---Lists the points to which files can be restored with `session/rewind`, and the changes between them.
  ---Params: `pintle.CheckpointListParams`; result: `pintle.CheckpointListResult`.
  checkpoint_list = "checkpoint/list",
  ---Returns the file difference between two points as a patch.
  ---Params: `pintle.CheckpointDiffParams`; result: `pintle.CheckpointDiffResult`.
  checkpoint_diff = "checkpoint/diff",
  ---Runs a command for the user, in the session's directory, as a job with `byUser`, and responds when it has ended. No permission is requested; in `readOnly` mode it is refused. The model reads it in a note of the kind `shell`. `$/cancelRequest` stops it; a client that disconnects leaves it running.
  ---Params: `pintle.ShellRunParams`; result: `pintle.ShellRunResult`.
  shell_run = "shell/run",
  ---Types the user's text, such as a password, into a running job's terminal, and returns the screen. The engine does not store the text. The model learns that the user has typed, but sees only the program's output. Refused in `readOnly` mode.
  ---Params: `pintle.ShellWriteParams`; result: `pintle.ShellWriteResult`.
  shell_write = "shell/write",
  ---Returns a job's screen with its colors, for display in a terminal. With `after`, it waits up to 25 s for a change first, so repeating it follows the program. Other requests do not wait for it, and `$/cancelRequest` cancels it.
  ---Params: `pintle.ShellScreenParams`; result: `pintle.ShellScreenResult`.
  shell_screen = "shell/screen",
  ---Reads the tokens and the money that a session, open or not, has used, by model.
  ---Params: `pintle.SessionParams`; result: `pintle.UsageReadResult`.
  usage_read = "usage/read",
  ---Lists the running and recently ended background jobs of a session.
  ---Params: `pintle.SessionParams`; result: `pintle.JobListResult`.
  job_list = "job/list",
  ---Stops a background job. The response is sent when none of its processes is running; a job that has ended does not change.
  ---Params: `pintle.JobStopParams`; result: `pintle.JobStopResult`.
  job_stop = "job/stop",
  ---Lists the session's servers of the Model Context Protocol with their state and tools. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.SessionParams`; result: `pintle.McpListResult`.
  mcp_list = "mcp/list",
  ---Switches a server off or on for the session, or starts it again. The result is that of `mcp/list`. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.McpUpdateParams`; result: `pintle.McpListResult`.
  mcp_update = "mcp/update",
  ---Logs in to a server with an address, and stores the login, which every session uses. The client gets `auth/openUrl`, and the response, that of `mcp/list`, is sent when the user has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.McpLoginParams`; result: `pintle.McpListResult`.
  mcp_login = "mcp/login",
  ---Removes the stored login to a server. An existing connection to it continues until the server is restarted. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.McpLogoutParams`; result: `pintle.McpLogoutResult`.
  mcp_logout = "mcp/logout",
  ---Lists the providers and models that are known by name, from the current settings files.
  ---Params: `pintle.Empty`; result: `pintle.ModelsListResult`.
  models_list = "models/list",
  ---Lists the providers that support login, and the current logins. (Experimental: provider login flows may still change.)
  ---Params: `pintle.Empty`; result: `pintle.AuthStatusResult`.
  auth_status = "auth/status",
  ---Logs in to a provider and stores the login. For the methods `device` and `browser` the client gets `auth/openUrl`, and the response is sent when the user has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: provider login flows may still change.)
  ---Params: `pintle.AuthLoginParams`; result: `pintle.AuthLoginResult`.
  auth_login = "auth/login",
  ---Removes the stored login of a provider. (Experimental: provider login flows may still change.)
  ---Params: `pintle.AuthLogoutParams`; result: `pintle.AuthLogoutResult`.
  auth_logout = "auth/logout",
  ---Lists the project files that configure the engine, each with the user's agreement to its current content. The notice `notAgreed` lists the files that are ignored until then. (Experimental: more file kinds may be added.)
  ---Params: `pintle.SessionParams`; result: `pintle.TrustResult`.
  trust_read = "trust/read",
  ---Agrees to project files as the user saw them. They take effect with the next turn, MCP servers with the next session. Fails with `conflict`, and agrees to nothing, if a file has changed since or the project is not trusted. (Experimental: more file kinds may be added.)
  ---Params: `pintle.TrustAgreeParams`; result: `pintle.TrustResult`.
  trust_agree = "trust/agree",
  ---Lists a session's permission rules, including those added by the user's answers. (Experimental: rules may get more parts.)
  ---Params: `pintle.SessionParams`; result: `pintle.PermissionListResult`.
  permission_list = "permission/list",
  ---Removes a permission rule added by an answer. The next call is decided without it, even in a running turn; other sessions stop using it with their next turn. Fails with `notFound` if no such rule is in force. (Experimental: rules may get more parts.)
  ---Params: `pintle.PermissionRemoveParams`; result: `pintle.PermissionListResult`.
  permission_remove = "permission/remove",
  ---Lists the prompts that can be called with `/name`, from the current files.
  ---Params: `pintle.SessionParams`; result: `pintle.PromptListResult`.
  prompt_list = "prompt/list",
  ---Lists the skills that can be called with `/` and their name, from the current files.
  ---Params: `pintle.SessionParams`; result: `pintle.SkillListResult`.
  skill_list = "skill/list",
  ---Registers this client's hook at hook points, in all sessions that it is subscribed to, from their next turn on. It runs after the config file hooks and ends with the connection. (Experimental: its points depend on turn internals.)
  ---Params: `pintle.HookRegisterParams`; result: `pintle.Empty`.
  hook_register = "hook/register",
  ---Registers a tool of this client for the model, in all sessions that it is subscribed to, from their next turn on. It ends with the connection.
  ---Params: `pintle.ToolRegisterParams`; result: `pintle.Empty`.
  tool_register = "tool/register",
  ---Unregisters a tool of this connection, from the next turn on.
  ---Params: `pintle.ToolUnregisterParams`; result: `pintle.Empty`.
  tool_unregister = "tool/unregister",
  ---Delivers an event of a session.
  ---Params: `pintle.AnyRecord`.
  session_event = "session/event",
  ---Announces that this connection read too slowly and the durable events between the two numbers were not sent. Read them with `session/events`; events after `headSeq` are sent as usual.
  ---Params: `pintle.SessionEventsMissedParams`.
  session_eventsMissed = "session/eventsMissed",
  ---Asks the client to show a page, and a code to enter there, to the user during `auth/login` or `mcp/login`. (Experimental: provider login flows may still change.)
  ---Params: `pintle.AuthOpenUrlParams`.
  auth_openUrl = "auth/openUrl",
  ---Requests permission. It is sent to every subscribed client that declared `approvals`; the first answer wins and the others get `$/cancelRequest`.
  ---Params: `pintle.Approval`; result: `pintle.ApprovalAnswer`.
  approval_request = "approval/request",
  ---Asks the user a question from the model. It is sent to every subscribed client that declared `questions`; the first answer wins and the others get `$/cancelRequest`.
  ---Params: `pintle.Question`; result: `pintle.QuestionAnswer`.
  question_request = "question/request",
  ---Runs a hook that this client registered. `$/cancelRequest` means that the answer is no longer awaited. (Experimental: its points depend on turn internals.)
  ---Params: `pintle.HookRun`; result: `pintle.HookAnswer`.
  hook_run = "hook/run",
  ---Calls a tool that this client registered. `$/cancelRequest` means that the result is no longer awaited.
  ---Params: `pintle.ToolCallParams`; result: `pintle.ToolCallResult`.
  tool_call = "tool/call",
  ---Asks a client with the capability `applyEdit` to change its open documents. A document whose version has changed in the meantime is not changed.
  ---Params: `pintle.ApplyEditParams`; result: `pintle.ApplyEditResult`.
  workspace_applyEdit = "workspace/applyEdit",
}

---Codes of failed requests.
M.code = {
  ---Broken JSON or invalid UTF-8; `id` is null.
  parseError = -32700,
  ---Not a request: a batch, a bare value, an id in use, a message over the limit, a method before `initialize`.
  invalidRequest = -32600,
  ---No such method; the message suggests the nearest one.
  methodNotFound = -32601,
  ---Params of the wrong shape or value; `data.path` points at the field.
  invalidParams = -32602,
  ---An internal failure of the engine; see the message for the cause.
  internal = -32603,
  ---The request was cancelled before it had an effect.
  cancelled = -32800,
  ---No credentials for the provider; `data.hint` names the variable to set.
  authRequired = -32000,
  ---A session, item, hunk or other subject of the request does not exist.
  notFound = -32002,
  ---The engine supports none of the offered versions; `data.supported` lists the supported ones.
  unsupportedProtocol = -32022,
  ---Too many requests in flight on this connection; wait for responses.
  overloaded = -32040,
  ---The expected turn is not the running one, the question is no longer open, the hunk has changed or was decided, or the session is open in another process.
  conflict = -32041,
  ---A turn is running; steer it, queue a follow-up or interrupt it.
  busy = -32042,
  ---Too many documents, or too much text in them.
  limitExceeded = -32047,
}

return M
