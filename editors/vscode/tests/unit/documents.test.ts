import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import type { ApplyEditParams, InitializeResult } from "pintle-client";
import { Documents } from "../../src/documents/documents.ts";
import { Edits } from "../../src/documents/edits.ts";
import { FakeEditor, rig } from "./support.ts";

/** An engine that takes all it is told, and what it was told. */
function told(most = 1_000_000, editor = new FakeEditor()) {
  const sent: string[] = [];
  const wire = {
    request: (method: string, params: object): Promise<never> => {
      const rest = JSON.stringify({ ...params, path: undefined });
      sent.push(`${method.replace("document/", "")} ${rest}`);
      return Promise.resolve({} as never);
    },
  };
  const info = (documents: boolean): InitializeResult => ({
    protocol: { name: "pintle", version: "2.0" },
    engine: { name: "pintle", version: "1", schemaHash: "" },
    capabilities: documents ? { documents: {} } : {},
    limits: { maxMessageBytes: most, maxInFlight: 1 },
  });
  const documents = new Documents(() => ["/w"], editor);
  const take = (): string[] => sent.splice(0);
  return { documents, editor, take, connect: (takes = true) => documents.connected(wire, info(takes)) };
}

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const typed = (text: string) => ({ range, text });

test("what is open below the folder is told when the engine comes, and again when it comes again", () => {
  const { editor, take, connect } = told();
  editor.put("/w/a.txt", 3, "a\n", true);
  editor.put("/w/b 文件.txt", 1, "b\r\n", false, 2);
  for (const outside of ["/v/c.txt", "/w2/d.txt", "/w"]) editor.put(outside, 1, "x", true);
  const want = [
    'open {"version":3,"text":"a\\n","dirty":true}',
    'open {"version":1,"text":"b\\r\\n","dirty":false}',
  ];
  connect();
  assert.deepEqual(take(), want);
  connect();
  assert.deepEqual(take(), want);
});

test("an engine that takes no documents is told of none", () => {
  const { documents, editor, take, connect } = told();
  const document = editor.put("/w/a.txt", 3, "a\n", true);
  connect(false);
  documents.changed(document, [typed("x")]);
  documents.flush();
  documents.closed("/w/a.txt");
  assert.deepEqual(take(), []);
});

for (const [name, now, changes, want] of [
  [
    "typing",
    [2, "xa", true],
    [typed("x")],
    ['change {"version":2,"changes":[{"range":R,"text":"x"}],"dirty":true}'],
  ],
  [
    "other line ends",
    [2, "a\r\n", true, 2],
    [],
    ['change {"version":2,"changes":[{"text":"a\\r\\n"}],"dirty":true}'],
  ],
  [
    "typing with other line ends",
    [2, "xa\r\n", true, 2],
    [typed("x")],
    ['change {"version":2,"changes":[{"text":"xa\\r\\n"}],"dirty":true}'],
  ],
  ["nothing", [1, "a", false], [], []],
] as const) {
  test(`a change is told: ${name}`, () => {
    const { documents, editor, take, connect } = told();
    editor.put("/w/a.txt", 1, "a", false);
    connect();
    take();
    const [version, text, dirty, eol] = now;
    documents.changed(editor.put("/w/a.txt", version, text, dirty, eol), [...changes]);
    assert.deepEqual(
      take().map((each) => each.replace(JSON.stringify(range), "R")),
      want,
    );
  });
}

test("a document is saved once, and only in the version that is on disk", () => {
  const { documents, editor, take, connect } = told();
  editor.put("/w/a.txt", 2, "a", true);
  connect();
  take();
  // The file was written while a key came: it is dirty still.
  documents.changed(editor.put("/w/a.txt", 3, "ab", true), [typed("b")]);
  documents.changed(editor.put("/w/a.txt", 3, "ab", true));
  assert.equal(take().length, 1);
  const saved = editor.put("/w/a.txt", 3, "ab", false);
  documents.changed(saved);
  documents.changed(saved);
  assert.deepEqual(take(), ['save {"version":3}']);
});

