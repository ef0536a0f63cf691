-- Going back, forward again, and on from another place.

local child = require("child")
local reply = require("reply")
local history = require("pintle.history")

local text = reply.text

local function edit(path, old, new)
  return { blocks = { { tool = "edit", arguments = { path = path, edits = { { oldText = old, newText = new } } } } } }
end

test("the way that counts", function()
  local rows = {
    { "never gone back", {}, "123456789" },
    { "back to the beginning", { { 5, 0 } }, "56789" },
    { "back, and on", { { 5, 2 } }, "1256789" },
    { "back twice", { { 5, 2 }, { 8, 1 } }, "189" },
    { "back and forward again", { { 5, 2 }, { 6, 4 } }, "12346789" },
    { "to the end of a way that was left", { { 3, 1 }, { 6, 2 }, { 8, 5 } }, "134589" },
    { "an event that names itself is taken for any other", { { 5, 5 } }, "123456789" },
  }
  for _, row in ipairs(rows) do
    local state, found = history.new(), ""
    for _, back in ipairs(row[2]) do
      history.rewound(state, back[1], { toSeq = back[2] })
    end
    local is_on_way = history.way(state)
    for seq = 1, 9 do
      found = found .. (is_on_way(seq) and seq or "")
    end
    equal(found, row[3], row[1])
  end
end)

test("what a redo undoes", function()
  -- Moves as { kind, seq, to }; what the redo goes to, and its scope.
  local rows = {
    { "nothing was rewound", {}, nil },
    { "a conversation", { { "conversation", 5, 2 } }, { 4, "conversation" } },
    { "files", { { "files", 6, 2 } }, { 5, "files" } },
    { "both", { { "files", 6, 2 }, { "conversation", 7, 2 } }, { 5, "both" } },
    {
      "both, and forward again",
      { { "files", 6, 2 }, { "conversation", 7, 2 }, { "files", 8, 5 }, { "conversation", 9, 5 } },
      nil,
    },
    { "twice back", { { "conversation", 5, 3 }, { "conversation", 6, 1 } }, { 5, "conversation" } },
    {
      "twice back, once forward",
      { { "conversation", 5, 3 }, { "conversation", 6, 1 }, { "conversation", 7, 5 } },
      { 4, "conversation" },
    },
    {
      "twice back, twice forward",
      { { "conversation", 5, 3 }, { "conversation", 6, 1 }, { "conversation", 7, 5 }, { "conversation", 8, 4 } },
      nil,
    },
    {
      "forward, and back once more",
      { { "conversation", 5, 3 }, { "conversation", 6, 4 }, { "conversation", 7, 1 } },
      { 6, "conversation" },
    },
    { "files of an older engine", { { "files", 5 }, { "files", 6 } }, { 5, "files" } },
    { "the model has worked on", { { "conversation", 5, 2 }, { "on" } }, nil },
  }
  for _, row in ipairs(rows) do
    local state = history.new()
    for _, move in ipairs(row[2]) do
      if move[1] == "files" then
        history.files_rewound(state, move[2], move[3])
      elseif move[1] == "on" then
        history.goes_on(state)
      else
        history.rewound(state, move[2], { toSeq = move[3] })
      end
    end
    local found = history.undoable(state)
    equal(found and { found.from, found.scope }, row[3], row[1])
  end
end)

-- An editor with two turns: each has changed the file.
local function twice()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\n")
  local script = {
    replies = {
      edit("a.txt", "one", "two"),
      text("First done."),
      edit("a.txt", "two", "three"),
      text("Second done."),
      text("Third done."),
    },
  }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("edit a.txt")
  vi:cmd("Pintle ask make it two")
  vi:wait_turn(1)
  vi:cmd("Pintle ask make it three")
  vi:wait_turn(2)
  return vi, dir .. "/a.txt"
end

local function prompt_of(vi)
  return vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())")
end

