-- What is painted into a terminal, read back from one.

local terminal = require("pintle.terminal")

---A screen of five rows.
local function screen(rows, cursor)
  for row = #rows + 1, 5 do
    rows[row] = ""
  end
  return { columns = 10, rows = rows, cursor = cursor and { row = cursor[1], column = cursor[2] } }
end

---Compares the lines of a terminal of this height, after texts, with the wanted ones.
local function check(height, texts, want, name)
  vim.cmd("silent! only | enew!")
  local buf = vim.api.nvim_create_buf(false, true)
  local win = vim.api.nvim_open_win(buf, true, { relative = "editor", row = 0, col = 0, width = 10, height = height })
  local channel = vim.api.nvim_open_term(buf, {})
  for _, each in ipairs(texts) do
    vim.api.nvim_chan_send(channel, each)
  end
  -- The buffer is drawn a moment after the text has come.
  local function lines()
    return (table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "|"):gsub("|+$", ""))
  end
  vim.wait(2000, function()
    return lines() == want
  end, 5)
  local found = lines()
  vim.api.nvim_win_close(win, true)
  equal(found, want, name)
end

test("a window shows the part of a screen that is in use", function()
  local five = { "a", "b", "c", "d", "e" }
  for name, case in pairs({
    ["as high as the screen"] = { 5, { screen(vim.deepcopy(five), { 4, 1 }) }, "a|b|c|d|e" },
    ["higher"] = { 7, { screen(vim.deepcopy(five), { 4, 1 }) }, "a|b|c|d|e" },
    ["lower, without a cursor"] = { 3, { screen(vim.deepcopy(five)) }, "c|d|e" },
    ["lower, the cursor above"] = { 3, { screen(vim.deepcopy(five), { 0, 0 }) }, "a|b|c" },
    ["lower, text at the start"] = { 3, { screen({ "a", "b" }, { 1, 1 }) }, "a|b" },
    ["lower, the cursor at the end"] = { 3, { screen({ "a" }, { 4, 0 }) }, "" },
    ["a long row"] = { 5, { screen({ ("x"):rep(9) .. "yz", "b" }) }, "xxxxxxxxxz|b" },
    ["a row that became shorter"] = { 5, { screen({ "abcdef", "b" }), screen({ "abc", "c" }) }, "abc|c" },
    ["a style"] = { 5, { screen({ "\27[0;31ma\27[0m", "b" }) }, "a|b" },
  }) do
    local texts = vim.tbl_map(function(each)
      return terminal.paint(each, "", case[1])
    end, case[2])
    check(case[1], texts, case[3], name)
  end
end)

test("lines that leave the screen go into the scrollback", function()
  for height, want in pairs({ [5] = "1|2|3|a|b", [3] = "1|2|3|a|b", [8] = "1|2|3|a|b" }) do
    local texts = {
      terminal.paint(screen({ "1", "2" }), "", height),
      terminal.paint(screen({ "a", "b" }), "1\n2\n3\n", height),
    }
    check(height, texts, want, tostring(height))
  end
end)

test("an end keeps what remained", function()
  local texts = { terminal.paint(screen({ "1", "2" }), "", 5), terminal.ending("1\n2\nlast\n", "job-1 has ended") }
  check(5, texts, "1|2|last|[job-1 has| ended]", "ended")
  local lost = { terminal.paint(screen({ "1", "2" }), "", 5), terminal.ending(nil, "gone") }
  check(5, lost, "1|2||||[gone]", "lost")
end)
