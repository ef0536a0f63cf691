#!/usr/bin/env bash
# Checks, tests, packages the extension, and drives the package in a real VS Code.
# Usage: run.sh [--no-vscode]. PINTLE_BIN names the engine, PINTLE_CACHE the folder for what is installed.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
extension=$(cd "$here/.." && pwd)
root=$(cd "$extension/../.." && pwd)
export PINTLE_VSCODE_CACHE=${PINTLE_CACHE:-$root/.cache}/vscode
export PINTLE_VSIX=$PINTLE_VSCODE_CACHE/pintle.vsix
passed=0
failed=0
cd "$extension" || exit 1

note() {
  if [[ $1 == 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%s %s\n' "$([[ $1 == 0 ]] && echo ok || echo FAILED)" "$2"
}

# Runs a step; its output is shown when it fails.
step() {
  local name=$1 output status
  shift
  output=$("$@" 2>&1)
  status=$?
  [[ $status == 0 ]] || printf '%s\n' "$output"
  note "$status" "$name"
  return "$status"
}

# Runs node's tests and adds their counts.
tests() {
  local name=$1 output=$PINTLE_VSCODE_CACHE/$1.tap
  shift
  node --test --test-concurrency=1 --test-reporter=tap --test-reporter-destination="$output" \
    --test-reporter=spec --test-reporter-destination=stdout "$@" | grep -vE '^ℹ (tests|suites|cancelled|skipped|todo|duration)'
  passed=$((passed + $(count pass "$output")))
  failed=$((failed + $(count fail "$output") + $(count cancelled "$output")))
  grep -q '^# pass ' "$output" || note 1 "$name tests"
}

count() {
  sed -n "s/^# $1 //p" "$2" | grep . || echo 0
}

# The package of a platform carries the engine as a program, its licence and its icon, and leaves nothing behind.
bundled() {
  local vsix=$PINTLE_VSCODE_CACHE/pintle-linux-x64.vsix list
  ./package.sh "$vsix" linux-x64 "$PINTLE_BIN" || return 1
  list=$(python3 -c '
import sys, zipfile
for each in zipfile.ZipFile(sys.argv[1]).infolist():
    print(f"{each.external_attr >> 16 & 0o111:o}", each.filename)' "$vsix") || return 1
  rm -f "$vsix"
  for want in "111 extension/bin/pintle" "0 extension/LICENSE" "0 extension/media/icon.png"; do
    grep -qi "^$want" <<<"$list" || { printf 'no %s in:\n%s\n' "$want" "$list"; return 1; }
  done
  [[ ! -e bin && ! -e LICENSE ]]
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [[ $failed == 0 ]]
  exit
}

wants_vscode=true
[[ ${1:-} == --no-vscode ]] && wants_vscode=false
if $wants_vscode; then setup=(); else setup=(--tools); fi
if ! "$here/setup.sh" "${setup[@]}"; then
  echo "skipped: what the tests need could not be installed"
  note 1 setup
  finish
fi
export PATH=$PINTLE_VSCODE_CACHE/node/bin:$PATH

step "npm ci" npm ci --no-audit --no-fund || finish
step "types" npx tsc --noEmit
step "types of the page" npx tsc --noEmit -p src/webview
step "format" npx prettier --check .
step "lint" npx eslint .
tests unit tests/unit/*.test.ts
step "bundle and package" ./package.sh "$PINTLE_VSIX" || finish
if [[ -x ${PINTLE_BIN:-} ]]; then step "package with the engine" bundled; fi

if $wants_vscode; then
  if [[ -x ${PINTLE_BIN:-} ]]; then
    tests vscode tests/e2e/main.mjs
    echo "screenshots: $PINTLE_VSCODE_CACHE/shots"
  else
    echo "PINTLE_BIN does not name the engine"
    note 1 "end-to-end"
  fi
fi
finish
