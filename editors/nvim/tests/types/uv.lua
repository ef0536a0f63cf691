---@meta
-- Types that Neovim's runtime does not ship: the parts of libuv that the plugin uses.

---@class uv.uv_timer_t
---@field start fun(self: uv.uv_timer_t, timeout_ms: integer, repeat_ms: integer, done: fun()): integer
---@field stop fun(self: uv.uv_timer_t): integer
---@field close fun(self: uv.uv_timer_t)

---@class uv.fs_stat.result
---@field type string
---@field size integer
---@field mode integer
---@field mtime { sec: integer, nsec: integer }

---@class uv
---@field fs_close fun(fd: integer): boolean?, string?
---@field fs_open fun(path: string, flags: string, mode: integer): integer?, string?
---@field fs_realpath fun(path: string): string?, string?
---@field fs_rename fun(from: string, to: string): boolean?, string?
---@field fs_stat fun(path: string): uv.fs_stat.result?, string?
---@field fs_unlink fun(path: string): boolean?, string?
---@field fs_write fun(fd: integer, data: string): integer?, string?
---@field hrtime fun(): integer
---@field new_timer fun(): uv.uv_timer_t?, string?
---@field now fun(): integer
---@field os_uname fun(): { sysname: string, release: string, version: string, machine: string }
---@field update_time fun()
vim.uv = {}
