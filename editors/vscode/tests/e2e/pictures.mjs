// Pictures for the README (into $PINTLE_IMAGES) and the walkthrough (into $PINTLE_WALKTHROUGH), and the view at three widths in four themes.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, call, edit, shots, until } from "./support.mjs";

const SOURCE = `export interface Cart {
  items: { price: number; count: number }[];
  discount: number;
}

export function total(cart: Cart): number {
  let sum = 0;
  for (const item of cart.items) sum += item.price;
  return sum;
}
`;

const TEST = `import { total } from "./cart";

test("two of an item cost twice as much", () => {
  expect(total({ items: [{ price: 3, count: 2 }], discount: 0 })).toBe(6);
});
`;

const plan = (...done) => ({
  tool: "todo_write",
  arguments: {
    items: ["Read the cart and who calls it", "Count each item", "Subtract the discount", "Add a test"].map(
      (content, at) => ({ content, status: done[at] ?? "pending" }),
    ),
  },
});

const OVERVIEW = `The total ignores \`count\`. Two places matter:

| place | what is wrong |
| --- | --- |
| [\`src/cart.ts\`](src/cart.ts#L8) | adds each price once, whatever the count |
| [\`src/cart.ts\`](src/cart.ts#L9) | never subtracts the discount |

\`\`\`ts
for (const item of cart.items) sum += item.price * item.count;
\`\`\`
`;

export async function theReadmesPictures(rig) {
  const folder = rig.folder("shop", {
    files: { "src/cart.ts": SOURCE, "README.md": "# Shop\n", "test.sh": "echo 1 passed\n" },
    settings: { "pintle.permissionMode": "ask", "workbench.colorTheme": "Default Dark Modern" },
    script: {
      replies: [
        {
          blocks: [
            { reasoning: "Let me look at the cart first." },
            { tool: "read", arguments: { path: "src/cart.ts" } },
            plan("completed", "in_progress"),
          ],
        },
        {
          blocks: [
            { text: OVERVIEW },
            ...edit("src/cart.ts", [
              "sum += item.price;\n  return sum;",
              "sum += item.price * item.count;\n  return sum - cart.discount;",
            ]).blocks,
          ],
        },
        {
          blocks: [
            { tool: "write", arguments: { path: "src/cart.test.ts", content: TEST } },
            plan("completed", "completed", "completed", "in_progress"),
          ],
        },
        call("bash", { command: "sh test.sh" }),
        {
          blocks: [
            plan("completed", "completed", "completed", "completed"),
            { text: "The total counts each item and subtracts the discount; a test holds it." },
          ],
        },
      ],
    },
  });
  const window = await rig.window(folder);
  const { page } = window;
  await window.send("The total of a cart is wrong for more than one of an item. Fix it, with a test.");
  await window.button("Allow").waitFor({ timeout: LONG });
  await window.view.locator(".codeBlock code span[style]").first().waitFor({ timeout: LONG });
  await picture(window, "consent");
  await window.button("Allow").click();
  await window.view.locator(".approval", { hasText: "cart.test.ts" }).waitFor({ timeout: LONG });
  await window.button("Allow").click();
  await window.view.locator(".approval", { hasText: "sh test.sh" }).waitFor({ timeout: LONG });
  await window.view.locator(".plan", { hasText: "3 of 4 done" }).waitFor({ timeout: LONG });
  await picture(window, "plan");
  await window.button("Allow").click();
  await window.sees("a test holds it.");
  // The plan leaves when all of it is done.
  await window.view.locator(".plan").waitFor({ state: "hidden", timeout: LONG });

  await window.quickOpen("cart.ts");
  await until("the hunk has its lenses", async () =>
    (await window.lenses()).some((each) => each.includes("Keep")),
  );
  await picture(window, "review", { x: 352, y: 36, width: 748, height: 420 });
  await window.view.locator("main").evaluate((main) => main.scrollTo(0, 0));
  await window.view.locator("h1, .user").first().scrollIntoViewIfNeeded();
  await picture(window, "chat");
  await window.command("View: Show Pintle");
  await page
    .locator('.pane:has([aria-label="Sessions Section"]) .monaco-list-row', { hasText: "The total" })
    .waitFor({ timeout: LONG });
  await picture(window, "history", { x: 4, y: 36, width: 344, height: 520 });
}

/** A part of the window; without one, the view. */
async function picture({ page }, name, clip) {
  const view = { x: 1104, y: 36, width: 292, height: 792 };
  const file = path.join(shots, `readme-${name}.png`);
  await page.screenshot({ path: file, clip: clip ?? view });
  keep(file, process.env.PINTLE_IMAGES, name);
}

