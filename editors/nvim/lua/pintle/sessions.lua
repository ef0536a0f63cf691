-- The list of stored sessions, to go on with one of them.

local log = require("pintle.log")
local notice = require("pintle.notice")
local protocol = require("pintle.protocol")

local M = {}

-- Sessions and hits in a list.
local LISTED = 200

-- Of a title in the list of hits.
local TITLE_CELLS = 30

---@param summary pintle.SessionSummary
---@return string
function M.label(summary)
  local title = (summary.title or "(no prompt yet)"):gsub("%s*\n.*", " …")
  return ("%s  %s"):format(os.date("%Y-%m-%d %H:%M", math.floor(summary.updatedMs / 1000)), title)
end

---Opens a session and shows its transcript.
---@param workspace pintle.Workspace
---@param id string
---@param name? string
function M.open(workspace, id, name)
  local layout = require("pintle.layout")
  layout.open(workspace)
  workspace:open(id, function(view)
    view.state.prompt = view.state.prompt or name
    layout.show(workspace, view.chat)
  end)
end

---Reads the stored sessions of a workspace.
---@param workspace pintle.Workspace
---@param done fun(sessions: pintle.SessionSummary[])
function M.read(workspace, done)
  workspace.engine:request(protocol.method.session_list, { cwd = workspace.root, limit = LISTED }, function(err, result)
    if err or not result then
      return log.failed("no list of sessions", err or { code = 0, message = "an empty answer" })
    end
    done(result.sessions)
  end)
end

---@param workspace pintle.Workspace
function M.pick(workspace)
  M.read(workspace, function(sessions)
    local choices = { { label = "New session" } }
    for _, summary in ipairs(sessions) do
      choices[#choices + 1] = { label = M.label(summary), id = summary.sessionId, name = summary.title }
    end
    vim.ui.select(choices, {
      prompt = "Which session?",
      kind = "pintle_session",
      format_item = function(choice)
        return choice.label
      end,
    }, function(choice)
      if choice and choice.id then
        M.open(workspace, choice.id, choice.name)
      elseif choice then
        require("pintle").new()
      end
    end)
  end)
end

---A hit in a line: when, in which session, and the words around what was found.
---@param hit pintle.SearchHit
---@return string
function M.hit(hit)
  local text = {}
  for _, piece in ipairs(hit.snippet) do
    text[#text + 1] = piece.match and ("[%s]"):format(piece.text) or piece.text
  end
  local title = (hit.title or "(no title)"):gsub("%s*\n.*", " …")
  local day = os.date("%Y-%m-%d", math.floor(hit.tsMs / 1000))
  return ("%s  %s: %s"):format(day, notice.cut(title, TITLE_CELLS), table.concat(text))
end

---Searches what was said and done in the sessions of a workspace, and opens the one that is chosen.
---@param workspace pintle.Workspace
---@param words? string default: asks for them
function M.search(workspace, words)
  if not words then
    return vim.ui.input({ prompt = "Search the sessions for: " }, function(given)
      if given and vim.trim(given) ~= "" then
        M.search(workspace, given)
      end
    end)
  end
  local params = { query = words, cwd = workspace.root, limit = LISTED }
  workspace.engine:request(protocol.method.session_search, params, function(err, result)
    if err or not result then
      return log.failed("the sessions cannot be searched", err or { code = 0, message = "an empty answer" })
    elseif #result.hits == 0 then
      local later = (result.behind or 0) > 0 and ("; %d sessions are not indexed yet"):format(result.behind) or ""
      return log.say(("no session has `%s`%s"):format(words, later))
    end
    vim.ui.select(result.hits, {
      prompt = ("Sessions with `%s`"):format(words),
      kind = "pintle_search",
      format_item = M.hit,
    }, function(hit)
      if hit then
        M.open(workspace, hit.sessionId, hit.title)
      end
    end)
  end)
end

return M
