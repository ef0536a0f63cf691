-- The windows from the keyboard: toggled and closed, sent from while typing, moved about in, and what completion offers.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local IS_OPEN = "vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(w) return vim.w[w].pintle_role ~= nil end)"

local function go_to(vi, role)
  vi:lua(
    [[for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.w[win].pintle_role == ... then vim.api.nvim_set_current_win(win) end
    end]],
    role
  )
end

local function type_keys(vi, keys)
  vi:lua("vim.api.nvim_feedkeys(vim.keycode(...), 'xm', true)", keys)
end

test("the windows are toggled and closed, whatever else is open", function()
  local vi = child.start({ stock = true, script = { replies = { text("Hi.") } } })
  local alone = vi:lua("return vim.fn.winrestcmd()")
  for _, layout in ipairs({ "", "float", "tab" }) do
    for _ = 1, 2 do
      vi:cmd("Pintle toggle " .. layout)
      vi:wait(IS_OPEN, "open " .. layout)
      vi:wait("require('pintle').status().session")
      vi:cmd("Pintle toggle")
      vi:wait("not " .. IS_OPEN, "closed " .. layout)
    end
  end
  vi:wait("vim.fn.winrestcmd() == given", "the sizes of before", alone)
  vi:cmd("Pintle close")
  vi:wait_screen("no windows to close in this tab")
  -- The last windows leave an empty one.
  vi:cmd("Pintle open")
  go_to(vi, "chat")
  vi:cmd("Pintle toggle | Pintle toggle | wincmd t | close")
  vi:cmd("Pintle close")
  equal(vi:lua("return { #vim.api.nvim_list_wins(), vim.bo.buftype }"), { 1, "" })
end)

