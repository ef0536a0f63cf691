-- The Markdown of a transcript's messages: headings without their signs, tables with level columns. The text stays as it is, so
-- what is yanked is what the model wrote.
--
-- Invariant: what streams costs no more than its new lines, and a table once it has ended.

local config = require("pintle.config")
local markdown = require("pintle.markdown")
local renderers = require("pintle.renderers")

local M = {}

local SIGNS = vim.api.nvim_create_namespace("pintle.signs")
local TABLES = vim.api.nvim_create_namespace("pintle.tables")

---The cells that a line may take, in the narrowest window that shows a buffer.
---@param buf integer
---@return number
function M.room(buf)
  local room = math.huge
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    room = math.min(room, vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff)
  end
  return room
end

---Forgets what was drawn for lines that go.
---@param buf integer
---@param from integer from 0
---@param to integer
function M.clear(buf, from, to)
  vim.api.nvim_buf_clear_namespace(buf, SIGNS, from, to)
  vim.api.nvim_buf_clear_namespace(buf, TABLES, from, to)
end

---@param buf integer
---@param row integer from 0
---@param line string
---@param bytes? integer
local function hide(buf, row, line, bytes)
  bytes = bytes or markdown.heading(line)
  if bytes then
    vim.api.nvim_buf_set_extmark(buf, SIGNS, row, 0, { end_col = bytes, conceal = "" })
  end
end

---Draws the headings that stand above a block's own lines.
---@param buf integer
---@param block pintle.Block
function M.lead(buf, block)
  if renderers.of(buf) then
    return
  end
  for number, line in ipairs(block.lead) do
    local row = block.first + number - 1
    vim.api.nvim_buf_clear_namespace(buf, SIGNS, row, row + 1)
    hide(buf, row, line)
  end
end

---Makes the columns of a table level, if it is not too wide then.
---@param buf integer
---@param block pintle.Block
---@param first integer Its first line in the message, from 1.
---@param last integer
---@param room number
local function level(buf, block, first, last, room)
  local row = block.first + #block.lead + first - 1
  local lines = vim.api.nvim_buf_get_lines(buf, row, row + last - first + 1, false)
  vim.api.nvim_buf_clear_namespace(buf, TABLES, row, row + #lines)
  block.tables = block.tables or {}
  block.tables[first] = last
  local width_of = config.get().conceal and markdown.shown_width or vim.fn.strdisplaywidth
  local pads, width = markdown.level(lines, width_of)
  for _, pad in ipairs(width <= room and pads or {}) do
    vim.api.nvim_buf_set_extmark(buf, TABLES, row + pad.line - 1, pad.col, {
      virt_text = { { pad.text, pad.text:find("-", 1, true) and "@punctuation.special.markdown" or nil } },
      virt_text_pos = "inline",
    })
  end
end

---Takes lines of a message up to its last but one; the last one may go on.
---@param buf integer
---@param block pintle.Block
---@param state pintle.MarkdownState
---@param room number
local function take(buf, block, state, room)
  local own = block.first + #block.lead
  local count = block.count - #block.lead
  local from = state.next
  local lines = vim.api.nvim_buf_get_lines(buf, own + from - 1, own + count, false)
  for at = 1, #lines - 1 do
    local heading, finished = markdown.line(state, lines[at])
    if heading and block.hidden ~= from + at - 1 then
      hide(buf, own + from + at - 2, lines[at], heading)
    end
    if finished then
      level(buf, block, finished.first, finished.last, room)
    end
  end
  local last = lines[#lines]
  if last and not state.fence and block.hidden ~= count and markdown.heading(last) then
    hide(buf, own + count - 1, last)
    block.hidden = count
  end
end

---Draws a message whose lines were all written.
---@param buf integer
---@param block pintle.Block
---@param room number
function M.all(buf, block, room)
  M.clear(buf, block.first, block.first + block.count)
  block.markdown, block.tables, block.hidden = nil, nil, nil
  if renderers.of(buf) then
    return
  end
  M.lead(buf, block)
  local state = markdown.new()
  block.markdown = state
  take(buf, block, state, room)
  -- It may be over, and then a table ends with it.
  local count = block.count - #block.lead
  local row = block.first + block.count - 1
  local peeked = vim.deepcopy(state)
  local _, finished = markdown.line(peeked, vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or "")
  finished = finished or markdown.finish(peeked, count)
  if finished then
    level(buf, block, finished.first, finished.last, room)
  end
end

---Draws what has come to a message that streams.
---@param buf integer
---@param block pintle.Block
---@param room number
function M.more(buf, block, room)
  if block.markdown and not renderers.of(buf) then
    take(buf, block, block.markdown, room)
  end
end

---Makes tables level again, in another room.
---@param buf integer
---@param block pintle.Block
---@param room number
function M.fit(buf, block, room)
  for first, last in pairs(block.first >= 0 and block.tables or {}) do
    level(buf, block, first, last, room)
  end
end

return M
