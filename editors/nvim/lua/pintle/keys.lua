-- Ways to the hunks from the keyboard: from one to the next across files, a text object, operators, and verbs that `.` repeats.

local buffers = require("pintle.buffers")
local config = require("pintle.config")
local log = require("pintle.log")
local notice = require("pintle.notice")
local overlay = require("pintle.overlay")

local M = {}

---Which hunk comes next from a line of a file. Pure.
---@param positions pintle.HunkPosition[] file by file
---@param path? string The file that one is in.
---@param line integer
---@param by integer How many hunks on, or with a number below 0 back.
---@return integer? number nil where there is none
function M.next(positions, path, line, by)
  local before = 0
  local at, first ---@type integer?, integer?
  for number, each in ipairs(positions) do
    if each.path == path then
      first = first or number
      if each.line < line then
        before = number
      elseif each.line == line then
        at = at or number
      end
    end
  end
  local from ---@type integer
  if not first then
    -- Another file: from outside of the order.
    from = by > 0 and 0 or #positions + 1
  elseif at then
    from = at
  elseif by > 0 then
    from = before > 0 and before or first - 1
  else
    from = before > 0 and before + 1 or first
  end
  local number = from + by
  if by > 0 and number > #positions and from < #positions then
    number = #positions
  elseif by < 0 and number < 1 and from > 1 then
    number = 1
  end
  return positions[number] and number or nil
end

---Shows a file in a window that may show files.
---@param path string
local function edit(path)
  if buffers.file_of(0) ~= buffers.real(path) then
    require("pintle.layout").go_to_code()
    local buf = vim.fn.bufadd(buffers.short(path))
    vim.bo[buf].buflisted = true
    vim.api.nvim_win_set_buf(0, buf)
  end
end

