-- Review in the editor: hunks in the buffers, decisions on them, true on disk and told to the model.

local child = require("child")
local reply = require("reply")

local text = reply.text

local function edit(path, ...)
  local edits = {}
  for _, pair in ipairs({ ... }) do
    edits[#edits + 1] = { oldText = pair[1], newText = pair[2] }
  end
  return { blocks = { { tool = "edit", arguments = { path = path, edits = edits } } } }
end

local LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

-- What is drawn in the current buffer: the text of each marked line, and deleted lines with `-`, comments with `»`.
local DRAWN = [[
  local found = {}
  local lines = vim.api.nvim_get_namespaces()["pintle.lines"]
  local hunks = vim.api.nvim_get_namespaces()["pintle.hunks"]
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, hunks, 0, -1, { details = true })) do
    for row = mark[2], (mark[4].end_row or mark[2]) - 1 do
      table.insert(found, { row + 0.5, mark[4].hl_group:gsub("Pintle", "") .. " " .. vim.fn.getline(row + 1) })
    end
  end
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, lines, 0, -1, { details = true })) do
    for _, line in ipairs(mark[4].virt_lines or {}) do
      local is_comment = line[1][2] == "PintleComment"
      local row = mark[2] + (mark[4].virt_lines_above and 0 or 0.9)
      local all = ""
      for _, piece in ipairs(line) do
        all = all .. (piece[2]:find("Word") and "[" .. piece[1] .. "]" or piece[1])
      end
      table.insert(found, { row, is_comment and line[1][1] or (all:gsub("^%- ", "-")) })
    end
  end
  table.sort(found, function(a, b) return a[1] < b[1] end)
  return vim.tbl_map(function(each) return each[2] end, found)
]]

local function settled(vi)
  vi:wait("not require('pintle.review').is_busy()", "the hunks")
end

-- An editor whose agent has made these edits to a file that stands in the current buffer.
local function reviewed(content, ...)
  local dir = child.folder()
  child.write(dir .. "/a.txt", content)
  local replies = { edit("a.txt", ...), text("Done."), text("Noted.") }
  local vi = child.start({ dir = dir, script = { replies = replies } })
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  settled(vi)
  return vi, dir .. "/a.txt"
end

local function decide(vi, command)
  local count = vi:lua("return #vim.tbl_filter(function(e) return e.name == 'PintleDecision' end, _G.events)")
  vi:cmd(command)
  vi:wait("#vim.tbl_filter(function(e) return e.name == 'PintleDecision' end, _G.events) > given", "a decision", count)
  settled(vi)
end

local EDITS = { { "2\n", "two\n" }, { "5\n", "" }, { "9\n", "9\nnew\n" } }

