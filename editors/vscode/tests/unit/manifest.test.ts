import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

const root = path.join(import.meta.dirname, "../..");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
  enabledApiProposals?: unknown;
  dependencies?: unknown;
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  extensionKind: string[];
  capabilities: { untrustedWorkspaces: { supported: unknown; restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string }[];
    keybindings: { command: string; key: string; when?: string }[];
    menus: Record<string, { command: string }[]>;
    configuration: { properties: Record<string, unknown> };
  };
};

/** The files that import `vscode` beside those in the `view` folders. */
const OUTER = ["commands.ts", "extension.ts", "machine.ts", "owner.ts", "root.ts"];

function isOuter(name: string): boolean {
  return OUTER.includes(name) || path.basename(path.dirname(name)) === "view";
}

function sources(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => path.join(folder, name));
}

test("the manifest asks for no proposed API, and the types are those of the oldest VS Code it names", () => {
  assert.equal(manifest.enabledApiProposals, undefined);
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies["@types/vscode"]}`);
  // The compiler sees the stable API alone: no file brings other declarations of it.
  for (const file of fs.readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })) {
    assert.doesNotMatch(file, /vscode\.proposed/);
  }
});

test("nothing is depended on at run time, and settings that start programs need trust", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(manifest.extensionKind, ["workspace"]);
  const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  assert.equal(supported, "limited");
  assert.deepEqual(
    [...restrictedConfigurations].sort(),
    Object.keys(manifest.contributes.configuration.properties)
      .filter((name) => !["pintle.showChat", "pintle.removedLines", "pintle.notifyWhenDone"].includes(name))
      .sort(),
  );
});

test("every command of the manifest is registered", () => {
  const code = sources(path.join(root, "src"))
    .filter((file) => isOuter(path.relative(path.join(root, "src"), file)))
    .map((file) => fs.readFileSync(file, "utf8"))
    .join("\n");
  for (const { command } of manifest.contributes.commands) assert.ok(code.includes(`"${command}":`), command);
});

test("every key and every menu names a command; but for the key that opens the view, keys need a focused editor or a question", () => {
  const { commands, keybindings, menus } = manifest.contributes;
  const known = new Set(commands.map((each) => each.command));
  for (const { command, key, when } of keybindings) {
    assert.ok(known.has(command), command);
    if (command === "pintle.open") {
      // A second key of Ctrl+K with Alt: VS Code has none of its own there.
      assert.deepEqual([key, when], ["ctrl+k alt+o", undefined]);
      continue;
    }
    assert.match(
      when ?? "",
      /^(editorTextFocus( && pintle\.(onHunk|hasHunks|isAsked))?|pintle\.hasQuestion( && (sideBar|panel|terminal)Focus)?)$/,
    );
  }
  for (const each of Object.values(menus).flat())
    assert.ok("submenu" in each || known.has(each.command), each.command);
});

test("every text of the manifest that people read stands in package.nls.json, and nothing else does", () => {
  const text = fs.readFileSync(path.join(root, "package.json"), "utf8");
  const texts = JSON.parse(fs.readFileSync(path.join(root, "package.nls.json"), "utf8")) as Record<
    string,
    string
  >;
  const named = [...text.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key);
  assert.deepEqual([...new Set(named)].sort(), Object.keys(texts).sort());
  // Commands in the view title share the texts of the regular commands.
  for (const { command, title } of manifest.contributes.commands)
    assert.equal(title, `%${command.replace("pintle.view.", "pintle.")}%`);
});

test("every text that people see stands in the bundle for translators: run node l10n.mjs", async () => {
  const MODULE = "../../l10n.mjs";
  const { bundle, collect } = (await import(MODULE)) as {
    bundle: string;
    collect: () => Record<string, string>;
  };
  assert.deepEqual(JSON.parse(fs.readFileSync(bundle, "utf8")), collect());
});

test("only the outer files import vscode; the page takes no HTML; files stay short", () => {
  for (const file of sources(path.join(root, "src"))) {
    const name = path.relative(path.join(root, "src"), file);
    const text = fs.readFileSync(file, "utf8");
    if (!isOuter(name)) assert.doesNotMatch(text, /from "vscode"/, name);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|\beval\(/, name);
    assert.ok(text.split("\n").length <= 301, `${name} is long`);
  }
});
