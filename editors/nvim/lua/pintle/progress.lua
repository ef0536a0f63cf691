-- Marks for the lines of inline edits, with a virtual line for their progress.

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("pintle.inline")

for name, link in pairs({ PintleEdit = "DiagnosticInfo", PintleEditLines = "CursorLine" }) do
  vim.api.nvim_set_hl(0, name, { link = link, default = true })
end

---@class (exact) pintle.MarkedLines
---@field buf integer
---@field first integer The lines, as they were drawn last; from 1.
---@field last integer
---@field mark? integer The mark of the lines, if they are drawn.
---@field line? integer The mark of the virtual line.

---Updates the lines from their mark.
---@param lines pintle.MarkedLines
function M.follow(lines)
  if not lines.mark or not vim.api.nvim_buf_is_loaded(lines.buf) then
    return
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(lines.buf, NAMESPACE, lines.mark, { details = true })
  local row, details = at[1], at[3]
  if row and details then
    lines.first = row + 1
    lines.last = math.max(lines.first, details.end_row or 0)
  end
end

---@param lines pintle.MarkedLines
local function delete_marks(lines)
  if vim.api.nvim_buf_is_loaded(lines.buf) then
    if lines.mark then
      vim.api.nvim_buf_del_extmark(lines.buf, NAMESPACE, lines.mark)
    end
    if lines.line then
      vim.api.nvim_buf_del_extmark(lines.buf, NAMESPACE, lines.line)
    end
  end
  lines.mark, lines.line = nil, nil
end

---Removes the marks, and keeps the position of the lines.
---@param lines pintle.MarkedLines
function M.erase(lines)
  M.follow(lines)
  delete_marks(lines)
end

---Moves the lines to a buffer that has read their file, to where they were drawn last: marks that survive a reload have moved.
---@param lines pintle.MarkedLines
---@param buf integer
function M.move(lines, buf)
  delete_marks(lines)
  lines.buf = buf
end

---Whether a virtual line above a line is visible: the editor shows none above the first line of a buffer or a window.
---@param buf integer
---@param line integer from 1
---@return boolean
local function has_room_above(buf, line)
  return line > 1
    and vim.iter(vim.fn.win_findbuf(buf)):all(function(win)
      return vim.fn.line("w0", win) ~= line
    end)
end

---Draws the lines, with a text above them, or below if there is no room.
---@param lines pintle.MarkedLines
---@param text? string
function M.draw(lines, text)
  M.erase(lines)
  local buf = lines.buf
  if not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local count = vim.api.nvim_buf_line_count(buf)
  lines.first = math.min(lines.first, count)
  lines.last = math.min(math.max(lines.first, lines.last), count)
  lines.mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, lines.first - 1, 0, {
    end_row = lines.last,
    end_col = 0,
    strict = false,
    end_right_gravity = false,
    hl_group = "PintleEditLines",
    hl_eol = true,
    undo_restore = false,
  })
  if not text then
    return
  end
  local is_above = has_room_above(buf, lines.first)
  lines.line = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, (is_above and lines.first or lines.last) - 1, 0, {
    virt_lines = { { { text, "PintleEdit" } } },
    virt_lines_above = is_above,
    undo_restore = false,
  })
end

return M
