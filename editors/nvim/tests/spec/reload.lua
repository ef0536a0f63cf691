-- Buffers that no file is behind, read anew by the editor: `:edit`, `:windo edit`, and a buffer that was deleted and shown again.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local function go_to(vi, role)
  vi:lua(
    [[for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.w[win].pintle_role == ... then vim.api.nvim_set_current_win(win) end
    end]],
    role
  )
end

---What a window shows: its lines, its folds, and its colours.
local SEEN = [[
  local buf, folds = vim.api.nvim_get_current_buf(), {}
  for line = 1, vim.fn.line("$") do
    folds[line] = { vim.fn.foldlevel(line), vim.fn.foldclosed(line) }
  end
  local marks = vim.tbl_map(function(mark)
    return { mark[2], mark[3], mark[4].end_row, mark[4].hl_group }
  end, vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true }))
  return {
    lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false), folds = folds, marks = marks, root = vim.b.pintle_root,
    is_coloured = vim.b.current_syntax or vim.treesitter.highlighter.active[buf] ~= nil, maps = #vim.api.nvim_buf_get_keymap(buf, "n"),
    options = { vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable, vim.bo.modified, vim.bo.undolevels, vim.bo.filetype },
  }
]]

test("a transcript that is read anew shows the same, and goes on", function()
  local dir = child.folder()
  child.write(dir .. "/b.txt", "four\n")
  local edit = call("edit", { path = "b.txt", edits = { { oldText = "four", newText = "five" } } })
  local waits = call("bash", { command = "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo over" })
  local replies = { call("read", { path = "b.txt" }), edit, text("Changed."), waits, text("At last."), text("Bye.") }
  replies[1].blocks[2] = replies[1].blocks[1]
  local vi = child.start({ dir = dir, script = { replies = replies } })
  vi:cmd("edit b.txt | Pintle open")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle ask change it")
  vi:wait_turn()
  go_to(vi, "chat")
  local before = vi:lua(SEEN)
  contains(table.concat(before.lines, "\n"), "Read 2 files")
  assert(#before.marks > 0, "the diff is coloured")
  for _, command in ipairs({ "edit", "edit!", "checktime", "windo edit" }) do
    vi:cmd(command)
    go_to(vi, "chat")
    equal(vi:lua(SEEN), before, command)
  end
  -- While output streams, and a message waits.
  vi:cmd("Pintle ask wait for it")
  vi:wait_chat("│ begun")
  vi:cmd("Pintle queue and then")
  vi:wait_chat("queued, not read yet: and then")
  local running = vi:lua(SEEN)
  vi:cmd("normal! G")
  vi:cmd("edit")
  equal(vi:lua(SEEN), running)
  child.write(dir .. "/go", "")
  vi:wait_turn(3)
  local chat = vi:chat()
  contains(chat, "│ begun\n│ over")
  contains(chat, "Bye.")
  equal(vi:lua("return vim.fn.line('.') == vim.fn.line('$')"), true, "it follows")
  equal(vi:lua("return vim.v.errmsg"), "")
  -- Deleted and shown again.
  before = vi:lua(SEEN)
  vi:lua("_G.buf = vim.api.nvim_get_current_buf()")
  vi:cmd("wincmd t")
  vi:lua("vim.cmd.bdelete(_G.buf) vim.cmd.buffer(_G.buf)")
  local after = vi:lua(SEEN)
  equal({ after.lines, after.options, after.maps, after.root }, {
    before.lines,
    before.options,
    before.maps,
    before.root,
  })
end)

test("the prompt is read anew from its draft", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a draft', 'of two lines' })")
  equal(vi:lua("return pcall(vim.cmd.edit)"), false, "what was not written is kept")
  vi:cmd("write")
  local before = vi:lua(SEEN)
  vi:cmd("edit")
  equal(vi:lua(SEEN), before)
  vi:cmd("call setline(1, 'nothing')")
  vi:cmd("edit!")
  equal(vi:lua(SEEN), before)
  vi:lua("local buf = vim.api.nvim_get_current_buf() vim.cmd('wincmd t') vim.cmd.bdelete(buf) vim.cmd.buffer(buf)")
  equal(vi:lua(SEEN).lines, before.lines)
  equal(vi:lua(SEEN).options, before.options)
end)

test("the other windows are read anew", function()
  local plan = call("todo_write", { items = { { content = "Look", status = "completed" } } })
  local waits = call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" })
  local vi = child.start({ script = { replies = { plan, waits, text("Over."), text("Bye.") } } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle').status().plan")
  vi:wait("require('pintle').status().state == 'running'")
  vi:cmd("Pintle queue and then")
  vi:wait("require('pintle').status().queued == 1")
  for name, command in pairs({ plan = "plan", waiting = "waiting", help = "help permissions", log = "log" }) do
    vi:cmd("Pintle " .. command)
    vi:wait("vim.fn.bufname():find('pintle://" .. name .. "', 1, true)", name)
    local before = vi:lua(SEEN)
    assert(#before.lines > 0 and before.lines[1] ~= "", name)
    vi:cmd("edit")
    equal(vi:lua(SEEN), before, name)
    vi:cmd("close")
  end
  child.write(vi.dir .. "/go", "")
  vi:wait_turn(2)
end)

test("what stands for a transcript is read anew", function()
  local vi = child.start({ settings = { binary = "/nowhere/pintle" } })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().engine == 'failed'")
  go_to(vi, "chat")
  local before = vi:lua(SEEN)
  contains(table.concat(before.lines, "\n"), "No session: ")
  vi:cmd("edit")
  equal(vi:lua(SEEN), before)
end)

test("a question is read anew", function()
  local asks = call("bash", { command = "touch made" })
  local vi = child.start({ script = { replies = { asks, text("Over.") } }, settings = { permission_mode = "ask" } })
  -- The question stays open, as it does for a person.
  vi:lua("vim.api.nvim_clear_autocmds({ event = 'FileType', pattern = 'pintle-panel' })")
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle').status().attention == 1")
  vi:cmd("Pintle attention")
  vi:wait("vim.bo.filetype == 'pintle-panel'")
  local before = vi:lua(SEEN)
  contains(table.concat(before.lines, "\n"), "touch made")
  vi:cmd("edit")
  equal(vi:lua(SEEN), before)
  vi:cmd("doautocmd SessionLoadPost")
  vi:lua("vim.schedule(function() _G.done = true end)")
  vi:wait("_G.done")
  equal(vi:lua(SEEN), before)
end)

test("a text that a file is compared with is read anew", function()
  local dir = child.folder()
  child.write(dir .. "/b.txt", "four\n")
  local edit = call("edit", { path = "b.txt", edits = { { oldText = "four", newText = "five" } } })
  local vi = child.start({ dir = dir, script = { replies = { edit, text("Changed.") } } })
  vi:cmd("Pintle ask change it")
  vi:wait_turn()
  vi:cmd("Pintle diff b.txt")
  vi:wait("#vim.api.nvim_list_tabpages() == 2")
  vi:cmd("wincmd t")
  local before = vi:lua(SEEN)
  equal(before.lines, { "four" })
  vi:cmd("edit")
  equal(vi:lua(SEEN), before)
end)
