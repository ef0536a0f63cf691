-- Generated from protocol/src by `cargo run -p pintle-protocol --bin generate`. Do not edit.

---The params of `initialize`.
---@class pintle.InitializeParams
---@field protocol pintle.ProtocolOffer The protocol and the versions that the client supports.
---@field client? pintle.PeerInfo The client.
---@field capabilities? pintle.ClientCapabilities The client's capabilities.

---The protocol versions that a client supports.
---@class pintle.ProtocolOffer
---@field name string Always `pintle`.
---@field versions (string)[] Versions, such as `1.0`; the engine takes the newest whose major part it supports.

---A program and its version.
---@class pintle.PeerInfo
---@field name string The name.
---@field version? string The version.
---@field id? string Of a client: its id, at most 200 characters, which tells it from others of the same name. Events that its requests cause carry it as `cause.clientId`; default: its name.

---The capabilities of a client.
---@class pintle.ClientCapabilities
---@field approvals? pintle.Supported The client answers `approval/request`. Otherwise calls that would ask are denied, and the model is told.
---@field questions? pintle.Supported The client answers `question/request`. Otherwise the model is told that nobody can answer.
---@field applyEdit? pintle.Supported The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed.
---@field deltas? pintle.DeltaCapability The deltas that the client wants. Otherwise it receives all of them, each at once.

---A capability with nothing to configure: `{}`.
---@class pintle.Supported

---The deltas that a client wants in all of its subscriptions.
---@class pintle.DeltaCapability
---@field types? (pintle.DeltaField)[] The fields whose deltas are sent; none if it is empty. Default: all of them.
---@field coalesceMs? integer The `maxLatencyMs` of subscriptions that name none.

---The fields that stream.
---@alias pintle.DeltaField "text"|"args"|"input"|"output"

---The result of `initialize`.
---@class pintle.InitializeResult
---@field protocol pintle.ProtocolChoice The protocol version of this connection.
---@field engine pintle.EngineInfo The engine.
---@field capabilities pintle.EngineCapabilities The engine's capabilities.
---@field limits pintle.Limits Limits of this connection.

---The protocol version of a connection.
---@class pintle.ProtocolChoice
---@field name string Always `pintle`.
---@field version string The version.

---The engine's name, version and schema.
---@class pintle.EngineInfo
---@field name string Always `pintle`.
---@field version string The program's version.
---@field schemaHash string A hash that changes whenever the protocol's schema does.

---The capabilities of this engine.
---@class pintle.EngineCapabilities
---@field steer? pintle.Supported Running turns can be steered.
---@field queue? pintle.Supported Follow-ups wait in a queue.
---@field replay? pintle.Supported Durable events can be read again from any `seq`.
---@field filters? pintle.Supported Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`.
---@field documents? pintle.Supported Documents that an editor has open are read and changed through the editor. Absent where files are on another machine.
---@field history? pintle.Supported Sessions can be rewound, forked and merged: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
---@field review? pintle.Supported Changes of the agent can be reviewed hunk by hunk: `review/…`.
---@field search? pintle.Supported Stored sessions can be searched, read, exported and deleted: `session/search` and related methods.

---Limits of a connection.
---@class pintle.Limits
---@field maxMessageBytes integer The maximum size of a message, in bytes.
---@field maxInFlight integer The maximum number of unanswered requests.

---An empty object, `{}`.
---@class pintle.Empty

---The request to withdraw.
---@class pintle.CancelParams
---@field id any The id of the request: a number or a string.

---The params of `session/create`.
---@class pintle.SessionCreateParams
---@field cwd? string The working directory, absolute; default: the directory in which the engine was started.
---@field title? string The session's title.
---@field config? pintle.SessionConfig The settings.
---@field subscribe? boolean Subscribe this connection; default true.
---@field include? (string)[] The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key opens the session that the first one made, for a month and also after the engine was restarted.

---The settings of a session. Those left out come from the user's settings.
---@class pintle.SessionConfig
---@field model? string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode? pintle.PermissionMode The permission mode.
---@field systemPrompt? string Instructions for this session alone, appended to the system prompt; only when the session is created.
---@field tools? (string)[] The tools that the model sees, by name, with `*` for any text; only when the session is created. A name stands for every tool with the same purpose, so `bash` includes `shell`. Tools of clients are not limited by it. Default: all of them.
---@field mode? pintle.WorkMode The work mode.
---@field additionalDirectories? (string)[] Further directories that belong to the work, absolute: changes there need the same permission as in the working directory, and changes that commands make there are tracked. The session does not keep them: pass them again when you open it. Absent: unchanged.
---@field mcpServers? table<string, pintle.McpServer> Servers of the Model Context Protocol for this session, by name, beside those of the user's settings; one of the same name is used in place of theirs. The session does not keep them: pass them again when you open it. Absent: unchanged.

---The permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest.
---@alias pintle.PermissionMode "readOnly"|"ask"|"autoEdit"|"full"

---The work mode: act or plan only.
---@alias pintle.WorkMode "act"|"plan"

---A server of the Model Context Protocol, for one session: a program that speaks on its streams (`command`), or an address (`url`). Its values stand for themselves: nothing in them is expanded.
---@class pintle.McpServer
---@field command? string The program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory.
---@field args? (string)[] Its arguments.
---@field env? table<string, string> The variables that it is given.
---@field cwd? string Its working directory, where it is not the session's.
---@field url? string The address of a server that speaks streamable HTTP.
---@field headers? table<string, string> The headers of each request to it.

---A snapshot of a session at `seq`. Every later event is sent if the connection is subscribed.
---@class pintle.SessionResult
---@field sessionId pintle.SessionId The session.
---@field seq integer The number of its last durable event.
---@field cwd string The working directory.
---@field title? string The title.
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode The permission mode.
---@field sandbox? pintle.SandboxState The sandbox for its commands; absent where there is none, such as on another machine. In the mode `full`, commands run outside of it, unless it is required.
---@field mode? pintle.WorkMode The work mode.
---@field state pintle.SessionState The current state.
---@field activeTurnId? pintle.TurnId The running turn.
---@field queue? (pintle.QueuedInput)[] The queued messages. Those that an engine accepted and did not live to have read wait here too: they begin no turn by themselves, and are read with the next prompt, before it.
---@field approvals? (pintle.Approval)[] The pending approvals.
---@field questions? (pintle.Question)[] The open questions to a person.
---@field plan? pintle.Plan The model's plan.
---@field usage? pintle.Usage The usage of all its turns, including sub-agents.
---@field costNanoUsd? integer The cost of that usage, in billionths of a US dollar; absent where no price is known.
---@field context? pintle.ContextUsage The estimated fill level of the model's context window.
---@field gap? boolean There are too many events after `fromSeq` to send at once: read them with `session/events`.

---The id of a session: a UUIDv7, so ids sort by creation time.
---@alias pintle.SessionId string

---The sandbox that confines commands which run unasked.
---@class pintle.SandboxState
---@field grade pintle.SandboxGrade The grade that this machine enforces.
---@field level string The same in words: `full: Landlock 7, seccomp, namespaces`.
---@field gaps? (string)[] The parts of the confinement that this machine does not enforce, in words.
---@field required? boolean Every command runs in it or not at all, in each permission mode.

---The grade to which a sandbox is enforced.
---@alias pintle.SandboxGrade "none"|"partial"|"full"

---The current state of a session. A reader never takes an unknown value for idle.
---@class pintle.SessionState
---@field value pintle.StateValue The state.
---@field blockedOn? (string)[] The ids of the approvals and questions that it waits for, when it is blocked.
---@field background? (pintle.ItemId)[] The items of background jobs that run, also while the session is idle.

---The state of a session.
---@alias pintle.StateValue "idle"|"running"|"blocked"|"retrying"|"compacting"

---The id of an item: a message, a tool call or another thing that a client can draw.
---@alias pintle.ItemId string

---The id of a turn, unique over all sessions.
---@alias pintle.TurnId string

---A person's message that is accepted and not yet read by the model.
---@class pintle.QueuedInput
---@field itemId pintle.ItemId The id that the `userMessage` item will have.
---@field turnId pintle.TurnId The turn it belongs to: the running turn for a steer, a turn of its own for a prompt or a follow-up.
---@field delivery pintle.Delivery The way it is delivered.
---@field content (pintle.Input)[] The blocks, as sent.
---@field limits? pintle.TurnLimits The budget of the turn that it starts.
---@field outputSchema? any The JSON Schema that the final message of the turn that it starts must satisfy.

---The way in which a person's message reaches the model.
---@alias pintle.Delivery "prompt"|"steer"|"followUp"

---One block of a prompt, a steer or a follow-up.
---@alias pintle.Input pintle.Input.text|pintle.Input.file|pintle.Input.selection|pintle.Input.diagnostics|pintle.Input.image

---Plain text, as typed. `@path` mentions a file, whose content the model then reads with the message. A text that begins with `/name` calls the prompt of that name, if there is one.
---@class pintle.Input.text
---@field type "text" 
---@field text string The text.

---A file, read when the model reads the message.
---@class pintle.Input.file
---@field type "file" 
---@field path string The path, absolute or relative to the working directory.
---@field range? pintle.LineRange The lines; absent for the whole file.

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

---A range of lines in a file, counted from 1, both ends included.
---@class pintle.LineRange
---@field start integer The first line.
---@field end integer The last line.

---A problem in a file.
---@class pintle.Diagnostic
---@field line integer The line, 1-based.
---@field severity pintle.Severity The severity.
---@field message string The message.
---@field source? string The tool that reported it, such as `rustc`.

---The severity of a diagnostic.
---@alias pintle.Severity "error"|"warning"|"information"|"hint"

---The budget of a turn. Reaching a limit ends the turn in order, with the stop reason `limit` and a notice. The user's settings may be stricter.
---@class pintle.TurnLimits
---@field steps? integer The maximum number of model replies.
---@field toolCalls? integer The maximum number of tool calls, checked between replies; those of sub-agents are not counted.
---@field tokens? integer The maximum number of tokens, input and output together.
---@field costNanoUsd? integer The maximum cost, in billionths of a US dollar; never reached where no price is known.
---@field durationMs? integer The maximum duration in milliseconds, checked between replies.

---A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`.
---@class pintle.Approval
---@field approvalId pintle.ApprovalId The approval's id.
---@field sessionId pintle.SessionId The session it belongs to.
---@field turnId pintle.TurnId The turn that waits.
---@field itemId pintle.ItemId The tool call that waits.
---@field toolName string The tool's name.
---@field kind pintle.ToolKind The kind of tool.
---@field title string One line for a person: `bash: rm -r build`.
---@field reason string The reason why permission is needed, in a sentence.
---@field input any The tool's arguments, whole: the command, or the text to write.
---@field locations? (pintle.Location)[] The files concerned.
---@field decidedBy? string The rule or default that asks, in words.
---@field details? (pintle.ApprovalDetail)[] All that is asked about, whole, for a person to read: the command, the paths, the content. A client shows every part, or denies the call.
---@field changes? (pintle.FileChange)[] The changes of files that the call would make, computed from the files as they are now. Left out where a call changes no file, and where its changes are not known beforehand.
---@field options (pintle.ApprovalOption)[] The options to choose from.
---@field deadlineMs? integer The deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.

---The id of an approval, pending until it is answered or cancelled.
---@alias pintle.ApprovalId string

---The kind of a tool call; the names are those of the Agent Client Protocol.
---@alias pintle.ToolKind "read"|"edit"|"delete"|"move"|"search"|"execute"|"fetch"|"think"|"other"

---A position in a file.
---@class pintle.Location
---@field path string The absolute path.
---@field line? integer The line, 1-based.

---A part of a call that a person is asked about. Control characters, and characters that are invisible or change the direction of text, are drawn as signs.
---@class pintle.ApprovalDetail
---@field kind pintle.DetailKind The kind of text.
---@field text string The text, whole, with its line ends.

---The kind of a text that a person is asked about.
---@alias pintle.DetailKind "command"|"path"|"content"|"diff"|"address"|"arguments"|"modelText"

---The change of one file.
---@class pintle.FileChange
---@field op pintle.FileOp The operation.
---@field path string The file's absolute path (the new one after a move).
---@field oldPath? string The path before a move.
---@field diff string The change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
---@field added integer The number of lines added.
---@field removed integer The number of lines removed.
---@field firstChangedLine? integer The first line that differs, 1-based, counted in the new text: the line to which an editor jumps.
---@field words? (pintle.WordSpan)[] The parts that differ within changed lines, for highlighting words; at most 1,000.

---The kind of a file change.
---@alias pintle.FileOp "add"|"modify"|"delete"|"move"

---A part of a line that differs from its counterpart.
---@class pintle.WordSpan
---@field side pintle.Side The text it belongs to.
---@field line integer The line in that text, 1-based.
---@field start integer Its first byte in the line as UTF-8, from 0.
---@field end integer The byte after it.

---One of the two texts of a change.
---@alias pintle.Side "old"|"new"

