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
  equal(
    session.apply(state, record(1, { type = "session.notice", level = "info", code = "c", message = "m" })),
    {},
    "twice"
  )
  equal(session.apply(state, { sessionId = "s", after = 1, event = { type = "blip" } }), {})
  equal(session.apply(state, { sessionId = "s", after = 1 }), {})
  equal(session.apply(state, record(2, { type = "item.started" })), {}, "without its item")
  -- 4 comes before 3: held, and the pages are asked for once
  equal(kinds(session.apply(state, record(4, { type = "turn.completed", status = "completed" }, "t"))), { "behind" })
  equal(session.apply(state, record(5, { type = "session.notice", level = "info", code = "c", message = "m" })), {})
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
  local notice = { type = "session.notice", level = "info", code = "c", message = "m" }
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
  equal(session.apply(state, delta(0, "abcdef", 5)), {}, "nothing of it is new")
  local again = session.apply(state, delta(0, "abcdefg", 6))[1]
  equal({ again.text, again.is_first }, { "abcdefg", true }, "after a new subscription all of it comes again")
  session.apply(state, record(2, { type = "item.completed", item = message("completed", "abcdef") }))
  equal(session.apply(state, delta(6, "g")), {}, "after its end")
end)

test("a state that is unknown counts as busy", function()
  local state = session.new("s")
  session.apply(state, { sessionId = "s", after = 0, event = { type = "session.state", value = "dreaming" } })
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
  session.apply(state, { sessionId = "s", after = 1, event = { type = "session.context", tokens = 90, window = 100 } })
  equal(statusline.bar(state, 40), " A%=%#PintleContextFull#90 %% of 100 ")
  state.title = ("long % "):rep(9)
  equal(statusline.bar(state, 30), " long %% long %% l…%=%#PintleContextFull#90 %% of 100 ")
  session.apply(state, record(2, { type = "session.updated", by = "user" }))
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
    { { type = "document", name = "report.pdf" }, "[report.pdf]", "[report.pdf]" },
    { { type = "smell" }, "[smell]", "[smell]" },
  }
  for _, row in ipairs(rows) do
    equal({ input.shown({ row[1] }), input.editable({ row[1] }) }, { row[2], row[3] }, row[2])
  end
end)

local function hunk(before, old, after, new, kind)
  local function count(text)
    return select(2, text:gsub("\n", "\n")) + (text:match("[^\n]$") and 1 or 0)
  end
  return {
    id = "h" .. after,
    changedSeq = 7,
    kind = kind or "lines",
    state = "pending",
    before = { start = before, count = count(old) },
    after = { start = after, count = count(new) },
    oldText = old,
    newText = new,
  }
end

test("the text that the engine saw, from baseline and hunks", function()
  local hunks = require("pintle.hunks")
  local rows = {
    { "nothing open", "a\n", {}, "a\n" },
    { "a change", "1\na\n3\n", { hunk(2, "a\n", 2, "b\nc\n") }, "1\nb\nc\n3\n" },
    { "before the first line", "1\n", { hunk(1, "", 1, "0\n") }, "0\n1\n" },
    { "behind the last line", "1\n", { hunk(2, "", 2, "2\n") }, "1\n2\n" },
    { "without an end", "1\na", { hunk(2, "a", 2, "b") }, "1\nb" },
    { "ends that stay as they are", "1\r\na\r\n", { hunk(2, "a\r\n", 2, "b\r\n") }, "1\r\nb\r\n" },
    { "two", "a\n2\nb\n", { hunk(1, "a\n", 1, ""), hunk(3, "b\n", 2, "B\n") }, "2\nB\n" },
    { "a new file", nil, { hunk(1, "", 1, "x\n", "file") }, "x\n" },
    { "a file that is gone", "x\n", { hunk(1, "x\n", 1, "", "file") }, nil },
    { "mode bits", "x\n", { hunk(1, "", 1, "", "mode") }, "x\n" },
    { "another baseline", "z\n", { hunk(1, "a\n", 1, "b\n") }, nil },
    { "a baseline that is too short", "z\n", { hunk(4, "", 4, "b\n") }, nil },
  }
  for _, row in ipairs(rows) do
    equal(hunks.seen({ exists = row[2] ~= nil, text = row[2] }, row[3]), row[4], row[1])
  end
end)

