-- What stands in buffers, told to the engine: it reads the text on the screen instead of the file as long as that is not saved.
--
-- Invariant: what the engine is asked comes after all that was typed before.

local log = require("pintle.log")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")
local rpc = require("pintle.rpc")

local M = {}

-- From so many changes of one tick on, the whole text is shorter.
local CHANGES_MAX = 200

---@class (exact) pintle.LineChange
---@field first integer From 0.
---@field last integer Exclusive.
---@field lines string[] What stands there now.
---@field is_last boolean Whether nothing stands behind it.

---@class (exact) pintle.Document A buffer as the engine knows it.
---@field buf integer
---@field path string
---@field version integer The last one that was told.
---@field is_open boolean
---@field opened integer The version that it was opened with.
---@field is_dirty boolean As it was told.
---@field is_reloaded boolean The buffer was read from the disk again, which was not told yet.
---@field form string How lines became a text, as it was told.
---@field is_blank boolean Whether it had one empty line, or none, as it was told.
---@field changes pintle.LineChange[] Not told yet.
---@field is_whole boolean The whole text is to be told.
---@field is_refused boolean It is too long for the engine.
---@field undo? { turn: string, seq: integer } The undo step of the last edit that came from the engine.

---@class (exact) pintle.Documents
---@field private workspace pintle.Workspace
---@field private by_buf table<integer, pintle.Document>
---@field private outside table<string, boolean> Names that are not below the root.
---@field private is_known boolean Whether this connection was told what is open.
---@field private touched table<integer, true> Buffers in which something happened since the last time.
---@field private is_scheduled boolean
---@field private is_telling boolean
local Documents = {}
Documents.__index = Documents

---@param workspace pintle.Workspace
---@return pintle.Documents
function M.new(workspace)
  return setmetatable({
    workspace = workspace,
    by_buf = {},
    outside = {},
    is_known = false,
    touched = {},
    is_scheduled = false,
    is_telling = false,
  }, Documents)
end

---@param name string
---@return boolean
function Documents:is_outside(name)
  local known = self.outside[name]
  if known == nil then
    local root = self.workspace.root
    known = not paths.below(root, name) and not paths.below(paths.real(root), paths.real(name))
    self.outside[name] = known
  end
  return known
end

---Whether a buffer holds the text of a file of this workspace. One without a file on disk does so once it was changed.
---@param buf integer
---@return string? path
function Documents:path_of(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= "" then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(buf)
  if name == "" or self:is_outside(name) then
    return nil
  end
  return (vim.bo[buf].modified or vim.uv.fs_stat(name)) and name or nil
end

---@param buf integer
---@return boolean
local function ends_with_newline(buf)
  local options = vim.bo[buf]
  -- A file that was read without an end gets one when it is written, and not before.
  return options.endofline or options.modified and options.fixendofline and not options.binary
end

---@param buf integer
---@return string
local function line_end(buf)
  return ({ dos = "\r\n", mac = "\r" })[vim.bo[buf].fileformat] or "\n"
end

---How the lines of a buffer become a text.
---@param buf integer
---@return string
local function form_of(buf)
  return line_end(buf) .. (ends_with_newline(buf) and "+" or "-")
end

---Whether a buffer has only one line, which is empty: it may stand for no line at all.
---@param buf integer
---@return boolean
local function is_blank(buf)
  return vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

---Whether a file with this text would be empty.
---@param buf integer
---@return boolean
function M.is_empty(buf)
  return is_blank(buf) and vim.api.nvim_buf_call(buf, function()
    return vim.fn.wordcount().bytes
  end) == 0
end

---The text as it would be written.
---@param buf integer
---@return string
function M.text(buf)
  if M.is_empty(buf) then
    return ""
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), line_end(buf))
  return ends_with_newline(buf) and text .. line_end(buf) or text
end

---Whether a buffer's text ends with a line end.
M.ends_with_newline = ends_with_newline

