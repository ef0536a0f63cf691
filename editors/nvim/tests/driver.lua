-- Runs the tests of `spec/*.lua`, prints a line for each and a sum at the end.

local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
package.path = here .. "/?.lua;" .. package.path
vim.opt.runtimepath:prepend(vim.env.PINTLE_PLUGIN)

-- The terminals of children are drawn, and asked nothing.
vim.o.eventignore = "TermRequest"

local child = require("child")
local tests = {}

---@param text string
local function say(text)
  io.stdout:write(text, "\n")
  io.stdout:flush()
end
_G.say = say

---@param name string
---@param body fun()
function _G.test(name, body)
  tests[#tests + 1] = { name = name, body = body }
end

---@param got any
---@param want any
---@param what? string
function _G.equal(got, want, what)
  if not vim.deep_equal(got, want) then
    error(("%s: got\n%s\nwant\n%s"):format(what or "not equal", vim.inspect(got), vim.inspect(want)), 2)
  end
end

---@param text string
---@param part string
function _G.contains(text, part)
  if not text:find(part, 1, true) then
    error(("no `%s` in\n%s"):format(part, text), 2)
  end
end

---A text without what differs from run to run.
---@param text string
---@param dir? string a folder to write as DIR
---@return string
local function steady(text, dir)
  if dir then
    text = text:gsub(vim.pesc(vim.uv.fs_realpath(dir)), "DIR"):gsub(vim.pesc(dir), "DIR")
  end
  -- Only a model that is known has a window.
  text = text:gsub("%d+ %% of %d+k ", function(meter)
    return (" "):rep(#meter)
  end)
  -- The ruler in the command line: some versions leave it there when it is switched off.
  for _, place in ipairs({ "All", "Top", "Bot" }) do
    text = text:gsub(" +%d+,%d+[%-%d]* +" .. place .. "$", "")
  end
  -- A status line cuts the end of a name off at its beginning.
  text = text:gsub("<%x*%-%x%x%x%x[%x%-]*", "<ID")
  return (text:gsub("%d+%.%d s", "N s"):gsub("%x+%-%x+%-7%x+%-%x+%-%x+", "ID")) .. "\n"
end

---Compares a text with a golden file.
---@param name string
---@param text string
---@param dir? string a folder to write as DIR
function _G.golden(name, text, dir)
  text = steady(text, dir)
  local path = ("%s/golden/%s.txt"):format(here, name)
  if vim.env.UPDATE == "1" then
    vim.fn.mkdir(vim.fs.dirname(path), "p")
    return child.write(path, text)
  end
  local want = vim.uv.fs_stat(path) and child.read(path) or ""
  if text ~= want then
    error(("golden/%s.txt differs:\n%s"):format(name, vim.diff(want, text)), 2)
  end
end

---Waits until a child's terminal is as a golden file says.
---@param name string
---@param vi Child
function _G.golden_screen(name, vi)
  -- Names of sessions differ, and so does where a cursor stands in a line that says how long something took.
  vi:cmd("set noruler statusline=%=")
  local path = ("%s/golden/%s.txt"):format(here, name)
  if vim.env.UPDATE == "1" then
    -- Nothing says when the last byte was drawn: it is over when nothing more comes.
    local last
    repeat
      last = vi:terminal_screen()
    until not vim.wait(500, function()
      return vi:terminal_screen() ~= last
    end, 20)
  else
    local want = vim.uv.fs_stat(path) and child.read(path) or ""
    vim.wait(5000, function()
      return steady(vi:terminal_screen(), vi.dir) == want
    end, 10)
  end
  golden(name, vi:terminal_screen(), vi.dir)
end

for _, path in ipairs(vim.fn.sort(vim.fn.glob(here .. "/spec/*.lua", false, true))) do
  dofile(path)
end

local passed, failed = 0, 0
local wanted = vim.list_slice(_G.arg) -- without the script, at 0
local function is_wanted(name)
  return #wanted == 0 or vim.iter(wanted):any(function(part)
    return name:find(part, 1, true) ~= nil
  end)
end

for _, each in ipairs(tests) do
  if is_wanted(each.name) then
    child.children = {}
    local started = vim.uv.hrtime()
    local ok, why = xpcall(each.body, function(err)
      return type(err) == "string" and debug.traceback(err, 2) or vim.inspect(err)
    end)
    for _, each_child in ipairs(child.children) do
      local ended, problem = pcall(each_child.quit, each_child)
      if not ended and ok then
        ok, why = false, problem
      end
    end
    local ms = (vim.uv.hrtime() - started) / 1e6
    say(("%s %s (%d ms)"):format(ok and "ok  " or "FAIL", each.name, ms))
    if ok then
      passed = passed + 1
    else
      failed = failed + 1
      say("    " .. (why:gsub("\n", "\n    ")))
    end
  end
end

say(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
