/** Terminals of the editor that show running jobs, one a job. */
import * as vscode from "vscode";
import { problemOf } from "../../connection/problem.ts";
import type { Session } from "../../sessions/session.ts";
import { t } from "../../words.ts";
import type { Chat } from "../chat.ts";
import { JobTerminal } from "../jobTerminal.ts";

/** The height of a terminal that the editor has not drawn yet: that of the screen. */
const UNKNOWN_HEIGHT = 30;

const open = new Map<string, vscode.Terminal>();

/** Shows the terminal of a session's job. */
export function openJobTerminal(
  chat: Chat | undefined,
  session: Session | undefined,
  jobId: string,
  command: string,
): void {
  if (chat === undefined || session === undefined) return;
  const key = JSON.stringify([session.id, jobId]);
  const known = open.get(key);
  if (known !== undefined) {
    known.show();
    return;
  }
  const write = new vscode.EventEmitter<string>();
  const close = new vscode.EventEmitter<void>();
  const job = new JobTerminal(
    (method, params) => chat.request(method, params),
    session.id,
    jobId,
    UNKNOWN_HEIGHT,
    (text) => write.fire(text),
  );
  const name = t("Pintle: {0}", command.split("\n", 1)[0]?.slice(0, 40) ?? "");
  const terminal = vscode.window.createTerminal({
    name,
    iconPath: new vscode.ThemeIcon("server-process"),
    pty: {
      onDidWrite: write.event,
      onDidClose: close.event,
      open: (size: vscode.TerminalDimensions | undefined) => {
        job.resize(size?.rows ?? UNKNOWN_HEIGHT);
        void job.follow();
      },
      setDimensions: ({ rows }: vscode.TerminalDimensions) => job.resize(rows),
      close: () => {
        job.close();
        open.delete(key);
      },
      handleInput: (text: string) => {
        if (job.hasEnded) {
          close.fire();
          return;
        }
        job.type(text).catch((error: unknown) => {
          void vscode.window.showWarningMessage(t("Could not type: {0}", problemOf(error).text));
        });
      },
    },
  });
  open.set(key, terminal);
  terminal.show();
}
