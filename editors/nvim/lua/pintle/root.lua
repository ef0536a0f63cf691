-- Which workspace a buffer belongs to: its project, wherever the window's directory happens to be.

local paths = require("pintle.paths")

local M = {}

---@type table<string, string> by folder: the root of the repository that it is in
local repositories = {}

---The root of the git repository that a folder is in.
---@param folder string
---@return string?
local function repository(folder)
  local known = repositories[folder]
  if not known then
    local root = vim.fs.root(folder, ".git")
    if root then
      repositories[folder] = root
    end
    return root
  end
  return known
end

---The path of a buffer's file; none where it shows something else.
---@param buf integer
---@return string?
local function file_of(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if name == "" or vim.bo[buf].buftype ~= "" or name:find("^%a[%w+.-]*://") then
    return nil
  end
  return paths.plain(name)
end

---The folder that the editor works in: where it was started, or where `:cd` went since. Directories of windows and tabs, and
---'autochdir', do not count.
---@return string
local function base()
  return paths.plain(vim.g.pintle_folder or vim.fn.getcwd(-1, -1))
end

---The workspace of a buffer.
---
---It is the git repository of the editor's folder if the buffer's file is in it, also in a submodule; else the repository of the
---file; else that of the editor's folder, or where there is none this folder itself.
---@param buf? integer default: the current one
---@return string
function M.of(buf)
  buf = buf or vim.api.nvim_get_current_buf()
  local own = vim.b[buf].pintle_root
  if own then
    return own
  end
  local folder = base()
  local project = repository(folder)
  local file = file_of(buf)
  if not file or project and paths.below(project, file) then
    return project or folder
  end
  return repository(vim.fs.dirname(file)) or project or folder
end

return M
