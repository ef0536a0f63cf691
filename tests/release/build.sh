#!/bin/sh
# Builds what a release consists of: see tests/README.md and RELEASING.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$here") exec python3 -m release build "$@"
