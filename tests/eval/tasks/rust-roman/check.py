import shutil

from checking import BEFORE, TASK, passed, read, require, succeeds

tests = (BEFORE / "roman.rs").read_text().split("#[cfg(test)]")[1]
require(read("roman.rs").split("#[cfg(test)]")[-1].strip() == tests.strip(), "the tests were changed")
succeeds("rustc", "--edition", "2021", "-A", "warnings", "--test", "roman.rs", "-o", "roman-tests", timeout=60)
succeeds("./roman-tests")
shutil.copy(TASK / "hidden.rs", "hidden.rs")
succeeds("rustc", "--edition", "2021", "-A", "warnings", "-O", "hidden.rs", "-o", "hidden", timeout=60)
succeeds("./hidden")
passed("every numeral from 1 to 3999 is written and read, and no other")
