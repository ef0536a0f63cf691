-- Which of a session's entries lie on the way that counts: events stand in a line, and going back makes a tree of it. Pure.
--
-- Invariant: each event comes after the one before it, except `history.rewound`, which comes after the event that it names.

local M = {}

---@class (exact) pintle.HistoryEntry What a transcript shows, in the order in which it came.
---@field key string
---@field seq integer
---@field change pintle.Change How it is drawn.

---@class (exact) pintle.History
---@field entries pintle.HistoryEntry[]
---@field known table<string, true> By key.
---@field ways { first: integer, after: integer }[] Where the line goes on from another event than the one before.
---@field hidden table<string, boolean> By item: true where the model does not know it any more, false where it does again.
---@field has_gone_on? boolean The model has worked since the first event that is known.
---@field step? { from: integer, last: integer, scope: pintle.RewindScope } The way back from a rewind that nothing came after.

---@return pintle.History
function M.new()
  return { entries = {}, known = {}, ways = { { first = 1, after = 0 } }, hidden = {} }
end

---Notes what is drawn.
---@param history pintle.History
---@param seq integer
---@param change pintle.Change
function M.note(history, seq, change)
  local key
  if change.kind == "item" then
    key = change.item.id
  elseif change.kind == "turn" and change.is_over then
    key = "turn " .. change.turn.id
  elseif change.kind == "notice" then
    key = ("notice %d.%d"):format(seq, #history.entries)
    change.key = key
  end
  if key and not history.known[key] then
    history.known[key] = true
    table.insert(history.entries, { key = key, seq = seq, change = change })
  end
end

---Files were put back, perhaps with the conversation that follows.
---@param history pintle.History
---@param seq integer
function M.files_rewound(history, seq)
  history.step = { from = seq - 1, last = seq, scope = "files" }
end

---The session goes on from another place.
---@param history pintle.History
---@param seq integer
---@param event pintle.HistoryRewound
function M.rewound(history, seq, event)
  if event.toSeq < seq then
    table.insert(history.ways, { first = seq, after = event.toSeq })
  end
  for _, id in ipairs(event.dropped or {}) do
    history.hidden[id] = true
  end
  for _, id in ipairs(event.restored or {}) do
    history.hidden[id] = false
  end
  local step = history.step
  if step and step.scope == "files" and step.last == seq - 1 then
    history.step = { from = step.from, last = seq, scope = "both" }
  else
    history.step = { from = seq - 1, last = seq, scope = "conversation" }
  end
end

---The model works on: there is nothing to go forward to any more.
---@param history pintle.History
function M.goes_on(history)
  history.step, history.has_gone_on = nil, true
end

---Takes over what a newer table does not know. It costs what the older one holds.
---@param newer table
---@param older table
function M.fill(newer, older)
  for key, value in pairs(older) do
    if newer[key] == nil then
      newer[key] = value
    end
  end
end

---Puts what came earlier before what is known.
---@param history pintle.History
---@param earlier pintle.History
function M.put_before(history, earlier)
  local entries = vim.list_slice(earlier.entries)
  for _, entry in ipairs(history.entries) do
    if not earlier.known[entry.key] then
      entries[#entries + 1] = entry
    end
  end
  history.entries = entries
  M.fill(history.known, earlier.known)
  history.ways = vim.list_extend(vim.list_slice(earlier.ways), history.ways, 2)
  M.fill(history.hidden, earlier.hidden)
  if not history.has_gone_on then
    local step, before = history.step, earlier.step
    if step and before and before.scope == "files" and step.scope == "conversation" and before.last == step.from then
      step = { from = before.from, last = step.last, scope = "both" }
    end
    history.step, history.has_gone_on = step or before, earlier.has_gone_on
  end
end

---Tells which events lie on the way to the last one.
---@param history pintle.History
---@return fun(seq: integer): boolean
function M.way(history)
  local ranges, last = {}, math.huge
  for at = #history.ways, 1, -1 do
    local way = history.ways[at]
    if way.first <= last then
      ranges[#ranges + 1] = { way.first, last }
      last = way.after
    end
  end
  return function(seq)
    for _, range in ipairs(ranges) do
      if seq >= range[1] then
        return seq <= range[2]
      end
    end
    return seq == 0
  end
end

---What a transcript shows, in its order.
---@param history pintle.History
---@return pintle.HistoryEntry[]
function M.shown(history)
  local is_on_way = M.way(history)
  return vim.tbl_filter(function(entry)
    return not history.hidden[entry.key] and is_on_way(entry.seq)
  end, history.entries)
end

return M
