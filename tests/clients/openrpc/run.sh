#!/usr/bin/env bash
# Checks the protocol's documents with independent tools: OpenRPC's own validator, ajv for draft 7, and a generator of Python models for JSON Schema
# 2020-12.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
modules=$("$root/tests/tool" openrpc)
tools=$("$root/tests/tool" datamodel)/bin
MODULES=$modules timeout 120 node "$here/check.cjs" "$root/protocol"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
timeout 300 "$tools/datamodel-codegen" --input "$root/protocol/schema.json" --input-file-type jsonschema \
  --output-model-type pydantic_v2.BaseModel --target-python-version 3.11 --output "$folder/pintle_models.py" 2>"$folder/log" ||
  { cat "$folder/log"; exit 1; }
PYTHONPATH=$folder PYTHONDONTWRITEBYTECODE=1 timeout 300 "$tools/python" "$here/models.py" "$root/protocol"
