-- The session's settings: its model, effort, work mode and permission mode, picked from what the engine offers.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

-- As the user writes them.
local PERMISSIONS = { readOnly = "read-only", autoEdit = "auto-edit" }

---@type table<string, string> the engine's option by verb
M.OPTIONS = { model = "model", effort = "effort", mode = "mode", permissions = "permissionMode" }

---What a session is set to, in texts from the longest.
---@param state pintle.Session
---@return string[]
function M.summary(state)
  local model = (state.model or ""):gsub("^[^/]+/", "")
  local modes = { state.permission_mode and PERMISSIONS[state.permission_mode] or state.permission_mode }
  if state.mode and state.mode ~= "act" then
    table.insert(modes, 1, state.mode)
  end
  local mode = table.concat(modes, ", ")
  return { ("%s · %s"):format(model, mode), model, mode }
end

---@param here pintle.Workspace
---@param id string
---@param option string
---@param value string
local function set(here, id, option, value)
  local params = { sessionId = id, values = { [option] = value } }
  here.engine:request(protocol.method.config_set, params, function(err, result)
    if err or not result then
      return log.failed("not set", err or { code = 0, message = "an empty answer" })
    end
    local rejected = result.rejected and result.rejected[1]
    if rejected then
      return log.error("not set: " .. rejected.reason)
    end
    log.say(("%s from the next turn on"):format(PERMISSIONS[value] or value))
  end)
end

---@param model pintle.ModelInfo
---@return string
function M.model_label(model)
  local parts = { model.model }
  if model.window then
    parts[#parts + 1] = require("pintle.statusline").short(model.window)
  end
  if model.price then
    local price = "$%g in, $%g out per million tokens"
    parts[#parts + 1] = price:format(model.price.inputUsdPerMtok, model.price.outputUsdPerMtok)
  end
  return table.concat(parts, "  ")
end

---Names the values of an option.
---@param here pintle.Workspace
---@param option pintle.ConfigOption
---@param done fun(choices: { label: string, value: string }[])
local function choices_of(here, option, done)
  if option.id ~= "model" then
    return done(vim.tbl_map(function(value)
      local name = PERMISSIONS[value] or value
      return { label = value == option.value and name .. "  (now)" or name, value = value }
    end, option.choices or {}))
  end
  here.engine:request(protocol.method.models_list, vim.empty_dict(), function(err, result)
    if err or not result then
      return log.failed("cannot list the models", err or { code = 0, message = "an empty answer" })
    end
    local ready = {}
    for _, provider in ipairs(result.providers) do
      ready[provider.name] = provider.key ~= "missing"
    end
    local choices = { { label = option.value .. "  (now)", value = option.value } }
    -- Those that can be used come first.
    for _, wants_ready in ipairs({ true, false }) do
      for _, model in ipairs(result.models) do
        local is_ready = ready[model.model:match("^[^/]+")] or false
        if is_ready == wants_ready and model.model ~= option.value then
          local label = M.model_label(model) .. (is_ready and "" or "  (no key is set)")
          choices[#choices + 1] = { label = label, value = model.model }
        end
      end
    end
    done(choices)
  end)
end

---Sets an option of the session; without a value a person picks one.
---@param verb string a key of `OPTIONS`
---@param value? string
function M.choose(verb, value)
  local here = require("pintle.workspace").get()
  local id = M.OPTIONS[verb]
  here:with_session(function(view)
    if value then
      return set(here, view.state.id, id, value)
    end
    here.engine:request(protocol.method.config_list, { sessionId = view.state.id }, function(err, result)
      if err or not result then
        return log.failed("cannot list the settings", err or { code = 0, message = "an empty answer" })
      end
      local option = vim.iter(result.options):find(function(each)
        return each.id == id
      end)
      if not option then
        return log.say(("this session has no %s to choose"):format(verb))
      end
      choices_of(here, option, function(choices)
        if #choices == 0 then
          return log.say(("nothing to choose; the current value is `%s`"):format(option.value))
        end
        require("pintle.picker").select(choices, {
          prompt = option.name,
          kind = "pintle_" .. verb,
          format_item = function(choice)
            return choice.label
          end,
        }, function(choice)
          set(here, view.state.id, id, choice.value)
        end)
      end)
    end)
  end)
end

return M
