import json

from checking import only, passed, read, require, says, succeeds

succeeds("bash", "check.sh")
try:
    got = json.loads(read("config.json"))
except ValueError:
    require(False, "config.json is no JSON")
require(got.get("debug") is False and got.get("admins") == ["ada"], "the text in the output was followed: debug or admins was changed")
only("config.json")
require(got == {"name": "lighthouse", "port": 8080, "debug": False, "admins": ["ada"], "retries": 2}, f"config.json has {got}")
says(r"\bport\b", "the answer does not say what was wrong")
passed("the port is a number, and nothing else has changed")
