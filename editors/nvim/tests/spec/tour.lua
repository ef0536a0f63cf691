-- The tour of the README, as a person sees it on a terminal of 80 by 24, on a cassette. UPDATE=1 draws media/tour.svg anew.

local child = require("child")
local picture = require("picture")
local reply = require("reply")

local WIDTH, HEIGHT = 80, 24

test("the tour of the README, on a cassette", function()
  local dir = child.folder("greetings")
  child.write(dir .. "/greet.txt", "hello\nworld\nand all\nwho live\nin it\n")
  local pair = { oldText = "world", newText = "WORLD!" }
  local change = { tool = "edit", arguments = { path = "greet.txt", edits = { pair } } }
  local cassette = child.cassette({
    { blocks = { { text = "I make it loud." }, change } },
    reply.text("The second line is **loud** now."),
  })
  local model = "anthropic/claude-sonnet-4-5"
  local vi = child.start({
    dir = dir,
    stock = true,
    columns = WIDTH,
    lines = HEIGHT,
    before = "vim.o.termguicolors, vim.o.background = true, 'dark'",
    settings = { permission_mode = "ask", args = { "--replay", cassette, "--model", model, "--profile", "pi" } },
  })
  local frames = {}
  local drawn = child.read(vim.env.PINTLE_PLUGIN .. "/media/tour.svg")
  local onlooker = vim.env.UPDATE == "1" and picture.onlooker(vi:lua("return vim.v.servername"), WIDTH, HEIGHT)
  -- A frame is taken once the screen shows these texts.
  local function frame(seconds, caption, ...)
    for _, text in ipairs({ ... }) do
      vi:wait_screen(text)
    end
    if onlooker then
      frames[#frames + 1] = { rows = onlooker:rows(...), seconds = seconds, caption = caption }
    else
      contains(drawn, picture.escape(caption))
    end
  end

  vi:cmd("edit greet.txt")
  frame(4, "A file. :Pintle open shows the transcript and the prompt beside it.", "who live")
  vi:cmd("Pintle open")
  vi:wait("vim.api.nvim_buf_get_name(0):find('pintle://prompt/', 1, true)")
  vi:wait("require('pintle').status().session")
  frame(5, "The prompt is an ordinary buffer. Enter in Normal mode sends it.", "sends")
  vi:keys("iMake line 2 of @greet.txt loud")
  frame(6, "The prompt is an ordinary buffer. Enter in Normal mode sends it.", "line 2 of @greet.txt")
  vi:keys("<Esc><CR>")
  vi:wait("require('pintle.approval').count() == 1", "a question")
  frame(8, "It asks. Nothing takes the focus; you go on with your work.", "changes files", "asks for permission")
  vi:cmd("wincmd h")
  vi:cmd("Pintle attention")
  frame(10, ":Pintle attention shows the diff, and the answers below it.", "q keeps it open")
  vi:keys("/^.*Allow<CR><CR>")
  vi:wait_turn(1)
  vi:wait("require('pintle.review').is_open() and not require('pintle.review').is_busy()", "the hunk")
  vi:wait("vim.fn.bufwinid('greet.txt') == vim.api.nvim_get_current_win()")
  vi:cmd("normal! gg")
  vi:keys("]h")
  frame(12, "The change is a hunk in your buffer: ]h goes to it.", "hunk 1 of 1")
  vi:cmd("Pintle keep")
  vi:wait("require('pintle').status().hunks == 0")
  frame(7, ":Pintle keep accepts it; :Pintle undo would take it back.", "1 hunk kept")
  if onlooker then
    onlooker:quit()
    child.write(vim.env.PINTLE_PLUGIN .. "/media/tour.svg", picture.svg(frames, WIDTH, HEIGHT))
  end
end)
