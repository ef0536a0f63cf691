-- The windows of a workspace: the transcript and below it the prompt, beside the code, over it, or in a tab of their own.
--
-- Windows open at once and the focus moves at once, since a person asked for it; what comes later from the engine is put into
-- them and moves nothing. Their buffers are fixed: a jump to a file goes to another window.

local config = require("pintle.config")
local looks = require("pintle.looks")
local sizes = require("pintle.sizes")

local M = {}

---@alias pintle.Layout "side"|"float"|"tab"

---@alias pintle.Edge "right"|"left"|"bottom"|"top"

M.LAYOUTS = { "side", "float", "tab" }

-- On a narrower screen the transcript stands below the code.
local BESIDE_COLUMNS_MIN = 70

-- A transcript that is narrower cannot be read.
local WIDTH_MIN = 30

-- Of the lines, where the transcript is below the code, or above it.
local LINES_SHARE = 0.6

-- A line of text, and the bar.
local HEIGHT_MIN = 2

-- The keys of the prompt, from the most that there may be room for: while no turn runs, and while one does.
local KEYS = {
  idle = { "<CR> sends · @ files and more · / prompts and skills · :w keeps", "<CR> sends · :w keeps" },
  busy = { "<CR> steers the turn · <A-CR> queues · <LocalLeader>x stops", "<CR> steers · <A-CR> queues" },
}

-- The bar above the prompt.
local WINBAR = "%{%v:lua.require'pintle.layout'.prompt_bar()%}"

---@type table<string, integer> by workspace: the buffer that stands in for a transcript
local stand_ins = {}

---Columns of the windows beside the code.
---@return integer
function M.width()
  local wanted = config.get().width
  if wanted < 1 then
    wanted = math.max(WIDTH_MIN, math.floor(vim.o.columns * wanted + 0.5))
  end
  return math.floor(math.max(1, math.min(wanted, vim.o.columns - 2)))
end

---The longest of some texts that there is room for.
---@param texts string[] from the longest
---@param room integer
---@return string
local function fitting(texts, room)
  for _, text in ipairs(texts) do
    if vim.fn.strdisplaywidth(text) <= room then
      return text
    end
  end
  return ""
end

---The bar above the prompt: its keys, and what the session is set to, as far as there is room.
---@return string
function M.prompt_bar()
  local room = vim.api.nvim_win_get_width(0) - 2
  local workspace = require("pintle.workspace").find()
  local view = workspace and workspace:view()
  local is_busy = view and require("pintle.session").is_busy(view.state)
  local keys = fitting(is_busy and KEYS.busy or KEYS.idle, room)
  local set = view and fitting(require("pintle.settings").summary(view.state), room - vim.fn.strdisplaywidth(keys) - 2)
    or ""
  return ("%%#Comment# %s%%=%s "):format(keys, (set:gsub("%%", "%%%%")))
end

---Lines of the prompt below a transcript, of those that both have.
---@param both integer
---@return integer
local function prompt_height(both)
  return math.max(HEIGHT_MIN, math.min(config.get().prompt_height, math.floor(both / 3)))
end

---The windows of the current tab that show the transcript or the prompt of a workspace.
---@param root string
---@return { chat?: integer, prompt?: integer }
local function windows(root)
  local found = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local role = vim.w[win].pintle_role
    if role and vim.b[vim.api.nvim_win_get_buf(win)].pintle_root == root then
      found[role] = win
    end
  end
  return found
end

---@param win integer
---@param buf integer
local function put(win, buf)
  if vim.api.nvim_win_get_buf(win) ~= buf then
    vim.wo[win].winfixbuf = false
    vim.api.nvim_win_set_buf(win, buf)
    vim.w[win].pintle_folds = nil
  end
end

---@param win integer
---@param role "chat"|"prompt"
local function dress(win, role)
  vim.w[win].pintle_role = role
  if role == "chat" then
    looks.transcript(win)
  else
    for name, value in pairs({
      winfixheight = true,
      winfixwidth = true,
      winbar = WINBAR,
      number = false,
      relativenumber = false,
      signcolumn = "no",
      foldmethod = "manual",
      wrap = true,
    }) do
      vim.api.nvim_set_option_value(name, value, { scope = "local", win = win })
    end
  end
  vim.api.nvim_set_option_value("winfixbuf", true, { scope = "local", win = win })
