cat > cache.test.js <<'JS'
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { Cache } = require("./cache.js");

function make(size = 2) {
  const time = { now: 1000 };
  return { time, cache: new Cache({ size, ttl: 100, clock: () => time.now }) };
}

test("values are there until their time is over", () => {
  const { time, cache } = make();
  cache.set("a", 0);
  time.now = 1099;
  assert.strictEqual(cache.get("a"), 0);
  time.now = 1100;
  assert.strictEqual(cache.has("a"), false);
  assert.strictEqual(cache.get("a"), undefined);
});

test("the least recently used entry goes", () => {
  const { cache } = make();
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.has("b");
  cache.set("c", 3);
  assert.deepStrictEqual([cache.has("a"), cache.has("b"), cache.has("c")], [true, false, true]);
});

test("has does not use an entry", () => {
  const { cache } = make();
  cache.set("a", 1);
  cache.set("b", 2);
  cache.has("a");
  cache.set("c", 3);
  assert.deepStrictEqual([cache.has("a"), cache.has("b")], [false, true]);
});

test("setting again uses an entry, drops no other and renews its time", () => {
  const { time, cache } = make();
  cache.set("a", 1);
  cache.set("b", 2);
  time.now = 1050;
  cache.set("a", 3);
  assert.ok(cache.has("b"));
  cache.set("c", 4);
  assert.deepStrictEqual([cache.has("a"), cache.has("b")], [true, false]);
  time.now = 1120;
  assert.strictEqual(cache.get("a"), 3);
});
JS
