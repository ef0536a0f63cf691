-- The plugin on a real terminal with the editor's own `vim.notify`, `vim.ui.select` and `vim.ui.input`: what a person sees.

local child = require("child")
local reply = require("reply")

local SIZES = { { 80, 24 }, { 40, 20 }, { 200, 50 } }

local text, call = reply.text, reply.call

local IDLE = { replies = { text("Never asked.") } }

---Runs a test at each size of the screen.
---@param name string
---@param body fun(columns: integer, lines: integer)
local function at_sizes(name, body)
  for _, size in ipairs(SIZES) do
    test(("%s, at %dx%d"):format(name, size[1], size[2]), function()
      body(size[1], size[2])
    end)
  end
end

local function open_prompt(vi)
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:wait("require('pintle').status().session", "a session")
end

local function prompt_of(vi)
  return vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())")
end

test("writing the prompt keeps the draft and sends nothing", function()
  local vi = child.start({ stock = true, script = { replies = { text("Got it.") } } })
  child.write(vi.dir .. "/a.txt", "one\n")
  vi:cmd("edit a.txt")
  open_prompt(vi)
  for number, write in ipairs({ ":w<CR>", ":wa<CR>", ":update<CR>", ":silent! wall<CR>" }) do
    vi:keys(("Sdraft %d<Esc>%s:let g:written = %d<CR>"):format(number, write, number))
    vi:wait("vim.g.written == given", write, number)
    equal(vi:lua("return { vim.fn.getline(1, '$'), vim.bo.modified }"), { { "draft " .. number }, false })
  end
  -- as plugins that save by themselves do, while one types
  vi:lua([[vim.api.nvim_create_autocmd("InsertLeave", { command = "silent! wall", nested = true })]])
  vi:keys("Ssaved by itself<Esc>:let g:written = 9<CR>")
  vi:wait("vim.g.written == 9")
  equal(vi:lua("return vim.bo.modified"), false)
  vi:cmd("autocmd! InsertLeave")
  equal(vi:lua("return require('pintle.workspace').get():view().state.seq"), 1, "only the session was made")
  -- sending is a verb of its own
  vi:keys("<CR>")
  vi:wait_turn()
  contains(vi:chat(), "## You\n\nsaved by itself")
  equal(prompt_of(vi), "")
end)

test("a draft that was written is there again after :wqa, until it is sent", function()
  local vi = child.start({ stock = true, script = IDLE })
  open_prompt(vi)
  equal(vi:keys_to_end("ihalf a thought<CR>in two lines<Esc>:wqa<CR>"), 0)
  local again = child.start({ dir = vi.dir, stock = true, script = { replies = { text("Whole.") } } })
  open_prompt(again)
  equal(prompt_of(again), "half a thought\nin two lines")
  again:keys("<CR>")
  again:wait_turn()
  contains(again:chat(), "half a thought\nin two lines")
  again:quit()
  local third = child.start({ dir = vi.dir, stock = true, script = IDLE })
  open_prompt(third)
  equal(prompt_of(third), "")
  local other = child.start({ stock = true, script = IDLE })
  open_prompt(other)
  equal(prompt_of(other), "", "another project has a draft of its own")
end)

test(":wqa during a turn ends the editor and the engine", function()
  local script = { replies = { call("bash", { command = "sleep 600" }) } }
  local vi = child.start({ stock = true, script = script })
  open_prompt(vi)
  vi:keys("igo<Esc><CR>")
  vi:wait_chat("running")
  local engine = vi:engine_pid()
  equal(vi:keys_to_end("inever sent<Esc>:wqa<CR>"), 0)
  child.wait_gone(engine)
end)

test("the prompt's text can be written to a file by name", function()
  local vi = child.start({ stock = true, script = IDLE })
  open_prompt(vi)
  vi:keys("ikept<Esc>:w note.txt<CR>")
  vi:wait("vim.uv.fs_stat('note.txt')")
  equal(child.read(vi.dir .. "/note.txt"), "kept\n")
  equal(prompt_of(vi), "kept")
end)

at_sizes("a long notice takes no key while one types", function(columns, lines)
  local command = "touch " .. ("long"):rep(60, " ")
  local script = { replies = { call("bash", { command = command }), text("Done.") } }
  local settings = { permission_mode = "ask" }
  local vi = child.start({ stock = true, columns = columns, lines = lines, script = script, settings = settings })
  open_prompt(vi)
  vi:keys("igo<Esc><CR>i")
  vi:wait("require('pintle.approval').count() == 1")
  vi:wait_screen(":Pintle log")
  equal(vi:is_blocked(), false, "nothing waits for a key")
  vi:keys("every key arrives")
  vi:wait("vim.fn.getline(vim.fn.line('$')):find('every key arrives', 1, true)")
  vi:keys("<Esc>:Pintle log<CR>")
  vi:wait("#vim.api.nvim_buf_get_lines(0, 0, -1, false) > 0 and vim.bo.buftype == 'nofile'")
  contains(vi:lua("return table.concat(vim.fn.getline(1, '$'), '\\n')"), command)
end)

