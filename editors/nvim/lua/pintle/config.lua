-- What the user set. The defaults work without `setup()`; what is given is checked here, setting by setting.

local M = {}

---@class (exact) pintle.Config
---@field binary? string The engine: a path, or a name to look for in PATH.
---@field shared boolean Whether the engine is shared with other clients, by `pintle attach`.
---@field args string[] More arguments for `pintle serve` or `pintle attach`.
---@field env table<string, string> More environment variables for the engine.
---@field model? string The model of new sessions, as `provider/id` or `provider/id:effort`; unset: as the engine is set.
---@field models string[] The models that `:Pintle model next` goes through.
---@field permission_mode? pintle.PermissionMode What needs no question in new sessions; unset: as the engine is set.
---@field root fun(): string The workspace of the current buffer: the folder that an engine is started in.
---@field redraw_ms integer The shortest time between two redraws of a transcript, in milliseconds.
---@field handshake_ms integer How long an engine may take to answer the first request, in milliseconds.
---@field exit_ms integer How long the editor waits for an engine when it exits, in milliseconds.
---@field restart_ms integer[] The pauses before an engine that crashed is started again, in milliseconds.
---@field stall_ms integer After how long without data one is told of it, in milliseconds; 0 for never.
---@field layout pintle.Layout Where the windows open: beside the code, over it, or in a tab of their own.
---@field position pintle.Edge Where the windows beside the code stand.
---@field width number The part of the columns that the windows beside the code have, or from 1 on their columns.
---@field prompt_height integer Lines of the prompt window, at most a third of what both windows have.
---@field conceal boolean Whether transcripts hide the signs of Markdown, such as `**`.
---@field complete boolean Whether candidates are shown while one types `@` or `/` in a prompt.
---@field review_keys boolean Whether there are the keys `]h`, `[h` and `ih` while hunks are open, where these are free.
---@field picker string What lists are picked from: one of `require("pintle.picker").NAMES`.
---@field open_quickfix boolean Whether the quickfix window opens, without focus, when a turn has changed files.

---@type pintle.Config
M.defaults = {
  binary = nil,
  shared = false,
  args = {},
  env = {},
  model = nil,
  models = {},
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
  position = "right",
  width = 0.4,
  prompt_height = 8,
  conceal = true,
  complete = true,
  review_keys = true,
  picker = "auto",
  open_quickfix = false,
}

---What a value must be: a description, and whether a value fits it.
---@class (exact) pintle.Rule
---@field wants string
---@field fits fun(value: any): boolean

---@param name "string"|"boolean"|"number"|"table"|"function"
---@return pintle.Rule
local function type_of(name)
  return {
    wants = "a " .. name,
    fits = function(value)
      return type(value) == name
    end,
  }
end

---@param element "string"|"number"
---@return pintle.Rule
local function list_of(element)
  return {
    wants = ("a list of %ss"):format(element),
    fits = function(value)
      return vim.islist(value) and vim.iter(value):all(function(each)
        return type(each) == element
      end)
    end,
  }
end

---@param least integer
---@return pintle.Rule
local function at_least(least)
  return {
    wants = ("a number of %d or more"):format(least),
    fits = function(value)
      return type(value) == "number" and value >= least
    end,
  }
end

---@param values string[]
---@return pintle.Rule
local function one_of(values)
  return {
    wants = "one of: " .. table.concat(values, ", "),
    fits = function(value)
      return vim.tbl_contains(values, value)
    end,
  }
end

---@type table<string, pintle.Rule>
local rules = {
  binary = type_of("string"),
  shared = type_of("boolean"),
  args = list_of("string"),
  env = {
    wants = "a table of strings by name",
    fits = function(value)
      return type(value) == "table"
        and vim.iter(pairs(value)):all(function(name, text)
          return type(name) == "string" and type(text) == "string"
        end)
    end,
  },
  model = type_of("string"),
  models = list_of("string"),
  permission_mode = one_of({ "read-only", "ask", "auto-edit", "full" }),
  root = type_of("function"),
  redraw_ms = at_least(0),
  handshake_ms = at_least(1),
  exit_ms = at_least(0),
  restart_ms = list_of("number"),
  stall_ms = at_least(0),
  layout = one_of({ "side", "float", "tab" }),
  position = one_of({ "right", "left", "bottom", "top" }),
  width = {
    wants = "a fraction of the columns, such as 0.4, or a number of columns",
    fits = function(value)
      return type(value) == "number" and value > 0
    end,
  },
  prompt_height = at_least(1),
  conceal = type_of("boolean"),
  complete = type_of("boolean"),
  review_keys = type_of("boolean"),
  picker = one_of(require("pintle.picker").NAMES),
  open_quickfix = type_of("boolean"),
}

---@type pintle.Config?
local current

---What is wrong with the settings that were given, a line each. The defaults stand in for these settings.
---@type string[]
M.problems = {}

---The settings: the defaults, over them `vim.g.pintle`, and over that what `setup()` was given.
---@return pintle.Config
function M.get()
  if not current then
    M.set()
  end
  ---@cast current pintle.Config
  return current
end

---What is wrong with a setting. Pure.
---@param name any
---@param value any
---@return string? problem
function M.problem(name, value)
  local rule = rules[name]
  if not rule then
    local known = vim.tbl_keys(rules)
    table.sort(known, function(a, b)
      local near, far = M.distance(tostring(name), a), M.distance(tostring(name), b)
      return near < far or near == far and a < b
    end)
    return ("unknown setting `%s`; did you mean `%s`? See :help pintle-settings"):format(tostring(name), known[1])
  elseif not rule.fits(value) then
    return ("the setting `%s` must be %s, not %s"):format(name, rule.wants, vim.inspect(value))
  end
end

---How many letters differ between two words. Pure.
---@param a string
---@param b string
---@return integer
function M.distance(a, b)
  ---@type table<integer, integer>
  local row = {}
  for at = 0, #b do
    row[at] = at
  end
  for i = 1, #a do
    local before = row[0]
    row[0] = i
    for at = 1, #b do
      local cost = a:byte(i) == b:byte(at) and 0 or 1
      before, row[at] = row[at], math.min(row[at] + 1, row[at - 1] + 1, before + cost)
    end
  end
  return row[#b]
end

---Makes settings hold. Those that are wrong are reported and ignored, each by itself.
---@param given? table
function M.set(given)
  local wanted, problems = vim.deepcopy(M.defaults), {}
  for _, source in ipairs({ { "vim.g.pintle", vim.g.pintle }, { "setup()", given } }) do
    local from, settings = source[1], source[2]
    if settings ~= nil and type(settings) ~= "table" then
      problems[#problems + 1] = ("%s must be a table, not %s"):format(from, vim.inspect(settings))
      settings = nil
    end
    settings = settings or {}
    local names = vim.tbl_keys(settings)
    table.sort(names, function(a, b)
      return tostring(a) < tostring(b)
    end)
    for _, name in ipairs(names) do
      local problem = M.problem(name, settings[name])
      if problem then
        problems[#problems + 1] = ("%s: %s"):format(from, problem)
      else
        wanted[name] = settings[name]
      end
    end
  end
  current, M.problems = wanted, problems
  for _, problem in ipairs(problems) do
    require("pintle.log").error("ignored: " .. problem)
  end
end

return M
