cat > cache.test.js <<'JS'
"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { Cache } = require("./cache.js");

test("set and get", () => {
  const cache = new Cache({ size: 2, ttl: 1000 });
  cache.set("a", 1);
  assert.strictEqual(cache.get("a"), 1);
  assert.strictEqual(cache.get("b"), undefined);
  assert.ok(cache.has("a"));
});
JS
