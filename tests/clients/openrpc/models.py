"""The models that a generator made of `schema.json` take the recorded examples and the events of the conformance kit.

usage: models.py PROTOCOL   (with the generated `pintle_models` in PYTHONPATH)
"""
import json, pathlib, sys
import pintle_models as models
from pydantic import TypeAdapter, ValidationError

protocol = pathlib.Path(sys.argv[1])
schema = json.loads((protocol / "schema.json").read_text())
examples = json.loads((protocol / "examples" / "methods.json").read_text())
checked = refused = 0

def check(name, value):
    global checked, refused
    model = TypeAdapter(getattr(models, name))
    model.validate_python(value)
    checked += 1
    try:
        model.validate_python([[[]]])
    except ValidationError:
        refused += 1

for method, row in schema["methods"].items():
    for part in ("params", "result"):
        if part in row:
            check(row[part]["$ref"].rsplit("/", 1)[1], examples[method][part])
for fixture in sorted((protocol / "conformance" / "reducer").glob("*.json")):
    for record in json.loads(fixture.read_text())["events"]:
        check("AnyRecord", record)
assert checked == refused, "the models refuse what is wrong"
print(f"models of JSON Schema: {checked} values")
