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
---@field moves pintle.Move[] The moves since the model worked last, the oldest first.

---@class (exact) pintle.Move A move in the history, back or forward.
---@field from integer The event that the session was at.
---@field to? integer The event that it went to; nil where an older engine did not note it.
---@field last integer The last event of the move.
---@field scope pintle.RewindScope

---@return pintle.History
function M.new()
  return { entries = {}, known = {}, ways = { { first = 1, after = 0 } }, hidden = {}, moves = {} }
end

---Notes what is drawn.
---@param history pintle.History
---@param seq integer
---@param change pintle.Change
function M.note(history, seq, change)
  local key
  ---@cast change table
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
---@param to? integer
function M.files_rewound(history, seq, to)
  table.insert(history.moves, { from = seq - 1, to = to, last = seq, scope = "files" })
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
  table.insert(history.moves, { from = seq - 1, to = event.toSeq, last = seq, scope = "conversation" })
end

---The rewind that a redo undoes: the last one that none has undone. A redo goes to where a rewind came from.
---@param history pintle.History
---@return pintle.Move?
function M.undoable(history)
  ---@type pintle.Move[]
  local joined, open = {}, {}
  for _, move in ipairs(history.moves) do
    local before = joined[#joined]
    -- A move of the conversation that follows one of the files is one move with it.
    if before and move.scope == "conversation" and before.scope == "files" and before.last == move.from then
      joined[#joined] = { from = before.from, to = move.to, last = move.last, scope = "both" }
    else
      joined[#joined + 1] = move
    end
  end
  for _, move in ipairs(joined) do
    local last = open[#open]
    if last and move.to == last.from and move.scope == last.scope then
      open[#open] = nil
    else
      open[#open + 1] = move
    end
  end
  return open[#open]
end

---The model works on: there is nothing to go forward to any more.
---@param history pintle.History
function M.goes_on(history)
  history.moves, history.has_gone_on = {}, true
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
    history.moves = vim.list_extend(vim.list_slice(earlier.moves), history.moves)
    history.has_gone_on = earlier.has_gone_on
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