---An option that a person can choose.
---@class pintle.ApprovalOption
---@field optionId string The id to send back.
---@field label string The label to show.
---@field decision pintle.Decision The decision that it stands for.
---@field scope pintle.Scope The scope in which the decision holds.
---@field rules? (string)[] The rules that the option adds, in words.

---A decision about a tool call. A reader never takes an unknown value as permission.
---@alias pintle.Decision "allow"|"deny"|"abort"

---The scope of a decision.
---@alias pintle.Scope "once"|"turn"|"session"|"project"|"user"

---A question to a person. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, whatever the options.
---@class pintle.Question
---@field questionId pintle.QuestionId The question's id.
---@field sessionId pintle.SessionId The session it belongs to.
---@field turnId pintle.TurnId The turn that waits.
---@field itemId pintle.ItemId The tool call that waits.
---@field kind pintle.QuestionKind The kind of question.
---@field text string The question.
---@field plan? string The plan to be accepted, as Markdown; only with the kind `plan`.
---@field options? (pintle.QuestionOption)[] The options to choose from; without any, the answer is a text.
---@field multiple? boolean Several options may be chosen.
---@field deadlineMs integer The deadline after which the default answer applies, in milliseconds since 1970.

---The id of a question to a person, pending until it is answered or its deadline passes.
---@alias pintle.QuestionId string

---The kind of a question. A reader treats an unknown kind as `choice`.
---@alias pintle.QuestionKind "choice"|"plan"

---An option that a person can choose.
---@class pintle.QuestionOption
---@field optionId string The id to send back.
---@field label string The label to show.

---The model's plan. Each plan replaces the one before.
---@class pintle.Plan
---@field items (pintle.PlanItem)[] The steps of the plan, in order.

---One step of a plan.
---@class pintle.PlanItem
---@field content string The description of the step.
---@field status pintle.PlanStatus The status.

---The status of a step.
---@alias pintle.PlanStatus "pending"|"in_progress"|"completed"

---Token usage of one model reply, of a turn, or of a session. All counts are cumulative for their span.
---@class pintle.Usage
---@field inputTokens integer Input tokens that were not read from a cache.
---@field outputTokens integer Output tokens, reasoning included.
---@field cacheReadTokens? integer Input tokens read from the provider's cache.
---@field cacheWriteTokens? integer Input tokens written to the provider's cache.
---@field reasoningTokens? integer The part of the output tokens spent on reasoning, where the provider reports it.
---@field webSearches? integer The searches of the web that the provider ran, which it charges for beside the tokens.

---The fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of what was added since.
---@class pintle.ContextUsage
---@field tokens integer The estimated tokens of the next request.
---@field window? integer The size of the context window; absent where it is not known.

---The params of `session/open`.
---@class pintle.SessionOpenParams
---@field sessionId pintle.SessionId The session.
---@field subscribe? boolean Subscribe this connection; default true.
---@field fromSeq? integer Send the events after this number first.
---@field tail? integer Send this many of the last events first, if `fromSeq` is left out.
---@field cwd? string Another working directory from now on, absolute: for a session whose folder was moved or deleted. Refused with `conflict` while the session is open elsewhere in another folder.
---@field config? pintle.SessionConfig The settings from now on.
---@field include? (string)[] The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.

---The params of `session/list`.
---@class pintle.SessionListParams
---@field cwd? string Only sessions with this working directory.
---@field subagents? boolean Include the sessions of sub-agents; default false.
---@field query? string Only sessions with this text in their title or working directory, ignoring case.
---@field cursor? string The `nextCursor` of the page before.
---@field archived? boolean Only archived sessions; default false: only the others.
---@field limit? integer The maximum number of sessions, 1 to 1000; default 50.

---A page of sessions.
---@class pintle.SessionListResult
---@field sessions (pintle.SessionSummary)[] The sessions, newest first.
---@field nextCursor? string The cursor of the next page; absent on the last one.

---A stored session, as shown in lists.
---@class pintle.SessionSummary
---@field sessionId pintle.SessionId The session.
---@field cwd string The working directory.
---@field title? string The title that it was given, or the beginning of its first prompt.
---@field createdMs integer The creation time, in milliseconds since 1970.
---@field updatedMs integer The time of the last write to its journal, in milliseconds since 1970.
---@field path string The folder that holds its journal.
---@field parent? pintle.Parent The parent, if the session is a sub-agent.
---@field archived? boolean It is archived.

---The parent of a sub-agent's session.
---@class pintle.Parent
---@field sessionId pintle.SessionId The parent's session.
---@field agentId pintle.AgentId The sub-agent's id in the parent's session.

---The id of a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it.
---@alias pintle.AgentId string

---The params of `session/update`; fields left out do not change.
---@class pintle.SessionUpdateParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field title? string|userdata The title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again.

---The result of `session/update`.
---@class pintle.SessionUpdateResult
---@field title? string The title; absent when there is none.

---The params of `session/archive`.
---@class pintle.SessionArchiveParams
---@field sessionId pintle.SessionId The session, open or not.
---@field archived? boolean False takes it back into the lists; default true.

---The params of `session/search`.
---@class pintle.SessionSearchParams
---@field query? string Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the filters.
---@field cwd? string Only in sessions with this working directory.
---@field sessionId? pintle.SessionId Only in this session.
---@field afterSeq? integer Only after this event of that session, such as an anchor.
---@field beforeSeq? integer Only before this event of that session.
---@field kinds? (pintle.EntryKind)[] Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search that names one of these two reads journals, so it takes longer, and its hits are not ranked: the newest session comes first.
---@field roles? (pintle.EntryRole)[] Only entries of these roles; empty for all.
---@field path? string Only calls that concern a file with this in its path.
---@field afterMs? integer Only entries of this time or later, in milliseconds since 1970.
---@field beforeMs? integer Only entries before this time, in milliseconds since 1970.
---@field cursor? string The `nextCursor` of the page before.
---@field limit? integer The maximum number of hits, 1 to 200; default 20.

---The kind of a searchable entry.
---@alias pintle.EntryKind "userMessage"|"agentMessage"|"toolCall"|"toolOutput"|"reasoning"

---The role of a searchable entry.
---@alias pintle.EntryRole "user"|"assistant"|"tool"

---The result of `session/search`.
---@class pintle.SessionSearchResult
---@field hits (pintle.SearchHit)[] The hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked.
---@field nextCursor? string The cursor of the next page; absent on the last one.
---@field behind? integer The number of sessions whose text is not indexed yet; indexing continues, so search again.

---An entry that matches.
---@class pintle.SearchHit
---@field sessionId pintle.SessionId The session.
---@field seq integer The number of its event, around which `session/events` reads.
---@field itemId? pintle.ItemId The item.
---@field tsMs integer The time, in milliseconds since 1970.
---@field kind pintle.EntryKind The kind of entry.
---@field role pintle.EntryRole The role.
---@field title? string The session's title, as in lists.
---@field cwd string The session's working directory.
---@field snippet (pintle.SnippetPiece)[] The text around the first match, in pieces, without line ends.

---A piece of a snippet.
---@class pintle.SnippetPiece
---@field text string The text.
---@field match? boolean It matches the query.

---The params of `session/export`.
---@class pintle.SessionExportParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field format pintle.ExportFormat The format.
---@field path? string The file to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text.
---@field overwrite? boolean Overwrite an existing file.

---The format of an export.
---@alias pintle.ExportFormat "html"|"md"|"json"|"pi"

---The exported session.
---@class pintle.SessionExportResult
---@field text? string The text; absent where a file was written.
---@field path? string The path of the written file, absolute.
---@field bytes integer The size of the text in bytes.

---The params of `session/delete`.
---@class pintle.SessionDeleteParams
---@field sessionId pintle.SessionId The session. It must be named, and must not be open anywhere.

---The result of `session/delete`.
---@class pintle.SessionDeleteResult
---@field deleted (pintle.SessionId)[] The deleted sessions: the sub-agents' first, then the one that was named.

---The params of `session/rewind`.
---@class pintle.SessionRewindParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field to pintle.HistoryPoint The point to return to.
---@field scope? pintle.RewindScope The scope: the conversation, the files, or both.
---@field overwrite? (string)[] Files to restore although somebody else has changed them, by their absolute paths.
---@field summarize? boolean Have the model summarize the part of the history that it loses, and keep the summary in its context. This takes a turn of its own, whose reply is nothing but the summary.
---@field dryRun? boolean Only report the effect, without changing anything.

---A point in a session's history: exactly one of its fields is set.
---@class pintle.HistoryPoint
---@field itemId? pintle.ItemId Before this message of a person.
---@field turnId? pintle.TurnId After the end of this turn.
---@field seq? integer After the event with this number, which may lie beside the current path; 0 is the beginning.

---The scope of a rewind.
---@alias pintle.RewindScope "conversation"|"files"|"both"

---The effect of a rewind.
---@class pintle.SessionRewindResult
---@field toSeq integer The event after which the session continues.
---@field fromSeq integer The last event before the rewind: rewinding to it undoes this rewind.
---@field dropped (pintle.ItemId)[] Items that leave the model's context.
---@field restored (pintle.ItemId)[] Items that return to the model's context.
---@field input? (pintle.Input)[] The message before which the session was rewound, to be edited and sent again.
---@field summaryTurnId? pintle.TurnId The turn that writes the summary, if one was requested and there is something to summarize.
---@field files? (pintle.FileFate)[] The effect on the files that were changed since; empty when only the conversation is rewound.

---The effect of a rewind on one file.
---@class pintle.FileFate
---@field path string The path, absolute.
---@field owner pintle.FileOwner The author of the later changes.
---@field action pintle.FileAction The action.

---The author of a file's changes since the target of a rewind.
---@alias pintle.FileOwner "agent"|"other"|"conflict"

---The action of a rewind on a file.
---@alias pintle.FileAction "restore"|"remove"|"leave"|"lost"|"failed"

---The params of `session/fork`.
---@class pintle.SessionForkParams
---@field sessionId pintle.SessionId The session to fork; it does not change, and need not be open.
---@field at? pintle.HistoryPoint The point up to which its history is copied; all of it by default.
---@field title? string The title of the new session.
---@field cwd? string The working directory of the new session, absolute; that of the other one by default.
---@field config? pintle.SessionConfig The settings of the new session; those left out are copied.
---@field subscribe? boolean Subscribe this connection to the new session; default true.
---@field include? (string)[] The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key opens the session that the first one made, for a month and also after the engine was restarted.

---The params of `session/merge`. (Experimental.)
---@class pintle.SessionMergeParams
---@field sessionId? pintle.SessionId The session that receives the events; may be left out where this connection has made or opened exactly one.
---@field forkId pintle.SessionId The fork, made of that session by `session/fork`; it does not change, and need not be open.

---The effect of a merge. The copied events follow as `session/event`, after a `history.rewound`. (Experimental.)
---@class pintle.SessionMergeResult
---@field toSeq integer The event after which the copied events are inserted.
---@field fromSeq integer The last event before the merge: rewinding to it undoes the merge.
---@field copiedSeq integer The number of the last copied event, at which the session now stands.
---@field dropped (pintle.ItemId)[] Items that leave the model's context.
---@field restored (pintle.ItemId)[] Items that return to the model's context.
---@field added (pintle.ItemId)[] Items copied from the fork.

---The params of `session/label`.
---@class pintle.SessionLabelParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field at pintle.HistoryPoint The point.
---@field label? string The label, at most 200 characters; absent to remove it.
---@field metadata? any Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it.

---The point whose label changed.
---@class pintle.SessionLabelResult
---@field seq integer The event of the point.

---The params of `session/note`.
---@class pintle.SessionNoteParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field text? string The text, at most 64 KB. May be empty if there is data and the model does not read the note.
---@field kind? string The client's name for this kind of note, at most 64 characters.
---@field data? any Any data, at most 64 KB of JSON. The model does not read it.
---@field toModel? boolean The model reads the text at its next turn; default false.
---@field hidden? boolean Clients do not show it to people; default false.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more.

---The params of a request about one session.
---@class pintle.SessionParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.

---The history tree of a session.
---@class pintle.SessionTreeResult
---@field nodes (pintle.HistoryNode)[] Messages of people and labelled points, oldest first.
---@field leafSeq integer The last event.

---A node of the history tree.
---@class pintle.HistoryNode
---@field seq integer The event.
---@field parentSeq? integer The event of the parent node; absent for the first.
---@field itemId? pintle.ItemId The message's item, if the node is a message.
---@field turnId? pintle.TurnId The turn.
---@field text string The beginning of the message.
---@field tsMs integer The time, in milliseconds since 1970.
---@field label? string The label.
---@field isCurrent boolean It lies on the current path.

---The params of `session/anchors`. (Experimental.)
---@class pintle.SessionAnchorsParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.

---The anchors, between which a session's items can be listed and searched. (Experimental.)
---@class pintle.SessionAnchorsResult
---@field anchors (pintle.Anchor)[] The anchors, in the order of their events.

---A point of a session at which a section begins. (Experimental.)
---@class pintle.Anchor
---@field seq integer The event.
---@field kind pintle.AnchorKind The kind.
---@field text? string The label, or the beginning of the summary.
---@field metadata? any The client's data about a labelled point.
---@field from? pintle.SessionId The session from which events were copied.
---@field tsMs integer The time, in milliseconds since 1970.
---@field isCurrent boolean It lies on the current path.

