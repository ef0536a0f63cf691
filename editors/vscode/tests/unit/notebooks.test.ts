/** Notebooks as they are attached: their cells' text, and what is selected in them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Input } from "pintle-client";
import { attach, chipOf } from "../../src/chat/input.ts";
import type { ShownNotebook } from "../../src/documents/notebooks.ts";
import { shownNotebook } from "../../src/documents/notebooks.ts";

const BOOK: ShownNotebook = {
  path: "/w/a.ipynb",
  dirty: false,
  cells: [
    { language: "markdown", text: "# Title" },
    { language: "python", text: "x = 1\ny = 2" },
    { language: "python", text: "x + y" },
  ],
  range: { start: 1, end: 2 },
  selection: undefined,
};
const WHOLE =
  "# all cells\n# cell 1 (markdown)\n# Title\n\n# cell 2 (python)\nx = 1\ny = 2\n\n# cell 3 (python)\nx + y";

const cases: [string, Partial<ShownNotebook>, Input, string][] = [
  ["a saved notebook is a file", {}, { type: "file", path: "/w/a.ipynb" }, "a.ipynb"],
  [
    "of one with unsaved changes, the cells",
    { dirty: true },
    { type: "selection", path: "/w/a.ipynb", range: { start: 1, end: 10 }, text: WHOLE },
    "a.ipynb",
  ],
  [
    "several cells",
    { range: { start: 1, end: 3 } },
    {
      type: "selection",
      path: "/w/a.ipynb",
      range: { start: 1, end: 7 },
      text: "# cell 2 to 3\n# cell 2 (python)\nx = 1\ny = 2\n\n# cell 3 (python)\nx + y",
    },
    "a.ipynb, cell 2–3",
  ],
  [
    "selected text in a cell",
    { selection: { cell: 1, startLine: 1, endLine: 1, endColumn: 5, text: "y = 2" } },
    {
      type: "selection",
      path: "/w/a.ipynb",
      range: { start: 2, end: 2 },
      text: "# cell 2 (python), lines of the cell\ny = 2",
    },
    "a.ipynb, cell 2",
  ],
  [
    "a cursor in a cell is no selection",
    { selection: { cell: 1, startLine: 1, endLine: 1, endColumn: 5, text: "" } },
    { type: "file", path: "/w/a.ipynb" },
    "a.ipynb",
  ],
  [
    "a notebook without cells",
    { cells: [], range: { start: 0, end: 0 } },
    { type: "file", path: "/w/a.ipynb" },
    "a.ipynb",
  ],
];

for (const [name, change, want, label] of cases) {
  test(`a notebook is attached: ${name}`, () => {
    const inputs = attach(shownNotebook({ ...BOOK, ...change }));
    assert.deepEqual(inputs, [want]);
    assert.equal(inputs[0] && chipOf(inputs[0]).label, label);
  });
}

test("other files may begin like a cell", () => {
  const range = { start: 1, end: 1 };
  assert.equal(chipOf({ type: "selection", path: "/w/a.py", range, text: "# cell 2" }).label, "a.py:1");
});
