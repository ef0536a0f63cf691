-- Verbs, streams and answers beyond the one round.

local child = require("child")

local function text(words)
  return { blocks = { { text = words } } }
end

local function call(tool, arguments)
  return { blocks = { { tool = tool, arguments = arguments } } }
end

test("10,000 deltas without a gap over 100 ms", function()
  local words = {}
  for number = 1, 10000 do
    words[number] = "word" .. number .. (number % 12 == 0 and "\n" or " ")
  end
  -- A delay makes each word a delta of its own on the wire; without it neighbours are merged.
  for _, delay in ipairs({ 0, 1 }) do
    local vi = child.start({ script = { delayMs = delay, replies = { text(table.concat(words)) } } })
    vi:cmd("Pintle open")
    vi:wait("require('pintle').status().session ~= nil")
    vi:lua([[
      local last, gap, deltas = vim.uv.hrtime(), 0, 0
      _G.measure = function() return { gap = gap / 1e6, deltas = deltas, redraws = require("pintle.workspace").find():view().chat.redraws } end
      local timer = vim.uv.new_timer()
      timer:start(2, 2, function()
        local now = vim.uv.hrtime()
        gap, last = math.max(gap, now - last), now
      end)
      local session = require("pintle.session")
      local transient = session.transient
      session.transient = function(state, event, changes)
        if event.type == "item.delta" then deltas = deltas + 1 + (event.to or event.n) - event.n end
        return transient(state, event, changes)
      end
    ]])
    local started = vim.uv.hrtime()
    vi:cmd("Pintle ask count")
    vim.wait(60000, function()
      return vi:lua("return require('pintle').status().state") == "idle" and vi:lua("return _G.measure().deltas") >= 9000
    end, 50)
    vi:wait_turn()
    local ms = (vim.uv.hrtime() - started) / 1e6
    local seen = vi:lua("return _G.measure()")
    say(("     delay %d ms: %d deltas in %.0f ms, %d redraws, largest gap %.1f ms"):format(delay, seen.deltas, ms, seen.redraws, seen.gap))
    contains(vi:chat(), "word10000")
    equal(select(2, vi:chat():gsub("word%d+", "")), 10000)
    assert(seen.gap < 100, ("a gap of %.1f ms"):format(seen.gap))
    assert(seen.redraws <= ms / 1000 * 30 + 10, ("%d redraws in %.0f ms"):format(seen.redraws, ms))
    vi:quit()
  end
end)

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
  equal(vi:lua("return _G.asked[1].labels[1]"), "Show what is asked", "the first entry allows nothing")
  vi:lua("_G.choices = { 'Deny' }")
  vi:cmd("Pintle attention")
  vi:wait_turn()
  contains(vi:chat(), "▸ bash: touch never · declined")
  contains(vi:chat(), "Then not.")
  vi:cmd("Pintle attention")
  vi:wait_note("nothing asks for your attention")
end)

test("a question is withdrawn when the turn is stopped", function()
  local script = { replies = { call("bash", { command = "true" }) } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  -- the list is open meanwhile
  vi:lua([[
    vim.ui.select = function(items, _, done) _G.answer = function() done(items[2], 2) end end
  ]])
  vi:cmd("Pintle attention")
  vi:wait("_G.answer ~= nil")
  vi:cmd("Pintle stop")
  vi:wait_turn()
  vi:wait("require('pintle.approval').count() == 0")
  vi:lua("_G.answer()")
  vi:wait_note("this was answered elsewhere, or is asked no longer")
end)

test("a prompt while a turn runs asks for the verb", function()
  local script = { replies = { call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" }), text("Heard.") } }
  local vi = child.start({ script = script })
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  vi:lua("_G.choices = { 'Steer' }")
  vi:cmd("Pintle ask louder")
  vi:wait_note("the turn reads it at its next gap")
  equal(vi:lua("return _G.asked[1].labels"), { "Steer the running turn", "Queue as a follow-up" })
  child.write(vi.dir .. "/go", "")
  vi:wait_turn()
  contains(vi:chat(), "## You (steer)\n\nlouder")
end)

test("verbs with nothing to do", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:cmd("Pintle stop")
  vi:wait_note("no turn runs")
  vi:cmd("Pintle diff")
  vi:wait_note("the last turn changed no file")
  vi:cmd("Pintle steer")
  vi:wait_note("the prompt is empty")
  vi:cmd("Pintle steer hello")
  vi:wait_note("no turn runs that could be steered")
  vi:cmd("Pintle nonsense")
  vi:wait_note("there is no `:Pintle nonsense`; there are: ask, attention, diff")
  equal(vi:lua("return vim.fn.getcompletion('Pintle s', 'cmdline')"), { "sessions", "steer", "stop" })
  equal(vi:lua("return vim.fn.getcompletion('Pintle ', 'cmdline')"), {
    "ask", "attention", "diff", "doctor", "open", "queue", "sessions", "steer", "stop",
  })
end)

test("loading is late", function()
  local vi = child.start({ without_setup = true })
  equal(vi:lua([[
    return vim.tbl_filter(function(name) return vim.startswith(name, "pintle") end, vim.tbl_keys(package.loaded))
  ]]), {})
  equal(vi:lua("return vim.fn.maparg('<Plug>(pintle-attention)', 'n') ~= ''"), true)
end)

test("a range is sent with the prompt", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a', '```', 'c' })")
  vi:cmd("file thing.md")
  vi:cmd("2,3Pintle ask What is this?")
  vi:wait_turn()
  contains(vi:chat(), "What is this?\n\nthing.md, lines 2 to 3:\n\n````\n```\nc\n````")
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
  contains(vi:chat(), "▸ thinking\n│ hm\n│ hm hm\n\nThought.")
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

test("prompt buffer: written with :w, kept when it cannot be sent", function()
  local vi = child.start({ script = { replies = { text("Got it.") } } })
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:keys("itwo<CR>lines<Esc>:w<CR>")
  vi:wait_turn()
  contains(vi:chat(), "## You\n\ntwo\nlines")
  equal(vi:lua("return { vim.fn.getline(1, '$'), vim.bo.modified }"), { { "" }, false })
end)

test("a long session is rebuilt from pages", function()
  local replies = {}
  for number = 1, 60 do
    replies[number] = { blocks = {} }
    for each = 1, 3 do
      replies[number].blocks[each] = { tool = "bash", arguments = { command = ("echo %d.%d"):format(number, each) } }
    end
  end
  replies[61] = text("Enough.")
  local vi = child.start({ script = { replies = replies } })
  vi:cmd("Pintle ask many")
  vi:wait_chat("Enough.")
  vi:wait_turn()
  local before = vi:chat()
  local seq = vi:lua("return require('pintle.workspace').find():view().state.seq")
  assert(seq > 600, seq .. " events are too few for pages")
  vi:quit()
  local again = child.start({ dir = vi.dir, script = { replies = {} } })
  again:lua("_G.choices = { 'many' }")
  again:cmd("Pintle sessions")
  again:wait_chat("Enough.\n\n*done")
  equal(again:chat(), before)
end)
