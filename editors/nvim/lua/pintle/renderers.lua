-- Other plugins that draw Markdown: which of them draws a buffer, and having it draw what has come into one that no cursor is in.
-- They listen to events that only come for the current buffer.

local M = {}

-- How long nothing more must have come.
local SETTLED_MS = 100

---@class (exact) pintle.Renderer
---@field is_attached fun(buf: integer): boolean
---@field draw fun(buf: integer)

---A module of another plugin, if it was loaded.
---@param name string
---@return any
local function loaded(name)
  return package.loaded[name]
end

---@type table<string, pintle.Renderer>
local known = {
  ["render-markdown"] = {
    is_attached = function(buf)
      return loaded("render-markdown.core.manager").attached(buf)
    end,
    draw = function(buf)
      pcall(require, "render-markdown.api")
      loaded("render-markdown.api").render({ buf = buf, event = "pintle" })
    end,
  },
  markview = {
    is_attached = function(buf)
      return loaded("markview.state").buf_attached(buf)
    end,
    draw = function(buf)
      loaded("markview.actions").render(buf)
    end,
  },
}

---The plugin that draws the Markdown of a buffer. Other versions of it may have no such functions, and then it is not known.
---@param buf integer
---@return pintle.Renderer?
function M.of(buf)
  for _, renderer in pairs(known) do
    local ok, is_attached = pcall(renderer.is_attached, buf)
    if ok and is_attached then
      return renderer
    end
  end
end

---@type table<integer, uv.uv_timer_t>
local timers = {}

---Has a plugin draw a buffer in Normal mode: in others, they take away what they have drawn.
---@param buf integer
local function draw(buf)
  local renderer = vim.api.nvim_buf_is_loaded(buf) and #vim.fn.win_findbuf(buf) > 0 and M.of(buf)
  if not renderer then
    return
  elseif vim.api.nvim_get_mode().mode == "n" then
    pcall(renderer.draw, buf)
    return
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n",
    once = true,
    callback = vim.schedule_wrap(function()
      M.changed(buf)
    end),
  })
end

---Something has come into a buffer that another plugin may draw.
---@param buf integer
function M.changed(buf)
  if buf == vim.api.nvim_get_current_buf() or not M.of(buf) then
    return
  end
  local timer = timers[buf] or assert(vim.uv.new_timer())
  timers[buf] = timer
  timer:stop()
  timer:start(
    SETTLED_MS,
    0,
    vim.schedule_wrap(function()
      if timers[buf] ~= timer then
        return
      end
      timers[buf] = nil
      timer:close()
      draw(buf)
    end)
  )
end

return M