---The kind of an anchor. (Experimental.)
---@alias pintle.AnchorKind "start"|"copied"|"compaction"|"handOver"|"label"

---The params of `review/list`.
---@class pintle.ReviewListParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field path? string Only hunks of this file, by its absolute path.
---@field turnId? pintle.TurnId Only hunks that this turn made or changed.
---@field closed? boolean Include closed hunks.

---The hunks by path and line, followed by closed ones, oldest first.
---@class pintle.ReviewListResult
---@field hunks (pintle.Hunk)[] The hunks.
---@field seq integer The last event that the list takes into account.

---A run of changed lines: its text in the baseline (at the last accepted point) and its text now.
---@class pintle.Hunk
---@field id pintle.HunkId The hunk's id, stable while the file changes elsewhere and never reused.
---@field path string The file's absolute path.
---@field kind pintle.HunkKind The kind: lines, or the file as a whole.
---@field state pintle.HunkState The state.
---@field before pintle.LineSpan The lines in the baseline.
---@field after pintle.LineSpan The lines in the present file.
---@field oldText string The text of those lines in the baseline, with line ends; empty where the file is not text.
---@field newText string The text of those lines in the present file.
---@field changedSeq integer The last event that changed its text. A decision that names an older one is refused.
---@field madeBy (pintle.Maker)[] The calls that made or changed it, in order.
---@field cause? string Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be a person's work, undoing a turn or everything skips it; undo the hunk or its file instead.
---@field comments? (pintle.Comment)[] The comments on it.
---@field verdict? integer The verdict that closed it.
---@field waiting? integer The number of a queued verdict about it.
---@field absorbedBy? pintle.HunkId The hunk that absorbed it.
---@field partOf? pintle.HunkId The hunk that it was split from, when a decision covered only some of its lines.

---The id of a hunk within its session: the number of the event that made it, a dot, and a count.
---@alias pintle.HunkId string

---The kind of a hunk.
---@alias pintle.HunkKind "lines"|"file"|"mode"

---The state of a hunk.
---@alias pintle.HunkState "pending"|"modified"|"conflict"|"kept"|"undone"|"absorbed"|"gone"

---A span of lines in a text.
---@class pintle.LineSpan
---@field start integer The first line, from 1. For an empty span: the line before which it lies.
---@field count integer The number of lines.

---A call that made or changed a hunk.
---@class pintle.Maker
---@field turnId pintle.TurnId The turn.
---@field itemId pintle.ItemId The tool call.
---@field whileRan? string Set if the call may not have made the change: the command that ran while the file changed.

---A comment of a person on a hunk.
---@class pintle.Comment
---@field seq integer The event that added it.
---@field side pintle.Side The side: the baseline or the present file.
---@field lines? pintle.LineSpan The lines within the hunk; absent for all.
---@field text string The comment's text.

---The params of `review/decide`.
---@class pintle.ReviewDecideParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field action pintle.ReviewAction The requested action.

---An action of a person.
---@alias pintle.ReviewAction pintle.ReviewAction.keep|pintle.ReviewAction.undo|pintle.ReviewAction.revert|pintle.ReviewAction.comment

---Accept the hunks: the baseline takes their lines. The file stays as it is.
---@class pintle.ReviewAction.keep
---@field action "keep" 
---@field target pintle.ReviewTarget The hunks concerned.

---Undo the hunks: the file gets the lines of the baseline again.
---@class pintle.ReviewAction.undo
---@field action "undo" 
---@field target pintle.ReviewTarget The hunks concerned.
---@field discardEdits? boolean Also remove lines that a person wrote into a hunk; otherwise such a hunk is a conflict.

---Revert a verdict, or withdraw a queued one.
---@class pintle.ReviewAction.revert
---@field action "revert" 
---@field verdict integer The event of the verdict.

---Comment on a hunk.
---@class pintle.ReviewAction.comment
---@field action "comment" 
---@field hunk pintle.HunkId The hunk.
---@field side pintle.Side The side: the baseline or the present file.
---@field lines? pintle.LineSpan The lines within the hunk; absent for all.
---@field text string The comment's text.

---The hunks that a decision concerns.
---@alias pintle.ReviewTarget pintle.ReviewTarget.hunk|pintle.ReviewTarget.lines|pintle.ReviewTarget.file|pintle.ReviewTarget.turn|pintle.ReviewTarget.all

---One hunk.
---@class pintle.ReviewTarget.hunk
---@field of "hunk" 
---@field hunk pintle.HunkId Its id.
---@field changedSeq? integer The `changedSeq` that was shown; the decision is refused when it has changed since.

---Some lines of a hunk.
---@class pintle.ReviewTarget.lines
---@field of "lines" 
---@field hunk pintle.HunkId Its id.
---@field changedSeq integer The `changedSeq` that was shown; the lines are counted in that text.
---@field lines pintle.LineSelection The selected lines.

---All open hunks of a file.
---@class pintle.ReviewTarget.file
---@field of "file" 
---@field path string Its absolute path.

---All open hunks that a turn made or changed.
---@class pintle.ReviewTarget.turn
---@field of "turn" 
---@field turnId pintle.TurnId The turn.

---All open hunks.
---@class pintle.ReviewTarget.all
---@field of "all" 

---A selection of lines of a hunk, counted within it.
---@class pintle.LineSelection
---@field old? pintle.LineSpan Lines of the baseline's text.
---@field new? pintle.LineSpan Lines of the present text.

---The result of `review/decide`.
---@class pintle.ReviewDecideResult
---@field seq integer The event of the verdict, by which it can be reverted. For a queued verdict, its number: reverting that withdraws it.
---@field verdict pintle.Verdict The effect on each hunk; for a queued verdict, the effect that it would have now.
---@field isQueued? boolean The verdict is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it was applied, or `review.queued` why not.

---A decision with its effect, complete enough to be the whole of an event.
---@class pintle.Verdict
---@field action pintle.ReviewAction The requested action.
---@field parts (pintle.VerdictPart)[] The effect on each hunk.
---@field waited? integer The number under which it was queued, if it was.

---The effect of a verdict on one hunk.
---@class pintle.VerdictPart
---@field hunk pintle.HunkId The hunk.
---@field path string Its file's absolute path.
---@field effect pintle.Effect The effect.
---@field lines? pintle.LineSelection The lines concerned; absent for the whole hunk.
---@field outcome pintle.Outcome The outcome.
---@field conflict? string For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers.
---@field cause? string Set if the hunk was skipped because the author of the change is unknown ([`Hunk::cause`]).

---The effect of a verdict on a hunk.
---@alias pintle.Effect "keep"|"undo"|"reopen"|"comment"|"withdraw"

---The outcome of a verdict for a hunk.
---@alias pintle.Outcome "applied"|"conflict"

---The params of `review/baseline`.
---@class pintle.ReviewBaselineParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field path string The file, by its absolute path.

---A file at its last accepted point.
---@class pintle.ReviewBaselineResult
---@field exists boolean The file existed.
---@field text? string The text; absent where there was no file or it was not UTF-8.

---The params of `review/patch`.
---@class pintle.ReviewPatchParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field open? boolean Only open hunks; otherwise everything that the agent did and that was not undone.

---A patch for `git apply` in the session's working directory.
---@class pintle.ReviewPatchResult
---@field text string The patch; empty when nothing was changed.
---@field leftOut? (string)[] Changed files outside of the working directory, which the patch leaves out.

---The params of `session/subscribe`.
---@class pintle.SessionSubscribeParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field fromSeq? integer Send the events after this number first; default: only new ones.
---@field tail? integer Send this many of the last events first, if `fromSeq` is left out.
---@field include? (string)[] The types of the events to send, durable or transient, such as `item.completed`; a `*` at the end stands for any text, as in `turn.*`. Default: all of them.
---@field exclude? (string)[] The types of the events not to send, in the same form; it outweighs `include`. `item.delta` leaves out all deltas.
---@field maxLatencyMs? integer Deltas may be held back for at most this long, in milliseconds, up to 10000, and sent merged; any other event sends what is held back first. Default: `coalesceMs` of the client's capability `deltas`, else 0.

---The params of `session/events`.
---@class pintle.SessionEventsParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field after? integer Read the events after this number; default 0, from the start.
---@field before? integer Read the last events before this number instead; a number beyond the end gives the end of the session. Not together with `after`.
---@field limit? integer The maximum number of events, 1 to 1000; default 200.

---A page of events.
---@class pintle.SessionEventsResult
---@field events (pintle.EventRecord)[] The events, in order.
---@field lastSeq integer The number of the session's last durable event.
---@field more boolean There are more events after the last one here; with `before`, before the first one.

---A durable event with its position in the session's log. It was written to the journal before it was sent anywhere.
---@class pintle.EventRecord
---@field sessionId pintle.SessionId The session.
---@field seq integer The event's sequence number in its session, from 1, without gaps.
---@field tsMs integer The time, in milliseconds since 1970.
---@field turnId? pintle.TurnId The turn it belongs to.
---@field cause? pintle.Cause The request of a client that it follows from at once; absent for what the engine does by itself.
---@field event pintle.Event The event.

---The request that an event follows from.
---@class pintle.Cause
---@field clientId? string The client that sent it: its `id` of `initialize`, or else its name.
---@field key? string The `key` of the request.

---Durable events, told apart by `type`. A reader skips a type that it does not know.
---@alias pintle.Event pintle.Event.session.created|pintle.Event.session.closed|pintle.Event.session.moved|pintle.Event.session.updated|pintle.Event.input.accepted|pintle.Event.input.removed|pintle.Event.queue.changed|pintle.Event.turn.started|pintle.Event.prompt.made|pintle.Event.turn.completed|pintle.Event.item.started|pintle.Event.item.updated|pintle.Event.item.completed|pintle.Event.approval.requested|pintle.Event.approval.resolved|pintle.Event.question.requested|pintle.Event.question.resolved|pintle.Event.plan.updated|pintle.Event.step.completed|pintle.Event.retry.scheduled|pintle.Event.context.pruned|pintle.Event.config.changed|pintle.Event.files.changed|pintle.Event.review.decided|pintle.Event.review.queued|pintle.Event.history.rewound|pintle.Event.label.changed|pintle.Event.notice

---The session was created.
---@class pintle.Event.session.created: pintle.SessionCreated
---@field type "session.created" 

---The session was closed in order; it can be opened again.
---@class pintle.Event.session.closed
---@field type "session.closed" 

---The session works in another folder from now on. Earlier events keep the paths that they had.
---@class pintle.Event.session.moved: pintle.SessionMoved
---@field type "session.moved" 

---The session's title changed or was removed.
---@class pintle.Event.session.updated: pintle.SessionUpdated
---@field type "session.updated" 

---A person's message was accepted and is on disk. It stays in the queue until a `userMessage` item with the same id is completed, or `input.removed` names it.
---@class pintle.Event.input.accepted: pintle.QueuedInput
---@field type "input.accepted" 

---Messages left the queue unread by the model. They are handed back here, whole.
---@class pintle.Event.input.removed
---@field type "input.removed" 
---@field inputs (pintle.QueuedInput)[] The messages.
---@field isHandled? boolean A hook has done what they ask for, so they are not to be sent again.

---Messages in the queue were edited or reordered. This is the whole queue.
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

---An item changed; this is its whole new value.
---@class pintle.Event.item.updated
---@field type "item.updated" 
---@field item pintle.Item The item's current value.

---An item ended; this is its whole final value.
---@class pintle.Event.item.completed
---@field type "item.completed" 
---@field item pintle.Item The item's final value.

---An approval is requested.
---@class pintle.Event.approval.requested: pintle.Approval
---@field type "approval.requested" 

---An approval was answered or withdrawn.
---@class pintle.Event.approval.resolved: pintle.ApprovalOutcome
---@field type "approval.resolved" 

---A question is put to a person.
---@class pintle.Event.question.requested: pintle.Question
---@field type "question.requested" 

---A question was answered or withdrawn.
---@class pintle.Event.question.resolved: pintle.QuestionOutcome
---@field type "question.resolved" 

---The model changed its plan; this is the whole plan.
---@class pintle.Event.plan.updated: pintle.Plan
---@field type "plan.updated" 

---A model reply ended, complete or cut off; its tool calls, if any, run now.
---@class pintle.Event.step.completed: pintle.StepCompleted
---@field type "step.completed" 

---The provider failed, and the request is retried after a delay. What was shown of the interrupted reply stays, its open items are cancelled, and the model replies anew.
---@class pintle.Event.retry.scheduled: pintle.RetryScheduled
---@field type "retry.scheduled" 

---Old results were removed from the model's context to make room. The journal keeps them.
---@class pintle.Event.context.pruned: pintle.ContextPruned
---@field type "context.pruned" 

---The session's settings changed, with effect from the next turn.
---@class pintle.Event.config.changed: pintle.ConfigChanged
---@field type "config.changed" 

---Files were changed. The event follows the end of the call that changed them.
---@class pintle.Event.files.changed: pintle.FilesChanged
---@field type "files.changed" 

