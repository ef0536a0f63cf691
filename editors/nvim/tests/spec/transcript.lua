-- What the transcript shows on a real terminal while things happen.

local child = require("child")
local reply = require("reply")

local SIZES = { { 80, 24 }, { 40, 20 }, { 200, 50 } }

local text, call = reply.text, reply.call

local function start(replies, options)
  options = vim.tbl_extend("force", { stock = true, script = { replies = replies } }, options or {})
  local vi = child.start(options)
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  return vi
end

local WAIT = "until [ -e go ]; do sleep 0.02; done"

for _, size in ipairs(SIZES) do
  local at = (", at %dx%d"):format(size[1], size[2])
  local screen = { columns = size[1], lines = size[2] }

  test("steered and queued messages are seen below a closed fold" .. at, function()
    local vi = start({ call("bash", { command = WAIT }), text("Heard."), text("Done.") }, screen)
    vi:keys("igo<Esc><CR>")
    vi:wait_screen("running")
    vi:cmd("Pintle steer louder")
    vi:wait_screen("steer, not read yet: louder")
    vi:cmd("Pintle queue then this")
    vi:wait_screen("queued, not read yet: then")
    child.write(vi.dir .. "/go", "")
    vi:wait_turn(2)
    vi:wait_screen("not read yet", true)
    assert(not vi:chat():find("not read yet", 1, true), vi:chat())
  end)

  test("a paragraph that is taller than the window is followed to its end" .. at, function()
    local words = {}
    for number = 1, 2500 do
      words[number] = "word" .. number
    end
    local vi = start(
      { { blocks = { { text = table.concat(words, " ") }, { tool = "bash", arguments = { command = WAIT } } } } },
      screen
    )
    vi:keys("igo<Esc><CR>i")
    vi:wait_screen("word2500")
    child.write(vi.dir .. "/go", "")
  end)
end

test("a fold stays as a person left it while things are written into it", function()
  -- each line when a file says so
  local command = "echo 1; until [ -e 2 ]; do sleep 0.02; done; echo 2; until [ -e 3 ]; do sleep 0.02; done; echo 3; "
  local vi =
    start({ call("bash", { command = command .. WAIT }), call("bash", { command = "echo other" }), text("Done.") })
  -- the head of the first call
  local head = [[
    local win
    for _, each in ipairs(vim.api.nvim_list_wins()) do
      if vim.w[each].pintle_role == "chat" then win = each end
    end
    return vim.api.nvim_win_call(win, function()
      local line = vim.fn.search("^▾ bash: echo 1", "cnw")
      return { vim.fn.foldclosed(line) == line, vim.fn.foldclosedend(line) - line }
    end)
  ]]
  -- in Insert mode all the time, as one who writes the next prompt
  vi:keys("igo<Esc><CR>i")
  vi:wait_chat("│ 1")
  equal(vi:lua(head)[1], true, "closed from the beginning")
  child.write(vi.dir .. "/2", "")
  vi:wait_chat("│ 2")
  equal(vi:lua(head)[1], true)
  assert(vi:lua(head)[2] >= 2, "all of it is in the fold")
  vi:keys("<Esc><C-W>k")
  vi:keys("?^▾ bash<CR>zo<C-W>ji")
  vi:wait("vim.api.nvim_get_mode().mode == 'i'")
  equal(vi:lua(head)[1], false, "opened")
  child.write(vi.dir .. "/3", "")
  vi:wait_chat("│ 3")
  equal(vi:lua(head)[1], false, "still open")
  child.write(vi.dir .. "/go", "")
  vi:wait_turn()
  equal(vi:lua(head)[1], false, "open after its end")
  vi:wait_screen("│ 3")
  vi:wait_screen("bash: echo other · done · 1 line")
  equal(vi:terminal_screen():find("│ other", 1, true), nil, "the other one is closed")
end)