at_sizes("several notices at once are one line", function(columns, lines)
  local vi = child.start({ stock = true, columns = columns, lines = lines, script = IDLE })
  vi:keys("i")
  vi:lua([[
    local log = require("pintle.log")
    vim.schedule(function()
      for number = 1, 5 do log.say(("notice %d\nof two lines, and long: %s"):format(number, ("x"):rep(300))) end
      log.error("the worst")
      log.say("the last")
    end)
  ]])
  vi:wait_screen("the worst")
  vi:wait_screen("(+6")
  equal(vi:is_blocked(), false)
  vi:keys("typed")
  vi:wait("vim.fn.getline(1) == 'typed'")
end)

test("a notice stays in sight when one begins to type at once", function()
  local vi = child.start({ stock = true, script = IDLE })
  for keys, mode in pairs({ i = "i", R = "R", v = "v", ["<C-v>"] = "\22" }) do
    vi:lua("require('pintle.log').say('something has changed, ' .. ...)", keys)
    vi:wait_screen("something has changed, " .. keys)
    vi:keys(keys)
    vi:wait("vim.fn.mode() == given", nil, mode)
    vi:wait_screen("-- ")
    vi:wait_screen("something has changed, " .. keys)
    vi:keys("<Esc>")
    vi:wait("vim.fn.mode() == 'n'")
    vi:wait_screen("something has changed, " .. keys)
  end
end)

test("a notice waits while a command is written", function()
  local vi = child.start({ stock = true, script = IDLE })
  vi:keys(":let g:a = 1")
  vi:wait_screen(":let g:a = 1")
  vi:lua("require('pintle.log').warn('look here')")
  vi:keys("2")
  vi:wait_screen(":let g:a = 12")
  equal(vi:terminal_screen():find("look here", 1, true), nil)
  vi:keys("<CR>")
  vi:wait_screen("pintle: look here")
  equal(vi:lua("return vim.g.a"), 12)
end)

test("a notice without a command line takes no key either", function()
  local vi = child.start({ stock = true, script = IDLE, before = "vim.o.cmdheight = 0" })
  vi:keys("i")
  vi:lua("require('pintle.log').warn(('look here '):rep(40))")
  vi:wait_screen("look here")
  equal(vi:is_blocked(), false)
  vi:keys("typed")
  vi:wait("vim.fn.getline(1) == 'typed'")
end)

-- More lines than any screen of these tests has.
local COMMAND = "echo first\n" .. ("echo more\n"):rep(60) .. "touch last"

at_sizes("a question shows the whole command, and one key allows nothing", function(columns, lines)
  local script = { replies = { call("bash", { command = COMMAND }), text("Done.") } }
  local settings = { permission_mode = "ask" }
  local vi = child.start({ stock = true, columns = columns, lines = lines, script = script, settings = settings })
  local name = ("question-command-%dx%d"):format(columns, lines)
  open_prompt(vi)
  vi:keys("igo<Esc><CR>")
  vi:wait("require('pintle.approval').count() == 1")
  -- The notice, not the bar: one that comes while the command is written is shown after it.
  vi:wait_screen("asks (:P")
  local before = vi:lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }")
  vi:keys(":Pintle attention<CR>")
  vi:wait("require('pintle.panel').current() ~= nil")
  vi:wait_screen("echo first")
  golden_screen(name, vi)
  vi:keys("<CR>")
  vi:wait_screen("no ans")
  equal(vi:lua("return require('pintle.approval').count()"), 1, "nothing was allowed")
  vi:keys("G")
  vi:wait_screen("touch last")
  -- closed without an answer, it is still open, and all windows are as they were
  vi:keys("q")
  vi:wait("require('pintle.panel').current() == nil")
  equal(vi:lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }"), before)
  equal(vi:lua("return require('pintle.approval').count()"), 1)
  vi:keys(":Pintle attention<CR>")
  vi:wait("require('pintle.panel').current() ~= nil")
  vi:keys("<Tab>")
  vi:wait_screen("→ Allow")
  vi:keys("<CR>")
  vi:wait_turn()
  assert(vim.uv.fs_stat(vi.dir .. "/last"), "it ran")
  equal(vi:lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }"), before)
