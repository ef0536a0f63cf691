-- Tables for what needs no child and no engine.

local session = require("pintle.session")

local function record(seq, event, turn)
  return { sessionId = "s", seq = seq, tsMs = 0, turnId = turn, event = event }
end

local function delta(n, text, to)
  return {
    sessionId = "s",
    after = 1,
    event = { type = "item.delta", itemId = "i", field = "text", n = n, to = to, text = text },
  }
end

local function message(status, text)
  return { id = "i", turnId = "t", status = status, startedMs = 0, type = "agentMessage", text = text }
end

local function kinds(changes)
  return vim.tbl_map(function(change)
    return change.kind
  end, changes)
end

test("events that are unknown, doubled or early", function()
  local state = session.new("s")
  equal(session.apply(state, record(1, { type = "from.the.future", more = { 1 } })), {})
  equal(state.seq, 1)
  equal(session.apply(state, record(1, { type = "notice", level = "info", code = "c", message = "m" })), {}, "twice")
  equal(session.apply(state, { sessionId = "s", after = 1, event = { type = "blip" } }), {})
  equal(session.apply(state, { sessionId = "s", after = 1 }), {})
  equal(session.apply(state, record(2, { type = "item.started" })), {}, "without its item")
  -- 4 comes before 3: held, and the pages are asked for once
  equal(kinds(session.apply(state, record(4, { type = "turn.completed", status = "completed" }, "t"))), { "behind" })
  equal(session.apply(state, record(5, { type = "notice", level = "info", code = "c", message = "m" })), {})
  equal(state.seq, 2)
  local changes, more =
    session.page(state, { events = { record(3, { type = "turn.started", model = "m" }, "t") }, lastSeq = 5 })
  equal(kinds(changes), { "turn", "state", "turn", "state", "notice" })
  equal({ more, state.seq, state.is_behind, next(state.held) }, { false, 5, false })
end)

test("a lagging connection pages", function()
  local state = session.new("s")
  equal(session.lagged(state, { sessionId = "s", lastSentSeq = 0, headSeq = 0 }), {}, "nothing durable was lost")
  equal(kinds(session.lagged(state, { sessionId = "s", lastSentSeq = 0, headSeq = 3 })), { "behind" })
  equal(session.lagged(state, { sessionId = "s", lastSentSeq = 3, headSeq = 4 }), {}, "once")
  local notice = { type = "notice", level = "info", code = "c", message = "m" }
  local _, more = session.page(state, { events = { record(1, notice) }, lastSeq = 2 })
  equal({ more, state.is_behind }, { true, true })
  _, more = session.page(state, { events = { record(2, notice) }, lastSeq = 2 })
  equal({ more, state.is_behind }, { false, false })
  state.is_behind = true
  _, more = session.page(state, { events = {}, lastSeq = 9 })
  equal(more, false, "an empty page ends it")
end)

