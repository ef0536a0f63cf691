/** The last command of each terminal with shell integration, recorded while it runs: VS Code keeps no output for extensions. */
import * as vscode from "vscode";
import type { Run } from "../sources.ts";
import { Recorder } from "../sources.ts";

const runs = new WeakMap<vscode.Terminal, Run>();

export function recordTerminals(): vscode.Disposable {
  const current = new WeakMap<vscode.TerminalShellExecution, Run>();
  return vscode.Disposable.from(
    vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      const command = execution.commandLine.value;
      const run: Run = { command, output: new Recorder(), exitCode: undefined, isRunning: true };
      runs.set(terminal, run);
      current.set(execution, run);
      void record(execution, run);
    }),
    vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
      const run = current.get(execution);
      // The command line is more accurate by now.
      if (run !== undefined)
        Object.assign(run, { command: execution.commandLine.value, exitCode, isRunning: false });
    }),
  );
}

export function lastRun(terminal: vscode.Terminal): Run | undefined {
  return runs.get(terminal);
}

async function record(execution: vscode.TerminalShellExecution, { output }: Run): Promise<void> {
  for await (const data of execution.read()) output.write(data);
}
