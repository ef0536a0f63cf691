-- `:Pintle trust`: trusts the project, once a person has said so. Needs no running engine.

local log = require("pintle.log")

local M = {}

-- Writing the answer takes milliseconds; this is for a program that hangs.
local TIMEOUT_MS = 5000

---Asks, and tells the engine.
function M.trust()
  local path, why = require("pintle.engine").locate()
  if not path then
    return log.error(why or "no engine was found")
  end
  local root = require("pintle.config").get().root()
  local folder = vim.fs.root(root, ".git") or root
  local lines = {
    { text = "Trust this project?", group = "PintlePanelTitle" },
    { text = folder },
    { text = "" },
    { text = "The agent then uses its instructions, rules, skills and prompts." },
  }
  local function trust()
    local ok, result = pcall(function()
      return vim.system({ path, "trust", folder }, { text = true }):wait(TIMEOUT_MS)
    end)
    if ok and result.code == 0 then
      return log.say(vim.trim(result.stdout or ""))
    end
    log.error(ok and vim.trim(result.stderr or "") or tostring(result))
  end
  local choices = { { label = "Trust it", act = trust }, { label = "Do not trust it", act = function() end } }
  require("pintle.panel").open({ lines = lines, choices = choices, later = "does not trust it" })
end

return M
