-- The transcript of a session: a buffer that only grows at its end, but for the blocks that still change.
--
-- Changes are gathered and drawn at most every `redraw_ms`. Blocks know their lines, so that nothing is searched for.

local config = require("pintle.config")
local folds = require("pintle.folds")
local history = require("pintle.history")
local render = require("pintle.render")

local M = {}

---@class (exact) pintle.Block
---@field key string
---@field before { speaker?: "you"|"agent", kind?: string } What stood above it.
---@field first integer The line it begins at, from 0.
---@field count integer
---@field head integer? The line of its fold's head within it, from 0.
---@field lead string[] Lines before its own: a blank, a speaker.
---@field lines string[]? What it is to become.
---@field tail string[] Pieces that are to be added.
---@field prefix string
---@field flow pintle.Flow What is left over of what streamed.
---@field streamed integer Bytes that came in pieces.
---@field path string? Which text of the arguments came last.
---@field is_dirty boolean

---@class (exact) pintle.Chat
---@field buf integer
---@field private state pintle.Session
---@field private blocks pintle.Block[]
---@field private by_key table<string, pintle.Block>
---@field private dirty pintle.Block[]
---@field private lines integer Lines in the buffer; 0 when it is empty.
---@field private speaker? "you"|"agent"
---@field private last_kind? string
---@field private timer? uv.uv_timer_t
---@field private is_scheduled boolean
---@field private drawn_at integer
---@field redraws integer
---The kinds of items that fold away below their first line.
local FOLDS = { toolCall = true, reasoning = true, job = true, subagent = true, compaction = true }

local Chat = {}
Chat.__index = Chat

vim.api.nvim_set_hl(0, "PintleQueue", { link = "Comment", default = true })

local NAMESPACE = vim.api.nvim_create_namespace("pintle.chat")

-- What a running tool prints is shown up to here; the end of it comes with the result.
local STREAMED_BYTES_MAX = 200000

---@type table<integer, pintle.Chat> by buffer
local by_buffer = {}

---@param state pintle.Session
---@param root string The workspace.
---@return pintle.Chat
function M.new(state, root)
  local buf = vim.api.nvim_create_buf(false, true)
  local name = "pintle://chat/" .. state.id
  local old = vim.fn.bufnr(name)
  if old > 0 then
    pcall(vim.api.nvim_buf_delete, old, { force = true }) -- it was unloaded
  end
  vim.api.nvim_buf_set_name(buf, name)
  vim.b[buf].pintle_root = root
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].filetype = "markdown"
  local self = setmetatable({
    buf = buf,
    state = state,
    blocks = {},
    by_key = {},
    dirty = {},
    lines = 0,
    is_scheduled = false,
    drawn_at = 0,
    redraws = 0,
  }, Chat)
  by_buffer[buf] = self
  return self
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
  if is_empty and not self.by_key[item.id] then
    return -- drawn with its first piece
  end
  self:set(item.id, item.type, lines)
end

---@param change { item: pintle.Item, field: pintle.DeltaField, path: string?, text: string, is_first: boolean }
function Chat:delta(change)
  local item = change.item
  if change.field == "args" then
    return
  end
  local text = change.text
  local is_message = item.type == "agentMessage"
  local block = self.by_key[item.id]
    or self:add(item.id, item.type, is_message and { "" } or render.item(item, self.state))
  if change.is_first then
    -- It replaces what streamed before: after a new connection the engine sends all of it again.
    self:set(item.id, item.type, is_message and { "" } or render.item(item, self.state))
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
  self:touch(block)
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

---Shows the way that counts now: what both ways have in common stays, the rest is drawn anew.
function Chat:rewind()
  local shown = history.shown(self.state.history)
  local at, from = 1, #shown + 1
  for number, entry in ipairs(shown) do
    local block = self.blocks[at]
    if block and block.key == entry.key then
      at = at + 1
    elseif self.by_key[entry.key] or not self:is_empty(entry) then
      from = number
      break
    end
  end
  self:cut(at)
  for number = from, #shown do
    local entry = shown[number]
    local item = entry.change.item
    if item then
      self:item({ item = self.state.items[item.id] })
    else
      self[entry.change.kind](self, entry.change)
    end
  end
  self:schedule()
end

