-- What happened in a session, as a state: the one place that knows what events mean.
--
-- Pure: values in, values out, no editor. Each function returns the changes that a view has to draw. An event of an
-- unknown type only moves `seq`; a field that is unknown is carried along.

local clients = require("pintle.clients")
local history = require("pintle.history")

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
---@field title? string
---@field model? string
---@field permission_mode? string
---@field seq integer The last durable event that was applied; everything up to it was.
---@field state string What it does; `idle`, `running`, `blocked`, or what a newer engine says.
---@field turn? string The running turn.
---@field turns table<string, pintle.Turn>
---@field last_turn? string The turn that began last.
---@field history pintle.History What is shown of it, and what of that counts.
---@field verdicts integer[] The events of verdicts that were not undone.
---@field items table<string, pintle.Item>
---@field deliveries table<string, pintle.Delivery> How a message came, by the item it became.
---@field senders table<string, string> The other client that a message came from, by the item it became.
---@field own table<string, boolean> The messages of this client, by the item.
---@field came_at? integer The last event before this client came: earlier messages may be those of an earlier run of it.
---@field queue pintle.QueuedInput[] Not read by the model yet.
---@field approvals pintle.Approval[] Open questions, oldest first.
---@field plan? pintle.Plan What the model means to do.
---@field usage? pintle.Usage Of the turn that ran last.
---@field sources? pintle.PromptSource[] The files that the model's prompt holds or names.
---@field context? pintle.ContextUsage How full the model's window is.
---@field held table<integer, pintle.EventRecord> Came too early, by `seq`.
---@field is_behind boolean Events are missing: they must be read in pages.
---@field pieces table<string, integer> The number of the delta that comes next, by item and field.

---@alias pintle.Change
---| { kind: "item", item: pintle.Item }
---| { kind: "delta", item: pintle.Item, field: pintle.DeltaField, path: string?, text: string, is_first: boolean }
---| { kind: "turn", turn: pintle.Turn, is_over: boolean }
---| { kind: "files", changes: pintle.FileRecord[], by: pintle.ChangedBy }
---| { kind: "decided" }
---| { kind: "rewound" }
---| { kind: "ran", item: pintle.Item }
---| { kind: "queue" }
---| { kind: "returned", inputs: pintle.QueuedInput[] }
---| { kind: "approval", approval: pintle.Approval, outcome?: pintle.ApprovalOutcome }
---| { kind: "notice", notice: pintle.Notice, key?: string }
---| { kind: "state" }
---| { kind: "behind" }

---@param id string
---@return pintle.Session
function M.new(id)
  return {
    id = id,
    seq = 0,
    state = "idle",
    turns = {},
    items = {},
    deliveries = {},
    senders = {},
    own = {},
    queue = {},
    approvals = {},
    verdicts = {},
    history = history.new(),
    held = {},
    pieces = {},
    is_behind = false,
  }
end

---Takes what the engine says when a session is made or opened. Events before `result.seq` may be missing still.
---@param session pintle.Session
---@param result pintle.SessionResult
---@return pintle.Change[]
function M.attach(session, result)
  session.came_at = session.came_at or result.seq
  session.cwd = result.cwd
  session.title = result.title or session.title
  session.context = result.context or session.context
  session.model = result.model
  session.permission_mode = result.permissionMode
  session.state = result.state.value
  session.turn = result.activeTurnId
  session.queue = result.queue or {}
  session.approvals = result.approvals or {}
  session.plan = result.plan
  session.is_behind = result.gap == true
  for _, input in ipairs(session.queue) do
    session.deliveries[input.itemId] = input.delivery
  end
  return { { kind = "state" }, { kind = "queue" } }
end

---Takes one record of `session/event`.
---@param session pintle.Session
---@param record pintle.AnyRecord
---@return pintle.Change[]
function M.apply(session, record)
  local changes = {}
  if record.seq then
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

---Takes `session/lagged`.
---@param session pintle.Session
---@param params pintle.SessionLaggedParams
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

---@alias pintle.Handler fun(session: pintle.Session, event: table, add: fun(change: pintle.Change), turn_id?: string, client_id?: string)

