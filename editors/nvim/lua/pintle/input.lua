-- The blocks of a message: made of what an editor shows, shown again, and turned back into text to edit. Pure but for
-- `selection`, which reads the current buffer.

local M = {}

---The lines of a range in the current buffer. A buffer without a file has no path that means anything to the engine: its
---lines go as text.
---@param first integer from 1
---@param last integer
---@return pintle.Input
function M.selection(first, last)
  local text = table.concat(vim.api.nvim_buf_get_lines(0, first - 1, last, false), "\n")
  local path = vim.api.nvim_buf_get_name(0)
  local block = { type = "selection", path = path, range = { start = first, ["end"] = last }, text = text }
  if path == "" or vim.bo.buftype ~= "" then
    block.path = path == "" and "a new buffer" or path
    return { type = "text", text = M.fenced(block) }
  end
  return block
end

---@param block { path: string, range?: pintle.LineRange }
---@return string
local function place(block)
  local range = block.range
  if not range then
    return block.path
  elseif range.start == range["end"] then
    return ("%s, line %d"):format(block.path, range.start)
  end
  return ("%s, lines %d to %d"):format(block.path, range.start, range["end"])
end

---A text as a code block in Markdown.
---@param text string
---@param language? string
---@return string
function M.fence(text, language)
  local fence = "```"
  while text:find(fence, 1, true) do
    fence = fence .. "`"
  end
  return ("%s%s\n%s\n%s"):format(fence, language or "", text, fence)
end

---A selection as Markdown.
---@param block { path: string, range: pintle.LineRange, text: string }
---@return string
function M.fenced(block)
  return ("%s:\n\n%s"):format(place(block), M.fence(block.text))
end

---@type table<string, fun(block: table): string>
local names = {
  text = function(block)
    return block.text
  end,
  file = function(block)
    return ("[%s]"):format(place(block))
  end,
  selection = function(block)
    return ("[selection of %s]"):format(place(block))
  end,
  diagnostics = function(block)
    return ("[%d diagnostics of %s]"):format(#block.items, block.path)
  end,
  image = function()
    return "[picture]"
  end,
  document = function(block)
    return ("[%s]"):format(block.name)
  end,
}

---@param content pintle.Input[]
---@param special table<string, fun(block: table): string>
---@param between string
---@return string
local function joined(content, special, between)
  local texts = {}
  for _, block in ipairs(content or {}) do
    local name = special[block.type] or names[block.type]
    texts[#texts + 1] = name and name(block) or ("[%s]"):format(block.type)
  end
  return table.concat(texts, between)
end

---A message as it is shown: text as typed, the rest as a line that names it.
---@param content pintle.Input[]
---@return string
function M.shown(content)
  return joined(content, {}, "\n")
end

---A message as a person can edit it and send it again: what was selected stands in it.
---@param content pintle.Input[]
---@return string
function M.editable(content)
  return joined(content, { selection = M.fenced }, "\n\n")
end

return M
