import sqlite3
from pathlib import Path

here = Path(__file__).parent
db = sqlite3.connect(":memory:")
db.executescript((here / "schema.sql").read_text())
db.executemany("INSERT INTO customers VALUES (?, ?)", [(1, "Ada"), (2, "Bob"), (3, "Cy")])
db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", [(1, 1, 1000, "open"), (2, 1, 500, "done"), (3, 2, 700, "cancelled"), (4, 2, 300, "open")])
db.executemany("INSERT INTO payments VALUES (?, ?, ?)", [(1, 1, 400), (2, 1, 600), (3, 2, 500), (4, 3, 700)])
got = db.execute((here / "report.sql").read_text()).fetchall()
want = [("Ada", 2, 1500, 1500), ("Bob", 1, 300, 0), ("Cy", 0, 0, 0)]
assert got == want, f"\n got {got}\nwant {want}"
print("ok")