end

---Puts the cursor of a transcript at its end, so that it follows what comes.
---@param win integer
---@param buf integer
local function to_end(win, buf)
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
end

-- Over floating windows, which have 50.
local OVER_ZINDEX = 60

-- Of both floating windows, without their borders.
local FLOAT_LINES_MIN = 2 * HEIGHT_MIN

---Where the floating windows stand: borders go first where there is little room.
---@return { chat: vim.api.keyset.win_config, prompt: vim.api.keyset.win_config }? places nil where there is no room
local function float_places()
  local columns, lines = vim.o.columns, vim.o.lines - math.max(1, vim.o.cmdheight)
  local border, rows, sides = looks.border()
  if lines < FLOAT_LINES_MIN then
    return nil
  elseif lines - 2 * rows < FLOAT_LINES_MIN then
    border, rows, sides = "none", 0, 0
  end
  local width = math.max(10, math.min(columns - sides - 2, math.floor(columns * 0.9)))
  local both = math.max(FLOAT_LINES_MIN, math.min(lines - 2 * rows, math.floor(lines * 0.9)))
  local below = prompt_height(both)
  local place = { relative = "editor", width = width, border = border }
  place.col = math.max(0, math.floor((columns - width - sides) / 2))
  local top = math.max(0, math.floor((lines - both - 2 * rows) / 2))
  return {
    chat = vim.tbl_extend("force", place, { row = top, height = both - below }),
    prompt = vim.tbl_extend("force", place, { row = top + both - below + rows, height = below }),
  }
end

---@param chat integer
---@param prompt integer
---@return { chat?: integer, prompt?: integer }
local function open_floats(chat, prompt)
  local places = float_places()
  if not places then
    return sizes.no_room()
  end
  local found = {
    chat = vim.api.nvim_open_win(chat, false, places.chat),
    prompt = vim.api.nvim_open_win(prompt, false, places.prompt),
  }
  -- One without the other is of no use, and stands in the way.
  for _, pair in ipairs({ { found.chat, found.prompt }, { found.prompt, found.chat } }) do
    vim.api.nvim_create_autocmd("WinClosed", {
      pattern = tostring(pair[1]),
      once = true,
      callback = vim.schedule_wrap(function()
        if vim.api.nvim_win_is_valid(pair[2]) then
          vim.api.nvim_win_close(pair[2], true)
        end
      end),
    })
  end
  return found
end

---@param chat integer
---@return integer win
local function open_beside(chat)
  local position = config.get().position
  local is_beside = position == "left" or position == "right"
  if is_beside and vim.o.columns >= BESIDE_COLUMNS_MIN then
    local split = position == "left" and "left" or "right"
    local win = sizes.at_edge("columns", function()
      return vim.api.nvim_open_win(chat, false, { split = split, win = -1, width = M.width() })
    end)
    -- A width that a person chooses later is left alone.
    vim.w[win].pintle_width = vim.api.nvim_win_get_width(win)
    return win
  end
  local height = math.max(1, math.floor(vim.o.lines * LINES_SHARE))
  local split = position == "top" and "above" or "below"
  return sizes.at_edge("lines", function()
    return vim.api.nvim_open_win(chat, false, { split = split, win = -1, height = height })
  end)
end

---@param win integer of the transcript
---@param prompt integer
---@return integer win
local function open_prompt(win, prompt)
  local height = prompt_height(vim.api.nvim_win_get_height(win))
  return vim.api.nvim_open_win(prompt, false, { split = "below", win = win, height = height })
end

