#!/usr/bin/env bash
# Drives `pintle lsp` by the client of PyPI's pygls, which nobody here wrote and which holds every message against the protocol's types.
# Installs it below the cache; without it this says so and is skipped. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN
cache=${PINTLE_CACHE:-$here/../../../.cache}/clients/lsp
mkdir -p "$cache"
if [ ! -e "$cache/venv/bin/python" ] || ! "$cache/venv/bin/python" -c 'import pygls' 2>/dev/null; then
  { python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q pygls==2.1.1; } || {
    echo "tests/clients/lsp: no pygls of PyPI" | tee -a "${PINTLE_SKIPS:-/dev/null}"
    exit 0
  }
fi
cache=$(cd "$cache" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/project"
printf 'one\n😀 two\n' >"$folder/project/a.txt"
cat >"$folder/script.json" <<'END'
{"replies": [
  {"blocks": [{"tool": "edit", "arguments": {"path": "a.txt", "oldText": "typed", "newText": "😀 edited"}}]},
  {"blocks": [{"text": "edit done"}]},
  {"blocks": [{"text": "action done"}]},
  {"blocks": [{"tool": "bash", "arguments": {"command": "sleep 86543.5; true"}}]}
]}
END
export PINTLE_HOME=$folder/home SCRIPT=$folder/script.json
cd "$folder/project"
timeout 120 "$cache/venv/bin/python" "$here/drive.py"
