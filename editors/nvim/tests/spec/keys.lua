-- Reviewing from the keyboard: from hunk to hunk across files, text object, operators, `.`, and the keys of the quickfix window.

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

-- An editor whose agent has changed two files; the first one is in the current buffer.
local function reviewed(options)
  local dir = child.folder()
  child.write(dir .. "/a.txt", LINES)
  child.write(dir .. "/b.txt", LINES)
  local replies = {
    edit("a.txt", { "2\n", "two\n" }, { "5\n", "" }, { "9\n", "9\nnew\nnewer\n" }),
    edit("b.txt", { "4\n", "four\n" }),
    text("Done."),
    text("Noted."),
  }
  local vi = child.start(vim.tbl_extend("force", { dir = dir, script = { replies = replies } }, options or {}))
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask go")
  vi:wait_turn()
  vi:wait("not require('pintle.review').is_busy()", "the hunks")
  vi:wait("#require('pintle.review').hunks(require('pintle.workspace').find()) == 4", "four hunks")
  return vi, dir
end

local function decisions(vi, number)
  vi:wait("#vim.tbl_filter(function(e) return e.name == 'PintleDecision' end, _G.events) == given", "decisions", number)
  vi:wait("not require('pintle.review').is_busy()", "the hunks")
end

local function here(vi)
  return vi:lua("return vim.fs.basename(vim.api.nvim_buf_get_name(0)) .. ':' .. vim.fn.line('.')")
end

local function open(vi)
  return vi:lua([[
    return vim.tbl_map(function(hunk) return hunk.newText ~= "" and hunk.newText or hunk.oldText end,
      require("pintle.review").hunks(require("pintle.workspace").find()))
  ]])
end

-- Keys as a person types them, done when this returns.
local function type_keys(vi, keys)
  vi:lua("vim.api.nvim_feedkeys(vim.keycode(...), 'xm', true)", keys)
end

test("which hunk comes next", function()
  local next_hunk = require("pintle.keys").next
  local order = {
    { path = "a", line = 2 },
    { path = "a", line = 5 },
    { path = "b", line = 1 },
    { path = "c", line = 7 },
  }
  local rows = {
    { "a", 1, 1, 1 },
    { "a", 2, 1, 2 },
    { "a", 3, 1, 2 },
    { "a", 5, 1, 3 },
    { "a", 9, 1, 3 },
    { "a", 9, -1, 2 },
    { "a", 5, -1, 1 },
    { "a", 2, -1, nil },
    { "a", 1, -1, nil },
    { "b", 3, -1, 3 },
    { "b", 1, -1, 2 },
    { "c", 7, 1, nil },
    { "c", 1, 1, 4 },
    { "c", 1, -1, 3 },
    { "other", 1, 1, 1 },
    { "other", 1, -1, 4 },
    { nil, 1, 1, 1 },
    { "a", 1, 3, 3 },
    { "a", 2, 9, 4 },
    { "c", 7, -9, 1 },
  }
  for _, row in ipairs(rows) do
    equal(next_hunk(order, row[1], row[2], row[3]), row[4], vim.inspect(row))
  end
  equal(next_hunk({}, "a", 1, 1), nil)
end)

test("which words of a line are others", function()
  local changed = require("pintle.words").changed
  local function shown(lines, ranges)
    for at = #ranges, 1, -1 do
      local range = ranges[at]
      local line = lines[range.line]
      local inside = line:sub(range.first + 1, range.last)
      lines[range.line] = line:sub(1, range.first) .. "[" .. inside .. "]" .. line:sub(range.last + 1)
    end
    return table.concat(lines, "|")
  end
  local long = ("x"):rep(600)
  local rows = {
    { "let a = 1;", "let a = 2;", "let a = [1];", "let a = [2];" },
    { "f(a, b)", "f(a)", "f(a[, b])", "f(a)" },
    { "größe = alt", "größe = neu", "größe = [alt]", "größe = [neu]" },
    { "one", "something else entirely", "one", "something else entirely" },
    { "a b|c d", "a x|c d", "a [b]|c d", "a [x]|c d" },
    { "gone|let kept = 1", "let kept = 2", "gone|let kept = [1]", "let kept = [2]" },
    { "", "let", "", "let" },
    { long .. " a", long .. " b", long .. " a", long .. " b" },
  }
  for _, row in ipairs(rows) do
    local old, new = vim.split(row[1], "|", { plain = true }), vim.split(row[2], "|", { plain = true })
    old, new = row[1] == "" and {} or old, row[2] == "" and {} or new
    local of_old, of_new = changed(old, new)
    equal({ shown(old, of_old), shown(new, of_new) }, { row[3], row[4] })
  end
end)

