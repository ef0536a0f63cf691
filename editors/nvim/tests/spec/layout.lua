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
  local ok, why = pcall(other.lua, other, "require('pintle').setup({ layout = 'sideways' })")
  equal(ok, false)
  contains(why, "the setting `layout` must be `side`, `float` or `tab`")
end)
