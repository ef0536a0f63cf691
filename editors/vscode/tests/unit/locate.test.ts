/** Where the engine's program is looked for: every row runs on every system. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Machine } from "../../src/connection/locate.ts";
import { locate } from "../../src/connection/locate.ts";

function unix(files: readonly string[], path = "/usr/bin:/opt/bin:."): Machine {
  // `LINK -> FILE` is both.
  const links = new Map(files.map((file) => file.split(" -> ", 2) as [string, string]));
  return {
    platform: "linux",
    arch: "x64",
    home: "/home/me",
    variable: (name) => ({ PATH: path })[name],
    isExecutable: (file) => links.has(file) || [...links.values()].includes(file),
    realPath: (file) => links.get(file) ?? file,
  };
}

const VARIABLES: Record<string, string> = {
  PATH: 'C:\\Windows\\system32;"C:\\Tools; mine";.;\\bin;bin;;\\\\server\\tools;D:\\bin\\',
  PATHEXT: ".COM;.EXE;.BAT;.CMD;.PS1",
  LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local",
  TOOLS: "C:\\Program Files\\Tools",
};

/** As on Windows, names of variables and files ignore case. */
function windows(files: readonly string[], variables = VARIABLES): Machine {
  const lower = files.map((file) => file.toLowerCase());
  return {
    platform: "win32",
    arch: "x64",
    home: "C:\\Users\\me",
    variable: (name) => variables[name.toUpperCase()],
    isExecutable: (file) => lower.includes(file.toLowerCase()),
    realPath: (file) => file,
  };
}

const NPM = "/opt/lib/node_modules";
const LINUX = "@pintle/linux-x64/bin/pintle";

for (const [name, setting, files, want] of [
  ["the setting comes first", "/x/pintle", ["/x/pintle", "/ext/bin/pintle"], "/x/pintle"],
  ["home is understood", "~/pintle", ["/home/me/pintle"], "/home/me/pintle"],
  ["a home that is part of a name is not", "~x/pintle", ["/work space/~x/pintle"], "/work space/~x/pintle"],
  ["a relative setting is from the folder", "t/pintle", ["/work space/t/pintle"], "/work space/t/pintle"],
  ["the folder is filled in", "${workspaceFolder}/引擎", ["/work space/引擎"], "/work space/引擎"],
  ["percent signs are part of a name", "/x/%TOOLS%/pintle", ["/x/%TOOLS%/pintle"], "/x/%TOOLS%/pintle"],
  ["where the installer puts it", "", ["/home/me/.local/bin/pintle"], "/home/me/.local/bin/pintle"],
  ["the PATH before that", "", ["/home/me/.local/bin/pintle", "/opt/bin/pintle"], "/opt/bin/pintle"],
  ["the bundled one comes before the PATH", "", ["/ext/bin/pintle", "/usr/bin/pintle"], "/ext/bin/pintle"],
  ["the PATH is searched in order", "", ["/opt/bin/pintle"], "/opt/bin/pintle"],
  ["a wrong setting is not replaced in silence", "/x/pintle", ["/usr/bin/pintle"], undefined],
  ["a relative entry of the PATH is passed over", "", ["/work space/pintle", "pintle"], undefined],
  ["a program for Windows is none", "", ["/usr/bin/pintle.exe"], undefined],
  ["a link to a program stays", "", ["/opt/bin/pintle -> /nix/pintle"], "/opt/bin/pintle"],
  [
    "npm's script: the package below it",
    "",
    [`/opt/bin/pintle -> ${NPM}/pintle/bin/pintle.js`, `${NPM}/pintle/node_modules/${LINUX}`],
    `${NPM}/pintle/node_modules/${LINUX}`,
  ],
  [
    "npm's script: the package beside it",
    "",
    [`/opt/bin/pintle -> ${NPM}/pintle/bin/pintle.js`, `${NPM}/${LINUX}`],
    `${NPM}/${LINUX}`,
  ],
  [
    "npm's script without the package says itself what is missing",
    "",
    [`/opt/bin/pintle -> ${NPM}/pintle/bin/pintle.js`],
    "/opt/bin/pintle",
  ],
] as const) {
  test(`locate on Unix: ${name}`, () => {
    const found = locate(setting, "/ext", "/work space", unix(files));
    assert.equal("file" in found ? found.file : undefined, want);
  });
}

