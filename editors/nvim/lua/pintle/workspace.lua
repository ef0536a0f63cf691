-- A workspace: its engine, the sessions that are open in it, and which of them is the current one. Here what the engine
-- says meets the views; what it means is the business of `session.lua`.

local approval = require("pintle.approval")
local config = require("pintle.config")
local documents = require("pintle.documents")
local effects = require("pintle.effects")
local engine = require("pintle.engine")
local leftovers = require("pintle.leftovers")
local log = require("pintle.log")
local paging = require("pintle.paging")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")
local pulse = require("pintle.pulse")
local review = require("pintle.review")
local session = require("pintle.session")

local M = {}

---@class (exact) pintle.View
---@field state pintle.Session
---@field chat pintle.Chat
---@field replayed_to integer Events up to here are history: they are drawn, and nothing else is done.
---@field is_paging boolean Missed events are being read.
---@field is_reading_back boolean Earlier events are being read,
---@field wants_all boolean up to the first one.
---@field awaited { seq: integer, done: fun() }[] What waits for events.

---@class (exact) pintle.Workspace
---@field root string
---@field engine pintle.Engine
---@field views table<string, pintle.View>
---@field current? string
---@field isolation? pintle.IsolationKind The copy that the next session works in.
---@field documents pintle.Documents
---@field private wanting? fun(view: pintle.View)[] What waits for a session that is being made or opened.
---@field private target? string The session that is being opened.
local Workspace = {}
Workspace.__index = Workspace

---How long the editor may wait for an answer that it needs at once, as for completion.
local ANSWER_MS = 1000

---@type table<string, pintle.Workspace>
local by_root = {}

---The root of the workspace that the current buffer belongs to, under its one real name.
---@return string
function M.root_here()
  return paths.real(config.get().root())
end

---The workspace that the current buffer belongs to, if it was used before.
---@return pintle.Workspace?
function M.find()
  return by_root[M.root_here()]
end

---@return pintle.Workspace[]
function M.all()
  return vim.tbl_values(by_root)
end

---The workspace that the current buffer belongs to.
---@return pintle.Workspace
function M.get()
  local root = M.root_here()
  local self = by_root[root]
  if self then
    return self
  end
  self = setmetatable({ root = root, views = {} }, Workspace)
  self.documents = documents.new(self)
  self.engine = engine.new(root, {
    ready = function(is_restart)
      log.emit("Ready", { root = root })
      leftovers.clean(self)
      if is_restart then
        paging.reattach(self)
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
    changed = function(state)
      if state ~= "ready" then
        approval.drop(self.engine)
        self.documents:lost()
      end
      if state == "failed" then
        require("pintle.inline").lost(self)
      end
      log.emit("State", { root = root, engine = state })
    end,
    is_busy = function()
      return vim.iter(pairs(self.views)):any(function(_, view)
        return session.is_busy(view.state)
      end)
    end,
  })
  by_root[root] = self
  return self
end

---Ends every engine; for the editor's exit.
function M.leave()
  local deadline = vim.uv.now() + config.get().exit_ms
  local waiting = 0
  for _, self in pairs(by_root) do
    for _, id in ipairs(vim.tbl_keys(self.views)) do
      local is_asked = self:discard_if_blank(id, function()
        waiting = waiting - 1
      end)
      waiting = waiting + (is_asked and 1 or 0)
    end
  end
  vim.wait(config.get().exit_ms, function()
    return waiting == 0
  end, 5)
  for _, self in pairs(by_root) do
    self.engine:leave()
  end
  for _, self in pairs(by_root) do
    vim.uv.update_time()
    self.engine:wait_for_end(math.max(0, deadline - vim.uv.now()))
  end
end

---Remembers which session a tab shows: each tab may show another one.
---@param tab integer
---@param id? string
local function mark(tab, id)
  if vim.api.nvim_tabpage_is_valid(tab) then
    vim.t[tab].pintle_session = id
  end
end

---Makes a session the current one: that of the tab that one is in.
---@param id string
---@param tab? integer default: this one
function Workspace:make_current(id, tab)
  tab = tab or vim.api.nvim_get_current_tabpage()
  local before = vim.t[tab].pintle_session
  mark(tab, id)
  if tab == vim.api.nvim_get_current_tabpage() then
    self.current = id
  end
  if before and before ~= id then
    self:discard_if_blank(before)
  end
end

---Has no session any more in this tab, until one is made or opened.
function Workspace:leave_session()
  self.current, self.target, self.wanting = nil, nil, nil
  mark(vim.api.nvim_get_current_tabpage(), nil)
end

---Drops a session that was closed or deleted.
---@param id string
---@return pintle.View? view
function Workspace:drop(id)
  local view = self.views[id]
  self.views[id] = nil
  require("pintle.inline").forget(id)
  review.forget(id)
  return view
