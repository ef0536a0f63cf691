-- How long a turn has run, and whether anything comes: once a second as long as one runs, and not at all otherwise.

local config = require("pintle.config")
local log = require("pintle.log")
local session = require("pintle.session")

local M = {}

local EVERY_MS = 1000

---@class (exact) pintle.Beat
---@field since integer When the turn began here, in milliseconds of the loop's clock.
---@field heard integer When something came last.
---@field is_told boolean Whether it was said that nothing comes.

---@type table<string, pintle.Beat> by session
local beats = {}

---@type uv.uv_timer_t?
local timer

---Whether a call, a job or a question explains that nothing comes.
---@param state pintle.Session
---@return boolean
local function is_explained(state)
  if state.state == "blocked" then
    return true
  end
  for _, item in pairs(state.items) do
    if item.type ~= "agentMessage" and item.type ~= "reasoning" and item.status == "running" then
      return true
    end
  end
  return false
end

---How long nothing has come, where that is too long.
---@param state pintle.Session
---@return integer? ms
function M.silence(state)
  local beat = beats[state.id]
  local limit = config.get().stall_ms
  local silent = beat and state.turn and vim.uv.now() - beat.heard or 0
  return limit > 0 and silent >= limit and not is_explained(state) and silent or nil
end

---How long the running turn has run.
---@param state pintle.Session
---@return integer? ms
function M.elapsed(state)
  local beat = beats[state.id]
  return beat and state.turn and vim.uv.now() - beat.since or nil
end

---@param seconds integer
---@param is_edit boolean Whether it is about an inline edit.
---@return string
function M.silence_text(seconds, is_edit)
  local what = is_edit and "no data for an edit for %d s: `:Pintle stop edit` stops it"
    or "no data for %d s: `:Pintle stop` cancels the turn, `:Pintle retry` resends the message"
  return what:format(seconds)
end

local function tick()
  local is_anything = false
  for _, workspace in ipairs(require("pintle.workspace").all()) do
    for _, view in pairs(workspace.views) do
      local beat = beats[view.state.id]
      if beat and session.is_busy(view.state) then
        is_anything = true
        local silent = M.silence(view.state)
        -- An engine that does not respond is reported as such.
        if silent and not beat.is_told and not workspace.engine.watch:is_doubtful() then
          beat.is_told = true
          log.warn(M.silence_text(math.floor(silent / 1000), require("pintle.inline").is_running(view.state.id)))
          log.emit("Stalled", { root = workspace.root, session_id = view.state.id, ms = silent })
        end
      end
    end
  end
  vim.cmd.redrawstatus({ bang = true })
  if not is_anything and timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

---Returns true for an event that only says that nothing comes from the model.
---@param changed pintle.Change[]
---@return boolean
local function is_silence(changed)
  ---@type any
  local only = changed[1]
  return #changed == 1 and only.kind == "notice" and only.notice.code == "modelSilent"
end

---Something came for a session.
---@param state pintle.Session
---@param changed pintle.Change[]
function M.heard(state, changed)
  if not session.is_busy(state) then
    beats[state.id] = nil
    return
  elseif is_silence(changed) then
    return
  end
  local now = vim.uv.now()
  local beat = beats[state.id] or { since = now, heard = now, is_told = false }
  beat.heard, beat.is_told = now, false
  beats[state.id] = beat
  if not timer then
    timer = assert(vim.uv.new_timer())
    local every = math.max(10, math.min(EVERY_MS, config.get().stall_ms > 0 and config.get().stall_ms or EVERY_MS))
    timer:start(every, every, vim.schedule_wrap(tick))
  end
end

return M
