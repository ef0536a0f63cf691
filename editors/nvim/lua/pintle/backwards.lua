-- The beginning of a transcript whose earlier part was not read yet: a line that says so, and what is put above it later.

local history = require("pintle.history")
local runs = require("pintle.runs")

local M = {}

-- The block of that line.
M.KEY = "earlier"

local LINE = "▲ more above: scroll up, or use :Pintle earlier"

---Says at the beginning that there is more, or that there is none.
---@param chat pintle.Chat
function M.mark(chat)
  local block = chat.blocks.by_key[M.KEY]
  if block and chat.state.first == 1 then
    chat.blocks:remove(block)
  elseif not block and chat.state.first > 1 then
    chat.blocks:put_first({ { key = M.KEY, kind = "earlier", lines = { LINE } } })
  end
end

---Compares what is to be shown with the blocks that are there, from the end.
---@param chat pintle.Chat
---@param shown pintle.HistoryEntry[]
---@return integer entries How many of them are before the end that both have in common,
---@return integer blocks and how many blocks.
local function before_same_end(chat, shown)
  local at, number = #shown, #chat.blocks.list
  while at > 0 do
    local entry = shown[at]
    local block = chat.blocks.list[number]
    if block and block.key == entry.key then
      number = number - 1
    elseif chat.blocks.by_key[entry.key] or chat:entry_lines(entry) then
      break
    end
    at = at - 1
  end
  return at, number
end

---Puts what came earlier above what is there, after the session has taken it. Windows go on showing what they show.
---@param chat pintle.Chat
---@param came table<string, string> The messages of which only what is put above tells how they came, or from whom.
function M.put_before(chat, came)
  if not chat:is_alive() then
    return
  end
  chat:draw()
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(chat.buf)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  vim.bo[chat.buf].modifiable = true
  chat:clear_queue()
  local before = chat.blocks.lines
  local mark = chat.blocks.by_key[M.KEY]
  if mark then
    chat.blocks:remove(mark)
  end
  local shown = history.shown(chat.state.history)
  local new, old = before_same_end(chat, shown)
  -- How a message came may be known only now.
  for id in pairs(came) do
    if chat.blocks.by_key[id] then
      chat:item({ item = chat.state.items[id] })
    end
  end
  chat.blocks:draw()
  -- What began earlier than something that comes only now is drawn again, where it began.
  for _ = 1, old do
    chat.blocks:remove(chat.blocks.list[1])
  end
  local made = {}
  for number = 1, new do
    local entry = shown[number]
    local lines = chat:entry_lines(entry)
    if lines then
      local item = entry.change.item and chat.state.items[entry.change.item.id]
      local group = item and runs.group_of(item)
      made[#made + 1] =
        { key = entry.key, kind = item and item.type or entry.change.kind, lines = lines, group = group }
    end
  end
  chat.blocks:put_first(made)
  M.mark(chat)
  chat:draw_queue()
  vim.bo[chat.buf].modifiable = false
  for win, view in pairs(views) do
    local by = chat.blocks.lines - before
    view.lnum, view.topline = view.lnum + by, view.topline + by
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

---Whether a window shows the line that says that there is more.
---@param chat pintle.Chat
---@return boolean
function M.is_seen(chat)
  return chat.state.first > 1
    and vim.iter(vim.fn.win_findbuf(chat.buf)):any(function(win)
      return vim.fn.line("w0", win) == 1
    end)
end

return M
