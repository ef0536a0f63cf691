/**
 * The engine's process: found, started, version-checked, started again after a crash, and ended.
 *
 * It imports no `vscode`. Invariant: at most one process is alive, and `dispose` resolves when none is.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { AnyRecord, Handler, InitializeResult } from "pintle-client";
import { Client, RequestFailed } from "pintle-client";
import type { Settings } from "../settings/settings.ts";
import { commandLine } from "../settings/settings.ts";
import { t } from "../words.ts";
import { CLIENT_NAME } from "./clients.ts";
import type { Machine } from "./locate.ts";
import { locate } from "./locate.ts";
import { Backoff, Coalesced, within } from "./restart.ts";
import { argumentsAreTheEngines, judgeExit } from "./exit.ts";
import type { Cause } from "./problem.ts";
import { judgeError, judgeResult } from "./version.ts";

/** An engine that has not answered `initialize` by then is no engine. */
const PATIENCE_MS = 10_000;
/** How long an engine may take to end in order before it is killed. */
const FAREWELL_MS = 1500;
/** Bytes of the last stderr output that are kept to explain a failure. */
const LAST_WORDS = 2000;
export type Status =
  | { kind: "off" }
  | { kind: "starting" }
  | { kind: "ready"; info: InitializeResult; file: string }
  | { kind: "waiting"; delayMs: number; problem: string }
  | { kind: "failed"; problem: string; hint: string; cause?: Cause };

export interface Log {
  info: (text: string) => void;
  warn: (text: string) => void;
  error: (text: string) => void;
}

/** What the engine needs from its owner. */
export interface Surroundings {
  settings(): Settings;
  extensionFolder: string;
  extensionVersion: string;
  /** Opens a page of the web in the person's browser; `code` is to be entered there. */
  openPage(url: string, code?: string): void;
  /** The first folder of the workspace: where the engine starts and sessions work. */
  folder: string;
  /** All folders of the workspace, that one first. */
  folders(): string[];
  machine: Machine;
  log: Log;
  /** More variables for the engine's process alone, such as keys. */
  environment(): Promise<Record<string, string>>;
}

/** What the engine tells its owner. */
export interface Listener {
  status(status: Status): void;
  record(record: AnyRecord): void;
  approval: Handler<"approval/request">;
  question: Handler<"question/request">;
  edit: Handler<"workspace/applyEdit">;
}

interface Running {
  child: ChildProcessWithoutNullStreams;
  connection: Client;
  exited: Promise<void>;
  stderr: string;
  /** The exit code; undefined while it runs, or where a signal ended it. */
  code: number | undefined;
  isShared: boolean;
}

export class Engine {
  /** The id of this window, which is in the events that it causes. */
  readonly clientId = `${CLIENT_NAME}-${randomBytes(4).toString("hex")}`;
  readonly #around: Surroundings;
  readonly #listener: Listener;
  readonly #backoff = new Backoff();
  readonly #start = new Coalesced(() => this.#startOnce());
  #status: Status = { kind: "off" };
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(around: Surroundings, listener: Listener) {
    this.#around = around;
    this.#listener = listener;
  }

  get status(): Status {
    return this.#status;
  }

  /** The open connection; undefined unless the engine is ready. */
  get connection(): Client | undefined {
    return this.#status.kind === "ready" ? this.#running?.connection : undefined;
  }

  /** Whether other clients use it too: then the process is the way to it, and its end is not the engine's. */
  get isShared(): boolean {
    return this.#running?.isShared === true;
  }

  get processId(): number | undefined {
    return this.#running?.child.pid;
  }

  /** Starts it unless it runs. It never rejects: what went wrong is the status. */
  start(): Promise<void> {
    if (this.#status.kind === "ready") return Promise.resolve();
    return this.#start.run();
  }

  /** Ends the process in order, if there is one, and starts another. */
  async restart(): Promise<void> {
    this.#backoff.reset();
    await this.#stop();
    await this.#start.run();
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#stop();
    this.#set({ kind: "off" });
  }

  #set(status: Status): void {
    this.#status = status;
    this.#listener.status(status);
  }

