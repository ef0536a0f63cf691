-- What is said to the person: a line that never waits for a key, and the whole of it in `:Pintle log`.

local M = {}

local KEPT = 200

---@type string[]
M.lines = {}

---Notes a line without showing it.
---@param text string
function M.note(text)
  M.lines[#M.lines + 1] = text
  if #M.lines > KEPT then
    table.remove(M.lines, 1)
  end
end

---Shows a line, whole or with where the whole stands. Safe to call from anywhere.
---@param text string
---@param level? integer one of `vim.log.levels`
function M.say(text, level)
  M.note(text)
  require("pintle.notice").show(text, level or vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  M.say(text, vim.log.levels.ERROR)
end

---Says what failed and what to do about it.
---@param what string
---@param err pintle.RpcError
function M.failed(what, err)
  M.error(("%s: %s"):format(what, require("pintle.advice").line(err)))
end

---Shows all that was said, the last at the end.
function M.open()
  local buf = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buf, "pintle://log")
  vim.bo[buf].bufhidden = "wipe"
  require("pintle.buffers").filled_by(buf, function()
    local lines = vim.split(table.concat(M.lines, "\n"), "\n", { plain = true })
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].modifiable = false
  end)
  local is_open = require("pintle.sizes").keeping(function()
    vim.cmd("botright split")
    vim.api.nvim_win_set_buf(0, buf)
    vim.wo[0][0].linebreak = true
    vim.api.nvim_win_set_height(0, math.max(3, math.min(vim.api.nvim_buf_line_count(buf), math.floor(vim.o.lines / 3))))
  end)
  if not is_open then
    return vim.api.nvim_buf_delete(buf, { force = true })
  end
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buf), 0 })
end

---Tells autocommands: `User Pintle<name>`, with the facts in `data`.
---@param name string
---@param data? table
function M.emit(name, data)
  vim.api.nvim_exec_autocmds("User", { pattern = "Pintle" .. name, modeline = false, data = data or {} })
end

return M
