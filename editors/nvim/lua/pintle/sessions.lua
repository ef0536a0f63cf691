-- The list of stored sessions, to go on with one of them.

local log = require("pintle.log")
local notice = require("pintle.notice")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")

local M = {}

-- Sessions and hits in a list.
local LISTED = 200

-- The keys of the list of sessions in picker plugins, for the table of keys in the help.
M.KEYS = { { modes = "ni", lhs = "<C-x>", desc = "delete the session, after confirmation" } }

-- Of a title in the list of hits.
local TITLE_CELLS = 30

---@param summary pintle.SessionSummary
---@return string
function M.label(summary)
  local title = (summary.title or ""):gsub("%s*\n.*", " …")
  return ("%s  %s"):format(os.date("%Y-%m-%d %H:%M", math.floor(summary.updatedMs / 1000)), title)
end

---Opens a session and shows its transcript.
---@param workspace pintle.Workspace
---@param id string
---@param name? string
function M.open(workspace, id, name)
  local layout = require("pintle.layout")
  layout.open(workspace)
  workspace:open(id, function(view, tab)
    view.state.prompt = view.state.prompt or name
    layout.show(workspace, view.chat, tab)
  end)
end

---Returns true for a session that lists show: one in which something was said, other than an inline edit without changes.
---@param summary pintle.SessionSummary
---@return boolean
local function is_listed(summary)
  local id = summary.sessionId
  return summary.title ~= nil
    and not require("pintle.inline").is_fruitless(id)
    and not require("pintle.leftovers").is_hidden(id)
end

---Reads the stored sessions of a workspace that lists show.
---@param workspace pintle.Workspace
---@param done fun(sessions: pintle.SessionSummary[])
function M.read(workspace, done)
  workspace.engine:request(protocol.method.session_list, { cwd = workspace.root, limit = LISTED }, function(err, result)
    if err or not result then
      return log.failed("cannot list the sessions", err or { code = 0, message = "an empty answer" })
    end
    require("pintle.leftovers").when_known(function()
      done(vim.tbl_filter(is_listed, result.sessions))
    end)
  end)
end

---The stored sessions, for completion.
---@return pintle.SessionSummary[]
function M.known()
  local here = require("pintle.workspace").find()
  local params = here and { cwd = here.root, limit = LISTED }
  local result = here and params and here:ask_now(protocol.method.session_list, params)
  return vim.tbl_filter(is_listed, result and result.sessions or {})
end

---Opens the newest session whose title begins with a text.
---@param workspace pintle.Workspace
---@param title string
function M.open_titled(workspace, title)
  M.read(workspace, function(sessions)
    for _, summary in ipairs(sessions) do
      if vim.startswith(summary.title or "", title) then
        return M.open(workspace, summary.sessionId, summary.title)
      end
    end
    log.error(("no session begins with `%s`; :Pintle sessions lists them"):format(title))
  end)
end

---Deletes a session for good, after a question.
---@param workspace pintle.Workspace
---@param id pintle.SessionId
---@param label string
---@param done? fun() Called when it was deleted or is kept.
local function confirm_delete(workspace, id, label, done)
  done = done or function() end
  local function delete()
    workspace.engine:request(protocol.method.session_delete, { sessionId = id }, function(err)
      if err then
        return log.failed("not deleted", err)
      end
      log.say("the session was deleted")
      done()
    end)
  end
  local lines = {
    { text = "Permanently delete this session?", group = "PintlePanelTitle" },
    { text = label },
    { text = "" },
    { text = "This deletes its messages and checkpoints. Files do not change." },
  }
  local choices = {
    {
      label = "Delete it",
      act = function()
        if workspace.views[id] then
          return M.close(workspace, id, delete)
        end
        delete()
      end,
    },
    { label = "Keep it", act = done },
  }
  require("pintle.panel").open({ lines = lines, choices = choices, later = "keeps it" })
end

