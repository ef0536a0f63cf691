-- Edits a proposed change before it is allowed: a tab shows the file and the proposed version, and `:w` adds the edits to the
-- answer.

local buffers = require("pintle.buffers")
local compat = require("pintle.compat")
local documents = require("pintle.documents")
local log = require("pintle.log")
local pieces = require("pintle.hunks").pieces

local M = {}

local WINBAR = "%#Comment# :w includes your edits · :q goes back to the question%<"
local OTHER_WINBAR = "%#Comment# the file as it is now%<"

---A text after a unified diff.
---@param text string
---@param diff string Hunks, as the engine sends them.
---@return string? text Nil if the diff is not one of this text.
function M.apply(text, diff)
  local old, new, at = pieces(text), {}, 1
  local last ---@type string?
  for _, line in ipairs(vim.split((diff:gsub("\n$", "")), "\n", { plain = true })) do
    local sign, rest = line:sub(1, 1), (line:sub(2):gsub("\r$", "")) .. "\n"
    local first, count = line:match("^@@ %-(%d+),?(%d*) ")
    if first then
      -- A hunk without old lines names the line before it.
      local start = math.floor(tonumber(first) or 0) + (count == "0" and 1 or 0)
      if start < at then
        return nil
      end
      vim.list_extend(new, old, at, start - 1)
      at = start
    elseif sign == "\\" then
      -- The line before has no end.
      if last ~= "-" and #new > 0 then
        new[#new] = new[#new]:gsub("\n$", "")
      end
    else
      if sign ~= "+" then
        if (old[at] or ""):gsub("\n$", "") ~= rest:gsub("\n$", "") then
          return nil
        end
        at = at + 1
      end
      if sign ~= "-" then
        new[#new + 1] = rest
      end
    end
    last = sign
  end
  vim.list_extend(new, old, at)
  return table.concat(new)
end

---The text of a file as the engine sees it, with unsaved changes and LF alone.
---@param path string
---@return string
local function text_of(path)
  local real = buffers.real(path)
  local open = vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return buffers.file_of(buf) == real
  end)
  local text = open and vim.bo[open].modified and documents.text(open)
  if not text then
    local ok, blob = pcall(vim.fn.readblob, path)
    text = ok and blob --[[@as string]] or ""
  end
  return (text:gsub("^\239\187\191", ""):gsub("\r\n", "\n"))
end

---@param buf integer
---@param text string
local function fill(buf, text)
  vim.bo[buf].endofline = text == "" or vim.endswith(text, "\n")
  vim.bo[buf].fixendofline = false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((text:gsub("\n$", "")), "\n", { plain = true }))
end

---@param name string
---@param path string Of the file whose type it has.
---@param text string
---@return integer buf
local function buffer(name, path, text)
  local buf = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buf, name)
  buffers.filled_by(buf, function()
    fill(buf, text)
    vim.bo[buf].filetype = vim.filetype.match({ filename = path }) or ""
  end)
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

---@param asked pintle.Asked
---@param change pintle.FileChange
---@return boolean
local function is_editable(asked, change)
  return asked.approval ~= nil and asked.approval.editable == true and change.op ~= "delete" and change.diff ~= ""
end

---Returns the editable changes of a request.
---@param asked pintle.Asked
---@return pintle.FileChange[]
function M.changes(asked)
  return vim.tbl_filter(function(change)
    return is_editable(asked, change)
  end, asked.approval and asked.approval.changes or {})
end

---Returns the edits for an answer that allows the call, or nil.
---@param asked pintle.Asked
---@return pintle.ProposalEdit[]?
function M.edits(asked)
  local edits = vim.tbl_values(asked.edits or {})
  return #edits > 0 and edits or nil
end

---Returns the user's edits to a file as a diff, or nil.
---@param asked pintle.Asked
---@param path string
---@return string?
function M.diff(asked, path)
  local edit = asked.edits and asked.edits[path]
  if not edit then
    return nil
  end
  local diff = compat.diff(edit.proposed, edit.text, { ctxlen = 3 })
  return type(diff) == "string" and diff or nil
end

---Opens a proposed change for editing.
---@param asked pintle.Asked
---@param change pintle.FileChange
---@param is_open fun(): boolean Whether the question still waits for an answer.
---@param back fun() Shows the question again.
function M.open(asked, change, is_open, back)
  local path = change.path
  local now = change.op == "add" and "" or text_of(change.oldPath or path)
  local edit = asked.edits and asked.edits[path]
  local proposed = edit and edit.proposed or M.apply(now, change.diff)
  if not proposed then
    return log.error(
      ("%s has changed since the agent asked, so the change cannot be edited"):format(buffers.short(path))
    )
  end
  local short = buffers.short(path)
  local name = "pintle://proposal/" .. short
  local shown = vim.fn.win_findbuf(vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?") .. "$"))[1]
  if shown then
    return vim.api.nvim_set_current_win(shown)
  end
  vim.cmd("tab split")
  local buf = buffer(name, path, edit and edit.text or proposed)
  vim.bo[buf].buftype = "acwrite"
  vim.api.nvim_win_set_buf(0, buf)
  vim.bo[buf].modified = false
  vim.cmd("diffthis")
  vim.api.nvim_set_option_value("winbar", WINBAR, { scope = "local", win = 0 })
  vim.cmd("leftabove vsplit")
  local other = buffer(("pintle://now/%s"):format(short), path, now)
  vim.bo[other].modifiable = false
  vim.api.nvim_win_set_buf(0, other)
  vim.cmd("diffthis")
  vim.api.nvim_set_option_value("winbar", OTHER_WINBAR, { scope = "local", win = 0 })
  vim.cmd("wincmd p")
  local tab = vim.api.nvim_get_current_tabpage()
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      if not is_open() then
        return log.error(
          ("the question is no longer open, so nothing was written; copy your edits to %s"):format(short)
        )
      end
      local text = documents.text(buf)
      asked.edits = asked.edits or {}
      asked.edits[path] = text ~= proposed and { path = path, proposed = proposed, text = text } or nil
      vim.bo[buf].modified = false
      log.say(("if you allow the change, your edits to %s are included"):format(short))
    end,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = function()
      vim.schedule(function()
        if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
          vim.cmd.tabclose({ vim.api.nvim_tabpage_get_number(tab), bang = true })
        end
        if is_open() then
          back()
        end
      end)
    end,
  })
end

return M