---A person decided about hunks.
---@class pintle.Event.review.decided: pintle.Verdict
---@field type "review.decided" 

---The queue of verdicts that wait for the next gap between two calls changed.
---@class pintle.Event.review.queued: pintle.ReviewQueue
---@field type "review.queued" 

---The session continues from another point of its history. Later events stay in the journal, but no longer in the model's context.
---@class pintle.Event.history.rewound: pintle.HistoryRewound
---@field type "history.rewound" 

---The label of a point in the history changed.
---@class pintle.Event.label.changed: pintle.LabelChanged
---@field type "label.changed" 

---A notice for a person.
---@class pintle.Event.notice: pintle.Notice
---@field type "notice" 

---The instructions of a named agent.
---@class pintle.AgentRole
---@field name string The name.
---@field instructions string The instructions.
---@field tools? (string)[] The tools that it may use, as its file names them; absent for all.

---The origin of a forked session.
---@class pintle.ForkedFrom
---@field sessionId pintle.SessionId The session that was forked.
---@field seq integer The last event of that session that is part of this session's history.
---@field copiedSeq integer The number of the last copied event in this session.

---The settings that the session was created with.
---@class pintle.SessionCreated
---@field cwd string The working directory, absolute.
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode The permission mode.
---@field mode? pintle.WorkMode The work mode.
---@field title? string The title, if one was given.
---@field parent? pintle.Parent The parent, if the session is a sub-agent.
---@field role? pintle.AgentRole The named agent whose instructions it follows, if any.
---@field systemPrompt? string Instructions for this session alone.
---@field tools? (string)[] The names of the tools that its model sees; all of them if absent.
---@field forkedFrom? pintle.ForkedFrom The origin of the history it began with, if it is a fork.

---The session works in another folder.
---@class pintle.SessionMoved
---@field from string The working directory until now.
---@field cwd string The working directory from now on.

---The author of a session's title.
---@alias pintle.TitledBy "person"|"model"

---The session's title changed.
---@class pintle.SessionUpdated
---@field title? string The title; absent when it was removed.
---@field by pintle.TitledBy The author of the title.
---@field usage? pintle.Usage The usage of the request that made it, where a model did; it belongs to no turn.
---@field costNanoUsd? integer The cost of that usage, in billionths of a US dollar; absent where the price is not known.

---A file that a system prompt contains or names.
---@class pintle.PromptSource
---@field kind pintle.PromptSourceKind The kind of file.
---@field path string Its absolute path.

---The kind of a file in a system prompt.
---@alias pintle.PromptSourceKind "document"|"rule"|"skill"|"agent"

---The sources of a system prompt.
---@class pintle.PromptMade
---@field sources? (pintle.PromptSource)[] The files that it contains or names, in order.

---The final status of a turn.
---@alias pintle.TurnStatus "completed"|"interrupted"|"failed"

---The reason why a model stopped.
---@alias pintle.StopReason "endTurn"|"toolUse"|"maxTokens"|"refusal"|"paused"|"limit"|"other"

---The error that ended a turn.
---@class pintle.TurnError
---@field code string A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may be added.
---@field message string The message, for a person.
---@field hint? string The suggested next step.
---@field retryable? boolean A retry may succeed.
---@field httpStatus? integer The provider's HTTP status.

---The outcome of a turn.
---@class pintle.TurnCompleted
---@field status pintle.TurnStatus The final status.
---@field stop? pintle.StopReason The reason why the model stopped, when the model ended the turn.
---@field error? pintle.TurnError The error, when the turn failed.
---@field usage pintle.Usage The turn's usage, including that of sub-agents whose turns ended meanwhile.
---@field costNanoUsd? integer The cost of that usage, in billionths of a US dollar; absent where the price is not known.
---@field steps integer The number of model replies.
---@field denials? integer The number of denied tool calls.
---@field structured? any The final message as a JSON value that satisfies the turn's `outputSchema`; absent without one, and where a limit or a person ended the turn.
---@field durationMs integer The duration in milliseconds.

---A unit that a client can draw. The event that completes an item carries its whole value, so the deltas before it are never needed for correctness.
---@class pintle.Item: pintle.UserMessage, pintle.TextBody, pintle.TextBody, pintle.ToolCall, pintle.Job, pintle.Subagent, pintle.Compaction, pintle.EngineMessage
---@field id pintle.ItemId The item's id.
---@field turnId? pintle.TurnId The turn it belongs to.
---@field step? integer The step (model reply) within the turn, from 1; absent for items that no model made.
---@field status pintle.ItemStatus The item's status.
---@field startedMs integer The start time, in milliseconds since 1970; of a call that runs, when it began to run.
---@field durationMs? integer The duration in milliseconds; present once the item has ended.
---@field type "userMessage" 

---The status of an item. A reader treats an unknown value as still running.
---@alias pintle.ItemStatus "pending"|"running"|"completed"|"failed"|"declined"|"cancelled"

---A person's message in the conversation.
---@class pintle.UserMessage
---@field content (pintle.Input)[] The blocks, as sent.

---A text that grows while it streams.
---@class pintle.TextBody
---@field text string The whole text so far; empty in `item.started`.

---The result of a tool: content for the model, and details that a client may draw.
---@class pintle.ToolResult
---@field content (pintle.Content)[] The content for the model.
---@field isError? boolean The tool failed, was declined or was cancelled; the content says why.
---@field details? pintle.ToolDetails Details for clients.

---One block of a tool's result, as the model sees it.
---@alias pintle.Content pintle.Content.text|pintle.Content.image

---Text.
---@class pintle.Content.text
---@field type "text" 
---@field text string The text.

---An image.
---@class pintle.Content.image
---@field type "image" 
---@field mimeType string The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
---@field data string The image's bytes in base64.

---Details of a tool's result that only clients need.
---@class pintle.ToolDetails
---@field changes? (pintle.FileChange)[] The files it changed.
---@field exitCode? integer A command's exit code.
---@field signal? string The name of the signal that ended a command, such as `SIGKILL`.
---@field truncation? pintle.Truncation The record of the output's truncation, if it was truncated.
---@field fullOutputPath? string A file that holds the whole output, when it was truncated.
---@field fullOutput? pintle.FullOutput The whole output for `blob/read`, when it was truncated.
---@field jobs? (pintle.JobRef)[] The background jobs concerned.
---@field agent? pintle.AgentId The sub-agent that it started.
---@field sandbox? pintle.SandboxReport The sandbox that the command ran in; absent if it was not confined.
---@field denial? pintle.Denial The reason why the permissions denied the call; absent if they did not.

---A record of the truncation of a tool's output, made before the model saw it.
---@class pintle.Truncation
---@field truncatedBy? pintle.TruncatedBy The limit that was exceeded; absent when nothing was cut.
---@field totalLines integer Lines of the whole output; a trailing newline does not count as one more.
---@field totalBytes integer Bytes of the whole output.
---@field outputLines integer Lines that remain.
---@field outputBytes integer Bytes that remain.
---@field lastLinePartial? boolean The last remaining line was itself cut at its start.
---@field firstLineExceedsLimit? boolean Nothing remains because the first line alone exceeds the byte limit.
---@field maxLines integer The limit in lines.
---@field maxBytes integer The limit in bytes.

---The limit that truncated an output.
---@alias pintle.TruncatedBy "lines"|"bytes"

---A reference to a whole output that the session keeps.
---@class pintle.FullOutput
---@field ref string Its name for `blob/read`.
---@field bytes integer Its size in bytes.

---A reference from a tool call to a background job.
---@class pintle.JobRef
---@field jobId pintle.JobId The job's id.
---@field itemId pintle.ItemId The job's item.
---@field hasEnded? boolean The result reports how the job ended.

---The id of a background job within its session: `job-1`, `job-2` …, short because a model writes it.
---@alias pintle.JobId string

---The sandbox of a command that ran confined.
---@class pintle.SandboxReport
---@field level string The level that the kernel enforced, in words: `full: Landlock 7, seccomp, namespaces`.
---@field denied? boolean The sandbox is the likely cause of the command's failure. The same command again asks to run outside of it.
---@field created? (string)[] Protected files that the command created.
---@field refusedHosts? (string)[] Hosts that a command which failed was refused, as a rule names them: `docs.rs`, `localhost:8080`.

---A denial by the permissions, and what would have allowed the call.
---@class pintle.Denial
---@field decidedBy string The rule, mode or list that decided, in words.
---@field mode? pintle.PermissionMode The narrowest permission mode in which the call would have run, with the rules if there are some; absent where no mode is enough.
---@field rules? (string)[] The rules that would have allowed it, in words; with `mode`, both are needed.

---A tool call, from the first byte of its arguments to its result.
---@class pintle.ToolCall
---@field toolName string The tool's name, as the model calls it.
---@field title string One line for a person: `bash: cargo test`.
---@field kind pintle.ToolKind The kind of tool, for icons and rules.
---@field byProvider? boolean The model's provider runs the tool itself: nobody is asked, and `item/cancel` does not stop it.
---@field locations? (pintle.Location)[] The files and lines concerned.
---@field input? any The arguments; absent until they are complete.
---@field changedInput? any The arguments that a hook put in their place; the call ran with these.
---@field output? pintle.ToolResult The result; absent until the call has ended.

---The way a background job ended.
---@alias pintle.JobEnd "exited"|"signalled"|"timedOut"|"stopped"|"sessionEnded"|"failed"

---A background job, from its start to its end.
---@class pintle.Job
---@field jobId pintle.JobId The id that the model and clients use.
---@field title string One line for a person.
---@field command string The command, as the shell reads it.
---@field byUser? boolean A person ran it with `shell/run`. The model reads of it in a note, if at all.
---@field end? pintle.JobEnd The end of the job; absent while it runs.
---@field output? string The last part of the output; absent while the job runs, when deltas of the field `output` carry it.
---@field details? pintle.ToolDetails Exit code, signal, and the truncation of the output with a reference to the whole.

---The state of a sub-agent.
---@alias pintle.SubagentState "working"|"done"|"failed"|"closed"

---A sub-agent: a session of its own that works on a part of the task. Its events carry that session's id.
---@class pintle.Subagent
---@field agentId pintle.AgentId The id that the model and clients use.
---@field sessionId pintle.SessionId The sub-agent's session.
---@field task string The task it was given.
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field state pintle.SubagentState The sub-agent's state.
---@field result? string Its last message, as the parent's model reads it; absent until its first turn has ended.
---@field turnsUsed? integer The number of its replies so far.
---@field usage? pintle.Usage The tokens used so far.
---@field costNanoUsd? integer The cost so far, in billionths of a US dollar; absent where the price is not known.

---The reason for a compaction.
---@alias pintle.CompactionReason "threshold"|"overflow"|"requested"

---The files that the model of a session has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed.
---@class pintle.CompactionFiles
---@field read? (string)[] The files that it has read and not changed.
---@field changed? (string)[] The files that its calls have changed, created or deleted.
---@field omitted? integer The number of files that are left out.

---A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps them all.
---@class pintle.Compaction
---@field reason pintle.CompactionReason The reason for the compaction.
---@field tokensBefore integer The estimated tokens of the conversation before.
---@field tokensAfter? integer The estimated tokens afterwards; absent until the compaction is completed.
---@field summary? string The summary. While the compaction runs, deltas of the field `text` carry it.
---@field files? pintle.CompactionFiles The files that the model has read and changed so far, which the summary lists; absent if there are none.
---@field error? string The reason for a failure, which leaves the conversation as it was.

---A note that a client has put into the history with `session/note`.
---@class pintle.ClientNote
---@field kind? string The client's name for this kind of note.
---@field data? any The client's data.
---@field isUnread? boolean The model does not read it.
---@field isHidden? boolean Clients do not show it to people.

---A message of the engine to the model.
---@class pintle.EngineMessage
---@field text string The text, as the model reads it.
---@field jobs? (pintle.ItemId)[] The items of the jobs whose end it reports.
---@field mode? pintle.WorkMode The mode that it announces.
---@field reviewed? (integer)[] The review events that it reports.
---@field sumsUpLeft? boolean It summarizes the part of the history that a rewind left behind.
---@field note? pintle.ClientNote The note of a client that it carries.

---The origin of a decision about an approval.
---@alias pintle.DecidedBy "client"|"noApprover"|"deadline"|"interrupt"

---The outcome of an approval.
---@class pintle.ApprovalOutcome
---@field approvalId pintle.ApprovalId The approval.
---@field itemId pintle.ItemId The tool call.
---@field decision pintle.Decision The decision.
---@field scope pintle.Scope The scope in which the decision holds.
---@field by pintle.DecidedBy The origin of the decision.
---@field feedback? string The person's message to the model.

---The origin of an answer to a question.
---@alias pintle.AnsweredBy "client"|"dismissed"|"deadline"|"noClient"|"interrupt"

---The outcome of a question.
---@class pintle.QuestionOutcome
---@field questionId pintle.QuestionId The question.
---@field itemId pintle.ItemId The tool call.
---@field optionIds? (string)[] The chosen options.
---@field text? string The person's text.
---@field by pintle.AnsweredBy The origin of the answer.

