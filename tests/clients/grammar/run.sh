#!/usr/bin/env bash
# Holds the grammar of patches, which providers compile, against the parser whose notation it is in: lark, which nobody here wrote.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
venv=${PINTLE_CACHE:-$root/.cache}/clients/grammar
python=$venv/bin/python
if ! "$python" -c 'import lark' 2>/dev/null; then
  python3 -m venv "$venv" && "$python" -m pip install --quiet --disable-pip-version-check lark==1.3.1 || true
fi
if "$python" -c 'import lark' 2>/dev/null; then
  PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check.py" "$root/src/tools/descriptions/apply_patch.lark"
else
  echo "tests/clients/grammar: no lark" | tee -a "${PINTLE_SKIPS:-/dev/null}"
fi
