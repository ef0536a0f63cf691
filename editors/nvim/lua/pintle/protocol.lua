-- Generated from protocol/src by `cargo run -p pintle-protocol --bin generate`. Do not edit.

---Who opens the connection and what it can do.
---@class pintle.InitializeParams
---@field protocol pintle.ProtocolOffer The protocol and the versions the client speaks.
---@field client? pintle.PeerInfo The client.
---@field capabilities? pintle.ClientCapabilities What the client can do.

---The protocol versions a client speaks.
---@class pintle.ProtocolOffer
---@field name string Always `pintle`.
---@field versions (string)[] Versions, such as `1.0`; the engine takes the newest with a major part it shares.

---A program and its version.
---@class pintle.PeerInfo
---@field name string The name.
---@field version? string The version.

---What a client can do.
---@class pintle.ClientCapabilities
---@field approvals? pintle.Supported The client answers `approval/request`. Without it what would ask is denied, and the model is told.
---@field questions? pintle.Supported The client answers `question/request`. Without it the model is told that nobody can answer.
---@field applyEdit? pintle.Supported The client answers `workspace/applyEdit`. Without it a document with unsaved text is read, and never changed.

---A capability with nothing to configure: `{}`.
---@class pintle.Supported

---What the engine is and can do.
---@class pintle.InitializeResult
---@field protocol pintle.ProtocolChoice The protocol version that holds for this connection.
---@field engine pintle.EngineInfo The engine.
---@field capabilities pintle.EngineCapabilities What the engine can do.
---@field limits pintle.Limits Limits of this connection.

---The protocol version that holds for a connection.
---@class pintle.ProtocolChoice
---@field name string Always `pintle`.
---@field version string The version.

---The engine's name, version and schema.
---@class pintle.EngineInfo
---@field name string Always `pintle`.
---@field version string The program's version.
---@field schemaHash string Changes whenever the protocol's schema does.

---What this engine can do.
---@class pintle.EngineCapabilities
---@field steer? pintle.Supported Running turns can be steered.
---@field queue? pintle.Supported Follow-ups wait in a queue.
---@field replay? pintle.Supported Durable events can be read again from any `seq`.
---@field documents? pintle.Supported Documents that an editor has open are read and changed through it. Absent where files are on another machine.
---@field history? pintle.Supported Sessions go back, fork and merge: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
---@field review? pintle.Supported What the agent changed is decided about hunk by hunk: `review/…`.
---@field search? pintle.Supported Stored sessions are searched, read, exported and deleted: `session/search` and its neighbours.

---Limits of a connection.
---@class pintle.Limits
---@field maxMessageBytes integer The largest message taken, in bytes.
---@field maxInFlight integer The most requests that may wait for an answer at once.

---No params, or nothing to say: `{}`.
---@class pintle.Empty

---The request to withdraw.
---@class pintle.CancelParams
---@field id any The id of the request: a number or a string.

---What to make a session with.
---@class pintle.SessionCreateParams
---@field cwd? string The working directory, absolute; default: where the engine was started.
---@field title? string A title for lists.
---@field config? pintle.SessionConfig How it is to work.
---@field subscribe? boolean Whether to subscribe; default true.

---How a session is to work. What is left out comes from the user's settings.
---@class pintle.SessionConfig
---@field model? string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode? pintle.PermissionMode What needs no question.
---@field systemPrompt? string Instructions for this session alone, told behind all others; only when it is made.
---@field mode? pintle.WorkMode Whether it plans only.
---@field additionalDirectories? (string)[] Directories that belong to the work beside the working directory, absolute: changes there need no other permission than in it, and what commands change there is followed. The session does not keep them: say them again when you open it. Absent: as they are.

---What needs no question. Finer rules come on top of these.
---@alias pintle.PermissionMode "ask"|"full"

---Whether the model does things or only plans them.
---@alias pintle.WorkMode "act"|"plan"

---A session as it stands at `seq`; every event after that is sent if the connection is subscribed.
---@class pintle.SessionResult
---@field sessionId pintle.SessionId The session.
---@field seq integer The number of its last durable event.
---@field cwd string The working directory.
---@field title? string The title.
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode What needs no question.
---@field mode? pintle.WorkMode Whether it plans only.
---@field state pintle.SessionState What it does at the moment.
---@field activeTurnId? pintle.TurnId The running turn.
---@field queue? (pintle.QueuedInput)[] Messages that the model has not read yet.
---@field approvals? (pintle.Approval)[] Questions of permission that are open.
---@field questions? (pintle.Question)[] Questions to a person that are open.
---@field plan? pintle.Plan What the model means to do.
---@field usage? pintle.Usage The tokens of all its turns, and of its sub-agents'.
---@field costNanoUsd? integer What all that cost, in billionths of a US dollar; absent where no price is known.
---@field context? pintle.ContextUsage How full the model's window is, about.
---@field gap? boolean The events after `fromSeq` were too many to send at once: read them with `session/events`.

---Names a session: a UUIDv7, so that ids sort by creation.
---@alias pintle.SessionId string

---What a session does at the moment. A reader never takes a value it does not know for idle.
---@class pintle.SessionState
---@field value pintle.StateValue The state.
---@field blockedOn? (string)[] The questions it waits for, when it is blocked: ids of approvals and of questions.
---@field background? (pintle.ItemId)[] The items of jobs that run in the background, also while the session is idle.

---What a session does at the moment, in a word.
---@alias pintle.StateValue "idle"|"running"|"blocked"|"retrying"|"compacting"

---Names an item: a message, a tool call, something a client can draw.
---@alias pintle.ItemId string

---Names a turn, unique over all sessions.
---@alias pintle.TurnId string

---A person's message, accepted and not yet read by the model.
---@class pintle.QueuedInput
---@field itemId pintle.ItemId The id that the `userMessage` item will have.
---@field turnId pintle.TurnId The turn it belongs to: the running one for a steer, its own for a prompt or a follow-up.
---@field delivery pintle.Delivery How it is to be delivered.
---@field content (pintle.Input)[] The blocks, as sent.
---@field limits? pintle.TurnLimits How much the turn that it starts may take.

---How a person's message reaches the model.
---@alias pintle.Delivery "prompt"|"steer"|"followUp"

---One block of what a person sends with a prompt, a steer or a follow-up.
---@alias pintle.Input pintle.Input.text|pintle.Input.file|pintle.Input.selection|pintle.Input.diagnostics|pintle.Input.image

---Plain text, as typed. `@path` in it mentions a file, which the model then reads with it; a text that begins with `/name` calls the prompt of that name, if there is one.
---@class pintle.Input.text
---@field type "text" 
---@field text string The text.

---A file, read when the model reads the message.
---@class pintle.Input.file
---@field type "file" 
---@field path string The path, absolute or from the working directory.
---@field range? pintle.LineRange The lines; absent for all.

---A part of a file, as it stands in an editor, saved or not.
---@class pintle.Input.selection
---@field type "selection" 
---@field path string The file's path.
---@field range pintle.LineRange The lines that it is from.
---@field text string The text that is selected.

---What an editor knows to be wrong in a file.
---@class pintle.Input.diagnostics
---@field type "diagnostics" 
---@field path string The file's path.
---@field items (pintle.Diagnostic)[] What is wrong.

---A picture.
---@class pintle.Input.image
---@field type "image" 
---@field mimeType string The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
---@field data string The bytes in base64.

---Lines of a file, the first being 1, both ends included.
---@class pintle.LineRange
---@field start integer The first line.
---@field end integer The last line.

---Something that is wrong in a file.
---@class pintle.Diagnostic
---@field line integer The line, 1-based.
---@field severity pintle.Severity How bad it is.
---@field message string What is wrong.
---@field source? string What found it, such as `rustc`.

---How bad something is that is wrong in a file.
---@alias pintle.Severity "error"|"warning"|"information"|"hint"

---How much a turn may take. A limit that is reached ends the turn in order, with the stop reason `limit` and a notice. The user's settings may be stricter.
---@class pintle.TurnLimits
---@field steps? integer The most model replies.
---@field tokens? integer The most tokens, of input and output together.
---@field costNanoUsd? integer The most it may cost, in billionths of a US dollar; never reached where no price is known.
---@field durationMs? integer The longest it may take, in milliseconds; looked at between replies.

---A question of permission about one tool call. The same value is logged in `approval.requested` and sent with the request `approval/request`.
---@class pintle.Approval
---@field approvalId pintle.ApprovalId The question's id.
---@field sessionId pintle.SessionId The session it stands in.
---@field turnId pintle.TurnId The turn that waits.
---@field itemId pintle.ItemId The tool call that waits.
---@field toolName string The tool's name.
---@field kind pintle.ToolKind What kind of act it is.
---@field title string One line for a person: `bash: rm -r build`.
---@field reason string Why it is asked, in a sentence.
---@field input any The tool's arguments, whole: the command, or the text to write.
---@field locations? (pintle.Location)[] Files it is about.
---@field options (pintle.ApprovalOption)[] The answers to choose from.

---Names a question of permission, open until it is answered or cancelled.
---@alias pintle.ApprovalId string

---The kind of a tool call; the names are those of the Agent Client Protocol.
---@alias pintle.ToolKind "read"|"edit"|"delete"|"move"|"search"|"execute"|"fetch"|"think"|"other"

---A place in a file.
---@class pintle.Location
---@field path string The absolute path.
---@field line? integer The line, 1-based.

---One answer a person can choose.
---@class pintle.ApprovalOption
---@field optionId string What to send back.
---@field label string What to show.
---@field decision pintle.Decision What it decides.
---@field scope pintle.Scope How long it holds.

---What an answer decides. A reader never takes a value it does not know for a yes.
---@alias pintle.Decision "allow"|"deny"|"abort"

---How long a decision holds.
---@alias pintle.Scope "once"|"session"

---A question to a person. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an answer, whatever the options.
---@class pintle.Question
---@field questionId pintle.QuestionId The question's id.
---@field sessionId pintle.SessionId The session it stands in.
---@field turnId pintle.TurnId The turn that waits.
---@field itemId pintle.ItemId The tool call that waits.
---@field kind pintle.QuestionKind What it is about.
---@field text string The question.
---@field plan? string The plan that is to be accepted, as Markdown; only with the kind `plan`.
---@field options? (pintle.QuestionOption)[] Answers to choose from; with none only a text answers.
---@field multiple? boolean Several options may be chosen.
---@field deadlineMs integer When it is answered by itself with its default, in milliseconds since 1970.

---Names a question to a person, open until it is answered or its time is over.
---@alias pintle.QuestionId string

