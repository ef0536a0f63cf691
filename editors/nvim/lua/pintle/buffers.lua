-- Buffers of files that were changed on disk: reloaded where nothing can be lost, left alone and told of where
-- there are unsaved changes.

local log = require("pintle.log")
local paths = require("pintle.paths")

local M = {}

local GROUP_OF_FILLED = vim.api.nvim_create_augroup("pintle_filled", { clear = true })

---@type table<integer, string> buffers with unsaved changes whose file was changed, and the file
local conflicts = {}

---A path without symbolic links, in its plain spelling.
---@param path string
---@return string
function M.real(path)
  return paths.plain(vim.uv.fs_realpath(path) or vim.fs.normalize(path))
end

---Names a buffer of the plugin after what it shows and the project, as status lines show it: `pintle://chat/project`. Of several
---alike, the others have a number.
---@param buf integer
---@param kind string
---@param root string The workspace.
function M.name(buf, kind, root)
  local name, number = ("pintle://%s/%s"):format(kind, vim.fs.basename(root)), 1
  local wanted = name
  while not pcall(vim.api.nvim_buf_set_name, buf, wanted) do
    number = number + 1
    wanted = ("%s/%d"):format(name, number)
  end
end

---Fills a buffer that no file is behind, now and each time that the editor reads it anew, as at `:edit`, which empties it. Of one
---that was deleted the editor has forgotten the options, variables and maps as well.
---@param buf integer
---@param fill fun() Writes the lines, while the buffer can be modified.
function M.filled_by(buf, fill)
  local function read()
    vim.bo[buf].modifiable = true
    -- Marks of the text that is gone stay, below the end.
    vim.api.nvim_buf_clear_namespace(buf, -1, 0, -1)
    fill()
    vim.bo[buf].modified = false
  end
  vim.api.nvim_clear_autocmds({ group = GROUP_OF_FILLED, buffer = buf })
  vim.api.nvim_create_autocmd("BufReadCmd", { group = GROUP_OF_FILLED, buffer = buf, callback = read })
  read()
end

---Whether a buffer has a name of the plugin and nothing of it, as one that a session file brings back.
---@param buf integer
---@return boolean
function M.is_dead(buf)
  return vim.startswith(vim.api.nvim_buf_get_name(buf), "pintle://")
    and #vim.api.nvim_get_autocmds({ group = GROUP_OF_FILLED, buffer = buf }) == 0
end

---A path as buffers are named: relative to the current directory where it lies below it.
---@param path string
---@return string
function M.short(path)
  return vim.fn.fnamemodify(path, ":.")
end

---The file of a buffer, without symbolic links; none where it shows something else.
---@param buf integer
---@return string? path
function M.file_of(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= "" then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(buf)
  return name ~= "" and M.real(name) or nil
end

---@param buf integer
---@param path string
---@return boolean
local function differs_from_disk(buf, path)
  local ok, on_disk = pcall(vim.fn.readfile, path)
  return not ok or not vim.deep_equal(on_disk, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
end

---Reads a buffer's file again if it is newer. The editor's own reload keeps cursor, marks and undo.
---@param buf integer without unsaved changes
local function reload(buf)
  local autoread = vim.bo[buf].autoread
  vim.bo[buf].autoread = true
  vim.cmd(("silent! checktime %d"):format(buf))
  vim.bo[buf].autoread = autoread
end

---@param buf integer
---@param path string
---@return boolean is_conflict The file has another text, and the buffer unsaved changes.
local function refresh(buf, path)
  if not vim.uv.fs_stat(path) then
    if not conflicts[buf] then
      log.warn(("%s was deleted; its buffer is kept"):format(vim.fn.fnamemodify(path, ":.")))
    end
    return false
  end
  if vim.bo[buf].modified then
    if not differs_from_disk(buf, path) then
      return false
    elseif not conflicts[buf] then
      conflicts[buf] = path
      local name = vim.fn.fnamemodify(path, ":.")
      local text = "%s changed on disk and has unsaved changes here; the buffer was kept. :Pintle diff shows both"
      log.warn(text:format(name))
      log.emit("Conflict", { buf = buf, path = path })
    end
    return true
  end
  conflicts[buf] = nil
  reload(buf)
  return false
end

---What a buffer's file looked like when it was last read, written or looked at.
---@type table<integer, string>
local stamps = {}

---@param path string
---@return string?
local function stamp_of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ("%d.%d.%d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size)
end

---@param buf integer
local function note(buf)
  local path = M.file_of(buf)
  stamps[buf] = path and stamp_of(path)
end

---Whether a buffer's file is what was read or written last.
---@param buf integer
---@return boolean
function M.is_as_read(buf)
  local path = M.file_of(buf)
  return path ~= nil and stamp_of(path) == stamps[buf]
end

---Looks after a buffer whose file may be another one by now.
---@param buf integer
---@return string? path The file, if its text has changed under unsaved changes.
function M.check(buf)
  local path = M.file_of(buf)
  local stamp = path and stamp_of(path)
  if path and stamp ~= stamps[buf] then
    local is_conflict = refresh(buf, path)
    stamps[buf] = stamp
    return is_conflict and path or nil
  end
end

---Looks after all buffers whose files are others by now: what was changed may have several names, and a command may have
---changed any file.
---@return string[] paths Files whose text has changed under unsaved changes.
function M.check_all()
  local found = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    found[#found + 1] = M.check(buf)
  end
  return found
end

---Buffers whose unsaved changes stand against a changed file.
---@return { buf: integer, path: string }[]
function M.conflicts()
  local found = {}
  for buf, path in pairs(conflicts) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified then
      found[#found + 1] = { buf = buf, path = path }
    else
      conflicts[buf] = nil
    end
  end
  return found
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufWritePost", "FileChangedShellPost" }, {
  group = vim.api.nvim_create_augroup("pintle_buffers", { clear = true }),
  callback = function(event)
    note(event.buf)
  end,
})
-- What was read before this was loaded may be old already.
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  local path = M.file_of(buf)
  if path and not vim.bo[buf].modified and vim.uv.fs_stat(path) then
    reload(buf)
  end
  note(buf)
end

return M
