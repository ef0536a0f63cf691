-- Inline edits: a request about lines of a buffer, in a session that knows nothing else. Progress is shown at the lines, and the
-- changes are hunks like all others.
--
-- Not for the conversation: an edit never touches the current session, and needs no window.

local buffers = require("pintle.buffers")
local input = require("pintle.input")
local leftovers = require("pintle.leftovers")
local log = require("pintle.log")
local notice = require("pintle.notice")
local progress = require("pintle.progress")
local protocol = require("pintle.protocol")

local M = {}

-- Model replies: enough to read related code, and a limit for an edit that goes astray.
local STEPS_MAX = 30

-- The length of a session title.
local TITLE_CHARS = 120

local INSTRUCTIONS = "The first message of this session is an inline edit: the user asks for a change to the selected lines and "
  .. "reads the changed lines, not your messages. Edit the file, change only what the request needs, and end without a summary. "
  .. "If you change nothing, give the reason in one sentence."

---@alias pintle.EditStatus "running"|"stopping"|"changed"|"unchanged"

---@class (exact) pintle.Edit: pintle.MarkedLines
---@field here pintle.Workspace
---@field session? pintle.SessionId Absent until the engine has created it.
---@field text string What was asked.
---@field path string The file.
---@field status? pintle.EditStatus Absent while the user writes the request.
---@field activity string What is shown at the lines.

---@type pintle.Edit[] oldest first
local edits = {}

---@type table<string, string> by workspace: the request that could not be sent last
local unsent = {}

---@param id pintle.SessionId
---@return pintle.Edit?
local function of(id)
  for _, edit in ipairs(edits) do
    if edit.session == id then
      return edit
    end
  end
end

---@param edit pintle.Edit
---@return boolean
local function is_running(edit)
  return edit.status == "running" or edit.status == "stopping"
end

---@param edit pintle.Edit
---@return string
local function place_of(edit)
  local name, first, last = buffers.short(edit.path), edit.first, edit.last
  return first == last and ("%s:%d"):format(name, first) or ("%s:%d-%d"):format(name, first, last)
end

---@param edit pintle.Edit
---@return string
local function request_of(edit)
  return (edit.text:gsub("%s*\n.*", " …"))
end

---Shows the lines of an edit, and what it does, until it ends.
---@param edit pintle.Edit
local function draw(edit)
  if edit.status and not is_running(edit) then
    return progress.erase(edit)
  end
  local stop = edit.status == "running" and " · :Pintle stop edit stops it" or ""
  local text = ("» edit: %s%s · %s"):format(edit.activity, stop, request_of(edit))
  progress.draw(edit, edit.status and notice.visible(text))
end

---@param edit pintle.Edit
local function drop(edit)
  progress.erase(edit)
  edits = vim.tbl_filter(function(each)
    return each ~= edit
  end, edits)
end

---Reports an edit that could not be sent, and keeps its text as the default for the next one.
---@param edit pintle.Edit
---@param why pintle.RpcError|string
local function fail(edit, why)
  if not vim.list_contains(edits, edit) then
    return
  end
  local session = edit.session
  drop(edit)
  unsent[edit.here.root] = edit.text
  if session then
    edit.here:discard_if_blank(session)
  end
  if type(why) == "string" then
    return log.error("the edit was not sent: " .. why)
  end
  log.failed("the edit was not sent", why)
end

---The message: the request, what it mentions, the lines, and the diagnostics in them.
---@param edit pintle.Edit
---@return pintle.Input[]? blocks
---@return string? why
local function message(edit)
  local blocks, why = require("pintle.context").blocks(edit.text, edit.here.root)
  if not blocks then
    return nil, why
  end
  local selection = vim.api.nvim_buf_call(edit.buf, function()
    return input.selection(edit.first, edit.last)
  end)
  table.insert(blocks, 1, { type = "text", text = edit.text } --[[@as pintle.Input.text]])
  return vim.list_extend(blocks, { selection, require("pintle.diagnostics").of_lines(edit.buf, edit.first, edit.last) })
end

---Starts an edit's turn in the session that was created for it.
---@param edit pintle.Edit
---@param blocks pintle.Input[]
local function begin(edit, blocks)
  local params = { sessionId = edit.session, input = blocks, limits = { steps = STEPS_MAX } }
  edit.here.engine:request(protocol.method.turn_start, params, function(err, result)
    if err or not result then
      fail(edit, err or { code = 0, message = "an empty answer" })
    end
  end)