---What a question is about. A reader treats a kind it does not know as `choice`.
---@alias pintle.QuestionKind "choice"|"plan"

---One answer a person can choose.
---@class pintle.QuestionOption
---@field optionId string What to send back.
---@field label string What to show.

---What the model means to do. Each one replaces the one before.
---@class pintle.Plan
---@field items (pintle.PlanItem)[] Its parts, in order.

---One part of a plan.
---@class pintle.PlanItem
---@field content string What is to be done.
---@field status pintle.PlanStatus How far it is.

---How far a part of a plan is.
---@alias pintle.PlanStatus "pending"|"in_progress"|"completed"

---Tokens of one model reply, of a turn, or of a session. All counts are cumulative for their span.
---@class pintle.Usage
---@field inputTokens integer Input tokens that were not read from a cache.
---@field outputTokens integer Output tokens, reasoning included.
---@field cacheReadTokens? integer Input tokens read from the provider's cache.
---@field cacheWriteTokens? integer Input tokens written to the provider's cache.
---@field reasoningTokens? integer The part of the output that was reasoning, where the provider says.

---How full the model's window is. Tokens are the provider's own count of its last reply, and an estimate of what came since.
---@class pintle.ContextUsage
---@field tokens integer The tokens of the next request, about.
---@field window? integer The most the model takes; absent where that is not known.

---Which session to open.
---@class pintle.SessionOpenParams
---@field sessionId pintle.SessionId The session.
---@field subscribe? boolean Whether to subscribe; default true.
---@field fromSeq? integer Send the events after this number first.
---@field tail? integer Send so many of the last events first, if `fromSeq` is left out.
---@field config? pintle.SessionConfig How it is to work from now on.

---Which sessions to list.
---@class pintle.SessionListParams
---@field cwd? string Only those with this working directory.
---@field subagents? boolean Also those of sub-agents; default: not.
---@field query? string Only those with this in their title or working directory, in any case.
---@field cursor? string Where the last page ended.
---@field limit? integer The most to return, 1 to 1000; default 50.

---A page of sessions.
---@class pintle.SessionListResult
---@field sessions (pintle.SessionSummary)[] The sessions, newest first.
---@field nextCursor? string Send it back to get the next page; absent on the last one.

---A stored session, as a list shows it.
---@class pintle.SessionSummary
---@field sessionId pintle.SessionId The session.
---@field cwd string The working directory.
---@field title? string The title it was given, else the beginning of its first prompt.
---@field createdMs integer When it was made, in milliseconds since 1970.
---@field updatedMs integer When its journal was last written, in milliseconds since 1970.
---@field path string The folder that holds its journal.
---@field parent? pintle.Parent Whose sub-agent it is, if it is one.

---Whose sub-agent a session is.
---@class pintle.Parent
---@field sessionId pintle.SessionId The session that made it.
---@field agentId pintle.AgentId The name by which the model there speaks of it.

---Names a sub-agent within its session: `agent-1`, `agent-2` …, short because a model writes it.
---@alias pintle.AgentId string

---What to change of a session; what is left out stays.
---@class pintle.SessionUpdateParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field title? string Its title: one line, at most 200 characters; null or an empty text takes it away, and lists show the beginning of the first prompt again.

---A session as it is called now.
---@class pintle.SessionUpdateResult
---@field title? string Its title; absent when it has none.

---What to look for.
---@class pintle.SessionSearchParams
---@field query? string Words; an entry must hold all of them. `"several words"` in quotes stand together. A word of three characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case and accents do not count. Empty: the newest entries that pass the filters.
---@field cwd? string Only in sessions with this working directory.
---@field sessionId? pintle.SessionId Only in this session.
---@field afterSeq? integer Only after this event of that session, such as an anchor.
---@field beforeSeq? integer Only before this event of that session.
---@field kinds? (pintle.EntryKind)[] Only these kinds; empty for all.
---@field roles? (pintle.EntryRole)[] Only from these; empty for all.
---@field path? string Only calls that are about a file with this in its path.
---@field afterMs? integer Only what happened then or later, in milliseconds since 1970.
---@field beforeMs? integer Only what happened before, in milliseconds since 1970.
---@field cursor? string Where the last page ended.
---@field limit? integer The most to return, 1 to 200; default 20.

---What an entry is that can be found.
---@alias pintle.EntryKind "userMessage"|"agentMessage"|"toolCall"

---Whose an entry is.
---@alias pintle.EntryRole "user"|"assistant"|"tool"

---What was found.
---@class pintle.SessionSearchResult
---@field hits (pintle.SearchHit)[] The best first; among equals the newest. Of words that stand in very many entries, the newest thousands are ranked.
---@field nextCursor? string Send it back to get the next page; absent on the last one.
---@field behind? integer So many sessions have text that could not be looked at yet; it is being read, so ask again.

---An entry that was found.
---@class pintle.SearchHit
---@field sessionId pintle.SessionId The session.
---@field seq integer The number of its event: read around it with `session/events`.
---@field itemId? pintle.ItemId The item.
---@field tsMs integer When it happened, in milliseconds since 1970.
---@field kind pintle.EntryKind What it is.
---@field role pintle.EntryRole Whose it is.
---@field title? string The session's title, as in lists.
---@field cwd string The session's working directory.
---@field snippet (pintle.SnippetPiece)[] The text around the first place that was found, in pieces, without line ends.

---A piece of a snippet.
---@class pintle.SnippetPiece
---@field text string The text.
---@field match? boolean It is what was looked for.

---Which session to export, as what, and to where.
---@class pintle.SessionExportParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field format pintle.ExportFormat What to make of it.
---@field path? string A file to write, within the session's working directory; absolute or from there. Absent: the text is the answer.
---@field overwrite? boolean Write over a file that is there.

---What a session is exported as.
---@alias pintle.ExportFormat "html"|"md"|"json"|"pi"

---The exported session.
---@class pintle.SessionExportResult
---@field text? string The text; absent where a file was written.
---@field path? string The file that was written, absolute.
---@field bytes integer The size of the text in bytes.

---Which session to delete.
---@class pintle.SessionDeleteParams
---@field sessionId pintle.SessionId The session. It must be named, and open nowhere.

---What was deleted.
---@class pintle.SessionDeleteResult
---@field deleted (pintle.SessionId)[] The sessions: first the sub-agents', then the one that was named.

---Where to go back to.
---@class pintle.SessionRewindParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field to pintle.HistoryPoint The place.
---@field scope? pintle.RewindScope Whether the conversation goes there, the files, or both.
---@field overwrite? (string)[] Files that are put back although somebody else has changed them, by their absolute paths.
---@field summarize? boolean Have the model sum up what it will not know any more, and tell it that. It takes a turn of its own, whose answer is nothing but the summary.
---@field dryRun? boolean Only say what would happen.

---A place in a session's history: exactly one of its fields.
---@class pintle.HistoryPoint
---@field itemId? pintle.ItemId Before this message of a person.
---@field turnId? pintle.TurnId After the end of this turn.
---@field seq? integer After the event with this number, also one on a way that was left; 0 is the beginning.

---What going back is about.
---@alias pintle.RewindScope "conversation"|"files"|"both"

---What became of it, or would.
---@class pintle.SessionRewindResult
---@field toSeq integer The event after which the session goes on.
---@field fromSeq integer Where it stood before: going there undoes this.
---@field dropped (pintle.ItemId)[] Items that the model does not know any more.
---@field restored (pintle.ItemId)[] Items that it knows again.
---@field input? (pintle.Input)[] The message that was gone back before, to be edited and sent again.
---@field summaryTurnId? pintle.TurnId The turn that sums up what was left, where that was wanted and there is something.
---@field files? (pintle.FileFate)[] What became of the files that were changed since; empty where only the conversation goes back.

---What becomes of a file by going back.
---@class pintle.FileFate
---@field path string The path, absolute.
---@field owner pintle.FileOwner Whose work since then would be undone.
---@field action pintle.FileAction What is done.

---Whose work stands in a file.
---@alias pintle.FileOwner "agent"|"other"|"conflict"

---What is done to a file.
---@alias pintle.FileAction "restore"|"remove"|"leave"|"lost"|"failed"

---Which session to go on from.
---@class pintle.SessionForkParams
---@field sessionId pintle.SessionId The session; it stays as it is, and need not be open.
---@field at? pintle.HistoryPoint How far its history is taken over; all of it when left out.
---@field title? string A title for lists.
---@field config? pintle.SessionConfig How the new session is to work; what is left out is as in the other one.
---@field subscribe? boolean Whether to subscribe to the new session; default true.

---Which fork comes back.
---@class pintle.SessionMergeParams
---@field sessionId? pintle.SessionId The session that takes it; may be left out where this connection has made or opened exactly one.
---@field forkId pintle.SessionId The fork, made of that session by `session/fork`; it stays as it is, and need not be open.

---What became of it. The events that were copied follow as `session/event`, behind a `history.rewound`.
---@class pintle.SessionMergeResult
---@field toSeq integer The event after which what was copied begins.
---@field fromSeq integer Where the session stood before: going there undoes this.
---@field copiedSeq integer The number of the last event that was copied; the session stands there now.
---@field dropped (pintle.ItemId)[] Items that the model does not know any more.
---@field restored (pintle.ItemId)[] Items that it knows again.
---@field added (pintle.ItemId)[] Items that came from the fork.

---Which place to name.
---@class pintle.SessionLabelParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field at pintle.HistoryPoint The place.
---@field label? string The name, at most 200 characters; left out, the place has none any more.

---The place that has another name.
---@class pintle.SessionLabelResult
---@field seq integer The event that is the place.

---Names a session.
---@class pintle.SessionParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.

---The ways that a session's history has taken.
---@class pintle.SessionTreeResult
---@field nodes (pintle.HistoryNode)[] Messages of people and named places, oldest first.
---@field leafSeq integer The last event.

---A place where the history may branch.
---@class pintle.HistoryNode
---@field seq integer The event.
---@field parentSeq? integer The node before it on its way; absent for the first.
---@field itemId? pintle.ItemId The message, where it is one.
---@field turnId? pintle.TurnId The turn.
---@field text string The beginning of the message.
---@field tsMs integer When it was, in milliseconds since 1970.
---@field label? string Its name.
---@field isCurrent boolean It lies on the way that the model knows.

---A session.
---@class pintle.SessionAnchorsParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.

---The points between which a session's items can be listed and searched.
---@class pintle.SessionAnchorsResult
---@field anchors (pintle.Anchor)[] In the order of their events.

