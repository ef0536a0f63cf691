-- How the engine is installed on this system. Pure.

local M = {}

-- The project's page; the files of its newest release are below it.
M.HOMEPAGE = "https://pintle.example/pintle"

---The one-line command of a release, for a shell of the system.
---@param system "windows"|"unix"
---@return string
function M.command(system)
  local downloads = M.HOMEPAGE .. "/releases/latest/download"
  return system == "windows" and ("irm %s/install.ps1 | iex"):format(downloads)
    or ("curl -fsSL %s/install.sh | sh"):format(downloads)
end

return M
