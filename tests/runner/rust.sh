#!/usr/bin/env bash
# Builds the program and its tests and runs the tests with nextest. All suites share one profile and one feature set, so nothing is compiled twice.
#
#   tests/runner/rust.sh --build        build only
#   tests/runner/rust.sh --doc [ARGS]   run the examples in doc comments; ARGS are passed to `cargo test --doc`
#   tests/runner/rust.sh [ARGS]         run the tests; ARGS are passed to `cargo nextest run`
set -euo pipefail
cd "$(dirname "$0")/../.."
nextest=$(tests/tool nextest)/bin
export PATH=$nextest:$PATH
selection=(--workspace --all-features --locked)
# sccache, if available, shares compiled dependencies with other clones.
if [ -z "${RUSTC_WRAPPER:-}" ] && [ "${CARGO_INCREMENTAL:-}" = 0 ] && sccache=$(tests/tool sccache); then
  export RUSTC_WRAPPER=$sccache/bin/sccache
  export SCCACHE_DIR=${SCCACHE_DIR:-${PINTLE_CACHE:-$HOME/.cache/pintle-tests}/sccache} SCCACHE_CACHE_SIZE=${SCCACHE_CACHE_SIZE:-5G}
  # Avoid the default port: a server from another run may use a different folder.
  export SCCACHE_SERVER_UDS=${SCCACHE_SERVER_UDS:-$SCCACHE_DIR/server.sock}
  mkdir -p "$SCCACHE_DIR"
fi
if [ "${1:-}" = --build ]; then
  # Building the tests together with the program unifies the features of their dependencies; separate builds would compile everything twice.
  exec cargo build "${selection[@]}" --lib --bins --tests
fi
if [ "${1:-}" = --doc ]; then
  cargo test --doc "${selection[@]}" --no-fail-fast "${@:2}" 2>&1 |
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests python3 -m runner.doc_tests "${PINTLE_REPORTS:-${CARGO_TARGET_DIR:-target}}/doctest.xml"
  exit
fi
# A model server used by some tests, which are skipped without it.
if folder=$(tests/tool aimock); then export "PINTLE_AIMOCK=$folder"; fi
# Some tests mostly wait, so one more than there are processors keeps these busy.
export NEXTEST_TEST_THREADS=${NEXTEST_TEST_THREADS:-$(($(nproc) + 1))}
# Print only every hundredth passing test, as progress.
short() {
  awk '/^ +PASS \[/ { if (++passed % 100 == 0) { print; fflush() } next } { print; fflush() }'
}
status=0
cargo nextest run --config-file tests/nextest.toml "${selection[@]}" --no-fail-fast "$@" 2>&1 | short || status=$?
junit=${CARGO_TARGET_DIR:-target}/nextest/default/junit.xml
if [ -n "${PINTLE_REPORTS:-}" ] && [ -e "$junit" ]; then cp "$junit" "$PINTLE_REPORTS/rust.xml"; fi
exit "$status"