---A point of a session at which something begins or is handed over.
---@class pintle.Anchor
---@field seq integer The event.
---@field kind pintle.AnchorKind What it is.
---@field text? string The name that a place was given, or the beginning of the summary.
---@field from? pintle.SessionId The session that what was copied came from.
---@field tsMs integer When it was, in milliseconds since 1970.
---@field isCurrent boolean It lies on the way that the model knows.

---What an anchor is.
---@alias pintle.AnchorKind "start"|"copied"|"compaction"|"handOver"|"label"

---Which hunks to list.
---@class pintle.ReviewListParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field path? string Only those of this file, by its absolute path.
---@field turnId? pintle.TurnId Only those that this turn made or changed.
---@field closed? boolean Also those that were decided about, or are no more.

---The hunks, by path and line; closed ones behind them, oldest first.
---@class pintle.ReviewListResult
---@field hunks (pintle.Hunk)[] The hunks.
---@field seq integer The last event that this takes into account.

---A run of changed lines: what stood there at the last accepted point, and what stands there now.
---@class pintle.Hunk
---@field id pintle.HunkId Stays the same while the file changes elsewhere, and never names another hunk.
---@field path string The file's absolute path.
---@field kind pintle.HunkKind Whether it is about lines or about the file.
---@field state pintle.HunkState What became of it.
---@field before pintle.LineSpan Its lines in the baseline.
---@field after pintle.LineSpan Its lines in the file now.
---@field oldText string Those lines in the baseline, with their line ends; empty where the file is no text.
---@field newText string Those lines in the file now.
---@field changedSeq integer The last event that changed its text: a decision that names it is refused when the hunk has changed since.
---@field madeBy (pintle.Maker)[] Who made it, the first one first.
---@field comments? (pintle.Comment)[] What was said about it.
---@field verdict? integer The verdict that closed it.
---@field waiting? integer A verdict about it waits, under this number.
---@field absorbedBy? pintle.HunkId The hunk that it became a part of.
---@field partOf? pintle.HunkId The hunk that it was a part of, when only some lines were decided about.

---Names a hunk within its session: the number of the event that made it, a dot, and a count.
---@alias pintle.HunkId string

---What a hunk is about.
---@alias pintle.HunkKind "lines"|"file"|"mode"

---What became of a hunk.
---@alias pintle.HunkState "pending"|"modified"|"conflict"|"kept"|"undone"|"absorbed"|"gone"

---Some lines of a text.
---@class pintle.LineSpan
---@field start integer The first line, from 1. Of no lines: the line that they stand before.
---@field count integer How many.

---A call that made or changed a hunk.
---@class pintle.Maker
---@field turnId pintle.TurnId The turn.
---@field itemId pintle.ItemId The tool call.

---What a person says about a hunk.
---@class pintle.Comment
---@field seq integer The event that brought it.
---@field side pintle.Side About the lines before or now.
---@field lines? pintle.LineSpan About these lines of the hunk; absent: about all.
---@field text string What is said.

---One of the two texts of a change.
---@alias pintle.Side "old"|"new"

---What to decide.
---@class pintle.ReviewDecideParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field action pintle.ReviewAction What is wanted.

---What a person wants done.
---@alias pintle.ReviewAction pintle.ReviewAction.Variant|pintle.ReviewAction.Variant|pintle.ReviewAction.Variant|pintle.ReviewAction.Variant

---Accept: the baseline takes the lines. The disk stays as it is.
---@class pintle.ReviewAction.Variant
---@field action "keep" 
---@field target pintle.ReviewTarget What.

---Take back: the file gets the lines of the baseline again.
---@class pintle.ReviewAction.Variant
---@field action "undo" 
---@field target pintle.ReviewTarget What.
---@field discardEdits? boolean Take lines back that a person wrote into a hunk as well; without it such a hunk is a conflict.

---Undo a verdict, or withdraw one that waits.
---@class pintle.ReviewAction.Variant
---@field action "revert" 
---@field verdict integer The event of the verdict.

---Say something about a hunk.
---@class pintle.ReviewAction.Variant
---@field action "comment" 
---@field hunk pintle.HunkId The hunk.
---@field side pintle.Side About the lines before or now.
---@field lines? pintle.LineSpan About these lines of the hunk; absent: about all.
---@field text string What.

---What a decision is about.
---@alias pintle.ReviewTarget pintle.ReviewTarget.Variant|pintle.ReviewTarget.Variant|pintle.ReviewTarget.Variant|pintle.ReviewTarget.Variant|pintle.ReviewTarget.Variant

---One hunk.
---@class pintle.ReviewTarget.Variant
---@field of "hunk" 
---@field hunk pintle.HunkId Its id.
---@field changedSeq? integer Its `changedSeq` as it was shown; the decision is refused when it is another one by now.

---Some lines of a hunk.
---@class pintle.ReviewTarget.Variant
---@field of "lines" 
---@field hunk pintle.HunkId Its id.
---@field changedSeq integer Its `changedSeq` as it was shown; the lines are counted in that text.
---@field lines pintle.LineSelection Which lines.

---All open hunks of a file.
---@class pintle.ReviewTarget.Variant
---@field of "file" 
---@field path string Its absolute path.

---All open hunks that a turn made or changed.
---@class pintle.ReviewTarget.Variant
---@field of "turn" 
---@field turnId pintle.TurnId The turn.

---All open hunks.
---@class pintle.ReviewTarget.Variant
---@field of "all" 

---Lines of a hunk, counted within it.
---@class pintle.LineSelection
---@field old? pintle.LineSpan Of the lines before.
---@field new? pintle.LineSpan Of the lines now.

---What came of it.
---@class pintle.ReviewDecideResult
---@field seq integer The event of the verdict, by which it can be undone. Of one that waits, its number: to revert that is to withdraw it.
---@field verdict pintle.Verdict What was done to which hunk; of one that waits, what would be done now.
---@field isQueued? boolean It waits for the next gap between two calls, or for the end of the turn. Then `review.decided` says that it was carried out, or `review.queued` why not.

---What was decided and what came of it: all that an event has to hold.
---@class pintle.Verdict
---@field action pintle.ReviewAction What was asked.
---@field parts (pintle.VerdictPart)[] What it does to each hunk.
---@field waited? integer It had waited, under this number.

---What a verdict does to one hunk.
---@class pintle.VerdictPart
---@field hunk pintle.HunkId The hunk.
---@field path string Its file's absolute path.
---@field effect pintle.Effect What is done to it.
---@field lines? pintle.LineSelection Only to these lines.
---@field outcome pintle.Outcome Whether it was done.
---@field conflict? string For a conflict in text: what the agent wrote, what stands there and what should, between conflict markers.

---What is done to a hunk.
---@alias pintle.Effect "keep"|"undo"|"reopen"|"comment"|"withdraw"

---Whether something was done.
---@alias pintle.Outcome "applied"|"conflict"

---Which file's baseline to read.
---@class pintle.ReviewBaselineParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field path string The file, by its absolute path.

---What the file held at the last accepted point.
---@class pintle.ReviewBaselineResult
---@field exists boolean Whether there was a file.
---@field text? string Its text; absent where there was no file or it was no UTF-8.

---Which patch to make.
---@class pintle.ReviewPatchParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field open? boolean Only what is still open; otherwise all that the agent did and that was not taken back.

---A patch for `git apply` in the session's working directory.
---@class pintle.ReviewPatchResult
---@field text string The patch; empty when nothing was changed.
---@field leftOut? (string)[] Changed files outside of the working directory: they are not in the patch.

---From where to send events.
---@class pintle.SessionSubscribeParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field fromSeq? integer Send the events after this number first; default: only new ones.
---@field tail? integer Send so many of the last events first, if `fromSeq` is left out.

---Which events to read.
---@class pintle.SessionEventsParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field after? integer Read the events after this number; default 0, from the start.
---@field before? integer Read the last events before this number instead; a number beyond the end gives the end of the session. Not together with `after`.
---@field limit? integer The most to return, 1 to 1000; default 200.

---A page of events.
---@class pintle.SessionEventsResult
---@field events (pintle.EventRecord)[] The events, in order.
---@field lastSeq integer The number of the session's last durable event.
---@field more boolean There are more after the last one here; with `before`, more before the first one.

---A durable event with its place in the session's log. It was written to the journal before it was sent anywhere.
---@class pintle.EventRecord
---@field sessionId pintle.SessionId The session.
---@field seq integer The event's number in its session: from 1, each one more than the last, no gaps.
---@field tsMs integer When it happened, in milliseconds since 1970.
---@field turnId? pintle.TurnId The turn it belongs to.
---@field event pintle.Event What happened.

---Durable events, told apart by `type`. A reader skips a type it does not know.
---@alias pintle.Event pintle.Event.session.created|pintle.Event.session.closed|pintle.Event.session.updated|pintle.Event.input.accepted|pintle.Event.input.removed|pintle.Event.queue.changed|pintle.Event.turn.started|pintle.Event.prompt.made|pintle.Event.turn.completed|pintle.Event.item.started|pintle.Event.item.updated|pintle.Event.item.completed|pintle.Event.approval.requested|pintle.Event.approval.resolved|pintle.Event.question.requested|pintle.Event.question.resolved|pintle.Event.plan.updated|pintle.Event.step.completed|pintle.Event.retry.scheduled|pintle.Event.context.pruned|pintle.Event.config.changed|pintle.Event.files.changed|pintle.Event.review.decided|pintle.Event.review.queued|pintle.Event.history.rewound|pintle.Event.label.changed|pintle.Event.notice

---The session was made.
---@class pintle.Event.session.created: pintle.SessionCreated
---@field type "session.created" 

---The session was closed in order; it can be opened again.
---@class pintle.Event.session.closed
---@field type "session.closed" 

---The session has another title, or none any more.
---@class pintle.Event.session.updated: pintle.SessionUpdated
---@field type "session.updated" 

---A person's message was taken and is on disk. It is in the queue until a `userMessage` item with the same id is completed, or `input.removed` names it.
---@class pintle.Event.input.accepted: pintle.QueuedInput
---@field type "input.accepted" 

---Messages left the queue without being read by the model; they are handed back here, whole.
---@class pintle.Event.input.removed
---@field type "input.removed" 
---@field inputs (pintle.QueuedInput)[] The messages.

---Messages in the queue were edited or put in another order. This is the whole queue.
---@class pintle.Event.queue.changed
---@field type "queue.changed" 
---@field queue (pintle.QueuedInput)[] The messages, in the order in which the model will read them.

---A turn began.
---@class pintle.Event.turn.started
---@field type "turn.started" 
---@field model string The model that answers, as `provider/id`.

