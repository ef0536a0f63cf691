-- JSON-RPC 2.0 with a child process, a message a line. It knows nothing of what the messages mean.
--
-- Lines are cut where they arrive and handled on the main loop, a slice of time at a time, so that a flood of
-- messages never keeps the editor from its keys.

local M = {}

---@class pintle.RpcError
---@field code integer
---@field message string
---@field data? pintle.ErrorData

---@class (exact) pintle.RpcHandlers
---@field notification fun(method: string, params: table)
---@field request fun(method: string, params: table, respond: fun(result?: table, err?: pintle.RpcError), id: string|integer)
---@field garbage fun(line: string, why: string) A line on stdout that is no message.
---@field stderr fun(line: string)
---@field failed fun(why: string) A handler raised an error.
---@field exit fun(code: integer, signal: integer)

---@class (exact) pintle.Rpc
---@field pid integer
---@field is_closed boolean
---@field process vim.SystemObj
---@field private handlers pintle.RpcHandlers
---@field private next_id integer
---@field private pending table<integer, fun(err?: pintle.RpcError, result?: table)>
---@field private partial table<"stdout"|"stderr", string[]>
---@field private inbox string[]
---@field private is_stderr table<integer, true>
---@field private first integer
---@field private last integer
---@field private is_draining boolean
---@field lines integer Lines that the process has written to its standard output.
---@field ended? { code: integer, signal: integer }
---@field private has_told_end boolean
local Rpc = {}
Rpc.__index = Rpc

-- How long messages are handled before the loop gets a breath: well under a frame at 60 Hz.
local SLICE_NS = 8e6

-- The code of a request that got no answer because the process ended.
M.ENDED = -32099

-- The bytes that may follow a first byte: how many, and the range of the second one (RFC 3629, section 4).
---@param byte integer
---@return integer? more, integer? low, integer? high
local function rest_of(byte)
  if byte < 0xC2 or byte > 0xF4 then
    return nil
  elseif byte < 0xE0 then
    return 1, 0x80, 0xBF
  elseif byte < 0xF0 then
    return 2, byte == 0xE0 and 0xA0 or 0x80, byte == 0xED and 0x9F or 0xBF
  end
  return 3, byte == 0xF0 and 0x90 or 0x80, byte == 0xF4 and 0x8F or 0xBF
end

