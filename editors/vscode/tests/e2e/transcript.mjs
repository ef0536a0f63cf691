// The transcript: Markdown, code, links, cards, output of terminals, sub-agents, the plan; and that it opens at once, however long.
import assert from "node:assert/strict";
import { LONG, call, say, until, watchTimers } from "./support.mjs";

const MESSAGE = `# Heading

| name | count |
| :--- | ----: |
| a    |     1 |

- [x] done
- [ ] to do, see [the line](src/a.ts#L3) or \`src/a.ts:2\`

<b>no markup</b> and https://example.org/x

\`\`\`ts src/a.ts
const answer: number = 42; // said
\`\`\`
`;

export async function aMessageIsDrawnAsMarkdown(rig) {
  const folder = rig.folder("markdown", {
    files: { "src/a.ts": "one\ntwo\nthree\nfour\n" },
    script: { replies: [say(MESSAGE)] },
  });
  const window = await rig.window(folder);
  await window.send("Show me");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  const shown = window.view.locator(".markdown");
  assert.equal(
    await shown
      .locator("td")
      .nth(1)
      .evaluate((cell) => cell.style.textAlign),
    "right",
  );
  assert.deepEqual(
    await shown.locator("input[type=checkbox]").evaluateAll((all) => all.map((each) => each.checked)),
    [true, false],
  );
  assert.equal(await shown.locator("b").count(), 0, "HTML stays text");
  await window.sees("<b>no markup</b>");
  const code = shown.locator(".codeBlock code");
  await code.locator("span[style]").first().waitFor({ timeout: LONG });
  const colours = await code.evaluate((element) =>
    [...element.querySelectorAll("span")].map((each) => [each.textContent, each.style.color]),
  );
  // The colours are those of the theme that VS Code shows.
  const keyword = colours.find(([text]) => text.includes("const"));
  const comment = colours.find(([text]) => text.includes("said"));
  assert.ok(keyword[1] !== "" && comment[1] !== "" && keyword[1] !== comment[1], JSON.stringify(colours));
  assert.match(await window.view.locator(".agent").getAttribute("title"), /\d\d:\d\d/);
  await window.shot("22-markdown");

  await shown.getByText("the line").click();
  await window.page.locator(".tab.active", { hasText: "a.ts" }).waitFor({ timeout: LONG });
  await window.page.locator('.statusbar-item:has-text("Ln 3")').waitFor({ timeout: LONG });
  await shown.getByText("src/a.ts:2").click();
  await window.page.locator('.statusbar-item:has-text("Ln 2")').waitFor({ timeout: LONG });

  await shown.locator(".codeBlock").hover();
  await window.button("Insert at Cursor").click();
  await until("the code is in the file", async () =>
    (await window.text()).includes("const answer: number = 42; // saidtwo"),
  );
  await shown.locator(".codeBlock").hover();
  await window.button("Apply to File…").click();
  await window.page.getByRole("button", { name: "Replace All" }).click({ timeout: LONG });
  await until(
    "the file is the code",
    async () => (await window.text()).trim() === "const answer: number = 42; // said",
  );
}

export async function anotherThemeColoursTheCodeAnew(rig) {
  const folder = rig.folder("markdown theme", { script: { replies: [say("```js\nlet a = 1;\n```\n")] } });
  const window = await rig.window(folder);
  await window.send("Show me");
  const keyword = window.view.locator(".codeBlock code span", { hasText: "let" }).first();
  const colour = () => keyword.evaluate((element) => element.style.color);
  await keyword.waitFor({ timeout: LONG });
  const settings = JSON.parse(folder.read(".vscode/settings.json"));
  for (const [theme, wanted] of [
    ["Default Dark Modern", "rgb(86, 156, 214)"],
    ["Monokai", "rgb(102, 217, 239)"],
    ["Default High Contrast Light", "rgb(15, 74, 133)"],
  ]) {
    folder.write(".vscode/settings.json", JSON.stringify({ ...settings, "workbench.colorTheme": theme }));
    await until(`the code has the colours of ${theme}`, async () => (await colour()) === wanted);
  }
}

