"use strict";

/** Formats an amount in cents. */
function show(cents) {
  return `${(cents / 100).toFixed(2)} EUR`;
}

module.exports = { show };