/** Copies a picture into the folder that an environment variable named. */
function keep(file, folder, name) {
  if (folder === undefined) return;
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(file, path.join(folder, `${name}.png`));
}

export async function theWalkthroughsPictures(rig) {
  for (const [kind, theme] of [
    ["dark", "Default Dark Modern"],
    ["light", "Default Light Modern"],
  ]) {
    const folder = rig.folder(`shop ${kind}`, {
      files: { "src/cart.ts": SOURCE },
      settings: { "pintle.permissionMode": "ask", "workbench.colorTheme": theme },
      script: {
        replies: [
          { blocks: [{ tool: "read", arguments: { path: "src/cart.ts" } }] },
          {
            blocks: [
              { text: "The total ignores `count`." },
              ...edit("src/cart.ts", ["sum += item.price;", "sum += item.price * item.count;"]).blocks,
            ],
          },
          { blocks: [{ text: "The total counts each item." }] },
        ],
      },
    });
    // Sharp on screens with small pixels.
    const window = await rig.window(folder, { scale: 2 });
    const take = async (name, clip) => {
      const file = path.join(shots, `walkthrough-${name}-${kind}.png`);
      await window.page.screenshot({ path: file, clip });
      keep(file, process.env.PINTLE_WALKTHROUGH, `${name}-${kind}`);
    };
    await window.width(420);
    await window.send("The total of a cart is wrong for more than one of an item. Fix it.");
    await window.button("Allow").waitFor({ timeout: LONG });
    const frame = await window.page.locator("iframe.webview").first().boundingBox();
    await take("what", { x: frame.x, y: frame.y + frame.height - 360, width: frame.width, height: 360 });
    await window.button("Allow").click();
    await window.sees("The total counts each item.");
    await window.quickOpen("cart.ts");
    await until("the hunk has its lenses", async () =>
      (await window.lenses()).some((each) => each.includes("Keep")),
    );
    await window.intoEditor();
    const editor = await window.page.locator(".editor-group-container.active").boundingBox();
    await take("prompt", { x: editor.x, y: editor.y, width: editor.width, height: 330 });
    await window.command("Pintle: Choose Model…");
    await window.page.mouse.move(600, 700);
    await window.page.locator(".quick-input-list .monaco-list-row").nth(8).waitFor({ timeout: LONG });
    await window.page.locator(".monaco-hover").filter({ visible: true }).waitFor({ state: "hidden" });
    const list = await window.page.locator(".quick-input-widget").boundingBox();
    await take("model", { x: list.x, y: list.y, width: list.width, height: Math.min(list.height, 430) });
    await window.page.keyboard.press("Escape");
    await window.close();
  }
}

/** Widths of the view, in pixels. */
const WIDTHS = [300, 500, 900];

export async function theViewHasRoomAtAnyWidth(rig) {
  const long = "a_very_long_name_without_any_blank_".repeat(8);
  const folder = rig.folder("widths", {
    files: { "a.txt": "a\n" },
    script: {
      replies: [
        {
          blocks: [
            {
              text: `# ${long}\n\n| ${long} | b |\n| --- | --- |\n| 1 | 2 |\n\n\`${long}\`\n\n\`\`\`js\nlet ${long} = 1;\n\`\`\`\n`,
            },
            { tool: "bash", arguments: { command: `echo ${long}; touch x` } },
          ],
        },
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send(`Look at ${long}`);
  await window.button("Allow").waitFor({ timeout: LONG });
  const settings = JSON.parse(folder.read(".vscode/settings.json"));
  const themes = {
    "Default Light Modern": "vscode-light",
    "Default Dark Modern": "vscode-dark",
    "Default High Contrast": "vscode-high-contrast",
    "Default High Contrast Light": "vscode-high-contrast-light",
  };
  const size = () =>
    window.view
      .locator("body")
      .evaluate((body) => [
        body.clientWidth,
        body.scrollWidth,
        document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth,
      ]);
  for (const wanted of WIDTHS) {
    await window.width(wanted);
    const [width, all, more] = await size();
    assert.deepEqual([all <= width, more], [true, 0], `nothing is wider than the view of ${width}`);
    for (const [theme, kind] of Object.entries(themes)) {
      folder.write(".vscode/settings.json", JSON.stringify({ ...settings, "workbench.colorTheme": theme }));
      await until(`the page is ${kind}`, async () =>
        (await window.view.locator("body").getAttribute("class")).split(" ").includes(kind),
      );
      await window.shot(`width-${wanted}-${kind}`);
    }
  }
}
