"use strict";

/** Returns the pages of these ids, in order. `get` takes an id and returns a promise of its page. */
async function fetchAll(ids, get) {
  const pages = [];
  for (const id of ids) {
    pages.push(await get(id));
  }
  return pages;
}

module.exports = { fetchAll };
