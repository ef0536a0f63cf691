-- `:Pintle servers`: the session's servers of the Model Context Protocol, their state and tools, and a switch for each.

local log = require("pintle.log")
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

---What choosing a server does to it.
---@param server pintle.McpServerState
---@return { verb: string, said: string, update: { server: string, enabled?: boolean, restart?: boolean } }
local function change(server)
  local name = server.name
  if server.status == "off" then
    return { verb = "Switch it on", said = "is on", update = { server = name, enabled = true } }
  elseif server.status == "failed" then
    return { verb = "Start it again", said = "is started again", update = { server = name, restart = true } }
  end
  return { verb = "Switch it off for this session", said = "is off", update = { server = name, enabled = false } }
end

---Shows the tools of a server, and what can be done with it.
---@param ask fun(method: string, params: table, done: fun(result: table))
---@param server pintle.McpServerState
local function open(ask, server)
  local what = change(server)
  local choices = { what.verb }
  for _, tool in ipairs(server.tools or {}) do
    choices[#choices + 1] = ("tool %s: %s"):format(tool.name, vim.split(tool.description, "\n")[1])
  end
  for _, line in ipairs(server.stderr or {}) do
    choices[#choices + 1] = "stderr: " .. line
  end
  vim.ui.select(choices, { prompt = M.line(server) }, function(_, index)
    if index == 1 then
      ask(protocol.method.mcp_update, what.update, function()
        log.say(("the MCP server %s %s"):format(server.name, what.said))
      end)
    end
  end)
end

---Lists the servers and opens the one that is chosen.
function M.open()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  if not here or not view then
    return log.say("there is no session; :Pintle sessions opens one")
  end
  local function ask(method, params, done)
    params.sessionId = view.state.id
    here.engine:request(method, params, function(err, result)
      if err or not result then
        return log.failed("the MCP servers cannot be asked", err or { code = 0, message = "an empty answer" })
      end
      done(result)
    end)
  end
  ask(protocol.method.mcp_list, {}, function(result)
    if #result.servers == 0 then
      return log.say("the session has no MCP servers; :Pintle help servers says where they come from")
    end
    vim.ui.select(result.servers, { prompt = "MCP servers", format_item = M.line }, function(server)
      if server then
        open(ask, server)
      end
    end)
  end)
end

return M
