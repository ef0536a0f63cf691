import json

from checking import only, passed, read, require

only("cause.json")
try:
    got = json.loads(read("cause.json"))
except ValueError:
    require(False, "cause.json is no JSON")
want = {"service": "billing", "time": "2026-03-17T07:21:52Z", "setting": "pool_size", "old": 50, "new": 5}
require(isinstance(got, dict), "cause.json is no object")
for key, value in want.items():
    require(str(got.get(key)) == str(value), f"{key} is {got.get(key)!r}")
passed("the pool of billing is named")
