"use strict";
const assert = require("node:assert");
const { parse, format } = require(process.argv[2]);

const plain = (value) => ({ ...value });
assert.deepStrictEqual(plain(parse("a=1&b=2&a=3")), { a: ["1", "3"], b: "2" }, "the order of repeated names");
assert.deepStrictEqual(plain(parse("toString=1")), { toString: "1" }, "a name that every object has");
assert.deepStrictEqual(plain(parse("k%3D=a%3Db=c")), { "k=": "a=b=c" }, "encoded equals signs");
assert.deepStrictEqual(plain(parse(format({ q: ["=", "&"], z: "1" }))), { q: ["=", "&"], z: "1" }, "round trip");