export async function aCallIsACardWithWhatATerminalShows(rig) {
  const long = "i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done";
  const folder = rig.folder("cards", {
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        call("bash", { command: "printf '10 %%\\r\\033[31mred\\033[0m\\n'; printf 'two\\n'; false" }),
        call("bash", { command: long }),
        call("bash", { command: "touch here; sleep 1000" }),
        say("That was stopped."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("Run");
  const card = (text) => window.view.locator(".tool", { hasText: text }).first();
  const first = card("printf").locator(".terminal .line").first();
  await first.waitFor({ timeout: LONG });
  assert.equal(await first.innerText(), "red%", "a line is written over");
  await window.sees("exit 1");

  await until("the last command runs", () => folder.has("here"));
  await card("line $i").locator(".row").click();
  await card("line $i").getByRole("button", { name: "Show All" }).click();
  await window.page.locator(".tab.active", { hasText: "Output" }).waitFor({ timeout: LONG });
  await window.page.keyboard.press("Control+End");
  await window.page.locator(".view-line", { hasText: "line 29999" }).waitFor({ timeout: LONG });
  await window.shot("23-output");

  await card("sleep 1000").getByRole("button", { name: "Stop This" }).click();
  await window.sees("Stopped running");
  await window.sees("That was stopped.");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  await window.shot("24-cards");
}

export async function theTranscriptStaysWhereItWasRead(rig) {
  const replies = Array.from({ length: 60 }, (_, n) => say(`Answer ${n}.\n\n${"More of it. ".repeat(40)}`));
  const folder = rig.folder("place", { script: { replies } });
  const window = await rig.window(folder);
  for (let n = 0; n < 20; n++) {
    await window.send(`Question ${n}`);
    await window.view.locator(".end.completed").nth(n).waitFor({ timeout: LONG });
  }
  const top = () =>
    window.view.locator("main").evaluate((main) => {
      const edge = main.getBoundingClientRect().top;
      const first = [...main.querySelectorAll(".entry")].find(
        (each) => each.getBoundingClientRect().bottom > edge,
      );
      return {
        key: first?.dataset.key,
        offset: Math.round((first?.getBoundingClientRect().top ?? 0) - edge),
      };
    });
  await window.view.locator("body").evaluate(watchTimers);
  await window.view.locator(".user", { hasText: "Question 8" }).scrollIntoViewIfNeeded();
  await window.view.locator("main").evaluate((main) => main.scrollBy(0, 37));
  const before = await top();
  // What is kept is kept once it was scrolled to.
  await until("the place is kept", async () => (await window.view.locator(".latest").isVisible()) === true);
  const pending = () => window.view.locator("body").evaluate(() => window.pintleTimers.size);
  await until("the page has kept it", async () => (await pending()) === 0);
  await window.command("View: Toggle Secondary Side Bar Visibility");
  await window.page.locator("iframe.webview").waitFor({ state: "detached", timeout: LONG });
  await window.command("View: Toggle Secondary Side Bar Visibility");
  await window.sees("Question 8");
  await until("it stands where it stood", async () => JSON.stringify(await top()) === JSON.stringify(before));
  await window.send("One more");
  await window.sees("Answer 20.");
}

export async function theNewestIsFollowedWhateverTheWidth(rig) {
  const text =
    `${"A paragraph that is as long as most of them are, and then some more. ".repeat(8)}\n\n`.repeat(4);
  const folder = rig.folder("follow", {
    files: { "a.txt": "a\n" },
    script: { replies: [say("short"), say(text), call("bash", { command: "touch x" }), say("the end")] },
  });
  const window = await rig.window(folder);
  const latest = window.button("Newest");
  const below = () =>
    window.view.locator("main").evaluate((main) => main.scrollHeight - main.scrollTop - main.clientHeight);
  const isAtEnd = async () => (await below()) < 40 && !(await latest.isVisible());
  await window.width(460);
  await window.send("go");
  await window.answers("short");
  await window.send("more");
  await window.view.locator(".end.completed").nth(1).waitFor({ timeout: LONG });
  await until("the end is in sight", isAtEnd);
  for (const width of [280, 460, 280]) {
    await window.width(width);
    await until(`the end is in sight at ${width}`, isAtEnd);
  }
  // A question takes room, and gives it back.
  await window.send("ask");
  await window.button("Deny").waitFor({ timeout: LONG });
  await until("the end is in sight above the question", isAtEnd);
  await window.button("Deny").click();
  await window.answers("the end");
  await until("the end is in sight again", isAtEnd);

  // Only a person leaves it, and comes back by the round button.
  await window.view.locator("main").hover();
  await window.page.mouse.wheel(0, -600);
  await latest.waitFor({ timeout: LONG });
  await window.shot("newest-280");
  await window.width(360);
  assert.ok(await latest.isVisible());
  await latest.click();
  await until("the end is in sight after a press", isAtEnd);
}
