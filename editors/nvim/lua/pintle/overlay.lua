-- Open hunks in the buffers of their files: added and changed lines in colour, deleted ones as virtual lines, a sign, comments.
-- It draws what it is told; whether a decision is due is none of its business.

local hunks = require("pintle.hunks")
local words = require("pintle.words")

local M = {}

-- Above the lines' own colour.
local WORD_PRIORITY = 4097

-- More deleted lines than this are only counted: a screen is not made for them.
local DELETED_LINES_MAX = 200

-- The marks that are the hunks, and the rest of what is drawn for them.
local HUNKS = vim.api.nvim_create_namespace("pintle.hunks")
local LINES = vim.api.nvim_create_namespace("pintle.lines")

for name, link in pairs({
  PintleAdded = "DiffAdd",
  PintleChanged = "DiffChange",
  PintleDeleted = "DiffDelete",
  PintleAddedSign = "Added",
  PintleChangedSign = "Changed",
  PintleDeletedSign = "Removed",
  PintleChangedWord = "DiffText",
  PintleDeletedWord = "DiffText",
  PintleComment = "DiagnosticInfo",
}) do
  vim.api.nvim_set_hl(0, name, { link = link, default = true })
end

---@type table<integer, table<integer, pintle.Place>> places by buffer and mark
local marks = {}

---@type table<integer, true> buffers whose deleted lines are not drawn, since a window compares them with another text
local bare = {}

---@type table<integer, integer> by buffer: how many lines stand above the first one
local above = {}

---Takes away rows above the first line that show nothing any more: the editor keeps them until it scrolls.
---@param win integer
---@param count integer how many lines are left there
local function hide(win, count)
  vim.api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    if view.topline == 1 and view.topfill > count then
      vim.fn.winrestview({ topfill = count })
    end
  end)
end

---Shows the lines above the first one in a window: the editor scrolls to it and no further.
---@param win integer
---@param count integer
local function reveal(win, count)
  vim.api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    local room = vim.api.nvim_win_get_height(win) - 1
    if view.topline == 1 and view.topfill < math.min(count, room) then
      vim.fn.winrestview({ topfill = math.min(count, room) })
    end
  end)
end

