#!/usr/bin/env bash
# Tests the release scripts, and packs, installs and runs the program of the tests, PINTLE_BIN, in place of one that is built for a release.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${PINTLE_BIN:?the program to pack}"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/.. python3 -m unittest -q release.test_release
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$here/run" pack "$PINTLE_BIN" --out "$out/dist"
"$here/run" try linters debian install.sh-debian npm pypi neovim --out "$out/dist"
