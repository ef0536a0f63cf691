-- What a prompt names and the engine cannot see: the selection, what the editor finds wrong, the quickfix list, lines of a file,
-- pictures. It stands in the prompt as a word, and goes with the message as a block when that is sent.
--
-- `@path` alone is the engine's: it reads the file itself.

local buffers = require("pintle.buffers")
local input = require("pintle.input")
local paths = require("pintle.paths")

local M = {}

-- Pictures that are larger are refused by providers.
local IMAGE_BYTES_MAX = 10 * 1024 * 1024

local IMAGE_TYPES =
  { png = "image/png", jpg = "image/jpeg", jpeg = "image/jpeg", gif = "image/gif", webp = "image/webp" }

---@type table<integer, pintle.Severity>
local SEVERITIES = { "error", "warning", "information", "hint" }

---The window of the code: the current one, or the one that the prompt's jumps go to.
---@return integer? win
local function code_window()
  if vim.bo.buftype == "" and vim.api.nvim_buf_get_name(0) ~= "" then
    return vim.api.nvim_get_current_win()
  end
  return require("pintle.layout").other_window()
end

---The lines that were selected last in the window of the code.
---@return pintle.Input? block, string? why
local function selection()
  local win = code_window()
  if not win then
    return nil, "no window shows a file"
  end
  local block = vim.api.nvim_win_call(win, function()
    local first, last = vim.fn.line("'<"), vim.fn.line("'>")
    return first > 0 and last <= vim.fn.line("$") and input.selection(first, last) or nil
  end)
  return block, "no lines are selected in the file in the other window"
end

---What the editor finds wrong in the workspace, file by file.
---@param root string
---@return pintle.Input[]
local function diagnostics(root)
  local by_path, blocks = {}, {}
  for _, each in ipairs(vim.diagnostic.get()) do
    local path = each.bufnr and buffers.file_of(each.bufnr)
    if path and paths.below(root, path) then
      if not by_path[path] then
        by_path[path] = { type = "diagnostics", path = path, items = {} }
        blocks[#blocks + 1] = by_path[path]
      end
      local severity = SEVERITIES[
        each.severity --[[@as integer]]
      ] or "error"
      local item = { line = each.lnum + 1, severity = severity, message = each.message, source = each.source }
      table.insert(by_path[path].items, item)
    end
  end
  return blocks
end

---The entries of the quickfix list that have a file or a text.
---@return pintle.Input? block
local function quickfix()
  local list = vim.fn.getqflist({ items = 0, title = 0 })
  local lines = {}
  for _, item in ipairs(list.items) do
    local name = item.bufnr > 0 and vim.fn.bufname(item.bufnr) or ""
    local place = name ~= "" and ("%s:%d: "):format(vim.fn.fnamemodify(name, ":."), item.lnum) or ""
    lines[#lines + 1] = place .. vim.trim(item.text)
  end
  if #lines == 0 then
    return nil
  end
  return { type = "text", text = ("The quickfix list, %s:\n\n%s"):format(list.title, table.concat(lines, "\n")) }
end

---A picture from a file.
---@param path string
---@return pintle.Input? block, string? why
function M.image(path)
  local kind = IMAGE_TYPES[(path:match("%.(%w+)$") or ""):lower()]
  local file = kind and io.open(path, "rb")
  if not file then
    return nil
  end
  local data = file:read("*a")
  file:close()
  if #data > IMAGE_BYTES_MAX then
    return nil, ("%s is larger than %d MB"):format(path, IMAGE_BYTES_MAX / 1024 / 1024)
  end
  return { type = "image", mimeType = kind, data = vim.base64.encode(data) } --[[@as pintle.Input.image]]
end

---Words behind an `@` at the beginning of a word.
---@param text string
---@return string[]
function M.words(text)
  local found = {}
  for word in (" " .. text):gmatch("[%s(]@([^%s)]+)") do
    found[#found + 1] = (word:gsub("[.,;:!?]+$", ""))
  end
  return found
end

-- The words with a meaning of their own.
M.NAMES = {
  selection = "the last selected lines",
  diagnostics = "the diagnostics of the editor",
  quickfix = "the quickfix list",
}

---@type table<string, fun(root: string): pintle.Input[]?, string?>
local named = {
  selection = function()
    local block, why = selection()
    return block and { block }, why
  end,
  diagnostics = function(root)
    local blocks = diagnostics(root)
    return #blocks > 0 and blocks or nil, "the open files have no diagnostics"
  end,
  quickfix = function()
    local block = quickfix()
    return block and { block }, "the quickfix list is empty"
  end,
}

---The blocks that a word means.
---@param word string
---@param root string
---@return pintle.Input[]? blocks nil where they cannot be made
---@return string? why
local function blocks_of(word, root)
  local function exists(path)
    return vim.uv.fs_stat(paths.from(root, path)) ~= nil
  end
  if named[word] and not exists(word) then
    local made, why = named[word](root)
    return made, why and ("cannot attach `@%s`: %s"):format(word, why)
  end
  local path, first, last = word:match("^(.+):(%d+)%-?(%d*)$")
  if not path or not exists(path) then
    return {}
  end
  local start = vim.fn.str2nr(first or "")
  local range = { start = start, ["end"] = last ~= "" and vim.fn.str2nr(last or "") or start }
  return {
    { type = "file", path = path, range = range } --[[@as pintle.Input.file]],
  }
end

---The blocks that go with a text.
---@param text string
---@param root string
---@return pintle.Input[]? blocks nil where one cannot be made
---@return string? why
function M.blocks(text, root)
  local blocks, is_done = {}, {}
  for _, word in ipairs(M.words(text)) do
    local made, why ---@type pintle.Input[]?, string?
    if is_done[word] then
      made = {}
    else
      made, why = blocks_of(word, root)
    end
    if not made then
      return nil, why
    end
    is_done[word] = true
    vim.list_extend(blocks, made)
  end
  for path in text:gmatch("!%[[^%]]*%]%(([^)]+)%)") do
    local block, why = M.image(paths.from(root, path))
    if why then
      return nil, why
    end
    blocks[#blocks + 1] = block
  end
  return blocks
end

return M
