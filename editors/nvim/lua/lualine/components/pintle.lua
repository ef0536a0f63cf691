-- The component `pintle` of lualine: `lualine_x = { "pintle" }`.

local Component = require("lualine.component"):extend()

function Component.update_status()
  -- Nothing is loaded for it before pintle was used.
  local statusline = package.loaded["pintle"] and require("pintle.statusline")
  return statusline and statusline.get() or ""
end

return Component
