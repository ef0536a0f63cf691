-- Headings and tables of messages, from their text alone.

local markdown = require("pintle.markdown")

-- A text, and what of it is a heading (by line, with the bytes of its signs) or a table.
test("headings and tables are found, and nothing else", function()
  for _, case in ipairs({
    { "# One\ntext\n## Two", { { 1, 2 }, { 3, 3 } }, {} },
    { "#hash\n####### seven\n    # code\n#", {}, {} },
    { "   ### three  ", { { 1, 7 } }, {} },
    { "```sh\n# no\n| a | b |\n|---|---|\n```\n# yes", { { 6, 2 } }, {} },
    { "~~~\n```\n# no\n~~~\n# yes", { { 5, 2 } }, {} },
    { "````\n```\n# no\n````\n# yes", { { 5, 2 } }, {} },
    { "| a | b |\n|---|---|\n| 1 | 2 |\n\ntext", {}, { { 1, 3 } } },
    { "text\na | b\n:-- | --:\n1 | 2", {}, { { 2, 4 } } },
    { "| a | b |\n|---|\n| 1 | 2 |\nend", {}, {} },
    { "a | b\ntext\n---|---\nend", {}, {} },
    { "| a |\n|---|\n| # |\n# head", { { 4, 2 } }, { { 1, 3 } } },
    { "| a |\n|---|\n```\n| b |\n```", {}, { { 1, 2 } } },
  }) do
    local state, headings, tables = markdown.new(), {}, {}
    local lines = vim.split(case[1], "\n", { plain = true })
    for number, line in ipairs(lines) do
      local heading, finished = markdown.line(state, line)
      if heading then
        headings[#headings + 1] = { number, heading }
      end
      tables[#tables + 1] = finished and { finished.first, finished.last }
    end
    local finished = markdown.finish(state, #lines)
    tables[#tables + 1] = finished and { finished.first, finished.last }
    equal({ headings, tables }, { case[2], case[3] }, case[1])
  end
end)

---A table as it is shown.
local function shown(text)
  local lines = vim.split(text, "\n", { plain = true })
  local pads, width = markdown.level(lines, vim.fn.strdisplaywidth)
  for at = #pads, 1, -1 do
    local pad = pads[at]
    local line = lines[pad.line]
    lines[pad.line] = line:sub(1, pad.col) .. pad.text .. line:sub(pad.col + 1)
  end
  return table.concat(lines, "\n"), width
end

test("table columns are level", function()
  for _, case in ipairs({
    { "| a | bb |\n|---|---|\n| 100 | 2 |", "| a   | bb |\n|-----|----|\n| 100 | 2  |", 12 },
    { "|a|b|\n|:-:|--:|\n|1234|x|\n|1|xy|", "| a  |  b|\n|:--:|--:|\n|1234|  x|\n| 1  | xy|" },
    { "a | b\n--|--\nlong | 1", "a    | b\n-----|--\nlong | 1" },
    { "| 長 | b |\n|--|--|\n| a | é |", "| 長 | b |\n|----|---|\n| a  | é |" },
    { "| a\\|b | c |\n|---|---|\n| 1 | 2 |", "| a\\|b | c |\n|------|---|\n| 1    | 2 |" },
    { "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |", "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |" },
    { "| a | b |\n|---|---|\n|  | 2 |", "| a | b |\n|---|---|\n|   | 2 |" },
  }) do
    local got, width = shown(case[1])
    equal(got, case[2])
    equal(case[3] or width, width)
  end
  local long = { "| a |", "|---|" }
  for number = 1, 400 do
    long[#long + 1] = ("| %d |"):format(number)
  end
  equal({ markdown.level(long, vim.fn.strdisplaywidth) }, { {}, 1000000 }, "too many lines")
end)

test("hidden signs do not count in a width", function()
  for text, width in pairs({
    ["plain"] = 5,
    [" **bold** "] = 6,
    ["`code`"] = 4,
    ["[text](https://example.org)"] = 4,
    ["snake_case_name"] = 15,
    ["a * b"] = 5,
    ["*長*"] = 2,
    ["a &amp; b"] = 5,
  }) do
    equal(markdown.shown_width(text), width, text)
  end
end)
