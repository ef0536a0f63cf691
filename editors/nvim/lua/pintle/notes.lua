-- Notes on lines of the code: written one by one, shown below their lines, and sent to the model in one message.
--
-- They are kept on disk until they are sent. A comment on a hunk (`decision.lua`) is the engine's at once.

local draft = require("pintle.draft")
local input = require("pintle.input")
local log = require("pintle.log")
local panel = require("pintle.panel")
local protocol = require("pintle.protocol")

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("pintle.notes")

vim.api.nvim_set_hl(0, "PintleNote", { link = "DiagnosticHint", default = true })

---@class (exact) pintle.StoredNote
---@field id string
---@field text string
---@field about pintle.Input The lines as they were when it was written.

---@class (exact) pintle.Note: pintle.StoredNote
---@field place? { buf: integer, mark: integer, shown: integer } Its buffer, and the marks of its lines and of its text there.
---@field is_stored? boolean Whether it is on disk, where another editor may send or discard it.

---@type table<string, pintle.Note[]> by workspace
local by_root = {}

---The notes of a workspace on disk, also those that another editor has written.
---@param root string
---@return pintle.StoredNote[]
local function stored(root)
  local ok, found = pcall(vim.json.decode, draft.read(root, "notes.json"))
  return vim.tbl_filter(function(note)
    local is_whole = type(note) == "table" and type(note.id) == "string" and type(note.text) == "string"
    return is_whole and type(note.about) == "table"
  end, ok and type(found) == "table" and found or {})
end

---Draws a note below its lines.
---@param note pintle.Note
---@param buf integer
---@param range { first: integer, last: integer }
local function place(note, buf, range)
  local lines = vim.tbl_map(function(line)
    return { { "» " .. line, "PintleNote" } }
  end, vim.split(note.text, "\n", { plain = true }))
  local mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, range.first - 1, 0, {
    end_row = range.last,
    end_right_gravity = false,
    strict = false,
  })
  local shown = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, range.last - 1, 0, { virt_lines = lines })
  note.place = { buf = buf, mark = mark, shown = shown }
end

---Takes a note out of its buffer.
---@param note pintle.Note
local function displace(note)
  local at = note.place
  note.place = nil
  if at and vim.api.nvim_buf_is_loaded(at.buf) then
    vim.api.nvim_buf_del_extmark(at.buf, NAMESPACE, at.mark)
    vim.api.nvim_buf_del_extmark(at.buf, NAMESPACE, at.shown)
  end
end

