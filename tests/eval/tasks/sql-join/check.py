import random
import sqlite3

from checking import only, passed, python, read, require

only("report.sql")
python("test_report.py")
query = read("report.sql")
generator = random.Random(7)
for round in range(40):
    db = sqlite3.connect(":memory:")
    db.executescript(read("schema.sql"))
    # Two customers may have one name.
    customers = [(id, generator.choice(["Ada", "Bob", "Cy", "Di"])) for id in range(1, 6)]
    orders = [(id, generator.randint(1, 5), generator.randint(0, 9) * 100, generator.choice(["open", "done", "cancelled"])) for id in range(1, 12)]
    payments = [(id, generator.randint(1, 11), generator.randint(1, 9) * 50) for id in range(1, 20)]
    for table, rows in (("customers", customers), ("orders", orders), ("payments", payments)):
        db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    want = []
    for id, name in customers:
        own = {order[0]: order[2] for order in orders if order[1] == id and order[3] != "cancelled"}
        want.append((name, len(own), sum(own.values()), sum(payment[2] for payment in payments if payment[1] in own)))
    try:
        got = db.execute(query).fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        require(False, f"the query fails: {error}")
    names = [row[0] for row in got]
    by_name = {name: [sum(row[at] for row in want if row[0] == name) for at in (1, 2, 3)] for name in names}
    merged = {row[0]: list(row[1:]) for row in got}
    is_right = sorted(got) == sorted(want) or (len(merged) == len(got) and merged == by_name and set(names) == {row[0] for row in want})
    require(is_right and names == sorted(names), f"wrong rows for random data: {got} instead of {sorted(want)}")
passed("the report is right for 40 random databases")
