-- The prompt: an ordinary buffer for each workspace. `:w` or <CR> sends it; while a turn runs one says whether to steer or wait.

local config = require("pintle.config")
local input = require("pintle.input")

local M = {}

---@type table<string, integer> buffers by workspace
local buffers = {}

local HELP = "%#Comment# <CR> send · <LocalLeader>s steer · <LocalLeader>q queue · <LocalLeader>x stop"

---@param workspace pintle.Workspace
---@return integer buf
function M.buffer(workspace)
  local buf = buffers[workspace.root]
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  buf = vim.api.nvim_create_buf(false, false)
  buffers[workspace.root] = buf
  -- Two folders may have the same name.
  if not pcall(vim.api.nvim_buf_set_name, buf, "pintle://prompt/" .. vim.fs.basename(workspace.root)) then
    vim.api.nvim_buf_set_name(buf, "pintle://prompt/" .. workspace.root)
  end
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].filetype = "markdown"
  local pintle = require("pintle")
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      pintle.ask()
    end,
  })
  local function map(lhs, action, desc)
    vim.keymap.set("n", lhs, action, { buffer = buf, desc = "pintle: " .. desc })
  end
  map("<CR>", pintle.ask, "send the prompt")
  map("<LocalLeader>s", pintle.steer, "steer the running turn")
  map("<LocalLeader>q", pintle.queue, "queue a follow-up")
  map("<LocalLeader>x", pintle.stop, "stop the turn")
  return buf
end

---@param workspace pintle.Workspace
---@return string
function M.text(workspace)
  local lines = vim.api.nvim_buf_get_lines(M.buffer(workspace), 0, -1, false)
  return vim.trim(table.concat(lines, "\n"))
end

---@param workspace pintle.Workspace
---@param text string
function M.set(workspace, text)
  local buf = M.buffer(workspace)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  vim.bo[buf].modified = false
end

---Puts texts before what stands there.
---@param workspace pintle.Workspace
---@param texts string[]
function M.put_before(workspace, texts)
  local text = M.text(workspace)
  if text ~= "" then
    texts[#texts + 1] = text
  end
  M.set(workspace, table.concat(texts, "\n\n"))
end

---Puts messages back that the model has not read, before what stands there.
---@param workspace pintle.Workspace
---@param inputs pintle.QueuedInput[]
function M.put_back(workspace, inputs)
  local texts = vim.tbl_map(function(message)
    return input.editable(message.content)
  end, inputs)
  M.put_before(workspace, texts)
  require("pintle.log").say(("%d not read by the model, back in the prompt"):format(#inputs))
end

---@param buf integer
---@return integer? win in the current tab
local function window_of(buf)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == buf then
      return win
    end
  end
end

---Shows the transcript and below it the prompt, and goes there.
---@param workspace pintle.Workspace
---@param chat pintle.Chat
function M.open(workspace, chat)
  local settings = config.get()
  local buf = M.buffer(workspace)
  local prompt_win = window_of(buf)
  local chat_win = window_of(chat.buf)
  if prompt_win and not chat_win then
    -- Another session's transcript stands above the prompt.
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if require("pintle.chat").of(vim.api.nvim_win_get_buf(win)) then
        vim.api.nvim_win_set_buf(win, chat.buf)
        chat_win = win
      end
    end
  end
  if not chat_win then
    vim.cmd(("botright %dvsplit"):format(settings.width))
    chat_win = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(chat_win, chat.buf)
  end
  require("pintle.chat").dress(chat_win)
  vim.api.nvim_win_set_cursor(chat_win, { vim.api.nvim_buf_line_count(chat.buf), 0 })
  if not prompt_win then
    vim.api.nvim_set_current_win(chat_win)
    vim.cmd(("belowright %dsplit"):format(settings.prompt_height))
    prompt_win = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(prompt_win, buf)
    for name, value in pairs({ winfixheight = true, foldmethod = "manual", winbar = HELP }) do
      vim.api.nvim_set_option_value(name, value, { scope = "local", win = prompt_win })
    end
  end
  vim.api.nvim_set_current_win(prompt_win)
end

return M
