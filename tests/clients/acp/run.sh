#!/usr/bin/env bash
# Drives `pintle acp` with clients that nobody here wrote: that of the protocol's SDK, and acpx. Installs them below the cache; what
# cannot be had is said plainly and skipped. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
: "${PINTLE_BIN:?the program to test}"
export PINTLE_BIN
export CLIENTS=${PINTLE_CACHE:-$root/.cache}/clients
mkdir -p "$CLIENTS"
if [ ! -e "$CLIENTS/node_modules/acpx/package.json" ]; then
  npm install --no-audit --no-fund --loglevel=error --prefix "$CLIENTS" \
    @agentclientprotocol/sdk@2.4.0 acpx@0.19.1 >/dev/null || {
    echo "tests/clients/acp: no clients of the Agent Client Protocol" | tee -a "${PINTLE_SKIPS:-/dev/null}"
    exit 0
  }
fi
CLIENTS=$(cd "$CLIENTS" && pwd)
timeout 120 node "$here/sdk.mjs"
timeout 240 bash "$here/acpx.sh"
