-- The schema of the engine's settings, given to language servers for TOML. The server here is a table of functions that keeps what it is
-- told.

local child = require("child")

---Opens a file that a server of this name serves.
local function told(vi, name, file)
  vim.fn.mkdir(vim.fs.dirname(file), "p")
  child.write(file, "retries = 1\n")
  vi:cmd("edit " .. vim.fn.fnameescape(file))
  vi:lua(
    [[
    _G.told = {}
    local name = ...
    local id = vim.lsp.start({
      name = name,
      root_dir = vim.fn.getcwd(),
      cmd = function()
        return {
          request = function(method, _, callback)
            callback(nil, method == "initialize" and { capabilities = {} } or nil)
            return true, 1
          end,
          notify = function(method, params)
            table.insert(_G.told, { method = method, params = params })
            return true
          end,
          is_closing = function() return false end,
          terminate = function() end,
        }
      end,
    })
    vim.lsp.buf_attach_client(0, id)
    _G.is_schema = function()
      return vim.iter(_G.told):find(function(each) return each.method:find("associateSchema") ~= nil end)
    end
  ]],
    name
  )
end

test("Taplo and Tombi are given the schema that the engine prints, for its config file", function()
  for name, key in pairs({ taplo = "schemaUri", tombi = "uri" }) do
    local vi = child.start({ settings = {} })
    local file = vi.dir .. "/pintle/config.toml"
    told(vi, name, file)
    vi:wait("_G.is_schema() ~= nil")
    local found = vi:lua("return _G.is_schema()")
    equal(found.method, name .. "/associateSchema")
    contains(vim.inspect(found.params), "pintle/config.toml")
    local schema = vim.json.decode(child.read(vim.uri_to_fname(found.params[key])))
    equal(schema.properties.retries.default, 3)
  end
end)

test("no other file and no other server is given it", function()
  local vi = child.start({ settings = {} })
  for name, file in pairs({ taplo = "/other/config.toml", lua_ls = "/pintle/config.toml" }) do
    told(vi, name, vi.dir .. file)
    -- the engine's answer to another question comes after the one that would have been asked
    vi:cmd("Pintle help hooks")
    equal(vi:lua("return _G.is_schema() == nil"), true)
    vi:cmd("bwipeout")
  end
end)
