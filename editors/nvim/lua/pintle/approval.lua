-- Questions of permission and of the model: a queue that a person opens. Nothing here takes focus by itself, and no single key
-- allows anything: the question stands above the answers.

local log = require("pintle.log")
local notice = require("pintle.notice")
local paths = require("pintle.paths")
local panel = require("pintle.panel")
local proposal = require("pintle.proposal")
local questions = require("pintle.question")

local M = {}

---@class (exact) pintle.Asked
---@field engine pintle.Engine
---@field id string|integer The request's id.
---@field approval? pintle.Approval A question of permission,
---@field question? pintle.Question or one of the model.
---@field respond fun(result?: pintle.ApprovalAnswer|pintle.QuestionAnswer)
---@field panel? pintle.Panel Where it was opened.
---@field edits? table<string, pintle.ProposalEdit> The user's edits to proposed files, by path.

---@type pintle.Asked[]
local queue = {}

---@param engine pintle.Engine
---@param id string|integer
---@param approval pintle.Approval
---@param respond fun(result?: pintle.ApprovalAnswer)
function M.add(engine, id, approval, respond)
  table.insert(queue, { engine = engine, id = id, approval = approval, respond = respond })
  log.warn(("asks (:Pintle attention): %s: %s"):format(M.line(approval.title), approval.reason))
  log.emit("Approval", { approval = approval, open = #queue })
end

---@param engine pintle.Engine
---@param id string|integer
---@param question pintle.Question
---@param respond fun(result?: pintle.QuestionAnswer)
function M.add_question(engine, id, question, respond)
  table.insert(queue, { engine = engine, id = id, question = question, respond = respond })
  log.warn(("asks (:Pintle attention): %s"):format(questions.line(question)))
  log.emit("Question", { question = question, open = #queue })
end

---@param text string
---@return string
function M.line(text)
  return (text:gsub("%s*\n.*", " …"))
end

---What is asked.
---@param asked pintle.Asked
---@return pintle.Approval|pintle.Question
function M.subject(asked)
  local subject = assert(asked.approval or asked.question, "a request is one of both")
  return subject
end

---How many requests are open, in all sessions or in one.
---@param session_id? string
---@return integer
function M.count(session_id)
  if not session_id then
    return #queue
  end
  return #vim.tbl_filter(function(asked)
    return M.subject(asked).sessionId == session_id
  end, queue)
end

---The open request of a call, if it has one.
---@param item_id pintle.ItemId
---@return pintle.Asked?
function M.of_item(item_id)
  return vim.iter(queue):find(function(asked)
    return M.subject(asked).itemId == item_id
  end)
end

---A request in a line: its kind, and what it is about.
---@param asked pintle.Asked
---@return string
function M.label(asked)
  if asked.approval then
    return "permission · " .. M.line(asked.approval.title)
  end
  local question = assert(asked.question, "a request is one of both")
  local kind = question.kind == "plan" and "plan" or "question"
  return kind .. " · " .. questions.line(question)
end

---Where a request comes from: its session, and its project where that is another one.
---@param asked pintle.Asked
---@return string
local function origin(asked)
  local id = M.subject(asked).sessionId
  local name
  for _, workspace in ipairs(require("pintle.workspace").all()) do
    local view = workspace.views[id]
    if view then
      name = M.line(require("pintle.session").name(view.state) or "a session without a prompt")
    end
  end
  local is_here = asked.engine.root == require("pintle.workspace").root_here()
  return (name or "a sub-agent") .. (is_here and "" or ", in " .. vim.fs.basename(asked.engine.root))
end

---@param question pintle.Asked
---@return boolean was_open
local function remove(question)
  for at, each in ipairs(queue) do
    if each == question then
      table.remove(queue, at)
      if question.panel then
        question.panel:close()
      end
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
      if question.panel and question.panel:is_open() then
        log.say("already answered elsewhere, or withdrawn")
      end
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

---All that is asked: what runs or is written, as the engine tells it, and apart from it what the model says of it.
---@param approval pintle.Approval
---@param root string Paths below it are shown without it.
---@param edits? fun(path: string): string? Returns the user's edits to a file as a diff.
---@return pintle.PanelLine[]
function M.details(approval, root, edits)
  local lines = { { text = M.line(approval.title), group = "PintlePanelTitle" }, { text = approval.reason } }
  if approval.decidedBy then
    lines[#lines + 1] = { text = "asked because of: " .. approval.decidedBy, group = "PintlePanelNote" }
  end
  local function add(name, value)
    if type(value) == "table" then
      for _, key in ipairs(vim.fn.sort(vim.tbl_keys(value))) do
        add(name == "" and tostring(key) or ("%s.%s"):format(name, key), value[key])
      end
      return
    end
    local text = notice.signs(tostring(value)):gsub("\n", "\n    ")
    vim.list_extend(
      lines,
      { { text = "" }, { text = name .. ":", group = "PintlePanelHead" }, { text = "    " .. text } }
    )
  end
  local function short(path)
    return notice.visible(paths.short(root, path))
  end
  local is_told = {}
  for _, change in ipairs(approval.changes or {}) do
    is_told[change.path] = true
    local from = change.oldPath and short(change.oldPath) .. " → " or ""
    local head = ("%s %s%s  +%d -%d"):format(change.op, from, short(change.path), change.added, change.removed)
    vim.list_extend(lines, { { text = "" }, { text = head, group = "PintlePanelHead" } })
    vim.list_extend(lines, change.diff ~= "" and panel.diff(change.diff) or { { text = "(no text)" } })
    local edited = edits and edits(change.path)
    if edited then
      local made = ("Your edits to %s, included if you allow it:"):format(short(change.path))
      vim.list_extend(lines, { { text = "" }, { text = made, group = "PintlePanelHead" } })
      vim.list_extend(lines, panel.diff(edited))
    end
  end
  for _, detail in ipairs(approval.details or {}) do
    -- The changes say the same of files, as they will be on disk.
    if not (approval.changes and detail.kind == "diff" or is_told[detail.text]) then
      add(headings[detail.kind] or detail.kind, detail.text)
    end
  end
  if not approval.details then
    add("", approval.input)
  end
  return lines
end

---Gives an answer, unless somebody else did.
---@param asked pintle.Asked
---@param result pintle.ApprovalAnswer|pintle.QuestionAnswer
---@param is_listed boolean Whether it was chosen from the list, which is then shown again.
local function answer(asked, result, is_listed)
  if not remove(asked) then
    return log.say("already answered elsewhere, or withdrawn")
  end
  asked.respond(result)
  if #queue > 0 then
    if is_listed then
      return M.list()
    end
    log.say(("%s for your attention"):format(#queue == 1 and "1 more question" or #queue .. " more questions"))
  end
end

---Opens a request, because the person wants to answer it.
---@param asked pintle.Asked
---@param is_listed? boolean
function M.show_one(asked, is_listed)
  if not vim.list_contains(queue, asked) then
    return log.say("already answered elsewhere, or withdrawn")
  end
  local function give(result)
    answer(asked, result, is_listed or false)
  end
  if asked.question then
    questions.open(asked.question, give, function(shown)
      asked.panel = shown
    end)
    return
  end
  local approval = assert(asked.approval, "a request is one of both")
  local choices = vim.tbl_map(function(option)
    local notes = vim.tbl_map(function(rule)
      return "rule: " .. rule
    end, option.rules or {})
    return {
      label = option.label,
      notes = notes,
      act = function()
        give({ optionId = option.optionId, edits = option.decision == "allow" and proposal.edits(asked) or nil })
      end,
    }
  end, approval.options)
  local deny = vim.iter(approval.options):find(function(option)
    return option.decision == "deny" and option.scope == "once"
  end)
  if deny then
    table.insert(choices, {
      label = "Deny in your own words",
      act = function()
        vim.ui.input({ prompt = notice.prompt("Message to the model") }, function(text)
          if text and vim.trim(text) ~= "" then
            give({ optionId = deny.optionId, feedback = text })
          end
        end)
      end,
    })
  end
  for _, change in ipairs(proposal.changes(asked)) do
    table.insert(choices, {
      label = ("Edit %s before you answer"):format(notice.visible(paths.short(asked.engine.root, change.path))),
      act = function()
        proposal.open(asked, change, function()
          return vim.list_contains(queue, asked)
        end, function()
          M.show_one(asked, is_listed)
        end)
      end,
    })
  end
  local function edits(path)
    return proposal.diff(asked, path)
  end
  asked.panel = panel.open({ lines = M.details(approval, asked.engine.root, edits), choices = choices })
end

---Lists the requests of all sessions, oldest first.
function M.list()
  local lines =
    { { text = require("pintle.statusline").asks(#queue) .. " for your attention", group = "PintlePanelTitle" } }
  local choices = vim.tbl_map(function(asked)
    return {
      label = M.label(asked),
      notes = { origin(asked) },
      act = function()
        M.show_one(asked, true)
      end,
    }
  end, queue)
  panel.open({ lines = lines, choices = choices, later = "keeps them open", verb = "opens" })
end

---Opens what asks: one request at once, of several a list.
function M.open()
  if #queue == 0 then
    return log.say("nothing needs your attention")
  elseif #queue == 1 then
    return M.show_one(queue[1])
  end
  M.list()
end

return M
