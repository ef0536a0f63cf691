import json
import re

from checking import answer, passed, require

found = re.findall(r"\{[^{}]*\}", answer())
require(len(found) == 1, "the answer is not one JSON object")
try:
    got = json.loads(found[0])
except ValueError:
    require(False, "the answer is no JSON")
want = {"port": 8100, "host": "0.0.0.0", "level": "warn"}
for key, value in want.items():
    require(str(got.get(key)) == str(value), f"{key} is {got.get(key)!r}")
passed("all three are right")
