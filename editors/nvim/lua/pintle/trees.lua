-- The entries of file managers: which file or directory a line of their windows stands for.

local M = {}

---A module of another plugin, which need not be installed.
---@param name string
---@return any
local function module(name)
  return require(name)
end

---The entry of netrw at the cursor, in each of its list styles.
---@return string? path
local function netrw()
  if vim.fn.line(".") < (vim.w.netrw_bannercnt or 1) then
    return nil
  end
  local word = vim.fn["netrw#Call"]("NetrwGetWord")
  if word == "" or word == "./" or word == "../" then
    return nil
  end
  if vim.w.netrw_liststyle ~= 3 then
    return vim.fs.joinpath(vim.b.netrw_curdir, word)
  end
  -- In a tree, a directory's own line has its path already.
  local directory = vim.fn["netrw#Call"]("NetrwTreePath", vim.w.netrw_treetop)
  return vim.endswith(word, "/") and directory or vim.fs.joinpath(directory, word)
end

-- The path of the entry at the cursor, by the file type of the window's buffer.
---@type table<string, fun(): string?>
local managers = {
  netrw = netrw,
  oil = function()
    local oil = module("oil")
    local entry, directory = oil.get_cursor_entry(), oil.get_current_dir()
    return entry and directory and vim.fs.joinpath(directory, entry.name)
  end,
  NvimTree = function()
    local node = module("nvim-tree.api").tree.get_node_under_cursor()
    return node and node.absolute_path
  end,
  ["neo-tree"] = function()
    local state = module("neo-tree.sources.manager").get_state_for_window()
    local node = state and state.tree and state.tree:get_node()
    return node and node.path
  end,
  minifiles = function()
    local entry = module("mini.files").get_fs_entry()
    return entry and entry.path
  end,
  snacks_picker_list = function()
    for _, picker in ipairs(module("snacks").picker.get()) do
      if picker.list.win.win == vim.api.nvim_get_current_win() then
        local item = picker.list:get(picker.list:row2idx(vim.fn.line(".")))
        return item and module("snacks").picker.util.path(item)
      end
    end
  end,
}

---The entries at the cursor, or on the lines of a range, of the file manager in the current window.
---@param range? { first: integer, last: integer }
---@return string[]? paths nil if the window has no file manager
function M.entries(range)
  local manager = managers[vim.bo.filetype]
  if not manager then
    return nil
  end
  local found, view = {}, vim.fn.winsaveview()
  for line = range and range.first or view.lnum, range and range.last or view.lnum do
    -- A line may stand for several entries, side by side.
    vim.api.nvim_win_set_cursor(0, { line, line == view.lnum and view.col or 0 })
    -- What a file manager of another version lacks is as good as no entry.
    local is_known, path = pcall(manager)
    if is_known and path and path ~= "" then
      local plain = vim.fs.normalize(path)
      if not vim.list_contains(found, plain) then
        found[#found + 1] = plain
      end
    end
  end
  vim.fn.winrestview(view)
  return found
end

return M