test("from hunk to hunk across files, and where that is", function()
  local vi = reviewed({ stock = true })
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:cmd("wincmd t")
  local seen = {}
  for _, keys in ipairs({ "]h", "]h", "]h", "]h", "[h", "[h", "3]h" }) do
    type_keys(vi, keys)
    seen[#seen + 1] = here(vi)
  end
  equal(seen, { "a.txt:2", "a.txt:5", "a.txt:9", "b.txt:4", "a.txt:9", "a.txt:5", "b.txt:4" })
  vi:wait_screen("hunk 4 of 4, b.txt")
  type_keys(vi, "]h")
  vi:wait_screen("no hunk after this one; 4 are open")
  equal(vi:is_blocked(), false)
  -- from a window whose buffer is fixed it goes to one of the code
  vi:cmd("wincmd b")
  type_keys(vi, "<Plug>(pintle-next-hunk)")
  equal(here(vi), "a.txt:2")
  equal(vi:lua("return #vim.api.nvim_tabpage_list_wins(0)"), 3)
end)

test("the keys are there while hunks are open, and take nothing from anyone", function()
  local own = "<Cmd>let g:mine = 1<CR>"
  local next_hunk, prev_hunk, object = "<Plug>(pintle-next-hunk)", "<Plug>(pintle-prev-hunk)", "<Plug>(pintle-hunk)"
  local function globally(lhs)
    return ("vim.keymap.set('n', '%s', '%s')"):format(lhs, own)
  end
  -- As gitsigns does it: in the buffers of a repository.
  local in_buffers = ([[vim.api.nvim_create_autocmd("BufReadPost", { callback = function(event)
    vim.keymap.set("n", "]h", "%s", { buffer = event.buf })
  end })]]):format(own)
  local rows = {
    { "free", "", { next_hunk, prev_hunk, false, false }, nil },
    { "the one back", globally("[h"), { next_hunk, own, next_hunk, prev_hunk }, "`]a` and `[a` go to" },
    { "both", globally("]h") .. globally("[h"), { own, own, next_hunk, prev_hunk }, "`]a` and `[a` go to" },
    { "each buffer", in_buffers, { own, prev_hunk, next_hunk, prev_hunk }, "`]a` and `[a` go to" },
    { "all", globally("]h") .. globally("]a"), { own, prev_hunk, own, false }, "map <Plug>(pintle-next-hunk)" },
  }
  for _, row in ipairs(rows) do
    local who, before, want, note = unpack(row)
    local vi = reviewed({ before = before })
    -- What Neovim itself maps counts as free; some versions have no map there.
    local function maps()
      return vi:lua([[return vim.tbl_map(function(lhs)
        local rhs = vim.fn.maparg(lhs, "n")
        return rhs ~= "" and not rhs:find("^<Lua ") and rhs or false
      end, { "]h", "[h", "]a", "[a" })]])
    end
    local function objects()
      return vi:lua("return { vim.fn.maparg('ih', 'o'), vim.fn.maparg('ih', 'x') }")
    end
    equal(maps(), want, who)
    equal(objects(), { object, object })
    vi:cmd("checkhealth pintle")
    local health = vi:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' ')")
    vi:cmd("close")
    if note then
      vi:wait_note(note)
      contains(health:gsub("%s+", " "), note)
      vi:cmd("Pintle keep hunk")
      equal(
        vi:lua("return #vim.tbl_filter(function(each) return each:find('mapped by', 1, true) end, _G.notes)"),
        1,
        "one notice"
      )
    end
    vi:cmd("Pintle keep all")
    vi:wait("not require('pintle.review').is_open() and not require('pintle.review').is_busy()")
    for at, lhs in ipairs(maps()) do
      equal(lhs, want[at] == own and own or false, who .. ", afterwards")
    end
    equal(vi:lua("return vim.fn.maparg(']a', 'n', false, true).desc or ''"):find("pintle"), nil)
    equal(objects(), { "", "" })
  end
  local without = reviewed({ settings = { review_keys = false } })
  equal(without:lua("return vim.fn.maparg(']h', 'n')"), "")
end)

