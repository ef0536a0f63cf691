-- Checks the LuaCATS types of the plugin: `nvim -l types.lua EMMYLUA_LS`. EmmyLua's language server loads the plugin with the settings of
-- `.emmyrc.json`; each of its warnings and errors is printed as `file:line:column: message` and fails the check.
--
-- Two diagnostics are disabled there, because they are wrong about correct code:
--   redundant-parameter  Neovim declares the callbacks of `vim.iter` as `any`, so `iter:find(function(each) … end)` has one too many.
--   unnecessary-if       `map[key]` is never nil for it, so it rejects the check of every lookup in a table by key.
-- `strict.arrayIndex` is off for the same reason: with it, `list[at]` in a loop over the list may be nil.

local root = vim.fs.dirname(vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p")))
local WAIT_MS = 120000

---@param why string
local function give_up(why)
  io.stderr:write("types: ", why, "\n")
  os.exit(2)
end

local has_loaded, has_ended = false, false
local program = _G.arg[1] or give_up("usage: types.lua EMMYLUA_LS")
local server = vim.lsp.rpc.start({ program, "--resources-path", "none" }, {
  notification = function(method, params)
    -- The server answers before it has read the plugin, with nothing; the end of its first progress report is the end of reading.
    has_loaded = has_loaded or method == "$/progress" and params.value.kind == "end"
  end,
  server_request = function(method)
    return method == "workspace/configuration" and { vim.NIL } or vim.NIL
  end,
  on_exit = function()
    has_ended = true
  end,
}, { cwd = root })

---@param what string
---@param is_there fun(): any
local function wait(what, is_there)
  vim.wait(WAIT_MS, function()
    return is_there() or has_ended
  end, 5)
  if not is_there() then
    give_up((has_ended and "the server ended before " or "waited in vain for ") .. what)
  end
end

---@param method string
---@param params table
---@return table result
local function ask(method, params)
  local problem, result
  server.request(method, params, function(err, answer)
    problem, result = err, answer
  end)
  wait("the answer to " .. method, function()
    return problem or result
  end)
  return result or give_up(method .. ": " .. vim.inspect(problem))
end

local uri = vim.uri_from_fname(root)
ask("initialize", {
  processId = vim.uv.os_getpid(),
  rootUri = uri,
  workspaceFolders = { { uri = uri, name = "pintle" } },
  capabilities = vim.lsp.protocol.make_client_capabilities(),
})
server.notify("initialized", vim.empty_dict())
wait("the plugin to be read", function()
  return has_loaded
end)

---@type string[]
local found = {}
local files = 0
for _, report in ipairs(ask("workspace/diagnostic", { previousResultIds = {} }).items) do
  local path = vim.fs.relpath(root, vim.uri_to_fname(report.uri))
  if path then
    files = files + 1
    for _, item in ipairs(report.items) do
      if item.severity <= vim.lsp.protocol.DiagnosticSeverity.Warning then
        local start = item.range.start
        found[#found + 1] = ("%s:%d:%d: %s [%s]"):format(
          path,
          start.line + 1,
          start.character + 1,
          item.message,
          item.code
        )
      end
    end
  end
end
server.terminate()

table.sort(found)
print(table.concat(found, "\n"))
-- Silence counts only if the server has looked at the plugin.
local modules = #vim.fn.glob(root .. "/lua/pintle/**/*.lua", false, true)
if files < modules then
  give_up(("the server looked at %d files, and the plugin has %d"):format(files, modules))
end
print(("types: %d files, %d problems"):format(files, #found))
os.exit(#found == 0 and 0 or 1)
