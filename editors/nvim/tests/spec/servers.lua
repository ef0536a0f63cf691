-- `:Pintle servers`: servers of the Model Context Protocol, their tools, and a switch for each.

local child = require("child")

test("the session's MCP servers are listed with their tools, and switched off and on", function()
  local home = child.folder("home")
  local fixture = vim.fs.normalize(vim.env.PINTLE_PLUGIN .. "/../../tests/fixtures/mcp/server.py")
  -- In the project: the sandbox has a temporary folder of its own, which hides a clone below it.
  local dir = child.folder()
  local server = dir .. "/server.py"
  child.write(server, child.read(fixture))
  child.write(home .. "/config.toml", ('[mcp_servers.notes]\ncommand = "python3"\nargs = ["%s"]\n'):format(server))
  local vi = child.start({ dir = dir, script = { replies = { { blocks = { { text = "Hi." } } } } } })
  vi:lua(("vim.env.PINTLE_HOME = '%s'"):format(home))
  vi:cmd("Pintle servers")
  vi:wait_note("no session")
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  vi:lua("_G.choices = { 'notes', 'Disable it', 'notes', 'Enable it' }")
  vi:cmd("Pintle servers")
  vi:wait_note("the MCP server notes is disabled")
  equal(vi:lua("return _G.asked[1].labels"), { "notes  ready  17 tools, bad 1, MCP 2025-06-18" })
  contains(table.concat(vi:lua("return _G.asked[2].labels"), "\n"), "tool echo: Says it again")
  vi:cmd("Pintle servers")
  vi:wait_note("the MCP server notes is enabled")
  contains(vi:lua("return _G.asked[3].labels[1]"), "notes  off  python3 ")
end)

test("a person logs in to an MCP server that wants it, and out of it", function()
  local url = child.serve("mcp/login.py")
  local home = child.folder("home")
  child.write(home .. "/config.toml", ('[mcp_servers.guarded]\nurl = "%s"\n'):format(url))
  local vi = child.start({ script = { replies = { { blocks = { { text = "Hi." } } } } } })
  vi:lua(("vim.env.PINTLE_HOME = '%s'"):format(home))
  -- A browser that follows the page to where it leads.
  vi:lua([[
    _G.pages = {}
    vim.ui.open = function(url)
      table.insert(_G.pages, url)
      return vim.system({ "curl", "-sL", url })
    end]])
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  -- A login that nobody finishes is cancelled.
  vi:cmd("Pintle stop login")
  vi:wait_note("no login in progress")
  vi:lua("_G.open, vim.ui.open = vim.ui.open, function() end")
  vi:lua("_G.choices = { 'guarded', 'Log in' }")
  vi:cmd("Pintle servers")
  vi:wait_note("complete the login to guarded in your browser, or cancel it with :Pintle stop login")
  vi:cmd("Pintle stop login")
  vi:wait_note("the login to the MCP server guarded was cancelled")
  vi:cmd("Pintle stop login")
  vi:wait_note("no login in progress")
  vi:lua("vim.ui.open, _G.asked = _G.open, {}")
  vi:lua("_G.choices = { 'guarded', 'Log in', 'guarded', 'Log out' }")
  vi:cmd("Pintle servers")
  vi:wait_note("you are logged in to the MCP server guarded")
  contains(
    vi:lua("return _G.asked[1].labels[1]"),
    "guarded  failed  the MCP server `guarded` is not usable: it requires a login"
  )
  equal(vi:lua("return _G.asked[2].labels"), { "Log in, in the browser", "Restart it" })
  contains(vi:lua("return _G.pages[1]"), "/authorize?")
  vi:cmd("Pintle servers")
  vi:wait_note("you are logged out of the MCP server guarded")
  contains(vi:lua("return _G.asked[3].labels[1]"), "guarded  ")
  equal(
    vi:lua("return { unpack(_G.asked[4].labels, 1, 3) }"),
    { "Disable it for this session", "Log in, in the browser", "Log out" }
  )
end)
