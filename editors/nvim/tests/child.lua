-- A Neovim of its own for a test, driven over its RPC channel, with its folder and its scripted model.

local M = {}

---@class Child
---@field chan integer
---@field job integer
---@field pid integer
---@field dir string
---@field deprecated? string[] Calls that are deprecated in this Neovim.
---@field socket? string Where one on a terminal listens.
---@field private terminal? integer The buffer that shows what the child draws on its terminal.
local Child = {}
Child.__index = Child

local TEMP = assert(vim.env.PINTLE_TEST_TEMP)

---How long a test waits for what must come; a busy machine may need much of it.
M.WAIT_MS = tonumber(vim.env.PINTLE_TEST_WAIT_MS or "") or 30000

---Waits until something is so. It looks again after 2 ms, and then each time after half as long again, up to 50 ms.
---@param is_so fun(): any
---@return boolean
function M.until_true(is_so)
  local ends, pause = vim.uv.hrtime() + M.WAIT_MS * 1e6, 2
  repeat
    if is_so() then
      return true
    end
    vim.wait(math.floor(pause))
    pause = math.min(50, pause * 1.5)
  until vim.uv.hrtime() > ends
  return is_so() and true or false
end

-- A test that is not over by then hangs: all its waits have limits.
local TEST_MS = 240000

---Watches over a test until the result is called. An editor on a terminal that waits for a key, such as after an error of its own, answers
---nothing, and its test would wait forever: it gets the key, and if that does not help, all editors of the test are killed.
---@return fun(): boolean has_hung
function M.watch()
  local timer, has_hung = assert(vim.uv.new_timer()), false
  timer:start(TEST_MS, 30000, function()
    for _, each in ipairs(M.children) do
      if each.socket and not has_hung then
        local pipe = assert(vim.uv.new_pipe(false))
        pipe:connect(each.socket, function(problem)
          if problem then
            return pipe:close()
          end
          pipe:write(vim.mpack.encode({ 2, "nvim_input", { "<CR>" } }), function()
            pipe:close()
          end)
        end)
      elseif each.chan then
        pcall(vim.uv.kill, each.pid, "sigkill")
      end
    end
    has_hung = true
  end)
  return function()
    timer:stop()
    timer:close()
    return has_hung
  end
end

local count = 0

---A new folder.
---@param name? string
function M.folder(name)
  count = count + 1
  local dir = ("%s/%d/%s"):format(TEMP, count, name or "work")
  vim.fn.mkdir(dir, "p")
  return dir
end

---@param path string
---@param text string
function M.write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

---@param path string
function M.read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end

---@type vim.SystemObj[] Servers of the test that runs.
M.servers = {}

---Starts a server of `tests/fixtures`, which prints its address and runs until the test ends.
---@param name string
---@return string url
function M.serve(name)
  local fixture = vim.fs.normalize(vim.env.PINTLE_PLUGIN .. "/../../tests/fixtures/" .. name)
  local url
  M.servers[#M.servers + 1] = vim.system({ "python3", fixture }, {
    stdout = function(_, text)
      url = url or text and vim.trim(text)
    end,
  })
  assert(
    M.until_true(function()
      return url ~= nil
    end),
    "the server prints its address"
  )
  return url
end

---Writes an executable script.
---@param path string
---@param text string
function M.program(path, text)
  M.write(path, text)
  assert(vim.uv.fs_chmod(path, 493))
  return path
end

-- Runs in the child before anything else.
local PREPARE = [[
  local plugin, settings = ...
  vim.opt.runtimepath:prepend(plugin)
  vim.o.swapfile, vim.o.shortmess = false, vim.o.shortmess .. "I"
  vim.cmd.runtime("plugin/pintle.lua")
  _G.notes, _G.asked, _G.events, _G.choices = {}, {}, {}, {}
  vim.api.nvim_create_autocmd("User", { pattern = "Pintle*", callback = function(event)
    table.insert(_G.events, { name = event.match, data = event.data })
  end })
  -- What is deprecated is a failure: of our own calls, not of those that the editor makes itself.
  _G.deprecated = {}
  vim.deprecate = function(name) table.insert(_G.deprecated, name .. "\n" .. debug.traceback("", 2)) end
  if settings then require("pintle").setup(settings) end
]]