---Lists the sessions of a workspace, and opens one.
---@param workspace pintle.Workspace
function M.pick(workspace)
  M.read(workspace, function(sessions)
    ---@type { label: string, act?: fun(), id?: string, name?: string }[]
    local choices = { { label = "New session", act = require("pintle").new } }
    if #sessions > 0 then
      choices[2] = {
        label = "Search in sessions …",
        act = function()
          M.search(workspace)
        end,
      }
    end
    for _, summary in ipairs(sessions) do
      choices[#choices + 1] = { label = M.label(summary), id = summary.sessionId, name = summary.title }
    end
    local function id_of(choice)
      return choice.id
    end
    require("pintle.picker").select(choices, {
      prompt = "Which session?",
      kind = "pintle_session",
      format_item = function(choice)
        return choice.label
      end,
      preview = require("pintle.recent").previewer(workspace, id_of),
      action = {
        lhs = M.KEYS[1].lhs,
        desc = M.KEYS[1].desc,
        act = function(choice)
          if not choice.id then
            return log.say("only a session can be deleted")
          end
          confirm_delete(workspace, choice.id, choice.label, function()
            M.pick(workspace)
          end)
        end,
      },
    }, function(choice)
      if choice.id then
        M.open(workspace, choice.id, choice.name)
      else
        choice.act()
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
      return log.failed("cannot search the sessions", err or { code = 0, message = "an empty answer" })
    elseif #result.hits == 0 then
      local later = (result.behind or 0) > 0 and ("; %d sessions are not indexed yet"):format(result.behind) or ""
      return log.say(("no matches for `%s`%s"):format(words, later))
    end
    require("pintle.picker").select(result.hits, {
      prompt = ("Sessions matching `%s`"):format(words),
      kind = "pintle_search",
      format_item = M.hit,
      preview = require("pintle.recent").previewer(workspace, function(hit)
        return hit.sessionId
      end),
    }, function(hit)
      M.open(workspace, hit.sessionId, hit.title)
    end)
  end)
end

---The workspace of the current buffer and the session that it shows; where there is none, that is said.
---@return pintle.Workspace? here, pintle.View? view
function M.current()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  if not here or not view then
    log.say("no session; :Pintle sessions opens one")
    return nil, nil
  end
  return here, view
end

---Closes a session that is open here: its turn and its jobs are stopped.
---@param workspace pintle.Workspace
---@param id string
---@param done fun()
function M.close(workspace, id, done)
  workspace.engine:request(protocol.method.session_close, { sessionId = id }, function(err)
    if err then
      return log.failed("cannot close the session", err)
    end
    workspace:forget(id)
    done()
  end)
end

---Picks one of the workspace's sessions.
---@param workspace pintle.Workspace
---@param prompt string
---@param is_wanted fun(summary: pintle.SessionSummary): boolean
---@param done fun(summary: pintle.SessionSummary)
local function pick_one(workspace, prompt, is_wanted, done)
  M.read(workspace, function(sessions)
    local found = vim.tbl_filter(is_wanted, sessions)
    if #found == 0 then
      return log.say("no other session")
    end
    local preview = require("pintle.recent").previewer(workspace, function(summary)
      return summary.sessionId
    end)
    local options = { prompt = prompt, kind = "pintle_session", format_item = M.label, preview = preview }
    require("pintle.picker").select(found, options, done)
  end)
end

---Deletes a session for good, after a question.
function M.delete()
  local here = require("pintle.workspace").get()
  pick_one(here, "Delete which session?", function()
    return true
  end, function(summary)
    confirm_delete(here, summary.sessionId, M.label(summary))
  end)
end

---Brings a fork's conversation back into the session that it was made of, which is shown.
function M.merge()
  local here, view = M.current()
  if not here or not view then
    return
  end
  pick_one(here, "Merge which fork into this session?", function(summary)
    return summary.sessionId ~= view.state.id
  end, function(summary)
    local params = { sessionId = view.state.id, forkId = summary.sessionId }
    here.engine:request(protocol.method.session_merge, params, function(err, result)
      if err or not result then
        return log.failed("not merged", err or { code = 0, message = "an empty answer" })
      end
      log.say(("merged %d items from the fork; :Pintle rewind undoes this"):format(#result.added))
    end)
  end)
end

---The current session, if it works in a copy of the project; says so otherwise.
---@return pintle.Workspace? here
---@return pintle.View? view
local function isolated()
  local here, view = M.current()
  if view and not view.state.isolation then
    log.say("the session works on your files; `:Pintle new worktree` starts one in a git worktree")
    return nil, nil
  end
  return here, view
end

---Merges the changes in the session's copy into the project's files.
function M.apply()
  local here, view = isolated()
  if not here or not view then
    return
  end
  here.engine:request(protocol.method.isolation_apply, { sessionId = view.state.id }, function(err, result)
    if err or not result then
      return log.failed("not applied", err or { code = 0, message = "an empty answer" })
    end
    local count, conflicts = 0, {}
    for _, file in ipairs(result.files) do
      if file.outcome == "conflict" or file.outcome == "kept" then
        table.insert(conflicts, vim.fn.fnamemodify(file.path, ":."))
      else
        count = count + 1
      end
    end
    if #result.files == 0 then
      log.say("no changes to apply")
    elseif #conflicts == 0 then
      log.say(
        ("applied the changes to %d file%s; :Pintle undo all reverts them"):format(count, count == 1 and "" or "s")
      )
    else
      log.warn("applied the changes with conflicts in " .. table.concat(conflicts, ", "))
    end
  end)
end

---Removes the session's copy with all unapplied changes, and leaves the session.
function M.discard()
  local here, view = isolated()
  if not here or not view then
    return
  end
  local id = view.state.id
  local options = { prompt = "Discard the session's copy, with all unapplied changes?", kind = "pintle_discard" }
  require("pintle.picker").select({ "Discard", "Cancel" }, options, function(choice)
    if choice ~= "Discard" then
      return
    end
    M.close(here, id, function()
      here.engine:request(protocol.method.isolation_discard, { sessionId = id }, function(err)
        if err then
          return log.failed("not discarded", err)
        end
        log.say("discarded the copy; when the session is opened again, it works on your files")
      end)
    end)
  end)
end

---@type table<string, pintle.ExportFormat> by the end of a file's name
local FORMATS = { html = "html", md = "md", json = "json", jsonl = "json", pi = "pi" }

---Writes the session to a file in the workspace; the end of its name says in which format.
---@param path? string default: asks for it
---@param overwrite? boolean
function M.export(path, overwrite)
  local here, view = M.current()
  if not here or not view then
    return
  elseif not path then
    return vim.ui.input({ prompt = "Export to (.md, .html, .json): ", default = "session.md" }, function(given)
      if given and given ~= "" then
        M.export(given)
      end
    end)
  end
  local format = FORMATS[path:match("%.(%w+)$") or ""]
  if not format then
    return log.error(("unknown file type `%s`; expected .md, .html, .json or .pi"):format(path))
  end
  local params = { sessionId = view.state.id, format = format, path = path, overwrite = overwrite or false }
  local full = paths.from(here.root, path)
  if not overwrite and vim.uv.fs_stat(full) then
    local choices = {
      {
        label = "Replace it",
        act = function()
          M.export(path, true)
        end,
      },
      { label = "Leave it", act = function() end },
    }
    local lines = { { text = ("%s exists. Replace it?"):format(path), group = "PintlePanelTitle" } }
    return require("pintle.panel").open({ lines = lines, choices = choices, later = "leaves it" })
  end
  here.engine:request(protocol.method.session_export, params, function(err, result)
    if err or not result then
      return log.failed("not exported", err or { code = 0, message = "an empty answer" })
    end
    log.say(("written: %s, %d bytes"):format(result.path, result.bytes))
  end)
end

---Sums up the conversation, so that there is room in the model's window.
---@param instructions? string
function M.compact(instructions)
  local here, view = M.current()
  if not here or not view then
    return
  end
  local params = { sessionId = view.state.id, instructions = instructions }
  here.engine:request(protocol.method.session_compact, params, function(err)
    if err then
      return log.failed("not compacted", err)
    end
    log.say("summarizing the conversation")
  end)
end

return M
