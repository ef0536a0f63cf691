-- Texts of buffers and the engine's edits of them, by tables and by chance, without an engine.

local child = require("child")
local documents = require("pintle.documents")
local edits = require("pintle.edits")

-- A position's byte in a text, as the protocol says it.
local function offset(text, position)
  local start = 1
  for _ = 1, position.line do
    local newline = text:find("\n", start, true)
    if not newline then
      return #text
    end
    start = newline + 1
  end
  local line = text:sub(start):match("^[^\n]*"):gsub("\r$", "")
  local _, units = vim.str_utfindex(line)
  local byte = position.character >= units and #line or vim.str_byteindex(line, position.character, true)
  return start - 1 + byte
end

local function spliced(text, range, new)
  return text:sub(1, offset(text, range.start)) .. new .. text:sub(offset(text, range["end"]) + 1)
end

local function range(a, b, c, d)
  return { start = { line = a, character = b }, ["end"] = { line = c, character = d } }
end

-- A buffer of a file with this text.
local function loaded(text)
  local path = child.folder() .. "/a.txt"
  child.write(path, text)
  local buf = vim.fn.bufadd(path)
  vim.fn.bufload(buf)
  return buf, path
end

local function wipe(buf)
  vim.api.nvim_buf_delete(buf, { force = true })
end

test("a buffer's text is what its file would hold", function()
  local rows = {
    { "lines", "a\nb\n", nil, "a\nb\n" },
    { "no lines", "", nil, "" },
    { "an empty line", "\n", nil, "\n" },
    { "line ends of DOS", "a\r\nb\r\n", nil, "a\r\nb\r\n" },
    { "without an end", "a\nb", nil, "a\nb" },
    { "without an end, changed: it gets one", "a\nb", "c", "c\nb\n" },
    { "a byte order mark is none of it", "\239\187\191a\n", nil, "a\n" },
    { "Chinese", "中\n文\n", "好", "好\n文\n" },
  }
  for _, row in ipairs(rows) do
    local buf = loaded(row[2])
    if row[3] then
      vim.api.nvim_buf_set_lines(buf, 0, 1, false, { row[3] })
    end
    equal(documents.text(buf), row[4], row[1])
    wipe(buf)
  end
end)

test("an edit makes of a buffer what it makes of its text", function()
  local rows = {
    { "a line", "a\nb\nc\n", range(1, 0, 2, 0), "B\n" },
    { "lines for a line", "a\nb\nc\n", range(1, 0, 2, 0), "x\ny\nz\n" },
    { "a line for lines", "a\nb\nc\n", range(0, 0, 3, 0), "x\n" },
    { "an insertion", "a\nb\n", range(1, 0, 1, 0), "x\n" },
    { "at the beginning", "a\n", range(0, 0, 0, 0), "x\n" },
    { "at the end", "a\n", range(1, 0, 1, 0), "x\n" },
    { "at the end, without an end", "a\n", range(1, 0, 1, 0), "x" },
    { "a deletion", "a\nb\nc\n", range(1, 0, 2, 0), "" },
    { "the last line", "a\nb\n", range(1, 0, 2, 0), "" },
    { "all of it", "a\nb\n", range(0, 0, 2, 0), "" },
    { "all of it, by positions beyond", "a\nb\n", range(0, 0, 99, 99), "x\n" },
    { "into an empty file", "", range(0, 0, 0, 0), "a\nb\n" },
    { "into an empty file, without an end", "", range(0, 0, 0, 0), "a" },
    { "an empty line into an empty file", "", range(0, 0, 0, 0), "\n" },
    { "an empty line stays", "\n", range(0, 0, 0, 0), "a\n" },
    { "the last end goes", "a\nb\n", range(1, 1, 2, 0), "" },
    { "an end comes", "a\nb", range(1, 1, 1, 1), "\n" },
    { "more without an end", "a\nb", range(1, 0, 1, 1), "c\nd" },
    { "a part of a line", "hello world\n", range(0, 6, 0, 11), "there" },
    { "parts of lines", "abc\ndef\n", range(0, 1, 1, 2), "X\nY" },
    { "two lines joined", "abc\ndef\n", range(0, 3, 1, 0), "" },
    { "beyond the end of a line", "ab\ncd\n", range(0, 99, 0, 99), "!" },
    { "behind an emoji", "x😀y\n", range(0, 3, 0, 4), "z" },
    { "Chinese", "中文\n", range(0, 1, 0, 2), "国" },
    { "line ends of DOS", "a\r\nb\r\n", range(1, 0, 2, 0), "x\r\ny\r\n" },
    { "a part of a line of DOS", "ab\r\nc\r\n", range(0, 1, 0, 2), "x" },
  }
  for _, row in ipairs(rows) do
    local buf = loaded(row[2])
    edits.change(buf, row[3], row[4])
    equal(documents.text(buf), spliced(row[2], row[3], row[4]), row[1])
    wipe(buf)
  end
end)

