-- Verbs and answers beyond the one round.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

test("a denied call", function()
  local script = { replies = { call("bash", { command = "touch never" }), text("Then not.") } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  -- closing the list answers nothing
  vi:lua("_G.choices = { false }")
  vi:cmd("Pintle attention")
  vi:wait("#_G.asked == 1 and #_G.choices == 0")
  equal(vi:lua("return require('pintle.approval').count()"), 1)
  vi:lua("_G.choices = { 'Deny' }")
  vi:cmd("Pintle attention")
  vi:wait_turn()
  contains(vi:chat(), "▾ bash: touch never · declined")
  contains(vi:chat(), "Then not.")
  vi:cmd("Pintle attention")
  vi:wait_note("nothing needs your attention")
end)

test("a request is denied with a message", function()
  local script = { replies = { call("bash", { command = "touch never" }), text("Then not.") } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  vi:lua("vim.ui.input = function(_, done) done('use a file that exists') end")
  vi:lua("_G.choices = { 'Deny in your own words' }")
  vi:cmd("Pintle attention")
  vi:wait_turn()
  contains(vi:chat(), "▾ bash: touch never · declined")
  contains(vi:chat(), "> You answered: use a file that exists\n")
  equal(vim.uv.fs_stat(vi.dir .. "/never"), nil)
end)

test("a question of the model, answered by an option and in own words, and its plan", function()
  local ask = call("ask_user", { question = "Which?", options = { "red", "blue" } })
  local plan = call(
    "todo_write",
    { items = { { content = "look", status = "completed" }, { content = "fix", status = "pending" } } }
  )
  local vi = child.start({ script = { replies = { ask, ask, plan, text("Done.") } } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  vi:lua("_G.choices = { 'blue' }")
  vi:cmd("Pintle attention")
  vi:wait("#_G.asked == 1 and #_G.choices == 0")
  vi:wait("require('pintle.approval').count() == 1", "a second question")
  vi:lua("vim.ui.input = function(_, done) done('neither') end")
  vi:lua("_G.choices = { 'Answer in your own words' }")
  vi:cmd("Pintle attention")
  vi:wait_turn()
  contains(vi:chat(), "The user chose: blue")
  contains(vi:chat(), "The user answered: neither")
  contains(vi:chat(), "> You answered: blue\n")
  contains(vi:chat(), "> You answered: neither\n")
  equal(vi:lua("return require('pintle').status().plan"), "plan 1/2")
  vi:cmd("Pintle plan")
  local lines = vi:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
  equal(lines, { "# Plan, done 1/2", "", "- [x] look", "- [ ] fix" })
end)

test("a question is withdrawn when the turn is stopped", function()
  local script = { replies = { call("bash", { command = "tee /dev/null" }) } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  -- its window is open meanwhile
  vi:cmd("Pintle attention")
  vi:wait("require('pintle.panel').current() ~= nil")
  vi:cmd("Pintle stop")
  vi:wait_turn()
  vi:wait("require('pintle.approval').count() == 0")
  vi:wait_note("already answered elsewhere, or withdrawn")
  equal(vi:lua("return require('pintle.panel').current() == nil"), true, "nothing is left to answer")
end)

test("<CR> steers the turn that runs and <A-CR> queues, without a question, and the bar says so", function()
  local script = { replies = { call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" }), text("Heard.") } }
  table.insert(script.replies, text("Later."))
  local vi = child.start({ stock = true, script = script })
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:wait_screen("<CR> sends")
  vi:wait_screen("script · full")
  local function set(want)
    local summary = "require('pintle.settings').summary(require('pintle.workspace').find():view().state)[1]"
    vi:wait(summary .. " == given", "the settings", want)
  end
  vi:cmd("Pintle permissions read-only")
  set("script · read-only")
  vi:cmd("Pintle mode plan")
  set("script · plan, read-only")
  vi:cmd("Pintle mode act")
  vi:cmd("Pintle permissions full")
  vi:wait_screen("script · full")
  vi:keys("igo<Esc><CR>")
  vi:wait_screen("<CR> steers")
  -- the text stays until it was accepted
  vi:wait("vim.fn.getline(1) == ''")
  vi:keys("ilouder<Esc><CR>")
  vi:wait("#require('pintle.workspace').find():view().state.queue == 1")
  vi:wait("vim.fn.getline(1) == ''")
  vi:keys("iand then this<A-CR>")
  vi:wait("#require('pintle.workspace').find():view().state.queue == 2")
  equal(vi:lua("return vim.fn.mode()"), "i", "the next one can be written")
  vi:keys("<Esc>")
  equal(vi:is_blocked(), false)
  equal(vi:lua("return #vim.api.nvim_tabpage_list_wins(0)"), 3, "nothing else has opened")
  child.write(vi.dir .. "/go", "")
  vi:wait_turn(2)
  contains(vi:chat(), "## You (steer)\n\nlouder")
  contains(vi:chat(), "## You (follow-up)\n\nand then this")
  vi:wait_screen("<CR> sends")
end)

test("verbs with nothing to do", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:cmd("Pintle stop")
  vi:wait_note("no turn is running")
  vi:cmd("Pintle diff")
  vi:wait_note("no open changes")
  vi:cmd("Pintle steer")
  vi:wait_note("the prompt is empty")
  vi:cmd("Pintle steer hello")
  vi:wait_note("no running turn to steer")
  vi:cmd("Pintle nonsense")
  vi:wait_note("unknown command `:Pintle nonsense`; expected one of: add, apply, ask, attention, close")
  equal(
    vi:lua("return vim.fn.getcompletion('Pintle s', 'cmdline')"),
    { "search", "servers", "sessions", "steer", "stop" }
  )
  local all = vi:lua("return vim.fn.getcompletion('Pintle ', 'cmdline')")
  equal(all, vim.fn.sort(vim.deepcopy(all)))
  assert(#all > 30 and vim.list_contains(all, "undo"), vim.inspect(all))
end)

test("loading is late", function()
  local vi = child.start({ without_setup = true })
  equal(
    vi:lua([[
    return vim.tbl_filter(function(name) return vim.startswith(name, "pintle") end, vim.tbl_keys(package.loaded))
  ]]),
    {}
  )
  equal(vi:lua("return vim.fn.maparg('<Plug>(pintle-attention)', 'n') ~= ''"), true)
end)

test("a range is sent with the prompt", function()
  local vi = child.start({ script = { replies = { text("Seen."), text("Too.") } } })
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a', '```', 'c' })")
  vi:cmd("file thing.md")
  vi:cmd("2,3Pintle ask What is this?")
  vi:wait_turn()
  local path = vi.dir .. "/thing.md"
  contains(vi:chat(), ("What is this?\n[selection of %s, lines 2 to 3]"):format(path))
  local function sent()
    return vi:lua([[
      local state = require("pintle.workspace").find():view().state
      local found
      for _, item in pairs(state.items) do
        if item.type == "userMessage" and (not found or item.startedMs >= found.startedMs) then found = item end
      end
      return found.content
    ]])
  end
  equal(sent(), {
    { type = "text", text = "What is this?" },
    { type = "selection", path = path, range = { start = 2, ["end"] = 3 }, text = "```\nc" },
  })
  -- bytes that are no text, and no words
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'caf\\233' })")
  vi:cmd("1Pintle queue")
  vi:wait_turn(2)
  equal(sent(), { { type = "selection", path = path, range = { start = 1, ["end"] = 1 }, text = "caf\u{FFFD}" } })
end)

test("the lines of a buffer without a file go as text", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a', '```', 'c' })")
  vi:cmd("2,3Pintle ask What is this?")
  vi:wait_turn()
  contains(vi:chat(), "What is this?\na new buffer, lines 2 to 3:\n\n````\n```\nc\n````")
end)

test("a session is renamed, and its title stands above the transcript", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:cmd("Pintle rename Nothing")
  vi:wait_note("no session to rename")
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  local function renamed(want)
    vi:wait("require('pintle').status().title == given", "the title", want)
  end
  vi:cmd("Pintle rename 100 % mine")
  renamed("100 % mine")
  local bar = "return require('pintle.statusline').bar(require('pintle.workspace').find():view().state, 60)"
  contains(vi:lua(bar), " 100 %% mine%=")
  vi:lua("vim.ui.input = function(options, done) done(options.default .. '!') end")
  vi:cmd("Pintle rename")
  renamed("100 % mine!")
  vi:lua("_G.choices = { false }")
  vi:cmd("Pintle sessions")
  vi:wait("#_G.asked == 1")
  contains(vi:lua("return _G.asked[1].labels[3]"), "100 % mine!")
  vi:lua("vim.ui.input = function(_, done) done('') end")
  vi:cmd("Pintle rename")
  vi:wait("require('pintle').status().title == nil")
  vi:cmd("Pintle rename " .. ("x"):rep(201))
  vi:wait_note("the title has 201 characters")
end)

test("reasoning, failures and a second session", function()
  local script = {
    replies = {
      { blocks = { { reasoning = "hm\nhm hm" }, { text = "Thought." } } },
      { error = { kind = "auth", message = "bad key" } },
      text("New one."),
    },
  }
  local vi = child.start({ script = script })
  vi:cmd("Pintle ask one")
  vi:wait_turn(1)
  contains(vi:chat(), "▾ thinking\n│ hm\n│ hm hm\n\nThought.")
  vi:cmd("Pintle ask two")
  vi:wait_turn(2)
  contains(vi:chat(), "**failed** (auth)")
  local first = vi:lua("return require('pintle').status().session")
  vi:lua("_G.choices = { 'New session' }")
  vi:cmd("Pintle sessions")
  vi:wait("require('pintle').status().session ~= given", "another session", first)
  vi:cmd("Pintle ask three")
  vi:wait_turn(3)
  contains(vi:chat(), "New one.")
  assert(not vi:chat():find("Thought", 1, true))
end)

test("a transcript whose buffer was deleted is drawn anew", function()
  local vi = child.start({ script = { replies = { text("Here."), text("Still here.") } } })
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  local before = vi:chat()
  for _, command in ipairs({ "bwipeout! ", "bdelete! " }) do
    vi:lua("vim.cmd(... .. require('pintle.workspace').find():view().chat.buf)", command)
    vi:cmd("Pintle open")
    vi:wait_chat("*done")
    equal(vi:chat(), before)
  end
  vi:cmd("Pintle ask more")
  vi:wait_turn(2)
  contains(vi:chat(), "Still here.")
end)

test("a prompt that cannot be sent stays", function()
  local vi = child.start({ settings = { binary = "/nowhere/pintle" } })
  vi:lua("require('pintle.prompt').set(require('pintle.workspace').get(), 'dear model')")
  vi:cmd("Pintle ask")
  vi:wait_note("no session: no such program")
  equal(vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())"), "dear model")
end)

test("what the editor finds wrong after an edit is read by the model", function()
  local script = {
    replies = {
      call("edit", { path = "a.txt", oldText = "one", newText = "1" }),
      text("I see."),
    },
  }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  child.write(vi.dir .. "/a.txt", "one\ntwo\n")
  vi:cmd("edit a.txt")
  vi:lua([[
    _G.find = function(message)
      vim.diagnostic.set(vim.api.nvim_create_namespace("test"), vim.fn.bufnr("a.txt"), message and {
        { lnum = 1, col = 0, severity = vim.diagnostic.severity.ERROR, message = message, source = "lint", code = 7 },
      } or {})
      require("pintle.diagnostics").flush()
    end
  ]])
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:wait("require('pintle').status().session")
  vi:lua("_G.find('old')")
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  vi:lua("_G.choices = { 'Allow' }")
  vi:cmd("Pintle attention")
  vi:wait_chat("Successfully replaced")
  vi:lua("_G.find('no number')")
  vi:wait_turn()
  contains(vi:chat(), "line 2: error (lint 7): no number")
  assert(not vi:chat():find("old", 1, true), vi:chat())
end)

local function end_shared_engine()
  local engine = vim.json.decode(child.read(vim.env.PINTLE_HOME .. "/engine.json")).pid
  vim.uv.kill(engine, "sigterm")
  local ended = child.until_true(function()
    return vim.uv.kill(engine, 0) ~= 0
  end)
  assert(ended, "the shared engine ends")
end

test("two editors share an engine, and the first answer counts", function()
  local script = { replies = { call("bash", { command = "touch made" }), text("Made it.") } }
  local settings = { shared = true, permission_mode = "ask" }
  local first = child.start({ script = script, settings = settings })
  first:cmd("Pintle ask go")
  first:wait("require('pintle.approval').count() == 1")
  local session = first:lua("return require('pintle').status().session")
  local second = child.start({ dir = first.dir, settings = settings })
  second:lua("_G.choices = { 'go' }")
  second:cmd("Pintle sessions")
  second:wait("require('pintle').status().session == given", "the same session", session)
  second:wait("require('pintle.approval').count() == 1")
  second:lua("_G.choices = { 'Allow' }")
  second:cmd("Pintle attention")
  first:wait_turn()
  second:wait_turn()
  contains(first:chat(), "Made it.")
  contains(second:chat(), "Made it.")
  equal(first:lua("return require('pintle.approval').count()"), 0)
  first:quit()
  second:quit()
  end_shared_engine()
end)

test("what another client says is marked, and goes back there", function()
  local script = { replies = { call("bash", { command = "touch made" }), text("Made it."), text("Again.") } }
  local settings = { shared = true, permission_mode = "ask" }
  local first = child.start({ script = script, settings = settings })
  first:cmd("Pintle ask go")
  first:wait("require('pintle.approval').count() == 1")
  local session = first:lua("return require('pintle').status().session")
  local second = child.start({ dir = first.dir, settings = settings })
  second:lua("_G.choices = { 'go' }")
  second:cmd("Pintle sessions")
  second:wait("require('pintle').status().session == given", "the same session", session)
  second:wait("require('pintle.approval').count() == 1")
  first:cmd("Pintle queue mine")
  second:wait("require('pintle').status().queued == 1")
  second:cmd("Pintle queue yours")
  first:wait("require('pintle').status().queued == 2")
  second:cmd("Pintle stop")
  first:wait_turn()
  second:wait_turn()
  first:wait("require('pintle').status().queued == 0")
  first:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'mine'")
  second:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'yours'")
  second:cmd("Pintle ask again")
  first:wait_chat("## You, from another Neovim\n\nagain")
  second:wait_chat("## You\n\nagain")
  first:quit()
  second:quit()
  end_shared_engine()
end)

test("a session of the shared engine says how it can be opened here too", function()
  local script = { replies = { text("Said.") } }
  local first = child.start({ script = script, settings = { shared = true } })
  first:cmd("Pintle ask go")
  first:wait_turn()
  local second = child.start({ dir = first.dir, script = script })
  second:lua("_G.choices = { 'go' }")
  second:cmd("Pintle sessions")
  second:wait_note("cannot open the session: session ")
  second:wait_note('put `shared = true` into require("pintle").setup() and start Neovim again')
  first:quit()
  second:quit()
  end_shared_engine()
end)
