-- The transcript of a session: a buffer that only grows at its end, but for the blocks that still change.
--
-- Changes are gathered and drawn at most every `redraw_ms`. Of a session with a history the end is there at once; what came
-- before is put above it when somebody goes there.

local backwards = require("pintle.backwards")
local blocks = require("pintle.blocks")
local config = require("pintle.config")
local history = require("pintle.history")
local render = require("pintle.render")
local runs = require("pintle.runs")

local M = {}

---@class (exact) pintle.Chat
---@field buf integer
---@field blocks pintle.Blocks
---@field more? fun() Reads what came before; it is called when somebody sees the beginning of what is there.
---@field state pintle.Session
---@field private is_scheduled boolean
---@field private drawn_at integer
---@field redraws integer
---@field kept string[] The lines of the blocks, while the buffer is unloaded.
local Chat = {}
Chat.__index = Chat

vim.api.nvim_set_hl(0, "PintleQueue", { link = "Comment", default = true })

local NAMESPACE = vim.api.nvim_create_namespace("pintle.chat")

-- What a running tool prints is shown up to here; the end of it comes with the result.
local STREAMED_BYTES_MAX = 200000

---@type table<integer, pintle.Chat> by buffer
local by_buffer = {}

---@type table<string, integer> by session: the last buffer that showed it
local buffer_of = {}

---@param state pintle.Session
---@param root string The workspace.
---@return pintle.Chat
function M.new(state, root)
  local buf = vim.api.nvim_create_buf(false, true)
  local old = buffer_of[state.id]
  if old then
    pcall(vim.api.nvim_buf_delete, old, { force = true }) -- it was unloaded
  end
  buffer_of[state.id] = buf
  require("pintle.buffers").name(buf, "chat", root)
  local self = setmetatable({
    buf = buf,
    state = state,
    blocks = blocks.new(buf),
    is_scheduled = false,
    drawn_at = 0,
    redraws = 0,
    kept = {},
  }, Chat)
  by_buffer[buf] = self
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    callback = function()
      self.kept = vim.api.nvim_buf_get_lines(buf, 0, self.blocks.lines, false)
    end,
  })
  require("pintle.buffers").filled_by(buf, function()
    self:fill(root)
  end)
  return self
end

---Makes its buffer a transcript, with the lines that were in it when the editor unloaded it: what streams is nowhere else.
---@param root string
function Chat:fill(root)
  local buf = self.buf
  vim.b[buf].pintle_root = root
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, self.kept)
  self.kept = {}
  self.blocks:colour_all()
  self:paint()
  require("pintle.looks").dress(buf, "pintle-chat")
  local maps = require("pintle.maps")
  maps.set(buf, maps.of_transcript(self))
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    require("pintle.folds").reset(win, self.blocks:fold_ranges())
  end
end

---Opens what the call under the cursor asks; without a question, its fold.
function Chat:answer()
  local block = self.blocks:at(vim.fn.line("."))
  local asked = block and require("pintle.approval").of_item(block.key)
  if asked then
    return require("pintle.approval").show_one(asked)
  end
  vim.cmd("silent! normal! za")
end

---Whether the transcript is still there: a person may have deleted the buffer.
---@return boolean
function Chat:is_alive()
  return vim.api.nvim_buf_is_loaded(self.buf)
end

---@param buf integer
---@return pintle.Chat?
function M.of(buf)
  return by_buffer[buf]
end

---Takes what changed in the session.
---@param changes pintle.Change[]
function Chat:apply(changes)
  ---@type table<string, fun(self: pintle.Chat, change: any)>
  local drawn = {
    item = self.item,
    delta = self.delta,
    turn = self.turn,
    approval = self.approval,
    notice = self.notice,
    queue = self.schedule,
    rewound = self.rewind,
  }
  for _, change in ipairs(changes) do
    local take = drawn[change.kind]
    if take then
      take(self, change)
    end
  end
end

