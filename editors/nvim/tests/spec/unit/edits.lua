-- The engine's edits in a running editor: what the person was doing goes on as if nothing had happened.

local child = require("child")

-- An engine that takes everything; what it was told stands in _G.told.
local PREPARE = [[
  local here = require("pintle.workspace").get()
  _G.told = {}
  here.engine.state = "ready"
  here.engine.info = { capabilities = { documents = {} }, limits = { maxMessageBytes = 1000000 } }
  here.engine.rpc = {
    pid = 0,
    request = function(_, method, params, done)
      table.insert(_G.told, { method = method:gsub("document/", ""), params = params })
      if done then done() end
    end,
    notify = function() end, close_stdin = function() end, kill = function() end,
    has_ended = function() return true end,
  }
  local state = require("pintle.session").new("s")
  here.views.s, here.current = { state = state, chat = require("pintle.chat").new(state) }, "s"
  -- Edits are { line, column, line, column, text }, from 0.
  _G.apply = function(path, list, options)
    options = options or {}
    path = vim.fs.joinpath(vim.uv.cwd(), path)
    here.documents:flush()
    local known = here.documents:find(path)
    here.views.s.state.turn = options.turn or "t1"
    local changes = {}
    for _, each in ipairs(list) do
      local range = { start = { line = each[1], character = each[2] }, ["end"] = { line = each[3], character = each[4] } }
      table.insert(changes, { range = range, text = each[5] })
    end
    local version = options.version or known and known.version or 1
    local edit = { path = path, version = version, changes = changes, save = options.save or false }
    local edits = { edit }
    for _, more in ipairs(options.more or {}) do
      table.insert(edits, more)
    end
    local result
    here:asked("workspace/applyEdit", { label = "an edit", edits = edits }, function(answer) result = answer end, "e1")
    return result
  end
]]

local TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

local function editing(text, command)
  local dir = child.folder()
  child.write(dir .. "/a.txt", text or TEN)
  child.write(dir .. "/b.txt", "b\n")
  local vi = child.start({ dir = dir })
  vi:lua(PREPARE)
  vi:cmd(command or "edit a.txt")
  return vi, dir
end

local function apply(vi, list, options)
  return vi:lua("return _G.apply('a.txt', ...)", list, options or vim.empty_dict())
end

local function lines(vi)
  return vi:lua("return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false), ' ')")
end

-- Typed keys arrive one by one: this waits until the editor has seen them.
local function keys(vi, typed, expression, ...)
  vi:keys(typed)
  vi:wait(expression, "the keys " .. typed, ...)
end

local ABOVE = { { 1, 0, 1, 0, "new\n" }, { 8, 0, 9, 0, "nine\n" } }

test("a person types on in Insert mode, and each has its own undo", function()
  local vi = editing()
  keys(vi, "5GAab", "vim.api.nvim_get_current_line() == '5ab'")
  equal(apply(vi, ABOVE).applied, true)
  equal(vi:lua("return { vim.fn.mode(), vim.fn.line('.'), vim.fn.col('.') }"), { "i", 6, 4 })
  keys(vi, "cd", "vim.api.nvim_get_current_line() == '5abcd'")
  keys(vi, "<CR>x<Esc>", "vim.fn.mode() == 'n'")
  equal(lines(vi), "1 new 2 3 4 5abcd x 6 7 8 nine 10")
  keys(vi, "u", "vim.fn.line('$') == 11")
  equal(lines(vi), "1 new 2 3 4 5ab 6 7 8 nine 10", "what was typed after it")
  keys(vi, "u", "vim.fn.line('$') == 10")
  equal(lines(vi), "1 2 3 4 5ab 6 7 8 9 10", "the edit")
  keys(vi, "u", "vim.fn.getline(5) == '5'")
  equal(lines(vi), "1 2 3 4 5 6 7 8 9 10", "what was typed before it")
  vi:keys("3<C-r>")
  vi:wait("vim.fn.line('$') == 12")
  equal(lines(vi), "1 new 2 3 4 5abcd x 6 7 8 nine 10")
end)

-- The editor waits for the rest of a command, and does nothing else until it comes.
local BLOCKED = "blocked"

