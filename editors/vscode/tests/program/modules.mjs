// Resolves the client to its source: Wine does not follow the link in node_modules, and Node reads no TypeScript from there.
import { registerHooks } from "node:module";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const client = path.join(import.meta.dirname, "../../../../protocol/clients/typescript/pintle.ts");

registerHooks({
  resolve: (name, context, next) =>
    name === "pintle-client" ? { url: pathToFileURL(client).href, shortCircuit: true } : next(name, context),
});
