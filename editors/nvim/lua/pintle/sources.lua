-- What a word in a prompt names and the engine cannot see: what is selected, visible or reported in this editor, and what git,
-- a terminal or the clipboard holds. It is read when the message is sent.

local buffers = require("pintle.buffers")
local input = require("pintle.input")
local paths = require("pintle.paths")

local M = {}

-- The last lines of a terminal and of the messages: what came before is seldom meant.
local LINES_MAX = 200

-- A longer diff or clipboard would leave a model little room to work.
local BYTES_MAX = 100 * 1024

local GIT_TIMEOUT_MS = 10000

-- Nothing that a repository's own configuration names is run.
local GIT_DIFF =
  { "git", "-c", "core.fsmonitor=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", "HEAD" }

---The window of the code: the current one, or the one that the prompt's jumps go to.
---@return integer? win
local function code_window()
  if vim.bo.buftype == "" and vim.api.nvim_buf_get_name(0) ~= "" then
    return vim.api.nvim_get_current_win()
  end
  return require("pintle.layout").other_window()
end

---A text with a title.
---@param title string
---@param text string
---@param language? string
---@return pintle.Input.text
local function titled(title, text, language)
  local fenced = input.fence((text:gsub("%s+$", "")), language)
  return { type = "text", text = ("%s:\n\n%s"):format(title, fenced), verbatim = true }
end

---The last lines of a text that is not empty; the title says if some are left out.
---@param title string
---@param lines string[]
---@return pintle.Input.text?
local function last_lines(title, lines)
  local count = #lines
  while count > 0 and not lines[count]:find("%S") do
    count = count - 1
  end
  if count == 0 then
    return nil
  end
  local first = math.max(1, count - LINES_MAX + 1)
  local note = first > 1 and (", last %d of %d lines"):format(LINES_MAX, count) or ""
  return titled(title .. note, table.concat(lines, "\n", first, count))
end