---@param change { item: pintle.Item }
function Chat:item(change)
  local item = change.item
  local lines = render.item(item, self.state)
  if not lines then
    return
  end
  local is_empty = #lines == 1 and lines[1] == ""
  if is_empty and not self.blocks.by_key[item.id] then
    return -- drawn with its first piece
  end
  self:set(item.id, item.type, lines, runs.group_of(item))
end

---@param change { item: pintle.Item, field: pintle.DeltaField, path: string?, text: string, is_first: boolean }
function Chat:delta(change)
  local item = change.item
  if change.field == "args" then
    return
  end
  local text = change.text
  local is_message = item.type == "agentMessage"
  local start = not is_message and render.item(item, self.state) or { "" }
  local block = self.blocks.by_key[item.id] or self.blocks:add(item.id, item.type, start)
  if change.is_first then
    -- It replaces what streamed before: after a new connection the engine sends all of it again.
    self:set(item.id, item.type, start)
  end
  block.prefix = is_message and "" or render.BODY
  if change.field == "input" and block.path ~= change.path then
    -- A text of the arguments while the model writes it, each under its name.
    text = (block.path and "\n" or "") .. (change.path or ""):sub(2) .. ":\n" .. text
    block.path = change.path
  end
  if change.field ~= "text" then
    block.streamed = block.streamed + #text
    if block.streamed > STREAMED_BYTES_MAX then
      return
    end
  end
  table.insert(block.tail, text)
  self.blocks:touch(block)
  self:schedule()
end

---@param change { turn: pintle.Turn, is_over: boolean }
function Chat:turn(change)
  if change.is_over then
    self:set("turn " .. change.turn.id, "turn", render.turn_end(change.turn))
  end
end

---@param change { approval: pintle.Approval }
function Chat:approval(change)
  local item = self.state.items[change.approval.itemId]
  if item then
    self:item({ item = item })
  end
end

---@param change { notice: pintle.Notice, key: string }
function Chat:notice(change)
  self:set(change.key, "notice", render.notice(change.notice))
end

---The lines of an entry of the history; none where nothing is drawn for it.
---@param entry pintle.HistoryEntry
---@return string[]? lines
function Chat:entry_lines(entry)
  ---@type any
  local change = entry.change
  if change.kind == "turn" then
    return render.turn_end(change.turn)
  elseif change.kind == "notice" then
    return render.notice(change.notice)
  end
  local lines = render.item(self.state.items[change.item.id], self.state)
  local is_empty = lines and #lines == 1 and lines[1] == ""
  return not is_empty and lines or nil
end

---The number of the first block that stands for an entry of the history.
---@return integer
function Chat:first_entry()
  return self.blocks.by_key[backwards.KEY] and 2 or 1
end

---Shows the way that counts now: what both ways have in common stays, the rest is drawn anew.
function Chat:rewind()
  local shown = history.shown(self.state.history)
  local at, from = self:first_entry(), #shown + 1
  for number, entry in ipairs(shown) do
    local block = self.blocks.list[at]
    if block and block.key == entry.key then
      at = at + 1
    elseif self.blocks.by_key[entry.key] or self:entry_lines(entry) then
      from = number
      break
    end
  end
  if self:is_alive() then
    vim.bo[self.buf].modifiable = true
    self.blocks:cut(at)
    vim.bo[self.buf].modifiable = false
  end
  for number = from, #shown do
    local change = shown[number].change
    if change.item then
      self:item({ item = self.state.items[change.item.id] })
    else
      self:apply({ change })
    end
  end
  self:schedule()
end

---Reads what came before, if somebody sees where it is missing.
function Chat:look_back()
  if self.more and backwards.is_seen(self) then
    self.more()
  end
end

---@param key string
---@param kind string
---@param lines string[]
---@param group? pintle.RunGroup
function Chat:set(key, kind, lines, group)
  self.blocks:set(key, kind, lines, group)
  self:schedule()
end

function Chat:schedule()
  if self.is_scheduled then
    return
  end
  self.is_scheduled = true
  local wait = math.max(0, config.get().redraw_ms - (vim.uv.now() - self.drawn_at))
  vim.defer_fn(function()
    self:draw()
  end, wait)
