import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServerEntry } from "../../src/servers/add.ts";
import { AddError, entryOf, nameFor, nameProblem, withServer } from "../../src/servers/add.ts";

const command = (name: string, ...args: string[]): ServerEntry => ({ command: name, args });

for (const [line, want, name] of [
  ["uvx mcp-server-time", command("uvx", "mcp-server-time"), "time"],
  [
    "  npx  -y\t@modelcontextprotocol/server-filesystem@1.2 . ",
    command("npx", "-y", "@modelcontextprotocol/server-filesystem@1.2", "."),
    "filesystem",
  ],
  ["docker run -i --rm mcp/git", command("docker", "run", "-i", "--rm", "mcp/git"), "git"],
  ['python3 \'my server.py\' "" a"b c"d', command("python3", "my server.py", "", "ab cd"), "my"],
  ["C:\\tools\\notes.exe", command("C:\\tools\\notes.exe"), "notes"],
  ["server", command("server"), "server"],
  ["https://mcp.example.com/mcp?a=b", { url: "https://mcp.example.com/mcp?a=b" }, "example"],
  ["HTTP://localhost:8080", { url: "HTTP://localhost:8080" }, "localhost"],
] as [string, ServerEntry, string][]) {
  test(`a server is read: ${line}`, () => {
    const entry = entryOf(line);
    assert.deepEqual(entry, want);
    assert.equal(nameFor(entry), name);
    assert.equal(nameProblem("", name), undefined);
  });
}

for (const [line, want] of [
  ["", /^Enter a command/],
  ["''", /^Enter a command/],
  ["npx 'a b", /^A closing ' is missing/],
  ["https://", /not a valid address/],
  ["https://a.b/ c", /not a valid address/],
] as [string, RegExp][]) {
  test(`a server is refused: ${line}`, () => {
    assert.throws(
      () => entryOf(line),
      (error) => error instanceof AddError && want.test(error.message),
    );
  });
}

const TIME = command("uvx", "mcp-server-time");

test("the file keeps everything else, its indentation and its line ends", () => {
  for (const [before, after] of [
    ["", '{\n  "mcpServers": {\n    "t": {\n      "url": "u"\n    }\n  }\n}\n'],
    [
      '{\r\n\t"other": [1],\r\n\t"mcpServers": {}\r\n}',
      '{\r\n\t"other": [\r\n\t\t1\r\n\t],\r\n\t"mcpServers": {\r\n\t\t"t": {\r\n\t\t\t"url": "u"\r\n\t\t}\r\n\t}\r\n}\r\n',
    ],
  ] as [string, string][]) {
    assert.equal(withServer(before, "t", { url: "u" }), after);
  }
  const both = withServer(
    withServer('\u{feff}{"mcpServers":{"a":{"command":"x"}}}', "b", TIME),
    "__proto__",
    TIME,
  );
  const servers = (JSON.parse(both) as { mcpServers: object }).mcpServers;
  assert.deepEqual(Object.keys(servers), ["a", "b", "__proto__"]);
});

test("nothing is overwritten", () => {
  for (const [text, name, want] of [
    ['{"mcpServers":{"a":{}}}', "a", /exists already/],
    ["", "a b", /^Use letters/],
    ["{", "a", /not valid JSON/],
    ["[]", "a", /not a JSON object/],
    ['{"mcpServers":[]}', "a", /mcpServers in/],
  ] as [string, string, RegExp][]) {
    assert.throws(
      () => withServer(text, name, TIME),
      (error) => error instanceof AddError && want.test(error.message),
    );
  }
});