-- An engine that takes what it is told, as the protocol says it.
local function listener(root)
  local told = { texts = {}, versions = {}, dirty = {}, calls = {} }
  local workspace = { root = root }
  workspace.engine = {
    state = "ready",
    info = { capabilities = { documents = {} }, limits = { maxMessageBytes = 1000000 } },
    request = function(_, method, params, done)
      told.calls[#told.calls + 1] = (method:gsub("document/", ""))
      if method == "document/open" then
        told.texts[params.path] = params.text
      elseif method == "document/close" then
        told.texts[params.path] = nil
      elseif method == "document/save" then
        equal(params.version, told.versions[params.path], "the version that was told last")
        told.dirty[params.path] = false
      elseif method == "document/change" then
        if not told.texts[params.path] or params.version <= told.versions[params.path] then
          return done({ code = -32041, message = "conflict" })
        end
        for _, change in ipairs(params.changes) do
          local text = told.texts[params.path]
          told.texts[params.path] = change.range and spliced(text, change.range, change.text) or change.text
        end
      end
      told.versions[params.path] = params.version or told.versions[params.path]
      if params.dirty ~= nil then
        told.dirty[params.path] = params.dirty
      end
      done()
    end,
  }
  workspace.documents = documents.new(workspace)
  workspace.view = function() end
  return workspace, told
end

test("what is told is what the buffer holds, whatever is typed and edited", function()
  local state = seed()
  local function random(most)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % most
  end
  local function lines_of(text)
    return vim.split((text:gsub("\r", "")), "\n", { plain = true })
  end
  local pieces = { "a", "é", "😀", "\n", "", "xy\n", "\n\n", "中\n", "end" }
  for round = 1, 300 do
    local ending = round % 4 == 0 and "\r\n" or "\n"
    local function words(most)
      local text = ""
      for _ = 1, random(most) do
        text = text .. pieces[random(#pieces) + 1]:gsub("\n", ending)
      end
      return text
    end
    local start = round % 4 == 0 and "first" .. ending or words(8)
    local buf, path = loaded(start)
    local workspace, told = listener(vim.fs.dirname(path))
    workspace.documents:flush()
    for step = 1, 6 do
      local count = vim.api.nvim_buf_line_count(buf)
      local first = random(count + 1)
      local last = math.min(count, first + random(3))
      if random(3) == 0 then
        vim.api.nvim_buf_set_lines(buf, first, last, false, lines_of(words(3)))
      elseif random(4) == 0 then
        vim.api.nvim_buf_call(buf, function()
          vim.cmd("silent! undo")
        end)
      else
        local at = range(first, random(4), last, random(4))
        if first == last and at["end"].character < at.start.character then
          at["end"].character = at.start.character
        end
        local text = words(3)
        workspace.documents:flush()
        local before, version = told.texts[path], workspace.documents:find(path).version
        local edit = { path = path, version = version, changes = { { range = at, text = text } }, save = false }
        local result = edits.apply(workspace, { label = "x", edits = { edit } })
        equal(result.applied, true)
        local want = spliced(before, at, text)
        equal(
          documents.text(buf),
          want,
          ("round %d, step %d: %s"):format(round, step, vim.inspect({ before, at, text }))
        )
      end
      if random(2) == 0 then
        workspace.documents:flush()
        equal(told.texts[path], documents.text(buf), ("round %d, step %d"):format(round, step))
        equal(told.dirty[path], vim.bo[buf].modified)
      end
    end
    workspace.documents:flush()
    equal(told.texts[path], documents.text(buf), ("round %d"):format(round))
    wipe(buf)
    equal(told.texts[path], nil, "closed")
  end
end)
