-- Streams and long sessions: the editor stays awake, and reads again what it missed. The work is counted, because a clock also
-- measures what else the machine does; `spec/bench` prints the times.

local child = require("child")
local counting = require("counting")
local flood = require("flood")
local reply = require("reply")

local text = reply.text

local TURN_IS_OVER = "#vim.tbl_filter(function(e) return e.name == 'PintleTurnCompleted' end, _G.events) > 0"

---Streams the words into an editor on a real terminal, and returns what that took.
local function stream(options)
  options.in_terminal = true
  local vi = child.start(options)
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:wait("require('pintle').status().session", "a session")
  counting.start(vi)
  vi:cmd("Pintle ask count")
  vi:wait(TURN_IS_OVER, "the turn's end")
  local seen = counting.seen(vi)
  equal(seen.deltas, flood.COUNT)
  equal(select(2, vi:chat():gsub("word%d+", "")), flood.COUNT)
  vi:quit()
  return seen
end

-- While nothing else comes, a transcript is drawn at once, and then not before `redraw_ms` are over.
local NEVER_MS = 3600000

local function check_stream(options, name)
  local settings = options.settings or {}
  options.settings = vim.tbl_extend("force", settings, { redraw_ms = NEVER_MS })
  local seen = stream(options)
  say(("     %s: %s"):format(name, counting.words(seen)))
  assert(seen.redraws <= 2, "one drawing for all that comes meanwhile: " .. seen.redraws)
  assert(seen.most_lines <= counting.SLICE_LINES, "a round of the loop handles a slice: " .. seen.most_lines)
  options.settings = settings
  local drawn = stream(options)
  say(("     %s, drawn: %s"):format(name, counting.words(drawn)))
  -- a drawing writes what is new, and again the line that was not at its end
  local most = flood.COUNT / flood.WORDS_OF_LINE + 10 * drawn.redraws
  assert(drawn.written <= most, ("%d redraws wrote %d lines"):format(drawn.redraws, drawn.written))
  return seen
end

test("10,000 deltas are handled in slices, and drawn a few times, each time what is new", function()
  check_stream({ script = { replies = { text(flood.text()) } } }, "engine")
end)

test("10,000 deltas, a line each, all at once", function()
  local seen = check_stream(flood.options(), "a flood")
  equal(seen.most_lines, counting.SLICE_LINES, "there is always more than a slice of it")
  -- the last ones cost what the first ones do
  for _, what in ipairs({ "instructions", "bytes" }) do
    local early, late = seen.early[what], seen.late[what]
    assert(late < 1.5 * early, ("%s of 1,000 deltas: %d at first, %d at last"):format(what, early, late))
  end
end)

-- What opening takes: four requests, two more to close and delete the empty session that was there, and a page of events, which is
-- drawn twice if the session arrives in two parts.
local OPEN = { requests = 6, written = 600, instructions = 1000000 }
-- What a page of the beginning takes in one round of the loop, with some room.
local PAGE_INSTRUCTIONS = 2000000

