-- The plugin on a real terminal with the editor's own `vim.notify`, `vim.ui.select` and `vim.ui.input`: what a person sees.

local child = require("child")

local SIZES = { { 80, 24 }, { 40, 20 }, { 200, 50 } }

local function text(words)
  return { blocks = { { text = words } } }
end

local function call(tool, arguments)
  return { blocks = { { tool = tool, arguments = arguments } } }
end

local IDLE = { replies = { text("Never asked.") } }

---Runs a test at each size of the screen.
---@param name string
---@param body fun(columns: integer, lines: integer)
local function at_sizes(name, body)
  for _, size in ipairs(SIZES) do
    test(("%s, at %dx%d"):format(name, size[1], size[2]), function()
      body(size[1], size[2])
    end)
  end
end

local function open_prompt(vi)
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
end

local function prompt_of(vi)
  return vi:lua("return require('pintle.prompt').text(require('pintle.workspace').get())")
end

test("writing the prompt keeps the draft and sends nothing", function()
  local vi = child.start({ stock = true, script = { replies = { text("Got it.") } } })
  child.write(vi.dir .. "/a.txt", "one\n")
  vi:cmd("edit a.txt")
  open_prompt(vi)
  for number, write in ipairs({ ":w<CR>", ":wa<CR>", ":update<CR>", ":silent! wall<CR>" }) do
    vi:keys(("Sdraft %d<Esc>%s:let g:written = %d<CR>"):format(number, write, number))
    vi:wait("vim.g.written == given", write, number)
    equal(vi:lua("return { vim.fn.getline(1, '$'), vim.bo.modified }"), { { "draft " .. number }, false })
  end
  -- as plugins that save by themselves do, while one types
  vi:lua([[vim.api.nvim_create_autocmd("InsertLeave", { command = "silent! wall", nested = true })]])
  vi:keys("Ssaved by itself<Esc>:let g:written = 9<CR>")
  vi:wait("vim.g.written == 9")
  equal(vi:lua("return vim.bo.modified"), false)
  vi:cmd("autocmd! InsertLeave")
  equal(vi:lua("return require('pintle.workspace').get():view().state.seq"), 1, "only the session was made")
  -- sending is a verb of its own
  vi:keys("<CR>")
  vi:wait_turn()
  contains(vi:chat(), "## You\n\nsaved by itself")
  equal(prompt_of(vi), "")
end)

test("a draft that was written is there again after :wqa, until it is sent", function()
  local vi = child.start({ stock = true, script = IDLE })
  open_prompt(vi)
  vi:keys("ihalf a thought<CR>in two lines<Esc>:wqa<CR>")
  assert(vim.fn.jobwait({ vi.job }, 10000)[1] == 0, "the editor ends")
  vi.chan = nil
  local again = child.start({ dir = vi.dir, stock = true, script = { replies = { text("Whole.") } } })
  open_prompt(again)
  equal(prompt_of(again), "half a thought\nin two lines")
  again:keys("<CR>")
  again:wait_turn()
  contains(again:chat(), "half a thought\nin two lines")
  again:quit()
  local third = child.start({ dir = vi.dir, stock = true, script = IDLE })
  open_prompt(third)
  equal(prompt_of(third), "")
  local other = child.start({ stock = true, script = IDLE })
  open_prompt(other)
  equal(prompt_of(other), "", "another project has a draft of its own")
end)

test(":wqa during a turn ends the editor and the engine", function()
  local script = { replies = { call("bash", { command = "sleep 600" }) } }
  local vi = child.start({ stock = true, script = script })
  open_prompt(vi)
  vi:keys("igo<Esc><CR>")
  vi:wait_chat("running")
  local engine = vi:engine_pid()
  vi:keys("inever sent<Esc>:wqa<CR>")
  assert(vim.fn.jobwait({ vi.job }, 10000)[1] == 0, "the editor ends")
  vi.chan = nil
  child.wait_gone(engine)
end)

test("the prompt's text can be written to a file by name", function()
  local vi = child.start({ stock = true, script = IDLE })
  open_prompt(vi)
  vi:keys("ikept<Esc>:w note.txt<CR>")
  vi:wait("vim.uv.fs_stat('note.txt')")
  equal(child.read(vi.dir .. "/note.txt"), "kept\n")
  equal(prompt_of(vi), "kept")
end)
