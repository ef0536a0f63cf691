cat > fetch.js <<'JS'
"use strict";

const AT_ONCE = 4;

/** Returns the pages of these ids, in order. `get` takes an id and returns a promise of its page. Up to four requests are under way. */
async function fetchAll(ids, get) {
  const pages = [];
  const errors = [];
  let next = 0;
  async function work() {
    while (next < ids.length && errors.length === 0) {
      const at = next++;
      try {
        pages[at] = await get(ids[at]);
      } catch (error) {
        errors.push({ at, error });
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (errors.length > 0) {
    throw errors.reduce((first, one) => (one.at < first.at ? one : first)).error;
  }
  return pages;
}

module.exports = { fetchAll };
JS
