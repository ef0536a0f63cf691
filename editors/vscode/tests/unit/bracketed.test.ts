/**
 * Everything that is drawn, with all texts between brackets and all data in Greek: what is shown outside of brackets has no Latin letter.
 */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import type { Approval, Hunk, Input, Item, Question, SessionRewindResult } from "pintle-client";
import { Disconnected, ErrorCode, RequestFailed } from "pintle-client";
import { rowsOf } from "../../src/chat/approvals.ts";
import { textOfInput } from "../../src/chat/input.ts";
import type { Head, ViewEntry } from "../../src/chat/messages.ts";
import { meterOf } from "../../src/chat/usage.ts";
import { nameOfOther } from "../../src/connection/clients.ts";
import { locate } from "../../src/connection/locate.ts";
import { problemOf } from "../../src/connection/problem.ts";
import { judgeError, judgeResult } from "../../src/connection/version.ts";
import { diffRows } from "../../src/review/diffRows.ts";
import { hunkLabel, stateWord } from "../../src/review/hunks.ts";
import { conflictText, wordsOf } from "../../src/review/decision.ts";
import { actionsOf, describeServer } from "../../src/servers/servers.ts";
import { goesOnText, stopReceipt } from "../../src/sessions/list.ts";
import { checkpointRows, previewOf, saidOf, scopeRows } from "../../src/sessions/rewind.ts";
import { modelRows } from "../../src/settings/choices.ts";
import { viewEntry } from "../../src/transcript/viewEntry.ts";
import { apply } from "../../src/transcript/reducer.ts";
import { viewTool } from "../../src/transcript/toolCards.ts";
import { drawn, Element } from "./element.ts";
import { emptyState, speaking } from "./support.ts";

const BUNDLE = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "../../l10n/bundle.l10n.json"), "utf8"),
) as Record<string, string>;

const BRACKETED = Object.fromEntries(Object.keys(BUNDLE).map((text) => [text, `⟦${text}⟧`]));

function outside(text: string): string {
  const inner = text.replaceAll(/⟦[^⟦⟧]*⟧/g, "");
  return inner === text ? text : outside(inner);
}

const option = { optionId: "α", label: "α", decision: "allow", scope: "once" } as const;
const approval = {
  approvalId: "α",
  toolName: "α",
  kind: "other",
  title: "α",
  reason: "α",
  decidedBy: "β",
  details: ["command", "path", "content", "diff", "address", "arguments", "modelText"].map((kind) => ({
    kind,
    text: "@@ -1 +1 @@\n+α\n",
  })),
  changes: ["add", "modify", "delete", "move"].map((op) => ({
    op,
    path: "/α",
    oldPath: "/β",
    added: 1,
    removed: 1,
    diff: op === "modify" ? "+α\n".repeat(20) : op === "add" ? "+α\n" : "",
  })),
  options: [
    option,
    { ...option, decision: "abort" },
    ...["turn", "session", "project", "user"].flatMap((scope) => [
      { ...option, scope, rules: ["α"] },
      { ...option, scope, rules: ["α", "β"] },
    ]),
  ],
} as unknown as Approval;
const question = {
  questionId: "α",
  text: "α",
  options: [{ optionId: "α", label: "α" }],
} as unknown as Question;
const range = { start: 1, end: 2 };
const picture: Input = { type: "image", mimeType: "", data: "" };
const content: Input[] = [
  { type: "file", path: "α", range },
  { type: "selection", path: "α", range: { start: 1, end: 1 }, text: "α" },
  { type: "diagnostics", path: "α", items: [] },
  picture,
];
const rewound = {
  dropped: ["α"],
  restored: ["α"],
  files: ["restore", "remove", "leave", "lost", "failed"].flatMap((action) =>
    ["agent", "other", "conflict", "α"].map((owner) => ({ path: "α", owner, action })),
  ),
} as unknown as SessionRewindResult;
const machine = {
  platform: "linux",
  arch: "x64",
  home: "/",
  variable: () => undefined,
  isExecutable: () => false,
  realPath: () => "",
};

const KINDS = ["read", "edit", "delete", "move", "search", "execute", "fetch", "use"];
const NAMES = ["list", "write", "plan", "task", "wait"];
const STATUSES = ["pending", "running", "completed", "failed", "declined", "cancelled"];

function calls(): Item[] {
  const output = {
    content: [{ type: "image", mimeType: "", data: "" }],
    details: { fullOutput: { bytes: 9 } },
  };
  const call = { type: "toolCall", title: "α", output, durationMs: 2000 };
  return STATUSES.flatMap((status) => [
    ...KINDS.map((kind) => ({ ...call, toolName: "α", kind, status })),
    ...NAMES.map((toolName) => ({ ...call, toolName, kind: "α", status })),
    { type: "job", title: "α", command: "α", status },
    { type: "subagent", task: "α", state: status === "running" ? "working" : "done", status },
    { type: "compaction", tokensBefore: 1000, tokensAfter: 500, status },
  ]) as unknown as Item[];
}

