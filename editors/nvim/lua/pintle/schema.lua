-- Completion of the engine's `config.toml`: Taplo and Tombi, the language servers for TOML, are given its schema by the engine.
-- Needs no network, and no line in the file.

local compat = require("pintle.compat")
local paths = require("pintle.paths")

local M = {}

---How each server takes a schema for a file, by the server's name.
---@type table<string, fun(schema: string, file: string): string, table>
local servers = {
  taplo = function(schema, file)
    return "taplo/associateSchema", { schemaUri = schema, rule = { url = vim.uri_from_fname(file) } }
  end,
  tombi = function(schema, file)
    return "tombi/associateSchema", { uri = schema, fileMatch = { file }, force = true }
  end,
}

---Returns true for the engine's config file.
---@param file string
---@return boolean
local function is_config(file)
  local home = vim.env.PINTLE_HOME
  return vim.endswith(paths.plain(file), "/pintle/config.toml")
    or (home ~= nil and paths.is_same(file, vim.fs.joinpath(home, "config.toml")))
end

---Has the engine write its schema, where the server finds it.
---@param use fun(path: string)
local function write(use)
  local engine = require("pintle.engine").locate()
  if not engine then
    return
  end
  local folder = vim.fs.joinpath(vim.fn.stdpath("cache") --[[@as string]], "pintle")
  local path = vim.fs.joinpath(folder, "config.schema.json")
  vim.system({ engine, "schema", "--config" }, { text = true, timeout = 5000 }, function(result)
    -- An engine that is older than the option has no schema.
    if result.code ~= 0 then
      return
    end
    vim.schedule(function()
      vim.fn.mkdir(folder, "p")
      if vim.fn.writefile(vim.split(result.stdout or "", "\n"), path) == 0 then
        use(path)
      end
    end)
  end)
end

---Gives a server the schema if it serves the config file.
---@param buf integer
---@param client vim.lsp.Client
function M.attached(buf, client)
  local params = servers[client.name]
  local file = vim.api.nvim_buf_get_name(buf)
  if not params or not is_config(file) then
    return
  end
  write(function(path)
    local method, told = params(vim.uri_from_fname(path), file)
    compat.notify(client, method, told)
  end)
end

return M
