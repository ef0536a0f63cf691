-- Runs of calls in the blocks of a transcript, without an engine.

local blocks = require("pintle.blocks")
local runs = require("pintle.runs")

test("which calls can be part of a run", function()
  local function group(call)
    return runs.group_of(vim.tbl_extend("keep", call, { type = "toolCall", status = "completed", toolName = "x" }))
  end
  for name, case in pairs({
    read = { { kind = "read" }, "read" },
    search = { { kind = "search" }, "search" },
    list = { { kind = "read", toolName = "list_dir" }, "list" },
    edit = { { kind = "edit" }, nil },
    command = { { kind = "execute" }, nil },
    failed = { { kind = "read", output = { failed = true } }, nil },
    denied = { { kind = "read", status = "declined" }, nil },
    ["not over"] = { { kind = "read", status = "running" }, nil },
    message = { { type = "agentMessage" }, nil },
  }) do
    equal(group(case[1]), case[2], name)
  end
end)

test("run titles", function()
  for want, case in pairs({
    ["▾ Read 2 files, searched 3 times"] = { { "read", "search" }, { read = 2, search = 3 } },
    ["▾ Searched once, read 1 file"] = { { "search", "read" }, { read = 1, search = 1 } },
    ["▾ Listed 1 directory, searched once"] = { { "list", "search" }, { list = 1, search = 1 } },
    ["▾ Listed 2 directories"] = { { "list" }, { list = 2 } },
  }) do
    equal(runs.title(case[1], case[2]), want)
  end
end)

---A transcript in the current window.
local function transcript()
  vim.cmd("silent! only | enew!")
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_win_set_buf(0, buf)
  vim.wo.foldmethod, vim.wo.foldminlines, vim.wo.foldlevel = "manual", 0, 0
  return blocks.new(buf)
end

local GROUPS = { read = "read", search = "search" }

local function lines_of(entry)
  local is_fold = entry.kind ~= "agentMessage"
  return is_fold and { "▾ " .. entry.key, "│ one", entry.done and "│ two" or nil } or { entry.key }
end

local function put(shown, entry)
  local group = entry.done and GROUPS[entry.kind] or nil
  shown:set(entry.key, GROUPS[entry.kind] and "toolCall" or entry.kind, lines_of(entry), group)
end

---Lines with the depth of their folds, and whether each is hidden.
local function seen(shown)
  local rows = {}
  for number, line in ipairs(vim.api.nvim_buf_get_lines(shown.buf, 0, -1, false)) do
    local closed = vim.fn.foldclosed(number)
    rows[number] = ("%d %s %s"):format(vim.fn.foldlevel(number), closed == -1 and "-" or closed, line)
  end
  return rows
end

test("finished calls fold into a run, and others stay visible", function()
  local shown = transcript()
  for _, entry in ipairs({
    { key = "a", kind = "read", done = true },
    { key = "b", kind = "reasoning" },
    { key = "c", kind = "search", done = true },
    { key = "d", kind = "read" },
  }) do
    put(shown, entry)
  end
  shown:draw()
  equal(seen(shown), {
    "0 - ## pintle",
    "0 - ",
    "1 3 ▾ Read 1 file, searched once",
    "2 3 ▾ a",
    "2 3 │ one",
    "2 3 │ two",
    "2 3 ▾ b",
    "2 3 │ one",
    "2 3 ▾ c",
    "2 3 │ one",
    "2 3 │ two",
    "1 12 ▾ d",
    "1 12 │ one",
  })
  -- an open run stays open when it grows, and its calls stay as they are
  vim.cmd("3foldopen | 9foldopen")
  put(shown, { key = "d", kind = "read", done = true })
  shown:draw()
  local rows = seen(shown)
  equal(rows[3], "1 - ▾ Read 2 files, searched once")
  equal({ rows[4], rows[9], rows[12] }, { "2 4 ▾ a", "2 - ▾ c", "2 12 ▾ d" })
end)

---A number from 1 to `most`, from the seed of the suite.
local function generator(seed)
  local state = seed
  return function(most)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % most + 1
  end
end

test("whatever comes in whatever order, runs are those of the same entries drawn at once", function()
  local first_seed = tonumber(vim.env.PINTLE_SEED or "") or os.time()
  for round = 1, 150 do
    local seed = first_seed + round
    local random = generator(seed)
    local shown, entries, next_key, log = transcript(), {}, 0, {}
    local function entry(done)
      next_key = next_key + 1
      local kind = ({ "read", "search", "read", "reasoning", "agentMessage" })[random(5)]
      return { key = "k" .. next_key, kind = kind, done = done }
    end
    for _ = 1, 25 do
      local step = random(12)
      if step <= 5 then
        entries[#entries + 1] = entry(random(2) == 1)
        put(shown, entries[#entries])
        log[#log + 1] = "add " .. entries[#entries].kind
      elseif step <= 8 and #entries > 0 then
        local changed = entries[random(#entries)]
        changed.done = not changed.done
        put(shown, changed)
        log[#log + 1] = "change " .. changed.key
      elseif step == 9 and #entries > 0 then
        local at = random(#entries)
        shown:cut(at)
        entries = vim.list_slice(entries, 1, at - 1)
        log[#log + 1] = "cut " .. at
      elseif step == 10 and #entries > 0 then
        shown:draw()
        shown:remove(shown.list[1])
        table.remove(entries, 1)
        log[#log + 1] = "remove"
      elseif step == 11 then
        shown:draw()
        local made, before = {}, {}
        for at = 1, random(3) do
          before[at] = entry(true)
          made[at] = {
            key = before[at].key,
            kind = GROUPS[before[at].kind] and "toolCall" or before[at].kind,
            lines = lines_of(before[at]),
            group = GROUPS[before[at].kind],
          }
        end
        shown:put_first(made)
        entries = vim.list_extend(before, entries)
        log[#log + 1] = "put first " .. #made
      else
        shown:draw()
        log[#log + 1] = "draw"
      end
    end
    shown:draw()
    local got, lines = seen(shown), shown.lines
    local afresh = transcript()
    for _, each in ipairs(entries) do
      put(afresh, each)
    end
    afresh:draw()
    local about = ("PINTLE_SEED=%d: %s"):format(seed - 1, table.concat(log, ", "))
    equal(got, seen(afresh), about)
    equal(lines, afresh.lines, about)
  end
end)
