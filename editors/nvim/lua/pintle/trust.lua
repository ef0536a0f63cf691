-- `:Pintle trust`: trusts the project in the working directory, once a person has said so. Needs no running engine.

local log = require("pintle.log")

local M = {}

-- Writing the answer takes milliseconds; this is for a program that hangs.
local TIMEOUT_MS = 5000

---Asks, and tells the engine.
function M.trust()
  local path, why = require("pintle.engine").locate()
  if not path then
    return log.error(why)
  end
  local folder = vim.fs.root(vim.fn.getcwd(), ".git") or vim.fn.getcwd()
  local question = ("Trust %s, so that the agent uses its instructions, rules, skills and prompts?"):format(folder)
  vim.ui.select({ "Trust it", "Do not trust it" }, { prompt = question, kind = "pintle_trust" }, function(choice)
    if choice ~= "Trust it" then
      return
    end
    local ok, result = pcall(function()
      return vim.system({ path, "trust", folder }, { text = true }):wait(TIMEOUT_MS)
    end)
    if ok and result.code == 0 then
      return log.say(vim.trim(result.stdout))
    end
    log.error(ok and vim.trim(result.stderr) or tostring(result))
  end)
end

return M