test("a document that is dirty by no change of its text is told anew, at the latest before something is asked", () => {
  const { documents, editor, take, connect } = told();
  editor.put("/w/a.txt", 1, "a", false);
  connect();
  take();
  documents.changed(editor.put("/w/a.txt", 1, "a", true));
  assert.deepEqual(take(), [], "the change that made it so may be on its way");
  documents.flush();
  assert.deepEqual(take(), ['open {"version":1,"text":"a","dirty":true}']);
  documents.flush();
  assert.deepEqual(take(), []);
  documents.lost();
});

test("what was missed is told before something is asked", () => {
  const { documents, editor, take, connect } = told();
  editor.put("/w/gone.txt", 1, "x", false);
  connect();
  take();
  editor.open = [];
  editor.put("/w/a.txt", 5, "new", true);
  documents.flush();
  assert.deepEqual(take(), ['open {"version":5,"text":"new","dirty":true}', "close {}"]);
  editor.put("/w/a.txt", 7, "newer", true);
  documents.flush();
  assert.deepEqual(take(), ['change {"version":7,"changes":[{"text":"newer"}],"dirty":true}']);
});

test("a text that is too long for the engine is said once, and not sent", () => {
  const { documents, editor, take, connect } = told(20);
  const document = editor.put("/w/a.txt", 1, "界".repeat(4), true);
  connect();
  documents.changed(document, [typed("x")]);
  documents.flush();
  assert.deepEqual(take(), []);
  assert.deepEqual(editor.refusals, ["/w/a.txt: too long"]);
  documents.closed("/w/a.txt");
  documents.changed(editor.put("/w/a.txt", 1, "ok", true));
  assert.deepEqual(take(), ['open {"version":1,"text":"ok","dirty":true}']);
});

const edit = (version: number, more: object = {}): ApplyEditParams => ({
  label: "edit",
  edits: [{ path: "/w/a.txt", version, changes: [{ range, text: "x" }], save: false, ...more }],
});

for (const [name, params, prepare, want] of [
  [
    "made, and told before the answer",
    edit(4),
    (editor: FakeEditor) => {
      editor.onApply = () => Boolean(editor.put("/w/a.txt", 5, "xa", true));
    },
    { applied: true, versions: [{ path: "/w/a.txt", version: 5 }] },
  ],
  [
    "another version",
    edit(3),
    () => undefined,
    { applied: false, failureReason: "/w/a.txt has changed: it is at version 4, not 3" },
  ],
  [
    "not open",
    { label: "", edits: [{ ...edit(4).edits[0], path: "/w/b.txt" }] },
    () => undefined,
    { applied: false, failureReason: "/w/b.txt is not open in the editor" },
  ],
  [
    "typed into meanwhile",
    edit(4),
    (editor: FakeEditor) => {
      editor.onApply = () => {
        editor.put("/w/a.txt", 5, "typed", true);
        return false;
      };
    },
    {
      applied: false,
      failureReason: "VS Code did not make the edit; it may have been typed into meanwhile",
    },
  ],
  [
    "it throws",
    edit(4),
    (editor: FakeEditor) => {
      editor.onApply = () => Promise.reject(new Error("no such document"));
    },
    { applied: false, failureReason: "no such document" },
  ],
  [
    "saved",
    edit(4, { save: true }),
    (editor: FakeEditor) => {
      editor.onApply = () => Boolean(editor.put("/w/a.txt", 5, "xa", true));
      editor.onSave = () => Boolean(editor.put("/w/a.txt", 5, "xa", false));
    },
    { applied: true, versions: [{ path: "/w/a.txt", version: 5 }] },
  ],
  [
    "not saved",
    edit(4, { save: true }),
    (editor: FakeEditor) => {
      editor.onSave = () => false;
    },
    {
      applied: true,
      versions: [{ path: "/w/a.txt", version: 4 }],
      failureReason:
        "/w/a.txt was changed in the editor, but not written: VS Code did not write it; the file may have changed on disk",
    },
  ],
  [
    "typed into before it is saved",
    edit(4, { save: true }),
    (editor: FakeEditor) => {
      editor.onApply = () => Boolean(editor.put("/w/a.txt", 6, "xab", true));
      editor.onSave = () => assert.fail("what was typed is not written");
    },
    {
      applied: true,
      versions: [{ path: "/w/a.txt", version: 6 }],
      failureReason: "/w/a.txt was changed in the editor, but not written: it was typed into meanwhile",
    },
  ],
  [
    "saving never ends",
    edit(4, { save: true }),
    (editor: FakeEditor) => {
      editor.onSave = () => new Promise<boolean>(() => undefined);
    },
    {
      applied: true,
      versions: [{ path: "/w/a.txt", version: 4 }],
      failureReason: "/w/a.txt was changed in the editor, but not written: it took longer than 0.001 s",
    },
  ],
] as [string, ApplyEditParams, (editor: FakeEditor) => void, object][]) {
  test(`an edit of the engine: ${name}`, async () => {
    const { documents, editor, take, connect } = told();
    editor.put("/w/a.txt", 4, "a", true);
    connect();
    take();
    prepare(editor);
    const result = await new Edits(editor, documents, 1).apply(params);
    assert.deepEqual(result, want);
    const version = editor.open[0]?.version ?? 0;
    assert.equal(take().length > 0, version > 4, "the change is told before the answer, if there was one");
  });
}

