import re

from checking import answer, passed, require

text = answer()
require(re.search(r"policy\.py`?:+`?(\w+\.)?local_rule\b", text), "the answer does not name policy.py:local_rule")
require(re.search(r"5[ ,._'\u202f\u00a0]?242[ ,._'\u202f\u00a0]?880", text), "the answer does not name the limit of 5242880 bytes")
passed("function and limit are right")
