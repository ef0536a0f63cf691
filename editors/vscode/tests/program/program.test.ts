/**
 * The extension's parts with the engine's program, which PINTLE_BIN names: on any system, and on Windows with the drive written as VS
 * Code and as the engine write it.
 */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { TextEdit } from "pintle-client";
import { problemOf } from "../../src/connection/problem.ts";
import { listSessions } from "../../src/sessions/list.ts";
import { real } from "../../src/documents/documents.ts";
import { isSame, labelOf } from "../../src/paths.ts";
import { Review } from "../../src/review/review.ts";
import { page, topics } from "../../src/help/help.ts";
import type { Rig } from "../unit/support.ts";
import { rig } from "../unit/support.ts";

const PROGRAM = process.env["PINTLE_BIN"] ?? "";
const IS_WINDOWS = process.platform === "win32";

/** A path as VS Code writes it. */
function asEditor(file: string): string {
  return IS_WINDOWS ? file.charAt(0).toLowerCase() + file.slice(1).replaceAll("/", "\\") : file;
}

interface Running extends Rig {
  review: Review;
  /** The file `a.txt` of the workspace. */
  file: string;
  /** Sends a prompt and waits for the end of its turn. */
  turn: () => Promise<void>;
}

const call = (tool: string, args: Record<string, unknown>) => ({ blocks: [{ tool, arguments: args }] });
const EDIT = call("edit", { path: "a.txt", oldText: "two", newText: "zwei" });
const DONE = { blocks: [{ text: "Done." }] };

/** A window on a folder with `a.txt`, whose engine answers as the script says. */
async function window(test: TestContext, text: string, replies: unknown[]): Promise<Running> {
  const all = rig(test, {});
  const { chat, settings, environment, folder, until } = all;
  const script = path.join(folder, "script.json");
  fs.writeFileSync(script, JSON.stringify({ replies }));
  settings.path = PROGRAM;
  settings.arguments = ["--script", script, "--permission", "full"];
  environment["PINTLE_HOME"] = path.join(folder, "home");
  environment["NODE_OPTIONS"] = "";
  const file = path.join(folder, "a.txt");
  fs.writeFileSync(file, text);
  const review = new Review(chat, {
    isShown: (shown) => isSame(real(shown), real(file)),
    changed: () => undefined,
    failed: (error) => assert.fail(String(error)),
  });
  await chat.start();
  assert.equal(chat.engine.status.kind, "ready", all.log.join("\n"));
  let turns = 0;
  const turn = async (): Promise<void> => {
    turns += 1;
    await chat.send("go");
    assert.equal(chat.problem, undefined);
    const ended = (): number => chat.state?.entries.filter(({ kind }) => kind === "turnEnd").length ?? 0;
    await until("the turn has ended", () => ended() === turns && chat.state?.activity === "idle");
  };
  return { ...all, review, file, turn };
}

/** The answers of a model: to the errands, in turn. */
async function errands(
  test: TestContext,
  replies: unknown[],
): Promise<Running & { run: (abort?: AbortController) => Promise<string> }> {
  const all = await window(test, "one\n", replies);
  const run = (abort = new AbortController()): Promise<string> =>
    all.window.errands.run(
      {
        cwd: all.folder,
        title: "Commit message",
        instructions: "Answer.",
        model: undefined,
        input: [{ type: "text", text: "Write." }],
      },
      abort.signal,
    );
  return { ...all, run };
}

/** The sessions that the engine has kept. */
async function kept({ chat, folder }: Rig): Promise<(string | undefined)[]> {
  const { sessions } = await chat.request("session/list", { cwd: asEditor(folder) });
  return sessions.map(({ title }) => title);
}

test("an errand returns the answer, without tools, and its session is deleted", async (test) => {
  const write = { tool: "write", arguments: { path: "b.txt", content: "b" } };
  const all = await errands(test, [
    { blocks: [{ text: "Let me see." }, write] },
    { blocks: [{ text: "Fix it" }] },
  ]);
  assert.equal(await all.run(), "Fix it");
  assert.equal(fs.existsSync(path.join(all.folder, "b.txt")), false);
  assert.deepEqual(await kept(all), []);
});

test("an errand that fails has the provider's words, and its session is deleted", async (test) => {
  const all = await errands(test, [{ blocks: [], error: { kind: "auth", message: "wrong key" } }]);
  await assert.rejects(all.run(), (error) => problemOf(error).need?.kind === "key");
  assert.deepEqual(await kept(all), []);
});

test("an errand is stopped while the model writes, and its session is deleted", async (test) => {
  const abort = new AbortController();
  const all = await errands(test, [{ blocks: [{ text: "a" }], hang: true }]);
  const { errands: its } = all.window;
  const receive = its.receive.bind(its);
  its.receive = (record) => {
    receive(record);
    abort.abort();
  };
  await assert.rejects(all.run(abort), { name: "AbortError" });
  assert.deepEqual(await kept(all), []);
});

test("an errand whose engine ends fails, and the next engine deletes its session", async (test) => {
  const all = await errands(test, [{ blocks: [{ text: "a" }], hang: true }]);
  const { errands: its, engine } = all.window;
  const receive = its.receive.bind(its);
  const isRunning = new Promise<void>((resolve) => {
    its.receive = (record) => {
      receive(record);
      resolve();
    };
  });
  const running = all.run();
  const failed = assert.rejects(running, { name: "Disconnected" });
  await isRunning;
  await engine.restart();
  await failed;
  await its.tidy();
  assert.deepEqual(await kept(all), []);
});