test("open windows move to another layout on request", function()
  for _, size in ipairs({ { 80, 24 }, { 200, 50 } }) do
    local vi = child.start({ stock = true, columns = size[1], lines = size[2], script = { replies = { text("Hi.") } } })
    vi:cmd("edit a.txt | vsplit b.txt | vertical resize 20")
    local alone = vi:lua("return vim.fn.winrestcmd()")
    local function layout()
      return vi:lua([[
        local roles = {}
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          local role = vim.w[win].pintle_role
          if role then
            local is_float = vim.api.nvim_win_get_config(win).relative ~= ""
            local tab = vim.api.nvim_win_get_tabpage(win)
            roles[#roles + 1] = role .. (is_float and " float" or #vim.api.nvim_tabpage_list_wins(tab) == 2 and " tab" or " side")
          end
        end
        table.sort(roles)
        return table.concat(roles, ", ")
      ]])
    end
    vi:cmd("Pintle open")
    vi:wait("require('pintle').status().session")
    vi:cmd("Pintle ask hello")
    vi:wait_turn()
    go_to(vi, "prompt")
    vi:keys("ikept<Esc>")
    local want = { side = "chat side, prompt side", float = "chat float, prompt float", tab = "chat tab, prompt tab" }
    for _, name in ipairs({ "float", "side", "tab", "float", "tab", "side", "side" }) do
      vi:cmd("Pintle open " .. name)
      vi:wait("vim.w.pintle_role == 'prompt'")
      assert(
        child.until_true(function()
          return layout() == want[name]
        end),
        ("%s at %dx%d: %s"):format(name, size[1], size[2], layout())
      )
      vi:wait("vim.fn.getline(1) == 'kept'")
      vi:wait_screen("Hi.")
    end
    vi:cmd("Pintle close")
    vi:wait("vim.fn.winrestcmd() == given", "the sizes of before", alone)
    equal(vi:lua("return #vim.api.nvim_list_tabpages()"), 1)
  end
end)

local OWN = "vim.iter(vim.api.nvim_tabpage_list_wins(0)):filter(function(w) "
  .. "return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(w)):find('^pintle://') end):totable()"

test("nothing of the plugin stays after close, and everything has its size of before", function()
  local items = { { content = "look", status = "pending" } }
  local script = { replies = { call("todo_write", { items = items }), text("Hi.") } }
  for _, layout in ipairs({ "side", "float" }) do
    local vi = child.start({ stock = true, script = script })
    vi:cmd("edit a.txt | vsplit b.txt")
    local alone = vi:lua("return vim.fn.winrestcmd()")
    vi:cmd("Pintle open " .. layout)
    vi:wait("require('pintle').status().session")
    vi:cmd("Pintle ask go")
    vi:wait_turn()
    if layout == "side" then
      go_to(vi, "chat")
      vi:cmd("split | vsplit | wincmd t")
      equal(vi:lua("return #" .. OWN), 4)
    else
      vi:cmd("wincmd t")
    end
    for _, verb in ipairs({ "plan", "log", "help review", "context" }) do
      local count = #vi:lua("return vim.api.nvim_tabpage_list_wins(0)")
      vi:cmd("Pintle " .. verb)
      vi:wait("#vim.api.nvim_tabpage_list_wins(0) > given", verb, count)
    end
    vi:lua("require('pintle.plan').refresh(require('pintle.workspace').find():view().state)")
    vi:cmd("Pintle close")
    equal(vi:lua("return " .. OWN), {}, layout)
    vi:wait("vim.fn.winrestcmd() == given", "the sizes of before", alone)
    -- One that the user has split is closed by itself, too.
    vi:cmd("Pintle open")
    go_to(vi, "chat")
    vi:cmd("split")
    vi:lua(
      "for _, win in ipairs(vim.api.nvim_list_wins()) do "
        .. "if vim.w[win].pintle_role then vim.api.nvim_win_close(win, true) end end"
    )
    equal(vi:lua("return #" .. OWN), 1)
    vi:cmd("Pintle toggle")
    equal(vi:lua("return " .. OWN), {}, layout)
    -- With a question over them, and no other windows.
    vi:cmd("Pintle open")
    go_to(vi, "prompt")
    for _, win in ipairs(vi:lua("return vim.api.nvim_tabpage_list_wins(0)")) do
      vi:lua("if not vim.w[...].pintle_role then vim.api.nvim_win_close(..., true) end", win)
    end
    vi:lua(
      "require('pintle.panel').open({ lines = { { text = 'Well?' } }, choices = { { label = 'Yes', act = print } } })"
    )
    equal(vi:lua("return #" .. OWN), 3)
    vi:cmd("Pintle close")
    equal(vi:lua("return { #vim.api.nvim_list_wins(), vim.bo.buftype }"), { 1, "" })
  end
end)

test("waiting messages that were changed stay open until that is applied", function()
  local waits = call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" })
  local vi = child.start({ stock = true, script = { replies = { waits, text("Done."), text("Later.") } } })
  vi:cmd("Pintle open")
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  vi:cmd("Pintle queue later")
  vi:wait("#require('pintle.workspace').find():view().state.queue == 1")
  vi:cmd("Pintle waiting")
  vi:cmd("call setline('$', 'and that')")
  vi:cmd("Pintle close")
  equal(
    vi:lua("return vim.tbl_map(function(w) return vim.fn.bufname(vim.api.nvim_win_get_buf(w)) end, " .. OWN .. ")"),
    {
      "pintle://waiting/work",
    }
  )
  vi:cmd("write")
  vi:wait("not vim.bo.modified")
  vi:cmd("Pintle close")
  equal(vi:lua("return " .. OWN), {})
  child.write(vi.dir .. "/go", "")
end)

test("a prompt is sent while typing, and earlier ones are recalled", function()
  local replies = { text("One."), text("Two."), text("Three."), text("Four.") }
  local vi = child.start({ stock = true, script = { replies = replies } })
  local function prompt()
    return vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())")
  end
  vi:keys(":Pintle open<CR>")
  vi:wait("require('pintle').status().session")
  vi:keys("ifirst words<C-s>")
  vi:wait_turn(1)
  equal({ prompt(), vi:lua("return vim.fn.mode()") }, { "", "n" })
  vi:keys("isecond<CR>on two lines<C-s>")
  vi:wait_turn(2)
  vi:keys("ifirst words<C-s>")
  vi:wait_turn(3)
  -- Each once, the newest first; a prompt that was changed is not taken away.
  vi:keys("i<Up>")
  vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'first words'")
  vi:keys("<Up>")
  vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'second\\non two lines'")
  vi:keys("<Up>")
  vi:keys("<Down>")
  vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'first words'")
  vi:keys("<Down>")
  vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == ''")
  vi:keys("mine<Up>")
  vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'mine'")
  vi:keys("<Esc>")
  vi:cmd("normal! ggdG")
  vi:keys("<Up>")
  vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == 'first words'")
end)

local CODE = "Look:\n\n```lua\nlocal one = 1\nlocal two = 2\n```\n\nand `a.txt:2`, or\n\n~~~\n```\n~~~\n"