test("hunks stand only where a buffer holds their lines", function()
  local hunks = require("pintle.hunks")
  local rows = {
    { "as seen", "1 b 3", "1 b 3", { { 2, "b" } }, { "1+1" } },
    { "lines above", "1 b 3", "x y 1 b 3", { { 2, "b" } }, { "3+1" } },
    { "lines below", "1 b 3", "1 b 3 x", { { 2, "b" } }, { "1+1" } },
    { "lines above are gone", "1 2 b 3", "b 3", { { 3, "b" } }, { "0+1" } },
    { "a line of its own was changed", "1 b c 3", "1 b X 3", { { 2, "b c" } }, {} },
    { "a line was put into it", "1 b c 3", "1 b x c 3", { { 2, "b c" } }, {} },
    { "the same line elsewhere", "} b } 4", "} x } 4", { { 2, "b" } }, {} },
    { "the one of two that is there", "a 2 b 4", "X 2 b 4", { { 1, "a" }, { 3, "b" } }, { "2+1" } },
    { "deleted lines", "1 2 3", "x 1 2 3", { { 2, "" } }, { "2+0" } },
    { "deleted lines at the end", "1 2", "x 1 2", { { 3, "" } }, { "3+0" } },
    { "deleted lines before a changed one", "1 2 3", "1 X 3", { { 2, "" } }, { "1+0" } },
    { "deleted lines between changed ones", "1 2 3 4", "X Y 3 4", { { 2, "" } }, {} },
    { "all lines deleted", "", "", { { 1, "" } }, { "0+0" } },
    { "a deleted line is back", "1 2 3", "1 d 2 3", { { 2, "", "d" } }, {} },
    { "deleted lines are back at the end", "1 2", "1 2 d e", { { 3, "", "d e" } }, {} },
    { "deleted lines are back at the beginning", "1 2", "d 1 2", { { 1, "", "d" } }, {} },
    { "deleted lines are back beside a new one", "1 2", "1 d e x 2", { { 2, "", "d e" } }, {} },
    { "one of the deleted lines is back", "1 2", "1 e 2", { { 2, "", "d e" } }, { "2+0" } },
    { "all lines were deleted and are back", "", "d e", { { 1, "", "d e" } }, {} },
    { "the same line elsewhere as the deleted one", "1 d 3", "1 d 3", { { 3, "", "d" } }, { "2+0" } },
    { "another text", "1 b 3", "q w e", { { 2, "b" } }, {} },
  }
  for _, row in ipairs(rows) do
    local function words(text)
      return vim.split(text, " ", { trimempty = true })
    end
    local given = vim.tbl_map(function(each)
      local new = table.concat(words(each[2]), "\n")
      local old = each[3] and table.concat(words(each[3]), "\n") .. "\n" or ""
      return hunk(1, old, each[1], new == "" and "" or new .. "\n")
    end, row[4])
    local got = vim.tbl_map(function(place)
      return ("%d+%d"):format(place.row, place.count)
    end, hunks.places(words(row[2]), words(row[3]), given))
    equal(got, row[5], row[1])
  end
end)

test("which lines of a hunk are decided about", function()
  local hunks = require("pintle.hunks")
  local function lines(of)
    return of and (of.start .. "+" .. of.count) or "none"
  end
  local rows = {
    { "all of it", 3, 2, { 11, 13 }, "hunk" },
    { "more than it", 3, 2, { 1, 99 }, "hunk" },
    { "above", 3, 2, { 1, 10 }, nil },
    { "below", 3, 2, { 14, 20 }, nil },
    { "the first line", 3, 3, { 11, 11 }, "1+1 old 1+1" },
    { "the last line, with what is left before", 2, 4, { 12, 12 }, "2+1 old 2+3" },
    { "lines that replace nothing", 4, 1, { 12, 13 }, "2+2 old none" },
    { "an insertion", 3, 0, { 12, 20 }, "2+2 old none" },
    { "deleted lines", 0, 2, { 11, 11 }, "hunk" },
    { "deleted lines, from above", 0, 2, { 10, 10 }, "hunk" },
    { "deleted lines, far away", 0, 2, { 5, 6 }, nil },
  }
  for _, row in ipairs(rows) do
    local name, count, old, range, want = row[1], row[2], row[3], row[4], row[5]
    local place = { row = 10, count = count, hunk = hunk(11, ("o\n"):rep(old), 11, ("n\n"):rep(count)) }
    local got = hunks.target(place, range[1], range[2])
    local text = got and got.type
    if got and got.type == "lines" then
      text = ("%s old %s"):format(lines(got.lines.new), lines(got.lines.old))
    end
    equal(text, want, name)
    equal(got and got.changedSeq, want and 7, name)
  end
end)

