#!/usr/bin/env bash
# Runs every test. Installs what a Debian machine with cargo, node and python lacks, below .cache where it can.
#
#   tests/all.sh               everything
#   tests/all.sh --no-vscode   without the real VS Code, whose installation takes minutes
set -euo pipefail
cd "$(dirname "$0")/.."

with_vscode=yes
for arg in "$@"; do
  case $arg in
    --no-vscode) with_vscode=no ;;
    *) echo "usage: tests/all.sh [--no-vscode]" >&2; exit 2 ;;
  esac
done

export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}
export PINTLE_CACHE=${PINTLE_CACHE:-$PWD/.cache}
mkdir -p "$PINTLE_CACHE"

# Each line names a test, and the part of it that cannot run here.
PINTLE_SKIPS=$(mktemp)
export PINTLE_SKIPS
trap 'rm -f "$PINTLE_SKIPS"' EXIT

began=$SECONDS
step() {
  printf '\n== %s (after %ss)\n' "$*" "$((SECONDS - began))"
}

step "what the tests need"
command -v jq >/dev/null || { apt-get update -qq && apt-get install -y -qq jq; }
if [ ! -x /usr/sbin/sshd ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq openssh-server || echo "no ssh server"
fi

tests/peers/install.sh

step "format"
cargo fmt --all --check

step "clippy"
cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

step "generated files are unchanged"
cargo run --quiet --locked -p pintle-protocol --bin generate -- --check

step "tests"
if ! cargo nextest --version >/dev/null 2>&1; then
  cargo install --locked --quiet cargo-nextest
fi
cargo nextest run --config-file tests/nextest.toml --workspace --all-features --locked --no-fail-fast

step "instructions of hot paths"
tests/bench/counted.sh

step "tests in the documentation"
cargo test --workspace --all-features --locked --doc

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --locked --no-deps --document-private-items --quiet

step "spelling"
tests/spelling.sh

PINTLE_BIN=${CARGO_TARGET_DIR:-$PWD/target}/debug/pintle
export PINTLE_BIN
cargo build --quiet --locked

for client in nvim vscode; do
  run=editors/$client/tests/run.sh
  [ -x "$run" ] || continue
  step "editors/$client"
  if [ "$client" = vscode ] && [ "$with_vscode" = no ]; then
    "$run" --no-vscode
  else
    "$run"
  fi
done

step "clients of Pi"
tests/clients/pi/run.sh

step "clients of the Agent Client Protocol"
tests/clients/acp/run.sh

step "a client of the Language Server Protocol"
tests/clients/lsp/run.sh

step "the files for CI services"
tests/clients/batch/run.sh

step "servers of the Model Context Protocol"
tests/clients/mcp/run.sh

step "readers of the reports of a run"
tests/clients/ci/run.sh

step "the evaluation kit"
tests/eval/self_test.sh

if [ "$with_vscode" = yes ]; then
  step "VS Code's own chat, a client of the Agent Host Protocol"
  tests/clients/ahp/run.sh
fi

step "the protocol's documents in tools of others"
tests/clients/openrpc/run.sh

step "the grammar of patches in its own parser"
tests/clients/grammar/run.sh

step "typed clients of the protocol"
tests/clients/typed/run.sh

if [ -s "$PINTLE_SKIPS" ]; then
  step "$(sort -u "$PINTLE_SKIPS" | wc -l) skipped"
  sort -u "$PINTLE_SKIPS"
fi
step "all is well"
