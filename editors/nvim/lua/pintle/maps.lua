-- The keys of the plugin's windows: one table for each, which `g?` shows.

local log = require("pintle.log")

local M = {}

---@class (exact) pintle.Map
---@field modes string|string[]
---@field lhs string
---@field desc string
---@field action string|fun()
---@field expr? boolean

---The keys of a transcript.
---@param chat pintle.Chat
---@return pintle.Map[]
function M.of_transcript(chat)
  local transcript = require("pintle.transcript")
  local function go(by)
    return function()
      transcript.go(chat, by * vim.v.count1)
    end
  end
  local function open_file()
    transcript.open_file(chat)
  end
  return {
    {
      modes = "n",
      lhs = "<CR>",
      desc = "answer the call under the cursor, or open its fold",
      action = function()
        chat:answer()
      end,
    },
    {
      modes = "n",
      lhs = "<LocalLeader>x",
      desc = "stop the call or job under the cursor, or the turn",
      action = function()
        require("pintle.stop").here()
      end,
    },
    { modes = { "n", "x", "o" }, lhs = "]]", desc = "go to the next message", action = go(1) },
    { modes = { "n", "x", "o" }, lhs = "[[", desc = "go to the previous message", action = go(-1) },
    {
      modes = "n",
      lhs = "gy",
      desc = "yank the code block under the cursor",
      action = function()
        transcript.yank_code(chat)
      end,
    },
    { modes = "n", lhs = "gf", desc = "open the file under the cursor, or that of the call", action = open_file },
    { modes = "n", lhs = "gd", desc = "the same", action = open_file },
  }
end

---The keys of a prompt.
---@param workspace pintle.Workspace
---@return pintle.Map[]
function M.of_prompt(workspace)
  local pintle = require("pintle")
  local function recall(lhs, by)
    return function()
      if vim.fn.pumvisible() == 1 or not require("pintle.recall").step(workspace, by) then
        vim.api.nvim_feedkeys(vim.keycode(lhs), "n", false)
      end
    end
  end
  local function send()
    vim.cmd.stopinsert()
    pintle.ask()
  end
  return {
    { modes = "n", lhs = "<CR>", desc = "send the prompt, or steer the running turn", action = pintle.ask },
    { modes = { "n", "i" }, lhs = "<C-s>", desc = "the same, also while typing", action = send },
    { modes = { "n", "i" }, lhs = "<C-CR>", desc = "the same, in terminals that tell this key", action = send },
    { modes = { "n", "i" }, lhs = "<A-CR>", desc = "queue a follow-up, also while typing", action = pintle.queue },
    { modes = "n", lhs = "<LocalLeader>s", desc = "steer the running turn", action = pintle.steer },
    { modes = "n", lhs = "<LocalLeader>q", desc = "queue a follow-up", action = pintle.queue },
    { modes = "n", lhs = "<LocalLeader>x", desc = "stop the turn", action = pintle.stop },
    {
      modes = { "n", "i" },
      lhs = "<Up>",
      desc = "in an empty prompt, recall the previous one",
      action = recall("<Up>", 1),
    },
    { modes = { "n", "i" }, lhs = "<Down>", desc = "then, the one after it", action = recall("<Down>", -1) },
  }
end

---Gives a buffer its keys, and `g?`, which lists them.
---@param buf integer
---@param maps pintle.Map[]
function M.set(buf, maps)
  for _, map in ipairs(maps) do
    vim.keymap.set(map.modes, map.lhs, map.action, { buffer = buf, desc = "pintle: " .. map.desc })
  end
  vim.keymap.set("n", "g?", function()
    M.show(maps)
  end, { buffer = buf, desc = "pintle: list these keys" })
end

---A list of keys, a line each. Pure.
---@param maps pintle.Map[]
---@return string[]
function M.lines(maps)
  local lines, width = {}, 0
  for _, map in ipairs(maps) do
    width = math.max(width, #map.lhs)
  end
  for _, map in ipairs(maps) do
    local modes = type(map.modes) == "table" and table.concat(map.modes, "") or map.modes
    lines[#lines + 1] = ("%-" .. width .. "s  %-3s  %s"):format(map.lhs, modes, map.desc)
  end
  return lines
end

---Shows keys, and does what one of them does when it is chosen.
---@param maps pintle.Map[]
function M.show(maps)
  local lines = M.lines(maps)
  local leader = vim.g.maplocalleader
  log.note("keys:\n" .. table.concat(lines, "\n"))
  local at = 0
  local items = vim.tbl_map(function(map)
    at = at + 1
    return { map = map, label = lines[at] }
  end, maps)
  local prompt = "Keys" .. (leader and leader ~= "" and (", <LocalLeader> is " .. vim.fn.keytrans(leader)) or "")
  require("pintle.picker").select(items, {
    prompt = prompt,
    kind = "pintle_keys",
    format_item = function(item)
      return item.label
    end,
  }, function(item)
    if type(item.map.action) == "function" then
      item.map.action()
    end
  end)
end

return M