test("whatever the person is doing goes on", function()
  local typed = "1 new 2 3 4 %s 6 7 8 nine 10"
  local rows = {
    { "Visual mode", "5GVk", "mode() == 'V'", "d", "1 new 2 3 6 7 8 nine 10" },
    { "Visual block", "5G<C-v>j", "mode() == '\22'", "rx", "1 new 2 3 4 x x 7 8 nine 10" },
    { "an operator: its text is another one then", "5Gd", "mode(1) == 'no'", "d", "1 2 3 4 6 7 8 9 10" },
    { "an operator that changes nothing", "5Gy", "mode(1) == 'no'", "j", typed:format("5") },
    { "a command line", ":5s/5/fi", "getcmdline() == '5s/5/fi'", "ve/<CR>", "1 new 2 3 4 5 6 7 8 nine 10" },
    { "Replace mode", "5GRab", "getline(5) == 'ab'", "c<Esc>", typed:format("abc") },
    { "a menu", "5Gofir<CR>fib<CR>f<C-n>", "pumvisible()", "x<Esc>", "1 new 2 3 4 5 fir fib firx nine 7 8 9 10" },
    { "a literal key", "5GA<C-v>", BLOCKED, "<Tab>x<Esc>", typed:format("5\tx") },
    { "a digraph", "5GA<C-k>", BLOCKED, "a:x<Esc>", typed:format("5äx") },
    { "a recording", "5GqqAab", "getline(5) == '5ab'", "c<Esc>q", typed:format("5abc") },
    { "a repetition", "5GAab", "getline(5) == '5ab'", "c<Esc>7G.", "1 new 2 3 4 5abc 6abc 7 8 nine 10" },
    { "a count", "5G3Aab", "getline(5) == '5ab'", "c<Esc>", typed:format("5abcabcabc") },
  }
  for _, row in ipairs(rows) do
    local vi = editing()
    if row[3] == BLOCKED then
      vi:keys(row[2])
      assert(child.until_true(function()
        return vim.rpcrequest(vi.chan, "nvim_get_mode").blocking
      end))
      vim.rpcnotify(vi.chan, "nvim_exec_lua", "_G.result = _G.apply('a.txt', ...)", { ABOVE, vim.empty_dict() })
    else
      keys(vi, row[2], "vim.api.nvim_eval(given) ~= 0", row[3])
      local result = apply(vi, ABOVE)
      equal(result == vim.NIL or result.applied, true, row[1])
    end
    vi:keys(row[4])
    local want = "vim.fn.mode(1) == 'n' and table.concat(vim.fn.getline(1, '$'), ' ') == given"
    vi:wait(want, row[1] .. ": " .. row[5], row[5])
    if row[1] == "a recording" then
      equal(vi:lua("return vim.fn.getreg('q')"), "Aabc" .. vim.keycode("<Esc>"))
    end
    vi:quit()
  end
end)

test("an edit that waits for a command to end and is withdrawn is not made", function()
  local vi = editing()
  keys(vi, "5Gy", "vim.fn.mode(1) == 'no'")
  equal(apply(vi, ABOVE), vim.NIL)
  vi:lua("require('pintle.workspace').get():notified('$/cancelRequest', { id = 'e1' })")
  keys(vi, "j", "vim.fn.mode(1) == 'n'")
  -- What was scheduled by the end of the command comes before this.
  vi:lua("local is_over vim.schedule(function() is_over = true end) vim.wait(30000, function() return is_over end)")
  equal(lines(vi), "1 2 3 4 5 6 7 8 9 10")
  vi:quit()
end)

test("the edit that comes last is undone first, and takes nothing that was typed", function()
  local vi = editing()
  keys(vi, "5GAab", "vim.api.nvim_get_current_line() == '5ab'")
  apply(vi, ABOVE)
  keys(vi, "<Esc>u", "vim.fn.mode() == 'n' and vim.fn.line('$') == 10")
  equal(lines(vi), "1 2 3 4 5ab 6 7 8 9 10")
end)

test("edits of a turn are one undo step, unless something was typed between", function()
  local rows = {
    { "of one turn", "", "t1", "1 2 3 4 5 6 7 8 9 10" },
    { "of two turns", "", "t2", "1 new 2 3 4 5 6 7 8 nine 10" },
    { "typed between", "5Gx", "t1", "1 new 2 3 4  6 7 8 nine 10" },
    { "undone between", "u", "t1", "1 2 3 4 5 6 7 8 9 10" },
  }
  for _, row in ipairs(rows) do
    local vi = editing()
    apply(vi, ABOVE)
    if row[2] ~= "" then
      vi:lua("vim.cmd.normal({ ..., bang = true })", (row[2]:gsub("5G", "6G")))
    end
    apply(vi, { { 3, 0, 4, 0, "four\n" } }, { turn = row[3] })
    contains(lines(vi), "four")
    vi:lua("vim.cmd.normal({ 'u', bang = true })")
    equal(lines(vi), (row[4]:gsub("4  6", "4  6")), row[1])
    vi:quit()
  end
end)

