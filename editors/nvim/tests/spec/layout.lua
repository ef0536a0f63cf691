-- The plugin's windows on screens of several sizes: room for the code, fixed buffers, and a focus that moves only at once.

local child = require("child")
local reply = require("reply")

local SIZES = { { 80, 24 }, { 40, 20 }, { 200, 50 } }

local text = reply.text

local SCRIPT = { replies = { text("One line.\n\nAnother one."), text("More.") } }

local function start(options)
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\ntwo\nthree\n")
  child.write(dir .. "/b.txt", "four\nfive\nsix\n")
  local vi = child.start(vim.tbl_extend("force", { dir = dir, stock = true, script = SCRIPT }, options or {}))
  vi:cmd("edit a.txt")
  return vi
end

local WAITS = reply.call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" })

---How the windows of the tab lie, and how large each is.
local function layout_of(vi)
  return vi:lua("return { vim.fn.winlayout(), vim.fn.winrestcmd() }")
end

local IS_PROMPT = "vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)"

for _, size in ipairs(SIZES) do
  local columns, lines = size[1], size[2]
  local at = ("%dx%d"):format(columns, lines)

  test("the windows leave room for the code, at " .. at, function()
    local vi = start({ columns = columns, lines = lines })
    vi:keys(":Pintle open<CR>")
    vi:wait(IS_PROMPT)
    vi:wait("require('pintle').status().session")
    vi:keys("ihello<Esc><CR>")
    vi:wait_turn()
    vi:keys("iMore of it")
    vi:wait_screen("Another one.")
    vi:wait_screen("More of it")
    golden_screen("layout-side-" .. at, vi)
    vi:keys("<Esc>:only<CR>:edit! a.txt<CR>")
  end)

  for _, layout in ipairs({ "float", "tab" }) do
    test(("the windows as a %s on request, at %s"):format(layout, at), function()
      local vi = start({ columns = columns, lines = lines })
      local before = layout_of(vi)
      vi:keys((":Pintle open %s<CR>"):format(layout))
      vi:wait(IS_PROMPT)
      vi:wait("require('pintle').status().session")
      vi:keys("ihello<Esc><CR>")
      vi:wait_turn()
      vi:wait_screen("Another one.")
      golden_screen(("layout-%s-%s"):format(layout, at), vi)
      vi:cmd(layout == "float" and "close" or "tabclose")
      vi:wait("#vim.api.nvim_list_wins() == 1")
      equal(layout_of(vi), before, "layout before equals layout after")
    end)
  end
end

test("the windows open at the edge in `position`, and closing them restores all sizes", function()
  -- Rows: the position, and what lies along the edges of the screen: windows from left to right, or from top to bottom.
  local rows = {
    { "right", "row", { "code", "code", "ours" } },
    { "left", "row", { "ours", "code", "code" } },
    { "bottom", "col", { "code", "ours" } },
    { "top", "col", { "ours", "code" } },
  }
  for _, size in ipairs({ { 200, 50 }, { 120, 40 }, { 80, 24 } }) do
    for _, row in ipairs(rows) do
      local vi = start({ columns = size[1], lines = size[2], settings = { position = row[1] } })
      local name = ("%s at %dx%d"):format(row[1], size[1], size[2])
      vi:cmd("vsplit b.txt")
      vi:cmd("vertical resize 30")
      local before = layout_of(vi)
      vi:cmd("Pintle open")
      vi:wait(IS_PROMPT)
      vi:wait("require('pintle').status().session")
      local found = vi:lua([[
        local layout = vim.fn.winlayout()
        local function owner(part)
          while type(part[2]) == "table" do part = part[2][1] end
          return vim.w[part[2] ].pintle_role and "ours" or "code"
        end
        return { layout[1], vim.tbl_map(owner, layout[2]) }
      ]])
      local along = { row[2], row[3] }
      -- Two code windows above the plugin's are one row; the plugin's own two lie below each other.
      if row[1] == "bottom" then
        along[2] = { "code", "ours", "ours" }
      elseif row[1] == "top" then
        along[2] = { "ours", "ours", "code" }
      end
      equal(found, along, name)
      vi:cmd("Pintle plan")
      vi:cmd("Pintle close")
      vi:wait("#vim.api.nvim_list_wins() == 2")
      equal(layout_of(vi), before, name)
    end
  end
end)

