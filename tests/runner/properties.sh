#!/usr/bin/env bash
# Runs the tests in every module with property tests, with five times the cases.
set -euo pipefail
cd "$(dirname "$0")/../.."
filter=
while read -r file; do
  module=${file#src/}
  module=${module#tests/it/}
  module=${module%.rs}
  module=${module%/mod}
  filter+="${filter:+ or }test(/^${module//\//::}::/)"
done < <(grep -rl 'chance::cases(' src tests/it --include='*.rs')
PINTLE_CASES=5 exec tests/runner/rust.sh -E "$filter"