---Takes a buffer up where it is one for the engine.
---@param buf integer
---@return pintle.Document?
function Documents:consider(buf)
  local known = self.by_buf[buf]
  if known and known.path == vim.api.nvim_buf_get_name(buf) then
    return known
  elseif known then
    self:close(buf)
  end
  local path = self:path_of(buf)
  if not path then
    return nil
  end
  local document = {
    buf = buf,
    path = path,
    version = 0,
    is_open = false,
    opened = 0,
    is_dirty = false,
    is_reloaded = false,
    form = "",
    is_blank = false,
    changes = {},
    is_whole = false,
    is_refused = false,
  }
  local function is_over()
    return self.by_buf[buf] ~= document
  end
  local is_attached = vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if is_over() then
        return true
      end
      self:changed(document, first, last, new_last)
    end,
    on_reload = function()
      document.is_whole, document.is_reloaded = true, true
      self:schedule(buf)
    end,
    on_detach = function()
      if not is_over() then
        self:close(buf)
      end
    end,
  })
  if not is_attached then
    return nil
  end
  self.by_buf[buf] = document
  return document
end

---@param document pintle.Document
---@param first integer
---@param last integer
---@param new_last integer
function Documents:changed(document, first, last, new_last)
  self:schedule(document.buf)
  if document.is_whole or not document.is_open then
    return
  elseif #document.changes >= CHANGES_MAX then
    document.is_whole, document.changes = true, {}
    return
  end
  local lines = vim.api.nvim_buf_get_lines(document.buf, first, new_last, false)
  local is_last = new_last >= vim.api.nvim_buf_line_count(document.buf)
  table.insert(document.changes, { first = first, last = last, lines = lines, is_last = is_last })
end

---Something happened in a buffer: it is told as soon as the editor is idle.
---@param buf integer
function Documents:schedule(buf)
  self.touched[buf] = true
  if not self.is_scheduled then
    self.is_scheduled = true
    vim.schedule(function()
      self.is_scheduled = false
      self:tell_of(self.is_known and vim.tbl_keys(self.touched) or vim.api.nvim_list_bufs())
    end)
  end
end

---The engine has ended, and knows nothing any more.
function Documents:lost()
  self.is_known = false
  for _, document in pairs(self.by_buf) do
    document.is_open, document.is_refused, document.changes = false, false, {}
  end
end

---Tells all that was not told yet.
function Documents:flush()
  self:tell_of(vim.api.nvim_list_bufs())
end

---Tells what was not told yet of these buffers. An engine that takes no documents is told nothing.
---@param bufs integer[]
function Documents:tell_of(bufs)
  local engine = self.workspace.engine
  if self.is_telling then
    return -- each message asks for this
  elseif engine.state ~= "ready" or not vim.tbl_get(engine, "info", "capabilities", "documents") then
    return
  end
  self.is_known, self.is_telling, self.touched = true, true, {}
  local ok, why = xpcall(function()
    for _, buf in ipairs(bufs) do
      local document = vim.api.nvim_buf_is_loaded(buf) and self:consider(buf)
      if document and not document.is_refused then
        self:tell(document)
      end
    end
  end, debug.traceback)
  self.is_telling = false
  if not ok then
    error(why, 0)
  end
end

