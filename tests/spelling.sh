#!/usr/bin/env bash
# Looks for misspelt words with typos, in an environment of its own below the cache.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${PINTLE_CACHE:-$PWD/.cache}/typos
if [ ! -x "$venv/bin/typos" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check typos
fi
"$venv/bin/typos"
