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
