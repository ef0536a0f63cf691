-- Files and buffers: nothing is lost, wherever the file is and whatever it is called.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local function edit(path, old, new)
  return call("edit", { path = path, edits = { { oldText = old, newText = new } } })
end

local function lines_of(vi, name)
  return vi:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)", name)
end

test("a modified buffer is never reloaded over, and edits come into it", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\ntwo\nthree\n")
  local replies =
    { edit("a.txt", "two", "TWO"), call("bash", { command = "sed -i s/three/THREE/ a.txt" }), text("Done.") }
  local vi = child.start({ dir = dir, script = { replies = replies } })
  vi:cmd("edit a.txt")
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'mine' })")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  vi:wait_note("a.txt changed on disk and has unsaved changes here; the buffer was kept. :Pintle diff shows both")
  equal(lines_of(vi, "a.txt"), { "mine", "TWO", "three" })
  equal(vi:lua("return vim.bo[vim.fn.bufnr('a.txt')].modified"), true)
  equal(child.read(dir .. "/a.txt"), "one\ntwo\nTHREE\n")
  vi:lua("_G.choices = { 'unsaved buffer' }")
  vi:cmd("Pintle diff")
  vi:wait("vim.fn.tabpagenr() == 2")
  equal(
    vi:lua([[
    local texts = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      table.insert(texts, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
    end
    return texts
  ]]),
    { { "one", "two", "THREE" }, { "mine", "TWO", "three" } }
  )
  golden_grid("conflict", vi)
end)

test("a command that writes a file under unsaved text loses none of it, and is reported everywhere", function()
  local dir = child.folder()
  child.write(dir .. "/open.txt", "one\ntwo\n")
  local overwrite = call("bash", { command = "echo x > open.txt" })
  local script =
    { replies = { overwrite, text("Done."), call("bash", { command = "echo y > open.txt" }), text("Again.") } }
  local vi = child.start({ dir = dir, stock = true, script = script })
  vi:cmd("edit open.txt")
  vi:lua("vim.fn.setline(2, 'mine')")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  equal(lines_of(vi, "open.txt"), { "one", "mine" })
  equal(vi:lua("return vim.bo.modified"), true)
  equal(child.read(dir .. "/open.txt"), "x\n")
  vi:wait_screen("open.txt changed under unsaved text (:Pintle diff)")
  local said =
    "open.txt changed on disk while `bash: echo x > open.txt` ran and has unsaved text in the editor, which was kept."
  contains(vi:chat(), "> **warning**: " .. said)
  vi:cmd("Pintle review")
  vi:wait_screen("no hunk: open.txt changed on disk under unsaved text (:Pintle diff)")
  -- Neovim's own warning is not swallowed.
  vi:keys(":w<CR>")
  vi:wait_screen("WARNING: The file has been changed since reading it!!!")
  vi:keys("n")
  child.until_true(function()
    return not vi:is_blocked() or vi:keys("<CR>")
  end)
  equal(child.read(dir .. "/open.txt"), "x\n")
  -- And once more, with the transcript on the screen.
  vi:cmd("Pintle open")
  vi:cmd("Pintle ask again")
  vi:wait_turn(2)
  vi:wait_chat("open.txt changed on disk while `bash: echo y > open.txt` ran")
  vi:cmd("wincmd t | write!")
  equal(child.read(dir .. "/open.txt"), "one\nmine\n")
  vi:cmd("Pintle review")
  vi:wait_screen("no open hunks")
end)

test("a command changes and deletes files of open buffers", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\n")
  child.write(dir .. "/b.txt", "one\n")
  child.write(dir .. "/c.txt", "one\n")
  local script =
    { replies = { call("bash", { command = "echo two >> a.txt; echo two >> b.txt; rm c.txt" }), text("Done.") } }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("edit a.txt")
  vi:cmd("edit b.txt")
  vi:cmd("edit c.txt")
  vi:lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('b.txt'), 0, 0, false, { 'mine' })")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  equal(lines_of(vi, "a.txt"), { "one", "two" })
  equal(lines_of(vi, "b.txt"), { "mine", "one" })
  equal(lines_of(vi, "c.txt"), { "one" })
  vi:wait_note("b.txt changed on disk and has unsaved changes here")
  vi:wait_note("c.txt was deleted; its buffer is kept")
end)