---The end of a model reply, with its usage and cost.
---@class pintle.StepCompleted
---@field step integer The step within the turn, from 1.
---@field stop? pintle.StopReason The reason why the model stopped; absent when it was interrupted.
---@field usage pintle.Usage The usage of this reply.
---@field turnUsage pintle.Usage The usage of the turn so far.
---@field costNanoUsd? integer The cost of this reply, in billionths of a US dollar; absent where the price is not known.
---@field turnCostNanoUsd? integer The cost of the turn so far, in billionths of a US dollar; absent where no price is known.

---A retry of a failed request to a provider.
---@class pintle.RetryScheduled
---@field attempt integer The number of this retry, from 1.
---@field of integer The maximum number of retries.
---@field delayMs integer The delay in milliseconds, counted from this event.
---@field code string The error code, as in [`TurnError`].
---@field message string The message, for a person.

---Old results, and long arguments of old calls, that were removed from the model's context.
---@class pintle.ContextPruned
---@field results integer The number of results.
---@field calls? integer The number of calls whose long arguments were shortened.
---@field tokensBefore integer The estimated tokens before.
---@field tokensAfter integer The estimated tokens afterwards.

---A session's settings from the next turn on.
---@class pintle.ConfigChanged
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode The permission mode.
---@field mode? pintle.WorkMode The work mode.

---The change of a file.
---@class pintle.FileRecord
---@field path string The path, absolute.
---@field before? pintle.FileState The state before; absent when there was no file.
---@field after? pintle.FileState The state afterwards; absent when the file was deleted.

---The state of a file at some time. The session keeps its content under its hash.
---@class pintle.FileState
---@field sha256 string SHA-256 of the content, in hex.
---@field size integer The size in bytes.
---@field mode? integer The permission bits, if any.
---@field isLost? boolean The content was too large to be kept, so it cannot be restored.

---The author of changes.
---@alias pintle.ChangedBy pintle.ChangedBy.call|pintle.ChangedBy.other|pintle.ChangedBy.rewind|pintle.ChangedBy.review

---A tool call of the model.
---@class pintle.ChangedBy.call
---@field type "call" 
---@field itemId pintle.ItemId The call's item.
---@field whileRan? string Set if the command may not have made the changes: the command that ran while the files changed.

---Somebody else, before the next call: a person, another program, a background job.
---@class pintle.ChangedBy.other
---@field type "other" 

---A rewind.
---@class pintle.ChangedBy.rewind
---@field type "rewind" 

---A person's verdict, logged in the `review.decided` before it.
---@class pintle.ChangedBy.review
---@field type "review" 

---Files were changed.
---@class pintle.FilesChanged
---@field changes (pintle.FileRecord)[] The files.
---@field by pintle.ChangedBy The author.

---A queued verdict.
---@class pintle.WaitingVerdict
---@field id integer Its number: the event that queued it.
---@field action pintle.ReviewAction The requested action.

---A verdict that was not applied.
---@class pintle.RefusedVerdict
---@field id integer Its number.
---@field reason string The reason, for people.

---The queue of verdicts that wait for a gap between two calls of the running turn.
---@class pintle.ReviewQueue
---@field waiting (pintle.WaitingVerdict)[] The queued verdicts, in order.
---@field refused? pintle.RefusedVerdict A verdict that left the queue without being applied.

---The origin of merged events.
---@class pintle.MergedFrom
---@field sessionId pintle.SessionId The fork. Its usage is not counted in this session.
---@field seq integer The last event of the fork that is now part of this session's history.
---@field copiedSeq integer The number of the last copied event in this session.

---The session continues from another point of its history.
---@class pintle.HistoryRewound
---@field toSeq integer The event after which it continues; 0 is the beginning.
---@field dropped? (pintle.ItemId)[] Items that leave the model's context; a client removes them from its view.
---@field restored? (pintle.ItemId)[] Items that return to the model's context.
---@field merged? pintle.MergedFrom The origin of the next events, when they are merged from a fork.

---The label of a point in the history changed.
---@class pintle.LabelChanged
---@field seq integer The event of the point.
---@field label? string The label; absent when it was removed.
---@field metadata? any The client's data about the point.

---The severity of a notice.
---@alias pintle.NoticeLevel "info"|"warning"|"error"

---A notice for a person.
---@class pintle.Notice
---@field level pintle.NoticeLevel The severity.
---@field code string A stable code.
---@field message string The message.
---@field hint? string The suggested next step.

---The params of `blob/read`.
---@class pintle.BlobReadParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field ref string The output's name, as `details.fullOutput` gives it.
---@field offset? integer The first byte, from 0; default 0. Continue with the `end` of the part before.
---@field length? integer The maximum number of bytes, 1 to 1,048,576; default 65,536.

---A part of a long output.
---@class pintle.BlobReadResult
---@field text string The text; it may be a few bytes shorter than requested, so that no character is cut.
---@field offset integer The offset of its first byte.
---@field end integer The offset after its last byte, where the next part begins.
---@field size integer The size of the whole output, in bytes.

---The params of `turn/start`.
---@class pintle.TurnStartParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field input (pintle.Input)[] The prompt.
---@field whenBusy? pintle.WhenBusy The action while a turn runs; default `reject`.
---@field limits? pintle.TurnLimits The turn's budget.
---@field outputSchema? any The JSON Schema that the turn's final message must satisfy. The model is told it, and a message that does not is asked for again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`.
---@field traceparent? string The trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty value ends the trace that was set before.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.

---The handling of a prompt while a turn runs.
---@alias pintle.WhenBusy "reject"|"queue"

---A prompt was accepted; it is on disk.
---@class pintle.TurnStartResult
---@field turnId pintle.TurnId The turn that it starts, now or later.
---@field itemId pintle.ItemId The id of its `userMessage` item.
---@field disposition pintle.Disposition The disposition of the prompt.

---The disposition of an accepted prompt.
---@alias pintle.Disposition "started"|"queued"

---The params of `turn/steer`.
---@class pintle.TurnSteerParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field expectedTurnId? pintle.TurnId Refuse with `conflict` unless this turn is the running one.
---@field input (pintle.Input)[] The message.
---@field whenIdle? pintle.WhenIdle The action while no turn runs; default `reject`.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.

---The handling of a steer while no turn runs.
---@alias pintle.WhenIdle "reject"|"hold"

---The result of `turn/steer`.
---@class pintle.TurnSteerResult
---@field outcome pintle.SteerOutcome The outcome.
---@field itemId? pintle.ItemId The id of its `userMessage` item, when it was accepted.
---@field turnId? pintle.TurnId The turn it goes into, when it was accepted.

---The outcome of a steer.
---@alias pintle.SteerOutcome "accepted"|"held"|"noActiveTurn"

---The params of `turn/interrupt`.
---@class pintle.TurnInterruptParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field turnId? pintle.TurnId Refuse with `conflict` unless this turn is the running one.
---@field queue? pintle.QueuePolicy The handling of queued messages; default `return`.

---The handling of queued messages when a turn is interrupted.
---@alias pintle.QueuePolicy "return"|"keep"

---The result of `turn/interrupt`.
---@class pintle.TurnInterruptResult
---@field turnId? pintle.TurnId The interrupted turn; absent when none runs.
---@field returned? (pintle.QueuedInput)[] The returned messages.

---The params of `session/compact`.
---@class pintle.SessionCompactParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field instructions? string Instructions for the summary.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the first one and has no second effect, also after the engine was restarted.

---The compaction has started.
---@class pintle.SessionCompactResult
---@field turnId pintle.TurnId The turn that performs it.

---The params of `context/read`. (Experimental.)
---@class pintle.ContextReadParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field summary? boolean Leave out the messages and return only the token counts.

---The last request to the model; before the first one, the request that would be sent. (Experimental.)
---@class pintle.ContextReadResult
---@field usage pintle.ContextUsage The fill level of the window.
---@field sources (pintle.ContextSource)[] The estimated tokens by source.
---@field system? string The system prompt.
---@field tools? (pintle.ContextTool)[] The tools.
---@field messages? (pintle.ContextMessage)[] The messages, in order.

---The share of one source in the context. (Experimental.)
---@class pintle.ContextSource
---@field source string The source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added.
---@field count integer The number of messages or tools.
---@field tokens integer Their estimated tokens.

---A tool as described to the model. (Experimental.)
---@class pintle.ContextTool
---@field name string Its name.
---@field description string Its description.
---@field parameters any JSON Schema of its arguments.

---A message as it is sent to the model, independent of the provider's wire format. (Experimental.)
---@class pintle.ContextMessage
---@field role string The role: `user`, `assistant` or `result`.
---@field callId? string Of a result: the id of its call.
---@field isError? boolean Of a result: the call failed.
---@field blocks (pintle.ContextBlock)[] Its blocks.

---A block of a message, told apart by `type`. (Experimental.)
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

---A session's settings, and the outcome of a change.
---@class pintle.ConfigResult
---@field options (pintle.ConfigOption)[] Every option, with its current value.
---@field applied? (string)[] The ids of the options that were set.
---@field rejected? (pintle.Rejected)[] The values that were rejected, with the reasons.

---An option of a session.
---@class pintle.ConfigOption
---@field id string Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be added.
---@field name string Its display name.
---@field value string The value, effective from the next turn.
---@field choices? (string)[] The possible values; empty where any text is accepted.

---A rejected value.
---@class pintle.Rejected
---@field id string The option's id, as it was sent.
---@field reason string The reason, and the next step.

---The params of `config/set`.
---@class pintle.ConfigSetParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field values table<string, string> New values, by the option's id.

---The queued messages, in the order in which the model will read them.
---@class pintle.QueueResult
---@field queue (pintle.QueuedInput)[] The messages.

---The params of `queue/update`.
---@class pintle.QueueUpdateParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field itemId pintle.ItemId The message.
---@field input? (pintle.Input)[] The new content.
---@field delivery? pintle.Delivery The new delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a turn of its own.
---@field before? pintle.ItemId Move it before this message of the same delivery.
---@field toEnd? boolean Move it behind all messages of the same delivery.

---The params of `queue/remove`.
---@class pintle.QueueRemoveParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field itemIds? (pintle.ItemId)[] The messages to remove; all by default.

---The removed messages.
---@class pintle.QueueRemoveResult
---@field removed (pintle.QueuedInput)[] The messages, whole.

---An answer to an approval, sent as a request of the client. One that names no offered option is refused, and the approval stays pending.
---@class pintle.ApprovalAnswerParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field approvalId pintle.ApprovalId The approval.
---@field optionId? string The chosen option.
---@field feedback? string A message for the model, sent with a denial.
---@field dismissed? boolean The dialog was closed without a choice, which denies this one call.

---An answer to a question, sent as a request of the client. One that names an option that was not offered, or is empty, is refused, and the question stays open.
---@class pintle.QuestionAnswerParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field questionId pintle.QuestionId The question.
---@field optionIds? (string)[] The chosen options.
---@field text? string A text of the person.
---@field dismissed? boolean The dialog was closed without an answer; the model is told to decide by itself.

---All current diagnostics of a file; they replace the earlier ones of that file.
---@class pintle.EditorDiagnosticsParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field path string The file, absolute or relative to the session's working directory.
---@field version? integer The version of the text that was checked, as the editor counts; a report for an older version is ignored.
---@field items (pintle.EditorDiagnostic)[] The diagnostics; empty when there are none.

---One diagnostic.
---@class pintle.EditorDiagnostic
---@field range pintle.LineRange The lines concerned.
---@field severity pintle.Severity The severity. The model is told of errors and warnings.
---@field message string The message.
---@field source? string The tool that reported it, such as `rustc`.
---@field code? string The tool's code for it, such as `E0308`.

---The params of `document/open`. Opening a document again replaces its earlier state.
---@class pintle.DocumentOpenParams
---@field path string The file, absolute. It need not exist yet.
---@field version integer The version of the text; it rises with every change.
---@field text string The whole text as it would be saved, with its line ends, without a byte order mark.
---@field isDirty boolean The text has unsaved changes, so tools read it instead of the file.

---The params of `document/change`.
---@class pintle.DocumentChangeParams
---@field path string The file, as it was opened.
---@field version integer The version after the changes.
---@field changes (pintle.DocumentChange)[] The changes; each applies to the result of the one before.
---@field isDirty boolean The text differs from the last saved one.

---A change of a text.
---@class pintle.DocumentChange
---@field range? pintle.TextRange The range to replace; absent for the whole text.
---@field text string The replacement.

---A range in a text. Positions beyond the end of a line or of the text mean that end.
---@class pintle.TextRange
---@field start pintle.Position The start.
---@field end pintle.Position The end, exclusive.

---A position in a text.
---@class pintle.Position
---@field line integer The line, from 0; lines end with `\n` or `\r\n`.
---@field character integer UTF-16 code units from the start of the line, as in LSP.

---The params of `document/save`: the file now holds the text of this version.
---@class pintle.DocumentSaveParams
---@field path string The file, as it was opened.
---@field version integer The version that was saved.

---The params of `document/close`. Unsaved text is discarded; tools read the file again.
---@class pintle.DocumentCloseParams
---@field path string The file, as it was opened.

