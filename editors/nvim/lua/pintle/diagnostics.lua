-- What the editor finds wrong, on its way to the engine: gathered, so that a file is told of once for many changes, and only
-- for files in the session's folder.

local paths = require("pintle.paths")
local protocol = require("pintle.protocol")

local M = {}

-- Language servers report a file many times while they look at it.
local GATHER_MS = 100

---@type table<integer, pintle.Severity>
local SEVERITIES = { "error", "warning", "information", "hint" }

---@type table<integer, true> buffers that changed
local waiting = {}
local is_scheduled = false

---@param item vim.Diagnostic
---@return pintle.Severity
local function severity(item)
  return SEVERITIES[
    item.severity --[[@as integer]]
  ] or "information"
end

---A diagnostic that goes with a message.
---@param item vim.Diagnostic
---@return pintle.Diagnostic
function M.attached(item)
  return { line = item.lnum + 1, severity = severity(item), message = item.message, source = item.source }
end

---The diagnostics that touch lines of a buffer, for a message.
---@param buf integer
---@param first integer from 1
---@param last integer
---@return pintle.Input.diagnostics?
function M.of_lines(buf, first, last)
  local items = {}
  for _, each in ipairs(vim.diagnostic.get(buf)) do
    if each.lnum + 1 <= last and (each.end_lnum or each.lnum) + 1 >= first then
      items[#items + 1] = M.attached(each)
    end
  end
  local path = vim.api.nvim_buf_get_name(buf)
  return #items > 0 and { type = "diagnostics", path = path, items = items } or nil
end

---@param item vim.Diagnostic
---@return pintle.EditorDiagnostic
function M.item(item)
  local last = math.max(item.lnum, item.end_lnum or item.lnum)
  return {
    range = { start = item.lnum + 1, ["end"] = last + 1 },
    severity = severity(item),
    message = item.message,
    source = item.source,
    code = item.code and tostring(item.code) or nil,
  }
end

---What is wrong in a buffer; nothing for one whose file is not in the folder.
---@param buf integer
---@param root string
---@return pintle.EditorDiagnosticsParams?
function M.report(buf, root)
  if not vim.api.nvim_buf_is_valid(buf) or vim.bo[buf].buftype ~= "" then
    return nil
  end
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" or not paths.below(root, path) then
    return nil
  end
  local items = vim.tbl_map(M.item, vim.diagnostic.get(buf))
  return { path = path, version = vim.b[buf].changedtick, items = items }
end

---Tells now what waits.
function M.flush()
  is_scheduled = false
  local bufs = waiting
  waiting = {}
  for _, here in ipairs(require("pintle.workspace").all()) do
    local view = here:view()
    for buf in pairs(here.engine.state == "ready" and bufs or {}) do
      local report = view and M.report(buf, here.root)
      if view and report then
        report.sessionId = view.state.id
        -- Nobody waits for it, and one that is lost does no harm.
        here.engine:request(protocol.method.editor_diagnostics, report, function() end)
      end
    end
  end
end

---A buffer's diagnostics are others now.
---@param buf integer
function M.changed(buf)
  waiting[buf] = true
  if not is_scheduled then
    is_scheduled = true
    vim.defer_fn(M.flush, GATHER_MS)
  end
end

return M
