-- What others may call. Everything works without `setup()`.

local config = require("pintle.config")
local log = require("pintle.log")

local M = {}

---Changes settings; see |pintle-settings|.
---@param settings? table
function M.setup(settings)
  config.set(settings)
end

---@return pintle.Workspace
local function workspace()
  return require("pintle.workspace").get()
end

---@param text? string
---@param here pintle.Workspace
---@param attached? pintle.Input[]
---@return string? text nil when there is nothing to send, and that was said
local function message(text, here, attached)
  local found = vim.trim(text or require("pintle.prompt").text(here))
  if found == "" and #(attached or {}) == 0 then
    log.say("the prompt is empty")
    return nil
  end
  return found
end

---The blocks of a message: its text, what that names, and what was given with it.
---@param here pintle.Workspace
---@param text string
---@param attached? pintle.Input[]
---@return pintle.Input[]? blocks nil where something that it names is missing, and that was said
local function input(here, text, attached)
  local blocks, why = require("pintle.context").blocks(text, here.root)
  if not blocks then
    return log.error("not sent: " .. why)
  end
  local words = text ~= "" and { { type = "text", text = text } } or {}
  return vim.list_extend(vim.list_extend(words, blocks), attached or {})
end

---Empties the prompt buffer once its text was accepted, unless it was changed meanwhile.
---@param here pintle.Workspace
---@param text string
local function accepted(here, text)
  local prompt = require("pintle.prompt")
  if prompt.text(here) == text then
    prompt.set(here, "")
  end
end

---@param here pintle.Workspace
---@param text string
---@param when_busy pintle.WhenBusy
---@param attached? pintle.Input[]
local function start(here, text, when_busy, attached)
  local blocks = input(here, text, attached)
  if not blocks then
    return
  end
  here:with_session(function(view)
    local params = { sessionId = view.state.id, input = blocks, whenBusy = when_busy }
    here.engine:request(require("pintle.protocol").method.turn_start, params, function(err, result)
      if err or not result then
        return log.failed("not sent", err or { code = 0, message = "an empty answer" })
      end
      accepted(here, text)
      if result.disposition == "queued" then
        log.say("queued as a follow-up")
      end
    end)
  end)
end

---@param here pintle.Workspace
---@param text string
---@param attached? pintle.Input[]
---@param or_start boolean Whether it starts a turn where none runs any more.
local function steer(here, text, attached, or_start)
  local blocks = input(here, text, attached)
  if not blocks then
    return
  end
  here:with_session(function(view)
    local params = { sessionId = view.state.id, input = blocks }
    here.engine:request(require("pintle.protocol").method.turn_steer, params, function(err, result)
      local is_late = err and type(err.data) == "table" and err.data.code == "noActiveTurn"
      if is_late and or_start then
        return start(here, text, "queue", attached)
      elseif is_late then
        return log.say("no running turn to steer: the message was not sent")
      elseif err or not result then
        return log.failed("not sent", err or { code = 0, message = "an empty answer" })
      end
      accepted(here, text)
      log.say("the turn reads it at its next gap")
    end)
  end)
end

---Opens the transcript and the prompt, and goes there.
---@param layout? pintle.Layout default: the setting `layout`
---@param is_tab_new? boolean Whether the tab was made for them.
function M.open(layout, is_tab_new)
  local here = workspace()
  local windows = require("pintle.layout")
  windows.open(here, layout, is_tab_new)
  here:with_session(function(current)
    here:open(current.state.id, function(view, tab)
      windows.show(here, view.chat, tab)
    end)
  end)
end

---Sends a prompt. While a turn runs it steers it.
---@param text? string default: what stands in the prompt buffer
---@param attached? pintle.Input[] blocks that go with it
function M.ask(text, attached)
  local here = workspace()
  local prompt = message(text, here, attached)
  if not prompt then
    return
  end
  here:with_session(function(view)
    if require("pintle.session").is_busy(view.state) then
      return steer(here, prompt, attached, true)
    end
    start(here, prompt, "reject", attached)
  end)
end

---Has the agent change lines of the current buffer, in a session of its own.
---@param text? string default: asks for it
---@param range? { first: integer, last: integer } default: the line of the cursor
function M.edit(text, range)
  require("pintle.inline").start(text, range)
end

---Puts a message into the running turn.
---@param text? string default: what stands in the prompt buffer
---@param attached? pintle.Input[]
function M.steer(text, attached)
  local here = workspace()
  local found = message(text, here, attached)
  if found then
    steer(here, found, attached, false)
  end
end