function entries(): ViewEntry[] {
  const at = { key: "α", atMs: 0 };
  const end = (status: string): ViewEntry =>
    ({
      ...at,
      kind: "turnEnd",
      end: {
        status,
        durationMs: 1000,
        usage: { inputTokens: 1, outputTokens: 1 },
        denials: 1,
        error: { message: "α", code: "auth" },
      },
    }) as unknown as ViewEntry;
  const streamed = { inputs: new Map<string, string>(), output: "" };
  return [
    { ...at, kind: "user", text: "α", chips: [], from: nameOfOther("pintle-vscode-1", "", true) },
    { ...at, kind: "reasoning", text: "α", isOver: false, isCut: false },
    { ...at, kind: "reasoning", text: "α", isOver: true, isCut: false },
    ...["completed", "interrupted", "failed"].map(end),
    ...calls().map((item): ViewEntry => ({
      ...at,
      kind: "tool",
      tool: viewTool(item as Parameters<typeof viewTool>[0], streamed),
    })),
  ];
}

function head(more: Partial<Head>): Head {
  return {
    engine: { kind: "failed", text: "α", hint: "" },
    problem: {
      text: "α",
      hint: "",
      isConflict: true,
      canAttach: false,
      need: { kind: "key", provider: "α" },
    },
    activity: "running",
    stalledSeconds: 41,
    folder: "/",
    system: "unix",
    title: "α",
    model: "α",
    permissionMode: "ask",
    isolation: { kind: "copy", isNext: false },
    mode: "act",
    cost: "$1",
    context: meterOf({ tokens: 500, window: 900 }),
    queue: [
      { itemId: "α", content: [picture], delivery: "steer", from: undefined },
      { itemId: "β", content: [picture], delivery: "followUp", from: "α" },
    ] as unknown as Head["queue"],
    approvals: [{ approval, canAnswer: true, edited: ["α"] }],
    questions: [{ question, canAnswer: true }],
    plan: ["pending", "inProgress", "completed"].map((status) => ({ status, content: "α" }) as never),
    unsaved: [{ path: "α", label: "α" }],
    ...more,
  };
}

/** The page's parts take a browser's types, which are not here. */
async function part<T>(file: string): Promise<T> {
  return (await import(`../../src/webview/${file}.ts`)) as T;
}

type Part = { element: Element; update: (head: Head) => void };
const { Around } = await part<{ Around: new (send: unknown, colours: object, prompt: object) => Part }>(
  "head",
);
const { Prompt } = await part<{ Prompt: new (send: unknown) => Part }>("prompt");
const { Transcript } = await part<{ Transcript: new (...given: unknown[]) => Part }>("transcript");
const { Attachments } = await part<{
  Attachments: new (...given: unknown[]) => { element: Element; add: (inputs: unknown[]) => void };
}>("attachments");
const { drawEntry } = await part<{
  drawEntry: (entry: ViewEntry, send: unknown, colours: unknown) => { element: Element };
}>("entries");
const nothing = (): void => undefined;

function page(): string[] {
  return drawn(() => {
    const shown: Element[] = [];
    const colours = { colour: nothing };
    for (const more of [
      {},
      { activity: "idle", mode: "plan", permissionMode: "" },
      { activity: "idle", permissionMode: "readOnly", model: "α" },
      { permissionMode: "autoEdit", model: "" },
      { permissionMode: "full" },
    ] as Partial<Head>[]) {
      for (const each of [
        new Around(nothing, colours, { focus: nothing, retry: nothing }),
        new Prompt(nothing),
      ]) {
        each.update(head(more));
        shown.push(each.element);
      }
    }
    const attachments = new Attachments(nothing, new Element("li"), nothing);
    attachments.add(content);
    shown.push(attachments.element, new Transcript(nothing, undefined, nothing).element);
    shown.push(...entries().map((each) => drawEntry(each, nothing, colours).element));
    return shown.flatMap((each) => each.shown);
  });
}

const hunk = { kind: "text", oldText: "", newText: "", state: "pending" } as unknown as Hunk;
const decisions = ["keep", "undo", "reopen", "comment", "withdraw"].map((effect) => ({
  decision: { parts: [{ effect, outcome: "applied", path: "α" }] },
}));

function events(): string[] {
  const state = emptyState();
  const record = (event: object, seq: number): void => {
    apply(state, { sessionId: "s", seq, tsMs: 0, turnId: "α", event } as never);
  };
  [
    { type: "retry.scheduled", message: "α", delayMs: 1, attempt: 1, of: 2 },
    { type: "context.pruned", results: 1 },
    { type: "history.rewound", dropped: ["α"], restored: [] },
    { type: "review.queued", refused: { reason: "α" } },
    { type: "question.resolved", questionId: "α", by: "client", text: "α" },
    { type: "question.resolved", questionId: "β", by: "dismissed" },
    { type: "question.resolved", questionId: "γ", by: "deadline" },
  ].forEach(record);
  return state.entries.map((entry) => (entry.kind === "notice" ? entry.notice.message : ""));
}