---@param text string
---@return string? why
local function too_long(text)
  if #text > BYTES_MAX then
    return ("it has %d KB, and the limit is %d KB"):format(math.ceil(#text / 1024), BYTES_MAX / 1024)
  end
end

---Lines of the window of the code.
---@param range fun(): integer, integer the first and the last one, called in that window
---@param none string why there are none
---@return pintle.Input[]? blocks, string? why
local function code_lines(range, none)
  local win = code_window()
  if not win then
    return nil, "no window shows a file"
  end
  local block = vim.api.nvim_win_call(win, function()
    local first, last = range()
    return first > 0 and last <= vim.fn.line("$") and input.selection(first, last) or nil
  end)
  return block and { block }, none
end

---What the editor finds wrong in the workspace, file by file.
---@param root string
---@return pintle.Input[]
local function diagnostics(root)
  local by_path, blocks = {}, {}
  for _, each in ipairs(vim.diagnostic.get()) do
    local path = each.bufnr and buffers.file_of(each.bufnr)
    if path and paths.below(root, path) then
      if not by_path[path] then
        by_path[path] = { type = "diagnostics", path = path, items = {} }
        blocks[#blocks + 1] = by_path[path]
      end
      table.insert(by_path[path].items, require("pintle.diagnostics").attached(each))
    end
  end
  return blocks
end

---The entries of the quickfix list that have a file or a text.
---@return pintle.Input? block
local function quickfix()
  local list = vim.fn.getqflist({ items = 0, title = 0 })
  local lines = {}
  for _, item in ipairs(list.items) do
    local name = item.bufnr > 0 and vim.fn.bufname(item.bufnr) or ""
    local place = name ~= "" and ("%s:%d: "):format(vim.fn.fnamemodify(name, ":."), item.lnum) or ""
    lines[#lines + 1] = place .. vim.trim(item.text)
  end
  if #lines == 0 then
    return nil
  end
  local text = ("The quickfix list, %s:\n\n%s"):format(list.title, table.concat(lines, "\n"))
  return { type = "text", text = text, verbatim = true }
end

---@param result vim.SystemCompleted
---@return string
local function git_failure(result)
  if result.code == 124 then
    return ("git took more than %d s"):format(GIT_TIMEOUT_MS / 1000)
  end
  local message = vim.trim(result.stderr or "")
  if message:lower():find("not a git repository", 1, true) then
    return "the project is not a git repository"
  elseif message:find("'HEAD'", 1, true) then
    return "the repository has no commits yet"
  end
  return message ~= "" and message or ("git ended with code %d"):format(result.code)
end

---The changes of tracked files since the last commit.
---@param root string
---@return pintle.Input[]? blocks, string? why
local function diff(root)
  local options = { cwd = root, timeout = GIT_TIMEOUT_MS, env = { LC_ALL = "C" } }
  local is_started, run = pcall(vim.system, GIT_DIFF, options)
  if not is_started then
    return nil, "git is not installed"
  end
  local result = run:wait()
  if result.code ~= 0 then
    return nil, git_failure(result)
  end
  local text = result.stdout or ""
  if text == "" then
    return nil, "no tracked file has changed since the last commit"
  end
  local why = too_long(text)
  if why then
    return nil, why .. "; attach the files that matter"
  end
  return { titled("The output of `git diff HEAD`", text, "diff") }
end

---The terminal in this tab page, or else the one that was used last.
---@return integer? buf
local function terminal_buffer()
  local found ---@type vim.fn.getbufinfo.ret.item?
  local here = vim.fn.tabpagebuflist()
  for _, info in ipairs(vim.fn.getbufinfo({ bufloaded = 1 })) do
    if vim.bo[info.bufnr].buftype == "terminal" then
      local is_here = vim.list_contains(here, info.bufnr)
      local was_here = found and vim.list_contains(here, found.bufnr)
      if not found or (is_here and not was_here) or (is_here == was_here and info.lastused > found.lastused) then
        found = info
      end
    end
  end
  return found and found.bufnr
end

---@return pintle.Input[]? blocks, string? why
local function terminal()
  local buf = terminal_buffer()
  if not buf then
    return nil, "no terminal is open"
  end
  local title = "The terminal, " .. (vim.b[buf].term_title or vim.api.nvim_buf_get_name(buf))
  local block = last_lines(title, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
  return block and { block }, "the terminal is empty"
end

---@return pintle.Input[]? blocks, string? why
local function messages()
  local lines = vim.split(vim.fn.execute("messages"), "\n", { trimempty = true })
  local block = last_lines("The output of `:messages`", lines)
  return block and { block }, "there are no messages"
end

---@return pintle.Input[]? blocks, string? why
local function clipboard()
  if vim.fn.has("clipboard") == 0 then
    return nil, "this Neovim has no clipboard provider; see `:help clipboard`"
  end
  local text = vim.fn.getreg("+") --[[@as string]]
  if vim.trim(text) == "" then
    return nil, "the clipboard has no text"
  end
  local why = too_long(text)
  if why then
    return nil, why .. "; save it as a file and attach that"
  end
  return { titled("The clipboard's text", text) }
end

-- The words that name a source, each with its description.
M.NAMES = {
  clipboard = "the clipboard's text",
  diagnostics = "the editor's diagnostics",
  diff = "the changes since the last git commit",
  messages = "the editor's last messages",
  quickfix = "the quickfix list",
  selection = "the last selected lines",
  terminal = "the last lines of a terminal",
  visible = "the file's visible lines",
}

---@type table<string, fun(root: string): pintle.Input[]?, string?>
local sources = {
  clipboard = clipboard,
  diagnostics = function(root)
    local blocks = diagnostics(root)
    return #blocks > 0 and blocks or nil, "the open files have no diagnostics"
  end,
  diff = diff,
  messages = messages,
  quickfix = function()
    local block = quickfix()
    return block and { block }, "the quickfix list is empty"
  end,
  selection = function()
    return code_lines(function()
      return vim.fn.line("'<"), vim.fn.line("'>")
    end, "no lines are selected in the file in the other window")
  end,
  terminal = terminal,
  visible = function()
    return code_lines(function()
      return vim.fn.line("w0"), vim.fn.line("w$")
    end, "the file's window is too small")
  end,
}

---The blocks that a source has now.
---@param name string one of `NAMES`
---@param root string
---@return pintle.Input[]? blocks nil where it has none
---@return string? why
function M.read(name, root)
  return sources[name](root)
end

return M
