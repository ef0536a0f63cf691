-- Lists to pick from: `vim.ui.select`, or the picker plugin that the setting `picker` names.

local log = require("pintle.log")

local M = {}

---@class (exact) pintle.PickOptions
---@field prompt string
---@field kind? string What is picked, for those who have an own `vim.ui.select`.
---@field format_item fun(item: any): string
---@field preview? fun(item: any, show: fun(lines: string[])) Calls `show` with Markdown, now or later, in pickers that preview.
---@field action? pintle.PickAction In pickers that have keys.

---A key that does something other than picking an item. The list closes first.
---@class (exact) pintle.PickAction
---@field lhs string such as `<C-x>`
---@field desc string
---@field act fun(item: any)

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

---Shows an item's preview in a buffer of a picker, which may be gone when the preview arrives.
---@param buf integer
---@param item any
---@param options pintle.PickOptions
local function preview_in(buf, item, options)
  local preview = assert(options.preview, "only lists with previews call this")
  preview(item, function(lines)
    if vim.api.nvim_buf_is_valid(buf) then
      vim.bo[buf].modifiable = true
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
      if not pcall(vim.treesitter.start, buf, "markdown") then
        vim.bo[buf].syntax = "markdown"
      end
      -- A picker that waits for a key draws nothing by itself.
      vim.cmd.redraw()
    end
  end)
end

---Runs a list's action after the list has closed, in Normal mode.
---@param options pintle.PickOptions
---@param item any
local function act_on(options, item)
  vim.schedule(function()
    vim.cmd.stopinsert()
    if item ~= nil and options.action then
      options.action.act(item)
    end
  end)
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
      previewer = options.preview and plugin("telescope.previewers").new_buffer_previewer({
        title = "Preview",
        define_preview = function(self, entry)
          preview_in(self.state.bufnr, items[entry.value], options)
        end,
      }),
      attach_mappings = function(buf, map)
        if options.action then
          map({ "i", "n" }, options.action.lhs, function()
            local entry = state.get_selected_entry()
            actions.close(buf)
            act_on(options, entry and items[entry.value])
          end, { desc = options.action.desc })
        end
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
  local actions = {
    ["enter"] = function(selected)
      local index = vim.fn.str2nr(selected[1] or "")
      if index > 0 then
        done(items[index], index)
      end
    end,
  }
  if options.action then
    actions[options.action.lhs:lower():gsub("^<c%-(.)>$", "ctrl-%1")] = function(selected)
      act_on(options, items[vim.fn.str2nr(selected[1] or "")])
    end
  end
  plugin("fzf-lua").fzf_exec(lines, {
    prompt = options.prompt .. " ",
    -- The number before the tab is not shown.
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--no-multi"] = true },
    actions = actions,
    previewer = options.preview and {
      _ctor = function()
        local Previewer = plugin("fzf-lua.previewer.builtin").base:extend()
        function Previewer:populate_preview_buf(line)
          local buf = self:get_tmp_buffer()
          preview_in(buf, items[vim.fn.str2nr(line)], options)
          self:set_preview_buf(buf)
        end
        return Previewer
      end,
    },
  })
end

---@param items any[]
---@param options pintle.PickOptions
---@param done fun(item: any, index: integer)
local function mini_pick(items, options, done)
  local pick = plugin("mini.pick")
  -- It runs `done` in the window that was there before.
  if not options.preview and not options.action then
    return pick.ui_select(items, options, vim.schedule_wrap(done))
  end
  local source_items = {}
  for index, line in ipairs(lines_of(items, options)) do
    source_items[index] = { text = line, index = index }
  end
  local mappings = options.action
    and {
      -- Nothing is marked in this list.
      mark = "",
      pintle_action = {
        char = options.action.lhs,
        func = function()
          local match = pick.get_picker_matches().current
          act_on(options, match and items[match.index])
          return true
        end,
      },
    }
  pick.start({
    mappings = mappings,
    source = {
      items = source_items,
      name = options.prompt,
      preview = options.preview and function(buf, item)
        preview_in(buf, items[item.index], options)
      end,
      choose = function(item)
        vim.schedule(function()
          done(items[item.index], item.index)
        end)
      end,
    },
  })
end

---@param items any[]
---@param options pintle.PickOptions
---@param done fun(item: any, index: integer)
local function snacks(items, options, done)
  local picker = plugin("snacks").picker
  if not options.preview and not options.action then
    return picker.select(items, options, done)
  end
  local lines = lines_of(items, options)
  local listed = {}
  for index, line in ipairs(lines) do
    listed[index] = { text = line, index = index }
  end
  local keys = options.action
    and { [options.action.lhs] = { "pintle_action", mode = { "n", "i" }, desc = options.action.desc } }
  picker.pick({
    title = options.prompt,
    items = listed,
    format = "text",
    preview = options.preview and function(ctx)
      preview_in(ctx.preview:scratch(), items[ctx.item.index], options)
    end or "none",
    confirm = function(self, item)
      self:close()
      if item then
        vim.schedule(function()
          done(items[item.index], item.index)
        end)
      end
    end,
    actions = {
      pintle_action = function(self, item)
        self:close()
        act_on(options, item and items[item.index])
      end,
    },
    win = { input = { keys = keys }, list = { keys = keys } },
  })
end

---@class (exact) pintle.Picker
---@field module string What `require` finds where the plugin is installed.
---@field pick pintle.Pick

---@type table<string, pintle.Picker>
local PICKERS = {
  telescope = { module = "telescope", pick = telescope },
  ["fzf-lua"] = { module = "fzf-lua", pick = fzf_lua },
  -- It waits for the user, and meanwhile the engine's messages must be read, of which one may have led here.
  ["mini.pick"] = { module = "mini.pick", pick = vim.schedule_wrap(mini_pick) },
  snacks = { module = "snacks", pick = snacks },
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

---@class (exact) pintle.SelectOptions
---@field prompt string
---@field kind? string
---@field format_item? fun(item: any): string
---@field preview? fun(item: any, show: fun(lines: string[]))
---@field action? pintle.PickAction

---Has a person pick one of a list. `done` is not called where nothing was picked.
---@param items any[]
---@param options pintle.SelectOptions
---@param done fun(item: any, index: integer)
function M.select(items, options, done)
  local function picked(item, index)
    if item ~= nil then
      done(item, index)
    end
  end
  ---@type pintle.PickOptions
  local full = {
    prompt = options.prompt,
    kind = options.kind,
    format_item = options.format_item or tostring,
    preview = options.preview,
    action = options.action,
  }
  local picker, problem = M.find(require("pintle.config").get().picker)
  if problem and not said[problem] then
    said[problem] = true
    log.warn(problem)
  end
  local pick = picker and picker.pick or vim.ui.select
  pick(items, full, picked)
end

return M
