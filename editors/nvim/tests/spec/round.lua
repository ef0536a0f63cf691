-- The whole round: prompt, stream, tool run, diff, steer, approve, stop, resume.

local child = require("child")
local reply = require("reply")

local text = reply.text

local function call(words, tool, arguments)
  return { blocks = { { text = words }, { tool = tool, arguments = arguments } } }
end

-- Twice, with the same screens: the model is a script, or a cassette that goes through a provider's wire format.
local function whole_round(name, arguments_for)
  local dir = child.folder()
  child.write(dir .. "/greet.txt", "one\ntwo\nthree\nfour\nfive\n")
  local script = {
    replies = {
      call("I look at it first.", "bash", { command = "tee<greet.txt; until [ -e go ]; do sleep .1;done" }),
      call(
        "Now I change it.",
        "edit",
        { path = "greet.txt", edits = { { oldText = "two", newText = "TWO\nand a half" } } }
      ),
      text("The second line is loud now.\n\n- as asked\n- and no more"),
      call("This takes a while.", "bash", { command = "touch begun; while :; do sleep 0.02; done" }),
    },
  }
  local settings = { permission_mode = "ask", args = arguments_for(script) }
  local vi = child.start({ dir = dir, settings = settings })
  vi:cmd("edit greet.txt")
  vi:lua("vim.api.nvim_win_set_cursor(0, { 4, 2 })")
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")

  -- prompt: typed into an ordinary buffer, sent with <CR>
  vi:keys("iMake the second line loud.<Esc><CR>")
  vi:wait("require('pintle.approval').count() == 1", "a question")
  vi:wait_chat("asks for permission")
  golden_grid(name .. "-1-asked", vi)
  equal(vi:lua("return vim.api.nvim_buf_get_name(0):match('^pintle://prompt/') ~= nil"), true, "focus stays")
  contains(vi:lua("return require('pintle.statusline').get()"), "pintle: blocked, 1 asks")
  equal(vi:lua("return #_G.asked"), 0, "nothing pops up")

  -- approve: looked at, then allowed
  vi:lua("_G.choices = { 'Allow' }")
  vi:cmd("Pintle attention")
  vi:wait_chat("running")
  contains(vi:lua("return _G.asked[1].prompt"), "tee<greet.txt; until [ -e go ]; do sleep .1;done")

  -- steer and queue while it runs
  vi:cmd("Pintle steer Leave the others alone.")
  vi:wait_note("the turn reads it at its next gap")
  vi:cmd("Pintle queue Then run the long one.")
  vi:wait_note("queued as a follow-up")
  vi:wait_chat("five")
  vi:wait("require('pintle').status().queued == 2")
  golden_grid(name .. "-2-queued", vi)
  child.write(dir .. "/go", "")

  -- the edit asks too
  vi:wait("require('pintle.approval').count() == 1", "a second question")
  vi:lua("_G.choices = { 'Allow changes in the working directory' }")
  vi:cmd("Pintle attention")
  vi:wait_turn(1)

  -- the edit came into the buffer, the cursor stays at its text
  equal(vi:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('greet.txt'), 0, -1, false)"), {
    "one",
    "TWO",
    "and a half",
    "three",
    "four",
    "five",
  })
  equal(vi:lua("return vim.api.nvim_win_get_cursor(vim.fn.bufwinid('greet.txt'))"), { 5, 2 })
  -- the file `go` came while a command of the model's ran
  vi:wait("require('pintle').status().hunks == 2", "the hunks")
  vi:cmd("Pintle review")
  vi:wait("#vim.fn.getqflist() == 2", "the list of hunks")
  local qf = vi:lua([[
    local list = vim.fn.getqflist({ title = 1, items = 1 })
    return { list.title, #list.items, list.items[2].lnum, list.items[2].text, vim.fn.bufname(list.items[2].bufnr) }
  ]])
  equal(qf, { "pintle: hunks", 2, 2, "+2 -1 TWO", "greet.txt" })
  vi:cmd("cclose")

  -- stop: the queued turn hangs in its command
  vi:wait("require('pintle.approval').count() == 1", "a third question")
  vi:lua("_G.choices = { 'Allow' }")
  vi:cmd("Pintle attention")
  child.wait_file(dir .. "/begun")
  vi:cmd("Pintle queue Never read.")
  vi:wait("require('pintle').status().queued == 1")
  vi:cmd("Pintle stop")
  vi:wait_note("stopping the turn")
  vi:wait_note("the turn was stopped")
  vi:wait_turn(2)
  vi:wait_note("1 unread, returned to the prompt")
  equal(vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())"), "Never read.")
  local before = vi:chat()
  golden(name .. "-3-chat", before, dir)
  golden_grid(name .. "-4-screen", vi)

  -- diff
  vi:cmd("Pintle diff greet.txt")
  vi:wait("vim.fn.tabpagenr() == 2 and require('pintle.overlay').is_bare()")
  golden_grid(name .. "-5-diff", vi)
  equal(vi:lua("return { vim.fn.tabpagenr(), vim.api.nvim_buf_get_lines(vim.fn.winbufnr(1), 0, -1, false) }"), {
    2,
    { "one", "two", "three", "four", "five" },
  })

  -- resume in another editor
  local engine = vi:engine_pid()
  vi:quit()
  child.wait_gone(engine)
  local again = child.start({ dir = dir, settings = { args = arguments_for({ replies = { text("I am back.") } }) } })
  again:lua("_G.choices = { 'Make the second line loud.' }")
  again:cmd("Pintle sessions")
  again:wait_chat("stopped after")
  equal(again:chat(), before, "the transcript is the same")
  equal(
    again:lua("return require('pintle.prompt').text(require('pintle.workspace').get())"),
    "Never read.",
    "what went back to the prompt is kept, and history is not done again"
  )
  equal(again:lua("return _G.notes"), {}, "history is not told again")
  again:cmd("Pintle diff greet.txt")
  again:wait("vim.fn.tabpagenr('$') == 2")
  again:cmd("tabclose")
  again:cmd("Pintle ask Are you there?")
  again:wait_chat("I am back.")
  again:wait_turn(1)
end

test("the whole round", function()
  whole_round("round", function(script)
    local path = child.folder() .. "/script.json"
    child.write(path, vim.json.encode(script))
    return { "--script", path }
  end)
end)

test("the whole round, on a cassette", function()
  whole_round("cassette", function(script)
    return { "--replay", child.cassette(script.replies), "--model", "anthropic/claude-sonnet-4-5", "--profile", "pi" }
  end)
end)
