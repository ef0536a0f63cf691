"use strict";
const http = require("node:http");
const config = require("./config.json");

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const stage = option("--stage");
// What the configuration says holds before the environment, but for the host; an option holds before both.
const settings = {
  port: Number(config[stage]?.port ?? process.env.PORT ?? config.default.port),
  host: process.env.HOST ?? config[stage]?.host ?? config.default.host,
  level: option("--level") ?? config[stage]?.level ?? config.default.level,
};
http.createServer((_, response) => response.end("ok\n")).listen(settings.port, settings.host);
