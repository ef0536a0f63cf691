-- Sends the last message again: after a failure, or when nothing comes any more.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

---The person's last message.
---@param state pintle.Session
---@return pintle.Input[]?
local function last_message(state)
  local entries = require("pintle.history").shown(state.history)
  for at = #entries, 1, -1 do
    local item = entries[at].change.item and state.items[entries[at].change.item.id]
    if item and item.type == "userMessage" then
      return item.content
    end
  end
end

---@param here pintle.Workspace
---@param view pintle.View
---@param content pintle.Input[]
local function send(here, view, content)
  local params = { sessionId = view.state.id, input = content, whenBusy = "queue" }
  here.engine:request(protocol.method.turn_start, params, function(err)
    if err then
      return log.failed("not resent", err)
    end
    log.say("resent")
  end)
end

---Sends the last message again; a turn that runs is stopped first.
function M.retry()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  local content = view and last_message(view.state)
  if not here or not view or not content then
    return log.say("no message to resend")
  elseif not view.state.turn then
    return send(here, view, content)
  end
  -- It is sent when the turn has ended: what waits in the queue goes back to the prompt before.
  local turn = view.state.turn
  local autocommand ---@type integer
  autocommand = vim.api.nvim_create_autocmd("User", {
    pattern = "PintleTurnCompleted",
    callback = function(event)
      if event.data.turn_id == turn then
        vim.api.nvim_del_autocmd(autocommand)
        send(here, view, content)
      end
    end,
  })
  here.engine:request(protocol.method.turn_interrupt, { sessionId = view.state.id }, function(err)
    if err then
      vim.api.nvim_del_autocmd(autocommand)
      log.failed("not resent: the turn cannot be stopped", err)
    end
  end)
end

return M