---The params of `session/items`.
---@class pintle.SessionItemsParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field before? integer Only items before this event; the last items by default.
---@field after? integer Only items after this event, such as an anchor.
---@field limit? integer The maximum number of items, 1 to 1,000; default 100.

---The current values of items.
---@class pintle.SessionItemsResult
---@field items (pintle.ItemAt)[] The items of the current path, in the order of their last events. Items that have not ended are in the newest page.
---@field more boolean There are more items; request those before the first one's `seq`.

---An item with the last event that concerns it.
---@class pintle.ItemAt
---@field seq integer The event.
---@field item pintle.Item The item.

---The params of `item/read`.
---@class pintle.ItemReadParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field itemId pintle.ItemId The item.

---The params of `item/cancel`.
---@class pintle.ItemCancelParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field itemId pintle.ItemId The `toolCall` item.

---The params of `checkpoint/list`.
---@class pintle.CheckpointListParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.

---The points to which files can be restored: the start and the end of each turn.
---@class pintle.CheckpointListResult
---@field checkpoints (pintle.Checkpoint)[] The checkpoints, oldest first.

---A point to which files can be restored.
---@class pintle.Checkpoint
---@field seq integer The event after which the checkpoint lies; 0 is the beginning.
---@field turnId? pintle.TurnId The turn that ended there.
---@field tsMs integer The time, in milliseconds since 1970.
---@field changed (string)[] The paths that changed since the checkpoint before, absolute.
---@field label? string The label of the point.

---The params of `checkpoint/diff`.
---@class pintle.CheckpointDiffParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field from pintle.HistoryPoint The first point.
---@field to? pintle.HistoryPoint The second point; the journal's present state by default.

---The difference of files between two points.
---@class pintle.CheckpointDiffResult
---@field text string A patch for `git apply` in the session's working directory, with the changes of everybody.
---@field leftOut? (string)[] Changed files that the patch leaves out: outside of that directory, or with a content that was not kept.

---The params of `shell/run`.
---@class pintle.ShellRunParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field command string The command line, as a shell reads it.
---@field toModel? boolean The model reads the command and its output with the next prompt; default true.
---@field key? string A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its response is the one to the first.

---The result of a command.
---@class pintle.ShellRunResult
---@field jobId pintle.JobId The job that ran it. Its item shows the command; deltas of the field `output` carry what it prints.
---@field output string The end of its output, at most 2,000 lines and 50 KB.
---@field exitCode? integer Its exit code; absent where it was cancelled or ended by a signal.
---@field cancelled? boolean It was cancelled.
---@field truncated? boolean `output` is not the whole output.
---@field fullOutputPath? string The file with the whole output, if it was truncated.

---The usage of a session.
---@class pintle.UsageReadResult
---@field total pintle.UsageCount The usage of all turns, sub-agents included, and of the titles that models made.
---@field models (pintle.ModelUsage)[] The part of each model of the session's turns, in the order of their first use. A turn's sub-agents count for the model of the turn.
---@field titles pintle.UsageCount The part of titles, which belong to no turn.

---Counted tokens and money.
---@class pintle.UsageCount
---@field turns integer The number of turns.
---@field steps integer The number of model replies in these turns.
---@field usage pintle.Usage The tokens.
---@field costNanoUsd? integer The cost, in billionths of a US dollar, as far as prices are known; absent where none is.
---@field uncachedCostNanoUsd? integer The cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent where a price is not known, and for titles.
---@field durationMs integer The duration of the turns in milliseconds.

---The usage of a model.
---@class pintle.ModelUsage
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field turns integer The number of turns.
---@field steps integer The number of model replies in these turns.
---@field usage pintle.Usage The tokens.
---@field costNanoUsd? integer The cost, in billionths of a US dollar, as far as prices are known; absent where none is.
---@field uncachedCostNanoUsd? integer The cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent where a price is not known, and for titles.
---@field durationMs integer The duration of the turns in milliseconds.

---A session's background jobs.
---@class pintle.JobListResult
---@field jobs (pintle.Item)[] Their items, oldest first.

---The params of `job/stop`.
---@class pintle.JobStopParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field jobId pintle.JobId The job.

---The result of `job/stop`.
---@class pintle.JobStopResult
---@field job pintle.Item The ended job's item.

---The result of `mcp/list`. (Experimental.)
---@class pintle.McpListResult
---@field servers (pintle.McpServerState)[] The session's servers. Those of a project's file are known once a turn has begun.

---The state of a session's server. (Experimental.)
---@class pintle.McpServerState
---@field name string Its name, unique in the session.
---@field target string The command line or address, as it was configured.
---@field origin string Where it was configured, in words.
---@field status pintle.McpStatus Its status.
---@field message? string The reason of a failure, in words.
---@field login? pintle.McpLoginState The login to it; absent where it has none: a program, or an address whose settings have an `Authorization`.
---@field about? string Its own name and version, and the protocol's; once it is connected.
---@field tools? (pintle.McpTool)[] Its tools, once it is connected.
---@field stderr? (string)[] The last lines that it wrote to its error output.

---The status of a server. (Experimental.)
---@alias pintle.McpStatus "idle"|"starting"|"ready"|"failed"|"off"

---The login to a server. (Experimental.)
---@alias pintle.McpLoginState "possible"|"wanted"

---A tool of a server. (Experimental.)
---@class pintle.McpTool
---@field name string Its name at the server.
---@field description string The server's description of it.
---@field saysReadOnly? boolean The server says that it changes nothing. Permissions do not depend on it.

---The params of `mcp/update`. (Experimental.)
---@class pintle.McpUpdateParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field server string The server's name.
---@field enabled? boolean Switches it off or on for this session. The tools of one that is off stay in the model's list, and their calls fail.
---@field restart? boolean Starts one that failed at once, without waiting for its next use.

---The params of `mcp/login`. (Experimental.)
---@class pintle.McpLoginParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field server string The server's name.
---@field scopes? (string)[] The scopes to ask for, in place of those of its settings and of those that the server names.

---The params of `mcp/logout`. (Experimental.)
---@class pintle.McpLogoutParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field server string The server's name.

---The result of `mcp/logout`. (Experimental.)
---@class pintle.McpLogoutResult
---@field removed boolean There was a stored login.

---The providers and models known by name. Any other `provider/id` of a known provider works as well.
---@class pintle.ModelsListResult
---@field providers (pintle.ProviderInfo)[] The providers: built-in ones, then the user's own.
---@field models (pintle.ModelInfo)[] The models: built-in ones, then the user's own.
---@field problems? (string)[] Problems in the settings files. When a file cannot be used, the list is the one from before.

---A provider.
---@class pintle.ProviderInfo
---@field name string The name in `provider/id`.
---@field api? string The wire API: `chat`, `messages`, `responses` or `gemini`; absent where it differs by model.
---@field url? string The URL of requests, without secret parts. Names in braces or after a dollar sign stand for variables.
---@field key pintle.KeyState The availability of the key.
---@field keyVar? string The environment variable for the key.
---@field source string The source of this entry: files of the user, or where it was read.

---The availability of a provider's key.
---@alias pintle.KeyState "set"|"command"|"login"|"notNeeded"|"missing"

---A model.
---@class pintle.ModelInfo
---@field model string `provider/id`, as `config.model` takes it.
---@field name? string The display name, where it differs from the id.
---@field window? integer The maximum number of input tokens.
---@field maxOutput? integer The maximum number of output tokens.
---@field price? pintle.ModelPrice The price.
---@field vision? boolean The model accepts images; absent where that is not known.
---@field reasoning? boolean The model can reason before it answers; absent where that is not known.
---@field profile string The tool profile, unless the settings choose another.
---@field source string The source of this entry: files of the user, or where it was read.
---@field checked? string The date of that source, as year and month.

---The price of a model, in US dollars per million tokens.
---@class pintle.ModelPrice
---@field inputUsdPerMtok number Input that is not cached.
---@field outputUsdPerMtok number Output, reasoning included.
---@field cacheReadUsdPerMtok? number Input read from a cache; absent where it costs as much as other input.
---@field cacheWriteUsdPerMtok? number Input written to a cache; absent where it costs as much as other input.

---The result of `auth/status`. (Experimental.)
---@class pintle.AuthStatusResult
---@field providers (pintle.ProviderAuth)[] The providers that a person can log in to.
---@field problem? string The reason why the stored logins cannot be used.

---A provider that a person can log in to. (Experimental.)
---@class pintle.ProviderAuth
---@field provider string The provider's name.
---@field methods (pintle.AuthMethod)[] The ways to log in, the preferred one first.
---@field stored? pintle.AuthMethod The way in which the stored login was made; absent without one.
---@field key pintle.KeyState The source of the key in use: settings and variables precede a stored login.
---@field keyVar? string The environment variable in use, or to set.

---A way to log in. (Experimental.)
---@alias pintle.AuthMethod "device"|"browser"|"key"

---The params of `auth/login`. (Experimental.)
---@class pintle.AuthLoginParams
---@field provider string The provider.
---@field method? pintle.AuthMethod The way to log in; default the first one of `auth/status`.
---@field key? string The key that the person typed, for the method `key`.

---The result of `auth/login`. (Experimental.)
---@class pintle.AuthLoginResult
---@field provider string The provider.
---@field method pintle.AuthMethod The way in which the person logged in.

---The params of `auth/logout`. (Experimental.)
---@class pintle.AuthLogoutParams
---@field provider string The provider.

---The result of `auth/logout`. (Experimental.)
---@class pintle.AuthLogoutResult
---@field removed boolean There was a stored login.

---The result of `trust/read` and `trust/agree`. (Experimental.)
---@class pintle.TrustResult
---@field root string The project's root: the root of the git repository, or the session's working directory outside one.
---@field isTrusted boolean Whether the user trusts the project. If not, the engine uses none of the files.
---@field files (pintle.ProjectFile)[] The files, sorted by path: permissions, rules, MCP servers, skills, and agents.

---A project file that configures the engine. (Experimental.)
---@class pintle.ProjectFile
---@field path string The path relative to the project's root, separated by `/`.
---@field sha256 string The SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing.
---@field standing pintle.Standing Whether the user agreed to this content.

---Whether the user agreed to the content of a project file. (Experimental.)
---@alias pintle.Standing "agreed"|"new"|"changed"|"missing"

---The params of `trust/agree`. (Experimental.)
---@class pintle.TrustAgreeParams
---@field sessionId? pintle.SessionId The session. Optional if this connection has created or opened exactly one.
---@field files (pintle.SeenFile)[] The files to use, with the content the user saw.

---A project file as the user saw it. (Experimental.)
---@class pintle.SeenFile
---@field path string The path from `trust/read`.
---@field sha256 string The SHA-256 from `trust/read`.

---The result of `command/list`.
---@class pintle.CommandListResult
---@field commands (pintle.PromptCommand)[] The prompts, by name.
---@field problems? (string)[] Files that could not be read, each with the reason.

---A prompt in a file, or of an MCP server. A message that begins with `/` and its name is replaced by that prompt.
---@class pintle.PromptCommand
---@field name string Its name, without the slash.
---@field description? string Its description.
---@field argumentHint? string The arguments that may follow the name.
---@field path string Its file; `mcp:SERVER` for the prompt of a server.

---The result of `skill/list`.
---@class pintle.SkillListResult
---@field skills (pintle.PromptCommand)[] The skills, by name.

---A hook of a client. (Experimental.)
---@class pintle.HookRegisterParams
---@field points (pintle.HookPoint)[] The points at which it runs.
---@field tools? (string)[] The tools whose calls it sees: names, with `*` for any text. Default: all.
---@field timeoutMs? integer The timeout in milliseconds; default 60000.
---@field onFailure? pintle.OnFailure The effect of a failure; default `closed`.

---A point of the engine's work at which hooks run. (Experimental.)
---@alias pintle.HookPoint "inputReceived"|"beforeAgent"|"contextBuilt"|"beforeModelRequest"|"afterModelResponse"|"beforeToolCall"|"afterToolCall"|"sessionCompact"|"sessionStart"|"sessionFork"|"sessionSwitch"|"sessionEnd"

---The effect of a hook's failure at a point where it may deny. (Experimental.)
---@alias pintle.OnFailure "closed"|"open"

---A tool of a client.
---@class pintle.ToolRegisterParams
---@field name string Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest tool of a name wins, also over a built-in one.
---@field description string Its purpose and usage, for the model.
---@field parameters any JSON Schema of the arguments, an object schema.

---A tool that the client takes back.
---@class pintle.ToolUnregisterParams
---@field name string Its name.

---The params of `session/event`: durable if `seq` is present, transient if `after` is.
---@alias pintle.AnyRecord pintle.EventRecord|pintle.TransientRecord

---A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness.
---@class pintle.TransientRecord
---@field sessionId pintle.SessionId The session.
---@field after integer The sequence number of the last durable event before it.
---@field turnId? pintle.TurnId The turn it belongs to.
---@field event pintle.TransientEvent The event.