  #fail(problem: string, hint = "", cause?: Cause): void {
    this.#around.log.error(hint === "" ? problem : `${problem} ${hint}`);
    this.#set({ kind: "failed", problem, hint, ...(cause === undefined ? {} : { cause }) });
  }

  async #startOnce(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isDisposed || this.#status.kind === "ready") return;
    const { log, folder, machine, extensionFolder } = this.#around;
    const settings = this.#around.settings();
    const located = locate(settings.path, extensionFolder, folder, machine);
    if ("problem" in located) {
      const hint = t("Install it, or locate its program.");
      this.#fail(located.problem, hint, settings.path === "" ? "notFound" : "path");
      return;
    }
    this.#set({ kind: "starting" });
    log.info(`starting ${located.file} (${located.source}) in ${folder}`);
    if (settings.shared && settings.arguments.length > 0) log.info(argumentsAreTheEngines());
    const environment = await this.#around.environment();
    if (this.#isDisposed) return;
    const running = this.#spawn(located.file, settings, environment);
    this.#running = running;
    this.#backoff.started(Date.now());
    try {
      const result = await within(
        PATIENCE_MS,
        running.connection.initialize(
          CLIENT_NAME,
          this.#around.extensionVersion,
          { approvals: {}, questions: {}, applyEdit: {} },
          this.clientId,
        ),
      );
      const judgement = judgeResult(result);
      if (!judgement.ok) {
        await this.#drop(running);
        this.#fail(judgement.problem, judgement.hint);
        return;
      }
      if (judgement.note !== undefined) log.warn(judgement.note);
      log.info(`engine ${result.engine.version}, protocol ${result.protocol.version}, ready`);
      this.#set({ kind: "ready", info: result, file: located.file });
    } catch (error) {
      await this.#drop(running);
      if (this.#isDisposed) return;
      if (error instanceof RequestFailed) {
        const judgement = judgeError(error);
        if (!judgement.ok) this.#fail(judgement.problem, judgement.hint);
        return;
      }
      const { problem, hint, cause } = judgeExit(located.file, running, settings);
      this.#fail(problem, hint, cause);
    }
  }

  #spawn(file: string, settings: Settings, environment: Record<string, string>): Running {
    const { log } = this.#around;
    const child = spawn(file, commandLine(settings), {
      cwd: this.#around.folder,
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const exited = new Promise<void>((resolve) => {
      child.on("exit", (code, signal) => {
        log.info(`engine ended: ${signal ?? `code ${code ?? "?"}`}`);
        running.code = code ?? undefined;
        resolve();
      });
      // A program that could not be started never exits.
      child.on("error", (error) => {
        running.stderr += error.message;
        connection.disconnect();
        resolve();
      });
    });
    const connection = new Client(child.stdout, child.stdin);
    connection.on("approval/request", (params, signal) => this.#listener.approval(params, signal));
    connection.on("question/request", (params, signal) => this.#listener.question(params, signal));
    connection.on("workspace/applyEdit", (params, signal) => this.#listener.edit(params, signal));
    connection.onNotification("auth/openUrl", ({ url, userCode }) => this.#around.openPage(url, userCode));
    connection.onSkipped((line, why) =>
      log.warn(`skipped a line of the engine's output (${why}): ${line.slice(0, 500)}`),
    );
    const running: Running = {
      child,
      connection,
      exited,
      stderr: "",
      code: undefined,
      isShared: settings.shared,
    };
    child.stderr.on("data", (chunk: Buffer) => {
      const text = chunk.toString("utf8");
      running.stderr = (running.stderr + text).slice(-LAST_WORDS);
      log.info(`engine: ${text.trimEnd()}`);
    });
    void connection.closed.then(() => this.#closed(running));
    void this.#follow(connection);
    return running;
  }

  async #follow(connection: Client): Promise<void> {
    for await (const record of connection.records()) {
      try {
        this.#listener.record(record);
      } catch (error) {
        // One that cannot be taken must not keep the others away.
        this.#around.log.error(`an event of the engine: ${String(error)}`);
      }
    }
  }

  /** The connection is gone. While it starts, `#startOnce` sees it; when it was ready, it was a crash. */
  #closed(running: Running): void {
    if (this.#running !== running || this.#status.kind !== "ready" || this.#isDisposed) return;
    this.#running = undefined;
    killIfAlive(running.child);
    const delayMs = this.#backoff.crashed(Date.now());
    if (delayMs === undefined) {
      this.#fail(t("The engine crashed several times in a row."), t("Check the log, then restart it."));
      return;
    }
    const problem = t("The engine exited unexpectedly.");
    this.#around.log.error(`${problem} Starting it again in ${delayMs} ms.`);
    this.#set({ kind: "waiting", delayMs, problem });
    this.#timer = setTimeout(() => void this.start(), delayMs);
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer);
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    const { connection, child } = running;
    if (this.#status.kind === "ready") this.#set({ kind: "off" });
    const deadline = setTimeout(() => killIfAlive(child), FAREWELL_MS);
    try {
      await Promise.race([connection.request("shutdown", {}), running.exited]);
      connection.notify("exit", {});
    } catch {
      // It is gone, or was no engine.
    }
    child.stdin.end();
    await running.exited;
    clearTimeout(deadline);
    connection.disconnect();
  }

  async #drop(running: Running): Promise<void> {
    if (this.#running === running) this.#running = undefined;
    running.connection.disconnect();
    killIfAlive(running.child);
    await running.exited;
  }
}

function killIfAlive(child: ChildProcessWithoutNullStreams): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}
