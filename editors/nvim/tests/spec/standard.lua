-- What authors of plugins expect: file types, colours, settings without setup(), components of status lines, nothing deprecated.

local child = require("child")
local reply = require("reply")

local text = reply.text

local CODE = "Look:\n\n```lua\nlocal answer = 42\n```\n"

test(
  "transcript and prompt have file types of their own, with the colours of Markdown and of the code in it",
  function()
    local vi = child.start({ script = { replies = { text(CODE) } } })
    vi:cmd("Pintle open")
    vi:wait("require('pintle').status().session")
    equal(vi:lua("return vim.bo.filetype"), "pintle-prompt")
    vi:cmd("Pintle ask show me")
    vi:wait_turn()
    vi:cmd("wincmd k")
    equal(vi:lua("return vim.bo.filetype"), "pintle-chat")
    equal(vi:lua("return vim.treesitter.language.get_lang('pintle-chat')"), "markdown")
    local captures = vi:lua([[
    vim.cmd("redraw")
    vim.treesitter.get_parser(0):parse(true)
    local row = vim.fn.search("local answer", "n") - 1
    return vim.tbl_map(function(each) return each.lang .. " " .. each.capture end, vim.treesitter.get_captures_at_pos(0, row, 0))
  ]])
    assert(vim.list_contains(captures, "lua keyword"), vim.inspect(captures))
    equal(vi:lua("return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil"), true)
  end
)

test("colours are links that a person may change, and are there after another colour scheme", function()
  local vi = child.start({ before = "vim.api.nvim_set_hl(0, 'PintleAdded', { fg = '#112233' })" })
  vi:lua("require('pintle.overlay'); require('pintle.panel'); require('pintle.statusline')")
  local function link(name)
    return vi:lua("return vim.api.nvim_get_hl(0, { name = ... }).link or 'own'", name)
  end
  equal({ link("PintleAdded"), link("PintleDeleted"), link("PintlePanelTitle") }, { "own", "DiffDelete", "Title" })
  vi:cmd("colorscheme blue")
  equal(
    { link("PintleDeleted"), link("PintlePanelTitle"), link("PintleAttention") },
    { "DiffDelete", "Title", "WarningMsg" }
  )
end)

test("settings stand in vim.g.pintle, and setup() changes them", function()
  local vi = child.start({ without_setup = true, before = "vim.g.pintle = { layout = 'tab', stall_ms = 5 }" })
  equal(
    vi:lua([[local c = require("pintle.config").get() return { c.layout, c.stall_ms, c.width }]]),
    { "tab", 5, 0.4 }
  )
  vi:lua("require('pintle').setup({ layout = 'float' })")
  equal(vi:lua([[local c = require("pintle.config").get() return { c.layout, c.stall_ms }]]), { "float", 5 })
  local wrong = child.start({ without_setup = true, before = "vim.g.pintle = { colour = 'red', layout = 'tab' }" })
  equal(wrong:lua("return require('pintle.config').get().layout"), "tab")
  wrong:wait_note("ignored: vim.g.pintle: unknown setting `colour`")
  wrong:cmd("checkhealth pintle")
  contains(
    wrong:lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"),
    "unknown setting `colour`"
  )
end)

test("lualine and heirline have a component, which loads nothing by itself", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  -- what lualine promises to components: a class that is extended, and `update_status`
  vi:lua([[
    package.loaded["lualine.component"] = { extend = function() return {} end }
    package.loaded["pintle"] = nil
  ]])
  local function shown()
    return vi:lua("return require('lualine.components.pintle').update_status()")
  end
  equal(shown(), "")
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  contains(shown(), "pintle: idle")
  equal(vi:lua("return require('pintle.statusline').heirline().provider()"), shown())
  equal(vi:lua("return require('pintle.statusline').heirline().update[1]"), "User")
end)

