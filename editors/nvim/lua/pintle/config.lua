-- What the user set. The defaults work without `setup()`; what is given is checked once, here.

local M = {}

---@class (exact) pintle.Config
---@field binary? string The engine: a path, or a name to look for in PATH.
---@field shared boolean Whether the engine is shared with other clients, by `pintle attach`.
---@field args string[] More arguments for `pintle serve` or `pintle attach`.
---@field env table<string, string> More environment variables for the engine.
---@field model? string The model of new sessions, as `provider/id` or `provider/id:effort`; unset: as the engine is set.
---@field permission_mode? pintle.PermissionMode What needs no question in new sessions; unset: as the engine is set.
---@field root fun(): string The workspace of the current buffer: the folder that an engine is started in.
---@field redraw_ms integer The shortest time between two redraws of a transcript, in milliseconds.
---@field handshake_ms integer How long an engine may take to answer the first request, in milliseconds.
---@field exit_ms integer How long the editor waits for an engine when it exits, in milliseconds.
---@field restart_ms integer[] The pauses before an engine that crashed is started again, in milliseconds.
---@field stall_ms integer After how long without data one is told of it, in milliseconds; 0 for never.
---@field layout pintle.Layout Where the windows open: beside the code, over it, or in a tab of their own.
---@field width number The part of the columns that the windows beside the code have, or from 1 on their columns.
---@field prompt_height integer Lines of the prompt window, at most a third of what both windows have.
---@field complete boolean Whether candidates are shown while one types `@` or `/` in a prompt.
---@field review_keys boolean Whether buffers with open hunks have the keys `]h`, `[h` and `ih`, where these are free.
---@field picker string What lists are picked from: one of `require("pintle.picker").NAMES`.
---@field open_quickfix boolean Whether the quickfix window opens, without focus, when a turn has changed files.

---@type pintle.Config
M.defaults = {
  binary = nil,
  shared = false,
  args = {},
  env = {},
  model = nil,
  permission_mode = nil,
  root = function()
    return require("pintle.root").of()
  end,
  redraw_ms = 33,
  handshake_ms = 10000,
  exit_ms = 1500,
  restart_ms = { 100, 500, 2000, 5000, 10000 },
  stall_ms = 40000,
  layout = "side",
  width = 0.4,
  prompt_height = 8,
  complete = true,
  review_keys = true,
  picker = "auto",
  open_quickfix = false,
}

---@type table<string, string|fun(value: any): boolean, string?>
local checks = {
  binary = "string",
  shared = "boolean",
  args = "list of strings",
  env = "table",
  model = "string",
  permission_mode = "string",
  root = "function",
  redraw_ms = "number",
  handshake_ms = "number",
  exit_ms = "number",
  restart_ms = "list of numbers",
  stall_ms = "number",
  layout = "string",
  width = "number",
  prompt_height = "number",
  complete = "boolean",
  review_keys = "boolean",
  picker = "string",
  open_quickfix = "boolean",
}

---@type pintle.Config?
local current

---The settings: the defaults, over them `vim.g.pintle`, and over that what `setup()` was given.
---@return pintle.Config
function M.get()
  if not current then
    local ok, why = pcall(M.set)
    if not ok then
      current = vim.deepcopy(M.defaults)
      require("pintle.log").error(("vim.g.pintle is ignored: %s"):format(why))
    end
  end
  ---@cast current pintle.Config
  return current
end

---Checks what was given and makes it hold. Raises an error that names the first wrong setting.
---@param given? table
function M.set(given)
  for _, each in ipairs({ given or {}, vim.g.pintle or {} }) do
    assert(type(each) == "table", "pintle: the settings must be a table")
  end
  given = vim.tbl_extend("force", vim.g.pintle or {}, given or {})
  for name, value in pairs(given) do
    local want = checks[name]
    if not want then
      error(("pintle: unknown setting `%s`; see :help pintle-settings"):format(name), 0)
    end
    M.check(name, value, want)
  end
  local modes = { "read-only", "ask", "auto-edit", "full" }
  if given.permission_mode and not vim.tbl_contains(modes, given.permission_mode) then
    error("pintle: the setting `permission_mode` must be `read-only`, `ask`, `auto-edit` or `full`", 0)
  end
  if given.layout and not vim.tbl_contains({ "side", "float", "tab" }, given.layout) then
    error("pintle: the setting `layout` must be `side`, `float` or `tab`", 0)
  end
  local pickers = require("pintle.picker").NAMES
  if given.picker and not vim.tbl_contains(pickers, given.picker) then
    error(("pintle: the setting `picker` must be one of: %s"):format(table.concat(pickers, ", ")), 0)
  end
  if given.width and given.width <= 0 then
    error("pintle: the setting `width` must be a fraction of the columns, such as 0.4, or a number of columns", 0)
  end
  current = vim.tbl_extend("force", vim.deepcopy(M.defaults), given)
end

---@param name string
---@param value any
---@param want string
function M.check(name, value, want)
  local element = want:match("^list of (%a+)s$")
  local fits = type(value) == want
  if element then
    fits = vim.islist(value)
    for _, each in ipairs(fits and value or {}) do
      fits = fits and type(each) == element
    end
  end
  if not fits then
    error(("pintle: the setting `%s` must be a %s, not %s"):format(name, want, vim.inspect(value)), 0)
  end
end

return M
