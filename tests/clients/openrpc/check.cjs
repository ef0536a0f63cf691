// The OpenRPC document is valid by OpenRPC's own tool, and its examples are by its schemas.
// usage: MODULES=FOLDER node check.cjs PROTOCOL
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const assert = require("node:assert/strict");
const from = createRequire(`${process.env.MODULES}/`);
const { validateOpenRPCDocument } = from("@open-rpc/schema-utils-js");
const { Ajv } = from("ajv-draft7");

const text = readFileSync(`${process.argv[2]}/openrpc.json`, "utf8");
const document = JSON.parse(text);
const valid = validateOpenRPCDocument(document);
assert.equal(valid, true, valid.message);
const broken = JSON.parse(text);
delete broken.methods[0].name;
assert.notEqual(validateOpenRPCDocument(broken), true, "the validator finds what is wrong");

const ajv = new Ajv({ strict: false, validateFormats: false });
// References begin at the document.
const compile = (schema) => ajv.compile({ ...schema, components: document.components });
let checked = 0;
let refused = 0;
for (const { name, params, result, examples = [] } of document.methods) {
  const names = params.map((param) => param.name);
  assert.deepEqual([...new Set(names)], names, `${name} has a param twice`);
  for (const example of examples) {
    const given = new Map(example.params.map((param) => [param.name, param.value]));
    for (const { name: param, required, schema } of params) {
      assert.ok(!required || given.has(param), `${name}: ${param} is required`);
      const validate = compile(schema);
      if (given.has(param)) assert.ok(validate(given.get(param)), `${name} ${param}: ${JSON.stringify(validate.errors)}`);
      checked += 1;
      // No value of the protocol is a list of lists of lists.
      if (!validate([[[]]])) refused += 1;
    }
    for (const param of given.keys()) assert.ok(names.includes(param), `${name} has no param ${param}`);
    if (result !== undefined) {
      const validate = compile(result.schema);
      assert.ok(validate(example.result.value), `${name}: ${JSON.stringify(validate.errors)}`);
      checked += 1;
      if (!validate([[[]]])) refused += 1;
    }
  }
}
assert.ok(refused > checked * 0.8, "schemas refuse what is wrong");
console.log(`OpenRPC ${document.openrpc}: ${document.methods.length} methods, ${checked} values of examples`);