-- Takes the place of the editor's own interface: what is said and asked is kept for the test.
local REPLACE = [[
  vim.o.columns, vim.o.lines = 100, 30
  -- Its default is another one in each version.
  vim.o.statusline = "%<%f %h%w%m%r %=%-14.(%l,%c%V%) %P"
  vim.notify = function(text, level) table.insert(_G.notes, text) end
  -- Answers with the next of _G.choices: a label, or false to close the list. Without one it stays open.
  _G.own_select = vim.ui.select
  vim.ui.select = function(items, opts, done)
    local labels = {}
    for _, item in ipairs(items) do
      labels[#labels + 1] = (opts.format_item or tostring)(item)
    end
    table.insert(_G.asked, { prompt = opts.prompt, labels = labels })
    local choice = table.remove(_G.choices, 1)
    if choice == nil then return end
    for at, label in ipairs(labels) do
      if choice and label:find(choice, 1, true) then
        return vim.schedule(function() done(items[at], at) end)
      end
    end
    vim.schedule(function() done(nil) end)
  end
  -- In the same way with the keys of the plugin's own window.
  vim.api.nvim_create_autocmd("FileType", { pattern = "pintle-panel", callback = vim.schedule_wrap(function()
    local panel = require("pintle.panel").current()
    if not panel then return end
    local labels = {}
    for _, answer in ipairs(panel:answers()) do
      labels[#labels + 1] = answer.label
    end
    local text = table.concat(vim.api.nvim_buf_get_lines(panel.buf, 0, -1, false), "\n")
    table.insert(_G.asked, { prompt = text, labels = labels })
    local choice = table.remove(_G.choices, 1)
    if choice == nil then return end
    vim.api.nvim_set_current_win(panel.win)
    for _, answer in ipairs(panel:answers()) do
      if choice and answer.label:find(choice, 1, true) then
        vim.api.nvim_win_set_cursor(panel.win, { answer.row, 0 })
        return vim.cmd.normal("\r")
      end
    end
    vim.cmd.normal("q")
  end) })
]]

---Writes a cassette in which a server of the Messages API gives these replies, one for each request.
---@param replies table[] as in a script, of texts and tool calls
---@return string path
function M.cassette(replies)
  count = count + 1
  local lines = {}
  for number, reply in ipairs(replies) do
    local body = {}
    local function send(event)
      body[#body + 1] = ("event: %s\ndata: %s\n\n"):format(event.type, vim.json.encode(event))
    end
    local usage = { input_tokens = 0, output_tokens = 0 }
    local message =
      { id = "msg_" .. number, type = "message", role = "assistant", model = "m", content = {}, usage = usage }
    send({ type = "message_start", message = message })
    local stop = "end_turn"
    for at, block in ipairs(reply.blocks) do
      local index = at - 1
      if block.tool then
        stop = "tool_use"
        local start =
          { type = "tool_use", id = ("toolu_%d_%d"):format(number, at), name = block.tool, input = vim.empty_dict() }
        send({ type = "content_block_start", index = index, content_block = start })
        local json = vim.json.encode(block.arguments)
        for from = 1, #json, 9 do
          local delta = { type = "input_json_delta", partial_json = json:sub(from, from + 8) }
          send({ type = "content_block_delta", index = index, delta = delta })
        end
      else
        send({ type = "content_block_start", index = index, content_block = { type = "text", text = "" } })
        for word in block.text:gmatch("%S+%s*") do
          send({ type = "content_block_delta", index = index, delta = { type = "text_delta", text = word } })
        end
      end
      send({ type = "content_block_stop", index = index })
    end
    send({ type = "message_delta", delta = { stop_reason = stop }, usage = { output_tokens = 0 } })
    send({ type = "message_stop" })
    lines[number] = vim.json.encode({ response = { status = 200, body = body } })
  end
  local path = ("%s/cassette-%d.jsonl"):format(TEMP, count)
  M.write(path, table.concat(lines, "\n") .. "\n")
  return path
end

---@class ChildOptions
---@field dir? string
---@field script? table The replies of the model.
---@field settings? table
---@field without_setup? boolean
---@field in_terminal? boolean Whether it draws on a real terminal.
---@field stock? boolean Whether `vim.notify`, `vim.ui.select` and `vim.ui.input` are the editor's own, on a real terminal.
---@field columns? integer Of the terminal.
---@field lines? integer
---@field before? string Lua that runs before the plugin is loaded.
---@field env? table

---@param options ChildOptions
---@return Child
function M.start(options)
  local self = setmetatable({ dir = options.dir or M.folder() }, Child)
  if options.in_terminal or options.stock then
    self:start_in_terminal(options)
  else
    self.chan = vim.fn.jobstart({ vim.env.NVIM_BIN, "--embed", "--headless", "--clean", "-n" }, {
      rpc = true,
      cwd = self.dir,
      env = options.env,
    })
    self.job = self.chan
  end
  assert(self.chan > 0, "the child does not start")
  self.pid = vim.fn.jobpid(self.job)
  M.children = M.children or {}
  table.insert(M.children, self)
  local settings
  if not options.without_setup then
    settings = { binary = vim.env.PINTLE_BIN, restart_ms = { 20, 20, 20 }, permission_mode = "full" }
    if options.script then
      count = count + 1
      local path = ("%s/script-%d.json"):format(TEMP, count)
      M.write(path, vim.json.encode(options.script))
      settings.args = { "--script", path }
    end
    settings = vim.tbl_extend("force", settings, options.settings or {})
  end
  if not options.stock then
    self:lua(REPLACE)
  end
  self:lua(options.before or "")
  self:lua(PREPARE, vim.env.PINTLE_PLUGIN, settings)
  return self
end

---@param options ChildOptions
function Child:start_in_terminal(options)
  count = count + 1
  local socket = ("%s/socket-%d"):format(TEMP, count)
  self.socket = socket
  local width, height = options.columns or 100, options.lines or 30
  -- The terminal that is drawn on is a buffer of this Neovim, which takes the size of its window.
  vim.o.columns, vim.o.lines = 220, 60
  self.terminal = vim.api.nvim_create_buf(false, true)
  local place = { relative = "editor", row = 0, col = 0, width = width, height = height, style = "minimal" }
  local win = vim.api.nvim_open_win(self.terminal, true, place)
  self.job = vim.fn.jobstart({ vim.env.NVIM_BIN, "--clean", "-n", "--listen", socket }, {
    term = true,
    cwd = self.dir,
    env = options.env,
  })
  vim.api.nvim_win_close(win, true)
  M.until_true(function()
    local ok, chan = pcall(vim.fn.sockconnect, "pipe", socket, { rpc = true })
    self.chan = ok and chan or 0
    return self.chan > 0
  end)
  -- It listens before it has started, and before it knows the size of its terminal.
  local is_up = M.until_true(function()
    return self:lua("return vim.v.vim_did_enter == 1 and vim.o.columns == ...", width)
      and self:lua("return vim.o.lines") == height
  end)
  assert(is_up, "the child does not take the size of its terminal")
end

---@param code string
function Child:lua(code, ...)
  return vim.rpcrequest(self.chan, "nvim_exec_lua", code, { ... })
end

---@param command string
function Child:cmd(command)
  return vim.rpcrequest(self.chan, "nvim_command", command)
end

---@param keys string
function Child:keys(keys)
  vim.rpcrequest(self.chan, "nvim_input", keys)
end

---Types keys that end the child, which may be gone before it has answered, and waits until its process is.
---@param keys string
---@return integer code
function Child:keys_to_end(keys)
  vim.rpcnotify(self.chan, "nvim_input", keys)
  local code = vim.fn.jobwait({ self.job }, M.WAIT_MS)[1]
  assert(code ~= -1, "the editor does not end")
  self.chan = nil
  return code
end

---Waits until an expression is true in the child.
---@param expression string
---@param what? string
function Child:wait(expression, what, ...)
  local arguments = { ... }
  local ok = M.until_true(function()
    return self:lua("local given = ... return (" .. expression .. ") and true or false", unpack(arguments))
  end)
  if not ok then
    local seen = self:lua([[return {
      notes = _G.notes, asked = _G.asked,
      status = vim.F.npcall(require("pintle").status),
      lines = vim.api.nvim_buf_get_lines(0, 0, -1, false),
    }]])
    error(("waited in vain for %s\n%s\nchat:\n%s"):format(what or expression, vim.inspect(seen), self:chat()), 2)
  end
end

---Waits for a notification.
---@param text string
function Child:wait_note(text)
  self:wait("vim.iter(_G.notes):any(function(n) return n:find(given, 1, true) end)", "the note `" .. text .. "`", text)
end

---Waits until a number of turns have ended.
---@param number? integer
function Child:wait_turn(number)
  local ended = "#vim.tbl_filter(function(e) return e.name == 'PintleTurnCompleted' end, _G.events)"
  self:wait(ended .. " >= given", "the turn's end", number or 1)
  -- and drawn
  self:lua("local v = require('pintle.workspace').find():view(); v.chat:draw()")
end

---The current transcript.
---@return string
function Child:chat()
  return self:lua([[
    local here = require("pintle.workspace").find()
    local view = here and here:view()
    if not view then return "(none)" end
    view.chat:draw()
    return table.concat(vim.api.nvim_buf_get_lines(view.chat.buf, 0, -1, false), "\n")
  ]])
end

---Reads all that came before what the transcript shows.
function Child:read_beginning()
  self:lua("require('pintle').earlier(true)")
  self:wait("require('pintle.workspace').find():view().state.first == 1", "the beginning")
end

---The current transcript from its first message on.
---@return string
function Child:whole_chat()
  self:read_beginning()
  return self:chat()
end

---Waits until the transcript contains a text.
---@param text string
function Child:wait_chat(text)
  local seen = ""
  local ok = M.until_true(function()
    seen = self:chat()
    return seen:find(text, 1, true) ~= nil
  end)
  if not ok then
    error(("waited in vain for `%s` in\n%s\n%s"):format(text, seen, vim.inspect(self:lua("return _G.notes"))), 2)
  end
end

---What is on the screen.
---@return string
function Child:screen()
  self:chat()
  return self:lua([[
    vim.cmd("redraw!")
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      rows[row] = (table.concat(cells):gsub("%s+$", ""))
    end
    return table.concat(rows, "\n")
  ]])
end

---The rows of the terminal as a person sees them, also while the child waits for a key.
---@return string
function Child:terminal_screen()
  local rows = vim.api.nvim_buf_get_lines(self.terminal, 0, -1, false)
  return table.concat(
    vim.tbl_map(function(row)
      return (row:gsub("%s+$", ""))
    end, rows),
    "\n"
  )
end

---Waits until the terminal shows a text.
---@param text string
---@param is_gone? boolean Waits until it does not.
function Child:wait_screen(text, is_gone)
  local ok = M.until_true(function()
    return (self:terminal_screen():find(text, 1, true) == nil) == (is_gone or false)
  end)
  if not ok then
    error(("waited in vain for `%s`%s on\n%s"):format(text, is_gone and " to go" or "", self:terminal_screen()), 2)
  end
end

---Whether the child waits for a key before it does anything else, such as at "Press ENTER".
---@return boolean
function Child:is_blocked()
  return vim.rpcrequest(self.chan, "nvim_get_mode").blocking
end

---The engine's process.
---@return integer
function Child:engine_pid()
  return self:lua("return require('pintle.workspace').find().engine:pid()")
end

-- What a child knows of its state.
local STATE = [[
  local messages = vim.api.nvim_exec2("messages", { output = true }).output
  local log = package.loaded["pintle.log"]
  local here = package.loaded["pintle.workspace"] and require("pintle.workspace").find()
  local view = here and here:view()
  return {
    messages = messages,
    log = table.concat(log and log.lines or {}, "\n"),
    chat = view and table.concat(vim.api.nvim_buf_get_lines(view.chat.buf, 0, -1, false), "\n") or "",
    state = vim.inspect({
      notes = _G.notes, asked = _G.asked, events = _G.events, mode = vim.api.nvim_get_mode(),
      status = vim.F.npcall(require("pintle").status),
      buffer = vim.api.nvim_buf_get_lines(0, 0, -1, false),
    }),
  }
]]

---Keeps the screen of the child, its messages, its log, and its state.
---@param folder string
---@param number integer
function Child:keep_evidence(folder, number)
  local function keep(what, text)
    M.write(("%s/child-%d-%s.txt"):format(folder, number, what), text .. "\n")
  end
  if self.terminal then
    keep("screen", self:terminal_screen())
  end
  -- A child that waits for a key answers no other question.
  local answers, mode = pcall(vim.rpcrequest, self.chan, "nvim_get_mode")
  if not answers or mode.blocking then
    return keep("state", answers and "it waits for a key: " .. vim.inspect(mode) or tostring(mode))
  end
  local ok, state = pcall(self.lua, self, STATE)
  for what, text in pairs(ok and state or { state = tostring(state) }) do
    keep(what, text)
  end
  if not self.terminal then
    local drawn, screen = pcall(self.screen, self)
    keep("screen", drawn and screen or tostring(screen))
  end
end

---Keeps what the children of a failed test leave: what each shows and says, and the journals that engines have written since it began.
---@param folder string
function M.keep_evidence(folder)
  for number, each in ipairs(M.children) do
    if each.chan then
      local ok, why = pcall(each.keep_evidence, each, folder, number)
      if not ok then
        M.write(("%s/child-%d-state.txt"):format(folder, number), tostring(why))
      end
    end
  end
  local journals = vim.fs.find("journal.jsonl", { path = TEMP, type = "file", limit = math.huge })
  for _, path in ipairs(journals) do
    local stat = vim.uv.fs_stat(path)
    if stat and stat.mtime.sec >= M.began.sec then
      local session = vim.fs.basename(vim.fs.dirname(path))
      vim.uv.fs_copyfile(path, ("%s/%s.jsonl"):format(folder, session))
    end
  end
end

---Ends the child with a signal.
---@param signal string
function Child:kill(signal)
  vim.uv.kill(self.pid, signal)
  assert(vim.fn.jobwait({ self.job }, M.WAIT_MS)[1] ~= -1, "the editor does not end")
  self.chan = nil
end

---Ends the child in order, and waits until its process is gone.
function Child:quit()
  if self.chan then
    -- A test that failed may leave it waiting for a key, and then it answers nothing else.
    M.until_true(function()
      local ok, mode = pcall(vim.rpcrequest, self.chan, "nvim_get_mode")
      local is_blocked = ok and mode.blocking
      if is_blocked then
        pcall(vim.rpcrequest, self.chan, "nvim_input", "<Esc>")
      end
      return not is_blocked
    end)
    local asked, deprecated = pcall(self.lua, self, "return _G.deprecated")
    self.deprecated = asked and deprecated or {}
    pcall(vim.rpcnotify, self.chan, "nvim_command", "qall!")
    if vim.fn.jobwait({ self.job }, M.WAIT_MS)[1] == -1 then
      vim.fn.jobstop(self.job)
      error("the editor does not end")
    end
    self.chan = nil
    assert(#self.deprecated == 0, "deprecated: " .. table.concat(self.deprecated, "\n"))
  end
end

---@param pid integer
---@return boolean
function M.is_alive(pid)
  local status = io.open(("/proc/%d/stat"):format(pid))
  if not status then
    return false
  end
  local text = status:read("*a")
  status:close()
  return not text:find("^%d+ %b() Z")
end

---Waits until a process has made a file.
---@param path string
function M.wait_file(path)
  local ok = M.until_true(function()
    return vim.uv.fs_stat(path) ~= nil
  end)
  assert(ok, "waited in vain for the file " .. path)
end

---Waits until a process is gone.
---@param pid integer
function M.wait_gone(pid)
  local ok = M.until_true(function()
    return not M.is_alive(pid)
  end)
  assert(ok, ("process %d is still there"):format(pid))
end

return M
