// The first minutes of somebody without any configuration: install, open, model, key, prompt, approve, keep, undo.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as http from "node:http";
import * as path from "node:path";
import { LONG, until } from "./support.mjs";

const KEY = "sk-of-a-person";

const chunk = (delta, finish = null) => ({
  id: "1",
  object: "chat.completion.chunk",
  created: 1,
  model: "test",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const write = (name) => ({
  tool_calls: [
    {
      index: 0,
      id: `call_${name.length}`,
      type: "function",
      function: { name: "write", arguments: JSON.stringify({ path: name, content: "hello\n" }) },
    },
  ],
});

/** A model's server, which answers only who has the key: a file to write, another one, then words. */
function serve() {
  const refused = [];
  const replies = [
    [chunk(write("a.txt")), chunk({}, "tool_calls")],
    [chunk(write("bb.txt")), chunk({}, "tool_calls")],
    [chunk({ role: "assistant", content: "Both are there." }), chunk({}, "stop")],
  ];
  const server = http.createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.headers.authorization !== `Bearer ${KEY}`) {
        refused.push(request.headers.authorization);
        response.writeHead(401, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: "wrong key", code: "invalid_api_key" } }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const each of replies.shift() ?? []) response.write(`data: ${JSON.stringify(each)}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ server, refused, port: server.address().port }));
  });
}

export async function theFirstMinutesWithoutAnyConfiguration(_, own) {
  const { server, refused, port } = await serve();
  const rig = await own({ hasAllBuiltIn: true });
  try {
    // What the person has: a provider that VS Code knows nothing of. Everything else is done in the window.
    fs.mkdirSync(path.join(rig.base, "home"), { recursive: true });
    fs.writeFileSync(
      path.join(rig.base, "home/config.toml"),
      `[providers.mine]\nbase_url = "http://127.0.0.1:${port}/v1"\napi = "chat"\nkey_vars = ["MINE_KEY"]\n[providers.mine.models.test]\nwindow = 100000\n`,
    );
    const folder = rig.folder("first", {
      files: { "a.md": "# A\n" },
      settings: { "pintle.arguments": [] },
    });
    const window = await rig.window(folder);

    // The walkthrough.
    await window.command("Pintle: Get Started");
    await window.page.getByText("A coding agent that you steer").first().waitFor({ timeout: LONG });
    await window.page.getByText("A model and its key").first().click();
    await window.page
      .getByText("keys are stored in VS Code's secret storage")
      .first()
      .waitFor({ timeout: LONG });
    await window.shot("first-walkthrough");
    // Its pages are webviews too.
    await window.command("View: Close All Editors");

    // No model: the banner leads to the list, and the list to the key.
    await window.send("Write two files");
    await window.sees("No model chosen yet.");
    assert.equal(await window.box.inputValue(), "Write two files", "what was not sent is back");
    assert.doesNotMatch(await window.view.locator(".banners").innerText(), /--model|config file/);
    await window.shot("first-no-model");
    await window.button("Choose Model…").click();
    await window.page.locator(".quick-input-widget input").fill("mine/test");
    await window.pick("mine/test");
    const secret = window.page.locator('.quick-input-widget input[type="password"]');
    await secret.waitFor({ timeout: LONG });
    await secret.press("Escape");

    // No key: the same by its own banner.
    await window.button("Retry").click();
    await window.sees("There is no key for mine.");
    assert.doesNotMatch(await window.view.locator(".banners").innerText(), /--base-url|auth\/login/);
    await window.button("Set Up Provider…").click();
    await secret.fill("sk-wrong");
    await secret.press("Enter");
    await until(
      "nothing stands in the way",
      async () => (await window.view.locator(".banner").count()) === 0,
    );
    await window.button("Send").click();
    // The provider refuses it: the turn's end leads to another one.
    await window.view.locator(".end.failed").waitFor({ timeout: LONG });
    assert.deepEqual(refused.slice(0, 1), ["Bearer sk-wrong"]);
    await window.view.locator(".end").getByRole("button", { name: "Set Up Provider…" }).click();
    await secret.fill(KEY);
    await secret.press("Enter");
    await until("the engine has it", async () =>
      engines(rig).some((each) => environment(each).includes(KEY)),
    );
    for (const file of settingsFiles(rig, folder)) {
      assert.equal(fs.readFileSync(file, "utf8").includes("sk-"), false, `${file} holds no key`);
    }

    // A prompt, two questions, keep one and undo the other.
    await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
    await window.send("Write two files");
    await window.view.locator(".approval", { hasText: "a.txt" }).waitFor({ timeout: LONG });
    await window.shot("first-question");
    await window.button("Allow").click();
    await window.view.locator(".approval", { hasText: "bb.txt" }).waitFor({ timeout: LONG });
    await window.button("Allow").click();
    await window.sees("Both are there.");
    await window.open("a.txt");
    await window.command("Pintle: Keep All Hunks of the File");
    await window.open("bb.txt");
    await window.command("Pintle: Undo All Hunks of the File");
    await until("the file is gone again", () => !folder.has("bb.txt"));
    assert.equal(folder.read("a.txt"), "hello\n");

    // The key outlives the window.
    await window.reloadInOrder();
    await window.show();
    await window.sees("Both are there.");
    await until("the next engine has it too", () =>
      engines(rig).some((each) => environment(each).includes(KEY)),
    );
  } finally {
    server.close();
  }
}

const engines = (rig) =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return command.startsWith(process.env.PINTLE_BIN) && environment(pid).includes(rig.base);
      } catch {
        return false;
      }
    });

function environment(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

const settingsFiles = (rig, folder) => [
  path.join(rig.base, "user-data/User/settings.json"),
  path.join(folder.path, ".vscode/settings.json"),
];
