// Formats the Lua files with StyLua's WebAssembly build: `node format.cjs STYLUA_MODULE [--write]`.
// The settings are those of `.stylua.toml`, which other builds of StyLua read.

const fs = require("node:fs");
const path = require("node:path");

const [, , module_path, mode] = process.argv;
const stylua = require(module_path);
const root = path.dirname(__dirname);
const settings = fs.readFileSync(path.join(root, ".stylua.toml"), "utf8");

function setting(name) {
  const found = settings.match(new RegExp(`^${name} = "?([^"\\n]+)"?$`, "m"));
  if (!found) throw new Error(`.stylua.toml does not set ${name}`);
  return found[1];
}

// Formatting uses a configuration up.
function config() {
  const made = stylua.Config.new();
  made.syntax = stylua.LuaVersion[setting("syntax")];
  made.column_width = Number(setting("column_width"));
  made.indent_type = stylua.IndentType[setting("indent_type")];
  made.indent_width = Number(setting("indent_width"));
  return made;
}

const files = fs
  .readdirSync(root, { recursive: true })
  .filter((file) => file.endsWith(".lua") && path.basename(file) !== "protocol.lua")
  .sort();

let unformatted = 0;
for (const file of files) {
  const full = path.join(root, file);
  const before = fs.readFileSync(full, "utf8");
  const after = stylua.formatCode(before, config(), undefined, stylua.OutputVerification.Full);
  if (before === after) continue;
  if (mode === "--write") {
    fs.writeFileSync(full, after);
  } else {
    unformatted += 1;
    console.error(`not formatted: ${file}`);
  }
}
if (unformatted > 0) {
  console.error("UPDATE=1 editors/nvim/tests/run.sh formats them");
  process.exit(1);
}