---Replaces what is not UTF-8 by U+FFFD: a buffer may hold any bytes, a message may not.
---@param text string
---@return string
function M.utf8(text)
  return (
    text:gsub("[\128-\255]+", function(run)
      local at, out, is_sound = 1, {}, true
      while at <= #run do
        local more, low, high = rest_of(run:byte(at))
        local second = run:byte(at + 1)
        local fits = more ~= nil and second ~= nil and second >= low and second <= high and at + more <= #run
        for offset = 2, fits and more or 0 do
          local byte = run:byte(at + offset)
          fits = fits and byte >= 0x80 and byte <= 0xBF
        end
        is_sound = is_sound and fits == true
        out[#out + 1] = fits and run:sub(at, at + (more or 0)) or "\239\191\189"
        at = at + (fits and more or 0) + 1
      end
      return not is_sound and table.concat(out) or nil
    end)
  )
end

---Starts a process.
---@param command string[]
---@param options { cwd: string, env?: table<string, string> }
---@param handlers pintle.RpcHandlers
---@return pintle.Rpc? rpc, string? why
function M.start(command, options, handlers)
  local self = setmetatable({
    handlers = handlers,
    next_id = 1,
    pending = {},
    partial = { stdout = {}, stderr = {} },
    inbox = {},
    is_stderr = {},
    has_told_end = false,
    lines = 0,
    first = 1,
    last = 0,
    is_draining = false,
    is_closed = false,
  }, Rpc)
  local ok, process = pcall(vim.system, command, {
    cwd = options.cwd,
    env = options.env,
    stdin = true,
    stdout = function(_, chunk)
      self:take("stdout", chunk)
    end,
    stderr = function(_, chunk)
      self:take("stderr", chunk)
    end,
  }, function(result)
    self.ended = { code = result.code, signal = result.signal }
    self:wake()
  end)
  if not ok then
    return nil, tostring(process)
  end
  self.process = process
  self.pid = process.pid
  return self
end

---Sends a request. `done` is called once, on the main loop, also when the process ends.
---@param method string
---@param params? table
---@param done? fun(err?: pintle.RpcError, result?: table)
---@return integer id
function Rpc:request(method, params, done)
  local id = self.next_id
  self.next_id = id + 1
  self.pending[id] = done or function() end
  self:send({ id = id, method = method, params = params or vim.empty_dict() })
  return id
end

---@param method string
---@param params? table
function Rpc:notify(method, params)
  self:send({ method = method, params = params or vim.empty_dict() })
end

---Ends the process's input.
function Rpc:close_stdin()
  if not self.is_closed then
    self.is_closed = true
    pcall(function()
      self.process:write(nil)
    end)
  end
end

---@param signal string
function Rpc:kill(signal)
  pcall(function()
    self.process:kill(signal)
  end)
end

---Whether a request waits for its answer.
---@param but? integer other than this one
---@return boolean
function Rpc:awaits(but)
  local id = next(self.pending)
  if id == but and id ~= nil then
    id = next(self.pending, id)
  end
  return id ~= nil
end

---Whether the process has ended and been reaped.
---@return boolean
function Rpc:has_ended()
  return self.ended ~= nil
end

---@param message table
function Rpc:send(message)
  if self.is_closed then
    return self:fail_pending()
  end
  message.jsonrpc = "2.0"
  -- A process that is gone is told by its exit, not by the write.
  local line = M.utf8(vim.json.encode(message)) .. "\n"
  pcall(function()
    self.process:write(line)
  end)
end

---Cuts what arrived into lines. Runs in a fast context.
---@param from "stdout"|"stderr"
---@param chunk? string
function Rpc:take(from, chunk)
  local partial = self.partial[from]
  if not chunk then
    if #partial > 0 then
      self:put(from, table.concat(partial))
      self.partial[from] = {}
    end
    return
  end
  local start = 1
  while true do
    local at = chunk:find("\n", start, true)
    if not at then
      break
    end
    partial[#partial + 1] = chunk:sub(start, at - 1)
    self:put(from, table.concat(partial))
    partial = {}
    start = at + 1
  end
  if start <= #chunk then
    partial[#partial + 1] = chunk:sub(start)
  end
  self.partial[from] = partial
  self:wake()
end

---@param from "stdout"|"stderr"
---@param line string
function Rpc:put(from, line)
  self.last = self.last + 1
  self.inbox[self.last] = line
  self.is_stderr[self.last] = from == "stderr" or nil
end

function Rpc:wake()
  if self.is_draining then
    return
  end
  self.is_draining = true
  vim.schedule(function()
    self:drain()
  end)
end

---Handles lines for a slice of time; what is left waits for the loop's next round.
function Rpc:drain()
  local started = vim.uv.hrtime()
  while self.first <= self.last do
    local line, is_stderr = self.inbox[self.first], self.is_stderr[self.first]
    self.inbox[self.first], self.is_stderr[self.first] = nil, nil
    self.first = self.first + 1
    local handle = is_stderr and self.handlers.stderr or function(text)
      self:line(text)
    end
    local ok, why = xpcall(handle, debug.traceback, line)
    if not ok then
      self.handlers.failed(tostring(why))
    end
    if vim.uv.hrtime() - started > SLICE_NS then
      -- A timer and not `vim.schedule`: the main loop runs scheduled functions until there are none left.
      vim.defer_fn(function()
        self:drain()
      end, 1)
      return
    end
  end
  self.is_draining = false
  self.first, self.last = 1, 0
  if self.ended and not self.has_told_end then
    self.has_told_end = true
    self.is_closed = true
    self:fail_pending()
    self.handlers.exit(self.ended.code, self.ended.signal)
  end
end

---@param line string
function Rpc:line(line)
  self.lines = self.lines + 1
  if line:find("^%s*$") then
    return
  end
  local ok, message = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
  if not ok or type(message) ~= "table" or message.jsonrpc ~= "2.0" then
    return self.handlers.garbage(line, "not a JSON-RPC message")
  end
  if type(message.method) == "string" then
    return self:called(message)
  end
  local done = self.pending[message.id]
  if not done then
    local why = message.error and message.error.message or "a response without a request"
    return self.handlers.garbage(line, why)
  end
  self.pending[message.id] = nil
  done(message.error, message.result)
end

---@param message table
function Rpc:called(message)
  local params = type(message.params) == "table" and message.params or {}
  if message.id == nil then
    return self.handlers.notification(message.method, params)
  end
  local has_answered = false
  self.handlers.request(message.method, params, function(result, err)
    if has_answered then
      return
    end
    has_answered = true
    self:send({ id = message.id, result = not err and (result or vim.empty_dict()) or nil, error = err })
  end, message.id)
end

function Rpc:fail_pending()
  local pending = self.pending
  self.pending = {}
  for _, done in pairs(pending) do
    done({ code = M.ENDED, message = "the engine has exited" })
  end
end

return M
