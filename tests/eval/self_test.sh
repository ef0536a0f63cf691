#!/usr/bin/env bash
# The evaluation kit tested by itself, without a network: its parts, each task with its solution and wrong solutions, and the whole of it through
# the real program, with tasks that are played by cassettes/. Needs PINTLE_BIN.
set -euo pipefail
cd "$(dirname "$0")"
skip() {
  echo "tests/eval: $1" | tee -a "${PINTLE_SKIPS:-/dev/null}"
}
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  skip "no Python 3.11 or newer"
  exit 0
fi
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
# Rust's tools are found by the home folder, which the tests replace.
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
export PINTLE_BIN RUSTUP_HOME CARGO_HOME PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=.
python3 -m unittest discover -q -s unit -t .
sound=yes
said=$(python3 -m kit.soundness) || sound=no
printf '%s\n' "$said"
while read -r first what; do
  [ "$first" != skipped: ] || skip "$what" >/dev/null
done <<<"$said"
[ "$sound" = yes ]
timeout 300 python3 unit/end_to_end.py
