import assert from "node:assert/strict";
import { test } from "node:test";
import type { Look } from "../../src/transcript/ansi.ts";
import { plain, readAnsi } from "../../src/transcript/ansi.ts";

/** Lines with their looks in brackets. */
function drawn(text: string): string {
  const name = (look: Look): string =>
    Object.entries(look)
      .map(([key, value]) => (value === true ? key : `${key} ${value}`))
      .join(", ");
  const piece = ({ text, look }: { text: string; look: Look }): string =>
    Object.keys(look).length === 0 ? text : `[${name(look)}: ${text}]`;
  return readAnsi(text)
    .lines.map((pieces) => pieces.map(piece).join(""))
    .join("\n");
}

for (const [name, input, want] of [
  ["plain text stays", "one\ntwo\n", "one\ntwo\n"],
  ["a colour, and its end", "a \u001b[31mred\u001b[0m b", "a [front 1: red] b"],
  ["a colour goes on over lines", "\u001b[32m1\ntwo\u001b[39m three", "[front 2: 1]\n[front 2: two] three"],
  ["a bright colour on another", "\u001b[1;97;44mx\u001b[m", "[bold, front 15, back 4: x]"],
  [
    "one of 256",
    "\u001b[38;5;9mx\u001b[38;5;196my\u001b[48;5;244mz",
    "[front 9: x][front rgb(255, 0, 0): y][front rgb(255, 0, 0), back rgb(128, 128, 128): z]",
  ],
  ["a colour of its own", "\u001b[38;2;1;2;300mx", "[front rgb(1, 2, 255): x]"],
  ["bold ends, the colour stays", "\u001b[1;31ma\u001b[22mb", "[bold, front 1: a][front 1: b]"],
  ["a line that is written over", "10 %\r50 %\r100 %", "100 %"],
  ["a shorter one leaves the rest", "abcdef\rxy", "xycdef"],
  ["unless it is erased", "abcdef\r\u001b[Kxy", "xy"],
  ["all of the line is erased", "abc\u001b[2K\rx", "x"],
  ["line ends of Windows", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["a step back", "ab\bc", "ac"],
  ["titles and other sequences are left out", "\u001b]0;title\u0007a\u001b[?25lb\u001b(Bc", "abc"],
  ["a link shows its text", "\u001b]8;;https://x.y\u001b\\text\u001b]8;;\u001b\\", "text"],
  ["a sequence that is not whole yet is not seen", "ab\u001b[3", "ab"],
  ["the cursor moves in its line", "\u001b[5Gx\u001b[2Dy", "   yx"],
  ["wide characters and blanks without width", "汉\r字🦀", "字🦀"],
] as const) {
  test(`a terminal: ${name}`, () => {
    assert.equal(drawn(input), want);
  });
}

test("a terminal: what is copied is the text alone", () => {
  assert.equal(plain("\u001b[31ma\u001b[0m\nb\rc\n"), "a\nc\n");
});

test("a terminal: the look goes on in the next piece", () => {
  const first = readAnsi("\u001b[31m1\n");
  assert.deepEqual(readAnsi("two", first.look).lines, [[{ text: "two", look: { front: 1 } }]]);
});
