#!/usr/bin/env bash
# Renders manual pages, and fails on a warning.
set -euo pipefail
cd "$1"
wrong=0
for page in *.1; do
  said=$(MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l "$page" 2>&1 >/dev/null; mandoc -T lint -W warning "$page" 2>&1 || true)
  if [ -n "$said" ]; then
    printf '%s:\n%s\n' "$page" "$said" >&2
    wrong=1
  fi
done
echo "man and mandoc: $(ls ./*.1 | wc -l) pages"
exit "$wrong"
