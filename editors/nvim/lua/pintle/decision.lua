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

---The workspace of the current buffer, if it has sessions whose hunks are shown.
---@return pintle.Workspace?
local function current()
  local here = require("pintle.workspace").find()
  if not here or #require("pintle.review").sessions(here) == 0 then
    log.say("no session, so there is nothing to review")
    return nil
  end
  return here
end

---The hunks of a file.
---@param here pintle.Workspace
---@param path string
---@return pintle.OpenHunk[]
local function hunks_of(here, path)
  local wanted = buffers.real(path)
  for _, file in ipairs(require("pintle.review").files(here)) do
    if buffers.real(file.path) == wanted then
      return file.hunks
    end
  end
  return {}
end

---The last turn that has open hunks, and its session. Ids of turns are sorted by their time.
---@param here pintle.Workspace
---@return pintle.TurnId? turn, pintle.SessionId? session
local function last_turn(here)
  local last, session
  for _, hunk in ipairs(require("pintle.review").hunks(here)) do
    for _, maker in ipairs(hunk.madeBy) do
      if not last or maker.turnId > last then
        last, session = maker.turnId, hunk.session
      end
    end
  end
  return last, session
end

---@class (exact) pintle.Target What a decision is about, and the session that owns it.
---@field session pintle.SessionId
---@field target pintle.ReviewTarget

