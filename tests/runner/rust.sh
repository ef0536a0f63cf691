#!/usr/bin/env bash
# Builds the program and its tests, and runs them with nextest. One profile and one set of features serve tests, program, counts and clients, so that
# nothing is compiled twice.
#
#   tests/runner/rust.sh --build     builds only
#   tests/runner/rust.sh [ARGS]      runs the tests; ARGS go to `cargo nextest run`
set -euo pipefail
cd "$(dirname "$0")/../.."
nextest=$(tests/tool nextest)/bin
export PATH=$nextest:$PATH
selection=(--workspace --all-features --locked)
# Compiled dependencies are shared with other clones where sccache can be had.
if [ -z "${RUSTC_WRAPPER:-}" ] && [ "${CARGO_INCREMENTAL:-}" = 0 ] && sccache=$(tests/tool sccache); then
  export RUSTC_WRAPPER=$sccache/bin/sccache
  export SCCACHE_DIR=${SCCACHE_DIR:-${PINTLE_CACHE:-$HOME/.cache/pintle-tests}/sccache} SCCACHE_CACHE_SIZE=${SCCACHE_CACHE_SIZE:-5G}
  # A server of another run may listen at the usual port with another folder.
  export SCCACHE_SERVER_UDS=${SCCACHE_SERVER_UDS:-$SCCACHE_DIR/server.sock}
  mkdir -p "$SCCACHE_DIR"
fi
if [ "${1:-}" = --build ]; then
  # With the tests among the targets, dependencies have the features that tests want of them, for the program too.
  exec cargo build "${selection[@]}" --lib --bins --tests
fi
# Model servers that some tests talk to; without them these are skipped.
for peer in aimock llama; do
  if folder=$(tests/tool "$peer"); then export "PINTLE_${peer^^}=$folder"; fi
done
# Of the tests that pass, every hundredth shows how far it is.
short() {
  awk '/^ +PASS \[/ { if (++passed % 100 == 0) { print; fflush() } next } { print; fflush() }'
}
status=0
cargo nextest run --config-file tests/nextest.toml "${selection[@]}" --no-fail-fast "$@" 2>&1 | short || status=$?
junit=${CARGO_TARGET_DIR:-target}/nextest/default/junit.xml
if [ -n "${PINTLE_REPORTS:-}" ] && [ -e "$junit" ]; then cp "$junit" "$PINTLE_REPORTS/rust.xml"; fi
exit "$status"