test("which code block a line is in", function()
  local code_block = require("pintle.transcript").code_block
  local lines = vim.split(CODE, "\n")
  local rows = {
    { 1, nil },
    { 3, { 4, 5 } },
    { 4, { 4, 5 } },
    { 6, { 4, 5 } },
    { 7, nil },
    { 8, nil },
    { 10, { 11, 11 } },
    { 11, { 11, 11 } },
    { 13, nil },
  }
  for _, row in ipairs(rows) do
    local first, last = code_block(lines, row[1])
    equal(first and { first, last }, row[2], "line " .. row[1])
  end
  local first, last = code_block({ "```", "still", "streams" }, 2)
  equal({ first, last }, { 2, 3 })
end)

test("keys of the transcript go from message to message, to files, and yank code", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\ntwo\nthree\n")
  child.write(dir .. "/b.txt", "four\n")
  local edits = { { oldText = "four", newText = "five" } }
  local script =
    { replies = { text(CODE), call("edit", { path = "b.txt", edits = edits }), text("Changed."), text("Bye.") } }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("edit a.txt | Pintle open")
  vi:wait("require('pintle').status().session")
  for number, words in ipairs({ "show it", "change it", "goodbye" }) do
    vi:cmd("Pintle ask " .. words)
    vi:wait_turn(number)
  end
  vi:wait_chat("Bye.")
  go_to(vi, "chat")
  vi:cmd("normal! gg")
  local function line()
    return vi:lua("return vim.fn.getline('.')")
  end
  local seen = {}
  for _, keys in ipairs({ "]]", "]]", "2]]", "]]", "[[", "2[[", "9[[" }) do
    type_keys(vi, keys)
    seen[#seen + 1] = line()
  end
  equal(seen, { "## pintle", "## You", "## You", "## pintle", "## You", "## You", "## You" })
  vi:cmd("normal! gg")
  type_keys(vi, "gy")
  vi:wait_note("no code block under the cursor")
  vi:cmd("call search('local two')")
  type_keys(vi, '"agy')
  vi:wait_note("2 lines yanked")
  equal(vi:lua("return { vim.fn.getreg('a'), vim.fn.getregtype('a') }"), { "local one = 1\nlocal two = 2\n", "V" })
  vi:cmd("call search('a.txt:2')")
  type_keys(vi, "gf")
  equal(vi:lua("return { vim.fn.bufname(), vim.fn.line('.') }"), { "a.txt", 2 })
  go_to(vi, "chat")
  vi:cmd("call search('edit: b.txt')")
  type_keys(vi, "0gd")
  equal(vi:lua("return vim.fn.bufname()"), "b.txt")
  go_to(vi, "chat")
  vi:cmd("normal! gg")
  type_keys(vi, "gf")
  vi:wait_note("no file under the cursor")
end)

test("g? lists the keys of a window, and does one", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  for role, want in pairs({ chat = "]]              nxo  go to the next message", prompt = "<C-s>" }) do
    go_to(vi, role)
    vi:lua("_G.asked, _G.choices = {}, { false }")
    type_keys(vi, "g?")
    vi:wait("#_G.asked == 1", "the keys of the " .. role)
    contains(table.concat(vi:lua("return _G.asked[1].labels"), "\n"), want)
    -- Every key of the list is a map of the buffer, and every map of the buffer is in the list.
    local count = vi:lua([[return #vim.tbl_filter(function(map)
      return map.desc and vim.startswith(map.desc, "pintle: ") and map.lhs ~= "g?"
    end, vim.api.nvim_buf_get_keymap(0, "n"))]])
    equal(count, vi:lua("return #_G.asked[1].labels"))
  end
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  go_to(vi, "chat")
  vi:cmd("normal! gg")
  vi:lua("_G.choices = { 'go to the next message' }")
  type_keys(vi, "g?")
  vi:wait("vim.fn.getline('.') == '## pintle'")
end)

test("completion knows models, efforts, sessions and providers", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  equal(vi:lua("return vim.fn.getcompletion('Pintle model ', 'cmdline')"), {}, "without an engine there are none")
  vi:cmd("Pintle ask hello there")
  vi:wait_turn()
  local function offered(line)
    return vi:lua("return vim.fn.getcompletion(..., 'cmdline')", line)
  end
  equal(offered("Pintle model anth"), {}, "models that cannot be used are not offered")
  equal(offered("Pintle mode "), { "act", "plan" })
  equal(offered("Pintle sessions hel"), { "hello there" })
  equal(offered("Pintle login openr"), { "openrouter" })
  equal(offered("Pintle logout "), {})
  contains(table.concat(offered("Pintle effort "), " "), "high")
  vi:cmd("Pintle new")
  contains(table.concat(offered("Pintle effort "), " "), "xhigh", "levels can be picked before there is a session")
  vi:cmd("Pintle sessions hello th")
  vi:wait_chat("Hi.")
  vi:cmd("Pintle sessions never said")
  vi:wait_note("no session begins with `never said`; :Pintle sessions lists them")
end)

