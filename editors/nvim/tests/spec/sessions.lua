-- Sessions beyond one: in tabs, exported, merged, deleted, summed up; what runs in them is stopped one by one, and followed.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local WAITS = call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" })

local SESSION = "require('pintle').status().session"

local function ask(vi, words, turns)
  vi:cmd("Pintle ask " .. words)
  vi:wait_turn(turns)
end

test("each tab shows a session of its own, and prompts go to that", function()
  local script = { replies = { text("First answer."), text("Second answer."), text("First again.") } }
  local vi = child.start({ stock = true, script = script })
  vi:cmd("Pintle open")
  vi:wait(SESSION)
  ask(vi, "one")
  local first = vi:lua("return " .. SESSION)
  vi:cmd("Pintle new tab")
  vi:wait(SESSION .. " and " .. SESSION .. " ~= given", "another session", first)
  ask(vi, "two", 2)
  vi:wait_screen("Second answer.")
  equal(vi:lua("return { #vim.api.nvim_list_tabpages(), #vim.api.nvim_tabpage_list_wins(0) }"), { 2, 2 })
  contains(vi:lua("return vim.api.nvim_buf_get_name(0)"), "pintle://prompt/")
  local second = vi:lua("return " .. SESSION)
  vi:cmd("tabprevious")
  equal(vi:lua("return " .. SESSION), first)
  vi:wait_screen("First answer.")
  ask(vi, "three", 3)
  vi:wait_screen("First again.")
  vi:cmd("tabnext")
  equal(vi:lua("return " .. SESSION), second)
  vi:wait_screen("Second answer.")
  assert(not vi:terminal_screen():find("First", 1, true), vi:terminal_screen())
end)

test("one call is stopped and the turn goes on", function()
  local vi = child.start({ script = { replies = { WAITS, text("Went on.") } } })
  vi:cmd("Pintle stop tool")
  vi:wait_note("no call is running")
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  vi:cmd("Pintle stop tool")
  vi:wait_note("stopping the call bash: while")
  vi:wait_turn()
  contains(vi:chat(), "Went on.")
  contains(vi:chat(), "cancelled")
  vi:cmd("Pintle stop everything")
  vi:wait_note("unknown value `everything`; expected one of: edit, job, login, session, tool, turn")
end)

test("what the cursor is on in the transcript is stopped, and nothing else", function()
  local job = call("bash", { command = "sleep 600; echo slow", background = true })
  local waits = { tool = "bash", arguments = { command = "while [ ! -e go ]; do sleep 0.02; done; echo waited" } }
  local later = { tool = "bash", arguments = { command = "touch later" } }
  local script = { replies = { job, { blocks = { waits, later } }, text("All over.") } }
  local vi = child.start({ stock = true, script = script })
  vi:cmd("Pintle open")
  vi:wait(SESSION)
  vi:cmd("Pintle ask go")
  vi:wait_chat("touch later · …")
  vi:cmd("wincmd k")
  vi:keys("G?touch later<CR>\\x")
  vi:wait_screen("this call has not started")
  vi:keys("gg/^▾ bash_1\\|^▾ job<CR>")
  vi:keys("\\x")
  vi:wait_screen("has ended")
  child.write(vi.dir .. "/go", "")
  vi:wait_turn()
  contains(vi:chat(), "│ waited")
  contains(vi:chat(), "All over.")
end)

test("a job is stopped", function()
  local job = call("bash", { command = "sleep 600", background = true })
  local vi = child.start({ script = { replies = { job, text("It runs.") } } })
  vi:cmd("Pintle stop job")
  vi:wait_note("no job or sub-agent is running")
  ask(vi, "go")
  vi:wait(
    "vim.iter(pairs(require('pintle.workspace').find():view().state.items)):any(function(_, i) "
      .. "return i.type == 'job' and i.status == 'running' end)",
    "a job"
  )
  vi:cmd("Pintle stop job")
  vi:wait_note("has ended")
  vi:wait(
    "vim.iter(pairs(require('pintle.workspace').find():view().state.items)):all(function(_, i) "
      .. "return i.type ~= 'job' or i.status ~= 'running' end)",
    "its end"
  )
end)

test("a session is stopped with all that runs in it, and opened again", function()
  local vi = child.start({ script = { replies = { WAITS, text("Never.") } } })
  vi:cmd("Pintle stop session")
  vi:wait_note("no session is open")
  vi:cmd("Pintle open")
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  local id = vi:lua("return " .. SESSION)
  vi:cmd("Pintle stop session")
  vi:wait_note("the session was stopped and closed")
  equal(vi:lua("return " .. SESSION .. " == nil"), true)
  contains(vi:screen(), "No session: it was closed")
  vi:lua("_G.choices = { 'go' }")
  vi:cmd("Pintle sessions")
  vi:wait(SESSION .. " == given", "the session again", id)
  vi:wait_chat("*stopped")
end)

