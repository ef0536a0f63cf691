#!/usr/bin/env bash
# Runs the Neovim extension's tests, by suite:
#
#   run.sh unit [NAME…]       the type check, and the tests that start no engine
#   run.sh lint               StyLua, luacheck, and the table of keys in the help
#   run.sh e2e [NAME…]        child editors, driven through whole rounds with the real engine, in Neovim 0.11.4
#   run.sh e2e-next [NAME…]   the same in Neovim 0.12-dev
#   run.sh                    all of these
#   run.sh bench [NAME…]      times of streams, long sessions and the start, printed and not judged
#
# NAME runs only the tests whose name contains it. UPDATE=1 formats and writes the keys (`lint`), or rewrites the golden files and doc/tags (`e2e`). The
# engine is $PINTLE_BIN, or target/debug/pintle. $NVIM_BIN names another Neovim. No package has Neovim 0.10 for this: what it lacks
# is in lua/pintle/compat.lua. Reports go to $PINTLE_REPORTS, what a failure leaves to $PINTLE_EVIDENCE; PINTLE_RETRIES_E2E=1 tries
# a failed end-to-end test again, and PINTLE_SEED is the seed of random tests.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
plugin=$(dirname "$here")
repo=$(cd "$plugin/../.." && pwd)
. "$repo/editors/steps.sh"

# Exits as the suite if one is named, else after all of them.
if [ $# = 0 ]; then
  worst=0
  for suite in unit lint e2e e2e-next; do
    echo "-- $suite"
    status=0
    "${BASH_SOURCE[0]}" "$suite" || status=$?
    [ "$status" = 0 ] || [ "$worst" = 1 ] || worst=$status
  done
  exit "$worst"
fi
suite=$1
shift

# Prints the path of a file of an installed tool: tool NAME PATH.
tool() {
  local folder
  folder=$("$repo/tests/tool" "$1") && realpath "$folder/$2"
}

# A fresh place for all that editors and engines write: the name of the folder is in the environment of everything that is started.
begin() {
  temp=$(mktemp -d "${TMPDIR:-/tmp}/pintle-nvim.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  export HOME=$temp/home PINTLE_HOME=$temp/pintle
  export XDG_CONFIG_HOME=$temp/config XDG_DATA_HOME=$temp/data XDG_STATE_HOME=$temp/state XDG_CACHE_HOME=$temp/cache
  export XDG_RUNTIME_DIR=$temp/run
  mkdir -p "$HOME" "$PINTLE_HOME" "$XDG_RUNTIME_DIR"
  chmod 700 "$XDG_RUNTIME_DIR"
  export LC_ALL=C.UTF-8 TZ=UTC TERM=xterm-256color
  export PINTLE_TEST_TEMP=$temp PINTLE_PLUGIN=$plugin
  unset NVIM VIMINIT VIM VIMRUNTIME NVIM_APPNAME GIT_DIR
}

# Runs the tests of a folder of specs in a Neovim: drive SPECS NVIM SECONDS [NAME…].
drive() {
  local specs=$1 nvim=$2 seconds=$3 status=0
  shift 3
  export PINTLE_SUITE=nvim-$suite
  export PINTLE_EVIDENCE=${PINTLE_EVIDENCE:-$(mktemp -d "${TMPDIR:-/tmp}/pintle-evidence.XXXXXX")}
  "$nvim" --version | sed -n 1p
  NVIM_BIN=$nvim timeout -k 5 "$seconds" "$nvim" --headless --clean -n -l "$here/driver.lua" "$specs" "$@" || status=$?
  rmdir "$PINTLE_EVIDENCE" 2>/dev/null || true
  if [ -e "$temp/sum" ]; then
    steps_add "$(cat "$temp/sum")"
  else
    step "the tests end" leave 1 "exit status $status; they have $seconds seconds" || true
  fi
}

unit() {
  local nvim emmylua
  nvim=${NVIM_BIN:-$(tool neovim bin/nvim)}
  emmylua=$(tool emmylua bin/emmylua_ls) || emmylua=
  begin
  if [ $# != 0 ]; then
    : # named tests alone
  elif [ -n "$emmylua" ]; then
    step "types" "$nvim" --headless --clean -l "$here/types.lua" "$emmylua" || true
  else
    step "types" leave 77 "EmmyLua could not be installed" || true
  fi
  # Nothing of this starts an engine; a test that tries fails.
  export PINTLE_BIN=/nowhere/pintle
  drive unit "$nvim" 120 "$@"
}

leave() {
  echo "$2"
  return "$1"
}

format() {
  local stylua
  stylua=$(tool stylua package/stylua_lib_node.cjs) || return
  node "$here/format.cjs" "$stylua" $([ "${UPDATE:-}" = 1 ] && echo --write)
}

check() {
  "$repo/tests/tool" luacheck >/dev/null || return
  cd "$plugin" && luacheck -q .
}

# The table of keys in the help is that of the code.
keys() {
  local nvim
  nvim=${NVIM_BIN:-$(tool neovim bin/nvim)} || return
  "$nvim" --headless --clean -n -l "$here/keys.lua" $([ "${UPDATE:-}" = 1 ] && echo --write)
}

lint() {
  step "format" format || true
  step "luacheck" check || true
  step "keys in the help" keys || true
}

e2e() {
  local nvim
  nvim=${NVIM_BIN:-$(tool "$1" bin/nvim)}
  shift
  PINTLE_BIN=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$repo/target}/debug/pintle}
  [ -x "$PINTLE_BIN" ] || { echo "there is no engine at $PINTLE_BIN: build it, or set PINTLE_BIN" >&2; exit 2; }
  PINTLE_BIN=$(realpath "$PINTLE_BIN")
  export PINTLE_BIN
  begin
  if [ "${UPDATE:-}" = 1 ]; then
    (cd "$plugin" && "$nvim" --headless --clean -c "helptags doc" -c quit)
  fi
  drive "${suite%-next}" "$nvim" "${PINTLE_TEST_TIMEOUT:-1800}" "$@"
}

steps_begin "nvim-$suite"
case $suite in
  unit) unit "$@" ;;
  lint) lint ;;
  e2e) e2e neovim "$@" ;;
  e2e-next) e2e neovim-next "$@" ;;
  bench) e2e neovim "$@" ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
steps_end
