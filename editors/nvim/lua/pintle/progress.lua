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
---@field shown? string Its text.
---@field place? any[] Its line, and whether it is above that.

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

---The window whose view counts: the current one, or another one that shows the buffer.
---@param buf integer
---@return integer?
local function window_of(buf)
  local current = vim.api.nvim_get_current_win()
  return vim.api.nvim_win_get_buf(current) == buf and current or vim.fn.win_findbuf(buf)[1]
end

---Where the text is in sight: above the first line or below the last one, or below the first line of the window if it shows
---neither. The editor shows no virtual line above the first line of a buffer or a window. Pure.
---@param first integer
---@param last integer
---@param top? integer The first line in the window.
---@param bottom? integer The last one.
---@return integer line
---@return boolean is_above
function M.place(first, last, top, bottom)
  if not top or not bottom or first > bottom or last < top then
    return first > 1 and first or last, first > 1
  elseif first > top then
    return first, true
  elseif last < bottom or last == first then
    return last, false
  end
  return math.min(top + 1, last), top < last
end

---@param lines pintle.MarkedLines
---@return integer line
---@return boolean is_above
local function place_of(lines)
  local win = window_of(lines.buf)
  local top = win and vim.fn.line("w0", win)
  local bottom = win and vim.fn.line("w$", win)
  -- Below the last line of a buffer there is room, unless it is at the bottom of the window.
  if bottom == vim.api.nvim_buf_line_count(lines.buf) then
    bottom = bottom + 1
  end
  return M.place(lines.first, lines.last, top, bottom)
end

---@param lines pintle.MarkedLines
---@param text string
local function draw_text(lines, text)
  local line, is_above = place_of(lines)
  lines.shown, lines.place = text, { line, is_above }
  lines.line = vim.api.nvim_buf_set_extmark(lines.buf, NAMESPACE, line - 1, 0, {
    id = lines.line,
    virt_lines = { { { text, "PintleEdit" } } },
    virt_lines_above = is_above,
    undo_restore = false,
  })
end

---Moves the text to where it is in sight, after a window was scrolled.
---@param lines pintle.MarkedLines
function M.scrolled(lines)
  local text = lines.shown
  if not text or not lines.line or not vim.api.nvim_buf_is_loaded(lines.buf) then
    return
  end
  M.follow(lines)
  if not vim.deep_equal({ place_of(lines) }, lines.place) then
    draw_text(lines, text)
  end
end

---Draws the lines, with a text where it is in sight.
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
  draw_text(lines, text)
end

return M
