git checkout -qb reports
cat > report.js <<'JS'
"use strict";
const { show } = require("./money.js");

const sales = [1999, 250, 120000];
for (const cents of sales) {
  console.log(show(cents));
}
console.log(`sum: ${show(sales.reduce((a, b) => a + b, 0))}`);
JS
git add report.js
git commit -qm "A report of the sales"
git checkout -q main
cat > money.js <<'JS'
"use strict";

/** Formats an amount. It takes euros: amounts in cents are divided by their callers. */
function format(euros, currency) {
  return `${euros.toFixed(2)} ${currency}`;
}

module.exports = { format };
JS
sed -i 's/{ show }/{ format }/; s|show(123456)|format(123456 / 100, "EUR")|' main.js
git commit -qam "money: format takes euros and a currency, and has a better name"
git merge -q --no-commit reports
