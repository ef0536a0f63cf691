-- What runs in a session: its calls, jobs and sub-agents, and the choice of one of them.

local log = require("pintle.log")

local M = {}

---@return pintle.Workspace? here, pintle.View? view
function M.current()
  local here = require("pintle.workspace").find()
  return here, here and here:view()
end

---A test for items of some kinds.
---@param kinds table<string, true>
---@return fun(item: pintle.Item): boolean
function M.is_a(kinds)
  return function(item)
    return kinds[item.type] == true
  end
end

---The running items that pass a test, oldest first. What the provider runs is not among them.
---@param view pintle.View
---@param is_wanted fun(item: pintle.Item): boolean
---@return pintle.Item[]
function M.items(view, is_wanted)
  local found = {}
  for _, item in pairs(view.state.items) do
    local is_running = item.status == "running" or item.state == "working"
    if is_running and not item.byProvider and is_wanted(item) then
      found[#found + 1] = item
    end
  end
  table.sort(found, function(a, b)
    return a.id < b.id
  end)
  return found
end

---@param item pintle.Item
---@return string
function M.name_of(item)
  return ((item.title or item.task or item.id):gsub("%s*\n.*", " …"))
end

---The item under the cursor of a transcript.
---@param view pintle.View
---@return pintle.Item?
function M.at_cursor(view)
  local chat = require("pintle.chat").of(vim.api.nvim_get_current_buf())
  local block = chat and chat == view.chat and chat.blocks:at(vim.fn.line("."))
  return block and view.state.items[block.key] or nil
end

---Chooses a running item that passes a test: the one under the cursor in the transcript, otherwise the only one, otherwise
---the one that the user picks.
---@param is_wanted fun(item: pintle.Item): boolean
---@param words { prompt: string, kind: string, nothing: string }
---@param use fun(here: pintle.Workspace, view: pintle.View, item: pintle.Item)
function M.choose(is_wanted, words, use)
  local here, view = M.current()
  local list = view and M.items(view, is_wanted) or {}
  if not here or not view or #list == 0 then
    return log.say(words.nothing)
  end
  local under = M.at_cursor(view)
  if under and vim.list_contains(list, under) then
    return use(here, view, under)
  end
  local only = list[1]
  if only and #list == 1 then
    return use(here, view, only)
  end
  local options = { prompt = words.prompt, kind = words.kind, format_item = M.name_of }
  require("pintle.picker").select(list, options, function(item)
    use(here, view, item)
  end)
end

return M
