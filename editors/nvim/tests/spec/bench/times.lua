-- Times of streams and long sessions, printed and not judged: what a machine does besides is in them. `spec/streams.lua` counts the work.

local child = require("child")
local flood = require("flood")
local reply = require("reply")

local text = reply.text

-- Measures, in the child: the longest time in which its loop did not come round, how much of such a time it was
-- computing itself, deltas, redraws.
local MEASURE = [[
  local function processor_ms()
    local usage = vim.uv.getrusage()
    return (usage.utime.sec + usage.stime.sec) * 1e3 + (usage.utime.usec + usage.stime.usec) / 1e3
  end
  local last, last_own, gap, own, deltas = vim.uv.hrtime(), processor_ms(), 0, 0, 0
  _G.measure = function()
    local redraws = require("pintle.workspace").find():view().chat.redraws
    return { gap = gap / 1e6, own = own, deltas = deltas, redraws = redraws }
  end
  vim.uv.new_timer():start(2, 2, function()
    local now, now_own = vim.uv.hrtime(), processor_ms()
    gap, own = math.max(gap, now - last), math.max(own, now_own - last_own)
    last, last_own = now, now_own
  end)
  local session = require("pintle.session")
  local transient = session.transient
  session.transient = function(state, event, changes)
    if event.type == "item.delta" then
      deltas = deltas + 1 + (event.to or event.n) - event.n
    end
    return transient(state, event, changes)
  end
]]

local function stream(vi, name)
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:lua(MEASURE)
  local started = vim.uv.hrtime()
  vi:cmd("Pintle ask count")
  -- Seldom, so that the questions do not disturb what is measured.
  vim.wait(60000, function()
    return vi:lua("return #vim.tbl_filter(function(e) return e.name == 'PintleTurnCompleted' end, _G.events) > 0")
  end, 50)
  local ms = (vim.uv.hrtime() - started) / 1e6
  local seen = vi:lua("return _G.measure()")
  local figures = "     %s: %d deltas in %.0f ms, %d redraws, largest gap %.1f ms (%.1f ms of the processor)"
  say(figures:format(name, seen.deltas, ms, seen.redraws, seen.gap, seen.own))
  equal(seen.deltas, flood.COUNT)
  equal(select(2, vi:chat():gsub("word%d+", "")), flood.COUNT)
end

-- On a real terminal, so that drawing is measured too.
local function check_stream(options, name)
  options.in_terminal = true
  local vi = child.start(options)
  stream(vi, name)
  vi:quit()
end

test("10,000 deltas", function()
  local delay = tonumber(vim.env.PINTLE_TEST_DELAY_MS or "0")
  local script = { delayMs = delay, replies = { text(flood.text()) } }
  check_stream({ script = script }, ("engine, %d ms between words"):format(delay))
end)

test("10,000 deltas, a line each, all at once", function()
  check_stream(flood.options(), "a flood")
end)

test("a session of 10,000 items", function()
  local blocks = {}
  for number = 1, 5000 do
    table.insert(blocks, { reasoning = "thought " .. number })
    table.insert(blocks, { text = "said " .. number })
  end
  local vi = child.start({ script = { replies = { { blocks = blocks } } } })
  vi:cmd("Pintle ask talk")
  vi:wait_chat("said 5000\n\n*done")
  local before = vi:chat()
  local id = vi:lua("return require('pintle').status().session")
  vi:quit()
  local best, again = math.huge, nil
  for _ = 1, 5 do
    if again then
      again:quit()
    end
    again = child.start({ dir = vi.dir, script = { replies = {} }, in_terminal = true })
    again:cmd("Pintle open")
    again:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
    again:wait("require('pintle').status().session ~= nil")
    again:lua(MEASURE)
    local ms = again:lua(
      [[
      local started, id = vim.uv.hrtime(), ...
      local here = require("pintle.workspace").find()
      local is_open
      here:open(id, function(view)
        require("pintle.layout").show(here, view.chat)
        view.chat:draw()
        vim.cmd.redraw()
        is_open = true
      end)
      vim.wait(60000, function() return is_open end, 1)
      return (vim.uv.hrtime() - started) / 1e6
    ]],
      id
    )
    again:wait_screen("said 5000")
    best = math.min(best, ms)
  end
  again:wait("require('pintle').status().session == given", "the session", id)
  local shown = again:chat()
  assert(vim.endswith(before, shown:sub(-2000)), shown:sub(-2000))
  assert(#shown < #before / 10, "only its end was read")
  again:read_beginning()
  -- Before the test asks for all of the text, which takes its own time.
  local seen = again:lua("return _G.measure()")
  assert(again:whole_chat() == before, "its beginning was read")
  local figures =
    "     10,000 items open in %.0f ms; all of it read without a gap over %.1f ms (%.1f ms of the processor)"
  say(figures:format(best, seen.gap, seen.own))
end)

test("starting the editor", function()
  local best = math.huge
  for number = 1, 8 do
    local path = ("%s/start-%d"):format(child.folder(), number)
    local add = "set runtimepath^=" .. vim.fn.fnameescape(vim.env.PINTLE_PLUGIN)
    local command = { vim.env.NVIM_BIN, "--headless", "--clean", "--cmd", add, "--startuptime", path, "+qall" }
    assert(vim.system(command):wait(20000).code == 0)
    -- elapsed, with what it loads, by itself: file
    local ms = child.read(path):match("%s([%d.]+)%s+[%d.]+: sourcing %S*/plugin/pintle.lua")
    best = math.min(best, tonumber(ms) or error("it was not loaded"))
  end
  say(("     the plugin is loaded in %.2f ms"):format(best))
end)
