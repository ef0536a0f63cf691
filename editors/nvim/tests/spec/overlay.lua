-- Hunks on a real terminal while the text under them changes.

local child = require("child")
local reply = require("reply")

local text = reply.text

local LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

---An editor whose agent has made edits to a file that stands in its only window.
local function reviewed(content, edits, options)
  local dir = child.folder()
  child.write(dir .. "/a.txt", content)
  local replies = { { blocks = { { tool = "edit", arguments = { path = "a.txt", edits = edits } } } }, text("Done.") }
  options = vim.tbl_extend("force", { dir = dir, stock = true, script = { replies = replies } }, options or {})
  local vi = child.start(options)
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  vi:wait("not require('pintle.review').is_busy() and #require('pintle.overlay').places(0) > 0", "the hunks")
  return vi
end

---What is drawn from the top, row by row.
local function rows(vi, count)
  return vim.list_slice(vim.split(vi:terminal_screen(), "\n"), 1, count)
end

local function wait_rows(vi, want)
  local got
  local ok = child.until_true(function()
    got = rows(vi, #want)
    return vim.deep_equal(got, want)
  end)
  if not ok then
    equal(got, want)
  end
end

local EDITS = {
  { oldText = "2\n", newText = "two\n" },
  { oldText = "5\n", newText = "" },
  { oldText = "9\n", newText = "9\nnew\n" },
}

local WHOLE = { "  1", "  - 2", "┃ two", "  3", "  4", "  - 5", "▁ 6", "  7", "  8", "  9", "┃ new", "  10", "~" }

test("what is drawn is true after each change of the text", function()
  local vi = reviewed(LINES, EDITS)
  wait_rows(vi, WHOLE)
  -- a changed line goes, and comes back
  vi:keys("2Gdd")
  wait_rows(vi, { "  1", "  3", "  4", "  - 5", "▁ 6", "  7", "  8", "  9", "┃ new", "  10", "~" })
  vi:keys("u")
  wait_rows(vi, WHOLE)
  -- sorted, a line may be the right one and stand elsewhere
  vi:keys(":%sort! n<CR>")
  vi:wait("vim.fn.getline(1) == '10'")
  equal(
    vi:lua([[
    local wrong = {}
    for _, place in ipairs(require("pintle.overlay").places(0)) do
      local lines = vim.api.nvim_buf_get_lines(0, place.row, place.row + place.count, false)
      local own = vim.split(place.hunk.newText, "\n")
      for at, line in ipairs(lines) do
        if line ~= own[at] then table.insert(wrong, line) end
      end
    end
    return wrong
  ]]),
    {}
  )
  vi:keys("u")
  wait_rows(vi, WHOLE)
  -- lines above move all of it
  vi:keys("ggOmine<Esc>")
  wait_rows(vi, vim.list_extend({ "  mine" }, vim.list_slice(WHOLE, 1, 12)))
  vi:keys("u")
  wait_rows(vi, WHOLE)
  -- deleted lines stand between their neighbours, as long as there is one
  vi:keys("5Gdd")
  wait_rows(vi, { "  1", "  - 2", "┃ two", "  3", "  4", "  - 5", "▁ 7", "  8", "  9", "┃ new" })
  vi:keys("4Gdd")
  wait_rows(vi, { "  1", "  - 2", "┃ two", "  3", "  7", "  8", "  9", "┃ new" })
  vi:keys("u")
  vi:keys("u")
  wait_rows(vi, WHOLE)
  -- while one types in the middle of a hunk
  vi:keys("2GA!")
  wait_rows(vi, { "  1", "  two!" })
  vi:keys("<BS>")
  wait_rows(vi, { "  1", "  - 2", "┃ two" })
end)

for _, size in ipairs({ { 80, 24 }, { 40, 20 }, { 200, 50 } }) do
  test(("deleted lines above the first one are seen, at %dx%d"):format(size[1], size[2]), function()
    local content = {}
    for number = 1, 100 do
      content[number] = "line " .. number .. "\n"
    end
    local edits = { { oldText = "line 1\nline 2\n", newText = "" } }
    local vi = reviewed(table.concat(content), edits, { columns = size[1], lines = size[2] })
    local want = { "  - line 1", "  - line 2", "▁ line 3", "  line 4" }
    wait_rows(vi, want)
    vi:keys("G")
    vi:wait_screen("line 100")
    vi:keys("gg")
    wait_rows(vi, want)
    -- who scrolls them away is left alone
    vi:keys("<C-E>")
    wait_rows(vi, vim.list_slice(want, 2))
    vi:keys("ix<Esc>u")
    wait_rows(vi, vim.list_slice(want, 2))
  end)
end

test("no rows stay above the first line once its hunk is decided", function()
  for _, decision in ipairs({ "keep all", "undo all" }) do
    local edits = { { oldText = "line 1\nline 2\n", newText = "LINE 1\nLINE 2\n" } }
    local vi = reviewed("line 1\nline 2\nline 3\n", edits, { columns = 80, lines = 24 })
    vi:wait_screen("- line 1")
    vi:cmd("vsplit")
    vi:cmd("Pintle open")
    vi:cmd("Pintle " .. decision)
    vi:wait("#require('pintle.overlay').places(vim.fn.bufnr('a.txt')) == 0")
    local fill = [[return vim.tbl_map(function(win)
      return vim.api.nvim_win_call(win, vim.fn.winsaveview).topfill
    end, vim.fn.win_findbuf(vim.fn.bufnr("a.txt")))]]
    equal(vi:lua(fill), { 0, 0 }, decision)
  end
end)

test("without colours a deleted line is told from one that is there", function()
  local vi = reviewed(LINES, EDITS, { before = "vim.o.termguicolors = false; vim.cmd('highlight clear | syntax off')" })
  wait_rows(vi, WHOLE)
  vi:cmd("colorscheme blue")
  vi:cmd("Pintle review")
  wait_rows(vi, vim.list_slice(WHOLE, 1, 8))
  equal(
    vi:lua("return vim.api.nvim_get_hl(0, { name = 'PintleDeleted' }).link"),
    "DiffDelete",
    "groups outlive a colourscheme"
  )
end)
