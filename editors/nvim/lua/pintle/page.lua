-- Pages of text that the user reads: one buffer for each subject, in a split.

local buffers = require("pintle.buffers")

local M = {}

---@type table<string, integer> buffers by subject
local pages = {}

---Splits the current window, or the transcript if that is the prompt, which is small.
local function split()
  for _, win in ipairs(vim.w.pintle_role == "prompt" and vim.api.nvim_tabpage_list_wins(0) or {}) do
    if vim.w[win].pintle_role == "chat" and vim.api.nvim_win_get_config(win).relative == "" then
      vim.api.nvim_open_win(vim.api.nvim_win_get_buf(win), true, { split = "below", win = win })
      return
    end
  end
  vim.cmd("split")
end

---Moves the focus to a buffer: to its window in this tab, or to a new one.
---@param buf integer
function M.place(buf)
  local win = vim.fn.bufwinid(buf)
  if win >= 0 then
    return vim.api.nvim_set_current_win(win)
  end
  require("pintle.sizes").keeping(function()
    split()
    vim.wo.winfixbuf = false
    vim.api.nvim_win_set_buf(0, buf)
  end)
end

---Shows a page, and moves the focus to it.
---@param subject string
---@param kind string The first part of the buffer's name.
---@param detail string The last part: a workspace or a topic.
---@param lines string[]
function M.show(subject, kind, detail, lines)
  local buf = pages[subject]
  if not buf or not vim.api.nvim_buf_is_valid(buf) then
    buf = vim.api.nvim_create_buf(false, true)
    buffers.name(buf, kind, detail)
    pages[subject] = buf
  end
  buffers.filled_by(buf, function()
    vim.bo[buf].modifiable = true
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].modifiable = "nofile", false, false
    require("pintle.looks").dress(buf, "pintle-text")
  end)
  M.place(buf)
  vim.wo[0][0].linebreak = true
end

return M
