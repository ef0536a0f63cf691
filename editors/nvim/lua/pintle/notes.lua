-- Notes on lines of the code: written one by one, shown below their lines, and sent to the model in one message.
--
-- They stand in the editor only, until they are sent. A comment on a hunk (`decision.lua`) is the engine's at once.

local input = require("pintle.input")
local log = require("pintle.log")
local panel = require("pintle.panel")
local protocol = require("pintle.protocol")

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace("pintle.notes")

vim.api.nvim_set_hl(0, "PintleNote", { link = "DiagnosticHint", default = true })

---@class (exact) pintle.Note
---@field text string
---@field about pintle.Input The lines as they were when it was written.
---@field buf integer
---@field mark integer Where its lines are.
---@field shown integer Where it is drawn.

---@type table<string, pintle.Note[]> by workspace
local by_root = {}

---@param root string
---@return pintle.Note[]
local function of(root)
  by_root[root] = by_root[root] or {}
  return by_root[root]
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
  local buf = vim.api.nvim_get_current_buf()
  local lines = vim.tbl_map(function(line)
    return { { "» " .. line, "PintleNote" } }
  end, vim.split(text, "\n", { plain = true }))
  local mark = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, range.first - 1, 0, {
    end_row = range.last,
    end_right_gravity = false,
    strict = false,
  })
  local shown = vim.api.nvim_buf_set_extmark(buf, NAMESPACE, range.last - 1, 0, { virt_lines = lines })
  table.insert(
    of(here.root),
    { text = text, about = input.selection(range.first, range.last), buf = buf, mark = mark, shown = shown }
  )
  local count = M.count(here.root)
  log.say(
    (count == 1 and "1 unsent note" or count .. " unsent notes") .. "; :Pintle notes send sends all in one message"
  )
end

---What a note is about, where its lines stand now.
---@param note pintle.Note
---@return pintle.Input
local function about(note)
  if not vim.api.nvim_buf_is_loaded(note.buf) then
    return note.about
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(note.buf, NAMESPACE, note.mark, { details = true })
  if not at[1] then
    return note.about
  end
  local first, last = at[1] + 1, math.max(at[1] + 1, at[3] and at[3].end_row or 0)
  return vim.api.nvim_buf_call(note.buf, function()
    return input.selection(first, math.min(last, vim.api.nvim_buf_line_count(0)))
  end)
end

---The message that all notes are.
---@param root string
---@return pintle.Input[]
function M.message(root)
  local blocks = { { type = "text", text = "My notes, each below the lines it refers to:" } }
  for _, note in ipairs(of(root)) do
    vim.list_extend(blocks, { about(note), { type = "text", text = note.text } })
  end
  return blocks
end

---Takes all notes away.
---@param root string
function M.drop(root)
  for _, note in ipairs(of(root)) do
    if vim.api.nvim_buf_is_loaded(note.buf) then
      vim.api.nvim_buf_del_extmark(note.buf, NAMESPACE, note.mark)
      vim.api.nvim_buf_del_extmark(note.buf, NAMESPACE, note.shown)
    end
  end
  by_root[root] = {}
end

---Sends all notes in one message; while a turn runs it waits for its end. What the agent changes then is another round.
function M.send()
  local here = require("pintle.workspace").get()
  if M.count(here.root) == 0 then
    return log.say("no notes; :Pintle note adds one to the line under the cursor")
  end
  here:with_session(function(view)
    local params = { sessionId = view.state.id, input = M.message(here.root), whenBusy = "queue" }
    here.engine:request(protocol.method.turn_start, params, function(err, result)
      if err or not result then
        return log.failed("the notes were not sent", err or { code = 0, message = "an empty answer" })
      end
      local count = M.count(here.root)
      M.drop(here.root)
      require("pintle.list").begin_round(view)
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
  for _, note in ipairs(of(here.root)) do
    local place = input.shown({ about(note) })
    vim.list_extend(lines, { { text = "" }, { text = place, group = "PintlePanelHead" }, { text = note.text } })
  end
  local choices = {
    { label = "Send them in one message", act = M.send },
    {
      label = "Move them to the prompt to edit them",
      act = function()
        local message = M.message(here.root)
        M.drop(here.root)
        require("pintle.prompt").put_before(here, { input.editable(message) })
        require("pintle").open()
      end,
    },
    {
      label = "Discard them",
      act = function()
        M.drop(here.root)
      end,
    },
  }
  panel.open({ lines = lines, choices = choices, later = "keeps them" })
end

return M
