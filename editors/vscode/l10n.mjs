// Collects the texts that people see into l10n/bundle.l10n.json, for translators. Run it after a change of one.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = path.dirname(fileURLToPath(import.meta.url));

/** The arguments of a call that are texts, by the function's name. */
const TEXTS = new Map([
  ["t", [0]],
  ["plural", [1, 2]],
]);

/** The files of the extension, read into trees. */
export function sources() {
  const folder = path.join(root, "src");
  return fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts") && name !== "words.ts")
    .map((name) => {
      const source = fs.readFileSync(path.join(folder, name), "utf8");
      return ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
    });
}

/** The arguments of a node that are texts; none where it is no call of `t` or `plural`. */
export function textsOf(node) {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return [];
  return (TEXTS.get(node.expression.text) ?? []).map((at) => node.arguments[at]);
}

/** The texts, sorted, each under itself. */
export function collect() {
  const texts = new Set();
  const look = (node) => {
    for (const each of textsOf(node)) {
      if (each === undefined || !ts.isStringLiteralLike(each))
        throw new Error(`a text that is no literal cannot be collected: ${node.getText()}`);
      texts.add(each.text);
    }
    ts.forEachChild(node, look);
  };
  for (const source of sources()) look(source);
  return Object.fromEntries([...texts].sort().map((text) => [text, text]));
}

export const bundle = path.join(root, "l10n/bundle.l10n.json");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  fs.mkdirSync(path.dirname(bundle), { recursive: true });
  fs.writeFileSync(bundle, `${JSON.stringify(collect(), undefined, 2)}\n`);
}
