#!/usr/bin/env bash
# The instructions of hot paths beside those in counted.txt: one of them that takes a tenth more fails. They are counted (callgrind), not timed, so a
# busy machine does not matter, and in the profile of the tests, whose code is there already. Another compiler or processor makes other
# instructions: there they are printed, and compared no further.
#
#   tests/bench/counted.sh             compares
#   tests/bench/counted.sh --update    writes counted.txt
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/tool valgrind jq >/dev/null
program=$(cargo build --locked --workspace --all-features --bench bench --message-format json |
  jq -r 'select(.reason == "compiler-artifact" and .target.name == "bench").executable' | tail -1)
known=tests/bench/counted.txt
# Some code is chosen by what the processor can.
compiler="$(rustc --version), $(grep -qw avx2 /proc/cpuinfo && echo with || echo without) avx2"
counts=$(for path in $("$program" counted); do
  out=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*counted::collected*' "$program" counted "$path" 2>&1) || {
    echo "$out" >&2
    exit 1
  }
  printf '%s %s\n' "$path" "$(sed -n 's/.*Collected : //p' <<<"$out")"
done)
if [ "${1:-}" = --update ]; then
  printf '%s\n%s\n' "$compiler" "$counts" >"$known"
  exit 0
fi
if [ "$(head -1 "$known")" != "$compiler" ]; then
  echo "$counts"
  echo "tests/bench: instructions are counted for $(head -1 "$known"), and this is $compiler" | tee -a "${PINTLE_SKIPS:-/dev/null}"
  exit 0
fi
echo "$counts" | awk -v known="$known" '
  BEGIN { while ((getline line < known) > 0) { split(line, row, " "); before[row[1]] = row[2] } }
  {
    if (!($1 in before)) { printf "%-18s %12d instructions, not in %s: tests/bench/counted.sh --update\n", $1, $2, known; failed = 1; next }
    share = ($2 / before[$1] - 1) * 100
    verdict = share > 10 ? "   over a tenth more: find out why, or tests/bench/counted.sh --update" : ""
    printf "%-18s %12d instructions, %+.1f %%%s\n", $1, $2, share, verdict
    if (share > 10) failed = 1
  }
  END { exit failed }'