for (const [name, setting, files, want] of [
  ["a setting", "D:\\x\\pintle.exe", ["D:\\x\\pintle.exe"], "D:\\x\\pintle.exe"],
  ["a setting with slashes", "D:/x/pintle.exe", ["D:\\x\\pintle.exe"], "D:\\x\\pintle.exe"],
  ["a setting without an extension", "D:\\x\\pintle", ["D:\\x\\pintle.exe"], "D:\\x\\pintle.exe"],
  ["a setting in quotes", '"D:\\a b\\pintle.exe"', ["D:\\a b\\pintle.exe"], "D:\\a b\\pintle.exe"],
  [
    "a variable in a setting",
    "%tools%\\pintle.exe",
    ["C:\\Program Files\\Tools\\pintle.exe"],
    "C:\\Program Files\\Tools\\pintle.exe",
  ],
  ["no such variable", "C:\\%NONE%\\pintle", ["C:\\%NONE%\\pintle.exe"], "C:\\%NONE%\\pintle.exe"],
  ["home", "~\\pintle.exe", ["C:\\Users\\me\\pintle.exe"], "C:\\Users\\me\\pintle.exe"],
  ["a relative setting", "t\\pintle", ["c:\\w $&\\t\\pintle.exe"], "c:\\w $&\\t\\pintle.exe"],
  [
    "the folder in a setting",
    "${workspaceFolder}/pintle.exe",
    ["c:\\w $&\\pintle.exe"],
    "c:\\w $&\\pintle.exe",
  ],
  [
    "a server",
    "\\\\server\\tools\\pintle",
    ["\\\\server\\tools\\pintle.exe"],
    "\\\\server\\tools\\pintle.exe",
  ],
  ["bundled", "", ["c:\\ext\\bin\\pintle.exe", "D:\\bin\\pintle.exe"], "c:\\ext\\bin\\pintle.exe"],
  ["a quoted entry of the PATH", "", ["C:\\Tools; mine\\pintle.exe"], "C:\\Tools; mine\\pintle.exe"],
  ["a server on the PATH", "", ["\\\\server\\tools\\pintle.exe"], "\\\\server\\tools\\pintle.exe"],
  ["the last entry of the PATH", "", ["D:\\bin\\pintle.exe"], "D:\\bin\\pintle.exe"],
  [
    "relative entries of the PATH",
    "",
    ["c:\\w $&\\pintle.exe", "pintle.exe", "\\bin\\pintle.exe"],
    undefined,
  ],
  [
    "npm's package beside its script",
    "",
    [
      "D:\\bin\\pintle.cmd",
      "D:\\bin\\node_modules\\pintle\\node_modules\\@pintle\\win32-x64\\bin\\pintle.exe",
    ],
    "D:\\bin\\node_modules\\pintle\\node_modules\\@pintle\\win32-x64\\bin\\pintle.exe",
  ],
  ["a program for Unix", "", ["D:\\bin\\pintle"], undefined],
  ["a program for Unix in a setting", "D:\\bin\\pintle", ["D:\\bin\\pintle"], undefined],
  [
    "installed for the user",
    "",
    ["C:\\Users\\me\\AppData\\Local\\Programs\\pintle\\pintle.exe"],
    "C:\\Users\\me\\AppData\\Local\\Programs\\pintle\\pintle.exe",
  ],
  [
    "installed by cargo",
    "",
    ["C:\\Users\\me\\.cargo\\bin\\pintle.exe"],
    "C:\\Users\\me\\.cargo\\bin\\pintle.exe",
  ],
  [
    "the PATH comes before what is installed",
    "",
    ["C:\\Users\\me\\.cargo\\bin\\pintle.exe", "D:\\bin\\pintle.exe"],
    "D:\\bin\\pintle.exe",
  ],
  [
    "a script before a program",
    "",
    ["C:\\Windows\\system32\\pintle.cmd", "D:\\bin\\pintle.exe"],
    "D:\\bin\\pintle.exe",
  ],
] as const) {
  test(`locate on Windows: ${name}`, () => {
    const found = locate(setting, "c:\\ext", "c:\\w $&", windows(files));
    assert.equal("file" in found ? found.file : undefined, want);
  });
}

test("locate on Windows: nothing in the environment", () => {
  const found = locate("", "c:\\ext", "c:\\w", { ...windows([], {}), home: "" });
  assert.ok("problem" in found && found.problem.includes("not on the PATH"));
});

for (const [name, setting, file] of [
  ["npm's, on the PATH", "", "D:\\bin\\pintle.cmd"],
  ["one in the setting", "D:\\x\\pintle.CMD", "D:\\x\\pintle.CMD"],
] as const) {
  test(`a script is not started as the engine, and the reason is given: ${name}`, () => {
    const found = locate(setting, "c:\\ext", "c:\\w", windows([file]));
    assert.equal(
      "problem" in found ? found.problem : undefined,
      `${file} is a script, and the engine can only be started from its program pintle.exe.`,
    );
  });
}
