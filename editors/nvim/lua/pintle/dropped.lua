-- Files dropped on a terminal, which pastes their paths: in a prompt, the paths become attachments.

local M = {}

---The words of a shell command, without quotes and escapes. Pure.
---@param text string
---@return string[]? words nil if a quote is not closed
function M.words(text)
  local words, word, quote = {}, nil, nil ---@type string[], string?, string?
  local at = 1
  while at <= #text do
    local char = text:sub(at, at)
    if quote and char == quote then
      quote = nil
    elseif not quote and (char == "'" or char == '"') then
      quote, word = char, word or ""
    elseif not quote and char == "\\" and at < #text then
      at = at + 1
      word = (word or "") .. text:sub(at, at)
    elseif not quote and char:find("%s") then
      words[#words + 1] = word
      word = nil
    else
      word = (word or "") .. char
    end
    at = at + 1
  end
  if quote then
    return nil
  end
  words[#words + 1] = word
  return words
end

---@param word string
---@return string? path nil unless it names a file by its whole path
local function file(word)
  local path = word
  if vim.startswith(word, "file://") then
    local is_valid, name = pcall(vim.uri_to_fname, word)
    path = is_valid and name or word
  end
  return vim.fn.isabsolutepath(path) == 1 and vim.uv.fs_stat(path) and vim.fs.normalize(path) or nil
end

---What stands in a prompt for pasted text that is nothing but the paths of files.
---@param text string
---@param root string
---@return string? mentions nil for any other text
function M.mentions(text, root)
  local plain = vim.trim(text)
  local words = file(plain) and { plain } or M.words(plain) or {}
  local found = {}
  for _, word in ipairs(words) do
    local path = file(word)
    if not path then
      return nil
    end
    found[#found + 1] = require("pintle.add").mention(root, path)
  end
  return #found > 0 and table.concat(found, " ") .. " " or nil
end

---@param lines string[]
---@return string[]
local function replaced(lines)
  local root = vim.b.pintle_root
  local mentions = #lines <= 2 and M.mentions(table.concat(lines, "\n"), root)
  return mentions and { mentions } or lines
end

local is_watched = false

---Wraps |vim.paste()|, once: a paste into a prompt is looked at as a whole, also if the terminal delivers it in parts.
function M.watch()
  if is_watched then
    return
  end
  is_watched = true
  local paste = vim.paste
  local parts ---@type string[]?
  vim.paste = function(lines, phase)
    if vim.bo.filetype ~= "pintle-prompt" then
      parts = nil
      return paste(lines, phase)
    end
    if phase == -1 then
      return paste(replaced(lines), phase)
    end
    if phase == 1 or not parts then
      parts = { "" }
    end
    parts[#parts] = parts[#parts] .. (lines[1] or "")
    vim.list_extend(parts, lines, 2)
    if phase ~= 3 then
      return true
    end
    local whole = parts
    parts = nil
    return paste(replaced(whole), -1)
  end
end

return M
