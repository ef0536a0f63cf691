-- Runs the tests of `spec/*.lua`, `spec/unit/*.lua` or `spec/bench/*.lua`, and prints a line for each: `driver.lua e2e|unit|bench [NAME…]`.
-- The sum goes to a file for the script that runs this.

local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
package.path = here .. "/?.lua;" .. package.path
vim.opt.runtimepath:prepend(vim.env.PINTLE_PLUGIN)

-- The terminals of children are drawn, and asked nothing.
vim.o.eventignore = "TermRequest"

local child = require("child")
local report = require("report")
local tests = {}
local spec

---@param text string
local function say(text)
  io.stdout:write(text, "\n")
  io.stdout:flush()
end
_G.say = say

---@param name string
---@param body fun()
function _G.test(name, body)
  tests[#tests + 1] = { name = name, spec = spec, body = body }
end

---The seed of a random test, which is printed: $PINTLE_SEED, or one of its own.
---@return integer
function _G.seed()
  local number = tonumber(vim.env.PINTLE_SEED or "") or vim.uv.hrtime()
  number = number % 2147483648
  say(("     PINTLE_SEED=%d"):format(number))
  return number
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

---Waits until what is shown is as a golden file says, and compares it.
---@param name string
---@param shown fun(): string
---@param dir string a folder to write as DIR
local function golden_shown(name, shown, dir)
  local path = ("%s/golden/%s.txt"):format(here, name)
  if vim.env.UPDATE == "1" then
    -- Nothing says when the last byte was drawn: it is over when nothing more comes.
    local last
    repeat
      last = shown()
    until not vim.wait(500, function()
      return shown() ~= last
    end, 20)
  else
    local want = vim.uv.fs_stat(path) and child.read(path) or ""
    child.until_true(function()
      return steady(shown(), dir) == want
    end)
  end
  golden(name, shown(), dir)
end

---Waits until a child's terminal is as a golden file says.
---@param name string
---@param vi Child
function _G.golden_screen(name, vi)
  -- Names of sessions differ, and so does where a cursor stands in a line that says how long something took.
  vi:cmd("set noruler statusline=%=")
  golden_shown(name, function()
    return vi:terminal_screen()
  end, vi.dir)
end

---Waits until a child's grid, which no terminal shows, is as a golden file says.
---@param name string
---@param vi Child
function _G.golden_grid(name, vi)
  golden_shown(name, function()
    return vi:screen()
  end, vi.dir)
end

local wanted = vim.list_slice(_G.arg) -- without the script, at 0
local kind = table.remove(wanted, 1)
local specs = kind == "e2e" and here .. "/spec" or here .. "/spec/" .. kind
for _, path in ipairs(vim.fn.sort(vim.fn.glob(specs .. "/*.lua", false, true))) do
  spec = vim.fn.fnamemodify(path, ":t:r")
  dofile(path)
end

local function is_wanted(name)
  return #wanted == 0 or vim.iter(wanted):any(function(part)
    return name:find(part, 1, true) ~= nil
  end)
end

---Runs a test once, and ends its children. What it failed with ends with the folder of its evidence.
---@param each table
---@param attempt integer
---@return boolean ok
---@return string why
local function run(each, attempt)
  child.children, child.servers = {}, {}
  child.began = vim.uv.clock_gettime("realtime")
  local watched = child.watch()
  local ok, why = xpcall(each.body, function(err)
    return type(err) == "string" and debug.traceback(err, 2) or vim.inspect(err)
  end)
  if watched() then
    ok, why = false, "the test hung, perhaps in an editor that waited for a key\n" .. (why or "")
  end
  local folder
  local function keep()
    folder = folder or report.evidence(each.name, attempt)
    return folder
  end
  if not ok then
    child.keep_evidence(keep())
  end
  for _, each_child in ipairs(child.children) do
    local ended, problem = pcall(each_child.quit, each_child)
    if not ended and ok then
      ok, why = false, problem
      child.keep_evidence(keep())
    end
  end
  for _, server in ipairs(child.servers) do
    server:kill("sigterm")
    server:wait()
  end
  if not ok then
    child.write(folder .. "/failure.txt", why .. "\n")
    why = ("%s\nevidence: %s"):format(why, folder)
  end
  return ok, why
end

local retries = kind == "e2e" and tonumber(vim.env.PINTLE_RETRIES_E2E or "") or 0
local counts = { passed = 0, failed = 0, flaky = 0 }
local words = { passed = "ok  ", failed = "FAIL", flaky = "flaky" }

---@type Case[]
local cases = {}
for _, each in ipairs(tests) do
  if is_wanted(each.name) then
    local case =
      { name = each.name, spec = each.spec, seconds = 0, outcome = "failed", why = "the run ended in this test" }
    report.write(cases, case)
    local started = vim.uv.hrtime()
    local ok, why = run(each, 1)
    case.outcome, case.why = ok and "passed" or "failed", why
    for attempt = 2, 1 + (ok and 0 or retries) do
      say("    " .. why:gsub("\n", "\n    "))
      local again, problem = run(each, attempt)
      if again then
        case.outcome = "flaky"
        break
      end
      case.why = problem
    end
    case.seconds = (vim.uv.hrtime() - started) / 1e9
    cases[#cases + 1] = case
    counts[case.outcome] = counts[case.outcome] + 1
    say(("%s %s (%.0f ms)"):format(words[case.outcome], each.name, case.seconds * 1000))
    if case.outcome == "failed" then
      say("    " .. case.why:gsub("\n", "\n    "))
    end
  end
end
report.write(cases)

local sum = "%d passed, %d failed, 0 skipped, %d flaky"
child.write(vim.env.PINTLE_TEST_TEMP .. "/sum", sum:format(counts.passed, counts.failed, counts.flaky))
os.exit(counts.failed == 0 and #cases > 0 and 0 or 1)
