// Links from outside that open the chat.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, say, until } from "./support.mjs";

/** VS Code's own scheme here; that of a person's VS Code is `vscode`. */
const OPEN = "code-oss://pintle.pintle/open";

export async function aLinkOpensASessionAndWritesAPromptWithoutSendingIt(rig) {
  const folder = rig.folder("opening", {
    script: { replies: [say("The first answer."), say("The second answer.")] },
  });
  const window = await rig.window(folder);
  await window.send("first");
  await window.answers("The first answer.");
  const sessions = path.join(rig.base, "home/sessions");
  const journals = fs
    .readdirSync(sessions, { recursive: true })
    .filter((name) => name.endsWith("journal.jsonl"));
  const [id] = journals
    .map((name) => fs.readFileSync(path.join(sessions, name), "utf8"))
    .filter((journal) => journal.includes(folder.path))
    .map((journal) => /"sessionId":"([^"]+)"/.exec(journal)[1]);
  await window.command("Pintle: New Session");
  await until(
    "the new session is shown",
    async () => !(await window.transcript()).includes("The first answer."),
  );
  const links = {
    unknown: `${OPEN}?session=01a2`,
    odd: `${OPEN}?prompt=x&send=true`,
    first: `${OPEN}?session=${id}&prompt=Say%20it%20again`,
  };
  const text = Object.entries(links).map(([name, link]) => `[${name}](${link})\n\n`);
  fs.writeFileSync(path.join(folder.path, "links.md"), text.join(""));
  await window.quickOpen("links.md");
  const follow = async (name) => {
    const line = window.editor.locator(".view-line", { hasText: `[${name}]` });
    await line.locator(".detected-link").first().click({ timeout: LONG });
    await window.command("Open Link");
  };
  await follow("unknown");
  await window
    .notification("Could not open the link: This folder has no session 01a2")
    .waitFor({ timeout: LONG });
  await follow("odd");
  await window.notification("send is unknown; use session or prompt").waitFor({ timeout: LONG });
  await window.command("Notifications: Clear All Notifications");
  await follow("first");
  await window.sees("The first answer.");
  await until("the prompt is written", async () => (await window.box.inputValue()) === "Say it again");
  await window.shot("91-opened-by-a-link");
  assert.doesNotMatch(await window.transcript(), /second/);
  await window.close();
}
