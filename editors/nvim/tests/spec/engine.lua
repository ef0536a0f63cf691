-- Engines that are missing, too old, too new, noisy, dying; and what stays behind when the editor goes: nothing.

local child = require("child")
local reply = require("reply")
local own_version = require("pintle.protocol").version

local text = reply.text

local function call(words, tool, arguments)
  return { blocks = { { text = words }, { tool = tool, arguments = arguments } } }
end

-- An engine that answers the first request with this and then waits.
local function fake(answer, after)
  local path = child.folder() .. "/pintle"
  return child.program(
    path,
    ("#!/bin/sh\nread line\nprintf '%%s\\n' '%s'\n%s\n"):format(answer, after or "cat >/dev/null")
  )
end

local function hello(version)
  return vim.json.encode({
    jsonrpc = "2.0",
    id = 1,
    result = {
      protocol = { name = "pintle", version = version },
      engine = { name = "pintle", version = "9.9.9", schemaHash = "0" },
      capabilities = vim.empty_dict(),
      limits = { maxMessageBytes = 1, maxInFlight = 1 },
    },
  })
end

test("binary missing", function()
  local vi = child.start({ settings = { binary = "/nowhere/pintle" } })
  vi:cmd("Pintle ask hello")
  vi:wait_note("no such program: `/nowhere/pintle` (the setting `binary`)")
  equal(vi:lua("return require('pintle').status().engine"), "failed")
end)