test("deltas: in order, late, merged, with a gap", function()
  local state = session.new("s")
  equal(session.apply(state, delta(0, "early")), {}, "no item")
  session.apply(state, record(1, { type = "item.started", item = message("running", "") }))
  local texts = {}
  for _, each in ipairs({ delta(0, "a"), delta(0, "a"), delta(1, "bc", 2), delta(5, "f") }) do
    for _, change in ipairs(session.apply(state, each)) do
      texts[#texts + 1] = change.text
    end
  end
  equal(texts, { "a", "bc", "…f" })
  session.apply(state, record(2, { type = "item.completed", item = message("completed", "abcdef") }))
  equal(session.apply(state, delta(6, "g")), {}, "after its end")
end)

test("a state that is unknown counts as busy", function()
  local state = session.new("s")
  session.apply(state, { sessionId = "s", after = 0, event = { type = "state", value = "dreaming" } })
  equal(session.is_busy(state), true)
end)

test("how full the window is", function()
  local statusline = require("pintle.statusline")
  local rows = {
    { "nothing is known", nil, nil, false },
    { "no window", { tokens = 5000 }, nil, false },
    { "nothing yet", { tokens = 0, window = 200000 }, nil, false },
    { "some", { tokens = 124000, window = 200000 }, "62 % of 200k", false },
    { "just below", { tokens = 158900, window = 200000 }, "79 % of 200k", false },
    { "nearly full", { tokens = 160000, window = 200000 }, "80 % of 200k", true },
    { "a million", { tokens = 1048576, window = 1048576 }, "100 % of 1M", true },
    { "a small one", { tokens = 300, window = 900 }, "33 % of 900", false },
  }
  for _, row in ipairs(rows) do
    local text, is_full = statusline.meter(row[2])
    equal({ text or "none", is_full }, { row[3] or "none", row[4] }, row[1])
  end
  local state = session.new("s")
  equal(kinds(session.apply(state, record(1, { type = "session.updated", title = "A", by = "model" }))), { "state" })
  session.apply(state, { sessionId = "s", after = 1, event = { type = "context", tokens = 90, window = 100 } })
  equal(statusline.bar(state), " A%=%#PintleContextFull#90 %% of 100 ")
  session.apply(state, record(2, { type = "session.updated", by = "person" }))
  equal(state.title, nil)
end)

test("what the editor finds wrong, as the engine takes it", function()
  local item = require("pintle.diagnostics").item
  local rows = {
    {
      { lnum = 1, severity = 1, message = "m" },
      { range = { start = 2, ["end"] = 2 }, severity = "error", message = "m" },
    },
    {
      { lnum = 1, end_lnum = 3, severity = 4, message = "m", source = "s", code = 7 },
      { range = { start = 2, ["end"] = 4 }, severity = "hint", message = "m", source = "s", code = "7" },
    },
    {
      { lnum = 1, end_lnum = 0, severity = 9, message = "m" },
      { range = { start = 2, ["end"] = 2 }, severity = "information", message = "m" },
    },
  }
  for _, row in ipairs(rows) do
    equal(item(row[1]), row[2])
  end
end)

test("blocks of a message, shown and to be edited", function()
  local input = require("pintle.input")
  local rows = {
    { { type = "text", text = "words" }, "words", "words" },
    { { type = "file", path = "/a" }, "[/a]", "[/a]" },
    { { type = "file", path = "/a", range = { start = 2, ["end"] = 2 } }, "[/a, line 2]", "[/a, line 2]" },
    {
      { type = "selection", path = "/a", range = { start = 2, ["end"] = 3 }, text = "```\nc" },
      "[selection of /a, lines 2 to 3]",
      "/a, lines 2 to 3:\n\n````\n```\nc\n````",
    },
    { { type = "diagnostics", path = "/a", items = { {} } }, "[1 diagnostics of /a]", "[1 diagnostics of /a]" },
    { { type = "image" }, "[picture]", "[picture]" },
    { { type = "smell" }, "[smell]", "[smell]" },
  }
  for _, row in ipairs(rows) do
    equal({ input.shown({ row[1] }), input.editable({ row[1] }) }, { row[2], row[3] }, row[2])
  end
end)

test("diffs are taken back", function()
  local changes = require("pintle.changes")
  local rows = {
    { "a change", { "1", "b", "3" }, "@@ -1,3 +1,3 @@\n 1\n-a\n+b\n 3\n", { "1", "a", "3" } },
    { "a new file", { "1", "2" }, "@@ -0,0 +1,2 @@\n+1\n+2\n", {} },
    { "emptied", {}, "@@ -1,2 +0,0 @@\n-1\n-2\n", { "1", "2" } },
    { "lines taken out", { "1", "4" }, "@@ -2,2 +1,0 @@\n-2\n-3\n", { "1", "2", "3", "4" } },
    {
      "no newline at the end",
      { "b" },
      "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
      { "a" },
    },
    {
      "two hunks",
      { "A", "x", "2", "3", "4", "B" },
      "@@ -1 +1,2 @@\n-a\n+A\n+x\n@@ -5 +6 @@\n-b\n+B\n",
      { "a", "2", "3", "4", "b" },
    },
    { "another text", { "z" }, "@@ -1 +1 @@\n-a\n+b\n", nil },
  }
  for _, row in ipairs(rows) do
    equal(changes.revert(row[2], row[3]), row[4], row[1])
  end
end)

test("who may be spoken with", function()
  local engine = require("pintle.engine")
  local function hello(version)
    return { protocol = { name = "pintle", version = version } }
  end
  equal(engine.refusal(nil, hello("1.0")), nil)
  equal(engine.refusal(nil, hello("1.7")), nil)
  contains(engine.refusal(nil, hello("2.0")), "the engine is newer")
  contains(engine.refusal(nil, hello("0.3")), "the engine is older")
  contains(engine.refusal(nil, {}), "does not speak pintle's protocol")
  contains(engine.refusal(nil, nil), "does not speak pintle's protocol")
  contains(engine.refusal({ code = -32022, message = "x", data = { supported = { "3.0" } } }), "the engine is newer")
  contains(engine.refusal({ code = -32022, message = "x" }), "update the older of the two")
  contains(engine.refusal({ code = -32603, message = "broken" }), "broken")
end)

test("settings are checked", function()
  local config = require("pintle.config")
  local rows = {
    { { binari = "x" }, "there is no setting `binari`" },
    { { binary = 1 }, "the setting `binary` must be a string, not 1" },
    { { args = { 1 } }, "the setting `args` must be a list of strings" },
    { { restart_ms = { "1" } }, "the setting `restart_ms` must be a list of numbers" },
    { { permission_mode = "yolo" }, "the setting `permission_mode` is `ask` or `full`" },
  }
  for _, row in ipairs(rows) do
    local ok, why = pcall(config.set, row[1])
    equal(ok, false)
    contains(why, row[2])
  end
  equal(config.get().width, config.defaults.width)
end)

test("every setting, verb and map is in the help", function()
  local path = vim.env.PINTLE_PLUGIN .. "/doc/pintle.txt"
  local help = table.concat(vim.fn.readfile(path), "\n")
  local config = vim.fn.readfile(vim.env.PINTLE_PLUGIN .. "/lua/pintle/config.lua")
  local count = 0
  for _, line in ipairs(config) do
    local name = line:match("^%-%-%-@field ([%w_]+)")
    if name then
      count = count + 1
      contains(help, "*pintle-setting-" .. name .. "*")
    end
  end
  assert(count > 10)
  for _, verb in ipairs({ "open", "ask", "steer", "queue", "stop", "diff", "sessions", "attention", "doctor" }) do
    contains(help, "*:Pintle-" .. verb .. "*")
  end
  vim.cmd("silent helptags " .. vim.fn.fnameescape(vim.fs.dirname(path)))
  vim.fn.delete(vim.fs.dirname(path) .. "/tags")
end)

test("nothing about the wire is written twice", function()
  local protocol = require("pintle.protocol")
  local folder = vim.env.PINTLE_PLUGIN .. "/lua/pintle/"
  local used = 0
  for name in vim.fs.dir(folder) do
    local source = table.concat(vim.fn.readfile(folder .. name), "\n")
    if name ~= "protocol.lua" then
      for _, method in pairs(protocol.method) do
        assert(
          not source:find('"' .. method .. '"', 1, true) or #method < 9,
          ("%s names %s itself"):format(name, method)
        )
      end
      for key in source:gmatch("[%.)]method%.([%w_]+)") do
        used = used + 1
        assert(protocol.method[key], ("%s uses the method %s, which does not exist"):format(name, key))
      end
      for key in source:gmatch("protocol%.code%.([%w_]+)") do
        assert(protocol.code[key], ("%s uses the code %s, which does not exist"):format(name, key))
      end
    end
  end
  assert(used > 10, used)
  -- every event that the types know is one that the reducer knows, but for those that change nothing
  local generated = table.concat(vim.fn.readfile(folder .. "protocol.lua"), "\n")
  local reducer = table.concat(vim.fn.readfile(folder .. "session.lua"), "\n")
  for event in generated:gmatch("%-%-%-@class pintle%.Event%.([%w.]+)") do
    if event ~= "session.closed" then
      contains(reducer, ('["%s"]'):format(event))
    end
  end
end)

test("a message is UTF-8, whatever is in the buffer", function()
  local utf8 = require("pintle.rpc").utf8
  local rows = {
    { "plain", "plain" },
    { "é 项目 😀", "é 项目 😀" },
    { "caf\233 au lait", "caf\u{FFFD} au lait" },
    { "cut \230\150", "cut \u{FFFD}\u{FFFD}" },
    { "项\255目", "项\u{FFFD}目" },
    { "overlong \192\175", "overlong \u{FFFD}\u{FFFD}" },
    { "surrogate \237\160\128", "surrogate \u{FFFD}\u{FFFD}\u{FFFD}" },
  }
  for _, row in ipairs(rows) do
    equal(utf8(row[1]), row[2])
  end
end)

test("what a session does, from its events alone", function()
  local state = session.new("s")
  local approval = { approvalId = "a", itemId = "i", title = "bash", reason = "r", options = {} }
  local rows = {
    { { type = "turn.started", model = "m" }, "running" },
    { vim.tbl_extend("force", { type = "approval.requested" }, approval), "blocked" },
    { { type = "approval.resolved", approvalId = "a", itemId = "i", decision = "allow" }, "running" },
    { { type = "turn.completed", status = "completed" }, "idle" },
  }
  for seq, row in ipairs(rows) do
    session.apply(state, record(seq, row[1], "t"))
    equal(state.state, row[2], row[1].type)
  end
end)

test("a picture is shown by its kind and size", function()
  local call = { id = "i", turnId = "t", status = "completed", type = "toolCall", title = "read: a.png" }
  local image = { type = "image", mimeType = "image/png", data = ("A"):rep(163840) }
  call.output = { content = { { type = "text", text = "[a.png]" }, image } }
  local lines = require("pintle.render").item(call, session.new("s"))
  equal(lines, { "▸ read: a.png · done", "│ [a.png]", "│ [image image/png, 120 KB]" })
end)
