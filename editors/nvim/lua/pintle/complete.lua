-- Completion in a prompt: `/` names the prompts and skills, `@` files, buffers, symbols and what else goes with a message.

local config = require("pintle.config")
local paths = require("pintle.paths")
local protocol = require("pintle.protocol")
local sources = require("pintle.sources")

local M = {}

local OMNIFUNC = "v:lua.require'pintle.complete'.omnifunc"

-- More files are not listed, and more candidates not shown.
local FILES_MAX = 20000
local SHOWN_MAX = 50

-- How long a person who asks for candidates waits for those of others.
local WAIT_MS = 400

-- Symbols are asked for from this many characters on.
local SYMBOL_CHARS_MIN = 2

---@class (exact) pintle.Candidates What is known for a workspace.
---@field commands? table[] Prompts and skills.
---@field trust? table Leads to `:Pintle trust`, if commands are missing without it.
---@field files? string[]
---@field directories? string[]
---@field is_asked? boolean Whether files and commands were asked for, for a completion plugin.
---@field symbols? { query: string, items: table[], is_there?: boolean }

---@type table<string, pintle.Candidates> by workspace
local known = {}

---@type table<fun(), true> called when more is known
local waiting = {}

---@param root string
---@return pintle.Candidates
local function of(root)
  known[root] = known[root] or {}
  return known[root]
end

---The word that is written: where it begins, and it.
---@param line string Up to the cursor.
---@param is_first boolean Whether it is the first line of the message.
---@return integer? start The column, from 0.
---@return string? word
function M.word(line, is_first)
  local word = line:match("^/[%w_%-:/]*$")
  if word then
    if is_first then
      return 0, word
    end
    return nil
  end
  local before
  before, word = line:match("^(.-)(@[^%s@]*)$")
  if before and word and (before == "" or before:find("[%s(]$")) then
    return #before, word
  end
end

