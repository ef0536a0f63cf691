-- Headings and tables of messages: which signs are hidden, and where tables need room so that their columns are level. Pure.

local M = {}

---@class (exact) pintle.MarkdownState What the lines before mean for the next one.
---@field next integer The number of the next line, from 1.
---@field fence? string The fence of the code block that goes on.
---@field before? string The line before, which may be the head of a table.
---@field table? integer The first line of the table that goes on.

---@class (exact) pintle.MarkdownTable
---@field first integer
---@field last integer

---@class (exact) pintle.TablePad Text that is shown before a byte of a line.
---@field line integer From 1, in the table.
---@field col integer
---@field text string

-- Larger tables are left as they are.
local TABLE_LINES_MAX = 300

-- Wider than any window.
local WIDTH_NONE = 1000000

---@return pintle.MarkdownState
function M.new()
  return { next = 1 }
end

---The bytes of the signs that a heading begins with; nil for any other line.
---@param line string
---@return integer?
function M.heading(line)
  local signs, marks = line:match("^( ? ? ?(#+)[ \t]+)[^ \t]")
  return signs and #marks <= 6 and #signs or nil
end

---Where the cells of a row are: the bytes of each from its first to its last, both from 1, without the bars.
---@param line string
---@return [integer, integer][]
local function cells(line)
  local found = {}
  local _, blank = line:find("^%s*|?")
  local at = (blank or 0) + 1
  local from = at
  while at <= #line do
    local byte = line:sub(at, at)
    if byte == "\\" then
      at = at + 1
    elseif byte == "|" then
      found[#found + 1] = { from, at - 1 }
      from = at + 1
    end
    at = at + 1
  end
  if line:find("%S", from) then
    found[#found + 1] = { from, #line }
  end
  return found
end

---@param line string
---@return boolean
local function is_delimiter(line)
  return line:find("^[%s|:%-]+$") ~= nil and line:find("-", 1, true) ~= nil and line:find("|", 1, true) ~= nil
end

---Takes the next line.
---@param state pintle.MarkdownState
---@param line string
---@return integer? heading The bytes of its signs.
---@return pintle.MarkdownTable? finished A table that ended before this line.
function M.line(state, line)
  local number = state.next
  state.next = number + 1
  local before = state.before
  state.before = nil
  local finished
  local has_bar = line:find("|", 1, true) ~= nil
  if state.table and not has_bar then
    finished = M.finish(state, number - 1)
  end
  local fence = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
  if state.fence then
    if fence and vim.startswith(fence, state.fence) and line:find("^%s*[`~]+%s*$") then
      state.fence = nil
    end
    return nil, finished
  elseif fence then
    state.fence = fence
    return nil, finished
  elseif state.table then
    return nil, finished
  elseif before and is_delimiter(line) and #cells(before) == #cells(line) then
    state.table = number - 1
  elseif has_bar then
    state.before = line
  end
  return M.heading(line), finished
end

---Ends the table that goes on.
---@param state pintle.MarkdownState
---@param last integer
---@return pintle.MarkdownTable?
function M.finish(state, last)
  local first = state.table
  state.table = nil
  return first and { first = first, last = last } or nil
end

---How wide a text is when what the parser of inline Markdown hides is not shown.
---@param text string
---@return integer
function M.shown_width(text)
  local width = vim.fn.strdisplaywidth(text)
  if not text:find("[*_`%[~&]") then
    return width
  end
  local ok, hidden = pcall(function()
    local parser = vim.treesitter.get_string_parser(text, "markdown_inline")
    local query = assert(vim.treesitter.query.get("markdown_inline", "highlights"))
    local less, seen = 0, {}
    local tree = assert(parser:parse())[1]
    for id, node, metadata in query:iter_captures(tree:root(), text) do
      local own = metadata[id]
      local conceal = own and own.conceal or metadata.conceal
      local _, first, _, last = node:range()
      if conceal and not seen[first] then
        seen[first] = true
        less = less + vim.fn.strdisplaywidth(text:sub(first + 1, last)) - vim.fn.strdisplaywidth(tostring(conceal))
      end
    end
    return less
  end)
  return ok and width - hidden or width
end

---What a table needs so that its columns are level.
---@param lines string[] The head, the delimiters and the rows.
---@param width_of fun(text: string): integer How wide a cell is on the screen.
---@return pintle.TablePad[] pads
---@return integer width The width of its widest row then, as the editor wraps it: what is hidden takes room as well.
function M.level(lines, width_of)
  if #lines > TABLE_LINES_MAX then
    return {}, WIDTH_NONE
  end
  local rows, columns = {}, {} ---@type { [1]: integer, [2]: integer, width: integer }[][], integer[]
  for number, line in ipairs(lines) do
    rows[number] = vim.tbl_map(function(cell)
      return { cell[1], cell[2], width = width_of(line:sub(cell[1], cell[2])) }
    end, cells(line))
    for at, cell in ipairs(rows[number]) do
      columns[at] = math.max(columns[at] or 0, cell.width)
    end
  end
  local sides = {} ---@type ("left"|"right"|"center")[]
  for at, cell in ipairs(rows[2]) do
    local text = vim.trim(lines[2]:sub(cell[1], cell[2]))
    local is_right = text:sub(-1) == ":"
    sides[at] = is_right and (text:sub(1, 1) == ":" and "center" or "right") or "left"
  end
  local pads, widest = {}, 0
  for number, row in ipairs(rows) do
    local line, width = lines[number], vim.fn.strdisplaywidth(lines[number])
    local function pad(col, count, fill)
      if count > 0 then
        pads[#pads + 1] = { line = number, col = col, text = fill:rep(count) }
        width = width + count
      end
    end
    for at, cell in ipairs(row) do
      local room, first, last = columns[at] - cell.width, cell[1], cell[2]
      if number == 2 then
        pad(line:find("-", first, true) or last, room, "-")
      else
        local before = sides[at] == "right" and room or sides[at] == "center" and math.floor(room / 2) or 0
        pad(first - 1, before, " ")
        -- Nothing is behind the last cell without a bar.
        pad(last, line:sub(last + 1, last + 1) == "|" and room - before or 0, " ")
      end
    end
    widest = math.max(widest, width)
  end
  return pads, widest
end

return M
