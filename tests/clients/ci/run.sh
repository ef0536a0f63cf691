#!/usr/bin/env bash
# Has programs that nobody here wrote read the reports of `pintle run`: the schema of SARIF 2.1.0 (from the npm package @microsoft/jest-sarif) by
# PyPI's jsonschema, `sarif-tools`, and `junitparser`. Installs them below the cache; what cannot be had is said plainly and skipped. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
: "${PINTLE_BIN:?the program to test}"
export PINTLE_BIN
cache=${PINTLE_CACHE:-$root/.cache}/clients/ci
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
skip() {
  echo "tests/clients/ci: $1" | tee -a "${PINTLE_SKIPS:-/dev/null}"
  exit 0
}
if [ ! -x "$cache/venv/bin/sarif" ]; then
  { python3 -m venv "$cache/venv" &&
    "$cache/venv/bin/pip" install -q sarif-tools==3.0.5 junitparser==5.0.3 jsonschema==4.26.0; } || {
    rm -rf "$cache/venv"
    skip "no programs of PyPI"
  }
fi
schema=$cache/package/lib/schemas/sarif-2.1.0-rtm.5.json
if [ ! -e "$schema" ]; then
  (cd "$cache" && npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0 >/dev/null && tar xzf microsoft-jest-sarif-*.tgz) ||
    skip "no schema of SARIF"
fi
timeout 240 "$cache/venv/bin/python" "$here/reports.py" "$schema" "$cache/venv/bin/sarif"
