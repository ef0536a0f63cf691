// What `RpcClient` of Pi starts as its `cliPath`: the engine, with the arguments that the client gives it. Signals are passed on.
import { spawn } from "node:child_process";

const engine = spawn(process.env.PINTLE_BIN, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
  process.on(signal, () => engine.kill(signal));
}
engine.on("exit", (code, signal) => process.exit(code ?? (signal ? 143 : 1)));
