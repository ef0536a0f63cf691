-- The session's settings: its model, effort, work mode and permission mode, picked from what the engine offers.

local config = require("pintle.config")
local log = require("pintle.log")
local protocol = require("pintle.protocol")
local statusline = require("pintle.statusline")

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

-- The names of models and their windows are columns of a list.
local NAME_COLUMNS = 27
local PRICE_COLUMNS = 16

---A model in a line, which fits into 80 columns with a list's numbers before it. Pure.
---@param model pintle.ModelInfo
---@return string
function M.model_label(model)
  local provider = model.model:match("^[^/]+")
  local name = model.name or model.model:sub(#provider + 2)
  local window = model.window and statusline.short(model.window) or ""
  local price = model.price and ("$%g in, $%g out"):format(model.price.inputUsdPerMtok, model.price.outputUsdPerMtok)
    or ""
  local function padded(text, columns)
    return text .. (" "):rep(columns - vim.fn.strdisplaywidth(text))
  end
  return ("%s %5s  %s  %s"):format(padded(name, NAME_COLUMNS), window, padded(price, PRICE_COLUMNS), provider)
end

---@class (exact) pintle.ModelChoice
---@field label string
---@field value? string The model.
---@field others? pintle.ModelChoice[] What it leads to, where it is no model itself.
---@field provider? string The provider that must be set up first.

---The choices of a model: the current one, those of providers that are set up, and one that leads to the other providers. Pure.
---@param listed pintle.ModelsListResult
---@param current? string
---@return pintle.ModelChoice[]
function M.model_choices(listed, current)
  local choices, groups, others = {}, {}, {}
  if current then
    choices[1] = { label = current .. "  (now)", value = current }
  end
  for _, model in ipairs(listed.models) do
    local name = model.model:match("^[^/]+")
    groups[name] = groups[name] or {}
    table.insert(groups[name], model)
  end
  local function choice_of(model, provider)
    return { label = M.model_label(model), value = model.model, provider = provider }
  end
  for _, provider in ipairs(listed.providers) do
    local models = groups[provider.name] or {}
    if provider.key == "missing" and #models > 0 then
      local inner = vim.tbl_map(function(model)
        return choice_of(model, provider.name)
      end, models)
      local count = #models == 1 and "1 model" or ("%d models"):format(#models)
      others[#others + 1] = { label = ("%s  %s"):format(provider.title or provider.name, count), others = inner }
    elseif provider.key ~= "missing" then
      for _, model in ipairs(models) do
        if model.model ~= current then
          choices[#choices + 1] = choice_of(model)
        end
      end
    end
  end
  if #choices == 0 then
    return others
  elseif #others > 0 then
    local count = #others == 1 and "1 provider" or ("%d providers"):format(#others)
    choices[#choices + 1] = { label = ("more: %s without a login or key"):format(count), others = others }
  end
  return choices
end

---Has the user pick a model.
---@param choices pintle.ModelChoice[]
---@param prompt string
---@param done fun(model: string, provider?: string)
local function pick_model(choices, prompt, done)
  require("pintle.picker").select(choices, {
    prompt = prompt,
    kind = "pintle_model",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice.others then
      return pick_model(choice.others, prompt, done)
    end
    done(choice.value, choice.provider)
  end)
end

---Asks which models there are.
---@param here pintle.Workspace
---@param done fun(listed: pintle.ModelsListResult)
local function list_models(here, done)
  here.engine:request(protocol.method.models_list, vim.empty_dict(), function(err, result)
    if err or not result then
      return log.failed("cannot list the models", err or { code = 0, message = "an empty answer" })
    end
    done(result)
  end)
end

---Names the models that can be chosen.
---@param here pintle.Workspace
---@param current? string
---@param done fun(model: string)
local function choose_model(here, current, done)
  list_models(here, function(result)
    pick_model(M.model_choices(result, current), "Model", function(model, provider)
      if provider then
        return require("pintle.login").login(provider, function()
          done(model)
        end)
      end
      done(model)
    end)
  end)
end

---Has the user pick the value of an option.
---@param here pintle.Workspace
---@param verb string
---@param option pintle.ConfigOption
---@param done fun(value: string)
local function choose_value(here, verb, option, done)
  if option.id == "model" then
    return choose_model(here, option.value, done)
  end
  local values = option.choices or {}
  if #values == 0 then
    return log.say(("nothing to choose; the current value is `%s`"):format(option.value))
  end
  require("pintle.picker").select(values, {
    prompt = option.name,
    kind = "pintle_" .. verb,
    format_item = function(value)
      local name = PERMISSIONS[value] or value
      return value == option.value and name .. "  (now)" or name
    end,
  }, done)
end

-- What every refusal of a model ends with.
local HOW_TO_CHOOSE = "; choose one with :Pintle model, or write PROVIDER/ID"

---Why a model cannot be the one that a person means: they write its provider and its id, which the provider may know even where
---it is not listed. Pure.
---@param listed pintle.ModelsListResult
---@param model string
---@return string? why
function M.model_problem(listed, model)
  local name = model:match("^([^/]+)/.")
  if not name then
    return ("`%s` is not a model%s"):format(model, HOW_TO_CHOOSE)
  end
  local is_known = vim.iter(listed.providers):any(function(provider)
    return provider.name == name
  end)
  return not is_known and ("no provider is called `%s`%s"):format(name, HOW_TO_CHOOSE) or nil
end

---Begins a session with a model, which this editor uses for new ones from then on.
---@param here pintle.Workspace
---@param model string
local function begin_with(here, model)
  config.get().model = model
  log.say(('using %s until this editor exits; set `model = "%s"` in setup() to keep it'):format(model, model))
  here:with_session(function() end)
end

---The models that can be used, for completion.
---@return pintle.ModelInfo[]
function M.listed()
  local here = require("pintle.workspace").find()
  local result = here and here:ask_now(protocol.method.models_list, vim.empty_dict())
  local is_ready = {}
  for _, provider in ipairs(result and result.providers or {}) do
    is_ready[provider.name] = provider.key ~= "missing"
  end
  return vim.tbl_filter(function(model)
    return is_ready[model.model:match("^[^/]+")] or false
  end, result and result.models or {})
end

---The effort levels, for completion.
---@return string[]
function M.efforts()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  if here and not view then
    local listed = here:ask_now(protocol.method.models_list, vim.empty_dict())
    return listed and vim.list_extend({ "default" }, listed.efforts or {}) or {}
  end
  local result = here and view and here:ask_now(protocol.method.config_list, { sessionId = view.state.id })
  for _, option in ipairs(result and result.options or {}) do
    if option.id == M.OPTIONS.effort then
      return option.choices or {}
    end
  end
  return {}
end

-- Values that stand for the one after the current one, or before it.
M.STEPS = { next = 1, previous = -1 }

---The value that is so many steps after another one, round and round; the first one where that is not among them. Pure.
---@param values string[]
---@param current? string
---@param by integer
---@return string? value nil if there is no other one
function M.stepped(values, current, by)
  local at = 0
  for index, value in ipairs(values) do
    at = value == current and index or at
  end
  if at == 0 then
    return values[1]
  end
  local value = values[(at - 1 + by) % #values + 1]
  return value ~= current and value or nil
end

---Sets an option of the session; without a value the user picks one. A model can be chosen before there is a session.
---@param verb string a key of `OPTIONS`
---@param value? string
function M.choose(verb, value)
  local here = require("pintle.workspace").get()
  local id = M.OPTIONS[verb]
  local step = value and M.STEPS[value]
  if step and id == "model" then
    local view = here:view()
    local models = config.get().models
    if #models == 0 then
      return log.error("no models to go through: set `models` in setup()")
    end
    value = M.stepped(models, view and view.state.model or config.get().model, step)
    if not value then
      return log.say("no other model in `models`")
    end
  end
  if id == "model" and not here:view() then
    if value then
      return list_models(here, function(listed)
        local why = M.model_problem(listed, value)
        if why then
          return log.error("not set: " .. why)
        end
        begin_with(here, value)
      end)
    end
    return choose_model(here, config.get().model, function(model)
      begin_with(here, model)
    end)
  end
  here:with_session(function(view)
    if value and not M.STEPS[value] then
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
      if step then
        local other = M.stepped(option.choices or {}, option.value, step)
        if not other then
          return log.say(("nothing to choose; the current value is `%s`"):format(option.value))
        end
        return set(here, view.state.id, id, other)
      end
      choose_value(here, verb, option, function(chosen)
        set(here, view.state.id, id, chosen)
      end)
    end)
  end)
end

return M
