-- Lists to pick from: `vim.ui.select`, or the picker plugin that the setting `picker` names.

local log = require("pintle.log")

local M = {}

---@class (exact) pintle.PickOptions
---@field prompt string
---@field kind? string What is picked, for those who have an own `vim.ui.select`.
---@field format_item fun(item: any): string

---@alias pintle.Pick fun(items: any[], options: pintle.PickOptions, done: fun(item: any, index: integer))

---A module of a plugin, which may not be there.
---@param name string
---@return any
local function plugin(name)
  return require(name)
end

---The lines of a list.
---@param items any[]
---@param options pintle.PickOptions
---@return string[]
local function lines_of(items, options)
  return vim.tbl_map(function(item)
    return (options.format_item(item):gsub("%s*[\r\n]+%s*", " … "))
  end, items)
end

---@param items any[]
---@param options pintle.PickOptions
---@param done fun(item: any, index: integer)
local function telescope(items, options, done)
  local actions, state = plugin("telescope.actions"), plugin("telescope.actions.state")
  local sorters = plugin("telescope.config").values
  local lines = lines_of(items, options)
  local finder = plugin("telescope.finders").new_table({
    results = vim.fn.range(1, #items),
    entry_maker = function(index)
      return { value = index, display = lines[index], ordinal = lines[index] }
    end,
  })
  plugin("telescope.pickers")
    .new({}, {
      prompt_title = options.prompt,
      finder = finder,
      sorter = sorters.generic_sorter({}),
      attach_mappings = function(buf)
        actions.select_default:replace(function()
          local entry = state.get_selected_entry()
          actions.close(buf)
          if entry then
            done(items[entry.value], entry.value)
          end
        end)
        return true
      end,
    })
    :find()
end

---@param items any[]
---@param options pintle.PickOptions
---@param done fun(item: any, index: integer)
local function fzf_lua(items, options, done)
  local lines = {}
  for index, line in ipairs(lines_of(items, options)) do
    lines[index] = ("%d\t%s"):format(index, line)
  end
  plugin("fzf-lua").fzf_exec(lines, {
    prompt = options.prompt .. " ",
    -- The number before the tab is not shown.
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--no-multi"] = true },
    actions = {
      ["enter"] = function(selected)
        local index = vim.fn.str2nr(selected[1] or "")
        if index > 0 then
          done(items[index], index)
        end
      end,
    },
  })
end

---@class (exact) pintle.Picker
---@field module string What `require` finds where the plugin is installed.
---@field pick pintle.Pick

---@type table<string, pintle.Picker>
local PICKERS = {
  telescope = { module = "telescope", pick = telescope },
  ["fzf-lua"] = { module = "fzf-lua", pick = fzf_lua },
  ["mini.pick"] = {
    module = "mini.pick",
    pick = function(items, options, done)
      -- It waits for the person, and runs `done` in the window that was there before.
      plugin("mini.pick").ui_select(items, options, vim.schedule_wrap(done))
    end,
  },
  snacks = {
    module = "snacks",
    pick = function(items, options, done)
      plugin("snacks").picker.select(items, options, done)
    end,
  },
}

---The values of the setting `picker`. Both `auto` and `select` are `vim.ui.select`, which people and plugins replace.
M.NAMES = { "auto", "select", "telescope", "fzf-lua", "mini.pick", "snacks" }

---The plugin that the setting names, and the reason why it cannot be used.
---@param name string
---@return pintle.Picker? picker
---@return string? problem
function M.find(name)
  local picker = PICKERS[name]
  if not picker then
    return nil, nil
  end
  local ok, why = pcall(require, picker.module)
  if ok then
    return picker, nil
  end
  local is_missing = tostring(why):find(("module '%s' not found"):format(picker.module), 1, true)
  local reason = is_missing and "not installed" or vim.split(tostring(why), "\n")[1]
  return nil, ("the setting `picker` is %s: %s; lists use vim.ui.select"):format(name, reason)
end

---@type table<string, true> problems that were said
local said = {}

---Has a person pick one of a list. `done` is not called where nothing was picked.
---@param items any[]
---@param options { prompt: string, kind?: string, format_item?: fun(item: any): string }
---@param done fun(item: any, index: integer)
function M.select(items, options, done)
  local function picked(item, index)
    if item ~= nil then
      done(item, index)
    end
  end
  ---@type pintle.PickOptions
  local full = { prompt = options.prompt, kind = options.kind, format_item = options.format_item or tostring }
  local picker, problem = M.find(require("pintle.config").get().picker)
  if problem and not said[problem] then
    said[problem] = true
    log.warn(problem)
  end
  local pick = picker and picker.pick or vim.ui.select
  pick(items, full, picked)
end

return M
