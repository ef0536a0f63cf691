-- The blocks of a transcript: pieces of a buffer that know their lines, so that nothing is searched for. Blocks are added at the
-- end, or put before all others; those that still change are drawn when they are told to.

local colours = require("pintle.colours")
local dressing = require("pintle.dressing")
local folds = require("pintle.folds")
local render = require("pintle.render")
local renderers = require("pintle.renderers")
local runs = require("pintle.runs")

local M = {}

---@class (exact) pintle.BlockContext What stands above a block.
---@field speaker? "you"|"agent"
---@field kind? string

---@class (exact) pintle.Block
---@field key string
---@field kind string
---@field before pintle.BlockContext
---@field first integer The line it begins at, from 0; -1 as long as it was not drawn.
---@field count integer
---@field head? integer The line of its fold's head within it, from 0.
---@field lead string[] Lines before its own: a blank, a speaker, the title of a run.
---@field title? string The title of the run that begins with it.
---@field titled_by? pintle.Run The run that this is the title of.
---@field group? pintle.RunGroup
---@field run? pintle.Run
---@field lines string[]? What it is to become.
---@field tail string[] Pieces that are to be added.
---@field prefix string
---@field flow pintle.Flow What is left over of what streamed.
---@field streamed integer Bytes that came in pieces.
---@field path string? Which text of the arguments came last.
---@field is_dirty boolean
---@field markdown? pintle.MarkdownState Of a message: what its lines so far mean.
---@field tables? table<integer, integer> The last line of each table of a message, by the first one.
---@field hidden? integer The line of a message whose heading was drawn before its end came.

---@class (exact) pintle.Blocks
---@field buf integer
---@field list pintle.Block[]
---@field by_key table<string, pintle.Block>
---@field lines integer Lines that they have in the buffer; 0 when it is empty.
---@field runs pintle.Runs
---@field room number The cells that a line may take.
---@field private dirty pintle.Block[]
---@field private context pintle.BlockContext What stands at the end.
local Blocks = {}
Blocks.__index = Blocks

---The kinds of items whose text is Markdown.
local MESSAGES = { userMessage = true, agentMessage = true }

---The kinds of items that fold away below their first line.
local FOLDS = { toolCall = true, reasoning = true, job = true, subagent = true, compaction = true }

---@param buf integer
---@return pintle.Blocks
function M.new(buf)
  local self = setmetatable({ buf = buf, list = {}, by_key = {}, dirty = {}, lines = 0, context = {} }, Blocks)
  self.room = math.huge
  self.runs = runs.new(self)
  return self
end

---The lines before a block's own, and what stands above the next one.
---@param before pintle.BlockContext
---@param kind string
---@return string[] lead, pintle.BlockContext after
local function lead_of(before, kind)
  local is_fold = FOLDS[kind] or false
  local lead, speaker = {}, before.speaker
  if before.kind and not (is_fold and FOLDS[before.kind]) then
    lead[1] = ""
  end
  if kind == "userMessage" then
    speaker = "you"
  elseif (is_fold or kind == "agentMessage") and speaker ~= "agent" then
    speaker = "agent"
    vim.list_extend(lead, { "## pintle", "" })
  end
  return lead, { speaker = speaker, kind = kind }
end

---@param key string
---@param kind string
---@param lines string[]
---@param before pintle.BlockContext
---@return pintle.Block block, pintle.BlockContext after
local function new_block(key, kind, lines, before)
  local lead, after = lead_of(before, kind)
  local block = {
    key = key,
    kind = kind,
    before = before,
    first = -1,
    count = 0,
    head = FOLDS[kind] and #lead or nil,
    lead = lead,
    lines = lines,
    tail = {},
    prefix = "",
    flow = { held = "", line = "" },
    streamed = 0,
    is_dirty = false,
  }
  return block, after
end

---Adds a block at the end.
---@param key string
---@param kind string
---@param lines string[]
---@param group? pintle.RunGroup Of a call that can be part of a run.
---@return pintle.Block
function Blocks:add(key, kind, lines, group)
  local block
  block, self.context = new_block(key, kind, lines, self.context)
  self.by_key[key] = block
  table.insert(self.list, block)
  self.runs:regroup(block, group)
  self:touch(block)
  return block
end

---Sets a block's lines, making the block where there is none.
---@param key string
---@param kind string
---@param lines string[]
---@param group? pintle.RunGroup
function Blocks:set(key, kind, lines, group)
  local block = self.by_key[key]
  if not block then
    self:add(key, kind, lines, group)
    return
  end
  self.runs:regroup(block, group)
  block.lines, block.tail, block.flow = lines, {}, { held = "", line = "" }
  block.streamed, block.path = 0, nil
  self:touch(block)
