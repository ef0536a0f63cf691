-- What a prompt names beside its text: sources in this editor, lines of a file, pictures. It stands in the prompt as a word, and
-- goes with the message as a block when that is sent.
--
-- `@path` of a file alone is the engine's: it reads the file itself.

local input = require("pintle.input")
local paths = require("pintle.paths")
local sources = require("pintle.sources")

local M = {}

-- Pictures that are larger are refused by providers.
local IMAGE_BYTES_MAX = 10 * 1024 * 1024

local IMAGE_TYPES =
  { png = "image/png", jpg = "image/jpeg", jpeg = "image/jpeg", gif = "image/gif", webp = "image/webp" }

---Whether a path is that of a picture, by its ending.
---@param path string
---@return boolean
function M.is_image(path)
  return IMAGE_TYPES[(path:match("%.(%w+)$") or ""):lower()] ~= nil
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

---Words behind an `@` at the beginning of a word, also between quotes.
---@param text string
---@return string[]
function M.words(text)
  local found, padded = {}, " " .. text
  local first, last, word = padded:find("[%s(]@([^%s)]+)")
  while first and last and word do
    local quoted = padded:sub(first + 2):match('^"([^"\n]+)"')
    found[#found + 1] = quoted or (tostring(word):gsub("[.,;:!?]+$", ""))
    first, last, word = padded:find("[%s(]@([^%s)]+)", last + 1)
  end
  return found
end

-- The entries of a larger directory are cut.
local ENTRIES_MAX = 200

---The names in a directory, as the model reads them.
---@param path string
---@param root string
---@return pintle.Input.text
local function listing(path, root)
  local names = {}
  for name, kind in vim.fs.dir(paths.from(root, path)) do
    names[#names + 1] = name .. (kind == "directory" and "/" or "")
  end
  table.sort(names)
  local cut = #names > ENTRIES_MAX and (", the first %d of %d"):format(ENTRIES_MAX, #names) or ""
  local text = #names == 0 and "(none)" or table.concat(names, "\n", 1, math.min(#names, ENTRIES_MAX))
  return { type = "text", text = ("entries of %s%s:\n\n%s"):format(path, cut, input.fence(text)) }
end

---The blocks that a word means.
---@param word string
---@param root string
---@return pintle.Input[]? blocks nil where they cannot be made
---@return string? why
local function blocks_of(word, root)
  local function exists(path)
    return vim.uv.fs_stat(paths.from(root, path)) ~= nil
  end
  if sources.NAMES[word] and not exists(word) then
    local made, why = sources.read(word, root)
    return made, why and ("cannot attach `@%s`: %s"):format(word, why)
  end
  if vim.endswith(word, "/") and vim.fn.isdirectory(paths.from(root, word)) == 1 then
    return { listing(word, root) }
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