---The model was given its system prompt. It stays the same, byte for byte, until the model of the session is another one; what changes meanwhile in the files that it was made of is told in an `engineMessage`.
---@class pintle.Event.prompt.made: pintle.PromptMade
---@field type "prompt.made" 

---A turn ended. It is the turn's last event and there is exactly one for each turn, also after a crash. A job that it began may go on; what happens to that belongs to no turn.
---@class pintle.Event.turn.completed: pintle.TurnCompleted
---@field type "turn.completed" 

---An item began.
---@class pintle.Event.item.started
---@field type "item.started" 
---@field item pintle.Item The item as it is now.

---An item changed; this is its whole new value.
---@class pintle.Event.item.updated
---@field type "item.updated" 
---@field item pintle.Item The item as it is now.

---An item ended; this is its whole final value.
---@class pintle.Event.item.completed
---@field type "item.completed" 
---@field item pintle.Item The item as it stays.

---A question of permission is open.
---@class pintle.Event.approval.requested: pintle.Approval
---@field type "approval.requested" 

---A question of permission was answered or withdrawn.
---@class pintle.Event.approval.resolved: pintle.ApprovalOutcome
---@field type "approval.resolved" 

---A question to a person is open.
---@class pintle.Event.question.requested: pintle.Question
---@field type "question.requested" 

---A question to a person was answered, or is not asked any more.
---@class pintle.Event.question.resolved: pintle.QuestionOutcome
---@field type "question.resolved" 

---The model changed its plan; this is the whole of it.
---@class pintle.Event.plan.updated: pintle.Plan
---@field type "plan.updated" 

---A model reply is over, whole or cut; its tool calls, if any, run now.
---@class pintle.Event.step.completed: pintle.StepCompleted
---@field type "step.completed" 

---The provider failed and is asked again after a wait. What was shown of a cut reply stays as it is, its open items are cancelled, and the model says it anew.
---@class pintle.Event.retry.scheduled: pintle.RetryScheduled
---@field type "retry.scheduled" 

---Old results were taken out of what the model reads, to make room. The journal keeps them.
---@class pintle.Event.context.pruned: pintle.ContextPruned
---@field type "context.pruned" 

---The session works in another way from the next turn on.
---@class pintle.Event.config.changed: pintle.ConfigChanged
---@field type "config.changed" 

---Files were changed. It comes with the end of the call that did it.
---@class pintle.Event.files.changed: pintle.FilesChanged
---@field type "files.changed" 

---A person decided about hunks.
---@class pintle.Event.review.decided: pintle.Verdict
---@field type "review.decided" 

---A verdict waits for the next gap between two calls, or one waits no more.
---@class pintle.Event.review.queued: pintle.ReviewQueue
---@field type "review.queued" 

---The session goes on from another place of its history. What came since stays in the journal; the model knows it no more.
---@class pintle.Event.history.rewound: pintle.HistoryRewound
---@field type "history.rewound" 

---A place of the history has another name.
---@class pintle.Event.label.changed: pintle.LabelChanged
---@field type "label.changed" 

---Something a person should know.
---@class pintle.Event.notice: pintle.Notice
---@field type "notice" 

---Instructions that make a sub-agent a named one.
---@class pintle.AgentRole
---@field name string The name.
---@field instructions string How it is to work.
---@field tools? (string)[] The tools that it may use, as its file names them; absent for all.

---Where a session that began with a part of another one's history comes from.
---@class pintle.ForkedFrom
---@field sessionId pintle.SessionId The other session.
---@field seq integer The last event there that is part of this session's history.
---@field copiedSeq integer The number of the last event here that was copied from there.

---What the session was made with.
---@class pintle.SessionCreated
---@field cwd string The working directory, absolute.
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode What needs no question.
---@field mode? pintle.WorkMode Whether it plans only.
---@field title? string The title, if it was given one.
---@field parent? pintle.Parent Whose sub-agent it is, if it is one.
---@field role? pintle.AgentRole Which named agent it is, if it is one.
---@field systemPrompt? string Instructions for this session alone.
---@field forkedFrom? pintle.ForkedFrom Whose history it began with, if it is a fork.

---Who gave a session its title.
---@alias pintle.TitledBy "person"|"model"

---A session has another title.
---@class pintle.SessionUpdated
---@field title? string The title; absent when it was taken away.
---@field by pintle.TitledBy Who gave it.
---@field usage? pintle.Usage The tokens that it took to make, where a model made it; they belong to no turn.
---@field costNanoUsd? integer What that cost, in billionths of a US dollar; absent where the price is not known.

---A file that a system prompt holds or names.
---@class pintle.PromptSource
---@field kind pintle.PromptSourceKind What it is.
---@field path string Its absolute path.

---What a file is that a system prompt holds or names.
---@alias pintle.PromptSourceKind "document"|"rule"|"skill"|"agent"

---Of what a system prompt was made.
---@class pintle.PromptMade
---@field sources? (pintle.PromptSource)[] The files in it or named by it, in the order in which they stand there.

---Whether a turn reached its end.
---@alias pintle.TurnStatus "completed"|"interrupted"|"failed"

---Why a model stopped.
---@alias pintle.StopReason "endTurn"|"toolUse"|"maxTokens"|"refusal"|"limit"|"other"

---Why a turn failed.
---@class pintle.TurnError
---@field code string A stable name. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`, `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may come.
---@field message string What happened, for a person.
---@field hint? string What to do about it.
---@field retryable? boolean Trying the same again may help.
---@field httpStatus? integer The provider's HTTP status.

---How a turn ended.
---@class pintle.TurnCompleted
---@field status pintle.TurnStatus Whether it reached its end.
---@field stop? pintle.StopReason Why the model stopped, when it was the model that ended the turn.
---@field error? pintle.TurnError What went wrong, when something did.
---@field usage pintle.Usage The turn's tokens, those of sub-agents that ended a turn meanwhile among them.
---@field costNanoUsd? integer What all that cost, in billionths of a US dollar; absent where the price is not known.
---@field steps integer How many model replies it took.
---@field denials? integer Tool calls that were denied.
---@field durationMs integer How long it took, in milliseconds.

---Something a client can draw. The event that completes an item carries its whole value, so the deltas in between are never needed for correctness.
---@class pintle.Item: pintle.UserMessage, pintle.TextBody, pintle.TextBody, pintle.ToolCall, pintle.Job, pintle.Subagent, pintle.Compaction, pintle.EngineMessage
---@field id pintle.ItemId The item's id.
---@field turnId? pintle.TurnId The turn it belongs to.
---@field step? integer The step (model reply) within the turn, from 1; absent for what no model made.
---@field status pintle.ItemStatus Where the item stands.
---@field startedMs integer When it began, in milliseconds since 1970.
---@field durationMs? integer How long it took, in milliseconds; present once it is over.
---@field type "userMessage" 

---Where an item stands. A reader treats a value it does not know as still running.
---@alias pintle.ItemStatus "pending"|"running"|"completed"|"failed"|"declined"|"cancelled"

---A person's message in the conversation.
---@class pintle.UserMessage
---@field content (pintle.Input)[] The blocks, as sent.

---Text that grew while it streamed.
---@class pintle.TextBody
---@field text string The whole text so far; empty in `item.started`.

---What a tool returned: what the model reads, and what a client may draw besides.
---@class pintle.ToolResult
---@field content (pintle.Content)[] What the model reads.
---@field isError? boolean The tool failed, was declined or was cancelled; the content says why.
---@field details? pintle.ToolDetails Facts for a client.

---One block of a tool's result, as the model sees it.
---@alias pintle.Content pintle.Content.text|pintle.Content.image

---Text.
---@class pintle.Content.text
---@field type "text" 
---@field text string The text.

---A picture.
---@class pintle.Content.image
---@field type "image" 
---@field mimeType string The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
---@field data string The bytes in base64.

---Facts about a tool's result that only a client needs.
---@class pintle.ToolDetails
---@field changes? (pintle.FileChange)[] Files it changed.
---@field exitCode? integer A command's exit code.
---@field signal? string The name of the signal that ended a command, such as `SIGKILL`.
---@field truncation? pintle.Truncation What was cut from the output, when something was.
---@field fullOutputPath? string A file that holds the whole output, when it was cut.
---@field fullOutput? pintle.FullOutput The whole output for `blob/read`, when it was cut.
---@field jobs? (pintle.JobRef)[] The background jobs it was about.

---What happened to one file.
---@class pintle.FileChange
---@field op pintle.FileOp What was done.
---@field path string The file's absolute path (the new one after a move).
---@field oldPath? string The path before a move.
---@field diff string The change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
---@field added integer Lines added.
---@field removed integer Lines removed.
---@field firstChangedLine? integer The first line that differs, 1-based, counted in the new text: where an editor should jump.
---@field words? (pintle.WordSpan)[] What differs within lines that were changed rather than replaced, for marking words; at most 1,000.

---The kind of a file change.
---@alias pintle.FileOp "add"|"modify"|"delete"|"move"

---A part of a line that differs from its counterpart.
---@class pintle.WordSpan
---@field side pintle.Side Of which text.
---@field line integer The line in that text, 1-based.
---@field start integer Its first byte in the line as UTF-8, from 0.
---@field end integer The byte behind it.

---What was cut from a tool's output before the model saw it, and by which limit.
---@class pintle.Truncation
---@field truncatedBy? pintle.TruncatedBy Which limit cut; absent when nothing was cut.
---@field totalLines integer Lines of the whole output; a trailing newline does not count as one more.
---@field totalBytes integer Bytes of the whole output.
---@field outputLines integer Lines that are left.
---@field outputBytes integer Bytes that are left.
---@field lastLinePartial? boolean The last line that is left was itself cut at its front.
---@field firstLineExceedsLimit? boolean Nothing is left because the first line alone is over the byte limit.
---@field maxLines integer The limit in lines.
---@field maxBytes integer The limit in bytes.

---The limit that cut an output.
---@alias pintle.TruncatedBy "lines"|"bytes"

---A whole output that is kept with the session.
---@class pintle.FullOutput
---@field ref string Its name for `blob/read`.
---@field bytes integer Its size in bytes.

---Which background job a call was about.
---@class pintle.JobRef
---@field jobId pintle.JobId The job.
---@field itemId pintle.ItemId Its item.
---@field hasEnded? boolean The result tells how it ended.

---Names a background job within its session: `job-1`, `job-2` …, short because a model writes it.
---@alias pintle.JobId string

