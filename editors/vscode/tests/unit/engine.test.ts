import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { judgeExit } from "../../src/connection/exit.ts";
import { installOn } from "../../src/connection/install.ts";
import { settingsCommand } from "../../src/settings/place.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { rig } from "./support.ts";

test("an engine of the right version is ready, in a folder with blanks and Chinese characters", async (t) => {
  const { chat, statuses } = rig(t, {});
  await chat.start();
  assert.deepEqual(
    statuses.map((each) => each.kind),
    ["starting", "ready"],
  );
});

test("an engine that is missing is said, with what to do", async (t) => {
  const { chat, settings, folder } = rig(t, {});
  settings.path = path.join(folder, "pintle");
  await chat.start();
  const status = chat.engine.status;
  assert.equal(status.kind, "failed");
  assert.match(status.problem, /is .*pintle, which is not a program/);
  assert.match(status.hint, /Install it, or locate its program/);
  assert.equal(status.cause, "path");
  settings.path = "";
  await chat.engine.restart();
  const { status: second } = chat.engine;
  assert.equal(second.kind === "failed" && second.cause, "notFound");
});

for (const [name, plan, problem, hint] of [
  ["older", { supported: ["0.9"] }, /speaks 0\.9, this extension speaks pintle 2\.0/, /too old/],
  ["newer", { supported: ["3.0"] }, /speaks 3\.0/, /update this extension/],
  ["newer that does not refuse", { version: "3.1" }, /speaks pintle 3\.1/, /update this extension/],
  [
    "another program",
    { exitAtOnce: true },
    /did not respond like an engine\. Output: No such option: serve\.$/,
    /path/,
  ],
] as const) {
  test(`an engine that does not fit is refused with a reason: ${name}`, async (t) => {
    const { chat } = rig(t, plan);
    await chat.start();
    const status = chat.engine.status;
    assert.equal(status.kind, "failed");
    assert.match(status.problem, problem);
    assert.match(status.hint, hint);
    assert.equal(chat.engine.processId, undefined);
  });
}

test("an engine of a newer minor version is used, and it is noted", async (t) => {
  const { chat, log } = rig(t, { version: "2.7" });
  await chat.start();
  assert.equal(chat.engine.status.kind, "ready");
  assert.ok(log.some((line) => line.includes("speaks protocol 2.7")));
});

test("lines on stdout that are no messages are reported and skipped", async (t) => {
  const { chat, log } = rig(t, { noise: true });
  await chat.start();
  assert.equal(chat.engine.status.kind, "ready");
  assert.equal(log.filter((line) => line.includes("skipped a line")).length, 4);
});

test("an engine killed in mid-stream is started again and the session goes on from the last event", async (t) => {
  const { chat, folder, statuses, until } = rig(t, { crashAfter: 3 }, "s1");
  await chat.start();
  await until("the events are there", () => chat.state?.seq === 5);
  assert.deepEqual(
    statuses.map((each) => each.kind),
    ["starting", "ready", "waiting", "starting", "ready"],
  );
  const opens = fs
    .readFileSync(path.join(folder, "log"), "utf8")
    .split("\n")
    .filter((line) => line.includes("session/open"))
    .map((line) => (JSON.parse(line) as { params: { fromSeq: number } }).params.fromSeq);
  assert.deepEqual(opens, [3, 3]);
  assert.equal(chat.state?.entries.length, 4);
});

test("a gap is filled by pages, in order, before what came meanwhile", async (t) => {
  const { chat, until } = rig(t, { gap: true, events: 50, page: 7 }, "s1");
  await chat.start();
  await until("all is there", () => chat.state?.seq === 51);
  assert.deepEqual(
    chat.state?.entries.map((each) => each.key),
    Array.from({ length: 50 }, (_, at) => `i${at + 2}`),
  );
});

test("events that were left out for slowness are read again", async (t) => {
  const { chat, until } = rig(t, { lag: true }, "s1");
  await chat.start();
  await until("all is there", () => chat.state?.seq === 9);
  assert.equal(chat.state?.entries.length, 8);
});

test("a session that a closing window still holds is asked for again", async (t) => {
  const { chat, until } = rig(t, { conflicts: true }, "s1");
  await chat.start();
  await until("all is there", () => chat.state?.seq === 5);
  assert.equal(chat.problem, undefined);
});

test("a session of the shared engine is asked for once, and opened there once the window shares it", async (t) => {
  const { chat, settings, folder, until } = rig(t, { isHeldByShared: true }, "s1");
  await chat.start();
  await until("it is told", () => chat.problem?.canAttach === true);
  assert.equal(chat.session?.isOpen, false);
  assert.equal(chat.engine.isShared, false);
  settings.shared = true;
  await chat.engine.restart();
  await until("all is there", () => chat.state?.seq === 5 && chat.problem === undefined);
  assert.equal(chat.engine.isShared, true);
  assert.deepEqual(fs.readFileSync(path.join(folder, "argv"), "utf8").split("\n"), [
    "serve --trust",
    "attach --trust",
    "",
  ]);
});

