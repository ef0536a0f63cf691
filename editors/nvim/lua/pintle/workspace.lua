-- A workspace: its engine, the sessions that are open in it, and which of them is the current one. Here what the engine
-- says meets the views; what it means is the business of `session.lua`.

local approval = require("pintle.approval")
local buffers = require("pintle.buffers")
local config = require("pintle.config")
local documents = require("pintle.documents")
local engine = require("pintle.engine")
local log = require("pintle.log")
local protocol = require("pintle.protocol")
local review = require("pintle.review")
local session = require("pintle.session")

local M = {}

---@class (exact) pintle.View
---@field state pintle.Session
---@field chat pintle.Chat
---@field replayed_to integer Events up to here are history: they are drawn, and nothing else is done.
---@field is_paging boolean

---@class (exact) pintle.Workspace
---@field root string
---@field engine pintle.Engine
---@field views table<string, pintle.View>
---@field current? string
---@field documents pintle.Documents
---@field private wanting? fun(view?: pintle.View)[]
local Workspace = {}
Workspace.__index = Workspace

-- Events in a page. Small enough that decoding and drawing one is not felt.
local PAGE = 200

---Says that a session cannot be opened, and how to where it is.
---@param what string
---@param err? pintle.RpcError
local function cannot_open(what, err)
  err = err or { code = 0, message = "an empty answer" }
  if type(err.data) == "table" and err.data.isSharedEngine then
    local hint = 'to open it here too, put `shared = true` into require("pintle").setup() and start Neovim again'
    err = { code = err.code, message = err.message, data = { hint = hint } }
  end
  log.failed(what, err)
end

---Says what to do here where the engine's hint is about its own command line.
---@param err pintle.RpcError
---@return pintle.RpcError
local function explained(err)
  if err.message == "no model is set" then
    local hint = 'name one with require("pintle").setup({ model = "provider/id" }), or `model = "provider/id"` in the '
      .. "engine's own settings (:Pintle help configuration); then :Pintle open"
    return { code = err.code, message = err.message, data = { hint = hint } }
  end
  return err
end

---@type table<string, pintle.Workspace>
local by_root = {}

---The root of the workspace that the current buffer belongs to, under its one real name.
---@return string
local function root_here()
  local root = config.get().root()
  return vim.uv.fs_realpath(root) or root
end

---The workspace that the current buffer belongs to, if it was used before.
---@return pintle.Workspace?
function M.find()
  return by_root[root_here()]
end

---@return pintle.Workspace[]
function M.all()
  return vim.tbl_values(by_root)
end

---The workspace that the current buffer belongs to.
---@return pintle.Workspace
function M.get()
  local root = root_here()
  local self = by_root[root]
  if self then
    return self
  end
  self = setmetatable({ root = root, views = {} }, Workspace)
  self.documents = documents.new(self)
  self.engine = engine.new(root, {
    ready = function(is_restart)
      log.emit("Ready", { root = root })
      if is_restart then
        self:reattach()
      end
    end,
    notification = function(method, params)
      self:notified(method, params)
    end,
    request = function(method, params, respond, id)
      self:asked(method, params, respond, id)
    end,
    sending = function()
      self.documents:flush()
    end,
    changed = function()
      if self.engine.state ~= "ready" then
        approval.drop(self.engine)
        self.documents:lost()
      end
      log.emit("State", { root = root, engine = self.engine.state })
    end,
  })
  by_root[root] = self
  return self
end

---Ends every engine; for the editor's exit.
function M.leave()
  for _, self in pairs(by_root) do
    self.engine:leave()
  end
  local deadline = vim.uv.now() + config.get().exit_ms
  for _, self in pairs(by_root) do
    vim.uv.update_time()
    self.engine:wait_for_end(math.max(0, deadline - vim.uv.now()))
  end
end

---@return pintle.View?
function Workspace:view()
  return self.current and self.views[self.current]
end

---Calls `done` with the current session, making one where there is none.
---@param done fun(view: pintle.View)
function Workspace:with_session(done)
  local view = self:view()
  if view then
    return done(view)
  end
  if self.wanting then
    table.insert(self.wanting, done)
    return
  end
  self.wanting = { done }
  local settings = config.get()
  local params = { cwd = self.root, config = vim.empty_dict() }
  params.config.model = settings.model
  params.config.permissionMode = settings.permission_mode
  self.engine:request(protocol.method.session_create, params, function(err, result)
    local wanting = self.wanting or {}
    self.wanting = nil
    if err or not result then
      err = explained(err or { code = 0, message = "an empty answer" })
      require("pintle.layout").failed(self, err)
      return log.failed("no session", err)
    end
    local made = self:adopt(result)
    for _, each in ipairs(wanting) do
      each(made)
    end
  end)
end

---@param result pintle.SessionResult
---@return pintle.View
function Workspace:adopt(result)
  local view = self.views[result.sessionId]
  if not view then
    local state = session.new(result.sessionId)
    view = { state = state, chat = require("pintle.chat").new(state, self.root), replayed_to = 0, is_paging = false }
    self.views[result.sessionId] = view
  end
  self.current = result.sessionId
  self:take(view, session.attach(view.state, result))
  log.emit("Session", { root = self.root, session_id = result.sessionId })
  return view
end

