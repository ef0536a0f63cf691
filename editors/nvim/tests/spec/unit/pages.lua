-- A session in pages: what is read from the end, and what came before, against all of it at once. Without child and engine.

local backwards = require("pintle.backwards")
local history = require("pintle.history")
local session = require("pintle.session")

test("a session that is read from its end, page by page, is the one that is read from its beginning", function()
  local events = {}
  local function add(event, turn)
    events[#events + 1] =
      { seq = #events + 1, tsMs = 0, turnId = turn, event = event, cause = { clientId = "other:1" } }
  end
  local function item(id, kind, status)
    return { id = id, type = kind, status = status, text = id .. status, content = {}, title = id }
  end
  add({ type = "session.created", cwd = "/", model = "m", permissionMode = "full" })
  for number = 1, 4 do
    local turn = "t" .. number
    add({
      type = "input.accepted",
      itemId = "u" .. number,
      delivery = number % 2 == 0 and "steer" or "prompt",
      content = {},
    })
    add({ type = "turn.started", model = "m" }, turn)
    add({ type = "item.completed", item = item("u" .. number, "userMessage", "completed") }, turn)
    -- one that goes on while others begin and end
    add({ type = "item.started", item = item("a" .. number, "toolCall", "running") }, turn)
    add({ type = "item.started", item = item("b" .. number, "agentMessage", "running") }, turn)
    add({ type = "session.notice", level = "info", code = "c", message = "n" .. number }, turn)
    add({ type = "item.completed", item = item("b" .. number, "agentMessage", "completed") }, turn)
    add({ type = "item.completed", item = item("a" .. number, "toolCall", "completed") }, turn)
    add({ type = "review.decided", action = { type = "keep" }, parts = {} }, turn)
    if number == 2 then
      add({ type = "review.decided", action = { type = "revert", decision = #events }, parts = {} }, turn)
    end
    local usage = { inputTokens = 1 }
    add({ type = "turn.completed", status = "completed", steps = 1, durationMs = number, usage = usage }, turn)
    if number == 2 then
      -- back to after the first turn with its files, and later back to where it was
      add({ type = "files.changed", changes = {}, by = { type = "rewind" } })
      add({ type = "history.rewound", toSeq = 11, dropped = { "u2", "a2", "b2" }, restored = {} })
    elseif number == 3 then
      add({ type = "history.rewound", toSeq = 23, dropped = { "u3", "a3", "b3" }, restored = { "u2", "a2", "b2" } })
    end
  end
  local function told(state)
    return {
      seq = state.seq,
      first = state.first,
      shown = vim.tbl_map(function(entry)
        local change = entry.change
        return change.item and change.item.id or change.turn and change.turn.id or change.notice.message
      end, history.shown(state.history)),
      redo = require("pintle.history").undoable(state.history),
      decisions = state.decisions,
      deliveries = state.deliveries,
      items = state.items,
      turns = state.turns,
      last_turn = state.last_turn,
    }
  end
  local function page(first, last, count)
    return { events = vim.list_slice(events, first, last), lastSeq = count, more = first > 1 }
  end
  local chats = require("pintle.chat")
  local function transcript(state)
    state.id = ("s%d"):format(vim.uv.hrtime())
    return chats.new(state, "/")
  end
  local function lines_of(chat)
    chat:draw()
    local lines = vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)
    vim.api.nvim_buf_delete(chat.buf, { force = true })
    return lines
  end
  local steps = {}
  local counts = { 3, 9, 17, #events }
  for _, each in ipairs(events) do
    if each.event.type == "files.changed" or each.event.type == "history.rewound" then
      table.insert(counts, each.seq)
    end
  end
  for _, count in ipairs(counts) do
    local whole = session.new("s")
    whole.came_at = count
    local chat = transcript(whole)
    chat:apply((session.page(whole, page(1, count, count))))
    local want, want_lines = told(whole), lines_of(chat)
    steps[want.redo and want.redo.scope or "none"] = true
    for size = 1, count do
      local state = session.new("s")
      session.await_tail(state)
      chat = transcript(state)
      chat:apply(session.tail(state, page(math.max(1, count - size + 1), count, count)))
      state.queue = whole.queue -- as the engine tells it of a session that it opens
      while state.first > 1 do
        chat:draw()
        local came = session.earlier(state, page(math.max(1, state.first - size), state.first - 1, count))
        backwards.put_before(chat, came)
      end
      equal(lines_of(chat), want_lines, ("the lines of %d events in pages of %d"):format(count, size))
      equal(told(state), want, ("%d events in pages of %d"):format(count, size))
    end
  end
  equal(vim.fn.sort(vim.tbl_keys(steps)), { "both", "conversation", "files", "none" })
end)