---Transient events, told apart by `type`.
---@alias pintle.TransientEvent pintle.TransientEvent.item.delta|pintle.TransientEvent.state|pintle.TransientEvent.context|pintle.TransientEvent.step.usage|pintle.TransientEvent.notice

---A field of an item grew.
---@class pintle.TransientEvent.item.delta: pintle.ItemDelta
---@field type "item.delta" 

---The session's state changed.
---@class pintle.TransientEvent.state: pintle.SessionState
---@field type "state" 

---The fill level of the model's context window, sent after each reply.
---@class pintle.TransientEvent.context: pintle.ContextUsage
---@field type "context" 

---The usage so far of the reply that streams, where its provider reports it on the way.
---@class pintle.TransientEvent.step.usage: pintle.StepUsage
---@field type "step.usage" 

---A notice for a person that could not be written to the journal.
---@class pintle.TransientEvent.notice: pintle.Notice
---@field type "notice" 

---A piece of text to append to a field of an item.
---@class pintle.ItemDelta
---@field itemId pintle.ItemId The item.
---@field field pintle.DeltaField The field that grew.
---@field path? string The string of the arguments that grew, as a JSON Pointer such as `/content`; only with the field `input`.
---@field n integer The piece's number within item and field, from 0.
---@field to? integer The number of the last piece merged into this one, if any.
---@field text string The text to append.

---The usage of a reply that streams. `step.completed` has the final count.
---@class pintle.StepUsage
---@field step integer The step within the turn, from 1.
---@field usage pintle.Usage The usage so far.
---@field costNanoUsd? integer The cost so far, in billionths of a US dollar; absent where the price is not known.

---The durable events that were not sent to a slow connection.
---@class pintle.SessionLaggedParams
---@field sessionId pintle.SessionId The session.
---@field lastSentSeq integer The last durable event that was sent.
---@field headSeq integer The last durable event that was not sent.

---The params of `auth/openUrl`. (Experimental.)
---@class pintle.AuthOpenUrlParams
---@field provider? string The provider, for `auth/login`.
---@field mcpServer? string The server, for `mcp/login`.
---@field url string The page to open.
---@field userCode? string The code to enter there.
---@field expiresInMs? integer The time that is left, in milliseconds.

---The answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one call.
---@class pintle.ApprovalAnswer
---@field optionId? string The chosen option.
---@field feedback? string A message for the model, sent with a denial.
---@field dismissed? boolean The dialog was closed without a choice, which denies this one call.

---The answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first where only one may be chosen; an answer with nothing left counts as dismissed.
---@class pintle.QuestionAnswer
---@field optionIds? (string)[] The chosen options.
---@field text? string A text of the person.
---@field dismissed? boolean The dialog was closed without an answer; the model is told to decide by itself.

---The input of a hook. (Experimental.)
---@class pintle.HookRun
---@field point pintle.HookPoint The point.
---@field sessionId pintle.SessionId The session.
---@field turnId? pintle.TurnId The turn; absent at points of the session.
---@field cwd string The session's working directory.
---@field input? string The text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`.
---@field images? (pintle.Content)[] The images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They stay whatever the answer.
---@field system? string The system prompt, at `beforeAgent`.
---@field conversation? (pintle.HookMessage)[] The messages of the model's context, at `contextBuilt`.
---@field toSeq? integer The event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the present state, and where a fork is taken back.
---@field call? pintle.HookCall The tool call, at `beforeToolCall` and `afterToolCall`.
---@field result? pintle.HookResult The call's result, at `afterToolCall`.
---@field response? pintle.HookResponse The model's reply, at `afterModelResponse`.
---@field messages? integer The number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`.
---@field openTodos? string The unfinished parts of the model's plan, at `beforeAgent`.

---A message of the model's context, for a hook. (Experimental.)
---@alias pintle.HookMessage pintle.HookMessage.user|pintle.HookMessage.assistant|pintle.HookMessage.toolResult

---A message of a person or of the engine.
---@class pintle.HookMessage.user
---@field role "user" 
---@field index? integer The position in the context, from 0. A message that is returned unchanged with its position keeps what hooks do not see, such as reasoning.
---@field content (pintle.Content)[] The content.

---A reply of the model.
---@class pintle.HookMessage.assistant
---@field role "assistant" 
---@field index? integer The position in the context, from 0.
---@field text? string The text.
---@field calls? (pintle.HookMessageCall)[] The calls.

---The result of a call.
---@class pintle.HookMessage.toolResult
---@field role "toolResult" 
---@field index? integer The position in the context, from 0.
---@field callId string The call.
---@field toolName string The tool's name.
---@field content (pintle.Content)[] The content.
---@field isError? boolean The call failed.

---A call in a message of the model's context. (Experimental.)
---@class pintle.HookMessageCall
---@field id string The id, which the result of the call repeats.
---@field name string The tool's name.
---@field arguments string The arguments, as the model wrote them: JSON text.

---A tool call, for a hook. (Experimental.)
---@class pintle.HookCall
---@field itemId pintle.ItemId Its item.
---@field toolName string The tool's name.
---@field kind pintle.ToolKind The kind of tool.
---@field title string One line for a person.
---@field arguments any The arguments, as hooks before this one left them.
---@field locations? (pintle.Location)[] The files concerned.

---The result of a tool call, for a hook. (Experimental.)
---@class pintle.HookResult
---@field text string The text for the model.
---@field isError? boolean The call failed.

---A reply of the model, for a hook. (Experimental.)
---@class pintle.HookResponse
---@field text string Its text.
---@field tools? (string)[] The names of the tools that it calls, in order.

