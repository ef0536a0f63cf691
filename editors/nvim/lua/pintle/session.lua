-- What happened in a session, as a state: the one place that knows what events mean.
--
-- Pure: values in, values out, no editor. Each function returns the changes that a view has to draw. An event of an
-- unknown type only moves `seq`; a field that is unknown is carried along.

local events = require("pintle.events")
local history = require("pintle.history")
local input = require("pintle.input")

local M = {}

---@class (exact) pintle.Turn
---@field id string
---@field status? pintle.TurnStatus Absent while it runs.
---@field stop? pintle.StopReason
---@field error? pintle.TurnError
---@field steps? integer
---@field denials? integer
---@field duration_ms? integer

---@class (exact) pintle.Session
---@field id string
---@field cwd? string
---@field isolation? pintle.Isolation The copy of the project that it works in.
---@field title? string
---@field prompt? string The beginning of its first prompt, where that was told and not read.
---@field model? string
---@field permission_mode? string
---@field mode? string The work mode: `act` or `plan`.
---@field first integer The first event that was applied; those before it are read when somebody wants to see them.
---@field seq integer The last durable event that was applied; everything between them was.
---@field at_ms integer The time of that event.
---@field state string What it does; `idle`, `running`, `blocked`, or what a newer engine says.
---@field turn? string The running turn.
---@field turns table<string, pintle.Turn>
---@field last_turn? string The turn that began last.
---@field history pintle.History What is shown of it, and what of that counts.
---@field decisions integer[] The events of decisions that were not undone.
---@field decided_ms table<integer, integer> The time of each decision, by its event.
---@field undone table<integer, true> The events of decisions that were undone.
---@field hunks table<pintle.HunkId, string> The places of hunks, for messages.
---@field items table<string, pintle.Item>
---@field deliveries table<string, pintle.Delivery> How a message came, by the item it became.
---@field senders table<string, string> The other client that a message came from, by the item it became.
---@field own table<string, boolean> The messages of this client, by the item.
---@field came_at? integer The last event before this client came: earlier messages may be those of an earlier run of it.
---@field queue pintle.QueuedInput[] Not read by the model yet.
---@field dropped table<string, true> Messages that the person takes out of it for good.
---@field approvals pintle.Approval[] Open questions, oldest first.
---@field questions table<pintle.QuestionId, pintle.Question> Open questions of the model.
---@field plan? pintle.Plan What the model means to do.
---@field usage? pintle.Usage Of the turn that ran last.
---@field cost_nano_usd integer The cost of its turns.
---@field cost_at integer The event up to which `cost_nano_usd` counts.
---@field turn_cost_nano_usd integer The cost of the running turn.
---@field sources? pintle.PromptSource[] The files that the model's prompt holds or names.
---@field context? pintle.ContextUsage How full the model's window is.
---@field held table<integer, pintle.EventRecord> Came too early, by `seq`.
---@field early? pintle.AnyRecord[] What came before the session's last page, as long as that is awaited.
---@field is_behind boolean Events are missing: they must be read in pages.
---@field pieces table<string, integer> The number of the delta that comes next, by item and field.

---@alias pintle.Change
---| { kind: "item", item: pintle.Item }
---| { kind: "delta", item: pintle.Item, field: pintle.DeltaField, path: string?, text: string, is_first: boolean }
---| { kind: "turn", turn: pintle.Turn, is_over: boolean }
---| { kind: "files", changes: pintle.FileRecord[], by: pintle.ChangedBy }
---| { kind: "decided", parts?: pintle.DecisionPart[] }
---| { kind: "rewound" }
---| { kind: "ran", item: pintle.Item }
---| { kind: "queue" }
---| { kind: "returned", inputs: pintle.QueuedInput[] }
---| { kind: "approval", approval: pintle.Approval, outcome?: pintle.ApprovalOutcome }
---| { kind: "notice", notice: pintle.Notice, key?: string }
---| { kind: "plan" }
---| { kind: "state" }
---| { kind: "behind" }

