import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "pintle-client";
import { viewTool } from "../../src/transcript/toolCards.ts";

const NONE = { inputs: new Map<string, string>(), output: "" };

function call(
  toolName: string,
  title: string,
  kind: string,
  status: string,
  more: Record<string, unknown> = {},
): Item {
  return {
    id: "i",
    status,
    startedMs: 1,
    type: "toolCall",
    toolName,
    title,
    kind,
    ...more,
  } as unknown as Item;
}

function said(item: Item): string {
  const { sentence, subject, icon } = viewTool(item as Parameters<typeof viewTool>[0], NONE);
  return `${icon} | ${sentence.replace("{0}", subject)}`;
}

for (const [item, want] of [
  [call("bash", "bash: cargo test", "execute", "running"), "terminal | Running cargo test"],
  [call("bash", "bash: cargo test", "execute", "completed"), "terminal | Ran cargo test"],
  [call("bash", "bash: cargo test", "execute", "declined"), "terminal | Did not run cargo test"],
  [call("bash", "bash: sleep 9", "execute", "cancelled"), "terminal | Stopped running sleep 9"],
  [
    call("Bash", "Bash: false", "execute", "completed", { output: { content: [], failed: true } }),
    "terminal | Ran false",
  ],
  [call("edit", "edit: a.rs", "edit", "pending"), "edit | Editing a.rs"],
  [call("edit", "edit: a.rs", "edit", "failed"), "edit | Could not edit a.rs"],
  [call("write", "write: a.rs", "edit", "completed"), "new-file | Wrote a.rs"],
  [call("read", "read: a.rs", "read", "completed"), "file | Read a.rs"],
  [call("ls", "ls: src", "read", "completed"), "folder-opened | Listed src"],
  [call("grep", "grep: x in src", "search", "completed"), "search | Searched for x in src"],
  [call("web_fetch", "web_fetch: https://a.b/", "fetch", "completed"), "globe | Fetched https://a.b/"],
  [call("web_search", "web_search: x", "search", "running"), "search | Searching for x"],
  [call("todo_write", "todo_write: 1 of 3 done", "think", "completed"), "checklist | Plan: 1 of 3 done"],
  [call("run_shell_command", "run_shell_command: ls", "execute", "running"), "terminal | Running ls"],
  [call("exec_command", "exec_command: ls", "execute", "completed"), "terminal | Ran ls"],
  [
    call("write_stdin", "write_stdin: 1: y\u23ce", "execute", "completed"),
    "tools | Used write stdin: 1: y\u23ce",
  ],
  [call("job", "job: read job-1", "execute", "running"), "tools | Using job: read job-1"],
  [call("replace", "replace: a.rs", "edit", "completed"), "edit | Edited a.rs"],
  [call("Write", "Write: a.rs", "edit", "completed"), "new-file | Wrote a.rs"],
  [call("WriteFile", "WriteFile: a.rs", "edit", "completed"), "new-file | Wrote a.rs"],
  [call("write_file", "write_file: a.rs", "edit", "completed"), "new-file | Wrote a.rs"],
  [call("list_directory", "list_directory: src", "read", "completed"), "folder-opened | Listed src"],
  [call("Glob", "Glob: *.rs", "search", "completed"), "search | Searched for *.rs"],
  [call("grep_search", "grep_search: x", "search", "completed"), "search | Searched for x"],
  [call("TodoWrite", "TodoWrite: 1 of 3 done", "think", "completed"), "checklist | Plan: 1 of 3 done"],
  [call("update_plan", "update_plan: 1 of 3 done", "think", "completed"), "checklist | Plan: 1 of 3 done"],
  [call("Agent", "Agent: look", "other", "completed"), "run-all | Started a sub-agent for look"],
  [call("invoke_agent", "invoke_agent: look", "other", "running"), "run-all | Starting a sub-agent for look"],
  [call("ThinkHard", "ThinkHard: of it", "think", "completed"), "tools | Used think hard: of it"],
  [call("mcp__git__log_all", "mcp__git__log_all", "other", "completed"), "tools | Used log all of git"],
  [call("mcp__git__log", "mcp__git__log: main", "read", "completed"), "file | Read log of git: main"],
  [call("askUser", "askUser", "other", "running"), "tools | Using ask user"],
  [call("brandNew", "brandNew: a thing", "hologram", "running"), "tools | Using brand new: a thing"],
] as [Item, string][]) {
  test(`a card in words: ${want}`, () => {
    assert.equal(said(item), want);
  });
}

test("a card offers to stop what runs, and the whole of what was cut", () => {
  const running = viewTool(call("bash", "bash: x", "execute", "running") as never, NONE);
  assert.deepEqual(running.stop, { kind: "tool" });
  const search = call("web_search", "web_search: x", "search", "running", { byProvider: true });
  assert.equal(viewTool(search as never, NONE).stop, undefined);
  const output = {
    content: [{ type: "text", text: "end" }],
    details: { fullOutput: { ref: "r", bytes: 5000 } },
  };
  const over = viewTool(call("bash", "bash: x", "execute", "completed", { output }) as never, NONE);
  assert.deepEqual(
    [over.stop, over.fullBytes, over.output, over.format],
    [undefined, 5000, "end", "terminal"],
  );
});

