-- Actions for the mappings of picker plugins: they put the chosen entries of any list of files into the prompt.

local M = {}

---A module of another plugin.
---@param name string
---@return any
local function plugin(name)
  return require(name)
end

---@class (exact) pintle.PickedFile
---@field path string Absolute, or relative to `cwd`.
---@field line? integer
---@field cwd? string Default: the current directory.

---Adds files once the picker is closed.
---@param files pintle.PickedFile[]
local function add(files)
  vim.schedule(function()
    require("pintle.add").files(files)
  end)
end

---For telescope.nvim: a mapping's function.
---@param buf integer of its prompt
function M.telescope(buf)
  local state = plugin("telescope.actions.state")
  local picker = state.get_current_picker(buf)
  local entries = picker:get_multi_selection()
  if #entries == 0 then
    entries = { state.get_selected_entry() }
  end
  plugin("telescope.actions").close(buf)
  add(vim.tbl_map(function(entry)
    return { path = entry.path or entry.filename or entry[1], line = entry.lnum, cwd = entry.cwd }
  end, entries))
end

---For fzf-lua: an action of `files`, `grep` and others.
---@param selected string[]
---@param opts table
function M.fzf_lua(selected, opts)
  add(vim.tbl_map(function(entry)
    local file = plugin("fzf-lua.path").entry_to_file(entry, opts)
    return { path = file.path, line = file.line, cwd = opts.cwd }
  end, selected))
end

---For snacks.nvim: an action of pickers.
---@param picker table
function M.snacks(picker)
  local items = picker:selected({ fallback = true })
  picker:close()
  add(vim.tbl_map(function(item)
    return { path = plugin("snacks").picker.util.path(item) or "", line = item.pos and item.pos[1] }
  end, items))
end

---For mini.pick: the function of a custom mapping.
---@return boolean is_over
function M.mini_pick()
  local pick = plugin("mini.pick")
  local matches = pick.get_picker_matches() or {}
  local items = #(matches.marked or {}) > 0 and matches.marked or { matches.current }
  local cwd = pick.get_picker_opts().source.cwd
  add(vim.tbl_map(function(item)
    -- A grep's item is a path, a line and a column, with a zero byte between them.
    local text = type(item) == "table" and (item.path or item.text) or item
    local path, line = text:match("^([^%z]+)%z(%d+)")
    return { path = path or text, line = tonumber(line) or type(item) == "table" and item.lnum or nil, cwd = cwd }
  end, items))
  return true
end

return M
