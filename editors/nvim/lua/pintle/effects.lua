-- What happens in a session means more than that it is drawn: files are read again, hunks asked for, people told.

local advice = require("pintle.advice")
local buffers = require("pintle.buffers")
local log = require("pintle.log")
local render = require("pintle.render")
local review = require("pintle.review")

local M = {}

---@type table<string, table<string, true>> by session: the files that the running turn has changed
local touched = {}

---@param view pintle.View
---@return boolean
local function is_shown(view)
  return #vim.fn.win_findbuf(view.chat.buf) > 0
end

---How a turn ended, for those who do not see its transcript. Pure.
---@param turn pintle.Turn
---@param files string[]
---@return string
function M.summary(turn, files)
  local text = "done in " .. render.duration(turn.duration_ms)
  if #files > 0 then
    local names = vim.tbl_map(function(path)
      return path:match("[^/\\]+$") or path
    end, files)
    table.sort(names)
    local named = #names > 3 and ("%s and %d more"):format(table.concat(names, ", ", 1, 2), #names - 2)
      or table.concat(names, ", ")
    return text .. (", changed %s; :Pintle review lists the hunks"):format(named)
  end
  return text .. ", no files changed; :Pintle open shows the answer"
end

---What each change means besides being drawn.
---@type table<string, fun(self: pintle.Workspace, view: pintle.View, change: any)>
local effects = {
  files = function(self, view, change)
    buffers.check_all()
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
      touched[view.state.id] = {}
      if not is_shown(view) then
        log.say("working; :Pintle open shows the transcript")
      end
      return
    end
    local files = vim.tbl_keys(touched[view.state.id] or {})
    touched[view.state.id] = nil
    review.look(self, view.state.id)
    if turn.status == "interrupted" then
      log.say("the turn was stopped")
    elseif turn.status == "failed" then
      local err = turn.error
      log.error("the turn failed" .. (err and ": " .. advice.line(err) or ""))
    elseif turn.status == "completed" and not is_shown(view) then
      log.say(M.summary(turn, files))
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
  if effects[change.kind] then
    effects[change.kind](workspace, view, change)
  end
end

return M