test("binary missing in PATH, without setup", function()
  local vi = child.start({ without_setup = true, env = { PATH = child.folder() } })
  vi:cmd("Pintle open")
  vi:wait_note("`pintle` not found in PATH; install it, or set `binary`")
  -- the window and the health report have the command that installs it
  local command = require("pintle.install").command("unix")
  vi:wait(
    [[vim.iter(vim.api.nvim_list_wins()):any(function(win)
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
    return vim.list_contains(lines, "to install it: " .. given)
  end)]],
    "the command",
    command
  )
  vi:cmd("checkhealth pintle")
  contains(vi:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"), command)
end)

test("the command that installs the engine is that of the project's releases", function()
  local cargo = child.read(vim.fs.joinpath(vim.env.PINTLE_PLUGIN, "../../Cargo.toml"))
  local install = require("pintle.install")
  equal(cargo:match('repository = "([^"]+)"'), install.HOMEPAGE)
  equal(install.command("windows"), "irm " .. install.HOMEPAGE .. "/releases/latest/download/install.ps1 | iex")
end)

test("without setup, the engine from PATH", function()
  local bin = child.folder()
  vim.uv.fs_symlink(vim.env.PINTLE_BIN, bin .. "/pintle")
  local vi = child.start({ without_setup = true, env = { PATH = bin .. ":" .. vim.env.PATH } })
  vi:lua(
    "require('pintle.workspace').get().engine:request('ping', vim.empty_dict(), function(err) _G.pong = err or true end)"
  )
  vi:wait("_G.pong == true")
end)

test("a program that is no engine", function()
  local vi = child.start({ settings = { binary = "/bin/true" } })
  vi:cmd("Pintle ask hello")
  vi:wait_note("the engine exited with code 0")
  vi:wait_note("; :Pintle open starts it again")
end)

test("an engine that says nothing", function()
  local path = child.program(child.folder() .. "/pintle", "#!/bin/sh\ncat >/dev/null\n")
  local vi = child.start({ settings = { binary = path, handshake_ms = 200 } })
  -- asked for at once: it may soon be gone
  local pid = vi:lua("vim.cmd('Pintle ask hello') return require('pintle.workspace').find().engine:pid()")
  vi:wait_note("no response within 200 ms")
  child.wait_gone(pid)
end)

test("a newer engine", function()
  local vi = child.start({ settings = { binary = fake(hello("3.0")) } })
  vi:cmd("Pintle ask hello")
  vi:wait_note(
    ("it speaks protocol 3.0, the plugin %s; the engine is newer: update the Neovim plugin"):format(own_version)
  )
  vi:wait_note("no session: it speaks protocol 3.0")
end)

test("an older engine", function()
  local refusal = vim.json.encode({
    jsonrpc = "2.0",
    id = 1,
    error = { code = -32022, message = "unsupported", data = { code = "unsupportedProtocol", supported = { "0.9" } } },
  })
  local vi = child.start({ settings = { binary = fake(refusal) } })
  -- asked for at once: it may soon be gone
  local pid = vi:lua("vim.cmd('Pintle ask hello') return require('pintle.workspace').find().engine:pid()")
  vi:wait_note(("it speaks protocol 0.9, the plugin %s; the engine is older: update the engine"):format(own_version))
  child.wait_gone(pid)
end)

test("a protocol error", function()
  local vi = child.start({ script = { replies = { text("Still here.") } } })
  vi:lua("require('pintle.workspace').get():open('01a20000-0000-7000-8000-000000000000', function() end)")
  vi:wait_note("cannot open the session: ")
  vi:lua("require('pintle.workspace').get():open('nonsense', function() end)")
  vi:wait("#_G.notes == 2")
  vi:cmd("Pintle ask hello")
  vi:wait_chat("Still here.")
end)

test("log lines and garbage on stdout", function()
  local path = child.folder() .. "/pintle"
  child.program(
    path,
    ([[#!/bin/sh
echo "INFO starting up"
echo 'Error: {"jsonrpc": half'
echo '{"jsonrpc":"2.0","id":77,"result":{}}'
echo '[1,2]'
printf '\377\376 not text\n\n'
echo "a word on stderr" >&2
exec %s "$@"
]]):format(vim.env.PINTLE_BIN)
  )
  local vi = child.start({ settings = { binary = path }, script = { replies = {} } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session ~= nil")
  vi:wait_note("skipped output of the engine (not a JSON-RPC message): INFO starting up")
  equal(vi:lua("return #_G.notes"), 1, "said once")
  equal(vi:lua("return require('pintle.workspace').find().engine.garbage"), 5)
  vi:cmd("Pintle doctor")
  local report = vi:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')")
  contains(report, "it printed 5 lines that are not messages")
  contains(report, "a word on stderr")
end)

test("the health report", function()
  local vi = child.start({ script = { replies = {} } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session ~= nil")
  vi:cmd("Pintle doctor")
  local report = vi:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')")
  contains(report, "OK Neovim " .. tostring(vim.version()))
  contains(report, "OK engine: " .. vim.env.PINTLE_BIN)
  contains(report, "ready, engine ")
  assert(not report:find("ERROR", 1, true), report)
end)

test("the engine is killed in mid-stream", function()
  local words = {}
  for number = 1, 500 do
    words[number] = "word" .. number
  end
  local vi = child.start({ script = { delayMs = 5, replies = { text(table.concat(words, " ")) } } })
  vi:cmd("Pintle ask count")
  vi:wait_chat("word20 ")
  local pid = vi:engine_pid()
  vim.uv.kill(pid, "sigkill")
  vi:wait_note("the engine exited by signal 9 and is restarting")
  vi:wait_chat("**failed** (engineRestarted): the engine ended while this turn ran")
  vi:wait("require('pintle').status().state == 'idle'")
  local chat = vi:chat()
  equal(select(2, chat:gsub("## You", "")), 1, "nothing twice")
  equal(vi:lua("return require('pintle.workspace').find().engine.restarts"), 1)
  -- and the session goes on
  vi:cmd("Pintle ask again")
  vi:wait_chat("word3 ")
  vi:cmd("Pintle stop")
  vi:wait_chat("*stopped after")
end)

-- An editor whose engine stops responding after it has opened a session, and was asked for something.
local function with_hung_engine()
  local vi = child.start({ script = { replies = { text("Hi.") } }, settings = { stall_ms = 400 } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session ~= nil")
  local pid = vi:engine_pid()
  vim.uv.kill(pid, "sigstop")
  vi:lua("require('pintle.prompt').set(require('pintle.workspace').find(), 'hello')")
  vi:cmd("Pintle ask")
  vi:wait_note("the engine has not responded for 0 s; wait, or restart it with `:Pintle restart`")
  return vi, pid
end

test("an engine that does not respond is reported without a turn, and recovers silently", function()
  local vi, pid = with_hung_engine()
  equal(vi:lua("return require('pintle.statusline').get()"), "pintle: engine not responding")
  contains(vi:screen(), "no response for 0 s")
  vi:cmd("Pintle doctor")
  local report = vi:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')")
  contains(report, "it has not responded for 0 s")
  vi:cmd("tabclose")
  vim.uv.kill(pid, "sigcont")
  vi:wait_chat("Hi.")
  vi:wait("require('pintle.statusline').get() == 'pintle: idle'")
  equal(vi:lua("return #_G.notes"), 1, vim.inspect(vi:lua("return _G.notes")))
  assert(not vi:screen():find("no response", 1, true))
end)

test("an engine that does not respond is restarted, and the text is kept", function()
  local vi, pid = with_hung_engine()
  vi:cmd("Pintle restart")
  child.wait_gone(pid)
  vi:wait_note("not sent: the engine has exited")
  vi:wait("require('pintle').status().engine == 'ready'")
  vi:cmd("Pintle ask")
  vi:wait_chat("Hi.")
  contains(vi:chat(), "hello")
  assert(not vim.iter(vi:lua("return _G.notes")):find(function(note)
    return note:find("cannot reopen", 1, true) or note:find("is restarting", 1, true)
  end))
end)

test("an engine that does not respond is reported once while a turn runs", function()
  local vi = child.start({
    script = { replies = { call("Waiting.", "bash", { command = "while [ ! -e done ]; do sleep 0.05; done" }) } },
    settings = { stall_ms = 400 },
  })
  vi:cmd("Pintle open")
  vi:cmd("Pintle ask go")
  vi:wait_chat("bash: while")
  local pid = vi:engine_pid()
  vim.uv.kill(pid, "sigstop")
  vi:wait_note("the engine has not responded for 0 s")
  vi:cmd("Pintle stop")
  vim.uv.kill(pid, "sigcont")
  vi:wait_chat("*stopped after")
  equal(vi:lua("return vim.iter(_G.notes):any(function(note) return note:find('no data for') end)"), false)
end)

test("a request that merely takes long is not reported", function()
  local dir = child.folder()
  local path = child.program(
    dir .. "/pintle",
    ([[#!/bin/sh
read line
printf '%%s\n' '%s'
while read line; do
  case $line in
    *'"ping"'*)
      id=${line#*\"id\":}
      id=${id%%%%[,\}]*}
      printf '{"jsonrpc":"2.0","id":%%s,"result":{}}\n' "$id"
      echo ping >>%s/pings ;;
  esac
done
]]):format(hello("2.0"), dir)
  )
  local vi = child.start({ settings = { binary = path, stall_ms = 100 } })
  vi:lua("require('pintle.workspace').get().engine:request('session/list', vim.empty_dict(), function() end)")
  vi:wait("vim.uv.fs_stat(given) and vim.uv.fs_stat(given).size >= 20", "four pings", dir .. "/pings")
  equal(vi:lua("return _G.notes"), {})
end)

test("a responsive engine is restarted in order, and its session continues", function()
  local vi = child.start({ script = { replies = { text("One.") } } })
  vi:cmd("Pintle ask first")
  vi:wait_chat("One.")
  local pid = vi:engine_pid()
  vi:cmd("Pintle restart")
  child.wait_gone(pid)
  vi:wait("vim.iter(_G.events):any(function(e) return e.name == 'PintleReattached' end)")
  vi:cmd("Pintle ask second")
  vi:wait_turn(2)
  contains(vi:chat(), "second")
  assert(not vim.iter(vi:lua("return _G.notes")):find(function(note)
    return note:find("the engine exited", 1, true)
  end))
end)

test("an engine is killed while it asks", function()
  local script = { replies = { call("May I?", "bash", { command = "tee /dev/null" }) } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  vim.uv.kill(vi:engine_pid(), "sigkill")
  vi:wait("require('pintle.approval').count() == 0")
  vi:wait_chat("engineRestarted")
  equal(vi:lua("return require('pintle.statusline').get()"), "pintle: idle")
end)

test("an engine that crashes again and again is given up", function()
  local vi = child.start({ settings = { binary = fake(hello("2.0"), "sleep 0.05; exit 3") } })
  vi:lua("require('pintle.workspace').get().engine:when_ready(function() end)")
  vi:wait("require('pintle').status().engine == 'failed'")
  vi:wait_note("the engine exited with code 3; :Pintle open starts it again")
  equal(vi:lua("return require('pintle.workspace').find().engine.restarts"), 3)
end)

local LONG = { replies = { call("Waiting.", "bash", { command = "echo $$ > pid; while :; do sleep 0.05; done" }) } }

for _, how in ipairs({ "quits", "sigkill", "sigterm", "sighup", "its terminal is killed" }) do
  test("nothing is left when the editor goes: " .. how, function()
    local dir = child.folder()
    local is_terminal = how == "its terminal is killed"
    local vi = child.start({ dir = dir, script = LONG, in_terminal = is_terminal })
    vi:cmd("Pintle ask go")
    vi:wait("vim.uv.fs_stat('pid') and vim.uv.fs_stat('pid').size > 0")
    local engine, tool = vi:engine_pid(), tonumber(vim.trim(child.read(dir .. "/pid")))
    assert(child.is_alive(engine) and child.is_alive(tool))
    if how == "quits" then
      vi:quit()
    else
      vi:kill(is_terminal and "sigkill" or how)
    end
    child.wait_gone(engine)
    child.wait_gone(tool)
    -- the turn has its end in the journal
    local again = child.start({ dir = dir, script = { replies = {} } })
    again:lua("_G.choices = { 'go' }")
    again:cmd("Pintle sessions")
    again:wait_chat("*stopped after")
    contains(again:chat(), "cancelled")
  end)
end

test("the engine is killed with the editor in mid-turn", function()
  local dir = child.folder()
  local vi = child.start({ dir = dir, script = LONG })
  vi:cmd("Pintle ask go")
  vi:wait("vim.uv.fs_stat('pid') and vim.uv.fs_stat('pid').size > 0")
  local engine = vi:engine_pid()
  local tool = tonumber(vim.trim(child.read(dir .. "/pid")))
  vim.uv.kill(vi.pid, "sigstop")
  vim.uv.kill(engine, "sigkill")
  vi:kill("sigkill")
  child.wait_gone(engine)
  -- what a killed engine was running is left to itself
  pcall(vim.uv.kill, tool, "sigkill")
  local again = child.start({ dir = dir, script = { replies = { text("On we go.") } } })
  again:lua("_G.choices = { 'go' }")
  again:cmd("Pintle sessions")
  again:wait_chat("**failed** (engineRestarted)")
  again:cmd("Pintle ask on")
  again:wait_chat("On we go.")
end)
