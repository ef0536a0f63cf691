-- The open hunks in a quickfix list of their own, made on request: an entry each, with keys that decide about them. When the
-- last hunk is decided, the user's previous list is the current one again.

local buffers = require("pintle.buffers")
local hunks = require("pintle.hunks")
local log = require("pintle.log")
local overlay = require("pintle.overlay")

local M = {}

---@type integer? the quickfix list that holds the hunks
local list_id

---@type integer? the user's quickfix list that was the current one before
local before_id

---@type boolean Whether the quickfix window was opened for the hunks.
local is_own_window = false

---@type table<string, integer> by session: the event up to which the last round goes
local rounds = {}

---@type boolean Whether only the hunks of this round are listed.
local is_only_round = false

---Notes were sent: what changes from now on is another round.
---@param here pintle.Workspace
function M.begin_round(here)
  for id, view in pairs(here.views) do
    rounds[id] = view.state.seq
  end
end

---@param here pintle.Workspace
---@return pintle.OpenHunk[] listed, integer all
local function listed(here)
  local all = require("pintle.review").hunks(here)
  local found = vim.tbl_filter(function(hunk)
    return not is_only_round or hunk.changedSeq > (rounds[hunk.session] or 0)
  end, all)
  return found, #all
end

---The line of each hunk that stands in a buffer.
---@return table<string, integer> by `hunks.key`
local function lines_of()
  local lines = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    for _, place in ipairs(overlay.places(buf)) do
      lines[hunks.key(place.hunk)] = place.row + 1
    end
  end
  return lines
end

---@param here pintle.Workspace
---@return table[] items, string title
local function entries(here)
  local lines = lines_of()
  local found, all = listed(here)
  local items = vim.tbl_map(function(hunk)
    local key = hunks.key(hunk)
    local line = math.max(1, lines[key] or hunk.after.start)
    return { filename = buffers.short(hunk.path), lnum = line, text = hunks.label(hunk), user_data = key }
  end, found)
  local title = #found == all and "pintle: hunks" or ("pintle: %d of %d hunks, the new ones"):format(#found, all)
  return items, title
end

---Where in the stack of quickfix lists the hunks are.
---@return integer? number
local function list_number()
  local found = list_id and vim.fn.getqflist({ id = list_id, nr = 0 })
  return found and found.nr > 0 and found.nr or nil
end

---Makes the list with this number in the stack the current one.
---@param number integer
local function make_current(number)
  if number ~= vim.fn.getqflist({ nr = 0 }).nr then
    vim.cmd(("silent %dchistory"):format(number))
  end
end

---Puts the user's list back, and closes the window that was opened for the hunks.
local function finish()
  local is_current = list_number() == vim.fn.getqflist({ nr = 0 }).nr
  local before = before_id and vim.fn.getqflist({ id = before_id, nr = 0 }).nr or 0
  before_id = nil
  local win = vim.fn.getqflist({ winid = 0 }).winid
  if is_current and before > 0 then
    make_current(before)
  end
  if is_current and is_own_window and win ~= 0 then
    -- It is the last window where everything else was closed, and stays.
    pcall(vim.api.nvim_win_close, win, false)
  end
  is_own_window = false
end

