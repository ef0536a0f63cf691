// The page as people with a screen reader, a keyboard alone or little contrast have it: axe finds nothing, in four themes.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, call, say, until } from "./support.mjs";

const AXE = fs.readFileSync(
  path.join(process.env.PINTLE_PLAYWRIGHT, "node_modules/axe-core/axe.min.js"),
  "utf8",
);

/** Themes of VS Code: the kind that the page is told, and the colour of a shell's own commands. */
const THEMES = {
  "Default Light Modern": ["vscode-light", "rgb(121, 94, 38)"],
  "Default Dark Modern": ["vscode-dark", "rgb(220, 220, 170)"],
  "Default High Contrast": ["vscode-high-contrast", "rgb(220, 220, 170)"],
  "Default High Contrast Light": ["vscode-high-contrast-light", "rgb(94, 44, 188)"],
};

/** What axe finds wrong on the page, in lines. */
async function findings(window) {
  const body = await window.view.locator("body").elementHandle();
  const frame = await body.ownerFrame();
  await frame.evaluate(AXE);
  // The page is transparent; what VS Code paints behind it axe cannot see.
  await frame.evaluate(() => {
    document.body.style.background = "var(--vscode-sideBar-background)";
  });
  const { violations } = await frame.evaluate("axe.run(document)");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}

export async function axeFindsNothingInFourThemes(rig) {
  const folder = rig.folder("axe", {
    files: { "a.txt": "a\n" },
    script: {
      replies: [
        {
          blocks: [
            { reasoning: "Let me see." },
            { text: "# First\n\nI **write** `a`.\n\n- one\n- two\n\n```js\nlet a;\n```\n" },
            { tool: "write", arguments: { path: "w.txt", content: "w\n" } },
          ],
        },
        call("bash", { command: "touch x; false" }),
        call("bash", { command: "touch more" }),
        say("over"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("go");
  await window.button("Allow").click({ timeout: LONG });
  await window.view.locator(".approval", { hasText: "touch x" }).waitFor({ timeout: LONG });
  await window.button("Allow").click();
  await window.view.locator(".approval", { hasText: "touch more" }).waitFor({ timeout: LONG });
  await window.send("and then", "Queue");
  await window.view.locator(".queue", { hasText: "and then" }).waitFor({ timeout: LONG });
  await window.view.locator(".tool", { hasText: "w.txt" }).locator(".chevron").click();
  await window.box.pressSequentially("@a");
  await window.view.getByRole("option").first().waitFor({ timeout: LONG });
  const settings = JSON.parse(folder.read(".vscode/settings.json"));
  for (const [theme, [kind, colour]] of Object.entries(THEMES)) {
    folder.write(".vscode/settings.json", JSON.stringify({ ...settings, "workbench.colorTheme": theme }));
    const classes = () => window.view.locator("body").getAttribute("class");
    await until(`the page is ${kind}`, async () => (await classes()).split(" ").includes(kind));
    const command = window.view.locator(".input span", { hasText: "false" }).first();
    await until(
      `the code is in the colours of ${theme}`,
      async () => (await command.evaluate((element) => element.style.color)) === colour,
    );
    await window.shot(`axe-${kind}`);
    assert.deepEqual(await findings(window), [], theme);
    const menu = window.view.locator(".answers");
    await menu.evaluate((element) => element.showPopover());
    await window.shot(`axe-menu-${kind}`);
    assert.deepEqual(await findings(window), [], `${theme}, with the menu of answers`);
    await menu.evaluate((element) => element.hidePopover());
  }
}
