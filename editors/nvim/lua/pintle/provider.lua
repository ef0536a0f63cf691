-- What completion plugins show in a prompt: the candidates of `complete.lua` as completion items of the language server protocol.
-- `blink.lua` and `cmp.lua` give them to the plugins.

local M = {}

M.FILETYPE = "pintle-prompt"

-- Characters that begin a word of a prompt or belong to one, besides letters and digits.
M.TRIGGERS = { "@", "/", ".", "-", ":", "_", '"' }

---@param item table
---@return integer
local function kind_of(item)
  local kinds = vim.lsp.protocol.CompletionItemKind
  if item.word == "" or item.word:sub(1, 1) == "/" then
    return kinds.Keyword
  elseif item.abbr then
    return kinds.Reference
  end
  return (item.menu == "file" or item.menu == "buffer") and kinds.File or kinds.Text
end

---Candidates as completion items. Columns are bytes. Pure.
---@param candidates table[]
---@param row integer from 0
---@param first integer the column where the word begins
---@param last integer that of the cursor
---@return table[] items
function M.items(candidates, row, first, last)
  return vim.tbl_map(function(each)
    local is_trust = each.word == ""
    return {
      label = each.abbr or each.word,
      labelDetails = { description = each.menu },
      kind = kind_of(each),
      -- What was typed begins with the sign of the word.
      filterText = is_trust and "/" or each.abbr and "@" .. each.abbr or each.word,
      textEdit = {
        newText = each.word,
        range = { start = { line = row, character = first }, ["end"] = { line = row, character = last } },
      },
      data = { is_trust = is_trust },
    }
  end, candidates)
end

---Completes the word before the cursor of a prompt.
---@param line string Up to the cursor.
---@param row integer from 0
---@param done fun(items: table[])
function M.complete(line, row, done)
  local complete = require("pintle.complete")
  local first, word = complete.word(line, row == 0)
  if not first or not word then
    return done({})
  end
  complete.gather(require("pintle.workspace").get(), word, function(candidates)
    done(M.items(candidates, row, first, #line))
  end)
end

---Opens the question of trust if its item was accepted.
---@param item table
function M.accepted(item)
  if item.data and item.data.is_trust then
    vim.cmd.stopinsert()
    vim.schedule(require("pintle.trust").trust)
  end
end

return M