test("a session of 10,000 items opens with its end, and its beginning is read on demand", function()
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
  -- What Neovim itself does to hide the signs of Markdown is not counted.
  local settings = { conceal = false }
  local again = child.start({ dir = vi.dir, script = { replies = {} }, in_terminal = true, settings = settings })
  again:cmd("Pintle open")
  again:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  again:wait("require('pintle').status().session ~= nil")
  counting.start(again)
  again:lua(
    [[
      local here = require("pintle.workspace").find()
      here:open(..., function(view)
        require("pintle.layout").show(here, view.chat)
        _G.is_open = true
      end)
    ]],
    id
  )
  again:wait("_G.is_open", "the session")
  again:wait_screen("said 5000")
  again:wait("require('pintle').status().session == given", "the session", id)
  local opened = counting.seen(again)
  say("     10,000 items, opened: " .. counting.words(opened))
  local shown = again:chat()
  assert(vim.endswith(before, shown:sub(-2000)), shown:sub(-2000))
  assert(#shown < #before / 10, "only its end was read")
  assert(opened.requests <= OPEN.requests, opened.requests .. " requests to open it")
  assert(opened.written <= OPEN.written, opened.written .. " lines written to open it")
  assert(opened.instructions <= OPEN.instructions, opened.instructions .. " instructions to open it")
  counting.start(again)
  again:read_beginning()
  local seen = counting.seen(again)
  say("     its beginning, read: " .. counting.words(seen))
  assert(again:whole_chat() == before, "its beginning was read")
  -- a page at a time, each in a round of the loop
  assert(seen.most_work <= PAGE_INSTRUCTIONS, seen.most_work .. " instructions in one round of the loop")
end)

test("an editor that was stopped reads what it missed", function()
  local blocks = { { tool = "bash", arguments = { command = "while [ ! -e go ]; do sleep 0.02; done" } } }
  local many = {}
  for number = 1, 5000 do
    table.insert(many, { reasoning = "thought " .. number })
    table.insert(many, { text = "said " .. number })
  end
  local vi = child.start({ script = { replies = { { blocks = blocks }, { blocks = many }, text("Last words.") } } })
  vi:lua([[
    local session = require("pintle.session")
    local lagged = session.lagged
    _G.lagged = 0
    session.lagged = function(...)
      _G.lagged = _G.lagged + 1
      return lagged(...)
    end
  ]])
  vi:cmd("Pintle ask talk")
  vi:wait_chat("running")
  vi:lua([[
    local method = require("pintle.protocol").method.session_list
    local here = require("pintle.workspace").find()
    here.engine:request(method, { cwd = here.root }, function(_, result) _G.folder = result.sessions[1].path end)
  ]])
  vi:wait("_G.folder ~= nil")
  local folder = vi:lua("return _G.folder")
  vim.uv.kill(vi.pid, "sigstop")
  child.write(vi.dir .. "/go", "")
  -- until the turn's end is in the journal
  assert(child.until_true(function()
    return vim.iter(vim.fn.glob(folder .. "/*.jsonl", false, true)):any(function(path)
      return child.read(path):find('"turn.completed"', 1, true) ~= nil
    end)
  end))
  vim.uv.kill(vi.pid, "sigcont")
  vi:wait_chat("said 5000\n\n*done")
  equal(select(2, vi:chat():gsub("said %d+", "")), 5000)
  equal(select(2, vi:chat():gsub("│ thought %d+", "")), 5000)
  say(("     %d times told of a gap"):format(vi:lua("return _G.lagged")))
  vi:cmd("Pintle ask on")
  vi:wait_chat("Last words.")
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
  assert(#again:chat() < #before, "only the end was read")
  equal(again:whole_chat(), before)
end)

test("who goes up in a transcript gets what came before, and stays where he is", function()
  local replies = {}
  for number = 1, 150 do
    replies[number] =
      { blocks = { { text = "said " .. number }, { tool = "bash", arguments = { command = "echo " .. number } } } }
  end
  replies[151] = text("Enough.")
  local vi = child.start({ script = { replies = replies } })
  vi:cmd("Pintle ask many")
  vi:wait_chat("Enough.")
  vi:wait_turn()
  local before = vi:chat()
  local id = vi:lua("return require('pintle').status().session")
  vi:quit()
  local again = child.start({ dir = vi.dir, script = { replies = {} }, stock = true })
  again:cmd("Pintle open")
  again:wait("require('pintle').status().session ~= nil")
  again:lua(
    [[
    local here = require("pintle.workspace").find()
    here:open(..., function(view) require("pintle.layout").show(here, view.chat) end)
  ]],
    id
  )
  again:wait_screen("Enough.")
  again:wait("require('pintle').status().session == given", "the session", id)
  local first = "require('pintle.workspace').find():view().state.first"
  local was = again:lua("return " .. first)
  again:cmd("wincmd k")
  again:keys("gg")
  -- The cursor was on the last line, then on the first one, and is behind what was read then. Earlier events may also come before the keys
  -- are read, when the window is drawn.
  local is_behind =
    " < given and vim.fn.line('.') > 20 and vim.fn.line('.') < vim.fn.line('$') and vim.fn.line('w0') > 1"
  again:wait(first .. is_behind, "earlier events above the cursor", was)
  while true do
    was = again:lua("return " .. first)
    if was == 1 then
      break
    end
    again:keys("gg")
    again:wait(first .. " < given", "earlier events", was)
  end
  again:keys("gg")
  again:wait_screen("You")
  assert(again:chat() == before, "the whole transcript is the same")
  equal(again:lua("return vim.fn.foldclosed(vim.fn.search('^▾ bash', 'n'))") > 0, true, "folds are closed")
  again:cmd("Pintle earlier")
  again:wait_screen("the transcript already shows the whole session")
end)

-- Of Lua, with room for as many again.
local START_INSTRUCTIONS = 2000

test("starting the editor loads one small file", function()
  local add = "set runtimepath^=" .. vim.fn.fnameescape(vim.env.PINTLE_PLUGIN)
  local path = child.folder() .. "/loaded"
  local report =
    [[lua local plugin = vim.uv.fs_realpath(vim.env.PINTLE_PLUGIN) .. "/" local f = io.open(%q, "w") f:write(vim.json.encode({
    scripts = vim.tbl_filter(function(s) return vim.startswith(vim.uv.fs_realpath(s.name) or "", plugin) end, vim.fn.getscriptinfo()),
    modules = vim.tbl_filter(function(m) return m:find("^pintle") ~= nil end, vim.tbl_keys(package.loaded)),
    instructions = _G.instructions })) f:close()]]
  -- those of the plugin, and not of what the editor does besides
  local count = [[lua jit.off()
      vim.g.loaded_pintle, _G.instructions = nil, 0
      debug.sethook(function()
        local is_own = vim.endswith(debug.getinfo(2, "S").source, "/plugin/pintle.lua")
        _G.instructions = _G.instructions + (is_own and 1 or 0)
      end, "", 1)
      vim.cmd.source(vim.env.PINTLE_PLUGIN .. "/plugin/pintle.lua")
      debug.sethook()]]
  local function started(...)
    local command = { vim.env.NVIM_BIN, "--headless", "--clean", "--cmd", add, ... }
    vim.list_extend(command, { "-c", report:format(path):gsub("\n", " "), "+qall" })
    local ended = vim.system(command):wait(child.WAIT_MS)
    equal(ended.code, 0, ended.stderr)
    return vim.json.decode(child.read(path))
  end
  local loaded = started("--cmd", "lua _G.instructions = 0")
  equal({ #loaded.scripts, loaded.modules }, { 1, {} }, "one script, and no module")
  local counted = started("-c", (count:gsub("\n", " ")))
  say(("     the plugin is loaded in %d instructions of Lua"):format(counted.instructions))
  assert(counted.instructions <= START_INSTRUCTIONS, counted.instructions .. " instructions")
end)