test("a line end in a file's name loses nothing", function()
  local vi = start({ call("write", { path = "a\nb.txt", content = "one\n" }), text("All the rest.") })
  vi:keys("igo<Esc><CR>")
  vi:wait_turn()
  vi:wait_chat("All the rest.")
  contains(vi:chat(), "a␤b.txt")
  equal(vi:lua("return vim.v.errmsg"), "")
end)

test("what a carriage return overwrites is not shown, nor sequences for terminals", function()
  local command = [[printf '\033[1mstep 1\033[0m\r'; printf 'step 2\r'; printf 'next\r\nline\r\n'; ]]
  local vi = start({ call("bash", { command = command .. WAIT }), text("Done.") })
  vi:keys("igo<Esc><CR>")
  vi:wait_chat("│ next 2\n│ line")
  local function check()
    assert(not vi:chat():find("[\r\27]"), vim.inspect(vi:chat()))
    assert(not vi:chat():find("│ step", 1, true), vi:chat())
  end
  check()
  child.write(vi.dir .. "/go", "")
  vi:wait_turn()
  contains(vi:chat(), "│ next 2\n│ line")
  check()
end)

test("pieces that stream are overwritten wherever they are cut", function()
  local render = require("pintle.render")
  local whole = "\27[31m12 2\27[0m\rtwo\r\nthree\r\n\27]0;title\7four\rfive"
  local want = render.lines(whole)
  equal(want, { "two2", "three", "five" })
  for cut = 1, #whole - 1 do
    local flow, lines = { held = "", line = "" }, { "" }
    for _, piece in ipairs({ whole:sub(1, cut), whole:sub(cut + 1) }) do
      vim.list_extend(lines, render.flow(flow, table.remove(lines), piece))
    end
    equal(lines, want, "cut at " .. cut)
  end
end)

test("reads and searches fold into one line, which opens to the calls", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "first\n")
  local vi = start({
    { blocks = { { tool = "read", arguments = { path = "a.txt" } }, { tool = "ls", arguments = { path = "." } } } },
    call("grep", { pattern = "first" }),
    call("read", { path = "missing.txt" }),
    text("Done."),
  }, { dir = dir, columns = 140 })
  vi:keys("igo<Esc><CR>")
  vi:wait_turn()
  vi:wait_screen("▸ Read 1 file, listed 1 directory, searched once")
  vi:wait_screen("▸ read: missing.txt · failed")
  local screen = vi:terminal_screen()
  equal(screen:find("grep: first", 1, true), nil, screen)
  vi:keys("<C-W>kgg6j<CR>")
  vi:wait_screen("▾ Read 1 file")
  vi:wait_screen("▸ read: a.txt")
  vi:wait_screen("▸ grep: ")
  vi:keys("zc")
  vi:wait_screen("▸ Read 1 file")
end)

