-- Runs of finished calls that only read, list or search: each is one fold around the folds of its calls, under a line such as
-- "Read 2 files, searched 3 times".
--
-- The blocks are grouped when they change, at the cost of their neighbours; lines and folds follow when the transcript is drawn.
-- Invariant: a run has at least two calls, and between its first and its last block there is only reasoning.

local folds = require("pintle.folds")
local render = require("pintle.render")

local M = {}

---@alias pintle.RunGroup "read"|"list"|"search"

---@class (exact) pintle.Run
---@field first pintle.Block
---@field last pintle.Block
---@field is_over boolean Whether it was taken apart.
---@field order pintle.RunGroup[] In the order of their first calls.
---@field counts table<pintle.RunGroup, integer>
---@field titled? pintle.Block The block above which its title is drawn.
---@field is_wrapped boolean Whether windows have its fold.
---@field is_dirty boolean
---@field open table<integer, boolean> Whether its fold is open, by window, while it is drawn.

---@class (exact) pintle.Runs
---@field private blocks pintle.Blocks
---@field private dirty pintle.Run[]
local Runs = {}
Runs.__index = Runs

local LIST_TOOLS = { ls = true, list = true, listdir = true, listdirectory = true }

---The group of a call that can be part of a run: one that has succeeded. Pure.
---@param item pintle.Item
---@return pintle.RunGroup?
function M.group_of(item)
  if item.type ~= "toolCall" or item.status ~= "completed" or vim.tbl_get(item, "output", "failed") then
    return nil
  elseif LIST_TOOLS[(item.toolName or ""):gsub("[_-]", ""):lower()] then
    return "list"
  end
  return (item.kind == "read" or item.kind == "search") and item.kind or nil
end

---@type table<pintle.RunGroup, fun(count: integer): string>
local WORDS = {
  read = function(count)
    return count == 1 and "read 1 file" or ("read %d files"):format(count)
  end,
  list = function(count)
    return count == 1 and "listed 1 directory" or ("listed %d directories"):format(count)
  end,
  search = function(count)
    return count == 1 and "searched once" or ("searched %d times"):format(count)
  end,
}

---The title of a run. Pure.
---@param order pintle.RunGroup[]
---@param counts table<pintle.RunGroup, integer>
---@return string
function M.title(order, counts)
  local parts = vim.tbl_map(function(group)
    return WORDS[group](counts[group])
  end, order)
  return render.HEAD .. table.concat(parts, ", "):gsub("^%l", string.upper)
end

---@param blocks pintle.Blocks
---@return pintle.Runs
function M.new(blocks)
  return setmetatable({ blocks = blocks, dirty = {} }, Runs)
end

---@param run pintle.Run
function Runs:touch(run)
  if not run.is_dirty then
    run.is_dirty = true
    table.insert(self.dirty, run)
  end
end

---@param run pintle.Run
---@param group pintle.RunGroup
local function count(run, group)
  if not run.counts[group] then
    run.counts[group] = 0
    table.insert(run.order, group)
  end
  run.counts[group] = run.counts[group] + 1
end

---The number of the next call of the same run, from a block on; nil where there is none.
---@param at integer
---@param by 1|-1
---@return integer?
function Runs:neighbour(at, by)
  local list = self.blocks.list
  repeat
    at = at + by
  until not list[at] or list[at].kind ~= "reasoning"
  return list[at] and list[at].group and at or nil
end

---Makes blocks one run, which takes the place of those that they were in.
---@param from integer
---@param to integer
function Runs:unite(from, to)
  ---@type pintle.Run
  local run = {
    first = self.blocks.list[from],
    last = self.blocks.list[to],
    is_over = false,
    order = {},
    counts = {},
    is_wrapped = false,
    is_dirty = false,
    open = {},
  }
  for at = from, to do
    local block = self.blocks.list[at]
    if block.run then
      block.run.is_over = true
      self:touch(block.run)
    end
    block.run = run
    if block.group then
      count(run, block.group)
    end
  end
  self:touch(run)
end

