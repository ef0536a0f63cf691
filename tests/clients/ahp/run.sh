#!/usr/bin/env bash
# Drives VS Code's own chat, with no extension of ours, against the engine.
# Usage: run.sh. PINTLE_BIN names the engine, PINTLE_CACHE the folder for what is installed. Reports go to $PINTLE_REPORTS, what a
# failure leaves to $PINTLE_EVIDENCE; PINTLE_RETRIES_E2E=1 tries all of it again after a failure.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
export PINTLE_VSCODE_CACHE=${PINTLE_CACHE:-$root/.cache}/vscode
PINTLE_BIN=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$root/target}/debug/pintle}
[[ -x $PINTLE_BIN ]] || { echo "there is no engine at $PINTLE_BIN: build it, or set PINTLE_BIN" >&2; exit 2; }
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN
export PINTLE_EVIDENCE=${PINTLE_EVIDENCE:-$(mktemp -d "${TMPDIR:-/tmp}/pintle-evidence.XXXXXX")}
"$root/editors/vscode/tests/setup.sh" e2e || exit
status=0
PATH=$PINTLE_VSCODE_CACHE/node/bin:$PATH node "$here/vscode.mjs" || status=$?
rmdir "$PINTLE_EVIDENCE" 2>/dev/null
echo "screenshots: $PINTLE_VSCODE_CACHE/shots" >&2
exit "$status"
