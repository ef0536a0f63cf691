-- Two texts of a file side by side in a tab: what it was at the last accepted point, or what is on disk, against the file itself.

local buffers = require("pintle.buffers")
local log = require("pintle.log")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")
local review = require("pintle.review")

local M = {}

---@param path string
---@return string[]
local function read(path)
  -- A carriage return is part of the line in the hunks, and in the file.
  local ok, lines = pcall(vim.fn.readfile, path)
  return ok and lines --[[@as string[] ]] or {}
end

---@param name string
---@param lines string[]
---@param filetype string
---@return integer buf
local function scratch(name, lines, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buf, name)
  vim.bo[buf].bufhidden = "wipe"
  buffers.filled_by(buf, function()
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].modifiable = false
    vim.bo[buf].filetype = filetype
  end)
  return buf
end

---Opens a tab with two texts side by side.
---@param path string
---@param label string
---@param lines string[]
---@param right? string[] instead of the file itself
local function side_by_side(path, label, lines, right)
  local root = require("pintle.config").get().root()
  local filetype = vim.filetype.match({ filename = path }) or ""
  if right then
    vim.cmd("tab split")
    vim.api.nvim_win_set_buf(0, scratch(("pintle://after/%s"):format(buffers.short(path)), right, filetype))
  else
    vim.cmd("tabedit " .. vim.fn.fnameescape(buffers.short(path)))
  end
  if vim.bo.fileformat == "dos" then
    lines = vim.tbl_map(function(line)
      return (line:gsub("\r$", ""))
    end, lines)
  end
  vim.cmd("diffthis")
  vim.cmd("leftabove vsplit")
  vim.api.nvim_win_set_buf(0, scratch(("pintle://%s/%s"):format(label, buffers.short(path)), lines, filetype))
  vim.b.pintle_root = root
  vim.cmd("diffthis")
  vim.cmd("wincmd p")
end

-- The bars of a diff: above the file, and above what it is compared with. Both or none, or the lines would not be level.
local WINBAR = "%#Comment# :w keeps these lines · :q leaves the change open%<"
local OTHER_WINBAR = "%#Comment# the last accepted version%<"

-- Commands that write a file, as one types them. Those that write all files, and plugins that save by themselves, accept nothing.
local WRITES = { "^w$", "^write$", "^up$", "^update$", "^wq$", "^x$", "^xit$", "^exit$" }

---Whether a typed command writes the current file.
---@param line string
---@return boolean
function M.writes(line)
  local word = vim.trim(line):gsub("!$", "")
  return vim.iter(WRITES):any(function(pattern)
    return word:find(pattern) ~= nil
  end)
end

---Makes a typed `:w` in a diff's tab keep the file's hunks, as they are then.
---@param path string
local function accept_on_write(path)
  local buf, tab = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_tabpage()
  local other = vim.fn.win_getid(vim.fn.winnr("#"))
  vim.api.nvim_set_option_value("winbar", WINBAR, { scope = "local", win = 0 })
  vim.api.nvim_set_option_value("winbar", OTHER_WINBAR, { scope = "local", win = other })
  local group = vim.api.nvim_create_augroup("pintle_diff_" .. tab, { clear = true })
  local is_typed = false
  local function is_here()
    return vim.api.nvim_get_current_tabpage() == tab and vim.api.nvim_get_current_buf() == buf
  end
  vim.api.nvim_create_autocmd("CmdlineLeave", {
    group = group,
    pattern = ":",
    callback = function()
      is_typed = is_here() and not vim.v.event.abort and M.writes(vim.fn.getcmdline())
      vim.schedule(function()
        is_typed = false
      end)
    end,
  })
  vim.api.nvim_create_autocmd("BufWritePost", {
    group = group,
    buffer = buf,
    callback = function()
      if not is_typed then
        return
      end
      -- After everybody else has seen that it was written.
      vim.schedule(function()
        require("pintle.decision").accept(path, function()
          if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
            vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
          end
        end)
      end)
    end,
  })
  vim.api.nvim_create_autocmd("TabClosed", {
    group = group,
    callback = function()
      if not vim.api.nvim_tabpage_is_valid(tab) then
        vim.api.nvim_del_augroup_by_id(group)
      end
    end,
  })
