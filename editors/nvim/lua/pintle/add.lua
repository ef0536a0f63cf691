-- `:Pintle add`: puts into the prompt what is to go with it, as a word that is seen and can be edited there.

local context = require("pintle.context")
local input = require("pintle.input")
local log = require("pintle.log")
local paths = require("pintle.paths")
local prompt = require("pintle.prompt")
local sources = require("pintle.sources")

local M = {}

---The path of the current buffer's file as the prompt's workspace names it.
---@param root string
---@return string? path
local function path_here(root)
  local path = require("pintle.buffers").file_of(vim.api.nvim_get_current_buf())
  return path and paths.short(root, path)
end

---What stands in a prompt for a file or a directory; for an image, what shows it to the model.
---@param root string
---@param path string
---@return string
function M.mention(root, path)
  if context.is_image(path) and not path:find(")", 1, true) then
    return ("![%s](%s)"):format(vim.fs.basename(path), path)
  end
  local short = paths.short(root, path) .. (vim.fn.isdirectory(path) == 1 and "/" or "")
  return short:find("%s") and ('@"%s"'):format(short) or "@" .. short
end

---The entries of the file manager in this window, or the file that it shows.
---@param root string
---@param range? { first: integer, last: integer }
---@return string? text, string? why
local function file(root, range)
  local entries = require("pintle.trees").entries(range)
  if not entries then
    local path = path_here(root)
    if not path then
      return nil, "this window does not show a file"
    end
    return M.mention(root, path)
  end
  if #entries == 0 then
    return nil, "this line does not name a file"
  end
  local mentions = vim.tbl_map(function(path)
    return M.mention(root, path)
  end, entries)
  return table.concat(mentions, " ")
end

---@param root string
---@param range? { first: integer, last: integer }
---@return string? text, string? why
local function selection(root, range)
  if not range then
    return nil, "select lines first, or use a range: `:'<,'>Pintle add selection`"
  end
  local path = path_here(root)
  if not path or path:find("%s") then
    local block = input.selection(range.first, range.last)
    return "\n"
      .. (
        block.type == "text" and block.text or input.fenced(block --[[@as pintle.Input.selection]])
      )
      .. "\n"
  end
  local lines = range.first == range.last and range.first or ("%d-%d"):format(range.first, range.last)
  return ("@%s:%s"):format(path, lines)
end

---@type table<string, fun(root: string, range?: { first: integer, last: integer }): string?, string?>
local texts = {
  selection = selection,
  file = file,
  image = function(root)
    local path, why = require("pintle.clipboard").save(root)
    return path and ("![picture](%s)"):format(path), why
  end,
}

for name in pairs(sources.NAMES) do
  texts[name] = texts[name] or function()
    return "@" .. name
  end
end

M.KINDS = vim.tbl_keys(texts)
table.sort(M.KINDS)

---@param here pintle.Workspace
---@param text string
local function append(here, text)
  local before = prompt.text(here)
  local space = (before == "" or text:find("^\n")) and "" or " "
  prompt.set(here, before .. space .. text)
  log.say(("added to the prompt: %s"):format(text))
end

---Appends files and directories to the prompt, each once, if they exist.
---@param files pintle.PickedFile[]
function M.files(files)
  local here, mentions = require("pintle.workspace").get(), {}
  for _, each in ipairs(files) do
    local path = vim.fs.normalize(paths.from(each.cwd or vim.fn.getcwd(), each.path))
    if each.path == "" or not vim.uv.fs_stat(path) then
      return log.error(("no such file: %s"):format(each.path))
    end
    local mention = M.mention(here.root, path)
    if (each.line or 0) > 0 and vim.startswith(mention, "@") and not vim.startswith(mention, '@"') then
      mention = ("%s:%d"):format(mention, each.line)
    end
    if not vim.list_contains(mentions, mention) then
      mentions[#mentions + 1] = mention
    end
  end
  if #mentions > 0 then
    append(here, table.concat(mentions, " "))
  end
end

---Appends to the prompt.
---@param kind? string one of `KINDS`; if nil, the lines of a range or the file, or a file manager's entries
---@param range? { first: integer, last: integer }
function M.add(kind, range)
  local here = require("pintle.workspace").get()
  kind = kind or (range and not require("pintle.trees").entries(range) and "selection" or "file")
  if not texts[kind] then
    return log.error(("unknown value `%s`; expected one of: %s"):format(kind, table.concat(M.KINDS, ", ")))
  end
  local text, why = texts[kind](here.root, range)
  if not text then
    return log.error(("no %s: %s"):format(kind, why))
  end
  append(here, text)
end

return M
