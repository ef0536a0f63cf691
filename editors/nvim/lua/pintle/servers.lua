-- `:Pintle servers`: the session's servers of the Model Context Protocol, their state and tools, a switch for each, and logins.

local log = require("pintle.log")
local login = require("pintle.login")
local protocol = require("pintle.protocol")

local M = {}

---A line about a server.
---@param server pintle.McpServerState
---@return string
function M.line(server)
  local about = server.message or server.target
  if server.status == "ready" then
    about = ("%d tools, %s"):format(#(server.tools or {}), server.about or "")
  end
  return ("%s  %s  %s"):format(server.name, server.status, about)
end

---@class (exact) pintle.ServerAction
---@field verb string What the person reads.
---@field method string
---@field params table
---@field said fun(result: table): string What is said when it is done.

---What switches a server, or starts it again.
---@param server pintle.McpServerState
---@return pintle.ServerAction
local function change(server)
  local verb, said, params = "Disable it for this session", "is disabled", { server = server.name, enabled = false }
  if server.status == "off" then
    verb, said, params = "Enable it", "is enabled", { server = server.name, enabled = true }
  elseif server.status == "failed" then
    verb, said, params = "Restart it", "is restarting", { server = server.name, restart = true }
  end
  return {
    verb = verb,
    method = protocol.method.mcp_update,
    params = params,
    said = function()
      return ("the MCP server %s %s"):format(server.name, said)
    end,
  }
end

---What can be done with a server, the likeliest first.
---@param server pintle.McpServerState
---@return pintle.ServerAction[]
function M.actions(server)
  if not server.login then
    return { change(server) }
  end
  ---@type pintle.ServerAction
  local log_in = {
    verb = "Log in, in the browser",
    method = protocol.method.mcp_login,
    params = { server = server.name },
    said = function()
      return ("you are logged in to the MCP server %s"):format(server.name)
    end,
  }
  if server.login == "wanted" then
    return { log_in, change(server) }
  end
  ---@type pintle.ServerAction
  local log_out = {
    verb = "Log out",
    method = protocol.method.mcp_logout,
    params = { server = server.name },
    said = function(result)
      local was = result.removed and "you are logged out of" or "you were not logged in to"
      return ("%s the MCP server %s"):format(was, server.name)
    end,
  }
  return { change(server), log_in, log_out }
end

---Begins a login, which can be cancelled until the person has finished it.
---@param ask fun(method: string, params: table, done: fun(result: table), failed?: fun(err: pintle.RpcError): boolean?): fun()
---@param action pintle.ServerAction
local function log_in(ask, action)
  local name = action.params.server
  local cancel = ask(action.method, action.params, function(result)
    login.ended(name)
    log.say(action.said(result))
  end, function(err)
    login.ended(name)
    if err.code == protocol.code.cancelled then
      log.say(("the login to the MCP server %s was cancelled"):format(name))
      return true
    end
  end)
  login.begun(name, cancel)
end

---Shows the tools of a server, and what can be done with it.
---@param ask fun(method: string, params: table, done: fun(result: table), failed?: fun(err: pintle.RpcError): boolean?): fun()
---@param server pintle.McpServerState
local function open(ask, server)
  local actions = M.actions(server)
  local choices = vim.tbl_map(function(action)
    return action.verb
  end, actions)
  for _, tool in ipairs(server.tools or {}) do
    choices[#choices + 1] = ("tool %s: %s"):format(tool.name, vim.split(tool.description, "\n")[1])
  end
  for _, problem in ipairs(server.problems or {}) do
    choices[#choices + 1] = "problem: " .. problem
  end
  for _, line in ipairs(server.stderr or {}) do
    choices[#choices + 1] = "stderr: " .. line
  end
  require("pintle.picker").select(choices, { prompt = M.line(server) }, function(_, index)
    local action = actions[index]
    if action and action.method == protocol.method.mcp_login then
      log_in(ask, action)
    elseif action then
      ask(action.method, action.params, function(result)
        log.say(action.said(result))
      end)
    end
  end)
end

---Lists the servers and opens the one that is chosen.
function M.open()
  local here, view = require("pintle.sessions").current()
  if not here or not view then
    return
  end
  local function ask(method, params, done, failed)
    params.sessionId = view.state.id
    return here.engine:request(method, params, function(err, result)
      if err and failed and failed(err) then
        return
      elseif err or not result then
        return log.failed("cannot list the MCP servers", err or { code = 0, message = "an empty answer" })
      end
      done(result)
    end)
  end
  ask(protocol.method.mcp_list, {}, function(result)
    if #result.servers == 0 then
      return log.say("the session has no MCP servers; see :Pintle help servers to add some")
    end
    require("pintle.picker").select(result.servers, { prompt = "MCP servers", format_item = M.line }, function(server)
      open(ask, server)
    end)
  end)
end

return M
