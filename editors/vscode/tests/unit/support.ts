/** Makes a chat over the fake engine, and waits for what it tells. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { TestContext } from "node:test";
import { Chat } from "../../src/chat.ts";
import type { Status } from "../../src/engine.ts";

export interface Rig {
  chat: Chat;
  folder: string;
  log: string[];
  statuses: Status[];
  returned: string[];
  memory: { session: string | undefined };
  /** Waits until something holds; it is looked at after each thing the chat tells. */
  until: (what: string, holds: () => boolean) => Promise<void>;
}

export function rig(test: TestContext, plan: Record<string, unknown>, session?: string): Rig {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pintle fake 引擎 "));
  const program = path.join(folder, "pintle");
  const script = path.join(import.meta.dirname, "fake-engine.mjs");
  const environment = JSON.stringify(JSON.stringify({ folder, ...plan })).replaceAll("$", "\\$");
  fs.writeFileSync(
    program,
    `#!/bin/sh\nFAKE_ENGINE=${environment} exec "${process.execPath}" "${script}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
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
  const memory = { session };
  const chat = new Chat(
    {
      settings: () => ({ path: program, arguments: [], model: "", permissionMode: "" }),
      extensionFolder: folder,
      extensionVersion: "0",
      folder,
      machine: {
        platform: "linux",
        path: "",
        home: "/home/me",
        isExecutable: (file) => fs.existsSync(file),
      },
      log: { info: write("info"), warn: write("warn"), error: write("error") },
    },
    memory,
    {
      reset: look,
      changed: look,
      asked: look,
      head: () => {
        // Undefined while the constructor runs.
        const status = (chat as Chat | undefined)?.engine.status;
        if (status !== undefined && status !== statuses.at(-1)) statuses.push(status);
        look();
      },
      returned: (text) => {
        returned.push(text);
        look();
      },
    },
  );
  test.after(async () => {
    await chat.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const until = (what: string, holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check);
        reject(new Error(`waited in vain until ${what}\n${log.join("\n")}`));
      }, 15_000);
      const check = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { chat, folder, log, statuses, returned, memory, until };
}
