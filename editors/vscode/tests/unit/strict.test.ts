/** The check for proposed APIs that the end-to-end tests put back into code-server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const MODULE = "../strict.mjs";
const { strict } = (await import(MODULE)) as { strict: (program: string) => string };

const THROWS =
  "function M(i,t){if(!Oe(i,t))throw new Error(`Extension '${i.identifier.value}' CANNOT use API proposal: ${t}.`)}";
const YES = "function Oe(i,t){return!0}";

/** A program that asks once; whether it is refused. */
function isRefused(program: string, proposals: string[] | undefined): boolean {
  const extension = { identifier: { value: "a.b" }, enabledApiProposals: proposals };
  try {
    runInNewContext(`${program};M(extension,"quickDiffProvider")`, { extension });
    return false;
  } catch (error) {
    assert.match(String(error), /'a\.b' CANNOT use API proposal: quickDiffProvider/);
    return true;
  }
}

test("an extension is refused what it has not asked for, where code-server gives it all", () => {
  const program = `function no(i,t){return!0}${YES}${THROWS}`;
  const rows = [undefined, [], ["other"], ["other", "quickDiffProvider"]];
  assert.deepEqual(
    rows.map((proposals) => isRefused(program, proposals)),
    [false, false, false, false],
  );
  assert.deepEqual(
    rows.map((proposals) => isRefused(strict(program), proposals)),
    [true, true, true, false],
  );
  assert.ok(strict(program).startsWith("function no(i,t){return!0}"));
});

for (const [name, program, found] of [
  ["is not there", THROWS, 0],
  ["has another form", `function Oe(i,t){return true}${THROWS}`, 0],
  ["is there twice", `${YES}${THROWS};${YES}${THROWS}`, 2],
] as [string, string, number][]) {
  test(`a program whose check ${name} is not taken for a strict one`, () => {
    assert.throws(() => strict(program), new RegExp(`found ${found} times, not once`));
  });
}
