-- Going back in a session's history, forward again, and on from a place of it in a session of its own. What is meant is picked
-- from lists; what would happen is the engine's word, shown before it does.

local history = require("pintle.history")
local input = require("pintle.input")
local layout = require("pintle.layout")
local log = require("pintle.log")
local panel = require("pintle.panel")
local preview = require("pintle.preview")
local prompt = require("pintle.prompt")
local protocol = require("pintle.protocol")

local M = {}

---@class (exact) pintle.PlaceChoice
---@field label string
---@field at? pintle.HistoryPoint Absent: where the session stands; only for a fork.
---@field text string
---@field item_id? pintle.ItemId The message that it is before.

---@type table<string, string> by session: the message that a rewind put into the prompt
local returned = {}

---The places of a tree, newest first; behind them the ends of ways that were left.
---@param tree pintle.SessionTreeResult
---@return pintle.PlaceChoice[]
function M.places(tree)
  local places, left = {}, {}
  for at = #tree.nodes, 1, -1 do
    local node = tree.nodes[at]
    local text = node.text:gsub("%s*\n.*", " …")
    local name = node.label and (" [%s]"):format(node.label) or ""
    local label = ("%s  %s%s"):format(os.date("%H:%M", math.floor(node.tsMs / 1000)), text, name)
    if node.current and node.itemId then
      places[#places + 1] = { label = label, at = { itemId = node.itemId }, text = text, item_id = node.itemId }
    elseif node.current then
      places[#places + 1] = { label = label, at = { seq = node.seq }, text = text }
    elseif node.turnId then
      left[#left + 1] = { label = label .. "  (left; to its end)", at = { turnId = node.turnId }, text = text }
    end
  end
  return vim.list_extend(places, left)
end

---@param here pintle.Workspace
---@param view pintle.View
---@param question string
---@param first? pintle.PlaceChoice
---@param done fun(place: pintle.PlaceChoice)
local function pick_place(here, view, question, first, done)
  here.engine:request(protocol.method.session_tree, { sessionId = view.state.id }, function(err, tree)
    if err or not tree then
      return log.failed("cannot read the history", err or { code = 0, message = "an empty answer" })
    end
    local places = vim.list_extend({ first }, M.places(tree))
    if #places == 0 then
      return log.say("no message to rewind to yet")
    end
    require("pintle.picker").select(places, {
      prompt = question,
      kind = "pintle_history",
      format_item = function(place)
        return place.label
      end,
    }, done)
  end)
end

local SCOPES = {
  { label = "Conversation and files", scope = "both" },
  {
    label = "Conversation and files, with a summary of the abandoned branch for the model",
    scope = "both",
    summarize = true,
  },
  { label = "Only the conversation", scope = "conversation" },
  { label = "Only the files", scope = "files" },
}

---Says what became of it.
---@param result pintle.SessionRewindResult
---@param scope pintle.RewindScope
---@param is_redo? boolean
local function tell(result, scope, is_redo)
  local parts = {}
  if scope ~= "files" then
    for verb, items in pairs({ removed = result.dropped, restored = result.restored }) do
      if #items > 0 then
        parts[#parts + 1] = ("%d %s %s"):format(#items, #items == 1 and "item" or "items", verb)
      end
    end
    table.sort(parts)
  end
  local counts, is_whole = {}, true
  for _, file in ipairs(result.files or {}) do
    counts[file.action] = (counts[file.action] or 0) + 1
    is_whole = is_whole and (file.action == "restore" or file.action == "remove")
  end
  for _, action in ipairs({ "restore", "remove", "leave", "lost", "failed" }) do
    if counts[action] then
      local noun = counts[action] == 1 and "file" or "files"
      parts[#parts + 1] = ("%d %s %s"):format(counts[action], noun, preview.ACTIONS[action])
    end
  end
  local said = #parts > 0 and table.concat(parts, ", ") or "nothing to do"
  local next_step = is_redo and "" or "; :Pintle redo goes forward again"
  log.say(said .. next_step, not is_whole and vim.log.levels.WARN or nil)
end

---The number of events of a rewind: one about the files if any was changed, then one about the conversation.
---@param result pintle.SessionRewindResult
---@param scope pintle.RewindScope
---@return integer
local function count_events(result, scope)
  local is_file_changed = vim.iter(result.files or {}):any(function(file)
    return file.action == "restore" or file.action == "remove"
  end)
  return (is_file_changed and 1 or 0) + (scope ~= "files" and 1 or 0)
end

---@param here pintle.Workspace
---@param view pintle.View
---@param params pintle.SessionRewindParams
---@param done? fun(result: pintle.SessionRewindResult)
---@param is_redo? boolean
local function rewind(here, view, params, done, is_redo)
  params.sessionId = view.state.id
  here.engine:request(protocol.method.session_rewind, params, function(err, result)
    if err or not result then
      return log.failed("not rewound", err or { code = 0, message = "an empty answer" })
    elseif done then
      return done(result)
    end
    local scope = params.scope or "both"
    here:after(view.state.id, result.fromSeq + count_events(result, scope), function()
      tell(result, scope, is_redo)
    end)
    local text = params.scope ~= "files" and input.editable(result.input or {}) or ""
    if text ~= "" then
      prompt.put_before(here, { text })
      returned[view.state.id] = text
    end
  end)
end

---@param here pintle.Workspace
---@param view pintle.View
---@param place pintle.PlaceChoice
---@param wanted { scope: pintle.RewindScope, summarize?: boolean }
local function confirm(here, view, place, wanted)
  local scope, summarize = wanted.scope, wanted.summarize
  local to = assert(place.at, "a rewind has a target")
  rewind(here, view, { to = to, scope = scope, dryRun = true }, function(result)
    local conflicts = {}
    for _, file in ipairs(result.files or {}) do
      if file.owner == "conflict" and file.action == "leave" then
        conflicts[#conflicts + 1] = file.path
      end
    end
    local function back(label, overwrite)
      return {
        label = label,
        act = function()
          rewind(here, view, { to = to, scope = scope, summarize = summarize, overwrite = overwrite })
        end,
      }
    end
    ---@type pintle.PanelChoice[]
    local choices = { { label = "Do nothing", act = function() end } }
    if #conflicts > 0 then
      choices[2] = back("Rewind, and skip conflicts", {})
      choices[3] = back("Rewind, and discard your changes in conflicts", conflicts)
    else
      choices[2] = back("Rewind", {})
    end
    preview.read_diffs(here.engine, view.state.id, result, function(diffs)
      local lines = preview.lines(place.text, scope, result, view.state.cwd or here.root, diffs)
      panel.open({ lines = lines, choices = choices, later = "does nothing" })
    end)
  end)
end

---The session that is shown, if its history can be moved in; if not, that is said.
---@return pintle.Workspace? here, pintle.View? view
local function idle()
  local here, view = require("pintle.sessions").current()
  if view and view.state.turn then
    log.say("not rewound: a turn is running; wait for its end, or use `:Pintle stop`")
    return nil, nil
  end
  return here, view
end

---Goes back to before one of the person's messages, or to the end of a way that was left.
function M.rewind()
  local here, view = idle()
  if not here or not view then
    return
  end
  pick_place(here, view, "Rewind to before which message?", nil, function(place)
    require("pintle.picker").select(SCOPES, {
      prompt = "Rewind what?",
      kind = "pintle_scope",
      format_item = function(choice)
        return choice.label
      end,
    }, function(choice)
      confirm(here, view, place, choice)
    end)
  end)
end

---Undoes the last rewind, and the one before it when called again, as long as the model has not worked on.
function M.redo()
  local here, view = idle()
  if not here or not view then
    return
  end
  local move = history.undoable(view.state.history)
  if not move then
    return log.say("there is no rewind to redo; :Pintle rewind lists all points")
  end
  local text = returned[view.state.id]
  if text and prompt.text(here) == vim.trim(text) then
    prompt.set(here, "")
  end
  rewind(here, view, { to = { seq = move.from }, scope = move.scope }, nil, true)
end

---Reads the message that a place is before.
---@param here pintle.Workspace
---@param view pintle.View
---@param place pintle.PlaceChoice
---@param done fun(content: pintle.Input[]) Called with no blocks where there is none.
local function message_at(here, view, place, done)
  if not place.item_id then
    return done({})
  end
  local params = { sessionId = view.state.id, itemId = place.item_id }
  here.engine:request(protocol.method.item_read, params, function(err, result)
    if err or not result then
      return log.failed("cannot read the message", err or { code = 0, message = "an empty answer" })
    end
    done(result.item.content or {})
  end)
end

-- Of the original's name in the title of a fork.
local NAME_CHARS = 100

---@type table<string, true> the titles of forks that were made here
local titles = {}

---The title of a fork, which tells it from its original and from other forks of it.
---@param name? string The original's.
---@param at string The time of day.
---@param is_taken fun(title: string): boolean
---@return string
function M.fork_title(name, at, is_taken)
  local original = (name or "a session"):gsub("[%s%c]+", " ")
  original = original:gsub("^fork %d%d:%d%d of ", ""):gsub("^fork %d%d:%d%d %(%d+%) of ", "")
  original = vim.fn.strcharpart(original, 0, NAME_CHARS)
  local title, count = ("fork %s of %s"):format(at, original), 1
  while is_taken(title) do
    count = count + 1
    title = ("fork %s (%d) of %s"):format(at, count, original)
  end
  return title
end

---@param open integer Open hunks of the original.
---@return string
local function forked_text(open)
  local text = "this is the fork; :Pintle sessions returns to the original"
  if open > 0 then
    text = text .. (", which keeps the %s"):format(open == 1 and "open hunk" or open .. " open hunks")
  end
  return text
end

---Goes on from a place of the history in a session of its own; this one stays as it is.
function M.fork()
  local here, view = require("pintle.sessions").current()
  if not here or not view then
    return
  end
  local all = { label = "Here, with the full history", text = "" }
  pick_place(here, view, "Fork before which message?", all, function(place)
    local title = M.fork_title(require("pintle.session").name(view.state), tostring(os.date("%H:%M")), function(each)
      return titles[each] ~= nil
    end)
    titles[title] = true
    local params = { sessionId = view.state.id, at = place.at, title = title }
    local open = #vim.tbl_filter(function(hunk)
      return hunk.session == view.state.id
    end, require("pintle.review").hunks(here))
    layout.open(here)
    here.engine:request(protocol.method.session_fork, params, function(err, result)
      if err or not result then
        return log.failed("not forked", err or { code = 0, message = "an empty answer" })
      end
      here:show(result.sessionId, function(answer)
        answer(nil, result)
      end, function(made, tab)
        layout.show(here, made.chat, tab)
        message_at(here, view, place, function(content)
          prompt.put_before(here, #content > 0 and { input.editable(content) } or {})
          log.say(forked_text(open))
        end)
      end)
    end)
  end)
end

return M
