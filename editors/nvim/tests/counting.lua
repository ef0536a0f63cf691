-- Counts of what a child does, which are the same on a busy machine.

local M = {}

-- Lines of the engine's that a slice of time has room for, by the clock below.
M.SLICE_LINES = 81

-- Runs in the child.
local COUNT = [[
  local here = require("pintle.workspace").find()
  local count = { deltas = 0, most_lines = 0, written = 0, requests = 0, instructions = 0, most_work = 0, at = {} }
  _G.count = count

  -- Instructions of Lua, in hundreds: compiled code is not counted.
  jit.off()
  debug.sethook(function() count.instructions = count.instructions + 1 end, "", 100)
  collectgarbage("collect")
  collectgarbage("stop")
  if _G.is_counting then return end
  _G.is_counting = true

  -- A clock that goes on by a tenth of a millisecond whenever it is read: a slice of 8 ms has room for 80 lines and the one at its end.
  local now = 0
  vim.uv.hrtime = function()
    now = now + 1e5
    return now
  end

  local Rpc = getmetatable(here.engine.rpc).__index
  local drain, line, request = Rpc.drain, Rpc.line, Rpc.request
  local lines
  function Rpc:drain()
    local count = _G.count
    lines = 0
    local before = count.instructions
    drain(self)
    count.most_lines = math.max(count.most_lines, lines)
    count.most_work = math.max(count.most_work, count.instructions - before)
  end
  function Rpc:line(...)
    lines = lines + 1
    return line(self, ...)
  end
  function Rpc:request(...)
    _G.count.requests = _G.count.requests + 1
    return request(self, ...)
  end

  local session = require("pintle.session")
  local transient = session.transient
  session.transient = function(state, event, changes)
    local count = _G.count
    if event.type == "item.delta" then
      count.deltas = count.deltas + 1 + (event.to or event.n) - event.n
      if count.deltas % 1000 == 0 then
        count.at[count.deltas / 1000] = { instructions = count.instructions * 100, bytes = collectgarbage("count") * 1024 }
      end
    end
    return transient(state, event, changes)
  end

  local Chat = getmetatable(here:view().chat).__index
  local draw = Chat.draw
  local watched = {}
  function Chat:draw()
    if not watched[self.buf] then
      watched[self.buf] = true
      vim.api.nvim_buf_attach(self.buf, false, {
        on_lines = function(_, _, _, first, _, last)
          _G.count.written = _G.count.written + last - first
        end,
      })
    end
    local before = _G.count.instructions
    draw(self)
    _G.count.redraws = (_G.count.redraws or 0) + 1
    _G.count.most_work = math.max(_G.count.most_work, _G.count.instructions - before)
  end
]]

---Begins to count in a child that has a session, from 0.
---@param vi Child
function M.start(vi)
  vi:lua(COUNT)
end

---@class (exact) Counts
---@field deltas integer
---@field most_lines integer Of the engine's, handled in one round of the loop.
---@field redraws integer
---@field written integer Lines of the transcript.
---@field requests integer
---@field instructions integer
---@field most_work integer Instructions for one slice of the engine's lines, or for one drawing.
---@field early { instructions: integer, bytes: integer } From the 1,000th delta to the 2,000th.
---@field late { instructions: integer, bytes: integer } Of the last 1,000 deltas.

---What was counted until now.
---@param vi Child
---@return Counts
function M.seen(vi)
  local count = vi:lua([[
    debug.sethook()
    collectgarbage("restart")
    local count = vim.deepcopy(_G.count)
    count.at = nil
    count.instructions, count.most_work = count.instructions * 100, count.most_work * 100
    count.redraws = count.redraws or 0
    local at, last = _G.count.at, math.floor(_G.count.deltas / 1000)
    local function part(from, to)
      return { instructions = to.instructions - from.instructions, bytes = math.floor(to.bytes - from.bytes) }
    end
    if at[1] and at[2] then count.early = part(at[1], at[2]) end
    if at[last - 1] and at[last] then count.late = part(at[last - 1], at[last]) end
    return count
  ]])
  return count
end

---@param count Counts
---@return string
function M.words(count)
  local words =
    "%d redraws, %d lines written, %d lines in a round at most, %d requests, %d instructions, %d in a round at most"
  return words:format(
    count.redraws,
    count.written,
    count.most_lines,
    count.requests,
    count.instructions,
    count.most_work
  )
end

return M
