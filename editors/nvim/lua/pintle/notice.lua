-- What is said, on the screen: one line, whatever the width. A second line makes the editor wait for <CR>, and takes what is
-- typed meanwhile.
--
-- Who has put something of his own into the place of `vim.notify` gets every notice whole.

local M = {}

---@class (exact) pintle.Notice.Said
---@field text string
---@field level integer

---@type pintle.Notice.Said[] said, and not shown yet
local pending = {}

---@type integer? the window of the notice that is shown while the command line has other things to show
local window

-- How long that window stays.
local WINDOW_MS = 10000

-- How long a notice in the command line takes to be read.
local SEEN_MS = 3000

-- Columns that the editor's ruler takes, as long as 'rulerformat' says nothing else.
local RULER_WIDTH = 18

-- On a narrower screen there is no room for who says it.
local NAMED_COLUMNS_MIN = 60

local HIGHLIGHTS = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

---Cuts a text to a number of screen cells.
---@param text string
---@param room integer
---@return string
local function cells(text, room)
  local low, high = 0, vim.fn.strchars(text)
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, middle)) <= room then
      low = middle
    else
      high = middle - 1
    end
  end
  return vim.fn.strcharpart(text, 0, low)
end

---Cuts a line to a number of screen cells, with a sign where something is missing.
---@param text string
---@param room integer
---@return string
function M.cut(text, room)
  return vim.fn.strdisplaywidth(text) <= room and text or cells(text, math.max(0, room - 1)) .. "…"
end

-- Ranges of characters that a screen shows as nothing; the engine draws signs for the same ones.
local UNSEEN = {
  { 0xad, 0xad },
  { 0x34f, 0x34f },
  { 0x61c, 0x61c },
  { 0x115f, 0x1160 },
  { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f },
  { 0x200b, 0x200f },
  { 0x2028, 0x202e },
  { 0x2060, 0x206f },
  { 0x2800, 0x2800 },
  { 0x3164, 0x3164 },
  { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff },
  { 0xffa0, 0xffa0 },
  { 0xfff0, 0xfffb },
  { 0x1bca0, 0x1bca3 },
  { 0x1d173, 0x1d17a },
  { 0xe0000, 0xe0fff },
}

---Draws signs for characters that a screen shows as nothing.
---@param text string
---@return string
function M.signs(text)
  return (
    text:gsub("[\194-\244][\128-\191]+", function(character)
      local code = vim.fn.char2nr(character, true)
      for _, range in ipairs(UNSEEN) do
        if code >= range[1] and code <= range[2] then
          return ("⟨U+%04X⟩"):format(code)
        end
      end
    end)
  )
end

---A text in one line, with signs for characters that cannot be seen.
---@param text string
---@return string
function M.visible(text)
  return vim.fn.strtrans((M.signs(text):gsub("\n", "␤")))
end

-- In less room, where the whole stands would take the place of what is said.
local TAIL_ROOM_MIN = 24

---A text as one line that fits a room, with where the whole of it stands if it does not.
---@param text string
---@param room integer Screen cells.
---@param more? integer How many others there are.
---@return string
function M.fit(text, room, more)
  local line = vim.fn.strtrans((vim.trim(text):gsub("%s*[\r\n]+%s*", " … "):gsub("\t", " ")))
  local others = (more or 0) > 0 and (" (+%d: :Pintle log)"):format(more) or ""
  if vim.fn.strdisplaywidth(line .. others) <= room then
    return line .. others
  end
  local tail = others ~= "" and "…" .. others or room >= TAIL_ROOM_MIN and "… :Pintle log" or "…"
  return cells(cells(line, math.max(0, room - vim.fn.strdisplaywidth(tail))) .. tail, room)
end

---A text as the prompt of `vim.ui.input`, with room for the answer in the same line.
---@param text string
---@return string
function M.prompt(text)
  local line = vim.fn.strtrans((vim.trim(text):gsub("%s*[\r\n]+%s*", " … ")))
  return M.cut(line, math.floor(vim.o.columns / 2)) .. " "
end

local function close_window()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

---@type integer? the autocommand that moves the notice in the command line up when a mode covers it
local covered

local function forget_covered()
  if covered then
    vim.api.nvim_del_autocmd(covered)
    covered = nil
  end
