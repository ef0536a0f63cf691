// Proposed API is refused here; all other cases prove that the package asks for none.
import assert from "node:assert/strict";
import { extensionOf, until } from "./support.mjs";

/** An extension that uses an API, and a menu, which VS Code gives to nobody who does not name it. */
const EXTENSION = extensionOf(
  "wants",
  `const { window, Uri } = require("vscode");
exports.activate = () => window.registerQuickDiffProvider({}, {}, "id", "label", Uri.file("/"));
`,
  {
    commands: [{ command: "wants.it", title: "Wants It" }],
    menus: { "diffEditor/gutter/hunk": [{ command: "wants.it" }] },
  },
);

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
