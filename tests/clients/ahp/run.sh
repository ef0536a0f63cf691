#!/usr/bin/env bash
# Drives VS Code's own chat, with no extension of ours, against the engine.
# Usage: run.sh. PINTLE_BIN names the engine; tests/tool installs the tools. Reports go to $PINTLE_REPORTS, what a failure leaves to
# $PINTLE_EVIDENCE; PINTLE_RETRIES_E2E=1 tries all of it again after a failure.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
node=$("$root/tests/tool" node) || exit
PINTLE_PLAYWRIGHT=$("$root/tests/tool" playwright) || exit
PINTLE_CODE_SERVER=$("$root/tests/tool" code-server) || exit
"$root/tests/tool" browser >/dev/null || exit
export PINTLE_PLAYWRIGHT PINTLE_CODE_SERVER PATH=$node/bin:$PATH
export PINTLE_SHOTS=${CARGO_TARGET_DIR:-$root/target}/tests/shots
PINTLE_BIN=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$root/target}/debug/pintle}
[[ -x $PINTLE_BIN ]] || { echo "there is no engine at $PINTLE_BIN: build it, or set PINTLE_BIN" >&2; exit 2; }
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN
export PINTLE_EVIDENCE=${PINTLE_EVIDENCE:-$(mktemp -d "${TMPDIR:-/tmp}/pintle-evidence.XXXXXX")}
status=0
node "$here/vscode.mjs" || status=$?
rmdir "$PINTLE_EVIDENCE" 2>/dev/null
echo "screenshots: $PINTLE_SHOTS" >&2
exit "$status"