---Puts a block into the run that it is next to, if there is one.
---@param at integer Its number.
function Runs:join(at)
  local list = self.blocks.list
  local block = list[at]
  if not block.group then
    return
  end
  local before, after = self:neighbour(at, -1), self:neighbour(at, 1)
  local run = before and list[before].run
  if before and run and not block.run and not after then
    -- The usual case: the run grows at its end.
    for between = before + 1, at do
      list[between].run = run
    end
    count(run, block.group)
    run.last = block
    self:touch(run)
    return
  end
  local last_run = after and list[after].run
  local is_joined = block.run and (not before or run == block.run) and (not after or last_run == block.run)
  if (before or after) and not is_joined then
    local first = run and self.blocks:number_of(run.first) or before or at
    local last = last_run and self.blocks:number_of(last_run.last) or after or at
    self:unite(first, last)
  end
end

---Takes a run apart.
---@param run pintle.Run
---@return integer first, integer last The numbers of its blocks.
function Runs:dissolve(run)
  local first, last = self.blocks:number_of(run.first), self.blocks:number_of(run.last)
  for at = first, last do
    self.blocks.list[at].run = nil
  end
  run.is_over = true
  self:touch(run)
  return first, last
end

---A block's group has changed: it leaves its run, or joins one.
---@param block pintle.Block
---@param group? pintle.RunGroup
function Runs:regroup(block, group)
  if block.group == group then
    return
  end
  local first = self.blocks:number_of(block)
  local last = first
  if block.run then
    first, last = self:dissolve(block.run)
  end
  block.group = group
  for at = first, last do
    self:join(at)
  end
end

---Blocks from one on are about to be removed: what is left of their run is made again.
---@param at integer
function Runs:cut(at)
  local list = self.blocks.list
  local run = list[at].run
  local first = run and self:dissolve(run)
  for number = at, #list do
    local titled, whole = list[number].titled_by, list[number].run
    if titled then
      titled.titled, titled.is_wrapped = nil, false -- they go with the block
    end
    if whole then
      whole.is_over = true
    end
  end
  if not first then
    return
  end
  for number = first, at - 1 do
    if list[number].group and (self:neighbour(number, 1) or at) < at then
      local last = number
      local next_call = self:neighbour(number, 1)
      while next_call and next_call < at do
        last, next_call = next_call, self:neighbour(next_call, 1)
      end
      self:unite(number, last)
      return
    end
  end
end

---Where the fold of a run begins and ends.
---@param run pintle.Run
---@return integer first, integer last from 1
local function range(run)
  return run.first.first + #run.first.lead, run.last.first + run.last.count
end

---Brings the titles of changed runs into their places. Their folds are gone until `draw_folds`.
---@param wins integer[]
function Runs:draw_titles(wins)
  for _, run in ipairs(self.dirty) do
    local above = run.titled
    if above and run.is_wrapped then
      for _, win in ipairs(wins) do
        run.open[win] = folds.unwrap(win, above.first + #above.lead)
      end
    end
    run.is_wrapped = false
    if above and (run.is_over or above ~= run.first) then
      self.blocks:set_title(above, nil)
      run.titled, above.titled_by = nil, nil
    end
  end
  for _, run in ipairs(self.dirty) do
    if not run.is_over then
      self.blocks:set_title(run.first, M.title(run.order, run.counts))
      run.titled, run.first.titled_by = run.first, run
    end
  end
end

---Folds the changed runs. Where one of its calls is open, a new run is open too.
---@param wins integer[]
function Runs:draw_folds(wins)
  local dirty = self.dirty
  self.dirty = {}
  for _, run in ipairs(dirty) do
    run.is_dirty = false
    if not run.is_over then
      local first, last = range(run)
      for _, win in ipairs(wins) do
        folds.wrap(win, first, last, run.open[win])
      end
      run.is_wrapped = true
    end
    run.open = {}
  end
end

---Blocks that are drawn again inside of a run need its fold out of the way.
---@param drawn pintle.Block[]
function Runs:touch_wrapped(drawn)
  for _, block in ipairs(drawn) do
    if block.run and block.run.is_wrapped then
      self:touch(block.run)
    end
  end
end

---Adds the lines of all runs, from 1, to those of the blocks.
---@param ranges [integer, integer][]
---@return [integer, integer][] ranges
function Runs:add_ranges(ranges)
  for _, block in ipairs(self.blocks.list) do
    local run = block.run
    if run and run.titled == block then
      ranges[#ranges + 1] = { range(run) }
    end
  end
  return ranges
end

return M
