-- Compares and shortens paths by the rules of an operating system. Pure, except `real`.
--
-- On Windows, Neovim writes `C:\work\a.lua`, or `C:/work/a.lua` with 'shellslash', the engine `C:/work/a.lua`, and a server
-- `file:///c%3A/work/a.lua`, all for the same file. Invariant: only this module compares paths. Every function takes the system,
-- so that the rules of Windows are tested on any.

local M = {}

---@alias pintle.System "windows"|"unix"

---@type pintle.System
M.HERE = vim.fn.has("win32") == 1 and "windows" or "unix"

---@param system? pintle.System
---@return boolean
local function is_windows(system)
  return (system or M.HERE) == "windows"
end

---Returns a path in its plain spelling: on Windows with `/`, the drive in upper case, and without the prefix `\\?\`.
---@param path string
---@param system? pintle.System
---@return string
function M.plain(path, system)
  if not is_windows(system) then
    return path
  end
  path = path:gsub("\\", "/"):gsub("^//[?.]/[uU][nN][cC]/", "//"):gsub("^//[?.]/(%a:)", "%1")
  local start, rest = path:match("^(/?)(.*)$")
  return (start .. (rest or ""):gsub("/+", "/"):gsub("^%l:", string.upper))
end

---Cuts a path into its root and names. The root is empty for a relative path.
---@param path string
---@param system? pintle.System
---@return string root, string[] names
local function parts(path, system)
  path = M.plain(path, system)
  local root = is_windows(system) and (path:match("^//[^/]+/[^/]+") or path:match("^%a:/") or path:match("^%a:"))
    or path:match("^/")
    or ""
  local names = vim.tbl_filter(function(name)
    return name ~= "" and name ~= "."
  end, vim.split(path:sub(#root + 1), "/", { plain = true }))
  return root, names
end

---A name as its file system compares it.
---@param name string
---@param system? pintle.System
---@return string
local function folded(name, system)
  return is_windows(system) and vim.fn.tolower(name) or name
end

---Returns true if a path does not depend on a working directory. On Windows, `\a.lua` and `C:a.lua` do.
---@param path string
---@param system? pintle.System
---@return boolean
function M.is_absolute(path, system)
  local root = parts(path, system)
  return root ~= "" and not (is_windows(system) and (root == "/" or root:find("^%a:$")))
end

---Returns the part of a path below a folder, with `/`; nil if it is not below. Links are not followed.
---@param folder string
---@param path string
---@param system? pintle.System
---@return string?
function M.below(folder, path, system)
  local outer_root, outer = parts(folder, system)
  local root, names = parts(path, system)
  -- A path without a root is relative.
  if root == "" or folded(root, system) ~= folded(outer_root, system) or #names <= #outer then
    return nil
  end
  for at, name in ipairs(outer) do
    if folded(name, system) ~= folded(names[at], system) then
      return nil
    end
  end
  return table.concat(names, "/", #outer + 1)
end

---Returns a path for users: relative if it is below the folder, otherwise as it was written.
---@param folder string
---@param path string
---@param system? pintle.System
---@return string
function M.short(folder, path, system)
  return M.below(folder, path, system) or path
end

---Returns true if two paths are spellings of the same one. Links are not followed.
---@param a string
---@param b string
---@param system? pintle.System
---@return boolean
function M.is_same(a, b, system)
  if a == b then
    return true
  end
  local root, names = parts(a, system)
  local other_root, other = parts(b, system)
  local text, other_text = root .. table.concat(names, "/"), other_root .. table.concat(other, "/")
  return folded(text, system) == folded(other_text, system)
end

---Returns a path that may be relative to a folder.
---@param folder string
---@param path string
---@param system? pintle.System
---@return string
function M.from(folder, path, system)
  return M.is_absolute(path, system) and path or folder .. "/" .. path
end

---Returns the path of a `file:` address.
---@param uri string
---@param system? pintle.System
---@return string
function M.of_uri(uri, system)
  if not is_windows(system) then
    return vim.uri_to_fname(uri)
  end
  local host, path = vim.uri_decode(uri):match("^file://([^/]*)(.*)$")
  if not path then
    return vim.uri_to_fname(uri)
  end
  local is_local = host == "" or host == "localhost"
  return M.plain(is_local and (path:gsub("^/(%a:)", "%1")) or "//" .. host .. path, system)
end

---Returns the program in the first absolute folder of a PATH for Windows that has it. Neovim itself would look in the working
---directory first, which is that of a workspace.
---@param name string
---@param path string The value of PATH.
---@param is_file fun(path: string): boolean
---@return string?
function M.search(name, path, is_file)
  -- An entry with a semicolon is quoted.
  local is_quoted = false
  path = path:gsub('[";]', function(character)
    is_quoted = is_quoted ~= (character == '"')
    return character == '"' and "" or is_quoted and ";" or "\0"
  end)
  for _, folder in ipairs(vim.split(path, "\0", { plain = true, trimempty = true })) do
    local file = M.plain(folder, "windows"):gsub("/$", "") .. "/" .. name
    if M.is_absolute(folder, "windows") and is_file(file) then
      return file
    end
  end
end

---Returns a path without links, in its plain spelling; without a file, as it was written.
---@param path string
---@return string
function M.real(path)
  return M.plain(vim.uv.fs_realpath(path) or path)
end

return M
