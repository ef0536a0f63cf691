-- Inline edits: `:Pintle edit`, in sessions of their own.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

local function edit(path, old, new)
  return call("edit", { path = path, edits = { { oldText = old, newText = new } } })
end

local function waits(name)
  return call("bash", { command = ("while [ ! -e %s ]; do sleep 0.02; done"):format(name) })
end

-- What inline edits show in the current buffer: the first and last line, and the virtual line.
local SHOWN = [[
  local found = {}
  local space = vim.api.nvim_get_namespaces()["pintle.inline"]
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
    local details = mark[4]
    if details.virt_lines then
      table.insert(found, (mark[2] + 1) .. (details.virt_lines_above and " above: " or " below: ") .. details.virt_lines[1][1][1])
    else
      table.insert(found, ("%d-%d"):format(mark[2] + 1, details.end_row))
    end
  end
  return found
]]

local PLACES = [[
  return vim.tbl_map(function(place)
    return { place.row + 1, place.count }
  end, require("pintle.overlay").places(0))
]]

local function folder(...)
  local dir = child.folder()
  for _, name in ipairs({ ... }) do
    child.write(dir .. "/" .. name, LINES)
  end
  return dir
end

local function start(dir, replies, settings)
  local vi = child.start({ dir = dir, script = { replies = replies }, settings = settings })
  vi:cmd("edit a.txt")
  return vi
end

local function settled(vi)
  vi:wait("not require('pintle.review').is_busy()", "the hunks")
end

local function decide(vi, command, said)
  local count = vi:lua("return #vim.tbl_filter(function(e) return e.name == 'PintleDecision' end, _G.events)")
  vi:cmd(command)
  vi:wait("#vim.tbl_filter(function(e) return e.name == 'PintleDecision' end, _G.events) > given", "a decision", count)
  settled(vi)
  equal(vi:lua("return _G.notes[#_G.notes]"), "pintle: " .. said)
end

-- The sessions that lists show, by their titles.
local function listed(vi)
  vi:lua([[
    _G.titles = nil
    require("pintle.sessions").read(require("pintle.workspace").get(), function(found)
      _G.titles = vim.tbl_map(function(each) return each.title end, found)
    end)
  ]])
  vi:wait("_G.titles", "the list of sessions")
  return vi:lua("return _G.titles")
end

local function stored()
  return #vim.fn.glob(vim.env.PINTLE_HOME .. "/sessions/*/*/journal.jsonl", true, true)
end

test("lines are edited without a window, and the change is a hunk", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), edit("a.txt", "3\n", "three\n"), text("Done.") })
  local windows = vi:lua("return #vim.api.nvim_list_wins()")
  vi:cmd("3,4Pintle edit in words")
  vi:wait("table.concat(given == 0 and {} or (function() " .. SHOWN .. " end)()):find('while')", "the progress")
  equal(vi:lua(SHOWN), {
    "3-4",
    "3 above: » edit: bash: while [ ! -e go ]; do sleep 0.02; done · :Pintle stop edit stops it · in words",
  })
  equal(vi:lua("return require('pintle').status().edits"), 1)
  contains(vi:lua("return require('pintle.statusline').get()"), "1 edit")
  child.write(dir .. "/go", "")
  vi:wait_note("edited a.txt in")
  settled(vi)
  equal(vi:lua(SHOWN), {})
  equal(vi:lua("return vim.api.nvim_buf_get_lines(0, 0, 4, false)"), { "1", "2", "three", "4" })
  equal(vi:lua(PLACES), { { 3, 1 } })
  equal(vi:lua("return #vim.api.nvim_list_wins()"), windows)
  equal(vi:lua("return require('pintle').status().session == nil"), true, "no session is shown")
  equal(vi:lua("return require('pintle').status().hunks"), 1)
  vi:cmd("3")
  decide(vi, "Pintle undo", "1 hunk undone")
  equal(child.read(dir .. "/a.txt"), LINES)
  decide(vi, "Pintle revert", "1 hunk reopened")
  equal(vi:lua(PLACES), { { 3, 1 } })
  decide(vi, "Pintle keep", "1 hunk kept")
  equal(listed(vi), { "edit a.txt: in words" })
end)

