-- What buffers and windows of the plugin look like: file types of their own, with the colours of Markdown and of the code in it.

local M = {}

---@alias pintle.FileType "pintle-chat"|"pintle-prompt"|"pintle-text"

for _, filetype in ipairs({ "pintle-chat", "pintle-prompt", "pintle-text" }) do
  vim.treesitter.language.register("markdown", filetype)
end

---Gives a buffer its file type, and Markdown's colours: those of a parser, or where there is none those of the syntax files.
---@param buf integer
---@param filetype pintle.FileType
function M.dress(buf, filetype)
  -- For plugins that look up the language of a file type, such as those that render Markdown.
  vim.treesitter.language.register("markdown", filetype)
  vim.bo[buf].filetype = filetype
  if not pcall(vim.treesitter.start, buf, "markdown") then
    vim.bo[buf].syntax = "markdown"
  end
end

---The border of floating windows, that of 'winborder' or a single line, and the room that it takes.
---@return any border, integer rows, integer columns
function M.border()
  local set = vim.fn.exists("+winborder") == 1 and vim.o.winborder or ""
  if set == "none" then
    return "none", 0, 0
  elseif set == "shadow" then
    return "shadow", 1, 1
  elseif not set:find(",", 1, true) then
    return set ~= "" and set or "single", 2, 2
  end
  -- From the top left corner clockwise; fewer than eight repeat.
  local parts = vim.split(set, ",", { plain = true })
  ---@param at integer
  ---@return integer
  local function width_of(at)
    return parts[(at - 1) % #parts + 1] ~= "" and 1 or 0
  end
  return parts, width_of(2) + width_of(6), width_of(4) + width_of(8)
end

---Makes a window show transcripts well.
---@param win integer
function M.transcript(win)
  local options = {
    wrap = true,
    linebreak = true,
    breakindent = true,
    conceallevel = require("pintle.config").get().conceal and 2 or 0,
    concealcursor = "nc",
    smoothscroll = true,
    number = false,
    relativenumber = false,
    signcolumn = "no",
    foldmethod = "manual",
    foldtext = "v:lua.require'pintle.folds'.text()",
    foldminlines = 0,
    foldenable = true,
    fillchars = "fold: ",
    winfixwidth = true,
    winbar = "%{%v:lua.require'pintle.statusline'.winbar()%}",
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = win })
  end
  local buf = vim.api.nvim_win_get_buf(win)
  local chat = require("pintle.chat").of(buf)
  if chat and vim.w[win].pintle_folds ~= buf then
    vim.w[win].pintle_folds = buf
    vim.wo[win].foldlevel = 0
    require("pintle.folds").reset(win, chat.blocks:fold_ranges())
  end
end

return M
