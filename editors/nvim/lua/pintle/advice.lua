-- What an error of the engine leaves to be done, in the words of this plugin: the engine's own hints are for all its clients.

local install = require("pintle.install")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")

local M = {}

---The next step after an error. Pure.
---@param err { code?: integer|string, message: string, hint?: string, data?: any } of a request, or of a turn
---@return string? hint
function M.of(err)
  if err.message == "no model is set" then
    return "choose one with :Pintle model"
  end
  if vim.startswith(err.message, "`pintle` not found in PATH") then
    return "to install it: " .. install.command(paths.HERE)
  end
  if err.code == protocol.code.authRequired or err.code == "auth" then
    local provider = err.message:match("^no key for ([%w_-]+)")
    return ("sign in or set a key with :Pintle login%s"):format(provider and " " .. provider or "")
  end
  local data = type(err.data) == "table" and err.data or {}
  return err.hint or data.hint
end

---An error in a line, with what to do about it. Pure.
---@param err { code?: integer|string, message: string, hint?: string, data?: any }
---@return string
function M.line(err)
  local hint = M.of(err)
  return err.message .. (hint and "; " .. hint or "")
end

return M
