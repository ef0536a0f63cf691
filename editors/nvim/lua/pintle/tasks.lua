-- Verbs that send a message of their own about lines of code: `:Pintle explain`, `fix`, `refactor` and `test`.

local input = require("pintle.input")
local log = require("pintle.log")

local M = {}

---@type table<string, string>
local MESSAGES = {
  explain = "Explain this code. Do not change anything.",
  refactor = "Refactor this code so that it is easier to read. Do not change its behavior.",
  test = "Add a test for this code, in the style of the project's tests.",
}

M.NAMES = { "explain", "fix", "refactor", "test" }

---Shows the windows, and stays where one is: the answer is read beside the code.
local function show()
  local here = vim.api.nvim_get_current_win()
  if require("pintle.layout").is_open(require("pintle.workspace").get()) then
    return
  end
  require("pintle").open()
  if vim.api.nvim_win_is_valid(here) then
    vim.api.nvim_set_current_win(here)
  end
end

---Sends the message of a verb with lines of the current buffer.
---@param name string one of `NAMES`
---@param more string what the person adds to the message
---@param range? { first: integer, last: integer } default: the line of the cursor
function M.send(name, more, range)
  if vim.bo.buftype ~= "" then
    return log.error("this window does not show code")
  end
  local line = vim.fn.line(".")
  local first, last = range and range.first or line, range and range.last or line
  local attached = { input.selection(first, last) }
  local text = MESSAGES[name]
  if name == "fix" then
    local found = require("pintle.diagnostics").of_lines(0, first, last)
    if not found then
      return log.error("these lines have no diagnostics; `]d` goes to the next one")
    end
    attached[#attached + 1] = found
    text = #found.items == 1 and "Fix this problem." or "Fix these problems."
  end
  if name == "explain" then
    show()
  end
  require("pintle").ask(more == "" and text or text .. " " .. more, attached)
end

return M