test("where nothing comes that is said, and the message is sent again", function()
  local hangs = { blocks = { { text = "I think" } }, hang = true }
  local script = { replies = { hangs, text("There it is.") } }
  local vi = child.start({ stock = true, script = script, settings = { stall_ms = 150 } })
  vi:cmd("Pintle retry")
  vi:wait_screen("no message to resend")
  vi:cmd("Pintle open")
  vi:wait(SESSION)
  vi:cmd("Pintle ask where is it?")
  -- The engine's own word that nothing comes is nothing that comes.
  vi:lua([[
    local here = require("pintle.workspace").find()
    _G.words = vim.uv.new_timer()
    _G.words:start(20, 20, vim.schedule_wrap(function()
      local event = { type = "session.notice", level = "info", code = "modelSilent", message = "nothing" }
      here:notified("session/event", { sessionId = here:view().state.id, after = here:view().state.seq, event = event })
    end))
  ]])
  vi:wait_screen("`:Pintle stop` cancels the turn")
  vi:lua("_G.words:stop()")
  vi:wait_screen("no data for 0 s")
  equal(vi:is_blocked(), false)
  vi:cmd("Pintle retry")
  vi:wait_chat("There it is.")
  equal(select(2, vi:chat():gsub("where is it%?", "")), 2)
  vi:wait_screen("no data for", true)
end)

test("silence is explained by a call, a question, or the setting", function()
  local vi = child.start({ script = { replies = { WAITS, text("Done.") } }, settings = { stall_ms = 50 } })
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  vi:lua([[
    local pulse = require("pintle.pulse")
    _G.ticks = 0
    vim.uv.new_timer():start(20, 20, vim.schedule_wrap(function()
      _G.ticks = _G.ticks + 1
      local view = require("pintle.workspace").find():view()
      _G.silent = _G.silent or view and pulse.silence(view.state)
    end))
  ]])
  vi:wait("_G.ticks > 15")
  equal(vi:lua("return _G.silent == nil"), true)
  assert(vi:lua("return require('pintle.pulse').elapsed(require('pintle.workspace').find():view().state)") > 100)
  child.write(vi.dir .. "/go", "")
  vi:wait_turn()
  equal(vi:lua("return require('pintle.pulse').elapsed(require('pintle.workspace').find():view().state) == nil"), true)
end)