test("the keys lead to the hunks from a file without any, from an empty buffer and from the prompt", function()
  local vi, dir = reviewed()
  child.write(dir .. "/c.txt", "untouched\n")
  for _, from in ipairs({ "edit c.txt", "tabnew", "Pintle open" }) do
    vi:cmd(from)
    type_keys(vi, "]h")
    equal(here(vi), "a.txt:2", from)
  end
end)

test("a hunk is a text object", function()
  local vi = reviewed()
  vi:cmd("9")
  type_keys(vi, "yih")
  equal(vi:lua("return vim.fn.getreg('\"')"), "new\nnewer\n")
  type_keys(vi, "vih<Esc>")
  equal(vi:lua('return { vim.fn.line("\'<"), vim.fn.line("\'>"), vim.fn.visualmode() }'), { 9, 10, "V" })
  -- one that only deletes lines has none
  vi:cmd("5")
  vi:keys("dih")
  vi:wait_note("this hunk only deletes lines")
  equal(vi:lua("return vim.bo.modified"), false)
end)

test("`.` keeps and undoes again, where the cursor is then", function()
  local vi, dir = reviewed()
  vi:cmd("2")
  type_keys(vi, "<Plug>(pintle-keep)")
  decisions(vi, 1)
  type_keys(vi, "]h.")
  decisions(vi, 2)
  equal(open(vi), { "new\nnewer\n", "four\n" })
  type_keys(vi, "]h<Plug>(pintle-undo)")
  decisions(vi, 3)
  type_keys(vi, "]h.")
  decisions(vi, 4)
  equal(open(vi), {})
  equal({ child.read(dir .. "/a.txt"), child.read(dir .. "/b.txt") }, { "1\ntwo\n3\n4\n6\n7\n8\n9\n10\n", LINES })
end)

test("an operator keeps the hunks that it moves over, or undoes them", function()
  local vi, dir = reviewed()
  vi:lua([[
    vim.keymap.set("n", "gk", "<Plug>(pintle-keep-operator)")
    vim.keymap.set("n", "gu", "<Plug>(pintle-undo-operator)")
  ]])
  vi:cmd("1")
  type_keys(vi, "gk5j")
  decisions(vi, 1)
  equal(open(vi), { "new\nnewer\n", "four\n" })
  vi:cmd("10")
  type_keys(vi, "gu_")
  decisions(vi, 2)
  equal(child.read(dir .. "/a.txt"), "1\ntwo\n3\n4\n6\n7\n8\n9\nnew\n10\n")
end)

test("the quickfix window has keys for the hunks, and only for them", function()
  local vi, dir = reviewed()
  vi:cmd("Pintle review")
  vi:wait("vim.fn.getqflist({ winid = 0 }).winid ~= 0")
  vi:cmd("call win_gotoid(getqflist({ 'winid': 0 }).winid)")
  vi:cmd("2")
  type_keys(vi, "K")
  decisions(vi, 1)
  equal(open(vi), { "two\n", "new\nnewer\n", "four\n" })
  equal(vi:lua("return #vim.fn.getqflist()"), 3)
  vi:cmd("1")
  type_keys(vi, "VjU")
  decisions(vi, 2)
  equal(open(vi), { "four\n" })
  equal(child.read(dir .. "/a.txt"), "1\n2\n3\n4\n6\n7\n8\n9\n10\n")
  vi:lua("vim.ui.input = function(_, done) done('Five is better.') end")
  vi:cmd("1")
  type_keys(vi, "C")
  decisions(vi, 3)
  equal(
    vi:lua("return require('pintle.review').hunks(require('pintle.workspace').find())[1].comments[1].text"),
    "Five is better."
  )
  type_keys(vi, "D")
  vi:wait("vim.fn.tabpagenr('$') == 2")
  vi:cmd("tabclose")
  -- a list of the person's own
  vi:lua("vim.fn.setqflist({}, ' ', { items = { { text = 'one word here' } } })")
  type_keys(vi, "0U")
  equal(open(vi), { "four\n" })
end)
