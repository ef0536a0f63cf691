/** Several chats in one window: which one a command goes to, what a tab is called, what comes back, and one session in two chats. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { panelStateOf, panelTitle, Recent } from "../../src/chat/places.ts";
import { rig } from "./support.ts";

test("commands go to the focused chat, else to the last one used", () => {
  const cases: [name: string, run: (recent: Recent<string>) => void, want: string[]][] = [
    ["at first", () => undefined, ["view"]],
    ["a tab in the background", (recent) => recent.add("a"), ["view", "a"]],
    ["a tab that gets the focus", (recent) => recent.used("a"), ["a", "view"]],
    ["the view again", (recent) => (recent.used("a"), recent.used("view")), ["view", "a"]],
    [
      "the previous tab after closing one",
      (recent) => (recent.used("a"), recent.used("b"), recent.remove("b")),
      ["a", "view"],
    ],
    ["the view when all tabs are closed", (recent) => (recent.used("a"), recent.remove("a")), ["view"]],
    ["the view is never closed", (recent) => recent.remove("view"), ["view"]],
    ["a tab that is there already", (recent) => (recent.used("a"), recent.add("a")), ["a", "view"]],
  ];
  for (const [name, run, want] of cases) {
    const recent = new Recent("view");
    run(recent);
    assert.deepEqual([...recent.all], want, name);
    assert.equal(recent.current, want[0], name);
  }
  const recent = new Recent("view");
  assert.deepEqual([recent.used("a"), recent.used("a"), recent.used("view")], [true, false, true]);
});

test("a tab shows its session title, with a dot while a question is open", () => {
  const cases: [title: string | undefined, waiting: number, want: string][] = [
    [undefined, 0, "New Chat"],
    [" ", 1, "● New Chat"],
    ["Fix the cart", 0, "Fix the cart"],
    ["Fix the cart", 2, "● Fix the cart"],
    ["Fix\n  the cart", 0, "Fix the cart"],
    ["x".repeat(60), 0, "x".repeat(60)],
    [`${"x".repeat(58)} more`, 0, `${"x".repeat(58)}…`],
  ];
  for (const [title, waiting, want] of cases) assert.equal(panelTitle(title, waiting), want);
});

test("a tab comes back with its session; without a usable state it is an empty chat", () => {
  const cases: [kept: unknown, want: ReturnType<typeof panelStateOf>][] = [
    [
      { panel: "p", session: "s" },
      { panel: "p", session: "s" },
    ],
    [
      { panel: "p", session: "s", place: "key" },
      { panel: "p", session: "s" },
    ],
    [{ panel: "p" }, { panel: "p", session: undefined }],
    [
      { panel: "", session: "" },
      { panel: "fresh", session: undefined },
    ],
    [
      { panel: 1, session: ["s"] },
      { panel: "fresh", session: undefined },
    ],
    [undefined, { panel: "fresh", session: undefined }],
    ["s", { panel: "fresh", session: undefined }],
  ];
  for (const [kept, want] of cases)
    assert.deepEqual(
      panelStateOf(kept, () => "fresh"),
      want,
    );
});

test("each of two chats sends to its session", async (t) => {
  const { chat, window, another, sent, memory } = rig(t, {});
  await chat.send("first");
  const tab = another().chat;
  await tab.send("second");
  const [one, two] = [chat.session?.id, tab.session?.id];
  assert.ok(one !== undefined && two !== undefined && one !== two, `${one} ${two}`);
  assert.deepEqual(
    sent("turn/start").map(({ params }) => params["sessionId"]),
    [one, two],
  );
  // The chat that was used last comes first; the window remembers that of the view, and opens the other one again.
  assert.deepEqual(window.openIds(), [two, one]);
  assert.deepEqual([memory.session, memory.others], [one, [two]]);
});

test("a session that two chats show is open as long as one of them shows it", async (t) => {
  const { chat, another, sent } = rig(t, {});
  await chat.send("first");
  const id = chat.session?.id ?? "";
  const tab = another().chat;
  await tab.openSession(id);
  assert.equal(tab.session, chat.session);
  assert.equal(sent("session/open").length, 0);
  await chat.newSession();
  assert.equal(chat.session, undefined);
  assert.equal(tab.openId(), id);
  assert.equal(sent("session/close").length, 0);
});

test("tabs open their sessions again with the engine, each once", async (t) => {
  const { window, another, sent, until } = rig(t, {}, "s1");
  const tab = another("s1").chat;
  await window.start();
  await until("it is open in the tab", () => tab.openId() === "s1");
  await tab.settled();
  assert.equal(sent("session/open").length, 1);
});
