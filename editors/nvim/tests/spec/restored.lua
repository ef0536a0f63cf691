-- Windows of the plugin that a session file of the editor brings back.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

---What each window of a tab shows, with its role and size.
local WINDOWS = [[return vim.tbl_map(function(win)
  return { vim.fn.bufname(vim.api.nvim_win_get_buf(win)), vim.w[win].pintle_role or "", vim.api.nvim_win_get_width(win) }
end, vim.api.nvim_tabpage_list_wins(0))]]

---An editor with a file and the plugin's windows beside it writes a session.
---@param dir string
---@param more? fun(vi: Child)
local function make(dir, more)
  child.write(dir .. "/a.txt", "one\n")
  local items = { { content = "Look", status = "completed" } }
  local vi = child.start({ dir = dir, script = { replies = { call("todo_write", { items = items }), text("Hi.") } } })
  vi:cmd("edit a.txt | Pintle open")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a draft' })")
  vi:cmd("write")
  local windows = vi:lua(WINDOWS)
  if more then
    more(vi)
  end
  vi:cmd("mksession! s.vim")
  vi:quit()
  return windows
end

---@param vi Child
---@return string
local function prompt(vi)
  return vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())")
end

---@param vi Child
---@param dir string
local function check(vi, dir)
  local name = vim.fs.basename(dir)
  vi:wait("vim.fn.bufname('pintle://no-session') ~= ''", "the windows are alive")
  equal(vi:lua("return require('pintle').status().engine"), "stopped", "nothing is started")
  equal(prompt(vi), "a draft")
  local windows = vi:lua(WINDOWS)
  local names = vim.tbl_map(function(each)
    return { each[1], each[2] }
  end, windows)
  equal(names, {
    { "a.txt", "" },
    { "pintle://no-session/" .. name, "chat" },
    { "pintle://prompt/" .. name, "prompt" },
  })
  contains(vi:screen(), "Restored without a session.")
  vi:cmd("Pintle ask")
  vi:wait_turn()
  contains(vi:screen(), "Hello again.")
  equal(#vi:lua(WINDOWS), 3)
  vi:cmd("Pintle close")
  equal(#vi:lua(WINDOWS), 1)
  equal(vi:lua("return vim.v.errmsg"), "")
  return windows
end

local AGAIN = { replies = { text("Hello again.") } }

for _, options in ipairs({ "", "set sessionoptions+=localoptions,options" }) do
  test("the windows of a session file live" .. (options == "" and "" or ", with options"), function()
    local dir = child.folder("project")
    local before = make(dir, function(vi)
      vi:cmd(options)
    end)
    local vi = child.start({ dir = dir, script = AGAIN })
    vi:cmd("source s.vim")
    local windows = check(vi, dir)
    for at, each in ipairs(before) do
      equal(windows[at][3], each[3], "the width of " .. each[1])
    end
  end)
end

test("windows of a session live when the plugin comes later, with what was typed", function()
  local dir = child.folder("project")
  make(dir)
  local before = "vim.cmd('source s.vim') vim.cmd('wincmd b') vim.fn.setline(1, 'typed before')"
  local vi = child.start({ dir = dir, script = AGAIN, before = before })
  vi:wait("vim.fn.bufname('pintle://no-session') ~= ''")
  equal(prompt(vi), "typed before\n\na draft")
  equal(vi:lua("return vim.w.pintle_role"), "prompt")
end)

test("other windows of a session file are closed", function()
  local dir = child.folder("project")
  make(dir, function(vi)
    vi:cmd("Pintle log")
    vi:cmd("wincmd t")
    vi:cmd("Pintle plan")
    vi:cmd("wincmd t")
    -- A tab of its own for one, and a window of another project.
    vi:cmd("tab split | setlocal nowinfixbuf")
    vi:cmd("tabprevious | wincmd b | split | setlocal nowinfixbuf")
    vi:lua("vim.api.nvim_win_set_buf(0, vim.api.nvim_create_buf(false, true))")
    vi:cmd("file pintle://chat/elsewhere")
  end)
  local vi = child.start({ dir = dir, script = AGAIN })
  vi:cmd("source s.vim")
  vi:wait("#vim.api.nvim_list_wins() == 3 and vim.fn.bufname('pintle://no-session') ~= ''")
  check(vi, dir)
end)

test("windows of a session file that show the same in two tabs live", function()
  local dir = child.folder("project")
  make(dir, function(vi)
    vi:cmd("tabnew")
    vi:cmd("Pintle open")
  end)
  local vi = child.start({ dir = dir, script = AGAIN })
  vi:cmd("source s.vim")
  vi:wait("#vim.tbl_filter(function(w) return vim.w[w].pintle_role end, vim.api.nvim_list_wins()) == 4", "both pairs")
  vi:cmd("tabfirst")
  check(vi, dir)
  vi:cmd("tabnext")
  contains(vi:screen(), "Hello again.")
end)

test("a window of a session file that is the only one stays, empty", function()
  local dir = child.folder("project")
  make(dir, function(vi)
    vi:cmd("Pintle log")
    vi:cmd("only")
  end)
  local vi = child.start({ dir = dir, script = AGAIN })
  vi:cmd("source s.vim")
  vi:wait("vim.fn.bufname() == '' and vim.bo.buftype == ''")
  equal(#vi:lua("return vim.api.nvim_list_wins()"), 1)
end)