test("back with conversation and files, forward again, and on", function()
  local vi, path = twice()
  local whole = vi:chat()
  vi:lua("_G.choices = { 'make it three', 'Conversation and files', 'Rewind' }")
  vi:cmd("Pintle rewind")
  vi:wait_note("1 file restored; :Pintle redo goes forward again")
  equal(child.read(path), "two\n")
  equal(vi:lua("return vim.fn.getline(1, '$')"), { "two" }, "the buffer was reloaded")
  equal(prompt_of(vi), "make it three")
  -- The event comes after the answer.
  vi:wait_chat("3 items removed from the conversation")
  local chat = vi:chat()
  contains(chat, "First done.")
  assert(not chat:find("Second done.", 1, true) and not chat:find("make it three", 1, true), chat)
  contains(vi:lua("return table.concat(vim.tbl_map(function(a) return a.prompt end, _G.asked), '|')"), "Rewind")
  vi:cmd("Pintle redo")
  local notes = "vim.tbl_filter(function(n) return n:find('1 file restored', 1, true) end, _G.notes)"
  vi:wait("#" .. notes .. " == 2")
  equal(vi:lua("return " .. notes .. "[2]"):find("forward again", 1, true), nil, "a redo goes no further")
  equal(child.read(path), "three\n")
  equal(prompt_of(vi), "", "what was put there is taken out again")
  vi:wait_chat("3 items restored to the conversation")
  chat = vi:chat()
  equal(chat:sub(1, #whole), whole, "the transcript is the same again")
  contains(chat:sub(#whole), "3 items restored")
  -- a second time there is nothing to redo, and nothing changes
  vi:cmd("Pintle redo")
  vi:wait_note("there is no rewind to redo")
  equal({ child.read(path), vi:chat() }, { "three\n", chat })
  -- back once more, and on from there: then there is no forward
  vi:lua("_G.choices = { 'make it two', 'Only the conversation', 'Rewind' }")
  vi:cmd("Pintle rewind")
  vi:wait("#vim.tbl_filter(function(n) return n:find('forward again', 1, true) end, _G.notes) == 2")
  vi:cmd("Pintle ask something else")
  vi:wait_turn(3)
  chat = vi:chat()
  assert(not chat:find("First done.", 1, true) and chat:find("something else", 1, true), chat)
  equal(child.read(path), "three\n")
  vi:cmd("Pintle redo")
  vi:wait_note("there is no rewind to redo")
  -- the way that was left is still there
  vi:lua("_G.choices = { 'make it three  (left', 'Only the conversation', 'Rewind' }")
  vi:cmd("Pintle rewind")
  vi:wait("#vim.tbl_filter(function(n) return n:find('forward again', 1, true) end, _G.notes) == 3")
  vi:wait_chat("Second done.")
  chat = vi:chat()
  assert(not chat:find("something else", 1, true), chat)
end)

test("a redo can follow right after a rewind's notice", function()
  for _, scope in ipairs({ "Conversation and files", "Only the conversation", "Only the files" }) do
    local vi, path = twice()
    -- The events come late.
    vi:lua([[
      local here, held = require("pintle.workspace").find(), {}
      local notified = here.notified
      function here:notified(method, params)
        if method == "session/event" then
          return table.insert(held, params)
        end
        return notified(self, method, params)
      end
      function _G.release()
        here.notified = nil
        for _, params in ipairs(held) do
          here:notified("session/event", params)
        end
      end
      local log = require("pintle.log")
      local say = log.say
      function log.say(text, level)
        say(text, level)
        if text:find("redo goes forward again", 1, true) then
          vim.cmd("Pintle redo")
        end
      end
    ]])
    vi:lua("_G.choices = { 'make it three', ..., 'Rewind' }", scope)
    vi:cmd("Pintle rewind")
    vi:wait("#_G.asked == 3 and #_G.choices == 0", "the answers")
    vi:lua("require('pintle.workspace').find():ask_now('session/list', {})")
    vi:lua("_G.release()")
    vi:wait_note("forward again")
    vi:wait("vim.iter(_G.notes):any(function(n) return n:find(' restored$') end)", scope)
    equal(child.read(path), "three\n", scope)
    contains(vi:chat(), "Second done.")
  end
end)

test("back, and the model is told what was left", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\n")
  local script = { replies = { text("First done."), text("Second done."), text("It was said twice.") } }
  local vi = child.start({ dir = dir, script = script })
  vi:cmd("Pintle ask say it")
  vi:wait_turn(1)
  vi:cmd("Pintle ask say it again")
  vi:wait_turn(2)
  vi:lua("_G.choices = { 'say it again', 'with a summary', 'Rewind' }")
  vi:cmd("Pintle rewind")
  vi:wait_turn(3)
  vi:wait_note("forward again")
  local told = vi:lua([[
    local items = require("pintle.workspace").get():view().state.items
    return vim.tbl_map(function(item) return item.text end, vim.tbl_filter(function(item)
      return item.type == "engineMessage"
    end, vim.tbl_values(items)))
  ]])
  equal(#told, 1)
  contains(told[1], "It was said twice.")
end)

test("the diffs in a patch, by file", function()
  local patch = [[
diff --git a/one.txt b/one.txt
index 1..2 100644
--- a/one.txt
+++ b/one.txt
@@ -1,2 +1,2 @@
 same
--- old
+++ new
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
\ No newline at end of file
diff --git "a/a\nb\303\274" "b/a\nb\303\274"
new file mode 100644
--- /dev/null
+++ "b/a\nb\303\274"
@@ -0,0 +1 @@
+y
]]
  equal(require("pintle.preview").diffs(patch), {
    ["one.txt"] = "@@ -1,2 +1,2 @@\n same\n--- old\n+++ new",
    gone = "@@ -1 +0,0 @@\n-x\n\\ No newline at end of file",
    ["a\nbü"] = "@@ -0,0 +1 @@\n+y",
  })
end)

test("a rewind shows the diff that it would make, in the colours of diffs", function()
  local vi = twice()
  vi:lua("_G.choices = { 'make it three', 'Conversation and files' }")
  vi:cmd("Pintle rewind")
  vi:wait("#_G.asked == 3")
  contains(vi:lua("return _G.asked[3].prompt"), "- a.txt: restored (the agent's)\n@@ -1,1 +1,1 @@\n-three\n+two\n")
  local groups = vi:lua([[
    local buf, found = require("pintle.panel").current().buf, {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
      local line = vim.api.nvim_buf_get_lines(buf, mark[2], mark[2] + 1, false)[1]
      found[line] = mark[4].hl_group or mark[4].line_hl_group
    end
    return { found["-three"], found["+two"] }
  ]])
  equal(groups, { "PintlePanelRemoved", "PintlePanelAdded" })
end)

test("a rewind is shown before it is done, and a person's change stays unless told otherwise", function()
  local vi, path = twice()
  child.write(path, "mine\n")
  vi:lua("_G.choices = { 'make it three', 'Only the files' }")
  vi:cmd("Pintle rewind")
  vi:wait("#_G.asked == 3")
  local preview = "# make it three\n\n- a.txt: left unchanged (conflict: yours and the agent's)\n"
  contains(vi:lua("return _G.asked[3].prompt"), preview)
  equal(
    vi:lua("return _G.asked[3].labels"),
    { "Do nothing", "Rewind, and skip conflicts", "Rewind, and discard your changes in conflicts" }
  )
  equal(child.read(path), "mine\n")
  vi:lua("_G.choices = { 'make it three', 'Only the files', 'Do nothing' }")
  vi:cmd("Pintle rewind")
  vi:wait("#_G.asked == 6 and #_G.choices == 0")
  equal(child.read(path), "mine\n")
  vi:lua("_G.choices = { 'make it three', 'Only the files', 'discard your changes' }")
  vi:cmd("Pintle rewind")
  vi:wait_note("1 file restored")
  equal(child.read(path), "two\n")
  contains(vi:chat(), "Second done.")
  equal(prompt_of(vi), "")
  vi:cmd("Pintle redo")
  vi:wait("#vim.tbl_filter(function(n) return n:find('1 file restored', 1, true) end, _G.notes) == 2")
  equal(child.read(path), "mine\n")
end)

test("the way that counts is drawn in another editor", function()
  local vi = twice()
  vi:lua("_G.choices = { 'make it three', 'Only the conversation', 'Rewind' }")
  vi:cmd("Pintle rewind")
  vi:wait_chat("removed from the conversation")
  local chat = vi:chat()
  vi:quit()
  local again = child.start({ dir = vi.dir })
  again:lua("_G.choices = { 'make it two' }")
  again:cmd("Pintle sessions")
  again:wait_chat("removed from the conversation")
  equal(again:chat(), chat)
  again:cmd("Pintle redo")
  again:wait_chat("Second done.")
end)

test("a fork goes on by itself", function()
  local vi = twice()
  local first = vi:lua("return require('pintle').status().session")
  vi:lua("_G.choices = { 'make it three' }")
  vi:cmd("Pintle fork")
  vi:wait_note("this is the fork")
  vi:wait_chat("First done.")
  assert(vi:lua("return require('pintle').status().session") ~= first)
  assert(not vi:chat():find("Second done.", 1, true), vi:chat())
  equal(prompt_of(vi), "make it three")
  vi:cmd("Pintle ask another way")
  vi:wait_turn(3)
  contains(vi:chat(), "Third done.")
end)

test("fork titles", function()
  local taken = { ["fork 14:05 of fix it"] = true, ["fork 14:05 (2) of fix it"] = true }
  for _, case in ipairs({
    { "fix this", "14:05", "fork 14:05 of fix this" },
    { "two\nlines", "14:05", "fork 14:05 of two lines" },
    { "fix it", "14:05", "fork 14:05 (3) of fix it" },
    { "fork 09:00 of fix that", "14:05", "fork 14:05 of fix that" },
    { "fork 14:05 (2) of fix it", "15:00", "fork 15:00 of fix it" },
    { "fork a repository", "14:05", "fork 14:05 of fork a repository" },
    { ("長"):rep(300), "14:05", "fork 14:05 of " .. ("長"):rep(100) },
    { nil, "14:05", "fork 14:05 of a session", n = 3 },
  }) do
    local title = require("pintle.rewind").fork_title(case[1], case[2], function(each)
      return taken[each] ~= nil
    end)
    equal(title, case[3])
  end
end)

test("each fork has a distinct title, and the notice reports which session keeps the open hunks", function()
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\n")
  local script = { replies = { edit("a.txt", "one", "two"), text("Done.") } }
  local vi = child.start({ dir = dir, script = script, before = "os.date = function() return '14:05' end" })
  vi:cmd("Pintle open")
  vi:cmd("Pintle ask change it")
  vi:wait_turn(1)
  vi:wait("require('pintle').status().hunks == 1")
  for _, title in ipairs({ "fork 14:05 of change it", "fork 14:05 (2) of change it" }) do
    vi:lua("_G.choices = { 'Here, with the full history' }")
    vi:cmd("Pintle fork")
    vi:wait("require('pintle').status().title == given", "the fork", title)
    vi:wait_chat("Done.")
    contains(vi:screen(), title)
  end
  vi:wait_note("this is the fork; :Pintle sessions returns to the original, which keeps the open hunk")
  vi:lua("_G.asked = {}")
  vi:cmd("Pintle sessions")
  vi:wait("#_G.asked == 1")
  local labels = table.concat(vi:lua("return _G.asked[1].labels"), "\n")
  contains(labels, "fork 14:05 of change it")
  contains(labels, "fork 14:05 (2) of change it")
end)

test("going back with nothing to go back to, and while a turn runs", function()
  local script = { replies = { { blocks = { { tool = "bash", arguments = { command = "sleep 60" } } } } } }
  local vi = child.start({ script = script })
  for _, verb in ipairs({ "rewind", "redo", "fork" }) do
    vi:lua("_G.notes = {}")
    vi:cmd("Pintle " .. verb)
    vi:wait_note("no session")
  end
  vi:cmd("Pintle open")
  vi:wait("require('pintle').status().session")
  vi:cmd("Pintle rewind")
  vi:wait_note("no message to rewind to yet")
  vi:cmd("Pintle ask go")
  vi:wait_chat("running")
  for _, verb in ipairs({ "rewind", "redo" }) do
    vi:lua("_G.notes = {}")
    vi:cmd("Pintle " .. verb)
    vi:wait_note("not rewound: a turn is running; wait for its end, or use `:Pintle stop`")
  end
  -- A fork needs no pause.
  local first = vi:lua("return require('pintle').status().session")
  vi:lua("_G.choices = { 'Here, with the full history' }")
  vi:cmd("Pintle fork")
  vi:wait_note("this is the fork; :Pintle sessions returns to the original")
  vi:wait("require('pintle').status().state == 'idle'")
  equal(vi:lua("return require('pintle.workspace').find().views[...].state.state", first), "running")
  vi:lua("local here = ... require('pintle.workspace').find():open(here, function() end)", first)
  vi:cmd("Pintle stop")
  vi:wait_turn(1)
end)
