-- The files that a turn changed: a quickfix list of them, and each one's diff in a tab.
--
-- The text before a change is not asked of anybody: it is the file as it is now with the turn's hunks taken back.
-- Where that does not fit any more, because the file went on changing, the hunks themselves are shown.

local buffers = require("pintle.buffers")
local config = require("pintle.config")
local log = require("pintle.log")
local render = require("pintle.render")

local M = {}

local TITLE = "pintle: changed files"

---@class (exact) pintle.ChangedFile
---@field path string
---@field changes pintle.FileChange[]
---@field added integer
---@field removed integer
---@field line integer

---A turn's changes, by file, in the order of each file's first one.
---@param turn pintle.Turn
---@return pintle.ChangedFile[]
function M.files(turn)
  local files, by_path = {}, {}
  for _, change in ipairs(turn.changes) do
    local file = by_path[change.oldPath or ""] or by_path[change.path]
    if not file then
      file = { path = change.path, changes = {}, added = 0, removed = 0, line = change.firstChangedLine or 1 }
      files[#files + 1] = file
    end
    by_path[change.path] = file
    file.path = change.path
    table.insert(file.changes, change)
    file.added = file.added + change.added
    file.removed = file.removed + change.removed
  end
  return files
end

---Puts a turn's files into the quickfix list, over the list of an earlier turn.
---@param turn pintle.Turn
function M.show(turn)
  local items = {}
  for _, file in ipairs(M.files(turn)) do
    local op = file.changes[#file.changes].op
    items[#items + 1] = {
      filename = file.path,
      lnum = file.line,
      text = ("%s +%d -%d"):format(op, file.added, file.removed),
    }
  end
  local is_ours = vim.fn.getqflist({ title = 0 }).title == TITLE
  vim.fn.setqflist({}, is_ours and "r" or " ", { title = TITLE, items = items, context = { turn = turn.id } })
  if config.get().open_quickfix then
    local win = vim.api.nvim_get_current_win()
    vim.cmd("botright copen")
    vim.api.nvim_set_current_win(win)
  end
end

---@class (exact) pintle.Hunk
---@field start integer The first line in the new text, 1-based; the line before it when there is none.
---@field old string[]
---@field new string[]

---Reads unified diff hunks.
---@param diff string
---@return pintle.Hunk[]
function M.hunks(diff)
  local hunks = {}
  for line in (diff .. "\n"):gmatch("(.-)\n") do
    local start = line:match("^@@ %-%d+,?%d* %+(%d+),?%d* @@")
    local hunk = hunks[#hunks]
    local sign, text = line:sub(1, 1), line:sub(2)
    if start then
      hunks[#hunks + 1] = { start = tonumber(start), old = {}, new = {} }
    elseif hunk and sign == "-" then
      table.insert(hunk.old, text)
    elseif hunk and sign == "+" then
      table.insert(hunk.new, text)
    elseif hunk and sign == " " then
      table.insert(hunk.old, text)
      table.insert(hunk.new, text)
    end
  end
  return hunks
end

---Takes a diff's hunks back from the text that they led to.
---@param lines string[]
---@param diff string
---@return string[]? before nil when the text is not the one that the diff led to
function M.revert(lines, diff)
  local before = vim.list_slice(lines)
  local hunks = M.hunks(diff)
  for at = #hunks, 1, -1 do
    local hunk = hunks[at]
    local first = #hunk.new == 0 and hunk.start + 1 or hunk.start
    local rest = vim.list_slice(before, first + #hunk.new)
    for offset, line in ipairs(hunk.new) do
      if before[first + offset - 1] ~= line then
        return nil
      end
    end
    before = vim.list_slice(before, 1, first - 1)
    vim.list_extend(before, hunk.old)
    vim.list_extend(before, rest)
  end
  return before
end

---A file's text before all of its changes.
---@param file pintle.ChangedFile
---@param now string[]
---@return string[]?
function M.before(file, now)
  local lines = now
  for at = #file.changes, 1, -1 do
    local change = file.changes[at]
    if change.diff == "" and change.op ~= "move" then
      return nil
    end
    local reverted = M.revert(lines, change.diff)
    if not reverted then
      return nil
    end
    lines = reverted
  end
  return lines
end

---@param path string
---@return string[]
local function read(path)
  local ok, lines = pcall(vim.fn.readfile, path)
  -- A carriage return is part of the line in the hunks, and in the file.
  return ok and lines or {}
end

---@param name string
---@param lines string[]
---@param filetype string
---@return integer buf
local function scratch(name, lines, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buf, name)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = filetype
  return buf
end

---@param path string
---@return string
local function short(path)
  return vim.fn.fnamemodify(path, ":.")
end

---Opens a tab with two texts side by side.
---@param path string
---@param label string
---@param lines string[]
---@param right? string[] instead of the file itself
local function side_by_side(path, label, lines, right)
  local filetype = vim.filetype.match({ filename = path }) or ""
  if right then
    vim.cmd("tab split")
    vim.api.nvim_win_set_buf(0, scratch(("pintle://after/%s"):format(short(path)), right, filetype))
  else
    vim.cmd("tabedit " .. vim.fn.fnameescape(path))
  end
  vim.cmd("diffthis")
  vim.cmd("leftabove vsplit")
  vim.api.nvim_win_set_buf(0, scratch(("pintle://%s/%s"):format(label, short(path)), lines, filetype))
  vim.cmd("diffthis")
  vim.cmd("wincmd p")
end

---Opens a file's diff in a tab.
---@param file pintle.ChangedFile
function M.open(file)
  local is_there = vim.uv.fs_stat(file.path) ~= nil
  local now = read(file.path)
  local before = M.before(file, now)
  if before then
    return side_by_side(file.path, "before", before, not is_there and {} or nil)
  end
  local lines = {}
  for _, change in ipairs(file.changes) do
    vim.list_extend(lines, { "--- " .. (change.oldPath or change.path), "+++ " .. change.path })
    vim.list_extend(lines, render.lines((change.diff:gsub("\n$", ""))))
  end
  vim.cmd("tab split")
  vim.api.nvim_win_set_buf(0, scratch("pintle://hunks/" .. short(file.path), lines, "diff"))
end

---@class (exact) pintle.DiffChoice
---@field label string
---@field path string
---@field open fun()

---What there is to show: unsaved changes that stand against the disk, then the files of a turn.
---@param turn? pintle.Turn
---@return pintle.DiffChoice[]
function M.choices(turn)
  local choices = {}
  for _, conflict in ipairs(buffers.conflicts()) do
    choices[#choices + 1] = {
      label = ("%s: the file on disk against your unsaved buffer"):format(short(conflict.path)),
      path = conflict.path,
      open = function()
        side_by_side(vim.api.nvim_buf_get_name(conflict.buf), "disk", read(conflict.path))
      end,
    }
  end
  for _, file in ipairs(turn and M.files(turn) or {}) do
    choices[#choices + 1] = {
      label = ("%s +%d -%d"):format(short(file.path), file.added, file.removed),
      path = file.path,
      open = function()
        M.open(file)
      end,
    }
  end
  return choices
end

---Shows a diff; asks which where there are several.
---@param turn? pintle.Turn
---@param name? string a file's name
function M.pick(turn, name)
  local choices = M.choices(turn)
  if name then
    local path = vim.fs.normalize(vim.fn.fnamemodify(name, ":p"))
    choices = vim.tbl_filter(function(choice)
      return vim.fs.normalize(choice.path) == path
    end, choices)
  end
  if #choices == 0 then
    return log.say(name and ("the last turn did not change " .. name) or "the last turn changed no file")
  elseif #choices == 1 then
    return choices[1].open()
  end
  vim.ui.select(choices, {
    prompt = "Which diff?",
    kind = "pintle_diff",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice then
      choice.open()
    end
  end)
end

return M