---Goes to the next hunk, in this file or the next one, or back.
---@param by integer
function M.jump(by)
  local here = require("pintle.workspace").find()
  local positions = here and require("pintle.list").positions(here) or {}
  local path = vim.bo.buftype == "" and buffers.file_of(vim.api.nvim_get_current_buf()) or nil
  for _, each in ipairs(positions) do
    each.path = buffers.real(each.path)
  end
  local number = M.next(positions, path, vim.fn.line("."), by)
  local target = number and positions[number]
  if #positions == 0 then
    return log.say("no open hunks: the agent changed no files, or everything is decided")
  elseif not target then
    return log.say(("no hunk %s; %d are open"):format(by > 0 and "after this one" or "before this one", #positions))
  end
  vim.cmd("normal! m'")
  edit(target.path)
  vim.api.nvim_win_set_cursor(0, { math.min(target.line, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd("silent! normal! zv")
  notice.echo(("hunk %d of %d, %s"):format(number, #positions, vim.fn.fnamemodify(target.path, ":.")))
end

---Selects the lines of the hunk under the cursor: the text object.
function M.select()
  local place = overlay.at(0, vim.fn.line("."))
  if not place or place.count == 0 then
    log.say(place and "this hunk only deletes lines" or "no hunk under the cursor; :Pintle review lists all")
    -- An operator that waits for it does nothing.
    return vim.api.nvim_input("<Esc>")
  end
  if vim.fn.mode():find("^[vV\22]") then
    vim.cmd("normal! \27")
  end
  vim.cmd(("normal! %dGV%dG"):format(place.row + 1, place.row + place.count))
end

---@alias pintle.HunkVerb "keep"|"undo"

---What `g@` calls: the hunk under the cursor.
---@type table<pintle.HunkVerb, fun()>
M.at_cursor = {
  keep = function()
    require("pintle.decision").keep("hunk")
  end,
  undo = function()
    require("pintle.decision").undo("hunk")
  end,
}

local function moved_over()
  return { first = vim.fn.line("'["), last = vim.fn.line("']") }
end

---What `g@` calls: the lines that were moved over.
---@type table<pintle.HunkVerb, fun()>
M.over = {
  keep = function()
    require("pintle.decision").keep("hunk", moved_over())
  end,
  undo = function()
    require("pintle.decision").undo("hunk", moved_over())
  end,
}

---Makes a verb one that `.` repeats; for an <expr> map.
---@param where "at_cursor"|"over"
---@param verb pintle.HunkVerb
---@return string keys
function M.operator(where, verb)
  vim.go.operatorfunc = ("v:lua.require'pintle.keys'.%s.%s"):format(where, verb)
  return where == "at_cursor" and "g@l" or "g@"
end

-- The keys to the next hunk and back, while one is open anywhere. The second pair is used where the first belongs to another
-- plugin, such as mini.diff or gitsigns, which use it for the hunks of git.
local JUMPS = {
  { ["]h"] = "<Plug>(pintle-next-hunk)", ["[h"] = "<Plug>(pintle-prev-hunk)" },
  { ["]a"] = "<Plug>(pintle-next-hunk)", ["[a"] = "<Plug>(pintle-prev-hunk)" },
}

-- For the table of keys in the help.
M.KEYS = {
  { modes = "n", lhs = "]h", desc = "go to the next hunk, in any file" },
  { modes = "n", lhs = "[h", desc = "go to the previous hunk" },
  { modes = { "x", "o" }, lhs = "ih", desc = "select the hunk's lines, in buffers with hunks" },
}

---@type table<string, table|false> by key: the map that it had before, or false
local global = {}

---@type boolean Whether a notice said that the first pair belongs to another plugin.
local has_notified = false

---A global map of Normal mode.
---@param lhs string
---@return table?
local function global_map(lhs)
  return vim.iter(vim.api.nvim_get_keymap("n")):find(function(map)
    return map.lhs == lhs
  end)
end

---@param map table
---@return boolean is_default Whether Neovim itself made a map, as for the argument list.
local function is_default(map)
  local info = map.callback and debug.getinfo(map.callback, "S")
  return info ~= nil and info.source ~= nil and info.source:find("_defaults", 1, true) ~= nil
end

---@param map table?
---@return boolean
local function is_ours(map)
  return map ~= nil and (map.rhs or ""):find("<Plug>(pintle-", 1, true) == 1
end

---Whether a key has a meaning of others, everywhere or in the buffer of a file.
---@param lhs string
---@return boolean
local function is_taken(lhs)
  local map = global_map(lhs)
  if map and not is_ours(map) and not is_default(map) then
    return true
  end
  return vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
    return vim.api.nvim_buf_is_loaded(buf)
      and vim.bo[buf].buftype == ""
      and vim.iter(vim.api.nvim_buf_get_keymap(buf, "n")):any(function(own)
        return own.lhs == lhs
      end)
  end)
end

---@param lhs string
---@param rhs string
local function set_global(lhs, rhs)
  local map = global_map(lhs)
  if is_ours(map) or map and not is_default(map) then
    return
  end
  global[lhs] = map and vim.fn.maparg(lhs, "n", false, true) or false
  vim.keymap.set("n", lhs, rhs, { remap = true, desc = "pintle: " .. rhs })
end

---The keys that go to the next hunk and back, and whether the usual ones belong to others.
---@return string[] keys the next one, the previous one; none where both pairs do
---@return boolean is_usual_taken
function M.jump_keys()
  local is_usual_taken = is_taken("]h") or is_taken("[h")
  for at, pair in ipairs({ { "]h", "[h" }, { "]a", "[a" } }) do
    if at == 1 and not is_usual_taken or at == 2 and not is_taken(pair[1]) and not is_taken(pair[2]) then
      return pair, is_usual_taken
    end
  end
  return {}, is_usual_taken
end

---Gives the keys to the hunks while one is open anywhere, and takes them back afterwards.
---@param is_open boolean
function M.update(is_open)
  if not is_open or not config.get().review_keys then
    for lhs, before in pairs(global) do
      if is_ours(global_map(lhs)) then
        vim.keymap.del("n", lhs)
        if before then
          vim.fn.mapset("n", false, before)
        end
      end
    end
    global = {}
    return
  end
  for lhs, rhs in pairs(JUMPS[1]) do
    set_global(lhs, rhs)
  end
  local found, is_usual_taken = M.jump_keys()
  if not is_usual_taken then
    return
  end
  if found[1] == "]a" then
    for lhs, rhs in pairs(JUMPS[2]) do
      set_global(lhs, rhs)
    end
  end
  if not has_notified then
    has_notified = true
    log.say(M.taken_text(found))
  end
end

---@param found string[] what `jump_keys` returns where the usual keys belong to others
---@return string
function M.taken_text(found)
  if #found == 0 then
    return "`]h` and `]a` are mapped by others: map <Plug>(pintle-next-hunk) to reach the agent's hunks"
  end
  return ("`]h` is mapped by another plugin: `%s` and `%s` go to the agent's hunks"):format(found[1], found[2])
end

---@type table<integer, string[]> by buffer: the modes in which the text object was mapped
local made = {}

---Gives a buffer with hunks the text object, unless `ih` means something there already.
---@param buf integer
---@param has_hunks boolean
function M.set(buf, has_hunks)
  if has_hunks == (made[buf] ~= nil) or has_hunks and not config.get().review_keys then
    return
  elseif not has_hunks then
    for _, mode in ipairs(made[buf]) do
      pcall(vim.keymap.del, mode, "ih", { buffer = buf })
    end
    made[buf] = nil
    return
  end
  made[buf] = {}
  vim.api.nvim_buf_call(buf, function()
    for _, mode in ipairs({ "o", "x" }) do
      if vim.fn.maparg("ih", mode) == "" then
        vim.keymap.set(mode, "ih", "<Plug>(pintle-hunk)", { buffer = buf, remap = true, desc = "pintle: the hunk" })
        table.insert(made[buf], mode)
      end
    end
  end)
end

return M