end

---Brings the end of a window's buffer down to its last row, where lines went away or became shorter.
---@param win integer
local function fill(win)
  local info = vim.fn.getwininfo(win)[1]
  local rows = info.height - info.winbar
  if info.topline > 1 and vim.api.nvim_win_text_height(win, { start_row = info.topline - 1 }).all < rows then
    vim.api.nvim_win_call(win, function()
      vim.cmd("normal! zb")
    end)
  end
end

---Writes what has changed into the buffer.
function Chat:paint()
  vim.bo[self.buf].modifiable = true
  self:clear_queue()
  self.blocks:draw()
  backwards.mark(self)
  self:draw_queue()
  vim.bo[self.buf].modifiable = false
end

---Draws what has changed since the last time.
function Chat:draw()
  self.is_scheduled = false
  self.drawn_at = vim.uv.now()
  self.redraws = self.redraws + 1
  if not self:is_alive() then
    return
  end
  local following = self:following()
  self:paint()
  local last = vim.api.nvim_buf_line_count(self.buf)
  local text = vim.api.nvim_buf_get_lines(self.buf, last - 1, last, false)[1]
  for _, win in ipairs(following) do
    -- At its end where it is wrapped: it may be longer than the window is high.
    local is_wrapped = #text > vim.api.nvim_win_get_width(win)
    vim.api.nvim_win_set_cursor(win, { last, is_wrapped and #text or 0 })
    fill(win)
  end
  self:look_back()
end

---The windows that stand at the end and are to stay there.
---@return integer[]
function Chat:following()
  local count = vim.api.nvim_buf_line_count(self.buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] >= count
  end, vim.fn.win_findbuf(self.buf))
end

---Takes the waiting messages away: what is drawn comes before them.
function Chat:clear_queue()
  vim.api.nvim_buf_clear_namespace(self.buf, NAMESPACE, 0, -1)
  vim.api.nvim_buf_set_lines(self.buf, self.blocks.lines, -1, false, {})
end

---Writes the waiting messages below everything else, as lines of their own: a closed fold would hide what hangs on a line of it.
function Chat:draw_queue()
  local lines = vim.tbl_map(function(input)
    return render.queued(input, self.state)
  end, self.state.queue)
  if #lines == 0 then
    return
  end
  if self.blocks.lines > 0 then
    table.insert(lines, 1, "")
  end
  vim.api.nvim_buf_set_lines(self.buf, self.blocks.lines, -1, false, lines)
  vim.api.nvim_buf_set_extmark(self.buf, NAMESPACE, self.blocks.lines, 0, {
    end_row = self.blocks.lines + #lines,
    hl_group = "PintleQueue",
  })
end

local group = vim.api.nvim_create_augroup("pintle_chat", { clear = true })
vim.api.nvim_create_autocmd({ "WinResized", "BufWinEnter" }, {
  group = group,
  callback = function(event)
    local wins = event.event == "WinResized" and vim.v.event.windows or { vim.api.nvim_get_current_win() }
    for _, win in ipairs(wins) do
      local chat = vim.api.nvim_win_is_valid(win) and by_buffer[vim.api.nvim_win_get_buf(win)]
      if chat and chat:is_alive() then
        chat.blocks:fit()
      end
    end
  end,
})
vim.api.nvim_create_autocmd({ "WinScrolled", "BufWinEnter", "CursorMoved" }, {
  group = group,
  callback = function(event)
    local seen = {}
    if event.event == "WinScrolled" then
      for id in pairs(vim.v.event) do
        local win = vim.fn.str2nr(id)
        if win > 0 and vim.api.nvim_win_is_valid(win) then
          seen[vim.api.nvim_win_get_buf(win)] = true
        end
      end
    else
      seen[event.buf] = true
    end
    for buf in pairs(seen) do
      if by_buffer[buf] then
        by_buffer[buf]:look_back()
      end
    end
  end,
})

return M
