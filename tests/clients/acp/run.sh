#!/usr/bin/env bash
# Drives `pintle acp` with independent clients: that of the protocol's SDK, and acpx. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
export PINTLE_BIN
node=$("$here/../../tool" node)
CLIENTS=$("$here/../../tool" acp-clients)
export CLIENTS PATH=$node/bin:$PATH
timeout 120 node "$here/sdk.mjs"
timeout 240 bash "$here/acpx.sh"
