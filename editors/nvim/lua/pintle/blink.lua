-- A source for blink.cmp: `module = "pintle.blink"`. See |pintle-completion|.

local provider = require("pintle.provider")

---@class (exact) pintle.BlinkSource
local Source = {}
Source.__index = Source

local M = {}

---@return pintle.BlinkSource
function M.new()
  return setmetatable({}, Source)
end

---@return boolean
function Source:enabled()
  return vim.bo.filetype == provider.FILETYPE
end

---@return string[]
function Source:get_trigger_characters()
  return provider.TRIGGERS
end

---@param context { line: string, cursor: [integer, integer] }
---@param callback fun(response: table)
function Source:get_completions(context, callback)
  local row, column = context.cursor[1], context.cursor[2]
  provider.complete(context.line:sub(1, column), row - 1, function(items)
    -- There are more candidates than are listed.
    callback({ items = items, is_incomplete_forward = true, is_incomplete_backward = true })
  end)
end

---@param _ table
---@param item table
---@param callback fun()
---@param default fun()
function Source:execute(_, item, callback, default)
  default()
  provider.accepted(item)
  callback()
end

return M
