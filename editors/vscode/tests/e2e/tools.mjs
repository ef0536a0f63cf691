// Tool rows: one per call, read-only runs folded, with diffs and file text behind them.
import assert from "node:assert/strict";
import { LONG, call, edit, gate, say, until } from "./support.mjs";

/** Resizes the view to a width in pixels. */
export async function widen(window, wanted) {
  const width = () => window.view.locator("body").evaluate((body) => body.clientWidth);
  await until(`the view is about ${wanted} wide`, async () => {
    const now = await width();
    if (Math.abs(now - wanted) < 8) return true;
    const edge = await window.page.locator("iframe.webview").first().boundingBox();
    await window.page.mouse.move(edge.x - 2, 400);
    await window.page.mouse.down();
    await window.page.mouse.move(edge.x - 2 - (wanted - now), 400, { steps: 5 });
    await window.page.mouse.up();
    return Math.abs((await width()) - wanted) < 8;
  });
}

/** Takes screenshots at three widths in each theme. */
export async function album(window, folder, name, themes = ["Default Dark Modern", "Default Light Modern"]) {
  const settings = JSON.parse(folder.read(".vscode/settings.json"));
  for (const theme of themes) {
    folder.write(".vscode/settings.json", JSON.stringify({ ...settings, "workbench.colorTheme": theme }));
    const kind = { "Default Light Modern": "vscode-light", "Default Dark Modern": "vscode-dark" }[theme];
    const classes = () => window.view.locator("body").getAttribute("class");
    await until(`the page is in ${theme}`, async () =>
      (await classes()).split(" ").includes(kind ?? "vscode-high-contrast"),
    );
    for (const width of [280, 360, 460]) {
      await widen(window, width);
      await window.shot(`${name}-${width}-${kind ?? "high-contrast"}`);
    }
  }
}

const CART = Array.from({ length: 30 }, (_, n) => `export const price${n} = ${n}; // of an item`).join("\n");
const looks = (...all) => ({ blocks: all.map(([tool, args]) => ({ tool, arguments: args })) });

export async function callsAreOneRowEachAndLooksAreFolded(rig) {
  const folder = rig.folder("tool rows", {
    settings: { "pintle.permissionMode": "full" },
    files: { "src/cart.ts": `${CART}\n`, "README.md": "# Shop\n" },
    script: {
      replies: [
        looks(
          ["read", { path: "src/cart.ts", offset: 5, limit: 4 }],
          ["grep", { pattern: "price1\\d", path: "." }],
          ["read", { path: "README.md" }],
          ["ls", { path: "src" }],
        ),
        edit("src/cart.ts", ["price3 = 3;", "price3 = 33;"]),
        call("bash", {
          command: "i=0; while [ $i -lt 80 ]; do echo line $i; i=$((i+1)); done; echo the reason; exit 3",
        }),
        gate("open"),
        say("All done."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("Look and change");
  await until("the gate is there", () => folder.has("at-open"));
  const { view } = window;
  const rows = view.locator(".tool .row").filter({ visible: true });
  const texts = async () => (await rows.allInnerTexts()).map((each) => each.replaceAll(/\s+/g, " ").trim());
  await until(
    "the looks are one row",
    async () => (await texts())[0] === "Read 2 files, searched once, listed 1 directory",
  );
  assert.match((await texts())[1], /^Edited cart\.ts ?\+1 ?−1$/);
  assert.equal(await view.locator("main summary, main details").count(), 0, "no triangles of the browser");

  // A failed command is expanded and scrolled to its end.
  const failed = view.locator('.tool[data-status="failed"]');
  await failed.getByText("the reason", { exact: true }).waitFor({ timeout: LONG });
  const isInSight = (locator) =>
    locator.evaluate((element) => {
      const box = element.closest("pre").getBoundingClientRect();
      const own = element.getBoundingClientRect();
      return own.bottom <= box.bottom + 1 && own.top >= box.top - 1;
    });
  assert.ok(await isInSight(failed.getByText("the reason", { exact: true })), "its end is in sight");
  assert.ok(!(await isInSight(failed.getByText("line 0", { exact: true }))), "its beginning is not");

  // Keyboard only: chevrons expand the run and its rows.
  const fold = view.locator(".tool.fold");
  await fold.getByRole("button").press("Enter");
  assert.equal(await fold.getByRole("button").getAttribute("aria-expanded"), "true");
  const read = view.locator(".tool.inFold", { hasText: "Read cart.ts" });
  await read.getByRole("button", { name: /^Details/ }).press("Enter");
  const file = read.locator(".numbered");
  await file.locator("code span[style]").first().waitFor({ timeout: LONG });
  assert.equal(await file.locator(".numbers").innerText(), "5\n6\n7\n8");
  assert.match(await file.locator("code").innerText(), /^export const price4 = 4/);
  await view
    .locator(".tool.inFold", { hasText: "Searched for" })
    .getByText("10 results")
    .waitFor({ timeout: LONG });
  const edited = view.locator(".tool", { hasText: "Edited cart.ts" });
  await edited.locator(".row .title").click({ position: { x: 4, y: 8 } });
  await edited.locator(".diff .added").filter({ hasText: "price3 = 33;" }).waitFor({ timeout: LONG });
  assert.doesNotMatch(await edited.innerText(), /oldText|\{/, "arguments are not shown as JSON");

  // Hits and listed files are links; the arrow keys move between hits, and Enter opens the file at the line.
  const search = view.locator(".tool.inFold", { hasText: "Searched for" });
  await search.getByRole("button", { name: /^Details/ }).press("Enter");
  const hits = search.locator(".hits a");
  assert.deepEqual((await hits.allInnerTexts()).slice(0, 2), ["src/cart.ts:11", "src/cart.ts:12"]);
  assert.equal(await search.locator('.hits a[tabindex="0"]').count(), 1, "one of them is in the tab order");
  await hits.first().focus();
  await window.page.keyboard.press("ArrowDown");
  await window.page.keyboard.press("Enter");
  await window.page.locator(".tab.active", { hasText: "cart.ts" }).waitFor({ timeout: LONG });
  await window.page.locator(".statusbar-item", { hasText: /^Ln 12,/ }).waitFor({ timeout: LONG });
  await window.command("View: Close All Editors");
  const list = view.locator(".tool.inFold", { hasText: "Listed" });
  await list.getByRole("button", { name: /^Details/ }).press("Enter");
  await list.locator(".hits a", { hasText: "cart.ts" }).click();
  await window.page.locator(".tab.active", { hasText: "cart.ts" }).waitFor({ timeout: LONG });
  await window.command("View: Close All Editors");
  await album(window, folder, "tool-rows", [
    "Default Dark Modern",
    "Default Light Modern",
    "Default High Contrast",
  ]);
  await edited.getByRole("button", { name: "cart.ts", exact: true }).click();
  await window.page.locator(".tab.active", { hasText: "cart.ts" }).waitFor({ timeout: LONG });
  folder.write("open", "");
  await window.sees("All done.");
}
