import assert from "node:assert/strict";
import { test } from "node:test";
import { JobTerminal, paint } from "../../src/chat/jobTerminal.ts";
import type { Ask } from "../../src/chat/turns.ts";

/** What a request gets: a result, an error, or what a function waits for. */
type Step = object | undefined | (() => Promise<void>);

type Call = [method: string, params: Record<string, unknown>];

/** A job whose screens, or errors, come in this order, and the requests that were made for it. */
function job(screens: Step[], writes: Step[] = []) {
  const calls: Call[] = [];
  const shown: string[] = [];
  const ask = (async (method: string, params: Record<string, unknown>) => {
    calls.push([method, params]);
    const next = (method === "shell/screen" ? screens : writes).shift();
    if (next instanceof Error) throw next;
    if (typeof next === "function") await (next as () => Promise<void>)();
    return next;
  }) as unknown as Ask;
  const write = (text: string) => shown.push(text.replaceAll("\x1b", "␛"));
  return { terminal: new JobTerminal(ask, "s", "job-1", 1, write), calls, shown };
}

const screen = (rows: string[], row: number, column: number) => ({
  columns: 9,
  rows,
  cursor: { row, column },
});

for (const [name, painted, lines, want] of [
  ["two rows", screen(["a", "b"], 1, 1), "", "␛[?25l␛[?7l␛[H␛[0m␛[Ka\r\n␛[0m␛[Kb␛[0m␛[2;2H␛[?25h"],
  ["a hidden cursor", { columns: 9, rows: ["a"] }, "", "␛[?25l␛[?7l␛[H␛[0m␛[Ka␛[0m\r\n␛[J"],
  [
    "lines that went",
    screen(["a", "b"], 0, 0),
    "1\n2\n3\n",
    "␛[?25l␛[?7l␛[H␛[J1\r\n2\r\n3\r\n\r\n␛[H␛[0m␛[Ka\r\n␛[0m␛[Kb␛[0m␛[1;1H␛[?25h",
  ],
] as const)
  test(`a screen is painted: ${name}`, () => {
    const terminalScreen = { ...painted, rows: [...painted.rows] };
    assert.equal(paint(terminalScreen, lines, 2).replaceAll("\x1b", "␛"), want);
  });

test("a screen is followed from mark to mark until the job ends", async () => {
  const { terminal, calls, shown } = job([
    { screen: screen(["a"], 0, 1), lines: "", mark: "1" },
    { lines: "", mark: "2" },
    { lines: "a\nb\n", mark: "3", ended: true },
  ]);
  await terminal.follow();
  const of = { sessionId: "s", jobId: "job-1" };
  assert.deepEqual(calls, [
    ["shell/screen", of],
    ["shell/screen", { ...of, after: "1" }],
    ["shell/screen", { ...of, after: "2" }],
  ]);
  assert.equal(shown[0], "␛[?25l␛[?7l␛[H␛[0m␛[Ka␛[0m␛[1;2H␛[?25h");
  assert.match(
    shown.at(-1) ?? "",
    /a\r\nb\r\n.*The command has ended\. Press a key to close this terminal\./s,
  );
  assert.equal(terminal.hasEnded, true);
});

for (const [name, cursor, height, want] of [
  ["as high as the screen", 4, 5, "a b c d e; cursor in row 5"],
  ["the text at the end", undefined, 3, "c d e; no cursor"],
  ["the cursor above", 0, 3, "a b c; cursor in row 1"],
  ["the cursor at the end", 4, 2, "d e; cursor in row 2"],
] as const)
  test(`a lower terminal shows a part: ${name}`, () => {
    const rows = ["a", "b", "c", "d", "e"];
    const shown = {
      columns: 9,
      rows,
      ...(cursor === undefined ? {} : { cursor: { row: cursor, column: 0 } }),
    };
    const text = paint(shown, "", height);
    const at = /\x1b\[(\d+);1H/.exec(text)?.[1];
    const letters = [...text.matchAll(/\x1b\[K(\w)/g)].map(([, letter]) => letter).join(" ");
    assert.equal(`${letters}; ${at === undefined ? "no cursor" : `cursor in row ${at}`}`, want);
  });

test("a terminal that changes its height is painted again, until it ends", async () => {
  let fail: (why: Error) => void = () => undefined;
  const gone = () => new Promise<void>((_, reject) => (fail = reject));
  const { terminal, shown } = job([{ screen: screen(["a", "b"], 1, 0), lines: "1\n", mark: "1" }, gone]);
  terminal.resize(2);
  assert.deepEqual(shown, []);
  const following = terminal.follow();
  await new Promise((done) => setImmediate(done));
  assert.match(shown.join(), /1\r\n.*␛\[Ka\r\n/s);
  terminal.resize(1);
  assert.equal(shown[1], "␛[?25l␛[?7l␛[H␛[0m␛[Kb␛[0m␛[1;1H␛[?25h");
  fail(new Error("gone"));
  await following;
  const count = shown.length;
  terminal.resize(3);
  assert.equal(shown.length, count);
});

test("an engine that is gone ends the terminal, and a closed one shows nothing more", async () => {
  const { terminal, shown } = job([new Error("the engine exited")]);
  await terminal.follow();
  assert.equal(shown[0], "␛[?25h␛[?7h␛[999;1H\r\n␛[2mThe engine exited.␛[0m\r\n");
  const closed = job([() => Promise.resolve()]);
  closed.terminal.close();
  await closed.terminal.follow();
  assert.deepEqual([closed.calls, closed.shown], [[], []]);
});

test("what is typed while a text is under way follows it as one text", async () => {
  let goOn: () => void = () => undefined;
  const first = () => new Promise<void>((done) => (goOn = done));
  const { terminal, calls } = job([], [first, undefined]);
  const typed = terminal.type("a");
  await terminal.type("b");
  await terminal.type("\r");
  goOn();
  await typed;
  const texts = calls.map(([method, params]) => [method, params["text"], params["wantsScreen"]]);
  assert.deepEqual(texts, [
    ["shell/write", "a", false],
    ["shell/write", "b\r", false],
  ]);
});

test("a text that was refused is not typed later", async () => {
  const { terminal, calls } = job([], [new Error("job-1 has ended"), undefined]);
  await assert.rejects(terminal.type("a"), /job-1 has ended/);
  await terminal.type("b");
  assert.deepEqual(
    calls.map(([, params]) => params["text"]),
    ["a", "b"],
  );
});
