/** Makes a chat over the fake engine, and waits for what it tells. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { TestContext } from "node:test";
import type { ApplyEditParams } from "pintle-client";
import { Chat } from "../../src/chat/chat.ts";
import { ChatWindow } from "../../src/chat/window.ts";
import type { Status } from "../../src/connection/engine.ts";
import type { Editor, OpenDocument } from "../../src/documents/documents.ts";
import type { Settings } from "../../src/settings/settings.ts";
import type { Change } from "../../src/transcript/state.ts";
import { State } from "../../src/transcript/state.ts";
import { ENGLISH, setWords } from "../../src/words.ts";
import { PROGRAM, running } from "./program.ts";

export interface Rig {
  /** The chat of the view. */
  chat: Chat;
  window: ChatWindow;
  /** Adds a chat in an editor tab, which becomes the current one. */
  another: (session?: string) => { chat: Chat; returned: string[] };
  /** They hold from the next start on. */
  settings: Settings;
  /** The same for variables of the engine's process. */
  environment: Record<string, string>;
  folder: string;
  log: string[];
  statuses: Status[];
  returned: string[];
  memory: { session: string | undefined; others: string[]; isKnown: Promise<void> };
  editor: FakeEditor;
  /** Called with what the chat tells. */
  hooks: { changed: (changes: Change[]) => void };
  /** What the engine was sent by a method, or by all whose name begins so. */
  sent: (method: string) => { method: string; params: Record<string, unknown> }[];
  /** Waits until something holds; it is looked at after each thing the chat tells. */
  until: (what: string, holds: () => boolean) => Promise<void>;
}

interface Line {
  method?: string;
  params?: Record<string, unknown>;
}

/** An editor that holds texts. */
export class FakeEditor implements Editor {
  open: (OpenDocument & { content: string })[] = [];
  refusals: string[] = [];
  /** What happens when an edit is to be made. */
  onApply: (edit: ApplyEditParams) => boolean | Promise<boolean> = () => true;
  onSave: (path: string) => boolean | Promise<boolean> = () => true;

  /** A document as it stands from now on. */
  put(path: string, version: number, content: string, dirty: boolean, eol = 1): OpenDocument {
    const document = { path, version, content, dirty, eol, text: () => content };
    this.open = [...this.open.filter((each) => each.path !== path), document];
    return document;
  }

  documents(): OpenDocument[] {
    return this.open;
  }

  apply(edit: ApplyEditParams): Promise<boolean> {
    return Promise.resolve(this.onApply(edit));
  }

  save(path: string): Promise<boolean> {
    return Promise.resolve(this.onSave(path));
  }

  refused(path: string, why: string): void {
    this.refusals.push(`${path}: ${why}`);
  }
}

/** The state of the session `s`, of which nothing is known yet. */
export function emptyState(clientId = ""): State {
  return new State("s", clientId);
}

/** Runs something in another language. */
export function speaking<T>(language: string, texts: Record<string, string>, run: () => T): T {
  setWords({ language, texts });
  try {
    return run();
  } finally {
    setWords(ENGLISH);
  }
}

export function rig(test: TestContext, plan: Record<string, unknown>, session?: string): Rig {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pintle fake 引擎 "));
  const fake = { ...running("fake-engine.mjs"), FAKE_ENGINE: JSON.stringify({ folder, ...plan }) };
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  const log: string[] = [];
  const write = (level: string) => (text: string) => {
    log.push(`${level} ${text}`);
    look();
  };
  const statuses: Status[] = [];
  const returned: string[] = [];
  const settings: Settings = { path: PROGRAM, arguments: [], shared: false, model: "", permissionMode: "" };
  const environment: Record<string, string> = {};
  const memory: Rig["memory"] = { session, others: [], isKnown: Promise.resolve() };
  const editor = new FakeEditor();
  const hooks: Rig["hooks"] = { changed: () => undefined };
  const lines = (): Line[] => {
    const file = path.join(folder, "log");
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
  };
  const chats: Chat[] = [];
  const window = new ChatWindow(
    {
      settings: () => settings,
      extensionFolder: folder,
      extensionVersion: "0",
      openPage: (url) => log.push(`page ${url}`),
      folder,
      folders: () => [folder],
      machine: {
        platform: process.platform,
        arch: process.arch,
        home: "/home/me",
        variable: () => undefined,
        isExecutable: (file) => fs.existsSync(file),
        realPath: (file) => file,
      },
      log: { info: write("info"), warn: write("warn"), error: write("error") },
      environment: () => Promise.resolve({ ...fake, ...environment }),
    },
    memory,
    editor,
    {
      asked: look,
      turnEnded: look,
      changedElsewhere: look,
      isReviewed: () => false,
      proposals: { edits: () => [], answered: look },
      head: () => {
        // Undefined while the constructor runs.
        const status = (window as ChatWindow | undefined)?.engine.status;
        if (status !== undefined && status !== statuses.at(-1)) statuses.push(status);
        look();
      },
    },
    () => chats,
  );
  const add = (kept: { session: string | undefined }, isHome: boolean, returned: string[]): Chat => {
    const chat = new Chat(window, kept, isHome, {
      reset: look,
      changed: (changes) => {
        hooks.changed(changes);
        look();
      },
      returned: (text) => {
        returned.push(text);
        look();
      },
    });
    chats.unshift(chat);
    return chat;
  };
  const chat = add(memory, true, returned);
  const another: Rig["another"] = (session) => {
    const its: string[] = [];
    return { chat: add({ session }, false, its), returned: its };
  };
  test.after(async () => {
    await window.dispose();
    // Windows keeps the working directory of a process that has just ended.
    await fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
  });
  const sent: Rig["sent"] = (method) =>
    lines().flatMap(({ method: name, params = {} }) =>
      name?.startsWith(method) === true ? [{ method: name, params }] : [],
    );
  const until = (what: string, holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check);
        reject(new Error(`waited in vain until ${what}\n${log.join("\n")}`));
      }, 60_000);
      const check = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    chat,
    window,
    another,
    settings,
    environment,
    folder,
    log,
    statuses,
    returned,
    memory,
    editor,
    hooks,
    sent,
    until,
  };
}
