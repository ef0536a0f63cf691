-- What happens in a session means more than that it is drawn: files are read again, hunks asked for, people told.

local advice = require("pintle.advice")
local buffers = require("pintle.buffers")
local log = require("pintle.log")
local render = require("pintle.render")
local review = require("pintle.review")
local session = require("pintle.session")

local M = {}

---@type table<string, table<string, true>> by session: the files that the running turn has changed
local touched = {}

---@type table<string, table<string, true>> by session: files that have changed under unsaved text while the turn ran
local overwritten = {}

---Looks after all buffers. Of a file that a call has changed under unsaved text the engine knows nothing, since it takes the
---text of the buffer for that of the file: the transcript says it.
---@param view pintle.View
---@param item? pintle.Item The call, if one may have changed files.
local function check_buffers(view, item)
  local found = buffers.check_all()
  if not item or #found == 0 then
    return
  end
  for _, path in ipairs(found) do
    local notice = {
      level = "warning",
      code = "changedUnderUnsaved",
      message = M.overwritten_text(buffers.short(path), item.title),
    }
    view.chat:apply(session.remark(view.state, notice))
    overwritten[view.state.id] = overwritten[view.state.id] or {}
    overwritten[view.state.id][path] = true
  end
end

---@param name string
---@param call? string
---@return string
function M.overwritten_text(name, call)
  local by = call and (" while `%s` ran"):format((call:gsub("%s*\n.*", " …"))) or ""
  local text = "%s changed on disk%s and has unsaved text in the editor, which was kept. "
    .. "This change cannot be reviewed or undone; `:Pintle diff` compares both, `:w` replaces the file"
  return text:format(name, by)
end

---Whether a window of the current tab shows a transcript.
---@param view pintle.View
---@return boolean
local function is_shown(view)
  return vim.list_contains(vim.fn.tabpagebuflist(), view.chat.buf)
end

-- Whether the editor has the keyboard. Terminals that do not report the focus count as having it.
local has_focus = true
local group = vim.api.nvim_create_augroup("pintle_effects", { clear = true })
for event, is_gained in pairs({ FocusGained = true, FocusLost = false }) do
  vim.api.nvim_create_autocmd(event, {
    group = group,
    callback = function()
      has_focus = is_gained
    end,
  })
end

---A few files by name. Pure.
---@param files string[]
---@return string
local function named(files)
  local names = vim.tbl_map(function(path)
    return path:match("[^/\\]+$") or path
  end, files)
  table.sort(names)
  return #names > 3 and ("%s and %d more"):format(table.concat(names, ", ", 1, 2), #names - 2)
    or table.concat(names, ", ")
end

---How a turn ended, for those who do not see its transcript. Pure.
---@param turn pintle.Turn
---@param files string[]
---@param under? string[] Files that have changed under unsaved text.
---@param is_answer_shown? boolean Whether the transcript is in sight.
---@return string
function M.summary(turn, files, under, is_answer_shown)
  local text = "done in " .. render.duration(turn.duration_ms)
  if under and #under > 0 then
    text = text .. (", %s changed under unsaved text (:Pintle diff)"):format(named(under))
  end
  if #files > 0 then
    return text .. (", changed %s; :Pintle review lists the hunks"):format(named(files))
  elseif under and #under > 0 then
    return text
  end
  return text .. ", no files changed" .. (is_answer_shown and "" or "; :Pintle open shows the answer")
end

---What each change means besides being drawn.
---@type table<string, fun(self: pintle.Workspace, view: pintle.View, change: any)>
local effects = {
  files = function(self, view, change)
    check_buffers(view, change.by.type == "call" and view.state.items[change.by.itemId] or nil)
    -- What others did is found out by asking for the hunks: asking again for it would never end while somebody types.
    if change.by.type == "call" then
      local files = touched[view.state.id] or {}
      for _, each in ipairs(change.changes) do
        files[each.path] = true
      end
      touched[view.state.id] = files
    end
    if change.by.type ~= "other" then
      review.changed(self, view.state.id)
    end
    log.emit("Changes", { root = self.root, session_id = view.state.id, changes = change.changes })
  end,
  decided = function(self, view, change)
    if change.parts then
      require("pintle.decision").tell(change.parts)
    end
    review.look(self, view.state.id)
  end,
  rewound = function(self, view)
    review.look(self, view.state.id)
  end,
  ran = function(_, view, change)
    check_buffers(view, change.item)
  end,
  returned = function(self, view, change)
    -- The message of an inline edit does not belong to the conversation.
    if not require("pintle.inline").is_running(view.state.id) then
      require("pintle.prompt").put_back(self, change.inputs)
    end
  end,
  turn = function(self, view, change)
    local turn = change.turn
    log.emit(change.is_over and "TurnCompleted" or "TurnStarted", {
      root = self.root,
      session_id = view.state.id,
      turn_id = turn.id,
      status = change.is_over and turn.status or nil,
    })
    if not change.is_over then
      touched[view.state.id], overwritten[view.state.id] = {}, nil
      if not is_shown(view) and not require("pintle.inline").is_running(view.state.id) then
        log.say("working; :Pintle open shows the transcript")
      end
      return
    end
    local files = vim.tbl_keys(touched[view.state.id] or {})
    local under = vim.tbl_keys(overwritten[view.state.id] or {})
    touched[view.state.id], overwritten[view.state.id] = nil, nil
    local is_edit = require("pintle.inline").ended(self, view, turn, files)
    review.look(self, view.state.id)
    if is_edit then
      return
    elseif turn.status == "interrupted" then
      log.say("the turn was stopped")
    elseif turn.status == "failed" then
      local err = turn.error
      log.error("the turn failed" .. (err and ": " .. advice.line(err) or ""))
    elseif turn.status == "completed" and not (is_shown(view) and has_focus) then
      log.say(M.summary(turn, files, under, is_shown(view)), #under > 0 and vim.log.levels.WARN or nil)
    end
  end,
  plan = function(_, view)
    require("pintle.plan").refresh(view.state)
  end,
  state = function(self, view)
    log.emit("State", { root = self.root, session_id = view.state.id, state = view.state.state })
  end,
}

---Does what a change means.
---@param workspace pintle.Workspace
---@param view pintle.View
---@param change pintle.Change
function M.run(workspace, view, change)
  require("pintle.inline").changed(view)
  if effects[change.kind] then
    effects[change.kind](workspace, view, change)
  end
end

return M
