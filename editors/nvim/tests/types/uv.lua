---@meta
-- Types that Neovim's runtime does not ship.

---@class uv.uv_timer_t
---@field start fun(self: uv.uv_timer_t, timeout_ms: integer, repeat_ms: integer, done: fun()): integer
---@field stop fun(self: uv.uv_timer_t): integer
---@field close fun(self: uv.uv_timer_t)

---@type table<string, fun(...): any>
vim.uv = {}