end

---Takes a session out that was closed or deleted.
---@param id string
function Workspace:forget(id)
  local view = self:drop(id)
  if self.current == id then
    self:leave_session()
  end
  if view then
    local err = { code = 0, message = "it was closed" }
    require("pintle.layout").give_up(self, view.chat, err)
    review.draw()
  end
end

---Asks the engine and waits for the answer, for what cannot come later. Starts no engine.
---@param method string
---@param params table
---@return any result nil where there is none in time
function Workspace:ask_now(method, params)
  local result, is_done
  if self.engine.state == "ready" then
    self.engine:request(method, params, function(_, answer)
      result, is_done = answer, true
    end)
    vim.wait(ANSWER_MS, function()
      return is_done
    end, 5)
  end
  return result
end

---Deletes a session in which nothing was said, or in which an inline edit changed nothing, so that lists hold none of them. One
---that another client has open, or another tab shows, stays.
---@param id string
---@param done? fun() Called when it is deleted, or cannot be.
---@return boolean is_asked
function Workspace:discard_if_blank(id, done)
  local view = self.views[id]
  local is_shown = vim.iter(vim.api.nvim_list_tabpages()):any(function(tab)
    return vim.t[tab].pintle_session == id
  end)
  local is_leaving = done ~= nil
  if not view or self.engine.state ~= "ready" or is_shown and not is_leaving then
    return false
  elseif not session.is_blank(view.state) and not require("pintle.inline").is_fruitless(id) then
    return false
  end
  self:drop(id)
  self.engine:request(protocol.method.session_close, { sessionId = id }, function()
    self.engine:request(protocol.method.session_delete, { sessionId = id }, function(err)
      if not err then
        leftovers.remove(id)
      end
      if done then
        done()
      end
    end)
  end)
  return true
end

---@return pintle.View?
function Workspace:view()
  return self.current and self.views[self.current]
end

---Calls `done` with the current session, making one where there is none.
---@param done fun(view: pintle.View)
function Workspace:with_session(done)
  if self.wanting then
    table.insert(self.wanting, done)
    return
  end
  local view = self:view()
  if view then
    return done(view)
  end
  self.wanting = { done }
  local tab = vim.api.nvim_get_current_tabpage()
  local settings = config.get()
  local params = { cwd = self.root, config = vim.empty_dict() }
  params.config.model = settings.model
  params.config.permissionMode = settings.permission_mode
  params.isolation = self.isolation and { kind = self.isolation } or nil
  self.isolation = nil
  self.engine:request(protocol.method.session_create, params, function(err, result)
    if err or not result then
      self.wanting = nil
      err = err or { code = 0, message = "an empty answer" }
      require("pintle.layout").failed(self, err)
      return log.failed("no session", err)
    end
    self:serve_waiting(self:adopt(result, tab))
  end)
end

---The view of a session, made where there is none.
---@param id string
---@return pintle.View
function Workspace:view_of(id)
  local view = self.views[id]
  if not view then
    local state = session.new(id)
    local chat = require("pintle.chat").new(state, self.root)
    view = {
      state = state,
      chat = chat,
      replayed_to = 0,
      is_paging = false,
      is_reading_back = false,
      wants_all = false,
      awaited = {},
    }
    function chat.more()
      paging.earlier(self, view)
    end
    self.views[id] = view
  end
  return view
end

---Makes a session the current one, as the engine says that it is.
---@param result pintle.SessionResult
---@param tab integer The tab in which a person asked for it.
---@return pintle.View
function Workspace:adopt(result, tab)
  local view = self:view_of(result.sessionId)
  self:make_current(result.sessionId, tab)
  for _, each in ipairs(require("pintle.layout").replace_stand_in(self, view.chat)) do
    self:make_current(result.sessionId, each)
  end
  self:take(view, session.attach(view.state, result))
  log.emit("Session", { root = self.root, session_id = result.sessionId })
  return view
end

---Opens a stored session and draws the end of its transcript.
---@param id string
---@param done fun(view: pintle.View, tab: integer)
function Workspace:open(id, done)
  local known = self.views[id]
  if known and known.chat:is_alive() and not known.state.early then
    self.target = nil
    if self.current ~= id then
      self:make_current(id)
      review.look(self, id)
    end
    self:serve_waiting()
    return done(known, vim.api.nvim_get_current_tabpage())
  end
  -- A session that is open and only lost its buffer is drawn anew.
  self.views[id] = nil
  local method = known and protocol.method.session_subscribe or protocol.method.session_open
  self:show(id, function(answer)
    self.engine:request(method, { sessionId = id }, answer)
  end, done)
end

