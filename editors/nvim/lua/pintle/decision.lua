-- What a person decides about hunks: kept, undone, said, taken back. The engine decides whether it can be done; this finds
-- out what is meant and says what came of it.

local buffers = require("pintle.buffers")
local hunks = require("pintle.hunks")
local log = require("pintle.log")
local overlay = require("pintle.overlay")
local protocol = require("pintle.protocol")

local M = {}

---@alias pintle.DecisionScope "all"|"turn"|"file"|"hunk"

---@param path string
---@return string
local function short(path)
  return vim.fn.fnamemodify(path, ":.")
end

---@return pintle.Workspace? here, pintle.View? view
local function current()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  if not here or not view then
    log.say("no session, so there is nothing to review")
    return nil, nil
  end
  return here, view
end

---The engine's path of the current buffer's file.
---@param here pintle.Workspace
---@return string?
local function path_here(here)
  local name = vim.api.nvim_buf_get_name(0)
  local path = buffers.real(name)
  for _, file in ipairs(require("pintle.review").files(here)) do
    if buffers.real(file.path) == path then
      return file.path
    end
  end
end

---The last turn that has open hunks. Ids of turns are sorted by their time.
---@param here pintle.Workspace
---@return pintle.TurnId?
local function last_turn(here)
  local last
  for _, file in ipairs(require("pintle.review").files(here)) do
    for _, hunk in ipairs(file.hunks) do
      for _, maker in ipairs(hunk.madeBy) do
        last = (not last or maker.turnId > last) and maker.turnId or last
      end
    end
  end
  return last
end

