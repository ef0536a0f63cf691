-- Frames of a child's terminal as one picture that moves: an SVG without scripts, which browsers and code hosts play.

local M = {}

local CELL_WIDTH, CELL_HEIGHT = 8.4, 18
local INK, PAPER = 0xE0E2EA, 0x14161B

---@class (exact) Piece Cells of a row that look the same.
---@field column integer
---@field width integer
---@field text string
---@field look table

---@class (exact) Frame
---@field rows Piece[][]
---@field seconds number How long it stays.
---@field caption string

-- Runs in the editor that looks on.
local LOOK_ON = [[
  local program, socket, width, height = ...
  vim.o.columns, vim.o.lines, vim.o.termguicolors = width, height + vim.o.cmdheight, true
  vim.o.laststatus, vim.o.showtabline = 0, 0
  vim.fn.jobstart({ program, "--server", socket, "--remote-ui" }, { term = true })
  _G.look_on = function()
    vim.cmd("redraw!")
    local text, rows = {}, {}
    for row = 1, height do
      rows[row] = {}
      for column = 1, width do
        rows[row][column] = { unpack(vim.api.nvim__inspect_cell(1, row - 1, column - 1), 1, 2) }
        text[#text + 1] = rows[row][column][1]
      end
    end
    return { table.concat(text), rows }
  end
]]

---An editor that looks at the screen of another one: what is in the cells of a terminal, only an editor with a screen knows.
---@class (exact) Onlooker
---@field private chan integer
local Onlooker = {}
Onlooker.__index = Onlooker

---@param socket string Where the other one listens.
---@param width integer
---@param height integer
---@return Onlooker
function M.onlooker(socket, width, height)
  local chan = vim.fn.jobstart({ vim.env.NVIM_BIN, "--embed", "--headless", "--clean", "-n" }, { rpc = true })
  vim.rpcrequest(chan, "nvim_exec_lua", LOOK_ON, { vim.env.NVIM_BIN, socket, width, height })
  return setmetatable({ chan = chan }, Onlooker)
end

function Onlooker:quit()
  vim.fn.jobstop(self.chan)
end

---The pieces of each row, once these texts are seen and nothing moves any more.
---@param ... string
---@return Piece[][]
function Onlooker:rows(...)
  local shows = { ... }
  local before, cells = nil, nil
  local is_still = vim.wait(10000, function()
    local text
    text, cells = unpack(vim.rpcrequest(self.chan, "nvim_exec_lua", "return _G.look_on()", {}))
    local is_same = text == before
    before = text
    return is_same and vim.iter(shows):all(function(part)
      return text:find(part, 1, true) ~= nil
    end)
  end, 150)
  assert(is_still, "the onlooker does not see all of it in " .. (before or ""))
  return vim.tbl_map(function(row)
    local pieces = {}
    for column, cell in ipairs(row) do
      local char, look = unpack(cell)
      local last = pieces[#pieces]
      if last and vim.deep_equal(last.look, look) then
        last.text, last.width = last.text .. char, last.width + 1
      else
        pieces[#pieces + 1] = { column = column - 1, width = 1, text = char, look = look }
      end
    end
    return pieces
  end, cells or {})
end

---@param color integer
local function hex(color)
  return ("#%06x"):format(color)
end

---@param text string
---@return string
function M.escape(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

---@param pieces Piece[]
---@param top number
---@param lines string[] where it is added
local function draw_row(pieces, top, lines)
  for _, piece in ipairs(pieces) do
    local look = piece.look
    local ink, paper = look.foreground or INK, look.background or PAPER
    if look.reverse then
      ink, paper = paper, ink
    end
    local left = piece.column * CELL_WIDTH
    if paper ~= PAPER then
      local rect = '<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>'
      lines[#lines + 1] = rect:format(left, top, piece.width * CELL_WIDTH, CELL_HEIGHT, hex(paper))
    end
    local text = piece.text:gsub("%s+$", "")
    if text ~= "" then
      local style = (look.bold and ' font-weight="bold"' or "") .. (look.italic and ' font-style="italic"' or "")
      local length = vim.fn.strdisplaywidth(text) * CELL_WIDTH
      local tag = '<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s xml:space="preserve">%s</text>'
      lines[#lines + 1] = tag:format(left, top + 13.5, length, hex(ink), style, M.escape(text))
    end
  end
end

---@param frames Frame[]
---@param width integer
---@param height integer
---@return string svg
function M.svg(frames, width, height)
  local total = 0
  for _, frame in ipairs(frames) do
    total = total + frame.seconds
  end
  local right, bottom = width * CELL_WIDTH, (height + 2) * CELL_HEIGHT
  local lines = {
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 %.1f %.1f" font-family="monospace" font-size="14">'):format(
      right + 16,
      bottom + 16
    ),
    "<title>A tour of pintle in Neovim: prompt, question, change, review</title>",
    "<style>",
    (".frame{visibility:hidden;animation-duration:%gs;animation-iteration-count:infinite;animation-timing-function:step-end}"):format(
      total
    ),
    -- Who wants no movement sees the last frame but one, with a hunk to decide about.
    ("@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame%d{visibility:visible}}"):format(
      math.max(1, #frames - 1)
    ),
  }
  local begun = 0
  for number, frame in ipairs(frames) do
    local from, to = 100 * begun / total, 100 * (begun + frame.seconds) / total
    local keys = "@keyframes f%d{%s%.3f%%{visibility:visible}%s}"
    local before = from > 0 and "0%{visibility:hidden}" or ""
    local after = to < 100 and ("%.3f%%{visibility:hidden}"):format(to) or ""
    lines[#lines + 1] = keys:format(number, before, from, after)
    lines[#lines + 1] = (".frame%d{animation-name:f%d}"):format(number, number)
    begun = begun + frame.seconds
  end
  lines[#lines + 1] = "</style>"
  local back = '<rect x="-8" y="-8" width="%.1f" height="%.1f" rx="6" fill="%s"/>'
  lines[#lines + 1] = back:format(right + 16, bottom + 16, hex(PAPER))
  for number, frame in ipairs(frames) do
    lines[#lines + 1] = ('<g class="frame frame%d">'):format(number)
    for row, pieces in ipairs(frame.rows) do
      draw_row(pieces, (row - 1) * CELL_HEIGHT, lines)
    end
    local caption = '<text x="0" y="%.1f" fill="#a6dbff" font-weight="bold">%s</text>'
    lines[#lines + 1] = caption:format((height + 1.4) * CELL_HEIGHT, M.escape(frame.caption))
    lines[#lines + 1] = "</g>"
  end
  lines[#lines + 1] = "</svg>"
  return table.concat(lines, "\n") .. "\n"
end

return M