test("an edit knows its lines, and nothing of the conversation", function()
  local dir = folder("a.txt")
  local vi = start(dir, { text("Hello."), edit("a.txt", "3\n", "three\n"), text("Done.") })
  vi:cmd("Pintle ask remember the zebra")
  vi:wait_turn()
  local current = vi:lua("return require('pintle').status().session")
  vi:lua([[
    vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
      { lnum = 2, col = 0, message = "not a word", severity = vim.diagnostic.severity.ERROR },
      { lnum = 8, col = 0, message = "elsewhere", severity = vim.diagnostic.severity.ERROR },
    })
  ]])
  vi:cmd("3Pintle edit write it out")
  vi:wait_note("edited a.txt in")
  equal(vi:lua("return require('pintle').status().session"), current, "the conversation is shown as before")
  assert(not vi:chat():find("write it out", 1, true), vi:chat())
  local id = vi:lua("return require('pintle.inline').sessions(require('pintle.workspace').find())[1]")
  vi:lua(
    [[
    local params = { sessionId = ... }
    require("pintle.workspace").find().engine:request("session/events", params, function(_, page)
      _G.journal = vim.json.encode(page.events)
    end)
  ]],
    id
  )
  vi:wait("_G.journal", "its events")
  local journal = vi:lua("return _G.journal")
  contains(journal, '"text":"write it out"')
  contains(journal, '"type":"selection"')
  contains(journal, "not a word")
  assert(not journal:find("zebra", 1, true) and not journal:find("elsewhere", 1, true), journal)
end)

test("hunks of the conversation and of edits are shown and decided together", function()
  local dir = folder("a.txt", "b.txt")
  local replies = { edit("a.txt", "2\n", "two\n"), text("Done.") }
  vim.list_extend(replies, { edit("a.txt", "5\n", "five\n"), text("Done.") })
  vim.list_extend(replies, { edit("b.txt", "1\n", "one\n"), text("Done.") })
  local vi = start(dir, replies)
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  vi:cmd("5Pintle edit in words")
  vi:wait_turn(2)
  vi:cmd("split b.txt")
  vi:cmd("1Pintle edit in words")
  vi:wait_turn(3)
  settled(vi)
  vi:cmd("wincmd p")
  equal(vi:lua(PLACES), { { 2, 1 }, { 5, 1 } })
  equal(vi:lua("return require('pintle').status().hunks"), 3)
  vi:cmd("Pintle review")
  vi:wait("vim.fn.getqflist({ size = 0 }).size == 3")
  equal(
    vi:lua("return vim.tbl_map(function(i) return vim.fn.bufname(i.bufnr) .. ' ' .. i.text end, vim.fn.getqflist())"),
    { "a.txt +1 -1 two", "a.txt +1 -1 five", "b.txt +1 -1 one" }
  )
  vi:lua("_G.choices = { false }")
  vi:cmd("Pintle diff")
  vi:wait("#_G.asked == 1")
  equal(vi:lua("return _G.asked[1].labels"), {
    "a.txt +1 -1",
    "a.txt +1 -1, edit: in words",
    "b.txt +1 -1, edit: in words",
  })
  decide(vi, "2Pintle undo", "1 hunk undone")
  decide(vi, "5Pintle keep", "1 hunk kept")
  decide(vi, "Pintle revert", "1 hunk reopened")
  equal(vi:lua(PLACES), { { 5, 1 } }, "the newest decision is that of the edit")
  decide(vi, "Pintle revert", "1 hunk reopened")
  equal(vi:lua(PLACES), { { 2, 1 }, { 5, 1 } })
  decide(vi, "Pintle undo all", "3 hunks undone")
  equal({ child.read(dir .. "/a.txt"), child.read(dir .. "/b.txt") }, { LINES, LINES })
end)

test("an edit without changes gives the model's reason, and its session is not kept", function()
  local dir = folder("a.txt")
  local vi = start(dir, { text("It is a word already.\nNothing to do."), text("Still is.") })
  local before = stored()
  vi:cmd("Pintle edit write it out")
  vi:wait_note("no changes in a.txt: It is a word already; :Pintle edits opens the transcript")
  equal(listed(vi), {})
  vi:cmd("Pintle edit again")
  vi:wait_note("no changes in a.txt: Still is;")
  assert(
    child.until_true(function()
      return stored() == before + 1
    end),
    "only the newest is kept"
  )
  vi:lua("_G.choices = { 'no changes' }")
  vi:cmd("Pintle edits")
  vi:wait_chat("Still is.")
  equal(vi:lua("return _G.asked[1].labels"), { "no changes · a.txt:1 · again" })
  vi:quit()
  equal(stored(), before, "none is left behind")
end)

