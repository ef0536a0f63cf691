-- Items as lines of a transcript. Pure.

local advice = require("pintle.advice")
local input = require("pintle.input")
local notice = require("pintle.notice")

local M = {}

-- The first line of a fold, and the lines in it.
-- Seen where a fold is open; of a closed one, `folds.text` shows its own mark.
M.HEAD = "▾ "
M.BODY = "│ "

-- The code of notices that show an answer of the user.
M.ANSWERED = "answered"

-- Sequences for terminals: those that move and colour, those that name the window, and the rest.
local SEQUENCES = { "\27%[[%d;:?<=>]*[ -/]*[@-~]", "\27%][^\7\27]*\7", "\27%][^\7\27]*\27\\", "\27[@-Z\\^_]" }

---A line as a terminal leaves it: what comes behind a carriage return is written over what is before it.
---@param line string
---@return string
function M.overwritten(line)
  if not line:find("\r", 1, true) then
    return line
  end
  local shown = ""
  for _, part in ipairs(vim.split(line, "\r", { plain = true })) do
    shown = part .. vim.fn.strcharpart(shown, vim.fn.strchars(part))
  end
  return shown
end

---Cuts a text of a terminal into lines, which may hold carriage returns still.
---@param text string
---@return string[]
function M.raw_lines(text)
  for _, sequence in ipairs(text:find("\27", 1, true) and SEQUENCES or {}) do
    text = text:gsub(sequence, "")
  end
  return vim.split(text:gsub("\r+\n", "\n"), "\n", { plain = true })
end

---@param text string
---@return string[]
function M.lines(text)
  return vim.tbl_map(M.overwritten, M.raw_lines(text))
end

---@class (exact) pintle.Flow What is left over of a text that streams from a terminal.
---@field held string Its end, as long as what follows may change what it means.
---@field line string The last line with its carriage returns, where it has any.

---Splits a text where it may go on in a way that changes what it means: in a sequence, and at a carriage return.
---@param text string
---@return string whole, string held
local function split_held(text)
  local at = text:find("\r+$") or text:find("\27%[?[%d;:?<=>]*[ -/]*$") or text:find("\27%][^\7\27]*\27?$")
  if not at then
    return text, ""
  end
  return text:sub(1, at - 1), text:sub(at)
end