---The answer of a hook. `{}` and an empty output change nothing. (Experimental.)
---@class pintle.HookAnswer
---@field decision? pintle.HookDecision The decision; default `allow`. Permission is still requested where it is needed.
---@field reason? string The reason for a denial, for the model or the person.
---@field input? string The new text of the message, at `inputReceived` and `beforeAgent`.
---@field system? string The new system prompt of the turn, at `beforeAgent`.
---@field conversation? (pintle.HookMessage)[] The messages of the next request, at `contextBuilt`. They hold for that request alone.
---@field arguments? any The new arguments of the call, whole.
---@field result? pintle.HookResult The new result of the call.
---@field context? string Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`.

---The decision of a hook. (Experimental.)
---@alias pintle.HookDecision "allow"|"deny"|"handled"

---A call of a tool that the client registered.
---@class pintle.ToolCallParams
---@field sessionId pintle.SessionId The session.
---@field itemId pintle.ItemId The call's item.
---@field toolName string The tool's name.
---@field arguments any The arguments, as the model wrote them. They match the schema; other calls are refused.

---The result of a tool that the client registered.
---@class pintle.ToolCallResult
---@field content (pintle.Content)[] The content for the model.
---@field isError? boolean The call failed; the content says why.

---The params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none.
---@class pintle.ApplyEditParams
---@field label string A description of the edit, for people.
---@field edits (pintle.DocumentEdit)[] The documents.

---The edit of one document.
---@class pintle.DocumentEdit
---@field path string The file, as it was opened.
---@field version integer The version that the edit was made for. If the document has another version by now, nothing is changed.
---@field changes (pintle.TextEdit)[] The changes, in order; their ranges refer to the text of `version` and do not overlap.
---@field save boolean The document had no unsaved changes and must be saved again, so that commands see the edit.

---The replacement of a range of text.
---@class pintle.TextEdit
---@field range pintle.TextRange The range to replace.
---@field text string The replacement.

---The result of `workspace/applyEdit`. The client sends the changes that it made by `document/change` before its response.
---@class pintle.ApplyEditResult
---@field isApplied boolean All edits were applied; otherwise none was.
---@field failureReason? string The reason why none was applied, or why a document could not be saved.
---@field versions? (pintle.DocumentVersion)[] The current versions of the documents.

---The version of a document.
---@class pintle.DocumentVersion
---@field path string The file, as it was opened.
---@field version integer The version.

---The data of an error response.
---@class pintle.ErrorData
---@field code string A stable code of the failure: the name of the error, or one that says more.
---@field path? string The position in the params, as a JSON Pointer.
---@field hint? string The suggested next step.
---@field supported? (string)[] The values that would have been accepted.
---@field isSharedEngine? boolean Of `openElsewhere`: the session is open in the engine that clients of `pintle attach` share, and any of them can open it there.

---The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone. (Experimental.)
---@alias pintle.RunLine pintle.RunLine.header|pintle.RunLine.result

---The first line.
---@class pintle.RunLine.header: pintle.RunHeader
---@field type "header" 

---The last line, at every end.
---@class pintle.RunLine.result: pintle.RunResult
---@field type "result" 

---The first line of `pintle run --format events`. (Experimental.)
---@class pintle.RunHeader
---@field protocol string The version of the protocol that the events belong to.
---@field schemaHash string The hash of its schema.
---@field engine pintle.PeerInfo The engine.
---@field sessionId pintle.SessionId The session.
---@field cwd string The working directory.

---The kind of end of a task. (Experimental.)
---@alias pintle.RunStatus "success"|"denied"|"unchanged"|"limit"|"interrupted"|"failed"

---The files that differ from before the task. (Experimental.)
---@class pintle.RunChanges
---@field files (string)[] Their absolute paths, sorted.
---@field added integer The lines added.
---@field removed integer The lines removed.

---A command that ran. (Experimental.)
---@class pintle.RunCommand
---@field command string The command, whole.
---@field status pintle.ItemStatus Its end: `cancelled` where the task ended first.
---@field exitCode? integer Its exit code.

---A call that was denied. (Experimental.)
---@class pintle.RunDenial
---@field tool string The tool.
---@field title string The call, in words.
---@field reason string The reason, as the model was told.
---@field hint? string The option or rule that would have allowed it; absent where none would, or where a person's rule denied it.

---Something wrong at a place in a file. (Experimental.)
---@class pintle.Finding
---@field path string The file, relative to the working directory.
---@field line? integer The first line, 1-based; absent where the finding is about the whole file.
---@field endLine? integer The last line, which is part of it.
---@field severity pintle.Severity2 Its weight.
---@field rule string The name for its kind.
---@field message string The model's words about it.
---@field fix? string The text that is to stand in place of these lines.

---The weight of a finding. Ordered from the least to the most severe. (Experimental.)
---@alias pintle.Severity2 "note"|"warning"|"error"

---The result of `pintle run`. (Experimental.)
---@class pintle.RunResult
---@field status pintle.RunStatus The kind of end.
---@field stop string The reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`, `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
---@field exitCode integer The exit code of the program.
---@field sessionId? pintle.SessionId The session; absent where none could be made or opened.
---@field turnId? pintle.TurnId The turn.
---@field journal? string The path of the session's journal.
---@field text string The last message of the model.
---@field structured? any The answer that satisfies `--output-schema`.
---@field steps integer The number of replies of the model.
---@field durationMs integer The duration of the turn, in milliseconds.
---@field usage pintle.Usage The tokens of the task, with those of sub-agents and of the title.
---@field costNanoUsd? integer Their cost, in billionths of a US dollar; absent where the price is not known.
---@field costUsd? number The same cost in US dollars.
---@field model? string The model that answered last, as `provider/id`.
---@field changes pintle.RunChanges The files that the agent changed.
---@field commands (pintle.RunCommand)[] The commands that ran, in order.
---@field denials (pintle.RunDenial)[] The calls that were denied.
---@field findings? (pintle.Finding)[] The findings that the model reported, in order, each once; only where a report was asked for.
---@field notInPatch? (string)[] Changed files that the patch leaves out, since they are outside of the session's folder.
---@field error? pintle.TurnError The error, where the task failed.

local M = {}

M.name = "pintle"
M.version = "1.1"

---Method names.
M.method = {
  ---Opens the connection: versions, names, capabilities. It must be the first request.
  ---Params: `pintle.InitializeParams`; result: `pintle.InitializeResult`.
  initialize = "initialize",
  ---Answers at once; for liveness checks.
  ---Params: `pintle.Empty`; result: `pintle.Empty`.
  ping = "ping",
  ---Interrupts what runs, closes every session of this engine in order, then answers. Send `exit` next. With an engine that several clients share, this client leaves its sessions, and what runs goes on.
  ---Params: `pintle.Empty`; result: `pintle.Empty`.
  shutdown = "shutdown",
  ---Ends the process: with code 0 after `shutdown`, with 1 without.
  ---Params: `pintle.Empty`.
  exit = "exit",
  ---Cancels a request that has not begun, an `auth/login` or an `mcp/login`; it is answered with the error `cancelled`. A `shell/run` is stopped, and its result says so. Any other request that has begun is answered as usual. The engine withdraws its own requests with it.
  ---Params: `pintle.CancelParams`.
  cancelRequest = "$/cancelRequest",
  ---Creates a session and, by default, subscribes this connection to it.
  ---Params: `pintle.SessionCreateParams`; result: `pintle.SessionResult`.
  session_create = "session/create",
  ---Opens a stored session, also after a crash, and, by default, subscribes this connection to it.
  ---Params: `pintle.SessionOpenParams`; result: `pintle.SessionResult`.
  session_open = "session/open",
  ---Lists stored sessions, newest first.
  ---Params: `pintle.SessionListParams`; result: `pintle.SessionListResult`.
  session_list = "session/list",
  ---Sets or removes a session's title.
  ---Params: `pintle.SessionUpdateParams`; result: `pintle.SessionUpdateResult`.
  session_update = "session/update",
  ---Archives a stored session, or takes it back: lists leave archived sessions out unless they are asked for. Nothing else changes.
  ---Params: `pintle.SessionArchiveParams`; result: `pintle.Empty`.
  session_archive = "session/archive",
  ---Searches the messages of people and models and the tool calls of all stored sessions.
  ---Params: `pintle.SessionSearchParams`; result: `pintle.SessionSearchResult`.
  session_search = "session/search",
  ---Exports a session, open or not, as a page, Markdown or JSON lines, in the result or to a file in its working directory.
  ---Params: `pintle.SessionExportParams`; result: `pintle.SessionExportResult`.
  session_export = "session/export",
  ---Deletes a stored session for good, with the sessions of its sub-agents. A session that is open anywhere is refused.
  ---Params: `pintle.SessionDeleteParams`; result: `pintle.SessionDeleteResult`.
  session_delete = "session/delete",
  ---Returns an idle session to another point of its history, earlier or later.
  ---Params: `pintle.SessionRewindParams`; result: `pintle.SessionRewindResult`.
  session_rewind = "session/rewind",
  ---Creates a session that begins with another session's history.
  ---Params: `pintle.SessionForkParams`; result: `pintle.SessionResult`.
  session_fork = "session/fork",
  ---Merges the events of a fork into the session that it was made of, as a branch of its own. Files do not change. (Experimental: it is being tried which parts of a fork come back.)
  ---Params: `pintle.SessionMergeParams`; result: `pintle.SessionMergeResult`.
  session_merge = "session/merge",
  ---Sets the label of a point in a session's history.
  ---Params: `pintle.SessionLabelParams`; result: `pintle.SessionLabelResult`.
  session_label = "session/label",
  ---Puts a note of the client into a session's history: at once, or when the running turn is over. An `engineMessage` item carries it.
  ---Params: `pintle.SessionNoteParams`; result: `pintle.Empty`.
  session_note = "session/note",
  ---Returns the history tree of a session.
  ---Params: `pintle.SessionParams`; result: `pintle.SessionTreeResult`.
  session_tree = "session/tree",
  ---Lists the anchors of a session, between which its items can be listed and searched. (Experimental: anchors are named for forks and merges, which are being tried.)
  ---Params: `pintle.SessionAnchorsParams`; result: `pintle.SessionAnchorsResult`.
  session_anchors = "session/anchors",
  ---Lists the open hunks: changes of the agent that nobody has decided about.
  ---Params: `pintle.ReviewListParams`; result: `pintle.ReviewListResult`.
  review_list = "review/list",
  ---Keeps, undoes or comments on hunks, or reverts a verdict. While a turn runs, a verdict that changes files waits for the next gap between two calls.
  ---Params: `pintle.ReviewDecideParams`; result: `pintle.ReviewDecideResult`.
  review_decide = "review/decide",
  ---Reads a file's content at the last accepted point.
  ---Params: `pintle.ReviewBaselineParams`; result: `pintle.ReviewBaselineResult`.
  review_baseline = "review/baseline",
  ---Returns the agent's changes as a patch.
  ---Params: `pintle.ReviewPatchParams`; result: `pintle.ReviewPatchResult`.
  review_patch = "review/patch",
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
  ---Interrupts the running turn. The response comes at once; the turn ends with the event `turn.completed`.
  ---Params: `pintle.TurnInterruptParams`; result: `pintle.TurnInterruptResult`.
  turn_interrupt = "turn/interrupt",
  ---Compacts the conversation of an idle session. The response comes at once; the compaction is a turn with a `compaction` item.
  ---Params: `pintle.SessionCompactParams`; result: `pintle.SessionCompactResult`.
  session_compact = "session/compact",
  ---Returns the last request to the model and the fill level of its context window. (Experimental: it shows the request to the model as the engine makes it today.)
  ---Params: `pintle.ContextReadParams`; result: `pintle.ContextReadResult`.
  context_read = "context/read",
  ---Lists the settings of a session with their values.
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
  ---Answers an approval that was not requested of this client, or was requested before it connected. The first answer holds: a later one gets the error `conflict` with the outcome.
  ---Params: `pintle.ApprovalAnswerParams`; result: `pintle.ApprovalOutcome`.
  approval_answer = "approval/answer",
  ---Answers a question of the model, in the same way as `approval/answer`.
  ---Params: `pintle.QuestionAnswerParams`; result: `pintle.QuestionOutcome`.
  question_answer = "question/answer",
  ---Reports the current diagnostics of a file. After the model has changed that file, it reads the new ones. Clients send this for files in the session's directory whenever they change.
  ---Params: `pintle.EditorDiagnosticsParams`; result: `pintle.Empty`.
  editor_diagnostics = "editor/diagnostics",
  ---Announces a document that the editor has open. While it has unsaved changes, every tool reads its text instead of the file, and changes of it are sent back as `workspace/applyEdit`. Documents belong to the connection and end with it.
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
  ---Reads the current value of one item, also of one beside the current path.
  ---Params: `pintle.ItemReadParams`; result: `pintle.ItemAt`.
  item_read = "item/read",
  ---Cancels one tool call of the running turn, which goes on without it. The response comes at once; the call ends with `item.completed`. A call that waits for an approval is denied.
  ---Params: `pintle.ItemCancelParams`; result: `pintle.Empty`.
  item_cancel = "item/cancel",
  ---Lists the points to which files can be restored with `session/rewind`, and the changes between them.
  ---Params: `pintle.CheckpointListParams`; result: `pintle.CheckpointListResult`.
  checkpoint_list = "checkpoint/list",
  ---Returns the difference of files between two points as a patch.
  ---Params: `pintle.CheckpointDiffParams`; result: `pintle.CheckpointDiffResult`.
  checkpoint_diff = "checkpoint/diff",
  ---Runs a command that a person asks for, in the session's directory, as a job with `byUser`, and responds when it has ended. No permission is asked; in the mode `readOnly` it is refused. The model reads it in a note of the kind `shell`. `$/cancelRequest` stops it; a client that goes leaves it running.
  ---Params: `pintle.ShellRunParams`; result: `pintle.ShellRunResult`.
  shell_run = "shell/run",
  ---Reads the tokens and the money that a session, open or not, has used, by model.
  ---Params: `pintle.SessionParams`; result: `pintle.UsageReadResult`.
  usage_read = "usage/read",
  ---Lists the background jobs of a session that run or ended lately.
  ---Params: `pintle.SessionParams`; result: `pintle.JobListResult`.
  job_list = "job/list",
  ---Stops a background job. The response comes when none of its processes runs any more; a job that has ended does not change.
  ---Params: `pintle.JobStopParams`; result: `pintle.JobStopResult`.
  job_stop = "job/stop",
  ---Lists the session's servers of the Model Context Protocol with their state and tools. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.SessionParams`; result: `pintle.McpListResult`.
  mcp_list = "mcp/list",
  ---Switches a server off or on for the session, or starts it again. The result is that of `mcp/list`. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.McpUpdateParams`; result: `pintle.McpListResult`.
  mcp_update = "mcp/update",
  ---Logs in to a server that is reached by an address, and stores the login, which every session uses. The client gets `auth/openUrl`, and the response, that of `mcp/list`, comes when the person has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.McpLoginParams`; result: `pintle.McpListResult`.
  mcp_login = "mcp/login",
  ---Removes the stored login to a server. A connection to it that stands goes on until the server is started again. (Experimental: servers of the Model Context Protocol are new here.)
  ---Params: `pintle.McpLogoutParams`; result: `pintle.McpLogoutResult`.
  mcp_logout = "mcp/logout",
  ---Lists the providers and models that are known by name, from the current settings files.
  ---Params: `pintle.Empty`; result: `pintle.ModelsListResult`.
  models_list = "models/list",
  ---Lists the providers that a person can log in to, and who is logged in. (Experimental: the ways in which providers log people in still change.)
  ---Params: `pintle.Empty`; result: `pintle.AuthStatusResult`.
  auth_status = "auth/status",
  ---Logs in to a provider and stores the login. For the methods `device` and `browser` the client gets `auth/openUrl`, and the response comes when the person has finished there. Other requests do not wait for it; `$/cancelRequest` ends it. (Experimental: the ways in which providers log people in still change.)
  ---Params: `pintle.AuthLoginParams`; result: `pintle.AuthLoginResult`.
  auth_login = "auth/login",
  ---Removes the stored login of a provider. (Experimental: the ways in which providers log people in still change.)
  ---Params: `pintle.AuthLogoutParams`; result: `pintle.AuthLogoutResult`.
  auth_logout = "auth/logout",
  ---Lists the project files that configure the engine, and whether the user agreed to their current content. The notice `notAgreed` names the files that are ignored until then. (Experimental: more kinds of files may follow.)
  ---Params: `pintle.SessionParams`; result: `pintle.TrustResult`.
  trust_read = "trust/read",
  ---Agrees to project files as the user saw them. They take effect with the next turn, MCP servers with the next session. Fails with `conflict`, and agrees to nothing, if a file has changed since or the project is not trusted. (Experimental: more kinds of files may follow.)
  ---Params: `pintle.TrustAgreeParams`; result: `pintle.TrustResult`.
  trust_agree = "trust/agree",
  ---Lists the prompts that can be called with `/name`, from the current files.
  ---Params: `pintle.SessionParams`; result: `pintle.CommandListResult`.
  command_list = "command/list",
  ---Lists the skills that can be called with `/` and their name, from the current files.
  ---Params: `pintle.SessionParams`; result: `pintle.SkillListResult`.
  skill_list = "skill/list",
  ---Registers this client's hook at points of the engine's work, in all sessions that it is subscribed to, from their next turn on. It runs after the hooks of the config file and ends with the connection. (Experimental: its points follow the inside of a turn.)
  ---Params: `pintle.HookRegisterParams`; result: `pintle.Empty`.
  hook_register = "hook/register",
  ---Registers a tool of this client for the model, in all sessions that it is subscribed to, from their next turn on. It ends with the connection.
  ---Params: `pintle.ToolRegisterParams`; result: `pintle.Empty`.
  tool_register = "tool/register",
  ---Takes a tool of this connection back. Holds from the next turn on.
  ---Params: `pintle.ToolUnregisterParams`; result: `pintle.Empty`.
  tool_unregister = "tool/unregister",
  ---Delivers an event of a session.
  ---Params: `pintle.AnyRecord`.
  session_event = "session/event",
  ---Announces that this connection read too slowly and the durable events between the two numbers were not sent. Read them with `session/events`; events after `headSeq` are sent as usual.
  ---Params: `pintle.SessionLaggedParams`.
  session_lagged = "session/lagged",
  ---Asks the client to show a page, and a code to enter there, to the person who logs in with `auth/login` or `mcp/login`. (Experimental: the ways in which providers log people in still change.)
  ---Params: `pintle.AuthOpenUrlParams`.
  auth_openUrl = "auth/openUrl",
  ---Requests permission. It is sent to every subscribed client that declared `approvals`; the first answer wins and the others get `$/cancelRequest`.
  ---Params: `pintle.Approval`; result: `pintle.ApprovalAnswer`.
  approval_request = "approval/request",
  ---Puts a question of the model to a person. It is sent to every subscribed client that declared `questions`; the first answer wins and the others get `$/cancelRequest`.
  ---Params: `pintle.Question`; result: `pintle.QuestionAnswer`.
  question_request = "question/request",
  ---Runs a hook that this client registered. `$/cancelRequest` means that the answer is no longer awaited. (Experimental: its points follow the inside of a turn.)
  ---Params: `pintle.HookRun`; result: `pintle.HookAnswer`.
  hook_run = "hook/run",
  ---Calls a tool that this client registered. `$/cancelRequest` means that the result is no longer awaited.
  ---Params: `pintle.ToolCallParams`; result: `pintle.ToolCallResult`.
  tool_call = "tool/call",
  ---Asks a client with the capability `applyEdit` to change documents that it has open. A document that has another version by now stays as it is.
  ---Params: `pintle.ApplyEditParams`; result: `pintle.ApplyEditResult`.
  workspace_applyEdit = "workspace/applyEdit",
}

---Codes of failed requests.
M.code = {
  ---Broken JSON or invalid UTF-8; `id` is null.
  parseError = -32700,
  ---Not a request: a batch, a bare value, an id in use, a message over the limit, a method before `initialize`.
  invalidRequest = -32600,
  ---No such method; `data.hint` names the nearest.
  methodNotFound = -32601,
  ---Params of the wrong shape or value; `data.path` points at the field.
  invalidParams = -32602,
  ---The engine could not do its job; the message says what failed.
  internal = -32603,
  ---The request was cancelled before it had an effect.
  cancelled = -32800,
  ---No credentials for the provider; `data.hint` names the variable to set.
  authRequired = -32000,
  ---The named session does not exist.
  notFound = -32002,
  ---The engine supports none of the offered versions; `data.supported` lists those that it does.
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
