-- `:checkhealth pintle`

local config = require("pintle.config")
local protocol = require("pintle.protocol")

local M = {}

local function check_engine()
  local health = vim.health
  local path, why = require("pintle.engine").locate()
  if not path then
    return health.error(why or "no engine", {
      "install it: " .. require("pintle.install").command(require("pintle.paths").HERE),
      "or set its path: require('pintle').setup({ binary = '…' })",
    })
  end
  health.ok("engine: " .. path)
  local ok, result = pcall(function()
    return vim.system({ path, "--version" }, { text = true }):wait(3000)
  end)
  if ok and result.code == 0 then
    health.ok("version: " .. vim.trim(result.stdout or ""))
  else
    health.error("it does not report its version", { "check the setting `binary`" })
  end
end

local function check_workspaces()
  local health = vim.health
  local workspaces = package.loaded["pintle.workspace"]
  local all = workspaces and workspaces.all() or {}
  if #all == 0 then
    return health.info("no engine has been started yet")
  end
  for _, workspace in ipairs(all) do
    local engine = workspace.engine
    local text = ("%s: %s"):format(workspace.root, engine.state)
    if engine.state == "failed" then
      health.error(text .. ": " .. (engine.why or ""))
    elseif engine.info then
      local info = engine.info
      health.ok(
        ("%s, engine %s, protocol %s, process %s"):format(
          text,
          info.engine.version,
          info.protocol.version,
          engine:pid()
        )
      )
    else
      health.info(text)
    end
    local silence = engine.watch:silence()
    if silence then
      local text_of = require("pintle.statusline").elapsed
      health.warn("it has not responded for " .. text_of(silence), { "restart it with `:Pintle restart`" })
    end
    if engine.restarts > 0 then
      health.warn(("restarted %d times"):format(engine.restarts))
    end
    if engine.garbage > 0 then
      health.warn(("it printed %d lines that are not messages"):format(engine.garbage))
    end
  end
end

function M.check()
  local health = vim.health
  health.start("pintle")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring((vim.version --[[@as fun(): vim.Version]])()))
  else
    health.error("Neovim 0.10 or newer is required")
  end
  health.info("protocol " .. protocol.version)
  check_engine()
  health.start("pintle: engines")
  check_workspaces()
  health.start("pintle: settings")
  local given = {}
  for name, value in pairs(config.get()) do
    if type(value) ~= "function" and not vim.deep_equal(value, config.defaults[name]) then
      given[#given + 1] = ("%s = %s"):format(name, vim.inspect(value))
    end
  end
  table.sort(given)
  health.info(#given == 0 and "all defaults" or table.concat(given, "\n"))
  for _, problem in ipairs(config.problems) do
    health.error("ignored: " .. problem)
  end
  local picker = config.get().picker
  local _, problem = require("pintle.picker").find(picker)
  if problem then
    health.warn(problem)
  elseif picker ~= "auto" then
    health.ok("lists use " .. (picker == "select" and "vim.ui.select" or picker))
  end
  local plugin, source = require("pintle.complete").other()
  if plugin and source and not package.loaded[source] then
    health.info(("%s is loaded; its source for prompts was not used yet: see `:help pintle-completion`"):format(plugin))
  end
  local keys = require("pintle.keys")
  local found, is_usual_taken = keys.jump_keys()
  if config.get().review_keys and is_usual_taken then
    health.warn(keys.taken_text(found))
  end
  local lines = require("pintle.log").lines
  if #lines > 0 then
    health.start("pintle: last words")
    health.info(table.concat(vim.list_slice(lines, math.max(1, #lines - 19)), "\n"))
  end
end

return M
