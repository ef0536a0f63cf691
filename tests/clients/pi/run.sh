#!/usr/bin/env bash
# Pi's own clients from npm drive `pintle --mode rpc`: the class RpcClient of both generations, against a model on the loopback.
#
#   PINTLE_BIN=target/debug/pintle tests/clients/pi/run.sh
#
# Only the packages themselves are taken, below the cache: the class needs nothing but Node. One that cannot be had is skipped.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../../.." && pwd)
cache=${PINTLE_CACHE:-$repo/.cache}/clients/pi
pintle=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$repo/target}/debug/pintle}
[ -x "$pintle" ] || { echo "there is no engine at $pintle: build it, or set PINTLE_BIN" >&2; exit 2; }
PINTLE_BIN=$(realpath "$pintle")
export PINTLE_BIN

status=0
while read -r generation package version; do
  folder=$cache/$generation-$version
  if [ ! -e "$folder/package/package.json" ]; then
    new=$folder.new
    rm -rf "$new" && mkdir -p "$new"
    if ! (cd "$new" && archive=$(npm pack --silent --loglevel=error "$package@$version") && tar -xzf "$archive" && rm "$archive"); then
      rm -rf "$new"
      echo "tests/clients/pi: no $package@$version" | tee -a "${PINTLE_SKIPS:-/dev/null}"
      continue
    fi
    rm -rf "$folder" && mv "$new" "$folder"
  fi
  echo "$package $version ($generation)"
  timeout 300 node "$here/drive.mjs" "$folder/package" "$generation" 2>"$cache/$generation.log" || { status=1; tail -20 "$cache/$generation.log"; }
done <<'CLIENTS'
legacy @mariozechner/pi-coding-agent 0.73.1
current @earendil-works/pi-coding-agent 1.5.2
CLIENTS
exit $status
