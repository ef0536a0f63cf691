-- Ten thousand words that stream into a transcript, from the engine or from a program that sends them all at once.

local child = require("child")

local M = { COUNT = 10000, WORDS_OF_LINE = 12 }

---@return string the words, with a line break after every twelfth
function M.text()
  return table.concat(M.words())
end

---@return string[]
function M.words()
  local list = {}
  for number = 1, M.COUNT do
    list[number] = "word" .. number .. (number % M.WORDS_OF_LINE == 0 and "\n" or " ")
  end
  return list
end

---Writes a program that answers as the engine does and sends a turn with each word as a delta, a line each, all at once.
---@return table options for `child.start`
function M.options()
  local dir = child.folder()
  local lines = {}
  local function line(message)
    message.jsonrpc = "2.0"
    lines[#lines + 1] = vim.json.encode(message)
  end
  local function event(fields)
    fields.sessionId = "s"
    line({ method = "session/event", params = fields })
  end
  local item = { id = "i", turnId = "t", step = 1, status = "running", startedMs = 0, type = "agentMessage", text = "" }
  event({ seq = 1, tsMs = 0, turnId = "t", event = { type = "turn.started", model = "m" } })
  event({ seq = 2, tsMs = 0, turnId = "t", event = { type = "item.started", item = item } })
  for number, word in ipairs(M.words()) do
    event({
      after = 2,
      turnId = "t",
      event = { type = "item.delta", itemId = "i", field = "text", n = number - 1, text = word },
    })
  end
  local done = vim.tbl_extend("force", item, { status = "completed", text = M.text() })
  event({ seq = 3, tsMs = 0, turnId = "t", event = { type = "item.completed", item = done } })
  local completed = { type = "turn.completed", status = "completed", stop = "endTurn", steps = 1, durationMs = 0 }
  event({ seq = 4, tsMs = 0, turnId = "t", event = completed })
  child.write(dir .. "/flood", table.concat(lines, "\n") .. "\n")
  local hello =
    { protocol = { name = "pintle", version = "2.0" }, engine = { name = "pintle", version = "0", schemaHash = "" } }
  local made = { sessionId = "s", seq = 0, cwd = dir, model = "m", permissionMode = "full", state = { value = "idle" } }
  local started = { turnId = "t", itemId = "u", disposition = "started" }
  local script = "#!/bin/sh\n"
  for id, result in ipairs({ hello, made, started }) do
    local answer = vim.json.encode({ jsonrpc = "2.0", id = id, result = result })
    script = script .. ("read line; printf '%%s\\n' '%s'\n"):format(answer)
  end
  local binary = child.program(dir .. "/pintle", script .. ("cat '%s/flood'; cat >/dev/null\n"):format(dir))
  return { dir = dir, settings = { binary = binary } }
end

return M
