// Bundles the extension and its webview into dist/. `--production` minifies.
import { copyFile, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const production = process.argv.includes("--production");
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
};

await Promise.all([
  build({
    ...common,
    entryPoints: { extension: "src/extension.ts" },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node22",
    format: "cjs",
    external: ["vscode"],
  }),
  build({
    ...common,
    entryPoints: { webview: "src/webview/main.ts", style: "src/webview/style.css" },
    outdir: "dist",
    platform: "browser",
    target: "chrome130",
    format: "iife",
    loader: { ".ttf": "file" },
    assetNames: "[name]",
  }),
]);
// The program that grammars' regular expressions are written for, read when code is coloured first.
await mkdir("dist", { recursive: true });
await copyFile("node_modules/vscode-oniguruma/release/onig.wasm", "dist/onig.wasm");
// The schema of the engine's settings, read when its file is completed first.
await copyFile("../../protocol/config.schema.json", "dist/config.schema.json");

// What others wrote and is bundled here, with its licences.
const bundled = [
  "markdown-it",
  "entities",
  "linkify-it",
  "mdurl",
  "punycode.js",
  "uc.micro",
  "vscode-textmate",
  "vscode-oniguruma",
  "@vscode/codicons",
];
const texts = [];
for (const name of bundled) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const files = (await readdir(folder)).filter((each) => /^(licen[cs]e|notice)/i.test(each)).sort();
  if (files.length === 0) throw new Error(`${name} comes without a licence`);
  const parts = await Promise.all(files.map((each) => readFile(`${folder}/${each}`, "utf8")));
  texts.push([`${name} ${version} (${license})`, ...parts].join("\n\n"));
}
await writeFile("dist/LICENSES.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