---Makes a session that has a history the current one. Its end is shown while the engine opens it; what a person sends meanwhile
---waits for that.
---@param id string
---@param ask fun(answer: fun(err?: pintle.RpcError, result?: pintle.SessionResult)) Asks the engine to open it.
---@param done fun(view: pintle.View, tab: integer) Called when the end is there, with the tab in which a person asked for it.
function Workspace:show(id, ask, done)
  local view, tab = self:view_of(id), vim.api.nvim_get_current_tabpage()
  local result, is_drawn
  self.target, self.wanting = id, self.wanting or {}
  local function failed(err)
    if self.views[id] ~= view then
      return -- the other answer was an error as well
    end
    self.views[id] = nil
    paging.cannot_open("cannot open the session", err)
    if self.target == id then
      self.target, self.wanting = nil, nil
      require("pintle.layout").give_up(self, view.chat, err)
    end
  end
  local function go_on()
    if not result or not is_drawn then
      return
    elseif self.target == id then
      self.target = nil
      self:adopt(result, tab)
    else
      self:take(view, session.attach(view.state, result))
    end
    view.replayed_to = result.seq
    self:serve_waiting()
    if view.state.seq < result.seq then
      return paging.catch_up(self, view)
    end
    paging.caught_up(self, view)
  end
  paging.tail(self, view, function(err)
    if err then
      return failed(err)
    end
    is_drawn = true
    if self.views[id] == view then
      done(view, tab)
      go_on()
    end
  end)
  ask(function(err, opened)
    if err or not opened then
      return failed(err or { code = 0, message = "an empty answer" })
    end
    result = opened
    go_on()
  end)
end

---Calls whoever waits for a session.
---@param made? pintle.View The one that was made for them, perhaps in a tab that was left meanwhile; default: the current one.
function Workspace:serve_waiting(made)
  local wanting, view = self.wanting, made or self:view()
  if wanting and view and not self.target then
    self.wanting = nil
    for _, each in ipairs(wanting) do
      each(view)
    end
  end
end

---@param method string
---@param params table
function Workspace:notified(method, params)
  if method == protocol.method.session_event then
    local view = self.views[params.sessionId]
    if view then
      self:take(view, session.apply(view.state, params))
    end
  elseif method == protocol.method.session_eventsMissed then
    local view = self.views[params.sessionId]
    if view then
      self:take(view, session.lagged(view.state, params))
    end
  elseif method == protocol.method.auth_openUrl then
    require("pintle.login").page(params)
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
    return require("pintle.edits").answer(self, params, function(result)
      respond(result)
    end, id)
  elseif method ~= protocol.method.approval_request then
    return respond(nil, { code = protocol.code.methodNotFound, message = "unknown: " .. method })
  end
  approval.add(self.engine, id, params, respond)
end

---Calls `done` once a session's event has been applied. The answer to a request may come before the events that it leads to; a
---notice about them, with the command that comes next, waits for them.
---@param id pintle.SessionId
---@param seq integer
---@param done fun() Not called if the session is closed before.
function Workspace:after(id, seq, done)
  local view = self.views[id]
  if not view or view.state.seq >= seq then
    return done()
  end
  table.insert(view.awaited, { seq = seq, done = done })
end

---@param view pintle.View
---@param changed pintle.Change[]
function Workspace:take(view, changed)
  view.chat:apply(changed)
  pulse.heard(view.state, changed)
  if session.is_busy(view.state) then
    self.engine:is_needed()
  end
  local is_history = view.state.seq <= view.replayed_to
  for _, change in ipairs(changed) do
    if change.kind == "behind" then
      paging.catch_up(self, view)
    elseif not is_history then
      effects.run(self, view, change)
    end
  end
  local awaited = view.awaited
  view.awaited = vim.tbl_filter(function(each)
    return each.seq > view.state.seq
  end, awaited)
  for _, each in ipairs(#view.awaited < #awaited and awaited or {}) do
    if each.seq <= view.state.seq then
      each.done()
    end
  end
end

local group = vim.api.nvim_create_augroup("pintle", { clear = true })
vim.api.nvim_create_autocmd("VimLeavePre", { group = group, callback = M.leave })
-- A tab with a session of its own makes that the current one.
vim.api.nvim_create_autocmd("TabEnter", {
  group = group,
  callback = function()
    local id = vim.t.pintle_session
    for _, self in pairs(by_root) do
      if id and self.views[id] and self.current ~= id then
        self.current = id
        review.look(self, id)
      end
    end
  end,
})
vim.api.nvim_create_autocmd("DiagnosticChanged", {
  group = group,
  callback = function(event)
    require("pintle.diagnostics").changed(event.buf)
  end,
})
vim.api.nvim_create_autocmd("User", {
  group = group,
  pattern = { "PintleState", "PintleApproval", "PintleQuestion" },
  callback = function()
    vim.cmd.redrawstatus({ bang = true })
  end,
})

return M