end

---Opens a file's diff in a tab: on the left what was accepted last, on the right the file.
---@param here pintle.Workspace
---@param session pintle.SessionId The session that changed it.
---@param path string
function M.open(here, session, path)
  local params = { sessionId = session, path = path }
  here.engine:request(protocol.method.review_baseline, params, function(err, result)
    if err or not result then
      return log.failed("no diff", err or { code = 0, message = "an empty answer" })
    elseif result.exists and not result.text then
      return log.say(("%s was not text"):format(buffers.short(path)))
    end
    local before = vim.split(result.text or "", "\n", { plain = true })
    if before[#before] == "" then
      before[#before] = nil
    end
    local is_gone = not vim.uv.fs_stat(path)
    side_by_side(path, "before", before, is_gone and {} or nil)
    if not is_gone then
      accept_on_write(path)
    end
  end)
end

---@class (exact) pintle.DiffChoice
---@field label string
---@field path string
---@field open fun()

---@class (exact) pintle.SessionLines How many lines a session has added and removed.
---@field session pintle.SessionId
---@field added integer
---@field removed integer

---@param found pintle.OpenHunk[]
---@return pintle.SessionLines[]
local function by_session(found)
  local all, of = {}, {} ---@type pintle.SessionLines[], table<string, pintle.SessionLines>
  for _, hunk in ipairs(found) do
    local lines = of[hunk.session] or { session = hunk.session, added = 0, removed = 0 }
    if not of[hunk.session] then
      of[hunk.session] = lines
      all[#all + 1] = lines
    end
    lines.added, lines.removed = lines.added + hunk.after.count, lines.removed + hunk.before.count
  end
  return all
end

---What there is to show: unsaved changes that stand against the disk, then the files with open hunks.
---@param here? pintle.Workspace
---@return pintle.DiffChoice[]
function M.choices(here)
  local choices = {}
  for _, conflict in ipairs(buffers.conflicts()) do
    choices[#choices + 1] = {
      label = ("%s: the file on disk compared with your unsaved buffer"):format(buffers.short(conflict.path)),
      path = conflict.path,
      open = function()
        side_by_side(vim.api.nvim_buf_get_name(conflict.buf), "disk", read(conflict.path))
      end,
    }
  end
  for _, file in ipairs(review.files(here)) do
    for _, each in ipairs(by_session(file.hunks)) do
      local edit = require("pintle.inline").request(each.session)
      local request = edit and ", edit: " .. edit or ""
      choices[#choices + 1] = {
        label = ("%s +%d -%d%s"):format(buffers.short(file.path), each.added, each.removed, request),
        path = file.path,
        open = function()
          M.open(assert(here, "without a workspace there are no hunks"), each.session, file.path)
        end,
      }
    end
  end
  return choices
end

---@param here? pintle.Workspace
---@param name? string
local function pick(here, name)
  local choices = M.choices(here)
  if name then
    local path = vim.fs.normalize(vim.fn.fnamemodify(name, ":p"))
    choices = vim.tbl_filter(function(choice)
      return paths.is_same(vim.fs.normalize(choice.path), path)
    end, choices)
  end
  if #choices == 0 then
    return log.say(name and ("no open changes in " .. name) or "no open changes")
  elseif #choices == 1 then
    return choices[1].open()
  end
  require("pintle.picker").select(choices, {
    prompt = "Which diff?",
    kind = "pintle_diff",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    choice.open()
  end)
end

---Shows a diff; asks which where there are several.
---@param here? pintle.Workspace
---@param name? string a file's name
function M.pick(here, name)
  if not here or #review.sessions(here) == 0 then
    return pick(nil, name)
  end
  review.refresh_each(here, review.sessions(here), function()
    pick(here, name)
  end)
end

return M