-- Runs in the child: the lines of the transcript, and below each of them its highlighted cells with the group that they show.
local COLOURED = [[
  local buf = require("pintle.workspace").find():view().chat.buf
  vim.treesitter.get_parser(buf, "markdown"):parse(true)
  local function group_at(row, column)
    local found = vim.inspect_pos(buf, row, column, { syntax = false, semantic_tokens = false })
    local group, priority
    for _, mark in ipairs(found.extmarks) do
      if mark.opts.hl_group and (not priority or mark.opts.priority >= priority) then
        group, priority = mark.opts.hl_group, mark.opts.priority
      end
    end
    for _, capture in ipairs(found.treesitter) do
      local is_shown = not vim.list_contains({ "spell", "nospell", "conceal", "none" }, capture.capture)
      if is_shown and not priority then
        group = capture.hl_group
      end
    end
    return group
  end
  local out = {}
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    out[#out + 1] = line
    local first, group
    local cells = vim.fn.strchars(line)
    for cell = 0, cells do
      local here = cell < cells and group_at(number - 1, vim.str_byteindex(line, "utf-32", cell)) or nil
      if group and here ~= group then
        out[#out + 1] = (" "):rep(first) .. ("^"):rep(cell - first) .. " " .. group
      end
      if here ~= group then
        first, group = cell, here
      end
    end
  end
  return table.concat(out, "\n")
]]

test("transcript colours: a heading, a diff, Markdown and code", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\ntwo\n")
  local answer = "# Result\n\nChanged **one** line, `two`:\n\n```lua\nlocal two = 2 -- was one\n```\n"
  local replies = { call("edit", { path = "a.txt", edits = { { oldText = "two", newText = "2" } } }), text(answer) }
  local vi = start(replies, { dir = dir })
  vi:keys("igo<Esc><CR>")
  vi:wait_turn()
  vi:wait_chat("done in")
  golden("colours", vi:lua(COLOURED), vi.dir)
end)

local ANSWER = table.concat({
  "# Result",
  "",
  "| name | value |",
  "|---|--:|",
  "| **one** | `1` |",
  "| a longer [name](x.md) | 長 |",
  "",
  "Text.",
  "## Next",
  "",
  "```sh",
  "# no heading",
  "| a | b |",
  "|---|---|",
  "| longer | b |",
  "```",
  "",
  "| last | table |",
  "|---|---|",
  "| of | the text |",
}, "\n")

-- What is drawn for headings and tables: the line of each mark, what it hides, and what it adds.
local DRESSED = [[
  local buf = require("pintle.workspace").find():view().chat.buf
  local found = {}
  for _, name in ipairs({ "pintle.signs", "pintle.tables" }) do
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, vim.api.nvim_get_namespaces()[name], 0, -1, { details = true })) do
      local added = mark[4].virt_text and mark[4].virt_text[1][1] or ""
      table.insert(found, { mark[2], mark[3], mark[4].end_col or 0, added })
    end
  end
  return found
]]

test("headings have no signs and tables level columns, while the text stays as it is", function()
  local vi = start({ text(ANSWER), text("| a | b |\n|---|---|\n| 1 | 2 |") })
  vi:keys("igo<Esc><CR>")
  vi:wait_turn()
  vi:wait_chat("done in")
  contains(vi:chat(), ANSWER)
  golden_screen("markdown", vi)
  local dressed = vi:lua(DRESSED)
  -- Read again, it looks the same.
  vi:cmd("wincmd k | edit")
  equal(vi:lua(DRESSED), dressed, "read again")
  vi:cmd("call search('longer')")
  vi:keys("yy")
  vi:wait("vim.fn.getreg('\"') ~= ''")
  equal(vi:lua("return vim.fn.getreg('\"')"), "| a longer [name](x.md) | 長 |\n")
  vi:cmd("wincmd j")
  vi:cmd("Pintle ask more")
  vi:wait_turn(2)
  local more = vi:lua(DRESSED)
  equal(#more > #dressed, true)
  -- What a rewind takes away leaves nothing behind.
  vi:lua("_G.pick = vim.ui.select; vim.ui.select = function(items, opts, done) done(items[1], 1) end")
  vi:cmd("Pintle rewind")
  vi:wait("require('pintle.panel').current()")
  vi:lua(
    "local panel = require('pintle.panel').current() "
      .. "vim.api.nvim_win_set_cursor(panel.win, { panel:answers()[2].row, 0 }) panel:choose()"
  )
  vi:wait_chat("rewound: ")
  equal(vi:lua(DRESSED), dressed, "rewound")
  -- A window that has no room for a table shows it as it is.
  vi:cmd("wincmd k | vertical resize 20")
  vi:wait("vim.api.nvim_win_get_width(0) == 20")
  local function count_pads()
    return #vim.tbl_filter(function(mark)
      return mark[4] ~= ""
    end, vi:lua(DRESSED))
  end
  vi:wait("true")
  local narrow = count_pads()
  vi:cmd("vertical resize 40")
  vi:wait("true")
  equal(vi:lua(DRESSED), dressed, "wide again")
  equal({ narrow < count_pads() }, { true }, "left as it is")
end)

