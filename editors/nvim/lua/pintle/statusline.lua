-- A part for a status line: `%{%v:lua.require'pintle.statusline'.get()%}`. It starts nothing.

local M = {}

---@return string
function M.get()
  local status = require("pintle").status()
  if status.engine == "stopped" then
    return ""
  end
  local parts = {}
  if status.engine ~= "ready" then
    parts[1] = "engine " .. status.engine
  else
    parts[1] = status.state or "ready"
  end
  if status.attention > 0 then
    parts[#parts + 1] = status.attention == 1 and "1 asks" or status.attention .. " ask"
  end
  if status.queued > 0 then
    parts[#parts + 1] = status.queued .. " queued"
  end
  if status.plan then
    parts[#parts + 1] = status.plan
  end
  return "pintle: " .. table.concat(parts, ", ")
end

return M