test("what came of a decision, in words", function()
  local decision = require("pintle.decision")
  local function part(effect, outcome)
    return { hunk = "1.1", path = "/a", effect = effect, outcome = outcome }
  end
  local rows = {
    { { part("keep", "applied") }, "1 hunk kept", 0 },
    { { part("undo", "applied"), part("undo", "applied") }, "2 hunks undone", 0 },
    { { part("undo", "applied"), part("undo", "conflict") }, "1 hunk undone", 1 },
    { { part("reopen", "applied"), part("undo", "queued") }, "1 hunk reopened, 1 hunk queued", 0 },
    { { part("comment", "applied") }, "1 hunk commented", 0 },
  }
  for _, row in ipairs(rows) do
    local said, conflicts = decision.words(row[1])
    equal({ said, #conflicts }, { row[2], row[3] })
  end
end)

test("how an edit ended, in words", function()
  local inline = require("pintle.inline")
  local levels = vim.log.levels
  local rows = {
    {
      { status = "completed", duration_ms = 1500 },
      { "a.lua", "b.lua" },
      nil,
      "edited a.lua, b.lua in 1.5 s; :Pintle edits opens the transcript",
      levels.INFO,
    },
    {
      { status = "completed" },
      {},
      "It is fine",
      "no changes in a.lua: It is fine; :Pintle edits opens the transcript",
      levels.WARN,
    },
    {
      { status = "completed", denials = 2 },
      {},
      "As you wish.",
      "no changes in a.lua: 2 calls were denied; :Pintle edits opens the transcript",
      levels.WARN,
    },
    { { status = "interrupted" }, {}, nil, "the edit of a.lua was stopped, nothing was changed", levels.INFO },
    {
      { status = "interrupted" },
      { "a.lua" },
      nil,
      "the edit of a.lua was stopped after it changed a.lua",
      levels.INFO,
    },
    {
      { status = "failed", error = { code = "auth", message = "no key for x" } },
      {},
      nil,
      "the edit of a.lua failed: no key for x; sign in or set a key with :Pintle login x",
      levels.ERROR,
    },
    {
      { status = "failed", error = { code = "network", message = "no network" } },
      { "a.lua" },
      nil,
      "the edit of a.lua failed after it changed a.lua: no network",
      levels.ERROR,
    },
    {
      { status = "completed", stop = "limit" },
      {},
      nil,
      "the edit of a.lua reached its limit of 30 replies, nothing was changed; :Pintle edits opens the transcript",
      levels.WARN,
    },
  }
  for _, row in ipairs(rows) do
    local turn = vim.tbl_extend("keep", row[1], { id = "t" })
    equal({ inline.outcome("a.lua", turn, row[2], row[3]) }, { row[4], row[5] })
  end
end)

test("silence of a turn and of an edit is reported with the command that stops it", function()
  local pulse = require("pintle.pulse")
  contains(pulse.silence_text(41, false), "no data for 41 s: `:Pintle stop` cancels the turn")
  equal(pulse.silence_text(41, true), "no data for an edit for 41 s: `:Pintle stop edit` stops it")
end)

test("positions of an edit's progress", function()
  local place = require("pintle.progress").place
  -- Rows: the lines, the first and the last line of the window, the line of the progress, and whether it is above.
  local rows = {
    { { 5, 6, 1, 20 }, { 5, true } },
    { { 5, 5, 5, 20 }, { 5, false } },
    { { 5, 6, 5, 20 }, { 6, false } },
    { { 5, 30, 5, 20 }, { 6, true } },
    { { 1, 30, 1, 20 }, { 2, true } },
    { { 1, 30, 10, 20 }, { 11, true } },
    { { 1, 15, 10, 20 }, { 15, false } },
    { { 1, 20, 10, 20 }, { 11, true } },
    { { 5, 6, 10, 20 }, { 5, true } },
    { { 30, 36, 10, 20 }, { 30, true } },
    { { 1, 6 }, { 6, false } },
    { { 3, 6 }, { 3, true } },
    { { 1, 9, 4, 4 }, { 5, true } },
  }
  for _, row in ipairs(rows) do
    equal({ place(unpack(row[1], 1, 4)) }, row[2], vim.inspect(row[1]))
  end
end)

test("what an edit does, at its lines", function()
  local inline = require("pintle.inline")
  local state = session.new("s")
  state.state = "running"
  equal(inline.activity(state), "working")
  state.items = {
    ["1"] = { id = "1", type = "toolCall", status = "completed", title = "read a" },
    ["2"] = { id = "2", type = "toolCall", status = "running", title = "bash: make\nmake test" },
    ["3"] = { id = "3", type = "toolCall", status = "pending", title = "edit a" },
  }
  equal(inline.activity(state), "bash: make …")
  state.state = "blocked"
  equal(inline.activity(state), "waiting for your answer, :Pintle attention")
end)

test("the last messages of a session, for a preview", function()
  local recent = require("pintle.recent")
  local long = {}
  for line = 1, 100 do
    long[line] = "line " .. line
  end
  local items = {
    { type = "userMessage", content = { { type = "text", text = "fix it" } } },
    { type = "reasoning", text = "hm" },
    { type = "toolCall", title = "read a.lua" },
    { type = "toolCall", title = "bash: make\ncheck" },
    { type = "agentMessage", text = table.concat(long, "\n") .. "\n" },
  }
  local lines = recent.lines(items)
  local head = { "## You", "", "fix it", "", "- read a.lua", "- bash: make …", "", "## pintle", "", "…", "line 41" }
  equal(vim.list_slice(lines, 1, #head), head)
  equal(lines[#lines], "line 100")
  equal(recent.lines({}), { "(no messages)" })
end)

test("who may be spoken with", function()
  local engine = require("pintle.engine")
  local function hello(version)
    return { protocol = { name = "pintle", version = version } }
  end
  equal(engine.refusal(nil, hello("2.0")), nil)
  equal(engine.refusal(nil, hello("2.7")), nil)
  contains(engine.refusal(nil, hello("3.0")), "the engine is newer")
  contains(engine.refusal(nil, hello("0.3")), "the engine is older")
  contains(engine.refusal(nil, {}), "does not speak pintle's protocol")
  contains(engine.refusal(nil, nil), "does not speak pintle's protocol")
  contains(engine.refusal({ code = -32022, message = "x", data = { supported = { "3.0" } } }), "the engine is newer")
  contains(engine.refusal({ code = -32022, message = "x" }), "update the older of the two")
  contains(engine.refusal({ code = -32603, message = "broken" }), "broken")
end)

test("each wrong setting is reported and only itself ignored", function()
  local config = require("pintle.config")
  local log = require("pintle.log")
  local rows = {
    { "binari", "x", "unknown setting `binari`; did you mean `binary`?" },
    { "permissions", "ask", "unknown setting `permissions`; did you mean `permission_mode`?" },
    { 1, "side", "unknown setting `1`" },
    { "binary", 1, "the setting `binary` must be a string, not 1" },
    { "args", { 1 }, "the setting `args` must be a list of strings, not { 1 }" },
    { "env", { A = 1 }, "the setting `env` must be a table of strings by name" },
    { "restart_ms", { "1" }, "the setting `restart_ms` must be a list of numbers" },
    { "permission_mode", "yolo", 'must be one of: read-only, ask, auto-edit, full, not "yolo"' },
    { "layout", "sideways", "must be one of: side, float, tab" },
    { "picker", "fzy", "must be one of: auto, select, telescope, fzf-lua, mini.pick, snacks" },
    { "width", 0, "must be a fraction of the columns, such as 0.4, or a number of columns, not 0" },
    { "prompt_height", 0, "must be a number of 1 or more, not 0" },
    { "stall_ms", "40", "must be a number of 0 or more" },
  }
  for _, row in ipairs(rows) do
    local given = { model = "a/b", exit_ms = 7 }
    given[row[1]] = row[2]
    config.set(given)
    local set = config.get()
    equal({ set.model, set.exit_ms, set[row[1]] }, { "a/b", 7, config.defaults[row[1]] }, row[3])
    equal(#config.problems, 1)
    contains(config.problems[1], row[3])
    contains(log.lines[#log.lines], "ignored: setup(): ")
  end
  for _, mode in ipairs({ "read-only", "ask", "auto-edit", "full" }) do
    config.set({ permission_mode = mode })
    equal({ config.get().permission_mode, config.problems }, { mode, {} })
  end
  -- What is wrong in one place leaves the other alone.
  vim.g.pintle = { layout = "nowhere", width = 50, shared = "yes" }
  config.set({ width = "wide" })
  equal({ config.get().layout, config.get().width, #config.problems }, { "side", 50, 3 })
  vim.g.pintle = nil
  config.set("wrong")
  contains(config.problems[1], 'setup() must be a table, not "wrong"')
  config.set({})
end)

test("every setting, verb and map is in the help", function()
  local path = vim.env.PINTLE_PLUGIN .. "/doc/pintle.txt"
  local help = table.concat(vim.fn.readfile(path), "\n")
  local config = vim.fn.readfile(vim.env.PINTLE_PLUGIN .. "/lua/pintle/config.lua")
  local count = 0
  for _, line in ipairs(config) do
    local name = line:match("^%-%-%-@field ([%w_]+)")
    if line == "" and count > 0 then
      break
    elseif name then
      count = count + 1
      contains(help, "*pintle-setting-" .. name .. "*")
    end
  end
  assert(count > 10)
  for _, verb in
    ipairs(vim.tbl_filter(function(verb)
      return verb ~= ""
    end, require("pintle.command").complete("", "Pintle ")))
  do
    contains(help, "*:Pintle-" .. verb .. "*")
  end
end)

test("every verb has a map, and every other map is in the help", function()
  local help = table.concat(vim.fn.readfile(vim.env.PINTLE_PLUGIN .. "/doc/pintle.txt"), "\n")
  vim.g.loaded_pintle = nil
  vim.cmd.source(vim.env.PINTLE_PLUGIN .. "/plugin/pintle.lua")
  local verbs = require("pintle.command").complete("", "Pintle ")
  for _, verb in ipairs(verbs) do
    assert(vim.fn.maparg(("<Plug>(pintle-%s)"):format(verb), "n") ~= "", verb)
  end
  for _, mode in ipairs({ "n", "x", "o" }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      local name = map.lhs:match("^<Plug>%((pintle%-.*)%)$")
      if name and not vim.list_contains(verbs, name:sub(8)) then
        contains(help, ("<Plug>(%s)"):format(name))
      end
    end
  end
end)

test("every event and highlight group is in the help, and so are the defaults", function()
  local help = table.concat(vim.fn.readfile(vim.env.PINTLE_PLUGIN .. "/doc/pintle.txt"), "\n")
  local events, groups = 0, 0
  for _, path in ipairs(vim.fn.glob(vim.env.PINTLE_PLUGIN .. "/lua/pintle/*.lua", false, true)) do
    local source = table.concat(vim.fn.readfile(path), "\n")
    for name in source:gmatch('log%.emit%("(%w+)"') do
      events = events + 1
      contains(help, "\n    Pintle" .. name .. " ")
    end
    for name in source:gmatch("%f[%w](Pintle%u%w+) = ") do
      groups = groups + 1
      contains(help, "*hl-" .. name .. "*")
    end
    for name in source:gmatch('nvim_set_hl%(0, "(%w+)"') do
      groups = groups + 1
      contains(help, "*hl-" .. name .. "*")
    end
  end
  assert(events > 10 and groups > 10)
  local code = help:match('require%("pintle"%)%.setup(%b())'):gsub("<function>", "nil")
  local given = assert(loadstring("return " .. code))()
  local defaults = vim.deepcopy(require("pintle.config").defaults)
  defaults.root = nil
  equal(given, defaults)
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
  local reducer = table.concat(vim.fn.readfile(folder .. "events.lua"), "\n")
  for event in generated:gmatch("%-%-%-@class pintle%.Event%.([%w.]+)") do
    if event ~= "session.closed" then
      contains(reducer, ('["%s"]'):format(event))
    end
  end
end)

test("values are gone through round and round", function()
  local stepped = require("pintle.settings").stepped
  local rows = {
    { { "a", "b", "c" }, "a", 1, "b" },
    { { "a", "b", "c" }, "c", 1, "a" },
    { { "a", "b", "c" }, "a", -1, "c" },
    { { "a", "b", "c" }, "other", 1, "a" },
    { { "a", "b", "c" }, nil, -1, "a" },
    { { "a" }, "a", 1, nil },
    { {}, "a", 1, nil },
  }
  for _, row in ipairs(rows) do
    equal(stepped(row[1], row[2], row[3]), row[4])
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

test("an answer in the transcript", function()
  local events = require("pintle.events")
  local question = { options = { { optionId = "1", label = "red" }, { optionId = "2", label = "blue" } } }
  for want, case in pairs({
    ["You answered: red, blue"] = { { by = "client", optionIds = { "1", "2" } } },
    ["You answered: red, but dark"] = { { by = "client", optionIds = { "1" }, text = "but dark" } },
    ["VS Code answered: neither"] = { { by = "client", text = "neither" }, "VS Code" },
    ["The question was dismissed"] = { { by = "dismissed" } },
    ["No answer in time"] = { { by = "deadline" } },
  }) do
    local notice = events.answered(question, case[1], case[2])
    equal(require("pintle.render").notice(notice), { "> " .. want })
  end
  equal(events.answered(question, { by = "interrupt" }), nil)
  equal(events.answered(nil, { by = "client", optionIds = { "1" } }).message, "You answered: 1")
end)

test("a hidden note is not drawn, another is", function()
  local note = { type = "engineMessage", text = "a note" }
  local draw = require("pintle.render").item
  equal(draw(note, session.new("s")), { "> a note" })
  note.note = { hidden = true }
  equal(draw(note, session.new("s")), nil)
end)

test("a picture is shown by its kind and size", function()
  local call = { id = "i", turnId = "t", status = "completed", type = "toolCall", title = "read: a.png" }
  local image = { type = "image", mimeType = "image/png", data = ("A"):rep(163840) }
  call.output = { content = { { type = "text", text = "[a.png]" }, image } }
  local lines = require("pintle.render").item(call, session.new("s"))
  equal(lines, { "▾ read: a.png · done", "│ [a.png]", "│ [image image/png, 120 KB]" })
end)

test("the lines of a diff in a card are coloured, and no others", function()
  local groups = require("pintle.colours").groups
  local lines = {
    "▾ edit: a.lua · +1 -1",
    "│ + not of a diff",
    "│ a.lua",
    "│ @@ -1,3 +1,3 @@",
    "│  one",
    "│ -two",
    "│ +2",
    "│ \\ No newline at end of file",
    "│ b.lua",
    "│ - not of a diff either",
  }
  equal(groups(lines), { [4] = "PintleDiffPlace", [6] = "PintleDiffRemoved", [7] = "PintleDiffAdded" })
end)

test("what a screen shows as nothing is drawn as a sign", function()
  local notice = require("pintle.notice")
  for _, row in ipairs({
    { "plain – “text” 文 é\t1\n", "plain – “text” 文 é\t1\n" },
    { "a\u{200b}b\u{202e}c", "a⟨U+200B⟩b⟨U+202E⟩c" },
    { "a\u{2800}b\u{2801}c", "a⟨U+2800⟩b⠁c" },
    { "x\u{e0041}y\u{3164}z\u{ad}", "x⟨U+E0041⟩y⟨U+3164⟩z⟨U+00AD⟩" },
    { "\255\194", "\255\194" },
  }) do
    equal(notice.signs(row[1]), row[2])
  end
  equal(notice.visible("a\n\u{2800}\27"), "a␤⟨U+2800⟩^[")
  local lines = require("pintle.panel").diff("@@ -1 +1 @@\n-rm a\n+rm\u{2800}a\n")
  equal(lines[3], { text = "+rm⟨U+2800⟩a", group = "PintlePanelAdded" })
end)