---One target for each session that has any of these hunks.
---@param found pintle.OpenHunk[]
---@param make fun(hunk: pintle.OpenHunk): pintle.ReviewTarget From the session's first one.
---@return pintle.Target[]
local function by_session(found, make)
  local targets, is_in = {}, {}
  for _, hunk in ipairs(found) do
    if not is_in[hunk.session] then
      is_in[hunk.session] = true
      targets[#targets + 1] = { session = hunk.session, target = make(hunk) }
    end
  end
  return targets
end

---@param hunk pintle.OpenHunk
---@return pintle.Target
local function whole(hunk)
  return { session = hunk.session, target = { type = "hunk", hunk = hunk.id, changedSeq = hunk.changedSeq } }
end

---The hunks of all sessions; of one whose hunks are not known yet, whatever it has.
---@param here pintle.Workspace
---@return pintle.Target[]
local function all_targets(here)
  local review = require("pintle.review")
  local targets = by_session(review.hunks(here), function()
    return { type = "all" }
  end)
  local is_in = {}
  for _, each in ipairs(targets) do
    is_in[each.session] = true
  end
  local ids = review.sessions(here)
  for _, id in ipairs(ids) do
    if not is_in[id] and (review.is_asking(id) or #targets == 0 and id == ids[1]) then
      targets[#targets + 1] = { session = id, target = { type = "all" } }
    end
  end
  return targets
end

---What a decision is about.
---@param here pintle.Workspace
---@param scope pintle.DecisionScope
---@param range? { first: integer, last: integer }
---@return pintle.Target[]? targets nil when there is none, and that was said
function M.targets(here, scope, range)
  if scope == "all" then
    return all_targets(here)
  elseif scope == "turn" then
    local turn, session = last_turn(here)
    if not turn or not session then
      return log.say("no turn has open hunks")
    end
    return { { session = session, target = { type = "turn", turnId = turn } } }
  elseif scope == "file" then
    local targets = by_session(hunks_of(here, vim.api.nvim_buf_get_name(0)), function(hunk)
      return { type = "file", path = hunk.path }
    end)
    if #targets == 0 then
      return log.say("no open hunks in this buffer's file; :Pintle review lists all")
    end
    return targets
  end
  if range then
    local targets = {}
    for _, place in ipairs(overlay.places(0)) do
      local target = hunks.target(place, range.first, range.last)
      targets[#targets + 1] = target and { session = place.hunk.session, target = target }
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
  return { whole(place.hunk) }
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

---@class (exact) pintle.SessionAction An action, and the session that it is sent to.
---@field session pintle.SessionId
---@field action pintle.ReviewAction

---@class (exact) pintle.WaitingDecision A decision that waits for the running call.
---@field session pintle.SessionId
---@field number integer

---Whether an action is about a hunk.
---@param wanted pintle.SessionAction
---@param hunk pintle.OpenHunk
---@return boolean
local function covers(wanted, hunk)
  local action = wanted.action
  local target = (action.type == "keep" or action.type == "undo") and action.target or nil
  if not target or wanted.session ~= hunk.session then
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
---@param wanted pintle.SessionAction[]
---@return pintle.WaitingDecision[]
local function superseded(here, wanted)
  local waiting, is_covered = {}, {} ---@type table<string, pintle.WaitingDecision>, table<string, boolean>
  for _, hunk in ipairs(require("pintle.review").hunks(here)) do
    if hunk.waiting then
      local key = hunk.session .. hunk.waiting
      local is_in = vim.iter(wanted):any(function(each)
        return covers(each, hunk)
      end)
      waiting[key] = { session = hunk.session, number = hunk.waiting }
      is_covered[key] = is_in and is_covered[key] ~= false
    end
  end
  local found = {}
  for key, each in pairs(waiting) do
    found[#found + 1] = is_covered[key] and each or nil
  end
  return found
end

---Withdraws waiting decisions. One that was carried out meanwhile stays.
---@param here pintle.Workspace
---@param waiting pintle.WaitingDecision[]
---@param done fun()
local function withdraw(here, waiting, done)
  local each = table.remove(waiting)
  if not each then
    return done()
  end
  local params = { sessionId = each.session, action = { type = "revert", decision = each.number } }
  here.engine:request(protocol.method.review_decide, params, function()
    withdraw(here, waiting, done)
  end)
end

---Sends actions one after the other, and says at the end what came of all.
---@param here pintle.Workspace
---@param wanted pintle.SessionAction[]
---@param done? fun() Called when nothing was in conflict.
local function decide(here, wanted, done)
  local parts = {} ---@type pintle.DecisionPart[]
  local ids, parts_of = {}, {} ---@type string[], table<string, pintle.DecisionPart[]>
  for _, each in ipairs(wanted) do
    if not parts_of[each.session] then
      parts_of[each.session] = {}
      ids[#ids + 1] = each.session
    end
  end
  local withdrawn, seqs = superseded(here, wanted), {} ---@type table, table<string, integer>
  local function when_known(at, act)
    local id = ids[at]
    if not id then
      return act()
    end
    here:after(id, seqs[id] or 0, function()
      when_known(at + 1, act)
    end)
  end
  -- Also when it failed: what is shown may be why.
  local function told()
    M.tell(parts)
    require("pintle.review").refresh_each(here, ids, function()
      for _, id in ipairs(ids) do
        log.emit("Decision", { root = here.root, session_id = id, parts = parts_of[id] })
      end
      local _, conflicts = M.words(parts)
      if done and #conflicts == 0 and #parts > 0 then
        done()
      end
    end)
  end
  local function over()
    when_known(1, told)
  end
  local function send(at)
    local each = wanted[at]
    if not each then
      return over()
    end
    local params = { sessionId = each.session, action = each.action }
    here.engine:request(protocol.method.review_decide, params, function(err, result)
      if err or not result then
        err = err or { code = 0, message = "an empty answer" }
        local view = here.views[each.session]
        log.error("not decided: " .. hunks.reworded(err.message, view and view.state.hunks or {}))
        return over()
      end
      seqs[each.session] = result.seq
      for _, part in ipairs(result.decision.parts) do
        if result.queued and part.outcome == "applied" then
          part.outcome = WAITING
        end
        parts[#parts + 1] = part
        table.insert(parts_of[each.session], part)
      end
      send(at + 1)
    end)
  end
  withdraw(here, withdrawn, function()
    send(1)
  end)
end

---Applies one action to several targets.
---@param here pintle.Workspace
---@param targets pintle.Target[]
---@param action table what every action is beside its target
---@param done? fun() Called when nothing was in conflict.
local function decide_about(here, targets, action, done)
  local wanted = vim.tbl_map(function(each)
    return { session = each.session, action = vim.tbl_extend("error", { target = each.target }, action) }
  end, targets)
  decide(here, wanted, done)
end

---Decides about what a scope or a range names.
---@param scope? pintle.DecisionScope default: the hunk under the cursor
---@param range? { first: integer, last: integer } only these lines
---@param action table what every action is beside its target
local function about(scope, range, action)
  local here = current()
  if not here then
    return
  end
  local function act()
    local targets = M.targets(here, scope or "hunk", range)
    if targets then
      decide_about(here, targets, action)
    end
  end
  -- A file that came into a buffer just now has no hunks there yet.
  local review = require("pintle.review")
  if review.is_busy() and #overlay.places(0) == 0 then
    return review.refresh_each(here, review.sessions(here), act)
  end
  act()
end

---Decides about hunks that are known.
---@param found pintle.OpenHunk[]
---@param action table what every action is beside its target
function M.decide_hunks(found, action)
  local here = current()
  if here then
    decide_about(here, vim.tbl_map(whole, found), action)
  end
end

---Keeps all that is open in a file.
---@param path string
---@param done fun() Called when it was kept.
function M.accept(path, done)
  local here = current()
  if not here then
    return
  end
  local targets = by_session(hunks_of(here, path), function(hunk)
    return { type = "file", path = hunk.path }
  end)
  if #targets == 0 then
    targets[1] = { session = require("pintle.review").sessions(here)[1], target = { type = "file", path = path } }
  end
  decide_about(here, targets, { type = "keep" }, done)
end

---Comments on hunks that are known.
---@param found pintle.OpenHunk[]
---@param text string
function M.comment_on(found, text)
  local here = current()
  if here then
    local wanted = vim.tbl_map(function(hunk)
      local side = hunk.after.count > 0 and "new" or "old"
      return { session = hunk.session, action = { type = "comment", hunk = hunk.id, side = side, text = text } }
    end, found)
    decide(here, wanted)
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
  local here = current()
  if not here then
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
  decide(here, { { session = place.hunk.session, action = action } })
end

---Withdraws the newest decision that waits for the running call.
---@return boolean is_asked
local function withdraw_newest(here)
  local newest, session, count = 0, nil, 0
  for _, hunk in ipairs(require("pintle.review").hunks(here)) do
    local number = hunk.waiting or 0
    if number > newest then
      newest, session, count = number, hunk.session, 0
    end
    count = count + (number == newest and hunk.session == session and 1 or 0)
  end
  if not session then
    return false
  end
  withdraw(here, { { session = session, number = newest } }, function()
    log.say(("withdrawn: %d %s open"):format(count, count == 1 and "hunk stays" or "hunks stay"))
    require("pintle.review").refresh(here, session, function()
      log.emit("Decision", { root = here.root, session_id = session, parts = {} })
    end)
  end)
  return true
end

---The newest decision of all sessions that was not undone.
---@param here pintle.Workspace
---@return pintle.SessionAction? revert
local function newest_decision(here)
  local revert, made_ms
  for _, id in ipairs(require("pintle.review").sessions(here)) do
    local state = here.views[id] and here.views[id].state
    local seq = state and state.decisions[#state.decisions]
    local ms = state and seq and (state.decided_ms[seq] or 0)
    if seq and ms and (not made_ms or ms > made_ms) then
      revert, made_ms = { session = id, action = { type = "revert", decision = seq } }, ms
    end
  end
  return revert
end

---@param here pintle.Workspace
local function revert(here)
  if withdraw_newest(here) then
    return
  end
  local newest = newest_decision(here)
  if not newest then
    return log.say("no decision to revert")
  end
  decide(here, { newest })
end

---Undoes the newest decision that was not undone; again, the one before it. Those that still wait come first.
function M.revert()
  local here, review = current(), require("pintle.review")
  if not here then
    return
  elseif not review.is_busy() then
    return revert(here)
  end
  -- Only the hunks show which decisions wait.
  review.refresh_each(here, review.sessions(here), function()
    revert(here)
  end)
end

---Lists the open hunks.
---@param is_round? boolean Only those that have changed since notes were sent last.
function M.review(is_round)
  local here = current()
  if not here then
    return
  end
  local list, review = require("pintle.list"), require("pintle.review")
  local from = vim.api.nvim_get_current_win()
  review.refresh_each(here, review.sessions(here), function()
    local conflicts = vim.tbl_map(function(conflict)
      return short(conflict.path)
    end, buffers.conflicts())
    -- In the prompt and the transcript, the keys for hunks do nothing. Who has begun something else meanwhile stays there.
    local is_there = vim.api.nvim_get_current_win() == from and vim.api.nvim_get_mode().mode == "n"
    local is_listed = list.show(here, is_round, is_there and vim.w[from].pintle_role ~= nil)
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
