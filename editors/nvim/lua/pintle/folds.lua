-- The folds of a transcript's windows. They are made by hand: those of 'foldexpr' stand still while somebody is in Insert mode,
-- and are closed or opened by what is written into them.

local M = {}

---Whether a fold of a window covers exactly these lines, as far as the editor tells.
---@param first integer from 1
---@param last integer
---@return boolean
local function fits(first, last)
  if vim.fn.foldlevel(first) == 0 or vim.fn.foldlevel(last) == 0 then
    return false
  end
  local closed = vim.fn.foldclosed(first)
  return closed == -1 or closed == first and vim.fn.foldclosedend(first) == last
end

---Takes away the folds that have one of these lines.
---@param first integer
---@param last integer
local function clear(first, last)
  for line = first, last do
    -- Each round takes one; there are none within others.
    if vim.fn.foldlevel(line) > 0 then
      vim.api.nvim_win_set_cursor(0, { line, 0 })
      vim.cmd("silent! normal! zd")
    end
  end
end

---Whether the fold at a line is open in a window; nil where there is none.
---@param win integer
---@param line integer from 1
---@return boolean?
function M.is_open(win, line)
  return vim.api.nvim_win_call(win, function()
    if vim.fn.foldlevel(line) == 0 then
      return nil
    end
    return vim.fn.foldclosed(line) == -1
  end)
end

---Makes lines one fold of a window.
---@param win integer
---@param first integer from 1
---@param last integer
---@param is_open? boolean default: as 'foldlevel' says
function M.set(win, first, last, is_open)
  vim.api.nvim_win_call(win, function()
    if fits(first, last) then
      return
    end
    local view = vim.fn.winsaveview()
    clear(first, last)
    vim.cmd(("%d,%dfold"):format(first, last))
    if is_open == nil then
      is_open = vim.wo.foldlevel > 0
    end
    if is_open then
      vim.cmd(("%dfoldopen"):format(first))
    end
    vim.fn.winrestview(view)
  end)
end

---Whether one of the folds between two lines is open in the current window.
---@param first integer from 1
---@param last integer
---@return boolean
local function has_open(first, last)
  local line = first
  while line <= last do
    local closed_end = vim.fn.foldclosedend(line)
    if closed_end == -1 and vim.fn.foldlevel(line) > 0 then
      return true
    end
    line = math.max(line, closed_end) + 1
  end
  return false
end

---Makes a fold around others. Its first line is in none of them.
---@param win integer
---@param first integer from 1
---@param last integer
---@param is_open? boolean default: whether one of the others is open
function M.wrap(win, first, last, is_open)
  vim.api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    if is_open == nil then
      is_open = vim.wo.foldlevel > 0 or has_open(first + 1, last)
    end
    vim.cmd(("%d,%dfold"):format(first, last))
    if is_open then
      vim.cmd(("%dfoldopen"):format(first))
    end
    vim.fn.winrestview(view)
  end)
end

---Takes away the fold around others that begins at a line; they stay.
---@param win integer
---@param line integer from 1
---@return boolean? is_open Nil where there was none.
function M.unwrap(win, line)
  return vim.api.nvim_win_call(win, function()
    if vim.fn.foldlevel(line) == 0 then
      return nil
    end
    local view, is_open = vim.fn.winsaveview(), vim.fn.foldclosed(line) == -1
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    vim.cmd("silent! normal! zd")
    vim.fn.winrestview(view)
    return is_open
  end)
end

---Makes folds of a window where there are none yet.
---@param win integer
---@param ranges [integer, integer][] first and last lines, from 1
function M.add(win, ranges)
  vim.api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    for _, range in ipairs(ranges) do
      vim.cmd(("%d,%dfold"):format(range[1], range[2]))
      if vim.wo.foldlevel > 0 then
        vim.cmd(("%dfoldopen"):format(range[1]))
      end
    end
    vim.fn.winrestview(view)
  end)
end

---Makes all folds of a window anew, closed.
---@param win integer
---@param ranges [integer, integer][] first and last lines, from 1
function M.reset(win, ranges)
  vim.api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    vim.cmd("silent! normal! zE")
    for _, range in ipairs(ranges) do
      vim.cmd(("%d,%dfold"):format(range[1], range[2]))
    end
    vim.fn.winrestview(view)
  end)
end

---A line that stands for a closed fold: its first one, with how many are below it, except where these are folds. What is too
---long is cut in the middle, since at the end it says how things are.
---@return string
function M.text()
  local first = vim.api.nvim_buf_get_lines(0, vim.v.foldstart - 1, vim.v.foldstart + 1, false)
  local head = first[1]:gsub("^▾", "▸")
  local is_run = vim.startswith(first[2] or "", "▾")
  local count = is_run and 0 or vim.v.foldend - vim.v.foldstart
  local line = count == 0 and head or ("%s · %d line%s"):format(head, count, count == 1 and "" or "s")
  local win = vim.api.nvim_get_current_win()
  local room = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
  if vim.fn.strdisplaywidth(line) <= room then
    return line
  end
  local tail = math.floor(room * 0.6)
  local chars = vim.fn.strchars(line)
  local from = chars
  while from > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(line, from - 1)) <= tail do
    from = from - 1
  end
  local upto = 0
  while vim.fn.strdisplaywidth(vim.fn.strcharpart(line, 0, upto + 1)) <= room - tail - 1 do
    upto = upto + 1
  end
  return vim.fn.strcharpart(line, 0, upto) .. "…" .. vim.fn.strcharpart(line, from)
end

return M
