-- Logins to providers and MCP servers: `:Pintle login`, `:Pintle logout`, and the page on which the user finishes one.

local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

---@type table<string, fun()> by what the user logs in to: cancels it
local waiting = {}

---Cancels the logins that the user has not finished.
function M.cancel()
  if next(waiting) == nil then
    return log.say("no login in progress")
  end
  for _, cancel in pairs(waiting) do
    cancel()
  end
end

---Notes a login that has begun, so that it can be cancelled.
---@param name string
---@param cancel fun()
function M.begun(name, cancel)
  waiting[name] = cancel
end

---@param name string
function M.ended(name)
  waiting[name] = nil
end

---Shows the page on which the user logs in, and where to find it when no browser opens.
---@param params pintle.AuthOpenUrlParams
function M.page(params)
  -- Only web pages are opened, whatever else the address may name.
  if not params.url:match("^https?://") then
    return
  end
  log.note(params.url)
  local name = params.mcpServer or params.provider or "it"
  local code = params.userCode
  if code then
    log.note("code: " .. code)
    pcall(vim.fn.setreg, "+", code)
    log.say(("enter the code %s at %s; :Pintle stop login cancels"):format(code, params.url))
  else
    log.say(
      ("complete the login to %s in your browser, or cancel it with :Pintle stop login; see :Pintle log for the URL"):format(
        name
      )
    )
  end
  local _, err = vim.ui.open(params.url)
  if err then
    log.warn(("could not open a browser: %s; :Pintle log shows the address"):format(err))
  end
end

---The ways to get access to a provider here, the preferred one first. Pure.
---@param auth pintle.ProviderAuth
---@param is_remote boolean The user's browser runs on another machine, which a browser login does not reach.
---@return { method: pintle.AuthMethod, label: string }[]
function M.ways(auth, is_remote)
  local labels = { device = "Sign in with a code", browser = "Sign in in the browser", key = "Enter an API key" }
  local found = {}
  for _, method in ipairs(auth.methods) do
    if labels[method] and not (method == "browser" and is_remote) then
      found[#found + 1] = { method = method, label = labels[method] }
    end
  end
  return found
end

---The providers in the order of a list: those without access first, and of these those with a login. Pure.
---@param all pintle.ProviderAuth[]
---@return pintle.ProviderAuth[]
function M.sorted(all)
  local function rank(auth)
    local is_key_alone = vim.deep_equal(auth.methods, { "key" })
    return (auth.key == "missing" and 0 or 2) + (is_key_alone and 1 or 0)
  end
  local places = {}
  for at, auth in ipairs(all) do
    places[auth] = rank(auth) * #all + at
  end
  local sorted = vim.list_slice(all)
  table.sort(sorted, function(a, b)
    return places[a] < places[b]
  end)
  return sorted
end

local STATES = { set = "has a key", command = "key from a command", login = "signed in", missing = "", notNeeded = "" }

---Calls `done` with what the engine knows of logins.
---@param here pintle.Workspace
---@param done fun(all: pintle.ProviderAuth[])
local function status(here, done)
  here.engine:request(protocol.method.auth_status, vim.empty_dict(), function(err, result)
    if err or not result then
      return log.failed("cannot list the providers", err or { code = 0, message = "an empty answer" })
    elseif result.problem then
      log.warn(result.problem)
    end
    done(result.providers)
  end)
end

---Has the user pick a provider, unless one is named.
---@param all pintle.ProviderAuth[]
---@param name? string
---@param done fun(auth: pintle.ProviderAuth)
local function pick(all, name, done)
  if name then
    local found = vim.iter(all):find(function(auth)
      return auth.provider == name
    end)
    if not found then
      return log.error(("there is no login for `%s`; :Pintle login lists the providers"):format(name))
    end
    return done(found)
  end
  require("pintle.picker").select(M.sorted(all), {
    prompt = "Provider",
    kind = "pintle_login",
    format_item = function(auth)
      local state = STATES[auth.key] or auth.key
      return state == "" and auth.provider or ("%s  (%s)"):format(auth.provider, state)
    end,
  }, done)
end

---@param here pintle.Workspace
---@param auth pintle.ProviderAuth
---@param method pintle.AuthMethod
---@param done? fun()
local function log_in(here, auth, method, done)
  local params = { provider = auth.provider, method = method }
  if method == "key" then
    local key = vim.trim(vim.fn.inputsecret(("API key for %s: "):format(auth.provider)))
    vim.cmd("redraw")
    if key == "" then
      return log.say("no key entered")
    end
    params.key = key
  end
  local cancel = here.engine:request(protocol.method.auth_login, params, function(err)
    M.ended(auth.provider)
    if err and err.code == protocol.code.cancelled then
      return log.say(("the login to %s was cancelled"):format(auth.provider))
    elseif err then
      return log.failed("no login", err)
    end
    log.say(("you are signed in to %s"):format(auth.provider))
    if done then
      done()
    end
  end)
  if method ~= "key" and cancel then
    M.begun(auth.provider, cancel)
  end
end

---Signs in to a provider, or stores its key with the engine.
---@param provider? string default: asks for one
---@param done? fun() Called when the provider can be used.
function M.login(provider, done)
  local here = require("pintle.workspace").get()
  status(here, function(all)
    pick(all, provider, function(auth)
      local ways = M.ways(auth, vim.env.SSH_CONNECTION ~= nil)
      if #ways == 0 then
        return log.say(("there is no way to sign in to %s from here"):format(auth.provider))
      elseif #ways == 1 then
        return log_in(here, auth, ways[1].method, done)
      end
      require("pintle.picker").select(ways, {
        prompt = auth.provider,
        kind = "pintle_login",
        format_item = function(way)
          return way.label
        end,
      }, function(way)
        log_in(here, auth, way.method, done)
      end)
    end)
  end)
end

---Removes the login to a provider, or the key that is stored for it.
---@param provider? string default: asks for one
function M.logout(provider)
  local here = require("pintle.workspace").get()
  status(here, function(all)
    local stored = vim.tbl_filter(function(auth)
      return auth.stored ~= nil
    end, all)
    if #stored == 0 then
      return log.say("no logins are stored")
    end
    pick(stored, provider, function(auth)
      here.engine:request(protocol.method.auth_logout, { provider = auth.provider }, function(err)
        if err then
          return log.failed("not signed out", err)
        end
        log.say(("you are signed out of %s"):format(auth.provider))
      end)
    end)
  end)
end

---The providers that can be signed in to, or out of, for completion.
---@param is_stored boolean Only those with a stored login.
---@return string[]
function M.names(is_stored)
  local here = require("pintle.workspace").find()
  local result = here and here:ask_now(protocol.method.auth_status, vim.empty_dict())
  local found = {}
  for _, auth in ipairs(result and M.sorted(result.providers) or {}) do
    if not is_stored or auth.stored then
      found[#found + 1] = auth.provider
    end
  end
  return found
end

return M
