-- The table of default keys in doc/pintle.txt, made from the tables of keys in the code: `nvim -l keys.lua [--write]`. Without
-- `--write`, it fails if the help has another table.

local plugin = vim.fs.dirname(vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p")))
vim.opt.runtimepath:prepend(plugin)

local HELP = plugin .. "/doc/pintle.txt"
local TAG = "*pintle-keys*"

local maps = require("pintle.maps")

---@type [string, { modes: string|string[], lhs: string, desc: string }[]][]
local windows = {
  { "In the transcript", maps.of_transcript({}) },
  { "In the prompt", maps.of_prompt({}) },
  { "In the quickfix window, while it lists hunks", require("pintle.list").keys() },
  { "In a question", require("pintle.panel").KEYS },
  { "In the list of sessions, with a picker plugin", require("pintle.sessions").KEYS },
  { "In any buffer, while hunks are open", require("pintle.keys").KEYS },
}

---@return string[]
local function lines()
  local made = { (" "):rep(78 - #TAG) .. TAG }
  table.insert(made, "Modes: n Normal, i Insert, x Visual, o Operator-pending. `g?` shows the keys of the")
  table.insert(made, "transcript and the prompt. <LocalLeader> is a backslash, unless you set it:")
  table.insert(made, "|maplocalleader|.")
  for _, window in ipairs(windows) do
    vim.list_extend(made, { "", window[1] .. ":", "" })
    for _, map in ipairs(window[2]) do
      local modes = type(map.modes) == "table" and table.concat(map.modes, "") or map.modes
      made[#made + 1] = ("    %-15s %-4s %s"):format(map.lhs, modes, map.desc)
    end
  end
  return made
end

local help = vim.fn.readfile(HELP)
local first, last
for number, line in ipairs(help) do
  first = first or line:find(TAG, 1, true) and number
  last = last or first and line:find("^===") and number - 2
end
assert(first and last, "the help has a place for the keys")
local made = lines()
if vim.deep_equal(vim.list_slice(help, first, last), made) then
  return
elseif _G.arg[1] ~= "--write" then
  io.stderr:write("the keys in doc/pintle.txt are not those of the code: run UPDATE=1 tests/run.sh lint\n")
  os.exit(1)
end
local all = vim.list_extend(vim.list_slice(help, 1, first - 1), made)
vim.fn.writefile(vim.list_extend(all, vim.list_slice(help, last + 1)), HELP)
