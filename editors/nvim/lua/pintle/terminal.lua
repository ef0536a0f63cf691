-- The terminal of a running job: its screen in a terminal buffer, into which the user types.
--
-- The screen has its own size. A lower window shows the part with the cursor and the last text, and a narrower one the left.

local buffers = require("pintle.buffers")
local protocol = require("pintle.protocol")
local running = require("pintle.running")

local M = {}

---@class (exact) pintle.Terminal
---@field private here pintle.Workspace
---@field private session string
---@field private job string
---@field buf integer
---@field channel integer
---@field typed string What was typed and not sent.
---@field private is_sending boolean
---@field has_ended boolean
---@field private mark? string
---@field last? table The last screen.
---@field cancel? fun() Withdraws the request for the next screen.
local Terminal = {}
Terminal.__index = Terminal

---@type table<string, pintle.Terminal> by job
local open = {}

---The rows of a screen that a window shows: all of them, or those up to the last text, unless the cursor is above. Pure.
---@param screen pintle.TerminalScreen
---@param height integer
---@return integer first
---@return integer last
local function visible(screen, height)
  local cursor = screen.cursor and screen.cursor.row + 1
  local used = #screen.rows
  while used > (cursor or 1) and screen.rows[used] == "" do
    used = used - 1
  end
  local first = math.max(1, math.min(used - height + 1, cursor or used))
  return first, math.min(#screen.rows, first + height - 1)
end

---The text that paints a screen over the contents of a terminal. Pure.
---@param screen pintle.TerminalScreen
---@param lines string Lines that have left the screen, which go into the scrollback.
---@param height integer The terminal's height.
---@return string
function M.paint(screen, lines, height)
  -- The cursor is hidden meanwhile, and long rows do not wrap.
  local out = { "\27[?25l\27[?7l\27[H" }
  if lines ~= "" then
    out[#out + 1] = "\27[J" .. lines:gsub("\n", "\r\n") .. ("\r\n"):rep(height - 1) .. "\27[H"
  end
  local first, last = visible(screen, height)
  for row = first, last do
    out[#out + 1] = (row > first and "\r\n" or "") .. "\27[0m\27[K" .. screen.rows[row]
  end
  out[#out + 1] = last - first + 1 < height and "\27[0m\r\n\27[J" or "\27[0m"
  local cursor = screen.cursor
  if cursor then
    out[#out + 1] = ("\27[%d;%dH\27[?25h"):format(cursor.row - first + 2, cursor.column + 1)
  end
  return table.concat(out)
end

---The text that a terminal ends with. Pure.
---@param lines? string Its last lines; nil if they are not known, and the screen stays.
---@param why string
---@return string
function M.ending(lines, why)
  local last = lines and "\27[H\27[J" .. lines:gsub("\n", "\r\n") or "\27[999;1H\r\n"
  return "\27[?25h\27[?7h" .. last .. "[" .. why .. "]\r\n"
end

---@return integer
function Terminal:height()
  local win = vim.fn.bufwinid(self.buf)
  return win >= 0 and vim.api.nvim_win_get_height(win) or 1
end

---@param text string
function Terminal:write(text)
  vim.api.nvim_chan_send(self.channel, text)
end

---Shows the screen now and whenever it changes, until the job ends or the buffer is gone.
function Terminal:follow()
  local params = { sessionId = self.session, jobId = self.job, after = self.mark }
  self.cancel = self.here.engine:request(protocol.method.shell_screen, params, function(err, update)
    if not vim.api.nvim_buf_is_valid(self.buf) then
      return
    end
    if err or not update then
      return self:finish(nil, err and err.message or "an empty answer")
    end
    if update.ended then
      return self:finish(update.lines, self.job .. " has ended")
    end
    self.mark = update.mark
    if update.screen then
      self.last = update.screen
      self:write(M.paint(update.screen, update.lines, self:height()))
    end
    self:follow()
  end)
end

---@param lines? string
---@param why string
function Terminal:finish(lines, why)
  self.has_ended = true
  self:write(M.ending(lines, why))
  if vim.api.nvim_get_current_buf() == self.buf then
    vim.cmd.stopinsert()
  end
end

---Types what the user has typed, in order.
function Terminal:send()
  if self.is_sending or self.typed == "" or self.has_ended then
    return
  end
  local text = self.typed
  self.typed, self.is_sending = "", true
  local params = { sessionId = self.session, jobId = self.job, text = text, wantsScreen = false }
  self.here.engine:request(protocol.method.shell_write, params, function(err)
    self.is_sending = false
    if err then
      self.typed = ""
      return require("pintle.log").failed("not typed", err)
    end
    self:send()
  end)
end

---@param here pintle.Workspace
---@param session string
---@param item pintle.Item a job in a terminal
local function show(here, session, item)
  local key = session .. item.jobId
  local known = open[key]
  if known and vim.api.nvim_buf_is_valid(known.buf) then
    require("pintle.page").place(known.buf)
    return vim.cmd.startinsert()
  end
  local buf = vim.api.nvim_create_buf(false, true)
  local self = setmetatable({
    here = here,
    session = session,
    job = item.jobId,
    buf = buf,
    typed = "",
    is_sending = false,
    has_ended = false,
  }, Terminal)
  vim.bo[buf].bufhidden = "wipe"
  require("pintle.page").place(buf)
  -- After the window, whose size the terminal takes.
  self.channel = vim.api.nvim_open_term(buf, {
    on_input = function(_, _, _, data)
      self.typed = self.typed .. data
      self:send()
    end,
  })
  buffers.name(buf, "terminal", item.jobId)
  open[key] = self
  local group = vim.api.nvim_create_augroup("pintle_terminal_" .. buf, { clear = true })
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    callback = function()
      open[key] = nil
      vim.api.nvim_del_augroup_by_id(group)
      if self.cancel and not self.has_ended then
        self.cancel()
      end
    end,
  })
  vim.api.nvim_create_autocmd("WinResized", {
    group = group,
    callback = function()
      if self.last and not self.has_ended then
        self:write(M.paint(self.last, "", self:height()))
      end
    end,
  })
  self:follow()
  vim.cmd.startinsert()
end

---Opens the terminal of a running job: the one under the cursor, the only one, or the one that the user picks.
function M.open()
  local function has_terminal(item)
    return item.type == "job" and item.inTerminal == true
  end
  local words = { prompt = "Which job?", kind = "pintle_terminal", nothing = "no job is running in a terminal" }
  running.choose(has_terminal, words, function(here, view, item)
    show(here, view.state.id, item)
  end)
end

return M