test("models, efforts and modes are gone through with `next` and `previous`", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle model next")
  vi:wait_note("no models to go through: set `models` in setup()")
  vi:lua("require('pintle').setup({ models = { 'script/script' } })")
  vi:cmd("Pintle model next")
  vi:wait_note("no other model in `models`")
  vi:lua("require('pintle').setup({ models = { 'script/script', 'script/other' } })")
  vi:cmd("Pintle model next")
  vi:wait_note("script/other from the next turn on")
  vi:cmd("Pintle mode next")
  vi:wait_note("plan from the next turn on")
  vi:lua("vim.api.nvim_feedkeys(vim.keycode('<Plug>(pintle-next-mode)'), 'xm', true)")
  vi:wait_note("act from the next turn on")
  vi:cmd("Pintle effort previous")
  vi:wait(
    "vim.iter(_G.notes):any(function(n) return n:find('^pintle: %l+ from the next turn on') and not n:find('plan') and not n:find('act') end)"
  )
end)

test("a prompt without windows says that it works, and what it did", function()
  local dir = child.folder()
  child.write(dir .. "/b.txt", "four\n")
  local edits = { { oldText = "four", newText = "five" } }
  local replies = { call("edit", { path = "b.txt", edits = edits }), text("Changed.") }
  for _ = 1, 4 do
    replies[#replies + 1] = text("Nothing to do.")
  end
  local vi = child.start({ dir = dir, script = { replies = replies } })
  vi:cmd("Pintle ask change it")
  vi:wait_note("working; :Pintle open shows the transcript")
  vi:wait_turn()
  vi:wait("vim.iter(_G.notes):any(function(n) return n:find('done in .*, changed b.txt; :Pintle review lists') end)")
  vi:cmd("Pintle ask look at it")
  vi:wait_turn(2)
  vi:wait("vim.iter(_G.notes):any(function(n) return n:find('done in .*, no files changed; :Pintle open') end)")
  -- Who sees the transcript is told nothing more.
  vi:cmd("Pintle open")
  vi:lua("_G.notes = {}")
  vi:cmd("Pintle ask once more")
  vi:wait_turn(3)
  equal(vi:lua("return vim.tbl_filter(function(n) return n:find('working', 1, true) ~= nil end, _G.notes)"), {})
  equal(vi:lua("return vim.tbl_filter(function(n) return n:find('done in', 1, true) ~= nil end, _G.notes)"), {})
  -- Who is elsewhere does not see it.
  vi:cmd("doautocmd FocusLost")
  vi:cmd("Pintle ask while away")
  vi:wait_turn(4)
  vi:wait("vim.iter(_G.notes):any(function(n) return n:find('done in .*, no files changed$') end)")
  vi:cmd("doautocmd FocusGained")
  vi:cmd("tabnew")
  vi:cmd("Pintle ask in another tab")
  vi:wait_note("working; :Pintle open shows the transcript")
  vi:wait_turn(5)
  vi:wait(
    "vim.iter(_G.notes):any(function(n) return n:find('no files changed; :Pintle open shows the answer', 1, true) end)"
  )
end)

test("the summary of a turn names up to three files", function()
  local summary = require("pintle.effects").summary
  local turn = { duration_ms = 2100 }
  local rows = {
    { {}, "done in 2.1 s, no files changed; :Pintle open shows the answer" },
    { { "/w/b.lua", "/w/a.lua" }, "done in 2.1 s, changed a.lua, b.lua; :Pintle review lists the hunks" },
    { { "/w/c", "/w/a", "/w/b" }, "done in 2.1 s, changed a, b, c; :Pintle review lists the hunks" },
    { { "d", "c", "b", "a" }, "done in 2.1 s, changed a, b and 2 more; :Pintle review lists the hunks" },
    { {}, "done in 2.1 s, a changed under unsaved text (:Pintle diff)", { "/w/a" } },
    {
      { "b" },
      "done in 2.1 s, a changed under unsaved text (:Pintle diff), changed b; :Pintle review lists the hunks",
      { "a" },
    },
  }
  for _, row in ipairs(rows) do
    equal(summary(turn, row[1], row[3]), row[2])
  end
end)
