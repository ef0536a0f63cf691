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

-- A session file brings windows of the plugin back without what was in them.
local function revive()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.startswith(vim.api.nvim_buf_get_name(buf), "pintle://") then
      return require("pintle.restored").revive()
    end
  end
end
local restored = vim.api.nvim_create_augroup("pintle_restored", { clear = true })
vim.api.nvim_create_autocmd("SessionLoadPost", { group = restored, callback = vim.schedule_wrap(revive) })
vim.api.nvim_create_autocmd("BufFilePost", {
  group = restored,
  pattern = "pintle://*",
  callback = function(event)
    if vim.g.SessionLoad then
      require("pintle.restored").note(event.buf)
    end
  end,
})
-- The plugin may be loaded later than the session.
vim.schedule(revive)

-- A language server for TOML that opens the engine's settings is given their schema.
vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("pintle_schema", { clear = true }),
  pattern = "*/config.toml",
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client then
      require("pintle.schema").attached(event.buf, client)
    end
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

-- Verbs without an argument, each as `<Plug>(pintle-VERB)`.
for _, verb in ipairs({
  "add",
  "apply",
  "ask",
  "attention",
  "close",
  "comment",
  "compact",
  "context",
  "delete",
  "diff",
  "discard",
  "doctor",
  "earlier",
  "edit",
  "edits",
  "effort",
  "explain",
  "export",
  "fix",
  "fork",
  "help",
  "log",
  "login",
  "logout",
  "merge",
  "mode",
  "model",
  "new",
  "note",
  "notes",
  "open",
  "permissions",
  "plan",
  "queue",
  "redo",
  "refactor",
  "rename",
  "restart",
  "retry",
  "revert",
  "review",
  "rewind",
  "rules",
  "search",
  "servers",
  "sessions",
  "steer",
  "stop",
  "terminal",
  "test",
  "toggle",
  "trust",
  "waiting",
}) do
  vim.keymap.set("n", ("<Plug>(pintle-%s)"):format(verb), function()
    require("pintle.command").run({ fargs = { verb } })
  end, { desc = "pintle: " .. verb })
end

-- With `.` they do it again where the cursor is then.
for _, verb in ipairs({ "keep", "undo" }) do
  vim.keymap.set("n", ("<Plug>(pintle-%s)"):format(verb), function()
    return require("pintle.keys").operator("at_cursor", verb)
  end, { expr = true, desc = ("pintle: %s the hunk under the cursor"):format(verb) })
  for mode, suffix in pairs({ n = "-operator", x = "" }) do
    vim.keymap.set(mode, ("<Plug>(pintle-%s%s)"):format(verb, suffix), function()
      return require("pintle.keys").operator("over", verb)
    end, { expr = true, desc = ("pintle: %s these lines"):format(verb) })
  end
end

for _, verb in ipairs({
  "add",
  "ask",
  "comment",
  "edit",
  "explain",
  "fix",
  "note",
  "queue",
  "refactor",
  "steer",
  "test",
}) do
  local rhs = (":Pintle %s<CR>"):format(verb)
  vim.keymap.set(
    "x",
    ("<Plug>(pintle-%s)"):format(verb),
    rhs,
    { desc = "pintle: " .. verb .. " with these lines", silent = true }
  )
end

for _, scope in ipairs({ "edit", "job", "session", "tool" }) do
  vim.keymap.set("n", ("<Plug>(pintle-stop-%s)"):format(scope), function()
    require("pintle").stop(scope)
  end, { desc = "pintle: stop " .. (scope == "edit" and "an " or "a ") .. scope })
end

for _, verb in ipairs({ "effort", "mode", "model" }) do
  vim.keymap.set("n", ("<Plug>(pintle-next-%s)"):format(verb), function()
    require("pintle.command").run({ fargs = { verb }, args = verb .. " next" })
  end, { desc = "pintle: the next " .. verb })
end

for name, by in pairs({ ["next-hunk"] = 1, ["prev-hunk"] = -1 }) do
  vim.keymap.set("n", ("<Plug>(pintle-%s)"):format(name), function()
    require("pintle.keys").jump(by > 0 and vim.v.count1 or -vim.v.count1)
  end, { desc = "pintle: " .. name })
end
vim.keymap.set({ "o", "x" }, "<Plug>(pintle-hunk)", function()
  require("pintle.keys").select()
end, { desc = "pintle: the lines of the hunk" })
