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
  local before, at, first = 0, nil, nil
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
  local from
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
    local buf = vim.fn.bufadd(path)
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
  if #positions == 0 then
    return log.say("no open hunks: the agent changed no files, or everything is decided")
  elseif not number then
    return log.say(("no hunk %s; %d are open"):format(by > 0 and "after this one" or "before this one", #positions))
  end
  local target = positions[number]
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

-- The keys of buffers with open hunks, unless they mean something there already.
local KEYS = {
  { "n", "]h", "<Plug>(pintle-next-hunk)" },
  { "n", "[h", "<Plug>(pintle-prev-hunk)" },
  { { "o", "x" }, "ih", "<Plug>(pintle-hunk)" },
}

---@type table<integer, { mode: string, lhs: string }[]> by buffer: the maps that were made
local made = {}

---Gives a buffer the keys. It has them until nothing is open anywhere: they also lead from its last hunk to another file's.
---@param buf integer
---@param has_hunks boolean
function M.set(buf, has_hunks)
  if has_hunks == (made[buf] ~= nil) or has_hunks and not config.get().review_keys then
    return
  elseif not has_hunks then
    if require("pintle.review").is_open() then
      return
    end
    for _, map in ipairs(made[buf]) do
      pcall(vim.keymap.del, map.mode, map.lhs, { buffer = buf })
    end
    made[buf] = nil
    return
  end
  made[buf] = {}
  vim.api.nvim_buf_call(buf, function()
    for _, key in ipairs(KEYS) do
      local modes = type(key[1]) == "table" and key[1] or { key[1] }
      for _, mode in ipairs(modes) do
        if vim.fn.maparg(key[2], mode) == "" then
          vim.keymap.set(mode, key[2], key[3], { buffer = buf, remap = true, desc = "pintle: " .. key[3] })
          table.insert(made[buf], { mode = mode, lhs = key[2] })
        end
      end
    end
  end)
end

return M
