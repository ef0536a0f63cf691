"use strict";
const assert = require("node:assert");
const { fetchAll } = require(process.argv[2]);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A `get` whose requests end when the test says so. */
function server() {
  const begun = new Map();
  let most = 0;
  let open = 0;
  const get = (id) => {
    open += 1;
    most = Math.max(most, open);
    return new Promise((resolve, reject) => {
      const end = (act) => (value) => { open -= 1; act(value); };
      begun.set(id, { resolve: end(resolve), reject: end(reject) });
    });
  };
  return { begun, get, most: () => most };
}

async function main() {
  assert.deepStrictEqual(await fetchAll([], () => assert.fail("asked")), []);
  {
    const { begun, get, most } = server();
    const all = fetchAll([1, 2, 3, 4, 5, 6], get);
    await turn();
    assert.strictEqual(begun.size, 4, "four requests begin at once");
    begun.get(3).resolve("c");
    await turn();
    assert.strictEqual(begun.size, 5, "the next begins when any has ended");
    for (const [id, page] of [[5, "e"], [1, "a"], [4, "d"], [2, "b"]]) {
      begun.get(id).resolve(page);
      await turn();
    }
    begun.get(6).resolve("f");
    assert.deepStrictEqual(await all, ["a", "b", "c", "d", "e", "f"], "the order of the ids");
    assert.strictEqual(most(), 4);
  }
  {
    const { begun, get } = server();
    let ended = false;
    const all = fetchAll([1, 2, 3, 4, 5, 6], get).then(() => assert.fail("resolved"), (error) => { ended = true; return error; });
    await turn();
    begun.get(3).reject(new Error("three"));
    await turn();
    assert.ok(!ended, "it rejects before the other requests have ended");
    assert.strictEqual(begun.size, 4, "a request begins after one has failed");
    begun.get(2).reject(new Error("two"));
    begun.get(1).resolve("a");
    await turn();
    begun.get(4).resolve("d");
    assert.strictEqual((await all).message, "two", "the error of the first id that failed");
    assert.strictEqual(begun.size, 4, "a request begins after one has failed");
  }
  {
    const error = await fetchAll([1], () => { throw new Error("at once"); }).catch((error) => error);
    assert.strictEqual(error.message, "at once", "get throws");
    const falsy = await fetchAll([1, 2], () => Promise.reject(undefined)).then(() => "resolved", () => "rejected");
    assert.strictEqual(falsy, "rejected", "a rejection without a reason");
  }
}

process.on("unhandledRejection", (error) => { console.error(error); process.exit(1); });
main().then(() => { done = true; });
let done = false;
process.on("exit", (code) => { if (!done && code === 0) { console.error("it never ended"); process.exitCode = 1; } });
