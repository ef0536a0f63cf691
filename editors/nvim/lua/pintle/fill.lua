-- `:Pintle context`: what fills the model's context window.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

---The page about a context. Pure.
---@param context pintle.ContextReadResult
---@return string[]
function M.lines(context)
  local tokens, window = context.usage.tokens, context.usage.window
  local share = window and (" of %d tokens, %d %%"):format(window, math.floor(tokens * 100 / window)) or " tokens"
  local lines = { "# Context", "", ("About %d%s."):format(tokens, share), "" }
  for _, source in ipairs(context.sources) do
    lines[#lines + 1] = ("%9d  %s (%d)"):format(source.tokens, source.source, source.count)
  end
  vim.list_extend(lines, { "", "`:Pintle compact` summarizes the conversation." })
  return lines
end

---Shows the context of this tab's session.
function M.open()
  local here, view = require("pintle.sessions").current()
  if not here or not view then
    return
  end
  here.engine:request(protocol.method.context_read, { sessionId = view.state.id }, function(err, result)
    if err or not result then
      return log.failed("cannot read the context", err or { code = 0, message = "an empty answer" })
    end
    require("pintle.page").show("context " .. view.state.id, "context", here.root, M.lines(result))
  end)
end

return M
