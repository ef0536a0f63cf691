-- The report of a run as JUnit XML, and the folders of what failures leave.

local M = {}

---@class (exact) Case
---@field name string
---@field spec string The name of its file.
---@field seconds number
---@field outcome "passed"|"failed"|"flaky"
---@field why? string

local suite = assert(vim.env.PINTLE_SUITE)

---@param text string
---@return string
local function escape(text)
  text = text:gsub("[%z\1-\8\11\12\14-\31]", "?")
  return (text:gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

---@param case Case
---@return string
local function element(case)
  local inner = ""
  if case.outcome ~= "passed" then
    local tag = case.outcome == "flaky" and "flakyFailure" or "failure"
    local message = case.why:match("^[^\n]*")
    inner = ('<%s message="%s">%s</%s>'):format(tag, escape(message), escape(case.why), tag)
  end
  local name, class = escape(case.name), escape(suite .. "." .. case.spec)
  return ('  <testcase name="%s" classname="%s" time="%.3f">%s</testcase>'):format(name, class, case.seconds, inner)
end

---Writes the report of all cases so far, if reports are wanted.
---@param cases Case[]
---@param running? Case One that has failed unless the run comes to its end.
function M.write(cases, running)
  local folder = vim.env.PINTLE_REPORTS
  if not folder or folder == "" then
    return
  end
  local lines = vim.tbl_map(element, cases)
  if running then
    lines[#lines + 1] = element(running)
  end
  vim.fn.mkdir(folder, "p")
  local path = ("%s/%s.xml"):format(folder, suite)
  local file = assert(io.open(path, "w"))
  file:write('<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="', suite, '">\n')
  file:write(table.concat(lines, "\n"), "\n</testsuite>\n")
  file:close()
end

---A new folder for what a failed case leaves.
---@param name string
---@param attempt integer
---@return string
function M.evidence(name, attempt)
  local case = name:gsub("[^%w]+", "-"):gsub("^-", ""):gsub("-$", "")
  local folder = ("%s/%s/%s"):format(vim.env.PINTLE_EVIDENCE, suite, case)
  if attempt > 1 then
    folder = ("%s/attempt-%d"):format(folder, attempt)
  end
  vim.fn.mkdir(folder, "p")
  return folder
end

return M
