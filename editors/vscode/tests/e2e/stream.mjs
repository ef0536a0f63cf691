// A stream of 10,000 deltas, and a session with many entries, by the work that they take.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { LONG, count, counted, countingWindow, longSession, processes, until } from "./support.mjs";

const DELTAS = 10_000;

/** Streams, and gives what that took. */
async function stream(rig, name, text, delayMs) {
  const folder = rig.folder(`stream ${name}`, {
    script: { delayMs, replies: [{ blocks: [{ text: "Ready." }] }, { blocks: [{ text: `${text}END` }] }] },
  });
  const { window, work } = await countingWindow(rig, folder);
  const body = window.view.locator("body");
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  const ends = window.view.locator(".end.completed");
  await window.send("Are you ready?");
  await ends.waitFor({ timeout: LONG });
  await body.evaluate(count);
  await work();
  await window.send("Go");
  const code = window.view.locator(".codeBlock");
  const isCode = text.startsWith("```");
  if (isCode) await code.evaluate((block) => (block.dataset.seen = "yes"));
  await ends.nth(1).waitFor({ timeout: 300_000 });
  const seen = { ...(await counted(window)), work: await work() };
  await window.shot(`20-stream-${name}`);
  assert.match(await window.transcript(), /word9999[^]*END/);
  if (isCode) assert.equal(await code.getAttribute("data-seen"), "yes", "the block is the same to its end");
  console.log(`     ${DELTAS} deltas, ${name}: ${JSON.stringify(seen)}, ${text.length} characters`);
  await window.close();
  return seen;
}

/**
 * What a stream may take: for each of its characters, and for each message to the page. With a message, the block that is still open is drawn
 * again: a paragraph by its sentences or lines, a block of code not at all. Figures are those of a run, with room for as much again.
 */
const OPEN_BLOCK = { written: [2, 1000], work: [20, 8000] };
const LONG_BLOCK = { written: [2, 4000], work: [20, 12_000] };
const CODE_BLOCK = { written: [2, 0], work: [5, 500] };

export async function tenThousandDeltasAreDrawnByWhatIsNew(rig) {
  const words = Array.from(
    { length: DELTAS },
    (_, n) => `word${n}${n % 97 === 96 ? ".\n\n" : n % 13 === 5 ? " `code`" : ""} `,
  );
  const plain = words.join("").replaceAll(" `code`", ",");
  for (const [name, text, delayMs, most] of [
    ["paragraphs", words.join(""), 1, OPEN_BLOCK],
    ["one paragraph", plain.replaceAll("\n\n", ""), 1, LONG_BLOCK],
    ["one block of code", `\`\`\`\n${plain}`, 1, CODE_BLOCK],
    ["as fast as it goes", words.join(""), 0, OPEN_BLOCK],
  ]) {
    const seen = await stream(rig, name, text, delayMs);
    assert.ok(seen.messages < DELTAS / 3, `${name}: ${seen.messages} messages`);
    for (const [what, [perCharacter, perMessage]] of Object.entries(most)) {
      const limit = perCharacter * text.length + perMessage * seen.messages;
      assert.ok(seen[what] < limit, `${name}: ${what} ${seen[what]}, and ${limit} is the most`);
    }
  }
}

export async function aLongSessionIsWindowed(rig) {
  const turns = 70;
  const replies = [];
  for (let n = 0; n < turns; n++) {
    replies.push({
      blocks: [
        { text: `Reading ${n}.` },
        ...Array.from({ length: 4 }, (_, k) => ({
          tool: "read",
          // The same call over and over would be taken for going in circles.
          arguments: { path: "a.txt", limit: 4 * n + k + 1 },
        })),
      ],
    });
  }
  replies.push({ blocks: [{ text: "All read." }] });
  const folder = rig.folder("long", { files: { "a.txt": "a\n" }, script: { replies } });
  const window = await rig.window(folder);
  await window.send("Read it very often");
  await window.sees("All read.");
  const drawn = () => window.view.locator(".entry").count();
  await until("old entries have left the page", async () => (await drawn()) <= 300);
  await window.reload();
  await window.sees("All read.");
  assert.equal(await drawn(), 100);
  // What comes before is read when a person comes near it.
  const scroll = (top) => window.view.locator("main").evaluate((main, to) => main.scrollTo(0, to), top);
  await until("the beginning is reached", async () => {
    await scroll(0);
    return (await window.view.getByText("Read it very often").count()) === 1;
  });
  await window.button("Show Earlier").waitFor({ state: "hidden" });
  assert.equal(await drawn(), 353, "all of it: a prompt, calls and messages, the end of a turn");
  await window.button("Newest").click();
  await window.view.locator(".latest").waitFor({ state: "hidden" });
  await window.shot("21-earlier");
  await window.close();
}

/** The memory of the extension hosts of this VS Code, in megabytes. */
function hostMegabytes(rig) {
  const hosts = processes("--type=extensionHost").filter(({ pid }) =>
    fs.readFileSync(`/proc/${pid}/environ`, "utf8").includes(rig.base),
  );
  const kilobytes = hosts.map(({ pid }) =>
    Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]),
  );
  return Math.max(0, ...kilobytes) / 1024;
}

/** What a process has written in all its life. */
const writtenBytes = (pid) => Number(/^wchar: (\d+)/m.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))[1]);

/** What it may take to open a session, however long it is; the figures of a run, twice. */
const MOST_OF_OPENING = { messages: 6, written: 10_000, work: 30_000, kilobytes: 400 };

export async function tenThousandItemsOpenWithTheirEnd(rig) {
  const folder = await longSession(rig, "ten thousand");
  const { window, work } = await countingWindow(rig, folder);
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  const [engine] = folder.engines();
  const [megabytesBefore, bytesBefore] = [hostMegabytes(rig), writtenBytes(engine.pid)];
  await window.view.locator("body").evaluate(count);
  await work();
  await window.command("Pintle: Open Session");
  await window.pick("Turn 0");
  await window.sees("Turn 19 is over.");
  const megabytes = hostMegabytes(rig) - megabytesBefore;
  const kilobytes = (writtenBytes(engine.pid) - bytesBefore) / 1024;
  const seen = { ...(await counted(window)), work: await work() };
  const entries = await window.view.locator(".entry").count();
  console.log(
    `     10,000 items: ${entries} entries, ${JSON.stringify(seen)}, ${kilobytes.toFixed(0)} kB read, ${megabytes.toFixed(1)} MB more`,
  );
  assert.equal(entries, 100);
  assert.ok(megabytes < 30, `${megabytes} MB`);
  assert.ok(kilobytes < MOST_OF_OPENING.kilobytes, `${kilobytes} kB were read`);
  for (const what of ["messages", "written", "work"])
    assert.ok(seen[what] < MOST_OF_OPENING[what], `${what}: ${seen[what]}`);
  await window.shot("25-ten-thousand");
}