-- How many edits of a folder are remembered, to clean up after them.
local function remembered(vi)
  local place = vi:lua("return vim.fn.stdpath('state')") .. "/pintle/edits/"
  return #vim.tbl_filter(function(name)
    return child.read(place .. name) == vim.uv.fs_realpath(vi.dir)
  end, vim.fn.readdir(place))
end

test("an editor that ends while edits run leaves no sessions behind but those of use", function()
  local changes = edit("a.txt", "3\n", "three\n")
  -- Rows: the replies, a notice to wait for instead of the call, whether the session is kept, and how the editor ends.
  local rows = {
    { { waits("go"), text("Never.") }, nil, false, "sigkill" },
    { { waits("go"), text("Never.") }, nil, false, "quit" },
    { { text("Nothing to do.") }, "no changes in a.txt", false, "sigkill" },
    { { changes, waits("go"), text("Never.") }, nil, true, "sigkill" },
    { { changes, text("Done.") }, "edited a.txt in", true, "sigkill" },
  }
  for number, row in ipairs(rows) do
    local replies, note, is_kept, ending = row[1], row[2], row[3], row[4]
    local dir = folder("a.txt")
    local vi = start(dir, replies)
    local before = stored()
    vi:cmd("Pintle edit spell it")
    if note then
      vi:wait_note(note)
    else
      vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
    end
    equal(remembered(vi), note and is_kept and 0 or 1, "row " .. number)
    local engine = vi:engine_pid()
    if ending == "quit" then
      vi:quit()
    else
      vi:kill(ending)
    end
    child.wait_gone(engine)
    equal(stored(), before + 1, "row " .. number)
    local again = start(dir, {})
    equal(listed(again), is_kept and { "edit a.txt: spell it" } or {}, "row " .. number)
    local is_clean = child.until_true(function()
      return stored() == before + (is_kept and 1 or 0) and remembered(again) == 0
    end)
    assert(is_clean, "row " .. number .. ": the session is deleted")
    again:quit()
  end
end)

test("an edit that runs in another editor is left alone", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), edit("a.txt", "3\n", "three\n"), text("Done.") })
  vi:cmd("Pintle edit spell it")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  local other = start(dir, {})
  equal(listed(other), {})
  child.write(dir .. "/go", "")
  vi:wait_note("edited a.txt in")
  equal(listed(vi), { "edit a.txt: spell it" })
end)

test("an edit that is continued in its transcript is a session like others", function()
  local dir = folder("a.txt")
  local vi = start(dir, { text("Which language?"), text("I see.") })
  vi:cmd("Pintle edit translate it")
  vi:wait_note("Which language?")
  vi:lua("_G.choices = { 'translate it' }")
  vi:cmd("Pintle edits")
  vi:wait_chat("Which language?")
  vi:cmd("Pintle ask German")
  vi:wait_turn(2)
  equal(listed(vi), { "edit a.txt: translate it" })
  vi:cmd("Pintle new")
  equal(listed(vi), { "edit a.txt: translate it" })
end)

test("what an edit asks is answered like other questions, and a denial is reported", function()
  local dir = folder("a.txt")
  local replies = { edit("a.txt", "1\n", "one\n"), text("Done.") }
  vim.list_extend(replies, { edit("a.txt", "2\n", "two\n"), text("As you wish.") })
  local vi = start(dir, replies, { permission_mode = "ask" })
  vi:cmd("1Pintle edit in words")
  vi:wait("require('pintle.approval').count() == 1", "the question")
  equal(vi:lua(SHOWN), {
    "1-1",
    "1 below: » edit: waiting for your answer, :Pintle attention · :Pintle stop edit stops it · in words",
  })
  vi:lua("_G.choices = { 'Allow' }")
  vi:cmd("Pintle attention")
  vi:wait_note("edited a.txt in")
  vi:cmd("2Pintle edit in words")
  vi:wait("require('pintle.approval').count() == 1", "the question")
  vi:lua("_G.choices = { 'Deny' }")
  vi:cmd("Pintle attention")
  vi:wait_note("no changes in a.txt: 1 call was denied; :Pintle edits opens the transcript")
  equal(vi:lua("return vim.api.nvim_buf_get_lines(0, 0, 2, false)"), { "one", "2" })
end)

