-- Windows that a session file (|:mksession|) brings back with names of the plugin and nothing in them. A prompt is one again,
-- with its draft, and where a transcript was it says how to go on; nothing is started. All other ones are closed.

local buffers = require("pintle.buffers")

local M = {}

local LINES = {
  "Restored without a session.",
  "",
  "A prompt starts a new session, and :Pintle sessions lists the earlier ones.",
}

---@type table<string, "chat"|"prompt"> by the kind in a buffer's name
local ROLES = { chat = "chat", ["no-session"] = "chat", prompt = "prompt" }

---@type table<integer, string> by dead buffer: the name that the session file gave it
local names = {}

---Gives a buffer that a session file has just named another name: the file names one for each window, and the next one may show
---the same.
---@param buf integer
function M.note(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  names[buf] = name
  vim.api.nvim_buf_set_name(buf, ("pintle://restored/%d"):format(buf))
  -- The editor keeps the old name as that of another buffer.
  local other = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?{}\\") .. "$")
  if other > 0 and other ~= buf and buffers.is_dead(other) then
    vim.api.nvim_buf_delete(other, { force = true })
  end
end

---@param buf integer a dead one
---@return string
local function name_of(buf)
  return names[buf] or vim.api.nvim_buf_get_name(buf)
end

---@class (exact) pintle.DeadWindow
---@field win integer
---@field role? "chat"|"prompt" None where it is to be closed.
---@field project string The name of its workspace's folder.

---The windows of dead buffers.
---@return pintle.DeadWindow[]
local function dead_windows()
  local found = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buf = vim.api.nvim_win_get_buf(win)
    if buffers.is_dead(buf) then
      local kind, project = name_of(buf):match("^pintle://([^/]+)/?([^/]*)")
      found[#found + 1] = { win = win, role = ROLES[kind], project = project }
    end
  end
  return found
end

---Takes the dead buffers away. Their windows stay, with nothing in them.
---@param wins pintle.DeadWindow[]
---@return string[] texts What was typed into dead prompts.
local function clear(wins)
  local texts = {}
  for _, dead in ipairs(wins) do
    local empty = vim.api.nvim_create_buf(false, true)
    vim.bo[empty].bufhidden = "wipe"
    vim.wo[dead.win].winfixbuf = false
    vim.api.nvim_win_set_buf(dead.win, empty)
  end
  for _, buf in ipairs(vim.tbl_filter(buffers.is_dead, vim.api.nvim_list_bufs())) do
    local text = vim.trim(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n"))
    if text ~= "" and vim.startswith(name_of(buf), "pintle://prompt/") then
      texts[#texts + 1] = text
    end
    vim.api.nvim_buf_delete(buf, { force = true })
  end
  return texts
end

---The workspace of a window: that of one beside it whose folder has the name.
---@param dead pintle.DeadWindow
---@return pintle.Workspace?
local function workspace_of(dead)
  local workspace = require("pintle.workspace")
  local tab = vim.api.nvim_win_get_tabpage(dead.win)
  for _, win in ipairs(vim.list_extend({ dead.win }, vim.api.nvim_tabpage_list_wins(tab))) do
    if vim.fs.basename(vim.api.nvim_win_call(win, workspace.root_here)) == dead.project then
      return vim.api.nvim_win_call(win, workspace.get)
    end
  end
end

---Closes a window. The last one stays, with an empty buffer.
---@param win integer
local function close(win)
  if not pcall(vim.api.nvim_win_close, win, true) then
    vim.api.nvim_win_set_buf(win, vim.api.nvim_create_buf(true, false))
  end
end

---Brings to life what can be, and closes the rest. The focus stays where it is, if its window does.
function M.revive()
  local wins = dead_windows()
  local texts = clear(wins)
  names = {}
  local layout, prompt = require("pintle.layout"), require("pintle.prompt")
  for _, dead in ipairs(wins) do
    local here = dead.role and workspace_of(dead)
    if here and dead.role == "prompt" then
      layout.take(dead.win, "prompt", prompt.buffer(here))
      prompt.put_before(here, texts)
      texts = {}
    elseif here then
      local view = here:view()
      local buf = view and view.chat:is_alive() and view.chat.buf or layout.stand_in(here, LINES)
      layout.take(dead.win, "chat", buf)
    else
      close(dead.win)
    end
  end
end

return M
