-- What happens in a session means more than that it is drawn: files are read again, hunks asked for, people told.

local buffers = require("pintle.buffers")
local log = require("pintle.log")
local review = require("pintle.review")

local M = {}

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
