import assert from "node:assert/strict";
import { test } from "node:test";
import { readOpening } from "../../src/chat/opening.ts";

for (const [path, query, session, prompt] of [
  ["/open", "", undefined, ""],
  ["/open/", "session=01a2-b", "01a2-b", ""],
  ["/open", "prompt=Fix%20it%0D%0Aand%20test&session=s", "s", "Fix it\nand test"],
  ["/open", "prompt=a+b%26c", undefined, "a b&c"],
  ["/open", "prompt=%1B%5B2Jplain%E2%80%AEtext%E2%80%8B%00", undefined, "[2Jplaintext"],
] as [string, string, string | undefined, string][]) {
  test(`a link opens the chat: ${path}?${query}`, () => {
    assert.deepEqual(readOpening(path, query), { session, prompt });
  });
}

for (const [path, query, want] of [
  ["/run", "prompt=x", /must be \/open, not \/run/],
  ["/open", "prompt=x&send=true", /send is unknown/],
  ["/open", `prompt=${"x".repeat(10_001)}`, /longer than 10000 characters/],
] as [string, string, RegExp][]) {
  test(`a link is refused: ${path} ${query.slice(0, 20)}`, () => {
    assert.throws(() => readOpening(path, query), want);
  });
}
