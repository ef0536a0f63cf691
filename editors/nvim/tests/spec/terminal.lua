-- The terminal of a running job: watched, typed into, and closed.

local child = require("child")
local reply = require("reply")

local text, call = reply.text, reply.call

local ASKS = [[printf '\033[31mHello.\033[0m\n'; read -s -p 'Password: ' p; echo; echo "${#p} letters"; cat]]

-- In two parts, since tests install the plugin, with this file, where what is stored is searched.
local PASSWORD = "plan" .. "ted"

-- The lines of the terminal buffer that is shown.
local LINES = [[
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if vim.bo[buf].buftype == "terminal" then
      return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
    end
  end
  return ""
]]

---Waits until the terminal shows a text.
local function wait_terminal(vi, want)
  local seen
  local ok = child.until_true(function()
    seen = vi:lua(LINES)
    return seen:find(want, 1, true) ~= nil
  end)
  assert(ok, ("waited in vain for `%s` in\n%s"):format(want, seen))
end

local function started(command, more)
  local job = call("bash", vim.tbl_extend("force", { command = command }, more or { tty = true }))
  local script = { replies = { job, text("It waits for you.") } }
  local vi = child.start({ script = script, settings = { permission_mode = "full" } })
  vi:cmd("Pintle ask go")
  vi:wait_chat("It waits for you.")
  return vi
end

test("a password is typed into a job's terminal, which is followed to its end", function()
  local vi = started(ASKS)
  vi:cmd("Pintle terminal")
  wait_terminal(vi, "Hello.\nPassword:")
  equal(vi:lua("return vim.api.nvim_get_mode().mode"), "t")
  equal(vi:lua("return vim.fs.basename(vim.api.nvim_buf_get_name(0))"), "job-1")
  vi:keys(PASSWORD .. "<CR>")
  wait_terminal(vi, "7 letters")
  vi:keys("one<CR>")
  wait_terminal(vi, "one\none")
  -- The same window again.
  local count = vi:lua("return #vim.api.nvim_tabpage_list_wins(0)")
  vi:cmd("Pintle terminal")
  equal(vi:lua("return #vim.api.nvim_tabpage_list_wins(0)"), count)
  vi:keys("<C-d>")
  wait_terminal(vi, "[job-1 has ended]")
  wait_terminal(vi, "Hello.\nPassword:\n7 letters\none\none")
  equal(vim.fn.system({ "grep", "-rlI", PASSWORD, vim.env.PINTLE_TEST_TEMP }), "", "the password is stored")
end)

test("closing the window stops nothing, and without a terminal there is nothing to open", function()
  local vi = started("sleep 600", { background = true })
  vi:cmd("Pintle terminal")
  vi:wait_note("no job is running in a terminal")
  local other = started("cat")
  other:cmd("Pintle terminal")
  other:keys("a<CR>")
  wait_terminal(other, "a\na")
  other:keys([[<C-\><C-n>:q<CR>]])
  other:wait([[vim.iter(vim.api.nvim_list_bufs()):all(function(buf) return vim.bo[buf].buftype ~= "terminal" end)]])
  other:cmd("Pintle terminal")
  wait_terminal(other, "a\na")
end)