---@param workspace pintle.Workspace
---@param layout? pintle.Layout
---@param is_tab_new? boolean
local function open(workspace, layout, is_tab_new)
  local prompt = require("pintle.prompt").buffer(workspace)
  local view = workspace:view()
  local chat = view and view.chat:is_alive() and view.chat.buf or M.stand_in(workspace, { "starting …" })
  local found = windows(workspace.root)
  if not found.chat and not found.prompt then
    layout = layout or config.get().layout
    if layout == "tab" then
      if not is_tab_new then
        vim.cmd("tab split")
      end
      found.chat = vim.api.nvim_get_current_win()
      vim.wo[found.chat].winfixbuf = false
      put(found.chat, chat)
    elseif layout == "float" then
      found = open_floats(chat, prompt)
    else
      found.chat = open_beside(chat)
    end
  elseif not found.chat then
    local below = assert(found.prompt, "one of both is open")
    local above = vim.api.nvim_open_win(chat, false, { split = "above", win = below })
    local both = vim.api.nvim_win_get_height(below) + vim.api.nvim_win_get_height(above)
    vim.api.nvim_win_set_height(below, prompt_height(both))
    found.chat = above
  end
  local win = assert(found.chat, "the transcript has a window now")
  if vim.api.nvim_win_get_height(win) < HEIGHT_MIN then
    sizes.no_room()
  end
  put(win, chat)
  dress(win, "chat")
  to_end(win, chat)
  local below = found.prompt or open_prompt(win, prompt)
  dress(below, "prompt")
  vim.api.nvim_set_current_win(below)
end

---The layout of the windows in this tab, if they are open.
---@param root string
---@return pintle.Layout?
local function shown_layout(root)
  local found = windows(root)
  local win = found.chat or found.prompt
  if not win then
    return nil
  elseif vim.api.nvim_win_get_config(win).relative ~= "" then
    return "float"
  end
  local has_others = vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(other)
    return not vim.w[other].pintle_role and vim.api.nvim_win_get_config(other).relative == ""
  end)
  return has_others and "side" or "tab"
end

---Shows the windows of a workspace and goes to the prompt. Windows that are open stay where they are, or move to another layout.
---@param workspace pintle.Workspace
---@param layout? pintle.Layout default: the setting
---@param is_tab_new? boolean Whether the tab was made for them, and has one window.
function M.open(workspace, layout, is_tab_new)
  local shown = shown_layout(workspace.root)
  if layout and shown and shown ~= layout then
    M.close(workspace)
    -- The others get their sizes back first.
    vim.schedule(function()
      M.open(workspace, layout)
    end)
    return
  end
  sizes.keeping(function()
    local is_done = sizes.try(function()
      open(workspace, layout, is_tab_new)
    end)
    -- Floating windows need the least room.
    if not is_done then
      open(workspace, "float")
    end
  end)
end

-- What windows of the plugin show, by the kind in a buffer's name. Texts that a file is compared with are part of its review.
local KINDS = { chat = true, prompt = true, ["no-session"] = true, plan = true, waiting = true, question = true }
KINDS.help, KINDS.log, KINDS.context = true, true, true

