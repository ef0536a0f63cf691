-- Lists to pick from: `vim.ui.select` and the picker plugins. The plugins here are stand-ins with the functions that their documentation
-- names.

local child = require("child")
local reply = require("reply")

local text = reply.text

-- Each takes the first line with what `_G.choices` has next, and keeps in `_G.listed` what it was given.
local STANDINS = [[
  _G.listed = {}
  local function choose(name, title, lines)
    table.insert(_G.listed, { name = name, title = title, lines = lines })
    local choice = table.remove(_G.choices, 1)
    for index, line in ipairs(lines) do
      if choice and line:find(choice, 1, true) then
        return index
      end
    end
  end
  local function ui_select(name)
    return function(items, opts, done)
      local index = choose(name, opts.prompt, vim.tbl_map(opts.format_item, items))
      done(index and items[index], index)
    end
  end
  package.preload["mini.pick"] = function()
    return { ui_select = ui_select("mini.pick") }
  end
  package.preload["snacks"] = function()
    return { picker = { select = ui_select("snacks") } }
  end
  package.preload["fzf-lua"] = function()
    return {
      fzf_exec = function(lines, opts)
        local index = choose("fzf-lua", opts.prompt, lines)
        opts.actions.enter(index and { lines[index] } or {})
      end,
    }
  end
  package.preload["telescope"] = function()
    return {}
  end
  package.preload["telescope.config"] = function()
    return { values = { generic_sorter = function() end } }
  end
  package.preload["telescope.finders"] = function()
    return { new_table = function(opts) return opts end }
  end
  local selected, action
  package.preload["telescope.actions"] = function()
    return { close = function() end, select_default = { replace = function(_, run) action = run end } }
  end
  package.preload["telescope.actions.state"] = function()
    return { get_selected_entry = function() return selected end }
  end
  package.preload["telescope.pickers"] = function()
    return {
      new = function(_, opts)
        return {
          find = function()
            local entries = vim.tbl_map(opts.finder.entry_maker, opts.finder.results)
            local index = choose("telescope", opts.prompt_title, vim.tbl_map(function(entry)
              return entry.display
            end, entries))
            selected = entries[index or 0]
            opts.attach_mappings(0)
            action()
          end,
        }
      end,
    }
  end
]]

for _, name in ipairs({ "telescope", "fzf-lua", "mini.pick", "snacks" }) do
  test("lists are picked from in " .. name, function()
    local vi = child.start({
      before = STANDINS,
      script = { replies = { text("The zebra is striped."), text("Nothing of it.") } },
      settings = { picker = name },
    })
    vi:cmd("Pintle ask animals")
    vi:wait_turn()
    local first = vi:lua("return require('pintle').status().session")
    vi:cmd("Pintle new")
    vi:cmd("Pintle ask another thing")
    vi:wait_turn(2)
    -- The mode of work is set.
    vi:lua("_G.choices = { 'plan' }")
    vi:cmd("Pintle mode")
    vi:wait_note("plan from the next turn on")
    equal(vi:lua("return _G.listed[1].name"), name)
    -- A session is found by what was said in it.
    vi:lua("_G.choices = { 'Search in sessions' } vim.ui.input = function(_, done) done('zebra') end")
    vi:cmd("Pintle sessions")
    vi:wait("#_G.listed == 3", "the list of hits")
    contains(vi:lua("return _G.listed[3].lines[1]"), "[zebra]")
    equal(vi:lua("return require('pintle').status().session") ~= first, true)
    -- One that is picked is opened; nothing that is picked changes nothing.
    vi:lua("_G.choices = { 'animals' }")
    vi:cmd("Pintle sessions")
    vi:wait("require('pintle').status().session == given", "the first session", first)
    vi:cmd("Pintle model")
    vi:lua("_G.choices = {}")
    equal(vi:lua("return #_G.asked"), 0, "vim.ui.select is not asked")
  end)
end

test("a picker that is not installed is said once, and vim.ui.select takes its place", function()
  local vi = child.start({ script = { replies = { text("Hi.") } }, settings = { picker = "telescope" } })
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  for number, mode in ipairs({ "plan", "act" }) do
    vi:lua("_G.choices = { ... }", mode)
    vi:cmd("Pintle mode")
    vi:wait_note(mode .. " from the next turn on")
    equal(vi:lua("return #_G.asked"), number)
  end
  equal(vi:lua("return #vim.tbl_filter(function(note) return note:find('telescope: not installed') end, _G.notes)"), 1)
end)

test("a picker that nobody knows is refused", function()
  local vi = child.start({})
  vi:lua("require('pintle').setup({ picker = 'fuzzy' })")
  vi:wait_note(
    "ignored: setup(): the setting `picker` must be one of: auto, select, telescope, fzf-lua, mini.pick, snacks"
  )
  equal(vi:lua("return require('pintle.config').get().picker"), "auto")
end)