test("the command is shown as a person reads it, whatever its argument is called", () => {
  for (const [input, want] of [
    [{ command: "make -j2" }, "make -j2"],
    [{ cmd: "make" }, "make"],
    [{ command: ["git", "log"] }, "git log"],
  ] as [unknown, string][]) {
    const shown = viewTool(call("x", "x", "execute", "running", { input }) as never, NONE);
    assert.deepEqual([shown.input, shown.args], [want, []]);
  }
  const shown = viewTool(call("x", "x", "other", "running", { input: { path: "a" } }) as never, NONE);
  assert.deepEqual([shown.input, shown.args], ["", [{ name: "path", value: "a" }]]);
});

const result = (text: string, details = {}) => ({ output: { content: [{ type: "text", text }], details } });
const at = (path: string, line?: number) => ({
  locations: [{ path, ...(line === undefined ? {} : { line }) }],
});
const change = (path: string) => ({
  op: "modify",
  path,
  added: 2,
  removed: 1,
  diff: "@@ -1 +1 @@\n-a\n+b\n",
});

test("a file that was read is shown with its lines", () => {
  const read = call("read", "read: src/a.ts", "read", "completed", {
    ...result("     3\tx\n     4\ty\n\n[1 more lines in file. Use offset=5 to continue.]"),
    ...at("/w/src/a.ts", 3),
  });
  const { file, format, output, outputLanguage, firstLine, note, group } = viewTool(read as never, NONE);
  assert.deepEqual(file, { path: "/w/src/a.ts", line: 3, name: "a.ts" });
  assert.deepEqual([format, output, outputLanguage, firstLine], ["file", "x\ny", "ts", 3]);
  assert.deepEqual([note, group], ["1 more lines in file.", "read"]);
});

test("an edit shows its diff instead of the text for the model", () => {
  const input = { path: "a.ts", edits: [{ oldText: "a", newText: "b" }] };
  const edited = (...paths: string[]) =>
    viewTool(
      call("edit", "edit: src/a.ts", "edit", "completed", {
        input,
        ...result("Edited src/a.ts.", { changes: paths.map(change) }),
      }) as never,
      NONE,
    );
  const one = edited("/w/src/a.ts");
  assert.deepEqual([one.subject, one.file?.name, one.args, one.output], ["src/a.ts", "a.ts", [], ""]);
  const two = edited("/w/a.ts", "/w/b.ts");
  assert.deepEqual([two.subject, two.file, two.changes.length], ["2 files", undefined, 2]);
});

test("a search has a hit count; a failed one is not folded", () => {
  const search = (more: object) =>
    viewTool(call("grep", "grep: x in .", "search", "completed", { ...more }) as never, NONE);
  assert.deepEqual([search(result("a:1: x")).found, search(result("a:1: x")).group], ["1 result", "search"]);
  const failed = search({ output: { content: [{ type: "text", text: "wrong pattern" }], failed: true } });
  assert.deepEqual([failed.found, failed.group, failed.output], ["", undefined, "wrong pattern"]);
});

test("the result of a sub-agent is Markdown, and a one-line task is not repeated", () => {
  const agent = (task: string) =>
    viewTool(
      {
        id: "i",
        status: "completed",
        startedMs: 1,
        type: "subagent",
        agentId: "a",
        sessionId: "s",
        task,
        model: "m",
        state: "done",
        result: "**ok**",
      } as never,
      NONE,
    );
  assert.deepEqual([agent("look").input, agent("look").format], ["", "markdown"]);
  assert.equal(agent("look\nclosely").input, "look\nclosely");
});

test("a job and a sub-agent are cards; a sub-agent that has answered does not run", () => {
  const job = {
    id: "i",
    status: "running",
    startedMs: 1,
    type: "job",
    jobId: "j1",
    title: "bash: make",
    command: "make",
  };
  const shown = viewTool(job as never, { ...NONE, output: "so far" });
  assert.deepEqual(
    [shown.sentence, shown.subject, shown.output, shown.stop],
    ["Running in the background {0}", "make", "so far", { kind: "job", jobId: "j1" }],
  );
  const agent = {
    id: "i",
    status: "running",
    startedMs: 1,
    type: "subagent",
    agentId: "a",
    sessionId: "s2",
    task: "look\nclosely",
    model: "m",
    state: "done",
    result: "seen",
  };
  const nested = viewTool(agent as never, NONE);
  assert.deepEqual(
    [nested.sentence, nested.subject, nested.status, nested.agentSession, nested.output],
    ["Sub-agent finished {0}", "look", "completed", "s2", "seen"],
  );
});
