#!/usr/bin/env node
// Starts the program of the package for this system, in place of Node where Node can do that.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const system = `${process.platform}-${process.arch}`;
const name = `@pintle/${system}`;

function program() {
  try {
    return require.resolve(`${name}/bin/pintle${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(
      `pintle: the package ${name} is not installed. If your system is listed at the package "pintle", ` +
        "install again without --omit=optional (npm) or --no-optional (yarn, pnpm); otherwise build from source.",
    );
    process.exit(1);
  }
}

function start(path, args) {
  if (typeof process.execve === "function" && process.platform !== "win32") {
    // The program takes over this process: signals, the terminal and the exit status are its own.
    process.execve(path, [path, ...args], process.env);
  }
  const child = spawn(path, args, { stdio: "inherit", windowsHide: false });
  // A terminal signals the whole group; the program decides what a signal means.
  const ignored = ["SIGINT", "SIGHUP", "SIGQUIT"];
  for (const signal of ignored) process.on(signal, () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (error) => {
    console.error(`pintle: cannot start ${path}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exitCode = signal === null ? code : 128 + (os.constants.signals[signal] ?? 0);
  });
}

start(program(), process.argv.slice(2));
