// Writes the extension's page for its package: README.md with its pictures inside, so that they load in VS Code, without a network and on every
// marketplace. Links into the repository become plain text. Usage: node page.mjs README.md OUT.md
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [source, target] = process.argv.slice(2);
const page = readFileSync(source, "utf8")
  .replaceAll(/!\[([^\]]*)\]\((?!https?:)([^)]+\.png)\)/g, (_, text, file) => {
    const picture = readFileSync(join(dirname(source), file)).toString("base64");
    return `![${text}](data:image/png;base64,${picture})`;
  })
  .replaceAll(/(?<!!)\[([^\]]*)\]\((?!https?:|#|data:)[^)]*\)/g, "$1");
writeFileSync(target, page);