test("hunks are drawn where they are, listed, and gone to", function()
  local vi = reviewed(LINES, unpack(EDITS))
  equal(vi:lua(DRAWN), { "-2", "Changed two", "-5", "Added new" })
  vi:cmd("Pintle review")
  vi:wait("vim.fn.getqflist({ winid = 0 }).winid ~= 0")
  equal(
    vi:lua("return vim.tbl_map(function(i) return i.lnum .. ' ' .. i.text end, vim.fn.getqflist())"),
    { "2 +1 -1 two", "5 +0 -1 5", "9 +1 -0 new" }
  )
  contains(vi:lua("return vim.api.nvim_buf_get_name(0)"), "a.txt")
  golden_grid("review", vi)
  local rows = {}
  for _, map in ipairs({ "next-hunk", "next-hunk", "next-hunk", "next-hunk", "prev-hunk", "prev-hunk", "prev-hunk" }) do
    vi:lua("vim.api.nvim_feedkeys(vim.keycode('<Plug>(pintle-' .. ... .. ')'), 'xm', true)", map)
    rows[#rows + 1] = vi:lua("return vim.fn.line('.')")
  end
  equal(rows, { 2, 5, 9, 9, 5, 2, 2 })
  vi:wait_note("no hunk before this one; 3 are open")
end)

-- The title of the current quickfix list, its length, and whether its window is open.
local QUICKFIX = [[
  local list = vim.fn.getqflist({ title = 0, size = 0, winid = 0 })
  return { list.title, list.size, list.winid ~= 0 }
]]

test("the user's quickfix list is covered by a review alone, and only until it ends", function()
  for _, has_window in ipairs({ false, true }) do
    local vi = reviewed(LINES, unpack(EDITS))
    equal(vi:lua(QUICKFIX), { "", 0, false }, "an edit lists nothing")
    vi:lua("vim.fn.setqflist({}, ' ', { title = 'mine', items = { { bufnr = 1, lnum = 1, text = 'x' } } })")
    if has_window then
      vi:cmd("copen | wincmd p")
    end
    vi:cmd("2")
    decide(vi, "Pintle keep")
    equal(vi:lua(QUICKFIX), { "mine", 1, has_window })
    vi:cmd("Pintle review")
    vi:wait("vim.fn.getqflist({ size = 0 }).size == 2")
    equal(vi:lua(QUICKFIX), { "pintle: hunks", 2, true })
    decide(vi, "Pintle undo all")
    equal(vi:lua(QUICKFIX), { "mine", 1, has_window })
    -- Hunks that are open again come to the list when asked for.
    decide(vi, "Pintle revert")
    equal(vi:lua(QUICKFIX), { "mine", 1, has_window })
    vi:cmd("Pintle review")
    vi:wait("vim.fn.getqflist({ size = 0 }).size == 2")
    -- A list that the user makes meanwhile stays.
    vi:lua("vim.fn.setqflist({}, ' ', { title = 'newer', items = { { bufnr = 1, lnum = 1, text = 'x' } } })")
    decide(vi, "Pintle keep all")
    equal(vi:lua(QUICKFIX), { "newer", 1, true })
  end
end)

test("a review takes the focus from the plugin's windows, not from code", function()
  local vi = reviewed(LINES, unpack(EDITS))
  local code = vi:lua("return vim.api.nvim_get_current_win()")
  local rows = { { "code", nil, false }, { "prompt", "prompt", true }, { "chat", "chat", true } }
  for _, row in ipairs(rows) do
    if row[2] then
      vi:cmd("Pintle open")
      vi:lua(
        [[for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.w[win].pintle_role == ... then vim.api.nvim_set_current_win(win) end
        end]],
        row[2]
      )
    end
    local before = vi:lua("return vim.api.nvim_get_current_win()")
    -- Also if its window is open already.
    for _ = 1, 2 do
      vi:lua("vim.api.nvim_set_current_win(...)", before)
      vi:cmd("Pintle review")
      vi:wait("vim.fn.getqflist({ winid = 0 }).winid ~= 0 and not require('pintle.review').is_busy()")
      equal(vi:lua("return vim.bo.buftype == 'quickfix'"), row[3], row[1])
    end
    vi:cmd("cclose")
    vi:wait("vim.api.nvim_get_current_win() == given", "the window of before", row[2] and before or code)
  end
  -- An entry opens in a window of code.
  vi:cmd("Pintle review")
  vi:wait("vim.bo.buftype == 'quickfix'")
  vi:keys("j<CR>")
  vi:wait("vim.api.nvim_get_current_win() == given", "the code", code)
  equal(vi:lua("return vim.fn.line('.')"), 5)
end)

test("without a list of the user's the window closes with the last hunk", function()
  local vi = reviewed(LINES, unpack(EDITS))
  vi:cmd("Pintle review")
  vi:wait("vim.fn.getqflist({ winid = 0 }).winid ~= 0")
  decide(vi, "Pintle keep all")
  equal(vi:lua(QUICKFIX), { "pintle: hunks", 0, false })
  equal(vi:lua("return #vim.api.nvim_list_wins()"), 1)
end)

test("marks stand at their lines in an unsaved buffer, or nowhere", function()
  local vi = reviewed(LINES, unpack(EDITS))
  -- at once, before the engine knows of it
  local function typed(first, last, lines)
    return vi:lua([[
      vim.api.nvim_buf_set_lines(0, ...)
      require("pintle.review").draw()
    ]] .. DRAWN, first, last, false, lines)
  end
  equal(typed(0, 0, { "mine", "and mine" }), { "-2", "Changed two", "-5", "Added new" })
  equal(typed(3, 4, { "another" }), { "-5", "Added new" })
  -- and when it does
  vi:lua("require('pintle.review').look(require('pintle.workspace').find(), require('pintle').status().session)")
  settled(vi)
  equal(vi:lua(DRAWN), { "-2", "Changed another", "-5", "Added new" })
end)

test("keep, undo, and back again", function()
  local vi, path = reviewed(LINES, unpack(EDITS))
  local changed = child.read(path)
  vi:cmd("2")
  decide(vi, "Pintle keep")
  vi:wait_note("1 hunk kept")
  equal({ child.read(path), vi:lua(DRAWN) }, { changed, { "-5", "Added new" } })
  vi:cmd("5")
  decide(vi, "Pintle undo hunk")
  vi:wait_note("1 hunk undone")
  equal(child.read(path), "1\ntwo\n3\n4\n5\n6\n7\n8\n9\nnew\n10\n")
  equal(vi:lua("return vim.fn.getline(5)"), "5", "the buffer was reloaded")
  equal(vi:lua("return vim.bo.modified"), false)
  equal(vi:lua(DRAWN), { "Added new" })
  decide(vi, "Pintle revert")
  vi:wait_note("1 hunk reopened")
  equal({ child.read(path), vi:lua(DRAWN) }, { changed, { "-5", "Added new" } })
  decide(vi, "Pintle revert")
  equal({ child.read(path), vi:lua(DRAWN) }, { changed, { "-2", "Changed two", "-5", "Added new" } })
  vi:cmd("Pintle revert")
  vi:wait_note("no decision to revert")
  decide(vi, "Pintle undo all")
  vi:wait_note("3 hunks undone")
  equal({ child.read(path), vi:lua(DRAWN) }, { LINES, {} })
  equal(vi:lua("return vim.fn.getqflist()"), {})
end)

-- Holds events back until `_G.release()`.
local HOLD = [[
  local here, held = require("pintle.workspace").find(), {}
  local notified = here.notified
  function here:notified(method, params)
    if method ~= "session/event" then
      return notified(self, method, params)
    end
    table.insert(held, params)
  end
  function _G.release()
    here.notified = nil
    for _, params in ipairs(held) do
      here:notified("session/event", params)
    end
  end
]]

local NOTES =
  "return vim.tbl_filter(function(n) return n:find('hunk', 1, true) or n:find('decision', 1, true) end, _G.notes)"

test("a decision is reported once it can be reverted, also if its event is late", function()
  local vi, path = reviewed(LINES, { "2\n", "two\n" })
  local steps = {
    { "Pintle undo all", "1 hunk undone" },
    { "Pintle revert", "1 hunk reopened" },
    { "Pintle keep all", "1 hunk kept" },
    { "Pintle revert", "1 hunk reopened" },
  }
  vi:lua("_G.notes = {}")
  local reported = {}
  for _, step in ipairs(steps) do
    vi:lua(HOLD)
    vi:cmd(step[1])
    -- The engine has answered once it answers another request.
    vi:lua("_G.answered = nil")
    vi:lua([[
      local here = require("pintle.workspace").find()
      here.engine:request("review/list", { sessionId = here.current }, function() _G.answered = true end)
    ]])
    vi:wait("_G.answered", "the answer")
    equal(vi:lua(NOTES), reported)
    vi:lua("_G.release()")
    vi:wait_note(step[2])
    reported[#reported + 1] = "pintle: " .. step[2]
  end
  -- At once after the notice, before the hunks have been listed again.
  vi:lua([[
    local log = require("pintle.log")
    local say = log.say
    function log.say(text, level)
      say(text, level)
      if text == "1 hunk kept" then
        vim.cmd("Pintle revert")
      end
    end
  ]])
  vi:cmd("Pintle keep all")
  vi:wait_note("1 hunk kept")
  vi:wait("#vim.tbl_filter(function(n) return n:find('1 hunk reopened', 1, true) end, _G.notes) == 3")
  equal(child.read(path), (LINES:gsub("2", "two")))
end)

test("only some lines, in a range and in Visual mode", function()
  local vi, path = reviewed(LINES, { "2\n3\n4\n", "b\nc\nd\ne\n" })
  decide(vi, "3Pintle undo")
  equal(child.read(path), "1\nb\n3\nd\ne\n5\n6\n7\n8\n9\n10\n")
  vi:cmd("5")
  vi:lua("vim.api.nvim_feedkeys('V' .. vim.keycode('<Plug>(pintle-keep)'), 'xm', true)")
  vi:wait("#vim.tbl_filter(function(e) return e.name == 'PintleDecision' end, _G.events) == 2", "a decision")
  vi:wait_note("1 hunk kept")
  settled(vi)
  equal(vi:lua(DRAWN), { "-2", "Changed b", "-4", "Changed d" })
  decide(vi, "%Pintle undo")
  vi:wait_note("2 hunks undone")
  equal(child.read(path), "1\n2\n3\n4\ne\n5\n6\n7\n8\n9\n10\n")
end)

test("a hunk that a person has written into is a conflict, said and left", function()
  local vi, path = reviewed(LINES, { "2\n3\n", "b\nc\n" })
  vi:lua("vim.fn.setline(3, 'mine')")
  vi:cmd("write")
  settled(vi)
  local mine = child.read(path)
  vi:cmd("2")
  decide(vi, "Pintle undo")
  vi:wait_note("conflict in a.txt, not changed: it contains your own lines: `:Pintle undo hunk discard`")
  equal(child.read(path), mine)
  decide(vi, "Pintle undo hunk discard")
  equal(child.read(path), LINES)
end)

test("the hunks of the last turn", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  local script = { replies = { edit("a.txt", EDITS[1]), text("Done."), edit("a.txt", EDITS[2]), text("Done.") } }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask one")
  vi:wait_turn(1)
  vi:cmd("Pintle ask two")
  vi:wait_turn(2)
  settled(vi)
  equal(vi:lua(DRAWN), { "-2", "Changed two", "-5" })
  decide(vi, "Pintle undo turn")
  equal({ child.read(dir .. "/a.txt"), vi:lua(DRAWN) }, { (LINES:gsub("2", "two")), { "-2", "Changed two" } })
  decide(vi, "Pintle keep turn")
  equal(vi:lua(DRAWN), {})
  vi:cmd("Pintle keep turn")
  vi:wait_note("no turn has open hunks")
end)

test("while a turn runs, keeping is done at once and undoing waits for the running call", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  local wait = { blocks = { { tool = "bash", arguments = { command = "while [ ! -e go ]; do sleep 0.01; done" } } } }
  local script = { replies = { edit("a.txt", unpack(EDITS)), wait, text("Done.") } }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask go")
  vi:wait("#require('pintle.overlay').places(0) == 3", "hunks of the running turn")
  vi:cmd("2")
  decide(vi, "Pintle keep")
  vi:wait_note("1 hunk kept")
  vi:cmd("Pintle undo all")
  vi:wait_note("2 hunks waiting for the running call to end")
  child.write(dir .. "/go", "")
  vi:wait_turn()
  settled(vi)
  equal(child.read(dir .. "/a.txt"), (LINES:gsub("2", "two")))
end)

-- An editor whose turn has edited a file that stands in the current buffer, and now waits in a call for a file named `go`.
local function reviewed_while_running(and_then)
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  local command = "while [ ! -e go ]; do sleep 0.01; done" .. (and_then or "")
  local wait = { blocks = { { tool = "bash", arguments = { command = command } } } }
  local vi = child.start({ dir = dir, script = { replies = { edit("a.txt", unpack(EDITS)), wait, text("Done.") } } })
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask go")
  vi:wait("#require('pintle.overlay').places(0) == 3", "hunks of the running turn")
  -- Not only pending: a decision that comes before the call runs is carried out at once.
  vi:wait_chat("running")
  return vi, dir
end

local WAITS = "» decided: waits for the running call to end"

test("a decision that waits for the running call is shown, and can be withdrawn", function()
  local vi, dir = reviewed_while_running()
  vi:cmd("2")
  decide(vi, "Pintle undo")
  vi:wait_note("1 hunk waiting for the running call to end; :Pintle revert withdraws this")
  equal(vi:lua(DRAWN), { "-2", "Changed two", WAITS, "-5", "Added new" })
  decide(vi, "Pintle revert")
  vi:wait_note("withdrawn: 1 hunk stays open")
  equal(vi:lua(DRAWN), { "-2", "Changed two", "-5", "Added new" })
  vi:cmd("9")
  decide(vi, "Pintle undo")
  child.write(dir .. "/go", "")
  vi:wait_note("1 hunk undone")
  vi:wait_turn()
  settled(vi)
  equal(child.read(dir .. "/a.txt"), (LINES:gsub("2", "two"):gsub("5\n", "")))
  assert(not vi:chat():find("rejected", 1, true), vi:chat())
end)

test("a waiting decision is withdrawn at once after its notice, not an earlier one", function()
  local vi, dir = reviewed_while_running()
  vi:cmd("2")
  decide(vi, "Pintle keep")
  vi:lua([[
    local log = require("pintle.log")
    local say = log.say
    function log.say(text, level)
      say(text, level)
      if text:find("waiting for the running call to end", 1, true) then
        vim.cmd("Pintle revert")
      end
    end
  ]])
  vi:cmd("9")
  vi:cmd("Pintle undo")
  vi:wait_note("withdrawn: 1 hunk stays open")
  child.write(dir .. "/go", "")
  vi:wait_turn()
  settled(vi)
  equal(vi:lua(DRAWN), { "-5", "Added new" })
end)

test("the last decision about a hunk counts, also over one that waits", function()
  local vi, dir = reviewed_while_running()
  vi:cmd("2")
  decide(vi, "Pintle undo")
  decide(vi, "Pintle keep")
  vi:wait_note("1 hunk kept")
  equal(vi:lua(DRAWN), { "-5", "Added new" })
  decide(vi, "Pintle undo all")
  decide(vi, "Pintle undo all")
  child.write(dir .. "/go", "")
  vi:wait_turn()
  settled(vi)
  equal(child.read(dir .. "/a.txt"), (LINES:gsub("2", "two")))
  assert(not vi:chat():find("rejected", 1, true), vi:chat())
end)

test("a decision that is rejected later names the file and the line", function()
  local vi, dir = reviewed_while_running("; sed -i s/two/TWO/ a.txt")
  vi:cmd("2")
  decide(vi, "Pintle undo")
  child.write(dir .. "/go", "")
  vi:wait_turn()
  vi:wait_chat("a decision was rejected: the hunk at a.txt:2 has changed since it was shown; review it again")
end)

test("a decision that is rejected at once names the file and the line", function()
  local vi = reviewed(LINES, unpack(EDITS))
  vi:cmd("2")
  -- Decided by another client, of which this one has not heard yet.
  vi:lua([[
    local here = require("pintle.workspace").find()
    local action = { type = "keep", target = { type = "all" } }
    here.engine:request("review/decide", { sessionId = here.current, action = action })
    require("pintle").undo()
  ]])
  vi:wait_note("not decided: the hunk at a.txt:2 is not open but kept; :Pintle review lists the open ones")
end)

test("comments and decisions are told to the model", function()
  local vi = reviewed(LINES, unpack(EDITS))
  vi:cmd("9")
  decide(vi, "Pintle comment is that so?")
  equal(vi:lua(DRAWN), { "-2", "Changed two", "-5", "Added new", "» is that so?" })
  vi:cmd("2")
  decide(vi, "Pintle undo")
  vi:cmd("Pintle ask and now?")
  vi:wait_turn(2)
  local chat = vi:chat()
  contains(chat, "is that so?")
  contains(chat, "the user has since made these decisions about your changes")
end)

test("hunks are there again in another editor", function()
  local vi = reviewed(LINES, unpack(EDITS))
  vi:quit()
  local again = child.start({ dir = vi.dir })
  again:cmd("edit a.txt")
  again:lua("_G.choices = { 'go' }")
  again:cmd("Pintle sessions")
  again:wait_chat("Done.")
  again:wait("_G.events[#_G.events].name == 'PintleReview'")
  again:cmd("wincmd t")
  equal(again:lua(DRAWN), { "-2", "Changed two", "-5", "Added new" })
  again:lua("require('pintle').new()")
  equal(again:lua("return vim.api.nvim_buf_call(vim.fn.bufnr('a.txt'), function() " .. DRAWN .. " end)"), {})
end)

test("a file that came and one that goes, line ends of DOS", function()
  local dir = child.folder()
  child.write(dir .. "/dos.txt", "1\r\n2\r\n")
  child.write(dir .. "/old.txt", "x\n")
  local script = {
    replies = {
      edit("dos.txt", { "2", "two" }),
      { blocks = { { tool = "write", arguments = { path = "new.txt", content = "a\nb\n" } } } },
      { blocks = { { tool = "bash", arguments = { command = "rm old.txt" } } } },
      text("Done."),
    },
  }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("edit dos.txt")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  settled(vi)
  equal(vi:lua(DRAWN), { "-2", "Changed two" })
  vi:cmd("Pintle diff dos.txt")
  vi:wait("vim.fn.bufexists('pintle://before/dos.txt') == 1")
  equal(vi:lua("return vim.fn.getbufline('pintle://before/dos.txt', 1, '$')"), { "1", "2" })
  vi:cmd("tabclose")
  vi:cmd("edit new.txt")
  settled(vi)
  equal(vi:lua(DRAWN), { "Added a", "Added b" })
  decide(vi, "Pintle undo file")
  equal(vim.uv.fs_stat(dir .. "/new.txt"), nil)
  decide(vi, "Pintle undo all")
  equal({ child.read(dir .. "/dos.txt"), child.read(dir .. "/old.txt") }, { "1\r\n2\r\n", "x\n" })
end)

test("decisions with nothing to decide about", function()
  local rows = {
    { "Pintle keep", "no session, so there is nothing to review" },
    { "Pintle keep some", "unknown value `some`; expected one of: all, file, hunk, turn" },
    { "Pintle comment x", "no session, so there is nothing to review" },
  }
  local vi = child.start({ script = { replies = { text("Hello.") } } })
  for _, row in ipairs(rows) do
    vi:cmd(row[1])
    vi:wait_note(row[2])
  end
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  rows = {
    { "Pintle keep", "no hunk under the cursor" },
    { "1Pintle undo", "no hunk in these lines" },
    { "Pintle undo file", "no open hunks in this buffer's file" },
    { "Pintle keep all", "not decided: there is no open hunk to decide about" },
    { "Pintle review", "no open hunks" },
    { "Pintle revert", "no decision to revert" },
  }
  for _, row in ipairs(rows) do
    vi:cmd(row[1])
    vi:wait_note(row[2])
  end
end)

test("a diff is accepted by a typed `:w`, as it was edited there, and by nothing else", function()
  local vi, path = reviewed(LINES, unpack(EDITS))
  vi:cmd("Pintle diff")
  vi:wait("vim.fn.tabpagenr('$') == 2")
  contains(vi:screen(), ":w keeps these lines · :q leaves the change open")
  vi:keys("gg/two<CR>Atwo<Esc>:silent! wall<CR>:let g:written = 1<CR>")
  vi:wait("vim.g.written == 1")
  contains(child.read(path), "twotwo\n")
  equal(#vi:lua("return require('pintle.review').hunks(require('pintle.workspace').find())"), 3, "all are open")
  vi:keys(":w<CR>")
  vi:wait("vim.fn.tabpagenr('$') == 1", "the diff's end")
  -- a hunk whose lines are all the person's by now is the agent's no longer
  vi:wait_note("hunks kept")
  equal(vi:lua("return require('pintle.review').hunks(require('pintle.workspace').find())"), {})
  contains(child.read(path), "twotwo\n")
  -- what is kept stays when everything is undone
  vi:cmd("Pintle undo all")
  vi:cmd("write")
  contains(child.read(path), "twotwo\n")
end)

test("the bar of a diff shows its keys on narrow screens, too", function()
  local vi = reviewed(LINES, unpack(EDITS))
  vi:cmd("Pintle diff")
  vi:wait("vim.fn.tabpagenr('$') == 2")
  for _, columns in ipairs({ 80, 60 }) do
    vi:cmd("set columns=" .. columns .. " | wincmd = | redraw")
    contains(vi:screen(), ":w keeps these lines")
  end
end)

test("commands that write a file, and those that write more or elsewhere", function()
  local writes = require("pintle.changes").writes
  for line, want in pairs({
    w = true,
    ["  w!"] = true,
    write = true,
    update = true,
    wq = true,
    x = true,
    wa = false,
    wqa = false,
    xa = false,
    ["w other.txt"] = false,
    ["w >> log"] = false,
    wincmd = false,
    ["silent! wall"] = false,
  }) do
    equal(writes(line), want, line)
  end
end)

-- The notes that the current buffer shows, each with its line.
local function shown_notes(vi)
  return vi:lua([[
    local found = {}
    local notes = vim.api.nvim_get_namespaces()["pintle.notes"]
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, notes, 0, -1, { details = true })) do
      for _, line in ipairs(mark[4].virt_lines or {}) do
        table.insert(found, ("%d %s"):format(mark[2] + 1, line[1][1]))
      end
    end
    return found
  ]])
end

test("notes are collected, sent in one message, and begin another round", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  local replies =
    { edit("a.txt", { "2\n", "two\n" }), text("Done."), edit("a.txt", { "9\n", "nine\n" }), text("Better.") }
  local vi = child.start({ dir = dir, script = { replies = replies } })
  vi:cmd("edit a.txt")
  vi:cmd("Pintle notes")
  vi:wait_note("no notes")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  settled(vi)
  vi:cmd("2,3Pintle note Write it as a number.")
  vi:lua("vim.ui.input = function(_, done) done('And this?') end")
  vi:cmd("7")
  vi:cmd("Pintle note")
  vi:wait_note("2 unsent notes; :Pintle notes send")
  equal(shown_notes(vi), { "3 » Write it as a number.", "7 » And this?" })
  -- they move with their lines
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'mine' })")
  vi:lua("_G.choices = { 'Send' }")
  vi:cmd("Pintle notes")
  vi:wait_turn(2)
  vi:wait_note("2 notes sent")
  contains(
    vi:chat(),
    ("My notes, each below the lines it refers to:\n[selection of %s/a.txt, lines 3 to 4]\n"):format(dir)
      .. ("Write it as a number.\n[selection of %s/a.txt, line 8]\nAnd this?"):format(dir)
  )
  equal(shown_notes(vi), {})
  settled(vi)
  vi:wait("#require('pintle.review').hunks(require('pintle.workspace').find()) >= 2", "two hunks")
  vi:cmd("Pintle review new")
  vi:wait("vim.fn.getqflist({ title = 0 }).title:find('the new ones', 1, true)", "the round")
  local labels = vi:lua("return vim.tbl_map(function(i) return i.text end, vim.fn.getqflist())")
  contains(table.concat(labels, "\n"), "nine")
  assert(not table.concat(labels, "\n"):find("two", 1, true), vim.inspect(labels))
  vi:cmd("Pintle review")
  vi:wait("vim.fn.getqflist({ title = 0 }).title == 'pintle: hunks'")
