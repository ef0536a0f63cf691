import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Memory } from "../../src/sessions/memory.ts";

function place(test: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pintle-memory-"));
  test.after(() => fs.rmSync(folder, { recursive: true }));
  return path.join(folder, "deep");
}

/** A window on a folder, once it has its file. */
async function window(folder: string, workspace = "/w", patienceMs = 0): Promise<Memory> {
  const memory = new Memory(folder, workspace);
  await memory.claim(patienceMs);
  await memory.isKnown;
  return memory;
}

test("a window remembers its session, and a draft for each", async (t) => {
  const folder = place(t);
  const memory = await window(folder);
  memory.session = "s1";
  memory.setDraft("s1", "half a 句子");
  memory.setDraft(undefined, "for a new one");
  memory.release();
  memory.setDraft("s1", "too late");
  const next = await window(folder);
  assert.deepEqual(
    [next.session, next.draft("s1"), next.draft(undefined), next.draft("s2")],
    ["s1", "half a 句子", "for a new one", ""],
  );
  next.session = undefined;
  next.setDraft("s1", "");
  next.release();
  const last = await window(folder);
  assert.deepEqual([last.session, last.draft("s1")], [undefined, ""]);
  assert.equal((await window(folder, "/other")).draft(undefined), "");
});

test("two windows on a folder have drafts of their own, and the second begins with the session of the first", async (t) => {
  const folder = place(t);
  const first = await window(folder);
  first.session = "s1";
  first.setDraft("s1", "mine");
  const second = await window(folder);
  assert.deepEqual([second.session, second.draft("s1")], ["s1", ""]);
  second.session = "s2";
  second.setDraft("s1", "yours");
  assert.deepEqual([first.session, first.draft("s1")], ["s1", "mine"]);
});

test("a window that is loaded anew waits for the one before it to end, and goes on with what that kept", async (t) => {
  const folder = place(t);
  const other = await window(folder);
  other.session = "other";
  const before = await window(folder);
  before.session = "s2";
  before.setDraft("s2", "not sent yet");
  const after = new Memory(folder, "/w");
  const claimed = after.claim(60_000);
  before.release();
  await claimed;
  assert.deepEqual([after.session, after.draft("s2")], ["s2", "not sent yet"]);
});

test("the window that was closed last comes back first", async (t) => {
  const folder = place(t);
  const [first, second] = [await window(folder), await window(folder)];
  second.session = "s2";
  first.session = "s1";
  for (const [at, name] of fs
    .readdirSync(folder)
    .filter((each) => each.endsWith(".json"))
    .sort()
    .entries()) {
    fs.utimesSync(path.join(folder, name), at + 1, at + 1);
  }
  second.release();
  first.release();
  const names = fs
    .readdirSync(folder)
    .filter((each) => each.endsWith(".json"))
    .sort();
  const newest = JSON.parse(fs.readFileSync(path.join(folder, names.at(-1) ?? ""), "utf8")) as {
    session: string;
  };
  assert.equal((await window(folder)).session, newest.session);
});

test("what is said before the file is known holds, and a lock of a process that is gone does not", async (t) => {
  const folder = place(t);
  const memory = await window(folder);
  memory.session = "s1";
  const [lock] = fs.readdirSync(folder).filter((each) => each.endsWith(".lock"));
  fs.writeFileSync(path.join(folder, lock ?? ""), "999999999");
  const next = new Memory(folder, "/w");
  next.setDraft("s1", "typed at once");
  await next.claim(0);
  assert.deepEqual([next.session, next.draft("s1")], ["s1", "typed at once"]);
});

test("a broken file counts as none, and that of a version before is read", async (t) => {
  const folder = place(t);
  const memory = await window(folder);
  memory.session = "s1";
  memory.release();
  const [name = ""] = fs.readdirSync(folder).filter((each) => each.endsWith(".json"));
  fs.writeFileSync(path.join(folder, name), "{");
  const broken = await window(folder);
  assert.equal(broken.session, undefined);
  broken.release();
  fs.writeFileSync(path.join(folder, name), '{"session":"s9","draft":"old"}');
  assert.equal((await window(folder)).draft("s9"), "old");
});
