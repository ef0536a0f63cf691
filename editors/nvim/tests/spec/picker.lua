-- Lists to pick from: `vim.ui.select` and the picker plugins. The plugins here are stand-ins with the functions that their documentation
-- names.

local child = require("child")
local reply = require("reply")

local text = reply.text

-- Each takes the first line with what `_G.choices` has next, and keeps in `_G.listed` what it was given. A choice that begins with `x `
-- has the line previewed, until `_G.previews` has it, and then uses the key of the list. mini.pick blocks meanwhile, and the others
-- do not.
local STANDINS = [[
  _G.listed, _G.previews = {}, {}
  local function choose(name, title, lines)
    table.insert(_G.listed, { name = name, title = title, lines = lines })
    local choice = table.remove(_G.choices, 1)
    local is_key = choice and choice:find("^x ") ~= nil
    choice = choice and choice:gsub("^x ", "")
    for index, line in ipairs(lines) do
      if choice and line:find(choice, 1, true) then
        return index, is_key
      end
    end
  end
  local function preview(fill)
    local buf = vim.api.nvim_create_buf(false, true)
    fill(buf)
    vim.wait(10000, function()
      return vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= ""
    end, 5)
    table.insert(_G.previews, table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "|"))
  end
  local function ui_select(name)
    return function(items, opts, done)
      local index = choose(name, opts.prompt, vim.tbl_map(opts.format_item, items))
      done(index and items[index], index)
    end
  end
  local function texts(items)
    return vim.tbl_map(function(item) return item.text end, items)
  end
  package.preload["mini.pick"] = function()
    local match
    return {
      ui_select = ui_select("mini.pick"),
      get_picker_matches = function() return { current = match } end,
      start = function(opts)
        local items = opts.source.items
        local index, is_key = choose("mini.pick", opts.source.name, texts(items))
        match = items[index or 0]
        if is_key then
          preview(function(buf) opts.source.preview(buf, match) end)
          assert(opts.mappings.mark == "" and opts.mappings.pintle_action.char == "<C-x>")
          opts.mappings.pintle_action.func()
        elseif match then
          opts.source.choose(match)
        end
      end,
    }
  end
  package.preload["snacks"] = function()
    return {
      picker = {
        select = ui_select("snacks"),
        pick = function(opts)
          local index, is_key = choose("snacks", opts.title, texts(opts.items))
          local item, self = opts.items[index or 0], { close = function() end }
          if not is_key then
            return opts.confirm(self, item)
          end
          vim.schedule(function()
            preview(function(buf)
              opts.preview({ item = item, preview = { scratch = function() return buf end } })
            end)
            opts.actions[opts.win.input.keys["<C-x>"][1] ](self, item)
          end)
        end,
      },
    }
  end
  package.preload["fzf-lua"] = function()
    return {
      fzf_exec = function(lines, opts)
        local index, is_key = choose("fzf-lua", opts.prompt, lines)
        if not is_key then
          return opts.actions.enter(index and { lines[index] } or {})
        end
        vim.schedule(function()
          preview(function(buf)
            local previewer = opts.previewer._ctor()
            previewer.get_tmp_buffer, previewer.set_preview_buf = function() return buf end, function() end
            previewer:populate_preview_buf(lines[index])
          end)
          opts.actions["ctrl-x"]({ lines[index] })
        end)
      end,
    }
  end
  package.preload["fzf-lua.previewer.builtin"] = function()
    return { base = { extend = function() return {} end } }
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
  package.preload["telescope.previewers"] = function()
    return { new_buffer_previewer = function(opts) return opts end }
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
            local index, is_key = choose("telescope", opts.prompt_title, vim.tbl_map(function(entry)
              return entry.display
            end, entries))
            selected = entries[index or 0]
            local keys = {}
            opts.attach_mappings(0, function(_, lhs, run) keys[lhs] = run end)
            if not is_key then
              return action()
            end
            vim.schedule(function()
              preview(function(buf)
                opts.previewer.define_preview({ state = { bufnr = buf } }, selected)
              end)
              keys["<C-x>"]()
            end)
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
    local count = vi:lua("_G.choices = {} return #_G.listed")
    vi:cmd("Pintle model")
    vi:wait("#_G.listed > given", "the list of models", count)
    equal(vi:lua("return #_G.asked"), 0, "vim.ui.select is not asked")
    -- One is deleted by a key, after a question, and the list is shown again; so is one that is kept.
    vi:lua("_G.listed, _G.choices = {}, { 'x another thing', 'Delete it', 'x animals', 'Keep it' }")
    vi:cmd("Pintle sessions")
    vi:wait("#_G.listed == 3", "the list after the second question")
    local previews =
      { "## You||another thing||## pintle||Nothing of it.", "## You||animals||## pintle||The zebra is striped." }
    equal(vi:lua("return _G.previews"), previews)
    local lengths = vi:lua("return vim.tbl_map(function(list) return #list.lines end, _G.listed)")
    equal(lengths, { 4, 3, 3 })
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
