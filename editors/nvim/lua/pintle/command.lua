-- `:Pintle VERB …`

local M = {}

---What a verb sends: its words, and the lines of its range.
---@param text string
---@param call table
---@return string? text nil for the prompt buffer's
---@return pintle.Input[] attached
local function message(text, call)
  if (call.range or 0) == 0 then
    return text ~= "" and text or nil, {}
  end
  return text, { require("pintle.input").selection(call.line1, call.line2) }
end

---@type table<string, fun(text: string, call: table)>
local verbs = {
  open = function(text)
    local layouts = require("pintle.layout").LAYOUTS
    if text ~= "" and not vim.tbl_contains(layouts, text) then
      return require("pintle.log").error(
        ("unknown value `%s`; expected one of: %s"):format(text, table.concat(layouts, ", "))
      )
    end
    require("pintle").open(text ~= "" and text --[[@as pintle.Layout]] or nil)
  end,
  toggle = function(text)
    local here = require("pintle.workspace").find()
    if not here or not require("pintle.layout").is_open(here) then
      return M.run({ fargs = { "open" }, args = "open " .. text })
    end
    require("pintle.layout").close(here)
  end,
  close = function()
    local here = require("pintle.workspace").find()
    if not here or not require("pintle.layout").close(here) then
      require("pintle.log").say("no windows to close in this tab")
    end
  end,
  ask = function(text, call)
    local prompt, attached = message(text, call)
    if not prompt and not M.has_prompt() then
      return require("pintle").open()
    end
    require("pintle").ask(prompt, attached)
  end,
  edit = function(text, call)
    require("pintle.inline").start(text ~= "" and text or nil, M.range(call))
  end,
  edits = function()
    require("pintle.inline").open()
  end,
  steer = function(text, call)
    require("pintle").steer(message(text, call))
  end,
  queue = function(text, call)
    require("pintle").queue(message(text, call))
  end,
  stop = function(text)
    local scopes = require("pintle.stop").SCOPES
    if text ~= "" and not vim.tbl_contains(scopes, text) then
      return require("pintle.log").error(
        ("unknown value `%s`; expected one of: %s"):format(text, table.concat(scopes, ", "))
      )
    end
    require("pintle").stop(text ~= "" and text --[[@as pintle.StopScope]] or nil)
  end,
  terminal = function()
    require("pintle.terminal").open()
  end,
  retry = function()
    require("pintle").retry()
  end,
  restart = function()
    require("pintle").restart()
  end,
  new = function(text)
    local layout, kind
    for word in text:gmatch("%S+") do
      if word == "worktree" or word == "copy" then
        kind = word
      else
        layout = word
      end
    end
    require("pintle").new(layout --[[@as pintle.Layout?]], kind --[[@as pintle.IsolationKind?]])
  end,
  apply = function()
    require("pintle.sessions").apply()
  end,
  discard = function()
    require("pintle.sessions").discard()
  end,
  compact = function(text)
    require("pintle.sessions").compact(text ~= "" and text or nil)
  end,
  export = function(text)
    require("pintle.sessions").export(text ~= "" and text or nil)
  end,
  delete = function()
    require("pintle.sessions").delete()
  end,
  merge = function()
    require("pintle.sessions").merge()
  end,
  diff = function(text)
    require("pintle").diff(text ~= "" and text or nil)
  end,
  review = function(text)
    if text ~= "" and text ~= "new" then
      return require("pintle.log").error(("unknown value `%s`; expected: new"):format(text))
    end
    require("pintle.decision").review(text == "new")
  end,
  note = function(text, call)
    local line = vim.fn.line(".")
    require("pintle.notes").add(M.range(call) or { first = line, last = line }, text ~= "" and text or nil)
  end,
  notes = function(text)
    local notes = require("pintle.notes")
    if text ~= "" and text ~= "send" then
      return require("pintle.log").error(("unknown value `%s`; expected: send"):format(text))
    end
    if text == "send" then
      return notes.send()
    end
    notes.open()
  end,
  keep = function(text, call)
    local scope = M.scope(text)
    if scope then
      require("pintle.decision").keep(scope, M.range(call))
    end
  end,
  undo = function(text, call)
    local words, discards = text:gsub("%s*discard$", "")
    local scope = M.scope(words)
    if scope then
      require("pintle.decision").undo(scope, M.range(call), discards > 0)
    end
  end,
  comment = function(text, call)
    require("pintle.decision").comment(text ~= "" and text or nil, M.range(call))
  end,
  revert = function()
    require("pintle.decision").revert()
  end,
  rewind = function()
    require("pintle.rewind").rewind()
  end,
  redo = function()
    require("pintle.rewind").redo()
  end,
  fork = function()
    require("pintle.rewind").fork()
  end,
  rename = function(text)
    require("pintle").rename(text ~= "" and text or nil)
  end,
  sessions = function(text)
    if text ~= "" then
      return require("pintle.sessions").open_titled(require("pintle.workspace").get(), text)
    end
    require("pintle").sessions()
  end,
  search = function(text)
    require("pintle.sessions").search(require("pintle.workspace").get(), text ~= "" and text or nil)
  end,
  waiting = function()
    require("pintle.waiting").open()
  end,
  add = function(text, call)
    if call.fargs and call.fargs[2] == "file" and call.fargs[3] then
      local files = vim.tbl_map(function(path)
        return { path = vim.fs.normalize(path) }
      end, vim.list_slice(call.fargs, 3))
      return require("pintle.add").files(files)
    end
    require("pintle.add").add(text ~= "" and text or nil, M.range(call))
  end,
  rules = function()
    require("pintle.rules").open()
  end,
  servers = function()
    require("pintle.servers").open()
  end,
  context = function()
    require("pintle.fill").open()
  end,
  attention = function()
    require("pintle").attention()
  end,
  earlier = function(text)
    if text ~= "" and text ~= "all" then
      return require("pintle.log").error(("unknown value `%s`; expected: all"):format(text))
    end
    require("pintle").earlier(text == "all")
  end,
  plan = function()
    require("pintle").plan()
  end,
  doctor = function()
    vim.cmd("checkhealth pintle")
  end,
  log = function()
    require("pintle.log").open()
  end,
  login = function(text)
    require("pintle.login").login(text ~= "" and text or nil)
  end,
  logout = function(text)
    require("pintle.login").logout(text ~= "" and text or nil)
  end,
  trust = function()
    require("pintle.trust").trust()
  end,
  help = function(text)
    require("pintle.help").open(text ~= "" and text or nil)
  end,
}

