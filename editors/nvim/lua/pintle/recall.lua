-- Earlier prompts of a session, put into the prompt again one after the other.

local input = require("pintle.input")
local prompt = require("pintle.prompt")

local M = {}

---@class (exact) pintle.Recall
---@field number integer Which of the earlier prompts stands in the box, from the newest.
---@field text string

---@type table<string, pintle.Recall> by workspace
local shown = {}

---The messages that the user has sent, the newest first, each once. Pure.
---@param state pintle.Session
---@return string[]
function M.earlier(state)
  local items = vim.tbl_filter(function(item)
    return item.type == "userMessage" and not state.senders[item.id]
  end, vim.tbl_values(state.items))
  table.sort(items, function(a, b)
    return a.id > b.id
  end)
  local found, known = {}, {}
  for _, item in ipairs(items) do
    local text = vim.trim(input.editable(item.content))
    if text ~= "" and not known[text] then
      known[text] = true
      found[#found + 1] = text
    end
  end
  return found
end

---Puts an earlier or a later prompt into the box, if it is empty or holds an earlier prompt as it was.
---@param workspace pintle.Workspace
---@param by 1|-1 1 for an earlier one
---@return boolean is_done False where the key has its own meaning.
function M.step(workspace, by)
  local text, recall = prompt.text(workspace), shown[workspace.root]
  local is_recalled = recall ~= nil and recall.text == text and text ~= ""
  local view = workspace:view()
  if text ~= "" and not is_recalled or not view or not is_recalled and by < 0 then
    return false
  end
  local all = M.earlier(view.state)
  local number = (is_recalled and recall.number or 0) + by
  if number > #all then
    return true
  end
  shown[workspace.root] = number > 0 and { number = number, text = all[number] } or nil
  prompt.set(workspace, all[number] or "")
  for _, win in ipairs(vim.fn.win_findbuf(prompt.buffer(workspace))) do
    local last = vim.api.nvim_buf_line_count(prompt.buffer(workspace))
    vim.api.nvim_win_set_cursor(win, { last, #vim.fn.getbufline(prompt.buffer(workspace), last)[1] })
  end
  return true
end

return M
