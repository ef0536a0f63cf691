"use strict";
const { show } = require("./money.js");

console.log(`total: ${show(123456)}`);
