-- `:Pintle rules`: the permission rules, and removing those that answers added.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

test("an answer is listed, removed, and no longer holds in the running turn", function()
  local touch = function(name)
    return call("bash", { command = "touch " .. name })
  end
  local script =
    { replies = { touch("a"), touch("b"), call("bash", { command = "mkdir d" }), touch("c"), text("Done.") } }
  local vi = child.start({ script = script, settings = { permission_mode = "ask" } })
  vi:cmd("Pintle rules")
  vi:wait_note("no session")
  vi:cmd("Pintle ask go")
  vi:wait("require('pintle.approval').count() == 1", "a question about a")
  vi:lua("_G.choices = { 'for this session' }")
  vi:cmd("Pintle attention")
  -- The second call needs no answer.
  vi:wait("require('pintle.approval').count() == 1 and #_G.events > 0", "a question about d")
  vi:lua("_G.asked, _G.choices = {}, { 'touch', 'Remove it' }")
  vi:cmd("Pintle rules")
  vi:wait_note("removed the rule allow `touch **`")
  equal(vi:lua("return _G.asked[1].labels"), { "allow `touch **`  for this session" })
  vi:cmd("Pintle rules")
  vi:wait_note("no rules")
  vi:lua("_G.choices = { 'Allow' }")
  vi:cmd("Pintle attention")
  vi:wait("require('pintle.approval').count() == 1", "a question about c")
  vi:lua("_G.choices = { 'Deny' }")
  vi:cmd("Pintle attention")
  vi:wait_turn()
end)
