-- Edits of the engine in buffers: all of them or none, and only to the very text that they were made for. Cursor, selection,
-- marks and mode stay; the edits of a turn are one undo step, apart from what a person types.

local buffers = require("pintle.buffers")
local compat = require("pintle.compat")
local documents = require("pintle.documents")
local log = require("pintle.log")

local M = {}

-- How long an operator may wait for its motion; the engine waits a few seconds longer.
local OPERATOR_MS = 10000

---@param text string
---@return string[]
local function split(text)
  return vim.split(text, "\n", { plain = true })
end

---Replaces the part in which two lines differ.
---@param buf integer
---@param row integer
---@param old string
---@param new string
local function set_line(buf, row, old, new)
  if old == new then
    return
  end
  local most, head, tail = math.min(#old, #new), 0, 0
  while head < most and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  while tail < most - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  vim.api.nvim_buf_set_text(buf, row, head, row, #old - tail, { new:sub(head + 1, #new - tail) })
end

---Replaces whole lines, touching only those that differ.
---@param buf integer
---@param first integer
---@param last integer exclusive
---@param new string[]
local function set_lines(buf, first, last, new)
  local old = vim.api.nvim_buf_get_lines(buf, first, last, false)
  local head, tail = 0, 0
  while head < math.min(#old, #new) and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  while tail < math.min(#old, #new) - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  local pairs_end = math.min(#old, #new) - tail
  for at = head + 1, pairs_end do
    set_line(buf, first + at - 1, old[at], new[at])
  end
  local rest = vim.list_slice(new, pairs_end + 1, #new - tail)
  if #old - tail > pairs_end or #rest > 0 then
    vim.api.nvim_buf_set_lines(buf, first + pairs_end, last - tail, false, rest)
  end
end

---Has the last line an end or none, whatever 'fixendofline' would make of it: the edit says so.
---@param buf integer
---@param has_end boolean
local function set_last_end(buf, has_end)
  if has_end ~= documents.ends_with_newline(buf) then
    vim.bo[buf].endofline = has_end
    vim.bo[buf].fixendofline = has_end
  end
end

---Makes a change that reaches to the end of the text.
---@param buf integer
---@param row integer
---@param column integer
---@param text string
local function set_end(buf, row, column, text)
  local count = vim.api.nvim_buf_line_count(buf)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  text = line:sub(1, column) .. text
  local lines = split(text)
  local has_end = lines[#lines] == ""
  if has_end then
    lines[#lines] = nil
  end
  if has_end and #lines == 1 and lines[1] == "" and documents.is_empty(buf) then
    -- A buffer without lines and one with an empty line look the same; the latter has had a line inserted.
    vim.api.nvim_buf_set_lines(buf, 0, 0, false, lines)
    vim.api.nvim_buf_set_lines(buf, 1, 2, false, {})
  else
    set_lines(buf, row, count, lines)
  end
  set_last_end(buf, has_end)
end

---Makes one change.
---@param buf integer
---@param range pintle.TextRange
---@param text string
function M.change(buf, range, text)
  local count = documents.is_empty(buf) and 0 or vim.api.nvim_buf_line_count(buf)
  local has_end = documents.ends_with_newline(buf)
  if vim.bo[buf].fileformat == "dos" then
    text = text:gsub("\r\n", "\n")
  elseif vim.bo[buf].fileformat == "mac" then
    text = text:gsub("\r", "\n")
  end
  ---@param position pintle.Position
  ---@return integer row, integer column, boolean is_end
  local function place(position)
    local row = position.line
    if row >= count then
      row = has_end and count or math.max(count - 1, 0)
      local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
      return row, has_end and 0 or #line, true
    end
    local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
    local column = compat.byte_of(line, position.character)
    return row, column, not has_end and row == count - 1 and column == #line
  end
  local row, column = place(range.start)
  local end_row, end_column, is_end = place(range["end"])
  if is_end then
    return set_end(buf, row, column, text)
  end
  local lines = split(text)
  if column == 0 and end_column == 0 and lines[#lines] == "" then
    lines[#lines] = nil
    set_lines(buf, row, end_row, lines)
  elseif row == end_row and #lines == 1 then
    local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
    set_line(buf, row, line, line:sub(1, column) .. text .. line:sub(end_column + 1))
  else
    vim.api.nvim_buf_set_text(buf, row, column, end_row, end_column, lines)
  end
  set_last_end(buf, has_end)
end

---Ends the current undo step of the current buffer.
local function end_step()
  -- An assignment of the value that it has does just that; see |undo-break|.
  vim.cmd("let &l:undolevels = &l:undolevels")
end

---Runs `edit` as an undo step of a buffer, or as more of the last one where that was of the same turn and nothing came since.
---@param document pintle.Document
---@param turn? string
---@param edit fun()
local function as_step(document, turn, edit)
  local buf = document.buf
  local last = document.undo
  local is_more = last and turn and last.turn == turn and last.seq == vim.fn.undotree(buf).seq_cur
  vim.api.nvim_buf_call(buf, function()
    end_step()
    if is_more then
      pcall(vim.cmd.undojoin)
    end
  end)
  edit()
  vim.api.nvim_buf_call(buf, end_step)
  document.undo = turn and { turn = turn, seq = vim.fn.undotree(buf).seq_cur } or nil
  local mode = vim.api.nvim_get_mode()
  if vim.api.nvim_get_current_buf() == buf and mode.mode:find("^[iR]$") and not mode.blocking then
    -- What is typed next begins a step of its own: Insert mode would take it for more of the one before.
    vim.api.nvim_feedkeys(vim.keycode("<C-g>u"), "in", false)
  end
end

local MARKS = vim.api.nvim_create_namespace("pintle.marks")

---Follows the other end of a Visual selection, which Neovim leaves where it was.
---@param buf integer
---@return fun() restore
local function follow_selection(buf)
  local is_visual = vim.api.nvim_get_mode().mode:find("^[vV\22]") ~= nil
  if not is_visual or vim.api.nvim_get_current_buf() ~= buf then
    return function() end
  end
  local start = vim.fn.getpos("v")
  local id = vim.api.nvim_buf_set_extmark(buf, MARKS, start[2] - 1, start[3] - 1, { strict = false })
  return function()
    local place = vim.api.nvim_buf_get_extmark_by_id(buf, MARKS, id, {})
    if #place == 2 and (place[1] ~= start[2] - 1 or place[2] ~= start[3] - 1) then
      local view = vim.fn.winsaveview()
      vim.cmd.normal({ "o", bang = true })
      vim.api.nvim_win_set_cursor(0, { place[1] + 1, place[2] })
      vim.cmd.normal({ "o", bang = true })
      vim.fn.winrestview(view)
    end
  end
end

---Follows the marks of a buffer, which changes take away with the lines that they change.
---@param buf integer
---@return fun() restore sets those again that are gone
local function follow_marks(buf)
  local followed = {}
  for _, list in ipairs({ vim.fn.getmarklist(buf), vim.fn.getmarklist() }) do
    for _, mark in ipairs(list) do
      local name, row, column = mark.mark:match("^'(%a)$"), mark.pos[2] - 1, mark.pos[3] - 1
      if name and mark.pos[1] == buf then
        followed[name] = vim.api.nvim_buf_set_extmark(buf, MARKS, row, math.max(column, 0), { strict = false })
      end
    end
  end
  return function()
    for name, id in pairs(followed) do
      local place = vim.api.nvim_buf_get_extmark_by_id(buf, MARKS, id, {})
      if vim.api.nvim_buf_get_mark(buf, name)[1] == 0 and #place == 2 then
        local row = math.min(place[1] + 1, vim.api.nvim_buf_line_count(buf))
        pcall(vim.api.nvim_buf_set_mark, buf, name, row, place[2], {})
      end
    end
    vim.api.nvim_buf_clear_namespace(buf, MARKS, 0, -1)
  end
end

---Why an edit cannot be made.
---@param workspace pintle.Workspace
---@param edit pintle.DocumentEdit
---@return string? why, pintle.Document? document
local function refusal(workspace, edit)
  local document = workspace.documents:find(edit.path)
  if not document then
    return ("%s is not open in the editor"):format(edit.path)
  elseif document.version ~= edit.version then
    return ("%s has changed: it is at version %d, not %d"):format(edit.path, document.version, edit.version)
  elseif not vim.bo[document.buf].modifiable then
    return ("%s cannot be changed in the editor ('nomodifiable')"):format(edit.path)
  end
  return nil, document
end

---Writes a buffer.
---@param buf integer
---@return string? why it was not written
local function save(buf)
  -- Neovim would ask whether to write over what it has not read, and nobody may be there.
  if not buffers.is_as_read(buf) then
    return "the file has changed on disk"
  end
  local ok, why = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd("silent keepalt write")
  end)
  return not ok and tostring(why):gsub("^.-Vim[^:]*:", "") or nil
end

---Edits that wait for the person to end a command, by the id of their request.
---@type table<pintle.Workspace, table<string|integer, fun(): boolean>>
local waiting = setmetatable({}, { __mode = "k" })

---Answers `workspace/applyEdit`. An operator that waits for its motion knows its lines by number: the edit waits for it.
---@param workspace pintle.Workspace
---@param params pintle.ApplyEditParams
---@param respond fun(result: pintle.ApplyEditResult)
---@param id string|integer of the request
function M.answer(workspace, params, respond, id)
  if not vim.api.nvim_get_mode().mode:find("^no") then
    return respond(M.apply(workspace, params))
  end
  local here = waiting[workspace] or {}
  waiting[workspace] = here
  local autocmd ---@type integer
  local function is_first()
    local is_it = here[id] ~= nil
    here[id] = nil
    pcall(vim.api.nvim_del_autocmd, autocmd)
    return is_it
  end
  here[id] = is_first
  autocmd = vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "no*:*",
    callback = vim.schedule_wrap(function()
      if here[id] and not vim.api.nvim_get_mode().mode:find("^no") and is_first() then
        respond(M.apply(workspace, params))
      end
    end),
  })
  vim.defer_fn(function()
    if is_first() then
      respond({ applied = false, failureReason = "the user is in the middle of a command" })
    end
  end, OPERATOR_MS)
end

---The engine does not wait for an edit any more: one that has not been made is not made.
---@param workspace pintle.Workspace
---@param id string|integer
function M.withdraw(workspace, id)
  local over = waiting[workspace] and waiting[workspace][id]
  if over then
    over()
  end
end

---Makes the edits, now.
---@param workspace pintle.Workspace
---@param params pintle.ApplyEditParams
---@return pintle.ApplyEditResult
function M.apply(workspace, params)
  for _, edit in ipairs(params.edits) do
    local document = edit.save and workspace.documents:find(edit.path)
    if document and not vim.bo[document.buf].modified then
      buffers.check(document.buf) -- one that is read again is another version
    end
  end
  workspace.documents:flush()
  local found = {} ---@type pintle.Document[]
  for at, edit in ipairs(params.edits) do
    local why, document = refusal(workspace, edit)
    if not document then
      return { applied = false, failureReason = why }
    end
    found[at] = document
  end
  local view = workspace:view()
  local turn = view and view.state.turn
  local undone = {}
  for at, edit in ipairs(params.edits) do
    local document = found[at]
    local buf = document.buf
    local restore_marks, restore_selection = follow_marks(buf), follow_selection(buf)
    local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    undone[#undone + 1] = function()
      set_lines(buf, 0, -1, lines)
    end
    local is_readonly = vim.bo[buf].readonly
    vim.bo[buf].readonly = false -- its warning would make the person wait
    local ok, why = pcall(as_step, document, turn, function()
      for number = #edit.changes, 1, -1 do
        M.change(buf, edit.changes[number].range, edit.changes[number].text)
      end
    end)
    vim.bo[buf].readonly = is_readonly
    restore_selection()
    restore_marks()
    if not ok then
      for number = #undone, 1, -1 do
        pcall(undone[number])
      end
      return { applied = false, failureReason = tostring(why) }
    end
  end
  local result = { applied = true, versions = {} }
  for at, edit in ipairs(params.edits) do
    local why = edit.save and save(found[at].buf)
    if why then
      result.failureReason = ("%s was changed in the editor, but not saved: %s"):format(edit.path, why)
      log.warn(result.failureReason)
    end
  end
  workspace.documents:flush()
  for _, document in ipairs(found) do
    table.insert(result.versions, { path = document.path, version = document.version })
  end
  return result
end

return M
