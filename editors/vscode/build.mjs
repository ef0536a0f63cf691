// Bundles the extension and its webview into dist/. `--production` minifies.
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
  }),
]);
