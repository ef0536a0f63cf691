-- What is said to the person, and the last of it for `:checkhealth pintle`.

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

---Shows a line. Safe to call from anywhere.
---@param text string
---@param level? integer one of `vim.log.levels`
function M.say(text, level)
  M.note(text)
  local function show()
    vim.notify("pintle: " .. text, level or vim.log.levels.INFO, { title = "pintle" })
  end
  if vim.in_fast_event() then
    vim.schedule(show)
  else
    show()
  end
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
  local hint = type(err.data) == "table" and err.data.hint
  M.error(("%s: %s%s"):format(what, err.message, hint and ("; " .. hint) or ""))
end

---Tells autocommands: `User Pintle<name>`, with the facts in `data`.
---@param name string
---@param data? table
function M.emit(name, data)
  vim.api.nvim_exec_autocmds("User", { pattern = "Pintle" .. name, modeline = false, data = data or {} })
end

return M