test("an errand that was stopped before it began asks the model nothing", async (test) => {
  const abort = new AbortController();
  const all = await errands(test, [{ blocks: [{ text: "a" }], hang: true }]);
  const running = all.run(abort);
  abort.abort();
  await assert.rejects(running, { name: "AbortError" });
  assert.deepEqual(await kept(all), []);
});

/** A text after edits, as an editor makes them: a column does not count the line's end. */
function edited(text: string, edits: TextEdit[]): string {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const offset = ({ line, character }: { line: number; character: number }): number => {
    const start = starts[line] ?? text.length;
    const end = text.slice(start).search(/\r?\n|$/) + start;
    return Math.min(start + character, end);
  };
  // From the last one on, so that the places of those before stay.
  const sorted = edits.toSorted((a, b) => offset(b.range.start) - offset(a.range.start));
  return sorted.reduce(
    (whole, { range, text: part }) =>
      whole.slice(0, offset(range.start)) + part + whole.slice(offset(range.end)),
    text,
  );
}

test("the program starts, and ends when it is told to", async (t) => {
  const { chat, log } = await window(t, "", [DONE]);
  const pid = chat.engine.processId ?? 0;
  await chat.window.dispose();
  assert.throws(() => process.kill(pid, 0));
  assert.ok(
    log.some((line) => line === "info engine ended: code 0"),
    log.join("\n"),
  );
});

test("a program that was killed is started again, and its session is there", async (t) => {
  const { chat, turn, until } = await window(t, "one\n", [DONE, DONE]);
  await turn();
  const [id, pid] = [chat.openId(), chat.engine.processId ?? 0];
  process.kill(pid, "SIGKILL");
  await until("another one runs", () => chat.engine.processId !== pid && chat.openId() === id);
  await turn();
});

for (const [name, text, want] of [
  ["LF", "one\ntwo\nthree\n", "one\nzwei\nthree\n"],
  ["CR LF", "one\r\ntwo\r\nthree\r\n", "one\r\nzwei\r\nthree\r\n"],
] as const) {
  test(`a change on disk keeps line ends, is a hunk of its file, and is undone: ${name}`, async (t) => {
    const { chat, review, file, folder, turn } = await window(t, text, [EDIT, DONE]);
    await turn();
    assert.equal(fs.readFileSync(file, "utf8"), want);
    await review.refresh();
    const shown = asEditor(real(file));
    const found = review.file(shown);
    assert.ok(found !== undefined, review.files.map((each) => each.path).join());
    assert.equal(labelOf(asEditor(real(folder)), found.path), "a.txt");
    assert.deepEqual(
      review.places(shown, want).map(({ row, count }) => [row, count]),
      [[1, 1]],
    );
    const baseline = await chat.request("review/baseline", { sessionId: found.session, path: shown });
    assert.equal(baseline.text, text);
    await review.decide({ type: "undo", target: { type: "file", path: shown } });
    assert.equal(fs.readFileSync(file, "utf8"), text);
    assert.deepEqual(review.files, []);
  });

  test(`an open document with unsaved text is read and edited in the editor: ${name}`, async (t) => {
    const read = call("read", { path: "a.txt" });
    const { chat, editor, file, turn, log } = await window(t, "old\n", [read, EDIT, DONE]);
    const shown = asEditor(real(file));
    const eol = name === "LF" ? 1 : 2;
    editor.put(shown, 1, text, true, eol);
    editor.onApply = ({ edits }) => {
      for (const { path: named, changes } of edits) {
        const document = chat.documents.find(named);
        assert.ok(document !== undefined, named);
        editor.put(shown, 2, edited(document.text(), changes), true, eol);
      }
      return true;
    };
    await turn();
    assert.equal(editor.open[0]?.text(), want, log.join("\n"));
    assert.equal(fs.readFileSync(file, "utf8"), "old\n", "what is unsaved is saved by the user");
    assert.deepEqual(editor.refusals, []);
  });
}

test("sessions of the folder are found, however it is written", async (t) => {
  const { chat, folder, turn } = await window(t, "one\n", [DONE]);
  await turn();
  const spellings = IS_WINDOWS ? [folder, asEditor(folder), folder.replaceAll("\\", "/")] : [folder];
  for (const each of spellings) {
    const sessions = await listSessions(chat, each);
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      [chat.openId()],
      each,
    );
  }
});

test("an attached file is read, however its path is written", async (t) => {
  const { chat, file, until } = await window(t, "one\n", [DONE]);
  await chat.send("look", [{ type: "file", path: asEditor(file) }]);
  assert.equal(chat.problem, undefined);
  await until(
    "the turn has ended",
    () => chat.state?.entries.some(({ kind }) => kind === "turnEnd") === true,
  );
});

test("the program's guides are listed and printed", async () => {
  const found = await topics(PROGRAM);
  assert.ok(found.some(({ topic }) => topic === "permissions"));
  assert.match(await page(PROGRAM, "permissions"), /^# /);
});
