-- The race: the agent edits a file while it is typed into. Nothing that was typed is lost, and no edit is.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local function edit(old, new)
  return call("edit", { path = "a.txt", edits = { { oldText = old, newText = new } } })
end

-- A step of the model that waits until the test has done its part.
local function gate(name)
  return call("bash", { command = ("touch at-%s; while [ ! -e %s ]; do sleep 0.01; done"):format(name, name) })
end

local TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

local function racing(replies, content, settings)
  local dir = child.folder()
  child.write(dir .. "/a.txt", content or TEN)
  vim.list_extend(replies, { text("Done.") })
  local vi = child.start({ dir = dir, script = { replies = replies }, settings = settings })
  vi:cmd("edit a.txt")
  return vi, dir
end

local function lines(vi)
  return vi:lua("return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false), ' ')")
end

local function keys(vi, typed, expression, ...)
  vi:keys(typed)
  vi:wait(expression, "the keys " .. typed, ...)
end

test("typed before, between and after the edits of a turn", function()
  local replies = { gate("one"), edit("2\n", "two\n"), gate("two"), edit("8\n", "eight\nand more\n"), gate("three") }
  local vi, dir = racing(replies)
  vi:cmd("Pintle ask go")
  child.wait_file(dir .. "/at-one")
  keys(vi, "5GAa", "vim.api.nvim_get_current_line() == '5a'")
  child.write(dir .. "/one", "")
  child.wait_file(dir .. "/at-two")
  equal(lines(vi), "1 two 3 4 5a 6 7 8 9 10")
  keys(vi, "b", "vim.api.nvim_get_current_line() == '5ab'")
  child.write(dir .. "/two", "")
  child.wait_file(dir .. "/at-three")
  keys(vi, "c", "vim.api.nvim_get_current_line() == '5abc'")
  child.write(dir .. "/three", "")
  vi:wait_turn()
  equal(lines(vi), "1 two 3 4 5abc 6 7 eight and more 9 10")
  equal(vi:lua("return { vim.fn.mode(), vim.bo.modified }"), { "i", true })
  equal(child.read(dir .. "/a.txt"), TEN, "nothing was written")
  -- step by step back: each has its own
  local seen = {}
  vi:keys("<Esc>")
  for _ = 1, 5 do
    local before = lines(vi)
    keys(vi, "u", "vim.fn.mode() == 'n' and table.concat(vim.fn.getline(1, '$'), ' ') ~= given", before)
    seen[#seen + 1] = lines(vi)
  end
  equal(seen, {
    "1 two 3 4 5ab 6 7 eight and more 9 10",
    "1 two 3 4 5ab 6 7 8 9 10",
    "1 two 3 4 5a 6 7 8 9 10",
    "1 2 3 4 5a 6 7 8 9 10",
    "1 2 3 4 5 6 7 8 9 10",
  })
end)

-- A person saves while a command of the agent runs, which may change the same file. Undoing all of the agent's work leaves what was saved.
test("text that is saved while a command runs is the person's", function()
  local rows = {
    { "it only waits", "", ":w" },
    { "it only waits, autosave", "", "autosave" },
    { "it changes another line", "; sed -i 's/^2$/two/' a.txt", ":w" },
  }
  for _, row in ipairs(rows) do
    local name, more, saves = unpack(row)
    local wait = "touch at-one; while [ ! -e one ]; do sleep 0.01; done"
    local vi, dir = racing({ call("bash", { command = wait .. more }) }, nil, { permission_mode = "auto-edit" })
    if saves == "autosave" then
      vi:lua("vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, { command = 'silent write' })")
    end
    vi:cmd("Pintle ask go")
    child.wait_file(dir .. "/at-one")
    keys(vi, "8GAmine<Esc>", "vim.api.nvim_get_current_line() == '8mine'")
    if saves == ":w" then
      vi:cmd("write")
    end
    vi:wait("vim.fn.readfile('a.txt')[8] == '8mine' and not vim.bo.modified", "the save")
    child.write(dir .. "/one", "")
    vi:wait_turn()
    vi:cmd("Pintle undo all")
    vi:wait("vim.fn.readfile('a.txt')[2] == '2'", "the undo")
    equal(child.read(dir .. "/a.txt"), (TEN:gsub("8\n", "8mine\n")), name)
    equal(lines(vi), "1 2 3 4 5 6 7 8mine 9 10", name)
    vi:quit()
  end
end)

-- Keys come here a hundred times faster than from a person, so that an edit may find no moment between two of them: then none of
-- it is made, and the model is told.
test("keys all the while, as fast as they come", function()
  local replies = {}
  for number = 1, 9 do
    if number ~= 5 then
      replies[#replies + 1] = edit(("\n%d\n"):format(number), ("\nnumber %d\nand more\n"):format(number))
    end
  end
  local vi, dir = racing(replies, "0\n" .. TEN)
  local typed = ""
  keys(vi, "6GA", "vim.fn.mode() == 'i'")
  vi:cmd("Pintle ask go")
  local function is_over()
    return vi:lua("return #vim.tbl_filter(function(e) return e.name == 'PintleTurnCompleted' end, _G.events) > 0")
  end
  repeat
    local letters = ("abcdefghij"):sub(#typed % 10 + 1, #typed % 10 + 1)
    typed = typed .. letters
    vi:keys(letters)
  until is_over()
  vi:wait("vim.fn.getline('.') == '5' .. given", "what was typed", typed)
  local want, made = { "0" }, 0
  for number = 1, 10 do
    local edited = ("number %d"):format(number)
    local is_made = vi:lua("return vim.fn.search(..., 'nw') > 0", "^" .. edited .. "$")
    made = made + (is_made and 1 or 0)
    want[#want + 1] = is_made and edited .. " and more" or tostring(number)
  end
  equal(lines(vi), (table.concat(want, " "):gsub(" 5 ", " 5" .. typed .. " ")))
  local refused = select(2, vi:chat():gsub("Nothing was changed", ""))
  equal(made + refused, 8, "each edit is made, or the model is told:\n" .. vi:chat())
  equal(vi:lua("return { vim.fn.mode(), vim.bo.modified }"), { "i", true })
  equal(child.read(dir .. "/a.txt"), "0\n" .. TEN)
  say(("     %d letters, %d of 8 edits between them"):format(#typed, made))
  -- all of it back, and all of it again
  vi:keys("<Esc>")
  vi:wait("vim.fn.mode() == 'n'")
  local all = lines(vi)
  vi:cmd("silent! undo 0")
  equal(lines(vi), "0 1 2 3 4 5 6 7 8 9 10")
  vi:lua("while vim.fn.undotree().seq_cur < vim.fn.undotree().seq_last do vim.cmd('silent redo') end")
  equal(lines(vi), all)
end)

test("the very line that is typed in is a conflict, told to the model", function()
  local vi, dir = racing({ gate("one"), edit("5\n", "five\n"), edit("2\n", "two\n") })
  vi:cmd("Pintle ask go")
  child.wait_file(dir .. "/at-one")
  keys(vi, "5Gccmine", "vim.api.nvim_get_current_line() == 'mine'")
  child.write(dir .. "/one", "")
  vi:wait_turn()
  equal(lines(vi), "1 two 3 4 mine 6 7 8 9 10")
  equal(child.read(dir .. "/a.txt"), TEN)
  contains(vi:chat(), "edit: a.txt · failed")
end)

test("a clean buffer is changed and written, without a word of a conflict", function()
  local vi, dir = racing({ edit("2\n", "two\n"), edit("8\n", "eight\n") })
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  equal(lines(vi), "1 two 3 4 5 6 7 eight 9 10")
  equal(child.read(dir .. "/a.txt"), "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n10\n")
  equal(vi:lua("return vim.bo.modified"), false)
  vi:cmd("undo")
  equal(lines(vi), "1 2 3 4 5 6 7 8 9 10", "one undo step for the turn")
  local notes = vi:lua("return _G.notes")
  equal({ #notes, notes[1] }, { 2, "pintle: working; :Pintle open shows the transcript" })
  contains(notes[2], "changed a.txt; :Pintle review lists the hunks")
end)

test("tools read what is on the screen, and undo takes back what is there", function()
  local vi, dir = racing({ call("read", { path = "a.txt" }), edit("2\n", "two\n") })
  keys(vi, "5GAtyped<Esc>", "vim.fn.mode() == 'n' and vim.api.nvim_get_current_line() == '5typed'")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  contains(vi:chat(), "5typed")
  vi:wait("not require('pintle.review').is_busy() and #require('pintle.overlay').places(0) == 1", "the hunk")
  vi:cmd("2")
  vi:cmd("Pintle undo")
  vi:wait_note("1 hunk undone")
  equal(lines(vi), "1 2 3 4 5typed 6 7 8 9 10")
  equal(vi:lua("return vim.bo.modified"), true)
  equal(child.read(dir .. "/a.txt"), TEN)
end)

test("going back takes the agent's work out of unsaved text, and leaves what was typed", function()
  local vi, dir = racing({ edit("2\n", "two\n") })
  keys(vi, "5GAtyped<Esc>", "vim.fn.mode() == 'n' and vim.api.nvim_get_current_line() == '5typed'")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  equal(lines(vi), "1 two 3 4 5typed 6 7 8 9 10")
  vi:lua("_G.choices = { 'go', 'Conversation and files', 'Rewind' }")
  vi:cmd("Pintle rewind")
  vi:wait_note("1 file restored")
  equal(lines(vi), "1 2 3 4 5typed 6 7 8 9 10")
  equal({ child.read(dir .. "/a.txt"), vi:lua("return vim.bo.modified") }, { TEN, true })
  vi:cmd("Pintle redo")
  vi:wait("vim.fn.getline(2) == 'two'")
  equal(lines(vi), "1 two 3 4 5typed 6 7 8 9 10")
end)

test("the engine is killed, and knows again what is not saved", function()
  local vi = racing({ call("read", { path = "a.txt" }) })
  vi:cmd("Pintle ask read it")
  vi:wait_turn(1)
  keys(vi, "5GAtyped", "vim.api.nvim_get_current_line() == '5typed'")
  vim.uv.kill(vi:engine_pid(), "sigkill")
  vi:wait("vim.iter(_G.events):any(function(e) return e.name == 'PintleReattached' end)")
  assert(not vi:chat():find("5typed", 1, true), vi:chat())
  vi:cmd("Pintle ask again")
  vi:wait_turn(2)
  contains(vi:chat(), "5typed")
  equal(lines(vi), "1 2 3 4 5typed 6 7 8 9 10")
end)

test("typing does not make it ask for hunks for ever", function()
  local vi = racing({ edit("2\n", "two\n") })
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  vi:wait("not require('pintle.review').is_busy()")
  -- a letter is typed whenever it asks, so that each answer has something new to tell
  vi:lua([[
    local here = require("pintle.workspace").find()
    local rpc = here.engine.rpc
    local request = rpc.request
    _G.count = 0
    rpc.request = function(self, method, params, done)
      if method == "review/list" and _G.count < 20 then
        _G.count = _G.count + 1
        vim.api.nvim_buf_set_text(0, 4, 0, 4, 0, { "x" })
        here.documents:flush()
      end
      return request(self, method, params, done)
    end
    require("pintle.review").look(here, here.current)
    local function ping(left)
      here.engine:request("ping", vim.empty_dict(), function()
        if left == 0 then _G.is_quiet = true else ping(left - 1) end
      end)
    end
    ping(20)
  ]])
  vi:wait("_G.is_quiet and not require('pintle.review').is_busy()")
  equal(vi:lua("return _G.count"), 1)
end)
