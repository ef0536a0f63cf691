-- One engine for each workspace: found, started, checked, restarted after a crash, ended with the editor.
--
-- What is asked before the engine is ready waits; nothing is asked twice.

local clients = require("pintle.clients")
local config = require("pintle.config")
local log = require("pintle.log")
local npm = require("pintle.npm")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")
local rpc = require("pintle.rpc")
local watch = require("pintle.watch")

local M = {}

---@alias pintle.EngineState "stopped"|"starting"|"ready"|"restarting"|"failed"

---@class (exact) pintle.EngineHooks
---@field ready fun(is_restart: boolean) The engine answers; after a restart its sessions must be opened again.
---@field notification fun(method: string, params: table)
---@field request fun(method: string, params: table, respond: fun(result?: table, err?: pintle.RpcError), id: string|integer)
---@field sending fun() A request is about to be sent.
---@field changed fun(state: pintle.EngineState) The state is another one.
---@field is_busy fun(): boolean Whether a turn runs.

---@class (exact) pintle.Engine
---@field root string
---@field state pintle.EngineState
---@field why? string Why it failed.
---@field info? pintle.InitializeResult
---@field binary? string
---@field restarts integer How often it was restarted in its life.
---@field garbage integer Lines on stdout that were no messages.
---@field private rpc? pintle.Rpc
---@field hooks pintle.EngineHooks
---@field watch pintle.Watch
---@field private waiting fun(err?: pintle.RpcError)[]
---@field private attempt integer
---@field private is_leaving boolean
---@field private is_renewing boolean Whether the user restarts it.
local Engine = {}
Engine.__index = Engine

-- An engine that has lived this long has recovered: its next crash is a first one.
local HEALTHY_MS = 30000

---The path of a program; nil if there is none.
---@param name string
---@return string?
local function program(name)
  local function is_file(file)
    return vim.fn.filereadable(file) == 1
  end
  local machine = vim.uv.os_uname()
  if paths.HERE == "windows" and not name:find("[/\\]") then
    local path = vim.env.PATH or ""
    local file = name:lower():find("%.exe$") and name or name .. ".exe"
    local script = paths.search("node_modules/pintle/bin/pintle.js", path, is_file)
    return paths.search(file, path, is_file) or script and npm.program(script, machine, is_file)
  end
  local path = vim.fn.exepath(name)
  return path ~= "" and (npm.program(paths.real(path), machine, is_file) or path) or nil
end

---Finds the engine: the setting, then PATH.
---@return string? path, string? why
function M.locate()
  local setting = config.get().binary
  local path = program(setting and vim.fs.normalize(setting) or "pintle")
  if path then
    return path
  end
  if setting then
    return nil, ("no such program: `%s` (the setting `binary`)"):format(setting)
  end
  return nil, "`pintle` not found in PATH; install it, or set `binary`"
end

---@param root string
---@param hooks pintle.EngineHooks
---@return pintle.Engine
function M.new(root, hooks)
  local self = setmetatable({
    root = root,
    hooks = hooks,
    state = "stopped",
    waiting = {},
    attempt = 0,
    restarts = 0,
    garbage = 0,
    is_leaving = false,
    is_renewing = false,
  }, Engine)
  self.watch = watch.new(self)
  return self
end

---Whether an engine that answered this way can be spoken with; if not, why.
---@param err? pintle.RpcError
---@param result? pintle.InitializeResult
---@return string? why
function M.refusal(err, result)
  local ours = protocol.version
  if err and err.code == protocol.code.unsupportedProtocol then
    local theirs = vim.tbl_get(err, "data", "supported") or {}
    return M.mismatch(ours, theirs[1] or "another version")
  end
  if err then
    return ("it rejected the connection: %s"):format(err.message)
  end
  local version = vim.tbl_get(result or {}, "protocol", "version")
  if type(version) ~= "string" then
    return "it does not speak pintle's protocol; check the setting `binary`"
  end
  if version:match("^%d+") ~= ours:match("^%d+") then
    return M.mismatch(ours, version)
  end
end

