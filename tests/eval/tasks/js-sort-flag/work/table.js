#!/usr/bin/env node
"use strict";
// Prints a CSV file without quotes as an aligned table: node table.js FILE
const fs = require("node:fs");

function main(args) {
  const files = args.filter((arg) => !arg.startsWith("--"));
  const unknown = args.filter((arg) => arg.startsWith("--"));
  if (files.length !== 1 || unknown.length > 0) {
    process.stderr.write("usage: table.js FILE\n");
    return 2;
  }
  const [head, ...rows] = fs
    .readFileSync(files[0], "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(","));
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at].length)));
  for (const row of [head, ...rows]) {
    process.stdout.write(row.map((cell, at) => cell.padEnd(widths[at])).join("  ").trimEnd() + "\n");
  }
  return 0;
}

process.exitCode = main(process.argv.slice(2));
