/** Attachments that only the editor has: a terminal's last command, git's diff, all problems. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chipOf, textOfInput } from "../../src/chat/input.ts";
import {
  cutMiddle,
  diffInput,
  problemInputs,
  Recorder,
  sourceCandidates,
  terminalInput,
} from "../../src/chat/sources.ts";

for (const [query, want] of [
  ["", ["terminal", "diff", "diagnostics"]],
  ["ter", ["terminal"]],
  ["DIFF", ["diff"]],
  ["git", ["diff"]],
  ["chan", ["diff"]],
  ["di", ["diff", "diagnostics"]],
  ["prob", ["diagnostics"]],
  // The letters alone, in their order, would put these above many files.
  ["tml", []],
  ["src/terminal.ts", []],
] as const) {
  test(`sources for @${query}`, () =>
    assert.deepEqual(
      sourceCandidates(query).map(({ label }) => label),
      want,
    ));
}

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}`).join("\n");

for (const [name, text, most, share, gap, want] of [
  ["a short one", "a\nb", 10, 0.5, undefined, ["a\nb", 0, 2]],
  ["one that fits exactly", "a\nb\nc", 6, 0.5, undefined, ["a\nb\nc", 0, 3]],
  [
    "half and half",
    lines(10),
    28,
    0.5,
    undefined,
    ["line 0\nline 1\n[… 6 lines left out …]\nline 8\nline 9", 6, 10],
  ],
  [
    "mostly the end",
    lines(10),
    28,
    0.25,
    undefined,
    ["line 0\n[… 6 lines left out …]\nline 7\nline 8\nline 9", 6, 10],
  ],
  ["one line too many", lines(3), 20, 0.5, undefined, ["line 0\n[… 1 line left out …]\nline 2", 1, 3]],
  [
    "with lines missing already",
    "a\nb\nc",
    100,
    0.5,
    { at: 2, lines: 5000 },
    ["a\nb\n[… 5,000 lines left out …]\nc", 5000, 5003],
  ],
  [
    "more around a gap",
    lines(8),
    28,
    0.5,
    { at: 4, lines: 2 },
    ["line 0\nline 1\n[… 6 lines left out …]\nline 6\nline 7", 6, 10],
  ],
] as const) {
  test(`a text cut in its middle: ${name}`, () => {
    const { text: cut, left, lines: count } = cutMiddle(text, most, share, gap);
    assert.deepEqual([cut, left, count], want);
  });
}

test("a long line, as of a minified file, is cut by itself", () => {
  const { text, left } = cutMiddle(`a\n${"x".repeat(5000)}\nb`, 10_000);
  assert.equal(text, `a\n${"x".repeat(1000)} […]\nb`);
  assert.equal(left, 0);
});

function recorded(...data: string[]): Recorder {
  const recorder = new Recorder();
  for (const each of data) recorder.write(each);
  return recorder;
}

for (const [name, data, want] of [
  [
    "marks of the shell's integration",
    ["\u001b]633;C\u0007one\r\n", "two\r\n\u001b]633;D;0\u0007"],
    "one\ntwo",
  ],
  ["colors and lines written over", ["\u001b[31mred\u001b[0m\r\n", " 1%\r100%\r\n"], "red\n100%"],
  ["a sequence in two pieces", ["\u001b[3", "1mred\u001b[0m"], "red"],
  ["nothing", [], ""],
] as const) {
  test(`what a terminal shows of an output: ${name}`, () =>
    assert.equal(recorded(...data).read().text, want));
}

for (const size of [500, 5000, 100_000]) {
  test(`of ${size} lines the first and the last ones are kept, and all are counted`, () => {
    const recorder = new Recorder();
    for (let n = 0; n < size; n++) recorder.write(`\u001b[32mline ${n}\u001b[0m\r\n`);
    const { text, left, lines: count } = recorder.read();
    const kept = text.split("\n");
    assert.equal(kept[0], "line 0");
    assert.equal(kept.at(-1), `line ${size - 1}`);
    assert.equal(count, size);
    assert.ok(text.length <= 16_100, String(text.length));
    const shown = kept.filter((line) => line.startsWith("line "));
    assert.equal(shown.length + left, size);
    assert.equal(new Set(shown).size, shown.length);
    assert.equal(left > 0, size > 1000);
  });
}

test("a terminal's last command is attached with its outcome; the fence is longer than any in it", () => {
  const run = { command: "npm test", output: recorded("```\r\nfailed\r\n"), exitCode: 1, isRunning: false };
  const input = terminalInput("bash", run);
  assert.deepEqual(input, {
    type: "selection",
    path: "terminal:bash",
    range: { start: 1, end: 7 },
    text: "The terminal, bash, last command, exit code 1:\n\n````console\n$ npm test\n```\nfailed\n````",
  });
  assert.deepEqual(chipOf(input), {
    icon: "terminal",
    label: "terminal: bash",
    title: "The terminal, bash, last command, exit code 1",
  });
  assert.equal(textOfInput([input]), "[terminal: bash]");
  const running = terminalInput("zsh", {
    ...run,
    output: new Recorder(),
    exitCode: undefined,
    isRunning: true,
  });
  assert.match(
    running.text,
    /^The terminal, zsh, last command, still running:\n\n```console\n\$ npm test\n```$/,
  );
});

test("a diff counts its files and lines", () => {
  const file = (name: string, count: number): string =>
    [
      `diff --git a/${name} b/${name}`,
      "@@ -1 +1 @@",
      ...Array.from({ length: count }, () => "+@decorator"),
    ].join("\n");
  const small = diffInput(["diff", "HEAD"], `${file("a.ts", 1)}\n${file("b.ts", 2)}\n`);
  assert.match(
    small.text,
    /^The output of `git diff HEAD`, 2 files, 7 lines:\n\n```diff\ndiff --git a\/a\.ts/,
  );
  assert.deepEqual(chipOf(small), {
    icon: "diff",
    label: "2 changed files",
    title: "The output of `git diff HEAD`, 2 files, 7 lines",
  });
  const large = diffInput(["diff", "HEAD"], file("a.ts", 20_000));
  assert.match(
    large.text,
    /^The output of `git diff HEAD`, 1 file, 20,002 lines, 1\d,\d+ lines in the middle left out:/,
  );
  // The engine keeps 64 KB of a selection.
  assert.ok(Buffer.byteLength(large.text) < 64 * 1024);
  assert.equal(chipOf(large).label, "1 changed file");
});

test("files with errors come first, up to a limit of problems", () => {
  const items = (
    count: number,
    severity: "error" | "warning",
  ): { line: number; severity: typeof severity; message: string }[] =>
    Array.from({ length: count }, (_, n) => ({ line: n + 1, severity, message: "m" }));
  const inputs = problemInputs([
    { path: "/w/b", items: items(3, "warning") },
    { path: "/w/none", items: [] },
    { path: "/w/c", items: items(150, "error") },
    { path: "/w/a", items: items(2, "warning") },
  ]);
  assert.deepEqual(
    inputs.map((each) => each.type === "diagnostics" && [each.path, each.items.length]),
    [["/w/c", 100]],
  );
  const few = problemInputs([
    { path: "/w/b", items: items(3, "warning") },
    { path: "/w/a", items: items(2, "warning") },
  ]);
  assert.deepEqual(
    few.map((each) => each.type === "diagnostics" && each.path),
    ["/w/a", "/w/b"],
  );
});
