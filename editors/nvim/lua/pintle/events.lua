-- What each durable event means for a session's state. Pure.

local clients = require("pintle.clients")
local history = require("pintle.history")
local hunks = require("pintle.hunks")
local render = require("pintle.render")

local M = {}

-- The reason of a waiting decision that the user took back.
local WITHDRAWN = "it was withdrawn"

---@alias pintle.AddChange fun(change: pintle.Change)
---@alias pintle.Handler fun(session: pintle.Session, event: table, add: pintle.AddChange, turn_id?: string, client_id?: string)

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
---@param id? string Absent from an event that a broken engine sends.
---@return pintle.Turn
local function turn_of(session, id)
  id = id or ""
  local turn = session.turns[id]
  if not turn then
    turn = { id = id }
    session.turns[id] = turn
  end
  return turn
end

---Keeps who sent a message.
---@param session pintle.Session
---@param item_id pintle.ItemId
---@param client_id? string
local function note_sender(session, item_id, client_id)
  if session.seq > (session.came_at or 0) then
    session.senders[item_id] = clients.name_of_other(client_id)
    session.own[item_id] = client_id == clients.OWN or nil
  end
end

---Whom a request was answered by, if it was another client than this one.
---@param session pintle.Session
---@param client_id? string
---@return string?
local function other_answerer(session, client_id)
  return session.seq > (session.came_at or 0) and clients.name_of_other(client_id) or nil
end

