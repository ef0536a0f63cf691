python3 - <<'PY'
from pathlib import Path

path = Path("table.js")
text = path.read_text()
text = text.replace('''  const unknown = args.filter((arg) => arg.startsWith("--"));
''', '''  const sort = args.find((arg) => arg.startsWith("--sort="))?.slice("--sort=".length);
  const isDescending = args.includes("--desc");
  const unknown = args.filter((arg) => arg.startsWith("--") && !arg.startsWith("--sort=") && arg !== "--desc");
''').replace("usage: table.js FILE", "usage: table.js FILE [--sort=COLUMN] [--desc]")
text = text.replace('''  const widths''', '''  if (sort !== undefined) {
    const at = head.indexOf(sort);
    if (at < 0) {
      process.stderr.write(`no column ${sort}; the columns are ${head.join(", ")}\\n`);
      return 2;
    }
    const isNumeric = rows.every((row) => row[at].trim() !== "" && !Number.isNaN(Number(row[at])));
    const compare = (a, b) => (isNumeric ? a - b : a < b ? -1 : a > b ? 1 : 0);
    rows.sort((a, b) => (isDescending ? compare(b[at], a[at]) : compare(a[at], b[at])));
  }
  const widths''')
path.write_text(text)
PY