for (const [name, shared, state, want] of [
  ["a turn goes on, and is followed", false, "running", []],
  ["a turn of a shared engine goes on, and is followed", true, "running", []],
  ["a session in which nothing runs is closed", false, "idle", ["session/close"]],
  ["a shared engine closes a session in which nothing runs", true, "idle", ["session/close"]],
] as const) {
  test(`leaving a session: ${name}`, async (t) => {
    const { chat, settings, sent, until } = rig(t, { state }, "s1");
    settings.shared = shared;
    await chat.start();
    await until("all is there", () => chat.session?.isCurrent === true && chat.state?.activity === state);
    await chat.newSession();
    const left = [...sent("session/close"), ...sent("session/unsubscribe")];
    assert.deepEqual(
      left.map(({ method }) => method),
      want,
    );
    assert.equal(chat.session, undefined);
    assert.equal(chat.sessions.length, want.length === 0 ? 1 : 0);
    await chat.openSession("s1");
    assert.equal(chat.openId(), "s1");
    assert.equal(sent("session/open").length, want.length + 1, "what goes on is shown as it is");
  });
}

test("sessions that went on when a window ended are open in the next one, and are not shown", async (t) => {
  const { chat, memory, sent, until } = rig(t, {});
  memory.others = ["s1"];
  await chat.start();
  await until("it is open", () => chat.sessions[0]?.isOpen === true);
  assert.equal(chat.session, undefined);
  assert.deepEqual(chat.openIds(), ["s1"]);
  await chat.openSession("s1");
  assert.equal(chat.openId(), "s1");
  assert.equal(sent("session/open").length, 1, "it was open");
  assert.deepEqual(memory.others, []);
});

test("a shared engine that runs with other options says so, and what to do", async (t) => {
  const words = "pintle: the shared engine runs with other options: none";
  const { chat, settings, log } = rig(t, { exitAtOnce: true, words });
  settings.shared = true;
  settings.arguments = ["--read-only"];
  await chat.start();
  const status = chat.engine.status;
  assert.equal(status.kind, "failed");
  assert.match(status.problem, /runs with other options: none/);
  assert.match(status.hint, /pintle\.arguments/);
  assert.ok(log.some((line) => line.startsWith("info The setting pintle.arguments applies")));
});

test("windows have ids of their own, which stay when an engine is started again", async (t) => {
  const { chat, sent } = rig(t, {});
  await chat.start();
  await chat.engine.restart();
  const ids = sent("initialize").map(({ params }) => (params["client"] as { id: string }).id);
  assert.deepEqual(ids, [chat.engine.clientId, chat.engine.clientId]);
  assert.notEqual(rig(t, {}).chat.engine.clientId, chat.engine.clientId);
});

test("a protocol error is shown with its hint, and the text goes back to the prompt box", async (t) => {
  const { chat, returned, memory } = rig(t, {});
  await chat.send("do it");
  assert.deepEqual(chat.problem, {
    text: "The input is odd.",
    hint: "Say more.",
    isConflict: false,
    canAttach: false,
  });
  assert.deepEqual(returned, ["do it"]);
  assert.equal(memory.session, "s1");
});

test("a session that another window holds is told at once, can be read, and takes no message", async (t) => {
  const { chat, folder, returned, sent, until } = rig(t, { isHeld: true }, "s1");
  const started = chat.start();
  await until("it is told", () => chat.problem?.isConflict === true);
  assert.equal(sent("session/open").length, 3, "long before the last attempt");
  assert.equal(chat.state?.entries.length, 4);
  await started;
  await chat.send("do it");
  assert.deepEqual(returned, ["do it"]);
  assert.equal(chat.problem?.isConflict, true);
  assert.deepEqual([sent("session/create").length, sent("turn/start").length], [0, 0]);
  assert.equal(chat.state?.entries.length, 4);
  // The other window is gone.
  fs.writeFileSync(path.join(folder, "released"), "");
  await chat.retry("", []);
  assert.equal(chat.session?.isOpen, true);
  assert.equal(chat.problem, undefined);
});

test("a session begins in plan mode if that was chosen, and only the first one", async (t) => {
  const { chat, sent } = rig(t, {});
  await chat.start();
  chat.nextMode = "plan";
  await chat.send("plan it");
  await chat.newSession();
  await chat.send("do it");
  assert.deepEqual(
    sent("session/create").map(({ params }) => (params["config"] as { mode?: string }).mode),
    ["plan", undefined],
  );
});

test("two prompts that are sent at once share a new session", async (t) => {
  const { chat, sent, returned } = rig(t, {});
  await Promise.all([chat.send("one"), chat.send("two")]);
  assert.equal(sent("session/create").length, 1);
  assert.deepEqual(
    sent("turn/start").map(({ params }) => params["sessionId"]),
    ["s1", "s1"],
  );
  assert.deepEqual(returned.toSorted(), ["one", "two"]);
});