---@param id string
---@return pintle.Session
function M.new(id)
  return {
    id = id,
    first = 1,
    seq = 0,
    at_ms = 0,
    state = "idle",
    turns = {},
    items = {},
    deliveries = {},
    senders = {},
    own = {},
    queue = {},
    dropped = {},
    approvals = {},
    questions = {},
    decisions = {},
    decided_ms = {},
    undone = {},
    hunks = {},
    history = history.new(),
    cost_nano_usd = 0,
    cost_at = 0,
    turn_cost_nano_usd = 0,
    held = {},
    pieces = {},
    is_behind = false,
  }
end

---Whether nothing was said or done in a session.
---@param session pintle.Session
---@return boolean
function M.is_blank(session)
  return session.first == 1
    and not session.early
    and not session.turn
    and next(session.turns) == nil
    and next(session.items) == nil
    and #session.queue == 0
end

---Takes what the engine says when a session is made or opened. Events before `result.seq` may be missing still.
---@param session pintle.Session
---@param result pintle.SessionResult
---@return pintle.Change[]
function M.attach(session, result)
  session.came_at = session.came_at or result.seq
  session.cwd = result.cwd
  session.isolation = result.isolation
  session.title = result.title or session.title
  session.context = result.context or session.context
  session.model = result.model
  session.permission_mode, session.mode = result.permissionMode, result.mode
  session.state = result.state.value
  session.turn = result.activeTurnId
  session.queue = result.queue or {}
  session.approvals = result.approvals or {}
  session.plan = result.plan
  session.cost_nano_usd, session.cost_at = result.costNanoUsd or 0, result.seq
  session.is_behind = result.gap == true
  for _, queued in ipairs(session.queue) do
    session.deliveries[queued.itemId] = queued.delivery
  end
  return { { kind = "state" }, { kind = "queue" } }
end

---Takes one record of `session/event`.
---@param session pintle.Session
---@param record pintle.AnyRecord
---@return pintle.Change[]
function M.apply(session, record)
  local changes = {}
  if session.early then
    table.insert(session.early, record)
  elseif record.seq then
    ---@cast record pintle.EventRecord
    if record.seq == session.seq + 1 then
      M.durable(session, record, changes)
      M.release(session, changes)
    elseif record.seq > session.seq then
      session.held[record.seq] = record
      if not session.is_behind then
        session.is_behind = true
        changes[1] = { kind = "behind" }
      end
    end
  elseif type(record.event) == "table" then
    M.transient(session, record.event, changes)
  end
  return changes
end

---Takes a page of `session/events`.
---@param session pintle.Session
---@param page pintle.SessionEventsResult
---@return pintle.Change[] changes, boolean more whether another page must be read
function M.page(session, page)
  local changes = {}
  for _, record in ipairs(page.events) do
    if record.seq == session.seq + 1 then
      M.durable(session, record, changes)
    end
  end
  M.release(session, changes)
  local more = session.seq < page.lastSeq and #page.events > 0
  session.is_behind = more or next(session.held) ~= nil
  return changes, more
end

---The last page of the session is to come: everything else waits for it.
---@param session pintle.Session
function M.await_tail(session)
  session.early = {}
end

---Takes the last page of a session that has a history, and what came before that.
---@param session pintle.Session
---@param page pintle.SessionEventsResult
---@return pintle.Change[]
function M.tail(session, page)
  local changes = {}
  session.came_at = session.came_at or page.lastSeq
  local first = page.events[1]
  session.first = first and first.seq or page.lastSeq + 1
  session.seq = session.first - 1
  for _, record in ipairs(page.events) do
    M.durable(session, record, changes)
  end
  local early = session.early or {}
  session.early = nil
  for _, record in ipairs(early) do
    vim.list_extend(changes, M.apply(session, record))
  end
  return changes
end

-- By item or turn: the newer value counts.
local NEWER_COUNTS = { "items", "turns", "deliveries", "senders", "own", "undone", "decided_ms" }

---Takes the page before the first event that was applied. What is known of later events stays as it is.
---@param session pintle.Session
---@param page pintle.SessionEventsResult
---@return table<string, string> came The messages of which the page tells how they came, or from whom.
function M.earlier(session, page)
  local earlier = M.new(session.id)
  earlier.came_at = session.came_at
  for _, record in ipairs(page.events) do
    M.durable(earlier, record, {})
  end
  local first = page.events[1]
  session.first = first and page.more and first.seq or 1
  local decisions = vim.tbl_filter(function(seq)
    return not session.undone[seq]
  end, earlier.decisions)
  session.decisions = vim.list_extend(decisions, session.decisions)
  for _, field in ipairs(NEWER_COUNTS) do
    history.fill(session[field], earlier[field])
  end
  session.last_turn = session.last_turn or earlier.last_turn
  session.sources = session.sources or earlier.sources
  history.put_before(session.history, earlier.history)
  local came = {}
  history.fill(came, earlier.deliveries)
  history.fill(came, earlier.senders)
  return came
