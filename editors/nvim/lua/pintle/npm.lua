-- The engine as npm installs it: a script that Node runs, and the program in a package for this system. The editor starts the
-- program. Pure.

local M = {}

-- Node's names of the systems and processors for which there are packages.
local SYSTEMS = { Linux = "linux", Darwin = "darwin", Windows_NT = "win32" }
local PROCESSORS = { x86_64 = "x64", AMD64 = "x64", aarch64 = "arm64", arm64 = "arm64" }

---Returns the program that npm's script starts; nil if the file is not that script, or its package for this system is missing.
---@param script string The path behind all links, with `/`.
---@param machine { sysname: string, machine: string } As of `vim.uv.os_uname()`.
---@param is_file fun(path: string): boolean
---@return string?
function M.program(script, machine, is_file)
  local modules = script:match("^(.*)/pintle/bin/pintle%.js$")
  local system, processor = SYSTEMS[machine.sysname], PROCESSORS[machine.machine]
  if not (modules and system and processor) then
    return nil
  end
  local name = system == "win32" and "pintle.exe" or "pintle"
  local package = ("@pintle/%s-%s/bin/%s"):format(system, processor, name)
  -- Below the script's package or beside it.
  return vim.iter({ modules .. "/pintle/node_modules/" .. package, modules .. "/" .. package }):find(is_file)
end

return M