test("cursor, marks, folds and what a window shows stay", function()
  local text = {}
  for number = 1, 200 do
    text[number] = "line " .. number
  end
  local vi = editing(table.concat(text, "\n") .. "\n")
  vi:lua([[
    vim.cmd("split | wincmd j")
    vim.cmd("normal! 50Gma60GmB70Gmc")
    vim.cmd("120,130fold | 90")
    vim.cmd("normal! zt3l")
    vim.cmd("wincmd k")
    vim.cmd("normal! 150Gzt")
    _G.win, _G.other = vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("j"))
  ]])
  local result = apply(vi, {
    { 9, 0, 9, 0, "new\nnew\nnew\n" },
    { 49, 0, 50, 0, "fifty\n" },
    { 69, 0, 71, 0, "seventy\n" },
    { 139, 0, 141, 0, "" },
  })
  equal(result.applied, true)
  local state = vi:lua([[
    local function view(win)
      return vim.api.nvim_win_call(win, function()
        return { vim.fn.getline("w0"), vim.fn.getline("."), vim.fn.col(".") }
      end)
    end
    return {
      views = { view(_G.win), view(_G.other) },
      a = vim.fn.getline("'a"), b = vim.fn.getline("'B"), c = vim.fn.getline("'c"),
      fold = vim.api.nvim_win_call(_G.other, function()
        return { vim.fn.getline(vim.fn.foldclosed(123)), vim.fn.getline(vim.fn.foldclosedend(123)) }
      end),
      is_current = vim.api.nvim_get_current_win() == _G.win,
      mode = vim.fn.mode(),
    }
  ]])
  equal(state, {
    views = { { "line 150", "line 150", 1 }, { "line 90", "line 90", 4 } },
    a = "fifty",
    b = "line 60",
    c = "seventy",
    fold = { "line 120", "line 130" },
    is_current = true,
    mode = "n",
  })
end)

test("a buffer that is not shown is changed as well", function()
  local vi = editing()
  vi:cmd("set hidden")
  vi:cmd("edit b.txt")
  equal(apply(vi, ABOVE).applied, true)
  equal(lines(vi), "1 new 2 3 4 5 6 7 8 nine 10")
  equal(vi:lua("return { vim.fn.bufname(), vim.bo[vim.fn.bufnr('a.txt')].modified }"), { "b.txt", true })
end)

test("all or nothing, and only what the edit was made for", function()
  local vi, dir = editing()
  vi:cmd("edit b.txt")
  local b = { path = dir .. "/b.txt", version = 1, changes = {}, save = false }
  local rows = {
    { "another version", { version = 7 }, "is at version 1, not 7" },
    { "not open", { more = { vim.tbl_extend("force", b, { path = dir .. "/c.txt" }) } }, "c.txt is not open" },
    { "the second is another", { more = { vim.tbl_extend("force", b, { version = 3 }) } }, "b.txt has changed" },
  }
  for _, row in ipairs(rows) do
    local result = apply(vi, ABOVE, row[2])
    equal({ result.applied, lines(vi) }, { false, "1 2 3 4 5 6 7 8 9 10" }, row[1])
    contains(result.failureReason, row[3])
  end
  vi:lua("vim.bo[vim.fn.bufnr('a.txt')].modifiable = false")
  contains(apply(vi, ABOVE).failureReason, "a.txt cannot be changed in the editor ('nomodifiable')")
  -- what was typed in the same moment is told before, and makes the edit one for another version
  vi:lua("vim.bo[vim.fn.bufnr('a.txt')].modifiable = true")
  local result = vi:lua([[
    local here = require("pintle.workspace").find()
    local version = here.documents:find(vim.uv.cwd() .. "/a.txt").version
    vim.api.nvim_buf_set_lines(vim.fn.bufnr("a.txt"), 0, 1, false, { "typed" })
    local flush = here.documents.flush
    here.documents.flush = function() here.documents.flush = nil end
    return _G.apply("a.txt", { { 0, 0, 1, 0, "x\n" } }, { version = version })
  ]])
  equal({ result.applied, lines(vi) }, { false, "typed 2 3 4 5 6 7 8 9 10" })
end)

