-- A window of our own for a question: all of it, whatever its length, and below it the answers, each on a line of its own.
--
-- It opens only when a person asks for it. Invariant: nothing is chosen by one key, since the cursor starts above the answers
-- unless `at` says otherwise.

local config = require("pintle.config")
local log = require("pintle.log")
local looks = require("pintle.looks")
local notice = require("pintle.notice")

local M = {}

---@class (exact) pintle.PanelLine
---@field text string
---@field group? string A highlight group.

---@class (exact) pintle.PanelChoice
---@field label string
---@field notes? string[] What it means, in lines below it.
---@field act fun()

---@class (exact) pintle.PanelOptions
---@field lines pintle.PanelLine[] What is asked. A text may hold line ends.
---@field choices pintle.PanelChoice[]
---@field at? integer The number of the answer that the cursor starts at.
---@field later? string What `q` does, in words; default: leaves it open.
---@field verb? string What <CR> does with a line; default: chooses.

---@class (exact) pintle.Panel
---@field buf integer
---@field win integer
---@field private came_from integer
---@field private rows table<integer, pintle.PanelChoice> by line, from 1
---@field private starts integer[] The lines of the answers themselves.
local Panel = {}
Panel.__index = Panel

M.FILETYPE = "pintle-panel"

---@class (exact) pintle.PanelKey
---@field modes string
---@field lhs string
---@field desc string
---@field act fun(panel: pintle.Panel)

---@type pintle.PanelKey[]
M.KEYS = {
  {
    modes = "n",
    lhs = "<CR>",
    desc = "answer with the line under the cursor",
    act = function(panel)
      panel:choose()
    end,
  },
  {
    modes = "n",
    lhs = "<Tab>",
    desc = "go to the next answer",
    act = function(panel)
      panel:step(1)
    end,
  },
  {
    modes = "n",
    lhs = "<S-Tab>",
    desc = "go to the previous answer",
    act = function(panel)
      panel:step(-1)
    end,
  },
  {
    modes = "n",
    lhs = "q",
    desc = "close the question",
    act = function(panel)
      panel:close()
    end,
  },
}

-- Longer lines are hard to read; they are wrapped.
local WIDTH_MAX = 100

local NAMESPACE = vim.api.nvim_create_namespace("pintle.panel")

for name, link in pairs({
  PintlePanelTitle = "Title",
  PintlePanelHead = "Comment",
  PintlePanelChoice = "Identifier",
  PintlePanelNote = "Comment",
  PintlePanelAdded = "Added",
  PintlePanelRemoved = "Removed",
}) do
  vim.api.nvim_set_hl(0, name, { link = link, default = true })
end

---@type pintle.Panel?
local shown

---The panel that is open.
---@return pintle.Panel?
function M.current()
  return shown and shown:is_open() and shown or nil
end

---Where the window stands: in the middle, as large as its text, and never over the command line.
---@param buf integer
---@param verb string
---@param later string
---@param win? integer The window once it is there, which knows how its lines wrap.
---@return vim.api.keyset.win_config
---@return string bar What stands above the text, if the border does not show it.
local function place(buf, verb, later, win)
  local longest = 0
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    longest = math.max(longest, vim.fn.strdisplaywidth(line))
  end
  local keys = (" <Tab> answers · <CR> %s the line · q %s "):format(verb, later)
  local border, rows, sides = looks.border()
  local most = vim.o.columns - sides
  local width = math.max(1, math.min(most, WIDTH_MAX, math.max(longest + 1, vim.fn.strdisplaywidth(keys))))
  local height = 0
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  if win and vim.api.nvim_win_get_width(win) == width then
    height = vim.api.nvim_win_text_height(win, {}).all
  end
  -- Where no border has room for the keys, a bar has.
  local has_bar = rows < 2
  height = height + (has_bar and 1 or 0)
  local room = vim.o.lines - math.max(1, vim.o.cmdheight) - rows - 1
  height = math.max(1, math.min(height, room))
  keys = vim.fn.strdisplaywidth(keys) <= width and keys or " <Tab> · <CR> · q "
  return {
    relative = "editor",
    row = math.max(0, math.floor((room - height) / 2)),
    col = math.max(0, math.floor((most - width) / 2)),
    width = width,
    height = height,
    border = border,
    title = not has_bar and " pintle asks " or nil,
    footer = not has_bar and keys or nil,
  },
    has_bar and keys or ""
end

