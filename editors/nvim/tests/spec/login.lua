-- From nothing to a model: logins and keys of providers, and the list of models.

local child = require("child")

local CONFIG = [=[
[providers.own]
base_url = "URL/v1"
api = "chat"
[providers.own.login]
client_id = "app-1"
device_url = "URL/device"
token_url = "URL/token"
[[providers.own.models]]
id = "large"
name = "Own Large"
window = 1048576
]=]

-- Whether a window of this tab shows the current session.
local SHOWS_SESSION = "vim.fn.bufwinid(require('pintle.workspace').find():view().chat.buf) > 0"

---An editor whose engine knows a provider with a login, and has no model.
local function start(options)
  local home = child.folder("home")
  child.write(home .. "/config.toml", (CONFIG:gsub("URL", child.serve("login/device.py"))))
  local vi = child.start(vim.tbl_extend("force", {}, options or {}))
  vi:lua(("vim.env.PINTLE_HOME = '%s'"):format(home))
  -- A browser that shows nothing.
  vi:lua("_G.pages = {} vim.ui.open = function(url) table.insert(_G.pages, url) end")
  return vi
end

test("the ways to a provider, and their order", function()
  local login = require("pintle.login")
  local function methods(ways)
    return vim.tbl_map(function(way)
      return way.method
    end, ways)
  end
  local rows = {
    { { "key" }, false, { "key" } },
    { { "device", "key" }, false, { "device", "key" } },
    { { "browser", "key" }, false, { "browser", "key" } },
    -- A browser on another machine does not reach the page at which such a login ends.
    { { "browser", "key" }, true, { "key" } },
    { { "device" }, true, { "device" } },
    { { "of a newer engine" }, false, {} },
  }
  for _, row in ipairs(rows) do
    equal(methods(login.ways({ provider = "p", methods = row[1], key = "missing" }, row[2])), row[3])
  end
  local sorted = login.sorted({
    { provider = "set", methods = { "key" }, key = "set" },
    { provider = "none", methods = { "key" }, key = "missing" },
    { provider = "page", methods = { "browser", "key" }, key = "missing" },
    { provider = "also", methods = { "key" }, key = "missing" },
    { provider = "in", methods = { "device" }, key = "login" },
  })
  equal(
    vim.tbl_map(function(auth)
      return auth.provider
    end, sorted),
    { "page", "none", "also", "in", "set" }
  )
end)

test("models are listed with those that can be used first, the others one step away", function()
  local settings = require("pintle.settings")
  local price = { inputUsdPerMtok = 12.5, outputUsdPerMtok = 62.5 }
  local listed = {
    providers = {
      { name = "far", title = "Far Away", key = "missing" },
      { name = "near", title = "Near By", key = "set" },
      { name = "local", key = "notNeeded" },
      { name = "empty", key = "missing" },
    },
    models = {
      { model = "far/big-2", name = "Big 2", window = 1048576, price = price },
      { model = "far/big-1" },
      { model = "near/new", name = "A name as long as names of models are", window = 272000, price = price },
      { model = "near/now" },
      { model = "local/qwen:8b", window = 8192 },
    },
  }
  local function labels(choices)
    return vim.tbl_map(function(choice)
      return choice.label
    end, choices)
  end
  local choices = settings.model_choices(listed, "near/now")
  equal(labels(choices), {
    "near/now  (now)",
    "A name as long as names of models are  272k  $12.5 in, $62.5 out  near",
    "qwen:8b                        8k                    local",
    "more: 1 provider without a login or key",
  })
  equal(labels(choices[4].others), { "Far Away  2 models" })
  equal(labels(choices[4].others[1].others), {
    "Big 2                          1M  $12.5 in, $62.5 out  far",
    "big-1                                                far",
  })
  equal(choices[4].others[1].others[1].provider, "far")
  -- Without a provider that can be used the list begins with the providers.
  listed.providers[2].key, listed.providers[3].key = "missing", "missing"
  equal(labels(settings.model_choices(listed)), { "Far Away  2 models", "Near By  2 models", "local  1 model" })
end)

