-- Questions of permission and of the model: a queue that a person opens. Nothing here takes focus by itself, and no single key
-- allows anything: the first entry of the list only shows what is asked.

local log = require("pintle.log")
local questions = require("pintle.question")

local M = {}

---@class (exact) pintle.Asked
---@field engine pintle.Engine
---@field id string|integer The request's id.
---@field approval? pintle.Approval A question of permission,
---@field question? pintle.Question or one of the model.
---@field respond fun(result?: pintle.ApprovalAnswer|pintle.QuestionAnswer)

---@type pintle.Asked[]
local queue = {}

---@param engine pintle.Engine
---@param id string|integer
---@param approval pintle.Approval
---@param respond fun(result?: pintle.ApprovalAnswer)
function M.add(engine, id, approval, respond)
  table.insert(queue, { engine = engine, id = id, approval = approval, respond = respond })
  log.warn(("%s: %s. Answer with :Pintle attention"):format(M.line(approval.title), approval.reason))
  log.emit("Approval", { approval = approval, open = #queue })
end

---@param engine pintle.Engine
---@param id string|integer
---@param question pintle.Question
---@param respond fun(result?: pintle.QuestionAnswer)
function M.add_question(engine, id, question, respond)
  table.insert(queue, { engine = engine, id = id, question = question, respond = respond })
  log.warn(("%s Answer with :Pintle attention"):format(questions.line(question)))
  log.emit("Question", { question = question, open = #queue })
end

---@param text string
---@return string
function M.line(text)
  return (text:gsub("%s*\n.*", " …"))
end

---How many questions are open.
---@return integer
function M.count()
  return #queue
end

---@param question pintle.Asked
---@return boolean was_open
local function remove(question)
  for at, each in ipairs(queue) do
    if each == question then
      table.remove(queue, at)
      log.emit("Approval", { open = #queue })
      return true
    end
  end
  return false
end

---The engine asks no longer.
---@param engine pintle.Engine
---@param id string|integer
function M.withdraw(engine, id)
  for _, question in ipairs(queue) do
    if question.engine == engine and question.id == id then
      remove(question)
      return
    end
  end
end

---The engine is gone, and with it what it asked.
---@param engine pintle.Engine
function M.drop(engine)
  for at = #queue, 1, -1 do
    if queue[at].engine == engine then
      remove(queue[at])
    end
  end
end

---@type table<pintle.DetailKind, string>
local headings = {
  command = "Command",
  path = "File",
  content = "Content",
  diff = "Change",
  address = "Address",
  arguments = "Arguments",
  modelText = "In the model's words",
}

---What is asked, as lines of a buffer: all that runs, and apart from it what the model says of it.
---@param approval pintle.Approval
---@return string[]
function M.details(approval)
  local lines = { "# " .. M.line(approval.title), "", approval.reason, "" }
  local function add(name, value)
    if type(value) == "string" then
      vim.list_extend(lines, { name .. ":", "" })
      for _, line in ipairs(vim.split(value, "\n", { plain = true })) do
        lines[#lines + 1] = "    " .. line
      end
      lines[#lines + 1] = ""
    elseif type(value) == "table" then
      for _, key in ipairs(vim.fn.sort(vim.tbl_keys(value))) do
        add(name == "" and tostring(key) or ("%s.%s"):format(name, key), value[key])
      end
    else
      vim.list_extend(lines, { ("%s: %s"):format(name, tostring(value)), "" })
    end
  end
  for _, detail in ipairs(approval.details or {}) do
    add(headings[detail.kind] or detail.kind, detail.text)
  end
  if not approval.details then
    add("", approval.input)
  end
  return lines
end

---@param lines string[]
function M.show(lines)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].filetype = "markdown"
  vim.bo[buf].modifiable = false
  vim.cmd("topleft split")
  vim.api.nvim_win_set_buf(0, buf)
end

---Gives an answer, unless somebody else did.
---@param asked pintle.Asked
---@param result pintle.ApprovalAnswer|pintle.QuestionAnswer
local function answer(asked, result)
  if not remove(asked) then
    return log.say("this was answered elsewhere, or is asked no longer")
  end
  asked.respond(result)
  if #queue > 0 then
    log.say(("%d more ask for your attention"):format(#queue))
  end
end

---Asks the oldest open question, because the person wants to answer it.
function M.open()
  local question = queue[1]
  if not question then
    return log.say("nothing asks for your attention")
  end
  if question.question then
    return questions.open(question.question, function(result)
      answer(question, result)
    end, M.show)
  end
  local approval = question.approval
  local choices = { { label = "Show what is asked" } }
  vim.list_extend(choices, approval.options)
  vim.ui.select(choices, {
    prompt = ("%s (%s)"):format(M.line(approval.title), approval.reason),
    kind = "pintle_approval",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice then
      return
    elseif not choice.optionId then
      M.show(M.details(approval))
      return vim.schedule(M.open)
    end
    answer(question, { optionId = choice.optionId })
  end)
end

return M
