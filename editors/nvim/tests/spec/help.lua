-- The engine's guides in the editor.

local child = require("child")

test("help on a topic shows the page that the engine prints", function()
  local vi = child.start({ settings = {} })
  vi:cmd("Pintle help hooks")
  equal(vi:lua("return vim.api.nvim_buf_get_name(0)"), "pintle://help/hooks")
  equal(vi:lua("return vim.fn.getline(1)"), "# Hooks")
  equal(vi:lua("return { vim.bo.filetype, vim.bo.modifiable, vim.bo.buftype }"), { "pintle-text", false, "nofile" })
  -- again: the same buffer in the same window
  vi:cmd("Pintle help hooks")
  equal(vi:lua("return #vim.api.nvim_tabpage_list_wins(0)"), 2)
end)

test("help without a topic offers all of them", function()
  local vi = child.start({ settings = {} })
  vi:lua("_G.choices = { 'permissions: ' }")
  vi:cmd("Pintle help")
  vi:wait("vim.api.nvim_buf_get_name(0) == 'pintle://help/permissions'")
  contains(vi:lua("return table.concat(_G.asked[1].labels, '\\n')"), "configuration: config.toml")
end)

test("help completes topics", function()
  local vi = child.start({ settings = {} })
  equal(vi:lua("return vim.fn.getcompletion('Pintle help pe', 'cmdline')"), { "permissions" })
  equal(vi:lua("return vim.fn.getcompletion('Pintle hel', 'cmdline')"), { "help" })
end)

test("help on an unknown topic names the nearest", function()
  local vi = child.start({ settings = {} })
  vi:cmd("Pintle help hoks")
  vi:wait_note("did you mean `hooks`?")
end)

test("help without an engine says so", function()
  local vi = child.start({ settings = { binary = "/nowhere/pintle" } })
  vi:cmd("Pintle help hooks")
  vi:wait_note("no such program: `/nowhere/pintle` (the setting `binary`)")
end)

test("the help is found with the tags that are shipped", function()
  local doc = vim.env.PINTLE_PLUGIN .. "/doc"
  local made = child.folder("doc")
  child.write(made .. "/pintle.txt", child.read(doc .. "/pintle.txt"))
  vim.cmd("silent helptags " .. vim.fn.fnameescape(made))
  equal(child.read(doc .. "/tags"), child.read(made .. "/tags"), "`:helptags editors/nvim/doc` makes them")
  local vi = child.start({ stock = true, without_setup = true })
  vi:keys(":help pintle<CR>")
  vi:wait_screen("INTRODUCTION")
  equal(vi:lua("return vim.fn.expand('%:p')"), vim.uv.fs_realpath(doc) .. "/pintle.txt")
  -- links to other pages of the help lead somewhere
  local missing = vi:lua([[
    local missing = {}
    for _, line in ipairs(vim.fn.getline(1, "$")) do
      for name in (" " .. line):gmatch("[%s%(]|([^|%s]+)|") do
        if not vim.tbl_contains(vim.fn.getcompletion(name, "help"), name) then table.insert(missing, name) end
      end
    end
    return missing
  ]])
  equal(missing, {})
end)

test("what fills the context is shown, and shown again without another window", function()
  local vi =
    child.start({ script = { replies = { { blocks = { { text = "Hi." } } }, { blocks = { { text = "Sum." } } } } } })
  vi:cmd("Pintle context")
  vi:wait_note("no session")
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  local windows = vi:lua("return #vim.api.nvim_list_wins()")
  for _ = 1, 2 do
    vi:cmd("Pintle context")
    vi:wait("vim.fn.getline(1) == '# Context' and vim.fn.line('$') > 6")
    equal(vi:lua("return #vim.api.nvim_list_wins()"), windows + 1)
    contains(vi:lua("return table.concat(vim.fn.getline(1, '$'), '\\n')"), "  system (1)")
  end
  vi:cmd("q | Pintle compact")
  vi:wait_note("summarizing the conversation")
  vi:wait_turn(2)
end)