---Sends a prompt that starts a turn when the running one is over.
---@param text? string default: what stands in the prompt buffer
---@param attached? pintle.Input[]
function M.queue(text, attached)
  local here = workspace()
  local prompt = message(text, here, attached)
  if prompt then
    start(here, prompt, "queue", attached)
  end
end

---Stops what runs, and says what became of it.
---@param scope? pintle.StopScope default: the turn
function M.stop(scope)
  require("pintle.stop").stop(scope)
end

---Restarts the engine of this project, or starts it. A running turn ends; sessions continue.
function M.restart()
  workspace().engine:restart()
end

---Sends the last message again; a turn that runs is stopped first.
function M.retry()
  require("pintle.retry").retry()
end

---Shows a file as it was at the last accepted point beside the file as it is.
---@param name? string a file
function M.diff(name)
  require("pintle.changes").pick(require("pintle.workspace").find(), name)
end

---Lists the open hunks in the quickfix window.
function M.review()
  require("pintle.decision").review()
end

---Keeps what the agent did.
---@param scope? pintle.DecisionScope default: the hunk under the cursor
function M.keep(scope)
  require("pintle.decision").keep(scope)
end

---Takes back what the agent did.
---@param scope? pintle.DecisionScope default: the hunk under the cursor
function M.undo(scope)
  require("pintle.decision").undo(scope)
end

---Goes back to before a message; asks for all there is to know.
function M.rewind()
  require("pintle.rewind").rewind()
end

---Undoes a rewind that nothing came after.
function M.redo()
  require("pintle.rewind").redo()
end

---Goes on from a place of the history in a session of its own.
function M.fork()
  require("pintle.rewind").fork()
end

---Gives the session that is shown another title; an empty one takes it away.
---@param title? string default: asks for one
function M.rename(title)
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  if not here or not view then
    return log.say("no session to rename")
  end
  if not title then
    return vim.ui.input({ prompt = "Title: ", default = view.state.title or "" }, function(given)
      if given then
        M.rename(given)
      end
    end)
  end
  local params = { sessionId = view.state.id, title = title }
  here.engine:request(require("pintle.protocol").method.session_update, params, function(err)
    if err then
      log.failed("not renamed", err)
    end
  end)
end

---Lists the sessions of this folder and opens one.
function M.sessions()
  require("pintle.sessions").pick(workspace())
end

---Reads what came before the beginning of the transcript.
---@param is_all? boolean Up to the first message; default: a page of it.
function M.earlier(is_all)
  local here, view = require("pintle.sessions").current()
  if not here or not view then
    return
  elseif view.state.first <= 1 then
    return log.say("the transcript already shows the whole session")
  end
  require("pintle.paging").earlier(here, view, is_all)
end

---Starts another session in this tab; the others stay open.
---@param layout? pintle.Layout "tab" shows it in a tab of its own.
---@param kind? pintle.IsolationKind The copy of the project that it works in.
function M.new(layout, kind)
  local here = workspace()
  local view = here:view()
  if view and layout ~= "tab" and not kind and require("pintle.session").is_blank(view.state) then
    return M.open(layout)
  end
  if layout == "tab" then
    vim.cmd("tab split")
  end
  here:leave_session()
  here.isolation = kind
  require("pintle.review").draw()
  M.open(layout, layout == "tab")
end

---Opens what asks for the person.
function M.attention()
  require("pintle.approval").open()
end

---Shows what the model means to do.
function M.plan()
  require("pintle.plan").open()
end

---@class (exact) pintle.Status
---@field engine string
---@field session? string
---@field state? string
---@field model? string
---@field title? string
---@field context? string How full the model's window is.
---@field cost? string What the session has cost.
---@field hunks integer Open hunks.
---@field attention integer
---@field queued integer
---@field edits integer Running inline edits.
---@field plan? string How far the model's plan is.

---How things stand in this folder. It starts nothing.
---@return pintle.Status
function M.status()
  local workspaces = package.loaded["pintle.workspace"]
  local here = workspaces and workspaces.find()
  if not here then
    return { engine = "stopped", attention = 0, queued = 0, edits = 0, hunks = 0 }
  end
  local state = here:view() and here:view().state
  return {
    engine = here.engine.watch:silence() and require("pintle.watch").STATE or here.engine.state,
    session = here.current,
    state = state and state.state,
    model = state and state.model,
    title = state and state.title,
    context = state and require("pintle.statusline").meter(state.context),
    cost = state and require("pintle.statusline").cost(require("pintle.session").cost(state)),
    hunks = #require("pintle.review").hunks(here),
    attention = require("pintle.approval").count(),
    queued = state and #state.queue or 0,
    edits = require("pintle.inline").count(here),
    plan = state and require("pintle.question").progress(state.plan),
  }
end

return M