---A tool call from its first argument byte to its result.
---@class pintle.ToolCall
---@field toolName string The tool's name, as the model calls it.
---@field title string One line for a person: `bash: cargo test`.
---@field kind pintle.ToolKind What kind of act it is, for icons and rules.
---@field locations? (pintle.Location)[] Files and lines it is about.
---@field input? any The arguments; absent until they have arrived whole.
---@field changedInput? any The arguments that a hook put in their place; these ran.
---@field output? pintle.ToolResult The result; absent until there is one.

---How a background job ended.
---@alias pintle.JobEnd "exited"|"signalled"|"timedOut"|"stopped"|"sessionEnded"|"failed"

---A command in the background, from its start to its end.
---@class pintle.Job
---@field jobId pintle.JobId The id by which model and client speak of it.
---@field title string One line for a person.
---@field command string The command, as the shell reads it.
---@field end? pintle.JobEnd How it ended; absent while it runs.
---@field output? string The end of what it printed; absent while it runs. Deltas of the field `output` come before.
---@field details? pintle.ToolDetails Exit code, signal, what was cut from the output and where all of it is.

---What a sub-agent does.
---@alias pintle.SubagentState "working"|"done"|"failed"|"closed"

---A sub-agent: a session of its own that works at a part of the task. Its events come under its own session's id.
---@class pintle.Subagent
---@field agentId pintle.AgentId The name by which model and client speak of it.
---@field sessionId pintle.SessionId Its session.
---@field task string What it was told first.
---@field model string Its model, as `provider/id` or `provider/id:effort`.
---@field state pintle.SubagentState Whether it works.
---@field result? string What it said last, as the model reads it; absent until its first turn has ended.
---@field usage? pintle.Usage Its tokens so far.
---@field costNanoUsd? integer What it has cost so far, in billionths of a US dollar; absent where the price is not known.

---Why a conversation is summed up.
---@alias pintle.CompactionReason "threshold"|"overflow"|"requested"

---A summing up. Once it is completed, the model reads the summary in the place of what was before; the journal keeps all.
---@class pintle.Compaction
---@field reason pintle.CompactionReason Why.
---@field tokensBefore integer The tokens of the conversation before, about.
---@field tokensAfter? integer And after; absent until it is completed.
---@field summary? string What the model reads in the place of what was before; while it runs, deltas of the field `text` come.
---@field error? string Why it failed, when it did: the conversation is then as it was.

---What the engine told the model.
---@class pintle.EngineMessage
---@field text string The text, as the model reads it.
---@field jobs? (pintle.ItemId)[] The items of the jobs whose end it tells.
---@field mode? pintle.WorkMode The mode that it tells of.
---@field reviewed? (integer)[] The events about the review that it tells of.
---@field sumsUpLeft? boolean It sums up what a conversation that went back has left.

---Who answered a question of permission.
---@alias pintle.DecidedBy "client"|"noApprover"|"interrupt"

---How a question of permission ended.
---@class pintle.ApprovalOutcome
---@field approvalId pintle.ApprovalId The question.
---@field itemId pintle.ItemId The tool call.
---@field decision pintle.Decision What was decided.
---@field scope pintle.Scope How long it holds.
---@field by pintle.DecidedBy Who decided.
---@field feedback? string What the person said with it.

---Who or what ended a question.
---@alias pintle.AnsweredBy "client"|"dismissed"|"deadline"|"noClient"|"interrupt"

---How a question ended.
---@class pintle.QuestionOutcome
---@field questionId pintle.QuestionId The question.
---@field itemId pintle.ItemId The tool call.
---@field optionIds? (string)[] The options that hold.
---@field text? string What the person said in own words.
---@field by pintle.AnsweredBy Who or what ended it.

---How a model reply ended and what it cost.
---@class pintle.StepCompleted
---@field step integer The step within the turn, from 1.
---@field stop? pintle.StopReason Why the model stopped; absent when it was stopped.
---@field usage pintle.Usage The tokens of this reply.
---@field turnUsage pintle.Usage The tokens of the turn so far.
---@field costNanoUsd? integer What this reply cost, in billionths of a US dollar; absent where the price is not known.
---@field turnCostNanoUsd? integer What the turn has cost so far, in billionths of a US dollar; absent where no price is known.

---A provider that failed is asked again.
---@class pintle.RetryScheduled
---@field attempt integer Which retry this is, from 1.
---@field of integer How many there are at most.
---@field delayMs integer How long the wait is, from this event on, in milliseconds.
---@field code string Why, as in [`TurnError`].
---@field message string What happened, for a person.

---Old results that the model reads no longer.
---@class pintle.ContextPruned
---@field results integer How many results.
---@field tokensBefore integer The tokens before, about.
---@field tokensAfter integer And after.

---How a session works from the next turn on.
---@class pintle.ConfigChanged
---@field model string The model, as `provider/id` or `provider/id:effort`.
---@field permissionMode pintle.PermissionMode What needs no question.
---@field mode? pintle.WorkMode Whether it plans only.

---A file that was changed.
---@class pintle.FileRecord
---@field path string The path, absolute.
---@field before? pintle.FileState What was there; absent when nothing was.
---@field after? pintle.FileState What is there now; absent when it is gone.

---The state of a file at some time. Its content is kept in the session under its hash.
---@class pintle.FileState
---@field sha256 string SHA-256 of the content, in hex.
---@field size integer The size in bytes.
---@field mode? integer The permission bits, where there are any.
---@field isLost? boolean The content was too large to be kept, so nothing can bring it back.

---Who changed files.
---@alias pintle.ChangedBy pintle.ChangedBy.call|pintle.ChangedBy.other|pintle.ChangedBy.rewind|pintle.ChangedBy.review

---A call of the model.
---@class pintle.ChangedBy.call
---@field type "call" 
---@field itemId pintle.ItemId Its item.

---Somebody else, before the next call was made: a person, another program, a job in the background.
---@class pintle.ChangedBy.other
---@field type "other" 

---Going back in the history.
---@class pintle.ChangedBy.rewind
---@field type "rewind" 

---A verdict of a person, told by the `review.decided` before it.
---@class pintle.ChangedBy.review
---@field type "review" 

---Files were changed.
---@class pintle.FilesChanged
---@field changes (pintle.FileRecord)[] The files.
---@field by pintle.ChangedBy Who did it.

---A verdict that waits.
---@class pintle.WaitingVerdict
---@field id integer Its number: the event with which it began to wait.
---@field action pintle.ReviewAction What is wanted.

---A verdict that was not carried out.
---@class pintle.RefusedVerdict
---@field id integer Its number.
---@field reason string Why, for people.

---The verdicts that wait for a gap between two calls of the running turn.
---@class pintle.ReviewQueue
---@field waiting (pintle.WaitingVerdict)[] All of them, in order.
---@field refused? pintle.RefusedVerdict One that waits no more and was not carried out.

---Where the next events come from.
---@class pintle.MergedFrom
---@field sessionId pintle.SessionId The fork. What was used there is not counted here.
---@field seq integer The last event there that is part of this session's history now.
---@field copiedSeq integer The number of the last event here that was copied from there.

---The session goes on from another place of its history.
---@class pintle.HistoryRewound
---@field toSeq integer The event after which it goes on; 0 is the beginning.
---@field dropped? (pintle.ItemId)[] Items that the model does not know any more; a client takes them out of its view.
---@field restored? (pintle.ItemId)[] Items that it knows again.
---@field merged? pintle.MergedFrom The next events come from a fork.

---A place of the history has another name.
---@class pintle.LabelChanged
---@field seq integer The event that is the place.
---@field label? string The name; absent when it was taken away.

---How bad a notice is.
---@alias pintle.NoticeLevel "info"|"warning"|"error"

---Something a person should know.
---@class pintle.Notice
---@field level pintle.NoticeLevel How bad it is.
---@field code string A stable name.
---@field message string What happened.
---@field hint? string What to do about it.

---Which piece of a long output to read.
---@class pintle.BlobReadParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field ref string The output's name, as `details.fullOutput` gives it.
---@field offset? integer The first byte, from 0; default 0. Go on with the `end` of the piece before.
---@field length? integer The most bytes, 1 to 1,048,576; default 65,536.

---A piece of a long output.
---@class pintle.BlobReadResult
---@field text string The text; it may be a few bytes shorter than asked, so that no character is cut.
---@field offset integer Where it begins, in bytes.
---@field end integer Where it ends, in bytes; the next piece begins here.
---@field size integer The size of the whole output, in bytes.

---A prompt.
---@class pintle.TurnStartParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field input (pintle.Input)[] The prompt.
---@field whenBusy? pintle.WhenBusy What to do while a turn runs; default `reject`.
---@field limits? pintle.TurnLimits How much the turn may take.

---What to do with a prompt while a turn runs.
---@alias pintle.WhenBusy "reject"|"queue"

---A prompt was accepted; it is on disk.
---@class pintle.TurnStartResult
---@field turnId pintle.TurnId The turn it starts, or will start.
---@field itemId pintle.ItemId The id of its `userMessage` item.
---@field disposition pintle.Disposition What became of it.

---What became of an accepted prompt.
---@alias pintle.Disposition "started"|"queued"

---A message for the running turn.
---@class pintle.TurnSteerParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field expectedTurnId? pintle.TurnId Refuse with `conflict` unless this turn is the running one.
---@field input (pintle.Input)[] The message.

---What became of a steer.
---@class pintle.TurnSteerResult
---@field outcome pintle.SteerOutcome What became of it.
---@field itemId? pintle.ItemId The id of its `userMessage` item, when it was accepted.
---@field turnId? pintle.TurnId The turn it goes into, when it was accepted.

---What became of a steer.
---@alias pintle.SteerOutcome "accepted"|"noActiveTurn"

---Which turn to stop.
---@class pintle.TurnInterruptParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field turnId? pintle.TurnId Refuse with `conflict` unless this turn is the running one.
---@field queue? pintle.QueuePolicy What to do with messages that the model has not read yet; default `return`.

---What an interrupt does with messages that the model has not read yet.
---@alias pintle.QueuePolicy "return"|"keep"

---What became of an interrupt.
---@class pintle.TurnInterruptResult
---@field turnId? pintle.TurnId The turn that is being stopped; absent when none runs.
---@field returned? (pintle.QueuedInput)[] The messages that were handed back.

---What to make short.
---@class pintle.SessionCompactParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field instructions? string What the summary is to take care of.

---The summing up has begun.
---@class pintle.SessionCompactResult
---@field turnId pintle.TurnId The turn that does it.

---The context of which session.
---@class pintle.ContextReadParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field summary? boolean Leave out the messages, and tell only how much of what there is.