test("edits of several buffers run at once, and each is stopped by itself", function()
  local dir = folder("a.txt", "b.txt")
  local vi = start(dir, { waits("a"), waits("b"), edit("b.txt", "2\n", "two\n"), text("Done.") })
  vi:cmd("Pintle stop edit")
  vi:wait_note("no edits are running")
  vi:cmd("1Pintle edit first")
  vi:wait("vim.uv.fs_stat('a.txt') and require('pintle').status().edits == 1")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e a')", "the first call")
  vi:cmd("split b.txt")
  vi:cmd("2,3Pintle edit second")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e b')", "the second call")
  vi:cmd("3,5Pintle edit over it")
  vi:wait_note("an edit of these lines is running; :Pintle stop edit stops it")
  -- In neither buffer: the user picks.
  vi:cmd("enew")
  vi:lua("_G.choices = { 'first' }")
  vi:cmd("Pintle stop edit")
  vi:wait_note("the edit of a.txt was stopped, nothing was changed")
  equal(vi:lua("return _G.asked[1].labels"), { "running · a.txt:1 · first", "running · b.txt:2-3 · second" })
  child.write(dir .. "/b", "")
  vi:wait_note("edited b.txt in")
  equal(child.read(dir .. "/b.txt"), (LINES:gsub("2\n", "two\n", 1)))
end)

test("`:Pintle stop` stops the edit at the cursor, and the turn elsewhere", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("a"), waits("b"), text("Never.") })
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  vi:cmd("2Pintle edit first")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e b')", "the call")
  vi:cmd("2")
  vi:cmd("Pintle stop")
  vi:wait_note("the edit of a.txt was stopped")
  equal(vi:lua("return require('pintle').status().state"), "running")
  vi:cmd("Pintle stop")
  vi:wait_note("the turn was stopped")
end)

test("an edit changes the text of an unsaved buffer, and its lines move with text typed above", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), edit("a.txt", "unsaved\n", "saved\n"), text("Done.") })
  vi:lua("vim.api.nvim_buf_set_lines(0, 2, 3, false, { 'unsaved' })")
  vi:cmd("3Pintle edit without the prefix")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed', 'above' })")
  equal(vi:lua(SHOWN)[1], "5-5")
  child.write(dir .. "/go", "")
  vi:wait_note("edited a.txt in")
  settled(vi)
  equal(vi:lua("return vim.api.nvim_buf_get_lines(0, 0, 6, false)"), { "typed", "above", "1", "2", "saved", "4" })
  equal(vi:lua(PLACES), { { 5, 1 } })
  equal(child.read(dir .. "/a.txt"), LINES, "the file is not written")
end)

