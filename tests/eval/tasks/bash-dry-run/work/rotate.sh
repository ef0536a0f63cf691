#!/usr/bin/env bash
# Keeps the last KEEP versions of a log: LOG.1 is the newest, LOG.KEEP the oldest.
set -euo pipefail

usage() {
  echo "usage: rotate.sh [-k KEEP] LOG"
}

keep=3
while [ $# -gt 0 ]; do
  case $1 in
    -k) keep=$2; shift 2 ;;
    -h|--help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) break ;;
  esac
done
[ $# -eq 1 ] || { usage >&2; exit 2; }
log=$1

if [ -e "$log.$keep" ]; then
  rm "$log.$keep"
fi
for ((n = keep - 1; n >= 1; n--)); do
  if [ -e "$log.$n" ]; then
    mv "$log.$n" "$log.$((n + 1))"
  fi
done
if [ -e "$log" ]; then
  mv "$log" "$log.1"
fi
: > "$log"
