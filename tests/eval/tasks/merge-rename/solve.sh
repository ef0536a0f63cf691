sed -i 's/{ show }/{ format }/; s|show(cents)|format(cents / 100, "EUR")|; s|show(sales.reduce((a, b) => a + b, 0))|format(sales.reduce((a, b) => a + b, 0) / 100, "EUR")|' report.js
