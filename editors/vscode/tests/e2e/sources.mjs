// Attachments that only the editor has: the terminal's last command, git's diff, all problems.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, isThere, say, until } from "./support.mjs";

/** Makes a folder a repository, with one commit of all that is in it. */
export function repository(folder, subject = "Begin") {
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
      cwd: folder.path,
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", subject);
  return git;
}

/** The content of the messages in all sessions. */
function messages(rig) {
  const sessions = path.join(rig.base, "home/sessions");
  return fs
    .readdirSync(sessions, { recursive: true })
    .filter((name) => name.endsWith("journal.jsonl"))
    .flatMap((name) => fs.readFileSync(path.join(sessions, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line).event?.item)
    .filter((item) => item?.type === "userMessage")
    .map(({ content }) => content);
}

/** Looks at the view at three widths, light and dark. */
async function hasRoom(window, folder, look) {
  const settings = JSON.parse(folder.read(".vscode/settings.json"));
  for (const theme of ["Light", "Dark"]) {
    const all = { ...settings, "workbench.colorTheme": `Default ${theme} Modern` };
    folder.write(".vscode/settings.json", JSON.stringify(all));
    await until(`the page is ${theme}`, async () =>
      (await window.view.locator("body").getAttribute("class")).includes(`vscode-${theme.toLowerCase()}`),
    );
    for (const width of [280, 360, 460]) {
      await window.width(width);
      const [shown, wanted] = await window.view
        .locator("body")
        .evaluate((body) => [body.clientWidth, body.scrollWidth]);
      assert.ok(wanted <= shown, `${wanted} in ${shown}`);
      await look(`${width}-${theme.toLowerCase()}`);
    }
  }
}

export async function theTerminalTheDiffAndAllProblemsAreAttached(_, own) {
  // The reduced set has no Git.
  const rig = await own({ hasAllBuiltIn: true });
  const folder = rig.folder("sources", {
    files: { "a.txt": "one\n", "b.json": '{\n  "a": 1\n' },
    script: { replies: [say("The first answer."), say("The second answer.")] },
  });
  repository(folder);
  folder.write("a.txt", "one\n@two\n");
  const window = await rig.window(folder);
  const row = (text) => window.view.getByRole("option", { name: text });
  const chips = window.view.locator(".prompt .attachments .chip:not(.editorChip)");
  const chip = (text) => chips.filter({ hasText: text });
  const type = (text) => window.box.pressSequentially(text);

  // Nothing to attach is reported, and leaves no chip.
  await window.box.fill("");
  await type("see @term");
  await row("terminal").waitFor({ timeout: LONG });
  await window.shot("sources-mention");
  await window.box.press("Enter");
  await window.notification("No terminal is open.").waitFor({ timeout: LONG });
  assert.equal(await window.box.inputValue(), "see ");
  assert.equal(await chips.count(), 0);

  await window.command("Terminal: Create New Terminal");
  const terminal = window.page.locator(".terminal-wrapper.active .xterm-helper-textarea");
  await terminal.waitFor({ timeout: LONG });
  await until("the terminal has shell integration", async () => {
    await window.box.fill("");
    await type("@term");
    await row("terminal").waitFor({ timeout: LONG });
    await window.box.press("Enter");
    return isThere(window.notification("No command has run in the terminal"), 2000);
  });
  await terminal.focus();
  await window.page.keyboard.type("printf '\\033[31mred%s\\033[0m\\n' fish; seq 5000; false");
  await window.page.keyboard.press("Enter");
  await until("the command has ended", async () => {
    await window.box.fill("");
    await type("@term");
    await row("terminal").waitFor({ timeout: LONG });
    await window.box.press("Enter");
    // Without one, the terminal has not told of the command yet.
    if (!(await isThere(chip("terminal: bash"), 5000))) return false;
    if (/exit code 1, [\d,]+ lines in the middle left out/.test(await chip("terminal").getAttribute("title")))
      return true;
    await chip("terminal").getByRole("button").click();
    return false;
  });

  await type("@git");
  await row("diff").waitFor({ timeout: LONG });
  await window.box.press("Tab");
  await chip("1 changed file").waitFor({ timeout: LONG });
  assert.equal(
    await chip("1 changed file").getAttribute("title"),
    "The output of `git diff HEAD`, 1 file, 7 lines",
  );
  await window.open("b.json");
  await window.page.locator(".squiggly-error").first().waitFor({ timeout: LONG });
  await window.button("Attach…").click();
  await window.shot("sources-menu");
  await window.page.keyboard.press("Escape");
  await window.box.click();
  await type("@diag");
  await row("diagnostics").waitFor({ timeout: LONG });
  await window.box.press("Enter");
  await chip("1 problem").waitFor({ timeout: LONG });
  await hasRoom(window, folder, async (name) => {
    await window.box.fill("@");
    await row("terminal").waitFor({ timeout: LONG });
    await window.shot(`sources-mention-${name}`);
    await window.box.fill("");
    await row("terminal").waitFor({ state: "hidden", timeout: LONG });
    await window.button("Attach…").click();
    await window.view.getByRole("menuitem", { name: "Last Terminal Command" }).waitFor({ timeout: LONG });
    await window.shot(`sources-menu-${name}`);
    await window.page.keyboard.press("Escape");
  });

  await type("What is wrong?");
  await window.button("Send").click();
  await window.answers("The first answer.");
  const sent = await window.view.locator(".user").last().innerText();
  assert.match(sent, /What is wrong\?\s+terminal: bash\s+1 changed file\s+1 problem/);
  const input = messages(rig).at(-1);
  assert.deepEqual(
    input.map(({ type }) => type),
    ["text", "selection", "selection", "diagnostics"],
  );
  assert.match(input[1].text, /^The terminal, bash, last command, exit code 1, .*:\n\n```console\n\$ printf/);
  assert.match(input[1].text, /\nredfish\n1\n2\n/);
  assert.match(input[1].text, /\n\[… [\d,]+ lines left out …\]\n[\s\S]*\n4999\n5000\n```$/);
  assert.match(input[2].text, /\n {0,1}one\n\+@two\n```$/);
  // The engine does not look for files that a diff seems to mention.
  assert.equal(await window.view.getByText("no such file").count(), 0);
}