---@param ours string
---@param theirs string
---@return string
function M.mismatch(ours, theirs)
  local our_major, their_major = tonumber(ours:match("^%d+")), tonumber(theirs:match("^%d+"))
  local advice = "update the older of the two"
  if our_major and their_major then
    advice = their_major > our_major and "the engine is newer: update the Neovim plugin"
      or "the engine is older: update the engine"
  end
  return ("it speaks protocol %s, the plugin %s; %s"):format(theirs, ours, advice)
end

---The pause before the next attempt, or nil when it is given up.
---@param attempt integer from 1
---@return integer? ms
function M.delay(attempt)
  return config.get().restart_ms[attempt]
end

---Calls `done` when the engine answers, or with why it does not.
---@param done fun(err?: pintle.RpcError)
function Engine:when_ready(done)
  if self.state == "ready" then
    return done()
  end
  self.waiting[#self.waiting + 1] = done
  if self.state == "stopped" or self.state == "failed" then
    self.attempt = 0
    self:start(false)
  end
end

---Sends a request as soon as the engine answers.
---@param method string
---@param params table
---@param done? fun(err?: pintle.RpcError, result?: table)
---@return fun() cancel Has the engine cancel it, as far as it can be.
function Engine:request(method, params, done)
  ---@type pintle.Rpc?, integer?
  local connection, id
  self:when_ready(function(err)
    if err then
      return done and done(err)
    end
    self.hooks.sending()
    connection = assert(self.rpc, "a ready engine has a connection")
    id = connection:request(method, params, done)
    self.watch:begin(connection)
  end)
  return function()
    if connection and id then
      connection:notify(protocol.method.cancelRequest, { id = id })
    end
  end
end

---A turn runs: the engine is expected to respond.
function Engine:is_needed()
  if self.rpc and self.state == "ready" then
    self.watch:begin(self.rpc)
  end
end

---Restarts the engine, or starts one that is down. One that does not respond is killed, any other one ends in order.
function Engine:restart()
  local handle = self.rpc
  if not handle then
    self:when_ready(function() end)
    return
  end
  self.is_renewing = true
  if not self.watch:is_doubtful() then
    handle:request(protocol.method.shutdown)
    handle:notify(protocol.method.exit)
    handle:close_stdin()
  end
  vim.defer_fn(function()
    if not handle:has_ended() then
      handle:kill("sigkill")
    end
  end, self.watch:is_doubtful() and 0 or config.get().exit_ms)
  self.watch:stop()
  self:become("restarting")
end

---@return integer?
function Engine:pid()
  return self.rpc and self.rpc.pid
end

---@param state pintle.EngineState
---@param why? string
function Engine:become(state, why)
  self.state, self.why = state, why
  if state == "ready" or state == "failed" then
    local waiting = self.waiting
    self.waiting = {}
    for _, done in ipairs(waiting) do
      done(state == "failed" and { code = rpc.ENDED, message = why or "the engine is not running" } or nil)
    end
  end
  self.hooks.changed(state)
end

---@param is_restart boolean
function Engine:start(is_restart)
  local settings = config.get()
  local path, why = M.locate()
  if not path then
    log.error(why or "no engine")
    return self:become("failed", why)
  end
  self.binary = path
  self.is_leaving = false
  self:become(is_restart and "restarting" or "starting")
  local command = vim.list_extend({ path, settings.shared and "attach" or "serve" }, settings.args)
  local started = vim.uv.now()
  local stderr = {}
  local handle
  handle, why = rpc.start(command, { cwd = self.root, env = settings.env }, {
    notification = self.hooks.notification,
    request = self.hooks.request,
    garbage = function(line, reason)
      self:skipped(line, reason)
    end,
    failed = function(reason)
      log.error("bug in the plugin: " .. reason)
    end,
    stderr = function(line)
      stderr[#stderr + 1] = line
      log.note("engine: " .. line)
    end,
    exit = function(code, signal)
      if self.rpc ~= handle then
        return -- one that was refused, and another was started since
      end
      self:exited(code, signal, vim.uv.now() - started, stderr[#stderr])
    end,
  })
  if not handle then
    log.error(("cannot start %s: %s"):format(path, why))
    return self:become("failed", why)
  end
  self.rpc = handle
  self:shake_hands(handle, is_restart)
end

---@param handle pintle.Rpc
---@param is_restart boolean
function Engine:shake_hands(handle, is_restart)
  local is_over = false
  local function refuse(why)
    is_over = true
    self.is_leaving = true
    handle:close_stdin()
    handle:kill("sigterm")
    vim.defer_fn(function()
      if not handle:has_ended() then
        handle:kill("sigkill")
      end
    end, config.get().exit_ms)
    log.error(("cannot use %s: %s"):format(self.binary, why))
    self:become("failed", why)
  end
  vim.defer_fn(function()
    if not is_over and not handle:has_ended() then
      refuse(("no response within %d ms"):format(config.get().handshake_ms))
    end
  end, config.get().handshake_ms)
  handle:request(protocol.method.initialize, {
    protocol = { name = protocol.name, versions = { protocol.version } },
    client = {
      name = clients.NAME,
      id = clients.OWN,
      version = tostring((vim.version --[[@as fun(): vim.Version]])()),
    },
    capabilities = { approvals = vim.empty_dict(), questions = vim.empty_dict(), applyEdit = vim.empty_dict() },
  }, function(err, result)
    if is_over or err and err.code == rpc.ENDED then
      is_over = true
      return
    end
    local why = M.refusal(err, result)
    if why then
      return refuse(why)
    end
    is_over = true
    self.info = result
    self:become("ready")
    self.hooks.ready(is_restart)
  end)
end

---@param line string
---@param reason string
function Engine:skipped(line, reason)
  self.garbage = self.garbage + 1
  local text = ("skipped output of the engine (%s): %s"):format(reason, line:sub(1, 200))
  if self.garbage == 1 then
    log.warn(text)
  else
    log.note(text)
  end
end

---@param code integer
---@param signal integer
---@param lived_ms integer
---@param last_words? string
function Engine:exited(code, signal, lived_ms, last_words)
  self.rpc = nil
  if self.is_renewing and not self.is_leaving then
    self.is_renewing, self.attempt = false, 0
    return self:start(true)
  end
  if self.is_leaving then
    self.is_leaving = false
    if self.state ~= "failed" then
      self:become("stopped")
    end
    return
  end
  log.emit("EngineExit", { root = self.root, code = code, signal = signal })
  local how = signal ~= 0 and ("by signal %d"):format(signal) or ("with code %d"):format(code)
  local words = last_words and (": " .. last_words) or ""
  local never_ran = self.state == "starting"
  if lived_ms > HEALTHY_MS then
    self.attempt = 0
  end
  self.attempt = self.attempt + 1
  local delay = M.delay(self.attempt)
  if never_ran or not delay then
    local why = ("the engine exited %s%s"):format(how, words)
    log.error(why .. "; :Pintle open starts it again")
    return self:become("failed", why)
  end
  log.warn(("the engine exited %s and is restarting%s"):format(how, words))
  self.restarts = self.restarts + 1
  self:become("restarting")
  vim.defer_fn(function()
    if self.state == "restarting" and not self.is_leaving then
      self:start(true)
    end
  end, delay)
end

---Asks the engine to end; `wait_for_end` makes sure that it did.
function Engine:leave()
  self.is_leaving = true
  if self.rpc then
    self.rpc:request(protocol.method.shutdown)
    self.rpc:notify(protocol.method.exit)
    self.rpc:close_stdin()
  else
    self:become("stopped")
  end
end

---Waits until the engine has ended, and kills it when it takes too long. Blocks: for the editor's exit only.
---@param deadline_ms integer how long it may take
function Engine:wait_for_end(deadline_ms)
  local handle = self.rpc
  if not handle then
    return
  end
  local function has_ended()
    return handle:has_ended()
  end
  if not vim.wait(deadline_ms, has_ended, 5) then
    handle:kill("sigterm")
    if not vim.wait(500, has_ended, 5) then
      handle:kill("sigkill")
    end
  end
end

return M