---Takes a piece of a text that streams from a terminal.
---@param flow pintle.Flow
---@param last string The last line so far.
---@param piece string
---@return string[] lines What takes the place of the last line, and what follows it.
function M.flow(flow, last, piece)
  local text
  text, flow.held = split_held(flow.held .. piece)
  local lines = M.raw_lines((flow.line ~= "" and flow.line or last) .. text)
  local before, after = lines[#lines]:match("^(.*)\r([^\r]*)$")
  -- Not longer than the line is wide, however often it is written over.
  flow.line = before and M.overwritten(before) .. "\r" .. after or ""
  return vim.tbl_map(M.overwritten, lines)
end

---@param lines string[]
---@param text string
---@param prefix string
local function extend(lines, text, prefix)
  local more = M.lines((text:gsub("\n$", "")))
  for _, line in ipairs(more) do
    lines[#lines + 1] = prefix .. line
  end
end

---What stands for a picture: its kind and how large its file is.
---@param image { mimeType?: string, data?: string }
---@return string
local function image_line(image)
  local kb = math.max(1, math.floor(#(image.data or "") * 3 / 4 / 1024 + 0.5))
  return ("[image %s, %d KB]"):format(image.mimeType or "", kb)
end

---@param ms? integer
---@return string
function M.duration(ms)
  ms = ms or 0
  if ms < 60000 then
    return ("%.1f s"):format(ms / 1000)
  end
  return ("%d min %d s"):format(math.floor(ms / 60000), math.floor(ms % 60000 / 1000))
end

local deliveries = { steer = "You (steer)", followUp = "You (follow-up)" }

local statuses = { completed = "done", pending = "…" }

---@type table<string, fun(item: pintle.Item, state: pintle.Session): string[]?>
local items = {
  userMessage = function(item, state)
    local from = state.senders[item.id]
    local you = deliveries[state.deliveries[item.id]] or "You"
    local lines = { "## " .. you .. (from and ", from " .. from or ""), "" }
    extend(lines, input.shown(item.content), "")
    return lines
  end,
  agentMessage = function(item)
    -- What is over has no blank lines at its end; what streams may go on behind them.
    local is_over = item.status ~= "running" and item.status ~= "pending"
    local lines = M.lines(is_over and item.text:gsub("%s+$", "") or item.text)
    if item.status == "cancelled" and item.text ~= "" then
      vim.list_extend(lines, { "", "*cut off*" })
    end
    return lines
  end,
  reasoning = function(item)
    local lines = { M.HEAD .. "thinking" }
    if item.text ~= "" then
      extend(lines, item.text, M.BODY)
    end
    return lines
  end,
  toolCall = function(item, state)
    local lines = { M.tool_head(item, state) }
    for _, content in ipairs(vim.tbl_get(item, "output", "content") or {}) do
      local text = content.type == "image" and image_line(content) or content.text
      if text ~= "" then
        extend(lines, text, M.BODY)
      end
    end
    for _, change in ipairs(vim.tbl_get(item, "output", "details", "changes") or {}) do
      extend(lines, notice.visible(change.path), M.BODY)
      if change.diff ~= "" then
        extend(lines, change.diff, M.BODY)
      end
    end
    return lines
  end,
  job = function(item)
    local parts = { item.jobId .. ": " .. item.title:gsub("%s*\n.*", " …"), statuses[item.status] or item.status }
    local code = vim.tbl_get(item, "details", "exitCode")
    if code and code ~= 0 then
      parts[#parts + 1] = "exit " .. code
    end
    local lines = { M.HEAD .. table.concat(parts, "  ") }
    if item.output and item.output ~= "" then
      extend(lines, item.output, M.BODY)
    end
    return lines
  end,
  subagent = function(item)
    local task = item.task:gsub("%s*\n.*", " …")
    local lines = { M.HEAD .. item.agentId .. ": " .. task .. "  " .. item.state }
    if item.result and item.result ~= "" then
      extend(lines, item.result, M.BODY)
    end
    return lines
  end,
  compaction = function(item)
    local parts = { "summarizing", statuses[item.status] or item.status }
    if item.tokensAfter then
      parts[#parts + 1] = ("%d to %d tokens"):format(item.tokensBefore, item.tokensAfter)
    end
    local lines = { M.HEAD .. table.concat(parts, "  ") }
    local text = item.summary or item.error
    if text and text ~= "" then
      extend(lines, text, M.BODY)
    end
    return lines
  end,
  engineMessage = function(item)
    if item.note and item.note.hidden then
      return nil -- its author wants nobody to see it
    end
    local lines = {}
    extend(lines, item.text, "> ")
    return lines
  end,
}

---The lines of an item, or nil when this plugin does not know its type, or nobody is to see it.
---@param item pintle.Item
---@param state pintle.Session
---@return string[]?
function M.item(item, state)
  local render = items[item.type]
  local lines = render and render(item, state)
  -- A line end in a name must not take the rest of the draw with it.
  return lines and vim.tbl_map(function(line)
    return (line:gsub("\n", "␤"))
  end, lines)
end

---@param item pintle.Item
---@param state pintle.Session
---@return string
function M.tool_head(item, state)
  local asking = vim.iter(state.approvals):find(function(approval)
    return approval.itemId == item.id
  end)
  -- The question knows the arguments before the item does.
  local title = asking and asking.title or item.title
  local parts = { (title:gsub("%s*\n.*", " …")) }
  parts[#parts + 1] = asking and "asks for permission" or statuses[item.status] or item.status
  local details = vim.tbl_get(item, "output", "details") or {}
  if details.signal then
    parts[#parts + 1] = details.signal
  elseif details.exitCode and details.exitCode ~= 0 then
    parts[#parts + 1] = "exit " .. details.exitCode
  end
  for _, change in ipairs(details.changes or {}) do
    parts[#parts + 1] = ("+%d -%d"):format(change.added, change.removed)
  end
  return M.HEAD .. table.concat(parts, " · ")
end

---How a turn ended.
---@param turn pintle.Turn
---@return string[]
function M.turn_end(turn)
  if turn.status == "completed" then
    local steps = turn.steps == 1 and "1 step" or ("%d steps"):format(turn.steps or 0)
    local cut = turn.stop == "maxTokens" and ", cut at the output limit"
      or turn.stop == "refusal" and ", the model declined"
      or ""
    return { ("*done in %s, %s%s*"):format(M.duration(turn.duration_ms), steps, cut) }
  elseif turn.status == "interrupted" then
    return { ("*stopped after %s*"):format(M.duration(turn.duration_ms)) }
  end
  local err = turn.error or { code = "unknown", message = "no reason was given" }
  local lines = {}
  extend(lines, ("**failed** (%s): %s"):format(err.code, err.message), "")
  local hint = advice.of(err)
  if hint then
    extend(lines, hint, "")
  end
  return lines
end

---@param said pintle.Notice
---@return string[]
function M.notice(said)
  local lines = {}
  local is_answer = said.code == M.ANSWERED
  extend(lines, is_answer and said.message or ("**%s**: %s"):format(said.level, advice.line(said)), "> ")
  return lines
end

---A message that the model has not read yet, in a line.
---@param queued pintle.QueuedInput
---@param state pintle.Session
---@return string
function M.queued(queued, state)
  local verbs = { steer = "steer", followUp = "queued", prompt = "prompt" }
  local text = input.shown(queued.content):gsub("%s*\n%s*", " ")
  local from = state.senders[queued.itemId]
  local verb = (verbs[queued.delivery] or queued.delivery) .. (from and ", from " .. from or "")
  return ("» %s, not read yet: %s"):format(verb, text)
end

return M
