-- What a rewind would do, as the lines of a panel: items of the conversation, files, and the diffs of these.

local notice = require("pintle.notice")
local panel = require("pintle.panel")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")

local M = {}

local OWNERS = { agent = "the agent's", other = "yours", conflict = "conflict: yours and the agent's" }

M.ACTIONS = {
  restore = "restored",
  remove = "removed",
  leave = "left unchanged",
  lost = "cannot be restored, left unchanged",
  failed = "could not be written",
}

-- Of each file: a longer diff would take a while to draw, and is not read in a preview.
local LINES_MAX = 500

local ESCAPES = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v" }

---The name in a header of a patch, as git quotes it; nil for `/dev/null`. Pure.
---@param text string
---@return string?
local function name_in(text)
  local quoted = text:match('^"(.*)"')
  local name = text:match("^[^\t]*") or text
  if quoted then
    name = quoted:gsub("\\(%d%d%d)", function(octal)
      return string.char(vim.fn.str2nr(octal, 8))
    end)
    name = name:gsub("\\(.)", function(char)
      return ESCAPES[char] or char
    end)
  end
  return name ~= "/dev/null" and name:gsub("^[ab]/", "") or nil
end

---The hunks of a patch by file, with the paths as it has them. Pure.
---@param patch string
---@return table<string, string>
function M.diffs(patch)
  local found, name = {}, nil
  local hunks = {}
  local is_head = false
  local function finish()
    if name and #hunks > 0 then
      found[name] = table.concat(hunks, "\n")
    end
    name, hunks = nil, {}
  end
  for _, line in ipairs(vim.split(patch, "\n", { plain = true })) do
    if vim.startswith(line, "diff --git ") then
      finish()
      is_head = true
    elseif is_head and line:find("^[-+][-+][-+] ") then
      name = name_in(line:sub(5)) or name
    elseif vim.startswith(line, "@@ ") or not is_head and line ~= "" then
      is_head = false
      hunks[#hunks + 1] = line
    end
  end
  finish()
  return found
end

---@param lines pintle.PanelLine[]
---@param diff string
local function add_diff(lines, diff)
  local all = panel.diff(diff)
  vim.list_extend(lines, all, 1, LINES_MAX)
  if #all > LINES_MAX then
    lines[#lines + 1] = { text = ("… (%d more lines)"):format(#all - LINES_MAX), group = "PintlePanelNote" }
  end
end

---The lines of a preview. Pure.
---@param title string
---@param scope pintle.RewindScope
---@param result pintle.SessionRewindResult
---@param cwd string
---@param diffs table<string, string> by path below `cwd`
---@return pintle.PanelLine[]
function M.lines(title, scope, result, cwd, diffs)
  local lines = { { text = "# " .. title, group = "PintlePanelTitle" }, { text = "" } }
  if scope ~= "files" then
    lines[#lines + 1] = { text = ("- the model forgets %d items"):format(#result.dropped) }
    if #result.restored > 0 then
      lines[#lines + 1] = { text = ("- and recalls %d"):format(#result.restored) }
    end
  end
  if scope == "conversation" then
    return lines
  end
  local files = result.files or {}
  if #files == 0 then
    lines[#lines + 1] = { text = "- no files have changed since" }
  end
  for _, file in ipairs(files) do
    local path = notice.visible(paths.short(cwd, file.path))
    local owner, action = OWNERS[file.owner] or file.owner, M.ACTIONS[file.action] or file.action
    lines[#lines + 1] = { text = ("- %s: %s (%s)"):format(path, action, owner) }
    local diff = (file.action == "restore" or file.action == "remove") and diffs[paths.below(cwd, file.path) or ""]
    if diff then
      add_diff(lines, diff)
    end
  end
  return lines
end

---Reads the diffs that a rewind would make, if it would change files. Without them, the preview has only the names.
---@param engine pintle.Engine
---@param session_id string
---@param result pintle.SessionRewindResult
---@param done fun(diffs: table<string, string>)
function M.read_diffs(engine, session_id, result, done)
  local changes = vim.iter(result.files or {}):any(function(file)
    return file.action == "restore" or file.action == "remove"
  end)
  if not changes then
    return done({})
  end
  local params = { sessionId = session_id, from = { seq = result.fromSeq }, to = { seq = result.toSeq } }
  engine:request(protocol.method.checkpoint_diff, params, function(err, answer)
    done(not err and answer and M.diffs(answer.text) or {})
  end)
end

return M
