import assert from "node:assert/strict";
import { test } from "node:test";
import { Diagnostics, toDiagnostic } from "../../src/documents/diagnostics.ts";

const found = { startLine: 2, endLine: 2, severity: 0, message: "no", source: undefined, code: undefined };

test("what is wrong is counted from line 1, with who found it and its code", () => {
  const range = { start: 3, end: 3 };
  assert.deepEqual(toDiagnostic(found), { range, severity: "error", message: "no" });
  for (const [code, want] of [
    ["E1", "E1"],
    [7, "7"],
    [{ value: "E1", target: {} }, "E1"],
    [{}, undefined],
  ] as const) {
    const got = toDiagnostic({ ...found, severity: 3, source: "rustc", code });
    const more = want === undefined ? {} : { code: want };
    assert.deepEqual(got, { range, severity: "hint", message: "no", source: "rustc", ...more });
  }
  assert.equal(toDiagnostic({ ...found, severity: 9 }).severity, "information");
});

test("many changes of a file are told once, as it is then, and none of other folders", () => {
  const sent: unknown[] = [];
  let items = [found];
  const diagnostics = new Diagnostics(
    () => ["/w"],
    () => ({ items, version: 4 }),
    (report) => sent.push(report),
  );
  diagnostics.changed(["/w/a.rs", "/x/b.rs"]);
  diagnostics.changed(["/w/a.rs"]);
  items = [];
  diagnostics.flush();
  assert.deepEqual(sent, [{ path: "/w/a.rs", version: 4, items: [] }]);
  diagnostics.flush();
  assert.equal(sent.length, 1);
  diagnostics.changed(["/x/b.rs"]);
  diagnostics.dispose();
});