end

---The settings of an edit's session: those of the session that is shown, or of new ones.
---@param here pintle.Workspace
---@return pintle.SessionConfig
local function config_of(here)
  local settings, view = require("pintle.config").get(), here:view()
  local config = { model = settings.model, permissionMode = settings.permission_mode, systemPrompt = INSTRUCTIONS }
  if view then
    config.model = view.state.model or config.model
    config.permissionMode = view.state.permission_mode --[[@as pintle.PermissionMode?]]
  end
  return config
end

---Sends an edit, in a session of its own.
---@param edit pintle.Edit
local function send(edit)
  progress.follow(edit)
  if not vim.api.nvim_buf_is_loaded(edit.buf) then
    return fail(edit, "its buffer was closed")
  end
  local blocks, why = message(edit)
  if not blocks then
    return fail(edit, why or "a part of it is missing")
  end
  edit.status = "running"
  draw(edit)
  local here = edit.here
  local title = vim.fn.strcharpart(("edit %s: %s"):format(vim.fs.basename(edit.path), request_of(edit)), 0, TITLE_CHARS)
  local params = { cwd = here.root, title = title, config = config_of(here) }
  here.engine:request(protocol.method.session_create, params, function(err, result)
    if err or not result then
      return fail(edit, err or { code = 0, message = "an empty answer" })
    end
    edit.session = result.sessionId
    leftovers.add(here.root, result.sessionId)
    local view = here:view_of(result.sessionId)
    here:take(view, require("pintle.session").attach(view.state, result))
    if edit.status == "stopping" then
      drop(edit)
      here:discard_if_blank(result.sessionId)
      return log.say("the edit was stopped before it began")
    end
    begin(edit, blocks)
  end)
end

---Why the lines of a buffer cannot be edited.
---@param buf integer
---@return string?
local function refusal(buf)
  if vim.bo[buf].buftype ~= "" then
    return "this window does not show code"
  elseif vim.api.nvim_buf_get_name(buf) == "" then
    return "this buffer has no file; write it with `:w NAME` first"
  elseif not vim.bo[buf].modifiable then
    return "this buffer cannot be changed ('modifiable' is off)"
  end
end

