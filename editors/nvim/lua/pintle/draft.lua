-- What a person has written and not sent yet, on disk, so that it outlives the editor: each workspace's draft of a prompt and its
-- notes.

local M = {}

-- For the user alone: 0600.
local MODE = 384

---@alias pintle.Kept "md"|"notes.json" The draft of the prompt, and the notes.

---@param root string
---@param kind? pintle.Kept
---@return string
local function path_of(root, kind)
  return ("%s/pintle/drafts/%s.%s"):format(vim.fn.stdpath("state"), vim.fn.sha256(root):sub(1, 32), kind or "md")
end

---Reads what a workspace keeps.
---@param root string
---@param kind? pintle.Kept default: the draft of the prompt
---@return string text Empty where there is none.
function M.read(root, kind)
  local file = io.open(path_of(root, kind), "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return text or ""
end

---Keeps a text in place of the one before; an empty one leaves none.
---@param root string
---@param text string
---@param kind? pintle.Kept default: the draft of the prompt
---@return string? why It could not be written; the one before is still there.
function M.keep(root, text, kind)
  local path = path_of(root, kind)
  if text == "" then
    local ok, why, name = vim.uv.fs_unlink(path)
    return not ok and name ~= "ENOENT" and why or nil
  end
  -- Prompts are nobody else's business.
  local made, why = pcall(vim.fn.mkdir, vim.fs.dirname(path), "p", "0o700")
  if not made then
    return tostring(why)
  end
  local temporary = ("%s.%d"):format(path, vim.fn.getpid())
  local file, problem = vim.uv.fs_open(temporary, "w", MODE)
  if not file then
    return problem
  end
  local number
  number, problem = vim.uv.fs_write(file, text)
  vim.uv.fs_close(file)
  local is_written = number == #text ---@type boolean?
  if is_written then
    is_written, problem = vim.uv.fs_rename(temporary, path)
  end
  if not is_written then
    vim.uv.fs_unlink(temporary)
    return problem or "only a part was written"
  end
end

return M
