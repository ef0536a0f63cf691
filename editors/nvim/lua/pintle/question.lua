-- Questions of the model: options to choose from, and own words always. They wait in the queue of `approval.lua`.

local notice = require("pintle.notice")
local panel = require("pintle.panel")

local M = {}

---What is asked, in a line.
---@param question pintle.Question
---@return string
function M.line(question)
  return (question.text:gsub("%s*\n.*", " …"))
end

---The whole question, and the plan that is to be accepted.
---@param question pintle.Question
---@return pintle.PanelLine[]
function M.details(question)
  local lines = { { text = question.text, group = "PintlePanelTitle" } }
  if question.plan then
    vim.list_extend(lines, { { text = "" }, { text = question.plan } })
  end
  return lines
end

---Asks; `answer` takes what the person says.
---@param question pintle.Question
---@param answer fun(answer: pintle.QuestionAnswer)
---@param opened fun(shown: pintle.Panel) Called each time that a window shows it.
---@param chosen? string[]
---@param at? integer The answer that the cursor starts at.
function M.open(question, answer, opened, chosen, at)
  local so_far = chosen or {}
  local choices = {}
  for number, option in ipairs(question.options or {}) do
    local is_chosen = vim.list_contains(so_far, option.optionId)
    local mark = question.multiple and (is_chosen and "[x] " or "[ ] ") or ""
    choices[number] = {
      label = mark .. option.label,
      act = function()
        if not question.multiple then
          return answer({ optionIds = { option.optionId } })
        end
        local others = vim.tbl_filter(function(id)
          return id ~= option.optionId
        end, so_far)
        M.open(question, answer, opened, is_chosen and others or vim.list_extend({ option.optionId }, so_far), number)
      end,
    }
  end
  if #so_far > 0 then
    table.insert(choices, {
      label = "Send the selection",
      act = function()
        answer({ optionIds = so_far })
      end,
    })
  end
  table.insert(choices, {
    label = "Answer in your own words",
    act = function()
      vim.ui.input({ prompt = notice.prompt(M.line(question)) }, function(text)
        if text and vim.trim(text) ~= "" then
          answer({ optionIds = #so_far > 0 and so_far or nil, text = text })
        end
      end)
    end,
  })
  opened(panel.open({ lines = M.details(question), choices = choices, at = at }))
end

---A plan, as lines.
---@param plan? pintle.Plan
---@return string[]
function M.plan(plan)
  local marks = { pending = "[ ]", inProgress = "[>]", completed = "[x]" }
  local lines = {}
  for _, item in ipairs(plan and plan.items or {}) do
    lines[#lines + 1] = ("- %s %s"):format(marks[item.status] or "[?]", (item.content:gsub("%s*\n%s*", " ")))
  end
  return lines
end

---How far a plan is, in a word; nil without one.
---@param plan? pintle.Plan
---@return string?
function M.progress(plan)
  local items = plan and plan.items or {}
  local done = vim.iter(items):filter(function(item)
    return item.status == "completed"
  end)
  return #items > 0 and ("plan %d/%d"):format(#done:totable(), #items) or nil
end

return M