end

---@type fun(said: pintle.Notice.Said, more: integer, ms?: integer)
local float

---Shows a notice in the command line.
---@param said pintle.Notice.Said
---@param more integer
local function echo(said, more)
  forget_covered()
  local room = vim.v.echospace
  -- The ruler of a window without a status line stands in the command line.
  if vim.o.ruler and vim.api.nvim_win_get_config(0).relative ~= "" then
    room = math.min(room, vim.o.columns - RULER_WIDTH - 1)
  end
  local line = M.fit(said.text, room, more)
  -- What stands there counts as seen.
  vim.cmd.redraw()
  vim.api.nvim_echo({ { line, HIGHLIGHTS[said.level] } }, true, {})
  local ends = vim.uv.now() + SEEN_MS
  -- These modes show their name in its place.
  covered = vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "n*:[iRvVsS\22\19]*",
    once = true,
    callback = function()
      covered = nil
      if vim.o.showmode and vim.uv.now() < ends then
        float(said, more, ends - vim.uv.now())
      end
    end,
  })
end

---Shows a notice right above the command line, and in it once there is room for it.
---@param said pintle.Notice.Said
---@param more integer
---@param ms? integer How long, if it was in the command line already.
function float(said, more, ms)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  local line = M.fit(said.text, vim.o.columns - 2, more)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { line })
  local width = math.max(1, vim.fn.strdisplaywidth(line))
  local own = vim.api.nvim_open_win(buf, false, {
    relative = "editor",
    row = math.max(0, vim.o.lines - vim.o.cmdheight - 1),
    col = math.max(0, vim.o.columns - width),
    width = width,
    height = 1,
    style = "minimal",
    border = "none",
    focusable = false,
    noautocmd = true,
    zindex = 200,
  })
  vim.wo[own].winhighlight = "NormalFloat:" .. (HIGHLIGHTS[said.level] or "NormalFloat")
  window = own
  vim.defer_fn(function()
    if window == own then
      close_window()
    end
  end, ms or WINDOW_MS)
  if ms then
    return
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n",
    once = true,
    callback = function()
      if window == own then
        close_window()
      end
      if vim.o.cmdheight > 0 and #pending == 0 then
        vim.schedule(function()
          echo(said, more)
        end)
      end
    end,
  })
end

---Shows the worst of what was said since the last time, of several the last.
local function show_pending()
  if #pending == 0 then
    return
  end
  local mode = vim.api.nvim_get_mode()
  if mode.blocking or mode.mode:find("^[cr!]") then
    -- A person writes a command, or answers something.
    vim.api.nvim_create_autocmd("ModeChanged", { once = true, callback = vim.schedule_wrap(show_pending) })
    return
  end
  local worst, more = pending[1], #pending - 1
  for _, each in ipairs(pending) do
    worst = each.level >= worst.level and each or worst
  end
  pending = {}
  close_window()
  forget_covered()
  -- In other modes the command line shows the mode, over everything else.
  local has_line = vim.o.cmdheight > 0 and (mode.mode:find("^n") ~= nil or not vim.o.showmode)
  local show = has_line and echo or float
  local name = vim.o.columns >= NAMED_COLUMNS_MIN and "pintle: " or ""
  show({ text = name .. worst.text, level = worst.level }, more)
end

---Says something in the command line that is of no interest later.
---@param text string
function M.echo(text)
  vim.api.nvim_echo({ { M.fit(text, vim.v.echospace) } }, false, {})
end

---Whether nobody has put something else into the place of the editor's own `vim.notify`.
---@return boolean
local function is_stock()
  local info = debug.getinfo(vim.notify, "S")
  return info ~= nil and info.source ~= nil and info.source:find("^@vim/") ~= nil
end

---Shows a notice. Safe to call from anywhere.
---@param text string
---@param level integer one of `vim.log.levels`
function M.show(text, level)
  if is_stock() then
    pending[#pending + 1] = { text = text, level = level }
    if #pending == 1 then
      vim.schedule(show_pending)
    end
    return
  end
  local function show()
    vim.notify("pintle: " .. text, level, { title = "pintle" })
  end
  if vim.in_fast_event() then
    vim.schedule(show)
  else
    show()
  end
end

return M
