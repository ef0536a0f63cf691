-- What a person writes: completion, what goes with a message, messages that wait, settings, and the search for what was said.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local WAITS = call("bash", { command = "while [ ! -e go ]; do sleep 0.02; done" })

-- The blocks of the message that was sent last.
local SENT = [[
  local state = require("pintle.workspace").find():view().state
  local found
  for _, item in pairs(state.items) do
    if item.type == "userMessage" and (not found or item.startedMs >= found.startedMs) then found = item end
  end
  return found.content
]]

local function open_prompt(vi)
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:wait("require('pintle').status().session", "a session")
end

local function prompt_of(vi)
  return vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())")
end

test("the word that is completed", function()
  local word = require("pintle.complete").word
  local rows = {
    { "/", true, 0, "/" },
    { "/rev", true, 0, "/rev" },
    { "/rev", false },
    { "/review it", true },
    { "see @src/a", true, 4, "@src/a" },
    { "@", false, 0, "@" },
    { "(@a", false, 1, "@a" },
    { "me@example", false },
    { "@a b", false },
    { "", true },
  }
  for _, row in ipairs(rows) do
    local start, found = word(row[1], row[2])
    equal({ start, found }, { row[3], row[4] }, row[1])
  end
end)

test("what a prompt names and where the words end", function()
  local words = require("pintle.context").words
  equal(words("@selection, and (@diagnostics) but not me@quickfix."), { "selection", "diagnostics" })
  equal(words("look at @a.rs:3-9."), { "a.rs:3-9" })
  equal(words("nothing"), {})
  equal(words('in @"sub dir/", (@"b c.txt") and @src/, not @" here'), { "sub dir/", "b c.txt", "src/", '"' })
end)

