#!/usr/bin/env bash
# Holds the protocol's documents against tools that nobody here wrote: OpenRPC's own validator, ajv for draft 7, and a generator of Python models
# for JSON Schema 2020-12. Installs them below the cache; what cannot be had is said plainly and skipped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${PINTLE_CACHE:-$root/.cache}/clients/openrpc
mkdir -p "$cache"

skip() {
  echo "tests/clients/openrpc: no $1" | tee -a "${PINTLE_SKIPS:-/dev/null}"
}

if [ ! -e "$cache/node_modules/ajv-draft7/package.json" ]; then
  npm install --no-audit --no-fund --loglevel=error --prefix "$cache" \
    @open-rpc/schema-utils-js@2.2.1 ajv-draft7@npm:ajv@8.20.0 >/dev/null || true
fi
if [ -e "$cache/node_modules/ajv-draft7/package.json" ]; then
  MODULES=$cache timeout 120 node "$here/check.cjs" "$root/protocol"
else
  skip "validator of OpenRPC"
fi

python=$cache/venv/bin/python
if [ ! -x "$cache/venv/bin/datamodel-codegen" ]; then
  python3 -m venv "$cache/venv" && "$python" -m pip install --quiet datamodel-code-generator==0.89.0 pydantic==2.14.3 || true
fi
if [ -x "$cache/venv/bin/datamodel-codegen" ]; then
  timeout 300 "$cache/venv/bin/datamodel-codegen" --input "$root/protocol/schema.json" --input-file-type jsonschema \
    --output-model-type pydantic_v2.BaseModel --target-python-version 3.11 --output "$cache/pintle_models.py" 2>"$cache/codegen.log" ||
    { cat "$cache/codegen.log"; exit 1; }
  PYTHONPATH=$cache PYTHONDONTWRITEBYTECODE=1 timeout 300 "$python" "$here/models.py" "$root/protocol"
else
  skip "generator of Python models"
fi