---@param options pintle.PanelOptions
---@return pintle.Panel
function M.open(options)
  local before = M.current()
  if before then
    before:close()
  end
  local lines, rows, starts = {}, {}, {}
  local groups = {} ---@type table<integer, string>
  local function add(text, group, choice)
    for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
      lines[#lines + 1] = line
      groups[#lines], rows[#lines] = group, choice
    end
  end
  for _, line in ipairs(options.lines) do
    add(line.text, line.group)
  end
  add("")
  for _, choice in ipairs(options.choices) do
    starts[#starts + 1] = #lines + 1
    add("→ " .. choice.label:gsub("%s*\n%s*", " "), "PintlePanelChoice", choice)
    for _, note in ipairs(choice.notes or {}) do
      add("    " .. note:gsub("\n", "\n    "), "PintlePanelNote", choice)
    end
  end
  local buf = vim.api.nvim_create_buf(false, true)
  require("pintle.buffers").filled_by(buf, function()
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    for row, group in pairs(groups) do
      vim.api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { end_row = row, hl_group = group, hl_eol = true })
    end
    vim.bo[buf].modifiable = false
  end)
  local root = config.get().root()
  require("pintle.buffers").name(buf, "question", root)
  vim.b[buf].pintle_root = root
  vim.bo[buf].bufhidden = "wipe"
  local later, verb = options.later or "keeps it open", options.verb or "chooses"
  local came_from = vim.api.nvim_get_current_win()
  local options_of, bar = place(buf, verb, later)
  local win = vim.api.nvim_open_win(buf, true, options_of)
  local self = setmetatable({ buf = buf, win = win, came_from = came_from, rows = rows, starts = starts }, Panel)
  shown = self
  local settings = {
    wrap = true,
    linebreak = true,
    smoothscroll = true,
    cursorline = true,
    number = false,
    relativenumber = false,
    signcolumn = "no",
    foldenable = false,
    list = false,
    spell = false,
    winfixbuf = true,
    winbar = bar ~= "" and "%#PintlePanelHead#" .. bar or "",
  }
  for name, value in pairs(settings) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = win })
  end
  local function fit()
    local wanted = place(buf, verb, later, win)
    vim.api.nvim_win_set_config(win, wanted)
  end
  fit()
  for _, key in ipairs(M.KEYS) do
    vim.keymap.set(key.modes, key.lhs, function()
      key.act(self)
    end, { buffer = buf, nowait = true, desc = "pintle: " .. key.desc })
  end
  vim.api.nvim_create_autocmd("VimResized", {
    buffer = buf,
    callback = function()
      -- Twice: only a window of its new width knows how its lines wrap.
      fit()
      fit()
    end,
  })
  if options.at then
    vim.api.nvim_win_set_cursor(win, { starts[options.at], 0 })
  end
  -- Last: who listens to it finds all in place.
  vim.bo[buf].filetype = M.FILETYPE
  return self
end

---@return boolean
function Panel:is_open()
  return vim.api.nvim_win_is_valid(self.win)
end

---The answers, from top to bottom.
---@return { row: integer, label: string }[]
function Panel:answers()
  return vim.tbl_map(function(row)
    return { row = row, label = self.rows[row].label }
  end, self.starts)
end

---Goes to the next answer, or with -1 to the one before.
---@param by 1|-1
function Panel:step(by)
  local line = vim.api.nvim_win_get_cursor(self.win)[1]
  local found
  for _, row in ipairs(self.starts) do
    if by == 1 and row > line then
      found = row
      break
    elseif by == -1 and row < line then
      found = row
    end
  end
  vim.api.nvim_win_set_cursor(self.win, { found or self.starts[by == 1 and 1 or #self.starts], 0 })
end

---Does what the line under the cursor says.
function Panel:choose()
  local choice = self.rows[vim.api.nvim_win_get_cursor(self.win)[1]]
  if not choice then
    return log.say("no answer on this line: <Tab> goes to the answers")
  end
  self:close()
  choice.act()
end

---Closes the window and goes back to where the person was.
function Panel:close()
  if shown == self then
    shown = nil
  end
  if self:is_open() then
    local is_inside = vim.api.nvim_get_current_win() == self.win
    vim.api.nvim_win_close(self.win, true)
    if is_inside and vim.api.nvim_win_is_valid(self.came_from) then
      vim.api.nvim_set_current_win(self.came_from)
    end
    if is_inside then
      -- The ruler of a window without a status line stands in the command line, and would stay there.
      vim.api.nvim_echo({ { "" } }, false, {})
    end
  end
end

---A unified diff as lines of a panel.
---@param diff string
---@return pintle.PanelLine[]
function M.diff(diff)
  local groups = { ["+"] = "PintlePanelAdded", ["-"] = "PintlePanelRemoved", ["@"] = "PintlePanelHead" }
  return vim.tbl_map(function(line)
    return { text = notice.signs(line), group = groups[line:sub(1, 1)] }
  end, vim.split((diff:gsub("\n$", "")), "\n", { plain = true }))
end

return M