test("an edit goes on when its buffer is closed, and is shown again when the file is opened", function()
  local dir = folder("a.txt", "b.txt")
  local vi = start(dir, { waits("go"), edit("a.txt", "3\n", "three\n"), text("Done.") })
  vi:cmd("3Pintle edit in words")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  vi:cmd("edit!")
  equal(#vi:lua(SHOWN), 2, "after it is read again")
  vi:cmd("edit b.txt | bwipeout a.txt")
  equal(vi:lua(SHOWN), {})
  vi:cmd("edit a.txt")
  equal(vi:lua(SHOWN)[1], "3-3")
  vi:cmd("edit b.txt | bwipeout a.txt")
  child.write(dir .. "/go", "")
  vi:wait_note("edited a.txt in")
  equal(child.read(dir .. "/a.txt"), (LINES:gsub("3\n", "three\n", 1)))
  vi:cmd("edit a.txt")
  settled(vi)
  equal(vi:lua(PLACES), { { 3, 1 } })
end)

test("without a text an input asks, and a request that was not sent is its default", function()
  local dir = folder("a.txt")
  local vi = start(dir, { edit("a.txt", "2\n", "two\n"), text("Done.") })
  vi:lua([[
    _G.inputs, _G.answers = {}, { "@diff and more", false, "in words" }
    vim.ui.input = function(opts, done)
      table.insert(_G.inputs, { opts.prompt, opts.default or "" })
      done(table.remove(_G.answers, 1) or nil)
    end
  ]])
  vi:keys("ggjVj")
  vi:lua("vim.api.nvim_feedkeys(vim.keycode('<Plug>(pintle-edit)'), 'xm', true)")
  vi:wait_note("the edit was not sent: cannot attach `@diff`")
  vi:cmd("2Pintle edit")
  equal(vi:lua(SHOWN), {}, "nothing is left of one that was cancelled")
  vi:cmd("2Pintle edit")
  vi:wait_note("edited a.txt in")
  equal(vi:lua("return _G.inputs"), {
    { "Edit lines 2 to 3: ", "" },
    { "Edit line 2: ", "@diff and more" },
    { "Edit line 2: ", "@diff and more" },
  })
end)

test("an edit that fails is reported, also if the engine ends", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), text("Never.") })
  vi:cmd("help")
  vi:cmd("Pintle edit this")
  vi:wait_note("this window does not show code")
  vi:cmd("close | new")
  vi:cmd("Pintle edit this")
  vi:wait_note("this buffer has no file; write it with `:w NAME` first")
  vi:cmd("close")
  vi:cmd("Pintle edit this")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  vim.uv.kill(vi:engine_pid(), "sigkill")
  vi:wait_note("the edit of a.txt failed: the engine ended; try it again")
  equal(vi:lua(SHOWN), {})
  vi:lua("vim.ui.input = function(opts) _G.default = opts.default end")
  vi:cmd("Pintle edit")
  equal(vi:lua("return _G.default"), "this")
end)

test("progress is below the lines if they are the first ones of a window", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), text("Never.") })
  vi:lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, vim.split(('x'):rep(60, ','), ','))")
  vi:cmd("normal! 5Gzt")
  vi:cmd("5,6Pintle edit this")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  contains(vi:screen(), "» edit: bash: while")
  contains(vi:lua(SHOWN)[2], "6 below: » edit")
end)

test("progress is in sight wherever a window shows some of the lines", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), text("Never.") })
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(('x'):rep(200, ','), ','))")
  vi:cmd("100")
  vi:cmd("20,180Pintle edit this")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  -- Rows: how the window is scrolled, and whether it shows the progress.
  local rows = {
    { "normal! 100Gzz", true },
    { "normal! 100Gzt", true },
    { "normal! 20Gzt", true },
    { "normal! 20Gzz", true },
    { "normal! 21Gzt", true },
    { "normal! 180Gzt", true },
    { "normal! 180Gzb", true },
    { "normal! 181Gzb", true },
    { "normal! 190Gzt", false },
    { "normal! gg", true },
    { "normal! G", true },
    { "normal! 100Gzz", true },
    { "resize 2", true },
  }
  for _, row in ipairs(rows) do
    vi:cmd(row[1])
    vi:cmd("redraw")
    local is_seen = child.until_true(function()
      return (vi:screen():find("» edit: bash: while", 1, true) ~= nil) == row[2]
    end)
    assert(is_seen, row[1] .. "\n" .. vi:screen())
  end
  -- It stays where it is in the window that the user is in.
  vi:cmd("resize | normal! 100Gzz")
  vi:cmd("split | normal! gg")
  vi:cmd("wincmd p")
  vi:cmd("redraw")
  local _, count = vi:screen():gsub("» edit: bash: while", "")
  equal(count, 1)
end)

test("an edit that gets lost ends at its limit", function()
  local dir = folder("a.txt")
  local replies = {}
  for number = 1, 40 do
    replies[number] = call("bash", { command = "echo " .. number })
  end
  local vi = start(dir, replies)
  vi:cmd("Pintle edit this")
  vi:wait_note("the edit of a.txt reached its limit of 30 replies, nothing was changed; :Pintle edits opens")
end)

test("an edit ends with an engine that stays down", function()
  local dir = folder("a.txt")
  local vi = start(dir, { waits("go"), text("Never.") }, { restart_ms = {} })
  vi:cmd("Pintle edit this")
  vi:wait("table.concat((function() " .. SHOWN .. " end)()):find('-e go')", "the call")
  vim.uv.kill(vi:engine_pid(), "sigkill")
  vi:wait_note("the engine is down, and the edit of a.txt has ended; :Pintle restart starts the engine")
  equal(vi:lua(SHOWN), {})
end)