test("a directory goes with its entries", function()
  equal(require("pintle.complete").directories({ "a", "b/c", "b/d/e", "f/g/h" }), { "b/", "b/d/", "f/", "f/g/" })
  local vi = child.start({ script = { replies = { text("Seen."), text("Again.") } } })
  for _, path in ipairs({ "src/inner", "sub dir", "many", "empty" }) do
    vim.fn.mkdir(vi.dir .. "/" .. path, "p")
  end
  child.write(vi.dir .. "/src/b.txt", "b\n")
  child.write(vi.dir .. "/src/a.txt", "a\n")
  child.write(vi.dir .. "/sub dir/c.txt", "c\n")
  for number = 1, 201 do
    child.write(("%s/many/%03d"):format(vi.dir, number), "")
  end
  vi:cmd([[Pintle ask look into @src/ and @"sub dir/" and @many/, @empty/ and @src/b.txt]])
  vi:wait_turn()
  local sent = vi:lua([[
    for _, item in pairs(require("pintle.workspace").find():view().state.items) do
      if item.type == "userMessage" then
        return vim.tbl_map(function(block) return block.text or block.path or block.type end, item.content)
      end
    end
  ]])
  contains(sent[2], "entries of src/:\n\n```\na.txt\nb.txt\ninner/\n```")
  contains(sent[3], "entries of sub dir/:\n\n```\nc.txt\n```")
  contains(sent[4], "entries of many/, the first 200 of 201:\n\n```\n001\n")
  contains(sent[5], "entries of empty/:\n\n```\n(none)\n```")
  equal(#sent, 5, "a file is read by the engine")
  assert(not vi:chat():find("no such file", 1, true), vi:chat())
end)

test("`@` completes files, buffers and names, `/` prompts and skills", function()
  local dir = child.folder()
  child.write(dir .. "/alpha.txt", "a\n")
  vim.fn.mkdir(dir .. "/src", "p")
  child.write(dir .. "/src/beta.lua", "return 1\n")
  child.write(dir .. "/with blank.txt", "b\n")
  local prompts = vim.env.PINTLE_HOME .. "/prompts"
  vim.fn.mkdir(prompts, "p")
  child.write(prompts .. "/tidy.md", "---\ndescription: Tidies up\n---\nTidy up.\n")
  vim.fn.mkdir(vim.env.PINTLE_HOME .. "/skills/weave", "p")
  child.write(
    vim.env.PINTLE_HOME .. "/skills/weave/SKILL.md",
    "---\nname: weave\ndescription: Weaves baskets\n---\nWeave.\n"
  )
  local vi = child.start({ dir = dir, stock = true, script = { replies = { text("Read.") } } })
  vi:cmd("edit alpha.txt")
  open_prompt(vi)
  -- nothing is selected or inserted by itself
  vi:keys("i@")
  vi:wait_screen("@selection        the last")
  vi:wait_screen("@src/beta.lua")
  equal(vi:lua("return vim.fn.getline(1)"), "@")
  vi:keys("bet")
  vi:wait_screen("@alpha.txt", true)
  vi:wait_screen("@src/beta.lua")
  equal(vi:lua("return vim.fn.getline(1)"), "@bet")
  vi:keys("<C-n><C-y> ")
  vi:wait("vim.fn.getline(1) == '@src/beta.lua '")
  vi:keys("@blank")
  vi:wait_screen('@"with blank.txt"')
  vi:keys("<C-e><Esc>S@sr")
  vi:wait_screen("@src/ ")
  vi:keys("<C-e><Esc>S/")
  vi:wait_screen("Tidies up")
  vi:wait_screen("Weaves baskets")
  vi:keys("we")
  vi:wait_screen("Tidies up", true)
  vi:wait_screen("/skill:weave")
  vi:keys("<C-n><C-y>")
  vi:wait("vim.fn.getline(1) == '/skill:weave'")
  equal(vi:lua("return vim.o.completeopt:find('noselect', 1, true) ~= nil"), true)
  vi:keys("<Esc>")
  vi:wait(
    "vim.o.completeopt == given",
    "the option as it was",
    vi:lua("return vim.api.nvim_get_option_info2('completeopt', {}).default")
  )
  -- and on request
  local omni = "require('pintle.complete').omnifunc"
  equal(vi:lua("return vim.bo.omnifunc"), "v:lua.require'pintle.complete'.omnifunc")
  vi:keys("S/ti")
  vi:wait("vim.fn.getline(1) == '/ti'")
  equal(vi:lua(("return { %s(1, ''), %s(0, '/ti').words[1].word }"):format(omni, omni)), { 0, "/tidy" })
  equal(vi:is_blocked(), false)
  vim.fn.delete(prompts, "rf")
  vim.fn.delete(vim.env.PINTLE_HOME .. "/skills", "rf")
end)

-- What a completion plugin is given for the current line of the prompt, with the cursor at its end.
local SOURCE = [[
  local plugin, line = ...
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { line })
  _G.response = nil
  local function callback(response) _G.response = response end
  if plugin == "blink" then
    local source = require("pintle.blink").new({}, {})
    _G.is_enabled = source:enabled()
    source:get_completions({ line = line, cursor = { 1, #line } }, callback)
  else
    local source = require("pintle.cmp").new()
    _G.is_enabled = source:is_available()
    source:complete({ context = { cursor_before_line = line, cursor = { row = 1, col = #line + 1 } } }, callback)
  end
]]

test("completion plugins are given the candidates by sources", function()
  local prompts = vim.env.PINTLE_HOME .. "/prompts"
  vim.fn.mkdir(prompts, "p")
  child.write(prompts .. "/tidy.md", "---\ndescription: Tidies up\n---\nTidy up.\n")
  for _, plugin in ipairs({ "blink", "cmp" }) do
    local dir = child.folder()
    child.write(dir .. "/with blank.txt", "b\n")
    vim.fn.mkdir(dir .. "/.pintle/prompts", "p")
    local vi = child.start({ dir = dir, script = { replies = {} } })
    vi:lua("package.loaded[...] = {}", plugin == "blink" and "blink.cmp" or "cmp")
    open_prompt(vi)
    -- Nothing is known yet, since nobody has typed: it is read.
    vi:lua(SOURCE, plugin, "ä @blank")
    vi:wait("_G.response", "the files")
    equal(vi:lua("return _G.is_enabled"), true)
    equal(vi:lua("return _G.response.items[1]"), {
      label = '@"with blank.txt"',
      labelDetails = { description = "file" },
      kind = 17,
      filterText = '@"with blank.txt"',
      textEdit = {
        newText = '@"with blank.txt"',
        range = { start = { line = 0, character = 3 }, ["end"] = { line = 0, character = 9 } },
      },
      data = { is_trust = false },
    })
    vi:lua(SOURCE, plugin, "no word")
    equal(vi:lua("return #_G.response.items"), 0)
    vi:lua(SOURCE, plugin, "/")
    vi:wait("_G.response", "the commands")
    local labels = "vim.tbl_map(function(item) return item.label end, _G.response.items)"
    equal(vi:lua("return " .. labels), { "/tidy", ":Pintle trust" })
    -- What the last item leads to.
    vi:lua(
      [[
      local item, done = _G.response.items[2], function() _G.is_done = true end
      if ... == "blink" then
        require("pintle.blink").new({}, {}):execute({}, item, done, function() _G.is_default = true end)
      else
        require("pintle.cmp").new():execute(item, done)
      end
    ]],
      plugin
    )
    vi:wait("#_G.asked == 1", "the question")
    contains(vi:lua("return _G.asked[1].prompt"), "Trust this project?")
    equal(vi:lua("return { _G.is_done, _G.is_default or false }"), { true, plugin == "blink" })
    vi:cmd("tabnew")
    vi:lua(SOURCE, plugin, "@blank")
    equal(vi:lua("return _G.is_enabled"), false)
  end
  vim.fn.delete(prompts, "rf")
end)

test("symbols of a language server are completed as lines of a file", function()
  local dir = child.folder()
  child.write(dir .. "/a.lua", "local x\nfunction Weaver()\nend\n")
  local vi = child.start({ dir = dir, stock = true, script = { replies = { text("Read.") } } })
  vi:cmd("edit a.lua")
  vi:lua([[
    vim.lsp.start({ name = "small", root_dir = vim.fn.getcwd(), cmd = function()
      local closing = false
      return {
        request = function(method, params, done)
          if method == "initialize" then
            done(nil, { capabilities = { workspaceSymbolProvider = true } })
          elseif method == "workspace/symbol" then
            _G.query = params.query
            local range = { start = { line = 1, character = 0 }, ["end"] = { line = 2, character = 3 } }
            local location = { uri = vim.uri_from_fname(vim.fn.getcwd() .. "/a.lua"), range = range }
            done(nil, { { name = "Weaver", kind = 12, location = location } })
          else
            done(nil, vim.NIL)
          end
          return true, 1
        end,
        notify = function() return true end,
        is_closing = function() return closing end,
        terminate = function() closing = true end,
      }
    end })
  ]])
  open_prompt(vi)
  vi:keys("iexplain @Weav")
  vi:wait_screen("a.lua:2-3")
  vi:keys("<C-n>")
  vi:wait("vim.fn.getline(1):find('@a.lua:2-3', 1, true)")
  vi:keys("<C-y><Esc><CR>")
  vi:wait_turn()
  equal(vi:lua(SENT)[2], { type = "file", path = "a.lua", range = { start = 2, ["end"] = 3 } })
end)

test("the selection, diagnostics and the quickfix list go with the message that names them", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  child.write(vi.dir .. "/a.txt", "one\ntwo\nthree\n")
  vi:cmd("edit a.txt")
  open_prompt(vi)
  vi:cmd("Pintle ask see @selection")
  vi:wait_note("not sent: cannot attach `@selection`: no lines are selected in the file in the other window")
  vi:cmd("Pintle ask see @quickfix")
  vi:wait_note("not sent: cannot attach `@quickfix`: the quickfix list is empty")
  vi:cmd("Pintle ask see @diagnostics")
  vi:wait_note("not sent: cannot attach `@diagnostics`")
  vi:cmd("wincmd t")
  vi:lua("vim.api.nvim_feedkeys(vim.keycode('ggjVj<Esc>'), 'xm', true)")
  vi:lua([[
    vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
      { lnum = 1, col = 0, severity = vim.diagnostic.severity.WARN, message = "too short", source = "lint" },
    })
    vim.fn.setqflist({}, " ", { title = "make", items = { { filename = "a.txt", lnum = 3, text = "here" } } })
  ]])
  vi:cmd("wincmd b")
  vi:cmd("Pintle ask see @selection, @diagnostics and @quickfix")
  vi:wait_turn()
  local path = vi.dir .. "/a.txt"
  local problem = { line = 2, severity = "warning", message = "too short", source = "lint" }
  equal(vi:lua(SENT), {
    { type = "text", text = "see @selection, @diagnostics and @quickfix" },
    { type = "selection", path = path, range = { start = 2, ["end"] = 3 }, text = "two\nthree" },
    { type = "diagnostics", path = path, items = { problem } },
    { type = "text", text = "The quickfix list, make:\n\na.txt:3: here", verbatim = true },
  })
end)

test("a message can attach the git diff, a terminal, messages, the clipboard and the visible lines", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  local function git(...)
    local run = vim.system({ "git", "-c", "user.name=t", "-c", "user.email=t@t", ... }, { cwd = vi.dir }):wait()
    equal(run.code, 0, run.stderr)
  end
  child.write(vi.dir .. "/a.txt", "one\ntwo\n")
  child.write(vi.dir .. "/b.txt", "gr\252n\n")
  vi:cmd("edit a.txt")
  open_prompt(vi)
  -- The editor of the tests has no clipboard but this.
  vi:lua([[
    local kept = { { "" }, "v" }
    vim.g.clipboard = {
      name = "test",
      copy = { ["+"] = function(lines, kind) kept = { lines, kind } end, ["*"] = function() end },
      paste = { ["+"] = function() return kept end, ["*"] = function() return kept end },
    }
  ]])
  for word, why in pairs({
    diff = "the project is not a git repository",
    terminal = "no terminal is open",
    clipboard = "the clipboard has no text",
  }) do
    vi:cmd("Pintle ask see @" .. word)
    vi:wait_note(("not sent: cannot attach `@%s`: "):format(word))
    vi:wait_note(why)
  end
  git("init", "-q")
  vi:cmd("Pintle ask see @diff")
  vi:wait_note("the repository has no commits yet")
  git("add", ".")
  git("commit", "-qm", "first")
  vi:cmd("Pintle ask see @diff")
  vi:wait_note("no tracked file has changed since the last commit")
  child.write(vi.dir .. "/a.txt", "one\n2\n")
  child.write(vi.dir .. "/b.txt", "gr\252ner\n")
  child.write(vi.dir .. "/big.txt", "untracked\n")

  vi:cmd("wincmd t")
  vi:cmd("tabnew")
  vi:lua([[
    vim.fn.setreg("+", { "copied", "text" })
    vim.api.nvim_echo({ { "a message of the editor" } }, true, {})
    vim.cmd.terminal("echo it failed")
  ]])
  vi:wait("vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == 'it failed'")
  vi:cmd("tabprevious")
  vi:cmd("Pintle ask see @visible, @diff, @terminal, @messages and @clipboard")
  vi:wait_turn()
  local sent = vi:lua(SENT)
  equal(#sent, 6)
  equal(sent[2].text, "one\ntwo")
  for at, wanted in ipairs({
    {
      "The output of `git diff HEAD`:\n\n```diff\ndiff --git a/a.txt b/a.txt",
      "-two\n+2\n",
      "-gr\u{FFFD}n\n+gr\u{FFFD}ner\n```",
    },
    { "The terminal, ", ":\n\n```\nit failed\n" },
    { "The output of `:messages`", "a message of the editor\n" },
    { "The clipboard's text:\n\n```\ncopied\ntext\n```" },
  }) do
    for _, part in ipairs(wanted) do
      contains(sent[at + 2].text, part)
    end
  end
  equal(sent[3].text:find("untracked", 1, true), nil)

  child.write(vi.dir .. "/a.txt", ("x"):rep(200 * 1024))
  vi:cmd("Pintle ask see @diff")
  vi:wait_note("KB, and the limit is 100 KB; attach the files that matter")
end)

test("the words of a shell command", function()
  local words = require("pintle.dropped").words
  local rows = {
    { "/a /b", { "/a", "/b" } },
    { [[/a\ b '/c d' "/e f"]], { "/a b", "/c d", "/e f" } },
    { [[/it\'s '']], { "/it's", "" } },
    { "  ", {} },
    { "it's", nil },
  }
  for _, row in ipairs(rows) do
    equal(words(row[1]), row[2], row[1])
  end
end)

test("paths of dropped files become attachments, and other text stays what it is", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  child.write(vi.dir .. "/a.txt", "one\n")
  child.write(vi.dir .. "/b c.txt", "two\n")
  child.write(vi.dir .. "/p.png", "no picture, but an image by its name")
  open_prompt(vi)
  local a, b, p = vi.dir .. "/a.txt", vi.dir .. "/b c.txt", vi.dir .. "/p.png"
  local rows = {
    { { a }, "@a.txt" },
    { { "'" .. b .. "' " }, '@"b c.txt"' },
    { { b }, '@"b c.txt"' },
    { { (b:gsub(" ", "\\ ")) .. " " .. a, "" }, '@"b c.txt" @a.txt' },
    { { "file://" .. a }, "@a.txt" },
    { { "file://%zz" }, "file://%zz" },
    { { vi.dir .. "/" }, "@" .. vi.dir .. "/" },
    { { p }, ("![p.png](%s)"):format(p) },
    { { a .. " is wrong" }, a .. " is wrong" },
    { { vi.dir .. "/gone.txt" }, vi.dir .. "/gone.txt" },
    { { "a.txt" }, "a.txt" },
    { { a, b, "" }, a .. "\n" .. b },
  }
  for _, row in ipairs(rows) do
    vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {})")
    vi:lua("vim.api.nvim_paste(..., true, -1)", table.concat(row[1], "\n"))
    equal(prompt_of(vi), row[2], row[1][1])
  end
  -- Terminals deliver long text in parts.
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, {})")
  for phase, part in ipairs({ a:sub(1, 4), a:sub(5, 9), a:sub(10) }) do
    vi:lua("vim.api.nvim_paste(..., true, select(2, ...))", part, phase)
  end
  equal(prompt_of(vi), "@a.txt")
  vi:cmd("new")
  vi:lua("vim.api.nvim_paste(..., true, -1)", a)
  equal(vi:lua("return vim.fn.getline(1)"), a, "in other buffers nothing changes")
end)

test("lines are explained, fixed, refactored and tested by a verb each", function()
  local replies = { text("It counts."), text("Repaired."), text("Clearer."), text("Tested.") }
  local vi = child.start({ script = { replies = replies } })
  child.write(vi.dir .. "/a.txt", "one\ntwo\nthree\n")
  vi:cmd("edit a.txt")
  vi:cmd("2,3Pintle explain In one sentence.")
  vi:wait_turn()
  equal(#vi:lua("return vim.api.nvim_list_wins()"), 3, "the answer is in a window")
  equal(vi:lua("return vim.fn.expand('%:t')"), "a.txt", "the focus stays in the code")
  local path = vi.dir .. "/a.txt"
  equal(vi:lua(SENT), {
    { type = "text", text = "Explain this code. Do not change anything. In one sentence." },
    { type = "selection", path = path, range = { start = 2, ["end"] = 3 }, text = "two\nthree" },
  })
  vi:cmd("Pintle fix")
  vi:wait_note("these lines have no diagnostics; `]d` goes to the next one")
  vi:lua([[
    local severity = vim.diagnostic.severity
    vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
      { lnum = 0, end_lnum = 1, col = 0, severity = severity.WARN, message = "too short" },
      { lnum = 1, col = 0, severity = severity.ERROR, message = "not a number", source = "lint" },
      { lnum = 2, col = 0, severity = severity.HINT, message = "elsewhere" },
    })
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
  ]])
  vi:lua("vim.api.nvim_feedkeys(vim.keycode('V<Plug>(pintle-fix)'), 'xm', true)")
  vi:wait_turn(2)
  equal(vi:lua(SENT), {
    { type = "text", text = "Fix these problems." },
    { type = "selection", path = path, range = { start = 2, ["end"] = 2 }, text = "two" },
    {
      type = "diagnostics",
      path = path,
      items = {
        { line = 1, severity = "warning", message = "too short" },
        { line = 2, severity = "error", message = "not a number", source = "lint" },
      },
    },
  })
  for at, row in ipairs({ { "refactor", "Refactor this code" }, { "test", "Add a test for this code" } }) do
    vi:cmd("Pintle " .. row[1])
    vi:wait_turn(2 + at)
    contains(vi:lua(SENT)[1].text, row[2])
  end
  vi:cmd("Pintle")
  vi:cmd("Pintle explain")
  vi:wait_note("this window does not show code")
end)

test("entries of a file manager are put into the prompt, one or several", function()
  for name, row in pairs({
    ["one to a line"] = { style = 0, wanted = '@b.txt @"sub dir/" @a.txt @b.txt' },
    ["as a tree"] = { style = 3, wanted = '@b.txt @"sub dir/" @"sub dir/c.txt" @a.txt @b.txt' },
  }) do
    local vi = child.start({ script = { replies = { text("Seen.") } } })
    assert(vim.uv.fs_mkdir(vi.dir .. "/sub dir", 448))
    for _, path in ipairs({ "a.txt", "b.txt", "sub dir/c.txt" }) do
      child.write(vi.dir .. "/" .. path, "one\n")
    end
    vi:cmd("runtime plugin/netrwPlugin.vim")
    vi:cmd(("let g:netrw_liststyle = %d"):format(row.style))
    vi:cmd("Explore .")
    if row.style == 3 then
      vi:lua([[vim.fn.search("sub dir/") vim.api.nvim_feedkeys(vim.keycode("<CR>"), "xm", true)]])
    end
    vi:cmd("1")
    vi:cmd("Pintle add")
    vi:wait_note("no file: this line does not name a file")
    vi:lua([[vim.fn.search("b.txt")]])
    vi:cmd("Pintle add")
    vi:cmd([[/^|* *sub dir/,$Pintle add]])
    equal(prompt_of(vi), row.wanted, name)
  end
end)

test("verbs put a file, lines and lists into the prompt", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  child.write(vi.dir .. "/a.txt", "one\ntwo\nthree\n")
  vi:cmd("edit a.txt")
  vi:cmd("Pintle add")
  vi:cmd("2,3Pintle add")
  vi:lua("vim.api.nvim_feedkeys(vim.keycode('ggV<Plug>(pintle-add)'), 'xm', true)")
  vi:cmd("Pintle add quickfix")
  equal(prompt_of(vi), "@a.txt @a.txt:2-3 @a.txt:1 @quickfix")
  vi:cmd("new")
  vi:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'loose' })")
  vi:cmd("1Pintle add selection")
  contains(prompt_of(vi), "@quickfix\na new buffer, line 1:\n\n```\nloose\n```")
  vi:cmd("Pintle add")
  vi:wait_note("no file: this window does not show a file")
  vi:cmd("Pintle add nonsense")
  vi:wait_note(
    "unknown value `nonsense`; expected one of: clipboard, diagnostics, diff, file, image, messages, quickfix, selection, terminal, visible"
  )
end)

test("files are added by their paths, and from picker plugins", function()
  local vi = child.start({ script = { replies = { text("Seen.") } } })
  assert(vim.uv.fs_mkdir(vi.dir .. "/sub dir", 448))
  for _, path in ipairs({ "a.txt", "b.txt", "c.png", "sub dir/d.txt" }) do
    child.write(vi.dir .. "/" .. path, "one\n")
  end
  -- What each picker gives its actions: one entry under the cursor, or several that are marked.
  vi:lua([[
    local closed = function() _G.closed = (_G.closed or 0) + 1 end
    package.preload["telescope.actions"] = function() return { close = closed } end
    package.preload["telescope.actions.state"] = function()
      return {
        get_current_picker = function() return { get_multi_selection = function() return _G.marked or {} end } end,
        get_selected_entry = function() return { "a.txt" } end,
      }
    end
    package.preload["fzf-lua.path"] = function()
      return { entry_to_file = function(entry) return { path = entry, line = entry == "b.txt" and 3 or 0 } end }
    end
    package.preload["snacks"] = function()
      return { picker = { util = { path = function(item) return vim.fn.getcwd() .. "/" .. item.file end } } }
    end
    package.preload["mini.pick"] = function()
      return {
        get_picker_matches = function() return { current = "a.txt", marked = _G.marked } end,
        get_picker_opts = function() return { source = { cwd = vim.fn.getcwd() } } end,
      }
    end
    _G.run = function(name, ...)
      _G.closed = 0
      require("pintle.prompt").set(require("pintle.workspace").get(), "")
      return require("pintle.pick")[name](...)
    end
    _G.snacks = function(items)
      return { selected = function() return items end, close = closed }
    end
  ]])
  local rows = {
    { "_G.run('telescope', 1)", "@a.txt", 1 },
    {
      "_G.marked = { { path = vim.fn.getcwd() .. '/b.txt', lnum = 2 }, { filename = 'c.png' } } _G.run('telescope', 1)",
      ("@b.txt:2 ![c.png](%s/c.png)"):format(vim.uv.fs_realpath(vi.dir)),
      1,
    },
    { "_G.run('fzf_lua', { 'a.txt', 'b.txt', 'a.txt' }, {})", "@a.txt @b.txt:3", 0 },
    { "_G.run('fzf_lua', { 'd.txt' }, { cwd = vim.fn.getcwd() .. '/sub dir' })", '@"sub dir/d.txt"', 0 },
    {
      "_G.run('snacks', _G.snacks({ { file = 'a.txt', pos = { 4, 0 } }, { file = 'sub dir' } }))",
      '@a.txt:4 @"sub dir/"',
      1,
    },
    { "_G.marked = nil assert(_G.run('mini_pick'))", "@a.txt", 0 },
    { "_G.marked = { 'b.txt\\0007\\0001\\0text', 'a.txt' } assert(_G.run('mini_pick'))", "@b.txt:7 @a.txt", 0 },
  }
  for _, row in ipairs(rows) do
    vi:lua(row[1])
    vi:wait("require('pintle.prompt').text(require('pintle.workspace').get()) == given", row[1], row[2])
    equal(vi:lua("return _G.closed"), row[3], row[1])
  end
  vi:lua("require('pintle.prompt').set(require('pintle.workspace').get(), '')")
  vi:cmd([[Pintle add file ./b.txt sub\ dir/d.txt]])
  equal(prompt_of(vi), '@b.txt @"sub dir/d.txt"')
  vi:cmd("Pintle add file nothere.txt")
  vi:wait_note("no such file: nothere.txt")
  equal(prompt_of(vi), '@b.txt @"sub dir/d.txt"')
  equal(vi:lua("return vim.fn.getcompletion('Pintle add file a', 'cmdline')"), { "a.txt" })
end)

test("a picture from the clipboard goes with the message", function()
  local dir = child.folder()
  local bytes = "\137PNG\r\n\26\n" .. ("x"):rep(40)
  child.write(dir .. "/picture.png", bytes)
  child.program(dir .. "/wl-paste", ("#!/bin/sh\n[ -e %s/picture.png ] && cat %s/picture.png\n"):format(dir, dir))
  local env = { PATH = dir .. ":" .. vim.env.PATH, WAYLAND_DISPLAY = "w" }
  local vi = child.start({ script = { replies = { text("A cat.") } }, env = env })
  vi:lua("require('pintle.prompt').set(require('pintle.workspace').get(), 'what is this?')")
  vi:cmd("Pintle add image")
  local prompt = prompt_of(vi)
  assert(prompt:find("^what is this%? !%[picture%]%(/.*%.png%)$"), prompt)
  vi:cmd("Pintle ask")
  vi:wait_turn()
  equal(vi:lua(SENT)[2], { type = "image", mimeType = "image/png", data = vim.base64.encode(bytes) })
  vim.fn.delete(dir .. "/picture.png")
  vi:cmd("Pintle add image")
  vi:wait_note("no image: the clipboard contains no image")
  vi:lua("vim.env.PATH = '/nowhere'")
  vi:cmd("Pintle add image")
  vi:wait_note("no image: reading an image from the clipboard requires wl-paste")
end)

test("what becomes of messages that wait, from how they stand in the buffer", function()
  local waiting = require("pintle.waiting")
  local other = { type = "file", path = "a.rs" }
  local queue = {
    { itemId = "a", delivery = "steer", content = { { type = "text", text = "first" } } },
    { itemId = "b", delivery = "followUp", content = { { type = "text", text = "second\nline" }, other } },
    { itemId = "c", delivery = "followUp", content = { { type = "text", text = "third" } } },
  }
  local lines = waiting.lines(queue)
  local function plan(change)
    local whole = table.concat(lines, "\n")
    local steps, why = waiting.plan(queue, waiting.parse(vim.split(change(whole), "\n", { plain = true })))
    if not steps then
      return why
    end
    return vim.tbl_map(function(step)
      local params = step.params
      if params.itemIds then
        return "remove " .. table.concat(params.itemIds, " ")
      end
      local said = params.delivery or params.toEnd and "end" or vim.json.encode(params.input[1].text) .. #params.input
      return params.itemId .. " " .. said
    end, steps)
  end
  local function replace(from, to)
    return function(whole)
      return (whole:gsub(vim.pesc(from), to, 1))
    end
  end
  local rows = {
    { replace("nothing at all", ""), {} },
    { replace("first", "1st"), { 'a "1st"1' } },
    { replace("second", "2nd"), { 'b "2nd\\nline"2' } },
    { replace("## 1 steer", "## 1 follow-up"), { "a followUp" } },
    { replace("## 2 follow-up\n\nsecond\nline\n> with [a.rs]\n", ""), { "remove b" } },
    { replace("## 2", "## 9"), "no message 9: write new messages in the prompt" },
    { replace("## 2", "## 1"), "message 1 occurs twice" },
    { replace("## 1 steer", "## 1 now"), "message 1: `now` must be `steer` or `follow-up`" },
    {
      function(whole)
        local head, second, third = whole:match("^(.-)(## 2.-)(## 3.*)$")
        return head .. third .. "\n" .. second
      end,
      { "a end", "c end", "b end" },
    },
    {
      function()
        return ""
      end,
      { "remove a b c" },
    },
  }
  for _, row in ipairs(rows) do
    equal(plan(row[1]), row[2])
  end
end)

test("messages that wait are edited, moved and removed in a buffer", function()
  local script = { replies = { WAITS, text("Heard."), text("Later."), text("Last.") } }
  local vi = child.start({ stock = true, script = script })
  vi:cmd("Pintle waiting")
  vi:wait_screen("no waiting messages")
  open_prompt(vi)
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  for number, words in ipairs({ "alpha", "beta", "gamma" }) do
    vi:cmd("Pintle queue " .. words)
    vi:wait("#require('pintle.workspace').find():view().state.queue == given", "it waits", number)
  end
  vi:cmd("Pintle waiting")
  vi:wait_screen("## 3 follow-up")
  -- the last one before the first, the second one gone, the first one changed
  vi:keys("/^## 3<CR>dG/^## 1<CR>P:%s/alpha/alpha and more/<CR>/^## 2<CR>dG:w<CR>")
  vi:wait("#require('pintle.workspace').find():view().state.queue == 2", "one was removed")
  vi:wait_screen("2 waiting messages")
  equal(vi:lua("return vim.bo.modified"), false)
  equal(prompt_of(vi), "", "what was removed is not handed back")
  child.write(vi.dir .. "/go", "")
  vi:wait_turn(3)
  local chat = vi:chat()
  contains(chat, "alpha and more")
  assert(chat:find("gamma", 1, true) < chat:find("alpha", 1, true), chat)
  assert(not chat:find("beta", 1, true), chat)
end)

test("model, effort, work mode and permissions are picked, and hold from the next turn", function()
  local vi = child.start({ script = { replies = { text("Hi.") } } })
  vi:lua("_G.choices = { 'plan' }")
  vi:cmd("Pintle mode")
  vi:wait_note("plan from the next turn on")
  equal(vi:lua("return _G.asked[1].labels"), { "act  (now)", "plan" })
  vi:cmd("Pintle permissions read-only")
  vi:wait_note("read-only from the next turn on")
  vi:wait("require('pintle.workspace').find():view().state.permission_mode == 'readOnly'")
  vi:lua("_G.asked, _G.choices = {}, { 'script/script' }")
  vi:cmd("Pintle model")
  vi:wait("#_G.asked == 1")
  local labels = vi:lua("return _G.asked[1].labels")
  equal(labels[1], "script/script  (now)")
  contains(labels[#labels], "without a login or key")
  vi:wait_note("script/script from the next turn on")
  vi:cmd("Pintle mode sideways")
  vi:wait("vim.iter(_G.notes):any(function(n) return n:find('not set', 1, true) and n:find('sideways', 1, true) end)")
  equal(
    vi:lua("return vim.fn.getcompletion('Pintle permissions ', 'cmdline')"),
    { "ask", "auto-edit", "full", "read-only" }
  )
end)

test("what was said in any session is found, and its session opened", function()
  local vi = child.start({ script = { replies = { text("The basket is woven."), text("A second one.") } } })
  vi:cmd("Pintle ask first question")
  vi:wait_turn()
  vi:lua("require('pintle').new()")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle ask second question")
  vi:wait_turn(2)
  local id = vi:lua("return require('pintle').status().session")
  vi:quit()
  local again = child.start({ dir = vi.dir, script = { replies = {} } })
  again:lua("_G.choices = { 'first question' }")
  again:cmd("Pintle search basket")
  again:wait_chat("The basket is woven.")
  again:wait("require('pintle').status().session ~= nil")
  assert(again:lua("return require('pintle').status().session") ~= id)
  contains(again:lua("return _G.asked[1].labels[1]"), "[basket] is woven")
  again:cmd("Pintle search carpets")
  again:wait_note("no matches for `carpets`")
end)