test("new files, several edits, a diff of all that is open", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n")
  local script = {
    replies = {
      edit("a.txt", "1\n2\n", "1\ntwo\n"),
      edit("a.txt", "11\n", ""),
      call("write", { path = "sub/new.txt", content = "fresh\n" }),
      text("Done."),
    },
  }
  local vi = child.start({ dir = dir, script = script, settings = { open_quickfix = true } })
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  vi:wait("#vim.fn.getqflist() == 3 and not require('pintle.review').is_busy()", "the list of hunks")
  golden_grid("several-quickfix", vi)
  vi:cmd("cclose")
  vi:cmd("Pintle diff a.txt")
  vi:wait("vim.fn.tabpagenr('$') == 2")
  equal(lines_of(vi, "pintle://before/a.txt"), { "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12" })
  vi:cmd("tabclose")
  vi:lua("_G.choices = { 'new.txt' }")
  vi:cmd("Pintle diff")
  vi:wait("vim.fn.tabpagenr('$') == 2")
  equal(lines_of(vi, "pintle://before/sub/new.txt"), { "" })
  equal(lines_of(vi, "sub/new.txt"), { "fresh" })
  vi:cmd("tabclose")
  vi:cmd("Pintle diff other.txt")
  vi:wait_note("no open changes in other.txt")
end)

test("a file outside the workspace", function()
  local dir, elsewhere = child.folder(), child.folder("elsewhere")
  local path = elsewhere .. "/x.txt"
  child.write(path, "one\n")
  local script = { replies = { edit(path, "one", "two"), text("Done.") } }
  local vi = child.start({ dir = dir, script = script, settings = { permission_mode = "ask" } })
  vi:cmd("edit " .. path)
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  vi:lua("_G.choices = { 'Allow' }")
  vi:cmd("Pintle attention")
  vi:wait_turn()
  contains(vi:lua("return _G.asked[1].prompt"), "outside the working directory")
  equal(lines_of(vi, path), { "two" })
  vi:cmd("Pintle review")
  vi:wait("#vim.fn.getqflist() == 1")
  equal(vi:lua("return vim.fn.getqflist()[1].bufnr"), vi:lua("return vim.fn.bufnr(...)", path))
  vi:cmd("Pintle diff")
  vi:wait("vim.fn.tabpagenr('$') == 2")
  equal(lines_of(vi, "pintle://before/" .. path), { "one" })
end)

test("a path with blanks and Chinese characters, in a folder without git", function()
  local dir = child.folder("mein Projekt 项目 [x]")
  local name = "文 件 #1%.txt"
  child.write(dir .. "/" .. name, "一\n二\n")
  local vi = child.start({ dir = dir, script = { replies = { edit(name, "二", "两"), text("好了。") } } })
  vi:lua("vim.cmd('edit ' .. vim.fn.fnameescape(...))", dir .. "/" .. name)
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:cmd("wincmd t")
  vi:cmd("Pintle ask 请改第二行")
  vi:wait_turn()
  contains(vi:chat(), "请改第二行")
  contains(vi:chat(), "好了。")
  equal(vi:lua("return vim.fn.getline(1, '$')"), { "一", "两" })
  vi:cmd("Pintle diff")
  vi:wait("vim.fn.tabpagenr() == 2")
  equal(vi:lua("return vim.api.nvim_buf_get_lines(vim.fn.winbufnr(1), 0, -1, false)"), { "一", "二" })
  equal(vi:lua("return vim.api.nvim_buf_get_lines(vim.fn.winbufnr(2), 0, -1, false)"), { "一", "两" })
  golden("chinese", vi:chat(), dir)
end)

test("two editors on one workspace", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\n")
  local one = child.start({ dir = dir, script = { replies = { text("From the first.") } } })
  one:cmd("Pintle ask first prompt")
  one:wait_turn()
  local two =
    child.start({ dir = dir, script = { replies = { edit("a.txt", "one", "two"), text("From the second.") } } })
  two:lua("_G.choices = { 'first prompt' }")
  two:cmd("Pintle sessions")
  two:wait_note("cannot open the session: ")
  two:cmd("Pintle ask second prompt")
  two:wait_turn()
  contains(two:chat(), "From the second.")
  assert(not one:chat():find("second", 1, true), one:chat())
  -- when the first has gone, its session is free
  one:quit()
  two:lua("_G.choices = { 'first prompt' }")
  two:cmd("Pintle sessions")
  two:wait_chat("From the first.")
end)
