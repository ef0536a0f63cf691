-- Registers the command and the maps; everything else loads when one of them is used.

if vim.g.loaded_pintle then
  return
end
vim.g.loaded_pintle = true

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

for _, verb in ipairs({ "open", "steer", "queue", "stop", "diff", "sessions", "attention" }) do
  vim.keymap.set("n", ("<Plug>(pintle-%s)"):format(verb), function()
    require("pintle.command").run({ fargs = { verb } })
  end, { desc = "pintle: " .. verb })
end
