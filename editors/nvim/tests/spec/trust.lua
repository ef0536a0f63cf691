-- `:Pintle trust`: the engine keeps the answer that a person gave in the editor.

local child = require("child")

local function trusted(vi)
  return vi:lua("return vim.system({ vim.env.PINTLE_BIN, 'trust', '--list' }, { text = true }):wait().stdout")
end

test("a project is trusted once a person says so", function()
  local dir = child.folder("project")
  vim.fn.mkdir(dir .. "/.git")
  vim.fn.mkdir(dir .. "/sub")
  local vi = child.start({ dir = dir .. "/sub", settings = {} })
  vi:lua("_G.choices = { 'Do not trust it', 'Trust it' }")
  vi:cmd("Pintle trust")
  contains(vi:lua("return _G.asked[1].prompt"), "Trust this project?\n" .. vim.uv.fs_realpath(dir) .. "\n")
  contains(trusted(vi), "no trusted directories")
  vi:cmd("Pintle trust")
  vi:wait_note("effective from the next turn")
  equal(vim.trim(trusted(vi)), vim.uv.fs_realpath(dir))
end)
