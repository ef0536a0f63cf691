-- Pictures from the clipboard, by the program of the system that reads them.

local M = {}

-- Reading the clipboard takes milliseconds; this is for a program that hangs.
local TIMEOUT_MS = 5000

-- The four letters name the type of a picture.
local OSASCRIPT = ("write (the clipboard as «class %s») to "):format("PNG" .. "f")
  .. '(open for access POSIX file "%s" with write permission)'
local POWERSHELL = "$i = Get-Clipboard -Format Image; if ($i) { $i.Save('%s', 'Png') } else { exit 1 }"

---@class (exact) pintle.ClipboardTool
---@field name string
---@field when? string A variable that is set where it works.
---@field prints? string[] The command that prints the picture,
---@field writes? fun(path: string): string[] or that writes it to a file.

---@type pintle.ClipboardTool[]
M.tools = {
  { name = "wl-paste", when = "WAYLAND_DISPLAY", prints = { "wl-paste", "--no-newline", "--type", "image/png" } },
  { name = "xclip", when = "DISPLAY", prints = { "xclip", "-selection", "clipboard", "-target", "image/png", "-out" } },
  {
    name = "pngpaste",
    writes = function(path)
      return { "pngpaste", path }
    end,
  },
  {
    name = "osascript",
    writes = function(path)
      return { "osascript", "-e", OSASCRIPT:format(path) }
    end,
  },
  {
    name = "powershell.exe",
    writes = function(path)
      return { "powershell.exe", "-NoProfile", "-Command", POWERSHELL:format(path) }
    end,
  },
}

---The first tool that is there.
---@return pintle.ClipboardTool?
function M.tool()
  return vim.iter(M.tools):find(function(tool)
    return vim.fn.executable(tool.name) == 1 and (not tool.when or vim.env[tool.when] ~= nil)
  end)
end

---Writes the clipboard's picture to a file of its own.
---@return string? path, string? why
function M.save()
  local tool = M.tool()
  if not tool then
    return nil, "reading an image from the clipboard requires wl-paste, xclip, pngpaste, osascript or powershell.exe"
  end
  local folder = vim.fn.stdpath("cache") .. "/pintle/images"
  vim.fn.mkdir(folder, "p", "0o700")
  local path = ("%s/%s.png"):format(folder, os.date("%Y%m%d-%H%M%S"))
  local command = tool.prints or assert(tool.writes, "a tool prints or writes")(path)
  local ok, result = pcall(function()
    return vim.system(command, { text = false }):wait(TIMEOUT_MS)
  end)
  if ok and result.code == 0 and tool.prints then
    local file = io.open(path, "wb")
    if not file then
      return nil, path .. " cannot be written"
    end
    file:write(result.stdout or "")
    file:close()
  end
  local stat = vim.uv.fs_stat(path)
  if not ok or result.code ~= 0 or not stat or stat.size == 0 then
    return nil, "the clipboard contains no image"
  end
  return path
end

return M
