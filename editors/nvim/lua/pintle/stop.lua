-- The verbs that stop: a call, a job or a sub-agent, an inline edit, a login, the turn, the session. Each
-- says what it did, and what goes on.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

---@alias pintle.StopScope "turn"|"tool"|"job"|"edit"|"login"|"session"

M.SCOPES = { "edit", "job", "login", "session", "tool", "turn" }

---@return pintle.Workspace? here, pintle.View? view
local function current()
  local here = require("pintle.workspace").find()
  return here, here and here:view()
end

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

---The items of some kinds that run and can be stopped, oldest first.
---@param view pintle.View
---@param kinds table<string, true>
---@return pintle.Item[]
local function running(view, kinds)
  local found = {}
  for _, item in pairs(view.state.items) do
    local is_running = item.status == "running" or item.state == "working"
    if kinds[item.type] and is_running and not item.byProvider then
      found[#found + 1] = item
    end
  end
  table.sort(found, function(a, b)
    return a.id < b.id
  end)
  return found
end

---@param item pintle.Item
---@return string
local function name_of(item)
  return ((item.title or item.task or item.id):gsub("%s*\n.*", " …"))
end

---Stops what an item stands for.
---@param here pintle.Workspace
---@param view pintle.View
---@param item pintle.Item
local function stop_item(here, view, item)
  local id, name = view.state.id, name_of(item)
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

---The item under the cursor of a transcript.
---@param view pintle.View
---@return pintle.Item?
local function at_cursor(view)
  local chat = require("pintle.chat").of(vim.api.nvim_get_current_buf())
  local block = chat and chat == view.chat and chat.blocks:at(vim.fn.line("."))
  return block and view.state.items[block.key] or nil
end

---Stops one of what runs: what the cursor is on in the transcript, else the only one, else one that a person picks.
---@param kinds table<string, true>
---@param nothing string
local function stop_one(kinds, nothing)
  local here, view = current()
  local list = view and running(view, kinds) or {}
  if not here or not view or #list == 0 then
    return log.say(nothing)
  end
  local under = at_cursor(view)
  if under and vim.list_contains(list, under) then
    return stop_item(here, view, under)
  end
  local only = list[1]
  if only and #list == 1 then
    return stop_item(here, view, only)
  end
  require("pintle.picker").select(
    list,
    { prompt = "Stop which?", kind = "pintle_stop", format_item = name_of },
    function(item)
      stop_item(here, view, item)
    end
  )
end

---@type table<pintle.StopScope, fun()>
local scopes = {
  turn = function()
    local here, view = current()
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
    local here, view = current()
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
  local here, view = current()
  local item = view and at_cursor(view)
  local kinds = { toolCall = true, job = true, subagent = true }
  if here and view and item and vim.list_contains(running(view, kinds), item) then
    return stop_item(here, view, item)
  elseif item and item.type == "toolCall" and item.status == "pending" then
    return log.say("this call has not started; :Pintle stop stops the turn")
  end
  M.stop("turn")
end

return M
