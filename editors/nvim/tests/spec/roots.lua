-- One engine for each project, wherever windows and tabs have their directories.

local child = require("child")
local reply = require("reply")

local text = reply.text

local SCRIPT = { replies = { text("Hi."), text("Hi again."), text("Still here."), text("And here.") } }

---A repository with a file in a folder of it.
---@param name string
---@return string dir
local function repository(name)
  local dir = child.folder(name)
  vim.fn.mkdir(dir .. "/.git")
  vim.fn.mkdir(dir .. "/src/deep", "p")
  child.write(dir .. "/top.txt", "top\n")
  child.write(dir .. "/src/deep/a.txt", "one\n")
  return vim.uv.fs_realpath(dir)
end

local function roots(vi)
  return vi:lua([[
    local found = vim.tbl_map(function(each) return each.root end, require("pintle.workspace").all())
    table.sort(found)
    return found
  ]])
end

---Asks for a turn from where the editor is now.
---@param vi Child
---@param number integer of turns so far
local function ask(vi, number)
  vi:cmd("Pintle ask hello")
  vi:wait_turn(number)
end

test("directories of windows and tabs, and autochdir, start no second engine", function()
  local dir = repository("project")
  local vi = child.start({ dir = dir, stock = true, script = SCRIPT })
  ask(vi, 1)
  local engine = vi:engine_pid()
  vi:cmd("lcd " .. dir .. "/src")
  ask(vi, 2)
  vi:cmd("tabnew")
  vi:cmd("tcd " .. dir .. "/src/deep")
  ask(vi, 3)
  vi:cmd("set autochdir | edit " .. dir .. "/src/deep/a.txt")
  equal(vi:lua("return vim.uv.fs_realpath(vim.fn.getcwd())"), dir .. "/src/deep")
  ask(vi, 4)
  equal(roots(vi), { dir })
  equal(vi:engine_pid(), engine)
  equal(vi:lua("return require('pintle').status().state"), "idle")
end)

test("in a folder without git the directories do not count either, and :cd does", function()
  local dir = child.folder()
  vim.fn.mkdir(dir .. "/sub")
  child.write(dir .. "/sub/a.txt", "one\n")
  local vi = child.start({ dir = dir, stock = true, script = SCRIPT })
  ask(vi, 1)
  vi:cmd("set autochdir | edit sub/a.txt")
  ask(vi, 2)
  vi:cmd("lcd " .. vim.fn.fnamemodify(dir, ":h"))
  equal(roots(vi), { vim.uv.fs_realpath(dir) })
  vi:cmd("set noautochdir | new | cd " .. dir .. "/sub")
  equal(vi:lua("return require('pintle').status().engine"), "stopped")
end)

test("started below the root, the workspace is the root", function()
  local dir = repository("project")
  local vi = child.start({ dir = dir .. "/src", stock = true, script = SCRIPT })
  ask(vi, 1)
  equal(roots(vi), { dir })
end)

test("a file of another project has that one's engine, and the prompt stays with its own", function()
  local dir, other = repository("project"), repository("other")
  vim.fn.mkdir(dir .. "/module/.git", "p")
  child.write(dir .. "/module/m.txt", "one\n")
  local vi = child.start({ dir = dir, stock = true, script = SCRIPT })
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/project', 1, true)")
  local prompt = vi:lua("return vim.api.nvim_get_current_win()")
  vi:cmd("wincmd t")
  vi:cmd("edit module/m.txt")
  ask(vi, 1)
  equal(roots(vi), { dir }, "a repository inside of it belongs to it")
  vi:cmd("edit " .. other .. "/top.txt")
  ask(vi, 2)
  equal(roots(vi), vim.fn.sort({ dir, other }))
  vi:lua("vim.api.nvim_set_current_win(...)", prompt)
  ask(vi, 3)
  equal(vi:lua("return require('pintle.workspace').find().root"), dir)
  equal(#roots(vi), 2)
end)

test("what setup says about the root counts", function()
  local dir = repository("project")
  local vi = child.start({ dir = dir, stock = true, script = SCRIPT })
  vi:lua("local root = ...; require('pintle.config').get().root = function() return root end", dir .. "/src")
  ask(vi, 1)
  equal(roots(vi), { dir .. "/src" })
end)
