-- Paths by the rules of each system: every row runs on every system.

local npm = require("pintle.npm")
local paths = require("pintle.paths")

for _, case in ipairs({
  { "windows", "c:\\w\\a.lua", "C:/w/a.lua" },
  { "windows", "C:/w//src\\\\a.lua", "C:/w/src/a.lua" },
  { "windows", "\\\\server\\share\\a.lua", "//server/share/a.lua" },
  { "windows", "\\\\?\\c:\\w\\a.lua", "C:/w/a.lua" },
  { "windows", "\\\\?\\UNC\\server\\share\\a.lua", "//server/share/a.lua" },
  { "windows", "src\\a.lua", "src/a.lua" },
  { "windows", "\\a.lua", "/a.lua" },
  { "unix", "/w/a\\b.lua", "/w/a\\b.lua" },
  { "unix", "c:\\w", "c:\\w" },
}) do
  local system, path, want = unpack(case)
  test(("the plain spelling on %s: %s"):format(system, path), function()
    equal(paths.plain(path, system), want)
  end)
end

for _, case in ipairs({
  -- As Neovim writes it, without and with 'shellslash', the root as `vim.fs` does.
  { "windows", "C:/w", "C:\\w\\src\\a.lua", "src/a.lua" },
  { "windows", "C:/w", "C:/w/src/a.lua", "src/a.lua" },
  { "windows", "c:\\Work Space", "C:/work space/SRC/文件.txt", "SRC/文件.txt" },
  { "windows", "C:/ÄÖ", "c:\\äö\\a.lua", "a.lua" },
  { "windows", "C:\\w\\", "C:\\w\\a.lua", "a.lua" },
  { "windows", "C:/", "C:\\a.lua", "a.lua" },
  { "windows", "C:/w", "C:\\w2\\a.lua", nil },
  { "windows", "C:/w", "C:\\w", nil },
  { "windows", "C:/w", "D:\\w\\a.lua", nil },
  { "windows", "C:/w", "w\\a.lua", nil },
  { "windows", "//server/share/w", "\\\\SERVER\\share\\w\\a.lua", "a.lua" },
  { "windows", "//server/share", "//server/share2/a.lua", nil },
  { "windows", "C:/w", "C:a.lua", nil },
  { "unix", "/w", "/w/a b/文件.txt", "a b/文件.txt" },
  { "unix", "/w/", "/w/a.lua", "a.lua" },
  { "unix", "/", "/w/a.lua", "w/a.lua" },
  { "unix", "/w", "/W/a.lua", nil },
  { "unix", "/w", "/w2/a.lua", nil },
  { "unix", "/w", "/w", nil },
  { "unix", "/w", "/w/a\\b.lua", "a\\b.lua" },
  { "unix", "/w", "a.lua", nil },
}) do
  local system, folder, path, want = case[1], case[2], case[3], case[4]
  test(("below %s on %s: %s"):format(folder, system, path), function()
    equal(paths.below(folder, path, system), want)
    equal(paths.short(folder, path, system), want or path)
  end)
end

for _, case in ipairs({
  { "C:\\w\\a.lua", "c:/W/A.lua", true, false },
  { "\\\\?\\C:\\w\\a.lua", "C:\\w\\a.lua", true, false },
  { "//server/share/a", "\\\\Server\\Share\\A", true, false },
  { "C:\\w\\a.lua", "D:\\w\\a.lua", false, false },
  { "C:a.lua", "C:\\a.lua", false, false },
  { "/w/a.lua", "/w/A.lua", true, false },
  { "/w//a.lua", "/w/a.lua", true, true },
}) do
  local a, b, windows, unix = unpack(case)
  test(("the same file: %s and %s"):format(a, b), function()
    equal({ paths.is_same(a, b, "windows"), paths.is_same(a, b, "unix") }, { windows, unix })
  end)
end

for _, case in ipairs({
  { "C:\\a.lua", true, false },
  { "c:/a.lua", true, false },
  { "\\\\server\\share\\a.lua", true, false },
  { "C:a.lua", false, false },
  { "\\a.lua", false, false },
  { "/a.lua", false, true },
  { "src/a.lua", false, false },
  { "", false, false },
}) do
  local path, windows, unix = unpack(case)
  test("absolute: " .. path, function()
    equal({ paths.is_absolute(path, "windows"), paths.is_absolute(path, "unix") }, { windows, unix })
    equal(paths.from("/w", path, "unix"), unix and path or "/w/" .. path)
    equal(paths.from("C:/w", path, "windows"), windows and path or "C:/w/" .. path)
  end)
end

for _, case in ipairs({
  { "windows", "file:///c%3A/w/a%20b.lua", "C:/w/a b.lua" },
  { "windows", "file:///C:/w/a.lua", "C:/w/a.lua" },
  { "windows", "file://localhost/C:/w/a.lua", "C:/w/a.lua" },
  { "windows", "file://server/share/a.lua", "//server/share/a.lua" },
  { "unix", "file:///w/a%20b.lua", "/w/a b.lua" },
}) do
  local system, uri, want = unpack(case)
  test(("the path of %s on %s"):format(uri, system), function()
    equal(paths.of_uri(uri, system), want)
  end)
end

for _, case in ipairs({
  { "in order", "C:\\Windows;D:\\bin\\", { "D:/bin/pintle.exe" }, "D:/bin/pintle.exe" },
  { "an entry in quotes", '"C:\\Tools; mine";D:\\bin', { "C:/Tools; mine/pintle.exe" }, "C:/Tools; mine/pintle.exe" },
  { "a server", "\\\\server\\tools", { "//server/tools/pintle.exe" }, "//server/tools/pintle.exe" },
  {
    "relative entries",
    ".;bin;\\bin;C:bin",
    { "./pintle.exe", "bin/pintle.exe", "/bin/pintle.exe", "C:bin/pintle.exe" },
  },
  { "a script", "C:\\npm", { "C:/npm/pintle.cmd", "C:/npm/pintle" } },
  { "nothing", "", { "pintle.exe" } },
}) do
  local name, path, files, want = case[1], case[2], case[3], case[4]
  test("a program on the PATH of Windows: " .. name, function()
    local function is_file(file)
      return vim.list_contains(files, file)
    end
    equal(paths.search("pintle.exe", path, is_file), want)
  end)
end

local MODULES = "/opt/lib/node_modules"
local LINUX = "@pintle/linux-x64/bin/pintle"
for _, case in ipairs({
  { "below the script", "Linux", "x86_64", MODULES .. "/pintle/node_modules/" .. LINUX },
  { "beside the script", "Linux", "x86_64", MODULES .. "/" .. LINUX },
  { "for a processor of Apple", "Darwin", "arm64", MODULES .. "/@pintle/darwin-arm64/bin/pintle" },
  { "for Windows", "Windows_NT", "x86_64", MODULES .. "/@pintle/win32-x64/bin/pintle.exe" },
  { "none for this system", "FreeBSD", "x86_64" },
  { "none for this processor", "Linux", "riscv64" },
}) do
  local name, sysname, machine, want = case[1], case[2], case[3], case[4]
  test("npm's package of the engine: " .. name, function()
    local function is_file(file)
      return file == want
    end
    local here = { sysname = sysname, machine = machine }
    equal(npm.program(MODULES .. "/pintle/bin/pintle.js", here, is_file), want)
    equal(npm.program("/opt/bin/pintle", here, is_file), nil)
  end)
end
