-- The verbs that stop: a call, a job or a sub-agent, an inline edit, a login, the turn, the session. Each
-- says what it did, and what goes on.

local log = require("pintle.log")
local protocol = require("pintle.protocol")
local running = require("pintle.running")

local M = {}

---@alias pintle.StopScope "turn"|"tool"|"job"|"edit"|"login"|"session"

M.SCOPES = { "edit", "job", "login", "session", "tool", "turn" }

---@param here pintle.Workspace
---@param method string
---@param params table
---@param said string
local function ask(here, method, params, said)
  here.engine:request(method, params, function(err)
    if err then
      return log.failed("not stopped", err)
    end
    log.say(said)
  end)
end

---Stops what an item stands for.
---@param here pintle.Workspace
---@param view pintle.View
---@param item pintle.Item
local function stop_item(here, view, item)
  local id, name = view.state.id, running.name_of(item)
  if item.type == "toolCall" then
    local params = { sessionId = id, itemId = item.id }
    ask(here, protocol.method.item_cancel, params, ("stopping the call %s; the turn continues"):format(name))
  elseif item.type == "job" then
    local params = { sessionId = id, jobId = item.jobId }
    ask(here, protocol.method.job_stop, params, ("the job %s has ended"):format(item.jobId))
  elseif item.type == "subagent" then
    local params = { sessionId = item.sessionId }
    ask(here, protocol.method.turn_interrupt, params, ("stopping the sub-agent %s"):format(item.agentId))
  end
end

---Stops one of what runs.
---@param kinds table<string, true>
---@param nothing string
local function stop_one(kinds, nothing)
  running.choose(running.is_a(kinds), { prompt = "Stop which?", kind = "pintle_stop", nothing = nothing }, stop_item)
end

---@type table<pintle.StopScope, fun()>
local scopes = {
  turn = function()
    local here, view = running.current()
    local inline = require("pintle.inline")
    if inline.stop_here() then
      return
    elseif not here or not view or not view.state.turn then
      if here and inline.count(here) > 0 then
        return inline.stop()
      end
      return log.say("no turn is running")
    end
    here.engine:request(protocol.method.turn_interrupt, { sessionId = view.state.id }, function(err, result)
      if err or not result then
        return log.failed("not stopped", err or { code = 0, message = "an empty answer" })
      end
      log.say(result.turnId and "stopping the turn" or "no turn is running")
    end)
  end,
  tool = function()
    stop_one({ toolCall = true }, "no call is running")
  end,
  job = function()
    stop_one({ job = true, subagent = true }, "no job or sub-agent is running")
  end,
  edit = function()
    require("pintle.inline").stop()
  end,
  login = function()
    require("pintle.login").cancel()
  end,
  session = function()
    local here, view = running.current()
    if not here or not view then
      return log.say("no session is open")
    end
    require("pintle.sessions").close(here, view.state.id, function()
      log.say("the session was stopped and closed, with its jobs; :Pintle sessions opens it again")
    end)
  end,
}

---Stops something.
---@param scope? pintle.StopScope default: the turn
function M.stop(scope)
  scopes[scope or "turn"]()
end

---Stops what the cursor is on in a transcript, if it runs; else the turn.
function M.here()
  local here, view = running.current()
  local item = view and running.at_cursor(view)
  local kinds = { toolCall = true, job = true, subagent = true }
  if here and view and item and vim.list_contains(running.items(view, running.is_a(kinds)), item) then
    return stop_item(here, view, item)
  elseif item and item.type == "toolCall" and item.status == "pending" then
    return log.say("this call has not started; :Pintle stop stops the turn")
  end
  M.stop("turn")
end

return M
