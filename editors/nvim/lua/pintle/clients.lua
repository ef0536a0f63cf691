-- The clients of a session, as events name them (`cause.clientId`): this Neovim, others, other editors.

local M = {}

-- The name of this plugin, with which the ids of its clients begin.
M.NAME = "pintle.nvim"

-- The id of this Neovim.
M.OWN = ("%s-%d-%x"):format(M.NAME, vim.fn.getpid(), vim.uv.hrtime())

-- Characters of an id that are shown.
local MOST_SHOWN = 40

-- Beginnings of ids that people know by other names.
local known = { [M.NAME] = "another Neovim", ["pintle-vscode"] = "VS Code" }

---The name of another client; nil for this one.
---@param id? string
---@return string?
function M.name_of_other(id)
  if not id or id == "" or id == M.OWN then
    return nil
  end
  for start, name in pairs(known) do
    if vim.startswith(id, start) then
      return name
    end
  end
  if vim.fn.strchars(id) > MOST_SHOWN then
    return vim.fn.strcharpart(id, 0, MOST_SHOWN) .. "…"
  end
  return id
end

return M
