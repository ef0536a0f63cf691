#!/usr/bin/env bash
# Drives servers of the Model Context Protocol that nobody here wrote, and the protocol's own conformance scenarios for clients, by
# `pintle`; and `pintle mcp` by the client of the protocol's own SDK. Installs them below the cache; what cannot be had is said plainly and skipped. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
: "${PINTLE_BIN:?the program to test}"
export PINTLE_BIN
cache=${PINTLE_CACHE:-$root/.cache}
export SERVERS=$cache/clients/mcp
mkdir -p "$SERVERS"
skip() {
  echo "tests/clients/mcp: $1" | tee -a "${PINTLE_SKIPS:-/dev/null}"
}
if [ ! -e "$SERVERS/node_modules/@modelcontextprotocol/conformance/package.json" ]; then
  npm install --no-audit --no-fund --loglevel=error --prefix "$SERVERS" \
    @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/conformance@0.1.16 >/dev/null || { skip "no servers of npm"; exit 0; }
fi
if [ ! -x "$SERVERS/venv/bin/mcp-server-git" ]; then
  { python3 -m venv "$SERVERS/venv" &&
    "$SERVERS/venv/bin/pip" install -q mcp-server-time==2026.10.19 mcp-server-git==2026.10.19; } || {
    skip "no servers of PyPI"
    exit 0
  }
fi
SERVERS=$(cd "$SERVERS" && pwd)
timeout 240 node "$here/servers.mjs"
# The other way around: the SDK's client drives `pintle mcp`, with and without a handshake.
timeout 240 "$SERVERS/venv/bin/python" "$here/client.py" legacy auto 2026-07-28
run_scenario() {
  out=$(timeout 90 "$node" "$SERVERS/node_modules/@modelcontextprotocol/conformance/dist/index.js" client \
    --command "$node $here/$2" --scenario "$1" 2>&1) || {
    echo "$out" | tail -40
    echo "tests/clients/mcp: the scenario $1 fails"
    exit 1
  }
  echo "scenario $1: fine"
}
# The scenarios need a newer node than Debian's.
for node in "$cache/vscode/node/bin/node" node; do
  if "$node" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)' 2>/dev/null; then
    for scenario in initialize tools_call elicitation-sep1034-client-defaults sse-retry; do
      run_scenario "$scenario" scenario.mjs
    done
    # Left out are a client whose id is the address of a document, since pintle publishes none, and metadata of 2025-03-26 that name
    # another issuer than the one they were asked of, which is refused.
    for scenario in metadata-default metadata-var1 metadata-var2 metadata-var3 scope-from-www-authenticate \
      scope-from-scopes-supported scope-omitted-when-undefined scope-step-up scope-retry-limit token-endpoint-auth-basic \
      token-endpoint-auth-post token-endpoint-auth-none pre-registration 2025-03-26-oauth-endpoint-fallback resource-mismatch \
      offline-access-scope offline-access-not-supported; do
      run_scenario "auth/$scenario" login.mjs
    done
    exit 0
  fi
done
skip "no node from 22 on for the conformance scenarios"
