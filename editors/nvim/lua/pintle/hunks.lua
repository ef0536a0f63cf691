-- Hunks against texts: the text that the engine saw, and where its hunks stand in the text of a buffer. Pure.
--
-- Invariant: a hunk gets a place only where the buffer holds the very lines that it is about.

local diff = require("pintle.compat").diff

local M = {}

---@class (exact) pintle.OpenHunk: pintle.Hunk A hunk, and the session whose agent made it.
---@field session pintle.SessionId

---@class (exact) pintle.Place Where a hunk stands in a buffer.
---@field hunk pintle.OpenHunk
---@field row integer The first line, from 0; of no lines, the line that they stand before.
---@field count integer

---A key that is unique across sessions; hunk ids are unique only within one.
---@param hunk pintle.OpenHunk
---@return string
function M.key(hunk)
  return hunk.session .. " " .. hunk.id
end

---Cuts a text into lines, each with its end.
---@param text string
---@return string[]
function M.pieces(text)
  local found = {}
  for piece in text:gmatch("[^\n]*\n?") do
    if piece ~= "" then
      found[#found + 1] = piece
    end
  end
  return found
end

---Lines as a buffer holds them.
---@param text string
---@param is_dos? boolean Whether a carriage return before a line's end belongs to the end.
---@return string[]
function M.lines(text, is_dos)
  return vim.tbl_map(function(piece)
    local line = piece:gsub("\n$", "")
    return is_dos and (line:gsub("\r$", "")) or line
  end, M.pieces(text))
end

---The text that the engine saw: the baseline with all open hunks of the file done to it.
---@param baseline pintle.ReviewBaselineResult
---@param hunks pintle.Hunk[] The file's, sorted by line.
---@return string? text nil where hunks and baseline do not belong together, or the file is no text or is gone
function M.seen(baseline, hunks)
  local old, new, at = M.pieces(baseline.text or ""), {}, 1
  for _, hunk in ipairs(hunks) do
    if hunk.kind == "file" then
      return hunk.newText ~= "" and hunk.newText or nil
    elseif hunk.kind == "lines" then
      local first = hunk.before.start
      if first < at or first > #old + 1 then
        return nil
      end
      vim.list_extend(new, old, at, first - 1)
      at = first + hunk.before.count
      if table.concat(old, "", first, math.min(at - 1, #old)) ~= hunk.oldText then
        return nil
      end
      new[#new + 1] = hunk.newText
    end
  end
  vim.list_extend(new, old, at)
  return table.concat(new)
end

---Which line of another text each line is, where it was not changed.
---@param from string[]
---@param to string[]
---@return table<integer, integer> both from 1
local function map(from, to)
  local mapped, at, shift = {}, 1, 0
  local function text(lines)
    return #lines == 0 and "" or table.concat(lines, "\n") .. "\n"
  end
  local blocks = diff(text(from), text(to), { result_type = "indices" })
  ---@cast blocks integer[][]
  blocks[#blocks + 1] = { #from + 1, 0, #to + 1, 0 }
  for _, block in ipairs(blocks) do
    local first, count, new_count = block[1], block[2], block[4]
    -- Of no lines, the diff names the line before them.
    local stop = count == 0 and first or first - 1
    for line = at, math.min(stop, #from) do
      mapped[line] = line + shift
    end
    at, shift = stop + count + 1, shift + new_count - count
  end
  return mapped
end

---Whether lines contain others one after another.
---@param lines string[]
---@param part string[]
---@param first integer where to look, from 1
---@param last integer
---@return boolean
local function contains(lines, part, first, last)
  for start = first, last - #part + 1 do
    if vim.deep_equal(vim.list_slice(lines, start, start + #part - 1), part) then
      return true
    end
  end
  return false
end

---Where hunks stand in a buffer's lines; those whose lines are others there are left out, as are deleted lines that are back.
---@param seen string[] The lines that the engine saw.
---@param lines string[] Those of the buffer.
---@param hunks pintle.OpenHunk[]
---@return pintle.Place[]
function M.places(seen, lines, hunks)
  local mapped = not vim.deep_equal(seen, lines) and map(seen, lines) or nil
  ---@param line integer
  ---@return integer?
  local function line_of(line)
    if mapped then
      return mapped[line]
    end
    return line >= 1 and line <= #lines and line or nil
  end
  local places = {}
  for _, hunk in ipairs(hunks) do
    local first, count = hunk.after.start, hunk.after.count
    local row = line_of(first)
    if hunk.kind == "mode" or hunk.kind == "file" and hunk.newText == "" then
      row = nil
    elseif count == 0 then
      local before, after = line_of(first - 1), row
      row = row or before and before + 1 or #seen == 0 and 1 or nil
      local to = after and after - 1 or #lines
      local from = before and before + 1 or first == 1 and 1 or row
      local old = M.lines(hunk.oldText)
      if mapped and from and #old > 0 and contains(lines, old, from, to) then
        row = nil
      end
    else
      for offset = 1, count - 1 do
        if not row or line_of(first + offset) ~= row + offset then
          row = nil
          break
        end
      end
    end
    if row then
      places[#places + 1] = { hunk = hunk, row = row - 1, count = count }
    end
  end
  return places
end

---What a decision about some lines of a hunk is about. The lines before go with those now one by one; the rest of them
---goes with the last one.
---@param place pintle.Place
---@param first integer The first chosen line of the buffer, from 1.
---@param last integer
---@return pintle.ReviewTarget? target nil where none of the hunk's lines was chosen
function M.target(place, first, last)
  local hunk = place.hunk
  local from = math.max(first, place.row + 1) - place.row
  local to = math.min(last, place.row + place.count) - place.row
  if place.count == 0 then
    local is_chosen = first <= place.row + 1 and last >= place.row
    return is_chosen and { type = "hunk", hunk = hunk.id, changedSeq = hunk.changedSeq } or nil
  elseif from > to then
    return nil
  elseif from == 1 and to == place.count then
    return { type = "hunk", hunk = hunk.id, changedSeq = hunk.changedSeq }
  end
  local lines = { new = { start = from, count = to - from + 1 } }
  local old_to = to == place.count and hunk.before.count or math.min(to, hunk.before.count)
  if old_to >= from then
    lines.old = { start = from, count = old_to - from + 1 }
  end
  return { type = "lines", hunk = hunk.id, changedSeq = hunk.changedSeq, lines = lines }
end

---A place in a file, for messages: its path, relative where the file is in the directory, and the line.
---@param path string
---@param line? integer
---@param cwd? string
---@return string
function M.place_name(path, line, cwd)
  local is_inside = cwd and vim.startswith(path, cwd .. "/")
  local name = is_inside and path:sub(#cwd + 2) or path
  return line and ("%s:%d"):format(name, line) or name
end

---A message of the engine in the user's terms: hunks by their places instead of ids.
---@param text string
---@param names table<pintle.HunkId, string> The places of hunks.
---@return string
function M.reworded(text, names)
  text = text:gsub("hunk (%d+%.%d+)", function(id)
    return names[id] and "the hunk at " .. names[id] or "the hunk"
  end)
  text = text:gsub(" %(changedSeq is %d+ now%)", "")
  return (text:gsub("; list the hunks again", "; :Pintle review lists the open ones"))
end

---A hunk in a line, for a list.
---@param hunk pintle.Hunk
---@return string
function M.label(hunk)
  local added, removed = hunk.after.count, hunk.before.count
  if hunk.kind == "mode" then
    return "mode changed"
  elseif hunk.kind == "file" and hunk.newText == "" and hunk.oldText ~= "" then
    return ("file removed, -%d"):format(removed)
  elseif hunk.kind == "file" and hunk.newText == "" and hunk.oldText == "" then
    return "file changed"
  end
  local text = M.lines(hunk.newText ~= "" and hunk.newText or hunk.oldText, true)[1] or ""
  local word = hunk.waiting and "decided" or hunk.state ~= "pending" and hunk.state or hunk.cause
  local state = word and (" (%s)"):format(word) or ""
  return ("+%d -%d%s %s"):format(added, removed, state, vim.trim(text))
end

return M