-- A repository that holds the plugin where this one has it.
---A repository with the plugin.
---@param place string Where it is in the repository.
local function repository(place)
  local root = child.folder(place == "" and "pintle.nvim" or "pintle")
  vim.fn.mkdir(vim.fs.dirname(root .. place), "p")
  assert(vim.system({ "cp", "-rT", vim.env.PINTLE_PLUGIN, root .. place }):wait().code == 0)
  local as = { "-c", "user.name=t", "-c", "user.email=t@example.org" }
  for _, command in ipairs({ { "init", "-q" }, { "add", "." }, { "commit", "-q", "-m", "all" } }) do
    local git = vim.list_extend(vim.list_extend({ "git", "-C", root }, as), command)
    local result = vim.system(git):wait()
    assert(result.code == 0, result.stderr)
  end
  return root
end

local function block(beginning)
  local readme = child.read(vim.env.PINTLE_PLUGIN .. "/README.md")
  for code in readme:gmatch("```lua\n(.-)```") do
    if vim.startswith(code, beginning) then
      return code
    end
  end
  error("no such block in the README: " .. beginning)
end

-- An editor without the plugin, as it is before it is installed.
local WITHOUT = [[
  vim.opt.runtimepath:remove(...)
  vim.g.loaded_pintle = nil
  vim.api.nvim_del_user_command("Pintle")
]]

test("the lines of the README for vim.pack install it", function()
  local vi = child.start({ without_setup = true })
  if vi:lua("return vim.fn.has('nvim-0.12')") == 0 then
    return say("     not in this version")
  end
  local code = block("vim.pack.add"):gsub("URL", vim.inspect("file://" .. repository("/editors/nvim")))
  vi:lua(WITHOUT, vim.env.PINTLE_PLUGIN)
  vi:lua(
    "local add = vim.pack.add; vim.pack.add = function(specs, o) o.confirm = false; return add(specs, o) end " .. code
  )
  equal(vi:lua("return vim.fn.exists(':Pintle')"), 2)
  vi:cmd("Pintle log")
  contains(vi:lua("return vim.api.nvim_get_runtime_file('lua/pintle/init.lua', false)[1]"), "/pack/core/")
end)

test("the mirror line for vim.pack in the README installs it", function()
  local vi = child.start({ without_setup = true })
  if vi:lua("return vim.fn.has('nvim-0.12')") == 0 then
    return say("     not in this version")
  end
  local line = assert(block("{ url = MIRROR"):match("vim%.pack%.add%(.-%)"), "the line")
  vi:lua(WITHOUT, vim.env.PINTLE_PLUGIN)
  vi:lua("vim.opt.packpath:prepend(vim.fn.stdpath('data') .. '/site')") -- which `--clean` leaves out
  local code =
    line:gsub("MIRROR", vim.inspect("file://" .. repository(""))):gsub("%)$", ", { confirm = false, load = true })")
  vi:lua(code)
  equal(vi:lua("return vim.fn.exists(':Pintle')"), 2)
  vi:cmd("Pintle log")
  contains(vi:lua("return vim.api.nvim_get_runtime_file('lua/pintle/init.lua', false)[1]"), "/pack/core/")
end)

test("the mirror line for lazy.nvim in the README loads it", function()
  local vi = child.start({ without_setup = true })
  vi:lua(WITHOUT, vim.env.PINTLE_PLUGIN)
  local line = assert(block("{ url = MIRROR"):match("^({[^\n]-})%s+%-%-"), "the line")
  -- what lazy.nvim does with a plugin that it has fetched, and its `opts`
  vi:lua(
    [[
    local MIRROR, dir, line = "u", ...
    local spec = loadstring("local MIRROR = ... return " .. line)(MIRROR)
    vim.opt.runtimepath:append(dir)
    vim.cmd.source(dir .. "/plugin/pintle.lua")
    require("pintle").setup(spec.opts)
  ]],
    repository(""),
    line
  )
  equal(vi:lua("return vim.fn.exists(':Pintle')"), 2)
  vi:cmd("Pintle log")
end)

test("the lines of the README for lazy.nvim load it", function()
  local vi = child.start({ without_setup = true })
  vi:lua(WITHOUT, vim.env.PINTLE_PLUGIN)
  -- what lazy.nvim does with a plugin that it has fetched
  vi:lua(
    "local URL, dir = 'u', ...; local spec = " .. block("{\n  url") .. " spec.config({ dir = dir })",
    repository("/editors/nvim")
  )
  equal(vi:lua("return vim.fn.exists(':Pintle')"), 2)
  vi:cmd("Pintle log")
end)
