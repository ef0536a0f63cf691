-- Moving about in a transcript: from message to message, to the file of a call, and code that is taken out of it.

local buffers = require("pintle.buffers")
local log = require("pintle.log")

local M = {}

---The lines at which messages begin, from 1.
---@param chat pintle.Chat
---@return integer[]
function M.messages(chat)
  local lines = {}
  for _, block in ipairs(chat.blocks.list) do
    for offset, line in ipairs(block.first >= 0 and block.lead or {}) do
      if line:find("^## ") then
        lines[#lines + 1] = block.first + offset
      end
    end
    if block.first >= 0 and block.kind == "userMessage" then
      lines[#lines + 1] = block.first + #block.lead + 1
    end
  end
  return lines
end

---Goes to another message.
---@param chat pintle.Chat
---@param by integer How many messages on, or with a number below 0 back.
function M.go(chat, by)
  local here, lines = vim.fn.line("."), M.messages(chat)
  local target
  if by > 0 then
    local after = vim.tbl_filter(function(line)
      return line > here
    end, lines)
    target = after[by] or after[#after] or vim.fn.line("$")
  else
    local before = vim.tbl_filter(function(line)
      return line < here
    end, lines)
    target = before[#before + 1 + by] or before[1] or 1
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target, 0 })
end

---The lines of the code block that a line is in, without its fences. Pure.
---@param lines string[]
---@param at integer from 1
---@return integer? first, integer? last None where the line is in no block; `last` is before `first` in an empty one.
function M.code_block(lines, at)
  local first ---@type integer?
  local fence = ""
  for number, line in ipairs(lines) do
    if not first then
      fence = line:match("^%s*(```+)") or line:match("^%s*(~~~+)") or ""
      first = fence ~= "" and number or nil
    elseif line:match("^%s*" .. vim.pesc(fence) .. "+%s*$") or line:match("^%s*" .. vim.pesc(fence) .. "%s*$") then
      if at >= first and at <= number then
        return first + 1, number - 1
      end
      first = nil
    end
    if number >= at and not first then
      return nil
    end
  end
  -- A block that still streams has no end.
  if first and at >= first then
    return first + 1, #lines
  end
end

---Yanks the code block under the cursor.
---@param chat pintle.Chat
function M.yank_code(chat)
  local block = chat.blocks:at(vim.fn.line("."))
  local top = block and block.first or 0
  local bottom = block and block.first + block.count or -1
  local lines = vim.api.nvim_buf_get_lines(chat.buf, top, bottom, false)
  local first, last = M.code_block(lines, vim.fn.line(".") - top)
  if not first or not last or last < first then
    return log.say("no code block under the cursor")
  end
  local code = vim.list_slice(lines, first, last)
  vim.fn.setreg(vim.v.register, code, "l")
  log.say(#code == 1 and "1 line yanked" or ("%d lines yanked"):format(#code))
end

---The files that a call is about, each at a line where that is known. Pure.
---@param item table
---@return { path: string, line?: integer }[]
function M.files_of(item)
  local found, known = {}, {}
  local details = item.output and item.output.details or item.details or {}
  for _, list in ipairs({ item.locations or {}, details.changes or {} }) do
    for _, each in ipairs(list) do
      if each.path and not known[each.path] then
        known[each.path] = true
        found[#found + 1] = { path = each.path, line = each.line }
      end
    end
  end
  return found
end

---Opens a file beside the transcript.
---@param path string
---@param line? integer
local function open(path, line)
  require("pintle.layout").go_to_code()
  local buf = vim.fn.bufadd(buffers.short(path))
  vim.bo[buf].buflisted = true
  vim.api.nvim_win_set_buf(0, buf)
  if line then
    vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, vim.api.nvim_buf_line_count(0))), 0 })
  end
end

---The file that text names, such as `src/main.rs:12`, if there is one. Pure but for the look at the disk.
---@param word string
---@param root string
---@return { path: string, line?: integer }?
function M.named(word, root)
  word = word:gsub("^[`'\"(<%[]+", ""):gsub("[`'\")>%],.;]+$", "")
  local path, line = word:match("^(.-):(%d+)")
  for _, each in ipairs({ { path = word }, path and { path = path, line = vim.fn.str2nr(line or "") } or nil }) do
    local full = each.path:find("^[/~]") and vim.fs.normalize(each.path) or vim.fs.joinpath(root, each.path)
    local stat = each.path ~= "" and vim.uv.fs_stat(full)
    if stat and stat.type == "file" then
      return { path = full, line = each.line }
    end
  end
end

---Opens the file that the cursor is on, or that the call under the cursor is about.
---@param chat pintle.Chat
function M.open_file(chat)
  local named = M.named(vim.fn.expand("<cWORD>") --[[@as string]], vim.b[chat.buf].pintle_root)
  if named then
    return open(named.path, named.line)
  end
  local block = chat.blocks:at(vim.fn.line("."))
  local item = block and chat.state.items[block.key]
  local files = item and M.files_of(item) or {}
  local only = files[1]
  if not only then
    return log.say("no file under the cursor")
  elseif #files == 1 then
    return open(only.path, only.line)
  end
  require("pintle.picker").select(files, {
    prompt = "Open which file?",
    kind = "pintle_file",
    format_item = function(file)
      return buffers.short(file.path)
    end,
  }, function(file)
    open(file.path, file.line)
  end)
end

return M
