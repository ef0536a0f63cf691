-- Whether an engine responds: as long as a request waits or a turn runs, a silent engine is pinged, and the user is told if
-- that has no answer either. An answer that merely takes long, such as a login, is none of its business.

local config = require("pintle.config")
local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

local EVERY_MS = 1000

-- The state of an engine that does not respond, in words.
M.STATE = "not responding"

---@class (exact) pintle.Watch
---@field silent_ms integer How long nothing came; counted in ticks, so that the time of a suspended editor does not count.
---@field private engine pintle.Engine
---@field private handle? pintle.Rpc The connection that is watched.
---@field private lines integer Lines that had come at the last tick.
---@field private ping? integer The ping that waits for its answer.
---@field private is_told boolean
---@field private timer? uv.uv_timer_t
local Watch = {}
Watch.__index = Watch

---@param engine pintle.Engine
---@return pintle.Watch
function M.new(engine)
  return setmetatable({ engine = engine, silent_ms = 0, lines = 0, is_told = false }, Watch)
end

---Watches a connection until nothing is expected of it.
---@param handle pintle.Rpc
function Watch:begin(handle)
  if self.timer and handle == self.handle then
    return
  end
  self:stop()
  local limit = config.get().stall_ms
  if limit == 0 then
    return
  end
  self.handle, self.lines = handle, handle.lines
  local every = math.max(10, math.min(EVERY_MS, math.floor(limit / 4)))
  self.timer = assert(vim.uv.new_timer())
  self.timer:start(
    every,
    every,
    vim.schedule_wrap(function()
      if self.handle == handle and self.timer then
        self:tick(every, limit)
      end
    end)
  )
end

function Watch:stop()
  if self.timer then
    self.timer:stop()
    self.timer:close()
  end
  self.timer, self.handle, self.ping = nil, nil, nil
  self.silent_ms, self.is_told = 0, false
end

---Whether the engine has left a ping without an answer so far.
---@return boolean
function Watch:is_doubtful()
  return self.ping ~= nil
end

---How long the engine has been silent, if that is too long.
---@return integer? ms
function Watch:silence()
  return self.is_told and self.silent_ms or nil
end

---@param every integer
---@param limit integer
function Watch:tick(every, limit)
  local handle = assert(self.handle, "it ticks as long as a connection is watched")
  if not handle:awaits(self.ping) and not self.engine.hooks.is_busy() or handle:has_ended() then
    return self:stop()
  elseif handle.lines ~= self.lines then
    local was_told = self.is_told
    self.lines, self.silent_ms, self.is_told = handle.lines, 0, false
    if was_told then
      log.emit("State", { root = self.engine.root, engine = self.engine.state })
    end
    return
  end
  self.silent_ms = self.silent_ms + every
  if not self.ping and self.silent_ms >= limit / 2 then
    self.ping = handle:request(protocol.method.ping, nil, function()
      self.ping = nil
    end)
  elseif self.ping and self.silent_ms >= limit and not self.is_told then
    self.is_told = true
    local text = "the engine has not responded for %d s; wait, or restart it with `:Pintle restart`"
    log.warn(text:format(math.floor(self.silent_ms / 1000)))
    log.emit("State", { root = self.engine.root, engine = M.STATE })
  end
  if self.is_told then
    vim.cmd.redrawstatus({ bang = true })
  end
end

return M
