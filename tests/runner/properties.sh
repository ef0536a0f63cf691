#!/usr/bin/env bash
# Runs the tests in every module with property tests, with five times the cases.
set -euo pipefail
cd "$(dirname "$0")/../.."
filter=
while read -r file; do
  case $file in
    src/*) package=pintle-${file#src/} package=${package%%/*} module=${file#src/*/} ;;
    *) package=pintle module=${file#tests/it/} ;;
  esac
  module=${module%.rs}
  module=${module%/mod}
  filter+="${filter:+ or }(package($package) and test(/^${module//\//::}::/))"
done < <(grep -rl 'chance::cases(' src tests/it --include='*.rs')
PINTLE_CASES=5 exec tests/runner/rust.sh -E "$filter"