---Brings the list up to date, wherever in the stack it is.
---@param here pintle.Workspace
function M.fill(here)
  if list_number() then
    local was_empty = vim.fn.getqflist({ id = list_id, size = 0 }).size == 0
    local at = vim.fn.getqflist({ id = list_id, idx = 0 }).idx
    local items, title = entries(here)
    local what = { id = list_id, title = title, items = items, idx = math.max(1, math.min(at, #items)) }
    vim.fn.setqflist({}, "r", what)
    if #items == 0 and not was_empty then
      finish()
    end
  end
end

---Makes the list of the hunks and makes it the current one.
---@param here pintle.Workspace
local function make(here)
  local current = vim.fn.getqflist({ id = 0, nr = 0 })
  if current.nr > 0 and current.id ~= list_id then
    before_id = current.id
  end
  local number = list_number()
  if number then
    M.fill(here)
    return make_current(number)
  end
  local items, title = entries(here)
  vim.fn.setqflist({}, " ", { title = title, items = items })
  list_id = vim.fn.getqflist({ id = 0 }).id
end

---Opens the list.
---@param goes_there boolean Whether the focus moves to it.
local function open(goes_there)
  if goes_there then
    require("pintle.layout").uncover()
  end
  local win = vim.api.nvim_get_current_win()
  local was_closed = vim.fn.getqflist({ winid = 0 }).winid == 0
  local is_open = require("pintle.sizes").keeping(function()
    vim.cmd("botright copen")
    if not goes_there then
      vim.api.nvim_set_current_win(win)
    end
  end)
  is_own_window = is_own_window or was_closed and is_open
end

---Makes the list of the hunks the current one and opens it. The user's own list stays in the stack (|:colder|).
---@param here pintle.Workspace
---@param is_round? boolean Only what has changed since notes were sent last.
---@param goes_there? boolean Whether the focus moves to it.
---@return boolean is_shown False where there is nothing to list.
function M.show(here, is_round, goes_there)
  is_only_round = is_round or false
  if #listed(here) == 0 then
    is_only_round = false
    return false
  end
  make(here)
  open(goes_there or false)
  return true
end

---The hunks of entries in the quickfix window; nil where the list is another one.
---@param first integer from 1
---@param last integer
---@return pintle.OpenHunk[]?
local function hunks_at(first, last)
  local here = require("pintle.workspace").find()
  if not here or not list_id or vim.fn.getqflist({ id = 0 }).id ~= list_id then
    return nil
  end
  local by_key = {}
  for _, hunk in ipairs(require("pintle.review").hunks(here)) do
    by_key[hunks.key(hunk)] = hunk
  end
  local items = vim.fn.getqflist({ id = list_id, items = 0 }).items
  local found = {}
  for number = first, math.min(last, #items) do
    found[#found + 1] = by_key[items[number].user_data]
  end
  return found
end

---@type table<string, { desc: string, act: fun(found: pintle.OpenHunk[]) }> by key
local verbs = {
  K = {
    desc = "keep the hunk",
    act = function(found)
      require("pintle.decision").decide_hunks(found, { type = "keep" })
    end,
  },
  U = {
    desc = "undo the hunk",
    act = function(found)
      require("pintle.decision").decide_hunks(found, { type = "undo", discardEdits = false })
    end,
  },
  C = {
    desc = "comment on the hunk",
    act = function(found)
      vim.ui.input({ prompt = "Comment: " }, function(text)
        if text and vim.trim(text) ~= "" then
          require("pintle.decision").comment_on(found, text)
        end
      end)
    end,
  },
  D = {
    desc = "show the file's diff in a tab",
    act = function(found)
      require("pintle").diff(found[1].path)
    end,
  },
}

---The keys of the quickfix window.
---@return { modes: string[], lhs: string, desc: string }[]
function M.keys()
  return vim.tbl_map(function(lhs)
    return { modes = { "n", "x" }, lhs = lhs, desc = verbs[lhs].desc }
  end, { "K", "U", "C", "D" })
end

---Gives the quickfix window its keys. One window shows all lists: in those of others the keys are the editor's own.
---@param buf integer
local function dress(buf)
  for key, verb in pairs(verbs) do
    vim.keymap.set({ "n", "x" }, key, function()
      local first, last = vim.fn.line("v"), vim.fn.line(".")
      local found = hunks_at(math.min(first, last), math.max(first, last))
      if not found then
        return vim.api.nvim_feedkeys(key, "n", false)
      end
      if vim.fn.mode() ~= "n" then
        vim.cmd("normal! \27")
      end
      if #found == 0 then
        return log.say("this hunk is already decided")
      end
      verb.act(found)
    end, { buffer = buf, desc = "pintle: " .. verb.desc })
  end
end

vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("pintle_list", { clear = true }),
  pattern = "qf",
  callback = function(event)
    local win = vim.fn.bufwinid(event.buf)
    if list_id and win >= 0 and vim.fn.getwininfo(win)[1].loclist == 0 then
      dress(event.buf)
    end
  end,
})

-- Where a hunk of an order is, and what stands there.
---@class (exact) pintle.HunkPosition
---@field path string
---@field line integer

---The place of each hunk, file by file.
---@param here pintle.Workspace
---@return pintle.HunkPosition[]
function M.positions(here)
  local lines = lines_of()
  return vim.tbl_map(function(hunk)
    return { path = hunk.path, line = math.max(1, lines[hunks.key(hunk)] or hunk.after.start) }
  end, require("pintle.review").hunks(here))
end

return M
