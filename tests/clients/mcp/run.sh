#!/usr/bin/env bash
# Drives independent servers of the Model Context Protocol, and the protocol's own conformance scenarios for clients, with `pintle`; and `pintle mcp`
# with the client of the protocol's SDK and the scenarios for servers. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
export PINTLE_BIN
# The scenarios need a newer node than Debian's.
node=$("$here/../../tool" node)/bin/node
SERVERS=$("$here/../../tool" mcp-servers)
python=$("$here/../../tool" mcp-python)
export SERVERS
export PATH=$python/bin:$(dirname "$node"):$PATH
timeout 240 node "$here/servers.mjs"
# The other way around: the SDK's client drives `pintle mcp`, with and without a handshake.
timeout 240 "$python/bin/python" "$here/client.py" legacy auto 2026-07-28
# A scenario of the suite that fails, or that the suite does not know at this version of the protocol, ends the test.
scenario() {
  out=$(timeout 90 "$node" "$SERVERS/node_modules/@modelcontextprotocol/conformance/dist/index.js" "$@" 2>&1) &&
    ! grep -q 'SKIPPED: scenario' <<<"$out" || {
    echo "$out" | tail -40
    echo "tests/clients/mcp: this scenario fails: $*"
    exit 1
  }
  echo "fine: $*"
}
client() { # SCRIPT VERSION SCENARIO…
  for name in "${@:3}"; do
    scenario client --command "$node $here/$1" --spec-version "$2" --scenario "$name"
  done
}
client scenario.mjs 2025-11-25 initialize tools_call elicitation-sep1034-client-defaults sse-retry
client scenario.mjs 2026-07-28 tools_call request-metadata sep-2322-client-request-state http-standard-headers \
  http-custom-headers http-invalid-tool-headers json-schema-ref-no-deref
# Left out are a client whose id is the address of a document, since pintle publishes none, and metadata of 2025-03-26 that name
# another issuer than the one they were asked of, which is refused.
logins="auth/metadata-default auth/metadata-var1 auth/metadata-var2 auth/metadata-var3 auth/scope-from-www-authenticate
  auth/scope-from-scopes-supported auth/scope-omitted-when-undefined auth/scope-retry-limit auth/token-endpoint-auth-basic
  auth/token-endpoint-auth-post auth/token-endpoint-auth-none auth/pre-registration"
# shellcheck disable=SC2086 # a list of words
client login.mjs 2025-11-25 $logins auth/scope-step-up
client login.mjs 2025-03-26 auth/2025-03-26-oauth-endpoint-fallback
# shellcheck disable=SC2086 # a list of words
client login.mjs 2026-07-28 $logins auth/resource-mismatch auth/offline-access-scope auth/offline-access-not-supported \
  auth/authorization-server-migration auth/iss-supported auth/iss-not-advertised auth/iss-supported-missing \
  auth/iss-wrong-issuer auth/iss-unexpected auth/iss-normalized auth/metadata-issuer-mismatch
# `pintle mcp` through a bridge. Left out are scenarios of what it does not offer (resources, prompts, completions, logging) and those
# that call tools of the suite's own server.
coproc BRIDGE { exec "$node" "$here/bridge.mjs"; }
read -r url <&"${BRIDGE[0]}"
for name in server-initialize server-session-lifecycle ping tools-list; do
  scenario server --url "$url" --scenario "$name"
done
kill "$BRIDGE_PID"
