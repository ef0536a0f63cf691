// A program for tests that prints help: the topics, or what it was called with; it fails for the topic `wrong`.
import { basename } from "node:path";

const [command, ...args] = process.argv.slice(1);
const line = [basename(command), ...args].join(" ");
if (line === "help --json") {
  process.stdout.write('{"topic":"a","summary":"first"}\n{"topic":"b","summary":"second"}\n');
} else if (line === "help wrong") {
  process.stderr.write("pintle: no help topic\n");
  process.exitCode = 2;
} else process.stdout.write(`# ${line}\n`);
process.exit();