---Tells what was not told yet of a document. Typed text that is already in the file was saved, even if no event said so: an
---autocommand that writes raises no event by default.
---@param document pintle.Document
function Documents:tell(document)
  local buf = document.buf
  local is_modified, form = vim.bo[buf].modified, form_of(buf)
  local is_open, is_reloaded = document.is_open, document.is_reloaded
  local changes
  if is_open and document.form == form and not document.is_whole then
    if #document.changes == 0 then
      if document.is_dirty and not is_modified then
        return self:tell_save(document)
      elseif document.is_dirty == is_modified then
        return
      end
    end
    -- Whole lines say nothing of a last line without an end, nor whether one empty line is a line.
    local is_odd = document.is_blank or is_blank(buf)
    local is_endless = form:sub(-1) == "-"
      and vim.iter(document.changes):any(function(change)
        return change.is_last
      end)
    changes = (is_odd or is_endless) and #document.changes > 0 and { { text = M.text(buf) } }
      or M.ranges(document.changes, line_end(buf))
  end
  local is_saved = is_open and not is_modified and not is_reloaded
  local is_dirty = is_modified or is_saved
  document.form, document.is_dirty, document.is_blank = form, is_dirty, is_blank(buf)
  document.is_whole, document.is_reloaded, document.changes, document.is_open = false, false, {}, true
  document.version = document.version + 1
  local params = { path = document.path, version = document.version, dirty = is_dirty }
  if not changes then
    local text = M.text(buf)
    local most = vim.tbl_get(self.workspace.engine, "info", "limits", "maxMessageBytes") or math.huge
    -- What is escaped takes more room.
    if #text > most / 2 then
      self:close(buf)
      return self:refuse(document, "too long")
    elseif not is_open then
      params.text, document.opened = text, document.version
      return self:send(protocol.method.document_open, params, document)
    end
    changes = { { text = text } }
  end
  params.changes = changes
  self:send(protocol.method.document_change, params, document)
  if is_saved then
    self:tell_save(document)
  end
end

---@param document pintle.Document
function Documents:tell_save(document)
  -- Before the message, which asks for what was not told yet.
  document.is_dirty = false
  local params = { path = document.path, version = document.version }
  self:send(protocol.method.document_save, params, document)
end

---Changes as the engine takes them: whole lines, one change after the other.
---@param changes pintle.LineChange[]
---@param ending string
---@return pintle.DocumentChange[]
function M.ranges(changes, ending)
  return vim.tbl_map(function(change)
    local text = #change.lines > 0 and table.concat(change.lines, ending) .. ending or ""
    local range = {
      start = { line = change.first, character = 0 },
      ["end"] = { line = change.last, character = 0 },
    }
    return { range = range, text = text }
  end, changes)
end

---@param method string
---@param params table
---@param document pintle.Document
function Documents:send(method, params, document)
  self.workspace.engine:request(method, params, function(err)
    if not err or err.code == rpc.ENDED or params.version < document.opened then
      return
    elseif err.code == protocol.code.conflict then
      document.is_open = false
      self:schedule(document.buf)
    else
      self:refuse(document, err.message)
    end
  end)
end

---The engine knows nothing of a document: it reads the file. That is told, since it is not what is on the screen.
---@param document pintle.Document
---@param why string
function Documents:refuse(document, why)
  document.is_refused, document.is_open = true, false
  self.by_buf[document.buf] = document
  log.warn(("%s: the agent sees only saved text (%s)"):format(vim.fn.fnamemodify(document.path, ":."), why))
end

---A buffer holds the text of its file no more.
---@param buf integer
function Documents:close(buf)
  local document = self.by_buf[buf]
  self.by_buf[buf] = nil
  if document and document.is_open and self.is_known then
    document.is_open = false
    -- The buffer is half gone: it must not be taken up again by what is sent.
    local was_telling = self.is_telling
    self.is_telling = true
    self.workspace.engine:request(protocol.method.document_close, { path = document.path }, function() end)
    self.is_telling = was_telling
  end
end

---The document that was opened under a path.
---@param path string
---@return pintle.Document?
function Documents:find(path)
  for _, document in pairs(self.by_buf) do
    if document.is_open and paths.is_same(document.path, path) then
      return document
    end
  end
end

---@param action fun(documents: pintle.Documents, buf: integer)
---@return fun(event: vim.api.keyset.create_autocmd.callback_args)
local function for_all(action)
  return function(event)
    for _, workspace in ipairs(require("pintle.workspace").all()) do
      action(workspace.documents, event.buf)
    end
  end
end

local group = vim.api.nvim_create_augroup("pintle_documents", { clear = true })
vim.api.nvim_create_autocmd({ "BufReadPost", "BufModifiedSet", "BufFilePost" }, {
  group = group,
  callback = for_all(Documents.schedule),
})
vim.api.nvim_create_autocmd("BufWritePost", { group = group, callback = for_all(Documents.flush) })
vim.api.nvim_create_autocmd("BufUnload", { group = group, callback = for_all(Documents.close) })

return M