---Asks the engine for prompts and skills.
---@param here pintle.Workspace
local function read_commands(here)
  local view = here:view()
  if not view then
    return
  end
  local found, open = {}, 3
  local candidates = of(here.root)
  local function take(list)
    for _, each in ipairs(list or {}) do
      local hint = each.argumentHint and " " .. each.argumentHint or ""
      found[#found + 1] = { word = "/" .. each.name, menu = (each.description or ""):gsub("\n.*", ""), info = hint }
    end
    open = open - 1
    if open == 0 then
      table.sort(found, function(a, b)
        return a.word < b.word
      end)
      candidates.commands = found
      M.show_again()
    end
  end
  local params = { sessionId = view.state.id }
  here.engine:request(protocol.method.prompt_list, params, function(_, result)
    take(result and result.prompts)
  end)
  here.engine:request(protocol.method.trust_read, params, function(_, result)
    candidates.trust = require("pintle.trust").candidate(result)
    take()
  end)
  here.engine:request(protocol.method.skill_list, params, function(_, result)
    take(result and result.skills)
  end)
end

---The directories of files, each with a slash at its end. Pure.
---@param files string[] relative paths
---@return string[]
function M.directories(files)
  local found, is_known = {}, {}
  for _, path in ipairs(files) do
    local at = path:find("/", 1, true)
    while at do
      local directory = path:sub(1, at)
      if not is_known[directory] then
        is_known[directory] = true
        found[#found + 1] = directory
      end
      at = path:find("/", at + 1, true)
    end
  end
  return found
end

---Lists the files of a workspace: those that git knows or would, else what is there.
---@param root string
local function read_files(root)
  local function take(text)
    local files = vim.split(text, "\0", { plain = true, trimempty = true })
    files = vim.list_slice(files, 1, FILES_MAX)
    of(root).files, of(root).directories = files, M.directories(files)
    vim.schedule(M.show_again)
  end
  local command = { "git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate" }
  local ok = pcall(vim.system, command, { text = false }, function(result)
    if result.code == 0 then
      return take(result.stdout)
    end
    vim.schedule(function()
      M.walk(root, take)
    end)
  end)
  if not ok then
    M.walk(root, take)
  end
end

---Lists the files below a folder, without hidden ones.
---@param root string
---@param done fun(text: string)
function M.walk(root, done)
  local files = {}
  local function skip(name)
    return not vim.fs.basename(name):find("^%.") and #files < FILES_MAX
  end
  for name, kind in vim.fs.dir(root, { depth = 8, skip = skip }) do
    if kind == "file" and not name:find("^%.") and not name:find("/%.") then
      files[#files + 1] = name
      if #files >= FILES_MAX then
        break
      end
    end
  end
  done(table.concat(files, "\0"))
end

---Reads what completion needs, so that it is there when somebody types.
---@param here pintle.Workspace
function M.prepare(here)
  read_files(here.root)
  read_commands(here)
end

---A file as a mention.
---@param path string
---@return string
local function mention(path)
  return path:find('[%s"]') and ('@"%s"'):format(path) or "@" .. path
end

---Asks the language servers of the workspace's buffers for symbols.
---@param root string
---@param query string
local function read_symbols(root, query)
  local candidates = of(root)
  if candidates.symbols and candidates.symbols.query == query then
    return
  end
  local symbols = { query = query, items = {}, is_there = false }
  candidates.symbols = symbols
  local is_asked = {}
  for _, client in ipairs(vim.lsp.get_clients({ method = "workspace/symbol" })) do
    local buf = next(client.attached_buffers)
    if buf and not is_asked[client.id] then
      is_asked[client.id] = true
      vim.lsp.buf_request(buf, "workspace/symbol", { query = query }, function(_, result)
        for _, symbol in ipairs(result or {}) do
          local location = symbol.location
          local path = location and paths.below(root, paths.of_uri(location.uri))
          if path and location.range then
            local first, last = location.range.start.line + 1, location.range["end"].line + 1
            local place = ("%s:%d-%d"):format(path, first, last)
            symbols.items[#symbols.items + 1] = { word = "@" .. place, abbr = symbol.name, menu = place }
          end
        end
        symbols.is_there = true
        M.show_again()
      end)
    end
  end
  symbols.is_there = next(is_asked) == nil
end

---@param items table[]
---@param key string
---@param query string
---@return table[]
local function matching(items, key, query)
  if query == "" then
    return vim.list_slice(items, 1, SHOWN_MAX)
  end
  return vim.fn.matchfuzzy(items, query, { key = key, limit = SHOWN_MAX })
end

---@param root string
---@param query string
---@return table[]
local function mentions(root, query)
  local items = {}
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(sources.NAMES))) do
    items[#items + 1] = { word = "@" .. name, menu = sources.NAMES[name] }
  end
  local is_listed = {}
  for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    local file = require("pintle.buffers").file_of(info.bufnr)
    local path = file and paths.below(root, file)
    if path then
      is_listed[path] = true
      items[#items + 1] = { word = mention(path), menu = "buffer" }
    end
  end
  for _, path in ipairs(of(root).files or {}) do
    if not is_listed[path] then
      items[#items + 1] = { word = mention(path), menu = "file" }
    end
  end
  for _, path in ipairs(of(root).directories or {}) do
    items[#items + 1] = { word = mention(path), menu = "directory" }
  end
  local found = matching(items, "word", query)
  local symbols = of(root).symbols
  if #query >= SYMBOL_CHARS_MIN and symbols then
    vim.list_extend(found, matching(symbols.items, "abbr", query))
  end
  return found
end

---The candidates for a word.
---@param here pintle.Workspace
---@param word string
---@param waits? boolean Whether to wait for what is not known yet.
---@return table[]
function M.candidates(here, word, waits)
  local candidates = of(here.root)
  local query = word:sub(2)
  if word:sub(1, 1) == "/" then
    if waits and not candidates.commands then
      read_commands(here)
      vim.wait(WAIT_MS, function()
        return candidates.commands ~= nil
      end, 5)
    end
    local found = matching(candidates.commands or {}, "word", query)
    table.insert(found, candidates.trust)
    return found
  end
  if #query >= SYMBOL_CHARS_MIN then
    read_symbols(here.root, query)
  end
  if waits then
    vim.wait(WAIT_MS, function()
      return candidates.files and (not candidates.symbols or candidates.symbols.is_there) and true or false
    end, 5)
  end
  return mentions(here.root, query)
end

---Whether everything that a word needs has arrived.
---@param root string
---@param word string
---@return boolean
local function is_known(root, word)
  local candidates = of(root)
  if word:sub(1, 1) == "/" then
    return candidates.commands ~= nil
  end
  return candidates.files ~= nil and (not candidates.symbols or candidates.symbols.is_there == true)
end

---Hands out the candidates for a word as soon as they are known, or after a while those that are.
---@param here pintle.Workspace
---@param word string
---@param done fun(items: table[])
function M.gather(here, word, done)
  local candidates = of(here.root)
  if not candidates.is_asked then
    candidates.is_asked = true
    M.prepare(here)
  end
  -- Also asks for the symbols.
  M.candidates(here, word)
  local is_done = false
  local function finish()
    if not is_done then
      is_done = true
      done(M.candidates(here, word))
    end
  end
  if is_known(here.root, word) then
    return finish()
  end
  local function look()
    if is_known(here.root, word) then
      finish()
    end
  end
  waiting[look] = true
  vim.defer_fn(function()
    waiting[look] = nil
    finish()
  end, WAIT_MS)
end

---@return pintle.Workspace here
---@return integer? start
---@return string? word
local function at_cursor()
  local here = require("pintle.workspace").get()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line():sub(1, column)
  return here, M.word(line, row == 1)
end

---'omnifunc' of a prompt.
---@param find_start integer
---@param base string
function M.omnifunc(find_start, base)
  local here, start = at_cursor()
  if find_start == 1 then
    return start or -3
  end
  return { words = M.candidates(here, base, true), refresh = "always" }
end

---The loaded completion plugin, which shows candidates itself, and the module of its source.
---@return string? name, string? source
function M.other()
  if package.loaded["blink.cmp"] then
    return "blink.cmp", "pintle.blink"
  elseif package.loaded["cmp"] then
    return "nvim-cmp", "pintle.cmp"
  end
end

---Shows candidates while somebody types, and selects none.
function M.show()
  if not config.get().complete or M.other() or vim.fn.complete_info({ "selected" }).selected >= 0 then
    return
  end
  local here, start, word = at_cursor()
  if not start or not word then
    return
  end
  local items = M.candidates(here, word)
  if #items == 0 or #items == 1 and items[1].word == word then
    return
  end
  vim.fn.complete(start + 1, items)
end

---@type string? what 'completeopt' is outside of prompts
local others

---Makes candidates be shown and not taken by themselves, as long as somebody types in a prompt. The option is not one of buffers.
---@param is_inside boolean
local function set_options(is_inside)
  if is_inside and not others then
    others = vim.o.completeopt
    vim.opt.completeopt:remove("longest")
    vim.opt.completeopt:append({ "menuone", "noinsert", "noselect" })
  elseif not is_inside and others then
    vim.o.completeopt, others = others, nil
  end
end

---Shows candidates that came later than what is typed.
function M.show_again()
  for _, look in ipairs(vim.tbl_keys(waiting)) do
    look()
  end
  local is_prompt = vim.bo.omnifunc == OMNIFUNC
  if is_prompt and vim.api.nvim_get_mode().mode:find("^i") then
    M.show()
  end
end

---Gives a prompt's buffer its completion.
---@param here pintle.Workspace
---@param buf integer
function M.attach(here, buf)
  vim.bo[buf].omnifunc = OMNIFUNC
  vim.api.nvim_create_autocmd("InsertEnter", {
    buffer = buf,
    callback = function()
      M.prepare(here)
      set_options(config.get().complete and not M.other())
    end,
  })
  vim.api.nvim_create_autocmd({ "InsertLeave", "BufLeave" }, {
    buffer = buf,
    callback = function()
      set_options(false)
    end,
  })
  vim.api.nvim_create_autocmd("CompleteDone", { buffer = buf, callback = require("pintle.trust").completed })
  vim.api.nvim_create_autocmd({ "TextChangedI", "TextChangedP" }, { buffer = buf, callback = M.show })
end

return M