test("an edit is written where that is asked, and told before the answer", function()
  local vi, dir = editing()
  vi:cmd("autocmd BufWritePre a.txt call setline(1, 'formatted')")
  local result = apply(vi, ABOVE, { save = true })
  equal(result.applied, true)
  equal(child.read(dir .. "/a.txt"), "formatted\nnew\n2\n3\n4\n5\n6\n7\n8\nnine\n10\n")
  local told =
    vi:lua("return vim.tbl_map(function(t) return { t.method, t.params.version, t.params.dirty } end, _G.told)")
  local last = told[#told]
  equal({ told[1][1], last[1], last[2] }, { "open", "save", result.versions[1].version })
  equal(vi:lua("return vim.bo.modified"), false)

  -- what was written behind the editor's back is read first, and the edit is one for another text
  child.write(dir .. "/a.txt", "somebody else's\n")
  result = apply(vi, { { 0, 0, 1, 0, "again\n" } }, { save = true })
  equal({ result.applied, lines(vi) }, { false, "somebody else's" })
  -- and not written over where there is unsaved text
  vi:lua("vim.fn.setline(1, 'typed')")
  child.write(dir .. "/a.txt", "once more\n")
  result = apply(vi, { { 0, 0, 1, 0, "again\n" } }, { save = true })
  equal({ result.applied, lines(vi) }, { true, "again" })
  contains(result.failureReason, "was changed in the editor, but not saved: the file has changed on disk")
  equal({ child.read(dir .. "/a.txt"), vi:lua("return vim.bo.modified") }, { "once more\n", true })
end)

test("a file whose time alone is another is written without a question", function()
  local vi, dir = editing()
  vim.uv.fs_utime(dir .. "/a.txt", 2000000000, 2000000000)
  local result = apply(vi, ABOVE, { save = true })
  if not result.applied then
    result = apply(vi, ABOVE, { save = true })
  end
  equal({ result.applied, result.failureReason }, { true, nil })
  contains(child.read(dir .. "/a.txt"), "nine")
end)

test("what cannot be written is said, and what could be is not asked", function()
  local vi, dir = editing()
  vi:cmd("set readonly")
  local result = apply(vi, ABOVE, { save = true })
  equal(result.applied, true)
  contains(result.failureReason, "'readonly'")
  equal({ child.read(dir .. "/a.txt"), vi:lua("return { vim.bo.readonly, vim.bo.modified }") }, { TEN, { true, true } })
end)

test("which buffers are documents, and when they are told", function()
  local vi, dir = editing()
  local elsewhere = child.folder("elsewhere")
  child.write(elsewhere .. "/out.txt", "x\n")
  vi:cmd("edit " .. elsewhere .. "/out.txt")
  vi:cmd("edit new.txt")
  vi:cmd("tabnew")
  vi:lua("require('pintle.prompt').buffer(require('pintle.workspace').find())")
  local function told()
    vi:lua("require('pintle.workspace').find().documents:flush()")
    local found = vi:lua([[
      local found = {}
      for _, each in ipairs(_G.told) do
        if each.params.path then
          local dirty = each.params.dirty and "*" or ""
          table.insert(found, ("%s %s%s"):format(each.method, vim.fs.basename(each.params.path), dirty))
        end
      end
      _G.told = {}
      return found
    ]])
    return found
  end
  equal(told(), { "open a.txt" })
  vi:cmd("buffer new.txt")
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x' })")
  equal(told(), { "open new.txt*" }, "a file that is not there yet")
  vi:cmd("write")
  equal(told(), { "save new.txt" })
  vi:cmd("buffer a.txt")
  vi:lua("vim.fn.setline(1, 'x')")
  equal(told(), { "change a.txt*" })
  vi:cmd("undo")
  equal(told(), { "change a.txt*", "save a.txt" }, "as it was saved")
  vi:lua("vim.fn.setline(1, 'y')")
  vi:cmd("noautocmd write")
  equal(told(), { "change a.txt*", "save a.txt" }, "saved without an event")
  vi:cmd("write")
  equal(told(), {}, "a write that changes nothing")
  vi:cmd("set modified")
  equal(told(), { "change a.txt*" }, "only the flag")
  vi:cmd("write other.txt")
  equal(told(), {}, "a copy under another name")
  child.write(dir .. "/a.txt", "else\n")
  vi:cmd("edit!")
  equal(told(), { "close a.txt", "open a.txt" }, "read again")
  vi:cmd("set fileformat=dos")
  equal(told(), { "change a.txt*" })
  vi:cmd("file renamed.txt")
  equal(told(), { "close a.txt", "open renamed.txt*" })
  vi:cmd("bdelete!")
  equal(told(), { "close renamed.txt" })
  -- another engine is told all of it again
  vi:lua("require('pintle.workspace').find().documents:lost()")
  equal(told(), { "open new.txt" })
end)
