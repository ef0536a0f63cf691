-- Keeps the sizes of windows: what opens takes room from all windows, and what closes gives it back.

local M = {}

---@class (exact) pintle.Sizes
---@field screen integer[] Columns and lines.
---@field windows { win: integer, width: integer, height: integer }[]
---@field layout any As |winlayout()| gives it.

---@class (exact) pintle.Opened
---@field wins table<integer, true> Windows that opened together and are still there.
---@field before pintle.Sizes The sizes before they opened.
---@field came_from integer The window that was current before.

---@type table<integer, pintle.Opened[]> by tab, the oldest first
local opened = {}

---@return { win: integer, width: integer, height: integer }[]
local function windows()
  local found = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_config(win).relative == "" then
      found[#found + 1] =
        { win = win, width = vim.api.nvim_win_get_width(win), height = vim.api.nvim_win_get_height(win) }
    end
  end
  return found
end

-- How often sizes are set until they are as wanted; mostly once.
local ROUNDS_MAX = 5

---@return pintle.Sizes
local function measure()
  return { screen = { vim.o.columns, vim.o.lines }, windows = windows(), layout = vim.fn.winlayout() }
end

---Sets sizes, with other windows of a fixed size than usual.
---@param set fun(fix: fun(win: integer, is_fixed: boolean))
local function with_fixed(set)
  local values = {} ---@type { win: integer, height: boolean, width: boolean }[]
  local function fix(win, height, width)
    vim.api.nvim_set_option_value("winfixheight", height, { scope = "local", win = win })
    vim.api.nvim_set_option_value("winfixwidth", width, { scope = "local", win = win })
  end
  for _, each in ipairs(windows()) do
    local options = vim.wo[each.win]
    values[#values + 1] = { win = each.win, height = options.winfixheight, width = options.winfixwidth }
    fix(each.win, false, false)
  end
  set(function(win, is_fixed)
    fix(win, is_fixed, is_fixed)
  end)
  for _, each in ipairs(values) do
    fix(each.win, each.height, each.width)
  end
end

---Windows by their depth in a layout, those that span more of the screen first.
---@param layout any as |winlayout()| gives it
---@return integer[]
local function by_depth(layout)
  local found, level = {}, { layout }
  while #level > 0 do
    local deeper = {}
    for _, part in ipairs(level) do
      if part[1] == "leaf" then
        found[#found + 1] = part[2]
      else
        vim.list_extend(deeper, part[2])
      end
    end
    level = deeper
  end
  return found
end

---Gives windows their sizes back, if the same ones are there on a screen of the same size.
---@param before pintle.Sizes
local function restore(before)
  local function ids(list)
    return vim.tbl_map(function(each)
      return each.win
    end, list)
  end
  local is_same = vim.deep_equal(before.screen, { vim.o.columns, vim.o.lines })
    and vim.deep_equal(ids(before.windows), ids(windows()))
  if not is_same then
    return require("pintle.layout").level()
  end
  local cmdheight = vim.o.cmdheight
  local sizes = {} ---@type table<integer, { win: integer, width: integer, height: integer }>
  for _, each in ipairs(before.windows) do
    sizes[each.win] = each
  end
  with_fixed(function(fix)
    for _ = 1, ROUNDS_MAX do
      for _, each in ipairs(before.windows) do
        fix(each.win, false)
      end
      -- A window trades with its neighbors, but not with those that have their size already.
      for _, win in ipairs(by_depth(before.layout)) do
        vim.api.nvim_win_set_width(win, sizes[win].width)
        vim.api.nvim_win_set_height(win, sizes[win].height)
        fix(win, true)
      end
      if vim.deep_equal(windows(), before.windows) then
        return
      end
    end
  end)
  vim.o.cmdheight = cmdheight
end

---Makes windows that grew while others opened as small as before, such as a prompt above which a list has opened. Their lines go
---to windows that have shrunk. With many windows above each other, some stay a little larger.
---@param before pintle.Sizes
local function shrink_grown(before)
  local was = {} ---@type table<integer, integer>
  for _, each in ipairs(before.windows) do
    was[each.win] = each.height
  end
  local current = vim.api.nvim_get_current_win()
  with_fixed(function(fix)
    for _ = 1, ROUNDS_MAX do
      local grown = {} ---@type integer[]
      for _, each in ipairs(windows()) do
        local height = was[each.win]
        fix(each.win, not height or each.height >= height)
        if height and each.height > math.max(height, each.win == current and vim.o.winheight or 0) then
          grown[#grown + 1] = each.win
        end
      end
      if #grown == 0 then
        return
      end
      -- Lines that a window gives to a column of others go to the lowest one of these, which may have grown then.
      for _, win in ipairs(grown) do
        vim.api.nvim_win_set_height(win, was[win])
      end
    end
  end)
end

---@param tab integer
---@param entry pintle.Opened
local function closed(tab, entry)
  local stack = opened[tab] or {}
  for at, each in ipairs(stack) do
    if each == entry then
      table.remove(stack, at)
      -- A later one opened beside this one, which is gone: its measures are of no use.
      if stack[at] then
        stack[at].before = entry.before
      elseif vim.api.nvim_get_current_tabpage() == tab then
        restore(entry.before)
      end
    end
  end
end

---Whether an error says that the screen has no room for another window.
---@param why any
---@return boolean
local function is_room(why)
  return tostring(why):find("E36:", 1, true) ~= nil
end

---Raises the error with which the editor refuses a split.
---@return any
function M.no_room()
  error("E36: Not enough room", 0)
end

---Does something that opens windows. Where there is no room for all of them, those that were opened are closed again.
---@param open fun()
---@return boolean is_done
function M.try(open)
  local known = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    known[win] = true
  end
  local here, before = vim.api.nvim_get_current_win(), measure()
  local ok, why = xpcall(open, function(why)
    return is_room(why) and why or debug.traceback(why, 2)
  end)
  if ok then
    return true
  elseif not is_room(why) then
    error(why, 0)
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if not known[win] then
      vim.api.nvim_win_close(win, true)
    end
  end
  if vim.api.nvim_win_is_valid(here) then
    vim.api.nvim_set_current_win(here)
  end
  restore(before)
  return false
end

---Opens windows, while no other one grows. When all of them are closed again, the others have the sizes that they had before, and
---the focus goes back. Where there is no room for them, that is said.
---@param open fun()
---@return boolean is_open
function M.keeping(open)
  local tab, before = vim.api.nvim_get_current_tabpage(), measure()
  local came_from = vim.api.nvim_get_current_win()
  if not M.try(open) then
    require("pintle.log").warn("screen too small: enlarge it, or close other windows")
    return false
  end
  local wins = {}
  for _, each in ipairs(vim.api.nvim_get_current_tabpage() == tab and windows() or {}) do
    wins[each.win] = true
  end
  for _, each in ipairs(before.windows) do
    wins[each.win] = nil
  end
  if not next(wins) then
    return true
  end
  if require("pintle.layout").is_over_code(came_from) then
    for win in pairs(wins) do
      require("pintle.layout").float_over(win)
    end
    restore(before)
  end
  shrink_grown(before)
  local entry = { wins = wins, before = before, came_from = came_from }
  for known in pairs(opened) do
    opened[known] = vim.api.nvim_tabpage_is_valid(known) and opened[known] or nil
  end
  opened[tab] = opened[tab] or {}
  table.insert(opened[tab], entry)
  for win in pairs(vim.deepcopy(wins)) do
    vim.api.nvim_create_autocmd("WinClosed", {
      pattern = tostring(win),
      once = true,
      callback = function()
        wins[win] = nil
        local was_current = vim.api.nvim_get_current_win() == win
        if not next(wins) then
          vim.schedule(function()
            -- First, since the window that is entered grows to 'winwidth'.
            if was_current and vim.api.nvim_win_is_valid(entry.came_from) then
              vim.api.nvim_set_current_win(entry.came_from)
            end
            closed(tab, entry)
          end)
        end
      end,
    })
  end
  return true
end

---A window that spans a part of a layout from edge to edge, if there is one.
---@param part any[] as |winlayout()| gives it
---@param across "row"|"col" how windows lie that span it
---@return integer?
local function spanning(part, across)
  if part[1] == "leaf" then
    return part[2]
  end
  for _, each in ipairs(part[1] == across and part[2] or {}) do
    if each[1] == "leaf" then
      return each[2]
    end
  end
end

---Opens a window at an edge of the tab. All columns or rows of windows make room for it in proportion, not only its neighbors.
---@param room "columns"|"lines" What the window takes of the others.
---@param open fun(): integer
---@return integer win
function M.at_edge(room, open)
  local layout = vim.fn.winlayout() ---@type any
  local is_beside = room == "columns"
  local get = is_beside and vim.api.nvim_win_get_width or vim.api.nvim_win_get_height
  local set = is_beside and vim.api.nvim_win_set_width or vim.api.nvim_win_set_height
  local parts = layout[1] == (is_beside and "row" or "col") and layout[2] or {}
  local spans, sum = {}, 0
  for _, part in ipairs(parts) do
    local win = spanning(part, is_beside and "col" or "row")
    spans[#spans + 1] = win and { win = win, size = get(win) } or nil
    sum = sum + (win and get(win) or 0)
  end
  local win = open()
  if #spans == #parts and #parts > 1 then
    local left = 0
    for _, each in ipairs(spans) do
      left = left + get(each.win)
    end
    for _, each in ipairs(spans) do
      set(each.win, math.max(1, math.floor(left * each.size / sum + 0.5)))
    end
  end
  return win
end

return M