---@param text string
---@param tabstop integer
---@param column integer where it begins
---@return string expanded, integer column where it ends
local function expanded(text, tabstop, column)
  -- Virtual lines do not know tab stops.
  local out = {}
  for piece, tab in text:gmatch("([^\t]*)(\t?)") do
    column = column + vim.fn.strdisplaywidth(piece)
    out[#out + 1] = piece
    if tab ~= "" then
      local width = tabstop - column % tabstop
      out[#out + 1] = (" "):rep(width)
      column = column + width
    end
  end
  return table.concat(out), column
end

---A deleted line in pieces: the words that are others now stand out.
---@param text string
---@param ranges pintle.WordRange[] of this line, in order
---@param tabstop integer
---@return [string, string][]
local function pieces(text, ranges, tabstop)
  -- A sign that is read without colours.
  local found, at, column = { { "- ", "PintleDeleted" } }, 0, 0
  local function add(upto, group)
    if upto > at then
      local piece
      piece, column = expanded(text:sub(at + 1, upto), tabstop, column)
      found[#found + 1] = { piece, group }
      at = upto
    end
  end
  for _, range in ipairs(ranges) do
    add(range.first, "PintleDeleted")
    add(range.last, "PintleDeletedWord")
  end
  add(#text, "PintleDeleted")
  return found
end

---@param buf integer
---@param old string[] The lines.
---@param ranges pintle.WordRange[]
---@return table[] lines
local function deleted(buf, old, ranges)
  local lines = {}
  for at, text in ipairs(old) do
    if at > DELETED_LINES_MAX then
      local rest = ("… %d more lines; :Pintle diff shows all"):format(#old - DELETED_LINES_MAX)
      lines[#lines + 1] = { { rest, "PintleDeleted" } }
      break
    end
    local own = vim.tbl_filter(function(range)
      return range.line == at
    end, ranges)
    lines[#lines + 1] = pieces(text, own, vim.bo[buf].tabstop)
  end
  return lines
end

---@param hunk pintle.Hunk
---@return table[] lines
local function comments(hunk)
  local lines = {}
  if hunk.waiting then
    lines[1] = { { "» decided: waits for the running call to end", "PintleComment" } }
  end
  for _, comment in ipairs(hunk.comments or {}) do
    for _, text in ipairs(vim.split(comment.text, "\n", { plain = true })) do
      lines[#lines + 1] = { { "» " .. text, "PintleComment" } }
    end
  end
  return lines
end

---@param buf integer
---@param place pintle.Place
local function draw(buf, place)
  local hunk, row, count = place.hunk, place.row, place.count
  local line_count = vim.api.nvim_buf_line_count(buf)
  local is_below = row >= line_count -- deleted lines behind the last one
  local anchor = is_below and line_count - 1 or row
  local group = count == 0 and "PintleDeleted" or hunk.before.count > 0 and "PintleChanged" or "PintleAdded"
  local options = { end_row = anchor + count, end_col = 0, strict = false, undo_restore = false }
  if count > 0 then
    options.hl_group, options.hl_eol, options.invalidate = group, true, true
  end
  marks[buf][vim.api.nvim_buf_set_extmark(buf, HUNKS, anchor, 0, options)] = place
  for line = anchor, anchor + math.max(count, 1) - 1 do
    local sign = { sign_text = count == 0 and "▁" or "┃", sign_hl_group = group .. "Sign" }
    sign.invalidate, sign.undo_restore = true, false
    vim.api.nvim_buf_set_extmark(buf, LINES, line, 0, sign)
  end
  local old = hunks.lines(hunk.oldText, true)
  local now = vim.api.nvim_buf_get_lines(buf, anchor, anchor + count, false)
  local old_words, new_words = words.changed(old, now)
  for _, range in ipairs(new_words) do
    vim.api.nvim_buf_set_extmark(buf, LINES, anchor + range.line - 1, range.first, {
      end_col = range.last,
      hl_group = "PintleChangedWord",
      priority = WORD_PRIORITY,
      invalidate = true,
      undo_restore = false,
    })
  end
  old = bare[buf] and {} or deleted(buf, old, old_words)
  if #old > 0 then
    vim.api.nvim_buf_set_extmark(buf, LINES, anchor, 0, {
      virt_lines = old,
      virt_lines_above = not is_below,
      invalidate = true,
      undo_restore = false,
    })
    above[buf] = anchor == 0 and not is_below and #old or above[buf]
  end
  local said = comments(hunk)
  if #said > 0 then
    local last = anchor + math.max(count, 1) - 1
    vim.api.nvim_buf_set_extmark(buf, LINES, last, 0, { virt_lines = said, invalidate = true, undo_restore = false })
  end
end

---Shows these hunks in a buffer, and no others.
---@param buf integer
---@param places pintle.Place[]
function M.show(buf, places)
  if marks[buf] then
    vim.api.nvim_buf_clear_namespace(buf, HUNKS, 0, -1)
    vim.api.nvim_buf_clear_namespace(buf, LINES, 0, -1)
  end
  marks[buf] = #places > 0 and {} or nil
  local is_compared = vim.iter(#places > 0 and vim.fn.win_findbuf(buf) or {}):any(function(win)
    return vim.wo[win].diff
  end)
  bare[buf] = is_compared or nil
  local was_above = above[buf]
  above[buf] = nil
  for _, place in ipairs(places) do
    draw(buf, place)
  end
  if above[buf] == was_above then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if above[buf] and above[buf] > (was_above or 0) then
      reveal(win, above[buf])
    elseif not vim.wo[win].diff then
      hide(win, above[buf] or 0)
    end
  end
end

-- Who comes back to the first line sees what stands above it; who scrolls on from there is left alone.
vim.api.nvim_create_autocmd("WinScrolled", {
  group = vim.api.nvim_create_augroup("pintle_overlay", { clear = true }),
  callback = function()
    for id, by in pairs(vim.v.event) do
      local win = vim.fn.str2nr(id)
      local count = win > 0 and vim.api.nvim_win_is_valid(win) and above[vim.api.nvim_win_get_buf(win)]
      if count and vim.api.nvim_win_call(win, vim.fn.winsaveview).topline == 1 and by.topline < 0 then
        reveal(win, count)
      end
    end
  end,
})

---Forgets a buffer that is gone.
---@param buf integer
function M.forget(buf)
  marks[buf], bare[buf], above[buf] = nil, nil, nil
end

---Whether something is left out because windows compare texts.
---@return boolean
function M.is_bare()
  return next(bare) ~= nil
end

---The hunks of a buffer as its text stands now, from top to bottom.
---@param buf integer 0 for the current one
---@return pintle.Place[]
function M.places(buf)
  buf = buf == 0 and vim.api.nvim_get_current_buf() or buf
  local found = {}
  for _, mark in ipairs(marks[buf] and vim.api.nvim_buf_get_extmarks(buf, HUNKS, 0, -1, { details = true }) or {}) do
    local id, row, details = mark[1], mark[2], mark[4]
    local place = marks[buf][id]
    if place and details and not details.invalid then
      local is_below = place.count == 0 and place.row > row
      local count = place.count == 0 and 0 or (details.end_row or row) - row
      found[#found + 1] = { hunk = place.hunk, row = is_below and row + 1 or row, count = count }
    end
  end
  return found
end

---The hunk at a line, of the deleted ones those right above it, or below it.
---@param buf integer
---@param line integer from 1
---@return pintle.Place?
function M.at(buf, line)
  local near
  for _, place in ipairs(M.places(buf)) do
    if line > place.row and line <= place.row + place.count then
      return place
    elseif place.count == 0 and (line == place.row + 1 or line == place.row) then
      near = near or place
    end
  end
  return near
end

return M