---@param list table[]
---@param key string
---@param id string
---@return table? removed
local function take(list, key, id)
  for at, each in ipairs(list) do
    if each[key] == id then
      return table.remove(list, at)
    end
  end
end

---@param session pintle.Session
---@param id string
---@return pintle.Turn
local function turn_of(session, id)
  local turn = session.turns[id]
  if not turn then
    turn = { id = id }
    session.turns[id] = turn
  end
  return turn
end

---@type pintle.Handler
local function item_changed(session, event, add)
  local item = event.item
  if type(item) ~= "table" or type(item.id) ~= "string" then
    return
  end
  session.items[item.id] = item
  if item.type == "userMessage" and take(session.queue, "itemId", item.id) then
    add({ kind = "queue" })
  end
  add({ kind = "item", item = item })
end

---@type table<string, pintle.Handler>
local durable = {
  ["session.created"] = function(session, event)
    session.cwd, session.model, session.title = event.cwd, event.model, event.title
    session.permission_mode = event.permissionMode
  end,
  ["session.updated"] = function(session, event, add)
    session.title = event.title
    add({ kind = "state" })
  end,
  ["input.accepted"] = function(session, event, add)
    session.deliveries[event.itemId] = event.delivery
    if not session.items[event.itemId] then
      take(session.queue, "itemId", event.itemId)
      table.insert(session.queue, event)
      add({ kind = "queue" })
    end
  end,
  ["input.removed"] = function(session, event, add, _, client_id)
    for _, input in ipairs(event.inputs) do
      take(session.queue, "itemId", input.itemId)
    end
    add({ kind = "queue" })
    -- Those of others are handed back there. One whose sender is not known goes to whoever stopped the turn.
    local is_own_stop = client_id == clients.OWN
    local own = vim.tbl_filter(function(each)
      return session.own[each.itemId] or is_own_stop and not session.senders[each.itemId]
    end, event.inputs)
    -- A hook has done what handled ones ask for.
    if #own > 0 and not event.isHandled then
      add({ kind = "returned", inputs = own })
    end
  end,
  ["queue.changed"] = function(session, event, add)
    session.queue = vim.deepcopy(event.queue)
    for _, input in ipairs(event.queue) do
      session.deliveries[input.itemId] = input.delivery
    end
    add({ kind = "queue" })
  end,
  ["prompt.made"] = function(session, event)
    session.sources = event.sources
  end,
  ["turn.started"] = function(session, _, add, turn_id)
    session.turn, session.last_turn = turn_id, turn_id
    history.goes_on(session.history)
    session.state = "running"
    add({ kind = "turn", turn = turn_of(session, turn_id), is_over = false })
    add({ kind = "state" })
  end,
  ["turn.completed"] = function(session, event, add, turn_id)
    local turn = turn_of(session, turn_id)
    turn.status, turn.stop, turn.error = event.status, event.stop, event.error
    turn.steps, turn.denials, turn.duration_ms = event.steps, event.denials, event.durationMs
    session.usage = event.usage
    if session.turn == turn_id then
      session.turn = nil
      session.state = "idle"
    end
    add({ kind = "turn", turn = turn, is_over = true })
    add({ kind = "state" })
  end,
  ["item.started"] = item_changed,
  ["item.updated"] = item_changed,
  ["item.completed"] = function(session, event, add, turn_id)
    item_changed(session, event, add, turn_id)
    local item = event.item
    for _, field in ipairs({ "text", "args", "input", "output" }) do
      session.pieces[item.id .. field] = nil
    end
    if item.type ~= "toolCall" then
      return
    end
    if item.kind == "execute" then
      add({ kind = "ran", item = item })
    end
  end,
  ["approval.requested"] = function(session, event, add)
    take(session.approvals, "approvalId", event.approvalId)
    table.insert(session.approvals, event)
    session.state = "blocked"
    add({ kind = "approval", approval = event })
    add({ kind = "state" })
  end,
  ["approval.resolved"] = function(session, event, add)
    local approval = take(session.approvals, "approvalId", event.approvalId)
    if approval then
      if #session.approvals == 0 and session.turn then
        session.state = "running"
      end
      add({ kind = "approval", approval = approval, outcome = event })
      add({ kind = "state" })
    end
  end,
  ["question.requested"] = function(session, _, add)
    session.state = "blocked"
    add({ kind = "state" })
  end,
  ["question.resolved"] = function(session, _, add)
    if #session.approvals == 0 and session.turn then
      session.state = "running"
    end
    add({ kind = "state" })
  end,
  ["config.changed"] = function(session, event, add)
    session.model = event.model
    session.permission_mode = event.permissionMode
    add({ kind = "state" })
  end,
  ["plan.updated"] = function(session, event, add)
    session.plan = { items = event.items }
    add({ kind = "state" })
  end,
  ["step.completed"] = function(session, event)
    session.usage = event.turnUsage
  end,
  ["retry.scheduled"] = function(_, event, add)
    local text = "%s; asking again in %.1f s (%d of %d)"
    local message = text:format(event.message, event.delayMs / 1000, event.attempt, event.of)
    add({ kind = "notice", notice = { level = "info", code = event.code, message = message } })
  end,
  ["context.pruned"] = function(_, event, add)
    local text = "%d old results were taken out of what the model reads, to make room"
    add({ kind = "notice", notice = { level = "info", code = "contextPruned", message = text:format(event.results) } })
  end,
  ["history.rewound"] = function(session, event, add)
    history.rewound(session.history, session.seq, event)
    local text = "gone to another place of the history: the model forgot %d items, and knows %d again"
    local message = text:format(#(event.dropped or {}), #(event.restored or {}))
    add({ kind = "notice", notice = { level = "info", code = "historyRewound", message = message } })
    add({ kind = "rewound" })
  end,
  ["label.changed"] = function() end,
  ["files.changed"] = function(session, event, add)
    if event.by.type == "rewind" then
      history.files_rewound(session.history, session.seq)
    end
    add({ kind = "files", changes = event.changes, by = event.by })
  end,
  ["review.decided"] = function(session, event, add)
    local undone = event.action.action == "revert" and event.action.verdict
    if undone then
      session.verdicts = vim.tbl_filter(function(seq)
        return seq ~= undone
      end, session.verdicts)
    else
      table.insert(session.verdicts, session.seq)
    end
    add({ kind = "decided" })
  end,
  ["review.queued"] = function(_, event, add)
    local refused = event.refused
    if refused then
      local message = "a decision was not carried out: " .. refused.reason
      add({ kind = "notice", notice = { level = "warning", code = "verdictRefused", message = message } })
    end
    add({ kind = "decided" })
  end,
  ["notice"] = function(_, event, add)
    add({ kind = "notice", notice = event })
  end,
}

---Keeps who sent a message.
---@param session pintle.Session
---@param record pintle.EventRecord
local function note_sender(session, record)
  if record.seq <= (session.came_at or 0) then
    return
  end
  local id = vim.tbl_get(record, "cause", "clientId")
  session.senders[record.event.itemId] = clients.name_of_other(id)
  session.own[record.event.itemId] = id == clients.OWN or nil
end

---@param session pintle.Session
---@param record pintle.EventRecord
---@param changes pintle.Change[]
function M.durable(session, record, changes)
  session.seq = record.seq
  local handler = type(record.event) == "table" and durable[record.event.type]
  if handler and record.event.type == "input.accepted" then
    note_sender(session, record)
  end
  if handler then
    handler(session, record.event, function(change)
      changes[#changes + 1] = change
      history.note(session.history, record.seq, change)
    end, record.turnId, vim.tbl_get(record, "cause", "clientId"))
  end
end

---@param session pintle.Session
---@param event pintle.TransientEvent
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
  elseif event.type == "context" then
    session.context = event
    changes[#changes + 1] = { kind = "state" }
  elseif event.type == "state" then
    session.state = event.value
    changes[#changes + 1] = { kind = "state" }
  elseif event.type == "notice" then
    local change = { kind = "notice", notice = event }
    changes[#changes + 1] = change
    history.note(session.history, session.seq, change)
  end
end

---Whether a turn runs or waits. A state that is unknown counts as running.
---@param session pintle.Session
---@return boolean
function M.is_busy(session)
  return session.state ~= "idle"
end

return M
