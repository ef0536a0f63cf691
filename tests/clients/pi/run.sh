#!/usr/bin/env bash
# Pi's own clients from npm drive `pintle --mode rpc`: the class RpcClient of both generations, against a model on the loopback.
#
#   PINTLE_BIN=target/debug/pintle tests/clients/pi/run.sh
#
# Only the packages themselves are installed: the class needs nothing but Node.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../../.." && pwd)
pintle=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$repo/target}/debug/pintle}
[ -x "$pintle" ] || { echo "there is no engine at $pintle: build it, or set PINTLE_BIN" >&2; exit 2; }
PINTLE_BIN=$(realpath "$pintle")
export PINTLE_BIN

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
for generation in legacy current; do
  package=$("$repo/tests/tool" "pi-$generation")/package
  echo "the $generation client"
  timeout 300 node "$here/drive.mjs" "$package" "$generation" 2>"$logs/$generation" || { status=1; tail -20 "$logs/$generation"; }
done
exit $status
