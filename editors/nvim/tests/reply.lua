-- The replies of the scripted model.

local M = {}

---A reply that ends the turn.
---@param words string
function M.text(words)
  return { blocks = { { text = words } } }
end

---A reply with one tool call.
---@param tool string
---@param arguments table
function M.call(tool, arguments)
  return { blocks = { { tool = tool, arguments = arguments } } }
end

return M
