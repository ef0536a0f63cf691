#!/usr/bin/env bash
# Runs the tests: the quick tier, or what the arguments name. tests/README.md explains it; `tests/all.sh --help` lists the options.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "tests/all.sh needs Python 3.11 or newer" >&2
  exit 2
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests exec python3 -m runner "$@"
