-- Which words of changed lines are others. Pure.

local diff = require("pintle.compat").diff

local M = {}

---@class (exact) pintle.WordRange
---@field line integer The line within its side, from 1.
---@field first integer The first byte, from 0.
---@field last integer The byte after it.

-- Longer lines and hunks are shown without it: nobody reads them word by word.
local LINE_BYTES_MAX = 500
local LINES_MAX = 60

-- Where more of both lines than this is different, they are two lines rather than one that was changed.
local CHANGED_SHARE_MAX = 0.7

---@param line string
---@return string[] words
---@return integer[] starts
local function words_of(line)
  local words, starts, at = {}, {}, 1
  while at <= #line do
    local word = line:match("^[%w_\128-\255]+", at) or line:match("^%s+", at) or line:sub(at, at)
    words[#words + 1], starts[#starts + 1] = word, at - 1
    at = at + #word
  end
  starts[#starts + 1] = #line
  return words, starts
end

---@param words string[]
---@return string
local function joined(words)
  return #words > 0 and table.concat(words, "\n") .. "\n" or ""
end

---Compares two lines.
---@param old string
---@param new string
---@return [integer, integer][] of_old, [integer, integer][] of_new
local function compare(old, new)
  local old_words, old_starts = words_of(old)
  local new_words, new_starts = words_of(new)
  local of_old, of_new, changed = {}, {}, 0
  local blocks = diff(joined(old_words), joined(new_words), { result_type = "indices" })
  ---@cast blocks integer[][]
  for _, block in ipairs(blocks) do
    local old_first, old_count, new_first, new_count = block[1], block[2], block[3], block[4]
    if old_count > 0 then
      ---@diagnostic disable-next-line: undefined-field
      local range = { old_starts[old_first], old_starts[old_first + old_count] }
      changed = changed + range[2] - range[1]
      of_old[#of_old + 1] = range
    end
    if new_count > 0 then
      ---@diagnostic disable-next-line: undefined-field
      local range = { new_starts[new_first], new_starts[new_first + new_count] }
      changed = changed + range[2] - range[1]
      of_new[#of_new + 1] = range
    end
  end
  if changed > CHANGED_SHARE_MAX * (#old + #new) then
    return {}, {}
  end
  return of_old, of_new
end

---The words that differ, where lines of both sides belong together.
---@param old string[]
---@param new string[]
---@return pintle.WordRange[] of_old, pintle.WordRange[] of_new
function M.changed(old, new)
  local of_old, of_new = {}, {}
  if #old == 0 or #new == 0 or #old > LINES_MAX or #new > LINES_MAX then
    return of_old, of_new
  end
  local blocks = diff(joined(old), joined(new), { result_type = "indices", linematch = LINES_MAX })
  ---@cast blocks integer[][]
  for _, block in ipairs(blocks) do
    local old_first, old_count, new_first, new_count = block[1], block[2], block[3], block[4]
    for offset = 0, (old_count == new_count and old_count or 0) - 1 do
      local before, after = old[old_first + offset], new[new_first + offset]
      if #before <= LINE_BYTES_MAX and #after <= LINE_BYTES_MAX then
        local from_old, from_new = compare(before, after)
        for _, range in ipairs(from_old) do
          of_old[#of_old + 1] = { line = old_first + offset, first = range[1], last = range[2] }
        end
        for _, range in ipairs(from_new) do
          of_new[#of_new + 1] = { line = new_first + offset, first = range[1], last = range[2] }
        end
      end
    end
  end
  return of_old, of_new
end

return M
