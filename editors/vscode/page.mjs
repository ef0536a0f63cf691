// Writes the extension's page for its package: README.md with its pictures at the repository of this version, since VS Code and the marketplaces show
// pictures from https addresses only. Links into the repository become plain text. Usage: node page.mjs README.md OUT.md
import { readFileSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);
const { homepage, version, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const pictures = `${homepage}/raw/v${version}/${repository.directory}`;
const page = readFileSync(source, "utf8")
  .replaceAll(/(!\[[^\]]*\])\((?!https?:)([^)]+)\)/g, `$1(${pictures}/$2)`)
  .replaceAll(/(?<!!)\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, "$1");
writeFileSync(target, page);
