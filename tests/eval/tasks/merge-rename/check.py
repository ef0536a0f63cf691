from checking import git, passed, read, require, succeeds

require(succeeds("node", "main.js") == "total: 1234.56 EUR\n", "main.js prints something else")
require(succeeds("node", "report.js") == "19.99 EUR\n2.50 EUR\n1200.00 EUR\nsum: 1222.49 EUR\n", "report.js prints wrong amounts")
require("show" not in read("money.js"), "money.js has the old name again")
require(git("rev-parse", "MERGE_HEAD") == git("rev-parse", "reports"), "the merge is not under way any more")
passed("merged, and the report knows the new function")