---What the model was sent last; before the first request, what it would be sent.
---@class pintle.ContextReadResult
---@field usage pintle.ContextUsage How full the window is.
---@field sources (pintle.ContextSource)[] The tokens by source, about.
---@field system? string The system prompt.
---@field tools? (pintle.ContextTool)[] The tools.
---@field messages? (pintle.ContextMessage)[] The messages, in order.

---How much of the context is from where.
---@class pintle.ContextSource
---@field source string From where: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may come.
---@field count integer How many messages or tools.
---@field tokens integer Their tokens, about.

---A tool as the model is told of it.
---@class pintle.ContextTool
---@field name string Its name.
---@field description string What it does.
---@field parameters any JSON Schema of its arguments.

---A message as the model is sent it, whatever its provider's wire format.
---@class pintle.ContextMessage
---@field role string Who says it: `user`, `assistant` or `result`.
---@field callId? string Of a result: the id of its call.
---@field isError? boolean Of a result: the call failed.
---@field blocks (pintle.ContextBlock)[] Its blocks.

---A block of a message, told apart by `type`.
---@alias pintle.ContextBlock pintle.ContextBlock.text|pintle.ContextBlock.reasoning|pintle.ContextBlock.toolCall|pintle.ContextBlock.image|pintle.ContextBlock.opaque

---Text.
---@class pintle.ContextBlock.text
---@field type "text" 
---@field text string The text.

---What the model thought.
---@class pintle.ContextBlock.reasoning
---@field type "reasoning" 
---@field text string The text, as far as its provider shows it.

---A call of a tool.
---@class pintle.ContextBlock.toolCall
---@field type "toolCall" 
---@field callId string The call's id.
---@field name string The tool's name.
---@field arguments string The arguments, as the model wrote them.

---A picture.
---@class pintle.ContextBlock.image
---@field type "image" 
---@field mimeType string Its kind.
---@field bytes integer Its size in base64, in bytes.

---Something only the provider understands, sent back to it as it is.
---@class pintle.ContextBlock.opaque
---@field type "opaque" 
---@field bytes integer Its size in bytes.

---What can be set in a session, and what became of a change.
---@class pintle.ConfigResult
---@field options (pintle.ConfigOption)[] Every option, with the value that holds.
---@field applied? (string)[] The ids of those that were set.
---@field rejected? (pintle.Rejected)[] Those that were not, and why.

---Something that can be set in a session.
---@class pintle.ConfigOption
---@field id string Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may come.
---@field name string Its name for a person.
---@field value string The value that holds from the next turn on.
---@field choices? (string)[] The values it can have; empty where any text may do.

---A value that was not set.
---@class pintle.Rejected
---@field id string The option's id, as it was sent.
---@field reason string Why, and what to do.

---What to change in a session.
---@class pintle.ConfigSetParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field values table New values, by the option's id.

---The messages that wait, in the order in which the model will read them.
---@class pintle.QueueResult
---@field queue (pintle.QueuedInput)[] The messages.

---A change of one waiting message in a session.
---@class pintle.QueueUpdateParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field itemId pintle.ItemId The message.
---@field input? (pintle.Input)[] Its new blocks.
---@field delivery? pintle.Delivery How it is to be delivered: `steer` goes into the running turn at its next gap, `followUp` starts a turn of its own.
---@field before? pintle.ItemId Put it before this one of the same delivery.
---@field toEnd? boolean Put it behind all of the same delivery.

---Which waiting messages to hand back.
---@class pintle.QueueRemoveParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field itemIds? (pintle.ItemId)[] The messages; all when left out.

---The messages that were handed back.
---@class pintle.QueueRemoveResult
---@field removed (pintle.QueuedInput)[] The messages, whole.

---An answer to a question of permission that is sent by itself. One that names no offered option is refused, and the question stays open.
---@class pintle.ApprovalAnswerParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field approvalId pintle.ApprovalId The question.
---@field optionId? string The chosen option.
---@field feedback? string What the model should read with a denial.
---@field dismissed? boolean The question was closed without a choice: deny once.

---An answer to a question that is sent by itself. One that names an option that was not offered, or says nothing, is refused, and the question stays open.
---@class pintle.QuestionAnswerParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field questionId pintle.QuestionId The question.
---@field optionIds? (string)[] The chosen options.
---@field text? string What the person says in own words.
---@field dismissed? boolean The question was closed without an answer; the model is told to decide by itself.

---All that an editor finds wrong in a file now; it takes the place of what was said of that file before.
---@class pintle.EditorDiagnosticsParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field path string The file, absolute or from the session's working directory.
---@field version? integer The version of the text that was looked at, as the editor counts; a report of an older one is left aside.
---@field items (pintle.EditorDiagnostic)[] What is wrong; empty when nothing is.

---One thing that an editor finds wrong.
---@class pintle.EditorDiagnostic
---@field range pintle.LineRange Where it is.
---@field severity pintle.Severity How bad it is. The model is told of errors and warnings.
---@field message string What is wrong.
---@field source? string What found it, such as `rustc`.
---@field code? string How what found it calls it, such as `E0308`.

---What `document/open` takes. Opening a document again replaces all that was known of it.
---@class pintle.DocumentOpenParams
---@field path string The file, absolute. It need not exist yet.
---@field version integer Which version of the text this is; it rises with every change.
---@field text string The whole text as it would be written, with its line ends, without a byte order mark.
---@field isDirty boolean The text has not been saved. Tools then read it instead of the file.

---What `document/change` takes.
---@class pintle.DocumentChangeParams
---@field path string The file, as it was opened.
---@field version integer The version after the changes.
---@field changes (pintle.DocumentChange)[] The changes, each made to the text that the one before has left.
---@field isDirty boolean The text differs from what was saved last.

---A change of a text.
---@class pintle.DocumentChange
---@field range? pintle.TextRange What goes; without it the whole text does.
---@field text string What comes in its place.

---A part of a text. What lies beyond the end of a line or of the text means that end.
---@class pintle.TextRange
---@field start pintle.Position Where it begins.
---@field end pintle.Position Where it ends; what stands there is not part of it.

---A place in a text.
---@class pintle.Position
---@field line integer The line, from 0; lines end with `\n` or `\r\n`.
---@field character integer Units of UTF-16 from the beginning of the line, as in LSP.

---What `document/save` takes: the text of this version is what the file holds now.
---@class pintle.DocumentSaveParams
---@field path string The file, as it was opened.
---@field version integer The version that was saved.

---What `document/close` takes. What was not saved is gone for tools: they read the file again.
---@class pintle.DocumentCloseParams
---@field path string The file, as it was opened.

---Which items of a session.
---@class pintle.SessionItemsParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field before? integer The items before this event; the last ones when left out.
---@field after? integer Only items after this event, such as an anchor.
---@field limit? integer At most so many, 1 to 1,000; default 100.

---Items as they are now.
---@class pintle.SessionItemsResult
---@field items (pintle.ItemAt)[] In the order of their last events, on the way that the model knows. What has not ended is in the newest page.
---@field more boolean There are more; ask for those before the first one's `seq`.

---An item, and the last event that told of it.
---@class pintle.ItemAt
---@field seq integer The event.
---@field item pintle.Item The item.

---Which item to read.
---@class pintle.ItemReadParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field itemId pintle.ItemId The item.

---A session.
---@class pintle.CheckpointListParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.

---The places to which files can go back: the beginning and the end of each turn.
---@class pintle.CheckpointListResult
---@field checkpoints (pintle.Checkpoint)[] Oldest first.

---A place to which files can go back.
---@class pintle.Checkpoint
---@field seq integer The event after which it is; 0 is the beginning.
---@field turnId? pintle.TurnId The turn that ended there.
---@field tsMs integer When it was, in milliseconds since 1970.
---@field changed (string)[] The paths that have changed since the checkpoint before, absolute.
---@field label? string The name of the place.

---Which places to compare.
---@class pintle.CheckpointDiffParams
---@field sessionId? pintle.SessionId The session, open or not; may be left out where this connection has made or opened exactly one.
---@field from pintle.HistoryPoint The one place.
---@field to? pintle.HistoryPoint The other; what the journal says of now when left out.

---What differs in files between two places.
---@class pintle.CheckpointDiffResult
---@field text string A patch for `git apply` in the session's working directory, with everybody's changes.
---@field leftOut? (string)[] Changed files that are not in it: outside of that folder, or with a content that was not kept.

---A session's background jobs.
---@class pintle.JobListResult
---@field jobs (pintle.Item)[] Their items, oldest first.

---Which background job to stop.
---@class pintle.JobStopParams
---@field sessionId? pintle.SessionId The session; may be left out where this connection has made or opened exactly one.
---@field jobId pintle.JobId The job.

---A background job that has ended.
---@class pintle.JobStopResult
---@field job pintle.Item Its item, with its end.

---What is known by name. Any other `provider/id` of a known provider works all the same.
---@class pintle.ModelsListResult
---@field providers (pintle.ProviderInfo)[] The providers: those that are built in, then the user's own.
---@field models (pintle.ModelInfo)[] The models: those that are built in, then the user's own.
---@field problems? (string)[] What is wrong with the settings files. When one cannot be used, this is the list from before.

---A provider.
---@class pintle.ProviderInfo
---@field name string The name in `provider/id`.
---@field api? string The wire API it speaks: `chat`, `messages`, `responses` or `gemini`; absent where only its models say.
---@field url? string Where requests go, without what may be secret. Names in braces or behind a dollar stand for variables.
---@field key pintle.KeyState Whether its key is there.
---@field keyVar? string The variable that holds the key, or would.
---@field source string Where this is from: files of the user's, or where it was read.

---Whether a provider's key is there.
---@alias pintle.KeyState "set"|"command"|"notNeeded"|"missing"

---A model.
---@class pintle.ModelInfo
---@field model string `provider/id`, as `config.model` takes it.
---@field name? string What people call it, where that is not the id.
---@field window? integer The most tokens of input.
---@field maxOutput? integer The most tokens of an answer.
---@field price? pintle.ModelPrice What it costs.
---@field vision? boolean It takes pictures; absent where that is not known.
---@field reasoning? boolean It can think before it answers; absent where that is not known.
---@field profile string The profile under which it sees the tools, unless one is set.
---@field source string Where this is from: files of the user's, or where it was read.
---@field checked? string When that was read, as year and month.

---What a model costs, in US dollars for a million tokens.
---@class pintle.ModelPrice
---@field inputUsdPerMtok integer Input that comes from no cache.
---@field outputUsdPerMtok integer Output, reasoning included.
---@field cacheReadUsdPerMtok? integer Input read from a cache; absent where that costs like any input.
---@field cacheWriteUsdPerMtok? integer Input written to a cache; absent where that costs like any input.