test("what an error leaves to be done is said in commands of this plugin", function()
  local line = require("pintle.advice").line
  local hint = "set X_API_KEY, or use --base-url, or log in to anthropic with auth/login"
  local rows = {
    { { code = -32000, message = "no key for anthropic", data = { hint = hint } }, ":Pintle login anthropic" },
    { { code = "auth", message = "no key for my-own: it is wrong", hint = hint }, ":Pintle login my-own" },
    { { code = "auth", message = "the server refused the key", hint = hint }, "with :Pintle login" },
    {
      { code = -32602, message = "no model is set", data = { hint = "use --model" } },
      "choose one with :Pintle model",
    },
    { { code = "overloaded", message = "busy", hint = "try later" }, "busy; try later" },
    { { code = 0, message = "an empty answer" }, "an empty answer" },
  }
  for _, row in ipairs(rows) do
    local said = line(row[1])
    contains(said, row[2])
    assert(not said:find("--", 1, true) and not said:find("auth/", 1, true), said)
  end
end)

test("a login with a code is shown, cancelled, finished and removed", function()
  local vi = start()
  vi:lua("_G.choices = { 'Sign in with a code' }")
  vi:cmd("Pintle login own")
  vi:wait_note("enter the code ABCD-1234 at http://127.0.0.1:")
  vi:cmd("Pintle stop login")
  vi:wait_note("the login to own was cancelled")
  vi:lua("vim.ui.open = function(url) table.insert(_G.pages, url) return vim.system({ 'curl', '-s', url }) end")
  vi:lua("_G.asked, _G.choices = {}, { 'own', 'Sign in with a code' }")
  vi:cmd("Pintle login")
  vi:wait_note("you are signed in to own")
  contains(vi:lua("return _G.pages[#_G.pages]"), "/page")
  contains(table.concat(vi:lua("return _G.asked[1].labels"), "\n"), "\nanthropic")
  vi:cmd("Pintle logout own")
  vi:wait_note("you are signed out of own")
  vi:cmd("Pintle logout")
  vi:wait_note("no logins are stored")
  vi:cmd("Pintle login nowhere")
  vi:wait_note("there is no login for `nowhere`; :Pintle login lists the providers")
end)

test("a key is typed out of sight, and the engine has it at once", function()
  local vi = start({ stock = true, columns = 100, lines = 30 })
  vi:keys(":Pintle login groq<CR>")
  vi:wait_screen("API key for groq:")
  vi:keys("sk-secret-of-the-test<CR>")
  vi:wait_screen("you are signed in to groq")
  vi:keys(":Pintle model<CR>")
  vi:wait_screen("more: ")
  local screen = vi:screen()
  contains(screen, "Qwen3.8 27B")
  assert(not screen:find("sk-secret", 1, true), screen)
  assert(not screen:find("Claude", 1, true), screen)
  vi:keys("<Esc>")
  equal(vi:lua("return vim.fn.getcompletion('Pintle model groq/q', 'cmdline')"), { "groq/qwen/qwen3.8-27b" })
  equal(vi:lua("return vim.fn.getcompletion('Pintle logout ', 'cmdline')"), { "groq" })
end)

test("without a model one is chosen, its provider signed in to, and the session begins", function()
  local vi = start()
  vi:lua("vim.ui.open = function(url) return vim.system({ 'curl', '-s', url }) end")
  vi:cmd("Pintle open")
  vi:wait_note("no model is set; choose one with :Pintle model")
  vi:lua("_G.choices = { 'own  1 model', 'Own Large', 'Sign in with a code' }")
  vi:cmd("Pintle model")
  vi:wait_note("you are signed in to own")
  vi:wait("require('pintle').status().model == 'own/large'", "a session with the model")
  vi:wait(SHOWS_SESSION, "the transcript in its window")
  vi:wait_note('using own/large until this editor exits; set `model = "own/large"` in setup() to keep it')
  vi:lua("_G.asked, _G.choices = {}, { 'own/large  (now)' }")
  vi:cmd("Pintle model")
  vi:wait_note("own/large from the next turn on")
end)