test("no two edits are made at once", async () => {
  const { documents, editor, connect } = told();
  editor.put("/w/a.txt", 4, "a", true);
  connect();
  let made: (isMade: boolean) => void = () => undefined;
  editor.onApply = () => new Promise<boolean>((resolve) => (made = resolve));
  const edits = new Edits(editor, documents);
  const first = edits.apply(edit(4));
  assert.deepEqual(await edits.apply(edit(4)), {
    applied: false,
    failureReason: "another edit is being made",
  });
  made(true);
  assert.equal((await first).applied, true);
});

test("through the whole: told before a turn, a steer and an answer; again after a crash", async (t) => {
  const { chat, editor, sent, until, folder: workspace } = rig(t, { documents: true }, "s1");
  const file = path.join(workspace, "a.txt");
  editor.put(file, 1, "a", true);
  await chat.start();
  await until("the session is there", () => chat.state?.seq === 5);
  assert.deepEqual(
    sent("document/").map((each) => each.params),
    [{ path: file, version: 1, text: "a", dirty: true }],
  );
  const order = (): string[] => [...sent("document/change"), ...sent("turn/")].map((each) => each.method);
  editor.put(file, 2, "ab", true);
  await chat.send("go");
  const lines = sent("").map((each) => each.method);
  assert.ok(lines.indexOf("document/change") < lines.indexOf("turn/start"), lines.join(" "));
  assert.deepEqual(order(), ["document/change", "turn/start"]);
  process.kill(chat.engine.processId ?? 0, "SIGKILL");
  await until("it is back", () => chat.openId() === "s1" && sent("initialize").length === 2);
  await until("all is told again", () => sent("document/open").length === 2);
  assert.deepEqual(sent("document/open")[1]?.params, { path: file, version: 2, text: "ab", dirty: true });
});

for (const [name, plan, want, refusals] of [
  ["forgets it", { forgets: "document/change" }, ["document/open", "document/change", "document/open"], 0],
  ["has no room", { refuses: "document/change" }, ["document/open", "document/change"], 1],
] as const) {
  test(`an engine that ${name} is told anew, or the person is`, async (t) => {
    const { chat, editor, sent, folder, until } = rig(t, { documents: true, ...plan }, "s1");
    const file = path.join(folder, "a.txt");
    editor.put(file, 1, "a", true);
    await chat.start();
    await until("the session is there", () => chat.openId() === "s1");
    chat.documents.changed(editor.put(file, 2, "ab", true), [typed("b")]);
    await chat.request("ping", {});
    await chat.request("ping", {});
    assert.deepEqual(
      sent("document/").map((each) => each.method),
      want,
    );
    assert.equal(editor.refusals.length, refusals);
  });
}

test("the engine's edits are answered, also those that cannot be made", async (t) => {
  const one = { path: "/nowhere/b.txt", version: 1, changes: [], save: false };
  const { chat, until } = rig(t, { documents: true, edits: [{ label: "edit", edits: [one] }] }, "s1");
  await chat.start();
  await until("the session is there", () => chat.state?.seq === 5);
  await chat.request("ping", {});
  await until("it is answered", () => chat.state?.entries.at(-1)?.kind === "notice");
  const last = chat.state?.entries.at(-1);
  assert.equal(
    last?.kind === "notice" ? last.notice.message : "",
    '{"applied":false,"failureReason":"/nowhere/b.txt is not open in the editor"}',
  );
});
