-- A part for a status line: `%{v:lua.require'pintle.statusline'.get()}`, and the bar above the transcript. It starts nothing.

local M = {}

-- From here on it is a warning: what is old is summed up soon.
local WARN_PERCENT = 80

-- How long a turn has run is of interest from here on.
local ELAPSED_MS_MIN = 10000

vim.api.nvim_set_hl(0, "PintleContext", { link = "Comment", default = true })
vim.api.nvim_set_hl(0, "PintleAttention", { link = "WarningMsg", default = true })
vim.api.nvim_set_hl(0, "PintleContextFull", { link = "WarningMsg", default = true })

---A number of tokens, such as `200k`.
---@param tokens integer
---@return string
function M.short(tokens)
  if tokens >= 1000000 then
    return ("%gM"):format(math.floor(tokens / 100000 + 0.5) / 10)
  end
  return tokens >= 1000 and ("%dk"):format(math.floor(tokens / 1000 + 0.5)) or tostring(tokens)
end

---How full the model's window is, such as `62 % of 200k`; nothing where that is not known.
---@param usage? pintle.ContextUsage
---@return string? text
---@return boolean is_nearly_full
function M.meter(usage)
  if not usage or not usage.window or usage.window <= 0 or usage.tokens <= 0 then
    return nil, false
  end
  local percent = math.floor(usage.tokens * 100 / usage.window + 0.5)
  return ("%d %% of %s"):format(percent, M.short(usage.window)), percent >= WARN_PERCENT
end

---What something costs, with as many digits as say something; nothing where it is nothing.
---@param nano_usd integer
---@return string?
function M.cost(nano_usd)
  if nano_usd <= 0 then
    return nil
  end
  local usd = nano_usd / 1e9
  return usd >= 0.1 and ("$%.2f"):format(usd) or ("$%.2g"):format(usd)
end

---How long something has taken, in whole seconds.
---@param ms integer
---@return string
function M.elapsed(ms)
  local seconds = math.floor(ms / 1000)
  return seconds < 60 and ("%d s"):format(seconds) or ("%d min %d s"):format(math.floor(seconds / 60), seconds % 60)
end

---How many requests wait, in words.
---@param count integer
---@return string
function M.asks(count)
  return count == 1 and "1 asks" or count .. " ask"
end

---The bar above a transcript: the session's name, what asks there, how long the turn has run, what it cost, and how full the
---window is.
---@return string
function M.winbar()
  -- The editor makes the window of the bar the current one.
  local chat = require("pintle.chat").of(vim.api.nvim_get_current_buf())
  local here = require("pintle.workspace").find()
  return chat and M.bar(chat.state, vim.api.nvim_win_get_width(0), here and here.engine.watch:silence()) or ""
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub("%%", "%%%%"))
end

---@param state pintle.Session
---@param width integer
---@param unanswered? integer How long the engine has not responded, in milliseconds.
---@return string
function M.bar(state, width, unanswered)
  local parts = {}
  local count = require("pintle.approval").count(state.id)
  if count > 0 then
    parts[#parts + 1] = { M.asks(count), "PintleAttention" }
  end
  local silence = require("pintle.pulse").silence(state)
  local elapsed = require("pintle.pulse").elapsed(state)
  if unanswered then
    parts[#parts + 1] = { ("no response for %s"):format(M.elapsed(unanswered)), "PintleAttention" }
  elseif silence then
    parts[#parts + 1] = { "no data for " .. M.elapsed(silence), "PintleAttention" }
  elseif elapsed and elapsed >= ELAPSED_MS_MIN then
    parts[#parts + 1] = { M.elapsed(elapsed), "PintleContext" }
  end
  local cost = M.cost(require("pintle.session").cost(state))
  if cost then
    parts[#parts + 1] = { cost, "PintleContext" }
  end
  local meter, is_nearly_full = M.meter(state.context)
  if meter then
    parts[#parts + 1] = { meter, is_nearly_full and "PintleContextFull" or "PintleContext" }
  end
  local room, right = width - 1, ""
  for _, part in ipairs(parts) do
    room = room - vim.fn.strdisplaywidth(part[1]) - 1
    right = ("%s%%#%s#%s "):format(right, part[2], escaped(part[1]))
  end
  local name = (require("pintle.session").name(state) or ""):gsub("[%s%c]+", " ")
  return " " .. escaped(require("pintle.notice").cut(name, room - 1)) .. "%=" .. right
end

---@return string
function M.get()
  local status = require("pintle").status()
  if status.engine == "stopped" then
    return ""
  end
  local parts = {}
  if status.engine ~= "ready" then
    parts[1] = "engine " .. status.engine
  else
    parts[1] = status.state or "ready"
  end
  if status.attention > 0 then
    parts[#parts + 1] = M.asks(status.attention)
  end
  if status.queued > 0 then
    parts[#parts + 1] = status.queued .. " queued"
  end
  if status.edits > 0 then
    parts[#parts + 1] = status.edits == 1 and "1 edit" or status.edits .. " edits"
  end
  if status.plan then
    parts[#parts + 1] = status.plan
  end
  if status.hunks > 0 then
    parts[#parts + 1] = status.hunks == 1 and "1 hunk" or status.hunks .. " hunks"
  end
  if status.context then
    parts[#parts + 1] = status.context
  end
  return "pintle: " .. table.concat(parts, ", ")
end

-- The events after which it says something else.
local EVENTS = { "PintleState", "PintleApproval", "PintleQuestion", "PintleReview", "PintleSession" }

---A component for heirline, which is drawn anew when something has changed.
---@return table
function M.heirline()
  return {
    provider = M.get,
    update = {
      "User",
      pattern = EVENTS,
      callback = vim.schedule_wrap(function()
        vim.cmd.redrawstatus()
      end),
    },
  }
end

return M
