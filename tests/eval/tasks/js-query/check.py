from checking import TASK, Path, only, passed, succeeds

only("query.js")
succeeds("node", "--test")
succeeds("node", str(TASK / "hidden.js"), str(Path("query.js").resolve()))
passed("all tests pass")
