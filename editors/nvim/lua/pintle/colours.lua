-- The colours of diffs in a transcript's cards.

local render = require("pintle.render")

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("pintle_colours")

-- Of a card: more lines would cost more than their colours are worth.
local LINES_MAX = 2000

for name, link in pairs({ PintleDiffAdded = "Added", PintleDiffRemoved = "Removed", PintleDiffPlace = "Changed" }) do
  vim.api.nvim_set_hl(0, name, { link = link, default = true })
end

---The highlight groups of a card's lines, by line from 1. A diff begins with the place of a hunk, and ends with the first line
---that does not belong to it. Pure.
---@param lines string[]
---@return table<integer, string>
function M.groups(lines)
  local groups, is_diff = {}, false
  for number, line in ipairs(lines) do
    local own = vim.startswith(line, render.BODY) and line:sub(#render.BODY + 1) or nil
    if own and own:find("^@@ .* @@") then
      groups[number], is_diff = "PintleDiffPlace", true
    elseif is_diff and own then
      local sign = own:sub(1, 1)
      groups[number] = sign == "+" and "PintleDiffAdded" or sign == "-" and "PintleDiffRemoved" or nil
      is_diff = sign ~= "" and ("+- \\"):find(sign, 1, true) ~= nil
    end
  end
  return groups
end

---Colours the lines of a card that was drawn.
---@param buf integer
---@param first integer from 0
---@param count integer
function M.draw(buf, first, count)
  vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, first, first + count)
  local lines = vim.api.nvim_buf_get_lines(buf, first, first + math.min(count, LINES_MAX), false)
  for number, group in pairs(M.groups(lines)) do
    local row = first + number - 1
    vim.api.nvim_buf_set_extmark(buf, NAMESPACE, row, #render.BODY, {
      end_row = row,
      end_col = #lines[number],
      hl_group = group,
    })
  end
end

return M
