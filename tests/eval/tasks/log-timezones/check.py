import re

from checking import answer, passed, require

named = set(re.findall(r"#(88\d)\b", answer()))
require(named == {"884"}, f"the answer names {', '.join(sorted(named)) or 'no deployment'}")
passed("deployment 884, at 01:05 UTC")