-- Each value of 'winborder' with what stands in the top left corner.
local BORDERS =
  { { "", "┌" }, { "single", "┌" }, { "double", "╔" }, { "rounded", "╭" }, { "none", "" }, { "shadow", "" } }
if vim.fn.has("nvim-0.12") == 1 then
  BORDERS[#BORDERS + 1] = { "+,-,+,!,+,-,+,!", "+" }
end

-- The corner and the rows of all floating windows, in order, with the rows that they take.
local FLOATS = [[
  local found = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local config = vim.api.nvim_win_get_config(win)
    if config.relative ~= "" then
      local parts = type(config.border) == "table" and config.border or {}
      local function part(at)
        local found = parts[at] or ""
        return type(found) == "table" and found[1] or found
      end
      local rows = (part(2) ~= "" and 1 or 0) + (part(6) ~= "" and 1 or 0)
      table.insert(found, { corner = part(1), first = config.row, last = config.row + config.height + rows - 1 })
    end
  end
  table.sort(found, function(a, b) return a.first < b.first end)
  return found
]]

for _, border in ipairs(BORDERS) do
  test(("floats follow 'winborder', as with %q"):format(border[1]), function()
    local asks = { replies = { reply.call("bash", { command = "touch a-file" }), text("Done.") } }
    local vi = start({ columns = 80, lines = 24, script = asks, settings = { permission_mode = "ask" } })
    vi:lua("vim.o.winborder = ...", border[1])
    vi:cmd("Pintle open float")
    vi:wait("require('pintle').status().session")
    local floats = vi:lua(FLOATS)
    equal(#floats, 2)
    equal({ floats[1].corner, floats[2].corner }, { border[2], border[2] })
    equal(floats[2].first, floats[1].last + 1, "one below the other")
    equal(floats[1].first >= 0 and floats[2].last < 23, true, vim.inspect(floats))
    vi:cmd("Pintle ask go")
    vi:wait("require('pintle.approval').count() == 1")
    vi:cmd("Pintle close")
    vi:cmd("Pintle attention")
    vi:wait("require('pintle.panel').current()")
    floats = vi:lua(FLOATS)
    equal({ #floats, floats[1].corner }, { 1, border[2] })
    vi:wait_screen("<Tab> answers")
    if border[1] == "rounded" or border[1] == "none" then
      golden_screen("border-" .. border[1], vi)
    end
    -- A notice is one line, whatever borders the user likes.
    vi:cmd("quit")
    vi:keys("i")
    vi:wait("vim.fn.mode() == 'i'")
    vi:lua("require('pintle.log').warn('a notice')")
    vi:wait("#vim.api.nvim_list_wins() == 2")
    equal(vi:lua(FLOATS), { { corner = "", first = 22, last = 22 } })
    vi:keys("<Esc>")
  end)
end

test("the focus moves at once and not again", function()
  local vi = start()
  -- both arrive together: what the engine says of the session comes later
  vi:lua("vim.cmd('Pintle open'); _G.after = vim.api.nvim_buf_get_name(0); vim.cmd('wincmd t')")
  contains(vi:lua("return _G.after"), "pintle://prompt/")
  vi:keys("Gotyped here")
  vi:wait("require('pintle').status().session")
  vi:wait("vim.bo[vim.fn.winbufnr(2)].filetype == 'pintle-chat'")
  vi:keys(" and here")
  vi:wait("vim.fn.getline('.') == 'typed here and here'")
  equal(vi:lua("return vim.fn.expand('%:t')"), "a.txt")
end)

test("jumps of the quickfix list go to the code, and no splits pile up", function()
  local vi = start()
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:lua([[vim.fn.setqflist({ { filename = "a.txt", lnum = 2 }, { filename = "b.txt", lnum = 3 } })]])
  local before = layout_of(vi)
  -- from the prompt, also when the transcript was the window before
  for _, jump in ipairs({ "clast", "wincmd k | wincmd j | cfirst", "wincmd k | clast" }) do
    vi:cmd(jump)
    equal(vi:lua("return vim.fn.winnr()"), 1, jump)
    vi:lua(
      "for _, w in ipairs(vim.api.nvim_list_wins()) do if vim.w[w].pintle_role == 'prompt' then vim.api.nvim_set_current_win(w) end end"
    )
  end
  equal(layout_of(vi), before)
  equal(vi:lua("return vim.fn.bufname(vim.fn.winbufnr(1))"), "b.txt")
  local ok, why = pcall(vi.cmd, vi, "edit b.txt")
  equal(ok, false)
  contains(why, "winfixbuf")
end)

test("windows that are closed in any order come back once, where they were", function()
  local vi = start()
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  local before = layout_of(vi)
  -- the ids of windows are new ones
  local function shape(layout)
    return (vim.inspect(layout):gsub("%d%d%d%d", "WIN"))
  end
  for _, order in ipairs({ { "chat", "prompt" }, { "prompt", "chat" }, { "chat" }, { "prompt" } }) do
    for _, role in ipairs(order) do
      vi:lua(
        [[for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.w[win].pintle_role == ... then return vim.api.nvim_win_close(win, true) end
        end]],
        role
      )
    end
    vi:cmd("Pintle open")
    vi:cmd("Pintle open")
    equal(shape(layout_of(vi)), shape(before), table.concat(order, ", "))
    equal(vi:lua("return vim.w.pintle_role"), "prompt")
  end
end)

test("the width is a share that follows the screen, or a number of columns", function()
  local vi = start({ columns = 100, lines = 30 })
  local width = [[
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.w[win].pintle_role == "chat" then return vim.api.nvim_win_get_width(win) end
    end
  ]]
  vi:cmd("Pintle open")
  equal(vi:lua(width), 40)
  vi:cmd("set columns=150")
  vi:wait("vim.api.nvim_win_get_width(0) == 60")
  vi:cmd("vertical resize 50 | set columns=120")
  vi:wait("vim.o.columns == 120")
  equal(vi:lua(width), 50, "a person's width stays")
  local other = start({ columns = 120, settings = { width = 50, layout = "side" } })
  other:cmd("Pintle open")
  equal(other:lua(width), 50)
  other:lua("require('pintle').setup({ layout = 'sideways', width = 50 })")
  other:wait_screen("ignored: setup(): the setting `layout` must be one of: side, float, tab")
end)

-- What is open in the tab, with the smallest height of it, and what was said; then all is closed, on a screen of the size of before.
local OPENED = [[
  local layout, columns, lines = ...
  vim.v.errmsg, _G.notes = "", {}
  vim.o.columns, vim.o.lines = columns, lines
  local before = vim.fn.winrestcmd()
  local ok, why = pcall(vim.cmd, "Pintle open " .. layout)
  local roles, least = {}, math.huge
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.w[win].pintle_role then
      table.insert(roles, vim.w[win].pintle_role)
      least = math.min(least, vim.api.nvim_win_get_height(win))
    end
  end
  table.sort(roles)
  if #roles > 0 then
    vim.cmd("Pintle close")
    vim.wait(50, function() return vim.fn.winrestcmd() == before end, 5)
  end
  local is_same = vim.fn.winrestcmd() == before
  return { ok and "" or why, vim.v.errmsg, table.concat(roles, " "), least > 1, is_same, _G.notes }
]]

test("screens of any size show what fits, or a notice", function()
  local vi = child.start({ script = SCRIPT })
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle close")
  local too_small = { "pintle: screen too small: enlarge it, or close other windows" }
  for _, layout in ipairs({ "side", "float", "tab" }) do
    for _, columns in ipairs({ 12, 30, 80 }) do
      for lines = 3, 14 do
        local got = vi:lua(OPENED, layout, columns, lines)
        local fits = lines >= 5
        equal(
          got,
          { "", "", fits and "chat prompt" or "", true, true, fits and {} or too_small },
          ("%s at %dx%d"):format(layout, columns, lines)
        )
      end
    end
  end
  -- Other windows need room, too.
  vi:cmd("set columns=30 lines=8")
  vi:cmd("Pintle open")
  for _, verb in ipairs({ "log", "help review" }) do
    vi:lua("_G.notes, vim.v.errmsg = {}, ''")
    vi:cmd("set lines=4")
    vi:cmd("Pintle " .. verb)
    equal(vi:lua("return { _G.notes, vim.v.errmsg }"), { too_small, "" }, verb)
    vi:cmd("set lines=8")
  end
end)

test("open windows survive a screen that becomes tiny, and are as before when it is large again", function()
  for _, layout in ipairs({ "side", "float", "tab" }) do
    local vi = start({ columns = 100, lines = 30 })
    vi:cmd("Pintle open " .. layout)
    vi:wait("require('pintle').status().session")
    local function places()
      return vi:lua([[return vim.tbl_map(function(win)
        local config = vim.api.nvim_win_get_config(win)
        return { config.relative, config.row or 0, vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) }
      end, vim.api.nvim_tabpage_list_wins(0))]])
    end
    local before = places()
    for _, size in ipairs({ { 30, 8 }, { 100, 8 }, { 20, 10 }, { 30, 8 } }) do
      vi:cmd(("set columns=%d lines=%d"):format(size[1], size[2]))
      vi:wait("true")
      if layout == "float" and size[2] == 8 then
        for _, place in ipairs(places()) do
          equal(place[1] == "" or place[2] + place[4] <= 7, true, "on the screen: " .. vim.inspect(place))
        end
      end
    end
    vi:cmd("set columns=100 lines=30")
    vi:wait("true")
    equal(vi:lua("return vim.v.errmsg"), "", layout)
    if layout == "float" then
      equal(places(), before)
    end
    vi:cmd("Pintle close")
    equal(vi:lua("return #vim.api.nvim_list_wins()"), 1, layout)
  end
end)

test("code windows have room again after the screen has become small at once", function()
  local vi = start({ columns = 200, lines = 50 })
  vi:cmd("vsplit b.txt | Pintle open")
  local narrowest = "return math.min(unpack(vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_list_wins())))"
  for _, columns in ipairs({ 80, 200, 80 }) do
    vi:cmd("set columns=" .. columns)
    vi:wait("vim.o.columns == " .. columns)
    local found = vi:lua(narrowest)
    equal(found >= 20, true, ("%d columns of %d"):format(found, columns))
  end
end)

test("closing a panel leads back to the window that it was opened from", function()
  local vi = start({ columns = 120, lines = 40 })
  vi:cmd("vsplit b.txt | Pintle open")
  for _, panel in ipairs({ "log", "help permissions" }) do
    vi:cmd("Pintle " .. panel)
    vi:wait("vim.w.pintle_role == nil")
    vi:cmd("quit")
    vi:wait("vim.w.pintle_role == 'prompt'")
  end
end)

test("nothing opens below floating windows", function()
  local items = { { content = "look around", status = "pending" } }
  local writes = reply.call("write", { path = "new.txt", content = "a new line of text\n" })
  for _, size in ipairs({ { 80, 24 }, { 120, 40 }, { 200, 50 } }) do
    local replies = { reply.call("todo_write", { items = items }), writes, WAITS, text("See `b.txt:2`."), text("Two.") }
    local script = { replies = replies }
    local vi = start({ columns = size[1], lines = size[2], settings = { layout = "float" }, script = script })
    vi:cmd("Pintle open")
    vi:wait(IS_PROMPT)
    vi:wait("require('pintle').status().session")
    vi:cmd("Pintle ask go")
    vi:wait_chat("running")
    vi:cmd("Pintle queue later on")
    vi:wait("#require('pintle.workspace').find():view().state.queue == 1")
    vi:wait("require('pintle.review').is_open()")
    local before = layout_of(vi)
    local panels = {
      log = "working",
      plan = "[ ] look around",
      waiting = "later on",
      context = "tokens.",
      ["help review"] = "Sessions, history and review",
    }
    vi:lua("require('pintle.log').note('working')")
    for name, line in pairs(panels) do
      vi:cmd("Pintle " .. name)
      vi:wait("vim.w.pintle_role == nil", name)
      vi:cmd("normal! gg")
      vi:wait_screen(line)
      -- All of the line: a window below would show its first columns.
      contains(vi:terminal_screen(), line)
      vi:cmd("quit")
      vi:wait("vim.w.pintle_role == 'prompt'", "back from " .. name)
      equal(layout_of(vi), before, name)
    end
    child.write(vi.dir .. "/go", "")
    vi:wait_turn()
    vi:lua([[function _G.go_to_chat()
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.w[win].pintle_role == "chat" then vim.api.nvim_set_current_win(win) end
      end
    end]])
    -- The code and the list of hunks are elsewhere: the windows give way.
    local away = {
      review = { "Pintle review", "+1 -0 a new line of text" },
      hunk = { "lua vim.api.nvim_feedkeys(vim.keycode('<Plug>(pintle-next-hunk)'), 'xm', true)", "a new line of text" },
      file = { "lua go_to_chat() vim.fn.search('b.txt') vim.api.nvim_feedkeys('gf', 'xm', true)", "five" },
    }
    for name, row in pairs(away) do
      vi:cmd("Pintle open")
      vi:wait(IS_PROMPT)
      vi:cmd(row[1])
      vi:wait("vim.api.nvim_win_get_config(0).relative == '' and vim.w.pintle_role == nil", name)
      vi:wait_screen(row[2])
      vi:wait("vim.iter(vim.api.nvim_list_wins()):all(function(w) return vim.w[w].pintle_role == nil end)", name)
      vi:cmd("cclose")
    end
  end
end)

test("a guide opens from a prompt that is too small to be split", function()
  local vi = start({ columns = 80, lines = 24, settings = { position = "bottom" } })
  vi:cmd("set noequalalways")
  vi:cmd("Pintle open")
  vi:wait(IS_PROMPT)
  local before = layout_of(vi)
  vi:cmd("Pintle help review")
  equal(vi:lua("return vim.fn.getline(1)"), "# Sessions, history and review")
  vi:cmd("quit")
  vi:wait("vim.w.pintle_role == 'prompt'")
  equal(layout_of(vi), before)
end)

-- The commands that make the code windows of a screen.
local CODE = {
  { "one" },
  { "two side by side", "vsplit b.txt" },
  { "two above each other", "split b.txt" },
  { "three", "vsplit b.txt", "split" },
  { "four", "vsplit b.txt", "split", "wincmd h | split" },
  { "four columns", "vsplit b.txt", "vsplit", "vsplit a.txt" },
}

-- How each panel is opened.
local PANELS = {
  log = "Pintle log",
  plan = "Pintle plan",
  waiting = "Pintle waiting",
  help = "Pintle help review",
  context = "Pintle context",
  changes = "Pintle review",
}

-- Names in this tab's status lines that are of no use to a person: those of buffers without one, and ids.
local NAMELESS = [[
  local found = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    local name = vim.api.nvim_buf_get_name(buf)
    if name == "" and vim.bo[buf].buftype ~= "quickfix" or name:find("%x%x%x%x%x%x%x%x%-%x%x%x%x%-") then
      table.insert(found, name)
    end
  end
  return found
]]

---The sizes of all windows, by window.
local function sizes_of(vi)
  return vi:lua([[
    local sizes = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      sizes[tostring(win)] = { vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win) }
    end
    return sizes
  ]])
end

local function close(vi, win)
  vi:lua("vim.api.nvim_win_close(..., true)", win)
end

---@param code string[]
---@param size integer[]
---@param position string
---@param options? string
local function keep_their_sizes(code, size, position, options)
  local items = { { content = "look", status = "completed" }, { content = "fix", status = "pending" } }
  local writes = reply.call("write", { path = "new.txt", content = "new\n" })
  local script = { replies = { reply.call("todo_write", { items = items }), writes, WAITS, text("Done.") } }
  local settings = { position = position }
  local vi = start({ columns = size[1], lines = size[2], script = script, settings = settings })
  vi:cmd(options or "")
  for at = 2, #code do
    vi:cmd(code[at])
  end
  local alone = sizes_of(vi)
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle ask go")
  vi:wait("#vim.fn.glob('new.txt') > 0")
  vi:wait_chat("running")
  vi:cmd("Pintle queue later")
  vi:wait("#require('pintle.workspace').find():view().state.queue == 1")
  vi:wait("require('pintle.review').is_open()")
  local beside = sizes_of(vi)
  if position == "right" and size[1] >= 120 and code[1] == "two side by side" then
    local widths = vi:lua("return vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_tabpage_list_wins(0))")
    equal(math.abs(widths[1] - widths[2]) <= 1, true, "both give room: " .. vim.inspect(widths))
  end
  local function open(name)
    local before = sizes_of(vi)
    -- With several windows above the plugin's, a second panel may leave one a little larger.
    local is_exact = position == "right" or vim.tbl_count(before) == vim.tbl_count(beside)
    vi:cmd(PANELS[name])
    vi:wait("#vim.api.nvim_tabpage_list_wins(0) > given", name, vim.tbl_count(before))
    local opened
    for win, now in pairs(sizes_of(vi)) do
      local was = before[win]
      if was and is_exact then
        -- But for 'winwidth', which widens the window that is entered.
        local is_wider = now[1] > math.max(was[1], vim.o.winwidth)
        equal({ is_wider, math.max(was[2], now[2]) }, { false, was[2] }, name .. " makes no window larger")
      elseif not was then
        opened = tonumber(win)
      end
    end
    equal(vi:lua(NAMELESS), {}, name)
    return opened
  end
  local function settled(want, what)
    vi:wait("true")
    equal(sizes_of(vi), want, what)
  end
  local names = vim.fn.sort(vim.tbl_keys(PANELS))
  for _, name in ipairs(names) do
    close(vi, open(name))
    settled(beside, name)
  end
  -- One over the other, closed in either order.
  for at, name in ipairs(names) do
    local other = names[at % #names + 1]
    for _, is_first in ipairs({ true, false }) do
      local both = { open(name), open(other) }
      close(vi, table.remove(both, is_first and 1 or 2))
      vi:wait("true")
      close(vi, both[1])
      settled(beside, name .. " and " .. other)
    end
  end
  child.write(vi.dir .. "/go", "")
  vi:wait_turn()
  for _, role in ipairs({ "chat", "prompt" }) do
    vi:lua(
      [[for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.w[win].pintle_role == ... then return vim.api.nvim_win_close(win, true) end
      end]],
      role
    )
    vi:wait("true")
  end
  settled(alone, "the windows of before")
end

for _, code in ipairs(CODE) do
  for _, size in ipairs({ { 80, 24 }, { 120, 40 }, { 200, 50 } }) do
    test(("%s code windows at %dx%d keep their sizes"):format(code[1], size[1], size[2]), function()
      keep_their_sizes(code, size, "right")
    end)
  end
  test(("%s code windows above the plugin's keep their sizes"):format(code[1]), function()
    keep_their_sizes(code, { 120, 40 }, "bottom", "set laststatus=3 splitbelow")
  end)
end
