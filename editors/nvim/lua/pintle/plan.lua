-- The model's plan, in a window that follows it.

local log = require("pintle.log")
local questions = require("pintle.question")

local M = {}

---@type table<string, integer> buffers by session
local shown = {}

---@param state pintle.Session
---@return string[]
local function lines_of(state)
  local lines = questions.plan(state.plan)
  local progress = questions.progress(state.plan)
  return vim.list_extend({ "# Plan" .. (progress and progress:gsub("^plan", ", done") or ""), "" }, lines)
end

---Brings a plan that is shown up to date.
---@param state pintle.Session
function M.refresh(state)
  local buf = shown[state.id]
  if not buf or not vim.api.nvim_buf_is_loaded(buf) then
    shown[state.id] = nil
    return
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines_of(state))
  vim.bo[buf].modifiable = false
end

---Shows the plan of the current session.
function M.open()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  local state = view and view.state
  if not here or not state or #questions.plan(state.plan) == 0 then
    return log.say("no plan")
  end
  local buf = shown[state.id]
  local win = buf and vim.api.nvim_buf_is_loaded(buf) and vim.fn.bufwinid(buf) or -1
  if win >= 0 then
    return vim.api.nvim_set_current_win(win)
  end
  buf = vim.api.nvim_create_buf(false, true)
  shown[state.id] = buf
  require("pintle.buffers").name(buf, "plan", here.root)
  vim.b[buf].pintle_root = here.root
  vim.bo[buf].bufhidden = "wipe"
  require("pintle.buffers").filled_by(buf, function()
    require("pintle.looks").dress(buf, "pintle-text")
    M.refresh(state)
  end)
  local is_open = require("pintle.sizes").keeping(function()
    vim.cmd("topleft split")
    vim.wo.winfixbuf = false
    vim.api.nvim_win_set_buf(0, buf)
    vim.api.nvim_win_set_height(0, math.min(vim.api.nvim_buf_line_count(buf), math.floor(vim.o.lines / 3)))
  end)
  if not is_open then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

return M
