-- The last messages of a session as Markdown, for previews in lists of sessions. Reads them without opening the session.

local input = require("pintle.input")
local protocol = require("pintle.protocol")

local M = {}

-- Enough to fill a preview.
local ITEMS = 30

-- Longer messages are cut at the start, since the end is more recent.
local LINES_MAX = 60

---@param text string
---@return string[]
local function ending(text)
  local lines = vim.split(vim.trim(text), "\n", { plain = true })
  if #lines > LINES_MAX then
    lines = vim.list_slice(lines, #lines - LINES_MAX + 1)
    table.insert(lines, 1, "…")
  end
  return lines
end

---Messages, and tool calls as a line each. Pure.
---@param items pintle.Item[]
---@return string[]
function M.lines(items)
  local lines = {} ---@type string[]
  local last ---@type string?
  for _, item in ipairs(items) do
    local more = {} ---@type string[]
    if item.type == "userMessage" then
      more = vim.list_extend({ "## You", "" }, ending(input.shown(item.content)))
    elseif item.type == "agentMessage" and item.text ~= "" then
      more = vim.list_extend({ "## pintle", "" }, ending(item.text))
    elseif item.type == "toolCall" then
      more = { "- " .. (item.title or ""):gsub("%s*\n.*", " …") }
    end
    if #more > 0 then
      -- Calls in a row are one list.
      if last and (last ~= "toolCall" or item.type ~= last) then
        lines[#lines + 1] = ""
      end
      vim.list_extend(lines, more)
      last = item.type
    end
  end
  return #lines > 0 and lines or { "(no messages)" }
end

---Makes a preview of sessions, which reads each session once.
---@param workspace pintle.Workspace
---@param id_of fun(item: any): pintle.SessionId? The session of a line; nil for other lines.
---@return fun(item: any, show: fun(lines: string[])) preview
function M.previewer(workspace, id_of)
  local known = {} ---@type table<pintle.SessionId, string[]>
  return function(item, show)
    local id = id_of(item)
    if not id or known[id] then
      return show(id and known[id] or {})
    end
    local params = { sessionId = id, limit = ITEMS }
    workspace.engine:request(protocol.method.session_items, params, function(err, result)
      if err or not result then
        return show({ "(no preview: " .. (err and err.message or "an empty answer") .. ")" })
      end
      known[id] = M.lines(vim.tbl_map(function(each)
        return each.item
      end, result.items))
      show(known[id])
    end)
  end
end

return M
