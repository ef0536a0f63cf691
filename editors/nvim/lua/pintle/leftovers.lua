-- Sessions of inline edits that an editor has left behind, because it was killed or exited while they ran: deleted when an engine
-- starts, unless they have changed files or were continued.
--
-- Each edit's session has a small file until the edit has changed files or its session is deleted.

local protocol = require("pintle.protocol")

local M = {}

---@type table<pintle.SessionId, true> what others have left behind, unless it is known to be of use
local hidden = {}

---@type integer Sessions that are being looked at.
local looking = 0

---@type fun()[] What waits until none is.
local waiting = {}

---@return string
local function folder()
  return vim.fn.stdpath("state") .. "/pintle/edits"
end

---Remembers the session of an edit.
---@param root string
---@param id pintle.SessionId
function M.add(root, id)
  -- Without the file, the session stays in lists at worst.
  pcall(vim.fn.mkdir, folder(), "p", "0o700")
  local file = io.open(folder() .. "/" .. id, "wb")
  if file then
    file:write(root)
    file:close()
  end
end

---Forgets the session of an edit.
---@param id pintle.SessionId
function M.remove(id)
  vim.uv.fs_unlink(folder() .. "/" .. id)
end

---Returns true for a session that lists omit.
---@param id pintle.SessionId
---@return boolean
function M.is_hidden(id)
  return hidden[id] ~= nil
end

---Calls `done` once it is known which sessions are hidden.
---@param done fun()
function M.when_known(done)
  if looking == 0 then
    return done()
  end
  table.insert(waiting, done)
end

---Whether a session is of use: an edit that has changed files, or one that was continued. Pure.
---@param events pintle.EventRecord[]
---@return boolean
function M.is_useful(events)
  local turns = 0
  for _, record in ipairs(events) do
    local event = record.event
    if event.type == "files.changed" and vim.tbl_get(event, "by", "type") == "call" then
      return true
    end
    turns = turns + (event.type == "turn.started" and 1 or 0)
  end
  return turns > 1
end

-- More events than a short edit has. A longer one is kept.
local EVENTS_MAX = 1000

---@param here pintle.Workspace
---@param id pintle.SessionId
---@param err? pintle.RpcError
---@param result? pintle.SessionEventsResult
local function judge(here, id, err, result)
  if err or not result then
    return err and err.code == protocol.code.notFound and M.remove(id)
  elseif result.more or M.is_useful(result.events) then
    hidden[id] = nil
    return M.remove(id)
  end
  -- One that another editor has open is refused, and is looked at again at the next start.
  here.engine:request(protocol.method.session_delete, { sessionId = id }, function(refused)
    if not refused then
      M.remove(id)
    end
  end)
end

---@param here pintle.Workspace
---@param id pintle.SessionId
local function look(here, id)
  hidden[id], looking = true, looking + 1
  here.engine:request(protocol.method.session_events, { sessionId = id, limit = EVENTS_MAX }, function(err, result)
    judge(here, id, err, result)
    looking = looking - 1
    while looking == 0 and waiting[1] do
      table.remove(waiting, 1)()
    end
  end)
end

---Deletes what edits have left behind in a workspace.
---@param here pintle.Workspace
function M.clean(here)
  for id in vim.fs.dir(folder()) do
    local file = not here.views[id] and io.open(folder() .. "/" .. id, "rb")
    local root = file and file:read("*a")
    if file then
      file:close()
    end
    if root == here.root then
      look(here, id)
    end
  end
end

return M
