-- `:Pintle rules`: the session's permission rules, and removing those added by the user's answers.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

---@type table<pintle.Scope, string>
local HOLDS = {
  once = "once",
  turn = "for this turn",
  session = "for this session",
  project = "always in this project",
  user = "always",
}

---@type table<pintle.RuleSource, string>
local DEFINED = {
  config = "in your config.toml",
  policy = "in the policy of this engine",
  project = "in .pintle/permissions.toml",
  answer = "by your answer",
}

---A line about a rule.
---@param rule pintle.PermissionRule
---@return string
function M.line(rule)
  local holds = rule.scope and HOLDS[rule.scope]
  return ("%s  %s"):format(rule.text, holds or DEFINED[rule.source] or rule.source)
end

---Lists the rules; one that an answer added can be removed.
function M.open()
  local here, view = require("pintle.sessions").current()
  if not here or not view then
    return
  end
  local function ask(method, params, what, done)
    params.sessionId = view.state.id
    here.engine:request(method, params, function(err, result)
      if err or not result then
        return log.failed(what, err or { code = 0, message = "an empty answer" })
      end
      done(result)
    end)
  end
  local pick = require("pintle.picker").select
  ---@param rule? pintle.PermissionRule
  local function chosen(rule)
    if not rule then
      return
    elseif not rule.ruleId then
      return log.say(("the rule %s is %s; change it there"):format(rule.text, DEFINED[rule.source] or rule.source))
    end
    pick({ "Remove it", "Keep it" }, { prompt = M.line(rule) }, function(_, index)
      if index == 1 then
        ask(protocol.method.permission_remove, { ruleId = rule.ruleId }, "cannot remove the rule", function()
          log.say(("removed the rule %s"):format(rule.text))
        end)
      end
    end)
  end
  ask(protocol.method.permission_list, {}, "cannot list the rules", function(result)
    for _, problem in ipairs(result.problems or {}) do
      log.error(problem)
    end
    if #result.rules == 0 then
      return log.say("no rules; see :Pintle help permissions to add some")
    end
    pick(result.rules, { prompt = "Permission rules", format_item = M.line }, chosen)
  end)
end

return M