---The windows of this tab that show something of a workspace: also those that the user has split, which have no role.
---@param root string
---@return integer[] wins, boolean is_open Whether a transcript or a prompt is among them.
local function own_windows(root)
  local found, is_open = {}, false
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    local kind = vim.api.nvim_buf_get_name(buf):match("^pintle://([^/]+)")
    if kind and KINDS[kind] and (vim.b[buf].pintle_root or root) == root then
      found[#found + 1] = win
      is_open = is_open or kind == "chat" or kind == "prompt" or kind == "no-session"
    end
  end
  -- Those with a role come last, when all windows that they had are the only ones: these get their sizes back then.
  table.sort(found, function(a, b)
    local a_has, b_has = vim.w[a].pintle_role ~= nil, vim.w[b].pintle_role ~= nil
    return a_has ~= b_has and b_has or a_has == b_has and a < b
  end)
  return found, is_open
end

---Whether a transcript or the prompt of a workspace is shown in this tab.
---@param workspace pintle.Workspace
---@return boolean
function M.is_open(workspace)
  local _, is_open = own_windows(workspace.root)
  return is_open
end

---Closes the windows of a workspace in this tab. Where there are no others, an empty one takes their place, or the tab goes.
---@param workspace pintle.Workspace
---@return boolean is_closed False where there were none.
function M.close(workspace)
  -- Changes that were made to the waiting messages and not applied are worth more than an empty place.
  local own = vim.tbl_filter(function(win)
    local buf = vim.api.nvim_win_get_buf(win)
    return not (vim.bo[buf].modified and vim.bo[buf].buftype == "acwrite" and vim.bo[buf].bufhidden == "wipe")
  end, (own_windows(workspace.root)))
  if #own == 0 then
    return false
  end
  local function is_split(win)
    return vim.api.nvim_win_get_config(win).relative == ""
  end
  local others = vim.tbl_filter(function(win)
    return not vim.tbl_contains(own, win) and is_split(win)
  end, vim.api.nvim_tabpage_list_wins(0))
  if #others == 0 and #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose()
    return true
  end
  -- Floating windows cannot be the only ones.
  local last = #others == 0 and vim.iter(own):rev():find(is_split) or nil
  for _, win in ipairs(own) do
    if win ~= last and vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  if last then
    -- Only now is there room for it on a small screen.
    vim.cmd("topleft new")
    vim.wo.winfixbuf = false
    vim.api.nvim_win_close(last, true)
  end
  return true
end

---Gives the prompts of this tab the height that they have below a transcript.
function M.level()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local root = vim.w[win].pintle_role == "prompt" and vim.b[vim.api.nvim_win_get_buf(win)].pintle_root
    local chat = root and windows(root).chat
    if chat and vim.api.nvim_win_get_config(win).relative == "" then
      local both = vim.api.nvim_win_get_height(chat) + vim.api.nvim_win_get_height(win)
      vim.api.nvim_win_set_height(win, prompt_height(both))
    end
  end
end

---Fits floating windows to the size of the screen. Where there is no room, they stay as they are until there is.
function M.fit_floats()
  local places = float_places()
  for _, win in ipairs(places and vim.api.nvim_list_wins() or {}) do
    local role = vim.w[win].pintle_role
    if places and role and vim.api.nvim_win_get_config(win).relative ~= "" then
      vim.api.nvim_win_set_config(win, places[role])
    end
  end
end

---Makes a window one of the plugin's own.
---@param win integer
---@param role "chat"|"prompt"
---@param buf integer
function M.take(win, role, buf)
  put(win, buf)
  dress(win, role)
  to_end(win, buf)
end

---Puts a transcript where another one of the same workspace is shown in a tab; other tabs may show other sessions. The focus
---stays where it is.
---@param workspace pintle.Workspace
---@param chat pintle.Chat
---@param tab? integer default: this one
function M.show(workspace, chat, tab)
  tab = tab or vim.api.nvim_get_current_tabpage()
  for _, win in ipairs(vim.api.nvim_tabpage_is_valid(tab) and vim.api.nvim_tabpage_list_wins(tab) or {}) do
    local shown = vim.api.nvim_win_get_buf(win)
    if vim.w[win].pintle_role == "chat" and vim.b[shown].pintle_root == workspace.root and shown ~= chat.buf then
      put(win, chat.buf)
      dress(win, "chat")
      to_end(win, chat.buf)
    end
  end
end

---Shows again what was shown before a transcript whose session cannot be opened, or says why there is none.
---@param workspace pintle.Workspace
---@param chat pintle.Chat
---@param err pintle.RpcError
function M.give_up(workspace, chat, err)
  local view = workspace:view()
  if not view then
    M.failed(workspace, err)
  end
  local buf = view and view.chat:is_alive() and view.chat.buf or stand_ins[workspace.root]
  for _, win in ipairs(vim.fn.win_findbuf(chat.buf)) do
    put(win, buf)
    dress(win, "chat")
    to_end(win, buf)
  end
end

---The buffer that is shown as long as there is no transcript, with these lines.
---@param workspace pintle.Workspace
---@param lines string[]
---@return integer buf
function M.stand_in(workspace, lines)
  local buf = stand_ins[workspace.root]
  if not buf or not vim.api.nvim_buf_is_loaded(buf) then
    buf = vim.api.nvim_create_buf(false, true)
    require("pintle.buffers").name(buf, "no-session", workspace.root)
    stand_ins[workspace.root] = buf
  end
  require("pintle.buffers").filled_by(buf, function()
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].modifiable = "nofile", "hide", false
    vim.b[buf].pintle_root = workspace.root
  end)
  return buf
end

---Puts a transcript wherever the stand-in is shown, in all tabs.
---@param workspace pintle.Workspace
---@param chat pintle.Chat
---@return integer[] tabs
function M.replace_stand_in(workspace, chat)
  local buf = stand_ins[workspace.root]
  return vim.tbl_map(function(win)
    M.take(win, "chat", chat.buf)
    return vim.api.nvim_win_get_tabpage(win)
  end, buf and vim.fn.win_findbuf(buf) or {})
end