---Whether nothing is drawn for an entry.
---@param entry pintle.HistoryEntry
---@return boolean
function Chat:is_empty(entry)
  local item = entry.change.item
  local lines = item and render.item(self.state.items[item.id], self.state)
  return item ~= nil and (not lines or #lines == 1 and lines[1] == "")
end

---Takes out a block and all below it.
---@param at integer
function Chat:cut(at)
  local first = self.blocks[at]
  if not first then
    return
  end
  -- What was never drawn has no lines, and nothing below it has.
  if first.first >= 0 and self:is_alive() then
    vim.bo[self.buf].modifiable = true
    vim.api.nvim_buf_set_lines(self.buf, first.first, -1, false, {})
    vim.bo[self.buf].modifiable = false
    self.lines = first.first
  end
  self.speaker, self.last_kind = first.before.speaker, first.before.kind
  local is_cut = {}
  for number = #self.blocks, at, -1 do
    local block = table.remove(self.blocks, number)
    self.by_key[block.key] = nil
    is_cut[block] = true
  end
  self.dirty = vim.tbl_filter(function(block)
    return not is_cut[block]
  end, self.dirty)
end

---Sets a block's lines, making the block where there is none.
---@param key string
---@param kind string
---@param lines string[]
function Chat:set(key, kind, lines)
  local block = self.by_key[key]
  if not block then
    self:add(key, kind, lines)
    return
  end
  block.lines, block.tail, block.flow = lines, {}, { held = "", line = "" }
  block.streamed, block.path = 0, nil
  self:touch(block)
end

---@param key string
---@param kind string
---@param lines string[]
---@return pintle.Block
function Chat:add(key, kind, lines)
  local is_fold = FOLDS[kind] or false
  local before = { speaker = self.speaker, kind = self.last_kind }
  local lead = {}
  local follows_fold = is_fold and FOLDS[self.last_kind]
  if #self.blocks > 0 and not follows_fold then
    lead[1] = ""
  end
  if kind == "userMessage" then
    self.speaker = "you"
  elseif (is_fold or kind == "agentMessage") and self.speaker ~= "agent" then
    self.speaker = "agent"
    vim.list_extend(lead, { "## pintle", "" })
  end
  self.last_kind = kind
  local block = {
    key = key,
    before = before,
    first = -1,
    count = 0,
    head = is_fold and #lead or nil,
    lead = lead,
    lines = lines,
    tail = {},
    prefix = "",
    flow = { held = "", line = "" },
    streamed = 0,
    is_dirty = false,
  }
  self.by_key[key] = block
  table.insert(self.blocks, block)
  self:touch(block)
  return block
end

---@param block pintle.Block
function Chat:touch(block)
  if not block.is_dirty then
    block.is_dirty = true
    table.insert(self.dirty, block)
  end
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

---Draws what has changed since the last time.
function Chat:draw()
  self.is_scheduled = false
  self.drawn_at = vim.uv.now()
  self.redraws = self.redraws + 1
  if not self:is_alive() then
    return
  end
  local wins = vim.fn.win_findbuf(self.buf)
  local following = self:following()
  vim.bo[self.buf].modifiable = true
  self:clear_queue()
  local dirty = self.dirty
  self.dirty = {}
  for _, block in ipairs(dirty) do
    self:draw_block(block, wins)
  end
  self:draw_queue()
  vim.bo[self.buf].modifiable = false
  local last = vim.api.nvim_buf_line_count(self.buf)
  local text = vim.api.nvim_buf_get_lines(self.buf, last - 1, last, false)[1]
  for _, win in ipairs(following) do
    -- At its end where it is wrapped: it may be longer than the window is high.
    local is_wrapped = #text > vim.api.nvim_win_get_width(win)
    vim.api.nvim_win_set_cursor(win, { last, is_wrapped and #text or 0 })
  end
end

---@param block pintle.Block
---@param wins integer[]
function Chat:draw_block(block, wins)
  block.is_dirty = false
  local open = {}
  if block.head and block.first >= 0 then
    for _, win in ipairs(wins) do
      open[win] = folds.is_open(win, block.first + block.head + 1)
    end
  end
  if block.lines then
    self:replace(block, block.lines)
    block.lines = nil
  end
  if #block.tail > 0 then
    self:extend(block, table.concat(block.tail))
    block.tail = {}
  end
  if block.head then
    for _, win in ipairs(wins) do
      folds.set(win, block.first + block.head + 1, block.first + block.count, open[win])
    end
  end
end

---The lines of all folds, from 1.
---@return [integer, integer][]
function Chat:fold_ranges()
  local ranges = {}
  for _, block in ipairs(self.blocks) do
    if block.head and block.first >= 0 then
      ranges[#ranges + 1] = { block.first + block.head + 1, block.first + block.count }
    end
  end
  return ranges
end

---The windows that stand at the end and are to stay there.
---@return integer[]
function Chat:following()
  local count = vim.api.nvim_buf_line_count(self.buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] >= count
  end, vim.fn.win_findbuf(self.buf))
end

---@param block pintle.Block
---@param own string[]
function Chat:replace(block, own)
  if block.first < 0 then
    block.first = self.lines
    local lines = vim.list_extend(vim.list_slice(block.lead), own)
    -- The first block takes the place of the empty line of an empty buffer.
    vim.api.nvim_buf_set_lines(self.buf, self.lines, -1, false, lines)
    block.count = #lines
    self.lines = self.lines + #lines
    return
  end
  local first = block.first + #block.lead
  local old = vim.api.nvim_buf_get_lines(self.buf, first, block.first + block.count, false)
  -- What streamed is mostly what the end says too: only the difference is written.
  local same = 0
  while same < #old and same < #own and old[same + 1] == own[same + 1] do
    same = same + 1
  end
  if same == #old and same == #own then
    return
  end
  vim.api.nvim_buf_set_lines(self.buf, first + same, first + #old, false, vim.list_slice(own, same + 1))
  self:grow(block, #own - #old)
end

---@param block pintle.Block
---@param text string
function Chat:extend(block, text)
  local row = block.first + block.count - 1
  local last = vim.api.nvim_buf_get_lines(self.buf, row, row + 1, false)[1] or ""
  local is_head = block.head ~= nil and block.count == #block.lead + 1
  local lines = render.flow(block.flow, is_head and "" or last:sub(#block.prefix + 1), text)
  for at, line in ipairs(lines) do
    lines[at] = block.prefix .. line
  end
  if is_head then
    table.insert(lines, 1, last) -- the body begins below the head
  end
  -- What both begin with stays: a line that grows is not written anew.
  local from = vim.startswith(lines[1], last) and #last or 0
  lines[1] = lines[1]:sub(from + 1)
  vim.api.nvim_buf_set_text(self.buf, row, from, row, #last, lines)
  self:grow(block, #lines - 1)
end

---@param block pintle.Block
---@param by integer
function Chat:grow(block, by)
  if by == 0 then
    return
  end
  block.count = block.count + by
  self.lines = self.lines + by
  for at = #self.blocks, 1, -1 do
    local other = self.blocks[at]
    if other == block then
      return
    end
    if other.first >= 0 then
      other.first = other.first + by
    end
  end
end

---Takes the waiting messages away: what is drawn comes before them.
function Chat:clear_queue()
  vim.api.nvim_buf_clear_namespace(self.buf, NAMESPACE, 0, -1)
  vim.api.nvim_buf_set_lines(self.buf, self.lines, -1, false, {})
end

---Writes the waiting messages below everything else, as lines of their own: a closed fold would hide what hangs on a line of it.
function Chat:draw_queue()
  local lines = vim.tbl_map(function(input)
    return render.queued(input, self.state)
  end, self.state.queue)
  if #lines == 0 then
    return
  end
  if self.lines > 0 then
    table.insert(lines, 1, "")
  end
  vim.api.nvim_buf_set_lines(self.buf, self.lines, -1, false, lines)
  vim.api.nvim_buf_set_extmark(self.buf, NAMESPACE, self.lines, 0, {
    end_row = self.lines + #lines,
    hl_group = "PintleQueue",
  })
end

---Makes a window show transcripts well.
---@param win integer
function M.dress(win)
  local options = {
    wrap = true,
    linebreak = true,
    smoothscroll = true,
    number = false,
    relativenumber = false,
    signcolumn = "no",
    foldmethod = "manual",
    foldtext = "v:lua.require'pintle.folds'.text()",
    foldminlines = 0,
    foldenable = true,
    fillchars = "fold: ",
    winfixwidth = true,
    winbar = "%{%v:lua.require'pintle.statusline'.winbar()%}",
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = win })
  end
  local buf = vim.api.nvim_win_get_buf(win)
  local self = by_buffer[buf]
  if self and vim.w[win].pintle_folds ~= buf then
    vim.w[win].pintle_folds = buf
    vim.wo[win].foldlevel = 0
    folds.reset(win, self:fold_ranges())
  end
end

return M
