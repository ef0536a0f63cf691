// Questions of permission: what they show, how they are answered, and where the keyboard is before and after.
import assert from "node:assert/strict";
import { LONG, call, say, until } from "./support.mjs";

const BIG = Array.from({ length: 5000 }, (_, n) => `line ${n + 1}`);
const changed = BIG.with(2499, "line 2500, changed");

/** What has the keyboard on the page: a tag, or a card's class. */
const focused = (window) =>
  window.view.locator("body").evaluate(() => {
    const { tagName, className } = document.activeElement;
    return className.includes("approval") ? "card" : tagName;
  });

const card = (window, text) => window.view.locator(".approval", { hasText: text });

export async function aQuestionShowsTheChangeItself(rig) {
  const folder = rig.folder("consent change", {
    files: { "big.txt": `${BIG.join("\n")}\n`, "b.txt": "b\n" },
    script: {
      replies: [
        call("read", { path: "big.txt" }),
        call("write", { path: "big.txt", content: `${changed.join("\n")}\n` }),
        call("write", { path: "new.txt", content: "new\n" }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.open("b.txt");
  await window.send("go");
  const asked = card(window, "big.txt");
  await asked.waitFor({ timeout: LONG });
  assert.match(await asked.innerText(), /\+1\s*−1/);
  assert.deepEqual(await asked.locator(".change .diff .added").allInnerTexts(), ["+line 2500, changed\n"]);
  assert.deepEqual(await asked.locator(".change .diff .removed").allInnerTexts(), ["-line 2500\n"]);
  const lines = (await asked.locator(".diff").first().innerText()).split("\n").filter((line) => line !== "");
  assert.ok(lines.length < 12, `${lines.length} lines are drawn`);
  await window.shot("consent-change");

  // VS Code's own diff, which closes with the question.
  await asked.getByRole("button", { name: "big.txt" }).click();
  const tab = (name) => window.page.locator(".tab", { hasText: `${name} (now ↔ asked)` });
  await tab("big.txt").waitFor({ timeout: LONG });
  await window.page.locator(".monaco-diff-editor .line-insert").first().waitFor({ timeout: LONG });
  await window.shot("consent-diff");
  assert.equal(folder.read("big.txt").includes("changed"), false, "nothing is written before the answer");
  await asked.getByRole("button", { name: "Allow", exact: true }).click();
  await card(window, "new.txt").waitFor({ timeout: LONG });
  await until("the diff is closed", async () => (await tab("big.txt").count()) === 0);
  assert.ok(folder.read("big.txt").includes("line 2500, changed"));

  await card(window, "new.txt").getByRole("button", { name: "new.txt" }).click();
  await tab("new.txt").waitFor({ timeout: LONG });
  await card(window, "new.txt").getByRole("button", { name: "Deny", exact: true }).click();
  await window.sees("all asked");
  await until("the diff is closed", async () => (await tab("new.txt").count()) === 0);
  assert.equal(folder.has("new.txt"), false);
}

export async function noKeyAnswersBeforeAPersonGoesToTheQuestion(rig) {
  const command = (text) => call("bash", { command: text });
  const folder = rig.folder("consent keys", {
    files: { "b.txt": "b\n" },
    script: {
      replies: [
        command("touch first\necho second line"),
        command("touch second"),
        command("touch second"),
        command("mkdir third"),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.open("b.txt");
  await window.box.fill("go");
  await window.box.press("Enter");
  const first = card(window, "touch first");
  await first.waitFor({ timeout: LONG });
  assert.match(await first.innerText(), /touch first\necho second line/, "the whole command");
  assert.equal(await focused(window), "TEXTAREA", "a question takes no focus");
  for (const key of ["Enter", "Space", "y", "Enter"]) await window.box.press(key);
  await window.box.fill("a draft");
  assert.equal(folder.has("first"), false, "keys in the prompt box answer nothing");

  // By keys from the prompt box: to the answers, and back when it is given.
  const allow = (card) => card.getByRole("button", { name: "Allow", exact: true });
  await allow(first).focus();
  await allow(first).press("Enter");
  const second = card(window, "touch second");
  await second.waitFor({ timeout: LONG });
  assert.equal(await focused(window), "TEXTAREA", "the focus is back");
  assert.equal(await window.box.inputValue(), "a draft");
  assert.ok(folder.has("first"));
  assert.equal(folder.has("second"), false);

  // An answer that holds longer says which rule it adds.
  await second.getByRole("button", { name: "More answers" }).click();
  const always = second.locator(".answers li", { hasText: "for this session" });
  assert.match(await always.innerText(), /Adds the rule allow `touch \*\*` until the session is closed\./);
  await window.shot("consent-rules");
  await always.getByRole("button").click();
  // The next call of the same command asks nothing more.
  const third = card(window, "mkdir third");
  await third.waitFor({ timeout: LONG });

  // From an editor: the command goes to the card, not to an answer, and the answer leads back.
  await window.intoEditor();
  await window.command("Pintle: Go to the Question");
  await until("the card has the keyboard", async () => (await focused(window)) === "card");
  await window.page.keyboard.press("Enter");
  assert.equal(folder.has("third"), false, "Enter on the card answers nothing");
  await window.page.keyboard.press("Tab");
  while ((await window.view.locator(":focus").innerText()) !== "Deny")
    await window.page.keyboard.press("Tab");
  await window.page.keyboard.press("Enter");
  await window.sees("all asked");
  await until("the editor has the keyboard", () =>
    window.page.evaluate(() => document.activeElement?.closest(".editor-instance") !== null),
  );
  assert.equal(folder.has("third"), false);
}

export async function questionsAreAnsweredFromAnywhere(rig) {
  const folder = rig.folder("consent anywhere", {
    files: { "n.txt": "n\n" },
    script: {
      replies: [
        call("write", { path: "w.txt", content: "more\n" }),
        call("bash", { command: "touch first\necho second line" }),
        call("bash", { command: "touch third" }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.open("n.txt");
  await window.send("go");
  const input = window.page.locator(".quick-input-widget input");
  const tab = (name) => window.page.locator(".tab", { hasText: name });

  // The status bar leads to the list; the change is shown, and one Enter answers nothing.
  await window.status("1 open question").click();
  await tab("w.txt (now ↔ asked)").waitFor({ timeout: LONG });
  await input.waitFor({ timeout: LONG });
  await window.shot("consent-list");
  await window.page.keyboard.press("Enter");
  await input.waitFor({ state: "hidden", timeout: LONG });
  assert.equal(folder.has("w.txt"), false);
  await window.status("1 open question").click();
  await window.pick("Allow changes in the working directory for this turn");
  await card(window, "touch first").waitFor({ timeout: LONG });
  await until("the diff is closed", async () => (await tab("w.txt (now ↔ asked)").count()) === 0);
  assert.equal(folder.read("w.txt"), "more\n");

  // By keys from an editor, where the keyboard is again afterwards. The list shows the whole command.
  await window.intoEditor();
  await window.page.keyboard.press("Control+k");
  await window.page.keyboard.press("Alt+a");
  await tab("Question").waitFor({ timeout: LONG });
  await until("the whole command is shown", async () => (await window.text()).includes("echo second line"));
  await window.pick("Allow");
  await card(window, "touch third").waitFor({ timeout: LONG });
  await until("the text is closed", async () => (await tab("Question").count()) === 0);
  await until("it ran", () => folder.has("first"));
  await until("the editor has the keyboard", () =>
    window.page.evaluate(() => document.activeElement?.closest(".editor-instance") !== null),
  );

  // A list whose question is answered elsewhere goes away.
  await window.command("Pintle: Answer Questions…");
  await tab("Question").waitFor({ timeout: LONG });
  await card(window, "touch third").getByRole("button", { name: "Deny", exact: true }).click();
  await window.sees("all asked");
  await input.waitFor({ state: "hidden", timeout: LONG });
  assert.equal(folder.has("third"), false);
}

/** Whether an element of the page is in sight as a whole. Runs in the page. */
const isWhole = (element) => {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && element.contains(at);
};

/** Whether a text ends within its box. Runs in the page. */
const endsInSight = (element) =>
  element.getBoundingClientRect().bottom <= element.parentElement.getBoundingClientRect().bottom;

const SCRIPT = Array.from({ length: 28 }, (_, n) => `echo step ${n + 1} of the deployment`);
const LAST = "touch ran && rm -rf build";

export async function aLongCommandIsReadToItsEnd(rig) {
  const folder = rig.folder("consent long", {
    files: { "b.txt": "b\n" },
    script: {
      replies: [
        call("bash", { command: [...SCRIPT, LAST].join("\n") }),
        call("bash", { command: `echo ${"x".repeat(4900)}; touch one-line` }),
        call("bash", { command: "touch by-keys\n".repeat(40) }),
        call("bash", { command: "touch short" }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.width(280);
  await window.open("b.txt");
  await window.send("go");
  const asked = card(window, "step 1 of");
  const allow = asked.getByRole("button", { name: "Allow", exact: true });
  await allow.waitFor({ timeout: LONG });
  const isOff = async (button) => (await button.getAttribute("aria-disabled")) === "true";
  await until("it cannot be allowed before its end was in view", () => isOff(allow));
  assert.match(await asked.locator(".detail").innerText(), /29 lines/);
  assert.match(await asked.locator(".rest .last").innerText(), /rm -rf build/);
  // The layout decides how much is hidden.
  await until("the mark counts the lines", async () =>
    /2\d more lines/.test(await asked.locator(".rest .mark").innerText()),
  );
  assert.ok(await asked.locator(".last span").evaluate(endsInSight), "its last line is in sight");
  await window.shot("consent-long-280");
  // Pressing the button moves the focus to the unread text.
  await allow.press("Enter");
  assert.equal(await focused(window), "PRE");
  assert.equal(folder.has("ran"), false);
  await window.page.keyboard.press("End");
  await until("the call can be allowed", async () => !(await isOff(allow)));
  assert.ok(await asked.locator(".rest").isHidden());
  await window.shot("consent-long-end-280");
  await allow.click();
  await until("it ran", () => folder.has("ran"));

  // A line of 5,000 characters is as long.
  const line = card(window, "touch one-line");
  await line.waitFor({ timeout: LONG });
  await until("it cannot be allowed yet", () =>
    isOff(line.getByRole("button", { name: "Allow", exact: true })),
  );
  assert.match(await line.locator(".last").innerText(), /^…x+; touch one-line$/);
  await until("the mark says that the middle is hidden", async () =>
    /The middle is not shown/.test(await line.locator(".mark").innerText()),
  );
  await window.shot("consent-line-280");
  await line.getByRole("button", { name: "Show All" }).click();
  await window.page.locator(".tab", { hasText: "Command.sh" }).waitFor({ timeout: LONG });
  await line.getByRole("button", { name: "Allow", exact: true }).click();
  await until("it ran", () => folder.has("one-line"));
  await until(
    "its text is closed",
    async () => (await window.page.locator(".tab", { hasText: "Command.sh" }).count()) === 0,
  );

  // It can be denied unread; in place, the mark makes room for all of it.
  const keys = card(window, "touch by-keys");
  await keys.waitFor({ timeout: LONG });
  await keys.getByRole("button", { name: /more lines/ }).click();
  assert.ok(await keys.locator(".rest").isHidden());
  await keys.getByRole("button", { name: "Deny", exact: true }).click();

  // The menu is in sight, whatever the width.
  const short = card(window, "touch short");
  await short.waitFor({ timeout: LONG });
  for (const width of [250, 360, 460]) {
    await window.width(width);
    await short.getByRole("button", { name: "More answers" }).click();
    await short.locator(".answers").waitFor();
    for (const each of await short.locator(".answers button").all())
      assert.ok(await each.evaluate(isWhole), `an answer is out of sight at ${width}`);
    await window.shot(`consent-menu-${width}`);
    await window.page.keyboard.press("Escape");
    await short.locator(".answers").waitFor({ state: "hidden" });
  }
  await short.getByRole("button", { name: "Allow", exact: true }).click();
  await window.sees("all asked");
  assert.ok(folder.has("short"));
  assert.equal(folder.has("by-keys"), false);
}

export async function aDiffIsAnsweredInItsTitle(rig) {
  const folder = rig.folder("consent title", {
    files: { "a.txt": "a\n", "b.txt": "b\n" },
    script: {
      replies: [
        call("edit", { path: "a.txt", edits: [{ oldText: "a", newText: "A" }] }),
        call("edit", { path: "b.txt", edits: [{ oldText: "b", newText: "B" }] }),
        call("bash", { command: "touch ran" }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("go");
  const tab = (name) => window.page.locator(".tab", { hasText: name });
  const title = (name) => window.page.locator(".editor-actions").getByRole("button", { name });
  await card(window, "a.txt").getByRole("button", { name: "a.txt" }).click();
  await tab("a.txt (now ↔ asked)").waitFor({ timeout: LONG });
  await title("Allow What This Editor Shows").waitFor({ timeout: LONG });
  await window.shot("consent-title");
  await title("Allow What This Editor Shows").click();
  await card(window, "b.txt").waitFor({ timeout: LONG });
  await until("the diff is closed", async () => (await tab("a.txt (now ↔ asked)").count()) === 0);
  await until("it is written", () => folder.read("a.txt") === "A\n");
  await title("Allow What This Editor Shows").waitFor({ state: "hidden", timeout: LONG });

  // By keys, from the diff itself.
  await card(window, "b.txt").getByRole("button", { name: "b.txt" }).click();
  await title("Deny What This Editor Shows").waitFor({ timeout: LONG });
  await until("the diff has the keyboard", async () => {
    await window.command("View: Focus Active Editor Group");
    return window.editorHasKeyboard();
  });
  await window.page.keyboard.press("Control+k");
  await window.page.keyboard.press("n");
  await card(window, "touch ran").waitFor({ timeout: LONG });
  assert.equal(folder.read("b.txt"), "b\n");
  await until("the diff is closed", async () => (await tab("b.txt (now ↔ asked)").count()) === 0);

  // A command opened as text has the same buttons.
  await window.command("Pintle: Answer Questions…");
  await tab("Question").waitFor({ timeout: LONG });
  const list = window.page.locator(".quick-input-widget input");
  await list.waitFor({ timeout: LONG });
  await list.press("Escape");
  await title("Allow What This Editor Shows").click({ timeout: LONG });
  await window.sees("all asked");
  assert.ok(folder.has("ran"));
}

export async function aProposalIsEditedBeforeItIsAllowed(rig) {
  const folder = rig.folder("consent edited", {
    files: { "a.txt": "one\ntwo\n", "b.txt": "b\n" },
    script: {
      replies: [
        call("edit", { path: "a.txt", edits: [{ oldText: "two", newText: "TWO" }] }),
        call("edit", { path: "b.txt", edits: [{ oldText: "b", newText: "B" }] }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("go");
  const tab = (name) => window.page.locator(".tab", { hasText: name });
  const title = (name) => window.page.locator(".editor-actions").getByRole("button", { name });
  const type = async (name, text) => {
    await card(window, name).getByRole("button", { name }).click();
    await tab(`${name} (now ↔ asked)`).waitFor({ timeout: LONG });
    await window.clickIntoEditor(
      window.page.locator(".monaco-diff-editor .editor.modified .view-line").last(),
    );
    await window.page.keyboard.press("Control+End");
    await window.page.keyboard.type(text);
    await card(window, name).getByText(`Allow includes your edits to ${name}.`).waitFor({ timeout: LONG });
  };
  await type("a.txt", "mine");
  await window.shot("consent-edited");
  assert.equal(folder.read("a.txt"), "one\ntwo\n", "nothing is written before the answer");
  await title("Allow What This Editor Shows").click();
  await card(window, "b.txt").waitFor({ timeout: LONG });
  await until("it is written", () => folder.read("a.txt") === "one\nTWO\nmine");
  await until("the diff is closed", async () => (await tab("a.txt (now ↔ asked)").count()) === 0);

  // Edits that no answer has taken stay.
  await type("b.txt", "typed for nothing");
  await window.command("Pintle: Stop the Turn");
  await window.page.getByText("your edits to b.txt were not used").first().waitFor({ timeout: LONG });
  await window.page.locator(".view-line", { hasText: "typed for nothing" }).waitFor({ timeout: LONG });
  assert.equal(folder.read("b.txt"), "b\n");
}

const WIDE = "a line of context that is long enough to be wrapped in a narrow bar, twice or more";

export async function aNarrowDiffShowsItsChangedLines(rig) {
  const lines = Array.from({ length: 30 }, (_, n) => `${n + 1}: ${WIDE}`);
  const folder = rig.folder("consent narrow", {
    files: { "wide.txt": `${lines.join("\n")}\n` },
    script: {
      replies: [
        call("edit", { path: "wide.txt", edits: [{ oldText: lines[9], newText: "ten, changed" }] }),
        call("write", { path: "new.txt", content: `${lines.join("\n")}\n` }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.width(280);
  await window.send("go");
  const asked = card(window, "wide.txt");
  await asked.getByText("Allow edit of wide.txt?").waitFor({ timeout: LONG });
  await window.shot("consent-diff-280");
  assert.ok(await asked.locator(".change .diff .added").evaluate(isWhole), "the added line is in sight");
  assert.equal(await asked.locator(".change .diff .added").getAttribute("data-number"), "10");
  assert.equal(await asked.getByText("@@").count(), 0);
  await asked.getByRole("button", { name: "Allow", exact: true }).click();
  // A new file of thirty lines, of which few are in sight where each is wrapped.
  const added = card(window, "new.txt");
  await added.getByText("Allow new file new.txt?").waitFor({ timeout: LONG });
  const [, more] = /(\d+) more lines/.exec(await added.locator(".mark").innerText());
  assert.ok(Number(more) > 24, `${more} lines are left, as they are wrapped`);
  assert.match(await added.locator(".last").innerText(), /30: a line of context that is long/);
  await window.shot("consent-new-280");
  await added.getByRole("button", { name: "Deny", exact: true }).click();
  await window.sees("all asked");
}

const plan = (...states) => ({
  tool: "todo_write",
  arguments: { items: states.map((status, at) => ({ content: `Step ${at + 1}`, status })) },
});

export async function aQuestionLeadsBackToWhereOneCameFrom(rig) {
  const folder = rig.folder("consent focus", {
    files: { "b.txt": "b\n" },
    script: {
      replies: [
        {
          blocks: [
            plan("completed", "pending"),
            ...call("ask_user", { question: "Which?", options: ["red", "blue"] }).blocks,
          ],
        },
        call("bash", { command: "touch one" }),
        call("bash", { command: "touch two" }),
        call("bash", { command: "touch three" }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.open("b.txt");
  await window.box.fill("go");
  await window.box.press("Enter");
  await window.view.locator(".question").waitFor({ timeout: LONG });
  const list = window.view.locator(".plan");
  await until("the plan is folded", () => list.evaluate((element) => !element.open));
  await window.shot("question");
  await window.view.locator(".words").fill("green");
  await window.view.locator(".words").press("Enter");
  await window.sees("You answered: green");
  assert.equal(await focused(window), "TEXTAREA");

  // From the prompt box, though an editor is open.
  const toQuestion = async () => {
    await window.page.keyboard.press("Control+k");
    await window.page.keyboard.press("Alt+q");
    await until("the card has the keyboard", async () => (await focused(window)) === "card");
  };
  const deny = async (name) => {
    const button = card(window, name).getByRole("button", { name: "Deny", exact: true });
    await button.focus();
    await button.press("Enter");
  };
  await card(window, "touch one").waitFor({ timeout: LONG });
  await window.box.click();
  await toQuestion();
  await deny("touch one");
  await card(window, "touch two").waitFor({ timeout: LONG });
  await until("the prompt box has the keyboard", async () => (await focused(window)) === "TEXTAREA");
  assert.ok(await window.view.locator("body").evaluate(() => document.hasFocus()), "and no editor");

  // From another view.
  await window.page.locator(".explorer-folders-view .monaco-list-row").first().click();
  await toQuestion();
  await deny("touch two");
  await card(window, "touch three").waitFor({ timeout: LONG });
  await until("the explorer has the keyboard", () =>
    window.page.evaluate(() => document.activeElement?.closest(".explorer-folders-view") !== null),
  );

  // From the editor.
  await window.intoEditor();
  await toQuestion();
  await deny("touch three");
  await window.sees("all asked");
  await until("the editor has the keyboard", () =>
    window.page.evaluate(() => document.activeElement?.closest(".editor-instance") !== null),
  );
  await until("the plan is as it was", () => list.evaluate((element) => element.open));
}

const PLAN = "# The plan\n\n1. Read **all** of `b.txt`\n2. Change it\n";

export async function aPlanIsReadAsMarkdown(rig) {
  const folder = rig.folder("consent plan", {
    files: { "b.txt": "b\n" },
    script: {
      replies: [
        call("exit_plan", { plan: PLAN }),
        call("write", { path: "made.txt", content: "made\n" }),
        say("the plan is carried out"),
      ],
    },
    settings: { "pintle.permissionMode": "full" },
  });
  const window = await rig.window(folder);
  // The session begins in plan mode: what only acting can do is not done before the plan is accepted.
  await window.command("Pintle: Choose Mode…");
  await window.pick("Plan First");
  await window.view.getByRole("button", { name: "Mode: Plan first" }).waitFor({ timeout: LONG });
  await window.send("plan it");
  const asked = window.view.locator(".question");
  await asked.locator(".planText").getByRole("heading", { name: "The plan" }).waitFor({ timeout: LONG });
  assert.equal(await asked.locator(".planText li").count(), 2);
  assert.equal(folder.has("made.txt"), false);
  await window.sees("Plan mode is on");
  assert.equal(await window.view.getByText("you are in plan mode").filter({ visible: true }).count(), 0);
  await window.shot("plan-question");
  await asked.getByRole("button").first().click();
  await window.sees("the plan is carried out");
  await window.sees("You answered: Accept and start");
  assert.equal(folder.read("made.txt"), "made\n");
}

export async function aReasonIsInSightWhereItWarns(rig) {
  const folder = rig.folder("consent reasons", {
    files: { "a.txt": "a\n" },
    settings: { "workbench.colorTheme": "Default Dark Modern" },
    script: {
      replies: [
        call("write", { path: "../outside of it.txt", content: "x\n" }),
        call("edit", { path: "a.txt", edits: [{ oldText: "a", newText: "A" }] }),
        call("bash", { command: "touch ran", description: "Leaves a mark." }),
        say("all asked"),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.width(360);
  await window.send("go");
  const outside = card(window, "outside of it.txt");
  await outside.getByText("Changes files outside the working directory").waitFor({ timeout: LONG });
  await window.shot("consent-warning-360");
  await outside.getByRole("button", { name: "Deny", exact: true }).click();
  const edits = card(window, "Allow edit of a.txt?");
  await edits.waitFor({ timeout: LONG });
  await window.width(460);
  await window.shot("consent-edits-460");
  assert.equal(await edits.getByText("changes files").count(), 0, "a plain reason is in the tooltip");
  assert.match(await edits.locator(".title").getAttribute("title"), /^Reason: changes files \(ask mode\)$/);
  assert.match(await edits.getAttribute("aria-description"), /^Reason: changes files/);
  await edits.getByRole("button", { name: "Deny", exact: true }).click();
  const run = card(window, "Run this command?");
  await run.getByText("Leaves a mark.").first().waitFor({ timeout: LONG });
  await window.shot("consent-words-460");
  await run.getByRole("button", { name: "Deny", exact: true }).click();
  await window.sees("all asked");
}
