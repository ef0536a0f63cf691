-- Neovim's own client drives `pintle lsp`: one code action for real, with its edit, diagnostic, code lens, and a document that is shown.
-- This client does not offer edits of certain versions, so the agent changes the file, which Neovim reads again.

local function wait(what, holds)
  local value
  assert(vim.wait(60000, function()
    value = holds()
    return value and true or false
  end, 20), ("no %s; the buffer is %s"):format(what, vim.inspect(vim.api.nvim_buf_get_lines(0, 0, -1, true))))
  return value
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
end

vim.o.swapfile = false
vim.cmd.edit("a.txt")
local buf = vim.api.nvim_get_current_buf()
local id = vim.lsp.start({
  name = "pintle",
  cmd = { vim.env.PINTLE_BIN, "lsp", "--permission", "full", "--script", vim.env.SCRIPT },
  root_dir = vim.fn.getcwd(),
})
local client = assert(vim.lsp.get_client_by_id(assert(id)))
wait("server", function()
  return client.initialized
end)

vim.lsp.buf.code_action({
  apply = true,
  range = { start = { 1, 0 }, ["end"] = { 2, 0 } },
  filter = function(action)
    return action.title == "Refactor with pintle"
  end,
})
wait("edit", function()
  vim.cmd.checktime()
  return text():find("one, edited", 1, true)
end)
print("edited in the file")
local shown = wait("diagnostic", function()
  return vim.diagnostic.get(buf)[1]
end)
print((shown.message:gsub("\n.*", "")))

vim.cmd("normal! gg")
vim.lsp.codelens.refresh({ bufnr = buf })
local lenses = wait("code lens", function()
  local found = vim.lsp.codelens.get(buf)
  return #found > 0 and found
end)
print(lenses[1].command.title)
vim.lsp.buf.code_action({
  apply = true,
  filter = function(action)
    return action.title == "Undo pintle's change here"
  end,
})
wait("undo", function()
  vim.cmd.checktime()
  return not text():find("edited", 1, true)
end)
print("undone in the file")
wait("end of the diagnostic", function()
  return #vim.diagnostic.get(buf) == 0
end)
print("no change is left")

client:request("workspace/executeCommand", { command = "pintle.transcript" })
wait("transcript", function()
  return vim.api.nvim_buf_get_name(0):find("transcript", 1, true)
end)
assert(text():find("Refactor this code", 1, true), text())
print("the transcript is shown")
client:stop()
wait("end of the server", function()
  return client:is_stopped()
end)
vim.cmd("qall!")
