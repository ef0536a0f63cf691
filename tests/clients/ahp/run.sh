#!/usr/bin/env bash
# Drives VS Code's own chat, with no extension of ours, against the engine.
# Usage: run.sh. PINTLE_BIN names the engine, PINTLE_CACHE the folder for what is installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
export PINTLE_VSCODE_CACHE=${PINTLE_CACHE:-$root/.cache}/vscode
if [[ ! -x ${PINTLE_BIN:-} ]]; then
  echo "PINTLE_BIN does not name the engine" >&2
  exit 1
fi
"$root/editors/vscode/tests/setup.sh"
PATH=$PINTLE_VSCODE_CACHE/node/bin:$PATH node --test --test-reporter=spec "$here/vscode.mjs"
echo "screenshots: $PINTLE_VSCODE_CACHE/shots"
