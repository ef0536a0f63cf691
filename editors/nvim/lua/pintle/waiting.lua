-- Messages that wait, as a buffer: edited, moved and deleted like any text, and what was changed is done by `:w`.

local input = require("pintle.input")
local log = require("pintle.log")
local protocol = require("pintle.protocol")

local M = {}

local TITLE = "# Waiting messages"
local KEYS = { "Edit, move or delete messages, change `steer` and `follow-up`; :w applies it.", "" }

-- What stands for blocks that are no text. They stay with their message.
local WITH = "> with "

-- Of the lines, at most.
local HEIGHT_SHARE = 0.6

local NAMES = { steer = "steer", followUp = "follow-up", prompt = "prompt" }

---@class (exact) pintle.WaitingText A message as it stands in the buffer.
---@field number integer The one that it was when the buffer was filled.
---@field delivery string
---@field text string

---@param queued pintle.QueuedInput
---@return string text, pintle.Input[] others
local function parts(queued)
  local texts, others = {}, {}
  for _, block in ipairs(queued.content) do
    if block.type == "text" then
      texts[#texts + 1] = block.text
    else
      others[#others + 1] = block
    end
  end
  return vim.trim(table.concat(texts, "\n")), others
end

---The lines of the buffer. Pure.
---@param queue pintle.QueuedInput[]
---@return string[]
function M.lines(queue)
  local lines = vim.list_extend({ TITLE, "" }, KEYS)
  for number, queued in ipairs(queue) do
    local text, others = parts(queued)
    lines[#lines + 1] = ("## %d %s"):format(number, NAMES[queued.delivery] or queued.delivery)
    lines[#lines + 1] = ""
    vim.list_extend(lines, vim.split(text, "\n", { plain = true }))
    for _, block in ipairs(others) do
      lines[#lines + 1] = WITH .. input.shown({ block })
    end
    lines[#lines + 1] = ""
  end
  return lines
end

---The messages that stand in lines. Pure.
---@param lines string[]
---@return pintle.WaitingText[]
function M.parse(lines)
  local found, texts = {}, {}
  for _, line in ipairs(lines) do
    local number, delivery = line:match("^## (%d+) (%S+)%s*$")
    if number then
      found[#found + 1] = { number = tonumber(number), delivery = delivery, text = "" }
      texts[#found] = {}
    elseif #found > 0 and not vim.startswith(line, WITH) then
      table.insert(texts[#found], line)
    end
  end
  for at, each in ipairs(found) do
    each.text = vim.trim(table.concat(texts[at], "\n"))
  end
  return found
end

---@class (exact) pintle.QueueStep
---@field method string
---@field params table

---What is to be done so that the queue becomes what stands in the buffer. Pure.
---@param queue pintle.QueuedInput[] as the buffer was filled
---@param wanted pintle.WaitingText[]
---@return pintle.QueueStep[]? steps, string? why
function M.plan(queue, wanted)
  local steps, is_wanted, deliveries = {}, {}, {}
  for delivery, name in pairs(NAMES) do
    deliveries[name] = delivery
  end
  local function update(queued, change)
    local params = vim.tbl_extend("error", { itemId = queued.itemId }, change)
    steps[#steps + 1] = { method = protocol.method.queue_update, params = params }
  end
  for _, each in ipairs(wanted) do
    local queued = queue[each.number]
    if not queued then
      return nil, ("no message %d: write new messages in the prompt"):format(each.number)
    elseif is_wanted[each.number] then
      return nil, ("message %d occurs twice"):format(each.number)
    elseif not deliveries[each.delivery] then
      return nil, ("message %d: `%s` must be `steer` or `follow-up`"):format(each.number, each.delivery)
    end
    is_wanted[each.number] = true
  end
  local gone = {}
  for number, queued in ipairs(queue) do
    if not is_wanted[number] then
      gone[#gone + 1] = queued.itemId
    end
  end
  if #gone > 0 then
    steps[1] = { method = protocol.method.queue_remove, params = { itemIds = gone } }
  end
  local is_moved, last = false, 0
  for _, each in ipairs(wanted) do
    local queued = queue[each.number]
    local text, others = parts(queued)
    is_moved = is_moved or each.number < last
    last = each.number
    if deliveries[each.delivery] ~= queued.delivery then
      update(queued, { delivery = deliveries[each.delivery] })
    end
    if each.text ~= text then
      local words = each.text ~= "" and { { type = "text", text = each.text } } or {}
      update(queued, { input = vim.list_extend(words, others) })
    end
  end
  for _, each in ipairs(is_moved and wanted or {}) do
    update(queue[each.number], { toEnd = true })
  end
  return steps
end

---@param buf integer
---@param queue pintle.QueuedInput[]
local function fill(buf, queue)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, M.lines(queue))
  vim.bo[buf].modified = false
end

---Does the steps one after the other.
---@param here pintle.Workspace
---@param id string
---@param steps pintle.QueueStep[]
---@param done fun()
local function run(here, id, steps, done)
  local function step(at)
    if not steps[at] then
      return done()
    end
    local params = vim.tbl_extend("error", { sessionId = id }, steps[at].params)
    local view = here.views[id]
    for _, item_id in ipairs(view and params.itemIds or {}) do
      view.state.dropped[item_id] = true
    end
    here.engine:request(steps[at].method, params, function(err)
      if err then
        log.failed("not changed", err)
        return done()
      end
      step(at + 1)
    end)
  end
  step(1)
end

---Shows the messages that wait.
function M.open()
  local here = require("pintle.workspace").find()
  local view = here and here:view()
  if not here or not view or #view.state.queue == 0 then
    return log.say("no waiting messages")
  end
  local id, queue = view.state.id, {}
  local buf = vim.api.nvim_create_buf(false, true)
  require("pintle.buffers").name(buf, "waiting", here.root)
  vim.b[buf].pintle_root = here.root
  vim.bo[buf].buftype, vim.bo[buf].bufhidden = "acwrite", "wipe"
  require("pintle.buffers").filled_by(buf, function()
    queue = vim.deepcopy(view.state.queue)
    fill(buf, queue)
    require("pintle.looks").dress(buf, "pintle-text")
    -- A parser of Neovim 0.12-dev stops the editor with an error where whole paragraphs are deleted.
    vim.treesitter.stop(buf)
    vim.bo[buf].syntax = "markdown"
  end)
  local is_open = require("pintle.sizes").keeping(function()
    vim.cmd("botright split")
    vim.wo.winfixbuf = false
    vim.api.nvim_win_set_buf(0, buf)
    vim.api.nvim_win_set_height(0, math.min(vim.api.nvim_buf_line_count(buf), math.floor(vim.o.lines * HEIGHT_SHARE)))
  end)
  if not is_open then
    return vim.api.nvim_buf_delete(buf, { force = true })
  end
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      local steps, why = M.plan(queue, M.parse(vim.api.nvim_buf_get_lines(buf, 0, -1, false)))
      if not steps then
        return log.error("not changed: " .. why)
      end
      vim.bo[buf].modified = false
      run(here, id, steps, function()
        here.engine:request(protocol.method.queue_list, { sessionId = id }, function(err, result)
          if err or not result or not vim.api.nvim_buf_is_valid(buf) then
            return
          end
          queue = result.queue
          fill(buf, queue)
          log.say(#queue == 1 and "1 waiting message" or ("%d waiting messages"):format(#queue))
        end)
      end)
    end,
  })
end

return M