test("a question is answered once; a withdrawn one not at all", async (t) => {
  const { chat, until } = rig(t, { asks: true }, "s1");
  await chat.start();
  await until("it asks", () => chat.asked.size === 1);
  chat.answer("a1", { optionId: "allow" });
  chat.answer("a1", { optionId: "deny" });
  assert.equal(chat.asked.size, 0);
  await until("it is told", () => chat.state?.entries.at(-1)?.kind === "notice");
  const last = chat.state?.entries.at(-1);
  assert.equal(last?.kind === "notice" ? last.notice.message : "", '{"optionId":"allow"}');

  const other = rig(t, { asks: true, withdraws: true }, "s1");
  await other.chat.start();
  await other.until("all is there", () => other.chat.state?.seq === 5);
  await other.until("it is withdrawn", () => other.chat.asked.size === 0);
});

test("an engine that does not end when told to is killed", async (t) => {
  const { chat, window } = rig(t, { ignoresShutdown: true, ignoresEnd: true });
  await chat.start();
  const pid = chat.engine.processId ?? 0;
  await window.dispose();
  assert.throws(() => process.kill(pid, 0));
});

test("what waits for an answer is rejected when the engine goes", async (t) => {
  const { chat, returned } = rig(t, { ignoresShutdown: true });
  await chat.start();
  const pid = chat.engine.processId ?? 0;
  const answer = chat.engine.connection?.request("shutdown", {});
  process.kill(pid, "SIGKILL");
  await assert.rejects(answer ?? Promise.resolve(), /the engine is gone/);
  assert.deepEqual(returned, []);
});

const settings = { path: "", arguments: ["--nope"], shared: false, model: "", permissionMode: "" } as const;

for (const [name, stderr, code, more, want] of [
  [
    "an unknown argument",
    "error: unexpected argument '--nope' found\n\nUsage: pintle serve\n",
    2,
    {},
    [
      "The engine rejected its options: Unexpected argument '--nope' found.",
      "Check the setting pintle.arguments.",
      "arguments",
    ],
  ],
  [
    "a file that an argument names",
    "pintle: cannot read the script /x: No such file\n",
    2,
    {},
    [
      "The engine rejected its options: Cannot read the script /x: No such file.",
      "Check the setting pintle.arguments.",
      "arguments",
    ],
  ],
  [
    "the same without arguments",
    "pintle: the config is invalid\n",
    2,
    { arguments: [] },
    [
      "/p did not respond like an engine. Output: Pintle: the config is invalid.",
      "Check the setting pintle.path.",
      undefined,
    ],
  ],
  [
    "another program",
    "",
    0,
    {},
    ["/p did not respond like an engine.", "Check the setting pintle.path.", undefined],
  ],
] as const) {
  test(`a program that ends at once is judged by its last words: ${name}`, () => {
    const judged = judgeExit("/p", { stderr, code }, {
      ...settings,
      arguments: ["--nope"],
      ...more,
    } as Settings);
    assert.deepEqual([judged.problem, judged.hint, judged.cause], want);
  });
}

test("the engine is installed by one line, for this system", () => {
  const home = "https://x.test/pintle";
  const downloads = `${home}/releases/latest/download`;
  assert.deepEqual(installOn("linux", home), {
    command: `curl -fsSL ${downloads}/install.sh | sh`,
    shell: undefined,
    guide: `${home}#install`,
  });
  assert.equal(installOn("win32", home).command, `irm ${downloads}/install.ps1 | iex`);
  // The same lines as in the project's own documentation.
  const root = path.join(import.meta.dirname, "../../../..");
  const manifest = fs.readFileSync(path.join(root, "editors/vscode/package.json"), "utf8");
  const { homepage } = JSON.parse(manifest) as { homepage: string };
  const readme = fs.readFileSync(path.join(root, "README.md"), "utf8").replaceAll("\\|", "|");
  for (const platform of ["linux", "win32"])
    assert.ok(readme.includes(installOn(platform, homepage).command));
});

for (const [name, setting, isRemote, inspected, want] of [
  ["here", "pintle.path", false, {}, "openSettings"],
  ["in a remote window", "pintle.path", true, {}, "openRemoteSettings"],
  ["set by the workspace", "pintle.path", true, { workspaceValue: "x" }, "openWorkspaceSettings"],
  ["set by the folder", "pintle.arguments", false, { workspaceFolderValue: [] }, "openWorkspaceSettings"],
  ["of the window", "pintle.showChat", true, {}, "openSettings"],
  ["all", "", true, undefined, "openSettings"],
] as const) {
  test(`a setting is opened where it holds: ${name}`, () => {
    assert.equal(settingsCommand(setting, isRemote, inspected), `workbench.action.${want}`);
  });
}