---Opens a stored session and rebuilds its transcript.
---@param id string
---@param done fun(view: pintle.View)
function Workspace:open(id, done)
  local known = self.views[id]
  if known and known.chat:is_alive() then
    if self.current ~= id then
      self.current = id
      review.look(self, id)
    end
    return done(known)
  end
  -- A session that is open and only lost its buffer is drawn anew.
  self.views[id] = nil
  local method = known and protocol.method.session_subscribe or protocol.method.session_open
  self.engine:request(method, { sessionId = id }, function(err, result)
    if err or not result then
      return cannot_open("the session cannot be opened", err)
    end
    done(self:show(result))
  end)
end

---Makes a session that has a history the current one, and draws it.
---@param result pintle.SessionResult
---@return pintle.View
function Workspace:show(result)
  local view = self:adopt(result)
  view.replayed_to = result.seq
  self:catch_up(view)
  return view
end

---Subscribes again to every session after the engine was restarted.
function Workspace:reattach()
  for id, view in pairs(self.views) do
    local params = { sessionId = id, fromSeq = view.state.seq }
    self.engine:request(protocol.method.session_open, params, function(err, result)
      if err or not result then
        return cannot_open("the session cannot be opened again", err)
      end
      view.is_paging = false
      view.state.pieces = {}
      self:take(view, session.attach(view.state, result))
      if view.state.is_behind then
        self:catch_up(view)
      end
      review.look(self, id)
      log.emit("Reattached", { root = self.root, session_id = id })
    end)
  end
end

---Reads the events that are missing, page by page.
---@param view pintle.View
function Workspace:catch_up(view)
  if view.is_paging then
    return
  end
  view.is_paging = true
  local function next_page()
    local params = { sessionId = view.state.id, after = view.state.seq, limit = PAGE }
    self.engine:request(protocol.method.session_events, params, function(err, page)
      if err or not page then
        view.is_paging = false
        return log.failed("events cannot be read", err or { code = 0, message = "an empty answer" })
      end
      local changed, more = session.page(view.state, page)
      self:take(view, changed)
      if more then
        return next_page()
      end
      view.is_paging = false
      review.look(self, view.state.id)
      log.emit("CaughtUp", { root = self.root, session_id = view.state.id })
    end)
  end
  next_page()
end

---@param method string
---@param params table
function Workspace:notified(method, params)
  if method == protocol.method.session_event then
    local view = self.views[params.sessionId]
    if view then
      self:take(view, session.apply(view.state, params))
    end
  elseif method == protocol.method.session_lagged then
    local view = self.views[params.sessionId]
    if view then
      self:take(view, session.lagged(view.state, params))
    end
  elseif method == protocol.method.cancelRequest then
    approval.withdraw(self.engine, params.id)
    require("pintle.edits").withdraw(self, params.id)
  end
end

---@param method string
---@param params table
---@param respond fun(result?: table, err?: pintle.RpcError)
---@param id string|integer
function Workspace:asked(method, params, respond, id)
  if method == protocol.method.question_request then
    return approval.add_question(self.engine, id, params, respond)
  elseif method == protocol.method.workspace_applyEdit then
    return require("pintle.edits").answer(self, params, respond, id)
  elseif method ~= protocol.method.approval_request then
    return respond(nil, { code = protocol.code.methodNotFound, message = "not known here: " .. method })
  end
  approval.add(self.engine, id, params, respond)
end

---What each change means besides being drawn.
---@type table<string, fun(self: pintle.Workspace, view: pintle.View, change: pintle.Change)>
local effects = {
  files = function(self, view, change)
    buffers.check_all()
    -- What others did is found out by asking for the hunks: asking again for it would never end while somebody types.
    if change.by.type ~= "other" then
      review.changed(self, view.state.id)
    end
    log.emit("Changes", { root = self.root, session_id = view.state.id, changes = change.changes })
  end,
  decided = function(self, view)
    review.look(self, view.state.id)
  end,
  rewound = function(self, view)
    review.look(self, view.state.id)
  end,
  ran = function()
    buffers.check_all()
  end,
  returned = function(self, _, change)
    require("pintle.prompt").put_back(self, change.inputs)
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
      return
    end
    review.look(self, view.state.id)
    if turn.status == "interrupted" then
      log.say("the turn was stopped")
    elseif turn.status == "failed" then
      log.error("the turn failed: " .. vim.tbl_get(turn, "error", "message"))
    end
  end,
  state = function(self, view)
    log.emit("State", { root = self.root, session_id = view.state.id, state = view.state.state })
  end,
}

---@param view pintle.View
---@param changed pintle.Change[]
function Workspace:take(view, changed)
  view.chat:apply(changed)
  local is_history = view.state.seq <= view.replayed_to
  for _, change in ipairs(changed) do
    if change.kind == "behind" then
      self:catch_up(view)
    elseif effects[change.kind] and not is_history then
      effects[change.kind](self, view, change)
    end
  end
end

local group = vim.api.nvim_create_augroup("pintle", { clear = true })
vim.api.nvim_create_autocmd("VimLeavePre", { group = group, callback = M.leave })
vim.api.nvim_create_autocmd("DiagnosticChanged", {
  group = group,
  callback = function(event)
    require("pintle.diagnostics").changed(event.buf)
  end,
})
vim.api.nvim_create_autocmd("User", {
  group = group,
  pattern = { "PintleState", "PintleApproval" },
  callback = function()
    vim.cmd.redrawstatus({ bang = true })
  end,
})

return M