-- Verbs that take a word.
local WORDS = {
  earlier = { "all" },
  mode = { "act", "plan" },
  new = { "copy", "float", "side", "tab", "worktree" },
  notes = { "send" },
  permissions = { "ask", "auto-edit", "full", "read-only" },
  review = { "new" },
  stop = { "edit", "job", "login", "session", "tool", "turn" },
}

for _, name in ipairs({ "model", "effort", "mode", "permissions" }) do
  verbs[name] = function(text)
    require("pintle.settings").choose(name, text ~= "" and text or nil)
  end
end

local SCOPES = { "all", "file", "hunk", "turn" }

---@param text string
---@return pintle.DecisionScope? scope nil when there is no such one, and that was said
function M.scope(text)
  if text == "" then
    return "hunk"
  elseif vim.tbl_contains(SCOPES, text) then
    return text --[[@as pintle.DecisionScope]]
  end
  require("pintle.log").error(("unknown value `%s`; expected one of: %s"):format(text, table.concat(SCOPES, ", ")))
end

---The lines that a command was given.
---@param call table
---@return { first: integer, last: integer }?
function M.range(call)
  return (call.range or 0) > 0 and { first = call.line1, last = call.line2 } or nil
end

for _, name in ipairs(require("pintle.tasks").NAMES) do
  verbs[name] = function(text, call)
    require("pintle.tasks").send(name, text, M.range(call))
  end
end

---Whether there is text in the prompt buffer.
---@return boolean
function M.has_prompt()
  return require("pintle.prompt").text(require("pintle.workspace").get()) ~= ""
end

---@param call { fargs: string[], args?: string, range?: integer, line1?: integer, line2?: integer }
function M.run(call)
  local name = call.fargs[1] or "open"
  local verb = verbs[name]
  if not verb then
    local known = table.concat(vim.fn.sort(vim.tbl_keys(verbs)), ", ")
    return require("pintle.log").error(("unknown command `:Pintle %s`; expected one of: %s"):format(name, known))
  end
  local text = vim.trim((call.args or ""):gsub("^%s*%S+", "", 1))
  verb(text, call)
end

---Values that the engine knows, by verb. They are asked for while one completes, and none where the engine is slow or not there.
---@type table<string, fun(): string[]>
M.values = {
  add = function()
    return require("pintle.add").KINDS
  end,
  model = function()
    local listed = require("pintle.settings").listed()
    return vim.tbl_map(function(model)
      return model.model
    end, listed)
  end,
  effort = function()
    return require("pintle.settings").efforts()
  end,
  sessions = function()
    return vim.tbl_map(function(summary)
      return ((summary.title or ""):gsub("%s*\n.*", ""))
    end, require("pintle.sessions").known())
  end,
  login = function()
    return require("pintle.login").names(false)
  end,
  logout = function()
    return require("pintle.login").names(true)
  end,
}

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:match("Pintle%s+(.*)$") or ""
  local candidates
  if before:match("^%S*$") then
    candidates = vim.fn.sort(vim.tbl_keys(verbs))
  elseif before:match("^open%s+%S*$") then
    candidates = require("pintle.layout").LAYOUTS
  elseif WORDS[before:match("^(%w+)%s+%S*$")] then
    candidates = WORDS[before:match("^%w+")]
  elseif before:match("^add%s+file%s") then
    candidates = vim.fn.getcompletion(lead, "file")
  elseif M.values[before:match("^(%w+)%s")] then
    local verb = before:match("^%w+")
    return vim.tbl_filter(function(value)
      return vim.startswith(value, vim.trim(before:sub(#verb + 2)))
    end, M.values[verb]())
  elseif before:match("^diff%s") or before:match("^export%s") then
    candidates = vim.fn.getcompletion(lead, "file")
  elseif before:match("^help%s+%S*$") then
    candidates = vim.tbl_map(function(topic)
      return topic.topic
    end, (require("pintle.help").topics()))
  elseif before:match("^keep%s+%S*$") or before:match("^undo%s+%S*$") then
    candidates = SCOPES
  elseif before:match("^undo%s+%S+%s+%S*$") then
    candidates = { "discard" }
  else
    return {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