end)

at_sizes("a question shows the diff that the engine computes, and what always would write", function(columns, lines)
  local edit = call("edit", { path = "a.txt", edits = { { oldText = "two", newText = "TWO\nand a half" } } })
  local settings = { permission_mode = "ask" }
  local script = { replies = { edit, text("Done.") } }
  local vi = child.start({ stock = true, columns = columns, lines = lines, script = script, settings = settings })
  child.write(vi.dir .. "/a.txt", "one\ntwo\nthree\n")
  open_prompt(vi)
  vi:keys("igo<Esc><CR>")
  vi:wait("require('pintle.approval').count() == 1")
  -- The notice, not the bar: one that comes while the command is written is shown after it.
  vi:wait_screen("asks (:P")
  vi:keys(":Pintle attention<CR>")
  vi:wait("require('pintle.panel').current() ~= nil")
  local asked = vi:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')")
  contains(asked, "\n one\n-two\n+TWO\n+and a half\n three\n")
  contains(asked, "rule: ")
  vi:wait_screen("+TWO")
  golden_screen(("question-diff-%dx%d"):format(columns, lines), vi)
end)

at_sizes("a missing engine is said, and stays said", function(columns, lines)
  local settings = { binary = "/nowhere/pintle" }
  local vi = child.start({ stock = true, columns = columns, lines = lines, settings = settings })
  vi:keys(":Pintle open<CR>")
  vi:wait("require('pintle').status().engine == 'failed'")
  vi:wait_screen("No session:")
  -- what makes the status line anew leaves the notice alone
  local notice
  local is_said = child.until_true(function()
    notice = vim.trim(vi:terminal_screen():match("[^\n]*$"))
    return notice:find("no ses", 1, true) ~= nil
  end)
  assert(is_said, vi:terminal_screen())
  for _ = 1, 3 do
    vi:lua("require('pintle.log').emit('State', {}); require('pintle.log').emit('Approval', { open = 0 })")
    vi:lua("vim.cmd.redrawstatus({ bang = true }); vim.cmd.redraw()")
  end
  -- after everything that waited was done
  vi:lua("vim.schedule(function() _G.done = true end)")
  vi:wait("_G.done")
  equal(vi:is_blocked(), false)
  vi:wait_screen(notice)
  contains(vi:lua("return table.concat(require('pintle.log').lines, '\\n')"), "no such program: `/nowhere/pintle`")
end)

at_sizes("without a model the windows open and say how to name one", function(columns, lines)
  local vi = child.start({ stock = true, columns = columns, lines = lines })
  vi:keys(":Pintle open<CR>")
  vi:wait_screen("no model is set")
  golden_screen(("no-model-%dx%d"):format(columns, lines), vi)
  vi:keys("ithought of meanwhile<Esc>")
  local said = vi:lua("return require('pintle.log').lines[1]")
  contains(said, "choose one with :Pintle model")
  assert(not said:find("--model", 1, true), said)
  -- and once there is one
  local path = child.folder() .. "/script.json"
  child.write(path, vim.json.encode(IDLE))
  vi:lua("require('pintle.workspace').get().engine:leave()")
  vi:wait("require('pintle').status().engine == 'stopped'")
  vi:lua("require('pintle').setup({ binary = vim.env.PINTLE_BIN, args = { '--script', ... } })", path)
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:wait_screen("no model is set", true)
  equal(prompt_of(vi), "thought of meanwhile")
end)

at_sizes("a rewind shows what it would do before it asks", function(columns, lines)
  local edit = call("edit", { path = "a.txt", edits = { { oldText = "one", newText = "two" } } })
  local script = { replies = { edit, text("First done.") } }
  local vi = child.start({ stock = true, columns = columns, lines = lines, script = script })
  child.write(vi.dir .. "/a.txt", "one\n")
  vi:cmd("Pintle ask make it two")
  vi:wait_turn()
  -- the places and the scopes are lists of the editor's own
  vi:keys(":Pintle rewind<CR>")
  vi:wait_screen("make it two")
  vi:keys("1<CR>")
  vi:wait_screen("1: Conversation and files")
  vi:keys("1<CR>")
  vi:wait_screen("a.txt: restored")
  vi:wait_screen("→ Do nothing")
  equal(vi:is_blocked(), false)
  equal(child.read(vi.dir .. "/a.txt"), "two\n")
  vi:keys("<Tab><Tab><CR>")
  vi:wait_screen("3 items removed")
  equal(child.read(vi.dir .. "/a.txt"), "one\n")
end)