---The prompts that can be called.
---@class pintle.CommandListResult
---@field commands (pintle.PromptCommand)[] The prompts, by name.
---@field problems? (string)[] Files that could not be understood, each with the reason.

---A prompt in a file. A message that begins with `/` and its name becomes that prompt.
---@class pintle.PromptCommand
---@field name string Its name, without the slash.
---@field description? string What it is for.
---@field argumentHint? string What may be written behind the name.
---@field path string Its file.

---A hook of a client.
---@class pintle.HookRegisterParams
---@field points (pintle.HookPoint)[] Where it runs.
---@field tools? (string)[] Only for calls of these tools: names, with `*` for any text. Default: all.
---@field timeoutMs? integer How long it may take, in milliseconds; default 60000.
---@field onFailure? pintle.OnFailure What holds when it fails; default `closed`.

---A point of the engine's work at which hooks run.
---@alias pintle.HookPoint "inputReceived"|"beforeAgent"|"contextBuilt"|"beforeModelRequest"|"afterModelResponse"|"beforeToolCall"|"afterToolCall"|"sessionCompact"|"sessionStart"|"sessionFork"|"sessionSwitch"|"sessionEnd"

---What holds when a hook fails at a point where it may deny.
---@alias pintle.OnFailure "closed"|"open"

---A tool of a client.
---@class pintle.ToolRegisterParams
---@field name string Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest of a name wins, also over a built-in tool.
---@field description string What it does and how to use it, for the model.
---@field parameters any JSON Schema of the arguments, an object schema.

---The params of `session/event`: durable if there is a `seq`, transient if there is an `after`.
---@alias pintle.AnyRecord pintle.EventRecord|pintle.TransientRecord

---A transient event: never in the journal, may be merged with its neighbours or left out, never needed for correctness.
---@class pintle.TransientRecord
---@field sessionId pintle.SessionId The session.
---@field after integer The number of the last durable event before it.
---@field turnId? pintle.TurnId The turn it belongs to.
---@field event pintle.TransientEvent What happened.

---Transient events, told apart by `type`.
---@alias pintle.TransientEvent pintle.TransientEvent.item.delta|pintle.TransientEvent.state|pintle.TransientEvent.context|pintle.TransientEvent.step.usage|pintle.TransientEvent.notice

---A field of an item grew.
---@class pintle.TransientEvent.item.delta: pintle.ItemDelta
---@field type "item.delta" 

---The session does something else now.
---@class pintle.TransientEvent.state: pintle.SessionState
---@field type "state" 

---How full the model's window is, after each reply.
---@class pintle.TransientEvent.context: pintle.ContextUsage
---@field type "context" 

---What the reply that streams has taken so far, where its provider tells it on the way.
---@class pintle.TransientEvent.step.usage: pintle.StepUsage
---@field type "step.usage" 

---Something a person should know that could not be written to the journal.
---@class pintle.TransientEvent.notice: pintle.Notice
---@field type "notice" 

---The fields that stream.
---@alias pintle.DeltaField "text"|"args"|"input"|"output"

---A piece of text for the end of an item's field.
---@class pintle.ItemDelta
---@field itemId pintle.ItemId The item.
---@field field pintle.DeltaField The field that grew.
---@field path? string Which text of the arguments grew, as a JSON Pointer such as `/content`; only with the field `input`.
---@field n integer The piece's number within item and field, from 0.
---@field to? integer The last piece's number where neighbours were merged into this one.
---@field text string The text to append.

---What a reply has taken so far. `step.completed` has the final count.
---@class pintle.StepUsage
---@field step integer The step within the turn, from 1.
---@field usage pintle.Usage Its tokens so far.
---@field costNanoUsd? integer What they cost, in billionths of a US dollar; absent where the price is not known.

---The events a slow connection was not sent.
---@class pintle.SessionLaggedParams
---@field sessionId pintle.SessionId The session.
---@field lastSentSeq integer The last durable event that was sent.
---@field headSeq integer The last durable event that was not.

---The answer to `approval/request`. One of `optionId` and `dismissed` is expected; an answer with neither, or with an option that was not offered, counts as a denial of this one call.
---@class pintle.ApprovalAnswer
---@field optionId? string The chosen option.
---@field feedback? string What the model should read with a denial.
---@field dismissed? boolean The question was closed without a choice: deny once.

---The answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are left out, and so are all but the first where only one may be chosen; an answer with nothing left counts as dismissed.
---@class pintle.QuestionAnswer
---@field optionIds? (string)[] The chosen options.
---@field text? string What the person says in own words.
---@field dismissed? boolean The question was closed without an answer; the model is told to decide by itself.

---What a hook is told.
---@class pintle.HookRun
---@field point pintle.HookPoint Where the engine is.
---@field sessionId pintle.SessionId The session.
---@field turnId? pintle.TurnId The turn; absent at points of the session.
---@field cwd string The session's working directory.
---@field input? string The message, at `inputReceived`.
---@field call? pintle.HookCall The tool call, at `beforeToolCall` and `afterToolCall`.
---@field result? pintle.HookResult What the call returned, at `afterToolCall`.
---@field response? pintle.HookResponse What the model said, at `afterModelResponse`.
---@field messages? integer How many messages the model is to read, at `contextBuilt` and `beforeModelRequest`.
---@field openTodos? string What of the model's plan is not done, at `beforeAgent`.

---A tool call, for a hook.
---@class pintle.HookCall
---@field itemId pintle.ItemId Its item.
---@field toolName string The tool's name.
---@field kind pintle.ToolKind What kind of act it is.
---@field title string One line for a person.
---@field arguments any The arguments, as hooks before this one left them.
---@field locations? (pintle.Location)[] Files it is about.

---What a call returned, for a hook.
---@class pintle.HookResult
---@field text string What the model is to read. Pictures are not shown to hooks, and stay.
---@field isError? boolean The call failed.

---What the model said, for a hook.
---@class pintle.HookResponse
---@field text string Its text.
---@field tools? (string)[] The tools that it calls, in order.

---What a hook answers. `{}`, and nothing at all, leaves everything as it is.
---@class pintle.HookAnswer
---@field decision? pintle.HookDecision Whether it may go on; default `allow`. Permission is asked for all the same.
---@field reason? string Why not, as the model or the person reads it.
---@field input? string Another text of the message.
---@field arguments? any Other arguments of the call, whole.
---@field result? pintle.HookResult Another result of the call.
---@field context? string What the model is to read besides.

---Whether something may go on.
---@alias pintle.HookDecision "allow"|"deny"

---A call of a tool of this client.
---@class pintle.ToolCallParams
---@field sessionId pintle.SessionId The session.
---@field itemId pintle.ItemId The call's item.
---@field toolName string The tool's name.
---@field arguments any The arguments, as the model wrote them; nobody checked them against the schema.

---What a tool of a client returned.
---@class pintle.ToolCallResult
---@field content (pintle.Content)[] What the model reads.
---@field isError? boolean The call failed; the content says why.

---What `workspace/applyEdit` asks of a client: to change documents that it has open, all of them or none.
---@class pintle.ApplyEditParams
---@field label string What the edit is, for people.
---@field edits (pintle.DocumentEdit)[] The documents.

---What becomes of one document.
---@class pintle.DocumentEdit
---@field path string The file, as it was opened.
---@field version integer The version that the edit is made for. Where the document has got another, nothing is changed.
---@field changes (pintle.TextEdit)[] The changes, in order; their ranges all mean the text of `version`, and do not overlap.
---@field save boolean The document was saved before and is to be saved again, so that commands see the change.

---A change of a part of a text.
---@class pintle.TextEdit
---@field range pintle.TextRange What goes.
---@field text string What comes in its place.

---What the client answers. It sends the changes that it made, by `document/change`, before its answer.
---@class pintle.ApplyEditResult
---@field isApplied boolean All changes were made. Otherwise none was.
---@field failureReason? string Why none was made, or why a document could not be saved.
---@field versions? (pintle.DocumentVersion)[] The versions that the documents have now.

---Which version a document has.
---@class pintle.DocumentVersion
---@field path string The file, as it was opened.
---@field version integer The version.

---What comes with a failed request besides code and message.
---@class pintle.ErrorData
---@field code string A stable name of the failure.
---@field path? string Where in the params it is, as a JSON pointer.
---@field hint? string What to do about it.
---@field supported? (string)[] What would have been accepted.

local M = {}

M.name = "pintle"
M.version = "1.0"