test("the plan is shown, and follows the model", function()
  local function plan(status)
    local items = { { content = "look", status = "completed" }, { content = "fix", status = status } }
    return call("todo_write", { items = items })
  end
  local vi = child.start({ script = { replies = { plan("pending"), WAITS, plan("completed"), text("Done.") } } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle').status().plan ~= nil", "the plan")
  vi:cmd("Pintle plan")
  local lines = "table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|')"
  equal(vi:lua("return " .. lines), "# Plan, done 1/2||- [x] look|- [ ] fix")
  child.write(vi.dir .. "/go", "")
  vi:wait(lines .. " == '# Plan, done 2/2||- [x] look|- [x] fix'", "the plan's end")
  local count = vi:lua("return #vim.api.nvim_list_wins()")
  vi:cmd("Pintle plan")
  equal(vi:lua("return #vim.api.nvim_list_wins()"), count, "one window shows it")
end)

test("a session is exported, and a file is replaced only after a question", function()
  local vi = child.start({ script = { replies = { text("An answer.") } } })
  ask(vi, "a question")
  vi:cmd("Pintle export out.md")
  vi:wait_note("written: ")
  contains(child.read(vi.dir .. "/out.md"), "An answer.")
  child.write(vi.dir .. "/out.md", "mine\n")
  vi:lua("_G.choices = { 'Leave it' }")
  vi:cmd("Pintle export out.md")
  vi:wait("#_G.asked == 1 and #_G.choices == 0")
  equal(child.read(vi.dir .. "/out.md"), "mine\n")
  vi:lua("_G.choices = { 'Replace it' }")
  vi:cmd("Pintle export out.md")
  vi:wait("#vim.tbl_filter(function(n) return n:find('written: ', 1, true) end, _G.notes) == 2", "a second file")
  contains(child.read(vi.dir .. "/out.md"), "An answer.")
  vi:cmd("Pintle export out.doc")
  vi:wait_note("unknown file type `out.doc`; expected .md, .html, .json or .pi")
end)

test("a fork comes back into its session", function()
  local script = { replies = { text("First."), text("In the fork.") } }
  local vi = child.start({ script = script })
  vi:cmd("Pintle open")
  ask(vi, "start")
  local first = vi:lua("return " .. SESSION)
  vi:lua("_G.choices = { 'Here, with the full history' }")
  vi:cmd("Pintle fork")
  vi:wait(SESSION .. " ~= given", "the fork", first)
  ask(vi, "in another way", 2)
  vi:lua(
    [[
    local here = require("pintle.workspace").find()
    here:open(..., function(view) require("pintle.layout").show(here, view.chat) end)
  ]],
    first
  )
  vi:wait(SESSION .. " == given", "the first one", first)
  vi:lua("_G.choices = { 'start' }")
  vi:cmd("Pintle merge")
  vi:wait_note("items from the fork; :Pintle rewind undoes this")
  vi:wait_chat("In the fork.")
end)

test("a session works in a copy until its changes are applied", function()
  local function write(name)
    return call("write", { path = name, content = name })
  end
  local replies = { write("one"), text("First."), write("two"), text("Second."), write("three"), text("Third.") }
  local vi = child.start({ script = { replies = replies } })
  local function has(name)
    return vim.uv.fs_stat(vi.dir .. "/" .. name) ~= nil
  end
  vi:cmd("Pintle open")
  ask(vi, "in place")
  equal(has("one"), true)
  vi:cmd("Pintle apply")
  vi:wait_note("the session works on your files")
  local first = vi:lua("return " .. SESSION)
  vi:cmd("Pintle new copy")
  vi:wait(SESSION .. " ~= given", "another session", first)
  ask(vi, "in the copy", 2)
  equal(has("two"), false)
  vi:cmd("Pintle apply")
  vi:wait_note("applied the changes to 1 file;")
  equal(has("two"), true)
  vi:cmd("Pintle apply")
  vi:wait_note("no changes to apply")
  ask(vi, "again", 3)
  vi:lua("_G.choices = { 'Discard' }")
  vi:cmd("Pintle discard")
  vi:wait_note("discarded the copy")
  equal(has("three"), false)
  equal(vim.fn.glob(vi:lua("return vim.env.PINTLE_HOME") .. "/isolated/*/*/"), "")
end)

test("sessions in which nothing was said are not kept", function()
  local vi = child.start({ script = { replies = { text("Heard."), text("Later.") } } })
  local function stored()
    return #vim.fn.glob(vim.env.PINTLE_HOME .. "/sessions/*/*/journal.jsonl", true, true)
  end
  local before = stored()
  vi:cmd("Pintle open")
  vi:wait(SESSION)
  local first = vi:lua("return " .. SESSION)
  vi:cmd("Pintle new")
  equal(vi:lua("return " .. SESSION), first, "an empty session is new enough")
  ask(vi, "say something")
  vi:cmd("Pintle new")
  vi:wait(SESSION .. " and " .. SESSION .. " ~= given", "a second one", first)
  equal(stored(), before + 2)
  -- Going back to the first one leaves the second one without anybody.
  vi:lua("_G.choices = { 'say something' }")
  vi:cmd("Pintle sessions")
  vi:wait(SESSION .. " == given", "the first one", first)
  assert(child.until_true(function()
    return stored() == before + 1
  end))
  vi:cmd("Pintle new")
  vi:wait(SESSION .. " and " .. SESSION .. " ~= given", "a third one", first)
  vi:quit()
  equal(stored(), before + 1, "the editor's exit leaves none either")
  local again = child.start({ dir = vi.dir, script = { replies = {} } })
  again:lua("_G.choices = { false }")
  again:cmd("Pintle sessions")
  again:wait("#_G.asked == 1")
  local labels = again:lua("return _G.asked[1].labels")
  equal({ #labels, labels[3]:match("say something") }, { 3, "say something" })
end)

test("a session is deleted for good, after a question", function()
  local vi = child.start({ script = { replies = { text("Gone soon.") } } })
  ask(vi, "short lived")
  vi:lua("_G.choices = { 'short lived', 'Keep it' }")
  vi:cmd("Pintle delete")
  vi:wait("#_G.asked == 2 and #_G.choices == 0")
  vi:lua("_G.choices = { 'short lived', 'Delete it' }")
  vi:cmd("Pintle delete")
  vi:wait_note("the session was deleted")
  vi:lua("_G.asked, _G.choices = {}, { false }")
  vi:cmd("Pintle sessions")
  vi:wait("#_G.asked == 1")
  equal(vi:lua("return _G.asked[1].labels"), { "New session" })
end)

test("a conversation is summed up on request", function()
  local vi = child.start({ script = { replies = { text("A long answer."), text("In short: an answer.") } } })
  vi:cmd("Pintle compact")
  vi:wait_note("no session")
  ask(vi, "tell me")
  vi:cmd("Pintle compact keep the names")
  vi:wait_turn(2)
  contains(vi:chat(), "summarizing")
end)

test("what a session costs, and how it is written", function()
  local statusline = require("pintle.statusline")
  local rows = {
    { 0 },
    { 1500000000, "$1.50" },
    { 123456789012, "$123.46" },
    { 99000000, "$0.099" },
    { 1234000, "$0.0012" },
  }
  for _, row in ipairs(rows) do
    equal(statusline.cost(row[1]), row[2])
  end
  local session = require("pintle.session")
  local state = session.new("s")
  local function event(seq, fields)
    session.apply(state, { seq = seq, tsMs = 0, turnId = "t", event = fields })
  end
  session.attach(state, { seq = 2, costNanoUsd = 10, state = { value = "idle" } })
  event(1, { type = "turn.started", model = "m" })
  event(2, { type = "turn.completed", status = "completed", usage = {}, costNanoUsd = 10, steps = 1, durationMs = 0 })
  equal(session.cost(state), 10, "what was told is not counted twice")
  event(3, { type = "turn.started", model = "m" })
  event(4, { type = "step.completed", step = 1, usage = {}, turnUsage = {}, costNanoUsd = 5, turnCostNanoUsd = 5 })
  equal(session.cost(state), 15)
  event(5, { type = "turn.completed", status = "completed", usage = {}, costNanoUsd = 7, steps = 1, durationMs = 0 })
  equal(session.cost(state), 17)
  equal({ statusline.elapsed(12345), statusline.elapsed(125000) }, { "12 s", "2 min 5 s" })
end)

test("a sub-agent is a fold, what it asks is in the list, and it is stopped", function()
  local child_call = call("bash", { command = "touch made; sleep 600" })
  child_call.of = "wait for it"
  local over = text("The helper is done.")
  over.of = "wait for it"
  local spawn, wait = call("spawn_agent", { task = "wait for it" }), call("wait", vim.empty_dict())
  local script = { replies = { spawn, wait, text("All done."), child_call, over } }
  local settings = { permission_mode = "ask" }
  local vi = child.start({ stock = true, script = script, settings = settings })
  vi:cmd("Pintle open")
  vi:wait(SESSION)
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1", "the sub-agent's question")
  vi:cmd("Pintle attention")
  vi:wait_screen("touch made; sleep 600")
  vi:keys("<Tab><CR>")
  vi:wait("require('pintle.approval').count() == 0")
  vi:wait_chat("▾ agent-1: wait for it")
  vi:cmd("Pintle stop job")
  vi:wait_screen("stopping the sub-agent agent-1")
  vi:wait_turn()
  contains(vi:chat(), "All done.")
  local items = "require('pintle.workspace').find():view().state.items"
  equal(
    vi:lua(("return vim.iter(pairs(%s)):any(function(_, i) return i.state == 'working' end)"):format(items)),
    false,
    "it does not work any more"
  )
end)

test("what is sent while a session opens goes to that one, and a change of mind counts", function()
  local script = { replies = { text("In the first."), text("In the second.") } }
  local vi = child.start({ script = script })
  ask(vi, "one")
  local first = vi:lua("return " .. SESSION)
  vi:cmd("Pintle new")
  vi:wait(SESSION)
  ask(vi, "two", 2)
  local second = vi:lua("return " .. SESSION)
  vi:quit()
  local again = child.start({ dir = vi.dir, script = { replies = { text("Here."), text("There.") } } })
  -- all at once, before the engine has answered anything
  again:lua(
    [[
    local first = ...
    local pintle, here = require("pintle"), require("pintle.workspace").get()
    here:open(first, function(view, tab) require("pintle.layout").show(here, view.chat, tab) end)
    pintle.ask("for the first")
  ]],
    first
  )
  again:wait_turn()
  equal(again:lua("return " .. SESSION), first)
  contains(again:chat(), "In the first.")
  contains(again:chat(), "for the first")
  again:lua(
    [[
    local first, second = ...
    local pintle, here = require("pintle"), require("pintle.workspace").get()
    here:open(second, function(view, tab) require("pintle.layout").show(here, view.chat, tab) end)
    here:open(first, function() end)
    pintle.ask("for the first again")
  ]],
    first,
    second
  )
  again:wait_turn(2)
  equal(again:lua("return " .. SESSION), first)
  contains(again:chat(), "for the first again")
end)