---Where the lines of a note are in a buffer now: where they were, or the only place where they are.
---@param about pintle.Input.selection
---@param buf integer
---@return { first: integer, last: integer }? range
local function find(about, buf)
  local wanted = vim.split(about.text, "\n", { plain = true })
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local function is_at(first)
    for at, line in ipairs(wanted) do
      if lines[first + at - 1] ~= line then
        return false
      end
    end
    return true
  end
  local function range(first)
    return { first = first, last = first + #wanted - 1 }
  end
  if is_at(about.range.start) then
    return range(about.range.start)
  end
  local found
  for first = 1, #lines - #wanted + 1 do
    if is_at(first) then
      if found then
        return nil
      end
      found = first
    end
  end
  return found and range(found)
end

---Whether a note is drawn: a buffer that is read again loses its marks.
---@param note pintle.Note
---@return boolean
local function is_drawn(note)
  local at = note.place
  return at ~= nil
    and vim.api.nvim_buf_is_loaded(at.buf)
    and #vim.api.nvim_buf_get_extmark_by_id(at.buf, NAMESPACE, at.shown, {}) > 0
end

---Draws those notes that are about a buffer's file and are not drawn yet.
---@param notes pintle.Note[]
---@param buf integer
local function place_in(notes, buf)
  local path = require("pintle.buffers").file_of(buf)
  for _, note in ipairs(path and notes or {}) do
    local about = note.about
    if not is_drawn(note) and about.type == "selection" and about.path == path then
      local range = find(about --[[@as pintle.Input.selection]], buf)
      if range then
        place(note, buf, range)
      end
    end
  end
end

-- Notes of another editor, or of an earlier one, are drawn as soon as their file is shown.
local group = vim.api.nvim_create_augroup("pintle_notes", { clear = true })
vim.api.nvim_create_autocmd("BufReadPost", {
  group = group,
  callback = function(event)
    for _, notes in pairs(by_root) do
      place_in(notes, event.buf)
    end
  end,
})

---The notes of a workspace as they are now: those that another editor has sent or discarded are gone, and its new ones are there.
---@param root string
---@return pintle.Note[]
local function of(root)
  local known = {}
  for _, note in ipairs(by_root[root] or {}) do
    known[note.id] = note
  end
  local notes, is_there = {}, {}
  for _, each in ipairs(stored(root)) do
    local note = known[each.id] or each --[[@as pintle.Note]]
    note.is_stored = true
    notes[#notes + 1], is_there[each.id] = note, true
  end
  for _, note in ipairs(by_root[root] or {}) do
    if not is_there[note.id] and not note.is_stored then
      notes[#notes + 1] = note
    elseif not is_there[note.id] then
      displace(note)
    end
  end
  by_root[root] = notes
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    place_in(notes, buf)
  end
  return notes
end

---Keeps notes on disk.
---@param root string
---@param notes pintle.Note[]
local function keep(root, notes)
  by_root[root] = notes
  local lines = vim.tbl_map(function(note)
    return vim.json.encode({ id = note.id, text = note.text, about = note.about })
  end, notes)
  local text = #lines > 0 and "[" .. table.concat(lines, ",\n") .. "]\n" or ""
  local why = draft.keep(root, text, "notes.json")
  if why then
    return log.error("cannot save the notes: " .. why)
  end
  for _, note in ipairs(notes) do
    note.is_stored = true
  end
end

---How many notes of a workspace wait.
---@param root string
---@return integer
function M.count(root)
  return #of(root)
end

---Writes a note about lines of the current buffer.
---@param range { first: integer, last: integer }
---@param text? string default: asks for it
function M.add(range, text)
  if not text then
    return vim.ui.input({ prompt = "Note: " }, function(given)
      if given and vim.trim(given) ~= "" then
        M.add(range, given)
      end
    end)
  end
  local here = require("pintle.workspace").get()
  local notes = of(here.root)
  local id = ("%d.%d"):format(vim.fn.getpid(), vim.uv.hrtime())
  local note = { id = id, text = text, about = input.selection(range.first, range.last) }
  notes[#notes + 1] = note
  place(note, vim.api.nvim_get_current_buf(), range)
  keep(here.root, notes)
  local count = #notes
  log.say(
    (count == 1 and "1 unsent note" or count .. " unsent notes") .. "; :Pintle notes send sends all in one message"
  )
end

---What a note is about, where its lines stand now.
---@param note pintle.Note
---@return pintle.Input
local function about(note)
  local drawn = note.place
  local buf = drawn and drawn.buf
  if not drawn or not buf or not vim.api.nvim_buf_is_loaded(buf) then
    return note.about
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, NAMESPACE, drawn.mark, { details = true })
  if not at[1] then
    return note.about
  end
  local first, last = at[1] + 1, math.max(at[1] + 1, at[3] and at[3].end_row or 0)
  return vim.api.nvim_buf_call(buf, function()
    return input.selection(first, math.min(last, vim.api.nvim_buf_line_count(0)))
  end)
end

---The message that notes are.
---@param notes pintle.Note[]
---@return pintle.Input[]
local function message(notes)
  local blocks = { { type = "text", text = "My notes, each below the lines it refers to:" } }
  for _, note in ipairs(notes) do
    vim.list_extend(blocks, { about(note), { type = "text", text = note.text } })
  end
  return blocks
end

---Takes notes away; those that were written meanwhile stay.
---@param root string
---@param notes pintle.Note[]
local function drop(root, notes)
  local is_gone = {}
  for _, note in ipairs(notes) do
    is_gone[note.id] = true
  end
  local left = {}
  for _, note in ipairs(of(root)) do
    if is_gone[note.id] then
      displace(note)
    else
      left[#left + 1] = note
    end
  end
  keep(root, left)
end

---Draws the notes that an earlier editor has left, and says how many there are.
---@param root string
function M.restore(root)
  local count = not by_root[root] and M.count(root) or 0
  if count > 0 then
    log.say((count == 1 and "1 unsent note" or count .. " unsent notes") .. "; :Pintle notes shows them")
  end
end

---Sends all notes in one message; while a turn runs it waits for its end. What the agent changes then is another round.
function M.send()
  local here = require("pintle.workspace").get()
  if M.count(here.root) == 0 then
    return log.say("no notes; :Pintle note adds one to the line under the cursor")
  end
  here:with_session(function(view)
    local notes = vim.list_slice(of(here.root))
    local params = { sessionId = view.state.id, input = message(notes), whenBusy = "queue" }
    here.engine:request(protocol.method.turn_start, params, function(err, result)
      if err or not result then
        return log.failed("the notes were not sent", err or { code = 0, message = "an empty answer" })
      end
      local count = #notes
      drop(here.root, notes)
      require("pintle.list").begin_round(here)
      local said = count == 1 and "1 note sent" or ("%d notes sent"):format(count)
      log.say(said .. (result.disposition == "queued" and ", to be read when the turn has ended" or ""))
    end)
  end)
end

---Shows all notes, and asks what becomes of them.
function M.open()
  local here = require("pintle.workspace").get()
  if M.count(here.root) == 0 then
    return log.say("no notes; :Pintle note adds one to the line under the cursor")
  end
  local lines = { { text = "Unsent notes", group = "PintlePanelTitle" } }
  local notes = vim.list_slice(of(here.root))
  for _, note in ipairs(notes) do
    local head = input.shown({ about(note) })
    vim.list_extend(lines, { { text = "" }, { text = head, group = "PintlePanelHead" }, { text = note.text } })
  end
  local choices = {
    { label = "Send them in one message", act = M.send },
    {
      label = "Move them to the prompt to edit them",
      act = function()
        require("pintle.prompt").put_before(here, { input.editable(message(notes)) })
        drop(here.root, notes)
        require("pintle").open()
      end,
    },
    {
      label = "Discard them",
      act = function()
        drop(here.root, notes)
      end,
    },
  }
  panel.open({ lines = lines, choices = choices, later = "keeps them" })
end

return M
