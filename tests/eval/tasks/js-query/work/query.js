"use strict";

/** Parses a query string into an object. A name that occurs more than once gets an array, in order. */
function parse(text) {
  const result = {};
  for (const part of text.replace(/^\?/, "").split("&")) {
    const [name, value] = part.split("=");
    result[decodeURIComponent(name)] = decodeURIComponent(value);
  }
  return result;
}

/** The opposite of `parse`. */
function format(values) {
  return Object.entries(values)
    .flatMap(([name, value]) => [].concat(value).map((one) => [name, one]))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

module.exports = { parse, format };