end

---@param block pintle.Block
function Blocks:touch(block)
  if not block.is_dirty then
    block.is_dirty = true
    table.insert(self.dirty, block)
  end
end

---The number of a block, looked for from the end, where most changes are.
---@param block pintle.Block
---@return integer number
function Blocks:number_of(block)
  for at = #self.list, 1, -1 do
    if self.list[at] == block then
      return at
    end
  end
  error("not a block of this transcript")
end

---Sets or removes the title above a block.
---@param block pintle.Block
---@param title? string
function Blocks:set_title(block, title)
  local old, is_drawn = block.title, block.first >= 0
  if old == title then
    return
  end
  local row = block.first + #block.lead
  block.title = title
  if old and title then
    block.lead[#block.lead] = title
    if is_drawn then
      -- Not as a whole line, whose fold would begin below it then.
      vim.api.nvim_buf_set_text(self.buf, row - 1, 0, row - 1, #old, { title })
    end
    return
  end
  local by = title and 1 or -1
  if title then
    table.insert(block.lead, title)
  else
    table.remove(block.lead)
  end
  block.head = block.head and block.head + by
  if is_drawn then
    block.count = block.count + by
    self:splice(title and row or row - 1, title and 0 or 1, title and { title } or {}, self:number_of(block) + 1)
  end
end

---Writes lines over others.
---@param from integer from 0
---@param to integer
---@param lines string[]
function Blocks:write(from, to, lines)
  dressing.clear(self.buf, from, to)
  if from == to and #lines > 0 then
    -- `nvim_buf_set_lines` would break a fold that begins there.
    vim.fn.appendbufline(self.buf, from, lines --[[@as any]])
  else
    vim.api.nvim_buf_set_lines(self.buf, from, to, false, lines)
  end
end

---Writes lines over others, and moves what is below them.
---@param first integer from 0
---@param count integer
---@param lines string[]
---@param after integer The number of the first block below.
function Blocks:splice(first, count, lines, after)
  self:write(first, first + count, lines)
  local by = #lines - count
  self.lines = self.lines + by
  for at = after, #self.list do
    local block = self.list[at]
    if block.first >= 0 then
      block.first = block.first + by
    end
  end
end

---Takes the folds away that are left on the empty line of a buffer without lines.
function Blocks:clear_empty()
  for _, win in ipairs(self.lines == 0 and vim.fn.win_findbuf(self.buf) or {}) do
    folds.reset(win, {})
  end
end

---Gives blocks the lead that what stands above them asks for, from one on, until nothing changes any more.
---@param from integer
---@param before pintle.BlockContext
function Blocks:lead_again(from, before)
  for at = from, #self.list do
    local block = self.list[at]
    if vim.deep_equal(block.before, before) then
      return
    end
    local lead, after = lead_of(before, block.kind)
    block.before = before
    -- A title stays where it is: the fold of its run begins there.
    local had = vim.list_slice(block.lead, 1, #block.lead - (block.title and 1 or 0))
    if not vim.deep_equal(lead, had) then
      if block.first >= 0 then
        self:splice(block.first, #had, lead, at + 1)
        block.count = block.count + #lead - #had
      end
      table.insert(lead, block.title)
      block.head = block.head and #lead
      block.lead = lead
      if block.first >= 0 then
        dressing.lead(self.buf, block)
      end
    end
    before = after
  end
  self.context = before
end

---Takes out a single block.
---@param block pintle.Block
function Blocks:remove(block)
  local first, last
  if block.run then
    first, last = self.runs:dissolve(block.run)
    self.runs:draw_titles(vim.fn.win_findbuf(self.buf))
  end
  local at = self:number_of(block)
  table.remove(self.list, at)
  self.by_key[block.key] = nil
  self.dirty = vim.tbl_filter(function(each)
    return each ~= block
  end, self.dirty)
  if block.first >= 0 then
    self:splice(block.first, block.count, {}, at)
    self:clear_empty()
  end
  self:lead_again(at, block.before)
  for number = first or 1, last and last - 1 or 0 do
    self.runs:join(number)
  end
end

---Takes out a block and all below it.
---@param at integer
function Blocks:cut(at)
  local first = self.list[at]
  if not first then
    return
  end
  self.runs:cut(at)
  -- What was never drawn has no lines, and nothing below it has.
  if first.first >= 0 then
    dressing.clear(self.buf, first.first, -1)
    vim.api.nvim_buf_set_lines(self.buf, first.first, -1, false, {})
    self.lines = first.first
    self:clear_empty()
  end
  self.context = first.before
  local is_cut = {}
  for number = #self.list, at, -1 do
    local block = table.remove(self.list, number)
    self.by_key[block.key] = nil
    is_cut[block] = true
  end
  self.dirty = vim.tbl_filter(function(block)
    return not is_cut[block]
  end, self.dirty)
end

---Puts blocks before all others, drawn at once.
---@param made { key: string, kind: string, lines: string[], group?: pintle.RunGroup }[]
function Blocks:put_first(made)
  local before, list, lines, ranges = {}, {}, {}, {}
  for at, each in ipairs(made) do
    list[at], before = new_block(each.key, each.kind, each.lines, before)
    list[at].group = each.group
    self.by_key[each.key] = list[at]
  end
  self.list = vim.list_extend(vim.list_slice(list), self.list)
  for at in ipairs(made) do
    self.runs:join(at)
  end
  local wins = vim.fn.win_findbuf(self.buf)
  self.runs:draw_titles(wins)
  local firsts = {}
  for at, block in ipairs(list) do
    firsts[at] = #lines
    vim.list_extend(vim.list_extend(lines, block.lead), block.lines)
    block.lines, block.count = nil, #lines - firsts[at]
    if block.head then
      ranges[#ranges + 1] = { firsts[at] + block.head + 1, firsts[at] + block.count }
    end
  end
  local had_lines = self.lines > 0
  self:splice(0, had_lines and 0 or 1, lines, #made + 1)
  self.lines = had_lines and self.lines or #lines
  for at, block in ipairs(list) do
    block.first = firsts[at]
  end
  self:lead_again(#made + 1, before)
  for _, block in ipairs(list) do
    self:colour(block)
  end
  for _, win in ipairs(wins) do
    folds.add(win, ranges)
  end
  self.runs:draw_folds(wins)
end

---Draws the blocks that have changed since the last time.
function Blocks:draw()
  local wins = vim.fn.win_findbuf(self.buf)
  local dirty = self.dirty
  self.dirty = {}
  self:fit()
  self.runs:touch_wrapped(dirty)
  self.runs:draw_titles(wins)
  for _, block in ipairs(dirty) do
    self:draw_block(block, wins)
  end
  self.runs:draw_folds(wins)
end

---@param block pintle.Block
---@param wins integer[]
function Blocks:draw_block(block, wins)
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
    self:colour(block)
  end
  if #block.tail > 0 then
    self:extend(block, table.concat(block.tail))
    block.tail = {}
    if MESSAGES[block.kind] then
      dressing.more(self.buf, block, self.room)
    end
  end
  if block.head then
    for _, win in ipairs(wins) do
      folds.set(win, block.first + block.head + 1, block.first + block.count, open[win])
    end
  end
end

---Makes tables fit the windows, if these have another width now.
function Blocks:fit()
  local room = dressing.room(self.buf)
  if room == self.room then
    return
  end
  self.room = room
  for _, block in ipairs(self.list) do
    if block.tables then
      dressing.fit(self.buf, block, room)
    end
  end
end

---@param block pintle.Block
function Blocks:colour(block)
  if block.kind == "toolCall" then
    colours.draw(self.buf, block.first, block.count)
  end
  if MESSAGES[block.kind] then
    dressing.all(self.buf, block, self.room)
    renderers.changed(self.buf)
  else
    dressing.lead(self.buf, block)
  end
end

---Colours all that has been drawn.
function Blocks:colour_all()
  for _, block in ipairs(self.list) do
    if block.first >= 0 then
      self:colour(block)
    end
  end
end

---The lines of all folds, from 1; those of runs are the last.
---@return [integer, integer][]
function Blocks:fold_ranges()
  local ranges = {}
  for _, block in ipairs(self.list) do
    if block.head and block.first >= 0 then
      ranges[#ranges + 1] = { block.first + block.head + 1, block.first + block.count }
    end
  end
  return self.runs:add_ranges(ranges)
end

---The block that a line belongs to.
---@param line integer from 1
---@return pintle.Block?
function Blocks:at(line)
  for at = #self.list, 1, -1 do
    local block = self.list[at]
    if block.first >= 0 and block.first < line then
      return line <= block.first + block.count and block or nil
    end
  end
end

---@param block pintle.Block
---@param own string[]
function Blocks:replace(block, own)
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
  self:write(first + same, first + #old, vim.list_slice(own, same + 1))
  self:grow(block, #own - #old)
end

---@param block pintle.Block
---@param text string
function Blocks:extend(block, text)
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
function Blocks:grow(block, by)
  if by == 0 then
    return
  end
  block.count = block.count + by
  self.lines = self.lines + by
  for at = #self.list, 1, -1 do
    local other = self.list[at]
    if other == block then
      return
    end
    if other.first >= 0 then
      other.first = other.first + by
    end
  end
end

return M