---Asks the agent to change lines of the current buffer.
---@param text? string default: asks for it
---@param range? { first: integer, last: integer } default: the line of the cursor
function M.start(text, range)
  local buf = vim.api.nvim_get_current_buf()
  local why = refusal(buf)
  if why then
    return log.error(why)
  end
  local line = vim.fn.line(".")
  ---@type pintle.Edit
  local edit = {
    here = require("pintle.workspace").get(),
    text = text or "",
    path = vim.api.nvim_buf_get_name(buf),
    buf = buf,
    first = range and range.first or line,
    last = range and range.last or line,
    activity = "starting",
  }
  for _, other in ipairs(edits) do
    progress.follow(other)
    if is_running(other) and other.buf == buf and other.first <= edit.last and other.last >= edit.first then
      return log.error("an edit of these lines is running; :Pintle stop edit stops it")
    end
  end
  edits[#edits + 1] = edit
  if text then
    return send(edit)
  end
  draw(edit)
  vim.cmd.redraw()
  local lines = edit.first == edit.last and "line " .. edit.first or ("lines %d to %d"):format(edit.first, edit.last)
  local options = { prompt = notice.prompt(("Edit %s:"):format(lines)), default = unsent[edit.here.root] }
  vim.ui.input(options, function(given)
    if not given or vim.trim(given) == "" then
      return drop(edit)
    end
    edit.text, unsent[edit.here.root] = vim.trim(given), nil
    send(edit)
  end)
end

---What an edit does. Pure.
---@param state pintle.Session
---@return string
function M.activity(state)
  if state.state == "blocked" then
    return "waiting for your answer, :Pintle attention"
  end
  local newest
  for _, item in pairs(state.items) do
    if item.type == "toolCall" and item.status == "running" and (not newest or item.id > newest.id) then
      newest = item
    end
  end
  return newest and (newest.title or newest.tool or "a call"):gsub("%s*\n.*", " …") or "working"
end

---Updates the lines of an edit after a change in its session.
---@param view pintle.View
function M.changed(view)
  local edit = of(view.state.id)
  if not edit or edit.status ~= "running" then
    return
  end
  local activity = M.activity(view.state)
  if activity ~= edit.activity then
    edit.activity = activity
    draw(edit)
  end
end

---The first line of the model's last message, without a full stop at its end.
---@param state pintle.Session
---@return string?
local function answer(state)
  local newest
  for _, item in pairs(state.items) do
    if item.type == "agentMessage" and (not newest or item.id > newest.id) then
      newest = item
    end
  end
  local line = newest and vim.trim(newest.text or ""):match("^[^\n]+")
  return line and (line:gsub("%.$", "")) or nil
end

-- How to see more of an edit.
local TRANSCRIPT = ":Pintle edits opens the transcript"

---How an edit ended, and whether that is bad news. Pure.
---@param name string the file that it was about
---@param turn pintle.Turn
---@param files string[] the names of changed files
---@param said? string the model's last message
---@return string text, integer level
function M.outcome(name, turn, files, said)
  local levels, changed = vim.log.levels, #files > 0
  local changes = changed and (" after it changed %s"):format(table.concat(files, ", ")) or ", nothing was changed"
  if turn.status == "failed" then
    local why = turn.error and require("pintle.advice").line(turn.error) or "no reason was given"
    if turn.error and turn.error.code == "engineRestarted" then
      why = "the engine ended; try it again"
    end
    return ("the edit of %s failed%s: %s"):format(name, changed and changes or "", why), levels.ERROR
  elseif turn.status == "interrupted" then
    return ("the edit of %s was stopped%s"):format(name, changes), levels.INFO
  elseif turn.stop == "limit" then
    return ("the edit of %s reached its limit of %d replies%s; %s"):format(name, STEPS_MAX, changes, TRANSCRIPT),
      levels.WARN
  elseif changed then
    local done = "edited %s in %s; %s"
    return done:format(table.concat(files, ", "), require("pintle.render").duration(turn.duration_ms), TRANSCRIPT),
      levels.INFO
  end
  local denials = turn.denials or 0
  local why = denials > 0 and (denials == 1 and "1 call was denied" or denials .. " calls were denied") or said
  return ("no changes in %s%s; %s"):format(name, why and ": " .. why or "", TRANSCRIPT), levels.WARN
end

---Deletes the sessions of edits that changed nothing, but for the newest one.
---@param here pintle.Workspace
---@param newest pintle.Edit
local function tidy(here, newest)
  for _, edit in ipairs(vim.list_slice(edits)) do
    if edit ~= newest and edit.here == here and edit.session and M.is_fruitless(edit.session) then
      here:discard_if_blank(edit.session)
    end
  end
end

---Ends an edit if it is the one that a turn belonged to.
---@param here pintle.Workspace
---@param view pintle.View
---@param turn pintle.Turn
---@param files string[] the paths of changed files
---@return boolean is_edit
function M.ended(here, view, turn, files)
  local edit = of(view.state.id)
  if not edit or not is_running(edit) then
    return false
  end
  local names = vim.tbl_map(buffers.short, files)
  table.sort(names)
  edit.status = #files > 0 and "changed" or "unchanged"
  draw(edit)
  if edit.status == "changed" then
    leftovers.remove(view.state.id)
  end
  if edit.status == "unchanged" then
    tidy(here, edit)
    unsent[here.root] = turn.status == "failed" and edit.text or nil
  end
  log.say(M.outcome(buffers.short(edit.path), turn, names, answer(view.state)))
  return true
end

---Returns true while a session runs the edit that it was created for.
---@param id pintle.SessionId
---@return boolean
function M.is_running(id)
  local edit = of(id)
  return edit ~= nil and is_running(edit)
end

---Returns true for the session of an edit that ended without changes and was not continued: lists omit it, and it is deleted as
---if nothing had been said in it.
---@param id pintle.SessionId
---@return boolean
function M.is_fruitless(id)
  local edit = of(id)
  local view = edit and edit.status == "unchanged" and edit.here.views[id]
  return view and vim.tbl_count(view.state.turns) <= 1 and #view.state.queue == 0 and not view.state.turn or false
end

---The sessions of a workspace's edits that may have open hunks.
---@param here pintle.Workspace
---@return pintle.SessionId[]
function M.sessions(here)
  local ids = {}
  for _, edit in ipairs(edits) do
    if edit.here == here and edit.session and edit.status ~= "unchanged" then
      ids[#ids + 1] = edit.session
    end
  end
  return ids
end

---How many edits of a workspace are running.
---@param here pintle.Workspace
---@return integer
function M.count(here)
  return #vim.tbl_filter(function(edit)
    return edit.here == here and is_running(edit)
  end, edits)
end

---Ends a workspace's edits after its engine has failed for good. Their changes stay in the files.
---@param here pintle.Workspace
function M.lost(here)
  for _, edit in ipairs(vim.list_slice(edits)) do
    if edit.here == here and is_running(edit) then
      unsent[here.root] = edit.text
      drop(edit)
      log.error(
        ("the engine is down, and the edit of %s has ended; :Pintle restart starts the engine"):format(
          buffers.short(edit.path)
        )
      )
    end
  end
end

---Forgets the edit of a session that was closed or deleted.
---@param id pintle.SessionId
function M.forget(id)
  local edit = of(id)
  if edit then
    drop(edit)
  end
end

---What was asked of an edit's session.
---@param id pintle.SessionId
---@return string?
function M.request(id)
  local edit = of(id)
  return edit and request_of(edit)
end

---@param edit pintle.Edit
local function stop(edit)
  edit.status, edit.activity = "stopping", "stopping"
  draw(edit)
  if not edit.session then
    return
  end
  edit.here.engine:request(protocol.method.turn_interrupt, { sessionId = edit.session }, function(err)
    if err and edit.status == "stopping" then
      edit.status = "running"
      draw(edit)
      log.failed("the edit was not stopped", err)
    end
  end)
end

---Edits that run and can be stopped.
---@param is_wanted? fun(edit: pintle.Edit): boolean
---@return pintle.Edit[]
local function stoppable(is_wanted)
  return vim.tbl_filter(function(edit)
    return edit.status == "running" and (not is_wanted or is_wanted(edit))
  end, edits)
end

---Stops the edit of the line under the cursor.
---@return boolean is_stopped False if there is none.
function M.stop_here()
  local buf, line = vim.api.nvim_get_current_buf(), vim.fn.line(".")
  local found = stoppable(function(edit)
    progress.follow(edit)
    return edit.buf == buf and line >= edit.first and line <= edit.last
  end)
  if found[1] then
    stop(found[1])
  end
  return found[1] ~= nil
end

---@param edit pintle.Edit
---@return string
local function label(edit)
  local words = { running = "running", stopping = "stopping", changed = "changed", unchanged = "no changes" }
  return ("%s · %s · %s"):format(words[edit.status], place_of(edit), request_of(edit))
end

---Stops an edit: that of the line under the cursor, else the only one in the buffer, else the only one, else one that the user
---picks.
function M.stop()
  if M.stop_here() then
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  local in_buffer = stoppable(function(edit)
    return edit.buf == buf
  end)
  local all = stoppable()
  local only = #in_buffer == 1 and in_buffer[1] or #all == 1 and all[1]
  if only then
    return stop(only)
  elseif #all == 0 then
    return log.say("no edits are running")
  end
  require("pintle.picker").select(all, { prompt = "Stop which edit?", kind = "pintle_edit", format_item = label }, stop)
end

---Lists the project's edits since the editor was started, and opens the transcript of one.
function M.open()
  local here = require("pintle.workspace").find()
  local found = {}
  for _, edit in ipairs(edits) do
    if edit.here == here and edit.session then
      progress.follow(edit)
      table.insert(found, 1, edit)
    end
  end
  if not here or #found == 0 then
    return log.say("no edits in this project yet; :Pintle edit starts one")
  end
  local options = { prompt = "Transcript of which edit?", kind = "pintle_edit", format_item = label }
  require("pintle.picker").select(found, options, function(edit)
    require("pintle.sessions").open(here, edit.session, edit.text)
  end)
end

local group = vim.api.nvim_create_augroup("pintle_inline", { clear = true })
vim.api.nvim_create_autocmd({ "WinScrolled", "WinEnter" }, {
  group = group,
  callback = function()
    for _, edit in ipairs(edits) do
      progress.scrolled(edit)
    end
  end,
})
-- A buffer that was reloaded, or opened again, has lost the marks.
vim.api.nvim_create_autocmd("BufReadPost", {
  group = group,
  callback = function(event)
    local path = buffers.file_of(event.buf)
    for _, edit in ipairs(path and edits or {}) do
      if is_running(edit) and buffers.real(edit.path) == path then
        progress.move(edit, event.buf)
        draw(edit)
      end
    end
  end,
})

return M