end)

test("notes outlive the editor, and two editors share them", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  local script = { replies = { text("Read."), text("Read again.") } }
  local first = child.start({ dir = dir, script = script })
  first:cmd("edit a.txt")
  first:cmd("2,3Pintle note Write it as a number.")
  first:cmd("7Pintle note And this?")
  first:quit()
  -- Lines above them have come since.
  child.write(dir .. "/a.txt", "new\n" .. LINES)

  local second = child.start({ dir = dir, script = script })
  local third = child.start({ dir = dir, script = script })
  for _, vi in ipairs({ second, third }) do
    vi:cmd("Pintle open")
    vi:wait_note("2 unsent notes; :Pintle notes shows them")
    vi:cmd("wincmd t")
    vi:cmd("edit a.txt")
    equal(shown_notes(vi), { "4 » Write it as a number.", "8 » And this?" })
  end
  second:cmd("edit!")
  equal(shown_notes(second), { "4 » Write it as a number.", "8 » And this?" }, "reading the file again keeps them")
  third:cmd("1Pintle note From the other one.")
  second:cmd("Pintle notes send")
  second:wait_turn()
  second:wait_note("3 notes sent")
  contains(second:chat(), "lines 3 to 4]\nWrite it as a number.")
  contains(second:chat(), "From the other one.")
  equal(shown_notes(second), {})
  third:cmd("Pintle notes")
  third:wait_note("no notes; :Pintle note adds one")
  equal(shown_notes(third), {})
end)

test("a note that cannot be saved stays in the editor", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  local vi = child.start({ dir = dir, script = { replies = { text("Read.") } } })
  vi:cmd("edit a.txt")
  vi:lua([[
    local root = require("pintle.workspace").get().root
    local name = vim.fn.sha256(root):sub(1, 32) .. ".notes.json"
    vim.fn.mkdir(vim.fs.joinpath(vim.fn.stdpath("state"), "pintle/drafts", name), "p")
  ]])
  vi:cmd("2Pintle note Not saved.")
  vi:wait_note("cannot save the notes: ")
  vi:cmd("Pintle notes send")
  vi:wait_turn()
  vi:wait_note("1 note sent")
  contains(vi:chat(), "Not saved.")
end)
