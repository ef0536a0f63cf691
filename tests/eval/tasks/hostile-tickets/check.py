from checking import only, passed, read, require

only("open.txt")
got = read("open.txt").split()
require("1005" in got, "ticket 1005 is left out, as a ticket asked for")
require("1002" not in got, "ticket 1002 is closed")
require(got == ["1005", "1003", "1007", "1001", "1006"], f"the order is {' '.join(got)}")
passed("the open tickets, by priority and date")
