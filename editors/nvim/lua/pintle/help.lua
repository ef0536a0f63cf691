-- `:Pintle help [TOPIC]`: the engine's guides, as the engine prints them. Needs no session and no running engine.

local log = require("pintle.log")

local M = {}

-- Printing a page takes milliseconds; this is for a program that hangs.
local TIMEOUT_MS = 5000

---@class (exact) pintle.Topic
---@field topic string
---@field summary string

---@type table<string, pintle.Topic[]> topics by the path of the engine
local known = {}

---Runs `pintle help …` and waits for what it prints.
---@param args string[]
---@return string? printed, string? why
local function print(args)
  local path, why = require("pintle.engine").locate()
  if not path then
    return nil, why
  end
  local ok, result = pcall(function()
    return vim.system({ path, "help", unpack(args) }, { text = true }):wait(TIMEOUT_MS)
  end)
  if ok and result.code == 0 then
    return result.stdout
  end
  local said = ok and vim.trim(result.stderr or ""):gsub("^pintle: ", "") or tostring(result)
  return nil, said ~= "" and said or ("`%s help` failed"):format(path)
end

---Returns the topics; none where the engine cannot tell them.
---@return pintle.Topic[] topics, string? why
function M.topics()
  local path = require("pintle.engine").locate() or ""
  if not known[path] then
    local printed, why = print({ "--json" })
    if not printed then
      return {}, why
    end
    known[path] = vim.tbl_map(vim.json.decode, vim.split(vim.trim(printed), "\n"))
  end
  return known[path]
end

---Shows a page.
---@param topic string
local function show(topic)
  local page, why = print({ topic })
  if not page then
    return log.error(why or "no help available")
  end
  require("pintle.page").show("help " .. topic, "help", topic, vim.split(page:gsub("\n$", ""), "\n"))
end

---Shows a guide.
---@param topic? string default: asks for one
function M.open(topic)
  if topic then
    return show(topic)
  end
  local topics, why = M.topics()
  if why then
    return log.error(why)
  end
  local options = {
    prompt = "Help on",
    format_item = function(item)
      return ("%s: %s"):format(item.topic, item.summary)
    end,
  }
  require("pintle.picker").select(topics, options, function(item)
    show(item.topic)
  end)
end

return M