const ROWS: Record<string, () => (string | undefined)[]> = {
  "the page": page,
  "notices of events": events,
  "an item of a newer engine": () => {
    const entry = { kind: "item", key: "α", tsMs: 0, item: { type: "α" }, streamed: {} };
    const view = viewEntry(entry as never);
    return [view.kind === "notice" ? view.notice.message : "nothing"];
  },
  "answers to pick from": () => {
    const rows = [
      ...rowsOf({ kind: "approval", approval }),
      ...rowsOf({ kind: "question", question: { ...question, multiple: true } }),
    ];
    return rows.flatMap(({ label, detail }) => [label.replace(/^\$\([\w-]+\) /, ""), detail]);
  },
  "folded lines": () => diffRows(" α\n".repeat(50)).map(({ text }) => text),
  models: () => {
    const price = { inputUsdPerMtok: 1, outputUsdPerMtok: 2 };
    const models = [{ model: "α", window: 1000, price, vision: false }];
    const rows = modelRows({ models, providers: [{ name: "α", key: "missing" }] } as never, "");
    return rows.flatMap(({ label, description }) => [label, description]);
  },
  "the meter": () => {
    const meter = meterOf({ tokens: 5000, window: 200_000 });
    return [meter?.text, meter?.detail];
  },
  hunks: () => [
    hunkLabel({ ...hunk, kind: "mode" }),
    hunkLabel({ ...hunk, kind: "file" }),
    hunkLabel({ ...hunk, kind: "file", oldText: "α" }),
    ...(["modified", "conflict", "kept", "undone"] as const).map((state) => stateWord({ ...hunk, state })),
  ],
  inputs: () => [textOfInput(content)],
  "the engine's place": () =>
    ["", "/α"].map((setting) => {
      const located = locate(setting, "/", "/", machine);
      return "problem" in located ? located.problem : "nothing";
    }),
  problems: () => {
    const error = (code: number, data: object, message = "α"): RequestFailed =>
      new RequestFailed("session/open", code, message, data);
    return [
      new Disconnected(),
      error(ErrorCode.conflict, { code: "openElsewhere" }),
      error(ErrorCode.conflict, { code: "openElsewhere", sharedEngine: true }),
      error(ErrorCode.authRequired, { code: "auth" }),
      error(ErrorCode.authRequired, { code: "auth" }, "no key for α"),
      error(0, { code: "config" }, "no model"),
    ].flatMap((each) => {
      const { text, hint } = problemOf(each);
      return [text, hint];
    });
  },
  versions: () => [
    ...["0.1", "9.0", "α"].map((version) => {
      const judged = judgeResult({ protocol: { name: "α", version } } as never);
      return judged.ok ? "nothing" : judged.hint;
    }),
    ...["0.1", "9.0"].map((version) => {
      const data = { code: "", supported: [version] };
      const judged = judgeError(new RequestFailed("session/open", ErrorCode.unsupportedProtocol, "", data));
      return judged.ok ? "nothing" : judged.hint;
    }),
  ],
  receipts: () => {
    const item = (type: string): object => ({ kind: "item", item: { type, status: "running" } });
    const state = { activity: "running", entries: [item("job")], queue: [{}] };
    return [
      stopReceipt(state as never, true),
      stopReceipt({ activity: "idle", entries: [], queue: [] }, false),
      goesOnText(1),
      goesOnText(2),
    ];
  },
  rewinding: () => {
    const preview = previewOf("both", rewound);
    const checkpoints = [
      { seq: 0, changed: [] },
      { seq: 1, changed: ["α"], turnId: "α" },
      { seq: 2, changed: ["α", "α", "α", "α", "α", "α"] },
    ];
    return [
      preview.conversation,
      previewOf("both", { ...rewound, restored: [] }).conversation,
      ...preview.groups.flatMap(({ title, files }) => [title, ...files.map(({ action }) => action)]),
      saidOf("both", rewound).text,
      saidOf("files", { ...rewound, files: [] }).text,
      ...scopeRows().flatMap(({ label, description }) => [label, description]),
      ...checkpointRows(checkpoints as never, (each) => each).flatMap(({ label, detail }) => [label, detail]),
    ];
  },
  servers: () =>
    (["idle", "starting", "ready", "failed", "off"] as const).flatMap((status) => {
      const server = { name: "α", target: "α", status, login: "possible" } as never;
      const actions = actionsOf(server).flatMap((each) => [each.label, "said" in each ? each.said : ""]);
      return [describeServer(server).description, ...actions];
    }),
  decisions: () => [
    wordsOf(decisions as never).text,
    wordsOf([{ ...decisions[0], queued: true }] as never).text,
    conflictText("α", { effect: "undo" } as never),
    conflictText("α", { effect: "keep" } as never),
  ],
};

for (const [name, shown] of Object.entries(ROWS)) {
  test(`all that is shown comes from the table: ${name}`, () => {
    const texts = speaking("en", BRACKETED, shown)
      .map((text) => text ?? "")
      .filter((text) => text !== "");
    assert.ok(texts.length > 0);
    for (const text of texts) assert.doesNotMatch(outside(text), /[A-Za-z]/, text);
  });
}
