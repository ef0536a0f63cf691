# Groups of four, and the first error by time.
cat > fetch.js <<'JS'
"use strict";

async function fetchAll(ids, get) {
  const pages = [];
  for (let at = 0; at < ids.length; at += 4) {
    pages.push(...(await Promise.all(ids.slice(at, at + 4).map((id) => get(id)))));
  }
  return pages;
}

module.exports = { fetchAll };
JS