test("a key that is missing is told with the command that sets it", function()
  local vi = start({ settings = { model = "groq/openai/gpt-oss-20b" } })
  vi:cmd("Pintle ask hello")
  vi:wait("vim.iter(_G.notes):any(function(n) return n:find(':Pintle login groq', 1, true) end)")
  for _, note in ipairs(vi:lua("return require('pintle.log').lines")) do
    assert(not note:find("--base-url", 1, true) and not note:find("auth/login", 1, true), note)
  end
end)

test("a session that a prompt begins takes the place of the words that there is none", function()
  local vi = start()
  vi:cmd("Pintle open")
  vi:wait_note("no model is set")
  -- Another tab shows these words too, and the same session from then on.
  vi:cmd("tabnew")
  vi:cmd("Pintle open")
  vi:cmd("tabprevious")
  vi:wait("#vim.tbl_filter(function(n) return n:find('no model is set', 1, true) end, _G.notes) == 2")
  local path = child.folder() .. "/script.json"
  child.write(path, vim.json.encode({ replies = { { blocks = { { text = "Hi." } } } } }))
  vi:lua("require('pintle.workspace').get().engine:leave()")
  vi:wait("require('pintle').status().engine == 'stopped'")
  vi:lua("require('pintle').setup({ binary = vim.env.PINTLE_BIN, args = { '--script', ... } })", path)
  vi:cmd("Pintle ask hello")
  vi:wait_turn()
  equal(vi:lua("return " .. SHOWS_SESSION), true)
  contains(vi:screen(), "Hi.")
  vi:cmd("tabnext")
  equal(vi:lua("return " .. SHOWS_SESSION), true)
  equal(vi:lua("return vim.t.pintle_session == require('pintle').status().session"), true)
end)

test("which models can be named", function()
  local problem = require("pintle.settings").model_problem
  local listed = { providers = { { name = "near" }, { name = "far" } }, models = { { model = "near/now" } } }
  local rows = {
    { "near/now" },
    { "near/now:high" },
    { "far/of/tomorrow" },
    { "1", "`1` is not a model" },
    { "now", "`now` is not a model" },
    { "near/", "`near/` is not a model" },
    { "nowhere/now", "no provider is called `nowhere`" },
  }
  for _, row in ipairs(rows) do
    local found = problem(listed, row[1])
    equal(found ~= nil, row[2] ~= nil, row[1])
    contains(found or "", row[2] or "")
    contains(found or ":Pintle model", ":Pintle model")
  end
end)

test("a model that cannot be is refused before there is a session", function()
  local vi = start()
  for value, said in pairs({ ["1"] = "`1` is not a model", ["nowhere/large"] = "no provider is called `nowhere`" }) do
    vi:cmd("Pintle model " .. value)
    vi:wait_note(said)
  end
  equal(vi:lua("return require('pintle.config').get().model"), vim.NIL)
  equal(vi:lua("return require('pintle').status().session"), vim.NIL)
end)

test("a session that begins while another tab is entered takes the prompt that it began with", function()
  local vi =
    child.start({ script = { replies = { { blocks = { { text = "Hi." } } }, { blocks = { { text = "Bye." } } } } } })
  vi:lua("vim.cmd('Pintle ask hello') vim.cmd.tabnew()")
  vi:wait("#vim.tbl_filter(function(e) return e.name == 'PintleTurnCompleted' end, _G.events) == 1", "a turn")
  vi:cmd("tabprevious")
  vi:cmd("Pintle ask goodbye")
  vi:wait_turn(2)
  vi:wait_chat("Bye.")
end)