end

---Takes `session/eventsMissed`.
---@param session pintle.Session
---@param params pintle.SessionEventsMissedParams
---@return pintle.Change[]
function M.lagged(session, params)
  if params.headSeq <= session.seq or session.is_behind then
    return {}
  end
  session.is_behind = true
  return { { kind = "behind" } }
end

---Applies what waited for the events before it.
---@param session pintle.Session
---@param changes pintle.Change[]
function M.release(session, changes)
  while session.held[session.seq + 1] do
    local record = session.held[session.seq + 1]
    session.held[record.seq] = nil
    M.durable(session, record, changes)
  end
  for seq in pairs(session.held) do
    if seq <= session.seq then
      session.held[seq] = nil
    end
  end
end

---@param session pintle.Session
---@param record pintle.EventRecord
---@param changes pintle.Change[]
function M.durable(session, record, changes)
  session.seq, session.at_ms = record.seq, record.tsMs
  local handler = type(record.event) == "table" and events.durable[record.event.type]
  if handler then
    handler(session, record.event, function(change)
      changes[#changes + 1] = change
      history.note(session.history, record.seq, change)
    end, record.turnId, vim.tbl_get(record, "cause", "clientId"))
  end
end

---@param session pintle.Session
---@param event table One of `pintle.TransientEvent`.
---@param changes pintle.Change[]
function M.transient(session, event, changes)
  if event.type == "item.delta" then
    local item = session.items[event.itemId]
    -- What has ended carries its whole value: a late piece would only be said twice.
    if not item or (item.status ~= "running" and item.status ~= "pending") then
      return
    end
    local key = event.itemId .. event.field
    local expected = session.pieces[key] or 0
    local next_piece = (event.to or event.n) + 1
    local is_first = event.n == 0
    if next_piece <= expected or (event.n < expected and not is_first) then
      return
    end
    session.pieces[key] = next_piece
    -- Pieces that the engine left out are missing: the whole comes with the item's end.
    local text = event.n > expected and "…" .. event.text or event.text
    changes[#changes + 1] =
      { kind = "delta", item = item, field = event.field, path = event.path, text = text, is_first = is_first }
  elseif event.type == "session.context" then
    session.context = event
    changes[#changes + 1] = { kind = "state" }
  elseif event.type == "session.state" then
    session.state = event.value
    changes[#changes + 1] = { kind = "state" }
  elseif event.type == "session.notice" then
    local change = { kind = "notice", notice = event }
    changes[#changes + 1] = change
    history.note(session.history, session.seq, change)
  end
end

---Takes something that the editor has to say in the transcript, which no event says. It is not part of the session.
---@param session pintle.Session
---@param notice pintle.Notice
---@return pintle.Change[]
function M.remark(session, notice)
  local change = { kind = "notice", notice = notice }
  history.note(session.history, session.seq, change)
  return { change }
end

---What a session has cost, as far as prices are known, in billionths of a US dollar.
---@param session pintle.Session
---@return integer
function M.cost(session)
  return session.cost_nano_usd + session.turn_cost_nano_usd
end

---A session's name: its title, else the first line of its first prompt.
---@param session pintle.Session
---@return string?
function M.name(session)
  if session.title then
    return session.title
  end
  for _, entry in ipairs(session.first == 1 and session.history.entries or {}) do
    local item = entry.change.item and session.items[entry.change.item.id]
    if item and item.type == "userMessage" then
      local text = vim.trim(input.shown(item.content))
      return text:match("^[^\n]+")
    end
  end
  return session.prompt
end

---Whether a turn runs or waits. A state that is unknown counts as running.
---@param session pintle.Session
---@return boolean
function M.is_busy(session)
  return session.state ~= "idle"
end

return M
