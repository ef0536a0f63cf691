-- Pages of text that the user reads: one buffer for each name, in a split.

local M = {}

---Shows a page, and moves the focus to it.
---@param name string after `pintle://`
---@param lines string[]
function M.show(name, lines)
  name = "pintle://" .. name
  local buf = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?") .. "$")
  if buf < 0 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, name)
  end
  require("pintle.buffers").filled_by(buf, function()
    vim.bo[buf].modifiable = true
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].modifiable = "nofile", false, false
    require("pintle.looks").dress(buf, "pintle-text")
  end)
  local win = vim.fn.bufwinid(buf)
  if win >= 0 then
    vim.api.nvim_set_current_win(win)
  else
    require("pintle.sizes").keeping(function()
      vim.cmd("split")
      vim.wo.winfixbuf = false
      vim.api.nvim_win_set_buf(0, buf)
      vim.wo[0][0].linebreak = true
    end)
  end
end

return M
