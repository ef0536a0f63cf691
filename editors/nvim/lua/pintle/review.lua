-- The open hunks of the current session and of inline edits: fetched from the engine, shown in buffers and in a list, decided
-- about.
--
-- The engine owns the review. Here is only what it said last, and it is asked again whenever something happened.

local buffers = require("pintle.buffers")
local config = require("pintle.config")
local hunks = require("pintle.hunks")
local keys = require("pintle.keys")
local list = require("pintle.list")
local log = require("pintle.log")
local overlay = require("pintle.overlay")
local protocol = require("pintle.protocol")

local M = {}

---@class (exact) pintle.Review What the engine said last.
---@field hunks pintle.OpenHunk[]
---@field baselines table<string, pintle.ReviewBaselineResult> Of the files that stand in buffers.
---@field is_asking boolean
---@field is_stale boolean Something happened while it was asked.
---@field waiting fun()[]

---@type table<string, pintle.Review> by session
local reviews = {}

---@param id string
---@return pintle.Review
local function of(id)
  reviews[id] = reviews[id] or { hunks = {}, baselines = {}, is_asking = false, is_stale = false, waiting = {} }
  return reviews[id]
end

---@class (exact) pintle.FileHunks
---@field path string
---@field hunks pintle.OpenHunk[]

---Hunks by file, in the order in which files first appear.
---@param all pintle.OpenHunk[]
---@return pintle.FileHunks[] files
---@return table<string, pintle.OpenHunk[]> by_path by the real path
local function by_file(all)
  local files, by_path = {}, {}
  for _, hunk in ipairs(all) do
    local path = buffers.real(hunk.path)
    if not by_path[path] then
      by_path[path] = {}
      files[#files + 1] = { path = hunk.path, hunks = by_path[path] }
    end
    table.insert(by_path[path], hunk)
  end
  return files, by_path
end

---The sessions whose hunks are shown: the current one, then those of inline edits.
---@param here? pintle.Workspace
---@return pintle.SessionId[] ids
function M.sessions(here)
  local current = here and here.current
  local ids = current and { current } or {}
  for _, id in ipairs(here and require("pintle.inline").sessions(here) or {}) do
    if id ~= current then
      ids[#ids + 1] = id
    end
  end
  return ids
end

---The shown sessions' open hunks by file, as last fetched; from top to bottom in each file.
---@param here? pintle.Workspace
---@return pintle.FileHunks[]
function M.files(here)
  local ids, all = M.sessions(here), {}
  for _, id in ipairs(ids) do
    vim.list_extend(all, of(id).hunks)
  end
  local files = by_file(all)
  for _, file in ipairs(#ids > 1 and files or {}) do
    table.sort(file.hunks, function(a, b)
      return a.after.start < b.after.start
    end)
  end
  return files
end

---The shown sessions' open hunks, file by file.
---@param here? pintle.Workspace
---@return pintle.OpenHunk[]
function M.hunks(here)
  local all = {}
  for _, file in ipairs(M.files(here)) do
    vim.list_extend(all, file.hunks)
  end
  return all
end

---Where the hunks of a file stand in a buffer.
---@param buf integer
---@param baseline? pintle.ReviewBaselineResult
---@param of_file pintle.OpenHunk[]
---@return pintle.Place[]
local function places(buf, baseline, of_file)
  local seen = baseline and hunks.seen(baseline, of_file)
  if not seen then
    return {}
  end
  if vim.bo[buf].bomb then
    seen = seen:gsub("^\239\187\191", "")
  end
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  return hunks.places(hunks.lines(seen, vim.bo[buf].fileformat == "dos"), lines, of_file)
end

---A session's hunks in a file, and the file's text at its last accepted point.
---@alias pintle.KnownFile { baseline?: pintle.ReviewBaselineResult, hunks: pintle.OpenHunk[] }

---Shows a file's hunks in its buffer, and no others.
---@param buf integer
---@param known? pintle.KnownFile[] What each session knows of the file.
local function show(buf, known)
  local found = {}
  for _, file in ipairs(known or {}) do
    vim.list_extend(found, places(buf, file.baseline, file.hunks))
  end
  overlay.show(buf, found)
  keys.set(buf, known ~= nil)
end

---Whether a hunk is open anywhere.
---@return boolean
function M.is_open()
  return vim.iter(require("pintle.workspace").all()):any(function(here)
    return #M.hunks(here) > 0
  end)
end

-- A buffer with more lines than this is not compared anew at each key.
local AT_ONCE_LINES_MAX = 5000
local LATER_MS = 100

---@type table<integer, true> buffers whose changes are heard of
local heard = {}
---@type table<integer, true> buffers that are to be drawn anew
local touched = {}

---What is known of the files with open hunks of all shown sessions, by the real path.
---@return table<string, pintle.KnownFile[]>
local function known_files()
  local known = {}
  for _, here in ipairs(require("pintle.workspace").all()) do
    for _, id in ipairs(M.sessions(here)) do
      local review = of(id)
      local _, by_path = by_file(review.hunks)
      for path, of_file in pairs(by_path) do
        known[path] = known[path] or {}
        table.insert(known[path], { baseline = review.baselines[path], hunks = of_file })
      end
    end
  end
  return known
end

---Draws the hunks of a buffer where its lines are theirs now.
---@param buf integer
local function draw_again(buf)
  local path = buffers.file_of(buf)
  if path then
    show(buf, known_files()[path])
  end
end

---@param buf integer
local function changed(buf)
  if touched[buf] then
    return
  end
  touched[buf] = true
  local function draw()
    touched[buf] = nil
    if vim.api.nvim_buf_is_loaded(buf) then
      draw_again(buf)
    end
  end
  if vim.api.nvim_buf_line_count(buf) > AT_ONCE_LINES_MAX then
    vim.defer_fn(draw, LATER_MS)
  else
    vim.schedule(draw)
  end
end

---Draws a buffer's hunks anew at each change of its text: marks alone move with lines that are others by now.
---@param buf integer
local function hear(buf)
  if heard[buf] then
    return
  end
  heard[buf] = vim.api.nvim_buf_attach(buf, false, {
    on_lines = function()
      changed(buf)
    end,
    on_reload = function()
      changed(buf)
    end,
    on_detach = function()
      heard[buf] = nil
    end,
  }) or nil
end

---Draws the shown sessions' hunks in all buffers.
function M.draw()
  local known = known_files()
  keys.update(M.is_open())
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local path = buffers.file_of(buf)
    if path then
      local file = known[path]
      if file then
        hear(buf)
      end
      show(buf, file)
    end
  end
end

---Asks for the baselines of files that stand in buffers.
---@param here pintle.Workspace
---@param id string
---@param done fun()
local function read_baselines(here, id, done)
  local review = of(id)
  local loaded = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    loaded[buffers.file_of(buf) or ""] = true
  end
  local baselines, open = {}, 1
  local function one_done()
    open = open - 1
    if open == 0 then
      review.baselines = baselines
      done()
    end
  end
  for _, file in ipairs((by_file(review.hunks))) do
    local path = buffers.real(file.path)
    if loaded[path] then
      open = open + 1
      local params = { sessionId = id, path = file.path }
      here.engine:request(protocol.method.review_baseline, params, function(_, result)
        -- Without it the file's hunks are not drawn; the list has them.
        baselines[path] = result
        one_done()
      end)
    end
  end
  one_done()
end

---Asks what is open, and shows it. What happens meanwhile makes it ask again.
---@param here pintle.Workspace
---@param id string The session.
---@param done? fun() Called when what is shown is not older than this call; not when the engine fails.
function M.refresh(here, id, done)
  local review = of(id)
  if done then
    table.insert(review.waiting, done)
  end
  if review.is_asking then
    review.is_stale = true
    return
  end
  review.is_asking, review.is_stale = true, false
  local function over(err)
    review.is_asking = false
    if reviews[id] ~= review then
      return -- the session was closed meanwhile
    end
    if review.is_stale and not err then
      return M.refresh(here, id)
    end
    local waiting = review.waiting
    review.waiting = {}
    if err then
      return log.failed("cannot list the hunks", err)
    end
    M.draw()
    list.fill(here)
    log.emit("Review", { root = here.root, session_id = id, open = #review.hunks })
    for _, each in ipairs(waiting) do
      each()
    end
  end
  here.engine:request(protocol.method.review_list, { sessionId = id }, function(err, result)
    if err or not result then
      return over(err or { code = 0, message = "an empty answer" })
    end
    review.hunks = vim.tbl_map(function(hunk)
      return vim.tbl_extend("error", hunk, { session = id }) --[[@as pintle.OpenHunk]]
    end, result.hunks)
    local state = here.views[id] and here.views[id].state
    for _, hunk in ipairs(state and result.hunks or {}) do
      state.hunks[hunk.id] = hunks.place_name(hunk.path, math.max(1, hunk.after.start), state.cwd)
    end
    read_baselines(here, id, over)
  end)
end

---Fetches the hunks of several sessions.
---@param here pintle.Workspace
---@param ids string[]
---@param done fun() Called when all are shown; not when the engine fails.
function M.refresh_each(here, ids, done)
  local open = #ids
  if open == 0 then
    return done()
  end
  for _, id in ipairs(ids) do
    M.refresh(here, id, function()
      open = open - 1
      if open == 0 then
        done()
      end
    end)
  end
end

---Returns true if a session's hunks are being fetched.
---@param id string
---@return boolean
function M.is_asking(id)
  return of(id).is_asking
end

---Whether something is still to be asked or shown.
---@return boolean
function M.is_busy()
  return vim.iter(pairs(reviews)):any(function(_, review)
    return review.is_asking
  end)
end

---Files were changed while the user looks on: the hunks are asked for, and listed where the settings say so.
---@param here pintle.Workspace
---@param id string
function M.changed(here, id)
  if not vim.list_contains(M.sessions(here), id) then
    return
  end
  M.refresh(here, id, function()
    if config.get().open_quickfix then
      list.show(here)
    end
  end)
end

---Something may have happened to the hunks of a session.
---@param here pintle.Workspace
---@param id string
function M.look(here, id)
  if vim.list_contains(M.sessions(here), id) then
    M.refresh(here, id)
  end
end

---Drops what is known of a session that was closed or deleted.
---@param id string
function M.forget(id)
  reviews[id] = nil
end

local group = vim.api.nvim_create_augroup("pintle_review", { clear = true })
-- A file comes into a buffer, or a person has written it: its hunks may be others.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufWritePost" }, {
  group = group,
  callback = function(event)
    local path = buffers.file_of(event.buf)
    for _, here in ipairs(require("pintle.workspace").all()) do
      for _, id in ipairs(path and M.sessions(here) or {}) do
        local _, by_path = by_file(of(id).hunks)
        if by_path[path] then
          keys.set(event.buf, true)
          M.refresh(here, id)
        end
      end
    end
  end,
})
-- Windows that compare texts line by line have no room for virtual ones.
vim.api.nvim_create_autocmd({ "OptionSet", "WinClosed" }, {
  group = group,
  callback = function(event)
    if event.event == "WinClosed" and overlay.is_bare() or event.event == "OptionSet" and event.match == "diff" then
      vim.schedule(M.draw)
    end
  end,
})
vim.api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(event)
    overlay.forget(event.buf)
  end,
})

return M
