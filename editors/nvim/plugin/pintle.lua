-- Registers the command and the maps; everything else loads when one of them is used.

if vim.g.loaded_pintle then
  return
end
vim.g.loaded_pintle = true

-- Where the editor works, whatever 'autochdir' does to the directory until the first command.
vim.g.pintle_folder = vim.fn.getcwd(-1, -1)
vim.api.nvim_create_autocmd("DirChanged", {
  group = vim.api.nvim_create_augroup("pintle_folder", { clear = true }),
  pattern = "global",
  callback = function()
    vim.g.pintle_folder = vim.v.event.cwd
  end,
})

vim.api.nvim_create_user_command("Pintle", function(call)
  require("pintle.command").run(call)
end, {
  nargs = "*",
  range = true,
  desc = "Work with the pintle coding agent",
  complete = function(lead, line)
    return require("pintle.command").complete(lead, line)
  end,
})

for _, verb in ipairs({
  "open",
  "ask",
  "steer",
  "queue",
  "stop",
  "diff",
  "review",
  "keep",
  "undo",
  "sessions",
  "attention",
}) do
  vim.keymap.set("n", ("<Plug>(pintle-%s)"):format(verb), function()
    require("pintle.command").run({ fargs = { verb } })
  end, { desc = "pintle: " .. verb })
end

for _, verb in ipairs({ "keep", "undo" }) do
  local rhs = (":Pintle %s<CR>"):format(verb)
  vim.keymap.set("x", ("<Plug>(pintle-%s)"):format(verb), rhs, { desc = "pintle: " .. verb .. " lines", silent = true })
end

for name, by in pairs({ ["next-hunk"] = 1, ["prev-hunk"] = -1 }) do
  vim.keymap.set("n", ("<Plug>(pintle-%s)"):format(name), function()
    require("pintle.review").jump(by)
  end, { desc = "pintle: " .. name })
end