---Method names.
M.method = {
  ---Opens the connection: versions, names, capabilities. It must be the first request.
  ---Params: `pintle.InitializeParams`; result: `pintle.InitializeResult`.
  initialize = "initialize",
  ---Answers at once; for liveness.
  ---Params: `pintle.Empty`; result: `pintle.Empty`.
  ping = "ping",
  ---Interrupts what runs, closes every session of this engine in order, then answers. Send `exit` next.
  ---Params: `pintle.Empty`; result: `pintle.Empty`.
  shutdown = "shutdown",
  ---Ends the process: with code 0 after `shutdown`, with 1 without.
  ---Params: `pintle.Empty`.
  exit = "exit",
  ---Withdraws a request that has not begun; it is answered with the error `cancelled`. A request that has begun is answered as usual.
  ---Params: `pintle.CancelParams`.
  cancelRequest = "$/cancelRequest",
  ---Makes a session and, unless told otherwise, subscribes this connection to it.
  ---Params: `pintle.SessionCreateParams`; result: `pintle.SessionResult`.
  session_create = "session/create",
  ---Opens a stored session, also after a crash, and, unless told otherwise, subscribes this connection to it.
  ---Params: `pintle.SessionOpenParams`; result: `pintle.SessionResult`.
  session_open = "session/open",
  ---Lists stored sessions, newest first.
  ---Params: `pintle.SessionListParams`; result: `pintle.SessionListResult`.
  session_list = "session/list",
  ---Gives a session another title, or takes it away.
  ---Params: `pintle.SessionUpdateParams`; result: `pintle.SessionUpdateResult`.
  session_update = "session/update",
  ---Searches what people and models said, and what tools were called, ran and touched, in all stored sessions.
  ---Params: `pintle.SessionSearchParams`; result: `pintle.SessionSearchResult`.
  session_search = "session/search",
  ---Makes a page, Markdown or JSON lines of a session, open or not, as the answer or into a file of its working directory.
  ---Params: `pintle.SessionExportParams`; result: `pintle.SessionExportResult`.
  session_export = "session/export",
  ---Deletes a stored session for good, with those of its sub-agents. One that is open anywhere is refused.
  ---Params: `pintle.SessionDeleteParams`; result: `pintle.SessionDeleteResult`.
  session_delete = "session/delete",
  ---Goes back, or forward again, to another place of an idle session's history.
  ---Params: `pintle.SessionRewindParams`; result: `pintle.SessionRewindResult`.
  session_rewind = "session/rewind",
  ---Makes a session that begins with another one's history.
  ---Params: `pintle.SessionForkParams`; result: `pintle.SessionResult`.
  session_fork = "session/fork",
  ---Takes what was said and done in a fork back into the session that it was made of, as a way of its own. Files stay as they are.
  ---Params: `pintle.SessionMergeParams`; result: `pintle.SessionMergeResult`.
  session_merge = "session/merge",
  ---Names a place of a session's history.
  ---Params: `pintle.SessionLabelParams`; result: `pintle.SessionLabelResult`.
  session_label = "session/label",
  ---Shows the ways that a session's history has taken.
  ---Params: `pintle.SessionParams`; result: `pintle.SessionTreeResult`.
  session_tree = "session/tree",
  ---Lists the points of a session between which its items can be listed and searched.
  ---Params: `pintle.SessionAnchorsParams`; result: `pintle.SessionAnchorsResult`.
  session_anchors = "session/anchors",
  ---Lists what the agent changed and nobody has decided about.
  ---Params: `pintle.ReviewListParams`; result: `pintle.ReviewListResult`.
  review_list = "review/list",
  ---Keeps, undoes, comments, or undoes a verdict. While a turn runs, what changes files waits for the next gap between two of its calls.
  ---Params: `pintle.ReviewDecideParams`; result: `pintle.ReviewDecideResult`.
  review_decide = "review/decide",
  ---Reads what a file held at the last accepted point.
  ---Params: `pintle.ReviewBaselineParams`; result: `pintle.ReviewBaselineResult`.
  review_baseline = "review/baseline",
  ---Makes a patch of what the agent did.
  ---Params: `pintle.ReviewPatchParams`; result: `pintle.ReviewPatchResult`.
  review_patch = "review/patch",
  ---Interrupts the session's turn, closes its journal in order and lets go of it.
  ---Params: `pintle.SessionParams`; result: `pintle.Empty`.
  session_close = "session/close",
  ---Sends the session's events to this connection from now on, or from a `seq` on, without a gap.
  ---Params: `pintle.SessionSubscribeParams`; result: `pintle.SessionResult`.
  session_subscribe = "session/subscribe",
  ---Stops sending the session's events to this connection.
  ---Params: `pintle.SessionParams`; result: `pintle.Empty`.
  session_unsubscribe = "session/unsubscribe",
  ---Reads durable events again, a page at a time.
  ---Params: `pintle.SessionEventsParams`; result: `pintle.SessionEventsResult`.
  session_events = "session/events",
  ---Reads a piece of a long output that an item names in `details.fullOutput`.
  ---Params: `pintle.BlobReadParams`; result: `pintle.BlobReadResult`.
  blob_read = "blob/read",
  ---Starts a turn with a prompt, or queues it as a follow-up.
  ---Params: `pintle.TurnStartParams`; result: `pintle.TurnStartResult`.
  turn_start = "turn/start",
  ---Puts a message into the running turn at its next gap between tool calls.
  ---Params: `pintle.TurnSteerParams`; result: `pintle.TurnSteerResult`.
  turn_steer = "turn/steer",
  ---Stops the running turn. The answer comes at once; the end is the event `turn.completed`.
  ---Params: `pintle.TurnInterruptParams`; result: `pintle.TurnInterruptResult`.
  turn_interrupt = "turn/interrupt",
  ---Sums up the conversation of an idle session. The answer comes at once; the summing up is a turn with a `compaction` item.
  ---Params: `pintle.SessionCompactParams`; result: `pintle.SessionCompactResult`.
  session_compact = "session/compact",
  ---Reads what exactly the model was sent last, and how full its window is.
  ---Params: `pintle.ContextReadParams`; result: `pintle.ContextReadResult`.
  context_read = "context/read",
  ---Lists what can be set in a session, with the values that hold.
  ---Params: `pintle.SessionParams`; result: `pintle.ConfigResult`.
  config_list = "config/list",
  ---Changes how a session works from the next turn on. What cannot be set is rejected with a reason, and the rest holds.
  ---Params: `pintle.ConfigSetParams`; result: `pintle.ConfigResult`.
  config_set = "config/set",
  ---Lists the messages that the model has not read yet.
  ---Params: `pintle.SessionParams`; result: `pintle.QueueResult`.
  queue_list = "queue/list",
  ---Edits, moves or redirects a message that waits.
  ---Params: `pintle.QueueUpdateParams`; result: `pintle.QueueResult`.
  queue_update = "queue/update",
  ---Takes messages out of the queue and hands them back.
  ---Params: `pintle.QueueRemoveParams`; result: `pintle.QueueRemoveResult`.
  queue_remove = "queue/remove",
  ---Answers a question of permission that was not asked of this client, or asked before it came. The first answer holds: a later one gets the error `conflict`, which says what became of the question.
  ---Params: `pintle.ApprovalAnswerParams`; result: `pintle.ApprovalOutcome`.
  approval_answer = "approval/answer",
  ---Answers a question of the model, as `approval/answer` does one of permission.
  ---Params: `pintle.QuestionAnswerParams`; result: `pintle.QuestionOutcome`.
  question_answer = "question/answer",
  ---Tells what an editor finds wrong in a file now. After the model has changed that file, it reads what is new; clients send it for files in the session's folder whenever it changes.
  ---Params: `pintle.EditorDiagnosticsParams`; result: `pintle.Empty`.
  editor_diagnostics = "editor/diagnostics",
  ---Tells the text of a document that the editor has open. As long as it is open and not saved, every tool reads this text instead of the file, and changes of it come back as `workspace/applyEdit`. Documents belong to the connection and end with it.
  ---Params: `pintle.DocumentOpenParams`; result: `pintle.Empty`.
  document_open = "document/open",
  ---Tells how the text of an open document has changed. The error `conflict` means that the version does not rise: open it again.
  ---Params: `pintle.DocumentChangeParams`; result: `pintle.Empty`.
  document_change = "document/change",
  ---Tells that an open document was saved.
  ---Params: `pintle.DocumentSaveParams`; result: `pintle.Empty`.
  document_save = "document/save",
  ---Tells that a document is not open any more.
  ---Params: `pintle.DocumentCloseParams`; result: `pintle.Empty`.
  document_close = "document/close",
  ---Reads the items of a session as they are now, the last ones first asked for, for clients that do not put them together from events.
  ---Params: `pintle.SessionItemsParams`; result: `pintle.SessionItemsResult`.
  session_items = "session/items",
  ---Reads one item as it is now, also one that lies beside the way that the model knows.
  ---Params: `pintle.ItemReadParams`; result: `pintle.ItemAt`.
  item_read = "item/read",
  ---Lists the places to which files can go back with `session/rewind`, and what changed between them.
  ---Params: `pintle.CheckpointListParams`; result: `pintle.CheckpointListResult`.
  checkpoint_list = "checkpoint/list",
  ---Compares what files were at two places, as a patch.
  ---Params: `pintle.CheckpointDiffParams`; result: `pintle.CheckpointDiffResult`.
  checkpoint_diff = "checkpoint/diff",
  ---Lists the background jobs of a session that run, and those that ended lately.
  ---Params: `pintle.SessionParams`; result: `pintle.JobListResult`.
  job_list = "job/list",
  ---Stops a background job. The answer comes when nothing of it runs any more; one that has ended stays as it is.
  ---Params: `pintle.JobStopParams`; result: `pintle.JobStopResult`.
  job_stop = "job/stop",
  ---Lists the providers and models that are known by name, as the settings files say now.
  ---Params: `pintle.Empty`; result: `pintle.ModelsListResult`.
  models_list = "models/list",
  ---Lists the prompts that can be called with `/name`, as the files say now.
  ---Params: `pintle.SessionParams`; result: `pintle.CommandListResult`.
  command_list = "command/list",
  ---Has this client asked at points of the engine's work, in all sessions that it is subscribed to, from their next turn on, after the hooks of the config file. It ends with the connection.
  ---Params: `pintle.HookRegisterParams`; result: `pintle.Empty`.
  hook_register = "hook/register",
  ---Gives the model a tool of this client, in all sessions that it is subscribed to, from their next turn on. It ends with the connection.
  ---Params: `pintle.ToolRegisterParams`; result: `pintle.Empty`.
  tool_register = "tool/register",
  ---Something happened in a session.
  ---Params: `pintle.AnyRecord`.
  session_event = "session/event",
  ---This connection read too slowly: the durable events between the two numbers were not sent. Read them with `session/events`; what comes after `headSeq` is sent as usual.
  ---Params: `pintle.SessionLaggedParams`.
  session_lagged = "session/lagged",
  ---Asks for permission. It is sent to every subscribed client that declared `approvals`; the first answer wins and the others get `$/cancelRequest`.
  ---Params: `pintle.Approval`; result: `pintle.ApprovalAnswer`.
  approval_request = "approval/request",
  ---Asks a person what the model wants to know. It is sent to every subscribed client that declared `questions`; the first answer wins and the others get `$/cancelRequest`.
  ---Params: `pintle.Question`; result: `pintle.QuestionAnswer`.
  question_request = "question/request",
  ---Runs a hook that this client registered. `$/cancelRequest` says that the answer is not waited for any more.
  ---Params: `pintle.HookRun`; result: `pintle.HookAnswer`.
  hook_run = "hook/run",
  ---Calls a tool that this client registered. `$/cancelRequest` says that the result is not waited for any more.
  ---Params: `pintle.ToolCallParams`; result: `pintle.ToolCallResult`.
  tool_call = "tool/call",
  ---Has a client with the capability `applyEdit` change documents that it has open. A document whose version is another by now stays as it is.
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
  ---None of the offered versions is spoken here; `data.supported` lists those that are.
  unsupportedProtocol = -32022,
  ---Too many requests in flight on this connection; wait for answers.
  overloaded = -32040,
  ---The expected turn is not the running one, or the question is not open any more; with `data.code` `openElsewhere`, the session is open in another process.
  conflict = -32041,
  ---A turn is running; steer it, queue a follow-up or interrupt it.
  busy = -32042,
  ---There are more documents, or more text in them, than the engine takes.
  limitExceeded = -32047,
}

return M