test("streamed Markdown looks like Markdown drawn at once", function()
  local vi = start({ text(ANSWER) })
  vi:keys("igo<Esc><CR>")
  vi:wait_turn()
  vi:wait_chat("done in")
  local whole = vi:lua(DRESSED)
  -- The same deltas in pieces of several sizes, each drawn, without an end.
  for _, size in ipairs({ 1, 2, 7, 50 }) do
    local got = vi:lua(
      [[
      local answer, size = ...
      local state = require("pintle.session").new("s" .. size)
      local chat = require("pintle.chat").new(state, "/w")
      local item = { id = "i", type = "agentMessage", status = "running", text = "" }
      state.items.i = item
      chat:apply({ { kind = "item", item = { id = "u", type = "userMessage", content = { { type = "text", text = "go" } } } } })
      local view = require("pintle.workspace").find():view()
      chat.blocks.room = view.chat.blocks.room
      function chat.blocks:fit() end
      for at = 1, #answer, size do
        chat:apply({ { kind = "delta", item = item, field = "text", text = answer:sub(at, at + size - 1), is_first = at == 1 } })
        chat:draw()
      end
      local streamed = #vim.api.nvim_buf_get_extmarks(chat.buf, vim.api.nvim_get_namespaces()["pintle.tables"], 0, -1, {})
      item.status, item.text = "completed", answer
      chat:apply({ { kind = "item", item = item } })
      chat:draw()
      return { streamed > 0, chat.buf }
    ]],
      ANSWER,
      size
    )
    equal(got[1], true, "a table is level before the text has ended")
    local dressed = vi:lua((DRESSED:gsub('require%("pintle.workspace"%).find%(%):view%(%).chat.buf', "...")), got[2])
    equal(dressed, whole, "pieces of " .. size)
  end
end)

-- What the plugin calls of others that draw Markdown; both were tried as they are.
local RENDERERS = {
  markview = [[
    package.loaded["markview.state"] = { buf_attached = function(buf) return vim.bo[buf].filetype == "pintle-chat" end }
    package.loaded["markview.actions"] = { render = function(buf) _G.render(buf) end }
  ]],
  ["render-markdown"] = [[
    package.loaded["render-markdown.core.manager"] =
      { attached = function(buf) return vim.bo[buf].filetype == "pintle-chat" end }
    package.loaded["render-markdown.api"] = { render = function(context) _G.render(context.buf) end }
  ]],
}

for name, module in pairs(RENDERERS) do
  test(name .. " draws a transcript that no cursor is in, and nothing is drawn twice", function()
    local before = [[
      _G.rendered = {}
      _G.render = function(buf)
        local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        table.insert(_G.rendered, { vim.api.nvim_get_mode().mode, table.concat(lines, "\n") })
      end
    ]] .. module
    local vi = start({ text("# One"), text("# Two"), text("# Three") }, { before = before })
    local last = "(_G.rendered[#_G.rendered] or { '', '' })[2]:find(given, 1, true)"
    vi:cmd("Pintle ask go")
    vi:wait(last, "the last message", "# One")
    equal(vi:lua(DRESSED), {}, "the other plugin draws the headings")
    -- Typing, it is drawn later: in other modes these plugins take away what they have drawn.
    vi:keys("i")
    vi:wait("vim.fn.mode() == 'i'")
    vi:cmd("Pintle ask again")
    vi:wait_turn(2)
    vi:wait_chat("# Two")
    vi:keys("<Esc>")
    vi:wait(last, "the message that came meanwhile", "# Two")
    local modes = vim.tbl_map(function(each)
      return each[1]
    end, vi:lua("return _G.rendered"))
    equal(vim.tbl_contains(modes, "i"), false)
    -- With the cursor in it, the plugin hears of it by itself.
    vi:cmd("wincmd k")
    local count = vi:lua("return #_G.rendered")
    vi:cmd("Pintle ask more")
    vi:wait_turn(3)
    vi:wait_chat("# Three")
    vi:cmd("wincmd j")
    equal(vi:lua("return #_G.rendered"), count)
  end)
end