---The answer to a question or a permission request, as a notice; nil if it ended with its turn. Pure.
---@param question? pintle.Question
---@param outcome { by: string, optionIds?: string[], text?: string }
---@param other? string The client that answered.
---@return pintle.Notice?
function M.answered(question, outcome, other)
  local message
  if outcome.by == "client" then
    local labels = {}
    for _, option in ipairs(question and question.options or {}) do
      labels[option.optionId] = option.label
    end
    local parts = vim.tbl_map(function(id)
      return labels[id] or id
    end, outcome.optionIds or {})
    if outcome.text and outcome.text ~= "" then
      parts[#parts + 1] = outcome.text
    end
    message = ("%s answered: %s"):format(other or "You", table.concat(parts, ", "))
  elseif outcome.by == "dismissed" then
    message = "The question was dismissed"
  elseif outcome.by == "deadline" then
    message = "No answer in time"
  end
  return message and { level = "info", code = render.ANSWERED, message = message } or nil
end

---What a move in the history did to the conversation.
---@param dropped integer
---@param restored integer
---@return string
local function rewound_text(dropped, restored)
  local function items(count)
    return count == 1 and "1 item" or ("%d items"):format(count)
  end
  if restored == 0 then
    return ("rewound: %s removed from the conversation"):format(items(dropped))
  elseif dropped == 0 then
    return ("moved forward: %s restored to the conversation"):format(items(restored))
  end
  return ("moved in the history: %s removed from the conversation, %d restored"):format(items(dropped), restored)
end

---An item began, went on or ended.
---@param session pintle.Session
---@param event table
---@param add pintle.AddChange
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
M.durable = {
  ["session.created"] = function(session, event)
    session.cwd, session.model, session.title = event.cwd, event.model, event.title
    session.permission_mode = event.permissionMode
  end,
  ["session.moved"] = function(session, event, add)
    session.cwd = event.cwd
    add({ kind = "state" })
  end,
  ["session.updated"] = function(session, event, add)
    session.title = event.title
    add({ kind = "state" })
  end,
  ["input.accepted"] = function(session, event, add, _, client_id)
    note_sender(session, event.itemId, client_id)
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
      local is_own = session.own[each.itemId] or is_own_stop and not session.senders[each.itemId]
      return is_own and not session.dropped[each.itemId]
    end, event.inputs)
    -- A hook has done what handled ones ask for.
    if #own > 0 and not event.handled then
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
    -- What the session cost so far was told with its events up to `cost_at`.
    if session.seq > session.cost_at then
      session.cost_nano_usd = session.cost_nano_usd + (event.costNanoUsd or 0)
    end
    session.turn_cost_nano_usd = 0
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
  ["approval.resolved"] = function(session, event, add, _, client_id)
    local approval = take(session.approvals, "approvalId", event.approvalId)
    if event.by == "client" and event.feedback then
      local outcome = { by = "client", text = event.feedback }
      local notice = M.answered(nil, outcome, other_answerer(session, client_id))
      if notice then
        add({ kind = "notice", notice = notice })
      end
    end
    if approval then
      if #session.approvals == 0 and session.turn then
        session.state = "running"
      end
      add({ kind = "approval", approval = approval, outcome = event })
      add({ kind = "state" })
    end
  end,
  ["question.requested"] = function(session, event, add)
    session.questions[event.questionId] = event
    session.state = "blocked"
    add({ kind = "state" })
  end,
  ["question.resolved"] = function(session, event, add, _, client_id)
    local question = session.questions[event.questionId]
    session.questions[event.questionId] = nil
    local notice = M.answered(question, event, other_answerer(session, client_id))
    if notice then
      add({ kind = "notice", notice = notice })
    end
    if #session.approvals == 0 and session.turn then
      session.state = "running"
    end
    add({ kind = "state" })
  end,
  ["config.changed"] = function(session, event, add)
    session.model = event.model
    session.permission_mode, session.mode = event.permissionMode, event.mode
    add({ kind = "state" })
  end,
  ["plan.updated"] = function(session, event, add)
    session.plan = { items = event.items }
    add({ kind = "plan" })
    add({ kind = "state" })
  end,
  ["step.completed"] = function(session, event)
    session.usage = event.turnUsage
    session.turn_cost_nano_usd = event.turnCostNanoUsd or session.turn_cost_nano_usd
  end,
  ["retry.scheduled"] = function(_, event, add)
    local text = "%s; asking again in %.1f s (%d of %d)"
    local message = text:format(event.message, event.delayMs / 1000, event.attempt, event.of)
    add({ kind = "notice", notice = { level = "info", code = event.code, message = message } })
  end,
  ["context.pruned"] = function(_, event, add)
    local text = "%d old results were pruned to free context"
    add({ kind = "notice", notice = { level = "info", code = "contextPruned", message = text:format(event.results) } })
  end,
  ["history.rewound"] = function(session, event, add)
    history.rewound(session.history, session.seq, event)
    local message = rewound_text(#(event.dropped or {}), #(event.restored or {}))
    add({ kind = "notice", notice = { level = "info", code = "historyRewound", message = message } })
    add({ kind = "rewound" })
  end,
  ["label.changed"] = function() end,
  ["files.changed"] = function(session, event, add)
    if event.by.type == "rewind" then
      history.files_rewound(session.history, session.seq, event.by.toSeq)
    end
    add({ kind = "files", changes = event.changes, by = event.by })
  end,
  ["isolation.applied"] = function(_, event, add)
    local conflicts = #vim.tbl_filter(function(file)
      return file.outcome == "conflict" or file.outcome == "kept"
    end, event.files)
    local text = ("The changes were applied to your files (files: %d, with conflicts: %d)"):format(
      #event.files,
      conflicts
    )
    local level = conflicts > 0 and "warning" or "info"
    add({ kind = "notice", notice = { level = level, code = "isolationApplied", message = text } })
  end,
  ["review.decided"] = function(session, event, add)
    local undone = event.action.type == "revert" and event.action.decision
    if undone then
      session.undone[undone] = true
      session.decisions = vim.tbl_filter(function(seq)
        return seq ~= undone
      end, session.decisions)
    else
      table.insert(session.decisions, session.seq)
      session.decided_ms[session.seq] = session.at_ms
    end
    for _, part in ipairs(event.parts or {}) do
      session.hunks[part.hunk] = session.hunks[part.hunk] or hunks.place_name(part.path, nil, session.cwd)
    end
    add({ kind = "decided", parts = event.waited and event.parts or nil })
  end,
  ["review.queued"] = function(session, event, add)
    local refused = event.refused
    if refused and refused.reason ~= WITHDRAWN then
      local message = "a decision was rejected: " .. hunks.reworded(refused.reason, session.hunks)
      add({ kind = "notice", notice = { level = "warning", code = "decisionRefused", message = message } })
    end
    add({ kind = "decided" })
  end,
  ["session.notice"] = function(_, event, add)
    add({ kind = "notice", notice = event })
  end,
}

return M
