"""Folds the events of a fixture with the Python client, and prints the state.

usage: reduce.py FIXTURE
"""
import json, pathlib, sys
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "clients" / "python"))
import pintle

fixture = json.loads(pathlib.Path(sys.argv[1]).read_text())
session = pintle.Session(fixture["sessionId"])
for record in fixture["events"]:
    session.apply(record)
print(json.dumps(session.snapshot()))
