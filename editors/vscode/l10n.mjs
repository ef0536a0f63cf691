// Collects the texts that the extension shows through VS Code into l10n/bundle.l10n.json, for translators. Run it after a change of one.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));

/** The texts, sorted, each under itself. */
export function collect() {
  const folder = path.join(root, "src/view");
  const texts = fs.readdirSync(folder).flatMap((name) => {
    const source = fs.readFileSync(path.join(folder, name), "utf8");
    return [...source.matchAll(/l10n\.t\(\s*("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text));
  });
  return Object.fromEntries([...new Set(texts)].sort().map((text) => [text, text]));
}

export const bundle = path.join(root, "l10n/bundle.l10n.json");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  fs.mkdirSync(path.dirname(bundle), { recursive: true });
  fs.writeFileSync(bundle, `${JSON.stringify(collect(), undefined, 2)}\n`);
}
