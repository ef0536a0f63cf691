/** The page of the transcript's view. */
import { randomBytes } from "node:crypto";
import type * as vscode from "vscode";
import { Uri } from "vscode";
import { currentWords } from "../../words.ts";

/** The page of a view: its own script and style, and nothing from anywhere else. */
export function pageHtml(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const script = webview.asWebviewUri(Uri.joinPath(dist, "webview.js")).toString();
  const style = webview.asWebviewUri(Uri.joinPath(dist, "style.css")).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const words = currentWords();
  // Data, which no browser runs. An end tag in it would end the element.
  const data = JSON.stringify(words).replaceAll("<", "\\u003c");
  return `<!DOCTYPE html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Pintle</title>
</head>
<body>
<script type="application/json" id="words">${data}</script>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
