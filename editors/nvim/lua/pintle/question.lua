-- Questions of the model: options to choose from, and own words always. They wait in the queue of `approval.lua`.

local log = require("pintle.log")

local M = {}

---What is asked, in a line.
---@param question pintle.Question
---@return string
function M.line(question)
  return (question.text:gsub("%s*\n.*", " …"))
end

---The plan that is to be accepted, or the whole question, as lines of a buffer.
---@param question pintle.Question
---@return string[]
function M.details(question)
  return vim.split(("# %s\n\n%s"):format(M.line(question), question.plan or question.text), "\n", { plain = true })
end

---@class (exact) pintle.Choice
---@field label string
---@field option_id? string
---@field does? "show"|"words"|"done"

---@param question pintle.Question
---@param chosen string[]
---@return pintle.Choice[]
local function choices(question, chosen)
  local list = { { label = "Show what is asked", does = "show" } }
  for _, option in ipairs(question.options or {}) do
    local mark = vim.list_contains(chosen, option.optionId) and "✓ " or ""
    table.insert(list, { label = mark .. option.label, option_id = option.optionId })
  end
  if #chosen > 0 then
    table.insert(list, { label = "Send what is chosen", does = "done" })
  end
  table.insert(list, { label = "Answer in your own words", does = "words" })
  return list
end

---Asks; `answer` takes what the person says, and `show` shows the whole of it.
---@param question pintle.Question
---@param answer fun(answer: pintle.QuestionAnswer)
---@param show fun(lines: string[])
---@param chosen? string[]
function M.open(question, answer, show, chosen)
  local so_far = chosen or {}
  vim.ui.select(choices(question, so_far), {
    prompt = M.line(question),
    kind = "pintle_question",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice then
      return
    elseif choice.does == "show" then
      show(M.details(question))
      vim.schedule(function()
        M.open(question, answer, show, so_far)
      end)
    elseif choice.does == "done" then
      answer({ optionIds = so_far })
    elseif choice.does == "words" then
      vim.ui.input({ prompt = M.line(question) .. " " }, function(text)
        if text and vim.trim(text) ~= "" then
          answer({ optionIds = #so_far > 0 and so_far or nil, text = text })
        end
      end)
    elseif question.multiple then
      if not vim.list_contains(so_far, choice.option_id) then
        table.insert(so_far, choice.option_id)
      end
      vim.schedule(function()
        M.open(question, answer, show, so_far)
      end)
    else
      answer({ optionIds = { choice.option_id } })
    end
  end)
end

---A plan, as lines.
---@param plan? pintle.Plan
---@return string[]
function M.plan(plan)
  local marks = { pending = "[ ]", in_progress = "[>]", completed = "[x]" }
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

---Shows the plan of a session.
---@param plan? pintle.Plan
---@param show fun(lines: string[])
function M.show_plan(plan, show)
  local lines = M.plan(plan)
  if #lines == 0 then
    return log.say("there is no plan")
  end
  show(vim.list_extend({ "# Plan", "" }, lines))
end

return M
