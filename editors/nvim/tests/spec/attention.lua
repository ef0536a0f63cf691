-- What asks for a person, in all sessions.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

test("what asks in several sessions is one list, and each is answered from there", function()
  local replies = {}
  for number = 1, 2 do
    replies[number] = call("bash", { command = "touch made" .. number })
  end
  local question = { question = "Which colour?", options = { "red", "blue" } }
  local script =
    { replies = { replies[1], replies[2], call("ask_user", question), text("One."), text("Two."), text("3.") } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" }, in_terminal = true })
  local sessions = {}
  for number, prompt in ipairs({ "first task", "second task", "third task" }) do
    if number > 1 then
      vi:lua("_G.choices = { 'New session' }")
      vi:cmd("Pintle sessions")
      vi:wait("not vim.list_contains(given, require('pintle').status().session)", "another session", sessions)
    end
    vi:cmd("Pintle ask " .. prompt)
    vi:wait("require('pintle.approval').count() == given", "a request", number)
    sessions[number] = vi:lua("return require('pintle').status().session")
  end
  equal(vi:lua("return require('pintle.approval').count(...)", sessions[1]), 1)
  contains(vi:lua("return require('pintle.statusline').get()"), "3 ask")
  vi:wait_screen("1 asks")
  vi:cmd("Pintle attention")
  vi:wait_screen("3 ask for your attention")
  golden_grid("attention", vi)
  -- no single key answers, or opens anything
  for _, key in ipairs({ "<CR>", "y", "a", "1" }) do
    vi:keys(key)
  end
  vi:wait("vim.api.nvim_win_get_cursor(0)[1] == 1")
  equal(vi:lua("return require('pintle.approval').count()"), 3)
  -- the second one, denied; then the list again
  vi:lua([[
    local panel = require("pintle.panel")
    _G.step = function(label)
      local shown = panel.current()
      for _, answer in ipairs(shown:answers()) do
        if answer.label:find(label, 1, true) then
          vim.api.nvim_win_set_cursor(shown.win, { answer.row, 0 })
          return shown:choose()
        end
      end
    end
  ]])
  vi:lua("_G.step('touch made2')")
  vi:wait_screen("Command:")
  vi:lua("_G.step('Deny')")
  vi:wait_screen("2 ask for your attention")
  vi:lua("_G.step('Which colour?')")
  vi:lua("_G.step('blue')")
  vi:wait_screen("1 asks for your attention")
  vi:lua("_G.step('touch made1')")
  vi:lua("_G.step('Allow')")
  vi:wait("require('pintle.approval').count() == 0")
  vi:wait("vim.uv.fs_stat('made1') ~= nil")
  equal(vi:lua("return { vim.uv.fs_stat('made2') == nil, require('pintle.panel').current() == nil }"), { true, true })
end)

-- Chooses the answer that begins with a text.
local CHOOSE = [[
  local panel, label = require("pintle.panel").current(), ...
  for _, answer in ipairs(panel:answers()) do
    if vim.startswith(answer.label, label) then
      vim.api.nvim_win_set_cursor(panel.win, { answer.row, 0 })
      return panel:choose()
    end
  end
]]

test("a proposed change is edited before it is allowed", function()
  local edit = call("edit", { path = "a.txt", edits = { { oldText = "two", newText = "TWO" } } })
  local dir = child.folder()
  child.write(dir .. "/a.txt", "one\ntwo\nthree\n")
  local script = { replies = { edit, text("Done.") } }
  local vi = child.start({ dir = dir, script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  local function choose(label)
    vi:cmd("Pintle attention")
    vi:wait("require('pintle.panel').current() ~= nil")
    vi:lua(CHOOSE, label)
  end
  local function lines()
    return vi:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
  end
  choose("Edit a.txt before you answer")
  equal(lines(), { "one", "TWO", "three" })
  vi:cmd("2s/TWO/T2!/")
  equal(lines(), { "one", "T2!", "three" })
  -- unwritten edits are not lost by accident
  contains(vi:lua("return select(2, pcall(vim.cmd, 'quit'))"), "E37")
  vi:cmd("write")
  vi:cmd("quit")
  -- the question is shown again, with the edits
  vi:wait("require('pintle.panel').current() ~= nil")
  equal(vi:lua("return #vim.api.nvim_list_tabpages()"), 1)
  local shown = table.concat(lines(), "\n")
  contains(shown, "Your edits to a.txt, included if you allow it:")
  contains(shown, "+T2!")
  vi:keys("q")
  equal(vi:lua("return vim.fn.readfile('a.txt')"), { "one", "two", "three" })
  choose("Allow")
  vi:wait("require('pintle.approval').count() == 0")
  vi:wait("vim.fn.readfile('a.txt')[2] == 'T2!'")
end)

test("edits of a proposal stay when the question is withdrawn", function()
  local edit = call("write", { path = "new.txt", content = "a\n" })
  local vi = child.start({ script = { replies = { edit } }, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1")
  vi:cmd("Pintle attention")
  vi:lua(CHOOSE, "Edit new.txt before you answer")
  vi:cmd("call append(0, 'mine')")
  vi:cmd("Pintle stop")
  vi:wait("require('pintle.approval').count() == 0")
  vi:cmd("write")
  vi:wait_note("the question is no longer open, so nothing was written; copy your edits to new.txt")
  equal(vi:lua("return { vim.bo.modified, vim.fn.getline(1) }"), { true, "mine" })
end)