---What a decision is about.
---@param here pintle.Workspace
---@param scope pintle.DecisionScope
---@param range? { first: integer, last: integer }
---@return pintle.ReviewTarget[]? targets nil when there is none, and that was said
function M.targets(here, scope, range)
  if scope == "all" then
    return { { type = "all" } }
  elseif scope == "turn" then
    local turn = last_turn(here)
    if not turn then
      return log.say("no turn has open hunks")
    end
    return { { type = "turn", turnId = turn } }
  elseif scope == "file" then
    local path = path_here(here)
    if not path then
      return log.say("no open hunks in this buffer's file; :Pintle review lists all")
    end
    return { { type = "file", path = path } }
  end
  if range then
    local targets = {}
    for _, place in ipairs(overlay.places(0)) do
      targets[#targets + 1] = hunks.target(place, range.first, range.last)
    end
    if #targets == 0 then
      return log.say("no hunk in these lines; :Pintle review lists all")
    end
    return targets
  end
  local place = overlay.at(0, vim.api.nvim_win_get_cursor(0)[1])
  if not place then
    return log.say("no hunk under the cursor; :Pintle review lists all")
  end
  return { { type = "hunk", hunk = place.hunk.id, changedSeq = place.hunk.changedSeq } }
end

local DONE = {
  keep = "kept",
  undo = "undone",
  reopen = "reopened",
  comment = "commented",
  withdraw = "without the comment",
}

---What came of a decision, in words.
---@param parts pintle.DecisionPart[]
---@return string said, pintle.DecisionPart[] conflicts
function M.words(parts)
  local counts, order, conflicts = {}, {}, {}
  for _, part in ipairs(parts) do
    if part.outcome == "conflict" then
      conflicts[#conflicts + 1] = part
    else
      -- A word of a newer engine is said as it is.
      local word = part.outcome == "applied" and DONE[part.effect] or part.outcome
      if not counts[word] then
        counts[word] = 0
        order[#order + 1] = word
      end
      counts[word] = counts[word] + 1
    end
  end
  local said = vim.tbl_map(function(word)
    return ("%d %s %s"):format(counts[word], counts[word] == 1 and "hunk" or "hunks", word)
  end, order)
  return table.concat(said, ", "), conflicts
end

-- The outcome of a decision that changes files while a turn runs.
local WAITING = "waiting for the running call to end"

---Says what came of a decision.
---@param parts pintle.DecisionPart[]
function M.tell(parts)
  local said, conflicts = M.words(parts)
  if said ~= "" then
    log.say(said .. (said:find(WAITING, 1, true) and "; :Pintle revert withdraws this" or ""))
  end
  local told = {}
  for _, part in ipairs(conflicts) do
    if not told[part.path] then
      told[part.path] = true
      local advice = part.effect == "undo"
          and "it contains your own lines: `:Pintle undo hunk discard` removes them as well, `:Pintle keep` keeps all"
        or "it has different lines now"
      local text = ("conflict in %s, not changed: %s"):format(short(part.path), advice)
      if part.cause then
        local words =
          "%s was left unchanged, since the author of the change is unknown (%s). If it is not yours, use `:Pintle undo hunk`"
        text = words:format(short(part.path), part.cause)
      end
      log.warn(text)
    end
  end
end

---Whether an action is about a hunk.
---@param action pintle.ReviewAction
---@param hunk pintle.Hunk
---@return boolean
local function covers(action, hunk)
  local target = (action.type == "keep" or action.type == "undo") and action.target or nil
  if not target then
    return false
  elseif target.type == "file" then
    return target.path == hunk.path
  elseif target.type == "turn" then
    return vim.iter(hunk.madeBy):any(function(maker)
      return maker.turnId == target.turnId
    end)
  end
  return target.type == "all" or target.hunk == hunk.id
end

---The waiting decisions that others take the place of: the last word about a hunk counts.
---@param here pintle.Workspace
---@param actions pintle.ReviewAction[]
---@return integer[] numbers
local function superseded(here, actions)
  local is_covered = {} ---@type table<integer, boolean>
  for _, hunk in ipairs(require("pintle.review").hunks(here)) do
    if hunk.waiting then
      local is_in = vim.iter(actions):any(function(action)
        return covers(action, hunk)
      end)
      is_covered[hunk.waiting] = is_in and is_covered[hunk.waiting] ~= false
    end
  end
  return vim.tbl_filter(function(number)
    return is_covered[number]
  end, vim.tbl_keys(is_covered))
end

---Withdraws waiting decisions. One that was carried out meanwhile stays.
---@param here pintle.Workspace
---@param view pintle.View
---@param numbers integer[]
---@param done fun()
local function withdraw(here, view, numbers, done)
  local number = table.remove(numbers)
  if not number then
    return done()
  end
  local params = { sessionId = view.state.id, action = { type = "revert", decision = number } }
  here.engine:request(protocol.method.review_decide, params, function()
    withdraw(here, view, numbers, done)
  end)
end

---Sends actions one after the other, and says at the end what came of all.
---@param here pintle.Workspace
---@param view pintle.View
---@param actions pintle.ReviewAction[]
---@param done? fun() Called when nothing was in conflict.
local function decide(here, view, actions, done)
  local parts = {}
  local withdrawn = superseded(here, actions)
  -- Also when it failed: what is shown may be why.
  local function over()
    M.tell(parts)
    require("pintle.review").refresh(here, view.state.id, function()
      log.emit("Decision", { root = here.root, session_id = view.state.id, parts = parts })
      local _, conflicts = M.words(parts)
      if done and #conflicts == 0 and #parts > 0 then
        done()
      end
    end)
  end
  local function send(at)
    local action = actions[at]
    if not action then
      return over()
    end
    local params = { sessionId = view.state.id, action = action }
    here.engine:request(protocol.method.review_decide, params, function(err, result)
      if err or not result then
        err = err or { code = 0, message = "an empty answer" }
        log.error("not decided: " .. hunks.reworded(err.message, view.state.hunks))
        return over()
      end
      for _, part in ipairs(result.decision.parts) do
        if result.queued and part.outcome == "applied" then
          part.outcome = WAITING
        end
        parts[#parts + 1] = part
      end
      send(at + 1)
    end)
  end
  withdraw(here, view, withdrawn, function()
    send(1)
  end)
end

---Decides about what a scope or a range names.
---@param scope? pintle.DecisionScope default: the hunk under the cursor
---@param range? { first: integer, last: integer } only these lines
---@param action table what every action is beside its target
local function about(scope, range, action)
  local here, view = current()
  if not here or not view then
    return
  end
  local function act()
    local targets = M.targets(here, scope or "hunk", range)
    if targets then
      local actions = vim.tbl_map(function(target)
        return vim.tbl_extend("error", { target = target }, action)
      end, targets)
      decide(here, view, actions)
    end
  end
  -- A file that came into a buffer just now has no hunks there yet.
  local review = require("pintle.review")
  if review.is_busy() and #overlay.places(0) == 0 then
    return review.refresh(here, view.state.id, act)
  end
  act()
end

---Decides about hunks that are known.
---@param found pintle.Hunk[]
---@param action table what every action is beside its target
function M.decide_hunks(found, action)
  local here, view = current()
  if here and view then
    local actions = vim.tbl_map(function(hunk)
      local target = { type = "hunk", hunk = hunk.id, changedSeq = hunk.changedSeq }
      return vim.tbl_extend("error", { target = target }, action)
    end, found)
    decide(here, view, actions)
  end
end

---Keeps all that is open in a file.
---@param path string
---@param done fun() Called when it was kept.
function M.accept(path, done)
  local here, view = current()
  if here and view then
    decide(here, view, { { type = "keep", target = { type = "file", path = path } } }, done)
  end
end

---Comments on hunks that are known.
---@param found pintle.Hunk[]
---@param text string
function M.comment_on(found, text)
  local here, view = current()
  if here and view then
    local actions = vim.tbl_map(function(hunk)
      local side = hunk.after.count > 0 and "new" or "old"
      return { type = "comment", hunk = hunk.id, side = side, text = text }
    end, found)
    decide(here, view, actions)
  end
end

---Keeps what the agent did.
---@param scope? pintle.DecisionScope default: the hunk under the cursor
---@param range? { first: integer, last: integer } only these lines
function M.keep(scope, range)
  about(scope, range, { type = "keep" })
end

---Takes back what the agent did.
---@param scope? pintle.DecisionScope default: the hunk under the cursor
---@param range? { first: integer, last: integer } only these lines
---@param discards? boolean Whether lines of the person's own in a hunk go as well.
function M.undo(scope, range, discards)
  about(scope, range, { type = "undo", discardEdits = discards or false })
end

---Says something about the hunk under the cursor, or about the chosen lines of it; the model reads it at its next turn.
---@param text? string default: asks for it
---@param range? { first: integer, last: integer }
function M.comment(text, range)
  local here, view = current()
  if not here or not view then
    return
  end
  local place = overlay.at(0, range and range.first or vim.api.nvim_win_get_cursor(0)[1])
  if not place then
    return log.say("no hunk under the cursor; :Pintle review lists all")
  elseif not text then
    return vim.ui.input({ prompt = "Comment: " }, function(given)
      if given and vim.trim(given) ~= "" then
        M.comment(given, range)
      end
    end)
  end
  local action = { type = "comment", hunk = place.hunk.id, side = place.count > 0 and "new" or "old", text = text }
  local target = range and hunks.target(place, range.first, range.last)
  if target and target.type == "lines" and target.lines then
    action.lines = target.lines.new
  end
  decide(here, view, { action })
end

---Withdraws the newest decision that waits for the running call.
---@param here pintle.Workspace
---@param view pintle.View
---@return boolean is_asked
local function withdraw_newest(here, view)
  local newest, count = 0, 0
  for _, hunk in ipairs(require("pintle.review").hunks(here)) do
    local number = hunk.waiting or 0
    if number > newest then
      newest, count = number, 0
    end
    count = count + (number == newest and 1 or 0)
  end
  if newest == 0 then
    return false
  end
  withdraw(here, view, { newest }, function()
    log.say(("withdrawn: %d %s open"):format(count, count == 1 and "hunk stays" or "hunks stay"))
    require("pintle.review").refresh(here, view.state.id, function()
      log.emit("Decision", { root = here.root, session_id = view.state.id, parts = {} })
    end)
  end)
  return true
end

---Undoes the newest decision that was not undone; again, the one before it. Those that still wait come first.
function M.revert()
  local here, view = current()
  if not here or not view or withdraw_newest(here, view) then
    return
  end
  local decisions = view.state.decisions
  local newest = decisions[#decisions]
  if not newest then
    return log.say("no decision to revert")
  end
  decide(here, view, { { type = "revert", decision = newest } })
end

---Lists the open hunks.
---@param is_round? boolean Only those that have changed since notes were sent last.
function M.review(is_round)
  local here, view = current()
  if not here or not view then
    return
  end
  local list = require("pintle.list")
  require("pintle.review").refresh(here, view.state.id, function()
    local conflicts = vim.tbl_map(function(conflict)
      return short(conflict.path)
    end, buffers.conflicts())
    local is_listed = list.show(here, is_round)
    if #conflicts > 0 then
      local text = "no hunk: %s changed on disk under unsaved text (:Pintle diff)"
      log.warn(text:format(table.concat(conflicts, ", ")))
    elseif not is_listed then
      log.say(
        is_round and "no changes since your notes were sent; :Pintle review lists all"
          or "no open hunks: the agent changed no files, or everything is decided"
      )
    end
  end)
end

return M
