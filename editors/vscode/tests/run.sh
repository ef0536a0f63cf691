#!/usr/bin/env bash
# Runs the VS Code extension's tests, by suite:
#
#   run.sh unit          types of the extension and of its page, and the tests that need no VS Code, also those of the client
#   run.sh lint          Prettier and ESLint
#   run.sh program       the parts that need no VS Code, with the engine's program
#   run.sh package       the bundle and the packages, with the engine inside and without it
#   run.sh e2e [NAME…]   the package, driven in a real VS Code
#   run.sh               all of these
#   run.sh prepare       installs Node and the dependencies, and runs nothing
#   run.sh bench         times of streams, long sessions and activation, printed and not judged
#
# NAME runs only the end-to-end cases whose name contains it. PINTLE_BIN names the engine; tests/tool installs the tools. Reports go to $PINTLE_REPORTS, what a failure leaves to $PINTLE_EVIDENCE; PINTLE_RETRIES_E2E=1 tries a failed case again; PINTLE_WORKERS=1 runs one case at a time.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
extension=$(cd "$here/.." && pwd)
root=$(cd "$extension/../.." && pwd)
export PINTLE_SHOTS=${CARGO_TARGET_DIR:-$root/target}/tests/shots
. "$root/editors/steps.sh"

if [[ $# == 0 ]]; then
  worst=0
  for suite in unit lint program package e2e; do
    echo "-- $suite"
    "${BASH_SOURCE[0]}" "$suite"
    status=$?
    [[ $status == 0 || $worst == 1 ]] || worst=$status
  done
  exit "$worst"
fi
suite=$1
shift
cd "$extension" || exit 1

temp=$(mktemp -d "${TMPDIR:-/tmp}/pintle-run.XXXXXX")
export PINTLE_VSIX=$temp/pintle.vsix
trap 'rm -rf "$temp"' EXIT

# Installs Node and the extension's dependencies.
prepare() {
  local node lock
  node=$("$root/tests/tool" node) || exit
  export PATH=$node/bin:$PATH
  lock=$(sha256sum <package-lock.json)
  [[ $(cat node_modules/.pintle-lock 2>/dev/null) == "$lock" ]] && return
  npm ci --no-audit --no-fund >"$temp/npm" 2>&1 || {
    cat "$temp/npm"
    echo "editors/vscode: npm ci failed" >&2
    exit 77
  }
  echo "$lock" >node_modules/.pintle-lock
}

# Runs node's unit tests and adds their counts.
tests() {
  local output=$temp/tap report=/dev/null count
  if [[ -n ${PINTLE_REPORTS:-} ]]; then
    mkdir -p "$PINTLE_REPORTS"
    report=$PINTLE_REPORTS/vscode-$suite.xml
  fi
  node --test --test-reporter=tap --test-reporter-destination="$output" --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=junit --test-reporter-destination="$report" "$@" |
    grep -vE '^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration)'
  count() { sed -n "s/^# $1 //p" "$output"; }
  steps_add "$(count pass) passed, $(($(count fail) + $(count cancelled))) failed, $(count skipped) skipped, 0 flaky"
}

# The package of a platform carries the engine as a program, its licence and its icon, and leaves nothing behind.
bundled() {
  local vsix=$temp/pintle-linux-x64.vsix list
  ./package.sh "$vsix" linux-x64 "$PINTLE_BIN" || return 1
  list=$(python3 -c '
import sys, zipfile
for each in zipfile.ZipFile(sys.argv[1]).infolist():
    print(f"{each.external_attr >> 16 & 0o111:o}", each.filename)' "$vsix") || return 1
  for want in "111 extension/bin/pintle" "0 extension/LICENSE" "0 extension/media/icon.png"; do
    grep -qi "^$want" <<<"$list" || { printf 'no %s in:\n%s\n' "$want" "$list"; return 1; }
  done
  [[ ! -e bin && ! -e LICENSE && ! -e page.md && ! -e CHANGELOG.md ]]
}

# The extension's page names each picture where this version's repository has it, and no other place in it; the package has the links and release
# notes that a marketplace shows.
page() {
  python3 - "$PINTLE_VSIX" README.md package.json <<'END'
import json, pathlib, re, sys, zipfile
vsix = zipfile.ZipFile(sys.argv[1])
names = {name.lower(): name for name in vsix.namelist()}
page = vsix.read(names["extension/readme.md"]).decode()
package = json.load(open(sys.argv[3]))
base = f"{package['homepage']}/raw/v{package['version']}/{package['repository']['directory']}/"
pictures = re.findall(r"!\[[^\]]+\]\(([^)]*)\)", page)
wanted = open(sys.argv[2]).read().count("![")
assert len(pictures) == wanted > 0, f"{len(pictures)} pictures of {wanted}"
for picture in pictures:
    assert picture.startswith(base) and pathlib.Path(picture.removeprefix(base)).is_file(), picture
assert re.findall(r"(?<!!)\]\((?!https?:|#)", page) == [], "links that lead nowhere"
assert vsix.read(names["extension/changelog.md"]).startswith(b"# Release notes")
manifest = vsix.read("extension.vsixmanifest").decode()
for link in ("Source", "Support", "Learn"):
    assert f"Microsoft.VisualStudio.Services.Links.{link}" in manifest, link
END
}

# A package for Windows carries the program under its name there.
for_windows() {
  local vsix=$temp/pintle-win32-x64.vsix list
  printf 'MZ' >"$temp/engine"
  ./package.sh "$vsix" win32-x64 "$temp/engine" || return 1
  list=$(python3 -m zipfile -l "$vsix") || return 1
  # Not from a pipe, which grep would close early.
  grep -q '^extension/bin/pintle.exe ' <<<"$list" || { echo "no extension/bin/pintle.exe" >&2; return 1; }
}

engine() {
  PINTLE_BIN=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$root/target}/debug/pintle}
  [[ -x $PINTLE_BIN ]] || { echo "there is no engine at $PINTLE_BIN: build it, or set PINTLE_BIN" >&2; exit 2; }
  PINTLE_BIN=$(realpath "$PINTLE_BIN")
  export PINTLE_BIN
}

# Runs the end-to-end cases, which report themselves.
cases() {
  export PINTLE_EVIDENCE=${PINTLE_EVIDENCE:-$(mktemp -d "${TMPDIR:-/tmp}/pintle-evidence.XXXXXX")}
  export PINTLE_SUM=$temp/sum PINTLE_SUITE=vscode-$suite
  node tests/e2e/main.mjs "$@"
  local status=$?
  rmdir "$PINTLE_EVIDENCE" 2>/dev/null
  if [[ -e $PINTLE_SUM ]]; then
    steps_add "$(cat "$PINTLE_SUM")"
  else
    step "the cases end" bash -c "echo exit status $status; false"
  fi
}

steps_begin "vscode-$suite"
case $suite in
  unit)
    prepare
    step "types" npx tsc --noEmit
    step "types of the page" npx tsc --noEmit -p src/webview
    tests tests/unit/*.test.ts "$root"/protocol/clients/typescript/*.test.ts
    ;;
  program)
    prepare
    engine
    tests tests/program/*.test.ts
    ;;
  prepare)
    prepare
    exit
    ;;
  lint)
    prepare
    step "format" npx prettier --check .
    step "lint" npx eslint .
    ;;
  package)
    prepare
    engine
    step "bundle and package" ./package.sh "$PINTLE_VSIX"
    step "the extension's page" page
    step "package with the engine" bundled
    step "package for Windows" for_windows
    ;;
  e2e | bench)
    prepare
    PINTLE_PLAYWRIGHT=$("$root/tests/tool" playwright) || exit
    PINTLE_CODE_SERVER=$("$root/tests/tool" code-server) || exit
    "$root/tests/tool" browser >/dev/null || exit
    export PINTLE_PLAYWRIGHT PINTLE_CODE_SERVER
    engine
    step "package" ./package.sh "$PINTLE_VSIX" && cases "$@"
    echo "screenshots: $PINTLE_SHOTS"
    ;;
  *)
    sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
steps_end