---Says in the place of a transcript why there is none. What was typed into the prompt stays there.
---@param workspace pintle.Workspace
---@param err pintle.RpcError
function M.failed(workspace, err)
  local lines = { "No session: " .. err.message }
  local hint = require("pintle.advice").of(err)
  if hint then
    vim.list_extend(lines, { "", hint })
  end
  vim.list_extend(lines, { "", "Use :Pintle open to try again; see :checkhealth pintle." })
  M.stand_in(workspace, vim.split(table.concat(lines, "\n"), "\n", { plain = true }))
end

---The last window of the current tab that shows something else, which jumps and `wincmd p` go to.
---@return integer?
function M.other_window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local is_float = vim.api.nvim_win_get_config(win).relative ~= ""
    if not is_float and not vim.wo[win].winfixbuf and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == "" then
      return win
    end
  end
end

---Whether a window is one of the plugin's floating ones, which hide the code.
---@param win integer
---@return boolean
function M.is_over_code(win)
  return vim.api.nvim_win_is_valid(win)
    and vim.w[win].pintle_role ~= nil
    and vim.api.nvim_win_get_config(win).relative ~= ""
end

---Makes a window that was opened from a floating one of the plugin float over both of these.
---@param win integer
function M.float_over(win)
  local places = float_places()
  if not places then
    return
  end
  local place, prompt = places.chat, places.prompt
  place.height = math.floor((prompt.row or 0) + (prompt.height or 0) - (place.row or 0))
  place.zindex = OVER_ZINDEX
  if place.border ~= "none" then
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
    place.title = " " .. name:gsub("^pintle://", "") .. " "
  end
  vim.api.nvim_win_set_config(win, place)
end

---Closes the floating windows, if the current one is among them.
function M.uncover()
  local here = M.is_over_code(vim.api.nvim_get_current_win()) and require("pintle.workspace").find()
  if here then
    M.close(here)
  end
end

---Goes to a window that may show a file, making one where there is none.
function M.go_to_code()
  M.uncover()
  local here = vim.api.nvim_get_current_win()
  if not vim.wo[here].winfixbuf and vim.bo.buftype == "" then
    return
  end
  local other = M.other_window()
  if other then
    return vim.api.nvim_set_current_win(other)
  end
  sizes.keeping(function()
    vim.cmd("topleft split")
    vim.wo.winfixbuf = false
  end)
end

local group = vim.api.nvim_create_augroup("pintle_layout", { clear = true })
-- The quickfix list opens a file in the window that was left last, if the buffer of this one is fixed. Where that one is fixed
-- as well it would split the prompt, each time anew.
vim.api.nvim_create_autocmd("WinEnter", {
  group = group,
  callback = function()
    local here = vim.api.nvim_get_current_win()
    local before = vim.fn.win_getid(vim.fn.winnr("#"))
    if not vim.w[here].pintle_role or before == 0 or not vim.w[before].pintle_role then
      return
    end
    local other = M.other_window()
    if other then
      vim.cmd(("noautocmd call win_gotoid(%d) | noautocmd call win_gotoid(%d)"):format(other, here))
    end
  end,
})

---Whether a smaller screen has left a window beside this one no room. The editor takes it from all windows, also from those of a
---fixed width, but only once the others have none.
---@param win integer
---@return boolean
local function is_squeezed(win)
  return vim.iter(vim.api.nvim_tabpage_list_wins(vim.api.nvim_win_get_tabpage(win))):any(function(other)
    local is_code = not vim.w[other].pintle_role and vim.api.nvim_win_get_config(other).relative == ""
    return is_code and vim.api.nvim_win_get_width(other) <= math.max(1, vim.o.winminwidth)
  end)
end

vim.api.nvim_create_autocmd("VimResized", {
  group = group,
  callback = function()
    M.fit_floats()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local width = vim.w[win].pintle_role == "chat" and vim.w[win].pintle_width
      local squeezed = width and is_squeezed(win)
      local is_ours = width and (vim.api.nvim_win_get_width(win) == width or squeezed)
      if is_ours and vim.o.columns >= BESIDE_COLUMNS_MIN then
        vim.api.nvim_win_set_width(win, M.width())
        vim.w[win].pintle_width = vim.api.nvim_win_get_width(win)
        if squeezed then
          vim.api.nvim_win_call(win, function()
            vim.cmd("wincmd =")
          end)
          M.level()
        end
      end
    end
  end,
})

return M
