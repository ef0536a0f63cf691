"use strict";
const test = require("node:test");
const assert = require("node:assert");
const { parse, format } = require("./query.js");

const plain = (value) => ({ ...value });

test("names and values are decoded", () => {
  assert.deepStrictEqual(plain(parse("?a=1&b=x%20y")), { a: "1", b: "x y" });
});

test("a name that occurs twice gets an array", () => {
  assert.deepStrictEqual(plain(parse("a=1&a=2&a=3")), { a: ["1", "2", "3"] });
});

test("a value may contain an equals sign", () => {
  assert.deepStrictEqual(plain(parse("token=YWJj==&x=1")), { token: "YWJj==", x: "1" });
});

test("format is the opposite", () => {
  assert.strictEqual(format({ a: ["1", "2"], b: "x y" }), "a=1&a=2&b=x%20y");
});
