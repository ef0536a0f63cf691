-- The list of stored sessions, to go on with one of them.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

---@param summary pintle.SessionSummary
---@return string
function M.label(summary)
  local title = (summary.title or "(no prompt yet)"):gsub("%s*\n.*", " …")
  return ("%s  %s"):format(os.date("%Y-%m-%d %H:%M", math.floor(summary.updatedMs / 1000)), title)
end

---@param workspace pintle.Workspace
function M.pick(workspace)
  workspace.engine:request(protocol.method.session_list, { cwd = workspace.root }, function(err, result)
    if err or not result then
      return log.failed("no list of sessions", err or { code = 0, message = "an empty answer" })
    end
    local choices = { { label = "New session" } }
    for _, summary in ipairs(result.sessions) do
      choices[#choices + 1] = { label = M.label(summary), id = summary.sessionId }
    end
    vim.ui.select(choices, {
      prompt = "Which session?",
      kind = "pintle_session",
      format_item = function(choice)
        return choice.label
      end,
    }, function(choice)
      if not choice then
        return
      elseif not choice.id then
        return require("pintle").new()
      end
      local layout = require("pintle.layout")
      layout.open(workspace)
      workspace:open(choice.id, function(view)
        layout.show(workspace, view.chat)
      end)
    end)
  end)
end

return M
