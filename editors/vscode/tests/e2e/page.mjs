// The extension's page, as VS Code shows it in the list of extensions. A real browser draws it; in place of the forge, the files of this checkout answer.
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, until } from "./support.mjs";

const EXTENSION = path.join(import.meta.dirname, "../..");
const { homepage, version, repository } = JSON.parse(
  fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8"),
);
const PICTURES = fs.readFileSync(path.join(EXTENSION, "README.md"), "utf8").split("![").length - 1;

/** The widths of the pictures in a frame's document; 0 for one that did not load. Runs in the page. */
const widths = () => [...document.images].map((image) => image.naturalWidth);

export async function theExtensionsPageShowsItsPictures(rig) {
  const window = await rig.window(rig.folder("page", { script: { replies: [] } }), { isShown: false });
  const base = `${homepage}/raw/v${version}/`;
  const root = EXTENSION.slice(0, -repository.directory.length);
  await window.page.context().route(`${homepage}/**`, (route) => {
    const url = route.request().url();
    const file = path.join(root, decodeURI(url.slice(base.length)));
    return url.startsWith(base) && fs.existsSync(file) ? route.fulfill({ path: file }) : route.abort();
  });
  await window.command("Extensions: Show Installed Extensions");
  const row = window.page.locator(".extension-list-item", { hasText: "Pintle" }).first();
  await row.click({ timeout: LONG });
  await until("all pictures of the page are there", async () => {
    const frames = window.page.frames().map((frame) => frame.evaluate(widths).catch(() => []));
    return (await Promise.all(frames)).some(
      (found) => found.length === PICTURES && found.every((width) => width > 0),
    );
  });
  await window.shot("page");
}
