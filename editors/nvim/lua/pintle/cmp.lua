-- A source for nvim-cmp: `require("cmp").register_source("pintle", require("pintle.cmp").new())`. See |pintle-completion|.

local provider = require("pintle.provider")

---@class (exact) pintle.CmpSource
local Source = {}
Source.__index = Source

local M = {}

---@return pintle.CmpSource
function M.new()
  return setmetatable({}, Source)
end

---@return boolean
function Source:is_available()
  return vim.bo.filetype == provider.FILETYPE
end

---@return string
function Source:get_position_encoding_kind()
  return "utf-8"
end

---@return string[]
function Source:get_trigger_characters()
  return provider.TRIGGERS
end

---A word from its sign on.
---@return string
function Source:get_keyword_pattern()
  return [[\%(@\|/\)\S*]]
end

---@param params { context: { cursor_before_line: string, cursor: { row: integer } } }
---@param callback fun(response: table)
function Source:complete(params, callback)
  local context = params.context
  provider.complete(context.cursor_before_line, context.cursor.row - 1, function(items)
    -- There are more candidates than are listed.
    callback({ items = items, isIncomplete = true })
  end)
end

---@param item table
---@param callback fun(item: table)
function Source:execute(item, callback)
  provider.accepted(item)
  callback(item)
end

return M
