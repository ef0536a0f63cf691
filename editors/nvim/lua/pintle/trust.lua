-- `:Pintle trust`: trusts the project, once a person has said so. Needs no running engine.

local log = require("pintle.log")

local M = {}

-- Marks the candidate among the commands of a prompt that leads here.
local MARK = "pintle.trust"

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

---A candidate for the commands of a prompt, in a project whose own prompts and skills are missing because it is not trusted.
---@param state? pintle.TrustResult
---@return table? candidate
function M.candidate(state)
  if not state or state.trusted then
    return nil
  end
  local has_prompts = vim.uv.fs_stat(vim.fs.joinpath(state.root, ".pintle", "prompts")) ~= nil
  if not has_prompts and #state.files == 0 then
    return nil
  end
  local why = "project not trusted, commands hidden"
  return { word = "", empty = 1, abbr = ":Pintle trust", menu = why, user_data = MARK }
end

---Opens the question if its candidate was accepted.
function M.completed()
  if vim.v.completed_item.user_data == MARK and vim.v.event.reason == "accept" then
    vim.cmd.stopinsert()
    vim.schedule(M.trust)
  end
end

return M
