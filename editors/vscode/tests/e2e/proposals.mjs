// Proposed API is refused here; all other cases prove that the package asks for none.
import assert from "node:assert/strict";
import { until } from "./support.mjs";

/** An extension that uses an API, and a menu, which VS Code gives to nobody who does not name it. */
const EXTENSION = {
  "package.json": JSON.stringify({
    name: "wants",
    publisher: "test",
    version: "1.0.0",
    engines: { vscode: "^1.106.0" },
    main: "./main.js",
    activationEvents: ["onStartupFinished"],
    contributes: {
      commands: [{ command: "wants.it", title: "Wants It" }],
      menus: { "diffEditor/gutter/hunk": [{ command: "wants.it" }] },
    },
  }),
  "main.js": `const { window, Uri } = require("vscode");
exports.activate = () => window.registerQuickDiffProvider({}, {}, "id", "label", Uri.file("/"));
`,
};

export async function proposedApiIsRefused(_, own) {
  const rig = await own({ extension: EXTENSION });
  const window = await rig.window(rig.folder("proposals", { script: { replies: [] } }), { isShown: false });
  const wanted = [
    /'test\.wants' CANNOT use API proposal: quickDiffProvider/,
    /diffEditor\/gutter\/hunk is a proposed menu identifier/,
  ];
  for (const each of wanted)
    await until(`it is refused: ${each}`, () => rig.refusals().some((text) => each.test(text)));
  for (const text of rig.refusals()) assert.doesNotMatch(text, /pintle\.pintle/);
  await window.shot("proposals");
  rig.expectsRefusals = true;
}
