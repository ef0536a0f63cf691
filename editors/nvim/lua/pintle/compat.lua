-- What differs between the versions of Neovim that are supported.

local M = {}

---Compares two texts: |vim.text.diff()|, which was |vim.diff()| before 0.12.
---@type fun(a: string, b: string, options: table): string|integer[][]|nil
M.diff = vim.text and vim.text.diff or vim.diff

---Sends a notification to a language server.
---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if vim.fn.has("nvim-0.11") == 1 then
    client:notify(method, params)
  else
    ---@diagnostic disable-next-line: param-type-mismatch
    client.notify(method, params)
  end
end

---The byte of a line that a number of UTF-16 units means; beyond the end, the end.
---@param line string
---@param units integer
---@return integer
function M.byte_of(line, units)
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, "utf-16", units, false)
  end
  ---@diagnostic disable-next-line: missing-parameter
  local _, all = vim.str_utfindex(line)
  ---@diagnostic disable-next-line: param-type-mismatch
  return units >= all and #line or vim.str_byteindex(line, units, true)
end

return M
