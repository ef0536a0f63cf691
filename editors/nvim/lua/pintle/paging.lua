-- Reads the events of sessions in pages: the last one when a session is opened, those that were missed, and those that came
-- before when somebody goes there.

local backwards = require("pintle.backwards")
local log = require("pintle.log")
local protocol = require("pintle.protocol")
local session = require("pintle.session")

local M = {}

---@type pintle.RpcError
local EMPTY = { code = 0, message = "an empty answer" }

-- Events in a page. Small enough that decoding and drawing one is not felt.
local PAGE = 200

-- Where somebody waits for all of them, larger ones are over sooner.
local PAGE_OF_ALL = 400

-- Beyond the end of every session.
local END = 2 ^ 53

---@param workspace pintle.Workspace
---@param params pintle.SessionEventsParams
---@param done fun(page?: pintle.SessionEventsResult, err?: pintle.RpcError)
local function read(workspace, params, done)
  params.limit = params.limit or PAGE
  workspace.engine:request(protocol.method.session_events, params, function(err, page)
    if err or not page then
      err = err or EMPTY
    end
    done(not err and page or nil, err)
  end)
end

---Reads the last page of a session that has a history, and draws it.
---@param workspace pintle.Workspace
---@param view pintle.View
---@param done fun(err?: pintle.RpcError)
function M.tail(workspace, view, done)
  session.await_tail(view.state)
  read(workspace, { sessionId = view.state.id, before = END }, function(page, err)
    if not page then
      return done(err)
    end
    view.replayed_to = page.lastSeq
    workspace:take(view, session.tail(view.state, page))
    done()
  end)
end

---Reads the events that are missing, page by page.
---@param workspace pintle.Workspace
---@param view pintle.View
function M.catch_up(workspace, view)
  if view.is_paging then
    return
  end
  view.is_paging = true
  local function next_page()
    read(workspace, { sessionId = view.state.id, after = view.state.seq }, function(page, err)
      if not page then
        view.is_paging = false
        return log.failed("cannot read events", err or EMPTY)
      end
      local changed, more = session.page(view.state, page)
      workspace:take(view, changed)
      if more then
        return next_page()
      end
      view.is_paging = false
      M.caught_up(workspace, view)
    end)
  end
  next_page()
end

---All that has happened is known.
---@param workspace pintle.Workspace
---@param view pintle.View
function M.caught_up(workspace, view)
  require("pintle.review").look(workspace, view.state.id)
  log.emit("CaughtUp", { root = workspace.root, session_id = view.state.id })
end

---Reads what came before the transcript's beginning: a page, or all of it.
---@param workspace pintle.Workspace
---@param view pintle.View
---@param is_all? boolean
function M.earlier(workspace, view, is_all)
  view.wants_all = view.wants_all or is_all or false
  if view.state.first <= 1 or view.is_reading_back then
    return
  end
  view.is_reading_back = true
  local limit = view.wants_all and PAGE_OF_ALL or PAGE
  read(workspace, { sessionId = view.state.id, before = view.state.first, limit = limit }, function(page, err)
    view.is_reading_back = false
    if not page then
      view.wants_all = false
      return log.failed("cannot read earlier events", err or EMPTY)
    end
    local came = session.earlier(view.state, page)
    backwards.put_before(view.chat, came)
    if view.state.first <= 1 then
      view.wants_all = false
      log.emit("CaughtUp", { root = workspace.root, session_id = view.state.id })
    elseif view.wants_all or backwards.is_seen(view.chat) then
      M.earlier(workspace, view)
    end
  end)
end

---Says that a session cannot be opened, and how to where it is.
---@param what string
---@param err? pintle.RpcError
function M.cannot_open(what, err)
  local shown = err or EMPTY
  local data = shown.data
  if type(data) == "table" and data.sharedEngine then
    local hint = 'to open it here too, put `shared = true` into require("pintle").setup() and start Neovim again'
    local more = vim.tbl_extend("force", data, { hint = hint }) --[[@as pintle.ErrorData]]
    shown = { code = shown.code, message = shown.message, data = more }
  end
  log.failed(what, shown)
end

---Subscribes again to every session after the engine was restarted.
---@param workspace pintle.Workspace
function M.reattach(workspace)
  for id, view in pairs(workspace.views) do
    local params = { sessionId = id, fromSeq = view.state.seq }
    workspace.engine:request(protocol.method.session_open, params, function(err, result)
      if err or not result then
        return M.cannot_open("cannot reopen the session", err)
      end
      view.is_paging = false
      view.state.pieces = {}
      workspace:take(view, session.attach(view.state, result))
      if view.state.is_behind then
        M.catch_up(workspace, view)
      end
      require("pintle.review").look(workspace, id)
      log.emit("Reattached", { root = workspace.root, session_id = id })
    end)
  end
end

return M
