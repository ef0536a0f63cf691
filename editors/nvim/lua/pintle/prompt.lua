-- The prompt: an ordinary buffer for each workspace. <CR> in Normal mode sends it, or steers the turn that runs, and <A-CR>
-- queues it; `:w` only keeps the draft.

local draft = require("pintle.draft")
local input = require("pintle.input")
local log = require("pintle.log")

local M = {}

---@type table<string, integer> buffers by workspace
local buffers = {}

---Keeps what stands in the prompt, and sends nothing: files are written all at once, and by plugins while one types.
---@param workspace pintle.Workspace
---@param buf integer
local function keep(workspace, buf)
  local why = draft.keep(workspace.root, vim.trim(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")))
  if why then
    return log.error("cannot save the draft: " .. why)
  end
  vim.bo[buf].modified = false
end

---`:w NAME` in the prompt.
---@param path string
---@param buf integer
local function write_to(path, buf)
  if vim.uv.fs_stat(path) and vim.v.cmdbang == 0 then
    return log.error(("%s exists (add ! to replace it)"):format(path))
  end
  local ok, why = pcall(vim.fn.writefile, vim.api.nvim_buf_get_lines(buf, 0, -1, false), path)
  if not ok then
    log.error(("cannot write %s: %s"):format(path, why))
  end
end

---Makes a buffer the prompt, with the draft in it.
---@param workspace pintle.Workspace
---@param buf integer
local function fill(workspace, buf)
  vim.b[buf].pintle_root = workspace.root
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  require("pintle.looks").dress(buf, "pintle-prompt")
  require("pintle.dropped").watch()
  require("pintle.notes").restore(workspace.root)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(draft.read(workspace.root), "\n", { plain = true }))
  local maps = require("pintle.maps")
  maps.set(buf, maps.of_prompt(workspace))
end

---@param workspace pintle.Workspace
---@return integer buf
function M.buffer(workspace)
  local buf = buffers[workspace.root]
  if buf and vim.api.nvim_buf_is_loaded(buf) then
    return buf
  end
  if buf then
    pcall(vim.api.nvim_buf_delete, buf, { force = true }) -- it was unloaded
  end
  buf = vim.api.nvim_create_buf(false, false)
  buffers[workspace.root] = buf
  require("pintle.buffers").name(buf, "prompt", workspace.root)
  require("pintle.buffers").filled_by(buf, function()
    fill(workspace, buf)
  end)
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      if event.match == vim.api.nvim_buf_get_name(buf) then
        return keep(workspace, buf)
      end
      write_to(event.match, buf)
    end,
  })
  require("pintle.complete").attach(workspace, buf)
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
  keep(workspace, buf)
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
  log.say(("%d unread, returned to the prompt"):format(#inputs))
end

return M
